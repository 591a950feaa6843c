"""Comparison: the table of a comparison with what is behind it, query by query."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..averaging import Mask, Weighting, mean
from ..display import (
    MISSING,
    Column,
    Count,
    Displayed,
    Part,
    Style,
    Table,
    Title,
    by_query,
    escape_latex,
    frame,
    in_words,
    plural,
    signed,
    text_of,
)
from ..errors import InputError, MeasureError, ResultKeyError, setting, short
from ..intervals import NOISE, linearised
from ..measures import Measure
from ..rankspace import Floats
from ..result import Result
from ..slices import ALL_QUERIES
from .groups import group_letters, joined, short_names
from .scores import Scores, column_key
from .significance import without_noise

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Paired:
    """One measure of all runs, for the queries that all share.

    Shapes: ``queries`` (queries,), ``values`` and, where queries do not count alike, ``weights`` (runs, queries). ``left_out``
    counts, for each run, the queries that it has a value for and some other run has not.
    """

    name: str
    measure: Measure
    queries: list[str]
    values: Floats
    weights: Floats | None
    left_out: Mapping[str, int]

    def mean(self, run: int, where: Mask) -> float:
        """The mean of a run over some queries; NaN over none."""
        if not where.any():
            return np.nan
        return mean(self.values[run, where], None if self.weights is None else self.weights[run, where])[0]

    @property
    def limit(self) -> float:
        """The largest difference that two runs can have for a query."""
        bounded = self.measure.entry.bounded and (
            not self.values.size or (self.values.min() >= 0 and self.values.max() <= 1 + NOISE)
        )
        return 1.0 if bounded else np.inf

    def moves(self, run: int, other: int, where: Mask) -> Floats:
        """How the queries of a run differ from those of another: by their values, or where they count by different numbers by what
        they add to the mean."""
        if self.weights is not None and not np.array_equal(self.weights[run, where], self.weights[other, where]):
            return self.spread(run, where) - self.spread(other, where)
        moves: Floats = self.values[run, where] - self.values[other, where]
        return moves

    def spread(self, run: int, where: Mask) -> Floats:
        """One number a query whose mean is the run's: its values, or for a micro average what stands for them."""
        values: Floats = self.values[run, where]
        return values if self.weights is None else linearised(values, self.weights[run, where])


def pair_runs(name: str, measure: Measure, scores: Mapping[str, Scores], weighting: Weighting) -> Paired:
    """Pair the runs in one measure, by query id.

    Raises MeasureError for a run that has no such values, InputError where a micro average lacks the denominators, and a query its
    weight.
    """
    micro = weighting.average == "micro"
    for run, run_scores in scores.items():
        _check_scores(name, measure, run, run_scores, micro=micro)
    key = column_key(measure)
    columns = [run_scores.values[key] for run_scores in scores.values()]
    shared = [query for query in columns[0] if all(query in column for column in columns[1:])]
    values = np.array([[column[query] for query in shared] for column in columns], dtype=np.float64)
    weights = np.array([[(each.weights or {})[key][q] for q in shared] for each in scores.values()]) if micro else None
    if not micro:
        alike = weighting.weights(shared, np.ones(len(shared), dtype=bool))
        weights = None if alike is None else np.tile(alike, (len(columns), 1))
    left_out = {run: len(column) - len(shared) for run, column in zip(scores, columns, strict=True)}
    return Paired(
        name, measure, shared, values.reshape(len(columns), len(shared)), weights, {r: n for r, n in left_out.items() if n}
    )


def _check_scores(name: str, measure: Measure, run: str, scores: Scores, *, micro: bool) -> None:
    """Refuse a run without values of the measure."""
    if column_key(measure) not in scores.values:
        has = ", ".join(map(str, scores.values))
        raise MeasureError(f"{run} was brought along without {name} ({measure})", hint=f"one of {has}, or bring the run itself")
    if micro and measure.function is not None:
        raise MeasureError(
            f"{name} has no micro average: its value for a query is no ratio of counts", hint=setting("average", "macro")
        )
    if micro and (scores.weights is None or (scores.result is not None and scores.result.average != "micro")):
        raise InputError(f"{run} was brought along without what a micro average divides by", hint="bring the run itself")


@dataclass(frozen=True, slots=True)
class Row:
    """One run in one measure: its mean, and how it differs from its ``baseline`` over the queries that all runs share.

    ``delta`` is the difference of the means, ``low`` and ``high`` its interval, ``p`` two-sided and ``p_corrected`` for the
    number of pairs, ``effect`` the mean difference in standard deviations, ``wins``, ``ties`` and ``losses`` count queries
    (a win is a fall where lower is better), ``detectable`` is the smallest difference that so many queries show with a power of
    80 %, and ``needed`` how many queries would show this one. None where there is no such number: for a run that is compared with
    no other, and over too few queries.
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
    baseline: str | None = None
    needed: int | None = None

    def turned(self) -> Row:
        """The row without its mean that the other run would have with this one as its baseline."""
        return replace(
            self,
            run=str(self.baseline),
            baseline=self.run,
            mean=None,
            delta=_negative(self.delta),
            low=_negative(self.high),
            high=_negative(self.low),
            effect=_negative(self.effect),
            wins=self.losses,
            losses=self.wins,
        )


def _negative(number: float | None) -> float | None:
    """The number with another sign; no negative zero."""
    return None if number is None else 0.0 - number


COUNTS = ("wins", "ties", "losses", "queries", "needed")

COLUMNS = {
    name: "object" if name in ("measure", "slice", "run", "baseline") else "Int64" if name in COUNTS else "float64"
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


@dataclass(frozen=True, repr=False)
class Comparison(Displayed):
    """What :func:`samescore.compare` returns: a table, and the differences behind it. ``print`` shows the table.

    ``rows`` are the rows of the table; ``runs`` the names; ``contrasts`` the pairs of a run and the baseline that it is compared
    with, of ``all_pairs`` the one that comes first; ``notes`` are sentences: who was left out, how p was found, where queries
    are too few. ``results`` has the Result of each run that was scored here or brought along as one.
    """

    rows: tuple[Row, ...]
    runs: tuple[str, ...]
    contrasts: tuple[tuple[str, str], ...]
    all_pairs: bool
    test: str
    correction: str | None
    alpha: float
    average: str
    notes: tuple[str, ...]
    results: Mapping[str, Result] = field(repr=False)
    pairs: tuple[Paired, ...] = field(repr=False)

    @property
    def baselines(self) -> tuple[str, ...]:
        """The runs that the others are compared with; none where all pairs are compared."""
        return () if self.all_pairs else tuple(dict.fromkeys(base for _, base in self.contrasts))

    @property
    def baseline(self) -> str | None:
        """The first of the baselines."""
        return next(iter(self.baselines), None)

    @property
    def corrected_by(self) -> str:
        """What allows for the number of comparisons, in a word."""
        return "tukey" if self.test == "tukey" else self.correction or "not corrected"

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
        return self._frame(self.runs, lambda pair, run: pair.values[self.runs.index(run)])

    @property
    def deltas(self) -> pandas.DataFrame:
        """The differences to the baseline: query x run, or with several measures query x (measure, run).

        Where there are several baselines or all pairs, a column is named by the run and its baseline, (run, baseline).
        """
        return self._frame(self.contrasts, lambda pair, contrast: self._delta(pair, *contrast))

    def biggest(self, n: int = 5, *, measure: str | None = None) -> pandas.DataFrame:
        """The queries that moved most, both ways: for each run up to ``n`` that rose and ``n`` that fell, by their difference.

        A DataFrame with the columns run, measure, query_id, baseline, value and delta, of all measures or of one. Where there
        are several baselines or all pairs, ``against`` names the run whose value is that of the baseline.

        Raises ResultKeyError for a measure that is not compared, InputError for an ``n`` that is no whole number.
        """
        pairs = self.pairs if measure is None else [self._pair(measure)]
        moved = [
            (run, pair.name, *row, base)
            for pair in pairs
            for run, base in self.contrasts
            for row in self.moved(pair.name, run, n, base)
        ]
        return frame(moved, {**BIGGEST, "against": "object"}) if self.several else frame([row[:-1] for row in moved], BIGGEST)

    def row(self, run: str, measure: str | None = None, slice: str = ALL_QUERIES, *, baseline: str | None = None) -> Row:
        """One row; the measure may be left out where there is one.

        ``baseline`` names the run that it is compared with, where that is one of several.

        Raises ResultKeyError where there is no such row.
        """
        name = self._pair(measure).name
        of_run = {row.run: row for row in reversed(self.rows) if (row.measure, row.slice) == (name, slice)}
        if baseline is None and run in of_run:
            return of_run[run]
        for row in self.rows:
            if (row.measure, row.slice) == (name, slice) and baseline is not None:
                if (row.run, row.baseline) == (run, baseline):
                    return row
                if (row.run, row.baseline) == (baseline, run):
                    return replace(row.turned(), mean=of_run[run].mean)
        against = "" if baseline is None else f" against {short(baseline)}"
        raise ResultKeyError(f"no row of {short(run)}{against} in {short(slice)}", hint=", ".join(self.runs))

    @property
    def several(self) -> bool:
        """Whether a run is compared with more than one other."""
        return self.all_pairs or len(self.baselines) > 1

    @property
    def groups(self) -> dict[str, dict[str, str]]:
        """Measure -> run -> its letters: runs that have one in common cannot be told apart; empty unless all pairs are compared."""
        return {measure: self.letters(measure) for measure in self.measures} if self.all_pairs else {}

    def letters(self, measure: str | None = None, slice: str = ALL_QUERIES) -> dict[str, str]:
        """Run -> the letters of the groups that it is in, ``a`` that of the best; the measure may be left out where there is one.

        Raises InputError where not all pairs are compared, ResultKeyError where there is no such slice.
        """
        if not self.all_pairs:
            raise InputError("not all pairs of runs are compared", hint=setting("pairs", "all"))
        pair = self._pair(measure)
        means = {run: self.row(run, pair.name, slice).mean for run in self.runs}
        sign = 1 if pair.measure.entry.lower_is_better else -1
        ranked = sorted(self.runs, key=lambda run: math.inf if means[run] is None else sign * (means[run] or 0.0))
        letters = group_letters(ranked, self._told_apart(pair.name, slice))
        return {run: letters[run] for run in self.runs}

    def _told_apart(self, measure: str, slice: str) -> list[frozenset[str]]:
        """The pairs of runs that differ significantly."""
        rows = [row for row in self.rows if (row.measure, row.slice) == (measure, slice) and self.significant(row)]
        return [frozenset((row.run, str(row.baseline))) for row in rows]

    def shown(self, row: Row) -> Row:
        """A row whose values are marked as counts where its measure is one."""
        if self._pair(row.measure).measure.entry.aggregate != "sum":
            return row
        values = {name: getattr(row, name) for name in ("mean", "delta", "low", "high", "detectable")}
        counts: dict[str, Any] = {name: None if value is None else Count(value) for name, value in values.items()}
        return replace(row, **counts)

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

    def _delta(self, pair: Paired, run: str, baseline: str) -> Floats:
        """The differences of a run to a baseline, shape (queries,)."""
        return without_noise(pair.values[self.runs.index(run)] - pair.values[self.runs.index(baseline)])

    def _frame(self, runs: Sequence[Any], column: Callable[[Paired, Any], Floats]) -> pandas.DataFrame:
        """A DataFrame of queries with a column for each run, or pair of runs, and for each measure where there are several."""
        queries = list(dict.fromkeys(query for pair in self.pairs for query in pair.queries))
        columns = {}
        for pair in self.pairs:
            for run in runs:
                values = dict(zip(pair.queries, column(pair, run).tolist(), strict=True))
                name = (run,) if isinstance(run, str) else run if self.several else run[:1]
                key = (pair.name, *name) if len(self.pairs) > 1 else name
                columns[key if len(key) > 1 else key[0]] = [values.get(query, np.nan) for query in queries]
        return by_query(queries, columns)

    def moved(self, measure: str, run: str, n: int, baseline: str | None = None) -> list[tuple[str, float, float, float]]:
        """The queries of one run that moved most, as (query, value of the baseline, value, difference), those that rose first.

        The baseline is the first one unless another is named.
        """
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
            raise InputError(f"n is {short(n)}, not a whole number of at least 0", hint="a number such as 5")
        base = self.contrasts[0][1] if baseline is None else baseline
        pair, deltas = self._pair(measure), self._delta(self._pair(measure), run, base)
        before, now = pair.values[self.runs.index(base)], pair.values[self.runs.index(run)]
        order = np.argsort(-deltas, kind="stable").tolist()
        rose = [q for q in order if deltas[q] > 0][:n]
        fell = [q for q in order if deltas[q] < 0][-n:] if n else []
        return [(pair.queries[q], float(before[q]), float(now[q]), float(deltas[q])) for q in rose + fell]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold, the differences of each query among them."""
        return {
            "baseline": self.baseline,
            "baselines": list(self.baselines),
            "pairs": "all" if self.all_pairs else "baseline",
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
            **({"groups": self.groups} if self.all_pairs else {}),
            "notes": list(self.notes),
            "signatures": {run: result.signature for run, result in self.results.items()},
        }

    def parts(self) -> list[Part]:
        """Of two runs :meth:`long`; of more a row a run and a column a measure, for each slice and baseline, and the notes."""
        return self.long_parts() if len(self.contrasts) == 1 else [*self._blocks(), self._marks(), *self.notes]

    def long(self) -> Displayed:
        """The comparison as it is shown with a row for each measure, slice and pair of runs, and a column for each number."""
        return Long(self)

    def _blocks(self) -> Iterator[Part]:
        """A table for each slice and baseline, below its title where there are several."""
        slices = list(dict.fromkeys(row.slice for row in self.rows))
        for slice in slices:
            queries = sorted({row.queries for row in self.rows if row.slice == slice})
            counted = plural(queries[-1]) if len(queries) == 1 else f"{queries[0]} to {plural(queries[-1])}"
            for base in self.baselines or (None,):
                titles = [f"{slice}: {counted}"] if len(slices) > 1 else []
                titles += [f"compared with {base}"] if len(self.baselines) > 1 else []
                yield from [Title(", ".join(titles))] if titles else []
                yield self._block(slice, base)

    def _block(self, slice: str, base: str | None) -> Table:
        """The means of one slice, with their differences to a baseline, or without one with the letters of all pairs."""
        columns: list[str | Column] = ["run", *(Column(measure, styled=_marked) for measure in self.measures)]
        if base is None:
            groups = {measure: self.letters(measure, slice) for measure in self.measures}
            width = {measure: max(map(len, letters.values())) for measure, letters in groups.items()}
            rows = [
                [run, *((self.shown(self.row(run, m, slice)).mean, None, groups[m][run].ljust(width[m])) for m in self.measures)]
                for run in self.runs
            ]
            return Table(columns, rows)
        compared = [base, *(run for run, other in self.contrasts if other == base)]
        of_runs = [
            [self.shown(self.row(run, m, slice, baseline=None if run == base else base)) for m in self.measures] for run in compared
        ]
        cells = [[(row.mean, row.delta, DELTA_MARKS[self.significant(row)]) for row in rows] for rows in of_runs]
        return Table(columns, [[run, *row] for run, row in zip(compared, cells, strict=True)])

    def _marks(self) -> str:
        """What stands beside a mean."""
        if self.all_pairs:
            return f"runs that have a letter in common cannot be told apart: p ({self.corrected_by}) is {self.alpha:g} or more"
        return f"beside a mean its difference to the baseline, * where p ({self.corrected_by}) is below {self.alpha:g}"

    def long_parts(self) -> list[Part]:
        """A row for each measure, slice and pair of runs, without the slices where there are none, and the notes."""
        sliced = any(row.slice != ALL_QUERIES for row in self.rows)
        columns: list[str | Column] = [
            "measure",
            *(["slice"] if sliced else []),
            "run",
            *(["baseline"] if self.several else []),
            "mean",
            Column("delta", styled=signed),
            Column(f"{percent(1 - self.alpha)} interval", styled=_signed_ends),
            Column("p", p_value),
            Column(f"p ({self.corrected_by})", _starred),
            Column("effect", "+.2f"),
            Column("wins/ties/losses", lambda counts: "{}/{}/{}".format(*counts)),
            "queries",
            "detectable",
            "needed",
        ]
        return [Table(columns, [self._cells(row, sliced=sliced) for row in self.rows]), *self.notes]

    def _cells(self, row: Row, *, sliced: bool) -> list[Any]:
        """The values of a row of the printed table."""
        row = self.shown(row)
        ends = None if row.low is None else (row.low, row.high)
        corrected = None if row.p_corrected is None else (row.p_corrected, self.significant(row))
        counts = None if row.wins is None else (row.wins, row.ties, row.losses)
        name = [row.measure, *([row.slice] if sliced else []), row.run, *([row.baseline] if self.several else [])]
        return [*name, row.mean, row.delta, ends, row.p, corrected, row.effect, counts, row.queries, row.detectable, row.needed]

    def records(self) -> Table:
        """The rows of the table, with all their fields."""
        return Table(list(Row.__dataclass_fields__), [astuple(row) for row in self.rows])

    def to_latex(self, *, digits: int | None = None, percent: bool = False, quiet: bool = False) -> str:
        r"""A booktabs table, a row a run and a column a measure, with the best in bold and marks of significance."""
        return _latex(self, Style(digits, percent, quiet))


@dataclass(frozen=True, slots=True, repr=False)
class Long(Displayed):
    """A comparison with a row for each measure, slice and pair of runs."""

    comparison: Comparison

    def parts(self) -> list[Part]:
        """The long table, and the notes."""
        return self.comparison.long_parts()

    def records(self) -> Table:
        """The rows of the comparison."""
        return self.comparison.records()

    def to_dict(self) -> dict[str, Any]:
        """The plain values of the comparison."""
        return self.comparison.to_dict()

    def to_latex(self, *, digits: int | None = None, percent: bool = False, quiet: bool = False) -> str:
        """The comparison as LaTeX."""
        return self.comparison.to_latex(digits=digits, percent=percent, quiet=quiet)


def p_value(value: float) -> str:
    """A p-value with four digits, or how small it is."""
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


DELTA_MARKS = " *"
"""What stands behind a difference that is not significant, and behind one that is."""


def _marked(cell: tuple[float | None, float | None, str], style: Style) -> str:
    """A mean with its difference, where it has one, and a mark; blanks in the place of the difference where others have one."""
    mean, delta, mark = cell
    width = len(style.number(0.1, "+")) if mark in DELTA_MARKS else 0
    beside = "" if delta is None else signed(delta, style)
    return f"{in_words(mean, style=style)} {beside:>{width}}{mark}"


def _signed_ends(ends: tuple[float, float], style: Style) -> str:
    """The interval of a difference."""
    return " to ".join(signed(end, style) for end in ends)


def _starred(corrected: tuple[float, bool]) -> str:
    """A corrected p-value, with a star where it is significant."""
    p, significant = corrected
    return p_value(p) + ("*" if significant else "")


def percent(level: float) -> str:
    """A level of confidence: 95 %."""
    return f"{100 * level:.6g} %"


METHODS = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini--Hochberg", "tukey": "Tukey's HSD"}


def _latex(comparison: Comparison, style: Style) -> str:
    """A comparison as a booktabs table: a row a run, a column a measure, the best in bold; its notes are comments.

    Arrows up and down mark what differs significantly from the one baseline. Of several baselines or all pairs, each run has a
    letter, and a superscript lists those that it is significantly better than, as ranx's reports do.
    """
    slices = list(dict.fromkeys(row.slice for row in comparison.rows))
    letters = dict(zip(comparison.runs, short_names(len(comparison.runs)), strict=True)) if comparison.several else {}
    measures, lead = comparison.measures, "ll" if letters else "l"
    width = len(lead) + len(measures)
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{lead}{'r' * len(measures)}}}",
        r"\toprule",
        " & ".join([*([r"\#"] if letters else []), *map(escape_latex, ["run", *measures])]) + r" \\",
    ]
    for title in slices:
        lines += [r"\midrule"]
        if len(slices) > 1:
            lines += [rf"\multicolumn{{{width}}}{{l}}{{\emph{{{escape_latex(title)}}}}} \\"]
        for run in comparison.runs:
            means = [_latex_mean(comparison, comparison.row(run, measure, title), letters, style) for measure in measures]
            lines += [" & ".join([*([letters[run]] if letters else []), escape_latex(run), *means]) + r" \\"]
    marks = rf"\multicolumn{{{width}}}{{l}}{{\footnotesize bold: best; {_latex_marks(comparison)}}} \\"
    notes = [] if style.quiet else [f"% {text_of(note, style)}" for note in comparison.notes]
    return "\n".join([*lines, r"\bottomrule", marks, r"\end{tabular}", *notes])


def _latex_marks(comparison: Comparison) -> str:
    """What arrows or superscripts mean."""
    at = f"at $p < {comparison.alpha:g}$ ({METHODS.get(comparison.corrected_by, comparison.corrected_by)})"
    if comparison.several:
        return f"superscripts: significantly better than these runs {at}"
    return rf"$\uparrow$, $\downarrow$: above, below {escape_latex(str(comparison.baseline))} {at}"


def _latex_mean(comparison: Comparison, row: Row, letters: Mapping[str, str], style: Style) -> str:
    """A mean: bold where no run has a better one as it is shown, with the marks of what is significant."""
    rows = [other for other in comparison.rows if (other.measure, other.slice) == (row.measure, row.slice)]
    lower = next(pair.measure.entry.lower_is_better for pair in comparison.pairs if pair.name == row.measure)
    means = (in_words(comparison.shown(other).mean, style=style) for other in rows if other.mean is not None)
    shown, best = in_words(comparison.shown(row).mean, style=style), (min if lower else max)(means, key=float, default=MISSING)
    number = rf"\textbf{{{shown}}}" if shown == best and row.mean is not None else shown
    if letters:
        both = (other if other.run == row.run else other.turned() for other in rows if row.run in (other.run, other.baseline))
        won = [r for r in both if comparison.significant(r) and ((r.delta or 0) < 0) is lower]
        superscript = joined(sorted((letters[str(other.baseline)] for other in won), key=list(letters.values()).index))
        return number + (f"$^{{{superscript}}}$" if superscript else "")
    if not comparison.significant(row):
        return number
    return number + (r"$^{\uparrow}$" if (row.delta or 0) > 0 else r"$^{\downarrow}$")
