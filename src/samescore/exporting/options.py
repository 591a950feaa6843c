"""Options: how trec_eval is asked for a measure of the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..errors import GapError
from ..measures import Measure

DEEPEST = 1_000_000
"""A cutoff below every ranking: trec_eval's success has none of its own."""


@dataclass(frozen=True, slots=True)
class Option:
    """``-m``, ``-M`` where the ranking must be cut, and ``-l``."""

    measure: str
    cut: int | None = None
    level: int = 1

    @property
    def arguments(self) -> str:
        """The options beside ``-m``."""
        return " ".join(["-c", *([f"-l {self.level}"] if self.level > 1 else []), *([f"-M {self.cut}"] if self.cut else [])])


def _either(cut: str | None, whole: str | None) -> Callable[[Measure], str | None]:
    """A name with a cutoff and one without, either of which trec_eval may lack."""

    def named(measure: Measure) -> str | None:
        """The name for a measure."""
        if measure.cutoff is None:
            return whole
        return f"{cut}.{measure.cutoff}" if cut else None

    return named


TABLE: Mapping[str, Callable[[Measure], str | None]] = {
    "nDCG": _either("ndcg_cut", "ndcg"),
    "DCG": _either(None, "dcg"),
    "R": _either("recall", "set_recall"),
    "R_cap": _either("relative_P", None),
    "P": _either("P", "set_P"),
    "F1": _either(None, "set_F"),
    "RR": _either(None, "recip_rank"),
    "AP": _either("map_cut", "map"),
    "Success": lambda m: f"success.{m.cutoff or DEEPEST}",
    "Rprec": _either(None, "Rprec"),
    "Bpref": _either(None, "bpref"),
    "SetP": lambda m: "set_relative_P" if m.get("relative") is True else "set_P",
    "SetR": _either(None, "set_recall"),
    "SetF": lambda m: f"set_F.{m.number('beta'):g}",
    "SetAP": _either(None, "set_map"),
}
"""Measure -> its ``-m``, or None where trec_eval lacks it in this form; without those that 9 and 10 compute otherwise."""


def option(measure: Measure) -> Option:
    """How trec_eval is asked for a resolved measure. RR@k is its recip_rank on rankings cut at k.

    Raises GapError for a measure that trec_eval lacks, or that its versions 9 and 10 compute otherwise.
    """
    cut = measure.cutoff if measure.name == "RR" else None
    known = TABLE[measure.name](Measure("RR") if cut else measure) if measure.name in TABLE else None
    if known is None or measure.get("norm") == "min" or measure.get("judged_only") is True:
        raise GapError(f"export cannot ask trec_eval for {measure}", hint=", ".join(TABLE))
    return Option(known, cut=cut, level=int(measure.level or 1) if measure.entry.needs == "relevant" else 1)
