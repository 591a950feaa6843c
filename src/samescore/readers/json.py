"""JSON and JSON Lines: mappings of queries, or records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..errors import FormatError, IdError, InputError, InputTypeError, short
from .columns import Kind, find_columns
from .data import Qrels, Run
from .mappings import is_rag, read_qrels_mapping, read_qrels_records, read_run_mapping, read_run_records

Names = Mapping[str, str] | None


def read_run_json(data: bytes, names: Names = None, *, name: str) -> Run:
    """A run from JSON: {query: {document: score}}, {query: [documents]}, records, or one of these a line."""
    found = _parsed(data, name)
    run = read_run_mapping(found) if isinstance(found, dict) else read_run_records(found, names, name=name)
    return Run(run.rankings, run.rows, name)


def read_qrels_json(data: bytes, names: Names = None, *, name: str) -> Qrels:
    """Qrels from JSON: {query: {document: grade}}, {query: [documents]}, records, or one of these a line."""
    found = _parsed(data, name)
    qrels = read_qrels_mapping(found) if isinstance(found, dict) else read_qrels_records(found, names, name=name)
    return Qrels(qrels.grades, qrels.rows, qrels.further, name)


def is_lines(head: bytes) -> bool:
    """Whether the first line is a JSON object of its own, with more to come."""
    first, more, rest = head.strip().partition(b"\n")
    try:
        return bool(more) and rest.lstrip()[:1] == b"{" and isinstance(json.loads(first), dict)
    except ValueError:
        return False


def _parsed(data: bytes, name: str) -> dict[str, Any] | list[dict[str, Any]]:
    """A mapping of queries, or a list of records."""
    if is_lines(data):
        return _merged(data, name)
    found = _loaded(data, name, 1)
    if isinstance(found, list) and found and isinstance(found[0], tuple):
        seen: set[str] = set()
        twice = next(key for key, _ in found if key in seen or seen.add(key))  # type: ignore[func-returns-value]  # add returns None
        raise IdError("the query is there twice", file=name, query=twice, hint="one entry for each query")
    if isinstance(found, dict):
        return [found] if is_rag(found) or _is_row(found) else found
    if isinstance(found, list) and found and all(isinstance(row, dict) for row in found):
        return found
    raise InputTypeError(f"the JSON is neither a mapping of queries nor records, but {short(found)}", file=name, hint=_FORMS)


_KINDS: tuple[Kind, ...] = ("run", "qrels")

_FORMS = '{"query": {"document": 1.5}}, or {"query": ["document"]}, or records with query_id, doc_id and score'


def _merged(data: bytes, name: str) -> dict[str, Any] | list[dict[str, Any]]:
    """JSON Lines as records, or as one mapping."""
    lines = [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    rows = [(number, _loaded(line, name, number)) for number, line in lines]
    for number, row in rows:
        if not isinstance(row, dict):
            raise InputTypeError(f"{short(row)} is no JSON object", file=name, line=number, hint="one object a line")
    if is_rag(rows[0][1]) or _is_row(rows[0][1]):
        return [row for _, row in rows]
    merged: dict[str, Any] = {}
    for number, row in rows:
        for query, value in row.items():
            if query in merged:
                raise IdError("the query is there twice", file=name, line=number, query=query, hint="one entry for each query")
            merged[query] = value
    return merged


def _loaded(data: bytes, name: str, line: int) -> Any:
    """A JSON value; an object that repeats a key is a list of pairs, so that none is lost."""
    try:
        return json.loads(data.decode(), object_pairs_hook=_kept)
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start)
        raise FormatError("not UTF-8 text", file=name, line=line, hint="convert the file with iconv -t UTF-8") from None
    except json.JSONDecodeError as error:
        line += error.lineno - 1
        raise FormatError(f"broken JSON: {error.msg}", file=name, line=line, hint="write it with json.dump") from None
    except RecursionError:
        raise FormatError("the JSON is nested too deeply", file=name, line=line, hint=_FORMS) from None


def _kept(pairs: list[tuple[str, Any]]) -> Any:
    """An object as a dict, or as pairs where a key is there twice."""
    found = dict(pairs)
    return found if len(found) == len(pairs) else pairs


def _is_row(found: Mapping[str, Any]) -> bool:
    """Whether this object is a record of one document."""
    for kind in _KINDS:
        try:
            columns = find_columns(list(found), kind)
        except InputError:
            continue
        return not isinstance(found[columns.query], (dict, list))
    return False
