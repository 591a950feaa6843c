"""Values of one's own: what stands beside measures under any name, such as faithfulness, latency or cost."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import FormatError, InputError, InputTypeError, nearest, setting, short
from ..evaluation import requested_measures
from ..measures import Measure
from ..measures.parsing import names_measure
from ..policy import Policy
from ..readers.values import is_iterable
from .runs import of_run
from .scores import QUERY, Scores, column_key, own_measure, read_json_file, scores_of


@dataclass(frozen=True, slots=True)
class Own:
    """Values of one's own: ``names`` that are asked for and are those of no measure, the ``lower`` ones of which lower is better,
    and the ``values`` beside runs."""

    names: frozenset[str]
    lower: frozenset[str]
    values: Mapping[str, Any]

    @classmethod
    def of(cls, measures: Any, values: Any, lower_is_better: Any, runs: Collection[str]) -> Own:
        """What the arguments say.

        Raises InputError for values of a run that there is not, InputTypeError for what is no mapping or no name.
        """
        if values is not None and not isinstance(values, Mapping):
            raise InputTypeError(f"values are {short(values)}", hint="{'bm25': a DataFrame with query_id and, say, latency}")
        if unknown := [name for name in values or () if name not in runs]:
            raise InputError(f"values are of {short(unknown[0])}, which is no run", hint=nearest(str(unknown[0]), runs))
        lower = [lower_is_better] if isinstance(lower_is_better, str) else lower_is_better
        if not is_iterable(lower) or not all(isinstance(name, str) for name in lower):
            raise InputTypeError(f"lower_is_better is {short(lower)}", hint=setting("lower_is_better", ["latency"]))
        asked = [measures] if isinstance(measures, str) else measures if is_iterable(measures) else []
        names = [name for name in (*asked, *lower) if isinstance(name, str) and not names_measure(name) and "@" not in name]
        return cls(frozenset(names), frozenset(lower), values or {})

    def requested(self, k: Any, measures: Any) -> list[Measure] | None:
        """The measures that are asked for, of which a name of no measure is one's own; None where none are."""
        if k is None and measures is None:
            return None
        if k is not None or not self.names:
            return requested_measures(k, measures)
        asked = [measures] if isinstance(measures, (str, Measure)) else measures
        each = [self.measure(name) if name in self.names else name for name in asked]
        return requested_measures(k, each)

    def scores(self, run: str, policy: Policy) -> Scores | None:
        """The values beside a run. Raises InputTypeError for what holds none."""
        values = self.values[run]
        names = {name for name in values if isinstance(name, str)} if isinstance(values, Mapping) else ()
        with of_run(run):
            scores = scores_of(values, policy, (), names)
            if scores is None:
                raise InputTypeError(f"no values by query: {short(values)}", hint="{'latency': {'q1': 0.2}}")
        return scores

    def measure(self, name: str) -> Measure:
        """What stands for values of a name."""
        return own_measure(name, lower_is_better=name in self.lower)

    def marked(self, measure: Measure) -> Measure:
        """A measure that brought values have, marked where lower is better."""
        return self.measure(measure.name) if measure.function is not None and measure.name in self.lower else measure


def is_own(measure: Measure) -> bool:
    """Whether a measure stands for values of one's own."""
    placeholder = column_key(measure).function
    return placeholder is not None and placeholder in (measure.function, getattr(measure.function, "function", None))


def read_own_values(path: str) -> dict[str, dict[str, float]]:
    """Name -> query -> value, from CSV or TSV with a header and a column of queries, or JSON, {name: {query: value}}.

    An empty cell is no value. Raises FormatError for a value that is no number, with the line.
    """
    if Path(path).suffix.lower() == ".json":
        plain = read_json_file(path)
        if not isinstance(plain, Mapping) or not all(isinstance(column, Mapping) for column in plain.values()):
            raise FormatError(f"no values: {short(plain)}", file=path, hint='{"latency": {"q1": 0.2}}')
        return {str(name): dict(column) for name, column in plain.items()}
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"the file cannot be read: {getattr(error, 'strerror', None) or error}", file=path, hint="check the path"
        ) from None
    lines = list(csv.reader(text.splitlines(), delimiter="\t" if "\t" in text.partition("\n")[0] else ","))
    header = [name.strip() for name in lines[0]] if lines else []
    queries = next((i for i, name in enumerate(header) if name.lower() in QUERY), None)
    if queries is None or len(header) < 2:
        raise FormatError(
            f"no header with query_id and names of values: {short(','.join(header))}", file=path, hint="query_id,latency"
        )
    columns: dict[str, dict[str, float]] = {name: {} for i, name in enumerate(header) if i != queries}
    for number, row in enumerate(lines[1:], 2):
        if len(row) not in (0, len(header)):
            raise FormatError(
                f"{len(row)} columns, where the header has {len(header)}", file=path, line=number, hint="a value each"
            )
        for i, cell in enumerate(row):
            if i == queries or not cell.strip():
                continue
            try:
                value = float(cell)
            except ValueError:
                raise FormatError(f"{short(cell)} is no number", file=path, line=number, hint="0.25") from None
            if columns[header[i]].setdefault(row[queries].strip(), value) != value:
                raise FormatError(f"two values of {header[i]}", file=path, line=number, hint="a row for each query")
    return columns
