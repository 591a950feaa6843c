"""validate: recompute what another tool reported, say what agrees, and explain what does not."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..display import Outcome, Part, Table, Title, frame
from ..errors import MeasureError, PolicyError, examples
from ..evaluation import evaluate
from ..measures import Measure
from ..measures.names import current, version
from ..measures.parsing import meaning
from ..policy import Policy, as_code
from ..readers import Qrels, Run, read_qrels, read_run
from ..readers.files import load_rows, read_run_file
from .explain import explain, possible, searchable
from .explain.readings import Search, count_values
from .reported import Printed, Reported, read_reported
from .ties import TieBounds, bounded, tie_bounds
from .trec_eval.program import TABLE, Column, asked, score

if TYPE_CHECKING:
    import pandas


def policies(tool: str, signature: str) -> Sequence[Policy]:
    """The policies that a tool may have had, the likeliest first; ``signature`` is that of a result of samescore."""
    if signature:
        return [Policy.parse(signature)]
    return POLICIES[tool]()


def _trec_eval() -> Sequence[Policy]:
    """trec_eval 10, without and with -c, and the versions before it, which order by 32-bit scores."""
    return [Policy.trec_eval(complete=c).but(float32_scores=f) for f in (False, True) for c in (False, True)]


def _ranx() -> Sequence[Policy]:
    """ranx, and with ``make_comparable=True``, by which queries that the run lacks count as 0."""
    return [Policy.ranx(), Policy.ranx().but(missing="zero")]


def _beir() -> Sequence[Policy]:
    """BEIR, and as before it dropped documents with the id of their query."""
    return [Policy.beir(), Policy.beir().but(self_hits="keep")]


POLICIES: Mapping[str, Callable[[], Sequence[Policy]]] = {
    "samescore": lambda: [Policy()],
    "trec_eval": _trec_eval,
    "ir_measures": lambda: [Policy.ir_measures()],
    "ranx": _ranx,
    "beir": _beir,
}
"""Tool -> its policies."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Measures that a tool computes by other code than the rest: the clauses that this has otherwise, and its decimals."""

    measures: Callable[[Measure], bool]
    clauses: Mapping[str, Any] = field(default_factory=dict)
    decimals: int | None = None


_AS_GIVEN = {"ties": "input", "float32_scores": False}

_CWL_EVAL = ("RBP", "INST", "INSQ", "BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11")

ELSEWHERE: Mapping[str, Sequence[Elsewhere]] = {
    "ir_measures": (
        Elsewhere(lambda m: m.name == "RR" and m.cutoff is not None, {"ties": "doc_id_ascending", "float32_scores": False}),
        Elsewhere(lambda m: m.name in _CWL_EVAL, _AS_GIVEN),
        Elsewhere(lambda m: m.name == "ERR" or m.get("dcg") == "exp-log2", {"float32_scores": False}, decimals=5),
    ),
    "beir": (
        Elsewhere(lambda m: m.name == "RR", {**_AS_GIVEN, "missing": "zero", "self_hits": "keep"}),
        Elsewhere(lambda m: m.name == "R_cap", {**_AS_GIVEN, "self_hits": "keep"}),
    ),
}
"""Tool -> what it computes elsewhere: ir_measures by MS MARCO's script, cwl_eval and gdeval; BEIR by its custom measures."""


def elsewhere(measure: Measure, tool: str) -> Elsewhere | None:
    """How a tool computes a measure, if otherwise than the rest."""
    return next((other for other in ELSEWHERE.get(tool, ()) if other.measures(measure)), None)


def own_policy(measure: Measure, tool: str, policy: Policy) -> Policy:
    """The policy by which a tool computes one measure."""
    other = elsewhere(measure, tool)
    return policy.but(**other.clauses) if other else policy


def as_printed(report: Reported) -> Reported:
    """A report with the decimals that some code of its tool rounds to, whatever is printed after them."""
    known = {name: meaning(name, report.tool) for name in report.names}
    others = {name: elsewhere(m, report.tool) for name, m in known.items() if m is not None}
    coarse = {name: other.decimals for name, other in others.items() if other and other.decimals}
    means = {name: _rounded(printed, coarse.get(name)) for name, printed in report.means.items()}
    per_query = {name: {q: _rounded(p, coarse.get(name)) for q, p in row.items()} for name, row in report.per_query.items()}
    return replace(report, means=means, per_query=per_query)


def _rounded(printed: Printed, decimals: int | None) -> Printed:
    """A number that was rounded before it was printed."""
    return printed if decimals is None else Printed(printed.value, min(decimals, printed.decimals or decimals))


@dataclass(frozen=True, slots=True)
class Recomputed:
    """Values here: ``means`` by name, ``per_query`` by name and query, for all that can be recomputed under ``policy``."""

    policy: Policy
    means: Mapping[Any, float]
    per_query: Mapping[Any, Mapping[str, float]]


def recompute(
    run: Run, qrels: Qrels, report: Reported, policy: Policy, *, queries: Iterable[Any] | None, backend: Any
) -> Recomputed:
    """Recompute a report.

    Raises what :func:`samescore.evaluate` raises; PolicyError where the policy refuses the run or the qrels.
    """
    if report.tool == "trec_eval" and queries is None:
        return _by_trec_eval(run, qrels, report, policy)
    known = {name: m for name, m in ((name, meaning(name, report.tool)) for name in report.names) if m is not None}
    return _by_catalogue(run, qrels, known, report.tool, policy, queries=queries, backend=backend)


def as_version_9(run: Run, qrels: Qrels, names: Iterable[str], policy: Policy, *, backend: Any) -> Recomputed:
    """Those of some of trec_eval's measures that version 9 computes otherwise than 10, as it does."""
    old = {name: meaning(name, "trec_eval") for name in names if version(name) == "9"}
    known = {name: measure for name, measure in old.items() if measure is not None}
    return _by_catalogue(run, qrels, known, "trec_eval", policy, queries=None, backend=backend)


def _by_catalogue(
    run: Run, qrels: Qrels, known: Mapping[Any, Measure], tool: str, policy: Policy, *, queries: Iterable[Any] | None, backend: Any
) -> Recomputed:
    """By evaluate, for names that mean a measure of the catalogue; once for each policy that the tool has for some measure."""
    by_policy: dict[Policy, dict[Any, Measure]] = {}
    for name, measure in known.items():
        by_policy.setdefault(own_policy(measure, tool, policy), {})[name] = measure
    means: dict[Any, float] = {}
    per_query: dict[Any, dict[str, float]] = {}
    for own, some in by_policy.items():
        measures = list(dict.fromkeys(some.values()))
        result = evaluate(run, qrels, measures=measures, policy=own, queries=queries, backend=backend)
        rows = result.to_dict()["per_query"]
        means |= {name: result[str(measure)] for name, measure in some.items()}
        per_query |= {n: {q: row[str(m)] for q, row in rows.items() if row[str(m)] is not None} for n, m in some.items()}
    return Recomputed(policy, means, per_query)


def _by_trec_eval(run: Run, qrels: Qrels, report: Reported, policy: Policy) -> Recomputed:
    """By trec_eval's own measures."""
    columns = {name: column for name, column in ((name, _column(str(name))) for name in report.names) if column is not None}
    scores = score(run, qrels, list(columns.values()), policy=policy)
    means = {name: float(value) for name, value in zip(columns, scores.summary, strict=True) if isinstance(value, (int, float))}
    by_name = zip(columns, zip(*scores.values, strict=True), strict=True)
    per_query = {name: dict(zip(scores.queries, map(float, values), strict=True)) for name, values in by_name if name in means}
    return Recomputed(policy, means, per_query)


def _column(name: str) -> Column | None:
    """The column that trec_eval prints under a name, in whichever version; None where it has none."""
    name = current(name)
    stem = max((known for known in TABLE if name == known or name.startswith(f"{known}_")), key=len, default=name)
    params = name[len(stem) + 1 :]
    try:
        found: Sequence[Column] = asked([f"{stem}.{params}" if params else stem])
    except MeasureError:
        return None
    return found[0] if len(found) == 1 else None


SHOWN = 10
"""How many values that differ are printed."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that differs: ``query`` is None for a mean, ``here`` None where the query is left out here."""

    measure: str
    query: str | None
    reported: Printed
    here: float | None

    @property
    def difference(self) -> float | None:
        """The value here less the reported one."""
        return None if self.here is None else self.here - self.reported.value

    def __str__(self) -> str:
        where = "mean" if self.query is None else f"query {self.query!r}"
        return f"{self.measure}, {where}: reported {self.reported}, {_shown(self.reported, self.here)}"


@dataclass(frozen=True, slots=True)
class Line:
    """One measure: its mean as reported (None where only queries were) and here, and how many values of queries differ."""

    measure: str
    reported: Printed | None
    here: float
    agrees: bool
    queries: int
    differing: int


@dataclass(frozen=True, slots=True, repr=False)
class Validation(Outcome):
    """Whether the numbers that ``tool`` reported are those of ``policy`` on this run and these qrels; true where they are.

    ``unknown`` are the names that cannot be recomputed; ``notes`` say what else is to be known. ``explanation`` is the search for
    the policies that give the reported values, where some differ.
    """

    tool: str
    policy: Policy
    lines: tuple[Line, ...]
    all_differences: tuple[Difference, ...]
    unknown: tuple[str, ...]
    notes: tuple[str, ...]
    explanation: Search | None = None

    @property
    def ok(self) -> bool:
        """Whether every value that can be recomputed agrees."""
        return not self.all_differences

    @property
    def table(self) -> pandas.DataFrame:
        """A row for each measure: its mean as reported and here, whether they agree, how many queries were compared and differ."""
        return frame(self.records().rows, COLUMNS)

    def records(self) -> Table:
        """A row for each measure."""
        rows = [(w.measure, w.reported and w.reported.value, w.here, w.agrees, w.queries, w.differing) for w in self.lines]
        return Table(list(COLUMNS), rows)

    @property
    def differences(self) -> pandas.DataFrame:
        """A row for each value that differs, the means first (``query_id`` is ``all``); NaN where a query is left out here."""
        rows = [(d.measure, d.query or "all", d.reported.value, d.here, d.difference) for d in self.all_differences]
        return frame(rows, DIFFERENCE_COLUMNS)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        return {
            "ok": self.ok,
            "tool": self.tool,
            "policy": self.policy.signature,
            "measures": [
                {
                    "measure": w.measure, "reported": str(w.reported) if w.reported else None, "here": w.here,
                    "agrees": w.agrees, "queries": w.queries, "differing": w.differing,
                }
                for w in self.lines
            ],
            "differences": [
                {"measure": d.measure, "query_id": d.query, "reported": str(d.reported), "here": d.here}
                for d in self.all_differences
            ],
            "unknown": list(self.unknown),
            "notes": list(self.notes),
            "explanation": self.explanation.to_dict() if self.explanation else None,
        }  # fmt: skip

    def parts(self) -> list[Part]:
        """How many values agree, what differs, what was not compared, and the explanation where something differs."""
        rest = len(self.all_differences) - SHOWN
        more = [f"and {rest} more that differ"] if rest > 0 else []
        left_out = [f"not recomputed: {examples(self.unknown, 10)}"] if self.unknown else []
        sentences = [*map(str, self.all_differences[:SHOWN]), *more, *left_out, *self.notes]
        table = Table(["measure", "reported", "here", "agrees", "queries that differ"], list(map(_row, self.lines)))
        return [Title(self._headline()), table, *sentences, *(self.explanation.parts() if self.explanation else [])]

    def _headline(self) -> str:
        """How many values agree, and under which policy."""
        compared = sum((w.reported is not None) + w.queries for w in self.lines)
        differ = len(self.all_differences)
        outcome = f"{differ} of {count_values(compared)} differ{'s' if differ == 1 else ''}" if differ else f"{_all(compared)}"
        return f"{outcome} (names as in {self.tool}, {as_code(self.policy)})"


def _row(line: Line) -> tuple[Any, ...]:
    """A row of the printed table; the queries only where some were reported."""
    here = line.reported.shown(line.here) if line.reported else line.here
    queries = f"{line.differing} of {line.queries}" if line.queries else None
    return line.measure, line.reported and str(line.reported), here, line.agrees, queries


COLUMNS = {"measure": "object", "reported": "float", "here": "float", "agrees": "bool", "queries": "int", "differing": "int"}

DIFFERENCE_COLUMNS = {"measure": "object", "query_id": "object", "reported": "float", "here": "float", "difference": "float"}


def compare(report: Reported, here: Recomputed) -> tuple[tuple[Line, ...], tuple[Difference, ...]]:
    """A line for each measure that can be recomputed, and all values that differ, the means first."""
    lines: list[Line] = []
    means: list[Difference] = []
    rest: list[Difference] = []
    for name in report.names:
        if name not in here.means:
            continue
        reported, mean = report.means.get(name), here.means[name]
        off = reported is not None and not reported.agrees(mean)
        if off and reported is not None:
            means.append(Difference(str(name), None, reported, mean))
        wrong = _differing(str(name), report.per_query.get(name, {}), here.per_query.get(name, {}))
        rest += wrong
        lines.append(Line(str(name), reported, mean, not off and not wrong, len(report.per_query.get(name, {})), len(wrong)))
    return tuple(lines), (*means, *rest)


def _differing(name: str, reported: Mapping[str, Printed], here: Mapping[str, float]) -> Sequence[Difference]:
    """The queries whose values differ."""
    return [Difference(name, q, p, here.get(q)) for q, p in reported.items() if q not in here or not p.agrees(here[q])]


def _all(n: int) -> str:
    """That all values agree."""
    return f"all {count_values(n)} agree" if n > 1 else "the value agrees"


def _shown(printed: Printed, here: float | None) -> str:
    """A value here, as the reported one was printed."""
    return "left out here" if here is None else f"here {printed.shown(here)}"


EXPLAINED = 20
"""So many measures at most are searched for an explanation, those that differ first."""


def validate(
    run: Any,
    qrels: Any,
    reported: Any,
    *,
    tool: str | None = None,
    policy: Policy | None = None,
    queries: Iterable[Any] | None = None,
    backend: Any = "reference",
    why: bool = True,
) -> Validation:
    """Recompute reported numbers and compare them, each to the precision that was printed.

    ``reported`` is a file of trec_eval's output (8 to 10, with queries or without), ir_measures' lines or JSON, ranx's or
    BEIR's JSON, a Result or its JSON, a DataFrame, {measure: value} or {measure: {query: value}}. Its names mean what they mean
    in the ``tool`` that wrote it: ``"trec_eval"``, ``"ir_measures"``, ``"ranx"``, ``"beir"`` or ``"samescore"``; a file tells, and
    the names in other objects are samescore's. ``policy`` is the tool's own by default; where a tool has several (trec_eval with
    -c or without), the one that agrees best. ``queries`` are the ids to average over. Where something differs and ``why`` is
    true, all policies are searched for those that give the reported numbers.

    Raises InputError for a report that cannot be read, MeasureError where none of its names is known, and what
    :func:`samescore.evaluate` raises.

    >>> validation = validate({"q": ["d1", "d2"]}, {"q": {"d2": 1}}, {"RR": "0.500", "P@1": 0})
    >>> validation.ok, validation.table["agrees"].tolist()
    (True, [True, True])
    """
    report = as_printed(read_reported(reported, tool=tool, run=_name(run)))
    found_run, found_qrels = _read(run, report.tool), read_qrels(qrels)
    candidates = [policy] if policy is not None else policies(report.tool, report.signature)
    here = _best(found_run, found_qrels, report, candidates, queries=queries, backend=backend)
    if not here.means:
        what = f"none of the names can be recomputed: {examples(report.names)}"
        raise MeasureError(what, hint="tool='trec_eval', or the tool whose names they are")
    here, notes = _by_version(found_run, found_qrels, report, here, backend=backend)
    lines, differences = compare(report, here)
    unknown = tuple(str(name) for name in report.names if name not in here.means)
    found = Validation(
        report.tool, here.policy, lines, differences, unknown, (*notes, *_blank(report), *_of_another(found_run, report))
    )
    if found.ok or not why:
        return found
    beyond = _impossible(report, found_run)
    percent = [f"not from 0 to 1, is it in percent? {examples(sorted(beyond), 10)}"] if beyond else []
    found = replace(found, notes=(*found.notes, *percent, *_by_ties(found_run, found_qrels, report, found)))
    wanted = _worth_explaining(report, found, beyond)
    if wanted is None:
        return found
    return replace(found, explanation=explain(found_run, found_qrels, reported=wanted, a=here.policy, queries=queries))


def _read(run: Any, tool: str) -> Run:
    """The run; trec_eval ignores what stands after the sixth column of a file, and so does this for its reports."""
    if tool == "trec_eval" and isinstance(run, (str, os.PathLike)):
        return load_rows(read_run_file(run, more_columns=True))
    return read_run(run)


def _name(run: Any) -> str:
    """The name of a run, without reading it."""
    return Path(run).stem if isinstance(run, (str, os.PathLike)) else str(getattr(run, "name", "run"))


def _best(
    run: Run, qrels: Qrels, report: Reported, candidates: Sequence[Policy], *, queries: Iterable[Any] | None, backend: Any
) -> Recomputed:
    """The values under the first policy by which nothing differs, or the one by which least does."""
    best: tuple[int, Recomputed] | None = None
    refusal: PolicyError | None = None
    for policy in candidates:
        try:
            here = recompute(run, qrels, report, policy, queries=queries, backend=backend)
        except PolicyError as error:
            refusal = refusal or error
            continue
        differ = len(compare(report, here)[1])
        if best is None or differ < best[0]:
            best = differ, here
        if not differ:
            break
    if best is None:
        raise refusal or PolicyError("no policy was given", hint="policy=Policy()")
    return best[1]


def _by_version(run: Run, qrels: Qrels, report: Reported, here: Recomputed, *, backend: Any) -> tuple[Recomputed, tuple[str, ...]]:
    """The values with those of trec_eval 9 where they agree better than those of 10, and a note of that."""
    if report.tool != "trec_eval":
        return here, ()
    differ = dict.fromkeys(d.measure for d in compare(report, here)[1])
    old = as_version_9(run, qrels, differ, here.policy, backend=backend)
    fits = [line.measure for line in compare(report, old)[0] if line.agrees]
    if not fits:
        return here, ()
    means = {**here.means, **{name: old.means[name] for name in fits}}
    per_query = {**here.per_query, **{name: old.per_query[name] for name in fits}}
    note = f"as trec_eval 9 has them, which rounds cutoffs down: {examples(fits, 12)}"
    return Recomputed(here.policy, means, per_query), (note,)


def _blank(report: Reported) -> tuple[str, ...]:
    """A note of the means that are no number."""
    return (f"reported without a number: {examples(report.blank, 10)}",) if report.blank else ()


def _impossible(report: Reported, run: Run) -> frozenset[str]:
    """The names of measures of which a value is reported that no policy can give."""
    known = {name: measure for name in report.names if (measure := searchable(name, report.tool)) is not None}
    printed = {name: [*report.per_query.get(name, {}).values(), *filter(None, [report.means.get(name)])] for name in known}
    return frozenset(str(name) for name, m in known.items() if not all(possible(m, one, run) for one in printed[name]))


def _of_another(run: Run, report: Reported) -> tuple[str, ...]:
    """A note where the report names another run."""
    name = report.other.get("runid")
    return (
        () if name in (None, run.tag) or not run.tag else (f"the report is of a run named {name!r}, this one is named {run.tag!r}",)
    )


def _by_ties(run: Run, qrels: Qrels, report: Reported, found: Validation) -> tuple[str, ...]:
    """A note of the measures whose values that differ all lie between those of the worst and the best order of tied documents."""
    known = {str(name): searchable(name, report.tool) for name in report.names}
    asked = {name: m for name in dict.fromkeys(d.measure for d in found.all_differences) if (m := known.get(name)) and bounded(m)}
    try:
        bounds = tie_bounds(run, qrels, list(asked.values()), policy=found.policy) if asked else None
    except PolicyError:
        return ()
    off = {d.measure for d in found.all_differences if bounds and not _could_be(bounds, asked.get(d.measure), d)}
    within = [name for name in asked if name not in off]
    return (f"another order of tied documents could give what is reported of {examples(within, 12)}",) if within else ()


def _could_be(bounds: TieBounds, measure: Measure | None, different: Difference) -> bool:
    """Whether some order of ties gives a reported value."""
    printed = different.reported
    return measure is not None and bounds.holds(measure, different.query, printed.value, printed.within)


def _worth_explaining(report: Reported, found: Validation, beyond: Collection[str]) -> Reported | None:
    """The measures that differ, and others that tell policies apart, as far as the catalogue has them."""
    names = [name for name in report.names if searchable(name, report.tool) is not None]
    known = {str(name): name for name in names if str(name) not in beyond}
    if report.tool == "trec_eval":
        known = {text: name for text, name in known.items() if not current(text).startswith(("num_", "iprec", "11pt"))}
    order = sorted((line for line in found.lines if line.measure in known), key=lambda line: line.agrees)
    names = [known[line.measure] for line in order[:EXPLAINED]]
    means = {name: report.means[name] for name in names if name in report.means}
    per_query = {name: report.per_query[name] for name in names if name in report.per_query}
    return Reported(report.tool, means, per_query) if names else None
