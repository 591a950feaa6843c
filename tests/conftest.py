"""Settings of all tests, and what the tests of commands share.

``pytest --long 20 tests/test_fuzz.py`` tries each fuzzer for 20 minutes, with cases that no run before had, and the properties
with new examples; without it they try some hundred cases, the same every time. A case that fails is named by its seed, and
``--seed`` tries it alone.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import settings

from samescore.cli import main

settings.register_profile("samescore", deadline=None, derandomize=True, database=None)
"""The same examples every time, and none fails because the machine is slow."""
settings.register_profile("quick", settings.get_profile("samescore"), max_examples=10)
settings.register_profile("long", deadline=None, database=None, print_blob=True)
settings.load_profile("samescore")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the fuzzers."""
    parser.addoption("--long", type=float, default=0, metavar="MINUTES", help="how long each fuzzer tries new cases")
    parser.addoption("--seed", type=int, default=None, help="the one case that each fuzzer tries")


def pytest_configure(config: pytest.Config) -> None:
    """New examples for properties where the fuzzers try new cases, and few where the slow tests are left out."""
    if config.getoption("--long"):
        settings.load_profile("long")
    elif config.option.markexpr == "not slow":
        settings.load_profile("quick")


def pytest_collection_finish() -> None:
    """What the imports made stays, so that collecting garbage need not look through it again and again."""
    gc.freeze()


@pytest.fixture
def fuzz(request: pytest.FixtureRequest) -> Callable[[int, Callable[[random.Random], None]], None]:
    """Try a check with ``n`` random generators, or with as many as ``--long`` has time for; a failure names the seed."""
    minutes, seed = request.config.getoption("--long"), request.config.getoption("--seed")

    def seeds(n: int) -> Iterator[int]:
        if seed is not None:
            yield seed
            return
        if not minutes:
            yield from range(n)
            return
        first, end = time.time_ns(), time.monotonic() + 60 * minutes
        while time.monotonic() < end:
            yield first
            first += 1

    def run(n: int, check: Callable[[random.Random], None]) -> None:
        tried = 0
        for one in seeds(n):
            try:
                check(random.Random(one))
            except BaseException as error:
                error.add_note(f"--seed {one}") if hasattr(error, "add_note") else print(f"--seed {one}")  # noqa: T201
                raise
            tried += 1
        print(f"{tried} cases")  # noqa: T201  # which pytest -s and -rP show

    return run


QRELS = "q1 0 d2 3\nq1 0 d4 1\nq1 0 d9 2\nq1 0 d5 0\nq2 0 d9 1\nq3 0 x 0\nq4 0 d1 1\n"
BM25 = "q1 Q0 d1 1 4 t\nq1 Q0 d2 2 3 t\nq1 Q0 d3 3 2 t\nq1 Q0 d4 4 1 t\nq2 Q0 d9 1 1 t\nzz Q0 d9 1 1 t\n"
DENSE = "q1 Q0 d2 1 4 t\nq1 Q0 d1 2 4 t\nq4 Q0 d1 1 1 t\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A working folder that holds qrels.txt, bm25.txt and dense.txt."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("qrels.txt", QRELS), ("bm25.txt", BM25), ("dense.txt", DENSE)):
        (tmp_path / name).write_text(text, encoding="utf-8")


@pytest.fixture
def data_sets(files, tmp_path):
    """Two folders beside these, with the same files: ``one`` and ``two``."""
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        for name in ("qrels.txt", "bm25.txt", "dense.txt"):
            (tmp_path / folder / name).write_bytes((tmp_path / name).read_bytes())


@pytest.fixture
def say(capsys):
    """Run a command in this process; what it printed, what it said on stderr, its exit code."""

    def run(*words):
        code = main([str(word) for word in words])
        return (*capsys.readouterr(), code)

    return run
