"""The default backend: ir_measures for what its pytrec_eval provider has, and the reference for what that lacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..measures import Measure
from ..rankspace import Floats, RankSpace
from .base import Backend, Gap, Grades


@dataclass(frozen=True, slots=True)
class Auto:
    """Two backends: the second computes what the first has a gap for, and never another, whatever is installed."""

    first: Backend
    second: Backend

    @property
    def label(self) -> str:
        """The label of the first."""
        return self.first.label

    def gap(self, measure: Measure, grades: Grades) -> Gap | None:
        """The gap of the second, where both lack the measure."""
        return self.second.gap(measure, grades) if self.first.gap(measure, grades) else None

    def score(self, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
        """The value of each measure by the backend that has it."""
        grades, values = Grades.of(rankings), np.empty((len(rankings), len(measures)))
        lacking = [self.first.gap(measure, grades) is not None for measure in measures]
        for backend, of_second in ((self.first, False), (self.second, True)):
            columns = [i for i, lacks in enumerate(lacking) if lacks is of_second]
            if columns:
                values[:, columns] = backend.score(rankings, [measures[i] for i in columns])
        return values
