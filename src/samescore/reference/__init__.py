"""The reference: each measure's definition in a few lines of plain Python, on one ranking in rank space."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..measures import Measure
from ..rankspace import Ranking
from . import binary, graded

Definition = Callable[[Ranking, Measure], "float | None"]

DEFINITIONS: Mapping[str, Definition] = {
    "nDCG": graded.ndcg,
    "DCG": graded.dcg,
    "R": binary.recall,
    "P": binary.precision,
    "RR": binary.reciprocal_rank,
    "AP": binary.average_precision,
    "Success": binary.success,
    "Rprec": binary.r_precision,
}


def value(ranking: Ranking, measure: Measure) -> float | None:
    """The value of a measure for one ranking; None where it is undefined. The measure's gain and threshold are explicit."""
    return DEFINITIONS[measure.name](ranking, measure)
