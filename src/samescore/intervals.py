"""Intervals of means: Student's, and by bootstrap; for a micro average over what varies as it does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .errors import InputError, short
from .rankspace import Floats

Method = Literal["BCa", "percentile", "basic"]

NOISE = 1e-9
"""A difference below this is rounding of one library or another, and counts as none."""

FEWEST = 99
"""The fewest resamples whose p can be as small as 0.01."""

MOST = 10_000_000
"""The most resamples that are drawn, which takes minutes."""

LARGEST_SEED = 2**64 - 1
"""A seed of more digits is a mistake."""

BATCH = 500_000
"""How many resampled numbers are held at once."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a test or interval draws: ``alpha``, the number of ``resamples``, and the ``seed`` that every draw starts from."""

    alpha: float = 0.05
    resamples: int = 9999
    seed: int = 0

    def __post_init__(self) -> None:
        for name, number, least, most in (("resamples", self.resamples, FEWEST, MOST), ("seed", self.seed, 0, LARGEST_SEED)):
            if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
                raise InputError(f"{name} is {short(number)}", hint=f"a whole number of at least {least} and at most {most:,}")

    def batch(self, n: int) -> int:
        """How many resamples of n numbers are drawn at once."""
        return min(self.resamples, max(1, BATCH // n))

    def batches(self, n: int) -> list[int]:
        """The sizes of the batches in which all resamples of n numbers are drawn."""
        size = self.batch(n)
        return [min(size, self.resamples - begin) for begin in range(0, self.resamples, size)]


def mean_interval(values: Floats, alpha: float) -> tuple[float, float]:
    """Student's interval of a mean at 1 - alpha; NaN for fewer than two values."""
    from scipy import special  # noqa: PLC0415  # takes 0.25 s to import, and few uses need it; scipy.stats takes 0.7 s

    n = len(values)
    if n < 2:
        return math.nan, math.nan
    mean = math.fsum(values.tolist()) / n
    half = float(special.stdtrit(n - 1, 1 - alpha / 2) * values.std(ddof=1) / math.sqrt(n))
    return mean - half, mean + half


def bootstrap_interval(values: Floats, weights: Floats | None, method: Method, sampling: Sampling) -> tuple[float, float]:
    """The bootstrap interval of a mean (with weights, of a weighted mean) at 1 - alpha; NaN for fewer than two values."""
    from scipy import stats  # noqa: PLC0415  # takes long to import, and few uses need it

    if len(values) < 2:
        return math.nan, math.nan
    if float(np.ptp(values)) <= NOISE:
        return float(values.mean()), float(values.mean())
    interval = stats.bootstrap(
        (values,) if weights is None else (values, weights),
        _weighted_mean,
        paired=True,
        vectorized=True,
        method=method,
        confidence_level=1 - sampling.alpha,
        n_resamples=sampling.resamples,
        rng=np.random.default_rng(sampling.seed),
        batch=sampling.batch(len(values)),
    ).confidence_interval
    return float(interval.low), float(interval.high)


def _weighted_mean(values: Floats, weights: Floats | None = None, axis: int = -1) -> Any:
    """The mean of samples, or their weighted mean."""
    if weights is None:
        return values.mean(axis=axis)
    total = weights.sum(axis=axis)
    return (values * weights).sum(axis=axis) / np.where(total == 0, 1.0, total)


def linearised(values: Floats, weight: Floats) -> Floats:
    """One number a query whose mean is the micro average, and whose spread is that of the micro average to first order.

    The ratio r of two sums varies as the mean of r + (numerator - r denominator) / mean denominator does (Cochran 1977,
    Sampling Techniques, chapter 6). Shapes (queries,).
    """
    total = weight.sum()
    if total == 0:
        return np.zeros_like(values)
    ratio = (values * weight).sum() / total
    return ratio + (values - ratio) * weight * len(weight) / total
