"""A forked child of a process that had polars is refused where it would hang."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os, sys, warnings
warnings.simplefilter("ignore")
import polars
from samescore import SamescoreError, evaluate, read_run
polars.DataFrame({{"a": [1, 2]}}).group_by("a").len()
child = os.fork()
if child == 0:
    small = evaluate({{"q": ["d"]}}, {{"q": {{"d": 1}}}}, measures="RR", backend="reference")["RR"]
    try:
        read_run({path!r})
        words = "was read"
    except SamescoreError as error:
        words = str(error)
    print(small, words, flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_scores_small_input_and_refuses_big(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("q Q0 d 1 1.0 t\n" * 80_000)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(path=str(path))], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.startswith("1.0 a large run cannot be read in a forked process")
    assert "try: multiprocessing.get_context('spawn')" in done.stdout


def test_small_input_is_scored_without_polars(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q Q0 d 1 1.0 t\n")
    code = f"""
import sys
from samescore import evaluate
assert evaluate({str(tmp_path / "run")!r}, {{"q": {{"d": 1}}}}, backend="reference")["recall"] == 1.0
print("polars" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True).stdout == "False\n"


WHILE_RANX_COMPUTES = """
import os, threading, time
from samescore import evaluate
evaluate({"q": ["d"]}, {"q": {"d": 1}}, measures="RR", backend="ranx")
import ranx.metrics
inside, kernel = threading.Event(), ranx.metrics.reciprocal_rank

def slow(*arguments):
    inside.set()
    time.sleep(0.5)
    return kernel(*arguments)

ranx.metrics.reciprocal_rank = slow
thread = threading.Thread(target=evaluate, args=({"q": ["d"]}, {"q": {"d": 1}}), kwargs={"measures": "RR", "backend": "ranx"})
thread.start()
inside.wait()
child = os.fork()
if child == 0:
    ranx.metrics.reciprocal_rank = kernel
    print(evaluate({"q": ["e", "d"]}, {"q": {"d": 1}}, measures="RR", backend="ranx")["RR"], flush=True)
    os._exit(0)
os.waitpid(child, 0)
thread.join()
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_that_is_forked_while_a_thread_computes_with_ranx_computes_too() -> None:
    code = [sys.executable, "-W", "ignore", "-c", WHILE_RANX_COMPUTES]
    done = subprocess.run(code, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "0.5\n"
