"""Runs and qrels from a seed, written once to a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

PASSAGES = 8_841_823
"""As many as MS MARCO has."""
FOUND = 0.86
"""The share of the judged documents that is retrieved, which is BM25's recall there."""


def write(folder: Path, name: str, queries: int, depth: int, *, judged: int, runs: int = 1) -> None:
    """``name.qrels`` and ``name.0.run`` ...; a query has so many judged documents, most of them retrieved, near the top rather
    than not. One judged document is relevant, as in MS MARCO; several are graded 0 to 3, as in TREC.
    """
    random = np.random.default_rng(7)
    qrels: dict[int, dict[int, int]] = {}
    for number in range(runs):
        with (folder / f"{name}.{number}.run").open("w") as file:
            for query in range(1_000_000, 1_000_000 + 3 * queries, 3):
                docs = random.integers(PASSAGES // depth, size=depth) * depth + np.arange(depth)  # all different
                scores = np.sort(random.gamma(2, 5, depth))[::-1]
                rows = enumerate(zip(docs.tolist(), scores.tolist(), strict=True), 1)
                file.write("".join(f"{query} Q0 {doc} {rank} {score:.6f} bench\n" for rank, (doc, score) in rows))
                if number == 0:
                    places = (depth * random.random(judged) ** 3).astype(int)
                    found = np.where(random.random(judged) < FOUND, docs[places], PASSAGES + random.integers(PASSAGES, size=judged))
                    grades = random.integers(4, size=judged) if judged > 1 else [1]
                    qrels[query] = dict(zip(found.tolist(), map(int, grades), strict=True))
    rows = (f"{query} 0 {doc} {grade}\n" for query, docs in qrels.items() for doc, grade in docs.items())
    (folder / f"{name}.qrels").write_text("".join(rows))
