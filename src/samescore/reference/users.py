"""Measures of a user who reads down a ranking and stops: rank-biased precision, the cascade, rank-biased overlap."""

from __future__ import annotations

from collections.abc import Sequence

from ..measures import Measure
from ..rankspace import Ranking
from .binary import level


def rank_biased_precision(ranking: Ranking, measure: Measure) -> float:
    """(1 - p) times the sum of gain p^(rank - 1) (Moffat and Zobel 2008).

    The gain is 1 for a relevant document; with ``max_rel`` it is grade / max_rel, from ``rel`` on where that is given too.
    """
    p = measure.number("p")
    return (1 - p) * sum(_share(grade, measure) * p ** (rank - 1) for rank, grade in ranking.retrieved(measure.cutoff))


def _share(grade: float, measure: Measure) -> float:
    """The gain of a document, from 0 to 1."""
    if grade < (measure.level or 0):
        return 0.0
    return max(grade, 0) / measure.number("max_rel") if measure.get("max_rel") else float(grade >= level(measure))


def rank_biased_residual(ranking: Ranking, measure: Measure) -> float:
    """How much RBP could rise if all that is not judged were relevant: unjudged documents and what lies below the ranking.

    That is 1 - (1 - p) times the sum of p^(rank - 1) over judged documents (Moffat and Zobel 2008).
    """
    p = measure.number("p")
    return 1 - (1 - p) * sum(p ** (rank - 1) for rank, _ in ranking.retrieved(measure.cutoff))


def expected_reciprocal_rank(ranking: Ranking, measure: Measure) -> float:
    """The expected 1 / rank at which a user stops who is satisfied by a document with chance (2^grade - 1) / 2^max_rel.

    Chapelle et al. 2009; gdeval, whose max_rel is 4.
    """
    return _cascade(ranking.retrieved(measure.cutoff), measure)


def normalised_err(ranking: Ranking, measure: Measure) -> float | None:
    """ERR / the ERR of all judged documents in the best order, cut at k."""
    ideal = _cascade(list(enumerate(ranking.grades()[: measure.cutoff], 1)), measure)
    return expected_reciprocal_rank(ranking, measure) / ideal if ideal else None


def _cascade(graded: Sequence[tuple[int, float]], measure: Measure) -> float:
    """ERR of (rank, grade) rows in order of rank."""
    expected, reading = 0.0, 1.0
    for rank, grade in graded:
        satisfied = (2.0 ** max(grade, 0) - 1) / 2.0 ** measure.number("max_rel")
        expected += reading * satisfied / rank
        reading *= 1 - satisfied
    return expected


def compatibility(ranking: Ranking, measure: Measure) -> float | None:
    """The rank-biased overlap of the ranking with the ideal one that is nearest to it (Clarke, Vtyurina and Smucker 2021).

    The ideal holds the documents of grades above 0, the highest grade first and in their order of rank within a grade. Sums
    go to the end of the longer of the two; ``normalize`` divides by the overlap of the ideal with itself.
    """
    ideal = [place for place, grade in sorted(ranking.judged, key=lambda row: (-row[1], row[0])) if grade > 0]
    if not ideal:
        return None
    steps, p = max(ranking.depth, len(ideal)), measure.number("p")
    depths = [max(i, place) for i, place in enumerate(ideal, 1) if place <= ranking.depth]
    overlap = _overlap(depths, steps, p)
    return overlap / _overlap(list(range(1, len(ideal) + 1)), steps, p) if measure.get("normalize") is True else overlap


def _overlap(depths: list[int], steps: int, p: float) -> float:
    """Rank-biased overlap of two lists, from the depth at which each document that they share has been seen in both."""
    agreed, weight, overlap, total = 0, 1.0, 0.0, 0.0
    entering = sorted(depths, reverse=True)
    for step in range(1, steps + 1):
        while entering and entering[-1] == step:
            entering.pop()
            agreed += 1
        overlap += weight * agreed / step
        total += weight
        weight *= p
    return overlap / total
