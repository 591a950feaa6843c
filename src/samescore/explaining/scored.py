"""Scored: the values of some measures under every policy, as columns that each policy picks from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..averaging import defined, settled, standing
from ..backends import Backend
from ..backends.sending import scores
from ..measures import Measure
from ..policy import Policy
from ..ranking import rank
from ..rankspace import Floats, Ints
from ..readers import Qrels, Run
from .axes import Axis, Settings, groups
from .rankings import Rankings, narrowed, rankings, reach


@dataclass(frozen=True, slots=True)
class Scored:
    """All values under one way to settle the judgements.

    ``columns`` are the values of each resolved measure for the rankings that differ, and the index of the ranking of each
    (order, shape, query). ``settled`` are the values of a query that scores 0 wherever it can be computed, as they are
    averaged under each combination of the axes on the mean: NaN where it is left out; shape (combinations, queries).
    ``strangers`` are how many unjudged queries each combination counts as 0.
    """

    queries: Sequence[str]
    columns: Mapping[Measure, tuple[Floats, Ints]]
    settled: Mapping[Measure, Floats]
    strangers: Ints

    def values(self, measure: Measure, order: int, shape: int, mean: int) -> Floats:
        """The value of each query under one policy, NaN where it is left out."""
        column, which = self.columns[measure]
        values: Floats = self.settled[measure][mean] + column[which[order, shape]]
        return values

    def every_mean(self, measure: Measure) -> Floats:
        """The means, or sums of counts, under every policy, shape (orders, shapes, means)."""
        column, which = self.columns[measure]
        zero = self.settled[measure]
        counted = ~np.isnan(zero)
        total: Floats = column[which] @ counted.T.astype(np.float64) + np.where(counted, zero, 0.0).sum(axis=1)
        if measure.entry.aggregate == "sum":
            return total
        n = counted.sum(axis=1) + self.strangers
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
        stands = standing(ranked.spaces, ranked.trace, list(asked), own, np.ones(len(ranked.space), dtype=bool))
        at_zero = settled(np.zeros(stands.defined.shape), stands, own)
        for measure, column in zip(asked, at_zero.T, strict=True):
            zero[measure].append(column)
    outside = len(ranked.notes.unjudged_queries)
    strangers = [outside if settings.get("strangers") == "zero" else 0 for settings in groups(axes, "mean")]
    return Scored(
        ranked.trace.queries,
        _columns(engine, found, list(asked)),
        {measure: np.array(rows) for measure, rows in zero.items()},
        np.array(strangers, dtype=np.int64),
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
