"""What the providers have in common: a table of what one has, how it is asked, and what its absence is called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import MissingLibraryError
from ...measures import CATALOGUE, Measure
from ...rankspace import Floats, RankSpace
from ..protocol import REPEATS, Gap, Grades, installed
from ..stand_ins import library, written

Limit = Callable[[Measure, Grades], Gap | None]
Compute = Callable[["Provider", RankSpace, Sequence[Measure]], Floats]


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider of ir_measures as a backend.

    ``table`` tells for each measure of the catalogue whether the provider has it (None) or why not; ``limit`` what it lacks
    of those that it has; ``compute`` sends rankings. ``tool`` is the distribution that it needs, ``hint`` how to get it,
    and ``resolution`` how far its values may be off, for the decimals that it prints.
    """

    name: str
    table: Mapping[str, Gap | None]
    compute: Compute
    limit: Limit = lambda measure, grades: None
    tool: str = ""
    hint: str = "pip install ir_measures"
    resolution: float = 0.0

    @property
    def label(self) -> str:
        """Name and versions."""
        self.check()
        tool = f" ({self.tool} {installed(self.tool)})" if self.tool else ""
        return f"ir_measures/{self.name} {installed('ir_measures')}{tool}"

    def gap(self, measure: Measure, grades: Grades) -> Gap | None:
        """What the table says, and then what the provider's limits are."""
        return REPEATS if grades.repeat else self.table[measure.name] or self.limit(measure, grades)

    def score(self, rankings: RankSpace, measures: Sequence[Measure]) -> Floats:
        """Ask the provider."""
        self.check()
        return self.compute(self, rankings, measures)

    def check(self) -> None:
        """Raise MissingLibraryError where the provider's tool is not there."""
        if not library().providers.registry[self.name].is_available():
            raise MissingLibraryError(f"ir_measures' {self.name} provider needs a tool that is not installed", hint=self.hint)

    def evaluator(self, asked: Iterable[Any], qrels: Any) -> Any:
        """The provider's own evaluator of its own measure objects."""
        return library().providers.registry[self.name].evaluator(list(asked), qrels)


def having(name: str, *measures: str, never: Mapping[str, str] | None = None) -> Mapping[str, Gap | None]:
    """A table of a provider that has some measures, and of which some others are ``never`` right, and why."""
    lacks = Gap("upstream", f"ir_measures' {name} has {', '.join(measures)} alone")
    wrong = {measure: Gap("never", why) for measure, why in (never or {}).items()}
    return {measure: None if measure in measures else wrong.get(measure, lacks) for measure in CATALOGUE}


def each_written(provider: Provider, run: Any, qrels: Any, measures: Sequence[Measure], n: int) -> Floats:
    """The values of measures that the provider has as they are, shape (n, measures)."""
    objects = [written(measure) for measure in measures]
    return collected(provider.evaluator(dict.fromkeys(objects), qrels).iter_calc(run), objects, n)


def collected(metrics: Iterable[Any], objects: Sequence[Any], n: int) -> Floats:
    """Metrics as an array, shape (n, objects): queries are named by their number, and others are passed over."""
    values = np.zeros((n, len(objects)))
    columns: dict[Any, list[int]] = {}
    for i, measure in enumerate(objects):
        columns.setdefault(measure, []).append(i)
    for metric in metrics:
        if metric.query_id.isdecimal():
            values[int(metric.query_id), columns[metric.measure]] = metric.value
    return values
