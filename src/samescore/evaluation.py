"""evaluate: a run and qrels are prepared, a backend scores them, and the numbers become a Result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from . import backends
from .averaging import aggregated, denominators
from .backends import Backend
from .backends.batches import scores
from .errors import MeasureError, PolicyError, clause, setting, short
from .measures import Measure, parse_all
from .policy import Policy
from .preparation import Prepared, prepare
from .readers.values import is_iterable
from .report import FrozenDict, make_report
from .result import Column, Result
from .slices import Slices, recognise_slices

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
        raise PolicyError(f"ties is {short(ties)}, not True or False", hint=clause("ties", ties))
    requested, engine, labels = requested_measures(k, measures), backends.find(backend), recognise_slices(slices)
    prepared = prepare(run, qrels, requested, policy=policy, queries=queries, doc_of=doc_of)
    return compute(prepared, engine, average=average, labels=labels, ties=ties)


def compute(
    prepared: Prepared, engine: Backend, *, average: Literal["macro", "micro"] = "macro", labels: Slices | None = None,
    ties: bool = False,
) -> Result:  # fmt: skip
    """The result that a backend computes from what was prepared.

    Raises GapError where the backend lacks a measure, MeasureError for one without a micro average.
    """
    measures, resolved = prepared.measures, prepared.resolved
    backends.check_gaps(engine, list(zip(measures, resolved, strict=True)), prepared.grades)
    weights = denominators(average, prepared.space, measures, resolved)
    values, status = prepared.as_averaged(scores(engine, prepared.ranked.spaces, resolved, prepared.status.to_compute))
    values.setflags(write=False)
    columns, n = {}, {}
    for i, (name, measure) in enumerate(zip(map(str, measures), measures, strict=True)):
        weight = None if weights is None else weights[:, i]
        mean, n[name] = aggregated(values[:, i], resolved[i], weight)
        columns[name] = Column(measure, resolved[i], mean, values[:, i], weight)
    return Result(
        policy=prepared.policy,
        backend=engine.label,
        report=make_report(prepared, n, status, with_ties=ties),
        columns=FrozenDict(columns),
        queries=tuple(prepared.queries),
        counted=status.counted,
        average=average,
        labels=labels or Slices(),
        spaces=prepared.ranked.spaces,
    )


def requested_measures(k: Any, measures: Any) -> list[Measure]:
    """The measures that a call asks for: those named, or recall, reciprocal rank and nDCG at each k (10 by default).

    Raises MeasureError where both are given, or nothing.
    """
    if measures is not None:
        if k is not None:
            raise MeasureError("both k and measures were given", hint=setting("measures", ["R@5", "nDCG@5"]))
        return parse_all(measures)
    if isinstance(k, (str, bytes)):
        raise MeasureError(f"k is text, {short(k)}", hint=setting("measures", k))
    cutoffs = list(k) if is_iterable(k) else [10 if k is None else k]
    if not cutoffs:
        raise MeasureError("k is empty", hint=setting("k", 10, [5, 10]))
    recalls, gains = [Measure("R", n) for n in cutoffs], [Measure("nDCG", n) for n in cutoffs]
    return list(dict.fromkeys([*recalls, Measure("RR"), *gains]))
