"""Notes: what the policy did to a run and its qrels on the way to rank space."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace


@dataclass(slots=True)
class Notes:
    """What was found and done, by query id. Filled while ranking, then read by the report."""

    unjudged_queries: list[str] = field(default_factory=list)
    duplicates: dict[str, int] = field(default_factory=dict)
    tied: dict[str, int] = field(default_factory=dict)
    no_hit: list[str] = field(default_factory=list)
    self_hits: dict[str, int] = field(default_factory=dict)
    unmapped: Mapping[str, int] = field(default_factory=dict)
    misranked: dict[str, int] = field(default_factory=dict)
    negatives: int = 0
    repeated_judgements: int = 0
    conflicts: int = 0

    def on(self, queries: Set[str]) -> Notes:
        """The notes on some queries; the counts of judgements stay."""
        return replace(
            self,
            unjudged_queries=[query for query in self.unjudged_queries if query in queries],
            duplicates={query: n for query, n in self.duplicates.items() if query in queries},
            tied={query: n for query, n in self.tied.items() if query in queries},
            no_hit=[query for query in self.no_hit if query in queries],
            self_hits={query: n for query, n in self.self_hits.items() if query in queries},
            unmapped={query: n for query, n in self.unmapped.items() if query in queries},
            misranked={query: n for query, n in self.misranked.items() if query in queries},
        )
