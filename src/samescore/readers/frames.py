"""Data frames of pandas, polars and pyarrow: one row a document, with columns for the query, the document and a number.

Each library is asked for a column's name and values and nothing else. narwhals would not shorten this: it leaves what each
takes for a missing value as it is, and cannot convert a pandas column of texts and integers, which are ids here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import IdError
from ..typing import ColumnNames
from .columns import LOWER_IS_BETTER, Columns, Kind, Roles, by_name, find_roles
from .data import Floats, Table, polars
from .mappings import ARRAYS, FRAMES, library, read_records
from .shapes import record_shape
from .values import as_ids, negated

SMALL = 10_000
"""Frames of fewer rows are read as lists."""


def is_frame(source: object) -> bool:
    """Whether this is a frame of pandas or polars, or a table of pyarrow or another library with the Arrow C stream."""
    return library(source, FRAMES) != "" or (hasattr(source, "__arrow_c_stream__") and not library(source, ARRAYS))


def read_frame(frame: Any, kind: Kind, names: ColumnNames | None = None, *, where: str = "") -> Mapping[str, Any] | Columns | Table:
    """The columns query_id, doc_id, and score, rank or relevance, by any of their names; a rank only where there is no score.

    A run of many rows is a table, unless an id or a score is odd, which the reader of columns then reads or refuses.
    """
    frame = eager(frame)
    columns = column_names(frame)
    names = by_name(names, columns) if names else None
    fields = [name for name in columns if isinstance(name, str)]
    is_clear = len(set(fields)) == len(fields)
    head = {name: next(iter(column_values(frame[:1], name)), None) for name in fields} if is_clear else {}
    if head and record_shape(head, names) is not None:
        rows = zip(*(column_values(frame, name) for name in head), strict=True)
        return read_records([dict(zip(head, row, strict=True)) for row in rows], kind, names)
    roles = find_roles(columns, kind, names, where=where)
    table = _table(frame, roles) if kind == "run" and len(frame) >= SMALL else None
    if table is not None:
        return table
    numbers = [1] * len(frame) if roles.number is None else column_values(frame, roles.number)
    iterations = column_values(frame, roles.iteration) if roles.iteration is not None and kind == "qrels" else None
    numbers = negated(numbers) if roles.what in LOWER_IS_BETTER else numbers
    queries, docs = column_values(frame, roles.query), column_values(frame, roles.doc)
    return Columns(queries, docs, numbers, iterations, what=roles.what)


def eager(frame: Any) -> Any:
    """A frame with its rows: a lazy one is collected, one of another library taken over by polars."""
    if not library(frame, FRAMES):
        return polars().DataFrame(frame)
    return frame.collect() if hasattr(frame, "collect_schema") and not hasattr(frame, "height") else frame


def column_names(frame: Any) -> list[Any]:
    """The names of the columns of a frame, without reading it; none where a stream tells none."""
    if hasattr(frame, "collect_schema"):
        return list(frame.collect_schema().names())
    return list(frame.column_names if library(frame, FRAMES) == "pyarrow" else getattr(frame, "columns", ()))


def column_values(frame: Any, name: Any) -> Sequence[Any]:
    """One column as Python values; what pandas takes for missing is None, or NaN among floats."""
    column = frame[name]
    if library(frame, FRAMES) == "pyarrow":
        return column.to_pylist()  # type: ignore[no-any-return]  # the libraries are not imported here
    if library(frame, FRAMES) == "polars":
        return column.to_list()  # type: ignore[no-any-return]  # as above
    values: list[Any] = column.tolist()
    try:
        missing = column.isna()
    except Exception:  # a Decimal that is a signaling NaN, which is refused where it stands
        return values
    if not missing.any():
        return values
    return [None if gone and not isinstance(value, float) else value for value, gone in zip(values, missing, strict=True)]


def _table(frame: Any, roles: Roles) -> Table | None:
    """A table of the frame; None where an id or a score is odd."""
    ids = _pandas_ids if library(frame, FRAMES) == "pandas" else _arrow_ids
    query, doc, number = ids(frame[roles.query]), ids(frame[roles.doc]), _floats(frame[roles.number])
    if number is None or any(column is None or column.null_count() or (column == "").any() for column in (query, doc)):
        return None
    return Table(query, doc, -number if roles.what in LOWER_IS_BETTER else number, what=roles.what)


def _pandas_ids(column: Any) -> Any:
    """A pandas column as a polars Series of text; None where it holds what is neither text nor an integer, or both."""
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
    values = column.to_numpy(dtype=object)
    try:
        if str(column.dtype) not in ("str", "string"):
            "".join(values)  # polars would take bytes for text, and has many errors for the rest
        return pl.Series(values, dtype=pl.String)
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
    values = column.to_numpy()
    if values.dtype.kind not in "iuf":
        return None
    numbers: Floats = values.astype(np.float64) + 0.0
    return None if np.isnan(numbers).any() else numbers
