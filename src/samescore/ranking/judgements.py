"""Judgements: the qrels' grades, with repeated, contradicting and negative ones resolved by the policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import PolicyError, Wording, clause, examples, short
from ..policy import Policy
from ..rankspace import RankSpace, Trace
from ..readers import Grade, Qrels

Judgements = Mapping[str, Mapping[str, Grade]]
"""Query -> document -> grade."""


@dataclass(slots=True)
class Notes:
    """What ranking met and did: query ids, or a count by query id, and counts of judgements. The report reads them."""

    unjudged_queries: list[str] = field(default_factory=list)
    duplicates: dict[str, int] = field(default_factory=dict)
    tied: dict[str, int] = field(default_factory=dict)
    rounded: dict[str, int] = field(default_factory=dict)
    no_hit: list[str] = field(default_factory=list)
    self_hits: dict[str, int] = field(default_factory=dict)
    unmapped: Mapping[str, int] = field(default_factory=dict)
    misranked: dict[str, int] = field(default_factory=dict)
    distances: bool = False
    unfilled: int = 0
    negatives: int = 0
    repeated_judgements: int = 0
    conflicts: int = 0

    def on(self, queries: Set[str]) -> Notes:
        """The notes on some queries; the counts of judgements stay."""
        selected: dict[str, Any] = {}
        for name in (each.name for each in fields(self)):
            note = getattr(self, name)
            if isinstance(note, list):
                selected[name] = [query for query in note if query in queries]
            elif isinstance(note, Mapping):
                selected[name] = {query: n for query, n in note.items() if query in queries}
        return replace(self, **selected)


def as_column(grades: Iterable[Grade]) -> NDArray[np.int64] | NDArray[np.float64]:
    """Grades as an array: int64 where all are whole, else float64."""
    listed = list(grades)
    return np.array(listed, np.float64) if float in set(map(type, listed)) else np.array(listed, np.int64)


def judge(qrels: Qrels, policy: Policy, notes: Notes, *, documents: bool = True) -> Judgements:
    """The grade of each judged document by query; the qrels' own mapping where there is nothing to resolve.

    Without ``documents``, where grades for subtopics alone are read, a document of a query that has several subtopics has the
    highest, and that is no conflict: its rows are resolved by :func:`by_subtopic`.
    """
    grades: Judgements = qrels.grades
    if documents and policy.conflicts == "error":
        _refuse_subtopics(qrels)
    if qrels.further:
        merged = dict(grades)
        for query, further in qrels.further.items():
            rows = [(doc, None, grade) for doc, grade in (*grades[query].items(), *further)]
            if not documents and query in qrels.subtopics:
                by_document = _merged(query, rows, policy.but(conflicts="max"), Notes())
            else:
                by_document = _merged(query, rows, policy, notes)
            merged[query] = {doc: grade for (doc, _), grade in by_document.items()}
        grades = merged
    negative = [query for query, judged in grades.items() if judged and min(judged.values()) < 0]
    notes.negatives = sum(grade < 0 for query in negative for grade in grades[query].values())
    if not negative or policy.negatives == "nonrelevant":
        return grades
    if policy.negatives == "error":
        raise PolicyError(f"negative grades in {examples(negative)}", hint=clause("negatives", "nonrelevant", "unjudged"))
    return {**grades, **{query: {doc: grade for doc, grade in grades[query].items() if grade >= 0} for query in negative}}


def _refuse_subtopics(qrels: Qrels) -> None:
    """Raise PolicyError for a document that is judged for two subtopics, whose grade as a document nobody gave."""
    for query, rows in qrels.subtopics.items():
        first_subtopic: dict[str, str] = {}
        for doc, subtopic, _ in rows:
            first = first_subtopic.setdefault(doc, subtopic)
            if first != subtopic:
                what = f"judged for the subtopics (iterations) {short(first)} and {short(subtopic)}"
                hint = Wording(clause("conflicts", "max"), " to merge them, or measures of subtopics such as alpha_nDCG@20 alone")
                raise PolicyError(what, query=query, document=doc, hint=hint)


def _merged(
    query: str, rows: Iterable[tuple[str, str | None, Grade]], policy: Policy, notes: Notes
) -> dict[tuple[str, str | None], Grade]:
    """The grade of each document of a query, or of each document for a subtopic; rows that agree collapse and are counted.

    Raises PolicyError for rows that disagree, where the policy refuses them.
    """
    merged: dict[tuple[str, str | None], Grade] = {}
    for doc, subtopic, grade in rows:
        pair = (doc, subtopic)
        if pair not in merged:
            merged[pair] = grade
        elif merged[pair] == grade:
            notes.repeated_judgements += 1
        elif policy.conflicts == "error":
            of_what = "" if subtopic is None else f" for the subtopic {short(subtopic)}"
            what = f"judged twice{of_what}, with the grades {short(merged[pair])} and {short(grade)}"
            hint = Wording(clause("conflicts", "max", "last"), ", or mend the qrels")
            raise PolicyError(what, query=query, document=doc, hint=hint)
        else:
            notes.conflicts += 1
            merged[pair] = max(merged[pair], grade) if policy.conflicts == "max" else grade
    return merged


def by_subtopic(space: RankSpace, trace: Trace, qrels: Qrels, policy: Policy, notes: Notes) -> RankSpace:
    """The rank space whose rows are judgements of a document for a subtopic.

    Subtopics are numbered in order, as numbers where all are. A query that is judged under one iteration has one subtopic.
    Raises PolicyError where a document is judged twice for one subtopic, unless the policy resolves it.
    """
    numbers = _numbered(qrels)
    rows: list[tuple[int, int, Grade, int]] = []
    start = [0]
    for i, query in enumerate(trace.queries):
        begin, end = int(space.start[i]), int(space.start[i + 1])
        docs = trace.docs[begin:end]
        position = {doc: n for n, doc in enumerate(sorted(set(docs)))}
        by_doc: dict[str, list[tuple[int, Grade]]] = {}
        if query in qrels.subtopics:
            for (doc, subtopic), grade in _by_pair(query, qrels, policy, notes).items():
                by_doc.setdefault(doc, []).append((numbers[subtopic or ""], grade))
        else:
            by_doc = {doc: [(0, grade)] for doc, grade in zip(docs, space.grade[begin:end].tolist(), strict=True)}
        for row, doc in enumerate(docs, begin):
            rows += [(row, subtopic, grade, position[doc]) for subtopic, grade in sorted(by_doc.get(doc, ()))]
        start.append(len(rows))
    source, subtopics, grades, order = zip(*rows, strict=True) if rows else ((),) * 4
    taken = np.array(source, dtype=np.int64)
    repeat = None if space.repeat is None else space.repeat[taken]
    columns = (np.array(column, dtype=np.int64) for column in (subtopics, order))
    return RankSpace(space.depth, np.array(start), space.place[taken], as_column(grades), repeat, *columns)


def _numbered(qrels: Qrels) -> dict[str, int]:
    """A number for each subtopic, the same in all queries."""
    names = {subtopic for rows in qrels.subtopics.values() for _, subtopic, _ in rows}
    numeric = all(name.isdecimal() for name in names)
    ordered = sorted(names, key=lambda name: (int(name), name) if numeric else (0, name))
    return {"": 0, **{name: n for n, name in enumerate(ordered)}}


def _by_pair(query: str, qrels: Qrels, policy: Policy, notes: Notes) -> dict[tuple[str, str | None], Grade]:
    """The grade of each document of a query for each subtopic, without grades below 0 where the policy drops them."""
    rows = qrels.subtopics[query]
    merged = _merged(query, rows, policy, notes)
    if policy.negatives == "error":
        for doc, subtopic, grade in rows:
            if grade < 0:
                what = f"the grade {grade} for the subtopic {short(subtopic)} is negative"
                raise PolicyError(what, query=query, document=doc, hint=clause("negatives", "nonrelevant", "unjudged"))
    return {pair: grade for pair, grade in merged.items() if grade >= 0 or policy.negatives != "unjudged"}
