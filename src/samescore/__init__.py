"""samescore: the same score for a run, whichever evaluation library computes it, and nothing dropped in silence."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "evaluate": "evaluation",
    "read_run": "readers",
    "read_qrels": "readers",
    "Run": "readers",
    "Qrels": "readers",
    "validate": "validating.validation",
    "Validation": "validating.validation",
    "explain": "explaining.explanation",
    "Explanation": "explaining.explanation",
    "Search": "explaining.explanation",
    "tie_bounds": "tying.bounds",
    "TieBounds": "tying.bounds",
    "export": "exporting.exported",
    "Export": "exporting.exported",
    "Policy": "policy",
    "Measure": "measures",
    "parse": "measures",
    "define": "measures",
    "Result": "result",
    "Report": "report",
    "SamescoreError": "errors",
    "crosscheck": "agreeing.crosschecking",
    "Agreement": "agreeing.crosschecking",
    "compare": "comparison",
    "Comparison": "comparison",
    "curve": "comparison.curves",
    "Curve": "comparison.curves",
    "interval": "comparison.intervals",
    "gate": "comparison.gating",
    "write_baseline": "comparison.gating",
    "diagnose": "diagnosing.diagnosis",
    "Diagnosis": "diagnosing.stages",
    "misses": "labels.labelling",
    "unjudged": "labels.labelling",
    "label_bounds": "labels.bounds",
    "split": "golden.sets",
    "check": "golden.sets",
    "QrelsReport": "golden.report",
    "fingerprint": "golden.sets",
    "recall_at_k": "functions",
    "precision_at_k": "functions",
    "mrr": "functions",
    "reciprocal_rank": "functions",
    "average_precision": "functions",
    "dcg": "functions",
    "ndcg_at_k": "functions",
}

__all__ = [*_HOME, "__version__"]  # noqa: PLE0604  # the keys are names

if TYPE_CHECKING:
    from .agreeing.crosschecking import Agreement as Agreement
    from .agreeing.crosschecking import crosscheck as crosscheck
    from .comparison import Comparison as Comparison
    from .comparison import compare as compare
    from .comparison.curves import Curve as Curve
    from .comparison.curves import curve as curve
    from .comparison.gating import gate as gate
    from .comparison.gating import write_baseline as write_baseline
    from .comparison.intervals import interval as interval
    from .diagnosing.diagnosis import diagnose as diagnose
    from .diagnosing.stages import Diagnosis as Diagnosis
    from .errors import SamescoreError as SamescoreError
    from .evaluation import evaluate as evaluate
    from .explaining.explanation import Explanation as Explanation
    from .explaining.explanation import Search as Search
    from .explaining.explanation import explain as explain
    from .exporting.exported import Export as Export
    from .exporting.exported import export as export
    from .functions import average_precision as average_precision
    from .functions import dcg as dcg
    from .functions import mrr as mrr
    from .functions import ndcg_at_k as ndcg_at_k
    from .functions import precision_at_k as precision_at_k
    from .functions import recall_at_k as recall_at_k
    from .functions import reciprocal_rank as reciprocal_rank
    from .golden.report import QrelsReport as QrelsReport
    from .golden.sets import check as check
    from .golden.sets import fingerprint as fingerprint
    from .golden.sets import split as split
    from .labels.bounds import label_bounds as label_bounds
    from .labels.labelling import misses as misses
    from .labels.labelling import unjudged as unjudged
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
    from .tying.bounds import TieBounds as TieBounds
    from .tying.bounds import tie_bounds as tie_bounds
    from .validating.validation import Validation as Validation
    from .validating.validation import validate as validate


def __getattr__(name: str) -> Any:
    """A public name, from its module, which is imported now and not before."""
    if name not in _HOME:
        raise AttributeError(f"module 'samescore' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
