"""gate: a run that is worse than a stored baseline fails; one of other judgements or another policy is refused."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from simulate_gate import rows, table

from samescore import Policy, define, fingerprint, gate, parse, write_baseline
from samescore.errors import InputError, InputTypeError, MismatchError, ResultKeyError, SamescoreWarning
from samescore.slices import Slices
from samescore.tools.comparison import Paired
from samescore.tools.gate import Gating
from samescore.tools.significance import queries_to_show

QRELS = {f"q{i}": {"d": 1} for i in range(10)}


def ranked(ranks):
    return {f"q{i}": [f"x{j}" for j in range(1, rank)] + ["d"] for i, rank in enumerate(ranks)}


GOOD = ranked([1] * 10)
SLIGHTLY_WORSE = ranked([1] * 9 + [2])  # the mean reciprocal rank falls by 0.05
MUCH_WORSE = ranked([2] * 5 + [3] * 5)


@pytest.fixture
def baseline(tmp_path):
    path = tmp_path / "baseline.json"
    write_baseline(path, GOOD, QRELS, ["RR", "R@1"], backend="reference")
    return path


def judged(run, baseline, **options):
    return gate(run, QRELS, baseline, backend="reference", **options)


def undecided_and_ok(run, baseline, **options):
    """The verdict of a run that passes with a warning, since so few queries do not decide."""
    with pytest.warns(SamescoreWarning, match="can neither be shown nor ruled out"):
        verdict = judged(run, baseline, **options)
    assert (verdict.answer, verdict.ok, verdict.exit_code) == ("undecided", True, 0)
    return verdict


def test_the_same_run_passes(baseline):
    verdict = judged(GOOD, baseline)
    assert verdict.passed
    assert verdict
    assert [(c.measure, c.baseline, c.now, c.change, c.fell) for c in verdict.changes] == [
        ("RR", 1.0, 1.0, 0.0, False),
        ("R@1", 1.0, 1.0, 0.0, False),
    ]


def test_a_fall_below_what_is_allowed_does_not_pass_and_one_query_does_not_show_it(baseline):
    verdict = judged(SLIGHTLY_WORSE, baseline, measures="RR", max_drop=0.01)
    assert (verdict.ok, verdict.answer, verdict.exit_code) == (False, "undecided", 3)
    assert verdict.changes[0].change == pytest.approx(-0.05)


def test_a_fall_that_all_queries_show_fails(baseline):
    verdict = judged(MUCH_WORSE, baseline, max_drop=0.01)
    assert (verdict.ok, verdict.answer, verdict.exit_code) == (False, "failed", 1)
    assert [change.answer for change in verdict.changes] == ["failed", "failed"]


def test_a_fall_of_just_what_is_allowed_is_none_that_is_too_far(baseline):
    verdict = undecided_and_ok(SLIGHTLY_WORSE, baseline, measures="RR", max_drop=0.05)
    assert (verdict.changes[0].fell, verdict.changes[0].needed) == (False, None)
    assert not undecided_and_ok(SLIGHTLY_WORSE, baseline, measures="R@1", max_drop=0.1).changes[0].fell
    assert judged(SLIGHTLY_WORSE, baseline, measures="RR", max_drop=0.2).answer == "passed", "the interval ends at 0.163"


def test_a_fall_that_few_queries_cannot_show_is_no_pass(tmp_path):
    """From 1.0 to 0.5 on 6 queries, whose p is 0.08: that it is not significant is no reason to let it pass."""
    qrels = {f"q{i}": {"d": 1} for i in range(6)}
    write_baseline(tmp_path / "six.json", {q: ["d"] for q in qrels}, qrels, ["R@1"], backend="reference")
    half = {q: ["d"] if i % 2 else ["x"] for i, q in enumerate(qrels)}
    for options in ({}, {"significant": True}):
        verdict = gate(half, qrels, tmp_path / "six.json", backend="reference", **options)
        assert (verdict.answer, verdict.ok, verdict.exit_code) == ("undecided", False, 3)
    with pytest.warns(SamescoreWarning, match="undecided by 6 queries"):
        assert gate(half, qrels, tmp_path / "six.json", backend="reference", undecided="pass")


def test_undecided_passes_or_fails_as_is_asked(baseline):
    options = {"measures": "RR", "max_drop": 0.05}
    assert judged(SLIGHTLY_WORSE, baseline, undecided="fail", **options).exit_code == 3
    assert undecided_and_ok(SLIGHTLY_WORSE, baseline, undecided="pass", measures="RR", max_drop=0.01).changes[0].fell
    assert judged(MUCH_WORSE, baseline, undecided="pass").exit_code == 1
    with pytest.raises(InputError, match="undecided cannot be 'no'"):
        judged(GOOD, baseline, undecided="no")


def test_it_says_how_many_queries_would_decide(baseline):
    run = ranked([1] * 8 + [2] * 2)
    change = undecided_and_ok(run, baseline, measures="RR", max_drop=0.15).changes[0]
    deviation = np.std([0.0] * 8 + [0.5] * 2, ddof=1)
    assert change.needed == queries_to_show(0.05 / deviation, 0.05)
    assert f"about {change.needed:,} queries would decide" in str(undecided_and_ok(run, baseline, measures="RR", max_drop=0.15))


def test_drops_by_measure_and_as_a_share_of_the_baseline(baseline):
    by_measure = judged(MUCH_WORSE, baseline, max_drop={"mrr": "70%", "*": 1.0})
    assert [change.max_drop for change in by_measure.changes] == [0.7, 1.0]
    assert by_measure.answer == "passed"
    assert judged(MUCH_WORSE, baseline, max_drop={"R@1": 1}).changes[0].max_drop == 0.01
    assert judged(MUCH_WORSE, baseline, max_drop="60%").changes[0].answer == "undecided"
    with pytest.raises(InputError, match="max_drop names 'AP', which is not gated"):
        judged(GOOD, baseline, max_drop={"AP": 0.1})


def test_a_measure_below_its_floor_fails_whatever_the_baseline(baseline):
    assert judged(GOOD, baseline, floors={"RR": 1.0, "P@1": 0.5}).ok
    verdict = undecided_and_ok(SLIGHTLY_WORSE, baseline, max_drop=0.2, floors={"RR": 0.95, "nDCG@5": 0.8})
    assert (verdict.floors[0].measure, verdict.floors[0].now, verdict.floors[0].ok) == ("RR", pytest.approx(0.95), True)
    verdict = judged(GOOD, baseline, floors={"R@1": 1.01})
    assert (verdict.ok, verdict.exit_code, verdict.headline) == (False, 1, "Retrieval gate: failed, R@1 too low")
    assert "R@1 must be at least 1.01 and is 1.0000, too low" in verdict.notes
    with pytest.raises(InputError, match="no floor: lower is better"):
        judged(GOOD, baseline, floors={"Unjudged@5": 0.5})
    with pytest.raises(InputError, match="the floor of RR is 'x'"):
        judged(GOOD, baseline, floors={"RR": "x"})


SLICES = {f"q{i}": "short" if i < 5 else "long" for i in range(10)}


def test_each_slice_has_an_answer_at_a_corrected_level(baseline):
    long_is_worse = ranked([1] * 5 + [2, 2, 2, 3, 3])
    verdict = judged(long_is_worse, baseline, measures="RR", slices=SLICES)
    assert [(c.slice, c.answer, c.queries) for c in verdict.changes] == [
        ("all", "failed", 10), ("short", "passed", 5), ("long", "failed", 5),
    ]  # fmt: skip
    falls = np.array([-0.5, -0.5, -0.5, -2 / 3, -2 / 3])
    theirs = stats.ttest_1samp(falls, 0).confidence_interval(1 - 0.05 / 2)
    assert (verdict.changes[2].low, verdict.changes[2].high) == pytest.approx((theirs.low, theirs.high))
    assert verdict.headline == "Retrieval gate: failed, RR, RR of long fell"
    assert "97.5 % of each of the slices" in str(verdict)


def test_queries_can_be_left_out(baseline):
    verdict = judged(SLIGHTLY_WORSE, baseline, exclude_queries=["q9"])
    assert (verdict.answer, verdict.changes[0].queries) == ("passed", 9)
    assert "1 query left out, as was asked: 'q9'" in verdict.notes
    with pytest.raises(InputError, match="exclude_queries names queries that the baseline lacks: 'q99'"):
        judged(GOOD, baseline, exclude_queries=["q99"])
    with pytest.raises(MismatchError, match="nothing to compare"):
        judged(GOOD, baseline, exclude_queries=list(QRELS))


def test_the_average_is_that_of_the_baseline(tmp_path):
    qrels = {"q0": {"a": 1, "b": 1, "c": 1}, "q1": {"a": 1}}
    path = tmp_path / "micro.json"
    write_baseline(path, {"q0": ["a"], "q1": ["a"]}, qrels, "R@5", average="micro", backend="reference")
    with pytest.warns(SamescoreWarning, match="undecided by 2 queries"):
        verdict = gate({"q0": ["a", "b"], "q1": ["x"]}, qrels, path, average="micro", backend="reference")
    assert (verdict.changes[0].baseline, verdict.changes[0].now) == (0.5, 0.5)
    with pytest.raises(MismatchError, match="of a micro average, and not 'macro'"):
        gate({"q0": ["a"]}, qrels, path, average="macro", backend="reference")


def test_a_baseline_can_be_raised_and_is_where_that_is_asked(tmp_path):
    path = tmp_path / "low.json"
    write_baseline(path, MUCH_WORSE, QRELS, ["RR", "R@1"], ids=False, backend="reference")
    verdict = judged(GOOD, path)
    assert (verdict.can_be_raised, verdict.raised) == (True, False)
    assert "the baseline can be raised to this run (ratchet)" in verdict.notes
    assert not judged(MUCH_WORSE, path, ratchet=True).raised, "nothing rose"
    assert judged(GOOD, path, ratchet=True).raised
    assert [change.baseline for change in judged(GOOD, path).changes] == [1.0, 1.0]
    assert not judged(MUCH_WORSE, path, ratchet=True).ok
    assert [change.baseline for change in judged(GOOD, path).changes] == [1.0, 1.0]
    with pytest.raises(InputError, match="the baseline no file"):
        judged(GOOD, json.loads(path.read_text()), ratchet=True)


def test_where_nothing_changed_it_says_so(baseline):
    assert judged(GOOD, baseline).headline == "Retrieval gate: passed, nothing changed"


@pytest.mark.slow
def test_a_fall_of_twice_what_is_allowed_seldom_passes_and_none_seldom_fails():
    """10,000 golden sets of 30 queries for each way of falling; the table of docs/gate.md."""
    every = list(rows())
    assert len(every) == 12
    assert [row for row in every if row.fall and row.shares["passed"] > 0.05] == []
    assert [row for row in every if not row.fall and row.shares["failed"] > 0.05] == []
    assert table(every) in (Path(__file__).parent.parent / "docs" / "gate.md").read_text(encoding="utf-8")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.floats(0, 1))
def test_identical_runs_always_pass(values, max_drop):
    row = np.array(values)
    pair = Paired("RR", Policy().resolve(parse("RR")), [f"q{i}" for i in range(len(row))], np.array([row, row]), None, {})
    assert Gating(Slices(), "t", 0.05).changes(pair, max_drop, 0)[0].answer == "passed"


def test_a_rise_passes(tmp_path):
    write_baseline(tmp_path / "low.json", MUCH_WORSE, QRELS, ["RR"], backend="reference")
    assert judged(GOOD, tmp_path / "low.json", max_drop=0)


def test_a_query_that_the_run_lacks_is_a_fall(baseline):
    fewer = {query: docs for query, docs in GOOD.items() if query != "q0"}
    assert judged(fewer, baseline, measures="RR").changes[0].change == pytest.approx(-0.1)


def test_some_measures_of_the_baseline_can_be_asked_for(baseline):
    assert [change.measure for change in judged(GOOD, baseline, measures=["mrr"]).changes] == ["RR"]
    with pytest.raises(ResultKeyError, match="the baseline lacks nDCG@5"):
        judged(GOOD, without_ranks(baseline), measures="nDCG@5")


def test_a_measure_of_one_s_own_is_gated(tmp_path):
    first = define("First", lambda ranking: float(bool(ranking.retrieved(1))))
    write_baseline(tmp_path / "own.json", GOOD, QRELS, [first], backend="reference")
    assert judged(MUCH_WORSE, tmp_path / "own.json", measures=[first]).changes[0].change == -1.0


def test_the_baseline_holds_values_policy_and_fingerprint(baseline):
    plain = json.loads(baseline.read_text())
    assert plain["golden_set"] == fingerprint(QRELS)
    assert Policy(**plain["policy"]) == Policy()
    assert plain["per_query"]["q0"] == {"RR": 1.0, "R@1": 1.0}
    assert judged(GOOD, plain)


def without_ranks(baseline):
    """A baseline as the first release wrote it."""
    return {key: value for key, value in json.loads(baseline.read_text()).items() if key != "ranks"}


def test_a_baseline_of_another_golden_set_is_refused(baseline):
    other = {**QRELS, "q0": {"d": 2}}
    with pytest.raises(MismatchError, match="the baseline is of another golden set"):
        gate(GOOD, other, without_ranks(baseline), backend="reference")


def test_a_baseline_of_another_policy_is_refused(baseline):
    with pytest.raises(MismatchError, match="of another policy: gain:exponential, not gain:linear"):
        judged(GOOD, without_ranks(baseline), policy=Policy(gain="linear"))


def test_another_order_of_the_judgements_is_the_same_golden_set(baseline):
    assert gate(GOOD, dict(reversed(QRELS.items())), baseline, backend="reference")


@pytest.mark.parametrize(
    ("text", "said"),
    [("{}", "no baseline: it lacks 'golden_set'"), ("[1]", "no baseline, but"), ("{", "the baseline cannot be read")],
)
def test_what_is_no_baseline_is_refused(tmp_path, text, said):
    path = tmp_path / "baseline.json"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        judged(GOOD, path)


def test_a_baseline_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="there is no such baseline"):
        judged(GOOD, tmp_path / "none.json")


def test_a_baseline_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(InputError, match="the file cannot be written"):
        write_baseline(tmp_path / "no folder" / "baseline.json", GOOD, QRELS, backend="reference")


def test_markdown_is_fit_to_post(baseline):
    verdict = judged(MUCH_WORSE, baseline)
    lines = verdict.to_markdown().splitlines()
    assert lines[0] == "### Retrieval gate: failed, RR, R@1 fell"
    assert lines[2] == "| measure | baseline | now | change | interval | p | queries | verdict |"
    now = (5 / 2 + 5 / 3) / 10
    assert lines[4].startswith(f"| RR | 1.0000 | {now:.4f} | {now - 1:+.4f} | ")
    assert "| RR | q5 | 1.0000 | 0.3333 | -0.6667 |" in lines
    assert "- a measure may not fall by more than 0.01" in lines


def test_it_prints_and_is_plain_values(baseline):
    verdict = judged(SLIGHTLY_WORSE, baseline, measures="R@1")
    assert str(verdict).splitlines()[0] == "Retrieval gate: undecided, R@1"
    assert "a measure may not fall by more than 0.01" in str(verdict)
    plain = json.loads(json.dumps(verdict.to_dict()))
    assert (plain["ok"], plain["answer"], plain["changes"][0]["fell"]) == (False, "undecided", True)


@pytest.mark.parametrize("drop", [-0.1, float("nan"), float("inf"), True, "0.1", None])
def test_a_limit_that_tells_nothing_is_refused(baseline, drop):
    with pytest.raises(InputError, match="max_drop is"):
        judged(GOOD, baseline, max_drop=drop)


def test_a_gate_that_compares_nothing_does_not_pass(baseline):
    emptied = json.loads(baseline.read_text()) | {"per_query": {}}
    with pytest.raises(MismatchError, match="no query has a value of RR"):
        judged(GOOD, emptied)


def test_a_gate_of_which_every_query_may_be_lost_and_is_does_not_pass(tmp_path):
    qrels, policy, file = {"q0": {"a": 1}, "q1": {"a": 1}}, Policy(missing="skip"), tmp_path / "baseline.json"
    write_baseline(file, {"q0": ["a"]}, qrels, measures="RR", policy=policy)
    with pytest.raises(MismatchError, match="no query has a value of RR"):
        gate({"q1": ["a"]}, qrels, file, policy=policy, allow_lost=["q0"])


@pytest.mark.parametrize("versions", [None, 5, "x", [1]])
def test_a_baseline_with_broken_versions_is_no_result(baseline, versions):
    with pytest.raises(InputError, match="not a result"):
        judged(GOOD, json.loads(baseline.read_text()) | {"versions": versions})


@pytest.mark.parametrize("backend", [None, [], {}])
def test_what_a_baseline_calls_its_backend_is_text_alone(baseline, backend):
    assert judged(GOOD, json.loads(baseline.read_text()) | {"backend": backend}).passed


def test_what_is_no_path_is_refused():
    with pytest.raises(InputTypeError, match="the baseline is None"):
        judged(GOOD, None)
    with pytest.raises(InputTypeError, match="path of the baseline is None"):
        write_baseline(None, GOOD, QRELS, "RR", backend="reference")


def test_a_query_with_half_a_surrogate_pair_can_be_a_baseline(tmp_path):
    run, qrels = {"q\ud800": ["d"]}, {"q\ud800": {"d": 1}}
    write_baseline(tmp_path / "baseline.json", run, qrels, "RR", backend="reference")
    assert gate(run, qrels, tmp_path / "baseline.json", backend="reference").changes[0].queries == 1


ONE = {"q3": ["d"]}
LEAVES_OUT = Policy(missing="skip")


@pytest.fixture
def leaving_out(tmp_path):
    path = tmp_path / "skip.json"
    write_baseline(path, GOOD, QRELS, ["RR", "R@1"], policy=LEAVES_OUT, backend="reference")
    return path


def test_a_run_that_lost_queries_fails_where_the_policy_leaves_them_out(leaving_out):
    verdict = judged(ONE, leaving_out, policy=LEAVES_OUT)
    others = [query for query in QRELS if query != "q3"]
    assert not verdict.passed
    assert verdict.lost == tuple(others)
    assert [(c.measure, c.change, c.fell, c.lost, c.verdict) for c in verdict.changes] == [
        ("RR", 0, False, 9, "failed, 9 lost"),
        ("R@1", 0, False, 9, "failed, 9 lost"),
    ]
    assert verdict.headline == "Retrieval gate: failed, 9 queries lost"
    assert "- 9 queries of the baseline lost, without a value now: 'q0', 'q1', 'q2', 'q4'" in verdict.to_markdown()
    assert verdict.to_dict()["lost"] == others
    assert verdict.records().columns[6:8] == ["fell", "lost"]


def test_queries_that_are_named_may_be_lost(leaving_out):
    fewer = {query: docs for query, docs in GOOD.items() if query not in ("q7", "q8")}
    verdict = judged(fewer, leaving_out, policy=LEAVES_OUT, allow_lost=["q7"])
    assert (verdict.passed, verdict.lost, verdict.allowed_lost) == (False, ("q8",), ("q7",))
    verdict = judged(fewer, leaving_out, policy=LEAVES_OUT, allow_lost=["q8", "q7", "q1"])
    assert (verdict.passed, verdict.lost, verdict.allowed_lost) == (True, (), ("q7", "q8"))
    assert "2 queries of the baseline lost, which is allowed: 'q7', 'q8'" in str(verdict)


@pytest.mark.parametrize(("given", "said"), [(["q99"], "'q99'"), ("q7", "allow_lost is one text"), (5, "allow_lost is 5")])
def test_a_query_that_the_baseline_lacks_cannot_be_allowed(leaving_out, given, said):
    with pytest.raises(InputError, match=said):
        judged(GOOD, leaving_out, policy=LEAVES_OUT, allow_lost=given)


def test_a_query_that_loses_the_value_of_one_measure_is_lost(tmp_path):
    first = define("First", lambda ranking: 1.0 if ranking.retrieved(1) else None)
    write_baseline(tmp_path / "own.json", GOOD, QRELS, [first, "RR"], backend="reference")
    verdict = judged(SLIGHTLY_WORSE, tmp_path / "own.json", measures=[first, "RR"], max_drop=0.5)
    assert (verdict.passed, verdict.lost, [change.lost for change in verdict.changes]) == (False, ("q9",), [1, 0])


def test_a_run_that_lost_all_queries_fails(tmp_path):
    first = define("First", lambda ranking: 1.0 if ranking.retrieved(1) else None)
    write_baseline(tmp_path / "own.json", GOOD, QRELS, [first], backend="reference")
    assert not judged(MUCH_WORSE, tmp_path / "own.json", measures=[first])


CHUNKS = {"c": "d", "x1": "e"}


def test_the_documents_of_chunks_belong_to_the_baseline(tmp_path):
    run = {query: ["c"] for query in QRELS}
    path = tmp_path / "chunks.json"
    write_baseline(path, run, QRELS, "RR", doc_of=CHUNKS, backend="reference")
    assert judged(run, path, doc_of=dict(reversed(CHUNKS.items())))
    for other in (None, {"c": "d"}, {**CHUNKS, "c": "e"}, CHUNKS.get):
        with pytest.raises(MismatchError, match="the baseline is of chunks with the doc_of of fingerprint"):
            judged(run, path, doc_of=other)
    write_baseline(path, run, QRELS, "RR", doc_of=CHUNKS.get, backend="reference")
    assert judged(run, path, doc_of=lambda chunk: "d")
    with pytest.raises(MismatchError, match=r"chunks with a function doc_of, and this run of documents \(no doc_of\)"):
        judged(GOOD, path)


def test_chunks_are_refused_against_a_baseline_of_documents(baseline):
    with pytest.raises(MismatchError, match=r"the baseline is of documents \(no doc_of\)"):
        judged(GOOD, baseline, doc_of=CHUNKS)


@pytest.mark.parametrize(("key", "value"), [("policy", {"ties": 5}), ("policy", None), ("report", {}), ("versions", 5)])
def test_a_baseline_that_is_no_result_is_refused_by_its_file(baseline, key, value):
    baseline.write_text(json.dumps(json.loads(baseline.read_text()) | {key: value}))
    with pytest.raises(InputError, match="the baseline cannot be read: ") as refused:
        judged(GOOD, baseline)
    assert refused.value.where == str(baseline)


def changed(baseline, **values):
    """The plain baseline with other values of q0."""
    plain = json.loads(baseline.read_text())
    plain["per_query"]["q0"] |= values
    return plain


@pytest.mark.parametrize(
    "value", [1.5, -0.5, float("nan"), float("inf"), 10**400, "0.5", True, [1], 2], ids=lambda value: str(value)[:9]
)
def test_a_baseline_with_a_value_that_no_measure_has_is_refused(baseline, value):
    with pytest.raises(InputError, match=r"contradicts itself: RR cannot be .*'q0'|not a result"):
        judged(GOOD, changed(baseline, RR=value))


def test_a_baseline_whose_rows_contradict_its_means_or_counts_is_refused(baseline):
    with pytest.raises(InputError, match=r"the values of RR make up 0\.95, and it says 1"):
        judged(GOOD, changed(baseline, RR=0.5))
    with pytest.raises(InputError, match="9 queries have a value of RR, and it says that 10 have"):
        judged(GOOD, changed(baseline, RR=None))
    plain = json.loads(baseline.read_text())
    del plain["per_query"]["q0"]
    with pytest.raises(InputError, match="values for 9 queries and says that 10 were averaged"):
        judged(GOOD, plain)
    plain = json.loads(baseline.read_text())
    plain["per_query"]["zz"] = plain["per_query"].pop("q0")
    with pytest.raises(InputError, match="'zz', which is not judged"):
        judged(GOOD, plain)


def test_double_credit_can_be_above_1(tmp_path):
    twice, run = Policy(duplicates="each"), {query: ["d", "d"] for query in QRELS}
    write_baseline(tmp_path / "twice.json", run, QRELS, "R@2", policy=twice, backend="reference")
    assert judged(run, tmp_path / "twice.json", policy=twice).changes[0].baseline == 2


def test_a_key_that_stands_twice_is_refused(baseline):
    text = baseline.read_text().replace('"per_query": {', '"per_query": {"q0": {"RR": 1.0, "R@1": 1.0},', 1)
    baseline.write_text(text)
    with pytest.raises(InputError, match=r"the baseline cannot be read: 'q0' stands twice"):
        judged(GOOD, baseline)


def test_where_lower_is_better_a_rise_fails_and_a_fall_passes(tmp_path):
    unjudged_above = {query: ["x", "d"] for query in QRELS}
    write_baseline(tmp_path / "good.json", GOOD, QRELS, ["Unjudged@1"], backend="reference")
    verdict = judged(unjudged_above, tmp_path / "good.json")
    assert not verdict.passed
    assert (verdict.changes[0].change, verdict.changes[0].verdict) == (1.0, "failed, rose")
    assert verdict.headline == "Retrieval gate: failed, Unjudged@1 rose"
    assert "| Unjudged@1 | q0 | 0.0000 | 1.0000 | +1.0000 |" in verdict.to_markdown()
    assert "Unjudged@1, where lower is better, may not rise by more" in str(verdict)
    write_baseline(tmp_path / "bad.json", unjudged_above, QRELS, ["Unjudged@1"], backend="reference")
    assert judged(GOOD, tmp_path / "bad.json", max_drop=0)


OWN = "def first(ranking):\n    return float(bool(ranking.retrieved(1)))\n"


@pytest.mark.usefixtures("files")
def test_a_measure_of_one_s_own_is_given_again_by_name(say, tmp_path):
    (tmp_path / "gated_code.py").write_text(OWN)
    words = ["gate", "qrels.txt", "bm25.txt", "--baseline", "own.json", "--backend", "reference"]
    assert say(*words, "-m", "gated_code:first", "-m", "RR", "--write-baseline")[2] == 0
    out, err, code = say(*words)
    assert (out, code) == ("", 2)
    assert "the baseline has first, user-defined measures, whose functions are not stored" in err
    assert "try: -m gated_code:first -m RR" in err
    assert say(*words, "-m", "gated_code:first", "-m", "RR")[1:] == ("", 0)


@pytest.mark.usefixtures("files")
def test_the_command_fails_for_lost_queries_unless_they_are_allowed(say, tmp_path):
    lines = (tmp_path / "bm25.txt").read_text().splitlines(keepends=True)
    lost = lines[0].split()[0]
    (tmp_path / "fewer.txt").write_text("".join(line for line in lines if line.split()[0] != lost))
    shared = ["--baseline", "b.json", "--missing", "skip", "--backend", "reference"]
    assert say("gate", "qrels.txt", "bm25.txt", *shared, "-m", "RR", "--write-baseline")[2] == 0
    out, err, code = say("gate", "qrels.txt", "fewer.txt", *shared, "--max-drop", "1")
    assert (err, code) == ("", 1)
    assert out.startswith("### Retrieval gate: failed, 1 query lost\n")
    assert say("gate", "qrels.txt", "fewer.txt", *shared, "--max-drop", "1", "--allow-lost", lost)[2] == 0


def test_two_writers_at_once_leave_a_whole_baseline(tmp_path):
    path = tmp_path / "baseline.json"
    with ThreadPoolExecutor(4) as pool:
        runs = [GOOD, MUCH_WORSE] * 8
        list(pool.map(lambda run: write_baseline(path, run, QRELS, "RR", backend="reference"), runs))
    assert judged(MUCH_WORSE, path, max_drop=1)
    assert [file.name for file in tmp_path.iterdir()] == ["baseline.json"]


EARLIER = """{
 "golden_set": "GOLDEN", "samescore": "0.1.0", "backend": "reference", "signature": "samescore 0.1.0",
 "policy": POLICY, "versions": {"numpy": "2.0.0"}, "fingerprint": "00", "average": "macro", "queries": 1,
 "measures": {"RR": {"mean": 0.5, "n": 1, "gain": null}}, "per_query": {"q1": {"RR": 0.5}},
 "report": {"queries": 1, "n": {"RR": 1}, "skipped": [], "unjudged_queries": [], "empty": [], "missing": [], "undefined": {},
  "duplicates": {}, "tied": {}, "no_hit": [], "self_hits": [], "misranked": {}, "negatives": 0, "repeated_judgements": 0,
  "conflicts": 0, "judged": {"all": 0.5}, "largest_grade": 1.0, "unmapped": {}, "nothing_retrieved": [], "tie_changes": null}
}"""


def test_a_baseline_from_before_the_documents_of_chunks_were_stored_is_gated():
    qrels = {"q1": {"a": 1}}
    policy = json.dumps({name: getattr(Policy(), name) for name in Policy.__dataclass_fields__})
    plain = json.loads(EARLIER.replace("GOLDEN", fingerprint(qrels)).replace("POLICY", policy))
    assert gate({"q1": ["x", "a"]}, qrels, plain, backend="reference").passed
    assert gate({"q1": ["x", "c"]}, qrels, plain, doc_of={"c": "a"}, backend="reference").passed
