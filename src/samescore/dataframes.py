"""Data frames made of plain rows: what functions of run and qrels answer with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


def frame(rows: Iterable[Iterable[Any]], columns: Mapping[str, str], *, index: str | None = None) -> pandas.DataFrame:
    """A DataFrame of rows; ``columns`` is name -> dtype (``"Int64"`` has room for None), ``index`` the column that is the index."""
    import pandas  # noqa: PLC0415  # takes long to import, and not every use needs a frame

    each = list(zip(*rows, strict=True)) or [()] * len(columns)
    made = {name: pandas.Series(list(values), dtype=kind) for (name, kind), values in zip(columns.items(), each, strict=True)}
    whole = pandas.DataFrame(made)
    return whole if index is None else whole.set_index(index)


def by_query(queries: Iterable[str], columns: Mapping[Any, Iterable[float]]) -> pandas.DataFrame:
    """A DataFrame of floats indexed by query_id; keys that are tuples become levels of columns."""
    import pandas  # noqa: PLC0415  # as above

    index = pandas.Index(list(queries), name="query_id", dtype=object)
    return pandas.DataFrame({key: pandas.Series(values, index=index, dtype=float) for key, values in columns.items()}, index=index)


def plain_rows(frame: pandas.DataFrame) -> list[list[Any]]:
    """The rows of a DataFrame as Python values, None where there is none."""
    import pandas  # noqa: PLC0415  # as above

    def plain(value: Any) -> Any:
        if pandas.isna(value):
            return None
        return value.item() if hasattr(value, "item") else value

    return [[plain(value) for value in row] for row in frame.itertuples(index=False, name=None)]
