"""trec_eval's measures: each value is the formula of its definition, written out for a small ranking."""

from __future__ import annotations

from math import exp, isfinite, log, log2
from typing import Any

import pytest

from samescore import Policy, read_qrels, read_run
from samescore.tools.trec_eval.program import TrecScores, columns_of, score

# Ranks:       1    2    3    4    5    6
RANKING = ["u1", "r1", "n1", "r2", "u2", "r3"]
GRADES = {"r1": 1, "n1": 0, "r2": 3, "r3": 1, "missed": 2, "n2": 0}
"""Four relevant documents (three at ranks 2, 4 and 6), two judged not relevant (one at rank 3), two unjudged (ranks 1 and 5)."""


def scored(measure: str, ranking: Any = RANKING, grades: Any = GRADES, *, collection: int = 0, **options: Any) -> TrecScores:
    """One query, q, scored by one measure."""
    policy = Policy.trec_eval(**options)
    return score(read_run({"q": ranking}), read_qrels({"q": grades}), columns_of([measure]), policy=policy, collection=collection)


def value(measure: str, ranking: Any = RANKING, grades: Any = GRADES, **options: Any) -> Any:
    """The value of a measure that has one column."""
    (row,) = scored(measure, ranking, grades, **options).values
    (only,) = row
    return only


BINARY = {
    "map": (1 / 2 + 2 / 4 + 3 / 6) / 4,
    "map_cut.4": (1 / 2 + 2 / 4) / 4,
    "gm_map": log((1 / 2 + 2 / 4 + 3 / 6) / 4),
    "yaap": log((1 + 1.5) / (1 + 4 - 1.5)),
    "Rprec": 2 / 4,
    "recip_rank": 1 / 2,
    "P.4": 2 / 4,
    "P.10": 3 / 10,
    "recall.4": 2 / 4,
    "success.1": 0,
    "success.2": 1,
    "relative_P.2": 1 / 2,
    "relative_P.100": 3 / 4,
    "Rprec_mult.0.5": 1 / 2,
    "Rprec_mult.2": 3 / 8,
    "iprec_at_recall.0": 1 / 2,
    "iprec_at_recall.0.75": 3 / 6,
    "iprec_at_recall.1": 0,
    "11pt_avg.0.25,0.5,1": (1 / 2 + 2 / 4 + 0) / 3,
    "binG": (1 / log2(2 + 1) + 1 / log2(2 + 2) + 1 / log2(2 + 3)) / 4,
}


@pytest.mark.parametrize("measure", BINARY)
def test_binary_measures_follow_their_definitions(measure: str) -> None:
    assert value(measure) == pytest.approx(BINARY[measure], abs=1e-15)


@pytest.mark.parametrize(("recall", "relevant", "hit"), [(0.1, 5, 1), (0.3, 5, 2), (0.5, 5, 3), (0.1, 4, 0), (0.25, 1, 0)])
def test_the_cutoff_of_a_recall_is_rounded_halves_away_from_zero(recall: float, relevant: int, hit: int) -> None:
    # Hits at the even ranks, then more and more apart, so that the precision falls from hit to hit: 1/1, 2/4, 3/9, 4/16, 5/25.
    ranking = [f"r{rank}" if rank in (1, 4, 9, 16, 25) else f"x{rank}" for rank in range(1, 26)]
    grades = {f"r{n * n}": 1 for n in range(1, relevant + 1)}
    precision = {0: 1 / 1, 1: 1 / 1, 2: 2 / 4, 3: 3 / 9}
    assert value(f"iprec_at_recall.{recall}", ranking, grades) == precision[hit]


def test_a_recall_below_its_predecessor_leaves_that_at_the_highest_precision() -> None:
    # trec_eval walks the list from its end, up the ranking: 0.25 is reached at the first hit, and 0.75 is then behind it.
    ranking, grades = ["r1", "x", "r2", "r3"], dict.fromkeys(["r1", "r2", "r3", "r4"], 1)
    assert value("11pt_avg.0.25,0.75", ranking, grades) == (3 / 4 + 1 / 1) / 2
    assert value("11pt_avg.0.75,0.25", ranking, grades) == (1 / 1 + 1 / 1) / 2


def test_a_sum_rounds_as_in_c() -> None:
    ranking = [f"r{rank}" if rank in (1, 5, 20) else f"x{rank}" for rank in range(1, 21)]
    grades = dict.fromkeys(["r1", "r5", "r20", *"abcde"], 1)
    assert value("map", ranking, grades) == (1 / 1 + 2 / 5 + 3 / 20) / 8 != 0.19375


POOLED = {
    # One nonrelevant document stands above the hits at ranks 4 and 6; two are judged nonrelevant.
    "bpref": (1 + (1 - 1 / 2) + (1 - 1 / 2)) / 4,
    "gm_bpref": log((1 + (1 - 1 / 2) + (1 - 1 / 2)) / 4),
    "unj.1": 1 / 1,
    "unj.5": 2 / 5,
    "unj.20": 2 / 20,
    "relstring": "-103-1",
    "relstring.3": "-10",
}


@pytest.mark.parametrize("measure", POOLED)
def test_measures_of_what_is_judged_follow_their_definitions(measure: str) -> None:
    assert value(measure) == POOLED[measure]


def test_infap_expects_the_documents_above_a_hit_to_be_relevant_at_the_rate_of_those_judged() -> None:
    e = 0.00001
    first = 1 / 2 + (1 / 2) * (0 / 1) * (e / (0 + 0 + 2 * e))
    second = 1 / 4 + (3 / 4) * (2 / 3) * ((1 + e) / (1 + 1 + 2 * e))
    third = 1 / 6 + (5 / 6) * (3 / 5) * ((2 + e) / (2 + 1 + 2 * e))
    assert value("infAP") == pytest.approx((first + second + third) / 4)


def test_a_grade_below_0_puts_a_document_in_the_pool_and_does_not_judge_it() -> None:
    ranking, grades = ["p", "r"], {"p": -1, "r": 1}
    e = 0.00001
    assert value("infAP", ranking, grades) == pytest.approx(1 / 2 + (1 / 2) * (1 / 1) * (e / (2 * e)))
    assert value("relstring", ranking, grades) == ".1"
    assert value("unj.2", ranking, grades) == 1 / 2
    assert value("num_nonrel_judged_ret", ranking, grades) == 0
    assert value("map", ranking, grades) == 1 / 2
    assert value("map", ranking, grades, unjudged="drop") == 1 / 1


def test_grades_above_9_are_one_sign() -> None:
    assert value("relstring", ["a", "b", "c"], {"a": 9, "b": 10}) == "9>-"


DCG = 1 / log2(3) + 3 / log2(5) + 1 / log2(7)
IDEAL = 3 / log2(2) + 2 / log2(3) + 1 / log2(4) + 1 / log2(5)
GRADED = {
    "dcg": DCG,
    "ideal_dcg": IDEAL,
    "ndcg": DCG / IDEAL,
    "ndcg_cut.4": (1 / log2(3) + 3 / log2(5)) / IDEAL,
    "ndcg_cut.2": (1 / log2(3)) / (3 / log2(2) + 2 / log2(3)),
    "ndcg.1=4,3=0": (4 / log2(3) + 4 / log2(7)) / (4 / log2(2) + 4 / log2(3) + 2 / log2(4)),
    "ndcg.0=-1": (DCG - 1 / log2(4)) / IDEAL,
    "dcg.0=0.5": DCG + 0.5 / log2(4),
    # At the hits' ranks 2, 4 and 6, and once more at the end for the document that was missed.
    "ndcg_rel": ((1 / log2(3)) / (3 / log2(2) + 2 / log2(3)) + (1 / log2(3) + 3 / log2(5)) / IDEAL + DCG / IDEAL + DCG / IDEAL) / 4,
    # The ideal goes down after ranks 1, 2 and 4; the end is one more, since 6 > 4 + 1.
    "Rndcg": (0 / 3 + (1 / log2(3)) / (3 / log2(2) + 2 / log2(3)) + (1 / log2(3) + 3 / log2(5)) / IDEAL + DCG / IDEAL) / 4,
    # The ideal has gained 5 by rank 2, 7 by rank 4 and, at 1 a rank, 9 by rank 6; the ranking 1, 4 and 5.
    "G": (1 / log2(2 + 5 - 1) + 3 / log2(2 + 7 - 4) + 1 / log2(2 + 9 - 5)) / 7,
    "rbp": (1 - 0.9) * (1 / 3 * 0.9**1 + 3 / 3 * 0.9**3 + 1 / 3 * 0.9**5),
    "rbp.p=0.5,1=1,2=0.5,3=1": 0.5 * (0.5**1 + 0.5**3 + 0.5**5),
    "rbp.p=0.5,0=-1": 0.5 * (2 / 4 * 0.5**1 + 0 / 4 * 0.5**2 + 4 / 4 * 0.5**3 + 2 / 4 * 0.5**5),
    "rbp_resid.p=0.5": 0.5**6 + 0.5 * (0.5**0 + 0.5**4),
}


@pytest.mark.parametrize("measure", GRADED)
def test_graded_measures_follow_their_definitions(measure: str) -> None:
    assert value(measure) == pytest.approx(GRADED[measure], rel=1e-14)


def test_gains_that_differ_by_less_than_1_are_put_in_order() -> None:
    # trec_eval compares gains as whole numbers, and finds no ideal gain here.
    assert value("ndcg.1=0.5,2=0.25", ["b", "a"], {"a": 1, "b": 2}) == pytest.approx(
        (0.25 / log2(2) + 0.5 / log2(3)) / (0.5 / log2(2) + 0.25 / log2(3))
    )


def test_the_end_of_a_ranking_one_longer_than_the_ideal_is_no_level_of_its_own() -> None:
    grades = {"a": 1, "b": 1}
    assert value("Rndcg", ["a", "x", "b"], grades) == pytest.approx(1 / (1 + 1 / log2(3)))
    assert value("Rndcg", ["a", "x", "b", "x2"], grades) == pytest.approx(
        (1 / (1 + 1 / log2(3)) + (1 + 1 / log2(4)) / (1 + 1 / log2(3))) / 2
    )


def test_rbp_is_not_what_stands_beside_it() -> None:
    alone, beside = (
        scored("rbp"),
        score(read_run({"q": RANKING}), read_qrels({"q": GRADES}), columns_of(["all_trec"]), policy=Policy.trec_eval()),
    )
    (at,) = [i for i, column in enumerate(beside.columns) if column.name == "rbp"]
    assert alone.values[0][0] == beside.values[0][at]


def test_a_large_grade_is_a_grade_like_others() -> None:
    assert value("rbp", ["a", "b"], {"a": 10**12, "b": 5 * 10**11}) == pytest.approx((1 - 0.9) * (1 + 0.5 * 0.9))
    assert value("ndcg_cut.1", ["a", "b"], {"a": 10**12, "b": 5 * 10**11}) == 1


def test_everything_judged_leaves_no_residual() -> None:
    assert value("rbp_resid", ["a", "b"], {"a": 1, "b": 0}) == 0


SETS = {
    "num_ret": 6,
    "num_rel": 4,
    "num_rel_ret": 3,
    "num_nonrel_judged_ret": 1,
    "set_P": 3 / 6,
    "set_recall": 3 / 4,
    "set_relative_P": 3 / 4,
    "set_map": (3 / 6) * (3 / 4),
    "set_F": 2 * (3 / 6) * (3 / 4) / (3 / 6 + 3 / 4),
    "set_F.2": 3 * (3 / 6) * (3 / 4) / (2 * 3 / 6 + 3 / 4),
    "utility": 3 - 3,
    "utility.2,-1,-0.5,0.25": 2 * 3 - 3 - 0.5 * 1 + 0.25 * (100 - 6 - 1),
}


@pytest.mark.parametrize("measure", SETS)
def test_sets_and_counts_follow_their_definitions(measure: str) -> None:
    assert value(measure, collection=100) == pytest.approx(SETS[measure])


@pytest.mark.parametrize(("grades", "signs"), [({"a": 0}, "0-"), ({"a": -1}, ".-"), ({"z": 0}, "--")])
def test_without_anything_relevant_what_measures_quality_is_0(grades: dict[str, int], signs: str) -> None:
    columns = columns_of(["all_trec", "yaap", "dcg", "ideal_dcg"])
    (row,) = score(read_run({"q": ["a", "b"]}), read_qrels({"q": grades}), columns).values
    judged = signs.count("0")
    expected: dict[str, Any] = {column.name: 0 for column in columns} | {
        "runid": 1, "num_q": 1, "num_ret": 2, "num_nonrel_judged_ret": judged, "utility": -2, "relstring": signs,
        "gm_map": log(0.00001), "gm_bpref": log(0.00001),
        "unj_5": (2 - judged) / 5, "unj_10": (2 - judged) / 10, "unj_20": (2 - judged) / 20,
    }  # fmt: skip
    del expected["rbp_resid"]
    assert {c.name: v for c, v in zip(columns, row, strict=True) if c.name != "rbp_resid"} == expected


def test_with_nothing_left_to_see_nothing_is_nan() -> None:
    columns = columns_of(["all_trec", "yaap"])
    policy = Policy.trec_eval(unjudged="drop")
    scores = score(read_run({"q": ["x", "y"]}), read_qrels({"q": {"a": 1}}), columns, policy=policy)
    assert all(isinstance(v, str) or isfinite(v) for v in [*scores.values[0], *scores.summary])
    assert {c.name: v for c, v in zip(columns, scores.values[0], strict=True)}["iprec_at_recall_0.00"] == 0


def test_the_relevance_level_is_for_binary_measures_and_not_for_gains() -> None:
    assert value("map", relevance_level=3) == (1 / 4) / 1
    assert value("bpref", relevance_level=3) == 1 - 1 / 1
    assert value("ndcg", relevance_level=3) == pytest.approx(DCG / IDEAL)


def test_a_depth_cuts_the_ranking_and_not_the_ideal() -> None:
    assert value("num_ret", depth=4) == 4
    assert value("ndcg", depth=4) == pytest.approx((1 / log2(3) + 3 / log2(5)) / IDEAL)
    assert value("num_ret", depth=4, unjudged="drop") == 3


def test_geometric_means_take_the_smallest_value_for_0() -> None:
    run, qrels = read_run({"q": ["a"], "w": ["x"]}), read_qrels({"q": {"a": 1}, "w": {"b": 1}})
    assert score(run, qrels, columns_of(["gm_map", "gm_bpref"])).summary == [exp((log(1) + log(0.00001)) / 2)] * 2
