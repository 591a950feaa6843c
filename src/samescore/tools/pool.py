"""Labels: what was missed, what should be judged next, and how far the missing judgements could move a score."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import backends
from ..averaging import mean
from ..backends import Backend
from ..display import frame
from ..errors import GradeError, InputError, examples, setting, short
from ..evaluation import DEFAULT, compute, evaluate
from ..measures import Measure, parse_all
from ..policy import Policy, check_policy
from ..preparation import prepare, query_ids, read_inputs
from ..ranking import Judgements, Notes, judge, order_ranking, ranks
from ..readers import Grade, Qrels, Run, document_lookup, load_rows, open_qrels
from ..readers.values import as_grade
from ..result import Result
from ..typing import MeasuresLike, QrelsLike, RunLike, RunsLike
from .annotation import write_pool
from .runs import named_runs, of_run

if TYPE_CHECKING:
    import pandas


def misses(run: RunLike, qrels: QrelsLike, k: int = 10, *, doc_of: Any = None, policy: Policy = DEFAULT) -> pandas.DataFrame:
    """The relevant documents that are not among the first k, with the rank where they stand, if any.

    Parameters
    ----------
    run : RunLike
        What :func:`samescore.evaluate` takes.
    qrels : QrelsLike
        What :func:`samescore.evaluate` takes.
    k : int
        How many documents count as retrieved.
    doc_of : mapping or function, optional
        {chunk: document}, as :func:`samescore.evaluate` takes it.
    policy : Policy
        How the run is ranked; relevant is a grade of at least its ``relevance_level``. All relevant documents of a query that
        the run lacks are missed, unless the policy skips such queries.

    Returns
    -------
    DataFrame
        The columns query_id, doc_id, grade and rank (missing where the document was not retrieved): queries in the order of the
        qrels, within a query the highest grade first, then the best rank.

    Raises
    ------
    MeasureError
        A k below 1.
    InputError, PolicyError
        As :func:`samescore.evaluate` does.

    Examples
    --------
    >>> misses({"q1": ["d1", "d2"]}, {"q1": {"d1": 1, "d2": 2, "d9": 1}}, k=1)
      query_id doc_id  grade  rank
    0       q1     d2      2     2
    1       q1     d9      1  <NA>
    """
    cutoff = as_cutoff(k)
    prepared = prepare(run, qrels, policy=policy, doc_of=doc_of)
    space, trace, judgements = prepared.ranked.before_cut, prepared.ranked.trace, prepared.ranked.judgements
    rank = ranks(space, policy)
    missed = prepared.status.is_averaged[space.query] & (space.grade >= policy.relevance_level) & ((rank == 0) | (rank > cutoff))
    if space.repeat is not None:
        missed &= ~space.repeat
    rows = []
    for row in np.flatnonzero(missed).tolist():
        query, doc = trace.queries[space.query[row]], trace.docs[row]
        rows.append((query, doc, judgements[query][doc], int(rank[row]) or None))
    order = {query: i for i, query in enumerate(trace.queries)}
    rows.sort(key=lambda row: (order[row[0]], -row[2], row[3] is None, row[3], row[1]))
    whole_grades = all(isinstance(grade, int) for _, _, grade, _ in rows)
    return frame(rows, {"query_id": "object", "doc_id": "object", "grade": "int64" if whole_grades else "float64", "rank": "Int64"})


def unjudged(
    runs: RunsLike,
    qrels: QrelsLike,
    k: int = 10,
    *,
    queries: Iterable[Any] | None = None,
    doc_of: Any = None,
    file: str | os.PathLike[str] | None = None,
    policy: Policy = DEFAULT,
    force: bool = False,
) -> pandas.DataFrame:
    """The pool: documents without a judgement among the first k of any run, most useful to judge first.

    Parameters
    ----------
    runs : RunsLike
        What :func:`samescore.compare` takes: name -> run, or paths. One run that is a path, a DataFrame or from
        :func:`samescore.read_run` will do.
    qrels : QrelsLike
        What :func:`samescore.evaluate` takes.
    k : int
        How deep the pool is.
    queries : iterable of ids, optional
        The queries to pool for; all those of the runs by default, also those that the qrels lack.
    doc_of : mapping or function, optional
        {chunk: document}, as :func:`samescore.evaluate` takes it: documents are pooled where runs hold chunks.
    file : path, optional
        A .csv or .tsv file to write for annotators, with an empty column ``relevance`` to be filled;
        :func:`samescore.read_qrels` can read the columns back. Where the file is a pool already, the rows into which annotators
        have written anything stay as they are, with columns of their own, and what is not among them yet follows.
    policy : Policy
        How runs are ranked; one that drops unjudged documents is taken not to.
    force : bool
        Replace the file, whatever it is.

    Returns
    -------
    DataFrame
        The columns query_id, doc_id, runs (how many have the document in their first k) and best_rank: documents of judged
        queries first, then what most runs have, then the best rank.

    Raises
    ------
    MeasureError
        A k below 1.
    InputError, PolicyError
        As :func:`samescore.evaluate` does.
    IdError
        An id that such a file cannot hold.
    WriteError
        The file is no pool, or an input, or cannot be written.

    Examples
    --------
    >>> runs = {"bm25": {"q1": ["d1", "d2"]}, "dense": {"q1": ["d2", "d3"]}}
    >>> unjudged(runs, {"q1": {"d1": 1}}, k=2)
      query_id doc_id  runs  best_rank
    0       q1     d2     2          1
    1       q1     d3     1          2
    """
    check_policy(policy)
    cutoff, judged_runs, judgements = as_cutoff(k), *_read_runs(runs, qrels, policy, doc_of)
    pooled = _pooled_queries(judged_runs, judgements, queries)
    ranks_of: dict[tuple[str, str], list[int]] = {}
    for run in judged_runs:
        for query in filter(pooled.__contains__, run.rankings):
            rank_of = first_ranks(listed_documents(run, query, policy, cutoff))
            for doc in rank_of.keys() - judgements.get(query, {}).keys():
                ranks_of.setdefault((query, doc), []).append(rank_of[doc])
    order = {query: i for i, query in enumerate([*judgements, *pooled])}
    rows = [(query, doc, len(ranks), min(ranks)) for (query, doc), ranks in ranks_of.items()]
    rows.sort(key=lambda row: (row[0] not in judgements, -row[2], row[3], order[row[0]], row[1]))
    pool = frame(rows, {"query_id": "object", "doc_id": "object", "runs": "int64", "best_rank": "int64"})
    if file is not None:
        write_pool(rows, file, inputs=[*named_runs(runs).values(), qrels], force=force)
    return pool


def as_cutoff(k: Any) -> int:
    """A cutoff, checked as that of a measure is."""
    cutoff = Measure("R", k).cutoff
    if cutoff is None:
        raise InputError("k is None; a cutoff is a whole number of at least 1", hint=setting("k", 10))
    return cutoff


def listed_documents(run: Run, query: str, policy: Policy, deepest: int | None = None) -> list[str]:
    """The documents of a query in order of rank, judged or not; none for a query that the run lacks."""
    if query not in run.rankings:
        return []
    return order_ranking(run.rankings[query], query, policy).docs[: policy.depth][:deepest]


def first_ranks(docs: Sequence[str]) -> dict[str, int]:
    """The rank of each document, in order, the first where it has several."""
    ranks = dict(zip(docs, range(1, len(docs) + 1), strict=True))
    if len(ranks) < len(docs):
        ranks.update(zip(reversed(docs), range(len(docs), 0, -1), strict=True))
    return ranks


def _read_runs(runs: RunsLike, qrels: QrelsLike, policy: Policy, doc_of: Any) -> tuple[list[Run], Judgements]:
    """The runs of a pool, with documents for chunks, and the judgements; an error says which run it is about."""
    read_qrels, look_up = open_qrels(qrels), None if doc_of is None else document_lookup(doc_of)
    with_rows = []
    for name, run in named_runs(runs).items():
        with of_run(name):
            with_rows.append(load_rows(read_inputs(run, read_qrels, doc_of=look_up)[0]))
    return with_rows, judge(read_qrels, policy, Notes())


def _pooled_queries(runs: Sequence[Run], judgements: Judgements, queries: Iterable[Any] | None) -> dict[str, None]:
    """The queries to pool for, in order."""
    run_queries = dict.fromkeys(query for run in runs for query in run.rankings)
    if queries is None:
        return run_queries
    requested = query_ids(queries)
    unknown = requested.keys() - run_queries.keys() - judgements.keys()
    if unknown:
        raise InputError(f"queries names ids that neither runs nor qrels have: {examples(sorted(unknown))}", hint="check the ids")
    return requested


MONOTONE = ("P", "Success", "Hits", "RR", "DCG", "RBP")
"""Measures that a further relevant document never lowers, since they read neither R nor an ideal."""

COLUMNS = {"value": "float64", "low": "float64", "high": "float64"}


def label_bounds(
    run: RunLike,
    qrels: QrelsLike,
    measures: MeasuresLike,
    *,
    grade: float,
    backend: str | Backend = "auto",
    policy: Policy = DEFAULT,
    queries: Iterable[Any] | None = None,
    doc_of: Any = None,
    per_query: bool = False,
) -> pandas.DataFrame:
    """How far each measure could move if every unjudged document were judged, with grades from 0 to ``grade``.

    For P, Success, Hits, RR, DCG and RBP these are bounds: whatever grades up to ``grade`` are given, the value lies between low
    and high. Of RBP this is the part of the residual that judging can settle; ``RBP_residual`` adds what lies below the ranking.
    For other measures they are a scenario: with the unjudged documents in R and in the ideal as well, other grades can give
    values outside, and high can be less than low.

    The queries averaged are those averaged now; one without a relevant document counts as the policy's ``empty`` says, and
    its bounds allow for judgements that find it one.

    Parameters
    ----------
    run : RunLike
        What :func:`samescore.evaluate` takes.
    qrels : QrelsLike
        What :func:`samescore.evaluate` takes.
    measures : MeasuresLike
        One measure or several.
    grade : float
        The highest grade that an unjudged document could get, above 0.
    backend, policy, queries, doc_of
        As :func:`samescore.evaluate` takes them.
    per_query : bool
        Whether to give a row for each query and measure instead.

    Returns
    -------
    DataFrame
        Indexed by measure: value (as :func:`samescore.evaluate` has it), low (no unjudged document is relevant), high (every
        unjudged document in the ranking, down to the measure's cutoff, has ``grade``), kind (``"bounds"`` or ``"scenario"``),
        queries (how many are averaged) and unjudged (how many such documents their rankings hold).

    Raises
    ------
    GradeError
        A grade that is not a number above 0.
    SamescoreError
        What :func:`samescore.evaluate` raises.

    References
    ----------
    Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness, for the residual.

    Examples
    --------
    >>> run, qrels = {"q1": ["d1", "d2", "d3"]}, {"q1": {"d2": 2, "d3": 1}}
    >>> label_bounds(run, qrels, ["P@2", "RR", "nDCG@2"], grade=1, backend="reference").round(4).reset_index()
      measure   value     low    high      kind  queries  unjudged
    0     P@2  0.5000  0.5000  1.0000    bounds        1         1
    1      RR  0.5000  0.5000  1.0000    bounds        1         1
    2  nDCG@2  0.5213  0.5213  0.7967  scenario        1         1

    The first document is not judged. If it were relevant, precision would be 1; nDCG would not, since the ideal order puts the
    document of grade 2 first.
    """
    highest, requested = _highest_grade(grade), parse_all(measures)
    prepared = prepare(run, qrels, requested, policy=policy, queries=queries, doc_of=doc_of, keep_rows=True)
    judgements = judge(prepared.qrels, policy, Notes())
    now = compute(prepared, backends.find(backend))
    score = partial(evaluate, prepared.rows, backend=backend, policy=policy, queries=queries)
    bounds: dict[Measure, pandas.DataFrame] = {}
    counts: dict[Measure, int] = {}
    for cutoff in dict.fromkeys(m.cutoff for m in requested):
        with_cutoff = [m for m in requested if m.cutoff == cutoff]
        unjudged = _unjudged(prepared.rows, judgements, cutoff, policy)
        none, every = (score(_extended(judgements, unjudged, g), measures=with_cutoff) for g in (0, highest))
        for m in with_cutoff:
            bounds[m] = _bounds(m, now, none, every)
            counts[m] = sum(len(unjudged.get(query, ())) for query in bounds[m].index)
    if per_query:
        rows = [(q, str(m), *values) for m in requested for q, *values in bounds[m].itertuples()]
        return frame(rows, {"query_id": "object", "measure": "object", **COLUMNS})
    means = {m: [mean(bounds[m][column].to_numpy())[0] for column in COLUMNS] for m in requested}
    kinds = {m: "bounds" if _is_bounded(m) else "scenario" for m in requested}
    table = [(str(m), *means[m], kinds[m], len(bounds[m]), counts[m]) for m in requested]
    columns = {"measure": "object", **COLUMNS, "kind": "object", "queries": "int64", "unjudged": "int64"}
    return frame(table, columns, index="measure")


def _bounds(measure: Measure, now: Result, none: Result, every: Result) -> pandas.DataFrame:
    """The values of the queries that are averaged now, by query, with the lowest and the highest."""
    name = str(measure)
    value = now.per_query[name].dropna()
    low, high = (result.per_query[name].reindex(value.index) for result in (none, every))
    if _is_bounded(measure):
        # The policy gives a query without a relevant document a value of its own; once one is found, it can be any other.
        undefined = value.index.isin({*now.report.empty, *now.report.undefined.get(name, ())})
        low, high = low.mask(undefined, 0.0), high.mask(undefined, np.maximum(high, value))
    return value.to_frame("value").assign(low=low, high=high)


def _is_bounded(measure: Measure) -> bool:
    """Whether low and high are bounds; gains that a caller lists for each grade need not rise with it."""
    return measure.name in MONOTONE and measure.get("gains") is None


def _unjudged(run: Run, judgements: Judgements, cutoff: int | None, policy: Policy) -> Mapping[str, list[str]]:
    """The unjudged documents of each judged query, down to a cutoff, in order of rank."""
    retrieved = {query: listed_documents(run, query, policy, cutoff) for query in judgements}
    return {query: [doc for doc in dict.fromkeys(docs) if doc not in judgements[query]] for query, docs in retrieved.items()}


def _extended(judgements: Judgements, unjudged: Mapping[str, list[str]], grade: Grade) -> Qrels:
    """The judgements with one grade for all the unjudged documents."""
    grades = {query: {**judged, **dict.fromkeys(unjudged.get(query, ()), grade)} for query, judged in judgements.items()}
    return Qrels(grades, sum(map(len, grades.values())))


def _highest_grade(grade: Any) -> Grade:
    """The highest grade for unjudged documents, a number above 0."""
    try:
        highest = as_grade(grade)
    except GradeError as error:
        raise GradeError(error.what, hint=setting("grade", 1)) from None
    if highest <= 0:
        raise GradeError(f"the grade for unjudged documents is {short(grade)}, not above 0", hint=setting("grade", 1))
    return highest
