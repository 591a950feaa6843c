"""trec_eval's measures of which documents are relevant and where they stand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice

from .. import reference
from ..measures import Measure
from .seen import Seen, added

SMALLEST = 0.00001
"""What a geometric mean takes instead of a smaller value, so that one zero is not the whole mean."""


def of_catalogue(name: str) -> Callable[[Seen, int | None], float]:
    """A measure of the catalogue, by its definition, and 0 where that is undefined."""

    def value(seen: Seen, cutoff: int | None) -> float:
        return reference.value(seen.relevant, _measure(name, cutoff, seen.level)) or 0.0

    return value


@cache
def _measure(name: str, cutoff: int | None, level: int) -> Measure:
    """A measure of the catalogue at a relevance level."""
    return Measure(name, cutoff, (("rel", level),))


def precisions(seen: Seen, cutoff: int | None = None) -> float:
    """The precision at each hit down to a cutoff, summed: average precision times R."""
    return added(n / rank for n, rank in enumerate(seen.hits, 1) if cutoff is None or rank <= cutoff)


def average_precision(seen: Seen, cutoff: int | None) -> float:
    """map, map_cut: the precision at each hit, summed and divided by R.

    As AP of the catalogue, but for the last bit, which the plain sum of trec_eval decides.
    """
    return precisions(seen, cutoff) / seen.total if seen.total else 0.0


def log_average_precision(seen: Seen, _: None) -> float:
    """gm_map of one query: the logarithm of map, of which the summary is the geometric mean (Robertson 2006)."""
    return math.log(max(average_precision(seen, None), SMALLEST))


def robertson_average_precision(seen: Seen, _: None) -> float:
    """yaap: log((1 + s) / (1 + R - s)), s being the sum of the precisions at the hits (Robertson 2012)."""
    found = precisions(seen)
    return math.log((1 + found) / (1 + seen.total - found))


def relative_precision(seen: Seen, cutoff: int) -> float:
    """relative_P: hits in k / min(k, R), the precision out of the best that was possible."""
    return sum(rank <= cutoff for rank in seen.hits) / min(cutoff, seen.total) if seen.total else 0.0


def precision_at_multiple(seen: Seen, multiple: float) -> float:
    """Rprec_mult: the precision at rank floor(multiple * R + 0.9)."""
    cutoff = int(multiple * seen.total + 0.9)
    return sum(rank <= cutoff for rank in seen.hits) / cutoff if cutoff > 0 else 0.0


def interpolated_precision(seen: Seen, recall: float) -> float:
    """iprec_at_recall: the highest precision from the hit that reaches the recall on, the hit being the rounded recall * R.

    trec_eval 10 rounds, half away from zero, where 9 took floor(recall * R + 0.9).
    """
    return _highest_precision(seen, _rounded(recall * seen.total))


def average_interpolated(seen: Seen, recalls: Sequence[float]) -> float:
    """11pt_avg: the mean of the interpolated precision at the recalls given.

    trec_eval goes through the recalls from the last to the first while it goes up the ranking, so one that is higher than
    its successor is passed already, and counts, like all before it, as recall 0.
    """
    cutoffs = [_rounded(recall * seen.total) for recall in reversed(recalls)]
    reach = len(seen.hits)
    values = []
    for cutoff in islice(cutoffs, next((i for i, c in enumerate(cutoffs) if c <= reach), len(cutoffs)), None):
        reach = cutoff if cutoff <= reach else 0
        values.append(_highest_precision(seen, reach))
    return added(values) / len(recalls)


def _highest_precision(seen: Seen, first: int) -> float:
    """The highest precision at any hit from the n-th on."""
    return max((n / rank for n, rank in enumerate(seen.hits, 1) if n >= first), default=0.0)


def _rounded(value: float) -> int:
    """The nearest whole number, halves away from zero."""
    whole = math.trunc(value)
    return whole + (value - whole >= 0.5) - (value - whole <= -0.5)


def binary_gain(seen: Seen, _: None) -> float:
    """binG: 1 / log2(2 + nonrelevant documents before it) of each hit, summed and divided by R."""
    found = added(1 / math.log2(2 + rank - n) for n, rank in enumerate(seen.hits, 1))
    return found / seen.total if seen.total else 0.0
