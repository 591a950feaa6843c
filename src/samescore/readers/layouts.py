"""Layouts: what stands where in the lines of a text file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One form of line: how many columns, and in which of them (from 0) each thing stands.

    ``separator`` None is any run of blanks. Without a ``number`` column every document is relevant, with grade 1. ``skip``
    is 1 where the first line is a header. ``more`` allows further columns, which are passed over.
    """

    words: str
    width: int
    query: int = 0
    doc: int
    number: int | None
    what: Literal["score", "rank", "grade"]
    iteration: int | None = None
    separator: str | None = None
    skip: int = 0
    rank: int | None = None
    tag: int | None = None
    more: bool = False


TREC_RUN = Layout(words="query Q0 document rank score tag", width=6, doc=2, number=4, what="score", rank=3, tag=5)
TREC_QRELS = Layout(words="query iteration document grade", width=4, doc=2, number=3, what="grade", iteration=1)
RANKED_RUN = Layout(words="query document rank", width=3, doc=1, number=2, what="rank")
RELEVANT_PAIRS = Layout(words="query document", width=2, doc=1, number=None, what="grade")
