"""Notes: what the policy did to a run and its qrels on the way to rank space."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Notes:
    """What was found and done, by query id. Filled while ranking, then read by the report."""

    unjudged_queries: list[str] = field(default_factory=list)
    duplicates: dict[str, int] = field(default_factory=dict)
    tied: dict[str, int] = field(default_factory=dict)
    no_hit: list[str] = field(default_factory=list)
    self_hits: dict[str, int] = field(default_factory=dict)
    negatives: int = 0
    repeated_judgements: int = 0
    conflicts: int = 0
