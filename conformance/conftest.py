"""Which backends the suite runs against: every registered one, or those that --backend names."""

from __future__ import annotations

import pytest

from samescore.backends import BACKENDS

from .case import cases, excused


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that names backends."""
    what = "run conformance against this backend alone: a name, or package.module:Object (may be repeated)"
    parser.addoption("--backend", action="append", default=[], metavar="NAME", help=what)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every case on every backend; an excused one must fail, or its excuse is out of date."""
    if "case" not in metafunc.fixturenames:
        return
    backends = metafunc.config.getoption("--backend") or list(BACKENDS)
    metafunc.parametrize(
        ("backend", "case"),
        [
            pytest.param(backend, case, id=f"{backend}-{case.name}", marks=_marks(excused(backend).get(case.name)))
            for backend in backends
            for case in cases()
        ],
    )


def _marks(excuse: str | None) -> list[pytest.MarkDecorator]:
    """A strict expectation of failure for an excused case."""
    return [] if excuse is None else [pytest.mark.xfail(reason=excuse, strict=True)]
