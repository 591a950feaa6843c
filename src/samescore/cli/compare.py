"""samescore compare: runs against a baseline, with tests, intervals and what so few queries cannot tell."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from .lines import read_labels
from .options import add_format, add_policy, policy_of
from .scoring import add_averaging, add_backend, add_measures, add_runs, doc_of, expand, measures_of, score
from .tables import TABLES, as_json

if TYPE_CHECKING:
    from ..tools.comparison import Comparison

ABOUT = """
the first RUN is the baseline, unless --baseline names another by its file name without folder and ending. Runs are paired by
query id, over the queries that all have a value for. A star marks a corrected p below --alpha; detectable is the smallest
difference that so many queries show with a power of 80 %.

output:
  table     a row for each measure and run, and sentences: who was left out, how p was found, what cannot be told apart
  markdown  the same, for a report
  latex     a booktabs table, a row a run and a column a measure: best in bold, arrows for significant differences
  tsv       the rows in full precision, with a head
  json      all of it as an object, with the values of each query
--biggest N adds the N queries of each run that rose and that fell most to table and markdown.

examples:
  samescore compare qrels.txt bm25.txt dense.txt hybrid.txt -m nDCG@10 -m R@100
  samescore compare qrels.txt bm25.txt dense.txt --test permutation --correction bh --slices languages.tsv --format markdown
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    add_runs(parser)
    add_measures(parser)
    parser.add_argument("--baseline", metavar="NAME", help="the run that the others are compared with (default: the first)")
    text = "how p is found, paired by query: Student's t, sign flips, signed ranks, or Sakai's bootstrap (default: t)"
    parser.add_argument("--test", choices=("t", "permutation", "wilcoxon", "bootstrap"), default="t", help=text)
    text = "how p is corrected for the number of runs (default: holm)"
    parser.add_argument("--correction", choices=("holm", "bonferroni", "bh", "none"), default="holm", help=text)
    parser.add_argument("--alpha", type=float, default=0.05, metavar="A", help="the level of significance (default: 0.05)")
    parser.add_argument("--slices", metavar="FILE", help="a query, a tab and its label a line, or a JSON object {query: label}")
    add_averaging(parser)
    text = "how many permutations or resamples are drawn (default: 9999)"
    parser.add_argument("--resamples", type=int, default=9999, metavar="N", help=text)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="where drawing starts (default: 0)")
    parser.add_argument("--biggest", type=int, metavar="N", help="show the queries that moved most, both ways")
    add_backend(parser)
    add_format(parser, list(FORMATS))
    add_policy(parser)


def run(args: argparse.Namespace) -> int:
    """Score the runs, and print how they compare."""
    from ..evaluation import requested_measures
    from ..tools.compare import compare  # these import numpy, which --help does not need
    from ..tools.runs import baseline_of  # these import numpy, which --help does not need

    measures, called = requested_measures(args.k, measures_of(args)), expand(args)
    baseline = baseline_of(called, args.baseline)
    slices = None if args.slices is None else read_labels(args.slices)
    scored = score(args, called, measures=measures, average=args.average, doc_of=doc_of(args))
    comparison = compare(
        scored,
        measures=measures,
        baseline=baseline,
        test=args.test,
        correction=None if args.correction == "none" else args.correction,
        alpha=args.alpha,
        slices=slices,
        average=args.average,
        policy=policy_of(args),
        resamples=args.resamples,
        seed=args.seed,
    )
    print(FORMATS[args.format](comparison, args))
    return 0


def _as_table(comparison: Comparison, args: argparse.Namespace) -> str:
    """The comparison as it prints itself, with the queries that moved most above."""
    text = comparison.to_markdown() if args.format == "markdown" else str(comparison)
    if args.biggest is None:
        return text
    return "\n".join([TABLES[args.format](*_biggest(comparison, args.biggest)), "", text])


def _biggest(comparison: Comparison, n: int) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the queries that moved most."""
    rows = [
        [measure, run, query, f"{before:.4f}", f"{now:.4f}", f"{delta:+.4f}"]
        for measure in comparison.measures
        for run in comparison.runs
        if run != comparison.baseline
        for query, before, now, delta in comparison.moved(measure, run, n)
    ]
    return ["measure", "run", "query", comparison.baseline, "value", "delta"], rows


def _as_tsv(comparison: Comparison, args: argparse.Namespace) -> str:
    """The rows in full precision; a dash where there is no number."""
    rows = [[_plain(value) for value in astuple(row)] for row in comparison.rows]
    return TABLES["tsv"](list(type(comparison.rows[0]).__dataclass_fields__), rows)


def _plain(value: Any) -> str:
    """A cell in full precision."""
    return "-" if value is None else value if isinstance(value, str) else repr(value)


def _as_json(comparison: Comparison, args: argparse.Namespace) -> str:
    """The whole as an object."""
    return as_json(comparison.to_dict())


FORMATS: Mapping[str, Callable[[Comparison, argparse.Namespace], str]] = {
    "table": _as_table,
    "markdown": _as_table,
    "latex": lambda comparison, args: comparison.to_latex(),
    "tsv": _as_tsv,
    "json": _as_json,
}
"""How a comparison is written."""
