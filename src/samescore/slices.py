"""Slices: queries by label, so that a mean can be told for each kind of query beside the whole."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .averaging import Mask, mean_or_sum
from .errors import InputError, InputTypeError, examples, is_word, short
from .intervals import mean_interval
from .measures import Measure
from .rankspace import Floats
from .readers.values import as_id

ALL_QUERIES = "all"
"""The name of the slice that holds every query."""


@dataclass(frozen=True, slots=True)
class Slices:
    """Labels of queries: the name of each labelling, and query -> label in it. A query without a label is in no slice."""

    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def masks(self, queries: Sequence[str]) -> dict[str, Mask]:
        """Slice -> which of the queries it holds, the whole first. With several labellings a slice is ``language=de``."""
        masks = {ALL_QUERIES: np.ones(len(queries), dtype=bool)}
        for name, labels in self.labels.items():
            label_of = np.array([labels.get(query) for query in queries], dtype=object)
            for label in dict.fromkeys(labels.values()):
                masks[f"{name}={label}" if len(self.labels) > 1 else label] = label_of == label
        return masks

    def unlabelled(self, queries: Iterable[str]) -> list[str]:
        """The queries that some labelling lacks."""
        return [query for query in queries if any(query not in labels for labels in self.labels.values())]

    def unknown(self, queries: Iterable[str]) -> list[str]:
        """The labelled queries that are not among these."""
        known = set(queries)
        return list(dict.fromkeys(query for labels in self.labels.values() for query in labels if query not in known))


def recognise_slices(source: Any) -> Slices:
    """Labels from {query: label} (or a pandas Series), or from a DataFrame with query_id and one or more columns of labels.

    ``query_id`` is a column or the index. None, NaN and empty text are no label, and 1.0 is the label 1. Raises InputError for
    what is none of these, for a query with two labels, and for the label ``"all"``.
    """
    if source is None:
        return Slices()
    if isinstance(source, Slices):
        return source
    if hasattr(source, "columns"):
        return _frame(source)
    if hasattr(source, "items"):
        return Slices({"slice": _labels(source.items(), "slice")})
    raise InputTypeError(f"slices are of type {type(source).__name__}", hint="{query: label} or a DataFrame with query_id")


def _frame(frame: Any) -> Slices:
    """Each column of labels of a DataFrame."""
    columns = [name for name in frame.columns if name != "query_id"]
    ids = list(frame["query_id"] if "query_id" in frame.columns else getattr(frame, "index", ()))
    if not columns or len(ids) != len(frame):
        raise InputError("the frame of slices lacks query_id or labels", hint="columns query_id and, say, language")
    return Slices({str(name): _labels(zip(ids, list(frame[name]), strict=True), str(name)) for name in columns})


def _labels(rows: Iterable[tuple[Any, Any]], name: str) -> dict[str, str]:
    """Query -> label, without the queries that have none."""
    labels: dict[str, str] = {}
    for given, value in rows:
        query = as_id(given, kind="query")
        label = _label(value, query, name)
        if label is not None and labels.setdefault(query, label) != label:
            what = f"two labels in {name!r}, {short(labels[query])} and {short(label)}"
            raise InputError(what, query=query, hint="one label a query; a second kind of label is a column of its own")
    return labels


def _label(value: Any, query: str, name: str) -> str | None:
    """A label as text; None for what stands for no label."""
    if value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, (list, tuple, set, frozenset, dict)):
        raise InputTypeError(f"the label in {name!r} is {short(value)}", query=query, hint="text or a number")
    text = str(value)
    if isinstance(value, float) and value.is_integer():
        text = str(int(value))  # a column of whole numbers with a gap in it is one of floats in pandas
    if text == ALL_QUERIES:
        raise InputError(f"the label {ALL_QUERIES!r} is the name of the whole", query=query, hint="another word")
    return text or None


GROUPING: Mapping[str, Callable[[Sequence[float]], float]] = {"mean": lambda v: math.fsum(v) / len(v), "min": min}
"""How the values of the queries of a group become one; the worst is the highest where lower is better."""


def group_of(groups: Any, queries: Sequence[str], known: Iterable[str]) -> dict[str, str]:
    """Query -> its group, itself where it has none, from what :func:`recognise_slices` takes.

    Raises InputError for groups of several kinds, for queries that are not ``known``, and for a group that has the name of another
    query.
    """
    labels = recognise_slices(groups)
    if len(labels.labels) != 1:
        raise InputError(f"groups of queries are of {len(labels.labels)} kinds", hint="{query: group}, one column of a DataFrame")
    (label_of,) = labels.labels.values()
    if unknown := labels.unknown([*queries, *known]):
        raise InputError(f"groups names queries that are not judged: {examples(unknown)}", hint="check the ids")
    alone = {query for query in queries if query not in label_of}
    if clash := sorted(alone.intersection(label_of.values())):
        raise InputError(f"a group has the id of a query that is in none: {examples(clash)}", hint="another name for the group")
    return {query: label_of.get(query, query) for query in queries}


def group_values(values: Mapping[str, float], groups: Mapping[str, str], how: str, lower_is_better: bool) -> dict[str, float]:
    """Group -> one value, of the queries that have one, in the order of the queries.

    Raises InputError for a way of grouping that there is not.
    """
    if not is_word(how, GROUPING):
        raise InputError(f"how cannot be {short(how)}", hint="'mean' or 'min'")
    members: dict[str, list[float]] = {}
    for query, value in values.items():
        members.setdefault(groups.get(query, query), []).append(value)
    pick = max if how == "min" and lower_is_better else GROUPING[how]
    return {group: float(pick(each)) for group, each in members.items()}


@dataclass(frozen=True, slots=True)
class SliceMean:
    """The mean of one measure over one slice, NaN over no query, its interval at 95 %, the number of queries, and the method of the
    interval, or why there is none (:func:`samescore.intervals.mean_interval`)."""

    slice: str
    measure: str
    mean: float
    low: float
    high: float
    queries: int
    method: str = ""


SLICE_COLUMNS = {
    **dict.fromkeys(("slice", "measure"), "object"),
    **dict.fromkeys(("mean", "low", "high"), "float64"),
    "queries": "int64",
    "method": "object",
}
"""The columns of a DataFrame of slices."""


def slice_means(name: str, measure: Measure, values: Floats, weights: Floats | None, masks: Mapping[str, Mask]) -> list[SliceMean]:
    """The row of each slice for a measure; ``values`` and ``weights`` have shape (queries,). A sum of counts has no interval."""
    rows = []
    for slice, mask in masks.items():
        column, weight = values[mask], None if weights is None else weights[mask]
        total, n = mean_or_sum(column, measure, weight)
        if measure.entry.aggregate == "sum":
            rows.append(SliceMean(slice, name, total, math.nan, math.nan, n, "none: a sum"))
            continue
        has_value = ~np.isnan(column)
        weight = None if weight is None else weight[has_value]
        found = mean_interval(column[has_value], weight, bounded=measure.entry.bounded)
        rows.append(SliceMean(slice, name, total if n else math.nan, found.low, found.high, n, found.method))
    return rows
