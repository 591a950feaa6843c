"""Measures of how relevant documents are: grades become gains, and gains are discounted by rank."""

from __future__ import annotations

import math
from itertools import accumulate

from ..measures import Measure
from ..rankspace import Ranking


def gain(grade: float, measure: Measure) -> float:
    """What a document is worth: 2^grade - 1 (Burges et al. 2005) or the grade (Jarvelin and Kekalainen 2002); 0 below 0.

    ``gains`` says what each grade is worth (and then ``dcg='exp-log2'`` takes 2^worth - 1); ``rel`` makes lower grades worth 0, and
    ``dcg='binary'`` all others 1.
    """
    if measure.level is not None and grade < measure.level:
        return 0.0
    worth = float(measure.gains.get(grade, 0)) if measure.gains else max(float(grade), 0.0)
    if measure.get("dcg") == "binary":
        return float(worth > 0)
    return 2.0**worth - 1 if measure.get("dcg") == "exp-log2" else worth


def discount(rank: int, measure: Measure) -> float:
    """What the gain on a rank is divided by: log2(rank + 1) (Burges et al. 2005), or with ``discount='base2'`` log2(rank), and 1 on
    the first two ranks (Jarvelin and Kekalainen 2002, with base 2)."""
    return math.log2(max(rank, 2)) if measure.get("discount") == "base2" else math.log2(rank + 1)


def discounted(gains: list[tuple[int, float]], measure: Measure) -> float:
    """The sum of gain / discount."""
    return sum((value / discount(rank, measure) for rank, value in gains), 0.0)


def dcg(ranking: Ranking, measure: Measure) -> float:
    """Discounted cumulative gain of the first k documents."""
    return discounted([(rank, gain(grade, measure)) for rank, grade in ranking.retrieved(measure.cutoff)], measure)


def ideal_dcg(ranking: Ranking, measure: Measure) -> float:
    """The DCG of the best order, cut at k: of all judged documents, or with ``ideal='retrieved'`` of those retrieved at any rank
    (Elasticsearch's _rank_eval); not cut with ``ideal='uncut'``."""
    ideal = measure.get("ideal")
    grades = [grade for _, grade in ranking.retrieved()] if ideal == "retrieved" else ranking.grades()
    gains = sorted((gain(grade, measure) for grade in grades), reverse=True)
    return discounted(list(enumerate(gains[: None if ideal == "uncut" else measure.cutoff], 1)), measure)


def ndcg(ranking: Ranking, measure: Measure) -> float | None:
    """DCG / ideal DCG; undefined where nothing has a gain, and 0 where nothing that was retrieved has one."""
    ideal = ideal_dcg(ranking, measure)
    if not ideal and measure.get("ideal") == "retrieved" and any(gain(grade, measure) for grade in ranking.grades()):
        return 0.0
    return dcg(ranking, measure) / ideal if ideal else None


def cumulated_gain(ranking: Ranking, measure: Measure) -> float:
    """The sum of the gains of the first k documents, not discounted (Jarvelin and Kekalainen 2002)."""
    return math.fsum(gain(grade, measure) for _, grade in ranking.retrieved(measure.cutoff))


def normalised_cg(ranking: Ranking, measure: Measure) -> float | None:
    """CG / the largest CG that k documents can have."""
    gains = sorted((gain(grade, measure) for grade in ranking.grades()), reverse=True)
    ideal = math.fsum(gains[: measure.cutoff])
    return cumulated_gain(ranking, measure) / ideal if ideal else None


def q_measure(ranking: Ranking, measure: Measure) -> float | None:
    """The blended ratio (beta cg + hits) / (beta ideal cg + rank) at each hit, summed and divided by R, at k by min(k, R).

    A hit is a document with a gain; where all gains are alike, or for a beta near 0, Q is near AP (Sakai 2004; NTCIREVAL).
    """
    best = list(accumulate(sorted(filter(None, (gain(grade, measure) for grade in ranking.grades())), reverse=True)))
    if not best:
        return None
    beta, cumulated, found, ratios = measure.number("beta"), 0.0, 0, 0.0
    for rank, grade in ranking.retrieved(measure.cutoff):
        if worth := gain(grade, measure):
            cumulated, found = cumulated + worth, found + 1
            ratios += (beta * cumulated + found) / (beta * best[min(rank, len(best)) - 1] + rank)
    return ratios / min(measure.cutoff or len(best), len(best))
