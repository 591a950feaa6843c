"""explain names the cause of numbers that tools print, first or among the first three: each made here by the tool's own formula.

The formulas are those of the sources named, written anew for lists of grades; nothing of samescore computes them.
``python tests/test_explain_tools.py`` prints the place of the true cause of each number.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from samescore import Policy, explain
from samescore.tools.explain.grid import BESIDE

Lists = Mapping[str, Sequence[float | None]]
"""Query -> the grade of each document that was retrieved, in order; None where it is not judged."""

Judged = Mapping[str, Mapping[str, int]]


def made(seed: int):
    """A run and qrels with missing, empty and unjudged queries, unjudged documents, and fewer documents than k in places."""
    rng = random.Random(seed)
    run, qrels = {}, {}
    for i in range(30):
        docs = [f"d{j}" for j in range(40)]
        rng.shuffle(docs)
        grades = {doc: rng.choice([0, 0, 0, 1, 1, 2, 3]) for doc in docs[: rng.randint(8, 20)]}
        if i < 3:
            grades = dict.fromkeys(grades, 0)
        ranked = sorted(docs, key=lambda doc: rng.random() - 0.15 * grades.get(doc, 0))[: rng.choice([4, 15, 25, 25])]
        if i != 28:
            qrels[f"q{i}"] = grades
        if i != 29:
            run[f"q{i}"] = {doc: 100.0 - rank for rank, doc in enumerate(ranked)}
    return run, qrels


def lists(run, qrels) -> Lists:
    """The grades in order, an empty list for a query that the run lacks."""
    return {query: [grades.get(doc) for doc in run.get(query, ())] for query, grades in qrels.items()}


def relevant(judged: Mapping[str, int]) -> int:
    return sum(grade > 0 for grade in judged.values())


def is_hit(grade: float | None) -> bool:
    return grade is not None and grade > 0


def hits(grades: Sequence[float | None], k: int) -> int:
    return sum(map(is_hit, grades[:k]))


def precisions(grades: Sequence[float | None], k: int) -> float:
    """The sum of the precision at each hit of the first k."""
    return sum(hits(grades, rank) / rank for rank, grade in enumerate(grades[:k], 1) if is_hit(grade))


def dcg(gains: Sequence[float], discount: Callable[[int], float] = lambda rank: math.log2(rank + 1)) -> float:
    return sum(gain / discount(rank) for rank, gain in enumerate(gains, 1))


def late(rank: int) -> float:
    """NTCIREVAL's discount, with base 2."""
    return math.log2(max(rank, 2))


def exponential(grade: float | None) -> float:
    return 2.0 ** max(grade or 0, 0) - 1


def linear(grade: float | None) -> float:
    return float(max(grade or 0, 0))


def binary(grade: float | None) -> float:
    return float(is_hit(grade))


def ndcg(
    grades: Sequence[float | None], judged: Mapping[str, int], k: int, *, gain=exponential, ideal="judged", discount=None
) -> float:
    source = [grade for grade in grades if grade is not None] if ideal == "retrieved" else list(judged.values())
    best = sorted(map(gain, source), reverse=True)
    best = best if ideal == "uncut" else best[:k]
    by = {} if discount is None else {"discount": discount}
    top = dcg(best, **by)
    return dcg([gain(grade) for grade in grades[:k]], **by) / top if top else 0.0


Value = Callable[[Sequence[float | None], Mapping[str, int]], float]


def mean(value: Value, over: str = "answerable") -> Callable[[Any, Any], float]:
    """The mean of a value over queries: those with something relevant, all judged ones, those of the run, or those with a hit."""

    def number(run, qrels) -> float:
        each = {query: value(grades, qrels[query]) for query, grades in lists(run, qrels).items()}
        some = {q: v for q, v in each.items() if relevant(qrels[q])}
        if over == "judged, 0":
            return sum(some.values()) / len(each)
        if over == "judged, 1":
            return (sum(some.values()) + len(each) - len(some)) / len(each)
        if over == "run":
            some = {q: v for q, v in some.items() if q in run}
        if over == "run with unjudged":
            return sum(some.values()) / (len(some) + 1)
        if over == "hits":
            some = {q: v for q, v in some.items() if v > 0}
        return sum(some.values()) / len(some)

    return number


@dataclass(frozen=True)
class Printed:
    """What a tool prints: its name for people, the measure that it is taken for, how it is computed, and what explains it."""

    tool: str
    taken_for: str
    number: Callable[[Any, Any], float]
    cause: Mapping[str, Any]


def dropped(value: Value) -> Value:
    """The value of a ranking without its unjudged documents."""
    return lambda grades, judged: value([grade for grade in grades if grade is not None], judged)


def first(k: int, value: Value) -> Value:
    """The value of the first k documents alone."""
    return lambda grades, judged: value(grades[:k], judged)


def at_level(level: int, value: Value) -> Value:
    """The value where lower grades are not relevant."""
    return lambda grades, judged: value(
        [None if grade is None else float(grade >= level) for grade in grades], {d: int(g >= level) for d, g in judged.items()}
    )


def recall(k: int) -> Value:
    return lambda grades, judged: hits(grades, k) / max(relevant(judged), 1)


def reciprocal(grades: Sequence[float | None], judged: Mapping[str, int]) -> float:
    return next((1 / rank for rank, grade in enumerate(grades, 1) if is_hit(grade)), 0.0)


PRINTED = [
    Printed("Haystack DocumentRecall, single hit", "R@10", mean(lambda g, j: float(hits(g, 10) > 0)), {"recall": "hit rate"}),
    Printed("LlamaIndex hit_rate, called recall", "R@3", mean(lambda g, j: float(hits(g, 3) > 0)), {"recall": "hit rate"}),
    Printed("accuracy@5, called recall", "R@5", mean(lambda g, j: float(hits(g, 5) > 0)), {"recall": "hit rate"}),
    Printed("BEIR R_cap", "R@10", mean(lambda g, j: hits(g, 10) / max(min(10, relevant(j)), 1)), {"recall": "min(k, R)"}),
    Printed("sentence-transformers ndcg@10", "nDCG@10", mean(lambda g, j: ndcg(g, j, 10, gain=binary)), {"binary_gain": "yes"}),
    Printed("MLflow ndcg_at_3", "nDCG@3", mean(lambda g, j: ndcg(g, j, 3, gain=binary)), {"binary_gain": "yes"}),
    Printed("RecBole ndcg@5", "nDCG@5", mean(lambda g, j: ndcg(g, j, 5, gain=binary)), {"binary_gain": "yes"}),
    Printed("trec_eval ndcg_cut_10", "nDCG@10", mean(lambda g, j: ndcg(g, j, 10, gain=linear)), {"gain": "linear"}),
    Printed("MTEB ndcg_at_5", "nDCG@5", mean(lambda g, j: ndcg(g, j, 5, gain=linear)), {"gain": "linear"}),
    Printed(
        "scikit-learn ndcg_score, of what was retrieved", "nDCG@10",
        mean(lambda g, j: ndcg(g, j, 10, gain=linear, ideal="retrieved")), {"gain": "linear", "ideal": "retrieved"},
    ),
    Printed(
        "Elasticsearch dcg, normalised", "nDCG@10", mean(lambda g, j: ndcg(g, j, 10, ideal="retrieved")), {"ideal": "retrieved"}
    ),
    Printed(
        "OpenSearch dcg, normalised", "nDCG@5", mean(lambda g, j: ndcg(g, j, 5, ideal="retrieved")), {"ideal": "retrieved"}
    ),
    Printed("an ideal that is not cut", "nDCG@10", mean(lambda g, j: ndcg(g, j, 10, ideal="uncut")), {"ideal": "uncut"}),
    Printed("an ideal that is not cut, k = 5", "nDCG@5", mean(lambda g, j: ndcg(g, j, 5, ideal="uncut")), {"ideal": "uncut"}),
    Printed("NTCIREVAL nDCG with base 2", "nDCG@10", mean(lambda g, j: ndcg(g, j, 10, discount=late)), {"discount": "base2"}),
    Printed(
        "Jarvelin and Kekalainen 2002, linear", "nDCG@10", mean(lambda g, j: ndcg(g, j, 10, gain=linear, discount=late)),
        {"discount": "base2", "gain": "linear"},
    ),
    Printed("Burges' nDCG over all judged queries", "nDCG@10", mean(lambda g, j: ndcg(g, j, 10), "judged, 0"), {"empty": "zero"}),
    Printed("XGBoost ndcg@10", "nDCG@10", mean(lambda g, j: ndcg(g, j, 10), "judged, 1"), {"empty": "one"}),
    Printed("LightGBM ndcg@5", "nDCG@5", mean(lambda g, j: ndcg(g, j, 5), "judged, 1"), {"empty": "one"}),
    Printed("trec_eval without -c", "RR", mean(reciprocal, "run"), {"missing": "skip"}),
    Printed("ranx, queries in common", "nDCG@10", mean(lambda g, j: ndcg(g, j, 10), "run"), {"missing": "skip"}),
    Printed("the run's queries without trec_eval's -c", "R@10", mean(recall(10), "run"), {"missing": "skip"}),
    Printed("MRR over the queries with a hit", "RR", mean(reciprocal, "hits"), {"averaged": "hits"}),
    Printed("recall over the queries with a hit", "R@10", mean(recall(10), "hits"), {"averaged": "hits"}),
    Printed("Haystack MRR over all", "RR", mean(reciprocal, "judged, 0"), {"empty": "zero"}),
    Printed(
        "sentence-transformers map@10", "AP@10", mean(lambda g, j: precisions(g, 10) / max(min(10, relevant(j)), 1)),
        {"average_precision": "min(k, R)"},
    ),
    Printed("AP divided by k", "AP@10", mean(lambda g, j: precisions(g, 10) / 10), {"average_precision": "k"}),
    Printed(
        "Ragas context_precision", "AP@10", mean(lambda g, j: precisions(g, 10) / max(hits(g, 10), 1)),
        {"average_precision": "hits"},
    ),
    Printed(
        "Haystack MAP before 3.1", "AP", mean(lambda g, j: precisions(g, 99) / max(hits(g, 99), 1)), {"average_precision": "hits"}
    ),
    Printed("LightGBM map@5", "AP@5", mean(lambda g, j: precisions(g, 5) / max(hits(g, 5), 1)), {"average_precision": "hits"}),
    Printed(
        "MLflow precision_at_10", "P@10", mean(lambda g, j: hits(g, 10) / max(min(10, len(g)), 1)), {"precision": "returned"}
    ),
    Printed(
        "LlamaIndex precision of ten", "P@5", mean(lambda g, j: hits(g, 5) / max(min(5, len(g)), 1)), {"precision": "returned"}
    ),
    Printed(
        "Elasticsearch precision, ignore_unlabeled", "P@5", mean(dropped(lambda g, j: hits(g, 5) / 5)), {"unjudged": "drop"}
    ),
    Printed("nDCG of judged documents alone", "nDCG@10", mean(dropped(lambda g, j: ndcg(g, j, 10))), {"unjudged": "drop"}),
    Printed("MRR of the first three", "RR", mean(first(3, reciprocal)), {"depth": 3}),
    Printed("MAP of the first ten", "AP", mean(first(10, lambda g, j: precisions(g, 99) / max(relevant(j), 1))), {"depth": 10}),
    Printed("TREC-DL recall, level 2", "R@10", mean(at_level(2, recall(10))), {"relevance_level": 2}),
    Printed(
        "MAP of level 2", "AP", mean(at_level(2, lambda g, j: precisions(g, 99) / max(relevant(j), 1))), {"relevance_level": 2}
    ),
    Printed("the run's unjudged query as 0", "RR", mean(reciprocal, "run with unjudged"), {"unjudged_run_queries": "zero"}),
    Printed("samescore's nDCG@10", "nDCG@10", mean(lambda g, j: ndcg(g, j, 10)), {}),
    Printed("samescore's AP", "AP", mean(lambda g, j: precisions(g, 99) / max(relevant(j), 1)), {}),
    Printed("trec_eval P_10", "P@10", mean(lambda g, j: hits(g, 10) / 10), {}),
]  # fmt: skip


def place(printed: Printed, seed: int, digits: int = 5) -> int | None:
    """Which reading names the true cause and nothing else; None where none does."""
    run, qrels = made(seed)
    found = explain(run, qrels, reported={printed.taken_for: f"{printed.number(run, qrels):.{digits}f}"})
    usual = {**BESIDE, **{name: getattr(Policy(), name) for name in printed.cause if name not in BESIDE}}
    for i, reading in enumerate(found.readings, 1):
        settings = {**reading.others, **{name: getattr(reading.policy, name) for name in printed.cause if name not in BESIDE}}
        changed = {name: value for name, value in settings.items() if name in usual and value != usual[name]}
        if changed == dict(printed.cause):
            return i
    return None


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
def test_the_cause_is_among_the_first_three_in_38_of_40(seed):
    assert len(PRINTED) >= 40
    places = {printed.tool: place(printed, seed) for printed in PRINTED}
    missed = {tool: at for tool, at in places.items() if at is None or at > 3}
    assert len(missed) <= 2, missed
    assert sum(at == 1 for at in places.values()) >= 30


if __name__ == "__main__":
    for printed in PRINTED:
        sys.stdout.write(f"{printed.tool}: {[place(printed, seed) for seed in (2, 3)]}\n")
