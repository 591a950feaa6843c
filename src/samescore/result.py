"""Result: means and per-query values, with the policy, backend and report that they came by."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, fields
from functools import cached_property
from html import escape
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from . import __version__
from .averaging import Mask
from .display import aligned, by_query, frame, interval, piped, tabled
from .errors import InputError, MeasureError, ResultKeyError, SamescoreError, nearest, short
from .measures import Measure, parse
from .policy import Policy
from .rankspace import Floats, Ranking, RankSpace
from .report import FrozenDict, Report, _ids, lines
from .slices import SLICE_COLUMNS, SliceMean, Slices, slice_means
from .tie_orders import StoredTies

if TYPE_CHECKING:
    import pandas

Rows = dict[str, dict[str, "float | None"]]
"""Query -> measure -> number, None where there is none."""


def to_plain(result: Result) -> dict[str, Any]:
    """Everything that a result holds, with provenance. Undefined values are None."""
    plain = {
        "samescore": result.origin["samescore"],
        "backend": result.backend,
        "signature": result.signature,
        "policy": {name: getattr(result.policy, name) for name in Policy.__dataclass_fields__},
        "versions": dict(result.origin["versions"]),
        "fingerprint": result.fingerprint,
        "average": result.average,
        "queries": result.report.queries,
        "measures": {m: _described(result, m) for m in result},
        "per_query": _rows(result.averaged, {m: result.values_of(m) for m in result}),
        "report": result.report.to_dict(),
    }
    if result.average == "micro":
        plain["denominators"] = _rows(result.averaged, {m: result.weights_of(m) or {} for m in result})
    if result.labels.labels:
        plain |= {"labels": {name: dict(labels) for name, labels in result.labels.labels.items()}, "slices": _sliced(result)}
    return plain


def _described(result: Result, name: str) -> dict[str, Any]:
    """A measure's value and what it is made of; a count is a sum, which the key ``mean`` holds too."""
    described = {"mean": result[name], "n": result.report.n[name], "gain": result.gain_of(name)}
    aggregate = result.resolved[name].entry.aggregate
    return described if aggregate == "mean" else {**described, "aggregate": aggregate}


def _rows(queries: Sequence[str], columns: Mapping[str, Mapping[str, float]]) -> Rows:
    """The rows of some columns."""
    return {query: {name: column.get(query) for name, column in columns.items()} for query in queries}


def _sliced(result: Result) -> dict[str, dict[str, dict[str, float | int | None]]]:
    """Slice -> measure -> mean, interval and number of queries."""
    plain: dict[str, dict[str, dict[str, float | int | None]]] = {}
    for row in result.slice_rows():
        numbers = {"mean": row.mean, "low": row.low, "high": row.high}
        cells: dict[str, float | int | None] = {k: None if np.isnan(v) else v for k, v in numbers.items()}
        plain.setdefault(row.slice, {})[row.measure] = cells | {"queries": row.queries}
    return plain


def from_plain(plain: Mapping[str, Any]) -> dict[str, Any]:
    """What a Result is made of, from its plain values.

    Raises InputError where they are not those of a result.
    """
    try:
        return _parts(plain)
    except SamescoreError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        lacks = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(f"not a result: {lacks}", where=short(plain), hint="what Result.to_dict() or to_json() made") from error


def _parts(plain: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of Result."""
    policy = Policy(**plain["policy"])
    measures = [_measure(name) for name in plain["measures"]]
    names, rows = [str(m) for m in measures], plain["per_query"]
    micro = plain.get("average", "macro") == "micro"
    return {
        "measures": measures,
        "resolved": [policy.resolve(m) for m in measures],
        "means": [float(told["mean"]) for told in plain["measures"].values()],
        "values": _columns(rows, names),
        "queries": list(rows),
        "counted": np.ones(len(rows), dtype=bool),
        "policy": policy,
        "backend": str(plain["backend"]),
        "report": _report(plain["report"]),
        "weights": _columns(plain["denominators"], names) if micro else None,
        "labels": Slices(plain.get("labels", {})),
        "origin": {name: plain[name] for name in ("samescore", "fingerprint")} | {"versions": dict(plain["versions"])},
    }


def _measure(name: str) -> Measure:
    """A measure by its name; one of one's own without its definition, which is not stored."""
    try:
        return parse(name)
    except MeasureError:
        own, _, cutoff = name.partition("@")
        return Measure(own, int(cutoff) if cutoff else None, function=not_stored)


def not_stored(ranking: Ranking) -> float | None:
    """Stand for the definition of a measure of one's own, which a stored result does not hold."""
    raise MeasureError("the definition of a measure of one's own is not stored with a result", hint="evaluate(..., measures=[it])")


def _columns(rows: Mapping[str, Mapping[str, float | None]], names: Sequence[str]) -> Floats:
    """Rows of numbers as an array of shape (queries, measures), NaN for None."""
    values = [[np.nan if row[name] is None else row[name] for name in names] for row in rows.values()]
    return np.array(values, dtype=np.float64).reshape(len(rows), len(names))


def _report(plain: Mapping[str, Any]) -> Report:
    """A report from its plain values: lists are tuples again, cutoffs are numbers, and what ties change is as it was found."""
    told = {f.name: plain[f.name] for f in fields(Report) if f.name in plain}
    told = {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
    told["undefined"] = {m: tuple(ids) for m, ids in told["undefined"].items()}
    told["judged"] = {None if k == "all" else int(k): share for k, share in told["judged"].items()}
    return Report(**told, ties=StoredTies(tuple(plain.get("tie_changes", ()))))


COUNTS: Mapping[str, Callable[[Report], int]] = {"queries": lambda r: r.queries, "skipped": lambda r: len(r.skipped)}
"""What a key looks up that is no measure."""


class Result(Mapping[str, float]):
    """What :func:`samescore.evaluate` returns: an immutable mapping from measure to its mean.

    Keys are the measures' names (``"nDCG@10"``); any other name of the same measure (``"ndcg@10"``, a Measure) finds it
    too, and the bare ``"recall"``, ``"mrr"``, ``"ndcg"`` where one measure of that family was computed. ``"queries"`` and
    ``"skipped"`` look up the two counts; iteration yields measures only.
    """

    def __init__(
        self, *, measures: Sequence[Measure], resolved: Sequence[Measure], means: Sequence[float], values: Floats,
        queries: Sequence[str], counted: Mask, policy: Policy, backend: str, report: Report, space: RankSpace | None = None,
        subtopics: RankSpace | None = None, weights: Floats | None = None, labels: Slices | None = None,
        origin: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self._measures = {str(m): m for m in measures}
        self._resolved = dict(zip(self._measures, resolved, strict=True))
        self._means = dict(zip(self._measures, means, strict=True))
        self._values, self._queries, self._counted, self._weights = values, queries, counted, weights
        self._space, self._subtopics = space, subtopics
        self._values.setflags(write=False)
        self.__dict__.update(policy=policy, backend=backend, report=report, labels=labels or Slices())
        own = {"samescore": __version__, "versions": {"numpy": np.__version__}, **(origin or {})}
        self.__dict__["origin"] = FrozenDict(own | {"versions": FrozenDict(own["versions"])})

    policy: Policy
    """The policy."""
    backend: str
    """Name and version of the backend."""
    report: Report
    """What the policy did."""
    labels: Slices
    """The labels of queries that were given as ``slices``."""
    origin: Mapping[str, Any]
    """The versions that computed it; for a result that was read back, also its fingerprint."""

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"a Result is immutable; {name} cannot be set")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Result is immutable; {name} cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._means)

    def __len__(self) -> int:
        return len(self._means)

    def __getitem__(self, key: object) -> float:
        if isinstance(key, str) and key in self._means:
            return self._means[key]
        if isinstance(key, str) and key in COUNTS:
            return COUNTS[key](self.report)
        return self._means[self._find(key)]

    def _find(self, key: object) -> str:
        """The canonical name of the measure that a key means."""
        if isinstance(key, str) and key in self._means:
            return key
        try:
            asked = parse(key)
        except MeasureError:
            raise ResultKeyError(f"{short(key)} is not in the result", hint=nearest(str(key), self._means)) from None
        if str(asked) in self._means:
            return str(asked)
        family = [name for name, m in self._measures.items() if m.name == asked.name]
        bare = asked.cutoff is None and not asked.params
        if bare and len(family) == 1:
            return family[0]
        what = f"{short(key)} is not in the result" if not (bare and family) else f"{short(key)} could be any of several"
        raise ResultKeyError(what, hint=", ".join(family or self._means))

    @property
    def means(self) -> dict[str, float]:
        """Measure -> mean over the queries that are averaged."""
        return dict(self._means)

    @property
    def average(self) -> str:
        """How queries are averaged: ``"macro"`` (each counts alike) or ``"micro"`` (a ratio of sums over all queries)."""
        return "macro" if self._weights is None else "micro"

    @property
    def averaged(self) -> list[str]:
        """The ids of the queries that are averaged, in the order of the qrels."""
        return list(compress(self._queries, self._counted))

    @property
    def resolved(self) -> dict[str, Measure]:
        """Measure -> the same with the gain and the threshold that it was computed with."""
        return dict(self._resolved)

    @property
    def per_query(self) -> pandas.DataFrame:
        """A DataFrame indexed by query_id, a column for each measure; NaN where it is undefined.

        Its rows are the queries that are averaged, in the order of the qrels. Each access makes a new one.
        """
        return by_query(self.averaged, dict(zip(self._means, self._values[self._counted].T, strict=True)))

    def values_of(self, measure: object) -> dict[str, float]:
        """Query -> the value of one measure, without the queries for which it is undefined.

        Raises ResultKeyError for a measure that was not computed.
        """
        return self._column(measure, self._values)

    def weights_of(self, measure: object) -> dict[str, float] | None:
        """Query -> what its value is divided by, for the same queries; None where the average is macro."""
        return None if self._weights is None else self._column(measure, self._weights)

    def _column(self, measure: object, columns: Floats) -> dict[str, float]:
        """Query -> the number in one measure's column, where the measure has a value."""
        i = list(self._means).index(self._find(measure))
        there = ~np.isnan(self._values[:, i])
        return dict(zip(compress(self._queries, there), columns[there, i].tolist(), strict=True))

    def slice_rows(self) -> list[SliceMean]:
        """A row for each slice and measure, the whole first: the mean, its 95 % interval (Student's t), the number of queries."""
        return slice_means(self._resolved, self._values, self._weights, self.labels.masks(self._queries))

    @property
    def slices(self) -> pandas.DataFrame:
        """A DataFrame of :meth:`slice_rows`, with the columns slice, measure, mean, low, high and queries."""
        return frame(map(astuple, self.slice_rows()), SLICE_COLUMNS)

    @property
    def unlabelled(self) -> list[str]:
        """The queries that are averaged and that ``slices`` gave no label."""
        return self.labels.unlabelled(self.averaged)

    @property
    def notes(self) -> list[str]:
        """What a reader of the values should know of the measures, where another tool means something else by the name."""
        return list(dict.fromkeys(m.entry.note for m in self._measures.values() if m.entry.note))

    @property
    def signature(self) -> str:
        """One line to paste into a paper: version, policy, backend and number of queries."""
        micro = "" if self._weights is None else " (micro average)"
        version = self.origin["samescore"]
        return f"samescore {version} | {self.policy.signature} | {self.backend} | queries:{self.report.queries}{micro}"

    @cached_property
    def fingerprint(self) -> str:
        """32 hex digits that change when anything that a measure can see in run and qrels does, and not with their order."""
        if self._space is None:
            return str(self.origin["fingerprint"])
        digest = hashlib.blake2b(digest_size=16)
        for i in sorted(range(len(self._queries)), key=self._queries.__getitem__):
            digest.update(f"{self._queries[i]!r} {int(self._space.depth[i])}\n".encode())
            digest.update(self._space.rows_of(i))
            if self._subtopics is not None:
                digest.update(self._subtopics.rows_of(i))
        return digest.hexdigest()

    def gain_of(self, name: str) -> str | None:
        """The gain that a measure was computed with: ``"exponential"``, ``"linear"``, ``"listed"``, or None where it has none."""
        measure = self._resolved[name]
        plain = {"exp-log2": "exponential", "log2": "linear"}.get(str(measure.get("dcg")))
        return "listed" if measure.gains else plain

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold, with provenance. Undefined values are None."""
        return to_plain(self)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Result:
        """The result that :meth:`to_dict` made plain, or :meth:`to_json` and ``json.loads``.

        Raises InputError for what is no such thing.

        >>> from samescore import evaluate
        >>> result = evaluate({"q1": ["d1"]}, {"q1": {"d1": 1}}, backend="reference")
        >>> Result.from_dict(result.to_dict()).to_dict() == result.to_dict()
        True
        """
        return cls(**from_plain(plain))

    def to_json(self, *, indent: int | None = 2) -> str:
        """:meth:`to_dict` as JSON text, which any encoding of Unicode can write: half a surrogate pair in an id is an escape."""
        text = json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8", "backslashreplace").decode("utf-8")

    def to_markdown(self) -> str:
        """The means as a Markdown table, with what the policy did and the signature below."""
        return markdown(self)

    def __str__(self) -> str:
        return text(self)

    def __repr__(self) -> str:
        return f"Result({', '.join(f'{m}={v:.4f}' for m, v in self._means.items())}, queries={self.report.queries})"

    def _repr_html_(self) -> str:
        return html(self)


def text(result: Result) -> str:
    """An aligned table, one of slices where there are any, a line for each thing that the policy did, and the signature."""
    tables = [aligned(head, rows) + "\n" for head, rows in _tables(result)]
    return "\n".join([*tables, *_told(result), result.signature])


def markdown(result: Result) -> str:
    """Markdown tables, with the lines and the signature below."""
    tables = [piped(head, rows) + "\n" for head, rows in _tables(result)]
    return "\n".join([*tables, *(f"- {line}" for line in _told(result)), "", f"`{result.signature}`"])


def html(result: Result) -> str:
    """HTML tables, with the lines and the signature below."""
    tables = "".join(tabled(head, rows) for head, rows in _tables(result))
    told = "".join(f"<li>{escape(line)}</li>" for line in _told(result))
    return f"{tables}<ul>{told}</ul><code>{escape(result.signature)}</code>"


def _tables(result: Result) -> list[tuple[list[str], list[list[str]]]]:
    """Head and rows of each table: the measures, and where there are slices, these."""
    tables = [(["measure", *_head(result)], _measure_rows(result))]
    if result.labels.labels:
        rows = [[r.slice, r.measure, f"{r.mean:.4f}", interval(r.low, r.high), str(r.queries)] for r in result.slice_rows()]
        tables.append((["slice", "measure", "mean", "95 % interval", "queries"], rows))
    return tables


def _told(result: Result) -> list[str]:
    """A line for each thing that the policy did, how queries were averaged where that is unusual, who has no label, and what a
    reader of the measures' values should know."""
    micro = ["micro average: the ratio of sums over all queries"] if result.average == "micro" else []
    unlabelled = _ids(result.unlabelled, "without a label, in no slice but the whole")
    return [*micro, *lines(result.report, result.policy), *([unlabelled] if unlabelled else []), *result.notes]


def _head(result: Result) -> list[str]:
    """The columns beside the measure: the mean, its number of queries where they differ, the gain where there is one."""
    uneven = any(n != result.report.queries for n in result.report.n.values())
    return ["mean", *(["queries"] if uneven else []), *(["gain"] if any(map(result.gain_of, result)) else [])]


def _measure_rows(result: Result) -> list[list[str]]:
    """A row for each measure."""
    head = _head(result)
    cells = {
        "mean": lambda m: f"{result[m]:.4f}",
        "queries": lambda m: str(result.report.n[m]),
        "gain": lambda m: result.gain_of(m) or "",
    }
    return [[measure, *(cells[column](measure) for column in head)] for measure in result]
