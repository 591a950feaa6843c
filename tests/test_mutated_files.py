"""Files with bytes flipped, columns dropped and lines cut: a right number, or an error that names a line."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cbor2
import polars as pl
import pytest
from hypothesis import example, given, strategies as st
from strategies import tries

from samescore import SamescoreError, evaluate, read_run
from samescore.readers import content

LINES = [
    *(f"q{q} Q0 d{d} {d} {s} tag".encode() for q in (1, 2) for d, s in enumerate((9.5, 7.25, 7.25, 3.0, -1e-3), 1)),
    "q3 Q0 dé1 1 0.5 tag".encode(),
]
QRELS = {"q1": {"d2": 1, "d4": 2}, "q2": {"d1": 1, "d5": 3}, "q3": {"dé1": 1}}
JUDGED = [f"{q} 0 {d} {g}".encode() for q, docs in QRELS.items() for d, g in docs.items()]
RUN = {q: {d: 10.0 - i for i, d in enumerate(["d1", "d2", "d4", "d5", "dé1"])} for q in QRELS}
MEASURES = ["nDCG@10", "R@2", "RR", "AP"]

NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
BYTES = st.sampled_from(
    [
        b" ",
        b"  ",
        b"\t",
        b"\r",
        b"\n",
        b"\v",
        b"\f",
        b"#",
        b'"',
        b"\0",
        b"\xff",
        b"\xc3",
        b"\xef\xbb\xbf",
        b"e",
        b".",
        b"-",
        b"9",
        b"{",
        b"nan",
    ]
)
MUTATION = st.tuples(
    st.sampled_from(["flip", "insert", "delete", "drop column", "cut", "again"]), st.floats(0, 1), BYTES, st.integers(0, 7)
)


def mutated(lines: list[bytes], mutations: list[tuple[str, float, bytes, int]], end: bytes) -> bytes:
    """The lines as a file, after some accidents."""
    data = end.join(lines) + end
    for kind, where, some, bit in mutations:
        at = min(int(where * len(data)), len(data) - 1)
        if not data:
            break
        if kind == "flip":
            data = data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
        elif kind == "insert":
            data = data[:at] + some + data[at:]
        elif kind == "delete":
            data = data[:at] + data[at + 1 :]
        elif kind == "cut":
            data = data[: max(at, len(data) // 2)]
        else:
            rows = data.split(b"\n")
            i = min(int(where * len(rows)), len(rows) - 1)
            words = rows[i].split(b" ")
            rows[i : i + 1] = [rows[i]] * 2 if kind == "again" else [b" ".join(words[: bit % 6] + words[bit % 6 + 1 :])]
            data = b"\n".join(rows)
    return data


def well_formed(data: bytes, width: int, number: int, *, finite: bool) -> list[tuple[str, str, str, float]] | None:
    """Query, second word, document and number of each line, or None where a line is not what it should be."""
    rows = []
    for line in data.removeprefix(content.BOM).split(b"\n"):
        words = line.split()
        if line.startswith(content.BOM):
            return None
        if not words or words[0].startswith(b"#"):
            if b"\0" in line or not is_text(line):
                return None
            continue
        if len(words) != width or b"\0" in line or not is_text(line) or not NUMBER.fullmatch(words[number]):
            return None
        value = float(words[number])
        if finite and abs(value) > 2**53:
            return None
        rows.append((words[0].decode(), words[1].decode(), words[2].decode(), value))
    return rows or None


def twice(data: bytes) -> bool:
    """Whether a document of a query stands under two iterations, which are subtopics then."""
    rows = [
        line.split()
        for line in data.removeprefix(content.BOM).split(b"\n")
        if line.split() and not line.split()[0].startswith(b"#")
    ]
    return len({(row[0], row[2]) for row in rows}) < len({(row[0], row[1], row[2]) for row in rows})


def is_text(line: bytes) -> bool:
    """Whether this is UTF-8."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def outcome(run: Any, qrels: Any) -> Any:
    """The numbers and what was noted, or the error's words."""
    try:
        result = evaluate(run, qrels, measures=MEASURES, backend="reference")
    except SamescoreError as error:
        return str(error)
    report = result.report
    return dict(result), dict(report.duplicates), dict(report.tied), report.unjudged_queries, report.missing


ENDS = st.sampled_from([b"\n", b"\n", b"\r\n", b"\r\r\n", b" \n"])


@pytest.mark.filterwarnings("ignore::samescore.errors.SamescoreWarning")
@pytest.mark.parametrize("small", [content.SMALL, 64], ids=["by line", "in blocks"])
def test_a_mutated_run_gives_the_right_number_or_names_a_line(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "SMALL", small)
    monkeypatch.setattr(content, "BLOCK", 150)

    @given(st.lists(MUTATION, max_size=3), ENDS)
    @tries(250)
    def check(mutations: list[tuple[str, float, bytes, int]], end: bytes) -> None:
        data = mutated(LINES, mutations, end)
        rows = well_formed(data, 6, 4, finite=False)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run"
            path.write_bytes(data)
            found = outcome(path, QRELS)
        if rows is None:
            assert isinstance(found, str), found
            assert re.search(r"line \d+|is empty", found), found
        else:
            rankings: dict[str, list[tuple[str, float]]] = {}
            for query, _, doc, score in rows:
                rankings.setdefault(query, []).append((doc, score))
            assert found == outcome(rankings, QRELS)

    check()


@pytest.mark.filterwarnings("ignore::samescore.errors.SamescoreWarning")
@pytest.mark.parametrize("small", [content.SMALL, 20], ids=["by line", "in blocks"])
def test_mutated_qrels_give_the_right_number_or_name_a_line(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "SMALL", small)
    monkeypatch.setattr(content, "BLOCK", 30)

    @given(st.lists(MUTATION, max_size=3), ENDS)
    @example([("again", 0.0, b" ", 0), ("flip", 0.0625, b" ", 0)], b"\n")  # one document judged for two subtopics
    @tries(250)
    def check(mutations: list[tuple[str, float, bytes, int]], end: bytes) -> None:
        data = mutated(JUDGED, mutations, end)
        rows = well_formed(data, 4, 3, finite=True)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "qrels"
            path.write_bytes(data)
            found = outcome(RUN, path)
        if rows is None:
            assert isinstance(found, str), found
            assert re.search(r"line \d+|is empty", found), found
        elif len({row[:3] for row in rows}) > len({(query, doc) for query, _, doc, _ in rows}):
            assert "judged for the subtopics" in found
        else:
            judged: dict[str, list[tuple[str, float]]] = {}
            for query, _, doc, grade in rows:
                judged.setdefault(query, []).append((doc, grade))
            assert found == outcome(RUN, judged) or (isinstance(found, str) and "(iterations)" in found and twice(data))

    check()


@pytest.mark.filterwarnings("ignore::samescore.errors.SamescoreWarning")
@pytest.mark.parametrize("separator", [b",", b"\t"], ids=["CSV", "TSV"])
def test_a_mutated_file_with_a_header_is_read_alike_by_line_and_in_blocks(
    separator: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "BLOCK", 150)
    rows = [line.split()[0:5:2] for line in LINES]
    lines = [separator.join(row) for row in [[b"query_id", b"doc_id", b"score"], *rows]]

    @given(st.lists(MUTATION, max_size=3), ENDS)
    @example([("insert", 0.1171875, b'"', 0)], b"\n")
    @tries(250)
    def check(mutations: list[tuple[str, float, bytes, int]], end: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run"
            path.write_bytes(mutated(lines, mutations, end))
            monkeypatch.setattr(content, "SMALL", 1 << 20)
            by_line = outcome(path, QRELS)
            monkeypatch.setattr(content, "SMALL", 64)
            in_blocks = outcome(path, QRELS)
        assert (in_blocks == by_line) or (isinstance(in_blocks, str) and isinstance(by_line, str))

    check()


def binary(write: Callable[[io.BytesIO], Any]) -> bytes:
    """What is written to a file."""
    file = io.BytesIO()
    write(file)
    return file.getvalue()


FRAME = pl.DataFrame({"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "a"], "score": [2.0, 1.0, 1.5]})
BY_QUERY = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.5}}
BINARIES = {
    "parquet": binary(FRAME.write_parquet),
    "arrow": binary(FRAME.write_ipc),
    "arrow with lz4": binary(lambda file: FRAME.write_ipc(file, compression="lz4")),
    "arrow stream": binary(FRAME.write_ipc_stream),
    "cbor": cbor2.dumps(BY_QUERY),
    "json": json.dumps(BY_QUERY).encode(),
    "json lines": "\n".join(json.dumps({query: docs}) for query, docs in BY_QUERY.items()).encode(),
    "gzip": gzip.compress(b"\n".join(LINES)),
    "bzip2": bz2.compress(b"\n".join(LINES)),
    "xz": lzma.compress(b"\n".join(LINES)),
}


def refusal(path: Path) -> SamescoreError | None:
    """The error that reading a run raises, if it does."""
    try:
        read_run(path)
    except SamescoreError as error:
        return error
    return None


BYTE = st.tuples(
    st.sampled_from(["flip", "insert", "delete", "cut"]), st.floats(0, 1), st.binary(min_size=1, max_size=2), st.integers(0, 7)
)


@pytest.mark.parametrize("form", BINARIES)
def test_a_mutated_file_of_another_form_is_read_or_refused_in_our_words(form: str, tmp_path: Path) -> None:
    @given(st.lists(BYTE, min_size=1, max_size=3))
    @tries(60)
    def check(mutations: list[tuple[str, float, bytes, int]]) -> None:
        (tmp_path / "run").write_bytes(mutated([BINARIES[form]], mutations, b""))
        error = refusal(tmp_path / "run")
        assert error is None or error.file == str(tmp_path / "run")

    check()
