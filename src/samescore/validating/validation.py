"""validate: recompute what another tool reported, say what agrees, and explain what does not."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import MeasureError, PolicyError, examples
from ..explaining.explanation import explain, possible, searchable
from ..measures import Measure
from ..policy import Policy
from ..readers import Qrels, Run, read_qrels, read_run
from ..readers.files import kept, read_run_file
from ..reporting import Reported, current, read_reported
from ..tying.bounds import TieBounds, bounded, tie_bounds
from .compared import Difference, Line, Validation, compare
from .recomputed import Recomputed, as_version_9, recompute
from .tools import as_printed, policies

__all__ = ["Difference", "Line", "Validation", "validate"]

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
        return kept(read_run_file(run, more_columns=True))
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
