"""The grid: every policy that could have given a number, from the clauses that matter to the data, and what each gives."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...averaging import aggregated, defined, fill_undefined, query_status
from ...backends import Backend
from ...backends.batches import scores
from ...clauses import Clause
from ...measures import Measure
from ...policy import CLAUSES, Policy
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

UNREACHED = 3
"""For how many clauses a relevance level counts that no grade reaches."""

DIVISORS = {"R": "R", "min(k, R)": "min(k, R)"}

TRIED: Mapping[str, Clause] = {
    **CLAUSES,
    "recall": Clause(says="recall divided by {}", words=DIVISORS, touches="what recall is divided by"),
    "average_precision": Clause(says="AP divided by {}", words=DIVISORS, touches="what AP is divided by"),
    "unjudged_run_queries": Clause(
        says="unjudged queries of the run {}",
        words={"left out": "left out", "zero": "counted as 0"},
        touches="{} of the run without judgements",
    ),
}
"""The clauses of a policy, and what is tried beside them: what recall and average precision at a cutoff are divided by, and
whether queries of the run that are not judged count."""

BESIDE: Mapping[str, str] = {name: next(iter(clause.words)) for name, clause in TRIED.items() if name not in CLAUSES}
"""What is tried beside the clauses, with what all policies of samescore have."""

Kind = Literal["judgements", "order", "shape", "mean", "measure"]
"""What a clause changes: the grades, the order of a ranking, its length, who is averaged, or the measure itself."""

KINDS: tuple[Kind, ...] = ("judgements", "order", "shape", "mean", "measure")
"""The axes of the grid, in order; each is all combinations of the clauses of one kind."""

Settings = Mapping[str, Any]
"""Clause -> value, for some clauses, and those of :data:`BESIDE`."""

Cell = tuple[int, ...]
"""One policy: its position on each axis of the grid."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A clause (or one of :data:`BESIDE`), the values to try, those of the starting policy first, and how many queries it touches.

    ``queries`` are the ids of the queries that a clause on order can touch. ``nearly``: it touches some as soon as another
    clause changes, too.
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


def find_axes(run: Run, qrels: Qrels, measures: Sequence[Measure], base: Policy) -> list[Axis]:
    """The axes along which a policy can change some value; a clause that cannot, for these data, has none."""
    plain = uncut(lenient(base))
    ranked = rank(run, qrels, plain)
    axes = [
        *_judgement_axes(qrels),
        *_order_axes(run, qrels, plain, ranked),
        *_shape_axes(ranked, base),
        *_mean_axes(ranked, measures, base),
        *_measure_axes(ranked, measures),
    ]
    return [replace(axis, values=_base_first(axis, base)) for axis in axes if axis.matters]


def lenient(policy: Policy) -> Policy:
    """The policy without refusals."""
    return policy.but(**{name: TRIED[name].accepting[0] for name in CLAUSES if getattr(policy, name) == "error"})


def uncut(policy: Policy) -> Policy:
    """The policy with whole rankings, neither cut nor condensed."""
    return policy.but(depth=None, unjudged="nonrelevant")


def combinations(axes: Iterable[Axis], kind: Kind) -> list[Settings]:
    """Every combination of the values of the axes of one kind."""
    some = [axis for axis in axes if axis.kind == kind]
    return [dict(zip([axis.name for axis in some], values, strict=True)) for values in product(*(axis.values for axis in some))]


def _base_first(axis: Axis, base: Policy) -> tuple[Any, ...]:
    """The values with that of the starting policy in front."""
    first = getattr(lenient(base), axis.name, axis.values[0])
    return tuple(sorted(axis.values, key=lambda value: value != first))


def _judgement_axes(qrels: Qrels) -> list[Axis]:
    """Conflicts, where one document has several grades."""
    conflicting = {q for q, rows in qrels.further.items() if any(grade != qrels.grades[q][doc] for doc, grade in rows)}
    return [Axis("conflicts", "judgements", TRIED["conflicts"].accepting, len(conflicting), frozenset(conflicting))]


def _order_axes(run: Run, qrels: Qrels, plain: Policy, ranked: Ranked) -> list[Axis]:
    """Ties, duplicates, self hits, 32-bit scores and negative grades, where they occur."""
    notes, queries = ranked.notes, ranked.trace.queries
    merged = [query for query in queries if query in run.rankings and _merges(run, query, plain)]
    every = plain.but(duplicates="each", float32_scores=plain.float32_scores or bool(merged))
    tied = rank(run, qrels, every).notes.tied if notes.duplicates or merged else notes.tied
    negative = [query for query in queries if min(_every_grade(qrels, query), default=0) < 0]
    touched: Mapping[str, Iterable[str]] = {
        "ties": tied,
        "float32_scores": merged,
        "self_hits": notes.self_hits,
        "duplicates": notes.duplicates,
        "negatives": negative,
    }
    sets = {name: frozenset(ids) for name, ids in touched.items()}
    return [Axis(name, "order", TRIED[name].accepting, len(ids), ids) for name, ids in sets.items()]


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
        Axis("unjudged", "shape", TRIED["unjudged"].accepting, int((hits < depth).sum())),
    ]


def _mean_axes(ranked: Ranked, measures: Sequence[Measure], base: Policy) -> list[Axis]:
    """Missing and empty queries, and those of the run that are not judged."""
    empty, empty_at_highest = (
        ranked.space.relevant(level) == 0 for level in (base.relevance_level, max(_levels(ranked, measures)))
    )
    return [
        Axis("missing", "mean", TRIED["missing"].accepting, int((~ranked.trace.answered).sum())),
        Axis("empty", "mean", TRIED["empty"].accepting, int(empty.sum()), nearly=bool(empty_at_highest.any())),
        Axis("unjudged_run_queries", "mean", TRIED["unjudged_run_queries"].accepting, len(ranked.notes.unjudged_queries)),
    ]


def _measure_axes(ranked: Ranked, measures: Sequence[Measure]) -> list[Axis]:
    """The gain, the relevance level, and what recall and average precision at a cutoff are divided by."""
    grade, n = ranked.space.grade, len(ranked.space)
    recall_at_k = any(m.name == "R" and m.cutoff for m in measures)
    ap_at_k = any(m.name == "AP" and m.cutoff and not m.get("norm") for m in measures)
    gains = TRIED["gain"].accepting if grade.max(initial=0) <= LARGEST_EXPONENT else ("linear",)
    graded = int((ranked.space.per_query((grade > 0) & (grade != 1)) > 0).sum())
    return [
        Axis("gain", "measure", gains, graded if _takes(measures, "gain", TRIED["gain"].accepting) else 0),
        Axis("relevance_level", "measure", tuple(_levels(ranked, measures)), n),
        Axis("recall", "measure", tuple(DIVISORS), n if recall_at_k else 0),
        Axis("average_precision", "measure", tuple(DIVISORS), n if ap_at_k else 0),
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


def clauses(settings: Settings) -> Settings:
    """The settings that are clauses of a policy."""
    return {name: value for name, value in settings.items() if name not in BESIDE}


def resolved(measure: Measure, policy: Policy, settings: Settings) -> Measure:
    """A measure as the settings have it."""
    if measure.name == "R" and measure.cutoff and settings.get("recall") == "min(k, R)":
        measure = Measure("R_cap", measure.cutoff, measure.params)
    if measure.name == "AP" and measure.cutoff and settings.get("average_precision") == "min(k, R)":
        measure = measure.with_params(norm="min")
    return policy.but(**clauses(settings)).resolve(measure)


@dataclass(frozen=True, slots=True)
class Rankings:
    """The rankings that differ, and ``index``, of shape (orders, shapes, queries), which of them each query has."""

    space: RankSpace
    index: Ints

    def seen_by(self, measure: Measure) -> Rankings:
        """The rankings as far as a measure tells them apart: cut at its cutoff, or after the last hit if it reads no depth."""
        if measure.reads_depth:
            return self
        cut = self.space if measure.cutoff is None or measure.get("judged_only") is True else self.space.cut(measure.cutoff)
        space, index = cut.trimmed().distinct()
        return Rankings(space, index[self.index])


def find_rankings(run: Run, qrels: Qrels, policy: Policy, axes: Sequence[Axis]) -> Rankings:
    """All rankings of the queries of the qrels, in their order; ``policy`` holds what the axes do not set."""
    ordered, order_of = _ordered(run, qrels, uncut(policy), axes)
    shaped = [cut_and_condense(ordered, policy.but(**settings)) for settings in combinations(axes, "shape")]
    space, index = RankSpace.joined(shaped).distinct()
    return Rankings(space, index.reshape(len(shaped), len(ordered))[:, order_of].transpose(1, 0, 2))


def _ordered(run: Run, qrels: Qrels, policy: Policy, axes: Sequence[Axis]) -> tuple[RankSpace, Ints]:
    """The rankings before they are cut, and which of them each query has, shape (orders, queries).

    A query is ranked once for all orders that differ in clauses that do not touch it.
    """
    order_axes = [axis for axis in axes if axis.kind == "order"]
    effective = [
        [tuple(settings[axis.name] if query in axis.queries else axis.values[0] for axis in order_axes) for query in qrels.grades]
        for settings in combinations(axes, "order")
    ]
    queries_by_values: dict[tuple[Any, ...], dict[str, None]] = {}
    for row in effective:
        for query, values in zip(qrels.grades, row, strict=True):
            queries_by_values.setdefault(values, {})[query] = None
    spaces: list[RankSpace] = []
    position: dict[tuple[str, tuple[Any, ...]], int] = {}
    for values, queries in queries_by_values.items():
        settings = {axis.name: value for axis, value in zip(order_axes, values, strict=True)}
        spaces.append(_rank(run, qrels, queries, policy.but(**settings)))
        position.update({(query, values): len(position) + i for i, query in enumerate(queries)})
    space, index = RankSpace.joined(spaces).distinct()
    positions = [[position[pair] for pair in zip(qrels.grades, row, strict=True)] for row in effective]
    return space, index[np.array(positions, dtype=np.int64)]


def _rank(run: Run, qrels: Qrels, queries: Iterable[str], policy: Policy) -> RankSpace:
    """Some queries in rank space."""
    some = list(queries)
    if len(some) == len(qrels.grades):
        return rank(run, qrels, policy).space
    rankings = {query: run.rankings[query] for query in some if query in run.rankings}
    grades = {query: qrels.grades[query] for query in some}
    further = {query: qrels.further[query] for query in some if query in qrels.further}
    return rank(replace(run, rankings=rankings), replace(qrels, grades=grades, further=further), policy).space


@dataclass(frozen=True, slots=True)
class Target:
    """What was reported of one measure: the mean, the values of queries, or both."""

    measure: Measure
    mean: Printed | None
    per_query: Mapping[str, Printed]


@dataclass(frozen=True, slots=True)
class Scored:
    """All values under one way to settle the judgements.

    ``columns`` are the values of each resolved measure for the rankings that differ, and the index of the ranking of each
    (order, shape, query). ``at_zero`` is what is averaged for a query that scores 0 wherever it can be computed, under each
    combination of the axes on the mean: NaN where it is left out; shape (means, queries). ``counted_as_zero`` is how many
    unjudged queries of the run each combination counts as 0.
    """

    queries: Sequence[str]
    columns: Mapping[Measure, tuple[Floats, Ints]]
    at_zero: Mapping[Measure, Floats]
    counted_as_zero: Ints

    def values(self, measure: Measure, order: int, shape: int, mean: int) -> Floats:
        """The value of each query under one policy, NaN where it is left out."""
        column, index = self.columns[measure]
        values: Floats = self.at_zero[measure][mean] + column[index[order, shape]]
        return values

    def means(self, measure: Measure) -> Floats:
        """The means, or sums of counts, under every policy, shape (orders, shapes, means)."""
        column, index = self.columns[measure]
        at_zero = self.at_zero[measure]
        counted = ~np.isnan(at_zero)
        total: Floats = column[index] @ counted.T.astype(np.float64) + np.where(counted, at_zero, 0.0).sum(axis=1)
        if measure.entry.aggregate == "sum":
            return total
        n = counted.sum(axis=1) + self.counted_as_zero
        means: Floats = np.divide(total, n, out=np.zeros_like(total), where=n > 0)
        return means

    def compare(self, measure: Measure, target: Target) -> tuple[NDArray[np.int64], Floats]:
        """How many reported values each policy gives, and the largest difference, shape (orders, shapes, means)."""
        means = self.means(measure)
        agreeing, furthest = np.zeros(means.shape, dtype=np.int64), np.zeros(means.shape)
        if target.mean is not None:
            furthest = np.abs(means - target.mean.value)
            agreeing += furthest <= target.mean.within
        if not target.per_query:
            return agreeing, furthest
        rows = {query: i for i, query in enumerate(self.queries) if query in target.per_query}
        if len(rows) < len(target.per_query):  # no policy gives a value to a query that is not judged
            furthest = np.maximum(furthest, 1.0)
        at, printed = list(rows.values()), [target.per_query[query] for query in rows]
        reported, within = np.array([p.value for p in printed]), np.array([p.within for p in printed])
        column, index = self.columns[measure]
        for mean, at_zero in enumerate(self.at_zero[measure]):
            distance = np.abs(at_zero[at] + column[index[..., at]] - reported)
            agreeing[..., mean] += (distance <= within).sum(axis=-1)
            furthest[..., mean] = np.fmax(furthest[..., mean], np.nan_to_num(distance, nan=1.0).max(axis=-1, initial=0.0))
        return agreeing, furthest


def score_all(
    run: Run, qrels: Qrels, measures: Sequence[Measure], policy: Policy, axes: Sequence[Axis], *, engine: Backend
) -> Scored:
    """Score every ranking that differs, once, for each measure as each combination of the axes on measures resolves it."""
    ranked = rank(run, qrels, uncut(policy))
    variants = list(dict.fromkeys(resolved(m, policy, settings) for m in measures for settings in combinations(axes, "measure")))
    averaging = combinations(axes, "mean")
    at_zero = [_at_zero(ranked, variants, policy.but(**clauses(settings))) for settings in averaging]
    unjudged = len(ranked.notes.unjudged_queries)
    return Scored(
        ranked.trace.queries,
        _columns(engine, find_rankings(run, qrels, policy, axes), variants),
        {measure: np.array([values[:, i] for values in at_zero]) for i, measure in enumerate(variants)},
        np.array([unjudged if settings.get("unjudged_run_queries") == "zero" else 0 for settings in averaging], dtype=np.int64),
    )


def _at_zero(ranked: Ranked, measures: Sequence[Measure], policy: Policy) -> Floats:
    """What is averaged where every value that can be computed is 0, shape (queries, measures)."""
    status = query_status(ranked.spaces, ranked.trace, measures, policy, np.ones(len(ranked.space), dtype=bool))
    return fill_undefined(np.zeros(status.defined.shape), status, policy)


def _columns(engine: Backend, rankings: Rankings, measures: Sequence[Measure]) -> dict[Measure, tuple[Floats, Ints]]:
    """The values of each measure, 0 where it is undefined; those that tell the same rankings apart are scored together."""
    columns: dict[Measure, tuple[Floats, Ints]] = {}
    for some in _grouped(measures, lambda m: (m.reads_depth, m.get("judged_only"), m.cutoff)):
        seen = rankings.seen_by(some[0])
        spaces = {"grades": seen.space}
        values = np.nan_to_num(scores(engine, spaces, some, defined(spaces, some)))
        columns |= {measure: (column, seen.index) for measure, column in zip(some, values.T, strict=True)}
    return columns


def _grouped(measures: Iterable[Measure], key: Callable[[Measure], Hashable]) -> list[list[Measure]]:
    """Measures with the same key together."""
    groups: dict[Hashable, list[Measure]] = {}
    for measure in measures:
        groups.setdefault(key(measure), []).append(measure)
    return list(groups.values())


@dataclass(frozen=True)
class Grid:
    """Every policy that was tried, as the combinations of axes; and what each gives.

    Shapes: ``agreeing`` (how many of the reported values each policy gives) and ``furthest`` (the largest difference)
    have one axis for each of KINDS. ``scored`` holds the values, by the first of these.
    """

    base: Policy
    axes: Sequence[Axis]
    targets: Sequence[Target]
    scored: Sequence[Scored]
    agreeing: NDArray[np.int64]
    furthest: Floats

    @cached_property
    def steps(self) -> dict[Kind, list[Settings]]:
        """The combinations along each axis of the grid."""
        return {kind: combinations(self.axes, kind) for kind in KINDS}

    @cached_property
    def reported(self) -> int:
        """How many values were reported."""
        return sum((target.mean is not None) + len(target.per_query) for target in self.targets)

    @cached_property
    def start(self) -> Settings:
        """What the starting policy has for each clause that was tried."""
        return {axis.name: axis.values[0] for axis in self.axes}

    def settings(self, cell: Cell) -> Settings:
        """What a policy has for each clause that was tried."""
        return {name: v for kind, i in zip(KINDS, cell, strict=True) for name, v in self.steps[kind][i].items()}

    def policy(self, cell: Cell) -> Policy:
        """The policy at a cell."""
        return self.base.but(**clauses(self.settings(cell)))

    def values(self, cell: Cell, target: Target) -> Floats:
        """The value of each query, NaN where it is left out."""
        judgements, order, shape, mean, _ = cell
        measure = resolved(target.measure, lenient(self.base), self.settings(cell))
        return self.scored[judgements].values(measure, order, shape, mean)

    def mean(self, cell: Cell, target: Target) -> float:
        """The mean, or the sum of a count; 0.0 over no query."""
        total, n = aggregated(self.values(cell, target), target.measure)
        zeros = self._counted_as_zero(cell)
        return total if not zeros or target.measure.entry.aggregate == "sum" else total * n / (n + zeros)

    def fingerprint(self, cell: Cell) -> bytes:
        """The same bytes for policies that give every query the same values."""
        rounded = (np.round(self.values(cell, target), 12) + 0.0 for target in self.targets)
        return b"".join(values.tobytes() for values in rounded) + bytes(self._counted_as_zero(cell) > 0)

    def _counted_as_zero(self, cell: Cell) -> int:
        """How many unjudged queries of the run a policy counts as 0."""
        return int(self.scored[cell[0]].counted_as_zero[cell[3]])

    def differing(self, policy: Policy) -> NDArray[np.int64]:
        """In how many of the clauses that were tried each policy of the grid differs from this one.

        A relevance level that no grade reaches counts for more: it explains any 0, so what else does goes first.
        """
        levels = next((axis.values for axis in self.axes if axis.name == "relevance_level"), (0,))
        unreached = ("relevance_level", max(levels))
        reference = {axis.name: BESIDE.get(axis.name) or getattr(lenient(policy), axis.name) for axis in self.axes}
        counts = [
            [
                sum(UNREACHED if setting == unreached else 1 for setting in step.items() if reference[setting[0]] != setting[1])
                for step in self.steps[kind]
            ]
            for kind in KINDS
        ]
        return sum(np.ix_(*map(np.array, counts)), np.zeros(self.agreeing.shape, dtype=np.int64))

    def neighbours(self, cell: Cell, axis: Axis) -> Iterator[Cell]:
        """The policies that differ in one clause at most."""
        i = KINDS.index(axis.kind)
        others = [{name: v for name, v in step.items() if name != axis.name} for step in self.steps[axis.kind]]
        for j, other in enumerate(others):
            if other == others[cell[i]]:
                yield (*cell[:i], j, *cell[i + 1 :])


def search(run: Run, qrels: Qrels, targets: Sequence[Target], base: Policy, *, engine: Backend) -> Grid:
    """Score everything under every policy, each ranking that differs once, and compare with what was reported."""
    measures = [target.measure for target in targets]
    axes, start = find_axes(run, qrels, measures, base), lenient(base)
    scored = [
        score_all(run, qrels, measures, start.but(**settings), axes, engine=engine) for settings in combinations(axes, "judgements")
    ]
    shape = tuple(len(combinations(axes, kind)) for kind in KINDS)
    agreeing, furthest = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    for target in targets:
        variants: dict[Measure, list[int]] = {}
        for i, settings in enumerate(combinations(axes, "measure")):
            variants.setdefault(resolved(target.measure, start, settings), []).append(i)
        for i, part in enumerate(scored):
            for measure, at in variants.items():
                right, off = part.compare(measure, target)
                agreeing[i][..., at] += right[..., None]
                furthest[i][..., at] = np.maximum(furthest[i][..., at], off[..., None])
    return Grid(base, axes, targets, scored, agreeing, furthest)
