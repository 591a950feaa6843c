"""Random cases: a short run of all backends finds nothing, and a planted fault is found and shrunk to what it needs."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from samescore import Measure
from samescore.backends.base import Gap, Grades
from samescore.backends.reference import Reference
from samescore.measures import CATALOGUE
from samescore.rankspace import Floats, RankSpace

from . import fuzz
from .case import Judgement
from .random_cases import ASKED, batches
from .shrinking import fewest, shrunk

pytestmark = pytest.mark.filterwarnings("ignore")  # as in the run: random cases often hit nothing


class Faulty(Reference):
    """The reference, but for reciprocal ranks where the third document is the first relevant one."""

    label = "faulty 1"

    def gap(self, measure: Measure, grades: Grades) -> Gap | None:
        """It has reciprocal rank and recall alone."""
        return None if measure.name in ("RR", "R") else Gap("todo", "not planted")

    def score(self, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
        """A third is taken for a half."""
        values = super().score(rankings, measures)
        for i, measure in enumerate(measures):
            if measure.name == "RR":
                values[abs(values[:, i] - 1 / 3) < 1e-9, i] = 1 / 2
        return values


class Neighbourly(Reference):
    """The reference, but each recall is 0 where any other query of the call has more than eight judged documents."""

    label = "neighbourly 1"

    def score(self, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
        """A fault of one query in the value of another."""
        values = super().score(rankings, measures)
        for i, measure in enumerate(measures):
            if measure.name == "R" and rankings.counts.max() > 8:
                values[rankings.counts <= 8, i] = 0
        return values


@pytest.mark.parametrize("n", [30, pytest.param(300, marks=pytest.mark.slow)])
def test_random_cases_agree_on_every_backend(n: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.main(["--cases", str(n), "--seed", "7"]) == 0
    out = capsys.readouterr().out
    counted = re.search(r"(\d+) cases, (\d+) measures .* (\d+) backends and the reference\n(\d+) values compared, (\d+) gaps", out)
    assert counted is not None
    cases, measures, backends, values, gaps = map(int, counted.groups())
    assert (cases, measures) == (n, ASKED)
    assert backends >= 2
    assert values > n
    assert gaps > 0
    assert "every value agrees" in out


def test_a_fault_is_found_and_shrunk_to_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.main(["--cases", "3000", "--seed", "1"], backends=Faulty()) == 1
    out = capsys.readouterr().out
    given: dict[str, object] = {}
    for name in ("run", "qrels"):
        line = next(line for line in out.splitlines() if line.startswith(f"{name} = "))
        exec(line, {"Judgement": Judgement}, given)
    run, qrels = given["run"], given["qrels"]
    assert isinstance(run, dict)
    assert len(run) == 1
    assert [len(ranking) for ranking in run.values()] == [3]
    assert len(qrels) == 1 if isinstance(qrels, dict) else True
    assert "faulty 1 0.5, reference 0.333" in out
    assert len(re.findall(r"measures=\['RR[^']*'\]", out)) == 1


@pytest.mark.slow
def test_a_fault_that_needs_two_queries_keeps_both() -> None:
    for batch in batches(5000, 3):
        agreement = batch.check(Neighbourly())
        if not agreement.ok:
            small = shrunk(batch, agreement, Neighbourly())
            break
    assert len(small.cases) == 2
    assert [measure.name for measure in small.measures] == ["R"]


def test_the_fewest_items_that_a_failure_needs_are_kept_in_order() -> None:
    assert fewest(range(100), lambda few: 17 in few and 80 in few) == (17, 80)
    assert fewest("abc", lambda few: True) == ()
    assert fewest((), lambda few: True) == ()


@pytest.mark.slow
def test_a_seed_makes_the_same_cases_again_and_many_batches_the_whole_catalogue() -> None:
    once, repeat = (list(batches(1200, seed=5)) for _ in range(2))
    assert once == repeat
    assert [len(batch.cases) for batch in once] == [500, 500, 200]
    some = {measure.name for batch in batches(10000, seed=5) for measure in batch.measures}
    assert some == set(CATALOGUE)
