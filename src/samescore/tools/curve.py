"""curve: a measure at several cutoffs, where it flattens, and the smallest cutoff that keeps most of it."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from ..display import Displayed, Part, Table, finite, frame
from ..errors import InputError, MeasureError, Wording, setting, short
from ..evaluation import DEFAULT
from ..intervals import NOISE, Interval
from ..measures import Measure, parse
from ..policy import Policy
from ..result import Result
from ..typing import QrelsLike, RunsLike
from .runs import evaluate_runs

if TYPE_CHECKING:
    import pandas

CUTOFFS = (1, 5, 10, 20, 50, 100)
"""The cutoffs where none are named."""


@dataclass(frozen=True, repr=False)
class Curve(Displayed):
    """What :func:`samescore.curve` returns: the value of a measure at each cutoff, for each run. ``print`` shows a table.

    ``values`` is run -> the means, in the order of ``k``. ``enough`` is the smallest of these cutoffs that keeps the
    share ``keep`` of the value at the largest one. ``flattens`` is the cutoff from which a doubling of k adds (or
    takes) less than ``flat``. None where there is no such cutoff: nothing found, still rising or falling at the end.
    Both look at the cutoffs down to which at least half of the run's rankings reach, ``ends``; below, a run says nothing.
    """

    measure: str
    k: tuple[int, ...]
    values: Mapping[str, tuple[float, ...]]
    keep: float
    flat: float
    results: Mapping[str, Result] = field(repr=False)

    @property
    def table(self) -> pandas.DataFrame:
        """A DataFrame with a row for each k and a column for each run."""
        rows = zip(self.k, *self.values.values(), strict=True)
        return frame(rows, {"k": "int64", **dict.fromkeys(self.values, "float64")}, index="k")

    @property
    def intervals(self) -> dict[str, tuple[Interval, ...]]:
        """Run -> the interval of each mean at 95 %, in the order of ``k``; its method depends on the values."""
        return {run: tuple(column.interval() for column in result.columns.values()) for run, result in self.results.items()}

    @property
    def enough(self) -> dict[str, int | None]:
        """Run -> the smallest k that keeps the share ``keep`` of the value at the largest k."""
        return {run: self._enough(values[: len(self._reached(run))]) for run, values in self.values.items()}

    @property
    def flattens(self) -> dict[str, int | None]:
        """Run -> the smallest k after which no doubling of k adds, or takes, ``flat`` or more; None where the last step does."""
        return {run: self._flattens(values[: len(self._reached(run))]) for run, values in self.values.items()}

    @property
    def ends(self) -> dict[str, int]:
        """Run -> the rank down to which at least half of its rankings reach."""
        return {run: result.spaces["grades"].reached_depth(result.is_averaged) for run, result in self.results.items()}

    def _reached(self, run: str) -> tuple[int, ...]:
        """The cutoffs down to which at least half of the rankings of a run reach."""
        return tuple(k for k in self.k if k <= self.ends[run])

    def _enough(self, values: Sequence[float]) -> int | None:
        """The same for one run; a product that rounds up asks for no more."""
        return _first(self.k, [values[-1] > 0 and v >= self.keep * values[-1] - NOISE for v in values])

    def _flattens(self, values: Sequence[float]) -> int | None:
        """The same for one run."""
        steps = zip(self.k, self.k[1:], values, values[1:], strict=False)
        moves = [abs(after - before) / math.log2(wider / narrow) >= self.flat for narrow, wider, before, after in steps]
        return _first(self.k, [not any(moves[i:]) for i in range(len(moves))])

    @property
    def notes(self) -> list[str]:
        """A sentence for each run, and the signatures."""
        sentences = [f"{run}: {'; '.join(self._findings(run)) or 'one cutoff, no curve'}" for run in self.values]
        return [*sentences, *dict.fromkeys(result.signature for result in self.results.values())]

    def _findings(self, run: str) -> Iterator[str]:
        """What the curve of one run says: how much is enough, and where it flattens."""
        reached, share = self._reached(run), f"{100 * self.keep:.6g} %"
        if len(reached) < len(self.k):
            unknown = _names(self.measure, self.k[len(reached) :])
            yield f"the rankings end at {self.ends[run]}: nothing is known of {unknown} beyond that"
        if len(reached) < 2:
            return
        last = f"{self.measure}@{reached[-1]}"
        enough, flattens = self.enough[run], self.flattens[run]
        if enough is None:
            yield f"{last} is 0"
        elif enough < reached[-1]:
            yield f"k = {enough} keeps {share} of {last}"
        else:
            yield f"no smaller k keeps {share} of {last}"
        if flattens:
            yield f"flat from k = {flattens}, where a doubling of k adds less than {self.flat:g}"
        else:
            before, last_value = self.values[run][len(reached) - 2 : len(reached)]
            yield f"still {'rising' if last_value > before else 'falling'} at k = {reached[-1]}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        return {
            "measure": self.measure,
            "k": list(self.k),
            "values": {run: list(values) for run, values in self.values.items()},
            "intervals": {run: [finite(list(each)) for each in row] for run, row in self.intervals.items()},
            "keep": self.keep,
            "enough": self.enough,
            "flat": self.flat,
            "flattens": self.flattens,
            "ends": self.ends,
            "signatures": {run: result.signature for run, result in self.results.items()},
        }

    def parts(self) -> list[Part]:
        """A row for each k, and the notes."""
        rows = [[f"{self.measure}@{k}", *(values[i] for values in self.values.values())] for i, k in enumerate(self.k)]
        return [Table(["measure", *self.values], rows), *self.notes]

    def records(self) -> Table:
        """A row for each run and k, with the interval at 95 %."""
        each = [(run, *row) for run, values in self.values.items() for row in zip(self.k, values, self.intervals[run], strict=True)]
        rows = [(run, k, value, *map(finite, interval)) for run, k, value, interval in each]
        return Table(["run", "k", self.measure, "low", "high"], rows)


def curve(
    runs: RunsLike,
    qrels: QrelsLike,
    measure: object = "R",
    k: Iterable[int] = CUTOFFS,
    *,
    keep: float = 0.95,
    flat: float = 0.01,
    queries: Iterable[Any] | None = None,
    average: Literal["macro", "micro"] = "macro",
    doc_of: Any = None,
    policy: Policy = DEFAULT,
    backend: Any = "auto",
) -> Curve:
    """Compute a measure at several cutoffs: where it flattens, and the smallest cutoff that keeps most of it.

    Parameters
    ----------
    runs : mapping, pairs or paths
        Name -> run, as in :func:`samescore.compare`; one run as a path or a DataFrame will do.
    measure : str or Measure, default "R"
        One with a cutoff, written without: ``"R"``, ``"nDCG"``, ``"P(rel=2)"``.
    k : iterable of int
        The cutoffs.
    keep : float, default 0.95
        The share of the value at the largest cutoff that is enough.
    flat : float, default 0.01
        What a doubling of the cutoff must add, or take, for the curve not to be flat.
    qrels, queries, average, doc_of, policy, backend
        Those of :func:`samescore.evaluate`.

    Returns
    -------
    Curve

    Raises
    ------
    MeasureError
        For a measure that has no cutoff or names one.
    InputError
        For a ``keep`` that is not above 0 and at most 1 and a ``flat`` that is not above 0.
    SamescoreError
        What :func:`samescore.evaluate` raises.

    Examples
    --------
    >>> run = {"q1": ["x", "d1", "y", "d2"]}
    >>> made = curve({"bm25": run}, {"q1": {"d1": 1, "d2": 1}}, "R", k=[1, 2, 4, 8], backend="reference")
    >>> made.values["bm25"], made.enough, made.flattens
    ((0.0, 0.5, 1.0, 1.0), {'bm25': 4}, {'bm25': None})
    """
    at = at_cutoffs(measure, k)
    _check_shares(keep, flat)
    options = {"queries": queries, "average": average, "doc_of": doc_of, "policy": policy, "backend": backend}
    results = evaluate_runs(runs, qrels, measures=at, **options)
    values = {name: tuple(result.shown.values()) for name, result in results.items()}
    return Curve(str(parse(measure)), tuple(m.cutoff or 0 for m in at), values, keep, flat, results)


def at_cutoffs(measure: object, k: Any) -> list[Measure]:
    """A measure at each cutoff, in order, each once.

    Raises MeasureError for a measure that has no cutoff or names one, and for a cutoff below 1.
    """
    uncut = parse(measure)
    if uncut.cutoff is not None:
        raise MeasureError(f"{uncut} has a cutoff already", hint=Wording(f"{uncut.name}, and ", setting("k", [uncut.cutoff])))
    cutoffs = list(k) if isinstance(k, Iterable) and not isinstance(k, (str, bytes)) else [k]
    if not cutoffs or None in cutoffs:
        raise MeasureError(f"k is {short(k)}", hint=setting("k", [5, 10, 50]))
    return sorted({replace(uncut, cutoff=cutoff) for cutoff in cutoffs}, key=lambda m: m.cutoff or 0)


def _check_shares(keep: object, flat: object) -> None:
    """Refuse shares that no curve could keep or all would."""
    if isinstance(keep, bool) or not isinstance(keep, (int, float)) or not 0 < keep <= 1:
        raise InputError(f"keep is {short(keep)}, not a share above 0 and at most 1", hint=setting("keep", 0.95))
    if isinstance(flat, bool) or not isinstance(flat, (int, float)) or not 0 < flat <= sys.float_info.max:
        raise InputError(f"flat is {short(flat)}, not a number above 0", hint=setting("flat", 0.01))


def _names(measure: str, cutoffs: Sequence[int]) -> str:
    """A measure at some cutoffs, the first and the last of many."""
    names = [f"{measure}@{k}" for k in cutoffs]
    return " and ".join(names) if len(names) < 3 else f"{names[0]} to {names[-1]}"


def _first(k: Sequence[int], holds: Iterable[bool]) -> int | None:
    """The first cutoff for which something holds."""
    return next((cutoff for cutoff, held in zip(k, holds, strict=False) if held), None)
