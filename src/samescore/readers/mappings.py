"""Mappings and lists: {query: {document: number}}, {query: [documents]}, {query: {relevant documents}}."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from difflib import get_close_matches
from itertools import accumulate, chain
from typing import Any, TypeVar

import numpy as np

from ..errors import IdError, InputError, InputTypeError, MissingLibraryError, examples, short
from .columns import Kind, find_columns
from .data import Qrels, RankingRows, Run, gather_qrels, gather_run
from .values import LARGEST_WHOLE, WHOLE, Grade, as_grade, as_grades, as_id, as_ids, as_scores, distinct, is_iterable, negated

FRAMES = ("DataFrame", "LazyFrame", "Table", "RecordBatch")

_ARRAYS = ("Series", "ChunkedArray", "Array", "Index")

_LIBRARIES = ("pandas", "polars", "pyarrow")


def library(value: object, kinds: tuple[str, ...]) -> str:
    """The data library whose object this is, if it is of one of some kinds, or nothing (told without importing any)."""
    for kind in type(value).__mro__:
        name = kind.__module__.partition(".")[0]
        if name in _LIBRARIES and kind.__name__ in kinds:
            return name
    return ""


def is_keyed(value: object) -> bool:
    """Whether this is a Series of pandas, which has an index."""
    return library(value, ("Series",)) == "pandas"


def plain(value: Any, query: str) -> Any:
    """What stands under a query as pairs or a list, where it comes from numpy, pandas, polars or pyarrow; all else as it is.

    A Series of pandas is {document: number} by its index, or, where it holds texts over whole numbers, a list of ids as
    ``frame.groupby(...)["docno"]`` gives them. Series of polars and arrays have no index, so they are lists.

    Raises InputTypeError for whole numbers over whole numbers, of which either may be the ids, for a frame, and for an
    array that has not one dimension.
    """
    if isinstance(value, np.ndarray):
        if value.ndim != 1:
            what = f"an array of {value.ndim} dimensions stands here"
            raise InputTypeError(what, query=query, hint="an array of ids in order, or {document: number}")
        return value.tolist()
    if library(value, FRAMES):
        what = f"a {type(value).__name__} stands here, whose columns would be its ids"
        raise InputTypeError(what, query=query, hint="one frame for all queries, with the columns query_id and doc_id")
    if is_keyed(value):
        return _by_index(value, query)
    if library(value, _ARRAYS):
        return value.to_pylist() if hasattr(value, "to_pylist") else list(value)
    return value


def keyed(series: Any) -> dict[Any, Any] | list[tuple[Any, Any, Any]]:
    """A pandas Series for all queries: {query: value}, or (query, document, number) where its index has two levels.

    Raises InputTypeError where a query is there twice.
    """
    keys, values = series.index.tolist(), series.tolist()
    if series.index.nlevels == 2:
        return [(query, doc, number) for (query, doc), number in zip(keys, values, strict=True)]
    found = dict(zip(keys, values, strict=True))
    if len(found) < len(keys):
        twice = series.index[series.index.duplicated()].tolist()[0]
        raise InputTypeError("the query is there twice in the index", query=str(twice), hint="one entry for each query")
    return found


def _by_index(series: Any, query: str) -> Any:
    """The (document, number) pairs of a pandas Series, or its ids in order."""
    keys, values = series.index.tolist(), series.tolist()
    whole = bool(keys) and all(isinstance(key, WHOLE) for key in keys)
    if whole and any(isinstance(value, str) for value in values):
        return values
    if whole and all(isinstance(value, WHOLE) for value in values):
        what, hint = "a Series of whole numbers over whole numbers: either may be the ids", "series.to_dict() or series.tolist()"
        raise InputTypeError(what, query=query, hint=hint)
    return list(zip(keys, values, strict=True))


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
        grades, repeat = _judgements(value, query)
        if repeat:
            further[query] = repeat
        return grades

    grades = _plain_qrels(source) or _by_query(source, judged)
    rows = sum(map(len, grades.values())) + sum(map(len, further.values()))
    return Qrels(grades, rows, further)


def _plain_run(source: Mapping[Any, Any]) -> dict[str, RankingRows] | None:
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
    return {q: RankingRows(docs, scores[b - len(docs) : b]) for (q, docs), b in zip(source.items(), end, strict=True)}


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


def _ranking(value: Any, query: str) -> RankingRows:
    """One ranking in any of its three forms."""
    if isinstance(value, Mapping):
        docs = _keys(value, query)
        return RankingRows(docs, as_scores(value.values(), docs, query=query))
    rows = _ordered(value, query)
    if rows and _is_pair(rows[0]):
        _refuse_mixed(rows, query, "score")
        ids = as_ids([doc for doc, _ in rows], query=query)
        return RankingRows(ids, as_scores([score for _, score in rows], ids, query=query))
    return RankingRows(as_ids(rows, query=query))


def _ordered(value: Any, query: str) -> Sequence[Any]:
    """A ranking as a sequence; what has no order, or is one text, is refused."""
    value = value if type(value) in (list, tuple) else plain(value, query)
    if isinstance(value, TEXTS):
        raise InputTypeError(f"the ranking is one text, {short(value)}", query=query, hint="a list of document ids")
    if isinstance(value, Set) and not isinstance(value, _VIEWS):
        raise InputTypeError("the ranking is a set, which has no order", query=query, hint="a list in order of rank")
    if isinstance(value, Sequence):
        return value
    if is_iterable(value):
        return list(value)
    kind = type(value).__name__
    raise InputTypeError(f"the ranking is of type {kind}", query=query, hint="a list of ids or {document: score}")


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
            raise InputTypeError(what, query=query, hint="pairs throughout, or ids throughout")


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
        raise InputTypeError(what, query=query, hint="a set of document ids")
    if not is_iterable(value):
        what = f"the judgements are of type {type(value).__name__}"
        raise InputTypeError(what, query=query, hint="{document: grade} or a set of relevant documents")
    return _relevant(list(value), query)


def _relevant(rows: list[Any], query: str) -> tuple[Mapping[str, Grade], list[tuple[str, Grade]]]:
    """A list of relevant documents, or of (document, grade) pairs; one that is there twice is a further row."""
    paired = bool(rows) and _is_pair(rows[0])
    if paired:
        _refuse_mixed(rows, query, "grade")
    grades: dict[str, Grade] = {}
    repeat: list[tuple[str, Grade]] = []
    for row in rows:
        doc = as_id(row[0] if paired else row, query=query)
        grade = as_grade(row[1], doc=doc, query=query) if paired else 1
        if doc in grades:
            repeat.append((doc, grade))
        else:
            grades[doc] = grade
    return grades, repeat


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
    run = read_run_mapping(_records_by_query(rows, _RETRIEVED))
    return Run(run.rankings, run.rows, name)


def read_qrels_rag(rows: Sequence[Mapping[str, Any]], *, name: str = "qrels") -> Qrels:
    """Qrels from the reference ids of each record, all with grade 1."""
    qrels = read_qrels_mapping(_records_by_query(rows, _RELEVANT))
    return Qrels(qrels.grades, qrels.rows, qrels.further, name)


def _records_by_query(rows: Sequence[Mapping[str, Any]], field: str) -> dict[str, Any]:
    """The list of ids of each record by its query."""
    lists: dict[str, Any] = {}
    for number, row in enumerate(rows, 1):
        where = f"record {number}"
        key = next((key for key in _QUERY if row.get(key) is not None), None)
        if key is None:
            raise InputError(f"the record has no query_id, but {examples(row)}", where=where, hint="give each record its query_id")
        query = as_id(row[key], kind="query")
        if query in lists:
            raise IdError("there are two records of one query", where=where, query=query, hint="one record a query")
        found = row.get(field)
        if found is None:
            raise InputError(f"the record has no {field}", where=where, query=query, hint="an empty list if there are none")
        lists[query] = found
    return lists


def _fields(
    rows: Sequence[Mapping[str, Any]], kind: Kind, names: Mapping[str, str] | None
) -> tuple[list[Any], list[Any], list[Any], str]:
    """Queries, documents and numbers of records with one document each, and what the numbers are."""
    columns = find_columns(list(rows[0]), kind, names, {"where": "record 1"})
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
        raise MissingLibraryError("ir_datasets is not installed", file=source, hint="pip install ir_datasets") from None
    name = source.removeprefix(IRDS)
    try:
        data = ir_datasets.load(name)
        rows = list(data.qrels_iter()) if data.has_qrels() else None
    except KeyError:
        near = get_close_matches(name, list(ir_datasets.registry), 3)
        hint = ", ".join(near) or "an id of ir-datasets.com"
        raise InputError("ir_datasets has no such data set", file=source, hint=hint) from None
    except Exception as error:  # whatever downloads and parsers raise
        what = f"ir_datasets cannot load it: {type(error).__name__}: {error}"
        raise InputError(what, file=source, hint="see that it can be downloaded, or give the qrels as a file") from error
    if rows is None:
        raise InputError("the data set has no qrels", file=source, hint="one of its subsets, such as .../dev or .../test")
    return replace(read_qrels_rows(rows), name=source)
