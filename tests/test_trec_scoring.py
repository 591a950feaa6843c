"""Which queries trec_eval scores, in which order, and what the summary makes of their values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from samescore import Policy, evaluate, read_qrels, read_run
from samescore.errors import GradeError, MismatchError, PolicyError
from samescore.tools.trec_eval.program import TrecScores, columns_of, score

RUN = {"q2": ["a", "b"], "q10": ["x"], "extra": ["a"]}
QRELS = {"q9": {"a": 1, "c": 2}, "q2": {"b": 1}, "q10": {"x": 0}}


def scored(*measures: str, run: Any = RUN, qrels: Any = QRELS, collection: int = 0, **options: Any) -> TrecScores:
    """TrecScores of some measures."""
    return score(read_run(run), read_qrels(qrels), columns_of(measures), policy=Policy.trec_eval(**options), collection=collection)


def test_queries_of_both_sides_stand_in_order_of_their_ids() -> None:
    assert scored("map").queries == ["q10", "q2"]
    assert scored("map").missing == ["q9"]


def test_complete_adds_the_judged_queries_that_the_run_lacks() -> None:
    assert scored("map", complete=True).queries == ["q10", "q2", "q9"]
    assert not scored("map", complete=True).missing


def test_means_are_over_the_queries_that_are_printed() -> None:
    assert scored("map").summary == [(0 + 1 / 2) / 2]
    assert scored("map", complete=True).summary == [(0 + 1 / 2 + 0) / 3]


def test_counts_add_up() -> None:
    assert scored("num_q", "num_ret", "num_rel", "num_rel_ret").summary == [2, 3, 1, 1]
    assert scored("num_q", "num_ret", "num_rel", "num_rel_ret", complete=True).summary == [3, 3, 3, 1]


def test_complete_counts_grades_above_0_as_relevant_whatever_the_level() -> None:
    assert scored("num_rel", relevance_level=2).summary == [0]
    assert scored("num_rel", relevance_level=2, complete=True).summary == [3]


def test_a_missing_query_is_one_unjudged_document_and_the_plain_columns_are_emptied() -> None:
    columns = ["num_ret", "relstring", "utility", "rbp_resid", "unj.2", "yaap"]
    missing = dict(zip((c.name for c in columns_of(columns)), scored(*columns, complete=True).values[2], strict=True))
    assert missing.pop("yaap") == pytest.approx(-1.0986122886681098)  # log(1 / (1 + 2))
    assert missing == {"num_ret": 0, "relstring": "", "utility": 0, "rbp_resid": 0, "unj_2": 0}


def test_with_parameters_in_its_name_the_column_of_a_missing_query_is_not_emptied() -> None:
    columns = ["relstring.3", "utility.1,-1,-0.5,0", "rbp_resid.p=0.8"]
    assert scored(*columns, complete=True).values[2] == ["-", -1 - 0.5 * 2, pytest.approx(0.8 + 0.2)]


def test_a_run_has_the_tag_of_its_last_row(tmp_path: Any) -> None:
    path = tmp_path / "run"
    path.write_text("q2 Q0 a 1 2.0 first\nq2 Q0 b 2 1.0 last\n")
    assert scored("runid", run=path).summary == ["last"]
    assert scored("runid").summary == [""]


def test_ties_go_to_the_higher_id() -> None:
    assert scored("recip_rank", run={"q2": {"a": 1.0, "b": 1.0, "c": 1.0}}).values == [[1 / 2]]


def test_scores_that_differ_only_beyond_32_bits_differ() -> None:
    run, policy = {"q2": {"c": 1.0, "b": 1.0 + 1e-12}}, Policy.trec_eval()
    assert scored("recip_rank", run=run).values == [[1]]
    older = score(read_run(run), read_qrels(QRELS), columns_of(["recip_rank"]), policy=policy.but(float32_scores=True))
    assert older.values == [[1 / 2]]


def test_a_document_retrieved_twice_is_refused() -> None:
    with pytest.raises(PolicyError, match="retrieved twice"):
        scored("map", run={"q2": [("a", 1.0), ("a", 2.0)]})


def test_fractional_grades_are_refused() -> None:
    with pytest.raises(GradeError, match=r"query 'q2', document 'b': the grade is 1\.5"):
        scored("map", qrels={"q2": {"b": 1.5}})


def test_no_query_in_common_is_refused() -> None:
    with pytest.raises(MismatchError):
        scored("map", qrels={"other": {"b": 1}})


@pytest.mark.parametrize("clause", [{"gain": "exponential"}, {"empty": "skip"}, {"missing": "error"}, {"duplicates": "each"}])
def test_a_clause_that_trec_eval_has_no_room_for_is_refused(clause: dict[str, str]) -> None:
    with pytest.raises(PolicyError, match="trec_eval knows"):
        score(read_run(RUN), read_qrels(QRELS), columns_of(["map"]), policy=Policy.trec_eval().but(**clause))


SHARED = {
    "map": ("map", "AP"),
    "Rprec": ("Rprec", "Rprec"),
    "recip_rank": ("recip_rank", "RR"),
    "P.2": ("P_2", "P@2"),
    "recall.3": ("recall_3", "R@3"),
    "ndcg": ("ndcg", "nDCG"),
    "ndcg_cut.2": ("ndcg_cut_2", "nDCG@2"),
    "map_cut.2": ("map_cut_2", "AP@2"),
    "success.1": ("success_1", "Success@1"),
    "set_P": ("set_P", "P"),
    "set_recall": ("set_recall", "R"),
}
"""What -m says, the column, and the measure of the catalogue that it is."""

DOCS = st.sampled_from("abcdef")
RUNS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]), st.dictionaries(DOCS, st.integers(0, 3).map(float), min_size=1), min_size=1
)
JUDGED = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), st.dictionaries(DOCS, st.integers(-1, 3), min_size=1), min_size=1)


OPTIONS = st.fixed_dictionaries(
    {
        "complete": st.booleans(),
        "relevance_level": st.sampled_from([1, 2]),
        "depth": st.sampled_from([None, 2]),
        "unjudged": st.sampled_from(["nonrelevant", "drop"]),
    }
)


@given(RUNS, JUDGED, OPTIONS)
def test_evaluate_under_the_same_policy_gives_the_same_values(run: Any, qrels: Any, options: Any) -> None:
    run, qrels = {**run, "common": {"a": 1.0}}, {**qrels, "common": {"a": 1}}
    policy = Policy.trec_eval(**options)
    scores = score(read_run(run), read_qrels(qrels), columns_of(SHARED), policy=policy)
    result = evaluate(run, qrels, measures=[catalogue for _, catalogue in SHARED.values()], policy=policy, backend="reference")
    catalogue_names = dict(SHARED.values())
    for column, total in zip(scores.columns, scores.summary, strict=True):
        assert total == pytest.approx(result[catalogue_names[column.name]], abs=1e-12)
