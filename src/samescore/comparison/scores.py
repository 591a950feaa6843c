"""Scores: the per-query values of one run, whoever computed them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from ..measures import Measure
from ..plain import not_stored
from ..result import Result

Columns = Mapping[Measure, Mapping[str, float]]
"""Measure, with its gain and threshold explicit -> query -> number."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Per-query values of one run; for a micro average their denominators too; the Result where samescore computed them."""

    values: Columns
    weights: Columns | None = None
    result: Result | None = None

    def only(self, queries: Collection[str] | None) -> Scores:
        """The scores of some queries; None is all."""
        if queries is None:
            return self
        return replace(self, values={m: {q: v for q, v in column.items() if q in queries} for m, column in self.values.items()})


def key(measure: Measure) -> Measure:
    """What a measure's values are found by: a measure of one's own by its name, since a stored result has no definition."""
    return measure if measure.function is None else replace(measure, function=not_stored)


def of_result(result: Result) -> Scores:
    """The scores of a result."""
    values = {key(measure): result.values_of(name) for name, measure in result.resolved.items()}
    if result.average == "macro":
        return Scores(values, None, result)
    return Scores(values, {key(measure): result.weights_of(name) or {} for name, measure in result.resolved.items()}, result)
