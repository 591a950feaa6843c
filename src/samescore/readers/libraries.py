"""Runs and qrels of other libraries: ranx's Run and Qrels, ir_measures' ScoredDoc and Qrel, the qrels of ir_datasets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from ..errors import InputError, InputTypeError, MissingLibraryError, short
from .found import Qrels, Run
from .mappings import read_qrels_mapping, read_run_mapping
from .records import read_qrels_records, read_run_records
from .rows import gather_qrels, gather_run

IRDS = "irds:"
Names = Mapping[str, str] | None


def is_ranx(source: object) -> bool:
    """Whether this is a Run or Qrels of ranx (told without importing it)."""
    return type(source).__module__.partition(".")[0] == "ranx" and hasattr(source, "to_dict")


def read_run_ranx(source: Any) -> Run:
    """A run from a ranx Run."""
    return read_run_mapping(source.to_dict())


def read_qrels_ranx(source: Any) -> Qrels:
    """Qrels from a ranx Qrels."""
    return read_qrels_mapping(source.to_dict())


def read_run_rows(source: Iterable[Any], names: Names = None) -> Run:
    """A run from an iterable of rows: dictionaries, or objects with query_id, doc_id and score such as ir_measures' ScoredDoc."""
    rows = list(source)
    if rows and isinstance(rows[0], Mapping):
        return read_run_records(rows, names)
    _check_fields(rows, ("query_id", "doc_id", "score"))
    return gather_run([r.query_id for r in rows], [r.doc_id for r in rows], [r.score for r in rows])


def read_qrels_rows(source: Iterable[Any], names: Names = None) -> Qrels:
    """Qrels from an iterable of rows: dictionaries, or objects with query_id, doc_id and relevance such as ir_measures' Qrel."""
    rows = list(source)
    if rows and isinstance(rows[0], Mapping):
        return read_qrels_records(rows, names)
    _check_fields(rows, ("query_id", "doc_id", "relevance"))
    iterations = [getattr(row, "iteration", "0") for row in rows]
    return gather_qrels([r.query_id for r in rows], [r.doc_id for r in rows], [r.relevance for r in rows], iterations=iterations)


def _check_fields(rows: list[Any], fields: tuple[str, ...]) -> None:
    """Refuse rows that lack a field."""
    for row in rows:
        if not all(hasattr(row, field) for field in fields):
            what = f"{short(row)} has no {', '.join(f for f in fields if not hasattr(row, f))}"
            raise InputTypeError(what, hint=f"rows with {', '.join(fields)}, or a mapping of queries")


def is_irds(source: object) -> bool:
    """Whether this names a data set of ir_datasets."""
    return isinstance(source, str) and source.startswith(IRDS)


def read_qrels_irds(source: str) -> Qrels:
    """Qrels from ir_datasets, which downloads them at their first use: ``irds:msmarco-passage/dev/small``."""
    try:
        import ir_datasets  # noqa: PLC0415  # only here, and only where it is asked for
    except ImportError:
        raise MissingLibraryError("ir_datasets is not installed", where=source, hint="pip install ir_datasets") from None
    name = source.removeprefix(IRDS)
    try:
        data = ir_datasets.load(name)
        rows = list(data.qrels_iter()) if data.has_qrels() else None
    except KeyError:
        near = get_close_matches(name, list(ir_datasets.registry), 3)
        hint = ", ".join(near) or "an id of ir-datasets.com"
        raise InputError("ir_datasets has no such data set", where=source, hint=hint) from None
    except Exception as error:  # whatever downloads and parsers raise
        what = f"ir_datasets cannot load it: {type(error).__name__}: {error}"
        raise InputError(what, where=source, hint="see that it can be downloaded, or give the qrels as a file") from error
    if rows is None:
        raise InputError("the data set has no qrels", where=source, hint="one of its subsets, such as .../dev or .../test")
    return replace(read_qrels_rows(rows), name=source)
