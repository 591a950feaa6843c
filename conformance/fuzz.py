"""Random cases on every backend: what disagrees with the reference is shrunk to its smallest input.

python conformance/fuzz.py --cases 100000 --seed 1

A case is a query with its ranking and its judgements; hundreds share a policy and measures drawn from the whole catalogue.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samescore import Agreement
from samescore.measures import CATALOGUE

sys.path.append(str(Path(__file__).resolve().parents[1]))  # a script finds what stands beside it, and not the folder as a package

from conformance.random_cases import Batch, batches  # see above
from conformance.shrinking import shrunk

EVERY = 10000
"""After so many cases a line on stderr says how far it is."""


@dataclass(slots=True)
class Counted:
    """What was compared."""

    cases: int = 0
    values: int = 0
    gaps: int = 0
    largest: float = 0.0
    measures: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    backends: dict[str, str] = field(default_factory=dict)

    def add(self, batch: Batch, agreement: Agreement) -> None:
        """Count a batch."""
        self.cases += len(batch.cases)
        self.values += agreement.compared
        self.gaps += len(agreement.gaps)
        self.largest = max(self.largest, agreement.max_difference)
        self.measures |= set(agreement.measures)
        self.names |= {measure.name for measure in batch.measures}
        self.backends |= agreement.labels

    def __str__(self) -> str:
        return (
            f"{self.cases} cases, {len(self.measures)} measures ({len(self.names)} of the {len(CATALOGUE)} of the catalogue, "
            f"with parameters), {len(self.backends)} backends and the reference\n{self.values} values compared, {self.gaps} gaps, "
            f"largest difference {self.largest:.1e}\nbackends: {', '.join(self.backends.values())}"
        )


def main(argv: Sequence[str] | None = None, *, backends: Any = None) -> int:
    """Compare random cases, print what was compared, and return 1 where something disagrees."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1000, metavar="N", help="how many queries (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="where chance starts (default: 0)")
    args = parser.parse_args(argv)
    counted, begun = Counted(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # random runs often hit nothing, and trectools uses pandas in ways that go
        for batch in batches(args.cases, args.seed):
            agreement = batch.check(backends)
            counted.add(batch, agreement)
            if not agreement.ok:
                break
            if counted.cases % EVERY == 0:
                print(f"{counted.cases} cases, {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
        print(counted)
        print(f"{time.perf_counter() - begun:.0f} s, seed {args.seed}")
        if agreement.ok:
            print("every value agrees with the reference")
            return 0
        small = shrunk(batch, agreement, backends)
        print(f"\n{len(agreement.found)} values disagree in a batch; the first, in its smallest input:\n\n{small}")
        print(small.check(backends))
    return 1


if __name__ == "__main__":
    sys.exit(main())
