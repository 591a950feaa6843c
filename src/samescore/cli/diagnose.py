"""samescore diagnose: the stage of a pipeline that loses the evidence."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .frames import written
from .lines import read_answers
from .options import add_format, add_policy, policy_of
from .reading import add_qrels, add_reading, qrels_of, run_of
from .scoring import add_doc_of, doc_of, named
from .tables import as_json

if TYPE_CHECKING:
    from ..tools.diagnose import Diagnosis

ABOUT = """
CANDIDATES is the run that the first stage retrieved, FINAL the run after reranking (the same file for both is fine). Each query
is found (a relevant document among the first k of FINAL), below k (one among the first K of CANDIDATES only), not in the
candidates, not judged, or has nothing to find.

output:
  table     how many queries came how far, and a sentence that names the stage that limits
  markdown  the same, for a report
  tsv       a line for each query: its kind, answer, relevant documents, how many each list has, the best rank in each
  json      all of it as an object

example:
  samescore diagnose qrels.txt bm25.txt reranked.txt -k 5 --candidate-k 50 --answers answers.tsv
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    add_qrels(parser)
    add_reading(parser)
    parser.add_argument("candidates", metavar="CANDIDATES", help="a run file, or -")
    parser.add_argument("final", metavar="FINAL", help="a run file, or -")
    parser.add_argument("-k", type=int, default=5, metavar="K", help="how many documents the answer is made from (default: 5)")
    parser.add_argument("--candidate-k", type=int, default=50, metavar="K", help="how many candidates are ranked (default: 50)")
    text = "which answers were right: a JSON object {query: true}, or lines of a query and true or false"
    parser.add_argument("--answers", metavar="FILE", help=text)
    add_doc_of(parser)
    add_format(parser, list(FORMATS))
    add_policy(parser)


def run(args: argparse.Namespace) -> int:
    """Print the diagnosis."""
    from ..tools.diagnose import diagnose  # imports numpy, which --help does not need

    answers = None if args.answers is None else read_answers(args.answers)
    lists, parts, policy = (args.candidates, args.final), doc_of(args), policy_of(args)
    args.runs = list(lists)
    with named(" and ".join(dict.fromkeys(lists)), args.qrels, *lists):
        qrels = qrels_of(args)
        first, last = (run_of(args, path) for path in lists)
        found = diagnose(first, last, qrels, args.k, args.candidate_k, answers, doc_of=parts, policy=policy)
    print(FORMATS[args.format](found))
    return 0


def _by_query(found: Diagnosis) -> str:
    """A line for each query."""
    return written(found.queries.reset_index(), "tsv")


FORMATS: Mapping[str, Callable[[Diagnosis], str]] = {
    "table": str,
    "tsv": _by_query,
    "json": lambda found: as_json(found.to_dict()),
    "markdown": lambda found: found.to_markdown(),
}
"""How a diagnosis is written."""
