"""The plain line reader: what each line of text means, with the line named in every error."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..errors import FormatError, GradeError, IdError, InputError, ScoreError, short, spot
from .layouts import Layout

BLANKS = " \t\n\r\v\f"
"""What may stand between columns and around them; a no-break space belongs to an id."""
Line = tuple[int, list[str]]


@dataclass(frozen=True, slots=True)
class Lines:
    """The columns that matter, of equal length."""

    queries: list[str]
    docs: list[str]
    numbers: list[float]
    iterations: list[str] | None = None
    tag: str = ""
    ranks: list[float] | None = None


def read_lines(data: bytes, layout: Layout, *, name: str, first: int = 1) -> Lines:
    """The columns of some lines of text, of which the first is line number ``first`` of the file.

    Blank lines and lines that begin with ``#`` are passed over. Raises FormatError, ScoreError, GradeError or IdError with
    the line named.
    """
    text = _text(data, name, first)
    lines = _split(data, first) if layout.separator is None else _separated(text, layout.separator, first, name)
    lines = lines[layout.skip :] if first == 1 else lines
    lines = [(number, row[: layout.width]) for number, row in lines] if layout.more else lines
    columns = _transposed(lines, layout, name)
    queries, docs = columns[layout.query], columns[layout.doc]
    if layout.separator is not None:
        _refuse_empty(lines, layout, name)
    numbers = [1.0] * len(lines) if layout.number is None else _numbers(columns[layout.number], lines, layout, name)
    iterations = None if layout.iteration is None else columns[layout.iteration]
    tag = columns[layout.tag][-1] if layout.tag is not None and lines else ""
    ranks = None if layout.rank is None else [_or_nan(text) for text in columns[layout.rank]]
    return Lines(queries, docs, numbers, iterations, tag, ranks)


def _text(data: bytes, name: str, first: int) -> str:
    """The lines as text."""
    at = data.find(b"\0")
    what, hint = "a binary character, so this is no text file", "a text file in UTF-8"
    if at < 0:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            at, what, hint = error.start, "not UTF-8 text", "convert the file with iconv -t UTF-8"
    raise FormatError(what, where=spot(file=name, line=first + data.count(b"\n", 0, at)), hint=hint)


def _split(data: bytes, first: int) -> list[Line]:
    """Number and columns of each line, split at ASCII blanks as C programs do."""
    rows = ((number, line.split()) for number, line in enumerate(data.split(b"\n"), first))
    return [(number, b"\n".join(row).decode().split("\n")) for number, row in rows if row and not row[0].startswith(b"#")]


def _separated(text: str, separator: str, first: int, name: str) -> list[Line]:
    """Number and columns of each line, split at a separator, with quotes as spreadsheets write them."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    lines = []
    try:
        for row in reader:
            if row and not row[0].startswith("#") and (len(row) > 1 or row[0].strip(BLANKS)):
                lines.append((first - 1 + reader.line_num, [field.strip(BLANKS) for field in row]))
    except csv.Error as error:
        where = spot(file=name, line=first - 1 + reader.line_num)
        raise FormatError(f"the line cannot be read: {error}", where=where, hint="mend the quotes") from None
    return lines


def _transposed(lines: list[Line], layout: Layout, name: str) -> Sequence[list[str]]:
    """The columns, all lines being as wide as the layout says."""
    if {len(row) for _, row in lines} - {layout.width}:
        number, row = next(line for line in lines if len(line[1]) != layout.width)
        columns = f"{len(row)} column{'s' if len(row) > 1 else ''}, not {layout.width}"
        what = f"{columns}: {short(' '.join(row))}{_GUESSES.get((layout.what, len(row)), '')}"
        raise FormatError(what, where=spot(file=name, line=number), hint=layout.words)
    return [list(column) for column in zip(*(row for _, row in lines), strict=True)] or [[]] * layout.width


_GUESSES = {
    ("score", 3): "; if these are query, document and rank: format='msmarco'",
    ("score", 4): "; is this a qrels file, and are run and qrels swapped?",
    ("grade", 6): "; is this a run file, and are run and qrels swapped?",
}


def _refuse_empty(lines: list[Line], layout: Layout, name: str) -> None:
    """Raise IdError where an id is empty."""
    for number, row in lines:
        if not row[layout.query] or not row[layout.doc]:
            kind = "document" if row[layout.query] else "query"
            raise IdError(f"the {kind} id is empty", where=spot(file=name, line=number), hint="drop the line or give the id")


def _numbers(column: list[str], lines: list[Line], layout: Layout, name: str) -> list[float]:
    """A column of numbers as floats."""
    try:
        numbers = [_plain(text) for text in column]
    except ValueError:
        numbers = []
    if len(numbers) < len(column) or not all(map(_allowed[layout.what], numbers)):
        for (number, row), text in zip(lines, column, strict=True):
            _check(text, row, layout, spot(file=name, line=number), first=row is lines[0][1])
    return [-rank for rank in numbers] if layout.what == "rank" else numbers


def _plain(text: str) -> float:
    """A number in ASCII notation; Python's underscores and other digits are no numbers here."""
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return float(text)


def _or_nan(text: str) -> float:
    """A rank, which may be anything, as it decides nothing."""
    try:
        return _plain(text)
    except ValueError:
        return math.nan


_allowed: dict[str, Callable[[float], bool]] = {
    "score": lambda number: not math.isnan(number),
    "rank": float.is_integer,
    "grade": lambda number: abs(number) <= 2**53,
}
_ERROR: dict[str, type[InputError]] = {"score": ScoreError, "rank": ScoreError, "grade": GradeError}


def _check(text: str, row: list[str], layout: Layout, where: str, *, first: bool) -> None:
    """Raise the error that a number deserves, if it deserves one."""
    what, error = layout.what, _ERROR[layout.what]
    try:
        number = _plain(text)
    except ValueError:
        said = f"the {what} {short(text)} is not a number: {short(' '.join(row))}"
        if first and text.isalpha():
            hint = f"columns={{'query_id': {row[layout.query]!r}, 'doc_id': {row[layout.doc]!r}, ...}}, or drop the header"
            raise error(f"{said}; is this a header?", where=where, hint=hint) from None
        raise error(said, where=where, hint=layout.words) from None
    if _allowed[what](number):
        return
    if math.isnan(number):
        raise error(f"the {what} is NaN: {short(' '.join(row))}", where=where, hint="drop the line or give it a number")
    wanted = "a whole rank such as 1 or 2" if what == "rank" else "a grade such as 0, 1 or 2"
    raise error(f"the {what} is {text}", where=where, hint=wanted)
