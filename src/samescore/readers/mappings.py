"""Mappings and lists: {query: {document: number}}, {query: [documents]}, {query: {relevant documents}}."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import accumulate, chain
from typing import Any, TypeVar

import numpy as np

from ..errors import InputTypeError, short, spot
from .found import Found, Grade, Qrels, Run
from .series import plain
from .values import LARGEST_WHOLE, as_grade, as_grades, as_id, as_ids, as_scores, distinct, is_iterable

T = TypeVar("T")

BATCH = 4096
"""How many scores become an array at once: few enough that numpy's second look at them finds them in the cache."""


def read_run_mapping(source: Mapping[Any, Any]) -> Run:
    """A run from query -> ranking; a ranking is a list of ids, {document: score}, or a list of (document, score)."""
    rankings = _plain_run(source) or _by_query(source, _ranking)
    return Run(rankings, sum(len(r.docs) for r in rankings.values()))


def read_qrels_mapping(source: Mapping[Any, Any]) -> Qrels:
    """Qrels from query -> {document: grade}, or query -> the set or list of relevant documents."""
    further: dict[str, list[tuple[str, Grade]]] = {}

    def judged(value: Any, query: str) -> Mapping[str, Grade]:
        grades, again = _judgements(value, query)
        if again:
            further[query] = again
        return grades

    grades = _plain_qrels(source) or _by_query(source, judged)
    rows = sum(map(len, grades.values())) + sum(map(len, further.values()))
    return Qrels(grades, rows, further)


def _plain_run(source: Mapping[Any, Any]) -> dict[str, Found] | None:
    """The commonest run, dicts of text to numbers, all at once; None where anything is otherwise."""
    if not _has_plain_ids(source):
        return None
    rankings, end = list(source.values()), list(accumulate(map(len, source.values())))
    some = 1 + BATCH * len(rankings) // (end[-1] + 1)
    batches = (rankings[i : i + some] for i in range(0, len(rankings), some))
    try:
        parts = [np.array(list(chain.from_iterable(map(dict.values, batch)))) for batch in batches]
    except ValueError:  # scores that are lists
        return None
    if any(part.dtype.kind not in "fiub" or part.ndim > 1 for part in parts):
        return None
    scores = np.concatenate(parts).astype(np.float64, copy=False) + 0.0
    if np.isnan(scores).any():
        return None
    return {q: Found(docs, scores[b - len(docs) : b]) for (q, docs), b in zip(source.items(), end, strict=True)}


def _plain_qrels(source: Mapping[Any, Any]) -> dict[str, Mapping[str, Grade]] | None:
    """The commonest qrels, dicts of text to whole grades, all at once; None where anything is otherwise."""
    if not _has_plain_ids(source) or set(map(type, chain.from_iterable(map(dict.values, source.values())))) != {int}:
        return None
    largest = max(max(map(abs, docs.values()), default=0) for docs in source.values())
    return dict(source) if largest <= LARGEST_WHOLE else None


def _has_plain_ids(source: Mapping[Any, Any]) -> bool:
    """Whether all is dicts with ids of text, none empty."""
    if set(map(type, source.values())) != {dict} or set(map(type, source)) != {str}:
        return False
    if "" in source or any("" in docs for docs in source.values()):
        return False
    try:
        for docs in source.values():
            "".join(docs)  # the quickest way to see that all are text
    except TypeError:
        return False
    return True


def _by_query(source: Mapping[Any, Any], read: Callable[[Any, str], T]) -> dict[str, T]:
    """Read the value under each query, with the query ids as text."""
    ids = [key if type(key) is str and key else as_id(key, kind="query") for key in source]
    if set(map(type, source)) - {str}:
        distinct(source, ids, kind="query")
    return {query: read(value, query) for query, value in zip(ids, source.values(), strict=True)}


def _ranking(value: Any, query: str) -> Found:
    """One ranking in any of its three forms."""
    if isinstance(value, Mapping):
        docs = _keys(value, query)
        return Found(docs, as_scores(value.values(), docs, query=query))
    rows = _ordered(value, query)
    if rows and _is_pair(rows[0]):
        _refuse_mixed(rows, query, "score")
        ids = as_ids([doc for doc, _ in rows], query=query)
        return Found(ids, as_scores([score for _, score in rows], ids, query=query))
    return Found(as_ids(rows, query=query))


def _ordered(value: Any, query: str) -> Sequence[Any]:
    """A ranking as a sequence; what has no order, or is one text, is refused."""
    value = value if type(value) in (list, tuple) else plain(value, query)
    if isinstance(value, TEXTS):
        raise InputTypeError(f"the ranking is one text, {short(value)}", where=spot(query=query), hint="a list of document ids")
    if isinstance(value, Set) and not isinstance(value, _VIEWS):
        raise InputTypeError("the ranking is a set, which has no order", where=spot(query=query), hint="a list in order of rank")
    if isinstance(value, Sequence):
        return value
    if is_iterable(value):
        return list(value)
    kind = type(value).__name__
    raise InputTypeError(f"the ranking is of type {kind}", where=spot(query=query), hint="a list of ids or {document: score}")


TEXTS = (str, bytes, bytearray, memoryview)
_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.items()))
"""The sets that have an order."""


def _is_pair(row: Any) -> bool:
    """Whether this is a document with its number; JSON has a list for it."""
    return isinstance(row, (tuple, list)) and len(row) == 2


def _refuse_mixed(rows: Iterable[Any], query: str, number: str) -> None:
    """Raise InputTypeError for what is no pair among pairs."""
    for row in rows:
        if not _is_pair(row):
            what = f"{short(row)} stands among (document, {number}) pairs"
            raise InputTypeError(what, where=spot(query=query), hint="pairs throughout, or ids throughout")


def _keys(value: Mapping[Any, Any], query: str) -> dict[str, Any]:
    """The documents of a mapping as the keys of a dict; the mapping itself where they are text already."""
    if type(value) is dict and set(map(type, value)) <= {str} and "" not in value:
        return value
    docs = as_ids(list(value), query=query)
    distinct(value, docs, kind="document", query=query)
    return dict(zip(docs, value.values(), strict=True))


def _judgements(value: Any, query: str) -> tuple[Mapping[str, Grade], list[tuple[str, Grade]]]:
    """The grades of one query, and the rows that judge a document again."""
    if isinstance(value, Mapping):
        docs = _keys(value, query)
        grades = as_grades(value.values(), docs, query=query)
        return dict(zip(docs, grades, strict=True)), []
    value = plain(value, query)
    if isinstance(value, TEXTS):
        what = f"the relevant documents are one text, {short(value)}"
        raise InputTypeError(what, where=spot(query=query), hint="a set of document ids")
    if not is_iterable(value):
        what = f"the judgements are of type {type(value).__name__}"
        raise InputTypeError(what, where=spot(query=query), hint="{document: grade} or a set of relevant documents")
    return _relevant(list(value), query)


def _relevant(rows: list[Any], query: str) -> tuple[Mapping[str, Grade], list[tuple[str, Grade]]]:
    """A list of relevant documents, or of (document, grade) pairs; one that is there twice is a further row."""
    paired = bool(rows) and _is_pair(rows[0])
    if paired:
        _refuse_mixed(rows, query, "grade")
    grades: dict[str, Grade] = {}
    again: list[tuple[str, Grade]] = []
    for row in rows:
        doc = as_id(row[0] if paired else row, query=query)
        grade = as_grade(row[1], doc=doc, query=query) if paired else 1
        if doc in grades:
            again.append((doc, grade))
        else:
            grades[doc] = grade
    return grades, again
