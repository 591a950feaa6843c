"""samescore explain: why a number is what it is."""

from __future__ import annotations

import argparse
import os
from typing import Any

from ..errors import InputError, short
from .options import add_format, add_policy, named_policy, policy_of
from .progress import Progress
from .reading import add_sources, sources
from .showing import FORMS

ABOUT = """
With -m: from one policy to another clause by clause, with the change of the mean and the queries that each clause moves.
With -r: which policies give the numbers that were reported, the simplest first; all clauses that can matter are tried.

examples:
  samescore explain qrels.txt run.txt -m nDCG@10
  samescore explain qrels.txt run.txt -m nDCG@10 --unjudged drop --to trec_eval
  samescore explain qrels.txt run.txt -r nDCG@10=0.4675 -r AP=0.2411
  samescore explain qrels.txt run.txt -r published.json --tool beir
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    add_sources(parser)
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("-m", "--measure", metavar="MEASURE", help="the measure to walk with, such as nDCG@10")
    text = "a number that was reported, with all its decimals, or a file of them; may be given several times"
    asked.add_argument("-r", "--reported", metavar="MEASURE=VALUE|FILE", action="append", help=text)
    text = "where the walk ends (default: trec_eval); it starts, as the search does, from the policy of the options below"
    parser.add_argument("--to", metavar="PRESET|SIGNATURE", default="trec_eval", help=text)
    text = "whose names the measures of -r have: trec_eval, ir_measures, ranx, beir or samescore"
    parser.add_argument("--tool", metavar="NAME", help=text)
    text = "who scores the walk: ir_measures, ranx or reference (default: ir_measures)"
    parser.add_argument("--backend", default="ir_measures", metavar="NAME", help=text)
    add_format(parser, list(FORMS))
    add_policy(parser)


def run(args: argparse.Namespace) -> int:
    """Walk or search, and print what was found."""
    from ..tools.explain import explain  # imports numpy, which --help does not need

    start = policy_of(args)
    found: Any
    with Progress() as progress:
        progress.now(f"explaining {args.run_file}")
        read = sources(args)
        if args.measure:
            found = explain(*read, args.measure, start, named_policy(args.to), backend=args.backend)
        else:
            found = explain(*read, reported=_reported(args.reported), a=start, tool=args.tool)
    print(FORMS[args.format](found))
    return 0


def _reported(given: list[str]) -> Any:
    """Numbers as {measure: text}, or the path of a file of them.

    Raises InputError for what is neither.
    """
    if len(given) == 1 and os.path.exists(given[0]):
        return given[0]
    pairs = [text.rpartition("=") for text in given]
    for text, (name, _, _) in zip(given, pairs, strict=True):
        if not name:
            raise InputError(f"{short(text)} is neither a number that was reported nor a file", hint="-r nDCG@10=0.4675")
    return {name: value for name, _, value in pairs}
