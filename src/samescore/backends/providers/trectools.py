"""trectools, which is pandas: binary measures, nDCG and RBP."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...measures import Measure
from ...measures.gains import gains, is_graded
from ...rankspace import Floats, RankSpace
from ..protocol import Gap, Grades
from ..stand_ins import StandInRun, library, qrels_of, run_of
from .provider import Provider, collected, having

NO_DOCUMENT = "unjudged"
"""A document that no ranking has."""


def _limit(measure: Measure, grades: Grades) -> Gap | None:
    """Measures that it has in part."""
    if measure.name == "P" and measure.cutoff is None:
        return Gap("upstream", "trectools 0.0.50 has P with a cutoff alone")
    if measure.name == "AP" and measure.get("norm") and measure.cutoff:
        return Gap("upstream", "trectools 0.0.50 divides AP by R alone")
    if measure.name == "Rprec":  # It is right with pandas 2, but what a backend has must not hang on that.
        return Gap("upstream", "trectools 0.0.50 loses the query column with pandas 3, and counts the hits of other queries")
    return None


def _compute(provider: Provider, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """One call a measure. trectools 0.0.50 says NaN where nothing relevant is found, which is 0.

    Where every judged document is relevant, its bpref is 0 / 0: a document that no ranking has is judged not relevant there,
    which changes nothing else. Its RBP takes grades as gains: it is sent gains.
    """
    values = np.zeros((len(rankings), len(measures)))
    run = _untied(rankings)
    for i, measure in enumerate(measures):
        worth = _worth(measure, rankings)
        qrels = qrels_of(rankings, worth)
        for query in np.flatnonzero(rankings.per_query(worth > 0) == rankings.counts).tolist():
            qrels[str(query)][NO_DOCUMENT] = 0.0
        asked = _written(measure)
        values[:, [i]] = collected(provider.evaluator([asked], qrels).iter_calc(run), [asked], len(rankings))
    return np.nan_to_num(values)


def _untied(space: RankSpace) -> StandInRun:
    """A run whose scores differ between queries too: trectools 0.0.50 averages RBP over a tie of two queries."""
    room = int(space.depth.max(initial=0)) + 1
    return {
        query: {place: int(query) * room + score for place, score in ranking.items()} for query, ranking in run_of(space).items()
    }


def _worth(measure: Measure, space: RankSpace) -> Floats:
    """What each judged document is worth: its gain, its share of the highest grade, or 1 if it is relevant."""
    if is_graded(measure):
        return gains(measure, space.grade)
    if measure.get("max_rel"):
        share = np.maximum(space.grade, 0) / measure.number("max_rel")
        return np.where(space.grade >= (measure.level or 0), share, 0.0)
    return (space.grade >= (measure.level or 1)).astype(np.float64)


def _written(measure: Measure) -> object:
    """The library's object, with no threshold: what is below it was sent as 0."""
    im = library()
    params = {"p": measure.number("p")} if measure.name == "RBP" else {"dcg": "log2"} if measure.name == "nDCG" else {}
    found = getattr(im, measure.name)(**params)
    return found @ measure.cutoff if measure.cutoff else found


TRECTOOLS = Provider(
    "trectools",
    having("trectools", "P", "RR", "Rprec", "AP", "nDCG", "Bpref", "RBP"),
    _compute,
    _limit,
    tool="trectools",
    hint="pip install 'samescore[trectools]'",
)
