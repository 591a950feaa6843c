"""User-defined measures: a function of one query in rank space, on every backend and on the command line."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from ir_measures import Qrel

from samescore import Policy, define, evaluate
from samescore.errors import MeasureError
from samescore.measures import load_measure, named_measure

RUN = {"q": ["x", "a", "b"], "r": ["a"], "s": [], "zz": ["a"]}
QRELS = {"q": {"a": 1, "b": 3, "c": 2}, "r": {"a": 0}, "s": {"a": 1}, "t": {"a": 1}}


def best(ranking):
    """The highest grade that was retrieved, as a share of 3; None where nothing is relevant."""
    if not any(grade > 0 for _, grade in ranking.judged):
        return None
    return max((grade for _, grade in ranking.retrieved()), default=0) / 3


def depth(ranking):
    return ranking.depth


BEST = define("Best", best)


@pytest.mark.parametrize("backend", ["ir_measures", "ranx", "reference"])
def test_it_is_averaged_like_any_other_on_every_backend(backend):
    result = evaluate(RUN, QRELS, measures=[BEST, "R@3"], backend=backend)
    assert dict(result) == {"Best": (3 / 3 + 0 + 0) / 3, "R@3": pytest.approx((2 / 3 + 0 + 0) / 3)}
    assert result[BEST] == result["Best"]
    assert result.per_query["Best"].to_dict() == {"q": 1, "s": 0, "t": 0}


def test_it_gets_the_whole_ranking_or_its_first_documents():
    result = evaluate(RUN, QRELS, measures=[define("Depth", depth)], backend="reference")
    assert result.per_query["Depth"].to_dict() == {"q": 3, "s": 0, "t": 0}
    cut = define("Best", best, cutoff=2)
    assert str(cut) == "Best@2"
    assert evaluate(RUN, QRELS, measures=cut).per_query["Best@2"]["q"] == 1 / 3


@pytest.mark.parametrize(("empty", "value"), [("zero", 0), ("one", 1)])
def test_none_is_undefined_and_the_policy_decides(empty, value):
    result = evaluate(RUN, QRELS, measures=[BEST], policy=Policy(empty=empty))
    assert result.per_query["Best"]["r"] == value
    assert evaluate(RUN, QRELS, measures=[define("Depth", depth)], policy=Policy(empty=empty)).per_query["Depth"]["r"] == 1


def test_a_query_that_it_leaves_undefined_is_reported():
    never = define("Never", lambda ranking: None)
    report = evaluate({"q": ["a"]}, {"q": ["a"]}, measures=[never, "RR"]).report
    assert (report.undefined, report.n) == ({"Never": ("q",)}, {"Never": 0, "RR": 1})


@pytest.mark.parametrize("returned", ["high", float("nan"), float("inf"), [1], 1j])
def test_what_is_no_number_is_an_error_with_the_query(returned):
    with pytest.raises(MeasureError, match="'q'"):
        evaluate({"q": ["a"]}, {"q": ["a"]}, measures=define("Odd", lambda ranking: returned))


@pytest.mark.parametrize("returned", [True, 1, np.float32(1), np.int64(1), np.True_])
def test_any_real_number_will_do(returned):
    assert evaluate({"q": ["a"]}, {"q": ["a"]}, measures=define("One", lambda ranking: returned))["One"] == 1


def test_an_error_of_the_function_is_said_with_the_query():
    with pytest.raises(MeasureError, match=r"'q'.*ZeroDivisionError") as raised:
        evaluate({"q": ["a"]}, {"q": ["a"]}, measures=define("Odd", lambda ranking: 1 / 0))
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("name", ["nDCG", "ndcg", "R", "r_cap", "", "my measure", "a@b", "5", None])
def test_a_name_that_is_taken_or_is_none_is_refused(name):
    with pytest.raises(MeasureError):
        define(name, best)


def test_what_is_no_function_is_refused():
    with pytest.raises(MeasureError, match="no function"):
        define("Best", 5)


def test_two_of_one_name_are_refused_and_one_asked_twice_is_one():
    with pytest.raises(MeasureError, match="MyBest"):
        evaluate(RUN, QRELS, measures=[BEST, define("Best", depth)])
    assert list(evaluate(RUN, QRELS, measures=[BEST, define("Best", best)])) == ["Best"]


def test_it_is_a_value():
    assert define("Best", best) == BEST
    assert pickle.loads(pickle.dumps(BEST)) == BEST
    assert define("Best", depth) != BEST


@pytest.fixture
def module(tmp_path, monkeypatch):
    text = "import samescore\ndef first(ranking):\n    return float(any(g > 0 for _, g in ranking.retrieved(1)))\n"
    text += "named = samescore.define('Renamed', first, cutoff=1)\nnumber = 5\n"
    (tmp_path / "made_up_measures.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("module")
def test_one_is_loaded_by_the_name_of_its_function_or_as_a_measure():
    assert str(load_measure("made_up_measures:first")) == "first"
    assert str(named_measure("made_up_measures:named")) == "Renamed@1"
    assert str(named_measure("nDCG(gains={1:2})@5")) == "nDCG(gains={1:2})@5"


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    "target", ["made_up_measures:second", "no_such_module:first", ":first", "made_up_measures:number", "made_up"]
)
def test_what_cannot_be_loaded_is_refused(target):
    with pytest.raises(MeasureError):
        load_measure(target)


@pytest.mark.usefixtures("module", "files")
def test_the_command_takes_one_by_name(say):
    out, err, code = say("evaluate", "qrels.txt", "bm25.txt", "-m", "made_up_measures:first", "-m", "RR", "--backend", "reference")
    assert (err, code) == ("", 0)
    assert out.splitlines()[1].split() == ["first", "0.3333"]
    assert say("evaluate", "qrels.txt", "bm25.txt", "-m", "made_up_measures:none")[2] == 2


@pytest.mark.parametrize("name", ["recall", "mrr", "P_5", "ndcg_cut_10", "map", "queries", "skipped"])
def test_a_name_that_a_result_reads_as_something_else_is_refused(name):
    with pytest.raises(MeasureError, match=f"try: My{name}"):
        define(name, best)


@pytest.mark.parametrize("value", [10**400, -(10**400), float("inf"), float("nan")], ids=["huge", "minus huge", "inf", "nan"])
def test_a_value_that_is_no_float_is_refused_with_the_query(value):
    with pytest.raises(MeasureError, match="query 'q'") as raised:
        evaluate(RUN, QRELS, measures=define("Huge", lambda ranking: value))
    assert "a finite float, or None" in str(raised.value)


def test_a_function_gets_the_ids_scores_and_query_that_its_parameters_name():
    seen = {}

    def spread(ranking, *, doc_ids, scores, query_id):
        seen[query_id] = (doc_ids, scores)
        return 1.0

    run = {"q1": [("b", 1.0), ("a", 3.0), ("a", 2.0), ("x", 0.5)], "q2": ["c", "d"]}
    qrels = {"q1": {"a": 1}, "q2": {"d": 1}}
    evaluate(run, qrels, measures=[define("Spread", spread)])
    assert seen == {"q1": (["a", "b", "x"], [3.0, 1.0, 0.5]), "q2": (["c", "d"], None)}
    evaluate(run, qrels, measures=[define("Spread", spread, cutoff=2)], policy=Policy(duplicates="each"))
    assert seen == {"q1": (["a", "a"], [3.0, 2.0]), "q2": (["c", "d"], None)}
    evaluate(run, qrels, measures=[define("Spread", spread)], policy=Policy(duplicates="last", unjudged="drop"))
    assert seen["q1"] == (["a"], [2.0])


def test_a_function_gets_the_rows_of_a_big_file(tmp_path):
    rows = [f"q{i} Q0 d{j} {j + 1} {200 - j} t\n" for i in range(300) for j in range(100)]
    (tmp_path / "run.txt").write_text("".join(rows))
    qrels = {f"q{i}": {"d5": 1} for i in range(300)}
    last = define("Last", lambda ranking, doc_ids, scores: float(doc_ids[-1] == "d99" and scores[0] == 200.0))
    assert evaluate(tmp_path / "run.txt", qrels, measures=[last])["Last"] == 1.0


def test_a_function_sees_the_judgements_of_subtopics():
    rows = [Qrel("q", "a", 1, "1"), Qrel("q", "a", 0, "2"), Qrel("q", "b", 1, "2")]
    covered = define("Covered", lambda ranking: float(len({a.subtopic for a in ranking.aspects if a.grade > 0 and a.place <= 2})))
    at_1 = define("Covered1", lambda ranking: float(sum(a.place <= ranking.depth for a in ranking.aspects)), cutoff=1)
    result = evaluate({"q": ["a", "b"]}, rows, measures=[covered, at_1, "alpha_nDCG@5"], backend="reference")
    assert (result["Covered"], result["Covered1@1"]) == (2.0, 2.0)
    assert evaluate({"q": ["a"]}, {"q": {"a": 1}}, measures=[define("N", lambda ranking: len(ranking.aspects))])["N"] == 0
