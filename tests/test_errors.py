"""Errors: one root, leaves that are also the built-in kind, a second line that helps, and whole after a process boundary."""

from __future__ import annotations

import copy
import pickle

import pytest

from samescore import SamescoreError, errors

BUILT_IN = {
    errors.InputError: ValueError,
    errors.InputTypeError: TypeError,
    errors.IdError: ValueError,
    errors.ScoreError: ValueError,
    errors.GradeError: ValueError,
    errors.FormatError: ValueError,
    errors.MismatchError: ValueError,
    errors.PolicyError: ValueError,
    errors.MeasureError: ValueError,
    errors.BackendError: ValueError,
    errors.GapError: NotImplementedError,
    errors.ResultKeyError: KeyError,
    errors.MissingLibraryError: ImportError,
    errors.WriteError: OSError,
}


def test_every_error_is_in_the_table_of_built_in_kinds():
    leaves = {e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, SamescoreError)}
    assert leaves - {SamescoreError} == set(BUILT_IN)


@pytest.mark.parametrize(("kind", "built_in"), BUILT_IN.items())
def test_an_error_can_be_caught_as_samescore_s_and_as_the_built_in_kind(kind, built_in):
    assert issubclass(kind, SamescoreError)
    assert issubclass(kind, built_in)


@pytest.mark.parametrize("kind", [SamescoreError, *BUILT_IN])
def test_the_first_line_says_what_and_where_and_the_second_what_to_try(kind):
    error = kind("the score is NaN", where="run.txt, line 3", hint="drop the line")
    assert str(error) == "run.txt, line 3: the score is NaN\ntry: drop the line"
    assert (error.what, error.where, error.hint) == ("the score is NaN", "run.txt, line 3", "drop the line")


@pytest.mark.parametrize(
    ("fields", "text"), [({}, "wrong"), ({"where": "here"}, "here: wrong"), ({"hint": "this"}, "wrong\ntry: this")]
)
def test_place_and_hint_may_be_absent(fields, text):
    assert str(SamescoreError("wrong", **fields)) == text


@pytest.mark.parametrize("kind", [SamescoreError, *BUILT_IN])
@pytest.mark.parametrize("through", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy])
def test_an_error_survives_pickling_and_copying(kind, through):
    error = kind("what", where="where", hint="hint")
    repeat = through(error)
    assert type(repeat) is kind
    assert str(repeat) == str(error)
    assert (repeat.what, repeat.where, repeat.hint) == ("what", "where", "hint")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ({}, ""),
        ({"query": "q1"}, "query 'q1'"),
        ({"query": "q1", "document": "d7"}, "query 'q1', document 'd7'"),
        ({"file": "run.txt"}, "run.txt"),
        ({"file": "run.txt", "line": 3}, "run.txt, line 3"),
    ],
)
def test_a_place_in_the_input_is_named_in_words(place, words):
    assert SamescoreError("what", **place).where == words


def test_long_values_are_cut_in_the_middle_and_short_ones_are_whole():
    assert errors.short("d1") == "'d1'"
    cut = errors.short("a" * 500 + "z" * 500)
    assert len(cut) < 70
    assert cut.startswith("'aaa")
    assert cut.endswith("zzz'")


def test_a_value_that_has_no_repr_is_named_by_its_type():
    assert errors.short(10**5000) == "<int>"


def test_examples_show_the_first_few_and_count_the_rest():
    assert errors.examples(["a", "b", "c"]) == "'a', 'b', 'c'"
    assert errors.examples(["a", "b", "c", "d", "e"]) == "'a', 'b', 'c' and 2 more"
    assert errors.examples([]) == ""


def test_the_nearest_names_are_offered_whatever_their_case_and_all_where_none_is_near():
    assert errors.nearest("ndgc", ["nDCG", "RR", "P"]) == "nDCG"
    assert errors.nearest("zzzz", ["nDCG", "RR"]) == "nDCG, RR"
    assert errors.nearest("zzzz", ["nDCG", "RR"], default=["AP"]) == "AP"
    assert errors.nearest("zzzz", [f"run{i}" for i in range(100)]).endswith("run10, run11 and 88 more")
