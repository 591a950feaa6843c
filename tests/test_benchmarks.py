"""The benchmark runs: its small size gives a row for each piece of work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import samescore

SCRIPT = Path(__file__).parent / "benchmarks" / "run.py"


@pytest.mark.slow
@pytest.mark.parametrize(("only", "rows"), [("dict, ir_measures", 2), ("files, ir_measures", 2), ("ten runs", 1)])
def test_the_small_size_gives_a_row_for_each_piece_of_work(only: str, rows: int) -> None:
    words = [sys.executable, str(SCRIPT), "--small", "--large", "--repeat", "1", "--only", only]
    path = os.pathsep.join([str(Path(samescore.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    said = subprocess.run(words, check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}).stdout
    head, rule, *found = said.splitlines()
    assert len(found) == rows
    assert all(line.count("|") == head.count("|") == rule.count("|") for line in found)
    assert all(only in line for line in found)
