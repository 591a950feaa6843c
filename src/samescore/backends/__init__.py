"""The table of backends, and how one is found by name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import BackendError, GapError, nearest, short
from ..measures import CATALOGUE, Measure
from .protocol import Backend, Gap, Grades

__all__ = ["BACKENDS", "Backend", "Gap", "Grades", "check_gaps", "find", "matrix"]

BACKENDS: Mapping[str, str] = {
    "ir_measures": "samescore.backends.ir_measures:IrMeasures",
    "ranx": "samescore.backends.ranx:Ranx",
    "reference": "samescore.backends.reference:Reference",
}
"""Name -> module and class; a module is imported when its backend is asked for."""


def find(backend: Any) -> Backend:
    """A backend by name, by ``"package.module:Object"``, or an object that fits the protocol.

    Raises BackendError for a name that is unknown and an object that does not fit.
    """
    if not isinstance(backend, str):
        found = _made(backend, backend)
    elif backend in BACKENDS:
        found = _load(BACKENDS[backend], backend)
    elif ":" in backend:
        found = _load(backend, backend)
    else:
        raise BackendError(f"unknown backend {short(backend)}", hint=nearest(backend, BACKENDS) + ", or package.module:Object")
    if not isinstance(found, Backend):
        raise BackendError(f"{short(found)} is no backend: it lacks label, gap or score", hint="samescore.backends.Backend")
    return found


def _load(target: str, name: str) -> Any:
    """The object that ``module:attribute`` names; a class is called."""
    module, _, attribute = target.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError, TypeError) as error:  # the last two for ":Object" and ".module:Object"
        raise BackendError(f"the backend {short(name)} cannot be loaded: {error}", hint="package.module:Object") from error
    return _made(found, name)


def _made(found: Any, name: object) -> Any:
    """The object itself, or what a class makes without arguments."""
    if not isinstance(found, type):
        return found
    try:
        return found()
    except TypeError as error:
        raise BackendError(f"the backend {short(name)} cannot be made: {error}", hint="an object of the class") from error


def check_gaps(backend: Backend, asked: Sequence[tuple[Measure, Measure]], grades: Grades) -> None:
    """Raise GapError if the backend lacks one of the (asked, resolved) measures, BackendError if it does not say so with a Gap."""
    if not isinstance(backend.label, str) or "|" in backend.label or not backend.label.isprintable():
        what = f"the label of the backend is {short(backend.label)}"
        raise BackendError(what, hint="name and version on one line without |, since it stands in the signature")
    for measure, resolved in asked:
        gap = backend.gap(resolved, grades)
        if not isinstance(gap, Gap | None):
            what = f"{backend.label} answered {short(gap)} when asked for its gap in {measure}"
            raise BackendError(what, hint="a samescore.backends.Gap, or None")
        if gap:
            raise GapError(f"{backend.label} cannot compute {measure}: {gap.why}", hint=gap.instead)


def matrix(grades: Grades | None = None) -> dict[str, dict[str, Gap | None]]:
    """Measure -> backend -> its gap, or None where it has the measure."""
    engines = {name: find(name) for name in BACKENDS}
    return {
        name: {backend: engine.gap(_plain(name), grades or Grades()) for backend, engine in engines.items()} for name in CATALOGUE
    }


def _plain(name: str) -> Measure:
    """A measure of the catalogue with a cutoff only where it must have one."""
    return Measure(name, 10 if CATALOGUE[name].cutoff == "required" else None)
