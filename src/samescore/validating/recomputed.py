"""Recomputed: the values of the measures of a report, by the names that the tool has for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import trec
from ..errors import MeasureError
from ..evaluation import evaluate
from ..measures import Measure
from ..policy import Policy
from ..readers import Qrels, Run
from ..reporting import Reported, current, meaning
from .tools import own_policy

TREC_9 = ("iprec_at_recall", "11pt_avg")
"""What trec_eval 10 computes otherwise than 8 and 9, which cut ranks down where it rounds; the catalogue has theirs."""


@dataclass(frozen=True, slots=True)
class Recomputed:
    """Values here: ``means`` by name, ``per_query`` by name and query, for all that can be recomputed under ``policy``."""

    policy: Policy
    means: Mapping[Any, float]
    per_query: Mapping[Any, Mapping[str, float]]


def recompute(
    run: Run, qrels: Qrels, report: Reported, policy: Policy, *, queries: Iterable[Any] | None, backend: Any
) -> Recomputed:
    """Recompute a report.

    Raises what :func:`samescore.evaluate` raises; PolicyError where the policy refuses the run or the qrels.
    """
    if report.tool == "trec_eval" and queries is None:
        return _by_trec_eval(run, qrels, report, policy)
    known = {name: m for name, m in ((name, meaning(name, report.tool)) for name in report.names) if m is not None}
    return _by_catalogue(run, qrels, known, report.tool, policy, queries=queries, backend=backend)


def as_version_9(run: Run, qrels: Qrels, names: Iterable[str], policy: Policy, *, backend: Any) -> Recomputed:
    """Those of some of trec_eval's measures that version 9 computes otherwise than 10, as it does."""
    old = {name: meaning(name, "trec_eval") for name in names if current(name).startswith(TREC_9)}
    known = {name: measure for name, measure in old.items() if measure is not None}
    return _by_catalogue(run, qrels, known, "trec_eval", policy, queries=None, backend=backend)


def _by_catalogue(
    run: Run, qrels: Qrels, known: Mapping[Any, Measure], tool: str, policy: Policy, *, queries: Iterable[Any] | None, backend: Any
) -> Recomputed:
    """By evaluate, for names that mean a measure of the catalogue; once for each policy that the tool has for some measure."""
    by_policy: dict[Policy, dict[Any, Measure]] = {}
    for name, measure in known.items():
        by_policy.setdefault(own_policy(measure, tool, policy), {})[name] = measure
    means: dict[Any, float] = {}
    per_query: dict[Any, dict[str, float]] = {}
    for own, some in by_policy.items():
        measures = list(dict.fromkeys(some.values()))
        result = evaluate(run, qrels, measures=measures, policy=own, queries=queries, backend=backend)
        rows = result.to_dict()["per_query"]
        means |= {name: result[str(measure)] for name, measure in some.items()}
        per_query |= {n: {q: row[str(m)] for q, row in rows.items() if row[str(m)] is not None} for n, m in some.items()}
    return Recomputed(policy, means, per_query)


def _by_trec_eval(run: Run, qrels: Qrels, report: Reported, policy: Policy) -> Recomputed:
    """By trec_eval's own measures."""
    columns = {name: column for name, column in ((name, _column(str(name))) for name in report.names) if column is not None}
    scores = trec.score(run, qrels, list(columns.values()), policy=policy)
    means = {name: float(value) for name, value in zip(columns, scores.summary, strict=True) if isinstance(value, (int, float))}
    by_name = zip(columns, zip(*scores.values, strict=True), strict=True)
    per_query = {name: dict(zip(scores.queries, map(float, values), strict=True)) for name, values in by_name if name in means}
    return Recomputed(policy, means, per_query)


def _column(name: str) -> trec.Column | None:
    """The column that trec_eval prints under a name, in whichever version; None where it has none."""
    name = current(name)
    stem = max((known for known in trec.TABLE if name == known or name.startswith(f"{known}_")), key=len, default=name)
    params = name[len(stem) + 1 :]
    try:
        found: Sequence[trec.Column] = trec.asked([f"{stem}.{params}" if params else stem])
    except MeasureError:
        return None
    return found[0] if len(found) == 1 else None
