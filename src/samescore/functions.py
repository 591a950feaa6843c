"""The measures as plain functions of one ranking, by the same policy and definitions as everything else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from . import reference
from .errors import InputTypeError, SamescoreError, Setting, Wording, parts_of, short
from .measures import Measure
from .policy import Policy
from .preparation import refuse_grades
from .ranking import rank
from .readers import open_qrels, open_run
from .readers.values import is_iterable

_POLICY = Policy()


def recall_at_k(ranking: Any, qrels: Any, k: int) -> float | None:
    """Relevant documents among the first k, divided by all relevant ones; None where nothing is relevant.

    ``ranking`` is a list of document ids (or {document: score}), ``qrels`` {document: grade} or a set of relevant
    documents; a grade of 1 or more is relevant, a document counts once. As trec_eval's recall.

    >>> recall_at_k(["A", "B"], {"A", "C"}, 2)
    0.5
    """
    return _value(ranking, qrels, Measure("R", k))


def precision_at_k(ranking: Any, qrels: Any, k: int) -> float | None:
    """Relevant documents among the first k, divided by k, however many were retrieved. As trec_eval's P.

    >>> precision_at_k(["A", "B"], {"A", "C"}, 4)
    0.25
    """
    return _value(ranking, qrels, Measure("P", k))


def mrr(ranking: Any, qrels: Any) -> float | None:
    """1 / rank of the first relevant document, 0.0 where none was found. As trec_eval's recip_rank.

    >>> mrr(["X", "A"], {"A"})
    0.5
    """
    return _value(ranking, qrels, Measure("RR"))


reciprocal_rank = mrr


def average_precision(ranking: Any, qrels: Any, k: int | None = None) -> float | None:
    """Precision at each relevant document retrieved (down to k), summed, divided by all relevant ones; None where there are none.

    >>> average_precision(["A", "X", "B"], {"A", "B"}) == (1/1 + 2/3) / 2
    True
    """
    return _value(ranking, qrels, Measure("AP", k))


def dcg(grades: Iterable[float]) -> float:
    """Discounted cumulative gain of grades in order of rank: the sum of (2^grade - 1) / log2(rank + 1) (Burges et al. 2005).

    >>> dcg([3, 0, 1])
    7.5
    """
    if not is_iterable(grades):
        raise InputTypeError(f"the grades are {short(grades)}", hint="dcg([3, 0, 1]), the grades in order of rank")
    judged = dict(enumerate(grades, 1))
    return _value(list(judged), judged, Measure("DCG"), document="rank") or 0.0


def ndcg_at_k(ranking: Any, qrels: Any, k: int) -> float | None:
    """DCG of the first k documents, divided by that of the best order of all judged ones; None where nothing is relevant.

    Gain 2^grade - 1, discount log2(rank + 1) (Burges et al. 2005).

    >>> round(ndcg_at_k(["X", "A"], {"A": 3}, 2), 4)  # 1 / log2(3)
    0.6309
    """
    return _value(ranking, qrels, Measure("nDCG", k))


def _value(ranking: Any, qrels: Any, measure: Measure, *, document: str = "document") -> float | None:
    """One measure of one ranking; ``document`` says what errors call a document."""
    resolved = _POLICY.resolve(measure)
    with _unnamed(document):
        ranked = rank(open_run({_QUERY: ranking}), open_qrels({_QUERY: qrels}), _POLICY)
        refuse_grades(ranked, [resolved], _POLICY)
    return reference.value(ranked.space.ranking(0), resolved)


_QUERY = "query"


@contextmanager
def _unnamed(document: str) -> Iterator[None]:
    """Errors without the query, which nobody named, and without a policy, which these functions do not take."""
    try:
        yield
    except SamescoreError as error:
        error.query = None
        if document != "document" and error.document is not None:
            error.place, error.document = f"{document} {error.document}", None
        if any(isinstance(part, Setting) and part.of == "policy" for part in parts_of(error.hint)):
            error.hint = Wording("evaluate(), with policy=", error.hint)
        raise
