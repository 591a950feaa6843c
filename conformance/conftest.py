"""Which backends the suite runs against: every registered one, or those that --backend names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from samescore import Policy, parse
from samescore.backends import BACKENDS, Grades, find
from samescore.errors import MissingLibraryError

from .case import Case, cases, excused

QUICK = 10
"""How many cases of a provider of ir_measures are not slow."""
DEPRECATED = ("DeprecationWarning", "FutureWarning")
"""What pandas says of the way that trectools 0.0.50 uses it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that names backends."""
    what = "run conformance against this backend alone: a name, or package.module:Object (may be repeated)"
    parser.addoption("--backend", action="append", default=[], metavar="NAME", help=what)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every case on every backend; an excused one must fail, or its excuse is out of date."""
    if "case" in metafunc.fixturenames:
        backends = metafunc.config.getoption("--backend") or list(BACKENDS)
        metafunc.parametrize(("backend", "case"), [param for backend in backends for param in _params(backend)])


def _params(backend: str) -> Iterator[Any]:
    """The cases on a backend; one that is skipped where the library of a registered backend is not installed.

    Of a provider, which may start a program or make frames for each, all but the first few are slow.
    """
    reason = _missing(backend) if backend in BACKENDS else ""
    if reason:
        yield pytest.param(backend, None, id=backend, marks=pytest.mark.skip(reason=reason))
        return
    provider = backend.startswith("ir_measures/")
    for number, case in enumerate(case for case in cases() if "/" not in backend or _concerns(case, backend)):
        marks = [*_marks(backend, excused(backend).get(case.name)), *([pytest.mark.slow] if provider and number >= QUICK else [])]
        yield pytest.param(backend, case, id=f"{backend}-{case.name}", marks=marks)


def _concerns(case: Case, backend: str) -> bool:
    """Whether a provider that has a few measures alone has one that the case asks for."""
    asked = [Policy().resolve(parse(measure)) for measure in case.asked if not case.error]
    return any(find(backend).gap(measure, Grades()) is None for measure in asked)


def _marks(backend: str, excuse: str | None) -> list[pytest.MarkDecorator]:
    """A strict expectation of failure for an excused case."""
    if excuse is not None:
        return [pytest.mark.xfail(reason=excuse, strict=True)]
    return [pytest.mark.filterwarnings(f"ignore::{kind}") for kind in DEPRECATED] if backend == "ir_measures/trectools" else []


@cache
def _missing(backend: str) -> str:
    """Why a backend cannot be asked, if it cannot."""
    try:
        return "" if find(backend).label else "it has no label"
    except MissingLibraryError as error:
        return error.what
