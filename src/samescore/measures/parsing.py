"""Reading measures from text: samescore's own grammar, the names of tools, and hints for what is misspelt."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import MeasureError, nearest, setting, short
from .catalogue import CATALOGUE, ParamValue
from .measure import Measure, example
from .names import EVERY, PLAIN, TREC_EVAL, TREC_EVAL_OPTIONS, Meaning, Tool, current, instead, known, names

_SHAPE = re.compile(r"(?P<name>[\w\-.]+?)\s*(\((?P<params>.*)\))?\s*((@|_at_(?=[0-9]))\s*(?P<at>\S+))?", re.DOTALL)

_LEVEL = re.compile(r"(?P<rest>.+)-l(?P<rel>[0-9]{1,4000})", re.DOTALL)

_DIGITS = re.compile(r"-?[0-9]{1,4000}")

_DECIMAL = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)


def parse(text: object, tool: str = "samescore") -> Measure:
    """Read a measure from its name, or from a measure object of ir_measures.

    ``nDCG@10``, ``P(rel=2)@5`` (as ir_measures writes them); ``recall@10``, ``mrr``, ``ndcg_at_10``, ``hit_rate@5`` (plain, any
    case); ``ndcg_burges@10``, ``hits@10-l2``, ``rbp.95`` (ranx; ``-l2`` is ``rel=2``); ``ndcg_cut_10``,
    ``iprec_at_recall_0.10`` (trec_eval); ``ERR-IA@20`` (ndeval). A bare nDCG takes the gain of the policy; trec_eval's
    ``ndcg_cut_10`` and ir_measures' own objects have linear gain, as in those libraries. What two tools call by one name, such
    as ``accuracy@10``, is refused with both names.

    Parameters
    ----------
    text
        The name, a measure object of ir_measures, or a Measure, which stays as it is.
    tool
        Whose name it is: ``"samescore"``, ``"trec_eval"``, ``"ir_measures"``, ``"ranx"``, ``"beir"``, ``"mteb"`` or another
        tool of ``docs/tools.md``. A name that the tool does not have is read as samescore's, with the gain that the tool's
        nDCG has. Without a tool, a name that samescore does not have means what all tools mean that have it.

    Returns
    -------
    Measure
        What the name means.

    Raises
    ------
    MeasureError
        For a name or parameter that is unknown (with the nearest), a cutoff below 1, and a name by which the tool means what
        is no measure of the catalogue.

    Examples
    --------
    >>> parse("recall@10"), parse("ndcg_cut_10"), parse("hits@10-l2")
    (R@10, nDCG(dcg='log2')@10, Hits(rel=2)@10)
    >>> parse("ndcg@10"), parse("ndcg@10", tool="ranx")
    (nDCG@10, nDCG(dcg='log2')@10)
    >>> parse("map@10", tool="lightgbm"), parse("context_precision")
    (AP(norm='min')@10, AP(norm='hits'))
    """
    try:
        return _parse(text, tool)
    except _UnknownNameError as error:
        raise MeasureError(f"unknown measure {short(error.name)}", hint=_nearest(error.name, error.rest)) from None


class _NotOursError(MeasureError):
    """A text that samescore's own grammar does not read; the names of other tools may."""


class _CutoffError(_NotOursError):
    """A name of samescore's, with a cutoff that is none; in the name of another tool it may be more than that."""


class _UnknownNameError(_NotOursError):
    """A name that no table has; what was meant is looked for where the error is shown."""

    def __init__(self, name: str, rest: str) -> None:
        super().__init__(f"unknown measure {short(name)}")
        self.name, self.rest = name, rest


def _parse(text: object, tool: str) -> Measure:
    """The measure that a text or an object means to a tool."""
    if not isinstance(tool, str) or tool not in EVERY:
        raise MeasureError(f"unknown tool {short(tool)}", hint=nearest(str(tool), EVERY))
    if isinstance(text, Measure):
        return text
    if isinstance(text, str):
        return _parse_alone(text.strip()) if tool == "samescore" else _parse_name(text.strip(), tool)
    if type(text).__module__.partition(".")[0] == "ir_measures":
        return _from_ir_measures(text)
    raise MeasureError(f"a measure is text such as 'nDCG@10', not {short(text)}", hint="'nDCG@10', or a Measure")


def parse_all(measures: object) -> list[Measure]:
    """Read one measure or several, in order, each once.

    Parameters
    ----------
    measures
        A name, a Measure or a measure object of ir_measures, or several of them.

    Returns
    -------
    list of Measure

    Raises
    ------
    MeasureError
        Where there is none, where one cannot be read, and where two user-defined measures have one name.

    Examples
    --------
    >>> parse_all(["mrr", "RR", "P@5"])
    [RR, P@5]
    """
    if isinstance(measures, np.ndarray):  # its items are texts of numpy, and the one of an array of no dimension is no item
        measures = measures.ravel().tolist()
    several = measures if isinstance(measures, Iterable) and not isinstance(measures, (str, bytes, Measure)) else [measures]
    return list(_distinct(tuple(parse(m) for m in several)))


@lru_cache(maxsize=256)
def _distinct(measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Measures in order, each once; the errors of :func:`parse_all`."""
    distinct = tuple(dict.fromkeys(measures))
    if not distinct:
        raise MeasureError("no measure was given", hint=setting("measures", ["nDCG@10", "R@100"]))
    printed = [str(m) for m in distinct]
    if repeated := [measure for measure in distinct if printed.count(str(measure)) > 1]:
        hint = f"define('My{repeated[0].name}', function)"
        raise MeasureError(f"two different measures are named {repeated[0]}", hint=hint)
    return distinct


def meaning(name: object, tool: str) -> Measure | None:
    """What a name means in the tool that wrote it; None where the catalogue has no such measure.

    >>> meaning("ndcg", "trec_eval"), meaning("NDCG@10", "beir"), meaning("gm_map", "trec_eval")
    (nDCG(dcg='log2'), nDCG(dcg='log2')@10, None)
    """
    try:
        return _parse(name, tool)
    except MeasureError:
        return None


def names_measure(name: object) -> bool:
    """Whether this is the name of a measure in some tool, of the catalogue or not.

    >>> names_measure("AP"), names_measure("gm_map"), names_measure("Hole@10"), names_measure("q1")
    (True, True, True, False)
    """
    known_to_parse = meaning(name, "samescore") is not None
    return known_to_parse or (isinstance(name, str) and any(instead(name, tool) for tool in EVERY.values()))


@lru_cache(maxsize=1024)
def _parse_alone(text: str) -> Measure:
    """Read a name without a tool: as samescore's, else as what all tools mean that have it."""
    try:
        return _parse_text(text)
    except _NotOursError as error:
        meanings = by_tool(text)
        if len(set(meanings.values())) == 1:
            return next(iter(meanings.values()))
        if meanings:
            first = {measure: tool for tool, measure in reversed(meanings.items())}
            what = "; ".join(f"{measure} in {tool}" for measure, tool in reversed(first.items()))
            hint = " or ".join(map(str, reversed(first)))
            raise MeasureError(f"{short(text)} means different things in different tools: {what}", hint=hint) from None
        misspelt = isinstance(error, _UnknownNameError) and _nearest(error.name, error.rest) != LISTED
        for tool, entry in EVERY.items():
            if not (misspelt or isinstance(error, _CutoffError)) and (instead_of_it := instead(text, entry)):
                what = f"{tool}'s {short(text)} is no measure of the catalogue"
                raise MeasureError(what, hint=instead_of_it) from None
        raise


def by_tool(name: str) -> dict[str, Measure]:
    """What a name means in each tool whose table has it.

    >>> by_tool("map_at_k")
    {'recommenders': AP(norm='min')}
    """
    having = [tool for tool, entry in EVERY.items() if tool != "samescore" and known(current(name, entry), entry)]
    return {tool: measure for tool in having if (measure := meaning(name, tool)) is not None}


@lru_cache(maxsize=1024)
def _parse_name(text: str, tool: str) -> Measure:
    """Read a name as a tool other than samescore means it."""
    entry = EVERY[tool]
    name = current(text, entry)
    if stands_for := known(name, entry):
        measure = _measure(text, stands_for, (), None)
    elif hint := instead(name, entry):
        raise MeasureError(f"{tool}'s {short(text)} is no measure of the catalogue", hint=hint)
    else:
        measure = _parse_text(text)
    _refuse_otherwise(measure, tool)
    return _with_gain(measure, entry)


def _with_gain(measure: Measure, tool: Tool) -> Measure:
    """A measure with the gain that a tool's nDCG and DCG have, where it has none."""
    if tool.gain and "dcg" in measure.entry.params and measure.get("dcg") is None:
        return measure.with_params(dcg=tool.gain)
    return measure


def _refuse_otherwise(measure: Measure, tool: str) -> None:
    """Raise MeasureError where a tool computes another measure under the name."""
    other = EVERY[tool].otherwise.get(measure.name)
    if other and (not other.unless or measure.get(other.unless) is None):
        hint = f"{measure.name}({other.unless}=1)" if other.unless else "a measure that both have"
        raise MeasureError(f"{tool}'s {measure.name} {other.how}", hint=hint)


def _from_ir_measures(measure: object) -> Measure:
    """A measure object of ir_measures, with that library's meaning: its nDCG has linear gain unless it says otherwise."""
    params = dict(getattr(measure, "params", {}))
    name = str(getattr(measure, "NAME", measure))
    if hasattr(measure, "runtime_impl"):
        raise MeasureError(f"{name} is defined by a function of frames", hint="samescore.define('Name', function)")
    read = _with_gain(Measure(name, params.pop("cutoff", None), tuple(params.items())), EVERY["ir_measures"])
    _refuse_otherwise(read, "ir_measures")
    return read


@lru_cache(maxsize=256)
def _parse_text(text: str) -> Measure:
    """Read a name of samescore's own grammar, or of trec_eval: name(parameters)@cutoff-llevel."""
    if level := _LEVEL.fullmatch(text):
        measure = _parse_text(level["rest"])
        if measure.level is not None:
            raise MeasureError(f"{short(text)}: rel is given 2 times", hint="hits@10-l2 or Hits(rel=2)@10")
        return measure.with_params(rel=int(level["rel"]))
    if "@" in text and (whole := known(text.lower(), PLAIN)):
        return _measure(text, whole, (), None)  # MAP@R, whose R is no cutoff
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise _NotOursError(f"{short(text)} is not a measure", hint="a name such as nDCG@10 or P(rel=2)@5")
    meant = _stands_for(shape["name"], text[shape.end("name") :])
    return _measure(text, meant, _arguments(text, shape["params"], str(example(meant.name))), shape["at"])


def _stands_for(name: str, rest: str) -> Meaning:
    """What a name stands for, in the catalogue, as a plain word or in trec_eval; ``rest`` is what stands after it."""
    if name in CATALOGUE:
        return Meaning(name)
    word = name.lower().replace("-", "_")
    if plain := known(word, PLAIN):
        return plain
    if trec := known(name, TREC_EVAL) or known(name, TREC_EVAL_OPTIONS):
        takes_gain = "dcg" in CATALOGUE[trec.name].params
        return Meaning(trec.name, {"dcg": TREC_EVAL.gain, **trec.values}) if takes_gain else trec
    if hint := instead(word, PLAIN):
        raise MeasureError(f"{short(name)} means different things in different tools", hint=hint)
    if hint := instead(name, TREC_EVAL):
        raise MeasureError(f"{short(name)} is a measure of trec_eval alone", hint=hint)
    raise _UnknownNameError(name, rest)


def _measure(text: str, stands_for: Meaning, given: Sequence[tuple[str, ParamValue]], at: str | None) -> Measure:
    """The measure of a name, with what was given in parentheses and after the @."""
    entry = CATALOGUE[stands_for.name]
    params: list[tuple[str, Any]] = [*stands_for.values.items(), *given]
    if at is not None:
        params.append((entry.at, (_cutoff if entry.at == "cutoff" else _decimal)(text, at, str(example(entry.name, cutoff=True)))))
    times = Counter(name for name, _ in params)
    if repeated := [name for name, n in times.items() if n > 1]:
        either = (_measure_of(stands_for.name, dict(pairs)) for pairs in (params[::-1], params))
        hint = " or ".join(dict.fromkeys(map(str, either)))
        raise MeasureError(f"{short(text)}: {repeated[0]} is given {times[repeated[0]]} times", hint=hint)
    return _measure_of(stands_for.name, dict(params))


def _measure_of(name: str, values: dict[str, Any]) -> Measure:
    """The measure of a name in the catalogue, with the values of its parameters."""
    return Measure(name, values.pop("cutoff", None), tuple(values.items()))


def _cutoff(text: str, number: str, hint: str) -> int:
    """The cutoff after the @: plain digits, where int() would read 1_0, +5 and the digits of every script too."""
    if not _DIGITS.fullmatch(number):
        what = f"{short(text)}: the cutoff is {short(number)}; a cutoff is a whole number of at least 1"
        raise _CutoffError(what, hint=hint)
    return int(number)


def _decimal(text: str, number: str, hint: str) -> float:
    """The number after the @ of a measure where it is no cutoff."""
    if not _DECIMAL.fullmatch(number):
        raise MeasureError(f"{short(text)}: {short(number)} is not a number", hint=hint)
    return float(number)


def _arguments(text: str, inside: str | None, hint: str) -> list[tuple[str, ParamValue]]:
    """The parameters between the parentheses, as ir_measures writes them."""
    if not inside or not inside.strip():
        return []
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError(inside)
        given = [(str(k.arg), ast.literal_eval(k.value)) for k in call.keywords]
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise MeasureError(f"{short(text)}: cannot read the parameters ({inside})", hint=hint) from None
    for (name, value), keyword in zip(given, call.keywords, strict=True):
        if isinstance(keyword.value, ast.Dict) and len(value) < len(keyword.value.keys):  # of one key twice Python keeps the last
            raise MeasureError(f"{short(text)}: {name} says one grade twice", hint="nDCG(gains={1: 1, 2: 3})@10")
    return given


ALIKE = 0.88
"""Names with this share of letters in common are taken for one: recal and recall are, but not GMAP and map, idcg and ndcg."""

LONGEST = 200
"""Text of more letters is no misspelt measure, and takes long to compare."""

LISTED = "samescore backends lists the measures, samescore.measures.names() all of their names"


def _nearest(name: str, rest: str) -> str:
    """How to write what may have been meant by a name and what stands after it; no other measure than that."""
    if len(name) + len(rest) > LONGEST:
        return LISTED
    after = re.search(r"[0-9.]+$", rest)
    for number in [after[0]] if after else ["10", "0.10"]:
        if known(f"{name}_{number}", TREC_EVAL) and meaning(f"{name}_{number}", "samescore"):
            return f"{name}_{number}"
    if (numbered := re.fullmatch(r"(.+?)[_.]?([0-9]+)", name)) and meaning(f"{numbered[1]}@{numbered[2]}{rest}", "samescore"):
        return f"{numbered[1]}@{numbered[2]}{rest}"
    likeness = {other: _likeness(name.lower().replace("-", "_"), other.lower()) for other in names()}
    closest = [other for other, share in likeness.items() if share == max(likeness.values()) >= ALIKE]
    meanings = {form: meaning(form, "samescore") for form in [*(f"{other}{rest}" for other in closest), *closest]}
    forms = [form for form, measure in meanings.items() if measure is not None]
    return forms[0] if len({measure.name for measure in meanings.values() if measure is not None}) == 1 else LISTED


def _likeness(name: str, other: str) -> float:
    """The share of letters that two names have in common; all where one has the letters of the other in another order."""
    return 1.0 if sorted(name) == sorted(other) else SequenceMatcher(None, name, other).ratio()
