"""gate: whether a run is worse than a baseline that was stored, measure by measure."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path
from typing import Any

from ..display import Column, Outcome, Part, Table, Title, as_json
from ..errors import InputError, InputTypeError, MismatchError, ResultKeyError, setting, short
from ..evaluation import DEFAULT, evaluate
from ..measures import Measure, parse_all
from ..policy import Policy
from ..readers import Qrels, open_qrels
from ..result import Result
from ..writing import write_files
from .compare import compare
from .comparison import Comparison, p_value
from .golden_set import fingerprint
from .scores import column_key, read_json_file
from .significance import Test

GOLDEN_SET = "golden_set"
"""Where a baseline keeps the fingerprint of its judgements."""

ROUNDING = 1e-9
"""How far a drop may pass the limit by rounding: 0.8 - 0.79 is more than 0.01 in floating point."""


@dataclass(frozen=True, slots=True)
class Change:
    """How one measure moved: ``fell`` tells whether by more than is allowed. ``p`` is None where it cannot be told."""

    measure: str
    baseline: float
    now: float
    change: float
    p: float | None
    queries: int
    fell: bool


@dataclass(frozen=True, repr=False)
class Verdict(Outcome):
    """What :func:`samescore.gate` returns; true where no measure fell. ``print`` shows a table, ``to_markdown`` one to post."""

    changes: tuple[Change, ...]
    max_drop: float
    significant: bool
    alpha: float
    comparison: Comparison = field(repr=False)

    @property
    def ok(self) -> bool:
        """Whether no measure fell by more than is allowed."""
        return not any(change.fell for change in self.changes)

    @property
    def passed(self) -> bool:
        """The same as ``ok``."""
        return self.ok

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        fell = [change.measure for change in self.changes if change.fell]
        return f"Retrieval gate: failed, {', '.join(fell)} fell" if fell else "Retrieval gate: passed"

    @property
    def notes(self) -> list[str]:
        """What is allowed, and how it was compared."""
        only = f" and significantly (p < {self.alpha:g})" if self.significant else ""
        return [f"a measure may not fall by more than {self.max_drop:g}{only}", *self.comparison.notes]

    def parts(self) -> list[Part]:
        """The verdict as a heading, a table, the queries that fell most in what fell, and the notes: fit for a pull request."""
        numbers: list[str | Column] = ["baseline", "now", Column("change", "+.4f")]
        rows = [(c.measure, c.baseline, c.now, c.change, c.p, c.queries, "fell" if c.fell else "ok") for c in self.changes]
        changes = Table(["measure", *numbers, Column("p", p_value), "queries", "verdict"], rows)
        fallen = [Table(["measure", "query", *numbers], self._fallen())] if not self.ok else []
        return [Title(self.headline, heading=True), changes, *fallen, *self.notes]

    def records(self) -> Table:
        """A row for each measure."""
        return Table(list(Change.__dataclass_fields__), [astuple(change) for change in self.changes])

    def _fallen(self, n: int = 5) -> list[tuple[str | float, ...]]:
        """The queries that fell most, for each measure that fell."""
        fallen = [change.measure for change in self.changes if change.fell]
        moved = ((name, row) for name in fallen for row in reversed(self.comparison.moved(name, "now", n)))
        return [(name, *row) for name, row in moved if row[-1] < 0]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        return {
            "ok": self.ok,
            "passed": self.passed,
            "max_drop": self.max_drop,
            "significant": self.significant,
            "alpha": self.alpha,
            "changes": [asdict(change) for change in self.changes],
            "notes": self.notes,
        }


def gate(
    run: Any,
    qrels: Any,
    baseline: Any,
    measures: Any = None,
    *,
    max_drop: float = 0.01,
    significant: bool = False,
    alpha: float = 0.05,
    test: Test = "t",
    doc_of: Any = None,
    policy: Policy = DEFAULT,
    backend: Any = "ir_measures",
) -> Verdict:
    """Tell whether a run is worse than a baseline by more than ``max_drop`` in some measure.

    A run that lacks a judged query is scored as the policy says, so that a missing query is a fall to 0 by default.

    Parameters
    ----------
    run, qrels, doc_of, policy, backend
        Those of :func:`samescore.evaluate`.
    baseline : path or mapping
        A file that :func:`samescore.write_baseline` wrote, or what it holds.
    measures : optional
        Some of the baseline's measures; all by default.
    max_drop : float, default 0.01
        By how much a mean may fall.
    significant : bool
        Whether a drop counts only if its p-value, paired by query, is also below ``alpha``.
    alpha : float, default 0.05
        The level of significance.
    test : {"t", "permutation", "wilcoxon", "bootstrap"}
        How p is found, as in :func:`samescore.compare`.

    Returns
    -------
    Verdict
        True where no measure fell.

    Raises
    ------
    MismatchError
        For a baseline of other judgements or of another policy, and where no query has a value in both.
    InputError
        For what is no baseline and for a drop below 0.
    ResultKeyError
        For a measure that the baseline lacks.
    """
    _check_drop(max_drop)
    judged = open_qrels(qrels)
    if not isinstance(baseline, (Mapping, str, os.PathLike)):
        raise InputTypeError(f"the baseline is {short(baseline)}", hint="a file that write_baseline wrote")
    file = None if isinstance(baseline, Mapping) else str(baseline)
    stored = _stored_result(baseline if isinstance(baseline, Mapping) else _read(baseline), file, judged, policy)
    requested = parse_all(list(stored) if measures is None else measures)
    _check_measures(stored, file, requested)
    now = evaluate(run, judged, measures=requested, doc_of=doc_of, policy=policy, backend=backend)
    runs = {"baseline": stored, "now": now}
    comparison = compare(runs, measures=requested, test=test, correction=None, alpha=alpha, policy=policy)
    _check_shared(comparison, file)
    changes = [_change(comparison, str(m), max_drop, significant) for m in requested]
    return Verdict(tuple(changes), max_drop, significant, alpha, comparison)


def write_baseline(
    path: str | os.PathLike[str],
    run: Any,
    qrels: Any,
    measures: Any = None,
    *,
    doc_of: Any = None,
    policy: Policy = DEFAULT,
    backend: Any = "ir_measures",
    force: bool = False,
) -> Result:
    """Score a run and store it as the baseline of :func:`samescore.gate`: per-query values, policy, fingerprint of the qrels.

    The file is replaced as a whole or stays as it was. A path from which run or qrels come is refused unless ``force`` is true.

    Raises WriteError where the file cannot be written, and what ``evaluate`` raises.
    """
    judged = open_qrels(qrels)
    if not isinstance(path, (str, os.PathLike)):
        raise InputTypeError(f"the path of the baseline is {short(path)}", hint="'baseline.json'")
    result = evaluate(run, judged, measures=measures, doc_of=doc_of, policy=policy, backend=backend)
    plain = {GOLDEN_SET: fingerprint(judged), **result.to_dict()}
    write_files({path: as_json(plain, indent=1) + "\n"}, inputs=[run, qrels], force=force, make_folders=False)
    return result


def _stored_result(plain: Mapping[str, Any], file: str | None, judged: Qrels, policy: Policy) -> Result:
    """The baseline as a result; one of other judgements or of another policy is refused."""
    if GOLDEN_SET not in plain:
        raise InputError(
            f"no baseline: it lacks {GOLDEN_SET!r}", file=file, hint="one that write_baseline or --write-baseline wrote"
        )
    repeat = "write the baseline again, with --write-baseline or write_baseline()"
    baseline_set, this_set = plain[GOLDEN_SET], fingerprint(judged)
    if baseline_set != this_set:
        what = f"the baseline is of another golden set: its judgements have the fingerprint {baseline_set}, these {this_set}"
        raise MismatchError(what, file=file, hint=repeat)
    result = Result.from_dict(plain)
    if result.policy != policy:
        before, now = (set(p.signature.split(" | ")) for p in (result.policy, policy))
        what = f"the baseline is of another policy: {', '.join(sorted(before - now))}, not {', '.join(sorted(now - before))}"
        raise MismatchError(what, file=file, hint=f"{repeat}, or the same policy")
    return result


def _read(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    """The object in a JSON file."""
    if not Path(path).exists():
        raise InputError("there is no such baseline", file=path, hint="make it with --write-baseline or write_baseline()")
    try:
        plain = read_json_file(path)
    except InputError as error:
        raise InputError(f"the baseline cannot be read: {error.what}", file=path, line=error.line, hint=error.hint) from None
    if not isinstance(plain, Mapping):
        raise InputError(f"no baseline, but {short(plain)}", file=path, hint="one that --write-baseline wrote")
    return plain


def _check_drop(max_drop: object) -> None:
    """Refuse a limit that no fall could pass, as NaN, and one that a run could fail without a fall."""
    if isinstance(max_drop, bool) or not isinstance(max_drop, (int, float)) or not 0 <= max_drop < math.inf:
        raise InputError(f"max_drop is {short(max_drop)}, not a number of at least 0", hint=setting("max_drop", 0.01))


def _check_shared(comparison: Comparison, file: str | None) -> None:
    """Refuse to pass a run of which nothing was compared."""
    for pair in comparison.pairs:
        if not pair.queries:
            what = f"nothing to compare: no query has a value of {pair.name} in the baseline and now"
            raise MismatchError(what, file=file, hint="a baseline of a run that answers judged queries")


def _check_measures(stored: Result, file: str | None, requested: list[Measure]) -> None:
    """Refuse a measure that the baseline lacks."""
    has = set(map(column_key, stored.resolved.values()))
    for measure in requested:
        if column_key(stored.policy.resolve(measure)) not in has:
            raise ResultKeyError(
                f"the baseline lacks {measure}", file=file, hint=f"{', '.join(stored)}, or write the baseline again"
            )


def _change(comparison: Comparison, measure: str, max_drop: float, significant: bool) -> Change:
    """How one measure moved."""
    before, now = (comparison.row(run, measure) for run in ("baseline", "now"))
    change = (now.mean or 0.0) - (before.mean or 0.0)
    counts = not significant or now.p is None or now.p < comparison.alpha
    fell = change < -max_drop - ROUNDING and counts
    return Change(measure, before.mean or 0.0, now.mean or 0.0, change, now.p, now.queries, fell)
