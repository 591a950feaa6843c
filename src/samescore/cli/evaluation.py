"""Commands that score runs: evaluate, compare, curve, gate and plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import samescore

from .options import AVERAGE, BACKEND, DOC_OF, MEASURES, POLICY, RUNS, command, located, option

if TYPE_CHECKING:
    from ..result import Results
    from ..tools.curve import Curve


@command(
    RUNS,
    MEASURES,
    BACKEND,
    DOC_OF,
    AVERAGE,
    option("--per-query", action="store_true", help="print the value of each query too"),
    option(
        "--tie-changes", action="store_true",
        help="name the queries for which another order of tied documents matters",
    ),
    POLICY,
    forms=("table", "tsv", "json", "markdown"),
)  # fmt: skip
def evaluate(
    runs: Sequence[tuple[str, Any]], qrels: Any, *, per_query: bool = False, tie_changes: bool = False, **options: Any
) -> Results:
    """
    the order QRELS RUN is that of trec_eval. Without -m and -k: R@10, RR and nDCG@10.

    output:
      table     means, a line for each thing that the policy did, and the signature; one row a run where there are several
      markdown  the same, for a report
      tsv       measure, query, value with tabs between them, as trec_eval has it; the query of a mean is "all", and the
                "measures" queries and skipped count them; several runs have their name in a column before
      json      means, policy, versions, fingerprint and report as an object; a list of these where there are several runs
    --per-query adds the value of each query to each form; a query for which a measure is undefined has none.

    examples:
      samescore evaluate qrels.txt run.txt -m nDCG@10 -m R@100
      samescore evaluate qrels.txt bm25.txt dense.txt -k 5 -k 10 --backend ranx --format markdown
      samescore evaluate qrels.txt run.txt -m ndcg_cut_10 --policy trec_eval
    """
    from ..result import Results  # imports numpy, which --help does not need

    judgements, named, files = samescore.read_qrels(qrels), [], []
    for name, run in runs:
        files.append({"run": getattr(run, "name", run), "qrels": getattr(qrels, "name", qrels)})
        with located("{run} against {qrels}".format_map(files[-1])):
            named.append((name, samescore.evaluate(run, judgements, ties=tie_changes, **options)))
    return Results(named, per_query, files)


@command(
    RUNS,
    option("-m", "--measure", metavar="MEASURE", help="a measure without its cutoff (default: R)"),
    option("-k", action="append", type=int, metavar="K", help="a cutoff; may be given several times (default: 1 5 10 20 50 100)"),
    option("--keep", type=float, metavar="SHARE", help="the share of the value at the largest k that is enough (default: 0.95)"),
    option("--flat", type=float, metavar="RISE", help="it is flat where a doubling of k adds less than this (default: 0.01)"),
    DOC_OF,
    AVERAGE,
    BACKEND,
    POLICY,
    forms=("table", "markdown", "tsv", "json"),
)
def curve(**options: Any) -> Curve:
    """
    output:
      table     a row for each cutoff and a column for each run, and a sentence for each run
      markdown  the same, for a report
      tsv       run, k and value in full precision, with a head
      json      all of it as an object

    example:
      samescore curve qrels.txt bm25.txt dense.txt -m R -k 1 -k 5 -k 10 -k 50 -k 100
    """
    return samescore.curve(**options)
