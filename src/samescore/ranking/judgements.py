"""Judgements: qrels as found, with conflicts and negative grades settled by the policy."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace

import numpy as np

from ..errors import PolicyError, Wording, clause, examples, short
from ..policy import Policy
from ..rankspace import RankSpace, SubtopicJudgement, Trace
from ..readers import Grade, Qrels


@dataclass(slots=True)
class Notes:
    """What was found and done, by query id. Filled while ranking, then read by the report."""

    unjudged_queries: list[str] = field(default_factory=list)
    duplicates: dict[str, int] = field(default_factory=dict)
    tied: dict[str, int] = field(default_factory=dict)
    no_hit: list[str] = field(default_factory=list)
    self_hits: dict[str, int] = field(default_factory=dict)
    unmapped: Mapping[str, int] = field(default_factory=dict)
    misranked: dict[str, int] = field(default_factory=dict)
    negatives: int = 0
    repeated_judgements: int = 0
    conflicts: int = 0

    def on(self, queries: Set[str]) -> Notes:
        """The notes on some queries; the counts of judgements stay."""
        return replace(
            self,
            unjudged_queries=[query for query in self.unjudged_queries if query in queries],
            duplicates={query: n for query, n in self.duplicates.items() if query in queries},
            tied={query: n for query, n in self.tied.items() if query in queries},
            no_hit=[query for query in self.no_hit if query in queries],
            self_hits={query: n for query, n in self.self_hits.items() if query in queries},
            unmapped={query: n for query, n in self.unmapped.items() if query in queries},
            misranked={query: n for query, n in self.misranked.items() if query in queries},
        )


_SETTLED = Wording(clause("conflicts", "max", "last"), ", or mend the qrels")

Judged = Mapping[str, Mapping[str, Grade]]
"""Document -> subtopic -> grade."""


def by_subtopic(space: RankSpace, trace: Trace, qrels: Qrels, policy: Policy, notes: Notes) -> RankSpace:
    """The rank space whose rows are judgements of a document for a subtopic.

    Subtopics are numbered in order, as numbers where all are. A query that is judged under one iteration has one subtopic.
    Raises PolicyError where a document is judged twice for one subtopic, unless the policy settles it.
    """
    numbers = _numbered(qrels)
    rows: list[SubtopicJudgement] = []
    start = [0]
    for i, query in enumerate(trace.queries):
        a, b = int(space.start[i]), int(space.start[i + 1])
        docs, places, grades = list(trace.docs[a:b]), space.place[a:b].tolist(), space.grade[a:b].tolist()
        repeat = [False] * len(docs) if space.repeat is None else space.repeat[a:b].tolist()
        order = {doc: n for n, doc in enumerate(sorted(set(docs)))}
        judged: Judged = {doc: {"": grade} for doc, grade in zip(docs, grades, strict=True)}
        if query in qrels.subtopics:
            judged = _subtopic_grades(query, qrels, policy, notes)
        for doc, place, twice in zip(docs, places, repeat, strict=True):
            numbered = sorted((numbers[subtopic], grade) for subtopic, grade in judged.get(doc, {}).items())
            rows += [SubtopicJudgement(place, subtopic, grade, order[doc], twice) for subtopic, grade in numbered]
        start.append(len(rows))
    return _columns(space, start, rows)


def _numbered(qrels: Qrels) -> dict[str, int]:
    """A number for each subtopic, the same in all queries."""
    names = {subtopic for rows in qrels.subtopics.values() for _, subtopic, _ in rows}
    decimal = all(name.isdecimal() for name in names)
    ordered = sorted(names, key=lambda name: (int(name), name) if decimal else (0, name))
    return {"": 0, **{name: n for n, name in enumerate(ordered)}}


def _subtopic_grades(query: str, qrels: Qrels, policy: Policy, notes: Notes) -> Judged:
    """The grade of each document of a query for each subtopic, with repeated rows and grades below 0 settled."""
    judged: dict[str, dict[str, Grade]] = {}
    for doc, subtopic, grade in qrels.subtopics[query]:
        grades = judged.setdefault(doc, {})
        if subtopic in grades and grades[subtopic] != grade:
            if policy.conflicts == "error":
                what = f"judged twice for the subtopic {short(subtopic)}, with the grades {grades[subtopic]} and {grade}"
                raise PolicyError(what, query=query, document=doc, hint=_SETTLED)
            notes.conflicts += 1
            grades[subtopic] = max(grades[subtopic], grade) if policy.conflicts == "max" else grade
        elif subtopic in grades:
            notes.repeated_judgements += 1
        grades.setdefault(subtopic, grade)
        if grade < 0 and policy.negatives == "error":
            what = f"the grade {grade} for the subtopic {short(subtopic)} is negative"
            raise PolicyError(what, query=query, document=doc, hint=clause("negatives", "nonrelevant", "unjudged"))
    if policy.negatives != "unjudged":
        return judged
    return {doc: {subtopic: grade for subtopic, grade in grades.items() if grade >= 0} for doc, grades in judged.items()}


def _columns(space: RankSpace, start: list[int], rows: list[SubtopicJudgement]) -> RankSpace:
    """The rows as columns."""
    places, subtopics, grades, order, repeat = zip(*rows, strict=True) if rows else ((),) * 5
    whole_grades = float not in set(map(type, grades))
    return RankSpace(
        space.depth,
        np.array(start, dtype=np.int64),
        np.array(places, dtype=np.int64),
        np.array(grades, dtype=np.int64) if whole_grades else np.array(grades, dtype=np.float64),
        None if space.repeat is None else np.array(repeat, dtype=bool),
        np.array(subtopics, dtype=np.int64),
        np.array(order, dtype=np.int64),
    )


Judgements = Mapping[str, Mapping[str, Grade]]


def judge(qrels: Qrels, policy: Policy, notes: Notes, *, documents: bool = True) -> Judgements:
    """The grade of each judged document by query; the qrels' own mapping where there is nothing to settle.

    Without ``documents``, where grades for subtopics alone are read, a document of a query that has several subtopics has the
    highest, and that is no conflict: its rows are settled one subtopic at a time.
    """
    grades: Judgements = qrels.grades
    if documents and policy.conflicts == "error":
        _refuse_subtopics(qrels)
    if qrels.further:
        as_policy, highest = (policy, notes), (policy.but(conflicts="max"), Notes())
        ways = {query: highest if not documents and query in qrels.subtopics else as_policy for query in qrels.further}
        grades = {**grades, **{query: _merged(query, qrels, *way) for query, way in ways.items()}}
    negative = [query for query, judged in grades.items() if judged and min(judged.values()) < 0]
    notes.negatives = sum(grade < 0 for query in negative for grade in grades[query].values())
    if not negative or policy.negatives == "nonrelevant":
        return grades
    if policy.negatives == "error":
        raise PolicyError(f"negative grades in {examples(negative)}", hint=clause("negatives", "nonrelevant", "unjudged"))
    return {**grades, **{query: {doc: g for doc, g in grades[query].items() if g >= 0} for query in negative}}


def _refuse_subtopics(qrels: Qrels) -> None:
    """Raise PolicyError for a document that is judged for two subtopics: its grade as such is nobody's."""
    for query, rows in qrels.subtopics.items():
        under: dict[str, str] = {}
        for doc, subtopic, _ in rows:
            if under.setdefault(doc, subtopic) != subtopic:
                what = f"judged for the subtopics (iterations) {short(under[doc])} and {short(subtopic)}"
                hint = Wording(clause("conflicts", "max"), " to merge them, or measures of subtopics such as alpha_nDCG@20 alone")
                raise PolicyError(what, query=query, document=doc, hint=hint)


def _merged(query: str, qrels: Qrels, policy: Policy, notes: Notes) -> dict[str, Grade]:
    """The grades of a query whose documents were judged again; rows that agree collapse and are counted."""
    merged = dict(qrels.grades[query])
    for doc, grade in qrels.further[query]:
        if grade == merged[doc]:
            notes.repeated_judgements += 1
            continue
        if policy.conflicts == "error":
            what = f"judged twice, with the grades {short(merged[doc])} and {short(grade)}"
            raise PolicyError(what, query=query, document=doc, hint=_SETTLED)
        notes.conflicts += 1
        merged[doc] = max(merged[doc], grade) if policy.conflicts == "max" else grade
    return merged
