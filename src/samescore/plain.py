"""A result as plain values that JSON can hold, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InputError, MeasureError, SamescoreError, short
from .measures import Measure, parse
from .orders import StoredTies
from .policy import Policy
from .rankspace import Floats, Ranking
from .report import Report
from .slicing import Slices

if TYPE_CHECKING:
    from .result import Result

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
