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
from .ranking import Notes, order_ranking
from .rankspace import Floats
from .readers import Run
from .tie_orders import TINY, changing, judged_ties


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
    distances : bool
        Whether the scores were distances, of which the lowest is the best.
    unfilled : int
        Rows of the qrels without a grade, which are not judged yet.
    folded : mapping
        With ``doc_of``: each requested cutoff (None: the whole ranking) -> the chunks above it that repeat a document.
    above_one : mapping
        Measure -> the queries for which double credit gives it a value above 1.
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
    distances: bool = False
    unfilled: int = 0
    folded: Mapping[int | None, int] = field(default_factory=FrozenDict)
    above_one: Mapping[str, tuple[str, ...]] = field(default_factory=FrozenDict)
    nothing_retrieved: tuple[str, ...] = ()
    tie_changes: tuple[str, ...] | None = None
    rounded: Mapping[str, int] = field(default_factory=FrozenDict)
    policy: Policy = field(default=Policy(), compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values that JSON can hold."""
        plain = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "policy"}
        plain = {name: dict(value) if isinstance(value, Mapping) else value for name, value in plain.items()}
        for name in ("judged", "folded"):
            plain[name] = {"all" if k is None else str(k): value for k, value in getattr(self, name).items()}
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
            self._cutoff_of_chunks(),
            *(mention(ids, f"for which {m} is above 1, by double credit") for m, ids in self.above_one.items()),
            _counts(self.tied, f"documents in ties, {words('ties')}"),
            _counts(self.rounded, "documents tied at scores of 2^53 or more, to which whole numbers are rounded"),
            _counts(self.unmapped, "retrieved ids that doc_of lacks, kept as they are"),
            mention(self.tie_changes or (), "for which another order of tied documents changes some measure"),
            mention(self.self_hits, f"whose own id was retrieved, {words('self_hits')}"),
            _counts(self.misranked, "rows whose ranks say the contrary of their scores, ordered by score"),
            "scores read as distances: lower is better" if self.distances else "",
            _count(self.unfilled, "rows of the qrels without a grade, not judged yet"),
            _count(self.negatives, f"negative grades, {words('negatives')}"),
            _count(self.repeated_judgements, "judgements given twice alike, counted once"),
            _count(self.conflicts, f"judgements in conflict, {words('conflicts')}"),
            f"judged: {judged}" if judged else "",
            _GRADES if self.largest_grade >= 2 and self.policy.gain == "exponential" else "",
        ]
        return [line for line in sentences if line]

    def _cutoff_of_chunks(self) -> str:
        """What a cutoff counts where chunks were mapped to documents."""
        if not self.folded:
            return ""
        counted, folded = _CUTOFF_COUNTS.get(self.policy.duplicates, _CUTOFF_COUNTS["first"])
        at = [f"{n} {'in all' if k is None else f'down to k = {k}'}" for k, n in sorted(self.folded.items(), key=_by_cutoff)]
        return f"k counts {counted}; {folded}: {', '.join(at)}"


_CUTOFF_COUNTS = {
    "first": ("distinct documents", "further chunks of the same documents, which it passes over"),
    "hold": ("chunks that were returned", "those of them that repeat a document and earn nothing"),
    "each": ("chunks that were returned", "those of them that repeat a document and earn again"),
}
"""Value of the clause ``duplicates`` -> what a cutoff counts, and what the repeats are to it."""


def _by_cutoff(item: tuple[int | None, int]) -> tuple[bool, int]:
    """The order of cutoffs, the whole ranking last."""
    cutoff = item[0]
    return cutoff is None, cutoff or 0


_OF_QUERIES = (
    "unjudged_queries", "empty", "missing", "nothing_retrieved", "no_hit", "duplicates", "tied", "rounded", "unmapped",
    "tie_changes", "self_hits", "misranked",
)  # fmt: skip
"""The fields that name queries."""


_NOTED = tuple(field.name for field in fields(Notes) if field.name != "self_hits")
"""The notes that the report holds as they are."""


def make_report(prepared: Prepared, n: Mapping[str, int], values: Floats, status: QueryStatus, *, tie_changes: bool) -> Report:
    """The report of a call: ``n`` queries were averaged for each measure, and ``status`` is how each query was treated.

    ``values``, of shape (queries, measures), are those that were averaged. ``tie_changes`` computes what the order of tied
    documents changes, which scores every tied query twice.
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
    above_one = (
        {}
        if prepared.space.repeat is None
        else {
            name: tuple(compress(queries, (values[:, i] > 1 + TINY).tolist()))
            for i, (name, measure) in enumerate(zip(n, prepared.resolved, strict=True))
            if measure.entry.bounded and (values[:, i] > 1 + TINY).any()
        }
    )
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
        folded=FrozenDict(_folded(prepared)),
        above_one=FrozenDict(above_one),
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


def _folded(prepared: Prepared) -> dict[int | None, int]:
    """Where chunks were mapped to documents: for each cutoff, the chunks down to it that repeat a document."""
    run, policy, cutoffs = prepared.ranked.run, prepared.policy, {m.cutoff: 0 for m in prepared.measures}
    if not isinstance(run, Run) or not run.of_chunks:
        return {}
    keep_ranks = policy.duplicates in ("hold", "each")
    for query in prepared.ranked.notes.duplicates:
        order = order_ranking(run.rankings[query], query, policy.but(duplicates="hold"))
        first = order.first_indices()
        is_repeat = np.array([first[doc] != i for i, doc in enumerate(order.docs)])
        above = (np.arange(len(is_repeat)) if keep_ranks else np.cumsum(~is_repeat))[is_repeat]
        for cutoff in cutoffs:
            ends = [end for end in (cutoff, policy.depth) if end is not None]
            cutoffs[cutoff] += int((above < min(ends)).sum()) if ends else len(above)
    return cutoffs


_GRADES = "grades of 2 and more: gain is 2^grade - 1; ranx's and trec_eval's ndcg are linear: Policy(gain='linear') or ndcg_cut_10"


def _counts(counts: Mapping[str, int], what: str) -> str:
    """How many rows or documents, in how many queries."""
    return f"{sum(counts.values())} {what}, in {plural(len(counts))}: {examples(counts)}" if counts else ""


def _count(n: int, what: str) -> str:
    """How many of something."""
    return f"{n} {what}" if n else ""
