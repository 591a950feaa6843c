"""The lookup road and the table road lead to the same rank space, trace and notes."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st
from strategies import policies, tries

from samescore import Policy, SamescoreError
from samescore.ranking import Ranked, rank
from samescore.ranking.judgements import Notes
from samescore.ranking.table import QueryComesBack, rank_by_table
from samescore.readers import Columns, Qrels, Run, to_qrels, to_run
from samescore.readers.data import Table, TableRankings

QUERIES = st.sampled_from(["q1", "q2", "q3", "q10", "unjudged", "é"])
DOCS = st.sampled_from(["q1", "q2", "a", "b", "B", "c", "d10", "d9", "é", "𝒳", "\uffee"])
SCORES = st.sampled_from([0.0, -0.0, 1.0, 2.0, 2.0 + 1e-9, 0.1 + 0.2, 0.3, float("inf"), float("-inf"), -1.0, 1e300])
GRADES = st.sampled_from([0, 1, 2, 3, -1, -2, 0.5])
ROWS = st.lists(st.tuples(QUERIES, DOCS, SCORES), min_size=1, max_size=40)
JUDGED = st.dictionaries(QUERIES, st.dictionaries(DOCS, GRADES, max_size=6), min_size=1, max_size=6)


def table(rows: list[tuple[str, str, float]]) -> Table:
    """Rows as a table."""
    queries, docs, scores = (list(column) for column in zip(*rows, strict=True))
    return Table(pl.Series(queries, dtype=pl.String), pl.Series(docs, dtype=pl.String), np.array(scores) + 0.0)


def by_lookup(rows: list[tuple[str, str, float]]) -> Run:
    """Rows as a run of lists."""
    return to_run(Columns(*(list(column) for column in zip(*rows, strict=True))))


def outcome(run: Run, qrels: Qrels, policy: Policy) -> Any:
    """What ranking gives: all of it as lists, or the words of the refusal."""
    try:
        return flat(rank(run, qrels, policy))
    except SamescoreError as error:
        return type(error), str(error)


def flat(ranked: Ranked) -> dict[str, Any]:
    """Everything that ranking gives, as lists."""
    space, trace, notes = ranked.space, ranked.trace, ranked.notes
    columns = {name: getattr(space, name).tolist() for name in ("depth", "start", "place", "grade")}
    repeat = space.repeat if space.repeat is not None else np.zeros(len(space.place), dtype=bool)
    groups = {"first": list(map(int, trace.first)), "last": list(map(int, trace.last))}
    ids = {"queries": list(trace.queries), "docs": list(trace.docs), "answered": trace.answered.tolist()}
    found = {name: getattr(notes, name) for name in Notes.__slots__}
    orders = {f"{name} in order": list(found[name]) for name in ("tied", "duplicates", "self_hits")}
    return {**columns, "again": repeat.tolist(), "whole": space.grade.dtype.kind, **groups, **ids, **found, **orders}


@given(ROWS, JUDGED, policies())
@tries(400)
def test_both_roads_give_the_same(rows: list[tuple[str, str, float]], judged: dict[str, dict[str, float]], policy: Policy) -> None:
    qrels = Qrels(judged, sum(map(len, judged.values())))
    stored = Run(TableRankings(table(rows)), len(rows))
    assert outcome(by_lookup(rows), qrels, policy) == outcome(stored, qrels, policy)


@given(ROWS, JUDGED, policies().filter(lambda p: p.ties != "error" and p.duplicates != "error"), st.integers(1, 5))
@tries(150)
def test_blocks_of_whole_queries_are_as_good_as_the_whole(
    rows: list[tuple[str, str, float]], judged: dict[str, dict[str, float]], policy: Policy, n: int
) -> None:
    rows = sorted(rows, key=lambda row: row[0])
    begins = [i for i in range(1, len(rows)) if rows[i][0] != rows[i - 1][0]][:n]
    blocks = [table(rows[a:b]) for a, b in zip([0, *begins], [*begins, len(rows)], strict=True)]
    one, many = Notes(), Notes()
    whole = rank_by_table([table(rows)], judged, policy, one)
    parts = rank_by_table(blocks, judged, policy, many)
    assert one == many
    assert [column.tolist() for column in (whole[0].depth, whole[0].place, whole[0].grade)] == [
        column.tolist() for column in (parts[0].depth, parts[0].place, parts[0].grade)
    ]
    assert list(whole[1].docs) == list(parts[1].docs)


def test_a_query_in_two_blocks_is_noticed_and_notes_stay_as_they_were() -> None:
    notes = Notes()
    blocks = [table([("q1", "a", 1.0), ("q1", "a", 2.0)]), table([("q1", "b", 1.0)])]
    with pytest.raises(QueryComesBack):
        rank_by_table(blocks, {"q1": {"a": 1}}, Policy(), notes)
    assert notes == Notes()


def test_a_table_gives_its_rankings_as_they_stand() -> None:
    stored = TableRankings(table([("q1", "a", 1.0), ("q2", "b", 2.0), ("q1", "c", 3.0)]))
    assert list(stored) == ["q1", "q2"]
    assert stored["q1"].docs == ["a", "c"]
    assert stored["q1"].scores is not None
    assert stored["q1"].scores.tolist() == [1.0, 3.0]
    assert "q3" not in stored
    assert to_qrels(Columns(["q"], ["d"], [1])).grades == {"q": {"d": 1}}
