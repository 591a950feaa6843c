"""tie_bounds: the lowest, expected and highest value of a measure over all orders of tied documents."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..averaging import aggregated, settled, standing
from ..backends.reference import Reference
from ..backends.sending import scores
from ..dataframes import frame
from ..errors import GapError, PolicyError
from ..grading import refuse_grades
from ..measures import Measure, parse_all
from ..orders import TINY, ties
from ..policy import Policy
from ..ranking import Ranked, rank
from ..rankspace import Floats
from ..readers import recognise_qrels, recognise_run
from ..render import aligned, piped
from .expected import EXPECTED
from .spans import tied

if TYPE_CHECKING:
    import pandas

DEFAULT = Policy()
BOUNDS = ("lowest", "expected", "highest", "value")


@dataclass(frozen=True, slots=True)
class TieBounds:
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
        rows = [(str(m), *(self.mean(m, b) for b in BOUNDS), len(self.changed(m))) for m in self.measures]
        return frame(rows, {"measure": "object", **dict.fromkeys(BOUNDS, "float"), "changed": "int"}, index="measure")

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

    def to_json(self, *, indent: int | None = 2) -> str:
        """:meth:`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_markdown(self) -> str:
        """The means as a Markdown table, with the number of queries below."""
        return "\n".join([piped(*self.cells()), "", f"- {self.told()}"])

    def __str__(self) -> str:
        return "\n".join([aligned(*self.cells()), "", self.told()])

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Head and rows of the printed table."""
        rows = [[str(m), *(f"{self.mean(m, b):.4f}" for b in BOUNDS), str(len(self.changed(m)))] for m in self.measures]
        return ["measure", *BOUNDS, "queries changed"], rows

    def told(self) -> str:
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
    asked = parse_all(measures)
    resolved = [policy.resolve(measure) for measure in asked]
    _refuse_gaps(asked)
    ranked = rank(recognise_run(run), recognise_qrels(qrels), policy)
    refuse_grades(ranked, resolved, policy)
    if ranked.whole.again is not None:
        raise PolicyError(
            "tie bounds count each document once, and this policy counts some twice", hint="Policy(duplicates='first')"
        )
    condense = policy.unjudged == "drop" or any(measure.get("judged_only") is True for measure in asked)
    if policy.depth is not None and condense and ranked.notes.tied:
        what = "the expected value is not known where rankings are cut and then condensed"
        raise PolicyError(what, hint="leave out depth, or unjudged='drop' and judged_only")
    stands = standing(ranked.spaces, ranked.trace, resolved, policy, np.ones(len(ranked.space), dtype=bool))
    value = scores(Reference(), ranked.spaces, resolved, stands.wanted)
    computed = {"value": value, **_bounds(ranked, resolved, stands.wanted, value, policy)}
    final = {bound: settled(values, stands, policy) for bound, values in computed.items()}
    return TieBounds(tuple(asked), tuple(ranked.trace.queries), final, policy)


def bounded(measure: Measure) -> bool:
    """Whether :func:`tie_bounds` has a measure."""
    return measure.name in EXPECTED


def _refuse_gaps(measures: Sequence[Measure]) -> None:
    """Raise GapError for a measure of which no closed form is known."""
    for measure in measures:
        if not bounded(measure):
            raise GapError(f"tie_bounds has no closed form for {measure}", hint=", ".join(EXPECTED))


def _bounds(ranked: Ranked, measures: Sequence[Measure], wanted: Any, value: Floats, policy: Policy) -> dict[str, Floats]:
    """The bounds of all queries; where the order changes nothing, they are the value."""
    found = ties(ranked, measures, wanted, policy)
    lowest, expected, highest = value.copy(), value.copy(), value.copy()
    if found is None:
        return {"lowest": lowest, "expected": expected, "highest": highest}
    low, high = found.extremes()
    place = {query: i for i, query in enumerate(ranked.trace.queries)}
    rows = np.array([place[query] for query in found.trace.queries])
    lowest[rows], highest[rows] = np.where(found.wanted, low, np.nan), np.where(found.wanted, high, np.nan)
    for i, j in zip(*np.nonzero(found.wanted & (high - low > TINY)), strict=True):
        measure = measures[j]
        condensed = policy.unjudged == "drop" or measure.get("judged_only") is True
        one = tied(found.space, found.trace, int(i), condensed=condensed, depth=policy.depth)
        expected[rows[i], j] = EXPECTED[measure.name](one, measure)
    return {"lowest": lowest, "expected": expected, "highest": highest}
