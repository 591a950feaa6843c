"""Micro averages: the ratio of sums over all queries, where a measure is a ratio of counts."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

from samescore import evaluate, interval
from samescore.averaging import DENOMINATORS
from samescore.errors import MeasureError, SamescoreWarning
from samescore.intervals import linearised
from samescore.measures import example, parse

# q1 finds 1 of 1, q2 2 of 4, q3 is missing.
RUN = {"q1": ["a", "x"], "q2": ["x", "b", "c", "y", "z"]}
QRELS = {"q1": {"a": 1}, "q2": {"b": 1, "c": 2, "d": 1, "e": 1}, "q3": {"f": 1}}


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("R@10", (1 + 2 + 0) / (1 + 4 + 1)),
        ("R(rel=2)@10", 1 / 1),
        ("P", (1 + 2 + 0) / (2 + 5 + 0)),
        ("P@2", (1 + 1 + 0) / (2 + 2 + 2)),
        ("Success@1", 1 / 3),
        ("Rprec", (1 + 2 + 0) / (1 + 4 + 1)),
        ("P(judged_only=True)", (1 + 2) / (1 + 2)),
        ("SetR", (1 + 2 + 0) / (1 + 4 + 1)),
        ("SetP", (1 + 2 + 0) / (2 + 5 + 0)),
        ("SetP(relative=True)", (1 + 2 + 0) / (1 + 4 + 0)),
        ("SetF", 2 * (1 + 2 + 0) / ((2 + 1) + (5 + 4) + (0 + 1))),
        ("SetF(beta=4)", (4 + 1) * (1 + 2 + 0) / ((2 + 4 * 1) + (5 + 4 * 4) + (0 + 4 * 1))),
        ("F1@2", 2 * (1 + 1 + 0) / ((2 + 1) + (2 + 4) + (2 + 1))),
        ("R_cap@2", (1 + 1 + 0) / (1 + 2 + 1)),
        ("Judged@2", (1 + 1 + 0) / (2 + 2 + 0)),
        ("Unjudged@2", (1 + 1 + 0) / (2 + 2 + 2)),
    ],
)
def test_it_is_the_ratio_of_the_sums(measure, expected):
    result = evaluate(RUN, QRELS, measures=measure, average="micro", backend="reference")
    assert result[measure] == pytest.approx(expected)
    assert result.average == "micro"


def test_per_query_values_are_those_of_the_macro_average():
    micro, macro = (evaluate(RUN, QRELS, measures="R@10", average=a, backend="reference") for a in ("micro", "macro"))
    assert micro.per_query.equals(macro.per_query)


@given(st.data())
def test_where_a_query_is_alone_it_is_its_value(data):
    measure = data.draw(
        st.sampled_from([*map(example, DENOMINATORS), parse("R@2"), parse("P@2"), parse("F1@3"), parse("SetF(beta=2)")])
    )
    docs = "abcde"
    qrels = {"q": data.draw(st.dictionaries(st.sampled_from(docs), st.integers(0, 2), min_size=1)) | {"z": 1}}
    run = {"q": data.draw(st.lists(st.sampled_from(docs), unique=True, min_size=1))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamescoreWarning)
        micro, macro = (evaluate(run, qrels, measures=measure, average=a, backend="reference") for a in ("micro", "macro"))
    assert micro[measure] == pytest.approx(macro[measure])


@pytest.mark.parametrize("measure", ["nDCG@10", "RR", "AP", "Hits@5", "NumRet"])
def test_a_measure_that_is_no_ratio_of_counts_is_refused(measure):
    with pytest.raises(MeasureError, match=f"{measure} has no micro average"):
        evaluate(RUN, QRELS, measures=measure, average="micro", backend="reference")


def test_another_average_is_refused():
    with pytest.raises(MeasureError, match="average cannot be 'mean'"):
        evaluate(RUN, QRELS, measures="R@1", average="mean", backend="reference")


def test_the_result_says_so():
    result = evaluate(RUN, QRELS, measures="R@10", average="micro", backend="reference")
    assert result.signature.endswith("queries:3 (micro average)")
    assert "micro average: the ratio of sums over all queries" in str(result)


def test_slices_are_averaged_so_too():
    slices = {"q1": "a", "q2": "a", "q3": "b"}
    result = evaluate(RUN, QRELS, measures="R@10", average="micro", slices=slices, backend="reference")
    assert {row.slice: row.mean for row in result.slice_rows()} == {"all": 3 / 6, "a": pytest.approx(3 / 5), "b": 0.0}


def test_no_denominator_is_a_mean_of_zero():
    result = evaluate({}, {"q1": {"a": 1}}, measures="P", average="micro", backend="reference")
    assert result["P"] == 0.0


def test_the_bootstrap_interval_is_of_the_ratio():
    run = {f"q{i}": ["a"] for i in range(4)}
    qrels = {"q0": {"a": 1}} | {f"q{i}": {"b": 1, "c": 1} for i in range(1, 4)}
    result = evaluate(run, qrels, measures="R@1", average="micro", backend="reference")
    low, high = interval(result, "R@1", method="percentile")
    # 1 of 1 + 2 + 2 + 2; a resample that holds q0 i times finds i of i + 2 (4 - i).
    assert (result["R@1"], low) == (1 / 7, 0.0)
    assert high == pytest.approx(3 / 5)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 9)), min_size=1, max_size=20))
def test_what_stands_for_a_ratio_has_it_as_its_mean(rows):
    values, weights = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    assert linearised(values, weights).mean() == pytest.approx((values @ weights) / weights.sum())


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_with_equal_denominators_it_is_the_value_itself(values):
    assert linearised(np.array(values), np.full(len(values), 3.0)) == pytest.approx(np.array(values))
