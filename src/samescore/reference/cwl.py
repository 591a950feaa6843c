"""The C/W/L family: a user continues from rank i to the next with chance C_i, and the measure is the gain for each rank read.

A measure is its C (Moffat, Scholer and Thomas 2012). Chances to be at a rank are products of C; the measure is the sum of
gain times chance, divided by the sum of chances (Azzopardi, Thomas and Moffat 2019, expected utility). As in cwl_eval, a user
reads 1,000 ranks, those below the ranking without gain; a longer ranking or cutoff is read to its end, which cwl_eval does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..measures import Measure
from ..rankspace import Ranking

RANKS = 1000
"""How far a user reads at least: cwl_eval's max_n."""

Continue = Callable[[int, float, float], float]
"""The chance to go on after a rank, from the rank, its gain and the gain so far with it."""


def _gain(grade: float, measure: Measure) -> float:
    """Where a grade stands between min_rel, which is 0, and max_rel, which is 1."""
    low, high = measure.number("min_rel"), measure.number("max_rel")
    return (min(max(grade, low), high) - low) / (high - low)


def _utility(ranking: Ranking, measure: Measure, go_on: Continue) -> float:
    """Gain for each rank read."""
    gains = {rank: _gain(grade, measure) for rank, grade in ranking.retrieved()}
    reach, read, gained, so_far = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, max(RANKS, ranking.depth, measure.cutoff or 0) + 1):
        gain = gains.get(rank, 0.0)
        so_far += gain
        read += reach
        gained += reach * gain
        reach *= go_on(rank, gain, so_far)
        if not reach:
            break
    return gained / read


def insq(ranking: Ranking, measure: Measure) -> float:
    """C_i = ((i + 2T - 1) / (i + 2T))^2: a user who wants T documents (Moffat, Scholer and Thomas 2012)."""
    t = measure.number("T")
    return _utility(ranking, measure, lambda i, gain, so_far: _patience(i, 2 * t))


def inst(ranking: Ranking, measure: Measure) -> float:
    """C_i = ((i + T + T_i - 1) / (i + T + T_i))^2, where T_i is what is still wanted after rank i (Bailey et al. 2015)."""
    t = measure.number("T")
    return _utility(ranking, measure, lambda i, gain, so_far: _patience(i, t + t - so_far))


def _patience(i: int, wanted: float) -> float:
    return float(((i + wanted - 1) / (i + wanted)) ** 2)


def bejeweled(ranking: Ranking, measure: Measure) -> float:
    """BPM: a user reads on until T is gained or k documents are read (Zhang et al. 2017, static)."""
    t, k = measure.number("T"), measure.cutoff or RANKS
    return _utility(ranking, measure, lambda i, gain, so_far: float(so_far < t and i < k))


def scaled_dcg(ranking: Ranking, measure: Measure) -> float:
    """SDCG: DCG of the gains from 0 to 1, divided by that of k documents of the highest grade (cwl_eval: NDCG-k)."""
    k = measure.cutoff or RANKS
    gained = sum(_gain(grade, measure) / math.log2(rank + 1) for rank, grade in ranking.retrieved(k))
    return gained / sum(1 / math.log2(rank + 1) for rank in range(1, k + 1))


def nerr8(ranking: Ranking, measure: Measure) -> float:
    """C_i = 1 - gain, to rank k (Azzopardi, Mackenzie and Moffat 2021, equation 8)."""
    k = measure.cutoff or RANKS
    return _utility(ranking, measure, lambda i, gain, so_far: (1 - gain) * (i < k))


def nerr9(ranking: Ranking, measure: Measure) -> float:
    """C_i = i / (i + 1) (1 - gain), to rank k (equation 9)."""
    k = measure.cutoff or RANKS
    return _utility(ranking, measure, lambda i, gain, so_far: i / (i + 1) * (1 - gain) * (i < k))


def nerr10(ranking: Ranking, measure: Measure) -> float:
    """C_i = p (1 - gain) (equation 10)."""
    p = measure.number("p")
    return _utility(ranking, measure, lambda i, gain, so_far: p * (1 - gain))


def nerr11(ranking: Ranking, measure: Measure) -> float:
    """C_i = ((i + 2T - 1) / (i + 2T))^2 (1 - gain) (equation 11)."""
    t = measure.number("T")
    return _utility(ranking, measure, lambda i, gain, so_far: _patience(i, 2 * t) * (1 - gain))
