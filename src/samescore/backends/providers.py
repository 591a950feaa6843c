"""ir_measures' other providers, each a backend of its own: what it has, what it is sent, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import MissingLibraryError
from ..measures import CATALOGUE, Measure
from ..measures.measure import gains, is_graded, is_plain
from ..rankspace import Floats, RankSpace
from .base import OF_SUBTOPICS, SCALED, Gap, Grades, Limits, divides_otherwise, fork_safe_lock, installed, library_gap
from .placeholders import StandInRun, library, library_object, measure_object, qrels_of, run_of


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a provider: which of the measures it computes, from which run and qrels.

    ``columns`` number the measures. ``unsent`` are the values of queries that the run lacks, as a number or of shape (queries, 1).
    """

    columns: Sequence[int]
    run: Any
    qrels: Any
    unsent: Floats | float = 0.0


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider of ir_measures as a backend.

    It has ``measures`` but where one of the ``limits`` (why it lacks something -> when) holds; ``wrong`` (measure -> why) are
    those whose definition is another one. ``calls`` tells what it is sent and ``write`` makes its measure objects. ``tool`` is the
    distribution that it needs, and ``hint`` how to get it. ``resolution`` is how far its values may be off, for the decimals that
    it prints; ``nan_is_zero`` whether it says NaN where it means 0; ``lock`` is held while it computes.
    """

    name: str
    measures: Sequence[str]
    calls: Callable[[RankSpace, Sequence[Measure]], Iterator[Call]]
    write: Callable[[Measure], Any] = measure_object
    wrong: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=dict)
    tool: str = ""
    hint: str = "pip install ir_measures"
    resolution: float = 0.0
    nan_is_zero: bool = False
    lock: AbstractContextManager[Any] = field(default_factory=nullcontext)

    @property
    def label(self) -> str:
        """Name and versions."""
        self._check_installed()
        tool = f" ({self.tool} {installed(self.tool)})" if self.tool else ""
        return f"ir_measures/{self.name} {installed('ir_measures')}{tool}"

    @property
    def table(self) -> Mapping[str, Gap | None]:
        """Measure of the catalogue -> why the provider lacks it under all parameters, or None."""
        return {measure: self._lacks(measure) for measure in CATALOGUE}

    def gap(self, measure: Measure, grades: Grades) -> Gap | None:
        """Why the provider lacks the measure, or the first of its limits that holds."""
        return library_gap(self._lacks(measure.name), self.limits, measure, grades)

    def score(self, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
        """Call the provider until all measures are computed."""
        self._check_installed()
        values = np.zeros((len(rankings), len(measures)))
        with self.lock:
            for call in self.calls(rankings, measures):
                self._fill(values, call, measures)
        return np.nan_to_num(values) if self.nan_is_zero else values

    def _lacks(self, measure: str) -> Gap | None:
        """Why the provider lacks a measure by name."""
        if measure in self.measures:
            return None
        if measure in self.wrong:
            return Gap("never", self.wrong[measure])
        return Gap("upstream", f"ir_measures' {self.name} has {', '.join(self.measures)} alone")

    def _check_installed(self) -> None:
        """Raise MissingLibraryError where the provider's tool is not there."""
        if not library().providers.registry[self.name].is_available():
            raise MissingLibraryError(f"ir_measures' {self.name} provider needs a tool that is not installed", hint=self.hint)

    def _fill(self, values: Floats, call: Call, measures: Sequence[Measure]) -> None:
        """Fill the columns of one call. Queries are named by their number; those with another name stand in no run."""
        columns: dict[Any, list[int]] = {}
        for i in call.columns:
            columns.setdefault(self.write(measures[i]), []).append(i)
        values[:, call.columns] = call.unsent
        evaluator = library().providers.registry[self.name].evaluator(list(columns), call.qrels)
        for metric in evaluator.iter_calc(call.run):
            if metric.query_id.isdecimal():
                values[int(metric.query_id), columns[metric.measure]] = metric.value


def _grouped(measures: Sequence[Measure], key: Callable[[Measure], Hashable]) -> dict[Any, list[int]]:
    """The columns of measures by what they must share to be computed in one call."""
    groups: dict[Any, list[int]] = {}
    for i, measure in enumerate(measures):
        groups.setdefault(key(measure), []).append(i)
    return groups


def _one_call(rankings: RankSpace, measures: Sequence[Measure]) -> Iterator[Call]:
    """One call, with grades as they are."""
    yield Call(range(len(measures)), run_of(rankings), qrels_of(rankings, rankings.grade))


# accuracy


def _accuracy_calls(rankings: RankSpace, measures: Sequence[Measure]) -> Iterator[Call]:
    """One call a measure, without the queries that have no pair to compare.

    Where all that was retrieved is relevant, ir_measures 0.4.3 divides by 0; the measure is 1 there, and 0 where nothing is.
    """
    run, qrels = run_of(rankings), qrels_of(rankings, rankings.grade)
    for i, measure in enumerate(measures):
        last_rank = np.minimum(rankings.depth, measure.cutoff or rankings.depth)
        hits = rankings.per_query((rankings.place <= last_rank[rankings.query]) & (rankings.grade >= (measure.level or 1)))
        perfect = (hits == last_rank) & (last_rank > 0)
        imperfect = {query: ranking for query, ranking in run.items() if not perfect[int(query)]}
        yield Call([i], imperfect, qrels, unsent=perfect[:, None].astype(np.float64))


# cwl_eval

RANKS = 1000
"""How far cwl_eval reads: ir_measures 0.4.3 passes its default, and the rest of a ranking is ignored."""

NEGLIGIBLE = 1e-12
"""How much of RBP's weight may lie below that: cwl_eval spreads it over the ranks that it reads."""

CUT = ("RR", "RBP")
"""Measures that it has without a cutoff alone: it is sent rankings cut to it."""

SCALE_QUERY = "scale"
"""A query that no run has, with a document at each end of the scale, so that ir_measures does not warn that one is missing."""


def _cwl_eval_calls(rankings: RankSpace, measures: Sequence[Measure]) -> Iterator[Call]:
    """One call for each cutoff that rankings are cut to and each scale."""
    for (cutoff, low, high), columns in _grouped(measures, _cutoff_and_scale).items():
        space = rankings if cutoff is None else rankings.cut(cutoff)
        qrels = qrels_of(space, np.clip(space.grade, low, high))
        if high < float("inf"):
            qrels[SCALE_QUERY] = {"low": low, "high": high}
        yield Call(columns, run_of(space), qrels)


def _cutoff_and_scale(measure: Measure) -> tuple[int | None, float, float]:
    """The cutoff that rankings are cut to, and the lowest and highest grade that count."""
    low, high = (measure.number("min_rel"), measure.number("max_rel")) if measure.name in SCALED else (0.0, float("inf"))
    return measure.cutoff if measure.name in CUT else None, low, high


def _cwl_eval_object(measure: Measure) -> Any:
    """The library's object, without a cutoff where the ranking was cut to it."""
    if measure.name not in CUT:
        return measure_object(measure)
    return library_object(replace(measure, cutoff=None), {name: value for name, value in measure.params if name in ("p", "rel")})


# gdeval

LARGEST = 4
"""The highest grade that gdeval reads ($MAX_JUDGMENT)."""


def _gdeval_calls(rankings: RankSpace, measures: Sequence[Measure]) -> Iterator[Call]:
    """One call, which starts a process for each cutoff; grades below 0 are sent as 0, which is what they gain.

    gdeval reads and sorts all that it is sent, and no measure reads below its cutoff.
    """
    cut = rankings.cut(max(measure.cutoff or 1 for measure in measures))
    yield Call(range(len(measures)), run_of(cut), qrels_of(cut, np.maximum(cut.grade, 0)))


def _gdeval_object(measure: Measure) -> Any:
    """The library's object, with the one gain that gdeval has."""
    return library_object(measure, {"dcg": "exp-log2"} if measure.name == "nDCG" else {})


# pyndeval

SUBTOPIC_QUERY = "subtopics"
"""A query that no run has, judged for every subtopic in order, so that ndeval numbers them in that order."""


def _pyndeval_calls(rankings: RankSpace, measures: Sequence[Measure]) -> Iterator[Call]:
    """One call for each choice of parameters.

    ir_measures 0.4.3 computes these in turn from one iterator over the run, which the first one empties.
    """
    run, qrels = _subtopic_rows(rankings)
    for columns in _grouped(measures, lambda measure: measure.params).values():
        yield Call(columns, run, qrels)


def _subtopic_rows(space: RankSpace) -> tuple[list[Any], list[Any]]:
    """Rows of a run and of qrels. A judged document is named by its place in the order of ids, by which ndeval settles ties."""
    im = library()
    subtopic, order = space.subtopic, space.order
    if subtopic is None or order is None:
        subtopic, order = np.zeros_like(space.place), space.place
    names = [f"{n:09d}" for n in order.tolist()]
    last = max(1, int(subtopic.max(initial=0)))
    qrels: list[Any] = [im.Qrel(SUBTOPIC_QUERY, "none", 0, str(n)) for n in range(last + 1)]
    rows = zip(space.query.tolist(), names, space.grade.tolist(), subtopic.tolist(), strict=True)
    qrels += [im.Qrel(str(query), name, grade, str(n)) for query, name, grade, n in rows]
    judged = dict(zip(zip(space.query.tolist(), space.place.tolist(), strict=True), names, strict=True))
    run: list[Any] = []
    for i, depth in enumerate(space.depth.tolist()):
        docs = [judged.get((i, rank), f"unjudged {rank}") for rank in range(1, depth + 1)]
        run += [im.ScoredDoc(str(i), doc, float(depth - rank)) for rank, doc in enumerate(docs, start=1)]
    return run, qrels


# trectools

NO_DOCUMENT = "unjudged"
"""A document that no ranking has."""


def _trectools_calls(rankings: RankSpace, measures: Sequence[Measure]) -> Iterator[Call]:
    """One call a measure. Its RBP takes grades as gains: it is sent gains.

    Where every judged document is relevant, its bpref is 0 / 0: a document that no ranking has is judged not relevant there,
    which changes nothing else.
    """
    run = _untied(rankings)
    for i, measure in enumerate(measures):
        worth = _worth(measure, rankings)
        qrels = qrels_of(rankings, worth)
        for query in np.flatnonzero(rankings.per_query(worth > 0) == rankings.counts).tolist():
            qrels[str(query)][NO_DOCUMENT] = 0.0
        yield Call([i], run, qrels)


def _untied(space: RankSpace) -> StandInRun:
    """A run whose scores differ between queries too: trectools 0.0.50 averages RBP over a tie of two queries."""
    room = int(space.depth.max(initial=0)) + 1
    return {
        query: {place: int(query) * room + score for place, score in ranking.items()} for query, ranking in run_of(space).items()
    }


def _worth(measure: Measure, space: RankSpace) -> Floats:
    """What each judged document is worth: its gain, its share of the highest grade, or 1 if it is relevant."""
    if is_graded(measure):
        return gains(measure, space.grade)
    if measure.get("max_rel"):
        share = np.maximum(space.grade, 0) / measure.number("max_rel")
        return np.where(space.grade >= (measure.level or 0), share, 0.0)
    return (space.grade >= (measure.level or 1)).astype(np.float64)


def _trectools_object(measure: Measure) -> Any:
    """The library's object, with no threshold: what is below it was sent as 0."""
    params = {"p": measure.number("p")} if measure.name == "RBP" else {"dcg": "log2"} if measure.name == "nDCG" else {}
    return library_object(measure, params)


# The table

ACCURACY = Provider("accuracy", ("Accuracy",), _accuracy_calls)

COMPAT = Provider("compat", ("Compat",), _one_call)

CWL_EVAL = Provider(
    "cwl_eval",
    ("P", "RR", "RBP", *SCALED),
    _cwl_eval_calls,
    _cwl_eval_object,
    wrong={"AP": "cwl_eval 1.0 divides AP by the relevant documents that were retrieved, not by all of them"},
    limits={
        "cwl_eval's P has a cutoff": lambda m, _: m.name == "P" and m.cutoff is None,
        "cwl_eval, as ir_measures 0.4.3 calls it, ignores ranks past 1,000": lambda m, grades: (m.cutoff or grades.deepest) > RANKS,
        "ir_measures 0.4.3 gives cwl_eval's RBP no graded gains": lambda m, _: m.name == "RBP" and bool(m.get("max_rel")),
        "cwl_eval spreads the weight that RBP leaves below rank 1,000 over the ranks above": (
            lambda m, _: m.name == "RBP" and m.number("p") ** RANKS > NEGLIGIBLE
        ),
    },
    tool="cwl-eval",
    hint="pip install 'samescore[cwl]'",
)

GDEVAL = Provider(
    "gdeval",
    ("nDCG", "ERR"),
    _gdeval_calls,
    _gdeval_object,
    limits={
        "gdeval 1.2a needs a cutoff": lambda m, _: m.cutoff is None,
        "gdeval 1.2a reads whole grades up to 4 alone": lambda _, grades: not grades.whole or grades.largest > LARGEST,
        "gdeval 1.2a has max_rel=4 alone": lambda m, _: m.name == "ERR" and m.number("max_rel") != LARGEST,
        "gdeval 1.2a has the gain 2^grade - 1 alone": (
            lambda m, _: m.name == "nDCG" and not (is_plain(m) and m.get("dcg") == "exp-log2")
        ),
    },
    hint="install perl",
    resolution=5.001e-6,  # half a unit of the fifth decimal, and a little for a number on the border
)

JUDGED = Provider("judged", ("Judged",), _one_call)

MSMARCO = Provider("msmarco", ("RR",), _one_call)

PYNDEVAL = Provider(
    "pyndeval",
    OF_SUBTOPICS,
    _pyndeval_calls,
    limits={
        "ndeval 4.5 needs a cutoff": lambda m, _: m.cutoff is None and m.entry.cutoff != "none",
        "ndeval 4.5 has cutoffs to 20 alone": lambda m, _: (m.cutoff or 0) > 20,
        "ndeval 4.5 does not normalise the first rank: its loop begins at the second": (
            lambda m, _: m.cutoff == 1 and m.name in ("ERR_IA", "alpha_DCG")
        ),
    },
    tool="pyndeval",
    hint="pip install 'samescore[diversity]'",
    lock=fork_safe_lock(),  # pyndeval 0.0.8 keeps alpha and beta in global variables of its C code, set before each query
)

TRECTOOLS = Provider(
    "trectools",
    ("P", "RR", "Rprec", "AP", "nDCG", "Bpref", "RBP"),
    _trectools_calls,
    _trectools_object,
    limits={
        "trectools 0.0.50 has P with a cutoff alone": lambda m, _: m.name == "P" and m.cutoff is None,
        "trectools 0.0.50 divides AP by R alone": lambda m, _: m.name == "AP" and divides_otherwise(m),
        # It is right with pandas 2, but what a backend has must not hang on that.
        "trectools 0.0.50 loses the query column with pandas 3, and counts the hits of other queries": (
            lambda m, _: m.name == "Rprec"
        ),
    },
    tool="trectools",
    hint="pip install 'samescore[trectools]'",
    nan_is_zero=True,  # trectools 0.0.50 says NaN where nothing relevant is found
)
