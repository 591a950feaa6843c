"""What holds for any run and qrels: the backends agree, and nothing that should not matter does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from strategies import measures_of_the_catalogue, policies, runs, tries

from samescore import Measure, Policy, Result, backends, evaluate, parse, read_qrels
from samescore.backends import BACKENDS, Grades
from samescore.errors import PolicyError

pytestmark = pytest.mark.filterwarnings("ignore::samescore.errors.SamescoreWarning")  # random runs often hit nothing

Both = tuple[dict[str, Any], dict[str, Any]]
"""A run and qrels."""

MAIN = [name for name in BACKENDS if "/" not in name]
"""The backends that give full precision; the single providers of ir_measures print fewer digits, some of them."""

ENGINES = {name: backends.find(name) for name in MAIN}
EVERY = measures_of_the_catalogue()
DEFAULT = Policy()

some = st.lists(st.sampled_from(EVERY), min_size=6, max_size=14, unique=True)
"""Measures of one call."""
chance = st.randoms(use_true_random=False)


def tried(n: int) -> settings:
    """The settings of every test here: examples are large, and making them is slow."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return tries(n, suppress_health_check=slow)


def having(backend: str, qrels: Any, policy: Policy, measures: Iterable[Measure]) -> list[Measure]:
    """The measures that the backend does not declare a gap for judgements like these."""
    grades = [g for judged in read_qrels(qrels).grades.values() for g in judged.values()]
    about = Grades(max(grades, default=0), all(isinstance(g, int) for g in grades), policy.duplicates == "each")
    return [m for m in measures if ENGINES[backend].gap(policy.resolve(m), about) is None]


def results(both: Both, measures: Iterable[Measure], policy: Policy = DEFAULT) -> dict[str, Result]:
    """The result of each backend for those of the measures that it has; a backend that has none is left out."""
    kept = {backend: having(backend, both[1], policy, measures) for backend in MAIN}
    return {b: evaluate(*both, measures=asked, backend=b, policy=policy) for b, asked in kept.items() if asked}


def bits(found: dict[str, Result]) -> dict[str, object]:
    """Means and values of each backend, to compare bit for bit whatever the order of the queries."""
    return {backend: (result.means, dict(sorted(result.to_dict()["per_query"].items()))) for backend, result in found.items()}


def docs_of(ranking: Any) -> list[str]:
    """The documents of a ranking in any form."""
    return [row[0] if isinstance(row, tuple) else row for row in ranking]


def has_scores(ranking: Any) -> bool:
    """Whether a ranking has scores; if not, its order is the ranking."""
    return isinstance(ranking, dict) or (bool(ranking) and isinstance(ranking[0], tuple))


def outcome(both: Both, backend: str, measures: list[Measure], policy: Policy) -> Result | str:
    """The result, or the words of the policy's refusal."""
    try:
        return evaluate(*both, measures=measures, backend=backend, policy=policy)
    except PolicyError as refusal:
        return str(refusal)


@tried(100)
@given(both=runs(), policy=policies(), measures=some)
def test_every_backend_gives_what_the_reference_gives(both: Both, policy: Policy, measures: list[Measure]) -> None:
    for backend in set(MAIN) - {"reference"}:
        kept = having(backend, both[1], policy, measures)
        if not kept:
            continue
        found, expected = (outcome(both, name, kept, policy) for name in (backend, "reference"))
        if isinstance(expected, str):
            assert found == expected
            continue
        assert isinstance(found, Result)
        assert found.report == expected.report
        assert list(found.per_query.index) == list(expected.per_query.index)
        np.testing.assert_allclose(found.per_query, expected.per_query, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(list(found.values()), list(expected.values()), rtol=1e-9, atol=1e-9)


@tried(30)
@given(both=runs(), measures=some, random=chance)
def test_the_order_in_which_things_are_given_changes_nothing(both: Both, measures: list[Measure], random: Any) -> None:
    def shuffled(given: Any) -> Any:
        rows = list(given.items()) if isinstance(given, Mapping) else list(given)
        random.shuffle(rows)
        return dict(rows) if isinstance(given, Mapping) else rows

    run = {query: shuffled(ranking) if has_scores(ranking) else ranking for query, ranking in shuffled(both[0]).items()}
    qrels = {query: shuffled(judged) for query, judged in shuffled(both[1]).items()}
    assert bits(results((run, qrels), measures)) == bits(results(both, measures))


@tried(30)
@given(both=runs(), measures=some)
def test_names_that_sort_alike_change_nothing(both: Both, measures: list[Measure]) -> None:
    run, qrels = both
    docs = {doc for given in (*run.values(), *qrels.values()) for doc in docs_of(given)}
    names = {doc: f"{n:04} named anew" for n, doc in enumerate(sorted(docs))}
    queries = {query: f"query {n:04}" for n, query in enumerate(sorted(run.keys() | qrels.keys()))}

    def renamed(given: Any) -> Any:
        if isinstance(given, dict):
            return {names[doc]: number for doc, number in given.items()}
        return type(given)((names[row[0]], row[1]) if isinstance(row, tuple) else names[row] for row in given)

    anew = [{queries[query]: renamed(inner) for query, inner in given.items()} for given in both]
    before, after = results(both, measures), results((anew[0], anew[1]), measures)
    for backend, result in after.items():
        assert result.means == before[backend].means
        assert result.per_query.equals(before[backend].per_query.rename(index=queries))


@tried(30)
@given(both=runs(), measures=some, at=st.integers(0, 10**6))
def test_a_duplicate_at_the_end_raises_nothing(both: Both, measures: list[Measure], at: int) -> None:
    def longer(ranking: Any) -> Any:
        if not ranking:
            return ranking
        repeat = docs_of(ranking)[at % len(ranking)]
        rows = list(ranking.items()) if isinstance(ranking, dict) else ranking
        return [*rows, (repeat, min(score for _, score in rows)) if has_scores(rows) else repeat]

    run, qrels = both
    assert bits(results(({query: longer(ranking) for query, ranking in run.items()}, qrels), measures)) == bits(
        results(both, measures)
    )


@tried(30)
@given(both=runs(), policy=policies(ties="doc_id", negatives="nonrelevant", missing="zero", duplicates="first"), measures=some)
def test_a_normalised_measure_is_between_0_and_1_and_nothing_is_nan(both: Both, policy: Policy, measures: list[Measure]) -> None:
    for result in results(both, measures, policy).values():
        for name, mean in result.items():
            values = result.per_query[name].dropna()
            assert len(values) == result.report.n[name]
            assert np.isfinite([mean, *values]).all()
            assert min([mean, *values]) >= 0
            assert not parse(name).entry.bounded or max([mean, *values]) <= 1


PERFECT = ("nDCG", "nDCG@3", "nDCG@1000", "R", "R@1000", "RR", "RR@1", "AP", "AP@1000", "Success", "Success@1", "Rprec", "P@1")
"""The normalised measures that reach 1 where everything relevant stands on top in order of grade."""


@tried(30)
@given(both=runs())
def test_the_ideal_run_scores_1(both: Both) -> None:
    grades = read_qrels(both[1]).grades
    ideal = {query: sorted((d for d, g in judged.items() if g > 0), key=lambda d: -judged[d]) for query, judged in grades.items()}
    relevant = sum(bool(docs) for docs in ideal.values())
    for result in results((ideal, both[1]), map(parse, PERFECT)).values():
        assert result.report.n == dict.fromkeys(result, relevant)
        assert result.means == dict.fromkeys(result, 1.0 if relevant else 0.0)


@tried(15)
@given(both=runs(), measures=some)
def test_a_value_does_not_depend_on_the_measures_beside_it(both: Both, measures: list[Measure]) -> None:
    for backend, together in results(both, measures).items():
        for name in list(together)[:6]:
            alone = evaluate(*both, measures=name, backend=backend)
            assert alone.means == {name: together[name]}
            assert alone.per_query[name].dropna().equals(together.per_query[name].dropna())


@tried(15)
@given(both=runs(), measures=some, policy=policies(ties="input", duplicates="last", negatives="unjudged", missing="skip"))
def test_three_calls_give_the_same_bits(both: Both, measures: list[Measure], policy: Policy) -> None:
    once, repeat, thrice = ([result.to_json() for result in results(both, measures, policy).values()] for _ in range(3))
    assert once == repeat == thrice


@tried(30)
@given(both=runs(), policy=policies(ties="doc_id", duplicates="first", negatives="unjudged", missing="zero", empty="zero"))
def test_reciprocal_ranks_at_all_cutoffs_come_from_one_ranking(both: Both, policy: Policy) -> None:
    cutoffs = (1, 2, 3, 10)
    for result in results(both, [Measure("RR"), *(Measure("RR", k) for k in cutoffs)], policy).values():
        values = result.per_query
        for k in cutoffs:
            assert values[f"RR@{k}"].equals(values["RR"].where(values["RR"] >= 1 / k, 0.0))


@tried(30)
@given(both=runs(), policy=policies(), measures=some)
def test_what_was_given_is_not_changed(both: Both, policy: Policy, measures: list[Measure]) -> None:
    before, order = deepcopy(both), [[list(inner) for inner in given.values()] for given in both]
    with suppress(PolicyError):
        results(both, measures, policy)
    assert both == before
    assert order == [[list(inner) for inner in given.values()] for given in both]


@tried(8)
@given(four=st.lists(runs(), min_size=4, max_size=4), measures=some)
def test_four_threads_give_what_one_gives(four: list[Both], measures: list[Measure]) -> None:
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda both: bits(results(both, measures)), four * 2))
    assert together == [bits(results(both, measures)) for both in four] * 2
