"""tie_bounds: the lowest, expected and highest value of a measure over all orders of tied documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, compress, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import reference
from ..averaging import mean_or_sum
from ..backends.batches import scores
from ..backends.reference import Reference
from ..display import Displayed, Part, Table, frame
from ..errors import GapError, PolicyError, Wording, clause
from ..measures import Measure, parse_all
from ..policy import Policy
from ..preparation import Prepared, prepare
from ..rankspace import Floats, Ranking, RankSpace, Trace
from ..reference import binary, graded
from ..tie_orders import TINY, judged_ties
from ..typing import MeasuresLike, QrelsLike, RunLike

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Span:
    """A tie group: its ``size`` documents stand on the ranks from ``first``, those that are judged have ``grades``."""

    first: int
    size: int
    grades: tuple[float, ...]

    def ranks(self, deepest: int) -> range:
        """Its ranks, down to the deepest one that counts."""
        return range(self.first, min(self.first + self.size - 1, deepest) + 1)


@dataclass(frozen=True, slots=True)
class Tied:
    """One query: its ranking in some order, for what does not depend on the order, and its tie groups with judged documents."""

    ranking: Ranking
    spans: tuple[Span, ...]

    def groups(self, gain: Callable[[float], float]) -> Iterator[tuple[Span, list[float]]]:
        """Each tie group with the gains of its judged documents."""
        return ((span, [gain(grade) for grade in span.grades]) for span in self.spans)

    def deepest(self, cutoff: int | None) -> int:
        """The last rank that counts."""
        return min(self.ranking.depth, cutoff or self.ranking.depth)


def tied(space: RankSpace, trace: Trace, i: int, *, condensed: bool, depth: int | None) -> Tied:
    """The i-th query; ``condensed`` drops unjudged documents, so that ties are among the judged alone."""
    ranking, start = space.ranking(i), int(space.start[i])
    grades = [grade for _, grade in ranking.retrieved()]
    retrieved = slice(start, start + len(grades))
    hits = zip(trace.first[retrieved].tolist(), trace.last[retrieved].tolist(), grades, strict=True)
    groups = [(ends, tuple(grade for *_, grade in rows)) for ends, rows in groupby(hits, key=itemgetter(0, 1))]
    if condensed:
        firsts = accumulate((len(some) for _, some in groups), initial=1)
        spans = tuple(Span(first, len(some), some) for first, (_, some) in zip(firsts, groups, strict=False))
        return Tied(Ranking(len(grades), tuple((place, grade) for place, (_, grade) in enumerate(ranking.judged, 1))), spans)
    spans = tuple(Span(first, last - first + 1, some) for (first, last), some in groups)
    return Tied(Ranking(min(ranking.depth, depth or ranking.depth), ranking.judged), spans)


Expectation = Callable[[Tied, Measure], float]


def weighted(tied: Tied, cutoff: int | None, weight: Callable[[int], float], gain: Callable[[float], float]) -> float:
    """The sum of gain times weight over ranks: on each rank of a tie group stands its mean gain."""
    deepest = tied.deepest(cutoff)
    return sum(sum(gains) / span.size * sum(map(weight, span.ranks(deepest))) for span, gains in tied.groups(gain) if any(gains))


def hits(tied: Tied, measure: Measure, cutoff: int | None = None) -> float:
    """How many relevant documents are expected down to a cutoff, by default the measure's."""
    return weighted(tied, cutoff or measure.cutoff, lambda rank: 1.0, _relevant(measure))


def _to_find(tied: Tied, measure: Measure) -> int:
    """R: how many documents are relevant."""
    return binary.relevant(tied.ranking, measure)


def _at_best(tied: Tied, measure: Measure) -> int:
    """min(k, R)."""
    total = _to_find(tied, measure)
    return min(measure.cutoff or total, total)


def _looked_at(tied: Tied, measure: Measure) -> int:
    """k, or how many documents were retrieved."""
    n = measure.cutoff or tied.ranking.depth
    return max(min(n, tied.ranking.depth), 1) if measure.get("returned") is True else n


def _relevant(measure: Measure) -> Callable[[float], float]:
    """1 for a grade that is relevant to a measure, else 0."""
    least = binary.level(measure)
    return lambda grade: float(grade >= least)


def _first_relevant(tied: Tied, measure: Measure) -> Iterator[tuple[int, float]]:
    """The ranks down to the cutoff on which the first relevant document can stand, and the probability of each.

    They are those of the first tie group that has one: there the i-th of n documents, r of them relevant, is relevant with
    probability r / (n - i + 1) if none before it is.
    """
    deepest = tied.deepest(measure.cutoff)
    for span, gains in tied.groups(_relevant(measure)):
        if relevant := int(sum(gains)):
            none_yet = 1.0
            for left, rank in zip(range(span.size, 0, -1), span.ranks(deepest), strict=False):
                chance = min(relevant / left, 1.0)
                yield rank, none_yet * chance
                none_yet *= 1 - chance
            return


def average_precision(tied: Tied, measure: Measure) -> float:
    """AP: on the i-th rank of a tie group of n with r relevant stands one with probability r / n, and above it in the group
    (i - 1) (r - 1) / (n - 1) others are expected."""
    above, value = 0.0, 0.0
    for span, gains in tied.groups(_relevant(measure)):
        r, n = sum(gains), span.size
        beside = (r - 1) / (n - 1) if n > 1 else 0.0
        ranks = span.ranks(tied.deepest(measure.cutoff))
        value += sum(r / n * (above + 1 + (i - 1) * beside) / rank for i, rank in enumerate(ranks, 1))
        above += r
    divisor: Callable[[Tied, Measure], float] = {"min": _at_best, "k": _looked_at}.get(str(measure.get("norm")), _to_find)
    return value / divisor(tied, measure)


def dcg(tied: Tied, measure: Measure) -> float:
    """DCG: expected gain / log2(rank + 1)."""
    return weighted(
        tied, measure.cutoff, lambda rank: 1 / graded.discount(rank, measure), lambda grade: graded.gain(grade, measure)
    )


def rank_biased_precision(tied: Tied, measure: Measure) -> float:
    """RBP: expected gain times p^(rank - 1); what a document is worth on rank 1 is the definition's own value for it alone."""
    p = measure.number("p")

    def worth(grade: float) -> float:
        return reference.value(Ranking(1, ((1, grade),)), measure) or 0.0

    return weighted(tied, measure.cutoff, lambda rank: p ** (rank - 1), worth)


EXPECTED: Mapping[str, Expectation] = {
    "P": lambda tied, measure: hits(tied, measure) / _looked_at(tied, measure),
    "R": lambda tied, measure: hits(tied, measure) / _to_find(tied, measure),
    "R_cap": lambda tied, measure: hits(tied, measure) / _at_best(tied, measure),
    # 2 P R / (P + R), which is linear in hits
    "F1": lambda tied, measure: 2 * hits(tied, measure) / (_looked_at(tied, measure) + _to_find(tied, measure)),
    "Success": lambda tied, measure: min(math.fsum(chance for _, chance in _first_relevant(tied, measure)), 1.0),
    "Rprec": lambda tied, measure: hits(tied, measure, _to_find(tied, measure)) / _to_find(tied, measure),
    "RR": lambda tied, measure: sum(chance / rank for rank, chance in _first_relevant(tied, measure)),
    "AP": average_precision,
    "DCG": dcg,
    # no order changes the ideal DCG
    "nDCG": lambda tied, measure: dcg(tied, measure) / (graded.ideal_dcg(tied.ranking, measure) or 1.0),
    "RBP": rank_biased_precision,
}
"""Measure -> its expected value for one query where it is defined."""

DEFAULT = Policy()

BOUNDS = ("lowest", "expected", "highest", "value")


@dataclass(frozen=True, slots=True, repr=False)
class TieBounds(Displayed):
    """What the order of tied documents can make of some measures. ``values`` holds four arrays of shape (queries, measures).

    They are the ``lowest``, the ``expected`` (all orders equally likely) and the ``highest`` value, and the ``value`` under the
    policy; NaN where a query is left out of the mean.
    """

    measures: tuple[Measure, ...]
    queries: tuple[str, ...]
    values: dict[str, Floats]
    policy: Policy

    @property
    def table(self) -> pandas.DataFrame:
        """A row for each measure: the four means, and for how many queries the order changes the value."""
        columns = {"measure": "object", **dict.fromkeys(BOUNDS, "float"), "changed": "int"}
        return frame(self.records().rows, columns, index="measure")

    def records(self) -> Table:
        """A row for each measure."""
        rows = [(str(m), *(self.mean(m, bound) for bound in BOUNDS), len(self.changed(m))) for m in self.measures]
        return Table(["measure", *BOUNDS, "changed"], rows)

    @property
    def per_query(self) -> pandas.DataFrame:
        """A row for each query that is averaged and each measure."""
        return frame(self.rows(), {"query_id": "object", "measure": "object", **dict.fromkeys(BOUNDS, "float")})

    def rows(self) -> list[tuple[Any, ...]]:
        """Query, measure and the four values, for each query that is averaged and each measure."""
        return [
            (query, str(measure), *(float(self.values[b][i, j]) for b in BOUNDS))
            for i, query in enumerate(self.queries)
            for j, measure in enumerate(self.measures)
            if not np.isnan(self.values["value"][i, j])
        ]

    def mean(self, measure: Measure, bound: str) -> float:
        """The mean of a bound over the queries that are averaged."""
        return mean_or_sum(self.values[bound][:, self.measures.index(measure)], measure)[0]

    def changed(self, measure: Measure) -> tuple[str, ...]:
        """The ids of the queries for which the order of tied documents changes a measure."""
        lowest, highest = (self.values[bound][:, self.measures.index(measure)] for bound in ("lowest", "highest"))
        return tuple(compress(self.queries, (highest - lowest > TINY).tolist()))

    def holds(self, measure: Measure, query: str | None, value: float, within: float = 0.0) -> bool:
        """Whether some order gives a query (None: the mean) a value, as far as rounding tells; an unknown query has none."""
        if query is None:
            low, high = self.mean(measure, "lowest"), self.mean(measure, "highest")
        elif query in self.queries:
            at = self.queries.index(query), self.measures.index(measure)
            low, high = self.values["lowest"][at], self.values["highest"][at]
        else:
            return False
        return bool(low - within <= value <= high + within)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        rows = [dict(zip(("query_id", "measure", *BOUNDS), row, strict=True)) for row in self.rows()]
        means = {str(m): {**{b: self.mean(m, b) for b in BOUNDS}, "changed": list(self.changed(m))} for m in self.measures}
        return {"policy": self.policy.signature, "measures": means, "per_query": rows}

    def parts(self) -> list[Part]:
        """The means, and for how many queries the order changes some measure."""
        changed = {query for measure in self.measures for query in self.changed(measure)}
        averaged = int((~np.isnan(self.values["value"])).any(axis=1).sum())
        sentence = f"the order of tied documents changes some measure for {len(changed)} of {averaged} queries"
        return [Table(["measure", *BOUNDS, "queries changed"], self.records().rows), sentence]


def tie_bounds(run: RunLike, qrels: QrelsLike, measures: MeasuresLike, *, policy: Policy = DEFAULT) -> TieBounds:
    """The lowest, expected and highest value of measures over all orders of tied documents.

    The expected value is that of a random order, in closed form [1]_.

    Parameters
    ----------
    run, qrels
        As for :func:`samescore.evaluate`.
    measures : str, Measure or several
        P, R, R_cap, F1, Success, Rprec, RR, AP, DCG, nDCG and RBP, with any cutoff.
    policy : Policy
        What decides everything else; its order of ties gives ``value``, the one that :func:`samescore.evaluate` has.

    Returns
    -------
    TieBounds
        The means in ``table``, the values of queries in ``per_query``.

    Raises
    ------
    GapError
        For other measures.
    PolicyError
        For a policy that counts a document twice, and for one that both cuts and condenses rankings.
    SamescoreError
        What :func:`samescore.evaluate` raises.

    References
    ----------
    .. [1] McSherry and Najork 2008, "Computing information retrieval performance measures efficiently in the presence of tied
       scores", ECIR.

    Examples
    --------
    >>> bounds = tie_bounds({"q": {"d1": 1.0, "d2": 1.0}}, {"q": {"d1": 1}}, ["RR"])
    >>> bounds.table.loc["RR", ["lowest", "expected", "highest"]].tolist()
    [0.5, 0.75, 1.0]
    """
    requested = parse_all(measures)
    for measure in requested:
        if not bounded(measure):
            raise GapError(f"tie_bounds has no closed form for {measure}", hint=", ".join(EXPECTED))
    prepared = prepare(run, qrels, requested, policy=policy)
    ranked, resolved = prepared.ranked, prepared.resolved
    if ranked.before_cut.repeat is not None:
        what = "tie bounds count each document once, and this policy counts some twice"
        raise PolicyError(what, hint=clause("duplicates", "first"))
    if policy.duplicates == "hold" and ranked.notes.tied.keys() & ranked.notes.duplicates.keys():
        query = next(query for query in ranked.notes.tied if query in ranked.notes.duplicates)
        what = "tie bounds are not known where a ranking holds repeated documents beside ties"
        raise PolicyError(what, query=query, hint=clause("duplicates", "first"))
    condense = policy.unjudged == "drop" or any(measure.get("judged_only") is True for measure in requested)
    if policy.depth is not None and condense and ranked.notes.tied:
        what = "the expected value is not known where rankings are cut and then condensed"
        hint = Wording(clause("depth", None), ", or ", clause("unjudged", "nonrelevant"), " and measures without judged_only")
        raise PolicyError(what, hint=hint)
    value = scores(Reference(), ranked.spaces, resolved, prepared.status.to_compute)
    averaged = {bound: prepared.complete(values)[0] for bound, values in _bounds(prepared, value).items()}
    return TieBounds(tuple(requested), tuple(prepared.queries), averaged, policy)


def bounded(measure: Measure) -> bool:
    """Whether :func:`tie_bounds` has a measure."""
    return measure.name in EXPECTED and measure.get("norm") != "hits"  # of which the order changes the number


def _bounds(prepared: Prepared, value: Floats) -> dict[str, Floats]:
    """The bounds of all queries; where the order changes nothing, they are the value."""
    bounds = {bound: value.copy() for bound in BOUNDS}
    ties, policy = judged_ties(prepared), prepared.policy
    if ties is None:
        return bounds
    low, high = ties.extremes()
    bounds["lowest"][ties.rows] = np.where(ties.to_compute, low, np.nan)
    bounds["highest"][ties.rows] = np.where(ties.to_compute, high, np.nan)
    for i, j in zip(*np.nonzero(ties.to_compute & (high - low > TINY)), strict=True):
        measure = ties.measures[j]
        condensed = policy.unjudged == "drop" or measure.get("judged_only") is True
        one = tied(ties.space, ties.trace, int(i), condensed=condensed, depth=policy.depth)
        bounds["expected"][ties.rows[i], j] = EXPECTED[measure.name](one, measure)
    return bounds
