"""samescore: the same score for a run, whichever evaluation library computes it, and nothing dropped in silence."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import SamescoreError as SamescoreError
    from .evaluation import evaluate as evaluate
    from .functions import average_precision as average_precision
    from .functions import dcg as dcg
    from .functions import mrr as mrr
    from .functions import ndcg_at_k as ndcg_at_k
    from .functions import precision_at_k as precision_at_k
    from .functions import recall_at_k as recall_at_k
    from .functions import reciprocal_rank as reciprocal_rank
    from .measures import Measure as Measure
    from .measures import define as define
    from .measures import parse as parse
    from .policy import Policy as Policy
    from .readers import Qrels as Qrels
    from .readers import Run as Run
    from .readers import read_qrels as read_qrels
    from .readers import read_run as read_run
    from .report import Report as Report
    from .result import Result as Result
    from .tools.baseline import write_baseline as write_baseline
    from .tools.compare import compare as compare
    from .tools.comparison import Comparison as Comparison
    from .tools.crosscheck import Agreement as Agreement
    from .tools.crosscheck import crosscheck as crosscheck
    from .tools.curve import Curve as Curve
    from .tools.curve import curve as curve
    from .tools.diagnose import Diagnosis as Diagnosis
    from .tools.diagnose import diagnose as diagnose
    from .tools.explain import explain as explain
    from .tools.explain.readings import Search as Search
    from .tools.explain.walk import Explanation as Explanation
    from .tools.export import Export as Export
    from .tools.export import export as export
    from .tools.gate import gate as gate
    from .tools.golden_set import QrelsReport as QrelsReport
    from .tools.golden_set import check as check
    from .tools.golden_set import fingerprint as fingerprint
    from .tools.golden_set import split as split
    from .tools.interval import interval as interval
    from .tools.pool import label_bounds as label_bounds
    from .tools.pool import misses as misses
    from .tools.pool import unjudged as unjudged
    from .tools.ties import TieBounds as TieBounds
    from .tools.ties import tie_bounds as tie_bounds
    from .tools.validate import Validation as Validation
    from .tools.validate import validate as validate

__version__ = "0.1.0"

_EXPORTS = {
    "evaluate": "evaluation",
    "read_run": "readers",
    "read_qrels": "readers",
    "Run": "readers",
    "Qrels": "readers",
    "validate": "tools.validate",
    "Validation": "tools.validate",
    "explain": "tools.explain",
    "Explanation": "tools.explain.walk",
    "Search": "tools.explain.readings",
    "tie_bounds": "tools.ties",
    "TieBounds": "tools.ties",
    "export": "tools.export",
    "Export": "tools.export",
    "Policy": "policy",
    "Measure": "measures",
    "parse": "measures",
    "define": "measures",
    "Result": "result",
    "Report": "report",
    "SamescoreError": "errors",
    "crosscheck": "tools.crosscheck",
    "Agreement": "tools.crosscheck",
    "compare": "tools.compare",
    "Comparison": "tools.comparison",
    "curve": "tools.curve",
    "Curve": "tools.curve",
    "interval": "tools.interval",
    "gate": "tools.gate",
    "write_baseline": "tools.baseline",
    "diagnose": "tools.diagnose",
    "Diagnosis": "tools.diagnose",
    "misses": "tools.pool",
    "unjudged": "tools.pool",
    "label_bounds": "tools.pool",
    "split": "tools.golden_set",
    "check": "tools.golden_set",
    "QrelsReport": "tools.golden_set",
    "fingerprint": "tools.golden_set",
    "recall_at_k": "functions",
    "precision_at_k": "functions",
    "mrr": "functions",
    "reciprocal_rank": "functions",
    "average_precision": "functions",
    "dcg": "functions",
    "ndcg_at_k": "functions",
}

__all__ = [*_EXPORTS, "__version__"]  # noqa: PLE0604  # the keys are names


def __getattr__(name: str) -> Any:
    """A public name, from its module, which is imported now and not before."""
    if name not in _EXPORTS:
        raise AttributeError(f"module 'samescore' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_EXPORTS[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
