"""Measures of novelty and diversity: a document counts for each subtopic that it is relevant to, and less when it repeats.

As in ndeval 4.5, of the TREC Web track: subtopics to which nothing is relevant do not exist, the chance of each is the same,
and a relevant document leaves a reader of a subtopic with 1 - alpha of the interest in it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import chain

from ..measures import Measure
from ..rankspace import Ranking
from .binary import level

ERR_ALPHA = 0.5
"""The alpha of ERR-IA in ndeval and ir_measures, which is fixed there."""


def _relevant(ranking: Ranking, measure: Measure) -> dict[int, list[int]]:
    """The subtopics that each document is relevant to, by its place in the order of ids."""
    subtopics: dict[int, list[int]] = defaultdict(list)
    for aspect in sorted(ranking.aspects, key=lambda a: a.subtopic):
        if aspect.grade >= level(measure) and not aspect.repeat:
            subtopics[aspect.order].append(aspect.subtopic)
    return subtopics


def _covered(ranking: Ranking, measure: Measure) -> dict[int, list[int]]:
    """The subtopics that the document at each rank is relevant to, in order of rank, down to the cutoff."""
    last_rank = min(measure.cutoff or ranking.depth, ranking.depth)
    subtopics: dict[int, list[int]] = defaultdict(list)
    for aspect in sorted(ranking.aspects, key=lambda a: (a.place, a.subtopic)):
        if aspect.place <= last_rank and aspect.grade >= level(measure):
            subtopics[aspect.place].append(aspect.subtopic)
    return subtopics


def _subtopics(ranking: Ranking, measure: Measure) -> int:
    """How many subtopics something is relevant to."""
    return len(set(chain.from_iterable(_relevant(ranking, measure).values())))


def _novelty(covered: Mapping[int, list[int]], alpha: float) -> dict[int, float]:
    """The gain at each rank: the interest that is left in each subtopic of the document there."""
    interest: dict[int, float] = defaultdict(lambda: 1.0)
    gains = {}
    for rank, subtopics in covered.items():
        gains[rank] = sum(interest[subtopic] for subtopic in subtopics)
        for subtopic in subtopics:
            interest[subtopic] *= 1 - alpha
    return gains


def _ideal(ranking: Ranking, measure: Measure, alpha: float) -> dict[int, float]:
    """The gains of an ideal ranking, down to the cutoff: at each rank the document that gains most, by ndeval's greedy rule.

    Equal gains go to the document whose id is the last in order. The rule does not always find the best ranking, which is
    hard to find; it is the one that the published values were computed with.
    """
    remaining = _relevant(ranking, measure)
    interest: dict[int, float] = defaultdict(lambda: 1.0)
    gains = {}
    for rank in range(1, min(measure.cutoff or len(remaining), len(remaining)) + 1):
        gains[rank], best = max(
            (sum(interest[subtopic] for subtopic in subtopics), order) for order, subtopics in remaining.items()
        )
        for subtopic in remaining.pop(best):
            interest[subtopic] *= 1 - alpha
    return gains


def _dcg(gains: Mapping[int, float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in gains.items())


def _reciprocal(gains: Mapping[int, float]) -> float:
    return sum(gain / rank for rank, gain in gains.items())


def _perfect(ranks: int, alpha: float) -> dict[int, float]:
    """The gain for each subtopic, if every document were relevant to all of them."""
    return {rank: (1 - alpha) ** (rank - 1) for rank in range(1, ranks + 1)}


def _ratio(value: float, most: float) -> float | None:
    return value / most if most else None


def alpha_dcg(ranking: Ranking, measure: Measure) -> float | None:
    """DCG of the gains, divided by that of k documents relevant to every subtopic (Clarke et al. 2008; ndeval: alpha-DCG)."""
    alpha = measure.number("alpha")
    most = _subtopics(ranking, measure) * _dcg(_perfect(measure.cutoff or ranking.depth, alpha))
    return _ratio(_dcg(_novelty(_covered(ranking, measure), alpha)), most)


def alpha_ndcg(ranking: Ranking, measure: Measure) -> float | None:
    """DCG of the gains, divided by that of the ideal ranking (Clarke et al. 2008; ndeval: alpha-nDCG)."""
    alpha = measure.number("alpha")
    return _ratio(_dcg(_novelty(_covered(ranking, measure), alpha)), _dcg(_ideal(ranking, measure, alpha)))


def err_ia(ranking: Ranking, measure: Measure) -> float | None:
    """Gains / rank, divided by those of k documents relevant to every subtopic (Chapelle et al. 2009; ndeval: ERR-IA)."""
    most = _subtopics(ranking, measure) * _reciprocal(_perfect(measure.cutoff or ranking.depth, ERR_ALPHA))
    return _ratio(_reciprocal(_novelty(_covered(ranking, measure), ERR_ALPHA)), most)


def normalised_err_ia(ranking: Ranking, measure: Measure) -> float | None:
    """Gains / rank, divided by those of the ideal ranking (Chapelle et al. 2009; ndeval: nERR-IA)."""
    gained = _reciprocal(_novelty(_covered(ranking, measure), ERR_ALPHA))
    return _ratio(gained, _reciprocal(_ideal(ranking, measure, ERR_ALPHA)))


def nrbp(ranking: Ranking, measure: Measure) -> float | None:
    """(1 - (1 - alpha) beta) / S times the sum of gain beta^(rank - 1), for S subtopics (Clarke et al. 2009; ndeval: NRBP)."""
    alpha, beta = measure.number("alpha"), measure.number("beta")
    total = _subtopics(ranking, measure)
    return (1 - (1 - alpha) * beta) / total * _biased(_novelty(_covered(ranking, measure), alpha), beta) if total else None


def normalised_nrbp(ranking: Ranking, measure: Measure) -> float | None:
    """NRBP / that of the ideal ranking of all relevant documents (ndeval: nNRBP)."""
    alpha, beta = measure.number("alpha"), measure.number("beta")
    return _ratio(_biased(_novelty(_covered(ranking, measure), alpha), beta), _biased(_ideal(ranking, measure, alpha), beta))


def _biased(gains: Mapping[int, float], beta: float) -> float:
    return sum(gain * beta ** (rank - 1) for rank, gain in gains.items())


def ap_ia(ranking: Ranking, measure: Measure) -> float | None:
    """The mean over subtopics of average precision (Agrawal et al. 2009; ndeval: MAP-IA)."""
    totals = Counter(chain.from_iterable(_relevant(ranking, measure).values()))
    hits: dict[int, int] = defaultdict(int)
    precisions: dict[int, float] = defaultdict(float)
    for rank, subtopics in _covered(ranking, measure).items():
        for subtopic in subtopics:
            hits[subtopic] += 1
            precisions[subtopic] += hits[subtopic] / rank
    return sum(precisions[s] / total for s, total in totals.items()) / len(totals) if totals else None


def precision_ia(ranking: Ranking, measure: Measure) -> float | None:
    """The mean over subtopics of precision at k, or of what was retrieved (Agrawal et al. 2009; ndeval: P-IA)."""
    total, n = _subtopics(ranking, measure), measure.cutoff or ranking.depth
    if not total:
        return None
    return sum(map(len, _covered(ranking, measure).values())) / (n * total) if n else 0.0


def subtopic_recall(ranking: Ranking, measure: Measure) -> float | None:
    """The share of subtopics that the first k documents are relevant to (Zhai et al. 2003; ndeval: strec)."""
    total = _subtopics(ranking, measure)
    return len(set(chain.from_iterable(_covered(ranking, measure).values()))) / total if total else None
