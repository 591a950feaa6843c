"""Files and folders: which form a file has, told by its content, and which files a folder or a pattern stands for."""

from __future__ import annotations

import csv
import glob
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import FormatError, InputError, MissingLibraryError, examples, nearest, short
from ..typing import ColumnNames
from .columns import Columns, Kind, check_column_names, find_roles, looks_like_header
from .content import Content
from .data import Table, polars, quiet_panics
from .frames import read_frame
from .json import read_json
from .text import MOST_COLUMNS, RANKED_RUN, RELEVANT_PAIRS, TREC_QRELS, TREC_RUN, Layout, RunFile, read_text, too_wide

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
        if os.path.isdir(path):
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


def read_content(content: Content, kind: Kind, form: str | None, names: ColumnNames | None) -> FileRows:
    """The rows of an open file of any form; ``form`` forces one.

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
    """Text with a header where the first line names a query and a document, or where columns are given; else TREC's."""
    header = _header(content, names)
    if header is not None and (names or header.is_known):
        return read_text(content, _header_layout(header, kind, names))
    return _read_trec(content, kind, names)


def _read_trec(content: Content, kind: Kind, _: ColumnNames | None) -> FileRows:
    return read_text(content, _run_layout(content) if kind == "run" else _qrels_layout(content))


def _read_trec_eval(content: Content, kind: Kind, _: ColumnNames | None) -> FileRows:
    """TREC's form with further columns, which trec_eval passes over."""
    return read_text(content, replace(TREC_RUN if kind == "run" else TREC_QRELS, more=True))


def _read_msmarco(content: Content, kind: Kind, _: ColumnNames | None) -> FileRows:
    return read_text(content, RANKED_RUN if kind == "run" else _qrels_layout(content))


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
        known = set(names.values()) <= set(words) if names else looks_like_header(words)
        headers.append(_Header(number, separator, words, known))
    return max(headers, key=lambda header: (header.is_known, 0 if header.is_known else len(header.words)), default=None)


def _header_layout(header: _Header, kind: Kind, names: ColumnNames | None) -> Layout:
    """The layout that a header gives. Raises InputError where a column that is needed is not there."""
    words = header.words
    if len(words) > MOST_COLUMNS:
        raise too_wide(len(words), header.line)
    try:
        roles = find_roles(words, kind, names)
    except InputError as error:
        raise error.at(line=header.line) from None
    return Layout(
        words=(header.separator or " ").join(words),
        width=len(words),
        query=words.index(roles.query),
        doc=words.index(roles.doc),
        number=words.index(roles.number),
        what=roles.what,
        iteration=None if roles.iteration is None else words.index(roles.iteration),
        separator=header.separator,
        header=True,
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


def _run_layout(content: Content) -> Layout:
    """Query, document and rank, where there are three columns and the first query's ranks run from 0 or 1 upwards; else TREC's."""
    rows = [line.split() for _, line in _first_lines(content, 2000)]
    ranks = [row[2] for row in rows if len(row) == 3 and row[0] == rows[0][0]]
    first = int(ranks[0]) if ranks and ranks[0] in ("0", "1") else 1
    return RANKED_RUN if ranks and ranks == [str(first + i) for i in range(len(ranks))] else TREC_RUN


def _qrels_layout(content: Content) -> Layout:
    """Pairs of a query and a relevant document, where the first line has two columns; else TREC's."""
    line = next((line for _, line in _first_lines(content, 2000)), "")
    return RELEVANT_PAIRS if len(line.split()) == 2 else TREC_QRELS


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
