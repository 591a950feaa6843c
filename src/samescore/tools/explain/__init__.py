"""explain: why a number is what it is, clause by clause from one policy to another, or by search from the number alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import Any, overload

from ...errors import InputError, MeasureError, Wording, examples, setting
from ...evaluation import evaluate
from ...measures import Measure, parse
from ...policy import Policy, check_policy
from ...preparation import prepare
from ...readers import Qrels, Run, load_rows, open_qrels, open_run
from ...typing import QrelsLike, RunLike
from ..habits import HABITS
from ..reported import Printed, Reported, read_reported
from .grid import Target, lenient, search, select
from .readings import Reading, Search, read_grid
from .walk import Explanation, Move, Step, walk

__all__ = ["Explanation", "Move", "Reading", "Search", "Step", "explain"]

SAMESCORE, TREC_EVAL = Policy(), Policy.trec_eval()


@overload
def explain(
    run: RunLike, qrels: QrelsLike, measure: Measure | str, a: Policy = ..., b: Policy = ..., *,
    backend: Any = ..., queries: Iterable[Any] | None = ...,
) -> Explanation: ...  # fmt: skip


@overload
def explain(
    run: RunLike, qrels: QrelsLike, *, reported: Any, a: Policy = ..., tool: str | None = ..., queries: Iterable[Any] | None = ...,
) -> Search: ...  # fmt: skip


def explain(
    run: RunLike,
    qrels: QrelsLike,
    measure: Measure | str | None = None,
    a: Policy = SAMESCORE,
    b: Policy = TREC_EVAL,
    *,
    reported: Any = None,
    tool: str | None = None,
    backend: Any = "auto",
    queries: Iterable[Any] | None = None,
) -> Explanation | Search:
    """Say why a number is what it is: walk from one policy to another, or search for the policies that give a number.

    Parameters
    ----------
    run, qrels
        What :func:`samescore.evaluate` takes.
    measure : str or Measure, optional
        Walk from policy ``a`` to policy ``b`` clause by clause, with the change of the mean and the queries that each moves.
    a : Policy
        Where the walk or the search starts; a search for numbers of another tool starts from the policy of that tool by default.
    b : Policy
        Where the walk ends.
    reported : mapping, DataFrame or path, optional
        Search all clauses that can matter to this run and these qrels for the policies that give every reported value to its
        printed precision, the simplest first: {measure: value}, {measure: {query: value}}, a DataFrame, or a file (trec_eval's
        output, JSON). What tools compute otherwise than any policy is tried too: a hit rate for recall, binary gain, other
        ideals, discounts and divisors, a mean over the queries with a hit. Write values as text, ``"0.4120"``, where the last
        decimals are zeros and none has more.
    tool : str, optional
        Whose names the reported measures have, where a file does not tell: ``"trec_eval"``, ``"ir_measures"``, ``"ranx"``,
        ``"beir"`` or ``"samescore"``.
    backend : str or Backend, default "auto"
        What scores the walk; a search is scored by the reference, which has every measure under every policy.
    queries : iterable of ids, optional
        The queries to average over.

    Returns
    -------
    Explanation or Search
        The first with ``measure``, the second with ``reported``.

    Raises
    ------
    MeasureError
        Where neither or both of ``measure`` and ``reported`` are given, and where none of the measures can be searched for.
    InputError
        For a reported value that no policy can give, such as one in percent.
    SamescoreError
        What :func:`samescore.evaluate` raises.

    Examples
    --------
    >>> run, qrels = {"q": ["d1", "d2"]}, {"q": {"d1": 1, "d2": 2}}
    >>> explain(run, qrels, "nDCG@10", b=Policy(gain="linear"), backend="reference").table["clause"].tolist()
    ['start', 'gain']
    >>> explain(run, qrels, reported={"nDCG@10": 0.8597}).sentences[0].partition(";")[0]
    'the value is that of linear gain (samescore: 2^grade - 1), as with Policy.trec_eval()'
    """
    if (measure is None) == (reported is None):
        raise MeasureError(
            "explain wants one of measure and reported",
            hint=Wording(setting("measure", "nDCG@10"), ", or ", setting("reported", {"nDCG@10": 0.4675})),
        )
    run, qrels = load_rows(open_run(run)), open_qrels(qrels)
    if measure is not None:
        parsed = parse(measure)
        score = partial(evaluate, run, qrels, measures=[parsed], backend=backend, queries=queries)
        check_policy(b)
        return walk(lambda policy: score(policy=policy), parsed, a, b)
    return _search(run, qrels, read_reported(reported, tool=tool, run=run.name), a, queries)


def _search(run: Run, qrels: Qrels, report: Reported, base: Policy, queries: Iterable[Any] | None) -> Search:
    """Search for the policies that give what was reported.

    Raises MeasureError where no measure can be searched for.
    """
    base = HABITS[report.tool].policies[0] if base == SAMESCORE else base
    measures = {name: without_own_gain(measure, base) for name, measure in report.searchable.items()}
    targets = [Target(str(name), measure, report.values(name)) for name, measure in measures.items()]
    if not targets:
        what = f"none of the measures reported can be searched for: {examples(report.names)}"
        raise MeasureError(what, hint=Wording(setting("tool", "trec_eval"), ", or the tool whose names they are"))
    _refuse_impossible(targets, run)
    prepared = prepare(run, qrels, list(measures.values()), policy=lenient(base).but(negatives="unjudged"), queries=queries)
    if queries is not None:
        judged = compress(prepared.queries, prepared.selected.tolist())
        run, qrels = select(run, qrels, [*judged, *prepared.ranked.notes.unjudged_queries])
    if not qrels.grades:
        raise InputError("no query is judged", hint="qrels with the queries that the numbers are of")
    return read_grid(search(run, qrels, targets, base), [str(name) for name in report.names if name not in measures])


def without_own_gain(measure: Measure, base: Policy) -> Measure:
    """A measure without the gain that its name says, where that is the gain of the tool's policy, so that others are tried."""
    plain = replace(measure, params=tuple(param for param in measure.params if param[0] != "dcg"))
    return plain if base.resolve(plain) == base.resolve(measure) else measure


def _refuse_impossible(targets: Sequence[Target], run: Run) -> None:
    """Raise InputError for a value that no policy can give, such as one in percent."""
    for target in targets:
        for query, printed in target.reported.items():
            if not possible(target.measure, printed, run):
                what = f"{target.name} is reported as {printed}, and its values are from 0 to 1"
                raise InputError(what, query=query, hint=f"{printed.value / 100:g}, if it is in percent")


def possible(measure: Measure, printed: Printed, run: Run) -> bool:
    """Whether a policy can give a value: most measures are from 0 to 1, and above where a repeated document counts each time."""
    if not measure.entry.bounded or -printed.within <= printed.value <= 1 + printed.within:
        return True
    return printed.value > 1 and any(len(set(ranking.docs)) < len(ranking.docs) for ranking in run.rankings.values())
