"""Rank space: the places and grades of the judged documents, once ids, scores, ties and duplicates are resolved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress, pairwise, starmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

Floats = NDArray[np.float64]


class SubtopicJudgement(NamedTuple):
    """One document judged for one subtopic: its place, the number of the subtopic, the grade, the position of the document
    among the judged ones of the query in the order of ids, and whether it is retrieved here a second time (double credit)."""

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
        last_rank = self.depth if cutoff is None else min(cutoff, self.depth)
        rows = self.judged if not self.repeats else sorted((*self.judged, *self.repeats))
        return [(place, grade) for place, grade in rows if place <= last_rank]

    def grades(self) -> list[float]:
        """All grades, the highest first."""
        return sorted((grade for _, grade in self.judged), reverse=True)


@dataclass(frozen=True)
class RankSpace:
    """Many queries in rank space, as columns in CSR form.

    Shapes: ``depth`` (queries,), ``start`` (queries + 1,), ``place`` and ``grade`` (rows,), one row for each judged
    document, in order of place within a query. ``depth`` is the length of each ranking, not the depth at which a policy cuts,
    which bounds it. ``grade`` is int64 where all grades are whole and float64 otherwise.
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
        columns = self._columns.values()
        if any(len(column) != len(self.place) for column in columns):
            raise ValueError("the columns of the rows differ in length")
        for column in (self.depth, self.start, *columns):
            column.setflags(write=False)  # a backend is shown these, and the report and other backends read them after it

    def __len__(self) -> int:
        return len(self.depth)

    def __iter__(self) -> Iterator[Ranking]:
        return map(self.ranking, range(len(self)))

    def ranking(self, i: int) -> Ranking:
        """The i-th query as a row view."""
        rows = slice(self.start[i], self.start[i + 1])
        columns = {name: column[rows].tolist() for name, column in self._columns.items()}
        judged = tuple(zip(columns["place"], columns["grade"], strict=True))
        repeat = columns.setdefault("repeat", [False] * len(judged))
        aspects: tuple[SubtopicJudgement, ...] = ()
        if self.subtopic is not None:
            aspects = tuple(starmap(SubtopicJudgement, zip(*(columns[field] for field in SubtopicJudgement._fields), strict=True)))
        once = tuple(row for row, is_repeat in zip(judged, repeat, strict=True) if not is_repeat)
        return Ranking(int(self.depth[i]), once, tuple(compress(judged, repeat)), aspects)

    def reached_depth(self, queries: NDArray[np.bool_]) -> int:
        """The rank down to which at least half of the rankings of some queries reach, without those that are empty; 0 of none."""
        depths = np.sort(self.depth[queries & (self.depth > 0)])
        return int(depths[len(depths) // 2]) if len(depths) else 0

    def rows_of(self, i: int) -> bytes:
        """The rows of the i-th query as bytes, the same for whole grades in either type."""
        rows = slice(self.start[i], self.start[i + 1])
        columns = {name: column[rows] for name, column in self._columns.items()}
        columns["grade"] = columns["grade"].astype(np.float64)
        return b"".join(column.tobytes() for column in columns.values())

    @cached_property
    def _columns(self) -> dict[str, NDArray[Any]]:
        """The columns of the rows that there are, by name."""
        columns = ("place", "grade", "repeat", "subtopic", "order")
        return {name: column for name in columns if (column := getattr(self, name)) is not None}

    @cached_property
    def is_repeat(self) -> NDArray[np.bool_]:
        """``repeat``, or False for each row where there is none, shape (rows,)."""
        return np.zeros(len(self.place), dtype=bool) if self.repeat is None else self.repeat

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
            self._relevant_by_level[level] = self.per_query(rows & ~self.is_repeat)
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
        columns = ("counts", "depth", "place", "grade", "is_repeat")
        counts, depth, place, grade, repeat = (np.concatenate([getattr(s, column) for s in spaces]) for column in columns)
        return cls(depth, _starts(counts), place, grade, repeat if repeat.any() else None)

    def take(self, queries: NDArray[np.bool_]) -> RankSpace:
        """The queries that a mask selects."""
        if np.count_nonzero(queries) == len(queries):
            return self
        rows = np.repeat(queries, self.counts)
        return self._picked(rows, self.depth[queries], _starts(self.counts[queries]), self.place[rows])

    def keep(self, rows: NDArray[np.bool_]) -> RankSpace:
        """The rows that a mask selects; the places stay as they are, but for the missed, which close ranks."""
        fewer = self._picked(rows, self.depth, _starts(self.per_query(rows)), self.place[rows])
        return fewer._arranged(fewer.place, fewer.place <= fewer.depth[fewer.query], fewer.depth)

    def trimmed(self) -> RankSpace:
        """Each ranking cut after its last judged document, which changes no measure but those that read depth."""
        query = self.query
        hits, depth = self.place <= self.depth[query], (self.depth > 0).astype(np.int64)
        np.maximum.at(depth, query[hits], self.place[hits])
        place = np.where(hits, self.place, self.place - (self.depth - depth)[query])
        return replace(self, depth=depth, place=place)

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
        columns = self._columns.values()
        number_of: dict[tuple[object, ...], int] = {}
        numbers = [
            number_of.setdefault((depth, *(column[a:b].tobytes() for column in columns)), len(number_of))
            for depth, (a, b) in zip(self.depth.tolist(), pairwise(self.start.tolist()), strict=True)
        ]
        index = np.array(numbers, dtype=np.int64)
        first = np.zeros(len(self), dtype=bool)
        first[np.unique(index, return_index=True)[1]] = True
        return self.take(first), index

    def count_up(self, rows: NDArray[np.bool_]) -> Ints:
        """How many rows of a mask each query has down to each row, shape (rows,)."""
        total = _starts(rows)
        return total[1:] - total[self.start[:-1]][self.query]

    def _arranged(self, place: Ints, hits: NDArray[np.bool_], depth: Ints) -> RankSpace:
        """The rows with hits at the given places and the others missed: the highest grade first, or in order of place where
        a document has several rows."""
        query = self.query
        behind = -self.grade if self.subtopic is None else self.place
        order = np.lexsort((behind, np.where(hits, place, np.iinfo(np.int64).max), query))
        reordered = self._picked(order, depth, self.start, place[order])
        hits = hits[order]
        missed = ~hits & ~reordered.is_repeat
        behind_end = reordered.count_up(missed & _changes(query, self.place[order]))
        placed = np.where(hits, reordered.place, depth[query] + behind_end)
        stays = hits | missed
        if stays.all():
            return replace(reordered, place=placed)
        return reordered._picked(stays, depth, _starts(reordered.per_query(stays)), placed[stays])

    def _picked(self, rows: NDArray[np.bool_] | Ints, depth: Ints, start: Ints, place: Ints) -> RankSpace:
        """Some rows, by mask or index, framed anew."""
        columns = {name: column[rows] for name, column in self._columns.items() if name != "place"}
        return RankSpace(depth, start, place, **columns)


def _starts(counts: NDArray[Any]) -> Ints:
    """Where the rows of each query begin, and the end of the last, shape (queries + 1,)."""
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))


def _changes(query: Ints, place: Ints) -> NDArray[np.bool_]:
    """Whether a row is of another document than the row before, shape (rows,)."""
    changes = np.ones(len(place), dtype=bool)
    changes[1:] = (place[1:] != place[:-1]) | (query[1:] != query[:-1])
    return changes


@dataclass(frozen=True, slots=True)
class Trace:
    """What belongs to a rank space and no backend sees: ids, and the tie group of each hit.

    Shapes: ``queries`` (queries,), ``answered`` (queries,) tells whether the run has the query; ``docs``, ``first`` and
    ``last`` (rows,) are the id of each judged document and the first and last rank of its tie group (both are its
    place where it is tied with none or missed). The rows are those of the rank space before a depth or condensation.
    """

    queries: Sequence[str]
    answered: NDArray[np.bool_]
    docs: Sequence[str]
    first: Ints
    last: Ints
