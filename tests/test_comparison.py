"""compare: runs paired by query id, each against the baseline, in tables that say what they tell."""

from __future__ import annotations

import itertools
import json
import math
import random
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from strategies import tries

from samescore import Policy, Result, compare, define, evaluate, read_run
from samescore.errors import InputError, MeasureError, ResultKeyError

# Each query has one relevant document, so that a reciprocal rank is told by its rank.
QRELS = {f"q{i}": {"d": 1} for i in range(6)}


def ranked(*ranks):
    """A run that has the relevant document of each query at a rank, or not at all where it is None."""
    return {f"q{i}": [f"x{j}" for j in range(1, rank or 9)] + (["d"] if rank else []) for i, rank in enumerate(ranks)}


BASE = ranked(1, 2, 4, None, 2, 1)
BETTER = ranked(1, 1, 2, 2, 4, 1)


def compared(runs, **options):
    return compare(runs, QRELS, **{"measures": "RR", "backend": "reference", **options})


def numbers(row):
    return {name: getattr(row, name) for name in ("delta", "low", "high", "p", "effect", "wins", "ties", "losses")}


def test_a_run_is_told_beside_the_baseline():
    row = compared({"base": BASE, "better": BETTER}).row("better")
    values = np.array([1, 1, 1 / 2, 1 / 2, 1 / 4, 1])
    differences = values - np.array([1, 1 / 2, 1 / 4, 0, 1 / 2, 1])
    theirs = stats.ttest_1samp(differences, 0)
    interval = theirs.confidence_interval()
    assert row.mean == pytest.approx(values.mean())
    assert (row.delta, row.low, row.high) == pytest.approx((differences.mean(), interval.low, interval.high))
    assert (row.p, row.effect) == pytest.approx((theirs.pvalue, differences.mean() / differences.std(ddof=1)))
    assert (row.wins, row.ties, row.losses, row.queries) == (3, 2, 1, 6)


def test_the_baseline_is_the_first_run_or_the_one_named():
    runs = {"base": BASE, "better": BETTER}
    assert compared(runs).baseline == "base"
    turned = compared(runs, baseline="better").row("base")
    assert turned.delta == pytest.approx(-compared(runs).row("better").delta)
    assert (turned.wins, turned.losses) == (1, 3)
    assert compared(runs).row("base").delta is None


@given(st.randoms())
def test_runs_are_paired_by_query_id_and_not_by_position(rnd: random.Random):
    items = list(BETTER.items())
    rnd.shuffle(items)
    told = [compared({"base": BASE, "other": run}) for run in (BETTER, dict(items))]
    assert numbers(told[0].row("other")) == numbers(told[1].row("other"))


@pytest.mark.parametrize("test", ["t", "permutation", "wilcoxon", "bootstrap"])
def test_identical_runs_have_p_of_one(test):
    row = compared({"base": BASE, "again": dict(BASE)}, test=test).row("again")
    assert numbers(row) == {"delta": 0, "low": None, "high": None, "p": 1, "effect": 0, "wins": 0, "ties": 6, "losses": 0}


def test_backends_that_round_differently_do_not_differ():
    results = {name: evaluate(BASE, QRELS, measures=["nDCG@10", "AP"], backend=name) for name in ("reference", "ir_measures")}
    comparison = compare(results)
    assert [row.p for row in comparison.rows if row.p is not None] == [1.0, 1.0]
    assert "the runs were scored by different policies or backends, so that differences can be due to that" in comparison.notes


def test_only_queries_that_all_runs_have_are_compared_and_the_others_counted():
    short = {q: BETTER[q] for q in ("q0", "q1", "q2")}
    comparison = compared({"base": BASE, "better": BETTER, "short": short}, policy=Policy(missing="skip"))
    assert [row.queries for row in comparison.rows] == [3, 3, 3]
    assert comparison.row("base").mean == pytest.approx((1 + 1 / 2 + 1 / 4) / 3)
    assert "3 queries of better left out in RR: another run has no value there" in comparison.notes


def test_a_query_that_a_run_lacks_counts_as_the_policy_says():
    short = {q: BETTER[q] for q in ("q0", "q1", "q2")}
    comparison = compared({"base": BASE, "short": short})
    assert comparison.row("short").mean == pytest.approx((1 + 1 + 1 / 2) / 6)
    assert "short: 3 queries not in the run, counted as 0" in comparison.notes


def test_undefined_values_are_paired_away():
    frames = {"a": pd.DataFrame({"RR": [1.0, math.nan, 0.5]}, index=["q1", "q2", "q3"])}
    frames["b"] = pd.DataFrame({"RR": [0.5, 1.0, None]}, index=["q1", "q2", "q3"])
    comparison = compare(frames)
    assert comparison.row("b").queries == 1
    assert "1 query of a left out in RR: another run has no value there" in comparison.notes


# Small samples


def test_no_query_in_common_leaves_no_numbers():
    comparison = compare({"a": {"RR": {"q1": 1.0}}, "b": {"RR": {"q2": 1.0}}})
    row = comparison.row("b")
    assert (row.queries, row.mean, row.delta, row.p, row.p_corrected) == (0, None, None, None, None)
    assert json.loads(json.dumps(comparison.to_dict(), allow_nan=False))["table"][1]["p"] is None
    for text in (str(comparison), comparison.to_markdown(), comparison.to_latex()):
        assert "nan" not in text.lower()


def test_one_query_has_a_difference_and_no_interval():
    row = compare({"a": {"RR": {"q1": 0.5}}, "b": {"RR": {"q1": 1.0}}}).row("b")
    assert (row.delta, row.low, row.p, row.effect, row.wins) == (0.5, None, 1.0, None, 1)


def test_two_queries_that_moved_alike_are_no_proof():
    comparison = compare({"a": {"RR": {"q1": 0.5, "q2": 0.25}}, "b": {"RR": {"q1": 0.75, "q2": 0.5}}})
    assert comparison.row("b").p == 2 / 2**2
    assert "2 queries: too few for any exact test, whose p cannot be below 0.5" in comparison.notes
    assert "every query moved by the same amount, so that p is that of the sign-flip test: b in RR" in comparison.notes


def test_it_says_when_the_queries_are_too_few_to_tell_runs_apart():
    comparison = compared({"base": BASE, "better": BETTER})
    row = comparison.row("better")
    said = (
        f"better and base cannot be told apart in RR: 6 queries show a difference of {row.detectable:.4f} or more "
        f"(alpha 0.05, power 80 %), and it is {row.delta:.4f}, which about {row.needed} queries would show"
    )
    assert row.delta < row.detectable
    assert said in comparison.notes


# Corrections


def test_p_is_corrected_for_the_runs_of_one_measure():
    runs = {"base": BASE, "better": BETTER, "worse": ranked(4, 4, None, None, 4, 2)}
    comparison = compared(runs, measures=["RR", "R@1"], correction="bonferroni")
    for row in comparison.rows:
        assert row.p_corrected == (None if row.p is None else min(1.0, 2 * row.p))


def test_slices_are_a_family_of_their_own():
    runs = {"base": BASE, "better": BETTER}
    comparison = compared(runs, slices={f"q{i}": "even" if i % 2 == 0 else "odd" for i in range(6)}, correction="bonferroni")
    assert comparison.row("better").p_corrected == comparison.row("better").p
    for title in ("even", "odd"):
        row = comparison.row("better", slice=title)
        assert (row.queries, row.p_corrected) == (3, min(1.0, 2 * row.p))


def test_without_correction_p_stays():
    comparison = compared({"base": BASE, "better": BETTER, "best": ranked(1, 1, 1, 1, 1, 1)}, correction=None)
    assert all(row.p_corrected == row.p for row in comparison.rows)


# Several baselines, and all pairs


FOUR = {
    "base": BASE,
    "better": BETTER,
    "worse": ranked(4, 4, None, None, 4, 2),
    "worst": ranked(*[16] * 6),
}


def test_each_run_is_compared_with_each_of_several_baselines():
    comparison = compared(FOUR, baseline=["worst", "base"], correction="bonferroni")
    assert [(row.run, row.baseline) for row in comparison.rows] == [
        ("worst", None),
        ("base", None),
        ("better", "worst"),
        ("worse", "worst"),
        ("better", "base"),
        ("worse", "base"),
    ]
    assert (comparison.baselines, comparison.baseline) == (("worst", "base"), "worst")
    for run, base in comparison.contrasts:
        alone = compared({base: FOUR[base], run: FOUR[run]}, correction=None).row(run)
        row = comparison.row(run, baseline=base)
        assert numbers(row) == numbers(alone)
        assert row.p_corrected == min(1.0, 4 * alone.p)
    assert "corrected for 4 pairs of runs by Bonferroni's method" in "".join(comparison.notes)


def test_all_pairs_are_one_family():
    comparison = compared(FOUR, pairs="all", correction="bonferroni")
    pairs = [(run, base) for base, run in itertools.combinations(FOUR, 2)]
    assert [(row.run, row.baseline) for row in comparison.rows] == [("base", None), *pairs]
    for run, base in pairs:
        row, alone = comparison.row(run, baseline=base), compared({base: FOUR[base], run: FOUR[run]}).row(run)
        assert numbers(row) == numbers(alone)
        assert row.p_corrected == min(1.0, 6 * alone.p)
        turned = comparison.row(base, baseline=run)
        assert (turned.delta, turned.mean) == (-row.delta, comparison.row(base).mean)
        assert numbers(turned) == pytest.approx(numbers(compared({run: FOUR[run], base: FOUR[base]}).row(base)))
    assert (comparison.baseline, comparison.baselines) == (None, ())
    assert [row.baseline for row in compared(FOUR).rows] == [None, "base", "base", "base"]


@pytest.mark.parametrize("correction", ["bh", "holm"])
def test_the_p_of_all_pairs_is_that_of_scipy(correction):
    comparison = compared(FOUR, pairs="all", correction=correction)
    values = comparison.per_query
    p = np.array([stats.ttest_rel(values[run], values[base]).pvalue for run, base in comparison.contrasts])
    order = np.argsort(p)
    by_hand = np.empty(6)
    by_hand[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(6, 0, -1)), 1)  # Holm (1979)
    expected = by_hand if correction == "holm" else stats.false_discovery_control(p)
    assert [row.p_corrected for row in comparison.rows if row.baseline] == pytest.approx(expected)


def test_groups_of_equals_share_a_letter():
    runs = {name: {f"q{i}": ranking["q0"] for i in range(6)} for name, ranking in FOUR.items()}
    runs["better"] = {**runs["base"], "q0": ["x", "d"]}
    comparison = compare(runs, QRELS, measures=["RR", "R@1"], backend="reference", pairs="all", correction=None)
    assert comparison.row("worst", "RR", baseline="base").p == 2 / 2**6
    letters = {"base": "a", "better": "a", "worse": "b", "worst": "c"}
    assert comparison.groups == {"RR": letters, "R@1": letters | {"worst": "b"}}
    assert comparison.to_dict()["groups"]["RR"] == letters
    assert compared(runs).groups == {}
    with pytest.raises(InputError, match="not all pairs"):
        compared(runs).letters()


def test_where_lower_is_better_the_lowest_has_the_first_letter():
    qrels = {f"q{i}": {"a": 1} for i in range(6)}
    runs = {"worse": {query: ["x", "a"] for query in qrels}, "better": {query: ["a", "x"] for query in qrels}}
    comparison = compare(runs, qrels, measures=["Unjudged@1", "RR"], backend="reference", pairs="all")
    assert comparison.groups == {measure: {"worse": "b", "better": "a"} for measure in ("Unjudged@1", "RR")}
    rows = [line for line in comparison.to_latex().splitlines() if "better &" in line]
    assert rows == [r"b & better & \textbf{0.0000}$^{a}$ & \textbf{1.0000}$^{a}$ \\"]


def test_slices_have_groups_of_their_own():
    slices = {f"q{i}": "few" if i < 2 else "more" for i in range(6)}
    comparison = compared({"a": BASE, "b": BETTER, "c": ranked(*[16] * 6)}, pairs="all", slices=slices, alpha=0.99)
    assert comparison.letters(slice="few") != comparison.letters(slice="more")
    with pytest.raises(ResultKeyError, match="no row of 'a' in 'none'"):
        comparison.letters(slice="none")


def test_latex_names_the_runs_that_one_is_better_than():
    runs = {name: {f"q{i}": ranking["q0"] for i in range(6)} for name, ranking in FOUR.items()}
    for options in ({"pairs": "all"}, {"baseline": ["worse", "worst"]}):
        lines = compared(runs, correction=None, **options).to_latex().splitlines()
        assert r"\begin{tabular}{llr}" in lines
        assert r"\# & run & RR \\" in lines
        assert r"a & base & \textbf{1.0000}$^{cd}$ \\" in lines
        assert (r"c & worse & 0.2500$^{d}$ \\" in lines) is ("pairs" in options)
        assert r"d & worst & 0.0625 \\" in lines
        assert any("superscripts: significantly better than these runs at $p < 0.05$ (not corrected)" in line for line in lines)


def test_what_is_behind_several_contrasts_names_the_baseline():
    comparison = compared(FOUR, baseline=["worst", "base"])
    assert list(comparison.deltas.columns) == list(comparison.contrasts)
    both = compared(FOUR, measures=["RR", "R@1"], pairs="all")
    assert both.deltas["RR"]["worst", "worse"].tolist() == (1 / 16 - both.per_query["RR"]["worse"]).tolist()
    assert comparison.biggest(1, measure="RR").iloc[0].to_dict() == {
        "run": "better", "measure": "RR", "query_id": "q0", "baseline": 1 / 16, "value": 1.0, "delta": 15 / 16, "against": "worst",
    }  # fmt: skip
    with pytest.raises(ResultKeyError, match="no row of 'better' against 'none'"):
        comparison.row("better", baseline="none")


# Tests


def test_tukey_is_a_test_of_all_runs_and_not_corrected_further():
    runs = {"base": BASE, "better": BETTER, "worse": ranked(4, 4, None, None, 4, 2)}
    comparison = compared(runs, test="tukey", correction="bonferroni")
    assert comparison.correction is None
    assert [row.p_corrected for row in comparison.rows] == [row.p for row in comparison.rows]
    assert "p (tukey)" in str(comparison)
    assert (
        "p: Tukey's HSD by randomisation (Carterette 2012), two-sided, of all 3 runs together, which needs no further correction; "
        "interval of delta: 95 %, of all pairs together"
    ) in comparison.notes


def test_the_sign_test_counts_wins_and_losses_and_its_interval_is_that_of_the_median():
    comparison = compared({"base": BASE, "better": BETTER}, test="sign")
    row = comparison.row("better")
    assert (row.p, row.low, row.high) == (pytest.approx(stats.binomtest(3, 4).pvalue), -0.25, 0.5)
    of_median = "interval of delta: 95 %, of the median difference, the shifts that the test does not reject"
    assert f"p: exact sign test, two-sided; {of_median}" in comparison.notes


def test_a_function_of_the_differences_is_a_test():
    comparison = compared({"base": BASE, "better": BETTER}, test=lambda d: stats.ttest_1samp(d, 0))
    assert comparison.row("better").p == pytest.approx(compared({"base": BASE, "better": BETTER}).row("better").p)
    assert comparison.row("better").low is None
    assert "<lambda>" in comparison.test
    with pytest.raises(InputError, match=r"^RR: the function of the test raised ZeroDivisionError"):
        compared({"base": BASE, "better": BETTER}, test=lambda d: 1 / 0)
    json.dumps(comparison.to_dict(), allow_nan=False)


# Slices and micro averages


def test_each_slice_has_the_means_and_deltas_of_its_queries():
    comparison = compared({"base": BASE, "better": BETTER}, slices={"q0": "a", "q1": "a", "q2": "b", "other": "b"})
    row = comparison.row("better", "RR", "a")
    assert (row.mean, row.delta, row.queries) == (1.0, 1 - (1 + 1 / 2) / 2, 2)
    assert "3 queries without a label, in no slice but the whole: 'q3', 'q4', 'q5'" in comparison.notes
    assert "1 query with a label not among those compared: 'other'" in comparison.notes


def test_a_micro_average_is_the_ratio_of_sums():
    qrels = {"q1": {"a": 1}, "q2": {f"b{i}": 1 for i in range(4)}}
    runs = {"base": {"q1": ["a"], "q2": ["x"]}, "other": {"q1": ["x"], "q2": ["b0", "b1"]}}
    comparison = compare(runs, qrels, measures="R@2", average="micro", backend="reference")
    row = comparison.row("other")
    assert (comparison.row("base").mean, row.mean) == pytest.approx(((1 + 0) / (1 + 4), (0 + 2) / (1 + 4)))
    assert row.delta == pytest.approx(1 / 5)
    assert (row.wins, row.losses) == (1, 1)


def test_identical_runs_have_p_of_one_in_a_micro_average_too():
    qrels = {"q1": {"a": 1}, "q2": {"b": 1, "c": 1}, "q3": {"d": 1}}
    run = {"q1": ["a", "x"], "q2": ["b"], "q3": ["y", "d"]}
    comparison = compare({"a": run, "b": run}, qrels, measures=["P", "R@5"], average="micro", backend="reference")
    assert [row.p for row in comparison.rows if row.p is not None] == [1.0, 1.0]


def test_a_count_is_told_by_its_mean():
    comparison = compared({"base": {"q0": ["d"]}, "other": {"q0": ["d", "x"]}}, measures="NumRet")
    assert (comparison.row("base").mean, comparison.row("other").delta) == (pytest.approx(1 / 6), pytest.approx(1 / 6))
    assert "NumRet is told by its mean over the queries, where a result has the sum" in comparison.notes


def test_a_measure_of_one_s_own_is_compared():
    last = define("Last", lambda ranking: float(ranking.depth))
    results = {name: evaluate(run, QRELS, measures=[last], backend="reference") for name, run in (("a", BASE), ("b", BETTER))}
    for runs in ({"a": BASE, "b": BETTER}, results, {name: Result.from_dict(r.to_dict()) for name, r in results.items()}):
        comparison = compared(runs, measures=[last])
        assert comparison.row("b").delta == pytest.approx(((1 + 1 + 2 + 2 + 4 + 1) - (1 + 2 + 4 + 8 + 2 + 1)) / 6)
    assert compare(results).measures == ["Last"]


# What is behind the table


def test_deltas_are_queries_by_runs():
    deltas = compared({"base": BASE, "better": BETTER, "same": BASE}).deltas
    assert list(deltas.columns) == ["better", "same"]
    assert deltas.index.name == "query_id"
    assert deltas["better"].to_dict() == {"q0": 0, "q1": 1 / 2, "q2": 1 / 4, "q3": 1 / 2, "q4": -1 / 4, "q5": 0}


def test_with_several_measures_columns_are_grouped_by_measure():
    comparison = compared({"base": BASE, "better": BETTER}, measures=["RR", "R@1"])
    assert list(comparison.deltas["R@1"].columns) == ["better"]
    assert list(comparison.per_query["RR"].columns) == ["base", "better"]


def test_the_queries_that_moved_most_are_told_both_ways():
    biggest = compared({"base": BASE, "better": BETTER}).biggest(1)
    assert biggest.to_dict("records") == [
        {"run": "better", "measure": "RR", "query_id": "q1", "baseline": 1 / 2, "value": 1.0, "delta": 1 / 2},
        {"run": "better", "measure": "RR", "query_id": "q4", "baseline": 1 / 2, "value": 1 / 4, "delta": -1 / 4},
    ]
    assert len(compared({"base": BASE, "better": BETTER}).biggest(100)) == 4
    assert len(compared({"base": BASE, "better": BETTER}).biggest(0)) == 0


def test_a_row_that_is_not_there_is_refused():
    comparison = compared({"base": BASE, "better": BETTER}, measures=["RR", "R@1"])
    with pytest.raises(ResultKeyError, match="no row of 'best'"):
        comparison.row("best", "RR")
    with pytest.raises(ResultKeyError, match="None is not compared"):
        comparison.row("better")


@tries(25)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["t", "permutation", "wilcoxon", "bootstrap"]))
def test_the_table_agrees_with_the_differences(seed, test):
    rnd = np.random.default_rng(seed)
    ranks = [[int(rank) or None for rank in rnd.integers(0, 5, 6)] for _ in range(3)]
    comparison = compared({name: ranked(*own) for name, own in zip("abc", ranks, strict=True)}, test=test, resamples=99)
    for run in "bc":
        row, deltas = comparison.row(run), comparison.deltas[run]
        assert row.delta == pytest.approx(deltas.mean())
        assert row.delta == pytest.approx(row.mean - comparison.row("a").mean)
        assert (row.wins, row.ties, row.losses) == tuple(int((np.sign(deltas) == sign).sum()) for sign in (1, 0, -1))
        assert 0 <= row.p <= row.p_corrected <= 1
        assert row.low - 1e-12 <= row.delta <= row.high + 1e-12


# How it is shown


RUNS = {"bm25_plain": ranked(None, None, None, 4, None, 4), "dense & more": ranked(1, 2, 1, 2, 1, 1)}


def test_it_prints_a_row_for_each_run():
    text = str(compared(RUNS))
    head, base, other = (line.split() for line in text.splitlines()[:3])
    assert head[:6] == ["measure", "run", "mean", "delta", "95", "%"]
    assert base[:4] == ["RR", "bm25_plain", f"{(1 / 4 + 1 / 4) / 6:.4f}", "-"]
    assert other[4:6] == [f"{(4 + 1 / 2 + 1 / 2) / 6:.4f}", f"+{(4 + 1 / 2 + 1 / 2 - 1 / 2) / 6:.4f}"]
    assert compared(RUNS).results["bm25_plain"].signature in text


THREE = {**RUNS, "third": ranked(1, 2, 1, 2, 2, 1)}


def test_of_several_runs_a_row_is_a_run_and_a_column_a_measure():
    comparison = compared(THREE, measures=["RR", "R@1"])
    lines = str(comparison).splitlines()
    assert lines[0].split() == ["run", "RR", "R@1"]
    rows = [re.split("  +", line) for line in lines[1:4]]
    other, third = comparison.row("dense & more", "RR"), comparison.row("third", "RR")
    assert rows[0] == ["bm25_plain", f"{(1 / 4 + 1 / 4) / 6:.4f}", "0.0000"]
    assert rows[1] == ["dense & more", f"{other.mean:.4f} +{other.delta:.4f}*", f"{4 / 6:.4f} +{4 / 6:.4f}"]
    assert rows[2] == ["third", f"{third.mean:.4f} +{third.delta:.4f}*", f"{3 / 6:.4f} +{3 / 6:.4f}"]
    assert lines[5] == "beside a mean its difference to the baseline, * where p (holm) is below 0.05"
    assert comparison.to_text(percent=True, digits=0, quiet=True).splitlines()[2].split()[3:6] == ["83", "+75*", "67"]


def test_what_cannot_be_told_apart_is_one_sentence():
    comparison = compared({"base": BASE, "better": BETTER, "other": ranked(2, 1, 2, 2, 4, 1)}, measures=["RR", "R@1"])
    sizes = [row.detectable for row in comparison.rows if row.detectable]
    said = [note for note in comparison.notes if "told apart" in note]
    assert said == [
        f"cannot be told apart (alpha 0.05, power 80 %), where differences of {min(sizes):.4f} to {max(sizes):.4f} would show: "
        "from base better (RR, R@1), other (RR, R@1)"
    ]
    assert f"of {100 * min(sizes):.1f} to" in comparison.to_text(percent=True, digits=1)


def test_queries_that_moved_both_ways_by_the_same_amount_did_move():
    comparison = compare(
        {"a": {"RR": {"q1": 0.5, "q2": 1.0}}, "b": {"RR": {"q1": 1.0, "q2": 0.5}}, "c": {"RR": {"q1": 0.5, "q2": 1.0}}}
    )
    assert comparison.row("b").delta == 0
    assert [note for note in comparison.notes if "moved" in note] == ["no query moved, which has no interval: c in RR"]
    assert [note for note in comparison.notes if "b and a cannot be told apart in RR" in note]


def test_a_slice_and_a_baseline_have_a_table_each():
    slices = {f"q{i}": "few" if i < 2 else "more" for i in range(6)}
    text = str(compared(FOUR, slices=slices, baseline=["base", "worst"]))
    titles = [line for line in text.splitlines() if "compared with" in line]
    slices_shown = ["all: 6 queries", "few: 2 queries", "more: 4 queries"]
    assert titles == [f"{slice}, compared with {base}" for slice in slices_shown for base in ("base", "worst")]
    assert text.count("\nworse ") == 6
    assert [line for line in str(compared(THREE, slices=slices)).splitlines() if ":" in line][:3] == slices_shown


def test_all_pairs_are_shown_by_letters():
    comparison = compared(FOUR, pairs="all", measures=["RR", "R@1"], alpha=0.2, correction=None)
    lines = str(comparison).splitlines()
    for line in lines[1:5]:
        run, *cells = re.split("  +", line)
        assert [cell.split()[1] for cell in cells] == [comparison.groups[measure][run] for measure in ("RR", "R@1")]
    assert lines[6] == "runs that have a letter in common cannot be told apart: p (not corrected) is 0.2 or more"


def test_the_long_form_has_every_number():
    comparison = compared(FOUR, pairs="all")
    head = str(comparison.long()).splitlines()[0].split()
    assert head[:4] == ["measure", "run", "baseline", "mean"]
    assert len(str(comparison.long()).split("\n\n")[0].splitlines()) == 1 + len(comparison.rows)
    assert comparison.long().to_tsv() == comparison.to_tsv()
    assert comparison.long().to_json() == comparison.to_json()
    assert comparison.long().to_latex(digits=1) == comparison.to_latex(digits=1)
    assert str(compared(RUNS).long()) == str(compared(RUNS))


def test_markdown_is_a_table_and_a_list():
    lines = compared(RUNS).to_markdown().splitlines()
    assert lines[0].startswith("| measure | run | mean | delta | 95 % interval | p | p (holm) |")
    assert [line[:2] for line in lines[2:4]] == ["| ", "| "]
    assert all(line.startswith("- ") for line in lines[5:])


def test_latex_has_the_best_in_bold_and_an_arrow_where_it_is_significant():
    lines = compared(RUNS).to_latex().splitlines()
    assert r"\toprule" in lines
    assert rf"bm25\_plain & {(1 / 4 + 1 / 4) / 6:.4f} \\" in lines
    assert rf"dense \& more & \textbf{{{(4 + 1 / 2 + 1 / 2) / 6:.4f}}}$^{{\uparrow}}$ \\" in lines
    worse = compared(RUNS, baseline="dense & more").to_latex()
    assert r"$^{\downarrow}$ \\" in worse
    assert r"bold: best; $\uparrow$, $\downarrow$: above, below dense \& more at $p < 0.05$ (Holm)" in worse


def test_html_escapes_names():
    html = compared(RUNS)._repr_html_()
    assert "dense &amp; more" in html


def test_it_is_plain_values_for_json():
    plain = json.loads(json.dumps(compared(RUNS).to_dict(), allow_nan=False))
    row = plain["table"][1]
    assert (row["run"], row["significant"], row["queries"]) == ("dense & more", True, 6)
    assert plain["per_query"]["RR"]["bm25_plain"]["q3"] == 1 / 4
    assert set(plain["signatures"]) == set(RUNS)


def test_the_frame_has_a_column_for_each_number():
    table = compared(RUNS).table
    assert list(table["run"]) == list(RUNS)
    assert table["wins"].isna().tolist() == [True, False]
    assert {"mean", "delta", "low", "high", "p", "p_corrected", "effect", "queries", "detectable"} <= set(table.columns)


# What is refused


@pytest.mark.parametrize(
    ("runs", "options", "said"),
    [
        ({}, {}, "there is no run"),
        ({"a": BASE}, {}, "one run, 'a', is no comparison"),
        ([("a", BASE), ("a", BETTER)], {}, "two runs have the name 'a'"),
        ({1: BASE, "1": BETTER}, {}, "two runs have the name '1'"),
        ([BASE, BETTER], {}, "a run without a name"),
        ({"a": BASE, "b": BETTER}, {"baseline": "c"}, "no run has the name of the baseline, 'c'"),
        ({"a": BASE, "b": BETTER}, {"baseline": ["a", "c"]}, "no run has the name of the baseline, 'c'"),
        ({"a": BASE, "b": BETTER}, {"baseline": ["a", "b"]}, "the baselines are"),
        ({"a": BASE, "b": BETTER}, {"baseline": ["a", "a"]}, "the baselines are"),
        ({"a": BASE, "b": BETTER}, {"baseline": []}, "the baselines are"),
        ({"a": BASE, "b": BETTER}, {"baseline": "a", "pairs": "all"}, "no run is the baseline"),
        ({"a": BASE, "b": BETTER}, {"pairs": "some"}, "pairs cannot be 'some'"),
        ({"a": BASE, "b": BETTER}, {"test": "z"}, "test cannot be 'z'"),
        ({"a": BASE, "b": BETTER}, {"correction": "sidak"}, "correction cannot be 'sidak'"),
        ({"a": BASE, "b": BETTER}, {"alpha": 5}, "alpha is 5"),
        ({"a": BASE, "b": BETTER}, {"test": "wilcoxon", "average": "micro"}, "Wilcoxon's test"),
        ({"a": BASE, "b": BETTER}, {"test": "sign", "average": "micro"}, "the sign test"),
        ({"a": BASE, "b": {"q1": {"d": math.nan}}}, {}, "run 'b', query 'q1', document 'd': the score is NaN"),
    ],
)
def test_what_makes_no_sense_is_refused(runs, options, said):
    with pytest.raises(InputError, match=said):
        compared(runs, **options)


def test_a_run_without_qrels_is_refused():
    with pytest.raises(InputError, match="a is a run, and there are no qrels to score it by"):
        compare({"a": BASE, "b": BETTER})


def test_a_measure_that_is_no_ratio_of_counts_has_no_micro_average():
    with pytest.raises(MeasureError, match="run 'a': RR has no micro average"):
        compared({"a": BASE, "b": BETTER}, average="micro")


def test_paths_are_named_by_their_files(tmp_path):
    for name, run in (("one.txt", BASE), ("two.txt", BETTER)):
        lines = [f"{q} Q0 {d} {i} {-i} t" for q, docs in run.items() for i, d in enumerate(docs, 1)]
        (tmp_path / name).write_text("\n".join(lines))
    for paths in ([tmp_path / "one.txt", str(tmp_path / "two.txt")], tmp_path, str(tmp_path / "*.txt"), [tmp_path]):
        assert compared(paths).runs == ("one", "two")
    comparison = compared([read_run(tmp_path / "one.txt"), tmp_path / "two.txt"])
    assert numbers(comparison.row("two")) == numbers(compared({"base": BASE, "better": BETTER}).row("better"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"resamples": 0}, "resamples is 0"),
        ({"resamples": 98}, "resamples is 98"),
        ({"resamples": 1e3}, "resamples is 1000.0"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": "a"}, "seed is 'a'"),
        ({"queries": "q1"}, "one text"),
        ({"queries": 5}, "queries is 5"),
        ({"test": ["t"]}, "test cannot be"),
    ],
)
def test_options_that_nothing_can_be_drawn_or_chosen_by_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        compared({"base": BASE, "better": BETTER}, **options)


def test_an_unknown_average_of_brought_values_is_refused():
    result = evaluate(BASE, QRELS, measures="RR", backend="reference")
    with pytest.raises(MeasureError, match="average cannot be 'median'"):
        compare({"a": result, "b": result}, average="median")


@pytest.mark.parametrize("n", [-1, 1.5, "x", True])
def test_the_biggest_are_a_whole_number(n):
    with pytest.raises(InputError, match="n is"):
        compared({"base": BASE, "better": BETTER}).biggest(n)


@pytest.mark.parametrize("name", ["", "a\nb", "a\u2028b", "a\r"])
def test_a_name_that_no_table_can_hold_is_refused(name):
    with pytest.raises(InputError, match="a run has the name"):
        compared({name: BASE, "better": BETTER})


def test_where_lower_is_better_a_fall_is_a_win():
    qrels = {f"q{i}": {"a": 1} for i in range(4)}
    runs = {"worse": {query: ["x", "a"] for query in qrels}, "better": {query: ["a", "x"] for query in qrels}}
    comparison = compare(runs, qrels, measures=["Unjudged@1", "RR"], backend="reference")
    for measure in ("Unjudged@1", "RR"):
        row = comparison.row("better", measure)
        assert (row.wins, row.ties, row.losses) == (4, 0, 0)
    assert comparison.row("better", "Unjudged@1").delta == -1
    assert "Unjudged@1: lower is better, so that a win is a query for which it fell" in comparison.notes
    best = next(line for line in comparison.to_latex().splitlines() if line.startswith("better &"))
    assert best.count(r"\textbf") == 2
