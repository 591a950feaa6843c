"""The micro average: for a measure that is a ratio of counts, the ratio of their sums over all queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .errors import MeasureError, short
from .measures import Measure
from .rankspace import Floats, RankSpace

Denominator = Callable[[RankSpace, Measure], Floats]


def _relevant(space: RankSpace, measure: Measure) -> Floats:
    """What there is to find."""
    return space.relevant(measure.level or 1).astype(np.float64)


def _retrieved(space: RankSpace, measure: Measure) -> Floats:
    """What was retrieved, down to the cutoff."""
    depth = (space.condensed() if measure.get("judged_only") is True else space).depth
    return np.minimum(depth, measure.cutoff or depth).astype(np.float64)


def _looked_at(space: RankSpace, measure: Measure) -> Floats:
    """What is looked at: k documents, were there as many or not, or all that were retrieved."""
    return _retrieved(space, measure) if measure.cutoff is None else np.full(len(space), float(measure.cutoff))


def _best_case(space: RankSpace, measure: Measure) -> Floats:
    """What could be found at best: no more than there is, and than is looked at."""
    return np.minimum(_relevant(space, measure), _looked_at(space, measure))


def _set_precision(space: RankSpace, measure: Measure) -> Floats:
    """What was retrieved, or where it is relative, what could have been found at best."""
    return _best_case(space, measure) if measure.get("relative") is True else _retrieved(space, measure)


def _both(space: RankSpace, measure: Measure) -> Floats:
    """What is looked at and what there is to find: (beta + 1) P R / (R + beta P) is (beta + 1) hits over this."""
    beta = measure.get("beta")
    return _looked_at(space, measure) + (beta if isinstance(beta, (int, float)) else 1) * _relevant(space, measure)


def _one(space: RankSpace, measure: Measure) -> Floats:
    """The query itself."""
    return np.ones(len(space))


DENOMINATORS: Mapping[str, Denominator] = {
    "R": _relevant,
    "P": _looked_at,
    "F1": _both,
    "R_cap": _best_case,
    "Success": _one,
    "Rprec": _relevant,
    "SetP": _set_precision,
    "SetR": _relevant,
    "SetF": _both,
    "Judged": _retrieved,
    "Unjudged": _looked_at,
}
"""Measure -> what its value is divided by, query by query, shape (queries,)."""


def denominators(average: object, space: RankSpace, asked: Sequence[Measure], resolved: Sequence[Measure]) -> Floats | None:
    """The denominators of some measures, shape (queries, measures): means weighted by them are micro averages. None for macro.

    Raises MeasureError for an average that is neither, and for a measure that is no ratio of counts.
    """
    if average == "macro":
        return None
    if average != "micro":
        raise MeasureError(f"average cannot be {short(average)}", hint="'macro' or 'micro'")
    columns = [_denominator(*pair)(space, pair[1]) for pair in zip(asked, resolved, strict=True)]
    return np.column_stack(columns)


def _denominator(asked: Measure, resolved: Measure) -> Denominator:
    """The denominator of a measure."""
    if resolved.name not in DENOMINATORS:
        what = f"{asked} has no micro average: its value for a query is no ratio of counts"
        raise MeasureError(what, hint=f"average='macro', or {', '.join(DENOMINATORS)}")
    return DENOMINATORS[resolved.name]


def linearised(values: Floats, weight: Floats) -> Floats:
    """One number a query whose mean is the micro average, and whose spread is that of the micro average to first order.

    The ratio r of two sums varies as the mean of r + (numerator - r denominator) / mean denominator does (Cochran 1977,
    Sampling Techniques, chapter 6). Shapes (queries,).
    """
    total = weight.sum()
    if total == 0:
        return np.zeros_like(values)
    ratio = (values * weight).sum() / total
    return ratio + (values - ratio) * weight * len(weight) / total
