"""Files and folders: which form a file has, told by its content, and which files a folder or a pattern stands for."""

from __future__ import annotations

import csv
import glob
import io
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..errors import FormatError, InputError, MissingLibraryError, examples, nearest, reading, short
from ..typing import ColumnNames
from .columns import Columns, Kind, check_column_names, find_roles, is_number, looks_like_header
from .content import Content
from .data import Table, polars, quiet_panics
from .frames import read_frame
from .json import read_json
from .text import (
    GRADED_PAIRS,
    MOST_COLUMNS,
    RANKED_RUN,
    RANKED_SCORED_RUN,
    RELEVANT_PAIRS,
    SCORED_RUN,
    TREC_QRELS,
    TREC_RUN,
    Layout,
    RunFile,
    read_text,
    too_wide,
)
from .values import LEVEL

FileRows = Mapping[str, Any] | Columns | Table | RunFile
"""What a file gives: a mapping of queries, columns, or a run that is read when it is ranked."""


# Folders and patterns

_TEST = "test.tsv"


def qrels_in(folder: str | os.PathLike[str]) -> Path:
    """The qrels of a BEIR folder: ``qrels/test.tsv``, or the one file in ``qrels``.

    Raises InputError where there are none, or several and none of the test split.
    """
    beneath = Path(folder) / "qrels"
    files = [path for path in visible(beneath if beneath.is_dir() else Path(folder)) if path.suffix == ".tsv"]
    test = [path for path in files if path.name == _TEST]
    if len(test or files) == 1:
        return (test or files)[0]
    if files:
        what = f"there are several qrels: {examples([p.name for p in files])}"
        raise InputError(what, file=folder, hint="the path of one of them")
    raise InputError("this is a directory without qrels", file=folder, hint="a file, or a BEIR folder with qrels/test.tsv")


def expand_runs(paths: Iterable[str | os.PathLike[str]]) -> list[str]:
    """The files that some paths stand for: a folder for the files in it, a pattern for those that match it, in order of name.

    Raises InputError for a folder or a pattern without any.
    """
    files: list[str] = []
    for path in [os.fspath(path) for path in paths]:
        if parts_of(path):
            matching = [path]
        elif os.path.isdir(path):
            matching = [str(file) for file in visible(Path(path))]
            if not matching:
                raise InputError("this is a directory without runs", file=path, hint="a folder of run files")
        elif glob.has_magic(path) and not os.path.exists(path):
            matching = sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file))
            if not matching:
                raise InputError("no file matches the pattern", file=path, hint="check the pattern, and quote it for the shell")
        else:
            matching = [path]
        files += matching
    return files


def visible(folder: Path) -> list[Path]:
    """The files of a folder, in order of name, but for the hidden ones."""
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))


# One file


def parts_of(path: str | os.PathLike[str]) -> list[Path]:
    """The files of a folder that holds one run in parts, as Spark and others write it; none of another folder, and of a file.

    Its name has the ending of a form, it has a file ``_SUCCESS``, or all its files are ``part-...``.
    """
    folder = Path(path)
    if not os.path.isdir(folder):
        return []
    files = [file for file in visible(folder) if not file.name.startswith("_")]
    is_one = folder.suffix.lower() in PART_ENDINGS or (folder / "_SUCCESS").exists() or all(map(_is_part, files))
    return files if is_one else []


PART_ENDINGS = frozenset({".parquet", ".arrow", ".csv", ".tsv", ".json", ".jsonl", ".trec"})


def _is_part(file: Path) -> bool:
    """Whether a file is named as a part."""
    return re.match(r"part[-_.]?\d", file.name, re.IGNORECASE) is not None


def read_content(
    content: Content, kind: Kind, form: str | None, names: ColumnNames | None, labels: Mapping[str, float] | None = None
) -> FileRows:
    """The rows of an open file of any form; ``form`` forces one, and ``labels`` are words that stand for grades.

    Raises InputError, with the line where there are lines, for what cannot be read.
    """
    if not content.head.strip():
        what = "the file is empty" if content.complete else f"the first {len(content.head):,} bytes are blank"
        raise FormatError(what, hint="a file with one line for each document")
    if content.head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError("UTF-16, not UTF-8 text", line=1, hint="iconv -f UTF-16 -t UTF-8")
    check_column_names(names, kind)
    if form is not None and form not in FORMS:
        raise InputError(f"there is no format {short(form)}", hint=nearest(form, FORMS))
    content = replace(content, labels=labels or {})
    if form is not None:
        return FORMS[form](content, kind, names)
    return next((read for fits, read in _TOLD if fits(content.head)), _read_text)(content, kind, names)


Reader = Callable[[Content, Kind, ColumnNames | None], FileRows]


def _read_json(content: Content, kind: Kind, names: ColumnNames | None) -> FileRows:
    return read_json(content.all(), kind, names)


def _read_parquet(content: Content, kind: Kind, names: ColumnNames | None) -> FileRows:
    return _read_frame("read_parquet", content, kind, names)


def _read_arrow(content: Content, kind: Kind, names: ColumnNames | None) -> FileRows:
    """An Arrow file, or a stream."""
    return _read_frame("read_ipc" if content.head.startswith(b"ARROW1") else "read_ipc_stream", content, kind, names)


def _read_frame(function: str, content: Content, kind: Kind, names: ColumnNames | None) -> FileRows:
    """Binary columns, by a function of polars."""
    pl = polars()
    data = content.all()
    try:
        with quiet_panics():
            return read_frame(getattr(pl, function)(data), kind, names)
    except pl.exceptions.PanicException:  # whose words are of polars' own source
        raise FormatError("the file is broken: polars cannot read it", hint="write it again") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        first = str(error).partition("\n")[0]
        raise FormatError(f"the file is broken: {first}", hint="write it again") from None


def _read_cbor(content: Content, kind: Kind, names: ColumnNames | None) -> FileRows:
    """A mapping in CBOR, which ranx's lz4 files hold."""
    cbor2, data = cbor(), content.all()
    file = io.BytesIO(data)
    try:
        value = cbor2.load(file)
        repeats_nothing = len(cbor2.dumps(value)) == len(data)
    except Exception:  # whatever it raises on what is no CBOR, or holds itself
        value, repeats_nothing = None, False
    if not isinstance(value, dict) or file.read(1):
        raise FormatError("neither UTF-8 text nor CBOR", line=1, hint="convert it with iconv -t UTF-8")
    entries = len(value) + sum(len(inner) for inner in value.values() if isinstance(inner, dict))
    if not repeats_nothing and _cbor_entries(data) != entries:
        what = "a query or a document is there twice in the CBOR, or a mapping does not say how long it is"
        raise FormatError(what, hint="one entry for each query, and for each document of a query")
    return value


def cbor() -> Any:
    """The cbor2 module, imported now. Raises MissingLibraryError."""
    try:
        import cbor2  # noqa: PLC0415  # which comes with ranx
    except ImportError:
        raise MissingLibraryError("cbor2 is not installed", hint="pip install cbor2") from None
    return cbor2


def _cbor_entries(data: bytes) -> int:
    """How many entries the mappings of some CBOR say that they have, those that repeat a key among them."""
    at, entries = 0, 0
    while at < len(data):
        kind, argument = data[at] >> 5, data[at] & 31
        at += 1
        if argument >= 24:
            width = 1 << argument - 24 if argument < 28 else 0  # 31 is a length that is not told
            argument, at = int.from_bytes(data[at : at + width], "big"), at + width
        if kind in (2, 3):  # bytes and text
            at += argument
        entries += argument if kind == 5 else 0
    return entries


# Text, with and without a header


def _read_text(content: Content, kind: Kind, names: ColumnNames | None) -> FileRows:
    """Text with a header where the first line names a query and a document, or where columns are given; else without one."""
    header = _header(content, names)
    if header is not None and (names or header.is_known):
        return read_text(content, _header_layout(header, kind, names))
    return _read_headerless(content, kind, names)


def _read_headerless(content: Content, kind: Kind, _: ColumnNames | None) -> FileRows:
    """TREC's columns, or fewer, which their number and what is in them tell, between blanks or separators."""
    whole = content if content.complete else replace(content, head=content.head[: content.head.rfind(b"\n") + 1])
    lines = [line for _, line in _first_lines(whole, 2000)]
    separator = _separator(lines, HEADERLESS[kind], content.labels)
    rows = [row for row in (_split(line, separator) for line in lines) if row]
    _refuse_unknown_header(lines, kind)
    fitting = (
        layout
        for layout in HEADERLESS[kind]
        if rows and _has_columns(rows[0], {layout.width: layout.number}, content.labels) and _TELLS[layout](rows)
    )
    return read_text(content, replace(next(fitting, HEADERLESS[kind][0]), separator=separator))


def _refuse_unknown_header(lines: list[str], kind: Kind) -> None:
    """Raise FormatError where a separator makes a header of names that say nothing of columns of them all."""
    for separator in "\t,;|":
        table = [_split(line, separator) for line in lines]
        names = table[0] if table else []
        is_table = len(table) > 1 and len(names) > 2 and {len(row) for row in table} == {len(names)}
        if is_table and not any(map(is_number, names)) and any(any(map(is_number, row)) for row in table[1:]):
            what = f"a header without the names of a query and a document: {examples(names, 8)}"
            roles = dict.fromkeys(("query_id", "doc_id", "score" if kind == "run" else "relevance"), "...")
            raise FormatError(what, line=1, hint=reading(kind, "columns", roles))


def _read_trec(content: Content, kind: Kind, _: ColumnNames | None) -> FileRows:
    return read_text(content, TREC_RUN if kind == "run" else TREC_QRELS)


def _read_trec_eval(content: Content, kind: Kind, _: ColumnNames | None) -> FileRows:
    """TREC's form with further columns, which trec_eval passes over."""
    return read_text(content, replace(TREC_RUN if kind == "run" else TREC_QRELS, more=True))


def _read_msmarco(content: Content, kind: Kind, _: ColumnNames | None) -> FileRows:
    return read_text(content, RANKED_RUN) if kind == "run" else _read_headerless(content, kind, None)


def _read_table(separators: tuple[str | None, ...], content: Content, kind: Kind, names: ColumnNames | None) -> FileRows:
    """Text with a header."""
    header = _header(content, names, separators)
    if header is None:
        raise FormatError("the file is empty", hint="a header and one line for each document")
    return read_text(content, _header_layout(header, kind, names))


_SEPARATORS = ("\t", ",", ";", "|", None)
"""In the order in which they are tried; None is any run of blanks."""


@dataclass(frozen=True, slots=True)
class _Header:
    """The words of the first line, and whether they are the names that are looked for."""

    line: int
    separator: str | None
    words: list[str]
    is_known: bool


def _header(content: Content, names: ColumnNames | None, separators: tuple[str | None, ...] = _SEPARATORS) -> _Header | None:
    """The first line split so that it has the names that are looked for, or else the most words; None where there is no line."""
    number, line = next(_first_lines(content, 2000), (0, ""))
    headers = []
    for separator in separators if line else ():
        words = [word.strip() for word in _split(line, separator)]
        known = all(_has_column(words, name) for name in names.values()) if names else looks_like_header(words)
        headers.append(_Header(number, separator, words, known))
    return max(headers, key=lambda header: (header.is_known, 0 if header.is_known else len(header.words)), default=None)


def _has_column(words: list[str], name: str | int) -> bool:
    """Whether a line has a column of that name, or so many columns that a number counts to one."""
    return str(name) in words or (isinstance(name, int) and 0 <= name < len(words) > 1)


def _header_layout(header: _Header, kind: Kind, names: ColumnNames | None) -> Layout:
    """The layout that a header gives, or the numbers of columns, which may stand above no header.

    Raises InputError where a column that is needed is not there.
    """
    words = header.words
    if len(words) > MOST_COLUMNS:
        raise too_wide(len(words), header.line)
    by_number = bool(names) and not looks_like_header(words) and all(isinstance(name, int) for name in (names or {}).values())
    columns: list[Any] = list(range(len(words))) if by_number else words
    try:
        roles = find_roles(columns, kind, names)
    except InputError as error:
        raise error.at(line=header.line) from None
    return Layout(
        words=(header.separator or " ").join(words),
        width=len(words),
        query=columns.index(roles.query),
        doc=columns.index(roles.doc),
        number=None if roles.number is None else columns.index(roles.number),
        what=roles.what,
        iteration=None if roles.iteration is None else columns.index(roles.iteration),
        separator=header.separator,
        header=not by_number,
    )


def _split(line: str, separator: str | None) -> list[str]:
    """A line split at a separator."""
    if separator is None:
        return line.split()
    try:
        return next(csv.reader([line.strip()], delimiter=separator))
    except csv.Error:  # no text at all
        return [line]


def _first_lines(content: Content, n: int) -> Iterator[tuple[int, str]]:
    """Number and text of those of the first lines that are neither blank nor a comment; odd characters are passed over here."""
    lines = content.head.split(b"\n", n)[:n]
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith(b"#"):
            yield number, line.decode(errors="replace")


HEADERLESS: dict[Kind, tuple[Layout, ...]] = {
    "run": (TREC_RUN, RANKED_RUN, SCORED_RUN, RANKED_SCORED_RUN),
    "qrels": (TREC_QRELS, RELEVANT_PAIRS, GRADED_PAIRS),
}
"""The layouts of text without a header, in the order in which they are tried; where none fits, the first says what is wrong."""


def _by_query(rows: list[list[str]], column: int) -> dict[str, list[str]]:
    """A column by query."""
    columns: dict[str, list[str]] = {}
    for row in rows:
        if len(row) > column:
            columns.setdefault(row[0], []).append(row[column])
    return columns


def _count_up(rows: list[list[str]]) -> bool:
    """Whether the third column has the ranks of the first query, from 0 or 1 upwards."""
    ranks = _by_query(rows, 2)[rows[0][0]]
    first = int(ranks[0]) if ranks[0] in ("0", "1") else 1
    return ranks == [str(first + i) for i in range(len(ranks))]


def _are_scores(rows: list[list[str]]) -> bool:
    """Whether the third column is no rank: it has fractions and does not rise in most rows, or has ties and rises in none."""
    if _is_one_listing(rows):
        return False
    by_query = _by_query(rows, 2).values()
    numbers = [[float(value) for value in values if is_number(value)] for values in by_query]
    rises = [after > before for values in numbers for before, after in pairwise(values)]
    if not all(value.is_integer() for values in numbers for value in values):
        return 5 * sum(rises) < 4 * len(rises) or not rises
    return any(len(set(values)) < len(values) for values in numbers) and not any(rises)


def _is_one_listing(rows: list[list[str]]) -> bool:
    """Whether the first column counts from 0 or 1 while scores fall: rank, document and score of one query that is not named."""
    firsts = [row[0] for row in rows]
    counts = [[str(i) for i in range(first, first + len(rows))] for first in (0, 1)]
    numbers = [float(row[2]) for row in rows if len(row) > 2 and is_number(row[2])]
    return len(rows) > 1 and firsts in counts and all(below <= above for above, below in pairwise(numbers))


def _are_grades(rows: list[list[str]]) -> bool:
    """Whether the third column has whole grades or words, and not scores, nor what trec_eval prints: a measure, all, a value."""
    numbers = [float(row[2]) for row in rows if len(row) > 2 and is_number(row[2])]
    return all(map(float.is_integer, numbers)) and any(row[1:2] != ["all"] for row in rows)


def _are_ranks_beside_scores(rows: list[list[str]]) -> bool:
    """Whether the third column has whole ranks, each once in a query, and the numbers in the fourth do not rise with them."""
    scores = _by_query(rows, 3)
    for query, ranks in _by_query(rows, 2).items():
        if not all(map(str.isdecimal, ranks)) or len(set(ranks)) < len(ranks) or len(scores.get(query, ())) != len(ranks):
            return False
        try:
            in_order = [float(score) for _, score in sorted(zip(map(int, ranks), scores[query], strict=True))]
        except ValueError:
            return False
        if any(below > above for above, below in pairwise(in_order)):
            return False
    return len(rows) > 1 or not _looks_judged(rows[0])


def _looks_judged(row: list[str]) -> bool:
    """Whether four columns are those of TREC's qrels: 0 or Q0, and a whole grade."""
    return row[1] in ("0", "Q0") and row[3].lstrip("-").isdecimal()


_TELLS: dict[Layout, Callable[[list[list[str]]], bool]] = {
    RANKED_RUN: _count_up,
    SCORED_RUN: _are_scores,
    RANKED_SCORED_RUN: _are_ranks_beside_scores,
    GRADED_PAIRS: _are_grades,
    **dict.fromkeys((TREC_RUN, TREC_QRELS, RELEVANT_PAIRS), lambda _: True),
}
"""What tells a layout from others of its width."""


def _separator(lines: list[str], layouts: Iterable[Layout], labels: Collection[str]) -> str | None:
    """What stands between the columns: blanks, or a separator with which the first line has the columns of some layout.

    Tabs come before blanks where they alone make columns of all of the first lines, since an id may hold a blank.
    """
    number_at = {layout.width: layout.number for layout in layouts}
    by_blanks = [line.split() for line in lines]
    by_tabs = [_split(line, "\t") for line in lines]
    if by_tabs != by_blanks and all(len(row) == len(by_tabs[0]) and _has_columns(row, number_at, labels) for row in by_tabs):
        return "\t"
    if not lines or _has_columns(by_blanks[0], number_at, labels):
        return None
    return next((separator for separator in ",;|" if _has_columns(_split(lines[0], separator), number_at, labels)), None)


def _has_columns(row: list[str], number_at: Mapping[int, int | None], labels: Collection[str]) -> bool:
    """Whether a row is as wide as some layout, with a number or a label where that has one; widths -> where the number stands."""
    at = number_at.get(len(row), -1)
    return at is None or (at >= 0 and (is_number(row[at]) or row[at] in labels or LEVEL.fullmatch(row[at]) is not None))


def _is_json(head: bytes) -> bool:
    """Whether it begins as JSON does, and not with an id in brackets, such as ``[1]``, that other columns follow."""
    is_id = re.match(rb"\s*(\[[^][\s]*\]|\{[^}{\s]*\})[ \t]+[^][}{,:\s]", head)
    return is_id is None and re.match(rb'\s*(\{\s*(["}]|$)|\[\s*([{["\]\d]|$))', head) is not None


def _is_parquet(head: bytes) -> bool:
    """Whether it begins as Parquet does, and not with an id that a blank follows."""
    return head.startswith(b"PAR1") and not head[4:5].isspace()


_TOLD: tuple[tuple[Callable[[bytes], bool], Reader], ...] = (
    (lambda head: b"\xa0" < head[:1] < b"\xc0", _read_cbor),
    (_is_parquet, _read_parquet),
    (lambda head: head.startswith((b"ARROW1\0\0", b"\xff\xff\xff\xff")), _read_arrow),
    (_is_json, _read_json),
)
"""The forms that the first bytes tell; all else is text."""

FORMS: dict[str, Reader] = {
    "cbor": _read_cbor,
    "parquet": _read_parquet,
    "arrow": _read_arrow,
    "jsonl": _read_json,
    "json": _read_json,
    "beir": partial(_read_table, _SEPARATORS),
    "tsv": partial(_read_table, ("\t",)),
    "csv": partial(_read_table, (",",)),
    "msmarco": _read_msmarco,
    "trec": _read_trec,
    "trec_eval": _read_trec_eval,
}
"""The forms that can be asked for by name."""
