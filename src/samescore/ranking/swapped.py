"""Run and qrels in each other's place, told by their scores and grades."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from ..errors import MismatchError, Wording, code, warn_caller
from ..rankspace import Floats
from ..readers import Qrels, RankingRows, Run, RunFile, Table

USUAL_GRADES = range(-2, 6)
"""Grades on the usual scales; TREC's -2 is for spam."""

MOST_GRADES = 100
"""No scale of grades has more values: percents."""


def refuse_swapped(run: Run | RunFile, qrels: Qrels) -> None:
    """Raise MismatchError where run and qrels look swapped beyond doubt, and warn where they probably are.

    Each score is a usual grade, and there are fractions among the grades. Beyond doubt is where the scores are those of judges, and
    no grade is 0 or there twice, and some query has two; or where most grades are fractions, one of them above all usual grades.
    Probable is where grades differ within each query and have more values than any scale; or where the run has one document a
    query, and the qrels more. What read_run or read_qrels was called for is what it was read as.
    """
    if qrels.explicit or (isinstance(run, Run) and (run.explicit or not _are_usual_grades(run.rankings.values()))):
        return
    grades = list(chain.from_iterable(judged.values() for judged in qrels.grades.values()))
    fractions = [grade for grade in grades if isinstance(grade, float)]
    if not fractions or (isinstance(run, RunFile) and not _are_usual_grades(run.blocks())):
        return
    scores = [ranking.scores for ranking in run.rankings.values() if ranking.scores is not None and len(ranking.scores)]
    judge_like, score_like = _are_those_of_judges(scores), 0 not in grades and not qrels.further
    above_scale = max(fractions) > USUAL_GRADES[-1] and 2 * len(fractions) >= len(grades)
    distinct = len(set(grades))
    if above_scale or (judge_like and score_like and distinct == len(grades) > len(qrels)):
        hint = Wording(code("evaluate(run, qrels)"), "; where this order is right, ", _EXPLICIT)
        raise MismatchError(_words(run, qrels), hint=hint)
    differ = score_like and all(len(set(judged.values())) == len(judged) for judged in qrels.grades.values())
    one_each = len(scores) > 1 and max(map(len, scores)) == 1 and distinct == len(grades) >= 2 * len(scores)
    if differ and (one_each or (judge_like and distinct > MOST_GRADES)):
        warn_caller(Wording(_words(run, qrels), "; where this order is right, ", _EXPLICIT))


def _are_those_of_judges(scores: Sequence[Floats]) -> bool:
    """Whether the scores by query go from 0 to 4, and one is 0 or tied within its query, as grades are."""
    in_range = all(some.min() >= 0 and some.max() <= 4 for some in scores)
    return in_range and any(0 in some or len(np.unique(some)) < len(some) for some in scores)


_EXPLICIT = code("read_run(run) and read_qrels(qrels) first")


def _words(run: Run | RunFile, qrels: Qrels) -> str:
    """What tells that they look swapped, with the names of files."""
    are_files = {run.name, qrels.name}.isdisjoint(("run", "qrels", "DataFrame"))
    names = f" ({run.name} was given as the run, {qrels.name} as the qrels)" if are_files else ""
    return f"run and qrels look swapped{names}: every score is a whole number, and grades are fractions"


def _are_usual_grades(rows: Iterable[RankingRows | Table]) -> bool:
    """Whether some rows have scores, each a usual grade; the first that is not is the last that is looked at."""
    scored = False
    for part in rows:
        scores = part.number if isinstance(part, Table) else part.scores
        if scores is None or (len(scores) and scores[0] not in USUAL_GRADES):  # np.isin takes long to begin
            return False
        if not np.isin(scores, USUAL_GRADES).all():
            return False
        scored |= len(scores) > 0
    return scored
