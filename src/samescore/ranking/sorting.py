"""Rows of a block as columns: sorted, and thinned out as the policy says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..policy import Policy
from ..rankspace import Ints
from ..readers.tables import Floats, polars
from .order import comparable

Mask = NDArray[np.bool_]


@dataclass(slots=True)
class Rows:
    """The rows of judged queries in a block, each query's together, as they are sorted and thinned out."""

    code: Ints
    doc: Any
    score: Floats
    own: Mask
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
        return Rows(self.code[rows], self.doc.gather(rows), self.score[rows], self.own[rows], rank)


def by_rank(rows: Rows, policy: Policy) -> Rows:
    """Each query's rows by score, the highest first, with ties as the policy orders them."""
    rows = Rows(rows.code, rows.doc, comparable(rows.score, policy), rows.own)
    rises = (rows.score[1:] > rows.score[:-1]) & rows.same_query
    if rises.any():
        rows = rows.take(_by_score(rows, np.unique(rows.code[1:][rises])))
    if policy.ties in ("input", "error"):
        return rows
    tied = rows.tied
    if not tied.any():
        return rows
    at = np.flatnonzero(np.append(tied, False) | np.append(False, tied))
    group = np.cumsum(~np.append(False, tied))[at]
    frame = polars().DataFrame({"group": group, "doc": rows.doc.gather(at), "at": at})
    order = np.arange(len(rows.code))
    order[at] = frame.sort("group", "doc", descending=[False, policy.ties == "doc_id"])["at"].to_numpy()
    return Rows(rows.code, rows.doc.gather(order), rows.score, rows.own[order])


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
    at = np.flatnonzero(np.isin(rows.code, list(repeated)))
    pair = pl.DataFrame({"code": rows.code[at], "doc": rows.doc.gather(at)}).to_struct("pair")
    keep[at] = pair.is_first_distinct().to_numpy()
    return keep


def last_given(rows: Rows) -> Rows:
    """The last row of each document, in the order in which the first ones were given."""
    pl = polars()
    frame = pl.DataFrame({"code": rows.code, "doc": rows.doc}).with_row_index("at")
    last = frame.group_by("code", "doc", maintain_order=True).agg(pl.col("at").last())["at"]
    return rows if len(last) == len(frame) else rows.take(last.to_numpy().astype(np.int64))
