"""Reported: the numbers that some tool printed for a run, by the names that it has for its measures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .printed import Printed, read_numbers

ALL = ("all", "amean")
"""What tools write in place of a query id beside a mean: trec_eval and ir_measures, and gdeval."""


@dataclass(frozen=True, slots=True)
class Reported:
    """What was reported: ``means`` by name, ``per_query`` by name and query, and the ``tool`` whose names they are.

    ``other`` holds what is no number, such as trec_eval's ``runid``; ``signature`` is that of a result of samescore.
    """

    tool: str
    means: Mapping[Any, Printed]
    per_query: Mapping[Any, Mapping[str, Printed]] = field(default_factory=dict)
    other: Mapping[str, str] = field(default_factory=dict)
    signature: str = ""

    @property
    def names(self) -> list[Any]:
        """The names of the measures, in the order reported."""
        return list(dict.fromkeys([*self.means, *self.per_query]))

    def __len__(self) -> int:
        return len(self.means) + sum(map(len, self.per_query.values()))


def of_rows(rows: Iterable[tuple[Any, Any, Any]], tool: str, *, alike: bool = True) -> Reported:
    """From (name, query or None, value), without the values that are None or NaN.

    Text keeps its decimals, and floats have those of the others; ``alike``: one program wrote them all.
    """
    means: dict[Any, Any] = {}
    per_query: dict[Any, dict[str, Any]] = {}
    for name, query, value in rows:
        if value is None or (isinstance(value, float) and math.isnan(value)):
            continue
        if query is None or query in ALL:
            means[name] = value
        else:
            per_query.setdefault(name, {})[str(query)] = value
    read = read_numbers({(n, q): value for n, row in per_query.items() for q, value in row.items()}, alike=alike)
    by_query = {name: {query: read[name, query] for query in row} for name, row in per_query.items()}
    return Reported(tool, read_numbers(means, alike=alike), by_query)
