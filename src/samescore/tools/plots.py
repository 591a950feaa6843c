"""Plots: recall by cutoff, differences by query, precision at recall, spread and slices, drawn on an Axes that one brings."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..averaging import Mask, mean
from ..display import plural
from ..errors import InputError, InputTypeError, MissingLibraryError, ResultKeyError, examples, plain, setting, short
from ..evaluation import DEFAULT
from ..intervals import Interval, mean_interval
from ..measures import Measure, parse
from ..policy import Policy
from ..rankspace import Floats
from ..result import Result
from ..slices import ALL_QUERIES, SliceMean, recognise_slices, slice_means
from ..writing import write_files
from .curve import CUTOFFS, Curve, at_cutoffs
from .runs import evaluate_runs, named_runs, of_run
from .scores import Scores, column_key, scores_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The colours of Okabe and Ito (2008), which colour-blind people can tell apart, without the yellow that white swallows."""

MARKERS, LINES, HATCHES = ("o", "s", "^", "D", "v", "P", "X", "*"), ("-", "--", "-.", ":"), ("", "///", "...", "xx", "\\\\\\")

GREY, PALE = "#666666", "#dddddd"

BESIDE = 8
"""With more runs the legend stands beside the plot."""

NAMED, CROWD = 40, 300
"""Up to how many queries each has its id below its bar, and each has a bar."""

LINE_LENGTH, TITLE_LENGTH, LONGEST = 76, 64, 32
"""Characters that fit on a line of tick labels, on a line of the title, and into a name."""


# What is drawn


@dataclass(frozen=True, slots=True)
class Series:
    """A run in a plot: its name, its values by query, and the policy by which measures are meant."""

    name: str
    scores: Scores
    policy: Policy

    @classmethod
    def of(cls, name: str, source: Any) -> Series:
        """A Result, or other values by query as :func:`samescore.compare` takes them.

        Raises InputTypeError for what is neither, InputError for values that are no numbers or there twice.
        """
        policy = source.policy if isinstance(source, Result) else Policy()
        with of_run(name):
            scores = scores_of(source, policy)
            if scores is None:
                raise InputTypeError(f"no values by query: {short(source)}", hint="{'bm25': evaluate(run, qrels)}")
        return cls(name, scores, policy)

    def key(self, measure: Measure) -> Measure:
        """What a measure's values are found by."""
        return column_key(self.policy.resolve(measure))

    def values(self, measure: Measure) -> Mapping[str, float]:
        """Query -> value. Raises ResultKeyError where the measure is not there."""
        values = self.scores.values.get(self.key(measure))
        if values is None:
            has = examples(map(str, self.scores.values), 8)
            raise ResultKeyError(f"the result of {short(self.name)} has no {measure}", hint=has)
        return values

    def means(self) -> dict[Measure, float]:
        """The mean of each measure, NaN over no query; of a Result, as it has it."""
        result = self.scores.result
        if result is not None:
            return {column_key(column.resolved): column.shown for column in result.columns.values()}
        return {measure: mean(np.array(list(column.values()), dtype=float))[0] for measure, column in self.scores.values.items()}

    def interval(self, measure: Measure) -> Interval:
        """The interval of the mean of a measure at 95 %."""
        values = self.values(measure)
        weights = None if self.scores.weights is None else _column(self.scores.weights[self.key(measure)], list(values))
        return mean_interval(np.array(list(values.values()), dtype=float), weights, bounded=measure.entry.bounded)

    def by_cutoff(self, uncut: Measure) -> dict[int, float]:
        """Cutoff -> the mean of a measure there, in order. Raises ResultKeyError where it is there at no cutoff."""
        means = {m.cutoff: mean for m, mean in self.means().items() if m.cutoff and m == self.key(replace(uncut, cutoff=m.cutoff))}
        if not means:
            hint = setting("measures", [str(replace(uncut, cutoff=10))])
            raise ResultKeyError(f"the result of {short(self.name)} has no {uncut} at a cutoff", hint=hint)
        return dict(sorted(means.items()))

    def by_recall(self) -> dict[float, float]:
        """Recall -> the mean interpolated precision there, in order. Raises ResultKeyError where there is none."""
        levels = {m: m.get("recall") for m in self.means() if m.name == "IPrec"}
        without_params = {level: m for m, level in levels.items() if m == self.key(parse(f"IPrec@{level}"))}
        means = {float(level): self.means()[m] for level, m in without_params.items() if isinstance(level, (int, float))}
        if not means:
            what = f"the result of {short(self.name)} has no interpolated precision"
            raise ResultKeyError(what, hint=setting("measures", ["IPrec@0.0", "IPrec@0.1"]))
        return dict(sorted(means.items()))

    def by_slice(self, measure: Measure, queries: Sequence[str], masks: Mapping[str, Mask]) -> list[SliceMean]:
        """The mean of a measure in each slice of some queries that has a value."""
        weights = None if self.scores.weights is None else _column(self.scores.weights[self.key(measure)], queries)
        means = slice_means(str(measure), measure, _column(self.values(measure), queries), weights, masks)
        return [row for row in means if row.queries]


def _column(values: Mapping[str, float], queries: Sequence[str]) -> Floats:
    """The values of some queries, NaN where there is none."""
    return np.array([values.get(query, np.nan) for query in queries])


def _series(results: Any) -> list[Series]:
    """The runs of a plot, at least one.

    Raises InputError where there is none, InputTypeError where they have no names.
    """
    if not isinstance(results, Mapping):
        raise InputTypeError(f"results are {short(results)}", hint="{'bm25': evaluate(run, qrels)}")
    if not results:
        raise InputError("there is no result to plot", hint="{'bm25': evaluate(run, qrels)}")
    return [Series.of(str(name), source) for name, source in results.items()]


# Figures

ENDINGS = ("png", "svg")


def figure(*, width: float = 7.0, height: float = 4.5) -> tuple[Figure, Axes]:
    """Make a figure with one Axes, without the global state of pyplot.

    Parameters
    ----------
    width, height : float
        The size in inches.

    Returns
    -------
    tuple of matplotlib.figure.Figure and matplotlib.axes.Axes

    Raises
    ------
    MissingLibraryError
        Where matplotlib is not installed.

    Examples
    --------
    >>> fig, ax = figure(width=4)
    >>> fig.axes == [ax]
    True
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  # takes long to import, and only plots need it
    except ImportError as error:
        raise MissingLibraryError(f"plots need matplotlib: {error}", hint="pip install 'samescore[plots]'") from error
    made = Figure(figsize=(width, height), dpi=150, layout="constrained")
    return made, made.add_subplot()


def form_of(path: str | os.PathLike[str], form: str | None = None) -> str:
    """How a figure is written, PNG or SVG: the form, or by the ending of the file's name.

    Raises InputError for another form.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise InputTypeError(f"the path of the plot is {short(path)}", hint="'plot.svg'")
    ending = form or Path(path).suffix.lower().removeprefix(".")
    if ending not in ENDINGS:
        what = f"a plot cannot be written as {ending}" if ending else "the name has no ending that says how to write the plot"
        raise InputError(what, file=path, hint=" or ".join(f"plot.{ending}" for ending in ENDINGS))
    return ending


def save(
    fig: Figure, path: str | os.PathLike[str], form: str | None = None, *, inputs: Iterable[Any] = (), force: bool = False
) -> None:
    """Write a figure as PNG or SVG; the same plot is the same file.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        The figure.
    path : str or path
        The file.
    form : {"png", "svg"}, optional
        How it is written; by default as the ending of the file's name says.
    inputs : iterable, optional
        What the figure was made from, of which no file is overwritten.
    force : bool
        Whether files of ``inputs`` may be overwritten all the same.

    Raises
    ------
    InputError
        Where the form is another.
    WriteError
        Where the file cannot be written.
    """
    import matplotlib  # noqa: PLC0415  # whoever has a figure has it imported

    ending = form_of(path, form)
    drawn = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "samescore"}):
        fig.savefig(drawn, format=ending, metadata={"Date": None} if ending == "svg" else None)
    write_files({path: drawn.getvalue()}, inputs=inputs, force=force, make_folders=False)


# Plots

MANY_RUNS = 5
"""With more runs the points of slices are smaller, so that they do not hide their intervals."""

BOX: Mapping[str, Any] = {
    "medianprops": {"color": "black", "linewidth": 1.6},
    "meanprops": {"marker": "D", "markerfacecolor": "white", "markeredgecolor": "black", "markersize": 6},
    "flierprops": {"marker": ".", "markersize": 4, "markerfacecolor": GREY, "markeredgecolor": GREY},
}


def plot_curve(ax: Axes, results: Curve | Mapping[str, Any], measure: Any = None) -> None:
    """Draw a line for each run: the mean of a measure at every cutoff that the results hold, and a band, its interval at 95 %.

    In all plots, values by query that another tool computed can stand for a Result, in any form that
    :func:`samescore.compare` takes: a DataFrame, ir_measures' ``CalcResults``, ranx's ``run.scores``.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        What is drawn on.
    results : Curve or mapping
        What :func:`samescore.curve` returned, or name -> Result with several cutoffs, such as
        ``evaluate(run, qrels, measures=["R@1", "R@5", "R@10"])``.
    measure : str or Measure, optional
        The measure without a cutoff: that of the curve, else recall.

    Raises
    ------
    ResultKeyError
        Where a result has no cutoff of the measure.
    InputError
        Where there is no result.

    Examples
    --------
    >>> from samescore import curve
    >>> fig, ax = figure()
    >>> plot_curve(ax, curve({"bm25": {"q1": ["d1", "d2"]}}, {"q1": {"d2": 1}}, "R", k=[1, 2]))
    >>> ax.get_xlabel(), ax.get_ylabel(), ax.lines[0].get_ydata().tolist()
    ('k', 'mean R@k', [0.0, 1.0])
    """
    parsed = parse(measure or getattr(results, "measure", "R"))
    cutoffs: set[int] = set()
    for i, run in enumerate(_series(getattr(results, "results", results))):
        means = run.by_cutoff(parsed)
        (line,) = ax.plot(list(means), list(means.values()), label=_literal(run.name), **_style(i))
        low, high = np.array([tuple(run.interval(replace(parsed, cutoff=k))) for k in means]).T
        ax.fill_between(list(means), low, high, color=line.get_color(), alpha=0.12, linewidth=0)
        cutoffs |= means.keys()
    _log_ticks(ax, sorted(cutoffs))
    _finish(ax, f"{parsed} by cutoff", "k", f"mean {parsed}@k", share=parsed.entry.bounded)


def plot_precision_recall(ax: Axes, results: Mapping[str, Any]) -> None:
    """Draw a line for each run: the mean interpolated precision at each level of recall that the results hold.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        What is drawn on.
    results : mapping
        Name -> Result, or values by query as for :func:`plot_curve`, with
        ``measures=["IPrec@0.0", "IPrec@0.1", ..., "IPrec@1.0"]``, the eleven points of trec_eval.

    Raises
    ------
    ResultKeyError
        Where a result lacks interpolated precision.
    InputError
        Where there is no result.
    """
    for i, run in enumerate(_series(results)):
        means = run.by_recall()
        ax.plot(list(means), list(means.values()), label=_literal(run.name), **_style(i))
    ax.set_xlim(-0.03, 1.03)
    ax.set_xticks([i / 10 for i in range(11)])
    _finish(ax, "Interpolated precision at recall", "recall", "mean IPrec@recall", share=True)


def plot_deltas(ax: Axes, baseline: Any, run: Any, measure: Any, *, names: tuple[str, str] = ("baseline", "run")) -> None:
    """Draw a bar for each query that both have: how much better or worse the run is than the baseline, the best first.

    Queries are paired by id.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        What is drawn on.
    baseline, run : Result
        What is compared, or values by query as for :func:`plot_curve`.
    measure : str or Measure
        The measure to draw.
    names : tuple of two str
        Those of the baseline and of the run.

    Raises
    ------
    ResultKeyError
        Where one lacks the measure.
    InputError
        Where they have no query in common.
    """
    parsed = parse(measure)
    before, after = (Series.of(name, source).values(parsed) for name, source in zip(names, (baseline, run), strict=True))
    deltas = sorted(((query, after[query] - before[query]) for query in before if query in after), key=lambda pair: -pair[1])
    if not deltas:
        raise InputError(f"no query has a value of {parsed} in both", hint="results of one golden set")
    heights = np.array([delta for _, delta in deltas])
    average, better, worse = mean(heights)[0], heights > 0, heights < 0
    keys = [
        _bars(ax, better, heights, 0, f"{int(better.sum())} better"),
        ax.axhline(0, color=GREY, linewidth=1.0, label=f"{int((heights == 0).sum())} equal"),
        _bars(ax, worse, heights, 1, f"{int(worse.sum())} worse"),
        ax.axhline(average, color="black", linestyle="--", linewidth=1.2, label=f"mean {average:+.4f}"),
    ]
    _name_bars(ax, [query for query, _ in deltas])
    alone = len(before.keys() ^ after.keys())
    left_out = f"; {alone} left out, in one run only" if alone else ""
    base, other = map(_literal, names)
    title, below = f"{parsed} by query: {other} against {base}", f"{plural(len(deltas))}, the best first{left_out}"
    _finish(ax, title, below, f"difference in {parsed}", grid="y", keys=keys)


def plot_box(ax: Axes, results: Mapping[str, Any], measure: Any) -> None:
    """Draw a box for each run: quartiles of the values by query, whiskers to 1.5 times their range, outliers, and the mean.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        What is drawn on.
    results : mapping
        Name -> Result, or values by query as for :func:`plot_curve`.
    measure : str or Measure
        The measure to draw.

    Raises
    ------
    ResultKeyError
        Where a result lacks the measure.
    InputError
        Where there is no result.
    """
    parsed, counts = parse(measure), {}
    for i, run in enumerate(_series(results)):
        values = list(run.values(parsed).values())
        box = ax.boxplot([values], positions=[i], widths=0.6, manage_ticks=False, patch_artist=True, showmeans=True, **BOX)
        box["boxes"][0].set(facecolor=COLOURS[i % len(COLOURS)], hatch=HATCHES[i // len(COLOURS) % len(HATCHES)], alpha=0.5)
        counts[run.name] = len(values)
        if i == 0:
            box["medians"][0].set_label("median")
            box["means"][0].set_label("mean")
    _finish(ax, f"{parsed} by query", "", str(parsed), share=parsed.entry.bounded, grid="y", beside=True)
    _categories(ax, counts)


def plot_slices(ax: Axes, results: Mapping[str, Any], measure: Any, slices: Any = None) -> None:
    """Draw a point for each run in each slice of the queries, and over all: the mean of the measure, and its interval at 95 %.

    The mean is over the queries of a slice, and the interval by the method that holds for its values
    (:func:`samescore.interval`); a micro average where the result is one.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        What is drawn on.
    results : mapping
        Name -> Result, or values by query as for :func:`plot_curve`.
    measure : str or Measure
        The measure to draw.
    slices : mapping or DataFrame, optional
        Query -> label, as :func:`samescore.evaluate` takes it; by default the labels that the first result was computed with.

    Raises
    ------
    ResultKeyError
        Where a result lacks the measure.
    InputError
        Where there is no result and where no query has a label.
    """
    parsed, runs = parse(measure), _series(results)
    first = runs[0].scores.result
    labels = recognise_slices(first.labels if slices is None and first is not None else slices)
    queries = list(dict.fromkeys(query for run in runs for query in run.values(parsed)))
    masks = labels.masks(queries)
    if not any(mask.any() for name, mask in masks.items() if name != ALL_QUERIES):
        raise InputError("no query has a label", hint=setting("slices", {"q1": "label"}))
    place, size = {name: i for i, name in enumerate(masks)}, 8 if len(runs) <= MANY_RUNS else 5
    for i, run in enumerate(runs):
        rows, shift = run.by_slice(parsed, queries, masks), (i - (len(runs) - 1) / 2) * min(0.15, 0.7 / len(runs))
        places, means = [place[row.slice] + shift for row in rows], [row.mean for row in rows]
        reach = [[row.mean - row.low for row in rows], [row.high - row.mean for row in rows]]
        look = _style(i) | {"linestyle": "none", "markersize": size}
        ax.errorbar(places, means, yerr=reach, label=_literal(run.name), elinewidth=1.2, capsize=3, **look)
    for between in range(1, len(masks)):
        ax.axvline(between - 0.5, color=PALE, linewidth=0.8)
    _finish(ax, f"{parsed} by slice", "", f"mean {parsed}, interval at 95 %", share=parsed.entry.bounded, grid="y", beside=True)
    _categories(ax, {name: int(mask.sum()) for name, mask in masks.items()})


# From runs to a figure


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of plot: the measure that is drawn where none is named, the measures that it needs, and how it is drawn."""

    measure: str
    needs: Callable[[str, Iterable[int]], Sequence[object]]
    draw: Callable[[Axes, Mapping[str, Result], str, Any], None]


KINDS: Mapping[str, Kind] = {
    "curve": Kind("R", at_cutoffs, lambda ax, results, measure, slices: plot_curve(ax, results, measure)),
    "deltas": Kind("nDCG@10", lambda measure, k: [measure], lambda ax, results, measure, slices: _plot_two(ax, results, measure)),
    "precision-recall": Kind(
        "IPrec",
        lambda measure, k: [f"IPrec@{i / 10}" for i in range(11)],
        lambda ax, results, measure, slices: plot_precision_recall(ax, results),
    ),
    "box": Kind("nDCG@10", lambda measure, k: [measure], lambda ax, results, measure, slices: plot_box(ax, results, measure)),
    "slices": Kind("nDCG@10", lambda measure, k: [measure], plot_slices),
}
"""The plots that :func:`plot` makes."""


def _plot_two(ax: Axes, results: Mapping[str, Result], measure: str) -> None:
    """How much better or worse the second run is than the first, by query."""
    (base, before), (other, after) = results.items()
    plot_deltas(ax, before, after, measure, names=(base, other))


def plot(
    kind: str,
    runs: Any,
    qrels: Any,
    measure: str | None = None,
    k: Iterable[int] = CUTOFFS,
    *,
    slices: Any = None,
    average: Literal["macro", "micro"] = "macro",
    doc_of: Any = None,
    policy: Policy = DEFAULT,
    backend: Any = "auto",
) -> Figure:
    """Score runs and draw them.

    Parameters
    ----------
    kind : {"curve", "deltas", "precision-recall", "box", "slices"}
        What is drawn: deltas are those of two runs, the first being the baseline.
    runs
        Those of :func:`samescore.compare`.
    measure : str, optional
        The measure to draw, without its cutoff for a curve; recall for a curve, else nDCG@10.
    k : iterable of int
        The cutoffs of a curve.
    qrels, slices, average, doc_of, policy, backend
        Those of :func:`samescore.evaluate`.

    Returns
    -------
    matplotlib.figure.Figure
        To be written with :func:`save`.

    Raises
    ------
    InputError
        For another kind, deltas of more or fewer than two runs and slices without labels.
    SamescoreError
        What :func:`samescore.evaluate` raises.

    Examples
    --------
    >>> fig = plot("box", {"bm25": {"q1": ["d1", "d2"]}}, {"q1": {"d2": 1}}, "RR")
    >>> fig.axes[0].get_title()
    'RR by query'
    """
    if kind not in list(KINDS):
        raise InputError(f"there is no plot of kind {short(kind)}", hint=", ".join(KINDS))
    named, chosen = named_runs(runs), KINDS[kind]
    if kind == "deltas" and len(named) != 2:
        raise InputError(f"deltas are of two runs, not {len(named)}", hint="two runs, the baseline first")
    if kind == "slices" and slices is None:
        raise InputError("slices need labels", hint=setting("slices", {"q1": "long"}))
    name = measure or chosen.measure
    fig, ax = figure(width=10.0 if len(named) > BESIDE else 7.0)
    options = {"average": average, "doc_of": doc_of, "policy": policy, "backend": backend}
    chosen.draw(ax, evaluate_runs(named, qrels, measures=chosen.needs(name, k), **options), name, slices)
    return fig


# How it looks


def _style(i: int) -> dict[str, Any]:
    """The colour, marker and line of the i-th run; no two of the first 56 share all three."""
    line = LINES[(i + i // len(COLOURS)) % len(LINES)]
    return {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)], "linestyle": line, "markersize": 5}


def _literal(text: str, width: int = LONGEST) -> str:
    """Text that matplotlib shows as it is, cut in the middle if it is long: no mathematics, no name that a legend leaves out."""
    text = plain(text)  # a control character has no place in SVG
    cut = text if len(text) <= width else f"{text[: width // 2]}…{text[-(width // 3) :]}"
    shown = cut.replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def _log_ticks(ax: Axes, ks: Sequence[int]) -> None:
    """A tick at each cutoff, on a scale of logarithms where they are far apart."""
    if ks[-1] >= 20 * ks[0]:
        ax.set_xscale("log")
    ax.set_xticks(ks, [str(k) for k in ks])
    ax.minorticks_off()


def _categories(ax: Axes, counts: Mapping[str, int]) -> None:
    """A name and a number of queries below each of several places, slanted where they would run into each other."""
    places, names = range(len(counts)), [_literal(name) for name in counts]
    if max(*map(len, names), len("1000 queries")) * len(names) > LINE_LENGTH:
        slanted = [f"{name} ({n})" for name, n in zip(names, counts.values(), strict=True)]
        ax.set_xticks(places, slanted, rotation=30, ha="right", rotation_mode="anchor", fontsize="small")
        ax.set_xlabel("(number of queries)", loc="right", fontsize="small")
    else:
        ax.set_xticks(places, [f"{name}\n{plural(n)}" for name, n in zip(names, counts.values(), strict=True)])
    ax.set_xlim(-0.5, len(names) - 0.5)


def _bars(ax: Axes, which: Mask, heights: Floats, i: int, label: str) -> Artist:
    """Some of the bars, or one filled outline where they are too many to tell apart; and what stands for them in the legend."""
    from matplotlib.patches import Patch  # noqa: PLC0415  # whoever has an Axes has it imported

    look: dict[str, Any] = {"facecolor": COLOURS[i], "hatch": HATCHES[i], "edgecolor": "white", "linewidth": 0}
    places = np.flatnonzero(which)
    if len(places) > CROWD:
        ax.fill_between(places, heights[which], step="mid", **look)
    else:
        ax.bar(places, heights[which], width=0.9, **look)
    return Patch(label=label, **look)


def _name_bars(ax: Axes, queries: Sequence[str]) -> None:
    """The ids of the queries below their bars, where there is room."""
    ax.set_xlim(-1, len(queries))
    if len(queries) > NAMED:
        ax.set_xticks([])
        return
    ax.set_xticks(range(len(queries)), [_literal(query, 24) for query in queries], rotation=90, fontsize="x-small")


def _finish(
    ax: Axes,
    title: str,
    x: str,
    y: str,
    *,
    share: bool = False,
    grid: Literal["both", "y"] = "both",
    keys: Sequence[Artist] = (),
    beside: bool = False,
) -> None:
    """Title, labels, grid and legend (of ``keys``, or of all that has a label); a ``share`` runs from 0 to 1."""
    ax.set_title("\n".join(wrap(title, TITLE_LENGTH)))
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if share:
        ax.set_ylim(-0.03, 1.03)
    ax.grid(visible=True, axis=grid, color=PALE, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    handles = list(keys) or ax.get_legend_handles_labels()[0]
    outside: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    place = outside if beside or len(handles) > BESIDE else {"loc": "best"}
    ax.legend(handles=handles, frameon=True, framealpha=0.9, fontsize="small", handlelength=3.2, **place)
