"""Groups of equals: letters that two runs share where they were not told apart, and only there."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, strategies as st
from strategies import tries

from samescore.tools.groups import group_letters, short_names

RUNS = "uvwxyz"
PAIRS = list(itertools.combinations(RUNS, 2))


@pytest.mark.parametrize(
    ("different", "expected"),
    [
        ([], "a a a a"),
        (["vx"], "ab a ab b"),
        (["ux", "uw"], "a ab b b"),
        (["uv", "uw", "ux", "vw", "vx", "wx"], "a b c d"),
        (["uv"], "a b ab ab"),
    ],
)
def test_letters_by_hand(different, expected):
    letters = group_letters("uvwx", [frozenset(pair) for pair in different])
    assert list(letters.values()) == expected.split()


@tries(100)
@given(st.lists(st.booleans(), min_size=len(PAIRS), max_size=len(PAIRS)))
def test_two_runs_share_a_letter_where_they_were_not_told_apart_and_each_group_is_as_large_as_it_can_be(told_apart):
    different = {frozenset(pair) for pair, apart in zip(PAIRS, told_apart, strict=True) if apart}
    letters = group_letters(RUNS, different)
    for pair in PAIRS:
        assert bool(set(letters[pair[0]]) & set(letters[pair[1]])) is (frozenset(pair) not in different)

    def alike(group):
        return not any(frozenset(pair) in different for pair in itertools.combinations(group, 2))

    groups = {frozenset(run for run in RUNS if letter in letters[run]) for letter in set("".join(letters.values()))}
    subsets = [frozenset(g) for n in range(1, len(RUNS) + 1) for g in itertools.combinations(RUNS, n) if alike(g)]
    assert groups == {group for group in subsets if not any(group < other for other in subsets)}


def test_the_first_run_has_the_first_letter_and_more_than_52_groups_have_numbers():
    runs = [f"r{i}" for i in range(60)]
    letters = group_letters(runs, [frozenset(pair) for pair in itertools.combinations(runs, 2)])
    assert list(letters.values()) == short_names(60)
    assert (letters["r0"], letters["r51"], letters["r52"]) == ("a", "Z", "53")
