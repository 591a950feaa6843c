"""What was reported: the numbers of a tool, each with the precision to which it was printed."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from numbers import Real
from typing import Any

import numpy as np

from ..errors import InputError, SamescoreError, nearest, short
from ..measures import Measure
from ..measures.names import EVERY
from ..measures.parsing import meaning
from ..readers.frames import is_frame
from .scores import ScoreRows, is_missing, one_line, read_scores

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

    def rounded(self, decimals: int | None) -> Printed:
        """The number where it was rounded to so many decimals before it was printed; None is not at all."""
        return self if decimals is None else Printed(self.value, min(decimals, self.decimals or decimals))

    def __str__(self) -> str:
        return self.shown(self.value) if self.decimals is not None else repr(self.value)


def read_number(given: Any) -> Printed:
    """A number of which each decimal was given: text or a Decimal, ``"0.4120"``.

    >>> read_number("0.4120")
    Printed(value=0.412, decimals=4)
    """
    try:
        exact = Decimal(given.strip() if isinstance(given, str) else given)
    except (InvalidOperation, ValueError, TypeError):
        raise InputError(f"the reported value {short(given)} is not a number", hint="0.4675 or '0.4675'") from None
    value = math.nan if exact.is_nan() else float(exact)
    if not math.isfinite(value):
        raise InputError(f"the reported value is {value}", hint="leave out what has no value")
    exponent = exact.as_tuple().exponent
    decimals = max(-exponent, 0) if isinstance(exponent, int) else 0
    return Printed(value, decimals if decimals < FULL else None)


def read_numbers(given: Mapping[Any, Any], *, alike: bool = False) -> dict[Any, Printed]:
    """Numbers that were reported together. A float does not show its last zeros, so it has the decimals of the others.

    ``alike``: all came from one program, which rounded all or none.

    >>> read_numbers({"RR": 0.5, "AP": 0.2411})["RR"]
    Printed(value=0.5, decimals=4)
    """
    read = {key: _placed(key, value) for key, value in given.items()}
    floats = [key for key, value in given.items() if not isinstance(value, (str, Decimal))]
    decimals = {read[key].decimals for key in floats}
    exact = decimals <= {0} or (alike and None in decimals)
    longest = None if exact else max((n for n in decimals if n is not None), default=0)
    return read | {key: Printed(read[key].value, longest) for key in floats if read[key].decimals is not None}


def _placed(key: Any, value: Any) -> Printed:
    """One number, with its name, or its name and query, in an error."""
    name, query = key if isinstance(key, tuple) else (key, None)
    try:
        return read_number(value if isinstance(value, (str, Decimal)) else _shortest(value))
    except InputError as error:
        raise InputError(error.what, where=str(name), query=query, hint=error.hint) from None


def _shortest(value: Any) -> str:
    """A float or int as its shortest decimal text."""
    try:
        number = float(value) if isinstance(value, Real) or hasattr(value, "dtype") else None
    except OverflowError:  # a whole number beyond all floats
        number = math.inf
    except (TypeError, ValueError):  # an array
        number = None
    if number is None:
        raise InputError(f"the reported value {short(value)} is not a number", hint="0.4675 or '0.4675'")
    if not math.isfinite(number) or number == int(number):
        return f"{number:.0f}"
    short_repr = str(value) if hasattr(value, "dtype") else repr(number)  # of a 32-bit float, its own digits
    text = format(Decimal(short_repr), "f")
    return text if getattr(value, "dtype", None) != np.float32 else f"{number:.6f}" if len(text) > 8 else text


@dataclass(frozen=True, slots=True)
class Reported:
    """What was reported: ``means`` by name, ``per_query`` by name and query, and the ``tool`` whose names they are.

    ``other`` holds what is no number, such as trec_eval's ``runid``; ``blank`` are the names that stand there without a number
    (NaN, null); ``signature`` is that of a result of samescore.
    """

    tool: str
    means: Mapping[Any, Printed]
    per_query: Mapping[Any, Mapping[str, Printed]] = field(default_factory=dict)
    other: Mapping[str, str] = field(default_factory=dict)
    signature: str = ""
    blank: tuple[str, ...] = ()

    @property
    def names(self) -> list[Any]:
        """The names of the measures, in the order reported."""
        return list(dict.fromkeys([*self.means, *self.per_query]))

    @property
    def measures(self) -> dict[Any, Measure]:
        """The measure of each name that means one of the catalogue."""
        return {name: measure for name in self.names if (measure := meaning(name, self.tool)) is not None}

    @property
    def searchable(self) -> dict[Any, Measure]:
        """The measures on which all policies can be tried: not those of subtopics and pools, or user-defined ones; nor trec_eval's
        interpolated precision, of which versions 9 and 10 print other values."""
        by_version = ("IPrec", "11pt") if self.tool == "trec_eval" else ()
        some = {name: m for name, m in self.measures.items() if m.entry.reads == "grades" and m.function is None}
        return {name: measure for name, measure in some.items() if measure.name not in by_version}

    def values(self, name: Any) -> dict[str | None, Printed]:
        """All that is reported of one measure: None, for the mean, or query -> number."""
        mean: list[tuple[str | None, Printed]] = [(None, self.means[name])] if name in self.means else []
        return dict([*mean, *self.per_query.get(name, {}).items()])

    def only(self, names: Sequence[Any]) -> Reported:
        """What is reported of some measures."""
        means = {name: self.means[name] for name in names if name in self.means}
        return Reported(self.tool, means, {name: self.per_query[name] for name in names if name in self.per_query})

    def __len__(self) -> int:
        return len(self.means) + sum(map(len, self.per_query.values()))


def read_reported(source: Any, *, tool: str | None = None, run: str = "run") -> Reported:
    """Read what a tool reported for a run, as :func:`read_scores` reads it, with the precision of each number.

    ``tool`` says whose names the measures have, one of EVERY; by default a file tells, and the names in objects are samescore's.

    Raises InputError for what cannot be read, and for a report without a number.
    """
    if tool is not None and (not isinstance(tool, str) or tool not in EVERY):
        raise InputError(f"unknown tool {short(tool)}", hint=nearest(str(tool), EVERY))
    if is_frame(source) and hasattr(source, "index") and source.index.name is None and len(source) == 1:
        source = source.reset_index(drop=True)  # one row without a query is the means of a run, whatever it is called
    try:
        report = source if isinstance(source, Reported) else _reported(read_scores(source, run=run))
    except SamescoreError as error:
        raise (error.at(file=source) if isinstance(source, (str, os.PathLike)) else error) from None
    if not len(report):
        raise InputError(f"nothing is reported in {one_line(source)}", hint='{"nDCG@10": 0.4675}')
    return replace(report, tool=tool) if tool else report


def _reported(scores: ScoreRows) -> Reported:
    """Values with their precision. Text keeps its decimals, and floats have those of the others.

    Raises InputError for a value that is reported twice, and differs.
    """
    means: dict[Any, Any] = {}
    by_query: dict[Any, dict[str, Any]] = {}
    blank: dict[str, None] = {}
    for name, query, value in scores.rows:
        if is_missing(value):
            blank |= {str(name): None} if query is None else {}
            continue
        values, key = (means, name) if query is None else (by_query.setdefault(name, {}), query)
        first = values.setdefault(key, value)
        if first is not value and first != value:
            what = f"{name} is reported twice for {'all' if query is None else short(query)}: {first} and {value}"
            raise InputError(what, hint="the report of one run, in which no query is named 'all'")
    read = read_numbers({(n, q): value for n, row in by_query.items() for q, value in row.items()}, alike=scores.alike)
    per_query = {name: {query: read[name, query] for query in row} for name, row in by_query.items()}
    without_number = tuple(name for name in blank if name not in means)
    return Reported(scores.tool, read_numbers(means, alike=scores.alike), per_query, scores.other, scores.signature, without_number)
