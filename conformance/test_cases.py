"""Every case on every backend: its values and its report, or its error, or the gap that the backend declares."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from samescore import Policy, Result, SamescoreError, evaluate, parse
from samescore.backends import BACKENDS, Gap, Grades, find, resolution
from samescore.errors import GapError, SamescoreWarning

from .case import Case
from .formula import number

TOLERANCE = 1e-12
"""How far a value may be from its formula; a backend that is not one of samescore's own has 1e-9."""


def test_the_case_holds(backend: str, case: Case) -> None:
    """The worked example comes out as the case says, without the measures that the backend lacks, which it must refuse."""
    if case.error:
        with pytest.raises(SamescoreError) as raised:
            _evaluate(case, _measures(case), backend)
        said = [gap.why for gap in _gaps(case, backend).values()] if isinstance(raised.value, GapError) else []
        assert any(words.lower() in str(raised.value).lower() for words in [case.error, *said])
        return
    gaps = _gaps(case, backend)
    for measure, gap in gaps.items():
        with _warned(case), pytest.raises(GapError, match=re.escape(gap.why)):
            _evaluate(case, [measure], backend)
    asked = [measure for measure in _measures(case) if measure not in gaps]
    if asked and (case.asked or not gaps):  # what is asked by cutoff is one thing
        with _warned(case):
            result = _evaluate(case, asked, backend)
        _hold(case, result, gaps, max(TOLERANCE if backend in BACKENDS else 1e-9, resolution(find(backend))))


def _hold(case: Case, result: Result, gaps: Collection[str], tolerance: float) -> None:
    """The means, the values of queries and the report are those of the case."""
    means = {name: number(value) for name, value in case.means.items() if name not in gaps}
    assert {name: result[name] for name in means} == pytest.approx(means, rel=0, abs=tolerance)
    for measure in case.per_query.keys() - gaps:
        assert _found(result, measure, case.per_query[measure]) == _wanted(case.per_query[measure], tolerance), measure
    report = result.report.to_dict()
    for name, value in case.report.items():
        by_cutoff = name in {"judged", "folded"}
        wanted = {k: n for k, n in value.items() if k in report[name] or not gaps} if by_cutoff else value
        assert _plain(report[name], gaps) == _plain(wanted, gaps), name


def _evaluate(case: Case, measures: list[str], backend: str) -> Result:
    """Some measures of the case in one call: by cutoff where it names none and all are asked for."""
    asked = {"measures": measures} if case.asked or measures != _measures(case) else {"k": case.k}
    options = {"backend": backend, "queries": case.queries, "doc_of": case.doc_of, "average": case.average}
    return evaluate(case.rankings, case.judgements, policy=Policy(**case.policy), **asked, **options)


def _warned(case: Case) -> AbstractContextManager[object]:
    """Expect the warning that the case names; any other is an error by pytest's settings."""
    return pytest.warns(SamescoreWarning, match=re.escape(case.warning)) if case.warning else nullcontext()


def _measures(case: Case) -> list[str]:
    """All measures that a case asks for, by name or by cutoff."""
    cutoffs = case.k if isinstance(case.k, list) else [10 if case.k is None else case.k]
    return case.asked or [f"{name}@{k}" for k in cutoffs for name in ("R", "nDCG")] + ["RR"]


def _gaps(case: Case, backend: str) -> dict[str, Gap]:
    """What the backend says that it lacks of the measures of the case, given the judgements of the case."""
    engine, policy, facts = find(backend), Policy(**case.policy), _facts(case)
    found = {measure: engine.gap(policy.resolve(parse(measure)), facts) for measure in _measures(case)}
    return {measure: gap for measure, gap in found.items() if gap}


def _facts(case: Case) -> Grades:
    """What a backend may ask of the judgements and rankings of a case; of documents that repeat only judged ones count."""
    judged = {(query, doc): grade for query, doc, grade in _rows(case) if query in case.run}
    found = {query: [row if isinstance(row, str) else row[0] for row in ranking] for query, ranking in case.rankings.items()}
    whole = case.doc_of or {}
    hits = [pair for query, docs in found.items() for doc in docs if (pair := (query, whole.get(doc, doc))) in judged]
    return Grades(
        largest=max(judged.values(), default=0),
        whole=all(grade == int(grade) for grade in judged.values()),
        repeat=case.policy.get("duplicates") == "each" and len(set(hits)) < len(hits),
        deepest=max(map(len, found.values()), default=0),
    )


def _rows(case: Case) -> Iterator[tuple[str, str, float]]:
    """Query, document and grade of each judgement; a list of documents names what is relevant."""
    if isinstance(case.qrels, list):
        yield from (tuple(row[:3]) for row in case.qrels)
        return
    for query, judged in case.qrels.items():
        yield from ((query, doc, judged[doc] if isinstance(judged, Mapping) else 1) for doc in judged)


def _found(result: Result, measure: str, queries: Collection[str]) -> dict[str, float | None]:
    """The values of some queries; None for one that is left out."""
    values = result.to_dict()["per_query"]
    return {query: values.get(query, {}).get(str(parse(measure))) for query in queries}


def _wanted(values: Mapping[str, str | float | None], tolerance: float) -> dict[str, object]:
    """The values that the case names, to the tolerance."""
    return {query: None if v is None else pytest.approx(number(v), rel=0, abs=tolerance) for query, v in values.items()}


def _plain(value: Any, gaps: Collection[str]) -> Any:
    """A field of the report in the form that is compared: ids in any order, formulas as numbers, no measure that is a gap."""
    if isinstance(value, Mapping):
        return {key: _plain(inner, gaps) for key, inner in value.items() if key not in gaps}
    if isinstance(value, (list, tuple)):
        return sorted(value)
    return round(number(value), 12)
