"""The table of backends, and how one is found by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from inspect import getattr_static
from typing import Any

from ..errors import BackendError, GapError, SamescoreError, Wording, nearest, short
from ..measures import CATALOGUE, Measure, ParamValue, example
from ..user_code import load, raising
from .auto import Auto
from .base import Backend, Gap, Grades, resolution

__all__ = [
    "BACKENDS",
    "Backend",
    "Gap",
    "Grades",
    "assign",
    "check_gaps",
    "check_label",
    "find",
    "gap_in",
    "matrix",
    "resolution",
    "shown",
]

BACKENDS: Mapping[str, str] = {
    "ir_measures": "samescore.backends.ir_measures:IrMeasures",
    "ranx": "samescore.backends.ranx:Ranx",
    "reference": "samescore.backends.reference:Reference",
    "ir_measures/accuracy": "samescore.backends.providers:ACCURACY",
    "ir_measures/compat": "samescore.backends.providers:COMPAT",
    "ir_measures/cwl_eval": "samescore.backends.providers:CWL_EVAL",
    "ir_measures/gdeval": "samescore.backends.providers:GDEVAL",
    "ir_measures/judged": "samescore.backends.providers:JUDGED",
    "ir_measures/msmarco": "samescore.backends.providers:MSMARCO",
    "ir_measures/pyndeval": "samescore.backends.providers:PYNDEVAL",
    "ir_measures/trectools": "samescore.backends.providers:TRECTOOLS",
}
"""Name -> module and class; a module is imported when its backend is asked for."""

AUTO = "auto"
"""The name of the default: ir_measures for what it has, then the reference."""


def find(backend: Any) -> Backend:
    """Find a backend.

    Parameters
    ----------
    backend
        One of :data:`BACKENDS`, ``"auto"``, ``"package.module:Object"``, or an object that fits :class:`Backend`. A class is
        called.

    Returns
    -------
    Backend

    Raises
    ------
    BackendError
        For a name that is unknown, what cannot be loaded, and an object that does not fit.

    Examples
    --------
    >>> find("reference").label
    'reference'
    """
    if not isinstance(backend, str):
        return _check_fits(_instance(backend, backend))
    if backend == AUTO:
        return _auto()
    if backend in BACKENDS:
        return _registered(BACKENDS[backend], backend)
    if ":" in backend:
        return _check_fits(_instance(load(backend, "backend", BackendError), backend))
    raise BackendError(f"unknown backend {short(backend)}", hint=nearest(backend, [AUTO, *BACKENDS]) + ", or package.module:Object")


@cache
def _auto() -> Backend:
    """The default, made once."""
    return Auto(find("ir_measures"), find("reference"))


@cache
def _registered(target: str, name: str) -> Backend:
    """A backend of the table, made once."""
    return _check_fits(_instance(load(target, "backend", BackendError), name))


def _check_fits(backend: Any) -> Backend:
    """The object, if it has what a backend has."""
    if any(getattr_static(backend, name, None) is None for name in ("label", "gap", "score")):  # a label may load a library
        raise BackendError(f"{short(backend)} is no backend: it lacks label, gap or score", hint="samescore.backends.Backend")
    return backend  # type: ignore[no-any-return]  # it has what a backend has


def _instance(given: Any, name: object) -> Any:
    """The object itself, or what a class makes without arguments."""
    if not isinstance(given, type):
        return given
    with raising(
        f"the backend {short(name)} cannot be made:", BackendError, passing=(SamescoreError,), hint="an object of the class"
    ):
        return given()


def assign(backend: Backend, measures: Sequence[tuple[Measure, Measure]], grades: Grades) -> list[tuple[Backend, list[int]]]:
    """Which backend computes which of some (requested, resolved) measures: the one given all, or each of ``"auto"`` its share.

    Raises GapError if a measure is lacking, BackendError where a backend says so with no Gap.
    """
    if not isinstance(backend, Auto):
        check_gaps(backend, measures, grades)
        return [(backend, list(range(len(measures))))]
    check_label(backend)
    has = [gap_in(backend.first, resolved, grades) is None for _, resolved in measures]
    first, second = ([i for i, is_first in enumerate(has) if is_first is of_first] for of_first in (True, False))
    if not second:
        return [(backend.first, first)]
    check_gaps(backend.second, [measures[i] for i in second], grades)
    return [(backend.first, first), (backend.second, second)] if first else [(backend.second, second)]


def check_gaps(backend: Backend, measures: Sequence[tuple[Measure, Measure]], grades: Grades) -> None:
    """Raise GapError if the backend lacks one of the (requested, resolved) measures, BackendError where it says so with no Gap."""
    check_label(backend)
    for measure, resolved in measures:
        gap = gap_in(backend, resolved, grades)
        if gap:
            raise GapError(Wording(f"{backend.label} cannot compute {measure}: ", gap.why), hint=gap.instead)


def check_label(backend: Backend) -> None:
    """Raise BackendError for a label that cannot stand in a signature."""
    with raising(lambda: f"the label of the backend {type(backend).__name__} raised", BackendError, passing=(Exception,)):
        label: object = backend.label
    if not isinstance(label, str) or "|" in label or not label.isprintable():
        what = f"the label of the backend is {short(label)}"
        raise BackendError(what, hint="name and version on one line without |, since it stands in the signature")


def gap_in(backend: Backend, measure: Measure, grades: Grades) -> Gap | None:
    """Why a backend lacks a resolved measure, or None; BackendError if it does not say so with a Gap."""
    with raising(lambda: f"{backend.label}, asked for its gap in {measure}, raised", BackendError, passing=(Exception,)):
        gap = backend.gap(measure, grades) if measure.function is None else None
    if gap is not None and not isinstance(gap, Gap):
        what = f"{backend.label} answered {short(gap)} when asked for its gap in {measure}"
        raise BackendError(what, hint="a samescore.backends.Gap, or None")
    return gap


def matrix(grades: Grades | None = None) -> dict[str, dict[str, Gap | None]]:
    """Which backend has which measure.

    Parameters
    ----------
    grades
        The facts about judgements on which a gap may hang; by default grades of 0 and 1.

    Returns
    -------
    dict
        Measure -> backend -> its gap, or None where it has the measure, as :func:`shown`.
    """
    backends = {name: find(name) for name in BACKENDS}
    return {
        measure: {name: backend.gap(shown(measure), grades or Grades()) for name, backend in backends.items()}
        for measure in CATALOGUE
    }


def shown(name: str) -> Measure:
    """The measure that stands for all of its name in the matrix: at 10 where it has a cutoff, with the policy's defaults.

    >>> shown("nDCG"), shown("RR"), shown("IPrec")
    (nDCG(dcg='exp-log2')@10, RR(rel=1)@10, IPrec(rel=1)@0.1)
    """
    entry, least = CATALOGUE[name], example(name)
    usual: dict[str, ParamValue] = {"gain": "exp-log2", "relevance_level": 1}
    filled = {name: usual[param.filled_by] for name, param in entry.params.items() if param.filled_by}
    return Measure(name, None if entry.cutoff == "none" else 10, tuple({**dict(least.params), **filled}.items()))
