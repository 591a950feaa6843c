"""What the gate answers for golden sets of 30 queries, simulated: the table of docs/gate.md.

python tests/simulate_gate.py prints it (2 minutes).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samescore.measures import parse
from samescore.policy import Policy
from samescore.slices import Slices
from samescore.tools.comparison import Paired
from samescore.tools.gate import Gating

Floats = NDArray[np.float64]

SETS, QUERIES = 10_000, 30

Draw = Callable[[np.random.Generator, float, tuple[int, int]], Floats]
"""Differences by query of a true mean fall (0: none), of some shape."""


def by_steps(step: float) -> Draw:
    """Queries that fall by a step, so many that the mean falls; without a true fall a tenth move, as many up as down."""

    def draw(rng: np.random.Generator, fall: float, shape: tuple[int, int]) -> Floats:
        if fall:
            return -step * (rng.random(shape) < fall / step)
        return step * rng.choice([-1.0, 0.0, 1.0], shape, p=[0.05, 0.9, 0.05])

    return draw


WORLDS: Mapping[str, Draw] = {
    "all or nothing": by_steps(1.0),
    "halves": by_steps(0.5),
    "normal, sd 0.2": lambda rng, fall, shape: rng.normal(-fall, 0.2, shape),
}


@dataclass(frozen=True)
class Row:
    """The shares of the answers in a world, for a limit and a true fall."""

    world: str
    max_drop: float
    fall: float
    shares: Mapping[str, float]


def answers(differences: Floats, max_drop: float) -> Counter[str]:
    """How often each answer is given, for differences of shape (sets, queries)."""
    gating, measure, queries = Gating(Slices(), "t", 0.05), Policy().resolve(parse("RR")), [f"q{i}" for i in range(QUERIES)]
    pairs = (Paired("RR", measure, queries, np.array([np.zeros(QUERIES), row]), None, {}) for row in differences)
    return Counter(gating.changes(pair, max_drop, 0)[0].answer for pair in pairs)


def rows(sets: int = SETS) -> Iterator[Row]:
    """Each world and limit, for a true fall of twice the limit and for none."""
    for number, (world, draw) in enumerate(WORLDS.items()):
        for max_drop in (0.05, 0.1):
            for fall in (2 * max_drop, 0.0):
                rng = np.random.default_rng((number, round(100 * max_drop), round(100 * fall)))
                counts = answers(draw(rng, fall, (sets, QUERIES)), max_drop)
                yield Row(world, max_drop, fall, {name: counts[name] / sets for name in ("passed", "undecided", "failed")})


def table(every: list[Row]) -> str:
    """The rows in Markdown."""
    lines = ["| differences | max_drop | true fall | passed | undecided | failed |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for row in every:
        shares = " | ".join(f"{100 * share:.1f} %" for share in row.shares.values())
        lines.append(f"| {row.world} | {row.max_drop:g} | {row.fall:g} | {shares} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(table(list(rows())) + "\n")
