"""User code: objects loaded by ``package.module:Object``, and what such code raises, as errors of samescore."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from types import TracebackType
from typing import Any

from .errors import SamescoreError, short

_NOTE = "samescore: "

_TARGET = re.compile(r"[\w.]+:\w+")


def is_target(name: str) -> bool:
    """Whether a name is written as that of an object in a module.

    >>> is_target("package.module:function"), is_target("nDCG(gains={1: 1})@10"), is_target("ranx")
    (True, False, False)
    """
    return _TARGET.fullmatch(name) is not None


def load(target: str, what: str, error: type[SamescoreError]) -> Any:
    """The object that ``package.module:Object`` names; ``what`` tells in words what is loaded.

    Raises ``error`` where there is no such module or object, and for whatever the module raises.

    >>> load("math:pi", "number", SamescoreError)
    3.141592653589793
    """
    module, _, attribute = target.partition(":")
    hint = "package.module:name, of a module that Python can import"
    if not all(part.isidentifier() for part in [*module.split("."), attribute]):
        raise error(f"the {what} {short(target)} is not of the form package.module:name", hint=hint)
    with raising(f"the {what} {short(target)} cannot be loaded:", error, hint=hint):
        return getattr(importlib.import_module(module), attribute)


class raising:  # noqa: N801  # reads as a verb where it is used
    """Raise ``error`` for whatever user code raises, ``SystemExit`` too, but for an interruption and what is ``passing``.

    ``what`` are the words before the exception, or makes them, and ``fields`` are those of the error. What is passing gets them
    as a note.
    """

    __slots__ = ("error", "fields", "passing", "what")

    def __init__(
        self,
        what: str | Callable[[], str],
        error: type[SamescoreError],
        *,
        passing: tuple[type[Exception], ...] = (),
        **fields: Any,
    ) -> None:
        self.what, self.error, self.passing, self.fields = what, error, passing, fields

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None) -> None:
        if raised is None or isinstance(raised, (KeyboardInterrupt, GeneratorExit)):
            return
        if not isinstance(raised, self.passing):
            raise self.error(f"{_worded(self.what)} {in_one_line(raised)}", **self.fields) from raised
        if not isinstance(raised, SamescoreError):
            notes = [*getattr(raised, "__notes__", []), f"{_NOTE}{_worded(self.what)} {in_one_line(raised)}"]
            raised.__notes__ = notes  # which is add_note of Python 3.11


def _worded(what: str | Callable[[], str]) -> str:
    """Words that are given, or made where they are needed."""
    return what if isinstance(what, str) else what()


def noted(raised: BaseException) -> str | None:
    """Which user code an exception comes from, as :func:`raising` noted it on what it let pass; None for any other."""
    return next((note.removeprefix(_NOTE) for note in getattr(raised, "__notes__", []) if note.startswith(_NOTE)), None)


def in_one_line(raised: BaseException) -> str:
    """The kind of an exception and what it says, on one line.

    >>> in_one_line(ValueError("this is", "odd")), in_one_line(SystemExit())
    ("ValueError: ('this is', 'odd')", 'SystemExit')
    """
    try:
        text = " ".join(str(raised).split())
    except (Exception, SystemExit):  # the exception is user code too
        text = ""
    text = text if len(text) <= 300 else f"{text[:200]}...{text[-80:]}"
    return f"{type(raised).__name__}: {text}" if text else type(raised).__name__
