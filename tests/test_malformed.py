"""Each kind of broken input is one clear error: what, where, what was given, and what to try."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest

from samescore import Policy, SamescoreError, evaluate, read_qrels, read_run
from samescore.cli import main
from samescore.readers.files import expand_runs

NONE: Mapping[str, Any] = MappingProxyType({})
QRELS = {"q1": {"d1": 1}}
GOOD = b"q1 Q0 d1 1 2.0 t\n"
BIG = b"q1 Q0 d1 1 2.0 t\n" * 70_000  # more than is read line by line


class Case(NamedTuple):
    """What is read, from a file of these bytes or by a call, and the message that it must give; [...] is a library's own words."""

    kind: str
    source: Any
    message: str
    options: Mapping[str, Any] = NONE


def frame(**columns: Any) -> pd.DataFrame:
    """A frame with some of the usual columns replaced."""
    usual = {"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], "score": [2.0, 1.0]}
    return pd.DataFrame({name: values for name, values in {**usual, **columns}.items() if values is not None})


def big_frame(name: str, value: Any) -> pd.DataFrame:
    """A frame big enough for the table road, with one value of its own in row 5."""
    column = {"query_id": ["q1"] * 20_000, "doc_id": [f"d{i}" for i in range(20_000)], "score": np.arange(20_000.0)}
    made = pd.DataFrame({key: pd.Series(values, dtype=object if key == name else None) for key, values in column.items()})
    made.loc[5, name] = value
    return made


class Unprintable:
    """An object without a text."""

    def __str__(self) -> str:
        raise ValueError("no text")


def run_of(ranking: Any) -> Callable[[Path], Any]:
    """Evaluate one ranking."""
    return lambda folder: evaluate({"q1": ranking}, QRELS)


def mismatched(run: list[str], qrels: list[str]) -> Callable[[Path], Any]:
    """Evaluate queries that do not meet."""
    return lambda folder: evaluate({query: ["d1"] for query in run}, {query: {"d1": 1} for query in qrels})


def near(folder: Path) -> Any:
    """Read a file that is there by another name."""
    (folder / "bm25.run").write_bytes(GOOD)
    return read_run(folder / "bm52.run")


def empty_folder(folder: Path) -> Any:
    """Look for runs where there are none."""
    (folder / "runs").mkdir()
    return expand_runs([folder / "runs"])


CBOR_TWICE = (
    "FOLDER/input: a query or a document is there twice in the CBOR, or a mapping does not say how long it is\n"
    "try: one entry for each query, and for each document of a query"
)

CASES: dict[str, Case] = {
    # more than anyone means
    "a line of 400,000 columns": Case(
        "run",
        GOOD + b"x " * 400_000,
        "FOLDER/input, line 2: 400,000 columns\ntry: at most 1,000, of which an id and a number are read",
    ),
    "a line of 1,000,000 columns in a big file": Case(
        "run",
        BIG + b"x " * 1_000_000 + b"\n" + BIG,
        "FOLDER/input, line 70001: 1,000,000 columns\ntry: at most 1,000, of which an id and a number are read",
    ),
    "a header of 1,001 columns": Case(
        "run",
        b"query_id,doc_id,score" + b",x" * 998 + b"\n",
        "FOLDER/input, line 1: 1,001 columns\ntry: at most 1,000, of which an id and a number are read",
    ),
    "a header that does not end in the first megabyte": Case(
        "run",
        b"query_id,doc_id,score" + b",x" * 1_000_000 + b"\n",
        "FOLDER/input, line 1: [...] columns\ntry: at most 1,000, of which an id and a number are read",
    ),
    "megabytes of blank lines": Case(
        "run",
        b"\n" * 2_000_000 + GOOD,
        "FOLDER/input: the first 1,048,577 bytes are blank\ntry: a file with one line for each document",
    ),
    "megabytes of blank lines after a row": Case(
        "run",
        GOOD + b"\n" * 10_000_000 + GOOD,
        "FOLDER/input, line 1048562: 8,388,608 bytes without a row\ntry: drop the blank lines and comments",
    ),
    "a number of 5,000 digits in JSON": Case(
        "run", b'{"q1": {"d1": ' + b"9" * 5000 + b"}}", "FOLDER/input, line 1: broken JSON: [...]\ntry: numbers that fit a float"
    ),
    "JSON that is nested too deeply": Case(
        "run", b'{"q1": ' + b"[" * 200_000, "FOLDER/input, line 1: the JSON is nested too deeply\ntry: [...]"
    ),
    "JSON Lines that are nested too deeply": Case(
        "run", b'{"q1": ' + b"[" * 200_000 + b'\n{"q2": 1}', "FOLDER/input, line 1: the JSON is nested too deeply\ntry: [...]"
    ),
    "a name twice in a record": Case(
        "run",
        b'[{"query_id": "q1", "query_id": "q2", "doc_id": "d1", "score": 1}]',
        "FOLDER/input: 'query_id' stands twice in a JSON object\ntry: one value for each name",
    ),
    "a name twice in JSON Lines": Case(
        "run",
        b'{"query_id": "q1", "doc_id": "d1", "score": 1}\n{"query_id": "q1", "doc_id": "d2", "score": 1, "score": 2}\n',
        "FOLDER/input, line 2: 'score' stands twice in a JSON object\ntry: one value for each name",
    ),
    "a query twice in CBOR": Case("run", b"\xa2\x62q1\xa1\x61d\x01\x62q1\xa1\x61e\x01", CBOR_TWICE),
    "a document twice in CBOR": Case("qrels", b"\xa1\x62q1\xa2\x61d\x01\x61d\x02", CBOR_TWICE),
    "CBOR that holds itself": Case(
        "run",
        b"\xa1\x62q1\xd8\x1c\x81\xd8\x1d\x00",
        "FOLDER/input, line 1: neither UTF-8 text nor CBOR\ntry: convert it with iconv -t UTF-8",
    ),
    # numbers in lines
    "NaN score": Case(
        "run",
        GOOD + b"q1 Q0 d2 2 nan t\n",
        "FOLDER/input, line 2: the score is NaN: 'q1 Q0 d2 2 nan t'\ntry: drop the line or give it a number",
    ),
    "NaN score in a big file": Case(
        "run",
        BIG + b"q1 Q0 d2 2 NaN t\n",
        "FOLDER/input, line 70001: the score is NaN: 'q1 Q0 d2 2 NaN t'\ntry: drop the line or give it a number",
    ),
    "a word for a score": Case(
        "run",
        GOOD + b"q1 Q0 d2 2 high t\n",
        "FOLDER/input, line 2: the score 'high' is not a number: 'q1 Q0 d2 2 high t'\ntry: query Q0 document rank score tag",
    ),
    "a word for a score in a big file": Case(
        "run",
        BIG + b"q1 Q0 d2 2 high t\n" + BIG,
        "FOLDER/input, line 70001: the score 'high' is not a number: 'q1 Q0 d2 2 high t'\ntry: query Q0 document rank score tag",
    ),
    "an underscore in a score": Case(
        "run",
        b"q1 Q0 d2 2 1_000 t\n",
        "FOLDER/input, line 1: the score '1_000' is not a number: 'q1 Q0 d2 2 1_000 t'\ntry: query Q0 document rank score tag",
    ),
    "a comma in a score": Case(
        "run",
        b"q1 Q0 d2 2 0,5 t\n",
        "FOLDER/input, line 1: the score '0,5' is not a number: 'q1 Q0 d2 2 0,5 t'\ntry: query Q0 document rank score tag",
    ),
    "digits of another script": Case(
        "run",
        "q1 Q0 d2 2 \u0661 t\n".encode(),
        "FOLDER/input, line 1: the score '١' is not a number: 'q1 Q0 d2 2 ١ t'\ntry: query Q0 document rank score tag",
    ),
    "a hexadecimal score": Case(
        "run",
        b"q1 Q0 d2 2 0x1F t\n",
        "FOLDER/input, line 1: the score '0x1F' is not a number: 'q1 Q0 d2 2 0x1F t'\ntry: query Q0 document rank score tag",
    ),
    "a word for a grade": Case(
        "qrels",
        b"q1 0 d1 1\nq1 0 d2 yes\n",
        "FOLDER/input, line 2: the grade 'yes' is not a number: 'q1 0 d2 yes'\ntry: query iteration document grade",
    ),
    "NaN grade": Case(
        "qrels", b"q1 0 d1 nan\n", "FOLDER/input, line 1: the grade is NaN: 'q1 0 d1 nan'\ntry: drop the line or give it a number"
    ),
    "infinite grade": Case("qrels", b"q1 0 d1 inf\n", "FOLDER/input, line 1: the grade is inf\ntry: a grade such as 0, 1 or 2"),
    "a grade beyond whole floats": Case(
        "qrels", b"q1 0 d1 1e300\n", "FOLDER/input, line 1: the grade is 1e300\ntry: a grade such as 0, 1 or 2"
    ),
    "a fraction for a rank": Case(
        "run",
        b"q1\td1\t1\nq1\td2\t2\nq1\td3\t2.5\nq2\td3\tx\n",
        "FOLDER/input, line 1: 3 columns, not 6: 'q1 d1 1'; if these are query, document and rank: "
        "read_run(run, format='msmarco')\n"
        "try: query Q0 document rank score tag",
    ),
    "a word for a rank": Case(
        "run",
        b"q1\td1\t1\nq1\td2\t2\nq2\td3\tx\n",
        "FOLDER/input, line 3: the rank 'x' is not a number: 'q2 d3 x'\ntry: query document rank",
    ),
    # columns
    "five columns": Case(
        "run",
        GOOD + b"q1 Q0 d2 2 1.0\n",
        "FOLDER/input, line 2: 5 columns, not 6: 'q1 Q0 d2 2 1.0'\ntry: query Q0 document rank score tag",
    ),
    "seven columns": Case(
        "run",
        GOOD + b"q1 Q0 d 2 2 1.0 t\n",
        "FOLDER/input, line 2: 7 columns, not 6: 'q1 Q0 d 2 2 1.0 t'\ntry: query Q0 document rank score tag",
    ),
    "five columns in a big file": Case(
        "run",
        BIG + b"q1 Q0 d2 2 1.0\n" + BIG,
        "FOLDER/input, line 70001: 5 columns, not 6: 'q1 Q0 d2 2 1.0'\ntry: query Q0 document rank score tag",
    ),
    "five columns and two blanks in a big file": Case(
        "run",
        BIG + b"q1 Q0  d2 2 1.0\n" + BIG,
        "FOLDER/input, line 70001: 5 columns, not 6: 'q1 Q0 d2 2 1.0'\ntry: query Q0 document rank score tag",
    ),
    "seven columns in a big file": Case(
        "run",
        BIG + b"q1 Q0 d 2 2 1.0 t\n" + BIG,
        "FOLDER/input, line 70001: 7 columns, not 6: 'q1 Q0 d 2 2 1.0 t'\ntry: query Q0 document rank score tag",
    ),
    "a line that was cut in a big file": Case(
        "run", BIG + b"q1 Q", "FOLDER/input, line 70001: 2 columns, not 6: 'q1 Q'\ntry: query Q0 document rank score tag"
    ),
    "three columns, whole scores": Case(
        "run",
        b"q1 d1 5\nq1 d2 3\n",
        "FOLDER/input, line 1: 3 columns, not 6: 'q1 d1 5'; if these are query, document and rank: "
        "read_run(run, format='msmarco')\n"
        "try: query Q0 document rank score tag",
    ),
    "one column": Case("run", b"d1\nd2\n", "FOLDER/input, line 1: 1 column, not 6: 'd1'\ntry: query Q0 document rank score tag"),
    "qrels of three columns without a grade": Case(
        "qrels", b"q1 0 d1\n", "FOLDER/input, line 1: 3 columns, not 4: 'q1 0 d1'\ntry: query iteration document grade"
    ),
    "four columns of a run that are no rank and score": Case(
        "run",
        b"q1 d1 1 2.5\nq1 d2 2 3.5\n",
        "FOLDER/input, line 1: 4 columns, not 6: 'q1 d1 1 2.5'; four columns are query, document, rank and score, where ranks are "
        "whole and scores do not rise with them\ntry: query Q0 document rank score tag",
    ),
    "three columns whose last may be a rank": Case(
        "run",
        b"q1 d1 2\nq1 d2 3\n",
        "FOLDER/input, line 1: 3 columns, not 6: 'q1 d1 2'; if these are query, document and rank: "
        "read_run(run, format='msmarco')\n"
        "try: query Q0 document rank score tag",
    ),
    "qrels of five columns": Case(
        "qrels", b"q1 0 d1 1 1\n", "FOLDER/input, line 1: 5 columns, not 4: 'q1 0 d1 1 1'\ntry: query iteration document grade"
    ),
    "pairs, then four columns": Case(
        "qrels", b"q1 d1\nq1 0 d2 1\n", "FOLDER/input, line 2: 4 columns, not 2: 'q1 0 d2 1'\ntry: query document"
    ),
    "carriage returns alone": Case(
        "run",
        b"q1 Q0 d1 1 2.0 t\rq1 Q0 d2 2 1.0 t\r",
        "FOLDER/input, line 1: 12 columns, not 6: 'q1 Q0 d1 1 2.0 t q1 Q0 d2 2 1.0 t'\ntry: query Q0 document rank score tag",
    ),
    "a run for the qrels": Case(
        "qrels",
        GOOD,
        "FOLDER/input, line 1: 6 columns, not 4: 'q1 Q0 d1 1 2.0 t'; is this a run file, and are run and qrels "
        "swapped?\n"
        "try: query iteration document grade",
    ),
    "qrels for the run": Case(
        "run",
        b"q1 0 d1 1\n",
        "FOLDER/input, line 1: 4 columns, not 6: 'q1 0 d1 1'; is this a qrels file, and are run and qrels "
        "swapped?\n"
        "try: query Q0 document rank score tag",
    ),
    "a header of other names": Case(
        "run",
        b"Thema X Beleg Rang Wert Name\n" + GOOD,
        "FOLDER/input, line 1: the score 'Wert' is not a number: 'Thema X Beleg Rang Wert Name'; is this a "
        "header?\n"
        "try: read_run(run, columns={'query_id': 'Thema', 'doc_id': 'Beleg', 'score': 'Wert'}), or drop the header",
    ),
    "a header in the qrels": Case(
        "qrels",
        b"Thema X Beleg Note\nq1 0 d1 1\n",
        "FOLDER/input, line 1: the grade 'Note' is not a number: 'Thema X Beleg Note'; is this a header?\n"
        "try: read_qrels(qrels, columns={'query_id': 'Thema', 'doc_id': 'Beleg', 'relevance': 'Note'}), or drop the header",
    ),
    # headers
    "CSV without a score": Case(
        "run",
        b"query_id,doc_id,scroe\nq1,d1,2\n",
        "FOLDER/input, line 1: there is no column 'score', but 'query_id', 'doc_id', 'scroe'\n"
        "try: read_run(run, columns={'score': 'scroe'}), or rename scroe to score",
    ),
    "CSV with a missing field": Case(
        "run",
        b"query_id,doc_id,score\nq1,d1,2\nq1,d2\n",
        "FOLDER/input, line 3: 2 columns, not 3: 'q1 d2'\ntry: query_id,doc_id,score",
    ),
    "CSV with an empty id": Case(
        "run",
        b"query_id,doc_id,score\nq1,d1,2\nq1,,1\n",
        "FOLDER/input, line 3: the document id is empty\ntry: drop the line or give the id",
    ),
    "CSV with an empty query": Case(
        "qrels",
        b"query_id,doc_id,relevance\n,d1,2\n",
        "FOLDER/input, line 2: the query id is empty\ntry: drop the line or give the id",
    ),
    "CSV with a word for a score": Case(
        "run",
        b"query_id,doc_id,score\nq1,d1,2\nq1,d2,two\n",
        "FOLDER/input, line 3: the score 'two' is not a number: 'q1 d2 two'\ntry: query_id,doc_id,score",
    ),
    "CSV with an open quote": Case(
        "run",
        b'query_id,doc_id,score\nq1,"d1,2\nq1,d2,1\n',
        "FOLDER/input, line 3: 2 columns, not 3: 'q1 d1,2\\nq1,d2,1'\ntry: query_id,doc_id,score",
    ),
    "CSV with two columns of a name": Case(
        "run",
        b"query_id,doc_id,score,score\nq1,d1,2,3\n",
        "FOLDER/input, line 1: there are two columns 'score'\ntry: rename or drop one",
    ),
    "CSV that is only a header": Case(
        "run",
        b"query_id,doc_id,score\n",
        "FOLDER/input: the file is empty but for comments and a header\ntry: one line for each document",
    ),
    "columns= names what is not there": Case(
        "run",
        b"a,b,c\nq1,d1,2\n",
        "FOLDER/input, line 1: there is no column 'd', but 'a', 'b', 'c'\ntry: read_run(run, columns={'score': '...'})",
        {"columns": {"query_id": "a", "doc_id": "b", "score": "d"}},
    ),
    "columns= has an unknown key": Case(
        "run", b"a,b,c\nq1,d1,2\n", "FOLDER/input: columns= has the unknown key 'query'\ntry: query_id", {"columns": {"query": "a"}}
    ),
    "a format that is none": Case("run", GOOD, "FOLDER/input: there is no format 'trek'\ntry: trec", {"format": "trek"}),
    # bytes
    "an empty file": Case("run", b"", "FOLDER/input: the file is empty\ntry: a file with one line for each document"),
    "a file of blank lines": Case(
        "run", b"\n \n\t\n", "FOLDER/input: the file is empty\ntry: a file with one line for each document"
    ),
    "a file of comments": Case(
        "qrels",
        b"# nothing\n# here\n",
        "FOLDER/input: the file is empty but for comments and a header\ntry: one line for each document",
    ),
    "a big file of comments": Case(
        "run",
        b"# nothing\n" * 200_000,
        "FOLDER/input: the file is empty but for comments and a header\ntry: one line for each document",
    ),
    "a binary file": Case(
        "run", bytes(range(256)) * 8, "FOLDER/input, line 1: a binary character, so this is no text file\ntry: a text file in UTF-8"
    ),
    "a binary character in a big file": Case(
        "run",
        BIG + b"q1 Q0 d\0 2 1.0 t\n",
        "FOLDER/input, line 70001: a binary character, so this is no text file\ntry: a text file in UTF-8",
    ),
    "not UTF-8": Case(
        "run",
        GOOD + "q1 Q0 d\u00e9 2 1.0 t\n".encode("latin-1"),
        "FOLDER/input, line 2: not UTF-8 text\ntry: convert the file with iconv -t UTF-8",
    ),
    "not UTF-8 in a big file": Case(
        "run",
        BIG + "q1 Q0 d\u00e9 2 1.0 t\n".encode("latin-1"),
        "FOLDER/input, line 70001: not UTF-8 text\ntry: convert the file with iconv -t UTF-8",
    ),
    "UTF-16": Case(
        "run", GOOD.decode().encode("utf-16"), "FOLDER/input, line 1: UTF-16, not UTF-8 text\ntry: iconv -f UTF-16 -t UTF-8"
    ),
    "a truncated gzip": Case(
        "run",
        gzip.compress(GOOD * 5000)[:-20],
        "FOLDER/input: the gzip file is broken: Compressed file ended before the end-of-stream marker was "
        "reached\n"
        "try: download or pack it again",
    ),
    "a truncated big gzip": Case(
        "run",
        gzip.compress(BIG)[:-20],
        "FOLDER/input: the gzip file is broken: Compressed file ended before the end-of-stream marker was "
        "reached\n"
        "try: download or pack it again",
    ),
    "a damaged gzip": Case(
        "run",
        gzip.compress(GOOD * 50)[:20] + b"\xff" * 30,
        "FOLDER/input: the gzip file is broken: Compressed file ended before the end-of-stream marker was "
        "reached\n"
        "try: download or pack it again",
    ),
    "a truncated bzip2": Case(
        "run",
        bz2.compress(GOOD * 5000)[:-9],
        "FOLDER/input: the bzip2 file is broken: Compressed file ended before the end-of-stream marker was "
        "reached\n"
        "try: download or pack it again",
    ),
    "a damaged bzip2": Case(
        "run",
        bz2.compress(GOOD * 5000)[:12] + b"\xff" * 99,
        "FOLDER/input: the bzip2 file is broken: Invalid data stream\ntry: download or pack it again",
    ),
    "a truncated xz": Case(
        "run",
        lzma.compress(GOOD * 5000)[:-20],
        "FOLDER/input: the xz file is broken: Compressed file ended before the end-of-stream marker was "
        "reached\n"
        "try: download or pack it again",
    ),
    "a broken parquet": Case("run", b"PAR1" + GOOD * 20, "FOLDER/input: the file is broken: [...]\ntry: write it again"),
    "a broken arrow file": Case("run", b"ARROW1\0\0" + GOOD * 20, "FOLDER/input: the file is broken: [...]\ntry: write it again"),
    # JSON
    "JSON that is cut": Case(
        "run", b'{"q1": {"d1": 2.0,\n "d2": ', "FOLDER/input, line 2: broken JSON: Expecting value\ntry: write it with json.dump"
    ),
    "JSON with NaN": Case(
        "run",
        b'{"q1": {"d1": NaN}}',
        "FOLDER/input, query 'q1', document 'd1': the score is NaN\ntry: drop the document or give it a number",
    ),
    "JSON with text for a score": Case(
        "run",
        b'{"q1": {"d1": "2.0"}}',
        "FOLDER/input, query 'q1', document 'd1': the score '2.0' is not a real number\ntry: float(score)",
    ),
    "JSON with null for a grade": Case(
        "qrels",
        b'{"q1": {"d1": null}}',
        "FOLDER/input, query 'q1', document 'd1': the grade None is not a number\ntry: a whole grade such as 0, 1 or 2",
    ),
    "JSON with an empty id": Case(
        "run",
        b'{"q1": {"": 1.0}}',
        "FOLDER/input, query 'q1': the document id '' is empty\ntry: drop the row, or give the document an id of text",
    ),
    "JSON with a query twice": Case(
        "run",
        b'{"q1": {"d1": 1.0}, "q1": {"d2": 1.0}}',
        "FOLDER/input, query 'q1': the query is there twice\ntry: one entry for each query",
    ),
    "JSON that is a number": Case(
        "run",
        b"[1, 2]",
        "FOLDER/input: the JSON is neither a mapping of queries nor records, but [1, 2]\n"
        'try: {"query": {"document": 1.5}}, or {"query": ["document"]}, or records with query_id, doc_id and '
        "score",
    ),
    "JSON of another kind": Case(
        "run",
        b'{"name": "mine", "turns": []}',
        "FOLDER/input, query 'name': the ranking is one text, 'mine'\ntry: a list of document ids",
    ),
    "JSON Lines that are cut": Case(
        "run",
        b'{"q1": {"d1": 1.0}}\n{"q2": {"d1"',
        "FOLDER/input, line 2: broken JSON: Expecting ':' delimiter\ntry: write it with json.dump",
    ),
    "JSON Lines with a query twice": Case(
        "run",
        b'{"q1": {"d1": 1.0}}\n{"q1": {"d2": 1.0}}',
        "FOLDER/input, line 2, query 'q1': the query is there twice\ntry: one entry for each query",
    ),
    "JSON Lines without a field": Case(
        "run",
        b'{"query_id": "q1", "doc_id": "d1", "score": 1}\n{"query_id": "q1", "doc_id": "d1"}',
        "FOLDER/input, record 2: the record has no 'score', but 'query_id', 'doc_id'\ntry: give it 'score'",
    ),
    "a RAG record without its query": Case(
        "run",
        json.dumps([{"retrieved_context_ids": ["d1"]}]).encode(),
        "FOLDER/input, record 1: the record has no query_id, but 'retrieved_context_ids'\ntry: give each record its query_id",
    ),
    "a RAG record without its ids": Case(
        "qrels",
        json.dumps([{"query_id": "q1", "retrieved_context_ids": []}]).encode(),
        "FOLDER/input, record 1, query 'q1': the record has no reference_context_ids\ntry: an empty list if there are none",
    ),
    "two RAG records of one query": Case(
        "run",
        json.dumps([{"query_id": "q1", "retrieved_context_ids": ["d1"]}] * 2).encode(),
        "FOLDER/input, record 2, query 'q1': there are two records of one query\ntry: one record a query",
    ),
    # places
    "a missing file": Case("call", near, "FOLDER/bm52.run: there is no such file\ntry: 'bm25.run'"),
    "a missing file with nothing near": Case(
        "call", lambda folder: read_run(folder / "run"), "FOLDER/run: there is no such file\ntry: check the path"
    ),
    "a directory for a run": Case("call", read_run, "FOLDER: this is a directory, not a file\ntry: the path of one file in it"),
    "a directory without qrels": Case(
        "call", read_qrels, "FOLDER: this is a directory without qrels\ntry: a file, or a BEIR folder with qrels/test.tsv"
    ),
    "a directory without runs": Case(
        "call", empty_folder, "FOLDER/runs: this is a directory without runs\ntry: a folder of run files"
    ),
    "a pattern that matches nothing": Case(
        "call",
        lambda folder: expand_runs([str(folder / "*.run")]),
        "FOLDER/*.run: no file matches the pattern\ntry: check the pattern, and quote it for the shell",
    ),
    "a data set for a run": Case(
        "call", lambda folder: read_run("irds:vaswani"), "irds:vaswani: ir_datasets has qrels, not runs\ntry: a path to a run"
    ),
    "a data set that is none": Case(
        "call", lambda folder: read_qrels("irds:vaswanni"), "irds:vaswanni: ir_datasets has no such data set\ntry: irds:vaswani"
    ),
    # objects
    "a set for a ranking": Case(
        "call", run_of({"d1", "d2"}), "query 'q1': the ranking is a set, which has no order\ntry: a list in order of rank"
    ),
    "a text for a ranking": Case("call", run_of("d1"), "query 'q1': the ranking is one text, 'd1'\ntry: a list of document ids"),
    "a number for a ranking": Case(
        "call", run_of(3), "query 'q1': the ranking is of type int\ntry: a list of ids or {document: score}"
    ),
    "a number in an array for a ranking": Case(
        "call",
        run_of(np.array("d1")),
        "query 'q1': an array of 0 dimensions stands here\ntry: an array of ids in order, or {document: number}",
    ),
    "an array of two dimensions for a ranking": Case(
        "call",
        run_of(np.array([["d1", "2.0"], ["d2", "1.0"]])),
        "query 'q1': an array of 2 dimensions stands here\ntry: an array of ids in order, or {document: number}",
    ),
    "an array without a dimension for the relevant documents": Case(
        "call",
        lambda folder: read_qrels({"q1": np.array(1)}),
        "query 'q1': an array of 0 dimensions stands here\ntry: an array of ids in order, or {document: number}",
    ),
    "an array without a dimension for a run": Case(
        "call",
        lambda folder: read_run(np.array(5)),
        "cannot read a run from array(5)\ntry: {query: {document: score}}, a DataFrame or a path",
    ),
    "bytes that change for a ranking": Case(
        "call",
        run_of(bytearray(b"d1")),
        "query 'q1': the ranking is one text, bytearray(b'd1')\ntry: a list of document ids",
    ),
    "a frame for a ranking": Case(
        "call",
        run_of(frame()),
        "query 'q1': a DataFrame stands here, whose columns would be its ids\n"
        "try: one frame for all queries, with the columns query_id and doc_id",
    ),
    "a polars frame for the relevant documents": Case(
        "call",
        lambda folder: read_qrels({"q1": pl.DataFrame({"d1": [1]})}),
        "query 'q1': a DataFrame stands here, whose columns would be its ids\n"
        "try: one frame for all queries, with the columns query_id and doc_id",
    ),
    "whole numbers over whole numbers": Case(
        "call",
        run_of(pd.Series([17, 4])),
        "query 'q1': a Series of whole numbers over whole numbers: either may be the ids\ntry: series.to_dict() or series.tolist()",
    ),
    "a Series of texts by document": Case(
        "call",
        run_of(pd.Series({"d1": "2.0"})),
        "query 'q1', document 'd1': the score '2.0' is not a real number\ntry: float(score)",
    ),
    "a Series with an id missing": Case(
        "call",
        run_of(pd.Series(["d1", None], dtype=object)),
        "query 'q1': the document id None is not text or an integer\ntry: drop the row, or give the document an id of text",
    ),
    "a polars Series of scores": Case(
        "call",
        run_of(pl.Series([2.0, 1.0])),
        "query 'q1': the document id 2.0 is not text or an integer\n"
        "try: drop the row, or give the document an id of text, such as '2'",
    ),
    "a Series with a query twice": Case(
        "call",
        lambda folder: read_run(pd.Series([["d1"], ["d2"]], index=["q1", "q1"])),
        "query 'q1': the query is there twice in the index\ntry: one entry for each query",
    ),
    "three in a row among pairs": Case(
        "call",
        run_of([["d1", 2.0], ["d2", 1.0, 0]]),
        "query 'q1': ['d2', 1.0, 0] stands among (document, score) pairs\ntry: pairs throughout, or ids throughout",
    ),
    "an id among pairs of the relevant documents": Case(
        "call",
        lambda folder: read_qrels({"q1": [("d1", 2), "d2"]}),
        "query 'q1': 'd2' stands among (document, grade) pairs\ntry: pairs throughout, or ids throughout",
    ),
    "lists of ids for pairs": Case(
        "call",
        run_of([["d1", "d2"]]),
        "query 'q1', document 'd1': the score 'd2' is not a real number\ntry: float(score)",
    ),
    "None among the ids": Case(
        "call",
        run_of(["d1", None]),
        "query 'q1': the document id None is not text or an integer\ntry: drop the row, or give the document an id of text",
    ),
    "an empty id": Case(
        "call", run_of(["d1", ""]), "query 'q1': the document id '' is empty\ntry: drop the row, or give the document an id of text"
    ),
    "a float for an id": Case(
        "call",
        run_of([1.5]),
        "query 'q1': the document id 1.5 is not text or an integer\ntry: drop the row, or give the document an id of text",
    ),
    "NaN in a mapping": Case(
        "call",
        run_of({"d1": float("nan")}),
        "query 'q1', document 'd1': the score is NaN\ntry: drop the document or give it a number",
    ),
    "text for a score": Case(
        "call", run_of({"d1": "2.0"}), "query 'q1', document 'd1': the score '2.0' is not a real number\ntry: float(score)"
    ),
    "None for a score": Case(
        "call", run_of({"d1": None}), "query 'q1', document 'd1': the score None is not a real number\ntry: float(score)"
    ),
    "None for a query": Case(
        "call",
        lambda folder: evaluate({None: ["d1"]}, QRELS),
        "the query id None is not text or an integer\ntry: drop the row, or give the query an id of text",
    ),
    "one id in two spellings": Case(
        "call",
        run_of({1: 2.0, "1": 1.0}),
        "query 'q1': the document ids 1 and '1' are the same id '1'\ntry: use one spelling of the id",
    ),
    "a text for the relevant documents": Case(
        "call",
        lambda folder: evaluate({"q1": ["d1"]}, {"q1": "d1"}),
        "query 'q1': the relevant documents are one text, 'd1'\ntry: a set of document ids",
    ),
    "text for a grade": Case(
        "call",
        lambda folder: evaluate({"q1": ["d1"]}, {"q1": {"d1": "1"}}),
        "query 'q1', document 'd1': the grade '1' is not a number\ntry: a whole grade such as 0, 1 or 2",
    ),
    "a number for a run": Case(
        "call", lambda folder: read_run(5), "cannot read a run from 5\ntry: {query: {document: score}}, a DataFrame or a path"
    ),
    "bytes for a run": Case(
        "call",
        lambda folder: read_run(b"q1"),
        "cannot read a run from b'q1'\ntry: {query: {document: score}}, a DataFrame or a path",
    ),
    "rows without a score": Case(
        "call",
        lambda folder: read_run([("q1", "d1", 2.0)]),
        "('q1', 'd1', 2.0) has no query_id, doc_id, score\ntry: rows with query_id, doc_id, score, or a mapping of queries",
    ),
    "a record without its score": Case(
        "call",
        lambda folder: read_run([{"query_id": "q1", "doc_id": "d1"}]),
        "record 1: there is no column 'score', but 'query_id', 'doc_id'\ntry: read_run(run, columns={'score': '...'})",
    ),
    "a run that was read, for the qrels": Case(
        "call",
        lambda folder: evaluate({"q1": ["d1"]}, read_run({"q1": ["d1"]})),
        "a run was given as the qrels\ntry: evaluate(run, qrels); are run and qrels swapped?",
    ),
    "qrels that were read, for the run": Case(
        "call",
        lambda folder: evaluate(read_qrels(QRELS), QRELS),
        "qrels were given as the run\ntry: evaluate(run, qrels); are run and qrels swapped?",
    ),
    "run and qrels swapped": Case(
        "call",
        lambda folder: evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 12.5, "d2": 11.25}}),
        "run and qrels look swapped: every score is a whole number, and grades are fractions\n"
        "try: evaluate(run, qrels); where this order is right, read_run(run) and read_qrels(qrels) first",
    ),
    "a format for a mapping": Case(
        "call", lambda folder: read_run({"q1": ["d1"]}, format="trec"), "format= is for files alone\ntry: leave it out"
    ),
    "names of columns for a mapping": Case(
        "call",
        lambda folder: read_qrels({"q1": ["d1"]}, columns={"doc_id": "docno"}),
        "columns= is for files, frames and records\ntry: leave it out",
    ),
    "names of columns that are one text": Case(
        "call",
        lambda folder: read_run(frame(query_id=["q1"], doc_id=["d1"], score=[1.0]), columns="score"),
        "columns= is 'score'\ntry: read_run(run, columns={'query_id': 'my name'})",
    ),
    # frames
    "an array among the queries of a frame": Case(
        "call",
        lambda folder: read_run(frame(query_id=["q1", np.array(["d1", "d2"])])),
        "the query id array([...]) is not text or an integer\ntry: drop the row, or give the query an id of text",
    ),
    "a signaling NaN in a frame": Case(
        "call",
        lambda folder: read_run(frame(score=pd.Series([Decimal("sNaN"), 1.0], dtype=object))),
        "query 'q1', document 'd1': the score Decimal('sNaN') is not a real number\ntry: float(score)",
    ),
    "an iteration that cannot be text": Case(
        "call",
        lambda folder: read_qrels(frame(score=None, relevance=[1, 2], iteration=[Unprintable(), "1"])),
        "query 'q1': an iteration is no text: ValueError: no text\ntry: text or a whole number",
    ),
    "iterations that are dictionaries": Case(
        "call",
        lambda folder: evaluate({"q1": ["d1"]}, frame(doc_id=["d1", "d1"], score=None, relevance=[1, 2], iteration=[{}, {"a": 1}])),
        "query 'q1', document 'd1': judged for the subtopics (iterations) '{}' and \"{'a': 1}\"[...]\ntry: [...]",
    ),
    "a record with an object for a name": Case(
        "call",
        lambda folder: read_run([{Decimal(1): "q1", "doc_id": "d1", "score": 1.0}]),
        "record 1: there is no column 'query_id', but Decimal('1'), 'doc_id', 'score'\n"
        "try: read_run(run, columns={'query_id': '...'})",
    ),
    "a record with a number for a name": Case(
        "call",
        lambda folder: read_run([{1: "q1", "doc_id": "d1", "score": 1.0}]),
        "record 1: there is no column 'query_id', but 1, 'doc_id', 'score'\n"
        "try: read_run(run, columns={'query_id': 1}), or rename 1 to query_id",
    ),
    "a frame without a score": Case(
        "call",
        lambda folder: read_run(frame(score=None)),
        "DataFrame: there is no column 'score', but 'query_id', 'doc_id'\ntry: read_run(run, columns={'score': '...'})",
    ),
    "a frame of other names": Case(
        "call",
        lambda folder: read_run(frame().rename(columns={"doc_id": "dokument"})),
        "DataFrame: there is no column 'doc_id', but 'query_id', 'dokument', 'score'\n"
        "try: read_run(run, columns={'doc_id': 'dokument'}), or rename dokument to doc_id",
    ),
    "an empty frame": Case(
        "call",
        lambda folder: read_run(pd.DataFrame()),
        "DataFrame: there is no column 'query_id', nor any other\ntry: query_id, doc_id and a number",
    ),
    "NaN in a frame": Case(
        "call",
        lambda folder: read_run(frame(score=[2.0, np.nan])),
        "query 'q1', document 'd2': the score is NaN\ntry: drop the document or give it a number",
    ),
    "None for an id in a frame": Case(
        "call",
        lambda folder: read_run(frame(doc_id=pd.Series(["d1", None], dtype=object))),
        "query 'q1': the document id None is not text or an integer\ntry: drop the row, or give the document an id of text",
    ),
    "floats for ids in a frame": Case(
        "call",
        lambda folder: read_run(frame(query_id=[1.0, 2.0])),
        "the query id 1.0 is not text or an integer\ntry: drop the row, or give the query an id of text, such as '1'",
    ),
    "text for scores in a frame": Case(
        "call",
        lambda folder: read_run(frame(score=["2", "1"])),
        "query 'q1', document 'd1': the score '2' is not a real number\ntry: float(score)",
    ),
    "NaN in a big frame": Case(
        "call",
        lambda folder: read_run(big_frame("score", np.nan)),
        "query 'q1', document 'd5': the score is NaN\ntry: drop the document or give it a number",
    ),
    "None for an id in a big frame": Case(
        "call",
        lambda folder: read_run(big_frame("doc_id", None)),
        "query 'q1': the document id None is not text or an integer\ntry: drop the row, or give the document an id of text",
    ),
    "an empty id in a big frame": Case(
        "call",
        lambda folder: read_run(big_frame("doc_id", "")),
        "query 'q1': the document id '' is empty\ntry: drop the row, or give the document an id of text",
    ),
    "a float for a query in a big frame": Case(
        "call",
        lambda folder: read_run(big_frame("query_id", 1.5)),
        "the query id 1.5 is not text or an integer\ntry: drop the row, or give the query an id of text",
    ),
    "text for a score in a big frame": Case(
        "call",
        lambda folder: read_run(big_frame("score", "high")),
        "query 'q1', document 'd5': the score 'high' is not a real number\ntry: float(score)",
    ),
    "null in a polars frame": Case(
        "call",
        lambda folder: read_run(pl.DataFrame({"qid": ["q1"], "docno": [None], "score": [1.0]})),
        "query 'q1': the document id None is not text or an integer\ntry: drop the row, or give the document an id of text",
    ),
    # what no policy or backend takes
    "one document judged twice": Case(
        "qrels and evaluate",
        b"q1 0 d1 1\nq1 0 d1 0\n",
        "query 'q1', document 'd1': judged twice, with the grades 1 and 0\n"
        "try: Policy(conflicts='max') or Policy(conflicts='last'), or mend the qrels",
    ),
    "a grade whose gain overflows": Case(
        "qrels and evaluate",
        b"q1 0 d1 2000\n",
        "query 'q1', document 'd1': the gain 2^2000 - 1 of the grade 2000 overflows\ntry: Policy(gain='linear')",
    ),
    "duplicates refused in a big file": Case(
        "strict", BIG, "query 'q1', document 'd1': retrieved twice\ntry: Policy(duplicates='first')"
    ),
    "nothing in common": Case(
        "call",
        mismatched(["a1", "a2"], ["b"]),
        "run and qrels have no query in common: the run has 'a1', 'a2', the qrels 'b'\n"
        "try: check that query ids are spelled alike and that the files belong together",
    ),
    "nothing in common but for a prefix": Case(
        "call",
        mismatched(["topic-7", "topic-8"], ["7", "8"]),
        "run and qrels have no query in common: the run has 'topic-7', 'topic-8', the qrels '7', '8'\n"
        "try: query ids without the prefix before the number: then they meet",
    ),
    "nothing in common but for zeros": Case(
        "call",
        mismatched(["007"], ["7"]),
        "run and qrels have no query in common: the run has '007', the qrels '7'\n"
        "try: query ids without leading zeros: then they meet",
    ),
    "nothing in common but for floats": Case(
        "call",
        mismatched(["7.0"], ["7"]),
        "run and qrels have no query in common: the run has '7.0', the qrels '7'\n"
        "try: query ids without the .0 of a float: then they meet",
    ),
    "nothing in common but for case": Case(
        "call",
        mismatched(["Q7"], ["q7"]),
        "run and qrels have no query in common: the run has 'Q7', the qrels 'q7'\ntry: query ids in the same case: then they meet",
    ),
    "nothing in common but for a path": Case(
        "call",
        mismatched(["data/queries/a.json"], ["a.json"]),
        "run and qrels have no query in common: the run has 'data/queries/a.json', the qrels 'a.json'\n"
        "try: query ids without the path before them: then they meet",
    ),
    "nothing in common, cut ids": Case(
        "call",
        mismatched(["PLAIN-abc"], ["PLAIN-abcdef"]),
        "run and qrels have no query in common: the run has 'PLAIN-abc', the qrels 'PLAIN-abcdef'\n"
        "try: whole query ids: the run's are the beginnings of the others', so they look cut short",
    ),
    "nothing in common, row numbers": Case(
        "call",
        mismatched(["0", "1"], ["PLAIN-a", "PLAIN-b"]),
        "run and qrels have no query in common: the run has '0', '1', the qrels 'PLAIN-a', 'PLAIN-b'\n"
        "try: ids on both sides: the run's are numbers alone, as if they were row numbers",
    ),
}


def attempt(case: Case, folder: Path) -> Any:
    """Read or evaluate what a case holds."""
    if case.kind == "call":
        return case.source(folder)
    path = folder / "input"
    path.write_bytes(case.source)
    if case.kind == "qrels and evaluate":
        return evaluate({"q1": ["d1"]}, path)
    if case.kind == "strict":
        return evaluate(path, QRELS, policy=Policy(duplicates="error"))
    return {"run": read_run, "qrels": read_qrels}[case.kind](path, **case.options)


def params(cases: Mapping[str, Case]) -> list[Any]:
    """Cases with their names; those of big files are slow: test_mutated_files.py reads small ones in blocks too."""
    big = {name for name, case in cases.items() if isinstance(case.source, bytes) and len(case.source) >= len(BIG)}
    return [pytest.param(case, id=name, marks=pytest.mark.slow if name in big else ()) for name, case in cases.items()]


@pytest.mark.parametrize("case", params(CASES))
def test_each_kind_of_broken_input_is_one_clear_error(case: Case, tmp_path: Path) -> None:
    with pytest.raises(SamescoreError) as caught:
        attempt(case, tmp_path)
    said = str(caught.value).replace(str(tmp_path), "FOLDER")
    parts = [re.escape(part) for part in case.message.split("[...]")]
    assert re.fullmatch(".*".join(parts), said), said


BRACKETS = ["[1]", "{}", "[]", "{1}", '["a"]', '{"a"}', "PAR1", "ARROW1", "BZh9"]


@pytest.mark.parametrize("query", BRACKETS)
def test_a_query_id_that_begins_as_another_form_does_is_an_id(query: str, tmp_path: Path) -> None:
    (tmp_path / "run").write_text(f"{query} Q0 d 1 1 t\n{query} Q0 e 2 0.5 t\n", encoding="utf-8")
    (tmp_path / "qrels").write_text(f"{query}\t0\td\t1\n", encoding="utf-8")
    assert list(read_run(tmp_path / "run").rankings[query].docs) == ["d", "e"]
    assert read_qrels(tmp_path / "qrels").grades == {query: {"d": 1}}


FILES = {name: case for name, case in CASES.items() if case.kind in ("run", "qrels") and not case.options}


@pytest.mark.parametrize("case", params(FILES))
def test_each_kind_of_broken_file_is_two_lines_and_exit_code_2_on_the_command_line(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "input").write_bytes(case.source)
    (tmp_path / "run").write_bytes(GOOD)
    (tmp_path / "qrels").write_bytes(b"q1 0 d1 1\n")
    names = {"run": "run", "qrels": "qrels", case.kind: "input"}
    assert main(["evaluate", *(str(tmp_path / names[side]) for side in ("qrels", "run"))]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    said = err.replace(str(tmp_path), "FOLDER")
    assert said.startswith("samescore: error: FOLDER/input")
    assert said.count("\n") == 2
    first = case.message.partition("\n")[0].replace("read_run(run, format='msmarco')", "--run-format msmarco")
    assert re.match(".*".join(map(re.escape, ("samescore: error: " + first).split("[...]"))), said), said
    assert "format=" not in said
    assert "columns=" not in said


@pytest.mark.parametrize(
    ("run", "qrels", "words"),
    [
        (b"Thema X Beleg Rang Wert N\n", None, "try: --run-columns query_id=Thema,doc_id=Beleg,score=Wert, or drop the header"),
        (b"query_id,doc_id,scroe\nq1,d1,2\n", None, "try: --run-columns score=scroe, or rename scroe to score"),
        (None, b"query_id,doc_id,Note\nq1,d1,2\n", "try: --qrels-columns relevance=Note, or rename Note to relevance"),
        (b"q1 d1 7\n", None, "if these are query, document and rank: --run-format msmarco"),
    ],
)
def test_the_command_line_words_its_hints_as_options(
    run: bytes | None, qrels: bytes | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run").write_bytes(run or GOOD)
    (tmp_path / "qrels").write_bytes(qrels or b"q1 0 d1 1\n")
    assert main(["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run")]) == 2
    assert words in capsys.readouterr().err
