"""Significance: the tests of paired differences, the correction of their p-values, and the power of a test."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, plain, short
from ..intervals import NO_ENDS, NOISE, Sampling, student_interval
from ..rankspace import Floats
from ..user_code import raising

Test = Literal["t", "permutation", "wilcoxon", "bootstrap", "sign", "tukey"]

TestFunction = Callable[[Floats], Any]
"""A test of one's own: of the paired differences, shape (queries,); it returns p, or an object that has it as ``pvalue``."""

Correction = Literal["holm", "bonferroni", "bh"]

PAndInterval = tuple[float, float, float]
"""A two-sided p-value, and the two ends of the interval of the mean difference."""

POWER = 0.8
"""The power at which a difference counts as detectable."""

MOST_QUERIES = 10**9
"""A difference that needs more queries cannot be shown."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """What the differences of two runs tell: their mean, its interval, a p-value, the effect size, what could be detected, how
    many queries would be needed.

    NaN where there is no such number: an interval of one query, an effect size without a spread.
    """

    delta: float
    low: float
    high: float
    p: float
    effect: float
    detectable: float
    needed: float


def contrast(differences: Floats, test: Test | TestFunction, sampling: Sampling, limit: float = math.inf) -> Contrast:
    """Test paired differences of shape (queries,), none of which can be beyond ``limit`` on either side.

    ``p`` is two-sided. ``low`` and ``high`` are the interval of the mean at 1 - alpha that belongs to the test,
    clipped to the limit; NaN where no query moved. ``effect`` is the mean over the standard
    deviation (Cohen's d for pairs). ``detectable`` is the mean that a t-test would show with a power of 80 %, and ``needed`` how
    many queries would show this one. Without any difference p is 1; where all queries moved by the same
    amount there is no spread to judge by, and p is that of the exact sign-flip test, 2 / 2^n.
    """
    return contrasts(differences[None, :], test, sampling, limit)[0]


def contrasts_of_runs(
    values: Floats, pairs: Sequence[tuple[int, int]], test: Test | TestFunction, sampling: Sampling, limit: float = math.inf
) -> list[Contrast]:
    """Test the differences of some pairs of runs (the first less the second), whose values are of shape (runs, queries)."""
    differences = np.array([values[i] - values[j] for i, j in pairs])
    if test != "tukey" or not values.size:
        return contrasts(differences, test, sampling, limit)
    if len(values) == 2:
        return contrasts(differences, "permutation", sampling, limit)
    untested, moved = contrasts(differences, _no_p, sampling), without_noise(differences).any(axis=1)
    return [
        replace(contrast, p=p, low=ends[0], high=ends[1])
        for contrast, moves, (p, low, high) in zip(untested, moved, _tukey(values, pairs, sampling), strict=True)
        for ends in [_clipped(low, high, limit) if moves else NO_ENDS]
    ]


def contrasts(differences: Floats, test: Test | TestFunction, sampling: Sampling, limit: float = math.inf) -> list[Contrast]:
    """Test several runs at once, of shape (runs, queries): what is drawn is drawn once for all."""
    d = without_noise(differences)
    if d.shape[1] == 0:
        return [Contrast(*[math.nan] * 7) for _ in d]
    varies = np.ptp(d, axis=1) > NOISE
    p_and_intervals = _by_function(test) if callable(test) else TESTS[test]
    results = iter(p_and_intervals(d[varies], sampling) if varies.any() else ())
    return [
        _contrast(row, next(results), sampling, limit) if v else _constant(row, sampling) for row, v in zip(d, varies, strict=True)
    ]


def _contrast(d: Floats, result: PAndInterval, sampling: Sampling, limit: float) -> Contrast:
    """The contrast of differences that vary, of which a test said something."""
    delta, deviation = math.fsum(d.tolist()) / len(d), float(d.std(ddof=1))
    p, low, high = result
    effect, detectable = delta / deviation, detectable_effect(len(d), sampling.alpha) * deviation
    needed = queries_to_show(effect, sampling.alpha) or math.nan
    return Contrast(delta, *_clipped(low, high, limit), p, effect, detectable, needed)


def _constant(d: Floats, sampling: Sampling) -> Contrast:
    """The contrast of differences that are all the same: p and interval are those of the exact sign-flip test."""
    delta = math.fsum(d.tolist()) / len(d)
    if not d.any():
        return Contrast(delta, *NO_ENDS, 1.0, 0.0, math.nan, math.nan)
    p = 2.0 ** (1 - len(d))
    ends = (delta, delta) if p < sampling.alpha else NO_ENDS
    return Contrast(delta, *ends, p, math.nan, math.nan, math.nan)


def _clipped(low: float, high: float, limit: float) -> tuple[float, float]:
    """An interval within what is possible; none where that has no end."""
    if math.isinf(limit) and math.isinf(high - low):
        return NO_ENDS
    return max(low, -limit), min(high, limit)


def without_noise(differences: Floats) -> Floats:
    """The differences with those that are mere rounding set to 0."""
    return np.where(np.abs(differences) < NOISE, 0.0, differences)


def _t(d: Floats, sampling: Sampling) -> list[PAndInterval]:
    """Student's t for pairs.

    As scipy.stats.ttest_1samp. But scipy.stats takes 0.7 s to import and scipy.special 0.25 s, where all that the command
    ``samescore compare`` does for two runs of the example takes 1.4 s.
    """
    from scipy import special  # noqa: PLC0415  # takes long to import, and not every use needs it

    n = d.shape[1]
    t = d.mean(axis=1) / (d.std(axis=1, ddof=1) / math.sqrt(n))
    return _with_intervals(2 * special.stdtr(n - 1, -np.abs(t)), d, sampling)


def _wilcoxon(d: Floats, sampling: Sampling) -> list[PAndInterval]:
    """Wilcoxon's signed ranks: queries without a difference are dropped; exact for up to 50 without ties."""
    from scipy import stats  # noqa: PLC0415  # as above

    return _with_intervals([stats.wilcoxon(row).pvalue for row in d], d, sampling)


def _permutation(d: Floats, sampling: Sampling) -> list[PAndInterval]:
    """Fisher's randomisation: the share of sign flips with a mean as far from 0; all flips where they are few, else drawn.

    As scipy.stats.permutation_test on one sample, which takes 30 times as long (scipy 1.18: 7.2 s rather than 0.24 s for
    20 runs, 3 measures and 1,000 queries). The interval holds every shift of the differences that the same flips do not reject:
    a flip is as far for the shifts between the mean of those flipped and the mean of the others.
    """
    n, draws = d.shape[1], sampling.resamples
    exact = n <= math.log2(draws)
    batches = [np.arange(2**n)[:, None] >> np.arange(n) & 1] if exact else _flips(n, sampling)
    reached = np.abs(d.sum(axis=1)) - 1e-12 * np.abs(d).sum(axis=1)  # sums that differ by rounding alone are equal
    as_far, highest, lowest = np.zeros(len(d)), [], []
    for flips in batches:
        flipped, times = flips.astype(np.float64) @ d.T, flips.sum(axis=1)[:, None]
        as_far += (np.abs(d.sum(axis=1) - 2 * flipped) >= reached).sum(axis=0)
        means = np.stack([flipped / np.maximum(times, 1), (d.sum(axis=1) - flipped) / np.maximum(n - times, 1)])
        splits = (times > 0) & (times < n)  # else all or none are flipped, which is as far whatever the shift
        highest.append(np.where(splits, means.max(axis=0), np.inf))
        lowest.append(np.where(splits, means.min(axis=0), -np.inf))
    total, more = (2**n, 0) if exact else (draws + 1, 1)
    spared = math.ceil(sampling.alpha * total - 1e-9) - more - 1  # where no more flips than these are as far, p is below alpha
    high, low = np.concatenate(highest), np.concatenate(lowest)
    if spared < 0:
        ends = [(-math.inf, math.inf)] * len(d)
    else:
        ends = list(zip(np.sort(low, axis=0)[spared], np.sort(high, axis=0)[-1 - spared], strict=True))
    return [(float(p), float(a), float(b)) for p, (a, b) in zip((as_far + more) / total, ends, strict=True)]


def _flips(n: int, sampling: Sampling) -> Iterator[NDArray[Any]]:
    """Which of n differences change their sign, drawn in batches of shape (flips, n)."""
    rng = np.random.default_rng(sampling.seed)
    for size in sampling.batches(n):
        yield np.unpackbits(rng.integers(0, 256, (size, n // 8 + 1), dtype=np.uint8), axis=1, count=n)


def _bootstrap(d: Floats, sampling: Sampling) -> list[PAndInterval]:
    """The share of resamples of the centred differences with a Student's t as far from 0 (Sakai 2006), and the BCa interval.

    The interval is that of scipy.stats.bootstrap, which takes 1.7 s (scipy 1.18: 20 runs, 3 measures and 1,000 queries) where
    p and interval from the same draws take 0.6 s; and its jackknife needs time and memory with the square of the queries.
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


def _sign(d: Floats, sampling: Sampling) -> list[PAndInterval]:
    """The exact sign test, as scipy.stats.binomtest: queries without a difference are dropped.

    The interval is that of the median difference: every shift that the test does not reject.
    """
    from scipy import special  # noqa: PLC0415  # as above

    n, wins, losses = d.shape[1], (d > 0).sum(axis=1), (d < 0).sum(axis=1)
    p = np.minimum(2 * special.bdtr(np.minimum(wins, losses), wins + losses, 0.5), 1.0)
    beyond = int(np.argmax(2 * special.bdtr(np.arange(n + 1), n, 0.5) >= sampling.alpha))  # so many on one side are no proof
    ordered = np.pad(np.sort(d, axis=1), ((0, 0), (1, 1)), constant_values=((0, 0), (-math.inf, math.inf)))
    ends = zip(ordered[:, beyond], ordered[:, n + 1 - beyond], strict=True)
    return [(float(value), float(low), float(high)) for value, (low, high) in zip(p, ends, strict=True)]


def _tukey(values: Floats, pairs: Sequence[tuple[int, int]], sampling: Sampling) -> list[PAndInterval]:
    """Tukey's HSD by randomisation (Carterette 2012; Sakai 2018): the share of orders of the runs, drawn anew within each query,
    whose means lie as far apart, the highest from the lowest; all orders where they are few.

    The interval is that of all pairs together: the difference, give or take the range that a share alpha of the orders reaches.
    """
    runs, n = values.shape
    if n * math.lgamma(runs + 1) <= math.log(sampling.resamples) + 1e-9:
        orders = np.array(list(permutations(range(runs))))
        every = np.arange(len(orders) ** n)[:, None] // len(orders) ** np.arange(n) % len(orders)
        ranges, observed = np.ptp(values.T[np.arange(n)[:, None], orders[every]].mean(axis=1), axis=1), 0
    else:
        rng = np.random.default_rng(sampling.seed)
        orderings = (np.broadcast_to(values.T, (size, n, runs)) for size in sampling.batches(n * runs))
        ranges = np.concatenate([np.ptp(rng.permuted(each, axis=2).mean(axis=1), axis=1) for each in orderings])
        observed = 1  # the order that was observed is one of those that are drawn from
    total = len(ranges) + observed
    least = math.ceil(sampling.alpha * total - 1e-9) - observed
    reach = float(np.sort(ranges)[-least]) if least else math.nan
    mean, rounding = values.mean(axis=1), 1e-12 * float(np.abs(values).max())  # means that differ by rounding alone are equal
    differences = [float(mean[i] - mean[j]) for i, j in pairs]
    return [((float((ranges >= abs(d) - rounding).sum()) + observed) / total, d - reach, d + reach) for d in differences]


def _no_p(differences: Floats) -> float:
    """The test that stands where p is found for all pairs together."""
    return 1.0


def _by_function(test: TestFunction) -> Callable[[Floats, Sampling], list[PAndInterval]]:
    """A test by a function of one's own, without intervals. Raises InputError where it raises or returns no p."""
    return lambda d, sampling: [(_p_of(test, row.copy()), math.nan, math.nan) for row in d]


def _p_of(test: TestFunction, differences: Floats) -> float:
    """The p that the function of a test returns."""
    hint = "a number from 0 to 1, or an object with one as pvalue, as scipy.stats.ttest_1samp(differences, 0) returns"
    with raising("the function of the test raised", InputError, hint=hint):
        returned = test(differences)
        p: Any = getattr(returned, "pvalue", returned)
        is_number = isinstance(p, Real) and not isinstance(p, bool)
        if (is_number or (isinstance(p, np.ndarray) and p.ndim == 0)) and 0 <= p <= 1:
            return float(p)
    raise InputError(f"the function of the test returned {short(returned)}", hint=hint)


def name_of(test: Test | TestFunction) -> str:
    """What a test is called: a function by its module and name.

    >>> name_of("t"), name_of(math.fsum)
    ('t', 'math:fsum')
    """
    if not callable(test):
        return test
    named = test if hasattr(test, "__qualname__") else type(test)  # an object that can be called, such as functools.partial
    return plain(f"{named.__module__}:{named.__qualname__}")


def _with_intervals(p: Iterable[float], d: Floats, sampling: Sampling) -> list[PAndInterval]:
    """Each p-value with Student's interval."""
    return [(float(value), *student_interval(row, sampling.alpha)) for value, row in zip(p, d, strict=True)]


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


TESTS: Mapping[Test, Callable[[Floats, Sampling], list[PAndInterval]]] = {
    "t": _t,
    "permutation": _permutation,
    "wilcoxon": _wilcoxon,
    "bootstrap": _bootstrap,
    "sign": _sign,
    "tukey": _permutation,  # which it is for two runs
}
"""Test -> the two-sided p-values and the intervals of differences, of shape (runs, queries), that are not all the same."""


CORRECTIONS: Mapping[Correction | None, Callable[[Floats], Floats]] = {
    None: lambda p: p,
    "bonferroni": lambda p: p * len(p),
    "holm": lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1)),
    "bh": lambda p: np.minimum.accumulate((p * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1],
}
"""Correction -> the corrected p-values of one family in ascending order, before those above 1 are 1.

``"bh"`` is scipy.stats.false_discovery_control, without the 0.4 s that scipy.stats takes to import beside scipy.special.
"""


def corrected(p: Sequence[float], correction: Correction | None) -> list[float]:
    """The p-values of one family, corrected for their number; NaN stays NaN and does not count.

    Holm (1979) and Bonferroni bound the chance of any false claim, ``"bh"`` (Benjamini and Hochberg 1995) the share of
    false ones.

    >>> corrected([0.01, 0.04, 0.03], "holm")
    [0.03, 0.06, 0.06]
    """
    values = np.array(p, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(values))
    ascending = known[np.argsort(values[known], kind="stable")]
    values[ascending] = CORRECTIONS[correction](values[ascending])
    return [float(value) for value in np.minimum(values, 1.0)]


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


def queries_to_show(effect: float, alpha: float, power: float = POWER) -> int | None:
    """How many queries a two-sided paired t-test needs to show an effect size with a power; None where none would do.

    The power is that of the noncentral t distribution, which grows with the number of queries.
    """
    size = abs(effect)
    if not size > MOST_QUERIES**-0.5:  # also NaN
        return None

    def enough(n: int) -> bool:
        return _power(size * math.sqrt(n), n, alpha) >= power

    most = 2
    while not enough(most):
        most *= 2
        if most > MOST_QUERIES:
            return None
    return 2 + bisect_left(range(2, most), True, key=enough)


def _power(shift: float, n: int, alpha: float) -> float:
    """The chance that a t with n - 1 degrees of freedom and noncentrality ``shift`` lies beyond the critical value.

    scipy.special.nctdtr and scipy.stats.nct (1.18 and before) answer NaN for some large shifts; then the deviation is integrated
    out here.
    """
    from scipy import integrate, special  # noqa: PLC0415  # as above

    freedom = n - 1
    critical = float(special.stdtrit(freedom, 1 - alpha / 2))
    power = 1 - float(special.nctdtr(freedom, shift, critical)) + float(special.nctdtr(freedom, shift, -critical))
    if not math.isnan(power):
        return power

    def beyond(u: float) -> float:
        deviation = critical * math.sqrt(special.chdtri(freedom, 1 - u) / freedom)
        return float(special.ndtr(shift - deviation) + special.ndtr(-shift - deviation))

    return float(integrate.quad(beyond, 0.0, 1.0, limit=200)[0])


def kendall_tau(a: Sequence[float], b: Sequence[float]) -> float:
    """Kendall's tau-b of two lists of numbers; NaN for fewer than two, or where all of one are equal."""
    from scipy import stats  # noqa: PLC0415  # as above

    return float(stats.kendalltau(a, b).statistic) if len(a) > 1 else math.nan
