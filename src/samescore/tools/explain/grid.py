"""Axes: the clauses that could matter to a run and its qrels, each with the values that are tried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...averaging import aggregated, defined, fill_undefined, query_status
from ...backends import Backend
from ...backends.batches import scores
from ...measures import CATALOGUE, Measure
from ...policy import Policy
from ...preparation import LARGEST_EXPONENT
from ...ranking import Ranked, cut_and_condense, rank
from ...ranking.order import comparable
from ...rankspace import Floats, Ints, RankSpace
from ...readers import Qrels, Run
from ..reported import Printed

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


@dataclass(frozen=True, slots=True)
class Rankings:
    """The rankings that differ, and which of them each query has.

    ``which`` of shape (orders, shapes, queries) points into ``space``, for each combination of the axes on order and shape.
    """

    space: RankSpace
    which: Ints


def rankings(run: Run, qrels: Qrels, policy: Policy, axes: Sequence[Axis]) -> Rankings:
    """All rankings of the queries of the qrels, in their order; ``policy`` holds what the axes do not set."""
    ordered, order_of = _ordered(run, qrels, policy.but(depth=None, unjudged="nonrelevant"), axes)
    every = [cut_and_condense(ordered, policy.but(**settings)) for settings in groups(axes, "shape")]
    space, look = RankSpace.joined(every).distinct()
    return Rankings(space, look.reshape(len(every), len(ordered))[:, order_of].transpose(1, 0, 2))


def _ordered(run: Run, qrels: Qrels, policy: Policy, axes: Sequence[Axis]) -> tuple[RankSpace, Ints]:
    """The rankings before they are cut, and which of them each query has, shape (orders, queries)."""
    orders, queries = groups(axes, "order"), list(qrels.grades)
    touches = [axis for axis in axes if axis.kind == "order"]
    place: dict[tuple[str, tuple[object, ...]], int] = {}
    wanted: dict[tuple[object, ...], list[str]] = {}
    index = np.zeros((len(orders), len(queries)), dtype=np.int64)
    for i, settings in enumerate(orders):
        for j, query in enumerate(queries):
            own = tuple(settings[a.name] if query in a.queries else a.values[0] for a in touches)
            if (query, own) not in place:
                place[query, own] = len(place)
                wanted.setdefault(own, []).append(query)
            index[i, j] = place[query, own]
    spaces, at = [], []
    for own, some in wanted.items():
        settings = dict(zip((a.name for a in touches), own, strict=True))
        spaces.append(_rank(run, qrels, some, policy.but(**settings)))
        at += [place[query, own] for query in some]
    space, look = RankSpace.joined(spaces).distinct()
    back = np.empty(len(at), dtype=np.int64)
    back[at] = look
    return space, back[index]


def _rank(run: Run, qrels: Qrels, queries: Sequence[str], policy: Policy) -> RankSpace:
    """Some queries in rank space."""
    if len(queries) == len(qrels.grades):
        return rank(run, qrels, policy).space
    found = {query: run.rankings[query] for query in queries if query in run.rankings}
    grades = {query: qrels.grades[query] for query in queries}
    further = {query: qrels.further[query] for query in queries if query in qrels.further}
    return rank(replace(run, rankings=found), replace(qrels, grades=grades, further=further), policy).space


def narrowed(found: Rankings, measure: Measure) -> Rankings:
    """The rankings as far as a measure can tell them apart: cut at its cutoff, or after the last hit where it reads no depth."""
    if measure.reads_depth:
        return found
    whole = measure.cutoff is None or measure.get("judged_only") is True
    space, look = (found.space if whole else found.space.cut(measure.cutoff or 0)).trimmed().distinct()
    return Rankings(space, look[found.which])


def reach(measure: Measure) -> tuple[bool, object, int | None]:
    """What is the same for measures that tell the same rankings apart."""
    return measure.reads_depth, measure.get("judged_only"), measure.cutoff


@dataclass(frozen=True, slots=True)
class Scored:
    """All values under one way to settle the judgements.

    ``columns`` are the values of each resolved measure for the rankings that differ, and the index of the ranking of each
    (order, shape, query). ``fill_undefined`` are the values of a query that scores 0 wherever it can be computed, as they are
    averaged under each combination of the axes on the mean: NaN where it is left out; shape (combinations, queries).
    ``strangers`` are how many unjudged queries each combination counts as 0.
    """

    queries: Sequence[str]
    columns: Mapping[Measure, tuple[Floats, Ints]]
    fill_undefined: Mapping[Measure, Floats]
    unjudged_run_queries: Ints

    def values(self, measure: Measure, order: int, shape: int, mean: int) -> Floats:
        """The value of each query under one policy, NaN where it is left out."""
        column, which = self.columns[measure]
        values: Floats = self.fill_undefined[measure][mean] + column[which[order, shape]]
        return values

    def every_mean(self, measure: Measure) -> Floats:
        """The means, or sums of counts, under every policy, shape (orders, shapes, means)."""
        column, which = self.columns[measure]
        zero = self.fill_undefined[measure]
        counted = ~np.isnan(zero)
        total: Floats = column[which] @ counted.T.astype(np.float64) + np.where(counted, zero, 0.0).sum(axis=1)
        if measure.entry.aggregate == "sum":
            return total
        n = counted.sum(axis=1) + self.unjudged_run_queries
        means: Floats = np.divide(total, n, out=np.zeros_like(total), where=n > 0)
        return means


def scored(run: Run, qrels: Qrels, measures: Sequence[Measure], policy: Policy, axes: Sequence[Axis], *, engine: Backend) -> Scored:
    """Score every ranking that differs, once, for each measure as each combination of the axes on measures resolves it."""
    ranked = rank(run, qrels, policy.but(depth=None, unjudged="nonrelevant"))
    asked = {resolved(m, policy, settings): None for m in measures for settings in groups(axes, "measure")}
    found = rankings(run, qrels, policy, axes)
    zero: dict[Measure, list[Floats]] = {measure: [] for measure in asked}
    for settings in groups(axes, "mean"):
        own = policy.but(**clauses(settings))
        status = query_status(ranked.spaces, ranked.trace, list(asked), own, np.ones(len(ranked.space), dtype=bool))
        at_zero = fill_undefined(np.zeros(status.defined.shape), status, own)
        for measure, column in zip(asked, at_zero.T, strict=True):
            zero[measure].append(column)
    outside = len(ranked.notes.unjudged_queries)
    unjudged_run_queries = [outside if settings.get("strangers") == "zero" else 0 for settings in groups(axes, "mean")]
    return Scored(
        ranked.trace.queries,
        _columns(engine, found, list(asked)),
        {measure: np.array(rows) for measure, rows in zero.items()},
        np.array(unjudged_run_queries, dtype=np.int64),
    )


def _columns(engine: Backend, found: Rankings, measures: Sequence[Measure]) -> dict[Measure, tuple[Floats, Ints]]:
    """The values of each measure, 0 where it is undefined; those that tell the same rankings apart are scored together."""
    alike: dict[object, list[Measure]] = {}
    for measure in measures:
        alike.setdefault(reach(measure), []).append(measure)
    columns: dict[Measure, tuple[Floats, Ints]] = {}
    for some in alike.values():
        own = narrowed(found, some[0])
        spaces = {"grades": own.space}
        values = np.nan_to_num(scores(engine, spaces, some, defined(spaces, some)))
        columns |= {measure: (column, own.which) for measure, column in zip(some, values.T, strict=True)}
    return columns


def clauses(settings: Settings) -> Settings:
    """The settings that are clauses of a policy."""
    return {name: value for name, value in settings.items() if name in Policy.__dataclass_fields__}


def resolved(measure: Measure, policy: Policy, settings: Settings) -> Measure:
    """A measure as the settings have it."""
    if measure.name == "R" and measure.cutoff and settings.get("recall") == "min(k, R)":
        measure = Measure("R_cap", measure.cutoff, measure.params)
    if measure.name == "AP" and measure.cutoff and settings.get("average_precision") == "min(k, R)":
        measure = measure.with_params(norm="min")
    return policy.but(**clauses(settings)).resolve(measure)


KINDS: tuple[Kind, ...] = ("judgements", "order", "shape", "mean", "measure")
"""The axes of the grid of policies, in order; each is all combinations of the clauses of one kind."""

UNREACHED = 3
"""For how many clauses a relevance level counts that no grade reaches."""

Cell = tuple[int, ...]
"""One policy: where it stands on each axis of the grid."""


@dataclass(frozen=True, slots=True)
class Target:
    """What was reported of one measure: the mean, the values of queries, or both."""

    measure: Measure
    mean: Printed | None
    per_query: Mapping[str, Printed]


@dataclass(frozen=True)
class Grid:
    """Every policy that was tried, as the combinations of axes; and what each gives.

    Shapes: ``agreeing`` (how many of the reported values each policy gives) and ``furthest`` (the largest difference)
    have one axis for each of KINDS.
    """

    base: Policy
    axes: Sequence[Axis]
    targets: Sequence[Target]
    parts: Sequence[Scored]
    agreeing: NDArray[np.int64]
    furthest: Floats

    @cached_property
    def steps(self) -> dict[Kind, list[Settings]]:
        """The combinations along each axis of the grid."""
        return {kind: groups(self.axes, kind) for kind in KINDS}

    @cached_property
    def reported(self) -> int:
        """How many values were reported."""
        return sum((target.mean is not None) + len(target.per_query) for target in self.targets)

    def settings(self, cell: Cell) -> dict[str, Any]:
        """What a policy has for each clause that was tried."""
        return {name: v for kind, i in zip(KINDS, cell, strict=True) for name, v in self.steps[kind][i].items()}

    def policy(self, cell: Cell) -> Policy:
        """The policy at a cell."""
        return self.base.but(**clauses(self.settings(cell)))

    def values(self, cell: Cell, target: Target) -> Floats:
        """The value of each query, NaN where it is left out."""
        judgements, order, shape, mean, _ = cell
        settings = self.settings(cell)
        measure = resolved(target.measure, lenient(self.base), settings)
        return self.parts[judgements].values(measure, order, shape, mean)

    def mean(self, cell: Cell, target: Target) -> float:
        """The mean, or the sum of a count; 0.0 over no query."""
        total, n = aggregated(self.values(cell, target), target.measure)
        more = int(self.parts[cell[0]].unjudged_run_queries[cell[3]])
        return total if not more or target.measure.entry.aggregate == "sum" else total * n / (n + more)

    def look(self, cell: Cell) -> bytes:
        """The same bytes for policies that give every query the same values."""
        unjudged_run_queries = int(self.parts[cell[0]].unjudged_run_queries[cell[3]])
        return b"".join((np.round(self.values(cell, t), 12) + 0.0).tobytes() for t in self.targets) + bytes(
            unjudged_run_queries > 0
        )

    def cost(self, policy: Policy, others: Settings) -> NDArray[np.int64]:
        """In how many of the clauses that were tried each policy differs from this one, shape of the grid.

        A relevance level that no grade reaches counts for more: it explains any 0, so what else does goes first.
        """
        levels = next((axis.values for axis in self.axes if axis.name == "relevance_level"), (0,))
        unreached = ("relevance_level", max(levels))
        total = np.zeros((1,) * len(KINDS), dtype=np.int64)
        for i, kind in enumerate(KINDS):
            differs = [
                sum((UNREACHED if (n, v) == unreached else 1) for n, v in step.items() if getattr(policy, n, others.get(n)) != v)
                for step in self.steps[kind]
            ]
            total = total + np.array(differs).reshape([-1 if j == i else 1 for j in range(len(KINDS))])
        return np.broadcast_to(total, self.agreeing.shape)

    def neighbours(self, cell: Cell, axis: Axis) -> Iterator[Cell]:
        """The policies that differ in one clause at most."""
        i = KINDS.index(axis.kind)
        own = self.steps[axis.kind][cell[i]]
        for j, other in enumerate(self.steps[axis.kind]):
            if all(own[name] == value for name, value in other.items() if name != axis.name):
                yield (*cell[:i], j, *cell[i + 1 :])


def search(run: Run, qrels: Qrels, targets: Sequence[Target], base: Policy, *, engine: Backend) -> Grid:
    """Score everything under every policy, each ranking that differs once, and compare with what was reported."""
    measures = [target.measure for target in targets]
    found = axes(run, qrels, measures, base)
    start = lenient(base)
    parts = [scored(run, qrels, measures, start.but(**settings), found, engine=engine) for settings in groups(found, "judgements")]
    shape = tuple(len(groups(found, kind)) for kind in KINDS)
    agreeing, furthest = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    for target in targets:
        at: dict[Measure, list[int]] = {}
        for g, settings in enumerate(groups(found, "measure")):
            at.setdefault(resolved(target.measure, start, settings), []).append(g)
        for j, part in enumerate(parts):
            for measure, where in at.items():
                right, off = _compared(part, measure, target)
                agreeing[j][..., where] += right[..., None]
                furthest[j][..., where] = np.maximum(furthest[j][..., where], off[..., None])
    return Grid(base, found, targets, parts, agreeing, furthest)


def _compared(part: Scored, measure: Measure, target: Target) -> tuple[NDArray[np.int64], Floats]:
    """How many reported values of a measure each policy gives, and the largest difference, shape (orders, shapes, means)."""
    means = part.every_mean(measure)
    right, off = np.zeros(means.shape, dtype=np.int64), np.zeros(means.shape)
    if target.mean is not None:
        off = np.abs(means - target.mean.value)
        right += off <= target.mean.within
    if not target.per_query:
        return right, off
    place = {query: i for i, query in enumerate(part.queries)}
    known = [query for query in target.per_query if query in place]
    if len(known) < len(target.per_query):  # no policy gives a value to a query that is not judged
        off = np.maximum(off, 1.0)
    rows = np.array([place[query] for query in known], dtype=np.int64)
    wanted = np.array([target.per_query[query].value for query in known])
    within = np.array([target.per_query[query].within for query in known])
    for t, zero in enumerate(part.fill_undefined[measure]):
        column, which = part.columns[measure]
        values = zero[rows] + column[which[..., rows]]
        distance = np.abs(values - wanted)
        right[..., t] += (distance <= within).sum(axis=-1)
        off[..., t] = np.fmax(off[..., t], np.nan_to_num(distance, nan=1.0).max(axis=-1, initial=0.0))
    return right, off
