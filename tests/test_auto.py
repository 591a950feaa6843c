"""The default backend: ir_measures for what it has, then the reference, and the result names both."""

from __future__ import annotations

import json

import pytest

from samescore import Policy, Result, evaluate, gate, write_baseline
from samescore.backends import find
from samescore.errors import GapError, MissingLibraryError

RUN = {"q1": {"a": 3.0, "u": 2.0, "b": 1.0}, "q2": {"c": 1.0}}
QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1, "d": 0}}
MIXED = ["nDCG@10", "Judged@10", "ERR@20", "DCG@3", "RBP(rel=1)"]
LABEL = f"{find('ir_measures').label}; reference for Judged@10, ERR@20, DCG@3, RBP(rel=1)"


def test_every_measure_is_computed_in_one_call_and_the_result_says_by_whom():
    result = evaluate(RUN, QRELS, measures=MIXED)
    by_reference = evaluate(RUN, QRELS, measures=MIXED, backend="reference")
    assert result.means == pytest.approx(by_reference.means, abs=1e-12)
    assert result.backend == LABEL
    assert f" | {LABEL} | queries:2" in result.signature
    assert Policy.parse(result.signature) == Policy()
    backends = {name: row["backend"] for name, row in result.to_dict()["measures"].items()}
    assert backends == {"nDCG@10": find("ir_measures").label, **dict.fromkeys(MIXED[1:], "reference")}
    assert str(result).splitlines()[0].split()[-1] == "backend"
    assert Result.from_dict(json.loads(result.to_json())).to_dict() == result.to_dict()


def test_measures_of_subtopics_are_among_them(tmp_path):
    (tmp_path / "qrels.txt").write_text("q 1 a 1\nq 2 b 1\n")
    result = evaluate({"q": ["a", "b"]}, tmp_path / "qrels.txt", measures=["alpha_nDCG@10", "StRecall@1", "RR"])
    assert (result["StRecall@1"], result["RR"]) == (1 / 2, 1)


def test_where_ir_measures_computes_all_nothing_is_said_of_another():
    result = evaluate(RUN, QRELS, measures=["nDCG@10", "RR"])
    assert result.to_dict() == evaluate(RUN, QRELS, measures=["nDCG@10", "RR"], backend="ir_measures").to_dict()
    assert "backend" not in result.to_dict()["measures"]["RR"]


def test_where_the_reference_computes_all_it_alone_is_named():
    assert evaluate(RUN, QRELS, measures="Judged@10").backend == "reference"


def test_grades_that_ir_measures_cannot_hold_go_to_the_reference():
    result = evaluate(RUN, {"q1": {"a": 0.5}}, measures=["nDCG@10", "RR(rel=1)"])
    assert result.backend.endswith("; reference for nDCG@10")


def test_a_backend_that_is_named_refuses_what_it_lacks():
    with pytest.raises(GapError, match="Judged@10"):
        evaluate(RUN, QRELS, measures=MIXED, backend="ir_measures")


def test_without_ir_measures_the_default_is_an_error_that_names_the_reference(monkeypatch):
    from importlib import metadata

    from samescore.backends import base

    def lacking(distribution):
        raise metadata.PackageNotFoundError(distribution)

    monkeypatch.setattr(base, "version", lacking)
    base.installed.cache_clear()
    with pytest.raises(MissingLibraryError, match="pip install ir_measures, or backend='reference'"):
        evaluate(RUN, QRELS, measures="Judged@10")
    base.installed.cache_clear()


def test_a_baseline_of_several_backends_gates(tmp_path):
    path = tmp_path / "baseline.json"
    write_baseline(path, RUN, QRELS, MIXED)
    assert gate(RUN, QRELS, path).ok
    assert not gate({"q1": ["u", "a"], "q2": ["c"]}, QRELS, path).ok


def test_the_command_takes_them_together(say, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps(RUN))
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    out, err, code = say("evaluate", "qrels.json", "run.json", *(word for name in MIXED for word in ("-m", name)))
    assert (err, code) == ("", 0)
    assert LABEL in out
    assert say("evaluate", "qrels.json", "run.json", "-m", "Judged@10", "--backend", "ir_measures")[2] == 2
