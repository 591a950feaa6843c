"""samescore check: what is odd about a golden set."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .lines import read_ids
from .options import add_format
from .reading import add_qrels
from .tables import TABLES, as_json

if TYPE_CHECKING:
    from ..tools.golden_set import QrelsReport

ABOUT = """
reports queries without a relevant document, judgements that repeat or contradict each other, ids that differ in spelling only, how
many judgements have which grade and, with --corpus, judged documents that the corpus lacks.
--format tsv prints what is odd, a line each: the kind, the query, the document.

example:
  samescore check qrels.txt --corpus ids.txt
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    add_qrels(parser)
    parser.add_argument("--corpus", metavar="FILE", help="the ids of all documents, one a line")
    text = "the lowest grade that is relevant (default: 1)"
    parser.add_argument("--relevance-level", type=int, default=1, metavar="N", help=text)
    add_format(parser, list(FORMATS))


def run(args: argparse.Namespace) -> int:
    """Print the report."""
    from ..tools.golden_set import check  # imports numpy, which --help does not need

    corpus = None if args.corpus is None else read_ids(args.corpus)
    print(FORMATS[args.format](check(args.qrels, corpus, relevance_level=args.relevance_level)))
    return 0


def _rows(report: QrelsReport) -> str:
    """What is odd, a line each."""
    rows = [
        *(["empty", query, ""] for query in report.empty),
        *(["conflict", query, doc] for query, doc in report.conflicts),
        *(["near_query", query, ""] for group in report.near_queries for query in group),
        *(["near_document", "", doc] for group in report.near_documents for doc in group),
        *(["absent", row.query, row.doc] for row in report.absent or ()),
    ]
    return TABLES["tsv"](["kind", "query_id", "doc_id"], rows)


FORMATS: Mapping[str, Callable[[QrelsReport], str]] = {
    "table": str,
    "tsv": _rows,
    "json": lambda report: as_json(report.to_dict()),
    "markdown": lambda report: report.to_markdown(),
}
"""How a report is written."""
