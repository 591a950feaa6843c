"""The page of promises: each names a test, and the test is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
LINES = [line for line in (ROOT / "docs" / "promises.md").read_text(encoding="utf-8").splitlines() if line.startswith("- ")]
NAMED = re.compile(r"`(tests/\w+\.py)::(\w+)`")


def functions(file: Path) -> set[str]:
    """The names of the functions in a module."""
    return {node.name for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)}


def test_each_promise_names_a_test():
    assert len(LINES) > 30
    assert [line for line in LINES if not NAMED.search(line)] == []


def test_each_test_that_a_promise_names_is_there():
    named = [match for line in LINES for match in NAMED.findall(line)]
    assert [f"{file}::{test}" for file, test in named if test not in functions(ROOT / file)] == []
