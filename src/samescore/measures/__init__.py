"""Measures as values, the one catalogue of them, and the dialects of their names."""

from .catalogue import CATALOGUE, Entry, Param, ParamValue
from .dialects import names, parse, parse_all
from .measure import Measure

__all__ = ["CATALOGUE", "Entry", "Measure", "Param", "ParamValue", "names", "parse", "parse_all"]
