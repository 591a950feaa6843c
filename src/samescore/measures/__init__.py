"""Measures as values, the one catalogue of them, and the dialects of their names."""

from .catalogue import CATALOGUE, Entry
from .dialects import names, parse, parse_all
from .measure import Function, Measure, example
from .own import define, load_measure, named_measure, own_values
from .params import Param, ParamValue

__all__ = [
    "CATALOGUE", "Entry", "Function", "Measure", "Param", "ParamValue", "define", "example", "load_measure", "named_measure",
    "names", "own_values", "parse", "parse_all",
]  # fmt: skip
