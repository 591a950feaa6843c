"""What a backend is sent: each measure with the rankings that it reads, uncut or cut after the last judged document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import reference
from ..errors import BackendError, short
from ..measures import Measure
from ..rankspace import Floats, RankSpace
from .base import Backend

SPARSE = 4
"""So many judged documents a query and fewer, as in MS MARCO, make it likely that many rankings are alike in rank space."""

FEW = 500
"""For fewer rankings it costs more to find those that are alike than to compute all."""

Wanted = NDArray[np.bool_]

Spaces = Mapping[str, RankSpace]
"""What ``measure.entry.reads`` -> the rank space to read, all of the same queries."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What measures must share to be sent together: the rank space, whether it is condensed, whether it is uncut."""

    reads: str
    condensed: bool
    uncut: bool

    @classmethod
    def of(cls, measure: Measure) -> Batch:
        """The batch that a measure belongs to."""
        return cls(measure.entry.reads, measure.get("judged_only") is True, measure.reads_depth)


def scores(backend: Backend, spaces: Spaces, measures: Sequence[Measure], wanted: Wanted) -> Floats:
    """The values of resolved measures, shape (queries, measures); NaN where ``wanted``, of that shape, is False.

    Raises BackendError where a backend does not answer with finite numbers of that shape.
    """
    values = answers(backend, spaces, measures, wanted)
    wanted = wanted & [measure.function is None for measure in measures]
    if not np.isfinite(values[wanted]).all():
        broken = next(str(m) for i, m in enumerate(measures) if not np.isfinite(values[wanted[:, i], i]).all())
        raise BackendError(f"{backend.label} answered NaN or infinity for {broken}", hint="a gap for what it cannot compute")
    return values


def answers(backend: Backend, spaces: Spaces, measures: Sequence[Measure], wanted: Wanted) -> Floats:
    """What a backend answers, as :func:`scores` but with NaN and infinity where it says so.

    Measures of one's own are no backend's: theirs are NaN too.

    Raises BackendError where a backend does not answer with numbers of that shape.
    """
    values = np.full(wanted.shape, np.nan)
    wanted = wanted & [measure.function is None for measure in measures]
    batches: dict[Batch, list[int]] = {}
    for i, measure in enumerate(measures):
        if measure.function is None:
            batches.setdefault(Batch.of(measure), []).append(i)
    for batch, columns in batches.items():
        rankings = spaces[batch.reads].condensed() if batch.condensed else spaces[batch.reads]
        sent = wanted[:, columns].any(axis=1) & (rankings.depth > 0) & (rankings.counts > 0)
        for i in columns:
            _fill(rankings, measures[i], np.flatnonzero(wanted[:, i] & ~sent), values[:, i])
        if sent.any():
            few = rankings.take(sent)
            plain = [measures[i].with_params(judged_only=False) if batch.condensed else measures[i] for i in columns]
            values[np.ix_(sent, columns)] = _answer(backend, few if batch.uncut else few.trimmed(), plain)
    values[~wanted] = np.nan
    return values


def _fill(rankings: RankSpace, measure: Measure, queries: NDArray[np.int64], column: Floats) -> None:
    """The values of what no backend is sent: an empty ranking is worth 0, but for counts and residuals, which are as defined
    there; and so is all that has a value without a judged document."""
    if measure.entry.of_empty_ranking == "zero":
        empty = rankings.depth[queries] == 0
        column[queries[empty]] = 0.0
        queries = queries[~empty]
    for i in queries.tolist():
        column[i] = reference.value(rankings.ranking(i), measure)


def _answer(backend: Backend, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """What the backend says, with the right shape. Where judgements are few, many rankings are alike, and one of these is sent."""
    if rankings.repeat is None and len(rankings) >= FEW and len(rankings.place) <= SPARSE * len(rankings):
        different, index = rankings.distinct()
        return _checked_answer(backend, different, measures)[index]
    return _checked_answer(backend, rankings, measures)


def _checked_answer(backend: Backend, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """The backend's answer, checked."""
    given = backend.score(rankings, measures)
    try:
        answer = np.asarray(given)
        if answer.dtype.kind not in "biufO":
            raise TypeError(answer.dtype)
        answer = answer.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        what = f"{backend.label} answered with {short(given)}, which is no table of numbers"
        raise BackendError(what, hint="an array of shape (queries, measures)") from error
    if answer.shape != (len(rankings), len(measures)):
        what = f"{backend.label} answered with shape {answer.shape}, not {(len(rankings), len(measures))}"
        raise BackendError(what, hint="an array of shape (queries, measures)")
    return answer
