"""Intervals of means: one function that chooses the method by the kind of values, and the bootstrap.

The mean of values between 0 and 1 has an interval that holds at any number of queries: that of Clopper and Pearson for values
of 0 and 1, Gaffke's bound for others. ``docs/intervals.md`` has the simulation by which they were chosen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from .display import in_words, plural
from .errors import InputError, short
from .rankspace import Floats

Method = Literal["BCa", "percentile", "basic"]
"""The methods of scipy.stats.bootstrap."""

AUTO = "auto"
"""The method that is chosen by the kind of values."""

STUDENT, CLOPPER_PEARSON, GAFFKE, APPROXIMATE = "Student's t", "Clopper-Pearson", "Gaffke's bound", "BCa bootstrap, approximate"
"""The methods that are chosen."""

FEWEST_QUERIES = 10
"""The fewest queries whose resamples tell something of a weighted mean."""

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


SAMPLING = Sampling(resamples=1999)
"""How the intervals are drawn that stand in tables: at 95 %."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of a mean: ``low, high = interval`` takes it apart.

    ``method`` says how it was found, ``level`` is its confidence level, ``queries`` how many were averaged. Where there is none,
    ``low`` and ``high`` are NaN, and ``method`` is ``"none"`` with the reason: ``"none: equal values"``.
    """

    low: float
    high: float
    mean: float
    level: float
    method: str
    queries: int

    def __iter__(self) -> Iterator[float]:
        yield self.low
        yield self.high

    def __str__(self) -> str:
        if math.isnan(self.low):
            return f"{in_words(self.mean)}, no interval ({self.method.removeprefix('none: ')}), {plural(self.queries)}"
        inside = f"{self.low:.4f} to {self.high:.4f}"
        return f"{self.mean:.4f}, {100 * self.level:.6g} % interval {inside} ({self.method}, {plural(self.queries)})"


def mean_interval(
    values: Floats, weights: Floats | None = None, *, bounded: bool, sampling: Sampling = SAMPLING, method: str = AUTO
) -> Interval:
    """The interval of a mean, or of a weighted mean, by the method that holds for such values.

    Parameters
    ----------
    values : ndarray of float, shape (queries,)
        The values that are averaged; none is NaN.
    weights : ndarray of float, shape (queries,), optional
        What each is weighted with; for a micro average its denominator.
    bounded : bool
        Whether the measure lies between 0 and 1. Values beyond, as double credit gives, are taken for those of one that does not.
    sampling : Sampling
        The level of the interval is 1 - ``sampling.alpha``; a bootstrap draws as it says.
    method : str
        ``"auto"``, or a method of scipy.stats.bootstrap.

    Returns
    -------
    Interval
        Of values of 0 and 1 that of Clopper and Pearson; of other values between 0 and 1 Gaffke's bound on both sides, which is
        never of width 0; of a weighted mean a BCa bootstrap, which is approximate, from ten queries on; of the rest Student's t.
        The last two have none where all values are equal.

    References
    ----------
    Clopper, C. J., & Pearson, E. S. (1934). The use of confidence or fiducial limits. Biometrika, 26(4).
    Gaffke, N. (2005). Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative variable.
    Mathematical Methods of Statistics, 14(4).
    Learned-Miller, E., & Thomas, P. S. (2019). A new confidence interval for the mean of a bounded random variable.
    arXiv:1905.06208.

    Examples
    --------
    >>> print(mean_interval(np.array([1.0] * 10), bounded=True))
    1.0000, 95 % interval 0.6915 to 1.0000 (Clopper-Pearson, 10 queries)
    >>> print(mean_interval(np.array([0.5] * 10), bounded=True))
    0.5000, 95 % interval 0.3458 to 0.6542 (Gaffke's bound, 10 queries)
    """
    if weights is not None and len(weights) and np.ptp(weights) == 0:
        weights = None  # which weighs all alike
    name, (low, high) = _find_interval(values, weights, bounded, sampling, method)
    return Interval(low, high, _weighted(values, weights), 1 - sampling.alpha, name, len(values))


Ends = tuple[float, float]

NO_ENDS = (math.nan, math.nan)


def _find_interval(values: Floats, weights: Floats | None, bounded: bool, sampling: Sampling, method: str) -> tuple[str, Ends]:
    """The method and the ends; NaN where there is no interval, and why in place of the method."""
    n, alpha = len(values), sampling.alpha
    if not n:
        return "none: no query", NO_ENDS
    if method != AUTO:
        ends = bootstrap_interval(values, weights, method, sampling)  # type: ignore[arg-type]  # the caller has looked
        return (f"{method} bootstrap", ends) if n > 1 else ("none: one query", NO_ENDS)
    within = bounded and values.min() >= -NOISE and values.max() <= 1 + NOISE
    if weights is None and within:
        values = np.clip(values, 0.0, 1.0)
        hits = int(values.sum())
        if np.isin(values, (0.0, 1.0)).all():
            return CLOPPER_PEARSON, _clopper_pearson(hits, n, alpha)
        return GAFFKE, (1 - upper_bound(1 - values, alpha / 2), upper_bound(values, alpha / 2))
    if weights is not None and np.count_nonzero(weights) < FEWEST_QUERIES:
        return f"none: fewer than {FEWEST_QUERIES} queries, of which a bootstrap tells nothing", NO_ENDS
    if n < 2:
        return "none: one query", NO_ENDS
    if np.ptp(values) <= NOISE:
        return "none: equal values", NO_ENDS
    if weights is not None:
        return APPROXIMATE, bootstrap_interval(values, weights, "BCa", sampling)
    return STUDENT, student_interval(values, alpha)


def _weighted(values: Floats, weights: Floats | None) -> float:
    """The mean, exact whatever the order; NaN of no value."""
    if weights is None:
        return math.fsum(values.tolist()) / len(values) if len(values) else math.nan
    total = math.fsum(weights.tolist())
    return math.fsum((values * weights).tolist()) / total if total else 0.0


def student_interval(values: Floats, alpha: float) -> Ends:
    """Student's interval of a mean at 1 - alpha; NaN for fewer than two values."""
    from scipy import special  # noqa: PLC0415  # takes 0.25 s to import, and few uses need it; scipy.stats takes 0.7 s

    n = len(values)
    if n < 2:
        return NO_ENDS
    mean = math.fsum(values.tolist()) / n
    half = float(special.stdtrit(n - 1, 1 - alpha / 2) * values.std(ddof=1) / math.sqrt(n))
    return mean - half, mean + half


def _clopper_pearson(hits: int, n: int, alpha: float) -> Ends:
    """The exact interval of a share, as scipy.stats.binomtest has it, which takes 0.7 s to import."""
    from scipy import special  # noqa: PLC0415  # as above

    low = float(special.betaincinv(hits, n - hits + 1, alpha / 2)) if hits else 0.0
    high = float(special.betaincinv(hits + 1, n - hits, 1 - alpha / 2)) if hits < n else 1.0
    return low, high


def upper_bound(values: Floats, tail: float) -> float:
    """Gaffke's upper bound at 1 - tail of the mean of a variable in [0, 1], of which ``values`` are a sample.

    It is the quantile at 1 - tail of sum(weight * y), where y are the values and a 1, and the weights are drawn from
    Dirichlet(1, ..., 1); of values of 0 and 1 it is the bound of Clopper and Pearson.
    """
    from scipy import optimize  # noqa: PLC0415  # as above

    y, count = np.unique(np.append(values, 1.0), return_counts=True)
    n = len(values) + 1
    middle = float(count @ y) / n
    deviation = math.sqrt(float(count @ (y - middle) ** 2) / n / (n + 1))
    if not deviation:
        return 1.0  # all values are 1
    high = min(1.0, middle + 5 * deviation)
    if high < 1 and _share_above(high, y, count) > tail:
        high = 1.0
    if _share_above(middle, y, count) <= tail:
        return middle
    found = float(optimize.brentq(lambda t: _share_above(t, y, count) - tail, middle, high, xtol=1e-12))
    return round(found, 10)  # the last digits depend on how a processor adds up


def _share_above(t: float, y: Floats, count: Any) -> float:
    """The probability that sum(weight * y) is above t, with weights from Dirichlet(1, ..., 1), each y ``count`` times.

    It is that of sum(E * (y - t)) > 0 with independent exponential E: the integral of exp(K(s)) / s over a line beside the axis of
    imaginary numbers, where K(s) = -sum(log(1 - s (y - t))). The line goes through the saddle point, where K is 0, so that the
    integrand hardly oscillates (Daniels 1987); it falls off as a power of s, so that the steps grow as sinh does.
    """
    from scipy import optimize  # noqa: PLC0415  # as above

    if t >= 1:
        return 0.0
    a = y - t
    a = a / math.sqrt(float(count @ a**2))
    most = 1 / float(a[-1])  # where K ends

    def slope(c: float) -> float:  # of K
        return float(count @ (a / (1 - c * a)))

    saddle = float(optimize.brentq(slope, 0.0, most * (1 - 1e-12))) if slope(0.0) < 0 else 0.0
    saddle = max(saddle, min(0.5, most / 2))  # and not too near to the pole at 0
    b = a / (1 - saddle * a)
    scale, at_saddle = 1 / math.sqrt(float(count @ b**2)), -float(count @ np.log1p(-saddle * a))
    end = 8.0
    while end < 1e15 and float(count @ np.log1p((end * scale * b) ** 2)) < 64:
        end *= 2
    node, weight = _nodes(max(32, min(400, 20_000 // len(y))))
    half = math.asinh(end) / 2
    w = half * (node + 1)
    step = np.sinh(w) * scale
    by = b[:, None] * step
    size, phase = at_saddle - 0.5 * (count @ np.log1p(by * by)), count @ np.arctan(by)
    real = np.exp(size) * (np.cos(phase) * saddle + np.sin(phase) * step) / (saddle**2 + step**2)
    return float(half * weight @ (real * np.cosh(w) * scale)) / math.pi


@cache
def _nodes(n: int) -> tuple[Floats, Floats]:
    """The nodes and weights of Gauss and Legendre's rule on [-1, 1]."""
    node, weight = np.polynomial.legendre.leggauss(n)
    return node, weight


def bootstrap_interval(values: Floats, weights: Floats | None, method: Method, sampling: Sampling) -> Ends:
    """The bootstrap interval of a mean (with weights, of a weighted mean) at 1 - alpha; NaN for fewer than two values."""
    from scipy import stats  # noqa: PLC0415  # takes long to import, and few uses need it

    if len(values) < 2:
        return NO_ENDS
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
