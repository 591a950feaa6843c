"""Settings of all tests, and what the tests of commands share."""

from __future__ import annotations

import pytest
from hypothesis import settings

from samescore.cli import main

settings.register_profile("samescore", deadline=None, derandomize=True, database=None)
"""The same examples every time, and none fails because the machine is slow."""
settings.load_profile("samescore")

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
def say(capsys):
    """Run a command in this process; what it printed, what it said on stderr, its exit code."""

    def run(*words):
        code = main([str(word) for word in words])
        return (*capsys.readouterr(), code)

    return run
