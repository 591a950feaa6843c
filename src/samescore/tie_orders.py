"""Orders: the best and the worst order of tied documents, and the queries for which the order changes a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from .backends.batches import scores
from .backends.reference import Reference
from .measures import Measure
from .policy import Policy
from .preparation import Prepared
from .ranking import cut_and_condense
from .rankspace import Floats, Ints, RankSpace, Trace
from .reference.graded import gain

TINY = 1e-12
"""Values nearer than this are equal: sums in another order."""


@dataclass(frozen=True, slots=True)
class Ties:
    """The queries with tied documents in rank space; ``rows`` are their positions among all judged queries."""

    rows: Ints
    space: RankSpace
    trace: Trace
    measures: Sequence[Measure]
    to_compute: NDArray[np.bool_]
    policy: Policy

    def extremes(self) -> tuple[Floats, Floats]:
        """The values of the worst and the best order, shape (queries, measures); 0 where a measure is undefined."""
        low, high = np.zeros(self.to_compute.shape), np.zeros(self.to_compute.shape)
        columns_by_gains: dict[object, list[int]] = {}
        for i, measure in enumerate(self.measures):
            columns_by_gains.setdefault(measure.get("gains"), []).append(i)
        for columns in columns_by_gains.values():
            measures, to_compute = [self.measures[i] for i in columns], self.to_compute[:, columns]
            for values, best in ((low, False), (high, True)):
                space = cut_and_condense(self._reordered(measures[0], best=best), self.policy)
                values[:, columns] = np.nan_to_num(scores(Reference(), {"grades": space, "pool": space}, measures, to_compute))
        return low, high

    def _reordered(self, measure: Measure, *, best: bool) -> RankSpace:
        """Each tie group with its judged documents first, what is worth most to a measure foremost; or all the other way round.

        Gains that a measure lists need not rise with the grade.
        """
        space, trace = self.space, self.trace
        worth = np.array([gain(grade, measure) for grade in space.grade.tolist()]) if measure.get("gains") else space.grade
        order = np.lexsort((-worth if best else worth, trace.first, space.query))
        first, last = trace.first[order], trace.last[order]
        heads = np.flatnonzero((np.diff(space.query[order], prepend=-1) != 0) | (np.diff(first, prepend=-1) != 0))
        sizes = np.diff(np.append(heads, len(order)))
        index: Ints = np.arange(len(order), dtype=np.int64) - np.repeat(heads, sizes)
        place = first + index if best else last - np.repeat(sizes, sizes) + 1 + index
        return RankSpace(space.depth, space.start, place, space.grade[order])


def judged_ties(prepared: Prepared) -> Ties | None:
    """The queries whose judged documents are tied, with what their order can change; None where there are none.

    Measures that read subtopics, and user-defined ones, are left out.
    """
    trace, before_cut, to_compute = prepared.ranked.trace, prepared.ranked.before_cut, prepared.status.to_compute
    if not prepared.ranked.notes.tied or before_cut.repeat is not None:
        return None
    columns = [i for i, m in enumerate(prepared.resolved) if m.entry.reads != "subtopics" and m.function is None]
    tied = before_cut.per_query(trace.first < trace.last) > 0
    rows = np.flatnonzero(tied)
    if not columns or not len(rows):
        return None
    judged = np.repeat(tied, before_cut.counts)
    queries = [trace.queries[i] for i in rows.tolist()]
    of_tied = Trace(queries, trace.answered[tied], (), trace.first[judged], trace.last[judged])
    measures = [prepared.resolved[i] for i in columns]
    return Ties(rows, before_cut.take(tied), of_tied, measures, to_compute[np.ix_(rows, columns)], prepared.policy)


def changing(ties: Ties | None) -> tuple[str, ...]:
    """The ids of the queries for which the order of tied documents changes a measure."""
    if ties is None:
        return ()
    low, high = ties.extremes()
    changed = (np.abs(high - low) > TINY).any(axis=1)
    return tuple(compress(ties.trace.queries, changed.tolist()))
