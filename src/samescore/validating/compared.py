"""Compared: each reported value beside the one that is computed here, to the precision that was printed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..dataframes import frame
from ..errors import examples
from ..explaining.readings import Search
from ..explaining.words import as_code, values
from ..policy import Policy
from ..render import aligned, piped
from ..reporting import Printed, Reported
from .recomputed import Recomputed

if TYPE_CHECKING:
    import pandas

SHOWN = 10
"""How many values that differ are printed."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that differs: ``query`` is None for a mean, ``here`` None where the query is left out here."""

    measure: str
    query: str | None
    reported: Printed
    here: float | None

    @property
    def difference(self) -> float | None:
        """The value here less the reported one."""
        return None if self.here is None else self.here - self.reported.value

    def __str__(self) -> str:
        where = "mean" if self.query is None else f"query {self.query!r}"
        return f"{self.measure}, {where}: reported {self.reported}, {_shown(self.reported, self.here)}"


@dataclass(frozen=True, slots=True)
class Line:
    """One measure: its mean as reported (None where only queries were) and here, and how many values of queries differ."""

    measure: str
    reported: Printed | None
    here: float
    agrees: bool
    queries: int
    differing: int


@dataclass(frozen=True, slots=True)
class Validation:
    """Whether the numbers that ``tool`` reported are those of ``policy`` on this run and these qrels.

    ``unknown`` are the names that cannot be recomputed; ``notes`` say what else is to be known. ``explanation`` is the search for
    the policies that give the reported values, where some differ.
    """

    tool: str
    policy: Policy
    lines: tuple[Line, ...]
    all_differences: tuple[Difference, ...]
    unknown: tuple[str, ...]
    notes: tuple[str, ...]
    explanation: Search | None = None

    @property
    def ok(self) -> bool:
        """Whether every value that can be recomputed agrees."""
        return not self.all_differences

    @property
    def table(self) -> pandas.DataFrame:
        """A row for each measure: its mean as reported and here, whether they agree, how many queries were compared and differ."""
        rows = [(w.measure, w.reported.value if w.reported else None, w.here, w.agrees, w.queries, w.differing) for w in self.lines]
        return frame(rows, COLUMNS)

    @property
    def differences(self) -> pandas.DataFrame:
        """A row for each value that differs, the means first (``query_id`` is ``all``); NaN where a query is left out here."""
        rows = [(d.measure, d.query or "all", d.reported.value, d.here, d.difference) for d in self.all_differences]
        return frame(rows, DIFFERENCE_COLUMNS)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        return {
            "ok": self.ok,
            "tool": self.tool,
            "policy": self.policy.signature,
            "measures": [
                {
                    "measure": w.measure, "reported": str(w.reported) if w.reported else None, "here": w.here,
                    "agrees": w.agrees, "queries": w.queries, "differing": w.differing,
                }
                for w in self.lines
            ],
            "differences": [
                {"measure": d.measure, "query_id": d.query, "reported": str(d.reported), "here": d.here}
                for d in self.all_differences
            ],
            "unknown": list(self.unknown),
            "notes": list(self.notes),
            "explanation": self.explanation.to_dict() if self.explanation else None,
        }  # fmt: skip

    def to_json(self, *, indent: int | None = 2) -> str:
        """:meth:`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_markdown(self) -> str:
        """The comparison as Markdown, with the explanation where something differs."""
        told = [f"- {line}" for line in self._told()]
        why = ["", self.explanation.to_markdown()] if self.explanation else []
        return "\n".join([self._headline(), "", piped(HEAD, self._rows()), "", *told, *why])

    def __str__(self) -> str:
        why = ["", str(self.explanation)] if self.explanation else []
        return "\n".join([self._headline(), "", aligned(HEAD, self._rows()), "", *self._told(), *why])

    def _headline(self) -> str:
        """How many values agree, and under which policy."""
        compared = sum((w.reported is not None) + w.queries for w in self.lines)
        differ = len(self.all_differences)
        outcome = f"{differ} of {values(compared)} differ{'s' if differ == 1 else ''}" if differ else f"{_all(compared)}"
        return f"{outcome} (names as in {self.tool}, {as_code(self.policy)})"

    def _rows(self) -> list[list[str]]:
        """The cells of the printed table; the queries only where some were reported."""
        return [
            [
                w.measure, str(w.reported or "-"), w.reported.shown(w.here) if w.reported else f"{w.here:.4f}",
                "yes" if w.agrees else "no", f"{w.differing} of {w.queries}" if w.queries else "-",
            ]
            for w in self.lines
        ]  # fmt: skip

    def _told(self) -> list[str]:
        """Below the table: what differs, what was not compared, and what else is to be known."""
        rest = len(self.all_differences) - SHOWN
        told = [*map(str, self.all_differences[:SHOWN]), *([f"and {rest} more that differ"] if rest > 0 else [])]
        left = [f"not recomputed: {examples(self.unknown, 10)}"] if self.unknown else []
        return [*told, *left, *self.notes]


COLUMNS = {"measure": "object", "reported": "float", "here": "float", "agrees": "bool", "queries": "int", "differing": "int"}
DIFFERENCE_COLUMNS = {"measure": "object", "query_id": "object", "reported": "float", "here": "float", "difference": "float"}
HEAD = ["measure", "reported", "here", "agrees", "queries that differ"]


def compare(report: Reported, here: Recomputed) -> tuple[tuple[Line, ...], tuple[Difference, ...]]:
    """A line for each measure that can be recomputed, and all values that differ, the means first."""
    lines: list[Line] = []
    means: list[Difference] = []
    rest: list[Difference] = []
    for name in report.names:
        if name not in here.means:
            continue
        reported, mean = report.means.get(name), here.means[name]
        off = reported is not None and not reported.agrees(mean)
        if off and reported is not None:
            means.append(Difference(str(name), None, reported, mean))
        wrong = _differing(str(name), report.per_query.get(name, {}), here.per_query.get(name, {}))
        rest += wrong
        lines.append(Line(str(name), reported, mean, not off and not wrong, len(report.per_query.get(name, {})), len(wrong)))
    return tuple(lines), (*means, *rest)


def _differing(name: str, reported: Mapping[str, Printed], here: Mapping[str, float]) -> Sequence[Difference]:
    """The queries whose values differ."""
    return [Difference(name, q, p, here.get(q)) for q, p in reported.items() if q not in here or not p.agrees(here[q])]


def _all(n: int) -> str:
    """That all values agree."""
    return f"all {values(n)} agree" if n > 1 else "the value agrees"


def _shown(printed: Printed, here: float | None) -> str:
    """A value here, as the reported one was printed."""
    return "left out here" if here is None else f"here {printed.shown(here)}"
