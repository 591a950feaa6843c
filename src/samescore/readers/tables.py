"""Tables: many rows as columns, kept by polars, which this module alone imports."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingLibraryError
from .found import Found

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FORKED: set[int] = set()


def _note_fork() -> None:
    """In a forked child: remember that the parent had polars, whose threads did not come along."""
    if "polars" in sys.modules:
        _FORKED.add(os.getpid())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


def polars() -> Any:
    """The polars module, imported now and not before.

    Raises MissingLibraryError in a forked child of a process that had imported it: its threads are gone, and it would hang.
    """
    if os.getpid() in _FORKED:
        what = "a large run cannot be read in a forked process: its parent had imported polars, whose threads a fork loses"
        raise MissingLibraryError(what, hint="multiprocessing.get_context('spawn'), or 'forkserver'")
    import polars as pl  # noqa: PLC0415  # loaded where it is needed

    return pl


@dataclass(frozen=True, slots=True)
class Table:
    """Rows in the order found: ``query`` and ``doc`` are polars Series of text, ``number`` is a score or grade, float64.

    ``tag`` is that of the last row of a TREC file, ``iteration`` the Series of texts that qrels may have, ``rank``
    the ranks that a run may have beside its scores, float64.
    """

    query: Any
    doc: Any
    number: Floats
    tag: str = ""
    iteration: Any = None
    rank: Floats | None = None

    def __len__(self) -> int:
        return len(self.number)

    def __getitem__(self, rows: slice) -> Table:
        iteration = None if self.iteration is None else self.iteration[rows]
        rank = None if self.rank is None else self.rank[rows]
        return Table(self.query[rows], self.doc[rows], self.number[rows], self.tag, iteration, rank)

    @classmethod
    def joined(cls, tables: Sequence[Table]) -> Table:
        """Tables one after the other."""
        if len(tables) == 1:
            return tables[0]
        concat = polars().concat
        query, doc = concat([t.query for t in tables]), concat([t.doc for t in tables])
        iteration = None if tables[0].iteration is None else concat([t.iteration for t in tables])
        ranks = [t.rank for t in tables if t.rank is not None]
        rank = np.concatenate(ranks) if len(ranks) == len(tables) else None
        return cls(query, doc, np.concatenate([t.number for t in tables]), tables[-1].tag, iteration, rank)

    def stretches(self) -> tuple[Any, Ints]:
        """The query of each stretch of rows of one query, as a Series, and the length of each stretch."""
        runs = self.query.rle().struct.unnest()
        return runs["value"], runs["len"].to_numpy().astype(np.int64)


class Stored(Mapping[str, Found]):
    """The rankings of a table by query; each is taken out when it is asked for."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._index: dict[str, list[slice]] | None = None

    def _rows(self) -> dict[str, list[slice]]:
        """The stretches of rows in which each query stands, in order of first appearance."""
        if self._index is None:
            index: dict[str, list[slice]] = {}
            queries, lengths = self.table.stretches()
            ends = np.cumsum(lengths)
            for query, begin, end in zip(queries.to_list(), (ends - lengths).tolist(), ends.tolist(), strict=True):
                index.setdefault(query, []).append(slice(begin, end))
            self._index = index
        return self._index

    def __getitem__(self, query: str) -> Found:
        parts = [self.table[rows] for rows in self._rows()[query]]
        return Found([doc for part in parts for doc in part.doc.to_list()], np.concatenate([part.number for part in parts]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows())

    def __len__(self) -> int:
        return len(self._rows())
