"""validate: recompute what another tool reported, say what agrees, and explain what does not."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..display import Outcome, Part, Table, Title, first_of, frame
from ..errors import MeasureError, PolicyError, Wording, examples, setting
from ..evaluation import evaluate
from ..measures import Measure
from ..measures.names import current, version
from ..policy import Policy, as_code, check_policy
from ..readers import Qrels, Run, load_rows, open_qrels, open_run
from ..result import Result
from .explain import explain, possible
from .explain.readings import Search, count_values
from .habits import HABITS
from .reported import Printed, Reported, read_reported
from .ties import bounded, tie_bounds
from .trec_eval.program import printed_column, score as trec_scores

if TYPE_CHECKING:
    import pandas


def _as_rounded(report: Reported) -> Reported:
    """A report with the decimals that some code of its tool rounds to, whatever is printed after them."""
    others = {name: HABITS[report.tool].of(measure) for name, measure in report.measures.items()}
    decimals = {name: other.decimals for name, other in others.items() if other and other.decimals}
    means = {name: printed.rounded(decimals.get(name)) for name, printed in report.means.items()}
    per_query = {name: {q: p.rounded(decimals.get(name)) for q, p in row.items()} for name, row in report.per_query.items()}
    return replace(report, means=means, per_query=per_query)


@dataclass(frozen=True, slots=True)
class Recomputed:
    """Values here, for all that can be recomputed under ``policy``: name -> None, for the mean, or query -> value."""

    policy: Policy
    values: Mapping[Any, Mapping[str | None, float]]


Evaluate = Callable[..., Result]
""":func:`samescore.evaluate` with a run, qrels, queries and a backend."""


def _by_catalogue(score: Evaluate, measures: Mapping[Any, Measure], tool: str, policy: Policy) -> Recomputed:
    """The values of names that mean a measure of the catalogue, by the policy that the tool has for each measure."""
    by_policy: dict[Policy, dict[Any, Measure]] = {}
    for name, measure in measures.items():
        other = HABITS[tool].of(measure)
        by_policy.setdefault(policy.but(**other.clauses) if other else policy, {})[name] = measure
    values: dict[Any, dict[str | None, float]] = {}
    for measure_policy, named in by_policy.items():
        result = score(measures=list(dict.fromkeys(named.values())), policy=measure_policy)
        values |= {name: {None: result[str(measure)], **result.values_of(measure)} for name, measure in named.items()}
    return Recomputed(policy, values)


def _by_trec_eval(run: Run, qrels: Qrels, report: Reported, policy: Policy) -> Recomputed:
    """The values of trec_eval's own measures."""
    columns = {name: column for name in report.names if (column := printed_column(current(str(name)))) is not None}
    scores = trec_scores(run, qrels, list(columns.values()), policy=policy)
    values: dict[Any, dict[str | None, float]] = {}
    rows = [scores.summary, *scores.values]
    for name, (mean, *by_query) in zip(columns, zip(*rows, strict=True), strict=True):
        if isinstance(mean, (int, float)):
            values[name] = {None: float(mean), **dict(zip(scores.queries, map(float, by_query), strict=True))}
    return Recomputed(policy, values)


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
        here = "left out here" if self.here is None else f"here {self.reported.shown(self.here)}"
        return f"{self.measure}, {where}: reported {self.reported}, {here}"


@dataclass(frozen=True, slots=True)
class Line:
    """One measure: its mean as reported (None where only queries were) and here, and how many values of queries differ."""

    measure: str
    reported: Printed | None
    here: float
    agrees: bool
    queries: int
    differing: int

    def row(self) -> tuple[Any, ...]:
        """The row of the printed table, with the queries only where some were reported."""
        here = self.reported.shown(self.here) if self.reported else self.here
        queries = f"{self.differing} of {self.queries}" if self.queries else None
        return self.measure, self.reported and str(self.reported), here, self.agrees, queries


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
            "measures": [{**asdict(line), "reported": line.reported and str(line.reported)} for line in self.lines],
            "differences": [
                {"measure": d.measure, "query_id": d.query, "reported": str(d.reported), "here": d.here}
                for d in self.all_differences
            ],
            "unknown": list(self.unknown),
            "notes": list(self.notes),
            "explanation": self.explanation and self.explanation.to_dict(),
        }

    def parts(self) -> list[Part]:
        """How many values agree, what differs, what was not compared, and the explanation where something differs."""
        left_out = [f"not recomputed: {examples(self.unknown, 10)}"] if self.unknown else []
        sentences = [*first_of(self.all_differences, SHOWN), *left_out, *self.notes]
        table = Table(["measure", "reported", "here", "agrees", "queries that differ"], [line.row() for line in self.lines])
        return [Title(self._headline()), table, *sentences, *(self.explanation.parts() if self.explanation else [])]

    def _headline(self) -> str:
        """How many values agree, and under which policy."""
        compared, differ = sum((w.reported is not None) + w.queries for w in self.lines), len(self.all_differences)
        outcome = f"{differ} of {count_values(compared)} differ{'s' if differ == 1 else ''}"
        if not differ:
            outcome = f"all {count_values(compared)} agree" if compared > 1 else "the value agrees"
        return f"{outcome} (names as in {self.tool}, {as_code(self.policy)})"


COLUMNS = {"measure": "object", "reported": "float", "here": "float", "agrees": "bool", "queries": "int", "differing": "int"}

DIFFERENCE_COLUMNS = {"measure": "object", "query_id": "object", "reported": "float", "here": "float", "difference": "float"}


def compare(report: Reported, here: Recomputed) -> tuple[tuple[Line, ...], tuple[Difference, ...]]:
    """A line for each measure that can be recomputed, and all values that differ, the means first."""
    lines: list[Line] = []
    differences: list[Difference] = []
    for name in filter(here.values.__contains__, report.names):
        reported, values = report.values(name), here.values[name]
        off = {query: printed for query, printed in reported.items() if not printed.agrees(values.get(query, math.nan))}
        differences += [Difference(str(name), query, printed, values.get(query)) for query, printed in off.items()]
        queries, differing = (sum(query is not None for query in some) for some in (reported, off))
        lines.append(Line(str(name), reported.get(None), values[None], not off, queries, differing))
    return tuple(lines), tuple(sorted(differences, key=lambda difference: difference.query is not None))


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

    Parameters
    ----------
    run, qrels
        As for :func:`samescore.evaluate`.
    reported
        What a tool reported: a file of trec_eval's output (8 to 10, with queries or without), ir_measures' lines or JSON, ranx's,
        BEIR's or MTEB's JSON, samescore's JSON or TSV; a Result, a DataFrame, {measure: value}, {measure: {query: value}} or
        {query: {measure: value}}.
    tool
        Whose names the measures have, which mean what they mean there: ``"trec_eval"``, ``"ir_measures"``, ``"ranx"``, ``"beir"``
        or ``"samescore"``. By default a file tells, and the names in objects are samescore's.
    policy
        The policy to recompute under: that of the tool by default, and where a tool has several (trec_eval with -c or without),
        the one that agrees best.
    queries
        The ids of the queries to average over.
    backend
        Who recomputes; trec_eval's numbers are recomputed as trec_eval computes them.
    why
        Whether to search, where something differs, all policies for those that give the reported numbers.

    Returns
    -------
    Validation
        True where everything agrees; it lists what differs and what was not recomputed.

    Raises
    ------
    InputError
        For a report that cannot be read.
    MeasureError
        Where none of its names is known.
    SamescoreError
        What :func:`samescore.evaluate` raises.

    Examples
    --------
    >>> validation = validate({"q": ["d1", "d2"]}, {"q": {"d2": 1}}, {"RR": "0.500", "P@1": 0})
    >>> validation.ok, validation.table["agrees"].tolist()
    (True, [True, True])
    """
    if policy is not None:
        check_policy(policy)
    report = _as_rounded(read_reported(reported, tool=tool, run=_name(run)))
    run_rows, read_judgements = _read(run, report.tool), open_qrels(qrels)
    score = partial(evaluate, run_rows, read_judgements, queries=queries, backend=backend)

    def recompute(policy: Policy) -> Recomputed:
        """The reported values under a policy."""
        if report.tool == "trec_eval" and queries is None:
            return _by_trec_eval(run_rows, read_judgements, report, policy)
        return _by_catalogue(score, report.measures, report.tool, policy)

    stored = [Policy.parse(report.signature)] if report.signature else HABITS[report.tool].policies
    here = _closest(report, [policy] if policy is not None else stored, recompute)
    if not here.values:
        what = f"none of the names can be recomputed: {examples(report.names)}"
        raise MeasureError(what, hint=Wording(setting("tool", "trec_eval"), ", or the tool whose names they are"))
    here, of_version_9 = _with_version_9(report, here, score)
    lines, differences = compare(report, here)
    unknown = tuple(str(name) for name in report.names if name not in here.values)
    notes = (*of_version_9, *_of_the_report(report, run_rows))
    validation = Validation(report.tool, here.policy, lines, differences, unknown, notes)
    if validation.ok or not why:
        return validation
    beyond = _beyond_bounds(report, run_rows)
    percent = [f"not from 0 to 1, is it in percent? {examples(sorted(beyond), 10)}"] if beyond else []
    tied = _within_tie_bounds(run_rows, read_judgements, report, validation)
    validation = replace(validation, notes=(*notes, *percent, *tied))
    unexplained = _to_explain(report, lines, beyond)
    if not len(unexplained):
        return validation
    explanation = explain(run_rows, read_judgements, reported=unexplained, a=here.policy, queries=queries)
    return replace(validation, explanation=explanation)


def _read(run: Any, tool: str) -> Run:
    """The run; trec_eval ignores what stands after the sixth column of a file, and so does this for its reports."""
    if tool == "trec_eval" and isinstance(run, (str, os.PathLike)):
        return load_rows(open_run(run, format="trec_eval"))
    return load_rows(open_run(run))


def _name(run: Any) -> str:
    """The name of a run, without reading it; that of a file is its path."""
    return str(run) if isinstance(run, (str, os.PathLike)) else str(getattr(run, "name", "run"))


def _closest(report: Reported, policies: Sequence[Policy], recompute: Callable[[Policy], Recomputed]) -> Recomputed:
    """The values under the first policy by which nothing differs, or the one by which least does.

    Raises PolicyError where each policy refuses the run or the qrels.
    """
    tried: list[tuple[int, Recomputed]] = []
    refusals: list[PolicyError] = []
    for policy in policies:
        try:
            here = recompute(policy)
        except PolicyError as error:
            refusals.append(error)
            continue
        differ = len(compare(report, here)[1])
        if not differ:
            return here
        tried.append((differ, here))
    if not tried:
        raise refusals[0]
    return min(tried, key=itemgetter(0))[1]


def _with_version_9(report: Reported, here: Recomputed, score: Evaluate) -> tuple[Recomputed, tuple[str, ...]]:
    """The values with those of trec_eval 9 where they agree better than those of 10, and a note of that."""
    if report.tool != "trec_eval":
        return here, ()
    differ = {difference.measure for difference in compare(report, here)[1]}
    measures = {name: measure for name, measure in report.measures.items() if name in differ and version(name) == "9"}
    old = _by_catalogue(score, measures, report.tool, here.policy)
    fits = [line.measure for line in compare(report, old)[0] if line.agrees]
    if not fits:
        return here, ()
    note = f"as trec_eval 9 has them, which rounds cutoffs down: {examples(fits, 12)}"
    return replace(here, values={**here.values, **{name: old.values[name] for name in fits}}), (note,)


def _of_the_report(report: Reported, run: Run) -> Iterator[str]:
    """Notes of the means that are no number, and where the report names another run."""
    if report.blank:
        yield f"reported without a number: {examples(report.blank, 10)}"
    name = report.other.get("runid")
    if name and run.tag and name != run.tag:
        yield f"the report is of a run named {name!r}, this one is named {run.tag!r}"


def _beyond_bounds(report: Reported, run: Run) -> frozenset[str]:
    """The names of measures of which a value is reported that no policy can give."""
    measures = report.searchable.items()
    return frozenset(str(name) for name, m in measures if not all(possible(m, p, run) for p in report.values(name).values()))


def _within_tie_bounds(run: Run, qrels: Qrels, report: Reported, validation: Validation) -> Iterator[str]:
    """A note of the measures whose values that differ all lie between those of the worst and the best order of tied documents."""
    differing: dict[str, list[Difference]] = {}
    for difference in validation.all_differences:
        differing.setdefault(difference.measure, []).append(difference)
    measures = {str(name): m for name, m in report.searchable.items() if str(name) in differing and bounded(m)}
    if not measures:
        return
    try:
        bounds = tie_bounds(run, qrels, list(measures.values()), policy=validation.policy)
    except PolicyError:
        return
    within = [
        name
        for name, measure in measures.items()
        if all(bounds.holds(measure, d.query, d.reported.value, d.reported.within) for d in differing[name])
    ]
    if within:
        yield f"another order of tied documents could give what is reported of {examples(within, 12)}"


def _to_explain(report: Reported, lines: Sequence[Line], beyond: Collection[str]) -> Reported:
    """What is reported of the measures that differ, and of others that tell policies apart, as far as all policies can be tried."""
    left_out = ("num_", "iprec", "11pt") if report.tool == "trec_eval" else ()
    differing_first = sorted(lines, key=lambda line: line.agrees)
    names = {str(name): name for name in report.searchable if str(name) not in beyond}
    wanted = [line.measure for line in differing_first if line.measure in names and not current(line.measure).startswith(left_out)]
    return report.only([names[measure] for measure in wanted[:EXPLAINED]])
