"""ranx, by its kernels on dense arrays: never its Run, Qrels or evaluate, which hash ids and order ties by chance."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..errors import BackendError, MissingLibraryError
from ..measures import Measure
from ..measures.measure import gains, is_graded, is_plain
from ..rankspace import Floats, Ints, RankSpace
from .base import OF_SUBTOPICS, OURS, SCALED, Gap, Grades, Limits, divides_otherwise, fork_safe_lock, installed, library_gap

_POINTS = "interpolated_precision_at_recall"

_NONE = Gap("upstream", "ranx 0.3 lacks it")

TABLE: Mapping[str, str | Mapping[str, str] | Gap] = {
    "R": "recall",
    "P": "precision",
    "F1": "f1",
    "RR": "reciprocal_rank",
    "AP": "average_precision",
    "Success": "hit_rate",
    "Hits": "hits",
    "Rprec": "r_precision",
    "Bpref": "bpref",
    "IPrec": _POINTS,
    "11pt": _POINTS,
    "SetP": "precision",
    "SetR": "recall",
    "SetF": "f1",
    "nDCG": {"exp-log2": "ndcg_burges", "log2": "ndcg"},
    "DCG": {"exp-log2": "dcg_burges", "log2": "dcg"},
    "RBP": Gap("never", "ranx 0.3.21 takes raw grades as gains, so that its RBP goes above 1"),
    **dict.fromkeys(("NumRet", "NumHits"), "hits"),
    **dict.fromkeys(("R_cap", "infAP", "SetAP", "Accuracy", "RBP_residual", "ERR", "nERR", "Compat"), _NONE),
    **dict.fromkeys(("Judged", "Unjudged", "NumQ", "NumRel", *SCALED, *OF_SUBTOPICS, *OURS), _NONE),
}
"""The kernel of ``ranx.metrics`` (0.3.21) for each measure, by its gain where it has one, or why there is none."""

TENTHS = [i / 10 for i in range(11)]

LIMITS: Limits = {
    "ranx 0.3: its average precision divides by R alone": lambda m, _: m.name == "AP" and divides_otherwise(m),
    "ranx 0.3: its f1 has no beta": lambda m, _: m.name == "SetF" and m.number("beta") != 1,
    "ranx 0.3: its precision is not relative": lambda m, _: m.get("relative") is True,
    "ranx 0.3: its hits count relevant documents alone": lambda m, _: m.name == "NumRet" and m.level is None,
    "ranx 0.3: it interpolates at recall 0, 0.1, ..., 1 alone": lambda m, _: m.name == "IPrec" and m.number("recall") not in TENTHS,
}
"""Why ranx lacks some of what its kernels compute."""

_LOCK = fork_safe_lock()
"""numba's workqueue layer, which ranx chooses, aborts the process when two threads enter a parallel kernel."""

PATIENCE = 3.0
"""Seconds before a line on stderr says what is going on."""

_COMPILED: set[str] = set()
"""Kernels that have run in this process."""

_NOTICES: list[str] = []
"""What was said; once is enough."""


class Ranx:
    """The kernels of ``ranx.metrics``."""

    @property
    def label(self) -> str:
        """Name and version."""
        return f"ranx {installed('ranx')}"

    def gap(self, measure: Measure, grades: Grades) -> Gap | None:
        """A ranking holds a document once; some measures are there in part."""
        return library_gap(TABLE[measure.name], LIMITS, measure, grades)

    def score(self, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
        """One kernel call for each measure and group of queries of like size."""
        values = np.zeros((len(rankings), len(measures)))
        groups: dict[object, list[Group]] = {}
        with _LOCK:
            with _notice_when_slow():
                metrics = _library()
            for i, measure in enumerate(measures):
                worth = (measure.params, True) if is_graded(measure) else (measure.level, False)
                key = (worth, measure.reads_depth, measure.name == "Bpref")
                if key not in groups:
                    groups[key] = _groups(rankings, measure)
                name = _kernel(measure)
                with _notice_when_slow(name not in _COMPILED):
                    for queries, judged, ranked in groups[key]:
                        values[queries, i] = _called(getattr(metrics, name), measure, judged, ranked)
                _COMPILED.add(name)
        return values


Group = tuple[Ints, Floats, Floats]
"""Queries with about as many judged documents, and the two arrays that the kernels take.

These are of shapes (queries, documents, 2) and (queries, depth, 2), and hold ids and grades or scores, the highest first.
"""


def _groups(space: RankSpace, measure: Measure) -> list[Group]:
    """The queries as a measure's kernel is sent them: what is relevant has grade 1, or its gain."""
    if is_graded(measure):
        grades = np.maximum(space.grade, 0).astype(np.float64)
        return _grouped(space, grades if is_plain(measure) else gains(measure, space.grade), by_depth=False)
    worth = (space.grade >= (measure.level or 1)).astype(np.float64)
    return _grouped(space, worth, by_depth=measure.reads_depth, all_judged=measure.name == "Bpref")


def _grouped(space: RankSpace, worth: Floats, *, by_depth: bool, all_judged: bool = False) -> list[Group]:
    """The queries in groups, with the documents that are worth something, or with ``all_judged`` all that are judged.

    Rows are padded to a power of two with an id that no ranking has, which is harmless: at grade 0 it gains nothing, and
    a threshold of 1 drops it. Rankings are padded to the deepest of the group, with ids that no judgement has; where a
    measure reads depth, a group has one depth. With ``all_judged``, for bpref, which counts them, rows are not padded, but for
    one where there is none: ranx 0.3.21 divides by their number in a parallel loop, and where that is 0 it silently
    leaves other queries at 0; a document that was not retrieved changes no value. Queries without relevant documents are
    left out, for the same reason.
    """
    keep = np.ones(len(worth), dtype=bool) if all_judged else worth > 0
    query, place, worth = space.query[keep], space.place[keep], worth[keep]
    order = np.lexsort((-worth, query))
    query, place, worth = query[order], place[order], worth[order]
    counts = np.bincount(query, minlength=len(space))
    relevant = np.bincount(query[worth > 0], minlength=len(space))
    width = counts + (counts == relevant) if all_judged else 2 ** np.ceil(np.log2(np.maximum(counts, 1))).astype(np.int64)
    begin = np.concatenate(([0], np.cumsum(counts)))
    deepest = int(space.depth.max(initial=0))
    ids = np.where(place > space.depth[query], place + deepest, place)
    kind = width * (deepest + 1) + (space.depth if by_depth else 0)
    groups = []
    for group_kind in np.unique(kind[relevant > 0]):
        members = np.flatnonzero((kind == group_kind) & (relevant > 0))
        judged = np.full((len(members), int(width[members[0]]), 2), (-1.0, 0.0))
        sizes = counts[members]
        row = np.repeat(np.arange(len(members)), sizes)
        column = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        source = begin[members][row] + column
        judged[row, column, 0], judged[row, column, 1] = ids[source], worth[source]
        groups.append((members, judged, _ranked(len(members), int(space.depth[members].max()))))
    return groups


def _ranked(queries: int, depth: int) -> Floats:
    """One ranking of places, seen by every query without a copy.

    Its columns are strided on purpose: numba compiles anew for each memory layout, and this one is never contiguous.
    """
    base = np.zeros((depth, 4))
    base[:, 0] = np.arange(1, depth + 1)
    base[:, 2] = -base[:, 0]
    return np.broadcast_to(base[:, ::2], (queries, depth, 2))


def _kernel(measure: Measure) -> str:
    """The kernel's name; gains that are not those of plain grades are sent as grades to the linear one."""
    how = TABLE[measure.name]
    if isinstance(how, Gap):
        raise BackendError(f"ranx was sent {measure}, which it lacks", hint="ask gap() first")
    return how if isinstance(how, str) else how[str(measure.get("dcg")) if is_plain(measure) else "log2"]


def _called(kernel: Any, measure: Measure, judged: Floats, ranked: Floats) -> Floats:
    """What the measure's kernel says of a group."""
    if TABLE[measure.name] != _POINTS:
        values: Floats = kernel(judged, ranked, measure.cutoff or 0, 0 if is_graded(measure) else 1)
        return values
    points: Floats = kernel(judged, ranked, 1)
    return points.mean(axis=1) if measure.name == "11pt" else points[:, round(measure.number("recall") * 10)]


@contextmanager
def _notice_when_slow(first: bool = True) -> Iterator[None]:
    """Say on stderr why it takes long, if it does: silence for half a minute looks like a hang."""
    what = "samescore: importing ranx and its kernels, which are compiled on first use (up to a minute, kept on disk)\n"
    timer = threading.Timer(PATIENCE, getattr(sys.stderr, "write", str), [what])  # a program without a console has no stderr
    timer.daemon = True
    if first and not _NOTICES:
        timer.start()
    try:
        yield
    finally:
        if timer.finished.is_set():  # it has fired
            _NOTICES.append(what)
        timer.cancel()


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
