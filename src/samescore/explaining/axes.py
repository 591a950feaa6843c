"""Axes: the clauses that could matter to a run and its qrels, each with the values that are tried."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np

from ..grading import LARGEST_EXPONENT
from ..measures import CATALOGUE, Measure
from ..policy import Policy
from ..ranking import Ranked, rank
from ..ranking.order import comparable
from ..readers import Qrels, Run

DEPTHS = (1, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000)
"""The depths at which people cut rankings."""

HIGHEST_LEVEL = 10
"""Relevance levels above this one are not tried."""

Kind = Literal["judgements", "order", "shape", "mean", "measure"]
"""What a clause changes: the grades, the order of a ranking, its length, who is averaged, or the measure itself."""

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Axis:
    """A clause, the values to try, those of the starting policy first, and how many queries it can touch.

    Three are no clauses of a policy: ``recall`` and ``average_precision`` (``"R"`` or ``"min(k, R)"``: what they are
    divided by) and ``strangers`` (queries of the run that are not judged, left out or counted as 0). ``queries`` are the ids
    of the queries that a clause on order can touch. ``nearly``: it touches some as soon as another clause changes, too.
    """

    name: str
    kind: Kind
    values: tuple[Any, ...]
    touched: int
    queries: frozenset[str] = frozenset()
    nearly: bool = False

    @property
    def matters(self) -> bool:
        """Whether the clause can change some value."""
        return len(self.values) > 1 and (self.touched > 0 or self.nearly)


def axes(run: Run, qrels: Qrels, measures: Sequence[Measure], base: Policy) -> list[Axis]:
    """The axes along which a policy can change some value; a clause that cannot, for these data, has none."""
    plain = lenient(base).but(depth=None, unjudged="nonrelevant")
    ranked = rank(run, qrels, plain)
    found = [
        *_judgement_axes(qrels, base),
        *_order_axes(run, qrels, plain, ranked),
        *_shape_axes(ranked, base),
        *_mean_axes(ranked, measures, base),
        *_measure_axes(ranked, measures),
    ]
    return [Axis(a.name, a.kind, _base_first(a, base), a.touched, a.queries, a.nearly) for a in found if a.matters]


def lenient(policy: Policy) -> Policy:
    """The policy without refusals."""
    instead = {"ties": "doc_id", "duplicates": "first", "conflicts": "max", "negatives": "nonrelevant", "missing": "zero"}
    return policy.but(**{name: value for name, value in instead.items() if getattr(policy, name) == "error"})


def groups(found: Iterable[Axis], kind: Kind) -> list[Settings]:
    """Every combination of the values of the axes of one kind."""
    some = [axis for axis in found if axis.kind == kind]
    return [dict(zip([a.name for a in some], values, strict=True)) for values in product(*(a.values for a in some))]


def _base_first(axis: Axis, base: Policy) -> tuple[Any, ...]:
    """The values with that of the starting policy in front."""
    own = getattr(lenient(base), axis.name, axis.values[0])
    return tuple(sorted(axis.values, key=lambda value: value != own))


def _judgement_axes(qrels: Qrels, base: Policy) -> list[Axis]:
    """Conflicts, where one document has several grades."""
    torn = {q for q, rows in qrels.further.items() if any(grade != qrels.grades[q][doc] for doc, grade in rows)}
    return [Axis("conflicts", "judgements", ("max", "last"), len(torn), frozenset(torn))]


def _order_axes(run: Run, qrels: Qrels, plain: Policy, ranked: Ranked) -> list[Axis]:
    """Ties, duplicates, self hits, 32-bit scores and negative grades, where they occur."""
    notes, judged = ranked.notes, [q for q in ranked.trace.queries if q in run.rankings]
    merged = frozenset(query for query in judged if _merges(run, query, plain))
    every = plain.but(duplicates="each", float32_scores=plain.float32_scores or bool(merged))
    tied = frozenset(rank(run, qrels, every).notes.tied) if notes.duplicates or merged else frozenset(notes.tied)
    twice, own = frozenset(notes.duplicates), frozenset(notes.self_hits)
    below = frozenset(q for q in ranked.trace.queries if min(_every_grade(qrels, q), default=0) < 0)
    return [
        Axis("ties", "order", ("doc_id", "doc_id_ascending", "input"), len(tied), tied),
        Axis("float32_scores", "order", (False, True), len(merged), merged),
        Axis("self_hits", "order", ("keep", "drop"), len(own), own),
        Axis("duplicates", "order", ("first", "last", "each"), len(twice), twice),
        Axis("negatives", "order", ("nonrelevant", "unjudged"), len(below), below),
    ]


def _every_grade(qrels: Qrels, query: str) -> list[float]:
    """The grades of a query, those given to a document again too."""
    return [*qrels.grades[query].values(), *(grade for _, grade in qrels.further.get(query, ()))]


def _merges(run: Run, query: str, plain: Policy) -> bool:
    """Whether 32 bits make some different scores equal."""
    scores = run.rankings[query].scores
    if scores is None:
        return False
    fewer = comparable(scores, plain.but(float32_scores=True))
    return len(np.unique(fewer)) < len(np.unique(scores))


def _shape_axes(ranked: Ranked, base: Policy) -> list[Axis]:
    """The depth, at the usual values and the policy's own, and unjudged documents."""
    depth = ranked.space.depth
    depths = sorted({d for d in (*DEPTHS, base.depth) if d is not None and d < depth.max(initial=0)})
    hits = ranked.space.per_query(ranked.space.place <= depth[ranked.space.query])
    return [
        Axis("depth", "shape", (None, *depths), int((depth > min(depths, default=0)).sum())),
        Axis("unjudged", "shape", ("nonrelevant", "drop"), int((hits < depth).sum())),
    ]


def _mean_axes(ranked: Ranked, measures: Sequence[Measure], base: Policy) -> list[Axis]:
    """Missing and empty queries, and those of the run that are not judged."""
    lacking = int((~ranked.trace.answered).sum())
    highest, own = (ranked.space.relevant(level) == 0 for level in (max(_levels(ranked, measures)), base.relevance_level))
    return [
        Axis("missing", "mean", ("zero", "skip"), lacking),
        Axis("empty", "mean", ("skip", "zero", "one"), int(own.sum()), nearly=bool(highest.any())),
        Axis("strangers", "mean", ("left out", "zero"), len(ranked.notes.unjudged_queries)),
    ]


def _measure_axes(ranked: Ranked, measures: Sequence[Measure]) -> list[Axis]:
    """The gain, the relevance level, and what recall and average precision at a cutoff are divided by."""
    grade, n = ranked.space.grade, len(ranked.space)
    capped = "R_cap" in CATALOGUE and any(m.name == "R" and m.cutoff for m in measures)
    norm = "norm" in CATALOGUE["AP"].params and any(m.name == "AP" and m.cutoff and not m.get("norm") for m in measures)
    gains = ("exponential", "linear") if grade.max(initial=0) <= LARGEST_EXPONENT else ("linear",)
    graded = int((ranked.space.per_query((grade > 0) & (grade != 1)) > 0).sum())
    return [
        Axis("gain", "measure", gains, graded if _takes(measures, "gain", ("exponential", "linear")) else 0),
        Axis("relevance_level", "measure", tuple(_levels(ranked, measures)), n),
        Axis("recall", "measure", ("R", "min(k, R)"), n if capped else 0),
        Axis("average_precision", "measure", ("R", "min(k, R)"), n if norm else 0),
    ]


def _levels(ranked: Ranked, measures: Sequence[Measure]) -> range:
    """The relevance levels that tell grades apart, where some measure takes the policy's; by the last one nothing is relevant."""
    if not _takes(measures, "relevance_level", (1, 2)):
        return range(1, 2)
    return range(1, min(max(int(ranked.space.grade.max(initial=1)), 1), HIGHEST_LEVEL) + 2)


def _takes(measures: Sequence[Measure], clause: str, values: tuple[Any, ...]) -> bool:
    """Whether some measure takes a clause from the policy."""
    policies = [Policy().but(**{clause: value}) for value in values]
    return any(len({policy.resolve(measure) for policy in policies}) > 1 for measure in measures)
