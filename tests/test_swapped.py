"""Run and qrels in each other's place: refused by type, by names of columns, and by shape where nothing speaks for the order."""

from __future__ import annotations

import json
import random
import warnings

import ir_measures
import pandas as pd
import pytest
import ranx

from samescore import Policy, compare, crosscheck, curve, evaluate, explain, read_qrels, read_run, validate, write_baseline
from samescore.errors import InputTypeError, MismatchError, SamescoreWarning
from samescore.readers import open_qrels, open_run

QRELS = {"t1": {"b": 1, "a": 0}, "t2": {"c": 2}}
RUN = {"t1": {"a": 0.9, "b": 0.7}, "t2": {"x": 0.4, "c": 0.3}}
ROWS = [("t1", "a", 0.9), ("t1", "b", 0.7)]
LINEAR = {"measures": "nDCG@10", "backend": "reference", "policy": Policy(gain="linear")}


def frame(number, values=(1, 0), **more):
    return pd.DataFrame({"query_id": ["t1", "t1"], "doc_id": ["b", "a"], number: values, **more})


@pytest.mark.parametrize(
    "run",
    [
        read_qrels(QRELS),
        ranx.Qrels(QRELS),
        [ir_measures.Qrel("t1", "b", 1)],
        frame("relevance"),
        frame("Grade"),
        [{"query_id": "t1", "doc_id": "b", "label": 1}],
    ],
    ids=["read", "ranx", "rows", "relevance", "grade", "records"],
)
def test_qrels_in_the_place_of_the_run_are_refused_by_what_they_are(run):
    with pytest.raises(InputTypeError, match=r"given as the run\ntry: evaluate\(run, qrels\); are run and qrels swapped\?"):
        evaluate(run, RUN)


@pytest.mark.parametrize(
    "qrels",
    [
        read_run(RUN),
        ranx.Run(RUN),
        [ir_measures.ScoredDoc("t1", "b", 1.0)],
        frame("score", (0.9, 0.7), rank=[1, 2]),
        frame("rank", (1, 2)),
        frame("distance", (0.1, 0.2)),
    ],
    ids=["read", "ranx", "rows", "score and rank", "rank", "distance"],
)
def test_a_run_in_the_place_of_the_qrels_is_refused_by_what_it_is(qrels):
    with pytest.raises(InputTypeError, match=r"given as the qrels\ntry: evaluate\(run, qrels\); are run and qrels swapped\?"):
        evaluate(RUN, qrels)


def test_a_column_of_scores_alone_is_one_of_grades_as_beir_has_it_and_what_columns_say_is_not_doubted():
    assert open_qrels(frame("score")).grades == {"t1": {"b": 1, "a": 0}}
    assert open_qrels(frame("score", rank=[1, 2]), columns={"relevance": "score"}).grades == {"t1": {"b": 1, "a": 0}}
    assert open_run(frame("relevance"), columns={"score": "relevance"}).rows == 2


SWAPPED = [
    (QRELS, RUN),
    ({"q": {"a": 1, "b": 1}}, {"q": {"a": 2.5, "b": 1.0, "c": 0.25}}),
    ({"q": {"a": 5, "b": -2}}, {"q": {"a": 12.25, "b": 12.25, "c": 0.0}}),
]


@pytest.mark.parametrize(("run", "qrels"), SWAPPED)
def test_run_and_qrels_that_look_swapped_are_refused_in_the_call_that_reads_them(run, qrels, tmp_path):
    calls = [
        lambda: evaluate(run, qrels),
        lambda: compare({"one": run, "two": run}, qrels),
        lambda: curve({"one": run}, qrels),
        lambda: write_baseline(tmp_path / "b.json", run, qrels),
        lambda: explain(run, qrels, "RR", Policy(), Policy.trec_eval()),
        lambda: validate(run, qrels, {"RR": 1.0}),
        lambda: crosscheck(run, qrels),
    ]
    for call in calls:
        with pytest.raises(MismatchError, match="look swapped"):
            call()


@pytest.mark.parametrize(("run", "qrels"), SWAPPED)
def test_what_read_run_or_read_qrels_was_called_for_is_not_taken_to_be_swapped(run, qrels):
    for one in ((read_run(run), qrels), (run, read_qrels(qrels)), (read_run(run), read_qrels(qrels))):
        assert evaluate(*one, **LINEAR)["queries"] == len(qrels)


@pytest.mark.parametrize(
    ("run", "qrels"),
    [
        ({"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 2.0, "d": 1.0}}, {"q1": {"a": 0.9, "b": 0.2}, "q2": {"c": 0.35, "d": 0.1}}),
        ({"q": {"a": 1, "b": 0}}, {"q": {"a": 0.0, "b": 0.5, "c": 1.0}}),
        ({"q": {"a": 3, "b": 1}}, {"q": {"a": 100, "b": 0, "c": 50}}),
        ({"q": {"a": 14.2, "b": 13.1}}, {"q": {"b": 0.7, "a": 0.0}}),
        ({"q": ["a", "b"]}, {"q": {"a": 0.7, "b": 0.3}}),
        ({"q": {"a": 1, "b": 1}}, {"q": {"a": 0.5}, "p": {"a": 0.5}}),
        ({"q": {"a": 1, "b": 1}}, {"q": {"a": 0.5}}),
        ({"q": {"a": 7, "b": 7}}, {"q": {"a": 0.5, "b": 0.25}}),
        ({}, {"q": {"a": 0.5}}),
        ({"q": {}}, {"q": {"a": 0.5}}),
        ({"q": {"a": 1, "b": 1}}, {}),
    ],
    ids=[
        "votes",
        "0 and 1",
        "percents",
        "fractions",
        "a list",
        "a grade twice",
        "one grade",
        "large",
        "no query",
        "no row",
        "no grade",
    ],
)
def test_what_is_not_beyond_doubt_is_read_without_a_word(run, qrels):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "no document of the run is judged|no query is averaged|the run is empty")
        evaluate(run, qrels, **LINEAR)


def test_what_is_probably_swapped_is_warned_of():
    many = {f"q{i}": {f"d{j}": round(1 / (1 + i + 30 * j), 4) for j in range(10)} for i in range(30)}
    one_each = {query: {"d3": 1} for query in ("q1", "q2")}
    for run, qrels in [
        ({query: {"d1": 1, "d2": 0} for query in many}, many),
        (one_each, {query: dict(list(many[query].items())[:5]) for query in one_each}),
    ]:
        with pytest.warns(SamescoreWarning, match=r"look swapped.*read_run\(run\) and read_qrels\(qrels\) first"):
            evaluate(run, qrels, **LINEAR)


def test_ordinary_runs_and_qrels_are_read_without_a_word(fuzz):
    scores = [
        lambda rng: rng.random(),
        lambda rng: rng.choice([0, 1]),
        lambda rng: rng.randint(0, 4),
        lambda rng: round(rng.gauss(0, 5), 3),
    ]
    grades = [
        lambda rng: rng.choice([0, 1]),
        lambda rng: rng.choice([0, 1, 2, 3]),
        lambda rng: rng.choice([0.0, 0.5, 1.0]),
        lambda rng: rng.randint(0, 5) / 5,
        lambda rng: rng.randint(0, 100) / 100,
        lambda rng: rng.randint(0, 100),
        lambda rng: 1,
    ]

    def check(rng: random.Random) -> None:
        score, grade = rng.choice(scores), rng.choice(grades)
        n = rng.choice([5, 20, 50])
        run = {f"q{i}": {f"d{j}": score(rng) for j in rng.sample(range(30), rng.choice([3, 10, 20]))} for i in range(n)}
        qrels = {f"q{i}": {f"d{j}": grade(rng) for j in range(rng.choice([3, 10, 30]))} for i in range(n)}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            evaluate(run, qrels, **LINEAR)

    fuzz(300, check)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.json").write_text(json.dumps(QRELS))
    (tmp_path / "run.json").write_text(json.dumps(RUN))


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        (["evaluate", "run.json", "gold.json"], "samescore evaluate QRELS RUN"),
        (["evaluate", "run.json", "gold.json", "--run-format", "json"], "samescore evaluate QRELS RUN"),
        (["compare", "run.json", "gold.json", "a=gold.json", "-m", "RR"], "samescore compare QRELS RUN"),
        (["diagnose", "run.json", "gold.json", "gold.json"], "samescore diagnose QRELS CANDIDATES FINAL"),
        (["unjudged", "run.json", "gold.json"], "samescore unjudged QRELS RUN"),
        (["export", "run.json", "gold.json", "folder"], "samescore export QRELS RUN FOLDER"),
    ],
)
def test_a_command_names_both_files_and_the_order_of_its_arguments(say, files, words, typed):
    _, err, code = say(*words)
    assert code == 2
    assert "look swapped (gold.json was given as the run, run.json as the qrels)" in err
    assert f"try: {typed}; where this order is right, --run-format and --qrels-format for both" in err


def test_a_command_warns_in_its_own_words_of_what_is_probably_swapped(say, files, tmp_path):
    (tmp_path / "gold.json").write_text(json.dumps({"q1": {"a": 1}, "q2": {"b": 1}}))
    (tmp_path / "run.json").write_text(json.dumps({f"q{i}": {doc: 0.5 / i + n for n, doc in enumerate("ab", 1)} for i in (1, 2)}))
    _, err, code = say("evaluate", "run.json", "gold.json", "--gain", "linear", "--backend", "reference")
    assert code == 0
    assert "samescore: warning: run and qrels look swapped (gold.json was given as the run, run.json as the qrels)" in err
    assert "where this order is right, --run-format and --qrels-format for both" in err


def test_a_command_that_is_told_both_formats_reads_the_files_in_their_order(say, files):
    given = ["--run-format", "json", "--qrels-format", "json", "--gain", "linear", "--backend", "reference"]
    assert say("evaluate", "run.json", "gold.json", *given)[2] == 0
    assert say("evaluate", "gold.json", "run.json")[2] == 0
