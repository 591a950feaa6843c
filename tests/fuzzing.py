"""Random accidents for the fuzzers: mutated bytes, files of every form, odd objects, odd words of a command line."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import json
import lzma
import math
import sys
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import cbor2
import lz4.frame
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

try:
    zstd = importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
except ImportError:  # which is optional
    zstd = None

PIECES = [
    b" ", b"  ", b"\t", b"\r", b"\n", b"\n\n", b"\v", b"\f", b"#", b"\n#", b'"', b'""', b",", b";", b"|", b"\0", b"\xff", b"\xc3",
    b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc2\xa0", b"e", b".", b"-", b"9", b"9" * 400, b"{", b"}", b"[", b"]", b"[1]", b":", b"nan",
    b"inf", b"1e999", b"1_0", b"null", b"true", b"\\ud800", b"\\u0000", b"PAR1", b"ARROW1", b"\xa1", b"\xbf", b"\x9f",
]  # fmt: skip
"""What is put into files."""


def mutated(data: bytes, random: Random) -> bytes:
    """Some bytes after up to four accidents."""
    for _ in range(random.choice([0, 1, 1, 1, 2, 4])):
        at = random.randrange(len(data) + 1)
        more = random.randrange(1, 9)
        kind = random.randrange(8)
        if kind <= 1 and at < len(data):
            data = data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]
        elif kind <= 3:
            data = data[:at] + random.choice(PIECES) + data[at:]
        elif kind == 4:
            data = data[:at] + data[at + more :]
        elif kind == 5:
            data = data[:at]
        elif kind == 6:
            data = data[:at] + random.choice([b"\xff", b"\0", b"\x7f", b"\x80"]) * more + data[at + more :]
        else:
            end = random.randrange(at, len(data) + 1)
            data = data[:end] + data[at:end] + data[end:]
    return data


QRELS = {"q1": {"d2": 1, "d4": 2, "d5": 0}, "q2": {"d1": 1, "d5": 3}, "q3": {"dé1": 1}}

RUN = {
    "q1": {"d1": 9.5, "d2": 7.25, "d3": 7.25, "d4": 3.0, "d5": -0.001},
    "q2": {"d1": 9.5, "d2": 7.25, "d3": 7.25, "d4": 3.0, "d5": -0.001},
    "q3": {"dé1": 0.5},
    "x": {"d1": 1.0},
}
ROWS = [(query, doc, score) for query, ranking in RUN.items() for doc, score in ranking.items()]
FRAME = pl.DataFrame(ROWS, schema=["query_id", "doc_id", "score"], orient="row")


def _written(write: Callable[[io.BytesIO], object]) -> bytes:
    """What a function writes to a file."""
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def _delimited(separator: str, rows: list[tuple[Any, ...]]) -> bytes:
    return "".join(separator.join(map(str, row)) + "\n" for row in rows).encode()


_RECORDS = [{"query_id": query, "doc_id": doc, "score": score} for query, doc, score in ROWS]
_TREC = _delimited(" ", [(query, "Q0", doc, rank, score, "tag") for rank, (query, doc, score) in enumerate(ROWS, 1)])

TEXTS: dict[str, bytes] = {
    "trec": _TREC,
    "trec with tabs": _TREC.replace(b" ", b"\t"),
    "trec of Windows": _TREC.replace(b"\n", b"\r\n"),
    "trec qrels": _delimited(" ", [(query, 0, doc, grade) for query, row in QRELS.items() for doc, grade in row.items()]),
    "pairs": _delimited("\t", [(query, doc) for query, row in QRELS.items() for doc in row]),
    "msmarco": _delimited("\t", [(query, doc, rank) for query, row in RUN.items() for rank, doc in enumerate(row, 1)]),
    "csv": _delimited(",", [("query_id", "doc_id", "score"), *ROWS]),
    "csv with quotes": b'"query_id","doc_id","score"\n' + _delimited(",", [(f'"{q}"', f'"{d}"', s) for q, d, s in ROWS]),
    "semicolons": _delimited(";", [("qid", "rank", "docno", "score"), *((q, 1, d, s) for q, d, s in ROWS)]),
    "beir": _delimited("\t", [("query-id", "corpus-id", "score"), *ROWS]),
}
"""Files of lines."""

_GRADED = [(query, doc, grade) for query, row in QRELS.items() for doc, grade in row.items()]
_RANKED = [(query, doc, rank, -rank) for query, row in RUN.items() for rank, doc in enumerate(row, 1)]

BARE: dict[str, dict[str, bytes]] = {
    "RUN": {
        "three columns": _delimited(" ", ROWS),
        "three columns of csv": _delimited(",", ROWS),
        "ranks and scores": _delimited("\t", _RANKED),
        "trec between semicolons": _TREC.replace(b" ", b";"),
        "distances": _delimited(",", [("qid", "docno", "distance"), *ROWS]),
    },
    "QRELS": {
        "three columns": _delimited("\t", _GRADED),
        "three columns of csv": _delimited(",", _GRADED),
        "levels": _delimited(" ", [(query, doc, f"L{grade}") for query, doc, grade in _GRADED]),
        "letters": _delimited("\t", [("query_id", "doc_id", "grade"), *((q, d, "ESI"[grade % 3]) for q, d, grade in _GRADED)]),
        "a pool": _delimited(",", [("query_id", "doc_id", "grade"), *((q, d, grade or "") for q, d, grade in _GRADED)]),
        "pairs below a header": _delimited(",", [("query_id", "doc_id"), *((q, d) for q, d, _ in _GRADED)]),
    },
}
"""Files of lines that their columns tell, as those of a run and of qrels."""

FILES: dict[str, bytes] = {
    **TEXTS,
    "json": json.dumps(RUN).encode(),
    "json of lists": json.dumps({query: list(ranking) for query, ranking in RUN.items()}, indent=1).encode(),
    "json of pairs": json.dumps({query: list(ranking.items()) for query, ranking in RUN.items()}).encode(),
    "records": json.dumps(_RECORDS).encode(),
    "json lines": "\n".join(map(json.dumps, _RECORDS)).encode(),
    "json lines by query": "\n".join(json.dumps({query: ranking}) for query, ranking in RUN.items()).encode(),
    "ragas": "\n".join(
        json.dumps({"user_input": q, "retrieved_context_ids": list(r), "reference_context_ids": list(QRELS.get(q, ()))})
        for q, r in RUN.items()
    ).encode(),
    "cbor": cbor2.dumps(RUN),
    "parquet": _written(FRAME.write_parquet),
    "parquet, plain": _written(lambda file: FRAME.write_parquet(file, compression="uncompressed", statistics=False)),
    "arrow": _written(FRAME.write_ipc),
    "arrow, packed": _written(lambda file: FRAME.write_ipc(file, compression="lz4")),
    "arrow stream": _written(FRAME.write_ipc_stream),
    "arrow stream, packed": _written(lambda file: FRAME.write_ipc_stream(file, compression="zstd")),
}
"""A file of each form."""

PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "lz4": lz4.frame.compress,
    **({"zstandard": zstd.compress} if zstd else {}),
}


def damaged_file(random: Random) -> bytes:
    """A file of some form, packed or not, mutated before or after it was packed."""
    data = FILES[random.choice(list(FILES))]
    packings = random.choices(list(PACKINGS.values()), k=random.choice([0, 0, 0, 1, 1, 2]))
    outside = random.random() < 0.5
    data = data if outside and packings else mutated(data, random)
    for pack in packings:
        half = random.randrange(len(data) + 1)
        data = pack(data[:half]) + pack(data[half:]) if random.random() < 0.2 else pack(data)
    return mutated(data, random) if outside and packings else data


class Broken:
    """An object whose attributes and whose repr raise."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name) if name.startswith("__") else RuntimeError(name)

    def __repr__(self) -> str:
        raise RuntimeError("repr")


_ENDLESS: list[Any] = []
_ENDLESS.append(_ENDLESS)

ODD_VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 10**30, 10**5000, 2**53, 2**53 + 1, 0.0, -0.0, 0.5, 1e300, math.nan, math.inf, -math.inf, 1j,
    "", " ", "a", "d1", "d2", "q1", "1", "\0", "\ud800", "[1]", "x" * 3000, b"a", bytearray(b"a"), Decimal("0.5"), Decimal("sNaN"),
    Decimal("1e999"), Fraction(1, 3), Fraction(10**400, 3), date(2020, 1, 1), timedelta(1), np.float32(0.1), np.int8(-1), np.nan,
    np.str_("d1"), np.bool_(True), np.datetime64("2020-01-01"), np.timedelta64(1, "D"), np.array(1.5), np.array(["d1", "d2"]),
    np.array([[1, 2]]), pd.NA, pd.NaT, pd.Timestamp("2020-01-01"), object, len, Broken(), _ENDLESS, (), {}, set(),
    frozenset({"d1"}), range(3), iter(["d1"]), pd.Series([1.0, 2.0], ["d1", "d2"]), pd.Series(["d1", "d2"]),
    pl.Series(["d1", "d2"]), pa.array(["d1"]), pd.DataFrame({"a": [1]}),
    type("Name", (str,), {})("d1"), type("Whole", (int,), {})(3),
]  # fmt: skip
"""What may stand where it should not."""


def odd_value(random: Random, depth: int = 2) -> Any:
    """A value, or a container of some."""
    kind = random.randrange(8) if depth else 0
    some = [odd_value(random, depth - 1) for _ in range(random.randrange(4))] if kind else []
    if kind == 1:
        return some
    if kind == 2:
        return tuple(some)
    if kind == 3:
        return {odd_id(random): value for value in some}
    if kind == 4:
        return list(zip(["d1", "d2", "d3"], some, strict=False))
    return random.choice(ODD_VALUES)


def odd_id(random: Random) -> Any:
    """What can be a key, and mostly an id."""
    value = random.choice(["q1", "d1", "d2", "1", 1, random.choice(ODD_VALUES)])
    try:
        hash(value)
    except Exception:
        return "q1"
    return value


_PLAIN = (str, int, float, bool, bytes, date, Decimal, type(None))


def odd_frame(random: Random) -> Any:
    """A frame of some library with odd columns."""
    n = random.choice([0, 1, 3])
    rows = range(n)
    some = ["query_id", "doc_id", "score", "rank", "relevance", "iteration", "qid", "text"]
    names = random.sample(some, random.choice([2, 3, 4]))
    usual = {"query_id": "q1", "doc_id": "d1", "score": 1.0, "relevance": 1}
    values = {name: [random.choice([usual.get(name, "q1"), odd_value(random, 0)]) for _ in rows] for name in names}
    try:
        library = random.choice(["pandas", "polars", "pyarrow", "records"])
        if library == "pandas":
            return pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in values.items()})
        plain = all(type(value) in _PLAIN for column in values.values() for value in column)
        if library in ("polars", "pyarrow") and plain:  # which end the process for lists that hold themselves
            return pl.DataFrame(values, strict=False) if library == "polars" else pa.table(values)
        return [{name: column[row] for name, column in values.items()} for row in rows]
    except BaseException:  # what the library itself refuses, some of it by a panic
        return pd.DataFrame()


def odd_input(random: Random, usual: Any) -> Any:
    """A run or qrels of odd parts."""
    kind = random.randrange(5)
    if kind == 0:
        return odd_value(random, 3)
    if kind == 1:
        return odd_frame(random)
    if kind == 2:
        return {**usual, "q1": odd_value(random)}
    if kind == 3:
        return {**usual, odd_id(random): {**usual["q1"], odd_id(random): odd_value(random, 1)}}
    return {**usual, "q1": {doc: random.choice([number, odd_value(random, 0)]) for doc, number in usual["q1"].items()}}


def mutated_document(document: Any, random: Random) -> Any:
    """A copy of a nested document after up to three accidents: keys that are lost, renamed or repeated, values of other kinds."""
    for _ in range(random.choice([0, 1, 1, 1, 2, 3])):
        document = _mutated_at(document, random, random.randrange(7))
    return document


_KEYS = [
    "score",
    "id",
    "doc_id",
    "_id",
    "hits",
    "ids",
    "distance",
    "rank",
    "query_id",
    "query",
    "documents",
    "t1",
    "0",
    None,
    3,
    "",
]


def _mutated_at(value: Any, random: Random, depth: int) -> Any:
    """A copy of a value with an accident at some depth, or where it ends."""
    if not depth or not isinstance(value, (dict, list)) or not value:
        return random.choice([odd_value(random), random.choice(ODD_VALUES), [value], [value, value], {"id": value}, "1.0", "d1"])
    members = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    at = random.randrange(len(members))
    key, member = members[at]
    kind = random.randrange(8)
    if kind == 0:
        del members[at]
    elif kind == 1:
        members[at] = (random.choice(_KEYS), member)
    elif kind == 2:
        members.insert(at, (random.choice(_KEYS), random.choice(members)[1]))
    else:
        members[at] = (key, _mutated_at(member, random, depth - 1))
    return dict(members) if isinstance(value, dict) else [member for _, member in members]
