"""Measures of which documents are relevant: a document of at least the threshold is, and nothing else counts."""

from __future__ import annotations

from ..measures import Measure
from ..rankspace import Ranking

EPSILON = 0.00001
"""What trec_eval's infAP adds, so that nothing is divided by 0."""


def hits(ranking: Ranking, measure: Measure) -> list[int]:
    """The ranks of the relevant documents that were retrieved, down to the cutoff."""
    least = level(measure)
    return [rank for rank, grade in ranking.retrieved(measure.cutoff) if grade >= least]


def relevant(ranking: Ranking, measure: Measure) -> int:
    """R, the number of relevant documents, retrieved or not."""
    least = level(measure)
    return sum(grade >= least for _, grade in ranking.judged)


def level(measure: Measure) -> int:
    """The lowest grade that is relevant."""
    return measure.level or 1


def precision(ranking: Ranking, measure: Measure) -> float:
    """P@k = hits in k / k; without a cutoff, hits / retrieved, and 0 for an empty ranking (trec_eval: P, set_P).

    With ``returned`` it is divided by what was retrieved, where that is fewer than k (MLflow, LlamaIndex).
    """
    n = measure.cutoff or ranking.depth
    n = min(n, ranking.depth) if measure.get("returned") is True else n
    return len(hits(ranking, measure)) / n if n else 0.0


def recall(ranking: Ranking, measure: Measure) -> float | None:
    """R@k = hits in k / R (trec_eval: recall, set_recall)."""
    total = relevant(ranking, measure)
    return len(hits(ranking, measure)) / total if total else None


def f1(ranking: Ranking, measure: Measure) -> float | None:
    """2 P R / (P + R) at k, where P divides by k (van Rijsbergen 1979; ranx: f1)."""
    p, r = precision(ranking, measure), recall(ranking, measure)
    if r is None:
        return None
    return 2 * p * r / (p + r) if p + r else 0.0


def capped_recall(ranking: Ranking, measure: Measure) -> float | None:
    """Hits in k / min(k, R), so that a perfect ranking scores 1 where R is above k (BEIR: R_cap; trec_eval: relative_P)."""
    total = relevant(ranking, measure)
    return len(hits(ranking, measure)) / min(measure.cutoff or total, total) if total else None


def success(ranking: Ranking, measure: Measure) -> float:
    """1 if a relevant document is among the first k, else 0 (trec_eval: success; others: hit rate)."""
    return 1.0 if hits(ranking, measure) else 0.0


def number_of_hits(ranking: Ranking, measure: Measure) -> float:
    """How many relevant documents are among the first k (ranx: hits)."""
    return float(len(hits(ranking, measure)))


def reciprocal_rank(ranking: Ranking, measure: Measure) -> float:
    """1 / rank of the first relevant document, 0 if there is none (trec_eval: recip_rank; Kantor and Voorhees 2000)."""
    ranks = hits(ranking, measure)
    return 1 / ranks[0] if ranks else 0.0


def average_precision(ranking: Ranking, measure: Measure) -> float | None:
    """The precision at each hit, summed and divided by R, retrieved or not (trec_eval: map, map_cut); ``norm`` divides by min(k, R)
    (sentence-transformers: map), by k, or by the hits that were found (Ragas: context precision)."""
    total, found = relevant(ranking, measure), hits(ranking, measure)
    if not total:
        return None
    divisors = {"min": min(measure.cutoff or total, total), "k": measure.cutoff or total, "hits": len(found) or 1}
    divisor = divisors.get(str(measure.get("norm")), total)
    return sum(n / rank for n, rank in enumerate(found, 1)) / divisor


def average_precision_at_r(ranking: Ranking, measure: Measure) -> float | None:
    """The precision at each hit among the first R, summed and divided by R (Musgrave, Belongie and Lim 2020: MAP@R)."""
    total = relevant(ranking, measure)
    found = [rank for rank in hits(ranking, measure) if rank <= total]
    return sum(n / rank for n, rank in enumerate(found, 1)) / total if total else None


def complete(ranking: Ranking, measure: Measure) -> float | None:
    """1 if all relevant documents are among the first k, else 0, as a question of several hops needs them."""
    total = relevant(ranking, measure)
    return float(len(hits(ranking, measure)) >= total) if total else None


def r_precision(ranking: Ranking, measure: Measure) -> float | None:
    """The precision at rank R (trec_eval: Rprec)."""
    total = relevant(ranking, measure)
    return sum(rank <= total for rank in hits(ranking, measure)) / total if total else None


def binary_preference(ranking: Ranking, measure: Measure) -> float | None:
    """For each hit, 1 less the share of the first R judged non-relevant documents above it; summed and divided by R.

    The share is of min(R, N), where N documents are judged not relevant (trec_eval: bpref; Buckley and Voorhees 2004).
    """
    total = relevant(ranking, measure)
    nonrelevant = len(ranking.judged) - total
    above, preferred = 0, 0.0
    for _, grade in ranking.retrieved():
        if grade < level(measure):
            above += 1
        else:
            preferred += 1 - min(above, total) / min(nonrelevant, total) if above else 1
    return preferred / total if total else None


def area_under_curve(ranking: Ranking, measure: Measure) -> float | None:
    """The share of the pairs of a relevant and another judged document that are in order (Hanley and McNeil 1982; scikit-learn:
    roc_auc_score). Those not retrieved stand below the others and are tied, which is half in order."""
    total = relevant(ranking, measure)
    nonrelevant = len(ranking.judged) - total
    above, found, wrong = 0, 0, 0.0
    for place, grade in ranking.judged:
        if place > ranking.depth:
            break
        if grade < level(measure):
            above += 1
        else:
            found, wrong = found + 1, wrong + above
    wrong += (total - found) * (above + (nonrelevant - above) / 2)
    return 1 - wrong / (total * nonrelevant) if total and nonrelevant else None


def inferred_ap(ranking: Ranking, measure: Measure) -> float | None:
    """The precision expected at each hit when a sample of the pool was judged (trec_eval: infAP; Yilmaz and Aslam 2006).

    Of the documents above a hit, those outside the pool are not relevant, and those pooled (a grade below 0 is pooled
    but not judged) are relevant in the proportion of those judged.
    """
    total = relevant(ranking, measure)
    relevant_above = nonrelevant_above = unjudged_above = 0
    expected = 0.0
    for rank, grade in ranking.retrieved():
        if grade < 0:
            unjudged_above += 1
        elif grade < level(measure):
            nonrelevant_above += 1
        else:
            above = rank - 1
            pooled = (relevant_above + nonrelevant_above + unjudged_above) / above if above else 0.0
            share = (relevant_above + EPSILON) / (relevant_above + nonrelevant_above + 2 * EPSILON)
            expected += 1 / rank + above / rank * pooled * share
            relevant_above += 1
    return expected / total if total else None
