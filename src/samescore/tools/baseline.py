"""Baseline: the values of a run as they are stored for the gate, with what they were computed from."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from ..averaging import Average, Weighting, mean_or_sum
from ..backends import find
from ..display import as_json
from ..errors import (
    InputError,
    InputTypeError,
    MeasureError,
    MismatchError,
    ResultKeyError,
    SamescoreError,
    Wording,
    is_word,
    setting,
    short,
)
from ..evaluation import DEFAULT, compute, evaluate, requested_measures, warn_unaveraged
from ..measures import Measure, parse_all
from ..policy import Policy, check_policy
from ..preparation import prepare
from ..readers import Qrels, document_lookup, open_qrels, to_run
from ..result import Result
from ..slices import Slices, recognise_slices
from ..typing import MeasuresLike, QrelsLike, RunLike
from ..writing import write_files
from .golden_set import fingerprint
from .scores import column_key, read_json_file
from .stored_ranks import StoredRanks, pack_ranks, unanswered

GOLDEN_SET, DOC_OF, FUNCTION, RANKS = "golden_set", "doc_of", "function", "ranks"
"""Where a baseline keeps the fingerprint of its judgements, that of the documents of its chunks, by which name a user-defined
measure can be loaded, and the ranks of the judged documents."""

REPEAT = "write the baseline again, with --write-baseline or write_baseline()"

ROUNDING = 1e-9
"""How far sums of floats may differ by rounding."""


def write_baseline(
    path: str | os.PathLike[str],
    run: RunLike,
    qrels: QrelsLike,
    measures: MeasuresLike | None = None,
    *,
    average: Average = "macro",
    weights: Any = None,
    slices: Any = None,
    doc_of: Any = None,
    policy: Policy = DEFAULT,
    backend: Any = "auto",
    ids: bool = True,
    force: bool = False,
) -> Result:
    """Score a run and store it as the baseline of :func:`samescore.gate`: per-query values, policy, fingerprint of the qrels.

    The ranks and ids of the judged documents are stored too, compressed, so that the gate can score the run again where the
    golden set has grown, another measure is asked for, or a clause of the policy is another that does not order documents.

    The file is replaced as a whole or stays as it was, also where two processes write it at once.

    Parameters
    ----------
    path : path
        The file to write, JSON.
    run, qrels, measures, average, weights, slices, doc_of, policy, backend
        Those of :func:`samescore.evaluate`. A fingerprint of a mapping ``doc_of`` is stored too.
    ids : bool
        Whether the ids of judged documents are stored. Without them, only queries whose judged documents are the same can be scored
        again.
    force : bool
        Whether a path from which run or qrels come may be written to.

    Returns
    -------
    Result

    Raises
    ------
    WriteError
        Where the file cannot be written, or is one that run or qrels come from.
    SamescoreError
        What ``evaluate`` raises.
    """
    judged = open_qrels(qrels)
    if not isinstance(path, (str, os.PathLike)):
        raise InputTypeError(f"the path of the baseline is {short(path)}", hint="'baseline.json'")
    look_up, documents = None if doc_of is None else document_lookup(doc_of), documents_mark(doc_of)
    if not isinstance(ids, bool):
        raise InputTypeError(f"ids is {short(ids)}, not True or False", hint="ids=False stores no ids of documents")
    prepared = prepare(run, judged, requested_measures(None, measures), policy=policy, doc_of=look_up)
    labels = recognise_slices(slices)
    weighting = Weighting.of(average, weights, labels.labels)
    weighting.refuse_unknown([*prepared.queries, *prepared.ranked.notes.unjudged_queries])
    result = compute(prepared, find(backend), weighting=weighting, labels=labels)
    warn_unaveraged(result, prepared.ranked.run.name)
    ranks = {RANKS: pack_ranks(prepared.ranked, ids=ids)}
    plain = {GOLDEN_SET: fingerprint(judged), DOC_OF: documents, **result.to_dict(), **ranks}
    for name, target in _targets(result):
        plain["measures"][name][FUNCTION] = target
    write_files({path: as_json(plain, indent=1) + "\n"}, inputs=[run, qrels], force=force, make_folders=False)
    return result


def documents_mark(doc_of: Any) -> str | None:
    """What is stored of ``doc_of``: 32 hex digits of a mapping, ``"function"`` of a function, None where there is none.

    >>> documents_mark({"c1": "d1", "c2": "d1"}) == documents_mark({"c2": "d1", "c1": "d1"})
    True
    """
    if doc_of is None:
        return None
    if not isinstance(doc_of, Mapping) and not hasattr(doc_of, "items"):
        return "function"
    digest = hashlib.blake2b(digest_size=16)
    for pair in sorted((str(chunk), str(document)) for chunk, document in doc_of.items()):
        digest.update(json.dumps(pair).encode() + b"\n")  # ASCII, whatever the ids are
    return digest.hexdigest()


def _targets(result: Result) -> Iterator[tuple[str, str]]:
    """The user-defined measures that can be loaded by name, as ``module:function``."""
    for name, measure in result.resolved.items():
        module, function = (getattr(measure.function, key, None) for key in ("__module__", "__qualname__"))
        if isinstance(module, str) and module != "__main__" and isinstance(function, str) and function.isidentifier():
            yield name, f"{module}:{function}"


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline that was read and fits the judgements and the policy, or was scored again so that it does.

    ``stored`` is what was stored, ``result`` what is compared, and ``measures`` are those to gate. ``queries`` are those that could
    be scored again, None where the values are as they were stored, and ``notes`` say why it was scored again and what could not be.
    ``has_ids`` tells whether it has ids of documents.
    """

    stored: Result
    result: Result
    file: str | None
    measures: Sequence[Measure]
    has_ids: bool = True
    queries: Sequence[str] | None = None
    notes: Sequence[str] = ()

    def weighting(self, average: object, weights: Any, labels: Slices) -> tuple[Weighting, Slices]:
        """How queries are averaged, and their labels: as is asked, or as the baseline has it.

        Raises MismatchError for an average that is another than the baseline's.
        """
        stored = self.stored.average
        if average is not None and (not is_word(average, [stored]) or weights is not None):
            what = f"the baseline is of a {stored} average, and not {short(average)}"
            raise MismatchError(what, file=self.file, hint=f"{REPEAT}, or the same average")
        labels = labels if labels.labels or stored != "slices" else self.stored.labels
        if weights is None and stored == "weighted":
            weights = next(w for name in self.stored if (w := self.stored.weights_of(name)) is not None)
        return Weighting.of("macro" if weights is not None else stored, weights, labels.labels), labels


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a baseline must fit: the judgements, the policy, the mark of the chunks' documents, the measures, and who computes."""

    judged: Qrels
    policy: Policy
    documents: str | None
    measures: MeasuresLike | None
    backend: Any


def read_baseline(source: Any, wanted: Wanted) -> Baseline:
    """A baseline from its file or from what it holds, checked; scored again from its stored ranks where it must be.

    Raises InputError for what is no baseline or contradicts itself; MismatchError for one of other chunks, and where it has no
    ranks that could answer, of other judgements or of another policy; ResultKeyError for a measure that it lacks then; MeasureError
    for a user-defined one that only the baseline names.
    """
    if not isinstance(source, (Mapping, str, os.PathLike)):
        raise InputTypeError(f"the baseline is {short(source)}", hint="a file that write_baseline wrote")
    judged, policy, documents = wanted.judged, wanted.policy, wanted.documents
    check_policy(policy)
    file = None if isinstance(source, Mapping) else str(source)
    plain = source if isinstance(source, Mapping) else _read(source)
    if GOLDEN_SET not in plain:
        hint = "one that write_baseline or --write-baseline wrote"
        raise InputError(f"no baseline: it lacks {GOLDEN_SET!r}", file=file, hint=hint)
    same_set, ranks = plain[GOLDEN_SET] == fingerprint(judged), plain.get(RANKS)
    if not same_set and ranks is None:
        what = "the baseline is of another golden set: its judgements have the fingerprint "
        raise MismatchError(f"{what}{plain[GOLDEN_SET]}, these {fingerprint(judged)}", file=file, hint=REPEAT)
    try:
        result = Result.from_dict(plain)
    except SamescoreError as error:
        raise InputError(f"the baseline cannot be read: {error.what}", file=file, hint=REPEAT) from None
    before, now = (set(p.signature.split(" | ")) for p in (result.policy, policy))
    other_policy = f"{', '.join(sorted(before - now))}, not {', '.join(sorted(now - before))}"
    if result.policy != policy and ranks is None:
        what = f"the baseline is of another policy: {other_policy}"
        raise MismatchError(what, file=file, hint=f"{REPEAT}, or the same policy")
    if DOC_OF in plain and plain[DOC_OF] != documents:  # which no baseline has that was written before it was stored
        what = f"the baseline is of {_in_words(plain[DOC_OF])}, and this run of {_in_words(documents)}"
        raise MismatchError(what, file=file, hint=f"{REPEAT}, or the same doc_of")
    contradiction = next(_contradictions(plain, result, judged if same_set else None), None)
    if contradiction is not None:
        raise InputError(f"the baseline contradicts itself: {contradiction}", file=file, hint=REPEAT)
    requested, lacking = _requested(plain, result, wanted.measures, file)
    changed = {
        "the golden set is another": not same_set,
        f"the policy is another ({other_policy})": result.policy != policy,
        f"it lacked {', '.join(map(str, lacking))}": bool(lacking),
    }
    why = [what for what, holds in changed.items() if holds]
    if lacking and ranks is None:
        hint = f"{', '.join(result)}, or write the baseline again"
        raise ResultKeyError(f"the baseline lacks {lacking[0]}", file=file, hint=hint)
    baseline = Baseline(result, result, file, requested)
    return _scored_again(baseline, ranks, wanted, why) if why else baseline


def _requested(
    plain: Mapping[str, Any], result: Result, measures: MeasuresLike | None, file: str | None
) -> tuple[list[Measure], list[Measure]]:
    """The measures to gate, those that are given or all of the baseline, and which of them it lacks.

    Raises MeasureError for a user-defined one that only the baseline names.
    """
    stored = result.columns.values()
    undefined = [str(column.measure) for column in stored if column.measure.function is not None]
    if measures is None and undefined:
        target = {name: row.get(FUNCTION) for name, row in plain["measures"].items()}
        each = [(target.get(name) or f"module:{name}") if name in undefined else name for name in result]
        what = f"the baseline has {', '.join(undefined)}, user-defined measures, whose functions are not stored"
        hint = Wording(setting("measures", each), "; from Python, what define() or measures.load_measure() gave")
        raise MeasureError(what, file=file, hint=hint)
    requested = [column.measure for column in stored] if measures is None else parse_all(measures)
    has = {column_key(column.resolved) for column in stored}
    return requested, [measure for measure in requested if column_key(result.policy.resolve(measure)) not in has]


def _scored_again(baseline: Baseline, packed: object, wanted: Wanted, why: Sequence[str]) -> Baseline:
    """The baseline as the judgements, the policy and the measures that are wanted score its stored ranks.

    Raises MismatchError where these cannot answer.
    """
    reasons, cannot = " and ".join(why), unanswered(baseline.result.policy, wanted.policy, baseline.measures)
    if cannot:
        raise MismatchError(f"the baseline does not fit, {reasons}: {cannot}", file=baseline.file, hint=REPEAT)
    try:
        ranks = StoredRanks.unpack(packed)
    except SamescoreError as error:
        raise InputError(error.what, file=baseline.file, hint=REPEAT) from None
    rankings, queries, left_out = ranks.rankings(wanted.judged, wanted.policy)
    if not queries:
        what = f"the baseline does not fit, {reasons}: {'; '.join(left_out) or 'it has no query'}"
        raise MismatchError(what, file=baseline.file, hint=REPEAT)
    options: dict[str, Any] = {"policy": wanted.policy, "backend": wanted.backend}
    options |= {"average": "micro"} if baseline.stored.average == "micro" else {}
    run = replace(to_run(rankings), explicit=True)
    result = evaluate(run, wanted.judged, measures=baseline.measures, queries=queries, **options)
    notes = [f"the baseline was scored again from its stored ranks: {reasons}", *left_out]
    return replace(baseline, result=result, queries=queries, has_ids=ranks.has_ids, notes=notes)


def _read(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    """The object in a JSON file."""
    if not os.path.exists(path):  # of which Path.exists() raises for a name that is too long
        raise InputError("there is no such baseline", file=path, hint="make it with --write-baseline or write_baseline()")
    try:
        plain = read_json_file(path)
    except InputError as error:
        raise InputError(f"the baseline cannot be read: {error.what}", file=path, line=error.line, hint=error.hint) from None
    if not isinstance(plain, Mapping):
        raise InputError(f"no baseline, but {short(plain)}", file=path, hint="one that --write-baseline wrote")
    return plain


def _in_words(documents: object) -> str:
    """Of which chunks a run is."""
    if documents is None:
        return "documents (no doc_of)"
    return "chunks with a function doc_of" if documents == "function" else f"chunks with the doc_of of fingerprint {documents}"


def _contradictions(plain: Mapping[str, Any], result: Result, judged: Qrels | None) -> Iterator[str]:
    """What cannot be true of a baseline: values that no measure has, and rows that do not make up its means and counts.

    ``judged`` are its judgements, None where they are not there any more.
    """
    rows: Mapping[str, Mapping[str, Any]] = plain["per_query"]
    if not rows:
        return  # nothing can be compared, which is said where it is compared
    for query, row in rows.items():
        if judged is not None and query not in judged.grades:
            yield f"it has values for the query {short(query)}, which is not judged"
        for column in result.columns.values():
            value = row[str(column.measure)]
            if value is not None and not _can_be(value, column.resolved, result.policy):
                yield f"{column.measure} cannot be {short(value)}, as it is for the query {short(query)}"
    if result.report.queries != len(rows):
        yield f"it has values for {len(rows)} queries and says that {result.report.queries} were averaged"
    for name, column in result.columns.items():
        mean, n = mean_or_sum(column.values, column.resolved, column.weights)
        if result.report.n.get(name) != n:
            yield f"{n} queries have a value of {name}, and it says that {result.report.n.get(name)} have"
        if not math.isclose(mean, column.mean, rel_tol=ROUNDING, abs_tol=ROUNDING):
            yield f"the values of {name} make up {mean:.6g}, and it says {column.mean:.6g}"


def _can_be(value: object, measure: Measure, policy: Policy) -> bool:
    """Whether a measure can have a value for some query; with double credit for documents it may be above 1."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real) or not math.isfinite(value):
        return False
    highest = 1 + ROUNDING if measure.entry.bounded and policy.duplicates != "each" else math.inf
    return measure.function is not None or -ROUNDING <= float(value) <= highest
