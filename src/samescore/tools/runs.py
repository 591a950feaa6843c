"""Names of runs: each has one, and no two have the same."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import InputError, InputTypeError, SamescoreError, nearest, short
from ..readers import Run
from ..readers.files import expand_runs


def named_runs(runs: Any) -> dict[str, Any]:
    """Name -> run, from a mapping, from (name, run) pairs, or from paths, whose file names are the names.

    A path may be a folder of runs or a pattern; a single path, data frame or run that was read will do.

    Raises InputError where there is no run, where two have one name, and for a name that is empty or has a line break.
    """
    named: dict[str, Any] = {}
    for name, run in _pairs(runs):
        if str(name) in named:
            raise InputError(f"two runs have the name {str(name)!r}", hint="a name of its own for each run")
        if str(name).splitlines() != [str(name)]:  # no line at all, or several: no table could hold it
            raise InputError(f"a run has the name {str(name)!r}", hint="a name of one line for each run")
        named[str(name)] = run
    if not named:
        raise InputError("there is no run", hint="{'bm25': run, 'dense': other_run}")
    return named


@contextmanager
def of_run(name: str) -> Iterator[None]:
    """Say in an error which run it is about."""
    try:
        yield
    except SamescoreError as error:
        where = f"run {name!r}, {error.where}" if error.where else f"run {name!r}"
        raise type(error)(error.what, where=where, hint=error.hint) from error


def baseline_of(names: Collection[str], baseline: str | None) -> str:
    """The name that the others are compared with, the first one where none is given.

    Raises InputError where it is not among the names, and for fewer than two runs.
    """
    if len(names) < 2:
        raise InputError(f"one run, {short(next(iter(names)))}, is no comparison", hint="two runs or more")
    if baseline is not None and str(baseline) not in names:
        raise InputError(f"no run has the name of the baseline, {short(baseline)}", hint=nearest(str(baseline), names))
    return next(iter(names)) if baseline is None else str(baseline)


def _pairs(runs: Any) -> list[tuple[Any, Any]]:
    """Each run with its name."""
    if isinstance(runs, Mapping):
        return list(runs.items())
    if hasattr(runs, "columns"):
        return [("run", runs)]
    if isinstance(runs, (str, os.PathLike, Run)):
        return _with_names(runs)
    if isinstance(runs, Iterable):
        return [pair for run in runs for pair in _with_names(run)]
    raise InputTypeError(f"runs are of type {type(runs).__name__}", hint="{'bm25': run, 'dense': other_run}")


def _with_names(run: Any) -> list[tuple[Any, Any]]:
    """A run of a list with its name; all the runs that a folder or a pattern stands for."""
    if isinstance(run, tuple) and len(run) == 2 and isinstance(run[0], str):
        return [run]
    if isinstance(run, (str, os.PathLike)):
        return [(Path(path).name, path) for path in expand_runs([run])]
    if isinstance(run, Run):
        return [(Path(run.name).name, run)]
    raise InputTypeError(f"a run without a name: {short(run)}", hint="{'bm25': run, 'dense': other_run}")
