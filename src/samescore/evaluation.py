"""evaluate: run and qrels to rank space, rank space to numbers, numbers to a Result."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import backends
from .averaging import Mask, Standing, mean, settled, standing
from .backends.sending import scores
from .errors import GradeError, InputError, MeasureError, MismatchError, SamescoreWarning, examples, short, spot
from .measures import Measure, parse_all
from .policy import Policy
from .ranking import Ranked, rank
from .readers import Qrels, Run, recognise_qrels, recognise_run
from .report import Report
from .result import Result

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
) -> Result:
    """Score a run against judgements.

    ``run`` and ``qrels`` are whatever :func:`samescore.read_run` and :func:`samescore.read_qrels` read, or what they
    return; neither is changed. ``k`` (10 by default) asks for recall, reciprocal rank and nDCG at each cutoff;
    ``measures`` (text, a Measure, or several) asks for those instead. ``backend`` is ``"ir_measures"``, ``"ranx"``,
    ``"reference"``, ``"package.module:Object"`` or an object that fits :class:`samescore.backends.Backend`. ``queries``
    is the set of query ids to average over, all judged ones by default.

    Raises InputError for input that no policy accepts, PolicyError for what this one refuses, MeasureError for an
    unknown measure, GapError where the backend lacks one.

    >>> result = evaluate({"q1": ["d1", "d2"]}, {"q1": {"d2": 1}}, k=2, backend="reference")
    >>> result["recall"], result["mrr"], result["queries"]
    (1.0, 0.5, 1)
    """
    asked = _asked(k, measures)
    resolved = [policy.resolve(measure) for measure in asked]
    engine = backends.find(backend)
    found_run, found_qrels = recognise_run(run), recognise_qrels(qrels)
    if found_run is not run and found_qrels is not qrels:
        _refuse_swapped(found_run, found_qrels)
    ranked = rank(found_run, found_qrels, policy)
    _refuse_overflow(ranked, resolved)
    backends.check_gaps(engine, list(zip(asked, resolved, strict=True)), backends.Grades.of(ranked.space))
    stands = standing(ranked.space, ranked.trace, resolved, policy, _chosen(ranked, queries))
    computed = scores(engine, ranked.space, resolved, stands.wanted(ranked.trace.answered))
    return _result(asked, resolved, settled(computed, stands, policy), ranked, stands, policy, engine.label)


def _asked(k: Any, measures: Any) -> list[Measure]:
    """The measures that the call asks for."""
    if measures is not None:
        if k is not None:
            raise MeasureError("both k and measures were given", hint="measures=['R@5', 'nDCG@5']")
        return parse_all(measures)
    if isinstance(k, (str, bytes)):
        raise MeasureError(f"k is text, {short(k)}", hint=f"measures={k!r}")
    cutoffs = list(k) if isinstance(k, Iterable) else [10 if k is None else k]
    if not cutoffs:
        raise MeasureError("k is empty", hint="k=10 or k=[5, 10]")
    recalls, gains = [Measure("R", n) for n in cutoffs], [Measure("nDCG", n) for n in cutoffs]
    return list(dict.fromkeys([*recalls, Measure("RR"), *gains]))


def _chosen(ranked: Ranked, queries: Iterable[Any] | None) -> Mask:
    """Which judged queries may be averaged."""
    ids = ranked.trace.queries
    if queries is None:
        return np.ones(len(ids), dtype=bool)
    if isinstance(queries, (str, bytes)):
        raise InputError(f"queries is one text, {short(queries)}", hint=f"queries=[{queries!r}]")
    wanted = {str(query) for query in queries}
    unknown = wanted - set(ids) - set(ranked.notes.unjudged_queries)
    if unknown:
        raise InputError(f"queries names ids that neither run nor qrels have: {examples(sorted(unknown))}", hint="check the ids")
    return np.fromiter((query in wanted for query in ids), bool, len(ids))


def _refuse_swapped(run: Run, qrels: Qrels) -> None:
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


def _refuse_overflow(ranked: Ranked, measures: Sequence[Measure]) -> None:
    """Raise GradeError where a grade is so large that 2^grade - 1 is no number."""
    grade = ranked.space.grade
    if len(grade) and grade.max() > 1000 and any(m.get("dcg") == "exp-log2" for m in measures):
        row = int(grade.argmax())
        where = spot(query=ranked.trace.queries[ranked.space.query[row]], doc=ranked.trace.docs[row])
        raise GradeError(f"the gain 2^{grade[row]} - 1 of the grade {grade[row]} overflows", where=where, hint="Policy(gain='linear')")


def _result(
    asked: Sequence[Measure], resolved: Sequence[Measure], values: Any, ranked: Ranked, stands: Standing, policy: Policy, label: str
) -> Result:
    """Means, report and provenance put together."""
    averages = [mean(values[:, i]) for i in range(len(asked))]
    report = _report(asked, [n for _, n in averages], ranked, stands, policy)
    if ranked.trace.queries and len(report.no_hit) == int(ranked.trace.answered.sum()) > 0:
        warnings.warn("no document of the run is judged: are its ids cut short, or of another corpus?", SamescoreWarning, stacklevel=3)
    return Result(
        measures=asked, resolved=resolved, means=[m for m, _ in averages], values=values, queries=ranked.trace.queries,
        policy=policy, backend=label, report=report, space=ranked.space,
    )  # fmt: skip


def _report(asked: Sequence[Measure], n: Sequence[int], ranked: Ranked, stands: Standing, policy: Policy) -> Report:
    """The report of a call."""
    trace, notes, space = ranked.trace, ranked.notes, ranked.space

    def ids(mask: Mask) -> tuple[str, ...]:
        return tuple(trace.queries[i] for i in np.flatnonzero(mask))

    undefined = {str(m): ids(stands.counted & ~stands.empty & ~stands.defined[:, i]) for i, m in enumerate(asked)}
    left_out = ids(stands.empty & trace.answered) if policy.empty == "skip" else ()
    cutoffs = list(dict.fromkeys(m.cutoff for m in asked))
    return Report(
        queries=int(stands.counted.sum()),
        n=dict(zip(map(str, asked), n, strict=True)),
        skipped=(*notes.unjudged_queries, *left_out),
        unjudged_queries=tuple(notes.unjudged_queries),
        empty=ids(stands.empty),
        missing=ids(stands.missing),
        undefined={m: found for m, found in undefined.items() if found},
        duplicates=notes.duplicates,
        tied=notes.tied,
        no_hit=tuple(notes.no_hit),
        self_hits=tuple(notes.self_hits),
        negatives=notes.negatives,
        repeated_judgements=notes.repeated_judgements,
        conflicts=notes.conflicts,
        judged={k: _coverage(space, stands.counted & trace.answered, k) for k in cutoffs},
        largest_grade=float(space.grade.max()) if len(space.grade) else 0.0,
    )


def _coverage(space: Any, averaged: Mask, cutoff: int | None) -> float:
    """The share of the retrieved documents, down to a cutoff, that are judged; 0.0 where none was retrieved."""
    deepest = space.depth if cutoff is None else np.minimum(space.depth, cutoff)
    retrieved = int(deepest[averaged].sum())
    judged = int(space.per_query(space.place <= deepest[space.query])[averaged].sum())
    return judged / retrieved if retrieved else 0.0
