"""Reports: what a printed number says of its precision, and every form that tools write their numbers in."""

from __future__ import annotations

import gzip
import json
from decimal import Decimal

import ir_measures
import numpy as np
import pandas
import polars
import pyarrow
import pytest

from samescore import evaluate, parse
from samescore.errors import FormatError, InputError, InputTypeError, short
from samescore.measures.names import current
from samescore.measures.parsing import meaning
from samescore.tools.reported import Printed, read_number, read_numbers, read_reported


@pytest.mark.parametrize(
    ("given", "value", "decimals"),
    [("0.4675", 0.4675, 4), ("0.4120", 0.412, 4), ("1", 1.0, 0), (Decimal("0.50"), 0.5, 2), ("4.6e-1", 0.46, 2), (" 0.5 ", 0.5, 1)],
)
def test_text_and_decimals_show_every_decimal(given, value, decimals):
    assert read_number(given) == Printed(value, decimals)


def test_a_number_agrees_within_half_of_its_last_decimal():
    printed = Printed(0.4675, 4)
    assert [printed.agrees(value) for value in (0.46745, 0.46755, 0.4674, 0.4676, float("nan"))] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_floats_that_stand_together_have_the_decimals_of_the_longest():
    read = read_numbers({"a": 0.4675, "b": 0.5, "c": 1})
    assert [read[key].decimals for key in "abc"] == [4, 4, 4]


def test_a_float_that_was_not_rounded_is_compared_to_the_last_bits_and_does_not_lengthen_the_others():
    read = read_numbers({"a": 1 / 3, "b": 0.4675, "c": 0.5})
    assert [read[key].decimals for key in "abc"] == [None, 4, 4]
    assert read["a"].agrees(1 / 3 + 1e-12)
    assert not read["a"].agrees(0.3333)


def test_numbers_of_one_program_are_all_rounded_or_none():
    read = read_numbers({"a": 1 / 3, "b": 0.5}, alike=True)
    assert [read[key].decimals for key in "ab"] == [None, None]


def test_whole_numbers_alone_are_exact():
    assert read_numbers({"a": 1, "b": 0})["a"] == Printed(1.0, None)


def test_a_32_bit_float_has_its_own_digits():
    assert read_numbers({"a": np.float32(0.4675), "b": 0.5})["a"] == Printed(0.4675, 4)


TREC = "runid\tall\tbm25\nmap\tall\t0.2500\nP_10\tall\t0.3000\nrelstring\tall\t'10'\n"
JSONL = '{"measure": "AP", "value": 0.25}\n{"measure": "R@5", "value": 1.0}\n'
GROUPS = '{"nDCG": {"NDCG@10": 0.46750}, "mrr": {"MRR@10": 0.12345}}'
FORMS = {
    "trec_eval": (TREC, "trec_eval", {"map": Printed(0.25, 4), "P_10": Printed(0.3, 4)}),
    "trec_eval -q": ("map\tq1\t0.5000\nmap\tall\t0.2500\n", "trec_eval", {"map": Printed(0.25, 4)}),
    "ir_measures": ("nDCG@10\t0.4675\nAP\t0.2411\n", "ir_measures", {"nDCG@10": Printed(0.4675, 4), "AP": Printed(0.2411, 4)}),
    "ir_measures -q": ("q1\tAP\t0.5000\nall\tAP\t0.2500\n", "ir_measures", {"AP": Printed(0.25, 4)}),
    "ir_measures -o jsonl": (JSONL, "ir_measures", {"AP": Printed(0.25, 2), "R@5": Printed(1.0, 2)}),
    "ir_measures -o jsonl, one line": (JSONL.partition("\n")[0], "ir_measures", {"AP": Printed(0.25, 2)}),
    "ir_measures JSON": ('{"nDCG@10": 0.4675}', "ir_measures", {"nDCG@10": Printed(0.4675, 4)}),
    "ranx JSON": ('{"ndcg@10": 0.4675, "mrr": 0.5}', "ranx", {"ndcg@10": Printed(0.4675, 4), "mrr": Printed(0.5, 4)}),
    "BEIR JSON": (GROUPS, "beir", {"NDCG@10": Printed(0.4675, 5), "MRR@10": Printed(0.12345, 5)}),
    "MTEB JSON": ('{"ndcg_at_10": 0.46751}', "beir", {"ndcg_at_10": Printed(0.46751, 5)}),
    "pytrec_eval JSON": ('{"ndcg_cut_10": 0.4675}', "trec_eval", {"ndcg_cut_10": Printed(0.4675, 4)}),
    "samescore tsv of one measure": ("RR\tall\t0.5\nqueries\tall\t3\nskipped\tall\t0\n", "samescore", {"RR": Printed(0.5, 1)}),
    "trec_eval, ids with blanks": ("map\tq 1\t0.5000\nmap\tall\t0.2500\n", "trec_eval", {"map": Printed(0.25, 4)}),
    "trec_eval in two columns": ("iprec_at_recall_0.10 0.4675\n", "trec_eval", {"iprec_at_recall_0.10": Printed(0.4675, 4)}),
    "samescore tsv": ("nDCG@10\tall\t0.4675\nqueries\tall\t3\n", "samescore", {"nDCG@10": Printed(0.4675, 4)}),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_file_tells_which_tool_wrote_it(form, tmp_path):
    text, tool, means = FORMS[form]
    path = tmp_path / "reported"
    path.write_text(text, encoding="utf-8")
    report = read_reported(path)
    assert (report.tool, report.means) == (tool, means)


def test_a_compressed_file_is_read_alike(tmp_path):
    (tmp_path / "reported.gz").write_bytes(gzip.compress(TREC.encode()))
    assert read_reported(str(tmp_path / "reported.gz")).means["map"] == Printed(0.25, 4)


def test_what_is_no_number_stands_beside(tmp_path):
    (tmp_path / "reported").write_text(TREC, encoding="utf-8")
    assert read_reported(tmp_path / "reported").other == {"runid": "bm25", "relstring": "'10'"}


def test_values_of_queries_are_kept_by_measure(tmp_path):
    (tmp_path / "a").write_text("map\tq1\t0.5000\nmap\tq2\t0.0000\nmap\tall\t0.2500\n", encoding="utf-8")
    (tmp_path / "b").write_text(
        '{"query_id": "q1", "measure": "AP", "value": 0.5}\n{"query_id": "q2", "measure": "AP", "value": 0.25}\n'
    )
    assert read_reported(tmp_path / "a").per_query == {"map": {"q1": Printed(0.5, 4), "q2": Printed(0.0, 4)}}
    assert read_reported(tmp_path / "b").per_query == {"AP": {"q1": Printed(0.5, 2), "q2": Printed(0.25, 2)}}


def test_a_mapping_has_samescore_s_names_unless_the_tool_is_said():
    assert read_reported({"nDCG@10": 0.5}).tool == "samescore"
    assert read_reported({"nDCG@10": 0.5}, tool="ir_measures").tool == "ir_measures"
    assert read_reported({"AP": {"q1": 0.5}}).per_query == {"AP": {"q1": Printed(0.5, 1)}}


@pytest.mark.parametrize("form", ["object", "values", "file"])
def test_a_result_of_samescore_brings_its_signature(form, tmp_path):
    result = evaluate({"q": ["a", "b"]}, {"q": {"b": 2}}, backend="reference")
    (tmp_path / "result.json").write_text(result.to_json(), encoding="utf-8")
    report = read_reported({"object": result, "values": result.to_dict(), "file": tmp_path / "result.json"}[form])
    assert (report.tool, report.signature) == ("samescore", result.signature)
    assert {name: printed.value for name, printed in report.means.items()} == result.means
    assert report.per_query["RR"] == {"q": Printed(0.5, None)}


LONG = pandas.DataFrame({"query_id": ["q1", "q2", "all"], "measure": ["AP"] * 3, "value": [0.5, 0.25, 0.375]})
WIDE = pandas.DataFrame({"AP": [0.5, 0.25], "name": ["x", "y"]}, index=pandas.Index(["q1", "q2"], name="query_id"))
ONE = pandas.DataFrame({"name": ["bm25"], "map": [0.375], "recip_rank": [0.5]})


@pytest.mark.parametrize("frame", [LONG, WIDE, WIDE.reset_index().rename(columns={"query_id": "qid"})], ids=["long", "wide", "qid"])
def test_a_frame_is_long_or_wide(frame):
    assert {q: p.value for q, p in read_reported(frame).per_query["AP"].items()} == {"q1": 0.5, "q2": 0.25}


def test_a_frame_without_queries_holds_means():
    assert {name: printed.value for name, printed in read_reported(ONE).means.items()} == {"map": 0.375, "recip_rank": 0.5}
    assert read_reported(LONG).means["AP"].value == 0.375


RANX = {"metrics": ["mrr"], "model_names": ["bm25", "dense"], "bm25": {"scores": {"mrr": 0.5}}, "dense": {"scores": {"mrr": 0.75}}}


def test_a_report_of_several_runs_is_read_for_the_one_of_that_name(tmp_path):
    (tmp_path / "report.json").write_text(json.dumps(RANX), encoding="utf-8")
    assert read_reported(tmp_path / "report.json", run="dense").means["mrr"].value == 0.75
    with pytest.raises(InputError, match="none is named 'mine'"):
        read_reported(tmp_path / "report.json", run="mine")


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("", FormatError, "the file is empty"),
        ("map all 0.25 more\n", FormatError, "line 1: 4 columns"),
        ("map\tall\t0.2\n\nmap\n", FormatError, "line 3: 1 column:"),
        ('{"AP": 0.5', FormatError, "broken JSON"),
        ('[{"AP": 0.5}]', InputError, "line 1: .*has no measure and value"),
        ("runid\tall\tx\n", InputError, "nothing is reported"),
        ("map all 0.5\nP_5 0.2\n", FormatError, "line 2: 2 columns, where line 1 has 3: 'P_5 0.2'"),
        ('{"model_names": ["a"], "metrics": ["mrr"], "a": {}}', FormatError, "reported: the report has no scores: {}"),
        ('{"model_names": ["a"], "metrics": ["mrr"]}', FormatError, "the report has no scores: None"),
        ('{"name": "r", "metrics": ["mrr"]}', InputError, "name: the reported value 'r' is not a number"),
        ('{"samescore": "1", "measures": {"AP": 0.5}, "signature": "x"}', InputError, "not a result: its measures have no means"),
        ('{"samescore": "1", "measures": {}, "signature": "x", "per_query": {}}', InputError, "not a result: it lacks 'policy'"),
        ('{"AP": 0.5, "AP": 0.6}', FormatError, "reported: 'AP' stands twice in a JSON object"),
        ('{"AP": 1' + "0" * 5000 + "}", FormatError, "broken JSON"),
        ('{"AP": 1' + "0" * 400 + "}", InputError, "AP: the reported value is inf"),
        ("[" * 100_000, FormatError, "the JSON is nested too deeply"),
        ("7", FormatError, "line 1: 1 column"),
        ("[7]", InputError, "line 1: 7 has no measure and value"),
        ("[]", InputError, "nothing is reported"),
        ('"AP"', FormatError, "1 column"),
        ("P_5 all 1e999\n", InputError, "P_5: the reported value is inf"),
        ("P_5 q1 snan\n", InputError, "P_5, query 'q1': the reported value is nan"),
    ],
    ids=lambda value: short(value)[:40] if isinstance(value, str) else value.__name__,
)
def test_a_file_that_is_no_report_is_refused(text, error, words, tmp_path):
    (tmp_path / "reported").write_text(text, encoding="utf-8")
    with pytest.raises(error, match=words):
        read_reported(tmp_path / "reported")


def test_a_packed_report_that_is_cut_is_refused(tmp_path):
    packed = gzip.compress(("map\tq1\t0.2500\n" * 1000 + TREC).encode())
    (tmp_path / "reported.gz").write_bytes(packed[:-20])
    with pytest.raises(FormatError, match="the gzip file is broken"):
        read_reported(tmp_path / "reported.gz")


def test_a_report_that_is_no_text_is_refused_with_the_line(tmp_path):
    (tmp_path / "reported").write_bytes(b"map all 0.2500\nP_5 \xff 0.1\n")
    with pytest.raises(FormatError, match="reported, line 2: not UTF-8 text"):
        read_reported(tmp_path / "reported")


BY_QUERY = {"q1": {"map": 0.5, "ndcg_cut_10": 0.75}, "q2": {"map": 0.25, "ndcg_cut_10": 0.5}}


def test_pytrec_eval_s_values_by_query_are_read(tmp_path):
    (tmp_path / "reported.json").write_text(json.dumps(BY_QUERY), encoding="utf-8")
    expected = {
        "map": {"q1": Printed(0.5, 2), "q2": Printed(0.25, 2)},
        "ndcg_cut_10": {"q1": Printed(0.75, 2), "q2": Printed(0.5, 2)},
    }
    assert read_reported(BY_QUERY).per_query == expected
    report = read_reported(tmp_path / "reported.json")
    assert (report.per_query, report.tool) == (expected, "trec_eval")


@pytest.mark.parametrize("form", ["tsv", "json"])
@pytest.mark.parametrize("per_query", [[], ["--per-query"]], ids=["means", "queries"])
def test_what_samescore_prints_of_several_runs_is_read_for_the_one_of_that_name(form, per_query, files, say, tmp_path):
    out, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "dense.txt", "-m", "RR", "-m", "nDCG@10", "--format", form, *per_query)
    (tmp_path / "reported").write_text(out, encoding="utf-8")
    for run in ("bm25", "dense"):
        result = evaluate(f"{run}.txt", "qrels.txt", measures=["RR", "nDCG@10"])
        report = read_reported("reported", run=run)
        assert report.tool == "samescore"
        assert {name: printed.value for name, printed in report.means.items()} == pytest.approx(result.means)
        assert set(report.per_query.get("RR", ())) == (set(result.values_of("RR")) if per_query else set())
    with pytest.raises(InputError, match="of 2 runs, 'bm25', 'dense', and none is named 'mine'"):
        read_reported("reported", run="mine")


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_frames_of_other_libraries_are_read_alike(library):
    columns = {"query_id": ["q1", "q2"], "measure": ["AP", "AP"], "value": [0.5, 0.25]}
    frame = polars.DataFrame(columns) if library == "polars" else pyarrow.table(columns)
    assert {q: p.value for q, p in read_reported(frame).per_query["AP"].items()} == {"q1": 0.5, "q2": 0.25}


def test_ir_measures_results_are_read():
    results = ir_measures.pytrec_eval.evaluator([ir_measures.AP], {"q1": {"a": 1}}).calc({"q1": {"a": 1.0}})
    assert read_reported(results).per_query == read_reported(list(results.per_query)).per_query
    assert read_reported(results, tool="ir_measures").per_query[ir_measures.AP]["q1"].value == 1.0


@pytest.mark.parametrize(
    ("source", "error", "words"),
    [
        ("no such file", InputError, "there is no such file"),
        (7, InputTypeError, "cannot read a report from 7"),
        ({"AP": float("inf")}, InputError, "AP: the reported value is inf"),
        ({"AP": None}, InputError, "nothing is reported"),
        (pandas.DataFrame({"AP": [0.5, 0.25]}), InputError, "no column of queries"),
        (
            pandas.DataFrame([["q1", 0.5, 0.5]], columns=["query_id", "AP", "AP"]),
            InputError,
            "two columns of the frame have one name",
        ),
        (pandas.DataFrame({"query_id": [1.5], "AP": [0.5]}), InputError, "the query id 1.5 is not text or an integer"),
        ({"AP": [0.5, 0.25]}, InputError, r"AP: the reported value \[0.5, 0.25\] is not a number"),
        ({"AP": {"q1": np.array([1, 2])}}, InputError, "AP, query 'q1': the reported value array.* is not a number"),
        ({"AP": 10**400}, InputError, "AP: the reported value is inf"),
    ],
)
def test_what_is_no_report_is_refused(source, error, words):
    with pytest.raises(error, match=words):
        read_reported(source)


@pytest.mark.parametrize(
    ("name", "tool", "measure"),
    [
        ("nDCG@10", "samescore", "nDCG@10"),
        ("nDCG@10", "ir_measures", "nDCG(dcg='log2')@10"),
        ("nDCG(dcg='exp-log2')@10", "ir_measures", "nDCG(dcg='exp-log2')@10"),
        ("ndcg@10", "ranx", "nDCG(dcg='log2')@10"),
        ("ndcg_burges@10", "ranx", "nDCG(dcg='exp-log2')@10"),
        ("NDCG@10", "beir", "nDCG(dcg='log2')@10"),
        ("Recall@100", "beir", "R@100"),
        ("recall_at_100", "beir", "R@100"),
        ("ndcg", "trec_eval", "nDCG(dcg='log2')"),
        ("ndcg_cut_10", "trec_eval", "nDCG(dcg='log2')@10"),
        ("map", "trec_eval", "AP"),
        ("R-prec", "trec_eval", "Rprec"),
        ("P10", "trec_eval", "P@10"),
        ("relative_P_5", "trec_eval", "R_cap@5"),
        ("recip_rank", "trec_eval", "RR"),
    ],
)
def test_a_name_means_what_it_means_in_its_tool(name, tool, measure):
    assert meaning(name, tool) == parse(measure)


@pytest.mark.parametrize(("name", "tool"), [("gm_map", "trec_eval"), ("Hole@10", "beir"), ("magic", "ranx")])
def test_a_name_that_the_catalogue_lacks_means_nothing(name, tool):
    assert meaning(name, tool) is None


def test_names_of_trec_eval_8_are_those_of_9():
    assert [current(name) for name in ("gm_ap", "R-prec", "P5", "ircl_prn.0.10", "bpref")] == [
        "gm_map",
        "Rprec",
        "P_5",
        "iprec_at_recall_0.10",
        "bpref",
    ]


def test_a_mean_without_a_number_is_told(tmp_path):
    (tmp_path / "nan").write_text("map all 0.2500\nP_10 all  -nan\nmap q1 nan\n", encoding="utf-8")
    (tmp_path / "null.json").write_text('{"AP": 0.25, "RR": NaN, "P@10": null}', encoding="utf-8")
    assert read_reported(tmp_path / "nan").blank == ("P_10",)
    assert read_reported(tmp_path / "null.json").blank == ("RR", "P@10")


def test_a_decimal_comma_is_no_number(tmp_path):
    (tmp_path / "comma").write_text("map all 0,2500\nP_10 all 0.5000\n", encoding="utf-8")
    with pytest.raises(InputError, match="reported value '0,2500' is not a number"):
        read_reported(tmp_path / "comma")


def test_a_value_that_is_reported_twice_and_differs_is_refused(tmp_path):
    (tmp_path / "same").write_text("map all 0.2500\nmap all 0.2500\n", encoding="utf-8")
    (tmp_path / "two").write_text("map q1 0.1000\nmap all 0.2500\nmap all 0.3000\n", encoding="utf-8")
    assert read_reported(tmp_path / "same").means == {"map": Printed(0.25, 4)}
    with pytest.raises(InputError, match=r"map is reported twice for all: 0\.2500 and 0\.3000"):
        read_reported(tmp_path / "two")


def test_names_of_trec_eval_in_two_columns_are_trec_eval_s(tmp_path):
    (tmp_path / "two").write_text("ndcg_cut_10 0.4675\nmap 0.2500\n", encoding="utf-8")
    assert read_reported(tmp_path / "two").tool == "trec_eval"


def test_a_series_holds_means():
    assert read_reported(pandas.Series({"AP": 0.25, "RR": 0.5})).means == {"AP": Printed(0.25, 2), "RR": Printed(0.5, 2)}


def test_an_empty_frame_is_refused_on_one_line():
    with pytest.raises(InputError, match=r"nothing is reported in a DataFrame without a value\n"):
        read_reported(pandas.DataFrame({"query_id": [], "AP": []}))


@pytest.mark.parametrize(("name", "tool"), [("rbp.80", "ranx"), ("bpref", "ranx"), ("RBP(p=0.8)", "ir_measures")])
def test_a_tool_s_own_measure_under_a_name_of_the_catalogue_is_not_that_of_the_catalogue(name, tool):
    assert meaning(name, tool) is None
    assert meaning(name, "samescore") is not None
