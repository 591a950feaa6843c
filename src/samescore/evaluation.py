"""evaluate: a run and qrels are prepared, a backend scores them, and the numbers become a Result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import backends
from .averaging import Average, Weighting, denominators, mean_or_sum
from .backends import Backend
from .backends.batches import scores
from .display import mention
from .errors import InputTypeError, MeasureError, examples, setting, short, warn_caller
from .measures import Measure, parse_all
from .policy import Policy
from .preparation import Prepared, prepare
from .rankspace import Floats
from .readers.values import is_iterable
from .report import FrozenDict, make_report
from .result import MeasureColumn, Result
from .slices import Slices, recognise_slices
from .typing import MeasuresLike, QrelsLike, RunLike

DEFAULT = Policy()

ALIKE = Weighting()
"""Each query counts alike."""


def evaluate(
    run: RunLike,
    qrels: QrelsLike,
    k: int | Sequence[int] | None = None,
    *,
    measures: MeasuresLike | None = None,
    backend: str | Backend = "auto",
    policy: Policy = DEFAULT,
    queries: Iterable[Any] | None = None,
    slices: Any = None,
    average: Average = "macro",
    weights: Any = None,
    doc_of: Any = None,
    tie_changes: bool = False,
) -> Result:
    """Score a run against judgements.

    Parameters
    ----------
    run : RunLike
        What :func:`samescore.read_run` reads or returns; it is not changed.
    qrels : QrelsLike
        What :func:`samescore.read_qrels` reads or returns; it is not changed.
    k : int or sequence of int, optional
        Cutoffs, 10 by default: recall and nDCG at each, and the reciprocal rank over the whole ranking.
    measures : MeasureLike or several, optional
        Measures to compute instead: text, or :class:`samescore.Measure`.
    backend : str or Backend
        Who computes: ``"auto"`` (ir_measures, and the reference what it lacks, which the result names), ``"ir_measures"``,
        ``"ranx"``, ``"reference"``, ``"package.module:Object"``, or an object that fits :class:`samescore.backends.Backend`. A
        backend that is named computes all or refuses.
    policy : Policy
        How ties, duplicates, missing queries and the like are treated.
    queries : iterable of ids, optional
        The queries to average over; all judged ones by default.
    slices : mapping or DataFrame, optional
        {query: label}, or columns of labels beside query_id. Means, counts and intervals of each slice are then in
        ``result.slices``.
    average : {"macro", "micro", "slices"}
        Each query counts alike; sums over all queries are divided; or each slice counts alike, whatever its size, and a query
        without a label not at all. Counts are sums in each.
    weights : mapping, Series or DataFrame, optional
        {query: weight}: the mean is the sum of value times weight over the sum of weights, of the queries that have a value.
    doc_of : mapping or function, optional
        {chunk: document}: each retrieved id is taken for the document that it is part of before duplicates are dropped, so
        that chunks are scored against judgements of documents. An id that it lacks stays and is reported.
    tie_changes : bool
        Also find the queries for which another order of tied documents changes some measure
        (``result.report.tie_changes``), which takes up to as long again where every query has ties.

    Returns
    -------
    Result
        The means and the values of each query, with the policy, the backend and a report of what the policy did.

    Raises
    ------
    InputError
        For input that no policy accepts.
    PolicyError
        For input that this policy refuses.
    MeasureError
        For an unknown measure, and for one without a micro average.
    GapError
        Where the backend lacks a measure.

    Examples
    --------
    >>> result = evaluate({"q1": ["d1", "d2"]}, {"q1": {"d2": 1}}, k=2, backend="reference")
    >>> result["recall"], result["mrr"], result["queries"]
    (1.0, 0.5, 1)
    """
    if not isinstance(tie_changes, bool):
        raise InputTypeError(f"tie_changes is {short(tie_changes)}, not True or False", hint=setting("tie_changes", True))
    requested, backend, labels = requested_measures(k, measures), backends.find(backend), recognise_slices(slices)
    prepared = prepare(run, qrels, requested, policy=policy, queries=queries, doc_of=doc_of)
    weighting = Weighting.of(average, weights, labels.labels)
    weighting.refuse_unknown([*prepared.queries, *prepared.ranked.notes.unjudged_queries])
    result = compute(prepared, backend, weighting=weighting, labels=labels, tie_changes=tie_changes)
    warn_unaveraged(result, prepared.ranked.run.name)
    return result


def warn_unaveraged(result: Result, run: str) -> None:
    """Warn where a mean was taken over no query, and say what became of the queries."""
    report = result.report
    measures = [] if all(report.n.values()) else [name for name, mean in result.shown.items() if math.isnan(mean)]
    if not measures:
        return
    left_out = [
        mention(report.empty, "without a relevant document"),
        mention(report.missing, "not in the run"),
        mention(report.unjudged_queries, "of the run not judged"),
    ]
    why = "; ".join(filter(None, left_out)) or "no query has a value"
    warn_caller(f"no query is averaged for {examples(measures)}, so that there is no mean: {why}", run)


def compute(
    prepared: Prepared, backend: Backend, *, weighting: Weighting = ALIKE, labels: Slices | None = None, tie_changes: bool = False
) -> Result:
    """The result that a backend computes from what was prepared.

    Raises GapError where the backend lacks a measure, MeasureError for one without a micro average.
    """
    measures, resolved = prepared.measures, prepared.resolved
    assigned = backends.assign(backend, list(zip(measures, resolved, strict=True)), prepared.grades)
    divisors = denominators(prepared.space, measures, resolved) if weighting.average == "micro" else None
    computed = _scores(assigned, prepared)
    values, status = prepared.complete(computed)
    values.setflags(write=False)
    (main, _), *others = assigned
    label_of = {i: engine.label for engine, some in assigned for i in some}
    columns, n = {}, {}
    for i, (name, measure) in enumerate(zip(map(str, measures), measures, strict=True)):
        has_value = ~np.isnan(values[:, i])
        weight = weighting.weights(prepared.queries, has_value) if divisors is None else divisors[:, i]
        mean, n[name] = mean_or_sum(values[:, i], resolved[i], weight)
        columns[name] = MeasureColumn(measure, resolved[i], mean, values[:, i], weight, label_of[i])
    return Result(
        policy=prepared.policy,
        backend="; ".join([main.label, *(f"{engine.label} for {_names(measures, some)}" for engine, some in others)]),
        report=make_report(prepared, n, values, status, tie_changes=tie_changes),
        columns=FrozenDict(columns),
        queries=tuple(prepared.queries),
        is_averaged=status.is_averaged,
        average=weighting.average,
        labels=labels or Slices(),
        spaces=prepared.ranked.spaces,
    )


def _names(measures: Sequence[Measure], columns: Iterable[int]) -> str:
    """The names of some of the measures."""
    return ", ".join(str(measures[i]) for i in columns)


def _scores(assigned: Sequence[tuple[Backend, list[int]]], prepared: Prepared) -> Floats:
    """The values of each measure by the backend that it is assigned to, shape (queries, measures)."""
    spaces, resolved, to_compute = prepared.ranked.spaces, prepared.resolved, prepared.status.to_compute
    if len(assigned) == 1:
        return scores(assigned[0][0], spaces, resolved, to_compute)
    values = np.full(to_compute.shape, np.nan)
    for backend, columns in assigned:
        values[:, columns] = scores(backend, spaces, [resolved[i] for i in columns], to_compute[:, columns])
    return values


def requested_measures(k: Any, measures: MeasuresLike | None) -> list[Measure]:
    """The measures that a call asks for: those named, or recall and nDCG at each k (10 by default) and the reciprocal rank.

    Raises MeasureError where both are given, or nothing.
    """
    if measures is not None:
        if k is not None:
            raise MeasureError("both k and measures were given", hint=setting("measures", ["R@5", "nDCG@5"]))
        return parse_all(measures)
    if isinstance(k, (str, bytes)):
        raise MeasureError(f"k is text, {short(k)}", hint=setting("measures", k))
    if k is None:
        return list(USUAL)
    cutoffs = list(k) if is_iterable(k) else [k]
    if not cutoffs:
        raise MeasureError("k is empty", hint=setting("k", 10, [5, 10]))
    recalls, gains = [Measure("R", n) for n in cutoffs], [Measure("nDCG", n) for n in cutoffs]
    return list(dict.fromkeys([*recalls, RECIPROCAL_RANK, *gains]))


RECIPROCAL_RANK = Measure("RR")

USUAL = (Measure("R", 10), RECIPROCAL_RANK, Measure("nDCG", 10))
"""The measures where neither these nor cutoffs are asked for."""
