"""Judgements of several people: put together, and how far they agree, against formulas and scipy."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from samescore import agreement, evaluate, fingerprint, merge_qrels, read_qrels
from samescore.cli import main
from samescore.errors import InputError, InputTypeError
from samescore.tools.labels import kappa

ANN = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}, "empty": {}}
BEN = {"q1": {"a": 1, "b": 0, "x": 3}, "q3": {"e": 0}}
CAT = {"q1": {"a": 1, "c": 0}}


@pytest.mark.parametrize(
    ("how", "a", "c"), [("last", 1, 0), ("max", 2, 1), ("mean", 4 / 3, 0.5)]
)  # fmt: skip
def test_grades_that_differ_become_one(how, a, c):
    merged = merge_qrels(ANN, BEN, CAT, on_conflict=how)
    assert merged.grades == {"q1": {"a": a, "b": 0, "c": c, "x": 3}, "q2": {"d": 1}, "empty": {}, "q3": {"e": 0}}
    assert list(merged.grades["q1"]) == ["a", "b", "c", "x"]


def test_the_majority_counts_and_a_tie_of_votes_is_refused():
    assert merge_qrels(ANN, BEN, {"q1": {"a": 1}}, on_conflict="majority").grades["q1"]["a"] == 1
    with pytest.raises(InputError, match="query 'q1', document 'c': grades that differ: 1, 0"):
        merge_qrels(ANN, BEN, CAT, on_conflict="majority")


def test_a_mean_that_is_whole_stays_whole():
    merged = merge_qrels({"q": {"a": 1}}, {"q": {"a": 3}}, on_conflict="mean")
    assert (merged.grades, type(merged.grades["q"]["a"])) == ({"q": {"a": 2}}, int)


def test_conflicts_are_refused_by_default_and_what_agrees_is_not():
    with pytest.raises(InputError, match="query 'q1', document 'a': grades that differ: 2, 1"):
        merge_qrels(ANN, BEN)
    assert fingerprint(merge_qrels(ANN, ANN)) == fingerprint(ANN)


def test_a_document_that_one_judges_twice_is_a_conflict_too():
    twice = read_qrels([{"query_id": "q", "doc_id": "a", "relevance": grade} for grade in (1, 0)])
    with pytest.raises(InputError, match="grades that differ: 1, 0"):
        merge_qrels(twice, {"q": {"b": 1}})
    assert merge_qrels(twice, {"q": {"a": 0}}, on_conflict="majority").grades == {"q": {"a": 0}}


@pytest.mark.parametrize(
    ("qrels", "options", "said"),
    [
        ((ANN,), {}, "1 judgements are not merged"),
        ((), {}, "0 judgements are not merged"),
        ((ANN, BEN), {"on_conflict": "min"}, "on_conflict cannot be 'min'"),
        ((ANN, BEN), {"on_conflict": []}, "on_conflict cannot be"),
    ],
)
def test_what_cannot_be_merged_is_refused(qrels, options, said):
    with pytest.raises(InputError, match=said):
        merge_qrels(*qrels, **options)


def test_subtopics_are_not_merged(tmp_path):
    (tmp_path / "diverse.txt").write_text("q1 1 a 1\nq1 2 a 1\nq1 2 b 1\n")
    with pytest.raises(InputError, match="holds judgements of subtopics"):
        merge_qrels(tmp_path / "diverse.txt", ANN)


# agreement


def test_kappa_of_published_tables():
    """Cohen (1960), table 2: p observed .29 + .07 + .04... as counts of a hundred; and Fleiss, Levin and Paik (2003), 18.1."""
    assert kappa({(1, 1): 20, (1, 0): 5, (0, 1): 10, (0, 0): 15}) == pytest.approx(0.4)
    fleiss = {(1, 1): 75, (1, 2): 1, (1, 3): 4, (2, 1): 5, (2, 2): 4, (2, 3): 1, (3, 1): 0, (3, 2): 0, (3, 3): 10}
    assert kappa(fleiss) == pytest.approx(0.6765, abs=1e-4)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60), st.booleans())
def test_kappa_is_one_less_disagreement_over_chance(rows, weighted):
    counts = {pair: rows.count(pair) for pair in rows}
    n = len(rows)

    def apart(a, b):
        return abs(a - b) if weighted else float(a != b)

    observed = sum(apart(a, b) for a, b in rows) / n
    chance = sum(apart(a, b) for a, _ in rows for _, b in rows) / n**2
    made = kappa(counts, weighted=weighted)
    assert math.isnan(made) if not chance else made == pytest.approx(1 - observed / chance)


RUNS = {
    "one": {"q1": ["a", "b", "c"], "q2": ["x", "d"]},
    "two": {"q1": ["b", "c", "a"], "q2": ["d"]},
    "three": {"q1": ["c", "x"], "q2": ["y", "z", "d"]},
}


def test_counts_confusion_means_and_tau():
    found = agreement(ANN, {"ben": BEN, "cat": CAT}, runs=RUNS, measures=["nDCG@3", "RR"], backend="reference")
    ben, cat = found.pairs
    assert (ben.both, ben.first_only, ben.other_only, ben.same, ben.share) == (2, 2, 2, 1, 0.5)
    assert ben.confusion == {(0, 0): 1, (2, 1): 1}
    assert cat.confusion == {(1, 0): 1, (2, 1): 1}
    ours = {n: evaluate(run, ANN, measures="nDCG@3", backend="reference")["nDCG@3"] for n, run in RUNS.items()}
    assert found.means["nDCG@3"]["first"] == ours
    theirs = [evaluate(run, BEN, measures="nDCG@3", backend="reference")["nDCG@3"] for run in RUNS.values()]
    assert ben.tau["nDCG@3"] == pytest.approx(stats.kendalltau(list(ours.values()), theirs).statistic)
    assert json.loads(found.to_json())["pairs"][0]["confusion"] == [[0, 0, 1], [2, 1, 1]]
    assert found.to_tsv().splitlines()[1] == "ben\t0\t0\t1"


def test_nothing_in_common_is_said():
    found = agreement(ANN, {"q9": {"z": 1}})
    assert (found.pairs[0].name, found.pairs[0].both, math.isnan(found.pairs[0].kappa)) == ("other", 0, True)
    assert "1 other with nothing that both judge: 'other'" in str(found)


@pytest.mark.parametrize("other", [{"q1": {"a": 1}}, {"q1": {"a", "b"}}, {"q1": ["a"]}])
def test_one_other_needs_no_name(other):
    assert [pair.name for pair in agreement(ANN, other).pairs] == ["other"]


def test_what_is_no_judgement_is_refused():
    with pytest.raises(InputTypeError, match="others are named first"):
        agreement(ANN, {"first": BEN})
    with pytest.raises((InputError, InputTypeError)):
        agreement(ANN, {"ben": 5})


def test_one_run_has_no_tau():
    found = agreement(ANN, BEN, runs={"one": RUNS["one"]}, measures="RR", backend="reference")
    assert math.isnan(found.pairs[0].tau["RR"])
    assert "one run has no tau" in str(found)


def test_the_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, content in (("ann", ANN), ("ben", BEN), ("one", RUNS["one"]), ("two", RUNS["two"])):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    assert main(["merge_qrels", "ann.json", "ben.json", "--on-conflict", "max", "-o", "merged.json"]) == 0
    assert read_qrels("merged.json").grades == merge_qrels(ANN, BEN, on_conflict="max").grades
    assert main(["merge_qrels", "ann.json", "ben.json", "-o", "merged.json"]) == 2
    assert "grades that differ: 2, 1" in capsys.readouterr().err
    assert main(["merge_qrels", "ann.json", "ben.json", "--on-conflict", "max", "-o", "ann.json"]) == 2
    assert read_qrels("ann.json").grades == ANN, "an input is not overwritten"
    capsys.readouterr()
    words = ["agreement", "ann.json", "ben.json", "--run", "one.json", "--run", "two.json", "-m", "RR", "--format", "json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["pairs"][0]["name"], sorted(found["means"]["RR"]["ben"])) == ("ben", ["one", "two"])
    assert np.isclose(found["pairs"][0]["share"], 0.5)
