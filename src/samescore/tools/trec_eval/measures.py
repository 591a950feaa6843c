"""trec_eval's measures: how each is computed for one query, how it is printed, and what becomes of it in the summary."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import accumulate, groupby, islice
from operator import mul
from typing import Any, Literal

from ... import reference
from ...measures import CATALOGUE, Measure, ParamValue
from ...rankspace import Ranking
from ...reference.sets import highest_precision


@dataclass(frozen=True, slots=True)
class TrecQuery:
    """One query.

    ``pool`` is its ranking with all that is in the pool, of which a grade below 0 is not judged; ``judged`` with the documents
    of grades from 0 on, ``relevant`` with those of at least ``level``, and ``hits`` are the ranks of these. ``collection`` is the
    number of documents that there are (trec_eval's -N), 0 where it is not known.
    """

    pool: Ranking
    judged: Ranking
    relevant: Ranking
    hits: list[int]
    level: int
    collection: int

    @classmethod
    def of(cls, pool: Ranking, *, level: int, collection: int = 0) -> TrecQuery:
        """The query of a ranking whose rows may have grades below 0."""
        judged, relevant = (Ranking(pool.depth, tuple(row for row in pool.judged if row[1] >= least)) for least in (0, level))
        return cls(pool, judged, relevant, [rank for rank, _ in relevant.retrieved()], level, collection)

    @property
    def depth(self) -> int:
        """How many documents were retrieved."""
        return self.pool.depth

    @property
    def total(self) -> int:
        """R, the number of relevant documents, retrieved or not."""
        return len(self.relevant.judged)


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


def of_catalogue(name: str, rows: str = "relevant", **params: ParamValue) -> Callable[[TrecQuery, int | None], float]:
    """A measure of the catalogue, by its definition on some of the rows of a query, and 0 where that is undefined."""

    def value(query: TrecQuery, cutoff: int | None) -> float:
        return reference.value(getattr(query, rows), _measure(name, cutoff, query.level, **params)) or 0.0

    return value


@cache
def _measure(name: str, cutoff: int | None, level: int, **params: ParamValue) -> Measure:
    """A measure of the catalogue, at a relevance level where it has one by default."""
    rel = CATALOGUE[name].params.get("rel")
    return Measure(name, cutoff, tuple({**params, **({"rel": level} if rel and rel.filled_by else {})}.items()))


def precisions(query: TrecQuery, cutoff: int | None = None) -> float:
    """The precision at each hit down to a cutoff, summed: average precision times R."""
    return added(n / rank for n, rank in enumerate(query.hits, 1) if cutoff is None or rank <= cutoff)


def average_precision(query: TrecQuery, cutoff: int | None) -> float:
    """map, map_cut: the precision at each hit, summed and divided by R.

    As AP of the catalogue, but for the last bit, which the plain sum of trec_eval decides.
    """
    return precisions(query, cutoff) / query.total if query.total else 0.0


def robertson_average_precision(query: TrecQuery, _: None) -> float:
    """yaap: log((1 + s) / (1 + R - s)), s being the sum of the precisions at the hits (Robertson 2012)."""
    summed = precisions(query)
    return math.log((1 + summed) / (1 + query.total - summed))


def precision_at_multiple(query: TrecQuery, multiple: float) -> float:
    """Rprec_mult: the precision at rank floor(multiple * R + 0.9)."""
    cutoff = int(multiple * query.total + 0.9)
    return sum(rank <= cutoff for rank in query.hits) / cutoff if cutoff > 0 else 0.0


def interpolated_precision(query: TrecQuery, recall: float) -> float:
    """iprec_at_recall: the highest precision from the hit that reaches the recall on, the hit being the rounded recall * R.

    trec_eval 10 rounds, half away from zero, where 9 took floor(recall * R + 0.9).
    """
    return highest_precision(query.hits, _rounded(recall * query.total))


def average_interpolated(query: TrecQuery, recalls: Sequence[float]) -> float:
    """11pt_avg: the mean of the interpolated precision at the recalls given.

    trec_eval goes through the recalls from the last to the first while it goes up the ranking, so one that is higher than
    its successor is passed already, and counts, like all before it, as recall 0.
    """
    cutoffs = [_rounded(recall * query.total) for recall in reversed(recalls)]
    reach = len(query.hits)
    values = []
    for cutoff in islice(cutoffs, next((i for i, c in enumerate(cutoffs) if c <= reach), len(cutoffs)), None):
        reach = cutoff if cutoff <= reach else 0
        values.append(highest_precision(query.hits, reach))
    return added(values) / len(recalls)


def _rounded(value: float) -> int:
    """The nearest whole number, halves away from zero."""
    integer = math.trunc(value)
    return integer + (value - integer >= 0.5) - (value - integer <= -0.5)


def binary_gain(query: TrecQuery, _: None) -> float:
    """binG: 1 / log2(2 + nonrelevant documents before it) of each hit, summed and divided by R."""
    gained = added(1 / math.log2(2 + rank - n) for n, rank in enumerate(query.hits, 1))
    return gained / query.total if query.total else 0.0


@dataclass(frozen=True, slots=True)
class Gains:
    """What is written after the name of a graded measure: ``1=3,2=9`` is the gains of grades, ``p=0.8`` RBP's persistence."""

    of_grade: Mapping[int, float] = field(default_factory=dict)
    p: float = 0.9

    def of(self, grade: float) -> float:
        """The gain of a document that is judged."""
        return self.of_grade.get(int(grade), float(grade))

    def retrieved(self, query: TrecQuery) -> list[tuple[int, float]]:
        """(rank, gain) of each judged document that was retrieved and has a gain, which may be below 0."""
        return [(rank, gain) for rank, grade in query.judged.retrieved() if (gain := self.of(grade))]

    def ideal(self, query: TrecQuery) -> list[float]:
        """The gains above 0 of all judged documents, the highest first."""
        return sorted((gain for _, grade in query.judged.judged if (gain := self.of(grade)) > 0), reverse=True)


def dcg(query: TrecQuery, gains: Gains) -> float:
    """dcg: the sum of gain / log2(rank + 1)."""
    return _discounted(gains.retrieved(query))


def ideal_dcg(query: TrecQuery, gains: Gains) -> float:
    """ideal_dcg: the DCG of all judged documents with a gain, in the best order."""
    return _discounted(list(enumerate(gains.ideal(query), 1)))


def ndcg(query: TrecQuery, gains: Gains) -> float:
    """ndcg: DCG / ideal DCG (Jarvelin and Kekalainen 2002), and 0 where nothing has a gain."""
    ideal = ideal_dcg(query, gains)
    return dcg(query, gains) / ideal if ideal else 0.0


def ndcg_at_relevant(query: TrecQuery, gains: Gains) -> float:
    """ndcg_rel: nDCG at the rank of each document with a gain, averaged over all such documents.

    A document that was not retrieved brings in the nDCG at the end of the ranking.
    """
    gained, best = gains.retrieved(query), gains.ideal(query)
    if not best:
        return 0.0
    dcg_at = accumulate(gain / math.log2(rank + 1) for rank, gain in gained)
    ideals = list(accumulate(gain / math.log2(rank + 1) for rank, gain in enumerate(best, 1)))
    points = [(rank, so_far) for (rank, gain), so_far in zip(gained, dcg_at, strict=True) if gain > 0]
    total = added(so_far / ideals[min(rank, len(ideals)) - 1] for rank, so_far in points)
    total += (len(best) - len(points)) * dcg(query, gains) / ideals[-1]
    return max(total, 0.0) / len(best)


def ndcg_at_levels(query: TrecQuery, gains: Gains) -> float:
    """Rndcg: nDCG at the ranks where the ideal ranking goes down to a lower gain, averaged.

    The end of the ranking is one more, where at least two documents were retrieved below the ideal ranking's last.
    """
    gained, best = gains.retrieved(query), gains.ideal(query)
    if not best or not query.total:
        return 0.0
    ends = list(accumulate(len(list(group)) for _, group in groupby(best)))
    points = [(end, end) for end in ends]
    if query.depth > ends[-1] + 1:
        points.append((query.depth, ends[-1]))
    values = [_discounted(gained, cutoff) / _discounted(list(enumerate(best, 1)), n) for cutoff, n in points]
    return added(values) / len(values)


def normalised_gain(query: TrecQuery, gains: Gains) -> float:
    """G: gain / log2(2 + c - g) of each document, summed and divided by all gains above 0.

    c is the ideal ranking's gain down to this rank, each document for at least 1, and g what this ranking has gained.
    """
    gained, best = gains.retrieved(query), gains.ideal(query)
    if not best:
        return 0.0
    deepest = gained[-1][0] if gained else 0
    cost = [0.0, *accumulate(max(gain, 1.0) for gain in [*best, *[0.0] * (deepest - len(best))])]
    so_far = accumulate(gain for _, gain in gained)
    total = added(gain / math.log2(2 + cost[rank] - held) for (rank, gain), held in zip(gained, so_far, strict=True))
    return total / added(best)


def rank_biased_precision(query: TrecQuery, gains: Gains) -> float:
    """rbp: (1 - p) times the sum of gain * p^(rank - 1) (Moffat and Zobel 2008), gains being brought into [0, 1].

    They are where one of this query is above 1 or below 0: the lowest becomes 0 and the highest 1. An unjudged document has
    gain 0. trec_eval 10 looks for the lowest and highest gain in two variables that it never set: these are its values
    where rbp is the one measure asked for; beside others it may give others.
    """
    top = max((int(grade) for _, grade in query.judged.judged), default=-1)
    plain = next((grade for grade in range(top, -1, -1) if grade not in gains.of_grade), 0)
    lowest, highest = min(0.0, *gains.of_grade.values(), 0.0), max(0.0, *gains.of_grade.values(), plain)
    scale = lowest < 0 or highest > 1
    weights = _weights(gains.p, query.depth)
    parts = ((rank, gains.of(grade)) for rank, grade in query.judged.retrieved())
    return (1 - gains.p) * added(
        ((gain - lowest) / (highest - lowest) if scale else gain) * weights[rank - 1] for rank, gain in parts
    )


def rank_biased_residual(query: TrecQuery, gains: Gains) -> float:
    """rbp_resid: what rbp could gain if all unjudged documents, and those below the ranking, had a gain of 1.

    It is 0 where every retrieved document is judged, though documents could follow.
    """
    weights = _weights(gains.p, query.depth)
    unjudged = sorted(set(range(1, query.depth + 1)) - {rank for rank, _ in query.judged.retrieved()})
    return weights[query.depth] + (1 - gains.p) * added(weights[rank - 1] for rank in unjudged) if unjudged else 0.0


def _discounted(gained: list[tuple[int, float]], cutoff: int | None = None) -> float:
    """The sum of gain / log2(rank + 1) down to a cutoff."""
    return added(gain / math.log2(rank + 1) for rank, gain in gained if cutoff is None or rank <= cutoff)


@lru_cache(maxsize=64)
def _weights(p: float, depth: int) -> tuple[float, ...]:
    """p^0, p^1, ... down to the end of a ranking, each from the one before."""
    return tuple(accumulate([p] * depth, mul, initial=1.0))


def grades_in_order(query: TrecQuery, lengths: tuple[float, ...]) -> str:
    """relstring: a sign for each of the first documents: its grade, ``>`` above 9, ``-`` not in the pool, ``.`` not judged."""
    length = max(0, min(int(lengths[0]), query.depth))
    signs = ["-"] * length
    for rank, grade in query.pool.retrieved(length):
        signs[rank - 1] = "." if grade < 0 else f"{grade:.0f}" if grade <= 9 else ">"
    return "".join(signs)


def set_average_precision(query: TrecQuery, _: None) -> float:
    """set_map: set precision times set recall."""
    return len(query.hits) * len(query.hits) / (query.depth * query.total) if query.depth and query.total else 0.0


def set_f(query: TrecQuery, weights: Sequence[float]) -> float:
    """set_F: (x + 1) P R / (x P + R), which weighs recall by x, not by x squared as van Rijsbergen's F does."""
    if not query.hits:
        return 0.0
    precision, recall, x = len(query.hits) / query.depth, len(query.hits) / query.total, weights[0]
    return (x + 1) * precision * recall / (x * precision + recall)


def utility(query: TrecQuery, worth: Sequence[float]) -> float:
    """utility: a worth for each relevant and each other document that was retrieved, and that was not."""
    hits, depth, total = len(query.hits), query.depth, query.total
    counts = (hits, depth - hits, total - hits, query.collection + hits - depth - total)
    return added(map(mul, worth, counts))


Kind = Literal["none", "cutoffs", "points", "numbers", "gains"]

Summary = Literal["mean", "sum", "geometric", "none"]

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

TENTHS = tuple(i / 10 for i in range(11))

FIFTHS = tuple(i / 5 for i in range(1, 11))


@dataclass(frozen=True, slots=True)
class TrecMeasure:
    """One measure: its value for a query, the parameters that may follow its name, and how it is printed and summed up.

    ``takes``: ``cutoffs`` (whole numbers) and ``points`` (numbers) make a column each, ``numbers`` and ``gains``
    (``grade=gain``) one column together; ``given`` is what stands where none are given, ``numbers`` how many there must be.
    ``whole`` values are printed without decimals. ``by_query`` tells whether queries are printed, ``summary`` what stands under
    "all".
    """

    value: Callable[[TrecQuery, Any], float | str]
    takes: Kind = "none"
    given: Any = None
    numbers: int | None = None
    whole: bool = False
    by_query: bool = True
    summary: Summary = "mean"


def _count(value: Callable[[TrecQuery, Any], float], *, by_query: bool = True) -> TrecMeasure:
    return TrecMeasure(value, whole=True, by_query=by_query, summary="sum")


def _cuts(value: Callable[[TrecQuery, Any], float], given: tuple[int, ...] = RANKS) -> TrecMeasure:
    return TrecMeasure(value, "cutoffs", given)


def _geometric(value: Callable[[TrecQuery, Any], float]) -> TrecMeasure:
    """The geometric mean (Robertson 2006): the value of one query is its logarithm."""
    return TrecMeasure(lambda query, _: math.log(max(value(query, None), SMALLEST)), by_query=False, summary="geometric")


def _gains(value: Callable[[TrecQuery, Any], float]) -> TrecMeasure:
    return TrecMeasure(value, "gains", Gains())


TABLE: Mapping[str, TrecMeasure] = {
    "runid": TrecMeasure(lambda query, _: 1, by_query=False),
    "num_q": _count(lambda query, _: 1, by_query=False),
    "num_ret": _count(lambda query, _: query.depth),
    "num_rel": _count(lambda query, _: query.total),
    "num_rel_ret": _count(lambda query, _: len(query.hits)),
    "map": TrecMeasure(average_precision),
    "gm_map": _geometric(average_precision),
    "Rprec": TrecMeasure(of_catalogue("Rprec")),
    "bpref": TrecMeasure(of_catalogue("Bpref", "judged")),
    "recip_rank": TrecMeasure(of_catalogue("RR")),
    "iprec_at_recall": TrecMeasure(interpolated_precision, "points", TENTHS),
    "P": _cuts(of_catalogue("P")),
    "relstring": TrecMeasure(grades_in_order, "numbers", (10.0,), numbers=1, summary="none"),
    "recall": _cuts(of_catalogue("R")),
    "infAP": TrecMeasure(of_catalogue("infAP", "pool")),
    "gm_bpref": _geometric(of_catalogue("Bpref", "judged")),
    "Rprec_mult": TrecMeasure(precision_at_multiple, "points", FIFTHS),
    "utility": TrecMeasure(utility, "numbers", (1.0, -1.0, 0.0, 0.0), numbers=4),
    "11pt_avg": TrecMeasure(average_interpolated, "numbers", TENTHS),
    "binG": TrecMeasure(binary_gain),
    "G": _gains(normalised_gain),
    "dcg": _gains(dcg),
    "ideal_dcg": _gains(ideal_dcg),
    "ndcg": _gains(ndcg),
    "ndcg_rel": _gains(ndcg_at_relevant),
    "Rndcg": _gains(ndcg_at_levels),
    "ndcg_cut": _cuts(of_catalogue("nDCG", "judged", dcg="log2")),
    "map_cut": _cuts(average_precision),
    "relative_P": _cuts(of_catalogue("R_cap")),
    "success": _cuts(of_catalogue("Success"), (1, 5, 10)),
    "set_P": TrecMeasure(of_catalogue("P")),
    "set_relative_P": TrecMeasure(of_catalogue("SetP", relative=True)),
    "set_recall": TrecMeasure(of_catalogue("R")),
    "set_map": TrecMeasure(set_average_precision),
    "set_F": TrecMeasure(set_f, "numbers", (1.0,), numbers=1),
    "num_nonrel_judged_ret": _count(lambda query, _: len(query.judged.retrieved()) - len(query.hits)),
    "yaap": TrecMeasure(robertson_average_precision),
    "rbp": _gains(rank_biased_precision),
    "rbp_resid": _gains(rank_biased_residual),
    "unj": _cuts(of_catalogue("Unjudged", "judged"), (5, 10, 20)),
}
"""trec_eval's measures in the order in which it prints them."""
