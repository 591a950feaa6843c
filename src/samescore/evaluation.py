"""evaluate: run and qrels to rank space, rank space to numbers, numbers to a Result."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import backends
from .averaging import Mask, QueryStatus, aggregated, denominators, fill_undefined, query_status
from .backends import Grades
from .backends.batches import scores
from .errors import (
    GradeError,
    InputError,
    InputTypeError,
    MeasureError,
    MismatchError,
    PolicyError,
    SamescoreWarning,
    examples,
    short,
)
from .measures import Measure, own_values, parse_all
from .policy import Policy
from .ranking import Ranked, rank
from .rankspace import Floats, RankSpace
from .readers import Qrels, Run, Stream, load_rows, open_run, recognise_qrels, to_documents
from .readers.values import as_id, is_iterable
from .report import FrozenDict, make_report
from .result import Column, Result
from .slices import recognise_slices


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


LARGEST_EXPONENT = 1000
"""2 to the power of more overflows a 64-bit float, or sums of it do."""

Rows = NDArray[np.bool_]


def refuse_grades(ranked: Ranked, measures: Iterable[Measure], policy: Policy) -> None:
    """Raise GradeError, with query and document, where a grade means nothing to one of the resolved measures."""
    if not len(ranked.whole.grade):
        return
    for measure in measures:
        _refuse(ranked, measure, _overflows, "the gain 2^{grade} - 1 of the grade {grade} overflows", "Policy(gain='linear')")
        _refuse(ranked, measure, _off_the_scale, "the grade {grade} is above the highest that {measure} knows", "max_rel={scale}")
        _refuse(ranked, measure, _unlisted, "{measure} does not say what the grade {grade} gains", "gains={{{grade}: ...}}")
        if policy.negatives == "nonrelevant":
            what = "the grade is {grade}, which to {measure} means pooled but not judged"
            _refuse(ranked, measure, _pooled, what, "Policy(negatives='unjudged')")


def _refuse(ranked: Ranked, measure: Measure, bad: Callable[[Ranked, Measure], Rows | None], what: str, hint: str) -> None:
    """Raise GradeError for the first bad row, if any."""
    rows = bad(ranked, measure)
    if rows is None or not rows.any():
        return
    row = int(rows.argmax())
    query, document = ranked.trace.queries[int(ranked.whole.query[row])], ranked.trace.docs[row]
    grade = ranked.whole.grade[row].item()
    words = {"grade": grade, "measure": measure, "scale": math.ceil(grade)}
    raise GradeError(what.format(**words), query=query, document=document, hint=hint.format(**words))


def _overflows(ranked: Ranked, measure: Measure) -> Rows | None:
    """Grades, or listed gains, whose power of 2 is no number."""
    if measure.get("dcg") != "exp-log2":
        return None
    if not measure.gains:
        return ranked.whole.grade > LARGEST_EXPONENT
    large = [grade for grade, gain in measure.gains.items() if gain > LARGEST_EXPONENT]
    return np.isin(ranked.whole.grade, large) if large else None


def _off_the_scale(ranked: Ranked, measure: Measure) -> Rows | None:
    """Grades above max_rel."""
    return ranked.whole.grade > measure.number("max_rel") if measure.get("max_rel") else None


def _unlisted(ranked: Ranked, measure: Measure) -> Rows | None:
    """Grades above 0, and not below the measure's own level, that gains do not list."""
    if not measure.gains:
        return None
    grade = ranked.whole.grade
    counts = grade > 0 if measure.level is None else grade >= measure.level
    return counts & ~np.isin(grade, list(measure.gains))


def _pooled(ranked: Ranked, measure: Measure) -> Rows | None:
    """Grades below 0 of a measure that takes them for another thing."""
    return ranked.whole.grade < 0 if measure.entry.reads == "pool" else None


@dataclass(frozen=True)
class Prepared:
    """What a backend is asked: ``resolved`` measures of ``ranked`` queries, of which ``averaged`` ones, shape (queries,), count."""

    ranked: Ranked
    resolved: Sequence[Measure]
    policy: Policy
    averaged: Mask

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
        """How each query stands. Raises PolicyError where one is missing and the policy refuses that."""
        return query_status(self.ranked.spaces, self.ranked.trace, self.resolved, self.policy, self.averaged)

    def answered(self, values: Floats) -> tuple[Floats, QueryStatus]:
        """A backend's values as they are averaged, of shape (queries, measures), and how queries stand.

        The columns of measures of one's own are filled, which their functions compute.
        """
        status = self._with_own(values)
        return fill_undefined(values, status, self.policy), status

    def _with_own(self, values: Floats) -> QueryStatus:
        """Fill the columns of measures of one's own, and note where those are undefined."""
        defined, wanted = self.status.defined.copy(), self.status.wanted
        for i, measure in enumerate(self.resolved):
            if measure.function is not None:
                values[:, i] = own_values(measure, self.space, self.queries, wanted[:, i])
                defined[:, i] &= ~(wanted[:, i] & np.isnan(values[:, i]))
        return replace(self.status, defined=defined)


def prepare(
    run: Any, qrels: Any, measures: Sequence[Measure], *, policy: Policy, queries: Iterable[Any] | None = None, doc_of: Any = None
) -> Prepared:
    """Read a run and qrels, rank them by the policy, and refuse what the measures cannot be asked of.

    Raises what :func:`samescore.evaluate` raises, but for what depends on a backend.
    """
    if not isinstance(policy, Policy):
        raise PolicyError(f"the policy is {short(policy)}", hint="policy=Policy() or Policy.trec_eval()")
    resolved = [policy.resolve(measure) for measure in measures]
    found_run, found_qrels = open_inputs(run, qrels, doc_of)
    ranked = rank(found_run, found_qrels, policy, {measure.entry.reads for measure in resolved})
    refuse_grades(ranked, resolved, policy)
    warn_one_subtopic(found_qrels, resolved)
    warn_unjudged(ranked)
    ranked, averaged = chosen(ranked, queries)
    return Prepared(ranked, resolved, policy, averaged)


def open_inputs(run: Any, qrels: Any, doc_of: Any) -> tuple[Run | Stream, Qrels]:
    """Run and qrels as found, the run with documents for chunks.

    Raises MismatchError where both are read here and look swapped.
    """
    found_run, found_qrels = open_run(run), recognise_qrels(qrels)
    if found_run is not run and found_qrels is not qrels:
        refuse_swapped(found_run, found_qrels)
    return (found_run if doc_of is None else to_documents(load_rows(found_run), doc_of)), found_qrels


DEFAULT = Policy()


def evaluate(
    run: Any,
    qrels: Any,
    k: int | Sequence[int] | None = None,
    *,
    measures: Any = None,
    backend: Any = "ir_measures",
    policy: Policy = DEFAULT,
    queries: Iterable[Any] | None = None,
    slices: Any = None,
    average: Literal["macro", "micro"] = "macro",
    doc_of: Any = None,
    ties: bool = False,
) -> Result:
    """Score a run against judgements.

    ``run`` and ``qrels`` are whatever :func:`samescore.read_run` and :func:`samescore.read_qrels` read, or what they
    return; neither is changed. ``k`` (10 by default) asks for recall, reciprocal rank and nDCG at each cutoff;
    ``measures`` (text, a Measure, or several) asks for those instead. ``backend`` is ``"ir_measures"``, ``"ranx"``,
    ``"reference"``, ``"package.module:Object"`` or an object that fits :class:`samescore.backends.Backend`. ``queries``
    is the set of query ids to average over, all judged ones by default.

    ``slices`` is {query: label}, or a DataFrame with query_id and columns of labels; means, counts and intervals of each
    slice are then in ``result.slices``. ``average="micro"`` divides sums over all queries, where each query counts alike by
    default. ``doc_of`` is {chunk: document}, or a function: each retrieved id is taken for the document that it is part of
    before duplicates are dropped, so that chunks are scored against judgements of documents; an id that it lacks stays and
    is reported. ``ties=True`` also finds the queries for which another order of tied documents changes some measure
    (``result.report.tie_changes``), which takes up to as long again where every query has ties.

    Raises InputError for input that no policy accepts, PolicyError for what this one refuses, MeasureError for an
    unknown measure and for one without a micro average, GapError where the backend lacks one.

    >>> result = evaluate({"q1": ["d1", "d2"]}, {"q1": {"d2": 1}}, k=2, backend="reference")
    >>> result["recall"], result["mrr"], result["queries"]
    (1.0, 0.5, 1)
    """
    if not isinstance(ties, bool):
        raise PolicyError(f"ties is {short(ties)}, not True or False", hint=f"policy=Policy(ties={ties!r})")
    asked, engine, labels = requested(k, measures), backends.find(backend), recognise_slices(slices)
    prepared = prepare(run, qrels, asked, policy=policy, queries=queries, doc_of=doc_of)
    backends.check_gaps(engine, list(zip(asked, prepared.resolved, strict=True)), prepared.grades)
    weights = denominators(average, prepared.space, asked, prepared.resolved)
    values, status = prepared.answered(scores(engine, prepared.ranked.spaces, prepared.resolved, prepared.status.wanted))
    values.setflags(write=False)
    columns, n = {}, []
    for i, (measure, resolved) in enumerate(zip(asked, prepared.resolved, strict=True)):
        weight = None if weights is None else weights[:, i]
        average_value, count = aggregated(values[:, i], resolved, weight)
        columns[str(measure)] = Column(measure, resolved, average_value, values[:, i], weight)
        n.append(count)
    return Result(
        policy=policy,
        backend=engine.label,
        report=make_report(asked, prepared.resolved, n, prepared.ranked, status=status, policy=policy, with_ties=ties),
        columns=FrozenDict(columns),
        queries=tuple(prepared.queries),
        counted=status.counted,
        average=average,
        labels=labels,
        spaces=prepared.ranked.spaces,
    )


def requested(k: Any, measures: Any) -> list[Measure]:
    """The measures that a call asks for: those named, or recall, reciprocal rank and nDCG at each k (10 by default).

    Raises MeasureError where both are given, or nothing.
    """
    if measures is not None:
        if k is not None:
            raise MeasureError("both k and measures were given", hint="measures=['R@5', 'nDCG@5']")
        return parse_all(measures)
    if isinstance(k, (str, bytes)):
        raise MeasureError(f"k is text, {short(k)}", hint=f"measures={k!r}")
    cutoffs = list(k) if is_iterable(k) else [10 if k is None else k]
    if not cutoffs:
        raise MeasureError("k is empty", hint="k=10 or k=[5, 10]")
    recalls, gains = [Measure("R", n) for n in cutoffs], [Measure("nDCG", n) for n in cutoffs]
    return list(dict.fromkeys([*recalls, Measure("RR"), *gains]))
