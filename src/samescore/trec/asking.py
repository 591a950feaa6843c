"""What was asked of trec_eval, as ``-m`` says it, as the columns that it prints."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import MeasureError, nearest, short
from .graded import Gains
from .table import NICKNAMES, PREFERENCES, TABLE, Entry

_WHOLE = re.compile(r"\s*[+-]?\d+(\.\d*)?\s*")


@dataclass(frozen=True, slots=True)
class Column:
    """One line of trec_eval's output: its name there (``P_10``), the measure, and the parameter of this line."""

    name: str
    measure: str
    param: Any = None

    @property
    def entry(self) -> Entry:
        """What the table says of the measure."""
        return TABLE[self.measure]


def asked(measures: Iterable[str]) -> list[Column]:
    """The columns for some ``-m``: measures (``map``), with parameters (``P.5,10``), or nicknames (``official``).

    In trec_eval's order, whatever order they are given in; of a measure that is given twice the first parameters hold, as
    in trec_eval. Raises MeasureError for a name that it lacks and parameters that it cannot read.

    >>> [column.name for column in asked(["success.1", "P.10,5"])]
    ['P_5', 'P_10', 'success_1']
    """
    given: dict[str, str | None] = {}
    for text in measures:
        name, dot, params = text.partition(".")
        for single in NICKNAMES.get(name, [name]):
            _known(single)
            if given.get(single) is None:
                given[single] = params if dot else None
        if dot and not _takes_parameters(name, params):
            raise MeasureError(f"{name} takes no parameters, but {short(params)} was given", hint=f"-m {name}")
    return [column for name in TABLE if name in given for column in _columns(name, given[name])]


def _known(name: str) -> None:
    """Refuse a name that the table lacks."""
    if name in TABLE:
        return
    if name.startswith(PREFERENCES):
        what = f"{short(name)} is for preferences or several judges, which only trec_eval itself can score"
        raise MeasureError(what, hint=", ".join(NICKNAMES))
    raise MeasureError(f"trec_eval has no measure {short(name)}", hint=nearest(name, [*TABLE, *NICKNAMES]))


def _takes_parameters(name: str, params: str) -> bool:
    """Whether a measure takes parameters; none after the dot is an error of its own."""
    if not params:
        raise MeasureError(f"no parameter stands after the dot in {short(name + '.')}", hint=f"-m {name}")
    return name in TABLE and TABLE[name].takes != "none"


def _columns(name: str, params: str | None) -> list[Column]:
    """The columns of one measure."""
    entry = TABLE[name]
    if entry.takes == "none":
        return [Column(name, name)]
    param = entry.given if params is None else _READ[entry.takes](name, params.split(","))
    if entry.takes == "cutoffs":
        return [Column(f"{name}_{cutoff}", name, cutoff) for cutoff in param]
    if entry.takes == "points":
        # trec_eval keeps 9 characters for what follows the name.
        return [Column(f"{name}_{point:3.2f}"[: len(name) + 9], name, point) for point in param]
    return [Column(name if params is None else f"{name}_{params}", name, param)]


def _cutoffs(name: str, texts: Sequence[str]) -> list[int]:
    """Whole numbers of at least 1 in order; of a number with decimals trec_eval takes what stands before the point."""
    for text in texts:
        if not _WHOLE.fullmatch(text) or int(float(text)) < 1:
            what = f"{short(text)} is no cutoff of {name}; a cutoff is a whole number of at least 1"
            raise MeasureError(what, hint=f"-m {name}.5,10")
    return _distinct(name, [int(float(text)) for text in texts])


def _points(name: str, texts: Sequence[str]) -> list[float]:
    """Numbers in order."""
    return _distinct(name, _numbers(name, texts))


def _distinct(name: str, values: list[Any]) -> list[Any]:
    """The values in order, none twice."""
    if len(set(values)) < len(values):
        twice = next(v for v in values if values.count(v) > 1)
        raise MeasureError(f"{twice:g} stands twice after {name}", hint=_written(name, sorted(set(values))))
    return sorted(values)


def _numbers(name: str, texts: Sequence[str]) -> list[float]:
    """Numbers as they stand, as many as the measure wants."""
    entry = TABLE[name]
    if len(texts) < entry.least or (entry.most is not None and len(texts) > entry.most):
        raise MeasureError(f"{name} takes {entry.most} numbers, not {len(texts)}", hint=_written(name, entry.given))
    return [_number(name, text) for text in texts]


def _written(name: str, values: Iterable[float]) -> str:
    """A measure with parameters, as an option."""
    return f"-m {name}.{','.join(f'{v:g}' for v in values)}"


def _gains(name: str, texts: Sequence[str]) -> Gains:
    """``grade=gain`` for some grades, and ``p=`` where the measure reads it."""
    gains: dict[int, float] = {}
    p = Gains().p
    for text in texts:
        grade, equals, value = text.partition("=")
        if equals and grade == "p" and name.startswith("rbp"):
            p = _number(name, value)
        elif equals and grade.isdecimal() and grade.isascii() and int(grade) not in gains:
            gains[int(grade)] = _number(name, value)
        else:
            hint = f"-m {name}.p=0.8" if name.startswith("rbp") else f"-m {name}.1=3,2=9"
            raise MeasureError(f"{short(text)} is no grade=gain that {name} can take, or stands there twice", hint=hint)
    return Gains(gains, p)


def _number(name: str, text: str) -> float:
    """One finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise MeasureError(f"{short(text)} after {name} is not a number", hint=f"trec_eval -h -m {name} explains its parameters")
    return value


_READ: Mapping[str, Callable[[str, Sequence[str]], Any]] = {
    "cutoffs": _cutoffs,
    "points": _points,
    "numbers": _numbers,
    "gains": _gains,
}
"""How each kind of parameters is read."""
