"""The table road: blocks of whole queries are sorted and joined with the judged pairs, as columns throughout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..policy import Policy
from ..rankspace import Ints, RankSpace, Trace
from ..readers import RankingRows
from ..readers.data import Floats, Table, misranked, polars
from .judgements import Judgements, Notes, as_column
from .order import DESCENDING_IDS, comparable, order_ranking, rounded

Mask = NDArray[np.bool_]

Counts = dict[int, int]
"""Code of a query -> number of rows."""


class QueryComesBack(Exception):
    """A query is in two blocks, so the blocks are not of whole queries."""


@dataclass(slots=True)
class Rows:
    """The rows of judged queries in a block, those of a query together, as they are sorted and thinned out.

    ``code`` is the number of the query, ``self_hit`` tells where the document's id is the query's, ``rank`` holds the ranks that
    were given beside the scores.
    """

    code: Ints
    doc: Any
    score: Floats
    self_hit: Mask
    rank: Floats | None = None

    @property
    def same_query(self) -> Mask:
        """Whether each row but the first has the query of the row before."""
        same: Mask = self.code[1:] == self.code[:-1]
        return same

    @property
    def starts(self) -> Ints:
        """Where each query begins."""
        return np.flatnonzero(np.append(True, ~self.same_query)[: len(self.code)])

    @property
    def tied(self) -> Mask:
        """Whether each row but the first is tied with the row before."""
        same: Mask = (self.score[1:] == self.score[:-1]) & self.same_query
        return same

    @property
    def tied_with_another(self) -> Mask:
        """The rows whose tie group holds two documents or more."""
        tied = self.tied
        if not tied.any():
            return np.zeros(len(self.code), dtype=bool)
        differs = (self.doc != self.doc.shift(1)).fill_null(True).to_numpy()[1:]
        group = np.cumsum(np.append(True, ~tied))
        return np.isin(group, group[1:][tied & differs])

    def take(self, rows: Ints | Mask) -> Rows:
        """Some of the rows, or all in another order."""
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        rank = None if self.rank is None else self.rank[rows]
        return Rows(self.code[rows], self.doc.gather(rows), self.score[rows], self.self_hit[rows], rank)

    def pairs(self) -> Any:
        """Query, document and index of each row, as a polars DataFrame."""
        return polars().DataFrame({"code": self.code, "doc": self.doc}).with_row_index("index")

    def repeats(self) -> Counts:
        """How many rows of each query repeat a document, where any does."""
        pl = polars()
        repeated = self.pairs().group_by("code").agg((pl.len() - pl.col("doc").n_unique()).alias("n")).filter(pl.col("n") > 0)
        return dict(repeated.select("code", "n").iter_rows())

    def first_places(self, repeats: Counts) -> Mask:
        """The rows in which a document has its first place."""
        first = np.ones(len(self.code), dtype=bool)
        suspects = np.isin(self.code, list(repeats))
        first[suspects] = self.pairs().filter(suspects).select("code", "doc").to_struct().is_first_distinct().to_numpy()
        return first

    def last_given(self) -> Rows:
        """The last row of each document, in the order in which the first ones were given."""
        last = self.pairs().group_by("code", "doc", maintain_order=True).agg(polars().col("index").last())["index"]
        return self if len(last) == len(self.code) else self.take(last.to_numpy().astype(np.int64))


def by_rank(rows: Rows, policy: Policy) -> Rows:
    """Each query's rows by score, the highest first, with ties as the policy orders them."""
    rows = Rows(rows.code, rows.doc, comparable(rows.score, policy), rows.self_hit)
    rises = (rows.score[1:] > rows.score[:-1]) & rows.same_query
    if rises.any():
        rows = rows.take(_by_score(rows, np.unique(rows.code[1:][rises])))
    tied = rows.tied
    descending = DESCENDING_IDS[policy.ties]
    if descending is None or not tied.any():
        return rows
    in_ties = np.flatnonzero(np.append(tied, False) | np.append(False, tied))
    group = np.cumsum(~np.append(False, tied))[in_ties]
    frame = polars().DataFrame({"group": group, "doc": rows.doc.gather(in_ties), "index": in_ties})
    order = np.arange(len(rows.code))
    order[in_ties] = frame.sort("group", "doc", descending=[False, descending])["index"].to_numpy()
    return Rows(rows.code, rows.doc.gather(order), rows.score, rows.self_hit[order])


def _by_score(rows: Rows, codes: Ints) -> Ints:
    """The order of rows that sorts some queries by score, equal scores as they were given."""
    order, starts = np.arange(len(rows.code)), rows.starts
    for begin, end in np.column_stack((starts, np.append(starts[1:], len(order))))[np.isin(rows.code[starts], codes)].tolist():
        order[begin:end] = begin + np.argsort(-rows.score[begin:end], kind="stable")
    return order


def rank_by_table(blocks: Iterable[Table], judgements: Judgements, policy: Policy, notes: Notes) -> tuple[RankSpace, Trace]:
    """Rank space and trace of all judged queries, in the order of the judgements.

    Raises QueryComesBack, with the notes as they were, where a judged query is in two blocks.
    """
    judged = _Judged.of(judgements)
    ranking = _Ranking(judged)
    for block in blocks:
        ranking.add(_judged_rows(block, judged, ranking.unjudged), policy)
    ranking.note(notes)
    return ranking.as_arrays()


@dataclass(frozen=True, slots=True)
class _Judged:
    """The judgements as columns: by query, then the highest grade first, then by document.

    ``codes`` is a DataFrame of the queries with their numbers, ``rows`` one of the judged pairs with theirs.
    """

    queries: list[str]
    codes: Any
    rows: Any
    code: Ints
    grade: NDArray[np.int64] | NDArray[np.float64]
    docs: list[str]

    @classmethod
    def of(cls, judgements: Judgements) -> _Judged:
        """The columns of some judgements."""
        pl = polars()
        queries = list(judgements)
        frame = pl.DataFrame(
            {
                "code": np.repeat(np.arange(len(queries)), [len(judged) for judged in judgements.values()]),
                "grade": as_column(chain.from_iterable(judged.values() for judged in judgements.values())),
                "doc": pl.Series(list(chain.from_iterable(judgements.values())), dtype=pl.String),
            }
        ).sort("code", "grade", "doc", descending=[False, True, False])
        codes = pl.DataFrame({"query": pl.Series(queries, dtype=pl.String), "code": np.arange(len(queries))})
        rows = frame.select("code", "doc").with_row_index("row")
        return cls(queries, codes, rows, frame["code"].to_numpy(), frame["grade"].to_numpy(), frame["doc"].to_list())


def _judged_rows(block: Table, judged: _Judged, unjudged: dict[str, None]) -> Rows:
    """The rows of judged queries, those of a query together in the order given; other queries are noted."""
    queries, lengths = block.stretches()
    codes = polars().DataFrame({"query": queries}).join(judged.codes, on="query", how="left", maintain_order="left")["code"]
    unjudged.update(dict.fromkeys(queries.filter(codes.is_null()).to_list()))
    stretches = codes.fill_null(-1).to_numpy()
    rows = Rows(stretches.repeat(lengths), block.doc, block.number, (block.doc == block.query).to_numpy(), block.rank)
    if codes.null_count():
        rows, stretches = rows.take(rows.code >= 0), stretches[stretches >= 0]
    return rows if len(np.unique(stretches)) == len(stretches) else rows.take(np.argsort(rows.code, kind="stable"))


@dataclass(slots=True)
class _Ranking:
    """What is known of each judged query, and the hits of the blocks so far."""

    judged: _Judged
    depth: Ints = field(init=False)
    answered: Mask = field(init=False)
    hits: list[tuple[Ints, ...]] = field(default_factory=list)
    unjudged: dict[str, None] = field(default_factory=dict)
    duplicates: Counts = field(default_factory=dict)
    tied: Counts = field(default_factory=dict)
    rounded: Counts = field(default_factory=dict)
    self_hits: Counts = field(default_factory=dict)
    misranked: Counts = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.depth = np.zeros(len(self.judged.queries), dtype=np.int64)
        self.answered = np.zeros(len(self.judged.queries), dtype=bool)

    def add(self, given: Rows, policy: Policy) -> None:
        """One more block: sort it, drop what the policy drops, and look for the judged pairs."""
        if not len(given.code):
            return
        codes = given.code[given.starts]
        if self.answered[codes].any():
            raise QueryComesBack
        self.answered[codes] = True
        if given.rank is not None:
            self.misranked |= _counted(given.code[1:][misranked(given.rank, given.score) & given.same_query])
        rows = by_rank(given.last_given() if policy.duplicates == "last" else given, policy)
        refused = _counted(rows.code[rows.tied_with_another]) if policy.ties == "error" else {}
        self_hits = _counted(given.code[given.self_hit])
        without_self_hits = given
        if self_hits and policy.self_hits == "drop":
            rows, without_self_hits = rows.take(~rows.self_hit), given.take(~given.self_hit)
        # Dropped rows are counted each; where none is dropped, the document counts once.
        self.self_hits |= self_hits if policy.self_hits == "drop" else dict.fromkeys(self_hits, 1)
        repeats = without_self_hits.repeats()
        if policy.duplicates == "error":
            refused |= repeats
        if refused:
            _refuse(given, min(refused), self.judged.queries, policy)
        self.duplicates |= repeats
        if repeats and policy.duplicates == "first":
            rows = rows.take(rows.first_places(repeats))
        self.depth += np.bincount(rows.code, minlength=len(self.depth))
        with_another = rows.tied_with_another
        self.tied |= _counted(rows.code[with_another])
        self.rounded |= _counted(rows.code[with_another & rounded(rows.score)])
        tied = rows.tied
        if repeats and policy.duplicates in ("each", "hold"):  # where the tie group of a place says nothing of a document
            tied = tied & ~np.isin(rows.code[1:], list(repeats))
        hits = _hits(rows, tied, self.judged)
        self.hits.append(tuple(column[hits[4] == 0] for column in hits) if policy.duplicates == "hold" else hits)

    def note(self, notes: Notes) -> None:
        """Write the notes, in the order of the judgements."""
        queries = self.judged.queries
        counts = (self.duplicates, self.tied, self.rounded, self.misranked, self.self_hits)
        by_query = ({queries[code]: n for code, n in sorted(of_codes.items())} for of_codes in counts)
        notes.duplicates, notes.tied, notes.rounded, notes.misranked, notes.self_hits = by_query
        notes.unjudged_queries = list(self.unjudged)
        without_hit = self.depth > 0
        without_hit &= np.bincount(self.judged.code, minlength=len(queries)) > 0
        for row, *_ in self.hits:
            without_hit[self.judged.code[row]] = False
        notes.no_hit = [queries[code] for code in np.flatnonzero(without_hit).tolist()]

    def as_arrays(self) -> tuple[RankSpace, Trace]:
        """One row for each judged document, the hits at their ranks, the missed after them, and the repeats."""
        judged, n = self.judged, len(self.judged.docs)
        nothing = np.zeros(0, dtype=np.int64)
        columns = [np.concatenate(column) for column in zip(*self.hits, strict=True)] if self.hits else [nothing] * 5
        repeat = columns[4].astype(bool)
        hit, rank, first, last = (column[~repeat] for column in columns[:4])
        place = self._places(hit, rank)
        tops, bottoms = place.copy(), place.copy()
        tops[hit], bottoms[hit] = first, last
        row, repeated = np.concatenate((np.arange(n), columns[0][repeat])), columns[1][repeat]
        place, tops, bottoms = (np.concatenate((column, repeated)) for column in (place, tops, bottoms))
        order = np.lexsort((place, judged.code[row]))
        row = row[order]
        start = np.searchsorted(judged.code[row], np.arange(len(self.depth) + 1))
        space = RankSpace(self.depth, start, place[order], judged.grade[row], order >= n if repeat.any() else None)
        docs = [judged.docs[i] for i in row.tolist()]
        return space, Trace(judged.queries, self.answered, docs, tops[order], bottoms[order])

    def _places(self, hit: Ints, rank: Ints) -> Ints:
        """The place of each judged document: its rank, or after the ranking where it was missed."""
        code, n = self.judged.code, len(self.judged.docs)
        place = np.zeros(n, dtype=np.int64)
        place[hit] = rank
        missed = place == 0
        before = np.concatenate(([0], np.cumsum(missed)))
        begin = np.searchsorted(code, np.arange(len(self.depth)))
        place[missed] = (self.depth[code] + 1 + before[:-1] - before[begin][code])[missed]
        return place


def _counted(codes: Ints) -> Counts:
    """The number of rows of each query."""
    distinct, counts = np.unique(codes, return_counts=True)
    return dict(zip(distinct.tolist(), counts.tolist(), strict=True))


def _refuse(given: Rows, code: int, queries: Sequence[str], policy: Policy) -> None:
    """Order one query by the lookup road, which raises PolicyError in its words."""
    rows = given.take(given.code == code)
    order_ranking(RankingRows(rows.doc.to_list(), rows.score), queries[code], policy)


def _hits(rows: Rows, tied: Mask, judged: _Judged) -> tuple[Ints, ...]:
    """Judged row, rank, first and last rank of the tie group, and whether the document has a better place already."""
    likely = rows.pairs().join(judged.rows.select("doc"), on="doc", how="semi")
    pairs = likely.join(judged.rows, on=["code", "doc"], how="inner").sort("index")
    row, index = pairs["row"].to_numpy().astype(np.int64), pairs["index"].to_numpy().astype(np.int64)
    starts = rows.starts
    above = starts[np.searchsorted(starts, index, "right") - 1] - 1
    tops = np.flatnonzero(np.append(True, ~tied))
    group = np.searchsorted(tops, index, "right") - 1
    first, last = tops[group], np.append(tops[1:], len(rows.code))[group] - 1
    repeat = ~pairs["row"].is_first_distinct().to_numpy()
    first, last = np.where(repeat, index, first), np.where(repeat, index, last)
    return row, index - above, first - above, last - above, repeat.astype(np.int64)
