"""Data frames: the same is read and refused, in the same words, whatever their length and library."""

from __future__ import annotations

import datetime
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from samescore import SamescoreError, evaluate, read_run
from samescore.errors import InputError

BORDER = 10_000
"""Longer frames are read as a table."""


class Doc(str, Enum):
    """Ids that are members of an Enum."""

    A = "a"


def read(frame: Any) -> object:
    """The queries and the first documents and scores of a frame, or the kind and the words of the refusal."""
    try:
        run = read_run(frame)
    except SamescoreError as error:
        return type(error), str(error)
    first = run.rankings[run.queries[0]]
    return run.queries[:9], list(first.docs)[:9], None if first.scores is None else first.scores[:9].tolist()


def columns(n: int) -> dict[str, list[Any]]:
    """The columns of a frame of so many rows."""
    return {
        "query_id": ["q1"] * 8 + ["q2"] * (n - 8),
        "doc_id": [f"d{i}" for i in range(n)],
        "score": [float(n - i) for i in range(n)],
    }


ODD = {
    "an integer": 7,
    "a numpy integer": np.int64(7),
    "a large integer": 2**70,
    "a float": 1.5,
    "a whole float": 2.0,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "None": None,
    "pandas' missing value": pd.NA,
    "true": True,
    "a date": datetime.date(2024, 1, 1),
    "a time stamp": pd.Timestamp(2024, 1, 1),
    "bytes": b"d1",
    "empty text": "",
    "text": "high",
    "half a surrogate pair": "\ud800",
    "a numpy text": np.str_("x"),
    "a member of an Enum": Doc.A,
    "a decimal": Decimal("1.5"),
    "a list": ["d1"],
    "a tuple": ("a", 1),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize("name", ["query_id", "doc_id", "score"])
def test_one_odd_value_is_read_or_refused_alike_in_a_short_and_a_long_frame(name: str, odd: Any) -> None:
    outcomes = []
    for n in (BORDER - 1, BORDER):
        frame = columns(n)
        frame[name][3] = odd
        outcomes.append(read(pd.DataFrame({key: pd.Series(values, dtype=object) for key, values in frame.items()})))
    assert without_scores(outcomes[0]) == without_scores(outcomes[1])


def without_scores(outcome: Any) -> Any:
    """Scores depend on the length of the frame here."""
    return outcome[:2]


KINDS: dict[str, Any] = {
    "floats": [float(i) for i in range(BORDER)],
    "true and false": [bool(i % 2) for i in range(BORDER)],
    "dates": [datetime.date(2024, 1, 1)] * BORDER,
    "time stamps": [datetime.datetime(2024, 1, 1)] * BORDER,
    "bytes": [b"d%d" % i for i in range(BORDER)],
    "lists": [["d"]] * BORDER,
    "nothing": [None] * BORDER,
    "integers": list(range(BORDER)),
    "texts": [f"d{i}" for i in range(BORDER)],
    "decimals": [Decimal(i) for i in range(BORDER)],
    "durations": [datetime.timedelta(i) for i in range(BORDER)],
}


@pytest.mark.parametrize("values", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("name", ["query_id", "doc_id", "score"])
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_column_of_any_kind_is_read_or_refused_alike_in_a_short_and_a_long_frame(library: str, name: str, values: Any) -> None:
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame}.get(library) or pytest.importorskip("pyarrow").table
    short, long = (read(make({**columns(n), name: values[:n]})) for n in (BORDER - 1, BORDER))
    assert without_scores(short) == without_scores(long)


def test_ids_of_mixed_types_are_texts_and_the_decimal_texts_of_integers() -> None:
    for n in (BORDER - 1, BORDER):
        frame = pd.DataFrame(
            {"query_id": ["q"] * n, "doc_id": [1] + [f"d{i}" for i in range(n - 1)], "score": np.arange(n, 0, -1.0)}
        )
        assert evaluate(frame, {"q": {"1": 0, "d0": 1}}, measures="RR")["RR"] == 1 / 2


class OfAnotherLibrary:
    """A frame with the Arrow C stream and nothing else."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows, as Arrow has them."""
        return self._frame.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("n", [9, BORDER])
def test_a_frame_of_any_library_with_the_arrow_stream_is_read(n: int) -> None:
    frame = pl.DataFrame(columns(n))
    assert read(OfAnotherLibrary(frame)) == read(frame)
    grades = pl.DataFrame({"qid": ["q1"], "docno": ["d1"], "label": [1]})
    assert evaluate(OfAnotherLibrary(frame), OfAnotherLibrary(grades), measures="RR")["RR"] == 1 / 2


def test_a_series_alone_is_no_frame() -> None:
    with pytest.raises(InputError, match="has no query_id, doc_id, score"):
        read_run(pl.Series("query_id", ["q1"]))
