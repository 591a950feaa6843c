"""Pairing: the values of all runs, query by query, for the queries that every run has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..averaging import Mask, mean
from ..errors import InputError, MeasureError
from ..measures import Measure
from ..micro import linearised
from ..rankspace import Floats
from .scores import Scores


@dataclass(frozen=True)
class Paired:
    """One measure of all runs, for the queries that all share.

    Shapes: ``queries`` (queries,), ``values`` and for a micro average ``weights`` (runs, queries). ``left_out`` counts, for
    each run, the queries that it has a value for and some other run has not.
    """

    name: str
    measure: Measure
    queries: list[str]
    values: Floats
    weights: Floats | None
    left_out: Mapping[str, int]

    def mean(self, run: int, where: Mask) -> float:
        """The mean of a run over some queries; NaN over none."""
        if not where.any():
            return np.nan
        return mean(self.values[run, where], None if self.weights is None else self.weights[run, where])[0]

    def spread(self, run: int, where: Mask) -> Floats:
        """One number a query whose mean is the run's: its values, or for a micro average what stands for them."""
        values: Floats = self.values[run, where]
        return values if self.weights is None else linearised(values, self.weights[run, where])


def paired(name: str, measure: Measure, scores: Mapping[str, Scores], *, micro: bool) -> Paired:
    """Pair the runs in one measure, by query id.

    Raises MeasureError for a run that has no such values, InputError where a micro average lacks the denominators.
    """
    for run, own in scores.items():
        _check(name, measure, run, own, micro=micro)
    columns = [own.values[measure] for own in scores.values()]
    shared = [query for query in columns[0] if all(query in column for column in columns[1:])]
    values = np.array([[column[query] for query in shared] for column in columns], dtype=np.float64)
    weights = np.array([[(own.weights or {})[measure][q] for q in shared] for own in scores.values()]) if micro else None
    left_out = {run: len(column) - len(shared) for run, column in zip(scores, columns, strict=True)}
    return Paired(
        name, measure, shared, values.reshape(len(columns), len(shared)), weights, {r: n for r, n in left_out.items() if n}
    )


def _check(name: str, measure: Measure, run: str, own: Scores, *, micro: bool) -> None:
    """Refuse a run without values of the measure."""
    if measure not in own.values:
        has = ", ".join(map(str, own.values))
        raise MeasureError(f"{run} was brought along without {name} ({measure})", hint=f"one of {has}, or bring the run itself")
    if micro and own.weights is None:
        raise InputError(f"{run} was brought along without what a micro average divides by", hint="bring the run itself")
