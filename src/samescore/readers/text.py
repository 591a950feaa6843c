"""Text files: what each line means, read line by line, or by polars in blocks, with the line named in every error."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import FormatError, GradeError, IdError, InputError, ScoreError, Wording, reading, short
from .columns import LOWER_IS_BETTER, Columns, What
from .content import BLOCK, BOM, Content, open_content
from .data import Floats, RankingRows, Table, TableRankings, polars
from .values import LARGEST_WHOLE, label_grade, whole_grades


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One form of line: how many columns, and in which of them (from 0) each thing stands.

    ``separator`` None is any run of blanks. Without a ``number`` column every document is relevant, with grade 1. ``header``
    says that the first line is one. ``more`` allows further columns, which are passed over.
    ``labels`` are words that stand for grades.
    """

    words: str
    width: int
    query: int = 0
    doc: int
    number: int | None
    what: What
    iteration: int | None = None
    separator: str | None = None
    header: bool = False
    rank: int | None = None
    tag: int | None = None
    more: bool = False
    labels: Mapping[str, float] = field(default_factory=dict, hash=False)


TREC_RUN = Layout(words="query Q0 document rank score tag", width=6, doc=2, number=4, what="score", rank=3, tag=5)

TREC_QRELS = Layout(words="query iteration document grade", width=4, doc=2, number=3, what="grade", iteration=1)

RANKED_RUN = Layout(words="query document rank", width=3, doc=1, number=2, what="rank")

SCORED_RUN = Layout(words="query document score", width=3, doc=1, number=2, what="score")

RANKED_SCORED_RUN = Layout(words="query document rank score", width=4, doc=1, number=3, what="score", rank=2)

GRADED_PAIRS = Layout(words="query document grade", width=3, doc=1, number=2, what="grade")

RELEVANT_PAIRS = Layout(words="query document", width=2, doc=1, number=None, what="grade")

BLANKS = " \t\n\r\v\f"
"""What may stand between columns and around them; a no-break space belongs to an id."""

Line = tuple[int, list[str]]


def read_lines(data: bytes, layout: Layout, *, first: int = 1) -> Columns:
    """The columns of some lines of text, of which the first is line number ``first`` of the file.

    Blank lines are passed over, and lines that begin with ``#``: between separators only those before the header. Raises
    FormatError, ScoreError, GradeError or IdError with the line named.
    """
    text = _decoded(data, first)
    _refuse_inner_mark(data, layout, first)
    lines = _split(data, first) if layout.separator is None else _separated(text, layout.separator, first)
    _refuse_wide(lines)
    lines = lines[1:] if layout.header and first == 1 else lines
    lines = [(number, row[: layout.width]) for number, row in lines] if layout.more else lines
    lines, unfilled = _filled(lines, layout)
    columns = _transposed(lines, layout)
    if layout.separator is not None:
        _refuse_empty_ids(lines, layout)
    numbers = [1.0] * len(lines) if layout.number is None else _numbers(columns[layout.number], lines, layout)
    iterations = None if layout.iteration is None else columns[layout.iteration]
    ranks = None if layout.rank is None else [_rank_or_nan(text) for text in columns[layout.rank]]
    tag = columns[layout.tag][-1] if layout.tag is not None and lines else ""
    queries, docs = columns[layout.query], columns[layout.doc]
    return Columns(queries, docs, numbers, iterations, ranks, tag, unfilled=unfilled, what=layout.what)


def _filled(lines: list[Line], layout: Layout) -> tuple[list[Line], int]:
    """The lines that have a grade, and how many have none, as in a pool that is being judged."""
    if layout.what != "grade" or layout.number is None or layout.separator is None:
        return lines, 0
    filled = [line for line in lines if len(line[1]) != layout.width or line[1][layout.number]]
    return filled, len(lines) - len(filled)


MOST_COLUMNS = 1000


def _refuse_wide(lines: list[Line]) -> None:
    """Raise FormatError for a line of more columns than any table has."""
    wide = next((line for line in lines if len(line[1]) > MOST_COLUMNS), None)
    if wide is not None:
        raise too_wide(len(wide[1]), wide[0])


def too_wide(columns: int, line: int) -> FormatError:
    """The error for a line of very many columns."""
    return FormatError(f"{columns:,} columns", line=line, hint=f"at most {MOST_COLUMNS:,}, of which an id and a number are read")


def _decoded(data: bytes, first: int) -> str:
    """The lines as text."""
    at = data.find(b"\0")
    what, hint = "a binary character, so this is no text file", "a text file in UTF-8"
    if at < 0:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            at, what, hint = error.start, "not UTF-8 text", "convert the file with iconv -t UTF-8"
    raise FormatError(what, line=first + data.count(b"\n", 0, at), hint=hint)


def _refuse_inner_mark(data: bytes, layout: Layout, first: int) -> None:
    """Raise FormatError where a line but the file's first begins with a byte order mark, which no eye sees, outside quotes."""
    for mark in re.finditer(rb"^\xef\xbb\xbf", data, re.MULTILINE) if BOM in data else ():
        if layout.separator is None or data.count(b'"', 0, mark.start()) % 2 == 0:
            what = "the line begins with a byte order mark, as where files are put together"
            raise FormatError(what, line=first + data.count(b"\n", 0, mark.start()), hint="put them together without their marks")


def _split(data: bytes, first: int) -> list[Line]:
    """Number and columns of each line, split at ASCII blanks as C programs do."""
    rows = ((number, line.split()) for number, line in enumerate(data.split(b"\n"), first))
    return [(number, b"\n".join(row).decode().split("\n")) for number, row in rows if row and not row[0].startswith(b"#")]


def _separated(text: str, separator: str, first: int) -> list[Line]:
    """Number and columns of each line, split at a separator, with quotes as spreadsheets write them."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    lines: list[Line] = []
    try:
        for row in reader:
            is_comment = first == 1 and not lines and bool(row) and row[0].startswith("#")
            if row and not is_comment and (len(row) > 1 or row[0].strip(BLANKS)):
                lines.append((first - 1 + reader.line_num, [field.strip(BLANKS) for field in row]))
    except csv.Error as error:
        what, line = f"the line cannot be read: {error}", first - 1 + reader.line_num
        raise FormatError(what, line=line, hint="mend the quotes") from None
    return lines


def _transposed(lines: list[Line], layout: Layout) -> Sequence[list[str]]:
    """The columns, all lines being as wide as the layout says."""
    if {len(row) for _, row in lines} - {layout.width}:
        number, row = next(line for line in lines if len(line[1]) != layout.width)
        columns = f"{len(row)} column{'s' if len(row) > 1 else ''}, not {layout.width}"
        what = Wording(f"{columns}: {short(' '.join(row))}", _guess(row, layout))
        raise FormatError(what, line=number, hint=layout.words)
    return [list(column) for column in zip(*(row for _, row in lines), strict=True)] or [[]] * layout.width


def _guess(row: list[str], layout: Layout) -> str:
    """What a line of another width may be."""
    if layout.what == "grade":
        return "; is this a run file, and are run and qrels swapped?" if len(row) == 6 else ""
    if len(row) == 3 and row[2].isdecimal():
        return Wording("; if these are query, document and rank: ", reading("run", "format", "msmarco"))
    if len(row) != 4 or layout.what != "score":
        return ""
    if row[1] in ("0", "Q0"):
        return "; is this a qrels file, and are run and qrels swapped?"
    return "; four columns are query, document, rank and score, where ranks are whole and scores do not rise with them"


def _refuse_empty_ids(lines: list[Line], layout: Layout) -> None:
    """Raise IdError where an id is empty."""
    for number, row in lines:
        if not row[layout.query] or not row[layout.doc]:
            kind = "document" if row[layout.query] else "query"
            raise IdError(f"the {kind} id is empty", line=number, hint="drop the line or give the id")


def _numbers(column: list[str], lines: list[Line], layout: Layout) -> list[float]:
    """A column of numbers as floats, ranks as scores."""
    try:
        numbers = [_float(text) for text in column]
    except ValueError:
        numbers = []
        if layout.what == "grade":
            column = [str(label_grade(text, layout.labels)) for text in column]
            numbers = [_float(text) for text in column if _is_float(text)]
    if len(numbers) < len(column) or not _ALLOWED[layout.what](np.array(numbers)).all():
        words = list(dict.fromkeys(row[layout.number or 0] for _, row in lines))
        unknown = [] if any(map(_is_float, words)) else [word for word in words if word not in layout.labels]
        for (number, row), text in zip(lines, column, strict=True):
            _check_number(text, row, layout, line=number, first=row is lines[0][1], unknown=unknown)
    return [-number for number in numbers] if layout.what in LOWER_IS_BETTER else numbers


def _float(text: str) -> float:
    """A number in ASCII notation; Python's underscores and other digits are no numbers here."""
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return float(text)


def _is_float(text: str) -> bool:
    """Whether a text is a number in ASCII notation."""
    try:
        _float(text)
    except ValueError:
        return False
    return True


def _rank_or_nan(text: str) -> float:
    """A rank, which may be anything where there is a score, as it decides nothing."""
    try:
        return _float(text)
    except ValueError:
        return math.nan


_ALLOWED: dict[What, Callable[[Floats], NDArray[np.bool_]]] = {
    "score": lambda numbers: ~np.isnan(numbers),
    "rank": lambda numbers: np.isfinite(numbers) & (numbers == np.floor(numbers)),
    "distance": lambda numbers: ~np.isnan(numbers),
    "grade": lambda numbers: np.abs(numbers) <= LARGEST_WHOLE,
}
"""Which numbers may stand where they do."""

_ROLE = {"grade": "relevance"}
"""What a number is -> what its column is called."""

_ERROR: dict[What, type[InputError]] = {"score": ScoreError, "rank": ScoreError, "distance": ScoreError, "grade": GradeError}


def _check_number(text: str, row: list[str], layout: Layout, *, line: int, first: bool, unknown: Sequence[str]) -> None:
    """Raise the error that a number deserves, if it deserves one; ``unknown`` are the words of a column of words."""
    what, error, words = layout.what, _ERROR[layout.what], short(" ".join(row))
    try:
        number = _float(text)
    except ValueError:
        wrong, hint = f"the {what} {short(text)} is not a number: {words}", layout.words
        if first and text.isalpha() and not layout.header:
            columns = {"query_id": row[layout.query], "doc_id": row[layout.doc], _ROLE.get(what, what): text}
            hint = Wording(reading("qrels" if what == "grade" else "run", "columns", columns), ", or drop the header")
            wrong = f"{wrong}; is this a header?"
        elif what == "grade" and unknown:
            hint = reading("qrels", "grades", dict.fromkeys(unknown[:12], "..."))
        raise error(wrong, line=line, hint=hint) from None
    if math.isnan(number):
        raise error(f"the {what} is NaN: {words}", line=line, hint="drop the line or give it a number")
    if not _ALLOWED[what](np.array([number])).all():
        hint = "a whole rank such as 1 or 2" if what == "rank" else "a grade such as 0, 1 or 2"
        raise error(f"the {what} is {text}", line=line, hint=hint)


def read_text(content: Content, layout: Layout) -> Columns | Table | RunFile:
    """The rows of a text file: by line if it is small, else in blocks; a run that can be read again is read when it is ranked."""
    layout = replace(layout, labels=content.labels)
    if content.complete:
        columns = read_lines(content.head, layout)
        if not columns.query:
            raise FormatError(_NO_ROWS, hint=_NO_ROWS_HINT)
        return replace(columns, number=whole_grades(columns.number)) if layout.what == "grade" else columns
    if content.rereadable and layout.what != "grade":
        return RunFile(content.name, layout)
    return Table.joined(list(_tables(content, layout)))


_NO_ROWS, _NO_ROWS_HINT = "the file is empty but for comments and a header", "one line for each document"


@dataclass(frozen=True, slots=True)
class RunFile:
    """A run in a file too big to be kept for one evaluation; it is read as often as its rows are needed."""

    name: str
    layout: Layout

    @property
    def rankings(self) -> Mapping[str, RankingRows]:
        """The rankings by query, for what needs more than rank space: all rows are read."""
        return TableRankings(self.table())

    def blocks(self) -> Iterator[Table]:
        """Tables of whole queries, if the rows of each query stand together; a query that comes back is in two."""
        waiting: list[Table] = []
        for table in _ahead(self._tables()):
            of_earlier_query = (table.query != table.query[-1]).to_numpy()
            cut = int(np.flatnonzero(of_earlier_query)[-1]) + 1 if of_earlier_query.any() else 0
            if cut:
                yield Table.joined([*waiting, table[:cut]])
                waiting = []
            waiting.append(table[cut:])
        yield Table.joined(waiting)

    def table(self) -> Table:
        """All rows."""
        return Table.joined(list(self._tables()))

    def _tables(self) -> Iterator[Table]:
        """Tables of whole lines."""
        with open_content(self.name) as content:
            yield from _tables(content, self.layout)


_LONG = 50_000
"""Lines of twice as many bytes are read by line: polars takes a minute to refuse one of millions of columns, and Python's
reader of CSV takes fields of at most 131,072 characters."""


def _tables(content: Content, layout: Layout) -> Iterator[Table]:
    """Tables of whole lines, with a row at least. Raises FormatError where there is no row at all, or none for a whole block."""
    line, empty = 1, True
    for block in _whole_lines(content, quoted=layout.separator is not None):
        by_line = any(block.find(b"\n", at, at + _LONG) < 0 for at in range(0, len(block) - _LONG, _LONG))
        table = Table.of(read_lines(block, layout, first=line)) if by_line else _table(block, layout, first=line)
        if len(table):
            yield table
            empty = False
        elif len(block) >= BLOCK:
            raise FormatError(f"{len(block):,} bytes without a row", line=line, hint="drop the blank lines and comments")
        line += int(np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n")))
    if empty:
        raise FormatError(_NO_ROWS, hint=_NO_ROWS_HINT)


def _ahead(tables: Iterator[Table]) -> Iterator[Table]:
    """The same tables, each made in another thread while the one before is at work."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, tables, None)
        while (table := coming.result()) is not None:
            coming = reader.submit(next, tables, None)
            yield table


def _whole_lines(content: Content, *, quoted: bool) -> Iterator[bytes]:
    """Blocks that end where a line ends; from the first quote on the rest is one block, as quotes may hold line ends."""
    rest = b""
    chunks = content.chunks()
    for chunk in chunks:
        if quoted and b'"' in chunk:
            yield b"".join([rest, chunk, *chunks])
            return
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield rest + chunk[:cut]
            rest = b""
        rest += chunk[cut:]
    if rest:
        yield rest


def _table(block: bytes, layout: Layout, *, first: int) -> Table:
    """The rows of a block; what polars cannot take, even tidied, is read by line."""
    with_header = layout.header and first == 1
    end = block.find(b"\n") + 1 if with_header else 0
    table = None
    if not with_header or _is_plain_header(block[:end], layout):
        table = (
            _by_blanks(block[end:], layout) if layout.separator is None else _by_separator(block[end:], layout, layout.separator)
        )
    return Table.of(read_lines(block, layout, first=first)) if table is None else table


def _is_plain_header(line: bytes, layout: Layout) -> bool:
    """Whether the first line is the header, all of it, and text."""
    if not line.strip() or line.startswith(b"#"):
        return False
    return _is_text(line) and (layout.separator is None or b'"' not in line)


def _by_blanks(block: bytes, layout: Layout) -> Table | None:
    """The rows of a block, as it is or tidied."""
    separator = "\t" if b"\t" in block and b" " not in block else " "
    odd = _ODD if separator == " " else _ODD[1:]
    table = None if any(c in block for c in odd) or _has_comment(block) else _parsed(block, layout, separator)
    return _parsed(_tidied(block), layout, " ") if table is None and _is_text(block) else table


def _by_separator(block: bytes, layout: Layout, separator: str) -> Table | None:
    """The rows of a block with columns between separators; None where there are quotes or other line ends."""
    block = block.replace(b"\r\n", b"\n")
    if any(c in block for c in b'"\r\0'):
        return None
    table = _parsed(block, layout, separator)
    if table is None or not any(c in block for c in b" \t\v\f"):
        return table
    query, doc = (ids.str.strip_chars(BLANKS) for ids in (table.query, table.doc))
    return None if (query == "").any() or (doc == "").any() else replace(table, query=query, doc=doc)


_ODD = b"\t\r\v\f\0"

_BLANK = bytes.maketrans(b"\t\r\v\f", b"    ")


def _is_text(block: bytes) -> bool:
    """Whether this is text, comments and all."""
    try:
        return "\0" not in block.decode()
    except UnicodeDecodeError:
        return False


def _has_comment(block: bytes) -> bool:
    return b"#" in block and (block.startswith(b"#") or b"\n#" in block)


def _has_inner_mark(block: bytes) -> bool:
    """Whether a line begins with a byte order mark; a search for its first byte alone is a hundred times as fast."""
    return BOM[:1] in block and (block.startswith(BOM) or b"\n" + BOM in block)


def _tidied(block: bytes) -> bytes:
    """The block with one blank between columns and without blank lines and comments."""
    block = block.translate(_BLANK)
    while b"  " in block:
        block = block.replace(b"  ", b" ")
    block = block.replace(b" \n", b"\n").replace(b"\n ", b"\n").lstrip(b" \n")
    while b"\n\n" in block:
        block = block.replace(b"\n\n", b"\n")
    return re.sub(rb"(?m)^#.*\n?", b"", block) if _has_comment(block) else block


def _parsed(block: bytes, layout: Layout, separator: str, *, odd_ranks: bool = False) -> Table | None:
    """The rows of a block by polars; None where a line is not as wide as it should be, or a number is none.

    polars makes an empty column null, and one too many an error, so a blank too many or too few cannot shift a column. It
    drops a byte order mark at the beginning.
    """
    if not block or _has_inner_mark(block):
        return None
    pl = polars()
    numbers = {layout.number} if odd_ranks else {layout.number, layout.rank}
    schema = {str(i): pl.Float64 if i in numbers else pl.String for i in range(layout.width)}
    try:
        frame = pl.read_csv(block, separator=separator, has_header=False, quote_char=None, schema=schema)
    except pl.exceptions.PolarsError:
        return None if odd_ranks or layout.rank is None else _parsed(block, layout, separator, odd_ranks=True)
    if any(frame.null_count().row(0)):
        return None
    query, doc = frame[str(layout.query)], frame[str(layout.doc)]
    if layout.number is None:
        return Table(query, doc, np.ones(len(frame)))
    number = frame[str(layout.number)].to_numpy() + 0.0
    if not _ALLOWED[layout.what](number).all():
        return None
    tag = "" if layout.tag is None else frame[str(layout.tag)][-1]
    iteration = None if layout.iteration is None else frame[str(layout.iteration)]
    rank = None if layout.rank is None else frame[str(layout.rank)].cast(pl.Float64, strict=False).fill_null(math.nan).to_numpy()
    number = -number if layout.what in LOWER_IS_BETTER else number
    return Table(query, doc, number, tag, iteration, rank, what=layout.what)
