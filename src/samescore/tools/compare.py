"""compare: runs scored and paired by query id, each against the baseline."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from ..averaging import Mask
from ..errors import InputError, MeasureError, short
from ..evaluation import DEFAULT, evaluate, requested_measures
from ..intervals import Sampling
from ..measures import Measure
from ..policy import Policy
from ..preparation import query_ids
from ..rankspace import Floats
from ..readers import document_lookup, recognise_qrels
from ..slices import WHOLE, Slices, recognise_slices
from .comparison import Comparison, Paired, Row, notes, paired
from .runs import baseline_of, named_runs, of_run
from .scores import Scores, column_key, scores_of
from .significance import TESTS, Contrast, Correction, Test, contrasts, corrected, without_noise


def compare(
    runs: Any,
    qrels: Any = None,
    k: int | Sequence[int] | None = None,
    *,
    measures: Any = None,
    baseline: str | None = None,
    test: Test = "t",
    correction: Correction | None = "holm",
    alpha: float = 0.05,
    slices: Any = None,
    average: Literal["macro", "micro"] = "macro",
    doc_of: Any = None,
    queries: Iterable[Any] | None = None,
    policy: Policy = DEFAULT,
    backend: Any = "ir_measures",
    resamples: int = 9999,
    seed: int = 0,
) -> Comparison:
    """Compare runs with a baseline, query by query.

    ``runs`` maps names to runs, each whatever :func:`samescore.evaluate` takes; (name, run) pairs and a list of paths will do.
    Values that were computed before can stand for a run: a Result, a DataFrame of per-query values, ir_measures'
    ``CalcResults``, ranx's ``run.scores``; ``qrels`` can be left out where all are such. ``baseline`` is the name that the
    others are compared with, the first one by default. ``k``, ``measures``, ``slices``, ``average``, ``doc_of``, ``queries``,
    ``policy`` and ``backend`` are those of ``evaluate``; the qrels are read once.

    Runs are paired by query id, over the queries that all runs have a value for. ``test`` finds p: ``"t"`` (Student, paired),
    ``"permutation"`` (sign flips; all of them where they are no more than ``resamples``), ``"wilcoxon"``, ``"bootstrap"``
    (Sakai 2006); ``seed`` makes the drawn ones repeatable. ``correction`` is for the number of runs that are compared with the
    baseline in one measure (and of slices, among these): ``"holm"``, ``"bonferroni"``, ``"bh"`` (Benjamini and Hochberg) or None.
    Intervals are those of the mean difference at 1 - ``alpha``, not corrected.

    Raises InputError for two runs of one name, fewer than two runs and a baseline that is not among them, MeasureError for a
    measure that brought values lack, and what ``evaluate`` raises.

    >>> runs = {"bm25": {"q1": ["d1", "d2"], "q2": ["d3"]}, "dense": {"q1": ["d2", "d1"], "q2": ["d3"]}}
    >>> comparison = compare(runs, {"q1": {"d2": 1}, "q2": {"d3": 1}}, measures="RR", backend="reference")
    >>> row = comparison.row("dense")
    >>> row.mean, row.delta, row.wins, row.ties, row.queries
    (1.0, 0.25, 1, 1, 2)
    """
    named = named_runs(runs)
    base = baseline_of(named, baseline)
    _check(test, correction, average)
    plan = Plan(tuple(named), base, recognise_slices(slices), test, Sampling(_alpha(alpha), resamples, seed))
    wanted = None if queries is None else query_ids(queries)
    scoring = {"queries": wanted, "average": average, "policy": policy, "backend": backend}
    asked, scores = _scored(named, qrels, _requested(k, measures), doc_of, scoring)
    pairs = [paired(str(m), column_key(policy.resolve(m)), scores, micro=average == "micro") for m in asked]
    comparison = Comparison(
        rows=tuple(_correct([row for pair in pairs for row in _rows(pair, plan)], correction)),
        runs=plan.names,
        baseline=base,
        test=test,
        correction=correction,
        alpha=alpha,
        average=average,
        notes=(),
        results={name: own.result for name, own in scores.items() if own.result is not None},
        pairs=tuple(pairs),
    )
    return replace(comparison, notes=tuple(notes(comparison, plan.labels)))


@dataclass(frozen=True, slots=True)
class Plan:
    """What is compared and how: the names of the runs, which is the baseline, the slices, the test."""

    names: tuple[str, ...]
    baseline: str
    labels: Slices
    test: Test
    sampling: Sampling


def _check(test: str, correction: object, average: str) -> None:
    """Refuse options that make no sense."""
    if test not in list(TESTS):  # which compares, where a dict would need a hash
        raise InputError(f"test cannot be {short(test)}", hint=", ".join(map(repr, TESTS)))
    if correction is not None and correction not in get_args(Correction):
        raise InputError(f"correction cannot be {short(correction)}", hint=f"{', '.join(map(repr, get_args(Correction)))} or None")
    if average not in ("macro", "micro"):
        raise MeasureError(f"average cannot be {short(average)}", hint="'macro' or 'micro'")
    if test == "wilcoxon" and average == "micro":
        raise InputError("Wilcoxon's test ranks queries and tells nothing of a micro average", hint="test='t'")


def _alpha(alpha: object) -> float:
    """A level of significance."""
    if not isinstance(alpha, (int, float)) or not 0 < alpha < 1:
        raise InputError(f"alpha is {short(alpha)}", hint="a number between 0 and 1, such as 0.05")
    return float(alpha)


def _requested(k: Any, measures: Any) -> list[Measure] | None:
    """The measures that were asked for; None where none was."""
    return None if k is None and measures is None else requested_measures(k, measures)


def _plain(measure: Measure, policy: Policy) -> Measure:
    """The shortest measure that means the same under the policy: nDCG@10 rather than nDCG(dcg='exp-log2')@10."""
    plain = replace(measure, params=tuple(p for p in measure.params if p[0] not in ("dcg", "rel")))
    return plain if policy.resolve(plain) == measure else measure


def _scored(
    named: Mapping[str, Any], qrels: Any, asked: list[Measure] | None, doc_of: Any, scoring: Mapping[str, Any]
) -> tuple[list[Measure], dict[str, Scores]]:
    """The measures to compare, and the scores of each run: those brought along as they are, the others computed."""
    judged = None if qrels is None else recognise_qrels(qrels)
    known = {name: scores_of(run, scoring["policy"], judged.grades if judged else ()) for name, run in named.items()}
    measures = asked or _shared([own for own in known.values() if own is not None], scoring["policy"])
    look_up = None if doc_of is None else document_lookup(doc_of)
    scores = {}
    for name, own in known.items():
        if own is None and judged is None:
            raise InputError(f"{name} is a run, and there are no qrels to score it by", hint="compare(runs, qrels)")
        with of_run(name):
            scores[name] = own or Scores.of(evaluate(named[name], judged, measures=measures, doc_of=look_up, **scoring))
    return measures, {name: own.only(scoring["queries"]) for name, own in scores.items()}


def _shared(known: Sequence[Scores], policy: Policy) -> list[Measure]:
    """The measures that all brought values have, or the usual ones where there are no such values."""
    if not known:
        return requested_measures(None, None)
    shared = [measure for measure in known[0].values if all(measure in other.values for other in known[1:])]
    if not shared:
        has = "; ".join(", ".join(map(str, own.values)) for own in known)
        raise MeasureError(f"the values brought along have no measure in common: {has}", hint="the same measures for all")
    return [_plain(measure, policy) for measure in shared]


def _rows(pair: Paired, plan: Plan) -> Iterator[Row]:
    """The rows of one measure: all queries, then each slice; the baseline first."""
    base = plan.names.index(plan.baseline)
    others = [i for i in range(len(plan.names)) if i != base]
    for title, where in plan.labels.masks(pair.queries).items():
        yield _plain_row(pair, plan, base, title, where)
        spreads = np.array([pair.spread(i, where) - pair.spread(base, where) for i in others])
        for i, told in zip(others, contrasts(spreads, plan.test, plan.sampling), strict=True):
            yield _row(_plain_row(pair, plan, i, title, where), told, pair.values[i, where] - pair.values[base, where])


def _plain_row(pair: Paired, plan: Plan, run: int, title: str, where: Mask) -> Row:
    """The mean of one run over some queries."""
    return Row(pair.name, title, plan.names[run], _or_none(pair.mean(run, where)), queries=int(where.sum()))


def _row(plain: Row, told: Contrast, differences: Floats) -> Row:
    """A row with how the run differs from the baseline."""
    moved = without_noise(differences)
    return replace(
        plain,
        delta=_or_none(told.delta),
        low=_or_none(told.low),
        high=_or_none(told.high),
        p=_or_none(told.p),
        effect=_or_none(told.effect),
        wins=int((moved > 0).sum()),
        ties=int((moved == 0).sum()),
        losses=int((moved < 0).sum()),
        detectable=_or_none(told.detectable),
    )


def _or_none(number: float) -> float | None:
    """A number, or None for NaN."""
    return None if math.isnan(number) else float(number)


def _correct(rows: Sequence[Row], correction: Correction | None) -> list[Row]:
    """The rows with corrected p-values: a family is what one measure says of all queries, or of all slices."""
    families: dict[tuple[str, bool], list[int]] = {}
    for i, row in enumerate(rows):
        families.setdefault((row.measure, row.slice == WHOLE), []).append(i)
    done = list(rows)
    for family in families.values():
        p_values = [rows[i].p for i in family]
        filled = [math.nan if p is None else p for p in p_values]
        for i, value in zip(family, corrected(filled, correction), strict=True):
            done[i] = replace(rows[i], p_corrected=_or_none(value))
    return done
