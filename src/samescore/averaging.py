"""Who is averaged and what is undefined: the policy's clauses on queries, and the means and counts that follow."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .errors import InputError, InputTypeError, MeasureError, PolicyError, Wording, clause, examples, is_word, setting, short
from .measures import Measure
from .measures.measure import gains, is_plain
from .policy import Policy
from .rankspace import Floats, RankSpace, Trace
from .readers.values import as_id

Mask = NDArray[np.bool_]

Spaces = Mapping[str, RankSpace]


@dataclass(frozen=True, slots=True)
class QueryStatus:
    """How each judged query stands, as masks of shape (queries,), and for each measure, (queries, measures).

    ``is_averaged`` marks the queries that are averaged; ``missing`` ones are not in the run and ``empty`` ones have nothing
    relevant. ``defined`` tells where a measure has a value; ``to_compute`` is where a backend must compute it.
    """

    is_averaged: Mask
    missing: Mask
    empty: Mask
    defined: Mask

    @property
    def to_compute(self) -> Mask:
        """Where the value of a measure must be computed; a query that the run lacks has an empty ranking."""
        return self.defined & self.is_averaged[:, None]


def query_status(spaces: Spaces, trace: Trace, measures: Sequence[Measure], policy: Policy, selected: Mask) -> QueryStatus:
    """How the policy treats each query; ``measures`` are resolved, and only ``selected`` queries are averaged.

    ``spaces`` holds the rank space that each measure reads, and ``"grades"``.
    Raises PolicyError where a query is missing and the policy refuses that.
    """
    relevant, answered = spaces["grades"].relevant() > 0, trace.answered
    empty, missing = selected & ~relevant, selected & relevant & ~answered
    if policy.missing == "error" and missing.any():
        ids = list(compress(trace.queries, missing.tolist()))
        raise PolicyError(f"the run lacks {len(ids)} judged queries: {examples(ids)}", hint=clause("missing", "zero", "skip"))
    is_averaged = selected & relevant if policy.empty == "skip" else selected
    if policy.missing != "zero":
        is_averaged = is_averaged & answered
    return QueryStatus(is_averaged, missing, empty, defined(spaces, measures))


def defined(spaces: Spaces, measures: Sequence[Measure]) -> Mask:
    """Where resolved measures are defined, shape (queries, measures)."""
    relevant = spaces["grades"].relevant() > 0
    columns = [_defined(spaces, measure, relevant) for measure in measures]
    return np.array(columns).T if columns else np.empty((len(relevant), 0), bool)


def _defined(spaces: Spaces, measure: Measure, relevant: Mask) -> Mask:
    """Where a measure is defined, shape (queries,)."""
    entry = measure.entry
    space = spaces[entry.reads]
    if entry.needs == "relevant":
        return relevant if measure.level is None else space.relevant(measure.level) > 0
    if entry.needs == "both":
        least = measure.level or 1
        return (space.relevant(least) > 0) & (space.per_query(space.grade < least) > 0)
    if entry.needs == "nothing":
        return np.ones(len(space), dtype=bool)
    if is_plain(measure) and (space.grade.dtype.kind == "i" or measure.get("dcg") != "exp-log2"):
        return relevant
    if is_plain(measure):
        return space.per_query(np.exp2(space.grade) > 1) > 0  # the gain of a tiny fraction is 0 in floats
    return space.per_query(gains(measure, space.grade) > 0) > 0


def fill_undefined(values: Floats, status: QueryStatus, policy: Policy) -> Floats:
    """The values as they are averaged: the policy's where a measure is undefined, NaN where a query is left out."""
    filled = np.where(status.defined, values, {"skip": np.nan, "zero": 0.0, "one": 1.0}[policy.empty])
    filled[~status.is_averaged] = np.nan
    return filled


def mean_or_sum(column: Floats, measure: Measure, weight: Floats | None = None) -> tuple[float, int]:
    """The mean over the queries that are averaged, or the sum where the measure is a count, and the number of queries."""
    average, n = mean(column, weight)
    if measure.entry.aggregate == "sum":
        return math.fsum(column[~np.isnan(column)].tolist()), n
    return average, n


def mean(column: Floats, weight: Floats | None = None) -> tuple[float, int]:
    """The mean over the queries that are averaged, and the number of queries; 0.0 over none. Exact, whatever the order.

    With weights (of a micro average the denominators), the sum of value * weight over the sum of weights.
    """
    if weight is None:
        values = [value for value in column.tolist() if not math.isnan(value)]
        return (math.fsum(values) / len(values) if values else 0.0), len(values)
    has_value = ~np.isnan(column)
    total = math.fsum(weight[has_value].tolist())
    return (math.fsum((column * weight)[has_value].tolist()) / total if total else 0.0), int(has_value.sum())


Denominator = Callable[[RankSpace, Measure], Floats]


def _relevant(space: RankSpace, measure: Measure) -> Floats:
    """The number of relevant documents, retrieved or not."""
    return space.relevant(measure.level or 1).astype(np.float64)


def _retrieved(space: RankSpace, measure: Measure) -> Floats:
    """The number of documents retrieved, down to the cutoff."""
    depth = (space.condensed() if measure.get("judged_only") is True else space).depth
    return np.minimum(depth, measure.cutoff or depth).astype(np.float64)


def _looked_at(space: RankSpace, measure: Measure) -> Floats:
    """The cutoff, even where fewer documents were retrieved, or with ``returned`` these; without a cutoff the number retrieved."""
    if measure.cutoff is None or measure.get("returned") is True:
        return _retrieved(space, measure)
    return np.full(len(space), float(measure.cutoff))


def _best_case(space: RankSpace, measure: Measure) -> Floats:
    """The most relevant documents that a ranking can have down to the cutoff."""
    return np.minimum(_relevant(space, measure), _looked_at(space, measure))


def _set_precision(space: RankSpace, measure: Measure) -> Floats:
    """The number of documents retrieved; for relative set precision the most of them that could be relevant."""
    return _best_case(space, measure) if measure.get("relative") is True else _retrieved(space, measure)


def _f_denominator(space: RankSpace, measure: Measure) -> Floats:
    """looked_at + beta * relevant, since F = (beta + 1) P R / (R + beta P) = (beta + 1) hits / (looked_at + beta * relevant)."""
    beta = measure.get("beta")
    return _looked_at(space, measure) + (beta if isinstance(beta, (int, float)) else 1) * _relevant(space, measure)


DENOMINATORS: Mapping[str, Denominator] = {
    "R": _relevant,
    "P": _looked_at,
    "F1": _f_denominator,
    "R_cap": _best_case,
    **dict.fromkeys(("Success", "Complete"), lambda space, _: np.ones(len(space))),
    "Rprec": _relevant,
    "SetP": _set_precision,
    "SetR": _relevant,
    "SetF": _f_denominator,
    "Judged": _retrieved,
    "Unjudged": _looked_at,
}
"""Measure -> what its value is divided by, query by query, shape (queries,)."""


def denominators(space: RankSpace, requested: Sequence[Measure], resolved: Sequence[Measure]) -> Floats:
    """The denominators of some measures, shape (queries, measures): means weighted by them are micro averages.

    Raises MeasureError for a measure that is no ratio of counts.
    """
    no_ratio = next((measure for measure in requested if measure.name not in DENOMINATORS), None)
    if no_ratio is not None:
        what = f"{no_ratio} has no micro average: its value for a query is no ratio of counts"
        raise MeasureError(what, hint=Wording(setting("average", "macro"), f", or {', '.join(DENOMINATORS)}"))
    return np.column_stack([DENOMINATORS[measure.name](space, measure) for measure in resolved])


Average = Literal["macro", "micro", "slices"]
"""How queries are averaged: each alike, by sums over all of them, or slice by slice."""

AVERAGES = ("macro", "micro", "slices", "weighted")
"""The averages of results; ``"weighted"`` is that of queries that have a weight each."""

SENTENCES = {
    "micro": "micro average: the ratio of sums over all queries",
    "slices": "the mean of the means of slices, which count alike",
    "weighted": "weighted mean: queries count by the weights that were given",
}
"""Average -> what is said of it, where it is unusual."""


@dataclass(frozen=True, slots=True)
class Weighting:
    """How much queries count: ``average`` is one of :data:`AVERAGES`, ``by_query`` are the weights that were given, and
    ``slice_of`` the labels of queries where slices count alike."""

    average: str = "macro"
    by_query: Mapping[str, float] = field(default_factory=dict)
    slice_of: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, average: object, weights: Any = None, labels: Mapping[str, Mapping[str, str]] | None = None) -> Weighting:
        """The weighting that a call asks for, with labels as :class:`samescore.slices.Slices` holds them.

        Raises MeasureError for an average that there is not, InputError for weights that are none, and for slices without labels.
        """
        if not is_word(average, get_args(Average)):
            raise MeasureError(f"average cannot be {short(average)}", hint="'macro', 'micro' or 'slices'")
        if weights is not None:
            if average != "macro":
                raise InputError(f"both weights and a {average} average were given", hint=setting("average", "macro"))
            return cls("weighted", _read_weights(weights))
        if average == "slices":
            if not labels or len(labels) != 1:
                what = f"the mean of slices needs labels of one kind, and there are {len(labels or ())}"
                raise InputError(what, hint=setting("slices", {"q1": "de"}))
            return cls("slices", slice_of=next(iter(labels.values())))
        return cls(str(average))

    def weights(self, queries: Sequence[str], has_value: Mask) -> Floats | None:
        """How much each query counts, shape (queries,), given which have a value; None where all count alike, or by denominators.

        Raises InputError where a query with a value has no weight, and where no weight is above 0.
        """
        if self.average == "weighted":
            lacking = [query for query, has in zip(queries, has_value.tolist(), strict=True) if has and query not in self.by_query]
            if lacking:
                what = f"{len(lacking)} queries have no weight: {examples(lacking)}"
                raise InputError(what, hint="a weight for each query that is averaged, 0 to leave one out")
            found = np.array([self.by_query.get(query, 0.0) for query in queries], dtype=np.float64)
        elif self.average == "slices":
            labels = np.array([self.slice_of.get(query) for query in queries], dtype=object)
            sizes = Counter(label for label in labels[has_value].tolist() if label is not None)
            found = np.array([1.0 / sizes[label] if sizes[label] else 0.0 for label in labels.tolist()], dtype=np.float64)
        else:
            return None
        if has_value.any() and not found[has_value].any():
            raise InputError("no query that is averaged has a weight above 0", hint="a number above 0 for some query")
        return found

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """Raise InputError for a weight of a query that is not among some."""
        unknown = self.by_query.keys() - set(known)
        if unknown:
            raise InputError(
                f"weights names ids that neither run nor qrels have: {examples(sorted(unknown))}", hint="check the ids"
            )


def _read_weights(weights: Any) -> dict[str, float]:
    """Query -> weight, from a mapping, a pandas Series, or a frame with query_id and weight.

    Raises InputError for what is no finite number of at least 0.
    """
    if hasattr(weights, "columns"):
        columns = [name for name in weights.columns if name != "query_id"]
        ids = list(weights["query_id"] if "query_id" in weights.columns else getattr(weights, "index", ()))
        if len(columns) != 1 or len(ids) != len(weights):
            raise InputError("the frame of weights lacks query_id or a column of weights", hint="columns query_id and weight")
        rows = list(zip(ids, list(weights[columns[0]]), strict=True))
    elif hasattr(weights, "items"):
        rows = list(weights.items())
    else:
        raise InputTypeError(f"weights are {short(weights)}", hint=setting("weights", {"q1": 2.0}))
    read: dict[str, float] = {}
    for given, weight in rows:
        query, number = as_id(given, kind="query"), weight
        if isinstance(number, (bool, np.bool_)) or not isinstance(number, (Real, np.number)):
            raise InputTypeError(f"the weight is {short(weight)}", query=query, hint="a number of at least 0")
        if not math.isfinite(number) or number < 0:
            raise InputError(f"the weight is {short(weight)}", query=query, hint="a finite number of at least 0")
        if read.setdefault(query, float(number)) != number:
            raise InputError("two weights of one query", query=query, hint="one weight for each")
    return read
