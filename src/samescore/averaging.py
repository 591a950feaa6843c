"""Who is averaged and what is undefined: the policy's clauses on queries, and the means and counts that follow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import PolicyError, examples
from .measures import Measure
from .policy import Policy
from .rankspace import Floats, RankSpace, Trace

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Standing:
    """How each judged query stands, as masks of shape (queries,), and for each measure, (queries, measures).

    ``counted`` queries are averaged; ``missing`` ones are not in the run and ``empty`` ones have nothing relevant.
    ``defined`` tells where a measure has a value; ``wanted`` is where a backend must compute it.
    """

    counted: Mask
    missing: Mask
    empty: Mask
    defined: Mask

    def wanted(self, answered: Mask) -> Mask:
        """Where the value of a measure must be computed."""
        return self.defined & (self.counted & answered)[:, None]


def standing(space: RankSpace, trace: Trace, measures: Sequence[Measure], policy: Policy, chosen: Mask) -> Standing:
    """How the policy treats each query; ``measures`` are resolved, and only ``chosen`` queries are averaged.

    Raises PolicyError where a query is missing and the policy refuses that.
    """
    relevant = space.relevant() > 0
    empty, missing = ~relevant & chosen, ~trace.answered & relevant & chosen
    if policy.missing == "error" and missing.any():
        ids = [trace.queries[i] for i in np.flatnonzero(missing).tolist()]
        raise PolicyError(f"the run lacks {len(ids)} judged queries: {examples(ids)}", hint="Policy(missing='zero') or 'skip'")
    counted = chosen & (relevant | (policy.empty != "skip")) & (trace.answered | (policy.missing == "zero"))
    columns = [_defined(space, measure, relevant) for measure in measures]
    return Standing(counted, missing, empty, np.column_stack(columns) if columns else np.empty((len(space), 0), bool))


def _defined(space: RankSpace, measure: Measure, relevant: Mask) -> Mask:
    """Where a measure is defined, shape (queries,)."""
    needs = measure.entry.needs
    if needs == "nothing":
        return np.ones(len(space), dtype=bool)
    if measure.get("dcg") == "exp-log2" and space.grade.dtype.kind == "f":  # the gain of a tiny fraction is 0 in floats
        return relevant & (space.per_query(np.exp2(space.grade) > 1) > 0)
    level = measure.get("rel")
    if not isinstance(level, int):
        return relevant
    return relevant & (space.relevant(level) > 0)


def settled(values: Floats, stands: Standing, policy: Policy) -> Floats:
    """The values as they are averaged, NaN where a query is left out: 0 for the missing, the policy's where undefined."""
    instead = {"skip": np.nan, "zero": 0.0, "one": 1.0}[policy.empty]
    final = np.where(np.isnan(values), 0.0, values)
    final = np.where(stands.defined, final, instead)
    final[~stands.counted] = np.nan
    return final


def mean(column: Floats) -> tuple[float, int]:
    """The mean over the queries that are averaged, and their number; 0.0 over none. Exact, whatever the order."""
    kept = column[~np.isnan(column)]
    return (math.fsum(kept.tolist()) / len(kept) if len(kept) else 0.0), len(kept)
