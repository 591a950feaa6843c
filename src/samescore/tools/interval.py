"""interval: how far the mean of a result may be off, by bootstrap over its queries."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

import numpy as np

from ..averaging import mean
from ..display import in_words, plural
from ..errors import InputError, InputTypeError, short
from ..intervals import Method, Sampling, bootstrap_interval
from ..result import Result


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of a mean: ``low, high = interval`` takes it apart. NaN over fewer than two queries, as the mean is over none.

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
            return f"{in_words(self.mean)}, no interval: {plural(self.queries)}"
        inside = f"{self.low:.4f} to {self.high:.4f}"
        return f"{self.mean:.4f}, {100 * self.level:.6g} % interval {inside} ({self.method} bootstrap over {self.queries} queries)"


def interval(
    result: Result, measure: object, *, level: float = 0.95, method: Method = "BCa", resamples: int = 9999, seed: int = 0
) -> Interval:
    """Find the bootstrap interval of a mean of a result, over its queries; of a count, that of its mean and not of its sum.

    Parameters
    ----------
    result : Result
        What :func:`samescore.evaluate` returned.
    measure : str or Measure
        One of its measures.
    level : float, default 0.95
        The confidence level, between 0 and 1.
    method : {"BCa", "percentile", "basic"}, default "BCa"
        The method of ``scipy.stats.bootstrap``; BCa is bias-corrected and accelerated.
    resamples : int, default 9999
        How many resamples of the queries are drawn.
    seed : int, default 0
        Where the draws start: the same seed gives the same interval.

    Returns
    -------
    Interval
        ``low`` and ``high``, with the mean and how they were found.

    Raises
    ------
    ResultKeyError
        For a measure that the result lacks.
    InputError
        For an unknown method, a level outside 0 to 1, and fewer than 99 resamples.

    References
    ----------
    Efron, B. (1987). Better bootstrap confidence intervals. Journal of the American Statistical Association, 82(397).

    Examples
    --------
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
    by_query, weight_by_query = result.values_of(measure), result.weights_of(measure)
    values = np.array(list(by_query.values()), dtype=np.float64)
    weights = None if weight_by_query is None else np.array(list(weight_by_query.values()), dtype=np.float64)
    low, high = bootstrap_interval(values, weights, method, Sampling(1 - level, resamples, seed))
    return Interval(low, high, mean(values, weights)[0] if len(values) else math.nan, level, method, len(values))
