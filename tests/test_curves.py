"""curve: a measure at several cutoffs, where it flattens, and how much is enough."""

from __future__ import annotations

import json
import math

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from samescore import curve, evaluate, interval, read_run
from samescore.errors import InputError, MeasureError

QRELS = {"q1": {"a": 1, "b": 1, "c": 1, "d": 1, "n": 0}}
RUN = {"q1": ["a", "b", "x", "c", "y", "z", "w", "d"]}
RISING = {"q1": ["x", "y", "z", "a", "w", "v", "u", "b"]}


def found(runs, measure="R", k=(1, 2, 4, 8), **options):
    return curve(runs, QRELS, measure, k, backend="reference", **options)


def test_it_has_the_value_at_each_cutoff():
    assert found({"run": RUN}).values == {"run": (1 / 4, 2 / 4, 3 / 4, 1.0)}
    assert found({"run": RUN}, k=[4, 1, 4]).k == (1, 4)


def test_enough_is_the_smallest_cutoff_that_keeps_the_share():
    assert found({"run": RUN}).enough == {"run": 8}
    assert found({"run": RUN}, keep=0.75).enough == {"run": 4}
    assert found({"run": RUN}, keep=0.5).enough == {"run": 2}


def test_nothing_found_is_never_enough():
    nothing = found({"run": {"q1": list("nopqrstu")}})
    assert nothing.enough == {"run": None}
    assert nothing.notes[0] == "run: R@8 is 0; flat from k = 1, where a doubling of k adds less than 0.01"


def test_it_flattens_where_no_later_doubling_adds_enough():
    flat = {"q1": ["a", "b", "c", "d", "x", "y", "z", "w"]}
    assert found({"run": flat}).flattens == {"run": 4}
    assert found({"run": RISING}).flattens == {"run": None}
    # From 2 to 8 are two doublings, which add 1/4 each; so does that from 1 to 2.
    assert found({"run": flat}, k=[1, 2, 8], flat=0.26).flattens == {"run": 1}
    assert found({"run": flat}, k=[1, 2, 8], flat=0.25).flattens == {"run": None}


def test_sentences_say_so():
    assert found({"run": RISING}).notes[0] == "run: no smaller k keeps 95 % of R@8; still rising at k = 8"
    flat = found({"run": {"q1": ["a", "b", "c", "d", *"wxyz"]}}).notes[0]
    assert flat == "run: k = 4 keeps 95 % of R@8; flat from k = 4, where a doubling of k adds less than 0.01"
    assert found({"run": RUN}, k=[5]).notes[0] == "run: one cutoff, no curve"


def test_nothing_is_said_of_cutoffs_that_the_rankings_do_not_reach():
    made = found({"run": {"q1": ["a", "b", "c", "d"]}})
    assert made.ends == made.to_dict()["ends"] == {"run": 4}
    unknown = "run: the rankings end at 4: nothing is known of R@8 beyond that"
    assert made.notes[0] == f"{unknown}; no smaller k keeps 95 % of R@4; still rising at k = 4"
    assert found({"run": {"q1": ["a"]}}).notes[0] == "run: the rankings end at 1: nothing is known of R@2 to R@8 beyond that"


def test_rankings_end_where_most_of_them_do():
    qrels = {f"q{i}": {"a"} for i in range(4)}
    deep, short = [*"wxyzuvst"], ["a"]
    assert curve({"run": {"q0": deep, "q1": short, "q2": short, "q3": []}}, qrels, "R", [1, 8]).ends == {"run": 1}
    assert curve({"run": {"q0": deep, "q1": deep, "q2": short, "q3": short}}, qrels, "R", [1, 8]).ends == {"run": 8}


def test_a_curve_over_no_query_has_no_values():
    made = curve({"run": {"q": ["a"]}}, {"q": {"a": 0}}, "R", [1])
    assert math.isnan(made.values["run"][0])
    assert made.table["run"].isna().all()
    assert json.loads(made.to_json())["values"] == {"run": [None]}


def test_any_measure_with_a_cutoff_has_a_curve():
    assert found({"run": RUN}, "P(rel=1)", [2, 4]).values["run"] == (1.0, 3 / 4)
    assert found({"run": RUN}, "ndcg", [1]).measure == "nDCG"


@given(st.lists(st.integers(1, 20), min_size=1, max_size=6))
def test_its_values_are_those_of_evaluate(cutoffs):
    made = found({"run": RUN}, "nDCG", cutoffs)
    for k, value in zip(made.k, made.values["run"], strict=True):
        assert value == evaluate(RUN, QRELS, measures=f"nDCG@{k}", backend="reference")[f"nDCG@{k}"]


def test_tables_have_a_row_for_each_cutoff_and_a_column_for_each_run():
    made = found({"one": RUN, "two": RISING})
    assert made.table.index.tolist() == [1, 2, 4, 8]
    assert made.table["two"].tolist() == [0, 0, 1 / 4, 2 / 4]
    assert str(made).splitlines()[3].split() == ["R@4", "0.7500", "0.2500"]
    assert made.to_markdown().splitlines()[4] == "| R@4 | 0.7500 | 0.2500 |"
    assert "<td>0.7500</td>" in made._repr_html_()
    plain = json.loads(json.dumps(made.to_dict()))
    assert (plain["enough"], plain["flattens"]) == ({"one": 8, "two": 8}, {"one": None, "two": None})


def test_one_run_needs_no_name(tmp_path):
    path = tmp_path / "bm25.txt"
    path.write_text("".join(f"q1 Q0 {doc} {i} {-i} t\n" for i, doc in enumerate(RUN["q1"], 1)))
    assert found(path).values == {"bm25": (1 / 4, 2 / 4, 3 / 4, 1.0)}
    assert found(read_run(path)).values == {"bm25": (1 / 4, 2 / 4, 3 / 4, 1.0)}
    frame = pd.DataFrame({"query_id": "q1", "doc_id": RUN["q1"], "rank": range(8)})
    assert found(frame).values == {"run": (1 / 4, 2 / 4, 3 / 4, 1.0)}


def test_options_are_those_of_evaluate():
    chunks = {"q1": ["a#1", "a#2", "b#1"]}
    assert found({"run": chunks}, k=[2], doc_of=lambda chunk: chunk[0]).values == {"run": (2 / 4,)}
    assert found({"run": RUN}, k=[2], average="micro", queries=["q1"]).values == {"run": (2 / 4,)}


@pytest.mark.parametrize(
    ("measure", "k", "said"),
    [
        ("R@5", [1], "R@5 has a cutoff already"),
        ("R", [], "k is"),
        ("R", [0], "the cutoff of R is 0"),
        ("Rprec", [5], "Rprec has no cutoff"),
    ],
)
def test_what_has_no_curve_is_refused(measure, k, said):
    with pytest.raises(MeasureError, match=said):
        found({"run": RUN}, measure, k)


def test_no_run_is_refused():
    with pytest.raises(InputError, match="there is no run"):
        found({})


@pytest.mark.parametrize("k", [None, [None], [1, None]])
def test_a_curve_without_a_cutoff_is_refused(k):
    with pytest.raises(MeasureError, match="k is"):
        found({"run": RUN}, k=k)


@pytest.mark.parametrize("options", [{"keep": keep} for keep in (0, -1, 2, float("nan"), "x", True)])
def test_a_share_that_nothing_or_everything_keeps_is_refused(options):
    with pytest.raises(InputError, match="keep is"):
        found({"run": RUN}, **options)


@pytest.mark.parametrize("options", [{"flat": flat} for flat in (0, -1, float("nan"), "x")])
def test_a_rise_that_is_none_is_refused(options):
    with pytest.raises(InputError, match="flat is"):
        found({"run": RUN}, **options)


def test_a_measure_that_falls_is_not_flat():
    falling = found({"run": {"q1": ["a", "b", "x", "y"]}}, "P", k=[1, 2, 4])
    assert falling.values == {"run": (1.0, 1.0, 2 / 4)}
    assert falling.flattens == {"run": None}
    assert "still falling at k = 4" in falling.notes[0]


@pytest.mark.parametrize("queries", ["q1", 5])
def test_queries_are_a_list_of_ids(queries):
    with pytest.raises(InputError, match="queries is"):
        found({"run": RUN}, queries=queries)


def test_rounding_does_not_cost_a_cutoff():
    docs = [f"d{i}" for i in range(20)]
    told = curve({"run": {"q1": docs[:15]}}, {"q1": dict.fromkeys(docs, 1)}, "R", k=[11, 12, 15], keep=0.8, backend="reference")
    assert told.values["run"] == (11 / 20, 12 / 20, 15 / 20)
    assert 0.8 * (15 / 20) > 12 / 20  # in floating point alone
    assert told.enough == {"run": 12}


def test_it_is_json_and_tsv_and_its_repr_is_short():
    made = found({"one": RUN, "two": RISING})
    assert json.loads(made.to_json()) == json.loads(json.dumps(made.to_dict()))
    low, high = interval(made.results["one"], "R@1")
    assert made.to_dict()["intervals"]["one"][0] == [low, high]
    assert made.to_tsv().splitlines()[:2] == ["run\tk\tR\tlow\thigh", f"one\t1\t0.25\t{low!r}\t{high!r}"]
    assert repr(made) == "Curve(measure='R', k=4, values=2, keep=0.95, flat=0.01, results=2)"
