"""compare: runs scored and paired by query id, each against the baseline, or all in pairs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from ..averaging import Average, Mask, Weighting
from ..errors import InputError, MeasureError, Wording, is_word, setting, short
from ..evaluation import DEFAULT, evaluate, requested_measures
from ..intervals import Sampling
from ..measures import Measure
from ..policy import Policy
from ..preparation import query_ids
from ..readers import Qrels, document_lookup, open_qrels
from ..slices import ALL_QUERIES, Slices, group_of, recognise_slices
from ..typing import MeasuresLike, QrelsLike, RunsLike
from .comparison import Comparison, Paired, Row, pair_runs
from .comparison_notes import notes
from .own_values import Own, is_own
from .runs import baselines_of, named_runs, of_run
from .scores import Scores, scores_of
from .significance import CORRECTIONS, TESTS, Correction, Test, TestFunction, contrasts_of_runs, corrected, name_of, without_noise


def compare(
    runs: RunsLike,
    qrels: QrelsLike | None = None,
    k: int | Sequence[int] | None = None,
    *,
    measures: MeasuresLike | None = None,
    baseline: str | Sequence[str] | None = None,
    pairs: Literal["baseline", "all"] = "baseline",
    test: Test | TestFunction = "t",
    correction: Correction | None = "holm",
    alpha: float = 0.05,
    slices: Any = None,
    average: Average = "macro",
    weights: Any = None,
    values: Mapping[str, Any] | None = None,
    lower_is_better: Iterable[str] = (),
    groups: Any = None,
    how: Literal["mean", "min"] = "mean",
    doc_of: Any = None,
    queries: Iterable[Any] | None = None,
    policy: Policy = DEFAULT,
    backend: Any = "auto",
    resamples: int = 9999,
    seed: int = 0,
) -> Comparison:
    """Compare runs with a baseline or with each other, query by query.

    Runs are paired by query id, over the queries that all runs have a value for.

    Parameters
    ----------
    runs : mapping, pairs or paths
        Name -> run, each whatever :func:`samescore.evaluate` takes; (name, run) pairs and a list of paths, or of runs of ranx,
        which have names, will do. Values that were computed before can stand for a run: a Result, a DataFrame of per-query
        values, ir_measures' ``CalcResults``, ranx's ``run.scores``.
    qrels
        Those of ``evaluate``, which are read once; they can be left out where values stand for all runs.
    baseline : str or list of str, optional
        The name of the run that the others are compared with, the first one by default; or the names of several, with each of
        which each of the other runs is compared.
    pairs : {"baseline", "all"}
        Whether runs are compared with the baseline, or each with each. Of all pairs the comparison also has the groups of runs
        that cannot be told apart.
    test : {"t", "permutation", "wilcoxon", "bootstrap", "sign", "tukey"} or callable
        How p is found: Student's t for pairs; sign flips (all of them where they are no more than ``resamples``); Wilcoxon's
        signed ranks; the bootstrap; the exact sign test; or Tukey's HSD by randomisation, which puts the runs of each query in
        another order. A function of the paired differences, shape (queries,), returns p, or an object that has it as
        ``pvalue``, as the tests of scipy do: ``lambda d: scipy.stats.ttest_1samp(d, 0)``. It is called where the differences
        are not all the same.
    correction : {"holm", "bonferroni", "bh"} or None
        For the number of pairs of runs that are compared in one measure (and of slices, among these). Tukey's HSD is a test of
        all runs together, and is not corrected further.
    alpha : float, default 0.05
        The level of significance. Intervals are those of the mean difference at 1 - ``alpha``, not corrected.
    resamples, seed : int
        How many resamples the permutation test and the bootstrap draw, and where the draws start: the same seed gives the same p.
    values : mapping, optional
        Name of a run -> values of its queries beside its measures, under names of their own: faithfulness, latency, cost. A
        DataFrame with query_id and a column for each, or {name: {query: value}}. Such values can also stand for a run.
    lower_is_better : iterable of str
        The names among these of which a rise is a worsening.
    groups, how : optional
        {query: group} and ``"mean"`` or ``"min"``: several queries count as one, as :meth:`samescore.Result.group_queries` says.
    k, measures, slices, average, weights, doc_of, queries, policy, backend
        Those of ``evaluate``.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        For two runs of one name, fewer than two runs, a baseline that is not among them, and one where all pairs are compared.
    MeasureError
        For a measure that brought values lack.
    SamescoreError
        What ``evaluate`` raises.

    References
    ----------
    Sakai, T. (2006). Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.
    Carterette, B. (2012). Multiple testing in statistical analysis of systems-based information retrieval experiments. ACM
    Transactions on Information Systems 30(1).
    Sakai, T. (2018). Laboratory experiments in information retrieval. Springer.
    Benjamini, Y., & Hochberg, Y. (1995). Controlling the false discovery rate. Journal of the Royal Statistical Society B, 57(1).

    Examples
    --------
    >>> runs = {"bm25": {"q1": ["d1", "d2"], "q2": ["d3"]}, "dense": {"q1": ["d2", "d1"], "q2": ["d3"]}}
    >>> comparison = compare(runs, {"q1": {"d2": 1}, "q2": {"d3": 1}}, measures="RR", backend="reference")
    >>> row = comparison.row("dense")
    >>> row.mean, row.delta, row.wins, row.ties, row.queries
    (1.0, 0.25, 1, 1, 2)
    """
    named = named_runs(runs)
    _check(test, correction, alpha, alike=is_word(average, ["macro"]) and weights is None)
    compared_runs = _pairs(list(named), baseline, pairs)
    correction = None if is_word(test, ["tukey"]) else correction
    labels = recognise_slices(slices)
    weighting = Weighting.of(average, weights, labels.labels)
    plan = Plan(tuple(named), compared_runs, labels, test, Sampling(float(alpha), resamples, seed))
    selected = None if queries is None else query_ids(queries)
    judged = None if qrels is None else open_qrels(qrels)
    own = Own.of(measures, values, lower_is_better, named)
    look_up = None if doc_of is None else document_lookup(doc_of)
    options = {"queries": selected, "policy": policy, "backend": backend, "doc_of": look_up}
    if groups is None:
        options |= {"average": average, "weights": weights, **({"slices": labels} if average == "slices" else {})}
    elif average == "micro":
        raise InputError("groups of queries have no micro average", hint=setting("average", "macro"))
    compared, scores = _score(named, judged, own.requested(k, measures), own, options)
    if groups is not None:
        queries_of = dict.fromkeys(query for each in scores.values() for column in each.values.values() for query in column)
        members = group_of(groups, list(queries_of), () if judged is None else judged.grades)
        scores = {name: run_scores.grouped(members, how) for name, run_scores in scores.items()}
    paired = [pair_runs(str(m), policy.resolve(m), scores, weighting) for m in compared]
    comparison = Comparison(
        rows=tuple(_with_corrected([row for pair in paired for row in _rows(pair, plan)], correction)),
        runs=plan.names,
        contrasts=tuple(compared_runs),
        all_pairs=pairs == "all",
        test=name_of(test),
        correction=correction,
        alpha=alpha,
        average=weighting.average,
        notes=(),
        results={name: run_scores.result for name, run_scores in scores.items() if run_scores.result is not None},
        pairs=tuple(paired),
    )
    return replace(comparison, notes=tuple(notes(comparison, plan.labels)))


@dataclass(frozen=True, slots=True)
class Plan:
    """What is compared and how: the names of the runs, the pairs of a run and its baseline, the slices, the test."""

    names: tuple[str, ...]
    contrasts: Sequence[tuple[str, str]]
    labels: Slices
    test: Test | TestFunction
    sampling: Sampling


def _pairs(names: Sequence[str], baseline: Any, pairs: object) -> list[tuple[str, str]]:
    """Each run that is compared, with its baseline: of all pairs the one that comes first."""
    baselines = baselines_of(names, baseline)
    if is_word(pairs, ["baseline"]):
        return [(run, base) for base in baselines for run in names if run not in baselines]
    if not is_word(pairs, ["all"]):
        raise InputError(f"pairs cannot be {short(pairs)}", hint=setting("pairs", "baseline", "all"))
    if baseline is not None:
        raise InputError("where all pairs are compared no run is the baseline", hint=Wording("leave out ", setting("baseline")))
    return [(run, base) for base, run in itertools.combinations(names, 2)]


OF_QUERIES = {"wilcoxon": "Wilcoxon's test ranks queries", "sign": "the sign test counts queries"}
"""Test -> what it does, where that has no meaning for queries that do not count alike."""


def _check(test: object, correction: object, alpha: object, *, alike: bool) -> None:
    """Refuse options that make no sense."""
    if not callable(test) and not is_word(test, TESTS):
        hint = f"{', '.join(map(repr, TESTS))}, or a function of paired differences"
        raise InputError(f"test cannot be {short(test)}", hint=hint)
    if not is_word(correction, CORRECTIONS):
        raise InputError(
            f"correction cannot be {short(correction)}", hint=f"{', '.join(map(repr, filter(None, CORRECTIONS)))} or None"
        )
    if not alike and isinstance(test, str) and test in OF_QUERIES:
        raise InputError(f"{OF_QUERIES[test]} and tells nothing of a micro average or a weighted mean", hint=setting("test", "t"))
    if not isinstance(alpha, (int, float)) or not 0 < alpha < 1:
        raise InputError(f"alpha is {short(alpha)}", hint="a number between 0 and 1, such as 0.05")


def _score(
    named: Mapping[str, Any], judged: Qrels | None, requested: list[Measure] | None, own: Own, options: Mapping[str, Any]
) -> tuple[list[Measure], dict[str, Scores]]:
    """The measures to compare, and the scores of each run: those brought along as they are, the others computed."""
    policy = options["policy"]
    brought = {name: scores_of(run, policy, judged.grades if judged else (), own.names) for name, run in named.items()}
    beside = {name: own.scores(name, policy) for name in own.values}
    measures = requested or _measures_of(brought, beside, own, policy)
    computed = [measure for measure in measures if not is_own(measure)]
    all_scores = {}
    for name, scores in brought.items():
        if scores is not None:
            all_scores[name] = scores.beside(beside.get(name))
            continue
        if computed and judged is None:
            raise InputError(f"{name} is a run, and there are no qrels to score it by", hint="compare(runs, qrels)")
        with of_run(name):
            scored = Scores({}) if not computed else Scores.of(evaluate(named[name], judged or {}, measures=computed, **options))
        all_scores[name] = scored.beside(beside.get(name))
    return measures, {name: scores.only(options["queries"]) for name, scores in all_scores.items()}


def _measures_of(
    brought: Mapping[str, Scores | None], beside: Mapping[str, Scores | None], own: Own, policy: Policy
) -> list[Measure]:
    """The measures where none are asked for: those that all brought values have, or the usual ones, and what stands beside all."""
    shared = _shared_measures([scores for scores in brought.values() if scores is not None], policy)
    each = [scores.values if (scores := beside.get(name)) else {} for name in brought]
    extra = [measure for measure in each[0] if all(measure in other for other in each[1:])]
    return [own.marked(measure) for measure in dict.fromkeys([*shared, *extra])]


def _shared_measures(brought: Sequence[Scores], policy: Policy) -> list[Measure]:
    """The measures that all brought values have, or the usual ones where there are no such values."""
    if not brought:
        return requested_measures(None, None)
    shared = [measure for measure in brought[0].values if all(measure in other.values for other in brought[1:])]
    if not shared:
        has = "; ".join(", ".join(map(str, scores.values)) for scores in brought)
        raise MeasureError(f"the values brought along have no measure in common: {has}", hint="the same measures for all")
    return [_shortest(measure, policy) for measure in shared]


def _shortest(measure: Measure, policy: Policy) -> Measure:
    """The shortest measure that means the same under the policy: nDCG@10 rather than nDCG(dcg='exp-log2')@10."""
    plain = replace(measure, params=tuple(p for p in measure.params if p[0] not in ("dcg", "rel")))
    return plain if policy.resolve(plain) == measure else measure


def _rows(pair: Paired, plan: Plan) -> Iterator[Row]:
    """The rows of one measure: all queries, then each slice; the runs that are compared with no other first."""
    place = {name: i for i, name in enumerate(plan.names)}
    contrasts = [(place[run], place[base]) for run, base in plan.contrasts]
    compared = {run for run, _ in contrasts}
    alone = [base for base in dict.fromkeys(base for _, base in contrasts) if base not in compared]
    for slice, mask in plan.labels.masks(pair.queries).items():
        yield from (_mean_row(pair, plan, run, slice, mask) for run in alone)
        values = np.array([pair.spread(i, mask) for i in place.values()])
        try:
            told = contrasts_of_runs(values, contrasts, plan.test, plan.sampling, pair.limit)
        except InputError as error:  # of a test by a function
            error.place = pair.name
            raise
        for (run, base), contrast in zip(contrasts, told, strict=True):
            better = -1 if pair.measure.entry.lower_is_better else 1
            moved = better * without_noise(pair.values[run, mask] - pair.values[base, mask])
            numbers: dict[str, Any] = {name: _or_none(value) for name, value in asdict(contrast).items()}
            numbers["needed"] = numbers["needed"] and int(numbers["needed"])
            yield replace(
                _mean_row(pair, plan, run, slice, mask),
                **numbers,
                wins=int((moved > 0).sum()),
                ties=int((moved == 0).sum()),
                losses=int((moved < 0).sum()),
                baseline=plan.names[base],
            )


def _mean_row(pair: Paired, plan: Plan, run: int, slice: str, mask: Mask) -> Row:
    """The mean of one run over some queries."""
    return Row(pair.name, slice, plan.names[run], _or_none(pair.mean(run, mask)), queries=int(mask.sum()))


def _or_none(number: float) -> float | None:
    """A number, or None for NaN."""
    return None if math.isnan(number) else float(number)


def _with_corrected(rows: Sequence[Row], correction: Correction | None) -> list[Row]:
    """The rows with corrected p-values: a family is what one measure says of all queries, or of all slices."""
    families: dict[tuple[str, bool], list[int]] = {}
    for i, row in enumerate(rows):
        families.setdefault((row.measure, row.slice == ALL_QUERIES), []).append(i)
    with_corrected = list(rows)
    for family in families.values():
        p_values = [math.nan if (p := rows[i].p) is None else p for i in family]
        for i, value in zip(family, corrected(p_values, correction), strict=True):
            with_corrected[i] = replace(rows[i], p_corrected=_or_none(value))
    return with_corrected
