"""cwl_eval, the tool of the C/W/L framework: users who read down a ranking of at most 1,000 documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...measures import Measure
from ...rankspace import Floats, RankSpace
from ..protocol import Gap, Grades
from ..stand_ins import library, qrels_of, run_of, written
from .provider import Provider, collected, having

RANKS = 1000
"""How far cwl_eval reads: ir_measures 0.4.3 passes its default, and the rest of a ranking is ignored."""

LEFT = 1e-12
"""How much of RBP's weight may lie below that: cwl_eval spreads it over the ranks that it reads."""

SCALED = ("BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11", "INST", "INSQ")
CUT = ("RR", "RBP")
"""Measures that it has without a cutoff alone: it is sent rankings cut to it."""

NO_QUERY = "scale"
"""A query that no run has, with a document at each end of the scale, so that ir_measures does not warn that one is missing."""


def _limit(measure: Measure, grades: Grades) -> Gap | None:
    """What lies below rank 1,000, what RBP it lacks, and P without a cutoff."""
    if measure.name == "P" and measure.cutoff is None:
        return Gap("upstream", "cwl_eval's P has a cutoff")
    if (measure.cutoff or grades.deepest) > RANKS:
        return Gap("upstream", "cwl_eval, as ir_measures 0.4.3 calls it, ignores ranks past 1,000")
    if measure.name == "RBP" and measure.get("max_rel"):
        return Gap("upstream", "ir_measures 0.4.3 gives cwl_eval's RBP no graded gains")
    if measure.name == "RBP" and measure.number("p") ** RANKS > LEFT:
        return Gap("upstream", "cwl_eval spreads the weight that RBP leaves below rank 1,000 over the ranks above")
    return None


def _compute(provider: Provider, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """One call for each cutoff that rankings are cut to and each scale, on which grades are clipped."""
    values = np.zeros((len(rankings), len(measures)))
    groups: dict[tuple[int | None, float, float], list[int]] = {}
    for i, measure in enumerate(measures):
        scale = (measure.number("min_rel"), measure.number("max_rel")) if measure.name in SCALED else (0.0, float("inf"))
        groups.setdefault((measure.cutoff if measure.name in CUT else None, *scale), []).append(i)
    for (cut, low, high), columns in groups.items():
        space = rankings if cut is None else rankings.cut(cut)
        qrels = qrels_of(space, np.clip(space.grade, low, high))
        if high < float("inf"):
            qrels[NO_QUERY] = {"low": low, "high": high}
        objects = [_written(measures[i]) for i in columns]
        metrics = provider.evaluator(dict.fromkeys(objects), qrels).iter_calc(run_of(space))
        values[:, columns] = collected(metrics, objects, len(space))
    return values


def _written(measure: Measure) -> object:
    """The library's object, without a cutoff where the ranking was cut to it."""
    if measure.name not in CUT:
        return written(measure)
    return library().RR(rel=measure.level) if measure.name == "RR" else library().RBP(p=measure.number("p"), rel=measure.level)


_AP = "cwl_eval 1.0 divides AP by the relevant documents that were retrieved, not by all of them"

CWL_EVAL = Provider(
    "cwl_eval",
    having("cwl_eval", "P", "RR", "RBP", *SCALED, never={"AP": _AP}),
    _compute,
    _limit,
    tool="cwl-eval",
    hint="pip install 'samescore[cwl]'",
)
