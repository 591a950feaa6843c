"""What the providers have in common: a table of what one has, how it is asked, and what its absence is called."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import MissingLibraryError
from ..measures import CATALOGUE, Measure
from ..measures.measure import gains, is_graded, is_plain
from ..rankspace import Floats, RankSpace
from .base import REPEATS, Gap, Grades, installed
from .placeholders import StandInRun, library, qrels_of, run_of, written

Limit = Callable[[Measure, Grades], Gap | None]

Compute = Callable[["Provider", RankSpace, Sequence[Measure]], Floats]


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider of ir_measures as a backend.

    ``table`` tells for each measure of the catalogue whether the provider has it (None) or why not; ``limit`` what it lacks
    of those that it has; ``compute`` sends rankings. ``tool`` is the distribution that it needs, ``hint`` how to get it,
    and ``resolution`` how far its values may be off, for the decimals that it prints.
    """

    name: str
    table: Mapping[str, Gap | None]
    compute: Compute
    limit: Limit = lambda measure, grades: None
    tool: str = ""
    hint: str = "pip install ir_measures"
    resolution: float = 0.0

    @property
    def label(self) -> str:
        """Name and versions."""
        self.check()
        tool = f" ({self.tool} {installed(self.tool)})" if self.tool else ""
        return f"ir_measures/{self.name} {installed('ir_measures')}{tool}"

    def gap(self, measure: Measure, grades: Grades) -> Gap | None:
        """What the table says, and then what the provider's limits are."""
        return REPEATS if grades.repeat else self.table[measure.name] or self.limit(measure, grades)

    def score(self, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
        """Ask the provider."""
        self.check()
        return self.compute(self, rankings, measures)

    def check(self) -> None:
        """Raise MissingLibraryError where the provider's tool is not there."""
        if not library().providers.registry[self.name].is_available():
            raise MissingLibraryError(f"ir_measures' {self.name} provider needs a tool that is not installed", hint=self.hint)

    def evaluator(self, asked: Iterable[Any], qrels: Any) -> Any:
        """The provider's own evaluator of its own measure objects."""
        return library().providers.registry[self.name].evaluator(list(asked), qrels)


def having(name: str, *measures: str, never: Mapping[str, str] | None = None) -> Mapping[str, Gap | None]:
    """A table of a provider that has some measures, and of which some others are ``never`` right, and why."""
    lacks = Gap("upstream", f"ir_measures' {name} has {', '.join(measures)} alone")
    wrong = {measure: Gap("never", why) for measure, why in (never or {}).items()}
    return {measure: None if measure in measures else wrong.get(measure, lacks) for measure in CATALOGUE}


def each_written(provider: Provider, run: Any, qrels: Any, measures: Sequence[Measure], n: int) -> Floats:
    """The values of measures that the provider has as they are, shape (n, measures)."""
    objects = [written(measure) for measure in measures]
    return collected(provider.evaluator(dict.fromkeys(objects), qrels).iter_calc(run), objects, n)


def collected(metrics: Iterable[Any], objects: Sequence[Any], n: int) -> Floats:
    """Metrics as an array, shape (n, objects): queries are named by their number, and others are passed over."""
    values = np.zeros((n, len(objects)))
    columns: dict[Any, list[int]] = {}
    for i, measure in enumerate(objects):
        columns.setdefault(measure, []).append(i)
    for metric in metrics:
        if metric.query_id.isdecimal():
            values[int(metric.query_id), columns[metric.measure]] = metric.value
    return values


RANKS = 1000
"""How far cwl_eval reads: ir_measures 0.4.3 passes its default, and the rest of a ranking is ignored."""

LEFT = 1e-12
"""How much of RBP's weight may lie below that: cwl_eval spreads it over the ranks that it reads."""

SCALED = ("BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11", "INST", "INSQ")

CUT = ("RR", "RBP")
"""Measures that it has without a cutoff alone: it is sent rankings cut to it."""

CWL_EVAL_NO_QUERY = "scale"
"""A query that no run has, with a document at each end of the scale, so that ir_measures does not warn that one is missing."""


def _cwl_eval_gap(measure: Measure, grades: Grades) -> Gap | None:
    """What lies below rank 1,000, what RBP it lacks, and P without a cutoff."""
    if measure.name == "P" and measure.cutoff is None:
        return Gap("upstream", "cwl_eval's P has a cutoff")
    if (measure.cutoff or grades.deepest) > RANKS:
        return Gap("upstream", "cwl_eval, as ir_measures 0.4.3 calls it, ignores ranks past 1,000")
    if measure.name == "RBP" and measure.get("max_rel"):
        return Gap("upstream", "ir_measures 0.4.3 gives cwl_eval's RBP no graded gains")
    if measure.name == "RBP" and measure.number("p") ** RANKS > LEFT:
        return Gap("upstream", "cwl_eval spreads the weight that RBP leaves below rank 1,000 over the ranks above")
    return None


def _cwl_eval_values(provider: Provider, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """One call for each cutoff that rankings are cut to and each scale, on which grades are clipped."""
    values = np.zeros((len(rankings), len(measures)))
    groups: dict[tuple[int | None, float, float], list[int]] = {}
    for i, measure in enumerate(measures):
        scale = (measure.number("min_rel"), measure.number("max_rel")) if measure.name in SCALED else (0.0, float("inf"))
        groups.setdefault((measure.cutoff if measure.name in CUT else None, *scale), []).append(i)
    for (cut, low, high), columns in groups.items():
        space = rankings if cut is None else rankings.cut(cut)
        qrels = qrels_of(space, np.clip(space.grade, low, high))
        if high < float("inf"):
            qrels[CWL_EVAL_NO_QUERY] = {"low": low, "high": high}
        objects = [_cwl_eval_input(measures[i]) for i in columns]
        metrics = provider.evaluator(dict.fromkeys(objects), qrels).iter_calc(run_of(space))
        values[:, columns] = collected(metrics, objects, len(space))
    return values


def _cwl_eval_input(measure: Measure) -> object:
    """The library's object, without a cutoff where the ranking was cut to it."""
    if measure.name not in CUT:
        return written(measure)
    return library().RR(rel=measure.level) if measure.name == "RR" else library().RBP(p=measure.number("p"), rel=measure.level)


_AP = "cwl_eval 1.0 divides AP by the relevant documents that were retrieved, not by all of them"

CWL_EVAL = Provider(
    "cwl_eval",
    having("cwl_eval", "P", "RR", "RBP", *SCALED, never={"AP": _AP}),
    _cwl_eval_values,
    _cwl_eval_gap,
    tool="cwl-eval",
    hint="pip install 'samescore[cwl]'",
)

RESOLUTION = 5.001e-6
"""Half a unit of the fifth decimal, and a little for a number on the border."""

LARGEST = 4
"""The highest grade that gdeval reads ($MAX_JUDGMENT)."""


def _gdeval_gap(measure: Measure, grades: Grades) -> Gap | None:
    """What gdeval lacks of its two measures."""
    if measure.cutoff is None:
        return Gap("upstream", "gdeval 1.2a needs a cutoff")
    if not grades.whole or grades.largest > LARGEST:
        return Gap("upstream", "gdeval 1.2a reads whole grades up to 4 alone")
    if measure.name == "ERR":
        return None if measure.number("max_rel") == LARGEST else Gap("upstream", "gdeval 1.2a has max_rel=4 alone")
    plain = is_plain(measure) and measure.get("dcg") == "exp-log2"
    return None if plain else Gap("upstream", "gdeval 1.2a has the gain 2^grade - 1 alone")


def _gdeval_values(provider: Provider, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """One process for each cutoff; grades below 0 are sent as 0, which is what they gain."""
    im = library()
    objects = [im.nDCG(dcg="exp-log2") @ m.cutoff if m.name == "nDCG" else im.ERR @ m.cutoff for m in measures]
    evaluator = provider.evaluator(dict.fromkeys(objects), qrels_of(rankings, np.maximum(rankings.grade, 0)))
    return collected(evaluator.iter_calc(run_of(rankings)), objects, len(rankings))


GDEVAL = Provider(
    "gdeval", having("gdeval", "nDCG", "ERR"), _gdeval_values, _gdeval_gap, hint="install perl", resolution=RESOLUTION
)


def _all_at_once(provider: Provider, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """One call, with grades as they are."""
    return each_written(provider, run_of(rankings), qrels_of(rankings, rankings.grade), measures, len(rankings))


def _ordered_pairs(provider: Provider, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """One call a measure, without the queries that have no pair to compare.

    Where all that was retrieved is relevant, ir_measures 0.4.3 divides by 0; the measure is 1 there, and 0 where nothing is.
    """
    values = np.zeros((len(rankings), len(measures)))
    run, qrels = run_of(rankings), qrels_of(rankings, rankings.grade)
    for i, measure in enumerate(measures):
        deepest = np.minimum(rankings.depth, measure.cutoff or rankings.depth)
        hits = rankings.per_query((rankings.place <= deepest[rankings.query]) & (rankings.grade >= (measure.level or 1)))
        perfect = (hits == deepest) & (deepest > 0)
        some = {query: ranking for query, ranking in run.items() if not perfect[int(query)]}
        asked = written(measure)
        values[:, [i]] = collected(provider.evaluator([asked], qrels).iter_calc(some), [asked], len(rankings))
        values[perfect, i] = 1.0
    return values


JUDGED = Provider("judged", having("judged", "Judged"), _all_at_once)

COMPAT = Provider("compat", having("compat", "Compat"), _all_at_once)

MSMARCO = Provider("msmarco", having("msmarco", "RR"), _all_at_once)

ACCURACY = Provider("accuracy", having("accuracy", "Accuracy"), _ordered_pairs)

DEPTH = 20
"""The deepest cutoff of ndeval."""

MEASURES = ("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall")

PYNDEVAL_NO_QUERY = "subtopics"
"""A query that no run has, judged for every subtopic in order, so that ndeval numbers them in that order."""

_LOCK = threading.Lock()
"""pyndeval 0.0.8 keeps alpha and beta in global variables of its C code, set before each query."""


def _pyndeval_gap(measure: Measure, grades: Grades) -> Gap | None:
    """Cutoffs that ndeval lacks or has wrong."""
    if measure.cutoff is None:
        needed = measure.entry.cutoff != "none"
        return Gap("upstream", "ndeval 4.5 needs a cutoff") if needed else None
    if measure.cutoff > DEPTH:
        return Gap("upstream", "ndeval 4.5 has cutoffs to 20 alone")
    if measure.cutoff == 1 and measure.name in ("ERR_IA", "alpha_DCG"):
        return Gap("upstream", "ndeval 4.5 does not normalise the first rank: its loop begins at the second")
    return None


def _pyndeval_values(provider: Provider, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """Each of the provider's calls with a run of its own: ir_measures 0.4.3 gives all an iterator, which the first one empties."""
    objects = [written(measure) for measure in measures]
    values = np.zeros((len(rankings), len(measures)))
    run, qrels = _stand_ins(rankings)
    with _LOCK:
        for invoker in provider.evaluator(dict.fromkeys(objects), qrels).invokers:
            columns = [i for i, asked in enumerate(objects) if asked in invoker.measure_map.values()]
            values[:, columns] = collected(invoker.iter_calc(run), [objects[i] for i in columns], len(rankings))
    return values


def _stand_ins(space: RankSpace) -> tuple[list[object], list[object]]:
    """Rows of a run and of qrels. A judged document is named by its place in the order of ids, by which ndeval settles ties."""
    im = library()
    subtopic, order = space.subtopic, space.order
    if subtopic is None or order is None:
        subtopic, order = np.zeros_like(space.place), space.place
    names = [f"{n:09d}" for n in order.tolist()]
    last = max(1, int(subtopic.max(initial=0)))
    qrels: list[object] = [im.Qrel(PYNDEVAL_NO_QUERY, "none", 0, str(n)) for n in range(last + 1)]
    rows = zip(space.query.tolist(), names, space.grade.tolist(), subtopic.tolist(), strict=True)
    qrels += [im.Qrel(str(query), name, grade, str(n)) for query, name, grade, n in rows]
    named = dict(zip(zip(space.query.tolist(), space.place.tolist(), strict=True), names, strict=True))
    run: list[object] = []
    for i, depth in enumerate(space.depth.tolist()):
        run += [im.ScoredDoc(str(i), named.get((i, rank), f"unjudged {rank}"), float(depth - rank)) for rank in range(1, depth + 1)]
    return run, qrels


PYNDEVAL = Provider(
    "pyndeval",
    having("pyndeval", *MEASURES),
    _pyndeval_values,
    _pyndeval_gap,
    tool="pyndeval",
    hint="pip install 'samescore[diversity]'",
)

NO_DOCUMENT = "unjudged"
"""A document that no ranking has."""


def _trectools_gap(measure: Measure, grades: Grades) -> Gap | None:
    """Measures that it has in part."""
    if measure.name == "P" and measure.cutoff is None:
        return Gap("upstream", "trectools 0.0.50 has P with a cutoff alone")
    if measure.name == "AP" and measure.get("norm") and measure.cutoff:
        return Gap("upstream", "trectools 0.0.50 divides AP by R alone")
    if measure.name == "Rprec":  # It is right with pandas 2, but what a backend has must not hang on that.
        return Gap("upstream", "trectools 0.0.50 loses the query column with pandas 3, and counts the hits of other queries")
    return None


def _trectools_values(provider: Provider, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """One call a measure. trectools 0.0.50 says NaN where nothing relevant is found, which is 0.

    Where every judged document is relevant, its bpref is 0 / 0: a document that no ranking has is judged not relevant there,
    which changes nothing else. Its RBP takes grades as gains: it is sent gains.
    """
    values = np.zeros((len(rankings), len(measures)))
    run = _untied(rankings)
    for i, measure in enumerate(measures):
        worth = _worth(measure, rankings)
        qrels = qrels_of(rankings, worth)
        for query in np.flatnonzero(rankings.per_query(worth > 0) == rankings.counts).tolist():
            qrels[str(query)][NO_DOCUMENT] = 0.0
        asked = _trectools_input(measure)
        values[:, [i]] = collected(provider.evaluator([asked], qrels).iter_calc(run), [asked], len(rankings))
    return np.nan_to_num(values)


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


def _trectools_input(measure: Measure) -> object:
    """The library's object, with no threshold: what is below it was sent as 0."""
    im = library()
    params = {"p": measure.number("p")} if measure.name == "RBP" else {"dcg": "log2"} if measure.name == "nDCG" else {}
    found = getattr(im, measure.name)(**params)
    return found @ measure.cutoff if measure.cutoff else found


TRECTOOLS = Provider(
    "trectools",
    having("trectools", "P", "RR", "Rprec", "AP", "nDCG", "Bpref", "RBP"),
    _trectools_values,
    _trectools_gap,
    tool="trectools",
    hint="pip install 'samescore[trectools]'",
)
