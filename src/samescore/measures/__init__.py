"""Measures as values, the one catalogue of them, and the dialects of their names."""

from .catalogue import CATALOGUE, Entry, Param, ParamValue
from .measure import Function, Measure, example
from .names import define, load_measure, named_measure, names, own_values, parse, parse_all

__all__ = [
    "CATALOGUE", "Entry", "Function", "Measure", "Param", "ParamValue", "define", "example", "load_measure", "named_measure",
    "names", "own_values", "parse", "parse_all",
]  # fmt: skip
