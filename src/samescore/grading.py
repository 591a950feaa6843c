"""Which grades a measure accepts: those that its gain, its scale or its listed gains have a meaning for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from .errors import GradeError, spot
from .measures import Measure
from .policy import Policy
from .ranking import Ranked

LARGEST_EXPONENT = 1000
"""2 to the power of more overflows a 64-bit float, or sums of it do."""

Rows = NDArray[np.bool_]


def refuse_grades(ranked: Ranked, measures: Iterable[Measure], policy: Policy) -> None:
    """Raise GradeError, with query and document, where a grade means nothing to one of the resolved measures."""
    if not len(ranked.whole.grade):
        return
    for measure in measures:
        _refuse(ranked, measure, _overflows, "the gain 2^{grade} - 1 of the grade {grade} overflows", "Policy(gain='linear')")
        _refuse(ranked, measure, _off_the_scale, "the grade {grade} is above the highest that {measure} knows", "max_rel={scale}")
        _refuse(ranked, measure, _unlisted, "{measure} does not say what the grade {grade} gains", "gains={{{grade}: ...}}")
        if policy.negatives == "nonrelevant":
            what = "the grade is {grade}, which to {measure} means pooled but not judged"
            _refuse(ranked, measure, _pooled, what, "Policy(negatives='unjudged')")


def _refuse(ranked: Ranked, measure: Measure, bad: Callable[[Ranked, Measure], Rows | None], what: str, hint: str) -> None:
    """Raise GradeError for the first bad row, if any."""
    rows = bad(ranked, measure)
    if rows is None or not rows.any():
        return
    row = int(rows.argmax())
    where = spot(query=ranked.trace.queries[int(ranked.whole.query[row])], doc=ranked.trace.docs[row])
    grade = ranked.whole.grade[row].item()
    words = {"grade": grade, "measure": measure, "scale": math.ceil(grade)}
    raise GradeError(what.format(**words), where=where, hint=hint.format(**words))


def _overflows(ranked: Ranked, measure: Measure) -> Rows | None:
    """Grades, or listed gains, whose power of 2 is no number."""
    if measure.get("dcg") != "exp-log2":
        return None
    if not measure.gains:
        return ranked.whole.grade > LARGEST_EXPONENT
    large = [grade for grade, gain in measure.gains.items() if gain > LARGEST_EXPONENT]
    return np.isin(ranked.whole.grade, large) if large else None


def _off_the_scale(ranked: Ranked, measure: Measure) -> Rows | None:
    """Grades above max_rel."""
    return ranked.whole.grade > measure.number("max_rel") if measure.get("max_rel") else None


def _unlisted(ranked: Ranked, measure: Measure) -> Rows | None:
    """Grades above 0, and not below the measure's own level, that gains do not list."""
    if not measure.gains:
        return None
    grade = ranked.whole.grade
    counts = grade > 0 if measure.level is None else grade >= measure.level
    return counts & ~np.isin(grade, list(measure.gains))


def _pooled(ranked: Ranked, measure: Measure) -> Rows | None:
    """Grades below 0 of a measure that takes them for another thing."""
    return ranked.whole.grade < 0 if measure.entry.reads == "pool" else None
