"""Recognise what was given as a run or as qrels, and read it as found."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import InputError, InputTypeError, short
from .data import Qrels, RankingRows, Run, TableRankings, document_lookup, to_documents
from .files import load_rows, read_qrels_file, read_run_file
from .frames import is_frame, read_qrels_frame, read_qrels_keyed, read_run_frame, read_run_keyed
from .mappings import (
    is_irds,
    is_keyed,
    is_ranx,
    read_qrels_irds,
    read_qrels_mapping,
    read_qrels_ranx,
    read_qrels_rows,
    read_run_mapping,
    read_run_ranx,
    read_run_rows,
)
from .text import Stream
from .values import Grade, is_iterable

__all__ = [
    "Grade",
    "Qrels",
    "RankingRows",
    "Run",
    "Stream",
    "document_lookup",
    "load_rows",
    "open_run",
    "read_qrels",
    "read_run",
    "recognise_qrels",
    "recognise_run",
    "to_documents",
]

Names = Mapping[str, str] | None


def read_run(source: Any, *, format: str | None = None, columns: Names = None) -> Run:
    """Read a run once, for use with many calls.

    ``source`` is a mapping query -> ranking (a list of document ids in order, {document: score}, or a list of (document,
    score) pairs; a Series of pandas is {document: score} by its index, or a list where it holds texts over whole numbers;
    the mapping may be such a Series too, by query or by query and document), a frame of pandas, polars or pyarrow (query_id,
    doc_id, and score or rank), records, an iterable of ir_measures ``ScoredDoc``, a ranx ``Run``, or a path (``-`` is
    standard input) to a file, packed or not: TREC, MS MARCO, CSV, TSV, JSON, JSON Lines, Parquet or Arrow. What a file is,
    its content tells; ``format`` forces one of ``"trec"``, ``"msmarco"``, ``"beir"``, ``"csv"``, ``"tsv"``, ``"json"``,
    ``"jsonl"``, ``"parquet"`` and ``"arrow"``. ``columns`` maps ``query_id``, ``doc_id``, ``score`` or ``rank`` to names of
    your own. ``len()`` of what is returned is the number of queries, ``.queries`` their ids, ``.rows`` the number of rows
    read. Later changes of the source do not change it.

    Raises InputError (IdError, ScoreError, FormatError ...) with the query and document, or the file and line.

    >>> run = read_run({"q1": ["d1", "d2"]})
    >>> len(run), run.queries, run.rows
    (1, ['q1'], 2)
    """
    run = recognise_run(source, form=format, names=columns)
    if isinstance(run.rankings, TableRankings):
        return run
    rankings = {query: RankingRows(dict(r.docs), r.scores) if isinstance(r.docs, dict) else r for query, r in run.rankings.items()}
    return replace(run, rankings=rankings)


def read_qrels(source: Any, *, format: str | None = None, columns: Names = None) -> Qrels:
    """Read qrels once, for use with many calls.

    ``source`` is a mapping query -> {document: grade} or query -> set or list of relevant documents (an empty one is a
    judged query without a relevant document), a frame of pandas, polars or pyarrow (query_id, doc_id, relevance), records,
    an iterable of ir_measures ``Qrel``, a ranx ``Qrels``, a data set of ir_datasets (``"irds:vaswani"``), a BEIR folder, or a
    path to a file as :func:`read_run` takes it. ``format`` and ``columns`` (``query_id``, ``doc_id``, ``relevance``) are as there.

    Raises InputError (IdError, GradeError, FormatError ...) with the query and document, or the file and line.

    >>> qrels = read_qrels({"q1": {"d1": 2, "d2": 0}, "q2": {"d9"}})
    >>> len(qrels), qrels.rows
    (2, 3)
    """
    qrels = recognise_qrels(source, form=format, names=columns)
    return replace(qrels, grades={query: dict(judged) for query, judged in qrels.grades.items()})


def recognise_run(source: Any, *, form: str | None = None, names: Names = None) -> Run:
    """Read a run, without a copy where its mappings can be used as they are."""
    return load_rows(open_run(source, form=form, names=names))


def open_run(source: Any, *, form: str | None = None, names: Names = None) -> Run | Stream:
    """Read a run, or open it where it is a big file that need not be kept."""
    if isinstance(source, (str, os.PathLike)):
        if is_irds(source):
            raise InputError("ir_datasets has qrels, not runs", file=source, hint="a path to a run")
        return read_run_file(source, form=form, names=names)
    _refuse_options(source, form, names)
    if isinstance(source, Run):
        return source
    if isinstance(source, Mapping):
        return read_run_mapping(source)
    if is_frame(source):
        return read_run_frame(source, names)
    if is_keyed(source):
        return read_run_keyed(source)
    if is_ranx(source):
        return read_run_ranx(source)
    if isinstance(source, Qrels):
        raise InputTypeError("qrels were given as the run", hint="evaluate(run, qrels); are run and qrels swapped?")
    if is_iterable(source) and not isinstance(source, (bytes, bytearray)):
        return read_run_rows(source, names)
    raise InputTypeError(f"cannot read a run from {short(source)}", hint="{query: {document: score}}, a DataFrame or a path")


def recognise_qrels(source: Any, *, form: str | None = None, names: Names = None) -> Qrels:
    """Read qrels from whatever they are."""
    if isinstance(source, (str, os.PathLike)):
        return read_qrels_irds(str(source)) if is_irds(source) else read_qrels_file(source, form=form, names=names)
    _refuse_options(source, form, names)
    if isinstance(source, Qrels):
        return source
    if isinstance(source, Mapping):
        return read_qrels_mapping(source)
    if is_frame(source):
        return read_qrels_frame(source, names)
    if is_keyed(source):
        return read_qrels_keyed(source)
    if is_ranx(source):
        return read_qrels_ranx(source)
    if isinstance(source, Run):
        raise InputTypeError("a run was given as the qrels", hint="evaluate(run, qrels); are run and qrels swapped?")
    if is_iterable(source) and not isinstance(source, (bytes, bytearray)):
        return read_qrels_rows(source, names)
    raise InputTypeError(f"cannot read qrels from {short(source)}", hint="{query: {document: grade}}, a DataFrame or a path")


def _refuse_options(source: object, form: str | None, names: Names) -> None:
    """Raise InputError where a format is given for what is no file, or names of columns for what has none."""
    if form is not None:
        raise InputError("format= is for files alone", hint="leave it out")
    if names and isinstance(source, (Mapping, Run, Qrels)):
        raise InputError("columns= is for files, frames and records", hint="leave it out")
