"""Ranking: the rows of a run and of qrels, and a policy, become rank space, its trace, and notes of what was done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..policy import Policy
from ..rankspace import Ints, RankSpace, Trace
from ..readers import Qrels, Run, RunFile, to_run
from ..readers.data import Table, TableRankings
from .judgements import Judgements, Notes, by_subtopic, judge
from .lookup import rank_by_lookup
from .mismatch import mismatch
from .order import OrderedRanking, counted_documents, counted_rows, order_ranking
from .table import QueryComesBack, rank_by_table

__all__ = [
    "Judgements",
    "Notes",
    "OrderedRanking",
    "Ranked",
    "counted_documents",
    "counted_rows",
    "cut_and_condense",
    "judge",
    "order_ranking",
    "rank",
    "ranks",
]


@dataclass(frozen=True, slots=True)
class Ranked:
    """All judged queries in rank space, the trace beside it, and the notes.

    ``before_cut`` is the rank space before rankings were cut to the policy's depth and condensed; its rows are the trace's.
    ``spaces`` holds a rank space for each value of ``measure.entry.reads``: ``"grades"``, which is ``space``, ``"pool"``, and
    ``"subtopics"`` where it was needed. ``judgements`` are the grades by query and document that the policy left.
    ``run`` has its rows where they were kept.
    """

    space: RankSpace
    trace: Trace
    notes: Notes
    before_cut: RankSpace
    spaces: Mapping[str, RankSpace]
    judgements: Judgements
    run: Run | RunFile


def rank(
    run: Run | RunFile, qrels: Qrels, policy: Policy, needed_spaces: Iterable[str] = ("grades",), *, keep_rows: bool = False
) -> Ranked:
    """Turn a run and qrels into rank space: tables and big files by the table road, all else by the lookup road.

    ``needed_spaces`` names the rank spaces that the measures need, as ``measure.entry.reads`` does; that of ``"subtopics"`` is made
    only where it is among them. ``keep_rows`` tells whether the rows of a big file are kept.

    Raises MismatchError where both have queries and none in common, PolicyError where the policy refuses.
    """
    notes = Notes(
        unmapped=run.unmapped if isinstance(run, Run) else {},
        distances=run.distances if isinstance(run, Run) else run.layout.what == "distance",
        unfilled=qrels.unfilled,
    )
    needed = set(needed_spaces)
    only_subtopics = needed == {"subtopics"}
    judgements = judge(qrels, policy, notes, documents=not only_subtopics)
    before_cut, trace, run = _rank_judged(run, judgements, policy, notes, keep_rows=keep_rows)
    if notes.unjudged_queries and judgements and not trace.answered.any():
        raise mismatch(notes.unjudged_queries, list(judgements))
    space = cut_and_condense(before_cut, policy)
    spaces = {"grades": space, "pool": space}
    if "pool" in needed and notes.negatives and policy.negatives == "unjudged" and policy.unjudged == "nonrelevant":
        # To infAP, which alone reads the pool, a grade below 0 is a document that was pooled and not judged.
        spaces["pool"] = rank(run, qrels, policy.but(negatives="nonrelevant")).space
    if "subtopics" in needed:
        subtopic_notes = notes if only_subtopics else Notes()  # discarded: the rows were counted above, as judgements of documents
        spaces["subtopics"] = cut_and_condense(by_subtopic(before_cut, trace, qrels, policy, subtopic_notes), policy)
    return Ranked(space, trace, notes, before_cut, spaces, judgements, run)


def _rank_judged(
    run: Run | RunFile, judgements: Judgements, policy: Policy, notes: Notes, *, keep_rows: bool
) -> tuple[RankSpace, Trace, Run | RunFile]:
    """Every judged document at its place, and the run, with the rows of a big file where they are kept.

    A big file is ranked in blocks, or at once where a query is in two of them.
    """
    if isinstance(run, RunFile):
        kept: list[Table] = []
        try:
            ranked = rank_by_table(_keep(run.blocks(), kept) if keep_rows else run.blocks(), judgements, policy, notes)
        except QueryComesBack:
            kept = [run.table()]
            ranked = rank_by_table(kept, judgements, policy, notes)
        return *ranked, to_run(Table.joined(kept), name=run.name) if keep_rows else run
    if isinstance(run.rankings, TableRankings):
        return *rank_by_table([run.rankings.table], judgements, policy, notes), run
    notes.unjudged_queries = [query for query in run.rankings if query not in judgements]
    notes.misranked = {query: run.misranked[query] for query in judgements if query in run.misranked}
    return *rank_by_lookup(run, judgements, policy, notes), run


def _keep(blocks: Iterable[Table], kept: list[Table]) -> Iterator[Table]:
    """The same blocks, each added to a list."""
    for block in blocks:
        kept.append(block)
        yield block


def ranks(before_cut: RankSpace, policy: Policy) -> Ints:
    """The rank of each judged document once rankings are cut and condensed, 0 where it is not retrieved, shape (rows,)."""
    depth = before_cut.depth if policy.depth is None else np.minimum(before_cut.depth, policy.depth)
    retrieved = before_cut.place <= depth[before_cut.query]
    return np.where(retrieved, before_cut.count_up(retrieved) if policy.unjudged == "drop" else before_cut.place, 0)


def cut_and_condense(space: RankSpace, policy: Policy) -> RankSpace:
    """The last two steps of the policy: cut rankings to ``policy.depth``, which bounds ``space.depth``, and condense."""
    if policy.depth is not None:
        space = space.cut(policy.depth)
    return space.condensed() if policy.unjudged == "drop" else space
