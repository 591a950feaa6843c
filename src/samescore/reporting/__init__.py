"""Reports of other tools: the numbers that they printed, to their precision, and what their names mean."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import InputError, InputTypeError, nearest, short
from ..readers.frames import is_frame
from ..result import Result
from .files import read_file
from .names import DIALECTS, current, meaning
from .objects import read_frame, read_mapping
from .printed import Printed
from .reported import Reported

__all__ = ["DIALECTS", "Printed", "Reported", "current", "meaning", "read_reported"]


def read_reported(source: Any, *, tool: str | None = None, run: str = "run") -> Reported:
    """Read what a tool reported for a run.

    ``source`` is a path to trec_eval's output, to ir_measures' lines or to JSON, a Result, a DataFrame, a Series,
    {measure: value} or {measure: {query: value}}. ``tool`` says whose names the measures have, one of DIALECTS; by default a
    file tells, and the names in objects are samescore's. ``run`` is the name of the run, where a report has several.

    Raises InputError for what cannot be read, and for a report without a number.
    """
    if tool is not None and tool not in DIALECTS:
        raise InputError(f"unknown tool {short(tool)}", hint=nearest(str(tool), DIALECTS))
    report = _read(source, run)
    if not len(report):
        raise InputError(f"nothing is reported in {_named(source)}", hint='{"nDCG@10": 0.4675}')
    return replace(report, tool=tool) if tool else report


def _read(source: Any, run: str) -> Reported:
    """Read a report of any form."""
    if isinstance(source, Reported):
        return source
    if isinstance(source, Result):
        return read_mapping(source.to_dict(), "samescore", alike=True)
    if isinstance(source, Mapping):
        return read_mapping(source, "samescore", alike=False)
    if isinstance(source, (str, os.PathLike)):
        return read_file(Path(source), run)
    if is_frame(source):
        return read_frame(source, "samescore")
    if type(source).__name__ == "Series":  # of pandas: what frame.mean() gives
        return read_mapping(source.to_dict(), "samescore", alike=False)
    hint = "a path, {'nDCG@10': 0.4675} or a DataFrame"
    raise InputTypeError(f"cannot read a report from {_named(source)}", hint=hint)


def _named(source: Any) -> str:
    """What was given, on one line."""
    return f"a {type(source).__name__} without a value" if is_frame(source) else " ".join(short(source).split())
