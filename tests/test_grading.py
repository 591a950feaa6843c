"""Grades that mean nothing to a measure are refused, with query and document, and no measure guesses what was meant."""

from __future__ import annotations

import pandas as pd
import pytest

from samescore import Policy, evaluate
from samescore.errors import GradeError

RUN = {"p": ["b"], "q": ["x", "a", "b"]}


@pytest.mark.parametrize(
    ("measure", "grades", "words"),
    [
        ("ERR@5", {"a": 1, "b": 5}, ["'b'", "grade 5", "ERR@5", "max_rel=5"]),
        ("nERR@5", {"a": 4.5}, ["4.5", "max_rel=5"]),
        ("ERR(max_rel=2)@5", {"a": 3}, ["grade 3", "max_rel=3"]),
        ("RBP(max_rel=2)", {"a": 3}, ["RBP(max_rel=2)", "max_rel=3"]),
        ("INST(max_rel=1)", {"a": 2}, ["max_rel=2"]),
        ("SDCG(max_rel=1)@5", {"missed": 2}, ["'missed'", "max_rel=2"]),
        ("nDCG(gains={1:1,2:3})@5", {"a": 3}, ["grade 3", "gains={3: ...}"]),
        ("DCG(gains={1:1})@5", {"a": 0.5}, ["0.5"]),
        ("nDCG@5", {"a": 1001}, ["1001", "gain='linear'"]),
        ("nDCG(dcg='exp-log2',gains={1:1,2:2000})@5", {"a": 2}, ["overflows"]),
        ("infAP", {"a": 1, "b": -1}, ["'b'", "-1", "pooled", "negatives='unjudged'"]),
    ],
)
@pytest.mark.parametrize("backend", ["reference", "ir_measures"])
def test_a_grade_without_a_meaning_is_refused(backend, measure, grades, words):
    with pytest.raises(GradeError) as raised:
        evaluate(RUN, {"p": {"b": 1}, "q": grades}, measures=measure, backend=backend)
    assert [word for word in ["'q'", "\ntry: ", *words] if word not in str(raised.value)] == []


@pytest.mark.parametrize(
    ("measure", "grades"),
    [
        ("ERR(max_rel=5)@5", {"a": 5}),
        ("RBP", {"a": 9}),
        ("RBP(rel=3)", {"a": 9}),
        ("nDCG(gains={1:1,2:3})@5", {"a": 1, "b": 0, "x": -1}),
        ("nDCG(gains={2:3},rel=2)@5", {"a": 1, "b": 2}),
        ("nDCG(dcg='log2')@5", {"a": 1001}),
        ("infAP", {"a": 1, "b": 0}),
        ("Bpref", {"a": 1, "b": -1}),
    ],
)
def test_a_grade_with_a_meaning_is_not(measure, grades):
    assert 0 <= evaluate(RUN, {"p": {"b": 2}, "q": grades}, measures=measure, backend="reference")[measure] <= 1


def test_infap_reads_the_pool_whatever_else_is_asked():
    run, qrels = {"q": ["a", "p", "x", "b"]}, {"q": {"a": 1, "p": -1, "b": 1, "n": 0}}
    share = (1 + 1e-5) / (1 + 2e-5)
    policy = Policy(negatives="unjudged")
    for backend in ("ir_measures", "reference"):
        result = evaluate(run, qrels, measures=["infAP", "Judged@4", "Bpref"], policy=policy, backend="reference")
        assert result["infAP"] == pytest.approx((1 + (1 / 4 + 3 / 4 * (2 / 3) * share)) / 2)
        assert result["Judged@4"] == 2 / 4
        assert evaluate(run, qrels, measures="infAP", policy=policy, backend=backend)["infAP"] == pytest.approx(result["infAP"])


def test_infap_has_no_pool_in_a_condensed_ranking():
    run, qrels = {"q": ["a", "p", "x", "b"]}, {"q": {"a": 1, "p": -1, "b": 1, "n": 0}}
    share = (1 + 1e-5) / (1 + 2e-5)
    found = evaluate(run, qrels, measures="infAP", policy=Policy(negatives="unjudged", unjudged="drop"))
    assert found["infAP"] == pytest.approx((1 + (1 / 2 + 1 / 2 * (1 / 1) * share)) / 2)


def test_the_document_is_named_where_the_ranking_was_cut():
    with pytest.raises(GradeError, match="'deep'"):
        evaluate({"q": ["x", "a", "deep"]}, {"q": {"a": 1, "deep": 5, "missed": 1}}, measures="ERR@5", policy=Policy(depth=1))


def test_infap_reads_the_pool_of_a_run_in_a_file(tmp_path):
    path = tmp_path / "run.txt"
    path.write_text("".join(f"q Q0 {doc} {rank} {9 - rank} t\n" for rank, doc in enumerate(["a", "p", "x", "b"], 1)))
    qrels, policy = {"q": {"a": 1, "p": -1, "b": 1, "n": 0}}, Policy(negatives="unjudged")
    table = pd.DataFrame({"query_id": "q", "doc_id": ["a", "p", "x", "b"], "score": [4, 3, 2, 1]})
    wanted = evaluate({"q": ["a", "p", "x", "b"]}, qrels, measures="infAP", policy=policy)["infAP"]
    assert evaluate(path, qrels, measures="infAP", policy=policy)["infAP"] == wanted
    assert evaluate(table, qrels, measures="infAP", policy=policy)["infAP"] == wanted
