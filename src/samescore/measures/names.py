"""The names that people use for measures: ir_measures', plain words, ranx's and trec_eval's, all read to one Measure."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import GapError, MeasureError, nearest, short
from ..rankspace import Floats, Ranking, RankSpace
from .catalogue import CATALOGUE, ParamValue
from .measure import Function, Measure, example

DEEPEST = 1_000_000
"""A cutoff below every ranking: trec_eval's success has none of its own."""


@dataclass(frozen=True, slots=True)
class Option:
    """``-m``, ``-M`` where the ranking must be cut, and ``-l``."""

    measure: str
    cut: int | None = None
    level: int = 1

    @property
    def arguments(self) -> str:
        """The options beside ``-m``."""
        return " ".join(["-c", *([f"-l {self.level}"] if self.level > 1 else []), *([f"-M {self.cut}"] if self.cut else [])])


def _either(cut: str | None, whole: str | None) -> Callable[[Measure], str | None]:
    """A name with a cutoff and one without, either of which trec_eval may lack."""

    def named(measure: Measure) -> str | None:
        """The name for a measure."""
        if measure.cutoff is None:
            return whole
        return f"{cut}.{measure.cutoff}" if cut else None

    return named


TABLE: Mapping[str, Callable[[Measure], str | None]] = {
    "nDCG": _either("ndcg_cut", "ndcg"),
    "DCG": _either(None, "dcg"),
    "R": _either("recall", "set_recall"),
    "R_cap": _either("relative_P", None),
    "P": _either("P", "set_P"),
    "F1": _either(None, "set_F"),
    "RR": _either(None, "recip_rank"),
    "AP": _either("map_cut", "map"),
    "Success": lambda m: f"success.{m.cutoff or DEEPEST}",
    "Rprec": _either(None, "Rprec"),
    "Bpref": _either(None, "bpref"),
    "SetP": lambda m: "set_relative_P" if m.get("relative") is True else "set_P",
    "SetR": _either(None, "set_recall"),
    "SetF": lambda m: f"set_F.{m.number('beta'):g}",
    "SetAP": _either(None, "set_map"),
}
"""Measure -> its ``-m``, or None where trec_eval lacks it in this form; without those that 9 and 10 compute otherwise."""


def option(measure: Measure) -> Option:
    """How trec_eval is asked for a resolved measure. RR@k is its recip_rank on rankings cut at k.

    Raises GapError for a measure that trec_eval lacks, or that its versions 9 and 10 compute otherwise.
    """
    cut = measure.cutoff if measure.name == "RR" else None
    known = TABLE[measure.name](Measure("RR") if cut else measure) if measure.name in TABLE else None
    if known is None or measure.get("norm") == "min" or measure.get("judged_only") is True:
        raise GapError(f"export cannot ask trec_eval for {measure}", hint=", ".join(TABLE))
    return Option(known, cut=cut, level=int(measure.level or 1) if measure.entry.needs == "relevant" else 1)


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


COUNTED = ("queries", "skipped")
"""What a result looks up that is no measure."""

_TARGET = re.compile(r"[\w.]+:\w+")


def define(name: str, function: Function, *, cutoff: int | None = None) -> Measure:
    """A measure of one's own, for ``evaluate``, ``compare`` and wherever a measure is asked for.

    ``function`` gets one query as a :class:`samescore.rankspace.Ranking` (``depth``, the number of documents retrieved;
    ``judged``, the (place, grade) of each judged document; ``retrieved(cutoff)``, those of them that were retrieved) and
    returns a float, or None where the measure is undefined; the policy decides what becomes of such a query. With a
    ``cutoff`` it is given the first documents only. It is not called for an empty ranking, which scores 0. The same
    function works with every backend.

    Raises MeasureError for a name that is no identifier or stands for something else in a result (a measure of the
    catalogue in any dialect, a count), and for a cutoff below 1.

    >>> first = define("First", lambda ranking: float(any(grade > 0 for rank, grade in ranking.retrieved(1))))
    >>> first
    First
    """
    if not callable(function):
        raise MeasureError(f"the definition of {name} is {short(function)}, no function", hint="define('Name', function)")
    measure = Measure(name, cutoff, function=function)
    if name in COUNTED or _is_read(name):
        raise MeasureError(f"the name {name} means something else in a result", hint=f"My{name}")
    return measure


def _is_read(name: str) -> bool:
    """Whether some dialect reads the name."""
    try:
        return parse(name) is not None
    except MeasureError:
        return False


def load_measure(target: str) -> Measure:
    """The measure that ``"package.module:function"`` names: a Measure, or a function that becomes one of its own name.

    Raises MeasureError where there is no such thing.
    """
    module, _, attribute = target.partition(":")
    try:
        found: Any = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise MeasureError(f"the measure {short(target)} cannot be loaded: {error}", hint="package.module:function") from error
    if isinstance(found, Measure):
        return found
    return define(getattr(found, "__name__", attribute), found)


def named_measure(text: str) -> Measure:
    """A measure by its name in any dialect, or by ``package.module:function``.

    >>> named_measure("recall@5")
    R@5
    """
    return load_measure(text) if _TARGET.fullmatch(text) else parse(text)


def own_values(measure: Measure, space: RankSpace, queries: Sequence[str], wanted: NDArray[np.bool_]) -> Floats:
    """What the function of a measure of one's own says of each query, shape (queries,).

    NaN where it says None, and where the value is not ``wanted``. Raises MeasureError, with the query, where the function
    raises or returns what is no number.
    """
    rankings = space if measure.cutoff is None else space.cut(measure.cutoff)
    values = np.full(len(space), np.nan)
    for i in np.flatnonzero(wanted).tolist():
        ranking = rankings.ranking(i)
        values[i] = _value(measure, ranking, queries[i]) if ranking.depth else 0.0
    return values


def _value(measure: Measure, ranking: Ranking, query: str) -> float:
    """One call of the function; NaN for None."""
    try:
        found = measure.function(ranking) if measure.function else None
    except Exception as error:
        what = f"the function of {measure} raised {type(error).__name__}: {error}"
        raise MeasureError(what, query=query, hint="return None where the measure is undefined") from error
    if found is None:
        return np.nan
    try:
        value = float(found) if isinstance(found, (Real, np.bool_)) else np.nan
    except OverflowError:  # a whole number beyond all floats
        value = np.inf
    if not np.isfinite(value):
        raise MeasureError(f"the function of {measure} returned {short(found)}", query=query, hint="a finite float, or None")
    return value


TREC_8 = {"R-prec": "Rprec", "gm_ap": "gm_map", "exact_prec": "set_P", "exact_recall": "set_recall", "11-pt_avg": "11pt_avg"}
"""trec_eval 8's names that a later version has otherwise; ``P10`` and ``ircl_prn.0.10`` are read by their form."""

TREC = {
    "map": "AP",
    "Rprec": "Rprec",
    "recip_rank": "RR",
    "bpref": "Bpref",
    "infAP": "infAP",
    "ndcg": "nDCG(dcg='log2')",
    "11pt_avg": "11pt",
    "set_P": "P",
    "set_recall": "R",
    "set_map": "SetAP",
    "set_F": "SetF",
}
"""trec_eval's measures without a cutoff."""

TREC_CUT = {
    "P": "P",
    "recall": "R",
    "map_cut": "AP",
    "ndcg_cut": "nDCG(dcg='log2')",
    "success": "Success",
    "relative_P": "R_cap",
    "unj": "Unjudged",
    "iprec_at_recall": "IPrec",
}
"""trec_eval's measures with one, which stands after the last ``_``."""

_OLD_CUT = re.compile(r"(P|recall)(\d+)")

_OLD_POINT = re.compile(r"ircl_prn\.(\d\.\d\d)")

_AT = re.compile(r"(.+)_at_(\d+)")

BEIR = {"ndcg": "nDCG(dcg='log2')", "map": "AP", "recall": "R", "precision": "P", "p": "P", "mrr": "RR", "r_cap": "R_cap"}
"""BEIR's measures in lower case, and those of the tools that follow it; a cutoff follows ``@`` or ``_at_``.

Its hole and accuracy are no measures of one ranking and its judgements: a document that is judged for any query is no hole, and
accuracy sorts by the second letter of ids.
"""


def meaning(name: Any, tool: str) -> Measure | None:
    """What a name means in the tool that wrote it; None where the catalogue has no such measure.

    >>> meaning("ndcg", "trec_eval"), meaning("nDCG@10", "ir_measures"), meaning("NDCG@10", "beir")
    (nDCG(dcg='log2'), nDCG(dcg='log2')@10, nDCG(dcg='log2')@10)
    """
    try:
        return DIALECTS[tool](name) if isinstance(name, str) else parse(name)
    except MeasureError:
        return None


def current(name: str) -> str:
    """The name that trec_eval 9 and 10 have for a measure that version 8 may have named.

    >>> current("R-prec"), current("P10"), current("ircl_prn.0.10")
    ('Rprec', 'P_10', 'iprec_at_recall_0.10')
    """
    if old := _OLD_CUT.fullmatch(name):
        return f"{old[1]}_{old[2]}"
    if old := _OLD_POINT.fullmatch(name):
        return f"iprec_at_recall_{old[1]}"
    return TREC_8.get(name, name)


def _trec(name: str) -> Measure:
    """trec_eval's names."""
    name = current(name)
    if name in TREC:
        return parse(TREC[name])
    stem, _, cutoff = name.rpartition("_")
    return parse(f"{TREC_CUT[stem]}@{cutoff}" if stem in TREC_CUT else name)


def _linear(name: str) -> Measure:
    """ir_measures' and ranx's names, whose bare nDCG and DCG have linear gain."""
    measure = parse(name)
    open_gain = "dcg" in measure.entry.params and measure.get("dcg") is None
    return measure.with_params(dcg="log2") if open_gain else measure


def _ir_measures(name: str) -> Measure:
    """ir_measures' names; its RBP without ``rel`` takes raw grades as gains, which is no measure of the catalogue."""
    measure = _linear(name)
    if measure.name == "RBP" and measure.get("rel") is None:
        raise MeasureError(f"ir_measures' {name} takes raw grades as gains", hint="RBP(rel=1)")
    return measure


def _ranx(name: str) -> Measure:
    """ranx's names; its rbp takes raw grades as gains, and its bpref divides otherwise."""
    measure = _linear(name)
    if measure.name in ("RBP", "Bpref"):
        raise MeasureError(f"ranx's {name} is another measure than {measure.name}", hint="a measure that both have")
    return measure


def _beir(name: str) -> Measure:
    """BEIR's names."""
    at = _AT.fullmatch(name)
    stem, _, cutoff = (f"{at[1]}@{at[2]}" if at else name).partition("@")
    known = BEIR.get(stem.lower())
    if known is None:
        raise MeasureError(f"BEIR has no measure {name}")
    return parse(f"{known}@{cutoff}" if cutoff else known)


DIALECTS: Mapping[str, Callable[[str], Measure]] = {
    "samescore": parse,
    "trec_eval": _trec,
    "ir_measures": _ir_measures,
    "ranx": _ranx,
    "beir": _beir,
}
"""Tool -> how its names are read. samescore's bare nDCG has the gain of the policy."""
