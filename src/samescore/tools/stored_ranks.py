"""Stored ranks: where a run had its judged documents, in kilobytes, so that it can be scored again without it."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import mention
from ..errors import InputError, plain
from ..measures import Measure
from ..measures.custom import parameters_of
from ..policy import Policy
from ..ranking import Ranked
from ..readers import Qrels

ORDERING = ("ties", "duplicates", "self_hits", "float32_scores")
"""The clauses of a policy that order the documents of a ranking, of which most are not stored."""

LARGEST = 1 << 30
"""The most bytes that stored ranks are unpacked to."""


def pack_ranks(ranked: Ranked, *, ids: bool) -> str | None:
    """The ranks of judged documents as text: compressed JSON in base64; None where a document may count twice.

    For each judged query: the length of the ranking (None where the run lacks it), and the rank of each judged document, 0 where
    it was not retrieved, in the order of the ids. The ids are there with ``ids``, else a digest of them for each query.
    """
    space, trace = ranked.before_cut, ranked.trace
    if space.repeat is not None and space.repeat.any():
        return None
    hit = space.place <= space.depth[space.query]
    queries: dict[str, list[Any]] = {}
    for i, query in enumerate(trace.queries):
        rows = range(int(space.start[i]), int(space.start[i + 1]))
        by_id = sorted((trace.docs[row], int(space.place[row]) if hit[row] else 0) for row in rows)
        docs = [doc for doc, _ in by_id]
        depth = int(space.depth[i]) if trace.answered[i] else None
        queries[query] = [depth, [rank for _, rank in by_id], docs if ids else _digest(docs)]
    packed = zlib.compress(json.dumps(queries, separators=(",", ":")).encode(), 9)
    return base64.b64encode(packed).decode()


def _digest(docs: Sequence[str]) -> str:
    """16 hex digits of some ids."""
    digest = hashlib.blake2b(digest_size=8)
    for doc in docs:
        digest.update(json.dumps(doc).encode() + b"\n")
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class StoredRanks:
    """The ranks that :func:`pack_ranks` stored: query -> length of the ranking, ranks, and ids or their digest."""

    queries: Mapping[str, tuple[int | None, Sequence[int], Sequence[str] | str]]

    @classmethod
    def unpack(cls, text: object) -> StoredRanks:
        """The ranks in some text. Raises InputError for what is none."""
        try:
            unpacking = zlib.decompressobj()
            data = unpacking.decompress(base64.b64decode(str(text), validate=True), LARGEST)
            stored = json.loads(data)
            queries = {query: _row(*row) for query, row in stored.items()}
        except (ValueError, TypeError, AttributeError, zlib.error, RecursionError) as error:
            raise InputError(f"the stored ranks cannot be read: {plain(str(error))}") from None
        return cls(queries)

    @property
    def has_ids(self) -> bool:
        """Whether ids of documents are stored."""
        return not any(isinstance(ids, str) for _, _, ids in self.queries.values())

    def rankings(self, judged: Qrels, policy: Policy) -> tuple[dict[str, list[str]], list[str], list[str]]:
        """Rankings with the judged documents where the run had them, the queries of which they hold all that counts, and why others
        are left out, a sentence each.

        A document that is judged now and was not then may have stood anywhere, so that its query is left out. What was not judged
        is an id that nothing else has.
        """
        rankings, answered, new, anew = {}, [], [], []
        for query, grades in judged.grades.items():
            if query not in self.queries:
                new.append(query)
                continue
            depth, ranks, ids = self.queries[query]
            docs = sorted(doc for doc, grade in grades.items() if policy.negatives != "unjudged" or grade >= 0)
            known = ids if not isinstance(ids, str) else docs if ids == _digest(docs) and len(docs) == len(ranks) else None
            if known is None or not set(known).issuperset(docs):
                anew.append(query)
                continue
            answered.append(query)
            if depth is not None:
                rankings[query] = _ranking(depth, dict(zip(ranks, known, strict=True)), grades)
        gone = [query for query in self.queries if query not in judged.grades]
        left_out = [
            mention(new, "of this golden set that the baseline lacks"),
            mention(anew, "with documents judged since, whose ranks are not stored"),
            mention(gone, "of the baseline not judged any more"),
        ]
        return rankings, answered, [f"left out, {sentence}" for sentence in left_out if sentence]


def _row(depth: Any, ranks: Any, ids: Any) -> tuple[int | None, Sequence[int], Sequence[str] | str]:
    """The row of a query. Raises ValueError for one that cannot be."""
    whole = np.array(ranks, dtype=np.int64) if ranks else np.zeros(0, dtype=np.int64)
    hits = whole[whole != 0]
    possible = len(set(hits.tolist())) == len(hits) and not (whole < 0).any() and not (hits > (depth or 0)).any()
    if not possible or not (depth is None or (type(depth) is int and 0 <= depth <= LARGEST)):
        raise ValueError("ranks that cannot be")
    if not isinstance(ids, str) and (len(ids) != len(ranks) or not all(isinstance(doc, str) for doc in ids)):
        raise ValueError("ids that are not those of the ranks")
    return depth, ranks, ids


def _ranking(depth: int, doc_at: Mapping[int, str], taken: Collection[str]) -> list[str]:
    """The documents of a ranking of some length: those that are known where they stand, and ids that nothing else has."""
    mark = "unjudged"
    while any(doc.startswith(mark) for doc in (*taken, *doc_at.values())):
        mark += "_"
    return [doc_at.get(rank, f"{mark}{rank}") for rank in range(1, depth + 1)]


def unanswered(stored: Policy, policy: Policy, measures: Sequence[Measure]) -> str:
    """What stored ranks cannot answer, in words; nothing where they can answer all."""
    clauses = [name for name in ORDERING if getattr(stored, name) != getattr(policy, name)]
    if clauses:
        return f"{', '.join(clauses)} order documents, of which the baseline has the judged ones alone"
    reading = [str(measure) for measure in measures if parameters_of(measure) - {"query_id"}]
    return f"{', '.join(reading)} read the ids or scores of all documents, which the baseline lacks" if reading else ""
