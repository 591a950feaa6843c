"""Measures of the whole ranking as a set, and of the curve of precision over recall."""

from __future__ import annotations

from ..measures import Measure
from ..rankspace import Ranking
from .binary import hits, precision, recall, relevant


def judged(ranking: Ranking, measure: Measure) -> float:
    """The share of the first k retrieved documents that is judged; 0 for an empty ranking (ir_measures: Judged)."""
    n = min(measure.cutoff or ranking.depth, ranking.depth)
    return len(ranking.retrieved(measure.cutoff)) / n if n else 0.0


def unjudged(ranking: Ranking, measure: Measure) -> float:
    """Unjudged documents among the first k, divided by k however many were retrieved (trec_eval 10: unj)."""
    k = measure.cutoff or ranking.depth
    return (min(k, ranking.depth) - len(ranking.retrieved(measure.cutoff))) / k if k else 0.0


def number_of_queries(ranking: Ranking, measure: Measure) -> float:
    """1, to be added up (trec_eval: num_q)."""
    return 1.0


def number_relevant(ranking: Ranking, measure: Measure) -> float:
    """R, to be added up (trec_eval: num_rel)."""
    return float(relevant(ranking, measure))


def number_retrieved(ranking: Ranking, measure: Measure) -> float:
    """Retrieved documents, or with ``rel`` the relevant ones among them, to be added up (trec_eval: num_ret, num_rel_ret)."""
    return float(ranking.depth if measure.level is None else len(hits(ranking, measure)))


POINTS = [i / 10 for i in range(11)]
"""The recall of the eleven points."""


def interpolated_precision(ranking: Ranking, measure: Measure) -> float | None:
    """The highest precision at any hit from the c-th on, where c = floor(recall R + 0.9); 0 where there are fewer hits.

    As in trec_eval 9, ir_measures and ranx, in 64-bit floats as theirs; trec_eval 10 rounds c to the nearest whole number.
    """
    total = relevant(ranking, measure)
    return highest_precision(hits(ranking, measure), int(measure.number("recall") * total + 0.9)) if total else None


def eleven_points(ranking: Ranking, measure: Measure) -> float | None:
    """The mean of the interpolated precision at recall 0, 0.1, ..., 1 (trec_eval 9: 11pt_avg)."""
    total, ranks = relevant(ranking, measure), hits(ranking, measure)
    return sum(highest_precision(ranks, int(point * total + 0.9)) for point in POINTS) / len(POINTS) if total else None


def highest_precision(ranks: list[int], first: int) -> float:
    """The highest precision at any hit from the n-th on, of hits at the given ranks."""
    return max((n / rank for n, rank in enumerate(ranks, 1) if n >= first), default=0.0)


def set_precision(ranking: Ranking, measure: Measure) -> float | None:
    """Hits / retrieved; ``relative=True``, hits / min(retrieved, R) (trec_eval: set_P, set_relative_P)."""
    if measure.get("relative") is not True:
        return precision(ranking, measure)
    most = min(ranking.depth, relevant(ranking, measure))
    return len(hits(ranking, measure)) / most if most else 0.0


def set_f(ranking: Ranking, measure: Measure) -> float | None:
    """(beta + 1) P R / (R + beta P), with trec_eval's beta: van Rijsbergen's is its square root (trec_eval: set_F)."""
    p, r = precision(ranking, measure), recall(ranking, measure)
    beta = measure.number("beta")
    if r is None:
        return None
    return (beta + 1) * p * r / (r + beta * p) if p * r else 0.0


def set_average_precision(ranking: Ranking, measure: Measure) -> float | None:
    """P R (trec_eval: set_map)."""
    r = recall(ranking, measure)
    return None if r is None else precision(ranking, measure) * r


def ordered_pairs(ranking: Ranking, measure: Measure) -> float:
    """The share of the pairs of a relevant and another document, both among the first k retrieved, that are in order.

    1 where all that was retrieved is relevant, 0 where nothing is (ir_measures: Accuracy, which has no value there).
    """
    ranks = hits(ranking, measure)
    nonrelevant = min(measure.cutoff or ranking.depth, ranking.depth) - len(ranks)
    if not ranks or not nonrelevant:
        return 1.0 if ranks else 0.0
    wrong = sum(rank - n for n, rank in enumerate(ranks, 1))
    return 1 - wrong / (nonrelevant * len(ranks))
