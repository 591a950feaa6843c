"""trec_eval's measures of how relevant documents are: a gain for each grade, the grade itself unless another is given."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import accumulate, groupby
from operator import mul

from .. import reference
from ..measures import Measure
from .seen import Seen, added


@dataclass(frozen=True, slots=True)
class Gains:
    """What is written after the name of a graded measure: ``1=3,2=9`` is the gains of grades, ``p=0.8`` RBP's persistence."""

    of_grade: Mapping[int, float] = field(default_factory=dict)
    p: float = 0.9

    def of(self, grade: float) -> float:
        """The gain of a document that is judged."""
        return self.of_grade.get(int(grade), float(grade))

    def retrieved(self, seen: Seen) -> list[tuple[int, float]]:
        """(rank, gain) of each judged document that was retrieved and has a gain, which may be below 0."""
        return [(rank, gain) for rank, grade in seen.judged.retrieved() if (gain := self.of(grade))]

    def ideal(self, seen: Seen) -> list[float]:
        """The gains above 0 of all judged documents, the highest first."""
        return sorted((gain for _, grade in seen.judged.judged if (gain := self.of(grade)) > 0), reverse=True)


def dcg(seen: Seen, gains: Gains) -> float:
    """dcg: the sum of gain / log2(rank + 1)."""
    return _discounted(gains.retrieved(seen))


def ideal_dcg(seen: Seen, gains: Gains) -> float:
    """ideal_dcg: the DCG of all judged documents with a gain, in the best order."""
    return _discounted(list(enumerate(gains.ideal(seen), 1)))


def ndcg(seen: Seen, gains: Gains) -> float:
    """ndcg: DCG / ideal DCG (Jarvelin and Kekalainen 2002), and 0 where nothing has a gain."""
    ideal = ideal_dcg(seen, gains)
    return dcg(seen, gains) / ideal if ideal else 0.0


def ndcg_at_cutoff(seen: Seen, cutoff: int) -> float:
    """ndcg_cut: nDCG of the first k documents, by the definition of the catalogue."""
    return reference.value(seen.graded, _ndcg(cutoff)) or 0.0


@cache
def _ndcg(cutoff: int) -> Measure:
    """nDCG with linear gain at a cutoff."""
    return Measure("nDCG", cutoff, (("dcg", "log2"),))


def ndcg_at_relevant(seen: Seen, gains: Gains) -> float:
    """ndcg_rel: nDCG at the rank of each document with a gain, averaged over all such documents.

    A document that was not retrieved brings in the nDCG at the end of the ranking.
    """
    found, best = gains.retrieved(seen), gains.ideal(seen)
    if not best:
        return 0.0
    dcg_at = accumulate(gain / math.log2(rank + 1) for rank, gain in found)
    ideals = list(accumulate(gain / math.log2(rank + 1) for rank, gain in enumerate(best, 1)))
    points = [(rank, so_far) for (rank, gain), so_far in zip(found, dcg_at, strict=True) if gain > 0]
    total = added(so_far / ideals[min(rank, len(ideals)) - 1] for rank, so_far in points)
    total += (len(best) - len(points)) * dcg(seen, gains) / ideals[-1]
    return max(total, 0.0) / len(best)


def ndcg_at_levels(seen: Seen, gains: Gains) -> float:
    """Rndcg: nDCG at the ranks where the ideal ranking goes down to a lower gain, averaged.

    The end of the ranking is one more, where at least two documents were retrieved below the ideal ranking's last.
    """
    found, best = gains.retrieved(seen), gains.ideal(seen)
    if not best or not seen.total:
        return 0.0
    ends = list(accumulate(len(list(group)) for _, group in groupby(best)))
    points = [(end, end) for end in ends]
    if seen.depth > ends[-1] + 1:
        points.append((seen.depth, ends[-1]))
    values = [_discounted(found, cutoff) / _discounted(list(enumerate(best, 1)), n) for cutoff, n in points]
    return added(values) / len(values)


def normalised_gain(seen: Seen, gains: Gains) -> float:
    """G: gain / log2(2 + c - g) of each document, summed and divided by all gains above 0.

    c is the ideal ranking's gain down to this rank, each document for at least 1, and g what this ranking has gained.
    """
    found, best = gains.retrieved(seen), gains.ideal(seen)
    if not best:
        return 0.0
    deepest = found[-1][0] if found else 0
    cost = [0.0, *accumulate(max(gain, 1.0) for gain in [*best, *[0.0] * (deepest - len(best))])]
    so_far = accumulate(gain for _, gain in found)
    total = added(gain / math.log2(2 + cost[rank] - held) for (rank, gain), held in zip(found, so_far, strict=True))
    return total / added(best)


def rank_biased_precision(seen: Seen, gains: Gains) -> float:
    """rbp: (1 - p) times the sum of gain * p^(rank - 1) (Moffat and Zobel 2008), gains being brought into [0, 1].

    They are where one of this query is above 1 or below 0: the lowest becomes 0 and the highest 1. An unjudged document has
    gain 0. trec_eval 10 looks for the lowest and highest gain in two variables that it never set: these are its values
    where rbp is the one measure asked for; beside others it may give others.
    """
    top = max((int(grade) for _, grade in seen.judged.judged), default=-1)
    plain = next((grade for grade in range(top, -1, -1) if grade not in gains.of_grade), 0)
    lowest, highest = min(0.0, *gains.of_grade.values(), 0.0), max(0.0, *gains.of_grade.values(), plain)
    scale = lowest < 0 or highest > 1
    weights = _weights(gains.p, seen.depth)
    parts = ((rank, gains.of(grade)) for rank, grade in seen.judged.retrieved())
    return (1 - gains.p) * added(
        ((gain - lowest) / (highest - lowest) if scale else gain) * weights[rank - 1] for rank, gain in parts
    )


def rank_biased_residual(seen: Seen, gains: Gains) -> float:
    """rbp_resid: what rbp could gain if all unjudged documents, and those below the ranking, had a gain of 1.

    It is 0 where every retrieved document is judged, though documents could follow.
    """
    weights = _weights(gains.p, seen.depth)
    unjudged = seen.unjudged()
    return weights[seen.depth] + (1 - gains.p) * added(weights[rank - 1] for rank in unjudged) if unjudged else 0.0


def _discounted(found: list[tuple[int, float]], cutoff: int | None = None) -> float:
    """The sum of gain / log2(rank + 1) down to a cutoff."""
    return added(gain / math.log2(rank + 1) for rank, gain in found if cutoff is None or rank <= cutoff)


@lru_cache(maxsize=64)
def _weights(p: float, depth: int) -> tuple[float, ...]:
    """p^0, p^1, ... down to the end of a ranking, each from the one before."""
    return tuple(accumulate([p] * depth, mul, initial=1.0))
