"""ir_measures, pinned to its pytrec_eval provider: gains are sent as grades, places as ids, and nothing is left to chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import MissingLibraryError
from ..measures import Measure
from ..rankspace import Floats, Ints, RankSpace
from .protocol import REPEATS, Gap, Grades, installed

LARGEST_GAIN = 2**20
"""pytrec_eval allocates as many numbers as the largest grade (pytrec_eval-terrier 0.5), and gains are sent as grades."""

Build = Callable[[Any, Measure], Any]

TABLE: Mapping[str, Build | Gap] = {
    "nDCG": lambda im, m: _at(im.nDCG(dcg="log2"), m),
    "DCG": Gap("upstream", "ir_measures 0.4 has no DCG", "backend='ranx' or 'reference'"),
    "R": lambda im, m: im.R(rel=m.get("rel")) @ m.cutoff if m.cutoff else im.SetR(rel=m.get("rel")),
    "P": lambda im, m: im.P(rel=m.get("rel")) @ m.cutoff if m.cutoff else im.SetP(rel=m.get("rel")),
    "RR": lambda im, m: im.RR(rel=m.get("rel")),
    "AP": lambda im, m: _at(im.AP(rel=m.get("rel")), m),
    "Success": lambda im, m: im.Success(rel=m.get("rel")) @ (m.cutoff or DEEPEST),
    "Rprec": lambda im, m: im.Rprec(rel=m.get("rel")),
}
"""How ir_measures 0.4 writes each measure, or why it cannot."""

DEEPEST = 2**31 - 1
"""A cutoff below every ranking: its Success has none of its own."""


class IrMeasures:
    """ir_measures' pytrec_eval provider."""

    @property
    def label(self) -> str:
        """Name and versions."""
        return f"ir_measures {installed('ir_measures')} (pytrec_eval {installed('pytrec-eval-terrier')})"

    def gap(self, measure: Measure, grades: Grades) -> Gap | None:
        """Gains are whole and at most 2^20; a ranking holds a document once."""
        how = TABLE[measure.name]
        if grades.repeat:
            return REPEATS
        if isinstance(how, Gap):
            return how
        if measure.entry.needs != "gain":
            return None
        if not grades.whole:
            return Gap("upstream", "pytrec_eval takes whole grades, and some here are fractions", "backend='ranx' or 'reference'")
        if gain_of(measure, grades.largest) > LARGEST_GAIN:
            why = f"pytrec_eval's memory grows with the largest gain, and the grade {grades.largest:g} is worth more than 2^20"
            return Gap("upstream", why, "backend='ranx' or 'reference', or gain='linear'")
        return None

    def score(self, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
        """One pass for each gain and each cutoff that must be cut beforehand."""
        values = np.zeros((len(rankings), len(measures)))
        for step in passes(measures):
            space = rankings.cut(step.cut) if step.cut else rankings
            grade = step.grades(space)
            _evaluate(space, grade, [(i, step.sent(measures[i])) for i in step.columns], values)
        return values


@dataclass(slots=True)
class Pass:
    """Measures that can be computed from one set of grades: ``gain`` is the measure whose gain they are, or None."""

    gain: Measure | None
    cut: int | None
    columns: list[int]
    levels: set[int]

    def grades(self, space: RankSpace) -> Ints:
        """Gains as grades; without a gain, how many of the thresholds a grade reaches."""
        if self.gain is None:
            return np.searchsorted(sorted(self.levels), space.grade, side="right")
        grade = np.maximum(space.grade, 0)
        return (2**grade - 1 if self.gain.get("dcg") == "exp-log2" else grade).astype(np.int64)

    def sent(self, measure: Measure) -> Measure:
        """The measure with its threshold on the scale of the grades that are sent."""
        rel = measure.get("rel")
        if not isinstance(rel, int):
            return measure
        if self.gain is None:
            return measure.with_params(rel=sorted(self.levels).index(rel) + 1)
        exponential = self.gain.get("dcg") == "exp-log2"
        return measure.with_params(rel=2 ** min(rel, LARGEST_GAIN.bit_length()) - 1 if exponential else min(rel, LARGEST_GAIN + 1))


def gain_of(measure: Measure, grade: float) -> float:
    """The gain of a grade, infinite where it overflows."""
    if measure.get("dcg") != "exp-log2":
        return max(grade, 0.0)
    return float(2.0**grade - 1) if grade < 1024 else np.inf


def passes(measures: Sequence[Measure]) -> list[Pass]:
    """The fewest passes: thresholds ride on the first gain; RR@k wants its ranking cut, since pytrec_eval's RR has no cutoff."""
    steps: dict[object, Pass] = {}
    gains = {m.get("dcg"): m for m in measures if m.entry.needs == "gain"}
    first = next(iter(gains.values()), None)
    for i, measure in enumerate(measures):
        cut = measure.cutoff if measure.name == "RR" else None
        gain = measure if measure.entry.needs == "gain" else None if cut else first
        key = (gain.get("dcg") if gain else None, cut)
        step = steps.setdefault(key, Pass(gain, cut, [], set()))
        step.columns.append(i)
        if isinstance(rel := measure.get("rel"), int):
            step.levels.add(rel)
    return list(steps.values())


def _at(measure: Any, asked: Measure) -> Any:
    """The library's measure at the cutoff asked for, if any."""
    return measure @ asked.cutoff if asked.cutoff else measure


def _evaluate(space: RankSpace, grade: Ints, sent: list[tuple[int, Measure]], values: Floats) -> None:
    """Fill some columns of values from one pass of the provider."""
    im = _library()
    built = [(i, TABLE[m.name](im, m)) for i, m in sent]  # type: ignore[operator]  # a gap was refused before
    run, qrels = _stand_ins(space, grade)
    columns: dict[str, list[int]] = {}
    for i, measure in built:
        columns.setdefault(str(measure), []).append(i)
    distinct = {str(measure): measure for _, measure in built}
    for invoker in im.pytrec_eval.evaluator(list(distinct.values()), qrels).invokers:
        targets = [(name, columns[str(measure)]) for name, (measure, _) in invoker.measure_map.items()]
        found = invoker.evaluator.evaluate(run)
        for name, into in targets:
            column = np.fromiter((found[q][name] for q in run), np.float64, len(run))
            for i in into:
                values[:, i] = column


def _stand_ins(space: RankSpace, grade: Ints) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Run and qrels of places: rankings of one depth share one dictionary."""
    deepest = int((space.depth + space.counts).max(initial=0))
    ids, scores = _places(1 << deepest.bit_length())
    places, grades, start = space.place.tolist(), grade.tolist(), space.start.tolist()
    names = [ids[p] for p in places]
    shared = {d: dict(zip(ids[1 : d + 1], scores[-d:], strict=True)) for d in set(space.depth.tolist())}
    run, qrels = {}, {}
    for i, depth in enumerate(space.depth.tolist()):
        query, a, b = str(i), start[i], start[i + 1]
        run[query] = shared[depth]
        qrels[query] = dict(zip(names[a:b], grades[a:b], strict=True))
    return run, qrels


@lru_cache(maxsize=8)
def _places(n: int) -> tuple[list[str], list[float]]:
    """The id of each place below n, and the scores n - 1, ..., 1."""
    return [str(i) for i in range(n)], [float(i) for i in range(n - 1, 0, -1)]


def _library() -> Any:
    """The library, imported on first use."""
    try:
        import ir_measures  # noqa: PLC0415  # heavy, and only this backend needs it
    except ImportError as error:
        raise MissingLibraryError(f"ir_measures cannot be imported: {error}", hint="pip install ir_measures") from error
    return ir_measures
