"""The grid: every policy that could have given a number, from the clauses that matter to the data, and what each gives."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, product
from operator import ne
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...averaging import defined, fill_undefined, mean_or_sum, query_status
from ...backends.batches import scores
from ...backends.reference import Reference
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


@dataclass(frozen=True, slots=True)
class Variant:
    """Another way in which tools compute a measure: what is said of it, which measures it is for, and what a value makes of one."""

    clause: Clause
    applies: Callable[[Measure], bool]
    change: Callable[[Measure, str], Measure]


def _recall(measure: Measure, value: str) -> Measure:
    """Recall as tools have it."""
    return Measure({"min(k, R)": "R_cap", "hit rate": "Success"}[value], measure.cutoff, measure.params)


VARIANTS: Mapping[str, Variant] = {
    "recall": Variant(
        Clause(
            says="{}",
            words={
                "R": "R",
                "min(k, R)": "recall divided by min(k, R), as BEIR's capped recall",
                "hit rate": "a hit rate, 1 where any relevant document is found, as Haystack's DocumentRecall in single-hit mode",
            },
            touches="what recall is divided by",
        ),
        lambda m: m.name == "R" and m.cutoff is not None,
        _recall,
    ),
    "average_precision": Variant(
        Clause(
            says="{}",
            words={
                "R": "R",
                "min(k, R)": "AP divided by min(k, R), as sentence-transformers and recommenders",
                "k": "AP divided by k",
                "hits": "AP divided by the hits that were found, as Ragas' context precision, LightGBM and Haystack before 3.1",
            },
            touches="what AP is divided by",
        ),
        lambda m: m.name == "AP" and not m.get("norm"),
        lambda m, value: m if m.cutoff is None and value != "hits" else m.with_params(norm={"min(k, R)": "min"}.get(value, value)),
    ),
    "precision": Variant(
        Clause(
            says="{}",
            words={"k": "k", "returned": "precision divided by what was returned, as LlamaIndex and MLflow"},
            touches="what precision is divided by",
        ),
        lambda m: m.name == "P" and m.cutoff is not None,
        lambda m, value: m.with_params(returned=True),
    ),
    "binary_gain": Variant(
        Clause(
            says="{}",
            words={
                "no": "by grade",
                "yes": "binary gain, 1 for every relevant document, as sentence-transformers, LlamaIndex and MLflow",
            },
            touches="grades above 1",
        ),
        lambda m: m.entry.needs == "gain" and "dcg" in m.entry.params and m.get("dcg") is None and not m.gains,
        lambda m, value: m.with_params(dcg="binary"),
    ),
    "ideal": Variant(
        Clause(
            says="{}",
            words={
                "judged": "all judged documents, cut at k",
                "retrieved": "the ideal of the retrieved list, as Elasticsearch's _rank_eval and scikit-learn",
                "uncut": "the ideal of all judged documents, not cut at k, as cwl_eval",
            },
            touches="the ideal of nDCG",
        ),
        lambda m: m.name == "nDCG",
        lambda m, value: m.with_params(ideal=value),
    ),
    "cutoff": Variant(
        Clause(
            says="the measure at another cutoff, {}",
            words={"as named": "as named", **{str(k): str(k) for k in (1, 3, 5, 10, 15, 20, 30, 50, 100)}},
            touches="the cutoff",
        ),
        lambda m: m.cutoff is not None and m.entry.deepest >= 100,
        lambda m, value: replace(m, cutoff=int(value)),
    ),
    "rbp_grades": Variant(
        Clause(
            says="{}",
            words={"no": "binary", **{str(n): f"RBP of grades up to {n}, as gdeval's kin and trec_eval 10" for n in (2, 3, 4)}},
            touches="grades above 1 in RBP",
        ),
        lambda m: m.name == "RBP" and m.get("max_rel") is None and m.get("rel") is None,
        lambda m, value: m.with_params(max_rel=int(value)),
    ),
    "discount": Variant(
        Clause(
            says="{}",
            words={
                "log2": "log2(rank + 1)",
                "base2": "the discount log2(rank) from the second rank on, as Jarvelin and Kekalainen 2002",
            },
            touches="the discount of nDCG",
        ),
        lambda m: m.name in ("nDCG", "DCG"),
        lambda m, value: m.with_params(discount=value),
    ),
}
"""What is tried beside the clauses of a policy on measures, by name; the first value of each is what samescore has."""

NEIGHBOURS: Mapping[str, Sequence[str]] = {"cutoff": (), "rbp_grades": (), "averaged": ("all", "hits")}
"""What is tried only where nothing else gives the numbers -> the values of it that are tried before."""

AT_ONCE = 2
"""How many of these are tried together."""

TRIED: Mapping[str, Clause] = {
    **CLAUSES,
    **{name: variant.clause for name, variant in VARIANTS.items()},
    "unjudged_run_queries": Clause(
        says="unjudged queries of the run {}",
        words={"left out": "left out", "zero": "counted as 0"},
        touches="{} of the run without judgements",
    ),
    "averaged": Clause(
        says="the mean {}",
        words={
            "all": "over all queries that the policy averages",
            "hits": "over the queries with a value above 0",
            "one more": "over one query more, as where a header row counts as one",
        },
        touches="which queries the mean is over",
    ),
}
"""The clauses of a policy, and what is tried beside them."""

BESIDE: Mapping[str, str] = {name: next(iter(clause.words)) for name, clause in TRIED.items() if name not in CLAUSES}
"""What is tried beside the clauses, with what all policies of samescore have."""

Kind = Literal["judgements", "order", "shape", "mean", "measure"]
"""What a clause changes: the grades, the order of a ranking, its length, who is averaged, or the measure itself."""

CLAUSES_OF: Mapping[Kind, Sequence[str]] = {
    "judgements": ("conflicts",),
    "order": ("ties", "float32_scores", "self_hits", "duplicates", "negatives"),
    "shape": ("depth", "unjudged"),
    "mean": ("missing", "empty", "unjudged_run_queries", "averaged"),
    "measure": ("gain", "relevance_level", *VARIANTS),
}
"""What is tried, by kind. Each dimension of the grid is all combinations of the clauses of one kind."""

KINDS = tuple(CLAUSES_OF)
"""The dimensions of the grid, in order."""

Settings = Mapping[str, Any]
"""Clause -> value, for some clauses, and those of :data:`BESIDE`."""

Cell = tuple[int, ...]
"""One policy: its position in each dimension of the grid."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A clause (or one of :data:`BESIDE`), the values to try, those of the starting policy first, and how many queries it touches.

    ``queries`` are the ids of the queries that a clause on judgements or order can touch.
    """

    name: str
    kind: Kind
    values: tuple[Any, ...]
    touched: int
    queries: frozenset[str]


def find_axes(run: Run, qrels: Qrels, measures: Sequence[Measure], base: Policy, *, neighbours: bool = False) -> list[Axis]:
    """The axes along which a policy can change some value; a clause that cannot, for these data, has none.

    Those of :data:`NEIGHBOURS` are among them only where they are wanted.
    """
    start = lenient(base)
    ranked = rank(run, qrels, uncut(start))
    usual = {} if neighbours else NEIGHBOURS
    values = {**{name: clause.accepting for name, clause in TRIED.items()}, **_numbers_to_try(ranked, measures, base), **usual}
    queries = _touched_queries(run, qrels, ranked, uncut(start))
    touched = {**{name: len(ids) for name, ids in queries.items()}, **_count_touched(ranked, measures, base)}
    # a query is empty under another clause where nothing reaches the highest level that is tried
    matters = {**touched, "empty": _count_empty(ranked, max(values["relevance_level"]))}
    axes = []
    for kind, names in CLAUSES_OF.items():
        for name in names:
            if len(values[name]) > 1 and matters[name]:
                first = getattr(start, name, values[name][0])
                base_first = tuple(sorted(values[name], key=partial(ne, first)))
                axes.append(Axis(name, kind, base_first, touched[name], queries.get(name, frozenset())))
    return axes


def lenient(policy: Policy) -> Policy:
    """The policy without refusals."""
    return policy.but(**{name: TRIED[name].accepting[0] for name in CLAUSES if getattr(policy, name) == "error"})


def uncut(policy: Policy) -> Policy:
    """The policy with whole rankings, neither cut nor condensed."""
    return policy.but(depth=None, unjudged="nonrelevant")


def combinations(axes: Iterable[Axis], kind: Kind) -> list[Settings]:
    """Every combination of the values of the axes of one kind, with a few variants of measures together at most."""
    some = [axis for axis in axes if axis.kind == kind]
    every = (dict(zip([axis.name for axis in some], values, strict=True)) for values in product(*(axis.values for axis in some)))
    return [
        settings for settings in every if sum(settings[name] != BESIDE[name] for name in VARIANTS if name in settings) <= AT_ONCE
    ]


def _touched_queries(run: Run, qrels: Qrels, ranked: Ranked, plain: Policy) -> dict[str, frozenset[str]]:
    """The queries with conflicting grades, ties, duplicates, self hits, scores that 32 bits merge, and negative grades."""
    notes, queries = ranked.notes, ranked.trace.queries
    conflicting = [q for q, rows in qrels.further.items() if any(grade != qrels.grades[q][doc] for doc, grade in rows)]
    merged = [query for query in queries if query in run.rankings and _merges(run, query, plain)]
    every = plain.but(duplicates="each", float32_scores=plain.float32_scores or bool(merged))
    tied = rank(run, qrels, every).notes.tied if notes.duplicates or merged else notes.tied
    grades = {q: [*qrels.grades[q].values(), *(grade for _, grade in qrels.further.get(q, ()))] for q in queries}
    touched: dict[str, Iterable[str]] = {
        "conflicts": conflicting,
        "ties": tied,
        "float32_scores": merged,
        "self_hits": notes.self_hits,
        "duplicates": notes.duplicates,
        "negatives": [query for query in queries if min(grades[query], default=0) < 0],
    }
    return {name: frozenset(ids) for name, ids in touched.items()}


def _merges(run: Run, query: str, plain: Policy) -> bool:
    """Whether 32 bits make some different scores equal."""
    scores = run.rankings[query].scores
    if scores is None:
        return False
    fewer = comparable(scores, plain.but(float32_scores=True))
    return len(np.unique(fewer)) < len(np.unique(scores))


def _count_touched(ranked: Ranked, measures: Sequence[Measure], base: Policy) -> dict[str, int]:
    """How many queries the clauses touch that change neither judgements nor the order."""
    space, n = ranked.space, len(ranked.space)
    hits = space.per_query(space.place <= space.depth[space.query])
    graded = space.per_query((space.grade > 0) & (space.grade != 1)) > 0
    varied = {name: any(map(variant.applies, measures)) for name, variant in VARIANTS.items()}
    varied["binary_gain"] &= bool(graded.any())
    return {
        "depth": int((space.depth > min(DEPTHS)).sum()),
        "unjudged": int((hits < space.depth).sum()),
        "missing": int((~ranked.trace.answered).sum()),
        "empty": _count_empty(ranked, base.relevance_level),
        "unjudged_run_queries": len(ranked.notes.unjudged_queries),
        "gain": int(graded.sum()) if _takes(measures, "gain", TRIED["gain"].accepting) else 0,
        "relevance_level": n,
        "averaged": n if any(m.entry.aggregate == "mean" for m in measures) else 0,
        **{name: n if applies else 0 for name, applies in varied.items()},
    }


def _count_empty(ranked: Ranked, level: int) -> int:
    """How many queries have no document that is relevant at a level."""
    return int((ranked.space.relevant(level) == 0).sum())


def _numbers_to_try(ranked: Ranked, measures: Sequence[Measure], base: Policy) -> dict[str, tuple[Any, ...]]:
    """The usual depths and the policy's own, the relevance levels that tell grades apart, and the gains that do not overflow.

    Where no measure takes the policy's relevance level there is one alone; by the last of several nothing is relevant.
    """
    deepest, largest = ranked.space.depth.max(initial=0), ranked.space.grade.max(initial=0)
    levels = min(max(int(largest), 1), HIGHEST_LEVEL) + 1 if _takes(measures, "relevance_level", (1, 2)) else 1
    return {
        "depth": (None, *sorted({depth for depth in (*DEPTHS, base.depth) if depth is not None and depth < deepest})),
        "relevance_level": tuple(range(1, levels + 1)),
        **({"gain": ("linear",)} if largest > LARGEST_EXPONENT else {}),
    }


def _takes(measures: Sequence[Measure], clause: str, values: tuple[Any, ...]) -> bool:
    """Whether some measure takes a clause from the policy."""
    policies = [Policy().but(**{clause: value}) for value in values]
    return any(len({policy.resolve(measure) for policy in policies}) > 1 for measure in measures)


def clauses(settings: Settings) -> Settings:
    """The settings that are clauses of a policy."""
    return {name: value for name, value in settings.items() if name not in BESIDE}


def resolved(measure: Measure, policy: Policy, settings: Settings) -> Measure:
    """A measure as the settings have it."""
    for name, variant in VARIANTS.items():
        if settings.get(name, BESIDE[name]) != BESIDE[name] and variant.applies(measure):
            measure = variant.change(measure, settings[name])
    return policy.but(**clauses(settings)).resolve(measure)


def find_rankings(run: Run, qrels: Qrels, policy: Policy, axes: Sequence[Axis]) -> tuple[RankSpace, Ints]:
    """The rankings that differ, and which of them each query has, shape (orders, shapes, queries).

    The queries are those of the qrels, in their order; ``policy`` holds what the axes do not set.
    """
    ordered, order_of = _ordered(run, qrels, uncut(policy), axes)
    shaped = [cut_and_condense(ordered, policy.but(**settings)) for settings in combinations(axes, "shape")]
    space, index = RankSpace.joined(shaped).distinct()
    return space, index.reshape(len(shaped), len(ordered))[:, order_of].transpose(1, 0, 2)


def _ordered(run: Run, qrels: Qrels, policy: Policy, axes: Sequence[Axis]) -> tuple[RankSpace, Ints]:
    """The rankings before they are cut, and which of them each query has, shape (orders, queries).

    A query is ranked once for all orders that differ in clauses that do not touch it.
    """
    order_axes = [axis for axis in axes if axis.kind == "order"]
    orders = [
        [(tuple(settings[a.name] if query in a.queries else a.values[0] for a in order_axes), query) for query in qrels.grades]
        for settings in combinations(axes, "order")
    ]
    queries_by_values: dict[tuple[Any, ...], dict[str, None]] = {}
    for values, query in chain.from_iterable(orders):
        queries_by_values.setdefault(values, {})[query] = None
    spaces: list[RankSpace] = []
    position: dict[tuple[tuple[Any, ...], str], int] = {}
    for values, queries in queries_by_values.items():
        settings = {axis.name: value for axis, value in zip(order_axes, values, strict=True)}
        touched = (run, qrels) if len(queries) == len(qrels.grades) else select(run, qrels, queries)
        spaces.append(rank(*touched, policy.but(**settings)).space)
        position |= {(values, query): len(position) + i for i, query in enumerate(queries)}
    space, index = RankSpace.joined(spaces).distinct()
    return space, index[np.array([[position[pair] for pair in pairs] for pairs in orders], dtype=np.int64)]


def select(run: Run, qrels: Qrels, queries: Collection[str]) -> tuple[Run, Qrels]:
    """Some queries of a run and its qrels."""
    rankings = {query: run.rankings[query] for query in queries if query in run.rankings}
    grades = {query: qrels.grades[query] for query in queries if query in qrels.grades}
    further = {query: qrels.further[query] for query in queries if query in qrels.further}
    return replace(run, rankings=rankings), replace(qrels, grades=grades, further=further)


@dataclass(frozen=True, slots=True)
class Target:
    """What was reported of one measure, by its name: None, for the mean, or query -> number."""

    name: str
    measure: Measure
    reported: Mapping[str | None, Printed]


@dataclass(frozen=True, slots=True)
class Scored:
    """All values under one way to settle the judgements.

    ``columns`` are the values of each resolved measure for the rankings that differ, and the index of the ranking of each
    (order, shape, query). ``at_zero`` is what is averaged for a query that scores 0 wherever it can be computed, under each
    combination of the axes on the mean: NaN where it is left out; shape (means, queries). ``counted_as_zero`` is how many
    queries each combination counts as 0 beside these, and ``above_zero`` whether it averages values above 0 alone.
    """

    queries: Sequence[str]
    columns: Mapping[Measure, tuple[Floats, Ints]]
    at_zero: Mapping[Measure, Floats]
    counted_as_zero: Ints
    above_zero: NDArray[np.bool_]

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
        n: Any = counted.sum(axis=1) + self.counted_as_zero
        if self.above_zero.any():
            above = (column > 0)[index] @ counted.T.astype(np.float64) + (np.nan_to_num(at_zero) > 0).sum(axis=1)
            n = np.where(self.above_zero, above, np.broadcast_to(n, total.shape))
        means: Floats = np.divide(total, n, out=np.zeros_like(total), where=n > 0)
        return means

    def compare(self, measure: Measure, target: Target) -> tuple[NDArray[np.int64], Floats]:
        """How many reported values each policy gives, and the largest difference, shape (orders, shapes, means)."""
        means = self.means(measure)
        agreeing, furthest = np.zeros(means.shape, dtype=np.int64), np.zeros(means.shape)
        mean = target.reported.get(None)
        if mean is not None:
            furthest = np.abs(means - mean.value)
            agreeing += furthest <= mean.within
        rows = {query: i for i, query in enumerate(self.queries) if query in target.reported}
        if len(rows) + (mean is not None) < len(target.reported):  # no policy gives a value to a query that is not judged
            furthest = np.maximum(furthest, 1.0)
        if not rows:
            return agreeing, furthest
        at, printed = list(rows.values()), [target.reported[query] for query in rows]
        reported, within = np.array([p.value for p in printed]), np.array([p.within for p in printed])
        column, index = self.columns[measure]
        for i, at_zero in enumerate(self.at_zero[measure]):
            distance = np.abs(at_zero[at] + column[index[..., at]] - reported)
            agreeing[..., i] += (distance <= within).sum(axis=-1)
            furthest[..., i] = np.fmax(furthest[..., i], np.nan_to_num(distance, nan=1.0).max(axis=-1))
        return agreeing, furthest


def score_all(run: Run, qrels: Qrels, measures: Sequence[Measure], policy: Policy, axes: Sequence[Axis]) -> Scored:
    """Score every ranking that differs, once, for each measure as each combination of the axes on measures resolves it."""
    ranked = rank(run, qrels, uncut(policy))
    variants = list(dict.fromkeys(resolved(m, policy, settings) for m in measures for settings in combinations(axes, "measure")))
    averaging = combinations(axes, "mean")
    at_zero = np.stack([_at_zero(ranked, variants, policy.but(**clauses(settings))) for settings in averaging])
    as_zero = np.array([settings.get("unjudged_run_queries") == "zero" for settings in averaging])
    one_more = np.array([settings.get("averaged") == "one more" for settings in averaging])
    return Scored(
        ranked.trace.queries,
        _columns(*find_rankings(run, qrels, policy, axes), variants),
        {measure: at_zero[:, :, i] for i, measure in enumerate(variants)},
        as_zero * len(ranked.notes.unjudged_queries) + one_more,
        np.array([settings.get("averaged") == "hits" for settings in averaging]),
    )


def _at_zero(ranked: Ranked, measures: Sequence[Measure], policy: Policy) -> Floats:
    """What is averaged where every value that can be computed is 0, shape (queries, measures)."""
    status = query_status(ranked.spaces, ranked.trace, measures, policy, np.ones(len(ranked.space), dtype=bool))
    return fill_undefined(np.zeros(status.defined.shape), status, policy)


def _columns(space: RankSpace, index: Ints, measures: Sequence[Measure]) -> dict[Measure, tuple[Floats, Ints]]:
    """The values of each measure for the rankings that it tells apart, 0 where it is undefined, and the index of each ranking."""
    alike: dict[object, list[Measure]] = {}
    for measure in measures:
        alike.setdefault((measure.reads_depth, measure.get("judged_only"), measure.cutoff), []).append(measure)
    columns: dict[Measure, tuple[Floats, Ints]] = {}
    for some in alike.values():
        seen, position = _as_seen_by(some[0], space)
        spaces = {"grades": seen}
        values = np.nan_to_num(scores(Reference(), spaces, some, defined(spaces, some)))
        columns |= {measure: (column, position[index]) for measure, column in zip(some, values.T, strict=True)}
    return columns


def _as_seen_by(measure: Measure, space: RankSpace) -> tuple[RankSpace, Ints]:
    """The rankings that a measure tells apart, cut at its cutoff, or after the last hit if it reads no depth; and which each is."""
    if measure.reads_depth:
        return space, np.arange(len(space))
    if measure.cutoff is not None and measure.get("judged_only") is not True:
        space = space.cut(measure.cutoff)
    return space.trimmed().distinct()


@dataclass(frozen=True)
class Grid:
    """Every policy that was tried, as the combinations of axes; and what each gives.

    ``agreeing`` (how many of the reported values each policy gives) and ``furthest`` (the largest difference) have one
    dimension for each of KINDS. ``scored`` holds the values, by the first of these.
    """

    base: Policy
    axes: Sequence[Axis]
    targets: Sequence[Target]
    scored: Sequence[Scored]
    agreeing: NDArray[np.int64]
    furthest: Floats

    @cached_property
    def steps(self) -> dict[Kind, list[Settings]]:
        """The combinations along each dimension of the grid."""
        return {kind: combinations(self.axes, kind) for kind in KINDS}

    @cached_property
    def reported(self) -> int:
        """How many values were reported."""
        return sum(len(target.reported) for target in self.targets)

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
        values = self.values(cell, target)
        if self.scored[cell[0]].above_zero[cell[3]] and target.measure.entry.aggregate == "mean":
            values = np.where(values > 0, values, np.nan)
        total, n = mean_or_sum(values, target.measure)
        zeros = self._counted_as_zero(cell)
        return total if not zeros or target.measure.entry.aggregate == "sum" else total * n / (n + zeros)

    def fingerprint(self, cell: Cell) -> bytes:
        """The same bytes for policies that give every query the same values."""
        rounded = (np.round(self.values(cell, target), 12) + 0.0 for target in self.targets)
        every = b"".join(values.tobytes() for values in rounded)
        above_zero = self.scored[cell[0]].above_zero[cell[3]] and any(
            (self.values(cell, target) == 0).any() for target in self.targets
        )
        return every + bytes([self._counted_as_zero(cell) > 0, bool(above_zero)])

    def _counted_as_zero(self, cell: Cell) -> int:
        """How many unjudged queries of the run a policy counts as 0."""
        return int(self.scored[cell[0]].counted_as_zero[cell[3]])

    def differing(self, policy: Policy) -> NDArray[np.int64]:
        """In how many of the clauses that were tried each policy of the grid differs from this one.

        A relevance level that no grade reaches counts for more: it explains any 0, so what else does goes first.
        """
        levels = next((axis.values for axis in self.axes if axis.name == "relevance_level"), (0,))
        unreached = ("relevance_level", max(levels))
        wanted = {axis.name: BESIDE.get(axis.name) or getattr(lenient(policy), axis.name) for axis in self.axes}

        def cost(settings: Settings) -> int:
            return sum(UNREACHED if item == unreached else 1 for item in settings.items() if wanted[item[0]] != item[1])

        counts = [np.array([cost(settings) for settings in self.steps[kind]]) for kind in KINDS]
        return sum(np.ix_(*counts), np.zeros(self.agreeing.shape, dtype=np.int64))

    def cells(self, cell: Cell, axis: Axis) -> list[Cell]:
        """The policies that differ from one in one clause at most."""
        i = KINDS.index(axis.kind)
        return [(*cell[:i], j, *cell[i + 1 :]) for j in self.line(cell, axis)[i]]

    def line(self, cell: Cell, axis: Axis) -> tuple[Any, ...]:
        """The index of the policies that differ from one in one clause at most."""
        i, steps = KINDS.index(axis.kind), self.steps[axis.kind]
        here = {**steps[cell[i]], axis.name: None}
        return (*cell[:i], [j for j, step in enumerate(steps) if {**step, axis.name: None} == here], *cell[i + 1 :])


def search(run: Run, qrels: Qrels, targets: Sequence[Target], base: Policy, *, neighbours: bool = False) -> Grid:
    """Score everything under every policy, each ranking that differs once, and compare with what was reported.

    Where none gives it all, neighbours are tried too: another cutoff, a mean over one query more.
    """
    measures = [target.measure for target in targets]
    axes, start = find_axes(run, qrels, measures, base, neighbours=neighbours), lenient(base)
    scored = [score_all(run, qrels, measures, start.but(**settings), axes) for settings in combinations(axes, "judgements")]
    shape = tuple(len(combinations(axes, kind)) for kind in KINDS)
    agreeing, furthest = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    for target in targets:
        variants = [resolved(target.measure, start, settings) for settings in combinations(axes, "measure")]
        for i, part in enumerate(scored):
            compared = {measure: part.compare(measure, target) for measure in dict.fromkeys(variants)}
            for at, measure in enumerate(variants):
                right, off = compared[measure]
                agreeing[i, ..., at] += right
                furthest[i, ..., at] = np.maximum(furthest[i, ..., at], off)
    grid = Grid(base, axes, targets, scored, agreeing, furthest)
    if neighbours or (agreeing == grid.reported).any():
        return grid
    wider = search(run, qrels, targets, base, neighbours=True)
    return wider if (wider.agreeing == wider.reported).any() else grid
