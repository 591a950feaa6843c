"""Coverage and width of 95 % intervals of means in [0, 1], simulated: the table of docs/intervals.md.

python tests/simulate_intervals.py prints it (3 minutes on two cores).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from samescore.intervals import mean_interval

Floats = NDArray[np.float64]

ALPHA = 0.05
SETS = 2000
SIZES = (5, 10, 30, 100, 500)


@dataclass(frozen=True)
class World:
    """Where values come from: a name, the true mean, and how values of some shape are drawn."""

    name: str
    mean: float
    draw: Callable[[np.random.Generator, tuple[int, int]], Floats]


def discrete(name: str, times: Mapping[float, float]) -> World:
    """A world of the values that are listed, each so many times."""
    values, weights = np.array(list(times)), np.array(list(times.values()), dtype=float)
    share = weights / weights.sum()
    return World(name, float(values @ share), lambda rng, shape: rng.choice(values, shape, p=share))


FIRST_RELEVANT = {1: 52, 2: 16, 3: 5, 4: 9, 5: 2, 6: 2, 7: 1, 8: 5, 10: 1}
"""Rank of the first relevant document -> topics, of run NLPR03vb10 of TREC 2003's Robust track; 7 of its 100 topics have none."""

WORLDS = (
    discrete("hits, p = .9", {1.0: 9, 0.0: 1}),
    discrete("hits, p = .5", {1.0: 1, 0.0: 1}),
    World("Beta(2, 5)", 2 / 7, lambda rng, shape: rng.beta(2, 5, shape)),
    discrete("reciprocal ranks", {0.0: 7.0, **{1 / rank: float(topics) for rank, topics in FIRST_RELEVANT.items()}}),
    discrete("recall, many ones", {1.0: 80, 0.5: 10, 0.25: 2, 0.75: 3, 0.0: 5}),
)

Intervals = tuple[Floats, Floats]
"""The lower and the upper ends, each of shape (sets,)."""


def chosen(x: Floats, true_mean: float) -> Intervals:
    """samescore's: Clopper and Pearson's, or Gaffke's bound."""
    ends = np.array([tuple(mean_interval(row, bounded=True)) for row in x])
    return ends[:, 0], ends[:, 1]


def hoeffding(x: Floats, true_mean: float) -> Intervals:
    """Hoeffding's, clipped to [0, 1]."""
    half = np.sqrt(np.log(2 / ALPHA) / (2 * x.shape[1]))
    return np.clip(x.mean(axis=1) - half, 0, 1), np.clip(x.mean(axis=1) + half, 0, 1)


def student(x: Floats, true_mean: float) -> Intervals:
    """Student's t."""
    n = x.shape[1]
    half = stats.t.ppf(1 - ALPHA / 2, n - 1) * x.std(axis=1, ddof=1) / np.sqrt(n)
    return x.mean(axis=1) - half, x.mean(axis=1) + half


def betting(x: Floats, true_mean: float, grid: int = 200) -> Intervals:
    """The hedged capital of Waudby-Smith and Ramdas (2024) with their bets for a fixed number of values, in the order drawn.

    The ends are found to a hundredth or so; whether the true mean is inside is told exactly.
    """
    sets, n = x.shape
    m = np.append((np.arange(grid) + 0.5) / grid, true_mean)
    up, down, rejected = (np.zeros((sets, grid + 1)) for _ in range(3))
    total, square = np.full(sets, 0.5), np.full(sets, 0.25)
    for t in range(n):
        bet = np.sqrt(2 * np.log(2 / ALPHA) / (n * square / (t + 1)))[:, None]
        away = x[:, t, None] - m
        up += np.log1p(np.minimum(bet, 0.5 / m) * away)
        down += np.log1p(-np.minimum(bet, 0.5 / (1 - m)) * away)
        rejected = np.maximum(rejected, np.maximum(up, down) - np.log(2))
        total += x[:, t]
        square += (x[:, t] - total / (t + 2)) ** 2
    inside = rejected < np.log(1 / ALPHA)
    width = inside[:, :grid].sum(axis=1) / grid
    low = np.where(inside[:, grid], true_mean, true_mean + 1.0)
    return low, low + width


METHODS: Mapping[str, Callable[[Floats, float], Intervals]] = {
    "chosen": chosen,
    "betting": betting,
    "Hoeffding": hoeffding,
    "Student's t": student,
}


@dataclass(frozen=True)
class Cell:
    """How often the intervals of one method held the true mean in a world, and how wide they were on average."""

    world: str
    n: int
    method: str
    coverage: float
    width: float


def cells(methods: Mapping[str, Any] = METHODS, sets: int = SETS) -> Iterator[Cell]:
    """Each world, size and method, all methods on the same draws."""
    for number, world in enumerate(WORLDS):
        for n in SIZES:
            x = world.draw(np.random.default_rng((number, n)), (sets, n))
            for name, method in methods.items():
                low, high = method(x, world.mean)
                inside = (low <= world.mean + 1e-9) & (world.mean - 1e-9 <= high)
                yield Cell(world.name, n, name, float(inside.mean()), float((high - low).mean()))


def table(every: list[Cell]) -> str:
    """The cells in Markdown: coverage in per cent and mean width."""
    lines = [f"| world | queries | {' | '.join(METHODS)} |", f"| --- | ---: | {' | '.join('---:' for _ in METHODS)} |"]
    for world, n in dict.fromkeys((cell.world, cell.n) for cell in every):
        row = [f"{100 * c.coverage:.1f} %, {c.width:.3f}" for c in every if (c.world, c.n) == (world, n)]
        lines.append(f"| {world} | {n} | {' | '.join(row)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(table(list(cells())) + "\n")
