"""Judgements: qrels as found, with conflicts and negative grades settled by the policy."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import PolicyError, examples, short, spot
from ..policy import Policy
from ..readers import Grade, Qrels
from .notes import Notes

Judgements = Mapping[str, Mapping[str, Grade]]


def judge(qrels: Qrels, policy: Policy, notes: Notes) -> Judgements:
    """The grade of each judged document by query; the qrels' own mapping where there is nothing to settle."""
    grades: Judgements = qrels.grades
    if qrels.further:
        grades = {**grades, **{query: _merged(query, qrels, policy, notes) for query in qrels.further}}
    negative = [query for query, judged in grades.items() if judged and min(judged.values()) < 0]
    notes.negatives = sum(grade < 0 for query in negative for grade in grades[query].values())
    if not negative or policy.negatives == "nonrelevant":
        return grades
    if policy.negatives == "error":
        raise PolicyError(f"negative grades in {examples(negative)}", hint="negatives='nonrelevant' or 'unjudged'")
    kept = {query: {doc: g for doc, g in grades[query].items() if g >= 0} for query in negative}
    return {**grades, **kept}


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
