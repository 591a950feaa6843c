"""What a parameter of a measure may be: how it is read, what it is when not given, and which clause of the policy fills it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Literal

Number = int | float
ParamValue = bool | int | float | str | tuple[tuple[Number, Number], ...]


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of a measure.

    ``kind`` says in words what it must be, and ``read`` turns what was given into its value, or None where it is not that.
    ``default`` is its value when it is not given; ``filled_by`` the clause of the policy that gives it one, ``unless`` another
    parameter is there. ``example`` is a value to show where one is ``required``.
    """

    kind: str
    read: Callable[[object], ParamValue | None]
    default: ParamValue | None = None
    required: bool = False
    filled_by: Literal["", "gain", "relevance_level"] = ""
    unless: str = ""
    example: ParamValue | None = None


def whole(least: int) -> Callable[[object], int | None]:
    """A reader of whole numbers of at least ``least``."""

    def read(value: object) -> int | None:
        number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
        return number if number is not None and number >= least else None

    return read


def between(low: float, high: float, *, ends: bool = False) -> Callable[[object], float | None]:
    """A reader of real numbers between two, with the ends or without."""

    def read(value: object) -> float | None:
        if not isinstance(value, Real) or isinstance(value, bool):
            return None
        number = float(value)
        return number if low < number < high or (ends and number in (low, high)) else None

    return read


def one_of(*allowed: str) -> Callable[[object], str | None]:
    """A reader of some words."""
    return lambda value: value if isinstance(value, str) and value in allowed else None


def _read_flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _read_gains(value: object) -> tuple[tuple[Number, Number], ...] | None:
    """A mapping, or its pairs, from grade to gain, as sorted pairs of plain numbers."""
    pairs = list(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, (list, tuple)) or not pairs or any(not isinstance(p, tuple) or len(p) != 2 for p in pairs):
        return None
    numbers = [(_plain(grade), _plain(gain)) for grade, gain in pairs]
    if any(grade is None or gain is None or gain < 0 for grade, gain in numbers):
        return None
    gains = {grade: gain for grade, gain in numbers if grade is not None and gain is not None}
    return tuple(sorted(gains.items())) if len(gains) == len(pairs) else None


def _plain(value: object) -> Number | None:
    """A finite number as an int where it is whole, else a float."""
    if not isinstance(value, Real) or isinstance(value, bool) or not math.isfinite(value):
        return None
    number = float(value)
    return int(number) if number.is_integer() else number


LEVEL = Param("a whole grade of at least 1", whole(1))
"""A threshold that the policy does not fill: without it, all documents count, or grades as they are."""
REL = replace(LEVEL, filled_by="relevance_level")
REL_UNLESS_GRADED = replace(REL, unless="max_rel")
DCG = Param("'log2' or 'exp-log2'", one_of("log2", "exp-log2"), filled_by="gain", unless="gains")
GAINS = Param("a mapping from grade to gain, such as {1: 1, 2: 3}, with gains of at least 0", _read_gains)
JUDGED_ONLY = Param("True or False", _read_flag, False)
RELATIVE = Param("True or False", _read_flag, False)
NORMALIZE = Param("True or False", _read_flag, True)
NORM = Param("'min'", one_of("min"))
BETA = Param("a number above 0", between(0, math.inf), 1.0)
RECALL = Param("a number from 0 to 1", between(0, 1, ends=True), required=True, example=0.1)
HIGHEST = Param("a whole grade from 1 to 1000", lambda v: n if (n := whole(1)(v)) is not None and n <= 1000 else None)
"""The highest grade there can be; never taken from the data, so that a value does not depend on what was judged."""
HIGHEST_4 = replace(HIGHEST, default=4)
HIGHEST_NEEDED = replace(HIGHEST, required=True, example=4)
LOWEST = Param("a whole grade of at least 0", whole(0), 0)
TARGET = Param("a number above 0", between(0, math.inf), 1.0)
ALPHA = Param("a number from 0 to 1", between(0, 1, ends=True), 0.5)


def share(default: float) -> Param:
    """A probability that is neither 0 nor 1."""
    return Param("a number between 0 and 1", between(0, 1), default)
