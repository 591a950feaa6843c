"""Commands that check numbers: validate, explain, export, ties, crosscheck, backends and trec_eval."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..display import Displayed, Part, Table
from ..errors import MeasureError, PolicyError, examples
from ..policy import Policy
from .options import command, option

if TYPE_CHECKING:
    from ..backends import Gap

    Gaps = Mapping[str, Mapping[str, Gap | None]]
    """Measure -> backend -> its gap, or None where it has the measure."""


@command(forms=("table", "tsv", "json", "markdown"))
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
        "a document twice in a ranking (duplicates='each')": Grades(repeat=True),
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
        had = [measure for measure in gaps if not (known and known[measure][backend])]
        measures: dict[Gap, list[str]] = {}
        for measure in had:
            gap = gaps[measure][backend]
            if gap:
                measures.setdefault(gap, []).append(measure)
        for gap, names in measures.items():
            which = ", ".join(names)
            if 2 * len(names) > len(had):
                which = "every measure" if len(names) == len(had) else "the measures that it lacks"
            yield f"{backend}, {which}{when}: {gap.kind}, {gap.why}; try {gap.instead}"


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


def _whole(text: str) -> int:
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
        "-l", "--level_for_rel", dest="relevance_level", type=_whole, metavar="N", help="the lowest relevant grade (default: 1)"
    ),
    option(
        "-M", "--Max_retrieved_per_topic", dest="depth", type=_whole, metavar="N",
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
    from ..readers.files import load_rows, read_qrels_file, read_run_file  # imports numpy, which --help does not need
    from ..tools.trec_eval import program

    columns = program.asked(measures)
    judgements, run = read_qrels_file(qrels), load_rows(read_run_file(results, more_columns=True))
    try:
        scores = program.score(run, judgements, columns, policy=Policy.trec_eval(**clauses), collection=collection)
    except PolicyError as error:  # the clauses of the policy are no options here
        error.hint = f"samescore evaluate --policy trec_eval {error.hint}"
        raise
    for line in program.lines(scores, per_query=per_query, summary=summary):
        print(line)
    if scores.missing:
        what = f"the run lacks {len(scores.missing)} judged queries, which are left out: {examples(scores.missing)}"
        print(f"samescore: note: {what}\ntry: -c, which counts them as 0", file=sys.stderr)
