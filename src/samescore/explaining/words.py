"""Words: clauses and their values as parts of a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from ..policy import Policy
from .axes import Axis

VALUES: Mapping[str, Mapping[Any, tuple[str, str]]] = {
    "gain": {"exponential": ("gain 2^grade - 1", "2^grade - 1"), "linear": ("linear gain", "linear")},
    "ties": {
        "doc_id": ("ties in descending order of ids", "descending ids"),
        "doc_id_ascending": ("ties in ascending order of ids", "ascending ids"),
        "input": ("ties in the order given", "the order given"),
    },
    "duplicates": {
        "first": ("repeated documents counted at their best rank", "the best rank"),
        "last": ("repeated documents counted at their last rank", "the last rank"),
        "each": ("repeated documents counted each time", "each time"),
    },
    "self_hits": {
        "drop": ("documents with the id of their query dropped", "dropped"),
        "keep": ("documents with the id of their query kept", "kept"),
    },
    "float32_scores": {
        True: ("scores compared as 32-bit floats", "32 bits"),
        False: ("scores compared as 64-bit floats", "64 bits"),
    },
    "conflicts": {
        "max": ("the highest of conflicting grades", "the highest"),
        "last": ("the last of conflicting grades", "the last"),
    },
    "negatives": {
        "nonrelevant": ("negative grades judged not relevant", "not relevant"),
        "unjudged": ("negative grades unjudged", "unjudged"),
    },
    "unjudged": {
        "nonrelevant": ("unjudged documents not relevant", "not relevant"),
        "drop": ("unjudged documents dropped", "dropped"),
    },
    "missing": {
        "zero": ("queries that the run lacks counted as 0", "counted as 0"),
        "skip": ("queries that the run lacks left out", "left out"),
    },
    "empty": {
        "skip": ("queries without a relevant document left out", "left out"),
        "zero": ("queries without a relevant document counted as 0", "counted as 0"),
        "one": ("queries without a relevant document counted as 1", "counted as 1"),
    },
    "strangers": {
        "left out": ("unjudged queries of the run left out", "left out"),
        "zero": ("unjudged queries of the run counted as 0", "counted as 0"),
    },
    "recall": {"R": ("recall divided by R", "R"), "min(k, R)": ("recall divided by min(k, R)", "min(k, R)")},
    "average_precision": {"R": ("AP divided by R", "R"), "min(k, R)": ("AP divided by min(k, R)", "min(k, R)")},
}
"""Clause -> value -> how it reads, in full and set against another value."""

NOUNS: Mapping[str, str] = {
    "gain": "{n} with grades other than 0 and 1",
    "ties": "{count} tied {queries}",
    "duplicates": "{n} with repeated documents",
    "self_hits": "{n} whose own id was retrieved",
    "float32_scores": "{n} with scores that 32 bits cannot tell apart",
    "conflicts": "{n} with conflicting grades",
    "negatives": "{n} with negative grades",
    "unjudged": "unjudged documents",
    "missing": "{n} that the run lacks",
    "empty": "{n} without a relevant document",
    "strangers": "{n} of the run without judgements",
    "depth": "the depth",
    "relevance_level": "the relevance level",
    "recall": "what recall is divided by",
    "average_precision": "what AP is divided by",
}
"""Clause -> what it is about, where it does not matter."""

PRESETS = ("trec_eval", "ir_measures", "ranx", "beir", "msmarco")
"""The constructors of Policy that have the choices of a tool."""


def difference(name: str, value: Any, base: Any, whose: str) -> str:
    """A clause, and what it is in the policy that the search started from.

    >>> difference("gain", "linear", "exponential", "samescore")
    'linear gain (samescore: 2^grade - 1)'
    """
    full, _ = words(name, value)
    _, against = words(name, base)
    return f"{full} ({whose}: {against})"


def words(name: str, value: Any) -> tuple[str, str]:
    """How a clause with a value reads, in full and set against another value."""
    if name in VALUES and value in VALUES[name]:
        return VALUES[name][value]
    if name == "depth":
        return ("whole rankings", "all") if value is None else (f"only the first {_documents(value)}", f"the first {value}")
    if name == "relevance_level":
        return f"relevant from grade {value}", f"from {value}"
    return f"{name} {value}", str(value)


def _documents(n: int) -> str:
    """``document``, ``10 documents``."""
    return "document" if n == 1 else f"{n} documents"


def noun(axis: Axis) -> str:
    """What a clause is about: ``6 tied queries``."""
    queries = "query" if axis.touched == 1 else "queries"
    return NOUNS[axis.name].format(n=f"{axis.touched} {queries}", count=axis.touched, queries=queries)


def as_code(policy: Policy) -> str:
    """A policy as one writes it: a preset, or the clauses that differ from the defaults.

    >>> as_code(Policy(gain="linear")), as_code(Policy.trec_eval())
    ("Policy(gain='linear')", 'Policy.trec_eval()')
    """
    own = {name: getattr(policy, name) for name in Policy.__dataclass_fields__}
    plain = f"Policy({', '.join(f'{n}={v!r}' for n, v in own.items() if v != getattr(Policy(), n))})"
    return next((code for code, preset in presets().items() if preset == policy), plain)


@cache
def presets() -> dict[str, Policy]:
    """The presets of Policy, as one writes them."""
    known = {f"Policy.{name}()": getattr(Policy, name)() for name in PRESETS if hasattr(Policy, name)}
    return {**known, "Policy.trec_eval(complete=True)": Policy.trec_eval(complete=True)}


def joined(parts: list[str]) -> str:
    """Parts of a sentence as a list in words."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def values(n: int) -> str:
    """``1 value``, ``2 values``."""
    return f"{n} value{'' if n == 1 else 's'}"
