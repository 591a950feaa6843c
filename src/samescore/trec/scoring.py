"""Which queries trec_eval scores, and what becomes of their values in the summary."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import GradeError, MismatchError, PolicyError, spot
from ..policy import Policy
from ..ranking import Ranked, rank
from ..rankspace import Ranking, RankSpace
from ..readers import Qrels, Run
from .asking import Column
from .seen import Seen, added

Value = float | str

POLICY = Policy.trec_eval()

EMPTIED = ("num_ret", "utility", "relstring", "rbp_resid")
"""The columns that are emptied for a query that the run lacks; one of these with parameters has another name, and is not."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What trec_eval would print.

    ``values`` holds a row for each of ``queries``, with an item for each of ``columns``; ``summary`` what stands under
    "all". ``missing`` are the judged queries that the run lacks and that were left out.
    """

    columns: Sequence[Column]
    queries: Sequence[str]
    values: Sequence[Sequence[Value]]
    summary: Sequence[Value]
    missing: Sequence[str]


def score(run: Run, qrels: Qrels, columns: Sequence[Column], *, policy: Policy = POLICY, collection: int = 0) -> Scores:
    """The values of trec_eval's measures, by query and in the summary, under ``Policy.trec_eval()`` or one that departs from it.

    ``columns`` come from :func:`asked`; ``collection`` is the number of documents that there are (-N), which ``utility``
    can read. Queries stand in order of their ids. Under ``missing="zero"`` (-c) a query that the run lacks is scored as
    one unjudged document, as trec_eval 10 does, and then some of its columns are emptied.

    Raises GradeError for a fractional grade, which trec_eval cannot read, MismatchError where run and qrels share no
    query, PolicyError for a document that is retrieved twice and for clauses that trec_eval has no room for.

    >>> from samescore import read_qrels, read_run
    >>> from samescore.trec import asked
    >>> score(read_run({"q": ["a", "b"]}), read_qrels({"q": {"b": 1, "c": 1}}), asked(["map", "P.2"])).summary
    [0.25, 0.5]
    """
    _refuse_policy(policy)
    ranked = rank(run, qrels, policy.but(negatives="nonrelevant", unjudged="nonrelevant"))
    space, complete = _pool(ranked, policy), policy.missing == "zero"
    answered = dict(zip(ranked.trace.queries, ranked.trace.answered.tolist(), strict=True))
    queries = sorted(query for query, there in answered.items() if there or complete)
    if not queries:
        raise MismatchError("no query has both results and judgements", hint="check that the files belong together")
    at = dict(zip(answered, range(len(answered)), strict=True))
    values = []
    for query in queries:
        ranking = space.ranking(at[query])
        if not answered[query] and policy.unjudged != "drop":
            ranking = _stand_in(ranking)
        seen = Seen.of(ranking, level=policy.relevance_level, collection=collection)
        row = [column.entry.value(seen, column.param) for column in columns]
        values.append(row if answered[query] else _emptied(row, columns))
    # With -c trec_eval counts the grades above 0, whatever the relevance level.
    totals = {"runid": run.tag} | ({"num_rel": int((space.grade > 0).sum())} if complete else {})
    summary = [totals.get(c.measure, _summary(c, [row[i] for row in values])) for i, c in enumerate(columns)]
    return Scores(columns, queries, values, summary, () if complete else sorted(q for q, there in answered.items() if not there))


def _refuse_policy(policy: Policy) -> None:
    """Raise PolicyError for a clause that trec_eval's measures have no room for."""
    fixed = {name: getattr(POLICY, name) for name in ("empty", "gain", "negatives")}
    if policy != policy.but(**fixed) or policy.missing == "error" or policy.duplicates == "each":
        known = ", ".join(f"{name}={value!r}" for name, value in fixed.items())
        what = f"trec_eval knows {known}, missing='zero' or 'skip', and no duplicates='each'"
        raise PolicyError(what, hint="Policy.trec_eval(complete=True, relevance_level=2)")


def _pool(ranked: Ranked, policy: Policy) -> RankSpace:
    """Rank space with its grades below 0, of documents that are in the pool and not judged; none where these are dropped.

    Raises GradeError for a grade that trec_eval would read as another.
    """
    space = ranked.space
    fractions = np.flatnonzero(space.grade % 1)
    if len(fractions):
        row = int(fractions[0])
        where = spot(query=ranked.trace.queries[int(space.query[row])], doc=ranked.trace.docs[row])
        raise GradeError(
            f"the grade is {space.grade[row]}, and trec_eval reads whole grades", where=where, hint="samescore evaluate"
        )
    return space.keep(space.grade >= 0).condensed() if policy.unjudged == "drop" else space


def _stand_in(ranking: Ranking) -> Ranking:
    """The ranking of one unjudged document that trec_eval takes for a query that the run lacks."""
    return Ranking(1, tuple((place + 1, grade) for place, grade in ranking.judged))


def _emptied(row: list[Value], columns: Sequence[Column]) -> list[Value]:
    """The values of a query that the run lacks."""
    empty = [column.name in EMPTIED or column.measure == "unj" for column in columns]
    return [type(value)() if e else value for value, e in zip(row, empty, strict=True)]


def _summary(column: Column, values: list[Any]) -> Value:
    """What stands under "all" for the values of the queries."""
    if column.entry.summary == "none":
        return ""
    total = added(values)
    if column.entry.summary == "sum":
        return total
    mean = total / len(values)
    return math.exp(mean) if column.entry.summary == "geometric" else mean
