"""Ranking: a run and qrels as found, and a policy, become rank space, its trace, and notes of what was done."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import MismatchError, examples
from ..policy import Policy
from ..rankspace import RankSpace, Trace
from ..readers import Qrels, Run
from .judgements import Judgements, judge
from .lookup import rank_by_lookup
from .notes import Notes
from .order import Ordered, ordered

__all__ = ["Notes", "Ordered", "Ranked", "ordered", "rank"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """All judged queries in rank space, the trace beside it, and the notes."""

    space: RankSpace
    trace: Trace
    notes: Notes


def rank(run: Run, qrels: Qrels, policy: Policy) -> Ranked:
    """Turn a run and qrels into rank space.

    Raises MismatchError where both have queries and none in common, PolicyError where the policy refuses.
    """
    notes = Notes()
    judgements: Judgements = judge(qrels, policy, notes)
    notes.unjudged_queries = [query for query in run.rankings if query not in judgements]
    if run.rankings and judgements and len(notes.unjudged_queries) == len(run.rankings):
        what = f"run and qrels have no query in common: the run has {examples(run.queries)}, the qrels {examples(judgements)}"
        raise MismatchError(what, hint="check that query ids are spelled alike and that the files belong together")
    space, trace = rank_by_lookup(run, judgements, policy, notes)
    return Ranked(_shaped(space, policy), trace, notes)


def _shaped(space: RankSpace, policy: Policy) -> RankSpace:
    """The last two steps of the policy: cut to depth, condense."""
    if policy.depth is not None:
        space = space.cut(policy.depth)
    return space.condensed() if policy.unjudged == "drop" else space
