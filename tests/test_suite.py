"""Several data sets: a table, the mean of means, what is missing, tests within each and across; folders, and the command."""

from __future__ import annotations

import json

import pytest

from samescore import Policy, compare, compare_suite, evaluate
from samescore.cli import main
from samescore.errors import InputError, InputTypeError

QRELS = {f"q{i}": {"d": 1} for i in range(10)}
GOOD = {query: ["d"] for query in QRELS}
BAD = {query: ["x", "d"] for query in QRELS}
MIXED = {query: ["d"] if i % 2 else ["x", "d"] for i, query in enumerate(QRELS)}
RUNS = {"bm25": BAD, "dense": GOOD, "hybrid": MIXED}
SETS = {"one": (RUNS, QRELS), "two": ({"bm25": BAD, "hybrid": GOOD}, QRELS), "three": ({"bm25": MIXED, "dense": MIXED}, QRELS)}


def made(sets=SETS, measures="RR", **options):
    return compare_suite(sets, measures, backend="reference", **options)


def test_a_missing_cell_is_shown_and_not_averaged_away():
    suite = made()
    across = {row.run: row for row in suite.across}
    assert across["bm25"].mean == pytest.approx((0.5 + 0.5 + 0.75) / 3)
    assert (across["dense"].mean, across["dense"].data_sets, across["dense"].shared) == (None, 2, 2)
    assert across["dense"].delta == pytest.approx((0.5 + 0.0) / 2)
    assert [suite.mean("RR", "two", run) for run in ("bm25", "dense", "hybrid")] == [0.5, None, 1.0]
    lines = str(suite).splitlines()
    assert lines[2].split() == ["two", "0.5000", "-", "1.0000*", "10"]
    assert lines[4].split() == ["mean", "of", "means", "0.5833", "-", "-", "-"]
    assert "dense lacks 'two'" in suite.notes
    assert "2 data sets: too few for a test across them, whose p cannot be below 0.5" in suite.notes


def test_within_a_data_set_it_is_compare():
    suite = made(correction="bonferroni", test="permutation")
    theirs = compare(RUNS, QRELS, measures="RR", backend="reference", correction="bonferroni", test="permutation")
    assert suite.comparisons["one"].rows == theirs.rows
    dense = next(row for row in suite.across if row.run == "dense")
    assert (dense.wins, dense.ties, dense.losses, dense.better, dense.worse) == (1, 1, 0, 1, 0)


def test_six_data_sets_can_show_a_difference():
    suite = made({str(i): ({"a": BAD, "b": GOOD if i else MIXED}, QRELS) for i in range(6)})
    row = next(row for row in suite.across if row.run == "b")
    assert row.p == 2 / 2**6
    assert not any("too few" in note for note in suite.notes)


def test_a_data_set_without_the_baseline_is_scored_and_not_compared():
    suite = made({**SETS, "four": ({"dense": GOOD}, QRELS)}, policy=Policy(missing="skip"))
    assert suite.mean("RR", "four", "dense") == 1.0
    assert "one run or no bm25, so that nothing is compared: four" in suite.notes
    assert "four" not in suite.comparisons


def test_where_lower_is_better_a_fall_wins():
    suite = made(measures="Unjudged@1")
    assert next(row for row in suite.across if row.run == "dense").wins == 1


def test_it_is_a_frame_json_and_markdown():
    suite = made(measures=["RR", "nDCG@5"])
    assert len(suite.table) == 2 * 3 * 3
    plain = json.loads(suite.to_json())
    assert plain["across"][0]["run"] == "bm25"
    assert suite.to_markdown().startswith("| RR | bm25 | dense | hybrid | queries |")
    assert r"\begin{tabular}" in suite.to_latex()


@pytest.mark.parametrize(
    ("sets", "options", "error", "said"),
    [
        ({"one": (RUNS, QRELS)}, {}, InputError, "1 data set are no suite"),
        ({}, {}, InputError, "0 data sets"),
        (5, {}, InputTypeError, "data sets are 5"),
        ({"one": RUNS, "two": RUNS}, {}, InputTypeError, "the data set 'one' is"),
        ({"one": (RUNS, QRELS), "two": ({}, QRELS)}, {}, InputError, "there is no run"),
        (SETS, {"baseline": "none"}, InputError, "no data set has the baseline, 'none'"),
        (["nowhere", "elsewhere"], {}, InputError, "there is no such folder"),
        ({"one": (RUNS, QRELS), "two": (RUNS, "nowhere.txt")}, {}, InputError, "nowhere.txt"),
    ],
)
def test_what_is_no_suite_is_refused(sets, options, error, said):
    with pytest.raises(error, match=said):
        made(sets, **options)


@pytest.fixture
def folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / name / "runs").mkdir(parents=True)
        for run, rankings in RUNS.items():
            (tmp_path / name / "runs" / f"{run}.json").write_text(json.dumps(rankings))
    (tmp_path / "one" / "qrels.json").write_text(json.dumps(QRELS))
    (tmp_path / "two" / "qrels").mkdir()
    rows = "".join(f"{query}\td\t1\n" for query in QRELS)
    (tmp_path / "two" / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{rows}")
    (tmp_path / "two" / "corpus.jsonl").write_text('{"_id": "d", "title": "", "text": "x"}\n')
    return tmp_path


def test_folders_are_data_sets_and_beir_s_too(folders):
    suite = made(["one", "two"])
    assert (list(suite.comparisons), suite.runs) == (["one", "two"], ("bm25", "dense", "hybrid"))
    assert suite.mean("RR", "two", "hybrid") == evaluate(MIXED, QRELS, measures="RR", backend="reference")["RR"]
    in_python = compare_suite({name: (RUNS, f"{name}/qrels.json" if name == "one" else name) for name in ("one", "two")}, "RR")
    assert in_python.means == suite.means


def test_runs_may_stand_beside_the_qrels(folders):
    for run in ("bm25", "dense"):
        (folders / "one" / "runs" / f"{run}.json").rename(folders / "one" / f"{run}.json")
    for file in (folders / "one" / "runs").iterdir():
        file.unlink()
    (folders / "one" / "runs").rmdir()
    assert made(["one", "two"]).comparisons["one"].runs == ("bm25", "dense")


def test_a_folder_without_qrels_or_runs_is_refused(folders):
    (folders / "three").mkdir()
    with pytest.raises(InputError, match="one file of qrels is needed, and there is none"):
        made(["one", "three"])
    (folders / "three" / "qrels.txt").write_text("q0 0 d 1\n")
    with pytest.raises(InputError, match="a folder without runs"):
        made(["one", "three"])
    (folders / "three" / "qrels.json").write_text("{}")
    with pytest.raises(InputError, match=r"one file of qrels is needed, and there is 'qrels.json', 'qrels.txt'"):
        made(["one", "three"])


def test_the_command(folders, capsys):
    assert main(["suite", "one", "two", "-m", "RR,nDCG@5", "--baseline", "hybrid", "--format", "json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert (plain["baseline"], plain["measures"]) == ("hybrid", ["RR", "nDCG@5"])
    assert main(["suite", "one", "two", "--digits", "2"]) == 0
    assert "mean of means" in capsys.readouterr().out
    assert main(["suite", "one"]) == 2
