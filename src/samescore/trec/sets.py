"""trec_eval's counts, and its measures of a retrieved set that has no order."""

from __future__ import annotations

from collections.abc import Sequence

from .seen import Seen


def one(seen: Seen, _: None) -> float:
    """num_q: a query."""
    return 1


def retrieved(seen: Seen, _: None) -> float:
    """num_ret: documents retrieved."""
    return seen.depth


def relevant(seen: Seen, _: None) -> float:
    """num_rel: relevant documents, retrieved or not."""
    return seen.total


def relevant_retrieved(seen: Seen, _: None) -> float:
    """num_rel_ret: relevant documents retrieved."""
    return len(seen.hits)


def nonrelevant_retrieved(seen: Seen, _: None) -> float:
    """num_nonrel_judged_ret: documents retrieved that are judged and not relevant."""
    return len(seen.judged.retrieved()) - len(seen.hits)


def relative_set_precision(seen: Seen, _: None) -> float:
    """set_relative_P: hits / min(retrieved, R)."""
    most = min(seen.depth, seen.total)
    return len(seen.hits) / most if most else 0.0


def set_average_precision(seen: Seen, _: None) -> float:
    """set_map: set precision times set recall."""
    return len(seen.hits) * len(seen.hits) / (seen.depth * seen.total) if seen.depth and seen.total else 0.0


def set_f(seen: Seen, weights: Sequence[float]) -> float:
    """set_F: (x + 1) P R / (x P + R), which weighs recall by x, not by x squared as van Rijsbergen's F does."""
    if not seen.hits:
        return 0.0
    precision, recall, x = len(seen.hits) / seen.depth, len(seen.hits) / seen.total, weights[0]
    return (x + 1) * precision * recall / (x * precision + recall)


def utility(seen: Seen, worth: Sequence[float]) -> float:
    """utility: a worth for each relevant and each other document that was retrieved, and that was not."""
    hits, depth, total = len(seen.hits), seen.depth, seen.total
    counts = (hits, depth - hits, total - hits, seen.collection + hits - depth - total)
    return worth[0] * counts[0] + worth[1] * counts[1] + worth[2] * counts[2] + worth[3] * counts[3]
