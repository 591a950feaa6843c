"""Report: who was skipped, missing, duplicated, tied or unjudged, so that nothing is dropped in silence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import compress
from operator import and_
from typing import Any, NoReturn

import numpy as np

from .averaging import Mask, QueryStatus
from .display import Displayed, Table, mention, plural
from .errors import examples
from .policy import Policy, treatment
from .preparation import Prepared
from .ranking import Notes
from .tie_orders import changing, judged_ties


class FrozenDict(dict[Any, Any]):
    """A dict that prints, compares, pickles and becomes JSON as one, but refuses to be changed; ``copy()`` is a plain dict."""

    def _refuse(self, *args: Any, **more: Any) -> NoReturn:
        """Raise TypeError, as a tuple does."""
        raise TypeError("it cannot be changed; dict(...) of it can")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenDict, (dict(self),)


def frozen(value: Any) -> Any:
    """A list as a tuple and a mapping as a FrozenDict; other values as they are."""
    if isinstance(value, dict):
        return FrozenDict(value)
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True, repr=False)
class Report(Displayed):
    """What the policy did, field by field. Ids are in the order found, and mappings cannot be changed.

    Parameters
    ----------
    queries : int
        How many queries were averaged.
    n : mapping
        Measure -> how many queries were averaged.
    skipped : tuple of str
        The run's queries that were left out, unjudged or without a relevant document.
    unjudged_queries : tuple of str
        The run's queries that the qrels lack.
    empty : tuple of str
        Judged queries without a relevant document, also those that the run lacks.
    missing : tuple of str
        Judged queries with relevant documents that the run lacks.
    undefined : mapping
        Measure -> the further queries that it is undefined for.
    duplicates : mapping
        Query -> rows of repeated documents.
    tied : mapping
        Query -> documents in a tie.
    rounded : mapping
        Query -> those in a tie at scores of 2^53 or more, where whole numbers become equal floats.
    no_hit : tuple of str
        Queries without any judged document among those retrieved.
    self_hits : tuple of str
        Queries whose own id was retrieved.
    misranked : mapping
        Query -> neighbouring rows of a file whose ranks say the contrary of their scores, which decide.
    negatives, repeated_judgements, conflicts : int
        Grades below 0; rows that judge again with the same grade, and with another.
    judged : mapping
        Each requested cutoff (None: the whole ranking) -> the share of retrieved documents that are judged.
    largest_grade : float
        The largest of all grades.
    unmapped : mapping
        Query -> retrieved ids that ``doc_of`` lacks.
    nothing_retrieved : tuple of str
        Averaged queries with relevant documents whose ranking is empty.
    tie_changes : tuple of str or None
        Queries for which another order of tied documents changes some measure; None where this was not requested.
    policy : Policy
        What did all this.

    Examples
    --------
    >>> from samescore import evaluate
    >>> evaluate({"q1": ["d1"]}, {"q1": {"d1": 1}, "q2": {"d2": 1}}, backend="reference").report.missing
    ('q2',)
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
    misranked: Mapping[str, int]
    negatives: int
    repeated_judgements: int
    conflicts: int
    judged: Mapping[int | None, float]
    largest_grade: float
    unmapped: Mapping[str, int] = field(default_factory=FrozenDict)
    nothing_retrieved: tuple[str, ...] = ()
    tie_changes: tuple[str, ...] | None = None
    rounded: Mapping[str, int] = field(default_factory=FrozenDict)
    policy: Policy = field(default=Policy(), compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values that JSON can hold."""
        plain = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "policy"}
        plain = {name: dict(value) if isinstance(value, Mapping) else value for name, value in plain.items()}
        plain["judged"] = {"all" if k is None else str(k): share for k, share in self.judged.items()}
        return plain

    def records(self) -> Table:
        """A row for each query that a field names, with the number of rows or documents where the field counts them."""
        rows: list[tuple[str, str, int | None]] = []
        for name in _OF_QUERIES:
            ids = getattr(self, name) or ()
            rows += [(name, query, ids[query] if isinstance(ids, Mapping) else None) for query in ids]
        return Table(["field", "query_id", "count"], rows)

    def parts(self) -> list[str]:
        """One line for each thing that the policy did, with the ids that it did it to; none for what did not occur."""
        judged = ", ".join(f"{share:.1%} of the {'retrieved' if k is None else f'top {k}'}" for k, share in self.judged.items())
        words = partial(treatment, self.policy)
        sentences = [
            f"{plural(self.queries)} averaged",
            mention(self.unjudged_queries, "of the run left out, not judged"),
            mention(self.empty, f"without a relevant document, {words('empty')}"),
            mention(self.missing, f"not in the run, {words('missing')}"),
            mention(self.nothing_retrieved, "for which nothing was retrieved, counted as 0"),
            *(mention(ids, f"for which {m} is undefined, {words('empty')}") for m, ids in self.undefined.items()),
            mention(self.no_hit, "without any judged document among those retrieved (ids cut short, or of another corpus?)"),
            _counts(self.duplicates, f"repeated documents, {words('duplicates')}"),
            _counts(self.tied, f"documents in ties, {words('ties')}"),
            _counts(self.rounded, "documents tied at scores of 2^53 or more, to which whole numbers are rounded"),
            _counts(self.unmapped, "retrieved ids that doc_of lacks, kept as they are"),
            mention(self.tie_changes or (), "for which another order of tied documents changes some measure"),
            mention(self.self_hits, f"whose own id was retrieved, {words('self_hits')}"),
            _counts(self.misranked, "rows whose ranks say the contrary of their scores, ordered by score"),
            _count(self.negatives, f"negative grades, {words('negatives')}"),
            _count(self.repeated_judgements, "judgements given twice alike, counted once"),
            _count(self.conflicts, f"judgements in conflict, {words('conflicts')}"),
            f"judged: {judged}" if judged else "",
            _GRADES if self.largest_grade >= 2 and self.policy.gain == "exponential" else "",
        ]
        return [line for line in sentences if line]


_OF_QUERIES = (
    "unjudged_queries", "empty", "missing", "nothing_retrieved", "no_hit", "duplicates", "tied", "rounded", "unmapped",
    "tie_changes", "self_hits", "misranked",
)  # fmt: skip
"""The fields that name queries."""


_NOTED = tuple(field.name for field in fields(Notes) if field.name != "self_hits")
"""The notes that the report holds as they are."""


def make_report(prepared: Prepared, n: Mapping[str, int], status: QueryStatus, *, tie_changes: bool) -> Report:
    """The report of a call: ``n`` queries were averaged for each measure, and ``status`` is how each query was treated.

    ``tie_changes`` computes what the order of tied documents changes, which scores every tied query twice.
    """
    trace, notes, policy = prepared.ranked.trace, prepared.ranked.notes, prepared.policy
    queries, empty, answered = trace.queries, status.empty.tolist(), trace.answered.tolist()
    scorable = [averaged and not lacks for averaged, lacks in zip(status.is_averaged.tolist(), empty, strict=True)]
    left_out = map(and_, empty, answered) if policy.empty == "skip" else ()
    undefined = {
        name: tuple(
            query for query, relevant, has_value in zip(queries, scorable, column, strict=True) if relevant and not has_value
        )
        for name, column in zip(n, status.defined.T.tolist(), strict=True)
    }
    depths = zip(queries, scorable, answered, prepared.ranked.before_cut.depth.tolist(), strict=True)
    of_input = {name: frozen(getattr(notes, name)) for name in _NOTED}
    return Report(
        **of_input,
        self_hits=tuple(notes.self_hits),
        queries=sum(status.is_averaged.tolist()),
        n=FrozenDict(n),
        skipped=(*notes.unjudged_queries, *compress(queries, left_out)),
        empty=tuple(compress(queries, empty)),
        missing=tuple(compress(queries, status.missing.tolist())),
        undefined=FrozenDict({name: ids for name, ids in undefined.items() if ids}),
        judged=FrozenDict(_coverage(prepared, status.is_averaged & trace.answered)),
        largest_grade=prepared.grades.largest,
        nothing_retrieved=tuple(query for query, relevant, in_run, depth in depths if relevant and in_run and not depth),
        tie_changes=changing(judged_ties(prepared)) if tie_changes else None,
        policy=policy,
    )


def _coverage(prepared: Prepared, averaged: Mask) -> dict[int | None, float]:
    """For each cutoff, the share of the documents retrieved down to it that are judged; 0.0 where none was retrieved."""
    space, longest = prepared.space, prepared.grades.deepest
    depth, shares = space.depth * averaged, {}
    ends = {m.cutoff: longest if m.cutoff is None else min(m.cutoff, longest) for m in prepared.measures}
    for k in set(ends.values()):
        last_rank = depth if k == longest else np.minimum(depth, k)
        retrieved = sum(last_rank.tolist())
        shares[k] = np.count_nonzero(space.place <= last_rank[space.query]) / retrieved if retrieved else 0.0
    return {cutoff: shares[k] for cutoff, k in ends.items()}


_GRADES = "grades of 2 and more: gain is 2^grade - 1; ranx's and trec_eval's ndcg are linear: Policy(gain='linear') or ndcg_cut_10"


def _counts(counts: Mapping[str, int], what: str) -> str:
    """How many rows or documents, in how many queries."""
    return f"{sum(counts.values())} {what}, in {plural(len(counts))}: {examples(counts)}" if counts else ""


def _count(n: int, what: str) -> str:
    """How many of something."""
    return f"{n} {what}" if n else ""
