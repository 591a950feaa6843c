"""explain: from one policy to another clause by clause, and from reported numbers to the policies that give them."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import FrozenInstanceError
from itertools import chain

import pytest

from samescore import Explanation, Policy, Search, evaluate, explain
from samescore.errors import GradeError, InputError, MeasureError, PolicyError
from samescore.tools.explain.grid import CLAUSES_OF, TRIED

RUN = {
    "q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0},
    "q2": {"d1": 1.0, "d2": 1.0, "d4": 0.5},
    "empty": {"d1": 1.0},
    "only the run": {"d1": 1.0},
}
QRELS = {"q1": {"d1": 1, "d2": 3, "d3": -1}, "q2": {"d1": 2, "d2": 0}, "missing": {"d9": 2}, "too": {"d9": 1}, "empty": {"d1": 0}}
DEFAULT, TREC_EVAL, LINEAR = Policy(), Policy.trec_eval(), Policy(gain="linear")

Q1_EXPONENTIAL = (1 + 7 / math.log2(3)) / (7 + 1 / math.log2(3))
Q1_LINEAR = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
Q2 = 1 / math.log2(3)  # d1 and d2 are tied, and d2 stands first by its id


def walked(a=DEFAULT, b=TREC_EVAL, measure="nDCG@10", run=RUN, qrels=QRELS):
    return explain(run, qrels, measure, a, b, backend="reference")


def searched(reported, run=RUN, qrels=QRELS, **options):
    return explain(run, qrels, reported=reported, **options)


def test_a_walk_has_a_row_for_the_start_and_for_each_clause_that_differs():
    table = walked().table
    assert table["clause"].tolist() == ["start", "negatives", "duplicates", "gain", "missing", "empty"]
    assert table["from"].tolist()[1:] == ["nonrelevant", "first", "exponential", "zero", "skip"]
    assert table["to"].tolist()[1:] == ["unjudged", "error", "linear", "skip", "zero"]


def test_each_step_has_its_mean_and_the_number_of_queries():
    table = walked().table.set_index("clause")
    exponential, linear = Q1_EXPONENTIAL + Q2, Q1_LINEAR + Q2
    assert table["mean"].tolist() == pytest.approx([exponential / 4] * 3 + [linear / 4, linear / 2, linear / 3])
    assert table["queries"].tolist() == [4, 4, 4, 4, 2, 3]


def test_the_table_adds_up():
    found = walked()
    assert found.start + found.table["change"].sum() == pytest.approx(found.end)
    ends = [
        evaluate(RUN, QRELS, measures="nDCG@10", policy=p, backend="reference")["nDCG@10"] for p in (Policy(), Policy.trec_eval())
    ]
    assert [found.start, found.end] == pytest.approx(ends)


def test_the_queries_that_a_clause_moves_are_named_with_their_values():
    moves = walked().moves
    rows = {(clause, query): (before, after) for clause, query, before, after, _ in moves.itertuples(index=False)}
    assert set(rows) == {("gain", "q1"), ("missing", "missing"), ("missing", "too"), ("empty", "empty")}
    assert rows["gain", "q1"] == pytest.approx((Q1_EXPONENTIAL, Q1_LINEAR))
    assert rows["missing", "missing"] == pytest.approx((0, math.nan), nan_ok=True)
    assert rows["empty", "empty"] == pytest.approx((math.nan, 0), nan_ok=True)
    assert moves.set_index("query_id").loc["q1", "change"] == pytest.approx(Q1_LINEAR - Q1_EXPONENTIAL)


def test_the_queries_that_move_most_come_first():
    run = {"q1": ["d1", "d2"], "q2": ["d1", "d2", "d3"]}
    qrels = {"q1": {"d1": 1, "d2": 2}, "q2": {"d2": 1, "d3": 4}}
    moves = walked(b=LINEAR, run=run, qrels=qrels).moves
    assert moves["change"].abs().is_monotonic_decreasing
    assert len(moves) == 2


def test_a_walk_between_equal_policies_has_no_step():
    found = walked(b=Policy())
    assert (found.steps, found.start, found.table["clause"].tolist()) == ((), found.end, ["start"])


def test_a_clause_that_refuses_the_run_stays_as_it_was_and_says_why():
    run = {"q1": ["d1", "d2", "d1"]}
    found = walked(run=run, qrels={"q1": {"d2": 3, "d1": 1}})
    step = next(step for step in found.steps if step.clause == "duplicates")
    assert (step.change, step.moves) == (0.0, ())
    assert step.refused == "'error' refuses this: query 'q1', document 'd1': retrieved twice"
    assert "duplicates stays 'first'" in str(found)
    assert found.end == evaluate(run, {"q1": {"d2": 3, "d1": 1}}, measures="ndcg_cut_10", backend="reference")["ndcg_cut_10"]


def test_where_the_first_policy_refuses_there_is_no_walk():
    with pytest.raises(PolicyError, match="tied"):
        walked(a=Policy(ties="error"))


def test_an_explanation_prints_its_table_and_the_queries_that_moved():
    text = str(walked())
    assert text.splitlines()[0] == "nDCG@10 from Policy() to Policy.trec_eval()"
    assert f"gain moves 1 query: 'q1' {Q1_EXPONENTIAL:.4f} -> {Q1_LINEAR:.4f}" in text
    assert "missing moves 2 queries: 'missing' 0.0000 -> left out" in text
    assert walked().to_markdown().splitlines()[2] == "| clause | from | to | change | mean | queries | moved |"


def test_an_explanation_is_a_value():
    found = walked()
    assert isinstance(found, Explanation)
    with pytest.raises(FrozenInstanceError):
        found.start = 1.0
    plain = json.loads(found.to_json())
    assert plain == found.to_dict()
    assert [step["clause"] for step in plain["steps"]] == ["negatives", "duplicates", "gain", "missing", "empty"]
    assert plain["steps"][2]["moves"] == {"q1": pytest.approx([Q1_EXPONENTIAL, Q1_LINEAR])}


def test_queries_limit_a_walk_and_a_search():
    found = explain(RUN, QRELS, "nDCG@10", backend="reference", queries=["q1"])
    assert found.start == pytest.approx(Q1_EXPONENTIAL)
    assert searched({"nDCG@10": f"{Q1_LINEAR:.4f}"}, queries=["q1"]).readings[0].policy == LINEAR
    with pytest.raises(InputError, match="nobody"):
        searched({"nDCG@10": 0.5}, queries=["nobody"])


def test_a_conflict_in_a_query_that_is_left_out_does_not_disturb_a_search():
    qrels = {"q1": {"d1": 1, "d2": 3}, "q2": [("d1", 1), ("d1", 2)]}
    found = searched({"nDCG@10": f"{Q1_LINEAR:.4f}"}, qrels=qrels, queries=["q1"], a=Policy(conflicts="max"))
    assert found.readings[0].policy == LINEAR.but(conflicts="max")


# From reported numbers to policies.


def test_the_gain_is_found_and_said_as_a_sentence():
    run, qrels = {"q": ["d1", "d2"]}, {"q": {"d1": 1, "d2": 2}}
    linear = (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))
    found = searched({"nDCG@10": f"{linear:.4f}", "AP": "1.0000"}, run, qrels)
    assert found.sentences[0].startswith("all 2 values are those of linear gain (samescore: 2^grade - 1)")
    assert found.readings[0].policy == LINEAR
    assert found.readings[0].means == pytest.approx({"nDCG@10": linear, "AP": 1.0})


def test_numbers_of_the_default_policy_are_samescore_s_own():
    found = searched(evaluate(RUN, QRELS, measures=["nDCG@10", "AP"], backend="reference").means)
    assert found.readings[0].policy == Policy()
    assert found.sentences[0].startswith("all 2 values are those of samescore itself")


def test_a_preset_is_named():
    found = searched(evaluate(RUN, QRELS, measures=["nDCG@10", "AP"], policy=Policy.trec_eval(), backend="reference").means)
    assert "as with Policy.trec_eval()" in found.sentences[0]


def test_what_makes_no_difference_is_said():
    run = {"q": {"d1": 3.0, "d2": 2.0, "x": 1.0, "y": 1.0}}
    found = searched({"nDCG@10": f"{Q1_LINEAR:.4f}"}, run, {"q": {"d1": 1, "d2": 3}})
    assert "1 query with tied documents" in found.sentences[0].split("; ")[1]
    assert found.sentences[0].endswith("do not matter")


def test_the_search_starts_from_the_policy_given():
    found = searched({"nDCG@10": f"{(Q1_EXPONENTIAL + Q2) / 4:.6f}"}, a=Policy.trec_eval())
    assert "2^grade - 1 gain (Policy.trec_eval(): linear)" in found.sentences[0]


CLAUSES = [
    {"ties": "doc_id_ascending"},
    {"ties": "input"},
    {"duplicates": "last"},
    {"duplicates": "each"},
    {"empty": "zero"},
    {"empty": "one"},
    {"missing": "skip"},
    {"gain": "linear"},
    {"negatives": "unjudged", "unjudged": "drop"},
    {"unjudged": "drop"},
    {"conflicts": "last"},
    {"relevance_level": 2},
    {"depth": 3},
    {"self_hits": "drop"},
    {"float32_scores": True},
]


@pytest.mark.parametrize("clauses", CLAUSES, ids=str)
def test_each_clause_is_found_where_it_alone_differs(clauses):
    pair = [("x", 1.0), ("a", 1 + 1e-9)]
    run = {
        "tie": [("c", 2.0), ("a", 2.0), ("b", 2.0), ("d", 1.0)],
        "twice": [("x", 9.0), ("a", 8.0), ("b", 7.0), ("a", 6.0), ("c", 5.0)],
        "own": [("own", 3.0), ("a", 2.0), ("b", 1.0)],
        "near": pair,
        "long": [(f"u{i}", 90.0 - i) for i in range(4)] + [("a", 2.0), ("n", 1.0), ("b", 0.0)],
        "torn": [("a", 2.0), ("b", 1.0)],
        "empty": [("a", 1.0)],
    }
    qrels = {
        "tie": [("b", 3), ("a", 1)],
        "twice": [("a", 2), ("c", 1)],
        "own": [("b", 2), ("a", 1)],
        "near": [("a", 1)],
        "long": [("a", 1), ("n", -1), ("b", 3)],
        "torn": [("a", 1), ("b", 2), ("a", 0)],
        "empty": [("a", 0)],
        "missing": [("a", 2)],
        "too": [("a", 2)],
    }
    truth = Policy(conflicts="max").but(**clauses)
    result = evaluate(run, qrels, measures=["nDCG@5", "AP", "RR", "P@3"], policy=truth, backend="reference")
    found = searched({name: f"{value:.6f}" for name, value in result.means.items()}, run, qrels, a=Policy(conflicts="max"))
    assert found.readings[0].policy == truth


def test_capped_recall_and_average_precision_over_the_cutoff_are_found():
    run, qrels = {"q": ["a", "x", "b", "y"]}, {"q": {"a", "b", "c", "d", "e"}}
    found = searched({"R@3": "0.6667", "AP@3": f"{(1 + 2 / 3) / 3:.4f}"}, run, qrels)
    assert found.readings[0].policy == Policy()
    assert found.readings[0].others == {"recall": "min(k, R)", "average_precision": "min(k, R)", "averaged": "all"}
    recall = "recall divided by min(k, R), as BEIR's capped recall (samescore: R)"
    assert f"{recall} and AP divided by min(k, R), as sentence-transformers and recommenders (samescore: R)" in found.sentences[0]


def test_a_mean_over_all_queries_of_the_run_is_found():
    run = {"q1": ["a"], "q2": ["a"], "x": ["a"], "y": ["a"]}
    found = searched({"RR": "0.5000"}, run, {"q1": {"a"}, "q2": {"a"}})
    assert found.readings[0].others["unjudged_run_queries"] == "zero"
    assert found.readings[0].others["strangers"] == found.readings[0].to_dict()["strangers"] == "zero", "its former name"
    assert "unjudged queries of the run counted as 0 (samescore: left out)" in found.sentences[0]


def test_values_of_queries_are_taken_where_there_are_any():
    per_query = {"nDCG@10": {"q1": f"{Q1_LINEAR:.4f}", "q2": f"{Q2:.4f}"}}
    found = searched(per_query)
    assert found.values == 2
    assert {reading.policy.gain for reading in found.readings} == {"linear"}
    left_out = searched({"nDCG@10": {"missing": 0.0, "q1": Q1_EXPONENTIAL}})
    assert {reading.policy.missing for reading in left_out.readings} == {"zero"}


def test_it_says_how_many_of_the_policies_tried_agree():
    found = searched({"RR": {"q1": "1.00"}})
    assert 0 < found.agree < found.tried or found.agree == found.tried
    assert found.agree == sum(reading.alike for reading in found.readings)
    assert str(found).splitlines()[0].startswith(f"1 value reported, {found.tried:,} policies tried: {found.agree:,} agree")


def test_readings_differ_for_some_query():
    found = searched({"RR": "0.5"})
    looks = [
        evaluate(RUN, QRELS, measures="RR", policy=reading.policy, backend="reference").per_query["RR"].to_dict()
        for reading in found.readings
        if reading.others.get("unjudged_run_queries") != "zero" and reading.others.get("averaged") != "hits"
    ]
    assert all(looks.count(look) == 1 for look in looks)


def test_where_none_agrees_it_says_how_near_the_nearest_came():
    found = searched({"nDCG@10": f"{(Q1_EXPONENTIAL + Q2) / 4:.4f}", "RR": "0.9000", "P@1": "0.2500"})
    assert (found.agree, found.readings) == (0, ())
    assert found.nearest.agreeing == 2
    assert found.distance == pytest.approx(0.9 - (1 + 0.5) / 4)
    assert "none gives them all; the nearest gives 2 of 3, and is off by at most" in str(found)
    assert found.sentences == (found.nearest.sentence,)


def test_a_search_is_a_value_with_a_table():
    found = searched({"nDCG@10": f"{(Q1_LINEAR + Q2) / 4:.4f}"})
    assert isinstance(found, Search)
    assert found.table["policy"].tolist()[0] == "Policy(gain='linear')"
    assert found.table["alike"].sum() == found.agree
    assert json.loads(found.to_json()) == found.to_dict()
    assert "- the value is that of linear gain" in found.to_markdown()
    with pytest.raises(FrozenInstanceError):
        found.agree = 3


def test_an_explicit_gain_or_threshold_is_not_searched_over():
    found = searched({"nDCG(dcg='log2')@10": f"{(Q1_LINEAR + Q2) / 4:.4f}"})
    assert all("gain" not in sentence for sentence in found.sentences)


def test_run_and_qrels_are_left_as_they_were():
    run, qrels = json.loads(json.dumps(RUN)), json.loads(json.dumps(QRELS))
    searched({"nDCG@10": 0.5}, run, qrels)
    walked(run=run, qrels=qrels)
    assert (run, qrels) == (RUN, QRELS)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({}, MeasureError, "one of measure and reported"),
        ({"measure": "RR", "reported": {"RR": 1.0}}, MeasureError, "one of measure and reported"),
        ({"reported": {}}, InputError, "nothing is reported"),
        ({"reported": {"magic@10": 0.5}}, MeasureError, "none of the measures reported can be searched for"),
        ({"reported": {"RR": "high"}}, InputError, "RR: the reported value 'high' is not a number"),
        ({"reported": {"RR": 0.5}, "tool": "mars"}, InputError, "unknown tool 'mars'"),
    ],
)
def test_what_cannot_be_explained_is_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        explain(RUN, QRELS, **arguments)


def test_grades_that_overflow_are_refused_and_can_be_searched_for_with_linear_gain():
    run, qrels = {"q": ["a"]}, {"q": {"a": 2000}}
    with pytest.raises(GradeError, match="overflows"):
        searched({"nDCG@10": 1.0}, run, qrels)
    assert searched({"nDCG@10": 1.0}, run, qrels, a=LINEAR).agree > 0


def test_a_negative_grade_that_is_given_last_is_unjudged_where_the_policy_says_so():
    run, qrels = {"q": ["a", "b", "c"]}, {"q": [("a", 0), ("c", 1), ("a", -1)]}
    truth = Policy(conflicts="last", negatives="unjudged", unjudged="drop")
    value = evaluate(run, qrels, measures="RR", policy=truth, backend="reference")["RR"]
    found = searched({"RR": value}, run, qrels)
    assert value == 1.0
    assert truth in [reading.policy for reading in found.readings]


def test_without_a_judged_query_there_is_nothing_to_search():
    with pytest.raises(InputError, match="no query is judged"):
        searched({"RR": 0.0}, {}, {})


def test_a_run_without_any_answer_can_be_searched():
    found = searched({"RR": "0.00"}, {}, {"q": {"a": 1}})
    assert (found.tried, found.agree) == (2 * 3 * 2 * 2, 22)  # missing, empty, level and averaged; empty='one' gives 1


@pytest.mark.parametrize(
    ("reported", "where"), [({"RR": 46.75}, "RR is reported as 46.75"), ({"RR": {"q": -0.5}}, "query 'q': RR is reported as -0.5")]
)
def test_a_value_that_no_policy_can_give_is_refused(reported, where):
    with pytest.raises(InputError, match=f"{where}, and its values are from 0 to 1"):
        explain({"q": ["a"]}, {"q": {"a": 1}}, reported=reported)


def test_a_value_above_1_is_searched_for_where_a_document_is_repeated():
    run = {"q": [("a", 2.0), ("a", 1.0)]}
    search = explain(run, {"q": {"a": 1}}, reported={"R@10": "2.0"})
    assert {reading.policy.duplicates for reading in search.readings} == {"each"}


def test_names_that_are_not_searched_for_are_told():
    search = explain({"q": ["a"]}, {"q": {"a": 1}}, reported={"RR": 1.0, "gm_map": 0.5, "foo": 0.5})
    assert search.left_out == ("gm_map", "foo")
    assert "not searched for: 'gm_map', 'foo'" in str(search)
    assert "not searched for: 'gm_map', 'foo'" in search.to_markdown()


def test_a_query_that_is_not_judged_is_never_near():
    search = explain({"q": ["a"]}, {"q": {"a": 1}}, reported={"RR": {"q": 1.0, "unknown": 0.5}})
    assert (search.agree, search.nearest.agreeing, search.distance) == (0, 1, 1.0)


def test_a_depth_of_one_reads_well():
    search = explain({"q": ["a", "b"]}, {"q": {"b": 1, "a": 0}}, reported={"RR": 0})
    assert search.sentences[0].startswith("the value is that of rankings cut at rank 1 (samescore: uncut)")


def test_a_relevance_level_that_no_grade_reaches_is_found_where_nothing_simpler_gives_the_values():
    run, qrels = {"q": ["a", "b"]}, {"q": {"a": 1, "b": 1}}
    search = explain(run, qrels, reported={"P@1": 0, "nDCG@2": 1})
    assert search.readings[0].policy == Policy(relevance_level=2)
    assert "without a relevant document" not in search.sentences[0]


def test_every_clause_is_tried_as_one_kind():
    assert Counter(chain.from_iterable(CLAUSES_OF.values())) == Counter(TRIED.keys())


@pytest.mark.parametrize(
    ("tool", "name"), [("beir", "NDCG@2"), ("ranx", "ndcg@2"), ("ir_measures", "nDCG@2"), ("trec_eval", "ndcg_cut_2")]
)
def test_a_search_of_a_tool_s_number_starts_from_its_policy(tool, name):
    run, qrels = {"q1": {"a": 2, "b": 1}}, {"q1": {"a": 1, "b": 2}}
    linear, exponential = (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)), (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    found = explain(run, qrels, reported={name: f"{linear:.5f}"}, tool=tool)
    assert found.sentences[0].startswith(f"the value is that of Policy.{tool}() itself")
    found = explain(run, qrels, reported={name: f"{exponential:.5f}"}, tool=tool)
    assert found.sentences[0].startswith(f"the value is that of 2^grade - 1 gain (Policy.{tool}(): linear)")


def test_neighbours_are_tried_where_nothing_else_gives_the_number():
    qrels = {f"q{i}": {f"d{j}": j % 3 for j in range(40)} for i in range(6)}
    run = {query: [f"d{(7 * j + i) % 40}" for j in range(40)] for i, query in enumerate(qrels)}
    at_15 = evaluate(run, qrels, measures="P@15", backend="reference")["P@15"]
    found = explain(run, qrels, reported={"P@10": f"{at_15:.6f}"})
    assert "the measure at another cutoff, 15 (samescore: as named)" in found.sentences[0]
    graded = evaluate(run, qrels, measures="RBP(max_rel=2)", backend="reference")["RBP(max_rel=2)"]
    assert "RBP of grades up to 2" in explain(run, qrels, reported={"RBP": f"{graded:.6f}"}).sentences[0]
    one_more = evaluate(run, qrels, measures="RR", backend="reference")["RR"] * 6 / 7
    assert (
        "over one query more, as where a header row counts as one"
        in explain(run, qrels, reported={"RR": f"{one_more:.6f}"}).sentences[0]
    )


def test_what_changes_what_is_printed_is_not_said_not_to_matter_where_nothing_agrees():
    run, qrels = {"q1": {"a": 1.0, "b": 1.0}}, {"q1": {"a": 1}}
    found = explain(run, qrels, reported={"RR": "0.7500"})
    assert "none gives them all; the nearest gives 0 of 1" in str(found)
    assert "tied" not in found.sentences[0], "the order of ties makes RR 1 or 0.5"


def test_a_policy_that_gives_half_of_the_values_is_the_nearest():
    found = searched({"RR": "0.3750", "P@1": "0.9000"})
    assert (found.nearest.agreeing, "1 of 2 values is that of" in found.nearest.sentence) == (1, True)


def test_trec_eval_s_interpolated_precision_is_not_searched_for():
    """Versions 9 and 10 print other values of it, and nothing in the output tells which one it is."""
    run, qrels = {"q1": ["a", "x", "b"]}, {"q1": {"a": 1, "b": 1, "c": 1}}
    value = evaluate(run, qrels, measures="AP", policy=Policy.trec_eval(), backend="reference")["AP"]
    reported = {"map": f"{value:.4f}", "iprec_at_recall_0.30": "0.1234", "11pt_avg": "0.1234"}
    found = explain(run, qrels, reported=reported, tool="trec_eval")
    assert found.sentences[0].startswith("the value is that of Policy.trec_eval() itself")
    assert found.left_out == ("iprec_at_recall_0.30", "11pt_avg")
    with pytest.raises(MeasureError, match="none of the measures reported can be searched for"):
        explain(run, qrels, reported={"iprec_at_recall_0.30": "0.5"}, tool="trec_eval")
