"""Recognise what was given as a run or as qrels, and read it as found."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..errors import InputTypeError, short
from .files import read_qrels_file, read_run_file
from .found import Found, Grade, Qrels, Run
from .frames import is_frame, read_qrels_frame, read_run_frame
from .libraries import is_ranx, read_qrels_ranx, read_qrels_rows, read_run_ranx, read_run_rows
from .mappings import read_qrels_mapping, read_run_mapping

__all__ = ["Found", "Grade", "Qrels", "Run", "read_qrels", "read_run", "recognise_qrels", "recognise_run"]


def read_run(source: Any) -> Run:
    """Read a run once, for use with many calls.

    ``source`` is a mapping query -> ranking (a list of document ids in order, {document: score}, or a list of (document,
    score) pairs), a pandas DataFrame (query_id, doc_id, and score or rank), an iterable of ir_measures ``ScoredDoc``, a
    ranx ``Run``, or a path to a TREC run file (plain or .gz). ``len()`` of what is returned is the number of queries,
    ``.queries`` their ids, ``.rows`` the number of rows read. Later changes of the source do not change it.

    Raises InputError (IdError, ScoreError, FormatError ...) with the query and document, or the file and line.

    >>> run = read_run({"q1": ["d1", "d2"]})
    >>> len(run), run.queries, run.rows
    (1, ['q1'], 2)
    """
    run = recognise_run(source)
    kept = {query: Found(dict(r.docs), r.scores) if isinstance(r.docs, dict) else r for query, r in run.rankings.items()}
    return replace(run, rankings=kept)


def read_qrels(source: Any) -> Qrels:
    """Read qrels once, for use with many calls.

    ``source`` is a mapping query -> {document: grade} or query -> set or list of relevant documents (an empty one is a
    judged query without a relevant document), a pandas DataFrame (query_id, doc_id, relevance), an iterable of
    ir_measures ``Qrel``, a ranx ``Qrels``, or a path to a TREC qrels file (plain or .gz).

    Raises InputError (IdError, GradeError, FormatError ...) with the query and document, or the file and line.

    >>> qrels = read_qrels({"q1": {"d1": 2, "d2": 0}, "q2": {"d9"}})
    >>> len(qrels), qrels.rows
    (2, 3)
    """
    qrels = recognise_qrels(source)
    return replace(qrels, grades={query: dict(judged) for query, judged in qrels.grades.items()})


def recognise_run(source: Any) -> Run:
    """Read a run, without a copy where its mappings can be used as they are."""
    if isinstance(source, Run):
        return source
    if isinstance(source, Mapping):
        return read_run_mapping(source)
    if isinstance(source, (str, os.PathLike)):
        return read_run_file(source)
    if is_frame(source):
        return read_run_frame(source)
    if is_ranx(source):
        return read_run_ranx(source)
    if isinstance(source, Qrels):
        raise InputTypeError("qrels were given as the run", hint="evaluate(run, qrels); are run and qrels swapped?")
    if isinstance(source, Iterable) and not isinstance(source, bytes):
        return read_run_rows(source)
    raise InputTypeError(f"cannot read a run from {short(source)}", hint="{query: {document: score}}, a DataFrame or a path")


def recognise_qrels(source: Any) -> Qrels:
    """Read qrels from whatever they are."""
    if isinstance(source, Qrels):
        return source
    if isinstance(source, Mapping):
        return read_qrels_mapping(source)
    if isinstance(source, (str, os.PathLike)):
        return read_qrels_file(source)
    if is_frame(source):
        return read_qrels_frame(source)
    if is_ranx(source):
        return read_qrels_ranx(source)
    if isinstance(source, Run):
        raise InputTypeError("a run was given as the qrels", hint="evaluate(run, qrels); are run and qrels swapped?")
    if isinstance(source, Iterable) and not isinstance(source, bytes):
        return read_qrels_rows(source)
    raise InputTypeError(f"cannot read qrels from {short(source)}", hint="{query: {document: grade}}, a DataFrame or a path")
