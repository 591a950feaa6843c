"""Expected values as formulas: numbers, + - * / **, parentheses, log2(x) and sum(a, b, f), with nothing else evaluated."""

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
    >>> number("sum(1, 3, 1/i)") == 1 + 1 / 2 + 1 / 3
    True
    """
    return float(_value(ast.parse(formula, mode="eval").body, formula) if isinstance(formula, str) else formula)


def _value(node: ast.expr, formula: str, i: int | None = None) -> float:
    """The value of one node; ``i`` is the index of the sum that it stands in."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.Name(id="i") if i is not None:
            return i
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, formula, i)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_value(left, formula, i), _value(right, formula, i))
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](_value(inner, formula, i))
        case ast.Call(func=ast.Name(id="sum"), args=[first, last, inner], keywords=[]) if i is None:
            ends = int(_value(first, formula)), int(_value(last, formula))
            return math.fsum(_value(inner, formula, n) for n in range(ends[0], ends[1] + 1))
    raise ValueError(f"{formula!r} is not a formula of numbers, + - * / **, parentheses, log2(x) and sum(a, b, f)")
