"""samescore evaluate: score one run or several against judgements."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..report import lines
from .options import add_format, add_policy
from .scoring import add_averaging, add_backend, add_measures, add_runs, doc_of, expand, measures_of, score
from .tables import TABLES, as_json

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
    add_format(parser, list(FORMATS))
    add_policy(parser)


def run(args: argparse.Namespace) -> int:
    """Score each run and print them together. The qrels are read once."""
    names = expand(args)
    scored = score(args, names, k=args.k, measures=measures_of(args), average=args.average, doc_of=doc_of(args))
    print(FORMATS[args.format](scored, args))
    return 0


def _as_table(scored: Scored, args: argparse.Namespace) -> str:
    """A result as it prints itself, or a row a run, with what the policy did below."""
    above = [TABLES[args.format](*_per_query(scored)), ""] if args.per_query else []
    if len(scored) == 1:
        result = scored[0][1]
        return "\n".join([*above, result.to_markdown() if args.format == "markdown" else str(result)])
    measures = list(scored[0][1])
    rows = [[name, *(f"{result[m]:.4f}" for m in measures), str(result["queries"])] for name, result in scored]
    table = TABLES[args.format](["run", *measures, "queries"], rows)
    return "\n".join([*above, table, "", *_told(scored, "- " if args.format == "markdown" else "")])


def _told(scored: Scored, bullet: str) -> Iterator[str]:
    """The gains, then what the policy did and the signature, once for runs that are alike in it."""
    first = scored[0][1]
    gains = [f"{m} {first.gain_of(m)}" for m in first if first.gain_of(m)]
    if gains:
        yield f"{bullet}gain: {', '.join(gains)}"
    told = {name: [*lines(result.report, result.policy), result.signature] for name, result in scored}
    shared = [line for line in told[scored[0][0]] if all(line in own for own in told.values())]
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, own in told.items():
        alike.setdefault(tuple(line for line in own if line not in shared), []).append(name)
    for differing, names in alike.items():
        yield from (f"{bullet}{', '.join(names)}: {line}" for line in differing)
    yield from (bullet + line for line in shared)


def _per_query(scored: Scored) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a table with a row for each run and query."""
    measures = list(scored[0][1])
    several = len(scored) > 1
    rows = [
        [*([name] if several else []), query, *("-" if value is None else f"{value:.4f}" for value in values.values())]
        for name, result in scored
        for query, values in result.to_dict()["per_query"].items()
    ]
    return [*(["run"] if several else []), "query", *measures], rows


def _as_tsv(scored: Scored, args: argparse.Namespace) -> str:
    """Measure, query and value, in full precision; the run before them where there are several."""
    rows = []
    for name, result in scored:
        run_column = [name] if len(scored) > 1 else []
        if args.per_query:
            values = result.to_dict()["per_query"].items()
            rows += [[*run_column, m, q, repr(v)] for q, row in values for m, v in row.items() if v is not None]
        rows += [[*run_column, m, "all", repr(result[m])] for m in (*result, "queries", "skipped")]
    return TABLES["tsv"]([], rows)


def _as_json(scored: Scored, args: argparse.Namespace) -> str:
    """An object, or a list of them, with the paths of the files."""
    objects = []
    for path, (_, result) in zip(args.runs, scored, strict=True):
        plain = result.to_dict()
        if not args.per_query:
            del plain["per_query"]
        objects.append({"run": path, "qrels": args.qrels, **plain})
    return as_json(objects if len(objects) > 1 else objects[0])


FORMATS: Mapping[str, Callable[[Scored, argparse.Namespace], str]] = {
    "table": _as_table,
    "tsv": _as_tsv,
    "json": _as_json,
    "markdown": _as_table,
}
"""How the results of some runs are written."""
