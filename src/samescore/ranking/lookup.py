"""The lookup road: judged ids are looked up in each ranking, and their ranks counted from the scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..policy import Policy
from ..rankspace import RankSpace, Trace
from ..readers import Found, Grade, Run
from .judgements import Judgements
from .notes import Notes
from .order import comparable, ordered

Row = tuple[int, Grade, str, int, int, bool]
"""Place, grade, document, first and last rank of its tie group, and whether the document stands here again."""


def rank_by_lookup(run: Run, judgements: Judgements, policy: Policy, notes: Notes) -> tuple[RankSpace, Trace]:
    """Rank space and trace of all judged queries, in the order of the judgements."""
    columns = _Columns()
    for query, judged in judgements.items():
        found = run.rankings.get(query)
        if found is None:
            columns.add(0, _missed(judged, 0, ()), answered=False)
            continue
        depth, hits = _count(found, judged, query, policy, notes) or _walk(found, judged, query, policy, notes)
        if judged and depth and not hits:
            notes.no_hit.append(query)
        columns.add(depth, hits + _missed(judged, depth, [hit[2] for hit in hits]), answered=True)
    return columns.finished(list(judgements))


@dataclass(slots=True)
class _Columns:
    """Rows gathered query by query, to become columns at the end."""

    depth: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=lambda: [0])
    answered: list[bool] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def add(self, depth: int, rows: list[Row], *, answered: bool) -> None:
        """One more query."""
        self.rows += rows
        self.depth.append(depth)
        self.start.append(len(self.rows))
        self.answered.append(answered)

    def finished(self, queries: list[str]) -> tuple[RankSpace, Trace]:
        """The columns as arrays."""
        place, grade, docs, first, last, again = zip(*self.rows, strict=True) if self.rows else ((),) * 6
        whole = float not in set(map(type, grade))
        space = RankSpace(
            np.array(self.depth, dtype=np.int64),
            np.array(self.start, dtype=np.int64),
            np.array(place, dtype=np.int64),
            np.array(grade, dtype=np.int64 if whole else np.float64),
            np.array(again, dtype=bool) if any(again) else None,
        )
        groups = np.array(first, dtype=np.int64), np.array(last, dtype=np.int64)
        return space, Trace(queries, np.array(self.answered, dtype=bool), docs, *groups)


def _missed(judged: Mapping[str, Grade], depth: int, hits: list[str] | tuple[()]) -> list[Row]:
    """The judged documents that were not retrieved, placed after the ranking, the highest grade first."""
    rest = sorted((-judged[doc], doc) for doc in judged.keys() - set(hits))
    return [(place, judged[doc], doc, place, place, False) for place, (_, doc) in enumerate(rest, depth + 1)]


def _count(found: Found, judged: Mapping[str, Grade], query: str, policy: Policy, notes: Notes) -> tuple[int, list[Row]] | None:
    """Depth and hits by counting the scores above each judged document's own; None where the ranking must be ordered.

    That is where it is a list, or may repeat a document, or judged documents are tied, or a self hit is dropped.
    """
    docs, scores = found.docs, found.scores
    if scores is None or not isinstance(docs, dict):
        return None
    up = np.sort(comparable(scores, policy))
    tied = _count_tied(up)
    self_hit = query in docs
    if (tied and policy.ties == "error") or (self_hit and policy.self_hits == "drop"):
        return None
    hits = [doc for doc in judged if doc in docs]
    own = comparable(np.array([float(docs[doc]) for doc in hits]), policy)
    first = (len(up) + 1 - np.searchsorted(up, own, "right")).tolist()
    last = (len(up) - np.searchsorted(up, own, "left")).tolist()
    if first != last:
        return None
    if tied:
        notes.tied[query] = tied
    if self_hit:
        notes.self_hits[query] = 1
    return len(up), sorted((rank, judged[doc], doc, rank, rank, False) for doc, rank in zip(hits, first, strict=True))


def _count_tied(up: NDArray[np.float64]) -> int:
    """How many of the sorted scores equal a neighbour."""
    same = up[1:] == up[:-1]
    if not same.any():
        return 0
    return int(np.count_nonzero(np.append(same, False) | np.insert(same, 0, False)))


def _walk(found: Found, judged: Mapping[str, Grade], query: str, policy: Policy, notes: Notes) -> tuple[int, list[Row]]:
    """Depth and hits by ordering the whole ranking."""
    order = ordered(found, query, policy)
    n = len(order.docs)
    at = dict(zip(reversed(order.docs), range(n - 1, -1, -1), strict=True))
    if query in at or (policy.self_hits == "drop" and query in found.docs):
        notes.self_hits[query] = 1
    twice = len(found.docs) - len(at) - (policy.self_hits == "drop" and list(found.docs).count(query))
    if twice:
        notes.duplicates[query] = twice
    if order.scores is None:
        hits = sorted((at[doc] + 1, doc) for doc in judged if doc in at)
        rows = [(rank, judged[doc], doc, rank, rank, False) for rank, doc in hits]
    else:
        first, last, tied = order.tie_groups()
        if tied:
            notes.tied[query] = tied
        places = sorted(at[doc] for doc in judged if doc in at)
        rows = [(i + 1, judged[order.docs[i]], order.docs[i], first[i], last[i], False) for i in places]
    if policy.duplicates == "each" and len(at) < n:
        rows = sorted(rows + [(i, judged[doc], doc, i, i, True) for i, doc in enumerate(order.docs, 1) if doc in judged and at[doc] + 1 != i])
    return n, rows
