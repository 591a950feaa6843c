"""samescore evaluate: score one run or several against judgements."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..display import FORMS, render
from .options import add_format, add_policy
from .scoring import add_averaging, add_backend, add_measures, add_runs, doc_of, expand, measures_of, score
from .tables import as_json

if TYPE_CHECKING:
    from ..result import Result

Scored = Sequence[tuple[str, "Result"]]
"""The name of each run with its result."""

ABOUT = """
the order QRELS RUN is that of trec_eval. Without -m and -k: R@10, RR and nDCG@10.

output:
  table     means, a line for each thing that the policy did, and the signature; one row a run where there are several
  markdown  the same, for a report
  tsv       measure, query, value with tabs between them, as trec_eval has it; the query of a mean is "all", and the
            "measures" queries and skipped count them; several runs have their name in a column before
  json      means, policy, versions, fingerprint and report as an object; a list of these where there are several runs
  html, latex: as markdown
--per-query adds the value of each query to each form; a query for which a measure is undefined has none.

examples:
  samescore evaluate qrels.txt run.txt -m nDCG@10 -m R@100
  samescore evaluate qrels.txt bm25.txt dense.txt -k 5 -k 10 --backend ranx --format markdown
  samescore evaluate qrels.txt run.txt -m ndcg_cut_10 --policy trec_eval
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    add_runs(parser)
    add_measures(parser)
    add_backend(parser)
    add_averaging(parser)
    parser.add_argument("--per-query", action="store_true", help="print the value of each query too")
    parser.add_argument(
        "--tie-changes", action="store_true", help="name the queries for which another order of tied documents matters"
    )
    add_format(parser, list(FORMS))
    add_policy(parser)


def run(args: argparse.Namespace) -> int:
    """Score each run and print them together. The qrels are read once."""
    from ..result import Results  # imports numpy, which --help does not need

    names = expand(args)
    options = {"average": args.average, "doc_of": doc_of(args), "ties": args.tie_changes}
    scored = score(args, names, k=args.k, measures=measures_of(args), **options)
    if args.format == "json":
        print(_as_json(scored, args))
    else:
        print(render(Results(scored, args.per_query), args.format))
    return 0


def _as_json(scored: Scored, args: argparse.Namespace) -> str:
    """An object, or a list of them, with the paths of the files."""
    objects = []
    for path, (_, result) in zip(args.runs, scored, strict=True):
        plain = result.to_dict()
        if not args.per_query:
            del plain["per_query"]
        objects.append({"run": path, "qrels": args.qrels, **plain})
    return as_json(objects if len(objects) > 1 else objects[0])
