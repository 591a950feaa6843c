"""Finding: from the grid of all policies to those that agree, the simplest first, one for all that are alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .axes import lenient
from .readings import Reading, Search
from .search import Cell, Grid
from .words import difference, joined, noun, presets, values

LOOKED_AT = 20_000
"""Of more policies that agree, only the simplest are looked at query by query."""

BESIDE: Mapping[str, str] = {"recall": "R", "average_precision": "R", "strangers": "left out"}
"""What is no clause of a policy, as all policies of samescore have it."""


def found(grid: Grid, names: Sequence[str], whose: str, left_out: Sequence[str]) -> Search:
    """What a search found; ``names`` are those of its targets, ``whose`` is a word for the policy that it started from.

    ``left_out`` are the names that were reported and not searched for.
    """
    right = grid.agreeing == grid.reported
    means = {name: target.mean for name, target in zip(names, grid.targets, strict=True) if target.mean is not None}
    if right.any():
        alike: dict[bytes, list[Cell]] = {}
        for cell in _nearest_first(grid, np.argwhere(right)):
            alike.setdefault(grid.look(cell), []).append(cell)
        readings = tuple(_reading(grid, cells, names, whose) for cells in alike.values())
        return Search(means, grid.reported, right.size, int(right.sum()), readings, None, 0.0, tuple(left_out))
    most = int(grid.agreeing.max())
    near = np.argwhere(grid.agreeing >= (most if 2 * most > grid.reported else 0))
    off = grid.furthest[tuple(near.T)]
    nearest = _nearest_first(grid, near[off <= off.min() + 1e-12])
    return Search(means, grid.reported, right.size, 0, (), _reading(grid, nearest, names, whose), float(off.min()), tuple(left_out))


def _nearest_first(grid: Grid, cells: NDArray[np.intp]) -> list[Cell]:
    """Cells by how few clauses set them apart from the starting policy or a preset, then from the starting policy."""
    anchors = [grid.base, *presets().values()]
    costs = np.array([grid.cost(lenient(policy), BESIDE)[tuple(cells.T)] for policy in anchors])
    order = np.lexsort((costs[0], costs.min(axis=0)))[:LOOKED_AT]
    return [tuple(cell) for cell in cells[order].tolist()]


def _reading(grid: Grid, cells: Sequence[Cell], names: Sequence[str], whose: str) -> Reading:
    """One reading of policies that are alike: of these the one that differs least from the starting policy."""
    apart = grid.cost(lenient(grid.base), BESIDE)
    cell = min(cells, key=lambda one: int(apart[one]))
    own = grid.settings(cell)
    return Reading(
        policy=grid.policy(cell),
        others={name: own[name] for name in BESIDE if name in own},
        alike=len(cells),
        agreeing=int(grid.agreeing[cell]),
        means={name: grid.mean(cell, target) for name, target in zip(names, grid.targets, strict=True)},
        sentence=_sentence(grid, cell, whose) + (_as_preset(grid, cells) if apart[cell] else "") + _idle(grid, cell),
    )


def _sentence(grid: Grid, cell: Cell, whose: str) -> str:
    """What a policy has that the starting one has not."""
    own, base = grid.settings(cell), _start(grid)
    apart = [difference(name, value, base[name], whose) for name, value in own.items() if value != base[name]]
    n = int(grid.agreeing[cell])
    which = f"all {values(n)} are those" if n > 1 else "the value is that"
    if n < grid.reported:
        which = f"{n} of {values(grid.reported)} {'is that' if n == 1 else 'are those'}" if n else "nearest are the values"
    return f"{which} of {joined(apart) or f'{whose} itself'}"


def _as_preset(grid: Grid, cells: Sequence[Cell]) -> str:
    """The preset that is among some policies, if any is."""
    for code, policy in presets().items():
        apart = grid.cost(lenient(policy), BESIDE)
        if any(apart[cell] == 0 for cell in cells):
            return f", as with {code}"
    return ""


def _idle(grid: Grid, cell: Cell) -> str:
    """The clauses that are as in the starting policy and could be otherwise, by what was reported."""
    own, base = grid.settings(cell), _start(grid)
    idle = [
        axis
        for axis in grid.axes
        if axis.touched
        and own[axis.name] == base[axis.name]
        and all(grid.agreeing[other] == grid.agreeing[cell] for other in grid.neighbours(cell, axis))
    ]
    nouns = [noun(axis) for axis in idle]
    alone = len(nouns) == 1 and nouns[0].startswith(("1 ", "the ", "what "))
    return f"; {joined(nouns)} {'does' if alone else 'do'} not matter" if nouns else ""


def _start(grid: Grid) -> Mapping[str, Any]:
    """The values of the starting policy along the axes."""
    return {axis.name: axis.values[0] for axis in grid.axes}
