"""The one table of measure names: for each tool its names, and the measure of the catalogue that each means there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple

from .catalogue import CATALOGUE, ParamValue
from .measure import Measure

Names = Mapping[str, str]
"""A name, or a pattern of names -> the measure that it means, with the parameters that it implies."""

Table = Literal["names", "earlier", "version"]
"""The tables that each tool has."""


@dataclass(frozen=True, slots=True)
class Otherwise:
    """A measure that a tool computes in another way than the catalogue: how, and the parameter with which it does not."""

    how: str
    unless: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """The names that one tool has for measures.

    A name in ``names`` may hold numbers, which stand in braces: ``P_{cutoff}`` has a cutoff, ``iprec_at_recall_{recall}`` the
    parameter ``recall`` of its measure. Of several names for one measure the first is the one to print.

    ``source`` is what was read to know them. ``gain`` is that of nDCG and DCG where the name has none. ``any_case``: capital
    letters do not matter. ``lacking`` tells, for the beginning of a name, why it is no measure of the catalogue; ``otherwise``,
    for a measure of the catalogue, how the tool computes another under its name. ``earlier`` are the names of earlier versions,
    as the later ones have them, and ``version`` tells of names whose values depend on the version which one the catalogue has.
    """

    source: str
    names: Names
    gain: str = ""
    any_case: bool = False
    lacking: Mapping[str, str] = field(default_factory=dict)
    otherwise: Mapping[str, Otherwise] = field(default_factory=dict)
    earlier: Mapping[str, str] = field(default_factory=dict)
    version: Mapping[str, str] = field(default_factory=dict)


def _ending(names: Names, *endings: str) -> Names:
    """Names with each of some endings."""
    return {f"{name}{ending}": measure for ending in endings for name, measure in names.items()}


_EXPONENTIAL = {"ndcg_burges": "nDCG(dcg='exp-log2')", "dcg_burges": "DCG(dcg='exp-log2')"}

_HOLE = "Unjudged@k; BEIR's hole@k takes a document for judged that any query judges"

PLAIN = Tool(
    source="samescore's own: plain words in any case and with - for _, among them ir_measures' aliases and those of ndeval",
    names={
        **{entry.family: entry.name for entry in CATALOGUE.values()},
        **{name.lower(): name for name in CATALOGUE if name != "Accuracy"},
        **dict.fromkeys(("reciprocal_rank", "mean_reciprocal_rank"), "RR"),
        **dict.fromkeys(("average_precision", "mean_average_precision"), "AP"),
        **dict.fromkeys(("hitrate", "hit_ratio", "hit", "hr", "top_k_accuracy"), "Success"),
        "capped_recall": "R_cap",
        "normalized_discounted_cumulative_gain": "nDCG",
        "discounted_cumulative_gain": "DCG",
        "expected_reciprocal_rank": "ERR",
        "rank_biased_precision": "RBP",
        **dict.fromkeys(("normalized_cumulative_gain", "normalized_cg"), "NCG"),
        "cumulative_gain": "CG",
        "map@r": "MAP_R",
        "context_precision": "AP(norm='hits')",
        "complete_recall": "Complete",
        "rbp{p}": "RBP",
        "setrelp": "SetP(relative=True)",
        "numrelret": "NumRet(rel=1)",
        "α_dcg": "alpha_DCG",
        "α_ndcg": "alpha_nDCG",
        **_EXPONENTIAL,
    },
    lacking={
        "accuracy": "Success@k, which BEIR and sentence-transformers call accuracy@k, or Accuracy@k, the measure of ir_measures",
        "hole": _HOLE,
    },
)

_OF_TREC_EVAL = (
    "runid", "relstring", "gm_map", "gm_bpref", "Rprec_mult", "utility", "binG", "G", "ideal_dcg", "ndcg_rel", "Rndcg",
    "num_nonrel_judged_ret", "yaap", "rbp", "rbp_resid",
)  # fmt: skip

TREC_EVAL = Tool(
    source="trec_eval 8.1, 9.0.8 and 10.0, m_*.c; pytrec_eval has the names of 9",
    names={
        "map": "AP",
        "map_cut_{cutoff}": "AP",
        "P_{cutoff}": "P",
        "recall_{cutoff}": "R",
        "success_{cutoff}": "Success",
        "relative_P_{cutoff}": "R_cap",
        "Rprec": "Rprec",
        "recip_rank": "RR",
        "bpref": "Bpref",
        "infAP": "infAP",
        "ndcg": "nDCG",
        "ndcg_cut_{cutoff}": "nDCG",
        "dcg": "DCG",
        "iprec_at_recall_{recall}": "IPrec",
        "11pt_avg": "11pt",
        "set_P": "SetP",
        "set_relative_P": "SetP(relative=True)",
        "set_recall": "SetR",
        "set_map": "SetAP",
        "set_F": "SetF",
        "set_F_{beta}": "SetF",
        "unj_{cutoff}": "Unjudged",
        "num_q": "NumQ",
        "num_ret": "NumRet",
        "num_rel": "NumRel",
        "num_rel_ret": "NumHits",
    },
    gain="log2",
    lacking={
        **{name: f"samescore trec_eval -m {name}" for name in _OF_TREC_EVAL},
        **dict.fromkeys(("gmap", "GMAP"), "samescore trec_eval -m gm_map"),
    },
    earlier={
        "R-prec": "Rprec",
        "gm_ap": "gm_map",
        "exact_prec": "set_P",
        "exact_recall": "set_recall",
        "11-pt_avg": "11pt_avg",
        "P{cutoff}": "P_{cutoff}",
        "recall{cutoff}": "recall_{cutoff}",
        "ircl_prn.{recall}": "iprec_at_recall_{recall}",
    },
    version={"iprec_at_recall_{recall}": "9", "11pt_avg": "9", "unj_{cutoff}": "10"},
)

TREC_EVAL_OPTIONS = Tool(
    source="what trec_eval's -m takes: a number stands after a dot",
    names={name.replace("_{", ".{"): measure for name, measure in TREC_EVAL.names.items()},
    gain="log2",
)

_NOT_OF_IR_MEASURES = (
    "F1", "R_cap", "Hits", "NumHits", "11pt", "DCG", "RBP_residual", "nERR", "Unjudged",
    "MAP_R", "Complete", "AUC", "NCG", "CG", "Q_measure",
)  # fmt: skip

TOOLS: Mapping[str, Tool] = {
    "samescore": PLAIN,
    "ir_measures": Tool(
        source="ir_measures 0.4.3, measures/; parameters stand in parentheses, as samescore writes them",
        names=_ending({name: name for name in CATALOGUE if name not in _NOT_OF_IR_MEASURES}, "", "@{cutoff}"),
        gain="log2",
        otherwise={"RBP": Otherwise("takes raw grades as gains", unless="rel")},
    ),
    "trec_eval": TREC_EVAL,
    "ranx": Tool(
        source="ranx 0.3.21, metrics/__init__.py and meta/evaluate.py",
        names=_ending(
            {
                "hits": "Hits",
                "hit_rate": "Success",
                "precision": "P",
                "recall": "R",
                "f1": "F1",
                "r-precision": "Rprec",
                "mrr": "RR",
                "map": "AP",
                "ndcg": "nDCG",
                "dcg": "DCG",
                "bpref": "Bpref",
                "rbp{p}": "RBP",
                **_EXPONENTIAL,
            },
            *("", "@{cutoff}", "-l{rel}", "@{cutoff}-l{rel}"),
        ),
        gain="log2",
        otherwise={"RBP": Otherwise("takes raw grades as gains"), "Bpref": Otherwise("divides otherwise")},
    ),
    "beir": Tool(
        source="BEIR 2.0, retrieval/evaluation.py and custom_metrics.py, and mteb, which follows it",
        names={
            **_ending(
                {"NDCG": "nDCG", "MAP": "AP", "Recall": "R", "P": "P", "Precision": "P", "MRR": "RR", "R_cap": "R_cap"},
                *("@{cutoff}", ""),
            ),
            **_ending({"ndcg": "nDCG", "map": "AP", "recall": "R", "precision": "P", "mrr": "RR"}, "_at_{cutoff}"),
        },
        gain="log2",
        any_case=True,
        lacking={
            "hole": _HOLE,
            **dict.fromkeys(("accuracy", "top_k_accuracy"), "Success@k; BEIR's Accuracy@k orders by the second letter of ids"),
        },
    ),
}
"""Tool -> its names; ``samescore`` are the plain words, which have the gain of the policy."""

GUESSED = ("ir_measures", "trec_eval", "ranx", "beir")
"""The tools that names alone may tell, the likeliest first where they tell several."""


class Number(NamedTuple):
    """A number in a name: its form, how it is read and how it is printed."""

    form: str
    read: Callable[[str], ParamValue]
    printed: Callable[[Any], str]


NUMBERS: Mapping[str, Number] = {
    "cutoff": Number("[0-9]{1,4000}", int, str),
    "rel": Number("[0-9]{1,4000}", int, str),
    "recall": Number(r"[0-9]+(?:\.[0-9]+)?", float, "{:.2f}".format),
    "beta": Number(r"[0-9]+(?:\.[0-9]+)?", float, lambda beta: repr(beta).removesuffix(".0")),
    "p": Number(r"\.[0-9]+", float, lambda p: f"{p:g}".removeprefix("0")),
}
"""The numbers that a name may hold."""

_PARAMETERS = r"((_at_|[_.@])(p=)?[-0-9].*)?"
"""What may follow a name: a cutoff, numbers, gains of grades."""

_BRACES = re.compile(r"\{(\w+)\}")


class Meaning(NamedTuple):
    """A measure of the catalogue, with the cutoff and the parameters that a name implies."""

    name: str
    values: Mapping[str, ParamValue] = {}


@cache
def _patterns(tool: Tool, table: Table = "names") -> Sequence[tuple[re.Pattern[str], str]]:
    """A regular expression for each name of a tool, and what the name stands for."""
    flags = re.IGNORECASE if tool.any_case else 0
    return [(re.compile(_expression(name), flags), stands_for) for name, stands_for in getattr(tool, table).items()]


def _expression(name: str) -> str:
    """The regular expression of a name, in which each number is a group."""
    parts = _BRACES.split(name)
    return "".join(f"(?P<{part}>{NUMBERS[part].form})" if i % 2 else re.escape(part) for i, part in enumerate(parts))


def _filled(name: str, values: Mapping[str, Any]) -> str:
    """A name with its numbers."""
    return _BRACES.sub(lambda braces: NUMBERS[braces[1]].printed(values[braces[1]]), name)


def _look_up(name: str, tool: Tool, table: Table = "names") -> tuple[str, dict[str, ParamValue]] | None:
    """What a table of a tool has for a name, and the numbers in the name; None where it has nothing."""
    for pattern, stands_for in _patterns(tool, table):
        if match := pattern.fullmatch(name):
            return stands_for, {number: NUMBERS[number].read(text) for number, text in match.groupdict().items()}
    return None


@cache
def _meaning(measure: str) -> Meaning:
    """A measure of the table as its name in the catalogue and its parameters."""
    name, _, inside = measure.rstrip(")").partition("(")
    param, _, value = inside.partition("=")
    words: Mapping[str, ParamValue] = {"True": True, "1": 1}
    return Meaning(name, {param: words.get(value, value.strip("'"))} if param else {})


def known(name: str, tool: Tool) -> Meaning | None:
    """What a name means in a tool, the gain left open; None where the table of the tool lacks it.

    >>> known("ndcg_cut_10", TREC_EVAL)
    Meaning(name='nDCG', values={'cutoff': 10})
    """
    if entry := _look_up(name, tool):
        base = _meaning(entry[0])
        return Meaning(base.name, {**base.values, **entry[1]})
    return None


def instead(name: str, tool: Tool) -> str | None:
    """What to write instead of a name of a tool that is no measure of the catalogue; None where the table does not say."""
    flags = re.IGNORECASE if tool.any_case else 0
    return next((hint for stem, hint in tool.lacking.items() if re.fullmatch(stem + _PARAMETERS, name, flags)), None)


def current(name: str, tool: Tool = TREC_EVAL) -> str:
    """The name that the latest version of a tool has for a measure that an earlier one may have named.

    >>> current("R-prec"), current("P10"), current("ircl_prn.0.10")
    ('Rprec', 'P_10', 'iprec_at_recall_0.10')
    """
    entry = _look_up(name, tool, "earlier")
    return _filled(*entry) if entry else name


def version(name: str, tool: Tool = TREC_EVAL) -> str:
    """The one version of a tool whose value the catalogue has for a name; empty where all have the same."""
    entry = _look_up(current(name, tool), tool, "version")
    return entry[0] if entry else ""


def name_of(measure: Measure, tool: Tool) -> str | None:
    """The name that a tool has for a measure, with all its parameters; None where the table of the tool has none.

    >>> from samescore import parse
    >>> name_of(parse("P@5"), TREC_EVAL), name_of(parse("nDCG(dcg='log2')@10"), TOOLS["beir"]), name_of(parse("ERR"), TREC_EVAL)
    ('P_5', 'NDCG@10', None)
    """
    values: dict[str, ParamValue] = {name: value for name, value in measure.params if (name, value) != ("dcg", tool.gain)}
    values |= {} if measure.cutoff is None else {"cutoff": measure.cutoff}
    for name, text in tool.names.items():
        base = _meaning(text)
        numbers = {number: values[number] for number in _BRACES.findall(name) if number in values}
        if (base.name, {**base.values, **numbers}) == (measure.name, values) and len(numbers) == name.count("{"):
            printed = _filled(name, numbers)
            return printed if known(printed, tool) == Meaning(measure.name, values) else None
    return None


def tool_of(names: Iterable[str]) -> str:
    """The tool whose names these are, as it prints them; ir_measures where none tells.

    >>> tool_of(["nDCG@10"]), tool_of(["ndcg@10", "mrr"]), tool_of(["NDCG@10"]), tool_of(["ndcg_cut_10"])
    ('ir_measures', 'ranx', 'beir', 'trec_eval')
    """
    printed = list(names)
    return max(GUESSED, key=lambda tool: sum(is_printed(name, tool) for name in printed))


def is_printed(name: str, tool: str) -> bool:
    """Whether a tool prints this name, in these letters.

    >>> is_printed("recip_rank", "trec_eval"), is_printed("RR", "trec_eval"), is_printed("RR", "ir_measures")
    (True, False, True)
    """
    of_tool = TOOLS[tool]
    spelled = any(re.fullmatch(pattern.pattern, current(name, of_tool)) for pattern, _ in _patterns(of_tool))
    return spelled or instead(name, of_tool) is not None


def names() -> Sequence[str]:
    """Every name that stands for a measure.

    Returns
    -------
    sequence of str
        The names of the catalogue, plain words and the names of trec_eval; one that holds a number has an example.

    Examples
    --------
    >>> {"nDCG", "recall", "ndcg_cut_10", "rbp.95"} <= set(names())
    True
    """
    examples = {"cutoff": 10, "recall": 0.1, "beta": 2.0, "p": 0.95}
    return list(dict.fromkeys([*CATALOGUE, *(_filled(name, examples) for tool in (PLAIN, TREC_EVAL) for name in tool.names)]))
