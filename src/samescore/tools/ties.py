"""tie_bounds: the lowest, expected and highest value of a measure over all orders of tied documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import reference
from ..averaging import aggregated
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


def tied(space: RankSpace, trace: Trace, i: int, *, condensed: bool, depth: int | None) -> Tied:
    """The i-th query; ``condensed`` drops unjudged documents, so that ties are among the judged alone."""
    a, b = int(space.start[i]), int(space.start[i + 1])
    hits = int(np.count_nonzero(space.place[a:b] <= space.depth[i]))
    grades, first, last = space.grade[a : a + hits].tolist(), trace.first[a : a + hits].tolist(), trace.last[a : a + hits].tolist()
    members: dict[tuple[int, int], list[float]] = {}
    for grade, ends in zip(grades, zip(first, last, strict=True), strict=True):
        members.setdefault(ends, []).append(grade)
    ranking = space.ranking(i)
    if condensed:
        shorter = Ranking(hits, tuple((place, grade) for place, (_, grade) in enumerate(ranking.judged, 1)))
        return Tied(shorter, tuple(_close_up(list(members.values()))))
    spans = tuple(Span(low, high - low + 1, tuple(some)) for (low, high), some in members.items())
    return Tied(Ranking(min(ranking.depth, depth or ranking.depth), ranking.judged), spans)


def _close_up(groups: Sequence[Sequence[float]]) -> Iterator[Span]:
    """Groups of judged documents, one after the other."""
    first = 1
    for grades in groups:
        yield Span(first, len(grades), tuple(grades))
        first += len(grades)


Expectation = Callable[[Tied, Measure], float]


def weighted(tied: Tied, measure: Measure, weight: Callable[[int], float], gain: Callable[[float], float]) -> float:
    """The sum of gain times weight over ranks: on each rank of a tie group stands its mean gain."""
    deepest = _deepest(tied, measure)
    return sum(sum(gains) / span.size * sum(map(weight, span.ranks(deepest))) for span, gains in tied.groups(gain) if any(gains))


def hits(tied: Tied, measure: Measure) -> float:
    """How many relevant documents are expected down to the cutoff."""
    return weighted(tied, measure, lambda rank: 1.0, _relevant(measure))


def precision(tied: Tied, measure: Measure) -> float:
    """P: expected hits / k."""
    n = measure.cutoff or tied.ranking.depth
    return hits(tied, measure) / n if n else 0.0


def recall(tied: Tied, measure: Measure) -> float:
    """R: expected hits / R."""
    return hits(tied, measure) / binary.relevant(tied.ranking, measure)


def capped_recall(tied: Tied, measure: Measure) -> float:
    """R_cap: expected hits / min(k, R)."""
    total = binary.relevant(tied.ranking, measure)
    return hits(tied, measure) / min(measure.cutoff or total, total)


def f1(tied: Tied, measure: Measure) -> float:
    """F1: 2 P R / (P + R) is 2 hits / (k + R), which is linear in hits."""
    return 2 * hits(tied, measure) / ((measure.cutoff or tied.ranking.depth) + binary.relevant(tied.ranking, measure))


def r_precision(tied: Tied, measure: Measure) -> float:
    """Rprec: expected hits in R / R."""
    total = binary.relevant(tied.ranking, measure)
    return weighted(tied, measure, lambda rank: float(rank <= total), _relevant(measure)) / total


def dcg(tied: Tied, measure: Measure) -> float:
    """DCG: expected gain / log2(rank + 1)."""
    return weighted(tied, measure, lambda rank: 1 / math.log2(rank + 1), lambda grade: graded.gain(grade, measure))


def ndcg(tied: Tied, measure: Measure) -> float:
    """nDCG: expected DCG / ideal DCG, which no order changes."""
    return dcg(tied, measure) / (graded.ideal_dcg(tied.ranking, measure) or 1.0)


def success(tied: Tied, measure: Measure) -> float:
    """Success: the probability that the first relevant document stands above the cutoff."""
    return min(math.fsum(chance for _, chance in _first_relevant(tied, measure)), 1.0)


def reciprocal_rank(tied: Tied, measure: Measure) -> float:
    """RR: the sum of 1 / rank times the probability that the first relevant document stands there."""
    return sum(chance / rank for rank, chance in _first_relevant(tied, measure))


def _first_relevant(tied: Tied, measure: Measure) -> Iterator[tuple[int, float]]:
    """The ranks down to the cutoff on which the first relevant document can stand, and the probability of each.

    They are those of the first tie group that has one: there the i-th of n documents, r of them relevant, is relevant with
    probability r / (n - i + 1) if none before it is.
    """
    deepest = _deepest(tied, measure)
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
    total, deepest = binary.relevant(tied.ranking, measure), _deepest(tied, measure)
    above, value = 0.0, 0.0
    for span, gains in tied.groups(_relevant(measure)):
        r, n = sum(gains), span.size
        beside = (r - 1) / (n - 1) if n > 1 else 0.0
        value += sum(r / n * (above + 1 + (i - 1) * beside) / rank for i, rank in enumerate(span.ranks(deepest), 1))
        above += r
    return value / (min(measure.cutoff or total, total) if measure.get("norm") == "min" else total)


def _deepest(tied: Tied, measure: Measure) -> int:
    """The last rank that counts."""
    return min(tied.ranking.depth, measure.cutoff or tied.ranking.depth)


def _relevant(measure: Measure) -> Callable[[float], float]:
    """1 for a grade that is relevant to a measure, else 0."""
    least = binary.level(measure)
    return lambda grade: float(grade >= least)


def rank_biased_precision(tied: Tied, measure: Measure) -> float:
    """RBP: expected gain times p^(rank - 1); what a document is worth on rank 1 is the definition's own value for it alone."""
    p = measure.number("p")
    return weighted(
        tied, measure, lambda rank: p ** (rank - 1), lambda grade: reference.value(Ranking(1, ((1, grade),)), measure) or 0.0
    )


EXPECTED: Mapping[str, Expectation] = {
    "P": precision,
    "R": recall,
    "R_cap": capped_recall,
    "F1": f1,
    "Success": success,
    "Rprec": r_precision,
    "RR": reciprocal_rank,
    "AP": average_precision,
    "DCG": dcg,
    "nDCG": ndcg,
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
        return aggregated(self.values[bound][:, self.measures.index(measure)], measure)[0]

    def changed(self, measure: Measure) -> tuple[str, ...]:
        """The ids of the queries for which the order of tied documents changes a measure."""
        j = self.measures.index(measure)
        some = self.values["highest"][:, j] - self.values["lowest"][:, j] > TINY
        return tuple(self.queries[i] for i in np.flatnonzero(some).tolist())

    def holds(self, measure: Measure, query: str | None, value: float, within: float = 0.0) -> bool:
        """Whether some order gives a query (None: the mean) a value, as far as rounding tells; an unknown query has none."""
        if query is None:
            low, high = self.mean(measure, "lowest"), self.mean(measure, "highest")
        elif query in self.queries:
            i, j = self.queries.index(query), self.measures.index(measure)
            low, high = float(self.values["lowest"][i, j]), float(self.values["highest"][i, j])
        else:
            return False
        return low - within <= value <= high + within

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        rows = [dict(zip(("query_id", "measure", *BOUNDS), row, strict=True)) for row in self.rows()]
        means = {str(m): {**{b: self.mean(m, b) for b in BOUNDS}, "changed": list(self.changed(m))} for m in self.measures}
        return {"policy": self.policy.signature, "measures": means, "per_query": rows}

    def parts(self) -> list[Part]:
        """The means, and for how many queries the order changes some measure."""
        return [Table(["measure", *BOUNDS, "queries changed"], self.records().rows), self._changing()]

    def _changing(self) -> str:
        """For how many queries the order changes some measure."""
        some = {query for measure in self.measures for query in self.changed(measure)}
        n = int((~np.isnan(self.values["value"])).any(axis=1).sum())
        return f"the order of tied documents changes some measure for {len(some)} of {n} queries"


def tie_bounds(run: Any, qrels: Any, measures: Any, *, policy: Policy = DEFAULT) -> TieBounds:
    """The lowest, expected and highest value of measures over all orders of tied documents.

    The expected value is that of a random order, in closed form (McSherry and Najork 2008). ``measures`` are P, R, R_cap, F1,
    Success, Rprec, RR, AP, DCG, nDCG and RBP, with any cutoff; ``policy`` decides everything but the order of ties, which
    decides ``value``, the one that :func:`samescore.evaluate` gives.

    Raises GapError for other measures, PolicyError for a policy that counts a document twice and for one that both cuts and
    condenses rankings, and what :func:`samescore.evaluate` raises.

    >>> bounds = tie_bounds({"q": {"d1": 1.0, "d2": 1.0}}, {"q": {"d1": 1}}, ["RR"])
    >>> bounds.table.loc["RR", ["lowest", "expected", "highest"]].tolist()
    [0.5, 0.75, 1.0]
    """
    requested = parse_all(measures)
    _refuse_gaps(requested)
    prepared = prepare(run, qrels, requested, policy=policy)
    ranked, resolved = prepared.ranked, prepared.resolved
    if ranked.uncut.repeat is not None:
        raise PolicyError(
            "tie bounds count each document once, and this policy counts some twice", hint=clause("duplicates", "first")
        )
    condense = policy.unjudged == "drop" or any(measure.get("judged_only") is True for measure in requested)
    if policy.depth is not None and condense and ranked.notes.tied:
        what = "the expected value is not known where rankings are cut and then condensed"
        hint = Wording(clause("depth", None), ", or ", clause("unjudged", "nonrelevant"), " and measures without judged_only")
        raise PolicyError(what, hint=hint)
    value = scores(Reference(), ranked.spaces, resolved, prepared.status.to_compute)
    bounds = {"value": value, **_bounds(prepared, value)}
    averaged = {bound: prepared.as_averaged(values)[0] for bound, values in bounds.items()}
    return TieBounds(tuple(requested), tuple(prepared.queries), averaged, policy)


def bounded(measure: Measure) -> bool:
    """Whether :func:`tie_bounds` has a measure."""
    return measure.name in EXPECTED


def _refuse_gaps(measures: Sequence[Measure]) -> None:
    """Raise GapError for a measure of which no closed form is known."""
    for measure in measures:
        if not bounded(measure):
            raise GapError(f"tie_bounds has no closed form for {measure}", hint=", ".join(EXPECTED))


def _bounds(prepared: Prepared, value: Floats) -> dict[str, Floats]:
    """The bounds of all queries; where the order changes nothing, they are the value."""
    ties, policy = judged_ties(prepared), prepared.policy
    lowest, expected, highest = value.copy(), value.copy(), value.copy()
    if ties is None:
        return {"lowest": lowest, "expected": expected, "highest": highest}
    low, high = ties.extremes()
    place = {query: i for i, query in enumerate(prepared.queries)}
    rows = np.array([place[query] for query in ties.trace.queries])
    lowest[rows], highest[rows] = np.where(ties.to_compute, low, np.nan), np.where(ties.to_compute, high, np.nan)
    for i, j in zip(*np.nonzero(ties.to_compute & (high - low > TINY)), strict=True):
        measure = prepared.resolved[j]
        condensed = policy.unjudged == "drop" or measure.get("judged_only") is True
        one = tied(ties.space, ties.trace, int(i), condensed=condensed, depth=policy.depth)
        expected[rows[i], j] = EXPECTED[measure.name](one, measure)
    return {"lowest": lowest, "expected": expected, "highest": highest}
