"""QrelsReport: what a golden set holds and what is odd about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from ..errors import examples, short
from ..readers import Grade
from ..render import aligned, piped


@dataclass(frozen=True, slots=True)
class Absent:
    """A judged document that the corpus lacks, and an id of the corpus that is spelled alike, or None."""

    query: str
    doc: str
    grade: Grade
    near: str | None


@dataclass(frozen=True, slots=True)
class QrelsReport:
    """What :func:`samescore.check` found.

    ``queries``, ``judgements`` and ``documents`` count judged queries, pairs of query and document, and distinct documents.
    ``relevant``: query -> number of relevant documents. ``grades``: grade -> how many judgements have it (the first, where one
    contradicts another). ``repeated``: rows that judge again alike; ``conflicts``: (query, document) judged again otherwise.
    ``near_queries`` and ``near_documents``: groups of ids that differ in spelling only. ``absent``: judgements of documents that
    the corpus lacks, None where no corpus was given. ``fingerprint``: as :func:`samescore.fingerprint`.
    """

    queries: int
    judgements: int
    documents: int
    relevant: Mapping[str, int]
    grades: Mapping[Grade, int]
    repeated: int
    conflicts: tuple[tuple[str, str], ...]
    near_queries: tuple[tuple[str, ...], ...]
    near_documents: tuple[tuple[str, ...], ...]
    absent: tuple[Absent, ...] | None
    fingerprint: str

    @property
    def empty(self) -> tuple[str, ...]:
        """The judged queries without a relevant document."""
        return tuple(query for query, n in self.relevant.items() if not n)

    def lines(self) -> list[str]:
        """What is odd, a line each; one line that says so where nothing is."""
        absent = self.absent or ()
        near = [f"{short(row.doc)} (the corpus has {short(row.near)})" for row in absent if row.near is not None]
        told = [
            _line(self.empty, "query without a relevant document", "queries without a relevant document"),
            f"{self.repeated} judgements given twice alike" if self.repeated else "",
            _line(self.conflicts, "document judged twice with different grades", "documents judged twice with different grades"),
            _line(
                self.near_queries,
                "group of query ids that differ in spelling only",
                "groups of query ids that differ in spelling only",
            ),
            _line(
                self.near_documents,
                "group of document ids that differ in spelling only",
                "groups of document ids that differ in spelling only",
            ),
            _line([row.doc for row in absent], "judged document not in the corpus", "judged documents not in the corpus"),
            f"spelled otherwise in the corpus: {', '.join(near[:3])}{f' and {len(near) - 3} more' if len(near) > 3 else ''}"
            if near
            else "",
        ]
        return [line for line in told if line] or ["nothing odd was found"]

    def to_markdown(self) -> str:
        """The counts as a Markdown table, with what is odd below."""
        return "\n".join([piped(_HEAD, self._rows()), "", *(f"- {line}" for line in self.lines())])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        plain = asdict(self)
        return {**plain, "grades": {str(grade): n for grade, n in self.grades.items()}, "empty": list(self.empty)}

    def __str__(self) -> str:
        return "\n".join([aligned(_HEAD, self._rows()), "", *self.lines()])

    def _rows(self) -> list[list[str]]:
        """What is counted, and the counts."""
        counts = list(self.relevant.values())
        spread = f"{min(counts)} / {median(counts):g} / {max(counts)}" if counts else "-"
        return [
            ["queries", str(self.queries)],
            ["judgements", str(self.judgements)],
            ["documents", str(self.documents)],
            ["relevant a query, least / median / most", spread],
            *([f"grade {grade}", str(n)] for grade, n in self.grades.items()),
            ["fingerprint", self.fingerprint],
        ]


_HEAD = ("golden set", "count")


def _line(found: Sequence[object], one: str, several: str) -> str:
    return f"{len(found)} {one if len(found) == 1 else several}: {examples(found)}" if found else ""
