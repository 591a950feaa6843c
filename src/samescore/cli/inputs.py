"""Small files of a query and a word a line, or a JSON object of them: which answers were right, which slice a query is in."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any

from ..errors import FormatError, InputError, examples, short

WORDS = {"true": True, "1": True, "yes": True, "right": True, "false": False, "0": False, "no": False, "wrong": False}
"""How an answer is told to be right or wrong."""

ID_NAMES = ("_id", "id", "docid", "doc_id", "docno", "pid", "passage_id", "document_id", "corpus-id", "corpus_id")
"""What the id of a document is called in a corpus."""

BLANKS = " \t\r\n\v\f"
"""What stands between words; a no-break space belongs to an id."""


def read_answers(path: str) -> dict[str, bool]:
    """Query -> whether its answer was right.

    Raises FormatError for a word that says neither, with the line.
    """
    return {query: _read_answer(word, where) for query, (word, where) in _read(path).items()}


def read_labels(path: str) -> dict[str, object]:
    """Query -> label, or chunk -> document; as JSON has it, so that null is none."""
    return {query: word for query, (word, _) in _read(path).items()}


def read_weights(path: str) -> dict[str, float]:
    """Query -> weight.

    Raises FormatError for what is no number, with the line.
    """
    weights = {}
    for query, (word, where) in _read(path).items():
        try:
            weights[query] = float(str(word))
        except ValueError:
            raise FormatError(f"the weight is {short(word)}", **where, hint="a number of at least 0") from None
    return weights


def read_ids(path: str) -> list[str]:
    """The ids of a corpus: one a line, what stands before a tab, the column of ids below a header, {id: text}, or JSON Lines.

    Raises FormatError for JSON that is broken, or without an id.
    """
    text = _text(path)
    if text.lstrip(BLANKS).startswith("{"):
        return _json_ids(text, path)
    lines = [line.strip(BLANKS) for line in text.split("\n") if line.strip(BLANKS)]
    for separator in "\t,":
        header = [word.strip().lower() for word in lines[0].split(separator)] if lines else []
        column = next((header.index(name) for name in ID_NAMES if name in header), None)
        if column is not None and len(header) > 1:
            return [row[column].strip() for row in csv.reader(lines[1:], delimiter=separator) if len(row) > column]
    return [line.partition("\t")[0].strip(BLANKS) for line in lines]


def _json_ids(text: str, path: str) -> list[str]:
    """The keys of one JSON object, or the id of the object in each line."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict) and not any(name in whole for name in ID_NAMES):
        return list(whole)
    ids = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip(BLANKS):
            continue
        try:
            record = json.loads(line)
            ids.append(str(next(record[name] for name in ID_NAMES if name in record)))
        except (ValueError, TypeError, RecursionError, StopIteration):
            what = f"no JSON object with an id: {short(line)}"
            raise FormatError(what, file=path, line=number, hint='{"_id": "d1", "text": "..."} in each line') from None
    return ids


def _read(path: str) -> dict[str, tuple[object, Any]]:
    """Query -> word, and where it stands."""
    text = _text(path)
    words: dict[str, tuple[object, Any]] = {}
    for query, word, where in (_pairs if text.lstrip(BLANKS).startswith("{") else _lines)(text, path):
        if words.setdefault(query, (word, where))[0] != word:
            raise FormatError("the query is there twice, with another word", **{"query": query, **where}, hint="one word a query")
    return words


def _lines(text: str, path: str) -> Iterator[tuple[str, object, Any]]:
    """Query, word and place of each line."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip(BLANKS) and not line.startswith("# "):
            where: Any = {"file": path, "line": number}
            query, _, word = (part.strip(BLANKS) for part in line.strip(BLANKS).partition("\t" if "\t" in line else " "))
            if not word:
                raise FormatError(f"one column, not two: {short(line)}", **where, hint="a query, a tab, and a word")
            yield query, word, where


def _pairs(text: str, path: str) -> Iterator[tuple[str, object, Any]]:
    """Query, word and place of each pair of a JSON object."""
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except RecursionError:
        raise FormatError("the JSON is nested too deeply", file=path, hint='{"q1": true}') from None
    except ValueError as error:
        raise FormatError(f"this is no JSON: {error}", file=path, hint='{"q1": true}') from None
    for query, word in pairs:
        yield query, word, {"file": path, "query": query}


def _read_answer(word: object, where: Any) -> bool:
    """Whether an answer was right."""
    if isinstance(word, bool):
        return word
    right = WORDS.get(str(word).strip().lower())
    if right is None:
        raise FormatError(f"{short(word)} says neither right nor wrong", **where, hint=examples(WORDS, len(WORDS)))
    return right


def _text(path: str) -> str:
    """A file as text."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except FileNotFoundError:
        raise InputError("there is no such file", file=path, hint="check the path") from None
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror or error}", file=path) from None
    except UnicodeDecodeError:
        raise FormatError("the file is not UTF-8 text", file=path, hint="convert it with iconv -t UTF-8") from None
