"""The order of a ranking under a policy: sort, drop self hits, drop duplicates."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import PolicyError, clause, short
from ..policy import Policy
from ..readers import RankingRows


@dataclass(frozen=True, slots=True)
class Ordered:
    """A ranking in its order: document ids, and their scores (None where the order was given and no two are equal)."""

    docs: list[str]
    scores: list[float] | None = None

    def tie_groups(self) -> tuple[list[int], list[int], int]:
        """The first and last rank of the tie group of each document, and how many are tied with another document."""
        n = len(self.docs)
        shared = set()
        first = list(range(1, n + 1))
        last = first.copy()
        if self.scores is None:
            return first, last, 0
        for i in range(1, n):
            if self.scores[i] == self.scores[i - 1]:
                first[i] = first[i - 1]
                if self.docs[i] != self.docs[i - 1]:
                    shared.add(first[i])
        for i in range(n - 1, 0, -1):
            if first[i] == first[i - 1]:
                last[i - 1] = last[i]
        return first, last, sum(group in shared for group in first)


def ordered(ranking: RankingRows, query: str, policy: Policy) -> Ordered:
    """A ranking in order of rank, each document once (or, under ``duplicates="each"``, as often as it was given).

    Under ``duplicates="last"`` a document has the score of its last row, as where a dictionary is overwritten; where tied
    documents keep the order given, it stands where such a dictionary has it, which is where its first row stood.
    Raises PolicyError where the policy refuses a tie or a duplicate.
    """
    docs, scores = list(ranking.docs), ranking.scores
    if policy.duplicates == "last" and isinstance(ranking.docs, list):
        last = dict(zip(docs, range(len(docs)), strict=True))
        rows = sorted(last.values()) if scores is None else list(last.values())
        docs, scores = [docs[i] for i in rows], None if scores is None else scores[rows]
    order = Ordered(docs) if scores is None else _sorted(docs, scores, query, policy)
    if policy.self_hits == "drop" and query in ranking.docs:
        order = _pick(order, [i for i, doc in enumerate(order.docs) if doc != query])
    if isinstance(ranking.docs, dict) or policy.duplicates == "each":
        return order
    return _once(order, query, policy)


def comparable(scores: NDArray[np.float64], policy: Policy) -> NDArray[np.float64]:
    """The scores as the policy compares them."""
    if not policy.float32_scores:
        return scores
    with np.errstate(over="ignore", under="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def _once(order: Ordered, query: str, policy: Policy) -> Ordered:
    """The ranking with each document at its best place."""
    n = len(order.docs)
    if len(set(order.docs)) == n:
        return order
    place = dict(zip(reversed(order.docs), range(n - 1, -1, -1), strict=True))
    if policy.duplicates == "error":
        twice = next(doc for i, doc in enumerate(order.docs) if place[doc] != i)
        raise PolicyError("retrieved twice", query=query, document=twice, hint=clause("duplicates", "first"))
    return _pick(order, sorted(place.values()))


def _pick(order: Ordered, places: list[int]) -> Ordered:
    """The documents at some places."""
    scores = order.scores
    return Ordered([order.docs[i] for i in places], None if scores is None else [scores[i] for i in places])


def _sorted(docs: list[str], given: NDArray[np.float64], query: str, policy: Policy) -> Ordered:
    """The documents by score, the highest first, with ties as the policy orders them."""
    compared = comparable(given, policy)
    if (compared[1:] < compared[:-1]).all():
        return Ordered(docs)
    scores: list[float] = compared.tolist()
    if policy.ties == "doc_id":
        pairs = sorted(zip(scores, docs, strict=True), reverse=True)
        return Ordered([doc for _, doc in pairs], [score for score, _ in pairs])
    if policy.ties == "doc_id_ascending":
        pairs = sorted((-score, doc) for score, doc in zip(scores, docs, strict=True))
        return Ordered([doc for _, doc in pairs], [-score for score, _ in pairs])
    order = _pick(Ordered(docs, scores), sorted(range(len(docs)), key=scores.__getitem__, reverse=True))
    if policy.ties == "error":
        _refuse_ties(order, query)
    return order


def _refuse_ties(order: Ordered, query: str) -> None:
    """Raise PolicyError if two documents have one score."""
    scores = order.scores or []
    for i in range(1, len(scores)):
        if scores[i] == scores[i - 1] and order.docs[i] != order.docs[i - 1]:
            what = f"the documents {short(order.docs[i - 1])} and {short(order.docs[i])} are tied at {scores[i]}"
            raise PolicyError(what, query=query, hint=clause("ties", "doc_id", "input"))


def listed(ranking: RankingRows, query: str, judged: Container[str], policy: Policy) -> list[str]:
    """Document ids in order of rank: sorted, without what the policy drops, cut to its depth, condensed if it says so.

    ``judged`` are the documents that are judged for the query. A document's rank is that of its first place; only
    ``duplicates="each"`` leaves it more than one.

    Raises PolicyError where the policy refuses a tie or a duplicate.
    """
    docs = ordered(ranking, query, policy).docs[: policy.depth]
    return [doc for doc in docs if doc in judged] if policy.unjudged == "drop" else docs
