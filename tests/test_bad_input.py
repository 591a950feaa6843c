"""What no policy accepts is refused with its place, what was given and what to try, and never becomes a number."""

from __future__ import annotations

import gzip
from decimal import Decimal
from fractions import Fraction

import ir_measures
import numpy as np
import pandas as pd
import pytest

from samescore import Policy, evaluate, read_qrels, read_run
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


def frame(rows, number):
    return pd.DataFrame(rows, columns=["query_id", "doc_id", number])


# Files

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
    ("query-id corpus-id score\n", Q, FormatError, ["qrels.txt", "empty"]),
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
    (tmp_path / "bm25.run.txt").touch()
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
        ({"q1": {"a": 10**400}}, ScoreError, ["query 'q1', document 'a'", "beyond all floats"]),
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
        ({"q1": ["a", pd.NA]}, IdError, ["query 'q1'", "NA"]),
        ({"q1": [np.array(["a", "b"])]}, IdError, ["query 'q1'", "array"]),
        ({"q1": [np.timedelta64(5, "D")]}, IdError, ["query 'q1'", "timedelta"]),
        ({"q1": [10**5000]}, IdError, ["query 'q1'", "int"]),
        ({"q1": {"a": 10**5000}}, ScoreError, ["query 'q1', document 'a'", "int"]),
        ({"q1": {"a": Decimal("sNaN")}}, ScoreError, ["query 'q1', document 'a'", "sNaN"]),
        ({"q1": {"a": np.timedelta64(5, "D"), "b": 1.0}}, ScoreError, ["query 'q1', document 'a'", "timedelta"]),
        ({pd.NA: ["a"]}, IdError, ["query id", "NA"]),
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
        ({"q1": {"a": 10**5000}}, GradeError, ["query 'q1', document 'a'", "large"]),
        ({"q1": {"a": Fraction(10**400, 3)}}, GradeError, ["query 'q1', document 'a'", "large"]),
        ({"q1": {"a": Decimal("sNaN")}}, GradeError, ["query 'q1', document 'a'", "nan"]),
        ({"q1": {"a": np.timedelta64(5, "D")}}, GradeError, ["query 'q1', document 'a'", "timedelta"]),
        ({"q1": {"a", pd.NA}}, IdError, ["query 'q1'", "NA"]),
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


# Frames and rows


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
        read_qrels(frame(QRELS_ROWS, "Note"))


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


def test_rows_of_another_kind_are_refused():
    with pytest.raises(InputTypeError, match="query_id"):
        read_run([("q1", "d1", 1.0)])
    with pytest.raises(InputTypeError, match="ScoredDoc were given as the qrels"):
        read_qrels([ir_measures.ScoredDoc("q1", "d1", 1.0)])
