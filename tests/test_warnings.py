"""Warnings: each names the run it is about and the line that called samescore, in a loop too."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest

from samescore import Result, compare, evaluate, interval, validate
from samescore.errors import SamescoreWarning

NOTHING_RELEVANT = {"q": {"d": 0}}

UNJUDGED = "q Q0 z 1 4 t\n"


def test_a_mean_over_no_query_is_zero_to_read_and_nothing_to_see():
    with pytest.warns(SamescoreWarning, match="no query is averaged for 'RR'.*1 query without a relevant document: 'q'"):
        result = evaluate({"q": ["d"]}, NOTHING_RELEVANT, measures=["RR", "NumRel"])
    assert (result["RR"], result.means, dict(result)) == (0.0, {"RR": 0.0, "NumRel": 0.0}, {"RR": 0.0, "NumRel": 0.0})
    assert {name: math.isnan(mean) for name, mean in result.shown.items()} == {"RR": True, "NumRel": False}
    plain = json.loads(result.to_json())
    assert (plain["measures"]["RR"]["mean"], plain["measures"]["NumRel"]["mean"]) == (None, 0.0)
    assert str(result).splitlines()[1].split() == ["RR", "-"]
    assert "RR\tall\t-" in result.to_tsv()
    assert "RR=-" in repr(result)


def test_a_stored_mean_over_no_query_is_read_back_whichever_way_it_was_stored():
    plain = evaluate({"q": ["d"]}, NOTHING_RELEVANT, measures="RR").to_dict()
    before = {**plain, "measures": {"RR": {**plain["measures"]["RR"], "mean": 0.0}}}
    for stored in (plain, before):
        assert Result.from_dict(stored)["RR"] == 0.0
        assert Result.from_dict(stored).to_dict() == plain


def test_an_interval_of_nothing_is_said_to_be_none():
    assert str(interval(evaluate({"q": ["d"]}, NOTHING_RELEVANT, measures="RR"), "RR")).startswith("-, no interval")


def test_an_empty_run_is_warned_of():
    with pytest.warns(SamescoreWarning, match="the run is empty: it holds no query"):
        assert evaluate({}, {"q": {"d": 1}}, measures="RR")["RR"] == 0.0


def test_a_warning_names_the_file(tmp_path):
    path = tmp_path / "bm25.txt"
    path.write_text(UNJUDGED)
    with pytest.warns(SamescoreWarning, match=r"bm25\.txt: no document of the run is judged"):
        evaluate(path, {"q": {"d": 1}}, measures="RR")


def test_a_warning_names_the_run_of_several(tmp_path):
    with pytest.warns(SamescoreWarning, match="^dense: no document of the run is judged"):
        compare({"bm25": {"q": ["d"]}, "dense": {"q": ["z"]}}, {"q": {"d": 1}}, measures="RR")


def test_validate_warns_too():
    with pytest.warns(SamescoreWarning, match="no document of the run is judged"):
        validate({"q": ["z"]}, {"q": {"d": 1}}, {"RR": 0})


def test_each_call_in_a_loop_warns_at_its_line(tmp_path):
    script = tmp_path / "loop.py"
    script.write_text(
        "import samescore\n"
        "for _ in range(3):\n"
        "    samescore.evaluate({'q': ['z']}, {'q': {'d': 1}}, measures='RR', backend='reference')\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    lines = [line for line in done.stderr.splitlines() if "Warning" in line]
    assert len(lines) == 3
    assert all(line.startswith(f"{script}:3: SamescoreWarning: no document") for line in lines)


def test_the_command_names_each_run(say, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.txt").write_text("q 0 d 1\n")
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(UNJUDGED)
    _, err, code = say("evaluate", "q.txt", "a.txt", "b.txt", "-m", "RR")
    assert code == 0
    assert [line.split(": ")[2] for line in err.splitlines()] == ["a.txt", "b.txt"]


def test_hits_below_the_cutoff_are_said_to_count_in_the_reciprocal_rank():
    deep = {"q": [*"abcdefghijk", "d1"], "p": ["d1"]}
    qrels = {"q": {"d1": 1}, "p": {"d1": 1}}
    text = "1 query whose first relevant document is below k = 10: RR is over the whole ranking, RR@10 would be 0: 'q'"
    assert text in str(evaluate(deep, qrels, k=[5, 10]))
    assert "below k" not in str(evaluate(deep, qrels, measures=["RR", "P@5"]))
    assert "below k" not in str(evaluate(deep, qrels, k=12))
