"""samescore plot: runs scored and drawn, to PNG or SVG."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import InputError, SamescoreWarning
from .lines import read_labels
from .options import add_policy
from .scoring import add_averaging, add_backend, add_runs, doc_of, expand, score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..result import Result

ABOUT = """
kinds:
  curve             a measure (-m, default R) at each cutoff (-k, default 1 5 10 20 50 100), a line for each run
  deltas            how much better or worse the second run is than the first, a bar for each query (-m, default nDCG@10)
  precision-recall  interpolated precision at eleven levels of recall, a line for each run
  box               the spread of a measure over the queries, a box for each run (-m, default nDCG@10)
  slices            the mean of a measure in each slice of the queries (--slices), a point for each run (-m, default nDCG@10)

examples:
  samescore plot curve qrels.txt bm25.txt dense.txt -k 1 -k 5 -k 10 -k 50 -o recall.svg
  samescore plot deltas qrels.txt bm25.txt dense.txt -m nDCG@10 -o deltas.png
"""

MANY = 8
"""With more runs the plot is wider."""

LEVELS = [f"IPrec@{i / 10}" for i in range(11)]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of plot: its measure where none is asked, the measures that it needs, and how it is drawn."""

    default: str
    needs: Callable[[str, argparse.Namespace], Sequence[object]]
    draw: Callable[[Axes, Mapping[str, Result], str, argparse.Namespace], None]


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    parser.add_argument("kind", metavar="KIND", choices=list(KINDS), help=", ".join(KINDS))
    add_runs(parser)
    parser.add_argument("-m", "--measure", metavar="MEASURE", help="the measure to draw, without its cutoff for a curve")
    parser.add_argument("-k", action="append", type=int, metavar="K", help="a cutoff of a curve; may be given several times")
    parser.add_argument("--slices", metavar="FILE", help="a query, a tab and its label a line, or a JSON object {query: label}")
    add_averaging(parser)
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="where the plot is written: .png or .svg")
    parser.add_argument("--format", choices=("png", "svg"), help="how it is written (default: by the ending of FILE)")
    add_backend(parser)
    add_policy(parser)


def run(args: argparse.Namespace) -> int:
    """Score the runs, and draw them."""
    from ..tools.plots import (
        figure,
        form_of,
        save,
    )
    from ..tools.runs import named_runs  # these import numpy, which --help does not need

    form, kind = form_of(args.output, args.format), KINDS[args.kind]
    measure, called = args.measure or kind.default, expand(args)
    needed = kind.needs(measure, args)
    fig, ax = figure(width=10.0 if len(called) > MANY else 7.0)
    named_runs(list(zip(called, args.runs, strict=True)))  # which refuses two of one name before anything is scored
    kind.draw(ax, dict(score(args, called, measures=needed, average=args.average, doc_of=doc_of(args))), measure, args)
    with _lacking_characters():
        save(fig, args.output, form)
    print(args.output)
    return 0


@contextmanager
def _lacking_characters() -> Iterator[None]:
    """Say once, and not for each character, that the font lacks some of a name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    lacking = [told for told in caught if str(told.message).startswith("Glyph")]
    for told in caught:
        if told not in lacking:
            warnings.warn_explicit(told.message, told.category, told.filename, told.lineno)
    if lacking:
        what = f"the font has no sign for {len({str(told.message) for told in lacking})} characters of the names, drawn as boxes"
        warnings.warn(f"{what}: font.sans-serif in a matplotlibrc file names other fonts", SamescoreWarning, stacklevel=2)


def _curve(ax: Axes, results: Mapping[str, Result], measure: str, args: argparse.Namespace) -> None:
    from ..tools.plots import plot_curve

    plot_curve(ax, results, measure)


def _deltas(ax: Axes, results: Mapping[str, Result], measure: str, args: argparse.Namespace) -> None:
    from ..tools.plots import plot_deltas

    base, other = results
    plot_deltas(ax, results[base], results[other], measure, names=(base, other))


def _precision_recall(ax: Axes, results: Mapping[str, Result], measure: str, args: argparse.Namespace) -> None:
    from ..tools.plots import plot_precision_recall

    plot_precision_recall(ax, results)


def _box(ax: Axes, results: Mapping[str, Result], measure: str, args: argparse.Namespace) -> None:
    from ..tools.plots import plot_box

    plot_box(ax, results, measure)


def _slices(ax: Axes, results: Mapping[str, Result], measure: str, args: argparse.Namespace) -> None:
    from ..tools.plots import plot_slices

    plot_slices(ax, results, measure, read_labels(args.slices))


def _at_cutoffs(measure: str, args: argparse.Namespace) -> Sequence[object]:
    """The measure at each cutoff."""
    from ..tools.curve import (
        CUTOFFS,
        at_cutoffs,
    )

    return at_cutoffs(measure, args.k or CUTOFFS)


def _of_two(measure: str, args: argparse.Namespace) -> list[str]:
    """The measure, where there are two runs."""
    if len(args.runs) != 2:
        raise InputError(f"deltas are of two runs, not {len(args.runs)}", hint="samescore plot deltas QRELS BASELINE RUN")
    return [measure]


def _sliced(measure: str, args: argparse.Namespace) -> list[str]:
    """The measure, where there are slices."""
    if args.slices is None:
        raise InputError("slices need a file of labels", hint="--slices labels.tsv")
    return [measure]


def _alone(measure: str, args: argparse.Namespace) -> list[str]:
    return [measure]


def _levels(measure: str, args: argparse.Namespace) -> list[str]:
    return LEVELS


KINDS: Mapping[str, Kind] = {
    "curve": Kind("R", _at_cutoffs, _curve),
    "deltas": Kind("nDCG@10", _of_two, _deltas),
    "precision-recall": Kind("IPrec", _levels, _precision_recall),
    "box": Kind("nDCG@10", _alone, _box),
    "slices": Kind("nDCG@10", _sliced, _slices),
}
"""Kind -> how it is made."""
