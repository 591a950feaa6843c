"""The reference as a backend: every measure of the catalogue, by its definition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import reference
from ..measures import Measure
from ..rankspace import Floats, RankSpace
from .base import Gap, Grades

TABLE = dict.fromkeys(reference.DEFINITIONS)


class Reference:
    """The definitions in plain Python."""

    label = "reference"

    def gap(self, measure: Measure, grades: Grades) -> Gap | None:
        """It has no gap."""
        return None

    def score(self, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
        """Each definition on each ranking; NaN where it is undefined."""
        values = [[reference.value(ranking, measure) for measure in measures] for ranking in rankings]
        return np.array(values, dtype=np.float64).reshape(len(rankings), len(measures))
