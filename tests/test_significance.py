"""Significance: p-values and intervals equal scipy's, corrections their definition, and small samples have an answer."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import integrate, stats
from strategies import tries

from samescore.errors import InputError
from samescore.intervals import Sampling, bootstrap_interval, student_interval
from samescore.tools.significance import (
    TESTS,
    contrast,
    contrasts,
    contrasts_of_runs,
    corrected,
    detectable_effect,
    name_of,
    queries_to_show,
)

QUICK = Sampling(resamples=499)

few = tries(20)
SEEDS = st.integers(0, 2**32 - 1)


def two_runs(seed, n):
    random = np.random.default_rng(seed)
    return random.random(n), random.random(n)


@few
@given(SEEDS, st.integers(2, 200))
def test_t_equals_scipy_in_p_and_interval(seed, n):
    a, b = two_runs(seed, n)
    told, theirs = contrast(a - b, "t", Sampling(alpha=0.1)), stats.ttest_rel(a, b)
    interval = theirs.confidence_interval(0.9)
    assert (told.p, told.low, told.high) == pytest.approx((theirs.pvalue, interval.low, interval.high))


@few
@given(SEEDS, st.integers(2, 100))
def test_wilcoxon_equals_scipy(seed, n):
    a, b = two_runs(seed, n)
    assert contrast(a - b, "wilcoxon", QUICK).p == pytest.approx(stats.wilcoxon(a, b).pvalue)


@few
@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=2, max_size=60))
def test_wilcoxon_equals_scipy_with_ties_and_queries_that_did_not_move(differences):
    assume(len(set(differences)) > 1)
    theirs = stats.wilcoxon(np.array(differences)).pvalue
    assert contrast(np.array(differences), "wilcoxon", QUICK).p == pytest.approx(theirs)


@few
@given(SEEDS, st.integers(2, 12))
def test_permutation_of_few_queries_is_exact(seed, n):
    a, b = two_runs(seed, n)
    differences = a - b
    signs = np.array(np.meshgrid(*[[-1, 1]] * n)).reshape(n, -1)
    all_means = np.abs(differences @ signs)
    share = np.mean(all_means >= abs(differences.sum()) - 1e-12)
    assert contrast(differences, "permutation", Sampling()).p == pytest.approx(share)


@few
@given(SEEDS)
def test_permutation_of_many_queries_equals_scipy_but_for_the_draw(seed):
    a, b = two_runs(seed, 40)
    options = {"permutation_type": "samples", "n_resamples": 9999, "rng": np.random.default_rng(seed)}
    theirs = stats.permutation_test((a, b), lambda x, y, axis=-1: (x - y).mean(axis=axis), vectorized=True, **options)
    error = 2 * math.sqrt(0.25 / 9999)  # scipy doubles the share of one side, whose standard error is half of this
    assert contrast(a - b, "permutation", Sampling()).p == pytest.approx(theirs.pvalue, abs=5 * error)


@few
@given(SEEDS, st.integers(5, 60), st.sampled_from(["BCa", "percentile", "basic"]))
def test_bootstrap_interval_equals_scipy(seed, n, method):
    values, _ = two_runs(seed, n)
    theirs = stats.bootstrap((values,), np.mean, method=method, n_resamples=499, rng=np.random.default_rng(0))
    interval = theirs.confidence_interval
    assert bootstrap_interval(values, None, method, QUICK) == pytest.approx((interval.low, interval.high))


@few
@given(SEEDS, st.integers(20, 60), st.sampled_from([0.05, 0.1]))
def test_bootstrap_interval_of_a_difference_equals_scipy(seed, n, alpha):
    a, b = two_runs(seed, n)
    options = {"n_resamples": 499, "confidence_level": 1 - alpha, "rng": np.random.default_rng(0)}
    interval = stats.bootstrap((a - b,), np.mean, method="BCa", **options).confidence_interval
    told = contrast(a - b, "bootstrap", Sampling(alpha=alpha, resamples=499))
    assert (told.low, told.high) == pytest.approx((interval.low, interval.high))


@few
@given(SEEDS, st.integers(15, 60))
def test_bootstrap_p_equals_scipy_with_the_same_draws(seed, n):
    a, b = two_runs(seed, n)
    differences = a - b
    random = np.random.default_rng(0)

    def size_of_t(sample, axis=-1):
        return np.abs(sample.mean(axis=axis)) / (sample.std(axis=axis, ddof=1) / math.sqrt(n))

    def draw(size):
        return random.choice(differences - differences.mean(), size)

    options = {"alternative": "greater", "vectorized": True, "n_resamples": 499}
    theirs = stats.monte_carlo_test(differences, draw, size_of_t, **options)
    assert contrast(differences, "bootstrap", QUICK).p == pytest.approx(theirs.pvalue)


@pytest.mark.slow
@few
@given(SEEDS)
def test_bootstrap_p_is_near_that_of_the_t_test_for_many_queries(seed):
    a, b = two_runs(seed, 300)
    assert contrast(a - b, "bootstrap", Sampling()).p == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=0.04)


@few
@given(SEEDS, st.integers(2, 50))
def test_interval_of_a_mean_equals_scipy(seed, n):
    values, _ = two_runs(seed, n)
    theirs = stats.t.interval(0.95, n - 1, loc=values.mean(), scale=stats.sem(values))
    assert student_interval(values, 0.05) == pytest.approx(theirs)


@pytest.mark.parametrize("test", TESTS)
@few
@given(n=st.integers(1, 30))
def test_identical_runs_have_p_of_one_and_no_effect(test, n):
    told = contrast(np.zeros(n), test, QUICK)
    assert (told.delta, told.p, told.effect) == (0.0, 1.0, 0.0)


@pytest.mark.parametrize("test", TESTS)
@few
@given(seed=SEEDS, n=st.integers(1, 30))
def test_rounding_is_no_difference(test, seed, n):
    noise = np.random.default_rng(seed).uniform(-1e-12, 1e-12, n)
    assert contrast(noise, test, QUICK).p == 1.0


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(("n", "p"), [(1, 1.0), (2, 2 / 2**2), (6, 2 / 2**6)])
def test_where_all_queries_moved_alike_p_is_that_of_the_sign_flips(test, n, p):
    told = contrast(np.full(n, 0.1), test, QUICK)
    assert told.p == p
    assert math.isnan(told.effect)


@pytest.mark.parametrize("test", TESTS)
def test_no_query_has_no_numbers(test):
    told = contrast(np.array([]), test, QUICK)
    assert all(math.isnan(v) for v in (told.delta, told.low, told.high, told.p, told.effect, told.detectable))


@pytest.mark.parametrize("test", TESTS)
@few
@given(seed=SEEDS, n=st.integers(2, 25))
def test_the_sign_of_the_difference_does_not_change_p(test, seed, n):
    a, b = two_runs(seed, n)
    sampling = Sampling(resamples=199)
    assert contrast(a - b, test, sampling).p == pytest.approx(contrast(b - a, test, sampling).p)


@pytest.mark.parametrize("test", TESTS)
@few
@given(seed=SEEDS, n=st.integers(1, 25))
def test_p_is_a_probability_and_the_same_every_time(test, seed, n):
    a, b = two_runs(seed, n)
    first, repeat = (contrast(a - b, test, Sampling(resamples=99)) for _ in range(2))
    assert 0 <= first.p <= 1
    assert first.p == repeat.p


@pytest.mark.parametrize("test", TESTS)
@few
@given(seed=SEEDS, n=st.integers(0, 25), runs=st.integers(1, 4))
def test_runs_that_are_judged_together_are_judged_as_each_alone(test, seed, n, runs):
    differences = np.random.default_rng(seed).choice([0.0, 0.25, -0.5], (runs, n))
    differences[0] = 0.1
    sampling = Sampling(resamples=99)
    for together, row in zip(contrasts(differences, test, sampling), differences, strict=True):
        assert astuple(together) == pytest.approx(astuple(contrast(row, test, sampling)), nan_ok=True)


@few
@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=2, max_size=60))
def test_sign_equals_scipy(differences):
    assume(len(set(differences)) > 1)
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    told = contrast(np.array(differences), "sign", QUICK)
    assert told.p == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)


PAIRS = [(1, 0), (2, 0), (2, 1)]


def all_orders(values):
    """The range of the run means in each of all (runs!)^queries orders, in plain Python."""
    by_query = [list(itertools.permutations(query)) for query in zip(*values, strict=True)]
    means = ([sum(column) / len(column) for column in zip(*order, strict=True)] for order in itertools.product(*by_query))
    return [max(mean) - min(mean) for mean in means]


@few
@given(SEEDS, st.integers(1, 5))
def test_tukey_of_few_queries_is_exact(seed, n):
    values = np.random.default_rng(seed).choice([0.0, 0.25, 0.5, 1.0], (3, n))
    ranges, means = all_orders(values.tolist()), values.mean(axis=1)
    for (i, j), told in zip(PAIRS, contrasts_of_runs(values, PAIRS, "tukey", Sampling()), strict=True):
        assert told.delta == pytest.approx(means[i] - means[j])
        assert told.p == pytest.approx(np.mean([reach >= abs(means[i] - means[j]) - 1e-12 for reach in ranges]))


def test_tukey_of_many_queries_equals_the_algorithm_of_carterette_but_for_the_draw():
    """Algorithm 1 of Carterette (2012), one order after another."""
    values = np.random.default_rng(4).random((4, 30)) + np.array([[0.0], [0.05], [0.1], [0.2]])
    random, ranges = np.random.default_rng(5), []
    for _ in range(2000):
        means = np.array([random.permutation(query) for query in values.T]).mean(axis=0)
        ranges.append(means.max() - means.min())
    pairs = list(itertools.combinations(range(4), 2))
    for (i, j), told in zip(pairs, contrasts_of_runs(values, pairs, "tukey", Sampling()), strict=True):
        share = np.mean(np.array(ranges) >= abs(values[i].mean() - values[j].mean()))
        assert told.p == pytest.approx(share, abs=5 * math.sqrt(0.25 / 2000))


@pytest.mark.parametrize("seed", range(5))
def test_tukey_is_near_the_studentized_range_of_a_two_way_layout(seed):
    """Sakai (2018), chapter 4: q = |difference| / sqrt(residual variance / queries), with (runs - 1)(queries - 1) degrees."""
    runs, n = 4, 60
    values = np.random.default_rng(seed).normal(size=(runs, n)) + np.random.default_rng(seed + 9).normal(size=n)
    centred = values - values.mean(axis=0) - values.mean(axis=1)[:, None] + values.mean()
    freedom = (runs - 1) * (n - 1)
    error = math.sqrt((centred**2).sum() / freedom / n)
    pairs = list(itertools.combinations(range(runs), 2))
    for (i, j), told in zip(pairs, contrasts_of_runs(values, pairs, "tukey", Sampling()), strict=True):
        theirs = stats.studentized_range.sf(abs(values[i].mean() - values[j].mean()) / error, runs, freedom)
        assert told.p == pytest.approx(theirs, abs=0.03)
        half = stats.studentized_range.ppf(0.95, runs, freedom) * error
        assert (told.high - told.low) / 2 == pytest.approx(half, rel=0.05)


@few
@given(SEEDS, st.integers(1, 40))
def test_tukey_of_two_runs_is_the_permutation_test(seed, n):
    a, b = two_runs(seed, n)
    told = contrasts_of_runs(np.array([a, b]), [(1, 0)], "tukey", QUICK)[0]
    assert astuple(told) == pytest.approx(astuple(contrast(b - a, "permutation", QUICK)), nan_ok=True)


@few
@given(SEEDS, st.integers(1, 30), st.sampled_from([0.05, 0.2]))
def test_a_tukey_interval_leaves_out_0_where_p_is_below_alpha(seed, n, alpha):
    values = np.random.default_rng(seed).choice([0.0, 0.25, 0.5, 1.0], (3, n)) + np.array([[0.0], [0.1], [0.4]])
    for told in contrasts_of_runs(values, PAIRS, "tukey", Sampling(alpha=alpha, resamples=199)):
        if not math.isnan(told.low) and abs(told.delta) > 1e-9 and min(abs(told.low), abs(told.high)) > 1e-9:
            assert (told.p < alpha) is not (told.low < 0 < told.high)


def test_tukey_of_no_query_has_no_numbers():
    assert all(math.isnan(told.p) for told in contrasts_of_runs(np.empty((3, 0)), PAIRS, "tukey", QUICK))


@few
@given(SEEDS, st.integers(2, 50))
def test_a_function_is_a_test(seed, n):
    a, b = two_runs(seed, n)
    told = contrast(a - b, lambda d: stats.ttest_1samp(d, 0), QUICK)
    assert told.p == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert math.isnan(told.low)
    assert contrast(a - b, lambda d: float(np.abs(d).max()), QUICK).p == np.abs(a - b).max()


@pytest.mark.parametrize("returned", [None, "x", True, 1.5, -0.1, math.nan, np.array([0.5]), [0.5], 1j, 10**400, object()])
def test_what_is_no_p_is_refused(returned):
    with pytest.raises(InputError, match="the function of the test returned"):
        contrast(np.array([0.1, 0.2]), lambda d: returned, QUICK)


def test_what_the_function_of_a_test_raises_is_an_error():
    with pytest.raises(InputError, match="the function of the test raised ZeroDivisionError: division by zero"):
        contrast(np.array([0.1, 0.2]), lambda d: 1 / 0, QUICK)


def test_the_function_of_a_test_changes_nothing():
    def double(d):
        d *= 2
        return 0.5

    differences = np.array([0.1, 0.2])
    assert contrast(differences, double, QUICK).delta == pytest.approx(0.15)
    assert differences.tolist() == [0.1, 0.2]


def test_a_test_has_a_name():
    assert name_of(stats.ttest_1samp).startswith("scipy.stats")
    assert name_of(functools.partial(stats.ttest_1samp, popmean=0)) == "functools:partial"


def test_effect_is_the_mean_over_the_standard_deviation():
    differences = np.array([0.1, 0.2, 0.6])
    deviation = math.sqrt(((0.1 - 0.3) ** 2 + (0.2 - 0.3) ** 2 + (0.6 - 0.3) ** 2) / 2)
    assert contrast(differences, "t", QUICK).effect == pytest.approx(0.3 / deviation)


@pytest.mark.parametrize("n", [2, 3, 5, 10, 34, 50, 7000])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_the_detectable_effect_has_a_power_of_80_percent(n, alpha):
    """The power as an integral over the sample deviation s: P(|Z + shift| > critical s)."""
    shift, critical = detectable_effect(n, alpha) * math.sqrt(n), stats.t.ppf(1 - alpha / 2, n - 1)
    deviation = stats.chi(n - 1, scale=1 / math.sqrt(n - 1))

    def integrand(s):
        return deviation.pdf(s) * (stats.norm.sf(critical * s - shift) + stats.norm.cdf(-critical * s - shift))

    power, _ = integrate.quad(integrand, 0, 1, limit=500)
    rest, _ = integrate.quad(integrand, 1, 6, limit=500)
    assert power + rest == pytest.approx(0.8, abs=1e-5)


def test_34_pairs_are_what_cohen_asks_for_to_detect_half_a_deviation():
    assert detectable_effect(34, 0.05) < 0.5 < detectable_effect(33, 0.05)


def test_one_query_detects_nothing():
    assert math.isnan(detectable_effect(1, 0.05))


def test_a_test_that_says_yes_in_80_percent_of_cases_detects_what_is_not_there():
    assert detectable_effect(20, 0.8) == 0.0


P = [0.01, 0.04, 0.03, 0.005]


@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        (None, P),
        ("bonferroni", [0.01 * 4, 0.04 * 4, 0.03 * 4, 0.005 * 4]),
        # In order: 0.005 * 4, 0.01 * 3, 0.03 * 2, 0.04 * 1, none below one before it.
        ("holm", [0.01 * 3, 0.03 * 2, 0.03 * 2, 0.005 * 4]),
        # In order: 0.005 * 4/1, 0.01 * 4/2, 0.03 * 4/3, 0.04 * 4/4, none above one after it.
        ("bh", [0.01 * 4 / 2, 0.04, 0.04, 0.01 * 4 / 2]),
    ],
)
def test_corrections_are_their_definition(correction, expected):
    assert corrected(P, correction) == pytest.approx(expected)


@few
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_bh_equals_scipy(p):
    assert corrected(p, "bh") == pytest.approx(stats.false_discovery_control(p, method="bh"))


@few
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_stands_between_p_and_bonferroni(p):
    for plain, holm, bonferroni in zip(p, corrected(p, "holm"), corrected(p, "bonferroni"), strict=True):
        assert plain <= holm <= bonferroni <= 1


@pytest.mark.slow
@few
@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh"])
def test_corrections_equal_statsmodels(correction, p):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    method = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh"}[correction]
    assert corrected(p, correction) == pytest.approx(multitest.multipletests(p, method=method)[1])


def test_what_has_no_p_does_not_count_in_a_family():
    result = corrected([math.nan, 0.01, 0.02], "bonferroni")
    assert math.isnan(result[0])
    assert result[1:] == [0.02, 0.04]


@pytest.mark.parametrize("test", ["t", pytest.param("bootstrap", marks=pytest.mark.slow)])
def test_the_interval_of_a_difference_covers_the_truth_as_often_as_it_says(test):
    """1,000 data sets of 50 queries whose runs differ by 0.05 on average, as skewed as reciprocal ranks are."""
    random = np.random.default_rng(1)
    sampling = Sampling(resamples=999)
    interval = {"t": lambda d: student_interval(d, 0.05), "bootstrap": lambda d: bootstrap_interval(d, None, "BCa", sampling)}[test]
    data = random.beta(1, 3, (1000, 50)) - 0.25 + 0.05
    covered = sum(low <= 0.05 <= high for low, high in map(interval, data))
    assert 920 <= covered <= 980


def test_p_is_below_5_percent_in_5_percent_of_data_sets_without_a_difference():
    random = np.random.default_rng(2)
    low = sum(contrast(random.normal(size=30), "t", QUICK).p < 0.05 for _ in range(400))
    assert 8 <= low <= 32


SHIFTS = np.linspace(-2, 2, 801)


@pytest.mark.parametrize("n", [5, 6, 9, 12, 25])
@pytest.mark.parametrize("test", ["permutation", "sign"])
@few
@given(seed=SEEDS)
def test_the_interval_holds_the_shifts_that_the_test_does_not_reject(test, n, seed):
    d, sampling = np.round(np.random.default_rng(seed).normal(0.1, 0.4, n), 2), Sampling(0.1, 999)
    told = contrast(d, test, sampling)
    shifts = SHIFTS + 0.001  # none is a difference itself, which the sign test would drop
    kept = [shift for shift in shifts if contrast(d - shift, test, sampling).p >= 0.1]
    ends = (-2, 2) if math.isnan(told.low) else (told.low, told.high)
    assert np.allclose((kept[0], kept[-1]), ends, atol=0.006)
    middle = told.delta if test == "permutation" else np.median(d)
    assert ends[0] <= middle <= ends[1]


def test_intervals_are_clipped_to_what_is_possible_and_there_is_none_where_nothing_moved():
    told = contrast(np.array([1.0, 0.0]), "t", QUICK, limit=1.0)
    assert (told.low, told.high) == (-1.0, 1.0)
    assert contrast(np.array([1.0, 0.0]), "t", QUICK).high > 6
    assert math.isnan(contrast(np.zeros(30), "t", QUICK, limit=1.0).low)


@pytest.mark.parametrize(("effect", "queries"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_needed_queries_equal_the_published_ones(effect, queries):
    """Cohen's small, medium and large effects: the sample sizes of G*Power for a two-sided paired t-test, power 80 %, level 5 %."""
    assert queries_to_show(effect, 0.05) == queries
    assert detectable_effect(queries, 0.05) <= effect < detectable_effect(queries - 1, 0.05)


@few
@given(st.floats(0.01, 3), st.floats(0.001, 0.3), st.floats(0.1, 0.99))
def test_needed_queries_are_the_fewest_with_the_power(effect, alpha, power):
    n = queries_to_show(effect, alpha, power)

    def power_of(n):  # by the distribution of the deviation, since scipy's noncentral t is NaN in places
        critical, shift = stats.t.ppf(1 - alpha / 2, n - 1), effect * n**0.5

        def beyond(deviation):
            at = critical * (deviation / (n - 1)) ** 0.5
            return (stats.norm.sf(at - shift) + stats.norm.cdf(-at - shift)) * stats.chi2.pdf(deviation, n - 1)

        middle = stats.chi2.ppf([1e-12, 0.01, 0.5, 0.99, 1 - 1e-12], n - 1)
        return sum(integrate.quad(beyond, a, b, epsabs=1e-10)[0] for a, b in itertools.pairwise(middle))

    assert power_of(n) >= power - 1e-5
    assert n == 2 or power_of(n - 1) <= power + 1e-5


def test_a_difference_of_nothing_is_shown_by_no_number_of_queries():
    assert queries_to_show(0.0, 0.05) is None
    assert queries_to_show(1e-6, 0.05) is None
    assert math.isnan(contrast(np.zeros(10), "t", QUICK).needed)
