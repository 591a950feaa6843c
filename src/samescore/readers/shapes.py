"""Nested documents and objects of other tools: where queries, documents and numbers stand in them, as one table of shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import chain
from numbers import Number
from typing import Any, TypeAlias

import numpy as np

from ..errors import IdError, InputError, InputTypeError, reading, short
from ..typing import ColumnNames
from ..user_code import raising
from .columns import LOWER_IS_BETTER, NAMES, NUMBERS, OTHER, Kind, QueryRows, What, column_named
from .values import NOT_WHOLE, WHOLE, is_uuid, negated

Paths: TypeAlias = tuple[str, ...]
"""Places, of which the first that is there counts: keys or attributes with dots between, ``*`` for each member of a list."""

Numbers: TypeAlias = tuple[tuple[str, What], ...]
"""Places of a number, and what it is there."""

IdOf: TypeAlias = Callable[[Any], Any]

QUERY_IDS = (
    "query_id",
    "qid",
    "q_id",
    "query-id",
    "question_id",
    "query.qid",
    "id",
    "_id",
    "user_input",
    "query",
    "question",
    "input",
)

DOC_IDS = (
    "doc_id", "docno", "d_id", "corpus_id", "corpus-id", "document_id", "docid", "docId", "passage_id", "pid", "psg_id", "chunk_id",
    "_id", "node_id", "id_", "id", "node.node_id", "node.id_", "document.id", "hit._id", "wikipedia_id",
    "metadata.doc_id", "metadata.docid", "metadata.document_id", "metadata.id", "metadata._id", "document", "doc",
)  # fmt: skip

SCORES: Numbers = (("_score", "score"), *((name, what) for role, what in NUMBERS["run"] for name in NAMES[role]))

GRADES: Numbers = (("rating", "grade"), *((name, "grade") for name in NAMES["relevance"]))

BESIDE: dict[Kind, Numbers] = {
    "run": (("scores", "score"), ("similarities", "score"), *SCORES, ("ranks", "rank")),
    "qrels": (*((f"{name}s", "grade") for name, _ in GRADES), *GRADES),
}
"""Lists of numbers that stand beside a list of documents."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Where the record of a query holds its documents, and where each of them has its id and its number.

    The documents may be ids, {id: number}, pairs, or hits. ``beside`` are places in the record of a list with the number of each.
    ``by_rank`` tells that the hits come in order of rank, whatever their number is, ``required`` that there must be a number.
    """

    at: Paths
    doc: Paths = DOC_IDS
    number: Numbers = SCORES
    beside: Numbers = ()
    by_rank: bool = False
    required: bool = False

    def within(self, hits: Hits) -> Hits:
        """Other hits with the places that these have by name."""
        doc = hits.doc if self.doc is DOC_IDS else self.doc[:1]
        return replace(hits, doc=doc, number=self.number if self.required else hits.number, required=self.required)


@dataclass(frozen=True, slots=True)
class Shape:
    """One form: the keys that it has in any case, where its queries stand (a list of records, or a mapping by query) and their ids.

    Without ``queries`` it is the form of the record of one query. ``hint`` is what to do where records have no query id.
    """

    form: str
    run: Hits | None = None
    qrels: Hits | None = None
    keys: Paths = ()
    queries: Paths = ()
    query: Paths = QUERY_IDS
    hint: str = "give each record its query_id"

    def hits(self, kind: Kind) -> Hits:
        """Where a run or qrels stand. Raises InputTypeError where the form holds the other."""
        hits = self.run if kind == "run" else self.qrels
        if hits is None:
            other = "a run" if kind == "qrels" else "qrels"
            raise InputTypeError(f"this is {self.form}, which holds {other}", hint=f"give it as the {OTHER[kind]}")
        return hits

    def fits(self, record: Any) -> bool:
        """Whether this is the record of a query of this form."""
        if any(at(record, key) is None for key in self.keys):
            return False
        return any(hits is not None and is_collection(first(record, hits.at)) for hits in (self.run, self.qrels))

    def documents(self, record: Any, kind: Kind, **place: Any) -> Any:
        """The documents of a record. Raises InputError where it has none, and InputTypeError where the form holds the other."""
        places = self.hits(kind).at
        documents = first(record, places)
        if documents is None:
            raise InputError(f"the record has no {places[0]}", **place, hint="an empty list if there are none")
        return documents

    def narrowed(self, rows: Sequence[Any], kind: Kind) -> Shape:
        """The shape with one place for the documents, the first that any of some records has."""
        hits = self.hits(kind)
        place = next((path for path in hits.at if any(at(row, path) is not None for row in rows)), hits.at[0])
        narrow = replace(hits, at=(place,))
        return replace(self, run=narrow) if kind == "run" else replace(self, qrels=narrow)

    def records(self, document: Any) -> Any:
        """The records of the queries in a document, a list or a mapping by query; None where it has another form."""
        if any(at(document, key) is None for key in self.keys):
            return None
        records = first(document, self.queries)
        some = next(iter(records.values() if isinstance(records, Mapping) else records), None) if is_collection(records) else None
        hits = self.run or self.qrels
        return records if hits and is_collection(some if hits.at == SELF else first(some, hits.at)) else None


SELF = ("",)
"""The record itself."""

SHAPES = (
    # documents of all queries
    Shape("a _rank_eval request", qrels=Hits(("ratings",), number=GRADES), queries=("requests",), query=("id",)),
    Shape("a _rank_eval response", Hits(("hits",), number=(("hit._score", "score"),)), queries=("details", "rank_eval.details")),
    Shape("an OpenSearch judgment list", qrels=Hits(("ratings",), number=GRADES), queries=("judgmentRatings",), query=("query",)),
    Shape("a LlamaIndex data set", qrels=Hits(SELF), keys=("queries", "corpus"), queries=("relevant_docs",)),
    Shape("MTEB predictions", Hits(SELF), keys=("mteb_model_meta",), queries=("*.*",)),
    Shape("a multi-search response", Hits(("hits.hits",)), queries=("responses",), hint='{"query id": response}'),
    # records of a query
    Shape("a search response", Hits(("hits.hits",)), hint='{"query id": response}'),
    Shape("a Solr response", Hits(("response.docs",)), hint='{"query id": response}'),
    Shape(
        "a Ragas sample",
        Hits(("retrieved_context_ids", "retrieved_contexts")),
        Hits(("reference_context_ids", "reference_contexts"), number=GRADES),
    ),
    Shape("a LlamaIndex retrieval result", Hits(("retrieved_ids",)), Hits(("expected_ids",)), query=("query_id", "query")),
    Shape("a LlamaIndex response", Hits(("source_nodes",), by_rank=True), hint='{"query id": response}'),
    Shape("a RankLLM result", Hits(("candidates",)), query=("query.qid", "qid", "query_id")),
    Shape("a DPR record", Hits(("ctxs", "contexts")), Hits(("positive_ctxs",), number=())),
    Shape("a KILT record", Hits(("output.*.provenance",)), Hits(("output.*.provenance",), number=()), query=("id",)),
    Shape("a Chroma result", Hits(("ids",), beside=BESIDE["run"]), Hits(("ids",), beside=BESIDE["qrels"]),
          hint='{"query id": {"ids": ids, "distances": distances}}'),
    Shape("a Qdrant response", Hits(("points", "result.points", "result"), by_rank=True), hint='{"query id": response}'),
    Shape("a Vespa response", Hits(("root.children",), number=(("relevance", "score"),)), hint='{"query id": response}'),
    Shape("a Pinecone response", Hits(("matches",)), hint='{"query id": response}'),
    Shape("a Haystack result", Hits(("documents",), by_rank=True), hint='{"query id": result}'),
)  # fmt: skip
"""The forms that are known, those of documents first; each is tried in order, by where its parts would stand."""

RANKING = Shape("a ranking", Hits(SELF), Hits(SELF, number=GRADES))
"""What stands under a query without a record around it."""

_TELLING = frozenset(
    path.partition(".")[0]
    for shape in SHAPES
    for path in (*shape.keys, *shape.queries, *(at for hits in (shape.run, shape.qrels) if hits for at in hits.at))
)
"""Keys of which a mapping has one where it has any of these forms, so that others are passed over quickly."""


# Places


def at(value: Any, path: Any) -> Any:
    """What stands at a place: keys of mappings, attributes of objects; None where it is not there."""
    if isinstance(value, Mapping) and path in value:
        return value[path]
    for name in path.split(".") if isinstance(path, str) and path else ():
        rest = path.partition("*")[2].removeprefix(".")
        if name == "*":
            each = [at(member, rest) for member in _members(value)]
            return list(chain.from_iterable(one if isinstance(one, list) else [one] for one in each if one is not None)) or None
        value = value.get(name) if isinstance(value, Mapping) else _attribute(value, name)
        if value is None:
            return None
    return value


def first(value: Any, paths: Paths) -> Any:
    """What stands at the first of some places that is there."""
    return next((part for path in paths if (part := at(value, path)) is not None), None)


def list_beside(record: Any, hits: Hits) -> tuple[Any, What] | None:
    """The list of numbers that stands beside the documents of a record, and what they are."""
    return next(((numbers, what) for path, what in hits.beside if is_list(numbers := at(record, path))), None)


def inner(value: Any) -> Any:
    """The list that stands alone in a list, as in the results of one query where several could be asked."""
    only = next(iter(value)) if is_list(value) and len(value) == 1 else None
    return only if is_list(only) else value


def _members(value: Any) -> Iterable[Any]:
    """The members of a list or the values of a mapping, those of other mappings only."""
    if isinstance(value, Mapping):
        return [member for member in value.values() if isinstance(member, Mapping)]
    return value if isinstance(value, (list, tuple)) else ()


def _attribute(value: Any, name: str) -> Any:
    """An attribute of a hit; None for the methods of one, and of plain values."""
    try:
        part = getattr(value, name, None) if is_hit(value) else None
        return None if callable(part) else part
    except Exception:  # whatever the properties of user classes raise
        return None


_NO_HITS = (str, bytes, bytearray, memoryview, Number, np.generic, np.ndarray, Sequence, Set, date, timedelta, type(None), type)


def is_hit(value: Any) -> bool:
    """Whether this is an object that may hold an id: a mapping, or one of a class of its own."""
    if isinstance(value, (str, list)):  # which are most, and told quickly
        return False
    if isinstance(value, Mapping):
        return True
    if isinstance(value, _NO_HITS):
        return hasattr(value, "_fields") and len(value) != 2  # type: ignore[arg-type]  # a NamedTuple
    return not (is_uuid(value) or callable(value) or type(value).__module__.partition(".")[0] in (*_DATA, "ranx", "builtins"))


_DATA = ("numpy", "pandas", "polars", "pyarrow")


def is_list(value: Any) -> bool:
    """Whether this is a list or an array."""
    if isinstance(value, (list, tuple)):
        return True
    is_data = type(value).__module__.partition(".")[0] in _DATA and not hasattr(value, "columns")
    return is_data and hasattr(value, "__len__") and getattr(value, "ndim", 1) > 0


def is_collection(value: Any) -> bool:
    """Whether this may hold the documents of a query."""
    return is_list(value) or isinstance(value, (Mapping, Set))


def _is_id(value: Any) -> bool:
    """Whether this is an id."""
    return (isinstance(value, (str, *WHOLE)) and not isinstance(value, NOT_WHOLE) and value != "") or is_uuid(value)


# Documents and records


def document_records(document: Any) -> tuple[Shape, Any] | None:
    """The shape of a document of all queries, with its records; None for all else.

    Raises InputError where it has several sets of queries.
    """
    if not may_be_nested(document):
        return None
    for shape in SHAPES:
        if shape.queries and (records := shape.records(document)) is not None:
            if not shape.queries[0].endswith("*"):
                return shape, records
            if len(records) > 1:
                what = f"{len(records)} sets of queries stand in {shape.form}"
                raise InputError(what, hint='one of them alone, such as document["default"]["test"]')
            return shape, records[0]
    return None


def record_shape(record: Any, names: ColumnNames | None = None) -> Shape | None:
    """The shape of the record of a query; None for anything else, such as a record of one document."""
    given: Mapping[str, Any] = names or {}
    keys = list(record) if isinstance(record, Mapping) else []
    query, doc = (given.get(role, column_named(role, keys)) for role in ("query_id", "doc_id"))
    if query is not None and _is_id(at(record, doc)):
        return None
    named = named_shape({**given, "doc_id": doc}, QUERY_IDS if query is None else (query,))
    is_named = doc is not None and (query is not None or names) and named.fits(record)
    known = named if is_named else known_shape(record)
    if known is None or is_named or not names:
        return known
    places, sides = named_shape(names), (known.run, known.qrels)
    run, qrels = (hits and places.hits(kind).within(hits) for kind, hits in zip(OTHER, sides, strict=True))
    return replace(known, run=run, qrels=qrels)


def known_shape(record: Any) -> Shape | None:
    """The shape of the table that the record of a query has."""
    return next((shape for shape in SHAPES if not shape.queries and shape.fits(record)), None) if may_be_nested(record) else None


def may_be_nested(value: Any) -> bool:
    """Whether this is an object, or a mapping with a key that some form has."""
    return not value.keys().isdisjoint(_TELLING) if isinstance(value, Mapping) else is_hit(value)


def named_shape(names: Mapping[str, Any], query: Paths = QUERY_IDS) -> Shape:
    """The shape of records whose fields, or those of their hits, have the names that were given."""
    return Shape("a record", _named_hits(names, "run"), _named_hits(names, "qrels"), query=query)


def _named_hits(given: Mapping[str, Any], kind: Kind) -> Hits:
    """Where records hold their documents, and these their ids and numbers."""
    docs = (given["doc_id"], *DOC_IDS) if "doc_id" in given else DOC_IDS
    numbers = tuple((given[role], what) for role, what in NUMBERS[kind] if role in given)
    usual = SCORES if kind == "run" else GRADES
    return Hits(docs[:1], docs, numbers or usual, numbers or BESIDE[kind], required=bool(numbers))


def query_id(record: Any, shape: Shape) -> Any:
    """The id of the query of a record; None where it has none."""
    return next((part for path in shape.query if _is_id(part := at(record, path))), None)


# The documents of one query


def read_hits(rows: Sequence[Any], query: str, kind: Kind, hits: Hits, id_of: IdOf | None = None) -> QueryRows:
    """The ids and numbers of hits, or of (hit, number) pairs.

    Raises IdError where a hit has no id that is known.
    """
    pairs = is_pair(rows[0])
    objects = [row[0] for row in rows] if pairs else rows
    docs = _ids(objects, query, kind, hits, id_of)
    if pairs:
        return QueryRows(docs, [as_number(number) for _, number in rows], by_rank=True)
    number = next(((path, what) for path, what in hits.number if any(at(row, path) is not None for row in rows)), None)
    if number is None:
        return QueryRows(docs, None)
    path, what = number
    by_rank = hits.by_rank or what == "distance" or not isinstance(rows[0], Mapping)
    return QueryRows(docs, as_numbers([at(row, path) for row in rows], what), what=what, by_rank=by_rank)


def is_pair(row: Any) -> bool:
    """Whether this is a document with its number; JSON has a list for it."""
    return isinstance(row, (tuple, list)) and len(row) == 2


def _ids(objects: Sequence[Any], query: str, kind: Kind, hits: Hits, id_of: IdOf | None) -> list[Any]:
    """The ids of hits: at the place where the first has its id, or what ``id_of`` gives."""
    if id_of is not None:
        with raising("id_of raised", InputError, query=query, hint="an id for each hit"):
            return [id_of(one) for one in objects]
    path = next((path for path in hits.doc if _is_id(at(objects[0], path))), None)
    if path is None:
        what = f"{short(objects[0])} has no id"
        is_plain = isinstance(objects[0], Mapping)
        hint = reading(kind, "columns", {"doc_id": "..."}) if is_plain else f"read_{kind}(..., id_of=lambda hit: ...)"
        raise IdError(what, query=query, hint=hint)
    return [at(one, path) for one in objects]


def as_numbers(values: Sequence[Any], what: What) -> list[Any]:
    """Numbers as scores or grades, those in text too."""
    numbers = [as_number(value) for value in values]
    return negated(numbers) if what in LOWER_IS_BETTER else numbers


def as_number(value: Any) -> Any:
    """A number that may be text; what is none is left to the reader of scores and grades."""
    try:
        return float(value) if isinstance(value, str) and "_" not in value else value
    except ValueError:
        return value


def refuse_upside_down(rankings: Iterable[QueryRows]) -> None:
    """Raise InputTypeError where numbers called scores rise down every list that is in order of rank, or distances fall."""
    given = [rows for rows in rankings if rows.numbers is not None and rows.by_rank and len(rows.numbers) > 1]
    try:
        lists = [list(map(float, rows.numbers or ())) for rows in given]
    except (TypeError, ValueError, OverflowError):
        return
    if not any(numbers[0] < numbers[-1] for numbers in lists) or any(numbers != sorted(numbers) for numbers in lists):
        return
    if given[0].what == "distance":
        what, hint = "the distances fall down every list, as scores do", 'hits with "score" for "distance"'
    else:
        what, hint = (
            "the scores rise down every list, as distances do",
            'hits such as {"id": "d1", "distance": 0.2}, or with "score"',
        )
    raise InputTypeError(what, hint=hint)


# Columns


MOST_COLUMNS = 64
"""A mapping with more keys is by query."""


def as_records(source: Mapping[Any, Any], kind: Kind, names: ColumnNames | None) -> list[dict[str, Any]] | None:
    """The rows of a dictionary of columns, or of rows by number, as ``to_dict`` gives it; None for all other mappings."""
    row = source.get(0, source.get("0"))
    if (
        isinstance(row, Mapping)
        and len(row) <= MOST_COLUMNS
        and None not in (column_named(role, row) for role in ("query_id", "doc_id"))
    ):
        return list(source.values())
    if not 1 < len(source) <= MOST_COLUMNS or not _may_be_column(next(iter(source.values()))):
        return None
    split = _split(source)
    if split is None and len({len(value) if is_collection(value) else None for value in source.values()}) > 1:
        return None
    if split is None and not names and column_named("query_id", source) is None and source.keys().isdisjoint(QUERY_IDS):
        return None
    columns = split or {name: _column(value) for name, value in source.items()}
    if not all(columns.values()) or not _are_columns(columns, kind, names):
        return None
    return [dict(zip(columns, row, strict=True)) for row in zip(*(column or () for column in columns.values()), strict=True)]


def _may_be_column(value: Any) -> bool:
    """Whether this is a list, or a dictionary that begins with row 0."""
    return is_row(next(iter(value), None), 0) if isinstance(value, Mapping) else is_list(value)


def is_row(key: Any, number: int) -> bool:
    """Whether a key is the number of a row, which JSON has as text."""
    return type(key) in (int, str) and key in (number, str(number))


def _column(value: Any) -> list[Any] | None:
    """A column as a list: a list, an array, or a dictionary by row number; None for what is none of these."""
    if isinstance(value, Mapping):
        return list(value.values()) if all(map(is_row, value, range(len(value)))) else None
    return list(value) if is_list(value) else None


def _split(source: Mapping[Any, Any]) -> dict[Any, list[Any] | None] | None:
    """The columns of ``to_dict("split")``, which has their names apart."""
    names, data = source.get("columns"), source.get("data")
    if not isinstance(names, (list, tuple)) or not isinstance(data, (list, tuple)) or not all(map(_is_id, names)):
        return None
    if any(not isinstance(row, (list, tuple)) or len(row) != len(names) for row in data):
        return None
    return {name: [row[i] for row in data] for i, name in enumerate(names)}


def _are_columns(columns: Mapping[Any, list[Any] | None], kind: Kind, names: ColumnNames | None) -> bool:
    """Whether these are columns of rows, and not queries that are called as columns are."""
    row = {name: (column or (None,))[0] for name, column in columns.items()}
    if names:
        return set(names.values()) <= set(row)
    shape = record_shape(row)
    if shape is not None:
        return query_id(row, shape) is not None
    query, doc = (column_named(role, row) for role in ("query_id", "doc_id"))
    numbers = [column_named(role, row) for side in OTHER for role, _ in NUMBERS[side]]
    if query is None or doc is None or not _is_id(row[query]) or not _is_id(row[doc]):
        return False
    return any(isinstance(row[name], (Number, np.generic)) for name in numbers if name) or (kind == "qrels" and "id" in query)
