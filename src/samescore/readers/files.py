"""TREC files, plain or gzipped, read line by line with the line named in every error."""

from __future__ import annotations

import gzip
import math
import os
import sys
import zlib
from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from ..errors import FormatError, GradeError, InputError, ScoreError, examples, short, spot
from .found import Qrels, Run
from .rows import gather_qrels, gather_run

RUN_LINE = "query Q0 document rank score tag"
QRELS_LINE = "query iteration document grade"


def read_run_file(path: str | os.PathLike[str], *, more_columns: bool = False) -> Run:
    """A run from a TREC file: ``query Q0 document rank score tag`` a line, separated by blanks.

    With ``more_columns`` what stands after the tag is ignored, as trec_eval does; otherwise it is refused.
    """
    queries: list[str] = []
    docs: list[str] = []
    scores: list[float] = []
    tag = ""
    for number, row in _lines(path):
        if len(row) < 6 or (len(row) > 6 and not more_columns):
            guess = "is this a qrels file, and are run and qrels swapped?" if len(row) == 4 else ""
            raise _columns(spot(file=path, line=number), row, RUN_LINE, guess)
        queries.append(row[0])
        docs.append(row[2])
        scores.append(_score(row[4], path, number))
        tag = row[5]
    return replace(gather_run(queries, docs, scores, name=Path(path).name), tag=tag)


def read_qrels_file(path: str | os.PathLike[str]) -> Qrels:
    """Qrels from a TREC file: ``query iteration document grade`` a line, separated by blanks."""
    queries: list[str] = []
    docs: list[str] = []
    grades: list[float] = []
    iterations: list[str] = []
    for number, row in _lines(path):
        if len(row) != 4:
            guess = "is this a run file, and are run and qrels swapped?" if len(row) == 6 else ""
            raise _columns(spot(file=path, line=number), row, QRELS_LINE, guess)
        queries.append(row[0])
        iterations.append(sys.intern(row[1]))
        docs.append(row[2])
        grades.append(_grade(row[3], path, number))
    return gather_qrels(queries, docs, grades, iterations=iterations, name=Path(path).name)


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, list[str]]]:
    """The number and the columns of each line that is neither blank nor a comment."""
    some = False
    for number, line in enumerate(_text(path).split("\n"), 1):
        row = line.split()
        if row and not row[0].startswith("#"):
            some = True
            yield number, row
    if not some:
        raise FormatError("the file is empty", where=str(path), hint="a file with one line for each document")


def _text(path: str | os.PathLike[str]) -> str:
    """The whole file as text, unpacked if it is gzipped."""
    try:
        content = Path(path).read_bytes()
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
    except FileNotFoundError:
        raise _missing(Path(path)) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(f"the gzip file is broken: {error}", where=str(path), hint="download or pack it again") from None
    except (OSError, ValueError) as error:  # a ValueError for a path that holds a zero byte
        raise InputError(f"the file cannot be read: {getattr(error, 'strerror', None) or error}", where=short(str(path))) from None
    if b"\0" in content[:4096]:
        raise FormatError("the file is binary, not text", where=str(path), hint="a TREC text file")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        where = spot(file=path, line=line)
        raise FormatError("the file is not UTF-8 text", where=where, hint="convert it with iconv -t UTF-8") from None


def _missing(path: Path) -> InputError:
    """A file that is not there, with the near names that are."""
    beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    close = get_close_matches(path.name, beside, 3, 0.5)
    return InputError("there is no such file", where=str(path), hint=examples(close) if close else "check the path")


def _columns(where: str, row: list[str], wanted: str, guess: str) -> FormatError:
    """A line that has the wrong number of columns."""
    what = f"{len(row)} columns, not {len(wanted.split())}: {short(' '.join(row))}"
    return FormatError(f"{what}; {guess}" if guess else what, where=where, hint=wanted)


def _score(text: str, path: object, number: int) -> float:
    """A score as a float."""
    try:
        score = _plain(text)
    except ValueError:
        raise ScoreError(f"the score {text!r} is not a number", where=spot(file=path, line=number), hint=RUN_LINE) from None
    if math.isnan(score):
        raise ScoreError("the score is NaN", where=spot(file=path, line=number), hint="drop the line or give it a number")
    return score


def _grade(text: str, path: object, number: int) -> float:
    """A grade as a finite number."""
    try:
        grade = _plain(text)
    except ValueError:
        raise GradeError(f"the grade {text!r} is not a number", where=spot(file=path, line=number), hint=QRELS_LINE) from None
    if not math.isfinite(grade):
        raise GradeError(f"the grade is {text}", where=spot(file=path, line=number), hint="a whole grade such as 0, 1 or 2")
    return grade


def _plain(text: str) -> float:
    """A number in ASCII notation; Python's underscores and other digits are no numbers here."""
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return float(text)
