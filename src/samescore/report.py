"""Report: who was skipped, missing, duplicated, tied or unjudged, so that nothing is dropped in silence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Report:
    """What the policy did. Ids are in the order found; counts are of rows or documents, by query where a mapping.

    ``queries``: how many were averaged; ``n``: the same for each measure. ``skipped``: the run's queries that were left
    out, unjudged or without a relevant document. ``unjudged_queries``: the run's queries that the qrels lack. ``empty``:
    judged queries without a relevant document, also those that the run lacks. ``missing``: judged queries with relevant
    documents that the run lacks. ``undefined``: for each measure, the further ids that it is undefined for.
    ``duplicates``: query -> rows dropped. ``tied``: query -> documents in a tie. ``no_hit``: queries without any judged
    document among those retrieved. ``self_hits``: queries whose own id was retrieved. ``negatives``: grades below 0.
    ``repeated_judgements``: rows that judge again with the same grade; ``conflicts``: with another. ``judged``: for each
    cutoff asked (None: the whole ranking), the share of retrieved documents that are judged. ``largest_grade``: of all.
    """

    queries: int
    n: Mapping[str, int]
    skipped: tuple[str, ...]
    unjudged_queries: tuple[str, ...]
    empty: tuple[str, ...]
    missing: tuple[str, ...]
    undefined: Mapping[str, tuple[str, ...]]
    duplicates: Mapping[str, int]
    tied: Mapping[str, int]
    no_hit: tuple[str, ...]
    self_hits: tuple[str, ...]
    negatives: int
    repeated_judgements: int
    conflicts: int
    judged: Mapping[int | None, float]
    largest_grade: float

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values that JSON can hold."""
        plain = asdict(self)
        plain["judged"] = {"all" if k is None else str(k): share for k, share in self.judged.items()}
        return plain
