"""What a backend is sent: each measure with the rankings that it reads, uncut or cut after the last judged document."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import BackendError, short
from ..measures import Measure
from ..rankspace import Floats, RankSpace
from .protocol import Backend

SPARSE = 4
"""So many judged documents a query and fewer, as in MS MARCO, make it likely that many rankings are alike in rank space."""


def scores(backend: Backend, space: RankSpace, measures: Sequence[Measure], wanted: NDArray[np.bool_]) -> Floats:
    """The values of resolved measures, shape (queries, measures); NaN where ``wanted``, of that shape, is False.

    Raises BackendError where a backend does not answer with numbers of that shape.
    """
    values = np.full(wanted.shape, np.nan)
    batches: dict[tuple[bool, bool], list[int]] = {}
    for i, measure in enumerate(measures):
        batches.setdefault((measure.get("judged_only") is True, measure.reads_depth), []).append(i)
    for (condense, uncut), columns in batches.items():
        rankings = space.condensed() if condense else space
        sent = wanted[:, columns].any(axis=1) & (rankings.depth > 0)
        values[np.ix_(~sent, columns)] = 0.0
        if sent.any():
            batch = rankings.take(sent)
            asked = [measures[i].with_params(judged_only=False) if condense else measures[i] for i in columns]
            values[np.ix_(sent, columns)] = _answer(backend, batch if uncut else batch.trimmed(), asked)
    values[~wanted] = np.nan
    if not np.isfinite(values[wanted]).all():
        broken = next(str(m) for i, m in enumerate(measures) if not np.isfinite(values[wanted[:, i], i]).all())
        raise BackendError(f"{backend.label} answered NaN or infinity for {broken}", hint="a gap for what it cannot compute")
    return values


def _answer(backend: Backend, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """What the backend says, with the right shape. Where judgements are few, queries look alike, and each look is asked once."""
    if rankings.again is None and len(rankings.place) <= SPARSE * len(rankings):
        different, index = rankings.distinct()
        return _asked(backend, different, measures)[index]
    return _asked(backend, rankings, measures)


def _asked(backend: Backend, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
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
