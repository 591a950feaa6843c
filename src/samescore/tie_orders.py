"""Orders: the best and the worst order of tied documents, and the queries for which the order changes a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .backends.batches import scores
from .backends.reference import Reference
from .measures import Measure
from .policy import Policy
from .preparation import Prepared
from .ranking import cut_and_condense
from .rankspace import Floats, RankSpace, Trace
from .reference.graded import gain

TINY = 1e-12
"""Values nearer than this are equal: sums in another order."""


def best(space: RankSpace, trace: Trace, worth: NDArray[Any] | None = None) -> RankSpace:
    """Each tie group with its judged documents first, the highest grade (or worth) foremost. The rows must be the trace's."""
    order = np.lexsort((-(space.grade if worth is None else worth), trace.first, space.query))
    return _placed(space, order, trace.first[order] + _within_group(space, trace, order)[0])


def worst(space: RankSpace, trace: Trace, worth: NDArray[Any] | None = None) -> RankSpace:
    """Each tie group with its judged documents last, the highest grade (or worth) at the end. The rows must be the trace's."""
    order = np.lexsort((space.grade if worth is None else worth, trace.first, space.query))
    index, size = _within_group(space, trace, order)
    return _placed(space, order, trace.last[order] - (size - 1 - index))


def _within_group(space: RankSpace, trace: Trace, order: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of rows in order: the index of each in its tie group, and how many judged documents the group has."""
    query, first = space.query[order], trace.first[order]
    heads = np.flatnonzero(np.append(True, (query[1:] != query[:-1]) | (first[1:] != first[:-1]))) if len(order) else np.arange(0)
    sizes = np.diff(np.append(heads, len(order)))
    return np.arange(len(order)) - np.repeat(heads, sizes), np.repeat(sizes, sizes)


def _placed(space: RankSpace, order: NDArray[np.intp], place: NDArray[np.int64]) -> RankSpace:
    """Rows in order at new places."""
    return RankSpace(space.depth, space.start, place, space.grade[order])


@dataclass(frozen=True, slots=True)
class Ties:
    """The tied queries of a call."""

    space: RankSpace
    trace: Trace
    measures: Sequence[Measure]
    to_compute: NDArray[np.bool_]
    policy: Policy

    def extremes(self) -> tuple[Floats, Floats]:
        """The values of the worst and the best order, shape (queries, measures); 0 where a measure is undefined."""
        low, high = np.zeros(self.to_compute.shape), np.zeros(self.to_compute.shape)
        alike: dict[object, list[int]] = {}
        for i, measure in enumerate(self.measures):
            alike.setdefault(measure.get("gains"), []).append(i)
        for columns in alike.values():
            some, to_compute = [self.measures[i] for i in columns], self.to_compute[:, columns]
            worth = _worth(self.space, some[0])
            for values, arranged in ((low, worst), (high, best)):
                space = cut_and_condense(arranged(self.space, self.trace, worth), self.policy)
                values[:, columns] = np.nan_to_num(scores(Reference(), {"grades": space, "pool": space}, some, to_compute))
        return low, high


def _worth(space: RankSpace, measure: Measure) -> Floats | None:
    """What each document is worth to a measure that has gains of its own, which need not rise with the grade."""
    return np.array([gain(grade, measure) for grade in space.grade.tolist()]) if measure.get("gains") else None


def judged_ties(prepared: Prepared) -> Ties | None:
    """The queries whose judged documents are tied, with what their order can change; None where there are none.

    Measures that read subtopics, and those of one's own, are left out.
    """
    trace, uncut, to_compute = prepared.ranked.trace, prepared.ranked.uncut, prepared.status.to_compute
    if not prepared.ranked.notes.tied or uncut.repeat is not None:
        return None
    columns = [i for i, m in enumerate(prepared.resolved) if m.entry.reads != "subtopics" and m.function is None]
    tied = uncut.per_query(trace.first < trace.last) > 0
    if not columns or not tied.any():
        return None
    rows = np.repeat(tied, uncut.counts)
    queries = [trace.queries[i] for i in np.flatnonzero(tied).tolist()]
    of_tied = Trace(queries, trace.answered[tied], (), trace.first[rows], trace.last[rows])
    measures = [prepared.resolved[i] for i in columns]
    return Ties(uncut.take(tied), of_tied, measures, to_compute[np.ix_(tied, columns)], prepared.policy)


def changing(ties: Ties | None) -> tuple[str, ...]:
    """The ids of the queries for which the order of tied documents changes a measure."""
    if ties is None:
        return ()
    low, high = ties.extremes()
    some = (np.abs(high - low) > TINY).any(axis=1)
    return tuple(ties.trace.queries[i] for i in np.flatnonzero(some).tolist())
