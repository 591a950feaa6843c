"""Per-query values that were brought along: results, data frames, ir_measures' and ranx's scores."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from numbers import Real
from typing import Any

from ..errors import InputError, InputTypeError, MeasureError, short, spot
from ..measures import Measure, parse
from ..policy import Policy
from ..readers.values import as_id
from ..result import Result
from .scores import Scores, of_result

Row = tuple[Any, Any, Any]
"""Measure, query, value."""

RANX_LINEAR = ("ndcg", "dcg")
"""ranx's names of measures with linear gain, where samescore's nDCG takes the gain of the policy."""


def brought(source: Any, policy: Policy, judged: Collection[str]) -> Scores | None:
    """The scores that were brought along; None for what is a run, yet to be scored.

    Scores are a Result (or what its ``to_dict`` made), a DataFrame of per-query values (a row a query and a column a measure;
    or the columns query_id, measure and value), ir_measures' ``CalcResults`` or a list of its ``Metric``, and {measure:
    {query: value}} as in ranx's ``run.scores``: a mapping is that where its keys are measures and no judged queries.

    Raises InputError for a value that is no number and one that is there twice, MeasureError for an unknown measure.
    """
    if isinstance(source, Result):
        return of_result(source)
    if isinstance(source, Mapping) and "samescore" in source and "per_query" in source:
        return of_result(Result.from_dict(source))
    rows = _rows(source, judged)
    return None if rows is None else _gathered(rows, policy)


def _rows(source: Any, judged: Collection[str]) -> Iterable[Row] | None:
    """The rows of measure, query and value, in any of their forms."""
    if hasattr(source, "columns"):
        return _of_frame(source)
    if hasattr(source, "aggregated") and hasattr(source, "per_query"):
        return _of_metrics(source.per_query)
    if isinstance(source, list) and source and all(hasattr(source[0], name) for name in ("query_id", "measure", "value")):
        return _of_metrics(source)
    if isinstance(source, Mapping) and source and all(_is_measure(key) and key not in judged for key in source):
        return ((_ranx(name), query, value) for name, column in source.items() for query, value in _column(name, column))
    return None


def _column(name: object, column: Any) -> Iterable[tuple[Any, Any]]:
    """Query and value of one measure."""
    if not hasattr(column, "items"):
        what = f"the values of {short(name)} are of type {type(column).__name__}, and name no queries"
        raise InputTypeError(what, hint="{measure: {query: value}}")
    pairs: Iterable[tuple[Any, Any]] = column.items()
    return pairs


def _of_metrics(metrics: Iterable[Any]) -> Iterable[Row]:
    """The rows of ir_measures' Metric objects."""
    return ((metric.measure, metric.query_id, metric.value) for metric in metrics)


def _of_frame(frame: Any) -> Iterable[Row] | None:
    """The rows of a DataFrame, wide or long; None for a run."""
    columns = [str(name) for name in frame.columns]
    if "doc_id" in columns or not ("measure" in columns or any(map(_is_measure, columns))):
        return None
    if {"query_id", "measure", "value"} <= set(columns):
        return zip(map(_ranx, frame["measure"]), frame["query_id"], frame["value"], strict=True)
    if "query_id" not in columns and type(getattr(frame, "index", None)).__name__ in ("NoneType", "RangeIndex"):
        raise InputError("the frame of per-query values names no queries", hint="a column or an index query_id")
    ids = list(frame["query_id"] if "query_id" in columns else frame.index)
    wide = [name for name in frame.columns if name != "query_id"]
    return ((_ranx(name), query, value) for name in wide for query, value in zip(ids, frame[name], strict=True))


def _is_measure(name: object) -> bool:
    """Whether this is the name of a measure."""
    try:
        parse(name)
    except MeasureError:
        return False
    return True


def _ranx(name: object) -> object:
    """A measure's name, with ranx's meaning where it is spelled as ranx does."""
    if isinstance(name, str) and name.partition("@")[0] in RANX_LINEAR:
        return parse(name).with_params(dcg="log2")
    return name


def _gathered(rows: Iterable[Row], policy: Policy) -> Scores:
    """The scores of some rows; None and NaN stand for an undefined value."""
    values: dict[Measure, dict[str, float]] = {}
    resolved: dict[object, Measure] = {}
    for name, given, value in rows:
        measure = resolved.get(name) or resolved.setdefault(name, policy.resolve(parse(name)))
        column = values.setdefault(measure, {})
        query = as_id(given, kind="query")
        if query in column:
            raise InputError(f"two values of {measure}", where=spot(query=query), hint="one value for each query and measure")
        column[query] = _number(value, measure, query)
    return Scores({m: {q: v for q, v in column.items() if not math.isnan(v)} for m, column in values.items()})


def _number(value: Any, measure: Measure, query: str) -> float:
    """A value as a float."""
    if value is None or type(value).__name__ == "NAType":
        return math.nan
    if not isinstance(value, Real) or math.isinf(value):
        raise InputError(f"the value of {measure} is {short(value)}", where=spot(query=query), hint="a finite number, or None")
    return float(value)
