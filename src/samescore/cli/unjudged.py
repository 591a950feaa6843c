"""samescore unjudged: the documents that annotators should judge next."""

from __future__ import annotations

import argparse

from .frames import FORMATS, written
from .options import add_format, add_policy, policy_of
from .reading import qrels_of, run_of
from .scoring import add_doc_of, add_runs, doc_of, expand

ABOUT = """
prints query_id, doc_id, runs and best_rank, a line for each document that is among the first k of a run and has no judgement:
documents of judged queries first, then what most runs have, then the best rank. -o writes a file with an empty column
"relevance" for annotators to fill.

examples:
  samescore unjudged qrels.txt bm25.txt dense.txt -k 10
  samescore unjudged qrels.txt bm25.txt dense.txt -k 5 --judged-queries -o pool.csv
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    add_runs(parser)
    parser.add_argument("-k", type=int, default=10, metavar="K", help="how far down the runs are pooled (default: 10)")
    parser.add_argument("--judged-queries", action="store_true", help="leave out queries that the qrels lack")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the pool for annotators to this .csv or .tsv file")
    add_doc_of(parser)
    add_format(parser, FORMATS)
    add_policy(parser)


def run(args: argparse.Namespace) -> int:
    """Print the pool, or write it."""
    from ..readers import read_qrels
    from ..tools.pool import unjudged  # imports numpy, which --help does not need

    called = expand(args)
    qrels = read_qrels(qrels_of(args))
    runs = [(name, run_of(args, path)) for name, path in zip(called, args.runs, strict=True)]
    queries = qrels.queries if args.judged_queries else None
    options = {"queries": queries, "doc_of": doc_of(args), "file": args.output, "policy": policy_of(args)}
    pool = unjudged(runs, qrels, args.k, **options)
    print(written(pool, args.format) if args.output is None else f"{len(pool)} documents to judge in {args.output}")
    return 0
