"""Grades as gains, many at once: what averaging and the backends need of the gain of nDCG and DCG."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .measure import Measure

Grades = NDArray[np.int64] | NDArray[np.float64]


def is_graded(measure: Measure) -> bool:
    """Whether a measure is computed from gains."""
    return measure.entry.needs == "gain"


def is_plain(measure: Measure) -> bool:
    """Whether gains grow with grades, so that a threshold on grades is one on gains too."""
    return is_graded(measure) and not measure.gains and measure.level is None


def gains(measure: Measure, grade: Grades) -> NDArray[np.float64]:
    """The gain of each grade, float64 of the same shape: 0 below the measure's ``rel`` and for grades up to 0 that are not listed.

    The measure is resolved: it has ``dcg``, or ``gains`` and then perhaps ``dcg``.
    """
    if measure.gains:
        table = np.array(list(measure.gains.items()), dtype=np.float64)
        at = np.minimum(np.searchsorted(table[:, 0], grade), len(table) - 1)
        worth = np.where(table[at, 0] == grade, table[at, 1], 0.0)
    else:
        worth = np.maximum(grade, 0).astype(np.float64)
    if measure.get("dcg") == "exp-log2":
        with np.errstate(over="ignore"):
            worth = 2.0**worth - 1
    return worth if measure.level is None else np.where(grade >= measure.level, worth, 0.0)


def largest_gain(measure: Measure, largest: float) -> float:
    """The largest gain of any grade up to ``largest``, or of any that is listed; infinite where it overflows."""
    return float(gains(measure, np.array(list(measure.gains) or [largest], dtype=np.float64)).max())


def whole_gains(measure: Measure, *, whole_grades: bool) -> bool:
    """Whether all gains are whole numbers, where grades are or are not."""
    return all(isinstance(gain, int) for gain in measure.gains.values()) if measure.gains else whole_grades
