"""Spans: the ranks between which tied documents stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..rankspace import Ranking, RankSpace, Trace


@dataclass(frozen=True, slots=True)
class Span:
    """A tie group: its ``size`` documents stand on the ranks from ``first``, those that are judged have ``grades``."""

    first: int
    size: int
    grades: tuple[float, ...]

    def ranks(self, deepest: int) -> range:
        """Its ranks, down to the deepest one that counts."""
        return range(self.first, min(self.first + self.size - 1, deepest) + 1)


@dataclass(frozen=True, slots=True)
class Tied:
    """One query: its ranking in some order, for what does not depend on the order, and its tie groups with judged documents."""

    ranking: Ranking
    spans: tuple[Span, ...]

    def groups(self, gain: Callable[[float], float]) -> Iterator[tuple[Span, list[float]]]:
        """Each tie group with the gains of its judged documents."""
        return ((span, [gain(grade) for grade in span.grades]) for span in self.spans)


def tied(space: RankSpace, trace: Trace, i: int, *, condensed: bool, depth: int | None) -> Tied:
    """The i-th query; ``condensed`` drops unjudged documents, so that ties are among the judged alone."""
    a, b = int(space.start[i]), int(space.start[i + 1])
    hits = int(np.count_nonzero(space.place[a:b] <= space.depth[i]))
    grades, first, last = space.grade[a : a + hits].tolist(), trace.first[a : a + hits].tolist(), trace.last[a : a + hits].tolist()
    members: dict[tuple[int, int], list[float]] = {}
    for grade, ends in zip(grades, zip(first, last, strict=True), strict=True):
        members.setdefault(ends, []).append(grade)
    ranking = space.ranking(i)
    if condensed:
        shorter = Ranking(hits, tuple((place, grade) for place, (_, grade) in enumerate(ranking.judged, 1)))
        return Tied(shorter, tuple(_close_up(list(members.values()))))
    spans = tuple(Span(low, high - low + 1, tuple(some)) for (low, high), some in members.items())
    return Tied(Ranking(min(ranking.depth, depth or ranking.depth), ranking.judged), spans)


def _close_up(groups: Sequence[Sequence[float]]) -> Iterator[Span]:
    """Groups of judged documents, one after the other."""
    first = 1
    for grades in groups:
        yield Span(first, len(grades), tuple(grades))
        first += len(grades)
