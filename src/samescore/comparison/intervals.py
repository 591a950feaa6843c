"""interval: how sure a mean is, by bootstrap over the queries."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

import numpy as np

from ..averaging import mean
from ..errors import InputError, InputTypeError, short
from ..result import Result
from ..significance import Method, Sampling, bootstrapped


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
