"""crosscheck: every backend that has a measure, and the reference, on one rank space, held against each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__, backends
from ..averaging import mean_or_sum
from ..backends import Backend, Gap
from ..backends.batches import unchecked_scores
from ..backends.reference import Reference
from ..display import Column, Outcome, Part, Table, Title, finite, first_of, frame, plural
from ..errors import BackendError, GradeError, MissingLibraryError, examples, setting, short
from ..evaluation import DEFAULT, requested_measures
from ..measures import Measure
from ..policy import Policy
from ..preparation import Prepared, prepare
from ..rankspace import Floats
from ..readers import Qrels, Run, RunFile, open_qrels, open_run
from ..typing import MeasuresLike, QrelsLike, RunLike

if TYPE_CHECKING:
    import pandas

REFERENCE = "reference"

TOLERANCE = 1e-9
"""How far a value may be from the reference, or as a share of one above 1, where a tool prints all digits."""

SHOWN = 10
"""How many values that differ are printed."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One measure by one backend: the mean (NaN where a value is no number), how many values of queries were compared, and the
    largest ``difference`` of one from the reference (a share where that is above 1), which may be ``tolerance``; or the ``gap``
    that the backend declares."""

    measure: str
    backend: str
    mean: float = math.nan
    compared: int = 0
    difference: float = 0.0
    tolerance: float = TOLERANCE
    gap: Gap | None = None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        if self.gap is None:
            return asdict(self)
        return {**asdict(self), "difference": None, "gap": {"kind": self.gap.kind, "why": self.gap.why}}


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A value of one query that is not the reference's; NaN or infinite where it is no number."""

    query: str
    measure: str
    backend: str
    value: float
    reference: float

    def __str__(self) -> str:
        return f"query {self.query!r}, {self.measure}: {self.backend} {self.value!r}, reference {self.reference!r}"


@dataclass(frozen=True, slots=True, repr=False)
class Agreement(Outcome):
    """Whether backends and the reference give the same values of ``measures``, under one policy; true where they do.

    ``rows`` are the measures by each backend, the reference first, and ``found`` the values that differ. ``labels`` is backend ->
    name and version; ``absent`` is backend -> why it could not be asked; ``own`` measures are computed by functions of the
    caller, for every backend alike; ``queries`` is the number of queries that are averaged.
    """

    measures: tuple[str, ...]
    rows: tuple[Checked, ...]
    found: tuple[Disagreement, ...]
    labels: Mapping[str, str]
    absent: Mapping[str, str]
    own: tuple[str, ...]
    policy: Policy
    queries: int

    @property
    def ok(self) -> bool:
        """Whether every value of every backend is the reference's."""
        return not self.found

    @property
    def compared(self) -> int:
        """How many values were compared with the reference's."""
        return sum(row.compared for row in self.rows if row.backend != REFERENCE)

    @property
    def max_difference(self) -> float:
        """The largest difference of a value from the reference's, infinite for NaN.

        Differences within the resolution that a backend declares for the few decimals of its tool are none.
        """
        counted = (row.difference for row in self.rows if row.tolerance == TOLERANCE or row.difference > row.tolerance)
        return max(counted, default=0.0)

    @property
    def table(self) -> pandas.DataFrame:
        """A row for each measure: its mean by each backend (NaN for a gap), and the largest difference of a query's value.

        Where backends differ in tolerance, ``difference`` and ``tolerance`` are of the one that is nearest to breaking its own.
        """
        records = self.records()
        kinds = {"measure": "object", **dict.fromkeys(records.titles[1:], "float")}
        return frame(records.rows, kinds, index="measure")

    def records(self) -> Table:
        """A row for each measure, as in ``table``."""
        return self._table(self.labels, lambda row: row.mean)

    @property
    def disagreements(self) -> pandas.DataFrame:
        """A row for each value that differs, with query, measure, backend, value and reference."""
        texts = dict.fromkeys(("query", "measure", "backend"), "object")
        return frame(map(astuple, self.found), {**texts, "value": "float", "reference": "float"})

    @property
    def gaps(self) -> pandas.DataFrame:
        """A row for each measure that a backend lacks, with the kind of the gap and why."""
        rows = [(row.measure, row.backend, row.gap.kind, row.gap.why) for row in self.rows if row.gap]
        return frame(rows, dict.fromkeys(("measure", "backend", "kind", "why"), "object"))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold; None for NaN and infinity."""
        plain: dict[str, Any] = finite(
            {
                "ok": self.ok,
                "max_difference": self.max_difference,
                "samescore": __version__,
                "policy": self.policy.signature,
                "queries": self.queries,
                "backends": self.labels,
                "absent": self.absent,
                "own": self.own,
                "computed_by": self.computed_by,
                "measures": [row.to_dict() for row in self.rows],
                "disagreements": [
                    {"query_id": d.query, "measure": d.measure, "backend": d.backend, "value": d.value, "reference": d.reference}
                    for d in self.found
                ],
            }
        )
        return plain

    def parts(self) -> list[Part]:
        """How many values agree, the means by backend (a gap is named by its kind), what differs and what was not compared."""
        table = self._table(self._having(), lambda row: row.gap.kind if row.gap else row.mean, counts=True)
        return [Title(self._headline()), table, *self._sentences()]

    def _table(self, backends: Iterable[str], cell: Callable[[Checked], float | str], *, counts: bool = False) -> Table:
        """A row for each measure: what the reference and backends have, and the difference that is most of its tolerance.

        ``counts`` adds how many backends computed it.
        """
        names, rows = [REFERENCE, *backends], []
        for measure in self.measures:
            by_backend = {row.backend: row for row in self.rows if row.measure == measure}
            worst = max(by_backend.values(), key=lambda row: row.difference / row.tolerance)
            cells = [cell(by_backend.get(name, Checked(measure, name))) for name in names]
            computed = [len(self.computed_by[measure])] if counts else []
            rows.append((measure, *cells, *computed, worst.difference, worst.tolerance))
        difference = Column("difference", lambda off: f"{off:.1e}" if off else "0")
        return Table(["measure", *names, *(["backends"] if counts else []), difference, Column("tolerance", ".0e")], rows)

    @property
    def computed_by(self) -> dict[str, list[str]]:
        """Measure -> the backends, the reference aside, that computed it."""
        computed: dict[str, list[str]] = {measure: [] for measure in self.measures}
        for row in self.rows:
            if row.gap is None and row.backend != REFERENCE:
                computed[row.measure].append(row.backend)
        return computed

    def _having(self) -> list[str]:
        """The backends that have one of the measures at least."""
        having = {row.backend for row in self.rows if row.gap is None}
        return [name for name in self.labels if name in having]

    def _headline(self) -> str:
        """How many values agree, of how many backends that computed any."""
        if not self._having():
            return f"nothing was compared: of {plural(len(self.labels), 'backend', 'backends')} none has these measures"
        total = f"{plural(self.compared, 'value', 'values')} of {plural(len(self._having()), 'backend', 'backends')}"
        return f"{len(self.found)} of {total} differ from the reference" if self.found else f"all {total} agree with the reference"

    def _sentences(self) -> Iterator[str]:
        """Below the table: what differs, what agrees to few decimals only, what was not compared, and who was asked."""
        yield from first_of(self.found, SHOWN)
        alone = [measure for measure, computed in self.computed_by.items() if not computed and measure not in self.own]
        if alone and self._having():
            yield f"computed by the reference alone, so that nothing was compared: {examples(alone)}"
        for name, coarse in {row.backend: row.tolerance for row in self.rows if row.tolerance > TOLERANCE}.items():
            yield f"{name} prints few decimals: a difference up to {coarse:.0e} is none"
        if self.own:
            yield f"computed by functions of their own, for every backend alike: {examples(self.own)}"
        if lacking := [name for name in self.labels if name not in self._having()]:
            yield f"without any of these measures: {', '.join(lacking)}"
        for name, why in self.absent.items():
            yield f"{name} was not asked: {why}"
        versions = ", ".join(self.labels[name] for name in self._having())
        yield f"samescore {__version__} | {self.policy.signature} | {versions or REFERENCE} | queries:{self.queries}"


def crosscheck(
    run: RunLike,
    qrels: QrelsLike,
    k: int | Sequence[int] | None = None,
    *,
    measures: MeasuresLike | None = None,
    backends: Any = None,
    policy: Policy = DEFAULT,
    queries: Iterable[Any] | None = None,
) -> Agreement:
    """Score a run by every backend, on one rank space, and compare each value of each query with the reference.

    Two values agree where they differ by 1e-9 at most, as a share where they are above 1, or by the resolution that a backend
    declares for the few decimals of its tool; NaN, infinity and None agree with no number.

    Parameters
    ----------
    run, qrels, k, measures, policy, queries
        As for :func:`samescore.evaluate`.
    backends : str, Backend or several, optional
        Names, ``"package.module:Object"`` or objects that fit :class:`samescore.backends.Backend`; by default all that samescore
        registers and that are installed, ir_measures' other providers among them.

    Returns
    -------
    Agreement
        True where all agree. A measure that a backend declares a gap is shown as that.

    Raises
    ------
    MissingLibraryError
        Where a backend that is named is not installed.
    BackendError
        For a backend that is unknown or breaks its contract.
    SamescoreError
        What :func:`samescore.evaluate` raises, but for GapError.

    Examples
    --------
    >>> agreement = crosscheck({"q": ["d1", "d2"]}, {"q": {"d2": 1}}, measures=["RR", "ERR@2"], backends="ir_measures")
    >>> agreement.ok, agreement.max_difference < 1e-9, float(agreement.table.loc["RR", "ir_measures"])
    (True, True, 0.5)
    """
    requested, engines = requested_measures(k, measures), _engines(backends)
    run, qrels = open_run(run), open_qrels(qrels)
    refused: dict[str, Gap] = {}
    try:
        prepared = prepare(run, qrels, requested, policy=policy, queries=queries)
    except GradeError:
        refused = _refused_by_grades(run, qrels, requested, policy)
        if len(refused) == len(requested):
            raise
        requested = [measure for measure in requested if str(measure) not in refused]
        prepared = prepare(run, qrels, requested, policy=policy, queries=queries)
    reference = unchecked_scores(Reference(), prepared.ranked.spaces, prepared.resolved, prepared.status.to_compute)
    rows, found, labels, absent = _by_reference(prepared, reference), [], {}, {}
    for name, engine in engines.items():
        try:
            checked, disagreements = _checked(prepared, reference, name, engine)
        except MissingLibraryError as error:
            if backends is not None:
                raise
            absent[name] = error.what
            continue
        rows += checked
        found += disagreements
        labels[name] = engine.label
    rows += [Checked(name, label, gap=gap) for name, gap in refused.items() for label in (REFERENCE, *labels)]
    own = tuple(str(measure) for measure in requested if measure.function is not None)
    counted = int(prepared.status.is_averaged.sum())
    return Agreement((*map(str, requested), *refused), tuple(rows), tuple(found), labels, absent, own, policy, counted)


def _refused_by_grades(run: Run | RunFile, qrels: Qrels, measures: Sequence[Measure], policy: Policy) -> dict[str, Gap]:
    """The measures to which some grade means nothing, as a gap each."""
    refused: dict[str, Gap] = {}
    for measure in measures:
        try:
            prepare(run, qrels, [measure], policy=policy, warn=False)
        except GradeError as error:
            refused[str(measure)] = Gap("never", error.what)
    return refused


def _engines(given: Any) -> dict[str, Backend]:
    """The backends by name, without the reference, which always takes part; an object's name is its label."""
    if given is None:
        return {name: backends.find(name) for name in backends.BACKENDS if name != REFERENCE}
    several = given if isinstance(given, Iterable) and not isinstance(given, str) and not hasattr(given, "score") else [given]
    engines: dict[str, Backend] = {}
    for one in several:
        engine = backends.find(one)
        name = one if isinstance(one, str) else engine.label
        if engines.setdefault(name, engine) is not engine and not isinstance(one, str):
            raise BackendError(f"two backends are named {short(name)}", hint="a label of its own for each")
    if not engines:
        raise BackendError("no backend was given", hint=setting("backends", ["ir_measures", "ranx"]))
    engines.pop(REFERENCE, None)
    return engines


def _by_reference(prepared: Prepared, values: Floats) -> list[Checked]:
    """A row for each measure: its mean by the reference, or by its own function."""
    averaged, status = prepared.complete(values.copy())
    return [
        Checked(str(measure), REFERENCE, mean_or_sum(averaged[:, i], prepared.resolved[i])[0], int(status.to_compute[:, i].sum()))
        for i, measure in enumerate(prepared.measures)
    ]


def _checked(prepared: Prepared, reference: Floats, name: str, engine: Backend) -> tuple[list[Checked], list[Disagreement]]:
    """What one backend says, measure by measure, and where that is not what the reference says."""
    backends.check_label(engine)
    gaps = [backends.gap_in(engine, measure, prepared.grades) for measure in prepared.resolved]
    columns = [i for i, measure in enumerate(prepared.resolved) if gaps[i] is None and measure.function is None]
    resolved, to_compute = [prepared.resolved[i] for i in columns], prepared.status.to_compute[:, columns]
    values = np.full_like(reference, np.nan)
    if columns:
        values[:, columns] = unchecked_scores(engine, prepared.ranked.spaces, resolved, to_compute)
    averaged, _ = prepared.complete(values.copy())
    off = np.where(prepared.status.to_compute, _off(values, reference), 0.0)
    rows, disagreements, tolerance = [], [], max(TOLERANCE, backends.resolution(engine))
    for i, (measure, gap) in enumerate(zip(map(str, prepared.measures), gaps, strict=True)):
        if gap is not None:
            rows.append(Checked(measure, name, gap=gap))
        elif i in columns:
            computed = prepared.status.to_compute[:, i]
            mean = mean_or_sum(averaged[:, i], prepared.resolved[i])[0] if np.isfinite(values[computed, i]).all() else np.nan
            rows.append(Checked(measure, name, mean, int(computed.sum()), float(off[:, i].max(initial=0.0)), tolerance))
            disagreements += [
                Disagreement(prepared.queries[q], measure, name, float(values[q, i]), float(reference[q, i]))
                for q in np.flatnonzero(off[:, i] > tolerance).tolist()
            ]
    return rows, disagreements


def _off(values: Floats, reference: Floats) -> Floats:
    """How far values are from the reference: absolutely, or as a share of what is above 1; infinitely where one is no number."""
    with np.errstate(invalid="ignore"):
        off = np.abs(values - reference) / np.maximum(1.0, np.abs(reference))
    return np.where(values == reference, 0.0, np.where(np.isnan(off), np.inf, off))
