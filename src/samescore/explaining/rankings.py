"""Rankings: a run in rank space under every combination of clauses, each query ranked once for each that can touch it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..measures import Measure
from ..policy import Policy
from ..ranking import rank, shaped
from ..rankspace import Ints, RankSpace
from ..readers import Qrels, Run
from .axes import Axis, groups


@dataclass(frozen=True, slots=True)
class Rankings:
    """The rankings that differ, and which of them each query has.

    ``which`` of shape (orders, shapes, queries) points into ``space``, for each combination of the axes on order and shape.
    """

    space: RankSpace
    which: Ints


def rankings(run: Run, qrels: Qrels, policy: Policy, axes: Sequence[Axis]) -> Rankings:
    """All rankings of the queries of the qrels, in their order; ``policy`` holds what the axes do not set."""
    ordered, order_of = _ordered(run, qrels, policy.but(depth=None, unjudged="nonrelevant"), axes)
    every = [shaped(ordered, policy.but(**settings)) for settings in groups(axes, "shape")]
    space, look = RankSpace.joined(every).distinct()
    return Rankings(space, look.reshape(len(every), len(ordered))[:, order_of].transpose(1, 0, 2))


def _ordered(run: Run, qrels: Qrels, policy: Policy, axes: Sequence[Axis]) -> tuple[RankSpace, Ints]:
    """The rankings before they are cut, and which of them each query has, shape (orders, queries)."""
    orders, queries = groups(axes, "order"), list(qrels.grades)
    touches = [axis for axis in axes if axis.kind == "order"]
    place: dict[tuple[str, tuple[object, ...]], int] = {}
    wanted: dict[tuple[object, ...], list[str]] = {}
    index = np.zeros((len(orders), len(queries)), dtype=np.int64)
    for i, settings in enumerate(orders):
        for j, query in enumerate(queries):
            own = tuple(settings[a.name] if query in a.queries else a.values[0] for a in touches)
            if (query, own) not in place:
                place[query, own] = len(place)
                wanted.setdefault(own, []).append(query)
            index[i, j] = place[query, own]
    spaces, at = [], []
    for own, some in wanted.items():
        settings = dict(zip((a.name for a in touches), own, strict=True))
        spaces.append(_rank(run, qrels, some, policy.but(**settings)))
        at += [place[query, own] for query in some]
    space, look = RankSpace.joined(spaces).distinct()
    back = np.empty(len(at), dtype=np.int64)
    back[at] = look
    return space, back[index]


def _rank(run: Run, qrels: Qrels, queries: Sequence[str], policy: Policy) -> RankSpace:
    """Some queries in rank space."""
    if len(queries) == len(qrels.grades):
        return rank(run, qrels, policy).space
    found = {query: run.rankings[query] for query in queries if query in run.rankings}
    grades = {query: qrels.grades[query] for query in queries}
    further = {query: qrels.further[query] for query in queries if query in qrels.further}
    return rank(replace(run, rankings=found), replace(qrels, grades=grades, further=further), policy).space


def narrowed(found: Rankings, measure: Measure) -> Rankings:
    """The rankings as far as a measure can tell them apart: cut at its cutoff, or after the last hit where it reads no depth."""
    if measure.reads_depth:
        return found
    whole = measure.cutoff is None or measure.get("judged_only") is True
    space, look = (found.space if whole else found.space.cut(measure.cutoff or 0)).trimmed().distinct()
    return Rankings(space, look[found.which])


def reach(measure: Measure) -> tuple[bool, object, int | None]:
    """What is the same for measures that tell the same rankings apart."""
    return measure.reads_depth, measure.get("judged_only"), measure.cutoff
