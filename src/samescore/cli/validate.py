"""samescore validate: recompute what another tool reported, and say what agrees."""

from __future__ import annotations

import argparse

from ..policy import Policy
from .options import add_format, add_policy, policy_of
from .progress import Progress
from .reading import add_sources, sources
from .showing import FORMS

ABOUT = """
REPORTED is trec_eval's output (8 to 10, with -q or without), ir_measures' lines or JSON, ranx's or BEIR's JSON, or the JSON of
samescore evaluate. Names mean what they mean in the tool that wrote them. Each value is recomputed and compared to the
precision that was printed; where some differ, all policies are searched for those that give the reported numbers.
Without options of the policy it is the tool's own: for trec_eval with -c or without, whichever agrees.

exit code: 0 if everything agrees, 1 if something differs, 2 for bad input.

examples:
  trec_eval -q qrels.txt run.txt > reported.txt; samescore validate qrels.txt run.txt reported.txt
  samescore validate qrels.txt run.txt scores.json --tool ranx --format json
"""

DIFFERS = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    add_sources(parser)
    parser.add_argument("reported", metavar="REPORTED", help="the numbers to validate")
    text = "whose names they have, where the file does not tell: trec_eval, ir_measures, ranx, beir or samescore"
    parser.add_argument("--tool", metavar="NAME", help=text)
    parser.add_argument("--backend", default="reference", metavar="NAME", help="who recomputes (default: reference)")
    parser.add_argument("--no-explanation", dest="why", action="store_false", help="do not search for what the numbers are")
    add_format(parser, list(FORMS))
    add_policy(parser)


def run(args: argparse.Namespace) -> int:
    """Validate, print the comparison, and return 1 if something differs."""
    from ..tools.validate import validate  # imports numpy, which --help does not need

    given = args.policy is not None or any(name in vars(args) for name in Policy.__dataclass_fields__)
    with Progress() as progress:
        progress.now(f"validating {args.reported}")
        found = validate(
            *sources(args), args.reported,
            tool=args.tool, policy=policy_of(args) if given else None, backend=args.backend, why=args.why,
        )  # fmt: skip
    print(FORMS[args.format](found))
    return 0 if found.ok else DIFFERS
