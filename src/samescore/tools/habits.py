"""Habits of tools: the policies that each has when it prints a number, and what it computes by other code than the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..measures import Measure
from ..measures.names import OTHERS
from ..policy import Policy


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Measures that a tool computes by other code than the rest: the clauses that this has otherwise, and its decimals."""

    measures: Callable[[Measure], bool]
    clauses: Mapping[str, Any] = field(default_factory=dict)
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class Habits:
    """The policies that a tool may have had, the likeliest first, and what it computes elsewhere."""

    policies: Sequence[Policy]
    elsewhere: Sequence[Elsewhere] = ()

    def of(self, measure: Measure) -> Elsewhere | None:
        """How the tool computes a measure, if by other code than the rest."""
        return next((other for other in self.elsewhere if other.measures(measure)), None)


_AS_GIVEN = {"ties": "input", "float32_scores": False}

_CWL_EVAL = ("RBP", "INST", "INSQ", "BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11")

_OF_TREC_EVAL = Habits([Policy.trec_eval(complete=c).but(float32_scores=old) for old in (False, True) for c in (False, True)])
"""trec_eval 10, without and with -c, and the versions before it, which order by 32-bit scores."""

_LISTS = Policy(ties="input", missing="zero", empty="zero")
"""Tools that get a list for each query, in order: those without a relevant document count as 0."""

_ROWS = _LISTS.but(empty="one")

HABITS: Mapping[str, Habits] = {
    **{tool: Habits([_LISTS, _LISTS.but(empty="skip")]) for tool in OTHERS},
    # mteb 2 keeps documents with the id of their query by default, mteb 1 dropped them
    "mteb": Habits(
        [Policy.beir().but(self_hits="keep"), Policy.beir()],
        [Elsewhere(lambda m: m.name == "RR", {"float32_scores": False})],
    ),
    "sentence_transformers": Habits([Policy(ties="doc_id_ascending", empty="skip"), Policy(ties="input", empty="skip")]),
    **{tool: Habits([_ROWS, _LISTS]) for tool in ("lightgbm", "xgboost")},
    "gdeval": Habits([Policy.trec_eval().but(gain="exponential", missing=m, empty="skip") for m in ("skip", "zero")]),
    "msmarco": Habits([Policy.msmarco()]),
    "samescore": Habits([Policy()]),
    **dict.fromkeys(("trec_eval", "pytrec_eval"), _OF_TREC_EVAL),
    # MS MARCO's script, cwl_eval and gdeval compute some of its measures
    "ir_measures": Habits(
        [Policy.ir_measures()],
        [
            Elsewhere(lambda m: m.name == "RR" and m.cutoff is not None, {"ties": "doc_id_ascending", "float32_scores": False}),
            Elsewhere(lambda m: m.name in _CWL_EVAL, _AS_GIVEN),
            Elsewhere(lambda m: m.name == "ERR" or m.get("dcg") == "exp-log2", {"float32_scores": False}, decimals=5),
        ],
    ),
    # with make_comparable=True queries that the run lacks count as 0
    "ranx": Habits([Policy.ranx(), Policy.ranx().but(missing="zero")]),
    # as it is, and as before it dropped documents with the id of their query; its custom measures are computed otherwise
    "beir": Habits(
        [Policy.beir(), Policy.beir().but(self_hits="keep")],
        [
            Elsewhere(lambda m: m.name == "RR", {**_AS_GIVEN, "missing": "zero", "self_hits": "keep"}),
            Elsewhere(lambda m: m.name in ("R_cap", "Success"), {**_AS_GIVEN, "missing": "zero", "self_hits": "keep"}),
        ],
    ),
}
"""Tool -> its habits."""
