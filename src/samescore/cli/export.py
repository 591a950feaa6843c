"""samescore export: write what makes trec_eval print the numbers of a policy."""

from __future__ import annotations

import argparse

from .options import add_format, add_policy, policy_of
from .progress import Progress
from .reading import add_sources, sources
from .showing import FORMS

ABOUT = """
FOLDER gets run.txt, with ranks as scores so that no tie is left, qrels.txt (and others where a measure wants other grades or
queries), and commands.txt: the command lines of trec_eval (9 or 10) with the values that they print, which are printed here too.

example:
  samescore export qrels.txt run.txt for-trec_eval -m nDCG@10 -m R@100
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    add_sources(parser)
    parser.add_argument("folder", metavar="FOLDER", help="where to write; made if it is not there")
    text = "a measure that trec_eval has, such as nDCG@10; may be given several times (default: R@10, RR and nDCG@10)"
    parser.add_argument("-m", "--measure", dest="measures", action="append", metavar="MEASURE", help=text)
    add_format(parser, list(FORMS))
    add_policy(parser)


def run(args: argparse.Namespace) -> int:
    """Write the files and print the commands."""
    from ..tools.export import (
        MEASURES,  # imports numpy, which --help does not need
        export,  # imports numpy, which --help does not need
    )

    with Progress() as progress:
        progress.now(f"writing {args.folder}")
        read = sources(args)
        made = export(*read, args.folder, measures=args.measures or MEASURES, policy=policy_of(args))
    print(FORMS[args.format](made))
    return 0
