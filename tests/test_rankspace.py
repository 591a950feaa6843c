"""Rank space: cutting, padding, condensing and picking many rankings at once gives what it gives one ranking at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from samescore.rankspace import RankSpace

ONE = st.tuples(
    st.integers(0, 8), st.dictionaries(st.integers(1, 12), st.lists(st.integers(-1, 3), min_size=1, max_size=3), max_size=6)
)
MANY = st.lists(ONE, max_size=5)


def plain(queries) -> RankSpace:
    """Rankings of (depth, {place: grades}), of which the first grade counts."""
    return _space([(depth, [(place, grades[0]) for place, grades in _placed(depth, docs)]) for depth, docs in queries])


def by_subtopic(queries) -> RankSpace:
    """The same with a row for each grade, as one for each subtopic."""
    rows = [(depth, [(place, g, n) for place, gs in _placed(depth, docs) for n, g in enumerate(gs)]) for depth, docs in queries]
    space = _space([(depth, [row[:2] for row in found]) for depth, found in rows])
    subtopic = np.array([row[2] for _, found in rows for row in found], dtype=np.int64)
    return RankSpace(space.depth, space.start, space.place, space.grade, None, subtopic, space.place)


def _placed(depth, docs):
    """Documents with the missed ones in places right after the ranking, the highest grade first."""
    hits = sorted((place, grades) for place, grades in docs.items() if place <= depth)
    missed = sorted((grades for place, grades in docs.items() if place > depth), reverse=True)
    return hits + list(enumerate(missed, depth + 1))


def _space(rows) -> RankSpace:
    flat = [row for _, found in rows for row in found]
    start = np.cumsum([0, *(len(found) for _, found in rows)])
    columns = (np.array([row[i] for row in flat], dtype=np.int64) for i in (0, 1))
    return RankSpace(np.array([depth for depth, _ in rows], dtype=np.int64), start, *columns)


def hits_of(space, i):
    """(rank, grade) of one ranking, and how many rows it misses."""
    ranking = space.ranking(i)
    found = ranking.retrieved()
    return ranking.depth, sorted(found), sorted(grade for _, grade in ranking.judged[len(found) :])


@pytest.mark.parametrize("made", [plain, by_subtopic])
@given(queries=MANY, n=st.integers(1, 10))
def test_a_cut_ranking_misses_what_stood_below(made, queries, n):
    space = made(queries)
    for padded in (False, True):
        cut = space.cut(n, padded=padded)
        for i in range(len(queries)):
            depth, hits, missed = hits_of(space, i)
            kept = [(rank, grade) for rank, grade in hits if rank <= n]
            gone = [grade for rank, grade in hits if rank > n]
            assert hits_of(cut, i) == (n if padded else min(depth, n), kept, sorted(missed + gone))


@pytest.mark.parametrize("made", [plain, by_subtopic])
@given(queries=MANY)
def test_a_condensed_ranking_has_the_judged_documents_in_their_order(made, queries):
    space = made(queries)
    condensed = space.condensed()
    for i in range(len(queries)):
        _, hits, missed = hits_of(space, i)
        ranks = {rank: n for n, rank in enumerate(sorted({rank for rank, _ in hits}), 1)}
        assert hits_of(condensed, i) == (len(ranks), [(ranks[rank], grade) for rank, grade in hits], missed)


@pytest.mark.parametrize("made", [plain, by_subtopic])
@given(queries=MANY)
def test_a_trimmed_ranking_ends_with_its_last_judged_document(made, queries):
    space = made(queries)
    trimmed = space.trimmed()
    for i in range(len(queries)):
        depth, hits, missed = hits_of(space, i)
        assert hits_of(trimmed, i) == (min(depth, max([1, *(rank for rank, _ in hits)])), hits, missed)


@pytest.mark.parametrize("made", [plain, by_subtopic])
@given(queries=MANY, n=st.integers(1, 10))
def test_places_name_documents_hits_first(made, queries, n):
    for space in (
        made(queries),
        made(queries).cut(n),
        made(queries).condensed(),
        made(queries).trimmed(),
        made(queries).keep(made(queries).grade > 0),
    ):
        for ranking in space:
            places = [place for place, _ in ranking.judged]
            assert places == sorted(places)
            missed = sorted({place for place in places if place > ranking.depth})
            assert missed == list(range(ranking.depth + 1, ranking.depth + 1 + len(missed)))
            if space.subtopic is None:
                assert len(set(places)) == len(places)


@pytest.mark.parametrize("made", [plain, by_subtopic])
@given(queries=MANY, data=st.data())
def test_some_queries_are_taken_whole_and_alike_ones_once(made, queries, data):
    space = made(queries)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(queries), max_size=len(queries))), dtype=bool)
    assert list(space.take(mask)) == [ranking for ranking, taken in zip(space, mask, strict=True) if taken]
    different, index = space.distinct()
    assert [different.ranking(int(i)) for i in index] == list(space)
    assert len(different) == len(set(space))


@pytest.mark.parametrize(
    "columns", [{"grade": np.ones(2)}, {"start": np.array([0, 2])}, {"repeat": np.zeros(2, bool)}, {"subtopic": np.zeros(3, int)}]
)
def test_columns_that_do_not_fit_are_no_rank_space(columns):
    right = {"depth": np.array([3]), "start": np.array([0, 1]), "place": np.array([1]), "grade": np.array([1])}
    with pytest.raises(ValueError, match="rows"):
        RankSpace(**{**right, **columns})
