"""gdeval, the Perl script of the TREC Web track: nDCG with exponential gain, and ERR, to five decimals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...measures import Measure
from ...measures.gains import is_plain
from ...rankspace import Floats, RankSpace
from ..protocol import Gap, Grades
from ..stand_ins import library, qrels_of, run_of
from .provider import Provider, collected, having

RESOLUTION = 5.001e-6
"""Half a unit of the fifth decimal, and a little for a number on the border."""

LARGEST = 4
"""The highest grade that gdeval reads ($MAX_JUDGMENT)."""


def _limit(measure: Measure, grades: Grades) -> Gap | None:
    """What gdeval lacks of its two measures."""
    if measure.cutoff is None:
        return Gap("upstream", "gdeval 1.2a needs a cutoff")
    if not grades.whole or grades.largest > LARGEST:
        return Gap("upstream", "gdeval 1.2a reads whole grades up to 4 alone")
    if measure.name == "ERR":
        return None if measure.number("max_rel") == LARGEST else Gap("upstream", "gdeval 1.2a has max_rel=4 alone")
    plain = is_plain(measure) and measure.get("dcg") == "exp-log2"
    return None if plain else Gap("upstream", "gdeval 1.2a has the gain 2^grade - 1 alone")


def _compute(provider: Provider, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """One process for each cutoff; grades below 0 are sent as 0, which is what they gain."""
    im = library()
    objects = [im.nDCG(dcg="exp-log2") @ m.cutoff if m.name == "nDCG" else im.ERR @ m.cutoff for m in measures]
    evaluator = provider.evaluator(dict.fromkeys(objects), qrels_of(rankings, np.maximum(rankings.grade, 0)))
    return collected(evaluator.iter_calc(run_of(rankings)), objects, len(rankings))


GDEVAL = Provider("gdeval", having("gdeval", "nDCG", "ERR"), _compute, _limit, hint="install perl", resolution=RESOLUTION)
