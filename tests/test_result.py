"""Result: an immutable mapping with short names, per-query values, provenance and tables."""

from __future__ import annotations

import copy
import json
import pickle
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from samescore import Policy, Result, __version__, evaluate, parse
from samescore.errors import ResultKeyError
from samescore.result import Results

RUN = {"q1": ["d1", "d2", "d3", "d4"], "q2": ["d9"], "zz": ["d9"]}
QRELS = {"q1": {"d2": 3, "d4": 1, "d9": 2, "d5": 0}, "q2": {"d9": 1}, "q3": {"x": 0}}


def scored(measures=None, k=None, run=RUN, qrels=QRELS, backend="reference", **clauses) -> Result:
    return evaluate(run, qrels, k, measures=measures, backend=backend, policy=Policy(**clauses))


# Look-ups


def test_without_measures_it_holds_recall_reciprocal_rank_and_ndcg_at_each_k():
    assert list(scored()) == ["R@10", "RR", "nDCG@10"]
    assert list(scored(k=3)) == ["R@3", "RR", "nDCG@3"]
    assert list(scored(k=[1, 3, 1])) == ["R@1", "R@3", "RR", "nDCG@1", "nDCG@3"]
    assert list(scored(k=np.array([1, 3]))) == list(scored(k=(1, 3))) == list(scored(k=range(1, 4, 2)))


@pytest.mark.parametrize("name", ["R@3", "recall@3", "Recall@3", "recall_3", "recall", "r", "R", parse("R@3"), parse("R")])
def test_a_measure_is_found_by_any_of_its_names(name):
    assert scored(k=3)[name] == (1 / 3 + 1) / 2


@pytest.mark.parametrize(
    ("bare", "full"), [("recall", "R@3"), ("mrr", "RR"), ("MRR", "RR"), ("ndcg", "nDCG@3"), ("NDCG", "nDCG@3")]
)
def test_a_bare_name_works_where_one_measure_of_the_family_was_computed(bare, full):
    assert scored(k=3)[bare] == scored(k=3)[full]


def test_a_bare_name_is_refused_where_there_are_several_and_they_are_named():
    with pytest.raises(ResultKeyError) as raised:
        scored(k=[1, 3])["recall"]
    assert "several" in str(raised.value)
    assert "try: R@1, R@3" in str(raised.value)


@pytest.mark.parametrize(
    "written", ["ndcg_cut_10", "ndcg_cut.10", "nDCG(dcg='log2')@10", "map", "precision@5", "hit_rate@5", "ndcg_burges@3"]
)
def test_what_was_typed_is_a_key(written):
    result = scored([written])
    assert written in result
    assert result[written] == result[next(iter(result))]


@pytest.mark.parametrize(
    "key", ["nDCG@5", "nDGC@10", "", None, 5, ("R", 10), np.array(["RR", "R@3"]), pd.NA, parse("P@5"), "nDCG(dcg='log2')@10"]
)
def test_a_key_that_it_does_not_hold_is_a_key_error_that_says_what_it_holds(key):
    result = scored()
    assert key not in result
    assert result.get(key) is None
    with pytest.raises(KeyError) as raised:
        result[key]
    assert isinstance(raised.value, ResultKeyError)
    assert "is not in the result" in str(raised.value)
    assert "\ntry: " in str(raised.value)


def test_the_two_counts_are_look_ups_and_iteration_yields_measures():
    result = scored(k=3)
    assert (result["queries"], result["skipped"]) == (2, 1 + 0)
    assert type(result["queries"]) is type(result["skipped"]) is int
    assert "queries" not in list(result)
    assert len(result) == 3
    assert dict(result) == result.means


def test_values_are_plain_floats():
    for backend in ("reference", "ir_measures", "ranx"):
        assert {type(value) for value in scored(backend=backend).values()} == {float}


def test_the_mean_of_nothing_is_zero():
    result = scored(run={"zz": ["a"]}, qrels={})
    assert dict(result) == {"R@10": 0.0, "RR": 0.0, "nDCG@10": 0.0}
    assert result["queries"] == 0


# Immutable


@pytest.mark.parametrize("name", ["policy", "backend", "report", "means", "per_query", "signature", "anything"])
def test_nothing_on_it_can_be_set_or_deleted(name):
    result = scored()
    with pytest.raises(AttributeError):
        setattr(result, name, None)
    with pytest.raises(AttributeError):
        delattr(result, name)


def test_it_has_no_items_to_set():
    with pytest.raises(TypeError):
        scored()["RR"] = 1.0


def test_what_it_hands_out_does_not_change_it():
    result = scored()
    before = result.to_dict()
    result.means["RR"] = 9.0
    frame = result.per_query
    frame.loc["q1", "RR"] = 9.0
    result.to_dict()["measures"].clear()
    assert result.to_dict() == before
    assert result.per_query.loc["q1", "RR"] == 1 / 2


@pytest.mark.parametrize("through", [copy.copy, copy.deepcopy, lambda result: pickle.loads(pickle.dumps(result))])
def test_it_can_be_copied_and_pickled(through):
    result = scored()
    repeat = through(result)
    assert repeat == result
    assert repeat.to_dict() == result.to_dict()


# Per query


def test_per_query_has_a_row_for_each_query_that_is_averaged_and_a_column_for_each_measure():
    frame = scored(k=3).per_query
    assert list(frame.index) == ["q1", "q2"]
    assert frame.index.name == "query_id"
    assert list(frame.columns) == ["R@3", "RR", "nDCG@3"]
    assert frame["R@3"].tolist() == [1 / 3, 1]
    assert set(frame.dtypes) == {np.dtype(np.float64)}


def test_per_query_is_nan_where_a_measure_is_undefined():
    frame = scored(["R(rel=2)@5", "R@5"]).per_query
    assert frame["R(rel=2)@5"].isna().tolist() == [False, True]
    assert frame["R@5"].notna().all()


def test_a_missing_query_scores_zero_per_query_too_and_a_skipped_one_has_no_row():
    qrels = {**QRELS, "gone": {"a": 1}}
    assert scored("RR", qrels=qrels).per_query["RR"].to_dict() == {"q1": 1 / 2, "q2": 1.0, "gone": 0.0}
    assert scored("RR", qrels=qrels, missing="skip").per_query["RR"].to_dict() == {"q1": 1 / 2, "q2": 1.0}
    assert scored("RR", empty="one").per_query["RR"].to_dict() == {"q1": 1 / 2, "q2": 1.0, "q3": 1.0}


def test_a_query_for_which_no_asked_measure_is_defined_is_counted_and_has_no_value():
    result = scored("R(rel=3)@5")
    assert result["queries"] == 2
    assert result.report.n == {"R(rel=3)@5": 1}
    assert result.per_query["R(rel=3)@5"].isna().to_dict() == {"q1": False, "q2": True}
    assert result.to_dict()["per_query"] == {"q1": {"R(rel=3)@5": 1.0}, "q2": {"R(rel=3)@5": None}}


def test_the_ids_of_per_query_are_text_of_kind_object():
    frame = scored("RR", run={1: ["a"]}, qrels={1: {"a"}}).per_query
    assert frame.index.tolist() == ["1"]
    assert frame.index.dtype == object


def test_per_query_means_are_the_means():
    result = scored(["R@5", "nDCG@5", "R(rel=2)@5"])
    assert result.per_query.mean().to_dict() == pytest.approx(result.means)


# Provenance


def test_the_signature_is_one_line_with_version_policy_backend_and_queries():
    signature = scored(gain="linear", backend="ranx").signature
    assert signature.startswith(f"samescore {__version__} | ties:doc_id | dup:first | empty:skip | missing:zero | gain:linear | ")
    assert " | ranx " in signature
    assert signature.endswith(" | queries:2")
    assert "\n" not in signature
    assert Policy.parse(signature) == Policy(gain="linear")


def test_json_holds_everything_with_its_provenance():
    plain = json.loads(scored(["nDCG@3", "R(rel=3)@5"], backend="ir_measures").to_json())
    assert plain["samescore"] == __version__
    assert plain["backend"].startswith("ir_measures ")
    assert plain["versions"]["numpy"] == np.__version__
    assert Policy(**plain["policy"]) == Policy.parse(plain["signature"]) == Policy()
    assert plain["measures"]["nDCG@3"]["gain"] == "exponential"
    assert plain["measures"]["R(rel=3)@5"] == {"mean": 1.0, "n": 1, "gain": None}
    assert plain["per_query"]["q2"] == {"nDCG@3": 1.0, "R(rel=3)@5": None}
    assert (plain["queries"], plain["report"]["skipped"]) == (2, ["zz"])
    assert len(plain["fingerprint"]) == 32


def test_json_keeps_odd_ids_and_every_bit_of_a_value():
    run, qrels = {'ü "x"\n': ["a", "b", "c"]}, {'ü "x"\n': {"b": 1, "c": 1}}
    result = scored("nDCG@3", run=run, qrels=qrels)
    plain = json.loads(result.to_json(indent=None))
    assert plain["per_query"] == {'ü "x"\n': {"nDCG@3": result["nDCG@3"]}}
    assert "\n" not in result.to_json(indent=None)


def test_json_can_be_written_as_utf_8_whatever_the_ids():
    run, qrels = {"\udc80": ["a"], "ü": ["a"]}, {"\udc80": {"a"}, "ü": {"a"}}
    written = scored("RR", run=run, qrels=qrels).to_json().encode("utf-8")
    assert list(json.loads(written)["per_query"]) == ["\udc80", "ü"]
    assert "ü".encode() in written


@pytest.mark.parametrize(
    ("measure", "clauses", "gain"),
    [
        ("nDCG@3", {}, "exponential"),
        ("nDCG@3", {"gain": "linear"}, "linear"),
        ("ndcg_cut_3", {}, "linear"),
        ("ndcg_burges@3", {"gain": "linear"}, "exponential"),
        ("DCG@3", {}, "exponential"),
        ("RR", {}, None),
    ],
)
def test_every_form_names_the_gain_that_was_used(measure, clauses, gain):
    result = scored(measure, **clauses)
    name = next(iter(result))
    assert result.gain_of(name) == result.to_dict()["measures"][name]["gain"] == gain
    if gain:
        for form in (str(result), result.to_markdown(), result._repr_html_()):
            assert gain in form


IDS = st.sampled_from(["a", "b", "c", "d", "ä", "A", "a a"])
RUNS = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(0, 3), min_size=1), min_size=1)
JUDGED = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-1, 3)), min_size=1)


def backwards(nested):
    return {q: dict(reversed(docs.items())) for q, docs in reversed(nested.items())}


@pytest.mark.filterwarnings("ignore:no document of the run is judged")
@given(RUNS, JUDGED)
def test_the_fingerprint_and_the_means_do_not_depend_on_order(run, qrels):
    if not run.keys() & qrels.keys():
        return
    one, other = scored(run=run, qrels=qrels), scored(run=backwards(run), qrels=backwards(qrels))
    assert one.fingerprint == other.fingerprint
    assert dict(one) == dict(other)


@pytest.mark.parametrize(
    ("run", "qrels"),
    [
        ({**RUN, "q2": ["x", "d9"]}, QRELS),
        ({"q1": RUN["q1"]}, QRELS),
        (RUN, {**QRELS, "q2": {"d9": 2}}),
        (RUN, {**QRELS, "q2": {"d9": 1, "d8": 0}}),
        (RUN, {**QRELS, "q4": {"d9": 1}}),
        (RUN, {"q1": QRELS["q1"], "q2": QRELS["q2"]}),
    ],
    ids=["rank", "query of the run", "grade", "judgement", "query", "empty query"],
)
def test_the_fingerprint_changes_with_run_and_qrels(run, qrels):
    assert scored(run=run, qrels=qrels).fingerprint != scored().fingerprint


def test_the_fingerprint_is_that_of_the_input_and_not_of_backend_or_measures():
    assert scored("RR", backend="ranx").fingerprint == scored(k=3, backend="ir_measures").fingerprint


def test_the_fingerprint_tells_a_document_that_is_there_again_from_another():
    repeat = scored("R@3", run={"q": ["a", "x", "a"]}, qrels={"q": {"a": 1}}, duplicates="each")
    other = scored("R@3", run={"q": ["a", "x", "b"]}, qrels={"q": {"a": 1, "b": 1}}, duplicates="each")
    assert repeat.fingerprint != other.fingerprint


# Tables


def test_it_prints_as_an_aligned_table_then_what_the_policy_did_then_the_signature():
    table, told = str(scored(k=3)).split("\n\n")
    rows = [line.split() for line in table.split("\n")]
    assert rows == [
        ["measure", "mean", "gain"],
        ["R@3", f"{(1 / 3 + 1) / 2:.4f}", "-"],
        ["RR", "0.7500", "-"],
        ["nDCG@3", f"{scored(k=3)['ndcg']:.4f}", "exponential"],
    ]
    ends = [line.index(cell) + len(cell) for line, (_, cell, *_) in zip(table.split("\n"), rows, strict=True)]
    assert len(set(ends)) == 1
    assert told.split("\n")[0] == "2 queries averaged"
    assert told.split("\n")[-1] == scored(k=3).signature


def test_the_number_of_queries_is_a_column_where_it_differs():
    assert "queries" not in str(scored("R@5")).split("\n")[0]
    uneven = str(scored(["R@5", "R(rel=3)@5"])).split("\n\n")[0].split("\n")
    assert [line.split() for line in uneven] == [
        ["measure", "mean", "queries"],
        ["R@5", "0.8333", "2"],
        ["R(rel=3)@5", "1.0000", "1"],
    ]


def test_markdown_is_a_table_a_list_and_the_signature():
    table, told, signature = scored(["RR", "nDCG@3"]).to_markdown().split("\n\n")
    assert table.split("\n")[:3] == ["| measure | mean | gain |", "| --- | ---: | ---: |", "| RR | 0.7500 | - |"]
    assert all(line.startswith("- ") for line in told.split("\n"))
    assert signature == f"`{scored(['RR', 'nDCG@3']).signature}`"


class Balance(HTMLParser):
    """Counts the tags that are open and keeps the text."""

    def __init__(self):
        super().__init__()
        self.open, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_html_is_well_formed_and_escapes_ids():
    html = scored("RR", run={**RUN, "<b>&": ["a"]})._repr_html_()
    page = Balance()
    page.feed(html)
    assert page.open == []
    assert "'<b>&'" in page.text
    assert "0.7500" in page.text


def test_its_repr_is_one_line_with_the_means():
    assert repr(scored(["RR", "P@1"])) == "Result(RR=0.7500, P@1=0.5000, queries=2)"


def test_its_repr_is_short_whatever_is_measured():
    result = scored([f"R@{k}" for k in range(1, 100)])
    assert repr(result).startswith("Result(R@1=")
    assert repr(result).endswith(", ..., queries=2)")
    assert len(repr(result)) <= 120
    assert len(repr(result.report)) <= 120


def test_its_report_has_every_form():
    report = scored("RR").report
    assert json.loads(report.to_json()) == json.loads(json.dumps(report.to_dict()))
    assert str(report).splitlines()[:2] == ["2 queries averaged", "1 query of the run left out, not judged: 'zz'"]
    assert report.to_tsv().splitlines()[:2] == ["field\tquery_id\tcount", "unjudged_queries\tzz\t-"]
    assert "<li>2 queries averaged</li>" in report._repr_html_()


def test_several_results_are_rows_of_one_table():
    results = Results([("one", scored("RR")), ("two", scored("RR", missing="skip"))], per_query=True)
    assert results.to_markdown().splitlines()[:3] == ["| run | query | RR |", "| --- | ---: | ---: |", "| one | q1 | 0.5000 |"]
    assert results.to_tsv().splitlines()[0] == "one\tRR\tq1\t0.5"
    assert f"two: {scored('RR', missing='skip').signature}" in str(results).splitlines()
    assert "2 queries averaged" in str(results).splitlines()
    assert [one["run"] for one in json.loads(results.to_json())] == ["one", "two"]


def test_it_compares_as_a_mapping():
    assert scored() == scored()
    assert scored() == scored().means
    assert scored(k=3) != scored(k=1)


def test_pandas_takes_it_as_a_row():
    assert pd.Series(dict(scored(k=3))).round(4).to_dict() == {"R@3": 0.6667, "RR": 0.75, "nDCG@3": 0.7351}
