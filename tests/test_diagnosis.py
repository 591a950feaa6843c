"""Diagnosis: where each query loses its evidence, and the stage that limits."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import tries

from samescore import Policy, SamescoreError, diagnose, evaluate
from samescore.errors import MismatchError, PolicyError

pytestmark = pytest.mark.filterwarnings("ignore:no document of the run is judged")

# k = 2, candidate_k = 3: one query of each kind.
CANDIDATES = {
    "absent": ["x", "y", "z", "r"],
    "below": ["x", "r", "y"],
    "found": ["x", "y", "r"],
    "empty": ["x"],
    "unjudged": ["x"],
}
FINAL = {
    "absent": ["x", "y", "z"],
    "below": ["x", "y", "r"],
    "found": ["r", "x", "y"],
    "empty": ["x"],
    "unjudged": ["x"],
}
QRELS = {"absent": {"r": 1}, "below": {"r": 2}, "found": {"r": 1, "s": 1}, "empty": {"x": 0}}

DOCS = st.sampled_from("abcdef")
RUNS = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), st.lists(DOCS, max_size=6), min_size=1)
JUDGED = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), st.dictionaries(DOCS, st.integers(-1, 2)), min_size=3)


def test_each_query_is_of_one_kind():
    found = diagnose(CANDIDATES, FINAL, QRELS, k=2, candidate_k=3)
    assert found.counts == {"not in the candidates": 1, "below k": 1, "found": 1, "nothing to find": 1, "not judged": 1}
    assert {kind: found.of(kind) for kind in found.counts} == {
        "not in the candidates": ["absent"],
        "below k": ["below"],
        "found": ["found"],
        "nothing to find": ["empty"],
        "not judged": ["unjudged"],
    }
    assert found.shares == {"not in the candidates": 1 / 3, "below k": 1 / 3, "found": 1 / 3}


def test_the_recalls_are_means_over_the_queries_with_something_to_find():
    found = diagnose(CANDIDATES, FINAL, QRELS, k=2, candidate_k=3)
    assert found.ceiling == (0 / 1 + 1 / 1 + 1 / 2) / 3
    assert found.recall == (0 / 1 + 0 / 1 + 1 / 2) / 3


def test_a_small_k_keeps_the_best_order_below_the_ceiling():
    lists = {"q": ["a", "b", "c", "d"]}
    found = diagnose(lists, lists, {"q": {"a", "b", "c", "d"}}, k=1, candidate_k=4)
    assert (found.ceiling, found.reachable, found.recall) == (4 / 4, 1 / 4, 1 / 4)


def test_the_frame_has_a_row_a_query_with_counts_and_best_ranks():
    frame = diagnose(CANDIDATES, FINAL, QRELS, k=2, candidate_k=3).queries
    assert frame.index.tolist() == ["absent", "below", "found", "empty", "unjudged"]
    assert frame.loc["found", ["relevant", "candidates", "final", "best_candidate", "best_final"]].tolist() == [2, 1, 1, 3, 1]
    assert frame.loc["absent", "best_candidate"] == 4  # below candidate_k, and told all the same
    assert frame["best_final"].isna().tolist() == [True, False, False, True, True]


def run_of(n_absent, n_below, n_found):
    """Runs and qrels with so many queries of each kind, at k = 1 and candidate_k = 2."""
    kinds = ["absent"] * n_absent + ["below"] * n_below + ["found"] * n_found
    lists = {"absent": (["x"], ["x"]), "below": (["x", "r"], ["x", "r"]), "found": (["x", "r"], ["r", "x"])}
    candidates = {f"q{i}": lists[kind][0] for i, kind in enumerate(kinds)}
    final = {f"q{i}": lists[kind][1] for i, kind in enumerate(kinds)}
    return candidates, final, {query: {"r": 1, "x": 0} for query in candidates}


@pytest.mark.parametrize(
    ("kinds", "stage", "words"),
    [
        ((3, 2, 5), "candidates", "The limit is the candidates: for 3 of 10 queries (30.0%)"),
        ((1, 2, 1), "ranking", "The limit is the ranking: for 2 of 4 queries (50.0%)"),
        ((2, 2, 0), "candidates", "The limit is the candidates (and the ranking as much): for 2 of 4"),
        ((0, 0, 2), None, "No stage loses a query: each of 2"),
        ((0, 0, 0), None, "No stage can be named: no query has a relevant document."),
    ],
)
def test_one_sentence_names_the_stage_that_limits(kinds, stage, words):
    found = diagnose(*run_of(*kinds), k=1, candidate_k=2)
    assert found.stage == stage
    assert found.sentence.startswith(words)
    assert found.sentence in str(found)


def test_answers_split_what_was_found():
    runs = run_of(1, 1, 3)
    found = diagnose(*runs, k=1, candidate_k=2, answers={"q0": True, "q1": False, "q2": True, "q3": False})
    assert found.counts["answered right"] == found.counts["answered wrong"] == found.counts["found"] == 1
    assert found.of("answered wrong") == ["q3"]
    assert found.queries["answer"].tolist()[:4] == [True, False, True, False]
    assert found.queries["answer"].isna().tolist() == [False, False, False, False, True]


def test_recall_is_set_against_answer_accuracy():
    answers = {"q0": True, "q1": False, "q2": True, "q3": False}
    table = diagnose(*run_of(1, 1, 3), k=1, candidate_k=2, answers=answers).answers
    assert table["queries"].to_dict() == {"found": 3, "not found": 2, "all": 5}
    assert table["answered"].to_dict() == {"found": 2, "not found": 2, "all": 4}
    assert table["accuracy"].to_dict() == {"found": 1 / 2, "not found": 1 / 2, "all": 2 / 4}
    assert table["recall"].to_dict() == {"found": 1, "not found": 0, "all": 3 / 5}


def test_generation_limits_where_most_answers_are_wrong():
    found = diagnose(*run_of(1, 1, 3), k=1, candidate_k=2, answers=dict.fromkeys(["q2", "q3", "q4"], False))
    assert (found.stage, found.counts["answered wrong"]) == ("generation", 3)


@pytest.mark.parametrize("answers", [{"q0": 1}, {"q0": "yes"}, {"q0": None}, {"q99": True}, ["q0"], "q0"])
def test_answers_that_say_neither_or_are_of_unknown_queries_are_refused(answers):
    with pytest.raises(SamescoreError, match=r"answer"):
        diagnose(*run_of(1, 0, 0), answers=answers)


def test_answers_of_numpy_and_ids_of_int_are_understood():
    found = diagnose({1: ["r"]}, {1: ["r"]}, {1: {"r"}}, answers={1: np.bool_(True)})
    assert found.of("answered right") == ["1"]


def test_documents_that_the_candidates_lack_are_reported():
    found = diagnose({"q": ["a", "b", "c"]}, {"q": ["new", "c", "a"]}, {"q": {"a": 1}}, k=2, candidate_k=2)
    assert [(row.doc, row.rank, row.candidate_rank) for row in found.lacking] == [("new", 1, None), ("c", 2, 3)]
    assert "1 document of the final list not among the candidates at all, in 1 query: 'q'" in str(found)


def test_evidence_that_only_the_final_list_has_is_found_and_said():
    found = diagnose({"q": ["x"]}, {"q": ["r"]}, {"q": {"r": 1}}, k=1)
    assert (found.counts["found"], found.ceiling, found.recall) == (1, 0, 1)
    assert "the ceiling does not hold there: 'q'" in str(found)


def test_the_same_list_twice_lacks_nothing():
    assert diagnose(CANDIDATES, CANDIDATES, QRELS, k=2, candidate_k=3).lacking == ()


def test_a_query_that_a_list_lacks_is_a_loss_of_that_stage():
    qrels = {"q1": {"r"}, "q2": {"r"}}
    found = diagnose({"q1": ["r"]}, {"q1": ["r"]}, qrels, k=1)
    assert found.of("not in the candidates") == list(found.missing_candidates) == list(found.missing_final) == ["q2"]
    found = diagnose({"q1": ["r"], "q2": ["r"]}, {"q1": ["r"]}, qrels, k=1)
    assert (found.of("below k"), found.missing_candidates, found.missing_final) == (["q2"], (), ("q2",))


def test_the_policy_may_leave_such_queries_out_or_refuse_them():
    lists = {"q1": ["r"]}, {"q1": ["r"]}, {"q1": {"r"}, "q2": {"r"}}
    found = diagnose(*lists, policy=Policy(missing="skip"))
    assert (found.recall, len(found.cases), found.missing_final) == (1, 1, ("q2",))
    with pytest.raises(PolicyError, match="q2"):
        diagnose(*lists, policy=Policy(missing="error"))


def test_a_document_that_stands_twice_takes_one_rank():
    twice = {"q": [("x", 3.0), ("x", 2.0), ("r", 1.0)]}
    assert diagnose(twice, twice, {"q": {"r"}}, k=2).of("found") == ["q"]
    assert diagnose(twice, twice, {"q": {"r"}}, k=2, policy=Policy(duplicates="each")).of("below k") == ["q"]


def test_chunks_keep_the_ranks_at_which_they_were_returned():
    lists, doc_of = {"q": ["x#1", "x#2", "r#1"]}, {"x#1": "x", "x#2": "x", "r#1": "r"}
    held = diagnose(lists, lists, {"q": {"r"}}, k=2, doc_of=doc_of)
    assert held.of("below k") == ["q"]
    assert str(held).startswith("k = 2 and the first 50 candidates count chunks that were returned (dup:hold)\n")
    assert "dup:hold" in held.to_dict()["policy"]


def test_chunks_count_as_their_documents_once_each_where_the_policy_says_so():
    lists, doc_of = {"q": ["x#1", "x#2", "r#1"]}, {"x#1": "x", "x#2": "x", "r#1": "r"}
    once = diagnose(lists, lists, {"q": {"r"}}, k=2, doc_of=doc_of, policy=Policy())
    assert once.of("found") == ["q"]
    assert "distinct documents" in str(once).splitlines()[0]


def test_chunks_that_doc_of_lacks_are_counted():
    lists = {"q": ["r#1", "lost", "gone"]}
    found = diagnose(lists, lists, {"q": {"r"}}, doc_of={"r#1": "r"})
    assert found.unmapped == 2 + 2
    assert "retrieved ids without a document in doc_of, taken as they are: 4" in found.lines()


def test_no_ceiling_is_named_below_the_end_of_the_candidates():
    lists = {f"q{i}": ["x", "r"] for i in range(3)}
    found = diagnose(lists, lists, {query: {"r", "s"} for query in lists}, k=5, candidate_k=50)
    assert "recall of the candidates, which end at 2: 0.5000; nothing is known of further ones down to 50" in found.lines()
    assert "the final lists end at 2, not at k = 5" in found.lines()
    assert (found.to_dict()["candidates_end"], found.to_dict()["final_end"]) == (2, 2)
    deep = diagnose(lists, lists, {query: {"r"} for query in lists}, k=1, candidate_k=2)
    assert "recall of the first 2 candidates, the ceiling: 1.0000" in deep.lines()


def test_the_policy_orders_ties():
    tied = {"q": {"a": 1.0, "r": 1.0}}
    assert diagnose(tied, tied, {"q": {"r"}}, k=1).of("found") == ["q"]
    assert diagnose(tied, tied, {"q": {"r"}}, k=1, policy=Policy(ties="doc_id_ascending")).of("below k") == ["q"]


def test_relevant_begins_at_the_relevance_level():
    lists = {"q": ["r"]}
    assert diagnose(lists, lists, {"q": {"r": 1}}, policy=Policy(relevance_level=2)).of("nothing to find") == ["q"]


@pytest.mark.parametrize("missing", ["zero", "skip", "error"])
def test_it_prints_under_each_policy(missing):
    assert "The limit is the ranking" in str(
        diagnose({"q": ["x", "r"]}, {"q": ["x"]}, {"q": {"r"}}, k=1, policy=Policy(missing=missing))
    )


@tries(60)
@given(candidates=RUNS, final=RUNS, qrels=JUDGED, k=st.integers(1, 3), candidate_k=st.integers(1, 6))
def test_the_recalls_are_those_of_evaluate(candidates, final, qrels, k, candidate_k):
    found = diagnose(candidates, final, qrels, k, candidate_k)
    before = evaluate(candidates, qrels, measures=[f"R@{candidate_k}"], backend="reference")
    after = evaluate(final, qrels, measures=[f"R@{k}", f"Success@{k}"], backend="reference")
    assert found.ceiling == pytest.approx(before[f"R@{candidate_k}"])
    assert found.recall == pytest.approx(after[f"R@{k}"])
    assert found.shares["found"] == pytest.approx(after[f"Success@{k}"])
    assert sum(found.counts.values()) == len(found.cases) == len(qrels)


@pytest.mark.parametrize("cutoffs", [{"k": 0}, {"candidate_k": 0}, {"k": True}, {"k": None}])
def test_a_k_below_1_is_refused(cutoffs):
    with pytest.raises(SamescoreError, match="whole number of at least 1"):
        diagnose(CANDIDATES, FINAL, QRELS, **cutoffs)


def test_lists_of_other_queries_are_refused():
    with pytest.raises(MismatchError):
        diagnose({"other": ["r"]}, {"other": ["r"]}, QRELS)


def test_it_prints_as_a_table_as_markdown_and_as_json():
    found = diagnose(CANDIDATES, FINAL, QRELS, k=2, candidate_k=3, answers={"found": False})
    assert "below k                      1  33.3%" in str(found).splitlines()
    assert "| below k | 1 | 33.3% |" in found.to_markdown().splitlines()
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["counts"] == found.counts
    assert plain["queries"]["found"] == {
        "kind": "answered wrong", "answer": False, "relevant": 2, "candidates": 1, "final": 1, "best_candidate": 3, "best_final": 1,
    }  # fmt: skip
    assert plain["answers"]["not found"]["accuracy"] is None
