"""samescore: the same score for a run, whichever evaluation library computes it, and nothing dropped in silence."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import SamescoreError as SamescoreError
    from .evaluation import evaluate as evaluate
    from .functions import (
        average_precision as average_precision,
        dcg as dcg,
        mrr as mrr,
        ndcg_at_k as ndcg_at_k,
        precision_at_k as precision_at_k,
        recall_at_k as recall_at_k,
        reciprocal_rank as reciprocal_rank,
    )
    from .measures import Measure as Measure, define as define, parse as parse
    from .policy import Policy as Policy
    from .readers import Qrels as Qrels, Run as Run, read_qrels as read_qrels, read_run as read_run
    from .report import Report as Report
    from .result import Result as Result
    from .tools.baseline import write_baseline as write_baseline
    from .tools.compare import compare as compare
    from .tools.comparison import Comparison as Comparison
    from .tools.crosscheck import Agreement as Agreement, crosscheck as crosscheck
    from .tools.curve import Curve as Curve, curve as curve
    from .tools.described import Description as Description, describe as describe
    from .tools.diagnose import Diagnosis as Diagnosis, diagnose as diagnose
    from .tools.explain import explain as explain
    from .tools.explain.readings import Search as Search
    from .tools.explain.walk import Explanation as Explanation
    from .tools.export import Export as Export, export as export
    from .tools.gate import gate as gate
    from .tools.golden_set import QrelsReport as QrelsReport, check as check, fingerprint as fingerprint, split as split
    from .tools.interval import interval as interval
    from .tools.labels import LabelAgreement as LabelAgreement, agreement as agreement, merge_qrels as merge_qrels
    from .tools.overlap import RankOverlap as RankOverlap, rbo as rbo
    from .tools.pool import label_bounds as label_bounds, misses as misses, unjudged as unjudged
    from .tools.sample_size import needed_queries as needed_queries
    from .tools.suite import Suite as Suite, compare_suite as compare_suite
    from .tools.ties import TieBounds as TieBounds, tie_bounds as tie_bounds
    from .tools.validate import Validation as Validation, validate as validate

__version__ = "0.1.0"

_NAMES_OF = {
    "evaluation": ["evaluate"],
    "readers": ["read_run", "read_qrels", "Run", "Qrels"],
    "tools.described": ["describe", "Description"],
    "tools.validate": ["validate", "Validation"],
    "tools.explain": ["explain"],
    "tools.explain.walk": ["Explanation"],
    "tools.explain.readings": ["Search"],
    "tools.ties": ["tie_bounds", "TieBounds"],
    "tools.export": ["export", "Export"],
    "policy": ["Policy"],
    "measures": ["Measure", "parse", "define"],
    "result": ["Result"],
    "report": ["Report"],
    "errors": ["SamescoreError"],
    "tools.crosscheck": ["crosscheck", "Agreement"],
    "tools.compare": ["compare"],
    "tools.comparison": ["Comparison"],
    "tools.curve": ["curve", "Curve"],
    "tools.interval": ["interval"],
    "tools.labels": ["merge_qrels", "agreement", "LabelAgreement"],
    "tools.suite": ["compare_suite", "Suite"],
    "tools.sample_size": ["needed_queries"],
    "tools.gate": ["gate"],
    "tools.baseline": ["write_baseline"],
    "tools.diagnose": ["diagnose", "Diagnosis"],
    "tools.overlap": ["rbo", "RankOverlap"],
    "tools.pool": ["misses", "unjudged", "label_bounds"],
    "tools.golden_set": ["split", "check", "QrelsReport", "fingerprint"],
    "functions": ["recall_at_k", "precision_at_k", "mrr", "reciprocal_rank", "average_precision", "dcg", "ndcg_at_k"],
}
"""Module -> the public names that it defines."""

_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names}

__all__ = [*_MODULE_OF, "__version__"]  # noqa: PLE0604  # the keys are names


def __getattr__(name: str) -> Any:
    """A public name, from its module, which is imported now and not before."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'samescore' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
