"""Stand-ins for ids and scores: places and whole numbers, in the dictionaries that ir_measures and its providers take."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import MissingLibraryError
from ..measures import Measure
from ..rankspace import RankSpace

StandInRun = dict[str, dict[str, float]]

StandInQrels = dict[str, dict[str, Any]]


def run_of(space: RankSpace) -> StandInRun:
    """A run of places: query -> place -> score, the scores whole, positive and distinct.

    Rankings of one depth share one dictionary.
    """
    deepest = _room(space)
    ids, scores = _places(deepest)
    shared = {d: dict(zip(ids[1 : d + 1], scores[-d:], strict=True)) for d in set(space.depth.tolist())}
    return {str(i): shared[depth] for i, depth in enumerate(space.depth.tolist())}


def qrels_of(space: RankSpace, grade: Any) -> StandInQrels:
    """Judgements of places: query -> place -> grade, from a column of grades of the rank space's rows."""
    ids, _ = _places(_room(space))
    names = [ids[place] for place in space.place.tolist()]
    grades, frames = grade.tolist(), pairwise(space.start.tolist())
    return {str(i): dict(zip(names[a:b], grades[a:b], strict=True)) for i, (a, b) in enumerate(frames)}


def _room(space: RankSpace) -> int:
    """A power of two above every place, so that few lists are made."""
    deepest = int(np.maximum.reduce(space.depth + space.counts, initial=0))
    return 1 << deepest.bit_length()


@lru_cache(maxsize=8)
def _places(n: int) -> tuple[list[str], list[float]]:
    """The id of each place below n, and the scores n - 1, ..., 1."""
    return [str(i) for i in range(n)], [float(i) for i in range(n - 1, 0, -1)]


def library() -> Any:
    """ir_measures, imported on first use."""
    try:
        import ir_measures  # noqa: PLC0415  # heavy, and only some backends need it
    except ImportError as error:
        raise MissingLibraryError(f"ir_measures cannot be imported: {error}", hint="pip install ir_measures") from error
    return ir_measures


def measure_object(measure: Measure) -> Any:
    """The library's object for a measure that it has under the same name: the same parameters, but for those of sending."""
    return library_object(measure, {name: value for name, value in measure.params if name not in ("judged_only", "gains", "dcg")})


def library_object(measure: Measure, params: Mapping[str, object]) -> Any:
    """The library's object for a measure, with the given parameters and the cutoff of the measure."""
    made = getattr(library(), measure.name)(**params)
    return made @ measure.cutoff if measure.cutoff else made
