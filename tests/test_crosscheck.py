"""Crosscheck: every backend on one rank space, what they agree on, what they lack, and what a wrong one says."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from importlib.util import find_spec

import pandas as pd
import pytest
from ir_measures import Qrel
from planted import NOT_FINITE, WRONG, Planted, Slight

from samescore import Policy, crosscheck, define, evaluate
from samescore.backends import BACKENDS
from samescore.errors import BackendError, GradeError, InputError, MeasureError, MissingLibraryError, PolicyError

RUN = {
    "ties": {"a": 1.0, "b": 1.0, "x": 1.0, "c": 0.5},
    "twice": [("a", 3.0), ("a", 2.0), ("y", 1.5), ("b", 1.0)],
    "one": ["y", "b", "a"],
    "nothing": [],
    "empty": ["a"],
    "unjudged": ["a"],
}
QRELS = {
    "ties": {"a": 2, "c": 1, "x": 0},
    "twice": {"a": 1, "b": 3, "z": 1},
    "one": {"a": 1, "b": 0},
    "nothing": {"a": 1},
    "empty": {"a": 0},
    "missing": {"a": 2},
}
MEASURES = ["nDCG@3", "RR", "AP", "NumRel", "NumRet", "P@2", "ERR@3", "infAP", "Judged@2"]
MAIN = ["ir_measures", "ranx"]

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")  # what trectools uses of pandas


@pytest.mark.parametrize(
    "policy", [Policy(), Policy(missing="skip", empty="one"), Policy(duplicates="last", depth=2, ties="input")]
)
def test_backends_agree_on_ties_duplicates_missing_and_empty_queries(policy):
    agreement = crosscheck(RUN, QRELS, measures=MEASURES, backends=MAIN, policy=policy)
    assert agreement.ok
    assert agreement.max_difference < 1e-12
    assert agreement.compared > 0
    assert list(agreement.table.index) == MEASURES
    assert list(agreement.table.columns) == ["reference", *MAIN, "difference", "tolerance"]
    for backend in ("reference", "ir_measures"):
        result = evaluate(RUN, QRELS, measures=["nDCG@3", "RR", "NumRel"], backend=backend, policy=policy)
        assert agreement.table[backend][list(result)].to_dict() == pytest.approx(dict(result), abs=1e-12)
    assert agreement.queries == evaluate(RUN, QRELS, policy=policy, backend="reference")["queries"]


def test_by_default_all_that_are_installed_take_part():
    agreement = crosscheck(RUN, QRELS, measures=["nDCG@3", "RR"])
    assert agreement.ok
    assert {*agreement.labels, *agreement.absent} == set(BACKENDS) - {"reference"}
    assert agreement.table.loc["RR", "ir_measures/msmarco"] == pytest.approx((1 / 3 + 1 + 1 / 3 + 0 + 0) / 5)


def test_what_a_backend_lacks_is_a_gap_in_the_table_and_no_error():
    agreement = crosscheck(RUN, QRELS, measures=["ERR@3", "RR"], backends=MAIN)
    assert agreement.ok
    assert agreement.table.loc["ERR@3", MAIN].isna().all()
    assert agreement.gaps[["measure", "backend", "kind"]].to_numpy().tolist() == [
        ["ERR@3", "ir_measures", "upstream"],
        ["ERR@3", "ranx", "upstream"],
    ]
    assert "upstream" in str(agreement)
    alone = crosscheck(RUN, QRELS, measures="ERR@3", backends="ranx")
    assert (alone.ok, alone.compared) == (True, 0)
    assert "without any of these measures: ranx" in str(alone)


def test_double_credit_is_a_gap_of_all_but_the_reference():
    agreement = crosscheck(RUN, QRELS, measures="RR", backends=MAIN, policy=Policy(duplicates="each"))
    assert set(agreement.gaps["backend"]) == set(MAIN)


def test_a_wrong_backend_is_found_and_its_values_named():
    agreement = crosscheck(RUN, QRELS, measures=["RR", "AP"], backends=["ir_measures", WRONG])
    assert not agreement.ok
    row = {"query": "twice", "measure": "RR", "backend": "planted 1", "value": 0.123, "reference": 1.0}
    assert agreement.disagreements.to_dict("records")[0] == row
    assert set(agreement.disagreements["query"]) == {"twice", "one"}
    assert agreement.max_difference == pytest.approx(1 - 0.123)
    assert agreement.table.loc["RR", ["difference", "tolerance"]].tolist() == [pytest.approx(1 - 0.123), 1e-9]
    assert "query 'twice', RR: planted 1 0.123, reference 1.0" in str(agreement)
    assert str(agreement).startswith("2 of ")


@pytest.mark.parametrize("kind", NOT_FINITE)
def test_what_is_no_number_agrees_with_none(kind):
    agreement = crosscheck(RUN, QRELS, measures=["RR", "P@1"], backends=NOT_FINITE[kind])
    assert not agreement.ok
    assert agreement.max_difference == float("inf")
    assert list(agreement.disagreements["query"]) == ["twice", "one"]
    assert pd.isna(agreement.table.loc["RR", "planted 1"])
    plain = json.loads(agreement.to_json())
    assert (plain["ok"], plain["max_difference"], plain["disagreements"][0]["value"]) == (False, None, None)


@pytest.mark.parametrize(
    ("more", "resolution", "ok", "largest"),
    [(5e-10, 0.0, True, 5e-10), (2e-9, 0.0, False, 2e-9), (4e-6, 5e-6, True, 0.0), (6e-6, 5e-6, False, 6e-6)],
)
def test_the_tolerance_is_a_billionth_or_what_a_backend_declares(more, resolution, ok, largest):
    agreement = crosscheck({"q": ["a"]}, {"q": {"a": 1}}, measures="RR", backends=Slight(more, resolution))
    assert agreement.ok is ok
    assert agreement.max_difference == pytest.approx(largest, rel=1e-3)
    assert agreement.table.loc["RR", "tolerance"] == max(1e-9, resolution)
    assert ("few decimals" in str(agreement)) is (resolution > 0)


def test_the_difference_of_a_value_above_1_is_a_share():
    agreement = crosscheck({"q": ["a"]}, {"q": {"a": 40}}, measures="DCG@1", backends=Slight(100.0))
    assert agreement.ok
    assert agreement.max_difference == pytest.approx(100 / (2**40 - 1))


def test_counts_are_sums():
    table = crosscheck(RUN, QRELS, measures=["NumRel", "NumQ"], backends="ir_measures").table
    assert table.loc["NumRel"].tolist()[:2] == [2 + 3 + 1 + 1 + 1, 8]
    assert table.loc["NumQ"].tolist()[:2] == [5, 5]


@pytest.mark.skipif(find_spec("pyndeval") is None, reason="pyndeval is not installed")
def test_measures_of_subtopics_are_checked_too():
    rows = [Qrel("q", "a", 1, "1"), Qrel("q", "a", 1, "2"), Qrel("q", "b", 2, "2")]
    agreement = crosscheck({"q": ["x", "b", "a"]}, rows, measures=["alpha_nDCG@3", "StRecall@2"])
    assert agreement.ok
    assert agreement.table.loc["StRecall@2", ["reference", "ir_measures/pyndeval"]].tolist() == [1 / 2, 1 / 2]


def test_a_measure_of_ones_own_is_computed_once_for_all():
    own = define("Depth", lambda ranking: ranking.depth)
    agreement = crosscheck(RUN, QRELS, measures=[own, "RR"], backends=["ir_measures", WRONG])
    assert agreement.table.loc["Depth", "reference"] == (4 + 3 + 3 + 0 + 0) / 5
    assert agreement.own == ("Depth",)
    assert set(agreement.disagreements["measure"]) == {"RR"}
    assert "functions of their own, for every backend alike: 'Depth'" in str(agreement)


def test_queries_and_cutoffs_are_those_of_evaluate():
    agreement = crosscheck(RUN, QRELS, 2, backends="reference", queries=["one"])
    assert (agreement.measures, agreement.queries, agreement.compared) == (("R@2", "RR", "nDCG@2"), 1, 0)
    assert agreement.table["reference"].to_dict() == {"R@2": 0, "RR": 1 / 3, "nDCG@2": 0}


def test_a_backend_named_by_its_module_takes_part():
    agreement = crosscheck(RUN, QRELS, measures="RR", backends=["planted:WRONG"])
    assert list(agreement.labels.items()) == [("planted:WRONG", "planted 1")]
    assert not agreement.ok


def test_everything_is_plain_in_a_dictionary_and_printed_in_markdown():
    agreement = crosscheck(RUN, QRELS, measures=["RR", "ERR@3"], backends=["ir_measures", WRONG])
    plain = agreement.to_dict()
    assert json.loads(agreement.to_json()) == plain
    assert plain["policy"] == Policy().signature
    assert [row["backend"] for row in plain["measures"] if row["measure"] == "RR"] == ["reference", "ir_measures", "planted 1"]
    assert next(row["gap"]["kind"] for row in plain["measures"] if row["gap"]) == "upstream"
    assert "| RR |" in agreement.to_markdown()
    with pytest.raises(FrozenInstanceError):
        agreement.rows = ()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"backends": "nobody"}, BackendError, "unknown backend"),
        ({"backends": []}, BackendError, "no backend"),
        ({"backends": [Planted(), Planted()]}, BackendError, "two backends"),
        ({"backends": Planted(label="a|b")}, BackendError, "label"),
        ({"measures": "nothing@5"}, MeasureError, "unknown measure"),
        ({"k": 5, "measures": "RR"}, MeasureError, "both"),
        ({"policy": "trec_eval"}, PolicyError, "policy"),
        ({"policy": Policy(missing="error")}, PolicyError, "lacks"),
        ({"queries": ["who"]}, InputError, "who"),
    ],
)
def test_what_makes_no_sense_is_refused(options, error, words):
    with pytest.raises(error, match=words):
        crosscheck(RUN, QRELS, **{"backends": "reference", **options})


class Absent(Planted):
    """A backend whose library is not there."""

    def score(self, rankings, measures):
        raise MissingLibraryError("the library is not installed", hint="pip install it")


def test_a_backend_that_is_named_must_be_installed_and_another_is_left_out(monkeypatch):
    with pytest.raises(MissingLibraryError):
        crosscheck(RUN, QRELS, measures="RR", backends=Absent())
    monkeypatch.setattr("samescore.backends.BACKENDS", {"ir_measures": BACKENDS["ir_measures"], "absent": f"{__name__}:Absent"})
    agreement = crosscheck(RUN, QRELS, measures="RR")
    assert agreement.absent == {"absent": "the library is not installed"}
    assert "absent was not asked: the library is not installed" in str(agreement)


def test_a_measure_to_which_a_grade_means_nothing_is_a_gap_and_the_others_are_compared():
    run, qrels = {"q1": ["a", "b"]}, {"q1": {"a": -1, "b": 1}}
    agreement = crosscheck(run, qrels, measures=["infAP", "RR"])
    assert agreement.ok
    assert {row.gap.why for row in agreement.rows if row.measure == "infAP"} == {
        "the grade is -1, which to infAP(rel=1) means pooled but not judged"
    }
    assert {row.mean for row in agreement.rows if row.measure == "RR" and row.gap is None} == {0.5}
    with pytest.raises(GradeError, match="pooled but not judged"):
        crosscheck(run, qrels, measures="infAP")
