"""Measures: names of every dialect read to one value, which prints back, and what is no measure is refused with help."""

from __future__ import annotations

import pickle

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samescore import Measure, parse
from samescore.errors import MeasureError, short
from samescore.measures import CATALOGUE, names, parse_all

LINEAR = (("dcg", "log2"),)
EXPONENTIAL = (("dcg", "exp-log2"),)


@pytest.mark.parametrize(
    ("written", "measure"),
    [
        # as ir_measures writes them
        ("nDCG@10", Measure("nDCG", 10)),
        ("R@100", Measure("R", 100)),
        ("P(rel=2)@5", Measure("P", 5, (("rel", 2),))),
        ("nDCG(dcg='exp-log2')@10", Measure("nDCG", 10, EXPONENTIAL)),
        ("nDCG(dcg='log2', judged_only=True)@3", Measure("nDCG", 3, (*LINEAR, ("judged_only", True)))),
        ("RR", Measure("RR")),
        ("AP()", Measure("AP")),
        ("  AP @ 5 ", Measure("AP", 5)),
        # plain words, in any case
        ("recall@10", Measure("R", 10)),
        ("Recall@10", Measure("R", 10)),
        ("MRR", Measure("RR")),
        ("mrr@10", Measure("RR", 10)),
        ("map", Measure("AP")),
        ("MAP@100", Measure("AP", 100)),
        ("NDCG@10", Measure("nDCG", 10)),
        ("precision@5", Measure("P", 5)),
        ("hit_rate@5", Measure("Success", 5)),
        ("r-precision", Measure("Rprec")),
        ("recall(rel=2)@10", Measure("R", 10, (("rel", 2),))),
        # as ranx has them
        ("ndcg_burges@10", Measure("nDCG", 10, EXPONENTIAL)),
        # as trec_eval has them: its ndcg is linear
        ("ndcg_cut_10", Measure("nDCG", 10, LINEAR)),
        ("ndcg_cut.10", Measure("nDCG", 10, LINEAR)),
        ("recip_rank", Measure("RR")),
        ("map_cut_100", Measure("AP", 100)),
        ("P_5", Measure("P", 5)),
        ("P.5", Measure("P", 5)),
        ("recall_100", Measure("R", 100)),
        ("success_1", Measure("Success", 1)),
    ],
)
def test_a_name_of_any_dialect_is_read(written, measure):
    assert parse(written) == measure


@pytest.mark.parametrize(
    ("theirs", "measure"),
    [
        (ir_measures.nDCG @ 10, "nDCG(dcg='log2')@10"),
        (ir_measures.nDCG(dcg="exp-log2") @ 10, "nDCG(dcg='exp-log2')@10"),
        (ir_measures.P(rel=2) @ 5, "P(rel=2)@5"),
        (ir_measures.AP, "AP"),
        (ir_measures.R(judged_only=True) @ 7, "R(judged_only=True)@7"),
    ],
)
def test_a_measure_object_of_ir_measures_keeps_that_library_s_meaning(theirs, measure):
    assert parse(theirs) == parse(measure)


def levels_of(entry):
    """Values that a parameter of the catalogue may have."""
    known = {"rel": st.integers(1, 9), "dcg": st.sampled_from(["log2", "exp-log2"]), "judged_only": st.booleans()}
    return {name: known[name] for name in entry.params if name in known}


@st.composite
def measures(draw):
    """Any measure of the catalogue."""
    entry = draw(st.sampled_from(sorted(CATALOGUE.values(), key=lambda e: e.name)))
    cutoffs = {"none": st.none(), "optional": st.none() | st.integers(1, 10**6), "required": st.integers(1, 10**6)}
    params = draw(st.fixed_dictionaries({}, optional=levels_of(entry)))
    return Measure(entry.name, draw(cutoffs[entry.cutoff]), tuple(params.items()))


@given(measures())
def test_a_measure_reads_back_from_what_it_prints(measure):
    assert parse(str(measure)) == measure
    assert hash(parse(str(measure))) == hash(measure)
    assert repr(measure) == str(measure)
    assert pickle.loads(pickle.dumps(measure)) == measure


def test_parameters_are_in_one_order_and_defaults_are_left_out():
    assert parse("P(judged_only=True,rel=2)@5") == parse("P(rel=2, judged_only=True)@5")
    assert str(parse("P(judged_only=True,rel=2)@5")) == "P(rel=2,judged_only=True)@5"
    assert parse("P(judged_only=False)@5") == parse("P@5")


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("nDGC@10", ["nDGC", "nDCG"]),
        ("ndgc_cut_10", ["ndgc_cut_10"]),
        ("nDCG@0", ["@10", "at least 1"]),
        ("nDCG@-1", ["at least 1"]),
        ("nDCG@1.5", ["at least 1"]),
        ("nDCG@ten", ["'ten'", "at least 1"]),
        ("P_0", ["at least 1"]),
        ("Rprec@5", ["Rprec has no cutoff"]),
        ("nDCG(rell=2)@5", ["rell"]),
        ("P(relx=2)@5", ["'relx'", "try: rel"]),
        ("P(rel=0)@5", ["rel=0", "at least 1"]),
        ("P(rel=1.5)@5", ["rel=1.5"]),
        ("P(rel=True)@5", ["rel=True"]),
        ("nDCG(dcg='cubic')@5", ["'log2' or 'exp-log2'"]),
        ("nDCG(dcg=log2)@5", ["cannot read the parameters"]),
        ("P(2)@5", ["cannot read the parameters"]),
        ("P(rel=2@5", ["P(rel=2@5"]),
        ("nDCG@10, R@5", ["nDCG@10, R@5"]),
        ("", ["''"]),
        (None, ["None", "nDCG@10"]),
        (10, ["10"]),
        (b"nDCG@10", ["nDCG@10"]),
    ],
)
def test_what_is_no_measure_is_refused_with_what_was_given_and_what_would_do(written, words):
    with pytest.raises(MeasureError) as raised:
        parse(written)
    assert [word for word in words if word not in str(raised.value)] == []


@pytest.mark.parametrize("cutoff", [0, -1, 1.0, 2.5, True, "5", [5]])
def test_a_measure_with_a_cutoff_that_is_no_whole_number_from_1_cannot_exist(cutoff):
    with pytest.raises(MeasureError, match="at least 1"):
        Measure("nDCG", cutoff)


@pytest.mark.parametrize("cutoff", [2**53 + 1, 2**63, 10**5000], ids=short)
def test_a_cutoff_beyond_all_rankings_is_refused(cutoff):
    with pytest.raises(MeasureError, match=r"2\^53"):
        Measure("nDCG", cutoff)


def test_a_numpy_cutoff_is_an_int():
    assert Measure("nDCG", np.int64(5)) == Measure("nDCG", 5)
    assert str(Measure("nDCG", np.int64(5))) == "nDCG@5"


def test_an_unknown_name_cannot_exist_either():
    with pytest.raises(MeasureError, match="nDCG"):
        Measure("NDCG", 5)


def test_a_parameter_of_any_type_is_refused_or_taken():
    with pytest.raises(MeasureError, match="rel"):
        Measure("P", 5, (("rel", [2]),))
    with pytest.raises(MeasureError, match="dcg"):
        parse("nDCG(dcg=['log2'])@5")


def test_several_measures_keep_their_order_and_stand_once():
    assert parse_all(["mrr", "P@5", "RR", Measure("P", 5)]) == [parse("RR"), parse("P@5")]
    assert parse_all("nDCG@10") == parse_all(m for m in ["nDCG@10"]) == [parse("nDCG@10")]
    assert parse_all(Measure("RR")) == [Measure("RR")]


@pytest.mark.parametrize("none", [[], (), None, 5])
def test_no_measure_is_refused(none):
    with pytest.raises(MeasureError, match="nDCG@10"):
        parse_all(none)


@pytest.mark.parametrize("name", names())
def test_every_known_name_reads_with_a_cutoff_or_without(name):
    forms = [name, f"{name}@10", f"{name}_10"]
    read = []
    for form in forms:
        try:
            read.append(parse(form))
        except MeasureError:
            continue
    assert {measure.name for measure in read} <= set(CATALOGUE)
    assert read


@pytest.mark.parametrize("entry", CATALOGUE.values(), ids=str)
def test_every_measure_names_its_source(entry):
    assert len(entry.source) > len(entry.name)


def test_only_precision_without_a_cutoff_reads_how_many_were_retrieved():
    assert [name for name in ("nDCG", "DCG", "R", "P", "RR", "AP", "Success", "Rprec") if parse(name).reads_depth] == ["P"]
    assert not parse("P@5").reads_depth
