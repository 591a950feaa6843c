"""The lines that trec_eval prints: a name in 22 columns, the query and the value, between tabs."""

from __future__ import annotations

from collections.abc import Iterator

from .asking import Column
from .scoring import Scores, Value


def lines(scores: Scores, *, per_query: bool = False, summary: bool = True) -> Iterator[str]:
    """What trec_eval prints: with ``per_query`` (-q) a line for each query and column, then, unless -n, the summary.

    >>> from samescore import read_qrels, read_run
    >>> from samescore.trec import asked, score
    >>> scores = score(read_run({"q": ["a", "b"]}), read_qrels({"q": {"b": 1}}), asked(["recip_rank", "num_ret"]))
    >>> [line.split() for line in lines(scores)]
    [['num_ret', 'all', '2'], ['recip_rank', 'all', '0.5000']]
    """
    if per_query:
        for query, row in zip(scores.queries, scores.values, strict=True):
            for column, value in zip(scores.columns, row, strict=True):
                if column.entry.by_query:
                    yield f"{column.name:<22}\t{query}\t{_of_query(column, value)}"
    if summary:
        for column, value in zip(scores.columns, scores.summary, strict=True):
            if column.entry.summary != "none":
                yield f"{column.name:<22}\tall\t{_printed(column, value)}"


def _of_query(column: Column, value: Value) -> str:
    """A query's value; text stands in quotes."""
    return f"'{value}'" if isinstance(value, str) else _printed(column, value)


def _printed(column: Column, value: Value) -> str:
    """A value with four decimals, or as a whole number, or the text that it is."""
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if column.entry.whole else f"{value:6.4f}"
