"""validate: reported numbers are recomputed under the policy of their tool, compared to their precision, and explained."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError

import ir_measures
import pandas
import pytest

from samescore import Policy, Validation, evaluate, read_run, validate
from samescore.errors import InputError, MeasureError, PolicyError
from samescore.measures.names import EVERY
from samescore.tools.trec_eval import program as trec
from samescore.tools.validate import HABITS

RUN = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d1": 1.0, "d2": 1.0}, "empty": {"d1": 1.0}}
QRELS = {"q1": {"d1": 1, "d2": 3, "d3": -1}, "q2": {"d1": 2, "d2": 0}, "missing": {"d9": 2}, "too": {"d9": 1}, "empty": {"d1": 0}}
LINEAR = ((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)) + 1 / math.log2(3)) / 4
EXPONENTIAL = ((1 + 7 / math.log2(3)) / (7 + 1 / math.log2(3)) + 1 / math.log2(3)) / 4
ALL_TREC = ["all_trec"]
TREC_EVAL = Policy.trec_eval()


def trec_eval(folder, *, measures=("official",), per_query=True, policy=TREC_EVAL, edit=lambda line: line):
    """What trec_eval prints for the run, as a file."""
    from samescore import read_qrels

    scores = trec.score(read_run(RUN), read_qrels(QRELS), trec.columns_of(measures), policy=policy)
    lines = [edit(line) for line in trec.lines(scores, per_query=per_query)]
    (folder / "reported.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "reported.txt"


def test_every_tool_that_has_names_has_policies():
    assert set(HABITS) == set(EVERY)
    assert all(habits.policies for habits in HABITS.values())


def test_values_that_agree_to_their_decimals_are_ok():
    found = validate(RUN, QRELS, {"nDCG@10": f"{EXPONENTIAL:.3f}", "RR": "0.375"})
    assert found.ok
    assert found.table["agrees"].tolist() == [True, True]
    assert found.table["here"].tolist() == pytest.approx([EXPONENTIAL, (1 + 1 / 2) / 4])
    assert found.explanation is None


def test_a_value_that_differs_is_shown_and_explained():
    found = validate(RUN, QRELS, {"nDCG@10": f"{LINEAR:.4f}", "RR": "0.3750"})
    assert not found.ok
    assert found.differences[["measure", "query_id"]].to_numpy().tolist() == [["nDCG@10", "all"]]
    assert found.differences["difference"].tolist() == pytest.approx([EXPONENTIAL - LINEAR], abs=1e-4)
    assert "linear gain (samescore: 2^grade - 1)" in found.explanation.sentences[0]
    assert "linear gain" in str(found)
    assert "linear gain" in found.to_markdown()


def test_the_explanation_can_be_left_out():
    assert validate(RUN, QRELS, {"nDCG@10": 0.1}, why=False).explanation is None


@pytest.mark.parametrize("measures", [["official"], ["set"], ALL_TREC, ["P.1,2", "ndcg.1=3,2=9", "ndcg_cut.1,2"]], ids=str)
@pytest.mark.parametrize("per_query", [False, True], ids=["means", "queries"])
def test_trec_eval_s_output_is_recomputed_whole(measures, per_query, tmp_path):
    found = validate(RUN, QRELS, trec_eval(tmp_path, measures=measures, per_query=per_query))
    assert (found.ok, found.tool, found.unknown) == (True, "trec_eval", ())
    assert len(found.lines) == sum(
        column.entry.summary not in ("none",) and column.name != "runid" for column in trec.columns_of(measures)
    )


def test_output_with_c_is_told_from_output_without(tmp_path):
    assert validate(RUN, QRELS, trec_eval(tmp_path)).policy == Policy.trec_eval()
    complete = Policy.trec_eval(complete=True)
    assert validate(RUN, QRELS, trec_eval(tmp_path, policy=complete)).policy == complete


def test_trec_eval_s_ndcg_is_linear(tmp_path):
    path = tmp_path / "reported.txt"
    path.write_text(f"ndcg\tall\t{LINEAR * 4 / 5:.4f}\n", encoding="utf-8")
    assert validate(RUN, QRELS, path).policy == Policy.trec_eval(complete=True)


def test_version_8_names_are_known(tmp_path):
    path = trec_eval(tmp_path, measures=["map", "gm_map", "Rprec", "P.10", "iprec_at_recall..10"])
    old = {"Rprec": "R-prec", "gm_map": "gm_ap", "P_10": "P10", "iprec_at_recall_0.10": "ircl_prn.0.10"}
    text = path.read_text(encoding="utf-8")
    for new, name in old.items():
        text = text.replace(new, name)
    path.write_text(text, encoding="utf-8")
    found = validate(RUN, QRELS, path)
    assert (found.ok, set(found.table["measure"])) == (True, {"map", *old.values()})


def test_32_bit_scores_of_versions_before_10_are_told(tmp_path):
    run = {"q": {"a": 1.0, "b": 1 + 1e-9, "c": 0.5}}
    path = tmp_path / "reported.txt"
    path.write_text("recip_rank\tall\t0.5000\n", encoding="utf-8")
    assert validate(run, {"q": {"a": 1}}, path).policy.float32_scores is False
    path.write_text("recip_rank\tall\t1.0000\n", encoding="utf-8")
    found = validate(run, {"q": {"b": 1}}, path)
    assert (found.ok, found.policy.float32_scores) == (True, False)
    path.write_text("recip_rank\tall\t1.0000\n", encoding="utf-8")
    found = validate({"q": {"a": 1 + 1e-9, "b": 1.0}}, {"q": {"b": 1}}, path)
    assert (found.ok, found.policy.float32_scores) == (True, True)


def test_version_9_s_cutoffs_of_recall_are_told(tmp_path):
    run = {"q": [f"d{i}" for i in range(1, 9)]}
    qrels = {"q": {"d1": 1, "d4": 1, "d8": 1, "gone": 1}}
    path = tmp_path / "reported.txt"
    path.write_text("iprec_at_recall_0.30\tall\t1.0000\n", encoding="utf-8")  # version 10: 0.3 * 4 rounds to 1 hit, on rank 1
    assert validate(run, qrels, path).notes == ()
    path.write_text("iprec_at_recall_0.30\tall\t0.5000\n", encoding="utf-8")  # version 9: floor(1.2 + 0.9) is 2 hits, 2 / 4
    found = validate(run, qrels, path)
    assert found.ok
    assert "trec_eval 9" in found.notes[0]


def test_the_first_queries_that_differ_are_listed(tmp_path):
    path = trec_eval(tmp_path, measures=["map"], edit=lambda line: line.replace("0.5000", "0.6000"))
    found = validate(RUN, QRELS, path)
    assert [(d.measure, d.query, d.here) for d in found.all_differences if d.query] == [("map", "q2", 0.5)]
    assert "map, query 'q2': reported 0.6000, here 0.5000" in str(found)
    assert found.table.set_index("measure").loc["map", ["queries", "differing"]].tolist() == [3, 1]


def test_a_query_that_is_left_out_here_differs():
    found = validate(RUN, QRELS, {"RR": {"q1": 1.0, "nobody": 0.5}}, why=False)
    assert [str(d) for d in found.all_differences] == ["RR, query 'nobody': reported 0.5, left out here"]


def test_a_policy_of_one_s_own_is_used(tmp_path):
    strict = Policy.trec_eval(relevance_level=3)
    path = trec_eval(tmp_path, policy=strict)
    assert not validate(RUN, QRELS, path).ok
    assert validate(RUN, QRELS, path, policy=strict).ok
    assert "relevant from grade 3" in validate(RUN, QRELS, path).explanation.sentences[0]


def test_ir_measures_numbers_are_recomputed_whichever_provider_made_them():
    qrels = {query: judged for query, judged in QRELS.items() if query != "empty"}
    measures = [ir_measures.nDCG @ 10, ir_measures.AP, ir_measures.RR, ir_measures.RR @ 10, ir_measures.P @ 2]
    frame = pandas.DataFrame(ir_measures.iter_calc(measures, qrels, RUN))
    assert validate(RUN, qrels, frame, tool="ir_measures").ok
    means = {str(m): value for m, value in ir_measures.calc_aggregate(measures, qrels, RUN).items()}
    assert validate(RUN, qrels, means, tool="ir_measures").ok


def test_a_result_of_samescore_is_validated_by_its_own_policy(tmp_path):
    policy = Policy(empty="one", gain="linear")
    result = evaluate(RUN, QRELS, measures=["nDCG@10", "P@5"], policy=policy, backend="reference")
    (tmp_path / "result.json").write_text(result.to_json(), encoding="utf-8")
    found = validate(RUN, QRELS, tmp_path / "result.json")
    assert (found.ok, found.policy) == (True, policy)
    assert validate(RUN, QRELS, result.per_query, policy=policy).ok


def test_rows_of_samescore_s_tsv_are_told_by_their_names(tmp_path):
    result = evaluate(RUN, QRELS, measures=["RR", "AP"], backend="reference")
    lines = [f"{name}\t{query}\t{value!r}" for name in result for query, value in result.values_of(name).items()]
    lines += [f"{name}\tall\t{mean!r}" for name, mean in result.means.items()]
    (tmp_path / "rows.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    validation = validate(RUN, QRELS, tmp_path / "rows.tsv", backend="reference")
    assert (validation.ok, validation.tool) == (True, "samescore")


def test_beir_s_numbers_are_those_of_its_preset():
    run = {"q1": {"q1": 9.0, "d1": 1.0}}
    assert validate(run, {"q1": {"d1": 1}}, {"Recall@1": 1.0, "NDCG@1": 1.0}, tool="beir").ok


def test_ranx_counts_queries_that_the_run_lacks_as_0_where_they_were_made_comparable():
    found = validate(RUN, QRELS, {"mrr": "0.3000"}, tool="ranx")
    assert (found.ok, found.policy.missing) == (False, "zero")
    assert validate(RUN, QRELS, {"mrr": "0.4000"}, tool="ranx").ok  # q2 in the order given: (1 + 1) / 5


def test_a_difference_that_another_order_of_ties_explains_is_noted():
    found = validate(RUN, QRELS, {"RR": "0.5000"})
    assert not found.ok
    assert found.notes == ("another order of tied documents could give what is reported of 'RR'",)
    assert "ties" in found.explanation.sentences[0]


def test_another_run_is_noted(tmp_path):
    (tmp_path / "run.txt").write_text("q1 Q0 d1 1 1.0 mine\n", encoding="utf-8")
    (tmp_path / "reported.txt").write_text("runid all theirs\nmap all 1.0000\n", encoding="utf-8")
    found = validate(tmp_path / "run.txt", {"q1": {"d1": 1}}, tmp_path / "reported.txt")
    assert (found.ok, found.notes) == (True, ("the report is of a run named 'theirs', this one is named 'mine'",))


def test_names_that_nothing_recomputes_are_listed():
    found = validate(RUN, QRELS, {"RR": "0.375", "magic": "0.1"})
    assert (found.ok, found.unknown) == (True, ("magic",))
    assert "not recomputed: 'magic'" in str(found)
    with pytest.raises(MeasureError, match="none of the names can be recomputed"):
        validate(RUN, QRELS, {"magic": 0.1})


def test_a_policy_that_refuses_the_run_says_so():
    run = {"q1": [("d1", 1.0), ("d1", 0.5)]}
    with pytest.raises(PolicyError, match="retrieved twice"):
        validate(run, {"q1": {"d1": 1}}, {"RR": 1.0}, policy=Policy(duplicates="error"))


def test_what_is_no_report_is_refused():
    with pytest.raises(InputError, match="nothing is reported"):
        validate(RUN, QRELS, {})


def test_queries_limit_what_is_averaged():
    assert validate(RUN, QRELS, {"RR": "1.0000"}, queries=["q1"]).ok


def test_a_validation_is_a_value():
    found = validate(RUN, QRELS, {"nDCG@10": f"{LINEAR:.4f}"})
    assert isinstance(found, Validation)
    assert json.loads(found.to_json()) == found.to_dict()
    assert found.to_dict()["ok"] is False
    assert found.to_markdown().splitlines()[0] == "1 of 1 value differs (names as in samescore, Policy())"
    with pytest.raises(FrozenInstanceError):
        found.tool = "mine"


def test_a_result_is_validated_by_its_own_policy():
    run, qrels = {"q": ["a", "b", "c"]}, {"q": {"b": 2, "c": 1}}
    result = evaluate(run, qrels, measures="nDCG@2", policy=Policy(gain="linear"), backend="reference")
    assert validate(run, qrels, result).ok


def test_a_mean_without_a_number_is_noted():
    validation = validate({"q": ["a"]}, {"q": {"a": 1}}, {"RR": "1.0", "AP": float("nan")})
    assert validation.ok
    assert validation.notes == ("reported without a number: 'AP'",)


def test_values_in_percent_are_noted_and_not_searched_for():
    validation = validate({"q": ["a", "b"]}, {"q": {"b": 1}}, {"RR": "50.0", "AP": "50.0"})
    assert validation.notes[0] == "not from 0 to 1, is it in percent? 'AP', 'RR'"
    assert validation.explanation is None
