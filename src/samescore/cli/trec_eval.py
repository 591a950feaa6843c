"""samescore trec_eval: trec_eval's own options, and what it prints, byte for byte."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from ..errors import MeasureError, PolicyError, examples

ABOUT = """
MEASURE is a name of trec_eval's (map, P, ndcg_cut), a name with parameters (P.5,10  ndcg_cut.10  ndcg.1=3,2=9  success.1
iprec_at_recall..10,.20), or a nickname: official (the default), set, all_trec.

The output is that of trec_eval 10, but for what that version leaves to chance:
- without -c it stops where the run lacks a judged query; here, as in version 9, the mean is over the queries of both
- rbp is right whichever other measures are asked for, dcg.1=3 changes no ndcg, and gains that are fractions are put in order
- what it prints as nan where nothing was retrieved is 0, and so is what it takes from the query before where all grades
  are negative
Judgements that stand twice and agree count once; trec_eval stops there. Fractional grades are refused; it cuts them off.
Columns after the tag of a run and lines that begin with # are ignored, as in trec_eval.
"""

REFUSED: Mapping[str, str] = {
    "-D": "traces of the computation are trec_eval's own",
    "-R": "of the forms of judgements only qrels can be scored",
    "-T": "of the forms of results only trec_results can be scored",
    "-Z": "z-scores are trec_eval's own",
    "-a": "-m all_trec prints all measures",
}
"""Options of trec_eval, one of them of an older one, that are not here, and why."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command: trec_eval's, short and long."""
    parser.epilog = ABOUT
    add = parser.add_argument
    add("qrels", metavar="QRELS", help="a TREC qrels file, plain or .gz")
    add("results", metavar="RUN", help="a TREC run file, plain or .gz")
    add("-q", "--query_eval_wanted", dest="per_query", action="store_true", help="print each query before the summary")
    add("-n", "--nosummary", dest="summary", action="store_false", help="print no summary")
    add("-m", "--measure", dest="measures", action="append", metavar="MEASURE", help="what to print; may be given several times")
    text = "average over all judged queries; those that the run lacks count as 0"
    add("-c", "--complete_rel_info_wanted", dest="complete", action="store_true", help=text)
    add("-l", "--level_for_rel", dest="level", type=_whole, default=1, metavar="N", help="the lowest relevant grade (default: 1)")
    text = "only the first N documents of a query count"
    add("-M", "--Max_retrieved_per_topic", dest="depth", type=_whole, metavar="N", help=text)
    add("-J", "--Judged_docs_only", dest="judged_only", action="store_true", help="drop unjudged documents, after -M")
    text = "how many documents there are, which utility can read (default: 0)"
    add("-N", "--Number_docs_in_coll", dest="collection", type=int, default=0, metavar="N", help=text)
    add("-o", action="store_true", help="changes nothing, as in trec_eval")
    for option, why in REFUSED.items():
        add(option, action=_Refused, nargs="?", why=why, help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Print what trec_eval prints, and on stderr which judged queries the run lacks, where they are left out."""
    from ..policy import Policy
    from ..readers.files import load_rows, read_qrels_file, read_run_file
    from ..tools.trec_eval import program as trec  # these import numpy, which --help does not need

    unjudged: Any = "drop" if args.judged_only else "nonrelevant"
    policy = Policy.trec_eval(complete=args.complete, relevance_level=args.level, depth=args.depth, unjudged=unjudged)
    columns = trec.asked(args.measures or ["official"])
    qrels, found = read_qrels_file(args.qrels), load_rows(read_run_file(args.results, more_columns=True))
    try:
        scores = trec.score(found, qrels, columns, policy=policy, collection=args.collection)
    except PolicyError as error:  # the clauses of the policy are no options here
        raise PolicyError(error.what, where=error.where, hint=f"samescore evaluate --policy trec_eval {error.hint}") from None
    for line in trec.lines(scores, per_query=args.per_query, summary=args.summary):
        print(line)
    if scores.missing:
        what = f"the run lacks {len(scores.missing)} judged queries, which are left out: {examples(scores.missing)}"
        print(f"samescore: note: {what}\ntry: -c, which counts them as 0", file=sys.stderr)
    return 0


def _whole(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


class _Refused(argparse.Action):
    """An option of trec_eval that is not here."""

    def __init__(self, *args: Any, why: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.why = why

    def __call__(self, parser: argparse.ArgumentParser, namespace: object, values: object, option: str | None = None) -> None:
        """Stop with the reason."""
        raise MeasureError(f"samescore trec_eval has no {option}: {self.why}", hint="samescore trec_eval --help")
