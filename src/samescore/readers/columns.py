"""The names that columns go by in other libraries and data sets, and which column is which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from ..errors import InputError, Wording, examples, nearest, reading, short

Kind = Literal["run", "qrels"]

What = Literal["score", "rank", "grade"]

# In order of preference: PyTerrier's frames have the text of the query as ``query`` and an internal number as ``docid``.
_NAMES = {
    "query_id": ("query_id", "qid", "q_id", "queryid", "topic_id", "topic", "query"),
    "doc_id": ("doc_id", "docno", "d_id", "corpus_id", "document_id", "docid", "passage_id", "pid", "document", "doc"),
    "score": ("score", "similarity", "sim"),
    "rank": ("rank",),
    "relevance": ("relevance", "rel", "label", "grade", "qrel", "judgment", "judgement", "score"),
    "iteration": ("iteration", "iter", "subtopic", "subtopic_id"),
}

_NUMBERS: dict[Kind, tuple[tuple[str, What], ...]] = {
    "run": (("score", "score"), ("rank", "rank")),
    "qrels": (("relevance", "grade"),),
}


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of the columns that matter, as they are written; ``what`` says what the number is."""

    query: str
    doc: str
    number: str
    what: What
    iteration: str | None = None


Place = Mapping[str, Any]
"""Fields of an error that say where it is: ``file``, ``line`` or ``where``."""

EMPTY: Place = {}


def find_columns(names: Sequence[str], kind: Kind, given: Mapping[str, str] | None = None, place: Place = EMPTY) -> Columns:
    """Which column is which; ``given`` maps our names (``query_id``, ``doc_id``, ``score`` ...) to those in use.

    Raises InputError that names the columns found, and the nearest.
    """
    if given is not None and not isinstance(given, Mapping):
        what = Wording(reading(kind, "columns"), f" is {short(given)}")
        raise InputError(what, hint=reading(kind, "columns", {"query_id": "my name"}))
    chosen = dict(given or {})
    for role, name in chosen.items():
        if role not in _NAMES:
            what = Wording(reading(kind, "columns"), f" has the unknown key {role!r}")
            raise InputError(what, hint=nearest(role, _NAMES))
        if name not in names:
            raise _lacks(role, name, names, kind, place)
    number = next(((role, what) for role, what in _NUMBERS[kind] if role in chosen), None)
    number = number or next(((role, what) for role, what in _NUMBERS[kind] if _named(role, names)), _NUMBERS[kind][0])
    found = {role: chosen.get(role) or _named(role, names) for role in ("query_id", "doc_id", number[0], "iteration")}
    for role in ("query_id", "doc_id", number[0]):
        if found[role] is None:
            raise _lacks(role, role, names, kind, place)
        if list(names).count(found[role] or "") > 1:
            raise InputError(f"there are two columns {found[role]!r}", **place, hint="rename or drop one")
    return Columns(found["query_id"] or "", found["doc_id"] or "", found[number[0]] or "", number[1], found["iteration"])


def looks_like_header(names: Iterable[str]) -> bool:
    """Whether these words name a query and a document, and none is a number."""
    words = list(names)
    return _named("query_id", words) is not None and _named("doc_id", words) is not None and not any(map(_is_number, words))


def _named(role: str, names: Iterable[str]) -> str | None:
    """The column that goes by one of the names of a role."""
    plain = {name.strip().lower().replace("-", "_").replace(" ", "_"): name for name in reversed(list(names))}
    return next((plain[name] for name in _NAMES[role] if name in plain), None)


def _lacks(role: str, name: str, names: Sequence[str], kind: Kind, place: Place) -> InputError:
    """A column that is not there, with those that are, and the one that is likeliest meant."""
    if not len(names):
        return InputError(f"there is no column {name!r}, nor any other", **place, hint="query_id, doc_id and a number")
    taken = {_named(other, names) for other in _NAMES if other != role}
    free = [found for found in names if found not in taken]
    close = get_close_matches(name, free, 1, 0.5) or (free if len(free) == 1 else [])
    what = f"there is no column {name!r}, but {examples(names, 8)}"
    hint = reading(kind, "columns", {role: close[0] if close else "..."})
    if close:
        hint = Wording(hint, f", or rename {close[0]} to {role}")
    return InputError(what, **place, hint=hint)


def _is_number(word: str) -> bool:
    """Whether a word reads as a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True
