"""samescore misses: the relevant documents that a run did not retrieve in time."""

from __future__ import annotations

import argparse

from .frames import FORMATS, written
from .options import add_format, add_policy, policy_of
from .reading import add_sources, sources
from .scoring import add_doc_of, doc_of, named

ABOUT = """
prints query_id, doc_id, grade and rank, a line for each relevant document that is not among the first k: the queries in the
order of the qrels, the highest grade first. The rank is where the document stands, "-" where it was not retrieved (json: null).

example:
  samescore misses qrels.txt run.txt -k 10
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    add_sources(parser)
    parser.add_argument("-k", type=int, default=10, metavar="K", help="how far down a document may stand (default: 10)")
    add_doc_of(parser)
    add_format(parser, FORMATS)
    add_policy(parser)


def run(args: argparse.Namespace) -> int:
    """Print what was missed."""
    from ..tools.pool import misses  # imports numpy, which --help does not need

    with named(args.run_file, args.qrels):
        missed = misses(*sources(args), args.k, doc_of=doc_of(args), policy=policy_of(args))
    print(written(missed, args.format))
    return 0
