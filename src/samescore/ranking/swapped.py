"""Run and qrels in each other's place, told by their scores and grades."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from itertools import chain

import numpy as np

from ..errors import MismatchError, SamescoreWarning, Wording, code
from ..readers import Qrels, RankingRows, Run, RunFile, Table

USUAL_GRADES = range(-2, 6)
"""Grades on the usual scales; TREC's -2 is for spam."""

MOST_GRADES = 100
"""No scale of grades has more values: percents."""


def refuse_swapped(run: Run | RunFile, qrels: Qrels) -> None:
    """Raise MismatchError where run and qrels look swapped beyond doubt, and warn where they probably are.

    Each score is a usual grade, and there are fractions among the grades. Beyond doubt is where scores go from 0 to 4 and one is 0
    or tied within its query, while no grade is 0 or there twice; or where most grades are fractions, one of them above all usual
    grades. Probable is where grades differ within each query and have more values than any scale; or where the run has one
    document a query, and the qrels more. What read_run or read_qrels was called for is what it was read as.
    """
    if qrels.explicit or (isinstance(run, Run) and (run.explicit or not _are_usual_grades(run.rankings.values()))):
        return
    grades = list(chain.from_iterable(judged.values() for judged in qrels.grades.values()))
    fractions = [grade for grade in grades if isinstance(grade, float)]
    if not fractions or (isinstance(run, RunFile) and not _are_usual_grades(run.blocks())):
        return
    by_query = [ranking.scores for ranking in run.rankings.values() if ranking.scores is not None and len(ranking.scores)]
    above_scale = max(fractions) > USUAL_GRADES[-1] and 2 * len(fractions) >= len(grades)
    like_grades = all(scores.min() >= 0 and scores.max() <= 4 for scores in by_query)
    like_grades &= any(0 in scores or len(np.unique(scores)) < len(scores) for scores in by_query)
    like_scores = 0 not in grades and not qrels.further
    distinct = len(set(grades))
    if above_scale or (like_grades and like_scores and distinct == len(grades)):
        hint = Wording(code("evaluate(run, qrels)"), "; where this order is right, ", _EXPLICIT)
        raise MismatchError(_words(run, qrels), hint=hint)
    differ = like_scores and all(len(set(judged.values())) == len(judged) for judged in qrels.grades.values())
    one_each = len(by_query) > 1 and max(map(len, by_query)) == 1 and distinct == len(grades) >= 2 * len(by_query)
    if differ and (one_each or (like_grades and distinct > MOST_GRADES)):
        warnings.warn(f"{_words(run, qrels)}; where this order is right, {_EXPLICIT}", SamescoreWarning, stacklevel=5)


_EXPLICIT = code("read_run(run) and read_qrels(qrels) first")


def _words(run: Run | RunFile, qrels: Qrels) -> str:
    """What tells that they look swapped, with the names of files."""
    names = "" if (run.name, qrels.name) == ("run", "qrels") else f" ({run.name} was given as the run, {qrels.name} as the qrels)"
    return f"run and qrels look swapped{names}: every score is a whole number, and grades are fractions"


def _are_usual_grades(rows: Iterable[RankingRows | Table]) -> bool:
    """Whether some rows have scores, each a usual grade; the first that is not is the last that is looked at."""
    scored = False
    for part in rows:
        scores = part.number if isinstance(part, Table) else part.scores
        if scores is None or not np.isin(scores, USUAL_GRADES).all():
            return False
        scored |= len(scores) > 0
    return scored
