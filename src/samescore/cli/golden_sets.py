"""Commands on golden sets and files: diagnose, misses, unjudged, check, split, agreement, rbo, merge_qrels and convert."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import samescore

from ..display import Displayed, Table
from .inputs import read_answers, read_ids
from .options import (
    BACKEND,
    DOC_OF,
    FORCE,
    FORMS,
    MEASURES,
    POLICY,
    QRELS,
    QRELS_AND_RUN,
    QRELS_AND_RUNS,
    READING,
    Inputs,
    Output,
    command,
    option,
    take_reader,
)
from .output import message_on_writing


@command(
    Inputs(["candidates", "final"]),
    option("-k", type=int, metavar="K", help="how many documents the answer is made from (default: 5)"),
    option("--candidate-k", type=int, metavar="K", help="how many candidates are ranked (default: 50)"),
    option(
        "--answers", metavar="FILE", read=read_answers,
        help="which answers were right: a JSON object {query: true}, or lines of a query and true or false",
    ),
    DOC_OF,
    POLICY,
    forms=FORMS,
)  # fmt: skip
def diagnose(**options: Any) -> Displayed:
    """
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
    return samescore.diagnose(**options)


@command(
    QRELS_AND_RUN,
    option("-k", type=int, metavar="K", help="how far down a document may stand (default: 10)"),
    DOC_OF,
    POLICY,
    forms=FORMS,
)
def misses(**options: Any) -> Any:
    """
    prints query_id, doc_id, grade and rank, a line for each relevant document that is not among the first k: the queries in the
    order of the qrels, the highest grade first. The rank is where the document stands, "-" where it was not retrieved (json: null).

    example:
      samescore misses qrels.txt run.txt -k 10
    """
    return samescore.misses(**options)


@command(
    Output(option("-o", "--output", dest="file", metavar="FILE", help="write the pool for annotators to this .csv or .tsv file")),
    QRELS_AND_RUNS,
    option("-k", type=int, metavar="K", help="how far down the runs are pooled (default: 10)"),
    option("--judged-queries", action="store_true", help="leave out queries that the qrels lack"),
    DOC_OF,
    POLICY,
    forms=FORMS,
)
def unjudged(runs: Any, qrels: Any, *, judged_queries: bool = False, file: str | None = None, **options: Any) -> Any:
    """
    prints query_id, doc_id, runs and best_rank, a line for each document that is among the first k of a run and has no judgement:
    documents of judged queries first, then what most runs have, then the best rank. -o writes a file with an empty column
    "relevance" for annotators to fill. Rows of such a file that they have filled in stay, and what is new follows.

    examples:
      samescore unjudged qrels.txt bm25.txt dense.txt -k 10
      samescore unjudged qrels.txt bm25.txt dense.txt -k 5 --judged-queries -o pool.csv
    """
    from ..readers import open_qrels  # imports numpy, which --help does not need

    judgements = open_qrels(qrels)
    queries = judgements.queries if judged_queries else None
    pool = samescore.unjudged(runs, judgements, queries=queries, file=file, **options)
    return pool if file is None else message_on_writing(file, f"{len(pool)} documents to judge in {file}")


@command(
    QRELS,
    option(
        "--corpus", dest="corpus_ids", metavar="FILE", read=read_ids,
        help="the documents: an id a line, an id and a tab, a table with a header, or JSON Lines such as BEIR's corpus.jsonl",
    ),
    option("--relevance-level", type=int, metavar="N", help="the lowest grade that is relevant (default: 1)"),
    option("--strict", action="store_true", help="exit with 1 where anything is odd"),
    forms=FORMS,
)  # fmt: skip
def check(**options: Any) -> Displayed:
    """
    reports queries without a relevant document, judgements that repeat or contradict each other, ids that differ in spelling only,
    how many judgements have which grade and, with --corpus, judged documents that the corpus lacks.
    --format tsv prints what is odd, a line each: the kind, the query, the document.

    example:
      samescore check qrels.txt --corpus ids.txt
    """
    return samescore.check(**options)


@command(
    QRELS,
    option("--held-out", type=float, metavar="SHARE", help="the share held out (default: 0.5)"),
    option("--seed", metavar="SEED", help="another seed is another split (default: 0)"),
    option("-o", "--output", dest="folder", metavar="FOLDER", help="write the judgements of each side to a file in this folder"),
    FORCE,
    forms=FORMS,
)
def split(folder: str | None = None, **options: Any) -> Table:
    """
    prints each query with its side, develop or held_out. The side follows from the query's id and the seed alone, so it is the same
    on every machine and stays when queries are added; the share held out is right on average, not to the query.
    -o writes the judgements of each side to FOLDER/develop.txt and FOLDER/held_out.txt, TREC qrels; where these would not be read
    back as they were (a blank in an id, a query without a judgement), both are .json, .jsonl or .csv.

    examples:
      samescore split qrels.txt --held-out 0.3 --seed 7 --format tsv
      samescore split qrels.txt -o golden
    """
    sides = samescore.split(folder=folder, **options)
    if folder is not None:
        return Table(["file", "queries", "judgements"], [(side.name, str(len(side)), str(side.rows)) for side in sides])
    names = zip(("develop", "held_out"), sides, strict=True)
    return Table(["query_id", "side"], [(query, name) for name, side in names for query in side.queries])


@command(
    option("qrels", metavar="QRELS", help="the first judgements: a file, a BEIR folder or an irds: data set"),
    option("others", metavar="OTHER", nargs="+", help="other judgements, such as those of another person"),
    option("--run", dest="runs", action="append", metavar="RUN", help="a run to score under each; may be given several times"),
    MEASURES,
    BACKEND,
    POLICY,
    forms=FORMS,
)
def agreement(others: Sequence[str], runs: Sequence[str] | None = None, **options: Any) -> Displayed:
    """
    counts what both judge and how much of it alike, with Cohen's kappa (and with linear weights by the distance of grades) and the
    confusion of grades; with --run also the means of each run under each judgements, and Kendall's tau of the runs.

    output:
      table     a row for each OTHER, the confusion of grades, the runs
      markdown  the same, for a report
      tsv       a line for each OTHER and pair of grades: how many
      json      all of it as an object

    example:
      samescore agreement people.txt model.txt --run bm25.txt --run dense.txt -m nDCG@10
    """
    from ..tools.runs import file_names, run_files  # imports numpy, which --help does not need

    named = dict(zip(file_names(others), others, strict=True))
    return samescore.agreement(others=named, runs=None if runs is None else run_files(runs), **options)


@command(
    option("run_a", metavar="RUN", help="a run"),
    option("run_b", metavar="OTHER", help="the run that it is compared with"),
    option("-p", type=float, metavar="P", help="the persistence, between 0 and 1 (default: 0.9): the first 10 ranks weigh 86 %%"),
    POLICY,
    forms=FORMS,
)
def rbo(**options: Any) -> Displayed:
    """
    prints the rank-biased overlap of two runs, extrapolated (Webber, Moffat and Zobel 2010): the mean over queries of both,
    from 0 (nothing in common) to 1 (the same), with the lowest and the highest. The policy orders tied documents, and
    the queries with ties are named.

    output:
      table     the mean, the lowest and the highest value
      markdown  the same, for a report
      tsv       a line for each query
      json      all of it as an object

    example:
      samescore rbo bm25.txt dense.txt -p 0.95
    """
    return samescore.rbo(**options)


@command(
    option("sources", metavar="QRELS", nargs="+", help="judgements, the older before the newer: files, BEIR folders"),
    Output(option("-o", "--output", metavar="FILE", required=True, help="what is written: .txt, .json, .jsonl, .csv or .tsv")),
    option(
        "--on-conflict", choices=("error", "last", "max", "mean", "majority"),
        help="what becomes of a document with different grades (default: error)",
    ),
)  # fmt: skip
def merge_qrels(sources: Sequence[str], output: str, *, force: bool = False, **options: Any) -> str | None:
    """
    each query and document that some of them judge is written once, in the order found.

    example:
      samescore merge_qrels first.txt second.txt third.txt --on-conflict majority -o merged.txt
    """
    merged = samescore.merge_qrels(*sources, **options)
    merged.save(output, force=force)
    return message_on_writing(output, f"{len(merged)} queries and {merged.rows} judgements in {output}")


@command(
    option("kind", metavar="KIND", choices=("run", "qrels"), help="run or qrels"),
    option("source", metavar="FILE", help="what is read: a file, for qrels also a BEIR folder or an irds: data set, or -"),
    Output(option("output", metavar="OUTPUT", help="what is written: .txt, .json, .jsonl, .csv, .tsv, .parquet or .lz4")),
    option(
        "--to", dest="save_format", metavar="FORM",
        help="trec, json, jsonl, csv, tsv, parquet or ranx (default: by the ending of OUTPUT)",
    ),
    *READING["run"],
    *READING["qrels"],
)  # fmt: skip
def convert(
    kind: str, source: str, output: str, *, save_format: str | None = None, force: bool = False, **reading: Any
) -> str | None:
    """
    Every form of file that is read is written in the form that is asked for, and read back: what a form cannot hold, such as an id
    with a blank in TREC's, is refused, and nothing is written. A ranking without scores has them count down, but in JSON and
    ranx's form.

    examples:
      samescore convert run bm25.parquet bm25.txt
      samescore convert qrels beir/scifact qrels.json
      samescore convert run run.csv /dev/stdout --to trec --run-columns query_id=Frage,doc_id=Beleg,score=Wert
    """
    data = take_reader(reading, kind, explicit=True)(source)
    data = getattr(samescore, f"read_{kind}")(data) if isinstance(data, str) else data
    data.save(output, format=save_format, force=force)
    return message_on_writing(output, f"{len(data)} queries and {data.rows} rows in {output}")
