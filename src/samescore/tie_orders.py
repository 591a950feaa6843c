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
from .ranking import Ranked, cut_and_condense
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
    wanted: NDArray[np.bool_]
    policy: Policy

    def extremes(self) -> tuple[Floats, Floats]:
        """The values of the worst and the best order, shape (queries, measures); 0 where a measure is undefined."""
        low, high = np.zeros(self.wanted.shape), np.zeros(self.wanted.shape)
        alike: dict[object, list[int]] = {}
        for i, measure in enumerate(self.measures):
            alike.setdefault(measure.get("gains"), []).append(i)
        for columns in alike.values():
            some, wanted = [self.measures[i] for i in columns], self.wanted[:, columns]
            worth = _worth(self.space, some[0])
            for values, arranged in ((low, worst), (high, best)):
                space = cut_and_condense(arranged(self.space, self.trace, worth), self.policy)
                values[:, columns] = np.nan_to_num(scores(Reference(), {"grades": space, "pool": space}, some, wanted))
        return low, high


def _worth(space: RankSpace, measure: Measure) -> Floats | None:
    """What each document is worth to a measure that has gains of its own, which need not rise with the grade."""
    return np.array([gain(grade, measure) for grade in space.grade.tolist()]) if measure.get("gains") else None


def ties(ranked: Ranked, measures: Sequence[Measure], wanted: NDArray[np.bool_], policy: Policy) -> Ties | None:
    """The ties of judged documents, with the queries that have some; None where there are none.

    Measures that read subtopics, and those of one's own, are left out.
    """
    trace, whole = ranked.trace, ranked.whole
    kept = [i for i, measure in enumerate(measures) if measure.entry.reads != "subtopics" and measure.function is None]
    measures, wanted = [measures[i] for i in kept], wanted[:, kept]
    if not kept or not ranked.notes.tied or whole.repeat is not None:
        return None
    tied = whole.per_query(trace.first < trace.last) > 0
    if not tied.any():
        return None
    rows = np.repeat(tied, whole.counts)
    queries = [trace.queries[i] for i in np.flatnonzero(tied).tolist()]
    own = Trace(queries, trace.answered[tied], (), trace.first[rows], trace.last[rows])
    return Ties(whole.take(tied), own, measures, wanted[tied], policy)


def changing(found: Ties | None) -> tuple[str, ...]:
    """The ids of the queries for which the order of tied documents changes a measure."""
    if found is None:
        return ()
    low, high = found.extremes()
    some = (np.abs(high - low) > TINY).any(axis=1)
    return tuple(found.trace.queries[i] for i in np.flatnonzero(some).tolist())
