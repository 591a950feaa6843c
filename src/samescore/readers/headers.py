"""Text files with a header: which separator, and which column is which."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping

from ..errors import FormatError, spot
from .columns import Kind, find_columns, looks_like_header
from .content import BOM, Content
from .layouts import Layout

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
        raise FormatError("the file is empty", where=content.name, hint="a header and one line for each document")
    best = next((option for option in options if _fits(option[1], names)), max(options, key=lambda option: len(option[1])))
    found, words = best
    where = spot(file=content.name, line=first_lines(content)[0][0])
    columns = find_columns(words, kind, names, where=where)
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
