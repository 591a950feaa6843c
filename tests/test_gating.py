"""gate: a run that is worse than a stored baseline fails; one of other judgements or another policy is refused."""

from __future__ import annotations

import json

import pytest

from samescore import Policy, define, fingerprint, gate, write_baseline
from samescore.errors import InputError, InputTypeError, MismatchError, ResultKeyError

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


def test_the_same_run_passes(baseline):
    verdict = judged(GOOD, baseline)
    assert verdict.passed
    assert verdict
    assert [(c.measure, c.baseline, c.now, c.change, c.fell) for c in verdict.changes] == [
        ("RR", 1.0, 1.0, 0.0, False),
        ("R@1", 1.0, 1.0, 0.0, False),
    ]


def test_a_fall_below_what_is_allowed_fails(baseline):
    verdict = judged(SLIGHTLY_WORSE, baseline, measures="RR", max_drop=0.01)
    assert not verdict.passed
    assert verdict.changes[0].change == pytest.approx(-0.05)


def test_a_fall_of_just_what_is_allowed_passes(baseline):
    assert judged(SLIGHTLY_WORSE, baseline, measures="RR", max_drop=0.05)
    assert judged(SLIGHTLY_WORSE, baseline, measures="R@1", max_drop=0.1)


def test_a_rise_passes(tmp_path):
    write_baseline(tmp_path / "low.json", MUCH_WORSE, QRELS, ["RR"], backend="reference")
    assert judged(GOOD, tmp_path / "low.json", max_drop=0)


def test_only_a_significant_fall_fails_where_that_is_asked(baseline):
    options = {"measures": "RR", "max_drop": 0.01, "significant": True}
    assert judged(SLIGHTLY_WORSE, baseline, **options)  # one query of ten
    assert not judged(MUCH_WORSE, baseline, **options)


def test_a_query_that_the_run_lacks_is_a_fall(baseline):
    fewer = {query: docs for query, docs in GOOD.items() if query != "q0"}
    assert judged(fewer, baseline, measures="RR").changes[0].change == pytest.approx(-0.1)


def test_some_measures_of_the_baseline_can_be_asked_for(baseline):
    assert [change.measure for change in judged(GOOD, baseline, measures=["mrr"]).changes] == ["RR"]
    with pytest.raises(ResultKeyError, match="the baseline lacks nDCG@5"):
        judged(GOOD, baseline, measures="nDCG@5")


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


def test_a_baseline_of_another_golden_set_is_refused(baseline):
    other = {**QRELS, "q0": {"d": 2}}
    with pytest.raises(MismatchError, match=r"baseline\.json: the baseline is of another golden set"):
        gate(GOOD, other, baseline, backend="reference")


def test_a_baseline_of_another_policy_is_refused(baseline):
    with pytest.raises(MismatchError, match="of another policy: gain:exponential, not gain:linear"):
        judged(GOOD, baseline, policy=Policy(gain="linear"))


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
    assert lines[2] == "| measure | baseline | now | change | p | queries | verdict |"
    now = (5 / 2 + 5 / 3) / 10
    assert lines[4].startswith(f"| RR | 1.0000 | {now:.4f} | {now - 1:+.4f} | ")
    assert "| RR | q5 | 1.0000 | 0.3333 | -0.6667 |" in lines
    assert "- a measure may not fall by more than 0.01" in lines


def test_it_prints_and_is_plain_values(baseline):
    verdict = judged(SLIGHTLY_WORSE, baseline, measures="R@1", significant=True)
    assert str(verdict).splitlines()[0] == "Retrieval gate: passed"
    assert "a measure may not fall by more than 0.01 and significantly (p < 0.05)" in str(verdict)
    plain = json.loads(json.dumps(verdict.to_dict()))
    assert (plain["passed"], plain["changes"][0]["fell"]) == (True, False)


@pytest.mark.parametrize("drop", [-0.1, float("nan"), float("inf"), True, "0.1", None])
def test_a_limit_that_tells_nothing_is_refused(baseline, drop):
    with pytest.raises(InputError, match="max_drop is"):
        judged(GOOD, baseline, max_drop=drop)


def test_a_gate_that_compares_nothing_does_not_pass(baseline):
    emptied = json.loads(baseline.read_text()) | {"per_query": {}}
    with pytest.raises(MismatchError, match="no query has a value of RR"):
        judged(GOOD, emptied)


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
