"""Run and qrels without a query in common: what the ids look like, and what would make them meet."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from ..errors import MismatchError, examples

_CHANGES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("without the blanks around them", str.strip),
    ("in the same case", str.casefold),
    ("without leading zeros", lambda query: query.lstrip("0")),
    ("without the .0 of a float", lambda query: query.removesuffix(".0")),
    ("without the path before them", lambda query: re.split(r"[/\\]", query)[-1]),
    ("without the ending after the last dot", lambda query: query.rpartition(".")[0] or query),
    ("without the path and the ending", lambda query: re.split(r"[/\\]", query)[-1].partition(".")[0]),
    ("without the prefix before the number", lambda query: re.sub(r"^.*?0*(?=\d+$)", "", query)),
)


def mismatch(run: Sequence[str], qrels: Sequence[str]) -> MismatchError:
    """The error for query ids that have nothing in common, with examples of both and the likeliest cause."""
    what = f"run and qrels have no query in common: the run has {examples(run)}, the qrels {examples(qrels)}"
    return MismatchError(what, hint=_hint(run, qrels))


def _hint(run: Sequence[str], qrels: Sequence[str]) -> str:
    """What would make some ids meet."""
    for words, change in _CHANGES:
        if not set(map(change, run)).isdisjoint(map(change, qrels)):
            return f"query ids {words}: then they meet"
    sides = ((run, qrels, "run's"), (qrels, run, "qrels'"))
    for queries, other_queries, words in sides:
        if _are_beginnings(queries, sorted(other_queries)):
            return f"whole query ids: the {words} are the beginnings of the others', so they look cut short"
    for queries, other_queries, words in sides:
        if all(map(str.isdecimal, queries)) and not any(map(str.isdecimal, other_queries)):
            return f"ids on both sides: the {words} are numbers alone, as if they were row numbers"
    return "check that query ids are spelled alike and that the files belong together"


def _are_beginnings(queries: Sequence[str], ordered: Sequence[str]) -> bool:
    """Whether each of the ids is the beginning of one of the others, which are in order."""
    positions = [bisect_left(ordered, query) for query in queries]
    return all(i < len(ordered) and ordered[i].startswith(query) for i, query in zip(positions, queries, strict=True))
