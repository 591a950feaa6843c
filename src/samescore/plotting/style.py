"""Plot style: colours and markers that tell runs apart, and the titles, labels and legend that every plot has."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..errors import InputError, InputTypeError, MissingLibraryError, short

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The colours of Okabe and Ito (2008), which colour-blind people can tell apart, without the yellow that white swallows."""

MARKERS, LINES, HATCHES = ("o", "s", "^", "D", "v", "P", "X", "*"), ("-", "--", "-.", ":"), ("", "///", "...", "xx", "\\\\\\")
GREY, PALE = "#666666", "#dddddd"

ENDINGS = ("png", "svg")

BESIDE = 8
"""With more runs the legend stands beside the plot."""

LINE_LENGTH, TITLE_LENGTH, LONGEST = 76, 64, 32
"""Characters that fit on a line of tick labels, on a line of the title, and into a name."""


def figure(*, width: float = 7.0, height: float = 4.5) -> tuple[Figure, Axes]:
    """A figure with one Axes, in inches, without the global state of pyplot.

    Raises MissingLibraryError where matplotlib is not installed.

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
    wanted = form or Path(path).suffix.lower().removeprefix(".")
    if wanted not in ENDINGS:
        what = f"a plot cannot be written as {wanted}" if wanted else "the name has no ending that says how to write the plot"
        raise InputError(what, where=str(path), hint=" or ".join(f"plot.{ending}" for ending in ENDINGS))
    return wanted


def save(fig: Figure, path: str | os.PathLike[str], form: str | None = None) -> None:
    """Write a figure as PNG or SVG; the same plot is the same file.

    Raises InputError where the form is another, and where the file cannot be written.
    """
    import matplotlib  # noqa: PLC0415  # whoever has a figure has it imported

    wanted = form_of(path, form)
    try:
        with matplotlib.rc_context({"svg.hashsalt": "samescore"}):
            fig.savefig(path, format=wanted, metadata={"Date": None} if wanted == "svg" else None)
    except OSError as error:
        what = f"the file cannot be written: {error.strerror or error}"
        raise InputError(what, where=str(path), hint="check the folder") from None


def key(label: str, **look: Any) -> Artist:
    """What stands for an area in a legend."""
    from matplotlib.patches import Patch  # noqa: PLC0415  # whoever has an Axes has it imported

    return Patch(label=label, **look)


def style(i: int) -> dict[str, Any]:
    """The colour, marker and line of the i-th run; no two of the first 56 share all three."""
    line = LINES[(i + i // len(COLOURS)) % len(LINES)]
    return {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)], "linestyle": line, "markersize": 5}


def hatch(i: int) -> str:
    """The hatching of the i-th run."""
    return HATCHES[i % len(HATCHES)]


def literal(text: str, width: int = LONGEST) -> str:
    """Text that matplotlib shows as it is, cut in the middle if it is long: no mathematics, no name that a legend leaves out."""
    cut = text if len(text) <= width else f"{text[: width // 2]}…{text[-(width // 3) :]}"
    shown = cut.replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def log_ticks(ax: Axes, ks: Sequence[int]) -> None:
    """A tick at each cutoff, on a scale of logarithms where they are far apart."""
    if ks[-1] >= 20 * ks[0]:
        ax.set_xscale("log")
    ax.set_xticks(ks, [str(k) for k in ks])
    ax.minorticks_off()


def categories(ax: Axes, counts: Mapping[str, int]) -> None:
    """A name and a number of queries below each of several places, slanted where they would run into each other."""
    places, names = range(len(counts)), [literal(name) for name in counts]
    if max(*map(len, names), len("1000 queries")) * len(names) > LINE_LENGTH:
        slanted = [f"{name} ({n})" for name, n in zip(names, counts.values(), strict=True)]
        ax.set_xticks(places, slanted, rotation=30, ha="right", rotation_mode="anchor", fontsize="small")
        ax.set_xlabel("(number of queries)", loc="right", fontsize="small")
    else:
        ax.set_xticks(places, [f"{name}\n{count(n)}" for name, n in zip(names, counts.values(), strict=True)])
    ax.set_xlim(-0.5, len(names) - 0.5)


def finish(
    ax: Axes,
    title: str,
    x: str,
    y: str,
    *,
    share: bool = False,
    grid: str = "both",
    keys: Sequence[Artist] = (),
    beside: bool = False,
) -> None:
    """Title, labels, grid and legend (of ``keys``, or of all that has a label); a ``share`` runs from 0 to 1."""
    ax.set_title("\n".join(wrap(title, TITLE_LENGTH)))
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if share:
        ax.set_ylim(-0.03, 1.03)
    ax.grid(visible=True, axis=grid, color=PALE, linewidth=0.6)  # type: ignore[arg-type]  # a Literal in matplotlib
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    handles = list(keys) or ax.get_legend_handles_labels()[0]
    outside: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    place = outside if beside or len(handles) > BESIDE else {"loc": "best"}
    ax.legend(handles=handles, frameon=True, framealpha=0.9, fontsize="small", handlelength=3.2, **place)


def count(queries: int) -> str:
    """How many queries, in words."""
    return f"{queries} {'query' if queries == 1 else 'queries'}"
