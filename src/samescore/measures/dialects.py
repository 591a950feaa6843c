"""The names that people use for measures: ir_measures', plain words, ranx's and trec_eval's, all read to one Measure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..errors import MeasureError, nearest, short
from .catalogue import CATALOGUE
from .measure import Measure, example
from .params import ParamValue


class Meaning(NamedTuple):
    """A measure and the parameters that a name implies."""

    name: str
    params: tuple[tuple[str, ParamValue], ...] = ()


LOG2, EXP_LOG2 = (("dcg", "log2"),), (("dcg", "exp-log2"),)

WORDS: Mapping[str, Meaning] = {
    **{name.lower(): Meaning(name) for name in CATALOGUE if name != "Accuracy"},
    "recall": Meaning("R"),
    "precision": Meaning("P"),
    "mrr": Meaning("RR"),
    "reciprocal_rank": Meaning("RR"),
    "map": Meaning("AP"),
    "average_precision": Meaning("AP"),
    "hit_rate": Meaning("Success"),
    "r-precision": Meaning("Rprec"),
    "r_precision": Meaning("Rprec"),
    "recall_cap": Meaning("R_cap"),
    "capped_recall": Meaning("R_cap"),
    "ndcg_burges": Meaning("nDCG", EXP_LOG2),
    "dcg_burges": Meaning("DCG", EXP_LOG2),
    "rank_biased_precision": Meaning("RBP"),
    "setrelp": Meaning("SetP", (("relative", True),)),
    "numrelret": Meaning("NumRet", (("rel", 1),)),
    "map_ia": Meaning("AP_IA"),
    "strec": Meaning("StRecall"),
    "α_dcg": Meaning("alpha_DCG"),
    "α_ndcg": Meaning("alpha_nDCG"),
}
"""Plain words in any case, with ranx's names, ir_measures' aliases and ndeval's (``ERR-IA@20``, with - for _)."""

TREC_ALONE: Mapping[str, Meaning] = {
    "recip_rank": Meaning("RR"),
    "bpref": Meaning("Bpref"),
    "infAP": Meaning("infAP"),
    "Rprec": Meaning("Rprec"),
    "11pt_avg": Meaning("11pt"),
    "set_P": Meaning("SetP"),
    "set_relative_P": Meaning("SetP", (("relative", True),)),
    "set_recall": Meaning("SetR"),
    "set_F": Meaning("SetF"),
    "set_map": Meaning("SetAP"),
    "num_q": Meaning("NumQ"),
    "num_rel": Meaning("NumRel"),
    "num_ret": Meaning("NumRet"),
    "num_rel_ret": Meaning("NumRet", (("rel", 1),)),
}
"""trec_eval's names that stand alone."""

TREC_NUMBER: Mapping[str, tuple[Meaning, str]] = {
    "ndcg_cut": (Meaning("nDCG", LOG2), "cutoff"),
    "map_cut": (Meaning("AP"), "cutoff"),
    "P": (Meaning("P"), "cutoff"),
    "recall": (Meaning("R"), "cutoff"),
    "success": (Meaning("Success"), "cutoff"),
    "relative_P": (Meaning("R_cap"), "cutoff"),
    "unj": (Meaning("Unjudged"), "cutoff"),
    "iprec_at_recall": (Meaning("IPrec"), "recall"),
    "set_F": (Meaning("SetF"), "beta"),
}
"""trec_eval's names that end with a number, after a _ or a dot, and what the number is."""

REFUSED: Mapping[str, str] = {
    "accuracy": "Success@k, which BEIR and sentence-transformers call accuracy@k, or Accuracy@k, the measure of ir_measures",
    "hole": "Unjudged@k; BEIR's hole@k takes a document for judged that any query judges",
}
"""Names that mean different things in different tools: word -> what to write."""

_SHAPE = re.compile(r"(?P<name>[\w\-.]+?)\s*(\((?P<params>.*)\))?\s*(@\s*(?P<at>\S+))?", re.DOTALL)
_TREC = re.compile(rf"(?P<name>{'|'.join(TREC_NUMBER)})[._](?P<number>[0-9]+(\.[0-9]+)?)")
_LEVEL = re.compile(r"(?P<rest>.+)-l(?P<rel>[0-9]{1,4000})", re.DOTALL)
_RBP = re.compile(r"rbp\.(?P<digits>[0-9]+)", re.IGNORECASE)
_DIGITS = re.compile(r"-?[0-9]{1,4000}")
_NUMBER = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)


def parse(text: object) -> Measure:
    """Read a measure from its name in any of the dialects, or from a measure object of ir_measures.

    ``nDCG@10``, ``P(rel=2)@5`` (ir_measures); ``recall@10``, ``mrr`` (plain, any case); ``ndcg_burges@10``, ``hits@10-l2``,
    ``rbp.95`` (ranx; ``-l2`` is ``rel=2``); ``ndcg_cut_10``, ``iprec_at_recall_0.10`` (trec_eval); ``ERR-IA@20`` (ndeval).
    A bare nDCG takes the gain of the policy; trec_eval's ``ndcg_cut_10`` and ir_measures' own objects have linear gain, as
    in those libraries. What two tools call by one name, such as ``accuracy@10``, is refused with both names.

    Raises MeasureError for a name or parameter that is unknown (with the nearest), and for a cutoff below 1.

    >>> parse("recall@10"), parse("ndcg_cut_10"), parse("hits@10-l2")
    (R@10, nDCG(dcg='log2')@10, Hits(rel=2)@10)
    """
    if isinstance(text, Measure):
        return text
    if isinstance(text, str):
        return _parse_text(text.strip())
    if type(text).__module__.partition(".")[0] == "ir_measures":
        return _from_ir_measures(text)
    raise MeasureError(f"a measure is text such as 'nDCG@10', not {short(text)}", hint="'nDCG@10', or a Measure")


def parse_all(measures: object) -> list[Measure]:
    """Read one measure or several, in order, each once.

    Raises MeasureError where there is none, and where two measures of one's own have one name.

    >>> parse_all(["mrr", "RR", "P@5"])
    [RR, P@5]
    """
    if isinstance(measures, np.ndarray):  # its items are texts of numpy, and the one of an array of no dimension is no item
        measures = measures.ravel().tolist()
    several = measures if isinstance(measures, Iterable) and not isinstance(measures, (str, bytes, Measure)) else [measures]
    found = list(dict.fromkeys(parse(m) for m in several))
    if not found:
        raise MeasureError("no measure was given", hint="measures=['nDCG@10', 'R@100']")
    printed = [str(m) for m in found]
    if twice := [name for name in printed if printed.count(name) > 1]:
        raise MeasureError(f"two different measures are named {twice[0]}", hint=f"define('My{twice[0]}', function)")
    return found


def names() -> Sequence[str]:
    """Every name that stands for a measure, of all dialects."""
    numbered = [f"{name}_{10 if param == 'cutoff' else 0.1}" for name, (_, param) in TREC_NUMBER.items() if name not in WORDS]
    return list(dict.fromkeys([*CATALOGUE, *WORDS, *TREC_ALONE, *numbered]))


@lru_cache(maxsize=256)
def _parse_text(text: str) -> Measure:
    """Read one name: ranx's suffix first, then trec_eval's shapes, then the general one."""
    if level := _LEVEL.fullmatch(text):
        return _leveled(text, _parse_text(level["rest"]), int(level["rel"]))
    if text in TREC_ALONE:
        return _built(text, TREC_ALONE[text], {}, None)
    if trec := _TREC.fullmatch(text):
        meaning, param = TREC_NUMBER[trec["name"]]
        if param == "cutoff":
            return _built(text, meaning, {}, trec["number"])
        return _built(text, meaning, {param: float(trec["number"])}, None)
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise MeasureError(f"{short(text)} is not a measure", hint="a name such as nDCG@10 or P(rel=2)@5")
    return _built(text, _known(shape["name"]), _arguments(text, shape["params"]), shape["at"])


def _leveled(text: str, measure: Measure, rel: int) -> Measure:
    """The measure with the level of ranx's suffix, unless it has another already."""
    if measure.level is not None:
        raise MeasureError(f"{short(text)}: rel is given 2 times", hint="hits@10-l2 or Hits(rel=2)@10")
    return measure.with_params(rel=rel)


def _known(name: str) -> Meaning:
    """The catalogue's name and the parameters that a word implies."""
    if name in CATALOGUE:
        return Meaning(name)
    word = name.lower()
    if word in WORDS:
        return WORDS[word]
    if word.replace("-", "_") in WORDS:
        return WORDS[word.replace("-", "_")]
    if rbp := _RBP.fullmatch(name):
        return Meaning("RBP", (("p", float(f"0.{rbp['digits']}")),))
    if word in REFUSED:
        raise MeasureError(f"{short(name)} means different things in different tools", hint=REFUSED[word])
    raise MeasureError(f"unknown measure {short(name)}", hint=nearest(name, names()))


def _built(text: str, meaning: Meaning, given: dict[str, ParamValue], at: str | None) -> Measure:
    """The measure of a name, with what was given in parentheses and after the @."""
    entry = CATALOGUE[meaning.name]
    said = {*dict(meaning.params), *([entry.at] if at is not None else [])}  # by the word itself, and after the @
    if twice := said & given.keys():
        raise MeasureError(f"{short(text)}: {min(twice)} is given 2 times", hint=f"{meaning.name} without {min(twice)}")
    params = dict(meaning.params) | given
    cutoff = None
    if at is not None and entry.at == "cutoff":
        cutoff = _cutoff(text, at)
    elif at is not None:
        params[entry.at] = _number(text, at)
    return Measure(meaning.name, cutoff, tuple(params.items()))


def _cutoff(text: str, written: str) -> int:
    """The cutoff after the @: plain digits, where int() would read 1_0, +5 and the digits of every script too."""
    if not _DIGITS.fullmatch(written):
        raise MeasureError(
            f"{short(text)}: the cutoff is {short(written)}; a cutoff is a whole number of at least 1", hint="nDCG@10"
        )
    return int(written)


def _number(text: str, written: str) -> float:
    """The number after the @ of a measure where it is no cutoff."""
    if not _NUMBER.fullmatch(written):
        raise MeasureError(f"{short(text)}: {short(written)} is not a number", hint=str(example("IPrec")))
    return float(written)


def _arguments(text: str, inside: str | None) -> dict[str, ParamValue]:
    """The parameters between the parentheses, as ir_measures writes them."""
    if not inside or not inside.strip():
        return {}
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError(inside)
        given = [(str(k.arg), ast.literal_eval(k.value)) for k in call.keywords]
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise MeasureError(f"{short(text)}: cannot read the parameters ({inside})", hint="P(rel=2)@5") from None
    names = [name for name, _ in given]
    if repeated := [name for (name, read), k in zip(given, call.keywords, strict=True) if _repeats(k.value, read)]:
        raise MeasureError(f"{short(text)}: {repeated[0]} says one grade twice", hint="nDCG(gains={1: 1, 2: 3})@10")
    if twice := [name for name in names if names.count(name) > 1]:
        raise MeasureError(f"{short(text)}: {twice[0]} is given {names.count(twice[0])} times", hint="P(rel=2)@5")
    return dict(given)


def _repeats(written: ast.expr, read: object) -> bool:
    """Whether a mapping was written with one key twice, of which Python keeps the last alone."""
    return isinstance(written, ast.Dict) and isinstance(read, dict) and len(read) < len(written.keys)


def _from_ir_measures(measure: object) -> Measure:
    """A measure object of ir_measures, with that library's meaning: its nDCG has linear gain unless it says otherwise."""
    params = dict(getattr(measure, "params", {}))
    name = str(getattr(measure, "NAME", measure))
    if hasattr(measure, "runtime_impl"):
        raise MeasureError(f"{name} is defined by a function of frames", hint="samescore.define('Name', function)")
    cutoff = params.pop("cutoff", None)
    if name in CATALOGUE and "dcg" in CATALOGUE[name].params:
        params.setdefault("dcg", "log2")
    if name == "RBP" and "rel" not in params:
        raise MeasureError("ir_measures' RBP without rel takes raw grades as gains", hint="RBP(rel=1), or 'RBP(max_rel=4)' as text")
    return Measure(name, cutoff, tuple(params.items()))
