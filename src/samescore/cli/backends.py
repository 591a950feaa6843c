"""samescore backends: the matrix of measures and backends, and the reason for each gap."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping

from ..backends import BACKENDS, Gap, Grades, matrix
from .options import add_format
from .tables import TABLES, as_json

Matrix = Mapping[str, Mapping[str, Gap | None]]

PROVIDER = "ir_measures/"

GENERAL = [name for name in BACKENDS if not name.startswith(PROVIDER)]
"""The backends that have most measures; the others have a few, and share a column."""

SPECIAL: Mapping[str, Grades] = {
    "fractional grades": Grades(whole=False),
    "gains above 2^20": Grades(largest=2**21),
    "a document twice in a ranking (duplicates='each')": Grades(repeat=True),
}
"""What may stand in a run or qrels that is a gap for some backends only then."""

ABOUT = """
yes: the backend has the measure; else the kind of gap: never (it has another definition under this name), upstream (the
library lacks or breaks it), todo. A backend that lacks a measure refuses it; there is no silent change to another. The last
column names the other providers of ir_measures that have it, each a backend as ir_measures/NAME.
--format tsv prints measure, backend, and yes or the kind of gap, and why; json the same as an object, null where there is no gap.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    add_format(parser, ["table", "tsv", "json", "markdown"])


def run(args: argparse.Namespace) -> int:
    """Print the matrix."""
    has = matrix()
    if args.format == "json":
        print(as_json({m: {b: _plain(gap) for b, gap in row.items()} for m, row in has.items()}))
    elif args.format == "tsv":
        rows = [[m, b, _mark(gap), gap.why if gap else ""] for m, row in has.items() for b, gap in row.items()]
        print(TABLES["tsv"]([], rows))
    else:
        bullet = "- " if args.format == "markdown" else ""
        rows = [[m, *(_mark(row[backend]) for backend in GENERAL), _providers(row)] for m, row in has.items()]
        head = ["measure", *GENERAL, f"{PROVIDER}..."]
        print(TABLES[args.format](head, rows), "", *(bullet + line for line in _reasons(has)), sep="\n")
    return 0


def _mark(gap: Gap | None) -> str:
    """What the table says of a measure and a backend."""
    return gap.kind if gap else "yes"


def _providers(row: Mapping[str, Gap | None]) -> str:
    """Which of the backends that have a few measures alone have this one."""
    return ",".join(name.removeprefix(PROVIDER) for name, gap in row.items() if name not in GENERAL and not gap) or "-"


def _plain(gap: Gap | None) -> dict[str, str] | None:
    """A gap for JSON."""
    return {"kind": gap.kind, "why": gap.why, "instead": gap.instead} if gap else None


def _reasons(has: Matrix) -> Iterator[str]:
    """A line for each gap, those that depend on the input last; measures with the same gap share a line."""
    yield from _lines(has, {}, "")
    for what, grades in SPECIAL.items():
        yield from _lines(matrix(grades), has, f", with {what}")


def _lines(gaps: Matrix, known: Matrix, when: str) -> Iterator[str]:
    """The gaps that are not known yet, as lines."""
    for backend in BACKENDS:
        had = [measure for measure in gaps if not (known and known[measure][backend])]
        measures: dict[Gap, list[str]] = {}
        for measure in had:
            gap = gaps[measure][backend]
            if gap:
                measures.setdefault(gap, []).append(measure)
        for gap, names in measures.items():
            which = ", ".join(names)
            if 2 * len(names) > len(had):
                which = "every measure" if len(names) == len(had) else "the measures that it lacks"
            yield f"{backend}, {which}{when}: {gap.kind}, {gap.why}; try {gap.instead}"
