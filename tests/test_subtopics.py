"""Subtopics: an iteration column that names them is read, measures of novelty use it, and other measures do not guess."""

from __future__ import annotations

import gzip

import pandas as pd
import pytest
from hypothesis import given, strategies as st
from ir_measures import Qrel

from samescore import Policy, evaluate, read_qrels
from samescore.errors import PolicyError, SamescoreWarning

RUN = {"q": ["x", "a", "b"]}
ROWS = [("q", "1", "a", 1), ("q", "2", "a", 0), ("q", "2", "b", 2), ("q", "3", "c", 1)]
NOVELTY = ["alpha_nDCG@3", "StRecall@3", "AP_IA"]


def as_rows(rows):
    return [Qrel(query, doc, grade, subtopic) for query, subtopic, doc, grade in rows]


def as_frame(rows):
    return pd.DataFrame(rows, columns=["query_id", "iteration", "doc_id", "relevance"])


@pytest.fixture
def as_file(tmp_path):
    def write(rows):
        path = tmp_path / "qrels.ndeval"
        path.write_text("".join(f"{query} {subtopic} {doc} {grade}\n" for query, subtopic, doc, grade in rows))
        return path

    return write


def test_a_file_a_frame_and_rows_with_subtopics_are_one(as_file, tmp_path):
    zipped = tmp_path / "qrels.gz"
    zipped.write_bytes(gzip.compress(as_file(ROWS).read_bytes()))
    forms = [as_rows(ROWS), as_frame(ROWS), as_file(ROWS), zipped, read_qrels(as_file(ROWS))]
    found = [evaluate(RUN, form, measures=NOVELTY, backend="reference") for form in forms]
    assert {tuple(result.means.values()) for result in found} == {(found[0]["alpha_nDCG@3"], 2 / 3, (1 / 2 + 1 / 3 + 0) / 3)}
    assert len({result.fingerprint for result in found}) == 1


def test_subtopics_may_be_numbers_or_words_and_their_rows_in_any_order():
    words = [(query, {"1": "price", "2": "size", "3": "use"}[subtopic], doc, grade) for query, subtopic, doc, grade in ROWS]
    numbers = [(query, int(subtopic), doc, grade) for query, subtopic, doc, grade in ROWS[::-1]]
    wanted = evaluate(RUN, as_rows(ROWS), measures=NOVELTY, backend="reference").means
    assert evaluate(RUN, as_frame(words), measures=NOVELTY, backend="reference").means == wanted
    assert evaluate(RUN, as_frame(numbers), measures=NOVELTY, backend="reference").means == wanted


@pytest.mark.parametrize("measures", [["R@3"], ["R@3", "alpha_nDCG@3"], ["NumRel"]])
def test_another_measure_refuses_a_document_that_is_judged_for_two_subtopics(measures):
    with pytest.raises(PolicyError) as raised:
        evaluate(RUN, as_rows(ROWS), measures=measures)
    first, second = str(raised.value).split("\n")
    assert [word for word in ("'q'", "'a'", "'1'", "'2'", "subtopics") if word not in first] == []
    assert "conflicts='max'" in second
    assert "alpha_nDCG" in second


def test_it_refuses_grades_that_agree_too_so_that_the_answer_does_not_hang_on_them():
    alike = [("q", "1", "a", 1), ("q", "2", "a", 1)]
    with pytest.raises(PolicyError, match="subtopics"):
        evaluate(RUN, as_rows(alike), measures="R@3")


@pytest.mark.parametrize(("conflicts", "recall"), [("max", 2 / 3), ("last", 1 / 2)])
def test_the_policy_may_merge_the_subtopics_of_a_document(conflicts, recall):
    result = evaluate(RUN, as_rows(ROWS), measures=["R@3", "StRecall@3"], policy=Policy(conflicts=conflicts), backend="reference")
    assert dict(result) == {"R@3": recall, "StRecall@3": 2 / 3}
    assert result.report.conflicts == 1


def test_rounds_of_judging_that_never_judge_a_document_twice_are_no_subtopics():
    rounds = [("q", "1", "a", 1), ("q", "2", "b", 1)]
    assert evaluate(RUN, as_rows(rounds), measures="R@2")["R@2"] == 1 / 2


def test_grades_for_subtopics_alone_are_no_conflict():
    result = evaluate(RUN, as_rows(ROWS), measures=NOVELTY, backend="reference")
    assert (result.report.conflicts, result.report.repeated_judgements) == (0, 0)


def test_a_document_judged_twice_for_one_subtopic_is_a_conflict_unless_the_grades_agree():
    repeat = [*ROWS, ("q", "3", "c", 0)]
    with pytest.raises(PolicyError, match="subtopic '3'"):
        evaluate(RUN, as_rows(repeat), measures=NOVELTY)
    kept = evaluate(RUN, as_rows(repeat), measures=NOVELTY, policy=Policy(conflicts="max"), backend="reference")
    assert kept.means == evaluate(RUN, as_rows([*ROWS, ROWS[-1]]), measures=NOVELTY, backend="reference").means
    last = evaluate(RUN, as_rows(repeat), measures="StRecall@3", policy=Policy(conflicts="last"), backend="reference")
    assert last["StRecall@3"] == 2 / 2


SETTLED = [("error", None), ("max", 2), ("last", 1)]


@pytest.mark.parametrize("others", [[], [("q", "2", "c", 1)]], ids=["one subtopic", "several"])
@pytest.mark.parametrize(("conflicts", "grade"), SETTLED)
@pytest.mark.filterwarnings("ignore:StRecall:samescore.errors.SamescoreWarning")
def test_a_conflict_is_settled_and_counted_alike_in_a_query_of_one_subtopic(conflicts, grade, others):
    rows = as_rows([("q", "1", "a", 2), ("q", "1", "a", 1), *others])
    policy = Policy(conflicts=conflicts)
    if grade is None:
        with pytest.raises(PolicyError, match="query 'q', document 'a': judged twice"):
            evaluate(RUN, rows, measures="StRecall(rel=2)@3", backend="reference", policy=policy)
        return
    result = evaluate(RUN, rows, measures="StRecall(rel=2)@3", backend="reference", policy=policy)
    assert (result["StRecall(rel=2)@3"], result.report.conflicts) == (float(grade == 2), 1)


@pytest.mark.parametrize("measures", ["StRecall@3", ["StRecall@3", "RR"]])
def test_a_judgement_for_a_subtopic_that_stands_twice_is_counted_once_as_repeated(measures):
    rows = as_rows([("q", "1", "a", 1), ("q", "1", "a", 1), ("q", "2", "b", 1)])
    assert evaluate(RUN, rows, measures=measures, backend="reference").report.repeated_judgements == 1


def test_a_conflict_that_both_kinds_of_measure_read_is_counted_once():
    rows = as_rows([("q", "1", "a", 1), ("q", "1", "a", 2), ("q", "2", "b", 1)])
    policy = Policy(conflicts="max")
    assert evaluate(RUN, rows, measures=["StRecall@3", "RR"], backend="reference", policy=policy).report.conflicts == 1


def test_a_negative_grade_for_one_of_several_subtopics_may_be_refused_too():
    rows = as_rows([("q", "1", "a", -1), ("q", "2", "a", 1)])
    with pytest.raises(PolicyError, match="query 'q', document 'a': the grade -1 for the subtopic '1' is negative"):
        evaluate(RUN, rows, measures="StRecall@3", backend="reference", policy=Policy(negatives="error"))


def test_a_query_with_one_subtopic_stands_beside_others_with_several():
    rows = [*ROWS, ("r", "7", "x", 1)]
    found = evaluate({**RUN, "r": ["x"]}, as_rows(rows), measures="StRecall@3", backend="reference")
    assert found.per_query["StRecall@3"].to_dict() == {"q": 2 / 3, "r": 1}


def test_qrels_without_subtopics_are_one_subtopic_with_a_warning():
    with pytest.warns(SamescoreWarning, match="iteration column"):
        result = evaluate({"q": ["x", "a"]}, {"q": {"a": 1, "b": 1}}, measures=["AP_IA", "StRecall@1"], backend="reference")
    assert dict(result) == {"AP_IA": (1 / 2) / 2, "StRecall@1": 0}


@pytest.mark.parametrize(("negatives", "judged"), [("nonrelevant", 2), ("unjudged", 1)])
def test_a_grade_below_0_is_as_the_policy_says(negatives, judged):
    rows = [("q", "1", "x", -2), ("q", "2", "a", 1), ("q", "3", "a", -2)]
    policy = Policy(negatives=negatives)
    # Condensed, the ranking is x a, or a alone.
    result = evaluate(RUN, as_rows(rows), measures="P_IA(judged_only=True)@1", policy=policy, backend="reference")
    assert result["P_IA(judged_only=True)@1"] == {2: 0, 1: 1}[judged]


def test_negative_grades_may_be_refused():
    with pytest.raises(PolicyError, match="negative"):
        evaluate(RUN, as_rows([("q", "1", "a", -1), ("q", "2", "b", 1)]), measures=NOVELTY, policy=Policy(negatives="error"))


def test_a_ranking_may_be_cut_and_condensed():
    cut = evaluate(RUN, as_rows(ROWS), measures="StRecall@3", policy=Policy(depth=2), backend="reference")
    assert cut["StRecall@3"] == 1 / 3
    condensed = evaluate(RUN, as_rows(ROWS), measures=["P_IA@1", "StRecall@2"], policy=Policy(unjudged="drop"), backend="reference")
    assert dict(condensed) == {"P_IA@1": 1 / 3, "StRecall@2": 2 / 3}


def test_double_credit_counts_a_document_at_each_of_its_places():
    run = {"q": ["a", "a"]}
    result = evaluate(run, as_rows(ROWS), measures="P_IA@2", policy=Policy(duplicates="each"), backend="reference")
    assert result["P_IA@2"] == (1 + 1) / (3 * 2)


def test_a_fingerprint_changes_with_the_subtopic_of_a_judgement():
    moved = [*ROWS[:-1], ("q", "4", "c", 1)]
    both = [evaluate(RUN, as_rows(rows), measures="StRecall@3", backend="reference").fingerprint for rows in (ROWS, moved)]
    assert both[0] == both[1]  # the third subtopic has another name
    other = [*ROWS[:-1], ("q", "1", "c", 1)]
    assert evaluate(RUN, as_rows(other), measures="StRecall@3", backend="reference").fingerprint not in both


ASPECTS = st.dictionaries(st.tuples(st.sampled_from("abcdef"), st.sampled_from("123")), st.integers(0, 2), min_size=1)


@given(docs=st.permutations("abcdefgh"), n=st.integers(1, 8), aspects=ASPECTS)
@pytest.mark.filterwarnings("ignore:.*is for qrels with subtopics", "ignore:no document of the run is judged")
def test_order_preserving_names_and_added_documents_without_judgements_change_nothing(docs, n, aspects):
    measures = [*NOVELTY, "nERR_IA", "nNRBP", "P_IA@5"]
    rows = [("q", subtopic, doc, grade) for (doc, subtopic), grade in aspects.items()]
    renamed = [("q", subtopic, f"long name of {doc}", grade) for _, subtopic, doc, grade in rows]
    run, longer = {"q": docs[:n]}, {"q": [f"long name of {doc}" for doc in docs[:n]] + ["one more", "another"]}
    before = evaluate(run, as_rows(rows), measures=measures, backend="reference")
    after = evaluate(longer, as_rows(renamed), measures=measures, backend="reference")
    assert after.means == before.means


@pytest.mark.parametrize("measures", [NOVELTY, ["nNRBP", "P_IA@2"]])
def test_a_run_that_is_a_table_gives_what_a_mapping_gives(measures):
    scores = {"q": {"x": 3.0, "a": 2.0, "b": 1.0}, "r": {"a": 1.0}}
    table = pd.DataFrame([(query, doc, score) for query, docs in scores.items() for doc, score in docs.items()])
    table.columns = ["query_id", "doc_id", "score"]
    rows = as_rows([*ROWS, ("r", "1", "a", 1)])
    for policy in (Policy(), Policy(depth=2), Policy(unjudged="drop"), Policy(duplicates="each")):
        by_table = evaluate(table, rows, measures=measures, backend="reference", policy=policy)
        assert by_table.means == evaluate(scores, rows, measures=measures, backend="reference", policy=policy).means
