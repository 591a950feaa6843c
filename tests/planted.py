"""Backends with planted faults, for tests of what finds them: the reference but for some values."""

from __future__ import annotations

import numpy as np

from samescore.backends.reference import Reference


class Planted(Reference):
    """The reference, but for the values of the queries that a function selects."""

    def __init__(self, label="planted 1", *, wrong=lambda ranking: ranking.depth == 3, value=0.123, names=("RR",)):
        self.label, self.wrong, self.value, self.names = label, wrong, value, names

    def score(self, rankings, measures):
        values = super().score(rankings, measures)
        for i, ranking in enumerate(rankings):
            for j, measure in enumerate(measures):
                if measure.name in self.names and self.wrong(ranking):
                    values[i, j] = self.value
        return values


class Nothing(Planted):
    """None where the fault is, in a list."""

    def score(self, rankings, measures):
        values = super().score(rankings, measures)
        return [[None if value == self.value else value for value in row] for row in values.tolist()]


class Slight(Reference):
    """The reference, and a little more."""

    label = "slight 1"

    def __init__(self, more=2e-9, resolution=0.0):
        self.more, self.resolution = more, resolution

    def score(self, rankings, measures):
        return super().score(rankings, measures) + self.more


WRONG = Planted()
NOT_FINITE = {"NaN": Planted(value=np.nan), "infinity": Planted(value=np.inf), "None": Nothing()}
