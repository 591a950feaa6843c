"""Names for what public functions take, for signatures and for users' own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol, TypeAlias

__all__ = ["ColumnNames", "DataFrameLike", "FileFormat", "MeasureLike", "MeasuresLike", "QrelsLike", "RunLike", "RunsLike"]


class DataFrameLike(Protocol):
    """A frame of pandas or polars, eager or lazy, or a table of pyarrow."""

    @property
    def columns(self) -> Any:
        """The columns or their names."""


class _DictLike(Protocol):
    """A Run or Qrels of ranx."""

    def to_dict(self) -> Any:
        """The object as a dictionary of queries."""


class _RunObject(Protocol):
    """A :class:`samescore.Run`."""

    @property
    def rankings(self) -> Any:
        """The ranking of each query."""


class _QrelsObject(Protocol):
    """A :class:`samescore.Qrels`."""

    @property
    def grades(self) -> Any:
        """The judgements of each query."""


class _MeasureObject(Protocol):
    """A :class:`samescore.Measure`, or a measure of ir_measures."""

    @property
    def params(self) -> Any:
        """The parameters that it has."""


RunLike: TypeAlias = "_RunObject | Mapping[Any, Any] | DataFrameLike | Iterable[Any] | _DictLike | str | os.PathLike[str]"
"""What :func:`samescore.read_run` reads: a mapping, a frame, rows or records, an object of ranx, a path, or a Run."""

RunsLike: TypeAlias = "Mapping[str, RunLike] | Iterable[tuple[str, RunLike]] | Iterable[str | os.PathLike[str]] | RunLike"
"""Several runs: name -> run, (name, run) pairs, paths or runs of ranx that give the names, or a single run that is a path, a
frame or a Run."""

QrelsLike: TypeAlias = "_QrelsObject | Mapping[Any, Any] | DataFrameLike | Iterable[Any] | _DictLike | str | os.PathLike[str]"
"""What :func:`samescore.read_qrels` reads: as a run, and the name of a data set or a BEIR folder, or Qrels."""

MeasureLike: TypeAlias = "str | _MeasureObject"
"""One measure: a :class:`samescore.Measure`, its name, or a measure object of ir_measures."""

MeasuresLike: TypeAlias = "MeasureLike | Iterable[MeasureLike]"
"""One measure or several."""

ColumnNames: TypeAlias = Mapping[str, str] | Mapping[str, int] | Mapping[str, str | int]
"""``query_id``, ``doc_id``, ``score``, ``rank``, ``distance``, ``relevance`` or ``iteration`` -> the name that the column has, or
its number from 0."""

FileFormat: TypeAlias = Literal["trec", "msmarco", "beir", "csv", "tsv", "json", "jsonl", "parquet", "arrow", "cbor", "trec_eval"]
"""The forms of a file that can be forced; ``trec_eval`` is ``trec`` with further columns, which are passed over."""

SavedFormat: TypeAlias = Literal["trec", "json", "jsonl", "csv", "tsv", "parquet", "ranx"]
"""The forms in which a run or qrels are written; ``ranx`` is that of ranx's files that end in .lz4."""
