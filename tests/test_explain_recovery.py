"""explain returns the policy that made some numbers, or one that gives every query the same, first or among the first three.

``python tests/test_explain_recovery.py 200`` says in how many of so many random runs and policies it does.
"""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest

from samescore import Policy, evaluate, explain, read_qrels, read_run
from samescore.policy import CLAUSES

MEASURES = (
    "nDCG@5", "nDCG@10", "nDCG", "AP", "AP@10", "RR", "RR@10", "P@5", "P@10", "R@10", "R@100", "Rprec", "Success@5",
)  # fmt: skip
NUMBERS = {"relevance_level": (1, 1, 2, 3), "depth": (None, None, 10, 20, 50, 100)}
VALUES = {name: NUMBERS[name] if clause.number else clause.accepting for name, clause in CLAUSES.items()}
"""What a random policy has for each clause."""


def made(rng: random.Random):
    """A run and qrels with ties, duplicates, self hits, near scores, conflicts, and missing, empty and unjudged queries."""
    run, qrels = {}, {}
    for i in range(rng.choice([10, 20, 30])):
        query = f"q{i}"
        docs = [f"d{rng.randrange(80)}" for _ in range(rng.choice([10, 40]))]
        docs = docs if rng.random() < 0.2 else list(dict.fromkeys(docs))
        if rng.random() < 0.2:
            docs[rng.randrange(len(docs))] = query
        digits = 1 if rng.random() < 0.3 else 9
        rows = [(doc, round(rng.gauss(5, 2), digits)) for doc in docs]
        if rng.random() < 0.2:
            rows.append((f"e{i}", rng.choice(rows)[1] * (1 + 1e-9)))
        grades = [0] if rng.random() < 0.1 else [0, 0, 0, 1, 1, 2, 3, -1]
        near = sorted({*docs, *(f"d{rng.randrange(80)}" for _ in range(5)), f"e{i}"})
        judged = [(doc, rng.choice(grades)) for doc in near if rng.random() < 0.3]
        if judged and rng.random() < 0.05:
            judged.append((judged[0][0], rng.choice(grades)))
        if rng.random() < 0.92:
            run[query] = rows
        if rng.random() < 0.95:
            qrels[query] = judged
    return read_run(run), read_qrels(qrels)


def place(seed: int) -> int | None:
    """Which reading is the policy that made three numbers, or gives every query the same; None where none is."""
    rng = random.Random(seed)
    run, qrels = made(rng)
    truth = Policy(**{name: rng.choice(values) for name, values in VALUES.items()})
    measures = rng.sample(MEASURES, 3)
    right = evaluate(run, qrels, measures=measures, policy=truth, backend="reference")
    found = explain(run, qrels, reported={name: f"{value:.4f}" for name, value in right.means.items()})
    for i, reading in enumerate(found.readings, 1):
        if any(value in ("min(k, R)", "zero") for value in reading.others.values()):
            continue
        own = reading.policy.but(conflicts="max") if reading.policy.conflicts == "error" else reading.policy
        values = evaluate(run, qrels, measures=measures, policy=own, backend="reference").per_query
        if values.index.equals(right.per_query.index) and np.allclose(values, right.per_query, atol=1e-12, equal_nan=True):
            return i
    return None


@pytest.mark.slow
def test_the_policy_is_among_the_first_three_readings_in_95_of_100():
    places = [place(seed) for seed in range(24)]
    assert sum(at is not None and at <= 3 for at in places) >= 0.95 * len(places)


if __name__ == "__main__":
    n = int(sys.argv[1])
    found = [place(seed) for seed in range(n)]
    first, three = (sum(at is not None and at <= most for at in found) for most in (1, 3))
    sys.stdout.write(f"of {n} policies {first} are the first reading, {three} among the first three, {found.count(None)} none\n")
