"""Which queries trec_eval scores, and what becomes of their values in the summary."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import GradeError, MeasureError, MismatchError, PolicyError, nearest, short
from ...policy import CLAUSES, Policy
from ...preparation import prepare
from ...ranking import Ranked
from ...rankspace import Ranking, RankSpace
from ...readers import Qrels, Run
from ...readers.values import LARGEST_WHOLE
from .measures import TABLE, Gains, TrecMeasure, TrecQuery, added

_COUNTS = {"runid", "num_q", "num_ret", "num_rel", "num_rel_ret"}

NICKNAMES: Mapping[str, frozenset[str]] = {
    "official": frozenset({*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"}),
    "set": frozenset({*_COUNTS, "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"}),
    "all_trec": frozenset(TABLE) - {"dcg", "ideal_dcg", "yaap"},
}
"""The names that stand for several measures."""

PREFERENCES = ("prefs", "qrels_jg", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg", "all_prefs")
"""How the names begin that trec_eval keeps for judgements by several judges and for preferences."""

_WHOLE = re.compile(r"\s*[+-]?\d+(\.\d*)?\s*")


@dataclass(frozen=True, slots=True)
class Column:
    """One line of trec_eval's output: its name there (``P_10``), the measure, and the parameter of this line."""

    name: str
    measure: str
    param: Any = None

    @property
    def entry(self) -> TrecMeasure:
        """What the table says of the measure."""
        return TABLE[self.measure]


def columns_of(measures: Iterable[str]) -> list[Column]:
    """The columns for some ``-m``: measures (``map``), with parameters (``P.5,10``), or nicknames (``official``).

    In trec_eval's order, whatever order they are given in; of a measure that is given twice the first parameters hold, as
    in trec_eval. Raises MeasureError for a name that it lacks and parameters that it cannot read.

    >>> [column.name for column in columns_of(["success.1", "P.10,5"])]
    ['P_5', 'P_10', 'success_1']
    """
    given: dict[str, str | None] = {}
    for text in measures:
        name, dot, params = text.partition(".")
        for single in NICKNAMES.get(name, [name]):
            _check_known(single)
            if given.get(single) is None:
                given[single] = params if dot else None
        if dot and not params:
            raise MeasureError(f"no parameter stands after the dot in {short(text)}", hint=f"-m {name}")
        if dot and (name in NICKNAMES or TABLE[name].takes == "none"):
            raise MeasureError(f"{name} takes no parameters, but {short(params)} was given", hint=f"-m {name}")
    return [column for name in TABLE if name in given for column in _columns(name, given[name])]


def printed_column(name: str) -> Column | None:
    """The column that is printed under a name; None where there is none.

    >>> printed_column("set_F_0.5"), printed_column("P")
    (Column(name='set_F_0.5', measure='set_F', param=[0.5]), None)
    """
    measure = max((known for known in TABLE if name == known or name.startswith(f"{known}_")), key=len, default=name)
    params = name[len(measure) + 1 :]
    try:
        columns = columns_of([f"{measure}.{params}" if params else measure])
    except MeasureError:
        return None
    return columns[0] if len(columns) == 1 else None


def _check_known(name: str) -> None:
    """Refuse a name that the table lacks."""
    if name in TABLE:
        return
    if name.startswith(PREFERENCES):
        what = f"{short(name)} is for preferences or several judges, which only trec_eval itself can score"
        raise MeasureError(what, hint=", ".join(NICKNAMES))
    raise MeasureError(f"trec_eval has no measure {short(name)}", hint=nearest(name, [*TABLE, *NICKNAMES], default=NICKNAMES))


def _columns(name: str, params: str | None) -> list[Column]:
    """The columns of one measure."""
    entry = TABLE[name]
    if entry.takes == "none":
        return [Column(name, name)]
    param = entry.given if params is None else _READ[entry.takes](name, params.split(","))
    if entry.takes == "cutoffs":
        return [Column(f"{name}_{cutoff}", name, cutoff) for cutoff in param]
    if entry.takes == "points":
        # trec_eval keeps 9 characters for what follows the name.
        return [Column(f"{name}_{point:3.2f}"[: len(name) + 9], name, point) for point in param]
    return [Column(name if params is None else f"{name}_{params}", name, param)]


def _cutoffs(name: str, texts: Sequence[str]) -> list[int]:
    """Whole numbers of at least 1 in order; of a number with decimals trec_eval takes what stands before the point."""
    for text in texts:
        if not _WHOLE.fullmatch(text) or not 1 <= float(text) <= LARGEST_WHOLE:
            what = f"{short(text)} is no cutoff of {name}; a cutoff is a whole number of at least 1, and at most 2^53"
            raise MeasureError(what, hint=f"-m {name}.5,10")
    return _distinct(name, [int(float(text)) for text in texts])


def _distinct(name: str, values: list[Any]) -> list[Any]:
    """The values in order, none twice."""
    if len(set(values)) < len(values):
        twice = next(v for v in values if values.count(v) > 1)
        raise MeasureError(f"{twice:g} stands twice after {name}", hint=_as_option(name, sorted(set(values))))
    return sorted(values)


def _numbers(name: str, texts: Sequence[str]) -> list[float]:
    """Numbers as they stand, as many as the measure wants."""
    entry = TABLE[name]
    if entry.numbers not in (None, len(texts)):
        raise MeasureError(f"{name} takes {entry.numbers} numbers, not {len(texts)}", hint=_as_option(name, entry.given))
    return [_number(name, text) for text in texts]


def _as_option(name: str, values: Iterable[float]) -> str:
    """A measure with parameters, as an option."""
    return f"-m {name}.{','.join(f'{v:g}' for v in values)}"


def _parsed_gains(name: str, texts: Sequence[str]) -> Gains:
    """``grade=gain`` for some grades, and ``p=`` where the measure reads it."""
    gains: dict[int, float] = {}
    p = Gains().p
    for text in texts:
        grade, equals, value = text.partition("=")
        if equals and grade == "p" and name.startswith("rbp"):
            p = _number(name, value)
        elif equals and grade.isdecimal() and grade.isascii() and int(grade) not in gains:
            gains[int(grade)] = _number(name, value)
        else:
            hint = f"-m {name}.p=0.8" if name.startswith("rbp") else f"-m {name}.1=3,2=9"
            raise MeasureError(f"{short(text)} is no grade=gain that {name} can take, or stands there twice", hint=hint)
    return Gains(gains, p)


def _number(name: str, text: str) -> float:
    """One finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise MeasureError(f"{short(text)} after {name} is not a number", hint=f"trec_eval -h -m {name} explains its parameters")
    return value


_READ: Mapping[str, Callable[[str, Sequence[str]], Any]] = {
    "cutoffs": _cutoffs,
    "points": lambda name, texts: _distinct(name, _numbers(name, texts)),
    "numbers": _numbers,
    "gains": _parsed_gains,
}
"""How each kind of parameters is read."""

Value = float | str

POLICY = Policy.trec_eval()

EMPTIED = ("num_ret", "utility", "relstring", "rbp_resid")
"""The columns that are emptied for a query that the run lacks; one of these with parameters has another name, and is not."""


@dataclass(frozen=True, slots=True)
class TrecScores:
    """What trec_eval would print.

    ``values`` holds a row for each of ``queries``, with an item for each of ``columns``; ``summary`` what stands under
    "all". ``missing`` are the judged queries that the run lacks and that were left out.
    """

    columns: Sequence[Column]
    queries: Sequence[str]
    values: Sequence[Sequence[Value]]
    summary: Sequence[Value]
    missing: Sequence[str]


def score(run: Run, qrels: Qrels, columns: Sequence[Column], *, policy: Policy = POLICY, collection: int = 0) -> TrecScores:
    """The values of trec_eval's measures, by query and in the summary, under ``Policy.trec_eval()`` or one that departs from it.

    ``columns`` come from :func:`columns_of`; ``collection`` is the number of documents that there are (-N), which ``utility``
    can read. Queries stand in order of their ids. Under ``missing="zero"`` (-c) a query that the run lacks is scored as
    one unjudged document, as trec_eval 10 does, and then some of its columns are emptied.

    Raises GradeError for a fractional grade, which trec_eval cannot read, MismatchError where run and qrels share no
    query, PolicyError for a document that is retrieved twice and for clauses that trec_eval has no room for.

    >>> from samescore import read_qrels, read_run
    >>> from samescore.tools.trec_eval.program import columns_of
    >>> score(read_run({"q": ["a", "b"]}), read_qrels({"q": {"b": 1, "c": 1}}), columns_of(["map", "P.2"])).summary
    [0.25, 0.5]
    """
    _refuse_policy(policy)
    ranked = prepare(run, qrels, policy=policy.but(negatives="nonrelevant", unjudged="nonrelevant"), warn=False).ranked
    space, complete = _pool(ranked, policy), policy.missing == "zero"
    by_id = sorted(zip(ranked.trace.queries, ranked.trace.answered.tolist(), range(len(space)), strict=True))
    scored = [(query, answered, i) for query, answered, i in by_id if answered or complete]
    if not scored:
        raise MismatchError("no query has both results and judgements", hint="check that the files belong together")
    values = []
    for _, answered, i in scored:
        ranking = space.ranking(i)
        if not answered and policy.unjudged != "drop":  # trec_eval takes one unjudged document for what the run lacks
            ranking = Ranking(1, tuple((place + 1, grade) for place, grade in ranking.judged))
        query = TrecQuery.of(ranking, level=policy.relevance_level, collection=collection)
        row = [column.entry.value(query, column.param) for column in columns]
        values.append(row if answered else _emptied(row, columns))
    # With -c trec_eval counts the grades above 0, whatever the relevance level.
    totals = {"runid": run.tag} | ({"num_rel": int((space.grade > 0).sum())} if complete else {})
    summary = [totals.get(c.measure, _summary(c, [row[i] for row in values])) for i, c in enumerate(columns)]
    missing = [query for query, answered, _ in by_id if not answered and not complete]
    return TrecScores(columns, [query for query, _, _ in scored], values, summary, missing)


ACCEPTED: Mapping[str, Sequence[object]] = {
    "ties": ("doc_id", "doc_id_ascending", "input", "error"),
    "duplicates": ("first", "hold", "last", "error"),
    "missing": ("zero", "skip"),
    "unjudged": ("nonrelevant", "drop"),
    "conflicts": ("error", "max", "last"),
    "self_hits": ("keep", "drop"),
    "float32_scores": (False, True),
}
"""Clause -> the values that trec_eval's measures can be computed under; any number is, and else only what trec_eval does."""


def _refuse_policy(policy: Policy) -> None:
    """Raise PolicyError for a clause whose value trec_eval's measures have no room for."""
    for name, clause in CLAUSES.items():
        value, accepted = getattr(policy, name), ACCEPTED.get(name, (getattr(POLICY, name),))
        if value not in accepted and not clause.number:
            what = f"trec_eval knows {name}={' or '.join(map(repr, accepted))}, not {value!r}"
            raise PolicyError(what, hint="Policy.trec_eval(complete=True, relevance_level=2)")


def _pool(ranked: Ranked, policy: Policy) -> RankSpace:
    """Rank space with its grades below 0, of documents that are in the pool and not judged; none where these are dropped.

    Raises GradeError for a grade that trec_eval would read as another.
    """
    space = ranked.space
    fractions = np.flatnonzero(space.grade % 1)
    if len(fractions):
        row = int(fractions[0])
        query, document = ranked.trace.queries[int(space.query[row])], ranked.trace.docs[row]
        what = f"the grade is {space.grade[row]}, and trec_eval reads whole grades"
        raise GradeError(what, query=query, document=document, hint="samescore evaluate")
    return space.keep(space.grade >= 0).condensed() if policy.unjudged == "drop" else space


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


def lines(scores: TrecScores, *, per_query: bool = False, summary: bool = True) -> Iterator[str]:
    """What trec_eval prints: with ``per_query`` (-q) a line for each query and column, then, unless -n, the summary.

    >>> from samescore import read_qrels, read_run
    >>> from samescore.tools.trec_eval.program import columns_of, score
    >>> scores = score(read_run({"q": ["a", "b"]}), read_qrels({"q": {"b": 1}}), columns_of(["recip_rank", "num_ret"]))
    >>> [line.split() for line in lines(scores)]
    [['num_ret', 'all', '2'], ['recip_rank', 'all', '0.5000']]
    """
    if per_query:
        for query, row in zip(scores.queries, scores.values, strict=True):
            for column, value in zip(scores.columns, row, strict=True):
                if column.entry.by_query:
                    shown = f"'{value}'" if isinstance(value, str) else _printed(column, value)
                    yield f"{column.name:<22}\t{query}\t{shown}"
    if summary:
        for column, value in zip(scores.columns, scores.summary, strict=True):
            if column.entry.summary != "none":
                yield f"{column.name:<22}\tall\t{_printed(column, value)}"


def _printed(column: Column, value: Value) -> str:
    """A value with four decimals, or as a whole number, or the text that it is."""
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if column.entry.whole else f"{value:6.4f}"
