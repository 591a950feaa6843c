"""samescore compare, curve and gate: what the functions of these names say, in several forms."""

from __future__ import annotations

import json

import pytest

from samescore import compare, curve, gate, write_baseline

pytestmark = pytest.mark.usefixtures("files")

RUNS = {"bm25": "bm25.txt", "dense": "dense.txt"}


# compare


def test_runs_are_compared_as_the_function_compares_them(say):
    out, _, code = say("compare", "qrels.txt", "bm25.txt", "dense.txt", "-m", "RR", "-m", "nDCG@3")
    assert (out, code) == (f"{compare(RUNS, 'qrels.txt', measures=['RR', 'nDCG@3'])}\n", 0)


def test_options_of_the_comparison(say, tmp_path):
    (tmp_path / "slices.tsv").write_text("q1\tlong\nq2\tshort\nq4\tshort\n")
    words = [
        "--test",
        "bootstrap",
        "--correction",
        "none",
        "--alpha",
        0.1,
        "--resamples",
        99,
        "--seed",
        3,
        "--slices",
        "slices.tsv",
    ]
    words += ["--baseline", "dense", "-k", 3, "--backend", "reference", "--missing", "skip"]
    out, _, _ = say("compare", "qrels.txt", "bm25.txt", "dense.txt", "--format", "json", *words)
    plain = json.loads(out)
    assert (plain["baseline"], plain["test"], plain["correction"], plain["alpha"]) == ("dense", "bootstrap", None, 0.1)
    assert plain["measures"] == ["R@3", "RR", "nDCG@3"]
    assert {row["slice"] for row in plain["table"]} == {"all", "long", "short"}
    assert "missing:skip" in plain["signatures"]["bm25"]


def test_several_baselines_and_all_pairs(say, tmp_path):
    (tmp_path / "third.txt").write_text((tmp_path / "dense.txt").read_text().replace("d2", "x"))
    words = ["compare", "qrels.txt", "bm25.txt", "dense.txt", "third.txt", "-m", "R@1", "-m", "RR"]
    runs = {**RUNS, "third": "third.txt"}
    for typed, options in (
        (["--pairs", "all", "--test", "tukey"], {"pairs": "all", "test": "tukey"}),
        (["--baseline", "dense", "--baseline", "third"], {"baseline": ["dense", "third"]}),
    ):
        comparison = compare(runs, "qrels.txt", measures=["R@1", "RR"], **options)
        assert say(*words, *typed)[0] == f"{comparison}\n"
        assert say(*words, *typed, "--long", "--percent")[0] == f"{comparison.long().to_text(percent=True)}\n"
        assert json.loads(say(*words, *typed, "--format", "json")[0]) == json.loads(comparison.to_json())
        assert say(*words, *typed, "--format", "latex")[0] == f"{comparison.to_latex()}\n"
        moved = say(*words, *typed, "--biggest", 1)[0].split("\n\n")[0].splitlines()
        assert moved[0].split() == ["measure", "run", "baseline", "query", "before", "value", "delta"]
        assert len(moved) == 1 + len(comparison.biggest(1))
    out, err, code = say(*words, "--pairs", "all", "--baseline", "dense")
    assert (out, code) == ("", 2)
    assert err.endswith("where all pairs are compared no run is the baseline\ntry: leave out --baseline\n")


def test_micro_averages_and_chunks(say, tmp_path):
    (tmp_path / "chunks.txt").write_text("q1 Q0 c1 1 2 t\nq1 Q0 c2 2 1 t\n")
    (tmp_path / "docs.tsv").write_text("c1\td2\nc2\td4\n")
    words = ["-m", "R@5", "--average", "micro", "--doc-of", "docs.tsv", "--format", "json"]
    table = json.loads(say("compare", "qrels.txt", "bm25.txt", "chunks.txt", *words)[0])["table"]
    assert [row["mean"] for row in table] == [(2 + 1) / (3 + 1 + 1), (2 + 0) / (3 + 1 + 1)]


def test_forms_of_a_comparison(say):
    words = ["compare", "qrels.txt", "bm25.txt", "dense.txt", "-m", "RR", "--format"]
    comparison = compare(RUNS, "qrels.txt", measures="RR")
    assert say(*words, "markdown")[0] == f"{comparison.to_markdown()}\n"
    assert say(*words, "latex")[0] == f"{comparison.to_latex()}\n"
    head, *rows = (line.split("\t") for line in say(*words, "tsv")[0].splitlines())
    assert head == list(comparison.table.columns)
    assert [float(row[3]) for row in rows] == [comparison.row("bm25").mean, comparison.row("dense").mean]
    assert rows[0][4] == "-"


def test_a_folder_and_a_pattern_stand_for_their_runs(say, tmp_path):
    (tmp_path / "runs").mkdir()
    for name in ("bm25.txt", "dense.txt"):
        (tmp_path / name).rename(tmp_path / "runs" / name)
    first = say("compare", "qrels.txt", "runs", "-m", "RR")[0]
    assert first.splitlines()[2].split()[:2] == ["RR", "dense"]
    assert say("compare", "qrels.txt", "runs/*.txt", "-m", "RR")[0] == first
    assert say("curve", "qrels.txt", "runs", "-k", 1)[0].splitlines()[0].split() == ["measure", "bm25", "dense"]


def test_chunks_and_micro_averages_of_one_run(say, tmp_path):
    (tmp_path / "chunks.txt").write_text("q1 Q0 c1 1 2 t\nq1 Q0 c2 2 1 t\n")
    (tmp_path / "docs.tsv").write_text("c1\td2\nc2\td4\n")
    words = ["-m", "R@5", "--average", "micro", "--doc-of", "docs.tsv", "--format", "tsv"]
    assert say("evaluate", "qrels.txt", "chunks.txt", *words)[0].splitlines()[0].split("\t") == ["R@5", "all", repr(2 / 5)]


def test_the_queries_that_moved_most_can_be_shown(say):
    out, _, _ = say("compare", "qrels.txt", "bm25.txt", "dense.txt", "-m", "R@1", "--biggest", 1)
    assert [line.split() for line in out.split("\n\n")[0].splitlines()] == [
        ["measure", "run", "query", "bm25", "value", "delta"],
        ["R@1", "dense", "q4", "0.0000", "1.0000", "+1.0000"],
        ["R@1", "dense", "q2", "1.0000", "0.0000", "-1.0000"],
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bm25.txt"], "one run, 'bm25', is no comparison"),
        (["bm25.txt", "dense.txt", "--baseline", "dens"], "no run has the name of the baseline, 'dens'\ntry: dense"),
        (["bm25.txt", "dense.txt", "--slices", "none.tsv"], "none.tsv: there is no such file"),
        (["bm25.txt", "none.txt"], "none.txt: there is no such file"),
    ],
)
def test_what_cannot_be_compared_is_two_lines_and_exit_code_2(say, words, said):
    out, err, code = say("compare", "qrels.txt", *words)
    assert (out, code) == ("", 2)
    assert said in err


# curve


def test_a_curve_is_that_of_the_function(say):
    out, _, code = say("curve", "qrels.txt", "bm25.txt", "dense.txt", "-k", 1, "-k", 4, "--keep", 0.9, "--flat", 0.1)
    assert (out, code) == (f"{curve(RUNS, 'qrels.txt', 'R', [1, 4], keep=0.9, flat=0.1)}\n", 0)


def test_forms_of_a_curve(say):
    words = ["curve", "qrels.txt", "bm25.txt", "-m", "nDCG", "-k", 1, "-k", 4, "--format"]
    made = curve({"bm25": "bm25.txt"}, "qrels.txt", "nDCG", [1, 4])
    assert say(*words, "markdown")[0] == f"{made.to_markdown()}\n"
    assert json.loads(say(*words, "json")[0]) == made.to_dict()
    assert [line.split("\t") for line in say(*words, "tsv")[0].splitlines()] == [
        ["run", "k", "nDCG", "low", "high"],
        *(["bm25", str(k), *map(repr, (made.values["bm25"][i], *made.intervals["bm25"][i]))] for i, k in enumerate((1, 4))),
    ]


def test_a_curve_of_a_measure_at_a_cutoff_is_refused(say):
    assert say("curve", "qrels.txt", "bm25.txt", "-m", "R@5")[1:] == (
        "samescore: error: R@5 has a cutoff already\ntry: R, and -k 5\n",
        2,
    )


# gate


def stored(say):
    return say("gate", "qrels.txt", "bm25.txt", "--baseline", "baseline.json", "-m", "RR", "-m", "R@5", "--write-baseline")


def test_a_baseline_is_written_and_its_means_shown(say, tmp_path):
    out, err, code = stored(say)
    assert (err, code) == ("", 0)
    assert out.endswith("\nwritten to baseline.json\n")
    write_baseline("other.json", "bm25.txt", "qrels.txt", ["RR", "R@5"])
    assert (tmp_path / "baseline.json").read_text() == (tmp_path / "other.json").read_text()


GATE = ["gate", "qrels.txt", "dense.txt", "--baseline", "baseline.json", "-m", "R@5"]


def without_ranks(tmp_path):
    """Let the baseline be as the first release wrote it."""
    plain = json.loads((tmp_path / "baseline.json").read_text())
    del plain["ranks"]
    (tmp_path / "baseline.json").write_text(json.dumps(plain))


@pytest.mark.parametrize(("run", "code"), [("bm25.txt", 0), ("dense.txt", 3)])
def test_the_exit_code_is_3_where_a_measure_fell_and_so_few_queries_do_not_show_it(say, run, code):
    stored(say)
    out, _, got = say("gate", "qrels.txt", run, "--baseline", "baseline.json", "-m", "R@5", "--max-drop", 0)
    assert got == code
    assert out == f"{gate(run, 'qrels.txt', 'baseline.json', 'R@5', max_drop=0).to_markdown()}\n"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 3),
        (["--significant"], 3),
        (["--undecided", "pass"], 0),
        (["--undecided", "fail"], 3),
        (["--max-drop", "90%"], 0),
        (["--max-drop", "recall@5=0.9,0.01"], 0),
        (["--max-drop", "0.9", "--max-drop", "R@5=0.01"], 3),
        (["--min", "R@5=0.99"], 1),
        (["--min", "R@5=0.01,RR=0.01"], 3),
        (["--exclude-queries", "q1", "--exclude-queries", "q2", "--max-drop", "1"], 0),
        (["--average", "macro", "--max-drop", "1"], 0),
        (["--average", "micro"], 2),
        (["--max-drop", "x"], 2),
        (["--min", "0.5"], 2),
        (["--min", "R@5=x"], 2),
        (["--max-drop", "AP=0.1"], 2),
        (["--slices", "labels.tsv", "--max-drop", "1"], 0),
    ],
)
def test_options_of_the_gate(say, tmp_path, options, code):
    (tmp_path / "labels.tsv").write_text("q1\tshort\nq2\tlong\n")
    stored(say)
    assert say(*GATE, *options)[2] == code


def test_a_baseline_is_raised_and_may_be_without_ids(say, tmp_path):
    worse = "q1 Q0 none 1 1 x\nq2 Q0 none 1 1 x\n"
    (tmp_path / "worse.txt").write_text(worse)
    words = ["gate", "qrels.txt", "worse.txt", "--baseline", "low.json", "-m", "RR", "--write-baseline", "--no-ids"]
    assert say(*words)[2] == 0
    assert "ranks" in json.loads((tmp_path / "low.json").read_text())
    assert "raised to this run" not in say("gate", "qrels.txt", "worse.txt", "--baseline", "low.json", "--ratchet")[0]
    (tmp_path / "good.txt").write_text("q1 Q0 d1 1 1 x\nq2 Q0 d1 1 1 x\n")
    before = (tmp_path / "low.json").read_text()
    out, _, code = say("gate", "qrels.txt", "bm25.txt", "--baseline", "low.json", "--ratchet")
    assert code == 0
    assert ("was raised to this run" in out) == ((tmp_path / "low.json").read_text() != before)


def test_a_fall_is_tested_as_it_is_told(say):
    stored(say)
    words = ["gate", "qrels.txt", "dense.txt", "--baseline", "baseline.json", "-m", "R@5", "--format", "json"]
    p = [json.loads(say(*words, "--test", test)[0])["changes"][0]["p"] for test in ("permutation", "tukey", "sign")]
    assert p == [
        gate("dense.txt", "qrels.txt", "baseline.json", "R@5", test=test).changes[0].p
        for test in ("permutation", "permutation", "sign")
    ]
    assert gate("dense.txt", "qrels.txt", "baseline.json", "R@5", test=lambda d: 0.25).changes[0].p == 0.25


def test_forms_of_a_verdict(say):
    stored(say)
    words = ["gate", "qrels.txt", "bm25.txt", "--baseline", "baseline.json", "--format"]
    verdict = gate("bm25.txt", "qrels.txt", "baseline.json")
    assert say(*words, "table")[0] == f"{verdict}\n"
    assert json.loads(say(*words, "json")[0]) == verdict.to_dict()
    rows = [line.split("\t") for line in say(*words, "tsv")[0].splitlines()]
    assert rows[0][:7] == ["measure", "baseline", "now", "change", "p", "queries", "fell"]
    assert rows[0][7:] == ["lost", "slice", "low", "high", "max_drop", "answer", "needed"]
    assert rows[1][0:7:6] == ["RR", "False"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["qrels.txt", "bm25.txt", "--gain", "linear"], "baseline.json: the baseline is of another policy: gain:exponential"),
        (["other.txt", "bm25.txt"], "baseline.json: the baseline is of another golden set"),
        (["qrels.txt", "bm25.txt", "-m", "nDCG@5"], "baseline.json: the baseline lacks nDCG@5"),
        (["qrels.txt", "none.txt"], "none.txt: there is no such file"),
    ],
)
def test_what_is_not_compared_is_two_lines_and_exit_code_2(say, tmp_path, words, said):
    stored(say)
    without_ranks(tmp_path)
    (tmp_path / "other.txt").write_text((tmp_path / "qrels.txt").read_text().replace("d2 3", "d2 2"))
    out, err, code = say("gate", *words, "--baseline", "baseline.json")
    assert (out, code) == ("", 2)
    assert err.startswith(f"samescore: error: {said}")
    assert "\ntry: " in err


def test_a_label_of_null_is_none(say, tmp_path):
    (tmp_path / "labels.json").write_text('{"q1": null, "q2": "x"}')
    out, _, code = say("compare", "qrels.txt", "bm25.txt", "dense.txt", "-m", "RR", "--slices", "labels.json", "--format", "json")
    assert code == 0
    assert {row["slice"] for row in json.loads(out)["table"]} == {"all", "x"}
