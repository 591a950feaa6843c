"""Per-query values that were brought along: results, data frames, ir_measures' and ranx's scores."""

from __future__ import annotations

import gzip
import json
import math
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from numbers import Rational, Real
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError, InputError, InputTypeError, MeasureError, examples, nearest, short
from ..measures import Measure, parse
from ..measures.names import TOOLS, tool_of
from ..policy import Policy
from ..readers.frames import is_frame
from ..readers.values import as_id
from ..result import Result, not_stored

Columns = Mapping[Measure, Mapping[str, float]]
"""Measure, with its gain and threshold explicit -> query -> number."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Per-query values of one run; for a micro average their denominators too; the Result where samescore computed them."""

    values: Columns
    weights: Columns | None = None
    result: Result | None = None

    def only(self, queries: Collection[str] | None) -> Scores:
        """The scores of some queries; None is all."""
        if queries is None:
            return self
        return replace(self, values={m: {q: v for q, v in column.items() if q in queries} for m, column in self.values.items()})


def key(measure: Measure) -> Measure:
    """What a measure's values are found by: a measure of one's own by its name, since a stored result has no definition."""
    return measure if measure.function is None else replace(measure, function=not_stored)


def of_result(result: Result) -> Scores:
    """The scores of a result."""
    values = {key(measure): result.values_of(name) for name, measure in result.resolved.items()}
    if result.average == "macro":
        return Scores(values, None, result)
    return Scores(values, {key(measure): result.weights_of(name) or {} for name, measure in result.resolved.items()}, result)


BroughtRow = tuple[Any, Any, Any]
"""Measure, query, value."""

RANX_LINEAR = ("ndcg", "dcg")
"""ranx's names of measures with linear gain, where samescore's nDCG takes the gain of the policy."""


def brought(source: Any, policy: Policy, judged: Collection[str]) -> Scores | None:
    """The scores that were brought along; None for what is a run, yet to be scored.

    Scores are a Result (or what its ``to_dict`` made), a DataFrame of per-query values (a row a query and a column a measure;
    or the columns query_id, measure and value), ir_measures' ``CalcResults`` or a list of its ``Metric``, and {measure:
    {query: value}} as in ranx's ``run.scores``: a mapping is that where its keys are measures and no judged queries.

    Raises InputError for a value that is no number and one that is there twice, MeasureError for an unknown measure.
    """
    if isinstance(source, Result):
        return of_result(source)
    if isinstance(source, Mapping) and "samescore" in source and "per_query" in source:
        return of_result(Result.from_dict(source))
    rows = _brought_rows(source, judged)
    return None if rows is None else _gathered(rows, policy)


def _brought_rows(source: Any, judged: Collection[str]) -> Iterable[BroughtRow] | None:
    """The rows of measure, query and value, in any of their forms."""
    if hasattr(source, "columns"):
        return _of_frame(source)
    if hasattr(source, "aggregated") and hasattr(source, "per_query"):
        return _of_metrics(source.per_query)
    if isinstance(source, list) and source and all(hasattr(source[0], name) for name in ("query_id", "measure", "value")):
        return _of_metrics(source)
    if isinstance(source, Mapping) and source and all(_names_a_measure(key) and key not in judged for key in source):
        return ((_ranx(name), query, value) for name, column in source.items() for query, value in _column(name, column))
    return None


def _column(name: object, column: Any) -> Iterable[tuple[Any, Any]]:
    """Query and value of one measure."""
    if not hasattr(column, "items"):
        what = f"the values of {short(name)} are of type {type(column).__name__}, and name no queries"
        raise InputTypeError(what, hint="{measure: {query: value}}")
    pairs: Iterable[tuple[Any, Any]] = column.items()
    return pairs


def _of_metrics(metrics: Iterable[Any]) -> Iterable[BroughtRow]:
    """The rows of ir_measures' Metric objects."""
    return ((metric.measure, metric.query_id, metric.value) for metric in metrics)


def _of_frame(frame: Any) -> Iterable[BroughtRow] | None:
    """The rows of a DataFrame, wide or long; None for a run."""
    columns = [str(name) for name in frame.columns]
    if "doc_id" in columns or not ("measure" in columns or any(map(_names_a_measure, columns))):
        return None
    if {"query_id", "measure", "value"} <= set(columns):
        return zip(map(_ranx, frame["measure"]), frame["query_id"], frame["value"], strict=True)
    if "query_id" not in columns and type(getattr(frame, "index", None)).__name__ in ("NoneType", "RangeIndex"):
        raise InputError("the frame of per-query values names no queries", hint="a column or an index query_id")
    ids = list(frame["query_id"] if "query_id" in columns else frame.index)
    wide = [name for name in frame.columns if name != "query_id"]
    return ((_ranx(name), query, value) for name in wide for query, value in zip(ids, frame[name], strict=True))


def _names_a_measure(name: object) -> bool:
    """Whether this is the name of a measure."""
    try:
        parse(name)
    except MeasureError:
        return False
    return True


def _ranx(name: object) -> object:
    """A measure's name, with ranx's meaning where it is spelled as ranx does."""
    if isinstance(name, str) and name.partition("@")[0] in RANX_LINEAR:
        return parse(name).with_params(dcg="log2")
    return name


def _gathered(rows: Iterable[BroughtRow], policy: Policy) -> Scores:
    """The scores of some rows; None and NaN stand for an undefined value."""
    values: dict[Measure, dict[str, float]] = {}
    resolved: dict[object, Measure] = {}
    for name, given, value in rows:
        measure = resolved.get(name) or resolved.setdefault(name, policy.resolve(parse(name)))
        column = values.setdefault(measure, {})
        query = as_id(given, kind="query")
        if query in column:
            raise InputError(f"two values of {measure}", query=query, hint="one value for each query and measure")
        column[query] = _number(value, measure, query)
    return Scores({m: {q: v for q, v in column.items() if not math.isnan(v)} for m, column in values.items()})


def _number(value: Any, measure: Measure, query: str) -> float:
    """A value as a float."""
    if value is None or type(value).__name__ == "NAType":
        return math.nan
    if not isinstance(value, Real) or math.isinf(value):
        raise InputError(f"the value of {measure} is {short(value)}", query=query, hint="a finite number, or None")
    return float(value)


EXACT = 1e-9
"""Numbers that were not rounded may differ by this much: libraries add in different orders."""

FULL = 10
"""A number with so many decimals was not rounded."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as it was reported, with its decimals; None where it was not rounded.

    >>> Printed(0.4675, 4).agrees(0.46746), Printed(0.4675, 4).agrees(0.4674)
    (True, False)
    """

    value: float
    decimals: int | None

    @property
    def within(self) -> float:
        """How far off a value may be: half of the last decimal."""
        return EXACT if self.decimals is None else 0.5 * 10.0**-self.decimals + EXACT

    def agrees(self, value: float) -> bool:
        """Whether the value would be printed so; NaN never."""
        return abs(value - self.value) <= self.within

    def shown(self, value: float) -> str:
        """Another value as this one was printed."""
        return f"{value:.{10 if self.decimals is None else self.decimals}f}"

    def __str__(self) -> str:
        return self.shown(self.value) if self.decimals is not None else repr(self.value)


def read_number(given: Any, where: str = "") -> Printed:
    """A number of which each decimal was given: text or a Decimal, ``"0.4120"``.

    >>> read_number("0.4120")
    Printed(value=0.412, decimals=4)
    """
    try:
        exact = Decimal(given.strip() if isinstance(given, str) else given)
    except (InvalidOperation, ValueError, TypeError):
        raise InputError(f"the reported value {short(given)} is not a number", where=where, hint="0.4675 or '0.4675'") from None
    if not exact.is_finite():
        raise InputError(f"the reported value is {given}", where=where, hint="leave out what has no value")
    exponent = exact.as_tuple().exponent
    decimals = max(-exponent, 0) if isinstance(exponent, int) else 0
    return Printed(float(exact), decimals if decimals < FULL else None)


def read_numbers(given: Mapping[Any, Any], *, alike: bool = False) -> dict[Any, Printed]:
    """Numbers that were reported together. A float does not show its last zeros, so it has the decimals of the others.

    ``alike``: all came from one program, which rounded all or none.

    >>> read_numbers({"RR": 0.5, "AP": 0.2411})["RR"]
    Printed(value=0.5, decimals=4)
    """
    read = {
        key: read_number(value if isinstance(value, (str, Decimal)) else _plain(value, key), str(key))
        for key, value in given.items()
    }
    bare = [key for key, value in given.items() if not isinstance(value, (str, Decimal))]
    full = any(read[key].decimals is None for key in bare)
    if (alike and full) or all(read[key].decimals == 0 for key in bare):
        return {**read, **{key: Printed(read[key].value, None) for key in bare}}
    longest = max((d for d in (read[key].decimals for key in bare) if d is not None), default=0)
    return {**read, **{key: Printed(read[key].value, longest) for key in bare if read[key].decimals is not None}}


def _plain(value: Any, key: Any) -> str:
    """A float or int as its shortest decimal text."""
    if not isinstance(value, (Real, Rational)) and not hasattr(value, "dtype"):
        raise InputError(f"the reported value {short(value)} is not a number", where=str(key), hint="0.4675 or '0.4675'")
    number = float(value)
    if not math.isfinite(number):
        raise InputError(f"the reported value is {number}", where=str(key), hint="leave out what has no value")
    if number == int(number):
        return str(int(number))
    short_repr = str(value) if hasattr(value, "dtype") else repr(number)  # of a 32-bit float, its own digits
    text = format(Decimal(short_repr), "f")
    return text if getattr(value, "dtype", None) != np.float32 else f"{number:.6f}" if len(text) > 8 else text


ALL = ("all", "amean")
"""What tools write in place of a query id beside a mean: trec_eval and ir_measures, and gdeval."""


@dataclass(frozen=True, slots=True)
class Reported:
    """What was reported: ``means`` by name, ``per_query`` by name and query, and the ``tool`` whose names they are.

    ``other`` holds what is no number, such as trec_eval's ``runid``; ``blank`` are the names that stand there without a number
    (NaN, null); ``signature`` is that of a result of samescore.
    """

    tool: str
    means: Mapping[Any, Printed]
    per_query: Mapping[Any, Mapping[str, Printed]] = field(default_factory=dict)
    other: Mapping[str, str] = field(default_factory=dict)
    signature: str = ""
    blank: tuple[str, ...] = ()

    @property
    def names(self) -> list[Any]:
        """The names of the measures, in the order reported."""
        return list(dict.fromkeys([*self.means, *self.per_query]))

    def __len__(self) -> int:
        return len(self.means) + sum(map(len, self.per_query.values()))


def of_rows(rows: Iterable[tuple[Any, Any, Any]], tool: str, *, alike: bool = True) -> Reported:
    """From (name, query or None, value); a value that is None or NaN is none, and of a mean that is told.

    Text keeps its decimals, and floats have those of the others; ``alike``: one program wrote them all.
    Raises InputError for a value that is reported twice, and differs.
    """
    means: dict[Any, Any] = {}
    per_query: dict[Any, dict[str, Any]] = {}
    blank: dict[str, None] = {}
    for name, query, value in rows:
        of_mean = query is None or query in ALL
        if _is_none(value):
            blank |= {str(name): None} if of_mean else {}
            continue
        row, key = (means, name) if of_mean else (per_query.setdefault(name, {}), str(query))
        if row.setdefault(key, value) != value:
            what = f"{name} is reported twice for {'all' if of_mean else short(key)}: {row[key]} and {value}"
            raise InputError(what, hint="the report of one run, in which no query is named 'all'")
    read = read_numbers({(n, q): value for n, row in per_query.items() for q, value in row.items()}, alike=alike)
    by_query = {name: {query: read[name, query] for query in row} for name, row in per_query.items()}
    return Reported(tool, read_numbers(means, alike=alike), by_query, blank=tuple(name for name in blank if name not in means))


def _is_none(value: Any) -> bool:
    """Whether a tool had no value: None or NaN, or as text what C and Python print of that."""
    if isinstance(value, str):
        return value.strip().lower().lstrip("+-") == "nan"
    return value is None or (isinstance(value, float) and math.isnan(value))


MEASURE = ("measure", "metric")

QUERY = ("query_id", "qid", "query", "topic", "q_id")

VALUE = ("value", "score")
"""The names of columns, in lower case."""

Row = tuple[Any, Any, Any]


def read_mapping(source: Mapping[Any, Any], tool: str, *, alike: bool) -> Reported:
    """From {measure: value}, {measure: {query: value}}, or groups of these such as BEIR's {"NDCG": {"NDCG@10": value}}."""
    if {"samescore", "measures", "signature"} <= source.keys():
        return _own(source)
    return of_rows(_rows(source), tool, alike=alike)


def _rows(source: Mapping[Any, Any]) -> Iterator[Row]:
    """The values of a mapping."""
    for name, value in source.items():
        if not isinstance(value, Mapping):
            yield name, None, value
        elif value and all(_is_measure(key) for key in value):
            yield from _rows(value)
        else:
            yield from ((name, query, number) for query, number in value.items())


def _is_measure(key: Any) -> bool:
    """Whether a key below a name is a measure with a cutoff, as in BEIR's groups, and not a query."""
    return isinstance(key, str) and "@" in key


def read_frame(frame: Any, tool: str) -> Reported:
    """From a DataFrame: a row for each measure (and query), or a row for each query and a column for each measure.

    A frame of one row and without queries holds means.
    """
    columns = {str(column).lower(): column for column in frame.columns}
    measure, value = _first(columns, MEASURE), _first(columns, VALUE)
    query = _first(columns, QUERY)
    if measure is not None and value is not None:
        queries = frame[query].tolist() if query is not None else [None] * len(frame)
        return of_rows(zip(frame[measure].tolist(), queries, frame[value].tolist(), strict=True), tool)
    if query is None and str(frame.index.name).lower() not in QUERY and len(frame) != 1:
        what = f"the frame has no column of queries, but {examples(frame.columns, 8)}"
        raise InputError(what, hint="the columns query_id, measure and value, or query_id and a column for each measure")
    queries = frame[query].tolist() if query is not None else frame.index.tolist() if frame.index.name else [None]
    return of_rows(_wide(frame, queries, [c for c in frame.columns if c != query]), tool)


def _wide(frame: Any, queries: Iterable[Any], measures: Iterable[Any]) -> Iterator[Row]:
    """The values of a frame with a column for each measure, without columns of text."""
    some = list(queries)
    for measure in measures:
        values = frame[measure].tolist()
        if not any(isinstance(value, str) for value in values):
            yield from ((measure, query, value) for query, value in zip(some, values, strict=True))


def _first(columns: Mapping[str, Any], names: Iterable[str]) -> Any:
    """The first of some columns that is there."""
    return next((columns[name] for name in names if name in columns), None)


def read_json(found: Any, where: str, run: str) -> Reported:
    """From what a JSON file holds: samescore's, ranx's, BEIR's, or ir_measures' numbers; which, is told by their form and names."""
    if isinstance(found, list):
        return of_rows(_lines(found, where), "ir_measures")
    if not isinstance(found, Mapping):
        raise InputError(f"the report is {short(found)}", where=where, hint='an object such as {"nDCG@10": 0.4675}')
    if "model_names" in found and "metrics" in found:
        return read_mapping(_of_model(found, where, run), "ranx", alike=True)
    report = read_mapping(found, "", alike=True)
    return report if report.tool else replace(report, tool=tool_of([str(name) for name in report.names]))


def _own(found: Mapping[str, Any]) -> Reported:
    """A result of samescore, with the policy that it came by."""
    means = {name: row["mean"] for name, row in found["measures"].items()}
    rows = [(name, query, value) for query, row in found.get("per_query", {}).items() for name, value in row.items()]
    report = of_rows([*((name, None, value) for name, value in means.items()), *rows], "samescore")
    return replace(report, signature=str(found.get("signature", "")))


def _of_model(found: Mapping[str, Any], where: str, run: str) -> Mapping[str, Any]:
    """The scores of one run in a report of ranx's compare."""
    names = list(found["model_names"])
    if run not in names and len(names) != 1:
        what = f"the report is of {len(names)} runs, {examples(names)}, and none is named {short(run)}"
        raise InputError(what, where=where, hint=f"validate(..., reported=report[{names[0]!r}]['scores'], tool='ranx')")
    scores: Mapping[str, Any] = found[run if run in names else names[0]]["scores"]
    return scores


def _lines(found: Iterable[Any], where: str) -> Iterator[Row]:
    """The objects of ir_measures' JSON lines."""
    for number, row in enumerate(found, 1):
        if not isinstance(row, Mapping) or not {"measure", "value"} <= row.keys():
            hint = '{"query_id": "q1", "measure": "AP", "value": 0.5}'
            raise InputError(f"{short(row)} has no measure and value", where=f"{where}, line {number}", hint=hint)
        yield row["measure"], row.get("query_id"), row["value"]


FORMS = "name, query and value, as trec_eval prints them; measure and value; or JSON"

UNCUT = frozenset(("AP", "RR", "nDCG", "Rprec", "Bpref", "infAP", "SetP", "SetR", "SetF", "NumRet", "NumRel", "NumQ"))
"""ir_measures' measures without a cutoff."""


def read_file(path: Path, run: str) -> Reported:
    """Read a report; which tool wrote it is told by its form. ``run`` is the name of the run, where a report has several.

    Raises FormatError for a line of another form, with its number.
    """
    text = _text(path)
    start = text.lstrip()[:1]
    if start in ("{", "["):
        return read_json(_json(text, path), str(path), run)
    rows = [(n, line.split()) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not rows:
        raise FormatError("the file is empty", file=path, hint=FORMS)
    for number, row in rows:
        if len(row) not in (2, 3):
            raise FormatError(
                f"{len(row)} column{'s' if len(row) > 1 else ''}: {short(' '.join(row))}",
                file=path,
                line=number,
                hint=FORMS,
            )
    return _table([row for _, row in rows if row != ["runid", "all"]])  # a run without a name


def _text(path: Path) -> str:
    """The text of a file, plain or .gz."""
    if not path.is_file():
        raise InputError("there is no such file", file=path, hint="check the path")
    data = path.read_bytes()
    try:
        return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise FormatError(f"the file is no text: {error}", file=path, hint=FORMS) from None


def _json(text: str, path: Path) -> Any:
    """A JSON document, or the objects of JSON lines."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        first = error
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except json.JSONDecodeError:
        what = f"the JSON cannot be read: {first.msg}"
        raise FormatError(what, file=path, line=first.lineno, hint="one object, or one a line") from None


def _table(rows: Sequence[Sequence[str]]) -> Reported:
    """Rows of trec_eval's (name, query, value), of ir_measures' ([query,] measure, value) or of samescore's."""
    if all(len(row) == 2 for row in rows):
        return of_rows(((name, None, value) for name, value in rows), tool_of([name for name, _ in rows]))
    if any("@" in row[1] for row in rows) or _is_one_measure([row[1] for row in rows], [row[0] for row in rows]):
        return of_rows(((row[1], row[0], row[2]) for row in rows), "ir_measures")
    if any("@" in row[0] for row in rows):
        kept = [row for row in rows if row[0] not in ("queries", "skipped")]
        return of_rows(((row[0], row[1], row[2]) for row in kept), "samescore")
    text = {row[0]: row[2] for row in rows if _is_text(row[0]) and row[1] == "all"}
    report = of_rows(((row[0], row[1], row[2]) for row in rows if not _is_text(row[0])), "trec_eval")
    return replace(report, other=text)


def _is_one_measure(second: Sequence[str], first: Sequence[str]) -> bool:
    """Whether the second column holds measures without a cutoff and the first the queries."""
    return set(second) <= UNCUT and set(first) != {"map"}


def _is_text(name: str) -> bool:
    """Whether trec_eval prints text under a name: that of the run, and grades in the order retrieved."""
    return name == "runid" or name.startswith("relstring")


def read_reported(source: Any, *, tool: str | None = None, run: str = "run") -> Reported:
    """Read what a tool reported for a run.

    ``source`` is a path to trec_eval's output, to ir_measures' lines or to JSON, a Result, a DataFrame, a Series,
    {measure: value} or {measure: {query: value}}. ``tool`` says whose names the measures have, one of TOOLS; by default a
    file tells, and the names in objects are samescore's. ``run`` is the name of the run, where a report has several.

    Raises InputError for what cannot be read, and for a report without a number.
    """
    if tool is not None and tool not in TOOLS:
        raise InputError(f"unknown tool {short(tool)}", hint=nearest(str(tool), TOOLS))
    report = _read(source, run)
    if not len(report):
        raise InputError(f"nothing is reported in {_named(source)}", hint='{"nDCG@10": 0.4675}')
    return replace(report, tool=tool) if tool else report


def _read(source: Any, run: str) -> Reported:
    """Read a report of any form."""
    if isinstance(source, Reported):
        return source
    if isinstance(source, Result):
        return read_mapping(source.to_dict(), "samescore", alike=True)
    if isinstance(source, Mapping):
        return read_mapping(source, "samescore", alike=False)
    if isinstance(source, (str, os.PathLike)):
        return read_file(Path(source), run)
    if is_frame(source):
        return read_frame(source, "samescore")
    if type(source).__name__ == "Series":  # of pandas: what frame.mean() gives
        return read_mapping(source.to_dict(), "samescore", alike=False)
    hint = "a path, {'nDCG@10': 0.4675} or a DataFrame"
    raise InputTypeError(f"cannot read a report from {_named(source)}", hint=hint)


def _named(source: Any) -> str:
    """What was given, on one line."""
    return f"a {type(source).__name__} without a value" if is_frame(source) else " ".join(short(source).split())
