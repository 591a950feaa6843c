"""needed_queries: how many queries would show a difference, from results, frames, mappings and plain differences."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from samescore import check, compare, evaluate, needed_queries
from samescore.errors import InputError, InputTypeError, MeasureError
from samescore.tools.significance import detectable_effect, queries_to_show

QRELS = {f"q{i}": {"d": 1} for i in range(6)}
A = evaluate({q: ["d"] for q in QRELS}, QRELS, measures=["RR", "nDCG@3"], backend="reference")
B = evaluate({q: ["x"] * (i % 3) + ["d"] for i, q in enumerate(QRELS)}, QRELS, measures=["RR", "nDCG@3"], backend="reference")
DIFFERENCES = np.array(list(B.values_of("RR").values())) - 1


@pytest.mark.parametrize(
    ("a", "b", "measure"),
    [
        (A, B, "mrr"),
        (A.per_query, B.per_query, "RR"),
        ({"RR": A.values_of("RR")}, {"RR": B.values_of("RR")}, None),
        (DIFFERENCES, None, None),
        (list(DIFFERENCES), None, None),
        (pd.Series(DIFFERENCES), None, None),
        (dict(zip(QRELS, DIFFERENCES.tolist(), strict=True)), None, None),
    ],
    ids=["results", "frames", "mappings", "array", "list", "series", "mapping"],
)
def test_it_takes_results_values_and_differences(a, b, measure):
    assert needed_queries(a, b, measure, delta=0.05) == queries_to_show(0.05 / DIFFERENCES.std(ddof=1), 0.05)


def test_more_power_and_smaller_differences_need_more_queries():
    assert needed_queries(DIFFERENCES, delta=0.01) > needed_queries(DIFFERENCES) > needed_queries(DIFFERENCES, alpha=0.2)
    assert needed_queries(DIFFERENCES, power=0.99) > needed_queries(DIFFERENCES)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "said"),
    [
        (([0.1],), {}, InputError, "1 differences without a spread"),
        (([0.1, 0.1],), {}, InputError, "without a spread"),
        (([],), {}, InputError, "without a spread"),
        (([0.1, float("nan")],), {}, InputTypeError, "differences cannot be"),
        ((["a", "b"],), {}, InputTypeError, "differences cannot be"),
        ((3,), {}, InputError, "without a spread"),
        ((None,), {}, InputTypeError, "differences cannot be"),
        ((A,), {}, InputTypeError, "one result has no differences"),
        ((A, B), {}, InputError, "2 measures are in both"),
        ((A, B, "AP"), {}, MeasureError, "without AP"),
        ((A, QRELS, "RR"), {}, InputTypeError, "no values by query"),
        (([0.1, 0.2],), {"delta": 0}, InputError, "delta is 0"),
        (([0.1, 0.2],), {"delta": -1}, InputError, "delta is -1"),
        (([0.1, 0.2],), {"power": 1}, InputError, "power is 1"),
        (([0.1, 0.2],), {"alpha": True}, InputError, "alpha is True"),
        (([0.1, 0.2],), {"delta": 1e-12}, InputError, "no number of queries"),
    ],
)
def test_what_tells_nothing_is_refused(arguments, options, error, said):
    with pytest.raises(error, match=said):
        needed_queries(*arguments, **options)


def test_compare_says_how_many_queries_would_show_its_difference():
    row = compare({"a": A, "b": B}, measures="RR").row("b")
    assert row.needed == queries_to_show(DIFFERENCES.mean() / DIFFERENCES.std(ddof=1), 0.05)


def test_check_says_what_a_set_of_its_size_can_be_expected_to_show():
    report = check({f"q{i}": {"d": 1} for i in range(50)} | {"empty": {"d": 0}})
    assert report.detectable == 0.25 * detectable_effect(50, 0.05) == report.to_dict()["detectable"]
    assert "50 queries with a relevant document can be expected to show a difference of 0.10 or more" in str(report)
    assert "can be expected" not in str(check({"q": {"d": 1}}))
