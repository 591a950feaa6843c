"""Slices: means, counts and intervals for each label, beside the whole."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

from samescore import evaluate
from samescore.errors import InputError
from samescore.slices import Slices, recognise_slices

RUN = {"q1": ["d1"], "q2": ["x", "d2"], "q3": ["d3"], "q4": ["x"]}
QRELS = {"q1": {"d1": 1}, "q2": {"d2": 1}, "q3": {"d3": 1}, "q4": {"d4": 1}}
LABELS = {"q1": "de", "q2": "de", "q3": "en"}


def sliced(slices, measures="RR", **options):
    result = evaluate(RUN, QRELS, measures=measures, slices=slices, backend="reference", **options)
    return result, {(row.slice, row.measure): row for row in result.slice_rows()}


def test_each_slice_has_its_mean_beside_the_whole():
    _, rows = sliced(LABELS)
    assert {title: (row.mean, row.queries) for (title, _), row in rows.items()} == {
        "all": ((1 + 1 / 2 + 1 + 0) / 4, 4),
        "de": ((1 + 1 / 2) / 2, 2),
        "en": (1.0, 1),
    }


def test_intervals_are_within_the_range_and_say_how_they_were_found():
    _, rows = sliced(LABELS, ["RR", "P@1", "DCG@2"])
    theirs = stats.binomtest(2, 4).proportion_ci(0.95)
    assert (rows["all", "P@1"].low, rows["all", "P@1"].high) == pytest.approx((theirs.low, theirs.high))
    assert 0 < rows["all", "RR"].low < 2.5 / 4 < rows["all", "RR"].high < 1
    student = stats.t.interval(0.95, 3, loc=rows["all", "DCG@2"].mean, scale=stats.sem([1, 1 / np.log2(3), 1, 0]))
    assert (rows["all", "DCG@2"].low, rows["all", "DCG@2"].high) == pytest.approx(student)
    assert [rows["all", m].method for m in ("RR", "P@1", "DCG@2")] == ["Gaffke's bound", "Clopper-Pearson", "Student's t"]


def test_one_query_has_an_interval_only_where_the_measure_is_bounded():
    _, rows = sliced(LABELS, ["RR", "DCG@2"])
    assert (rows["en", "RR"].low, rows["en", "RR"].high) == (0.025, 1.0)
    assert math.isnan(rows["en", "DCG@2"].low)
    assert rows["en", "DCG@2"].method == "none: one query"


def test_a_slice_that_no_query_is_in_has_no_mean():
    _, rows = sliced({"q1": "de", "elsewhere": "fr"})
    assert math.isnan(rows["fr", "RR"].mean)
    assert rows["fr", "RR"].queries == 0


def test_queries_without_a_label_are_told():
    result, _ = sliced(LABELS)
    assert result.unlabelled == ["q4"]
    assert "1 query without a label, in no slice but the whole: 'q4'" in str(result)


def test_the_frame_has_a_row_for_each_slice_and_measure():
    result, _ = sliced(LABELS, ["RR", "P@1"])
    assert list(result.slices.columns) == ["slice", "measure", "mean", "low", "high", "queries", "method"]
    assert list(zip(result.slices["slice"], result.slices["measure"], strict=True)) == [
        (title, measure) for title in ("all", "de", "en") for measure in ("RR", "P@1")
    ]


@pytest.mark.parametrize(
    "slices",
    [
        pd.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "lang": ["de", "de", "en", None]}),
        pd.DataFrame({"lang": ["de", "de", "en", float("nan")]}, index=["q1", "q2", "q3", "q4"]),
        pl.DataFrame({"query_id": ["q1", "q2", "q3", "q4"], "lang": ["de", "de", "en", None]}),
        pd.Series({"q1": "de", "q2": "de", "q3": "en", "q4": pd.NA}),
        {"q1": "de", "q2": "de", "q3": "en", "q4": None},
    ],
    ids=["column", "index", "polars", "series", "None"],
)
def test_labels_come_in_several_forms(slices):
    result, rows = sliced(slices)
    assert [title for title, _ in rows] == ["all", "de", "en"]
    assert result.unlabelled == ["q4"]


def test_several_columns_are_several_ways_to_slice():
    frame = pd.DataFrame(
        {"query_id": ["q1", "q2", "q3", "q4"], "lang": ["de", "de", "en", "en"], "long": [True, False, True, False]}
    )
    _, rows = sliced(frame)
    assert {title: row.queries for (title, _), row in rows.items()} == {
        "all": 4,
        "lang=de": 2,
        "lang=en": 2,
        "long=True": 2,
        "long=False": 2,
    }


def test_query_ids_that_are_integers_are_text():
    result = evaluate({1: ["d"]}, {1: {"d": 1}}, measures="RR", slices={1: "a"}, backend="reference")
    assert result.unlabelled == []


@pytest.mark.parametrize(
    ("slices", "said"),
    [
        (["de", "en"], "slices are of type list"),
        ({"q1": ["de", "en"]}, "query 'q1': the label in 'slice'"),
        ({"q1": "all"}, "the name of the whole"),
        (pd.DataFrame({"query_id": ["q1", "q1"], "lang": ["de", "en"]}), "query 'q1': two labels in 'lang', 'de' and 'en'"),
        (pd.DataFrame({"query_id": ["q1"]}), "lacks query_id or labels"),
    ],
)
def test_what_is_no_label_is_refused(slices, said):
    with pytest.raises(InputError, match=said):
        recognise_slices(slices)


def test_no_slices_are_only_the_whole():
    assert list(recognise_slices(None).masks(["q1"])) == ["all"]
    assert recognise_slices(Slices()) == Slices()


def test_a_count_is_summed_and_has_no_interval():
    _, rows = sliced(LABELS, "NumRet")
    assert {title: row.mean for (title, _), row in rows.items()} == {"all": 5, "de": 3, "en": 1}
    assert math.isnan(rows["all", "NumRet"].low)


def test_whole_numbers_are_one_label_however_pandas_holds_them():
    frame = pd.DataFrame({"query_id": ["q1", "q2", "q3"], "year": [2024, None, 2025]})  # a gap makes them floats
    assert recognise_slices(frame).labels == {"year": {"q1": "2024", "q3": "2025"}}
    assert recognise_slices({"q1": 1, "q2": 1.0, "q3": 1.5}).labels == {"slice": {"q1": "1", "q2": "1", "q3": "1.5"}}


def test_empty_text_is_no_label():
    assert recognise_slices({"q1": "", "q2": "de"}).labels == {"slice": {"q2": "de"}}
