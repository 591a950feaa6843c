"""Runs and qrels from a seed, written once to a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

PASSAGES = 8_841_823
"""As many as MS MARCO has."""


def write(folder: Path, name: str, queries: int, depth: int, *, runs: int = 1) -> None:
    """``name.qrels`` and ``name.0.run`` ...: about ten judged documents a query, most of them retrieved, graded 0 to 3."""
    random = np.random.default_rng(7)
    judged: dict[int, dict[int, int]] = {}
    for number in range(runs):
        with (folder / f"{name}.{number}.run").open("w") as file:
            for query in range(1_000_000, 1_000_000 + 3 * queries, 3):
                docs = random.integers(PASSAGES // depth, size=depth) * depth + np.arange(depth)  # all different
                scores = np.sort(random.gamma(2, 5, depth))[::-1]
                rows = enumerate(zip(docs.tolist(), scores.tolist(), strict=True), 1)
                file.write("".join(f"{query} Q0 {doc} {rank} {score:.6f} bench\n" for rank, (doc, score) in rows))
                if number == 0:
                    places = np.unique((depth * random.random(8) ** 3).astype(int))
                    missed = PASSAGES + random.integers(PASSAGES, size=2)
                    grades = random.integers(4, size=len(places) + 2).tolist()
                    judged[query] = dict(zip([*docs[places].tolist(), *missed.tolist()], grades, strict=True))
    rows = (f"{query} 0 {doc} {grade}\n" for query, docs in judged.items() for doc, grade in docs.items())
    (folder / f"{name}.qrels").write_text("".join(rows))
