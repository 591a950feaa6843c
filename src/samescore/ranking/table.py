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
from .judgements import Judgements, Notes
from .order import comparable, ordered

Mask = NDArray[np.bool_]


@dataclass(slots=True)
class Rows:
    """The rows of judged queries in a block, each query's together, as they are sorted and thinned out."""

    code: Ints
    doc: Any
    score: Floats
    self_hit: Mask
    """Where the document's id is the query's."""
    rank: Floats | None = None
    """The ranks that were given beside the scores."""

    @property
    def same_query(self) -> Mask:
        """Whether each row but the first has the query of the row before."""
        same: Mask = self.code[1:] == self.code[:-1]
        return same

    @property
    def heads(self) -> Ints:
        """Where each query begins."""
        return np.flatnonzero(np.append(True, ~self.same_query)[: len(self.code)])

    @property
    def tied(self) -> Mask:
        """Whether each row but the first is tied with the row before."""
        same: Mask = (self.score[1:] == self.score[:-1]) & self.same_query
        return same

    def take(self, rows: Ints | Mask) -> Rows:
        """Some of the rows, or all in another order."""
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        rank = None if self.rank is None else self.rank[rows]
        return Rows(self.code[rows], self.doc.gather(rows), self.score[rows], self.self_hit[rows], rank)


def by_rank(rows: Rows, policy: Policy) -> Rows:
    """Each query's rows by score, the highest first, with ties as the policy orders them."""
    rows = Rows(rows.code, rows.doc, comparable(rows.score, policy), rows.self_hit)
    rises = (rows.score[1:] > rows.score[:-1]) & rows.same_query
    if rises.any():
        rows = rows.take(_by_score(rows, np.unique(rows.code[1:][rises])))
    if policy.ties in ("input", "error"):
        return rows
    tied = rows.tied
    if not tied.any():
        return rows
    index = np.flatnonzero(np.append(tied, False) | np.append(False, tied))
    group = np.cumsum(~np.append(False, tied))[index]
    frame = polars().DataFrame({"group": group, "doc": rows.doc.gather(index), "index": index})
    order = np.arange(len(rows.code))
    order[index] = frame.sort("group", "doc", descending=[False, policy.ties == "doc_id"])["index"].to_numpy()
    return Rows(rows.code, rows.doc.gather(order), rows.score, rows.self_hit[order])


def _by_score(rows: Rows, codes: Ints) -> Ints:
    """The order of rows that sorts some queries by score, equal scores as they stand."""
    order = np.arange(len(rows.code))
    heads = rows.heads
    ends = np.append(heads[1:], len(order))
    unsorted = np.isin(rows.code[heads], codes)
    for begin, end in zip(heads[unsorted].tolist(), ends[unsorted].tolist(), strict=True):
        order[begin:end] = begin + np.argsort(-rows.score[begin:end], kind="stable")
    return order


def tied_with_another(rows: Rows) -> Mask:
    """The rows whose tie group holds two documents or more."""
    tied = rows.tied
    other = (rows.doc != rows.doc.shift(1)).fill_null(True).to_numpy()[1:]
    group = np.cumsum(np.append(True, ~tied)[: len(rows.code)])
    return np.isin(group, group[1:][tied & other])


def repeats(rows: Rows) -> dict[int, int]:
    """How many rows of each query repeat a document, where any does."""
    pl = polars()
    frame = pl.DataFrame({"code": rows.code, "doc": rows.doc})
    counts = frame.group_by("code").agg((pl.len() - pl.col("doc").n_unique()).alias("more")).filter(pl.col("more") > 0)
    return dict(zip(counts["code"].to_list(), counts["more"].to_list(), strict=True))


def once(rows: Rows, repeated: dict[int, int]) -> Mask:
    """The rows that stay where each document has its best place alone."""
    pl = polars()
    keep = np.ones(len(rows.code), dtype=bool)
    index = np.flatnonzero(np.isin(rows.code, list(repeated)))
    pair = pl.DataFrame({"code": rows.code[index], "doc": rows.doc.gather(index)}).to_struct("pair")
    keep[index] = pair.is_first_distinct().to_numpy()
    return keep


def last_given(rows: Rows) -> Rows:
    """The last row of each document, in the order in which the first ones were given."""
    pl = polars()
    frame = pl.DataFrame({"code": rows.code, "doc": rows.doc}).with_row_index("index")
    last = frame.group_by("code", "doc", maintain_order=True).agg(pl.col("index").last())["index"]
    return rows if len(last) == len(frame) else rows.take(last.to_numpy().astype(np.int64))


class QueryComesBack(Exception):
    """A query stands in two blocks, so the blocks are not of whole queries."""


def rank_by_table(blocks: Iterable[Table], judgements: Judgements, policy: Policy, notes: Notes) -> tuple[RankSpace, Trace]:
    """Rank space and trace of all judged queries, in the order of the judgements.

    Raises QueryComesBack, with the notes as they were, where a judged query stands in two blocks.
    """
    judged = _Judged.of(judgements)
    gathered = _Gathered(judged)
    for block in blocks:
        gathered.add(_coded(block, judged, gathered.unjudged), policy)
    gathered.note(notes)
    return gathered.finished()


@dataclass(frozen=True, slots=True)
class _Judged:
    """The judgements as columns: by query, then the highest grade first, then by document."""

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
        grades = list(chain.from_iterable(judged.values() for judged in judgements.values()))
        whole_grades = float not in set(map(type, grades))
        frame = pl.DataFrame(
            {
                "code": np.repeat(np.arange(len(queries)), [len(judged) for judged in judgements.values()]),
                "grade": np.array(grades, dtype=np.int64 if whole_grades else np.float64),
                "doc": pl.Series(list(chain.from_iterable(judgements.values())), dtype=pl.String),
            }
        ).sort("code", "grade", "doc", descending=[False, True, False])
        codes = pl.DataFrame({"query": pl.Series(queries, dtype=pl.String), "code": np.arange(len(queries))})
        rows = frame.select("code", "doc").with_row_index("row")
        return cls(queries, codes, rows, frame["code"].to_numpy(), frame["grade"].to_numpy(), frame["doc"].to_list())


def _coded(block: Table, judged: _Judged, unjudged: dict[str, None]) -> Rows:
    """The rows of judged queries, each query's together in the order found; other queries are noted."""
    pl = polars()
    queries, lengths = block.stretches()
    codes = pl.DataFrame({"query": queries}).join(judged.codes, on="query", how="left", maintain_order="left")["code"]
    unjudged.update(dict.fromkeys(queries.filter(codes.is_null()).to_list()))
    heads = codes.fill_null(-1).to_numpy()
    code = np.repeat(heads, lengths)
    rows = Rows(code, block.doc, block.number, (block.doc == block.query).to_numpy(), block.rank)
    if codes.null_count():
        rows, heads = rows.take(code >= 0), heads[heads >= 0]
    if len(np.unique(heads)) < len(heads):
        rows = rows.take(np.argsort(rows.code, kind="stable"))
    return rows


@dataclass(slots=True)
class _Gathered:
    """What is known of each judged query, and the hits so far."""

    judged: _Judged
    depth: Ints = field(init=False)
    answered: Mask = field(init=False)
    hits: list[tuple[Ints, ...]] = field(default_factory=list)
    unjudged: dict[str, None] = field(default_factory=dict)
    duplicates: dict[int, int] = field(default_factory=dict)
    tied: dict[int, int] = field(default_factory=dict)
    self_hits: dict[int, int] = field(default_factory=dict)
    misranked: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.depth = np.zeros(len(self.judged.queries), dtype=np.int64)
        self.answered = np.zeros(len(self.judged.queries), dtype=bool)

    def add(self, block: Rows, policy: Policy) -> None:
        """One more block: sort it, drop what the policy drops, and look for the judged pairs."""
        if not len(block.code):
            return
        codes = block.code[block.heads]
        if self.answered[codes].any():
            raise QueryComesBack
        self.answered[codes] = True
        if block.rank is not None:
            self.misranked.update(_counts(block.code[1:][misranked(block.rank, block.score) & block.same_query]))
        given = last_given(block) if policy.duplicates == "last" else block
        rows = by_rank(given, policy)
        suspects = np.unique(rows.code[tied_with_another(rows)]).tolist() if policy.ties == "error" else []
        if block.self_hit.any():
            self_hits = _counts(block.code[block.self_hit])
            self.self_hits.update(self_hits if policy.self_hits == "drop" else dict.fromkeys(self_hits, 1))
            rows = rows.take(~rows.self_hit) if policy.self_hits == "drop" else rows
        repeated = repeats(block.take(~block.self_hit) if policy.self_hits == "drop" else block)
        if policy.duplicates == "error":
            suspects = [*suspects, *repeated]
        if suspects:
            _refuse(block, min(suspects), self.judged.queries, policy)
        self.duplicates.update(repeated)
        if repeated and policy.duplicates == "first":
            rows = rows.take(once(rows, repeated))
        self.depth += np.bincount(rows.code, minlength=len(self.depth))
        tied = rows.tied
        if tied.any():
            self.tied.update(_counts(rows.code[tied_with_another(rows)]))
        if repeated and policy.duplicates == "each":  # where the tie group of a place says nothing of a document
            tied = tied & ~np.isin(rows.code[1:], list(repeated))
        self.hits.append(_hits(rows, tied, self.judged))

    def note(self, notes: Notes) -> None:
        """Write down what was found, in the order of the judgements."""
        queries = self.judged.queries
        notes.unjudged_queries = list(self.unjudged)
        notes.duplicates = {queries[code]: self.duplicates[code] for code in sorted(self.duplicates)}
        notes.tied = {queries[code]: self.tied[code] for code in sorted(self.tied)}
        notes.misranked = {queries[code]: self.misranked[code] for code in sorted(self.misranked)}
        notes.self_hits = {queries[code]: self.self_hits[code] for code in sorted(self.self_hits)}
        any_judged = np.bincount(self.judged.code, minlength=len(queries)) > 0
        hit = np.zeros(len(queries), dtype=bool)
        for row, *_ in self.hits:
            hit[self.judged.code[row]] = True
        notes.no_hit = [queries[code] for code in np.flatnonzero(any_judged & (self.depth > 0) & ~hit).tolist()]

    def finished(self) -> tuple[RankSpace, Trace]:
        """One row for each judged document, the hits at their ranks, the missed after them, and the repeats."""
        judged, n = self.judged, len(self.judged.docs)
        columns = [np.concatenate(column) for column in zip(*self.hits, strict=True)] if self.hits else [_NONE] * 5
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


_NONE = np.zeros(0, dtype=np.int64)


def _counts(codes: Ints) -> dict[int, int]:
    """How many rows each query has."""
    distinct, counts = np.unique(codes, return_counts=True)
    return dict(zip(distinct.tolist(), counts.tolist(), strict=True))


def _refuse(block: Rows, code: int, queries: Sequence[str], policy: Policy) -> None:
    """Order one query by the lookup road, which raises PolicyError in its words."""
    rows = block.take(block.code == code)
    ordered(RankingRows(rows.doc.to_list(), rows.score), queries[code], policy)


def _hits(rows: Rows, tied: Mask, judged: _Judged) -> tuple[Ints, ...]:
    """Judged row, rank, first and last rank of the tie group, and whether the document stood above already."""
    pl = polars()
    frame = pl.DataFrame({"code": rows.code, "doc": rows.doc}).with_row_index("index")
    likely = frame.join(judged.rows.select("doc"), on="doc", how="semi")
    pairs = likely.join(judged.rows, on=["code", "doc"], how="inner").sort("index")
    row, index = pairs["row"].to_numpy().astype(np.int64), pairs["index"].to_numpy().astype(np.int64)
    heads = rows.heads
    above = heads[np.searchsorted(heads, index, "right") - 1] - 1
    tops = np.flatnonzero(np.append(True, ~tied))
    group = np.searchsorted(tops, index, "right") - 1
    first, last = tops[group], np.append(tops[1:], len(rows.code))[group] - 1
    repeat = ~pairs["row"].is_first_distinct().to_numpy()
    first, last = np.where(repeat, index, first), np.where(repeat, index, last)
    return row, index - above, first - above, last - above, repeat.astype(np.int64)
