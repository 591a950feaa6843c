"""Label bounds: how far a score could move if the documents without a judgement were judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..averaging import mean
from ..dataframes import frame
from ..errors import GradeError, short
from ..evaluation import evaluate
from ..measures import Measure, parse_all
from ..policy import Policy
from ..ranking import Judgements, Notes, judge, listed
from ..rankspace import Floats
from ..readers import Grade, Qrels, Run
from ..readers.values import as_grade
from ..result import Result
from .labelling import read_both

if TYPE_CHECKING:
    import pandas

DEFAULT = Policy()

MONOTONE = ("P", "Success", "Hits", "RR", "DCG", "RBP")
"""Measures that a further relevant document never lowers, since they read neither R nor an ideal."""

COLUMNS = {"value": "float64", "low": "float64", "high": "float64"}


def label_bounds(
    run: Any,
    qrels: Any,
    measures: Any,
    *,
    grade: float,
    backend: Any = "ir_measures",
    policy: Policy = DEFAULT,
    queries: Iterable[Any] | None = None,
    doc_of: Any = None,
    per_query: bool = False,
) -> pandas.DataFrame:
    """How far each measure could move if every unjudged document were judged, with grades from 0 to ``grade``.

    A DataFrame indexed by measure: value (as :func:`samescore.evaluate` has it), low (no unjudged document is relevant),
    high (every unjudged document in the ranking, down to the measure's cutoff, has ``grade``), kind, queries (how many are
    averaged) and unjudged (how many such documents their rankings hold). For P, Success, Hits, RR, DCG and RBP the kind is
    ``"bounds"``: whatever grades up to ``grade`` are given, the value lies between low and high. Of RBP this is the part of
    the residual of Moffat and Zobel 2008 that judging can settle; ``RBP_residual`` adds what lies below the ranking. For other
    measures it is ``"scenario"``: with the unjudged documents in R and in the ideal as well, other grades can give values
    outside, and high can be less than low.

    The queries averaged are those averaged now; one without a relevant document counts as the policy's ``empty`` says, and
    its bounds allow for judgements that find it one. ``per_query=True`` gives a row for each query and measure instead.

    Raises GradeError for a grade that is not a number above 0, and what :func:`samescore.evaluate` raises.

    >>> run, qrels = {"q1": ["d1", "d2", "d3"]}, {"q1": {"d2": 2, "d3": 1}}
    >>> label_bounds(run, qrels, ["P@2", "RR", "nDCG@2"], grade=1, backend="reference").round(4).reset_index()
      measure   value     low    high      kind  queries  unjudged
    0     P@2  0.5000  0.5000  1.0000    bounds        1         1
    1      RR  0.5000  0.5000  1.0000    bounds        1         1
    2  nDCG@2  0.5213  0.5213  0.7967  scenario        1         1

    The first document is not judged. If it were relevant, precision would be 1; nDCG would not, since the ideal order puts the
    document of grade 2 first.
    """
    worth, asked = _worth(grade), parse_all(measures)
    found, judged = read_both(run, qrels, doc_of)

    def score(judgements: Any, some: Sequence[Measure]) -> Result:
        return evaluate(found, judgements, measures=some, backend=backend, policy=policy, queries=queries)

    now = score(judged, asked)
    grades = judge(judged, policy, Notes())
    moved: dict[Measure, _Moved] = {}
    for cutoff in dict.fromkeys(m.cutoff for m in asked):
        some = [m for m in asked if m.cutoff == cutoff]
        added = _unjudged(found, grades, cutoff, policy)
        none, every = (score(_extended(grades, added, g), some) for g in (0, worth))
        moved |= {m: _moved(m, now, none, every, {q: len(docs) for q, docs in added.items()}) for m in some}
    if per_query:
        rows = [(q, str(m), *values) for m in asked for q, values in moved[m].rows()]
        return frame(rows, {"query_id": "object", "measure": "object", **COLUMNS})
    table = [
        (str(m), *moved[m].means(), "bounds" if _is_bounded(m) else "scenario", len(moved[m].queries), moved[m].unjudged)
        for m in asked
    ]
    columns = {"measure": "object", **COLUMNS, "kind": "object", "queries": "int64", "unjudged": "int64"}
    return frame(table, columns, index="measure")


@dataclass(frozen=True, slots=True)
class _Moved:
    """One measure's values by query: ``values`` has a column each for as it is, low and high."""

    queries: Sequence[str]
    values: Floats
    unjudged: int

    def rows(self) -> Iterable[tuple[str, Sequence[float]]]:
        """Query and its three values."""
        return zip(self.queries, self.values.tolist(), strict=True)

    def means(self) -> list[float]:
        """The mean of each column."""
        return [mean(column)[0] for column in self.values.T]


def _moved(measure: Measure, now: Result, none: Result, every: Result, unjudged: Mapping[str, int]) -> _Moved:
    """The values of the queries that are averaged now, in three columns."""
    name = str(measure)
    value = now.per_query[name].dropna()
    low, high = (result.per_query[name].reindex(value.index) for result in (none, every))
    if _is_bounded(measure):
        # The policy gives a query without a relevant document a value of its own; once one is found, it can be any other.
        undefined = value.index.isin({*now.report.empty, *now.report.undefined.get(name, ())})
        low, high = low.mask(undefined, 0.0), high.mask(undefined, np.maximum(high, value))
    values = np.column_stack([value, low, high])
    return _Moved(value.index.tolist(), values, sum(unjudged.get(query, 0) for query in value.index))


def _is_bounded(measure: Measure) -> bool:
    """Whether low and high are bounds; gains that a caller lists for each grade need not rise with it."""
    return measure.name in MONOTONE and measure.get("gains") is None


def _unjudged(run: Run, grades: Judgements, cutoff: int | None, policy: Policy) -> Mapping[str, list[str]]:
    """The unjudged documents of each judged query, down to a cutoff."""
    full = policy.but(unjudged="nonrelevant")
    both = [query for query in grades if query in run.rankings]
    lists = {query: listed(run.rankings[query], query, grades[query], full)[:cutoff] for query in both}
    return {query: [doc for doc in dict.fromkeys(docs) if doc not in grades[query]] for query, docs in lists.items()}


def _extended(grades: Judgements, added: Mapping[str, list[str]], grade: Grade) -> Qrels:
    """The judgements with one grade for all the unjudged documents."""
    judged = {query: {**own, **dict.fromkeys(added.get(query, ()), grade)} for query, own in grades.items()}
    return Qrels(judged, sum(map(len, judged.values())))


def _worth(grade: Any) -> Grade:
    """The grade for unjudged documents, a number above 0."""
    try:
        worth = as_grade(grade, doc="", query="")
    except GradeError as error:
        raise GradeError(error.what, hint="a grade above 0, such as grade=1") from None
    if worth <= 0:
        raise GradeError(f"the grade for unjudged documents is {short(grade)}, not above 0", hint="grade=1")
    return worth
