"""The order of a ranking under a policy: sort, drop self hits, drop duplicates."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..errors import PolicyError, clause, short
from ..policy import Policy
from ..readers import RankingRows
from ..readers.values import LARGEST_WHOLE

DESCENDING_IDS: Mapping[str, bool | None] = {"doc_id": True, "doc_id_ascending": False, "input": None, "error": None}
"""Value of the clause ``ties`` -> whether tied documents are in descending order of ids, or None: they stay in the order given."""


@dataclass(frozen=True, slots=True)
class OrderedRanking:
    """A ranking in its order: document ids, and their scores (None where the order was given and no two are equal)."""

    docs: list[str]
    scores: list[float] | None = None

    def tie_groups(self) -> tuple[list[int], list[int], list[bool]]:
        """The first and last rank of the tie group of each document, and whether it is tied with another document."""
        scores, n = self.scores, len(self.docs)
        first = list(range(1, n + 1))
        last = first.copy()
        if scores is None:
            return first, last, [False] * n
        with_others = set()
        for i in range(1, n):
            if scores[i] == scores[i - 1]:
                first[i] = first[i - 1]
                if self.docs[i] != self.docs[i - 1]:
                    with_others.add(first[i])
        for i in range(n - 1, 0, -1):
            if first[i] == first[i - 1]:
                last[i - 1] = last[i]
        return first, last, [top in with_others for top in first]

    def first_indices(self) -> dict[str, int]:
        """The index of each document's first place."""
        return dict(zip(reversed(self.docs), range(len(self.docs) - 1, -1, -1), strict=True))

    def take(self, indices: list[int]) -> OrderedRanking:
        """The documents at some indices."""
        scores = self.scores
        return OrderedRanking([self.docs[i] for i in indices], None if scores is None else [scores[i] for i in indices])


def order_ranking(rows: RankingRows, query: str, policy: Policy) -> OrderedRanking:
    """A ranking in order of rank, each document once (or, under ``duplicates="each"`` and ``"hold"``, as often as it is retrieved).

    Under ``duplicates="last"`` a document has the score of its last row, as where a dictionary is overwritten; where tied
    documents keep the order given, its position is that of its first row, as in such a dictionary.
    Raises PolicyError where the policy refuses a tie or a duplicate.
    """
    docs, scores = list(rows.docs), rows.scores
    if policy.duplicates == "last" and rows.score_of is None:
        last_index = dict(zip(docs, range(len(docs)), strict=True))  # in the order of the first rows
        if scores is None:  # the order given is the ranking, so a document stands where its last row does
            docs = [docs[i] for i in sorted(last_index.values())]
        else:  # sorting follows, which leaves tied documents in the order of their first rows
            docs, scores = list(last_index), scores[list(last_index.values())]
    order = OrderedRanking(docs) if scores is None else _sort_by_score(docs, scores, query, policy)
    if policy.self_hits == "drop" and query in rows.docs:
        order = order.take([i for i, doc in enumerate(order.docs) if doc != query])
    if rows.score_of is not None or policy.duplicates in ("each", "hold"):
        return order
    first = order.first_indices()
    if policy.duplicates == "error" and len(first) < len(order.docs):
        repeated = next(doc for i, doc in enumerate(order.docs) if first[doc] != i)
        raise PolicyError("retrieved twice", query=query, document=repeated, hint=clause("duplicates", "first"))
    return order if len(first) == len(order.docs) else order.take(sorted(first.values()))


def rounded(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which scores are as large as those to which whole numbers are rounded: ties of them may be none."""
    large: NDArray[np.bool_] = (np.abs(scores) >= LARGEST_WHOLE) & np.isfinite(scores)
    return large


def comparable(scores: NDArray[np.float64], policy: Policy) -> NDArray[np.float64]:
    """The scores as the policy compares them."""
    if not policy.float32_scores:
        return scores
    with np.errstate(over="ignore", under="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def _sort_by_score(docs: list[str], given: NDArray[np.float64], query: str, policy: Policy) -> OrderedRanking:
    """The documents by score, the highest first, with ties as the policy orders them."""
    array = comparable(given, policy)
    if (array[1:] < array[:-1]).all():
        return OrderedRanking(docs)
    scores: list[float] = array.tolist()
    descending = DESCENDING_IDS[policy.ties]
    if descending:
        pairs = sorted(zip(scores, docs, strict=True), reverse=True)
        return OrderedRanking([doc for _, doc in pairs], [score for score, _ in pairs])
    if descending is False:
        pairs = sorted((-score, doc) for score, doc in zip(scores, docs, strict=True))
        return OrderedRanking([doc for _, doc in pairs], [-score for score, _ in pairs])
    order = OrderedRanking(docs, scores).take(sorted(range(len(docs)), key=scores.__getitem__, reverse=True))
    if policy.ties == "error":
        _refuse_ties(order, query)
    return order


def _refuse_ties(order: OrderedRanking, query: str) -> None:
    """Raise PolicyError if two documents have one score."""
    for (doc, score), (next_doc, next_score) in pairwise(zip(order.docs, order.scores or (), strict=True)):
        if score == next_score and doc != next_doc:
            what = f"the documents {short(doc)} and {short(next_doc)} are tied at {score}"
            raise PolicyError(what, query=query, hint=clause("ties", "doc_id", "input"))


def counted_documents(rows: RankingRows, query: str, judged: Container[str], policy: Policy) -> list[str]:
    """Document ids in order of rank: sorted, without what the policy drops, cut to its depth, condensed if it says so.

    ``judged`` are the documents that are judged for the query. A document's rank is that of its first place; only
    ``duplicates="each"`` and ``"hold"`` leave it more than one, and condensing drops the places that are held.

    Raises PolicyError where the policy refuses a tie or a duplicate.
    """
    docs = order_ranking(rows, query, policy).docs[: policy.depth]
    if policy.unjudged == "nonrelevant":
        return docs
    return [doc for doc in (dict.fromkeys(docs) if policy.duplicates == "hold" else docs) if doc in judged]


def counted_rows(rows: RankingRows, query: str, judged: Container[str], policy: Policy) -> tuple[list[str], list[float] | None]:
    """What :func:`counted_documents` returns, with the score of each document; None where the order was given without scores.

    A document that is there several times has the score of the row that counts, or, where all count, of each in turn.
    """
    docs = counted_documents(rows, query, judged, policy)
    if rows.scores is None:
        return docs, None
    scores_of: dict[str, list[float]] = {}
    for doc, score in zip(rows.docs, rows.scores.tolist(), strict=True):
        scores_of.setdefault(doc, []).append(score)
    for scores in scores_of.values():
        if policy.duplicates == "last":
            scores.reverse()
        else:
            scores.sort(reverse=True)
    in_turn = {doc: iter(scores) for doc, scores in scores_of.items()}
    return docs, [next(in_turn[doc]) for doc in docs]
