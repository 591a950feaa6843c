"""Python objects: mappings and lists by query, Series, records, and the objects of ir_measures, ranx and ir_datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from difflib import get_close_matches
from itertools import accumulate, chain
from numbers import Number
from typing import Any, NamedTuple, TypeAlias, TypeGuard

import numpy as np

from ..errors import IdError, InputError, InputTypeError, MissingLibraryError, SamescoreError, examples, short
from ..typing import ColumnNames
from ..user_code import raising
from .columns import LOWER_IS_BETTER, OTHER, Columns, Kind, QueryRows, What, find_roles, given_as
from .data import RankingRows
from .shapes import (
    RANKING,
    SELF,
    IdOf,
    Shape,
    as_numbers,
    as_records,
    document_records,
    first,
    inner,
    is_collection,
    is_hit,
    is_list,
    is_pair,
    known_shape,
    list_beside,
    named_shape,
    query_id,
    read_hits,
    record_shape,
    refuse_upside_down,
)  # fmt: skip
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


Rows: TypeAlias = Mapping[Any, Any] | Columns

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


def rows_by_query(
    source: Mapping[Any, Any], kind: Kind, shape: Shape | None = None, id_of: IdOf | None = None
) -> Iterator[tuple[str, QueryRows]]:
    """The rows under each query: {document: number}, (document, number) pairs, documents, hits, or a record of some shape.

    Raises InputError for what is none of these, where two keys are one id, and where numbers are upside down.
    """
    ids = [key if type(key) is str and key else as_id(key, kind="query") for key in source]
    if set(map(type, source)) - {str}:
        distinct(source, ids, kind="query")
    by_rank = []
    for query, value in zip(ids, source.values(), strict=True):
        rows = value if isinstance(value, QueryRows) else _query_rows(value, query, kind, shape, id_of)
        if shape is not None and rows.numbers is None and len(rows.docs) and shape.hits(kind).required:
            raise InputError(
                f"there is no {shape.hits(kind).number[0][0]!r}", query=query, hint="a name that the records or their hits have"
            )
        by_rank += [rows] if rows.by_rank else []
        yield query, rows
    if kind == "run":
        refuse_upside_down(by_rank)


def _query_rows(value: Any, query: str, kind: Kind, shape: Shape | None, id_of: IdOf | None) -> QueryRows:
    """What stands under one query, in any of its forms."""
    fitting = shape if shape is not None and shape.fits(value) else None if type(value) is list else known_shape(value)
    hits, record = (fitting or RANKING).hits(kind), value
    hits = hits if shape is None or fitting is shape else shape.hits(kind).within(hits)
    value = fitting.documents(record, kind, query=query) if fitting else value
    beside = list_beside(record, hits) if fitting else None
    if beside is not None:
        docs, numbers = (_listed(inner(column), query, kind) for column in (value, beside[0]))
        return _side_by_side(docs, numbers, query, beside[1])
    if isinstance(value, Mapping):
        return QueryRows(_by_id(value, query), value.values())
    rows = _listed(value, query, kind)
    rows = _listed(inner(rows), query, kind) if fitting and all(isinstance(text, str) for text in inner(rows)) else rows
    if not rows:
        return QueryRows(rows, None)
    lists = _two_lists(rows, query)
    if lists is not None:
        return _side_by_side(*lists, query)
    pairs = is_pair(rows[0])
    if pairs:
        _refuse_mixed(rows, query, kind)
    if is_hit(rows[0][0] if pairs else rows[0]) or (id_of is not None and not isinstance(rows[0], (str, *WHOLE))):
        return read_hits(rows, query, kind, hits, id_of)
    return QueryRows([doc for doc, _ in rows], [number for _, number in rows]) if pairs else QueryRows(rows, None)


def _refuse_mixed(rows: Sequence[Any], query: str, kind: Kind) -> None:
    """Raise InputTypeError for what is no pair among pairs."""
    for row in rows:
        if not is_pair(row):
            what = f"{short(row)} stands among (document, {_WORDS[kind].number}) pairs"
            raise InputTypeError(what, query=query, hint="pairs throughout, or ids throughout")


def _two_lists(rows: Sequence[Any], query: str) -> tuple[list[Any], list[Any]] | None:
    """A list of ids and one of their numbers, in any order; None for anything else.

    Raises InputTypeError for two lists of numbers, of which either may be the ids.
    """
    if len(rows) != 2 or not all(is_list(row) and len(row) for row in rows):
        return None
    left, right = (row.tolist() if isinstance(row, np.ndarray) else list(row) for row in rows)
    for ids, numbers in ((left, right), (right, left)):
        if all(isinstance(text, str) for text in ids) and all(isinstance(number, Number) for number in numbers):
            return ids, numbers
    are_pairs = len(left) == len(right) == 2 and all(isinstance(row[0], (str, *WHOLE)) for row in (left, right))
    if not are_pairs and all(isinstance(number, Number) for number in (*left, *right)):
        hint = '{"ids": [...], "distances": [...]}, or "scores" where higher is better'
        raise InputTypeError("two lists of numbers: either may be the ids", query=query, hint=hint)
    return None


def _side_by_side(docs: Sequence[Any], numbers: Sequence[Any], query: str, what: What = "score") -> QueryRows:
    """A list of documents with a list of their numbers."""
    if len(docs) != len(numbers):
        what_is_wrong = f"{len(docs)} documents beside {len(numbers)} numbers"
        raise InputError(what_is_wrong, query=query, hint="a number for each document")
    return QueryRows(docs, as_numbers(numbers, what), what=what, by_rank=what == "distance")


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


def read_mapping(source: Mapping[Any, Any], kind: Kind, names: ColumnNames | None = None, id_of: IdOf | None = None) -> Rows:
    """A mapping of queries as it is, and what other forms hold: columns, a document of all queries, a record of one."""
    records = as_records(source, kind, names)
    if records is not None:
        return read_records(records, kind, names, id_of)
    nested = read_document(source, kind, id_of)
    if nested is not None:
        return nested
    if names and not any(
        named_shape(names).fits(value) or known_shape(value) or (is_collection(value) and any(map(is_hit, value)))
        for value in source.values()
    ):
        raise InputError("columns= is for files, frames and records", hint="leave it out")
    return dict(rows_by_query(source, kind, named_shape(names) if names else None, id_of)) if names or id_of else source


def read_document(source: Any, kind: Kind, id_of: IdOf | None = None) -> Mapping[Any, Any] | None:
    """What a document of all queries holds, or a record of one; None for anything else.

    Raises InputError for the results of a query that do not say which.
    """
    document = document_records(source)
    if document is not None:
        shape, records = document
        if isinstance(records, Mapping):
            return records if shape.hits(kind).at == SELF else dict(rows_by_query(records, kind, shape, id_of))
        return _by_record(list(records), kind, shape, id_of)
    record = known_shape(source)
    if record is None:
        return None
    if query_id(source, record) is not None:
        return _by_record([source], kind, record, id_of)
    sides = [first(source, hits.at) for hits in (record.run, record.qrels) if hits is not None]
    if any(is_hit(one) or is_collection(one) for documents in sides if is_collection(documents) for one in documents):
        record.hits(kind)
        raise InputError(f"this is {record.form} that does not say its query", hint=record.hint)
    return None


def read_records(rows: Sequence[Any], kind: Kind, names: ColumnNames | None = None, id_of: IdOf | None = None) -> Rows:
    """Records of one document each, or of one query each."""
    shape = record_shape(rows[0], names)
    if shape is not None:
        return _by_record(rows, kind, shape, id_of)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise InputTypeError(f"{short(row)} stands among records", where=f"record {number}", hint="dictionaries throughout")
    roles = find_roles(list(rows[0]), kind, names, where="record 1")
    fields = tuple(field for field in (roles.query, roles.doc, roles.number) if field is not None)
    for number, row in enumerate(rows, 1):
        if not all(field in row for field in fields):
            lacking = next(field for field in fields if field not in row)
            what = f"the record has no {lacking!r}, but {examples(row)}"
            raise InputError(what, where=f"record {number}", hint=f"give it {lacking!r}")
    queries, docs, *of_numbers = ([row[field] for row in rows] for field in fields)
    numbers = of_numbers[0] if of_numbers else [1] * len(rows)
    return Columns(queries, docs, negated(numbers) if roles.what in LOWER_IS_BETTER else numbers, what=roles.what)


def _by_record(rows: Sequence[Any], kind: Kind, shape: Shape, id_of: IdOf | None) -> dict[str, QueryRows]:
    """What records of one query each hold of its ranking or its judgements, by query."""
    shape = shape.narrowed(rows, kind)
    by_query: dict[str, QueryRows] = {}
    for number, row in enumerate(rows, 1):
        where, key = f"record {number}", query_id(row, shape)
        if key is None:
            names = f", but {examples(row)}" if isinstance(row, Mapping) else ""
            raise InputError(f"the record has no query_id{names}", where=where, hint=shape.hint)
        query = as_id(key, kind="query")
        if query in by_query:
            raise IdError("there are two records of one query", where=where, query=query, hint="one record a query")
        shape.documents(row, kind, where=where, query=query)
        by_query[query] = row
    return dict(rows_by_query(by_query, kind, shape, id_of))


_FIELDS = {"run": ("query_id", "doc_id", "score"), "qrels": ("query_id", "doc_id", "relevance")}


def read_rows(source: Iterable[Any], kind: Kind, names: ColumnNames | None = None, id_of: IdOf | None = None) -> Rows:
    """Rows: dictionaries, or objects with query_id, doc_id and score or relevance, as ir_measures' ScoredDoc and Qrel are."""
    fields = _FIELDS[kind]
    hint = f"rows with {', '.join(fields)}, or a mapping of queries"
    rows = list(source)
    if rows and (isinstance(rows[0], Mapping) or record_shape(rows[0], names) is not None):
        return read_records(rows, kind, names, id_of)
    refuse_lists(rows)
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


def refuse_lists(rows: Sequence[Any]) -> None:
    """Raise InputTypeError for results in the order of their queries, which do not say which these are."""
    if len(rows) == 2 and all(isinstance(row, np.ndarray) and row.ndim == 2 for row in rows):
        what, form = "two arrays of numbers, as FAISS gives them", '{query: {"ids": ids, "distances": distances} for each row}'
        raise InputTypeError(what, hint=f'{form}, or "scores" where higher is better')
    lists = [
        row for row in rows if isinstance(row, (list, tuple)) and len(row) and (is_hit(row[0]) or isinstance(row[0], (list, tuple)))
    ]
    if lists:
        what = f"{len(rows)} lists of results, which do not say their queries"
        raise InputTypeError(what, hint='{"query id": results}, as dict(zip(query_ids, results)) makes it')


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
        hint = ", ".join(f"{_IRDS}{one}" for one in near) or "an id of ir-datasets.com"
        raise InputError("ir_datasets has no such data set", file=source, hint=hint) from None
    except Exception as error:  # whatever downloads and parsers raise
        what = f"ir_datasets cannot load it: {type(error).__name__}: {error}"
        raise InputError(what, file=source, hint="see that it can be downloaded, or give the qrels as a file") from error
    if rows is None:
        raise InputError("the data set has no qrels", file=source, hint="one of its subsets, such as .../dev or .../test")
    return read_rows(rows, "qrels")
