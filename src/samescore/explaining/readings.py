"""Readings: the policies that give what was reported, the simplest first, each as a sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..dataframes import frame
from ..errors import examples
from ..policy import Policy
from ..render import aligned, piped
from ..reporting import Printed
from .words import as_code, values

if TYPE_CHECKING:
    import pandas

SHOWN = 5
"""How many readings are printed."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read what was reported: a policy, and what stands beside it.

    ``others`` are what is no clause of a policy: what ``recall`` and ``average_precision`` at a cutoff are divided by, and
    whether ``strangers``, unjudged queries of the run, count. ``alike`` is how many of the policies that agree give every query
    the same values as this one. ``means`` are the means it gives. ``sentence`` says it.
    """

    policy: Policy
    others: Mapping[str, str]
    alike: int
    agreeing: int
    means: Mapping[str, float]
    sentence: str


@dataclass(frozen=True, slots=True)
class Search:
    """Which of ``tried`` policies give the ``reported`` values, each to its printed precision.

    ``agree`` is how many do; ``readings`` are these, the simplest first, one for all that give every query the same values.
    Where none agrees, ``readings`` is empty and ``nearest`` is the one that gives most values, and the others most nearly;
    ``distance`` is its largest difference. ``left_out`` are the names reported that could not be searched for.
    """

    reported: Mapping[str, Printed]
    values: int
    tried: int
    agree: int
    readings: tuple[Reading, ...]
    nearest: Reading | None
    distance: float
    left_out: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """The readings as sentences."""
        return tuple(reading.sentence for reading in self.readings or ([self.nearest] if self.nearest else []))

    @property
    def table(self) -> pandas.DataFrame:
        """A row for each reading: its policy, the means it gives, and how many policies are alike."""
        some = self.readings or ([self.nearest] if self.nearest else [])
        others, means = list(some[0].others) if some else [], list(some[0].means) if some else []
        rows = [(as_code(r.policy), r.agreeing, r.alike, *r.others.values(), *r.means.values()) for r in some]
        beside = {**dict.fromkeys(others, "object"), **dict.fromkeys(means, "float")}
        return frame(rows, {"policy": "object", "agreeing": "int", "alike": "int", **beside})

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        return {
            "reported": {name: str(printed) for name, printed in self.reported.items()},
            "values": self.values,
            "tried": self.tried,
            "agree": self.agree,
            "readings": [_plain(reading) for reading in self.readings],
            "nearest": _plain(self.nearest) if self.nearest else None,
            "distance": self.distance,
            "left_out": list(self.left_out),
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """:meth:`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_markdown(self) -> str:
        """The readings as a Markdown list, and the values of the first as a table."""
        told = [f"- {s}: `{as_code(r.policy)}`" for s, r in zip(self.sentences, self._some(), strict=False)]
        return "\n".join(
            [
                _headline(self),
                "",
                *told,
                *(f"- {line}" for line in self._unsearched()),
                *(["", piped(*self._compared())] if self.reported else []),
            ]
        )

    def __str__(self) -> str:
        told = [f"{i}. {r.sentence}\n   {_code(r)}" for i, r in enumerate(self._some(), 1)]
        more = len(self.readings) - SHOWN
        table = ["", aligned(*self._compared())] if self.reported else []
        return "\n".join([_headline(self), *told, *([f"and {more} more"] if more > 0 else []), *self._unsearched(), *table])

    def _unsearched(self) -> list[str]:
        """The line of what could not be searched for."""
        return [f"not searched for: {examples(self.left_out, 10)}"] if self.left_out else []

    def _some(self) -> Sequence[Reading]:
        """The readings that are shown."""
        return self.readings[:SHOWN] or ([self.nearest] if self.nearest else [])

    def _compared(self) -> tuple[list[str], list[list[str]]]:
        """Head and rows of a table of what was reported and what the first reading gives."""
        first = self._some()[0]
        rows = [[n, str(p), p.shown(first.means[n]), "yes" if p.agrees(first.means[n]) else "no"] for n, p in self.reported.items()]
        return ["measure", "reported", "here", "agrees"], rows


def _headline(found: Search) -> str:
    """How many policies were tried, and how many agree."""
    told = f"{values(found.values)} reported, {found.tried:,} {'policy' if found.tried == 1 else 'policies'} tried: "
    if not found.agree:
        nearest = found.nearest.agreeing if found.nearest else 0
        return told + f"none gives them all; the nearest gives {nearest}, and is off by at most {found.distance:.2g}"
    n = len(found.readings)
    return (
        told
        + f"{found.agree:,} agree{'s' if found.agree == 1 else ''}"
        + (f", in {n} groups that give the queries different values" if n > 1 else "")
    )


def _code(reading: Reading) -> str:
    """The policy as code, and what stands beside it."""
    beside = [f"{name} / {value}" for name, value in reading.others.items() if value == "min(k, R)"]
    return ", ".join([as_code(reading.policy), *beside])


def _plain(reading: Reading) -> dict[str, Any]:
    """A reading as plain values."""
    return {
        "policy": {name: getattr(reading.policy, name) for name in Policy.__dataclass_fields__},
        **reading.others,
        "alike": reading.alike,
        "agreeing": reading.agreeing,
        "means": dict(reading.means),
        "sentence": reading.sentence,
    }
