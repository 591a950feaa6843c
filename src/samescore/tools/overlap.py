"""rbo: how alike two runs rank, without judgements."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from ..display import Displayed, Part, Table, finite, mention, plural
from ..errors import InputError, setting, short
from ..evaluation import DEFAULT
from ..policy import Policy, check_policy
from ..ranking import order_ranking
from ..readers import Run, RunFile, open_run
from ..typing import RunLike
from .runs import of_run


@dataclass(frozen=True, repr=False)
class RankOverlap(Displayed):
    """What :func:`samescore.rbo` returns: the rank-biased overlap of two runs. ``print`` shows it.

    ``per_query`` is query -> overlap, of the queries for which both runs have documents; ``tied`` are those of them for which a
    run has tied documents, whose order is the policy's; ``only_a`` and ``only_b`` the queries for which one run alone has any.
    """

    p: float
    per_query: Mapping[str, float]
    tied: tuple[str, ...] = ()
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()

    @property
    def mean(self) -> float:
        """The mean over the queries of both runs; NaN over none."""
        return math.fsum(self.per_query.values()) / len(self.per_query) if self.per_query else math.nan

    def parts(self) -> list[Part]:
        """The mean and the extremes, and what it is of."""
        values = list(self.per_query.values()) or [math.nan]
        table = Table(
            ["p", "queries", "mean", "lowest", "highest"], [(self.p, len(self.per_query), self.mean, min(values), max(values))]
        )
        notes = [
            mention(self.tied, "with tied documents, whose order is the policy's", "query", "queries"),
            mention(self.only_a, "in the first run alone, left out", "query", "queries"),
            mention(self.only_b, "in the second run alone, left out", "query", "queries"),
        ]
        return [
            table,
            f"RBO extrapolated, the mean over {plural(len(self.per_query), 'query', 'queries')} of both",
            *filter(None, notes),
        ]

    def records(self) -> Table:
        """A row for each query of both runs."""
        return Table(["query_id", "rbo"], list(self.per_query.items()))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        lists = {"tied": list(self.tied), "only_a": list(self.only_a), "only_b": list(self.only_b)}
        return {"p": self.p, "mean": finite(self.mean), "per_query": dict(self.per_query), **lists}


def rbo(run_a: RunLike, run_b: RunLike, p: float = 0.9, *, policy: Policy = DEFAULT) -> RankOverlap:
    """Tell how alike two runs rank: their rank-biased overlap, extrapolated, from 0 (nothing in common) to 1 (the same).

    Parameters
    ----------
    run_a, run_b : RunLike
        What :func:`samescore.evaluate` takes. A run may be longer than the other.
    p : float
        The persistence, between 0 and 1: the first 10 ranks have 86 % of the weight at 0.9.
    policy : Policy
        How tied documents are ordered, which duplicate counts, and how deep runs are read. RBO for ties that share a rank is not
        computed: the queries with ties are named in ``tied``.

    Returns
    -------
    RankOverlap
        The mean and the value of each query for which both runs have documents.

    Raises
    ------
    InputError
        A p that is not between 0 and 1, and runs without a query in common.
    SamescoreError
        What ``read_run`` raises, and what the policy refuses.

    References
    ----------
    Webber, W., Moffat, A. and Zobel, J. (2010). A similarity measure for indefinite rankings. ACM Transactions on Information
    Systems, 28(4), equation 32.

    Examples
    --------
    >>> found = rbo({"q1": ["a", "b", "c"]}, {"q1": ["b", "a", "c"]})
    >>> round(found.mean, 4)
    0.9
    """
    check_policy(policy)
    if not isinstance(p, Real) or isinstance(p, bool) or not 0 < p < 1:
        raise InputError(f"p is {short(p)}; it is a number between 0 and 1", hint=setting("p", 0.9))
    (a, tied_a), (b, tied_b) = (_listed(name, run, policy) for name, run in (("run_a", run_a), ("run_b", run_b)))
    both = [query for query in a if query in b]
    if not both:
        raise InputError("the runs have documents for no query in common", hint="runs of the same queries")
    return RankOverlap(
        float(p),
        {query: extrapolated(a[query], b[query], float(p)) for query in both},
        tuple(query for query in both if query in tied_a or query in tied_b),
        tuple(query for query in a if query not in b),
        tuple(query for query in b if query not in a),
    )


def _listed(name: str, source: Any, policy: Policy) -> tuple[dict[str, list[str]], set[str]]:
    """Query -> documents in order of rank, each once, where there are any; and the queries with ties."""
    listed, tied = {}, set()
    with of_run(name):
        run: Run | RunFile = open_run(source)
        for query, rows in run.rankings.items():
            order = order_ranking(rows, query, policy)
            if docs := list(dict.fromkeys(order.docs[: policy.depth])):
                listed[query] = docs
            if any(order.tie_groups()[2][: policy.depth]):
                tied.add(query)
    return listed, tied


def extrapolated(a: Sequence[str], b: Sequence[str], p: float) -> float:
    """RBO_EXT of two lists without repeats, neither empty (Webber, Moffat and Zobel 2010, equation 32).

    The overlap at depth d is the number of documents that the first d of both have in common; the agreement beyond what was seen
    is taken to be that of the last depth, and of the shorter list to stay as it is at its end.
    """
    short_list, long_list = sorted((a, b), key=len)
    s, n = len(short_list), len(long_list)
    seen: set[str] = set()
    overlap, at_s, terms = 0, 0, []
    for d in range(1, n + 1):
        for doc in {*short_list[d - 1 : d], long_list[d - 1]}:
            overlap += doc in seen
            seen.add(doc)
        if d <= s and short_list[d - 1] == long_list[d - 1]:
            overlap += 1
        if d == s:
            at_s = overlap
        agreement = overlap / d + (at_s * (d - s) / (s * d) if d > s else 0.0)
        terms.append(agreement * p**d)
    last = (overlap - at_s) / n + at_s / s
    return min(1.0, math.fsum(terms) * (1 - p) / p + last * p**n)
