"""Data frames as commands print them: aligned, with tabs, as JSON, in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..display import plain_rows
from .tables import TABLES, as_json

if TYPE_CHECKING:
    import pandas

FORMATS = (*TABLES, "json")


def written(frame: pandas.DataFrame, form: str) -> str:
    """A frame in one of :data:`FORMATS`: a line or an object for each row, ``-`` or null where there is no value."""
    rows = plain_rows(frame)
    if form == "json":
        objects = [dict(zip(frame.columns, row, strict=True)) for row in rows]
        return as_json(objects)
    return TABLES[form](list(frame.columns), [["-" if value is None else str(value) for value in row] for row in rows])
