"""Reports as objects: {measure: value}, {measure: {query: value}}, data frames, and what JSON files hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..errors import InputError, examples, short
from .reported import Reported, of_rows

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
    return report if report.tool else replace(report, tool=guessed([str(name) for name in report.names]))


def guessed(names: Iterable[str]) -> str:
    """The tool whose names these are.

    >>> guessed(["nDCG@10"]), guessed(["ndcg@10", "mrr"]), guessed(["NDCG@10"]), guessed(["ndcg_cut_10"])
    ('ir_measures', 'ranx', 'beir', 'trec_eval')
    """
    some = list(names)
    if any("_at_" in name or name.startswith(("NDCG@", "MAP@", "Recall@", "MRR@")) for name in some):
        return "beir"
    at = [name for name in some if "@" in name]
    if any(name.startswith("r-precision") for name in some) or (at and all(name == name.lower() for name in some)):
        return "ranx"
    known = ("map", "recip_rank", "ndcg", "bpref", "num_q", "num_ret", "num_rel")
    if not at and any(name in known or name.rpartition("_")[2].isdecimal() for name in some):
        return "ranx" if "mrr" in some else "trec_eval"
    return "ir_measures"


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
