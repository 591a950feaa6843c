"""Series and arrays of data libraries as plain values: a Series of pandas pairs its index with its values, others are lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputTypeError, spot
from .values import WHOLE

FRAMES = ("DataFrame", "LazyFrame", "Table", "RecordBatch")
_ARRAYS = ("Series", "ChunkedArray", "Array", "Index")
_LIBRARIES = ("pandas", "polars", "pyarrow")


def library(value: object, kinds: tuple[str, ...]) -> str:
    """The data library whose object this is, if it is of one of some kinds, or nothing (told without importing any)."""
    for kind in type(value).__mro__:
        name = kind.__module__.partition(".")[0]
        if name in _LIBRARIES and kind.__name__ in kinds:
            return name
    return ""


def is_keyed(value: object) -> bool:
    """Whether this is a Series of pandas, which has an index."""
    return library(value, ("Series",)) == "pandas"


def plain(value: Any, query: str) -> Any:
    """What stands under a query as pairs or a list, where it comes from numpy, pandas, polars or pyarrow; all else as it is.

    A Series of pandas is {document: number} by its index, or, where it holds texts over whole numbers, a list of ids as
    ``frame.groupby(...)["docno"]`` gives them. Series of polars and arrays have no index, so they are lists.

    Raises InputTypeError for whole numbers over whole numbers, of which either may be the ids, for a frame, and for an
    array that has not one dimension.
    """
    if isinstance(value, np.ndarray):
        if value.ndim != 1:
            what = f"an array of {value.ndim} dimensions stands here"
            raise InputTypeError(what, where=spot(query=query), hint="an array of ids in order, or {document: number}")
        return value.tolist()
    if library(value, FRAMES):
        what = f"a {type(value).__name__} stands here, whose columns would be its ids"
        raise InputTypeError(what, where=spot(query=query), hint="one frame for all queries, with the columns query_id and doc_id")
    if is_keyed(value):
        return _by_index(value, query)
    if library(value, _ARRAYS):
        return value.to_pylist() if hasattr(value, "to_pylist") else list(value)
    return value


def keyed(series: Any) -> dict[Any, Any] | list[tuple[Any, Any, Any]]:
    """A pandas Series for all queries: {query: value}, or (query, document, number) where its index has two levels.

    Raises InputTypeError where a query is there twice.
    """
    keys, values = series.index.tolist(), series.tolist()
    if series.index.nlevels == 2:
        return [(query, doc, number) for (query, doc), number in zip(keys, values, strict=True)]
    found = dict(zip(keys, values, strict=True))
    if len(found) < len(keys):
        twice = series.index[series.index.duplicated()].tolist()[0]
        raise InputTypeError("the query is there twice in the index", where=spot(query=str(twice)), hint="one entry for each query")
    return found


def _by_index(series: Any, query: str) -> Any:
    """The (document, number) pairs of a pandas Series, or its ids in order."""
    keys, values = series.index.tolist(), series.tolist()
    whole = bool(keys) and all(isinstance(key, WHOLE) for key in keys)
    if whole and any(isinstance(value, str) for value in values):
        return values
    if whole and all(isinstance(value, WHOLE) for value in values):
        what, hint = "a Series of whole numbers over whole numbers: either may be the ids", "series.to_dict() or series.tolist()"
        raise InputTypeError(what, where=spot(query=query), hint=hint)
    return list(zip(keys, values, strict=True))
