"""What plots draw: runs by name, each with its values by query and their means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..averaging import mean
from ..comparison import Scores, brought, key, of_run
from ..errors import InputError, InputTypeError, ResultKeyError, examples, short
from ..measures import Measure, parse
from ..policy import Policy
from ..result import Result


@dataclass(frozen=True, slots=True)
class Drawn:
    """A run in a plot: its name, its values by query, and the policy by which measures are meant."""

    name: str
    scores: Scores
    policy: Policy

    @classmethod
    def of(cls, name: object, source: Any) -> Drawn:
        """A Result, or other values by query as :func:`samescore.compare` takes them.

        Raises InputTypeError for what is neither, InputError for values that are no numbers or there twice.
        """
        policy = source.policy if isinstance(source, Result) else Policy()
        with of_run(str(name)):
            scores = brought(source, policy, ())
            if scores is None:
                raise InputTypeError(f"no values by query: {short(source)}", hint="{'bm25': evaluate(run, qrels)}")
        return cls(str(name), scores, policy)

    def resolved(self, measure: Measure) -> Measure:
        """What a measure's values are found by."""
        return key(self.policy.resolve(measure))

    def values(self, measure: Measure) -> Mapping[str, float]:
        """Query -> value. Raises ResultKeyError where the measure is not there."""
        found = self.scores.values.get(self.resolved(measure))
        if found is None:
            has = examples(map(str, self.scores.values), 8)
            raise ResultKeyError(f"the result of {short(self.name)} has no {measure}", hint=has)
        return found

    def weights(self, measure: Measure) -> Mapping[str, float] | None:
        """Query -> what its value is divided by; None where the average is macro."""
        return None if self.scores.weights is None else self.scores.weights[self.resolved(measure)]

    def means(self) -> dict[Measure, float]:
        """The mean of each measure; of a Result, as it has it."""
        result = self.scores.result
        if result is not None:
            return {key(measure): result[name] for name, measure in result.resolved.items()}
        return {measure: mean(np.array(list(column.values()), dtype=float))[0] for measure, column in self.scores.values.items()}


def drawn(results: Any) -> list[Drawn]:
    """The runs of a plot, at least one.

    Raises InputError where there is none, InputTypeError where they have no names.
    """
    if not isinstance(results, Mapping):
        raise InputTypeError(f"results are {short(results)}", hint="{'bm25': evaluate(run, qrels)}")
    if not results:
        raise InputError("there is no result to plot", hint="{'bm25': evaluate(run, qrels)}")
    return [Drawn.of(name, source) for name, source in results.items()]


def column(values: Mapping[str, float], queries: Sequence[str]) -> np.ndarray:
    """The values of some queries as a column, NaN where there is none."""
    return np.array([[values.get(query, np.nan)] for query in queries])


def at(measure: Measure, cutoff: int) -> Measure:
    """The measure at a cutoff."""
    return Measure(measure.name, cutoff, measure.params)


def interpolated(run: Drawn) -> list[tuple[float, float]]:
    """Recall and the mean precision there, in order of recall.

    Raises ResultKeyError where no interpolated precision is there.
    """
    means = run.means()
    levels = {m: m.get("recall") for m in means if m.name == "IPrec"}
    plain = {m: level for m, level in levels.items() if m == run.resolved(parse(f"IPrec@{level}"))}
    points = [(float(level), means[m]) for m, level in plain.items() if isinstance(level, (int, float))]
    if not points:
        what = f"the result of {short(run.name)} has no interpolated precision"
        raise ResultKeyError(what, hint="measures=['IPrec@0.0', 'IPrec@0.1']")
    return sorted(points)
