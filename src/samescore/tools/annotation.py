"""The file of a pool that annotators fill in: what they have written into it stays."""

from __future__ import annotations

import csv
import io
import os
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..display import as_delimited, plural
from ..errors import IdError, InputError, InputTypeError, SamescoreWarning, Wording, WriteError, examples, setting, short
from ..writing import is_regular, refuse_input, write_files

SEPARATORS: Mapping[str, str] = {".csv": ",", ".tsv": "\t"}
"""The ending of a file -> what stands between its columns."""

POOL = ("query_id", "doc_id", "runs", "best_rank")
"""The columns that a pool has."""

LABEL = "relevance"
"""The column that annotators fill in."""

BLANKS = " \t\n\r\v\f"
"""What readers of such files take from the beginning and the end of an id."""

Row = tuple[str, str, int, int]
"""Query, document, how many runs have it, and its best rank."""


def write_pool(rows: Sequence[Row], file: str | os.PathLike[str], *, inputs: Iterable[Any] = (), force: bool = False) -> None:
    """Write a pool for annotators; the rows of a file that is there stay where anything was written into them.

    Raises InputError for another ending than .csv and .tsv, IdError for an id that the file cannot hold, and WriteError where
    the file is an input or no pool, or cannot be written. Warns of ids that a spreadsheet could take for formulas.
    """
    separator = _separator(file)
    for query, doc, *_ in rows:
        _check_ids(query, doc)
    inputs = list(inputs)
    if not force:
        refuse_input(file, inputs)
    header, labelled = ([*POOL, LABEL], []) if force or not is_regular(file) else _labelled(Path(file), separator)
    there = {tuple(row[header.index(name)].strip(BLANKS) for name in POOL[:2]) for row in labelled}
    new = [dict(zip(POOL, row, strict=True)) for row in rows if row[:2] not in there]
    table: list[Sequence[object]] = [header, *labelled, *([row.get(name, "") for name in header] for row in new)]
    write_files({file: as_delimited(table, separator)}, inputs=inputs, force=force, make_folders=False)
    _warn_of_formulas(rows)


def _separator(file: Any) -> str:
    """What stands between the columns of a file, by its ending; a comma for a device or a pipe, which has none."""
    if not isinstance(file, (str, os.PathLike)):
        raise InputTypeError(f"file is {short(file)}", hint="the path of a .csv or .tsv file")
    ending = Path(file).suffix
    if ending in SEPARATORS:
        return SEPARATORS[ending]
    if not ending and os.path.exists(file) and not is_regular(file) and not os.path.isdir(file):
        return SEPARATORS[".csv"]
    what = f"a pool cannot be written as {ending}" if ending else "the name has no ending that says how to write it"
    raise InputError(what, file=file, hint=", ".join(SEPARATORS))


_UNFIT: Mapping[str, Callable[[str], bool]] = {
    "begins or ends with a blank": lambda text: text != text.strip(BLANKS),
    "holds a binary character": lambda text: "\0" in text,
    "holds half a surrogate pair": lambda text: re.search("[\ud800-\udfff]", text) is not None,
    "is too long": lambda text: len(text) > csv.field_size_limit(),
}
"""What makes an id one that is not read back from the file as it is."""


def _check_ids(query: str, doc: str) -> None:
    """Raise IdError for ids that the file cannot hold."""
    for text in (query, doc):
        for what, is_unfit in _UNFIT.items():
            if is_unfit(text):
                words = f"the id {short(text)} {what}, and cannot stand in a file for annotators"
                raise IdError(words, query=query, document=doc, hint="mend the id, or list the pool without writing a file")


def _labelled(path: Path, separator: str) -> tuple[list[str], list[list[str]]]:
    """The header of a pool that is there, and its rows into which anything was written.

    Raises WriteError for a file that is no pool.
    """
    lines = _lines(path, separator)
    if not lines:
        return [*POOL, LABEL], []
    header, rows = [name.strip(BLANKS) for name in lines[0][1]], lines[1:]
    if {"query_id", "doc_id", LABEL} - set(header) or len(set(header)) < len(header):
        raise _unlike_a_pool(path, "this file is there and is no pool, and would be overwritten")
    annotated = [i for i, name in enumerate(header) if name not in POOL]
    labelled = []
    for number, row in rows:
        if len(row) != len(header):
            columns = plural(len(row), "column", "columns")
            raise _unlike_a_pool(path, f"{columns}, not {len(header)}, so that labels could be lost", number)
        if any(row[i].strip(BLANKS) for i in annotated):
            labelled.append(row)
    return header, labelled


def _lines(path: Path, separator: str) -> list[tuple[int, list[str]]]:
    """Number and cells of each line that is not blank."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        return [(reader.line_num, row) for row in reader if any(row)]
    except OSError as error:
        raise WriteError(f"the file that is there cannot be read: {error.strerror or error}", file=path) from None
    except (UnicodeDecodeError, csv.Error):
        raise _unlike_a_pool(path, "this file is there and cannot be read as a pool, and would be overwritten") from None


def _unlike_a_pool(path: Path, what: str, line: int | None = None) -> WriteError:
    """The error for a file whose rows cannot be kept."""
    return WriteError(what, file=path, line=line, hint=Wording("another name, or ", setting("force", True)))


_FORMULA = re.compile(r"[=+\-@]")


def _warn_of_formulas(rows: Iterable[Row]) -> None:
    """Say which ids a spreadsheet could take for formulas; they are written as they are, since they are ids."""
    ids = list(dict.fromkeys(text for query, doc, *_ in rows for text in (query, doc) if _FORMULA.match(text)))
    if ids:
        what = f"{plural(len(ids), 'id', 'ids')} could be taken for formulas by a spreadsheet: {examples(ids)}"
        warnings.warn(f"{what}; import the columns of ids as text", SamescoreWarning, stacklevel=4)
