"""Golden sets: the fingerprint follows the judgements and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samescore import fingerprint, read_qrels

QRELS = {"q1": {"d1": 2, "d2": 0}, "q2": {"d9": 1}}

IDS = st.text(min_size=1, max_size=3)
JUDGEMENTS = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-2, 4), max_size=4), max_size=4)


@pytest.mark.parametrize(
    "changed",
    [
        {"q1": {"d1": 1, "d2": 0}, "q2": {"d9": 1}},
        {"q1": {"d1": 2, "d3": 0}, "q2": {"d9": 1}},
        {"q1": {"d1": 2}, "q2": {"d9": 1}},
        {"q1": {"d1": 2, "d2": 0}, "q3": {"d9": 1}},
        {"q1": {"d1": 2, "d2": 0}},
        {"q1": {"d1": 2, "d2": 0}, "q2": {"d9": 1}, "q3": {}},
        {"q1": {"d1": 2, "d2": 0, "d9": 1}, "q2": {}},
    ],
    ids=["grade", "document", "row gone", "query", "query gone", "query without an answer", "row of another query"],
)
def test_it_changes_when_a_judgement_does(changed):
    assert fingerprint(changed) != fingerprint(QRELS)


@given(JUDGEMENTS, st.randoms())
def test_it_does_not_change_with_the_order_or_the_form(qrels, random):
    def shuffled(mapping):
        items = list(mapping.items())
        random.shuffle(items)
        return dict(items)

    other = {query: shuffled({doc: float(grade) for doc, grade in judged.items()}) for query, judged in shuffled(qrels).items()}
    assert fingerprint(other) == fingerprint(qrels) == fingerprint(read_qrels(qrels))


@given(JUDGEMENTS, JUDGEMENTS)
def test_it_differs_for_any_two_golden_sets_that_differ(one, other):
    assert (fingerprint(one) == fingerprint(other)) == (one == other)


def test_a_judgement_given_twice_alike_counts_once(tmp_path):
    once, twice = tmp_path / "once.txt", tmp_path / "twice.txt"
    once.write_text("q1 0 d1 1\n")
    twice.write_text("q1 0 d1 1\nq1 0 d1 1\n")
    assert fingerprint(twice) == fingerprint(once)


def test_judgements_in_conflict_keep_their_order_because_the_last_may_win(tmp_path):
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    one.write_text("q1 0 d1 1\nq1 0 d1 2\n")
    other.write_text("q1 0 d1 2\nq1 0 d1 1\n")
    assert fingerprint(one) != fingerprint(other)
