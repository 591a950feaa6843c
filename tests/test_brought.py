"""Values brought along to a comparison: results, data frames, the scores of ir_measures and ranx."""

from __future__ import annotations

import json
import math

import pandas as pd
import polars as pl
import pytest

from samescore import Policy, Result, compare, define, evaluate
from samescore.errors import InputError, InputTypeError, MeasureError
from samescore.measures import parse
from samescore.tools.scores import scores_of

RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 1.0}}
QRELS = {"q1": {"d2": 1}, "q2": {"d3": 2}}
POLICY = Policy()
RR = POLICY.resolve(parse("RR"))
VALUES = {"q1": 1 / 2, "q2": 1.0}


def scores(source, judged=(), policy=POLICY):
    found = scores_of(source, policy, judged)
    return None if found is None else found.values


@pytest.mark.parametrize(
    "source",
    [
        {"RR": VALUES},
        {"mrr": VALUES},
        {"RR": {"q1": 1 / 2, "q2": 1.0, "q3": None, "q4": math.nan}},
        pd.DataFrame({"RR": VALUES}),
        pd.DataFrame({"query_id": ["q1", "q2"], "RR": [1 / 2, 1.0]}),
        pd.DataFrame({"query_id": ["q1", "q2"], "measure": ["RR", "RR"], "value": [1 / 2, 1.0]}),
        pl.DataFrame({"query_id": ["q1", "q2", "q3"], "RR": [1 / 2, 1.0, None]}),
        evaluate(RUN, QRELS, measures="RR", backend="reference"),
        evaluate(RUN, QRELS, measures="RR", backend="reference").per_query,
        evaluate(RUN, QRELS, measures="RR", backend="reference").to_dict(),
        json.loads(evaluate(RUN, QRELS, measures="RR", backend="reference").to_json()),
    ],
)
def test_values_come_in_several_forms(source):
    assert scores(source) == {RR: VALUES}


def test_pytrec_eval_s_values_by_query_are_values():
    assert scores({"q1": {"recip_rank": 1 / 2}, "q2": {"recip_rank": 1.0}}, QRELS) == {RR: VALUES}
    assert scores({"q1": {"R": 2.0}}, {"q1": {"R": 1}}) is None  # a judged document has the name of a measure
    assert scores({"q1": {"R": 2.0}, "q2": {"P": 2.0}}) is None


def test_ir_measures_calc_results_and_metrics_are_values():
    ir_measures = pytest.importorskip("ir_measures")
    results = ir_measures.pytrec_eval.evaluator([ir_measures.RR, ir_measures.nDCG @ 10], QRELS).calc(RUN)
    linear = parse("nDCG(dcg='log2')@10")
    expected = {RR: VALUES, linear: {"q1": pytest.approx(1 / math.log2(3)), "q2": 1.0}}
    assert scores(results) == expected
    assert scores(list(results.per_query)) == expected


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_ranx_scores_are_values_with_the_gain_of_ranx():
    ranx = pytest.importorskip("ranx")
    run = ranx.Run(RUN)
    ranx.evaluate(ranx.Qrels(QRELS), run, ["mrr", "ndcg@10", "ndcg_burges@10"])
    linear, exponential = parse("nDCG(dcg='log2')@10"), parse("nDCG(dcg='exp-log2')@10")
    found = scores(run.scores, QRELS)
    assert set(found) == {RR, linear, exponential}
    assert found[RR] == VALUES
    assert scores(dict(run.scores)) == found


@pytest.mark.parametrize(
    ("source", "judged"),
    [
        (RUN, QRELS),
        ({"q1": ["d1"]}, ()),
        ({"map": {"d1": 1.0}, "mrr": {"d2": 1.0}}, {"map", "mrr"}),  # the queries have the names of measures
        (pd.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "score": [1.0]}), QRELS),
        ("run.txt", QRELS),
    ],
)
def test_a_run_is_no_value(source, judged):
    assert scores(source, judged) is None


def test_values_and_runs_are_compared_together():
    comparison = compare({"theirs": {"RR": {"q1": 1.0, "q2": 1.0}}, "ours": RUN}, QRELS, measures="RR", backend="reference")
    assert (comparison.row("ours").mean, comparison.row("ours").delta) == (3 / 4, -1 / 4)
    assert set(comparison.results) == {"ours"}
    assert "theirs: brought along; by which policy is not known" in comparison.notes


def test_without_measures_those_that_all_brought_values_have_are_compared():
    comparison = compare({"a": {"RR": VALUES, "AP": VALUES}, "b": {"P@1": VALUES, "AP": VALUES}})
    assert comparison.measures == ["AP"]
    results = {name: evaluate(RUN, QRELS, k=10, backend="reference") for name in "ab"}
    assert compare(results).measures == ["R@10", "RR", "nDCG@10"]


def test_no_measure_in_common_is_refused():
    with pytest.raises(MeasureError, match=r"no measure in common: RR\(rel=1\); AP\(rel=1\)"):
        compare({"a": {"RR": VALUES}, "b": {"AP": VALUES}})


def test_another_gain_is_another_measure():
    with pytest.raises(MeasureError, match="ranx was brought along without nDCG@10"):
        compare({"ranx": {"ndcg@10": VALUES}, "ours": RUN}, QRELS, measures="nDCG@10", backend="reference")


def test_queries_are_chosen_of_brought_values_too():
    comparison = compare({"a": {"RR": VALUES}, "b": {"RR": VALUES}}, queries=["q1"])
    assert comparison.row("b").queries == 1


def test_a_micro_average_needs_the_counts():
    with pytest.raises(InputError, match="a was brought along without what a micro average divides by"):
        compare({"a": {"R@1": VALUES}, "b": {"R@1": VALUES}}, average="micro")
    results = {name: evaluate(RUN, QRELS, measures="R@1", average="micro", backend="reference") for name in "ab"}
    assert compare(results, average="micro").row("b").p == 1.0


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({"RR": {"q1": "good"}}, "query 'q1': the value of RR"),
        ({"RR": {"q1": math.inf}}, "the value of RR"),
        ({"RR": VALUES, "mrr": VALUES}, "query 'q1': two values of RR"),
        (pd.DataFrame({"RR": [1.0]}), "names no queries"),
        ({"RR": {"q1": 10**400}}, "query 'q1': the value of RR"),
    ],
)
def test_what_is_no_value_is_refused(source, said):
    with pytest.raises(InputError, match=said):
        scores(source)


def test_a_column_that_is_no_measure_is_of_one_s_own_and_a_measure_that_is_written_wrongly_is_refused():
    own = scores(pd.DataFrame({"RR": [1.0], "difficulty": [3]}, index=["q1"]))
    assert list(map(str, own)) == ["RR(rel=1)", "difficulty"]
    with pytest.raises(MeasureError, match="unknown measure 'nDGC@10'"):
        scores(pd.DataFrame({"RR": [1.0], "nDGC@10": [3]}, index=["q1"]))


# Result.from_dict


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"measures": ["nDCG@10", "P(rel=2)@5"], "policy": Policy(gain="linear", depth=5, relevance_level=2)},
        {"slices": {"q1": "a", "q2": "b"}},
        {"measures": ["R@1", "P"], "average": "micro", "slices": {"q1": "a"}},
        {"measures": ["R(rel=2)@5"]},
        {"queries": ["q2"]},
        {"measures": ["RR", define("Half", lambda ranking: 0.5)]},
    ],
)
def test_a_result_comes_back_from_its_plain_values(options):
    result = evaluate({**RUN, "zz": ["d"]}, {**QRELS, "q9": {"x": 1}, "q8": {}}, backend="reference", **options)
    for repeat in (Result.from_dict(result.to_dict()), Result.from_dict(json.loads(result.to_json()))):
        assert repeat.to_json() == result.to_json()
        assert str(repeat) == str(result)
        assert repeat == result
        assert repeat.report == result.report
        pd.testing.assert_frame_equal(repeat.per_query, result.per_query)
        pd.testing.assert_frame_equal(repeat.slices, result.slices)


def test_what_ties_change_comes_back_too():
    result = evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": 1}}, measures="RR", backend="reference", tie_changes=True)
    repeat = Result.from_dict(json.loads(result.to_json()))
    assert repeat.report.tie_changes == result.report.tie_changes == ("q",)
    assert repeat.to_json() == result.to_json()
    assert str(repeat) == str(result)
    plain = result.to_dict()
    del plain["report"]["tie_changes"]
    assert Result.from_dict(plain).report.tie_changes is None


@pytest.mark.parametrize("plain", [{}, {"samescore": "0.1.0"}, {"policy": {}, "measures": {}, "per_query": 5}, [], None])
def test_what_is_no_result_is_refused(plain):
    with pytest.raises(InputError, match="not a result"):
        Result.from_dict(plain)


@pytest.mark.parametrize("value", [-5, 1e300, "q1", True, [5], {"q1": "x"}, {"q1": [5]}], ids=str)
def test_a_result_whose_report_holds_no_ids_and_counts_is_refused(value):
    result = evaluate({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, measures="RR", tie_changes=True, backend="reference")
    for name in result.to_dict()["report"]:
        if (name == "largest_grade" and value in (-5, 1e300)) or (name == "distances" and value is True):
            continue  # of the type that it has
        plain = result.to_dict()
        plain["report"][name] = value
        with pytest.raises(InputError, match="not a result"):
            Result.from_dict(plain)


@pytest.mark.parametrize("column", [[0.5, 1.0], 0.5, None])
def test_values_that_name_no_queries_are_refused(column):
    with pytest.raises(InputTypeError, match="name no queries"):
        scores({"RR": column})
