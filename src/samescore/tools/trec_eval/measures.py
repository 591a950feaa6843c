"""trec_eval's measures of how relevant documents are: a gain for each grade, the grade itself unless another is given."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import accumulate, groupby, islice
from operator import mul

from ... import reference
from ...measures import Measure
from ...rankspace import Ranking

Rows = tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class TrecQuery:
    """One query. ``judged`` holds the documents with a grade of 0 or more; a grade below 0 puts a document in the pool only.

    ``graded`` is the ranking with nothing but the documents of grades above 0 (all that nDCG reads), ``relevant`` with those
    of at least ``level`` (all that a binary measure reads), ``hits`` the ranks of these; ``pooled`` the ranks of documents
    that are in the pool but not judged.
    ``collection`` is the number of documents that there are (trec_eval's -N), 0 where it is not known.
    """

    judged: Ranking
    graded: Ranking
    relevant: Ranking
    hits: list[int]
    pooled: list[int]
    level: int
    collection: int

    @classmethod
    def of(cls, pool: Ranking, *, level: int, collection: int = 0) -> TrecQuery:
        """The query of a ranking whose rows may have grades below 0."""
        depth = pool.depth
        judged: Rows = tuple(row for row in pool.judged if row[1] >= 0)
        graded: Rows = tuple(row for row in judged if row[1] > 0)
        relevant: Rows = tuple(row for row in graded if row[1] >= level)
        hits = [place for place, _ in relevant if place <= depth]
        pooled = [place for place, grade in pool.judged if grade < 0 and place <= depth]
        return cls(Ranking(depth, judged), Ranking(depth, graded), Ranking(depth, relevant), hits, pooled, level, collection)

    @property
    def depth(self) -> int:
        """How many documents were retrieved."""
        return self.judged.depth

    @property
    def total(self) -> int:
        """R, the number of relevant documents, retrieved or not."""
        return len(self.relevant.judged)

    def unjudged(self, cutoff: int | None = None) -> list[int]:
        """The ranks of the documents without a grade of 0 or more, down to a cutoff."""
        deepest = self.depth if cutoff is None else min(cutoff, self.depth)
        judged = {place for place, _ in self.judged.judged if place <= deepest}
        return [rank for rank in range(1, deepest + 1) if rank not in judged]


def added(values: Iterable[float]) -> float:
    """One plain addition after the other, as in C.

    Python 3.12 made ``sum`` compensate for rounding, and one last bit can turn a digit that is printed: 0.14375 is a tie.
    """
    total = 0.0
    for value in values:
        total += value
    return total


SMALLEST = 0.00001
"""What a geometric mean takes instead of a smaller value, so that one zero is not the whole mean."""


def of_catalogue(name: str) -> Callable[[TrecQuery, int | None], float]:
    """A measure of the catalogue, by its definition, and 0 where that is undefined."""

    def value(seen: TrecQuery, cutoff: int | None) -> float:
        return reference.value(seen.relevant, _measure(name, cutoff, seen.level)) or 0.0

    return value


@cache
def _measure(name: str, cutoff: int | None, level: int) -> Measure:
    """A measure of the catalogue at a relevance level."""
    return Measure(name, cutoff, (("rel", level),))


def precisions(seen: TrecQuery, cutoff: int | None = None) -> float:
    """The precision at each hit down to a cutoff, summed: average precision times R."""
    return added(n / rank for n, rank in enumerate(seen.hits, 1) if cutoff is None or rank <= cutoff)


def average_precision(seen: TrecQuery, cutoff: int | None) -> float:
    """map, map_cut: the precision at each hit, summed and divided by R.

    As AP of the catalogue, but for the last bit, which the plain sum of trec_eval decides.
    """
    return precisions(seen, cutoff) / seen.total if seen.total else 0.0


def log_average_precision(seen: TrecQuery, _: None) -> float:
    """gm_map of one query: the logarithm of map, of which the summary is the geometric mean (Robertson 2006)."""
    return math.log(max(average_precision(seen, None), SMALLEST))


def robertson_average_precision(seen: TrecQuery, _: None) -> float:
    """yaap: log((1 + s) / (1 + R - s)), s being the sum of the precisions at the hits (Robertson 2012)."""
    found = precisions(seen)
    return math.log((1 + found) / (1 + seen.total - found))


def relative_precision(seen: TrecQuery, cutoff: int) -> float:
    """relative_P: hits in k / min(k, R), the precision out of the best that was possible."""
    return sum(rank <= cutoff for rank in seen.hits) / min(cutoff, seen.total) if seen.total else 0.0


def precision_at_multiple(seen: TrecQuery, multiple: float) -> float:
    """Rprec_mult: the precision at rank floor(multiple * R + 0.9)."""
    cutoff = int(multiple * seen.total + 0.9)
    return sum(rank <= cutoff for rank in seen.hits) / cutoff if cutoff > 0 else 0.0


def interpolated_precision(seen: TrecQuery, recall: float) -> float:
    """iprec_at_recall: the highest precision from the hit that reaches the recall on, the hit being the rounded recall * R.

    trec_eval 10 rounds, half away from zero, where 9 took floor(recall * R + 0.9).
    """
    return _highest_precision(seen, _rounded(recall * seen.total))


def average_interpolated(seen: TrecQuery, recalls: Sequence[float]) -> float:
    """11pt_avg: the mean of the interpolated precision at the recalls given.

    trec_eval goes through the recalls from the last to the first while it goes up the ranking, so one that is higher than
    its successor is passed already, and counts, like all before it, as recall 0.
    """
    cutoffs = [_rounded(recall * seen.total) for recall in reversed(recalls)]
    reach = len(seen.hits)
    values = []
    for cutoff in islice(cutoffs, next((i for i, c in enumerate(cutoffs) if c <= reach), len(cutoffs)), None):
        reach = cutoff if cutoff <= reach else 0
        values.append(_highest_precision(seen, reach))
    return added(values) / len(recalls)


def _highest_precision(seen: TrecQuery, first: int) -> float:
    """The highest precision at any hit from the n-th on."""
    return max((n / rank for n, rank in enumerate(seen.hits, 1) if n >= first), default=0.0)


def _rounded(value: float) -> int:
    """The nearest whole number, halves away from zero."""
    whole = math.trunc(value)
    return whole + (value - whole >= 0.5) - (value - whole <= -0.5)


def binary_gain(seen: TrecQuery, _: None) -> float:
    """binG: 1 / log2(2 + nonrelevant documents before it) of each hit, summed and divided by R."""
    found = added(1 / math.log2(2 + rank - n) for n, rank in enumerate(seen.hits, 1))
    return found / seen.total if seen.total else 0.0


@dataclass(frozen=True, slots=True)
class Gains:
    """What is written after the name of a graded measure: ``1=3,2=9`` is the gains of grades, ``p=0.8`` RBP's persistence."""

    of_grade: Mapping[int, float] = field(default_factory=dict)
    p: float = 0.9

    def of(self, grade: float) -> float:
        """The gain of a document that is judged."""
        return self.of_grade.get(int(grade), float(grade))

    def retrieved(self, seen: TrecQuery) -> list[tuple[int, float]]:
        """(rank, gain) of each judged document that was retrieved and has a gain, which may be below 0."""
        return [(rank, gain) for rank, grade in seen.judged.retrieved() if (gain := self.of(grade))]

    def ideal(self, seen: TrecQuery) -> list[float]:
        """The gains above 0 of all judged documents, the highest first."""
        return sorted((gain for _, grade in seen.judged.judged if (gain := self.of(grade)) > 0), reverse=True)


def dcg(seen: TrecQuery, gains: Gains) -> float:
    """dcg: the sum of gain / log2(rank + 1)."""
    return _discounted(gains.retrieved(seen))


def ideal_dcg(seen: TrecQuery, gains: Gains) -> float:
    """ideal_dcg: the DCG of all judged documents with a gain, in the best order."""
    return _discounted(list(enumerate(gains.ideal(seen), 1)))


def ndcg(seen: TrecQuery, gains: Gains) -> float:
    """ndcg: DCG / ideal DCG (Jarvelin and Kekalainen 2002), and 0 where nothing has a gain."""
    ideal = ideal_dcg(seen, gains)
    return dcg(seen, gains) / ideal if ideal else 0.0


def ndcg_at_cutoff(seen: TrecQuery, cutoff: int) -> float:
    """ndcg_cut: nDCG of the first k documents, by the definition of the catalogue."""
    return reference.value(seen.graded, _ndcg(cutoff)) or 0.0


@cache
def _ndcg(cutoff: int) -> Measure:
    """nDCG with linear gain at a cutoff."""
    return Measure("nDCG", cutoff, (("dcg", "log2"),))


def ndcg_at_relevant(seen: TrecQuery, gains: Gains) -> float:
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


def ndcg_at_levels(seen: TrecQuery, gains: Gains) -> float:
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


def normalised_gain(seen: TrecQuery, gains: Gains) -> float:
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


def rank_biased_precision(seen: TrecQuery, gains: Gains) -> float:
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


def rank_biased_residual(seen: TrecQuery, gains: Gains) -> float:
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


EPSILON = 0.00001
"""What infAP adds to its counts, so that nothing judged is no division by 0."""


def binary_preference(seen: TrecQuery, _: None) -> float:
    """bpref: 1 - min(n, R) / min(N, R) of each hit, n being the nonrelevant documents above it, of N that are judged so.

    Summed and divided by R (Buckley and Voorhees 2004).
    """
    total, nonrelevant = seen.total, len(seen.judged.judged) - seen.total
    values = (1 - min(above, total) / min(nonrelevant, total) if above else 1.0 for above in _nonrelevant_above(seen))
    return added(values) / total if total else 0.0


def log_binary_preference(seen: TrecQuery, _: None) -> float:
    """gm_bpref of one query: the logarithm of bpref, of which the summary is the geometric mean."""
    return math.log(max(binary_preference(seen, None), SMALLEST))


def inferred_average_precision(seen: TrecQuery, _: None) -> float:
    """infAP: average precision as it is expected where the pool was judged in part (Yilmaz and Aslam 2006).

    The documents above a hit are relevant at the rate of those judged among them, so far as they are in the pool.
    """
    values = []
    for n, (rank, nonrelevant) in enumerate(zip(seen.hits, _nonrelevant_above(seen), strict=True)):
        above = rank - 1
        in_pool = n + nonrelevant + sum(place < rank for place in seen.pooled)
        rate = (n + EPSILON) / (n + nonrelevant + 2 * EPSILON)
        values.append(1 / rank + (above / rank) * (in_pool / above) * rate if above else 1.0)
    return added(values) / seen.total if seen.total else 0.0


def unjudged_share(seen: TrecQuery, cutoff: int) -> float:
    """unj: unjudged documents among the first k, divided by k."""
    return len(seen.unjudged(cutoff)) / cutoff


def grades_in_order(seen: TrecQuery, lengths: tuple[float, ...]) -> str:
    """relstring: a sign for each of the first documents: its grade, ``>`` above 9, ``-`` not in the pool, ``.`` not judged."""
    length = max(0, min(int(lengths[0]), seen.depth))
    signs = ["-"] * length
    for rank in (rank for rank in seen.pooled if rank <= length):
        signs[rank - 1] = "."
    for rank, grade in seen.judged.retrieved(length):
        signs[rank - 1] = f"{grade:.0f}" if grade <= 9 else ">"
    return "".join(signs)


def _nonrelevant_above(seen: TrecQuery) -> list[int]:
    """How many documents above each hit are judged and not relevant."""
    found = [place for place, _ in seen.judged.retrieved()]
    at = {place: i for i, place in enumerate(found)}
    return [at[rank] - n for n, rank in enumerate(seen.hits)]


def one(seen: TrecQuery, _: None) -> float:
    """num_q: a query."""
    return 1


def retrieved(seen: TrecQuery, _: None) -> float:
    """num_ret: documents retrieved."""
    return seen.depth


def relevant(seen: TrecQuery, _: None) -> float:
    """num_rel: relevant documents, retrieved or not."""
    return seen.total


def relevant_retrieved(seen: TrecQuery, _: None) -> float:
    """num_rel_ret: relevant documents retrieved."""
    return len(seen.hits)


def nonrelevant_retrieved(seen: TrecQuery, _: None) -> float:
    """num_nonrel_judged_ret: documents retrieved that are judged and not relevant."""
    return len(seen.judged.retrieved()) - len(seen.hits)


def relative_set_precision(seen: TrecQuery, _: None) -> float:
    """set_relative_P: hits / min(retrieved, R)."""
    most = min(seen.depth, seen.total)
    return len(seen.hits) / most if most else 0.0


def set_average_precision(seen: TrecQuery, _: None) -> float:
    """set_map: set precision times set recall."""
    return len(seen.hits) * len(seen.hits) / (seen.depth * seen.total) if seen.depth and seen.total else 0.0


def set_f(seen: TrecQuery, weights: Sequence[float]) -> float:
    """set_F: (x + 1) P R / (x P + R), which weighs recall by x, not by x squared as van Rijsbergen's F does."""
    if not seen.hits:
        return 0.0
    precision, recall, x = len(seen.hits) / seen.depth, len(seen.hits) / seen.total, weights[0]
    return (x + 1) * precision * recall / (x * precision + recall)


def utility(seen: TrecQuery, worth: Sequence[float]) -> float:
    """utility: a worth for each relevant and each other document that was retrieved, and that was not."""
    hits, depth, total = len(seen.hits), seen.depth, seen.total
    counts = (hits, depth - hits, total - hits, seen.collection + hits - depth - total)
    return worth[0] * counts[0] + worth[1] * counts[1] + worth[2] * counts[2] + worth[3] * counts[3]
