"""Records: a list of dictionaries, one a document, or one a query with lists of ids as RAG evaluation has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import IdError, InputError, InputTypeError, examples, short, spot
from .columns import Kind, find_columns
from .found import Qrels, Run
from .mappings import read_qrels_mapping, read_run_mapping
from .rows import gather_qrels, gather_run
from .values import as_id, negated

_RETRIEVED, _RELEVANT = "retrieved_context_ids", "reference_context_ids"
_QUERY = ("query_id", "qid", "q_id", "id", "user_input")


def is_rag(names: Iterable[str]) -> bool:
    """Whether records with these keys hold lists of retrieved or of relevant ids."""
    return not {_RETRIEVED, _RELEVANT}.isdisjoint(names)


def read_run_records(rows: Sequence[Mapping[str, Any]], names: Mapping[str, str] | None = None, *, name: str = "run") -> Run:
    """A run from records."""
    if is_rag(rows[0]):
        return read_run_rag(rows, name=name)
    queries, docs, numbers, what = _fields(rows, "run", names)
    return gather_run(queries, docs, negated(numbers) if what == "rank" else numbers, name=name)


def read_qrels_records(rows: Sequence[Mapping[str, Any]], names: Mapping[str, str] | None = None, *, name: str = "qrels") -> Qrels:
    """Qrels from records."""
    if is_rag(rows[0]):
        return read_qrels_rag(rows, name=name)
    queries, docs, numbers, _ = _fields(rows, "qrels", names)
    return gather_qrels(queries, docs, numbers, name=name)


def read_run_rag(rows: Sequence[Mapping[str, Any]], *, name: str = "run") -> Run:
    """A run from the retrieved ids of each record, in their order."""
    run = read_run_mapping(_by_query(rows, _RETRIEVED))
    return Run(run.rankings, run.rows, name)


def read_qrels_rag(rows: Sequence[Mapping[str, Any]], *, name: str = "qrels") -> Qrels:
    """Qrels from the reference ids of each record, all with grade 1."""
    qrels = read_qrels_mapping(_by_query(rows, _RELEVANT))
    return Qrels(qrels.grades, qrels.rows, qrels.further, name)


def _by_query(rows: Sequence[Mapping[str, Any]], field: str) -> dict[str, Any]:
    """The list of ids of each record by its query."""
    lists: dict[str, Any] = {}
    for number, row in enumerate(rows, 1):
        where = f"record {number}"
        key = next((key for key in _QUERY if row.get(key) is not None), None)
        if key is None:
            raise InputError(f"the record has no query_id, but {examples(row)}", where=where, hint="give each record its query_id")
        query = as_id(row[key], kind="query")
        if query in lists:
            raise IdError("there are two records of one query", where=f"{where}, {spot(query=query)}", hint="one record a query")
        found = row.get(field)
        if found is None:
            where = f"{where}, {spot(query=query)}"
            raise InputError(f"the record has no {field}", where=where, hint="an empty list if there are none")
        lists[query] = found
    return lists


def _fields(
    rows: Sequence[Mapping[str, Any]], kind: Kind, names: Mapping[str, str] | None
) -> tuple[list[Any], list[Any], list[Any], str]:
    """Queries, documents and numbers of records with one document each, and what the numbers are."""
    columns = find_columns(list(rows[0]), kind, names, where="record 1")
    fields = (columns.query, columns.doc, columns.number)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise InputTypeError(f"{short(row)} stands among records", where=f"record {number}", hint="dictionaries throughout")
        if not all(field in row for field in fields):
            lacking = next(field for field in fields if field not in row)
            what = f"the record has no {lacking!r}, but {examples(row)}"
            raise InputError(what, where=f"record {number}", hint=f"give it {lacking!r}")
    queries, docs, numbers = ([row[field] for row in rows] for field in fields)
    return queries, docs, numbers, columns.what
