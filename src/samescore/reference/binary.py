"""Measures of which documents are relevant: a document of at least the threshold is, and nothing else counts."""

from __future__ import annotations

from ..measures import Measure
from ..rankspace import Ranking


def hits(ranking: Ranking, measure: Measure) -> list[int]:
    """The ranks of the relevant documents that were retrieved, down to the cutoff."""
    return [rank for rank, grade in ranking.retrieved(measure.cutoff) if grade >= level(measure)]


def relevant(ranking: Ranking, measure: Measure) -> int:
    """R, the number of relevant documents, retrieved or not."""
    return sum(grade >= level(measure) for _, grade in ranking.judged)


def level(measure: Measure) -> float:
    """The lowest grade that is relevant."""
    rel = measure.get("rel")
    return rel if isinstance(rel, (int, float)) else 1


def precision(ranking: Ranking, measure: Measure) -> float:
    """P@k = hits in k / k; without a cutoff, hits / retrieved, and 0 for an empty ranking (trec_eval: P, set_P)."""
    n = measure.cutoff or ranking.depth
    return len(hits(ranking, measure)) / n if n else 0.0


def recall(ranking: Ranking, measure: Measure) -> float | None:
    """R@k = hits in k / R (trec_eval: recall, set_recall)."""
    total = relevant(ranking, measure)
    return len(hits(ranking, measure)) / total if total else None


def success(ranking: Ranking, measure: Measure) -> float:
    """1 if a relevant document is among the first k, else 0 (trec_eval: success; others: hit rate)."""
    return 1.0 if hits(ranking, measure) else 0.0


def reciprocal_rank(ranking: Ranking, measure: Measure) -> float:
    """1 / rank of the first relevant document, 0 if there is none (trec_eval: recip_rank; Kantor and Voorhees 2000)."""
    found = hits(ranking, measure)
    return 1 / found[0] if found else 0.0


def average_precision(ranking: Ranking, measure: Measure) -> float | None:
    """The precision at each hit, summed and divided by R, retrieved or not (trec_eval: map, map_cut)."""
    total = relevant(ranking, measure)
    return sum(n / rank for n, rank in enumerate(hits(ranking, measure), 1)) / total if total else None


def r_precision(ranking: Ranking, measure: Measure) -> float | None:
    """The precision at rank R (trec_eval: Rprec)."""
    total = relevant(ranking, measure)
    return sum(rank <= total for rank in hits(ranking, measure)) / total if total else None
