"""Rank space: what is left of a run and its qrels when ids, scores, ties and duplicates have been dealt with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ranking:
    """One query in rank space: the view that the definitions are written for.

    ``judged`` holds (place, grade) of each judged document in order of place. Places 1 to ``depth`` are ranks; a place
    beyond ``depth`` is a judged document that was not retrieved. ``repeats`` holds the places that a document takes
    again when a policy gives double credit: they count as hits, and not towards what there is to find.
    """

    depth: int
    judged: tuple[tuple[int, float], ...]
    repeats: tuple[tuple[int, float], ...] = ()

    def retrieved(self, cutoff: int | None = None) -> list[tuple[int, float]]:
        """(rank, grade) of the judged documents that were retrieved, down to a cutoff, in order of rank."""
        deepest = self.depth if cutoff is None else min(cutoff, self.depth)
        rows = self.judged if not self.repeats else sorted((*self.judged, *self.repeats))
        return [(place, grade) for place, grade in rows if place <= deepest]

    def grades(self) -> list[float]:
        """All grades, the highest first."""
        return sorted((grade for _, grade in self.judged), reverse=True)


@dataclass(frozen=True)
class RankSpace:
    """Many queries in rank space, as columns in CSR form.

    Shapes: ``depth`` (queries,), ``start`` (queries + 1,), ``place`` and ``grade`` (rows,), one row for each judged
    document, in order of place within a query. ``grade`` is int64 where all grades are whole and float64 otherwise.
    ``again`` (rows,), where there is one, marks the rows that a document takes again (double credit).
    """

    depth: Ints
    start: Ints
    place: Ints
    grade: NDArray[np.int64] | NDArray[np.float64]
    again: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        if len(self.start) != len(self.depth) + 1 or self.start[0] != 0 or self.start[-1] != len(self.place):
            raise ValueError("start does not frame the rows")
        if len(self.place) != len(self.grade):
            raise ValueError("place and grade differ in length")
        for column in (self.depth, self.start, self.place, self.grade, self.again):
            if column is not None:
                column.setflags(write=False)  # a backend is shown these, and the report and other backends read them after it

    def __len__(self) -> int:
        return len(self.depth)

    def __iter__(self) -> Iterator[Ranking]:
        return map(self.ranking, range(len(self)))

    def ranking(self, i: int) -> Ranking:
        """The i-th query as a row view."""
        a, b = int(self.start[i]), int(self.start[i + 1])
        rows = list(zip(self.place[a:b].tolist(), self.grade[a:b].tolist(), strict=True))
        if self.again is None:
            return Ranking(int(self.depth[i]), tuple(rows))
        again = self.again[a:b].tolist()
        once = tuple(row for row, twice in zip(rows, again, strict=True) if not twice)
        return Ranking(int(self.depth[i]), once, tuple(row for row, twice in zip(rows, again, strict=True) if twice))

    @cached_property
    def counts(self) -> Ints:
        """The number of rows of each query, shape (queries,)."""
        return np.diff(self.start)

    @cached_property
    def query(self) -> Ints:
        """The query of each row, shape (rows,)."""
        return np.repeat(np.arange(len(self)), self.counts)

    def per_query(self, rows: NDArray[np.bool_] | Ints) -> Ints:
        """Sums of a column of rows over each query, shape (queries,)."""
        total = np.concatenate(([0], np.cumsum(rows, dtype=np.int64)))
        return total[self.start[1:]] - total[self.start[:-1]]

    def relevant(self, level: float | None = None) -> Ints:
        """How many documents of each query have a grade of at least ``level`` (None: above 0), shape (queries,)."""
        rows = self.grade > 0 if level is None else self.grade >= level
        return self.per_query(rows if self.again is None else rows & ~self.again)

    def take(self, queries: NDArray[np.bool_]) -> RankSpace:
        """The queries that a mask selects."""
        if queries.all():
            return self
        rows = np.repeat(queries, self.counts)
        start = np.concatenate(([0], np.cumsum(self.counts[queries])))
        again = None if self.again is None else self.again[rows]
        return RankSpace(self.depth[queries], start, self.place[rows], self.grade[rows], again)

    def keep(self, rows: NDArray[np.bool_]) -> RankSpace:
        """The rows that a mask selects; the places stay as they are, but for the missed, which close ranks."""
        start = np.concatenate(([0], np.cumsum(self.per_query(rows))))
        again = None if self.again is None else self.again[rows]
        fewer = RankSpace(self.depth, start, self.place[rows], self.grade[rows], again)
        hits = fewer.place <= fewer.depth[fewer.query]
        return fewer._arranged(fewer.place, hits, fewer.depth)

    def last_hit(self) -> Ints:
        """The rank of the last judged document that was retrieved, or 0, shape (queries,)."""
        deepest = np.zeros(len(self), dtype=np.int64)
        query = self.query
        hits = self.place <= self.depth[query]
        np.maximum.at(deepest, query[hits], self.place[hits])
        return deepest

    def trimmed(self) -> RankSpace:
        """Each ranking cut after its last judged document, which changes no measure but those that read depth."""
        depth = np.minimum(np.maximum(self.last_hit(), 1), self.depth)
        query = self.query
        missed = self.place > self.depth[query]
        return replace(self, depth=depth, place=np.where(missed, self.place - (self.depth - depth)[query], self.place))

    def cut(self, n: int) -> RankSpace:
        """Each ranking cut to its first n documents; judged documents below are missed."""
        return self._arranged(self.place, self.place <= np.minimum(self.depth, n)[self.query], np.minimum(self.depth, n))

    def condensed(self) -> RankSpace:
        """Each ranking without its unjudged documents."""
        hits = self.place <= self.depth[self.query]
        depth = self.per_query(hits)
        ordinal = np.arange(len(self.place)) - self.start[:-1][self.query] + 1
        return self._arranged(ordinal, hits, depth)

    def distinct(self) -> tuple[RankSpace, Ints]:
        """The rankings that differ, and which of them each query has, shape (queries,)."""
        place, grade, start = self.place, self.grade, self.start.tolist()
        seen: dict[tuple[int, bytes, bytes], int] = {}
        which = [
            seen.setdefault((depth, place[a:b].tobytes(), grade[a:b].tobytes()), len(seen))
            for depth, a, b in zip(self.depth.tolist(), start, start[1:], strict=False)
        ]
        index = np.array(which, dtype=np.int64)
        first = np.zeros(len(self), dtype=bool)
        first[np.unique(index, return_index=True)[1]] = True
        return self.take(first), index

    def _arranged(self, place: Ints, hits: NDArray[np.bool_], depth: Ints) -> RankSpace:
        """The rows with hits at the given places and the others missed, the highest grade first."""
        query = self.query
        again = self.again
        order = np.lexsort((-self.grade, np.where(hits, place, np.iinfo(np.int64).max), query))
        hits = hits[order]
        ordinal = np.arange(len(order)) - self.start[:-1][query]
        missed = depth[query] + 1 + ordinal - self.per_query(hits)[query]
        placed = np.where(hits, place[order], missed)
        if again is None:
            return RankSpace(depth, self.start, placed, self.grade[order])
        stays = hits | ~again[order]
        start = np.concatenate(([0], np.cumsum(self.per_query(stays))))
        return RankSpace(depth, start, placed[stays], self.grade[order][stays], again[order][stays])


@dataclass(frozen=True, slots=True)
class Trace:
    """What stands beside a rank space and no backend sees: ids, and the tie group of each hit.

    Shapes: ``queries`` (queries,), ``answered`` (queries,) tells whether the run has the query; ``docs``, ``first`` and
    ``last`` (rows,) are the id of each judged document and the ranks between which its tie group stands (both are its
    place where it is tied with none or missed). The rows are those of the rank space before a depth or condensation.
    """

    queries: Sequence[str]
    answered: NDArray[np.bool_]
    docs: Sequence[str]
    first: Ints
    last: Ints
