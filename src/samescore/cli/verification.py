"""Commands that check numbers: validate, explain, export, ties, crosscheck, measures, backends and trec_eval."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import samescore

from ..display import Displayed, Part, Table
from ..errors import InputError, MeasureError, examples, short, with_settings
from ..policy import Policy
from .options import (
    BACKEND,
    FORCE,
    FORMS,
    MEASURES,
    POLICY,
    QRELS_AND_RUN,
    OneOf,
    at_commas,
    backend_option,
    command,
    import_backends,
    measure_list,
    named_policy,
    option,
)
from .parser import Parser

if TYPE_CHECKING:
    from ..backends import Gap

    Gaps = Mapping[str, Mapping[str, Gap | None]]
    """Measure -> backend -> its gap, or None where it has the measure."""


TOOL = option(
    "--tool", metavar="NAME",
    help="whose names the reported numbers have, where their file does not tell: trec_eval, ir_measures, ranx, beir, "
    "mteb ... (samescore measures lists all)",
)  # fmt: skip


@command(
    QRELS_AND_RUN,
    option("reported", metavar="REPORTED", help="the numbers to validate"),
    TOOL,
    backend_option("who recomputes (default: reference)"),
    option("--no-explanation", dest="why", action="store_false", help="do not search for what the numbers are"),
    POLICY,
    forms=FORMS,
    exit_1_unless_ok=True,
)  # fmt: skip
def validate(**options: Any) -> Displayed:
    """
    REPORTED is trec_eval's output (8 to 10, with -q or without), ir_measures' lines or JSON, ranx's or BEIR's JSON, or the JSON of
    samescore evaluate. Names mean what they mean in the tool that wrote them. Each value is recomputed and compared to the
    precision that was printed; where some differ, all policies are searched for those that give the reported numbers.
    Without options of the policy it is the tool's own: for trec_eval with -c or without, whichever agrees.

    exit code: 0 if everything agrees, 1 if something differs, 2 for bad input.

    examples:
      trec_eval -q qrels.txt run.txt > reported.txt; samescore validate qrels.txt run.txt reported.txt
      samescore validate qrels.txt run.txt scores.json --tool ranx --format json
    """
    return samescore.validate(**options)


def _reported(typed: Sequence[str]) -> Any:
    """Numbers as {measure: text}, or the path of a file of them.

    Raises InputError for what is neither.
    """
    if len(typed) == 1 and os.path.exists(typed[0]):
        return typed[0]
    pairs = [text.rpartition("=") for text in typed]
    for text, (name, _, _) in zip(typed, pairs, strict=True):
        if not name:
            raise InputError(f"{short(text)} is neither a number that was reported nor a file", hint="-r nDCG@10=0.4675")
    return {name: value for name, _, value in pairs}


@command(
    QRELS_AND_RUN,
    OneOf(
        [
            option("-m", "--measure", metavar="MEASURE", help="the measure to walk with, such as nDCG@10"),
            option(
                "-r", "--reported", metavar="MEASURE=VALUE|FILE", action="append", read=_reported,
                help="a number that was reported, with all its decimals, or a file of them; may be given several times",
            ),
        ],
        required=True,
    ),
    option(
        "--to", dest="b", metavar="PRESET|SIGNATURE", read=named_policy,
        help="where the walk ends (default: trec_eval); it starts, as the search does, from the policy of the options below",
    ),
    TOOL,
    backend_option("who scores the walk: auto, ir_measures, ranx or reference (default: auto)"),
    POLICY,
    forms=FORMS,
)  # fmt: skip
def explain(policy: Policy | None = None, **options: Any) -> Displayed:
    """
    With -m: from one policy to another clause by clause, with the change of the mean and the queries that each clause moves.
    With -r: which policies give the numbers that were reported, the simplest first; all clauses that can matter are tried.

    examples:
      samescore explain qrels.txt run.txt -m nDCG@10
      samescore explain qrels.txt run.txt -m nDCG@10 --unjudged drop --to trec_eval
      samescore explain qrels.txt run.txt -r nDCG@10=0.4675 -r AP=0.2411
      samescore explain qrels.txt run.txt -r published.json --tool beir
    """
    explained: Displayed = samescore.explain(a=policy or Policy(), **options)
    return explained


@command(
    QRELS_AND_RUN,
    option("folder", metavar="FOLDER", help="where to write; made if it is not there"),
    measure_list(
        "a measure that trec_eval has, such as nDCG@10, or several (default: R@10, RR and nDCG@10)"
    ),
    FORCE,
    POLICY,
    forms=FORMS,
)  # fmt: skip
def export(**options: Any) -> Displayed:
    """
    FOLDER gets run.txt, with ranks as scores so that no tie is left, qrels.txt (and others where a measure wants other grades or
    queries), and commands.txt: the command lines of trec_eval (9 or 10) with the values that they print, which are printed here
    too.

    example:
      samescore export qrels.txt run.txt for-trec_eval -m nDCG@10,R@100
    """
    return samescore.export(**options)


@command(
    QRELS_AND_RUN,
    measure_list("a measure, or several", required=True),
    option("--per-query", action="store_true", help="print each query instead of the means"),
    POLICY,
    forms=FORMS,
    tsv_with="per_query",
)
def ties(per_query: bool = False, **options: Any) -> Any:
    """
    The lowest, the expected and the highest value over all orders of tied documents (McSherry and Najork 2008), and the value under
    the policy. Measures: P, R, R_cap, F1, Success, Rprec, RR, AP, DCG, nDCG, RBP, with any cutoff.
    --per-query shows a row for each query and measure instead.

    example:
      samescore ties qrels.txt run.txt -m nDCG@10 -m RR
    """
    bounds = samescore.tie_bounds(**options)
    return bounds.per_query if per_query else bounds


@command(
    QRELS_AND_RUN,
    MEASURES,
    option(
        "--backend", dest="backends", action="extend", type=at_commas, metavar="NAME", read=import_backends,
        help="a backend, or package.module:Object, or several (default: all that are installed)",
    ),
    POLICY,
    forms=FORMS,
    exit_1_unless_ok=True,
)  # fmt: skip
def crosscheck(**options: Any) -> Displayed:
    """
    Every backend that has a measure computes it from one ranking of the run, and each value of each query is compared with the
    reference: to 1e-9, or to the resolution that a backend declares where its tool prints few decimals. A gap is shown by its kind.
    Without --backend all that are installed take part, ir_measures' other providers among them.

    exit code: 0 if everything agrees, 1 if something differs, 2 for bad input.

    examples:
      samescore crosscheck qrels.txt run.txt
      samescore crosscheck qrels.txt run.txt -m nDCG@10 -m RR --backend ranx --backend mypackage.scores:Backend
    """
    return samescore.crosscheck(**options)


@command(option("measure", nargs="?", metavar="NAME", help="a measure, by any of its names (default: all)"), TOOL, forms=FORMS)
def measures(measure: str | None = None, tool: str | None = None) -> Displayed:
    """
    Without NAME a line for each measure of the catalogue; with it the definition, the parameters, the source, the names that each
    tool has for it and the backends that compute it. --format tsv prints measure, tool and name.

    examples:
      samescore measures
      samescore measures map_at_10 --tool mteb
    """
    return samescore.describe(measure, tool=tool or "samescore")


@command(forms=FORMS)
def backends() -> Matrix:
    """
    yes: the backend has the measure; else the kind of gap: never (it has another definition under this name), upstream (the
    library lacks or breaks it), todo. A backend that lacks a measure refuses it; there is no silent change to another. The last
    column names the other providers of ir_measures that have it, each a backend as ir_measures/NAME.
    --format tsv prints measure, backend, and yes or the kind of gap, and why; json the same as an object, null where there is no
    gap.
    """
    from ..backends import Grades, matrix  # imports numpy, which --help does not need

    special = {
        "fractional grades": Grades(whole=False),
        "gains above 2^20": Grades(largest=2**21),
        "a document twice in a ranking": Grades(repeat=True),
    }
    return Matrix(matrix(), {what: matrix(grades) for what, grades in special.items()})


PROVIDER = "ir_measures/"
"""How the backends begin that have a few measures and share a column."""


@dataclass(frozen=True, slots=True, repr=False)
class Matrix(Displayed):
    """Measures and backends: the gaps, and for what may stand in a run or qrels, the gaps that there are then."""

    gaps: Gaps
    special: Mapping[str, Gaps]

    def parts(self) -> list[Part]:
        """A row for each measure, and a line for each gap, those that depend on the input last."""
        general = [name for name in next(iter(self.gaps.values())) if not name.startswith(PROVIDER)]
        rows = [(measure, *(_kind(row[name]) for name in general), _providers(row)) for measure, row in self.gaps.items()]
        special = [line for what, gaps in self.special.items() for line in _reasons(gaps, self.gaps, f", with {what}")]
        return [Table(["measure", *general, f"{PROVIDER}..."], rows), *_reasons(self.gaps, {}, ""), *special]

    def records(self) -> Table:
        """A row for each measure and backend."""
        rows = [(m, name, _kind(gap), gap.why if gap else "") for m, row in self.gaps.items() for name, gap in row.items()]
        return Table(["measure", "backend", "gap", "why"], rows, head=False)

    def to_dict(self) -> dict[str, Any]:
        """Measure -> backend -> kind, reason and remedy of the gap, or None."""
        return {m: {name: _plain(gap) for name, gap in row.items()} for m, row in self.gaps.items()}


def _kind(gap: Gap | None) -> str:
    """What the table says of a measure and a backend."""
    return gap.kind if gap else "yes"


def _providers(row: Mapping[str, Gap | None]) -> str | None:
    """Which of ir_measures' other providers have a measure."""
    return ",".join(name.removeprefix(PROVIDER) for name, gap in row.items() if name.startswith(PROVIDER) and not gap) or None


def _plain(gap: Gap | None) -> dict[str, str] | None:
    """A gap for JSON."""
    return {"kind": gap.kind, "why": gap.why, "instead": gap.instead} if gap else None


def _reasons(gaps: Gaps, known: Gaps, when: str) -> Iterator[str]:
    """A line for each gap that is not known yet; measures with the same gap share a line."""
    for backend in next(iter(gaps.values())):
        unreported = [measure for measure in gaps if not (known and known[measure][backend])]
        measures: dict[Gap, list[str]] = {}
        for measure in unreported:
            gap = gaps[measure][backend]
            if gap:
                measures.setdefault(gap, []).append(measure)
        for gap, names in measures.items():
            which_measures = ", ".join(names)
            if 2 * len(names) > len(unreported):
                which_measures = "every measure" if len(names) == len(unreported) else "the measures that it lacks"
            yield f"{backend}, {which_measures}{when}: {gap.kind}, {_as_options(gap.why)}; try {_as_options(gap.instead)}"


def _as_options(text: str) -> str:
    """What is said of a gap, in options of the commands that score."""
    scoring = Parser()
    BACKEND.add(scoring)
    POLICY.add(scoring)
    return with_settings(text, lambda setting: scoring.typed(setting) or str(setting))


REFUSED: Mapping[str, str] = {
    "-D": "traces of the computation are trec_eval's own",
    "-R": "of the forms of judgements only qrels can be scored",
    "-T": "of the forms of results only trec_results can be scored",
    "-Z": "z-scores are trec_eval's own",
    "-a": "-m all_trec prints all measures",
}
"""Options of trec_eval, one of them of an older one, that are not here, and why."""


class _Refused(argparse.Action):
    """An option of trec_eval that is not here."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: object, values: object, flag: str | None = None) -> None:
        """Stop with the reason."""
        raise MeasureError(f"samescore trec_eval has no {flag}: {REFUSED[str(flag)]}", hint="samescore trec_eval --help")


def _positive_integer(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


@command(
    option("qrels", metavar="QRELS", help="a TREC qrels file, plain or .gz"),
    option("results", metavar="RUN", help="a TREC run file, plain or .gz"),
    option("-q", "--query_eval_wanted", dest="per_query", action="store_true", help="print each query before the summary"),
    option("-n", "--nosummary", dest="summary", action="store_false", help="print no summary"),
    option(
        "-m", "--measure", dest="measures", action="append", metavar="MEASURE", help="what to print; may be given several times"
    ),
    option(
        "-c", "--complete_rel_info_wanted", dest="complete", action="store_true",
        help="average over all judged queries; those that the run lacks count as 0",
    ),
    option(
        "-l", "--level_for_rel", dest="relevance_level", type=_positive_integer, metavar="N",
        help="the lowest relevant grade (default: 1)",
    ),
    option(
        "-M", "--Max_retrieved_per_topic", dest="depth", type=_positive_integer, metavar="N",
        help="only the first N documents of a query count",
    ),
    option(
        "-J", "--Judged_docs_only", dest="unjudged", action="store_const", const="drop", help="drop unjudged documents, after -M"
    ),
    option(
        "-N", "--Number_docs_in_coll", dest="collection", type=int, metavar="N",
        help="how many documents there are, which utility can read (default: 0)",
    ),
    option("-o", dest="ignored", action="store_true", help="changes nothing, as in trec_eval"),
    *(option(flag, dest="refused", action=_Refused, nargs="?", help=argparse.SUPPRESS) for flag in REFUSED),
)  # fmt: skip
def trec_eval(
    qrels: str, results: str, *, measures: tuple[str, ...] = ("official",), per_query: bool = False, summary: bool = True,
    collection: int = 0, ignored: bool = False, **clauses: Any,
) -> None:  # fmt: skip
    """
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
    from ..readers import load_rows, open_qrels, open_run  # imports numpy, which --help does not need
    from ..tools.trec_eval import program

    columns = program.columns_of(measures)
    judgements, run = open_qrels(qrels), load_rows(open_run(results, format="trec_eval"))
    scores = program.score(run, judgements, columns, policy=Policy.trec_eval(**clauses), collection=collection)
    for line in program.lines(scores, per_query=per_query, summary=summary):
        print(line)
    if scores.missing:
        what = f"the run lacks {len(scores.missing)} judged queries, which are left out: {examples(scores.missing)}"
        print(f"samescore: note: {what}\ntry: -c, which counts them as 0", file=sys.stderr)
