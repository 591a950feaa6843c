"""samescore explain, validate, export and ties: what the functions of those names answer, in four forms."""

from __future__ import annotations

import json

import pytest

from samescore import Policy, evaluate, explain, export, tie_bounds, validate
from samescore.cli import main

pytestmark = pytest.mark.usefixtures("files")

FORMATS = {"table": str, "json": lambda found: found.to_json(), "markdown": lambda found: found.to_markdown()}
LINEAR = "ndcg_cut_3"


@pytest.mark.parametrize("form", FORMATS)
def test_a_walk_is_printed_in_each_form(say, form):
    found = explain("bm25.txt", "qrels.txt", "nDCG@3")
    assert say("explain", "qrels.txt", "bm25.txt", "-m", "nDCG@3", "--format", form) == (f"{FORMATS[form](found)}\n", "", 0)


def test_a_walk_starts_and_ends_where_it_is_told(say):
    out, _, _ = say("explain", "qrels.txt", "bm25.txt", "-m", "RR", "--policy", "trec_eval", "--depth", "1", "--to", "missing:zero")
    assert out.splitlines()[0].startswith("RR from Policy(")
    assert "depth=1" in out.splitlines()[0]
    assert out.splitlines()[0].endswith("to Policy()")


def test_numbers_are_searched_for_with_the_decimals_that_were_typed(say):
    value = evaluate("bm25.txt", "qrels.txt", measures=LINEAR)[LINEAR]
    out, _, code = say("explain", "qrels.txt", "bm25.txt", "-r", f"nDCG@3={value:.6f}", "-r", "RR=0.5000", "--format", "json")
    told = json.loads(out)
    assert code == 0
    assert told["reported"] == {"nDCG@3": f"{value:.6f}", "RR": "0.5000"}
    assert told["readings"][0]["policy"]["gain"] == "linear"


def test_numbers_in_a_file_have_the_names_of_their_tool(say, tmp_path):
    value = evaluate("bm25.txt", "qrels.txt", measures=LINEAR)[LINEAR]
    (tmp_path / "scores.json").write_text(json.dumps({"nDCG@3": round(value, 5)}))
    out, _, _ = say("explain", "qrels.txt", "bm25.txt", "-r", "scores.json", "--tool", "ir_measures")
    assert "Policy.ir_measures()" in out


def test_a_number_without_a_measure_is_refused(say):
    _, err, code = say("explain", "qrels.txt", "bm25.txt", "-r", "0.5")
    assert (err.splitlines()[0], code) == ("samescore: error: '0.5' is neither a number that was reported nor a file", 2)


def test_explain_wants_a_measure_or_a_number(say):
    _, err, code = say("explain", "qrels.txt", "bm25.txt")
    assert ("one of the arguments -m/--measure -r/--reported is required" in err, code) == (True, 2)


@pytest.fixture
def reported(say, tmp_path):
    """What the command trec_eval prints for the run, as a file."""
    out, _, _ = say("trec_eval", "-q", "qrels.txt", "bm25.txt")
    (tmp_path / "reported.txt").write_text(out)
    return tmp_path / "reported.txt"


@pytest.mark.parametrize("form", FORMATS)
def test_numbers_that_agree_are_exit_code_0(say, reported, form):
    found = validate("bm25.txt", "qrels.txt", reported)
    assert say("validate", "qrels.txt", "bm25.txt", reported, "--format", form) == (f"{FORMATS[form](found)}\n", "", 0)


def test_a_number_that_differs_is_exit_code_1(say, reported):
    reported.write_text(reported.read_text().replace("map                   \tall\t0.", "map                   \tall\t0.1"))
    out, err, code = say("validate", "qrels.txt", "bm25.txt", reported)
    assert (err, code) == ("", 1)
    assert "1 of " in out.splitlines()[0]
    assert "policies tried" in out
    short, _, code = say("validate", "qrels.txt", "bm25.txt", reported, "--no-explanation")
    assert code == 1
    assert "policies tried" not in short


def test_options_of_the_policy_replace_that_of_the_tool(say, reported):
    out, _, code = say(
        "validate", "qrels.txt", "bm25.txt", reported, "--policy", "trec_eval", "--relevance-level", "3", "--format", "json"
    )
    assert code == 1
    assert json.loads(out)["policy"] == Policy.trec_eval(relevance_level=3).signature


def test_a_report_that_is_not_there_is_exit_code_2(say):
    _, err, code = say("validate", "qrels.txt", "bm25.txt", "gone.txt")
    assert (err.splitlines()[0], code) == ("samescore: error: gone.txt: there is no such file", 2)


@pytest.mark.parametrize("form", FORMATS)
def test_an_export_prints_its_commands(say, form):
    made = export("bm25.txt", "qrels.txt", "out", measures=["nDCG@3", "RR"], policy=Policy(gain="linear"))
    words = ["export", "qrels.txt", "bm25.txt", "out", "-m", "nDCG@3", "-m", "RR", "--gain", "linear", "--format", form]
    assert say(*words) == (f"{FORMATS[form](made)}\n", "", 0)


def test_what_is_exported_can_be_scored_by_the_commands_that_are_printed(say, tmp_path, monkeypatch):
    out, _, _ = say("export", "qrels.txt", "bm25.txt", "out", "--format", "json")
    monkeypatch.chdir(tmp_path / "out")
    for row in json.loads(out)["commands"]:
        printed, _, _ = say(*row["command"].split())
        assert printed.split() == [row["name"], "all", row["prints"]]


@pytest.mark.parametrize("form", FORMATS)
def test_tie_bounds_are_printed(say, form):
    found = tie_bounds("dense.txt", "qrels.txt", ["RR", "nDCG@3"])
    out = say("ties", "qrels.txt", "dense.txt", "-m", "RR", "-m", "nDCG@3", "--format", form)
    assert out == (f"{FORMATS[form](found)}\n", "", 0)


def test_tie_bounds_of_each_query_are_rows_with_tabs(say):
    out, _, _ = say("ties", "qrels.txt", "dense.txt", "-m", "RR", "--per-query")
    rows = [line.split("\t") for line in out.splitlines()]
    assert rows[:2] == [
        ["query_id", "measure", "lowest", "expected", "highest", "value"],
        ["q1", "RR", "0.5", "0.75", "1.0", "1.0"],
    ]


@pytest.mark.parametrize(
    ("words", "head"),
    [
        (["explain", "qrels.txt", "bm25.txt", "-m", "RR"], ["clause", "from", "to", "change", "mean", "queries", "moved"]),
        (
            ["explain", "qrels.txt", "bm25.txt", "-r", "RR=0.5"],
            ["policy", "agreeing", "alike", "unjudged_run_queries", "averaged", "RR"],
        ),
        (["export", "qrels.txt", "bm25.txt", "out"], ["measure", "command", "name", "prints", "value"]),
        (["ties", "qrels.txt", "bm25.txt", "-m", "RR"], ["measure", "lowest", "expected", "highest", "value", "changed"]),
    ],
    ids=["walk", "search", "export", "ties"],
)
def test_tsv_is_the_table_with_its_head(say, words, head):
    out, _, code = say(*words, "--format", "tsv")
    assert (out.splitlines()[0].split("\t"), code) == (head, 0)


@pytest.mark.parametrize("command", ["explain", "validate", "export", "ties"])
def test_help_has_an_example(command, capsys):
    assert main([command, "--help"]) == 0
    assert f"samescore {command} qrels.txt run.txt" in capsys.readouterr().out
