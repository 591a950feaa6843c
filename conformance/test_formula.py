"""The formula language: what it computes, and that it computes nothing else."""

from __future__ import annotations

import math

import pytest

from .formula import number


@pytest.mark.parametrize(
    ("value", "formula"),
    [
        (0.5, "1/2"),
        (-3.0, "-(1 + 2)"),
        (7.0, "2**3 - 1"),
        (2.0, 2),
        (1.25, "10/8"),
        (7 / math.log2(3), "7/log2(3)"),
        ((1 + 2 / 3) / 2, "(1/1 + 2/3) / 2"),
    ],
)
def test_a_formula_has_the_value_of_its_arithmetic(value: float, formula: str | float) -> None:
    assert number(formula) == value


@pytest.mark.parametrize(
    "formula", ["x", "log(2)", "'1'", "True", "1 if 2 else 3", "__import__('os')", "log2(2, 3)", "1 // 2", "(1).real"]
)
def test_anything_else_is_refused(formula: str) -> None:
    with pytest.raises(ValueError, match="is not a formula"):
        number(formula)
