"""Series and arrays of pandas, polars, pyarrow and numpy as rankings and judgements: by their index, or as lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from samescore import evaluate, mrr, read_qrels, read_run

FRAME = pd.DataFrame({"qid": ["q", "p", "q"], "docno": ["x", "a", "a"], "score": [2.0, 1.0, 1.0], "label": [0, 1, 1]})

RANKINGS: dict[str, Any] = {
    "scores by document": pd.Series({"a": 1.0, "x": 2.0}),
    "whole scores by document": pd.Series({"a": 1, "x": 2}),
    "scores as objects": pd.Series({"a": 1.0, "x": 2}, dtype=object),
    "a document twice": pd.Series([2.0, 1.0, 0.5], index=["x", "a", "x"]),
    "ids of text": pd.Series(["x", "a"]),
    "ids as objects": pd.Series(["x", "a"], dtype=object),
    "ids as categories": pd.Series(["x", "a"], dtype="category"),
    "ids of some rows of a frame": FRAME[FRAME.qid == "q"]["docno"],
    "an index": pd.Index(["x", "a"]),
    "polars ids": pl.Series(["x", "a"]),
    "numpy ids": np.array(["x", "a"]),
    "pairs as lists": [["a", 1.0], ["x", 2.0]],
    "pairs of both kinds": [["a", 1.0], ("x", 2.0)],
    "keys of a dictionary": {"x": "some text", "a": "another"}.keys(),
    "items of a dictionary": {"a": 1.0, "x": 2.0}.items(),
}


@pytest.mark.parametrize("ranking", RANKINGS.values(), ids=RANKINGS)
def test_a_ranking_is_read_by_its_index_or_in_its_order(ranking: Any) -> None:
    assert mrr(ranking, {"a"}) == 1 / 2
    assert evaluate({"q": ranking}, {"q": {"a": 1}}, measures="RR")["RR"] == 1 / 2


def test_scores_over_whole_numbers_are_of_documents_with_those_numbers() -> None:
    assert mrr(pd.Series([0.5, 0.75]), {0}) == 1 / 2
    assert mrr(pd.Series({17: 0.5, 4: 0.75}), {"17"}) == 1 / 2


@pytest.mark.parametrize("empty", [pd.Series([], dtype=object), pd.Series([], dtype=float), pl.Series([]), np.array([])], ids=type)
def test_an_empty_series_is_an_empty_ranking(empty: Any) -> None:
    assert mrr(empty, {"a"}) == 0.0


def test_arrays_of_pyarrow_are_lists() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    assert mrr(pyarrow.array(["x", "a"]), {"a"}) == 1 / 2
    assert mrr(pyarrow.table({"docs": ["x", "a"]})["docs"], {"a"}) == 1 / 2


@pytest.mark.parametrize(
    ("judged", "grades"),
    [
        (pd.Series({"a": 2, "b": 0}), {"a": 2, "b": 0}),
        (pd.Series(["a", "b"]), {"a": 1, "b": 1}),
        (FRAME.set_index("docno")["label"][1:], {"a": 1}),
        (pl.Series(["a", "b"]), {"a": 1, "b": 1}),
        (np.array(["a"]), {"a": 1}),
        ([["a", 2], ["b", 0]], {"a": 2, "b": 0}),
    ],
    ids=["grades by document", "ids", "a document twice", "polars", "numpy", "pairs as lists"],
)
def test_judgements_are_read_as_rankings_are(judged: Any, grades: dict[str, int]) -> None:
    assert read_qrels({"q": judged}).grades == {"q": grades}


def test_a_series_may_hold_all_queries_by_query_or_by_query_and_document() -> None:
    lists = FRAME.groupby("qid")["docno"].apply(list)
    pairs = FRAME.set_index(["qid", "docno"])
    for run in (lists, pairs["score"]):
        assert read_run(run).rows == 3
        for qrels in (pairs["label"], lists[["q"]].map(lambda docs: docs[1:])):
            assert evaluate(run, qrels, measures="RR", queries=["q"])["RR"] == 1 / 2
