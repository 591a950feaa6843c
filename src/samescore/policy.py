"""Policy: every choice that changes a score, in one frozen value, with presets and a line that says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from .clauses import Clause, printed
from .errors import PolicyError, nearest, short

if TYPE_CHECKING:
    from .measures import Measure, ParamValue

T = TypeVar("T")


def _clause(default: T, **wording: Any) -> T:
    """A field of the policy, and the fields of its :class:`Clause`."""
    return field(default=default, metadata={"clause": Clause(**wording)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How a run and its judgements become scores. Every field is a clause; all have a default.

    Parameters
    ----------
    ties : str
        How documents with equal scores are ordered.
    duplicates : str
        What counts of a document that a ranking holds twice: its best row, and whether the others leave their ranks; its last
        row, or each.
    empty : str
        What a judged query without a relevant document counts as.
    missing : str
        What a judged query with relevant documents counts as that the run lacks.
    gain : str
        The gain of nDCG and DCG: 2^grade - 1 [1]_ or the grade [2]_.
    negatives : str
        What a grade below 0 says of a document.
    unjudged : str
        Whether unjudged documents stay in a ranking or are dropped, which condenses it [3]_.
    conflicts : str
        Which grade counts of a document that is judged twice.
    relevance_level : int
        The lowest grade that is relevant to a binary measure, unless it says ``rel=``; nDCG never reads it.
    depth : int or None
        How many documents of a ranking count (trec_eval -M); None is all.
    self_hits : str
        Whether a document stays whose id is the query's.
    float32_scores : bool
        Whether scores are compared as 32-bit floats.

    Raises
    ------
    PolicyError
        For a value that a clause cannot have.

    References
    ----------
    .. [1] Burges et al. 2005, "Learning to rank using gradient descent", ICML.
    .. [2] Järvelin and Kekäläinen 2002, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20(4).
    .. [3] Sakai 2007, "Alternatives to Bpref", SIGIR.

    Examples
    --------
    >>> Policy(ties="input").ties
    'input'
    """

    ties: Literal["doc_id", "doc_id_ascending", "input", "error"] = _clause(
        "doc_id",
        says="ties {}",
        words={
            "doc_id": "ordered by document id, descending",
            "doc_id_ascending": "ordered by document id, ascending",
            "input": "in the order given",
            "error": "refused",
        },
        why="as in trec_eval, and an answer must not depend on input order",
        touches="{} with tied documents",
    )
    duplicates: Literal["first", "hold", "last", "error", "each"] = _clause(
        "first",
        short="dup",
        says="repeated documents {}",
        words={
            "first": "counted once, at their best rank",
            "hold": "counted once, and their repeats keep their ranks as unjudged rows",
            "last": "counted once, by their last row",
            "error": "refused",
            "each": "counted at each rank",
        },
        why="no double credit for what a retriever returns twice",
        touches="{} with repeated documents",
    )
    empty: Literal["skip", "zero", "one"] = _clause(
        "skip",
        says="queries without a relevant document {}",
        words={"skip": "left out", "zero": "counted as 0", "one": "counted as 1"},
        why="recall and nDCG are undefined there, and 0 or 1 shifts the mean",
        touches="{} without a relevant document",
    )
    missing: Literal["zero", "skip", "error"] = _clause(
        "zero",
        says="judged queries that the run lacks {}",
        words={"zero": "counted as 0", "skip": "left out", "error": "refused"},
        why="a retriever that fails on hard queries must not gain by it",
        touches="{} that the run lacks",
    )
    gain: Literal["exponential", "linear"] = _clause(
        "exponential",
        says="{} gain",
        words={"exponential": "2^grade - 1", "linear": "linear"},
        why="a highly relevant document is worth several that are barely so (Burges et al. 2005)",
        touches="{} with grades other than 0 and 1",
    )
    negatives: Literal["nonrelevant", "unjudged", "error"] = _clause(
        "nonrelevant",
        says="negative grades {}",
        words={"nonrelevant": "taken as not relevant", "unjudged": "taken as unjudged", "error": "refused"},
        why="a grade is a judgement, and a gain below 0 would be none; trec_eval takes them for unjudged",
        touches="{} with negative grades",
    )
    unjudged: Literal["nonrelevant", "drop"] = _clause(
        "nonrelevant",
        says="unjudged documents {}",
        words={"nonrelevant": "taken as not relevant", "drop": "dropped"},
        why="they take up ranks that a user reads",
        touches="unjudged documents",
    )
    conflicts: Literal["error", "max", "last"] = _clause(
        "error",
        says="different grades of one document {}",
        words={"error": "refused", "max": "settled by the highest", "last": "settled by the last"},
        why="nobody can know which was meant",
        touches="{} with conflicting grades",
    )
    relevance_level: int = _clause(
        1,
        short="rel",
        says="relevant {}",
        number="from grade {}",
        why="what a binary measure takes for relevant unless it says rel=; nDCG never reads it",
        touches="the relevance level",
    )
    depth: int | None = _clause(
        None,
        says="rankings {}",
        words={None: "uncut"},
        number="cut at rank {}",
        why="what was retrieved counts; trec_eval -M cuts",
        touches="the depth",
    )
    self_hits: Literal["keep", "drop"] = _clause(
        "keep",
        says="documents with the id of their query {}",
        words={"keep": "kept", "drop": "dropped"},
        why="ids of documents and queries are names of their own; BEIR drops them",
        touches="{} whose own id was retrieved",
    )
    float32_scores: bool = _clause(
        False,
        short="float32",
        says="scores compared as {}",
        words={False: "64-bit floats", True: "32-bit floats"},
        why="scores that differ are no tie; trec_eval 9 and pytrec_eval compare 32 bits",
        touches="{} with scores that 32 bits cannot tell apart",
    )

    def __post_init__(self) -> None:
        for name, clause in CLAUSES.items():
            object.__setattr__(self, name, clause.check(name, getattr(self, name)))

    def resolve(self, measure: Measure) -> Measure:
        """The measure with the policy's gain and relevance level where it names none of its own.

        ``gains`` stand for a gain, and ``max_rel`` of RBP for a level: grades then count as they are.

        Parameters
        ----------
        measure : Measure
            A measure as it was asked for.

        Returns
        -------
        Measure
            The same measure with all that its values depend on.

        Examples
        --------
        >>> from samescore import Measure
        >>> Policy().resolve(Measure("nDCG", 10)), Policy(relevance_level=2).resolve(Measure("RR"))
        (nDCG(dcg='exp-log2')@10, RR(rel=2))
        """
        return _resolved(measure, "exp-log2" if self.gain == "exponential" else "log2", self.relevance_level)

    @property
    def signature(self) -> str:
        """The policy as one line, which :meth:`parse` reads back.

        Examples
        --------
        >>> Policy.parse(Policy(gain="linear").signature) == Policy(gain="linear")
        True
        """
        return " | ".join(f"{clause.short or name}:{printed(getattr(self, name))}" for name, clause in CLAUSES.items())

    @classmethod
    def parse(cls, signature: str) -> Policy:
        """The policy that a signature names, of this library or of a result.

        Parameters
        ----------
        signature : str
            Clauses with ``|`` between, by the names that :attr:`signature` prints or those of the fields; clauses that are not
            named have their default.

        Returns
        -------
        Policy
            The policy with these clauses.

        Raises
        ------
        PolicyError
            For an unknown clause or value, and where no clause is named.

        Examples
        --------
        >>> Policy.parse("duplicates:last") == Policy.parse("dup:last") == Policy(duplicates="last")
        True
        """
        if not isinstance(signature, str):
            raise PolicyError(f"a signature is text, not {short(signature)}", hint=cls().signature)
        known = {name: field for field, clause in CLAUSES.items() for name in (field, clause.short or field)}
        given: dict[str, Any] = {}
        parts = signature.split("|")
        if parts[0].strip().startswith("samescore ") and parts[-1].strip().startswith("queries:"):
            parts = parts[1:-2]  # a result's signature: the version before, the backend and the number of queries after
        for part in parts:
            name, colon, value = part.strip().partition(":")
            if colon and name in known:
                if known[name] in given:
                    raise PolicyError(f"the clause {short(name)} stands twice in a signature", hint=cls().signature)
                given[known[name]] = CLAUSES[known[name]].read(value)
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
        """The choices of trec_eval: linear gain, negative grades unjudged, the mean over the queries of both sides.

        Parameters
        ----------
        complete : bool
            ``-c``: judged queries that the run lacks count as 0.
        relevance_level : int
            ``-l``: the lowest grade that is relevant.
        depth : int or None
            ``-M``: only the first n documents count; the ideal ranking is not cut.
        unjudged : str
            ``"drop"`` is ``-J``, after ``-M``.

        Returns
        -------
        Policy
            The policy with these choices.

        Notes
        -----
        Versions read: trec_eval 10.0, and 9.0.8 as pytrec_eval-terrier 0.5 has it. Version 9 orders by 32-bit scores:
        ``Policy.trec_eval().but(float32_scores=True)``. What the policy cannot express: trec_eval refuses a document that is
        judged twice, even alike, and cuts fractions off grades.

        Examples
        --------
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
        """The choices of ir_measures with its pytrec_eval provider: as trec_eval 9 -c, and the last of several rows counts.

        Scores are ordered as 32-bit floats; every judged query is averaged, as 0 where the run lacks it or nothing is
        relevant.

        Returns
        -------
        Policy
            The policy with these choices.

        Notes
        -----
        Versions read: ir_measures 0.4.3 with pytrec_eval-terrier 0.5.11. What the policy cannot express: asked for ``RR@k``,
        ir_measures turns to another provider, MS MARCO's, which orders 64-bit scores and puts ties in ascending order of ids,
        so that ``RR`` and ``RR@k`` come from two rankings:
        ``Policy.ir_measures().but(ties="doc_id_ascending", float32_scores=False)`` gives its ``RR@k``. What else pytrec_eval
        lacks (``ERR``, ``nDCG`` with ``exp-log2``, ``RBP`` ...) comes from further providers, each with an order of its own.

        Examples
        --------
        >>> Policy.ir_measures().float32_scores
        True
        """
        return cls.trec_eval(complete=True).but(duplicates="last", conflicts="last", float32_scores=True)

    @classmethod
    def ranx(cls) -> Policy:
        """The choices of ``ranx.evaluate``: its ``ndcg`` is linear, and run and qrels must have the same queries.

        A query without a relevant document counts as 0, and the last of several rows of a document counts. With its
        ``make_comparable=True`` it is ``Policy.ranx().but(missing="zero")``.

        Returns
        -------
        Policy
            The policy with these choices.

        Notes
        -----
        Version read: ranx 0.3.21. What the policy cannot express: ranx keeps ties in the order given only while a ranking is
        short (16 documents in today's numba) and leaves the order of longer ones to its sorting; it refuses queries of the run
        that are not judged, which are left out here; its ``Qrels`` cut fractions off grades; its ``-l2`` zeroes lower grades in
        ``ndcg`` too, and its ``rbp`` and ``bpref`` are other measures.

        Examples
        --------
        >>> Policy.ranx().ties
        'input'
        """
        return cls(ties="input", missing="error", empty="zero", duplicates="last", conflicts="last", gain="linear")

    @classmethod
    def beir(cls) -> Policy:
        """The choices of BEIR's ``EvaluateRetrieval.evaluate``, for its four measures: ``nDCG@k``, ``AP@k``, ``R@k``, ``P@k``.

        pytrec_eval computes them over the queries of both sides, once documents whose id is the query's are dropped. BEIR
        rounds its means to 5 decimals, as you must to compare.

        Returns
        -------
        Policy
            The policy with these choices.

        Notes
        -----
        Versions read: BEIR 2.0 to 2.2, and their history. What the policy cannot express: BEIR's custom measures (``mrr``,
        ``recall_cap``, ``hole``, ``top_k_accuracy``) keep ties in the order given, read 64-bit scores, keep the query's own id
        unless ``evaluate`` ran before, and average over all judged queries: ``Policy.beir().but(ties="input", missing="zero",
        float32_scores=False, self_hits="keep")``. Before version 1.0 ``recall_cap`` and ``hole`` were averaged over the queries of
        the run, and before 0.2.3 ``top_k_accuracy`` sorted by the second letter of ids. A query whose judgements are an empty
        mapping is left out there, and counts as 0 here.

        Examples
        --------
        >>> Policy.beir().self_hits
        'drop'
        """
        return cls.trec_eval().but(conflicts="last", self_hits="drop", float32_scores=True)

    @classmethod
    def msmarco(cls) -> Policy:
        """The choices of MS MARCO's evaluation script, for its one measure, ``RR@10``.

        The mean is over all queries with a relevant passage, 0 for those that the run lacks. The script reads ranks, not
        scores: give the run as lists in order or with a rank column; scores that tie are kept in the order given.

        Returns
        -------
        Policy
            The policy with these choices.

        Notes
        -----
        Version read: ``msmarco_eval.py`` as ir_measures 0.4.3 carries it. What the policy cannot express: the script takes
        every row of the qrels for relevant, whatever its grade, and of a passage that is ranked twice it warns and then counts
        both places; here that is refused.

        Examples
        --------
        >>> Policy.msmarco().missing
        'zero'
        """
        return cls(ties="input", missing="zero", empty="skip", duplicates="error", conflicts="max")

    def but(self, **clauses: Any) -> Policy:
        """The same policy but for the clauses given.

        Parameters
        ----------
        **clauses
            Values by the names of the fields.

        Returns
        -------
        Policy
            A policy of its own.

        Raises
        ------
        PolicyError
            For a clause or value that is unknown.

        Examples
        --------
        >>> Policy.trec_eval().but(depth=1000).depth
        1000
        """
        unknown = [name for name in clauses if name not in CLAUSES]
        if unknown:
            raise PolicyError(f"unknown clause {short(unknown[0])}", hint=nearest(unknown[0], CLAUSES))
        return replace(self, **clauses)


CLAUSES: Mapping[str, Clause] = {f.name: f.metadata["clause"] for f in fields(Policy)}
"""Field -> what is said of it, in the order of a signature."""

STEPS = (
    "conflicts", "negatives", "float32_scores", "ties", "self_hits", "duplicates", "depth", "unjudged", "gain", "relevance_level",
    "missing", "empty",
)  # fmt: skip
"""The clauses in the order in which they act, in which a walk from one policy to another takes them."""


def check_policy(policy: object) -> None:
    """Raise PolicyError for what is no policy."""
    if not isinstance(policy, Policy):
        raise PolicyError(f"the policy is {short(policy)}", hint="policy=Policy() or Policy.trec_eval()")


def reasons() -> dict[str, str]:
    """For each clause, what its default does and why.

    >>> reasons()["self_hits"]
    'Documents with the id of their query kept: ids of documents and queries are names of their own; BEIR drops them.'
    """
    default = Policy()
    sentences = {name: f"{clause.sentence(getattr(default, name))}: {clause.why}." for name, clause in CLAUSES.items()}
    return {name: sentence[0].upper() + sentence[1:] for name, sentence in sentences.items()}


def treatment(policy: Policy, name: str) -> str:
    """How a policy treats what a clause is about, in words.

    >>> treatment(Policy(missing="skip"), "missing")
    'left out'
    """
    return CLAUSES[name].word(getattr(policy, name))


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


PRESETS = ("trec_eval", "ir_measures", "ranx", "beir", "msmarco")
"""The constructors of Policy that have the choices of a tool."""


def as_code(policy: Policy) -> str:
    """A policy as one writes it: a preset, or the clauses that differ from the defaults.

    >>> as_code(Policy(gain="linear")), as_code(Policy.trec_eval())
    ("Policy(gain='linear')", 'Policy.trec_eval()')
    """
    default = Policy()
    differing = [name for name in CLAUSES if getattr(policy, name) != getattr(default, name)]
    plain = f"Policy({', '.join(f'{name}={getattr(policy, name)!r}' for name in differing)})"
    return next((code for code, preset in presets().items() if preset == policy), plain)


@cache
def presets() -> dict[str, Policy]:
    """The presets of Policy, as one writes them."""
    known = {f"Policy.{name}()": getattr(Policy, name)() for name in PRESETS}
    return {**known, "Policy.trec_eval(complete=True)": Policy.trec_eval(complete=True)}
