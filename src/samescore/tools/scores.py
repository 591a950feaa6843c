"""Values that other tools computed: one reader of every form they come in, with the precision to which they were printed."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Literal

import numpy as np

from ..errors import FormatError, InputError, InputTypeError, MeasureError, examples, short
from ..measures import Measure, parse
from ..measures.custom import COUNTED, LowerIsBetter
from ..measures.names import is_printed, tool_of
from ..measures.parsing import names_measure
from ..policy import Policy
from ..readers.columns import NAMES
from ..readers.content import open_content
from ..readers.frames import column_names, column_values, eager, is_frame
from ..readers.json import is_lines, load_json
from ..readers.values import as_id
from ..result import Result, not_stored
from ..slices import group_values
from .runs import file_names

Row = tuple[Any, Any, Any]
"""The name of a measure, the id of a query or None for the mean, and a value."""


@dataclass(frozen=True, slots=True)
class ScoreRows:
    """Values as a tool wrote them.

    ``rows`` hold a measure's name as written, a query (None for the mean) and a value each. ``tool`` is the one whose names
    these are. ``alike``: one program wrote all values, so it rounded all or none. ``given`` says in words what was read.
    ``other`` is what stands among the values and is none, such as trec_eval's ``runid``. ``signature`` is that of a result of
    samescore, and ``result`` the result itself where all of it is there. ``own``: a name of no measure is that of values of
    one's own.
    """

    rows: Sequence[Row]
    tool: str = "samescore"
    alike: bool = True
    given: str = "the report"
    other: Mapping[str, str] = field(default_factory=dict)
    signature: str = ""
    result: Result | None = None
    own: bool = False


def read_scores(source: Any, *, run: str = "run") -> ScoreRows:
    """Read values that a tool computed, in any of their forms.

    Parameters
    ----------
    source
        A Result, or the plain values that its ``to_dict`` makes; {measure: value}, {measure: {query: value}} or {query:
        {measure: value}}; a DataFrame of pandas, polars or pyarrow, with a row for each measure (and query) or a column for
        each measure; a Series of means; ir_measures' ``CalcResults`` or a list of its ``Metric``; or the path of a file: the
        output of trec_eval or ir_measures, JSON of ir_measures, ranx, BEIR, MTEB or samescore, and samescore's TSV.
    run
        The name of the run, where a report has several.

    Returns
    -------
    ScoreRows
        The values with the names that they have there.

    Raises
    ------
    InputTypeError
        For an object that holds no values.
    InputError
        For a file that cannot be read, with the line.

    Examples
    --------
    >>> read_scores({"RR": {"q1": 0.5}, "AP": 0.25}).rows
    [('RR', 'q1', 0.5), ('AP', None, 0.25)]
    """
    if isinstance(source, ScoreRows):
        return source
    if isinstance(source, Result):
        return _of_result(source)
    if isinstance(source, Mapping):
        return _of_mapping(source, run)
    if isinstance(source, (str, os.PathLike)):
        return _of_file(source, run)
    if is_frame(source):
        return _of_frame(source)
    if type(source).__name__ == "Series":  # of pandas: what frame.mean() gives
        return _of_mapping(source.to_dict(), run)
    metrics = _metrics(source)
    if metrics is not None:
        return ScoreRows([(metric.measure, _query(metric.query_id), metric.value) for metric in metrics])
    what = f"cannot read a report from {one_line(source)}"
    raise InputTypeError(what, hint="a path, {'nDCG@10': 0.4675} or a DataFrame")


def one_line(source: Any) -> str:
    """What was given, on one line."""
    return f"a {type(source).__name__} without a value" if is_frame(source) else " ".join(short(source).split())


def _metrics(source: Any) -> Sequence[Any] | None:
    """The Metric objects of ir_measures that something holds; None where it holds none."""
    metrics = source.per_query if hasattr(source, "aggregated") and hasattr(source, "per_query") else source
    fields = ("query_id", "measure", "value")
    is_list = isinstance(metrics, list) and metrics and all(hasattr(metrics[0], name) for name in fields)
    return metrics if is_list or metrics is not source else None


ALL = ("all", "amean")
"""What tools write in place of a query id beside a mean: trec_eval and ir_measures, and gdeval."""


def _query(query: Any) -> str | None:
    """The id of a query as text; None where a mean stands."""
    return None if query is None or query in ALL else as_id(query, kind="query")


def _of_result(result: Result) -> ScoreRows:
    """The values of a result."""
    means = [(name, None, value) for name, value in result.means.items()]
    rows = [(name, query, value) for name in result for query, value in result.values_of(name).items()]
    return ScoreRows([*means, *rows], signature=result.signature, result=result)


RESULT_KEYS = {"samescore", "measures", "signature"}
"""The keys by which the plain values of a result are known."""


def _of_mapping(source: Mapping[Any, Any], run: str) -> ScoreRows:
    """The values of a mapping: of a result, of ranx's report on several runs, or by measure and query."""
    if source.keys() >= RESULT_KEYS and "per_query" in source:
        return _of_result(Result.from_dict(source))
    if source.keys() >= RESULT_KEYS:
        return _of_means(source)
    if source.keys() >= {"model_names", "metrics"}:
        return replace(_of_mapping(_of_run_in_report(source, run), run), tool="ranx", alike=True)
    return ScoreRows(list(_by_name(source)), alike=False)


def _of_means(plain: Mapping[str, Any]) -> ScoreRows:
    """The means of a result that was written without the values of its queries."""
    try:
        rows = [(name, None, row["mean"]) for name, row in plain["measures"].items()]
    except (KeyError, TypeError, AttributeError):
        what = "not a result: its measures have no means"
        raise InputError(what, where=short(plain), hint="samescore evaluate --format json") from None
    return ScoreRows(rows, signature=str(plain["signature"]))


def _of_run_in_report(report: Mapping[str, Any], run: str) -> Mapping[str, Any]:
    """The scores of one run in a report of ranx's compare."""
    names = report["model_names"]
    part = _chosen({str(name): report.get(str(name)) for name in names}, run) if isinstance(names, list) else None
    if not isinstance(part, Mapping) or not isinstance(part.get("scores"), Mapping):
        raise FormatError(f"the report has no scores: {short(part)}", hint="what ranx's compare saved")
    scores: Mapping[str, Any] = part["scores"]
    return scores


def _by_name(source: Mapping[Any, Any]) -> Iterator[Row]:
    """The rows of {measure: value}, {measure: {query: value}}, {query: {measure: value}}, or groups such as BEIR's."""
    for name, value in source.items():
        if not isinstance(value, Mapping):
            yield name, None, value
        elif not value or not all(map(names_measure, value)):
            yield from ((name, _query(query), number) for query, number in value.items())
        elif names_measure(name):
            yield from _by_name(value)
        else:
            yield from ((measure, _query(name), number) for measure, number in value.items())


MEASURE = ("measure", "metric")

QUERY = ("query_id", "qid", "query", "topic", "q_id")

VALUE = ("value", "score")
"""The names of columns, in lower case."""


def _of_frame(frame: Any) -> ScoreRows:
    """The values of a frame with a row for each measure (and query), or a column for each measure."""
    frame = eager(frame)
    names = column_names(frame)
    if len(set(names)) < len(names):
        raise InputError(f"two columns of the frame have one name: {examples(names, 8)}", hint="a column for each measure")
    columns = {name: column_values(frame, name) for name in names}
    named = {str(name).lower(): name for name in names}
    measure, query, value = (next((named[word] for word in words if word in named), None) for words in (MEASURE, QUERY, VALUE))
    is_long = measure is not None and value is not None
    length = max(map(len, columns.values()), default=0)
    ids = columns.pop(query) if query is not None else None if is_long else _index(frame)
    if ids is None and length > 1 and not is_long:
        what = f"the frame names no queries: it has no column of queries, but {examples(columns, 8)}"
        raise InputError(what, hint="the columns query_id, measure and value, or query_id and a column for each measure")
    queries = [None] * length if ids is None else list(map(_query, ids))
    if is_long:
        return ScoreRows(list(zip(columns[measure], queries, columns[value], strict=True)), given="the frame")
    wide = {name: values for name, values in columns.items() if names_measure(name) or not any(isinstance(v, str) for v in values)}
    rows = [(name, *row) for name, values in wide.items() for row in zip(queries, values, strict=True)]
    return ScoreRows(rows, given="the frame")


def _index(frame: Any) -> list[Any] | None:
    """The index of a pandas frame where it does more than count the rows."""
    index = getattr(frame, "index", None)
    return None if index is None or type(index).__name__ == "RangeIndex" else list(index)


FORMS = "name, query and value, as trec_eval prints them; measure and value; or JSON"


def read_json_file(source: str | os.PathLike[str]) -> Any:
    """What a JSON file holds, packed or not; several objects, one a line, are a list.

    Raises InputError where there is no such file, FormatError where it is no JSON.
    """
    with open_content(source) as content:
        return _json(content.all())


def _of_file(source: str | os.PathLike[str], run: str) -> ScoreRows:
    """The values of a file; which tool wrote it is told by its form and its names."""
    with open_content(source) as content:
        data = content.all()
        return _of_json(_json(data), run) if data.lstrip()[:1] in (b"{", b"[") else _of_lines(_text(data), run)


def _text(data: bytes) -> str:
    """Bytes as text."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError("not UTF-8 text", line=line, hint="convert the file with iconv -t UTF-8") from None


def _json(data: bytes) -> Any:
    """A JSON document, or the objects of JSON lines.

    Raises FormatError for an object in which a name stands twice.
    """
    if is_lines(data):
        return [_once(load_json(line, number)) for number, line in enumerate(data.splitlines(), 1) if line.strip()]
    return _once(load_json(data))


def _once(value: Any) -> Any:
    """A JSON value, unless a name stands twice in one of its objects."""
    parts = [value]
    while parts:
        part = parts.pop()
        if isinstance(part, list) and part and isinstance(part[0], tuple):
            names = [name for name, _ in part]
            twice = next(name for name in names if names.count(name) > 1)
            raise FormatError(f"{short(twice)} stands twice in a JSON object", hint="one value for each name")
        parts += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return value


def _of_json(document: Any, run: str) -> ScoreRows:
    """The values of a JSON document."""
    if isinstance(document, Mapping) and document.keys() >= {"measure", "value"}:  # one line of ir_measures' JSON lines
        document = [document]
    if isinstance(document, list) and document and all(isinstance(one, Mapping) and one.keys() >= RESULT_KEYS for one in document):
        return _of_mapping(_chosen({str(one.get("run")): one for one in document}, run), run)
    if isinstance(document, list):
        return ScoreRows([_json_row(number, row) for number, row in enumerate(document, 1)], "ir_measures")
    if not isinstance(document, Mapping):
        raise InputError(f"the report is {short(document)}", hint='an object such as {"nDCG@10": 0.4675}')
    scores = _of_mapping(document, run)
    if scores.signature or scores.tool != "samescore":
        return scores
    return replace(scores, tool=tool_of(dict.fromkeys(str(name) for name, _, _ in scores.rows)), alike=True)


def _json_row(number: int, row: Any) -> Row:
    """A row of ir_measures' JSON lines."""
    if not isinstance(row, Mapping) or not isinstance(row.get("measure"), str) or "value" not in row:
        hint = '{"query_id": "q1", "measure": "AP", "value": 0.5}'
        raise InputError(f"{short(row)} has no measure and value", line=number, hint=hint)
    return row["measure"], _query(row.get("query_id")), row["value"]


def _chosen(by_run: Mapping[str, Any], run: str) -> Any:
    """What a report on several runs says of one, which is named by its file, with its endings or without."""
    names = dict(zip(by_run, file_names(by_run), strict=True))
    wanted = {run, *file_names([run])}
    chosen = [path for path, name in names.items() if path in wanted or name in wanted or len(by_run) == 1]
    if len(chosen) != 1:
        what = f"the report is of {len(by_run)} runs, {examples(names.values())}, and none is named {short(run)}"
        raise InputError(what, hint="a report of one run")
    return by_run[chosen[0]]


TEXT = ("runid", "relstring")
"""The names under which trec_eval prints text: that of the run, and grades in the order retrieved."""


def _of_lines(text: str, run: str) -> ScoreRows:
    """The values of lines: trec_eval's (name, query, value), ir_measures' ([query,] measure, value), or samescore's TSV."""
    lines = [(number, _cells(line)) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    lines = [(number, cells) for number, cells in lines if cells != ["runid", "all"]]  # a run without a name
    if not lines:
        raise FormatError("the file is empty", hint=FORMS)
    if all(len(cells) == 4 for _, cells in lines) and any(cells[1:3] == ["queries", "all"] for _, cells in lines):
        by_run: dict[str, list[list[str]]] = {}
        for _, cells in lines:
            by_run.setdefault(cells[0], []).append(cells[1:])
        return _of_table(_chosen(by_run, run))
    _check_width(lines)
    return _of_table([cells for _, cells in lines])


def _cells(line: str) -> list[str]:
    """The cells of a line; an id may hold blanks where there are tabs between them."""
    cells = line.split()
    between_tabs = [cell.strip() for cell in line.split("\t")] if len(cells) > 3 else cells
    return between_tabs if len(between_tabs) in (3, 4) and all(between_tabs) else cells


def _check_width(lines: Sequence[tuple[int, Sequence[str]]]) -> None:
    """Refuse a line that has neither two nor three cells, or another number than the first."""
    first, width = lines[0][0], len(lines[0][1])
    odd = next(((number, cells) for number, cells in lines if width not in (2, 3) or len(cells) != width), None)
    if odd is not None:
        number, cells = odd
        columns = f"{len(cells)} column{'s' if len(cells) > 1 else ''}"
        differs = f", where line {first} has {width}" if len(cells) in (2, 3) else ""
        raise FormatError(f"{columns}{differs}: {short(' '.join(cells))}", line=number, hint=FORMS)


def _of_table(rows: Sequence[Sequence[str]]) -> ScoreRows:
    """The values of rows of two or three cells; which column holds the measures, their names tell."""
    if len(rows[0]) == 2:
        return ScoreRows([(name, None, value) for name, value in rows], tool_of(dict.fromkeys(name for name, _ in rows)))
    if _measures_in(rows, 1) > _measures_in(rows, 0):
        return ScoreRows([(measure, _query(query), value) for query, measure, value in rows], "ir_measures")
    means = {name: value for name, query, value in rows if query == "all"}
    names = dict.fromkeys(name for name, _, _ in rows)
    in_our_names = any(is_printed(name, "ir_measures") and not is_printed(name, "trec_eval") for name in names)
    if means.keys() >= set(COUNTED) or in_our_names:
        return ScoreRows([(name, _query(query), value) for name, query, value in rows if name not in COUNTED])
    other = {name: value for name, value in means.items() if name.startswith(TEXT)}
    values = [(name, _query(query), value) for name, query, value in rows if not name.startswith(TEXT)]
    return ScoreRows(values, "trec_eval", other=other)


def _measures_in(rows: Sequence[Sequence[str]], column: int) -> float:
    """Which share of the first distinct cells of a column are names of measures."""
    cells = list(dict.fromkeys(row[column] for row in rows))[:50]
    return sum(map(names_measure, cells)) / len(cells)


def is_missing(value: Any) -> bool:
    """Whether a tool had no value: None or NaN, or as text what C and Python print of that."""
    if isinstance(value, str):
        return value.strip().lower().lstrip("+-") == "nan"
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, (float, np.floating)) and math.isnan(value))


ValuesByMeasure = Mapping[Measure, Mapping[str, float]]
"""Measure, with its gain and threshold explicit -> query -> number."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Values of one run by query; how much each counts, where that differs; the Result where samescore computed them."""

    values: ValuesByMeasure
    weights: ValuesByMeasure | None = None
    result: Result | None = None

    @classmethod
    def of(cls, result: Result) -> Scores:
        """The scores of a result."""
        keys = {name: column_key(measure) for name, measure in result.resolved.items()}
        values = {key: result.values_of(name) for name, key in keys.items()}
        weights = {key: result.weights_of(name) or {} for name, key in keys.items()} if result.average != "macro" else None
        return cls(values, weights, result)

    def beside(self, values: Scores | None) -> Scores:
        """The scores with other values of the same queries beside them."""
        return self if values is None else replace(self, values={**self.values, **values.values})

    def grouped(self, groups: Mapping[str, str], how: Literal["mean", "min"]) -> Scores:
        """The scores of groups of queries in place of the queries."""
        values = {m: group_values(column, groups, how, m.entry.lower_is_better) for m, column in self.values.items()}
        averaged = set() if self.result is None else set(self.result.averaged)
        of_result = {query: group for query, group in groups.items() if query in averaged}
        return Scores(values, None, None if self.result is None else self.result.group_queries(of_result, how))

    def only(self, queries: Collection[str] | None) -> Scores:
        """The scores of some queries; None is all."""
        if queries is None:
            return self
        return replace(self, values={m: {q: v for q, v in column.items() if q in queries} for m, column in self.values.items()})


def column_key(measure: Measure) -> Measure:
    """What a measure's values are found by: a user-defined measure by its name, since a stored result has no definition."""
    return measure if measure.function is None else replace(measure, function=not_stored)


def scores_of(source: Any, policy: Policy, judged: Collection[str] = (), own: Collection[str] = ()) -> Scores | None:
    """The scores that stand for a run in a comparison or a plot; None for what is a run, yet to be scored.

    Objects that :func:`read_scores` reads are scores; a mapping only where its keys are measures and no judged queries, or
    where it has the same measures for each query; a path is that of a run. Names of no measure are those of values of one's own,
    such as a latency: in a mapping only where they are among ``own``, in a frame without a column of documents always.

    Raises InputError for a value that is no number and one that is there twice, MeasureError for a name that is none.
    """
    if not _is_scores(source, judged, own):
        return None
    scores = read_scores(source)
    return Scores.of(scores.result) if scores.result is not None else _by_measure(replace(scores, own=True), policy)


def _is_scores(source: Any, judged: Collection[str], own: Collection[str]) -> bool:
    """Whether an object holds values that were computed, rather than a run."""
    if isinstance(source, (Result, ScoreRows)):
        return True
    if isinstance(source, Mapping):
        by_measure = all((names_measure(name) or name in own) and name not in judged for name in source)
        return source.keys() >= RESULT_KEYS or (bool(source) and (by_measure or _is_by_query(source, judged)))
    if is_frame(source):
        names = list(map(str, column_names(source)))
        return "doc_id" not in names and ("measure" in names or any(map(names_measure, names)) or _has_values_alone(source))
    return bool(_metrics(source))


def _has_values_alone(frame: Any) -> bool:
    """Whether a frame has a row for each query, numbers beside it, and nothing that could be a document."""
    frame = eager(frame)
    names = {str(name).lower(): name for name in column_names(frame)}
    queries = next((column_values(frame, names.pop(name)) for name in QUERY if name in names), None)
    ids = _index(frame) if queries is None else list(queries)
    has_documents = (
        any(name in names for name in NAMES["doc_id"]) or getattr(getattr(frame, "index", None), "name", "") in NAMES["doc_id"]
    )
    if not names or not ids or has_documents or len(set(ids)) < len(ids):
        return False
    return all(is_missing(value) or isinstance(value, Real) for name in names.values() for value in column_values(frame, name))


def own_measure(name: str, *, lower_is_better: bool = False) -> Measure:
    """What stands for values of one's own, under a name that no measure has; signs that no name has become ``_``.

    Raises MeasureError for the name of a measure that is written wrongly.
    """
    if "@" in name or not (word := re.sub(r"\W+", "_", name).strip("_")) or word[0].isdecimal():
        raise MeasureError(f"unknown measure {short(name)}", hint="a measure, or a name without @ for values of your own")
    return Measure(word, function=LowerIsBetter(not_stored) if lower_is_better else not_stored)


def _is_by_query(source: Mapping[Any, Any], judged: Collection[str]) -> bool:
    """Whether a mapping holds the same measures for each query, and no judged document."""
    first = next(iter(source.values()))
    if not isinstance(first, Mapping) or not first or not all(map(names_measure, first)):
        return False
    documents = judged if isinstance(judged, Mapping) else {}
    alike = all(isinstance(row, Mapping) and row.keys() == first.keys() for row in source.values())
    return alike and not any(name in documents.get(query, ()) for query in source for name in first)


def _by_measure(scores: ScoreRows, policy: Policy) -> Scores:
    """Values of queries by measure; None and NaN stand for an undefined value."""
    columns: dict[Measure, dict[str, float]] = {}
    resolved: dict[object, Measure] = {}
    for name, query, value in scores.rows:
        measure = resolved.get(name) or resolved.setdefault(name, policy.resolve(_as_written(name, scores)))
        if query is None:
            continue
        column = columns.setdefault(measure, {})
        if query in column:
            raise InputError(f"two values of {measure}", query=query, hint="one value for each query and measure")
        column[query] = _finite(value, measure, query)
    if resolved and not columns:
        given = "the frame of per-query values names" if scores.given == "the frame" else f"the values of {examples(resolved)} name"
        raise InputTypeError(f"{given} no queries", hint="{measure: {query: value}}, or a column or an index query_id")
    return Scores({m: {q: v for q, v in column.items() if not math.isnan(v)} for m, column in columns.items()})


def _as_written(name: Any, scores: ScoreRows) -> Measure:
    """The measure of a name that an object holds: samescore's, but ranx's where nDCG or DCG is in small letters, as ranx has it; of
    a name that no tool has, values of one's own."""
    if isinstance(name, str) and scores.own and not names_measure(name):
        return own_measure(name)
    return parse(name, "ranx" if isinstance(name, str) and name.partition("@")[0] in ("ndcg", "dcg") else "samescore")


def _finite(value: Any, measure: Measure, query: str) -> float:
    """A value as a float, NaN where there is none."""
    if is_missing(value):
        return math.nan
    try:
        number = float(value) if isinstance(value, Real) else math.inf
    except OverflowError:  # a whole number beyond all floats
        number = math.inf
    if math.isinf(number):
        raise InputError(f"the value of {measure} is {short(value)}", query=query, hint="a finite number, or None")
    return number
