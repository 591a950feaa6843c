"""Clauses: what is said of a choice of the policy, so that it is said once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral
from types import NoneType
from typing import Any

from .errors import PolicyError, clause, short

_DIGITS = re.compile(r"[0-9]{1,19}")

LARGEST = 2**53
"""The largest number that a clause can have, and a grade."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """What is said of a clause: its values and their words, and why the default is the default.

    Parameters
    ----------
    says : str
        A phrase with ``{}`` for the words of a value: ``ties {}``.
    words : mapping
        Value -> its words. ``None`` is printed as ``all``, True and False as ``yes`` and ``no``.
    number : str
        The words of a number, with ``{}`` for it, where any whole number of at least 1 is a value too.
    why : str
        Why the default is the default.
    touches : str
        What the clause is about, with ``{}`` for the number of queries where they can be counted.
    short : str
        Its name in a signature, where that is not the name of the field.
    """

    says: str
    words: Mapping[Any, str] = field(default_factory=dict)
    number: str = ""
    why: str = ""
    touches: str
    short: str = ""

    def word(self, value: object) -> str:
        """How a value reads beside the phrase.

        >>> depth = Clause(says="rankings {}", words={None: "uncut"}, number="cut at rank {}", touches="the depth")
        >>> depth.word(None), depth.word(10)
        ('uncut', 'cut at rank 10')
        """
        return self.words[value] if value in self.words else self.number.format(value)

    def sentence(self, value: object) -> str:
        """What a policy with a value does: ``rankings cut at rank 10``."""
        return self.says.format(self.word(value))

    @property
    def accepting(self) -> tuple[Any, ...]:
        """The values that refuse nothing."""
        return tuple(value for value in self.words if value != "error")

    def check(self, name: str, value: object) -> Any:
        """The value, a whole number as an int, numpy's too. Raises PolicyError for one that the clause cannot have."""
        if isinstance(value, (str, bool, NoneType)) and value in self.words:
            return value
        if not self.number:
            raise PolicyError(f"{name} cannot be {short(value)}", hint=", ".join(map(repr, self.words)))
        if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < 1:
            raise PolicyError(f"{name} is a whole number of at least 1, not {short(value)}", hint=clause(name, 1, *self.words))
        if int(value) > LARGEST:
            raise PolicyError(f"{name} is at most 2^53, not {short(value)}", hint=clause(name, 1000))
        return int(value)

    def read(self, text: str) -> Any:
        """The value that is printed so, or a number; other text as it is."""
        return next((v for v in self.words if printed(v) == text), int(text) if _DIGITS.fullmatch(text) else text)


def printed(value: object) -> str:
    """A clause's value in a signature, and as it is typed.

    >>> printed("doc_id"), printed(None), printed(False)
    ('doc_id', 'all', 'no')
    """
    return {"None": "all", "True": "yes", "False": "no"}.get(str(value), str(value))
