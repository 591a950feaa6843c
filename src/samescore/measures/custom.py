"""User-defined measures: defined by a function of one query, or loaded by the name of that function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MeasureError, short
from ..rankspace import Floats, Ranking, RankSpace
from ..user_code import is_target, load, raising
from .measure import Function, Measure
from .parsing import meaning, parse

Retrieved = tuple[list[str], "list[float] | None"]
"""Documents in order of rank, and their scores, if there are any."""

PARAMETERS = ("query_id", "doc_ids", "scores")
"""What the function of a user-defined measure is given beside the ranking, where it has a parameter of that name."""

COUNTED = ("queries", "skipped")
"""What a result looks up that is no measure."""


class LowerIsBetter:
    """The function of a user-defined measure of which lower values are better."""

    lower_is_better = True

    def __init__(self, function: Function) -> None:
        functools.update_wrapper(self, function)
        self.function = function

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.function(*arguments, **named)


def define(name: str, function: Function, *, cutoff: int | None = None, lower_is_better: bool = False) -> Measure:
    """A user-defined measure, for ``evaluate``, ``compare`` and wherever a measure is asked for.

    The same function works with every backend.

    Parameters
    ----------
    name
        The name under which it stands in results: an identifier.
    function
        It gets one query as a :class:`samescore.rankspace.Ranking` (``depth``, the number of documents retrieved; ``judged``,
        the (place, grade) of each judged document; ``retrieved(cutoff)``, those of them that were retrieved; ``aspects``,
        the judgements of subtopics, where the qrels have them) and returns a float, or None where the measure is undefined; the
        policy decides what becomes of such a query. It is not called for an empty ranking, which scores 0. A function with a
        parameter named ``query_id``, ``doc_ids`` or ``scores`` gets that too, by name: the id of the query, the retrieved
        documents in order of rank, and their scores (None where the order was given).
    cutoff
        How many documents of each ranking the function is given; all by default.
    lower_is_better
        Whether a rise is a worsening, as of a latency or a cost.

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
    if not isinstance(lower_is_better, bool):
        raise MeasureError(f"lower_is_better is {short(lower_is_better)}, not True or False", hint="lower_is_better=True")
    measure = Measure(name, cutoff, function=LowerIsBetter(function) if lower_is_better else function)
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


def parameters_of(measure: Measure) -> frozenset[str]:
    """Which of :data:`PARAMETERS` the function of a measure has.

    Parameters
    ----------
    measure
        A measure, user-defined or not.

    Returns
    -------
    frozenset of str
    """
    if measure.function is None:
        return frozenset()
    try:
        return frozenset(PARAMETERS) & inspect.signature(measure.function).parameters.keys()
    except (TypeError, ValueError):  # a builtin, which tells no signature
        return frozenset()


def own_values(
    measure: Measure,
    space: RankSpace,
    queries: Sequence[str],
    to_compute: NDArray[np.bool_],
    *,
    subtopics: RankSpace | None = None,
    retrieved: Callable[[str], Retrieved] | None = None,
) -> Floats:
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
    subtopics
        The rankings with the judgements of subtopics, where there are any.
    retrieved
        The documents and scores of a query in order of rank, for a function that has parameters for them.

    Returns
    -------
    ndarray of shape (queries,)
        NaN where the function returns None, and where nothing is to be computed.

    Raises
    ------
    MeasureError
        With the query, where the function raises or returns what is no number.
    """
    if measure.cutoff is not None:
        space, subtopics = space.cut(measure.cutoff), None if subtopics is None else subtopics.cut(measure.cutoff)
    values, names = np.full(len(space), np.nan), parameters_of(measure)
    for i in np.flatnonzero(to_compute).tolist():
        ranking = space.ranking(i)
        if not ranking.depth:
            values[i] = 0.0
            continue
        if subtopics is not None:
            ranking = replace(ranking, aspects=subtopics.ranking(i).aspects)
        given: dict[str, Any] = {"query_id": queries[i]}
        if retrieved is not None and names - {"query_id"}:
            docs, scores = retrieved(queries[i])
            given |= {"doc_ids": docs[: ranking.depth], "scores": None if scores is None else scores[: ranking.depth]}
        values[i] = _value(measure, ranking, queries[i], {name: given[name] for name in names})
    return values


def _value(measure: Measure, ranking: Ranking, query: str, given: Mapping[str, Any]) -> float:
    """One call of the function; NaN for None."""
    hint = "return None where the measure is undefined"
    with raising(f"the function of {measure} raised", MeasureError, query=query, hint=hint):
        returned = measure.function(ranking, **given) if measure.function else None
    if returned is None:
        return np.nan
    try:
        value = float(returned) if isinstance(returned, (Real, np.bool_)) else np.nan
    except OverflowError:  # a whole number beyond all floats
        value = np.inf
    if not np.isfinite(value):
        raise MeasureError(f"the function of {measure} returned {short(returned)}", query=query, hint="a finite float, or None")
    return value
