"""pyndeval, which is ndeval 4.5 of the TREC Web track: novelty and diversity, to rank 20."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from ...measures import Measure
from ...rankspace import Floats, RankSpace
from ..protocol import Gap, Grades
from ..stand_ins import library, written
from .provider import Provider, collected, having

DEPTH = 20
"""The deepest cutoff of ndeval."""

MEASURES = ("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall")
NO_QUERY = "subtopics"
"""A query that no run has, judged for every subtopic in order, so that ndeval numbers them in that order."""

_LOCK = threading.Lock()
"""pyndeval 0.0.8 keeps alpha and beta in global variables of its C code, set before each query."""


def _limit(measure: Measure, grades: Grades) -> Gap | None:
    """Cutoffs that ndeval lacks or has wrong."""
    if measure.cutoff is None:
        needed = measure.entry.cutoff != "none"
        return Gap("upstream", "ndeval 4.5 needs a cutoff") if needed else None
    if measure.cutoff > DEPTH:
        return Gap("upstream", "ndeval 4.5 has cutoffs to 20 alone")
    if measure.cutoff == 1 and measure.name in ("ERR_IA", "alpha_DCG"):
        return Gap("upstream", "ndeval 4.5 does not normalise the first rank: its loop begins at the second")
    return None


def _compute(provider: Provider, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
    """Each of the provider's calls with a run of its own: ir_measures 0.4.3 gives all an iterator, which the first one empties."""
    objects = [written(measure) for measure in measures]
    values = np.zeros((len(rankings), len(measures)))
    run, qrels = _stand_ins(rankings)
    with _LOCK:
        for invoker in provider.evaluator(dict.fromkeys(objects), qrels).invokers:
            columns = [i for i, asked in enumerate(objects) if asked in invoker.measure_map.values()]
            values[:, columns] = collected(invoker.iter_calc(run), [objects[i] for i in columns], len(rankings))
    return values


def _stand_ins(space: RankSpace) -> tuple[list[object], list[object]]:
    """Rows of a run and of qrels. A judged document is named by its place in the order of ids, by which ndeval settles ties."""
    im = library()
    subtopic, order = space.subtopic, space.order
    if subtopic is None or order is None:
        subtopic, order = np.zeros_like(space.place), space.place
    names = [f"{n:09d}" for n in order.tolist()]
    last = max(1, int(subtopic.max(initial=0)))
    qrels: list[object] = [im.Qrel(NO_QUERY, "none", 0, str(n)) for n in range(last + 1)]
    rows = zip(space.query.tolist(), names, space.grade.tolist(), subtopic.tolist(), strict=True)
    qrels += [im.Qrel(str(query), name, grade, str(n)) for query, name, grade, n in rows]
    named = dict(zip(zip(space.query.tolist(), space.place.tolist(), strict=True), names, strict=True))
    run: list[object] = []
    for i, depth in enumerate(space.depth.tolist()):
        run += [im.ScoredDoc(str(i), named.get((i, rank), f"unjudged {rank}"), float(depth - rank)) for rank in range(1, depth + 1)]
    return run, qrels


PYNDEVAL = Provider(
    "pyndeval", having("pyndeval", *MEASURES), _compute, _limit, tool="pyndeval", hint="pip install 'samescore[diversity]'"
)
