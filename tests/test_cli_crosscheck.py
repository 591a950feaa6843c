"""The command crosscheck: what it prints and its exit codes."""

from __future__ import annotations

import json

import pytest

from samescore import Policy, crosscheck
from samescore.cli import main

pytestmark = [
    pytest.mark.usefixtures("files"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),  # what trectools uses of pandas
]

FORMATS = {"table": str, "markdown": lambda found: found.to_markdown(), "json": lambda found: found.to_json()}
ASKED = ("-m", "RR", "-m", "nDCG@3", "--backend", "ir_measures")


@pytest.mark.parametrize("form", FORMATS)
def test_it_prints_what_the_function_finds(say, form):
    found = crosscheck("dense.txt", "qrels.txt", measures=["RR", "nDCG@3"], backends="ir_measures")
    assert say("crosscheck", "qrels.txt", "dense.txt", *ASKED, "--format", form) == (f"{FORMATS[form](found)}\n", "", 0)


def test_tsv_is_the_table_with_its_head(say):
    out, _, code = say("crosscheck", "qrels.txt", "dense.txt", *ASKED, "--format", "tsv")
    head = ["measure", "reference", "ir_measures", "difference", "tolerance"]
    assert (out.splitlines()[0].split("\t"), len(out.splitlines()), code) == (head, 3, 0)


def test_a_disagreement_is_1(say, tmp_path):
    words = ("-m", "RR", "--backend", "ir_measures", "--backend", "planted:WRONG")
    out, _, code = say("crosscheck", "qrels.txt", "bm25.txt", *words, "--format", "json")
    assert (json.loads(out)["ok"], code) == (True, 0)
    (tmp_path / "three.txt").write_text("q1 Q0 x 1 3 t\nq1 Q0 d2 2 2 t\nq1 Q0 d4 3 1 t\n", encoding="utf-8")
    out, err, code = say("crosscheck", "qrels.txt", "three.txt", *words)
    assert (code, err) == (1, "")
    assert "query 'q1', RR: planted:WRONG 0.123, reference 0.5" in out


def test_options_of_the_policy_and_cutoffs_are_those_of_evaluate(say):
    out, _, code = say("crosscheck", "qrels.txt", "bm25.txt", "-k", 2, "--backend", "reference", "--policy", "trec_eval")
    assert code == 0
    assert "R@2" in out
    assert Policy.trec_eval().signature in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["qrels.txt", "none.txt"], "no such file"),
        (["qrels.txt", "bm25.txt", "-m", "who@3"], "unknown measure"),
        (["qrels.txt", "bm25.txt", "--backend", "who"], "unknown backend"),
        (["qrels.txt", "bm25.txt", "--backend", "planted:Who"], "cannot be loaded"),
        (["qrels.txt"], "RUN"),
    ],
)
def test_bad_input_is_2(say, words, said):
    out, err, code = say("crosscheck", *words)
    assert (out, code) == ("", 2)
    assert said in err


def test_help_has_an_example(capsys):
    assert main(["crosscheck", "--help"]) == 0
    assert "samescore crosscheck qrels.txt run.txt" in capsys.readouterr().out


def test_options_of_reading_are_those_of_the_other_commands(say, tmp_path):
    (tmp_path / "run.tsv").write_text("Frage\tBeleg\tWert\nq1\td2\t3\nq1\td4\t1\n", encoding="utf-8")
    words = ("--run-format", "tsv", "--run-columns", "query_id=Frage,doc_id=Beleg,score=Wert")
    out, err, code = say("crosscheck", "qrels.txt", "run.tsv", *ASKED, *words)
    assert (err, code) == ("", 0)
    assert "RR" in out
