"""crosscheck: every backend that has a measure, and the reference, on one rank space, held against each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .. import backends
from ..averaging import aggregated
from ..backends import Backend
from ..backends.reference import Reference
from ..backends.sending import answers
from ..errors import BackendError, MissingLibraryError, short
from ..evaluation import DEFAULT, requested
from ..policy import Policy
from ..posing import Posed, pose
from ..rankspace import Floats
from .agreed import REFERENCE, TOLERANCE, Agreement, Checked, Disagreement

__all__ = ["Agreement", "Checked", "Disagreement", "crosscheck"]


def crosscheck(
    run: Any,
    qrels: Any,
    k: int | Sequence[int] | None = None,
    *,
    measures: Any = None,
    backends: Any = None,
    policy: Policy = DEFAULT,
    queries: Iterable[Any] | None = None,
) -> Agreement:
    """Score a run by every backend, on one rank space, and compare each value of each query with the reference.

    Arguments are those of :func:`samescore.evaluate`. ``backends`` are names, ``"package.module:Object"`` or objects that fit
    :class:`samescore.backends.Backend`, one or several; by default all that samescore registers and that are installed,
    ir_measures' other providers among them. A measure that a backend declares a gap is shown as that. Two values agree where they
    differ by 1e-9 at most, as a share where they are above 1, or by the resolution that a backend declares for the few decimals
    of its tool; NaN, infinity and None agree with no number.

    Raises MissingLibraryError where a backend that is named is not installed, BackendError for one that is unknown or breaks its
    contract, and what :func:`samescore.evaluate` raises, but no GapError.

    >>> agreement = crosscheck({"q": ["d1", "d2"]}, {"q": {"d2": 1}}, measures=["RR", "ERR@2"], backends="ir_measures")
    >>> agreement.ok, agreement.max_difference < 1e-9, float(agreement.table.loc["RR", "ir_measures"])
    (True, True, 0.5)
    """
    asked, engines = requested(k, measures), _engines(backends)
    posed = pose(run, qrels, asked, policy=policy, queries=queries)
    names = [str(measure) for measure in asked]
    reference = answers(Reference(), posed.ranked.spaces, posed.resolved, posed.stands.wanted)
    rows, found, labels, absent = _by_reference(posed, names, reference), [], {}, {}
    for name, engine in engines.items():
        try:
            checked, disagreements = _checked(posed, names, reference, name, engine)
        except MissingLibraryError as error:
            if backends is not None:
                raise
            absent[name] = error.what
            continue
        rows += checked
        found += disagreements
        labels[name] = engine.label
    own = tuple(str(measure) for measure in asked if measure.function is not None)
    counted = int(posed.stands.counted.sum())
    return Agreement(tuple(names), tuple(rows), tuple(found), labels, absent, own, policy, counted)


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
        raise BackendError("no backend was given", hint="backends=['ir_measures', 'ranx']")
    engines.pop(REFERENCE, None)
    return engines


def _by_reference(posed: Posed, names: Sequence[str], values: Floats) -> list[Checked]:
    """A row for each measure: its mean by the reference, or by its own function."""
    final, stands = posed.answered(values.copy())
    return [
        Checked(name, REFERENCE, aggregated(final[:, i], posed.resolved[i])[0], int(stands.wanted[:, i].sum()))
        for i, name in enumerate(names)
    ]


def _checked(
    posed: Posed, names: Sequence[str], reference: Floats, name: str, engine: Backend
) -> tuple[list[Checked], list[Disagreement]]:
    """What one backend says, measure by measure, and where that is not what the reference says."""
    backends.check_label(engine)
    gaps = [backends.gap_in(engine, measure, posed.grades) for measure in posed.resolved]
    columns = [i for i, measure in enumerate(posed.resolved) if gaps[i] is None and measure.function is None]
    resolved, wanted = [posed.resolved[i] for i in columns], posed.stands.wanted[:, columns]
    values = np.full_like(reference, np.nan)
    if columns:
        values[:, columns] = answers(engine, posed.ranked.spaces, resolved, wanted)
    final, _ = posed.answered(values.copy())
    rows, found, tolerance = [], [], max(TOLERANCE, backends.resolution(engine))
    for i, gap in enumerate(gaps):
        if gap is not None:
            rows.append(Checked(names[i], name, gap=gap))
        elif i in columns:
            asked = posed.stands.wanted[:, i]
            off = np.where(asked, _off(values[:, i], reference[:, i]), 0.0)
            mean = aggregated(final[:, i], posed.resolved[i])[0] if np.isfinite(values[asked, i]).all() else np.nan
            row = Checked(names[i], name, mean, int(asked.sum()), float(off.max(initial=0.0)), tolerance)
            differ = np.flatnonzero(off > tolerance).tolist()
            rows.append(row)
            found += [Disagreement(posed.queries[q], names[i], name, float(values[q, i]), float(reference[q, i])) for q in differ]
    return rows, found


def _off(values: Floats, reference: Floats) -> Floats:
    """How far values are from the reference: absolutely, or as a share of what is above 1; infinitely where one is no number."""
    with np.errstate(invalid="ignore"):
        off = np.abs(values - reference) / np.maximum(1.0, np.abs(reference))
    return np.where(values == reference, 0.0, np.where(np.isnan(off), np.inf, off))
