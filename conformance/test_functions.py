"""Every case that the plain functions can answer, on the functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from samescore import average_precision, mrr, ndcg_at_k, parse, precision_at_k, recall_at_k

from .case import Case, cases
from .formula import number

WITH_A_CUTOFF = {"R": recall_at_k, "P": precision_at_k, "nDCG": ndcg_at_k, "AP": average_precision}
WITHOUT = {"RR": mrr, "AP": average_precision}
NONE_WHERE_NOTHING_IS_RELEVANT = ("R", "AP", "nDCG")


def values(case: Case) -> Iterator[tuple[str, str, str | float | None]]:
    """(measure, query, value) of a case: those it has for queries, and a mean where there is one query."""
    for measure, found in case.per_query.items():
        yield from ((measure, query, value) for query, value in found.items())
    if len(case.run) == 1 and len(case.qrels) == 1:
        yield from (
            (measure, query, value) for measure, value in case.means.items() if measure not in case.per_query for query in case.run
        )


def answerable() -> Iterator[Any]:
    """Function, arguments and value, for each value that stands under the default policy."""
    for case in cases():
        if case.policy or case.error or case.queries or case.doc_of or case.average != "macro" or not isinstance(case.qrels, dict):
            continue
        for name, query, value in values(case):
            measure = parse(name)
            function = (WITHOUT if measure.cutoff is None else WITH_A_CUTOFF).get(measure.name)
            told = value is not None or measure.name in NONE_WHERE_NOTHING_IS_RELEVANT
            if function and not measure.params and query in case.qrels and told:
                cutoff = () if measure.cutoff is None else (measure.cutoff,)
                arguments = (case.rankings[query], case.qrels[query], *cutoff)
                yield pytest.param(function, arguments, value, id=f"{case.name}-{name}-{query}")


@pytest.mark.parametrize(("function", "arguments", "value"), list(answerable()))
def test_the_functions_agree_with_the_cases(function: Any, arguments: tuple[Any, ...], value: str | float | None) -> None:
    expected = None if value is None else pytest.approx(number(value), rel=0, abs=1e-12)
    assert function(*arguments) == expected
