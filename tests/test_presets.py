"""The presets: each holds against the tool that it is named after, called directly, on random inputs."""

from __future__ import annotations

import importlib
import math
import warnings
from pathlib import Path
from typing import Any

import ir_measures
import pytest
import pytrec_eval
from hypothesis import given, strategies as st
from ir_measures import AP, RR, P, Qrel, R, Rprec, ScoredDoc, Success, nDCG
from ir_measures.bin import msmarco_eval
from strategies import tries

from samescore import Policy, evaluate

QUERIES = st.sampled_from(["q1", "q2", "q3", "q4"])
DOCS = st.sampled_from(["a", "b", "B", "c", "d10", "d9", "é", "q1", "q2"])
BASE = 16777216.0
SCORES = st.one_of(st.integers(-2, 3).map(float), st.floats(-5, 5), st.sampled_from([BASE, BASE + 0.25, BASE + 0.5, BASE + 3]))
"""Scores with ties, some of which are ties only as 32-bit floats."""

RUN_ROWS = st.lists(st.tuples(QUERIES, DOCS, SCORES), min_size=1, max_size=40)
QREL_ROWS = st.lists(st.tuples(QUERIES, DOCS, st.integers(-1, 4)), min_size=1, max_size=30)
RUNS = st.dictionaries(QUERIES, st.dictionaries(DOCS, SCORES), min_size=1)
QRELS = st.dictionaries(QUERIES, st.dictionaries(DOCS, st.integers(-1, 4), min_size=1), min_size=1)

TIED = {"q": {"b": 1.0, "a": 1.0, "c": 1.0}}, {"q": {"a": 2, "c": 1}}

PLAIN = tries(100)


def in_common(run: Any, qrels: Any) -> tuple[Any, Any]:
    """Run and qrels with one query that both have, since nothing in common is refused.

    pytrec_eval writes past its memory where all grades of a query are negative, so each query has another.
    """
    judged = {query: {**docs, "other": 0} for query, docs in qrels.items()}
    return {**run, "common": {"a": 1.0, "b": 2.0}}, {**judged, "common": {"a": 2, "c": 1}}


def ours(run: Any, qrels: Any, measures: list[str], policy: Policy) -> list[float]:
    """The means under a policy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # random runs may have no judged document at all
        result = evaluate(run, qrels, measures=measures, policy=policy, backend="reference")
    return [result[measure] for measure in measures]


def approx(values: list[float]) -> Any:
    """Equal but for rounding."""
    return pytest.approx(values, abs=1e-9)


# ir_measures

IR_MEASURES = [nDCG @ 3, nDCG, AP, AP @ 3, R @ 3, P @ 3, P(rel=2) @ 3, RR, Rprec, Success @ 2]


@PLAIN
@given(RUN_ROWS, QREL_ROWS)
def test_ir_measures_gives_these_means_from_rows_with_repeated_documents_and_judgements(run: Any, qrels: Any) -> None:
    run = [*(ScoredDoc(*row) for row in run), ScoredDoc("common", "a", 1.0)]
    qrels = [*(Qrel(*row) for row in qrels), *(Qrel(q, "other", 0) for q in ("common", *{row[0] for row in qrels}))]
    theirs = ir_measures.pytrec_eval.calc_aggregate(IR_MEASURES, qrels, run)
    assert ours(run, qrels, [str(m) for m in IR_MEASURES], Policy.ir_measures()) == approx([theirs[m] for m in IR_MEASURES])


@PLAIN
@given(RUNS, QRELS)
def test_ir_measures_gives_these_means_from_mappings_with_missing_and_empty_queries(run: Any, qrels: Any) -> None:
    run, qrels = in_common(run, qrels)
    qrels["nothing judged"] = {}
    theirs = ir_measures.calc_aggregate(IR_MEASURES, qrels, run)
    assert ours(run, qrels, [str(m) for m in IR_MEASURES], Policy.ir_measures()) == approx([theirs[m] for m in IR_MEASURES])


@PLAIN
@given(RUNS, QRELS)
def test_ir_measures_gives_rr_at_k_by_the_policy_that_the_docstring_names(run: Any, qrels: Any) -> None:
    run, qrels = in_common(run, qrels)
    policy = Policy.ir_measures().but(ties="doc_id_ascending", float32_scores=False)
    assert ours(run, qrels, ["RR@2"], policy) == approx([ir_measures.calc_aggregate([RR @ 2], qrels, run)[RR @ 2]])


def test_ir_measures_takes_rr_and_rr_at_k_from_two_rankings_and_the_preset_from_one() -> None:
    run, qrels = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}
    assert ir_measures.calc_aggregate([RR, RR @ 10], qrels, run) == {RR: 1 / 2, RR @ 10: 1}
    assert ours(run, qrels, ["RR", "RR@10"], Policy.ir_measures()) == [1 / 2, 1 / 2]


# ranx

RANX = {
    "ndcg@3": "nDCG@3", "ndcg": "nDCG", "ndcg_burges@3": "nDCG(dcg='exp-log2')@3", "map": "AP", "map@3": "AP@3", "mrr": "RR",
    "mrr@2": "RR@2", "recall@3": "R@3", "precision@3": "P@3", "hit_rate@2": "Success@2", "r-precision": "Rprec",
}  # fmt: skip

UNTIED = st.lists(DOCS, unique=True, min_size=1).flatmap(
    lambda docs: st.permutations(range(len(docs))).map(lambda order: {d: float(s) for d, s in zip(docs, order, strict=True)})
)


def ranx(run: Any, qrels: Any, *, make_comparable: bool = False) -> list[float]:
    """What ranx.evaluate computes; it compiles anew for each length of the longest id, which is always 3 here."""
    import ranx as library

    longest = {"d10": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numba warns of casts while it compiles
        judged, ranked = library.Qrels({**qrels, "ranx": longest}), library.Run({**run, "ranx": longest})
        found = library.evaluate(judged, ranked, list(RANX), make_comparable=make_comparable)
    return [float(found[name]) for name in RANX]


def ours_like_ranx(run: Any, qrels: Any, policy: Policy) -> list[float]:
    """Our means of the same."""
    return ours({**run, "ranx": {"d10": 1.0}}, {**qrels, "ranx": {"d10": 1}}, list(RANX.values()), policy)


@pytest.mark.slow
@tries(60)
@given(st.dictionaries(QUERIES, st.tuples(UNTIED, st.dictionaries(DOCS, st.integers(-1, 4), min_size=1)), min_size=1))
def test_ranx_gives_these_means_for_runs_without_ties(both: Any) -> None:
    run, qrels = {q: r for q, (r, _) in both.items()}, {q: j for q, (_, j) in both.items()}
    assert ours_like_ranx(run, qrels, Policy.ranx()) == approx(ranx(run, qrels))


@pytest.mark.slow
@tries(60)
@given(st.dictionaries(QUERIES, UNTIED, min_size=1), QRELS)
def test_ranx_gives_these_means_with_make_comparable(run: Any, qrels: Any) -> None:
    policy = Policy.ranx().but(missing="zero")
    assert ours_like_ranx(run, qrels, policy) == approx(ranx(run, qrels, make_comparable=True))


@pytest.mark.slow
def test_ranx_keeps_short_ties_in_the_order_given() -> None:
    assert ours_like_ranx(*TIED, Policy.ranx()) == approx(ranx(*TIED))


def test_under_the_preset_of_ranx_ties_stay_as_given_and_gains_are_linear() -> None:
    assert ours(*TIED, ["RR", "nDCG"], Policy.ranx()) == [1 / 2, (2 / math.log2(3) + 1 / 2) / (2 + 1 / math.log2(3))]


# BEIR


def beir(run: Any, qrels: Any, k: int) -> list[float]:
    """What BEIR's EvaluateRetrieval.evaluate computes, before it rounds to 5 decimals."""
    without = {query: {doc: score for doc, score in docs.items() if doc != query} for query, docs in run.items()}
    names = [f"ndcg_cut_{k}", f"map_cut_{k}", f"recall_{k}", f"P_{k}"]
    scores = pytrec_eval.RelevanceEvaluator(qrels, set(names)).evaluate(without)
    return [sum(values[name] for values in scores.values()) / len(scores) for name in names]


@PLAIN
@given(RUNS, QRELS, st.sampled_from([1, 3, 10]))
def test_beir_gives_these_means(run: Any, qrels: Any, k: int) -> None:
    run, qrels = in_common(run, qrels)
    assert ours(run, qrels, [f"nDCG@{k}", f"AP@{k}", f"R@{k}", f"P@{k}"], Policy.beir()) == approx(beir(run, qrels, k))


def test_beir_drops_the_document_whose_id_is_the_querys() -> None:
    run, qrels = {"q1": {"q1": 3.0, "a": 2.0}}, {"q1": {"a": 1, "q1": 1}}
    assert ours(run, qrels, ["P@1", "R@1", "P@2"], Policy.beir()) == [1, 1 / 2, 1 / 2]
    assert beir(run, qrels, 1)[2:] == [1 / 2, 1]


# MS MARCO

RELEVANT = st.dictionaries(QUERIES, st.lists(DOCS, unique=True, min_size=1), min_size=1)
RANKED = st.dictionaries(QUERIES, st.lists(st.one_of(DOCS, st.integers(0, 30).map(str)), unique=True, max_size=20), min_size=1)


@PLAIN
@given(RANKED, RELEVANT)
def test_ms_marco_gives_this_mean(run: Any, relevant: Any) -> None:
    run, relevant = {**run, "common": ["a"]}, {**relevant, "common": ["a"]}
    found = msmarco_eval.compute_metrics(relevant, run)["MRR @10 by query"]
    assert ours(run, relevant, ["RR@10"], Policy.msmarco()) == approx([sum(found.values()) / len(relevant)])


# What a preset says

PRESETS = [Policy.trec_eval(), Policy.ir_measures(), Policy.ranx(), Policy.beir(), Policy.msmarco()]


@pytest.mark.parametrize("preset", PRESETS, ids=str)
def test_a_preset_is_read_back_from_its_signature(preset: Policy) -> None:
    assert Policy.parse(preset.signature) == preset


def test_presets_differ() -> None:
    assert len(set(PRESETS)) == len(PRESETS)


def test_trec_evals_options_are_clauses() -> None:
    options = {"relevance_level": 2, "depth": 1000, "unjudged": "drop"}
    assert Policy.trec_eval(complete=True, **options) == Policy.trec_eval().but(missing="zero", **options)


def test_the_last_row_of_a_document_counts_whatever_its_score() -> None:
    run = {"q": [("a", 1.0), ("b", 2.0), ("a", 3.0), ("c", 9.0), ("c", 0.0)]}
    assert ours(run, {"q": {"a": 1}}, ["RR"], Policy(duplicates="last")) == [1]
    assert ours(run, {"q": {"c": 1}}, ["RR"], Policy(duplicates="last")) == [1 / 3]
    assert ours({"q": ["a", "b", "a"]}, {"q": {"a": 1}}, ["RR"], Policy(duplicates="last")) == [1 / 2]


@pytest.mark.slow
def test_a_document_that_is_overwritten_keeps_its_place_among_ties_as_in_a_dictionary(tmp_path: Path) -> None:
    ranx = importlib.import_module("ranx")
    (tmp_path / "run.trec").write_text("q Q0 a 1 5.0 t\nq Q0 b 2 1.0 t\nq Q0 c 3 1.0 t\nq Q0 a 4 1.0 t\n")
    of_ranx = ranx.Run.from_file(str(tmp_path / "run.trec"))
    for doc, rank in (("a", 1), ("b", 2), ("c", 3)):
        assert ranx.evaluate(ranx.Qrels({"q": {doc: 1}}), of_ranx, "mrr") == 1 / rank
        assert ours(tmp_path / "run.trec", {"q": {doc: 1}}, ["RR"], Policy.ranx()) == [1 / rank]
