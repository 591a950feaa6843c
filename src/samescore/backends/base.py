"""What a backend is: an object that turns rank space and measures into numbers, and says beforehand what it lacks."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from ..errors import MissingLibraryError, Wording, clause, setting
from ..measures import CATALOGUE, Measure
from ..rankspace import Floats, RankSpace


@dataclass(frozen=True, slots=True)
class Grades:
    """What a backend may ask of the judgements before it computes.

    Parameters
    ----------
    largest
        The largest grade.
    whole
        Whether all grades are whole.
    repeat
        Whether documents repeat in a ranking (double credit).
    deepest
        How many documents the longest ranking has.
    """

    largest: float = 1
    whole: bool = True
    repeat: bool = False
    deepest: int = 0

    @classmethod
    def of(cls, space: RankSpace) -> Grades:
        """The facts about a rank space."""
        largest = float(np.maximum.reduce(space.grade)) if len(space.grade) else 0.0
        deepest = int(np.maximum.reduce(space.depth, initial=0))
        return cls(largest, space.grade.dtype.kind == "i", space.repeat is not None, deepest)


@dataclass(frozen=True, slots=True)
class Gap:
    """A measure that a backend does not have.

    Parameters
    ----------
    kind
        ``never`` (the library has another definition under this name), ``upstream`` (it lacks or breaks it) or ``todo``.
    why
        The reason, in words.
    instead
        What to do.
    """

    kind: Literal["never", "upstream", "todo"]
    why: str
    instead: str = setting("backend", "reference")


REPEATS = Gap(
    "upstream", Wording("it cannot hold a document twice in one ranking, which ", clause("duplicates", "each"), " asks for")
)


Limits = Mapping[str, Callable[[Measure, Grades], bool]]
"""Why a library lacks a measure that it has otherwise -> when."""

SCALED = tuple(name for name, entry in CATALOGUE.items() if "min_rel" in entry.params)
"""The measures whose gains are shares of a scale from min_rel to max_rel, on which grades are clipped."""

OF_SUBTOPICS = tuple(name for name, entry in CATALOGUE.items() if entry.reads == "subtopics")
"""The measures of novelty and diversity."""


OURS = ("MAP_R", "Complete", "AUC", "NCG", "CG", "Q_measure")
"""The measures that the reference alone has."""


def divides_otherwise(measure: Measure) -> bool:
    """Whether AP is divided by another number than R, which min(k, R) is without a cutoff."""
    return measure.get("norm") in ("k", "hits") or bool(measure.get("norm") and measure.cutoff)


OTHER_NDCG = Gap("upstream", "it divides by the ideal of all judged documents cut at k, and discounts by log2(rank + 1), alone")

OTHER_P = Gap("upstream", "it divides by k alone, however few documents were retrieved")


def library_gap(how: object, limits: Limits, measure: Measure, grades: Grades) -> Gap | None:
    """Why a library lacks a measure: double credit, the gap that stands in its table, or the first of its limits that holds."""
    if grades.repeat:
        return REPEATS
    if isinstance(how, Gap):
        return how
    if measure.get("ideal") not in (None, "judged") or measure.get("discount") not in (None, "log2"):
        return OTHER_NDCG
    if measure.get("returned") is True:
        return OTHER_P
    return next((Gap("upstream", why) for why, holds in limits.items() if holds(measure, grades)), None)


@cache
def installed(distribution: str) -> str:
    """The installed version of a library, looked up once: reading metadata takes as long as scoring a small run.

    Raises MissingLibraryError where it is not installed.
    """
    try:
        return version(distribution)
    except PackageNotFoundError:
        hint = Wording(f"pip install {distribution}, or ", setting("backend", "reference"))
        raise MissingLibraryError(f"{distribution} is not installed", hint=hint) from None


@runtime_checkable
class Backend(Protocol):
    """A backend. ``score`` is sent queries that have at least one judged and one retrieved document, and resolved measures
    (gain and threshold explicit) that ``gap`` did not refuse; it returns float64 of shape (queries, measures). All measures of
    one call read the same rank space (``measure.entry.reads``): a row for each document, or for each document and subtopic.

    A tool that prints few decimals has a ``resolution`` beside these: how far its values may be off (see :func:`resolution`).
    """

    @property
    def label(self) -> str:
        """Name and version, as in ``ranx 0.3.21``: it stands on every result."""

    def gap(self, measure: Measure, grades: Grades) -> Gap | None:
        """Why this measure cannot be computed, or None. Asked before anything is computed, and cheap."""

    def score(self, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
        """The value of each measure for each query."""


def resolution(backend: Backend) -> float:
    """How far a backend's values may be off because its tool prints few decimals.

    Parameters
    ----------
    backend
        The backend.

    Returns
    -------
    float
        0 where the backend does not say.

    Examples
    --------
    >>> from samescore.backends import find
    >>> resolution(find("ir_measures/gdeval")), resolution(find("reference"))
    (5.001e-06, 0.0)
    """
    return float(getattr(backend, "resolution", 0.0))


def fork_safe_lock() -> AbstractContextManager[Any]:
    """A lock for a library that one thread may enter at a time; a fork waits for it, since its child would find it locked."""
    lock = threading.Lock()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock
