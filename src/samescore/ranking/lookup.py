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
from .judgements import Judgements, Notes, as_column
from .order import comparable, order_ranking, rounded

Row = tuple[int, Grade, str]
"""Place, grade, document."""

Judged = Mapping[str, Grade]
"""The grade of each judged document of one query."""


class Hits(NamedTuple):
    """One query: its depth, its retrieved judged documents in order of rank, and ties and repeats where there are any.

    ``tie_groups`` are the first and last rank of each row's tie group (None: nothing judged is tied), ``repeats`` the rows that
    a document takes a second time.
    """

    depth: int
    rows: list[Row]
    tie_groups: tuple[list[int], list[int]] | None = None
    repeats: Sequence[Row] = ()


class SortedScores(NamedTuple):
    """The scores of a ranking from the lowest to the highest, and how many of them equal another."""

    scores: NDArray[np.float64]
    tied: int


SORTED_TOGETHER = 64
"""Up to this many rankings of one length are sorted in one call, since calls cost numpy more than sorting a few scores does."""


def rank_by_lookup(run: Run, judgements: Judgements, policy: Policy, notes: Notes) -> tuple[RankSpace, Trace]:
    """Rank space and trace of all judged queries, in the order of the judgements."""
    columns, queries = _Columns(), list(judgements)
    for begin in range(0, len(queries), SORTED_TOGETHER):
        block = queries[begin : begin + SORTED_TOGETHER]
        rankings = [run.rankings.get(query) for query in block]
        for query, ranking, ascending in zip(block, rankings, _ascending(rankings, policy), strict=True):
            judged = judgements[query]
            if ranking is None:
                columns.add(Hits(0, []), judged, answered=False)
                continue
            hits = _find_hits(ranking, ascending, judged, query, policy=policy, notes=notes)
            if judged and hits.depth and not hits.rows:
                notes.no_hit.append(query)
            columns.add(hits, judged, answered=True)
    return columns.as_arrays(queries)


def _find_hits(
    ranking: RankingRows, ascending: SortedScores | None, judged: Judged, query: str, *, policy: Policy, notes: Notes
) -> Hits:
    """The hits of one query: in a mapping by counting scores, in a list without scores by index, where these do not do by order."""
    hits = None
    if ranking.score_of is not None and ascending is not None:
        hits = _by_counting(ranking.score_of, ascending, judged, query, policy=policy, notes=notes)
    elif ranking.scores is None:
        hits = _by_index(list(ranking.docs), judged, query, policy, notes)
    return _by_order(ranking, judged, query, policy, notes) if hits is None else hits


def _ascending(rankings: Sequence[RankingRows | None], policy: Policy) -> list[SortedScores | None]:
    """The sorted scores of each ranking that is a dictionary, None for the others."""
    ascending: list[SortedScores | None] = [None] * len(rankings)
    by_length: dict[int, list[tuple[int, NDArray[np.float64]]]] = {}
    for i, ranking in enumerate(rankings):
        if ranking is not None and ranking.scores is not None and ranking.score_of is not None:
            by_length.setdefault(len(ranking.scores), []).append((i, ranking.scores))
    for of_length in by_length.values():
        table = comparable(np.array([scores for _, scores in of_length]), policy)
        table.sort(axis=1)
        for (i, _), scores, tied in zip(of_length, table, _tied(table), strict=True):
            ascending[i] = SortedScores(scores, tied)
    return ascending


def _tied(table: NDArray[np.float64]) -> list[int]:
    """How many of the scores in each sorted row equal a neighbour."""
    same = table[:, 1:] == table[:, :-1]
    if not np.count_nonzero(same):
        return [0] * len(table)
    tied = np.zeros(table.shape, dtype=bool)
    tied[:, 1:] |= same
    tied[:, :-1] |= same
    return tied.sum(axis=1).tolist()  # type: ignore[no-any-return]  # a list of ints


def _note_ties(notes: Notes, query: str, tied: NDArray[np.bool_], scores: Sequence[float] | NDArray[np.float64] | None) -> None:
    """Note how many documents are tied, and how many of them at scores that may have been rounded."""
    if not tied.any():
        return
    notes.tied[query] = int(tied.sum())
    large = int((tied & rounded(np.asarray(scores, dtype=np.float64))).sum())
    if large:
        notes.rounded[query] = large


@dataclass(slots=True)
class _Columns:
    """Rows gathered query by query, to become arrays at the end."""

    depth: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=lambda: [0])
    answered: list[bool] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    tie_groups: list[tuple[int, list[int], list[int]]] = field(default_factory=list)
    repeats: list[int] = field(default_factory=list)

    def add(self, hits: Hits, judged: Judged, *, answered: bool) -> None:
        """One more query, with its missed documents after the ranking, the highest grade first."""
        begin, rows = len(self.rows), hits.rows
        if hits.tie_groups:
            self.tie_groups.append((begin, *hits.tie_groups))
        if hits.repeats:
            rows, repeats = sorted([*rows, *hits.repeats]), set(hits.repeats)
            self.repeats += [i for i, row in enumerate(rows, begin) if row in repeats]
        self.rows += rows
        if len(hits.rows) < len(judged):
            missed = sorted((-judged[doc], doc) for doc in judged.keys() - {doc for _, _, doc in rows})
            self.rows += [(place, judged[doc], doc) for place, (_, doc) in enumerate(missed, hits.depth + 1)]
        self.depth.append(hits.depth)
        self.start.append(len(self.rows))
        self.answered.append(answered)

    def as_arrays(self, queries: list[str]) -> tuple[RankSpace, Trace]:
        """The rank space and the trace of the rows."""
        places, grades, docs = zip(*self.rows, strict=True) if self.rows else ((), (), ())
        place = np.array(places, dtype=np.int64)
        repeat = None
        if self.repeats:
            repeat = np.zeros(len(place), dtype=bool)
            repeat[self.repeats] = True
        first, last = (place.copy(), place.copy()) if self.tie_groups else (place, place)
        for begin, tops, bottoms in self.tie_groups:
            first[begin : begin + len(tops)], last[begin : begin + len(tops)] = tops, bottoms
        depth, start = np.array(self.depth, dtype=np.int64), np.array(self.start, dtype=np.int64)
        space = RankSpace(depth, start, place, as_column(grades), repeat)
        return space, Trace(queries, np.array(self.answered, dtype=bool), docs, first, last)


def _by_counting(
    score_of: Mapping[str, Any], ascending: SortedScores, judged: Judged, query: str, *, policy: Policy, notes: Notes
) -> Hits | None:
    """The hits by counting the scores above that of each judged document; None where the ranking must be ordered.

    That is where judged documents are tied, or a self hit is dropped.
    """
    self_hit, n = query in score_of, len(score_of)
    if (ascending.tied and policy.ties == "error") or (self_hit and policy.self_hits == "drop"):
        return None
    retrieved = [doc for doc in judged if doc in score_of]
    scores = comparable(np.array([score_of[doc] for doc in retrieved], dtype=np.float64), policy)
    below = ascending.scores.searchsorted(scores).tolist()
    if ascending.tied:
        through = ascending.scores.searchsorted(scores, "right").tolist()  # the scores below and equal: one more, if none is tied
        if through != [i + 1 for i in below]:
            return None
        same = ascending.scores[1:] == ascending.scores[:-1]
        _note_ties(notes, query, np.append(same, False) | np.append(False, same), ascending.scores)
    if self_hit:
        notes.self_hits[query] = 1
    return Hits(n, sorted([(n - i, judged[doc], doc) for doc, i in zip(retrieved, below, strict=True)]))


def _by_index(docs: list[str], judged: Judged, query: str, policy: Policy, notes: Notes) -> Hits | None:
    """The hits by their index in a list; None where it repeats a document or a self hit is dropped."""
    distinct = set(docs)
    if len(distinct) < len(docs) or (policy.self_hits == "drop" and query in distinct):
        return None
    if query in distinct:
        notes.self_hits[query] = 1
    retrieved = [doc for doc in judged if doc in distinct]
    if len(retrieved) < 5:
        return Hits(len(docs), sorted([(docs.index(doc) + 1, judged[doc], doc) for doc in retrieved]))
    return Hits(len(docs), [(rank, judged[doc], doc) for rank, doc in enumerate(docs, 1) if doc in judged])


def _by_order(ranking: RankingRows, judged: Judged, query: str, policy: Policy, notes: Notes) -> Hits:
    """The hits by ordering the whole ranking."""
    order = order_ranking(ranking, query, policy)
    docs, first_index = order.docs, order.first_indices()
    dropped = list(ranking.docs).count(query) if policy.self_hits == "drop" else 0
    if dropped or query in first_index:
        notes.self_hits[query] = dropped or 1  # rows that were dropped; where none is, the document counts once
    duplicates = len(ranking.docs) - len(first_index) - dropped
    if duplicates:
        notes.duplicates[query] = duplicates
    first, last, tied = order.tie_groups()
    _note_ties(notes, query, np.array(tied, dtype=bool), order.scores)
    indices = sorted([first_index[doc] for doc in judged if doc in first_index])
    rows = [(i + 1, judged[docs[i]], docs[i]) for i in indices]
    if duplicates and policy.duplicates in ("each", "hold"):
        repeats = [(i + 1, judged[doc], doc) for i, doc in enumerate(docs) if doc in judged and first_index[doc] != i]
        return Hits(len(docs), rows, None, repeats if policy.duplicates == "each" else ())
    return Hits(len(docs), rows, None if order.scores is None else ([first[i] for i in indices], [last[i] for i in indices]))
