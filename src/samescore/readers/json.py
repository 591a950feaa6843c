"""JSON and JSON Lines: mappings of queries, or records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..errors import FormatError, IdError, InputError, InputTypeError, short
from ..typing import ColumnNames
from .columns import Columns, Kind, find_roles
from .mappings import read_mapping, read_records, refuse_lists
from .shapes import query_id, record_shape


def read_json(data: bytes, kind: Kind, names: ColumnNames | None = None) -> Mapping[Any, Any] | Columns:
    """JSON: {query: {document: number}}, {query: [documents]}, records, one of these a line, or a document of another tool."""
    parsed = _lines(data, names) if is_lines(data) else _document(data, names)
    return read_mapping(parsed, kind, names) if isinstance(parsed, dict) else read_records(parsed, kind, names)


def is_lines(head: bytes) -> bool:
    """Whether the first line is a JSON object of its own, with more to come."""
    first, more, rest = head.strip().partition(b"\n")
    try:
        return bool(more) and rest.lstrip()[:1] == b"{" and isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


_FORMS = '{"query": {"document": 1.5}}, or {"query": ["document"]}, or records with query_id, doc_id and score'


def _document(data: bytes, names: ColumnNames | None) -> dict[str, Any] | list[dict[str, Any]]:
    """One JSON value as a mapping of queries, or a list of records."""
    value = load_json(data, 1)
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        raise _repeated_query(repeated(value))
    if isinstance(value, list):
        for row in value:
            _refuse_repeated(row)
    if isinstance(value, dict):
        return [value] if _is_record(value, names) else value
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return value
    refuse_lists(value if isinstance(value, list) else ())
    raise InputTypeError(f"the JSON is neither a mapping of queries nor records, but {short(value)}", hint=_FORMS)


def _lines(data: bytes, names: ColumnNames | None) -> dict[str, Any] | list[dict[str, Any]]:
    """JSON Lines as records, or as one mapping."""
    rows = [(number, load_json(line, number)) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    for number, row in rows:
        _refuse_repeated(row, number)
        if not isinstance(row, dict):
            raise InputTypeError(f"{short(row)} is no JSON object", line=number, hint="one object a line")
    if _is_record(rows[0][1], names):
        return [row for _, row in rows]
    merged: dict[str, Any] = {}
    for number, row in rows:
        for query, value in row.items():
            if query in merged:
                raise _repeated_query(query).at(line=number)
            merged[query] = value
    return merged


def _repeated_query(query: str) -> IdError:
    """The error for a query that has two entries."""
    return IdError("the query is there twice", query=query, hint="one entry for each query")


def repeated(pairs: list[tuple[str, Any]]) -> str:
    """The first key that is there a second time."""
    counts = Counter(key for key, _ in pairs)
    return next(key for key, _ in pairs if counts[key] > 1)


def _refuse_repeated(row: Any, line: int | None = None) -> None:
    """Raise FormatError for a record in which a name stands twice."""
    if isinstance(row, list) and row and isinstance(row[0], tuple):
        raise FormatError(f"{short(repeated(row))} stands twice in a JSON object", line=line, hint="one value for each name")


def load_json(data: bytes, line: int = 1) -> Any:
    """A JSON value that begins on a line; an object that repeats a key is a list of pairs, so that none is lost.

    Raises FormatError for what is no JSON, or more than Python will hold.
    """
    try:
        return json.loads(data.decode(), object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start)
        raise FormatError("not UTF-8 text", line=line, hint="convert the file with iconv -t UTF-8") from None
    except json.JSONDecodeError as error:
        raise FormatError(f"broken JSON: {error.msg}", line=line + error.lineno - 1, hint="write it with json.dump") from None
    except RecursionError:
        raise FormatError("the JSON is nested too deeply", line=line, hint=_FORMS) from None
    except ValueError as error:  # a number of more than 4300 digits
        raise FormatError(f"broken JSON: {error}", line=line, hint="numbers that fit a float") from None


def _object(pairs: list[tuple[str, Any]]) -> Any:
    """An object as a dict, or as pairs where a key is there twice."""
    by_key = dict(pairs)
    return by_key if len(by_key) == len(pairs) else pairs


_KINDS: tuple[Kind, ...] = ("run", "qrels")


def _is_record(value: Mapping[str, Any], names: ColumnNames | None) -> bool:
    """Whether this object is a record, of one query or of one document."""
    shape = record_shape(value, names)
    return any(_is_row(value, kind, names) for kind in _KINDS) if shape is None else query_id(value, shape) is not None


def _is_row(value: Mapping[str, Any], kind: Kind, names: ColumnNames | None) -> bool:
    """Whether this object has a query, a document and a number."""
    try:
        return not isinstance(value[find_roles(list(value), kind, names).query], (dict, list))
    except InputError:
        return False
