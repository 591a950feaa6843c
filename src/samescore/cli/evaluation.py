"""Commands that score runs: evaluate, compare, interval, suite, curve, gate and plot."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import samescore

from ..errors import InputError, short, warn_caller
from .inputs import read_labels
from .options import (
    ALPHA,
    AVERAGE,
    AVERAGE_OR_SLICES,
    BACKEND,
    CUTOFFS,
    DOC_OF,
    MEASURES,
    POLICY,
    QRELS_AND_RUN,
    QRELS_AND_RUNS,
    SLICES,
    TEST,
    WEIGHTS,
    OneOf,
    Output,
    at_commas,
    command,
    cutoff_list,
    measure_list,
    name_files_in_errors,
    number,
    option,
    pairs,
    read_names,
)  # fmt: skip
from .output import message_on_writing

if TYPE_CHECKING:
    from ..display import Displayed, Table

GROUPS = (
    option(
        "--group-queries", dest="groups", metavar="FILE", read=read_labels,
        help="several queries count as one, as the variants of a question: a query, a tab and its group a line",
    ),
    option("--group-by", dest="how", choices=("mean", "min"), help="the mean of a group, or its worst query (default: mean)"),
)  # fmt: skip


def _values(typed: Sequence[str]) -> dict[str, Any]:
    """The values beside runs, by the name of the run."""
    from ..tools.own_values import read_own_values  # imports numpy, which --help does not need

    each = [word.partition("=") for word in typed]
    if bad := [word for word, (name, equals, file) in zip(typed, each, strict=True) if not (name and equals and file)]:
        raise InputError(f"{short(bad[0])} names no run and file", hint="--values bm25=latency.csv")
    return {name: read_own_values(file) for name, _, file in each}


def _drops(typed: Sequence[tuple[str, str]]) -> Any:
    """How far measures may fall: one number or share for all, or by name."""
    each = {name or "*": value if value.endswith("%") else number(value) for name, value in typed}
    return each["*"] if list(each) == ["*"] else each


PLOTS = ("curve", "deltas", "precision-recall", "box", "slices")
"""The kinds of plots."""


@command(
    QRELS_AND_RUNS,
    MEASURES,
    BACKEND,
    DOC_OF,
    SLICES,
    AVERAGE_OR_SLICES,
    WEIGHTS,
    *GROUPS,
    option("--per-query", action="store_true", help="print the value of each query too"),
    option(
        "--tie-changes", action="store_true",
        help="name the queries for which another order of tied documents matters",
    ),
    POLICY,
    forms=("table", "tsv", "json", "markdown"),
)  # fmt: skip
def evaluate(
    runs: Sequence[tuple[str, Any]], qrels: Any, *, per_query: bool = False, groups: Any = None, how: Any = "mean", **options: Any
) -> Displayed:
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
      samescore evaluate qrels.txt run.txt -m nDCG@10,R@100
      samescore evaluate qrels.txt bm25.txt dense.txt -k 5,10 --backend ranx --format markdown
      samescore evaluate qrels.txt run.txt -m ndcg_cut_10 --policy trec_eval
    """
    from ..readers import open_qrels  # imports numpy, which --help does not need
    from ..result import Results
    from ..tools.runs import LOG

    judgements, named, files = open_qrels(qrels), [], []
    for name, run in runs:
        LOG.info("run %s", name)
        files.append({"run": getattr(run, "name", run), "qrels": getattr(qrels, "name", qrels)})
        with name_files_in_errors("{run} against {qrels}".format_map(files[-1])):
            result = samescore.evaluate(run, judgements, **options)
            named.append((name, result if groups is None else result.group_queries(groups, how)))
    return Results(named, per_query, files)


@command(
    QRELS_AND_RUNS,
    OneOf([measure_list("a measure, or several: nDCG@10,R@100; or a name of --values", read=read_names), CUTOFFS]),
    option(
        "--baseline", action="append", metavar="NAME",
        help="a run that the others are compared with; may be given several times (default: the first run)",
    ),
    option("--pairs", choices=("baseline", "all"), help="compare with the baseline, or each with each (default: baseline)"),
    TEST,
    option(
        "--correction", choices=("holm", "bonferroni", "bh", "none"), read=lambda word: None if word == "none" else word,
        help="how p is corrected for the number of pairs of runs (default: holm)",
    ),
    ALPHA,
    SLICES,
    DOC_OF,
    AVERAGE_OR_SLICES,
    WEIGHTS,
    option(
        "--values", action="append", metavar="RUN=FILE", read=_values,
        help="values of a run's queries under names of their own, such as latency: CSV or TSV with query_id, or JSON",
    ),
    option("--lower-is-better", action="extend", type=at_commas, metavar="NAME", help="which of these are better where lower"),
    *GROUPS,
    option("--resamples", type=int, metavar="N", help="how many permutations or resamples are drawn (default: 9999)"),
    option("--seed", type=int, metavar="N", help="where drawing starts (default: 0)"),
    option("--long", action="store_true", help="a row for each measure and pair of runs, with p, interval, effect and counts"),
    option("--biggest", type=int, metavar="N", help="show the queries that moved most, both ways"),
    BACKEND,
    POLICY,
    forms=("table", "markdown", "latex", "tsv", "json"),
)  # fmt: skip
def compare(biggest: int | None = None, *, long: bool = False, **options: Any) -> Displayed:
    """
    the first RUN is the baseline, unless --baseline names another by its file name without folder and ending. With --pairs all each
    run is compared with each, and runs that share a letter cannot be told apart. Runs are paired by
    query id, over the queries that all have a value for. A star marks a corrected p below --alpha; detectable is the smallest
    difference that so many queries show with a power of 80 %.

    output:
      table     a row for each run and a column for each measure, or, for two runs and with --long, a row for each measure and pair
                with all numbers; and sentences: who was left out, how p was found, what cannot be told apart
      markdown  the same, for a report
      latex     a booktabs table, a row a run and a column a measure: best in bold, arrows for significant differences; with
                several baselines or --pairs all a superscript names the runs that it is significantly better than
      tsv       the rows in full precision, with a head
      json      all of it as an object, with the values of each query
    --biggest N adds the N queries of each run that rose and that fell most to table and markdown.

    examples:
      samescore compare qrels.txt bm25.txt dense.txt hybrid.txt -m nDCG@10,R@100
      samescore compare qrels.txt runs/*.txt --pairs all --test tukey --format latex
      samescore compare qrels.txt bm25.txt dense.txt --test permutation --correction bh --slices languages.tsv --format markdown
    """
    from ..display import Column, Surrounded, Table, signed

    comparison = samescore.compare(**options)
    shown = comparison.long() if long else comparison
    if biggest is None:
        return shown
    rows = [
        (m, run, *([base] if comparison.several else []), *row)
        for m in comparison.measures
        for run, base in comparison.contrasts
        for row in comparison.moved(m, run, biggest, base)
    ]
    names = ["run", "baseline", "query", "before"] if comparison.several else ["run", "query", str(comparison.baseline)]
    return Surrounded(shown, [Table(["measure", *names, "value", Column("delta", styled=signed)], rows)])


@command(
    QRELS_AND_RUNS,
    MEASURES,
    option("--level", type=float, metavar="LEVEL", help="the confidence level (default: 0.95)"),
    option("--method", choices=("auto", "BCa", "percentile", "basic"), help="auto, or a bootstrap (default: auto)"),
    option("--resamples", type=int, metavar="N", help="how many resamples a bootstrap draws (default: 9999)"),
    option("--seed", type=int, metavar="N", help="where drawing starts (default: 0)"),
    DOC_OF,
    AVERAGE,
    WEIGHTS,
    BACKEND,
    POLICY,
    forms=("table", "markdown", "latex", "tsv", "json"),
)
def interval(
    runs: Sequence[tuple[str, Any]], qrels: Any, *, level: float = 0.95, method: Any = "auto", resamples: int = 9999, seed: int = 0,
    **options: Any,
) -> Table:  # fmt: skip
    """
    prints run, measure, mean, low, high, queries and method, a line for each. The method is chosen by the values: Clopper-Pearson
    for 0 and 1, Gaffke's bound for others between 0 and 1, Student's t for unbounded measures, and for a micro average or with
    --weights a bootstrap, which is approximate; low and high are "-" where there is none.

    example:
      samescore interval qrels.txt bm25.txt dense.txt -m nDCG@10,R@1
    """
    from ..display import Table, finite
    from ..readers import open_qrels
    from ..tools.runs import evaluate_runs

    rows = []
    for run, result in evaluate_runs(runs, open_qrels(qrels), **options).items():
        for name in result:
            found = samescore.interval(result, name, level=level, method=method, resamples=resamples, seed=seed)
            rows.append((run, name, *finite([found.mean, found.low, found.high]), found.queries, found.method))
    return Table(["run", "measure", "mean", "low", "high", "queries", "method"], rows)


@command(
    option("data_sets", metavar="FOLDER", nargs="+", help="a folder with the qrels and the runs of a data set"),
    MEASURES,
    option("--baseline", metavar="NAME", help="the run that the others are compared with (default: the first)"),
    TEST,
    ALPHA,
    AVERAGE,
    BACKEND,
    POLICY,
    forms=("table", "markdown", "latex", "tsv", "json"),
)
def suite(**options: Any) -> Displayed:
    """
    a FOLDER holds the qrels (a file qrels..., or BEIR's qrels/test.tsv) and the runs (the files in runs/, or all others). Runs of
    one name are the same run. A run that lacks a data set has no mean of means.

    output:
      table     for each measure data sets and runs, then what differs across the data sets, and sentences
      markdown  the same, for a report
      latex     the tables
      tsv       a line for each data set, measure and run: mean, difference to the baseline, p, queries
      json      all of it as an object, with the comparison of each data set

    example:
      samescore suite data/scifact data/nfcorpus data/fiqa -m nDCG@10,R@100 --baseline bm25
    """
    return samescore.compare_suite(**options)


@command(
    QRELS_AND_RUNS,
    option("-m", "--measure", metavar="MEASURE", help="a measure without its cutoff (default: R)"),
    cutoff_list("the cutoffs (default: 1,5,10,20,50,100)"),
    option("--keep", type=float, metavar="SHARE", help="the share of the value at the largest k that is enough (default: 0.95)"),
    option("--flat", type=float, metavar="RISE", help="it is flat where a doubling of k adds less than this (default: 0.01)"),
    DOC_OF,
    AVERAGE,
    BACKEND,
    POLICY,
    forms=("table", "markdown", "tsv", "json"),
)
def curve(**options: Any) -> Displayed:
    """
    output:
      table     a row for each cutoff and a column for each run, and a sentence for each run
      markdown  the same, for a report
      tsv       run, k, value and the ends of its interval at 95 % in full precision, with a head
      json      all of it as an object

    example:
      samescore curve qrels.txt bm25.txt dense.txt -m R -k 1,5,10,50,100
    """
    return samescore.curve(**options)


@command(
    Output(option("--baseline", metavar="FILE", required=True, help="the baseline, a JSON file"), when="write_baseline"),
    QRELS_AND_RUN,
    measure_list("a measure, or several (default: all of the baseline; when it is written, R@10, RR and nDCG@10)"),
    option(
        "--max-drop", action="extend", type=pairs, metavar="DROP", read=_drops,
        help="how far a measure may fall: 0.02, 5%%, or RR=0.02,nDCG@10=5%% (default: 0.01)",
    ),
    option(
        "--min", dest="floors", action="extend", type=pairs, metavar="MEASURE=VALUE",
        read=lambda typed: {name: number(value) for name, value in typed},
        help="the least that a measure must be, whatever the baseline: R@10=0.8",
    ),
    option(
        "--undecided", choices=("fail", "pass"),
        help="what becomes of a run that so few queries cannot decide (default: it passes where no mean fell by more than DROP)",
    ),
    option("--significant", action="store_true", help="accepted as before; the three answers say what it said"),
    ALPHA,
    TEST,
    option(
        "--allow-lost", action="append", metavar="QUERY",
        help="a query of the baseline that may be left out now; may be given several times",
    ),
    option("--exclude-queries", action="append", metavar="QUERY", help="a query to leave out; may be given several times"),
    SLICES,
    AVERAGE_OR_SLICES,
    WEIGHTS,
    option("--ratchet", action="store_true", help="write the baseline anew where all passed and a mean rose beyond its interval"),
    option("--write-baseline", action="store_true", help="store the run as the baseline, and compare nothing"),
    option("--no-ids", dest="ids", action="store_false", help="with --write-baseline, store no ids of documents"),
    DOC_OF,
    BACKEND,
    POLICY,
    forms=("markdown", "table", "tsv", "json"),
    exit_1_unless_ok=True,
)  # fmt: skip
def gate(run: Any, qrels: Any, baseline: str, *, write_baseline: bool = False, force: bool = False, **options: Any) -> Displayed:
    """
    each measure failed (the interval of its change lies wholly beyond a fall of --max-drop), passed (none of it does, or no query
    fell), or is undecided (so few queries can neither show nor rule out such a fall).

    exit codes: 0 where all passed, or what is undecided fell by no more than --max-drop, with a warning; 1 where a measure failed
    or is below --min, or a query of the baseline is lost (left out now, as --missing skip does where the run lacks it); 3 where a
    measure is undecided and fell by more than --max-drop (--undecided says otherwise); 2 for bad input, and for a baseline of
    another --doc-of, or of a golden set or policy that its stored ranks cannot answer.

    output:
      markdown  a heading, a table, the queries that fell most in what fell, and notes, fit for a pull request
      table     the table and the notes in plain text
      tsv       a line for each measure and slice: baseline, now, change, its interval, p, queries, the answer, in full precision
      json      all of it as an object
    With --write-baseline the run is stored as the baseline, with per-query values, the policy, the fingerprints of the qrels and of
    --doc-of, and the ranks of the judged documents, and its means are printed. Where it has a user-defined measure,
    -m module:function gives that again.

    examples:
      samescore gate qrels.txt run.txt --baseline baseline.json -m R@10,nDCG@10 --write-baseline
      samescore gate qrels.txt run.txt --baseline baseline.json --max-drop RR=0.02,nDCG@10=5% --min R@10=0.8
    """
    from ..display import Surrounded, Title

    if not write_baseline:
        options.pop("ids", None)
        return samescore.gate(run, qrels, baseline, **options)
    scoring = {name: value for name, value in options.items() if name in inspect.signature(samescore.write_baseline).parameters}
    result = samescore.write_baseline(baseline, run, qrels, force=force, **scoring)
    return Surrounded(result, below=[Title(f"written to {baseline}")])


@command(
    Output(option("-o", "--output", metavar="FILE", required=True, help="where the plot is written: .png or .svg")),
    option("kind", metavar="KIND", choices=PLOTS, help=", ".join(PLOTS)),
    QRELS_AND_RUNS,
    option("-m", "--measure", metavar="MEASURE", help="the measure to draw, without its cutoff for a curve"),
    cutoff_list("the cutoffs of a curve (default: 1,5,10,20,50,100)"),
    SLICES,
    DOC_OF,
    AVERAGE,
    option("--format", dest="form", choices=("png", "svg"), help="how it is written (default: by the ending of FILE)"),
    BACKEND,
    POLICY,
)
def plot(output: str, form: str | None = None, force: bool = False, **options: Any) -> str | None:
    """
    kinds:
      curve             a measure (-m, default R) at each cutoff (-k, default 1,5,10,20,50,100), a line for each run
      deltas            how much better or worse the second run is than the first, a bar for each query (-m, default nDCG@10)
      precision-recall  interpolated precision at eleven levels of recall, a line for each run
      box               the spread of a measure over the queries, a box for each run (-m, default nDCG@10)
      slices            the mean of a measure in each slice of the queries (--slices), a point for each run (-m, default nDCG@10)

    examples:
      samescore plot curve qrels.txt bm25.txt dense.txt -k 1,5,10,50 -o recall.svg
      samescore plot deltas qrels.txt bm25.txt dense.txt -m nDCG@10 -o deltas.png
    """
    from ..tools import plots

    form = plots.form_of(output, form)
    figure = plots.plot(**options)
    with _lacking_characters():
        plots.save(figure, output, form, inputs=[options["runs"], options["qrels"]], force=force)
    return message_on_writing(output, output)


@contextmanager
def _lacking_characters() -> Iterator[None]:
    """Say once, and not for each character, that the font lacks some of a name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    lacking = {str(warning.message) for warning in caught if str(warning.message).startswith("Glyph")}
    for warning in caught:
        if str(warning.message) not in lacking:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if lacking:
        what = f"the font has no sign for {len(lacking)} characters of the names, drawn as boxes"
        warn_caller(f"{what}: font.sans-serif in a matplotlibrc file names other fonts")
