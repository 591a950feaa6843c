"""Blocks: a big text file in tables of whole queries, by polars where its lines are plain and by the line reader where not."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from ..errors import FormatError
from .content import Content
from .found import Found
from .layouts import Layout
from .lines import BLANKS, read_lines
from .tables import Stored, Table, polars


@dataclass(frozen=True, slots=True)
class Stream:
    """A run in a file too big to be kept for one evaluation; it is read as often as it is asked for."""

    content: Content
    layout: Layout

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.content.name

    @property
    def rankings(self) -> Mapping[str, Found]:
        """The rankings by query, for what needs more than rank space: all rows are read."""
        return Stored(self.table())

    def blocks(self) -> Iterator[Table]:
        """Tables of whole queries, if the rows of each query stand together; a query that comes back is in two."""
        waiting: list[Table] = []
        for table in _ahead(self.pieces()):
            if not len(table):
                continue
            others = (table.query != table.query[-1]).to_numpy()
            cut = int(np.flatnonzero(others)[-1]) + 1 if others.any() else 0
            if cut:
                yield Table.joined([*waiting, table[:cut]])
                waiting = []
            waiting.append(table[cut:])
        if waiting:
            yield Table.joined(waiting)

    def table(self) -> Table:
        """All rows."""
        return Table.joined(list(self.pieces()))

    def pieces(self) -> Iterator[Table]:
        """Tables of whole lines."""
        line, some = 1, False
        for block in _whole_lines(self.content, quoted=self.layout.separator is not None):
            table = _table(block, self.layout, name=self.name, first=line)
            some = some or len(table) > 0
            yield table
            line += int(np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n")))
        if not some:
            raise FormatError("the file is empty but for comments and a header", where=self.name, hint="one line for each document")


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


def _table(block: bytes, layout: Layout, *, name: str, first: int) -> Table:
    """The rows of a block; what polars cannot take as it stands is tidied, and what is odd even then is read by line."""
    head, body = (block[: block.find(b"\n") + 1], block[block.find(b"\n") + 1 :]) if first == 1 and layout.skip else (b"h", block)
    if not head.strip() or head.startswith(b"#") or (layout.separator is not None and b'"' in head):
        table = None  # a header that is not the first line, or not one line
    elif layout.separator is None:
        table = _by_blanks(body, layout)
    else:
        table = _by_separator(body.replace(b"\r\n", b"\n"), layout, layout.separator)
    return _by_line(block, layout, name=name, first=first) if table is None else table


def _by_blanks(block: bytes, layout: Layout) -> Table | None:
    """The rows of a block, as it is or tidied."""
    separator = "\t" if b"\t" in block and b" " not in block else " "
    odd = _ODD if separator == " " else _ODD[1:]
    table = None if any(c in block for c in odd) or _has_comment(block) else _parsed(block, layout, separator)
    return _parsed(_tidied(block), layout, " ") if table is None and _is_text(block) else table


def _by_separator(block: bytes, layout: Layout, separator: str) -> Table | None:
    """The rows of a block with columns between separators; None where there are quotes, comments or other line ends."""
    if any(c in block for c in b'"\r\0') or _has_comment(block):
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

    polars makes an empty column null, and one too many an error, so a blank too many or too few cannot shift a column.
    """
    if not block:
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
    if not _allowed(number, layout):
        return None
    tag = "" if layout.tag is None else frame[str(layout.tag)][-1]
    iteration = None if layout.iteration is None else frame[str(layout.iteration)]
    rank = None if layout.rank is None else frame[str(layout.rank)].cast(pl.Float64, strict=False).fill_null(math.nan).to_numpy()
    return Table(query, doc, -number if layout.what == "rank" else number, tag, iteration, rank)


def _allowed(number: np.ndarray[tuple[int], np.dtype[np.float64]], layout: Layout) -> bool:
    """Whether all numbers may stand where they do; if not, the line reader finds the line and the words."""
    if layout.what == "score":
        return not np.isnan(number).any()
    if layout.what == "rank":
        return bool((np.isfinite(number) & (number == np.floor(number))).all())
    return bool((np.abs(number) <= 2**53).all())


def _by_line(block: bytes, layout: Layout, *, name: str, first: int) -> Table:
    """The rows of a block by the line reader, which words what is wrong."""
    pl = polars()
    lines = read_lines(block, layout, name=name, first=first)
    query, doc = (pl.Series(column, dtype=pl.String) for column in (lines.queries, lines.docs))
    iteration = None if lines.iterations is None else pl.Series(lines.iterations, dtype=pl.String)
    rank = None if lines.ranks is None else np.array(lines.ranks, dtype=np.float64)
    return Table(query, doc, np.array(lines.numbers, dtype=np.float64) + 0.0, lines.tag, iteration, rank)
