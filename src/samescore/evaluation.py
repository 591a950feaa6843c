"""evaluate: run and qrels to rank space, rank space to numbers, numbers to a Result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from . import backends
from .averaging import aggregated
from .backends.sending import scores
from .errors import MeasureError, short
from .measures import Measure, parse_all
from .micro import denominators
from .policy import Policy
from .posing import pose
from .readers.values import is_iterable
from .report import make_report
from .result import Result
from .slicing import recognise_slices

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
    is reported.

    Raises InputError for input that no policy accepts, PolicyError for what this one refuses, MeasureError for an
    unknown measure and for one without a micro average, GapError where the backend lacks one.

    >>> result = evaluate({"q1": ["d1", "d2"]}, {"q1": {"d2": 1}}, k=2, backend="reference")
    >>> result["recall"], result["mrr"], result["queries"]
    (1.0, 0.5, 1)
    """
    asked, engine, labels = requested(k, measures), backends.find(backend), recognise_slices(slices)
    posed = pose(run, qrels, asked, policy=policy, queries=queries, doc_of=doc_of)
    backends.check_gaps(engine, list(zip(asked, posed.resolved, strict=True)), posed.grades)
    weights = denominators(average, posed.space, asked, posed.resolved)
    values, stands = posed.answered(scores(engine, posed.ranked.spaces, posed.resolved, posed.stands.wanted))
    averages = [
        aggregated(values[:, i], measure, None if weights is None else weights[:, i]) for i, measure in enumerate(posed.resolved)
    ]
    return Result(
        measures=asked,
        resolved=posed.resolved,
        means=[value for value, _ in averages],
        values=values,
        queries=posed.queries,
        counted=stands.counted,
        policy=policy,
        backend=engine.label,
        report=make_report(asked, posed.resolved, [n for _, n in averages], posed.ranked, stands=stands, policy=policy),
        space=posed.space,
        subtopics=posed.ranked.spaces.get("subtopics"),
        weights=weights,
        labels=labels,
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
