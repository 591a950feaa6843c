"""Preparation: a run and qrels are read, ranked and checked once, so that any backend or tool can work on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .averaging import Mask, QueryStatus, fill_undefined, query_status
from .backends import Grades
from .errors import (
    GradeError,
    InputError,
    InputTypeError,
    clause,
    examples,
    setting,
    short,
    warn_caller,
)
from .measures import Measure, own_values, parameters_of
from .policy import Policy, check_policy
from .ranking import Ranked, counted_rows, rank
from .ranking.swapped import refuse_swapped
from .rankspace import Floats, RankSpace
from .readers import Qrels, Run, RunFile, load_rows, open_qrels, open_run, to_documents
from .readers.values import as_id, is_iterable
from .typing import QrelsLike, RunLike


@dataclass(frozen=True)
class Prepared:
    """A run and qrels, ranked by a policy: what backends and tools work on.

    ``measures`` are the requested ones and ``resolved`` the same with the policy's gain and relevance level. ``selected``, of
    shape (queries,), tells which judged queries may be averaged.
    """

    qrels: Qrels
    measures: Sequence[Measure]
    resolved: Sequence[Measure]
    policy: Policy
    ranked: Ranked
    selected: Mask

    @property
    def rows(self) -> Run:
        """The run with its rows, which are read again where they were not kept."""
        return load_rows(self.ranked.run)

    @property
    def space(self) -> RankSpace:
        """The rank space that most measures read."""
        return self.ranked.space

    @property
    def queries(self) -> Sequence[str]:
        """The ids of the judged queries."""
        return self.ranked.trace.queries

    @cached_property
    def grades(self) -> Grades:
        """What a backend may ask of the judgements before it computes."""
        return Grades.of(self.space)

    @cached_property
    def status(self) -> QueryStatus:
        """How the policy treats each query. Raises PolicyError where one is missing and the policy refuses that."""
        return query_status(self.ranked.spaces, self.ranked.trace, self.resolved, self.policy, self.selected)

    def complete(self, values: Floats) -> tuple[Floats, QueryStatus]:
        """The values to average, shape (queries, measures), and the status of each query, from the values of a backend.

        The functions of user-defined measures are called here and their columns of ``values`` filled in, in place. A query for
        which such a function has no value is undefined in the status that is returned; all else in it is as in ``status``.
        """
        status = self._fill_user_defined(values)
        return fill_undefined(values, status, self.policy), status

    def _fill_user_defined(self, values: Floats) -> QueryStatus:
        """Compute the columns of user-defined measures; the status, with the queries for which they are undefined."""
        user_defined = [i for i, measure in enumerate(self.resolved) if measure.function is not None]
        if not user_defined:
            return self.status
        defined, to_compute = self.status.defined.copy(), self.status.to_compute
        for i in user_defined:
            values[:, i] = own_values(
                self.resolved[i], self.space, self.queries, to_compute[:, i],
                subtopics=self.ranked.spaces.get("subtopics"), retrieved=self._retrieved,
            )  # fmt: skip
            defined[:, i] &= ~(to_compute[:, i] & np.isnan(values[:, i]))
        return replace(self.status, defined=defined)

    def _retrieved(self, query: str) -> tuple[list[str], list[float] | None]:
        """The documents of a query in order of rank, as the policy leaves them, and their scores."""
        return counted_rows(self.rows.rankings[query], query, self.ranked.judgements[query], self.policy)


def prepare(
    run: RunLike,
    qrels: QrelsLike,
    measures: Sequence[Measure] = (),
    *,
    policy: Policy,
    queries: Iterable[Any] | None = None,
    doc_of: Any = None,
    keep_rows: bool = False,
    warn: bool = True,
) -> Prepared:
    """Read and rank a run and qrels once, and refuse what the measures cannot be computed from.

    Parameters
    ----------
    run, qrels
        What :func:`samescore.evaluate` takes.
    measures : sequence of Measure, optional
        The requested measures.
    policy : Policy
        How the run is ranked and who is averaged.
    queries : iterable of ids, optional
        The queries to average over; all judged ones by default.
    doc_of : mapping or function, optional
        From the id of a chunk to that of its document.
    keep_rows : bool
        Whether the rows of a big file are needed after it is ranked.
    warn : bool
        Whether to warn of what is not wrong but usually means that the input is.

    Returns
    -------
    Prepared

    Raises
    ------
    SamescoreError
        What :func:`samescore.evaluate` raises, but for what depends on a backend.

    Examples
    --------
    >>> prepared = prepare({"q": ["d1", "d2"]}, {"q": {"d2": 1}}, policy=Policy())
    >>> prepared.queries, prepared.space.place.tolist(), prepared.status.is_averaged.tolist()
    (['q'], [2], [True])
    """
    check_policy(policy)
    resolved = [policy.resolve(measure) for measure in measures]
    loaded_run, loaded_qrels = read_inputs(run, qrels, doc_of=doc_of)
    needed_spaces = {measure.entry.reads for measure in resolved if measure.function is None}
    if user_defined := [measure for measure in resolved if measure.function is not None]:
        needed_spaces.add("subtopics" if loaded_qrels.subtopics else "grades")
        keep_rows = keep_rows or any(parameters_of(measure) - {"query_id"} for measure in user_defined)
    ranked = rank(loaded_run, loaded_qrels, policy, needed_spaces, keep_rows=keep_rows)
    refuse_grades(ranked, resolved, policy)
    if warn:
        warn_empty(loaded_run)
        warn_one_subtopic(loaded_qrels, resolved)
        warn_unjudged(ranked)
    ranked, selected = select_queries(ranked, queries)
    return Prepared(loaded_qrels, measures, resolved, policy, ranked, selected)


def read_inputs(run: RunLike, qrels: QrelsLike, *, doc_of: Any = None) -> tuple[Run | RunFile, Qrels]:
    """Read a run, with documents for chunks, and qrels.

    Raises MismatchError where they look swapped.
    """
    loaded_run, loaded_qrels = open_run(run), open_qrels(qrels)
    refuse_swapped(loaded_run, loaded_qrels)
    return loaded_run if doc_of is None else to_documents(load_rows(loaded_run), doc_of), loaded_qrels


def select_queries(ranked: Ranked, queries: Iterable[Any] | None) -> tuple[Ranked, Mask]:
    """Which judged queries are among those requested, with the notes on the requested ones alone.

    Raises InputError for an id that neither run nor qrels have.
    """
    judged = ranked.trace.queries
    if queries is None:
        return ranked, np.ones(len(judged), dtype=bool)
    requested = query_ids(queries).keys()
    unknown = requested - set(judged) - set(ranked.notes.unjudged_queries)
    if unknown:
        raise InputError(f"queries names ids that neither run nor qrels have: {examples(sorted(unknown))}", hint="check the ids")
    selected = np.fromiter((query in requested for query in judged), bool, len(judged))
    return replace(ranked, notes=ranked.notes.on(requested)), selected


def query_ids(queries: Iterable[Any], argument: str = "queries") -> dict[str, None]:
    """The ids of the queries that an argument names, in order, each once.

    Raises InputError for one text, which is an iterable of letters, and InputTypeError for what holds no ids.
    """
    if isinstance(queries, (str, bytes)):
        raise InputError(f"{argument} is one text, {short(queries)}", hint=setting(argument, [queries]))
    if not is_iterable(queries):
        raise InputTypeError(f"{argument} is {short(queries)}", hint="a set or list of query ids")
    return dict.fromkeys(as_id(query, kind="query") for query in queries)


def warn_empty(run: Run | RunFile) -> None:
    """Warn where a run holds no query; a file that is empty is refused."""
    if isinstance(run, Run) and not len(run):
        warn_caller("the run is empty: it holds no query", run.name)


def warn_unjudged(ranked: Ranked) -> None:
    """Warn where no document of the whole run is judged."""
    trace, space, without_hit = ranked.trace, ranked.space, set(ranked.notes.no_hit)
    if not without_hit:
        return
    searched = np.flatnonzero(trace.answered & (space.counts > 0) & (space.depth > 0))
    if all(trace.queries[i] in without_hit for i in searched.tolist()):
        what = "no document of the run is judged: are its ids cut short, or of another corpus?"
        warn_caller(what, ranked.run.name)


def warn_one_subtopic(qrels: Qrels, measures: Iterable[Measure]) -> None:
    """Warn where a measure of subtopics is asked and every query has one alone."""
    reading_subtopics = [measure for measure in measures if measure.entry.reads == "subtopics"]
    if reading_subtopics and not qrels.subtopics:
        what = f"{reading_subtopics[0]} is for qrels with subtopics, but here each query has one: is their iteration column lost?"
        warn_caller(what)


LARGEST_EXPONENT = 1000
"""2 to the power of more overflows a 64-bit float, or sums of it do."""


def refuse_grades(ranked: Ranked, measures: Iterable[Measure], policy: Policy) -> None:
    """Raise GradeError, with query and document, where a grade means nothing to one of the resolved measures."""
    for measure in measures:
        for check in _grade_checks(measure, policy.negatives):
            refused = check.refused(ranked.before_cut.grade, measure)
            if np.count_nonzero(refused):
                raise _grade_error(ranked, int(refused.argmax()), measure, check)


def _grade_error(ranked: Ranked, row: int, measure: Measure, check: GradeCheck) -> GradeError:
    """The error for the grade in one row."""
    query, document = ranked.trace.queries[int(ranked.before_cut.query[row])], ranked.trace.docs[row]
    grade = ranked.before_cut.grade[row].item()
    return GradeError(check.message.format(grade=grade, measure=measure), query=query, document=document, hint=check.hint(grade))


Grade = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GradeCheck:
    """Which grades are ``refused`` for a measure where the check ``applies``, and the ``message`` and ``hint`` of the error.

    What applies depends on the measure and on the policy's clause on grades below 0.
    """

    applies: Callable[[Measure, str], bool]
    refused: Callable[[Grade, Measure], Mask]
    message: str
    hint: Callable[[float], str]


def _overflowing(grade: Grade, measure: Measure) -> Mask:
    """Grades, or listed gains, whose power of 2 is no number."""
    if not measure.gains:
        return grade > LARGEST_EXPONENT
    return np.isin(grade, [listed for listed, gain in measure.gains.items() if gain > LARGEST_EXPONENT])


def _unlisted(grade: Grade, measure: Measure) -> Mask:
    """Grades above 0, and not below the measure's own level, that gains do not list."""
    relevant = grade > 0 if measure.level is None else grade >= measure.level
    return relevant & ~np.isin(grade, list(measure.gains))


GRADE_CHECKS = (
    GradeCheck(
        lambda measure, _: measure.get("dcg") == "exp-log2",
        _overflowing,
        "the gain 2^{grade} - 1 of the grade {grade} overflows",
        lambda _: clause("gain", "linear"),
    ),
    GradeCheck(
        lambda measure, _: measure.get("max_rel") is not None,
        lambda grade, measure: grade > measure.number("max_rel"),
        "the grade {grade} is above the highest that {measure} knows",
        lambda grade: f"max_rel={math.ceil(grade)}",
    ),
    GradeCheck(
        lambda measure, _: bool(measure.gains),
        _unlisted,
        "{measure} does not say what the grade {grade} gains",
        lambda grade: f"gains={{{grade}: ...}}",
    ),
    GradeCheck(
        lambda measure, negatives: measure.entry.reads == "pool" and negatives == "nonrelevant",
        lambda grade, _: grade < 0,
        "the grade is {grade}, which to {measure} means pooled but not judged",
        lambda _: clause("negatives", "unjudged"),
    ),
)
"""What grades are checked for, in this order."""


@lru_cache(maxsize=1024)
def _grade_checks(measure: Measure, negatives: str) -> tuple[GradeCheck, ...]:
    """The checks that apply to a measure."""
    return tuple(check for check in GRADE_CHECKS if check.applies(measure, negatives))
