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
    """Divide the relevant documents among the first k by all relevant ones, as trec_eval's recall does.

    Parameters
    ----------
    ranking : list of ids, or mapping
        Document ids from the best to the worst, or {document: score}. A document counts once.
    qrels : mapping or set
        {document: grade}, or the relevant documents. A grade of 1 or more is relevant.
    k : int
        The cutoff.

    Returns
    -------
    float or None
        From 0 to 1; None where nothing is relevant.

    Examples
    --------
    >>> recall_at_k(["A", "B"], {"A", "C"}, 2)
    0.5
    """
    return _value(ranking, qrels, Measure("R", k))


def precision_at_k(ranking: Any, qrels: Any, k: int) -> float | None:
    """Divide the relevant documents among the first k by k, however many were retrieved, as trec_eval's P does.

    Parameters
    ----------
    ranking : list of ids, or mapping
        Document ids from the best to the worst, or {document: score}. A document counts once.
    qrels : mapping or set
        {document: grade}, or the relevant documents. A grade of 1 or more is relevant.
    k : int
        The cutoff.

    Returns
    -------
    float or None
        From 0 to 1; 0.0 where nothing is relevant.

    Examples
    --------
    >>> precision_at_k(["A", "B"], {"A", "C"}, 4)
    0.25
    """
    return _value(ranking, qrels, Measure("P", k))


def mrr(ranking: Any, qrels: Any) -> float | None:
    """Compute 1 / rank of the first relevant document, as trec_eval's recip_rank does.

    Parameters
    ----------
    ranking : list of ids, or mapping
        Document ids from the best to the worst, or {document: score}. A document counts once.
    qrels : mapping or set
        {document: grade}, or the relevant documents. A grade of 1 or more is relevant.

    Returns
    -------
    float or None
        From 0 to 1; 0.0 where no relevant document was retrieved.

    Examples
    --------
    >>> mrr(["X", "A"], {"A"})
    0.5
    """
    return _value(ranking, qrels, Measure("RR"))


reciprocal_rank = mrr


def average_precision(ranking: Any, qrels: Any, k: int | None = None) -> float | None:
    """Sum the precision at each relevant document retrieved, and divide by the number of all relevant ones.

    Parameters
    ----------
    ranking : list of ids, or mapping
        Document ids from the best to the worst, or {document: score}. A document counts once.
    qrels : mapping or set
        {document: grade}, or the relevant documents. A grade of 1 or more is relevant.
    k : int, optional
        The cutoff; the whole ranking by default.

    Returns
    -------
    float or None
        From 0 to 1; None where nothing is relevant.

    Examples
    --------
    >>> average_precision(["A", "X", "B"], {"A", "B"}) == (1/1 + 2/3) / 2
    True
    """
    return _value(ranking, qrels, Measure("AP", k))


def dcg(grades: Iterable[float]) -> float:
    """Compute the discounted cumulative gain of grades: the sum of (2^grade - 1) / log2(rank + 1) [1]_.

    Parameters
    ----------
    grades : iterable of numbers
        The grades in order of rank.

    Returns
    -------
    float
        0.0 or more.


    References
    ----------
    .. [1] Burges et al. 2005, "Learning to rank using gradient descent", ICML.

    Examples
    --------
    >>> dcg([3, 0, 1])
    7.5
    """
    if not is_iterable(grades):
        raise InputTypeError(f"the grades are {short(grades)}", hint="dcg([3, 0, 1]), the grades in order of rank")
    judged = dict(enumerate(grades, 1))
    return _value(list(judged), judged, Measure("DCG"), document="rank") or 0.0


def ndcg_at_k(ranking: Any, qrels: Any, k: int) -> float | None:
    """Divide the DCG of the first k documents, see :func:`dcg`, by that of the best order of all judged ones.

    Parameters
    ----------
    ranking : list of ids, or mapping
        Document ids from the best to the worst, or {document: score}. A document counts once.
    qrels : mapping or set
        {document: grade}, or the relevant documents. A grade of 1 or more is relevant.
    k : int
        The cutoff.

    Returns
    -------
    float or None
        From 0 to 1; None where nothing is relevant.

    Examples
    --------
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
