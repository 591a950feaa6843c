"""Tables of a result, for a terminal, Markdown and a notebook, and in words what the policy did."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


def frame(rows: Iterable[Iterable[Any]], columns: Mapping[str, str], *, index: str | None = None) -> pandas.DataFrame:
    """A DataFrame of rows; ``columns`` is name -> dtype (``"Int64"`` has room for None), ``index`` the column that is the index."""
    import pandas  # noqa: PLC0415  # takes long to import, and not every use needs a frame

    each = list(zip(*rows, strict=True)) or [()] * len(columns)
    made = {name: pandas.Series(list(values), dtype=kind) for (name, kind), values in zip(columns.items(), each, strict=True)}
    whole = pandas.DataFrame(made)
    return whole if index is None else whole.set_index(index)


def by_query(queries: Iterable[str], columns: Mapping[Any, Iterable[float]]) -> pandas.DataFrame:
    """A DataFrame of floats indexed by query_id; keys that are tuples become levels of columns."""
    import pandas  # noqa: PLC0415  # as above

    index = pandas.Index(list(queries), name="query_id", dtype=object)
    return pandas.DataFrame({key: pandas.Series(values, index=index, dtype=float) for key, values in columns.items()}, index=index)


def plain_rows(frame: pandas.DataFrame) -> list[list[Any]]:
    """The rows of a DataFrame as Python values, None where there is none."""
    import pandas  # noqa: PLC0415  # as above

    def plain(value: Any) -> Any:
        if pandas.isna(value):
            return None
        return value.item() if hasattr(value, "item") else value

    return [[plain(value) for value in row] for row in frame.itertuples(index=False, name=None)]


def interval(low: float, high: float) -> str:
    """An interval in words; a dash where there is none."""
    return "-" if math.isnan(low) else f"{low:.4f} to {high:.4f}"


def tabled(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """An HTML table."""
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{''.join(f'<th>{escape(h)}</th>' for h in head)}</tr></thead><tbody>{body}</tbody></table>"


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in columns: the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.rjust(w) if i else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in (head, *rows)
    )


def piped(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table: the first column to the left, the others to the right."""
    marks = ["---", *("---:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in (head, marks, *rows))
