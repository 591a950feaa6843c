"""compare_suite: the same runs on several data sets, compared within each and across all."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..display import Column, Displayed, Part, Style, Table, frame, in_words, plural, signed
from ..errors import InputError, InputTypeError, examples, short
from ..intervals import Sampling
from ..readers.files import visible
from ..typing import MeasuresLike
from .compare import compare
from .comparison import Comparison, p_value
from .runs import evaluate_runs, named_runs, of_run as of_data_set, run_files
from .significance import Test, contrast

if TYPE_CHECKING:
    import pandas

SCORING = ("policy", "backend", "average", "weights", "slices", "doc_of", "queries")
"""The options that say how a run is scored."""

FEWEST = 6
"""With fewer data sets no exact test of them has a p below 5 %."""


@dataclass(frozen=True, slots=True)
class AcrossRow:
    """One run in one measure over the data sets that it shares with the baseline.

    ``mean`` is the mean of its means over all data sets, None where it lacks one; ``shared`` counts the data sets that both have,
    ``delta`` is the mean difference of means over these, ``p`` that of the exact sign-flip test with the data sets as the units;
    ``wins``, ``ties`` and ``losses`` count data sets, and ``better`` and ``worse`` those with a significant difference.
    """

    measure: str
    run: str
    mean: float | None
    data_sets: int
    shared: int
    delta: float | None = None
    p: float | None = None
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    better: int | None = None
    worse: int | None = None


SUITE_COLUMNS = {"data_set": "object", "measure": "object", "run": "object", "mean": "float64", "delta": "float64", "p": "float64",
                 "p_corrected": "float64", "queries": "Int64"}  # fmt: skip


@dataclass(frozen=True, repr=False)
class Suite(Displayed):
    """What :func:`samescore.compare_suite` returns: a table of data sets and runs. ``print`` shows it.

    ``comparisons`` is data set -> :class:`samescore.Comparison` of the runs that it has; ``runs`` are all names, ``baseline`` is
    one of them; ``across`` has a row for each measure and run, over the data sets; ``means`` is measure -> data set -> run -> mean.
    """

    comparisons: Mapping[str, Comparison] = field(repr=False)
    runs: tuple[str, ...]
    baseline: str
    measures: tuple[str, ...]
    across: tuple[AcrossRow, ...]
    alpha: float
    means: Mapping[str, Mapping[str, Mapping[str, float]]] = field(repr=False)

    @property
    def table(self) -> pandas.DataFrame:
        """A DataFrame with a row for each data set, measure and run."""
        return frame(self.records().rows, SUITE_COLUMNS)

    def mean(self, measure: str, data_set: str, run: str) -> float | None:
        """The mean of a run on a data set; None where the run lacks it, or no query has a value."""
        value = self.means[measure].get(data_set, {}).get(run)
        return None if value is None or math.isnan(value) else value

    def parts(self) -> list[Part]:
        """For each measure a table of data sets and runs with the mean of means; what differs across data sets; the notes."""
        parts: list[Part] = []
        for measure in self.measures:
            rows: list[tuple[Any, ...]] = [
                (name, *(self._cell(measure, name, run) for run in self.runs), self._queries(name, measure))
                for name in self.means[measure]
            ]
            means = [next(row.mean for row in self.across if (row.measure, row.run) == (measure, run)) for run in self.runs]
            rows.append(("mean of means", *((mean, "") if mean is not None else None for mean in means), None))
            columns: list[str | Column] = [Column(run, styled=_cell) for run in self.runs]
            parts.append(Table([measure, *columns, "queries"], rows))
        compared = [row for row in self.across if row.run != self.baseline]
        tests: list[str | Column] = [Column("delta", styled=signed), Column("p", p_value), "wins/ties/losses", "significant +/-"]
        rows = [
            (
                row.measure, row.run, row.shared, row.delta, row.p,
                None if row.wins is None else f"{row.wins}/{row.ties}/{row.losses}", f"{row.better}/{row.worse}",
            )
            for row in compared
        ]  # fmt: skip
        across = [Table(["measure", "run", "data sets", *tests], rows)] if rows else []
        return [*parts, *across, *self.notes]

    def _cell(self, measure: str, data_set: str, run: str) -> tuple[float, str] | None:
        """The mean of a run on a data set, with a star where it differs significantly from the baseline."""
        mean, comparison = self.mean(measure, data_set, run), self.comparisons.get(data_set)
        if mean is None:
            return None
        rows = [] if comparison is None else [r for r in comparison.rows if (r.run, r.measure) == (run, measure)]
        return mean, "*" if any(comparison is not None and comparison.significant(row) for row in rows) else ""

    def _queries(self, data_set: str, measure: str) -> int | None:
        """How many queries are compared on a data set."""
        comparison = self.comparisons.get(data_set)
        return None if comparison is None else next(len(pair.queries) for pair in comparison.pairs if pair.name == measure)

    @property
    def notes(self) -> list[str]:
        """What the numbers mean, who lacks what, and what so few data sets cannot show."""
        names = list(self.means[self.measures[0]])
        lacking = {run: [name for name in names if run not in self.means[self.measures[0]][name]] for run in self.runs}
        n = max((row.shared for row in self.across if row.run != self.baseline), default=0)
        few = f"{plural(n, 'data set', 'data sets')}: too few for a test across them, whose p cannot be below {2.0 ** (1 - n):.2g}"
        alone = [name for name in names if name not in self.comparisons]
        return [
            f"mean of means: each of {plural(len(names), 'data set', 'data sets')} counts alike; "
            "a run that lacks one has no such mean",
            *(f"{run} lacks {examples(names)}" for run, names in lacking.items() if names),
            f"*: a significant difference to {self.baseline} within the data set",
            "delta and p: over the data sets that both have, which are the units of an exact sign-flip test; "
            "significant +/-: data sets on which a run is significantly better, worse",
            *([few] if 0 < n < FEWEST else []),
            *([f"one run or no {self.baseline}, so that nothing is compared: {', '.join(alone)}"] if alone else []),
            *dict.fromkeys(
                result.signature.rpartition(" | ")[0] for c in self.comparisons.values() for result in c.results.values()
            ),
        ]

    def records(self) -> Table:
        """A row for each data set, measure and run."""
        rows = []
        for measure in self.measures:
            for name in self.means[measure]:
                comparison = self.comparisons.get(name)
                for run in self.runs:
                    row = next((r for r in comparison.rows if (r.run, r.measure) == (run, measure)), None) if comparison else None
                    told = (row.delta, row.p, row.p_corrected, row.queries) if row else (None, None, None, None)
                    rows.append((name, measure, run, self.mean(measure, name, run), *told))
        return Table(list(SUITE_COLUMNS), rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        return {
            "runs": list(self.runs),
            "baseline": self.baseline,
            "measures": list(self.measures),
            "alpha": self.alpha,
            "table": self.records().objects(),
            "across": [{name: getattr(row, name) for name in AcrossRow.__dataclass_fields__} for row in self.across],
            "comparisons": {name: comparison.to_dict() for name, comparison in self.comparisons.items()},
            "notes": self.notes,
        }


def compare_suite(
    data_sets: Any,
    measures: MeasuresLike | None = None,
    k: int | Sequence[int] | None = None,
    *,
    baseline: str | None = None,
    test: Test = "t",
    alpha: float = 0.05,
    **options: Any,
) -> Suite:
    """Compare runs on several data sets: within each, and across all.

    Parameters
    ----------
    data_sets : mapping, or folders
        Name -> (runs, qrels), each as :func:`samescore.compare` takes them: ``{"scifact": (runs, "beir/scifact")}``, where a BEIR
        folder stands for its qrels. Or a list of folders, each with the qrels (a file ``qrels...``, or BEIR's ``qrels/test.tsv``)
        and the runs (the files in ``runs/``, or all others). Runs of one name are the same run.
    measures, k
        Those of :func:`samescore.evaluate`.
    baseline : str, optional
        The run that the others are compared with; the first of the first data set by default.
    test, alpha
        Those of ``compare``, within each data set.
    **options
        Other options of ``compare``, such as ``policy``, ``backend`` and ``correction``.

    Returns
    -------
    Suite

    Raises
    ------
    InputError
        For fewer than two data sets, a data set without runs or qrels, and a baseline that no data set has.
    SamescoreError
        What ``compare`` raises, with the name of the data set.

    References
    ----------
    Demsar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning Research, 7.

    Examples
    --------
    >>> runs = {"bm25": {"q": ["x", "a"]}, "dense": {"q": ["a"]}}
    >>> suite = compare_suite({"one": (runs, {"q": {"a": 1}}), "two": (runs, {"q": {"a": 1, "x": 1}})}, "RR", backend="reference")
    >>> [(row.run, row.mean, row.shared) for row in suite.across]
    [('bm25', 0.75, 2), ('dense', 1.0, 2)]
    """
    sets = _data_sets(data_sets)
    named = {}
    for name, (runs, _) in sets.items():
        with of_data_set(name):
            named[name] = named_runs(runs)
    every = tuple(dict.fromkeys(run for runs in named.values() for run in runs))
    base = every[0] if baseline is None else str(baseline)
    if base not in every:
        raise InputError(f"no data set has the baseline, {short(baseline)}", hint=", ".join(every))
    comparisons: dict[str, Comparison] = {}
    means: dict[str, dict[str, dict[str, float]]] = {}
    for name, (_, qrels) in sets.items():
        runs = named[name]
        with of_data_set(name):
            if base in runs and len(runs) > 1:
                comparison = compare(runs, qrels, k, measures=measures, baseline=base, test=test, alpha=alpha, **options)
                comparisons[name] = comparison
                results = comparison.results
            else:
                results = _alone(runs, qrels, k, measures, options)
            for run, result in results.items():
                for measure, mean in result.shown.items():
                    means.setdefault(measure, {}).setdefault(name, {})[run] = mean
    measured = tuple(means)
    across = tuple(_across(m, run, base, means[m], comparisons) for m in measured for run in every)
    return Suite(comparisons, every, base, measured, across, alpha, means)


def _alone(runs: Mapping[str, Any], qrels: Any, k: Any, measures: Any, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The results of runs that are not compared."""
    scoring = {name: value for name, value in options.items() if name in SCORING}
    return evaluate_runs(runs, qrels, k=k, measures=measures, **scoring)


def _across(
    measure: str, run: str, base: str, means: Mapping[str, Mapping[str, float]], comparisons: Mapping[str, Comparison]
) -> AcrossRow:
    """One run over all data sets; ``means`` are data set -> run -> mean."""
    data_sets = list(means)
    own = [means[name][run] for name in data_sets if run in means.get(name, {}) and not math.isnan(means[name][run])]
    whole = math.fsum(own) / len(own) if len(own) == len(data_sets) else None
    shared = [name for name in data_sets if {run, base} <= means.get(name, {}).keys()]
    if run == base:
        return AcrossRow(measure, run, whole, len(own), len(own))
    differences = np.array([means[name][run] - means[name][base] for name in shared])
    differences = differences[~np.isnan(differences)]
    if not len(differences):
        return AcrossRow(measure, run, whole, len(own), 0, better=0, worse=0)
    rows = [(c, c.row(run, measure)) for name, c in comparisons.items() if name in shared]
    lower = next(pair.measure.entry.lower_is_better for c, _ in rows for pair in c.pairs if pair.name == measure)
    sign = -1 if lower else 1
    moved = sign * np.where(np.abs(differences) < 1e-9, 0.0, differences)
    significant = [sign * (row.delta or 0.0) for c, row in rows if c.significant(row)]
    told = contrast(differences, "permutation", Sampling())
    return AcrossRow(
        measure, run, whole, len(own), len(differences), told.delta, told.p,
        int((moved > 0).sum()), int((moved == 0).sum()), int((moved < 0).sum()),
        sum(delta > 0 for delta in significant), sum(delta < 0 for delta in significant),
    )  # fmt: skip


def _cell(cell: tuple[float, str], style: Style) -> str:
    """A mean with its star."""
    return in_words(cell[0], style=style) + cell[1]


def _data_sets(source: Any) -> dict[str, tuple[Any, Any]]:
    """Name -> runs and qrels.

    Raises InputError for fewer than two, InputTypeError for what is no pair of runs and qrels.
    """
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    if isinstance(source, Mapping):
        sets = {str(name): pair for name, pair in source.items()}
    elif isinstance(source, Iterable):
        folders = [as_path(folder) for folder in source]
        names = [os.path.basename(os.path.abspath(folder)) for folder in folders]
        names = names if len(set(names)) == len(names) else [str(folder) for folder in folders]
        if len(set(names)) < len(names):
            raise InputError(f"a folder is named twice: {examples(names)}", hint="each data set once")
        sets = {name: read_folder(folder) for name, folder in zip(names, folders, strict=True)}
    else:
        raise InputTypeError(f"data sets are {short(source)}", hint='{"scifact": (runs, qrels)}')
    for name, pair in sets.items():
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputTypeError(f"the data set {short(name)} is {short(pair)}", hint='{"scifact": (runs, qrels)}')
    if len(sets) < 2:
        raise InputError(f"{plural(len(sets), 'data set', 'data sets')} are no suite", hint="compare(runs, qrels) compares on one")
    return sets


def as_path(folder: object) -> Path:
    """A folder of a list. Raises InputTypeError for what is no path."""
    if not isinstance(folder, (str, os.PathLike)):
        raise InputTypeError(f"a data set is {short(folder)}", hint='{"scifact": (runs, qrels)}, or a list of folders')
    return Path(folder)


def read_folder(folder: Path) -> tuple[list[tuple[str, str]], str]:
    """The runs of a data set's folder by name, and its qrels.

    Raises InputError for a folder that there is not, or without one of them.
    """
    if not os.path.isdir(folder):  # of which Path.is_dir() raises for a name that is too long
        raise InputError("there is no such folder", file=folder, hint="a folder with qrels and runs")
    files = visible(folder)
    judged = [file for file in files if file.name.lower().startswith("qrels")]
    beir = folder / "qrels"
    if beir.is_dir() == bool(judged) or len(judged) > 1:
        found = f"{examples([file.name for file in judged])}" if judged else "none"
        what = f"one file of qrels is needed, and there is {found}"
        raise InputError(what, file=folder, hint="qrels.txt, or qrels/test.tsv as BEIR has it")
    qrels = str(judged[0]) if judged else str(folder)
    runs = folder / "runs"
    others = [str(runs)] if runs.is_dir() else [str(file) for file in files if file not in judged and not _is_beir(file)]
    if not others:
        raise InputError("a folder without runs", file=folder, hint="run files in runs/, or beside the qrels")
    return run_files(others), qrels


def _is_beir(file: Path) -> bool:
    """Whether a file of a folder is the corpus or the queries of a data set."""
    return file.name.lower().startswith(("corpus.", "queries.", "readme", "license"))
