"""Expected values over all orders of tied documents, in closed form (McSherry and Najork, ECIR 2008)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from .. import reference
from ..measures import Measure
from ..rankspace import Ranking
from ..reference import binary, graded
from .spans import Tied

Expectation = Callable[[Tied, Measure], float]


def weighted(tied: Tied, measure: Measure, weight: Callable[[int], float], gain: Callable[[float], float]) -> float:
    """The sum of gain times weight over ranks: on each rank of a tie group stands its mean gain."""
    deepest = _deepest(tied, measure)
    return sum(sum(gains) / span.size * sum(map(weight, span.ranks(deepest))) for span, gains in tied.groups(gain) if any(gains))


def hits(tied: Tied, measure: Measure) -> float:
    """How many relevant documents are expected down to the cutoff."""
    return weighted(tied, measure, lambda rank: 1.0, _relevant(measure))


def precision(tied: Tied, measure: Measure) -> float:
    """P: expected hits / k."""
    n = measure.cutoff or tied.ranking.depth
    return hits(tied, measure) / n if n else 0.0


def recall(tied: Tied, measure: Measure) -> float:
    """R: expected hits / R."""
    return hits(tied, measure) / binary.relevant(tied.ranking, measure)


def capped_recall(tied: Tied, measure: Measure) -> float:
    """R_cap: expected hits / min(k, R)."""
    total = binary.relevant(tied.ranking, measure)
    return hits(tied, measure) / min(measure.cutoff or total, total)


def f1(tied: Tied, measure: Measure) -> float:
    """F1: 2 P R / (P + R) is 2 hits / (k + R), which is linear in hits."""
    return 2 * hits(tied, measure) / ((measure.cutoff or tied.ranking.depth) + binary.relevant(tied.ranking, measure))


def r_precision(tied: Tied, measure: Measure) -> float:
    """Rprec: expected hits in R / R."""
    total = binary.relevant(tied.ranking, measure)
    return weighted(tied, measure, lambda rank: float(rank <= total), _relevant(measure)) / total


def dcg(tied: Tied, measure: Measure) -> float:
    """DCG: expected gain / log2(rank + 1)."""
    return weighted(tied, measure, lambda rank: 1 / math.log2(rank + 1), lambda grade: graded.gain(grade, measure))


def ndcg(tied: Tied, measure: Measure) -> float:
    """nDCG: expected DCG / ideal DCG, which no order changes."""
    return dcg(tied, measure) / (graded.ideal_dcg(tied.ranking, measure) or 1.0)


def success(tied: Tied, measure: Measure) -> float:
    """Success: the probability that the first relevant document stands above the cutoff."""
    return min(math.fsum(chance for _, chance in _first_relevant(tied, measure)), 1.0)


def reciprocal_rank(tied: Tied, measure: Measure) -> float:
    """RR: the sum of 1 / rank times the probability that the first relevant document stands there."""
    return sum(chance / rank for rank, chance in _first_relevant(tied, measure))


def _first_relevant(tied: Tied, measure: Measure) -> Iterator[tuple[int, float]]:
    """The ranks down to the cutoff on which the first relevant document can stand, and the probability of each.

    They are those of the first tie group that has one: there the i-th of n documents, r of them relevant, is relevant with
    probability r / (n - i + 1) if none before it is.
    """
    deepest = _deepest(tied, measure)
    for span, gains in tied.groups(_relevant(measure)):
        if found := int(sum(gains)):
            none_yet = 1.0
            for left, rank in zip(range(span.size, 0, -1), span.ranks(deepest), strict=False):
                chance = min(found / left, 1.0)
                yield rank, none_yet * chance
                none_yet *= 1 - chance
            return


def average_precision(tied: Tied, measure: Measure) -> float:
    """AP: on the i-th rank of a tie group of n with r relevant stands one with probability r / n, and above it in the group
    (i - 1) (r - 1) / (n - 1) others are expected."""
    total, deepest = binary.relevant(tied.ranking, measure), _deepest(tied, measure)
    above, value = 0.0, 0.0
    for span, gains in tied.groups(_relevant(measure)):
        r, n = sum(gains), span.size
        beside = (r - 1) / (n - 1) if n > 1 else 0.0
        value += sum(r / n * (above + 1 + (i - 1) * beside) / rank for i, rank in enumerate(span.ranks(deepest), 1))
        above += r
    return value / (min(measure.cutoff or total, total) if measure.get("norm") == "min" else total)


def _deepest(tied: Tied, measure: Measure) -> int:
    """The last rank that counts."""
    return min(tied.ranking.depth, measure.cutoff or tied.ranking.depth)


def _relevant(measure: Measure) -> Callable[[float], float]:
    """1 for a grade that is relevant to a measure, else 0."""
    least = binary.level(measure)
    return lambda grade: float(grade >= least)


def rank_biased_precision(tied: Tied, measure: Measure) -> float:
    """RBP: expected gain times p^(rank - 1); what a document is worth on rank 1 is the definition's own value for it alone."""
    p = measure.number("p")
    return weighted(
        tied, measure, lambda rank: p ** (rank - 1), lambda grade: reference.value(Ranking(1, ((1, grade),)), measure) or 0.0
    )


EXPECTED: Mapping[str, Expectation] = {
    "P": precision,
    "R": recall,
    "R_cap": capped_recall,
    "F1": f1,
    "Success": success,
    "Rprec": r_precision,
    "RR": reciprocal_rank,
    "AP": average_precision,
    "DCG": dcg,
    "nDCG": ndcg,
    "RBP": rank_biased_precision,
}
"""Measure -> its expected value for one query where it is defined."""
