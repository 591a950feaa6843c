"""Seen: one query as trec_eval's measures see it, with what they share worked out once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..rankspace import Ranking

Rows = tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """One query. ``judged`` holds the documents with a grade of 0 or more; a grade below 0 puts a document in the pool only.

    ``graded`` is the ranking with nothing but the documents of grades above 0 (all that nDCG reads), ``relevant`` with those
    of at least ``level`` (all that a binary measure reads), ``hits`` the ranks of these; ``pooled`` the ranks of documents
    that are in the pool but not judged.
    ``collection`` is the number of documents that there are (trec_eval's -N), 0 where it is not known.
    """

    judged: Ranking
    graded: Ranking
    relevant: Ranking
    hits: list[int]
    pooled: list[int]
    level: int
    collection: int

    @classmethod
    def of(cls, pool: Ranking, *, level: int, collection: int = 0) -> Seen:
        """The query of a ranking whose rows may have grades below 0."""
        depth = pool.depth
        judged: Rows = tuple(row for row in pool.judged if row[1] >= 0)
        graded: Rows = tuple(row for row in judged if row[1] > 0)
        relevant: Rows = tuple(row for row in graded if row[1] >= level)
        hits = [place for place, _ in relevant if place <= depth]
        pooled = [place for place, grade in pool.judged if grade < 0 and place <= depth]
        return cls(Ranking(depth, judged), Ranking(depth, graded), Ranking(depth, relevant), hits, pooled, level, collection)

    @property
    def depth(self) -> int:
        """How many documents were retrieved."""
        return self.judged.depth

    @property
    def total(self) -> int:
        """R, the number of relevant documents, retrieved or not."""
        return len(self.relevant.judged)

    def unjudged(self, cutoff: int | None = None) -> list[int]:
        """The ranks of the documents without a grade of 0 or more, down to a cutoff."""
        deepest = self.depth if cutoff is None else min(cutoff, self.depth)
        judged = {place for place, _ in self.judged.judged if place <= deepest}
        return [rank for rank in range(1, deepest + 1) if rank not in judged]


def added(values: Iterable[float]) -> float:
    """One plain addition after the other, as in C.

    Python 3.12 made ``sum`` compensate for rounding, and one last bit can turn a digit that is printed: 0.14375 is a tie.
    """
    total = 0.0
    for value in values:
        total += value
    return total
