"""Every exception of samescore: one root, leaves that are also the built-in kind, messages of two lines."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class SamescoreError(Exception):
    """The root of all errors that samescore raises on purpose.

    The message says what is wrong and where; a second line, ``try: ...``, says what to do about it.
    """

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what, self.where, self.hint = what, where, hint
        first = f"{where}: {what}" if where else what
        super().__init__(f"{first}\ntry: {hint}" if hint else first)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.what, self.where, self.hint)


def _rebuild(kind: type[SamescoreError], what: str, where: str, hint: str) -> SamescoreError:
    """Make an error again after it crossed a process boundary."""
    return kind(what, where=where, hint=hint)


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

    __str__ = Exception.__str__


class GapError(BackendError, NotImplementedError):
    """A measure that the backend asked for does not have."""


class MissingLibraryError(SamescoreError, ImportError):
    """A library that a backend or reader needs and that is not installed or fails to import."""


class SamescoreWarning(UserWarning):
    """Something that is not wrong in itself but usually means that the input is."""


def location(*, query: str | None = None, doc: str | None = None, file: object = None, line: int | None = None) -> str:
    """Words for a place in the input: ``run.txt:3``, ``query 'q1', document 'd7'``."""
    parts = []
    if file is not None:
        parts.append(f"{file}, line {line}" if line is not None else str(file))
    if query is not None:
        parts.append(f"query {short(query)}")
    if doc is not None:
        parts.append(f"document {short(doc)}")
    return ", ".join(parts)


def short(value: object, width: int = 60) -> str:
    """The repr of a value, cut in the middle if it is long."""
    try:
        text = repr(value)
    except Exception:  # a whole number of more than 4300 digits, an object that is broken: still an error to word
        text = f"<{type(value).__name__}>"
    return text if len(text) <= width else f"{text[: width // 2]}...{text[-width // 3 :]}"


def examples(values: Iterable[object], n: int = 3) -> str:
    """The first few values, and how many more there are."""
    rest = list(values)
    shown = ", ".join(short(v, 40) for v in rest[:n])
    return shown if len(rest) <= n else f"{shown} and {len(rest) - n} more"


def nearest(name: str, known: Iterable[str], n: int = 3) -> str:
    """The known names that look most like this one, as words, or all of them where none does."""
    names = list(dict.fromkeys(known))
    lowered = {k.lower(): k for k in reversed(names)}  # of two spellings, the first
    close = [lowered[c] for c in get_close_matches(name.lower(), lowered, n)]
    return ", ".join(close or names)
