"""gate: whether a run is worse than a baseline that was stored, measure by measure."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass, field
from typing import Any

from ..display import Column, Outcome, Part, Table, Title, mention, plural, signed
from ..errors import InputError, MismatchError, examples, setting, short
from ..evaluation import DEFAULT, evaluate
from ..measures import Measure
from ..policy import Policy
from ..preparation import query_ids
from ..readers import document_lookup, open_qrels
from ..result import Result
from ..typing import MeasuresLike, QrelsLike, RunLike
from .baseline import ROUNDING, Baseline, documents_mark, read_baseline
from .compare import compare
from .comparison import Comparison, p_value
from .scores import Scores, column_key
from .significance import Test, TestFunction


@dataclass(frozen=True, slots=True)
class Change:
    """How one measure moved, over the ``queries`` that have a value before and now.

    ``fell`` tells whether it became worse by more than is allowed, which is a rise where lower is better. ``p`` is None where it
    cannot be told. ``lost`` counts the baseline's queries that have no value now, but for those that may be lost.
    """

    measure: str
    baseline: float
    now: float
    change: float
    p: float | None
    queries: int
    fell: bool
    lost: int = 0

    @property
    def verdict(self) -> str:
        """What became of the measure in a word or two."""
        moved = ("rose" if self.change > 0 else "fell") if self.fell else ""
        return ", ".join(filter(None, [moved, f"{self.lost} lost" if self.lost else ""])) or "ok"


@dataclass(frozen=True, repr=False)
class Verdict(Outcome):
    """What :func:`samescore.gate` returns; true where no measure fell and no query was lost.

    ``lost`` are the baseline's queries that have no value in some measure now, and ``allowed_lost`` those of them that may be.
    ``print`` shows a table, ``to_markdown`` one to post.
    """

    changes: tuple[Change, ...]
    max_drop: float
    significant: bool
    alpha: float
    comparison: Comparison = field(repr=False)
    lost: tuple[str, ...] = ()
    allowed_lost: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no measure fell by more than is allowed, and no query was lost that may not be."""
        return not self.lost and not any(change.fell for change in self.changes)

    @property
    def passed(self) -> bool:
        """The same as ``ok``."""
        return self.ok

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        fell = [change.measure for change in self.changes if change.fell and change.change < 0]
        rose = [change.measure for change in self.changes if change.fell and change.change > 0]
        why = [
            f"{', '.join(fell)} fell" if fell else "",
            f"{', '.join(rose)} rose" if rose else "",
            f"{plural(len(self.lost))} lost" if self.lost else "",
        ]
        return "Retrieval gate: passed" if self.ok else f"Retrieval gate: failed, {', '.join(filter(None, why))}"

    @property
    def notes(self) -> list[str]:
        """What is allowed, and how it was compared."""
        only = f" and significantly (p < {self.alpha:g})" if self.significant else ""
        rising = [pair.name for pair in self.comparison.pairs if pair.measure.entry.lower_is_better]
        rule = f"a measure may not fall by more than {self.max_drop:g}{only}"
        lost = f"{plural(len(self.lost))} of the baseline lost, without a value now: {examples(self.lost, 20)}"
        return [
            f"{rule}; {', '.join(rising)}, where lower is better, may not rise by more" if rising else rule,
            *([lost] if self.lost else []),
            *filter(None, [mention(self.allowed_lost, "of the baseline lost, which is allowed")]),
            *self.comparison.notes,
        ]

    def parts(self) -> list[Part]:
        """The verdict as a heading, a table, the queries that fell most in what fell, and the notes: fit for a pull request."""
        numbers: list[str | Column] = ["baseline", "now", Column("change", styled=signed)]
        rows = [(c.measure, c.baseline, c.now, c.change, c.p, c.queries, c.verdict) for c in self.changes]
        changes = Table(["measure", *numbers, Column("p", p_value), "queries", "verdict"], rows)
        worst = self._worst()
        fallen = [Table(["measure", "query", *numbers], worst)] if worst else []
        return [Title(self.headline, heading=True), changes, *fallen, *self.notes]

    def records(self) -> Table:
        """A row for each measure; how many queries each lost is the last column where any lost some."""
        columns = [name for name in Change.__dataclass_fields__ if name != "lost" or any(change.lost for change in self.changes)]
        return Table(columns, [astuple(change)[: len(columns)] for change in self.changes])

    def _worst(self, n: int = 5) -> list[tuple[Any, ...]]:
        """The queries that became worse by most, for each measure that fell, or rose where lower is better."""
        rows: list[tuple[Any, ...]] = []
        for change in self.changes:
            moved = self.comparison.moved(change.measure, "now", n) if change.fell else []
            rows += [(change.measure, *row) for row in (moved if change.change > 0 else moved[::-1]) if row[-1] * change.change > 0]
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        return {
            "ok": self.ok,
            "passed": self.passed,
            "max_drop": self.max_drop,
            "significant": self.significant,
            "alpha": self.alpha,
            "changes": [asdict(change) for change in self.changes],
            "lost": list(self.lost),
            "allowed_lost": list(self.allowed_lost),
            "notes": self.notes,
        }


def gate(
    run: RunLike,
    qrels: QrelsLike,
    baseline: Any,
    measures: MeasuresLike | None = None,
    *,
    max_drop: float = 0.01,
    significant: bool = False,
    alpha: float = 0.05,
    test: Test | TestFunction = "t",
    allow_lost: Iterable[Any] = (),
    doc_of: Any = None,
    policy: Policy = DEFAULT,
    backend: Any = "auto",
) -> Verdict:
    """Tell whether a run is worse than a baseline by more than ``max_drop`` in some measure.

    The baseline's queries are compared. A query that the run lacks is scored as the policy says: it falls to 0 by default, and
    where the policy leaves it out, it is lost, and the gate fails. Where lower is better, as in RBP's residual, a rise is the fall.

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
    test : {"t", "permutation", "wilcoxon", "bootstrap", "sign", "tukey"} or callable
        How p is found, as in :func:`samescore.compare`.
    allow_lost : iterable of ids
        The queries of the baseline that may have no value now.

    Returns
    -------
    Verdict
        True where no measure fell and no query was lost.

    Raises
    ------
    MismatchError
        For a baseline of other judgements, of another policy or of other chunks, and where no query has a value in it.
    InputError
        For what is no baseline or contradicts itself, for a drop below 0, and for a query in ``allow_lost`` that the baseline
        lacks.
    ResultKeyError
        For a measure that the baseline lacks.
    MeasureError
        Where ``measures`` are not given and the baseline has a user-defined one, whose function is not stored.
    """
    _check_drop(max_drop)
    judged, look_up = open_qrels(qrels), None if doc_of is None else document_lookup(doc_of)
    stored = read_baseline(baseline, judged, policy, documents_mark(doc_of))
    requested, allowed = stored.requested(measures), _allowed(allow_lost, stored)
    now = evaluate(run, judged, measures=requested, doc_of=look_up, policy=policy, backend=backend)
    runs = {"baseline": stored.result, "now": now}
    comparison = compare(runs, measures=requested, test=test, correction=None, alpha=alpha, policy=policy)
    lost = _lost(stored, now, comparison, allowed)
    changes = [_change(comparison, m, max_drop, significant, lost[str(m)] - allowed) for m in requested]
    all_lost = [query for query in stored.result.queries if any(query in queries for queries in lost.values())]
    return Verdict(
        changes=tuple(changes),
        max_drop=max_drop,
        significant=significant,
        alpha=alpha,
        comparison=comparison,
        lost=tuple(query for query in all_lost if query not in allowed),
        allowed_lost=tuple(query for query in all_lost if query in allowed),
    )


def _allowed(allow_lost: Iterable[Any], baseline: Baseline) -> frozenset[str]:
    """The queries that may be lost. Raises InputError for one that the baseline lacks."""
    allowed = query_ids(allow_lost, "allow_lost")
    if unknown := [query for query in allowed if query not in baseline.result.queries]:
        what = f"allow_lost names queries that the baseline lacks: {examples(unknown)}"
        raise InputError(what, file=baseline.file, hint="check the ids")
    return frozenset(allowed)


def _lost(baseline: Baseline, now: Result, comparison: Comparison, allowed: frozenset[str]) -> dict[str, frozenset[str]]:
    """Measure -> the queries that have a value of it in the baseline and none now.

    Raises MismatchError where the baseline has no value, or all of them may be lost and are, so that nothing is compared.
    """
    stored, scores = Scores.of(baseline.result), Scores.of(now)
    lost = {}
    for pair in comparison.pairs:
        before = stored.values[column_key(pair.measure)]
        lost[pair.name] = frozenset(before.keys() - scores.values[column_key(pair.measure)].keys())
        if lost[pair.name] & allowed == before.keys():
            what = f"nothing to compare: no query has a value of {pair.name} in the baseline and now"
            raise MismatchError(what, file=baseline.file, hint="a baseline of a run that answers judged queries")
    return lost


def _check_drop(max_drop: object) -> None:
    """Refuse a limit that no fall could pass, as NaN, and one that a run could fail without a fall."""
    if isinstance(max_drop, bool) or not isinstance(max_drop, (int, float)) or not 0 <= max_drop <= sys.float_info.max:
        raise InputError(f"max_drop is {short(max_drop)}, not a number of at least 0", hint=setting("max_drop", 0.01))


def _change(comparison: Comparison, measure: Measure, max_drop: float, significant: bool, lost: frozenset[str]) -> Change:
    """How one measure moved, and how many of the baseline's queries have no value of it any more."""
    before, now = (comparison.row(run, str(measure)) for run in ("baseline", "now"))
    change = (now.mean or 0.0) - (before.mean or 0.0)
    worsening = change if measure.entry.lower_is_better else -change
    counts = not significant or now.p is None or now.p < comparison.alpha
    fell = worsening > max_drop + ROUNDING and counts
    return Change(str(measure), before.mean or 0.0, now.mean or 0.0, change, now.p, now.queries, fell, len(lost))
