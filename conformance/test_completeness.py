"""That the cases leave nothing out: no measure, no situation of one, no value of a policy's field, no field of the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, get_args, get_type_hints

import pytest

from samescore import Measure, Policy, Report, parse
from samescore.backends import BACKENDS
from samescore.measures import CATALOGUE, Entry

from .case import DEVIATIONS, Case, cases, excused
from .formula import number


@dataclass(frozen=True, slots=True)
class Asked:
    """One measure asked of one list of documents and its judgements."""

    measure: Measure
    docs: list[str]
    grades: Mapping[str, float]

    @property
    def relevant(self) -> int:
        """How many documents reach the measure's threshold, 1 where it has none."""
        rel = self.measure.get("rel")
        return sum(grade >= (rel if isinstance(rel, int) else 1) for grade in self.grades.values())


Holds = Callable[[Asked], bool]
Applies = Callable[[Entry], bool]

SITUATIONS: Mapping[str, tuple[Holds, Applies]] = {
    "with a cutoff": (lambda a: a.measure.cutoff is not None, lambda e: e.cutoff != "none"),
    "without a cutoff": (lambda a: a.measure.cutoff is None, lambda e: e.cutoff != "required"),
    "fewer retrieved than the cutoff, or than are relevant": (
        lambda a: len(a.docs) < (a.measure.cutoff or a.relevant),
        lambda e: True,
    ),
    "fewer relevant than the cutoff, or than are retrieved": (
        lambda a: 0 < a.relevant < (a.measure.cutoff or len(a.docs)),
        lambda e: True,
    ),
    "an unjudged document on top": (lambda a: a.docs[0] not in a.grades, lambda e: True),
    "a grade of 2 or more": (lambda a: max(a.grades.values()) >= 2, lambda e: True),
    "rel=2": (lambda a: a.measure.get("rel") == 2, lambda e: "rel" in e.params),
}
"""What a measure must be shown in: whether a case shows it, and which measures it applies to."""

NEEDED = [
    (name, situation) for name, entry in CATALOGUE.items() for situation, (_, applies) in SITUATIONS.items() if applies(entry)
]
FIELDS = [field.name for field in fields(Policy)]


@pytest.mark.parametrize(("measure", "situation"), NEEDED)
def test_every_measure_is_shown_in_every_situation(measure: str, situation: str) -> None:
    holds, _ = SITUATIONS[situation]
    assert any(holds(asked) for asked in _all_asked() if asked.measure.name == measure)


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_of_the_policy_has_three_cases(field: str) -> None:
    assert sum(field in case.policy for case in cases()) >= 3


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field in FIELDS for value in get_args(get_type_hints(Policy)[field])]
)
def test_every_value_of_a_field_has_a_case(field: str, value: object) -> None:
    if isinstance(value, type):  # depth is int or None: any whole number will do, and null
        assert any(isinstance(case.policy.get(field, ""), value) for case in cases())
        return
    shown = [case for case in cases() if case.policy.get(field) == value]
    assert any(case.error for case in shown) if value == "error" else shown


@pytest.mark.parametrize("field", [name for name, hint in get_type_hints(Policy).items() if hint in (bool, int)])
def test_every_switch_and_number_is_shown_with_two_values(field: str) -> None:
    assert len({case.policy[field] for case in cases() if field in case.policy and not case.error}) >= 2


ELSEWHERE = {"misranked", "distances", "unfilled", "tie_changes", "unmapped", "policy"}
"""What a report holds for what no case has: files with ranks, distances and empty cells, what another order of ties changes, chunks
without a document; and the policy, by which its lines are worded."""


@pytest.mark.parametrize("field", [field.name for field in fields(Report) if field.name not in ELSEWHERE])
def test_every_field_of_the_report_has_a_case(field: str) -> None:
    assert any(field in case.report for case in cases())


def test_every_case_has_a_name_of_its_own_a_source_and_something_to_hold() -> None:
    assert [name for name, times in Counter(case.name for case in cases()).items() if times > 1] == []
    assert [case.name for case in cases() if not case.source] == []
    assert [case.name for case in cases() if not (case.means or case.per_query or case.report or case.error)] == []


def test_every_registered_backend_has_a_file_of_deviations_and_no_file_names_a_case_that_is_gone() -> None:
    assert {path.stem for path in DEVIATIONS.glob("*.json")} == {name.replace("/", "-") for name in BACKENDS}
    known = {case.name for case in cases()}
    assert {name for backend in BACKENDS for name in excused(backend)} <= known


def test_a_mean_agrees_with_the_values_of_its_queries_where_a_case_has_both() -> None:
    for case in cases():
        for measure in case.means.keys() & case.per_query.keys():
            values = [number(value) for value in case.per_query[measure].values() if value is not None]
            plain = not case.queries and not case.report.get("missing") and case.average == "macro"
            if set(case.per_query[measure]) == set(case.run) and values and plain:
                assert number(case.means[measure]) == pytest.approx(sum(values) / len(values)), case.name


def _all_asked() -> Iterator[Asked]:
    """Each measure of each case with each of its rankings that is a list of ids and has judgements."""
    for case in cases():
        for query, docs in case.run.items():
            grades = _grades(case, query)
            if not case.error and not case.doc_of and grades and docs and isinstance(docs, list) and isinstance(docs[0], str):
                yield from (Asked(parse(measure), docs, grades) for measure in case.asked)


def _grades(case: Case, query: str) -> dict[str, float]:
    """The judgements of one query, whatever form the case has them in."""
    if isinstance(case.qrels, list):
        return {doc: grade for of, doc, grade, *_ in case.qrels if of == query}
    found: Any = case.qrels.get(query, {})
    return dict(found) if isinstance(found, dict) else dict.fromkeys(found, 1)
