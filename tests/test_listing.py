"""The listed ranking: ids in the order in which rank space has places, whatever the policy."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings, strategies as st

from samescore import Policy, read_qrels, read_run
from samescore.policy import CLAUSES
from samescore.ranking import counted_documents, rank

VALUES = {name: CLAUSES[name].accepting for name in ("ties", "duplicates", "unjudged", "self_hits")} | {"depth": (None, 3)}
POLICIES = [Policy(**dict(zip(VALUES, values, strict=True))) for values in product(*VALUES.values())]
DOCS = st.sampled_from("abcdefgq")
RANKINGS = st.one_of(
    st.lists(DOCS, max_size=8),
    st.lists(st.tuples(DOCS, st.integers(0, 3)), min_size=1, max_size=8),
    st.dictionaries(DOCS, st.integers(0, 3), min_size=1),
)


@settings(deadline=None)
@given(ranking=RANKINGS, judged=st.dictionaries(DOCS, st.integers(0, 3), max_size=5), policy=st.sampled_from(POLICIES))
def test_a_listed_document_stands_at_the_place_that_rank_space_has(ranking, judged, policy):
    run, qrels = read_run({"q": ranking}), read_qrels({"q": judged})
    view = rank(run, qrels, policy).space.ranking(0)
    docs = counted_documents(run.rankings["q"], "q", judged, policy)
    assert len(docs) == view.depth
    assert [(place, judged[doc]) for place, doc in enumerate(docs, 1) if doc in judged] == view.retrieved()


@pytest.mark.parametrize(("depth", "expected"), [(None, ["b", "d"]), (2, ["b"])])
def test_the_ranking_is_cut_before_it_is_condensed(depth, expected):
    found = read_run({"q": ["a", "b", "c", "d"]}).rankings["q"]
    assert counted_documents(found, "q", {"b", "d"}, Policy(unjudged="drop", depth=depth)) == expected
