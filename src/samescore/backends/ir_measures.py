"""ir_measures, pinned to its pytrec_eval provider: gains are sent as grades, places as ids, and nothing is left to chance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import SimpleNamespace
from typing import Any, ClassVar, Literal

import numpy as np

from ..errors import Wording, clause, setting
from ..measures import Measure
from ..measures.measure import gains, is_graded, is_plain, largest_gain, whole_gains
from ..rankspace import Floats, Ints, RankSpace
from .base import OF_SUBTOPICS, OURS, SCALED, Gap, Grades, Limits, divides_otherwise, installed, library_gap
from .placeholders import StandInRun, library, measure_object, qrels_of, run_of

LARGEST_GAIN = 2**20
"""pytrec_eval allocates as many numbers as the largest grade (pytrec_eval-terrier 0.5), and gains are sent as grades."""

AT_ONCE = 512
"""So many queries are sent at once: pytrec_eval copies all that it is sent, so that 7,000 queries cost 0.2 GB."""

DEEPEST = 2**31 - 1
"""A cutoff below every ranking. Its Success must have one; its nDCG without one takes time with the square of the largest
gain (pytrec_eval-terrier 0.5: seconds for one query with a gain of 2^17), which its nDCG with one does not."""

Build = Callable[[Any, Measure], Any]


def _elsewhere(provider: str) -> Gap:
    return Gap(
        "upstream",
        "its pytrec_eval provider lacks it",
        Wording(setting("backend", "reference"), f", or ir_measures/{provider} where that has it"),
    )


_SAME = ("Rprec", "Bpref", "infAP", "IPrec", "SetP", "SetR", "SetF", "SetAP", "NumQ", "NumRel", "NumRet")

TABLE: Mapping[str, Build | Gap] = {
    "R": lambda im, m: im.R(rel=m.level) @ m.cutoff if m.cutoff else im.SetR(rel=m.level),
    "P": lambda im, m: im.P(rel=m.level) @ m.cutoff if m.cutoff else im.SetP(rel=m.level),
    "F1": lambda im, m: im.SetF(rel=m.level),
    "R_cap": lambda im, m: im.SetP(rel=m.level, relative=True),
    "RR": lambda im, m: im.RR(rel=m.level),
    "AP": lambda im, m: im.AP(rel=m.level) @ m.cutoff if m.cutoff else im.AP(rel=m.level),
    "Success": lambda im, m: im.Success(rel=m.level) @ (m.cutoff or DEEPEST),
    **dict.fromkeys(("Hits", "NumHits"), lambda im, m: im.NumRet(rel=m.level)),
    **dict.fromkeys(_SAME, lambda im, m: measure_object(m)),
    "11pt": Gap("upstream", "ir_measures 0.4 has no 11pt_avg"),
    "Accuracy": _elsewhere("accuracy"),
    "nDCG": lambda im, m: im.nDCG(dcg="log2") @ (m.cutoff or DEEPEST),
    "DCG": Gap("upstream", "ir_measures 0.4 has no DCG", setting("backend", "ranx", "reference")),
    "RBP_residual": Gap("upstream", "ir_measures 0.4 has no residuals"),
    "ERR": _elsewhere("gdeval"),
    "nERR": Gap("upstream", "ir_measures 0.4 has no normalised ERR"),
    "Compat": _elsewhere("compat"),
    **dict.fromkeys(("RBP", *SCALED), _elsewhere("cwl_eval")),
    "Judged": _elsewhere("judged"),
    "Unjudged": Gap("upstream", "pytrec_eval 0.5 is trec_eval 9, which has no unj"),
    **dict.fromkeys(OF_SUBTOPICS, _elsewhere("pyndeval")),
    **dict.fromkeys(OURS, Gap("upstream", "ir_measures 0.4 lacks it")),
}
"""How ir_measures 0.4 writes each measure, or why it cannot."""

SHAPED: Mapping[str, Literal["cut", "padded", "capped"]] = {"RR": "cut", "Hits": "cut", "F1": "padded", "R_cap": "capped"}
"""Measures whose cutoff the provider lacks: it is sent rankings cut to it, or (padded) of that length exactly, so that SetF,
which counts what was retrieved, is F1@k; or (capped) the judged documents among the first k, followed by unjudged ones up to k
or as many as are judged, so that relative SetP is R_cap@k."""

LONGEST = 10**5
"""The longest ranking that is made up for a measure that divides by k."""


LIMITS: Limits = {
    "trec_eval divides by R alone": lambda m, _: m.name == "AP" and divides_otherwise(m),
    "trec_eval divides by what was retrieved, and no ranking of so many documents is made up": (
        lambda m, _: m.name == "F1" and (m.cutoff or 0) > LONGEST
    ),
    "ir_measures 0.4.3 writes recall with two decimals, and computes another point for more": (
        lambda m, _: m.name == "IPrec" and round(m.number("recall"), 2) != m.number("recall")
    ),
    "pytrec_eval 0.5 reads no beta with an exponent, and computes beta = 1": (
        lambda m, _: m.name == "SetF" and "e" in repr(m.number("beta"))
    ),
}
"""Parameters that pytrec_eval cannot be given."""


class IrMeasures:
    """ir_measures' pytrec_eval provider."""

    @property
    def label(self) -> str:
        """Name and versions."""
        return f"ir_measures {installed('ir_measures')} (pytrec_eval {installed('pytrec-eval-terrier')})"

    def gap(self, measure: Measure, grades: Grades) -> Gap | None:
        """Gains are whole and at most 2^20; a ranking holds a document once; parameters are what its names can hold."""
        return _gap(measure, grades.largest, whole=grades.whole, repeat=grades.repeat)

    def score(self, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
        """One pass for each gain and each cutoff that must be cut beforehand."""
        values = np.zeros((len(rankings), len(measures)))
        for step in passes(tuple(measures), pooled=np.count_nonzero(rankings.grade < 0) > 0):
            step.fill(rankings, values)
        return values


@lru_cache(maxsize=1024)
def _gap(measure: Measure, largest: float, *, whole: bool, repeat: bool) -> Gap | None:
    """Why the provider lacks a measure, by all that this depends on."""
    grades = Grades(largest, whole, repeat)
    gap = library_gap(TABLE[measure.name], LIMITS, measure, grades)
    return gap or (_gain_gap(measure, grades) if is_graded(measure) else None)


def _gain_gap(measure: Measure, grades: Grades) -> Gap | None:
    """Gains that cannot be sent as grades."""
    if not whole_gains(measure, whole_grades=grades.whole):
        why = "pytrec_eval takes whole grades only, and some gains here are fractions"
        return Gap("upstream", why, setting("backend", "ranx", "reference"))
    if largest_gain(measure, grades.largest) > LARGEST_GAIN:
        why = f"pytrec_eval's memory grows with the largest gain, and the grade {grades.largest:g} is worth more than 2^20"
        return Gap("upstream", why, Wording(setting("backend", "ranx", "reference"), ", or ", clause("gain", "linear")))
    return None


@dataclass(frozen=True, slots=True)
class Pass:
    """Measures that can be computed from one set of grades.

    ``gain`` is the measure whose gain they are, or None, and then grades are counted by the ``levels`` that they reach; ``shape``
    is how rankings are cut; ``pooled`` whether grades below 0 are sent, as -1: pooled but not judged.
    ``library_measures`` are the library's measures with the columns that each fills.
    """

    gain: Measure | None
    levels: tuple[int, ...]
    shape: tuple[str, int] | None
    pooled: bool
    library_measures: tuple[tuple[Any, tuple[int, ...]], ...]

    def shaped(self, space: RankSpace) -> RankSpace:
        """The rankings, cut or padded."""
        if self.shape is None:
            return space
        how, n = self.shape
        if how == "capped":
            return space.cut(n).condensed().cut(min(n, int(space.counts.max(initial=1))), padded=True)
        return space.cut(n, padded=how == "padded")

    def grades(self, space: RankSpace) -> Ints:
        """Gains as grades; without a gain, how many of the levels a grade reaches."""
        if self.gain is not None:
            return gains(self.gain, space.grade).astype(np.int64)
        reached = np.searchsorted(self.levels, space.grade, side="right")
        return np.where(space.grade < 0, -1, reached) if self.pooled else reached

    def fill(self, rankings: RankSpace, values: Floats) -> None:
        """Compute the columns of values."""
        space = self.shaped(rankings)
        run, qrels = run_of(space), qrels_of(space, self.grades(space))
        columns = {id(measure): indices for measure, indices in self.library_measures}  # the provider hands back the same objects
        for invoker in _provider().evaluator([measure for measure, _ in self.library_measures], qrels).invokers:
            by_query = _by_query(invoker.evaluator, run)
            for name, (measure, _) in invoker.measure_map.items():
                column = [by_query[query][name] for query in run]
                for i in columns[id(measure)]:
                    values[:, i] = column


def _by_query(evaluator: Any, run: StandInRun) -> dict[str, dict[str, float]]:
    """What the provider computes: query -> name -> value."""
    if len(run) <= AT_ONCE:
        return evaluator.evaluate(run)  # type: ignore[no-any-return]  # the library has no types
    queries = list(run)
    parts = ({query: run[query] for query in queries[i : i + AT_ONCE]} for i in range(0, len(queries), AT_ONCE))
    return {query: values for part in parts for query, values in evaluator.evaluate(part).items()}


@cache
def _provider() -> Any:
    """ir_measures' pytrec_eval provider, an instance of our own whose evaluators read the names of measures once.

    pytrec_eval-terrier 0.5 matches every name with a pattern for each measure that it has whenever an evaluator is made: for one
    query that takes several times as long as to score it.
    """
    provider = type(library().pytrec_eval)()
    if provider.is_available():
        provider.pytrec_eval = SimpleNamespace(RelevanceEvaluator=_reading_names_once(provider.pytrec_eval.RelevanceEvaluator))
    return provider


def _reading_names_once(evaluator: Any) -> Any:
    """pytrec_eval's evaluator, which keeps what it reads from names; another release may read them elsewhere, as slow as before."""

    class Evaluator(evaluator):  # type: ignore[misc]  # the library has no types
        names_read: ClassVar[dict[frozenset[str], set[str]]] = {}

        def _combine_measures(self, measures: Iterable[str]) -> set[str]:
            names = frozenset(measures)
            if names not in self.names_read:
                self.names_read[names] = super()._combine_measures(names)
            return self.names_read[names]

    return Evaluator


@lru_cache(maxsize=256)
def passes(measures: tuple[Measure, ...], *, pooled: bool = False) -> tuple[Pass, ...]:
    """The fewest passes: thresholds ride on the first gain that grows with grades, unless rankings are cut for them."""
    carrier = next((m for m in measures if is_plain(m)), None)
    shared_grades: dict[object, tuple[Measure | None, tuple[str, int] | None, bool, list[int]]] = {}
    for i, measure in enumerate(measures):
        shape = (SHAPED[measure.name], measure.cutoff) if measure.cutoff and measure.name in SHAPED else None
        below = pooled and measure.entry.reads == "pool"
        gain = measure if is_graded(measure) else None if shape or below else carrier
        key = (gain and (gain.get("dcg"), gain.get("gains"), gain.level), shape, below)
        shared_grades.setdefault(key, (gain, shape, below, []))[-1].append(i)
    return tuple(_pass(measures, *shared) for shared in shared_grades.values())


def _pass(
    measures: Sequence[Measure], gain: Measure | None, shape: tuple[str, int] | None, pooled: bool, columns: Sequence[int]
) -> Pass:
    """The pass for some of the measures."""
    levels = {m.level for m in (measures[i] for i in columns) if m.level is not None and not is_graded(m)}
    ascending = tuple(sorted(levels))
    library_measures: dict[str, tuple[Any, list[int]]] = {}
    for i in columns:
        on_scale = _on_scale(measures[i], gain, ascending)
        library_measure = TABLE[on_scale.name](library(), on_scale)  # type: ignore[operator]  # a gap was refused before
        library_measures.setdefault(str(library_measure), (library_measure, []))[1].append(i)
    return Pass(gain, ascending, shape, pooled, tuple((measure, tuple(indices)) for measure, indices in library_measures.values()))


def _on_scale(measure: Measure, gain: Measure | None, levels: tuple[int, ...]) -> Measure:
    """The measure with its threshold on the scale of the grades that are sent."""
    if measure.level is None or is_graded(measure):
        return measure
    if gain is None:
        return measure.with_params(rel=levels.index(measure.level) + 1)
    exponential = gain.get("dcg") == "exp-log2"
    level = 2 ** min(measure.level, LARGEST_GAIN.bit_length()) - 1 if exponential else min(measure.level, LARGEST_GAIN + 1)
    return measure.with_params(rel=level)
