"""Intervals of means: chosen by the kind of values, exact where there is a formula, by scipy where it is a bootstrap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from samescore import Policy, evaluate, interval
from samescore.errors import InputError, InputTypeError, ResultKeyError
from samescore.intervals import Sampling, mean_interval, upper_bound

RANKS = [1, 2, 1, 4, 3, 1, 2, 8, 1, 5]
QRELS = {f"q{i}": {"d": 1} for i in range(len(RANKS))}
RUN = {f"q{i}": [f"x{j}" for j in range(1, rank)] + ["d"] for i, rank in enumerate(RANKS)}
SKIP = Policy(missing="skip")
RESULT = evaluate(RUN, QRELS, measures="RR", backend="reference")


@pytest.mark.parametrize("method", ["BCa", "percentile", "basic"])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_it_equals_scipy_with_the_same_draws(method, level):
    values = 1 / np.array(RANKS)
    options = {"method": method, "confidence_level": level, "n_resamples": 499, "rng": np.random.default_rng(7)}
    theirs = stats.bootstrap((values,), np.mean, **options).confidence_interval
    assert tuple(interval(RESULT, "mrr", method=method, level=level, resamples=499, seed=7)) == pytest.approx(tuple(theirs))


def test_it_says_how_it_was_made():
    made = interval(RESULT, "RR", method="BCa", resamples=199)
    assert (made.mean, made.level, made.method, made.queries) == (RESULT["RR"], 0.95, "BCa bootstrap", 10)
    assert str(made) == f"{made.mean:.4f}, 95 % interval {made.low:.4f} to {made.high:.4f} (BCa bootstrap, 10 queries)"


def test_the_same_seed_gives_the_same_interval():
    assert interval(RESULT, "RR", method="BCa", seed=3) == interval(RESULT, "RR", method="BCa", seed=3)
    assert interval(RESULT, "RR", method="BCa", seed=3) != interval(RESULT, "RR", method="BCa", seed=4)


def of(values, weights=None, bounded=True, **options):
    weights = None if weights is None else np.array(weights, dtype=float)
    return mean_interval(np.array(values, dtype=float), weights, bounded=bounded, sampling=Sampling(**options))


@pytest.mark.parametrize(("hits", "n"), [(0, 1), (1, 1), (7, 10), (10, 10), (0, 10), (1, 2), (499, 500), (3, 7000)])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_hits_have_the_exact_interval_and_gaffkes_bound_is_the_same(hits, n, alpha):
    theirs = stats.binomtest(hits, n).proportion_ci(1 - alpha)
    values = np.repeat([1.0, 0.0], [hits, n - hits])
    made = of(values, alpha=alpha)
    assert made.method == "Clopper-Pearson"
    assert tuple(made) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    gaffke = (1 - upper_bound(1 - values, alpha / 2), upper_bound(values, alpha / 2))
    assert gaffke == pytest.approx((theirs.low, theirs.high), abs=2e-8)


@pytest.mark.parametrize("value", [0.5, 0.01, 0.99, 1 / 3])
@pytest.mark.parametrize("n", [1, 2, 10, 1000])
def test_equal_values_have_the_bound_of_the_formula_and_never_width_0(value, n):
    """The weight of the one that stands for what was not seen is from Beta(1, n)."""
    made = of([value] * n)
    unseen = 1 - 0.025 ** (1 / n)
    assert tuple(made) == pytest.approx((value * (1 - unseen), value + (1 - value) * unseen), abs=2e-8)
    assert made.low < value < made.high


@pytest.mark.parametrize("n", [2, 5, 30])
def test_gaffkes_bound_is_the_quantile_of_drawn_weights(n):
    rng = np.random.default_rng(n)
    values = rng.beta(2, 5, n)
    drawn = rng.dirichlet(np.ones(n + 1), 400_000) @ np.append(values, 1.0)
    assert (drawn <= upper_bound(values, 0.025)).mean() == pytest.approx(0.975, abs=0.001)
    assert (drawn <= upper_bound(values, 0.2)).mean() == pytest.approx(0.8, abs=0.003)


@given(st.lists(st.floats(0, 1) | st.sampled_from([0.0, 1.0, 5e-324, 1 - 2**-53]), min_size=1, max_size=40))
def test_a_bounded_mean_has_an_interval_within_0_and_1_around_it_whatever_the_order(values):
    made = of(values)
    assert 0 <= made.low <= made.mean + 1e-9
    assert made.mean - 1e-9 <= made.high <= 1
    assert made.high - made.low > 0.5 / (len(values) + 1)
    assert tuple(of(sorted(values))) == tuple(made)


def test_values_above_1_and_unbounded_ones_have_students_interval_and_none_without_a_spread():
    theirs = stats.t.interval(0.95, 2, loc=1.0, scale=stats.sem([0.5, 1.0, 1.5]))
    for bounded in (True, False):
        assert tuple(of([0.5, 1.0, 1.5], bounded=bounded)) == pytest.approx(theirs)
    assert [of(values, bounded=False).method for values in ([], [2.0], [2.0, 2.0])] == [
        "none: no query", "none: one query", "none: equal values",
    ]  # fmt: skip


def test_a_weighted_mean_has_an_approximate_interval_from_ten_queries_on():
    values, weights = 1 / np.array(RANKS), np.arange(1.0, 11.0)
    made = of(values, weights, resamples=499, seed=7)
    assert made.method == "BCa bootstrap, approximate"
    assert made.mean == pytest.approx(np.average(values, weights=weights))
    assert made.low < made.mean < made.high
    assert of(values[:9], weights[:9]).method.startswith("none: fewer than 10 queries")
    assert of(np.ones(12), np.arange(12.0)).method.startswith("none: ")
    assert of(values, np.full(10, 3.0)) == of(values), "equal weights weigh nothing"


@pytest.mark.parametrize(
    ("queries", "said"), [([], "-, no interval (no query), 0 queries"), (["q1"], "1.0000, 95 % interval 0.0250")]
)
def test_print_says_what_few_queries_tell(queries, said):
    run, qrels = {q: ["d"] for q in queries}, {"q1": {"d": 1}}
    result = evaluate(run, qrels, measures="RR", policy=SKIP, backend="reference")
    assert str(interval(result, "RR")).startswith(said)


@pytest.mark.parametrize(
    ("options", "said"), [({"method": "bca"}, "method cannot be 'bca'"), ({"level": 95}, "level is 95"), ({"level": "x"}, "level")]
)
def test_what_makes_no_sense_is_refused(options, said):
    with pytest.raises(InputError, match=said):
        interval(RESULT, "RR", **options)


def test_a_measure_that_was_not_computed_is_refused():
    with pytest.raises(ResultKeyError):
        interval(RESULT, "nDCG@10")


@pytest.mark.slow
def test_bca_covers_the_truth_as_often_as_it_says():
    """1,000 golden sets of 50 queries whose reciprocal rank is 1, 1/2 or 0, a third each: 1/2 on average."""
    random = np.random.default_rng(5)
    qrels = {f"q{i}": {"d": 1} for i in range(50)}
    rankings = (["d"], ["x", "d"], ["x"])
    covered = 0
    for _ in range(1000):
        run = {query: rankings[i] for query, i in zip(qrels, random.integers(0, 3, 50), strict=True)}
        result = evaluate(run, qrels, measures="RR", backend="reference")
        low, high = interval(result, "RR", method="BCa", resamples=499)
        covered += low <= 1 / 2 <= high
    assert 920 <= covered <= 980


def test_what_is_no_result_is_refused():
    with pytest.raises(InputTypeError, match="is no Result"):
        interval(RUN, "RR")


@pytest.mark.parametrize("options", [{"resamples": 0}, {"resamples": 2.5}, {"seed": -1}, {"seed": "x"}])
def test_what_nothing_can_be_drawn_with_is_refused(options):
    with pytest.raises(InputError, match=f"{next(iter(options))} is"):
        interval(RESULT, "RR", **options)
