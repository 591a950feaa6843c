"""A baseline is scored again from the ranks that it stores: a golden set that grew, another measure, other clauses."""

from __future__ import annotations

import base64
import json
import random
import zlib

import pytest

from samescore import Policy, define, evaluate, gate, read_qrels, write_baseline
from samescore.errors import InputError, MismatchError
from samescore.tools.baseline import Wanted, read_baseline

QRELS = {"q0": {"a": 2, "b": 1, "n": 0}, "q1": {"c": 1}, "q2": {"d": 3, "e": 0}, "q3": {"f": 1}}
RUN = {"q0": ["x", "a", "y", "n", "b"], "q1": {"z": 2.0, "c": 1.0}, "q2": ["e", "u1", "d"]}
MEASURES = ["nDCG@3", "RR", "P@2", "NumRet"]


@pytest.fixture(params=[True, False], ids=["ids", "no ids"])
def path(tmp_path, request):
    file = tmp_path / "baseline.json"
    write_baseline(file, RUN, QRELS, MEASURES, ids=request.param, backend="reference")
    return file


def again(path, qrels=QRELS, policy=Policy(), measures=None):  # noqa: B008  # it is frozen
    return read_baseline(path, Wanted(read_qrels(qrels), policy, None, measures, "reference"))


OTHER = [
    {"measures": ["AP", "ERR@5", "Bpref", "SetP", "Judged@3", "R@5"]},
    {"policy": Policy(gain="linear")},
    {"policy": Policy(relevance_level=2)},
    {"policy": Policy(depth=2)},
    {"policy": Policy(unjudged="drop")},
    {"policy": Policy(missing="skip", empty="zero")},
    {"policy": Policy(unjudged="drop", depth=1, gain="linear"), "measures": ["nDCG", "P@1"]},
]


@pytest.mark.parametrize("wanted", OTHER, ids=str)
def test_other_measures_and_clauses_are_those_of_the_run(path, wanted):
    found = again(path, **wanted)
    theirs = evaluate(RUN, QRELS, backend="reference", **{"measures": MEASURES, **wanted})
    assert found.result.means == pytest.approx(theirs.means)
    assert found.result.to_dict()["per_query"] == theirs.to_dict()["per_query"]
    assert found.notes[0].startswith("the baseline was scored again from its stored ranks: ")


def test_random_runs_are_scored_again_as_they_were(tmp_path):
    rng = random.Random(3)
    for _ in range(30):
        qrels = {f"q{i}": {f"d{j}": rng.randint(0, 3) for j in range(rng.randint(1, 8))} for i in range(5)}
        run = {f"q{i}": {f"d{j}": float(rng.randint(0, 5)) for j in rng.sample(range(20), 12)} for i in range(4)}
        file = tmp_path / "random.json"
        write_baseline(file, run, qrels, "RR", backend="reference")
        theirs = evaluate(run, qrels, measures=["nDCG", "AP", "Bpref", "P@3", "RBP"], backend="reference")
        measures = ["nDCG", "AP", "Bpref", "P@3", "RBP"]
        assert again(file, qrels, measures=measures).result.to_dict()["per_query"] == theirs.to_dict()["per_query"]


def test_a_golden_set_that_grew_is_compared_over_the_queries_that_can_be_answered(path):
    grown = {**QRELS, "q1": {"c": 1, "new": 1}, "q9": {"d": 1}}
    del grown["q2"]
    verdict = gate(RUN, grown, path, backend="reference")
    assert verdict.answer == "passed"
    assert verdict.changes[0].queries == 2
    assert "left out, 1 query of this golden set that the baseline lacks: 'q9'" in verdict.notes
    assert "left out, 1 query with documents judged since, whose ranks are not stored: 'q1'" in verdict.notes
    assert "left out, 1 query of the baseline not judged any more: 'q2'" in verdict.notes
    assert "the baseline was scored again from its stored ranks: the golden set is another" in verdict.notes


def test_grades_that_changed_are_those_of_the_golden_set_now(path):
    regraded = {**QRELS, "q0": {"a": 0, "b": 3, "n": 1}}
    found = again(path, regraded)
    assert found.result.means == pytest.approx(evaluate(RUN, regraded, measures=MEASURES, backend="reference").means)


def test_a_judgement_that_was_taken_back_needs_ids(tmp_path):
    fewer = {**QRELS, "q0": {"a": 2}}
    write_baseline(tmp_path / "ids.json", RUN, QRELS, MEASURES, backend="reference")
    write_baseline(tmp_path / "none.json", RUN, QRELS, MEASURES, ids=False, backend="reference")
    theirs = evaluate(RUN, fewer, measures=MEASURES, backend="reference")
    assert again(tmp_path / "ids.json", fewer).result.means == pytest.approx(theirs.means)
    assert again(tmp_path / "none.json", fewer).queries == ["q1", "q2", "q3"]


@pytest.mark.parametrize("clauses", [{"ties": "input"}, {"duplicates": "last"}, {"self_hits": "drop"}, {"float32_scores": True}])
def test_a_clause_that_orders_documents_cannot_be_answered(path, clauses):
    with pytest.raises(MismatchError, match=f"{next(iter(clauses))} order documents, of which the baseline has the judged ones"):
        gate(RUN, QRELS, path, policy=Policy(**clauses), backend="reference")


def test_a_measure_that_reads_ids_cannot_be_answered(path):
    first = define("FirstId", lambda ranking, doc_ids: float(doc_ids[0] == "x"))
    with pytest.raises(MismatchError, match="FirstId read the ids or scores of all documents"):
        gate(RUN, QRELS, path, measures=[first], backend="reference")


def test_a_golden_set_of_which_nothing_is_known_cannot_be_answered(path):
    with pytest.raises(MismatchError, match="does not fit, the golden set is another: left out, 1 query of this golden set"):
        gate({"other": ["a"]}, {"other": {"a": 1}}, path, backend="reference")


def test_double_credit_stores_no_ranks(tmp_path):
    twice = Policy(duplicates="each")
    write_baseline(tmp_path / "twice.json", {"q0": ["a", "a"]}, QRELS, "P@2", policy=twice, backend="reference")
    assert json.loads((tmp_path / "twice.json").read_text())["ranks"] is None


def test_without_ids_no_id_of_a_document_is_in_the_file(tmp_path):
    qrels, run = {"q0": {"secret-1": 1, "secret-2": 0}}, {"q0": ["secret-9", "secret-1"]}
    for ids in (True, False):
        write_baseline(tmp_path / "ids.json", run, qrels, "RR", ids=ids, backend="reference")
        plain = json.loads((tmp_path / "ids.json").read_text())
        text = json.dumps(plain) + zlib.decompress(base64.b64decode(plain["ranks"])).decode()
        assert ("secret-1" in text, "secret-9" in text) == (ids, False)


def test_fifty_queries_with_a_hundred_judged_documents_are_kilobytes(tmp_path):
    rng = random.Random(1)
    qrels = {f"q{i}": {f"doc-{rng.randrange(10**6)}": rng.randint(0, 2) for _ in range(100)} for i in range(50)}
    run = {query: rng.sample(list(docs), 40) + [f"x{j}" for j in range(60)] for query, docs in qrels.items()}
    write_baseline(tmp_path / "big.json", run, qrels, "RR", backend="reference")
    assert len(json.loads((tmp_path / "big.json").read_text())["ranks"]) < 60_000


def damaged(ranks):
    return base64.b64encode(zlib.compress(json.dumps(ranks).encode())).decode()


@pytest.mark.parametrize(
    "ranks",
    [
        5, "", "x", "AAAA", [], damaged([]), damaged({"q0": 5}), damaged({"q0": [1, [2], ["a"]]}),
        damaged({"q0": [2, [1, 1], ["a", "b"]]}),
        damaged({"q0": [2, [-1], ["a"]]}), damaged({"q0": [2, [1], ["a", "b"]]}), damaged({"q0": [2, [1], [5]]}),
        damaged({"q0": ["2", [1], ["a"]]}), damaged({"q0": [2, ["x"], ["a"]]}), damaged({"q0": [None, [1], ["a"]]}),
    ],
)  # fmt: skip
def test_ranks_that_cannot_be_are_refused_where_they_are_needed(path, ranks):
    plain = json.loads(path.read_text()) | {"ranks": ranks}
    assert gate(RUN, QRELS, plain, backend="reference").ok
    with pytest.raises(InputError, match="the stored ranks cannot be read"):
        gate(RUN, QRELS, plain, policy=Policy(gain="linear"), backend="reference")


def test_ids_that_look_like_those_that_stand_for_unjudged_ones_stay_apart(tmp_path):
    qrels, run = {"q0": {"unjudged2": 1, "unjudged_1": 0}}, {"q0": ["x", "y", "unjudged2"]}
    write_baseline(tmp_path / "odd.json", run, qrels, "RR", backend="reference")
    found = again(tmp_path / "odd.json", qrels, measures=["AP", "P@2"])
    assert found.result.means == pytest.approx(evaluate(run, qrels, measures=["AP", "P@2"], backend="reference").means)
