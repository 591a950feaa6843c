"""Tools: the policies under which each may have been run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..measures import Measure
from ..policy import Policy
from ..reporting import Printed, Reported, meaning


def policies(tool: str, signature: str) -> Sequence[Policy]:
    """The policies that a tool may have had, the likeliest first; ``signature`` is that of a result of samescore."""
    if signature:
        return [Policy.parse(signature)]
    return POLICIES[tool]()


def _trec_eval() -> Sequence[Policy]:
    """trec_eval 10, without and with -c, and the versions before it, which order by 32-bit scores."""
    return [Policy.trec_eval(complete=c).but(float32_scores=f) for f in (False, True) for c in (False, True)]


def _ranx() -> Sequence[Policy]:
    """ranx, and with ``make_comparable=True``, by which queries that the run lacks count as 0."""
    return [Policy.ranx(), Policy.ranx().but(missing="zero")]


def _beir() -> Sequence[Policy]:
    """BEIR, and as before it dropped documents with the id of their query."""
    return [Policy.beir(), Policy.beir().but(self_hits="keep")]


POLICIES: Mapping[str, Callable[[], Sequence[Policy]]] = {
    "samescore": lambda: [Policy()],
    "trec_eval": _trec_eval,
    "ir_measures": lambda: [Policy.ir_measures()],
    "ranx": _ranx,
    "beir": _beir,
}
"""Tool -> its policies."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Measures that a tool computes by other code than the rest: the clauses that this has otherwise, and its decimals."""

    measures: Callable[[Measure], bool]
    clauses: Mapping[str, Any] = field(default_factory=dict)
    decimals: int | None = None


_AS_GIVEN = {"ties": "input", "float32_scores": False}
_CWL_EVAL = ("RBP", "INST", "INSQ", "BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11")

ELSEWHERE: Mapping[str, Sequence[Elsewhere]] = {
    "ir_measures": (
        Elsewhere(lambda m: m.name == "RR" and m.cutoff is not None, {"ties": "doc_id_ascending", "float32_scores": False}),
        Elsewhere(lambda m: m.name in _CWL_EVAL, _AS_GIVEN),
        Elsewhere(lambda m: m.name == "ERR" or m.get("dcg") == "exp-log2", {"float32_scores": False}, decimals=5),
    ),
    "beir": (
        Elsewhere(lambda m: m.name == "RR", {**_AS_GIVEN, "missing": "zero", "self_hits": "keep"}),
        Elsewhere(lambda m: m.name == "R_cap", {**_AS_GIVEN, "self_hits": "keep"}),
    ),
}
"""Tool -> what it computes elsewhere: ir_measures by MS MARCO's script, cwl_eval and gdeval; BEIR by its custom measures."""


def elsewhere(measure: Measure, tool: str) -> Elsewhere | None:
    """How a tool computes a measure, if otherwise than the rest."""
    return next((other for other in ELSEWHERE.get(tool, ()) if other.measures(measure)), None)


def own_policy(measure: Measure, tool: str, policy: Policy) -> Policy:
    """The policy by which a tool computes one measure."""
    other = elsewhere(measure, tool)
    return policy.but(**other.clauses) if other else policy


def as_printed(report: Reported) -> Reported:
    """A report with the decimals that some code of its tool rounds to, whatever is printed after them."""
    known = {name: meaning(name, report.tool) for name in report.names}
    others = {name: elsewhere(m, report.tool) for name, m in known.items() if m is not None}
    coarse = {name: other.decimals for name, other in others.items() if other and other.decimals}
    means = {name: _rounded(printed, coarse.get(name)) for name, printed in report.means.items()}
    per_query = {name: {q: _rounded(p, coarse.get(name)) for q, p in row.items()} for name, row in report.per_query.items()}
    return replace(report, means=means, per_query=per_query)


def _rounded(printed: Printed, decimals: int | None) -> Printed:
    """A number that was rounded before it was printed."""
    return printed if decimals is None else Printed(printed.value, min(decimals, printed.decimals or decimals))
