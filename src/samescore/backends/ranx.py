"""ranx, by its kernels on dense arrays: never its Run, Qrels or evaluate, which hash ids and order ties by chance."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import MissingLibraryError
from ..measures import Measure
from ..rankspace import Floats, Ints, RankSpace
from .protocol import REPEATS, Gap, Grades, installed

TABLE: Mapping[str, str | Mapping[str, str] | Gap] = {
    "nDCG": {"exp-log2": "ndcg_burges", "log2": "ndcg"},
    "DCG": {"exp-log2": "dcg_burges", "log2": "dcg"},
    "R": "recall",
    "P": "precision",
    "RR": "reciprocal_rank",
    "AP": "average_precision",
    "Success": "hit_rate",
    "Rprec": "r_precision",
}
"""The kernel of ``ranx.metrics`` (0.3.21) for each measure, by its gain where it has one, or why there is none."""

_LOCK = threading.Lock()
"""numba's workqueue layer, which ranx chooses, aborts the process when two threads enter a parallel kernel."""


PATIENCE = 3.0
"""Seconds before a line on stderr says what is going on."""

_COMPILED: set[str] = set()
"""Kernels that have run in this process."""

_TOLD: list[str] = []
"""What was said; once is enough."""


class Ranx:
    """The kernels of ``ranx.metrics``."""

    @property
    def label(self) -> str:
        """Name and version."""
        return f"ranx {installed('ranx')}"

    def gap(self, measure: Measure, grades: Grades) -> Gap | None:
        """A ranking holds a document once."""
        how = TABLE[measure.name]
        if isinstance(how, Gap):
            return how
        return REPEATS if grades.repeat else None

    def score(self, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
        """One kernel call for each measure and group of queries of like size."""
        values = np.zeros((len(rankings), len(measures)))
        groups: dict[object, list[Group]] = {}
        with _LOCK:
            with _told_when_slow():
                metrics = _library()
            for i, measure in enumerate(measures):
                graded, level = measure.entry.needs == "gain", measure.get("rel")
                key = (graded, level, measure.reads_depth)
                if key not in groups:
                    groups[key] = grouped(rankings, None if graded else level, by_depth=measure.reads_depth)  # type: ignore[arg-type]  # a threshold is an int
                name = _kernel(measure)
                with _told_when_slow(name not in _COMPILED):
                    for group in groups[key]:
                        values[group.queries, i] = getattr(metrics, name)(
                            group.judged, group.ranked, measure.cutoff or 0, 0 if graded else 1
                        )
                _COMPILED.add(name)
        return values


@dataclass(frozen=True, slots=True)
class Group:
    """Queries with about as many judged documents, as the arrays that the kernels take.

    ``judged`` (queries, documents, 2) and ``ranked`` (queries, depth, 2) hold ids and grades or scores, the highest first.
    """

    queries: Ints
    judged: Floats
    ranked: Floats


def grouped(space: RankSpace, level: int | None, *, by_depth: bool) -> list[Group]:
    """The queries in groups; with a level, its documents alone, as grade 1, and else all grades, never below 0.

    Rows are padded to a power of two with an id that no ranking has, which is harmless: at grade 0 it gains nothing, and
    a threshold of 1 drops it. Rankings are padded to the deepest of the group, with ids that no judgement has; where a
    measure reads depth, a group has one depth.
    """
    keep = space.grade >= level if level is not None else space.grade > 0
    query, place = space.query[keep], space.place[keep]
    grade = np.ones(len(query)) if level is not None else space.grade[keep].astype(np.float64)
    order = np.lexsort((-grade, query))
    query, place, grade = query[order], place[order], grade[order]
    counts = np.bincount(query, minlength=len(space))
    begin = np.concatenate(([0], np.cumsum(counts)))
    deepest = int(space.depth.max(initial=0))
    ids = np.where(place > space.depth[query], place + deepest, place)
    width = np.where(counts > 0, 2 ** np.ceil(np.log2(np.maximum(counts, 1))), 0).astype(np.int64)
    kind = width * (deepest + 1) + (space.depth if by_depth else 0)
    groups = []
    for one in np.unique(kind[counts > 0]):
        members = np.flatnonzero((kind == one) & (counts > 0))
        judged = np.full((len(members), int(width[members[0]]), 2), (-1.0, 0.0))
        own = counts[members]
        row = np.repeat(np.arange(len(members)), own)
        column = np.arange(own.sum()) - np.repeat(np.cumsum(own) - own, own)
        source = begin[members][row] + column
        judged[row, column, 0], judged[row, column, 1] = ids[source], grade[source]
        groups.append(Group(members, judged, _ranked(len(members), int(space.depth[members].max()))))
    return groups


def _ranked(queries: int, depth: int) -> Floats:
    """One ranking of places, seen by every query without a copy.

    Its columns are strided on purpose: numba compiles anew for each memory layout, and this one is never contiguous.
    """
    base = np.zeros((depth, 4))
    base[:, 0] = np.arange(1, depth + 1)
    base[:, 2] = -base[:, 0]
    return np.broadcast_to(base[:, ::2], (queries, depth, 2))


@contextmanager
def _told_when_slow(first: bool = True) -> Iterator[None]:
    """Say on stderr why it takes long, if it does: silence for half a minute looks like a hang."""
    what = "samescore: importing ranx and its kernels, which are compiled on first use (up to a minute, kept on disk)\n"
    timer = threading.Timer(PATIENCE, getattr(sys.stderr, "write", str), [what])  # a program without a console has no stderr
    timer.daemon = True
    if first and not _TOLD:
        timer.start()
    try:
        yield
    finally:
        if timer.finished.is_set():  # it has fired
            _TOLD.append(what)
        timer.cancel()


def _kernel(measure: Measure) -> str:
    """The kernel's name."""
    how = TABLE[measure.name]
    return how if isinstance(how, str) else how[str(measure.get("dcg"))]  # type: ignore[index]  # a gap was refused before


def _library() -> Any:
    """``ranx.metrics``, imported on first use; the import alone takes seconds."""
    try:
        import ranx.metrics  # noqa: PLC0415  # heavy, and only this backend needs it
    except ImportError as error:
        raise MissingLibraryError(f"ranx cannot be imported: {error}", hint="pip install ranx") from error
    except (OSError, RuntimeError) as error:
        hint = "set NUMBA_CACHE_DIR to a folder that can be written"
        raise MissingLibraryError(f"ranx cannot be imported: {error}", hint=hint) from error
    return ranx.metrics
