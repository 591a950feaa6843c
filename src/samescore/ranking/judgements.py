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
        grades = {**grades, **{query: _merged(query, grades[query], rows, policy, notes) for query, rows in qrels.further.items()}}
    negative = {query: sum(g < 0 for g in judged.values()) for query, judged in grades.items() if judged and min(judged.values()) < 0}
    notes.negatives = sum(negative.values())
    if not negative or policy.negatives == "nonrelevant":
        return grades
    if policy.negatives == "error":
        raise PolicyError(f"negative grades in {examples(negative)}", hint="negatives='nonrelevant' or 'unjudged'")
    kept = {query: {doc: g for doc, g in grades[query].items() if g >= 0} for query in negative}
    return {**grades, **kept}


def _merged(query: str, first: Mapping[str, Grade], further: list[tuple[str, Grade]], policy: Policy, notes: Notes) -> dict[str, Grade]:
    """The grades of a query whose documents were judged again; rows that agree collapse and are counted."""
    merged = dict(first)
    for doc, grade in further:
        if grade == merged[doc]:
            notes.repeated_judgements += 1
            continue
        if policy.conflicts == "error":
            what = f"judged twice, with the grades {short(merged[doc])} and {short(grade)}"
            raise PolicyError(what, where=spot(query=query, doc=doc), hint="Policy(conflicts='max') or 'last', or mend the qrels")
        notes.conflicts += 1
        merged[doc] = max(merged[doc], grade) if policy.conflicts == "max" else grade
    return merged
