"""What a backend is sent: each measure with the rankings that it reads, uncut or cut after the last judged document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .. import reference
from ..errors import BackendError, examples, short
from ..measures import Measure
from ..rankspace import Floats, RankSpace
from ..user_code import raising
from .base import Backend

SPARSE = 4
"""So many judged documents a query and fewer, as in MS MARCO, make it likely that many rankings are alike in rank space."""

FEW = 500
"""For fewer rankings it costs more to find those that are alike than to compute all."""

Mask = NDArray[np.bool_]

Spaces = Mapping[str, RankSpace]
"""What ``measure.entry.reads`` -> the rank space to read, all of the same queries."""


Batch = tuple[str, bool, bool]
"""What measures must share to be sent together: the rank space that they read, whether it is condensed, whether it is uncut."""


@lru_cache(maxsize=256)
def batches(measures: tuple[Measure, ...]) -> Mapping[Batch, Sequence[int]]:
    """The batches of some measures with the columns of each; measures of one's own are in none."""
    columns: dict[Batch, list[int]] = {}
    for i, measure in enumerate(measures):
        if measure.function is None:
            batch = (measure.entry.reads, measure.get("judged_only") is True, measure.reads_depth)
            columns.setdefault(batch, []).append(i)
    return columns


def scores(backend: Backend, spaces: Spaces, measures: Sequence[Measure], to_compute: Mask) -> Floats:
    """The values of resolved measures, shape (queries, measures); NaN where ``to_compute``, of that shape, is False.

    Raises BackendError where a backend does not answer with finite numbers of that shape.
    """
    values = unchecked_scores(backend, spaces, measures, to_compute)
    finite = np.isfinite(values)
    if np.count_nonzero(finite) < values.size:
        for i, measure in enumerate(measures):
            if measure.function is None and (to_compute[:, i] & ~finite[:, i]).any():
                what = f"{backend.label} answered NaN or infinity for {measure}"
                raise BackendError(what, hint="a gap for what it cannot compute")
    return values


def unchecked_scores(backend: Backend, spaces: Spaces, measures: Sequence[Measure], to_compute: Mask) -> Floats:
    """What a backend answers, as :func:`scores` but with NaN and infinity where it says so.

    Measures of one's own are no backend's: theirs are NaN too.

    Raises BackendError where a backend does not answer with numbers of that shape.
    """
    values, every = np.full(to_compute.shape, np.nan), np.count_nonzero(to_compute) == to_compute.size
    for (reads, condensed, uncut), columns in batches(tuple(measures)).items():
        of_batch = [measures[i] for i in columns]
        rankings = spaces[reads].condensed() if condensed else spaces[reads]
        scorable = (rankings.depth > 0) & (rankings.counts > 0)
        sent = scorable if every else scorable & to_compute[:, columns].any(axis=1)
        if np.count_nonzero(sent):
            few = rankings.take(sent)
            if condensed:
                of_batch = [measure.with_params(judged_only=False) for measure in of_batch]
            values[sent.nonzero()[0][:, None], columns] = _answer(backend, few if uncut else few.trimmed(), of_batch)
        if np.count_nonzero(scorable) < len(scorable):
            for i in columns:
                _fill_unsent(rankings, measures[i], np.flatnonzero(to_compute[:, i] & ~scorable), values[:, i])
    if not every:
        values[~to_compute] = np.nan
    return values


def _fill_unsent(rankings: RankSpace, measure: Measure, queries: NDArray[np.int64], column: Floats) -> None:
    """The values of what no backend is sent: an empty ranking is worth 0, but for counts and residuals, which are as defined
    there; and so is all that has a value without a judged document."""
    if measure.entry.of_empty_ranking == "zero":
        empty = rankings.depth[queries] == 0
        column[queries[empty]] = 0.0
        queries = queries[~empty]
    for i in queries.tolist():
        column[i] = reference.value(rankings.ranking(i), measure)


def _answer(backend: Backend, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """The backend's answer, where rankings that are alike, as they are where judgements are few, are sent once.

    Raises BackendError where it is no table of numbers of the right shape.
    """
    index: slice | NDArray[np.int64] = slice(None)
    if len(rankings) >= FEW and rankings.repeat is None and len(rankings.place) <= SPARSE * len(rankings):
        rankings, index = rankings.distinct()
    with raising(lambda: f"{backend.label}, asked for {examples(map(str, measures))}, raised", BackendError, passing=(Exception,)):
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
    return answer[index]
