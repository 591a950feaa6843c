"""gate: a run that is worse than a stored baseline fails; one of other judgements or another policy is refused."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

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
        ("RR", 0, False, 9, "9 lost"),
        ("R@1", 0, False, 9, "9 lost"),
    ]
    assert verdict.headline == "Retrieval gate: failed, 9 queries lost"
    assert "- 9 queries of the baseline lost, without a value now: 'q0', 'q1', 'q2', 'q4'" in verdict.to_markdown()
    assert verdict.to_dict()["lost"] == others
    assert verdict.records().columns[-2:] == ["fell", "lost"]


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
    assert (verdict.changes[0].change, verdict.changes[0].verdict) == (1.0, "rose")
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
