"""What is judged, and counts: of queries, of relevant documents, of retrieved ones."""

from __future__ import annotations

from ..measures import Measure
from ..rankspace import Ranking
from .binary import hits, relevant


def judged(ranking: Ranking, measure: Measure) -> float:
    """The share of the first k retrieved documents that is judged; 0 for an empty ranking (ir_measures: Judged)."""
    n = min(measure.cutoff or ranking.depth, ranking.depth)
    return len(ranking.retrieved(measure.cutoff)) / n if n else 0.0


def unjudged(ranking: Ranking, measure: Measure) -> float:
    """Unjudged documents among the first k, divided by k however many were retrieved (trec_eval 10: unj)."""
    k = measure.cutoff or ranking.depth
    return (min(k, ranking.depth) - len(ranking.retrieved(measure.cutoff))) / k if k else 0.0


def number_of_queries(ranking: Ranking, measure: Measure) -> float:
    """1, to be added up (trec_eval: num_q)."""
    return 1.0


def number_relevant(ranking: Ranking, measure: Measure) -> float:
    """R, to be added up (trec_eval: num_rel)."""
    return float(relevant(ranking, measure))


def number_retrieved(ranking: Ranking, measure: Measure) -> float:
    """Retrieved documents, or with ``rel`` the relevant ones among them, to be added up (trec_eval: num_ret, num_rel_ret)."""
    return float(ranking.depth if measure.level is None else len(hits(ranking, measure)))
