"""samescore gate: fail where a run is worse than a stored baseline."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .options import add_format, add_policy, policy_of
from .progress import Progress
from .reading import add_sources, sources
from .scoring import add_backend, add_doc_of, backend_of, doc_of, measures_of, named
from .tables import TABLES, as_json

if TYPE_CHECKING:
    from ..tools.gate import Verdict

FELL = 1

ABOUT = """
exit codes: 0 where no measure fell by more than --max-drop, 1 where one did, 2 for bad input, and for a baseline of another
golden set or policy, which is refused and not compared.

output:
  markdown  a heading, a table, the queries that fell most in what fell, and notes, fit for a pull request
  table     the table and the notes in plain text
  tsv       measure, baseline, now, change, p, queries, and whether it fell, in full precision
  json      all of it as an object
With --write-baseline the run is stored as the baseline, with per-query values, the policy and the fingerprint of the qrels, and
its means are printed.

examples:
  samescore gate qrels.txt run.txt --baseline baseline.json -m R@10 -m nDCG@10 --write-baseline
  samescore gate qrels.txt run.txt --baseline baseline.json -m R@10 -m nDCG@10 --max-drop 0.01 --significant
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    add_sources(parser)
    parser.add_argument("--baseline", metavar="FILE", required=True, help="the baseline, a JSON file")
    text = "a measure; may be given several times (default: all of the baseline; when it is written, R@10, RR and nDCG@10)"
    parser.add_argument("-m", "--measure", dest="measures", action="append", metavar="MEASURE", help=text)
    text = "how far a measure may fall (default: 0.01)"
    parser.add_argument("--max-drop", type=float, default=0.01, metavar="DROP", help=text)
    parser.add_argument("--significant", action="store_true", help="a fall counts only if its p is below --alpha")
    parser.add_argument("--alpha", type=float, default=0.05, metavar="A", help="the level of significance (default: 0.05)")
    text = "how p is found, paired by query (default: t)"
    parser.add_argument("--test", choices=("t", "permutation", "wilcoxon", "bootstrap"), default="t", help=text)
    parser.add_argument("--write-baseline", action="store_true", help="store the run as the baseline, and compare nothing")
    add_doc_of(parser)
    add_backend(parser)
    add_format(parser, list(FORMATS))
    add_policy(parser)


def run(args: argparse.Namespace) -> int:
    """Store the baseline, or compare with it and fail where a measure fell."""
    from ..tools.gate import (
        gate,  # these import numpy, which --help does not need
        write_baseline,  # these import numpy, which --help does not need
    )

    options = {"measures": measures_of(args), "doc_of": doc_of(args), "policy": policy_of(args), "backend": backend_of(args)}
    with Progress() as progress, named(args.run_file, args.qrels, args.baseline):
        progress.now(f"scoring {args.run_file}")
        ran, judged = sources(args)
        if args.write_baseline:
            result = write_baseline(args.baseline, ran, judged, **options)
        else:
            asked = {"max_drop": args.max_drop, "significant": args.significant, "alpha": args.alpha, "test": args.test}
            verdict = gate(ran, judged, args.baseline, **options, **asked)
    if args.write_baseline:
        print(result.to_markdown() if args.format == "markdown" else str(result), f"\nwritten to {args.baseline}", sep="\n")
        return 0
    print(FORMATS[args.format](verdict))
    return 0 if verdict.passed else FELL


def _as_tsv(verdict: Verdict) -> str:
    """A line for each measure, in full precision."""
    rows = [
        [c.measure, repr(c.baseline), repr(c.now), repr(c.change), "-" if c.p is None else repr(c.p), str(c.queries), str(c.fell)]
        for c in verdict.changes
    ]
    return TABLES["tsv"](["measure", "baseline", "now", "change", "p", "queries", "fell"], rows)


def _as_json(verdict: Verdict) -> str:
    """The whole as an object."""
    return as_json(verdict.to_dict())


FORMATS: Mapping[str, Callable[[Verdict], str]] = {
    "markdown": lambda verdict: verdict.to_markdown(),
    "table": str,
    "tsv": _as_tsv,
    "json": _as_json,
}
"""How a verdict is written."""
