"""tie_bounds equal the lowest, the mean and the highest value over every order of tied documents."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError
from itertools import permutations, product

import pytest
from hypothesis import given, strategies as st

from samescore import Policy, TieBounds, evaluate, tie_bounds
from samescore.errors import GapError, InputTypeError, PolicyError

MEASURES = (
    "P@3", "P", "R@3", "R", "R_cap@3", "F1@3", "F1", "Success@2", "Success", "Rprec", "RR", "RR@3", "AP", "AP@4",
    "AP(norm='min')@3", "DCG@3", "DCG", "nDCG@3", "nDCG", "nDCG(gains={1:3,2:1,3:2})@2", "RBP(rel=1)",
    "RBP(p=0.5,rel=2)@3", "RBP(max_rel=3)", "P(rel=2)@2",
)  # fmt: skip
CONDENSED = ("nDCG(judged_only=True)@2", "AP(judged_only=True)", "P(judged_only=True)@2")
POLICIES = (
    Policy(),
    Policy(gain="linear", relevance_level=2, empty="zero"),
    Policy(depth=2),
    Policy(depth=4, empty="one"),
    Policy(unjudged="drop"),
    Policy(unjudged="drop", negatives="unjudged"),
)


def by_brute_force(run, qrels, measures, policy):
    """The lowest, mean and highest value of one query over all orders of its tied documents."""
    groups = {}
    for doc, score in run.items():
        groups.setdefault(score, []).append(doc)
    orders = product(*(list(permutations(groups[score])) for score in sorted(groups, reverse=True)))
    rows = []
    for order in orders:
        ranking = [doc for group in order for doc in group]
        rows.append(
            list(evaluate({"q": ranking}, {"q": qrels}, measures=measures, policy=policy, backend="reference").means.values())
        )
    columns = list(zip(*rows, strict=True))
    return [min(c) for c in columns], [math.fsum(c) / len(c) for c in columns], [max(c) for c in columns]


@given(
    st.lists(st.integers(0, 2), min_size=1, max_size=6),
    st.lists(st.sampled_from([None, -1, 0, 1, 2, 3]), min_size=8, max_size=8),
    st.sampled_from(POLICIES),
)
@pytest.mark.filterwarnings("ignore:no document of the run is judged")
def test_bounds_equal_brute_force(scores, grades, policy):
    run = {f"d{i}": float(score) for i, score in enumerate(scores)}
    qrels = {f"d{i}": grade for i, grade in enumerate(grades) if grade is not None}
    measures = [*MEASURES, *(CONDENSED if policy.depth is None else ())]
    table = tie_bounds({"q": run}, {"q": qrels}, measures, policy=policy).table
    for bound, values in zip(("lowest", "expected", "highest"), by_brute_force(run, qrels, measures, policy), strict=True):
        assert table[bound].tolist() == pytest.approx(values, abs=1e-12)


def test_two_documents_in_a_tie_by_hand():
    table = tie_bounds({"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, {"q": {"b": 1}}, ["RR", "P@1", "nDCG"]).table
    assert table.loc["RR"].tolist()[:3] == pytest.approx([1 / 3, (1 + 1 / 2 + 1 / 3) / 3, 1])
    assert table.loc["P@1"].tolist()[:3] == pytest.approx([0, 1 / 3, 1])
    assert table.loc["nDCG"].tolist()[:3] == pytest.approx([1 / 2, (1 + 1 / math.log2(3) + 1 / 2) / 3, 1])


RUN = {"tied": {"a": 1.0, "b": 1.0}, "alike": {"a": 1.0, "b": 1.0}, "free": {"a": 2.0, "b": 1.0}, "unjudged": {"a": 1.0}}
QRELS = {"tied": {"a": 1}, "alike": {"a": 1, "b": 1}, "free": {"b": 1}, "missing": {"a": 1}, "empty": {"a": 0}}


def test_means_are_taken_over_the_queries_of_the_policy_and_value_is_that_of_evaluate():
    found = tie_bounds(RUN, QRELS, ["RR", "AP"])
    assert found.table.loc["RR"].tolist() == pytest.approx(
        [(1 / 2 + 1 + 1 / 2) / 4, (3 / 4 + 1 + 1 / 2) / 4, (1 + 1 + 1 / 2) / 4, 0.5, 1]
    )
    means = evaluate(RUN, QRELS, measures=["RR", "AP"], backend="reference").means
    assert found.table["value"].to_dict() == pytest.approx(means)


def test_queries_that_no_order_changes_are_not_counted():
    found = tie_bounds(RUN, QRELS, ["RR", "R"])
    assert found.table["changed"].to_dict() == {"RR": 1, "R": 0}
    assert found.changed(found.measures[0]) == ("tied",)
    assert str(found).endswith("the order of tied documents changes some measure for 1 of 4 queries")


def test_each_query_that_is_averaged_has_a_row_for_each_measure():
    rows = tie_bounds(RUN, QRELS, ["RR"], policy=Policy(missing="skip")).per_query.set_index("query_id")
    assert rows.loc["tied", ["lowest", "expected", "highest", "value"]].tolist() == [0.5, 0.75, 1.0, 0.5]
    assert rows.index.tolist() == ["tied", "alike", "free"]


def test_a_list_has_an_order_and_no_ties():
    found = tie_bounds({"q": ["a", "b"]}, {"q": {"b": 1}}, "RR")
    assert found.table.loc["RR"].tolist() == [0.5, 0.5, 0.5, 0.5, 0]


def test_bounds_hold_what_some_order_gives():
    found = tie_bounds(RUN, QRELS, "RR")
    measure = found.measures[0]
    assert found.holds(measure, "tied", 0.75)
    assert not found.holds(measure, "tied", 0.4)
    assert not found.holds(measure, "free", 0.75)
    assert not found.holds(measure, "nobody", 0.0)
    assert found.holds(measure, None, 0.6249, 0.0005)
    assert not found.holds(measure, None, 0.7)


@pytest.mark.parametrize("measure", ["Bpref", "ERR@5", "Judged@5", "IPrec@0.5"])
def test_a_measure_without_a_closed_form_is_a_gap(measure):
    with pytest.raises(GapError, match="no closed form"):
        tie_bounds(RUN, QRELS, measure)


@pytest.mark.parametrize(
    ("run", "policy", "words"),
    [
        ({"q": [("a", 1.0), ("a", 0.5)]}, Policy(duplicates="each"), "count each document once"),
        ({"q": [("a", 1.0), ("b", 1.0), ("a", 0.5)]}, Policy(duplicates="hold"), "beside ties"),
        ({"q": {"a": 1.0, "b": 1.0}}, Policy(depth=1, unjudged="drop"), "cut and then condensed"),
        ({"q": {"a": 1.0, "b": 1.0}}, Policy(ties="error"), "are tied"),
    ],
)
def test_a_policy_without_bounds_is_refused(run, policy, words):
    with pytest.raises(PolicyError, match=words):
        tie_bounds(run, {"q": {"a": 1}}, "RR", policy=policy)


def test_bounds_are_a_value():
    found = tie_bounds(RUN, QRELS, "RR")
    assert isinstance(found, TieBounds)
    assert json.loads(found.to_json()) == found.to_dict()
    assert found.to_markdown().splitlines()[0] == "| measure | lowest | expected | highest | value | queries changed |"
    with pytest.raises(FrozenInstanceError):
        found.policy = Policy()


# What the report of a result says of ties.


def test_the_report_names_the_queries_for_which_the_order_of_ties_changes_a_measure():
    result = evaluate(RUN, QRELS, measures=["RR", "R"], backend="reference", tie_changes=True)
    assert set(result.report.tied) == {"tied", "alike"}
    assert result.report.tie_changes == ("tied",)
    assert "1 query for which another order of tied documents changes some measure: 'tied'" in str(result)
    assert json.loads(result.to_json())["report"]["tie_changes"] == ["tied"]


def test_what_ties_change_is_computed_where_it_is_asked_for_and_never_by_printing():
    result = evaluate(RUN, QRELS, measures=["RR", "R"], backend="reference")
    assert result.report.tie_changes is None
    assert "another order" not in f"{result}{result.to_markdown()}{result.to_html()}"
    assert json.loads(result.to_json())["report"]["tie_changes"] is None
    with pytest.raises(InputTypeError, match=r"tie_changes is 'input'.*\n.*tie_changes=True"):
        evaluate(RUN, QRELS, measures="RR", tie_changes="input")


def test_the_measures_that_are_asked_decide_what_the_report_says_of_ties():
    assert evaluate(RUN, QRELS, measures="R", backend="reference", tie_changes=True).report.tie_changes == ()
    assert evaluate({"q": ["a", "b"]}, {"q": {"b": 1}}, backend="reference", tie_changes=True).report.tie_changes == ()


def test_queries_that_are_not_averaged_are_not_named():
    assert evaluate(RUN, QRELS, measures="RR", backend="reference", queries=["free"], tie_changes=True).report.tie_changes == ()


@pytest.mark.parametrize(
    ("policy", "changed"), [(Policy(depth=1), ("q",)), (Policy(unjudged="drop"), ()), (Policy(depth=5), ("q",))]
)
def test_a_depth_and_condensation_count_in_what_ties_change(policy, changed):
    run, qrels = {"q": {"a": 1.0, "x": 1.0}}, {"q": {"a": 1}}
    assert evaluate(run, qrels, measures="RR", policy=policy, backend="reference", tie_changes=True).report.tie_changes == changed


def test_a_tie_of_all_documents_of_a_long_ranking_has_the_values_of_a_random_order():
    n, relevant = 20_000, 10_000
    run, qrels = {"q": {f"d{i}": 1.0 for i in range(n)}}, {"q": {f"d{i}": i % 2 for i in range(n)}}
    table = tie_bounds(run, qrels, ["RR", "Success@2", "P@10"]).table["expected"]
    none_above = [1.0]
    for i in range(n - relevant):
        none_above.append(none_above[-1] * (n - relevant - i) / (n - i))
    assert table["RR"] == pytest.approx(sum(p * relevant / (n - i) / (i + 1) for i, p in enumerate(none_above)))
    assert table["Success@2"] == pytest.approx(1 - 10_000 * 9_999 / (20_000 * 19_999))
    assert table["P@10"] == pytest.approx(1 / 2)
