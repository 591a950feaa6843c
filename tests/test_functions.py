"""The public functions: the worked examples, their other forms of input, and the same answers as evaluate."""

from __future__ import annotations

from decimal import Decimal
from math import log2

import numpy as np
import pytest
from hypothesis import given, strategies as st

import samescore
from samescore import average_precision, dcg, evaluate, mrr, ndcg_at_k, precision_at_k, recall_at_k, reciprocal_rank
from samescore.errors import GradeError, IdError, InputTypeError, MeasureError, PolicyError, SamescoreError

JUDGED = {"d2": 3, "d4": 1, "d9": 2, "d5": 0}
AC = {"A", "C"}
ABCD = {"A": 3, "B": 2, "D": 1, "C": 0}
IDEAL = 7 + 3 / log2(3) + 1 / 2
EXAMPLES = [
    ("recall at 3", recall_at_k(["d1", "d2", "d3", "d4"], JUDGED, 3), 1 / 3),
    ("recall at 4", recall_at_k(["d1", "d2", "d3", "d4"], JUDGED, 4), 2 / 3),
    ("mrr", mrr(["d1", "d2", "d3", "d4"], JUDGED), 1 / 2),
    ("nDCG at 3", ndcg_at_k(["d1", "d2", "d3", "d4"], JUDGED, 3), (7 / log2(3)) / IDEAL),
    ("nDCG of the ideal", ndcg_at_k(["d2", "d9", "d4"], JUDGED, 3), 1),
    ("a document counts once", recall_at_k(["d2", "d2", "d2"], JUDGED, 3), 1 / 3),
    ("a repeated stranger is one rank", mrr(["x", "x", "d4"], JUDGED), 1 / 2),
    ("recall of all", recall_at_k(list("ABCDE"), AC, 5), 1),
    ("precision divides by k", precision_at_k(list("ABCDE"), AC, 5), 2 / 5),
    ("precision at 1", precision_at_k(list("ABCDE"), AC, 1), 1),
    ("precision beyond the ranking", precision_at_k(["A"], AC, 4), 1 / 4),
    ("binary nDCG", ndcg_at_k(list("ABCDE"), AC, 5), 1.5 / (1 + 1 / log2(3))),
    ("mrr at the third rank", mrr(list("XYAC"), AC), 1 / 3),
    ("recall at 4 of late hits", recall_at_k(list("XYAC"), AC, 4), 1),
    ("the first two swapped", ndcg_at_k(list("BACDE"), AC, 5), (1 / log2(3) + 1 / 2) / (1 + 1 / log2(3))),
    ("relevant ones swapped", ndcg_at_k(list("CBADE"), AC, 5), 1.5 / (1 + 1 / log2(3))),
    ("DCG", dcg([3, 2, 0, 1]), 7 + 3 / log2(3) + 1 / log2(5)),
    ("ideal DCG", dcg([3, 2, 1, 0]), 7 + 3 / log2(3) + 1 / 2),
    ("graded nDCG", ndcg_at_k(list("ABCD"), ABCD, 4), (7 + 3 / log2(3) + 1 / log2(5)) / (7 + 3 / log2(3) + 1 / 2)),
    ("AP 1", average_precision(list("ABCDE"), AC, 5), (1 / 1 + 2 / 3) / 2),
    ("AP 2", average_precision(list("CDBEA"), {"B"}, 5), 1 / 3),
    ("AP 3", average_precision(list("ABCDE"), {"D", "E"}, 5), (1 / 4 + 2 / 5) / 2),
    ("AP without a cutoff", average_precision(list("ABCDE"), AC), (1 / 1 + 2 / 3) / 2),
    ("AP divides by all relevant", average_precision(["A"], {"A", "B", "C", "D"}, 1), 1 / 4),
    ("DCG of nothing", dcg([]), 0),
    ("a negative grade gains nothing", dcg([-2, 1]), 1 / log2(3)),
]


@pytest.mark.parametrize(("got", "wanted"), [pytest.param(got, wanted, id=name) for name, got, wanted in EXAMPLES])
def test_the_worked_examples_hold(got, wanted):
    assert got == pytest.approx(wanted, abs=1e-12)
    assert type(got) is float


@pytest.mark.parametrize("qrels", [{"d1": 0}, {}, set(), [], {"d1": -1}])
def test_recall_ndcg_and_ap_are_none_where_nothing_is_relevant_and_mrr_is_zero(qrels):
    ranking = ["d1", "d2", "d3", "d4"]
    assert recall_at_k(ranking, qrels, 3) is None
    assert ndcg_at_k(ranking, qrels, 3) is None
    assert average_precision(ranking, qrels) is None
    assert mrr(ranking, qrels) == 0.0
    assert precision_at_k(ranking, qrels, 3) == 0.0


def test_an_empty_ranking_finds_nothing():
    assert recall_at_k([], AC, 5) == ndcg_at_k([], AC, 5) == average_precision([], AC) == mrr([], AC) == 0.0


def test_reciprocal_rank_is_another_name_of_mrr():
    assert reciprocal_rank(["X", "A"], {"A"}) == mrr(["X", "A"], {"A"}) == 1 / 2


@pytest.mark.parametrize(
    "ranking",
    [
        ["x", "a"],
        ("x", "a"),
        {"a": 1.0, "x": 2.0},
        [("a", 1), ("x", 2)],
        np.array(["x", "a"]),
        {"a": Decimal("0.1"), "x": np.float32(0.2)},
    ],
    ids=["list", "tuple", "scores", "pairs", "array", "other numbers"],
)
@pytest.mark.parametrize("qrels", [{"a": 1}, {"a"}, ["a"], {"a": True}, {"a": np.int8(1)}, {"a": 1.0}, [("a", 1)], frozenset("a")])
def test_rankings_and_judgements_may_have_any_form(ranking, qrels):
    assert mrr(ranking, qrels) == 1 / 2


def test_ids_may_be_whole_numbers_on_either_side():
    assert recall_at_k([7, 8], {"8"}, 2) == recall_at_k(["7", "8"], {np.int64(8): 1}, 2) == 1


@pytest.mark.parametrize("k", [0, -1, 1.5, "3", True])
def test_a_cutoff_that_is_no_whole_number_from_1_is_refused(k):
    for function in (recall_at_k, precision_at_k, ndcg_at_k, average_precision):
        with pytest.raises(MeasureError, match="at least 1"):
            function(["a"], {"a"}, k)


def test_what_no_policy_accepts_is_refused():
    with pytest.raises(InputTypeError, match="order"):
        mrr({"a", "b"}, {"a"})
    with pytest.raises(InputTypeError, match="abc"):
        mrr("abc", {"a"})
    with pytest.raises(IdError, match="None"):
        mrr(["a", None], {"a"})
    with pytest.raises(GradeError, match="high"):
        ndcg_at_k(["a"], {"a": "high"}, 5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mrr({"a", "b"}, {"a"}), "the ranking is a set, which has no order\ntry: a list in order of rank"),
        (lambda: recall_at_k("ab", {"a"}, 1), "the ranking is one text, 'ab'\ntry: a list of document ids"),
        (
            lambda: mrr({"query": float("nan")}, ["a"]),
            "document 'query': the score is NaN\ntry: drop the document or give it a number",
        ),
        (
            lambda: ndcg_at_k(["a"], [("a", 1), ("a", 2)], 5),
            "document 'a': judged twice, with the grades 1 and 2\n"
            "try: evaluate(), with policy=Policy(conflicts='max') or Policy(conflicts='last'), or mend the qrels",
        ),
        (
            lambda: ndcg_at_k(["a"], {"a": 2000}, 5),
            "document 'a': the gain 2^2000 - 1 of the grade 2000 overflows\ntry: evaluate(), with policy=Policy(gain='linear')",
        ),
        (lambda: dcg([1, "high"]), "rank 2: the grade 'high' is not a number\ntry: a whole grade such as 0, 1 or 2"),
    ],
)
def test_errors_speak_of_the_ranking_alone_and_not_of_a_query_that_nobody_named(call, message):
    with pytest.raises(SamescoreError) as raised:
        call()
    assert str(raised.value) == message


def test_conflicting_judgements_are_refused_as_evaluate_refuses_them():
    with pytest.raises(PolicyError, match="judged twice"):
        ndcg_at_k(["a"], [("a", 1), ("a", 2)], 5)


@pytest.mark.parametrize("call", [lambda: ndcg_at_k(["a"], {"a": 2000}, 5), lambda: dcg([1, 2000])], ids=["ndcg", "dcg"])
def test_a_grade_whose_gain_overflows_is_refused(call):
    with pytest.raises(GradeError, match="2000"):
        call()


@pytest.mark.parametrize("grade", ["high", float("nan"), None, float("inf")])
def test_dcg_refuses_what_is_no_grade(grade):
    with pytest.raises(GradeError):
        dcg([1, grade])


def test_dcg_takes_any_real_number():
    assert dcg([np.int64(3), Decimal(2), True, 0.5]) == pytest.approx(7 + 3 / log2(3) + 1 / 2 + (2**0.5 - 1) / log2(5), abs=1e-12)


RANKINGS = st.lists(st.sampled_from("abcdefgh"), max_size=12)
GRADES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-2, 5), max_size=8)


@pytest.mark.filterwarnings("ignore:no document of the run is judged")
@given(RANKINGS, GRADES, st.integers(1, 12))
def test_the_functions_say_what_evaluate_says(ranking, grades, k):
    measures = [f"R@{k}", f"P@{k}", "RR", "AP", f"AP@{k}", f"nDCG@{k}"]
    said = [
        recall_at_k(ranking, grades, k),
        precision_at_k(ranking, grades, k),
        mrr(ranking, grades),
        average_precision(ranking, grades),
        average_precision(ranking, grades, k),
        ndcg_at_k(ranking, grades, k),
    ]
    if max(grades.values(), default=0) < 1:
        assert said == [None, 0.0, 0.0, None, None, None]
        return
    for backend in ("reference", "ir_measures"):
        result = evaluate({"q": ranking}, {"q": grades}, measures=measures, backend=backend)
        assert said == pytest.approx([result[m] for m in measures], abs=1e-12)


def test_nothing_that_was_passed_is_changed():
    ranking, qrels = ["x", "a", "a"], {"a": 2, "b": -1}
    ndcg_at_k(ranking, qrels, 2)
    assert (ranking, qrels) == (["x", "a", "a"], {"a": 2, "b": -1})


def test_every_public_name_is_there_and_has_a_docstring():
    for name in samescore.__all__:
        assert getattr(samescore, name).__doc__
    assert set(samescore.__all__) <= set(dir(samescore))
    with pytest.raises(AttributeError, match="no_such"):
        samescore.no_such  # noqa: B018  # the look-up is the test


@pytest.mark.parametrize("grades", [None, 5, np.array(3)])
def test_grades_that_are_no_list_are_refused(grades):
    with pytest.raises(InputTypeError, match="in order of rank"):
        dcg(grades)
