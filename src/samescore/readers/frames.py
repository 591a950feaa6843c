"""Data frames of pandas, polars and pyarrow: one row a document, with columns for the query, the document and a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import IdError
from .columns import Columns, find_columns
from .data import Floats, Qrels, Run, Table, TableRankings, gather_qrels, gather_run, polars
from .mappings import FRAMES, is_rag, keyed, library, read_qrels_mapping, read_qrels_rag, read_run_mapping, read_run_rag
from .values import as_ids, negated

SMALL = 10_000
"""Frames of fewer rows are read as lists."""

Names = Mapping[str, str] | None


def is_frame(source: object) -> bool:
    """Whether this is a frame of pandas or polars, or a pyarrow table (told without importing them)."""
    return library(source, FRAMES) != ""


def read_run_frame(frame: Any, names: Names = None, *, name: str = "DataFrame") -> Run:
    """A run from the columns query_id, doc_id, and score or (only where there is no score) rank, by any of their names."""
    frame = frame.collect() if hasattr(frame, "collect_schema") and not hasattr(frame, "height") else frame
    if is_rag(_names(frame)):
        return read_run_rag(_records(frame), name=name)
    columns = find_columns(_names(frame), "run", names, {"file": name})
    table = _table(frame, columns) if len(frame) >= SMALL else None
    if table is not None:
        return Run(TableRankings(table), len(table), name)
    numbers = _list(frame, columns.number)
    numbers = negated(numbers) if columns.what == "rank" else numbers
    return gather_run(_list(frame, columns.query), _list(frame, columns.doc), numbers, name=name)


def read_qrels_frame(frame: Any, names: Names = None, *, name: str = "DataFrame") -> Qrels:
    """Qrels from the columns query_id, doc_id and relevance, and iteration where there is one, by any of their names."""
    frame = frame.collect() if hasattr(frame, "collect_schema") and not hasattr(frame, "height") else frame
    if is_rag(_names(frame)):
        return read_qrels_rag(_records(frame), name=name)
    columns = find_columns(_names(frame), "qrels", names, {"file": name})
    queries, docs, grades = (_list(frame, column) for column in (columns.query, columns.doc, columns.number))
    iterations = _list(frame, columns.iteration) if columns.iteration else None
    return gather_qrels(queries, docs, grades, iterations=iterations, name=name)


def read_run_keyed(series: Any) -> Run:
    """A run from a Series of pandas: a ranking for each query, or scores by query and document."""
    found = keyed(series)
    return read_run_mapping(found) if isinstance(found, dict) else gather_run(*_columns(found))


def read_qrels_keyed(series: Any) -> Qrels:
    """Qrels from a Series of pandas: judgements for each query, or grades by query and document."""
    found = keyed(series)
    return read_qrels_mapping(found) if isinstance(found, dict) else gather_qrels(*_columns(found))


def _columns(rows: Sequence[tuple[Any, ...]]) -> tuple[list[Any], list[Any], list[Any]]:
    """Rows of three as columns."""
    queries, docs, numbers = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    return queries, docs, numbers


_LIST: dict[str, Any] = {
    "pandas": lambda frame, name: _pandas_list(frame[name]),
    "polars": lambda frame, name: frame[name].to_list(),
    "pyarrow": lambda frame, name: frame[name].to_pylist(),
}


def _pandas_list(column: Any) -> Sequence[Any]:
    """A pandas column as Python values; what pandas takes for missing is None, or NaN among floats."""
    values: list[Any] = column.tolist()
    gone = column.isna()
    if not gone.any():
        return values
    return [None if missing and not isinstance(v, float) else v for v, missing in zip(values, gone, strict=True)]


def _list(frame: Any, name: str) -> Sequence[Any]:
    """One column as a list of Python values."""
    return _LIST[library(frame, FRAMES)](frame, name)  # type: ignore[no-any-return]  # the libraries are not imported here


def _names(frame: Any) -> list[Any]:
    """The names of the columns."""
    return list(frame.column_names if library(frame, FRAMES) == "pyarrow" else frame.columns)


def _records(frame: Any) -> list[dict[str, Any]]:
    """The rows as dictionaries."""
    names = _names(frame)
    return [dict(zip(names, row, strict=True)) for row in zip(*(_list(frame, name) for name in names), strict=True)]


def _table(frame: Any, columns: Columns) -> Table | None:
    """A table of the frame; None where an id or a score is odd, for the list reader to find and name."""
    ids = _pandas_ids if library(frame, FRAMES) == "pandas" else _arrow_ids
    query, doc = ids(frame[columns.query]), ids(frame[columns.doc])
    number = _floats(frame[columns.number])
    if number is None or any(column is None or column.null_count() or (column == "").any() for column in (query, doc)):
        return None
    return Table(query, doc, -number if columns.what == "rank" else number)


def _pandas_ids(column: Any) -> Any:
    """A pandas column as a polars Series of text; None where it holds what is neither text nor an integer."""
    pl = polars()
    if hasattr(column, "cat"):
        used = column.cat.remove_unused_categories()  # those of rows that were filtered out may be no ids
        codes = used.cat.codes.to_numpy()
        try:
            ids = as_ids(used.cat.categories.tolist())
        except IdError:
            return None
        return None if (codes < 0).any() else pl.Series(ids, dtype=pl.String).gather(codes)
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu":
        return pl.Series(column.to_numpy()).cast(pl.String)
    try:
        return pl.Series(column.to_numpy(dtype=object), dtype=pl.String, strict=True)
    except (TypeError, UnicodeEncodeError):
        return None


def _arrow_ids(column: Any) -> Any:
    """A polars or pyarrow column as a polars Series of text; None where it holds what is neither text nor an integer."""
    pl = polars()
    series = column if isinstance(column, pl.Series) else pl.Series(column)
    kind = series.dtype
    return series.cast(pl.String) if kind in (pl.String, pl.Categorical, pl.Enum) or kind.is_integer() else None


def _floats(column: Any) -> Floats | None:
    """A column of numbers as float64, -0.0 as 0.0; None where one is missing or none."""
    if hasattr(column, "null_count") and not callable(column.null_count) and column.null_count:
        return None
    if str(getattr(column, "dtype", "")) in ("Int128", "UInt128"):  # which numpy lacks; polars 2.0 panics
        return None
    found = column.to_numpy()
    if found.dtype.kind not in "iuf":
        return None
    numbers: Floats = found.astype(np.float64) + 0.0
    return None if np.isnan(numbers).any() else numbers
