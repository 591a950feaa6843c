"""Readers: every form of a run and of qrels gives the Result that the dictionary gives, and what cannot be read says where."""

from __future__ import annotations

import gzip
from collections import OrderedDict
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

import ir_measures
import numpy as np
import pandas as pd
import pytest

from samescore import Policy, Qrels, Run, evaluate, read_qrels, read_run
from samescore.errors import (
    FormatError,
    GradeError,
    IdError,
    InputError,
    InputTypeError,
    MismatchError,
    PolicyError,
    ScoreError,
)

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
    "dict keys": {q: dict(sorted(docs.items(), key=lambda row: -row[1])).keys() for q, docs in RUN.items() if q != "q9"},
    "pairs": {q: list(docs.items()) for q, docs in RUN.items()},
    "pairs, shuffled": {q: list(docs.items())[::-1] for q, docs in RUN.items()},
    "mixed": {"q1": list(RUN["q1"]), "q2": RUN["q2"], "zz": [("d1", 1)]},
}
SET_QRELS = {q: {d for d, g in docs.items() if g > 0} for q, docs in QRELS.items()}
BINARY = {q: dict.fromkeys(docs, 1) for q, docs in SET_QRELS.items()}


@pytest.mark.parametrize("form", [f for f in RUNS if f != "dict keys"])
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


@pytest.mark.parametrize(
    ("columns", "found", "nearest"),
    [
        (["query_ids", "doc_id", "score"], "query_ids", "query_id"),
        (["query_id", "the_doc_id", "score"], "the_doc_id", "doc_id"),
        (["query_id", "doc_id", "scores"], "scores", "score"),
    ],
)
def test_a_frame_without_a_needed_column_is_refused_with_the_nearest(columns, found, nearest):
    with pytest.raises(InputError) as raised:
        read_run(pd.DataFrame(RUN_ROWS, columns=columns))
    assert f"rename {found} to {nearest}" in str(raised.value)


def test_a_frame_of_qrels_needs_relevance():
    with pytest.raises(InputError, match="relevance"):
        read_qrels(frame(QRELS_ROWS, "grade"))


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
@pytest.mark.parametrize("column", ["query_id", "doc_id"])
@pytest.mark.parametrize("kind", ["object", "string"])
def test_a_missing_id_in_a_frame_is_refused(column, missing, kind):
    rows = frame(RUN_ROWS, "score").astype({column: kind})
    rows.loc[2, column] = missing
    with pytest.raises(IdError, match="id"):
        read_run(rows)


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, "high"])
@pytest.mark.parametrize("column", ["score", "rank"])
def test_a_missing_score_or_rank_in_a_frame_is_refused_with_its_document(column, missing):
    rows = frame(RUN_ROWS, column).astype({column: object})
    rows.loc[1, column] = missing
    with pytest.raises(ScoreError, match="query 'q1', document 'd2'"):
        read_run(rows)


def test_a_frame_with_a_column_twice_is_refused():
    rows = frame(RUN_ROWS, "score")
    rows.columns = ["query_id", "doc_id", "doc_id"]
    with pytest.raises(InputError, match="doc_id"):
        read_run(rows.assign(score=1.0))


# Other libraries' objects


def test_runs_and_qrels_may_be_rows_of_ir_measures():
    run = [ir_measures.ScoredDoc(*row) for row in RUN_ROWS]
    qrels = [ir_measures.Qrel(*row) for row in QRELS_ROWS]
    assert same(run, qrels)
    assert same(iter(run), iter(qrels))
    assert same((row for row in run), (row for row in qrels))
    assert same(reversed(run), QRELS) == same({q: list(docs.items())[::-1] for q, docs in reversed(RUN.items())}, QRELS)


def test_runs_and_qrels_may_be_ranx_objects():
    ranx = pytest.importorskip("ranx")
    assert same(ranx.Run(RUN), ranx.Qrels(QRELS))


def test_rows_of_another_kind_are_refused():
    with pytest.raises(InputTypeError, match="query_id"):
        read_run([("q1", "d1", 1.0)])
    with pytest.raises(InputTypeError, match="relevance"):
        read_qrels([ir_measures.ScoredDoc("q1", "d1", 1.0)])


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


Q, R = "qrels", "run"
BROKEN = [
    ("q1 Q0 d1 1 4.0 t\nq1 Q0 d2 2 high t\n", R, ScoreError, ["run.txt, line 2", "'high'"]),
    ("q1 Q0 d1 1 nan t\n", R, ScoreError, ["run.txt, line 1", "NaN"]),
    ("q1 Q0 d1 1 1_0 t\n", R, ScoreError, ["line 1", "'1_0'"]),
    ("q1 Q0 d1 1 ٣ t\n", R, ScoreError, ["line 1"]),
    ("q1 Q0 d1 1 4.0\n", R, FormatError, ["line 1", "5 columns, not 6", "query Q0 document rank score tag"]),
    ("q1 Q0 d1 1 4.0 my tag\n", R, FormatError, ["line 1", "7 columns"]),
    ("q1 0 d1 1\n", R, FormatError, ["line 1", "4 columns", "swapped"]),
    ("\n# only this\n\n", R, FormatError, ["empty"]),
    ("", R, FormatError, ["run.txt", "empty"]),
    ("q1 0 d1 1\nq1 0 d2 relevant\n", Q, GradeError, ["qrels.txt, line 2", "'relevant'"]),
    ("q1 0 d1 nan\n", Q, GradeError, ["line 1", "nan"]),
    ("q1 0 d1 inf\n", Q, GradeError, ["line 1", "inf"]),
    ("q1 0 d1\n", Q, FormatError, ["line 1", "3 columns, not 4", "query iteration document grade"]),
    ("q1 Q0 d1 1 4.0 t\n", Q, FormatError, ["line 1", "6 columns", "swapped"]),
    ("query-id corpus-id score\n", Q, FormatError, ["line 1", "3 columns"]),
    ("", Q, FormatError, ["qrels.txt", "empty"]),
]
READ = {R: read_run, Q: read_qrels}


@pytest.mark.parametrize(("text", "kind", "error", "words"), BROKEN)
def test_a_broken_file_is_refused_with_the_line(tmp_path, text, kind, error, words):
    path = tmp_path / f"{kind}.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error) as raised:
        READ[kind](path)
    assert [word for word in words if word not in str(raised.value)] == []


@pytest.mark.parametrize("kind", [R, Q])
@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"\x89PNG\0\0\0", "binary"),
        (b"q1 Q0 d1 1 1 t\nq1 Q0 d\xff 2 1 t\n", "line 2"),
        (gzip.compress(b"q1 Q0 d1 1 1 t\n" * 999)[:-9], "gzip"),
        (b"\x1f\x8b\x08\x00 not gzip at all", "gzip"),
    ],
    ids=["binary", "not UTF-8", "cut gzip", "broken gzip"],
)
def test_a_file_that_is_no_text_is_refused(tmp_path, kind, content, word):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=word):
        READ[kind](path)


@pytest.mark.parametrize("read", READ.values())
def test_a_file_that_is_not_there_is_refused_with_near_names(tmp_path, read):
    run_file(tmp_path / "bm25.run.txt")
    with pytest.raises(InputError, match=r"try: 'bm25\.run\.txt'"):
        read(tmp_path / "bm25.txt")
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "no" / "such" / "folder.txt")


@pytest.mark.parametrize("read", READ.values())
@pytest.mark.parametrize("path", ["a\0b", "x" * 5000])
def test_a_path_that_cannot_be_is_refused(read, path):
    with pytest.raises(InputError, match="file"):
        read(path)


@pytest.mark.parametrize("read", READ.values())
def test_a_folder_is_no_file(tmp_path, read):
    with pytest.raises(InputError):
        read(tmp_path)


# What no policy accepts


@pytest.mark.parametrize(
    ("run", "error", "words"),
    [
        ({"q1": {"a": float("nan")}}, ScoreError, ["query 'q1', document 'a'", "NaN"]),
        ({"q1": {"b": 1.0, "a": np.float32("nan")}}, ScoreError, ["query 'q1', document 'a'", "NaN"]),
        ({"q1": {"a": Decimal("nan")}}, ScoreError, ["query 'q1', document 'a'", "NaN"]),
        ({"q1": {"a": "high"}}, ScoreError, ["query 'q1', document 'a'", "'high'"]),
        ({"q1": {"a": "1.5"}}, ScoreError, ["query 'q1', document 'a'", "'1.5'"]),
        ({"q1": {"a": None}}, ScoreError, ["query 'q1', document 'a'", "None"]),
        ({"q1": {"a": 1 + 2j}}, ScoreError, ["query 'q1', document 'a'"]),
        ({"q1": {"a": np.complex128(1 + 2j)}}, ScoreError, ["query 'q1', document 'a'"]),
        ({"q1": {"a": pd.NA}}, ScoreError, ["query 'q1', document 'a'", "NA"]),
        ({"q1": {"a": 10**400}}, ScoreError, ["query 'q1', document 'a'"]),
        ({"q1": {"a": [1.0]}}, ScoreError, ["query 'q1', document 'a'"]),
        ({"q1": [("a", 1.0), ("b", "x")]}, ScoreError, ["query 'q1', document 'b'"]),
        ({"q1": [("a", 1.0), "b"]}, InputTypeError, ["query 'q1'", "'b'", "pairs"]),
        ({"q1": [("a", 1.0), ("b", 1.0, 2)]}, InputTypeError, ["query 'q1'"]),
        ({"q1": {"a", "b"}}, InputTypeError, ["query 'q1'", "order"]),
        ({"q1": "abc"}, InputTypeError, ["query 'q1'", "'abc'", "list"]),
        ({"q1": b"abc"}, InputTypeError, ["query 'q1'", "list"]),
        ({"q1": None}, InputTypeError, ["query 'q1'", "NoneType"]),
        ({"q1": 5}, InputTypeError, ["query 'q1'", "int"]),
        ({"q1": ["a", None]}, IdError, ["query 'q1'", "None"]),
        ({"q1": ["a", ""]}, IdError, ["query 'q1'", "empty"]),
        ({"q1": {"": 1.0}}, IdError, ["query 'q1'", "empty"]),
        ({"q1": ["a", 1.5]}, IdError, ["query 'q1'", "1.5"]),
        ({"q1": ["a", True]}, IdError, ["query 'q1'", "True"]),
        ({"q1": ["a", b"b"]}, IdError, ["query 'q1'", "b'b'"]),
        ({"q1": {1: 1.0, "1": 2.0}}, IdError, ["query 'q1'", "1 and '1'"]),
        ({"": ["a"]}, IdError, ["query id", "empty"]),
        ({None: ["a"]}, IdError, ["query id", "None"]),
        ({1.0: ["a"]}, IdError, ["query id", "1.0"]),
        ({1: ["a"], "1": ["b"]}, IdError, ["query ids", "1 and '1'"]),
        (5, InputTypeError, ["5"]),
        (None, InputTypeError, ["None"]),
        (b"run.txt", InputTypeError, ["run.txt"]),
        (["q1", "q2"], InputTypeError, ["query_id"]),
    ],
)
def test_a_run_that_no_policy_accepts_is_refused_with_the_place(run, error, words):
    for read in (read_run, lambda source: evaluate(source, QRELS)):
        with pytest.raises(error) as raised:
            read(run)
        assert [word for word in words if word not in str(raised.value)] == []


@pytest.mark.parametrize(
    ("qrels", "error", "words"),
    [
        ({"q1": {"a": float("nan")}}, GradeError, ["query 'q1', document 'a'", "nan"]),
        ({"q1": {"a": float("inf")}}, GradeError, ["query 'q1', document 'a'", "inf"]),
        ({"q1": {"a": "2"}}, GradeError, ["query 'q1', document 'a'", "'2'"]),
        ({"q1": {"a": None}}, GradeError, ["query 'q1', document 'a'", "None"]),
        ({"q1": {"b": 1, "a": 10**20}}, GradeError, ["query 'q1', document 'a'", "large"]),
        ({"q1": {"a": 1e300}}, GradeError, ["query 'q1', document 'a'", "large"]),
        ({"q1": [("a", "x")]}, GradeError, ["query 'q1', document 'a'"]),
        ({"q1": "abc"}, InputTypeError, ["query 'q1'", "'abc'", "set"]),
        ({"q1": None}, InputTypeError, ["query 'q1'", "NoneType"]),
        ({"q1": 1}, InputTypeError, ["query 'q1'", "int"]),
        ({"q1": {"a", None}}, IdError, ["query 'q1'", "None"]),
        ({"q1": {"": 1}}, IdError, ["query 'q1'", "empty"]),
        ({"q1": {1: 1, "1": 1}}, IdError, ["query 'q1'", "1 and '1'"]),
        ({1: {"a"}, "1": {"b"}}, IdError, ["1 and '1'"]),
        ({None: {"a"}}, IdError, ["None"]),
        (5, InputTypeError, ["5"]),
        (None, InputTypeError, ["None"]),
        ([("q1", "a", 1)], InputTypeError, ["query_id"]),
    ],
)
def test_qrels_that_no_policy_accepts_are_refused_with_the_place(qrels, error, words):
    for read in (read_qrels, lambda source: evaluate(RUN, source)):
        with pytest.raises(error) as raised:
            read(qrels)
        assert [word for word in words if word not in str(raised.value)] == []


def test_what_was_read_as_one_side_is_refused_as_the_other():
    with pytest.raises(InputTypeError, match="swapped"):
        evaluate(read_qrels(QRELS), read_qrels(QRELS))
    with pytest.raises(InputTypeError, match="swapped"):
        evaluate(read_run(RUN), read_run(RUN))


def test_run_and_qrels_that_are_swapped_beyond_doubt_are_refused_unless_they_were_read_as_such():
    scores, judged = {"t1": {"a": 12.25, "b": 11.5}}, {"t1": {"a": 1, "b": 0}}
    with pytest.raises(MismatchError, match="swapped"):
        evaluate(judged, scores, backend="reference")
    assert evaluate(read_run(judged), read_qrels(scores), measures="R@5", backend="reference")["R@5"] == 1


def test_no_query_in_common_is_refused_with_examples_of_both_sides():
    with pytest.raises(MismatchError) as raised:
        evaluate({"a1": ["d"]}, {"b1": {"d"}})
    assert "'a1'" in str(raised.value)
    assert "'b1'" in str(raised.value)


def test_a_run_or_qrels_without_queries_is_no_mismatch():
    assert evaluate({}, QRELS, measures="R@5", policy=Policy(missing="skip"), backend="reference")["queries"] == 0
    result = evaluate(RUN, {}, measures="R@5", backend="reference")
    assert (result["R@5"], result["queries"], result["skipped"]) == (0.0, 0, len(RUN))


@pytest.mark.parametrize("how", ["rows", "file", "pairs"])
def test_one_document_judged_twice_with_different_grades_is_refused_and_identical_rows_collapse(tmp_path, how):
    def made(second):
        rows = [("q1", "d1", 1), ("q1", "d2", 1), ("q1", "d1", second)]
        if how == "rows":
            return [ir_measures.Qrel(*row) for row in rows]
        if how == "pairs":
            return {"q1": [(doc, grade) for _, doc, grade in rows]}
        path = tmp_path / "qrels.txt"
        path.write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in rows))
        return path

    with pytest.raises(PolicyError, match="query 'q1', document 'd1'"):
        evaluate({"q1": ["d1"]}, made(2), backend="reference")
    alike = evaluate({"q1": ["d1"]}, made(1), measures="R@5", backend="reference")
    assert (alike["R@5"], alike.report.repeated_judgements) == (1 / 2, 1)


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
