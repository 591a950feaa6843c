"""Golden sets: what can be said of judgements alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from .readers import Grade, Qrels, recognise_qrels


def fingerprint(qrels: Any) -> str:
    """32 hex digits that change when a judgement does, and not with the order, the form or the name of the qrels.

    ``qrels`` is whatever :func:`samescore.read_qrels` reads, or what it returns. A judged query without a relevant
    document counts, and so does a judgement that contradicts another; one that repeats another does not.

    Raises InputError for qrels that cannot be read.

    >>> fingerprint({"q1": {"d1": 1, "d2": 0}}) == fingerprint({"q1": {"d2": 0, "d1": 1.0}})
    True
    >>> fingerprint({"q1": {"d1": 1}}) == fingerprint({"q1": {"d1": 2}})
    False
    """
    found = recognise_qrels(qrels)
    digest = hashlib.blake2b(digest_size=16)
    for query in sorted(found.grades):
        digest.update(json.dumps([query, _judged(found, query)]).encode() + b"\n")  # ASCII, whatever the ids are
    return digest.hexdigest()


def _judged(qrels: Qrels, query: str) -> Sequence[tuple[str, list[Grade]]]:
    """The documents of a query in order of their ids, each with its grades in the order found, repeats dropped."""
    grades: dict[str, list[Grade]] = {doc: [grade] for doc, grade in qrels.grades[query].items()}
    for doc, grade in qrels.further.get(query, ()):
        grades[doc].append(grade)
    return [(doc, [grade for grade, _ in groupby(found)]) for doc, found in sorted(grades.items())]
