"""Reported: the numbers that some tool printed for a run, by the names that it has for its measures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError, short
from .printed import Printed, read_numbers

ALL = ("all", "amean")
"""What tools write in place of a query id beside a mean: trec_eval and ir_measures, and gdeval."""


@dataclass(frozen=True, slots=True)
class Reported:
    """What was reported: ``means`` by name, ``per_query`` by name and query, and the ``tool`` whose names they are.

    ``other`` holds what is no number, such as trec_eval's ``runid``; ``blank`` are the names that stand there without a number
    (NaN, null); ``signature`` is that of a result of samescore.
    """

    tool: str
    means: Mapping[Any, Printed]
    per_query: Mapping[Any, Mapping[str, Printed]] = field(default_factory=dict)
    other: Mapping[str, str] = field(default_factory=dict)
    signature: str = ""
    blank: tuple[str, ...] = ()

    @property
    def names(self) -> list[Any]:
        """The names of the measures, in the order reported."""
        return list(dict.fromkeys([*self.means, *self.per_query]))

    def __len__(self) -> int:
        return len(self.means) + sum(map(len, self.per_query.values()))


def of_rows(rows: Iterable[tuple[Any, Any, Any]], tool: str, *, alike: bool = True) -> Reported:
    """From (name, query or None, value); a value that is None or NaN is none, and of a mean that is told.

    Text keeps its decimals, and floats have those of the others; ``alike``: one program wrote them all.
    Raises InputError for a value that is reported twice, and differs.
    """
    means: dict[Any, Any] = {}
    per_query: dict[Any, dict[str, Any]] = {}
    blank: dict[str, None] = {}
    for name, query, value in rows:
        of_mean = query is None or query in ALL
        if _is_none(value):
            blank |= {str(name): None} if of_mean else {}
            continue
        row, key = (means, name) if of_mean else (per_query.setdefault(name, {}), str(query))
        if row.setdefault(key, value) != value:
            what = f"{name} is reported twice for {'all' if of_mean else short(key)}: {row[key]} and {value}"
            raise InputError(what, hint="the report of one run, in which no query is named 'all'")
    read = read_numbers({(n, q): value for n, row in per_query.items() for q, value in row.items()}, alike=alike)
    by_query = {name: {query: read[name, query] for query in row} for name, row in per_query.items()}
    return Reported(tool, read_numbers(means, alike=alike), by_query, blank=tuple(name for name in blank if name not in means))


def _is_none(value: Any) -> bool:
    """Whether a tool had no value: None or NaN, or as text what C and Python print of that."""
    if isinstance(value, str):
        return value.strip().lower().lstrip("+-") == "nan"
    return value is None or (isinstance(value, float) and math.isnan(value))
