"""The one table of measure names: for each tool its names, and the measure of the catalogue that each means there."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal, NamedTuple

from .catalogue import CATALOGUE, ParamValue
from .measure import Measure

Names = Mapping[str, str]
"""A name, or a pattern of names -> the measure that it means, with the parameters that it implies."""

Table = Literal["names", "earlier", "version"]
"""The tables that each tool has."""


@dataclass(frozen=True, slots=True)
class Otherwise:
    """A measure that a tool computes in another way than the catalogue: how, and the parameter with which it does not."""

    how: str
    unless: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """The names that one tool has for measures.

    A name in ``names`` may hold numbers, which stand in braces: ``P_{cutoff}`` has a cutoff, ``iprec_at_recall_{recall}`` the
    parameter ``recall`` of its measure. Of several names for one measure the first is the one to print.

    ``source`` is what was read to know them. ``gain`` is that of nDCG and DCG where the name has none. ``any_case``: capital
    letters do not matter. ``before`` is a regular expression of what may stand before a name, such as the name of a model.
    ``notes`` say of a name how the tool's number may differ in ways that are no part of the measure. ``lacking`` tells, for the
    beginning of a name, why it is no measure of the catalogue; ``otherwise``, for a measure of the catalogue, how the tool
    computes another under its name. ``earlier`` are the names of earlier versions, as the later ones have them, and ``version``
    tells of names whose values depend on the version which one the catalogue has.
    """

    source: str
    names: Names
    gain: str = ""
    any_case: bool = False
    lacking: Mapping[str, str] = field(default_factory=dict)
    otherwise: Mapping[str, Otherwise] = field(default_factory=dict)
    earlier: Mapping[str, str] = field(default_factory=dict)
    version: Mapping[str, str] = field(default_factory=dict)
    before: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)


def _ending(names: Names, *endings: str) -> Names:
    """Names with each of some endings."""
    return {f"{name}{ending}": measure for ending in endings for name, measure in names.items()}


_EXPONENTIAL = {"ndcg_burges": "nDCG(dcg='exp-log2')", "dcg_burges": "DCG(dcg='exp-log2')"}

_HOLE = "Unjudged@k; BEIR's hole@k takes a document for judged that any query judges"

PLAIN = Tool(
    source="samescore's own: plain words in any case and with - for _, among them ir_measures' aliases and those of ndeval",
    names={
        **{entry.family: entry.name for entry in CATALOGUE.values()},
        **{name.lower(): name for name in CATALOGUE if name != "Accuracy"},
        **dict.fromkeys(("reciprocal_rank", "mean_reciprocal_rank"), "RR"),
        **dict.fromkeys(("average_precision", "mean_average_precision"), "AP"),
        **dict.fromkeys(("hitrate", "hit_ratio", "hit", "hr", "top_k_accuracy"), "Success"),
        "capped_recall": "R_cap",
        "normalized_discounted_cumulative_gain": "nDCG",
        "discounted_cumulative_gain": "DCG",
        "expected_reciprocal_rank": "ERR",
        "rank_biased_precision": "RBP",
        **dict.fromkeys(("normalized_cumulative_gain", "normalized_cg"), "NCG"),
        "cumulative_gain": "CG",
        "map@r": "MAP_R",
        "context_precision": "AP(norm='hits')",
        "complete_recall": "Complete",
        "rbp{p}": "RBP",
        "setrelp": "SetP(relative=True)",
        "numrelret": "NumRet(rel=1)",
        "α_dcg": "alpha_DCG",
        "α_ndcg": "alpha_nDCG",
        **_EXPONENTIAL,
    },
    lacking={
        "accuracy": "Success@k, which BEIR and sentence-transformers call accuracy@k, or Accuracy@k, the measure of ir_measures",
        "hole": _HOLE,
    },
)

_OF_TREC_EVAL = (
    "runid", "relstring", "gm_map", "gm_bpref", "Rprec_mult", "utility", "binG", "G", "ideal_dcg", "ndcg_rel", "Rndcg",
    "num_nonrel_judged_ret", "yaap", "rbp", "rbp_resid",
)  # fmt: skip

TREC_EVAL = Tool(
    source="trec_eval 8.1, 9.0.8 and 10.0, m_*.c; pytrec_eval has the names of 9",
    names={
        "map": "AP",
        "map_cut_{cutoff}": "AP",
        "P_{cutoff}": "P",
        "recall_{cutoff}": "R",
        "success_{cutoff}": "Success",
        "relative_P_{cutoff}": "R_cap",
        "Rprec": "Rprec",
        "recip_rank": "RR",
        "bpref": "Bpref",
        "infAP": "infAP",
        "ndcg": "nDCG",
        "ndcg_cut_{cutoff}": "nDCG",
        "dcg": "DCG",
        "iprec_at_recall_{recall}": "IPrec",
        "11pt_avg": "11pt",
        "set_P": "SetP",
        "set_relative_P": "SetP(relative=True)",
        "set_recall": "SetR",
        "set_map": "SetAP",
        "set_F": "SetF",
        "set_F_{beta}": "SetF",
        "unj_{cutoff}": "Unjudged",
        "num_q": "NumQ",
        "num_ret": "NumRet",
        "num_rel": "NumRel",
        "num_rel_ret": "NumHits",
    },
    gain="log2",
    lacking={
        **{name: f"samescore trec_eval -m {name}" for name in _OF_TREC_EVAL},
        **dict.fromkeys(("gmap", "GMAP"), "samescore trec_eval -m gm_map"),
    },
    earlier={
        "R-prec": "Rprec",
        "gm_ap": "gm_map",
        "exact_prec": "set_P",
        "exact_recall": "set_recall",
        "11-pt_avg": "11pt_avg",
        "P{cutoff}": "P_{cutoff}",
        "recall{cutoff}": "recall_{cutoff}",
        "ircl_prn.{recall}": "iprec_at_recall_{recall}",
    },
    version={"iprec_at_recall_{recall}": "9", "11pt_avg": "9", "unj_{cutoff}": "10"},
)

TREC_EVAL_OPTIONS = Tool(
    source="what trec_eval's -m takes: a number stands after a dot",
    names={name.replace("_{", ".{"): measure for name, measure in TREC_EVAL.names.items()},
    gain="log2",
)

_NOT_OF_IR_MEASURES = (
    "F1", "R_cap", "Hits", "NumHits", "11pt", "DCG", "RBP_residual", "nERR", "Unjudged",
    "MAP_R", "Complete", "AUC", "NCG", "CG", "Q_measure",
)  # fmt: skip

TOOLS: Mapping[str, Tool] = {
    "samescore": PLAIN,
    "ir_measures": Tool(
        source="ir_measures 0.4.3, measures/; parameters stand in parentheses, as samescore writes them",
        names=_ending({name: name for name in CATALOGUE if name not in _NOT_OF_IR_MEASURES}, "", "@{cutoff}"),
        gain="log2",
        otherwise={"RBP": Otherwise("takes raw grades as gains", unless="rel")},
    ),
    "trec_eval": TREC_EVAL,
    "ranx": Tool(
        source="ranx 0.3.21, metrics/__init__.py and meta/evaluate.py",
        names=_ending(
            {
                "hits": "Hits",
                "hit_rate": "Success",
                "precision": "P",
                "recall": "R",
                "f1": "F1",
                "r-precision": "Rprec",
                "mrr": "RR",
                "map": "AP",
                "ndcg": "nDCG",
                "dcg": "DCG",
                "bpref": "Bpref",
                "rbp{p}": "RBP",
                **_EXPONENTIAL,
            },
            *("", "@{cutoff}", "-l{rel}", "@{cutoff}-l{rel}"),
        ),
        gain="log2",
        otherwise={"RBP": Otherwise("takes raw grades as gains"), "Bpref": Otherwise("divides otherwise")},
    ),
    "beir": Tool(
        source="BEIR 2.0, retrieval/evaluation.py and custom_metrics.py, and mteb, which follows it",
        names={
            **_ending(
                {"NDCG": "nDCG", "MAP": "AP", "Recall": "R", "P": "P", "Precision": "P", "MRR": "RR", "R_cap": "R_cap"},
                *("@{cutoff}", ""),
            ),
            **_ending({"ndcg": "nDCG", "map": "AP", "recall": "R", "precision": "P", "mrr": "RR"}, "_at_{cutoff}"),
        },
        gain="log2",
        any_case=True,
        lacking={
            "hole": _HOLE,
            **dict.fromkeys(("accuracy", "top_k_accuracy"), "Success@k; BEIR's Accuracy@k orders by the second letter of ids"),
        },
    ),
}
"""Tool -> its names; ``samescore`` are the plain words, which have the gain of the policy."""

_NAUC = "no measure of a ranking: the area under a curve of abstention, from the scores of the run"

_BY_MODEL = "judged by a language model, statement by statement; not from document ids"

_BINARY_NAMES = {
    "accuracy": "Success",
    "precision": "P",
    "recall": "R",
    "ndcg": "nDCG(dcg='binary')",
    "mrr": "RR",
    "map": "AP(norm='min')",
}
"""What sentence-transformers and those who took its names compute."""

_OF_LIST = "the ideal is that of the rows given: pass all judged documents, or expect higher values"

_RANK_EVAL = Tool(
    source="rank-eval/.../DiscountedCumulativeGain, PrecisionAtK, RecallAtK, MeanReciprocalRank (Elasticsearch 8, d04e400)",
    names={
        "precision": "P(returned=True)",
        "recall": "R",
        "mean_reciprocal_rank": "RR",
        "dcg": "DCG(dcg='exp-log2')",
    },
    lacking={
        "normalized_dcg": "nDCG(dcg='exp-log2')@k, where at least k were returned; with fewer, its ideal is shorter",
        "expected_reciprocal_rank": "ERR(max_rel=4)@k, with the maximum_relevance of the request",
    },
    notes={"precision": "ignore_unlabeled leaves unrated hits out; k is in the request (10 by default), not in the name"},
)

OTHERS: Mapping[str, Tool] = {
    "pytrec_eval": replace(TREC_EVAL, source="pytrec_eval 0.5: the names and values of trec_eval 9"),
    "mteb": Tool(
        source="mteb 2.26.24, _evaluators/retrieval_metrics.py; also 1.1.2 to 2.20",
        names={
            **_ending(
                {
                    "ndcg": "nDCG",
                    "map": "AP",
                    "recall": "R",
                    "precision": "P",
                    "mrr": "RR",
                    "hit_rate": "Success",
                    "R_cap": "R_cap",
                },
                "_at_{cutoff}",
            ),
            "accuracy": "R(cutoff=1)",
        },
        gain="log2",
        lacking={"nauc_.*": _NAUC, "main_score": "ndcg_at_10, or what the task has for its main score"},
        notes={
            "mrr_at_{cutoff}": "BEIR's code: the mean over the queries of the run; scores are not 32-bit floats",
            "accuracy": "literally recall_at_1",
        },
    ),
    "sentence_transformers": Tool(
        source="sentence-transformers 6.2.0, InformationRetrievalEvaluator; also 2.2.2, 3.0.1, 5.1.0",
        names=_ending(_BINARY_NAMES, "@{cutoff}"),
        any_case=True,
        before=r"(?:[^@]+_)?(?:cosine|dot|euclidean|manhattan|cos_sim|dot_score)[-_]|[^@]+_(?=\w+@)",
        notes={
            "ndcg@{cutoff}": "relevant documents are a set, without grades",
            "accuracy@{cutoff}": "queries without relevant documents are left out, of all means",
        },
    ),
    "haystack": Tool(
        source="haystack-ai 3.4.1, components/evaluators/document_*.py; also 2.2.0, 2.11.0, 2.20.0",
        names={
            **dict.fromkeys(("DocumentRecall", "DocumentRecallEvaluator", "Document Recall Single-Hit"), "Success"),
            **dict.fromkeys(("DocumentRecallMultiHit", "Document Recall Multi-Hit"), "R"),
            **dict.fromkeys(("DocumentMRR", "DocumentMRREvaluator", "Document MRR"), "RR"),
            **dict.fromkeys(("DocumentMAP", "DocumentMAPEvaluator", "Document MAP"), "AP"),
            **dict.fromkeys(("DocumentNDCG", "DocumentNDCGEvaluator", "Document NDCG"), "nDCG(dcg='log2')"),
        },
        any_case=True,
        notes={
            "DocumentRecall": "a hit rate: single_hit is the default mode; with mode='multi_hit' it is R",
            "DocumentMAP": "until 3.0.0 divided by the hits found: AP(norm='hits')",
            "DocumentNDCG": "binary where the documents of the ground truth have no score",
        },
    ),
    "llama_index": Tool(
        source="llama-index-core 0.14.25, evaluation/retrieval/metrics.py; also 0.10.20, 0.11.0",
        names={
            "hit_rate": "Success",
            "mrr": "RR",
            "precision": "SetP",
            "recall": "R",
            "ap": "AP",
            "ndcg": "nDCG(dcg='binary')",
        },
        notes={
            "hit_rate": "with use_granular_hit_rate it is R",
            "mrr": "with use_granular_mrr it is the mean of 1/rank over all hits, no measure of the catalogue",
            "ndcg": "in 0.11.0 the ideal was that every returned document is relevant",
        },
    ),
    "ragas": Tool(
        source="ragas 0.4.3, metrics/_context_precision.py and _context_recall.py",
        names={
            **dict.fromkeys(
                (
                    "context_precision",
                    "llm_context_precision_with_reference",
                    "llm_context_precision_without_reference",
                    "context_precision_with_reference",
                    "context_precision_without_reference",
                    "context_utilization",
                    "non_llm_context_precision_with_reference",
                ),
                "AP(norm='hits')",
            ),
            "id_based_context_precision": "SetP",
            "id_based_context_recall": "R",
        },
        lacking={
            "context_recall": _BY_MODEL,
            "non_llm_context_recall": "the share of reference texts that are like a retrieved one",
        },
        notes={"context_precision": "no precision; divided by the hits + 1e-10, each hit by the verdict of a language model"},
    ),
    "deepeval": Tool(
        source="deepeval 4.3.1, metrics/contextual_precision, contextual_recall, contextual_relevancy",
        names={"Contextual Precision": "AP(norm='hits')", "ContextualPrecisionMetric": "AP(norm='hits')"},
        any_case=True,
        lacking={"Contextual Recall": _BY_MODEL, "Contextual Relevancy": _BY_MODEL},
        notes={"Contextual Precision": "each hit by the verdict of a language model"},
    ),
    "trulens": Tool(
        source="trulens-feedback 2.16.0, groundtruth.py; also 1.2.0",
        names={
            "ndcg_at_k": "nDCG(dcg='log2')",
            "precision_at_k": "P(returned=True)",
            "recall_at_k": "R",
            "mrr": "RR",
            "ir_hit_rate": "Success",
        },
        notes={"ndcg_at_k": "k is an argument; 1.2.0 gave scikit-learn the sorted golden scores, another quantity"},
    ),
    "mlflow": Tool(
        source="mlflow 3.18.0, metrics/metric_definitions.py",
        names=_ending({"precision_at_{cutoff}": "P(returned=True)", "recall_at_{cutoff}": "R"}, "", "/mean"),
        lacking={
            r"ndcg_at_\d+(/mean)?": "nDCG(dcg='binary')@k, where at least k were returned; with fewer, its ideal is shorter",
            r"\w+_at_\d+/(variance|p90)": "a spread over queries, not a mean",
        },
    ),
    "sklearn": Tool(
        source="scikit-learn 1.9.1, metrics/_ranking.py",
        names={
            "ndcg_score": "nDCG(dcg='log2', ideal='retrieved')",
            "dcg_score": "DCG(dcg='log2')",
            "label_ranking_average_precision_score": "AP",
        },
        lacking={"average_precision_score": "AP, where no scores are tied", "top_k_accuracy_score": "a measure of classification"},
        notes={
            "ndcg_score": f"{_OF_LIST}; tied scores share their gain, with ignore_ties=True they are in reversed order",
            "dcg_score": "tied scores share their gain",
            "label_ranking_average_precision_score": "1 where nothing or everything is relevant; ties at their worst",
        },
    ),
    "torchmetrics": Tool(
        source="torchmetrics 1.9.0, functional/retrieval/*.py; also 0.11.4 to 1.8",
        names={
            "RetrievalMAP": "AP(norm='hits')",
            "RetrievalMRR": "RR",
            "RetrievalPrecision": "P",
            "RetrievalRecall": "R",
            "RetrievalHitRate": "Success",
            "RetrievalRPrecision": "Rprec",
            "RetrievalNormalizedDCG": "nDCG(dcg='log2', ideal='retrieved')",
        },
        lacking={"RetrievalFallOut": "the irrelevant retrieved / all irrelevant", "RetrievalAUROC": "the area under the ROC curve"},
        notes={
            "RetrievalMAP": "since 1.8.0 a document with a score of 0 or less is no hit; RetrievalMRR, Precision and Recall too",
            "RetrievalPrecision": "adaptive_k=True divides by what was returned: P(returned=True)",
            "RetrievalNormalizedDCG": f"{_OF_LIST}; tied scores share their gain",
        },
    ),
    "lightgbm": Tool(
        source="LightGBM 4.7.0, src/metric/rank_metric.hpp, map_metric.hpp, dcg_calculator.cpp",
        names={"ndcg@{cutoff}": "nDCG(dcg='exp-log2', ideal='retrieved')", "map@{cutoff}": "AP(norm='min')"},
        before=r".+'s ",
        notes={
            "ndcg@{cutoff}": f"{_OF_LIST}; a query without a relevant row counts 1; label_gain may change the gain",
            "map@{cutoff}": "relevant documents are those among the rows; a query without any counts 1",
        },
    ),
    "xgboost": Tool(
        source="xgboost 3.2.0, src/metric/rank_metric.cc; also 1.7.6, 2.0.0",
        names={
            **_ending({"ndcg": "nDCG(dcg='exp-log2', ideal='retrieved')", "map": "AP(norm='min')"}, "@{cutoff}", "@{cutoff}-"),
            "pre@{cutoff}": "P(returned=True)",
            "ndcg": "nDCG(dcg='exp-log2', ideal='retrieved', cutoff=32)",
            "map": "AP(norm='min', cutoff=32)",
            "pre": "P(returned=True, cutoff=32)",
        },
        before=r"(?:train|eval|test|valid|validation)(?:_\d+)?-",
        notes={
            "ndcg@{cutoff}": f"{_OF_LIST}; a query without a relevant row counts 1, with the suffix - 0",
            "map@{cutoff}": "1.x divided by R; a query without a relevant row counts 1, with the suffix - 0",
            "pre@{cutoff}": "1.x divided by k: P@k",
            "ndcg": "cut at 32 since 2.0; the whole list in 1.x",
        },
    ),
    "spark": Tool(
        source="Spark 3.4, mllib/evaluation/RankingMetrics.scala (075aa42)",
        names={
            **_ending(
                {"precisionAt": "P", "recallAt": "R", "meanAveragePrecisionAt": "AP(norm='min')", "ndcgAt": "nDCG(dcg='binary')"},
                *("({cutoff})", "K({cutoff})"),
            ),
            **_ending(
                {
                    "precisionAtK": "P",
                    "recallAtK": "R",
                    "meanAveragePrecisionAtK": "AP(norm='min')",
                    "ndcgAtK": "nDCG(dcg='binary')",
                },
                "",
            ),
            "meanAveragePrecision": "AP",
        },
        notes={
            "ndcgAt({cutoff})": "with graded labels (3.4) the gain is 2^rel - 1, the ideal their order as given",
            "precisionAtK": "k is a parameter, 10 by default",
        },
    ),
    "recommenders": Tool(
        source="recommenders 1.2.1, evaluation/python_evaluation.py; also 1.0.0",
        names={
            "precision_at_k": "P",
            "recall_at_k": "R",
            "ndcg_at_k": "nDCG(dcg='binary')",
            "map": "AP",
            "map_at_k": "AP(norm='min')",
            "r_precision_at_k": "Rprec",
        },
        notes={
            "ndcg_at_k": "linear with score_type='raw', 2^rel - 1 with 'exp'; a mean over all users",
            "map_at_k": "k is an argument, 10 by default; before 1.2.0 divided by R",
            "map": "cut at k",
        },
    ),
    "recbole": Tool(
        source="recbole 1.2.1, evaluator/metrics.py",
        names={
            "hit@{cutoff}": "Success",
            "recall@{cutoff}": "R",
            "precision@{cutoff}": "P",
            "mrr@{cutoff}": "RR",
            "map@{cutoff}": "AP(norm='min')",
            "ndcg@{cutoff}": "nDCG(dcg='binary')",
        },
        any_case=True,
        lacking={"gauc": "the area under the ROC curve", "itemcoverage": "a measure of all lists together"},
    ),
    "elasticsearch": _RANK_EVAL,
    "opensearch": replace(_RANK_EVAL, source="OpenSearch 2, rank-eval (0aa52bd, 14bd258): the formulas of Elasticsearch"),
    "quepid": Tool(
        source="Quepid f80322f (8.6), db/scorers/*.js",
        names={
            "P@{cutoff}": "P(returned=True)",
            "AP@{cutoff}": "AP",
            "RR@{cutoff}": "RR",
            "CG@{cutoff}": "CG(dcg='log2')",
            "DCG@{cutoff}": "DCG(dcg='exp-log2')",
            "nDCG@{cutoff}": "nDCG(dcg='exp-log2', ideal='uncut')",
            "nDCG_CUT@{cutoff}": "nDCG(dcg='exp-log2')",
        },
        lacking={"ERR": "ERR(max_rel=4)@k, with the highest rating of the scale"},
        notes={"nDCG@{cutoff}": "the mean in the browser leaves out queries without ratings; the server's does not, and rounds"},
    ),
    "vespa": Tool(
        source="pyvespa 1.2.9, vespa/evaluation/_base.py",
        names={**_ending(_BINARY_NAMES, "@{cutoff}"), "avg_recall_per_query": "R"},
        lacking={"match_recall": "R with average='micro', over what was matched"},
        notes={"ndcg@{cutoff}": "with graded judgements linear: nDCG(dcg='log2')"},
    ),
    "msmarco": Tool(
        source="ms_marco_eval.py, microsoft/MSMARCO-Passage-Ranking 28b3693",
        names={"MRR @{cutoff}": "RR", "MRR@{cutoff}": "RR"},
        lacking={"QueriesRanked": "NumQ"},
        notes={"MRR @{cutoff}": "every row of the qrels is relevant, whatever its grade; a mean over all queries of the qrels"},
    ),
    "gdeval": Tool(
        source="gdeval.pl 1.3, trec-web/trec-web-2014 5026354",
        names={"ndcg@{cutoff}": "nDCG(dcg='exp-log2')", "err@{cutoff}": "ERR(max_rel=4)"},
        notes={"ndcg@{cutoff}": "a mean over the queries of the run with a relevant document; with -c over all of the qrels"},
    ),
    "ntcireval": Tool(
        source="NTCIREVAL, ntcir_eval.c of June 2019, and pyNTCIREVAL db0b342",
        names={
            "RR": "RR",
            "AP": "AP",
            "AP@{cutoff}": "AP(norm='min')",
            "P@{cutoff}": "P",
            "Precision@{cutoff}": "P",
            "Hit@{cutoff}": "Success",
            "nDCG@{cutoff}": "nDCG(dcg='log2', discount='base2')",
            "MSnDCG@{cutoff}": "nDCG(dcg='log2')",
            **dict.fromkeys(("Q-measure", "QMeasure"), "Q_measure(dcg='log2')"),
            **dict.fromkeys(("Q@{cutoff}", "QMeasure@{cutoff}"), "Q_measure(dcg='log2')"),
        },
        lacking={
            "[OP]-?[Mm]easure|P-?[Pp]lus": "a measure of NTCIREVAL alone",
            "n?ERR|RBP": "its gains are the values of -g / (the highest + 1): another ERR than that of 2^grade - 1",
            "NCU.+|EBR|iRBU|GAP|[br]pref_[a-zA-Z]+": "a measure of NTCIREVAL alone",
        },
        notes={"MSnDCG@{cutoff}": "gains are those of -g: 1:2:3 is linear, 1:3:7 exponential"},
    ),
    "cwl_eval": Tool(
        source="cwl-eval 1.0.12, cwl_eval.py and measures/*.py",
        names={
            "P@{cutoff}": "P",
            "RR": "RR",
            "AP": "AP(norm='hits')",
            "NDCG-k@{cutoff}": "SDCG(max_rel=1)",
            "NERR-EQ8@k={cutoff}": "NERR8(max_rel=1)",
            "NERR-EQ9@k={cutoff}": "NERR9(max_rel=1)",
            **{f"RBP@{p}": f"RBP(p={p})" for p in (0.2, 0.4, 0.8)},
            **{f"INST-T={T}": f"INST(T={T}, max_rel=1)" for T in (1.0, 2.0, 3.0)},
            **{f"INSQ-T={T}": f"INSQ(T={T}, max_rel=1)" for T in (1.0, 2.0, 3.0)},
        },
        lacking={"BPM-.+|TBG-.+|U-L.+|IFT-.+|NPV-.+|SET-k.*|TrAP": "a measure of cwl_eval with parameters in its name"},
        notes={
            "AP": "divided by the relevant retrieved, whatever the comment in the source says",
            "NDCG-k@{cutoff}": "no nDCG: the ideal is k documents of the highest gain",
            "RBP@0.8": "over 1,000 documents, with gains of 0 and 1",
        },
    ),
}
"""Further tools -> their names; where no tool is given, a name that only these have is looked up here."""

EVERY: Mapping[str, Tool] = {**TOOLS, **OTHERS}
"""All tools whose names parse reads."""

GUESSED = ("ir_measures", "trec_eval", "ranx", "beir")
"""The tools that names alone may tell, the likeliest first where they tell several."""


class Number(NamedTuple):
    """A number in a name: its form, how it is read and how it is printed."""

    form: str
    read: Callable[[str], ParamValue]
    printed: Callable[[Any], str]


NUMBERS: Mapping[str, Number] = {
    "cutoff": Number("[0-9]{1,4000}", int, str),
    "rel": Number("[0-9]{1,4000}", int, str),
    "recall": Number(r"[0-9]+(?:\.[0-9]+)?", float, "{:.2f}".format),
    "beta": Number(r"[0-9]+(?:\.[0-9]+)?", float, lambda beta: repr(beta).removesuffix(".0")),
    "p": Number(r"\.[0-9]+", float, lambda p: f"{p:g}".removeprefix("0")),
}
"""The numbers that a name may hold."""

_PARAMETERS = r"((_at_|[_.@])(p=)?[-0-9].*)?"
"""What may follow a name: a cutoff, numbers, gains of grades."""

_BRACES = re.compile(r"\{(\w+)\}")


class Meaning(NamedTuple):
    """A measure of the catalogue, with the cutoff and the parameters that a name implies."""

    name: str
    values: Mapping[str, ParamValue] = {}


@cache
def _patterns(tool: Tool, table: Table = "names") -> Sequence[tuple[re.Pattern[str], str]]:
    """A regular expression for each name of a tool, and what the name stands for."""
    flags = re.IGNORECASE if tool.any_case else 0
    before = f"(?:{tool.before})?" if tool.before else ""
    return [(re.compile(before + _expression(name), flags), stands_for) for name, stands_for in getattr(tool, table).items()]


def _expression(name: str) -> str:
    """The regular expression of a name, in which each number is a group."""
    parts = _BRACES.split(name)
    return "".join(f"(?P<{part}>{NUMBERS[part].form})" if i % 2 else re.escape(part) for i, part in enumerate(parts))


def _filled(name: str, values: Mapping[str, Any]) -> str:
    """A name with its numbers."""
    return _BRACES.sub(lambda braces: NUMBERS[braces[1]].printed(values[braces[1]]), name)


def _look_up(name: str, tool: Tool, table: Table = "names") -> tuple[str, dict[str, ParamValue]] | None:
    """What a table of a tool has for a name, and the numbers in the name; None where it has nothing."""
    for pattern, stands_for in _patterns(tool, table):
        if match := pattern.fullmatch(name):
            return stands_for, {number: NUMBERS[number].read(text) for number, text in match.groupdict().items()}
    return None


@cache
def _meaning(measure: str) -> Meaning:
    """A measure of the table as its name in the catalogue and its parameters."""
    name, _, inside = measure.removesuffix(")").partition("(")
    pairs = (pair.partition("=") for pair in inside.split(", ") if pair)
    return Meaning(name, {param: ast.literal_eval(value) for param, _, value in pairs})


def meaning_of(measure: str) -> str:
    """The name in the catalogue of a measure of the table.

    >>> meaning_of("AP(norm='min')")
    'AP'
    """
    return _meaning(measure).name


def known(name: str, tool: Tool) -> Meaning | None:
    """What a name means in a tool, the gain left open; None where the table of the tool lacks it.

    >>> known("ndcg_cut_10", TREC_EVAL)
    Meaning(name='nDCG', values={'cutoff': 10})
    """
    if entry := _look_up(name, tool):
        base = _meaning(entry[0])
        return Meaning(base.name, {**base.values, **entry[1]})
    return None


def instead(name: str, tool: Tool) -> str | None:
    """What to write instead of a name of a tool that is no measure of the catalogue; None where the table does not say."""
    flags = re.IGNORECASE if tool.any_case else 0
    return next((hint for stem, hint in tool.lacking.items() if re.fullmatch(stem + _PARAMETERS, name, flags)), None)


def current(name: str, tool: Tool = TREC_EVAL) -> str:
    """The name that the latest version of a tool has for a measure that an earlier one may have named.

    >>> current("R-prec"), current("P10"), current("ircl_prn.0.10")
    ('Rprec', 'P_10', 'iprec_at_recall_0.10')
    """
    entry = _look_up(name, tool, "earlier")
    return _filled(*entry) if entry else name


def version(name: str, tool: Tool = TREC_EVAL) -> str:
    """The one version of a tool whose value the catalogue has for a name; empty where all have the same."""
    entry = _look_up(current(name, tool), tool, "version")
    return entry[0] if entry else ""


def name_of(measure: Measure, tool: Tool) -> str | None:
    """The name that a tool has for a measure, with all its parameters; None where the table of the tool has none.

    >>> from samescore import parse
    >>> name_of(parse("P@5"), TREC_EVAL), name_of(parse("nDCG(dcg='log2')@10"), TOOLS["beir"]), name_of(parse("ERR"), TREC_EVAL)
    ('P_5', 'NDCG@10', None)
    """
    values: dict[str, ParamValue] = {name: value for name, value in measure.params if (name, value) != ("dcg", tool.gain)}
    values |= {} if measure.cutoff is None else {"cutoff": measure.cutoff}
    for name, text in tool.names.items():
        base = _meaning(text)
        numbers = {number: values[number] for number in _BRACES.findall(name) if number in values}
        if (base.name, {**base.values, **numbers}) == (measure.name, values) and len(numbers) == name.count("{"):
            printed = _filled(name, numbers)
            return printed if known(printed, tool) == Meaning(measure.name, values) else None
    return None


def tool_of(names: Iterable[str]) -> str:
    """The tool whose names these are, as it prints them; ir_measures where none tells.

    >>> tool_of(["nDCG@10"]), tool_of(["ndcg@10", "mrr"]), tool_of(["NDCG@10"]), tool_of(["ndcg_cut_10"])
    ('ir_measures', 'ranx', 'beir', 'trec_eval')
    """
    printed = list(names)
    return max(GUESSED, key=lambda tool: sum(is_printed(name, tool) for name in printed))


def is_printed(name: str, tool: str) -> bool:
    """Whether a tool prints this name, in these letters.

    >>> is_printed("recip_rank", "trec_eval"), is_printed("RR", "trec_eval"), is_printed("RR", "ir_measures")
    (True, False, True)
    """
    of_tool = TOOLS[tool]
    spelled = any(re.fullmatch(pattern.pattern, current(name, of_tool)) for pattern, _ in _patterns(of_tool))
    return spelled or instead(name, of_tool) is not None


def names() -> Sequence[str]:
    """Every name that stands for a measure.

    Returns
    -------
    sequence of str
        The names of the catalogue, plain words and the names of trec_eval; one that holds a number has an example.

    Examples
    --------
    >>> {"nDCG", "recall", "ndcg_cut_10", "rbp.95"} <= set(names())
    True
    """
    examples = {"cutoff": 10, "recall": 0.1, "beta": 2.0, "p": 0.95}
    return list(dict.fromkeys([*CATALOGUE, *(_filled(name, examples) for tool in (PLAIN, TREC_EVAL) for name in tool.names)]))


_OPENING = """# Names of tools

`parse(name, tool="mteb")`, and `--tool mteb` of `samescore validate` and `samescore explain`, read a name as a tool means it.
Without a tool, samescore's own plain names (`nDCG@10`, `recall@10`, `ndcg_at_10`) mean what samescore means by them.
Any other name is understood where all tools that have it mean one measure, and refused with each meaning where they do not.

A number in a name stands in braces. This page is generated from the table in `src/samescore/measures/names.py`:
`python -m samescore.measures.names > docs/tools.md`.
"""


def names_page() -> str:
    """The table as a page of Markdown: for each tool what was read, its names, what they mean there, and notes.

    >>> "| `hit@{cutoff}` | `Success` |  |" in names_page()
    True
    """
    return "\n".join([_OPENING, *(line for tool in EVERY for line in _section(tool, EVERY[tool]))])


def _section(title: str, tool: Tool) -> list[str]:
    """The lines of the page on one tool; names that mean one measure and have no notes share a row."""
    together: dict[tuple[str, str], list[str]] = {}
    for name, measure in tool.names.items():
        together.setdefault((_with_gain(measure, tool.gain), tool.notes.get(name, "")), []).append(f"`{name}`")
    rows = [f"| {', '.join(names)} | `{measure}` | {note} |" for (measure, note), names in together.items()]
    plain = {name: re.sub(r"\\\\(.)", r"\\1", name).replace("|", "\\\\|") for name in tool.lacking}
    other = [f"| `{plain[name]}` | - | {hint} |" for name, hint in tool.lacking.items()]
    habits = [f"| `{name}` | - | {tool_s.how} |" for name, tool_s in tool.otherwise.items()]
    return [
        f"## {title}",
        "",
        f"Read: {tool.source}.",
        "",
        "| name | measure | note |",
        "| --- | --- | --- |",
        *rows,
        *other,
        *habits,
        "",
    ]


def _with_gain(measure: str, gain: str) -> str:
    """A measure of the table with the gain of its tool."""
    return f"{measure}(dcg='{gain}')" if gain and measure in ("nDCG", "DCG") else measure


if __name__ == "__main__":
    sys.stdout.write(names_page())
