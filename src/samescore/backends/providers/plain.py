"""The providers that take a measure as it is: judged, compat and msmarco, which are Python, and accuracy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...measures import Measure
from ...rankspace import Floats, RankSpace
from ..stand_ins import qrels_of, run_of, written
from .provider import Provider, collected, each_written, having


def _all_at_once(provider: Provider, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """One call, with grades as they are."""
    return each_written(provider, run_of(rankings), qrels_of(rankings, rankings.grade), measures, len(rankings))


def _ordered_pairs(provider: Provider, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """One call a measure, without the queries that have no pair to compare.

    Where all that was retrieved is relevant, ir_measures 0.4.3 divides by 0; the measure is 1 there, and 0 where nothing is.
    """
    values = np.zeros((len(rankings), len(measures)))
    run, qrels = run_of(rankings), qrels_of(rankings, rankings.grade)
    for i, measure in enumerate(measures):
        deepest = np.minimum(rankings.depth, measure.cutoff or rankings.depth)
        hits = rankings.per_query((rankings.place <= deepest[rankings.query]) & (rankings.grade >= (measure.level or 1)))
        perfect = (hits == deepest) & (deepest > 0)
        some = {query: ranking for query, ranking in run.items() if not perfect[int(query)]}
        asked = written(measure)
        values[:, [i]] = collected(provider.evaluator([asked], qrels).iter_calc(some), [asked], len(rankings))
        values[perfect, i] = 1.0
    return values


JUDGED = Provider("judged", having("judged", "Judged"), _all_at_once)
COMPAT = Provider("compat", having("compat", "Compat"), _all_at_once)
MSMARCO = Provider("msmarco", having("msmarco", "RR"), _all_at_once)
ACCURACY = Provider("accuracy", having("accuracy", "Accuracy"), _ordered_pairs)
