"""Plots: recall by cutoff, differences by query, precision at recall, spread and slices, drawn on an Axes that one brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .averaging import mean
from .errors import InputError, ResultKeyError, short
from .measures import parse
from .plotting.data import Drawn, at, column, drawn, interpolated
from .plotting.style import COLOURS, GREY, PALE, categories, count, figure, finish, hatch, key, literal, log_ticks, save, style
from .slicing import WHOLE, recognise_slices, slice_means

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from .comparison.curves import Curve

__all__ = ["figure", "plot_box", "plot_curve", "plot_deltas", "plot_precision_recall", "plot_slices", "save"]

NAMED, CROWD = 40, 300
"""Up to how many queries each has its id below its bar, and each has a bar."""

FEW = 5
"""With more runs the points of slices are smaller, so that they do not hide their intervals."""


def plot_curve(ax: Axes, results: Curve | Mapping[str, Any], measure: Any = None) -> None:
    """A line for each run: the mean of a measure at every cutoff that the results hold.

    ``results`` is what :func:`samescore.curve` returned, or name -> Result with several cutoffs, such as
    ``evaluate(run, qrels, measures=["R@1", "R@5", "R@10"])``; ``measure`` is the measure without a cutoff: that of the curve,
    else recall. In all plots, values by query that another tool computed can stand for a Result, in any form that
    :func:`samescore.compare` takes: a DataFrame, ir_measures' ``CalcResults``, ranx's ``run.scores``.

    Raises ResultKeyError where a result has no cutoff of the measure, InputError where there is no result.

    >>> from samescore import curve
    >>> fig, ax = figure()
    >>> plot_curve(ax, curve({"bm25": {"q1": ["d1", "d2"]}}, {"q1": {"d2": 1}}, "R", k=[1, 2]))
    >>> ax.get_xlabel(), ax.get_ylabel(), ax.lines[0].get_ydata().tolist()
    ('k', 'mean R@k', [0.0, 1.0])
    """
    asked = parse(measure or getattr(results, "measure", "R"))
    every: set[int] = set()
    for i, run in enumerate(drawn(getattr(results, "results", results))):
        means = {m.cutoff: value for m, value in run.means().items() if m.cutoff and m == run.resolved(at(asked, m.cutoff))}
        if not means:
            raise ResultKeyError(
                f"the result of {short(run.name)} has no {asked} at a cutoff", hint=f"measures=['{at(asked, 10)}']"
            )
        ks = sorted(means)
        ax.plot(ks, [means[k] for k in ks], label=literal(run.name), **style(i))
        every |= set(ks)
    log_ticks(ax, sorted(every))
    finish(ax, f"{asked} by cutoff", "k", f"mean {asked}@k", share=asked.entry.bounded)


def plot_precision_recall(ax: Axes, results: Mapping[str, Any]) -> None:
    """A line for each run: the mean interpolated precision at each level of recall that the results hold.

    ``results`` is name -> Result with ``measures=["IPrec@0.0", "IPrec@0.1", ..., "IPrec@1.0"]``, the eleven points of trec_eval.

    Raises ResultKeyError where a result has no interpolated precision, InputError where there is no result.
    """
    for i, run in enumerate(drawn(results)):
        ax.plot(*zip(*interpolated(run), strict=True), label=literal(run.name), **style(i))
    ax.set_xlim(-0.03, 1.03)
    ax.set_xticks([i / 10 for i in range(11)])
    finish(ax, "Interpolated precision at recall", "recall", "mean IPrec@recall", share=True)


def plot_deltas(
    ax: Axes,
    baseline: Any,
    run: Any,
    measure: Any,
    *,
    names: tuple[str, str] = ("baseline", "run"),
) -> None:
    """A bar for each query that both have: how much better or worse the run is than the baseline, the best first.

    ``names`` are those of the baseline and of the run. Queries are paired by id. Raises ResultKeyError where one lacks the
    measure, InputError where they have no query in common.
    """
    asked = parse(measure)
    before, after = (Drawn.of(name, source).values(asked) for name, source in zip(names, (baseline, run), strict=True))
    deltas = sorted(((after[query] - before[query], query) for query in before if query in after), key=lambda pair: -pair[0])
    if not deltas:
        raise InputError(f"no query has a value of {asked} in both", hint="results of one golden set")
    heights, average = np.array([delta for delta, _ in deltas]), mean(np.array([delta for delta, _ in deltas]))[0]
    signs = ((heights > 0, "better"), (heights < 0, "worse"))
    keys = [_bars(ax, np.flatnonzero(rows), heights[rows], i, f"{int(rows.sum())} {word}") for i, (rows, word) in enumerate(signs)]
    keys.insert(1, ax.axhline(0, color=GREY, linewidth=1.0, label=f"{int((heights == 0).sum())} equal"))
    keys.append(ax.axhline(average, color="black", linestyle="--", linewidth=1.2, label=f"mean {average:+.4f}"))
    _name_bars(ax, [query for _, query in deltas])
    alone = len(before.keys() ^ after.keys())
    left_out = f"; {alone} left out, in one run only" if alone else ""
    base, other = map(literal, names)
    title, below = f"{asked} by query: {other} against {base}", f"{count(len(deltas))}, the best first{left_out}"
    finish(ax, title, below, f"difference in {asked}", grid="y", keys=keys)


def plot_box(ax: Axes, results: Mapping[str, Any], measure: Any) -> None:
    """A box for each run: quartiles of the values by query, whiskers to 1.5 times their range, outliers, and the mean.

    Raises ResultKeyError where a result lacks the measure, InputError where there is no result.
    """
    asked, counts = parse(measure), {}
    for i, run in enumerate(drawn(results)):
        values = list(run.values(asked).values())
        made = ax.boxplot([values], positions=[i], widths=0.6, manage_ticks=False, patch_artist=True, showmeans=True, **_BOX)
        made["boxes"][0].set(facecolor=COLOURS[i % len(COLOURS)], hatch=hatch(i // len(COLOURS)), alpha=0.5)
        counts[run.name] = len(values)
        if i == 0:
            made["medians"][0].set_label("median")
            made["means"][0].set_label("mean")
    finish(ax, f"{asked} by query", "", str(asked), share=asked.entry.bounded, grid="y", beside=True)
    categories(ax, counts)


def plot_slices(ax: Axes, results: Mapping[str, Any], measure: Any, slices: Any = None) -> None:
    """A point for each run in each slice of the queries, and over all: the mean of the measure, and its interval at 95 %.

    ``slices`` is what :func:`samescore.evaluate` takes, {query: label} or a DataFrame; without it, the labels are those that the
    first result was computed with. The mean is over the queries of a slice, and the interval Student's; a micro average where the
    result is one. Raises ResultKeyError
    where a result lacks the measure, InputError where there is no result and where no query has a label.
    """
    asked, runs = parse(measure), drawn(results)
    first = runs[0].scores.result
    labels = recognise_slices(first.labels if slices is None and first is not None else slices)
    series = [run.values(asked) for run in runs]
    queries = list(dict.fromkeys(query for own in series for query in own))
    members = labels.masks(queries)
    if not any(mask.any() for name, mask in members.items() if name != WHOLE):
        raise InputError("no query has a label", hint="slices={query: label}")
    for i, (run, own) in enumerate(zip(runs, series, strict=True)):
        denominators = run.weights(asked)
        weights = None if denominators is None else column(denominators, queries)
        told = [row for row in slice_means({str(asked): asked}, column(own, queries), weights, members) if row.queries]
        places = np.array([list(members).index(row.slice) for row in told]) + (i - (len(runs) - 1) / 2) * min(0.15, 0.7 / len(runs))
        reach = [[row.mean - row.low for row in told], [row.high - row.mean for row in told]]
        look = style(i) | {"linestyle": "none", "markersize": 8 if len(runs) <= FEW else 5}
        ax.errorbar(places, [row.mean for row in told], yerr=reach, label=literal(run.name), elinewidth=1.2, capsize=3, **look)
    for place in range(1, len(members)):
        ax.axvline(place - 0.5, color=PALE, linewidth=0.8)
    finish(ax, f"{asked} by slice", "", f"mean {asked}, interval at 95 %", share=asked.entry.bounded, grid="y", beside=True)
    categories(ax, {name: int(mask.sum()) for name, mask in members.items()})


_BOX: dict[str, Any] = {
    "medianprops": {"color": "black", "linewidth": 1.6},
    "meanprops": {"marker": "D", "markerfacecolor": "white", "markeredgecolor": "black", "markersize": 6},
    "flierprops": {"marker": ".", "markersize": 4, "markerfacecolor": GREY, "markeredgecolor": GREY},
}


def _bars(ax: Axes, places: np.ndarray, heights: np.ndarray, i: int, label: str) -> Artist:
    """Bars, or one filled outline where they are too many to tell apart; and what stands for them in the legend."""
    look: dict[str, Any] = {"facecolor": COLOURS[i], "hatch": hatch(i), "edgecolor": "white", "linewidth": 0}
    if len(places) > CROWD:
        ax.fill_between(places, heights, step="mid", **look)
    else:
        ax.bar(places, heights, width=0.9, **look)
    return key(label, **look)


def _name_bars(ax: Axes, queries: Sequence[str]) -> None:
    """The ids of the queries below their bars, where there is room."""
    ax.set_xlim(-1, len(queries))
    if len(queries) > NAMED:
        ax.set_xticks([])
        return
    ax.set_xticks(range(len(queries)), [literal(query, 24) for query in queries], rotation=90, fontsize="x-small")
