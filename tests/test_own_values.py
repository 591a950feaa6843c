"""Values of one's own beside measures in a comparison, under any name; and queries that are grouped."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from samescore import Result, compare, define, evaluate, interval
from samescore.cli import main
from samescore.errors import FormatError, InputError, InputTypeError, MeasureError
from samescore.tools.own_values import read_own_values

QRELS = {f"q{i}": {"d": 1} for i in range(6)}
BASE = {query: ["x", "d"] for query in QRELS}
BETTER = {**BASE, "q0": ["d"], "q1": ["d"]}
SLOW = {f"q{i}": 0.5 + i / 10 for i in range(6)}
FAST = {query: value / 2 for query, value in SLOW.items()}
FRAMES = {
    "pandas": lambda values: pd.DataFrame({"query_id": list(values), "latency": list(values.values())}),
    "index": lambda values: pd.DataFrame({"latency": list(values.values())}, index=pd.Index(list(values), name="query_id")),
    "polars": lambda values: pl.DataFrame({"qid": list(values), "latency": list(values.values())}),
    "mapping": lambda values: {"latency": values},
}


@pytest.mark.parametrize("form", FRAMES)
def test_values_beside_runs_are_compared_and_lower_can_be_better(form):
    values = {"base": FRAMES[form](SLOW), "better": FRAMES[form](FAST)}
    comparison = compare(
        {"base": BASE, "better": BETTER}, QRELS, measures=["RR", "latency"], values=values, lower_is_better=["latency"],
        backend="reference",
    )  # fmt: skip
    row = comparison.row("better", "latency")
    assert row.mean == pytest.approx(np.mean(list(FAST.values())))
    assert (row.wins, row.losses) == (6, 0)
    assert comparison.row("better", "RR").wins == 2
    assert "latency: lower is better, so that a win is a query for which it fell" in comparison.notes
    assert json.loads(comparison.to_json())["measures"] == ["RR", "latency"]


@pytest.mark.parametrize("form", ["pandas", "index", "polars"])
def test_frames_of_values_stand_for_runs_and_need_no_qrels(form):
    row = compare({"a": FRAMES[form](SLOW), "b": FRAMES[form](FAST)}).row("b")
    assert (row.measure, row.delta) == ("latency", pytest.approx(-np.mean(list(FAST.values()))))


def test_a_mapping_of_values_stands_for_a_run_where_its_name_is_asked_for():
    assert compare({"a": {"latency": SLOW}, "b": {"latency": FAST}}, measures="latency").row("b").losses == 6
    assert compare({"a": {"latency": SLOW}, "b": {"latency": FAST}}, lower_is_better="latency").row("b").wins == 6


def test_without_a_request_all_that_stands_beside_every_run_is_compared():
    values = {"base": {"latency": SLOW, "cost": SLOW}, "better": {"latency": FAST}}
    comparison = compare({"base": BASE, "better": BETTER}, QRELS, values=values, lower_is_better="latency", backend="reference")
    assert comparison.measures == ["R@10", "RR", "nDCG@10", "latency"]
    assert comparison.row("better", "latency").wins == 6


def test_only_values_need_no_qrels_and_no_score():
    values = {"base": {"latency": SLOW}, "better": {"latency": FAST}}
    assert compare({"base": BASE, "better": BETTER}, values=values, measures="latency").measures == ["latency"]


def test_signs_that_no_name_has_are_written_as_underscores():
    frame = pd.DataFrame({"query_id": ["q1", "q2"], "answer relevancy (llm)": [0.1, 0.5]})
    assert compare({"a": frame, "b": frame}).measures == ["answer_relevancy_llm"]


def test_runs_are_never_taken_for_values():
    run, scored = {"q1": {"d": 1.0}}, pd.DataFrame({"query_id": ["q1"], "document": ["d"], "score": [1.0]})
    indexed = pd.DataFrame({"score": [1.0]}, index=pd.Index(["d"], name="docno"))
    repeated = pd.DataFrame({"query_id": ["q1", "q1"], "value of mine": [1.0, 2.0]})
    for source in (run, scored, indexed, repeated):
        with pytest.raises((InputError, InputTypeError), match=r"is a run, and there are no qrels|no column"):
            compare({"a": source, "b": source})


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"measures": ["RR", "latency"]}, MeasureError, "base was brought along without latency|without latency"),
        ({"measures": "latency@5"}, MeasureError, "unknown measure 'latency'"),
        ({"values": {"other": {"latency": SLOW}}}, InputError, "values are of 'other', which is no run"),
        ({"values": [1]}, InputTypeError, "values are"),
        ({"values": {"base": 5}}, InputTypeError, "no values by query|cannot read"),
        ({"values": {"base": {"latency": {"q0": "x"}}}}, InputError, "the value of latency"),
        ({"lower_is_better": 5}, InputTypeError, "lower_is_better is 5"),
        ({"measures": ["latency"], "average": "micro", "values": {n: {"latency": SLOW} for n in ("base", "better")}}, MeasureError,
         "latency has no micro average"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(options, error, said):
    with pytest.raises(error, match=said):
        compare({"base": BASE, "better": BETTER}, QRELS, backend="reference", **options)


def test_a_user_defined_measure_says_that_lower_is_better():
    depth = define("Depth", lambda ranking, doc_ids: float(len(doc_ids)), lower_is_better=True)
    row = compare({"base": BASE, "better": BETTER}, QRELS, measures=[depth], backend="reference").row("better")
    assert (row.delta, row.wins) == (pytest.approx(-2 / 6), 2)


# groups

GROUPS = {"q0": "first", "q1": "first", "q2": "first", "q3": "second", "q4": "second"}


@pytest.mark.parametrize(("how", "first"), [("mean", (1 + 1 + 0.5) / 3), ("min", 0.5)])
def test_several_queries_count_as_one(how, first):
    result = evaluate(BETTER, QRELS, measures=["RR", "Unjudged@1"], backend="reference").group_queries(GROUPS, how)
    assert result.values_of("RR") == pytest.approx({"first": first, "second": 0.5, "q5": 0.5})
    assert result["RR"] == pytest.approx((first + 0.5 + 0.5) / 3)
    assert result.values_of("Unjudged@1")["first"] == (1 / 3 if how == "mean" else 1.0), "the worst is the highest"
    assert (result["queries"], interval(result, "RR").queries) == (3, 3)
    assert f"6 queries in groups, each by its {'worst' if how == 'min' else 'mean'}" in str(result)
    assert Result.from_dict(json.loads(result.to_json())).to_dict() == result.to_dict()


def test_a_group_has_the_label_that_its_queries_share():
    labels = dict.fromkeys(QRELS, "de") | {"q4": "en"}
    result = evaluate(BETTER, QRELS, measures="RR", slices=labels, backend="reference").group_queries(GROUPS)
    assert result.labels.labels == {"slice": {"first": "de", "q5": "de"}}


def test_undefined_values_are_not_part_of_a_group():
    qrels = {**QRELS, "q1": {"d": 0}}
    result = evaluate(BETTER, qrels, measures="RR", backend="reference").group_queries({"q0": "g", "q1": "g", "q2": "g"})
    assert result.values_of("RR")["g"] == (1 + 0.5) / 2


@pytest.mark.parametrize("brought", [True, False])
def test_groups_are_compared(brought):
    runs = {"base": BASE, "better": BETTER}
    if brought:
        runs = {name: evaluate(run, QRELS, measures="RR", backend="reference").per_query for name, run in runs.items()}
    comparison = compare(runs, QRELS, measures="RR", groups=GROUPS, weights={"first": 2, "second": 1, "q5": 1}, backend="reference")
    row = comparison.row("better")
    assert (row.queries, row.wins) == (3, 1)
    assert row.delta == pytest.approx(2 * (2.5 / 3 - 0.5) / 4)


@pytest.mark.parametrize(
    ("groups", "how", "said"),
    [
        ({"zz": "g"}, "mean", "groups names queries that are not judged: 'zz'"),
        ({"q0": "q1"}, "mean", "a group has the id of a query that is in none: 'q1'"),
        (GROUPS, "max", "how cannot be 'max'"),
        (pd.DataFrame({"query_id": ["q0"], "a": ["x"], "b": ["y"]}), "mean", "of 2 kinds"),
        (5, "mean", "slices are of type int"),
    ],
)
def test_groups_that_make_no_sense_are_refused(groups, how, said):
    with pytest.raises(InputError, match=said):
        evaluate(BETTER, QRELS, measures="RR", backend="reference").group_queries(groups, how)
    with pytest.raises(InputError, match="do not count alike"):
        evaluate(BETTER, QRELS, measures="RR", weights=dict.fromkeys(QRELS, 1), backend="reference").group_queries(GROUPS)


# commands


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, content in (("qrels", QRELS), ("base", BASE), ("better", BETTER)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    for name, values in (("slow", SLOW), ("fast", FAST)):
        (tmp_path / f"{name}.csv").write_text("query_id,latency\n" + "".join(f"{q},{v}\n" for q, v in values.items()))
        (tmp_path / f"{name}.json").write_text(json.dumps({"latency": values}))
    (tmp_path / "groups.tsv").write_text("".join(f"{q}\t{group}\n" for q, group in GROUPS.items()))

    def say(*words):
        code = main(list(words))
        return code, capsys.readouterr()

    return say


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_the_command_takes_values_beside_runs(said, ending):
    words = [
        "compare",
        "qrels.json",
        "base.json",
        "better.json",
        "-m",
        "RR,latency",
        "--lower-is-better",
        "latency",
        "--format",
        "json",
    ]
    code, printed = said(*words, "--values", f"base=slow.{ending}", "--values", f"better=fast.{ending}")
    assert code == 0
    rows = {(row["run"], row["measure"]): row for row in json.loads(printed.out)["table"]}
    assert rows["better", "latency"]["wins"] == 6
    code, printed = said(*words, "--values", "nothing")
    assert (code, "names no run and file" in printed.err) == (2, True)
    code, printed = said("compare", "qrels.json", "base.json", "better.json", "-m", "speed")
    assert (code, "without speed" in printed.err) == (2, True)


@pytest.mark.parametrize("how", ["mean", "min"])
def test_the_commands_group_queries(said, how):
    grouping = ["--group-queries", "groups.tsv", "--group-by", how, "--format", "json", "-m", "RR"]
    code, printed = said("evaluate", "qrels.json", "better.json", *grouping)
    expected = evaluate(BETTER, QRELS, measures="RR").group_queries(GROUPS, how)["RR"]
    assert (code, json.loads(printed.out)["measures"]["RR"]["mean"]) == (0, pytest.approx(expected))
    code, printed = said("compare", "qrels.json", "base.json", "better.json", *grouping)
    assert (code, json.loads(printed.out)["table"][1]["mean"]) == (0, pytest.approx(expected))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no header"), ("a,b\n1,2\n", "no header"), ("query_id\nq1\n", "no header"),
        ("query_id,x\nq1,fast\n", "'fast' is no number"),
        ("query_id,x\nq1\n", "1 columns, where the header has 2"), ("query_id,x\nq1,1\nq1,2\n", "two values of x"),
    ],
)  # fmt: skip
def test_files_of_values_that_are_broken_are_refused(tmp_path, text, what):
    (tmp_path / "values.csv").write_text(text)
    with pytest.raises(FormatError, match=what):
        read_own_values(str(tmp_path / "values.csv"))


def test_an_empty_cell_is_no_value(tmp_path):
    (tmp_path / "values.tsv").write_text("qid\tcost\tlatency\nq1\t\t0.5\nq2\t1\t2\n\n")
    assert read_own_values(str(tmp_path / "values.tsv")) == {"cost": {"q2": 1.0}, "latency": {"q1": 0.5, "q2": 2.0}}
