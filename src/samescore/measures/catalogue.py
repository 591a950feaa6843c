"""The one catalogue: each measure's name, parameters and what it needs, declared once for parsing, policy and backends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

ParamValue = bool | int | float | str | tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of a measure: what it must be, in words and as a test, and the value it has when it is not given."""

    kind: str
    valid: Callable[[object], bool]
    default: ParamValue | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One measure of the catalogue.

    ``needs`` is what a query must have for the measure to be defined: a document of at least the threshold
    (``"relevant"``), a document with a gain (``"gain"``), or nothing. ``reads_depth`` tells whether the value depends on
    how many documents were retrieved after the last judged one, with a cutoff and without. ``source`` is the paper or
    library that defines it.
    """

    name: str
    family: str
    cutoff: Literal["none", "optional", "required"]
    source: str
    needs: Literal["relevant", "gain", "nothing"] = "relevant"
    reads_depth: Literal["never", "without cutoff", "always"] = "never"
    bounded: bool = True
    params: Mapping[str, Param] = field(default_factory=dict)


def _is_level(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


REL = Param("a whole grade of at least 1", _is_level)
DCG = Param("'log2' or 'exp-log2'", lambda value: value in ("log2", "exp-log2"))
JUDGED_ONLY = Param("True or False", lambda value: isinstance(value, bool), False)

_DCG_SOURCE = "Burges et al. 2005 (exp-log2); Jarvelin and Kekalainen 2002 (log2)"
_BINARY = {"rel": REL, "judged_only": JUDGED_ONLY}
_GRADED = {"dcg": DCG, "judged_only": JUDGED_ONLY}

CATALOGUE: Mapping[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry("nDCG", "ndcg", "optional", _DCG_SOURCE, "gain", params=_GRADED),
        Entry("DCG", "dcg", "optional", _DCG_SOURCE, "gain", bounded=False, params=_GRADED),
        Entry("R", "recall", "optional", "trec_eval: recall, set_recall", params=_BINARY),
        Entry("P", "precision", "optional", "trec_eval: P, set_P", reads_depth="without cutoff", params=_BINARY),
        Entry("RR", "mrr", "optional", "trec_eval: recip_rank; Kantor and Voorhees 2000", params=_BINARY),
        Entry("AP", "map", "optional", "trec_eval: map, map_cut", params=_BINARY),
        Entry("Success", "hit_rate", "optional", "trec_eval: success", params=_BINARY),
        Entry("Rprec", "r-precision", "none", "trec_eval: Rprec", params=_BINARY),
    )
}
