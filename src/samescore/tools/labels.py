"""merge_qrels and agreement: judgements of several people put together, and how far they agree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

import numpy as np

from ..display import Displayed, Part, Table, finite, mention, plural
from ..errors import InputError, InputTypeError, is_word, setting, short
from ..evaluation import DEFAULT, requested_measures
from ..policy import Policy, check_policy
from ..ranking import Judgements, Notes, judge
from ..readers import Grade, Qrels, open_qrels, to_qrels
from ..typing import MeasuresLike, QrelsLike, RunsLike
from .runs import evaluate_runs
from .significance import kendall_tau

OnConflict = Literal["error", "last", "max", "mean", "majority"]


def _mean(grades: Sequence[Grade]) -> Grade:
    """The mean, a whole number where it is one."""
    mean = math.fsum(grades) / len(grades)
    return int(mean) if mean == int(mean) else mean


def _majority(grades: Sequence[Grade]) -> Grade | None:
    """The grade that most give; None where no grade has more votes than another."""
    (grade, votes), *others = Counter(grades).most_common(2)
    return None if others and others[0][1] == votes else grade


MERGING: Mapping[str, Callable[[Sequence[Grade]], Grade | None]] = {
    "error": lambda grades: None,
    "last": lambda grades: grades[-1],
    "max": max,
    "mean": _mean,
    "majority": _majority,
}
"""What becomes of grades that differ, in the order given; None where that is refused."""


def merge_qrels(*qrels: QrelsLike, on_conflict: OnConflict = "error") -> Qrels:
    """Put judgements together: every query and document that some of them judge.

    Parameters
    ----------
    *qrels : QrelsLike
        Two or more, the older before the newer, each what :func:`samescore.read_qrels` reads.
    on_conflict : {"error", "last", "max", "mean", "majority"}
        What becomes of a document with different grades: they are refused, the last one counts, the highest, their mean, or the
        grade that most give, which is refused where no grade has more votes than another.

    Returns
    -------
    Qrels
        With each document judged once; queries and documents in the order found. ``save`` writes them.

    Raises
    ------
    InputError
        For fewer than two, for judgements of subtopics, and for a conflict that is refused, with query and document.

    Examples
    --------
    >>> merged = merge_qrels({"q1": {"a": 1, "b": 0}}, {"q1": {"b": 2}, "q2": {"c": 1}}, on_conflict="last")
    >>> merged.grades
    {'q1': {'a': 1, 'b': 2}, 'q2': {'c': 1}}
    """
    if not is_word(on_conflict, MERGING):
        raise InputError(f"on_conflict cannot be {short(on_conflict)}", hint=setting("on_conflict", *MERGING))
    if len(qrels) < 2:
        raise InputError(f"{len(qrels)} judgements are not merged", hint="merge_qrels(old, new)")
    votes: dict[str, dict[str, list[Grade]]] = {}
    for each in map(open_qrels, qrels):
        if each.subtopics:
            what = f"{each.name} holds judgements of subtopics, which are not merged"
            raise InputError(what, query=next(iter(each.subtopics)), hint="qrels with one iteration")
        for query, grades in each.grades.items():
            by_document = votes.setdefault(query, {})
            for doc, grade in chain(grades.items(), each.further.get(query, ())):
                by_document.setdefault(doc, []).append(grade)
    merged: dict[str, dict[str, Grade]] = {}
    for query, by_document in votes.items():
        merged[query] = {}
        for doc, given in by_document.items():
            chosen = given[0] if len(set(given)) == 1 else MERGING[on_conflict](given)
            if chosen is None:
                others = ("last", "max", "mean", "majority") if on_conflict == "error" else ("last", "max", "mean")
                raise InputError(
                    f"grades that differ: {', '.join(map(str, given))}",
                    query=query,
                    document=doc,
                    hint=setting("on_conflict", *others),
                )
            merged[query][doc] = chosen
    return to_qrels(merged, name="merged")


@dataclass(frozen=True, slots=True)
class Pair:
    """How far some judgements agree with the first ones.

    ``both`` counts what both judge, ``first_only`` and ``other_only`` what one does; ``same`` how many of the former have the same
    grade. ``kappa`` is Cohen's, ``weighted_kappa`` with linear weights by the distance of grades; NaN where there is nothing to
    agree on by more than chance. ``confusion`` is (grade of the first, grade of the other) -> how many. ``tau`` is measure ->
    Kendall's tau of the runs under both, NaN for fewer than two runs or where all are equal.
    """

    name: str
    both: int
    first_only: int
    other_only: int
    same: int
    kappa: float
    weighted_kappa: float
    confusion: Mapping[tuple[Grade, Grade], int]
    tau: Mapping[str, float] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """The share of what both judge that has the same grade."""
        return self.same / self.both if self.both else math.nan


@dataclass(frozen=True, repr=False)
class LabelAgreement(Displayed):
    """What :func:`samescore.agreement` returns: how far other judgements agree with the first. ``print`` shows it.

    ``pairs`` has a row for each of the others. ``means``, where runs were given, is measure -> judgements -> run -> mean.
    """

    name: str
    pairs: tuple[Pair, ...]
    means: Mapping[str, Mapping[str, Mapping[str, float]]]
    notes: tuple[str, ...] = ()

    def pair(self, name: str) -> Pair:
        """The row of one of the others. Raises KeyError where there is none of the name."""
        return next(pair for pair in self.pairs if pair.name == name)

    def parts(self) -> list[Part]:
        """How far each agrees, the confusion of grades, the runs under each, and the notes."""
        columns = ["judgements", "both", f"{self.name} only", "other only", "same", "share", "kappa", "weighted kappa"]
        measures = list(self.means)
        rows = [
            (p.name, p.both, p.first_only, p.other_only, p.same, p.share, p.kappa, p.weighted_kappa, *(p.tau[m] for m in measures))
            for p in self.pairs
        ]
        tables: list[Part] = [Table([*columns, *(f"tau of {measure}" for measure in measures)], rows)]
        for pair in self.pairs:
            firsts, others = (sorted({grades[side] for grades in pair.confusion}) for side in (0, 1))
            title = f"{self.name} \\ {pair.name}"
            rows_of = [(str(a), *(pair.confusion.get((a, b), 0) for b in others)) for a in firsts]
            tables += [Table([title, *map(str, others)], rows_of)] if firsts else []
        for measure, by_judgements in self.means.items():
            runs = list(next(iter(by_judgements.values())))
            rows_of = [(run, *(means[run] for means in by_judgements.values())) for run in runs]
            tables.append(Table([measure, *by_judgements], rows_of))
        return [*tables, *self.notes]

    def records(self) -> Table:
        """A row for each of the others and pair of grades: how many."""
        rows = [(pair.name, a, b, n) for pair in self.pairs for (a, b), n in pair.confusion.items()]
        return Table(["judgements", "grade", "other_grade", "documents"], rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        fields = ("name", "both", "first_only", "other_only", "same", "share", "kappa", "weighted_kappa")
        pairs = [
            {name: finite(getattr(pair, name)) for name in fields}
            | {"confusion": [[a, b, n] for (a, b), n in pair.confusion.items()], "tau": finite(dict(pair.tau))}
            for pair in self.pairs
        ]
        return {"name": self.name, "pairs": pairs, "means": finite(dict(self.means)), "notes": list(self.notes)}


def agreement(
    qrels: QrelsLike,
    others: Any,
    *,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    k: int | Sequence[int] | None = None,
    policy: Policy = DEFAULT,
    backend: Any = "auto",
) -> LabelAgreement:
    """Tell how far judgements agree, and whether they rank runs alike.

    Parameters
    ----------
    qrels : QrelsLike
        The first judgements.
    others : QrelsLike or mapping of name to QrelsLike
        One or several others, such as those of another person or of a language model.
    runs : optional
        Runs as :func:`samescore.compare` takes them, to be scored under each.
    measures, k, policy, backend
        Those of :func:`samescore.evaluate`; the policy says which grade counts of a document that is judged twice.

    Returns
    -------
    LabelAgreement
        Counts, Cohen's kappa (Cohen 1960), kappa with linear weights (Cohen 1968), the confusion of grades; and with runs their
        means and Kendall's tau-b of these under both judgements.

    Raises
    ------
    InputTypeError
        For what are no judgements.
    SamescoreError
        What ``evaluate`` raises.

    References
    ----------
    Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement, 20(1).
    Cohen, J. (1968). Weighted kappa. Psychological Bulletin, 70(4).
    Voorhees, E. M. (2000). Variations in relevance judgments and the measurement of retrieval effectiveness. Information Processing
    & Management, 36(5).

    Examples
    --------
    >>> first = {"q1": {"a": 1, "b": 0, "c": 1, "d": 0}}
    >>> pair = agreement(first, {"q1": {"a": 1, "b": 0, "c": 0, "d": 0, "e": 1}}).pairs[0]
    >>> pair.both, pair.same, pair.kappa, pair.other_only
    (4, 3, 0.5, 1)
    """
    check_policy(policy)
    named = _named(others)
    first = open_qrels(qrels)
    judged = {"first": first, **{name: open_qrels(source) for name, source in named.items()}}
    grades = {name: judge(each, policy, Notes()) for name, each in judged.items()}
    measured = [] if runs is None else requested_measures(k, measures)
    means: dict[str, dict[str, dict[str, float]]] = {str(measure): {} for measure in measured}
    for name, each in judged.items() if runs is not None else ():
        options: dict[str, Any] = {"measures": measured, "policy": policy, "backend": backend}
        for run, result in evaluate_runs(runs, each, **options).items():
            for measure, mean in result.shown.items():
                means[measure].setdefault(name, {})[run] = mean
    pairs = [_pair(name, grades["first"], grades[name], means) for name in named]
    notes = [mention([p.name for p in pairs if not p.both], "with nothing that both judge", "other", "others")]
    if runs is not None and means:
        count = len(next(iter(next(iter(means.values())).values())))
        said = f"tau: Kendall's tau-b of the means of {plural(count, 'run', 'runs')} under both"
        notes.append(said if count > 1 else "one run has no tau")
    return LabelAgreement("first", tuple(pairs), means, tuple(filter(None, notes)))


def _named(others: Any) -> dict[str, Any]:
    """Name -> judgements. Raises InputTypeError where a name is that of the first."""
    is_named = isinstance(others, Mapping) and others and not any(_is_grades(value) for value in others.values())
    named = {str(name): source for name, source in others.items()} if is_named else {"other": others}
    if "first" in named:
        raise InputTypeError("others are named first, as the judgements that they are compared with", hint="another name")
    return named


def _is_grades(value: Any) -> bool:
    """Whether a value of a mapping is what a query is judged by, rather than judgements of several queries."""
    if isinstance(value, Mapping):
        return not any(isinstance(inner, (Mapping, set, frozenset, list, tuple)) for inner in value.values())
    return isinstance(value, (set, frozenset, list, tuple))


def _pair(name: str, first: Judgements, other: Judgements, means: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Pair:
    """How far two judgements agree."""
    a = {(query, doc): grade for query, grades in first.items() for doc, grade in grades.items()}
    b = {(query, doc): grade for query, grades in other.items() for doc, grade in grades.items()}
    shared = [key for key in a if key in b]
    confusion = Counter((a[key], b[key]) for key in shared)
    tau = {m: kendall_tau(list(by["first"].values()), [by[name][run] for run in by["first"]]) for m, by in means.items()}
    same = sum(n for (x, y), n in confusion.items() if x == y)
    return Pair(
        name, len(shared), len(a) - len(shared), len(b) - len(shared), same, kappa(confusion), kappa(confusion, weighted=True),
        dict(sorted(confusion.items())), tau,
    )  # fmt: skip


def kappa(confusion: Mapping[tuple[Grade, Grade], int], *, weighted: bool = False) -> float:
    """Cohen's kappa of a table of counts: 1 - disagreement / disagreement by chance; NaN where chance cannot disagree.

    Disagreement is 1 for different grades, or with ``weighted`` their distance.

    >>> kappa({(1, 1): 20, (1, 0): 5, (0, 1): 10, (0, 0): 15})
    0.4
    """
    total = sum(confusion.values())
    if not total:
        return math.nan
    grades = sorted({grade for pair in confusion for grade in pair})
    counts = np.array([[confusion.get((a, b), 0) for b in grades] for a in grades], dtype=np.float64)
    scale = np.array(grades, dtype=np.float64)
    distance = np.abs(scale[:, None] - scale) if weighted else (scale[:, None] != scale).astype(np.float64)
    by_chance = float((np.outer(counts.sum(axis=1), counts.sum(axis=0)) * distance).sum()) / total
    return 1 - float((counts * distance).sum()) / by_chance if by_chance else math.nan
