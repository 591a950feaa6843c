"""Measures as values, the one catalogue of them, and the one table of the names that tools have for them."""

from .catalogue import CATALOGUE, Entry, Param, ParamValue
from .custom import define, load_measure, named_measure, own_values, parameters_of
from .measure import Function, Measure, example
from .names import names
from .parsing import parse, parse_all

__all__ = [
    "CATALOGUE", "Entry", "Function", "Measure", "Param", "ParamValue", "define", "example", "load_measure", "named_measure",
    "names", "own_values", "parameters_of", "parse", "parse_all",
]  # fmt: skip
