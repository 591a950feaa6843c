"""The lookup road: judged ids are looked up in each ranking, and their ranks counted from the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..policy import Policy
from ..rankspace import RankSpace, Trace
from ..readers import Grade, RankingRows, Run
from .judgements import Judgements, Notes
from .order import comparable, ordered

Row = tuple[int, Grade, str]
"""Place, grade, document."""


class Placed(NamedTuple):
    """One query: its depth, its retrieved judged documents in order of rank, and what else is known where it is not plain.

    ``groups`` are the first and last rank of each row's tie group (None: nothing judged is tied), ``repeat`` the rows that
    a document takes a second time.
    """

    depth: int
    hits: list[Row]
    groups: tuple[list[int], list[int]] | None = None
    repeat: Sequence[Row] = ()


def rank_by_lookup(run: Run, judgements: Judgements, policy: Policy, notes: Notes) -> tuple[RankSpace, Trace]:
    """Rank space and trace of all judged queries, in the order of the judgements."""
    columns, queries = _Columns(), list(judgements)
    for begin in range(0, len(queries), TOGETHER):
        batch = queries[begin : begin + TOGETHER]
        rankings = [run.rankings.get(query) for query in batch]
        for query, ranking, ascending in zip(batch, rankings, _ascending(rankings, policy), strict=True):
            judged = judgements[query]
            if ranking is None:
                columns.add(Placed(0, []), judged, answered=False)
                continue
            placed = _place(ranking, ascending, judged, query, policy=policy, notes=notes)
            if judged and placed.depth and not placed.hits:
                notes.no_hit.append(query)
            columns.add(placed, judged, answered=True)
    return columns.finished(queries)


def _place(
    ranking: RankingRows, ascending: SortedScores | None, judged: Mapping[str, Grade], query: str, *, policy: Policy, notes: Notes
) -> Placed:
    """One query, the quickest way that its ranking allows."""
    placed = None
    if ascending is not None:
        placed = _place_by_scores(ranking.docs, ascending, judged, query, policy=policy, notes=notes)
    elif ranking.scores is None:
        placed = _place_by_index(ranking, judged, query, policy, notes)
    return placed or _place_by_order(ranking, judged, query, policy, notes)


class SortedScores(NamedTuple):
    """The scores of a ranking from the lowest to the highest, and how many of them equal another."""

    scores: NDArray[np.float64]
    tied: int


TOGETHER = 64
"""So many rankings are sorted in one call where they are alike in length: few scores cost numpy less than the calls."""


def _ascending(rankings: Sequence[RankingRows | None], policy: Policy) -> list[SortedScores | None]:
    """The sorted scores of each ranking that is a dictionary, None for the others."""
    ascending: list[SortedScores | None] = [None] * len(rankings)
    alike: dict[int, list[tuple[int, NDArray[np.float64]]]] = {}
    for i, ranking in enumerate(rankings):
        if ranking is not None and ranking.scores is not None and isinstance(ranking.docs, dict):
            alike.setdefault(len(ranking.scores), []).append((i, ranking.scores))
    for rows in alike.values():
        table = comparable(np.array([scores for _, scores in rows]), policy)
        table.sort(axis=1)
        for (i, _), scores, tied in zip(rows, table, _count_tied(table), strict=True):
            ascending[i] = SortedScores(scores, tied)
    return ascending


def _count_tied(table: NDArray[np.float64]) -> list[int]:
    """How many of the scores in each sorted row equal a neighbour."""
    same = table[:, 1:] == table[:, :-1]
    if not np.count_nonzero(same):
        return [0] * len(table)
    tied = np.zeros(table.shape, dtype=bool)
    tied[:, 1:] |= same
    tied[:, :-1] |= same
    return tied.sum(axis=1).tolist()  # type: ignore[no-any-return]  # a list of ints


@dataclass(slots=True)
class _Columns:
    """Rows gathered query by query, to become columns at the end."""

    depth: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=lambda: [0])
    answered: list[bool] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    groups: list[tuple[int, list[int], list[int]]] = field(default_factory=list)
    repeat: list[int] = field(default_factory=list)

    def add(self, placed: Placed, judged: Mapping[str, Grade], *, answered: bool) -> None:
        """One more query, with its missed documents after the ranking, the highest grade first."""
        begin, hits = len(self.rows), placed.hits
        if placed.groups:
            self.groups.append((begin, *placed.groups))
        if placed.repeat:
            hits, repeat = sorted([*hits, *placed.repeat]), set(placed.repeat)
            self.repeat += [begin + i for i, row in enumerate(hits) if row in repeat]
        self.rows += hits
        if len(placed.hits) < len(judged):
            rest = sorted((-judged[doc], doc) for doc in judged.keys() - {doc for _, _, doc in hits})
            self.rows += [(place, judged[doc], doc) for place, (_, doc) in enumerate(rest, placed.depth + 1)]
        self.depth.append(placed.depth)
        self.start.append(len(self.rows))
        self.answered.append(answered)

    def finished(self, queries: list[str]) -> tuple[RankSpace, Trace]:
        """The columns as arrays."""
        places, grades, docs = zip(*self.rows, strict=True) if self.rows else ((), (), ())
        place = np.array(places, dtype=np.int64)
        whole_grades = float not in set(map(type, grades))
        repeat = None
        if self.repeat:
            repeat = np.zeros(len(place), dtype=bool)
            repeat[self.repeat] = True
        first, last = (place.copy(), place.copy()) if self.groups else (place, place)
        for begin, lows, highs in self.groups:
            first[begin : begin + len(lows)], last[begin : begin + len(highs)] = lows, highs
        depth, start = np.array(self.depth, dtype=np.int64), np.array(self.start, dtype=np.int64)
        grade = np.array(grades, dtype=np.int64) if whole_grades else np.array(grades, dtype=np.float64)
        space = RankSpace(depth, start, place, grade, repeat)
        return space, Trace(queries, np.array(self.answered, dtype=bool), docs, first, last)


def _place_by_scores(
    docs: dict[str, Any] | list[str],
    ascending: SortedScores,
    judged: Mapping[str, Grade],
    query: str,
    *,
    policy: Policy,
    notes: Notes,
) -> Placed | None:
    """The hits by counting the scores above each judged document's own; None where the ranking must be ordered.

    That is where judged documents are tied, or a self hit is dropped.
    """
    if not isinstance(docs, dict):
        return None
    self_hit, n = query in docs, len(docs)
    if (ascending.tied and policy.ties == "error") or (self_hit and policy.self_hits == "drop"):
        return None
    hits = [doc for doc in judged if doc in docs]
    hit_scores = comparable(np.array([docs[doc] for doc in hits], dtype=np.float64), policy)
    lower = ascending.scores.searchsorted(hit_scores).tolist()
    if ascending.tied and lower != [i - 1 for i in ascending.scores.searchsorted(hit_scores, "right").tolist()]:
        return None
    if ascending.tied:
        notes.tied[query] = ascending.tied
    if self_hit:
        notes.self_hits[query] = 1
    return Placed(n, sorted([(n - i, judged[doc], doc) for doc, i in zip(hits, lower, strict=True)]))


def _place_by_index(ranking: RankingRows, judged: Mapping[str, Grade], query: str, policy: Policy, notes: Notes) -> Placed | None:
    """The hits by their index in a list; None where it repeats a document or a self hit is dropped."""
    docs, distinct = list(ranking.docs), set(ranking.docs)
    if len(distinct) < len(docs) or (policy.self_hits == "drop" and query in distinct):
        return None
    if query in distinct:
        notes.self_hits[query] = 1
    hits = [doc for doc in judged if doc in distinct]
    if len(hits) < 5:
        return Placed(len(docs), sorted([(docs.index(doc) + 1, judged[doc], doc) for doc in hits]))
    return Placed(len(docs), [(rank, judged[doc], doc) for rank, doc in enumerate(docs, 1) if doc in judged])


def _place_by_order(ranking: RankingRows, judged: Mapping[str, Grade], query: str, policy: Policy, notes: Notes) -> Placed:
    """The hits by ordering the whole ranking."""
    order = ordered(ranking, query, policy)
    docs, n = order.docs, len(order.docs)
    index_of = dict(zip(reversed(docs), range(n - 1, -1, -1), strict=True))
    self_hits = list(ranking.docs).count(query) if policy.self_hits == "drop" else int(query in index_of)
    if self_hits:
        notes.self_hits[query] = self_hits
    duplicates = len(ranking.docs) - len(index_of) - (self_hits if policy.self_hits == "drop" else 0)
    if duplicates:
        notes.duplicates[query] = duplicates
    indices = sorted([index_of[doc] for doc in judged if doc in index_of])
    hits = [(i + 1, judged[docs[i]], docs[i]) for i in indices]
    first, last, tied = order.tie_groups()
    if tied:
        notes.tied[query] = tied
    if policy.duplicates == "each" and duplicates:
        repeat = [(i, judged[doc], doc) for i, doc in enumerate(docs, 1) if doc in judged and index_of[doc] + 1 != i]
        return Placed(n, hits, None, repeat)
    if order.scores is None:
        return Placed(n, hits)
    return Placed(n, hits, ([first[i] for i in indices], [last[i] for i in indices]))
