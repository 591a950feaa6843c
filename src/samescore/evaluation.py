"""evaluate: run and qrels to rank space, rank space to numbers, numbers to a Result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from . import backends
from .averaging import Standing, aggregated, settled, standing
from .backends.sending import scores
from .checks import chosen, refuse_swapped, warn_one_subtopic, warn_unjudged
from .errors import MeasureError, PolicyError, short
from .grading import refuse_grades
from .measures import Measure, own_values, parse_all
from .micro import denominators
from .policy import Policy
from .ranking import Ranked, rank
from .rankspace import Floats
from .readers import Qrels, Run, Stream, kept, open_run, recognise_qrels, to_documents
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
    if not isinstance(policy, Policy):
        raise PolicyError(f"the policy is {short(policy)}", hint="policy=Policy() or Policy.trec_eval()")
    asked = requested(k, measures)
    resolved = [policy.resolve(measure) for measure in asked]
    engine, labels = backends.find(backend), recognise_slices(slices)
    found_run, found_qrels = _read(run, qrels, doc_of)
    ranked = rank(found_run, found_qrels, policy, {measure.entry.reads for measure in resolved})
    refuse_grades(ranked, resolved, policy)
    warn_one_subtopic(found_qrels, resolved)
    warn_unjudged(ranked)
    ranked, averaged = chosen(ranked, queries)
    backends.check_gaps(engine, list(zip(asked, resolved, strict=True)), backends.Grades.of(ranked.space))
    weights = denominators(average, ranked.space, asked, resolved)
    stands = standing(ranked.spaces, ranked.trace, resolved, policy, averaged)
    computed = scores(engine, ranked.spaces, resolved, stands.wanted)
    stands = _with_own(ranked, resolved, stands, computed)
    values = settled(computed, stands, policy)
    averages = [aggregated(values[:, i], m, None if weights is None else weights[:, i]) for i, m in enumerate(resolved)]
    return Result(
        measures=asked,
        resolved=resolved,
        means=[value for value, _ in averages],
        values=values,
        queries=ranked.trace.queries,
        counted=stands.counted,
        policy=policy,
        backend=engine.label,
        report=make_report(asked, resolved, [n for _, n in averages], ranked, stands=stands, policy=policy),
        space=ranked.space,
        subtopics=ranked.spaces.get("subtopics"),
        weights=weights,
        labels=labels,
    )


def _read(run: Any, qrels: Any, doc_of: Any) -> tuple[Run | Stream, Qrels]:
    """Run and qrels as found, the run with documents for chunks."""
    found_run, found_qrels = open_run(run), recognise_qrels(qrels)
    if found_run is not run and found_qrels is not qrels:
        refuse_swapped(found_run, found_qrels)
    return (found_run if doc_of is None else to_documents(kept(found_run), doc_of)), found_qrels


def _with_own(ranked: Ranked, measures: Sequence[Measure], stands: Standing, values: Floats) -> Standing:
    """Fill the columns of measures of one's own, which their functions compute, and note where those are undefined."""
    defined, wanted = stands.defined.copy(), stands.wanted
    for i, measure in enumerate(measures):
        if measure.function is not None:
            values[:, i] = own_values(measure, ranked.space, ranked.trace.queries, wanted[:, i])
            defined[:, i] &= ~(wanted[:, i] & np.isnan(values[:, i]))
    return replace(stands, defined=defined)


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
