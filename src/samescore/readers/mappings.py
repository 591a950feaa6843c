"""Python objects: mappings and lists by query, Series, records, and the objects of ir_measures, ranx and ir_datasets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from difflib import get_close_matches
from itertools import accumulate, chain
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from ..errors import IdError, InputError, InputTypeError, MissingLibraryError, SamescoreError, examples, short
from ..typing import ColumnNames
from ..user_code import raising
from .columns import LOWER_IS_BETTER, OTHER, Columns, Kind, QueryRows, find_roles, given_as
from .data import RankingRows
from .values import LARGEST_WHOLE, WHOLE, Grade, as_id, as_ids, distinct, is_iterable, negated

FRAMES = ("DataFrame", "LazyFrame", "Table", "RecordBatch")

ARRAYS = ("Series", "ChunkedArray", "Array", "Index")

_LIBRARIES = ("pandas", "polars", "pyarrow")


def library(value: object, kinds: tuple[str, ...]) -> str:
    """The data library whose object this is, if it is of one of some kinds, or nothing (told without importing any)."""
    for kind in type(value).__mro__:
        name = kind.__module__.partition(".")[0]
        if name in _LIBRARIES and kind.__name__ in kinds:
            return name
    return ""


# Mappings by query

_BATCH = 4096
"""How many scores become an array at once: few enough that numpy's second look at them finds them in the cache."""


def plain_rankings(source: Mapping[Any, Any]) -> dict[str, RankingRows] | None:
    """The rankings of the commonest run, dicts of text to numbers, without a copy; None where anything is otherwise."""
    if not _has_plain_ids(source):
        return None
    rankings, ends = list(source.values()), list(accumulate(map(len, source.values())))
    per_batch = 1 + _BATCH * len(rankings) // (ends[-1] + 1)
    batches = (rankings[i : i + per_batch] for i in range(0, len(rankings), per_batch))
    try:
        parts = [np.array(list(chain.from_iterable(map(dict.values, batch)))) for batch in batches]
    except Exception:  # scores that are lists, or objects that raise what they like
        return None
    if any(part.dtype.kind not in "fiub" or part.ndim > 1 for part in parts):
        return None
    scores = np.concatenate(parts).astype(np.float64, copy=False) + 0.0
    if np.isnan(scores).any():
        return None
    return {
        query: RankingRows(docs, scores[end - len(docs) : end]) for (query, docs), end in zip(source.items(), ends, strict=True)
    }


def plain_grades(source: Mapping[Any, Any]) -> Mapping[str, Mapping[str, Grade]] | None:
    """The commonest qrels, dicts of text to whole grades, without a copy; None where anything is otherwise."""
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


def rows_by_query(source: Mapping[Any, Any], kind: Kind) -> Iterator[tuple[str, QueryRows]]:
    """The rows under each query, which are {document: number}, (document, number) pairs or documents.

    Raises InputError for what is none of these, and where two keys are one id.
    """
    ids = [key if type(key) is str and key else as_id(key, kind="query") for key in source]
    if set(map(type, source)) - {str}:
        distinct(source, ids, kind="query")
    for query, value in zip(ids, source.values(), strict=True):
        yield query, _query_rows(value, query, kind)


def _query_rows(value: Any, query: str, kind: Kind) -> QueryRows:
    """What stands under one query, in any of its three forms."""
    if isinstance(value, Mapping):
        return QueryRows(_by_id(value, query), value.values())
    rows = _listed(value, query, kind)
    if not rows or not _is_pair(rows[0]):
        return QueryRows(rows, None)
    for row in rows:
        if not _is_pair(row):
            what = f"{short(row)} stands among (document, {_WORDS[kind].number}) pairs"
            raise InputTypeError(what, query=query, hint="pairs throughout, or ids throughout")
    return QueryRows([doc for doc, _ in rows], [number for _, number in rows])


def _by_id(value: Mapping[Any, Any], query: str) -> dict[str, Any]:
    """A mapping of documents with ids of text; the mapping itself where they are that already."""
    if type(value) is dict and set(map(type, value)) <= {str} and "" not in value:
        return value
    docs = as_ids(list(value), query=query)
    distinct(value, docs, kind="document", query=query)
    return dict(zip(docs, value.values(), strict=True))


class _Words(NamedTuple):
    """What errors call the rows of a query, and what they should be."""

    number: str
    text: str
    text_hint: str
    type: str
    type_hint: str


_WORDS: dict[Kind, _Words] = {
    "run": _Words(
        "score", "the ranking is one text", "a list of document ids", "the ranking is", "a list of ids or {document: score}"
    ),
    "qrels": _Words(
        "grade",
        "the relevant documents are one text",
        "a set of document ids",
        "the judgements are",
        "{document: grade} or a set of relevant documents",
    ),
}

_TEXTS = (str, bytes, bytearray, memoryview)

_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.items()))
"""The sets that have an order."""


def _listed(value: Any, query: str, kind: Kind) -> Sequence[Any]:
    """The rows of a query as a sequence; what is one text, or a ranking without an order, is refused."""
    value = value if type(value) in (list, tuple) else _unwrapped(value, query)
    if isinstance(value, _TEXTS):
        raise InputTypeError(f"{_WORDS[kind].text}, {short(value)}", query=query, hint=_WORDS[kind].text_hint)
    if kind == "run" and isinstance(value, Set) and not isinstance(value, _VIEWS):
        raise InputTypeError("the ranking is a set, which has no order", query=query, hint="a list in order of rank")
    if isinstance(value, Sequence):
        return value
    if is_iterable(value):
        return list(value)
    raise InputTypeError(f"{_WORDS[kind].type} of type {type(value).__name__}", query=query, hint=_WORDS[kind].type_hint)


def _is_pair(row: Any) -> bool:
    """Whether this is a document with its number; JSON has a list for it."""
    return isinstance(row, (tuple, list)) and len(row) == 2


# Arrays and Series


def is_series(value: object) -> bool:
    """Whether this is a Series of pandas, which has an index."""
    return library(value, ("Series",)) == "pandas"


def read_series(series: Any) -> Mapping[Any, Any] | Columns:
    """A pandas Series for all queries: {query: value}, or rows where its index is of queries and documents.

    Raises InputTypeError where a query is there twice.
    """
    keys, values = series.index.tolist(), series.tolist()
    if series.index.nlevels == 2:
        return Columns([query for query, _ in keys], [doc for _, doc in keys], values)
    by_query = dict(zip(keys, values, strict=True))
    if len(by_query) < len(keys):
        repeated = series.index[series.index.duplicated()].tolist()[0]
        raise InputTypeError("the query is there twice in the index", query=str(repeated), hint="one entry for each query")
    return by_query


def _unwrapped(value: Any, query: str) -> Any:
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
    if is_series(value):
        return _by_index(value, query)
    if library(value, ARRAYS):
        return value.to_pylist() if hasattr(value, "to_pylist") else list(value)
    return value


def _by_index(series: Any, query: str) -> Any:
    """The (document, number) pairs of a pandas Series, or its ids in order."""
    keys, values = series.index.tolist(), series.tolist()
    numbered = bool(keys) and all(isinstance(key, WHOLE) for key in keys)
    if numbered and any(isinstance(value, str) for value in values):
        return values
    if numbered and all(isinstance(value, WHOLE) for value in values):
        what, hint = "a Series of whole numbers over whole numbers: either may be the ids", "series.to_dict() or series.tolist()"
        raise InputTypeError(what, query=query, hint=hint)
    return list(zip(keys, values, strict=True))


# Records and rows


class Shape(NamedTuple):
    """Where a record of one query holds its id, the ids of its ranking and those of its relevant documents."""

    query: tuple[str, ...]
    run: str
    qrels: str

    def fits(self, names: Collection[str]) -> bool:
        """Whether records with these keys have this shape."""
        return self.run in names or self.qrels in names


SHAPES = (
    # Ragas and others that evaluate retrieval-augmented generation
    Shape(("query_id", "qid", "q_id", "id", "user_input"), run="retrieved_context_ids", qrels="reference_context_ids"),
)
"""The shapes of records that hold a whole query, told by their keys, for files and objects alike."""


def shape_of(names: Collection[str]) -> Shape | None:
    """The shape of records with these keys; None for records of one document each."""
    return next((shape for shape in SHAPES if shape.fits(names)), None)


def read_records(rows: Sequence[Mapping[str, Any]], kind: Kind, names: ColumnNames | None = None) -> Mapping[str, Any] | Columns:
    """Records of one document each, or of one query each."""
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise InputTypeError(f"{short(row)} stands among records", where=f"record {number}", hint="dictionaries throughout")
    shape = shape_of(rows[0])
    if shape is not None:
        return read_shape(rows, kind, shape)
    roles = find_roles(list(rows[0]), kind, names, where="record 1")
    fields = (roles.query, roles.doc, roles.number)
    for number, row in enumerate(rows, 1):
        if not all(field in row for field in fields):
            lacking = next(field for field in fields if field not in row)
            what = f"the record has no {lacking!r}, but {examples(row)}"
            raise InputError(what, where=f"record {number}", hint=f"give it {lacking!r}")
    queries, docs, numbers = ([row[field] for row in rows] for field in fields)
    return Columns(queries, docs, negated(numbers) if roles.what in LOWER_IS_BETTER else numbers, what=roles.what)


def read_shape(rows: Sequence[Mapping[str, Any]], kind: Kind, shape: Shape) -> Mapping[str, Any]:
    """What records of one query each hold of its ranking or its judgements, by query."""
    field = shape.run if kind == "run" else shape.qrels
    by_query: dict[str, Any] = {}
    for number, row in enumerate(rows, 1):
        where = f"record {number}"
        key = next((key for key in shape.query if row.get(key) is not None), None)
        if key is None:
            raise InputError(f"the record has no query_id, but {examples(row)}", where=where, hint="give each record its query_id")
        query = as_id(row[key], kind="query")
        if query in by_query:
            raise IdError("there are two records of one query", where=where, query=query, hint="one record a query")
        if row.get(field) is None:
            raise InputError(f"the record has no {field}", where=where, query=query, hint="an empty list if there are none")
        by_query[query] = row[field]
    return by_query


_FIELDS = {"run": ("query_id", "doc_id", "score"), "qrels": ("query_id", "doc_id", "relevance")}


def read_rows(source: Iterable[Any], kind: Kind, names: ColumnNames | None = None) -> Mapping[str, Any] | Columns:
    """Rows: dictionaries, or objects with query_id, doc_id and score or relevance, as ir_measures' ScoredDoc and Qrel are."""
    fields = _FIELDS[kind]
    hint = f"rows with {', '.join(fields)}, or a mapping of queries"
    rows = list(source)
    if rows and isinstance(rows[0], Mapping):
        return read_records(rows, kind, names)
    with raising("a row cannot be read:", InputTypeError, passing=(SamescoreError,), hint=hint):
        for row in rows:
            if not all(hasattr(row, field) for field in fields):
                if all(hasattr(row, field) for field in _FIELDS[OTHER[kind]]):
                    raise given_as(kind, f"rows of {type(row).__name__} were")
                what = f"{short(row)} has no {', '.join(field for field in fields if not hasattr(row, field))}"
                raise InputTypeError(what, hint=hint)
        queries, docs, numbers = ([getattr(row, field) for row in rows] for field in fields)
        iterations = [getattr(row, "iteration", "0") for row in rows] if kind == "qrels" else None
    return Columns(queries, docs, numbers, iterations)


# Objects of ranx and ir_datasets


def is_ranx(source: object) -> bool:
    """Whether this is a Run or Qrels of ranx (told without importing it)."""
    return type(source).__module__.partition(".")[0] == "ranx" and hasattr(source, "to_dict")


_IRDS = "irds:"


def is_irds(source: object) -> TypeGuard[str]:
    """Whether this names a data set of ir_datasets."""
    return isinstance(source, str) and source.startswith(_IRDS)


def read_irds(source: str) -> Mapping[str, Any] | Columns:
    """The qrels of a data set of ir_datasets, which downloads them at their first use: ``irds:msmarco-passage/dev/small``."""
    try:
        import ir_datasets  # noqa: PLC0415  # only here, and only where it is asked for
    except ImportError:
        raise MissingLibraryError("ir_datasets is not installed", file=source, hint="pip install ir_datasets") from None
    name = source.removeprefix(_IRDS)
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
    return read_rows(rows, "qrels")
