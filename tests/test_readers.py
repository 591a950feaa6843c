"""Readers: every form of a run and of qrels gives the Result that the dictionary gives, and what cannot be read says where."""

from __future__ import annotations

import gzip
from collections import OrderedDict
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

import ir_measures
import numpy as np
import pandas as pd
import pytest

from samescore import Policy, Qrels, Run, evaluate, read_qrels, read_run

RUN = {"q1": {"d1": 4.0, "d2": 3.0, "d3": 2.5, "d4": 1.0}, "q2": {"d9": 0.5, "d8": 0.25}, "zz": {"d1": 1.0}}
QRELS = {"q1": {"d2": 3, "d4": 1, "d9": 2, "d5": 0}, "q2": {"d8": 1}, "q3": {"d1": 1}}
RUN_ROWS = [(q, d, s) for q, docs in RUN.items() for d, s in docs.items()]
QRELS_ROWS = [(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()]
INT_RUN = {"1": {"11": 2.0, "12": 1.0}, "2": {"11": 1.0}}
INT_QRELS = {"1": {"12": 1}, "2": {"11": 2}}


def same(run, qrels, wanted_run=RUN, wanted_qrels=QRELS):
    """Whether a run and qrels give what the dictionaries give, in every part of the result."""
    measures = ["nDCG@10", "R@3", "RR", "AP", "P"]
    result = evaluate(run, qrels, measures=measures, backend="reference")
    wanted = evaluate(wanted_run, wanted_qrels, measures=measures, backend="reference")
    return result.to_dict() == wanted.to_dict()


def frame(rows, number):
    return pd.DataFrame(rows, columns=["query_id", "doc_id", number])


def run_file(path: Path, rows=None) -> Path:
    lines = [f"{q} Q0 {d} {i} {s} tag" for i, (q, d, s) in enumerate(rows or RUN_ROWS)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def qrels_file(path: Path) -> Path:
    path.write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in QRELS_ROWS), encoding="utf-8")
    return path


def gzipped(path: Path) -> Path:
    packed = path.with_suffix(path.suffix + ".gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    return packed


# Mappings and lists

RUNS = {
    "dict": RUN,
    "mapping": MappingProxyType({q: OrderedDict(docs) for q, docs in RUN.items()}),
    "list": {q: sorted(docs, key=docs.get, reverse=True) for q, docs in RUN.items()},
    "tuple": {q: tuple(sorted(docs, key=docs.get, reverse=True)) for q, docs in RUN.items()},
    "array": {q: np.array(sorted(docs, key=docs.get, reverse=True)) for q, docs in RUN.items()},
    "pairs": {q: list(docs.items()) for q, docs in RUN.items()},
    "pairs, shuffled": {q: list(docs.items())[::-1] for q, docs in RUN.items()},
    "mixed": {"q1": list(RUN["q1"]), "q2": RUN["q2"], "zz": [("d1", 1)]},
}
SET_QRELS = {q: {d for d, g in docs.items() if g > 0} for q, docs in QRELS.items()}
BINARY = {q: dict.fromkeys(docs, 1) for q, docs in SET_QRELS.items()}


@pytest.mark.parametrize("form", RUNS)
def test_a_run_may_be_a_mapping_of_rankings_in_any_form(form):
    assert same(RUNS[form], QRELS)


@pytest.mark.parametrize("kind", [set, frozenset, list, tuple, sorted, np.array, lambda docs: dict.fromkeys(docs, 1).keys()])
def test_qrels_may_be_a_mapping_of_relevant_documents(kind):
    qrels = {q: kind(sorted(docs)) for q, docs in SET_QRELS.items()}
    assert same(RUN, qrels, RUN, BINARY)


def test_qrels_may_be_pairs_and_any_mapping():
    assert same(RUN, {q: list(docs.items()) for q, docs in QRELS.items()})
    assert same(RUN, MappingProxyType({q: OrderedDict(docs) for q, docs in QRELS.items()}))


@pytest.mark.parametrize("nothing", [{}, set(), [], ()])
def test_an_empty_entry_is_a_judged_query_without_a_relevant_document(nothing):
    result = evaluate(RUN, {**QRELS, "zz": nothing}, backend="reference")
    assert result.report.empty == result.report.skipped == ("zz",)
    assert result.report.unjudged_queries == ()


@pytest.mark.parametrize("nothing", [{}, [], ()])
def test_an_empty_ranking_is_an_answer_that_scores_zero(nothing):
    result = evaluate({"q1": nothing}, {"q1": {"d2": 1}}, measures=["RR", "nDCG@10", "P"], backend="reference")
    assert dict(result) == {"RR": 0.0, "nDCG@10": 0.0, "P": 0.0}
    assert (result["queries"], result.report.missing) == (1, ())


@pytest.mark.parametrize("number", [int, np.int64, np.int32, np.uint8], ids=lambda kind: kind.__name__)
def test_an_int_id_is_its_decimal_text_on_either_side(number):
    run = {number(q): {number(d): s for d, s in docs.items()} for q, docs in INT_RUN.items()}
    qrels = {number(q): {number(d): g for d, g in docs.items()} for q, docs in INT_QRELS.items()}
    assert same(run, qrels, INT_RUN, INT_QRELS)
    assert same(run, INT_QRELS, INT_RUN, INT_QRELS)
    assert same(INT_RUN, qrels, INT_RUN, INT_QRELS)


def test_an_int_id_works_in_lists_pairs_and_sets_too():
    qrels = {1: {12}, 2: {11}}
    assert same({1: [11, 12], 2: (11,)}, qrels, INT_RUN, {"1": {"12": 1}, "2": {"11": 1}})
    assert same({1: [(11, 2), (12, 1)], 2: [(11, 1)]}, qrels, INT_RUN, {"1": {"12": 1}, "2": {"11": 1}})


def test_ids_that_are_a_subclass_of_text_are_text():
    run = {np.str_(q): {np.str_(d): s for d, s in docs.items()} for q, docs in RUN.items()}
    assert same(run, {np.str_(q): docs for q, docs in QRELS.items()})


def test_members_of_an_enum_of_texts_are_their_texts_on_either_side():
    class Doc(str, Enum):
        A = "a"
        B = "b"

    plain = {"a": ["a", "b"]}, {"a": {"b"}}
    assert same({Doc.A: [Doc.A, Doc.B]}, {"a": {Doc.B}}, *plain)
    assert same({"a": ["a", "b"]}, {Doc.A: [Doc.B]}, *plain)


@pytest.mark.parametrize("number", [int, float, np.float64, np.float32, np.float16, np.int8, np.uint64, Decimal, Fraction])
def test_any_real_number_is_a_score(number):
    run = {"q1": {"a": number(100), "b": number(90), "c": number(120), "d": number(1)}}
    assert same(run, {"q1": {"b": 1}}, {"q1": {"a": 100.0, "b": 90.0, "c": 120.0, "d": 1.0}}, {"q1": {"b": 1}})


def test_true_false_and_a_mixture_are_scores_too():
    run = {"q1": {"a": np.True_, "b": True, "c": 2, "d": Decimal("1.5"), "e": np.float32(0.5), "f": False}}
    assert same(run, {"q1": {"e": 1}}, {"q1": {"a": 1.0, "b": 1.0, "c": 2.0, "d": 1.5, "e": 0.5, "f": 0.0}}, {"q1": {"e": 1}})


@pytest.mark.parametrize("grade", [2, 2.0, np.int64(2), np.float32(2), Decimal(2), Fraction(2), np.uint8(2)])
def test_any_whole_number_is_a_grade(grade):
    assert same(RUN, {**QRELS, "q2": {"d8": grade}}, RUN, {**QRELS, "q2": {"d8": 2}})


def test_true_is_the_grade_1():
    assert same(RUN, {**QRELS, "q2": {"d8": True}})
    assert same(RUN, {**QRELS, "q2": {"d8": np.True_}})


def test_infinite_scores_are_ordered_and_minus_zero_is_zero():
    run = {"q": {"low": float("-inf"), "high": float("inf"), "mid": 0.0}}
    assert evaluate(run, {"q": {"low"}}, measures="RR", backend="reference")["RR"] == 1 / 3
    tied = evaluate({"q": {"a": -0.0, "b": 0.0}}, {"q": {"a"}}, measures="RR", backend="reference")
    assert (tied["RR"], tied.report.tied) == (1 / 2, {"q": 2})


def test_scores_that_differ_beyond_32_bits_are_different():
    run = {"q": {"a": 0.83456789012, "z": 0.83456788}}
    assert evaluate(run, {"q": {"a"}}, measures="RR", backend="reference")["RR"] == 1
    coarse = evaluate(run, {"q": {"a"}}, measures="RR", backend="reference", policy=Policy(float32_scores=True))
    assert (coarse["RR"], coarse.report.tied) == (1 / 2, {"q": 2})


# Data frames

ID_KINDS = {
    "object": lambda ids: ids.astype(object),
    "string": lambda ids: ids.astype("string"),
    "categorical": lambda ids: ids.astype("category"),
}


@pytest.mark.parametrize("kind", ID_KINDS)
def test_a_frame_may_hold_ids_of_any_kind(kind):
    run, qrels = frame(RUN_ROWS, "score"), frame(QRELS_ROWS, "relevance")
    for table in (run, qrels):
        for column in ("query_id", "doc_id"):
            table[column] = ID_KINDS[kind](table[column])
    assert same(run, qrels)


@pytest.mark.parametrize("kind", ["int64", "int32", "uint16", "Int64", "category"])
def test_a_frame_may_hold_ids_that_are_whole_numbers(kind):
    rows = [(int(q), int(d), s) for q, docs in INT_RUN.items() for d, s in docs.items()]
    run = frame(rows, "score").astype({"query_id": kind, "doc_id": kind})
    assert same(run, INT_QRELS, INT_RUN, INT_QRELS)


@pytest.mark.parametrize("kind", ["float64", "float32", "Float64", "object"])
def test_a_frame_may_hold_scores_of_any_kind(kind):
    assert same(frame(RUN_ROWS, "score").astype({"score": kind}), QRELS)


@pytest.mark.parametrize("kind", ["int64", "int8", "float64", "Int64", "object"])
def test_a_frame_may_hold_grades_of_any_kind(kind):
    assert same(RUN, frame(QRELS_ROWS, "relevance").astype({"relevance": kind}))


def test_a_frame_without_scores_is_ordered_by_rank():
    run = frame([(q, d, i) for q, docs in RUN.items() for i, d in enumerate(docs, 1)], "rank")
    assert same(run, QRELS)
    assert same(run.sample(frac=1, random_state=7), QRELS)


def test_a_frame_with_scores_and_ranks_is_ordered_by_score():
    assert same(frame(RUN_ROWS, "score").assign(rank=1), QRELS)


def test_the_rows_of_a_frame_need_not_stand_together_and_its_index_and_other_columns_do_not_matter():
    run = frame(RUN_ROWS, "score").sample(frac=1, random_state=3).assign(tag="mine")
    scores = evaluate(run, QRELS, backend="reference")
    assert dict(scores) == dict(evaluate(RUN, QRELS, backend="reference"))


def test_an_empty_frame_is_a_run_without_queries():
    assert len(read_run(frame([], "score"))) == 0


# Other libraries' objects


def test_runs_and_qrels_may_be_rows_of_ir_measures():
    run = [ir_measures.ScoredDoc(*row) for row in RUN_ROWS]
    qrels = [ir_measures.Qrel(*row) for row in QRELS_ROWS]
    assert same(run, qrels)
    assert same(iter(run), iter(qrels))
    assert same((row for row in run), (row for row in qrels))
    assert same(reversed(run), QRELS) == same({q: list(docs.items())[::-1] for q, docs in reversed(RUN.items())}, QRELS)


@pytest.mark.slow
def test_runs_and_qrels_may_be_ranx_objects():
    ranx = pytest.importorskip("ranx")
    assert same(ranx.Run(RUN), ranx.Qrels(QRELS))


# Files


def test_a_file_gives_what_the_dictionary_gives(tmp_path):
    run, qrels = run_file(tmp_path / "run.txt"), qrels_file(tmp_path / "qrels.txt")
    assert same(run, qrels)
    assert same(str(run), str(qrels))
    assert same(gzipped(run), gzipped(qrels))


def test_a_gzipped_file_is_known_by_its_content(tmp_path):
    run = gzipped(run_file(tmp_path / "run.txt"))
    assert same(run.rename(tmp_path / "packed.txt"), QRELS)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace(" ", "  \t "),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.rstrip("\n"),
        lambda text: "\n\n" + text.replace("\n", "\n\n") + "  \n",
        lambda text: "\ufeff" + text,
        lambda text: "# a comment\n" + text + "#another one\n",
        lambda text: text.replace("3.0", "3e0").replace("2.5", "+2.50").replace("0.25", ".25"),
        lambda text: "\n".join(sorted(text.splitlines(), key=lambda line: line.split()[3])),
    ],
    ids=["tabs", "blanks", "CRLF", "no last newline", "blank lines", "byte order mark", "comments", "notations", "not contiguous"],
)
def test_a_file_may_look_different_and_say_the_same(tmp_path, change):
    path = tmp_path / "run.txt"
    path.write_bytes(change(run_file(path).read_text(encoding="utf-8")).encode())
    result = evaluate(path, QRELS, backend="reference")
    assert dict(result) == dict(evaluate(RUN, QRELS, backend="reference"))


def test_scores_order_a_file_and_its_ranks_do_not(tmp_path):
    rows = sorted(RUN_ROWS, key=lambda row: (row[0], row[2]))
    result = evaluate(run_file(tmp_path / "run.txt", rows), QRELS, backend="reference")
    assert dict(result) == dict(evaluate(RUN, QRELS, backend="reference"))


def test_odd_ids_are_read_as_they_stand(tmp_path):
    long = "x" * 300
    rows = [("q", "Ä/#%é", 3.0), ("q", "doc", 2.0), ("q", "DOC", 1.0), ("q", long, 0.5)]
    run = read_run(run_file(tmp_path / "run.txt", rows))
    result = evaluate(run, {"q": {"DOC"}}, measures="RR", backend="reference")
    assert result["RR"] == 1 / 3
    assert evaluate(run, {"q": {long}}, measures="RR", backend="reference")["RR"] == 1 / 4


# What is read


def test_what_is_read_tells_its_size(tmp_path):
    for run in (RUN, run_file(tmp_path / "run.txt"), frame(RUN_ROWS, "score")):
        read = read_run(run)
        assert isinstance(read, Run)
        assert (len(read), read.queries, read.rows) == (3, ["q1", "q2", "zz"], 7)
    for qrels in (QRELS, qrels_file(tmp_path / "qrels.txt"), frame(QRELS_ROWS, "relevance")):
        read = read_qrels(qrels)
        assert isinstance(read, Qrels)
        assert (len(read), read.queries, read.rows) == (3, ["q1", "q2", "q3"], 6)


def test_rows_are_counted_as_found():
    assert read_run({"q": ["a", "a", "b"]}).rows == 3
    assert read_qrels({"q": ["a", "a", "b"], "r": []}).rows == 3


def test_what_was_read_serves_many_calls():
    run, qrels = read_run(RUN), read_qrels(QRELS)
    assert same(run, qrels)
    assert same(run, qrels)
    assert read_run(run).queries == run.queries


def test_later_changes_of_the_source_do_not_reach_what_was_read():
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": ["a"], "q3": [("a", 1.0)]}
    qrels = {"q1": {"b": 1}, "q2": {"a"}, "q3": ["a"]}
    read = read_run(run), read_qrels(qrels)
    before = evaluate(*read, backend="reference").to_dict()
    run["q1"].clear()
    run["q2"].clear()
    run["q3"].clear()
    run["q4"] = ["b"]
    qrels["q1"]["a"] = 5
    qrels["q2"].add("x")
    qrels["q3"].append("x")
    assert evaluate(*read, backend="reference").to_dict() == before


def test_nothing_that_was_passed_is_changed():
    run = {"q1": {"a": 1.0, "b": 1.0}, "q2": ["a", "a"], "q3": [("a", 1.0), ("a", 2.0)]}
    qrels = {"q1": {"a": -1, "b": 2}, "q2": {"a"}, "q3": []}
    copies = repr(run), repr(qrels)
    for backend in ("reference", "ir_measures", "ranx"):
        evaluate(run, qrels, backend=backend)
    assert (repr(run), repr(qrels)) == copies
    table = frame(RUN_ROWS, "score")
    kept = table.copy()
    evaluate(table, QRELS)
    pd.testing.assert_frame_equal(table, kept)
