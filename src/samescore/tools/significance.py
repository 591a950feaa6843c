"""Significance: what paired differences and values tell, by scipy: tests, intervals, corrections, the power of a test."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..averaging import mean, mean_interval
from ..errors import InputError, InputTypeError, short
from ..rankspace import Floats
from ..result import Result

Test = Literal["t", "permutation", "wilcoxon", "bootstrap"]

Correction = Literal["holm", "bonferroni", "bh"]

Method = Literal["BCa", "percentile", "basic"]

NOISE = 1e-9
"""A difference below this is rounding of one library or another, and counts as none."""

Told = tuple[float, float, float]
"""A p-value and the two ends of an interval."""

POWER = 0.8
"""The power at which a difference counts as detectable."""

FEWEST = 99
"""The fewest resamples whose p can be as small as 0.01."""

BATCH = 500_000
"""How many resampled numbers are held at once."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a test or interval draws: ``alpha``, the number of ``resamples``, and the ``seed`` that every draw starts from."""

    alpha: float = 0.05
    resamples: int = 9999
    seed: int = 0

    def __post_init__(self) -> None:
        for name, number, least in (("resamples", self.resamples, FEWEST), ("seed", self.seed, 0)):
            if isinstance(number, bool) or not isinstance(number, int) or number < least:
                raise InputError(f"{name} is {short(number)}", hint=f"a whole number of at least {least}")

    def batches(self, n: int) -> list[int]:
        """How many samples of n numbers are drawn at once, until all are."""
        size = max(1, BATCH // n)
        return [min(size, self.resamples - begin) for begin in range(0, self.resamples, size)]


@dataclass(frozen=True, slots=True)
class Contrast:
    """What the differences of two runs tell: their mean, its interval, a p-value, the effect size, what could be detected.

    NaN where there is no such number: an interval of one query, an effect size without a spread.
    """

    delta: float
    low: float
    high: float
    p: float
    effect: float
    detectable: float


def contrast(differences: Floats, test: Test, sampling: Sampling) -> Contrast:
    """What paired differences of shape (queries,) tell.

    ``p`` is two-sided. ``low`` and ``high`` bound the mean at 1 - alpha: Student's t, or for ``"bootstrap"`` the BCa
    bootstrap (Efron 1987). ``effect`` is the mean over the standard deviation (Cohen's d for pairs). ``detectable`` is the
    mean that a t-test would show with a power of 80 %. Without any difference p is 1; where all queries moved by the same
    amount there is no spread to judge by, and p is that of the exact sign-flip test, 2 / 2^n.
    """
    return contrasts(differences[None, :], test, sampling)[0]


def contrasts(differences: Floats, test: Test, sampling: Sampling) -> list[Contrast]:
    """The same for several runs at once, of shape (runs, queries): what is drawn is drawn once for all."""
    d = without_noise(differences)
    if d.shape[1] == 0:
        return [Contrast(*[math.nan] * 6) for _ in d]
    spread = np.ptp(d, axis=1) > NOISE
    judged = iter(TESTS[test](d[spread], sampling) if spread.any() else ())
    return [_moved(row, next(judged), sampling) if moved else _alike(row, sampling) for row, moved in zip(d, spread, strict=True)]


def _moved(d: Floats, told: Told, sampling: Sampling) -> Contrast:
    """The contrast of differences that are not all the same."""
    delta, deviation = math.fsum(d.tolist()) / len(d), float(d.std(ddof=1))
    p, low, high = told
    return Contrast(delta, low, high, p, delta / deviation, detectable_effect(len(d), sampling.alpha) * deviation)


def _alike(d: Floats, sampling: Sampling) -> Contrast:
    """The contrast of differences that are all the same."""
    p, effect = (2.0 ** (1 - len(d)), math.nan) if d.any() else (1.0, 0.0)
    return Contrast(math.fsum(d.tolist()) / len(d), *mean_interval(d, sampling.alpha), p, effect, math.nan)


def without_noise(differences: Floats) -> Floats:
    """The differences with those that are mere rounding set to 0."""
    return np.where(np.abs(differences) < NOISE, 0.0, differences)


def _t(d: Floats, sampling: Sampling) -> list[Told]:
    """Student's t for pairs."""
    from scipy import special  # noqa: PLC0415  # takes long to import, and not every use needs it

    n = d.shape[1]
    t = d.mean(axis=1) / (d.std(axis=1, ddof=1) / math.sqrt(n))
    return _with_intervals(2 * special.stdtr(n - 1, -np.abs(t)), d, sampling)


def _wilcoxon(d: Floats, sampling: Sampling) -> list[Told]:
    """Wilcoxon's signed ranks: queries without a difference are dropped; exact for up to 50 without ties."""
    from scipy import stats  # noqa: PLC0415  # as above

    return _with_intervals([stats.wilcoxon(row).pvalue for row in d], d, sampling)


def _permutation(d: Floats, sampling: Sampling) -> list[Told]:
    """Fisher's randomisation: the share of sign flips with a mean as far from 0; all flips where they are few, else drawn.

    As scipy.stats.permutation_test on one sample, which takes ten times as long for thousands of queries.
    """
    n, total = d.shape[1], d.sum(axis=1)
    reached = np.abs(total) - 1e-12 * np.abs(d).sum(axis=1)  # sums that differ by rounding alone are equal
    if n <= math.log2(sampling.resamples):
        every = np.arange(2**n)[:, None] >> np.arange(n) & 1
        return _with_intervals(_as_far(every, d, reached) / 2**n, d, sampling)
    rng, as_far = np.random.default_rng(sampling.seed), np.zeros(len(d))
    for size in sampling.batches(n):
        drawn = np.unpackbits(rng.integers(0, 256, (size, n // 8 + 1), dtype=np.uint8), axis=1, count=n)
        as_far += _as_far(drawn, d, reached)
    return _with_intervals((as_far + 1) / (sampling.resamples + 1), d, sampling)


def _as_far(flips: NDArray[Any], d: Floats, reached: Floats) -> Floats:
    """How many of the flips, of shape (flips, queries), bring the sum as far from 0, for each run."""
    sums = d.sum(axis=1) - 2 * (flips.astype(np.float64) @ d.T)
    return (np.abs(sums) >= reached).sum(axis=0).astype(np.float64)


def _bootstrap(d: Floats, sampling: Sampling) -> list[Told]:
    """The share of resamples of the centred differences with a Student's t as far from 0 (Sakai 2006), and the BCa interval.

    As scipy.stats.bootstrap on the same draws, whose jackknife takes the square of the number of queries.
    """
    n, mean = d.shape[1], d.mean(axis=1)
    centred, rng = d - mean[:, None], np.random.default_rng(sampling.seed)
    means, sizes = [], []
    for size in sampling.batches(n):
        drawn = rng.integers(0, n, (size, n)) + n * np.arange(size)[:, None]
        times = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)
        means.append(times @ centred.T / n)
        sizes.append(_size_of_t(means[-1], times @ (centred**2).T / n))
    observed = _size_of_t(mean, (d**2).mean(axis=1))
    as_far = (np.concatenate(sizes) >= observed * (1 - 1e-12)).sum(axis=0)
    intervals = [_bca(*pair, sampling.alpha) for pair in zip(np.concatenate(means).T, centred, strict=True)]
    p = (as_far + 1) / (sampling.resamples + 1)
    return [(float(p[i]), mean[i] + low, mean[i] + high) for i, (low, high) in enumerate(intervals)]


def _with_intervals(p: Iterable[float], d: Floats, sampling: Sampling) -> list[Told]:
    """Each p-value with Student's interval."""
    return [(float(value), *mean_interval(row, sampling.alpha)) for value, row in zip(p, d, strict=True)]


def _size_of_t(mean: Floats, mean_square: Floats) -> Floats:
    """The size of Student's t but for a factor of n alone; infinite where there is a mean and no spread."""
    with np.errstate(divide="ignore", invalid="ignore"):
        size: Floats = np.abs(mean) / np.sqrt(np.maximum(mean_square - mean**2, 0.0))
    return np.nan_to_num(size, nan=0.0, posinf=np.inf)


def _bca(means: Floats, centred: Floats, alpha: float) -> tuple[float, float]:
    """The bias-corrected and accelerated interval of a mean of 0 (Efron 1987), from the means of resamples."""
    from scipy import special  # noqa: PLC0415  # as above

    rounding = 1e-12 * float(np.abs(centred).max())  # a resample that holds each query once has a mean of 0 but for this
    bias = special.ndtri(((means < -rounding).mean() + (means <= rounding).mean()) / 2)
    acceleration = (centred**3).sum() / (6 * (centred**2).sum() ** 1.5)
    shifted = bias + special.ndtri(np.array([alpha / 2, 1 - alpha / 2]))
    low, high = np.quantile(means, special.ndtr(bias + shifted / (1 - acceleration * shifted)))
    return float(low), float(high)


TESTS: Mapping[Test, Callable[[Floats, Sampling], list[Told]]] = {
    "t": _t,
    "permutation": _permutation,
    "wilcoxon": _wilcoxon,
    "bootstrap": _bootstrap,
}
"""Test -> the two-sided p-values and the intervals of differences, of shape (runs, queries), that are not all the same."""


def bootstrapped(values: Floats, weights: Floats | None, method: Method, sampling: Sampling) -> tuple[float, float]:
    """The bootstrap interval of a mean (with weights, of a weighted mean) at 1 - alpha; NaN for fewer than two values."""
    from scipy import stats  # noqa: PLC0415  # as above

    if len(values) < 2:
        return math.nan, math.nan
    if float(np.ptp(values)) <= NOISE:
        return float(values.mean()), float(values.mean())
    data = (values,) if weights is None else (values, weights)
    interval = stats.bootstrap(
        data,
        _weighted,
        paired=True,
        vectorized=True,
        method=method,
        confidence_level=1 - sampling.alpha,
        n_resamples=sampling.resamples,
        rng=np.random.default_rng(sampling.seed),
        batch=max(1, BATCH // len(values)),
    ).confidence_interval
    return float(interval.low), float(interval.high)


def _weighted(values: Floats, weights: Floats | None = None, axis: int = -1) -> Any:
    """The mean of samples, or their weighted mean."""
    if weights is None:
        return values.mean(axis=axis)
    total = weights.sum(axis=axis)
    return (values * weights).sum(axis=axis) / np.where(total == 0, 1.0, total)


def corrected(p: Sequence[float], correction: Correction | None) -> list[float]:
    """The p-values of one family, corrected for their number; NaN stays NaN and does not count.

    Holm (1979) and Bonferroni bound the chance of any false claim, ``"bh"`` (Benjamini and Hochberg 1995) the share of
    false ones.

    >>> corrected([0.01, 0.04, 0.03], "holm")
    [0.03, 0.06, 0.06]
    """
    values = np.array(p, dtype=np.float64)
    there = np.flatnonzero(~np.isnan(values))
    order = there[np.argsort(values[there], kind="stable")]
    m = len(order)
    ordinal = np.arange(1, m + 1)
    if correction == "bonferroni":
        values[order] = values[order] * m
    elif correction == "holm":
        values[order] = np.maximum.accumulate(values[order] * (m + 1 - ordinal))
    elif correction == "bh":
        values[order] = np.minimum.accumulate((values[order] * m / ordinal)[::-1])[::-1]
    return [float(v) for v in np.minimum(values, 1.0)]


@cache
def detectable_effect(n: int, alpha: float) -> float:
    """The smallest effect size that a two-sided paired t-test of n queries shows with a power of 80 %; NaN below two.

    The power is that of the noncentral t distribution (Cohen 1988).
    """
    from scipy import optimize  # noqa: PLC0415  # as above

    if n < 2:
        return math.nan
    if alpha >= POWER:
        return 0.0  # such a test says yes in so many cases that nothing need differ
    high = 1.0
    while _power(high, n, alpha) < POWER:
        high *= 2
    return float(optimize.brentq(lambda shift: _power(shift, n, alpha) - POWER, 0.0, high)) / math.sqrt(n)


def _power(shift: float, n: int, alpha: float) -> float:
    """The chance that a t with n - 1 degrees of freedom and noncentrality ``shift`` lies beyond the critical value.

    scipy.stats.nct (1.18 and before) answers NaN for large shifts, so the deviation is integrated out here.
    """
    from scipy import integrate, special  # noqa: PLC0415  # as above

    freedom = n - 1
    critical = float(special.stdtrit(freedom, 1 - alpha / 2))

    def beyond(u: float) -> float:
        deviation = critical * math.sqrt(special.chdtri(freedom, 1 - u) / freedom)
        return float(special.ndtr(shift - deviation) + special.ndtr(-shift - deviation))

    return float(integrate.quad(beyond, 0.0, 1.0, limit=200)[0])


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of a mean: ``low, high = interval`` takes it apart. NaN over fewer than two queries.

    ``method`` is that of scipy.stats.bootstrap, ``level`` its confidence level, ``queries`` how many were averaged.
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
            return f"{self.mean:.4f}, no interval: {self.queries} {'query' if self.queries == 1 else 'queries'}"
        inside = f"{self.low:.4f} to {self.high:.4f}"
        return f"{self.mean:.4f}, {100 * self.level:.6g} % interval {inside} ({self.method} bootstrap over {self.queries} queries)"


def interval(
    result: Result, measure: object, *, level: float = 0.95, method: Method = "BCa", resamples: int = 9999, seed: int = 0
) -> Interval:
    """The bootstrap interval of a mean of a result, over its queries; of a count, that of its mean and not of its sum.

    ``method`` is ``"BCa"`` (bias-corrected and accelerated, Efron 1987), ``"percentile"`` or ``"basic"``, all by
    scipy.stats.bootstrap; the same ``seed`` gives the same interval.

    Raises ResultKeyError for a measure that the result lacks, InputError for an unknown method and a level outside 0 to 1.

    >>> from samescore import evaluate
    >>> result = evaluate({"q1": ["d1"], "q2": ["x"]}, {"q1": {"d1": 1}, "q2": {"d2": 1}}, k=1, backend="reference")
    >>> low, high = interval(result, "R@1", method="percentile")
    >>> low, high
    (0.0, 1.0)
    """
    if not isinstance(result, Result):
        raise InputTypeError(f"{short(result)} is no Result", hint="interval(evaluate(run, qrels), measure)")
    if method not in get_args(Method):
        raise InputError(f"method cannot be {short(method)}", hint=", ".join(map(repr, get_args(Method))))
    if not isinstance(level, (int, float)) or not 0 < level < 1:
        raise InputError(f"level is {short(level)}", hint="a number between 0 and 1, such as 0.95")
    values, weights = result.values_of(measure), result.weights_of(measure)
    numbers = np.array(list(values.values()), dtype=np.float64)
    denominators = None if weights is None else np.array(list(weights.values()), dtype=np.float64)
    low, high = bootstrapped(numbers, denominators, method, Sampling(1 - level, resamples, seed))
    return Interval(low, high, mean(numbers, denominators)[0], level, method, len(numbers))
