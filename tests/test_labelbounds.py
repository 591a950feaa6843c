"""Label bounds: no way of judging what is unjudged leads outside, and both ends can be reached."""

from __future__ import annotations

from itertools import product
from math import log2

import pytest
from hypothesis import given, strategies as st
from strategies import tries

from samescore import Policy, evaluate, label_bounds
from samescore.errors import GradeError

pytestmark = pytest.mark.filterwarnings("ignore:no document of the run is judged")

TRUE_BOUNDS = [
    "P@2",
    "P",
    "Success@1",
    "Success@2",
    "RR",
    "RR@2",
    "DCG",
    "DCG@3",
    "P(rel=2)@2",
    "RBP(p=0.8)",
    "RBP(p=0.8,max_rel=2)",
]
DOCS = st.sampled_from("abcde")


def bounds(run, qrels, measures, grade=1, **options):
    table = label_bounds(run, qrels, measures, grade=grade, backend="reference", **options)
    return {name: (row["value"], row["low"], row["high"]) for name, row in table.iterrows()}


def test_the_bounds_are_those_of_the_definitions():
    # Ranking u1 r u2 with r relevant, u1 and u2 unjudged.
    found = bounds({"q": ["u1", "r", "u2"]}, {"q": {"r": 1, "n": 0}}, ["P@2", "RR", "Success@1", "DCG@3", "P"], grade=2)
    assert found == {
        "P@2": (1 / 2, 1 / 2, 2 / 2),
        "RR": (1 / 2, 1 / 2, 1 / 1),
        "Success@1": (0, 0, 1),
        "DCG@3": pytest.approx((1 / log2(3), 1 / log2(3), 3 / log2(2) + 1 / log2(3) + 3 / log2(4))),
        "P": (1 / 3, 1 / 3, 3 / 3),
    }


def test_other_measures_are_a_scenario_in_which_r_and_the_ideal_grow():
    # Both u and r relevant: R is 2 and the ideal has two documents; AP@3 = (1/1 + 2/2) / 2; recall at 1 falls.
    found = bounds({"q": ["r", "u"]}, {"q": {"r": 1}}, ["R@1", "R@2", "AP", "nDCG@2"])
    assert found == {"R@1": (1, 1, 1), "R@2": (1, 1, 2 / 2), "AP": (1, 1, (1 / 1 + 2 / 2) / 2), "nDCG@2": (1, 1, 1)}
    assert bounds({"q": ["r", "u"]}, {"q": {"r": 1}}, ["R@2", "Rprec"])["Rprec"] == (1, 1, 1)
    deeper = bounds({"q": ["r", "n", "u"]}, {"q": {"r": 1, "n": 0}}, ["AP"])
    assert deeper == {"AP": (1, 1, pytest.approx((1 / 1 + 2 / 3) / 2))}


def test_the_table_says_which_is_which():
    table = label_bounds({"q": ["r", "u"]}, {"q": {"r": 1}}, ["P@2", "nDCG@2"], grade=1, backend="reference")
    assert table["kind"].to_dict() == {"P@2": "bounds", "nDCG@2": "scenario"}
    assert table["queries"].tolist() == [1, 1]
    assert table["unjudged"].tolist() == [1, 1]


def test_documents_below_the_cutoff_are_not_counted():
    table = label_bounds({"q": ["r", "u", "v"]}, {"q": {"r": 1}}, ["R@1", "R@2", "AP"], grade=1, backend="reference")
    assert table["unjudged"].to_dict() == {"R@1": 0, "R@2": 1, "AP": 2}


def test_a_grade_below_the_threshold_moves_nothing():
    assert bounds({"q": ["u"]}, {"q": {"r": 2}}, ["P(rel=2)@1"], grade=1) == {"P(rel=2)@1": (0, 0, 0)}
    assert bounds({"q": ["u"]}, {"q": {"r": 2}}, ["P(rel=2)@1"], grade=2) == {"P(rel=2)@1": (0, 0, 1)}


def test_the_averaged_queries_stay_those_of_today():
    run, qrels = {"q1": ["u"], "q2": ["u"], "q3": ["u"]}, {"q1": {"r": 1}, "q2": {}}
    assert bounds(run, qrels, "P@1") == {"P@1": (0, 0, 1)}  # q2 has nothing relevant, q3 is not judged
    assert bounds(run, qrels, "P@1", policy=Policy(empty="zero")) == {"P@1": (0, 0, (1 + 1) / 2)}
    assert bounds(run, qrels, "P@1", policy=Policy(empty="one")) == {"P@1": (1 / 2, 0, 1)}


def test_chunks_count_as_their_documents_once_each():
    found = bounds({"q": ["u#1", "u#2", "r#1"]}, {"q": {"r": 1}}, ["P@2", "RR"], doc_of=lambda chunk: chunk[0])
    assert found == {"P@2": (1 / 2, 1 / 2, 2 / 2), "RR": (1 / 2, 1 / 2, 1)}


def test_a_missing_query_cannot_gain():
    assert bounds({"q1": ["u"]}, {"q1": {"r": 1}, "q2": {"r": 1}}, "P@1") == {"P@1": (0, 0, (1 + 0) / 2)}


def test_a_row_for_each_query_can_be_had():
    table = label_bounds(
        {"q1": ["u"], "q2": ["r"]}, {"q1": {"r"}, "q2": {"r"}}, "P@1", grade=1, backend="reference", per_query=True
    )
    assert table.values.tolist() == [["q1", "P@1", 0, 0, 1], ["q2", "P@1", 1, 1, 1]]


POLICIES = [
    Policy(empty=empty, unjudged=unjudged, negatives=negatives)
    for empty, unjudged, negatives in product(["skip", "zero", "one"], ["nonrelevant", "drop"], ["nonrelevant", "unjudged"])
]


@tries(30)
@given(
    ranking=st.lists(DOCS, min_size=1, max_size=4),
    judged=st.dictionaries(DOCS, st.integers(-1, 2), max_size=3),
    policy=st.sampled_from(POLICIES),
)
def test_every_judgement_of_the_unjudged_stays_within(ranking, judged, policy):
    run, qrels = {"q": ranking}, {"q": judged}
    found = bounds(run, qrels, TRUE_BOUNDS, grade=2, policy=policy)
    judgements = {doc: grade for doc, grade in judged.items() if grade >= 0 or policy.negatives == "nonrelevant"}
    open_docs = [doc for doc in "abcde" if doc not in judgements]
    averaged = label_bounds(run, qrels, TRUE_BOUNDS, grade=2, backend="reference", policy=policy)["queries"]
    ways = [dict(zip(open_docs, grades, strict=True)) for grades in product([0, 1, 2], repeat=len(open_docs))]
    full = {str(i): {**judgements, **way} for i, way in enumerate(ways)}
    values = evaluate(dict.fromkeys(full, ranking), full, measures=TRUE_BOUNDS, backend="reference", policy=policy).per_query
    for measure, (value, low, high) in found.items():
        assert low <= value <= high
        if averaged[measure]:
            reached = values[measure].dropna()
            assert reached.between(low - 1e-12, high + 1e-12).all()
            if policy.empty == "zero":  # one way of judging gives each end
                assert (reached.min(), reached.max()) == (pytest.approx(low), pytest.approx(high))


@tries(40)
@given(ranking=st.lists(DOCS, min_size=1, max_size=4, unique=True), judged=st.dictionaries(DOCS, st.integers(0, 2), min_size=1))
def test_both_ends_are_reached(ranking, judged):
    run, open_docs = {"q": ranking}, [doc for doc in ranking if doc not in judged]
    if not any(judged.values()):
        return
    found = bounds(run, {"q": judged}, ["P@2", "RR", "DCG@3"], grade=2)
    for measure, (_, low, high) in found.items():
        none, every = ({"q": {**judged, **dict.fromkeys(open_docs, grade)}} for grade in (0, 2))
        assert low == evaluate(run, none, measures=measure, backend="reference")[measure]
        assert high == evaluate(run, every, measures=measure, backend="reference")[measure]


@pytest.mark.parametrize("grade", [0, -1, float("nan"), "1", None])
def test_a_grade_that_is_not_above_0_is_refused(grade):
    with pytest.raises(GradeError, match="grade"):
        label_bounds({"q": ["u"]}, {"q": {"r": 1}}, "P@1", grade=grade)


def test_no_query_is_no_bounds():
    assert bounds({}, {}, ["P@1", "nDCG@1"]) == {"P@1": (0, 0, 0), "nDCG@1": (0, 0, 0)}
