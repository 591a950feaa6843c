"""Names: what a tool's name for a measure means in the catalogue."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import MeasureError
from ..measures import Measure, parse

TREC_8 = {"R-prec": "Rprec", "gm_ap": "gm_map", "exact_prec": "set_P", "exact_recall": "set_recall", "11-pt_avg": "11pt_avg"}
"""trec_eval 8's names that a later version has otherwise; ``P10`` and ``ircl_prn.0.10`` are read by their form."""

TREC = {
    "map": "AP",
    "Rprec": "Rprec",
    "recip_rank": "RR",
    "bpref": "Bpref",
    "infAP": "infAP",
    "ndcg": "nDCG(dcg='log2')",
    "11pt_avg": "11pt",
    "set_P": "P",
    "set_recall": "R",
    "set_map": "SetAP",
    "set_F": "SetF",
}
"""trec_eval's measures without a cutoff."""

TREC_CUT = {
    "P": "P",
    "recall": "R",
    "map_cut": "AP",
    "ndcg_cut": "nDCG(dcg='log2')",
    "success": "Success",
    "relative_P": "R_cap",
    "unj": "Unjudged",
    "iprec_at_recall": "IPrec",
}
"""trec_eval's measures with one, which stands after the last ``_``."""

_OLD_CUT = re.compile(r"(P|recall)(\d+)")
_OLD_POINT = re.compile(r"ircl_prn\.(\d\.\d\d)")
_AT = re.compile(r"(.+)_at_(\d+)")

BEIR = {"ndcg": "nDCG(dcg='log2')", "map": "AP", "recall": "R", "precision": "P", "p": "P", "mrr": "RR", "r_cap": "R_cap"}
"""BEIR's measures in lower case, and those of the tools that follow it; a cutoff follows ``@`` or ``_at_``.

Its hole and accuracy are no measures of one ranking and its judgements: a document that is judged for any query is no hole, and
accuracy sorts by the second letter of ids.
"""


def meaning(name: Any, tool: str) -> Measure | None:
    """What a name means in the tool that wrote it; None where the catalogue has no such measure.

    >>> meaning("ndcg", "trec_eval"), meaning("nDCG@10", "ir_measures"), meaning("NDCG@10", "beir")
    (nDCG(dcg='log2'), nDCG(dcg='log2')@10, nDCG(dcg='log2')@10)
    """
    try:
        return DIALECTS[tool](name) if isinstance(name, str) else parse(name)
    except MeasureError:
        return None


def current(name: str) -> str:
    """The name that trec_eval 9 and 10 have for a measure that version 8 may have named.

    >>> current("R-prec"), current("P10"), current("ircl_prn.0.10")
    ('Rprec', 'P_10', 'iprec_at_recall_0.10')
    """
    if old := _OLD_CUT.fullmatch(name):
        return f"{old[1]}_{old[2]}"
    if old := _OLD_POINT.fullmatch(name):
        return f"iprec_at_recall_{old[1]}"
    return TREC_8.get(name, name)


def _trec(name: str) -> Measure:
    """trec_eval's names."""
    name = current(name)
    if name in TREC:
        return parse(TREC[name])
    stem, _, cutoff = name.rpartition("_")
    return parse(f"{TREC_CUT[stem]}@{cutoff}" if stem in TREC_CUT else name)


def _linear(name: str) -> Measure:
    """ir_measures' and ranx's names, whose bare nDCG and DCG have linear gain."""
    measure = parse(name)
    open_gain = "dcg" in measure.entry.params and measure.get("dcg") is None
    return measure.with_params(dcg="log2") if open_gain else measure


def _ir_measures(name: str) -> Measure:
    """ir_measures' names; its RBP without ``rel`` takes raw grades as gains, which is no measure of the catalogue."""
    measure = _linear(name)
    if measure.name == "RBP" and measure.get("rel") is None:
        raise MeasureError(f"ir_measures' {name} takes raw grades as gains", hint="RBP(rel=1)")
    return measure


def _ranx(name: str) -> Measure:
    """ranx's names; its rbp takes raw grades as gains, and its bpref divides otherwise."""
    measure = _linear(name)
    if measure.name in ("RBP", "Bpref"):
        raise MeasureError(f"ranx's {name} is another measure than {measure.name}", hint="a measure that both have")
    return measure


def _beir(name: str) -> Measure:
    """BEIR's names."""
    at = _AT.fullmatch(name)
    stem, _, cutoff = (f"{at[1]}@{at[2]}" if at else name).partition("@")
    known = BEIR.get(stem.lower())
    if known is None:
        raise MeasureError(f"BEIR has no measure {name}")
    return parse(f"{known}@{cutoff}" if cutoff else known)


DIALECTS: Mapping[str, Callable[[str], Measure]] = {
    "samescore": parse,
    "trec_eval": _trec,
    "ir_measures": _ir_measures,
    "ranx": _ranx,
    "beir": _beir,
}
"""Tool -> how its names are read. samescore's bare nDCG has the gain of the policy."""
