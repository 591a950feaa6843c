"""Every exception of samescore: one root, leaves that are also the built-in kind, messages of two lines."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import chain
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from typing_extensions import Self


class SamescoreError(Exception):
    """The root of all errors that samescore raises on purpose.

    The message is made when it is shown: where and what on the first line, and on a second one, ``try: ...``, what to do
    about it. Control characters in them, as a file name may have, are shown as escapes.

    Parameters
    ----------
    what : str
        What is wrong, and what was given.
    file, line, query, document, run : optional
        Where it is: the name of a file, the number of a line from 1, the ids, and the name of a run.
    where : str
        Any other place, in words.
    hint : str
        What to do about it. What can be set is a :func:`setting`, a :func:`clause` or a :func:`reading`, in a
        :class:`Wording` where other words stand beside it, so that :meth:`message` can show it as an option.

    Examples
    --------
    >>> error = ScoreError("the score is NaN", query="q1", hint="drop the row").at(file="run.txt", line=3)
    >>> error.query, error.line
    ('q1', 3)
    >>> print(error)
    run.txt, line 3, query 'q1': the score is NaN
    try: drop the row
    """

    def __init__(
        self, what: str, *, file: object = None, line: int | None = None, query: str | None = None, document: str | None = None,
        run: str | None = None, where: str = "", hint: str = "",
    ) -> None:  # fmt: skip
        super().__init__(what)
        self.what, self.hint, self.place = what, hint, where
        self.file = None if file is None else str(file)
        self.line, self.query, self.document, self.run = line, query, document, run

    def at(self, **fields: Any) -> Self:
        """The same error with the places filled in that it lacks: ``raise error.at(file="run.txt")``."""
        for name, value in fields.items():
            if getattr(self, name) is None:
                setattr(self, name, str(value) if name == "file" else value)
        return self

    @property
    def where(self) -> str:
        """Where it is, in words."""
        parts = [
            None if self.run is None else f"run {short(self.run)}",
            self.file,
            None if self.line is None else f"line {self.line}",
            self.place or None,
            None if self.query is None else f"query {short(self.query)}",
            None if self.document is None else f"document {short(self.document)}",
        ]
        return ", ".join(part for part in parts if part is not None)

    def message(self, shown: Callable[[Setting], str] = str) -> str:
        """The whole text, with each setting as ``shown`` words it: as Python does, unless told otherwise."""
        where, what, hint = (plain(with_settings(text, shown)) for text in (self.where, self.what, self.hint))
        first = f"{where}: {what}" if where else what
        return f"{first}\ntry: {hint}" if hint else first

    def __str__(self) -> str:
        return self.message()


@dataclass(frozen=True, slots=True)
class Setting:
    """Something that can be set, and values to choose from: ``name=value``, or ``name=`` where there are none.

    ``of`` tells what it is set in: the call of a function, the policy, or the reading of the run or of the qrels; how a
    run or qrels are saved; or that the name is ``code``, a whole call. ``...`` is a value of the user's own.
    """

    name: str
    values: tuple[object, ...]
    of: Literal["call", "policy", "run", "qrels", "save", "code"] = "call"

    def __str__(self) -> str:
        if self.of == "code":
            return self.name
        arguments = [f"{self.name}={'...' if value is ... else repr(value)}" for value in self.values]
        return " or ".join(_SET_IN.get(self.of, "{}").format(argument) for argument in arguments) or f"{self.name}="


_SET_IN = {"policy": "Policy({})", "run": "read_run(run, {})", "qrels": "read_qrels(qrels, {})"}
"""What an argument stands in, where it is none of the function that was called."""


class Wording(str):
    """Text that is made of words and settings; as text, the settings are Python.

    >>> Wording(clause("conflicts", "max", "last"), ", or mend the qrels")
    "Policy(conflicts='max') or Policy(conflicts='last'), or mend the qrels"
    """

    parts: tuple[str | Setting, ...]

    def __new__(cls, *parts: str | Setting) -> Self:
        wording = super().__new__(cls, "".join(map(str, parts)))
        wording.parts = tuple(chain.from_iterable(map(parts_of, parts)))
        return wording


def parts_of(text: str | Setting) -> tuple[str | Setting, ...]:
    """The words and settings that a text is made of."""
    return text.parts if isinstance(text, Wording) else (text,)


def with_settings(text: str, shown: Callable[[Setting], str]) -> str:
    """A text with each setting as ``shown`` words it.

    >>> with_settings(Wording(setting("k", 10), ", or all"), lambda one: f"--{one.name}")
    '--k, or all'
    """
    return "".join(part if isinstance(part, str) else shown(part) for part in parts_of(text))


def setting(name: str, *values: object) -> Wording:
    """An argument of a function, with values that it could have.

    >>> setting("k", 10, [5, 10])
    'k=10 or k=[5, 10]'
    """
    return Wording(Setting(name, values))


def clause(name: str, *values: object) -> Wording:
    """A clause of the policy, with values that it could have.

    >>> clause("missing", "zero", "skip")
    "Policy(missing='zero') or Policy(missing='skip')"
    """
    return Wording(Setting(name, values, "policy"))


def reading(kind: Literal["run", "qrels"], name: str, *values: object) -> Wording:
    """``format`` or ``columns`` of the reader of one side, with values that it could have.

    >>> reading("run", "format", "msmarco")
    "read_run(run, format='msmarco')"
    """
    return Wording(Setting(name, values, kind))


def code(call: str) -> Wording:
    """A call in Python, for which the command line has words of its own.

    >>> code("evaluate(run, qrels)")
    'evaluate(run, qrels)'
    """
    return Wording(Setting(call, (), "code"))


class InputError(SamescoreError, ValueError):
    """A run or qrels that no policy could accept."""


class InputTypeError(InputError, TypeError):
    """A run, ranking or qrels of a kind that cannot be read."""


class IdError(InputError):
    """A query or document id that is empty, not text or integer, or stands twice in two spellings."""


class ScoreError(InputError):
    """A score that is not a number."""


class GradeError(InputError):
    """A grade that is not a number, or one whose gain overflows."""


class FormatError(InputError):
    """A file that is not what it should be; ``where`` names the file and the line."""


class MismatchError(InputError):
    """A run and qrels that do not belong together: no query in common, or one given for the other."""


class PolicyError(SamescoreError, ValueError):
    """An unknown clause or value of a policy, or input that the policy was told to refuse."""


class MeasureError(SamescoreError, ValueError):
    """A measure that is unknown or has parameters that make no sense."""


class BackendError(SamescoreError, ValueError):
    """A backend that is unknown or broke its contract."""


class ResultKeyError(SamescoreError, KeyError):
    """A key that a result does not hold."""


class GapError(BackendError, NotImplementedError):
    """A measure that the backend asked for does not have."""


class MissingLibraryError(SamescoreError, ImportError):
    """A library that a backend or reader needs and that is not installed or fails to import."""


class WriteError(InputError, OSError):
    """A file that cannot be written, or that must not be."""


class SamescoreWarning(UserWarning):
    """Something that is not wrong in itself but usually means that the input is."""


_RUN = ContextVar("run", default="")
"""The name of the run that is worked on, where there are several."""


@contextmanager
def about_run(name: str) -> Iterator[None]:
    """Say in an error, and in a warning, which run it is about."""
    token = _RUN.set(name)
    try:
        yield
    except SamescoreError as error:
        raise error.at(run=name) from None
    finally:
        _RUN.reset(token)


_UNNAMED = ("run", "DataFrame")
"""What a run is called that has no name."""


def warn_caller(what: str | Wording, run: str = "") -> None:
    """Warn of something about a run, at the line that called samescore; every call does, in a loop too."""
    frame: FrameType | None = sys._getframe(1)  # as warnings.warn does, whose stacklevel would have to be counted
    while frame is not None and frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "samescore":
        frame = frame.f_back
    assert frame is not None
    name = _RUN.get() or (run if run not in _UNNAMED else "")
    message = SamescoreWarning(Wording(f"{plain(name)}: ", what) if name else what)
    warnings.warn_explicit(message, SamescoreWarning, frame.f_code.co_filename, frame.f_lineno)


_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""What would break a line, steer a terminal, turn the direction of writing, has no encoding, or no place in XML."""


def plain(text: str) -> str:
    r"""Text on one line: control characters and halves of surrogate pairs are shown as escapes.

    >>> print(plain("a\tb\n\x1b[31m"))
    a\tb\n\x1b[31m
    """
    return _CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def short(value: object, width: int = 60) -> str:
    """The repr of a value, cut in the middle if it is long."""
    try:
        text = repr(value)
    except (Exception, SystemExit):  # a whole number of more than 4300 digits, an object that is broken: still an error to word
        text = f"<{type(value).__name__}>"
    return text if len(text) <= width else f"{text[: width // 2]}...{text[-width // 3 :]}"


def is_word(value: object, words: Collection[str | None]) -> bool:
    """Whether a value is one of some words (or None, where that is among them), whatever else it may be."""
    return (value is None or isinstance(value, str)) and value in words


def examples(values: Iterable[object], n: int = 3) -> str:
    """The first few values, and how many more there are."""
    rest = list(values)
    shown = ", ".join(short(v, 40) for v in rest[:n])
    return shown if len(rest) <= n else f"{shown} and {len(rest) - n} more"


def nearest(name: str, known: Iterable[str], n: int = 3, *, default: Iterable[str] = ()) -> str:
    """The known names that look most like this one, as words; where none does, the default, or the first dozen of them."""
    import difflib  # noqa: PLC0415  # a third of what this module takes to load, for mistakes alone

    names = list(dict.fromkeys(known))
    lowered = {k.lower(): k for k in reversed(names)}  # of two spellings, the first
    close = [lowered[c] for c in difflib.get_close_matches(name[:200].lower(), lowered, n)]
    shown = close or list(default) or names
    return ", ".join(shown[:_DOZEN]) + (f" and {len(shown) - _DOZEN} more" if len(shown) > _DOZEN else "")


_DOZEN = 12
"""More names on a line are not read."""
