"""Policy: every choice that changes a score, in one frozen value, with presets and a line that says it."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from itertools import pairwise
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, get_args, get_type_hints

from .errors import PolicyError, nearest, short

if TYPE_CHECKING:
    from .measures import Measure, ParamValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How a run and its judgements become scores. Every field is a clause; all have a default.

    Raises PolicyError for a value that a clause cannot have.

    >>> Policy(ties="input").ties
    'input'
    """

    ties: Literal["doc_id", "doc_id_ascending", "input", "error"] = "doc_id"
    """Equal scores are ordered by document id, descending as in trec_eval: an answer must not depend on input order."""
    duplicates: Literal["first", "last", "error", "each"] = "first"
    """A document that a ranking holds twice counts once, at its best rank: no double credit. ``"last"``: by its last row."""
    empty: Literal["skip", "zero", "one"] = "skip"
    """A query without a relevant document is left out: recall and nDCG are undefined there, and 0 or 1 shifts the mean."""
    missing: Literal["zero", "skip", "error"] = "zero"
    """A judged query that the run lacks scores 0: a retriever that fails on hard queries must not gain by it."""
    gain: Literal["exponential", "linear"] = "exponential"
    """The gain of nDCG and DCG: 2^grade - 1 (Burges et al. 2005) or the grade (Jarvelin and Kekalainen 2002)."""
    negatives: Literal["nonrelevant", "unjudged", "error"] = "nonrelevant"
    """A grade below 0 is judged and has gain 0; trec_eval takes it for unjudged."""
    unjudged: Literal["nonrelevant", "drop"] = "nonrelevant"
    """Unjudged documents stay in the ranking as not relevant; dropping them condenses it to judged ones."""
    conflicts: Literal["error", "max", "last"] = "error"
    """One document judged twice with different grades is refused: nobody can know which was meant."""
    relevance_level: int = 1
    """The lowest grade that is relevant to a binary measure, unless it says ``rel=``; nDCG never reads it."""
    depth: int | None = None
    """Only the first n documents of a ranking count (trec_eval -M); None is all of them."""
    self_hits: Literal["keep", "drop"] = "keep"
    """A document whose id is the query's own stays; BEIR drops it."""
    float32_scores: bool = False
    """Scores are ordered as the 64-bit floats they are; trec_eval 9 and pytrec_eval order by 32-bit floats."""

    def __post_init__(self) -> None:
        for name, allowed in _allowed().items():
            value = getattr(self, name)
            if name in ("relevance_level", "depth"):
                if value is not None or name == "relevance_level":
                    object.__setattr__(self, name, _whole(name, value))
            elif name == "float32_scores":
                if not isinstance(value, bool):
                    raise PolicyError(f"{name} is True or False, not {short(value)}")
            elif not isinstance(value, str) or value not in allowed:
                raise PolicyError(f"{name} cannot be {short(value)}", hint=", ".join(map(repr, allowed)))

    def resolve(self, measure: Measure) -> Measure:
        """The measure with the policy's gain and relevance level where it names none of its own.

        ``gains`` stand for a gain, and ``max_rel`` of RBP for a level: grades then count as they are.

        >>> from samescore import Measure
        >>> Policy().resolve(Measure("nDCG", 10)), Policy(relevance_level=2).resolve(Measure("RR"))
        (nDCG(dcg='exp-log2')@10, RR(rel=2))
        """
        return _resolved(measure, "exp-log2" if self.gain == "exponential" else "log2", self.relevance_level)

    @property
    def signature(self) -> str:
        """The policy as one line, which :meth:`parse` reads back.

        >>> Policy.parse(Policy(gain="linear").signature) == Policy(gain="linear")
        True
        """
        return " | ".join(f"{_SHORT.get(f.name, f.name)}:{_printed(getattr(self, f.name))}" for f in fields(self))

    @classmethod
    def parse(cls, signature: str) -> Policy:
        """The policy that a signature names, of this library or of a result; clauses not named have their default.

        A clause may go by the name of its field too. Raises PolicyError for an unknown clause or value, and for none.

        >>> Policy.parse("duplicates:last") == Policy.parse("dup:last") == Policy(duplicates="last")
        True
        """
        if not isinstance(signature, str):
            raise PolicyError(f"a signature is text, not {short(signature)}", hint=cls().signature)
        known = {name: f.name for f in fields(cls) for name in (f.name, _SHORT.get(f.name, f.name))}
        given: dict[str, Any] = {}
        parts = signature.split("|")
        if parts[0].strip().startswith("samescore ") and parts[-1].strip().startswith("queries:"):
            parts = parts[1:-2]  # a result's signature: the version before, the backend and the number of queries after
        for part in parts:
            name, colon, value = part.strip().partition(":")
            if colon and name in known:
                if known[name] in given:
                    raise PolicyError(f"the clause {short(name)} stands twice in a signature", hint=cls().signature)
                given[known[name]] = _READ.get(value, int(value) if _DIGITS.fullmatch(value) else value)
            elif name in known:
                raise PolicyError(f"the clause {short(name)} has no value in a signature", hint=cls().signature)
            elif part.strip():
                raise PolicyError(f"unknown clause {short(name)} in a signature", hint=nearest(name, known))
        if not given:
            raise PolicyError(f"no clause of a policy in {short(signature)}", hint=cls().signature)
        return cls(**given)

    @classmethod
    def trec_eval(
        cls,
        *,
        complete: bool = False,
        relevance_level: int = 1,
        depth: int | None = None,
        unjudged: Literal["nonrelevant", "drop"] = "nonrelevant",
    ) -> Policy:
        """The choices of trec_eval 10: linear gain, negative grades unjudged, the mean over the queries of both sides.

        ``complete=True`` is its ``-c``: judged queries that the run lacks count as 0. ``relevance_level=2`` is ``-l 2``,
        ``depth=1000`` is ``-M 1000`` (the ideal ranking is not cut), ``unjudged="drop"`` is ``-J`` (after ``-M``).
        trec_eval 9 orders by 32-bit scores: ``Policy.trec_eval().but(float32_scores=True)``. What it cannot express:
        trec_eval refuses a document that is judged twice, even alike, and cuts fractions off grades.

        >>> Policy.trec_eval(complete=True, depth=1000).missing
        'zero'
        """
        return cls(
            missing="zero" if complete else "skip",
            empty="zero",
            duplicates="error",
            gain="linear",
            negatives="unjudged",
            relevance_level=relevance_level,
            depth=depth,
            unjudged=unjudged,
        )

    @classmethod
    def ir_measures(cls) -> Policy:
        """The choices of ir_measures 0.4 with its pytrec_eval provider: as trec_eval 9 -c, and the last of several rows counts.

        Scores are ordered as 32-bit floats; every judged query is averaged, as 0 where the run lacks it or nothing is
        relevant. What it cannot express: asked for ``RR@k``, ir_measures turns to another provider, MS MARCO's, which orders
        64-bit scores and puts ties in ascending order of ids, so that ``RR`` and ``RR@k`` come from two rankings:
        ``Policy.ir_measures().but(ties="doc_id_ascending", float32_scores=False)`` gives its ``RR@k``. What else pytrec_eval
        lacks (``ERR``, ``nDCG`` with ``exp-log2``, ``RBP`` ...) comes from further providers, each with an order of its own.

        >>> Policy.ir_measures().float32_scores
        True
        """
        return cls(
            missing="zero",
            empty="zero",
            duplicates="last",
            conflicts="last",
            gain="linear",
            negatives="unjudged",
            float32_scores=True,
        )

    @classmethod
    def ranx(cls) -> Policy:
        """The choices of ``ranx.evaluate`` 0.3: its ``ndcg`` is linear, and run and qrels must have the same queries.

        A query without a relevant document counts as 0, and the last of several rows of a document counts. With its
        ``make_comparable=True`` it is ``Policy.ranx().but(missing="zero")``. What it cannot express: ranx keeps ties in the order
        given only while a ranking is short (16 documents in today's numba) and leaves the order of longer ones to its sorting; it
        refuses queries of the run that are not judged, which are left out here; its ``Qrels`` cut fractions off grades; its
        ``-l2`` zeroes lower grades in ``ndcg`` too, and its ``rbp`` and ``bpref`` are other measures.

        >>> Policy.ranx().ties
        'input'
        """
        return cls(ties="input", missing="error", empty="zero", duplicates="last", conflicts="last", gain="linear")

    @classmethod
    def beir(cls) -> Policy:
        """The choices of BEIR's ``EvaluateRetrieval.evaluate``, for its four measures: ``nDCG@k``, ``AP@k``, ``R@k``, ``P@k``.

        pytrec_eval computes them over the queries of both sides, once documents whose id is the query's are dropped. BEIR
        rounds its means to 5 decimals, as you must to compare. What it cannot express: BEIR's custom measures keep ties in the
        order given, read 64-bit scores, keep the query's own id unless ``evaluate`` ran before, and average over all judged
        queries (``mrr``) or all queries of the run (``recall_cap``, ``hole``); its ``top_k_accuracy`` sorts by the second letter
        of ids. A query whose judgements are an empty mapping is left out there, and counts as 0 here.

        >>> Policy.beir().self_hits
        'drop'
        """
        return cls(
            missing="skip",
            empty="zero",
            duplicates="error",
            conflicts="last",
            gain="linear",
            negatives="unjudged",
            self_hits="drop",
            float32_scores=True,
        )

    @classmethod
    def msmarco(cls) -> Policy:
        """The choices of MS MARCO's evaluation script, for its one measure, ``RR@10``.

        The mean is over all queries with a relevant passage, 0 for those that the run lacks. The script reads ranks, not
        scores: give the run as lists in order or with a rank column; scores that tie are kept in the order given. What it
        cannot express: the script takes every row of the qrels for relevant, whatever its grade, and of a passage that is
        ranked twice it warns and then counts both places; here that is refused.

        >>> Policy.msmarco().missing
        'zero'
        """
        return cls(ties="input", missing="zero", empty="skip", duplicates="error", conflicts="max")

    def but(self, **clauses: Any) -> Policy:
        """The same policy but for the clauses given.

        >>> Policy.trec_eval().but(depth=1000).depth
        1000
        """
        unknown = [name for name in clauses if name not in {f.name for f in fields(self)}]
        if unknown:
            raise PolicyError(f"unknown clause {short(unknown[0])}", hint=nearest(unknown[0], [f.name for f in fields(self)]))
        return replace(self, **clauses)


@cache
def reasons() -> dict[str, str]:
    """The line below each clause, which says what its default does and why; empty where the source is not at hand.

    >>> reasons()["gain"].partition(":")[0]
    'The gain of nDCG and DCG'
    """
    try:
        tree = ast.parse(inspect.getsource(inspect.getmodule(Policy) or Policy))
    except OSError:
        return {}
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Policy")
    return {
        clause.target.id: line.value.value
        for clause, line in pairwise(body)
        if isinstance(clause, ast.AnnAssign) and isinstance(clause.target, ast.Name)
        and isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)
    }  # fmt: skip


@lru_cache(maxsize=1024)
def _resolved(measure: Measure, dcg: str, relevance_level: int) -> Measure:
    """The measure with a gain and a relevance level where it names none of its own."""
    of_policy: dict[str, ParamValue] = {"gain": dcg, "relevance_level": relevance_level}
    filled: dict[str, ParamValue] = {}
    for name, param in measure.entry.params.items():
        given_otherwise = param.unless and measure.get(param.unless) is not None
        if param.filled_by and measure.get(name) is None and not given_otherwise:
            filled[name] = of_policy[param.filled_by]
    return measure.with_params(**filled) if filled else measure


@cache
def _allowed() -> dict[str, tuple[object, ...]]:
    """The values that each clause may have, read off the annotations."""
    return {name: get_args(hint) for name, hint in get_type_hints(Policy).items()}


_DIGITS = re.compile(r"[0-9]{1,19}")

_SHORT = {"duplicates": "dup", "relevance_level": "rel", "float32_scores": "float32"}

_READ: dict[str, Any] = {"all": None, "yes": True, "no": False}


def _printed(value: object) -> str:
    """A clause's value in a signature."""
    return next((text for text, meant in _READ.items() if value is meant), str(value))


def _whole(name: str, value: object) -> int:
    """A whole number from 1 to 2^53, the largest grade, as an int; numpy's too."""
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < 1:
        raise PolicyError(f"{name} is a whole number of at least 1, not {short(value)}")
    if int(value) > 2**53:
        raise PolicyError(f"{name} is at most 2^53, not {short(value)}")
    return int(value)


PRESETS = ("trec_eval", "ir_measures", "ranx", "beir", "msmarco")
"""The constructors of Policy that have the choices of a tool."""


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
