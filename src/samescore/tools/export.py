"""export: a run, qrels and command lines by which trec_eval itself prints the numbers of a policy."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..backends.reference import Reference
from ..display import Code, Displayed, Part, Table, frame
from ..errors import GapError, GradeError, InputError, PolicyError, Wording, clause, examples
from ..evaluation import compute
from ..measures import Measure, parse_all
from ..measures.names import TREC_EVAL, TREC_EVAL_OPTIONS, name_of, version
from ..policy import Policy, check_policy
from ..preparation import prepare
from ..ranking import counted_documents
from ..readers import Run, read_qrels, read_run
from ..reference.graded import gain
from ..result import Result
from ..typing import MeasuresLike, QrelsLike, RunLike
from ..writing import as_folder, kept_back, write_files
from .pool import first_ranks
from .trec_eval.program import columns_of, lines, score

if TYPE_CHECKING:
    import pandas

LARGEST = 2**20
"""trec_eval allocates as many numbers as the largest grade."""

DEEPEST = 1_000_000
"""A cutoff below every ranking: trec_eval's success has none of its own."""

OF_THE_SET = {"P": "SetP", "R": "SetR", "F1": "SetF"}
"""Measures that trec_eval, where they have no cutoff, has as those of the set retrieved."""


@dataclass(frozen=True, slots=True)
class Option:
    """``-m``, ``-M`` where the ranking must be cut, and ``-l``."""

    measure: str
    cut: int | None = None
    level: int = 1

    @property
    def arguments(self) -> str:
        """The options beside ``-m``."""
        return " ".join(["-c", *([f"-l {self.level}"] if self.level > 1 else []), *([f"-M {self.cut}"] if self.cut else [])])


def option(measure: Measure) -> Option:
    """How trec_eval is asked for a resolved measure. RR@k is its recip_rank on rankings cut at k.

    Raises GapError for a measure that trec_eval lacks, or that its versions 9 and 10 compute otherwise.
    """
    plain = _plain(measure)
    printed, given = name_of(plain, TREC_EVAL), name_of(plain, TREC_EVAL_OPTIONS)
    of_grades = measure.entry.reads == "grades" and measure.entry.aggregate == "mean"
    if printed is None or given is None or version(printed) or not of_grades:
        raise GapError(f"export cannot ask trec_eval for {measure}", hint="a measure that it has, such as nDCG@10, P@5, R@10 or AP")
    cut = measure.cutoff if measure.name == "RR" else None
    return Option(given, cut=cut, level=int(measure.level or 1) if measure.entry.needs == "relevant" else 1)


def _plain(measure: Measure) -> Measure:
    """The measure that trec_eval has a name for, without what the qrels, ``-l`` and ``-M`` say."""
    params = tuple((name, value) for name, value in measure.params if name not in ("rel", "dcg", "gains"))
    if measure.name == "Success":
        return Measure("Success", measure.cutoff or DEEPEST, params)
    if measure.name == "RR":
        return Measure("RR", None, params)
    return Measure(measure.name if measure.cutoff else OF_THE_SET.get(measure.name, measure.name), measure.cutoff, params)


Rankings = Mapping[str, Sequence[str]]
"""Query -> documents in order of rank."""

Judged = Mapping[str, Mapping[str, float]]
"""Query -> document -> grade."""

_ODD = r"[\s\0\ufeff\ud800-\udfff]"
"""What an id in a file for trec_eval cannot hold: blanks, what ends a text in C, what begins a file, what has no UTF-8."""


def spelling(run: Run, judged: Judged) -> Callable[[str], str]:
    """How ids are written: as they are, or, where one holds a blank or the like or begins with ``#``, in percent-encoding."""
    odd = re.compile(rf"{_ODD}|^#")
    docs = chain.from_iterable([*(ranking.docs for ranking in run.rankings.values()), *judged.values()])
    return _encoded if any(odd.search(text) for text in chain(run.rankings, judged, docs)) else str


def _encoded(text: str) -> str:
    """Blanks, ``#``, ``%`` and the like as the hexadecimal of their bytes."""
    return re.sub(rf"{_ODD}|[#%]", lambda m: "".join(f"%{byte:02X}" for byte in m[0].encode("utf-8", "surrogatepass")), text)


def rankings(run: Run, judged: Judged, policy: Policy) -> Rankings:
    """The rankings of the judged queries as the policy orders, cuts and condenses them.

    A repeat that is held at its rank has an id of its own. Raises PolicyError for a document that counts twice, which trec_eval
    refuses.
    """
    listings = {q: counted_documents(run.rankings[q], q, grades, policy) for q, grades in judged.items() if q in run.rankings}
    for query, docs in listings.items() if policy.duplicates != "hold" else ():
        if len(set(docs)) < len(docs):
            what = "trec_eval refuses a document that is retrieved twice"
            raise PolicyError(what, query=query, hint=clause("duplicates", "first"))
    return {q: _held(docs, judged[q]) for q, docs in listings.items()} if policy.duplicates == "hold" else listings


def _held(docs: Sequence[str], judged: Collection[str]) -> Sequence[str]:
    """A ranking with another id, which is that of no document, in place of each repeat."""
    first, taken = first_ranks(docs), {*docs, *judged}
    fresh = (name for n in count(1) if (name := f"repeat-{n}") not in taken)
    return [doc if first[doc] == rank else next(fresh) for rank, doc in enumerate(docs, 1)]


def run_lines(rankings: Rankings, spell: Callable[[str], str]) -> Iterator[str]:
    """The lines of a run file, with scores that count down to 1."""
    for query, docs in rankings.items():
        name, n = spell(query), len(docs)
        yield from (f"{name} Q0 {spell(doc)} {rank} {n + 1 - rank} samescore\n" for rank, doc in enumerate(docs, 1))


Judgement = tuple[str, str, int]
"""A query, a document, and its gain or grade as a whole number."""


def judgements(measure: Measure, judged: Judged, queries: Collection[str]) -> Iterator[Judgement]:
    """The rows of the qrels for a resolved measure; a query without a judged document gets one that no ranking has.

    Raises GradeError for a gain or grade that is a fraction, or too large for trec_eval.
    """
    for query in filter(queries.__contains__, judged):
        for doc, grade in judged[query].items():
            worth = gain(grade, measure) if measure.entry.needs == "gain" else max(grade, 0)
            if worth != int(worth) or worth > LARGEST:
                what = f"the grade {grade} is worth {worth:g} to {measure}, and trec_eval reads whole grades up to 2^20"
                linear = Wording(clause("gain", "linear"), ", or ") if grade == int(grade) else ""
                raise GradeError(what, query=query, document=doc, hint=Wording(linear, "other measures"))
            yield query, doc, int(worth)
        if not judged[query]:
            yield query, "none-judged", 0


DEFAULT = Policy()

MEASURES = ("R@10", "RR", "nDCG@10")

RUN, COMMANDS = "run.txt", "commands.txt"


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, to be run in the folder, the name and value that it prints for a measure, and the mean in full."""

    measure: Measure
    line: str
    name: str
    printed: str
    value: float


@dataclass(frozen=True, slots=True, repr=False)
class Export(Displayed):
    """What was written to ``folder``: the files, and a command for each measure."""

    folder: Path
    files: tuple[Path, ...]
    commands: tuple[Command, ...]

    @property
    def table(self) -> pandas.DataFrame:
        """A row for each measure: the command, the name and value that it prints, and the mean in full."""
        texts = dict.fromkeys(("measure", "command", "name", "prints"), "object")
        return frame(self.records().rows, {**texts, "value": "float"})

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        files = [path.name for path in self.files]
        return {"folder": str(self.folder), "files": files, "commands": self.records().objects()}

    def records(self) -> Table:
        """A row for each measure."""
        rows = [(str(c.measure), c.line, c.name, c.printed, c.value) for c in self.commands]
        return Table(["measure", "command", "name", "prints", "value"], rows)

    def parts(self) -> list[Part]:
        """The commands, and where to run them."""
        rows = [(command.line, command.name, command.printed) for command in self.commands]
        return [Code(f"cd {shlex.quote(str(self.folder))}"), Table(["command", "name", "prints"], rows)]


def export(
    run: RunLike,
    qrels: QrelsLike,
    folder: str | os.PathLike[str],
    *,
    measures: MeasuresLike = MEASURES,
    policy: Policy = DEFAULT,
    force: bool = False,
) -> Export:
    """Write a run, qrels and the commands by which trec_eval (9 or 10) prints the numbers of a policy.

    The run has the rankings as the policy orders, cuts and condenses them, with scores that are ranks, so that no tie is
    left; the qrels have gains as grades where a measure wants that, and the queries that are averaged; measures that want
    different qrels get files of their own. Where an id holds a blank, a control character or half a surrogate pair, or begins
    with ``#``, all ids are percent-encoded.

    Parameters
    ----------
    run, qrels, measures, policy
        As for :func:`samescore.evaluate`.
    folder : path
        Where to write; made where it is not there. Files of these names in it are replaced, all together or none.
    force : bool
        Whether the run and the qrels themselves may be replaced.

    Returns
    -------
    Export
        The files, and a command for each measure.

    Raises
    ------
    GapError
        For a measure that trec_eval lacks or that its versions compute otherwise.
    GradeError
        For gains that are fractions or above 2^20.
    PolicyError
        For what trec_eval cannot express: a document that counts twice, an empty query that counts as 1.
    InputError
        Where nothing is left to score.
    WriteError
        Where a file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> made = export({"q": ["d1", "d2"]}, {"q": {"d2": 2}}, tempfile.mkdtemp(), measures="nDCG@10")
    >>> made.commands[0].line, made.commands[0].printed
    ('trec_eval -c -m ndcg_cut.10 qrels.txt run.txt', '0.6309')
    """
    check_policy(policy)
    requested = parse_all(measures)
    options = [option(policy.resolve(measure)) for measure in requested]
    prepared = prepare(run, qrels, requested, policy=policy, keep_rows=True)
    judged, listings = prepared.ranked.judgements, rankings(prepared.rows, prepared.ranked.judgements, policy)
    result = compute(prepared, Reference())
    rows = [
        tuple(judgements(resolved, judged, _averaged(result, measure, listings)))
        for measure, resolved in zip(requested, prepared.resolved, strict=True)
    ]
    into = as_folder(folder)
    names, spell = _names(rows, requested), spelling(prepared.rows, judged)
    files = {RUN: "".join(run_lines(listings, spell))}
    files |= {name: "".join(f"{spell(q)} 0 {spell(doc)} {grade}\n" for q, doc, grade in some) for some, name in names.items()}
    with kept_back(files) as copies:
        run_read = read_run(copies / RUN, format="trec")
        qrels_read = {name: read_qrels(copies / name, format="trec") for name in names.values()}
    commands = []
    for measure, how, name in zip(requested, options, (names[some] for some in rows), strict=True):
        as_trec_eval = Policy.trec_eval(complete=True, relevance_level=how.level, depth=how.cut)
        scores = score(run_read, qrels_read[name], columns_of([how.measure]), policy=as_trec_eval)
        printed_name, _, printed = next(lines(scores)).split()
        line = f"trec_eval {how.arguments} -m {how.measure} {name} {RUN}"
        commands.append(Command(measure, line, printed_name, printed, result[str(measure)]))
    printed_lines = [f"{c.line}\n# prints {c.name} all {c.printed}" for c in commands]
    files[COMMANDS] = "\n".join([f"# {result.signature}", *printed_lines, ""])
    write_files({into / name: text for name, text in files.items()}, inputs=[run, qrels], force=force)
    return Export(into, tuple(into / name for name in files), tuple(commands))


def _averaged(result: Result, measure: Measure, rankings: Rankings) -> Collection[str]:
    """The queries that a mean is taken over.

    Raises PolicyError where an empty one counts as 1, and InputError where trec_eval would have nothing to read.
    """
    averaged = result.values_of(measure)
    empty = [q for q in (*result.report.empty, *result.report.undefined.get(str(measure), ())) if q in averaged]
    if result.policy.empty == "one" and empty:
        what = f"trec_eval counts a query without a relevant document as 0, not 1: {examples(empty)}"
        raise PolicyError(what, hint=clause("empty", "zero", "skip"))
    if not any(rankings.get(query) for query in averaged):
        what = f"no query that is averaged for {measure} has a document that counts, and trec_eval refuses an empty run"
        raise InputError(what, hint="check that the files belong together")
    return averaged


def _names(rows: Sequence[tuple[Judgement, ...]], measures: Sequence[Measure]) -> Mapping[tuple[Judgement, ...], str]:
    """A name for each of the qrels that differ; the first are plain qrels."""
    named: dict[tuple[Judgement, ...], str] = {}
    for some, measure in zip(rows, measures, strict=True):
        plain = "".join(c if c.isalnum() else "_" for c in str(measure)).strip("_")
        named.setdefault(some, "qrels.txt" if not named else f"qrels.{plain}.txt")
    return named
