"""Rows of (query, document, number), wherever they come from, gathered by query as found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .found import Found, Grade, Qrels, Run
from .values import as_grades, as_id, as_ids, as_scores


def gather_run(
    queries: Sequence[Any],
    docs: Sequence[Any],
    scores: Sequence[Any] | None,
    *,
    ranks: Sequence[float] | None = None,
    name: str = "run",
) -> Run:
    """A run from columns of equal length; the rows of a query need not stand together. No scores: the order is the ranking.

    ``ranks`` decide nothing; where they disagree with the scores is counted.
    """
    rankings: dict[str, Found] = {}
    wrong: dict[str, int] = {}
    for query, rows in _rows_of(queries).items():
        own = as_ids(_pick(docs, rows), query=query)
        values = None if scores is None else as_scores(_pick(scores, rows), own, query=query)
        rankings[query] = Found(own, values)
        if ranks is not None and values is not None:
            n = int(np.count_nonzero(misranked(np.array(_pick(ranks, rows)), values)))
            wrong |= {query: n} if n else {}
    return Run(rankings, len(docs), name, misranked=wrong)


def misranked(ranks: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which rows but the first have both the greater rank and the greater score of themselves and the row before, or neither."""
    later, higher = ranks[1:] > ranks[:-1], scores[1:] > scores[:-1]
    sooner, lower = ranks[1:] < ranks[:-1], scores[1:] < scores[:-1]
    wrong: NDArray[np.bool_] = (later & higher) | (sooner & lower)
    return wrong


def gather_qrels(
    queries: Sequence[Any],
    docs: Sequence[Any],
    grades: Sequence[Any],
    iterations: Sequence[Any] | None = None,
    *,
    name: str = "qrels",
) -> Qrels:
    """Qrels from columns of equal length; the rows of a query need not stand together."""
    first: dict[str, dict[str, Grade]] = {}
    further: dict[str, list[tuple[str, Grade]]] = {}
    subtopics: dict[str, list[tuple[str, str, Grade]]] = {}
    for query, rows in _rows_of(queries).items():
        own = as_ids(_pick(docs, rows), query=query)
        values = as_grades(_pick(grades, rows), own, query=query)
        judged = first[query] = {}
        for doc, grade in zip(own, values, strict=True):
            if doc in judged:
                further.setdefault(query, []).append((doc, grade))
            else:
                judged[doc] = grade
        under = [] if iterations is None else _pick(iterations, rows)
        if len(set(under)) > 1:
            subtopics[query] = list(zip(own, map(str, under), values, strict=True))
    return Qrels(first, len(docs), further, name, subtopics)


def _rows_of(queries: Sequence[Any]) -> dict[str, list[slice]]:
    """The stretches of rows in which each query stands, in order of first appearance."""
    stretches: dict[str, list[slice]] = {}
    begin = 0
    for i in range(1, len(queries) + 1):
        if i == len(queries) or queries[i] != queries[begin]:
            stretches.setdefault(as_id(queries[begin], kind="query"), []).append(slice(begin, i))
            begin = i
    return stretches


def _pick(column: Sequence[Any], rows: list[slice]) -> list[Any]:
    """The values of a column in some stretches of rows."""
    if len(rows) == 1:
        return list(column[rows[0]])
    return [value for stretch in rows for value in column[stretch]]
