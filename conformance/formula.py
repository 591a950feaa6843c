"""Expected values as formulas: numbers, + - * / **, parentheses and log2(x), with nothing else evaluated."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
FUNCTIONS: Mapping[str, Callable[[float], float]] = {"log2": math.log2}


def number(formula: str | float) -> float:
    """The value of a formula; a plain number is its own value.

    Raises ValueError for anything that the little language lacks.

    >>> number("(1/1 + 2/3) / 2") == (1 / 1 + 2 / 3) / 2
    True
    >>> number("7/log2(3)") == 7 / math.log2(3)
    True
    """
    return float(_value(ast.parse(formula, mode="eval").body, formula) if isinstance(formula, str) else formula)


def _value(node: ast.expr, formula: str) -> float:
    """The value of one node."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, formula)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_value(left, formula), _value(right, formula))
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](_value(inner, formula))
    raise ValueError(f"{formula!r} is not a formula of numbers, + - * / **, parentheses and log2(x)")
