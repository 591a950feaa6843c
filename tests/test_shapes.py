"""Nested documents, records and objects of other tools are read as the runs and qrels that they hold."""

from __future__ import annotations

import pandas as pd
import pytest

from samescore import evaluate, read_run

NEAR = {"query_id": ["t1", "t1"], "doc_id": ["b", "x"], "distance": [0.1, 0.7]}


@pytest.mark.parametrize("columns", [None, {"distance": "farness"}])
def test_the_nearest_document_is_the_first_where_numbers_are_distances(columns):
    frame = pd.DataFrame(NEAR).rename(columns={"distance": "farness"} if columns else {})
    records = frame.to_dict("records")
    for form in (frame, records):
        assert evaluate(read_run(form, columns=columns), {"t1": {"b": 1}}, measures="RR")["RR"] == 1


def test_a_score_beside_a_distance_decides():
    assert evaluate(pd.DataFrame({**NEAR, "score": [1.0, 2.0]}), {"t1": {"b": 1}}, measures="RR")["RR"] == 1 / 2
