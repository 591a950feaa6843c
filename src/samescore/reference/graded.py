"""Measures of how relevant documents are: grades become gains, and gains are discounted by rank."""

from __future__ import annotations

import math

from ..measures import Measure
from ..rankspace import Ranking


def gain(grade: float, measure: Measure) -> float:
    """What a document is worth: 2^grade - 1 (Burges et al. 2005) or the grade (Jarvelin and Kekalainen 2002); 0 below 0.

    ``gains`` says what each grade is worth (and then ``dcg='exp-log2'`` takes 2^worth - 1); ``rel`` makes lower grades worth 0.
    """
    if measure.level is not None and grade < measure.level:
        return 0.0
    worth = float(measure.gains.get(grade, 0)) if measure.gains else max(float(grade), 0.0)
    return 2.0**worth - 1 if measure.get("dcg") == "exp-log2" else worth


def discounted(gains: list[tuple[int, float]]) -> float:
    """The sum of gain / log2(rank + 1)."""
    return sum((value / math.log2(rank + 1) for rank, value in gains), 0.0)


def dcg(ranking: Ranking, measure: Measure) -> float:
    """Discounted cumulative gain of the first k documents."""
    return discounted([(rank, gain(grade, measure)) for rank, grade in ranking.retrieved(measure.cutoff)])


def ideal_dcg(ranking: Ranking, measure: Measure) -> float:
    """The DCG of all judged documents in the best order, cut at k."""
    gains = sorted((gain(grade, measure) for grade in ranking.grades()), reverse=True)
    return discounted(list(enumerate(gains[: measure.cutoff], 1)))


def ndcg(ranking: Ranking, measure: Measure) -> float | None:
    """DCG / ideal DCG; undefined where nothing has a gain."""
    ideal = ideal_dcg(ranking, measure)
    return dcg(ranking, measure) / ideal if ideal else None
