"""Measures of one's own: defined by a function of one query, or loaded by the name of that function."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MeasureError, short
from ..rankspace import Floats, Ranking, RankSpace
from ..user_code import is_target, load, raising
from .measure import Function, Measure
from .parsing import meaning, parse

COUNTED = ("queries", "skipped")
"""What a result looks up that is no measure."""


def define(name: str, function: Function, *, cutoff: int | None = None) -> Measure:
    """A measure of one's own, for ``evaluate``, ``compare`` and wherever a measure is asked for.

    ``function`` gets one query as a :class:`samescore.rankspace.Ranking` (``depth``, the number of documents retrieved;
    ``judged``, the (place, grade) of each judged document; ``retrieved(cutoff)``, those of them that were retrieved) and
    returns a float, or None where the measure is undefined; the policy decides what becomes of such a query. With a
    ``cutoff`` it is given the first documents only. It is not called for an empty ranking, which scores 0. The same
    function works with every backend.

    Raises MeasureError for a name that is no identifier or stands for something else in a result (a measure of the
    catalogue in any dialect, a count), and for a cutoff below 1.

    >>> first = define("First", lambda ranking: float(any(grade > 0 for rank, grade in ranking.retrieved(1))))
    >>> first
    First
    """
    if not callable(function):
        raise MeasureError(f"the definition of {name} is {short(function)}, no function", hint="define('Name', function)")
    measure = Measure(name, cutoff, function=function)
    if name in COUNTED or meaning(name, "samescore"):
        raise MeasureError(f"the name {name} means something else in a result", hint=f"My{name}")
    return measure


def load_measure(target: str) -> Measure:
    """The measure that ``"package.module:function"`` names: a Measure, or a function that becomes one of its own name.

    Raises MeasureError where there is no such thing.
    """
    loaded: Any = load(target, "measure", MeasureError)
    if isinstance(loaded, Measure):
        return loaded
    name = getattr(loaded, "__name__", None)
    return define(name if isinstance(name, str) and name.isidentifier() else target.rpartition(":")[2], loaded)


def named_measure(text: str) -> Measure:
    """A measure by its name in any dialect, or by ``package.module:function``.

    >>> named_measure("recall@5")
    R@5
    """
    return load_measure(text) if is_target(text) else parse(text)


def own_values(measure: Measure, space: RankSpace, queries: Sequence[str], wanted: NDArray[np.bool_]) -> Floats:
    """What the function of a measure of one's own says of each query, shape (queries,).

    NaN where it says None, and where the value is not ``wanted``. Raises MeasureError, with the query, where the function
    raises or returns what is no number.
    """
    rankings = space if measure.cutoff is None else space.cut(measure.cutoff)
    values = np.full(len(space), np.nan)
    for i in np.flatnonzero(wanted).tolist():
        ranking = rankings.ranking(i)
        values[i] = _value(measure, ranking, queries[i]) if ranking.depth else 0.0
    return values


def _value(measure: Measure, ranking: Ranking, query: str) -> float:
    """One call of the function; NaN for None."""
    hint = "return None where the measure is undefined"
    with raising(f"the function of {measure} raised", MeasureError, query=query, hint=hint):
        returned = measure.function(ranking) if measure.function else None
    if returned is None:
        return np.nan
    try:
        value = float(returned) if isinstance(returned, (Real, np.bool_)) else np.nan
    except OverflowError:  # a whole number beyond all floats
        value = np.inf
    if not np.isfinite(value):
        raise MeasureError(f"the function of {measure} returned {short(returned)}", query=query, hint="a finite float, or None")
    return value
