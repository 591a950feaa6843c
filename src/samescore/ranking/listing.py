"""The ranking of one query as the policy counts it, with its ids: what rank space holds in places."""

from __future__ import annotations

from collections.abc import Container

from ..policy import Policy
from ..readers import Found
from .order import ordered


def listed(found: Found, query: str, judged: Container[str], policy: Policy) -> list[str]:
    """Document ids in order of rank: sorted, without what the policy drops, cut to its depth, condensed if it says so.

    ``judged`` are the documents that are judged for the query. A document's rank is that of its first place; only
    ``duplicates="each"`` leaves it more than one.

    Raises PolicyError where the policy refuses a tie or a duplicate.
    """
    docs = ordered(found, query, policy).docs[: policy.depth]
    return [doc for doc in docs if doc in judged] if policy.unjudged == "drop" else docs
