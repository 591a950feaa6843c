"""The table of forms that a file may have, told by its content first and its name second."""

from __future__ import annotations

import csv
import glob
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import FormatError, InputError, MissingLibraryError, examples, nearest, short
from .columns import Kind, find_columns, looks_like_header
from .content import BOM, Content
from .data import Qrels, Run, TableRankings, gather_qrels, gather_run, polars
from .frames import read_qrels_frame, read_run_frame
from .json import is_lines, read_qrels_json, read_run_json
from .mappings import read_qrels_mapping, read_run_mapping
from .text import RANKED_RUN, RELEVANT_PAIRS, TREC_QRELS, TREC_RUN, Layout, Stream, read_lines
from .values import whole_grades

_TEST = "test.tsv"


def qrels_in(folder: Path) -> Path:
    """The qrels of a BEIR folder: ``qrels/test.tsv``, or the one file in ``qrels``.

    Raises InputError where there are none, or several and none of the test split.
    """
    files = [path for path in visible(folder / "qrels" if (folder / "qrels").is_dir() else folder) if path.suffix == ".tsv"]
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
            found = [str(file) for file in visible(Path(path))]
            if not found:
                raise InputError("this is a directory without runs", file=path, hint="a folder of run files")
        elif glob.has_magic(path) and not os.path.exists(path):
            found = sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file))
            if not found:
                raise InputError("no file matches the pattern", file=path, hint="check the pattern, and quote it for the shell")
        else:
            found = [path]
        files += found
    return files


def visible(folder: Path) -> list[Path]:
    """The files of a folder, in order of name, but for the hidden ones."""
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))


SEPARATORS = ("\t", ",", ";", "|", None)
"""In the order in which they are tried; None is any run of blanks."""


def first_lines(content: Content, n: int = 2000) -> list[tuple[int, str]]:
    """Number and text of the first lines that are neither blank nor a comment; odd characters are passed over here."""
    lines = content.head.removeprefix(BOM).decode(errors="replace").split("\n", n)[:n]
    return [(number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")]


def has_header(content: Content, names: Mapping[str, str] | None = None) -> bool:
    """Whether the first line names a query and a document, or the columns given."""
    return any(_fits(words, names) for _, words in _headers(content))


def header_layout(content: Content, kind: Kind, names: Mapping[str, str] | None = None, separator: str | None = "") -> Layout:
    """The layout that the first line gives; ``separator`` forces one.

    Raises InputError where a column that is needed is not there.
    """
    options = [(sep, words) for sep, words in _headers(content) if separator in ("", sep)]
    if not options:
        raise FormatError("the file is empty", file=content.name, hint="a header and one line for each document")
    best = next((option for option in options if _fits(option[1], names)), max(options, key=lambda option: len(option[1])))
    found, words = best
    columns = find_columns(words, kind, names, {"file": content.name, "line": first_lines(content)[0][0]})
    place = words.index
    return Layout(
        words=(found or " ").join(words),
        width=len(words),
        query=place(columns.query),
        doc=place(columns.doc),
        number=place(columns.number),
        what=columns.what,
        iteration=None if columns.iteration is None else place(columns.iteration),
        separator=found,
        skip=1,
    )


def _fits(words: list[str], names: Mapping[str, str] | None) -> bool:
    """Whether a line split so has the columns asked for, or those that runs and qrels have."""
    return set(names.values()) <= set(words) if names else looks_like_header(words)


def _headers(content: Content) -> Iterator[tuple[str | None, list[str]]]:
    """The first line split at each separator."""
    lines = first_lines(content)
    for separator in SEPARATORS if lines else ():
        yield separator, [word.strip() for word in _words(lines[0][1], separator)]


def _words(line: str, separator: str | None) -> list[str]:
    """A line split at a separator."""
    if separator is None:
        return line.split()
    try:
        return next(csv.reader([line.strip()], delimiter=separator))
    except csv.Error:  # no text at all
        return [line]


Names = Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class Form:
    """One form of file: how it is told, and how a run and qrels are read from it."""

    fits: Callable[[Content], bool]
    run: Callable[[Content, Names], Run | Stream]
    qrels: Callable[[Content, Names], Qrels]


def read_run_file(
    source: str | os.PathLike[str], *, form: str | None = None, names: Names = None, more_columns: bool = False
) -> Run | Stream:
    """A run from a file of any form; a big text file is a stream, which is read when it is ranked.

    With ``more_columns`` it is a TREC file, and what stands after the tag is passed over, as trec_eval does.
    """
    content = _opened(source)
    with _named(content.name):
        if more_columns:
            return _run_text(content, replace(TREC_RUN, more=True))
        return _form(content, form, names).run(content, names)


def read_qrels_file(source: str | os.PathLike[str], *, form: str | None = None, names: Names = None) -> Qrels:
    """Qrels from a file of any form, or from a BEIR folder."""
    content = _opened(qrels_in(Path(source)) if os.path.isdir(source) else source)
    with _named(content.name):
        return _form(content, form, names).qrels(content, names)


def load_rows(run: Run | Stream) -> Run:
    """A run with its rows in memory."""
    if isinstance(run, Run):
        return run
    table = run.table()
    return Run(TableRankings(table), len(table), run.name, table.tag)


def _opened(source: str | os.PathLike[str]) -> Content:
    """The content of a file that is neither empty nor in another encoding."""
    content = Content.of(source)
    if not content.head.strip():
        raise FormatError("the file is empty", file=content.name, hint="a file with one line for each document")
    if content.head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError("UTF-16, not UTF-8 text", file=content.name, line=1, hint="iconv -f UTF-16 -t UTF-8")
    return content


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Errors that name a query and document name the file too."""
    try:
        yield
    except InputError as error:
        raise error.at(file=name) from None


def _form(content: Content, form: str | None, names: Names) -> Form:
    """The form that was asked for, or that fits."""
    if form is not None:
        if form not in FORMS:
            raise InputError(f"there is no format {short(form)}", hint=nearest(form, FORMS))
        return FORMS[form]
    if names and not any(FORMS[form].fits(content) for form in ("parquet", "arrow", "jsonl", "json")):
        return _TABLE
    return next(form for form in FORMS.values() if form.fits(content))


def _run_text(content: Content, layout: Layout) -> Run | Stream:
    """A run from a text file: by line if it is small."""
    if not content.complete:
        stream = Stream(content, layout)
        return stream if content.rereadable else load_rows(stream)
    lines = read_lines(content.all(), layout, name=content.name)
    _refuse_none(content, len(lines.docs))
    return replace(gather_run(lines.queries, lines.docs, lines.numbers, ranks=lines.ranks, name=content.name), tag=lines.tag)


def _qrels_text(content: Content, layout: Layout) -> Qrels:
    """Qrels from a text file."""
    if content.complete:
        lines = read_lines(content.all(), layout, name=content.name)
        _refuse_none(content, len(lines.docs))
        numbers = whole_grades(lines.numbers)
        return gather_qrels(lines.queries, lines.docs, numbers, iterations=lines.iterations, name=content.name)
    table = Stream(content, layout).table()
    queries, docs = table.query.to_list(), table.doc.to_list()
    iterations = None if table.iteration is None else table.iteration.to_list()
    return gather_qrels(queries, docs, whole_grades(table.number), iterations=iterations, name=content.name)


def _refuse_none(content: Content, n: int) -> None:
    """Raise FormatError where there is no row."""
    if n == 0:
        raise FormatError("the file is empty but for comments and a header", file=content.name, hint="one line for each document")


def _plain(fits: Callable[[Content], bool], run: Callable[[Content], Layout], qrels: Callable[[Content], Layout]) -> Form:
    """A form of text without a header."""
    return Form(fits, lambda content, _: _run_text(content, run(content)), lambda content, _: _qrels_text(content, qrels(content)))


def _header(fits: Callable[[Content], bool], separator: str | None = "") -> Form:
    """A form of text with a header; the separator is found unless it is given."""

    def layout(content: Content, kind: Kind, names: Names) -> Layout:
        return header_layout(content, kind, names, separator)

    return Form(
        fits,
        lambda content, names: _run_text(content, layout(content, "run", names)),
        lambda content, names: _qrels_text(content, layout(content, "qrels", names)),
    )


def _columnar(magic: tuple[bytes, ...], read: Callable[[Content], Any]) -> Form:
    """A form of binary columns, which polars reads."""
    return Form(
        lambda content: content.head.startswith(magic),
        lambda content, names: read_run_frame(read(content), names, name=content.name),
        lambda content, names: read_qrels_frame(read(content), names, name=content.name),
    )


def _frame(reader: str) -> Callable[[Content], Any]:
    """What reads a frame by a function of polars."""

    def read(content: Content) -> Any:
        pl = polars()
        try:
            return getattr(pl, reader)(content.all())
        except (pl.exceptions.PolarsError, OSError) as error:
            first = str(error).partition("\n")[0]
            raise FormatError(f"the file is broken: {first}", file=content.name, hint="write it again") from None

    return read


def _arrow(content: Content) -> Any:
    """An Arrow file or stream."""
    return _frame("read_ipc" if content.head.startswith(b"ARROW1") else "read_ipc_stream")(content)


def _is_json(content: Content) -> bool:
    return re.match(rb'\s*(\{\s*(["}]|$)|\[\s*([{["\]\d]|$))', content.head.removeprefix(BOM)) is not None


def _is_jsonl(content: Content) -> bool:
    return _is_json(content) and is_lines(content.head.removeprefix(BOM))


def _cbor(content: Content) -> Any:
    """A mapping in CBOR, which ranx's lz4 files hold."""
    try:
        import cbor2  # noqa: PLC0415  # which comes with ranx
    except ImportError:
        raise MissingLibraryError("cbor2 is not installed", file=content.name, hint="pip install cbor2") from None
    data = io.BytesIO(content.all())
    try:
        found = cbor2.load(data)
    except Exception:  # whatever it raises on what is no CBOR
        found = None
    if not isinstance(found, dict) or data.read(1):
        raise FormatError("neither UTF-8 text nor CBOR", file=content.name, line=1, hint="convert it with iconv -t UTF-8")
    return found


def _json() -> tuple[Callable[[Content, Names], Run], Callable[[Content, Names], Qrels]]:
    """The readers of JSON."""
    return (
        lambda content, names: read_run_json(content.all(), names, name=content.name),
        lambda content, names: read_qrels_json(content.all(), names, name=content.name),
    )


def _run_layout(content: Content) -> Layout:
    """Query, document and rank, where there are three columns and the first query's ranks run from 0 or 1 upwards; else TREC's."""
    rows = [line.split() for _, line in first_lines(content)]
    ranks = [row[2] for row in rows if len(row) == 3 and row[0] == rows[0][0]]
    first = int(ranks[0]) if ranks and ranks[0] in ("0", "1") else 1
    return RANKED_RUN if ranks and ranks == [str(first + i) for i in range(len(ranks))] else TREC_RUN


def _qrels_layout(content: Content) -> Layout:
    """Pairs of a query and a relevant document, where the first line has two columns; else TREC's."""
    lines = first_lines(content, 50)
    return RELEVANT_PAIRS if lines and len(lines[0][1].split()) == 2 else TREC_QRELS


_TABLE = _header(has_header)

FORMS: dict[str, Form] = {
    "cbor": Form(
        lambda content: content.head[:1] > b"\xa0" and content.head[:1] < b"\xc0",
        lambda content, names: read_run_mapping(_cbor(content)),
        lambda content, names: read_qrels_mapping(_cbor(content)),
    ),
    "parquet": _columnar((b"PAR1",), _frame("read_parquet")),
    "arrow": _columnar((b"ARROW1", b"\xff\xff\xff\xff"), _arrow),
    "jsonl": Form(_is_jsonl, *_json()),
    "json": Form(_is_json, *_json()),
    "beir": _header(has_header),
    "tsv": _header(has_header, "\t"),
    "csv": _header(has_header, ","),
    "msmarco": _plain(lambda _: False, lambda _: RANKED_RUN, _qrels_layout),
    "trec": _plain(lambda _: True, _run_layout, _qrels_layout),
}
