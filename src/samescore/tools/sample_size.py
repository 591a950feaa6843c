"""needed_queries: how many queries would show a difference between two runs, from how they differ on the queries at hand."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from ..averaging import Weighting
from ..errors import InputError, InputTypeError, setting, short
from ..measures import parse
from ..policy import Policy
from ..rankspace import Floats
from ..result import Result
from .comparison import pair_runs
from .runs import of_run
from .scores import Scores, column_key, scores_of
from .significance import POWER, queries_to_show, without_noise


def needed_queries(
    a: Any, b: Any = None, measure: Any = None, *, delta: float = 0.02, power: float = POWER, alpha: float = 0.05
) -> int:
    """Find how many queries would show a difference of ``delta`` between two runs.

    Parameters
    ----------
    a, b : Result, or values by query as :func:`samescore.compare` takes them
        Two runs, of which the spread of the differences is taken. Without ``b``, ``a`` holds the differences themselves, one for
        each query: a list, an array, or {query: difference}.
    measure : str or Measure, optional
        Which values are compared; it can be left out where there is one measure, and for differences.
    delta : float, default 0.02
        The mean difference that is to be shown.
    power : float, default 0.8
        The probability with which it is shown, where it is there.
    alpha : float, default 0.05
        The level of significance of the test, which is Student's paired t, two-sided.

    Returns
    -------
    int
        The smallest number of queries whose test has the power (Cohen 1988), given that other queries differ as these do.

    Raises
    ------
    InputError
        Where fewer than two queries have a difference, or all the same, so that there is no spread to go by; and for a number that
        makes no sense.
    MeasureError
        For a measure that one of the two lacks.

    References
    ----------
    Cohen, J. (1988). Statistical power analysis for the behavioral sciences. 2nd edition.
    Sakai, T. (2016). Topic set size design. Information Retrieval Journal, 19(3).

    Examples
    --------
    >>> needed_queries([0.1, -0.1] * 10, delta=0.05)
    36
    """
    for name, number, most in (("delta", delta, math.inf), ("power", power, 1.0), ("alpha", alpha, 1.0)):
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 < number < most or number > sys.float_info.max:
            raise InputError(f"{name} is {short(number)}", hint=setting(name, {"delta": 0.02, "power": 0.8}.get(name, 0.05)))
    differences = without_noise(_numbers(a) if b is None else _paired(a, b, measure))
    deviation = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    if not deviation:
        what = f"{len(differences)} differences without a spread do not tell how much others would vary"
        raise InputError(what, hint="two runs that differ for some queries and not for others")
    needed = queries_to_show(delta / deviation, alpha, power)
    if needed is None:
        raise InputError(f"no number of queries shows a difference of {delta:g}", hint=setting("delta", 0.02))
    return needed


def _numbers(differences: Any) -> Floats:
    """Differences by query, as an array."""
    if isinstance(differences, Result):
        raise InputTypeError("one result has no differences", hint="needed_queries(a, b, measure), of two results")
    values = differences.values() if isinstance(differences, Mapping) else differences
    try:
        numbers = list(values)
    except TypeError:
        numbers = [values]
    if not all(isinstance(number, (Real, np.generic)) and math.isfinite(number) for number in numbers):
        raise InputTypeError(f"differences cannot be {short(differences)}", hint="a finite number for each query")
    return np.array(numbers, dtype=np.float64)


def _paired(a: Any, b: Any, measure: Any) -> Floats:
    """The differences of two runs in one measure, for the queries that both have a value for."""
    policy = next((each.policy for each in (a, b) if isinstance(each, Result)), Policy())
    both = {name: _scores(name, each, policy) for name, each in (("a", a), ("b", b))}
    shared = [m for m in both["a"].values if m in both["b"].values]
    if measure is None and len(shared) != 1:
        raise InputError(f"{len(shared)} measures are in both", hint=setting("measure", str(shared[0]) if shared else "nDCG@10"))
    chosen = shared[0] if measure is None else column_key(policy.resolve(parse(measure)))
    values = pair_runs(str(measure or chosen), chosen, both, Weighting()).values
    return np.asarray(values[1] - values[0])


def _scores(name: str, source: Any, policy: Policy) -> Scores:
    """The values of one run. Raises InputTypeError for what is a run, yet to be scored."""
    with of_run(name):
        scores = scores_of(source, policy)
        if scores is None:
            raise InputTypeError(f"no values by query: {short(source)}", hint="evaluate(run, qrels)")
    return scores
