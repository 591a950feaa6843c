"""The table of trec_eval's measures, in the order in which it prints them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from . import binary, graded, pooled, sets
from .graded import Gains
from .seen import Seen

Kind = Literal["none", "cutoffs", "points", "numbers", "gains"]
Summary = Literal["mean", "sum", "geometric", "none"]

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = tuple(i / 10 for i in range(11))
FIFTHS = tuple(i / 5 for i in range(1, 11))


@dataclass(frozen=True, slots=True)
class Entry:
    """One measure: its value for a query, the parameters that may follow its name, and how it is printed and summed up.

    ``takes``: ``cutoffs`` (whole numbers) and ``points`` (numbers) make a column each, ``numbers`` and ``gains``
    (``grade=gain``) one column together; ``given`` is what stands where none are given, ``most`` how many there may be. ``whole``
    values are printed without decimals. ``by_query`` tells whether queries are printed, ``summary`` what stands under "all".
    """

    value: Callable[[Seen, Any], float | str]
    takes: Kind = "none"
    given: Any = None
    least: int = 1
    most: int | None = None
    whole: bool = False
    by_query: bool = True
    summary: Summary = "mean"


def _count(value: Callable[[Seen, Any], float], *, by_query: bool = True) -> Entry:
    return Entry(value, whole=True, by_query=by_query, summary="sum")


def _cuts(value: Callable[[Seen, Any], float], given: tuple[int, ...] = RANKS) -> Entry:
    return Entry(value, "cutoffs", given)


def _gains(value: Callable[[Seen, Any], float]) -> Entry:
    return Entry(value, "gains", Gains())


TABLE: Mapping[str, Entry] = {
    "runid": Entry(sets.one, by_query=False),
    "num_q": _count(sets.one, by_query=False),
    "num_ret": _count(sets.retrieved),
    "num_rel": _count(sets.relevant),
    "num_rel_ret": _count(sets.relevant_retrieved),
    "map": Entry(binary.average_precision),
    "gm_map": Entry(binary.log_average_precision, by_query=False, summary="geometric"),
    "Rprec": Entry(binary.of_catalogue("Rprec")),
    "bpref": Entry(pooled.binary_preference),
    "recip_rank": Entry(binary.of_catalogue("RR")),
    "iprec_at_recall": Entry(binary.interpolated_precision, "points", TENTHS),
    "P": _cuts(binary.of_catalogue("P")),
    "relstring": Entry(pooled.grades_in_order, "numbers", (10.0,), most=1, summary="none"),
    "recall": _cuts(binary.of_catalogue("R")),
    "infAP": Entry(pooled.inferred_average_precision),
    "gm_bpref": Entry(pooled.log_binary_preference, by_query=False, summary="geometric"),
    "Rprec_mult": Entry(binary.precision_at_multiple, "points", FIFTHS),
    "utility": Entry(sets.utility, "numbers", (1.0, -1.0, 0.0, 0.0), least=4, most=4),
    "11pt_avg": Entry(binary.average_interpolated, "numbers", TENTHS),
    "binG": Entry(binary.binary_gain),
    "G": _gains(graded.normalised_gain),
    "dcg": _gains(graded.dcg),
    "ideal_dcg": _gains(graded.ideal_dcg),
    "ndcg": _gains(graded.ndcg),
    "ndcg_rel": _gains(graded.ndcg_at_relevant),
    "Rndcg": _gains(graded.ndcg_at_levels),
    "ndcg_cut": _cuts(graded.ndcg_at_cutoff),
    "map_cut": _cuts(binary.average_precision),
    "relative_P": _cuts(binary.relative_precision),
    "success": _cuts(binary.of_catalogue("Success"), (1, 5, 10)),
    "set_P": Entry(binary.of_catalogue("P")),
    "set_relative_P": Entry(sets.relative_set_precision),
    "set_recall": Entry(binary.of_catalogue("R")),
    "set_map": Entry(sets.set_average_precision),
    "set_F": Entry(sets.set_f, "numbers", (1.0,), most=1),
    "num_nonrel_judged_ret": _count(sets.nonrelevant_retrieved),
    "yaap": Entry(binary.robertson_average_precision),
    "rbp": _gains(graded.rank_biased_precision),
    "rbp_resid": _gains(graded.rank_biased_residual),
    "unj": _cuts(pooled.unjudged_share, (5, 10, 20)),
}

_COUNTS = {"runid", "num_q", "num_ret", "num_rel", "num_rel_ret"}

NICKNAMES: Mapping[str, frozenset[str]] = {
    "official": frozenset({*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"}),
    "set": frozenset({*_COUNTS, "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"}),
    "all_trec": frozenset(TABLE) - {"dcg", "ideal_dcg", "yaap"},
}
"""The names that stand for several measures."""

PREFERENCES = ("prefs", "qrels_jg", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg", "all_prefs")
"""How the names begin that trec_eval keeps for judgements by several judges and for preferences."""
