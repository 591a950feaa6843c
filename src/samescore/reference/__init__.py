"""The reference: each measure's definition in a few lines of plain Python, on one ranking in rank space."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..measures import Measure
from ..rankspace import Ranking
from . import binary, cwl, graded, sets, subtopics, users
from .sets import judged, number_of_queries, number_relevant, number_retrieved, unjudged

Definition = Callable[[Ranking, Measure], "float | None"]

DEFINITIONS: Mapping[str, Definition] = {
    "R": binary.recall,
    "P": binary.precision,
    "F1": binary.f1,
    "R_cap": binary.capped_recall,
    "RR": binary.reciprocal_rank,
    "AP": binary.average_precision,
    "MAP_R": binary.average_precision_at_r,
    "Success": binary.success,
    "Complete": binary.complete,
    "Hits": binary.number_of_hits,
    "Rprec": binary.r_precision,
    "Bpref": binary.binary_preference,
    "AUC": binary.area_under_curve,
    "infAP": binary.inferred_ap,
    "IPrec": sets.interpolated_precision,
    "11pt": sets.eleven_points,
    "SetP": sets.set_precision,
    "SetR": binary.recall,
    "SetF": sets.set_f,
    "SetAP": sets.set_average_precision,
    "Accuracy": sets.ordered_pairs,
    "nDCG": graded.ndcg,
    "DCG": graded.dcg,
    "NCG": graded.normalised_cg,
    "CG": graded.cumulated_gain,
    "Q_measure": graded.q_measure,
    "RBP": users.rank_biased_precision,
    "RBP_residual": users.rank_biased_residual,
    "ERR": users.expected_reciprocal_rank,
    "nERR": users.normalised_err,
    "Compat": users.compatibility,
    "INSQ": cwl.insq,
    "INST": cwl.inst,
    "BPM": cwl.bejeweled,
    "SDCG": cwl.scaled_dcg,
    "NERR8": cwl.nerr8,
    "NERR9": cwl.nerr9,
    "NERR10": cwl.nerr10,
    "NERR11": cwl.nerr11,
    "Judged": judged,
    "Unjudged": unjudged,
    "NumQ": number_of_queries,
    "NumRel": number_relevant,
    "NumHits": binary.number_of_hits,
    "NumRet": number_retrieved,
    "alpha_nDCG": subtopics.alpha_ndcg,
    "alpha_DCG": subtopics.alpha_dcg,
    "ERR_IA": subtopics.err_ia,
    "nERR_IA": subtopics.normalised_err_ia,
    "NRBP": subtopics.nrbp,
    "nNRBP": subtopics.normalised_nrbp,
    "AP_IA": subtopics.ap_ia,
    "P_IA": subtopics.precision_ia,
    "StRecall": subtopics.subtopic_recall,
}


def value(ranking: Ranking, measure: Measure) -> float | None:
    """The value of a measure for one ranking; None where it is undefined. The measure's gain and threshold are explicit."""
    return DEFINITIONS[measure.name](ranking, measure)
