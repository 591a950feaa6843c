"""Posing a question: run, qrels and measures, read once and ranked once, for any backend to answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .averaging import Mask, Standing, settled, standing
from .backends import Grades
from .checks import chosen, refuse_swapped, warn_one_subtopic, warn_unjudged
from .errors import PolicyError, short
from .grading import refuse_grades
from .measures import Measure, own_values
from .policy import Policy
from .ranking import Ranked, rank
from .rankspace import Floats, RankSpace
from .readers import Qrels, Run, Stream, kept, open_run, recognise_qrels, to_documents


@dataclass(frozen=True)
class Posed:
    """What a backend is asked: ``resolved`` measures of ``ranked`` queries, of which ``averaged`` ones, shape (queries,), count."""

    ranked: Ranked
    resolved: Sequence[Measure]
    policy: Policy
    averaged: Mask

    @property
    def space(self) -> RankSpace:
        """The rank space that most measures read."""
        return self.ranked.space

    @property
    def queries(self) -> Sequence[str]:
        """The ids of the judged queries."""
        return self.ranked.trace.queries

    @cached_property
    def grades(self) -> Grades:
        """What a backend may ask of the judgements before it computes."""
        return Grades.of(self.space)

    @cached_property
    def stands(self) -> Standing:
        """How each query stands. Raises PolicyError where one is missing and the policy refuses that."""
        return standing(self.ranked.spaces, self.ranked.trace, self.resolved, self.policy, self.averaged)

    def answered(self, values: Floats) -> tuple[Floats, Standing]:
        """A backend's values as they are averaged, of shape (queries, measures), and how queries stand.

        The columns of measures of one's own are filled, which their functions compute.
        """
        stands = self._with_own(values)
        return settled(values, stands, self.policy), stands

    def _with_own(self, values: Floats) -> Standing:
        """Fill the columns of measures of one's own, and note where those are undefined."""
        defined, wanted = self.stands.defined.copy(), self.stands.wanted
        for i, measure in enumerate(self.resolved):
            if measure.function is not None:
                values[:, i] = own_values(measure, self.space, self.queries, wanted[:, i])
                defined[:, i] &= ~(wanted[:, i] & np.isnan(values[:, i]))
        return replace(self.stands, defined=defined)


def pose(
    run: Any, qrels: Any, measures: Sequence[Measure], *, policy: Policy, queries: Iterable[Any] | None = None, doc_of: Any = None
) -> Posed:
    """Read a run and qrels, rank them by the policy, and refuse what the measures cannot be asked of.

    Raises what :func:`samescore.evaluate` raises, but for what depends on a backend.
    """
    if not isinstance(policy, Policy):
        raise PolicyError(f"the policy is {short(policy)}", hint="policy=Policy() or Policy.trec_eval()")
    resolved = [policy.resolve(measure) for measure in measures]
    found_run, found_qrels = opened(run, qrels, doc_of)
    ranked = rank(found_run, found_qrels, policy, {measure.entry.reads for measure in resolved})
    refuse_grades(ranked, resolved, policy)
    warn_one_subtopic(found_qrels, resolved)
    warn_unjudged(ranked)
    ranked, averaged = chosen(ranked, queries)
    return Posed(ranked, resolved, policy, averaged)


def opened(run: Any, qrels: Any, doc_of: Any) -> tuple[Run | Stream, Qrels]:
    """Run and qrels as found, the run with documents for chunks.

    Raises MismatchError where both are read here and look swapped.
    """
    found_run, found_qrels = open_run(run), recognise_qrels(qrels)
    if found_run is not run and found_qrels is not qrels:
        refuse_swapped(found_run, found_qrels)
    return (found_run if doc_of is None else to_documents(kept(found_run), doc_of)), found_qrels
