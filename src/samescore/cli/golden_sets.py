"""Commands on golden sets: diagnose, misses, unjudged, check and split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import samescore

from .options import DOC_OF, POLICY, RUN, RUNS, command, option

if TYPE_CHECKING:
    import pandas

FORMS = ("table", "tsv", "markdown", "json")


@command(
    RUN,
    option("-k", type=int, metavar="K", help="how far down a document may stand (default: 10)"),
    DOC_OF,
    POLICY,
    forms=FORMS,
)
def misses(**options: Any) -> pandas.DataFrame:
    """
    prints query_id, doc_id, grade and rank, a line for each relevant document that is not among the first k: the queries in the
    order of the qrels, the highest grade first. The rank is where the document stands, "-" where it was not retrieved (json: null).

    example:
      samescore misses qrels.txt run.txt -k 10
    """
    return samescore.misses(**options)


@command(
    RUNS,
    option("-k", type=int, metavar="K", help="how far down the runs are pooled (default: 10)"),
    option("--judged-queries", action="store_true", help="leave out queries that the qrels lack"),
    option("-o", "--output", dest="file", metavar="FILE", help="write the pool for annotators to this .csv or .tsv file"),
    DOC_OF,
    POLICY,
    forms=FORMS,
)
def unjudged(runs: Any, qrels: Any, *, judged_queries: bool = False, file: str | None = None, **options: Any) -> Any:
    """
    prints query_id, doc_id, runs and best_rank, a line for each document that is among the first k of a run and has no judgement:
    documents of judged queries first, then what most runs have, then the best rank. -o writes a file with an empty column
    "relevance" for annotators to fill.

    examples:
      samescore unjudged qrels.txt bm25.txt dense.txt -k 10
      samescore unjudged qrels.txt bm25.txt dense.txt -k 5 --judged-queries -o pool.csv
    """
    judgements = samescore.read_qrels(qrels)
    queries = judgements.queries if judged_queries else None
    pool = samescore.unjudged(runs, judgements, queries=queries, file=file, **options)
    return pool if file is None else f"{len(pool)} documents to judge in {file}"
