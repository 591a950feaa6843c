"""Judgements: qrels as found, with conflicts and negative grades settled by the policy."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import PolicyError, examples, short, spot
from ..policy import Policy
from ..readers import Grade, Qrels
from .notes import Notes

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
        whole, apart = (policy, notes), (policy.but(conflicts="max"), Notes())
        ways = {query: apart if not documents and query in qrels.subtopics else whole for query in qrels.further}
        grades = {**grades, **{query: _merged(query, qrels, *way) for query, way in ways.items()}}
    negative = [query for query, judged in grades.items() if judged and min(judged.values()) < 0]
    notes.negatives = sum(grade < 0 for query in negative for grade in grades[query].values())
    if not negative or policy.negatives == "nonrelevant":
        return grades
    if policy.negatives == "error":
        raise PolicyError(f"negative grades in {examples(negative)}", hint="negatives='nonrelevant' or 'unjudged'")
    kept = {query: {doc: g for doc, g in grades[query].items() if g >= 0} for query in negative}
    return {**grades, **kept}


def _refuse_subtopics(qrels: Qrels) -> None:
    """Raise PolicyError for a document that is judged for two subtopics: its grade as such is nobody's."""
    for query, rows in qrels.subtopics.items():
        under: dict[str, str] = {}
        for doc, subtopic, _ in rows:
            if under.setdefault(doc, subtopic) != subtopic:
                what = f"judged for the subtopics (iterations) {short(under[doc])} and {short(subtopic)}"
                hint = "Policy(conflicts='max') to merge them, or measures of subtopics such as alpha_nDCG@20 alone"
                raise PolicyError(what, where=spot(query=query, doc=doc), hint=hint)


def _merged(query: str, qrels: Qrels, policy: Policy, notes: Notes) -> dict[str, Grade]:
    """The grades of a query whose documents were judged again; rows that agree collapse and are counted."""
    merged = dict(qrels.grades[query])
    for doc, grade in qrels.further[query]:
        if grade == merged[doc]:
            notes.repeated_judgements += 1
            continue
        if policy.conflicts == "error":
            what = f"judged twice, with the grades {short(merged[doc])} and {short(grade)}"
            raise PolicyError(what, where=spot(query=query, doc=doc), hint="Policy(conflicts='max') or 'last', or mend the qrels")
        notes.conflicts += 1
        merged[doc] = max(merged[doc], grade) if policy.conflicts == "max" else grade
    return merged
