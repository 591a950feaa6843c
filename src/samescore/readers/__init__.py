"""Recognise what was given as a run or as qrels, and read it as found: each form gives columns, and these a Run or Qrels."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InputError, InputTypeError, short
from ..typing import ColumnNames, FileFormat, QrelsLike, RunLike
from ..user_code import raising
from .columns import OTHER, Columns, Kind, QueryRows, check_column_names, given_as
from .content import is_file_object, open_content
from .data import Qrels, RankingRows, Run, Table, TableRankings, document_lookup, misranked, to_documents
from .files import parts_of, qrels_in, read_content
from .frames import is_frame, read_frame
from .mappings import (
    is_irds,
    is_ranx,
    is_series,
    plain_grades,
    plain_rankings,
    read_document,
    read_irds,
    read_mapping,
    read_rows,
    read_series,
    rows_by_query,
)  # fmt: skip
from .shapes import IdOf
from .text import RunFile
from .values import Grade, as_grades, as_ids, as_scores, check_labels, is_iterable

__all__ = [
    "Columns",
    "Grade",
    "Qrels",
    "RankingRows",
    "Run",
    "RunFile",
    "Table",
    "document_lookup",
    "load_rows",
    "open_qrels",
    "open_run",
    "read_qrels",
    "read_run",
    "to_documents",
    "to_qrels",
    "to_run",
]

Rows = Mapping[Any, Any] | Columns | Table
"""What every form of input gives: a mapping of queries, or rows as columns."""


_RENAMED = {
    "Found": "RankingRows",
    "Stream": "RunFile",
    "kept": "load_rows",
    "recognise_qrels": "open_qrels",
    "recognise_run": "read_run",
}
"""Names of release 0.1 -> what they are called now."""


def __getattr__(name: str) -> Any:
    """What a name of an earlier release is called now."""
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals()[_RENAMED[name]]


def read_run(
    source: RunLike, *, format: FileFormat | None = None, columns: ColumnNames | None = None, id_of: IdOf | None = None
) -> Run:
    """Read a run once, for use with many calls.

    Parameters
    ----------
    source : RunLike
        A mapping query -> ranking (a list of document ids in order, {document: score}, or a list of (document, score) pairs;
        a Series of pandas is {document: score} by its index, or a list where it holds texts over whole numbers; the mapping
        may be such a Series too, by query or by query and document), a frame of pandas, polars or pyarrow, or of another
        library with the Arrow C stream (query_id, doc_id, and score or rank), records, an iterable of ir_measures
        ``ScoredDoc``, a ranx ``Run``, or a path (``-`` is standard input) to a file, packed or not: TREC, MS MARCO, CSV, TSV,
        JSON, JSON Lines, Parquet or Arrow.
    format : str, optional
        The form of a file, which its content tells otherwise: ``"trec"``, ``"msmarco"``, ``"beir"``, ``"csv"``, ``"tsv"``,
        ``"json"``, ``"jsonl"``, ``"parquet"`` or ``"arrow"``.
    columns : mapping, optional
        ``query_id``, ``doc_id``, ``score``, ``rank`` or ``distance`` (lower is better) -> the name that this column has, or this
        field of nested records and hits.
    id_of : callable, optional
        The id of a hit that is an object of a class of your own: ``lambda hit: hit.chunk.uid``.

    Returns
    -------
    Run
        ``len()`` is the number of queries, ``.queries`` their ids, ``.rows`` the number of rows read. Later changes of the
        source do not change it.

    Raises
    ------
    InputError
        IdError, ScoreError, FormatError ..., with the query and document, or the file and line.

    Examples
    --------
    >>> run = read_run({"q1": ["d1", "d2"]})
    >>> len(run), run.queries, run.rows
    (1, ['q1'], 2)
    """
    _refuse_data(columns=columns, id_of=id_of)
    run = load_rows(open_run(source, format=format, columns=columns, id_of=id_of))
    if isinstance(run.rankings, TableRankings):
        return replace(run, explicit=True)
    rankings = {query: RankingRows(dict(r.docs), r.scores) if isinstance(r.docs, dict) else r for query, r in run.rankings.items()}
    return replace(run, rankings=rankings, explicit=True)


def read_qrels(
    source: QrelsLike,
    *,
    format: FileFormat | None = None,
    columns: ColumnNames | None = None,
    id_of: IdOf | None = None,
    grades: Mapping[str, float] | None = None,
) -> Qrels:
    """Read qrels once, for use with many calls.

    Parameters
    ----------
    source : QrelsLike
        A mapping query -> {document: grade} or query -> set or list of relevant documents (an empty one is a judged query
        without a relevant document), a frame (query_id, doc_id, relevance), records, an iterable of ir_measures ``Qrel``, a
        ranx ``Qrels``, a data set of ir_datasets (``"irds:vaswani"``), a BEIR folder, or a path to a file as
        :func:`read_run` takes it.
    format : str, optional
        The form of a file, as for :func:`read_run`.
    columns : mapping, optional
        ``query_id``, ``doc_id``, ``relevance`` or ``iteration`` -> the name that this column has.
    id_of : callable, optional
        The id of a relevant document that is an object, as for :func:`read_run`.
    grades : mapping, optional
        Label -> grade, where words stand for grades: ``{"E": 3, "S": 2, "C": 1, "I": 0}``. ``L2`` is 2.

    Returns
    -------
    Qrels
        ``len()`` is the number of judged queries, ``.rows`` the number of rows read, ``.unfilled`` that of rows without a grade,
        which are not judged yet.

    Raises
    ------
    InputError
        IdError, GradeError, FormatError ..., with the query and document, or the file and line.

    Examples
    --------
    >>> qrels = read_qrels({"q1": {"d1": 2, "d2": 0}, "q2": {"d9"}})
    >>> len(qrels), qrels.rows
    (2, 3)
    """
    _refuse_data(columns=columns, id_of=id_of, grades=grades)
    qrels = open_qrels(source, format=format, columns=columns, id_of=id_of, grades=grades)
    return replace(qrels, grades={query: dict(judged) for query, judged in qrels.grades.items()}, explicit=True)


def open_run(
    source: RunLike, *, format: str | None = None, columns: ColumnNames | None = None, id_of: IdOf | None = None
) -> Run | RunFile:
    """A run, without a copy where its mappings can be used as they are, and without its rows where it is a big file."""
    _refuse_options(source, format, columns)
    if isinstance(source, Run):
        return source
    if isinstance(source, Qrels):
        raise given_as("run", "qrels were")
    if is_irds(source):
        raise InputError("ir_datasets has qrels, not runs", file=source, hint="a path to a run")
    if isinstance(source, (str, os.PathLike)) and (parts := parts_of(source)):
        return _joined([open_run(part, format=format, columns=columns) for part in parts], str(source))
    if _is_file(source):
        with open_content(source) as content:
            rows = read_content(content, "run", format, columns)
            return rows if isinstance(rows, RunFile) else to_run(rows, name=content.name)
    return to_run(_read_object(source, "run", columns, id_of), name="DataFrame" if is_frame(source) else "run")


def open_qrels(
    source: QrelsLike,
    *,
    format: str | None = None,
    columns: ColumnNames | None = None,
    id_of: IdOf | None = None,
    grades: Mapping[str, float] | None = None,
) -> Qrels:
    """Qrels, without a copy where their mappings can be used as they are."""
    _refuse_options(source, format, columns or grades)
    labels = check_labels(grades)
    if isinstance(source, Qrels):
        return source
    if isinstance(source, Run):
        raise given_as("qrels", "a run was")
    if is_irds(source):
        return to_qrels(read_irds(source), name=source, labels=labels)
    if _is_file(source):
        path: Any = qrels_in(source) if isinstance(source, (str, os.PathLike)) and os.path.isdir(source) else source
        with open_content(path) as content:
            rows = read_content(content, "qrels", format, columns, labels)
            assert not isinstance(rows, RunFile)  # only runs wait until they are ranked
            return to_qrels(rows, name=content.name, labels=labels)
    name = "DataFrame" if is_frame(source) else "qrels"
    return to_qrels(_read_object(source, "qrels", columns, id_of), name=name, labels=labels)


def _is_file(source: object) -> bool:
    """Whether this is a path, or an open file."""
    return isinstance(source, (str, os.PathLike)) or is_file_object(source)


def _joined(parts: list[Run | RunFile], name: str) -> Run:
    """One run from its parts; the rows of a query may be in several."""
    runs = [load_rows(part) for part in parts]
    tables = [run.rankings.table for run in runs if isinstance(run.rankings, TableRankings)]
    if len(tables) == len(runs):
        return to_run(Table.joined(tables), name=name)
    rankings: dict[str, RankingRows] = {}
    for run in runs:
        for query, rows in run.rankings.items():
            before = rankings.get(query)
            if before is None:
                rankings[query] = rows
            elif before.scores is None or rows.scores is None:
                what = "the ranking is in two parts, which have no scores to put them in order"
                raise InputError(what, file=name, query=query, hint="all rows of a query in one part, or scores")
            else:
                rankings[query] = RankingRows([*before.docs, *rows.docs], np.concatenate((before.scores, rows.scores)))
    return replace(runs[0], rankings=rankings, rows=sum(run.rows for run in runs), name=name)


def _refuse_data(**options: object) -> None:
    """Raise InputTypeError for an option that is an array or a frame."""
    for name, value in options.items():
        if hasattr(value, "__array__"):
            raise InputTypeError(f"{name} is {short(value)}", hint=f"a mapping for {name}")


def _refuse_options(source: object, form: str | None, names: object) -> None:
    """Raise InputError for options that what is read cannot have."""
    if form is not None and not _is_file(source):
        raise InputError("format= is for files alone", hint="leave it out")
    if names and isinstance(source, (Run, Qrels)):
        raise InputError("columns= is for files, frames and records", hint="leave it out")


_LIKE = {"run": ("a run", "{query: {document: score}}"), "qrels": ("qrels", "{query: {document: grade}}")}


def _read_object(source: Any, kind: Kind, names: ColumnNames | None, id_of: IdOf | None) -> Rows:
    """The rows of what is no file."""
    check_column_names(names, kind)
    if isinstance(source, Mapping):
        return read_mapping(source, kind, names, id_of)
    if is_frame(source):
        return read_frame(source, kind, names, where="DataFrame")
    if is_series(source):
        return read_series(source)
    if is_ranx(source):
        if type(source).__name__.lower() == OTHER[kind]:
            raise given_as(kind, f"a ranx {type(source).__name__} was")
        return source.to_dict()  # type: ignore[no-any-return]  # a dictionary, by a library without types
    nested = read_document(source, kind, id_of)
    if nested is not None:
        return nested
    if is_iterable(source) and not isinstance(source, (bytes, bytearray)):
        return read_rows(source, kind, names, id_of)
    what, mapping = _LIKE[kind]
    raise InputTypeError(f"cannot read {what} from {short(source)}", hint=f"{mapping}, a DataFrame or a path")


def load_rows(run: Run | RunFile) -> Run:
    """A run with its rows in memory."""
    return run if isinstance(run, Run) else to_run(run.table(), name=run.name)


def to_run(rows: Rows, *, name: str = "run") -> Run:
    """A run from its rows, of any form, which are checked here; a table has been.

    Raises InputError for an id, a score or a ranking that no policy could accept, with the query and document.
    """
    if isinstance(rows, Table):
        return Run(TableRankings(rows), len(rows), name, rows.tag, distances=rows.what == "distance")
    rankings = plain_rankings(rows) if isinstance(rows, Mapping) else None
    misplaced: dict[str, int] = {}
    distances = isinstance(rows, Columns) and rows.what == "distance"
    if rankings is None:
        rankings = {}
        for query, (docs, numbers, _, ranks, what, *_) in _by_query(rows, "run"):
            distances = distances or what == "distance"
            ids = docs if isinstance(docs, dict) else as_ids(docs, query=query)
            scores = None if numbers is None else as_scores(numbers, ids, query=query)
            rankings[query] = RankingRows(ids, scores)
            wrong = 0 if ranks is None or scores is None else int(np.count_nonzero(misranked(np.array(ranks), scores)))
            misplaced |= {query: wrong} if wrong else {}
    tag = rows.tag if isinstance(rows, Columns) else ""
    count = sum(len(ranking.docs) for ranking in rankings.values())
    return Run(rankings, count, name, tag, misranked=misplaced, distances=distances)


def to_qrels(rows: Rows, *, name: str = "qrels", labels: Mapping[str, float] | None = None) -> Qrels:
    """Qrels from their rows, of any form, which are checked here; ``labels`` are words that stand for grades.

    Raises InputError for an id or a grade that no policy could accept, with the query and document.
    """
    rows = rows.qrels_columns() if isinstance(rows, Table) else rows
    rows = rows.filled() if isinstance(rows, Columns) else rows
    grades = plain_grades(rows) if isinstance(rows, Mapping) else None
    if grades is not None:
        return Qrels(grades, sum(map(len, grades.values())), name=name)
    first: dict[str, dict[str, Grade]] = {}
    further: dict[str, list[tuple[str, Grade]]] = {}
    subtopics: dict[str, list[tuple[str, str, Grade]]] = {}
    for query, (docs, numbers, iterations, *_) in _by_query(rows, "qrels"):
        ids = list(docs) if isinstance(docs, dict) else as_ids(docs, query=query)
        values = [1] * len(ids) if numbers is None else as_grades(numbers, ids, query=query, labels=labels or {})
        judged = first[query] = {}
        for doc, grade in zip(ids, values, strict=True):
            if doc in judged:
                further.setdefault(query, []).append((doc, grade))
            else:
                judged[doc] = grade
        with raising("an iteration is no text:", InputTypeError, query=query, hint="text or a whole number"):
            names = list(map(str, iterations or ()))
        if len(set(names)) > 1:
            subtopics[query] = list(zip(ids, names, values, strict=True))
    count = sum(map(len, first.values())) + sum(map(len, further.values()))
    return Qrels(first, count, further, name, subtopics, rows.unfilled if isinstance(rows, Columns) else 0)


def _by_query(rows: Mapping[Any, Any] | Columns, kind: Kind) -> Iterator[tuple[str, QueryRows]]:
    """The rows of each query."""
    return rows.by_query() if isinstance(rows, Columns) else rows_by_query(rows, kind)
