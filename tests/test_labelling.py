"""Labelling: what was missed, and what should be judged next."""

from __future__ import annotations

import pandas
import pytest
from hypothesis import given, strategies as st
from strategies import tries

from samescore import Policy, SamescoreError, evaluate, misses, read_qrels, read_run, unjudged

QRELS = {"q1": {"a": 1, "b": 3, "c": 2, "d": 0}, "q2": {"x"}, "q3": {}}
DOCS = st.sampled_from("abcdef")
pytestmark = pytest.mark.filterwarnings("ignore:no document of the run is judged")

RUNS = st.dictionaries(st.sampled_from(["q1", "q2", "q4"]), st.lists(DOCS, max_size=6), min_size=1)
JUDGED = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), st.dictionaries(DOCS, st.integers(-1, 2)), min_size=1)


def rows(frame):
    return [tuple(None if pandas.isna(value) else value for value in row) for row in frame.itertuples(index=False, name=None)]


def test_misses_have_their_grade_and_the_rank_where_they_stand():
    assert rows(misses({"q1": ["d", "a", "c"], "q2": ["x"]}, QRELS, k=1)) == [
        ("q1", "b", 3, None),
        ("q1", "c", 2, 3),
        ("q1", "a", 1, 2),
    ]


def test_a_query_that_the_run_lacks_misses_everything_unless_it_is_skipped():
    run = {"q1": ["a", "b", "c"]}
    assert rows(misses(run, QRELS, k=3)) == [("q2", "x", 1, None)]
    assert rows(misses(run, QRELS, k=3, policy=Policy(missing="skip"))) == []


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (Policy(), [("q", "r", 1, 3)]),
        (Policy(duplicates="last"), [("q", "r", 1, 3)]),
        (Policy(unjudged="drop"), []),
        (Policy(depth=2), [("q", "r", 1, None)]),
        (Policy(relevance_level=2), []),
    ],
    ids=["default", "last", "condensed", "cut", "level"],
)
def test_the_policy_decides_the_rank_of_a_miss(policy, expected):
    assert rows(misses({"q": ["u", "u", "v", "r"]}, {"q": {"r": 1}}, k=2, policy=policy)) == expected


@pytest.mark.parametrize(
    ("ties", "expected"), [("doc_id", []), ("doc_id_ascending", [("q", "r", 1, 2)]), ("input", [("q", "r", 1, 2)])]
)
def test_the_policy_decides_ties(ties, expected):
    assert rows(misses({"q": {"a": 1.0, "r": 1.0}}, {"q": {"r": 1}}, k=1, policy=Policy(ties=ties))) == expected


CHUNKS = {"q": ["a#1", "a#2", "r#1", "x#1"]}


def of_chunk(chunk):
    return chunk.partition("#")[0]


def test_chunks_count_as_their_documents_once_each():
    assert rows(misses(CHUNKS, {"q": {"r": 1}}, k=1, doc_of=of_chunk)) == [("q", "r", 1, 2)]
    assert rows(unjudged({"bm25": CHUNKS}, {"q": {"r": 1}}, k=3, doc_of=of_chunk)) == [("q", "a", 1, 1), ("q", "x", 1, 3)]


def test_ids_that_are_integers_meet_those_that_are_text():
    assert rows(misses({1: [7, 8]}, {"1": {"8": 1}}, k=1)) == [("1", "8", 1, 2)]


def test_fractional_grades_stay():
    assert rows(misses({"q": ["z"]}, {"q": {"a": 1.5, "b": 2}}, k=5)) == [("q", "b", 2.0, None), ("q", "a", 1.5, None)]


@tries(60)
@given(run=RUNS, qrels=JUDGED, k=st.integers(1, 4))
def test_misses_are_what_recall_lacks(run, qrels, k):
    if not run.keys() & qrels.keys():
        return
    recall = evaluate(run, qrels, measures=f"R@{k}", backend="reference").per_query[f"R@{k}"]
    missed = misses(run, qrels, k)["query_id"].value_counts()
    for query, value in recall.items():
        relevant = sum(grade >= 1 for grade in qrels[query].values())
        assert missed.get(query, 0) == pytest.approx(relevant * (1 - value))


@pytest.mark.parametrize("k", [0, -1, True, 2.5, "3", None])
def test_a_k_below_1_or_no_number_is_refused(k):
    for call in (lambda: misses({}, {}, k), lambda: unjudged({}, {}, k)):
        with pytest.raises(SamescoreError, match="whole number of at least 1"):
            call()


def test_nothing_comes_of_nothing():
    assert list(misses({}, {}, 5).columns) == ["query_id", "doc_id", "grade", "rank"]
    assert list(unjudged({"empty": {}}, {}, 5).columns) == ["query_id", "doc_id", "runs", "best_rank"]
    assert len(misses({}, {}, 5)) == len(unjudged({"empty": {}}, {"q": {"d": 1}}, 5)) == 0


RUNS_OF_TWO = {"bm25": {"q1": ["a", "n", "m"], "q9": ["z"]}, "dense": {"q1": ["m", "k", "a"]}}


def test_the_pool_begins_with_what_most_runs_have_and_the_best_rank():
    pool = unjudged(RUNS_OF_TWO, {"q1": {"a": 1}}, k=3)
    assert rows(pool) == [("q1", "m", 2, 1), ("q1", "k", 1, 2), ("q1", "n", 1, 2), ("q9", "z", 1, 1)]


def test_the_pool_ends_at_k_in_each_run():
    assert rows(unjudged(RUNS_OF_TWO, {"q1": {"a": 1}}, k=1)) == [("q1", "m", 1, 1), ("q9", "z", 1, 1)]


def test_queries_restrict_the_pool():
    assert rows(unjudged(RUNS_OF_TWO, {"q1": {"a": 1}}, k=1, queries=["q1"])) == [("q1", "m", 1, 1)]
    with pytest.raises(SamescoreError, match="'q8'"):
        unjudged(RUNS_OF_TWO, {"q1": {"a": 1}}, k=1, queries=["q8"])
    with pytest.raises(SamescoreError, match="one text"):
        unjudged(RUNS_OF_TWO, {"q1": {"a": 1}}, k=1, queries="q1")


def test_a_document_that_a_run_has_twice_is_one_run():
    pool = unjudged({"bm25": {"q": [("d", 3.0), ("d", 2.0), ("e", 1.0)]}}, {"q": {}}, k=2)
    assert rows(pool) == [("q", "d", 1, 1), ("q", "e", 1, 2)]


def test_a_policy_that_condenses_still_has_a_pool():
    pool = unjudged({"bm25": {"q": ["u", "a"]}}, {"q": {"a": 1}}, k=2, policy=Policy(unjudged="drop"))
    assert rows(pool) == [("q", "u", 1, 1)]


def test_negative_grades_are_judgements_unless_the_policy_takes_them_for_none():
    runs, qrels = {"bm25": {"q": ["spam"]}}, {"q": {"spam": -2}}
    assert rows(unjudged(runs, qrels, k=1)) == []
    assert rows(unjudged(runs, qrels, k=1, policy=Policy(negatives="unjudged"))) == [("q", "spam", 1, 1)]


def test_one_run_that_was_read_needs_no_name():
    assert rows(unjudged(read_run({"q": ["d"]}), read_qrels({"q": {}}), k=1)) == [("q", "d", 1, 1)]


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ({"q1": ["d1"]}, "run 'q1': 'd1' has no query_id"),
        ({"q1": {"d1": 1.0}}, "run 'q1', query 'd1': the ranking is of type float"),
        (5, "runs are of type int"),
        ([5], "a run without a name: 5"),
        ({}, "there is no run"),
    ],
)
def test_a_run_in_the_place_of_several_is_refused_with_its_name(runs, message):
    with pytest.raises(SamescoreError, match=message):
        unjudged(runs, {}, k=1)


def test_a_folder_stands_for_its_runs(tmp_path):
    for name, doc in (("bm25.run", "d"), ("dense.run", "e")):
        (tmp_path / name).write_text(f"q Q0 d 1 2.0 t\nq Q0 {doc}2 2 1.0 t\n")
    assert rows(unjudged(tmp_path, {"q": {}}, k=2)) == [("q", "d", 2, 1), ("q", "d2", 1, 2), ("q", "e2", 1, 2)]


@pytest.mark.parametrize(("name", "between"), [("pool.csv", ","), ("pool.tsv", "\t")])
def test_the_file_for_annotators_has_a_column_to_fill(tmp_path, name, between):
    unjudged(RUNS_OF_TWO, {"q1": {"a": 1}}, k=1, file=tmp_path / name)
    expected = [["query_id", "doc_id", "runs", "best_rank", "relevance"], ["q1", "m", "1", "1", ""], ["q9", "z", "1", "1", ""]]
    assert [line.split(between) for line in (tmp_path / name).read_text().splitlines()] == expected


@pytest.mark.parametrize(
    ("name", "message"), [("pool", "no ending"), ("pool.xlsx", "xlsx"), ("nowhere/pool.csv", "cannot be written")]
)
def test_a_file_that_cannot_be_written_is_refused(tmp_path, name, message):
    with pytest.raises(SamescoreError, match=message):
        unjudged(RUNS_OF_TWO, {}, k=1, file=tmp_path / name)


@pytest.mark.parametrize("given", [{"file": 5}, {"queries": 5}])
def test_what_is_no_file_and_no_queries_is_refused(given):
    with pytest.raises(SamescoreError, match="is 5"):
        unjudged(RUNS_OF_TWO, {}, k=1, **given)
