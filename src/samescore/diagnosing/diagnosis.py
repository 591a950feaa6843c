"""Diagnosis: the stage at which each query loses its evidence, candidates, ranking or answer, and what that adds up to."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..averaging import Standing, standing
from ..checks import warn_unjudged
from ..errors import InputError, InputTypeError, examples, short, spot
from ..labels.labelling import ranks, read_both, whole
from ..policy import Policy
from ..ranking import Ranked, rank
from ..rankspace import Ints
from ..readers import Qrels, Run, document_lookup
from ..readers.values import as_id
from .stages import Case, Diagnosis, Kind, Lacking

DEFAULT = Policy()


def diagnose(  # noqa: PLR0917  # people call it with two lists, judgements and two cutoffs
    candidates: Any,
    final: Any,
    qrels: Any,
    k: int = 5,
    candidate_k: int = 50,
    answers: Mapping[Any, bool] | None = None,
    *,
    doc_of: Any = None,
    policy: Policy = DEFAULT,
) -> Diagnosis:
    """Find the stage of a pipeline that loses the evidence: the candidates, their ranking, or the answer.

    ``candidates`` is the run that the first stage retrieved and ``final`` the run after reranking, each whatever
    :func:`samescore.evaluate` takes (one list for both is fine). A query is *found* if a relevant document is among the first
    ``k`` of the final list, *below k* if one is among the first ``candidate_k`` candidates but not there, and else *not in the
    candidates*. Queries that the qrels lack are *not judged*, and those without a relevant document have *nothing to find*.
    ``answers`` tells for queries whether the answer was right; found then splits into *answered right* and *answered wrong*
    (and stays *found* where no answer is known). ``doc_of`` is that of :func:`samescore.evaluate`, for lists of chunks.

    The recall of the candidates is the ceiling of the final list, as means over the queries with a relevant document; a
    query that either list lacks counts as 0, or is left out, or refused, as the policy's ``missing`` says. Relevant is a
    grade of at least ``relevance_level``.

    Raises MeasureError for a k below 1, InputError for answers that are not True or False or of unknown queries, and what
    :func:`samescore.evaluate` raises.

    Three queries whose candidates hold one relevant document each, but for the last; the reranker brings one of them to the top:

    >>> candidates = {"q1": ["a", "b"], "q2": ["c", "d"], "q3": ["e", "f"]}
    >>> final = {"q1": ["b", "a"], "q2": ["c", "d"], "q3": ["e", "f"]}
    >>> found = diagnose(candidates, final, {"q1": {"b"}, "q2": {"d"}, "q3": {"x"}}, k=1, candidate_k=2, answers={"q1": False})
    >>> print(found)
    query                  queries  share
    not in the candidates        1  33.3%
    below k                      1  33.3%
    answered wrong               1  33.3%
    answered right               0   0.0%
    found                        0   0.0%
    <BLANKLINE>
    The limit is the candidates (and the ranking and the generation as much): for 1 of 3 queries (33.3%) ...
    recall of the first 2 candidates, the ceiling: 0.6667
    recall at 1 of their best order: 0.6667; of the final list: 0.3333
    recall 0.3333 against answer accuracy 0.0000 (1 answer): 0.0000 where a relevant document was found (1), - where not (0)
    >>> found.of("below k"), found.stage, found.recall / found.ceiling
    (['q2'], 'candidates', 0.5)
    >>> found.queries.reset_index()[["query_id", "kind", "relevant", "candidates", "final", "best_final"]]
      query_id                   kind  relevant  candidates  final  best_final
    0       q1         answered wrong         1           1      1           1
    1       q2                below k         1           1      0           2
    2       q3  not in the candidates         1           0      0        <NA>
    """
    cutoff, deepest = whole(k), whole(candidate_k)
    look_up = None if doc_of is None else document_lookup(doc_of)
    first, judged = read_both(candidates, qrels, look_up)
    last, _ = read_both(final, judged, look_up)
    before, after = _Stage.of(first, judged, policy, deepest), _Stage.of(last, judged, policy, cutoff)
    warn_unjudged(before.ranked)
    unjudged = dict.fromkeys(query for query in (*first.rankings, *last.rankings) if query not in judged.grades)
    known = _answers(answers, {*judged.grades, *unjudged})
    return Diagnosis(
        k=cutoff,
        candidate_k=deepest,
        cases=(*_cases(before, after, known), *(Case(query, "not judged", known.get(query)) for query in unjudged)),
        lacking=tuple(_lacking(first, last, deepest, cutoff, policy)),
        missing_candidates=before.missing(),
        missing_final=after.missing(),
        answered=answers is not None,
        policy=policy,
        unmapped=sum(sum(run.unmapped.values()) for run in (first, last)),
    )


@dataclass(frozen=True, slots=True)
class _Stage:
    """What one list found of each judged query, shape (queries,): documents in its first ``k``, and the best rank or 0."""

    ranked: Ranked
    standing: Standing
    relevant: Ints
    hits: Ints
    best: Ints

    @classmethod
    def of(cls, run: Run, qrels: Qrels, policy: Policy, k: int) -> _Stage:
        """One list, in rank space."""
        ranked = rank(run, qrels, policy)
        space = ranked.space
        stands = standing(ranked.spaces, ranked.trace, [], policy, np.ones(len(space), dtype=bool))
        relevant = space.grade >= policy.relevance_level
        if space.again is not None:
            relevant &= ~space.again
        found = relevant & (space.place <= space.depth[space.query])
        best = np.full(len(space), np.iinfo(np.int64).max)
        np.minimum.at(best, space.query[found], space.place[found])
        hits = space.per_query(found & (space.place <= k))
        return cls(ranked, stands, space.per_query(relevant), hits, np.where(space.per_query(found) > 0, best, 0))

    def missing(self) -> tuple[str, ...]:
        """The queries with something to find that the run lacks."""
        lacks = self.standing.missing & (self.relevant > 0)
        return tuple(self.ranked.trace.queries[i] for i in np.flatnonzero(lacks).tolist())


def _cases(before: _Stage, after: _Stage, answers: Mapping[str, bool]) -> Iterator[Case]:
    """Each judged query, but those with something to find that the policy leaves out."""
    counted = before.standing.counted & after.standing.counted
    columns = (counted, before.relevant, before.hits, after.hits, before.best, after.best)
    each = zip(*(column.tolist() for column in columns), strict=True)
    for query, (kept_in, relevant, candidates, final, *best) in zip(before.ranked.trace.queries, each, strict=True):
        answer = answers.get(query)
        if not relevant:
            yield Case(query, "nothing to find", answer)
        elif kept_in:
            kind = _kind(candidates, final, answer)
            yield Case(query, kind, answer, relevant, candidates, final, *(rank or None for rank in best))


def _kind(candidates: int, final: int, answer: bool | None) -> Kind:
    """The stage that a query came to, by its relevant documents among the candidates and in the final list."""
    if not final:
        return "below k" if candidates else "not in the candidates"
    if answer is None:
        return "found"
    return "answered right" if answer else "answered wrong"


def _lacking(first: Run, last: Run, candidate_k: int, k: int, policy: Policy) -> Iterator[Lacking]:
    """Documents of the final list that the candidates lack, and those of its first k from below the first candidate_k."""
    full = policy.but(unjudged="nonrelevant")
    for query in last.rankings:
        before, after = ranks(first, query, (), full), ranks(last, query, (), full)
        for doc, place in sorted(after.items(), key=lambda item: item[1]):
            where = before.get(doc)
            if where is None or (place <= k and where > candidate_k):
                yield Lacking(query, doc, place, where)


def _answers(answers: Mapping[Any, bool] | None, known: Collection[str]) -> Mapping[str, bool]:
    """The answers by query id, checked."""
    if answers is None:
        return {}
    if not hasattr(answers, "items"):
        raise InputTypeError(f"answers is {short(answers)}", hint="answers={query: True or False}")
    checked = {as_id(query, kind="query"): right for query, right in answers.items()}
    for query, right in checked.items():
        if not isinstance(right, (bool, np.bool_)):
            what = f"the answer is {short(right)}, not True or False"
            raise InputError(what, where=spot(query=query), hint="answers={query: True}")
    unknown = checked.keys() - known
    if unknown:
        raise InputError(f"answers names queries that no list and no qrels have: {examples(sorted(unknown))}", hint="check the ids")
    return {query: bool(right) for query, right in checked.items()}
