"""Readings: the policies that give what was reported, the simplest first, each as a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...display import Displayed, Part, Table, Title, first_of, frame, plural
from ...errors import examples
from ...policy import Policy, as_code, presets
from ..reported import Printed
from .grid import BESIDE, TRIED, VARIANTS, Cell, Grid

if TYPE_CHECKING:
    import pandas


def listed(parts: list[str]) -> str:
    """Parts of a sentence as a list in words."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def count_values(n: int) -> str:
    """``1 value``, ``2 values``."""
    return plural(n, "value", "values")


SHOWN = 5
"""How many readings are printed."""

FORMER = {"strangers": "unjudged_run_queries"}
"""The name that a key had in the last release -> its name. A reading holds both, so that either is read."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read what was reported: a policy, and what stands beside it.

    ``others`` are what is no clause of a policy: the variants of measures that tools compute, such as a hit rate for recall, and
    whether ``unjudged_run_queries`` count (``strangers`` is its former name). ``alike`` is how many of the
    policies that agree give every query the same values as this one. ``means`` are the means it gives. ``sentence`` says it.
    """

    policy: Policy
    others: Mapping[str, str]
    alike: int
    agreeing: int
    means: Mapping[str, float]
    sentence: str

    def __str__(self) -> str:
        beside = [f"{name}: {value}" for name, value in self.others.items() if name in VARIANTS and value != BESIDE[name]]
        return f"{self.sentence}: {', '.join([as_code(self.policy), *beside])}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        plain = asdict(self)
        return {"policy": plain.pop("policy"), **plain.pop("others"), **plain}


@dataclass(frozen=True, slots=True, repr=False)
class Search(Displayed):
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
        return tuple(reading.sentence for reading in self._all())

    @property
    def table(self) -> pandas.DataFrame:
        """A row for each reading: its policy, the means it gives, and how many policies are alike."""
        records = self.records()
        kinds = {"policy": "object", "agreeing": "int", "alike": "int", **dict.fromkeys(BESIDE, "object")}
        return frame(records.rows, {title: kinds.get(title, "float") for title in records.titles})

    def records(self) -> Table:
        """A row for each reading."""
        some = self._all()
        beside = [name for name in some[0].others if name not in FORMER]
        rows = [(as_code(r.policy), r.agreeing, r.alike, *map(r.others.get, beside), *r.means.values()) for r in some]
        return Table(["policy", "agreeing", "alike", *beside, *some[0].means], rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        return {
            "reported": {name: str(printed) for name, printed in self.reported.items()},
            "values": self.values,
            "tried": self.tried,
            "agree": self.agree,
            "readings": [reading.to_dict() for reading in self.readings],
            "nearest": self.nearest and self.nearest.to_dict(),
            "distance": self.distance,
            "left_out": list(self.left_out),
        }

    def parts(self) -> list[Part]:
        """How many policies agree, the simplest of them, what could not be searched for, and the values of the first."""
        left_out = [f"not searched for: {examples(self.left_out, 10)}"] if self.left_out else []
        return [Title(self._headline()), *first_of(self._all(), SHOWN), *left_out, *([self._compared()] if self.reported else [])]

    def _all(self) -> Sequence[Reading]:
        """The readings that agree, or the nearest."""
        return self.readings or ([self.nearest] if self.nearest else [])

    def _compared(self) -> Table:
        """What was reported and what the first reading gives."""
        means = self._all()[0].means
        rows = [(name, str(p), p.shown(means[name]), p.agrees(means[name])) for name, p in self.reported.items()]
        return Table(["measure", "reported", "here", "agrees"], rows)

    def _headline(self) -> str:
        """How many policies were tried, and how many agree."""
        policies = f"{self.tried:,} {'policy' if self.tried == 1 else 'policies'}"
        tried = f"{count_values(self.values)} reported, {policies} tried"
        if self.nearest:
            given = f"the nearest gives {self.nearest.agreeing} of {self.values}, and is off by at most {self.distance:.2g}"
            return f"{tried}: none gives them all; {given}"
        n = len(self.readings)
        groups = f", in {n} groups that give the queries different values" if n > 1 else ""
        return f"{tried}: {self.agree:,} agree{'s' if self.agree == 1 else ''}{groups}"


COMPARED = 20_000
"""Of more policies that agree, only the simplest are compared query by query."""


def read_grid(grid: Grid, left_out: Sequence[str]) -> Search:
    """The readings of a grid; ``left_out`` are the names that were reported and not searched for."""
    agree = grid.agreeing == grid.reported
    means = {target.name: target.reported[None] for target in grid.targets if None in target.reported}
    result = partial(Search, means, grid.reported, agree.size, int(agree.sum()), left_out=tuple(left_out))
    if agree.any():
        alike: dict[bytes, list[Cell]] = {}
        for cell in _simplest_first(grid, np.argwhere(agree)):
            alike.setdefault(grid.fingerprint(cell), []).append(cell)
        return result(tuple(_reading(grid, cells) for cells in alike.values()), None, 0.0)
    most = int(grid.agreeing.max())
    candidates = np.argwhere(grid.agreeing >= (most if 2 * most >= grid.reported else 0))
    off = grid.furthest[tuple(candidates.T)]
    nearest = _simplest_first(grid, candidates[off <= off.min() + 1e-12])
    return result((), _reading(grid, nearest), float(off.min()))


def _simplest_first(grid: Grid, cells: NDArray[np.intp]) -> list[Cell]:
    """Cells by how few clauses set them apart from the starting policy, or from a preset, which counts as one;
    then from the former, then from a preset."""
    apart = np.array([grid.differing(policy)[tuple(cells.T)] for policy in (grid.base, *presets().values())])
    from_preset = apart[1:].min(axis=0)
    order = np.lexsort((from_preset, apart[0], np.minimum(apart[0], from_preset + 1)))[:COMPARED]
    return [tuple(cell) for cell in cells[order].tolist()]


def _reading(grid: Grid, cells: Sequence[Cell]) -> Reading:
    """One reading of policies that are alike: of these the one that differs least from the starting policy."""
    apart = grid.differing(grid.base)
    cell = min(cells, key=lambda each: int(apart[each]))
    settings = grid.settings(cell)
    others = {name: settings[name] for name in BESIDE if name in settings}
    former = {old: others[name] for old, name in FORMER.items() if name in others}
    return Reading(
        policy=grid.policy(cell),
        others={**others, **former},
        alike=len(cells),
        agreeing=int(grid.agreeing[cell]),
        means={target.name: grid.mean(cell, target) for target in grid.targets},
        sentence=_sentence(grid, cell) + (_as_preset(grid, cells) if apart[cell] else "") + _idle(grid, cell),
    )


def _sentence(grid: Grid, cell: Cell) -> str:
    """What a policy has that the starting one has not."""
    n, start, base = int(grid.agreeing[cell]), grid.start, "samescore" if grid.base == Policy() else as_code(grid.base)
    changed = {name: value for name, value in grid.settings(cell).items() if value != start[name]}
    apart = [f"{TRIED[name].sentence(value)} ({base}: {TRIED[name].word(start[name])})" for name, value in changed.items()]
    which = f"all {count_values(n)} are those" if n > 1 else "the value is that"
    if n < grid.reported:
        which = f"{n} of {count_values(grid.reported)} {'is that' if n == 1 else 'are those'}" if n else "nearest are the values"
    return f"{which} of {listed(apart) or f'{base} itself'}"


def _as_preset(grid: Grid, cells: Sequence[Cell]) -> str:
    """The preset that is among some policies, if any is."""
    for code, policy in presets().items():
        apart = grid.differing(policy)
        if any(apart[cell] == 0 for cell in cells):
            return f", as with {code}"
    return ""


def _prints_alike(grid: Grid, cell: Cell, other: Cell) -> bool:
    """Whether two policies give the means that were reported alike, to the decimals reported, or the same values of all queries."""
    if any(target.reported.keys() - {None} for target in grid.targets):
        return grid.fingerprint(cell) == grid.fingerprint(other)
    means = [(target.reported[None], grid.mean(cell, target), grid.mean(other, target)) for target in grid.targets]
    return all(printed.shown(here) == printed.shown(there) for printed, here, there in means)


def _idle(grid: Grid, cell: Cell) -> str:
    """The clauses that are as in the starting policy and could be otherwise, by what was reported."""
    settings = grid.settings(cell)
    unchanged = [axis for axis in grid.axes if axis.touched and settings[axis.name] == grid.start[axis.name]]
    idle = [axis for axis in unchanged if (grid.agreeing[grid.line(cell, axis)] == grid.agreeing[cell]).all()]
    if grid.agreeing[cell] < grid.reported:  # else what agrees is printed alike
        idle = [axis for axis in idle if all(_prints_alike(grid, cell, other) for other in grid.cells(cell, axis))]
    nouns = [TRIED[axis.name].touches.format(plural(axis.touched)) for axis in idle]
    alone = len(nouns) == 1 and nouns[0].startswith(("1 ", "the ", "what "))
    return f"; {listed(nouns)} {'does' if alone else 'do'} not matter" if nouns else ""
