"""What may be an id, a score or a grade, and the words of refusal for what may not."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import GradeError, IdError, InputError, ScoreError, reading, short

LARGEST_WHOLE = 2**53

LARGEST_ID = 10**1000
"""Python refuses to write numbers of more than some thousand digits as text."""

WHOLE, NOT_WHOLE = (int, np.integer), (bool, np.bool_, np.timedelta64)
"""numpy counts a span of time among its whole numbers, but int() of it may fail."""


def as_id(value: Any, *, kind: str = "document", query: str | None = None) -> str:
    """An id as text: text stays as it is, an int is its decimal text.

    Raises IdError for an empty id and for what is neither text nor an integer.
    """
    if isinstance(value, str) and value:
        return str.__str__(value)  # the text itself: str() of a member of an Enum of texts is its name
    if isinstance(value, WHOLE) and not isinstance(value, NOT_WHOLE) and abs(int(value)) < LARGEST_ID:
        return str(int(value))
    if is_uuid(value):
        return str(value)
    wrong = "is empty" if isinstance(value, str) else "is not text or an integer"
    what = f"the {kind} id {short(value)} {wrong}"
    is_whole = isinstance(value, (float, np.floating)) and float(value).is_integer()
    such_as = f", such as {str(int(value))!r}" if is_whole else ""
    raise IdError(what, query=query, hint=f"drop the row, or give the {kind} an id of text{such_as}")


def is_uuid(value: Any) -> bool:
    """Whether this is a UUID, which is told without its module."""
    return type(value).__name__ == "UUID" and type(value).__module__ == "uuid"


def is_iterable(value: object) -> bool:
    """Whether it can be iterated over; numpy's arrays without a dimension only look so."""
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0


def as_ids(values: Collection[Any], *, query: str | None = None) -> list[str]:
    """Document ids as a list of text; quick where all are text already."""
    try:
        "".join(values)  # the quickest way to see that all are text
    except TypeError:
        return [as_id(v, query=query) for v in values]
    return list(values) if "" not in values else [as_id(v, query=query) for v in values]


def distinct(keys: Iterable[Any], ids: Sequence[str], *, kind: str, query: str | None = None) -> None:
    """Refuse a mapping in which two keys are one id, such as 1 and '1'."""
    key_of: dict[str, Any] = {}
    for key, text in zip(keys, ids, strict=True):
        if text in key_of:
            what = f"the {kind} ids {short(key_of[text])} and {short(key)} are the same id {text!r}"
            raise IdError(what, query=query, hint="use one spelling of the id")
        key_of[text] = key


def as_scores(values: Collection[Any], docs: Collection[str], *, query: str) -> NDArray[np.float64]:
    """Scores as float64, with -0.0 as 0.0.

    Raises ScoreError for what is not a real number, and for NaN, with the document named.
    """
    if set(map(type, values)) <= {float}:
        scores = np.fromiter(values, np.float64, len(values)) + 0.0
    else:
        scores = np.array([_score(v, d, query) for v, d in zip(values, docs, strict=True)], dtype=np.float64) + 0.0
    if np.isnan(scores).any():
        bad = next(d for d, s in zip(docs, scores, strict=True) if math.isnan(s))
        raise ScoreError("the score is NaN", query=query, document=bad, hint="drop the document or give it a number")
    return scores


def _score(value: Any, doc: str, query: str) -> float:
    """One score as a float."""
    try:
        if isinstance(value, (Real, Decimal, np.bool_)) and not isinstance(value, np.timedelta64):
            return float(value)
    except OverflowError:
        what = f"the score {short(value)} is beyond all floats"
        raise ScoreError(what, query=query, document=doc, hint="smaller scores in the same order") from None
    except ValueError:  # a signaling NaN of Decimal
        pass
    raise ScoreError(f"the score {short(value)} is not a real number", query=query, document=doc, hint="float(score)")


def as_grades(values: Collection[Any], docs: Collection[str], *, query: str, labels: Mapping[str, float]) -> list[Grade]:
    """Grades as ints where they are whole and floats where they are not; quick where all are ints already.

    Raises GradeError for what is not a finite real number, and for one beyond 2^53.
    """
    if set(map(type, values)) <= {int} and (not values or (max(values) <= LARGEST_WHOLE and min(values) >= -LARGEST_WHOLE)):
        return list(values)
    return [as_grade(label_grade(v, labels), doc=d, query=query) for v, d in zip(values, docs, strict=True)]


def negated(ranks: Sequence[Any]) -> list[Any]:
    """Ranks as scores, the first the highest; what is no number is left to the reader of scores."""
    return [-rank if isinstance(rank, Real) else rank for rank in ranks]


def whole_grades(values: Sequence[float] | NDArray[np.float64]) -> list[Grade]:
    """Finite grades of at most 2^53 as ints where they are whole."""
    grades = np.asarray(values, dtype=np.float64)
    is_whole: NDArray[np.bool_] = grades == np.floor(grades)
    if is_whole.all():
        return grades.astype(np.int64).tolist()  # type: ignore[no-any-return]  # a list of ints
    return [int(grade) if grade.is_integer() else grade for grade in grades.tolist()]


LEVEL = re.compile(r"L(\d+)")
"""A grade as NTCIREVAL writes it."""


def label_grade(value: Any, labels: Mapping[str, float]) -> Any:
    """The grade that a word stands for: one of the labels, or a level such as L2; other values as they are."""
    if not isinstance(value, str):
        return value
    level = LEVEL.fullmatch(value)
    return labels[value] if value in labels else int(level[1]) if level else value


def check_labels(labels: object) -> Mapping[str, float]:
    """The labels of grades. Raises InputError for what is no {label: grade}."""
    if labels is None:
        return {}
    if not isinstance(labels, Mapping) or not all(isinstance(label, str) for label in labels):
        raise InputError(f"grades is {short(labels)}", hint=reading("qrels", "grades", {"E": 3, "S": 2, "I": 0}))
    return {label: as_grade(grade) for label, grade in labels.items()}


def as_grade(value: Any, *, doc: str | None = None, query: str | None = None) -> Grade:
    """One grade as an int if it is whole, else as a float."""
    if not isinstance(value, (Real, Decimal, np.bool_)) or isinstance(value, np.timedelta64):
        raise GradeError(
            f"the grade {short(value)} is not a number", query=query, document=doc, hint="a whole grade such as 0, 1 or 2"
        )
    try:
        grade: Grade = int(value) if isinstance(value, WHOLE) else float(value)
    except OverflowError:  # a fraction beyond all floats
        grade = LARGEST_WHOLE + 1
    except ValueError:  # a signaling NaN of Decimal
        grade = math.nan
    if not -math.inf < grade < math.inf:
        raise GradeError(f"the grade is {grade}", query=query, document=doc, hint="a whole grade such as 0, 1 or 2")
    if abs(grade) > LARGEST_WHOLE:
        raise GradeError(f"the grade {short(value)} is too large", query=query, document=doc, hint="grades of at most 2^53")
    return int(grade) if isinstance(grade, float) and grade.is_integer() else grade


Grade = int | float
