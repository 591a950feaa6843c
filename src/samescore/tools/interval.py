"""interval: how far the mean of a result may be off, by the method that holds for its values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from ..averaging import Weighting
from ..errors import InputError, InputTypeError, is_word, short
from ..intervals import AUTO, Interval, Method, Sampling
from ..result import Result

__all__ = ["Interval", "interval"]


def interval(
    result: Result,
    measure: object,
    *,
    level: float = 0.95,
    weights: Any = None,
    method: Literal["auto"] | Method = "auto",
    resamples: int = 9999,
    seed: int = 0,
) -> Interval:
    """Find the interval of a mean of a result, over its queries; of a count, that of its mean and not of its sum.

    Parameters
    ----------
    result : Result
        What :func:`samescore.evaluate` returned.
    measure : str or Measure
        One of its measures.
    level : float, default 0.95
        The confidence level, between 0 and 1.
    weights : mapping, Series or DataFrame, optional
        {query: weight}, for the interval of a weighted mean; those of the result by default.
    method : {"auto", "BCa", "percentile", "basic"}, default "auto"
        ``"auto"``: of values of 0 and 1 the exact interval of Clopper and Pearson; of other measures between 0 and 1 Gaffke's bound
        on both sides, which holds at any number of queries and is never of width 0; of unbounded measures Student's t; of a micro
        average or with weights the BCa bootstrap, which is approximate, from ten queries on. The others are those of
        ``scipy.stats.bootstrap``.
    resamples : int, default 9999
        How many resamples of the queries are drawn by a bootstrap.
    seed : int, default 0
        Where the draws start: the same seed gives the same interval.

    Returns
    -------
    Interval
        ``low`` and ``high``, with the mean and how they were found; NaN where there is none, and why.

    Raises
    ------
    ResultKeyError
        For a measure that the result lacks.
    InputError
        For an unknown method, a level outside 0 to 1, and fewer than 99 resamples.

    References
    ----------
    Clopper, C. J., & Pearson, E. S. (1934). The use of confidence or fiducial limits. Biometrika, 26(4).
    Learned-Miller, E., & Thomas, P. S. (2019). A new confidence interval for the mean of a bounded random variable.
    arXiv:1905.06208.
    Efron, B. (1987). Better bootstrap confidence intervals. Journal of the American Statistical Association, 82(397).

    Examples
    --------
    >>> from samescore import evaluate
    >>> result = evaluate({"q1": ["d1"], "q2": ["x"]}, {"q1": {"d1": 1}, "q2": {"d2": 1}}, k=1, backend="reference")
    >>> print(interval(result, "R@1"))
    0.5000, 95 % interval 0.0126 to 0.9874 (Clopper-Pearson, 2 queries)
    """
    if not isinstance(result, Result):
        raise InputTypeError(f"{short(result)} is no Result", hint="interval(evaluate(run, qrels), measure)")
    if not is_word(method, names := (AUTO, *get_args(Method))):
        raise InputError(f"method cannot be {short(method)}", hint=", ".join(map(repr, names)))
    if not isinstance(level, (int, float)) or not 0 < level < 1:
        raise InputError(f"level is {short(level)}", hint="a number between 0 and 1, such as 0.95")
    column = result.column(measure)
    if weights is not None:
        weighting = Weighting.of("macro", weights)
        weighting.refuse_unknown(result.queries)
        column = replace(column, weights=weighting.weights(result.queries, ~np.isnan(column.values)))
    return column.interval(Sampling(1 - level, resamples, seed), method)
