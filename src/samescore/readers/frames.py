"""Data frames: one row a document, with columns for the query, the document and a number."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number
from typing import Any

from ..errors import InputError, examples, nearest
from .found import Qrels, Run
from .rows import gather_qrels, gather_run


def is_frame(source: object) -> bool:
    """Whether this is a pandas DataFrame (told without importing pandas)."""
    return hasattr(source, "columns") and hasattr(source, "itertuples")


def read_run_frame(frame: Any) -> Run:
    """A run from the columns query_id, doc_id, and score or (only where there is no score) rank."""
    queries, docs = _column(frame, "query_id"), _column(frame, "doc_id")
    if "score" in frame.columns or "rank" not in frame.columns:
        return gather_run(queries, docs, _column(frame, "score"), name="DataFrame")
    ranks = [-rank if isinstance(rank, Number) else rank for rank in _column(frame, "rank")]  # type: ignore[operator]  # a number
    return gather_run(queries, docs, ranks, name="DataFrame")


def read_qrels_frame(frame: Any) -> Qrels:
    """Qrels from the columns query_id, doc_id and relevance, and iteration where there is one."""
    iterations = _column(frame, "iteration") if "iteration" in frame.columns else None
    queries, docs, grades = (_column(frame, name) for name in ("query_id", "doc_id", "relevance"))
    return gather_qrels(queries, docs, grades, iterations=iterations, name="DataFrame")


def _column(frame: Any, name: str) -> Sequence[Any]:
    """One column as a list of Python values; what pandas takes for missing is None, or NaN among floats."""
    found = list(frame.columns)
    if name not in found:
        what = f"the frame has no column {name!r}, but {examples(found, 8)}"
        raise InputError(what, hint=f"rename {nearest(name, map(str, found), 1)} to {name}" if found else "")
    if found.count(name) > 1:
        raise InputError(f"the frame has the column {name!r} twice", hint="frame.loc[:, ~frame.columns.duplicated()]")
    values: list[Any] = frame[name].tolist()
    gone = frame[name].isna()
    if not gone.any():
        return values
    return [None if missing and not isinstance(v, float) else v for v, missing in zip(values, gone, strict=True)]
