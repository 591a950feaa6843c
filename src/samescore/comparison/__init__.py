"""Comparison: runs side by side, query by query, with what their differences are worth."""

from .brought import brought
from .comparing import compare
from .outcome import Comparison, Row
from .rendering import p_value
from .runs import baseline_of, named_runs, of_run
from .scores import Scores, key

__all__ = ["Comparison", "Row", "Scores", "baseline_of", "brought", "compare", "key", "named_runs", "of_run", "p_value"]
