"""samescore ties: how much the order of tied documents can change a measure."""

from __future__ import annotations

import argparse

from .options import add_format, add_policy, policy_of
from .progress import Progress
from .reading import add_sources, sources
from .showing import FORMS, as_tsv

ABOUT = """
The lowest, the expected and the highest value over all orders of tied documents (McSherry and Najork 2008), and the value under
the policy. Measures: P, R, R_cap, F1, Success, Rprec, RR, AP, DCG, nDCG, RBP, with any cutoff.
--per-query prints a row for each query and measure, with tabs between.

example:
  samescore ties qrels.txt run.txt -m nDCG@10 -m RR
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    add_sources(parser)
    text = "a measure; may be given several times"
    parser.add_argument("-m", "--measure", dest="measures", action="append", metavar="MEASURE", required=True, help=text)
    parser.add_argument("--per-query", action="store_true", help="print each query instead of the means")
    add_format(parser, list(FORMS))
    add_policy(parser)


def run(args: argparse.Namespace) -> int:
    """Compute the bounds and print them."""
    from ..tools.ties import tie_bounds  # imports numpy, which --help does not need

    with Progress() as progress:
        progress.now(f"scoring {args.run_file}")
        read = sources(args)
        found = tie_bounds(*read, args.measures, policy=policy_of(args))
    print(as_tsv(found.per_query) if args.per_query else FORMS[args.format](found))
    return 0
