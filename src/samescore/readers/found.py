"""Run and Qrels: what was read, as found, with order, duplicates, conflicts and scores kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Grade = int | float


@dataclass(frozen=True, slots=True)
class Found:
    """One ranking as found: document ids in the order given, and their scores, or None where the order is the ranking.

    ``docs`` is a dict {document: score} where no document can be there twice, and a list otherwise.
    """

    docs: dict[str, Any] | list[str]
    scores: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A run as found, from :func:`samescore.read_run`. ``len()`` is the number of queries, ``rows`` the number of rows read.

    ``tag`` is the last column of the last row of a TREC file, where there is one.
    ``unmapped`` counts the retrieved ids, by query, that had no document when chunks were mapped to documents, ``misranked``
    the neighbouring rows of a file whose ranks say the contrary of their scores.
    """

    rankings: Mapping[str, Found] = field(repr=False)
    rows: int
    name: str = "run"
    tag: str = ""
    unmapped: Mapping[str, int] = field(default_factory=dict, repr=False)
    misranked: Mapping[str, int] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.rankings)

    @property
    def queries(self) -> list[str]:
        """The query ids, in the order found."""
        return list(self.rankings)


@dataclass(frozen=True, slots=True)
class Qrels:
    """Judgements as found, from :func:`samescore.read_qrels`. ``len()`` is the number of queries, ``rows`` the rows read.

    ``grades`` holds the first grade of each document; ``further`` the rows that judge a document of a query again, as
    (document, grade) in the order found, whether they agree or not. ``subtopics`` holds all rows, as (document, subtopic,
    grade), of the queries that are judged under two or more iterations: a TREC qrels file's second column, which in some
    collections names subtopics (and in others the round of judging).
    """

    grades: Mapping[str, Mapping[str, Grade]] = field(repr=False)
    rows: int
    further: Mapping[str, list[tuple[str, Grade]]] = field(default_factory=dict, repr=False)
    name: str = "qrels"
    subtopics: Mapping[str, list[tuple[str, str, Grade]]] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.grades)

    @property
    def queries(self) -> list[str]:
        """The ids of the judged queries, in the order found."""
        return list(self.grades)
