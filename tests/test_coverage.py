"""Coverage: 95 % intervals of means hold the true mean as often as they say, in simulated worlds and at any number of queries."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulate_intervals import cells, table

DOCS = Path(__file__).parent.parent / "docs" / "intervals.md"


@pytest.mark.slow
def test_the_chosen_intervals_hold_and_are_no_wider_than_hoeffdings():
    every = list(cells())
    hoeffding = {(cell.world, cell.n): cell.width for cell in every if cell.method == "Hoeffding"}
    chosen = [cell for cell in every if cell.method == "chosen"]
    assert len(chosen) == len(hoeffding) == 25
    assert [cell for cell in chosen if cell.coverage < 0.93 or cell.width > hoeffding[cell.world, cell.n]] == []
    assert table(every) in DOCS.read_text(encoding="utf-8")
