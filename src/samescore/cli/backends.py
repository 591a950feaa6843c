"""samescore backends: the matrix of measures and backends, and the reason for each gap."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping

from ..backends import BACKENDS, Gap, Grades, matrix
from .options import add_format
from .tables import TABLES, as_json

Matrix = Mapping[str, Mapping[str, Gap | None]]

SPECIAL: Mapping[str, Grades] = {
    "fractional grades": Grades(whole=False),
    "gains above 2^20": Grades(largest=2**21),
    "a document twice in a ranking (duplicates='each')": Grades(repeat=True),
}
"""What may stand in a run or qrels that is a gap for some backends only then."""

ABOUT = """
yes: the backend has the measure; else the kind of gap: never (it has another definition under this name), upstream (the
library lacks or breaks it), todo. A backend that lacks a measure refuses it; there is no silent change to another.
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
        rows = [[m, b, gap.kind if gap else "yes", gap.why if gap else ""] for m, row in has.items() for b, gap in row.items()]
        print(TABLES["tsv"]([], rows))
    else:
        bullet = "- " if args.format == "markdown" else ""
        rows = [[m, *(gap.kind if gap else "yes" for gap in row.values())] for m, row in has.items()]
        print(TABLES[args.format](["measure", *BACKENDS], rows), "", *(bullet + line for line in _reasons(has)), sep="\n")
    return 0


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
            which = ", ".join(names) if len(names) < len(had) else "every measure"
            yield f"{backend}, {which}{when}: {gap.kind}, {gap.why}; try {gap.instead}"
