"""Input that does not belong together: swapped sides, queries that nobody has, ids of another corpus, no subtopics."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from .averaging import Mask
from .errors import InputError, InputTypeError, MismatchError, SamescoreWarning, examples, short
from .measures import Measure
from .ranking import Ranked
from .readers import Qrels, Run, Stream
from .readers.values import as_id, is_iterable


def chosen(ranked: Ranked, queries: Iterable[Any] | None) -> tuple[Ranked, Mask]:
    """Which judged queries may be averaged, with notes on these and the unjudged ones asked for alone."""
    ids = ranked.trace.queries
    if queries is None:
        return ranked, np.ones(len(ids), dtype=bool)
    wanted = set(query_ids(queries))
    unknown = wanted - set(ids) - set(ranked.notes.unjudged_queries)
    if unknown:
        raise InputError(f"queries names ids that neither run nor qrels have: {examples(sorted(unknown))}", hint="check the ids")
    mask = np.fromiter((query in wanted for query in ids), bool, len(ids))
    return replace(ranked, notes=ranked.notes.on(wanted)), mask


def query_ids(queries: Iterable[Any]) -> dict[str, None]:
    """The ids of the queries that are asked for, in order, each once.

    Raises InputError for one text, which is an iterable of letters, and InputTypeError for what holds no ids.
    """
    if isinstance(queries, (str, bytes)):
        raise InputError(f"queries is one text, {short(queries)}", hint=f"queries=[{queries!r}]")
    if not is_iterable(queries):
        raise InputTypeError(f"queries is {short(queries)}", hint="a set or list of query ids")
    return dict.fromkeys(as_id(query, kind="query") for query in queries)


def refuse_swapped(run: Run | Stream, qrels: Qrels) -> None:
    """Raise MismatchError where the run looks like judgements and the qrels like scores, beyond doubt."""
    grades = [g for judged in qrels.grades.values() for g in judged.values() if isinstance(g, float)]
    if not grades or max(grades) <= 5 or 2 * len(grades) < qrels.rows:
        return
    scored = [r.scores for r in run.rankings.values()]
    if any(s is None for s in scored):
        return
    values = np.concatenate([s for s in scored if s is not None]) if scored else np.array([])
    if len(values) and np.isin(values, np.arange(-2, 6)).all():
        what = "run and qrels look swapped: the run's scores are all small whole numbers, most grades are fractions"
        raise MismatchError(what, hint="evaluate(run, qrels), or read_run(run) and read_qrels(qrels) first if this is right")


def warn_unjudged(ranked: Ranked) -> None:
    """Warn where no document of the whole run is judged."""
    trace, space, lost = ranked.trace, ranked.space, set(ranked.notes.no_hit)
    searched = np.flatnonzero(trace.answered & (space.counts > 0) & (space.depth > 0))
    if lost and all(trace.queries[i] in lost for i in searched.tolist()):
        what = "no document of the run is judged: are its ids cut short, or of another corpus?"
        warnings.warn(what, SamescoreWarning, stacklevel=4)


def warn_one_subtopic(qrels: Qrels, measures: Iterable[Measure]) -> None:
    """Warn where a measure of subtopics is asked and every query has one alone."""
    asked = [str(measure) for measure in measures if measure.entry.reads == "subtopics"]
    if asked and not qrels.subtopics:
        what = f"{asked[0]} is for qrels with subtopics, but here each query has one: is their iteration column lost?"
        warnings.warn(what, SamescoreWarning, stacklevel=4)
