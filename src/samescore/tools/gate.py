"""gate: whether a run is worse than a stored baseline, measure by measure: passed, failed, or undecided by so few queries."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from itertools import compress
from typing import Any, Literal

import numpy as np

from ..averaging import Average, Mask, Weighting, mean_or_sum
from ..display import Column, Outcome, Part, Table, Title, in_words, mention, plural, signed
from ..errors import InputError, InputTypeError, MismatchError, examples, is_word, nearest, setting, short, warn_caller
from ..evaluation import DEFAULT, evaluate
from ..intervals import Sampling
from ..measures import Measure, parse
from ..policy import Policy
from ..preparation import query_ids
from ..readers import document_lookup, open_qrels, read_run
from ..result import Result
from ..slices import ALL_QUERIES, Slices, recognise_slices
from ..typing import MeasuresLike, QrelsLike, RunLike
from .baseline import ROUNDING, Baseline, Wanted, documents_mark, read_baseline, write_baseline
from .compare import compare
from .comparison import Comparison, Paired, p_value
from .scores import Scores, column_key
from .significance import Test, TestFunction, contrast, queries_to_show, without_noise

Answer = Literal["passed", "undecided", "failed"]

ANSWERS: Sequence[Answer] = ("passed", "undecided", "failed")
"""From the best to the worst."""

Drop = float | str
"""How far a mean may fall: a number, or ``"5%"`` of the baseline's mean."""

OTHERS = "*"
"""The measures that are not named in a mapping of drops."""


@dataclass(frozen=True, slots=True)
class Change:
    """How one measure moved, over the ``queries`` that have a value before and now.

    ``fell`` tells whether it became worse by more than is allowed, which is a rise where lower is better. ``low`` and ``high`` are
    the interval of the change, and ``answer`` follows from it: ``"failed"`` where all of it is a fall by more than ``max_drop``,
    ``"passed"`` where none of it is or no query fell, ``"undecided"`` otherwise; then ``needed`` is how many queries would decide.
    ``p`` and the interval are None where they cannot be told. ``lost`` counts the baseline's queries that have no value now, but
    for those that may be lost. ``slice`` is the label of the queries.
    """

    measure: str
    baseline: float
    now: float
    change: float
    p: float | None
    queries: int
    fell: bool
    lost: int = 0
    slice: str = ALL_QUERIES
    low: float | None = None
    high: float | None = None
    max_drop: float = 0.0
    answer: Answer = "passed"
    needed: int | None = None

    @property
    def verdict(self) -> str:
        """What became of the measure in a word or two."""
        moved = ("rose" if self.change > 0 else "fell") if self.fell and self.answer == "failed" else ""
        return ", ".join(filter(None, [self.answer, moved, f"{self.lost} lost" if self.lost else ""]))


@dataclass(frozen=True, slots=True)
class Floor:
    """The least that a measure must reach, and its mean now over all queries that are averaged."""

    measure: str
    floor: float
    now: float

    @property
    def ok(self) -> bool:
        """Whether the measure reaches it."""
        return self.now >= self.floor - ROUNDING

    def __str__(self) -> str:
        return f"{self.measure} must be at least {self.floor:g} and is {in_words(self.now)}{'' if self.ok else ', too low'}"


@dataclass(frozen=True, repr=False)
class Verdict(Outcome):
    """What :func:`samescore.gate` returns; true where the run may pass.

    ``changes`` has a row for each measure, and for each slice. ``lost`` are the baseline's queries that have no value in some
    measure now, and ``allowed_lost`` those of them that may be. ``raised`` tells whether the baseline was raised.
    ``print`` shows a table, ``to_markdown`` one to post.
    """

    changes: tuple[Change, ...]
    max_drop: Drop | Mapping[str, Drop]
    significant: bool
    alpha: float
    comparison: Comparison = field(repr=False)
    lost: tuple[str, ...] = ()
    allowed_lost: tuple[str, ...] = ()
    floors: tuple[Floor, ...] = ()
    undecided: Literal["fail", "pass"] | None = None
    raised: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def answer(self) -> Answer:
        """The worst answer: failed also where a query is lost that may not be, and where a measure is below its floor."""
        if self.lost or not all(floor.ok for floor in self.floors):
            return "failed"
        return max((change.answer for change in self.changes), key=ANSWERS.index)

    @property
    def ok(self) -> bool:
        """Whether the run may pass: not where it failed, and not where it is undecided and a mean fell by more than is allowed.

        ``undecided="fail"`` stops all that is undecided, ``undecided="pass"`` lets it pass.
        """
        if self.answer != "undecided" or self.undecided is not None:
            return self.answer == "passed" or (self.answer == "undecided" and self.undecided == "pass")
        return not any(change.fell for change in self.changes)

    @property
    def exit_code(self) -> int:
        """0 where the run may pass, 1 where it failed, 3 where it is undecided and may not pass."""
        return 0 if self.ok else 1 if self.answer == "failed" else 3

    @property
    def passed(self) -> bool:
        """Whether the answer is ``"passed"``."""
        return self.answer == "passed"

    @property
    def can_be_raised(self) -> bool:
        """Whether the baseline can be raised: all passed, no mean became worse, and some became better beyond its interval."""
        return self.passed and not any(self._worsening(c) > ROUNDING for c in self.changes) and any(map(self._rose, self.changes))

    def _worsening(self, change: Change) -> float:
        """By how much a mean became worse."""
        return change.change if self._lower_is_better(change.measure) else -change.change

    def _rose(self, change: Change) -> bool:
        """Whether a mean became better, beyond its interval."""
        if change.low is None or change.high is None:
            return False
        return change.high < 0 if self._lower_is_better(change.measure) else change.low > 0

    def _lower_is_better(self, measure: str) -> bool:
        """Whether lower values of a measure are better."""
        return next(pair.measure.entry.lower_is_better for pair in self.comparison.pairs if pair.name == measure)

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        fell = [_of_slice(c) for c in self.changes if c.answer == "failed" and c.fell and c.change < 0]
        rose = [_of_slice(c) for c in self.changes if c.answer == "failed" and c.fell and c.change > 0]
        why = [
            f"{', '.join(fell)} fell" if fell else "",
            f"{', '.join(rose)} rose" if rose else "",
            f"{', '.join(floor.measure for floor in self.floors if not floor.ok)} too low" if not all(self.floors_ok) else "",
            f"{plural(len(self.lost))} lost" if self.lost else "",
        ]
        if self.answer == "undecided":
            why = [", ".join(_of_slice(c) for c in self.changes if c.answer == "undecided")]
        if self.passed and all(change.change == 0 and change.low is None for change in self.changes):
            why = ["nothing changed"]
        return ", ".join(filter(None, [f"Retrieval gate: {self.answer}", *why]))

    @property
    def floors_ok(self) -> list[bool]:
        """Whether each floor is reached."""
        return [floor.ok for floor in self.floors]

    @property
    def notes(self) -> list[str]:
        """What is allowed, how it was compared, and what could not be decided."""
        drops = self.max_drop.items() if isinstance(self.max_drop, Mapping) else [(OTHERS, self.max_drop)]
        rules = [f"{'a measure' if name == OTHERS else name} may not fall by more than {_in_words(drop)}" for name, drop in drops]
        rising = [pair.name for pair in self.comparison.pairs if pair.measure.entry.lower_is_better]
        lower = f"; {', '.join(rising)}, where lower is better, may not rise by more" if rising else ""
        slices = len({change.slice for change in self.changes}) - 1
        level = f"{100 * (1 - self.alpha):.6g} %" + (
            f", {100 * (1 - self.alpha / slices):.6g} % of each of the slices" if slices else ""
        )
        rule = f"failed: the interval of the change ({level}) lies wholly beyond that; passed: none of it does, or no query fell"
        lost = f"{plural(len(self.lost))} of the baseline lost, without a value now: {examples(self.lost, 20)}"
        raising = "the baseline was raised to this run" if self.raised else "the baseline can be raised to this run (ratchet)"
        return [
            "; ".join(rules) + lower,
            rule,
            *([lost] if self.lost else []),
            *filter(None, [mention(self.allowed_lost, "of the baseline lost, which is allowed")]),
            *(
                f"{f.measure} must be at least {f.floor:g} and is {in_words(f.now)}{'' if f.ok else ', too low'}"
                for f in self.floors
            ),
            *self.open_questions,
            *([raising] if self.raised or self.can_be_raised else []),
            *self.remarks,
            *self.comparison.notes,
        ]

    @property
    def open_questions(self) -> list[str]:
        """A sentence for each measure that so few queries do not decide."""
        return [
            f"{_of_slice(c)} is undecided by {plural(c.queries)}: a {'rise' if self._lower_is_better(c.measure) else 'fall'} "
            f"by more than {c.max_drop:.4g} can neither be shown nor ruled out"
            + (f"; about {c.needed:,} queries would decide" if c.needed else "")
            for c in self.changes
            if c.answer == "undecided"
        ]

    def parts(self) -> list[Part]:
        """The verdict as a heading, a table, the queries that fell most in what fell, and the notes: fit for a pull request."""
        numbers: list[str | Column] = ["baseline", "now", Column("change", styled=signed)]
        sliced = any(change.slice != ALL_QUERIES for change in self.changes)
        rows = [
            (c.measure, *([c.slice] if sliced else []), c.baseline, c.now, c.change, _ends(c), c.p, c.queries, c.verdict)
            for c in self.changes
        ]
        interval: list[str | Column] = [Column("interval", lambda ends: "{:+.4f} to {:+.4f}".format(*ends)), Column("p", p_value)]
        head = ["measure", *(["slice"] if sliced else []), *numbers, *interval, "queries", "verdict"]
        worst = self._worst()
        fallen = [Table(["measure", "query", *numbers], worst)] if worst else []
        return [Title(self.headline, heading=True), Table(head, rows), *fallen, *self.notes]

    def records(self) -> Table:
        """A row for each measure and slice, with all their fields."""
        return Table(list(Change.__dataclass_fields__), [astuple(change) for change in self.changes])

    def _worst(self, n: int = 5) -> list[tuple[Any, ...]]:
        """The queries that became worse by most, for each measure that fell, or rose where lower is better."""
        rows: list[tuple[Any, ...]] = []
        for change in self.changes:
            fell = change.slice == ALL_QUERIES and change.fell
            moved = self.comparison.moved(change.measure, "now", n) if fell else []
            rows += [(change.measure, *row) for row in (moved if change.change > 0 else moved[::-1]) if row[-1] * change.change > 0]
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        return {
            "ok": self.ok,
            "passed": self.passed,
            "answer": self.answer,
            "exit_code": self.exit_code,
            "max_drop": dict(self.max_drop) if isinstance(self.max_drop, Mapping) else self.max_drop,
            "significant": self.significant,
            "alpha": self.alpha,
            "undecided": self.undecided,
            "changes": [asdict(change) for change in self.changes],
            "floors": [asdict(floor) | {"ok": floor.ok} for floor in self.floors],
            "lost": list(self.lost),
            "allowed_lost": list(self.allowed_lost),
            "can_be_raised": self.can_be_raised,
            "raised": self.raised,
            "notes": self.notes,
        }


def _of_slice(change: Change) -> str:
    """The measure of a change, with the slice where it is of one."""
    return change.measure if change.slice == ALL_QUERIES else f"{change.measure} of {change.slice}"


def _ends(change: Change) -> tuple[float, float] | None:
    """The interval of a change."""
    return None if change.low is None or change.high is None else (change.low, change.high)


def gate(
    run: RunLike,
    qrels: QrelsLike,
    baseline: Any,
    measures: MeasuresLike | None = None,
    *,
    max_drop: Drop | Mapping[Any, Drop] = 0.01,
    floors: Mapping[Any, float] | None = None,
    significant: bool = False,
    undecided: Literal["fail", "pass"] | None = None,
    alpha: float = 0.05,
    test: Test | TestFunction = "t",
    allow_lost: Iterable[Any] = (),
    exclude_queries: Iterable[Any] = (),
    slices: Any = None,
    average: Average | None = None,
    weights: Any = None,
    ratchet: bool = False,
    doc_of: Any = None,
    policy: Policy = DEFAULT,
    backend: Any = "auto",
) -> Verdict:
    """Tell whether a run is worse than a baseline by more than ``max_drop`` in some measure: passed, failed, or undecided.

    The queries of the baseline are compared, paired by id. A measure **failed** where the interval of its change lies wholly
    beyond a fall of ``max_drop``, **passed** where none of it does or no query fell, and is **undecided** otherwise: so few queries
    can neither show nor rule out such a fall. A query that the run lacks is scored as the policy says: it falls to 0 by default,
    and where the policy leaves it out, it is lost, and the gate fails. Where lower is better, as in RBP's residual, a rise is the
    fall.

    Where the golden set, a clause of the policy or a measure is another than the baseline's, the baseline is scored again from the
    ranks that it stores, and what these cannot answer is left out and named.

    Parameters
    ----------
    run, qrels, doc_of, policy, backend
        Those of :func:`samescore.evaluate`.
    baseline : path or mapping
        A file that :func:`samescore.write_baseline` wrote, or what it holds.
    measures : optional
        The measures to gate; all of the baseline by default.
    max_drop : float, "5%", or mapping, default 0.01
        By how much a mean may fall: a number, a share of the baseline's mean, or these by measure, where ``"*"`` is for the others.
    floors : mapping, optional
        Measure -> the least that its mean must be now, whatever the baseline.
    significant : bool
        Accepted as before; the three answers say what it said, and it changes nothing.
    undecided : {"fail", "pass"}, optional
        Whether a run passes where a measure is undecided. By default it does where the mean fell by no more than ``max_drop``.
    alpha : float, default 0.05
        The level: intervals are at 1 - ``alpha``, those of slices at 1 - ``alpha`` / number of slices.
    test : str or callable
        How p and the interval are found, as in :func:`samescore.compare`; the interval is Student's t for a test that has none of a
        mean, such as ``"sign"``.
    allow_lost : iterable of ids
        The queries of the baseline that may have no value now.
    exclude_queries : iterable of ids
        Queries that are left out.
    slices : optional
        Labels of queries as ``evaluate`` takes them: each slice has an answer of its own.
    average : {"macro", "micro", "slices"}, optional
        How queries are averaged, which is that of the baseline; of ``"slices"`` it has the labels too.
    weights : mapping, Series or DataFrame, optional
        {query: weight}, for both sides; those of the baseline by default.
    ratchet : bool
        Whether the file of the baseline is written anew from this run where all passed, no mean is lower, and some mean is higher
        beyond its interval.

    Returns
    -------
    Verdict
        True where the run may pass.

    Warns
    -----
    SamescoreWarning
        Where the run may pass and a measure is undecided, with the number of queries that would decide.

    Raises
    ------
    MismatchError
        For a baseline of other chunks or another average; for one of other judgements or another policy whose ranks cannot answer;
        and where no query has a value in it.
    InputError
        For what is no baseline or contradicts itself, for a drop below 0, and for queries to leave out that nothing knows.
    ResultKeyError
        For a measure that the baseline lacks and whose ranks it does not store.
    MeasureError
        Where ``measures`` are not given and the baseline has a user-defined one, whose function is not stored.
    """
    _check(undecided, ratchet, baseline)
    run = read_run(run) if ratchet else run
    judged, look_up, labels = open_qrels(qrels), None if doc_of is None else document_lookup(doc_of), recognise_slices(slices)
    stored = read_baseline(baseline, Wanted(judged, policy, documents_mark(doc_of), measures, backend))
    drops, least = _drops(max_drop, stored), _floors(floors)
    allowed, excluded = _known(allow_lost, "allow_lost", stored), _known(exclude_queries, "exclude_queries", stored, judged.grades)
    weighting, labels = stored.weighting(average, weights, labels)
    options: dict[str, Any] = {"policy": policy}
    options |= {"average": "micro"} if weighting.average == "micro" else {}
    every = list(dict.fromkeys([*stored.measures, *least]))
    now = evaluate(run, judged, measures=every, doc_of=look_up, backend=backend, **options)
    kept = [query for query in (stored.queries or stored.result.queries) if query not in excluded]
    runs = {"baseline": stored.result, "now": now}
    options |= {"average": "slices"} if weighting.average == "slices" else {"weights": weighting.by_query or None}
    options |= {"queries": kept, "slices": labels, "correction": None, "alpha": alpha, "test": test}
    comparison = compare(runs, measures=stored.measures, **options)
    lost = _lost(stored, now, comparison, allowed | excluded)
    gating = Gating(labels, test, alpha)
    changes = [
        change
        for pair in comparison.pairs
        for change in gating.changes(pair, drops[pair.name], len(lost[pair.name] - allowed - excluded))
    ]
    all_lost = [query for query in kept if any(query in queries for queries in lost.values())]
    verdict = Verdict(
        changes=tuple(changes),
        max_drop={str(name): drop for name, drop in max_drop.items()} if isinstance(max_drop, Mapping) else max_drop,
        significant=significant,
        alpha=alpha,
        comparison=comparison,
        lost=tuple(query for query in all_lost if query not in allowed),
        allowed_lost=tuple(query for query in all_lost if query in allowed),
        floors=tuple(Floor(str(measure), floor, _mean_now(now, measure, excluded, weighting)) for measure, floor in least.items()),
        undecided=undecided,
        remarks=(*stored.notes, *filter(None, [mention(excluded, "left out, as was asked")])),
    )
    if verdict.ok and verdict.open_questions:
        warn_caller("; ".join(verdict.open_questions))
    if not (ratchet and verdict.can_be_raised):
        return verdict
    scoring: dict[str, Any] = {"policy": policy, "doc_of": doc_of, "backend": backend, "ids": stored.has_ids}
    scoring |= {"weights": weighting.by_query} if weighting.average == "weighted" else {"average": weighting.average}
    write_baseline(baseline, run, judged, stored.measures, slices=labels, **scoring)
    return replace(verdict, raised=True)


def _check(undecided: object, ratchet: object, baseline: object) -> None:
    """Refuse options that make no sense."""
    if not is_word(undecided, (None, "fail", "pass")):
        raise InputError(f"undecided cannot be {short(undecided)}", hint=setting("undecided", "fail", "pass"))
    if not isinstance(ratchet, bool) or (ratchet and not isinstance(baseline, (str, os.PathLike))):
        raise InputError(f"ratchet is {short(ratchet)}, and the baseline no file", hint="the path of a baseline, to write it anew")


def _known(ids: Iterable[Any], argument: str, baseline: Baseline, judged: Iterable[str] = ()) -> frozenset[str]:
    """The ids of an argument. Raises InputError for one that the baseline lacks, and the judgements where these may have it."""
    queries = query_ids(ids, argument)
    known = {*baseline.result.queries, *judged}
    if unknown := [query for query in queries if query not in known]:
        what = f"{argument} names queries that the baseline lacks: {examples(unknown)}"
        raise InputError(what, file=baseline.file, hint="check the ids")
    return frozenset(queries)


def _lost(baseline: Baseline, now: Result, comparison: Comparison, allowed: frozenset[str]) -> dict[str, frozenset[str]]:
    """Measure -> the queries that have a value of it in the baseline and none now.

    Raises MismatchError where the baseline has no value, or all of them may be lost and are, so that nothing is compared.
    """
    stored, scores = Scores.of(baseline.result), Scores.of(now)
    lost = {}
    for pair in comparison.pairs:
        before = stored.values[column_key(pair.measure)]
        lost[pair.name] = frozenset(before.keys() - scores.values[column_key(pair.measure)].keys())
        if not before or (not pair.queries and (lost[pair.name] | allowed) >= before.keys() and not lost[pair.name] - allowed):
            what = f"nothing to compare: no query has a value of {pair.name} in the baseline and now"
            raise MismatchError(what, file=baseline.file, hint="a baseline of a run that answers judged queries")
    return lost


def _mean_now(now: Result, measure: Measure, excluded: frozenset[str], weighting: Weighting) -> float:
    """The mean of a measure over the queries that are not left out."""
    column = now.column(measure)
    kept = np.array([query not in excluded for query in now.queries], dtype=bool)
    values = column.values[kept]
    weights = weighting.weights(list(compress(now.queries, kept)), ~np.isnan(values))
    return mean_or_sum(values, column.resolved, weights if column.weights is None else column.weights[kept])[0]


def _floors(floors: object) -> dict[Measure, float]:
    """Measure -> the least that it must be. Raises InputTypeError for what is no mapping."""
    if floors is not None and not isinstance(floors, Mapping):
        raise InputTypeError(f"floors are {short(floors)}", hint=setting("floors", {"R@10": 0.8}))
    return {parse(name): _floor(name, value) for name, value in (floors or {}).items()}


def _floor(name: object, value: object) -> float:
    """One of them. Raises InputError for what is no number, and where lower is better."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InputError(f"the floor of {name} is {short(value)}", hint=setting("floors", {"R@10": 0.8}))
    if parse(name).entry.lower_is_better:
        raise InputError(f"{name} has no floor: lower is better", hint=setting("max_drop", 0.01))
    return float(value)


def _drops(max_drop: Any, baseline: Baseline) -> dict[str, Drop]:
    """Measure -> how far it may fall.

    Raises InputError for a limit that no fall could pass, as NaN, one that a run could fail without a fall, and a measure that is
    not gated.
    """
    names = {str(measure): column_key(baseline.result.policy.resolve(measure)) for measure in baseline.measures}
    if not isinstance(max_drop, Mapping):
        return dict.fromkeys(names, _drop(max_drop))
    drops: dict[str, Drop] = dict.fromkeys(names, _drop(max_drop.get(OTHERS, 0.01)))
    for name, drop in max_drop.items():
        if name == OTHERS:
            continue
        key = column_key(baseline.result.policy.resolve(parse(name)))
        meant = [gated for gated, measure in names.items() if measure == key]
        if not meant:
            raise InputError(f"max_drop names {short(name)}, which is not gated", hint=nearest(str(name), names))
        drops[meant[0]] = _drop(drop)
    return drops


def _drop(drop: object) -> Drop:
    """One limit."""
    try:
        number = float(drop.removesuffix("%")) / 100 if isinstance(drop, str) and drop.endswith("%") else drop
    except ValueError:
        number = None
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 <= number <= sys.float_info.max:
        what = f"max_drop is {short(drop)}, neither a number of at least 0 nor a share such as 5%"
        raise InputError(what, hint=setting("max_drop", 0.01))
    return drop if isinstance(drop, str) else float(number)


def _in_words(drop: Drop) -> str:
    """One limit in words."""
    return f"{drop} of the baseline" if isinstance(drop, str) else f"{drop:g}"


def _limit(drop: Drop, baseline: float) -> float:
    """How far a mean may fall from that of the baseline."""
    return float(drop.removesuffix("%")) / 100 * abs(baseline) if isinstance(drop, str) else drop


@dataclass(frozen=True, slots=True)
class Gating:
    """How changes are judged: in which slices, by which test, at which level."""

    labels: Slices
    test: Test | TestFunction
    alpha: float

    def changes(self, pair: Paired, drop: Drop, lost: int) -> list[Change]:
        """How one measure moved over all queries, of which some are lost, then over each slice that has a query."""
        masks = {slice: mask for slice, mask in self.labels.masks(pair.queries).items() if mask.any() and slice != ALL_QUERIES}
        of_all = np.ones(len(pair.queries), dtype=bool)
        changes = [self._change(pair, of_all, drop, self.alpha)]
        if lost:
            changes[0] = replace(changes[0], lost=lost, answer="failed")
        of_slices = ((slice, self._change(pair, mask, drop, self.alpha / len(masks))) for slice, mask in masks.items())
        return [*changes, *(replace(change, slice=slice) for slice, change in of_slices)]

    def _change(self, pair: Paired, mask: Mask, drop: Drop, alpha: float) -> Change:
        """How one measure moved over some queries, and what these can tell of a fall."""
        before, now = (0.0 if math.isnan(mean := pair.mean(run, mask)) else mean for run in (0, 1))
        differences, limit = pair.spread(1, mask) - pair.spread(0, mask), _limit(drop, before)
        test = "permutation" if self.test == "tukey" else self.test  # which two runs make of it
        bounds_mean = not callable(test) and test != "sign"
        told = contrast(differences, test if bounds_mean else "t", Sampling(alpha), pair.limit)
        p = told.p if bounds_mean else contrast(differences, test, Sampling(alpha)).p
        sign = 1 if pair.measure.entry.lower_is_better else -1
        least, most = sorted((sign * told.low, sign * told.high))  # of the fall; NaN where there is no interval
        answer: Answer = "undecided"
        if most <= limit + ROUNDING or not (sign * without_noise(pair.moves(1, 0, mask)) > 0).any():
            answer = "passed"
        elif least > limit + ROUNDING:
            answer = "failed"
        fall, deviation = sign * (now - before), float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
        return Change(
            pair.name,
            before,
            now,
            now - before,
            _or_none(p),
            int(mask.sum()),
            fell=fall > limit + ROUNDING,
            low=_or_none(told.low),
            high=_or_none(told.high),
            max_drop=limit,
            answer=answer,
            needed=queries_to_show((fall - limit) / deviation, alpha) if answer == "undecided" and deviation else None,
        )


def _or_none(number: float) -> float | None:
    """A number, or None for NaN."""
    return None if math.isnan(number) else number
