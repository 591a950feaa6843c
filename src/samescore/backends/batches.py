"""What a backend is sent: each measure with the rankings that it reads, whole or trimmed after the last judged document."""

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
"""Up to this many judged documents per query, as in MS MARCO, rankings are likely to repeat in rank space."""

MIN_FOR_DISTINCT = 500
"""For fewer rankings it costs more to find those that repeat than to compute all."""

Mask = NDArray[np.bool_]

Spaces = Mapping[str, RankSpace]
"""What ``measure.entry.reads`` -> the rank space to read, all of the same queries."""


Batch = tuple[str, bool, bool]
"""What measures that are sent together share: the rank space that they read, whether it is condensed, and whether it is sent
untrimmed, down to each ranking's last document, rather than to its last judged one."""


@lru_cache(maxsize=256)
def batches(measures: tuple[Measure, ...]) -> Mapping[Batch, Sequence[int]]:
    """The batches of some measures with the columns of each; user-defined measures are in none."""
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
    """What a backend answers, as :func:`scores` but without its check: NaN and infinity stay.

    The columns of user-defined measures, which no backend computes, are NaN.

    Raises BackendError where a backend does not answer with numbers of that shape.
    """
    values = np.full(to_compute.shape, np.nan)
    all_needed = np.count_nonzero(to_compute) == to_compute.size
    for (reads, condensed, untrimmed), columns in batches(tuple(measures)).items():
        of_batch = [measures[i] for i in columns]
        rankings = spaces[reads].condensed() if condensed else spaces[reads]
        scorable = (rankings.depth > 0) & (rankings.counts > 0)
        to_send = scorable if all_needed else scorable & to_compute[:, columns].any(axis=1)
        if np.count_nonzero(to_send):
            rankings_to_send = rankings.take(to_send) if untrimmed else rankings.take(to_send).trimmed()
            if condensed:
                of_batch = [measure.with_params(judged_only=False) for measure in of_batch]
            values[to_send.nonzero()[0][:, None], columns] = _answer(backend, rankings_to_send, of_batch)
        if np.count_nonzero(scorable) < len(scorable):
            for i in columns:
                _fill_unsent(rankings, measures[i], np.flatnonzero(to_compute[:, i] & ~scorable), values[:, i])
    if not all_needed:
        values[~to_compute] = np.nan
    return values


def _fill_unsent(rankings: RankSpace, measure: Measure, queries: NDArray[np.int64], column: Floats) -> None:
    """The values of queries that no backend is sent, since their ranking is empty or no document is judged.

    An empty ranking has the value 0, unless the catalogue says that the definition holds there. All else the reference computes.
    """
    if measure.entry.of_empty_ranking == "zero":
        empty = rankings.depth[queries] == 0
        column[queries[empty]] = 0.0
        queries = queries[~empty]
    for i in queries.tolist():
        column[i] = reference.value(rankings.ranking(i), measure)


def _answer(backend: Backend, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """The backend's answer. Where judgements are few and rankings likely to repeat, each distinct one is sent once.

    Raises BackendError for an answer that is no table of numbers of the right shape, and where the backend would stop the
    process (``SystemExit``). An exception of the backend passes as it is, with a note that names backend and measures.
    """
    index: slice | NDArray[np.int64] = slice(None)
    if len(rankings) >= MIN_FOR_DISTINCT and rankings.repeat is None and len(rankings.place) <= SPARSE * len(rankings):
        rankings, index = rankings.distinct()
    with raising(lambda: f"{backend.label}, asked for {examples(map(str, measures))}, raised", BackendError, passing=(Exception,)):
        returned = backend.score(rankings, measures)
    try:
        answer = np.asarray(returned)
        if answer.dtype.kind not in "biufO":
            raise TypeError(answer.dtype)
        answer = answer.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        what = f"{backend.label} answered with {short(returned)}, which is no table of numbers"
        raise BackendError(what, hint="an array of shape (queries, measures)") from error
    if answer.shape != (len(rankings), len(measures)):
        what = f"{backend.label} answered with shape {answer.shape}, not {(len(rankings), len(measures))}"
        raise BackendError(what, hint="an array of shape (queries, measures)")
    return answer[index]
