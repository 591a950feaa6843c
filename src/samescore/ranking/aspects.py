"""Rank space by subtopic: a row for each document and subtopic, from the places of the documents and the qrels' rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import PolicyError, short, spot
from ..policy import Policy
from ..rankspace import Aspect, RankSpace, Trace
from ..readers import Grade, Qrels
from .notes import Notes

Judged = Mapping[str, Mapping[str, Grade]]
"""Document -> subtopic -> grade."""


def by_subtopic(space: RankSpace, trace: Trace, qrels: Qrels, policy: Policy, notes: Notes) -> RankSpace:
    """The rank space whose rows are judgements of a document for a subtopic.

    Subtopics are numbered in order, as numbers where all are. A query that is judged under one iteration has one subtopic.
    Raises PolicyError where a document is judged twice for one subtopic, unless the policy settles it.
    """
    numbers = _numbered(qrels)
    rows: list[Aspect] = []
    start = [0]
    for i, query in enumerate(trace.queries):
        a, b = int(space.start[i]), int(space.start[i + 1])
        docs, places, grades = list(trace.docs[a:b]), space.place[a:b].tolist(), space.grade[a:b].tolist()
        again = [False] * len(docs) if space.again is None else space.again[a:b].tolist()
        order = {doc: n for n, doc in enumerate(sorted(set(docs)))}
        judged: Judged = {doc: {"": grade} for doc, grade in zip(docs, grades, strict=True)}
        if query in qrels.subtopics:
            judged = _settled(query, qrels, policy, notes)
        for doc, place, twice in zip(docs, places, again, strict=True):
            own = sorted((numbers[subtopic], grade) for subtopic, grade in judged.get(doc, {}).items())
            rows += [Aspect(place, subtopic, grade, order[doc], twice) for subtopic, grade in own]
        start.append(len(rows))
    return _columns(space, start, rows)


def _numbered(qrels: Qrels) -> dict[str, int]:
    """A number for each subtopic, the same in all queries."""
    names = {subtopic for rows in qrels.subtopics.values() for _, subtopic, _ in rows}
    whole = all(name.isdecimal() for name in names)
    ordered = sorted(names, key=lambda name: (int(name), name) if whole else (0, name))
    return {"": 0, **{name: n for n, name in enumerate(ordered)}}


def _settled(query: str, qrels: Qrels, policy: Policy, notes: Notes) -> Judged:
    """The grade of each document of a query for each subtopic, with repeated rows and grades below 0 settled."""
    judged: dict[str, dict[str, Grade]] = {}
    for doc, subtopic, grade in qrels.subtopics[query]:
        own = judged.setdefault(doc, {})
        if subtopic in own and own[subtopic] != grade:
            if policy.conflicts == "error":
                what = f"judged twice for the subtopic {short(subtopic)}, with the grades {own[subtopic]} and {grade}"
                raise PolicyError(
                    what, where=spot(query=query, doc=doc), hint="Policy(conflicts='max') or 'last', or mend the qrels"
                )
            notes.conflicts += 1
            own[subtopic] = max(own[subtopic], grade) if policy.conflicts == "max" else grade
        elif subtopic in own:
            notes.repeated_judgements += 1
        own.setdefault(subtopic, grade)
        if grade < 0 and policy.negatives == "error":
            what = f"the grade {grade} for the subtopic {short(subtopic)} is negative"
            raise PolicyError(what, where=spot(query=query, doc=doc), hint="Policy(negatives='nonrelevant') or 'unjudged'")
    if policy.negatives != "unjudged":
        return judged
    return {doc: {subtopic: grade for subtopic, grade in own.items() if grade >= 0} for doc, own in judged.items()}


def _columns(space: RankSpace, start: list[int], rows: list[Aspect]) -> RankSpace:
    """The rows as columns."""
    places, subtopics, grades, order, again = zip(*rows, strict=True) if rows else ((),) * 5
    whole = float not in set(map(type, grades))
    return RankSpace(
        space.depth,
        np.array(start, dtype=np.int64),
        np.array(places, dtype=np.int64),
        np.array(grades, dtype=np.int64) if whole else np.array(grades, dtype=np.float64),
        None if space.again is None else np.array(again, dtype=bool),
        np.array(subtopics, dtype=np.int64),
        np.array(order, dtype=np.int64),
    )
