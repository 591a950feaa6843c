"""ir_measures, pinned to its pytrec_eval provider: gains are sent as grades, places as ids, and nothing is left to chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..measures import Measure
from ..measures.measure import gains, is_graded, is_plain, largest_gain, whole_gains
from ..rankspace import Floats, Ints, RankSpace
from .base import REPEATS, Gap, Grades, installed
from .placeholders import library, measure_object, qrels_of, run_of

LARGEST_GAIN = 2**20
"""pytrec_eval allocates as many numbers as the largest grade (pytrec_eval-terrier 0.5), and gains are sent as grades."""

AT_ONCE = 512
"""So many queries are sent at once: pytrec_eval copies all that it is sent, so that 7,000 queries cost 0.2 GB."""

DEEPEST = 2**31 - 1
"""A cutoff below every ranking. Its Success must have one; its nDCG without one takes time with the square of the largest
gain (pytrec_eval-terrier 0.5: seconds for one query with a gain of 2^17), which its nDCG with one does not."""

Build = Callable[[Any, Measure], Any]


def _same(im: Any, measure: Measure) -> Any:
    return measure_object(measure)


def _elsewhere(provider: str) -> Gap:
    return Gap("upstream", "its pytrec_eval provider lacks it", f"backend='reference', or ir_measures/{provider} where that has it")


_CWL = ("INSQ", "INST", "BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11")

_NDEVAL = ("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall")

TABLE: Mapping[str, Build | Gap] = {
    "R": lambda im, m: im.R(rel=m.level) @ m.cutoff if m.cutoff else im.SetR(rel=m.level),
    "P": lambda im, m: im.P(rel=m.level) @ m.cutoff if m.cutoff else im.SetP(rel=m.level),
    "F1": lambda im, m: im.SetF(rel=m.level),
    "R_cap": lambda im, m: im.SetP(rel=m.level, relative=True),
    "RR": lambda im, m: im.RR(rel=m.level),
    "AP": lambda im, m: im.AP(rel=m.level) @ m.cutoff if m.cutoff else im.AP(rel=m.level),
    "Success": lambda im, m: im.Success(rel=m.level) @ (m.cutoff or DEEPEST),
    "Hits": lambda im, m: im.NumRet(rel=m.level),
    "Rprec": _same,
    "Bpref": _same,
    "infAP": _same,
    "IPrec": _same,
    "11pt": Gap("upstream", "ir_measures 0.4 has no 11pt_avg"),
    "SetP": _same,
    "SetR": _same,
    "SetF": _same,
    "SetAP": _same,
    "Accuracy": _elsewhere("accuracy"),
    "nDCG": lambda im, m: im.nDCG(dcg="log2") @ (m.cutoff or DEEPEST),
    "DCG": Gap("upstream", "ir_measures 0.4 has no DCG", "backend='ranx' or 'reference'"),
    "RBP": _elsewhere("cwl_eval"),
    "RBP_residual": Gap("upstream", "ir_measures 0.4 has no residuals"),
    "ERR": _elsewhere("gdeval"),
    "nERR": Gap("upstream", "ir_measures 0.4 has no normalised ERR"),
    "Compat": _elsewhere("compat"),
    **dict.fromkeys(_CWL, _elsewhere("cwl_eval")),
    "Judged": _elsewhere("judged"),
    "Unjudged": Gap("upstream", "pytrec_eval 0.5 is trec_eval 9, which has no unj"),
    "NumQ": _same,
    "NumRel": _same,
    "NumRet": _same,
    **dict.fromkeys(_NDEVAL, _elsewhere("pyndeval")),
}
"""How ir_measures 0.4 writes each measure, or why it cannot."""

SHAPED: Mapping[str, Literal["cut", "padded", "capped"]] = {"RR": "cut", "Hits": "cut", "F1": "padded", "R_cap": "capped"}
"""Measures whose cutoff the provider lacks: it is sent rankings cut to it, or (padded) of that length exactly, so that SetF,
which counts what was retrieved, is F1@k; or (capped) the judged documents among the first k, followed by unjudged ones up to k
or as many as are judged, so that relative SetP is R_cap@k."""

LONGEST = 10**5
"""The longest ranking that is made up for a measure that divides by k."""


class IrMeasures:
    """ir_measures' pytrec_eval provider."""

    @property
    def label(self) -> str:
        """Name and versions."""
        return f"ir_measures {installed('ir_measures')} (pytrec_eval {installed('pytrec-eval-terrier')})"

    def gap(self, measure: Measure, grades: Grades) -> Gap | None:
        """Gains are whole and at most 2^20; a ranking holds a document once; parameters are what its names can hold."""
        how = TABLE[measure.name]
        if grades.repeat:
            return REPEATS
        if isinstance(how, Gap):
            return how
        return _unwritable(measure) or (_gain_gap(measure, grades) if is_graded(measure) else None)

    def score(self, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
        """One pass for each gain and each cutoff that must be cut beforehand."""
        values = np.zeros((len(rankings), len(measures)))
        for step in passes(measures, pooled=bool((rankings.grade < 0).any())):
            space = step.cut_and_condense(rankings)
            _evaluate(space, step.grades(space), [(i, step.sent(measures[i])) for i in step.columns], values)
        return values


def _unwritable(measure: Measure) -> Gap | None:
    """A parameter that pytrec_eval cannot be given."""
    if measure.name == "AP" and measure.get("norm") and measure.cutoff:
        return Gap("upstream", "trec_eval divides by R alone")
    if measure.name == "F1" and (measure.cutoff or 0) > LONGEST:
        return Gap("upstream", "trec_eval divides by what was retrieved, and no ranking of so many documents is made up")
    if measure.name == "IPrec" and float(f"{measure.number('recall'):.2f}") != measure.number("recall"):
        return Gap("upstream", "ir_measures 0.4.3 writes recall with two decimals, and computes another point for more")
    if measure.name == "SetF" and "e" in repr(measure.number("beta")):
        return Gap("upstream", "pytrec_eval 0.5 reads no beta with an exponent, and computes beta = 1")
    return None


def _gain_gap(measure: Measure, grades: Grades) -> Gap | None:
    """Gains that cannot be sent as grades."""
    if not whole_gains(measure, whole_grades=grades.whole):
        why = "pytrec_eval takes whole grades only, and some gains here are fractions"
        return Gap("upstream", why, "backend='ranx' or 'reference'")
    if largest_gain(measure, grades.largest) > LARGEST_GAIN:
        why = f"pytrec_eval's memory grows with the largest gain, and the grade {grades.largest:g} is worth more than 2^20"
        return Gap("upstream", why, "backend='ranx' or 'reference', or gain='linear'")
    return None


@dataclass(slots=True)
class Pass:
    """Measures that can be computed from one set of grades.

    ``gain`` is the measure whose gain they are, or None; ``shape`` how rankings are cut; ``pooled`` whether grades below 0
    are sent, as -1: pooled but not judged.
    """

    gain: Measure | None
    shape: tuple[str, int] | None
    pooled: bool
    columns: list[int]
    levels: set[int]

    def cut_and_condense(self, space: RankSpace) -> RankSpace:
        """The rankings, cut or padded."""
        if self.shape is None:
            return space
        how, n = self.shape
        if how == "capped":
            return space.cut(n).condensed().cut(min(n, int(space.counts.max(initial=1))), padded=True)
        return space.cut(n, padded=how == "padded")

    def grades(self, space: RankSpace) -> Ints:
        """Gains as grades; without a gain, how many of the thresholds a grade reaches."""
        if self.gain is not None:
            return gains(self.gain, space.grade).astype(np.int64)
        reached = np.searchsorted(sorted(self.levels), space.grade, side="right")
        return np.where(space.grade < 0, -1, reached) if self.pooled else reached

    def sent(self, measure: Measure) -> Measure:
        """The measure with its threshold on the scale of the grades that are sent."""
        if measure.level is None or is_graded(measure):
            return measure
        if self.gain is None:
            return measure.with_params(rel=sorted(self.levels).index(measure.level) + 1)
        exponential = self.gain.get("dcg") == "exp-log2"
        level = 2 ** min(measure.level, LARGEST_GAIN.bit_length()) - 1 if exponential else min(measure.level, LARGEST_GAIN + 1)
        return measure.with_params(rel=level)


def passes(measures: Sequence[Measure], *, pooled: bool = False) -> list[Pass]:
    """The fewest passes: thresholds ride on the first gain that grows with grades, unless rankings are cut for them."""
    steps: dict[object, Pass] = {}
    carrier = next((m for m in measures if is_plain(m)), None)
    for i, measure in enumerate(measures):
        shape = (SHAPED[measure.name], measure.cutoff) if measure.cutoff and measure.name in SHAPED else None
        below = pooled and measure.entry.reads == "pool"
        gain = measure if is_graded(measure) else None if shape or below else carrier
        key = (gain and (gain.get("dcg"), gain.get("gains"), gain.level), shape, below)
        step = steps.setdefault(key, Pass(gain, shape, below, [], set()))
        step.columns.append(i)
        if measure.level is not None and not is_graded(measure):
            step.levels.add(measure.level)
    return list(steps.values())


def _evaluate(space: RankSpace, grade: Ints, sent: list[tuple[int, Measure]], values: Floats) -> None:
    """Fill some columns of values from one pass of the provider."""
    im = library()
    built = [(i, TABLE[m.name](im, m)) for i, m in sent]  # type: ignore[operator]  # a gap was refused before
    run, qrels = run_of(space), qrels_of(space, grade)
    columns: dict[str, list[int]] = {}
    for i, measure in built:
        columns.setdefault(str(measure), []).append(i)
    distinct = {str(measure): measure for _, measure in built}
    ids = list(run)
    parts = [{q: run[q] for q in ids[i : i + AT_ONCE]} for i in range(0, len(ids), AT_ONCE)]
    for invoker in im.pytrec_eval.evaluator(list(distinct.values()), qrels).invokers:
        targets = [(name, columns[str(measure)]) for name, (measure, _) in invoker.measure_map.items()]
        computed = {q: values for part in parts for q, values in invoker.evaluator.evaluate(part).items()}
        for name, targeted in targets:
            column = np.fromiter((computed[q][name] for q in run), np.float64, len(run))
            for i in targeted:
                values[:, i] = column
