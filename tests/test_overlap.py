"""rbo: the overlap of two runs, by the paper's formula and by the values of another implementation."""

from __future__ import annotations

import math
from random import Random

import pytest

from samescore import Policy, rbo
from samescore.cli import main
from samescore.errors import InputError, PolicyError


def of(a: str, b: str, p: float = 0.9) -> float:
    return rbo({"q": list(a)}, {"q": list(b)}, p).mean


def formula(a: list[str], b: list[str], p: float) -> float:
    """Webber, Moffat and Zobel 2010, equation 32, as it is written."""
    (s, short), (n, long) = sorted(((len(a), a), (len(b), b)), key=lambda pair: pair[0])
    x = [len({*short[:d]} & {*long[:d]}) for d in range(n + 1)]
    seen = sum(x[d] / d * p**d for d in range(1, n + 1)) + sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    return (1 - p) / p * seen + ((x[n] - x[s]) / n + x[s] / s) * p**n


@pytest.mark.parametrize(
    ("a", "b", "p", "value"),
    [
        ("abcdefg", "abcdefg", 0.9, 1.0),
        ("abcdefg", "bacdefg", 0.9, 0.9),  # a doctest of the rbo.py of D. Lukes
        ("abcde", "bdeaf", 0.9, 0.651555),  # rbo 0.1.3: RankingSimilarity(...).rbo_ext, as those that follow
        ("abcdefg", "cab", 0.8, 0.72),
        ("abc", "xya", 0.5, 1 / 12),
        ("abc", "xyz", 0.9, 0.0),
    ],
)
def test_known_values(a, b, p, value):
    assert of(a, b, p) == pytest.approx(value, abs=1e-12)
    assert of(b, a, p) == of(a, b, p)


def test_lists_of_any_length_have_the_value_of_the_formula():
    random = Random(3)
    for _ in range(200):
        pool = [f"d{i}" for i in range(random.randrange(1, 25))]
        a, b = (random.sample(pool, random.randrange(1, len(pool) + 1)) for _ in range(2))
        p = random.choice([0.1, 0.5, 0.9, 0.99])
        assert rbo({"q": a}, {"q": b}, p).mean == pytest.approx(formula(a, b, p), abs=1e-12)


def test_queries_of_one_run_are_left_out_and_named_with_those_that_have_ties():
    a = {"q": {"a": 2.0, "b": 2.0}, "r": ["a"], "s": ["a"]}
    found = rbo(a, {"q": ["b", "a"], "s": ["a"], "t": ["a"]})
    assert (dict(found.per_query), found.tied, found.only_a, found.only_b) == ({"q": 1.0, "s": 1.0}, ("q",), ("r",), ("t",))
    assert "tied documents" in str(found)
    assert rbo(a, {"q": ["b", "a"]}, policy=Policy(ties="input")).mean == pytest.approx(0.9)


def test_the_policy_says_how_deep_runs_are_read_and_what_a_repeat_is():
    assert rbo({"q": ["a", "b"]}, {"q": ["a", "x"]}, policy=Policy(depth=1)).mean == 1
    for duplicates in ("first", "each", "hold"):
        assert rbo({"q": ["a", "a", "b"]}, {"q": ["a", "b"]}, policy=Policy(duplicates=duplicates)).mean == 1
    with pytest.raises(PolicyError, match="run_a"):
        rbo({"q": {"a": 1.0, "b": 1.0}}, {"q": ["a"]}, policy=Policy(ties="error"))


@pytest.mark.parametrize("p", [0, 1, -1, math.nan, "0.9", None, True])
def test_p_is_between_0_and_1(p):
    with pytest.raises(InputError, match="between 0 and 1"):
        rbo({"q": ["a"]}, {"q": ["a"]}, p)


def test_runs_without_a_common_query_are_refused():
    with pytest.raises(InputError, match="no query in common"):
        rbo({"q": ["a"]}, {"r": ["a"]})


def test_the_command_prints_a_line_for_each_query(tmp_path, capsys):
    for name, docs in (("one", "abc"), ("two", "bac")):
        (tmp_path / name).write_text("".join(f"q Q0 {doc} {i} {9 - i} t\n" for i, doc in enumerate(docs)))
    assert main(["rbo", str(tmp_path / "one"), str(tmp_path / "two"), "-p", "0.9", "--format", "tsv"]) == 0
    header, row = capsys.readouterr().out.splitlines()
    assert (header, row.split("\t")[0]) == ("query_id\trbo", "q")
    assert float(row.split("\t")[1]) == pytest.approx(0.9)
