"""trec_eval's measures that tell documents judged not relevant from those that are not judged."""

from __future__ import annotations

import math

from .binary import SMALLEST
from .seen import Seen, added

EPSILON = 0.00001
"""What infAP adds to its counts, so that nothing judged is no division by 0."""


def binary_preference(seen: Seen, _: None) -> float:
    """bpref: 1 - min(n, R) / min(N, R) of each hit, n being the nonrelevant documents above it, of N that are judged so.

    Summed and divided by R (Buckley and Voorhees 2004).
    """
    total, nonrelevant = seen.total, len(seen.judged.judged) - seen.total
    values = (1 - min(above, total) / min(nonrelevant, total) if above else 1.0 for above in _nonrelevant_above(seen))
    return added(values) / total if total else 0.0


def log_binary_preference(seen: Seen, _: None) -> float:
    """gm_bpref of one query: the logarithm of bpref, of which the summary is the geometric mean."""
    return math.log(max(binary_preference(seen, None), SMALLEST))


def inferred_average_precision(seen: Seen, _: None) -> float:
    """infAP: average precision as it is expected where the pool was judged in part (Yilmaz and Aslam 2006).

    The documents above a hit are relevant at the rate of those judged among them, so far as they are in the pool.
    """
    values = []
    for n, (rank, nonrelevant) in enumerate(zip(seen.hits, _nonrelevant_above(seen), strict=True)):
        above = rank - 1
        in_pool = n + nonrelevant + sum(place < rank for place in seen.pooled)
        rate = (n + EPSILON) / (n + nonrelevant + 2 * EPSILON)
        values.append(1 / rank + (above / rank) * (in_pool / above) * rate if above else 1.0)
    return added(values) / seen.total if seen.total else 0.0


def unjudged_share(seen: Seen, cutoff: int) -> float:
    """unj: unjudged documents among the first k, divided by k."""
    return len(seen.unjudged(cutoff)) / cutoff


def grades_in_order(seen: Seen, lengths: tuple[float, ...]) -> str:
    """relstring: a sign for each of the first documents: its grade, ``>`` above 9, ``-`` not in the pool, ``.`` not judged."""
    length = max(0, min(int(lengths[0]), seen.depth))
    signs = ["-"] * length
    for rank in (rank for rank in seen.pooled if rank <= length):
        signs[rank - 1] = "."
    for rank, grade in seen.judged.retrieved(length):
        signs[rank - 1] = f"{grade:.0f}" if grade <= 9 else ">"
    return "".join(signs)


def _nonrelevant_above(seen: Seen) -> list[int]:
    """How many documents above each hit are judged and not relevant."""
    found = [place for place, _ in seen.judged.retrieved()]
    at = {place: i for i, place in enumerate(found)}
    return [at[rank] - n for n, rank in enumerate(seen.hits)]
