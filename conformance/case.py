"""A worked example as data, and the files that hold them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
FOLDER = HERE / "cases"
DEVIATIONS = HERE / "deviations"


class Judgement(NamedTuple):
    """A row of qrels."""

    query_id: str
    doc_id: str
    relevance: float
    iteration: str = "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One worked example; README.md says what each field means. ``name`` begins with the file that the case stands in."""

    name: str
    source: str
    run: Mapping[str, Any]
    qrels: Mapping[str, Any] | list[Any]
    policy: Mapping[str, Any] = field(default_factory=dict)
    k: int | list[int] | None = None
    measures: list[str] | None = None
    queries: list[str] | None = None
    doc_of: Mapping[str, str] | None = None
    average: str = "macro"
    means: Mapping[str, str | float] = field(default_factory=dict)
    per_query: Mapping[str, Mapping[str, str | float | None]] = field(default_factory=dict)
    report: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
    warning: str = ""

    @property
    def asked(self) -> list[str]:
        """The measures that the case asks for by name: those it says, else those it has values for; none with ``k``."""
        if self.k is not None:
            return []
        return self.measures or list(dict.fromkeys([*self.means, *self.per_query]))

    @property
    def rankings(self) -> dict[str, Any]:
        """The run, with (document, score) pairs as tuples."""
        return {query: _ranking(found) for query, found in self.run.items()}

    @property
    def judgements(self) -> Any:
        """The qrels, with rows as named tuples."""
        return self.qrels if isinstance(self.qrels, dict) else [Judgement(*row) for row in self.qrels]


def _ranking(found: Any) -> Any:
    """A ranking of pairs as tuples, any other as it is."""
    return [tuple(row) if isinstance(row, list) else row for row in found] if isinstance(found, list) else found


@cache
def cases() -> tuple[Case, ...]:
    """Every case of every file, in order."""
    return tuple(
        Case(**{**raw, "name": f"{path.stem}: {raw['name']}"})
        for path in sorted(FOLDER.glob("*.json"))
        for raw in json.loads(path.read_text(encoding="utf-8"))["cases"]
    )


def excused(backend: str) -> dict[str, str]:
    """The cases that a backend may fail, by name, and why; a backend without a file may fail none."""
    path = DEVIATIONS / f"{backend.replace('/', '-').replace(':', '-')}.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}
