"""Runs and qrels of other libraries: ranx's Run and Qrels, ir_measures' iterables of ScoredDoc and Qrel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import InputTypeError, short
from .found import Qrels, Run
from .mappings import read_qrels_mapping, read_run_mapping
from .rows import gather_qrels, gather_run


def is_ranx(source: object) -> bool:
    """Whether this is a Run or Qrels of ranx (told without importing it)."""
    return type(source).__module__.partition(".")[0] == "ranx" and hasattr(source, "to_dict")


def read_run_ranx(source: Any) -> Run:
    """A run from a ranx Run."""
    return read_run_mapping(source.to_dict())


def read_qrels_ranx(source: Any) -> Qrels:
    """Qrels from a ranx Qrels."""
    return read_qrels_mapping(source.to_dict())


def read_run_rows(source: Iterable[Any]) -> Run:
    """A run from an iterable of rows with query_id, doc_id and score, such as ir_measures' ScoredDoc."""
    rows = _with_fields(source, ("query_id", "doc_id", "score"))
    return gather_run([r.query_id for r in rows], [r.doc_id for r in rows], [r.score for r in rows])


def read_qrels_rows(source: Iterable[Any]) -> Qrels:
    """Qrels from an iterable of rows with query_id, doc_id and relevance, such as ir_measures' Qrel."""
    rows = _with_fields(source, ("query_id", "doc_id", "relevance"))
    iterations = [getattr(row, "iteration", "0") for row in rows]
    return gather_qrels([r.query_id for r in rows], [r.doc_id for r in rows], [r.relevance for r in rows], iterations=iterations)


def _with_fields(source: Iterable[Any], fields: tuple[str, ...]) -> list[Any]:
    """The rows as a list, each with the fields."""
    rows = list(source)
    for row in rows:
        if not all(hasattr(row, field) for field in fields):
            what = f"{short(row)} has no {', '.join(f for f in fields if not hasattr(row, f))}"
            raise InputTypeError(what, hint=f"rows with {', '.join(fields)}, or a mapping of queries")
    return rows
