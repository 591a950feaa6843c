"""Names of measures: one table for all tools, read in both directions, and hints for what is misspelt."""

from __future__ import annotations

import re
from pathlib import Path

import ir_measures
import pytest

from samescore import Measure, describe, parse
from samescore.errors import MeasureError
from samescore.measures import CATALOGUE
from samescore.measures.names import (
    EVERY,
    OTHERS,
    TOOLS,
    TREC_EVAL,
    TREC_EVAL_OPTIONS,
    current,
    name_of,
    names_page,
    tool_of,
    version,
)
from samescore.measures.parsing import LISTED, _NotOursError, _parse_text, by_tool, meaning
from samescore.tools.trec_eval.measures import TABLE
from samescore.tools.trec_eval.program import columns_of

NUMBERS = {"cutoff": "10", "rel": "2", "recall": "0.10", "beta": "0.5", "p": ".95"}


def filled(pattern):
    """A name of the table with a number in each pair of braces."""
    return re.sub(r"\{(\w+)\}", lambda braces: NUMBERS[braces[1]], pattern)


NAMES = [(tool, filled(pattern)) for tool, entry in TOOLS.items() for pattern in entry.names]
READ = [(tool, name) for tool, name in NAMES if meaning(name, tool)]


def with_gain(measure, tool):
    """The measure with the gain of a tool where it has none."""
    free = "dcg" in measure.entry.params and measure.get("dcg") is None
    return measure.with_params(dcg=TOOLS[tool].gain) if free and TOOLS[tool].gain else measure


@pytest.mark.parametrize(("tool", "name"), [pair for pair in NAMES if pair not in READ])
def test_a_name_of_the_table_that_is_not_read_needs_a_number_or_is_another_measure_in_its_tool(tool, name):
    if meaning(name, "samescore") is not None:
        with pytest.raises(MeasureError, match=f"{tool}'s"):
            parse(name, tool)
    else:
        with pytest.raises(MeasureError, match=r"needs|has no cutoff"):
            parse(name, tool)


@pytest.mark.parametrize(("tool", "name"), READ)
def test_a_name_of_the_table_reads_back_from_what_its_measure_is_called(tool, name):
    measure = parse(name, tool)
    written = name_of(measure, TOOLS[tool])
    assert written is not None
    assert parse(written, tool) == measure


@pytest.mark.parametrize(("tool", "name"), READ)
def test_parse_and_validate_agree_on_what_a_name_means(tool, name):
    assert with_gain(parse(name), tool) == meaning(name, tool) == parse(name, tool)


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_names_what_was_read_and_measures_of_the_catalogue(tool):
    assert TOOLS[tool].source
    assert {parse(name, tool).name for other, name in READ if other == tool} <= set(CATALOGUE)


def test_every_measure_of_ir_measures_is_in_its_table():
    theirs = {measure.NAME for measure in ir_measures.measures.registry.values()}
    assert {name for name in TOOLS["ir_measures"].names if "{" not in name} == theirs


def test_every_measure_of_trec_eval_is_in_its_table_or_said_to_be_its_own():
    columns = [column.name for name in TABLE for column in columns_of([name])]
    unknown = [name for name in columns if meaning(name, "trec_eval") is None]
    assert {name for name in TABLE if any(column == name or column.startswith(f"{name}_") for column in unknown)} >= {"gm_map", "G"}
    for name in unknown:
        with pytest.raises(MeasureError, match=r"try: samescore trec_eval -m \w+"):
            parse(name, "trec_eval")


@pytest.mark.parametrize("pattern", TREC_EVAL_OPTIONS.names)
def test_what_trec_eval_s_option_takes_is_read_and_asked_for(pattern):
    option = filled(pattern)
    printed = next(filled(name) for name in TREC_EVAL.names if name.replace("_{", ".{") == pattern)
    assert with_gain(parse(option), "trec_eval") == parse(printed, "trec_eval")
    assert len(columns_of([option])) >= 1


@pytest.mark.parametrize("old", TREC_EVAL.earlier)
def test_a_name_of_trec_eval_8_means_what_the_name_of_9_does(old):
    assert current(filled(old)) != filled(old)
    assert meaning(filled(old), "trec_eval") == meaning(current(filled(old)), "trec_eval")


def test_names_whose_values_depend_on_the_version_say_which_the_catalogue_has():
    assert [version(name) for name in ("iprec_at_recall_0.30", "ircl_prn.0.30", "11-pt_avg", "unj_5", "map")] == [
        "9",
        "9",
        "9",
        "10",
        "",
    ]


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        ("P@5", "P_5"),
        ("nDCG(dcg='log2')@10", "ndcg_cut_10"),
        ("nDCG(dcg='exp-log2')@10", None),
        ("IPrec@0.1", "iprec_at_recall_0.10"),
        ("IPrec@0.123", None),
        ("SetF", "set_F"),
        ("SetF(beta=0.25)", "set_F_0.25"),
        ("SetP(relative=True)", "set_relative_P"),
        ("P(rel=2)@5", None),
        ("ERR@10", None),
    ],
)
def test_the_name_of_a_measure_says_all_of_it_or_there_is_none(measure, name):
    assert name_of(parse(measure), TREC_EVAL) == name


@pytest.mark.parametrize(
    ("some", "tool"),
    [
        (["nDCG@10", "AP"], "ir_measures"),
        (["ndcg@10", "mrr"], "ranx"),
        (["recall@10"], "ranx"),
        (["map"], "trec_eval"),
        (["map", "mrr"], "ranx"),
        (["NDCG@10", "P@10"], "beir"),
        (["ndcg_at_10", "main_score"], "beir"),
        (["iprec_at_recall_0.10"], "trec_eval"),
        (["P10", "R-prec"], "trec_eval"),
        (["gm_map"], "trec_eval"),
        (["something"], "ir_measures"),
        ([], "ir_measures"),
    ],
)
def test_names_tell_their_tool(some, tool):
    assert tool_of(some) == tool


@pytest.mark.parametrize(
    ("typed", "measure"),
    [
        ("HR@10", "Success@10"),
        ("hit@5", "Success@5"),
        ("hit_ratio@5", "Success@5"),
        ("top_k_accuracy@5", "Success@5"),
        ("ndcg_at_10", "nDCG@10"),
        ("mrr_at_10", "RR@10"),
        ("precision_at_5", "P@5"),
        ("mean_reciprocal_rank", "RR"),
        ("expected_reciprocal_rank@20", "ERR@20"),
        ("recip_rank@10", "RR@10"),
    ],
)
def test_what_people_type_is_read(typed, measure):
    assert parse(typed) == parse(measure)


def hint(name):
    """What is said instead of a name."""
    with pytest.raises(MeasureError) as raised:
        parse(name)
    return raised.value.hint


@pytest.mark.parametrize(
    ("typed", "suggested"),
    [
        ("recal@5", "recall@5"),
        ("nDGC@10", "nDCG@10"),
        ("presicion@5", "precision@5"),
        ("alpha-ndgc@5", "alpha_nDCG@5"),
        ("ndcg_10", "ndcg@10"),
        ("recip_rank_10", "recip_rank@10"),
        ("ndcg_cut@20", "ndcg_cut_20"),
        ("IPrc@0.1", "IPrec@0.1"),
        ("sucess@0", "Success"),
    ],
)
def test_a_misspelt_name_gets_one_that_reads(typed, suggested):
    assert hint(typed) == suggested
    assert parse(suggested)


@pytest.mark.parametrize("name", ["RBO", "xyzzy", "idcg@10", "mean_recall", "SetPrec", "f2"])
def test_no_other_measure_is_suggested_where_nothing_is_meant_that_there_is(name):
    assert hint(name) == LISTED


@pytest.mark.parametrize("name", ["gm_map", "G", "Rndcg", "Rprec_mult_0.20", "rbp_resid", "utility", "ndcg_rel", "gmap"])
def test_what_trec_eval_alone_has_is_said_to_be_printed_by_it(name):
    assert hint(name).startswith("samescore trec_eval -m ")


def test_a_tool_that_is_unknown_is_refused():
    with pytest.raises(MeasureError, match="unknown tool 'treceval'\ntry: trec_eval"):
        parse("map", tool="treceval")


def test_a_measure_stays_as_it_is_whatever_the_tool():
    assert parse(Measure("nDCG", 10), tool="ranx") == Measure("nDCG", 10)


OF_OTHERS = [(tool, name, measure) for tool, entry in OTHERS.items() for name, measure in entry.names.items()]


@pytest.mark.parametrize(("tool", "name", "measure"), OF_OTHERS)
def test_a_name_of_a_further_tool_means_the_measure_that_the_table_states(tool, name, measure):
    values = parse(filled(name), tool)
    assert values.name == measure.partition("(")[0]
    assert values.cutoff == (10 if "{cutoff}" in name else values.cutoff)
    if "cutoff=" not in measure and "{" not in name and values.entry.cutoff != "required":
        plain = parse(measure)
        assert values == (plain.with_params(dcg="log2") if OTHERS[tool].gain and "dcg" in plain.entry.params else plain)
    for param, text in re.findall(r"(\w+)='(\w[\w-]*)'", measure):
        assert values.get(param) == text


@pytest.mark.parametrize(("tool", "name"), [(tool, filled(name)) for tool, name, _ in OF_OTHERS])
def test_a_name_without_a_tool_has_one_meaning_or_is_refused_with_all_of_them(tool, name):
    meanings = by_tool(name)
    assert meanings[tool] == parse(name, tool)
    if is_plain(name):
        return
    if len(set(meanings.values())) == 1:
        assert parse(name) == meanings[tool]
    else:
        with pytest.raises(MeasureError) as caught:
            parse(name)
        assert [measure for measure in meanings.values() if f"{measure} in " not in caught.value.what] == []


def is_plain(name):
    """Whether samescore has a name of its own, or a refusal of its own, so that no tool is asked."""
    try:
        return bool(_parse_text(name))
    except _NotOursError:
        return False
    except MeasureError as error:
        return "means different things" in error.what


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("dev_cosine_ndcg@10", "nDCG(dcg='binary')@10"),
        ("cosine-MAP@100", "AP(norm='min')@100"),
        ("NanoMSMARCO_dot_accuracy@1", "Success@1"),
        ("DocumentMRR", "RR"),
        ("Document MAP", "AP"),
        ("context_precision", "AP(norm='hits')"),
        ("Contextual Precision", "AP(norm='hits')"),
        ("valid_0's ndcg@3", "nDCG(dcg='exp-log2', ideal='retrieved')@3"),
        ("eval-map@3-", "AP(norm='min')@3"),
        ("precisionAt(5)", "P@5"),
        ("precision_at_3/mean", "P(returned=True)@3"),
        ("MRR @10", "RR@10"),
        ("MSnDCG@0010", "nDCG(dcg='log2')@10"),
    ],
)
def test_a_name_as_a_tool_prints_it_is_read_without_the_tool(name, measure):
    assert parse(name) == parse(measure)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ndcg_at_k", "nDCG(dcg='log2') in trulens; nDCG(dcg='binary') in recommenders"),
        ("precision_at_k", "P(returned=True) in trulens; P in recommenders"),
    ],
)
def test_a_name_with_several_meanings_is_refused_with_each_and_read_with_the_tool(name, said):
    with pytest.raises(MeasureError) as caught:
        parse(name)
    assert said in caught.value.what
    assert {parse(name, tool) for tool in by_tool(name)} == set(by_tool(name).values())


@pytest.mark.parametrize(
    ("tool", "name"),
    [("ragas", "context_recall"), ("mteb", "nauc_ndcg_at_10_max"), ("mlflow", "ndcg_at_3/mean"), ("ntcireval", "O-measure")],
)
def test_a_name_that_no_measure_of_the_catalogue_has_says_what_it_is(tool, name):
    with pytest.raises(MeasureError, match=f"{tool}'s .* is no measure of the catalogue"):
        parse(name, tool)


@pytest.mark.parametrize("tool", OTHERS)
def test_notes_are_about_names_of_the_tool_and_every_tool_says_what_was_read(tool):
    assert OTHERS[tool].source
    assert set(OTHERS[tool].notes) <= set(OTHERS[tool].names)


def test_the_page_of_tools_is_generated_from_the_table():
    page = Path(__file__).parent.parent / "docs" / "tools.md"
    assert page.read_text(encoding="utf-8") == names_page()
    assert [tool for tool in EVERY if f"## {tool}\n" not in page.read_text(encoding="utf-8")] == []


def test_a_measure_is_described_with_its_parameters_and_the_names_of_every_tool_that_has_it():
    described = describe("hit@10", tool="recbole").to_dict()["Success"]
    tools = {tool for tool, entry in EVERY.items() if any(text.partition("(")[0] == "Success" for text in entry.names.values())}
    assert set(described["names"]) == tools
    assert set(described["parameters"]) == set(CATALOGUE["Success"].params)
    assert "reference" in described["backends"]
    assert "in recbole" in str(describe("hit@10"))


def test_the_catalogue_is_described_with_a_definition_of_each_measure():
    rows = [(measure, fact["definition"]) for measure, fact in describe().to_dict().items()]
    assert [measure for measure, _ in rows] == list(CATALOGUE)
    assert [measure for measure, definition in rows if len(definition) < 15] == []
