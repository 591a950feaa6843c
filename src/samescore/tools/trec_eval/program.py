"""Which queries trec_eval scores, and what becomes of their values in the summary."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...errors import GradeError, MeasureError, MismatchError, PolicyError, nearest, short
from ...policy import Policy
from ...preparation import prepare
from ...ranking import Ranked
from ...rankspace import Ranking, RankSpace
from ...readers import Qrels, Run
from .measures import (
    Gains,
    TrecQuery,
    added,
    average_interpolated,
    average_precision,
    binary_gain,
    binary_preference,
    dcg,
    grades_in_order,
    ideal_dcg,
    inferred_average_precision,
    interpolated_precision,
    log_average_precision,
    log_binary_preference,
    ndcg,
    ndcg_at_cutoff,
    ndcg_at_levels,
    ndcg_at_relevant,
    nonrelevant_retrieved,
    normalised_gain,
    of_catalogue,
    one,
    precision_at_multiple,
    rank_biased_precision,
    rank_biased_residual,
    relative_precision,
    relative_set_precision,
    relevant,
    relevant_retrieved,
    retrieved,
    robertson_average_precision,
    set_average_precision,
    set_f,
    unjudged_share,
    utility,
)

Kind = Literal["none", "cutoffs", "points", "numbers", "gains"]

Summary = Literal["mean", "sum", "geometric", "none"]

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

TENTHS = tuple(i / 10 for i in range(11))

FIFTHS = tuple(i / 5 for i in range(1, 11))


@dataclass(frozen=True, slots=True)
class Entry:
    """One measure: its value for a query, the parameters that may follow its name, and how it is printed and summed up.

    ``takes``: ``cutoffs`` (whole numbers) and ``points`` (numbers) make a column each, ``numbers`` and ``gains``
    (``grade=gain``) one column together; ``given`` is what stands where none are given, ``most`` how many there may be. ``whole``
    values are printed without decimals. ``by_query`` tells whether queries are printed, ``summary`` what stands under "all".
    """

    value: Callable[[TrecQuery, Any], float | str]
    takes: Kind = "none"
    given: Any = None
    least: int = 1
    most: int | None = None
    whole: bool = False
    by_query: bool = True
    summary: Summary = "mean"


def _count(value: Callable[[TrecQuery, Any], float], *, by_query: bool = True) -> Entry:
    return Entry(value, whole=True, by_query=by_query, summary="sum")


def _cuts(value: Callable[[TrecQuery, Any], float], given: tuple[int, ...] = RANKS) -> Entry:
    return Entry(value, "cutoffs", given)


def _gains(value: Callable[[TrecQuery, Any], float]) -> Entry:
    return Entry(value, "gains", Gains())


TABLE: Mapping[str, Entry] = {
    "runid": Entry(one, by_query=False),
    "num_q": _count(one, by_query=False),
    "num_ret": _count(retrieved),
    "num_rel": _count(relevant),
    "num_rel_ret": _count(relevant_retrieved),
    "map": Entry(average_precision),
    "gm_map": Entry(log_average_precision, by_query=False, summary="geometric"),
    "Rprec": Entry(of_catalogue("Rprec")),
    "bpref": Entry(binary_preference),
    "recip_rank": Entry(of_catalogue("RR")),
    "iprec_at_recall": Entry(interpolated_precision, "points", TENTHS),
    "P": _cuts(of_catalogue("P")),
    "relstring": Entry(grades_in_order, "numbers", (10.0,), most=1, summary="none"),
    "recall": _cuts(of_catalogue("R")),
    "infAP": Entry(inferred_average_precision),
    "gm_bpref": Entry(log_binary_preference, by_query=False, summary="geometric"),
    "Rprec_mult": Entry(precision_at_multiple, "points", FIFTHS),
    "utility": Entry(utility, "numbers", (1.0, -1.0, 0.0, 0.0), least=4, most=4),
    "11pt_avg": Entry(average_interpolated, "numbers", TENTHS),
    "binG": Entry(binary_gain),
    "G": _gains(normalised_gain),
    "dcg": _gains(dcg),
    "ideal_dcg": _gains(ideal_dcg),
    "ndcg": _gains(ndcg),
    "ndcg_rel": _gains(ndcg_at_relevant),
    "Rndcg": _gains(ndcg_at_levels),
    "ndcg_cut": _cuts(ndcg_at_cutoff),
    "map_cut": _cuts(average_precision),
    "relative_P": _cuts(relative_precision),
    "success": _cuts(of_catalogue("Success"), (1, 5, 10)),
    "set_P": Entry(of_catalogue("P")),
    "set_relative_P": Entry(relative_set_precision),
    "set_recall": Entry(of_catalogue("R")),
    "set_map": Entry(set_average_precision),
    "set_F": Entry(set_f, "numbers", (1.0,), most=1),
    "num_nonrel_judged_ret": _count(nonrelevant_retrieved),
    "yaap": Entry(robertson_average_precision),
    "rbp": _gains(rank_biased_precision),
    "rbp_resid": _gains(rank_biased_residual),
    "unj": _cuts(unjudged_share, (5, 10, 20)),
}

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
    def entry(self) -> Entry:
        """What the table says of the measure."""
        return TABLE[self.measure]


def asked(measures: Iterable[str]) -> list[Column]:
    """The columns for some ``-m``: measures (``map``), with parameters (``P.5,10``), or nicknames (``official``).

    In trec_eval's order, whatever order they are given in; of a measure that is given twice the first parameters hold, as
    in trec_eval. Raises MeasureError for a name that it lacks and parameters that it cannot read.

    >>> [column.name for column in asked(["success.1", "P.10,5"])]
    ['P_5', 'P_10', 'success_1']
    """
    given: dict[str, str | None] = {}
    for text in measures:
        name, dot, params = text.partition(".")
        for single in NICKNAMES.get(name, [name]):
            _known(single)
            if given.get(single) is None:
                given[single] = params if dot else None
        if dot and not _takes_parameters(name, params):
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
        columns = asked([f"{measure}.{params}" if params else measure])
    except MeasureError:
        return None
    return columns[0] if len(columns) == 1 else None


def _known(name: str) -> None:
    """Refuse a name that the table lacks."""
    if name in TABLE:
        return
    if name.startswith(PREFERENCES):
        what = f"{short(name)} is for preferences or several judges, which only trec_eval itself can score"
        raise MeasureError(what, hint=", ".join(NICKNAMES))
    raise MeasureError(f"trec_eval has no measure {short(name)}", hint=nearest(name, [*TABLE, *NICKNAMES]))


def _takes_parameters(name: str, params: str) -> bool:
    """Whether a measure takes parameters; none after the dot is an error of its own."""
    if not params:
        raise MeasureError(f"no parameter stands after the dot in {short(name + '.')}", hint=f"-m {name}")
    return name in TABLE and TABLE[name].takes != "none"


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
        if not _WHOLE.fullmatch(text) or int(float(text)) < 1:
            what = f"{short(text)} is no cutoff of {name}; a cutoff is a whole number of at least 1"
            raise MeasureError(what, hint=f"-m {name}.5,10")
    return _distinct(name, [int(float(text)) for text in texts])


def _points(name: str, texts: Sequence[str]) -> list[float]:
    """Numbers in order."""
    return _distinct(name, _numbers(name, texts))


def _distinct(name: str, values: list[Any]) -> list[Any]:
    """The values in order, none twice."""
    if len(set(values)) < len(values):
        twice = next(v for v in values if values.count(v) > 1)
        raise MeasureError(f"{twice:g} stands twice after {name}", hint=_written(name, sorted(set(values))))
    return sorted(values)


def _numbers(name: str, texts: Sequence[str]) -> list[float]:
    """Numbers as they stand, as many as the measure wants."""
    entry = TABLE[name]
    if len(texts) < entry.least or (entry.most is not None and len(texts) > entry.most):
        raise MeasureError(f"{name} takes {entry.most} numbers, not {len(texts)}", hint=_written(name, entry.given))
    return [_number(name, text) for text in texts]


def _written(name: str, values: Iterable[float]) -> str:
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
    "points": _points,
    "numbers": _numbers,
    "gains": _parsed_gains,
}
"""How each kind of parameters is read."""

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
    >>> from samescore.tools.trec_eval.program import asked
    >>> score(read_run({"q": ["a", "b"]}), read_qrels({"q": {"b": 1, "c": 1}}), asked(["map", "P.2"])).summary
    [0.25, 0.5]
    """
    _refuse_policy(policy)
    ranked = prepare(run, qrels, policy=policy.but(negatives="nonrelevant", unjudged="nonrelevant"), warn=False).ranked
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
        seen = TrecQuery.of(ranking, level=policy.relevance_level, collection=collection)
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
        query, document = ranked.trace.queries[int(space.query[row])], ranked.trace.docs[row]
        raise GradeError(
            f"the grade is {space.grade[row]}, and trec_eval reads whole grades",
            query=query,
            document=document,
            hint="samescore evaluate",
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


def lines(scores: Scores, *, per_query: bool = False, summary: bool = True) -> Iterator[str]:
    """What trec_eval prints: with ``per_query`` (-q) a line for each query and column, then, unless -n, the summary.

    >>> from samescore import read_qrels, read_run
    >>> from samescore.tools.trec_eval.program import asked, score
    >>> scores = score(read_run({"q": ["a", "b"]}), read_qrels({"q": {"b": 1}}), asked(["recip_rank", "num_ret"]))
    >>> [line.split() for line in lines(scores)]
    [['num_ret', 'all', '2'], ['recip_rank', 'all', '0.5000']]
    """
    if per_query:
        for query, row in zip(scores.queries, scores.values, strict=True):
            for column, value in zip(scores.columns, row, strict=True):
                if column.entry.by_query:
                    yield f"{column.name:<22}\t{query}\t{_of_query(column, value)}"
    if summary:
        for column, value in zip(scores.columns, scores.summary, strict=True):
            if column.entry.summary != "none":
                yield f"{column.name:<22}\tall\t{_printed(column, value)}"


def _of_query(column: Column, value: Value) -> str:
    """A query's value; text stands in quotes."""
    return f"'{value}'" if isinstance(value, str) else _printed(column, value)


def _printed(column: Column, value: Value) -> str:
    """A value with four decimals, or as a whole number, or the text that it is."""
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if column.entry.whole else f"{value:6.4f}"
