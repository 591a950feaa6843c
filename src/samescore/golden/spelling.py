"""Spelling: ids that a reader would take for one, though no program does."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_FLOAT = re.compile(r"(\d+)\.0")
_SEPARATORS = re.compile(r"[\s\-_.:/\\]+")
_LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


def spelled(text: str) -> str:
    """An id without what is easily changed on the way: case, Unicode form, blanks, kind of separator, leading zeros, a ``.0``.

    >>> spelled("Doc_007"), spelled(" doc-7"), spelled("12.0")
    ('doc-7', 'doc-7', '12')
    """
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).casefold().strip()
    if whole := _FLOAT.fullmatch(plain):
        plain = whole[1]
    return _LEADING_ZEROS.sub("", _SEPARATORS.sub("-", plain).strip("-"))


def alike(ids: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """The ids that are spelled alike, in groups of two and more, in the order given.

    >>> alike(["d1", "d2", "D1"])
    (('d1', 'D1'),)
    """
    groups: dict[str, list[str]] = {}
    for text in ids:
        groups.setdefault(spelled(text), []).append(text)
    return tuple(tuple(group) for spelling, group in groups.items() if len(group) > 1 and spelling)
