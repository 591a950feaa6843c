"""Reports in files: trec_eval's output, ir_measures' lines, samescore's, and JSON."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import FormatError, InputError, short, spot
from .objects import guessed, read_json
from .reported import Reported, of_rows

FORMS = "name, query and value, as trec_eval prints them; measure and value; or JSON"

UNCUT = frozenset(("AP", "RR", "nDCG", "Rprec", "Bpref", "infAP", "SetP", "SetR", "SetF", "NumRet", "NumRel", "NumQ"))
"""ir_measures' measures without a cutoff."""


def read_file(path: Path, run: str) -> Reported:
    """Read a report; which tool wrote it is told by its form. ``run`` is the name of the run, where a report has several.

    Raises FormatError for a line of another form, with its number.
    """
    text = _text(path)
    start = text.lstrip()[:1]
    if start in ("{", "["):
        return read_json(_json(text, path), str(path), run)
    rows = [(n, line.split()) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not rows:
        raise FormatError("the file is empty", where=str(path), hint=FORMS)
    for number, row in rows:
        if len(row) not in (2, 3):
            raise FormatError(
                f"{len(row)} column{'s' if len(row) > 1 else ''}: {short(' '.join(row))}",
                where=spot(file=path, line=number),
                hint=FORMS,
            )
    return _table([row for _, row in rows if row != ["runid", "all"]])  # a run without a name


def _text(path: Path) -> str:
    """The text of a file, plain or .gz."""
    if not path.is_file():
        raise InputError("there is no such file", where=str(path), hint="check the path")
    data = path.read_bytes()
    try:
        return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise FormatError(f"the file is no text: {error}", where=str(path), hint=FORMS) from None


def _json(text: str, path: Path) -> Any:
    """A JSON document, or the objects of JSON lines."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        first = error
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except json.JSONDecodeError:
        where = spot(file=path, line=first.lineno)
        raise FormatError(f"the JSON cannot be read: {first.msg}", where=where, hint="one object, or one a line") from None


def _table(rows: Sequence[Sequence[str]]) -> Reported:
    """Rows of trec_eval's (name, query, value), of ir_measures' ([query,] measure, value) or of samescore's."""
    if all(len(row) == 2 for row in rows):
        return of_rows(((name, None, value) for name, value in rows), guessed([name for name, _ in rows]))
    if any("@" in row[1] for row in rows) or _is_one_measure([row[1] for row in rows], [row[0] for row in rows]):
        return of_rows(((row[1], row[0], row[2]) for row in rows), "ir_measures")
    if any("@" in row[0] for row in rows):
        kept = [row for row in rows if row[0] not in ("queries", "skipped")]
        return of_rows(((row[0], row[1], row[2]) for row in kept), "samescore")
    text = {row[0]: row[2] for row in rows if _is_text(row[0]) and row[1] == "all"}
    report = of_rows(((row[0], row[1], row[2]) for row in rows if not _is_text(row[0])), "trec_eval")
    return replace(report, other=text)


def _is_one_measure(second: Sequence[str], first: Sequence[str]) -> bool:
    """Whether the second column holds measures without a cutoff and the first the queries."""
    return set(second) <= UNCUT and set(first) != {"map"}


def _is_text(name: str) -> bool:
    """Whether trec_eval prints text under a name: that of the run, and grades in the order retrieved."""
    return name == "runid" or name.startswith("relstring")
