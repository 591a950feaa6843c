"""The one catalogue: each measure's name, parameters and what it needs, declared once for parsing, policy and backends."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Integral, Real
from typing import Literal

Number = int | float

ParamValue = bool | int | float | str | tuple[tuple[Number, Number], ...]


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of a measure.

    Parameters
    ----------
    kind
        What it must be, in words.
    read
        Turns what was given into its value, or into None where it is not of that kind.
    default
        Its value when it is not given.
    required
        Whether it must be given.
    filled_by, unless
        The clause of the policy that gives it a value, unless this other parameter is there.
    example
        A value to show where one is required.
    """

    kind: str
    read: Callable[[object], ParamValue | None]
    default: ParamValue | None = None
    required: bool = False
    filled_by: Literal["", "gain", "relevance_level"] = ""
    unless: str = ""
    example: ParamValue | None = None


def whole_number(least: int) -> Callable[[object], int | None]:
    """A reader of whole numbers of at least ``least``."""

    def read(value: object) -> int | None:
        number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
        return number if number is not None and number >= least else None

    return read


def between(low: float, high: float, *, ends: bool = False) -> Callable[[object], float | None]:
    """A reader of real numbers between two, with the ends or without."""

    def read(value: object) -> float | None:
        if not isinstance(value, Real) or isinstance(value, bool):
            return None
        number = float(value)
        return number if low < number < high or (ends and number in (low, high)) else None

    return read


def one_of(*allowed: str) -> Callable[[object], str | None]:
    """A reader of some words."""
    return lambda value: value if isinstance(value, str) and value in allowed else None


def _read_gains(value: object) -> tuple[tuple[Number, Number], ...] | None:
    """A mapping, or its pairs, from grade to gain, as sorted pairs of plain numbers."""
    pairs = list(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, (list, tuple)) or not pairs or any(not isinstance(p, tuple) or len(p) != 2 for p in pairs):
        return None
    numbers = ((_plain(grade), _plain(gain)) for grade, gain in pairs)
    gains = {grade: gain for grade, gain in numbers if grade is not None and gain is not None and gain >= 0}
    return tuple(sorted(gains.items())) if len(gains) == len(pairs) else None


def _plain(value: object) -> Number | None:
    """A finite number as an int where it is whole, else a float."""
    if not isinstance(value, Real) or isinstance(value, bool) or not math.isfinite(value):
        return None
    number = float(value)
    return int(number) if number.is_integer() else number


LEVEL = Param("a whole grade of at least 1", whole_number(1))
"""A threshold that the policy does not fill: without it, all documents count, or grades as they are."""

REL = replace(LEVEL, filled_by="relevance_level")

REL_UNLESS_GRADED = replace(REL, unless="max_rel")

DCG = Param("'log2', 'exp-log2' or 'binary'", one_of("log2", "exp-log2", "binary"), filled_by="gain", unless="gains")

IDEAL = Param("'judged', 'retrieved' or 'uncut'", one_of("judged", "retrieved", "uncut"), "judged")
"""The best order that DCG is divided by: of all judged documents, cut at k; of those retrieved; or of all judged, not cut."""

DISCOUNT = Param("'log2' or 'base2'", one_of("log2", "base2"), "log2")
"""What a gain is divided by: log2(rank + 1), or log2(rank) from the second rank on."""

GAINS = Param("a mapping from grade to gain, such as {1: 1, 2: 3}, with gains of at least 0", _read_gains)

FLAG = Param("True or False", lambda value: value if isinstance(value, bool) else None, False)

NORM = Param("'min', 'k' or 'hits'", one_of("min", "k", "hits"))
"""What AP is divided by in place of R: min(k, R), k, or the hits that were found."""

POSITIVE = Param("a number above 0", between(0, math.inf), 1.0)

ALPHA = Param("a number from 0 to 1", between(0, 1, ends=True), 0.5)

RECALL = replace(ALPHA, default=None, required=True, example=0.1)

HIGHEST = Param("a whole grade from 1 to 1000", lambda v: n if (n := whole_number(1)(v)) is not None and n <= 1000 else None)
"""The highest grade there can be; never taken from the data, so that a value does not depend on what was judged."""

HIGHEST_4 = replace(HIGHEST, default=4)

HIGHEST_NEEDED = replace(HIGHEST, required=True, example=4)

LOWEST = Param("a whole grade of at least 0", whole_number(0), 0)


def share(default: float) -> Param:
    """A probability that is neither 0 nor 1."""
    return Param("a number between 0 and 1", between(0, 1), default)


@dataclass(frozen=True, slots=True)
class Entry:
    """One measure of the catalogue.

    Parameters
    ----------
    name, family
        Its name, and the plain word for it, which names it too.
    cutoff
        Whether it has one.
    source
        The paper or library that defines it.
    needs
        What a query must have for the measure to be defined: a document of at least the threshold (``"relevant"``), one of them and
        one judged below it (``"both"``), a document with a gain (``"gain"``), or nothing.
    reads_depth
        Whether the value depends on how many documents were retrieved after the last judged one.
    reads
        The rank space that it is computed from: one row a document (``"grades"``), that and the documents pooled but not judged
        (``"pool"``), or one row for each document and subtopic (``"subtopics"``).
    bounded
        Whether it is never above 1.
    lower_is_better
        Whether a rise is a worsening.
    aggregate
        Counts add up, all else is averaged.
    of_empty_ranking
        0 where nothing was retrieved, or as defined.
    at
        The parameter that ``@`` sets.
    deepest
        The largest cutoff: no ranking has 2^53 documents, and sums to k have an end.
    note
        What a reader of its value should know.
    params
        Its parameters by name.
    """

    name: str
    family: str
    cutoff: Literal["none", "optional", "required"]
    source: str
    needs: Literal["relevant", "both", "gain", "nothing"] = "relevant"
    reads_depth: Literal["never", "without cutoff", "always"] = "never"
    reads: Literal["grades", "pool", "subtopics"] = "grades"
    bounded: bool = True
    lower_is_better: bool = False
    aggregate: Literal["mean", "sum"] = "mean"
    of_empty_ranking: Literal["zero", "as defined"] = "zero"
    at: str = "cutoff"
    deepest: int = 2**53
    note: str = ""
    params: Mapping[str, Param] = field(default_factory=dict)


_BINARY = {"rel": REL, "judged_only": FLAG}

_GRADED = {"dcg": DCG, "gains": GAINS, "rel": LEVEL, "judged_only": FLAG}

_CASCADE = {"max_rel": HIGHEST_4, "judged_only": FLAG}

_SCALE = {"min_rel": LOWEST, "max_rel": HIGHEST_NEEDED}

_TARGET = {"T": POSITIVE, **_SCALE}

_RBP = {"p": share(0.8), "rel": REL_UNLESS_GRADED, "max_rel": HIGHEST, "judged_only": FLAG}

_RESIDUAL = {"p": share(0.8)}

_COMPAT = {"p": share(0.95), "normalize": replace(FLAG, default=True)}

_NOVEL = {"alpha": ALPHA, **_BINARY}

_NRBP = {"alpha": ALPHA, "beta": share(0.5), "rel": REL}

_DCG_SOURCE = "Burges et al. 2005 (exp-log2); Jarvelin and Kekalainen 2002 (log2)"

_CG_SOURCE = "Jarvelin and Kekalainen 2002"

_COMPLETE = "HotpotQA and MuSiQue: all supporting documents within k"

_AUC = "AUC is of the judged documents, those not retrieved tied below the others; Accuracy is that of the retrieved ones"

_RBP_SOURCE = "Moffat and Zobel 2008"

_POINTS = "trec_eval 9: iprec_at_recall"

_SET_P = "trec_eval: set_P, set_relative_P"

_NERR = "Azzopardi, Mackenzie and Moffat 2021, equation"

_SET_F = "trec_eval's F is (beta + 1) P R / (R + beta P): beta = 2 is not F2, which is beta = 4 here"

_NINE = (
    "interpolated precision is that of trec_eval 9, ir_measures and ranx; trec_eval 10 takes another hit: "
    "samescore trec_eval -m iprec_at_recall -m 11pt_avg"
)

_RBP_NOTE = "RBP is binary unless it has max_rel; trec_eval 10's rbp is graded, with p = 0.9: samescore trec_eval -m rbp"

_ACCURACY = "Accuracy is the share of pairs in order; accuracy@k of BEIR and sentence-transformers is Success@k"

_NDEVAL = "ndeval 4.5"

_SUMMED = 10**6

_count = partial(Entry, cutoff="none", needs="nothing", bounded=False, aggregate="sum")

_novelty = partial(Entry, reads="subtopics")

_ENTRIES = (
    # Documents are relevant or not.
    Entry("R", "recall", "optional", "trec_eval: recall, set_recall", params=_BINARY),
    Entry("P", "precision", "optional", "trec_eval: P, set_P", reads_depth="without cutoff", params={"returned": FLAG, **_BINARY}),
    Entry("F1", "f1", "optional", "van Rijsbergen 1979; ranx: f1", reads_depth="without cutoff", params=_BINARY),
    Entry("R_cap", "recall_cap", "required", "BEIR: R_cap; trec_eval: relative_P", params=_BINARY),
    Entry("RR", "mrr", "optional", "trec_eval: recip_rank; Kantor and Voorhees 2000", params=_BINARY),
    Entry("AP", "map", "optional", "trec_eval: map, map_cut", params={**_BINARY, "norm": NORM}),
    Entry("MAP_R", "map_at_r", "none", "Musgrave, Belongie and Lim 2020: MAP@R", params=_BINARY),
    Entry("Success", "hit_rate", "optional", "trec_eval: success", params=_BINARY),
    Entry("Complete", "complete", "optional", _COMPLETE, params=_BINARY),
    Entry("Hits", "hits", "optional", "ranx: hits", bounded=False, params=_BINARY),
    Entry("Rprec", "r_precision", "none", "trec_eval: Rprec", params=_BINARY),
    Entry("Bpref", "bpref", "none", "trec_eval: bpref; Buckley and Voorhees 2004", params={"rel": REL}),
    Entry("AUC", "auc", "none", "Hanley and McNeil 1982; scikit-learn: roc_auc_score", "both", note=_AUC, params={"rel": REL}),
    Entry("infAP", "infap", "none", "trec_eval: infAP; Yilmaz and Aslam 2006", reads="pool", params={"rel": REL}),
    Entry("IPrec", "interpolated_precision", "none", _POINTS, at="recall", note=_NINE, params={"recall": RECALL, **_BINARY}),
    Entry("11pt", "11pt_avg", "none", "trec_eval 9: 11pt_avg", note=_NINE, params=_BINARY),
    # The ranking as a set.
    Entry("SetP", "set_precision", "none", _SET_P, reads_depth="always", params={"relative": FLAG, **_BINARY}),
    Entry("SetR", "set_recall", "none", "trec_eval: set_recall", params=_BINARY),
    Entry("SetF", "set_f", "none", "trec_eval: set_F", reads_depth="always", note=_SET_F, params={"beta": POSITIVE, **_BINARY}),
    Entry("SetAP", "set_map", "none", "trec_eval: set_map", reads_depth="always", params=_BINARY),
    Entry("Accuracy", "ordered_pairs", "optional", "ir_measures: Accuracy", reads_depth="always", note=_ACCURACY, params=_BINARY),
    # Grades become gains, discounted by rank.
    Entry("nDCG", "ndcg", "optional", _DCG_SOURCE, "gain", params={**_GRADED, "discount": DISCOUNT, "ideal": IDEAL}),
    Entry("DCG", "dcg", "optional", _DCG_SOURCE, "gain", bounded=False, params={**_GRADED, "discount": DISCOUNT}),
    Entry("NCG", "ncg", "optional", _CG_SOURCE, "gain", params=_GRADED),
    Entry("CG", "cg", "optional", _CG_SOURCE, "gain", bounded=False, params=_GRADED),
    Entry(
        "Q_measure", "q_measure", "optional", "Sakai 2004; NTCIREVAL: Q-measure, Q@k", "gain", params={**_GRADED, "beta": POSITIVE}
    ),
    # A user who reads down the ranking and stops.
    Entry("RBP", "rbp", "optional", _RBP_SOURCE, note=_RBP_NOTE, params=_RBP),
    Entry(
        "RBP_residual",
        "rbp_residual",
        "optional",
        _RBP_SOURCE,
        "nothing",
        lower_is_better=True,
        of_empty_ranking="as defined",
        params=_RESIDUAL,
    ),
    Entry("ERR", "err", "optional", "Chapelle et al. 2009; gdeval", params=_CASCADE),
    Entry("nERR", "nerr", "optional", "Chapelle et al. 2009", params=_CASCADE),
    Entry("Compat", "compat", "none", "Clarke, Vtyurina and Smucker 2021", reads_depth="always", params=_COMPAT),
    Entry("INSQ", "insq", "none", "Moffat, Scholer and Thomas 2012; cwl_eval", reads_depth="always", params=_TARGET),
    Entry("INST", "inst", "none", "Bailey et al. 2015; cwl_eval", reads_depth="always", params=_TARGET),
    Entry("BPM", "bpm", "required", "Zhang et al. 2017; cwl_eval", deepest=_SUMMED, params=_TARGET),
    Entry("SDCG", "sdcg", "required", "cwl_eval: NDCG-k", deepest=_SUMMED, params=_SCALE),
    Entry("NERR8", "nerr8", "required", f"{_NERR} 8; cwl_eval", deepest=_SUMMED, params=_SCALE),
    Entry("NERR9", "nerr9", "required", f"{_NERR} 9; cwl_eval", deepest=_SUMMED, params=_SCALE),
    Entry("NERR10", "nerr10", "none", f"{_NERR} 10; cwl_eval", reads_depth="always", params={"p": share(0.9), **_SCALE}),
    Entry("NERR11", "nerr11", "none", f"{_NERR} 11; cwl_eval", reads_depth="always", params=_TARGET),
    # What is judged, and counts.
    Entry("Judged", "judged", "optional", "ir_measures: Judged", "nothing", "always"),
    Entry("Unjudged", "unjudged", "required", "trec_eval 10: unj", "nothing", "always", lower_is_better=True),
    _count("NumQ", "num_q", source="trec_eval: num_q", of_empty_ranking="as defined"),
    _count("NumRel", "num_rel", source="trec_eval: num_rel", of_empty_ranking="as defined", params={"rel": REL}),
    _count("NumHits", "num_rel_ret", source="trec_eval: num_rel_ret", params={"rel": REL}),
    _count("NumRet", "num_ret", source="trec_eval: num_ret", reads_depth="always", params={"rel": LEVEL}),
    # Subtopics: a document that says again what was said is worth less. ndeval's ideal is greedy, so that a ranking can be
    # better than it, and a value that is divided by it above 1.
    _novelty("alpha_nDCG", "alpha_ndcg", "optional", f"Clarke et al. 2008; {_NDEVAL}", bounded=False, params=_NOVEL),
    _novelty("alpha_DCG", "alpha_dcg", "required", f"Clarke et al. 2008; {_NDEVAL}", deepest=_SUMMED, params=_NOVEL),
    _novelty("ERR_IA", "err_ia", "required", f"Chapelle et al. 2009; {_NDEVAL}", deepest=_SUMMED, params=_BINARY),
    _novelty("nERR_IA", "nerr_ia", "optional", f"Chapelle et al. 2009; {_NDEVAL}", bounded=False, params=_BINARY),
    _novelty("NRBP", "nrbp", "none", f"Clarke, Kolla and Vechtomova 2009; {_NDEVAL}", params=_NRBP),
    _novelty("nNRBP", "nnrbp", "none", f"Clarke, Kolla and Vechtomova 2009; {_NDEVAL}", bounded=False, params=_NRBP),
    _novelty("AP_IA", "map_ia", "none", f"Agrawal et al. 2009; {_NDEVAL}: MAP-IA", params=_BINARY),
    _novelty("P_IA", "p_ia", "optional", f"Agrawal et al. 2009; {_NDEVAL}", reads_depth="without cutoff", params=_BINARY),
    _novelty("StRecall", "strec", "optional", f"Zhai, Cohen and Lafferty 2003; {_NDEVAL}: strec", params=_BINARY),
)

CATALOGUE: Mapping[str, Entry] = {entry.name: entry for entry in _ENTRIES}
