"""Result: means and per-query values, with the policy, backend and report that they came by."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from functools import cached_property
from itertools import compress
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import __version__
from .averaging import AVERAGES, SENTENCES, Mask, mean_or_sum
from .display import Code, Column, Count, Displayed, Part, Table, by_query, finite, frame, in_words, interval, mention
from .errors import InputError, MeasureError, ResultKeyError, SamescoreError, Wording, nearest, setting, short
from .intervals import AUTO, SAMPLING, Interval, Sampling, mean_interval
from .measures import Measure, parse
from .policy import Policy
from .rankspace import Floats, Ranking, RankSpace
from .report import FrozenDict, Report, frozen
from .slices import SLICE_COLUMNS, SliceMean, Slices, group_of, group_values, slice_means

if TYPE_CHECKING:
    import pandas

QueryRows = Mapping[str, Mapping[str, "float | None"]]
"""Query -> measure -> number, None where there is none."""


COUNTS: Mapping[str, Callable[[Report], int]] = {"queries": lambda r: r.queries, "skipped": lambda r: len(r.skipped)}
"""The keys of a result that are no measures -> the count that each looks up."""


ORIGIN = FrozenDict(samescore=__version__, versions=FrozenDict(numpy=np.__version__))
"""``Result.origin`` of a result that this process computes; one that was read back has what was stored."""


@dataclass(frozen=True, slots=True)
class MeasureColumn:
    """One measure of a result: as it was requested, and ``resolved`` to the gain and threshold that it was computed with.

    ``values`` holds one for each query, NaN where it has none, and ``weights`` how much each counts, for a micro average
    what it is divided by; None where all count alike.
    ``backend`` is the label of the backend that computed it.
    """

    measure: Measure
    resolved: Measure
    mean: float
    values: Floats
    weights: Floats | None = None
    backend: str = ""

    @property
    def shown(self) -> float:
        """The mean as it is shown: NaN where it was taken over no query, which ``mean`` has 0.0 for; a count is marked as one."""
        is_over_none = self.resolved.entry.aggregate == "mean" and np.isnan(self.values).all()
        return math.nan if is_over_none else self.marked(self.mean)

    def marked(self, value: float) -> float:
        """A value of the measure, marked as a count where it is one."""
        return Count(value) if self.resolved.entry.aggregate == "sum" else value

    def interval(self, sampling: Sampling = SAMPLING, method: str = AUTO) -> Interval:
        """The interval of the mean (:func:`samescore.intervals.mean_interval`); of a count, that of its mean and not of its sum."""
        has_value = ~np.isnan(self.values)
        weights = None if self.weights is None else self.weights[has_value]
        bounded = self.resolved.entry.bounded
        return mean_interval(self.values[has_value], weights, bounded=bounded, sampling=sampling, method=method)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(Displayed, Mapping[str, float]):
    """What :func:`samescore.evaluate` returns: an immutable mapping from measure to its mean.

    Keys are the measures' names (``"nDCG@10"``); any other name of the same measure (``"ndcg@10"``, a Measure) finds it
    too, and the bare ``"recall"``, ``"mrr"``, ``"ndcg"`` where one measure of that family was computed. ``"queries"`` and
    ``"skipped"`` look up the two counts; iteration yields measures only.

    Parameters
    ----------
    policy : Policy
        The policy.
    backend : str
        Name and version of the backend.
    report : Report
        What the policy did.
    columns : mapping
        Name -> measure, mean and values.
    queries : sequence of str
        The ids of the judged queries, in the order of the qrels: the rows of the columns.
    is_averaged : ndarray of bool, shape (queries,)
        Which of the queries are averaged.
    average : {"macro", "micro", "slices", "weighted"}
        How queries are averaged: each counts alike, as a ratio of sums over all queries, slice by slice, or by weights.
    labels : Slices
        The labels of queries that were given as ``slices``.
    spaces : mapping
        The rank space of documents (``"grades"``) and of subtopics; none for a result that was read back.
    origin : mapping
        The versions that computed it; for a result that was read back, also its fingerprint.
    grouped : str
        How many queries were grouped and how, where they were.

    Examples
    --------
    >>> from samescore import evaluate
    >>> result = evaluate({"q1": ["d1", "d2"]}, {"q1": {"d2": 1}}, measures="RR", backend="reference")
    >>> result["RR"], result["mrr"], list(result), result["queries"]
    (0.5, 0.5, ['RR'], 1)
    """

    policy: Policy
    backend: str
    report: Report
    columns: Mapping[str, MeasureColumn]
    queries: Sequence[str]
    is_averaged: Mask
    average: str = "macro"
    labels: Slices = field(default_factory=Slices)
    spaces: Mapping[str, RankSpace] = field(default_factory=dict)
    origin: Mapping[str, Any] = field(default_factory=lambda: ORIGIN)
    grouped: str = ""

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, key: object) -> float:
        if isinstance(key, str) and key in COUNTS:
            return COUNTS[key](self.report)
        return self.column(key).mean

    def column(self, key: object) -> MeasureColumn:
        """The column of the measure that a key means, by any of its names. Raises ResultKeyError for one that was not computed."""
        if isinstance(key, str) and key in self.columns:
            return self.columns[key]
        try:
            measure = parse(key)
        except MeasureError:
            raise ResultKeyError(f"{short(key)} is not in the result", hint=nearest(str(key), self.columns)) from None
        if str(measure) in self.columns:
            return self.columns[str(measure)]
        family = [name for name, column in self.columns.items() if column.measure.name == measure.name]
        bare = measure.cutoff is None and not measure.params
        if bare and len(family) == 1:
            return self.columns[family[0]]
        what = f"{short(key)} is not in the result" if not (bare and family) else f"{short(key)} could be any of several"
        raise ResultKeyError(what, hint=", ".join(family or self.columns))

    @property
    def means(self) -> dict[str, float]:
        """Measure -> mean over the queries that are averaged; 0.0 over none."""
        return {name: column.mean for name, column in self.columns.items()}

    @property
    def shown(self) -> dict[str, float]:
        """Measure -> mean as it is shown and stored, NaN over no query."""
        return {name: column.shown for name, column in self.columns.items()}

    @property
    def averaged(self) -> list[str]:
        """The ids of the queries that are averaged, in the order of the qrels."""
        return list(compress(self.queries, self.is_averaged))

    @property
    def resolved(self) -> dict[str, Measure]:
        """Measure -> the same with the gain and the threshold that it was computed with."""
        return {name: column.resolved for name, column in self.columns.items()}

    @property
    def per_query(self) -> pandas.DataFrame:
        """A DataFrame indexed by query_id, a column for each measure; NaN where it is undefined.

        Its rows are the queries that are averaged, in the order of the qrels. Each access makes a new one.
        """
        return by_query(self.averaged, {name: column.values[self.is_averaged] for name, column in self.columns.items()})

    def values_of(self, measure: object) -> dict[str, float]:
        """Query -> the value of one measure, without the queries for which it is undefined.

        Parameters
        ----------
        measure : MeasureLike
            A measure of the result.

        Raises
        ------
        ResultKeyError
            For a measure that was not computed.
        """
        column = self.column(measure)
        return self._by_query(column.values, column.values)

    def weights_of(self, measure: object) -> dict[str, float] | None:
        """Query -> its weight, or what its value is divided by, for the same queries; None where the average is macro."""
        column = self.column(measure)
        return None if column.weights is None else self._by_query(column.weights, column.values)

    def group_queries(self, groups: Any, how: Literal["mean", "min"] = "mean") -> Result:
        """Let several queries count as one, as the variants of one question do.

        Parameters
        ----------
        groups : mapping, Series or DataFrame
            {query: group}; a query without a group stays one of its own.
        how : {"mean", "min"}
            What the group's value is: the mean of its queries that have one, or the worst of them.

        Returns
        -------
        Result
            A result whose queries are the groups; its report is still that of the queries.

        Raises
        ------
        InputError
            For queries that are not judged, a group named as a query that is in none, and a result whose queries do not count
            alike.

        Examples
        --------
        >>> from samescore import evaluate
        >>> qrels = {"q1": {"d": 1}, "q1 again": {"d": 1}, "q2": {"d": 1}}
        >>> result = evaluate({"q1": ["d"], "q1 again": ["x"], "q2": ["d"]}, qrels, k=1, backend="reference")
        >>> grouped = result.group_queries({"q1": "first", "q1 again": "first"})
        >>> round(result["R@1"], 4), grouped["R@1"], grouped.values_of("R@1")
        (0.6667, 0.75, {'first': 0.5, 'q2': 1.0})
        """
        if self.average != "macro":
            raise InputError("queries that do not count alike are not grouped", hint=setting("average", "macro"))
        members = group_of(groups, self.averaged, self.queries)
        names = list(dict.fromkeys(members.values()))
        columns, n = {}, {}
        for name, column in self.columns.items():
            values = group_values(self.values_of(name), members, how, column.resolved.entry.lower_is_better)
            of_groups = np.array([values.get(group, np.nan) for group in names], dtype=np.float64)
            mean, n[name] = mean_or_sum(of_groups, column.resolved)
            columns[name] = replace(column, values=of_groups, mean=mean)
        labels = {kind: _labels_of_groups(members, label_of) for kind, label_of in self.labels.labels.items()}
        return replace(
            self,
            columns=FrozenDict(columns),
            queries=tuple(names),
            is_averaged=np.ones(len(names), dtype=bool),
            labels=Slices(labels),
            spaces={},
            report=replace(self.report, queries=len(names), n=FrozenDict(n)),
            origin=FrozenDict({**self.origin, "fingerprint": self.fingerprint}),
            grouped=f"{len(members)} queries in groups, each by its {'worst' if how == 'min' else 'mean'}",
        )

    def _by_query(self, numbers: Floats, values: Floats) -> dict[str, float]:
        """Query -> number, where there is a value."""
        has_value = ~np.isnan(values)
        return dict(zip(compress(self.queries, has_value), numbers[has_value].tolist(), strict=True))

    def slice_rows(self) -> list[SliceMean]:
        """A row for each slice and measure, the whole first: the mean, its interval at 95 % with the method, and the queries."""
        masks = self.labels.masks(self.queries)
        by_measure = [slice_means(name, c.resolved, c.values, c.weights, masks) for name, c in self.columns.items()]
        return [row for of_slice in zip(*by_measure, strict=True) for row in of_slice]

    @property
    def slices(self) -> pandas.DataFrame:
        """A DataFrame of :meth:`slice_rows`, with the columns slice, measure, mean, low, high, queries and method."""
        return frame(map(astuple, self.slice_rows()), SLICE_COLUMNS)

    @property
    def unlabelled(self) -> list[str]:
        """The queries that are averaged and that ``slices`` gave no label."""
        return self.labels.unlabelled(self.averaged)

    @property
    def notes(self) -> list[str]:
        """What a reader of the values should know of the measures, where another tool means something else by the name."""
        return list(dict.fromkeys(m.entry.note for m in (column.measure for column in self.columns.values()) if m.entry.note))

    @property
    def signature(self) -> str:
        """One line to paste into a paper: version, policy, backend and number of queries."""
        average = {"macro": "", "micro": " (micro average)", "slices": " (mean of slices)"}.get(self.average, f" ({self.average})")
        average += f" ({self.grouped})" if self.grouped else ""
        version = self.origin["samescore"]
        return f"samescore {version} | {self.policy.signature} | {self.backend} | queries:{self.report.queries}{average}"

    @cached_property
    def fingerprint(self) -> str:
        """32 hex digits that change when anything that a measure can see in run and qrels does, and not with their order."""
        if not self.spaces:
            return str(self.origin["fingerprint"])
        digest = hashlib.blake2b(digest_size=16)
        for i in sorted(range(len(self.queries)), key=self.queries.__getitem__):
            digest.update(f"{self.queries[i]!r} {int(self.spaces['grades'].depth[i])}\n".encode())
            for reads in ("grades", "subtopics"):
                if reads in self.spaces:
                    digest.update(self.spaces[reads].rows_of(i))
        return digest.hexdigest()

    def gain_of(self, name: str) -> str | None:
        """The gain that a measure was computed with: ``"exponential"``, ``"linear"``, ``"listed"``, or None where it has none."""
        measure = self.columns[name].resolved
        plain = {"exp-log2": "exponential", "log2": "linear"}.get(str(measure.get("dcg")))
        return "listed" if measure.gains else plain

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold, with provenance. Undefined values are None."""
        plain = {
            "samescore": self.origin["samescore"],
            "backend": self.backend,
            "signature": self.signature,
            "policy": asdict(self.policy),
            "versions": dict(self.origin["versions"]),
            "fingerprint": self.fingerprint,
            "average": self.average,
            "queries": self.report.queries,
            **({"grouped": self.grouped} if self.grouped else {}),
            "measures": {name: self._described(name) for name in self},
            "per_query": self._rows(self.values_of),
            "report": self.report.to_dict(),
        }
        if self.average != "macro":
            plain[_WEIGHTS_KEY.get(self.average, "weights")] = self._rows(self.weights_of)
        if self.labels.labels:
            plain["labels"] = {name: dict(labels) for name, labels in self.labels.labels.items()}
            plain["slices"] = {}
            for row in self.slice_rows():
                numbers = {"mean": row.mean, "low": row.low, "high": row.high, "queries": row.queries, "method": row.method}
                plain["slices"].setdefault(row.slice, {})[row.measure] = finite(numbers)
        return plain

    def _described(self, name: str) -> dict[str, Any]:
        """A measure's value and what it is made of; a count is a sum, which the key ``mean`` holds too."""
        described = {
            "mean": None if math.isnan(mean := self.columns[name].shown) else mean,
            "n": self.report.n[name],
            "gain": self.gain_of(name),
        }
        if len(self._backends) > 1:
            described["backend"] = self.columns[name].backend
        aggregate = self.columns[name].resolved.entry.aggregate
        return described if aggregate == "mean" else {**described, "aggregate": aggregate}

    @property
    def _backends(self) -> set[str]:
        """The labels of the backends that computed."""
        return {column.backend for column in self.columns.values()}

    def _rows(self, numbers_of: Callable[[str], Mapping[str, float] | None]) -> QueryRows:
        """The numbers of each measure by query."""
        columns = {name: numbers_of(name) or {} for name in self}
        return {query: {name: column.get(query) for name, column in columns.items()} for query in self.averaged}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Result:
        """The result that :meth:`to_dict` made plain, or :meth:`to_json` and ``json.loads``.

        Parameters
        ----------
        plain : mapping
            What was made.

        Returns
        -------
        Result
            The result without its rank space.

        Raises
        ------
        InputError
            For what is no such thing.

        Examples
        --------
        >>> from samescore import evaluate
        >>> result = evaluate({"q1": ["d1"]}, {"q1": {"d1": 1}}, backend="reference")
        >>> Result.from_dict(result.to_dict()).to_dict() == result.to_dict()
        True
        """
        try:
            return _read_result(plain)
        except SamescoreError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            what = f"not a result: {'it lacks ' if isinstance(error, KeyError) else ''}{error}"
            raise InputError(what, where=short(plain), hint="what Result.to_dict() or to_json() made") from error

    def parts(self) -> list[Part]:
        """The means, those of slices where there are any, a line for each thing that the policy did, and the signature."""
        by_measure = self._by_measure()
        parts: list[Part] = [Table(["measure", *by_measure], list(zip(self, *by_measure.values(), strict=True)))]
        if self.labels.labels:
            columns: list[str | Column] = ["slice", "measure", "mean", Column("95 % interval", styled=interval), "queries"]
            of_slices = self.slice_rows()
            marks = {name: column.marked for name, column in self.columns.items()}
            cells = [list(map(marks[row.measure], (row.mean, row.low, row.high))) for row in of_slices]
            rows = [
                (r.slice, r.measure, mean, (low, high), r.queries) for r, (mean, low, high) in zip(of_slices, cells, strict=True)
            ]
            parts += [Table(columns, rows), f"intervals: {_methods(of_slices)}"]
        return [*parts, *self.sentences(), Code(self.signature)]

    def sentences(self) -> list[str]:
        """How queries were averaged where that is unusual, a line for each thing that the policy did, who has no label, and what a
        reader of the values should know of the measures."""
        average = SENTENCES.get(self.average, "")
        unlabelled = mention(self.unlabelled, "without a label, in no slice but the whole")
        return [
            line
            for line in (average, self.grouped, *self.report.parts(), unlabelled, self._hits_below_cutoff(), *self.notes)
            if line
        ]

    def _hits_below_cutoff(self) -> str:
        """Where the measures are those of cutoffs alone: for how many queries the reciprocal rank counts a hit below them."""
        ranks = [column for column in self.columns.values() if column.measure == Measure("RR")]
        cutoffs = [c.measure.cutoff for c in self.columns.values() if c.measure.name in ("R", "nDCG") and not c.measure.params]
        if not ranks or not cutoffs or len(cutoffs) + 1 != len(self) or not all(cutoffs):
            return ""
        k = max(cutoff for cutoff in cutoffs if cutoff)
        below = [query for query, value in self.values_of("RR").items() if 0 < value < 1 / (k + 0.5)]
        return mention(below, f"whose first relevant document is below k = {k}: RR is over the whole ranking, RR@{k} would be 0")

    def _by_measure(self) -> dict[str, list[Any]]:
        """Column -> what each measure has there: the mean, the number of queries where they differ, the gain where there is one."""
        columns: dict[str, list[Any]] = {
            "mean": list(self.shown.values()),
            "queries": list(self.report.n.values()),
            "gain": [self.gain_of(name) for name in self],
            "backend": [column.backend for column in self.columns.values()],
        }
        shown = {
            "backend": len(self._backends) > 1,
            "queries": any(n != self.report.queries for n in columns["queries"]),
            "gain": any(columns["gain"]),
        }
        return {title: column for title, column in columns.items() if shown.get(title, True)}

    def records(self, *, per_query: bool = False) -> Table:
        """Measure, query and value, as trec_eval prints them: the query of a mean is ``all``. ``per_query`` has a row for each
        query before the means."""
        values = self.to_dict()["per_query"] if per_query else {}
        of_queries = [(name, query, value) for query, row in values.items() for name, value in row.items() if value is not None]
        means = [(name, "all", value) for name, value in (self.shown | {name: self[name] for name in COUNTS}).items()]
        return Table(["measure", "query_id", "value"], [*of_queries, *means], head=False)

    def summary(self) -> dict[str, str]:
        """The means, and how many queries were averaged."""
        return {**{name: in_words(mean) for name, mean in self.shown.items()}, "queries": str(self.report.queries)}


def _methods(rows: Sequence[SliceMean]) -> str:
    """How the intervals of some slices were found, each method with its measures where there are several."""
    measures: dict[str, dict[str, None]] = {}
    for row in rows:
        measures.setdefault(row.method, {})[row.measure] = None
    return "; ".join(f"{method} ({', '.join(names)})" for method, names in measures.items() if method != "none: no query")


def _labels_of_groups(members: Mapping[str, str], label_of: Mapping[str, str]) -> dict[str, str]:
    """Group -> the label that all its queries share."""
    labels: dict[str, set[str | None]] = {}
    for query, group in members.items():
        labels.setdefault(group, set()).add(label_of.get(query))
    shared = {group: next(iter(each)) for group, each in labels.items() if len(each) == 1}
    return {group: label for group, label in shared.items() if label is not None}


@dataclass(frozen=True, slots=True, repr=False)
class Results(Displayed):
    """Results of several runs together, by name: a row a run, and what the policy did to several alike said once.

    ``per_query`` adds a table with the value of each query, ``files`` what JSON says of where each result comes from. One
    result is shown as it is.
    """

    named: Sequence[tuple[str, Result]]
    per_query: bool = False
    files: Sequence[Mapping[str, str]] = ()

    def parts(self) -> list[Part]:
        """The values of queries where they are wanted, the means, and the sentences."""
        first = self.named[0][1]
        queries = [self._queries()] if self.per_query else []
        if len(self.named) == 1:
            return [*queries, *first.parts()]
        rows = [(name, *result.shown.values(), result.report.queries) for name, result in self.named]
        gains = ", ".join(f"{name} {gain}" for name in first if (gain := first.gain_of(name)))
        return [*queries, Table(["run", *first, "queries"], rows), *([f"gain: {gains}"] if gains else []), *self._sentences()]

    def _sentences(self) -> Iterator[str]:
        """What the policy did to some runs, then what it did to all, and the signature."""
        runs: dict[str, list[str]] = {}
        for name, result in self.named:
            for sentence in (*result.sentences(), result.signature):
                runs.setdefault(sentence, []).append(name)
        yield from (f"{', '.join(names)}: {sentence}" for sentence, names in runs.items() if len(names) < len(self.named))
        yield from (sentence for sentence, names in runs.items() if len(names) == len(self.named))

    def _queries(self) -> Table:
        """A row for each run and query."""
        rows = [
            (*self._run_cell(name), query, *(v if v is None else result.columns[m].marked(v) for m, v in values.items()))
            for name, result in self.named
            for query, values in result.to_dict()["per_query"].items()
        ]
        return Table([*self._run_cell("run"), "query", *self.named[0][1]], rows)

    def _run_cell(self, cell: str) -> list[str]:
        """The cell in the column of runs, as a list; empty for a single run, whose tables have no such column."""
        return [cell] if len(self.named) > 1 else []

    def records(self) -> Table:
        """The rows of each result's records; of several results, with a first column that names the run."""
        tables = [(name, result.records(per_query=self.per_query)) for name, result in self.named]
        rows = [(*self._run_cell(name), *row) for name, table in tables for row in table.rows]
        return Table([*self._run_cell("run"), *tables[0][1].columns], rows, head=False)

    def to_dict(self) -> Any:
        """The plain values of each result with its files, or of the one result; those of queries where they are wanted."""
        files = self.files or [{"run": name} for name, _ in self.named]
        objects = [{**file, **result.to_dict()} for file, (_, result) in zip(files, self.named, strict=True)]
        if not self.per_query:
            for plain in objects:
                del plain["per_query"]
        return objects if len(objects) > 1 else objects[0]


_WEIGHTS_KEY = {"micro": "denominators"}
"""Average -> under which key stored results have how much each query counts, where that is not ``"weights"``."""


def _read_result(plain: Mapping[str, Any]) -> Result:
    """The result that was stored. Raises what Python raises where something is lacking or of another type."""
    policy, average, values = Policy(**plain["policy"]), plain.get("average", "macro"), plain["per_query"]
    if average not in AVERAGES:
        raise ValueError(f"average cannot be {short(average)}")
    return Result(
        policy=policy,
        backend=str(plain["backend"]),
        report=_read_report(plain["report"], policy),
        columns=_read_columns(plain, policy, None if average == "macro" else plain[_WEIGHTS_KEY.get(average, "weights")]),
        queries=tuple(values),
        is_averaged=np.ones(len(values), dtype=bool),
        average=average,
        labels=Slices(plain.get("labels", {})),
        origin=FrozenDict(samescore=plain["samescore"], versions=FrozenDict(plain["versions"]), fingerprint=plain["fingerprint"]),
        grouped=str(plain.get("grouped", "")),
    )


def _read_columns(plain: Mapping[str, Any], policy: Policy, weights: QueryRows | None) -> FrozenDict:
    """The columns of a stored result; ``weights`` are how much each query counts, None where all count alike."""
    columns = []
    for name, stored in plain["measures"].items():
        measure, mean = _read_measure(name), 0.0 if stored["mean"] is None and stored["n"] == 0 else float(stored["mean"])
        weight = None if weights is None else _read_values(weights, str(measure))
        values, backend = _read_values(plain["per_query"], str(measure)), str(stored.get("backend", plain["backend"]))
        columns.append(MeasureColumn(measure, policy.resolve(measure), mean, values, weight, backend))
    return FrozenDict({str(column.measure): column for column in columns})


def _read_measure(name: str) -> Measure:
    """A measure by its name; one that cannot be parsed was user-defined, and its definition is not stored."""
    try:
        return parse(name)
    except MeasureError:
        function, _, cutoff = name.partition("@")
        return Measure(function, int(cutoff) if cutoff else None, function=not_stored)


def not_stored(ranking: Ranking) -> float | None:
    """Take the place of the function of a user-defined measure in a result that was read back."""
    raise MeasureError(
        "the definition of a user-defined measure is not stored with a result",
        hint=Wording("evaluate with ", setting("measures", ...)),
    )


def _read_values(rows: QueryRows, name: str) -> Floats:
    """One number of each row as an array of shape (queries,), NaN for None."""
    return np.array([np.nan if row[name] is None else row[name] for row in rows.values()], dtype=np.float64)


def _is_count(value: object) -> bool:
    """Whether a plain value is a number of things."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0


def _is_number(value: object) -> bool:
    """Whether a plain value is a number, or None, which JSON has for those that are not finite."""
    return value is None or (isinstance(value, Real) and not isinstance(value, bool))


def _are_ids(value: object) -> bool:
    """Whether a plain value is a list of ids."""
    return isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value)


def _maps_to(is_value: Callable[[object], bool]) -> Callable[[object], bool]:
    """What tells whether a plain value is an object with such values."""
    return lambda value: isinstance(value, Mapping) and all(map(is_value, value.values()))


_IS_OF: Mapping[str, Callable[[object], bool]] = {
    "int": _is_count,
    "bool": lambda value: isinstance(value, bool),
    "float": _is_number,
    "tuple[str, ...]": _are_ids,
    "tuple[str, ...] | None": lambda value: value is None or _are_ids(value),
    "Mapping[str, int]": _maps_to(_is_count),
    "Mapping[str, tuple[str, ...]]": _maps_to(_are_ids),
    "Mapping[int | None, float]": _maps_to(_is_number),
    "Mapping[int | None, int]": _maps_to(_is_count),
}
"""The type of a field of the report -> whether a plain value is of it."""


def _read_report(plain: Mapping[str, Any], policy: Policy) -> Report:
    """A stored report: lists become tuples again, and cutoffs numbers."""
    values = {f.name: plain[f.name] for f in fields(Report) if f.name in plain}
    for f in fields(Report):
        if f.name in values and not _IS_OF[str(f.type)](values[f.name]):
            raise ValueError(f"{f.name} of the report cannot be {short(values[f.name])}")
    for name in ("undefined", "above_one"):
        values[name] = {m: tuple(ids) for m, ids in values.get(name, {}).items()}
    for name in ("judged", "folded"):
        values[name] = {None if k == "all" else int(k): value for k, value in values.get(name, {}).items()}
    return Report(**{name: frozen(value) for name, value in values.items()}, policy=policy)
