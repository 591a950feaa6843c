"""Rank space: what is left of a run and its qrels when ids, scores, ties and duplicates have been dealt with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

Floats = NDArray[np.float64]


class SubtopicJudgement(NamedTuple):
    """One document judged for one subtopic: where it stands, the subtopic's number, the grade, the document's place in the
    order of ids among the judged ones, and whether it stands here again (double credit)."""

    place: int
    subtopic: int
    grade: float
    order: int
    repeat: bool = False


@dataclass(frozen=True, slots=True)
class Ranking:
    """One query in rank space: the view that the definitions are written for.

    ``judged`` holds (place, grade) of each judged document in order of place. Places 1 to ``depth`` are ranks; a place
    beyond ``depth`` is a judged document that was not retrieved. ``repeats`` holds the places that a document takes
    again when a policy gives double credit: they count as hits, and not towards what there is to find. ``aspects``, where
    subtopics were judged, holds a row for each document and subtopic.
    """

    depth: int
    judged: tuple[tuple[int, float], ...]
    repeats: tuple[tuple[int, float], ...] = ()
    aspects: tuple[SubtopicJudgement, ...] = ()

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
    ``repeat`` (rows,), where there is one, marks the rows that a document takes again (double credit). ``subtopic`` and
    ``order`` (rows,), where subtopics were judged, are the number of the subtopic and the document's place in the order of
    ids among the judged ones of its query; then there is a row for each document and subtopic, and the rows of a document
    share a place.
    """

    depth: Ints
    start: Ints
    place: Ints
    grade: NDArray[np.int64] | NDArray[np.float64]
    repeat: NDArray[np.bool_] | None = None
    subtopic: Ints | None = None
    order: Ints | None = None

    def __post_init__(self) -> None:
        if len(self.start) != len(self.depth) + 1 or self.start[0] != 0 or self.start[-1] != len(self.place):
            raise ValueError("start does not frame the rows")
        self.depth.setflags(write=False)  # a backend is shown these, and the report and other backends read them after it
        self.start.setflags(write=False)
        for column in (self.place, self.grade, self.repeat, self.subtopic, self.order):
            if column is not None:
                if len(column) != len(self.place):
                    raise ValueError("the columns of the rows differ in length")
                column.setflags(write=False)

    def __len__(self) -> int:
        return len(self.depth)

    def __iter__(self) -> Iterator[Ranking]:
        return map(self.ranking, range(len(self)))

    def ranking(self, i: int) -> Ranking:
        """The i-th query as a row view."""
        a, b = int(self.start[i]), int(self.start[i + 1])
        rows = list(zip(self.place[a:b].tolist(), self.grade[a:b].tolist(), strict=True))
        repeat = [False] * len(rows) if self.repeat is None else self.repeat[a:b].tolist()
        once = tuple(row for row, twice in zip(rows, repeat, strict=True) if not twice)
        repeats = tuple(row for row, twice in zip(rows, repeat, strict=True) if twice)
        return Ranking(int(self.depth[i]), once, repeats, self._aspects(a, b))

    def _aspects(self, a: int, b: int) -> tuple[SubtopicJudgement, ...]:
        """Some rows with their subtopics."""
        if self.subtopic is None or self.order is None:
            return ()
        repeat = np.zeros(b - a, dtype=bool) if self.repeat is None else self.repeat[a:b]
        columns = (self.place[a:b], self.subtopic[a:b], self.grade[a:b], self.order[a:b], repeat)
        return tuple(map(SubtopicJudgement._make, zip(*(column.tolist() for column in columns), strict=True)))

    def rows_of(self, i: int) -> bytes:
        """The rows of the i-th query as bytes, the same for whole grades in either type."""
        a, b = int(self.start[i]), int(self.start[i + 1])
        further = [column[a:b].tobytes() for column in (self.repeat, self.subtopic, self.order) if column is not None]
        return b"".join([self.place[a:b].tobytes(), self.grade[a:b].astype(np.float64).tobytes(), *further])

    @cached_property
    def counts(self) -> Ints:
        """The number of rows of each query, shape (queries,)."""
        return self.start[1:] - self.start[:-1]

    @cached_property
    def query(self) -> Ints:
        """The query of each row, shape (rows,)."""
        return np.arange(len(self)).repeat(self.counts)

    def per_query(self, rows: NDArray[np.bool_]) -> Ints:
        """How many rows of a mask each query has, shape (queries,)."""
        return np.bincount(self.query[rows], minlength=len(self))

    def relevant(self, level: float | None = None) -> Ints:
        """How many documents of each query have a grade of at least ``level`` (None: above 0), shape (queries,)."""
        if level == 1 and self.grade.dtype.kind == "i":
            level = None  # the same for whole grades, and counted once
        if level not in self._relevant_by_level:
            rows = self.grade > 0 if level is None else self.grade >= level
            self._relevant_by_level[level] = self.per_query(rows if self.repeat is None else rows & ~self.repeat)
        return self._relevant_by_level[level]

    @cached_property
    def _relevant_by_level(self) -> dict[float | None, Ints]:
        """What was counted."""
        return {}

    @classmethod
    def joined(cls, spaces: Sequence[RankSpace]) -> RankSpace:
        """The queries of some rank spaces without subtopics, of at least one, one after the other."""
        if len(spaces) == 1:
            return spaces[0]
        start = np.concatenate(([0], np.cumsum(np.concatenate([space.counts for space in spaces]))))
        depth, place, grade = (np.concatenate([getattr(s, column) for s in spaces]) for column in ("depth", "place", "grade"))
        if all(space.repeat is None for space in spaces):
            return cls(depth, start, place, grade)
        repeat = [np.zeros(len(s.place), dtype=bool) if s.repeat is None else s.repeat for s in spaces]
        return cls(depth, start, place, grade, np.concatenate(repeat))

    def take(self, queries: NDArray[np.bool_]) -> RankSpace:
        """The queries that a mask selects."""
        if np.count_nonzero(queries) == len(queries):
            return self
        rows = np.repeat(queries, self.counts)
        start = np.concatenate(([0], np.cumsum(self.counts[queries])))
        return self._picked(rows, self.depth[queries], start, self.place[rows])

    def keep(self, rows: NDArray[np.bool_]) -> RankSpace:
        """The rows that a mask selects; the places stay as they are, but for the missed, which close ranks."""
        start = np.concatenate(([0], np.cumsum(self.per_query(rows))))
        fewer = self._picked(rows, self.depth, start, self.place[rows])
        return fewer._arranged(fewer.place, fewer.place <= fewer.depth[fewer.query], fewer.depth)

    def trimmed(self) -> RankSpace:
        """Each ranking cut after its last judged document, which changes no measure but those that read depth."""
        query = self.query
        hits, last = self.place <= self.depth[query], np.ones(len(self), dtype=np.int64)
        np.maximum.at(last, query[hits], self.place[hits])
        depth = np.minimum(last, self.depth)
        place = np.where(hits, self.place, self.place - (self.depth - depth)[query])
        return RankSpace(depth, self.start, place, self.grade, self.repeat, self.subtopic, self.order)

    def cut(self, n: int, *, padded: bool = False) -> RankSpace:
        """Each ranking cut to its first n documents; judged documents below are missed.

        A ``padded`` one has n documents exactly: unjudged ones follow where fewer were retrieved.
        """
        hits = self.place <= np.minimum(self.depth, n)[self.query]
        return self._arranged(self.place, hits, np.full_like(self.depth, n) if padded else np.minimum(self.depth, n))

    def condensed(self) -> RankSpace:
        """Each ranking without its unjudged documents."""
        query = self.query
        hits = self.place <= self.depth[query]
        first = hits & _changes(query, self.place)
        return self._arranged(self.count_up(first), hits, self.per_query(first))

    def distinct(self) -> tuple[RankSpace, Ints]:
        """The rankings that differ, and which of them each query has, shape (queries,)."""
        columns = [c for c in (self.place, self.grade, self.repeat, self.subtopic, self.order) if c is not None]
        seen: dict[tuple[object, ...], int] = {}
        which = [
            seen.setdefault((depth, *(column[a:b].tobytes() for column in columns)), len(seen))
            for depth, (a, b) in zip(self.depth.tolist(), pairwise(self.start.tolist()), strict=True)
        ]
        index = np.array(which, dtype=np.int64)
        first = np.zeros(len(self), dtype=bool)
        first[np.unique(index, return_index=True)[1]] = True
        return self.take(first), index

    def count_up(self, rows: NDArray[np.bool_]) -> Ints:
        """How many rows of a mask stand in each query down to each row, shape (rows,)."""
        total = np.concatenate(([0], np.cumsum(rows, dtype=np.int64)))
        return total[1:] - total[self.start[:-1]][self.query]

    def _arranged(self, place: Ints, hits: NDArray[np.bool_], depth: Ints) -> RankSpace:
        """The rows with hits at the given places and the others missed: the highest grade first, or in order of place where
        a document has several rows."""
        query = self.query
        behind = -self.grade if self.subtopic is None else self.place
        order = np.lexsort((behind, np.where(hits, place, np.iinfo(np.int64).max), query))
        sent = self._picked(order, depth, self.start, place[order])
        hits = hits[order]
        missed = ~hits if sent.repeat is None else ~hits & ~sent.repeat
        behind_end = sent.count_up(missed & _changes(query, self.place[order]))
        placed = np.where(hits, sent.place, depth[query] + behind_end)
        stays = hits | missed
        if stays.all():
            return replace(sent, place=placed)
        start = np.concatenate(([0], np.cumsum(sent.per_query(stays))))
        return sent._picked(stays, depth, start, placed[stays])

    def _picked(self, rows: NDArray[np.bool_] | Ints, depth: Ints, start: Ints, place: Ints) -> RankSpace:
        """Some rows, by mask or index, framed anew."""
        repeat = None if self.repeat is None else self.repeat[rows]
        subtopic = None if self.subtopic is None else self.subtopic[rows]
        order = None if self.order is None else self.order[rows]
        return RankSpace(depth, start, place, self.grade[rows], repeat, subtopic, order)


def _changes(query: Ints, place: Ints) -> NDArray[np.bool_]:
    """Whether a row is of another document than the row before, shape (rows,)."""
    changes = np.ones(len(place), dtype=bool)
    changes[1:] = (place[1:] != place[:-1]) | (query[1:] != query[:-1])
    return changes


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
