"""The names that people use for measures: ir_measures', plain words, ranx's and trec_eval's, all read to one Measure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from ..errors import MeasureError, nearest, short
from .catalogue import CATALOGUE, ParamValue
from .measure import Measure

LOG2: tuple[tuple[str, ParamValue], ...] = (("dcg", "log2"),)
EXP_LOG2: tuple[tuple[str, ParamValue], ...] = (("dcg", "exp-log2"),)

# Plain words in any case, and ranx's names: word -> (measure, parameters).
WORDS: dict[str, tuple[str, tuple[tuple[str, ParamValue], ...]]] = {
    "recall": ("R", ()),
    "r": ("R", ()),
    "precision": ("P", ()),
    "p": ("P", ()),
    "mrr": ("RR", ()),
    "rr": ("RR", ()),
    "reciprocal_rank": ("RR", ()),
    "map": ("AP", ()),
    "ap": ("AP", ()),
    "average_precision": ("AP", ()),
    "ndcg": ("nDCG", ()),
    "dcg": ("DCG", ()),
    "hit_rate": ("Success", ()),
    "success": ("Success", ()),
    "r-precision": ("Rprec", ()),
    "rprec": ("Rprec", ()),
    "ndcg_burges": ("nDCG", EXP_LOG2),
    "dcg_burges": ("DCG", EXP_LOG2),
}

# trec_eval's names: those that stand alone, and those with a cutoff (ndcg_cut_10, ndcg_cut.10).
TREC_ALONE: dict[str, tuple[str, tuple[tuple[str, ParamValue], ...]]] = {"recip_rank": ("RR", ())}
TREC_CUT: dict[str, tuple[str, tuple[tuple[str, ParamValue], ...]]] = {
    "ndcg_cut": ("nDCG", LOG2),
    "map_cut": ("AP", ()),
    "P": ("P", ()),
    "recall": ("R", ()),
    "success": ("Success", ()),
}

_SHAPE = re.compile(r"(?P<name>[A-Za-z0-9_\-.]+?)\s*(\((?P<params>.*)\))?\s*(@\s*(?P<cutoff>\S+))?")
_TREC = re.compile(rf"(?P<name>{'|'.join(TREC_CUT)})[._](?P<cutoff>\d+)")


def parse(text: object) -> Measure:
    """Read a measure from its name in any of the dialects, or from a measure object of ir_measures.

    ``nDCG@10``, ``P(rel=2)@5`` (ir_measures); ``recall@10``, ``mrr`` (plain, any case); ``ndcg_burges@10`` (ranx);
    ``ndcg_cut_10``, ``recip_rank`` (trec_eval). A bare nDCG takes the gain of the policy; trec_eval's ``ndcg_cut_10`` and
    ir_measures' own objects have linear gain, as in those libraries.

    Raises MeasureError for a name or parameter that is unknown (with the nearest), and for a cutoff below 1.

    >>> parse("recall@10"), parse("ndcg_cut_10")
    (R@10, nDCG(dcg='log2')@10)
    """
    if isinstance(text, Measure):
        return text
    if isinstance(text, str):
        return _parse_text(text.strip())
    if type(text).__module__.partition(".")[0] == "ir_measures":
        return _from_ir_measures(text)
    raise MeasureError(f"a measure is text such as 'nDCG@10', not {short(text)}")


def parse_all(measures: object) -> list[Measure]:
    """Read one measure or several, in order, each once.

    >>> parse_all(["mrr", "RR", "P@5"])
    [RR, P@5]
    """
    several = measures if isinstance(measures, Iterable) and not isinstance(measures, (str, Measure)) else [measures]
    found = list(dict.fromkeys(parse(m) for m in several))
    if not found:
        raise MeasureError("no measure was given", hint="measures=['nDCG@10', 'R@100']")
    return found


def names() -> Sequence[str]:
    """Every name that stands for a measure, of all dialects."""
    return [*CATALOGUE, *WORDS, *TREC_ALONE, *TREC_CUT]


def _parse_text(text: str) -> Measure:
    """Read one name, trying trec_eval's shapes before the general one."""
    if text in TREC_ALONE:
        name, params = TREC_ALONE[text]
        return Measure(name, None, params)
    if trec := _TREC.fullmatch(text):
        name, params = TREC_CUT[trec["name"]]
        return Measure(name, _number(text, trec["cutoff"]), params)
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise MeasureError(f"{short(text)} is not a measure", hint="a name such as nDCG@10 or P(rel=2)@5")
    name, implied = _known(shape["name"])
    given = dict(implied) | _arguments(text, shape["params"])
    return Measure(name, _number(text, shape["cutoff"]), tuple(given.items()))


def _known(name: str) -> tuple[str, tuple[tuple[str, ParamValue], ...]]:
    """The catalogue's name and the parameters that a word implies."""
    if name in CATALOGUE:
        return name, ()
    if name.lower() in WORDS:
        return WORDS[name.lower()]
    raise MeasureError(f"unknown measure {short(name)}", hint=nearest(name, names()))


def _number(text: str, cutoff: str | None) -> int | None:
    """The cutoff after the @."""
    if cutoff is None:
        return None
    try:
        return int(cutoff)
    except ValueError:
        raise MeasureError(f"{short(text)}: the cutoff is {cutoff!r}; a cutoff is a whole number of at least 1") from None


def _arguments(text: str, inside: str | None) -> dict[str, ParamValue]:
    """The parameters between the parentheses, as ir_measures writes them."""
    if not inside or not inside.strip():
        return {}
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise ValueError(inside)
        given = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    except (ValueError, SyntaxError):
        raise MeasureError(f"{short(text)}: cannot read the parameters ({inside})", hint="P(rel=2)@5") from None
    return {k: _as_value(v) for k, v in given.items()}


def _as_value(value: object) -> ParamValue:
    """A parameter's value in the form that a Measure holds: mappings become sorted pairs."""
    if isinstance(value, dict):
        return tuple(sorted(value.items()))
    return value  # type: ignore[return-value]  # whatever it is, the Measure checks it


def _from_ir_measures(measure: object) -> Measure:
    """A measure object of ir_measures, with that library's meaning: its nDCG has linear gain unless it says otherwise."""
    params = dict(getattr(measure, "params", {}))
    name = str(getattr(measure, "NAME", measure))
    cutoff = params.pop("cutoff", None)
    if name in CATALOGUE and "dcg" in CATALOGUE[name].params:
        params.setdefault("dcg", "log2")
    return Measure(name, cutoff, tuple((k, _as_value(v)) for k, v in params.items()))
