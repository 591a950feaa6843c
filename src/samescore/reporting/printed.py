"""Printed: a reported number, and how near a value must come to have been printed so."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from numbers import Rational, Real
from typing import Any

import numpy as np

from ..errors import InputError, short

EXACT = 1e-9
"""Numbers that were not rounded may differ by this much: libraries add in different orders."""

FULL = 10
"""A number with so many decimals was not rounded."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as it was reported, with its decimals; None where it was not rounded.

    >>> Printed(0.4675, 4).agrees(0.46746), Printed(0.4675, 4).agrees(0.4674)
    (True, False)
    """

    value: float
    decimals: int | None

    @property
    def within(self) -> float:
        """How far off a value may be: half of the last decimal."""
        return EXACT if self.decimals is None else 0.5 * 10.0**-self.decimals + EXACT

    def agrees(self, value: float) -> bool:
        """Whether the value would be printed so; NaN never."""
        return abs(value - self.value) <= self.within

    def shown(self, value: float) -> str:
        """Another value as this one was printed."""
        return f"{value:.{10 if self.decimals is None else self.decimals}f}"

    def __str__(self) -> str:
        return self.shown(self.value) if self.decimals is not None else repr(self.value)


def read_number(given: Any, where: str = "") -> Printed:
    """A number of which each decimal was given: text or a Decimal, ``"0.4120"``.

    >>> read_number("0.4120")
    Printed(value=0.412, decimals=4)
    """
    try:
        exact = Decimal(given.strip() if isinstance(given, str) else given)
    except (InvalidOperation, ValueError, TypeError):
        raise InputError(f"the reported value {short(given)} is not a number", where=where, hint="0.4675 or '0.4675'") from None
    if not exact.is_finite():
        raise InputError(f"the reported value is {given}", where=where, hint="leave out what has no value")
    exponent = exact.as_tuple().exponent
    decimals = max(-exponent, 0) if isinstance(exponent, int) else 0
    return Printed(float(exact), decimals if decimals < FULL else None)


def read_numbers(given: Mapping[Any, Any], *, alike: bool = False) -> dict[Any, Printed]:
    """Numbers that were reported together. A float does not show its last zeros, so it has the decimals of the others.

    ``alike``: all came from one program, which rounded all or none.

    >>> read_numbers({"RR": 0.5, "AP": 0.2411})["RR"]
    Printed(value=0.5, decimals=4)
    """
    read = {
        key: read_number(value if isinstance(value, (str, Decimal)) else _plain(value, key), str(key))
        for key, value in given.items()
    }
    bare = [key for key, value in given.items() if not isinstance(value, (str, Decimal))]
    full = any(read[key].decimals is None for key in bare)
    if (alike and full) or all(read[key].decimals == 0 for key in bare):
        return {**read, **{key: Printed(read[key].value, None) for key in bare}}
    longest = max((d for d in (read[key].decimals for key in bare) if d is not None), default=0)
    return {**read, **{key: Printed(read[key].value, longest) for key in bare if read[key].decimals is not None}}


def _plain(value: Any, key: Any) -> str:
    """A float or int as its shortest decimal text."""
    if not isinstance(value, (Real, Rational)) and not hasattr(value, "dtype"):
        raise InputError(f"the reported value {short(value)} is not a number", where=str(key), hint="0.4675 or '0.4675'")
    number = float(value)
    if not math.isfinite(number):
        raise InputError(f"the reported value is {number}", where=str(key), hint="leave out what has no value")
    if number == int(number):
        return str(int(number))
    short_repr = str(value) if hasattr(value, "dtype") else repr(number)  # of a 32-bit float, its own digits
    text = format(Decimal(short_repr), "f")
    return text if getattr(value, "dtype", None) != np.float32 else f"{number:.6f}" if len(text) > 8 else text
