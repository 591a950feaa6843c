"""Comparison: the table of a comparison with what is behind it, query by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dataframes import by_query, frame
from ..errors import InputError, ResultKeyError, short
from ..result import Result
from ..significance import without_noise
from ..slicing import WHOLE
from . import rendering
from .pairing import Paired

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Row:
    """One run in one measure: its mean, and how it differs from the baseline over the queries that all runs share.

    ``delta`` is the difference of the means, ``low`` and ``high`` its interval, ``p`` two-sided and ``p_corrected`` for the
    number of runs, ``effect`` the mean difference in standard deviations, ``wins``, ``ties`` and ``losses`` count queries,
    ``detectable`` is the smallest difference that so many queries show with a power of 80 %. None where there is no such
    number: for the baseline itself, and over too few queries.
    """

    measure: str
    slice: str
    run: str
    mean: float | None
    delta: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_corrected: float | None = None
    effect: float | None = None
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    queries: int = 0
    detectable: float | None = None


COUNTS = ("wins", "ties", "losses", "queries")
COLUMNS = {
    name: "object" if name in ("measure", "slice", "run") else "Int64" if name in COUNTS else "float64"
    for name in Row.__dataclass_fields__
}
BIGGEST = {
    "run": "object",
    "measure": "object",
    "query_id": "object",
    "baseline": "float64",
    "value": "float64",
    "delta": "float64",
}


@dataclass(frozen=True)
class Comparison:
    """What :func:`samescore.compare` returns: a table, and the differences behind it. ``print`` shows the table.

    ``rows`` are the rows of the table; ``runs`` the names, ``baseline`` one of them; ``notes`` are sentences: who was left
    out, how p was found, where queries are too few. ``results`` has the Result of each run that was scored here or
    brought along as one.
    """

    rows: tuple[Row, ...]
    runs: tuple[str, ...]
    baseline: str
    test: str
    correction: str | None
    alpha: float
    average: str
    notes: tuple[str, ...]
    results: Mapping[str, Result] = field(repr=False)
    pairs: tuple[Paired, ...] = field(repr=False)

    @property
    def measures(self) -> list[str]:
        """The measures that are compared."""
        return [pair.name for pair in self.pairs]

    @property
    def table(self) -> pandas.DataFrame:
        """A DataFrame with a row for each measure, slice and run; the columns are the fields of :class:`Row`."""
        return frame(map(astuple, self.rows), COLUMNS)

    @property
    def per_query(self) -> pandas.DataFrame:
        """The values behind the means: query x run, or with several measures query x (measure, run)."""
        return self._frame(self.runs, lambda pair, i: pair.values[i])

    @property
    def deltas(self) -> pandas.DataFrame:
        """The differences to the baseline: query x run, or with several measures query x (measure, run)."""
        others = [run for run in self.runs if run != self.baseline]
        return self._frame(others, self._delta)

    def biggest(self, n: int = 5, *, measure: str | None = None) -> pandas.DataFrame:
        """The queries that moved most, both ways: for each run up to ``n`` that rose and ``n`` that fell, by their difference.

        A DataFrame with the columns run, measure, query_id, baseline, value and delta, of all measures or of one.

        Raises ResultKeyError for a measure that is not compared, InputError for an ``n`` that is no whole number.
        """
        pairs = self.pairs if measure is None else [self._pair(measure)]
        others = [run for run in self.runs if run != self.baseline]
        rows = [(run, pair.name, *row) for pair in pairs for run in others for row in self.moved(pair.name, run, n)]
        return frame(rows, BIGGEST)

    def row(self, run: str, measure: str | None = None, slice: str = WHOLE) -> Row:
        """One row; the measure may be left out where there is one.

        Raises ResultKeyError where there is no such row.
        """
        name = self._pair(measure).name
        for row in self.rows:
            if (row.run, row.measure, row.slice) == (run, name, slice):
                return row
        raise ResultKeyError(f"no row of {short(run)} in {short(slice)}", hint=", ".join(self.runs))

    def significant(self, row: Row) -> bool:
        """Whether the corrected p-value of a row is below alpha."""
        return row.p_corrected is not None and row.p_corrected < self.alpha

    def _pair(self, measure: str | None) -> Paired:
        """The values of one measure."""
        if measure is None and len(self.pairs) == 1:
            return self.pairs[0]
        for pair in self.pairs:
            if pair.name == str(measure):
                return pair
        raise ResultKeyError(f"{short(measure)} is not compared", hint=", ".join(self.measures))

    def _delta(self, pair: Paired, i: int) -> Any:
        """The differences of a run to the baseline, shape (queries,)."""
        return without_noise(pair.values[i] - pair.values[self.runs.index(self.baseline)])

    def _frame(self, runs: Sequence[str], column: Any) -> pandas.DataFrame:
        """A DataFrame of queries with a column for each run, and for each measure where there are several."""
        several = len(self.pairs) > 1
        queries = list(dict.fromkeys(query for pair in self.pairs for query in pair.queries))
        columns = {}
        for pair in self.pairs:
            for run in runs:
                values = dict(zip(pair.queries, column(pair, self.runs.index(run)).tolist(), strict=True))
                columns[(pair.name, run) if several else run] = [values.get(query, np.nan) for query in queries]
        return by_query(queries, columns)

    def moved(self, measure: str, run: str, n: int) -> list[tuple[str, float, float, float]]:
        """The queries of one run that moved most, as (query, value of the baseline, value, difference), those that rose first."""
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
            raise InputError(f"n is {short(n)}, not a whole number of at least 0", hint="biggest(5)")
        pair, i, base = self._pair(measure), self.runs.index(run), self.runs.index(self.baseline)
        deltas = self._delta(pair, i)
        order = np.argsort(-deltas, kind="stable").tolist()
        rose = [q for q in order if deltas[q] > 0][:n]
        fell = [q for q in order if deltas[q] < 0][-n:] if n else []
        return [(pair.queries[q], float(pair.values[base, q]), float(pair.values[i, q]), float(deltas[q])) for q in rose + fell]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold, the differences of each query among them."""
        return {
            "baseline": self.baseline,
            "runs": list(self.runs),
            "measures": self.measures,
            "test": self.test,
            "correction": self.correction,
            "alpha": self.alpha,
            "average": self.average,
            "table": [asdict(row) | {"significant": self.significant(row)} for row in self.rows],
            "per_query": {
                pair.name: {run: dict(zip(pair.queries, pair.values[i].tolist(), strict=True)) for i, run in enumerate(self.runs)}
                for pair in self.pairs
            },
            "notes": list(self.notes),
            "signatures": {run: result.signature for run, result in self.results.items()},
        }

    def to_markdown(self) -> str:
        """The table in Markdown, with the notes below."""
        return rendering.markdown(self)

    def to_latex(self) -> str:
        r"""A booktabs table, a row a run and a column a measure, with the best in bold and marks of significance."""
        return rendering.latex(self)

    def __str__(self) -> str:
        return rendering.text(self)

    def __repr__(self) -> str:
        return f"Comparison({', '.join(self.runs)}; {', '.join(self.measures)}; baseline {self.baseline})"

    def _repr_html_(self) -> str:
        return rendering.html(self)
