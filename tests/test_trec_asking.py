"""What -m means: names, parameters, nicknames, and what is refused."""

from __future__ import annotations

import pytest

from samescore.errors import MeasureError
from samescore.tools.trec_eval.program import columns_of


def names(*measures: str) -> list[str]:
    """The names of the columns."""
    return [column.name for column in columns_of(measures)]


@pytest.mark.parametrize(
    ("measure", "columns"),
    [
        ("map", ["map"]),
        ("P.10,5", ["P_5", "P_10"]),
        ("ndcg_cut.10,20,23.4", ["ndcg_cut_10", "ndcg_cut_20", "ndcg_cut_23"]),
        ("success", ["success_1", "success_5", "success_10"]),
        ("success.1", ["success_1"]),
        ("iprec_at_recall..10,.20", ["iprec_at_recall_0.10", "iprec_at_recall_0.20"]),
        ("Rprec_mult.5.0,0.2", ["Rprec_mult_0.20", "Rprec_mult_5.00"]),
        ("Rprec_mult.1234567.5", ["Rprec_mult_1234567."]),
        ("11pt_avg..25,.5,.75", ["11pt_avg_.25,.5,.75"]),
        ("ndcg.1=3,2=9,4=4.5", ["ndcg_1=3,2=9,4=4.5"]),
        ("utility.2,-1,0,0", ["utility_2,-1,0,0"]),
        ("rbp.p=0.8", ["rbp_p=0.8"]),
        ("relstring.20", ["relstring_20"]),
    ],
)
def test_columns_are_named_as_trec_eval_names_them(measure: str, columns: list[str]) -> None:
    assert names(measure) == columns


def test_the_order_is_that_of_the_table_whatever_was_asked_first() -> None:
    assert names("unj.5", "map", "num_q") == ["num_q", "map", "unj_5"]


def test_nicknames_stand_for_measures_and_may_stand_beside_them() -> None:
    counts = ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret"]
    assert names("set") == [*counts, "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"]
    assert names("official")[:9] == [*counts, "map", "gm_map", "Rprec", "bpref"]
    assert names("set", "map", "num_q") == sorted({*names("set"), "map"}, key=names("all_trec").index)
    assert set(names("official")) < set(names("all_trec"))


def test_the_first_parameters_hold_and_a_plain_name_takes_none_away() -> None:
    assert names("P.5", "P.10") == names("P", "P.5") == names("official", "P.5", "P")[-1:] == ["P_5"]


@pytest.mark.parametrize(
    ("measure", "what"),
    [
        ("ndgc", "no measure 'ndgc'\ntry: ndcg"),
        ("nDCG@10", "no measure 'nDCG@10'"),
        ("P.0", "'0' is no cutoff of P"),
        ("P." + "9" * 400, "99999' is no cutoff of P"),
        ("P.-5", "'-5' is no cutoff of P"),
        ("P.1e3", "'1e3' is no cutoff of P"),
        ("P.5,", "'' is no cutoff of P"),
        ("P.5,10,5", "5 stands twice after P\ntry: -m P.5,10"),
        ("P.", "no parameter stands after the dot in 'P.'"),
        ("map.5", "map takes no parameters, but '5' was given\ntry: -m map"),
        ("official.5", "official takes no parameters"),
        ("utility.1,2", "utility takes 4 numbers, not 2\ntry: -m utility.1,-1,0,0"),
        ("set_F.1,2", "set_F takes 1 numbers, not 2"),
        ("set_F.nan", "'nan' after set_F is not a number"),
        ("set_F.x", "'x' after set_F is not a number"),
        ("ndcg.1:3", "'1:3' is no grade=gain that ndcg can take"),
        ("ndcg.-1=3", "'-1=3' is no grade=gain that ndcg can take"),
        ("ndcg.p=0.8", "'p=0.8' is no grade=gain that ndcg can take"),
        ("ndcg.1=3,1=4", "'1=4' is no grade=gain that ndcg can take, or stands there twice"),
        ("rbp.0.8", "'0.8' is no grade=gain that rbp can take, or stands there twice\ntry: -m rbp.p=0.8"),
        ("prefs_simp", "for preferences or several judges"),
        ("all_prefs", "for preferences or several judges"),
        ("qrels_jg", "for preferences or several judges"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_could(measure: str, what: str) -> None:
    with pytest.raises(MeasureError) as refused:
        columns_of([measure])
    assert what in str(refused.value)
