"""Showing: an object that a command computed, in the form that ``--format`` asks for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from .tables import TABLES

if TYPE_CHECKING:
    import pandas


class Shown(Protocol):
    """What a command computes: it prints itself, and has a frame."""

    @property
    def table(self) -> pandas.DataFrame:
        """Its rows."""

    def to_json(self) -> str:
        """All of it as JSON."""

    def to_markdown(self) -> str:
        """What is printed, as Markdown."""


FORMS: Mapping[str, Callable[[Shown], str]] = {
    "table": str,
    "tsv": lambda found: as_tsv(found.table),
    "json": lambda found: found.to_json(),
    "markdown": lambda found: found.to_markdown(),
}
"""Form -> how an object is written in it."""


def as_tsv(frame: pandas.DataFrame) -> str:
    """A frame with its head, tabs between the cells, numbers in full precision, nothing where a value is missing."""
    flat = frame.reset_index() if frame.index.name else frame
    return TABLES["tsv"](list(map(str, flat.columns)), [list(map(_cell, row)) for row in flat.itertuples(index=False)])


def _cell(value: Any) -> str:
    """One value."""
    missing = value is None or (isinstance(value, float) and math.isnan(value))
    return "" if missing else repr(float(value)) if isinstance(value, float) else str(value)
