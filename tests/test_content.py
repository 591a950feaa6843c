"""The bytes of an input: what can be read once, packed members, byte order marks, by line and in blocks."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from samescore import SamescoreError, evaluate, read_qrels, read_run
from samescore.cli import main
from samescore.errors import FormatError

QUERIES = [f"a-query-with-a-long-name-{i:05d}" for i in range(25_000)]
RUN = "".join(f"{query} Q0 d 1 1.0 tag\n" for query in QUERIES).encode()
QRELS = "".join(f"{query} 0 d 1\n" for query in QUERIES).encode()
"""More than is read at once to see what a file is."""


@contextmanager
def pipe(data: bytes) -> Iterator[str]:
    """The path of a pipe that gives some bytes, once."""
    reading, writing = os.pipe()

    def write() -> None:
        with open(writing, "wb") as file:
            file.write(data)

    writer = threading.Thread(target=write)
    writer.start()
    yield f"/dev/fd/{reading}"
    os.close(reading)
    writer.join()


@contextmanager
def fifo(data: bytes, path: Path) -> Iterator[Path]:
    """A named pipe that gives some bytes, once."""
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(data,))
    writer.start()
    yield path
    writer.join()


needs_pipes = pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs /dev/fd")


@needs_pipes
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_pipe_of_any_size_is_read_whole(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    with pipe(pack(RUN)) as run, pipe(pack(QRELS)) as qrels:
        result = evaluate(run, qrels, measures="RR")
    assert (result["RR"], result["queries"]) == (1.0, len(QUERIES))
    with fifo(pack(RUN), tmp_path / "run") as run, fifo(pack(QRELS), tmp_path / "qrels") as qrels:
        assert read_run(run).rows == read_qrels(qrels).rows == len(QUERIES)


@needs_pipes
def test_commands_read_pipes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pipe(RUN) as run, pipe(QRELS) as qrels:
        assert main(["trec_eval", "-m", "recip_rank", "-m", "num_q", qrels, run]) == 0
    printed = capsys.readouterr().out
    assert "1.0000" in printed
    assert str(len(QUERIES)) in printed


@needs_pipes
def test_a_pipe_of_json_and_of_parquet_is_read_whole(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    rows = {"query_id": QUERIES, "doc_id": ["d"] * len(QUERIES), "score": [1.0] * len(QUERIES)}
    frame = pl.DataFrame(rows)
    frame.write_parquet(tmp_path / "run.parquet", compression="uncompressed")
    frame.write_ndjson(tmp_path / "run.jsonl")
    for path in tmp_path.iterdir():
        assert path.stat().st_size > 1 << 20
        with pipe(path.read_bytes()) as run:
            assert read_run(run).queries == QUERIES


# Packed files

LINES = b"q1 Q0 d1 1 2.0 t\n" * 300, b"q2 Q0 d1 1 2.0 t\n" * 300


def zstd(data: bytes) -> bytes:
    """Data as a frame of zstandard."""
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    packed: bytes = pytest.importorskip(name).compress(data)
    return packed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstandard": zstd,
    "lz4": lambda data: pytest.importorskip("lz4.frame").compress(data),
}


@pytest.mark.parametrize("packing", PACKERS)
def test_a_damaged_member_after_the_first_is_refused(packing: str, tmp_path: Path) -> None:
    one, two = map(PACKERS[packing], LINES)
    damages = {
        "its first byte": bytes([two[0] ^ 1]) + two[1:],
        "its second byte": two[:1] + bytes([two[1] ^ 1]) + two[2:],
        "its end is lost": two[:-5],
        "its first bytes alone": two[:3],
        "other bytes follow": two + b"and more",
    }
    for what, damaged in damages.items():
        (tmp_path / "run").write_bytes(one + damaged)
        with pytest.raises(FormatError, match=f"the {packing} file is broken") as caught:
            read_run(tmp_path / "run")
        assert caught.value.file == str(tmp_path / "run"), what


@pytest.mark.parametrize("packing", PACKERS)
def test_zeros_after_the_last_member_are_padding(packing: str, tmp_path: Path) -> None:
    one, two = map(PACKERS[packing], LINES)
    (tmp_path / "run").write_bytes(one + two + bytes(200_000))
    assert read_run(tmp_path / "run").queries == ["q1", "q2"]


def test_a_file_that_was_packed_many_times_is_no_text(tmp_path: Path) -> None:
    data = LINES[0]
    for _ in range(4):
        data = gzip.compress(data)
    (tmp_path / "run").write_bytes(data)
    with pytest.raises(FormatError, match=r"this is no text file|not UTF-8 text"):
        read_run(tmp_path / "run")


# Byte order marks and headers, by line and in blocks

BOM = "\ufeff"
RUN_LINES = ["q1 Q0 a 1 2.0 t", "q1 Q0 b 2 1.0 t", "q2 Q0 a 1 2.0 t", "q3 Q0 a 1 2.0 t"]


def read(data: bytes, path: Path) -> object:
    """What a file gives: its queries and rankings, or the words of the refusal."""
    path.write_bytes(data)
    try:
        run = read_run(path)
    except SamescoreError as error:
        return str(error)
    return {query: list(run.rankings[query].docs) for query in run.queries}, run.tag


@pytest.mark.parametrize("at", range(5))
@pytest.mark.parametrize("end", [pytest.param("", marks=pytest.mark.slow), "\n"])
def test_a_byte_order_mark_within_a_file_is_refused_by_line_and_in_blocks(
    at: int, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "\n".join([*RUN_LINES[:at], BOM + "".join(RUN_LINES[at : at + 1]), *RUN_LINES[at + 1 :]]) + end
    by_line = read(text.encode(), tmp_path / "run")
    refused = f"{tmp_path / 'run'}, line {at + 1}: the line begins with a byte order mark"
    assert (at > 0) == str(by_line).startswith(refused)  # that of the first line is the file's
    monkeypatch.setattr("samescore.readers.content.SMALL", 7)
    for block in range(1, 80):  # so that blocks begin at every line
        monkeypatch.setattr("samescore.readers.content.BLOCK", block)
        assert read(text.encode(), tmp_path / "run") == by_line


def test_an_id_in_quotes_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "run").write_text(f'query_id,doc_id,score\n"{BOM}q1",a,2.0\n"q\n{BOM}2",a,2.0\n', encoding="utf-8")
    assert read_run(tmp_path / "run").queries == [f"{BOM}q1", f"q\n{BOM}2"]


@pytest.mark.parametrize(("word", "refused"), [(b"t\xe9xt", "not UTF-8 text"), (b"t\0xt", "a binary character"), (b"text", "")])
def test_a_header_that_is_no_text_is_refused_by_line_and_in_blocks(
    word: bytes, refused: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b"query_id,doc_id,score," + word + b"\n" + b"".join(b"q%d,a,2.0,x\n" % i for i in range(9))
    by_line = read(data, tmp_path / "run")
    assert isinstance(by_line, str) == bool(refused)
    assert refused in str(by_line)
    monkeypatch.setattr("samescore.readers.content.SMALL", 30)
    for block in (5, 20, 1000):
        monkeypatch.setattr("samescore.readers.content.BLOCK", block)
        assert read(data, tmp_path / "run") == by_line
