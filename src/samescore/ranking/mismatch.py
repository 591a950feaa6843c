"""Run and qrels without a query in common: what the ids look like, and what would make them meet."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from ..errors import MismatchError, examples

_MENDED: tuple[tuple[str, Callable[[str], str]], ...] = (
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
    for words, mend in _MENDED:
        if not {mend(query) for query in run}.isdisjoint(map(mend, qrels)):
            return f"query ids {words}: then they meet"
    for cut, full, words in ((run, qrels, "run's"), (qrels, run, "qrels'")):
        if _is_cut(cut, sorted(full)):
            return f"whole query ids: the {words} are the beginnings of the others', so they look cut short"
    for ours, theirs, words in ((run, qrels, "run's"), (qrels, run, "qrels'")):
        if all(query.isdecimal() for query in ours) and not any(query.isdecimal() for query in theirs):
            return f"ids on both sides: the {words} are numbers alone, as if they were row numbers"
    return "check that query ids are spelled alike and that the files belong together"


def _is_cut(cut: Sequence[str], full: Sequence[str]) -> bool:
    """Whether each of the ids is the beginning of one of the others, in their order."""
    indices = [bisect_left(full, query) for query in cut]
    return all(i < len(full) and full[i].startswith(query) for i, query in zip(indices, cut, strict=True))
