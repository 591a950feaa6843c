"""The search: which of all policies give every reported value to its printed precision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..averaging import aggregated
from ..backends import Backend
from ..measures import Measure
from ..policy import Policy
from ..rankspace import Floats
from ..readers import Qrels, Run
from ..reporting import Printed
from .axes import Axis, Kind, Settings, axes, groups, lenient
from .scored import Scored, clauses, resolved, scored

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
        more = int(self.parts[cell[0]].strangers[cell[3]])
        return total if not more or target.measure.entry.aggregate == "sum" else total * n / (n + more)

    def look(self, cell: Cell) -> bytes:
        """The same bytes for policies that give every query the same values."""
        strangers = int(self.parts[cell[0]].strangers[cell[3]])
        return b"".join((np.round(self.values(cell, t), 12) + 0.0).tobytes() for t in self.targets) + bytes(strangers > 0)

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
    for t, zero in enumerate(part.settled[measure]):
        column, which = part.columns[measure]
        values = zero[rows] + column[which[..., rows]]
        distance = np.abs(values - wanted)
        right[..., t] += (distance <= within).sum(axis=-1)
        off[..., t] = np.fmax(off[..., t], np.nan_to_num(distance, nan=1.0).max(axis=-1, initial=0.0))
    return right, off
