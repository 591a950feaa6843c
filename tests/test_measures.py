"""Measures: names of every dialect read to one value, which prints back, and what is no measure is refused with help."""

from __future__ import annotations

import ast
import pickle
import re
from importlib.util import find_spec
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from hypothesis import given, strategies as st

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
        ("err@20", Measure("ERR", 20)),
        ("f1@5", Measure("F1", 5)),
        ("R_cap@100", Measure("R_cap", 100)),
        # as ndeval has them
        ("alpha-nDCG@20", Measure("alpha_nDCG", 20)),
        ("ERR-IA@5", Measure("ERR_IA", 5)),
        ("MAP-IA", Measure("AP_IA")),
        ("strec@10", Measure("StRecall", 10)),
        # as ranx has them
        ("hits@10", Measure("Hits", 10)),
        ("hits@10-l2", Measure("Hits", 10, (("rel", 2),))),
        ("ndcg@10-l3", Measure("nDCG", 10, (("rel", 3),))),
        ("rbp.95", Measure("RBP", None, (("p", 0.95),))),
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
        ("iprec_at_recall_0.10", Measure("IPrec", None, (("recall", 0.1),))),
        ("11pt_avg", Measure("11pt")),
        ("bpref", Measure("Bpref")),
        ("infAP", Measure("infAP")),
        ("Rprec", Measure("Rprec")),
        ("set_P", Measure("SetP")),
        ("set_relative_P", Measure("SetP", None, (("relative", True),))),
        ("set_recall", Measure("SetR")),
        ("set_F", Measure("SetF")),
        ("set_F_2.0", Measure("SetF", None, (("beta", 2.0),))),
        ("set_map", Measure("SetAP")),
        ("relative_P_10", Measure("R_cap", 10)),
        ("unj_5", Measure("Unjudged", 5)),
        ("num_q", Measure("NumQ")),
        ("num_ret", Measure("NumRet")),
        ("num_rel", Measure("NumRel")),
        ("num_rel_ret", Measure("NumHits")),
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
        (ir_measures.IPrec @ 0.1, "IPrec@0.1"),
        (ir_measures.NumRelRet, "NumRet(rel=1)"),
        (ir_measures.RBP(rel=1, p=0.95), "RBP(p=0.95,rel=1)"),
        (ir_measures.nDCG(gains={1: 1, 2: 5}) @ 5, "nDCG(dcg='log2',gains={1:1,2:5})@5"),
    ],
)
def test_a_measure_object_of_ir_measures_keeps_that_library_s_meaning(theirs, measure):
    assert parse(theirs) == parse(measure)


NUMBERS = st.floats(0, 100, exclude_min=True) | st.integers(1, 100)
SHARES = st.floats(0, 1, exclude_min=True, exclude_max=True)
GRADES = st.integers(-3, 30) | st.floats(-3, 30)
VALUES = {
    "rel": st.integers(1, 9),
    "dcg": st.sampled_from(["log2", "exp-log2", "binary"]),
    "ideal": st.sampled_from(["judged", "retrieved", "uncut"]),
    "discount": st.sampled_from(["log2", "base2"]),
    "gains": st.dictionaries(GRADES, st.integers(0, 10**6) | st.floats(0, 1e6), min_size=1, max_size=5),
    "judged_only": st.booleans(),
    "relative": st.booleans(),
    "returned": st.booleans(),
    "normalize": st.booleans(),
    "norm": st.sampled_from(["min", "hits"]),
    "recall": st.floats(0, 1),
    "p": SHARES,
    "alpha": st.floats(0, 1),
    "beta": SHARES,
    "T": NUMBERS,
    "min_rel": st.integers(0, 3),
    "max_rel": st.integers(4, 1000),
}
"""Values that a parameter of the catalogue may have."""


@st.composite
def measures(draw):
    """Any measure of the catalogue."""
    entry = draw(st.sampled_from(sorted(CATALOGUE.values(), key=lambda e: e.name)))
    cutoffs = {"none": st.none(), "optional": st.none() | st.integers(1, 10**6), "required": st.integers(1, 10**6)}
    needed = {name: VALUES[name] for name, param in entry.params.items() if param.required}
    free = {name: VALUES[name] for name in entry.params if name not in needed}
    params = draw(st.fixed_dictionaries(needed, optional=free))
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
        ("nDCG(dcg='cubic')@5", ["'log2', 'exp-log2' or 'binary'"]),
        ("AP(norm='k')", ["is divided by k and has no cutoff", "AP(norm='k')@10"]),
        ("nDCG(dcg=log2)@5", ["cannot read the parameters"]),
        ("P(2)@5", ["cannot read the parameters"]),
        ("P(rel=2@5", ["P(rel=2@5"]),
        ("nDCG@10, R@5", ["nDCG@10, R@5"]),
        ("IPrec@2", ["recall=2.0", "from 0 to 1", "IPrec@0.1"]),
        ("IPrec@all", ["'all'", "not a number"]),
        ("IPrec", ["needs recall"]),
        ("SDCG@10", ["needs max_rel", "SDCG(max_rel=4)@10"]),
        ("INST(max_rel=2,min_rel=2)", ["min_rel is not below max_rel"]),
        ("R_cap", ["needs a cutoff"]),
        ("SDCG(max_rel=4)@1000001", ["more than 1,000,000"]),
        ("ERR_IA@1000001", ["more than 1,000,000"]),
        ("Bpref@10", ["no cutoff"]),
        ("nDCG(gains={1:-1})", ["gains of at least 0"]),
        ("nDCG(gains={})", ["gains of at least 0"]),
        ("Compat(p=1)", ["between 0 and 1"]),
        ("ERR(rel=2)@5", ["no parameter 'rel'"]),
        ("mrr-l0", ["rel=0"]),
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
    with pytest.raises(MeasureError, match=r"try: samescore.parse\('NDCG'\)"):
        Measure("NDCG", 5)


@pytest.mark.parametrize("params", ["rel", 5, [("rel",)], (("rel", 2), ("rel", 3)), ((["rel"], 2),)])
def test_parameters_that_are_no_pairs_or_stand_twice_are_refused(params):
    with pytest.raises(MeasureError, match="of P"):
        Measure("P", 5, params)


@pytest.mark.parametrize("name", [None, 5, ["P"]])
def test_a_name_that_is_no_text_is_refused(name):
    with pytest.raises(MeasureError, match="unknown measure"):
        Measure(name)


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
    forms = [name, f"{name}@10", f"{name}_10", f"{name}_0.5", f"{name}@0.5", f"{name}(max_rel=4)", f"{name}(max_rel=4)@10"]
    read = []
    for form in forms:
        try:
            read.append(parse(form))
        except MeasureError:
            continue
    assert {measure.name for measure in read} <= set(CATALOGUE)
    assert read


@pytest.mark.parametrize("entry", CATALOGUE.values(), ids=lambda entry: entry.name)
def test_every_measure_names_its_source(entry):
    assert len(entry.source) > len(entry.name)


def test_measures_of_how_many_were_retrieved_read_the_whole_ranking_and_others_do_not():
    alone = {name for name, entry in CATALOGUE.items() if entry.reads_depth == "always"}
    assert alone == {
        *("SetP", "SetF", "SetAP", "Accuracy", "NumRet", "Judged", "Unjudged", "Compat", "INST", "INSQ", "NERR10", "NERR11"),
    }
    assert [m for m in ("P", "P@5", "F1", "F1@5", "P_IA", "P_IA@5", "R", "nDCG") if parse(m).reads_depth] == ["P", "F1", "P_IA"]


LIBRARY = ir_measures.measures.registry
NEEDED = {"cutoff": 10, "recall": 0.5, "max_rel": 4}


@pytest.mark.parametrize("name", LIBRARY)
def test_every_measure_of_ir_measures_is_here_by_its_name_and_its_aliases(name):
    theirs = LIBRARY[name]
    required = {p: v for p, v in NEEDED.items() if p in theirs.SUPPORTED_PARAMS and theirs.SUPPORTED_PARAMS[p].required}
    if theirs.NAME in ("ERR_IA", "alpha_DCG"):
        required = {"cutoff": 10}  # no provider of theirs has these without one
    if theirs.NAME == "RBP":
        required = {"rel": 1}  # without it theirs takes raw grades
    asked = theirs(**required)
    ours = parse(asked)
    assert ours.name == theirs.NAME
    at = required.pop(theirs.AT_PARAM, None)
    inside = ",".join(f"{p}={v}" for p, v in required.items())
    written = f"{name}{f'({inside})' if inside else ''}{f'@{at}' if at is not None else ''}"
    assert parse(written).name == theirs.NAME
    assert parse(str(ours)) == ours


RANX = """
hits hit_rate precision recall f1 r-precision mrr map dcg dcg_burges ndcg ndcg_burges bpref rbp.95
""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", RANX)
def test_every_measure_of_ranx_is_here_by_its_name_with_its_suffix(name):
    assert parse(f"{name}-l2") == parse(name).with_params(rel=2)
    assert parse(str(parse(f"{name}-l2"))) == parse(f"{name}-l2")


def test_what_means_different_things_in_different_tools_is_refused_with_both():
    with pytest.raises(MeasureError, match="Success@k"):
        parse("accuracy@10")
    with pytest.raises(MeasureError, match="Unjudged@k"):
        parse("Hole@10")
    assert parse("Accuracy@10") == Measure("Accuracy", 10)
    assert "Success@k" in CATALOGUE["Accuracy"].note
    assert "beta = 4" in CATALOGUE["SetF"].note


def test_two_spellings_of_a_number_are_one_measure():
    assert parse("SetF(beta=2)") == parse("SetF(beta=2.0)") == parse("set_F_2")
    assert parse("nDCG(gains={1:1,2:3})") == parse("nDCG(gains={2.0:3.0,1:1})")
    assert str(parse("RBP(p=0.8)")) == "RBP"


@pytest.mark.parametrize(
    "text", ["nDCG@1_0", "nDCG@+5", "nDCG@٥", "P_٥", "P@5-l٢", "rbp.٩", "IPrec@+0.1", "IPrec@0.1_0", "nDCG@5.", "R@0x5"]
)
def test_a_number_is_written_in_plain_digits(text):
    with pytest.raises(MeasureError):
        parse(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("P(rel=2,rel=3)@5", "rel is given 2 times"),
        ("P(rel=2)@5-l3", "rel is given 2 times"),
        ("ndcg@10-l2-l3", "rel is given 2 times"),
        ("ndcg_burges(dcg='log2')@5", "dcg is given 2 times"),
        ("setrelp(relative=False)", "relative is given 2 times"),
        ("rbp.95(p=0.5)", "p is given 2 times"),
        ("IPrec(recall=0.5)@0.1", "recall is given 2 times"),
        ("P(cutoff=5)@10", "cutoff is given 2 times"),
        ("P(rel=2)(rel=3)", "cannot read the parameters"),
        ("nDCG(gains={1:2,1:3})@5", "gains says one grade twice"),
    ],
)
def test_a_parameter_that_is_given_twice_is_refused(text, said):
    with pytest.raises(MeasureError, match=re.escape(said)):
        parse(text)


@pytest.mark.parametrize("name", ["ndcg_cut", "map_cut", "iprec_at_recall", "unj", "relative_P"])
def test_a_name_of_trec_eval_without_its_number_is_refused_with_one_that_has_it(name):
    with pytest.raises(MeasureError) as raised:
        parse(name)
    first = raised.value.hint.split(", ")[0]
    assert first.startswith(f"{name}_")
    assert parse(first)


def test_bytes_are_one_measure_that_is_no_text():
    with pytest.raises(MeasureError, match="not b'nDCG'"):
        parse_all(b"nDCG")


def test_an_array_of_texts_is_so_many_measures_and_one_of_no_dimension_is_one():
    assert parse_all(np.array(["R@5", "RR"])) == [Measure("R", 5), Measure("RR")]
    assert parse_all(np.array("R@5")) == [Measure("R", 5)]
    assert parse_all(np.array(["R@5", Measure("RR")], dtype=object)) == [Measure("R", 5), Measure("RR")]
    with pytest.raises(MeasureError, match="no measure"):
        parse_all(np.array([]))


THEIRS = Path(find_spec("ranx").origin).parent / "metrics" / "__init__.py"
OURS = {"interpolated_precision_at_recall": "iprec_at_recall_0.1", "rank_biased_precision": "rbp.95"}
"""ranx's kernels by the names that they have there, where its names for measures are others."""


def test_every_kernel_of_ranx_is_a_measure_here():
    body = ast.parse(THEIRS.read_text(encoding="utf-8")).body
    listed = next(node.value for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    kernels = [name for name in ast.literal_eval(listed) if not name.startswith("get_")]
    assert len(kernels) >= len(RANX)
    assert [name for name in kernels if parse(OURS.get(name, name)).name not in CATALOGUE] == []
