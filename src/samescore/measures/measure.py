"""Measure: a name of the catalogue with a cutoff and parameters, valid once it exists, printed as ir_measures prints it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from ..errors import MeasureError, nearest, short
from .catalogue import CATALOGUE, Entry, Number, ParamValue

Function = Callable[..., "float | None"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure as a value: ``Measure("nDCG", 10)``, ``Measure("P", 5, (("rel", 2),))``, printed as ``P(rel=2)@5``.

    Use :func:`samescore.parse` to make one from text. Two that mean the same are equal: parameters stand in the order
    of the catalogue, and those that have their default are left out.

    Parameters
    ----------
    name
        Its name in the catalogue, or, with a ``function``, a name of its own.
    cutoff
        How many documents of a ranking count; None for all of them, or where the measure has no cutoff.
    params
        Names and values of parameters, as pairs or as a mapping.
    function
        The definition of a user-defined measure, from :func:`samescore.define`.

    Raises
    ------
    MeasureError
        For an unknown name or parameter, a value out of range, or a cutoff below 1.

    Examples
    --------
    >>> Measure("P", 5, (("rel", 2),))
    P(rel=2)@5
    """

    name: str
    cutoff: int | None = None
    params: tuple[tuple[str, ParamValue], ...] = ()
    function: Function | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.function is None and (not isinstance(self.name, str) or self.name not in CATALOGUE):
            raise MeasureError(f"unknown measure {short(self.name)}", hint=f"samescore.parse({short(self.name)})")
        if self.function is not None:
            _check_user_defined_name(self.name)
        entry = self.entry
        object.__setattr__(self, "cutoff", _cutoff(entry, self.cutoff))
        if self.params != () or any(param.required for param in entry.params.values()):
            object.__setattr__(self, "params", _params(entry, _pairs(self.name, self.params)))
            if self.cutoff is None and ("norm", "k") in self.params:
                raise MeasureError(f"{self} is divided by k and has no cutoff", hint=f"{self}@10")

    def __hash__(self) -> int:
        return hash((self.name, self.cutoff))  # few measures differ in parameters alone, and plans are looked up by measures

    @property
    def entry(self) -> Entry:
        """What the catalogue says of this measure."""
        return CATALOGUE[self.name] if self.function is None else _user_defined_entry(self.name, is_lower_better(self.function))

    @property
    def reads_depth(self) -> bool:
        """Whether documents after the last judged one can change the value, or below the cutoff those that were retrieved."""
        reads = self.entry.reads_depth
        if reads == "always" or (reads == "without cutoff" and self.cutoff is None):
            return True
        return bool(self.params) and (self.get("returned") is True or self.get("ideal") == "retrieved")

    def get(self, param: str) -> ParamValue | None:
        """A parameter's value, or its default."""
        for name, value in self.params:
            if name == param:
                return value
        known = self.entry.params.get(param)
        return known.default if known else None

    @property
    def level(self) -> int | None:
        """The lowest grade that is relevant, or None where there is no threshold."""
        rel = self.get("rel")
        return rel if isinstance(rel, int) else None

    @property
    def gains(self) -> Mapping[Number, Number]:
        """Grade -> gain where the measure lists them; empty where it does not."""
        listed = self.get("gains")
        return dict(listed) if isinstance(listed, tuple) else {}

    def number(self, param: str) -> float:
        """The value of a parameter that is a number."""
        value = self.get(param)
        if not isinstance(value, (int, float)):
            raise MeasureError(f"{self} has no number {param}", hint=f"{self.name}({param}=...)")
        return value

    def with_params(self, **params: ParamValue) -> Measure:
        """The same measure with other parameters."""
        return Measure(self.name, self.cutoff, tuple({**dict(self.params), **params}.items()), self.function)

    def __str__(self) -> str:
        at = self.entry.at
        inside = ",".join(f"{name}={_printed(value)}" for name, value in self.params if name != at)
        end = self.cutoff if at == "cutoff" else self.get(at)
        return f"{self.name}{f'({inside})' if inside else ''}{f'@{end}' if end is not None else ''}"

    __repr__ = __str__


def example(name: str, *, cutoff: bool = False) -> Measure:
    """A measure of the catalogue with a cutoff and parameters only where it must have them.

    Parameters
    ----------
    name
        A name of the catalogue.
    cutoff
        Whether it has one wherever it may.

    Returns
    -------
    Measure

    Examples
    --------
    >>> example("R"), example("R", cutoff=True), example("SDCG")
    (R, R@10, SDCG(max_rel=4)@10)
    """
    entry = CATALOGUE[name]
    needed = tuple((n, p.example) for n, p in entry.params.items() if p.required and p.example is not None)
    return Measure(name, 10 if entry.cutoff == "required" or (cutoff and entry.cutoff == "optional") else None, needed)


def _user_defined_entry(name: str, lower_is_better: bool) -> Entry:
    """What there is to say of a user-defined measure: whatever it needs and reads, it may."""
    return Entry(
        name, name, "optional", "defined by the caller", "nothing", "always", bounded=False, lower_is_better=lower_is_better
    )  # fmt: skip


def is_lower_better(function: object) -> bool:
    """Whether the function of a user-defined measure says that lower values are better."""
    return getattr(function, "lower_is_better", False) is True


def _check_user_defined_name(name: object) -> None:
    """Refuse a name that could not stand in a table, or that is another measure's."""
    if not isinstance(name, str) or not name.isidentifier():
        raise MeasureError(f"a measure cannot be named {short(name)}", hint="letters, digits and _, not a digit first")
    if name.lower() in {known.lower() for known in CATALOGUE}:
        raise MeasureError(f"the name {name} is that of a measure of the catalogue", hint=f"My{name}")


def _printed(value: ParamValue) -> str:
    """A parameter's value as ir_measures prints it."""
    if isinstance(value, tuple):
        return "{" + ",".join(f"{grade!r}:{gain!r}" for grade, gain in value) + "}"
    return repr(value)


def _cutoff(entry: Entry, given: SupportsIndex | None) -> int | None:
    """The cutoff as an int of at least 1, or None."""
    if given is None:
        if entry.cutoff == "required":
            raise MeasureError(f"{entry.name} needs a cutoff", hint=str(example(entry.name)))
        return None
    if entry.cutoff == "none":
        raise MeasureError(f"{entry.name} has no cutoff, but {given!r} was given", hint=str(example(entry.name)))
    try:
        cutoff = given.__index__()
    except (AttributeError, TypeError):
        cutoff = 0
    if cutoff < 1 or isinstance(given, bool):
        what = f"the cutoff of {entry.name} is {short(given)}; a cutoff is a whole number of at least 1"
        raise MeasureError(what, hint=_with_cutoff(entry))
    if cutoff > entry.deepest:
        most = "2^53" if entry.deepest == 2**53 else f"{entry.deepest:,}"
        raise MeasureError(f"the cutoff of {entry.name} is {short(given)}, more than {most}", hint=_with_cutoff(entry))
    return cutoff


def _with_cutoff(entry: Entry) -> str:
    """A measure of this name with a cutoff, as a hint."""
    return str(example(entry.name, cutoff=True)) if entry.name in CATALOGUE else f"{entry.name}@10"


def _pairs(name: str, given: object) -> dict[str, object]:
    """Parameters as a mapping, each given once."""
    try:
        pairs = list(given.items() if isinstance(given, Mapping) else given)  # type: ignore[call-overload]  # whatever was given
        read = dict(pairs)
    except (TypeError, ValueError):
        raise MeasureError(f"the parameters of {name} are {short(given)}", hint="(('rel', 2),)") from None
    if len(read) < len(pairs):
        raise MeasureError(f"a parameter of {name} is given twice: {short(given)}", hint="(('rel', 2),)")
    return read


def _params(entry: Entry, given: Mapping[str, object]) -> tuple[tuple[str, ParamValue], ...]:
    """The parameters read, in the order of the catalogue, without those that have their default."""
    values: dict[str, ParamValue] = {}
    for name, value in given.items():
        known = entry.params.get(name)
        if known is None:
            there = f"its parameters are {', '.join(entry.params)}" if entry.params else "it has none"
            near = nearest(name, entry.params)
            hint = near if near in entry.params and len(entry.params) > 1 else str(example(entry.name))
            raise MeasureError(f"{entry.name} has no parameter {short(name)}; {there}", hint=hint)
        read = known.read(value)
        if read is None:
            raise MeasureError(f"{entry.name}({name}={value!r}): {name} is {known.kind}", hint=str(example(entry.name)))
        values[name] = read
    missing = next((name for name, param in entry.params.items() if param.required and name not in values), None)
    if missing:
        raise MeasureError(f"{entry.name} needs {missing}, {entry.params[missing].kind}", hint=str(example(entry.name)))
    if "min_rel" in entry.params and values.get("min_rel", 0) >= values["max_rel"]:  # type: ignore[operator]  # both are numbers
        raise MeasureError(f"{entry.name}: min_rel is not below max_rel", hint=str(example(entry.name)))
    return tuple((name, values[name]) for name, param in entry.params.items() if name in values and values[name] != param.default)


Grades = NDArray[np.int64] | NDArray[np.float64]


def is_graded(measure: Measure) -> bool:
    """Whether a measure is computed from gains."""
    return measure.entry.needs == "gain"


def is_plain(measure: Measure) -> bool:
    """Whether gains grow with grades, so that a threshold on grades is one on gains too."""
    return is_graded(measure) and not measure.gains and measure.level is None and measure.get("dcg") != "binary"


def gains(measure: Measure, grade: Grades) -> NDArray[np.float64]:
    """The gain of each grade, float64 of the same shape: 0 below the measure's ``rel`` and for grades up to 0 that are not listed.

    The measure is resolved: it has ``dcg``, or ``gains`` and then perhaps ``dcg``; grades whose gain overflows were refused.
    """
    if measure.gains:
        table = np.array(list(measure.gains.items()), dtype=np.float64)
        row = np.minimum(np.searchsorted(table[:, 0], grade), len(table) - 1)
        worth = np.where(table[row, 0] == grade, table[row, 1], 0.0)
    else:
        worth = np.maximum(grade, 0).astype(np.float64)
    if measure.get("dcg") == "binary":
        worth = (worth > 0).astype(np.float64)
    elif measure.get("dcg") == "exp-log2":
        worth = 2.0**worth - 1
    return worth if measure.level is None else np.where(grade >= measure.level, worth, 0.0)


def largest_gain(measure: Measure, largest: float) -> float:
    """The largest gain of any grade up to ``largest``, or of any that is listed; infinite where it overflows."""
    listed = measure.gains or {largest: max(largest, 0)}
    worth = max((gain for grade, gain in listed.items() if measure.level is None or grade >= measure.level), default=0)
    if measure.get("dcg") == "binary":
        return float(worth > 0)
    try:
        return 2.0**worth - 1 if measure.get("dcg") == "exp-log2" else float(worth)
    except OverflowError:
        return math.inf


def whole_gains(measure: Measure, *, whole_grades: bool) -> bool:
    """Whether all gains are whole numbers, where grades are or are not."""
    return all(isinstance(gain, int) for gain in measure.gains.values()) if measure.gains else whole_grades
