"""User-defined measures: defined by a function of one query, or loaded by the name of that function."""

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
    """A user-defined measure, for ``evaluate``, ``compare`` and wherever a measure is asked for.

    The same function works with every backend.

    Parameters
    ----------
    name
        The name under which it stands in results: an identifier.
    function
        It gets one query as a :class:`samescore.rankspace.Ranking` (``depth``, the number of documents retrieved; ``judged``,
        the (place, grade) of each judged document; ``retrieved(cutoff)``, those of them that were retrieved) and returns a
        float, or None where the measure is undefined; the policy decides what becomes of such a query. It is not called for an
        empty ranking, which scores 0.
    cutoff
        How many documents of each ranking the function is given; all by default.

    Returns
    -------
    Measure
        The measure, whose ``function`` is the one given.

    Raises
    ------
    MeasureError
        For a name that is no identifier or stands for something else in a result (a measure of the catalogue in any dialect, a
        count), and for a cutoff below 1.

    Examples
    --------
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
    """The measure that ``"package.module:function"`` names.

    Parameters
    ----------
    target
        The name of a module, a colon, and the name of a Measure in it, or of a function, which becomes a measure of its own name.

    Returns
    -------
    Measure

    Raises
    ------
    MeasureError
        Where there is no such thing.
    """
    loaded: Any = load(target, "measure", MeasureError)
    if isinstance(loaded, Measure):
        return loaded
    name = getattr(loaded, "__name__", None)
    return define(name if isinstance(name, str) and name.isidentifier() else target.rpartition(":")[2], loaded)


def named_measure(text: str) -> Measure:
    """A measure by its name.

    Parameters
    ----------
    text
        A name that :func:`parse` reads, or ``package.module:function``, which :func:`load_measure` loads.

    Returns
    -------
    Measure

    Raises
    ------
    MeasureError
        For what is no such name.

    Examples
    --------
    >>> named_measure("recall@5")
    R@5
    """
    return load_measure(text) if is_target(text) else parse(text)


def own_values(measure: Measure, space: RankSpace, queries: Sequence[str], to_compute: NDArray[np.bool_]) -> Floats:
    """The values of a user-defined measure.

    Parameters
    ----------
    measure
        A measure with a function.
    space
        The rankings.
    queries
        The id of each query, for errors.
    to_compute
        Which queries to compute, shape (queries,).

    Returns
    -------
    ndarray of shape (queries,)
        NaN where the function returns None, and where nothing is to be computed.

    Raises
    ------
    MeasureError
        With the query, where the function raises or returns what is no number.
    """
    rankings = space if measure.cutoff is None else space.cut(measure.cutoff)
    values = np.full(len(space), np.nan)
    for i in np.flatnonzero(to_compute).tolist():
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
