"""interval: the bootstrap interval of a mean, by scipy, the same for the same seed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from samescore import evaluate, interval
from samescore.errors import InputError, InputTypeError, ResultKeyError

RANKS = [1, 2, 1, 4, 3, 1, 2, 8, 1, 5]
QRELS = {f"q{i}": {"d": 1} for i in range(len(RANKS))}
RUN = {f"q{i}": [f"x{j}" for j in range(1, rank)] + ["d"] for i, rank in enumerate(RANKS)}
RESULT = evaluate(RUN, QRELS, measures="RR", backend="reference")


@pytest.mark.parametrize("method", ["BCa", "percentile", "basic"])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_it_equals_scipy_with_the_same_draws(method, level):
    values = 1 / np.array(RANKS)
    options = {"method": method, "confidence_level": level, "n_resamples": 499, "rng": np.random.default_rng(7)}
    theirs = stats.bootstrap((values,), np.mean, **options).confidence_interval
    assert tuple(interval(RESULT, "mrr", method=method, level=level, resamples=499, seed=7)) == pytest.approx(tuple(theirs))


def test_it_says_how_it_was_made():
    made = interval(RESULT, "RR", resamples=199)
    assert (made.mean, made.level, made.method, made.queries) == (RESULT["RR"], 0.95, "BCa", 10)
    assert str(made) == f"{made.mean:.4f}, 95 % interval {made.low:.4f} to {made.high:.4f} (BCa bootstrap over 10 queries)"


def test_the_same_seed_gives_the_same_interval():
    assert interval(RESULT, "RR", seed=3) == interval(RESULT, "RR", seed=3)
    assert interval(RESULT, "RR", seed=3) != interval(RESULT, "RR", seed=4)


def test_queries_that_are_all_alike_leave_no_doubt():
    result = evaluate({"q1": ["d"], "q2": ["d"]}, {"q1": {"d": 1}, "q2": {"d": 1}}, measures="RR", backend="reference")
    assert tuple(interval(result, "RR")) == (1.0, 1.0)


@pytest.mark.parametrize("queries", [[], ["q1"]])
def test_fewer_than_two_queries_have_no_interval(queries):
    result = evaluate({q: ["d"] for q in queries}, {q: {"d": 1} for q in queries}, measures="RR", backend="reference")
    assert all(map(math.isnan, interval(result, "RR")))


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
        low, high = interval(result, "RR", resamples=499)
        covered += low <= 1 / 2 <= high
    assert 920 <= covered <= 980


def test_what_is_no_result_is_refused():
    with pytest.raises(InputTypeError, match="is no Result"):
        interval(RUN, "RR")


@pytest.mark.parametrize("options", [{"resamples": 0}, {"resamples": 2.5}, {"seed": -1}, {"seed": "x"}])
def test_what_nothing_can_be_drawn_with_is_refused(options):
    with pytest.raises(InputError, match=f"{next(iter(options))} is"):
        interval(RESULT, "RR", **options)


def test_one_query_has_no_interval_and_print_says_so():
    one = evaluate({"q0": ["d"]}, {"q0": {"d": 1}}, measures="RR", backend="reference")
    assert str(interval(one, "RR")) == "1.0000, no interval: 1 query"
