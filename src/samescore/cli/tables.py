"""Tables of text in the forms that commands print: aligned columns, tabs, Markdown."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence

from ..display import aligned, piped


def tabbed(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""Rows of cells with tabs between them, the head first if there is one; a tab or newline in a cell is escaped.

    >>> tabbed(["id", "n"], [["a\tb", "1"]])
    'id\tn\na\\tb\t1'
    """
    return "\n".join("\t".join(map(_flat, row)) for row in ([head] if head else []) + list(rows))


TABLES: Mapping[str, Callable[[Sequence[str], Sequence[Sequence[str]]], str]] = {
    "table": aligned,
    "tsv": tabbed,
    "markdown": piped,
}
"""Form -> how a head and rows of cells are written in it."""


def as_json(value: object) -> str:
    """A value as JSON, with escapes for all that is not ASCII where stdout could not write it."""
    anything = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
    return json.dumps(value, indent=2, ensure_ascii=not anything, allow_nan=False)


def _flat(cell: str) -> str:
    """A cell on one line without tabs."""
    return cell.translate({9: r"\t", 10: r"\n", 13: r"\r"})
