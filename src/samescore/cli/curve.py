"""samescore curve: a measure at several cutoffs, where it flattens, and how much is enough."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .options import add_format, add_policy
from .scoring import add_averaging, add_backend, add_runs, doc_of, expand, score
from .tables import TABLES, as_json

if TYPE_CHECKING:
    from ..tools.curve import Curve

ABOUT = """
output:
  table     a row for each cutoff and a column for each run, and a sentence for each run
  markdown  the same, for a report
  tsv       run, k and value in full precision, with a head
  json      all of it as an object

example:
  samescore curve qrels.txt bm25.txt dense.txt -m R -k 1 -k 5 -k 10 -k 50 -k 100
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    add_runs(parser)
    parser.add_argument("-m", "--measure", default="R", metavar="MEASURE", help="a measure without its cutoff (default: R)")
    text = "a cutoff; may be given several times (default: 1 5 10 20 50 100)"
    parser.add_argument("-k", action="append", type=int, metavar="K", help=text)
    text = "the share of the value at the largest k that is enough (default: 0.95)"
    parser.add_argument("--keep", type=float, default=0.95, metavar="SHARE", help=text)
    text = "it is flat where a doubling of k adds less than this (default: 0.01)"
    parser.add_argument("--flat", type=float, default=0.01, metavar="RISE", help=text)
    add_averaging(parser)
    add_backend(parser)
    add_format(parser, list(FORMATS))
    add_policy(parser)


def run(args: argparse.Namespace) -> int:
    """Score the runs at each cutoff, and print the curve."""
    from ..tools.curve import (
        CUTOFFS,  # these import numpy, which --help does not need
        at_cutoffs,  # these import numpy, which --help does not need
        curve_of,  # these import numpy, which --help does not need
    )

    measures = at_cutoffs(args.measure, args.k or CUTOFFS)
    scored = score(args, expand(args), measures=measures, average=args.average, doc_of=doc_of(args))
    print(FORMATS[args.format](curve_of(dict(scored), args.measure, measures, keep=args.keep, flat=args.flat)))
    return 0


def _as_tsv(found: Curve) -> str:
    """A line for each run and cutoff, in full precision."""
    rows = [[run, str(k), repr(v)] for run, values in found.values.items() for k, v in zip(found.k, values, strict=True)]
    return TABLES["tsv"](["run", "k", found.measure], rows)


def _as_json(found: Curve) -> str:
    """The whole as an object."""
    return as_json(found.to_dict())


FORMATS: Mapping[str, Callable[[Curve], str]] = {
    "table": str,
    "markdown": lambda found: found.to_markdown(),
    "tsv": _as_tsv,
    "json": _as_json,
}
"""How a curve is written."""
