"""Diagnosis: the stage at which each query loses its evidence, candidates, ranking or answer, and what that adds up to."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from .. import __version__
from ..display import Column, Displayed, Part, Sentence, Table, frame, mention, plural
from ..errors import InputError, InputTypeError, examples, setting, short
from ..evaluation import DEFAULT
from ..policy import Policy, treatment
from ..preparation import Prepared, prepare
from ..readers import Run, document_lookup
from ..readers.values import as_id
from ..typing import QrelsLike, RunLike
from .pool import as_cutoff, first_ranks, listed_documents

if TYPE_CHECKING:
    import pandas

Kind = Literal["not in the candidates", "below k", "answered wrong", "answered right", "found", "nothing to find", "not judged"]

KINDS: tuple[Kind, ...] = get_args(Kind)
"""How far a query came, from the first stage to the last; then those that say nothing of a stage."""

UNKNOWN: tuple[Kind, ...] = ("nothing to find", "not judged")
"""The kinds of the queries without a relevant document."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a pipeline: the kind of query that it loses, in words, and where to look."""

    loses: Kind
    words: str
    look: str


STAGES = {
    "candidates": Stage(
        "not in the candidates",
        "no relevant document is among the first {candidate_k} candidates",
        "the index, the chunks, the embeddings or the query",
    ),
    "ranking": Stage(
        "below k",
        "a relevant document is among the first {candidate_k} candidates and none among the first {k} of the final list",
        "the reranker or the order",
    ),
    "generation": Stage(
        "answered wrong",
        "a relevant document is among the first {k} of the final list and the answer is wrong",
        "the prompt or the model",
    ),
}


CHUNKS = Policy(duplicates="hold")
"""The policy where chunks were mapped to documents, unless one is given."""


@dataclass(frozen=True, slots=True)
class Case:
    """One query: its kind, whether it was answered right, how many documents are relevant, and what each list has of them.

    ``answer`` is None where it is not known. ``candidates`` counts down to candidate_k and ``final`` down to k; the best ranks
    are of the whole lists, None where no relevant document was retrieved.
    """

    query: str
    kind: Kind
    answer: bool | None = None
    relevant: int = 0
    candidates: int = 0
    final: int = 0
    best_candidate: int | None = None
    best_final: int | None = None

    @property
    def recall(self) -> float:
        """The recall of the final list at k."""
        return self.final / self.relevant


@dataclass(frozen=True, slots=True)
class Lacking:
    """A document of the final list that the candidates lack (``candidate_rank`` None), or have below the first candidate_k."""

    query: str
    doc: str
    rank: int
    candidate_rank: int | None


@dataclass(frozen=True, slots=True, repr=False)
class Diagnosis(Displayed):
    """What :func:`samescore.diagnose` returns: the kind of each query, and what they add up to.

    ``cases`` are the queries, the judged ones in the order of the qrels; ``lacking`` the documents of the final list that
    the candidates lack at any rank, and those of its first k that stand below the first candidate_k. ``missing_candidates``
    and ``missing_final`` are queries with relevant documents that the list lacks; ``answered`` tells whether answers were given,
    ``unmapped`` for how many retrieved ids of both lists ``doc_of`` had no document. ``candidates_end`` and ``final_end`` are the
    ranks down to which at least half of the lists reach.
    """

    k: int
    candidate_k: int
    cases: tuple[Case, ...]
    lacking: tuple[Lacking, ...]
    missing_candidates: tuple[str, ...]
    missing_final: tuple[str, ...]
    answered: bool
    policy: Policy
    candidates_end: int
    final_end: int
    unmapped: int = 0
    of_chunks: bool = False

    @property
    def counts(self) -> dict[str, int]:
        """Kind -> number of queries, in the order of the stages. The answered kinds are there where answers were given."""
        counts = Counter(case.kind for case in self.cases)
        return {kind: counts[kind] for kind in KINDS if self.answered or not kind.startswith("answered")}

    @property
    def shares(self) -> dict[str, float]:
        """Kind -> share of the queries with a relevant document; they sum to 1 where there is such a query."""
        n = len(self._scored())
        return {kind: count / n if n else 0.0 for kind, count in self.counts.items() if kind not in UNKNOWN}

    @property
    def ceiling(self) -> float:
        """The mean recall of the candidates at candidate_k: no order of them has more."""
        return _mean(case.candidates / case.relevant for case in self._scored())

    @property
    def reachable(self) -> float:
        """The mean recall at k of the best order of the first candidate_k candidates; below the ceiling where k is too small."""
        return _mean(min(case.candidates, self.k) / case.relevant for case in self._scored())

    @property
    def recall(self) -> float:
        """The mean recall of the final list at k."""
        return _mean(case.recall for case in self._scored())

    @property
    def stage(self) -> str | None:
        """The stage that loses most queries, the first of several: candidates, ranking or generation; None where none does."""
        lost = self._lost()
        return max(lost, key=lost.__getitem__) if lost else None

    @property
    def sentence(self) -> str:
        """The stage that limits, in one sentence."""
        n, lost = len(self._scored()), self._lost()
        if not n:
            return "No stage can be named: no query has a relevant document."
        if not lost:
            wrong = ", and no answer is known to be wrong" if self.answered else ""
            return f"No stage loses a query: each of {n} has a relevant document in the first {self.k} of the final list{wrong}."
        most = max(lost.values())
        name, *others = [f"the {name}" for name, count in lost.items() if count == most]
        equal = f" (and {' and '.join(others)} as much)" if others else ""
        stage = STAGES[name.removeprefix("the ")]
        words = stage.words.format(k=self.k, candidate_k=self.candidate_k)
        return f"The limit is {name}{equal}: for {most} of {n} queries ({most / n:.1%}) {words}; look at {stage.look}."

    @property
    def queries(self) -> pandas.DataFrame:
        """A DataFrame indexed by query_id, with the columns kind, answer, relevant, candidates, final, best_candidate, best_final.

        They are those of :class:`Case`.
        """
        counts = dict.fromkeys(("relevant", "candidates", "final"), "int64")
        best = dict.fromkeys(("best_candidate", "best_final"), "Int64")
        columns = {"query_id": "object", "kind": "object", "answer": "boolean", **counts, **best}
        return frame(self.records().rows, columns, index="query_id")

    def records(self) -> Table:
        """A row for each query."""
        return Table(["query_id", *list(Case.__dataclass_fields__)[1:]], [astuple(case) for case in self.cases])

    def of(self, kind: Kind) -> list[str]:
        """The ids of the queries of one kind."""
        return [case.query for case in self.cases if case.kind == kind]

    @property
    def answers(self) -> pandas.DataFrame:
        """Recall against answers, over the queries with a relevant document.

        A DataFrame with the rows found, not found (among the first k of the final list) and all; columns queries, recall (the
        mean at k), answered (how many answers are known) and accuracy (the share of these that is right; NaN of none).
        """
        columns = {"evidence": "object", "queries": "int64", "recall": "float64", "answered": "int64", "accuracy": "float64"}
        return frame([(name, *row.values()) for name, row in self._by_evidence().items()], columns, index="evidence")

    def lines(self) -> list[str]:
        """What there is to say beside the counts, a line each, the sentence first."""
        absent = [row for row in self.lacking if row.candidate_rank is None]
        deep = [row for row in self.lacking if row.candidate_rank is not None]
        above = [case.query for case in self._scored() if case.final > case.candidates]
        missing = treatment(self.policy, "missing")
        sentences = [
            self.sentence,
            self._ceiling(),
            Sentence("recall at {} of their best order: {}; of the final list: {}", self.k, self.reachable, self.recall),
            f"the final lists end at {self.final_end}, not at k = {self.k}" if self.final_end < self.k else "",
            self._accuracy() if self.answered else "",
            f"retrieved ids without a document in doc_of, taken as they are: {self.unmapped}" if self.unmapped else "",
            _mention_documents(absent, "of the final list not among the candidates at all"),
            _mention_documents(deep, f"of the first {self.k} of the final list from below the first {self.candidate_k} candidates"),
            mention(above, "found more in the final list than among the candidates: the ceiling does not hold there"),
            mention(self.missing_candidates, f"not in the candidates' run, {missing}"),
            mention(self.missing_final, f"not in the final run, {missing}"),
        ]
        return [line for line in sentences if line]

    def _ceiling(self) -> str:
        """The recall of the candidates, which is no ceiling where the lists end before candidate_k."""
        if self.candidates_end >= self.candidate_k:
            return Sentence("recall of the first {} candidates, the ceiling: {}", self.candidate_k, self.ceiling)
        return Sentence(
            "recall of the candidates, which end at {}: {}; nothing is known of further ones down to {}",
            self.candidates_end,
            self.ceiling,
            self.candidate_k,
        )

    def _unit(self) -> str:
        """What the cutoffs count, where chunks were mapped to documents."""
        held = self.policy.duplicates in ("hold", "each")
        what = "chunks that were returned" if held else "distinct documents, so that further chunks of one take no rank"
        return f"k = {self.k} and the first {self.candidate_k} candidates count {what} (dup:{self.policy.duplicates})"

    def parts(self) -> list[Part]:
        """How many queries came how far, and the lines."""
        shares = self.shares
        rows = [(kind, n, shares.get(kind)) for kind, n in self.counts.items() if n or kind not in UNKNOWN]
        unit = [self._unit()] if self.of_chunks else []
        return [*unit, Table(["query", "queries", Column("share", ".1%")], rows), *self.lines()]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        numbers = ("k", "candidate_k", "counts", "shares", "ceiling", "reachable", "recall", "stage", "sentence")
        return {
            "samescore": __version__,
            "policy": self.policy.signature,
            **{name: getattr(self, name) for name in numbers},
            **({"answers": self._by_evidence()} if self.answered else {}),
            "queries": {case.query: {k: v for k, v in asdict(case).items() if k != "query"} for case in self.cases},
            "lacking": [asdict(row) for row in self.lacking],
            "unmapped": self.unmapped,
            "candidates_end": self.candidates_end,
            "final_end": self.final_end,
            "missing_candidates": list(self.missing_candidates),
            "missing_final": list(self.missing_final),
        }

    def _scored(self) -> list[Case]:
        """The queries with a relevant document."""
        return [case for case in self.cases if case.kind not in UNKNOWN]

    def _lost(self) -> dict[str, int]:
        """Stage -> how many queries it loses, for those that lose any."""
        counts = self.counts
        return {name: counts[stage.loses] for name, stage in STAGES.items() if counts.get(stage.loses)}

    def _by_evidence(self) -> dict[str, dict[str, Any]]:
        """Recall against answers over the queries with a relevant document, by whether one is in the first k of the final list."""
        scored = self._scored()
        found, not_found = [case for case in scored if case.final], [case for case in scored if not case.final]
        return {"found": _against_answers(found), "not found": _against_answers(not_found), "all": _against_answers(scored)}

    def _accuracy(self) -> str:
        """Recall set against answer accuracy, as a line."""
        found, not_found, every = self._by_evidence().values()
        return Sentence(
            "recall {} against answer accuracy {} ({}): {} where a relevant document was found ({}), {} where not ({})",
            self.recall,
            every["accuracy"],
            plural(every["answered"], "answer", "answers"),
            found["accuracy"],
            found["answered"],
            not_found["accuracy"],
            not_found["answered"],
        )


def _against_answers(cases: Sequence[Case]) -> dict[str, Any]:
    """How many queries, their mean recall, how many answers are known, and the share of these that is right, None of none."""
    known = [case.answer for case in cases if case.answer is not None]
    accuracy = sum(known) / len(known) if known else None
    return {"queries": len(cases), "recall": _mean(case.recall for case in cases), "answered": len(known), "accuracy": accuracy}


def _mean(values: Iterable[float]) -> float:
    """The mean, 0.0 of none."""
    kept = list(values)
    return math.fsum(kept) / len(kept) if kept else 0.0


def _mention_documents(rows: Sequence[Lacking], what: str) -> str:
    """How many documents, in which queries."""
    queries = dict.fromkeys(row.query for row in rows)
    return f"{plural(len(rows), 'document', 'documents')} {what}, in {plural(len(queries))}: {examples(queries)}" if rows else ""


def diagnose(  # noqa: PLR0917  # people call it with two lists, judgements and two cutoffs
    candidates: RunLike,
    final: RunLike,
    qrels: QrelsLike,
    k: int = 5,
    candidate_k: int = 50,
    answers: Mapping[Any, bool] | None = None,
    *,
    doc_of: Any = None,
    policy: Policy | None = None,
) -> Diagnosis:
    """Find the stage of a pipeline that loses the evidence: the candidates, their ranking, or the answer.

    A query is *found* if a relevant document is among the first ``k`` of the final list, *below k* if one is among the first
    ``candidate_k`` candidates but not there, and else *not in the candidates*. Queries that the qrels lack are *not judged*, and
    those without a relevant document have *nothing to find*.

    The recall of the candidates is the ceiling of the final list, as means over the queries with a relevant document; a
    query that either list lacks counts as 0, or is left out, or refused, as the policy's ``missing`` says. Relevant is a
    grade of at least ``relevance_level``.

    Parameters
    ----------
    candidates, final
        The run that the first stage retrieved, and the run after reranking, each whatever :func:`samescore.evaluate` takes;
        one list for both is fine.
    qrels, doc_of
        Those of :func:`samescore.evaluate`.
    policy : Policy, optional
        That of :func:`samescore.evaluate`; by default ``Policy()``, and with ``doc_of`` ``Policy(duplicates="hold")``, so that k
        counts the chunks that were returned.
    k, candidate_k : int
        How many of the final list, and of the candidates, are looked at.
    answers : mapping, optional
        Query -> whether its answer was right: *found* then splits into *answered right* and *answered wrong* (and stays *found*
        where no answer is known).

    Returns
    -------
    Diagnosis

    Raises
    ------
    MeasureError
        For a k below 1.
    InputError
        For answers that are not True or False or of unknown queries.
    SamescoreError
        What :func:`samescore.evaluate` raises.

    Examples
    --------
    Three queries whose candidates hold one relevant document each, but for the last; the reranker brings one of them to the top:

    >>> candidates = {"q1": ["a", "b"], "q2": ["c", "d"], "q3": ["e", "f"]}
    >>> final = {"q1": ["b", "a"], "q2": ["c", "d"], "q3": ["e", "f"]}
    >>> diagnosis = diagnose(candidates, final, {"q1": {"b"}, "q2": {"d"}, "q3": {"x"}}, k=1, candidate_k=2, answers={"q1": False})
    >>> print(diagnosis)
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
    >>> diagnosis.of("below k"), diagnosis.stage, diagnosis.recall / diagnosis.ceiling
    (['q2'], 'candidates', 0.5)
    >>> diagnosis.queries.reset_index()[["query_id", "kind", "relevant", "candidates", "final", "best_final"]]
      query_id                   kind  relevant  candidates  final  best_final
    0       q1         answered wrong         1           1      1           1
    1       q2                below k         1           1      0           2
    2       q3  not in the candidates         1           0      0        <NA>
    """
    of_chunks = doc_of is not None
    policy = (CHUNKS if of_chunks else DEFAULT) if policy is None else policy
    cutoff, deepest = as_cutoff(k), as_cutoff(candidate_k)
    look_up = None if doc_of is None else document_lookup(doc_of)
    one_list = final is candidates
    before = prepare(candidates, qrels, policy=policy, doc_of=look_up, keep_rows=not one_list)
    after = before if one_list else prepare(final, before.qrels, policy=policy, doc_of=look_up, keep_rows=True)
    unjudged = dict.fromkeys([*before.ranked.notes.unjudged_queries, *after.ranked.notes.unjudged_queries])
    known = _answers(answers, {*before.queries, *unjudged})
    not_judged = [Case(query, "not judged", known.get(query)) for query in unjudged]
    missing_candidates, missing_final = (
        tuple(compress(one.queries, (one.status.missing & (one.space.relevant(policy.relevance_level) > 0)).tolist()))
        for one in (before, after)
    )
    return Diagnosis(
        k=cutoff,
        candidate_k=deepest,
        cases=(*_cases(before, after, deepest, cutoff, known), *not_judged),
        lacking=() if one_list and cutoff <= deepest else tuple(_lacking(before.rows, after.rows, deepest, cutoff, policy)),
        missing_candidates=missing_candidates,
        missing_final=missing_final,
        answered=answers is not None,
        policy=policy,
        of_chunks=of_chunks,
        candidates_end=_end(before, after),
        final_end=_end(after, before),
        unmapped=sum(sum(prepared.ranked.notes.unmapped.values()) for prepared in (before, after)),
    )


def _cases(before: Prepared, after: Prepared, candidate_k: int, k: int, answers: Mapping[str, bool]) -> Iterator[Case]:
    """Each judged query, but those with something to find that the policy leaves out."""
    relevant = before.space.relevant(before.policy.relevance_level).tolist()
    counted = (before.status.is_averaged & after.status.is_averaged).tolist()
    (candidates, best_candidate), (final, best_final) = _hits(before, candidate_k), _hits(after, k)
    for i, query in enumerate(before.queries):
        answer = answers.get(query)
        if not relevant[i]:
            yield Case(query, "nothing to find", answer)
        elif counted[i]:
            kind = _kind(candidates[i], final[i], answer)
            yield Case(query, kind, answer, relevant[i], candidates[i], final[i], best_candidate[i] or None, best_final[i] or None)


def _end(of: Prepared, beside: Prepared) -> int:
    """The rank down to which at least half of the lists of the queries that count reach."""
    return of.space.reached_depth(of.status.is_averaged & beside.status.is_averaged)


def _hits(prepared: Prepared, k: int) -> tuple[list[int], list[int]]:
    """How many relevant documents each judged query has in the first k, and the best rank of one, or 0."""
    space = prepared.space
    retrieved = (space.grade >= prepared.policy.relevance_level) & (space.place <= space.depth[space.query])
    if space.repeat is not None:
        retrieved &= ~space.repeat
    best = np.full(len(space), np.iinfo(np.int64).max)
    np.minimum.at(best, space.query[retrieved], space.place[retrieved])
    best[space.per_query(retrieved) == 0] = 0
    return space.per_query(retrieved & (space.place <= k)).tolist(), best.tolist()


def _kind(candidates: int, final: int, answer: bool | None) -> Kind:
    """The stage that a query came to, by its relevant documents among the candidates and in the final list."""
    if not final:
        return "below k" if candidates else "not in the candidates"
    if answer is None:
        return "found"
    return "answered right" if answer else "answered wrong"


def _lacking(candidates: Run, final: Run, candidate_k: int, k: int, policy: Policy) -> Iterator[Lacking]:
    """Documents of the final list that the candidates lack, and those of its first k from below the first candidate_k."""
    for query in final.rankings:
        before, after = (listed_documents(run, query, policy) for run in (candidates, final))
        absent = set(after).difference(before)
        deep = set(after[:k]).difference(before[:candidate_k])
        if absent or deep:
            candidate_ranks = first_ranks(before)
            for doc, rank in first_ranks(after).items():
                if doc in absent or doc in deep:
                    yield Lacking(query, doc, rank, candidate_ranks.get(doc))


def _answers(answers: Mapping[Any, bool] | None, known: Collection[str]) -> Mapping[str, bool]:
    """The answers by query id, checked."""
    if answers is None:
        return {}
    if not hasattr(answers, "items"):
        raise InputTypeError(f"answers is {short(answers)}", hint=setting("answers", {"q1": True}))
    checked = {as_id(query, kind="query"): right for query, right in answers.items()}
    for query, right in checked.items():
        if not isinstance(right, (bool, np.bool_)):
            what = f"the answer is {short(right)}, not True or False"
            raise InputError(what, query=query, hint=setting("answers", {query: True}))
    unknown = checked.keys() - known
    if unknown:
        raise InputError(f"answers names queries that no list and no qrels have: {examples(sorted(unknown))}", hint="check the ids")
    return {query: bool(right) for query, right in checked.items()}
