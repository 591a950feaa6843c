"""Policy: every clause has its reason, its values and its place in the signature, which reads back."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, replace
from typing import get_args, get_type_hints

import numpy as np
import pytest
from hypothesis import given, strategies as st

from samescore import Measure, Policy, evaluate, parse
from samescore.errors import PolicyError, short
from samescore.policy import CLAUSES, PRESETS, STEPS, as_code, presets, reasons, treatment

NUMBERS = {"relevance_level": st.integers(1, 99), "depth": st.none() | st.integers(1, 10**6), "float32_scores": st.booleans()}
CHOICES = {name: get_args(hint) for name, hint in get_type_hints(Policy).items() if name not in NUMBERS}
POLICIES = st.builds(Policy, **{name: st.sampled_from(values) for name, values in CHOICES.items()}, **NUMBERS)


@given(POLICIES)
def test_a_signature_reads_back_to_its_policy(policy):
    assert Policy.parse(policy.signature) == policy
    assert "\n" not in policy.signature


@given(POLICIES.filter(lambda policy: policy.missing != "error" and policy.negatives != "error"))
def test_the_signature_of_a_result_reads_back_to_its_policy(policy):
    result = evaluate({"q": ["a"]}, {"q": {"a": 1}, "r": {"b": 1}}, backend="reference", policy=policy)
    assert Policy.parse(result.signature) == policy


@given(POLICIES, POLICIES)
def test_two_policies_are_one_value_exactly_when_their_signatures_are_one(a, b):
    assert (a == b) == (a.signature == b.signature)


def test_a_signature_names_every_clause_once():
    names = [part.partition(":")[0].strip() for part in Policy().signature.split("|")]
    assert len(names) == len(set(names)) == len(fields(Policy))


def test_clauses_that_a_signature_does_not_name_have_their_default():
    assert Policy.parse("ties:input") == Policy(ties="input")
    assert Policy.parse(" dup:last|missing:skip ") == Policy(duplicates="last", missing="skip")


@pytest.mark.parametrize("clause", [f.name for f in fields(Policy)])
def test_every_clause_says_what_its_default_does_and_why(clause):
    what, _, why = reasons()[clause].partition(": ")
    assert what.lower().startswith(CLAUSES[clause].sentence(getattr(Policy(), clause)).lower())
    assert len(why.split()) > 2
    assert why.endswith(".")


@pytest.mark.parametrize("clause", [f.name for f in fields(Policy)])
def test_the_documentation_of_the_class_has_every_clause_and_its_type(clause):
    entry = (inspect.getdoc(Policy) or "").partition(f"\n{clause} : ")[2].splitlines()
    assert entry[0]
    assert entry[1].strip()


@pytest.mark.parametrize("clause", CHOICES)
def test_every_value_that_the_type_allows_has_words_and_no_other(clause):
    assert tuple(CLAUSES[clause].words) == CHOICES[clause]
    assert len(set(CLAUSES[clause].words.values())) == len(CHOICES[clause])


@given(POLICIES)
def test_every_value_of_a_clause_reads_as_a_part_of_a_sentence(policy):
    for name, clause in CLAUSES.items():
        words, sentence = treatment(policy, name), clause.sentence(getattr(policy, name))
        assert words in sentence
        assert len(words) < len(sentence)
        assert "{" not in sentence


def test_clauses_act_one_after_the_other_and_each_has_a_name_of_its_own_in_a_signature():
    assert sorted(STEPS) == sorted(CLAUSES)
    assert len({clause.short or name for name, clause in CLAUSES.items()}) == len(CLAUSES)


def test_a_clause_with_one_more_value_needs_no_more_than_its_words():
    more = replace(CLAUSES["duplicates"], words={**CLAUSES["duplicates"].words, "worst": "counted once, at their worst rank"})
    assert more.check("duplicates", "worst") == more.read("worst") == "worst"
    assert more.accepting == ("first", "hold", "last", "each", "worst")
    assert more.sentence("worst") == "repeated documents counted once, at their worst rank"
    with pytest.raises(PolicyError, match="'worst'"):
        more.check("duplicates", "worse")


def test_the_policy_needs_no_numpy():
    done = subprocess.run(
        [sys.executable, "-c", "import sys, samescore.policy; print('numpy' in sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "False\n"


@pytest.mark.parametrize(("clause", "value"), [(name, value) for name, values in CHOICES.items() for value in values])
def test_every_listed_value_of_a_clause_is_allowed(clause, value):
    assert getattr(Policy(**{clause: value}), clause) == value


@pytest.mark.parametrize("clause", CHOICES)
@pytest.mark.parametrize("value", ["no such value", None, 1, True, [], "DOC_ID"])
def test_any_other_value_is_refused_and_the_allowed_ones_offered(clause, value):
    with pytest.raises(PolicyError) as raised:
        Policy(**{clause: value})
    first, second = str(raised.value).split("\n")
    assert clause in first
    assert all(repr(allowed) in second for allowed in CHOICES[clause])


@pytest.mark.parametrize("clause", ["relevance_level", "depth"])
@pytest.mark.parametrize("value", [0, -1, 1.5, 2.0, "2", True, float("nan"), 2**53 + 1, 10**5000], ids=short)
def test_a_level_or_depth_that_is_no_whole_number_from_1_to_2_53_is_refused(clause, value):
    with pytest.raises(PolicyError, match=clause):
        Policy(**{clause: value})


@pytest.mark.parametrize("clause", ["relevance_level", "depth"])
@pytest.mark.parametrize("kind", [np.int64, np.uint8])
def test_a_whole_number_of_numpy_is_one(clause, kind):
    policy = Policy(**{clause: kind(2)})
    assert policy == Policy(**{clause: 2})
    assert type(getattr(policy, clause)) is int
    with pytest.raises(PolicyError, match=clause):
        Policy(**{clause: np.float64(2)})


@pytest.mark.parametrize("value", [0, 1, None, "yes"])
def test_float32_scores_is_true_or_false(value):
    with pytest.raises(PolicyError, match="float32_scores"):
        Policy(float32_scores=value)


@pytest.mark.parametrize(
    ("signature", "word"),
    [
        ("tiez:input", "ties"),
        ("ties:sideways", "doc_id"),
        ("rel:0", "relevance_level"),
        ("depth:deep", "depth"),
        ("float32:maybe", "float32_scores"),
        ("", "ties:doc_id"),
        ("nothing here", "nothing here"),
        ("rel:" + "9" * 5000, "relevance_level"),
        ("rel:٥", "relevance_level"),
        ("rel:1 | gain:linear | rel:2", "'rel' stands twice"),
        ("rel:1 | relevance_level:2", "'relevance_level' stands twice"),
        ("gain:linear | ties", "'ties' has no value"),
        (None, "None"),
        (5, "5"),
    ],
)
def test_a_signature_that_is_none_is_refused_with_what_would_do(signature, word):
    with pytest.raises(PolicyError, match=word):
        Policy.parse(signature)


def test_a_policy_is_a_value():
    assert Policy() == Policy()
    assert hash(Policy()) == hash(Policy())
    assert len({Policy(), Policy(), Policy(gain="linear")}) == 2
    with pytest.raises(FrozenInstanceError):
        Policy().ties = "input"


def test_clauses_are_given_by_name():
    with pytest.raises(TypeError):
        Policy("input")


def test_but_changes_the_clauses_given_and_no_others():
    changed = Policy.trec_eval().but(depth=1000, gain="exponential")
    others = [f.name for f in fields(Policy) if f.name not in ("depth", "gain")]
    assert (changed.depth, changed.gain) == (1000, "exponential")
    assert [getattr(changed, name) for name in others] == [getattr(Policy.trec_eval(), name) for name in others]
    assert Policy().but() == Policy()


def test_but_refuses_a_clause_that_is_none_and_offers_the_nearest():
    with pytest.raises(PolicyError, match="duplicates"):
        Policy().but(duplicate="last")


def test_trec_eval_is_linear_and_averages_over_the_queries_of_both_sides():
    run, qrels = {"q1": ["x", "a"]}, {"q1": {"a": 3, "x": 1, "n": -1}, "q2": {"b": 1}, "q3": {"c": 0}}
    linear = (1 + 3 / 1.584962500721156) / (3 + 1 / 1.584962500721156)
    assert evaluate(run, qrels, measures="nDCG@10", policy=Policy.trec_eval())["nDCG@10"] == pytest.approx(linear, abs=1e-12)
    complete = evaluate(run, qrels, measures="nDCG@10", policy=Policy.trec_eval(complete=True))
    assert complete["nDCG@10"] == pytest.approx(linear / 3, abs=1e-12)
    assert complete["queries"] == 3


@pytest.mark.parametrize(
    ("policy", "measure", "resolved"),
    [
        (Policy(), "nDCG@10", "nDCG(dcg='exp-log2')@10"),
        (Policy(gain="linear"), "DCG", "DCG(dcg='log2')"),
        (Policy(), "nDCG(dcg='log2')", "nDCG(dcg='log2')"),
        (Policy(gain="linear"), "nDCG(dcg='exp-log2')", "nDCG(dcg='exp-log2')"),
        (Policy(), "R@5", "R(rel=1)@5"),
        (Policy(relevance_level=2), "AP", "AP(rel=2)"),
        (Policy(relevance_level=2), "P(rel=1)@5", "P(rel=1)@5"),
        (Policy(relevance_level=2), "nDCG@5", "nDCG(dcg='exp-log2')@5"),
    ],
)
def test_the_policy_gives_gain_and_level_where_a_measure_names_none(policy, measure, resolved):
    assert policy.resolve(parse(measure)) == parse(resolved)
    assert isinstance(policy.resolve(parse(measure)), Measure)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_says_which_version_of_the_tool_was_read(name):
    assert re.search(r"Versions? read: .*\d\.\d", getattr(Policy, name).__doc__)


@given(POLICIES)
def test_a_policy_as_code_makes_it_again(policy):
    assert eval(as_code(policy), {"Policy": Policy}) == policy


def test_presets_are_written_as_they_are_made():
    assert all(as_code(policy) == code for code, policy in presets().items())
