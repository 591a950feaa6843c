"""samescore crosscheck: hold every backend against the reference."""

from __future__ import annotations

import argparse

from .options import add_format, add_policy, policy_of
from .progress import Progress
from .reading import add_sources, sources
from .scoring import add_measures, backends_of, measures_of, named
from .showing import FORMS

ABOUT = """
Every backend that has a measure computes it from one ranking of the run, and each value of each query is compared with the
reference: to 1e-9, or to the resolution that a backend declares where its tool prints few decimals. A gap is shown by its kind.
Without --backend all that are installed take part, ir_measures' other providers among them.

exit code: 0 if everything agrees, 1 if something differs, 2 for bad input.

examples:
  samescore crosscheck qrels.txt run.txt
  samescore crosscheck qrels.txt run.txt -m nDCG@10 -m RR --backend ranx --backend mypackage.scores:Backend
"""

DIFFERS = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    add_sources(parser)
    add_measures(parser)
    text = "a backend, or package.module:Object; may be given several times (default: all that are installed)"
    parser.add_argument("--backend", dest="backends", action="append", metavar="NAME", help=text)
    add_format(parser, list(FORMS))
    add_policy(parser)


def run(args: argparse.Namespace) -> int:
    """Check, print the table, and return 1 if something differs."""
    from ..tools.crosscheck import crosscheck  # imports numpy, which --help does not need

    measures, backends, policy = measures_of(args), backends_of(args), policy_of(args)
    with Progress() as progress:
        progress.now(f"scoring {args.run_file} by every backend")
        with named(args.run_file, args.qrels):
            found = crosscheck(*sources(args), args.k, measures=measures, backends=backends, policy=policy)
    print(FORMS[args.format](found))
    return 0 if found.ok else DIFFERS
