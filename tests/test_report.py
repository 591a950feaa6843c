"""Report: every query that was left out, missing, tied, repeated or unjudged is there, in the result, in words and as JSON."""

from __future__ import annotations

import copy
import json
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from samescore import Policy, evaluate
from samescore.errors import InputError, SamescoreWarning

QRELS = {"q1": {"a": 2, "b": 0, "n": -1}, "q2": {"a": 1}, "empty": {"x": 0}, "gone": {"a": 1}, "gone and empty": {}}
RUN = {"q1": {"a": 2.0, "x": 1.0, "y": 1.0}, "q2": {"a": 1.0}, "empty": {"x": 1.0}, "unjudged": {"a": 1.0}}


def report(run=RUN, qrels=QRELS, measures="nDCG@10", queries=None, **clauses):
    return evaluate(run, qrels, measures=measures, backend="reference", policy=Policy(**clauses), queries=queries).report


def test_who_was_left_out_and_why():
    told = report()
    assert told.queries == 3
    assert told.unjudged_queries == ("unjudged",)
    assert told.empty == ("empty", "gone and empty")
    assert told.skipped == ("unjudged", "empty")
    assert told.missing == ("gone",)
    assert told.undefined == {}


@pytest.mark.parametrize(
    ("empty", "missing", "queries", "skipped"),
    [
        ("skip", "zero", 3, ("unjudged", "empty")),
        ("skip", "skip", 2, ("unjudged", "empty")),
        ("zero", "zero", 5, ("unjudged",)),
        ("one", "zero", 5, ("unjudged",)),
        ("zero", "skip", 3, ("unjudged",)),
    ],
)
def test_empty_and_missing_queries_count_as_the_policy_says(empty, missing, queries, skipped):
    told = report(empty=empty, missing=missing)
    assert (told.queries, told.skipped) == (queries, skipped)
    assert told.n == {"nDCG@10": queries}
    assert (told.empty, told.missing) == (("empty", "gone and empty"), ("gone",))


def test_a_measure_that_is_undefined_for_a_further_query_names_it_and_counts_its_own_queries():
    told = report(measures=["R(rel=2)@5", "R@5"])
    assert told.undefined == {"R(rel=2)@5": ("q2", "gone")}
    assert told.n == {"R(rel=2)@5": 1, "R@5": 3}


def test_duplicates_are_counted_by_query():
    told = report({"q1": ["a", "x", "a", "a", "x"], "q2": ["a"]})
    assert told.duplicates == {"q1": 3}


def test_tied_documents_are_counted_by_query_and_a_list_has_none():
    assert report().tied == {"q1": 2}
    assert report({"q1": ["a", "b"]}).tied == {}
    assert report({"q1": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 2.0, "e": 0.0, "f": 0.0}}).tied == {"q1": 5}
    assert report({"q1": [("a", 1.0), ("b", 1.0), ("a", 0.5)]}).tied == {"q1": 2}


@pytest.mark.parametrize("scores", [[2**53 + 1, 2**53, 2**60], [-(2**53) - 1, -(2**53), 0], [2.0**53, 2.0**53, math.inf]])
def test_documents_that_tie_because_whole_numbers_were_rounded_are_counted_in_every_form(scores, tmp_path):
    file = tmp_path / "run"
    file.write_text("".join(f"q Q0 d{i} 1 {score} t\n" for i, score in enumerate(scores)))
    ranking = {f"d{i}": score for i, score in enumerate(scores)}
    frame = pd.DataFrame({"query_id": "q", "doc_id": list(ranking), "score": scores})
    rest = pd.DataFrame({"query_id": "other", "doc_id": [f"d{i}" for i in range(10_000)], "score": range(10_000)})
    rest["score"] = rest["score"].astype(frame["score"].dtype)
    for run in ({"q": ranking}, {"q": list(ranking.items())}, file, frame, pd.concat([frame, rest])):
        report = evaluate(run, {"q": {"d0": 1}}, measures="RR", backend="reference").report
        assert report.rounded == {"q": 2}
        assert "2 documents tied at scores of 2^53 or more, to which whole numbers are rounded" in str(report)


def test_ties_are_told_where_documents_count_at_each_place_and_a_document_is_not_tied_with_itself():
    run = {"q1": [("a", 2.0), ("a", 2.0), ("x", 1.0), ("y", 1.0), ("x", 1.0)]}
    assert report(run, duplicates="each").tied == {"q1": 3}


@pytest.mark.parametrize("clause", ["nonrelevant", "unjudged"])
def test_negative_grades_are_counted_whatever_they_count_as(clause):
    assert report(negatives=clause).negatives == 1


def test_repeated_judgements_are_counted_and_conflicts_apart():
    qrels = {"q1": [("a", 1), ("a", 1), ("b", 0), ("b", 2), ("b", 0)]}
    told = report({"q1": ["a"]}, qrels, conflicts="max")
    assert (told.repeated_judgements, told.conflicts) == (1, 2)
    assert report({"q1": ["a"]}, {"q1": ["a", "a", "a"]}).repeated_judgements == 2


def test_a_query_whose_own_id_is_retrieved_is_named():
    run = {"q1": {"q1": 3.0, "a": 2.0}, "q2": ["a", "q2"]}
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    assert report(run, qrels).self_hits == ("q1", "q2")
    assert report(run, qrels, self_hits="drop").self_hits == ("q1", "q2")


def test_coverage_is_the_share_of_the_retrieved_that_is_judged_at_each_cutoff_asked():
    run, qrels = {"q1": ["a", "x", "b"], "q2": ["x"], "zz": ["a"]}, {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
    told = report(run, qrels, measures=["P@1", "P@2", "R", "nDCG@2"])
    assert told.judged == {1: (1 + 0) / 2, 2: (1 + 0) / 3, None: (2 + 0) / 4}
    assert report({"q1": []}, {"q1": {"a": 1}}).judged == {10: 0.0}


def test_the_largest_grade_is_told():
    assert report().largest_grade == 2
    assert report({"q1": ["a"]}, {"q1": {}}).largest_grade == 0


def test_a_query_for_which_nothing_was_retrieved_is_named_and_counts_as_zero():
    run, qrels = {"q1": ["a"], "q2": [], "q3": {}, "empty": []}, {"q1": {"a"}, "q2": {"a"}, "q3": {"b"}, "empty": {}, "gone": {"a"}}
    result = evaluate(run, qrels, measures="RR", backend="reference")
    assert result["RR"] == (1 + 0 + 0 + 0) / 4
    assert (result.report.nothing_retrieved, result.report.missing) == (("q2", "q3"), ("gone",))
    assert "2 queries for which nothing was retrieved, counted as 0: 'q2', 'q3'" in str(result)
    assert report(run, qrels, queries=["q1", "q3"]).nothing_retrieved == ("q3",)
    assert report().nothing_retrieved == ()


def test_a_ranking_that_the_policy_empties_by_condensing_it_is_not_one_that_retrieved_nothing():
    assert report({"q1": ["a"], "q2": ["x"]}, {"q1": {"a"}, "q2": {"a"}}, unjudged="drop").nothing_retrieved == ()


# Ids that belong to nothing


@pytest.mark.parametrize(
    ("run", "qrels"),
    [
        ({"q1": ["x", "y"], "q2": ["z"]}, {"q1": {"a"}, "q2": {"b"}}),
        ({"q1": ["x", "y"], "q2": []}, {"q1": {"a"}, "q2": {"b"}}),
        ({"q1": ["x", "y"], "q2": ["z"]}, {"q1": {"a"}, "q2": set()}),
        ({"q1": ["x", "y"], "q2": ["z"]}, {"q1": {"a"}, "q3": {"b"}}),
        ({"q1": {"x": 1.0, "y": 1.0}}, {"q1": {"a"}}),
    ],
    ids=["all", "beside an empty ranking", "beside a query without judgements", "beside a missing query", "scores"],
)
@pytest.mark.parametrize("unjudged", ["nonrelevant", "drop"])
def test_a_run_without_any_judged_document_warns(run, qrels, unjudged):
    with pytest.warns(SamescoreWarning, match="ids cut short"):
        told = report(run, qrels, unjudged=unjudged)
    assert "q1" in told.no_hit


def test_the_warning_points_at_the_call():
    with pytest.warns(SamescoreWarning) as caught:
        evaluate({"q1": ["x"]}, {"q1": {"a"}}, backend="reference")
    assert caught[0].filename == __file__


def test_a_query_without_any_judged_document_is_named_without_a_warning_where_others_have_some():
    told = report({"q1": ["a"], "q2": ["x"], "q3": []}, {"q1": {"a"}, "q2": {"a"}, "q3": {"a"}})
    assert told.no_hit == ("q2",)


# An explicit set of queries


def test_only_the_queries_asked_for_are_averaged_and_reported():
    run = {"q1": {"a": 1.0, "x": 1.0}, "q2": ["x", "a", "a"], "zz": ["a"]}
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "gone": {"a": 1}, "empty": {}}
    told = report(run, qrels, measures="RR", queries=["q2"])
    assert (told.queries, told.skipped, told.missing, told.empty) == (1, (), (), ())
    told = report(run, qrels, measures="RR", queries={"q1", "gone", "zz"})
    assert (told.queries, told.skipped, told.missing, told.empty) == (2, ("zz",), ("gone",), ())
    assert (told.tied, told.duplicates) == ({"q1": 2}, {})


@pytest.mark.parametrize(
    ("queries", "word"),
    [(["q1", "nobody"], "nobody"), ("q1", r"queries=\['q1'\]"), ([None], "None"), ([1.5], "1.5"), (5, "5"), (np.array("q1"), "q1")],
)
def test_queries_that_nobody_has_are_refused(queries, word):
    with pytest.raises(InputError, match=word):
        report(queries=queries)


def test_queries_may_be_whole_numbers_and_any_iterable():
    assert report({"1": ["a"], "2": ["a"]}, {"1": {"a"}, "2": {"a"}}, queries=iter([1])).queries == 1


# In words and as data


@pytest.mark.parametrize(
    ("clauses", "line"),
    [
        ({}, "3 queries averaged"),
        ({}, "1 query of the run left out, not judged: 'unjudged'"),
        ({}, "2 queries without a relevant document, left out: 'empty', 'gone and empty'"),
        ({"empty": "one"}, "2 queries without a relevant document, counted as 1: 'empty', 'gone and empty'"),
        ({}, "1 query not in the run, counted as 0: 'gone'"),
        ({"missing": "skip"}, "1 query not in the run, left out: 'gone'"),
        ({}, "2 documents in ties, ordered by document id, descending, in 1 query: 'q1'"),
        ({}, "1 negative grades, taken as not relevant"),
        ({}, "ranx's and trec_eval's ndcg are linear: Policy(gain='linear') or ndcg_cut_10"),
    ],
)
def test_each_thing_that_the_policy_did_has_a_line(clauses, line):
    assert line in str(evaluate(RUN, QRELS, backend="reference", policy=Policy(**clauses)))


def test_what_did_not_occur_has_no_line():
    printed = str(evaluate({"q1": ["a"]}, {"q1": {"a": 1}}, k=1, backend="reference"))
    table, told = printed.split("\n\n")
    assert told.split("\n")[:-1] == ["1 query averaged", "judged: 100.0% of the top 1, 100.0% of the retrieved"]
    assert table.startswith("measure")


def test_the_report_is_plain_json():
    plain = report().to_dict()
    repeat = json.loads(json.dumps(plain))
    assert repeat["missing"] == ["gone"]
    assert repeat["judged"] == {"10": pytest.approx((1 + 1) / 4)}
    assert report(measures="R").to_dict()["judged"].keys() == {"all"}


MAPPINGS = ["n", "undefined", "duplicates", "tied", "rounded", "misranked", "judged", "unmapped"]
CHANGES = [
    lambda found: found.__setitem__("q1", 5), lambda found: found.update(q1=5), lambda found: found.pop("q1", None),
    lambda found: found.setdefault("q9", 1), lambda found: found.clear(), lambda found: found.popitem(),
]  # fmt: skip


@pytest.mark.parametrize("name", MAPPINGS)
def test_no_mapping_of_a_report_can_be_changed_and_all_of_them_print_and_travel_as_dictionaries(name):
    told = report({"q1": [("a", 1.0), ("x", 1.0), ("a", 1.0)]})
    found = getattr(told, name)
    before = dict(found)
    for change in CHANGES:
        with pytest.raises(TypeError, match="cannot be changed"):
            change(found)
    assert getattr(told, name) == before
    assert repr(found) == repr(before)
    assert json.loads(json.dumps(found)) == json.loads(json.dumps(before))
    for repeat in (pickle.loads(pickle.dumps(told)), copy.deepcopy(told), copy.copy(told)):
        assert repeat == told
        assert type(getattr(repeat, name)) is type(found)


def test_the_versions_of_a_result_cannot_be_changed():
    origin = evaluate(RUN, QRELS, backend="reference").origin
    with pytest.raises(TypeError, match="cannot be changed"):
        origin["versions"]["numpy"] = "0"


DOCS = st.sampled_from("abcdef")
RUNS = st.dictionaries(st.sampled_from("pqrs"), st.lists(st.tuples(DOCS, st.integers(0, 3)), max_size=6), min_size=1)
JUDGED = st.dictionaries(st.sampled_from("pqrs"), st.dictionaries(DOCS, st.integers(-1, 3), max_size=5), min_size=1)


@given(RUNS, JUDGED, st.sampled_from(["skip", "zero", "one"]), st.sampled_from(["skip", "zero"]))
def test_every_query_is_accounted_for(run, qrels, empty, missing):
    if not run.keys() & qrels.keys():
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamescoreWarning)
        told = report(run, qrels, empty=empty, missing=missing)
    assert set(told.unjudged_queries) == run.keys() - qrels.keys()
    assert set(told.empty) == {q for q, judged in qrels.items() if max(judged.values(), default=0) < 1}
    assert set(told.missing) == qrels.keys() - run.keys() - set(told.empty)
    answered = run.keys() & qrels.keys() - set(told.empty)
    left_out = set(told.empty) & run.keys() if empty == "skip" else set()
    assert set(told.skipped) == set(told.unjudged_queries) | left_out
    counted = len(answered) + (len(told.missing) if missing == "zero" else 0)
    if empty != "skip":
        counted += len(set(told.empty) if missing == "zero" else set(told.empty) & run.keys())
    assert told.queries == counted


CHUNKS = {"a#1": "a", "a#2": "a", "b#1": "b"}


def chunk_lines(**clauses):
    result = evaluate({"q": ["a#1", "a#2", "b#1"]}, {"q": {"b"}}, measures=["R@1", "RR"], doc_of=CHUNKS, policy=Policy(**clauses))
    return [line for line in str(result.report).splitlines() if line.startswith("k counts")]


def test_a_report_says_what_k_counts_where_chunks_are_mapped_to_documents():
    assert chunk_lines() == [
        "k counts distinct documents; further chunks of the same documents, which it passes over: 0 down to k = 1, 1 in all"
    ]
    assert chunk_lines(duplicates="hold") == [
        "k counts chunks that were returned; those of them that repeat a document and earn nothing: 0 down to k = 1, 1 in all"
    ]


def test_values_above_one_are_put_down_to_double_credit():
    result = evaluate({"q": ["a", "a"]}, {"q": {"a"}}, measures="R@2", policy=Policy(duplicates="each"), backend="reference")
    assert "1 query for which R@2 is above 1, by double credit: 'q'" in str(result.report)
