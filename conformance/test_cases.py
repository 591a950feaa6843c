"""Every case on every backend: its values and its report, or its error, or the gap that the backend declares."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from samescore import Policy, Result, SamescoreError, evaluate, parse
from samescore.backends import BACKENDS, find, resolution
from samescore.errors import GapError, SamescoreWarning

from .case import Case
from .formula import number

TOLERANCE = 1e-12
"""How far a value may be from its formula; a backend that is not one of samescore's own has 1e-9."""


def test_the_case_holds(backend: str, case: Case) -> None:
    """The worked example comes out as the case says."""
    if case.error:
        with pytest.raises(SamescoreError) as raised:
            _evaluate(case, case.asked, backend)
        if isinstance(raised.value, GapError) and case.error.lower() not in str(raised.value).lower():
            pytest.skip(raised.value.what)
        assert case.error.lower() in str(raised.value).lower()
        return
    with _warned(case):
        gaps = _gaps(case, backend)
        asked = [measure for measure in case.asked if measure not in gaps]
        if "k" in gaps or (case.asked and not asked):
            pytest.skip("; ".join(gaps.values()))
        result = _evaluate(case, asked, backend)
    tolerance = max(TOLERANCE if backend in BACKENDS else 1e-9, resolution(find(backend)))
    means = {name: number(value) for name, value in case.means.items() if name not in gaps}
    assert {name: result[name] for name in means} == pytest.approx(means, rel=0, abs=tolerance)
    for measure in case.per_query.keys() - gaps:
        assert _found(result, measure, case.per_query[measure]) == _wanted(case.per_query[measure], tolerance), measure
    report = result.report.to_dict()
    for name, value in case.report.items():
        wanted = value if name != "judged" else {k: share for k, share in value.items() if k in report[name] or not gaps}
        assert _plain(report[name], gaps) == _plain(wanted, gaps), name


def _evaluate(case: Case, measures: list[str], backend: str) -> Result:
    """The case as one call."""
    policy, measured = Policy(**case.policy), measures or None
    options = {"backend": backend, "queries": case.queries, "doc_of": case.doc_of, "average": case.average}
    return evaluate(case.rankings, case.judgements, case.k, measures=measured, policy=policy, **options)


def _warned(case: Case) -> AbstractContextManager[object]:
    """Expect the warning that the case names; any other is an error by pytest's settings."""
    return pytest.warns(SamescoreWarning, match=re.escape(case.warning)) if case.warning else nullcontext()


def _gaps(case: Case, backend: str) -> dict[str, str]:
    """Why the backend lacks a measure of the case, by measure; under "k" where the case asks by cutoff."""
    gaps = {}
    for measure in case.asked or ["k"]:
        try:
            _evaluate(case, [measure] if case.asked else [], backend)
        except GapError as error:
            gaps[measure] = error.what
    return gaps


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
