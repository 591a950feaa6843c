"""Measure: a name of the catalogue with a cutoff and parameters, valid once it exists, printed as ir_measures prints it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import SupportsIndex

from ..errors import MeasureError, nearest, short
from .catalogue import CATALOGUE, Entry, ParamValue

DEEPEST = 2**53
"""The largest cutoff: no ranking is as long, and backends count in 64 bits."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure as a value: ``Measure("nDCG", 10)``, ``Measure("P", 5, (("rel", 2),))``, printed as ``P(rel=2)@5``.

    Use :func:`samescore.parse` to make one from text. Two that mean the same are equal: parameters stand in the order
    of the catalogue, and those that have their default are left out.

    Raises MeasureError for an unknown name or parameter, a value out of range, or a cutoff below 1.

    >>> Measure("P", 5, (("rel", 2),))
    P(rel=2)@5
    """

    name: str
    cutoff: int | None = None
    params: tuple[tuple[str, ParamValue], ...] = ()

    def __post_init__(self) -> None:
        entry = CATALOGUE.get(self.name)
        if entry is None:
            raise MeasureError(f"unknown measure {short(self.name)}", hint=nearest(self.name, CATALOGUE))
        object.__setattr__(self, "cutoff", _cutoff(entry, self.cutoff))
        object.__setattr__(self, "params", _params(entry, dict(self.params)))

    @property
    def entry(self) -> Entry:
        """What the catalogue says of this measure."""
        return CATALOGUE[self.name]

    @property
    def reads_depth(self) -> bool:
        """Whether documents after the last judged one can change the value."""
        reads = self.entry.reads_depth
        return reads == "always" or (reads == "without cutoff" and self.cutoff is None)

    def get(self, param: str) -> ParamValue | None:
        """A parameter's value, or its default."""
        for name, value in self.params:
            if name == param:
                return value
        known = self.entry.params.get(param)
        return known.default if known else None

    def with_params(self, **params: ParamValue) -> Measure:
        """The same measure with other parameters."""
        return Measure(self.name, self.cutoff, tuple({**dict(self.params), **params}.items()))

    def __str__(self) -> str:
        inside = ",".join(f"{name}={_printed(value)}" for name, value in self.params)
        return f"{self.name}{f'({inside})' if inside else ''}{f'@{self.cutoff}' if self.cutoff is not None else ''}"

    __repr__ = __str__


def _printed(value: ParamValue) -> str:
    """A parameter's value as ir_measures prints it."""
    if isinstance(value, tuple):
        return "{" + ",".join(f"{k:g}:{v:g}" for k, v in value) + "}"
    return repr(value)


def _cutoff(entry: Entry, given: SupportsIndex | None) -> int | None:
    """The cutoff as an int of at least 1, or None."""
    if given is None:
        if entry.cutoff == "required":
            raise MeasureError(f"{entry.name} needs a cutoff", hint=f"{entry.name}@10")
        return None
    if entry.cutoff == "none":
        raise MeasureError(f"{entry.name} has no cutoff, but {given!r} was given", hint=entry.name)
    try:
        cutoff = given.__index__()
    except (AttributeError, TypeError):
        cutoff = 0
    if cutoff < 1 or isinstance(given, bool):
        what = f"the cutoff of {entry.name} is {short(given)}; a cutoff is a whole number of at least 1"
        raise MeasureError(what, hint=f"{entry.name}@10")
    if cutoff > DEEPEST:
        raise MeasureError(f"the cutoff of {entry.name} is {short(given)}, more than 2^53", hint=f"{entry.name}@10")
    return cutoff


def _params(entry: Entry, given: dict[str, ParamValue]) -> tuple[tuple[str, ParamValue], ...]:
    """The parameters checked, in the order of the catalogue, without those that have their default."""
    for name, value in given.items():
        known = entry.params.get(name)
        if known is None:
            hint = nearest(name, entry.params) if entry.params else f"{entry.name} has no parameters"
            raise MeasureError(f"{entry.name} has no parameter {short(name)}", hint=hint)
        if not known.valid(value):
            raise MeasureError(f"{entry.name}({name}={value!r}): {name} is {known.kind}")
    return tuple((name, given[name]) for name, param in entry.params.items() if name in given and given[name] != param.default)
