"""Rank space against a slow computation, written from the words of the policy and sharing no code with the package."""

from __future__ import annotations

import ctypes
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from strategies import policies, runs, tries

from samescore import Policy, read_qrels, read_run
from samescore.errors import PolicyError
from samescore.policy import CLAUSES
from samescore.ranking import Ranked, rank

Row = tuple[str, float | None]
"""A document and its score, None where a list gave the order."""


def rows_of(ranking: Any) -> list[Row]:
    """A ranking as rows in the order given."""
    if isinstance(ranking, dict):
        return list(ranking.items())
    return [row if isinstance(row, tuple) else (row, None) for row in ranking]


def as_compared(score: float, policy: Policy) -> float:
    """The score as the policy compares it; C rounds it to 32 bits, and what is too large becomes infinite."""
    return ctypes.c_float(score).value if policy.float32_scores else float(score)


def in_order(rows: list[Row], policy: Policy) -> list[Row]:
    """The rows by score, ties as the policy says; a list as it is."""
    if not rows or rows[0][1] is None:
        return rows
    scored = [(doc, as_compared(score, policy), place) for place, (doc, score) in enumerate(rows) if score is not None]

    def before(a: tuple[str, float, int], b: tuple[str, float, int]) -> int:
        if a[1] != b[1]:
            return -1 if a[1] > b[1] else 1
        if policy.ties in ("doc_id", "doc_id_ascending") and a[0] != b[0]:
            return -1 if (a[0] > b[0]) == (policy.ties == "doc_id") else 1
        return a[2] - b[2]

    return [(doc, score) for doc, score, _ in sorted(scored, key=cmp_to_key(before))]


def without_self_hits(rows: list[Row], query: str, policy: Policy) -> list[Row]:
    """The rows but for the query's own id, where the policy drops it."""
    return [row for row in rows if row[0] != query] if policy.self_hits == "drop" else rows


def last_rows(rows: list[Row], policy: Policy) -> list[Row]:
    """The last row of each document, where that is the one that counts; with scores, in the place of the first."""
    if policy.duplicates != "last":
        return rows
    if rows and rows[0][1] is not None:
        return list(dict(rows).items())
    docs = [doc for doc, _ in rows]
    return [row for place, row in enumerate(rows) if row[0] not in docs[place + 1 :]]


def best_rows(rows: list[Row], policy: Policy) -> list[Row]:
    """The first place of each document, unless each place counts."""
    docs = [doc for doc, _ in rows]
    return rows if policy.duplicates in {"each", "hold"} else [row for place, row in enumerate(rows) if row[0] not in docs[:place]]


def ranked_rows(ranking: Any, query: str, policy: Policy) -> list[Row]:
    """The steps up to the cut: sort, drop self hits, drop duplicates; a row that is overwritten is not there to sort."""
    return best_rows(without_self_hits(in_order(last_rows(rows_of(ranking), policy), policy), query, policy), policy)


def cut_and_condense(docs: list[str], judged: dict[str, float], policy: Policy) -> list[str]:
    """The last two steps; a repeat that is held is a document that nobody judged."""
    if policy.duplicates == "hold":
        docs = [doc if doc not in docs[:place] else f"repeat at {place}" for place, doc in enumerate(docs)]
    cut = docs[: policy.depth] if policy.depth is not None else docs
    return [doc for doc in cut if doc in judged] if policy.unjudged == "drop" else cut


def grades_of(judged: Any, policy: Policy) -> dict[str, float]:
    """The judgements that count."""
    grades = dict(judged) if isinstance(judged, dict) else dict.fromkeys(judged, 1)
    return {doc: grade for doc, grade in grades.items() if grade >= 0 or policy.negatives != "unjudged"}


def tie_group(rows: list[Row], place: int) -> tuple[int, int]:
    """The first and last rank of the documents with the score of the one at a place, counted from 0."""
    score = rows[place][1]
    alike = [i for i, row in enumerate(rows, 1) if row[1] == score]
    return (place + 1, place + 1) if score is None else (alike[0], alike[-1])


def refused(run: dict[str, Any], qrels: dict[str, Any], policy: Policy) -> bool:
    """Whether the policy refuses a tie, a duplicate or a negative grade; only judged queries are ranked."""
    if policy.negatives == "error" and any(g < 0 for judged in qrels.values() for g in grades_of(judged, Policy()).values()):
        return True
    for query in run.keys() & qrels.keys():
        ordered = in_order(last_rows(rows_of(run[query]), policy), policy)
        kept = without_self_hits(ordered, query, policy)
        docs = [doc for doc, _ in kept]
        neighbours = pairwise(ordered)
        if policy.ties == "error" and any(a[0] != b[0] and a[1] == b[1] is not None for a, b in neighbours):
            return True
        if policy.duplicates == "error" and len(set(docs)) < len(docs):
            return True
    return False


def outcome(run: dict[str, Any], qrels: dict[str, Any], policy: Policy) -> Ranked | None:
    """Rank space as the package makes it, None where the policy refuses."""
    try:
        return rank(read_run(run), read_qrels(qrels), policy)
    except PolicyError:
        return None


def check(run: dict[str, Any], qrels: dict[str, Any], policy: Policy) -> None:
    """The whole comparison."""
    found = outcome(run, qrels, policy)
    assert (found is None) == refused(run, qrels, policy)
    if found is None:
        return
    assert list(found.trace.queries) == list(qrels)
    assert list(found.trace.answered) == [query in run for query in qrels]
    assert found.notes.unjudged_queries == [query for query in run if query not in qrels]
    for i, query in enumerate(qrels):
        check_query(found, i, run.get(query, []), grades_of(qrels[query], policy), policy)
    plain = outcome(run, qrels, policy.but(depth=None, unjudged="nonrelevant"))
    assert plain is not None
    check_traces(plain, run, qrels, policy)


def check_query(found: Ranked, i: int, ranking: Any, judged: dict[str, float], policy: Policy) -> None:
    """Depth, place and grade of one query."""
    query = found.trace.queries[i]
    docs = cut_and_condense([doc for doc, _ in ranked_rows(ranking, query, policy)], judged, policy)
    space, rows = found.space, slice(found.space.start[i], found.space.start[i + 1])
    places, grades = space.place[rows].tolist(), space.grade[rows].tolist()
    assert space.depth[i] == len(docs)
    assert [(p, g) for p, g in zip(places, grades, strict=True) if p <= len(docs)] == [
        (place, judged[doc]) for place, doc in enumerate(docs, 1) if doc in judged
    ]
    missed = sorted((judged[doc] for doc in judged.keys() - set(docs)), reverse=True)
    assert [(p, g) for p, g in zip(places, grades, strict=True) if p > len(docs)] == list(enumerate(missed, len(docs) + 1))
    if space.repeat is not None:
        hits = [doc for doc in docs if doc in judged]
        assert space.repeat[rows].tolist()[: len(hits)] == [doc in hits[:n] for n, doc in enumerate(hits)]


def check_traces(found: Ranked, run: dict[str, Any], qrels: dict[str, Any], policy: Policy) -> None:
    """The document and tie group of each hit, and what is noted, before the cut to depth."""
    trace, space, notes = found.trace, found.space, found.notes
    tied, dropped, own, unhit = {}, {}, [], []
    for i, query in enumerate(qrels):
        rows, judged = ranked_rows(run.get(query, []), query, policy), grades_of(qrels[query], policy)
        at = slice(space.start[i], space.start[i + 1])
        places = [place for place, (doc, _) in enumerate(rows) if doc in judged]
        docs = [doc for doc, _ in rows]
        hits = [place for place in places if policy.duplicates != "hold" or docs[place] not in docs[:place]]
        missed = judged.keys() - {doc for doc, _ in rows}
        assert list(trace.docs[at])[: len(hits)] == [rows[place][0] for place in hits]
        assert set(trace.docs[at][len(hits) :]) == missed
        if policy.duplicates != "each":
            held = policy.duplicates == "hold" and len(set(docs)) < len(docs)
            groups = [(place + 1, place + 1) if held else tie_group(rows, place) for place in hits]
            assert list(zip(trace.first[at].tolist(), trace.last[at].tolist(), strict=True))[: len(hits)] == groups
        if query not in run:
            continue
        given = rows_of(run[query])
        in_ties = sum(any(a != b and s == t is not None for b, t in rows) for a, s in rows)
        tied.update({query: in_ties} if in_ties else {})
        repeat = len(without_self_hits(given, query, policy)) - len({doc for doc, _ in without_self_hits(given, query, policy)})
        dropped.update({query: repeat} if repeat else {})
        own += [query] if query in {doc for doc, _ in given} else []
        unhit += [query] if judged and rows and not hits else []
    assert (notes.tied, notes.duplicates, list(notes.self_hits), notes.no_hit) == (tied, dropped, own, unhit)


fill_undefined = tries(150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much])


@fill_undefined
@given(both=runs(), policy=policies())
def test_rank_space_is_what_the_policy_says(both: tuple[dict[str, Any], dict[str, Any]], policy: Policy) -> None:
    check(*both, policy)


DOCS = [f"d{n:02}" for n in range(30)]
SHUFFLED = [DOCS[i] for i in np.random.default_rng(7).permutation(len(DOCS))]
JUDGED = {doc: n % 4 for n, doc in enumerate(DOCS[::3])} | {"not retrieved": 3, "nor this": 1}

NASTY = {
    "all tied": dict.fromkeys(SHUFFLED, 0.5),
    "all tied, as pairs": [(doc, 0.5) for doc in SHUFFLED],
    "tied in threes": [(doc, float(n // 3)) for n, doc in enumerate(SHUFFLED)],
    "shuffled": [(doc, float(DOCS.index(doc))) for doc in SHUFFLED],
    "all duplicated": [(doc, float(n)) for n, doc in enumerate(SHUFFLED + SHUFFLED[::-1])],
    "all duplicated, in a list": SHUFFLED + SHUFFLED[::-1],
    "all duplicated and tied": [(doc, 1.0) for doc in SHUFFLED + SHUFFLED[::-1]],
    "one document many times": ["d00"] * 9 + ["d03"] * 9,
    "tied as 32-bit floats": [(doc, 1 + n * 2**-40) for n, doc in enumerate(SHUFFLED)],
    "too large for 32-bit floats": {doc: 1e39 * (n + 1) for n, doc in enumerate(SHUFFLED)},
    "self hits": [("q", 3.0), ("d00", 3.0), ("q", 2.0), ("d03", 2.0), ("d01", 1.0)],
    "nothing but self hits": ["q", "q"],
    "empty": [],
}

NUMBERS = {"depth": (1, 7), "relevance_level": (2,)}
ONE_CLAUSE = [{name: value} for name, clause in CLAUSES.items() for value in (*clause.words, *NUMBERS.get(name, ()))]
SEVERAL_CLAUSES = [
    {"duplicates": "each", "depth": 5}, {"duplicates": "hold", "depth": 5}, {"duplicates": "hold", "unjudged": "drop"},
    {"unjudged": "drop", "depth": 7}, {"self_hits": "drop", "duplicates": "last", "depth": 3},
    {"float32_scores": True, "ties": "input"}, {"duplicates": "each", "unjudged": "drop", "depth": 5},
]  # fmt: skip


@pytest.mark.parametrize("clauses", ONE_CLAUSE + SEVERAL_CLAUSES, ids=str)
@pytest.mark.parametrize("ranking", NASTY.values(), ids=NASTY.keys())
def test_rank_space_of_nasty_rankings_is_what_the_policy_says(ranking: Any, clauses: dict[str, Any]) -> None:
    check({"q": ranking}, {"q": JUDGED}, Policy(**clauses))
