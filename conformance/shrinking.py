"""Shrinking: the smallest batch of cases in which a backend still disagrees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from samescore import Agreement, Policy, SamescoreError

from .random_cases import Batch

Item = TypeVar("Item")


def fewest(items: Sequence[Item], fails: Callable[[tuple[Item, ...]], bool]) -> tuple[Item, ...]:
    """The items without those that a failure does not need: greedily, in halves, quarters and so on down to one."""
    kept, size = tuple(items), max(1, len(items) // 2)
    while True:
        i = 0
        while i < len(kept):
            fewer = kept[:i] + kept[i + size :]
            if fails(fewer):
                kept = fewer
            else:
                i += size
        if size == 1:
            return kept
        size = max(1, size // 2)


def shrunk(batch: Batch, agreement: Agreement, backends: Any) -> Batch:
    """The smallest batch in which the backend of the first disagreement still disagrees on its measure."""
    first = agreement.found[0]
    asked = [first.backend] if backends is None else backends

    def fails(smaller: Batch) -> bool:
        try:
            return any((d.measure, d.backend) == (first.measure, first.backend) for d in smaller.check(asked).found)
        except SamescoreError:
            return False

    one = replace(batch, measures=tuple(m for m in batch.measures if str(m) == first.measure))
    alone = replace(one, cases=tuple(case for case in batch.cases if case.query == first.query))
    batch = next(b for b in (alone, one, batch) if fails(b))
    batch = replace(batch, measures=fewest(batch.measures, lambda few: fails(replace(batch, measures=few))))
    batch = replace(batch, cases=fewest(batch.cases, lambda few: fails(replace(batch, cases=few))))
    for i, case in enumerate(batch.cases):
        for part in ("ranking", "judged"):
            batch = _with_less(batch, i, part, getattr(case, part), fails)
    for clause in fields(Policy):
        usual = replace(batch, policy=batch.policy.but(**{clause.name: clause.default}))
        batch = usual if fails(usual) else batch
    return batch


def _with_less(batch: Batch, i: int, part: str, rows: Sequence[Any] | None, fails: Callable[[Batch], bool]) -> Batch:
    """The batch with as few rows in one part of one case as the failure needs."""

    def having(few: tuple[Any, ...]) -> Batch:
        cases = list(batch.cases)
        cases[i] = cases[i]._replace(ranking=few) if part == "ranking" else cases[i]._replace(judged=few)
        return replace(batch, cases=tuple(cases))

    return batch if rows is None else having(fewest(rows, lambda few: fails(having(few))))
