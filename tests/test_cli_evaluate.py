"""samescore evaluate: the numbers of the function of that name, for one run or several, in every form."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from samescore import evaluate
from samescore.backends import BACKENDS

pytestmark = pytest.mark.usefixtures("files")


def test_a_run_is_printed_as_its_result_prints(say):
    assert say("evaluate", "qrels.txt", "bm25.txt") == (f"{evaluate('bm25.txt', 'qrels.txt')}\n", "", 0)


def test_measures_and_cutoffs_are_asked_for_one_by_one(say):
    out, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "-m", "nDCG@3", "-m", "P(rel=2)@5", "--measure", "recip_rank")
    assert [line.split()[0] for line in out.split("\n\n")[0].splitlines()] == ["measure", "nDCG@3", "P(rel=2)@5", "RR"]
    out, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "-k", 3, "-k", 5)
    assert out == f"{evaluate('bm25.txt', 'qrels.txt', [3, 5])}\n"


@pytest.mark.parametrize("backend", [name for name in BACKENDS if "/" not in name])
def test_the_backend_is_the_one_named(say, backend):
    out, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "--backend", backend)
    assert out == f"{evaluate('bm25.txt', 'qrels.txt', backend=backend)}\n"


def test_a_backend_of_one_s_own_is_found_where_one_works(tmp_path):
    text = "import numpy\nclass Mine:\n    label = 'mine 1'\n    def gap(self, measure, grades):\n        return None\n"
    text += "    def score(self, rankings, measures):\n        return numpy.ones((len(rankings), len(measures)))\n"
    (tmp_path / "my_backend.py").write_text(text)
    command = "import sys; sys.path.remove(''); from samescore.cli import main; sys.exit(main(sys.argv[1:]))"
    words = ["evaluate", "qrels.txt", "bm25.txt", "--backend", "my_backend:Mine"]
    done = subprocess.run([sys.executable, "-c", command, *words], capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    assert "| mine 1 |" in done.stdout


def test_only_a_module_and_a_name_in_it_are_looked_for_where_one_works(say, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path not in ("", str(tmp_path))])
    assert say("evaluate", "qrels.txt", "bm25.txt", "-m", "nDCG(gains={1: 1, 2: 2, 3: 3})@3")[2] == 0
    assert str(tmp_path) not in sys.path
    (tmp_path / "lying_where_one_works.py").write_text("def one(ranking):\n    return 1.0\n")
    assert say("evaluate", "qrels.txt", "bm25.txt", "-m", "lying_where_one_works:one")[2] == 0
    assert str(tmp_path) not in sys.path


def test_several_runs_are_rows_of_one_table(say):
    out, _, code = say("evaluate", "qrels.txt", "bm25.txt", "dense.txt", "-m", "nDCG@3", "-m", "RR")
    results = [evaluate(run, "qrels.txt", measures=["nDCG@3", "RR"]) for run in ("bm25.txt", "dense.txt")]
    table, told = out.split("\n\n")
    assert [line.split() for line in table.splitlines()] == [
        ["run", "nDCG@3", "RR", "queries"],
        ["bm25", f"{results[0]['nDCG@3']:.4f}", f"{results[0]['RR']:.4f}", "3"],
        ["dense", f"{results[1]['nDCG@3']:.4f}", f"{results[1]['RR']:.4f}", "3"],
    ]
    lines = told.splitlines()
    assert lines[0] == "gain: nDCG@3 exponential"
    assert "bm25: 1 query of the run left out, not judged: 'zz'" in lines
    assert "dense: 1 query not in the run, counted as 0: 'q2'" in lines
    assert "1 query without a relevant document, left out: 'q3'" in lines
    assert lines[-1] == results[0].signature
    assert code == 0


def test_several_runs_say_how_they_are_averaged_and_what_the_measures_mean(say):
    words = ["-m", "P@2", "-m", "SetF", "--average", "micro"]
    one = evaluate("bm25.txt", "qrels.txt", measures=["P@2", "SetF"]).notes
    out, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "dense.txt", "-m", "SetF")
    assert set(one) <= set(out.splitlines())
    out, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "dense.txt", *words[:2], *words[4:])
    assert "micro average: the ratio of sums over all queries" in out.splitlines()


def test_what_the_order_of_ties_changes_is_told_where_it_is_asked_for(say, tmp_path):
    (tmp_path / "tied.txt").write_text("q1 Q0 d2 1 1.0 tied\nq1 Q0 x 2 1.0 tied\n")
    told = "1 query for which another order of tied documents changes some measure: 'q1'"
    assert told not in say("evaluate", "qrels.txt", "tied.txt", "-m", "RR")[0]
    assert told in say("evaluate", "qrels.txt", "tied.txt", "-m", "RR", "--tie-changes")[0].splitlines()


def test_runs_of_one_file_name_are_told_apart_by_their_paths(say, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "dense.txt").rename(tmp_path / "a" / "bm25.txt")
    out, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "a/bm25.txt", "-m", "RR", "--format", "tsv")
    assert [line.split("\t")[0] for line in out.splitlines() if "RR" in line] == ["bm25.txt", "a/bm25.txt"]


def test_the_same_run_twice_is_two_rows(say):
    out, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "bm25.txt", "--format", "json")
    first, second = json.loads(out)
    assert first == second


def test_tsv_is_measure_query_value_in_full_precision(say):
    out, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "-m", "nDCG@3", "-m", "R(rel=3)@5", "--format", "tsv", "--per-query")
    result = evaluate("bm25.txt", "qrels.txt", measures=["nDCG@3", "R(rel=3)@5"])
    rows = [line.split("\t") for line in out.splitlines()]
    assert rows == [
        ["nDCG@3", "q1", repr(result.per_query["nDCG@3"]["q1"].item())],
        ["R(rel=3)@5", "q1", "1.0"],
        ["nDCG@3", "q2", "1.0"],
        ["nDCG@3", "q4", "0.0"],
        ["nDCG@3", "all", repr(result["nDCG@3"])],
        ["R(rel=3)@5", "all", "1.0"],
        ["queries", "all", "3"],
        ["skipped", "all", "1"],
    ]
    out, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "dense.txt", "-m", "RR", "--format", "tsv")
    assert {line.split("\t")[0] for line in out.splitlines()} == {"bm25", "dense"}


def test_json_is_the_result_with_its_files_and_its_queries_only_where_asked(say):
    words = ["evaluate", "qrels.txt", "bm25.txt", "--format", "json"]
    plain = {"run": "bm25.txt", "qrels": "qrels.txt", **evaluate("bm25.txt", "qrels.txt").to_dict()}
    assert json.loads(say(*words, "--per-query")[0]) == json.loads(json.dumps(plain))
    del plain["per_query"]
    assert json.loads(say(*words)[0]) == json.loads(json.dumps(plain))
    several = json.loads(say("evaluate", "qrels.txt", "bm25.txt", "dense.txt", "--format", "json")[0])
    assert [one["run"] for one in several] == ["bm25.txt", "dense.txt"]
    assert several[0] == json.loads(json.dumps(plain))


def test_markdown_is_the_result_s_own_or_a_table_of_runs(say):
    one, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "--format", "markdown")
    assert one == evaluate("bm25.txt", "qrels.txt").to_markdown() + "\n"
    table, told = say("evaluate", "qrels.txt", "bm25.txt", "dense.txt", "-m", "RR", "--format", "markdown")[0].split("\n\n")
    assert table.splitlines()[:2] == ["| run | RR | queries |", "| --- | ---: | ---: |"]
    assert all(line.startswith("- ") for line in told.splitlines())


def test_per_query_values_stand_above_the_means(say):
    out, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "-m", "RR", "-m", "R(rel=3)@5", "--per-query")
    queries, rest = out.split("\n\n", 1)
    assert [line.split() for line in queries.splitlines()] == [
        ["query", "RR", "R(rel=3)@5"],
        ["q1", "0.5000", "1.0000"],
        ["q2", "1.0000", "-"],
        ["q4", "0.0000", "-"],
    ]
    assert rest == f"{evaluate('bm25.txt', 'qrels.txt', measures=['RR', 'R(rel=3)@5'])}\n"


def test_a_folder_or_a_pattern_stands_for_the_runs_in_it(say, tmp_path):
    (tmp_path / "runs").mkdir()
    for name in ("b.run", "a.run", ".hidden"):
        (tmp_path / "runs" / name).write_bytes(Path("bm25.txt").read_bytes())
    out, _, code = say("evaluate", "qrels.txt", tmp_path / "runs", "--format", "tsv", "-m", "RR")
    assert code == 0
    assert list(dict.fromkeys(line.split("\t")[0] for line in out.splitlines())) == ["a", "b"]
    assert say("evaluate", "qrels.txt", tmp_path / "runs" / "*.run", "--format", "tsv", "-m", "RR") == (out, "", 0)
