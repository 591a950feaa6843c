"""Rows as columns, as every form of input gives them; the names that columns go by, and which column is which."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple

from ..errors import InputError, InputTypeError, Wording, code, examples, nearest, reading, short
from ..typing import ColumnNames
from .values import LARGEST_WHOLE, as_id

Kind = Literal["run", "qrels"]

What = Literal["score", "rank", "distance", "grade"]

LOWER_IS_BETTER: frozenset[What] = frozenset({"rank", "distance"})
"""What is turned round to become a score."""

OTHER: dict[Kind, Kind] = {"run": "qrels", "qrels": "run"}


class QueryRows(NamedTuple):
    """The rows of one query as columns, unchecked.

    ``docs`` is a dict {document: number} where it has been one, so that no document can be there twice. ``numbers`` are
    None where the order is the ranking, or all documents are relevant; ``what`` they were before they became scores.
    ``by_rank`` tells that the rows came in order of rank, so that numbers must not rise.
    """

    docs: Collection[Any]
    numbers: Collection[Any] | None
    iterations: Sequence[Any] | None = None
    ranks: Sequence[float] | None = None
    what: What = "score"
    by_rank: bool = False


@dataclass(frozen=True, slots=True)
class Columns:
    """Rows in the order given, as columns of equal length, unchecked.

    ``number`` is a score or a grade. ``iteration`` is a column that qrels may have, ``rank`` the ranks that a run may have
    beside its scores, ``tag`` that of the last row of a TREC file. ``unfilled`` counts rows without a grade, which are left out.
    ``what`` is what the number was before it became a score.
    """

    query: Sequence[Any]
    doc: Sequence[Any]
    number: Sequence[Any]
    iteration: Sequence[Any] | None = None
    rank: Sequence[float] | None = None
    tag: str = ""
    unfilled: int = 0
    what: What = "score"

    def filled(self) -> Columns:
        """The rows that have a number, and how many have none: None, an empty text, or NaN, as frames have it."""
        if not any(map(_is_missing, self.number)):
            return self
        rows = [i for i, number in enumerate(self.number) if not _is_missing(number)]
        query, doc, number, iteration = (
            None if column is None else [column[i] for i in rows] for column in (self.query, self.doc, self.number, self.iteration)
        )
        unfilled = self.unfilled + len(self.number) - len(rows)
        return Columns(query or [], doc or [], number or [], iteration, tag=self.tag, unfilled=unfilled, what=self.what)

    def by_query(self) -> Iterator[tuple[str, QueryRows]]:
        """The rows of each query, in order of first appearance; they need not stand together."""
        for query, stretches in self._stretches().items():
            docs, numbers = _pick(self.doc, stretches), _pick(self.number, stretches)
            iterations = None if self.iteration is None else _pick(self.iteration, stretches)
            ranks = None if self.rank is None else _pick(self.rank, stretches)
            yield query, QueryRows(docs, numbers, iterations, ranks)

    def _stretches(self) -> dict[str, list[slice]]:
        """The stretches of rows in which each query stands."""
        stretches: dict[str, list[slice]] = {}
        queries, begin = self.query, 0
        if set(map(type, queries)) - {str}:
            queries = [as_id(query, kind="query") for query in queries]
        for i in range(1, len(queries) + 1):
            if i == len(queries) or queries[i] != queries[begin]:
                stretches.setdefault(as_id(queries[begin], kind="query"), []).append(slice(begin, i))
                begin = i
        return stretches


def _is_missing(number: Any) -> bool:
    """Whether there is no number where one may be given later."""
    return number is None or (isinstance(number, str) and not number.strip()) or (isinstance(number, float) and math.isnan(number))


def _pick(column: Sequence[Any], stretches: list[slice]) -> Sequence[Any]:
    """The values of a column in some stretches of rows."""
    if len(stretches) == 1:
        return column[stretches[0]]
    return [value for stretch in stretches for value in column[stretch]]


# In order of preference: PyTerrier's frames have the text of the query as ``query`` and an internal number as ``docid``.
NAMES = {
    "query_id": ("query_id", "qid", "q_id", "queryid", "topic_id", "topic", "query"),
    "doc_id": (
        "doc_id",
        "docno",
        "d_id",
        "corpus_id",
        "document_id",
        "docid",
        "passage_id",
        "pid",
        "document",
        "doc",
        "product_id",
        "item_id",
    ),
    "score": ("score", "similarity", "sim"),
    "rank": ("rank",),
    "distance": ("distance", "distances", "dist", "l2", "l2_distance", "cosine_distance"),
    "relevance": ("relevance", "rel", "label", "grade", "qrel", "judgment", "judgement", "score"),
    "iteration": ("iteration", "iter", "subtopic", "subtopic_id"),
}

NUMBERS: dict[Kind, tuple[tuple[str, What], ...]] = {
    "run": (("score", "score"), ("rank", "rank"), ("distance", "distance")),
    "qrels": (("relevance", "grade"),),
}


PLACES: dict[Kind, dict[int, dict[str, int]]] = {
    "run": {6: {"query_id": 0, "doc_id": 2, "score": 4}, 3: {"query_id": 0, "doc_id": 1, "score": 2}},
    "qrels": {
        4: {"query_id": 0, "iteration": 1, "doc_id": 2, "relevance": 3},
        3: {"query_id": 0, "doc_id": 1, "relevance": 2},
        2: {"query_id": 0, "doc_id": 1},
    },
}
"""The columns of frames without names, by their number: TREC's, or query, document and a number."""


@dataclass(frozen=True, slots=True)
class Roles:
    """The names of the columns that matter, as they are written; ``what`` says what the number is.

    ``number`` is None where there are a query and a document alone, which is relevant.
    """

    query: Any
    doc: Any
    number: Any
    what: What
    iteration: Any = None


def check_column_names(given: ColumnNames | None, kind: Kind) -> None:
    """Raise InputError where ``columns=`` is no mapping, or maps what is no column of ours."""
    if given is not None and not isinstance(given, Mapping):
        what = Wording(reading(kind, "columns"), f" is {short(given)}")
        raise InputError(what, hint=reading(kind, "columns", {"query_id": "my name"}))
    for role, name in (given or {}).items():
        if not isinstance(name, (str, int)) or isinstance(name, bool):
            raise InputError(Wording(reading(kind, "columns"), f" maps {role!r} to {short(name)}"), hint="the name of a column")
        if role not in NAMES:
            what = Wording(reading(kind, "columns"), f" has the unknown key {role!r}")
            raise InputError(what, hint=nearest(str(role), NAMES))


def find_roles(names: Sequence[Any], kind: Kind, given: ColumnNames | None = None, *, where: str = "") -> Roles:
    """Which column is which; ``given`` maps our names (``query_id``, ``doc_id``, ``score`` ...) to those in use, or to places.

    Columns that have no names are told by their number. Raises InputError that names the columns that there are, and the nearest.
    """
    if not given and len(names) and not any(isinstance(name, str) for name in names):
        places: Mapping[str, str | int] = PLACES[kind].get(len(names), {})
    else:
        places = given or {}
    chosen = by_name(places, names)
    for role, name in chosen.items():
        if name not in names:
            raise _lacks(role, name, names, kind, where)
    number = next(((role, what) for role, what in NUMBERS[kind] if role in chosen), None)
    number = number or next(((role, what) for role, what in NUMBERS[kind] if column_named(role, names)), NUMBERS[kind][0])
    roles = ("query_id", "doc_id", number[0], "iteration")
    columns = {role: chosen[role] if role in chosen else column_named(role, names) for role in roles}
    if number[0] not in chosen:
        _refuse_other_side(columns[number[0]], names, kind, where)
    is_pair = kind == "qrels" and len(names) == 2 and None not in (columns["query_id"], columns["doc_id"])
    for role in ("query_id", "doc_id", *(() if is_pair else (number[0],))):
        if columns[role] is None:
            raise _lacks(role, role, names, kind, where)
        if list(names).count(columns[role]) > 1:
            raise InputError(f"there are two columns {columns[role]!r}", where=where, hint="rename or drop one")
    return Roles(columns["query_id"], columns["doc_id"], columns[number[0]], number[1], columns["iteration"])


def by_name(given: ColumnNames, names: Sequence[Any]) -> dict[str, Any]:
    """What ``columns=`` says, with the name of a column for a number that counts to it from 0."""
    chosen: dict[str, Any] = dict(given)
    for role, name in given.items():
        if name not in names and isinstance(name, int) and not isinstance(name, bool):
            chosen[role] = str(name) if str(name) in names else names[name] if 0 <= name < len(names) else name
    return chosen


def given_as(kind: Kind, what: str, **place: Any) -> InputTypeError:
    """The error for one side that was given as the other, told by its type or by the names of its columns."""
    hint = Wording(code("evaluate(run, qrels)"), "; are run and qrels swapped?")
    return InputTypeError(f"{what} given as the {kind}", hint=hint, **place)


def _refuse_other_side(number: str | None, names: Sequence[str], kind: Kind, where: str) -> None:
    """Raise InputTypeError where the columns are those of the other side: a grade and no score, or a rank or distance and no grade.

    A score alone is a grade: the qrels of BEIR call it so.
    """
    if kind == "run" and number is None and (grade := column_named("relevance", names)) is not None:
        raise given_as(kind, f"rows with {grade!r} and no score were", where=where)
    if kind == "qrels" and number == column_named("score", names):  # or neither
        ranked = column_named("rank", names) or column_named("distance", names)
        if ranked is not None:
            raise given_as(kind, f"rows with {ranked!r} and no grade were", where=where)


def looks_like_header(names: Iterable[str]) -> bool:
    """Whether these words name a query and a document, and none is a number."""
    words = list(names)
    return (
        column_named("query_id", words) is not None and column_named("doc_id", words) is not None and not any(map(is_number, words))
    )


def column_named(role: str, names: Iterable[str]) -> str | None:
    """The column that goes by one of the names of a role."""
    plain = {
        name.strip().lower().replace("-", "_").replace(" ", "_"): name for name in reversed(list(names)) if isinstance(name, str)
    }
    return next((plain[name] for name in NAMES[role] if name in plain), None)


def _lacks(role: str, name: str, names: Sequence[str], kind: Kind, where: str) -> InputError:
    """A column that is not there, with those that are, and the one that is likeliest meant."""
    if not len(names):
        return InputError(f"there is no column {name!r}, nor any other", where=where, hint="query_id, doc_id and a number")
    taken = {column_named(other, names) for other in NAMES if other != role}
    free = [
        free
        for free in names
        if (isinstance(free, str) or (isinstance(free, int) and abs(free) < LARGEST_WHOLE)) and free not in taken
    ]
    close = get_close_matches(str(name), [free for free in free if isinstance(free, str)], 1, 0.5) or (
        free if len(free) == 1 else []
    )
    what = f"there is no column {name!r}, but {examples(names, 8)}"
    hint = reading(kind, "columns", {role: close[0] if close else "..."})
    if close:
        hint = Wording(hint, f", or rename {close[0]} to {role}")
    return InputError(what, where=where, hint=hint)


def is_number(word: str) -> bool:
    """Whether a word reads as a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True
