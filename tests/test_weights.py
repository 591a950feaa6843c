"""Queries that do not count alike: weights, and slices that count alike; in results, comparisons, baselines and commands."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from samescore import Result, compare, evaluate, gate, interval, write_baseline
from samescore.cli import main
from samescore.errors import InputError, InputTypeError, MismatchError

QRELS = {f"q{i}": {"d": 1} for i in range(12)}
RANKS = [1, 2, 1, 4, 3, 1, 2, 8, 1, 5, 2, 1]
RUN = {f"q{i}": [f"x{j}" for j in range(1, rank)] + ["d"] for i, rank in enumerate(RANKS)}
BETTER = {**RUN, "q3": ["d"], "q7": ["x", "d"]}
WEIGHTS = {f"q{i}": i % 4 + 0.5 for i in range(12)}
LABELS = {f"q{i}": "de" if i < 3 else "en" for i in range(10)}
VALUES, W = 1 / np.array(RANKS), np.array(list(WEIGHTS.values()))


def scored(run=RUN, **options):
    return evaluate(run, QRELS, measures=["RR", "R@2", "NumRet"], backend="reference", **options)


@pytest.mark.parametrize(
    "weights",
    [WEIGHTS, pd.Series(WEIGHTS), pd.DataFrame({"query_id": list(WEIGHTS), "weight": list(WEIGHTS.values())}),
     pd.DataFrame({"w": list(WEIGHTS.values())}, index=list(WEIGHTS)), {q: np.float32(w) for q, w in WEIGHTS.items()}],
    ids=["mapping", "Series", "DataFrame", "index", "numpy"],
)  # fmt: skip
def test_a_weighted_mean_is_that_of_numpy_and_counts_stay_sums(weights):
    result = scored(weights=weights)
    assert result["RR"] == pytest.approx(np.average(VALUES, weights=W))
    assert result["R@2"] == pytest.approx(np.average(np.array(RANKS) <= 2, weights=W))
    assert result["NumRet"] == sum(RANKS)
    assert result.signature.endswith("queries:12 (weighted)")
    assert "weighted mean: queries count by the weights that were given" in str(result)


def test_slices_count_alike_and_a_query_without_a_label_does_not_count():
    result = scored(average="slices", slices=LABELS)
    de, en = VALUES[:3].mean(), VALUES[3:10].mean()
    assert result["RR"] == pytest.approx((de + en) / 2)
    assert {row.slice: row.mean for row in result.slice_rows() if row.measure == "RR"} == pytest.approx(
        {"all": (de + en) / 2, "de": de, "en": en}
    )
    assert result.signature.endswith("(mean of slices)")


def test_a_slice_counts_by_the_queries_that_have_a_value():
    qrels = {"q0": {"d": 1}, "q1": {"d": 1}, "q2": {"d": 0}, "q3": {"d": 1}}
    run = {"q0": ["d"], "q1": ["x"], "q2": ["d"], "q3": ["d"]}
    labels = {"q0": "a", "q1": "a", "q2": "a", "q3": "b"}
    assert evaluate(run, qrels, k=1, average="slices", slices=labels, backend="reference")["R@1"] == (0.5 + 1) / 2


@pytest.mark.parametrize("options", [{"weights": WEIGHTS}, {"average": "slices", "slices": LABELS}])
def test_a_result_comes_back_from_json(options):
    result = scored(**options)
    back = Result.from_dict(json.loads(result.to_json()))
    assert back.to_dict() == result.to_dict()
    assert back.weights_of("RR") == result.weights_of("RR")
    assert tuple(interval(back, "RR")) == tuple(interval(result, "RR"))


def test_the_interval_of_a_weighted_mean_is_approximate():
    made = interval(scored(), "RR", weights=WEIGHTS)
    assert (made.method, made.mean) == ("BCa bootstrap, approximate", pytest.approx(np.average(VALUES, weights=W)))
    assert tuple(made) == tuple(interval(scored(weights=WEIGHTS), "RR"))
    with pytest.raises(InputError, match="weights names ids"):
        interval(scored(), "RR", weights={**WEIGHTS, "other": 1})


@pytest.mark.parametrize(
    ("options", "weights"),
    [
        ({"weights": WEIGHTS}, W),
        ({"average": "slices", "slices": LABELS}, np.array([1 / 3] * 3 + [1 / 7] * 7 + [0] * 2)),
    ],
)
def test_runs_are_compared_by_weighted_means(options, weights):
    better = VALUES.copy()
    better[[3, 7]] = 1, 0.5
    for runs in ({"a": RUN, "b": BETTER}, {"a": scored(), "b": scored(BETTER)}):
        row = compare(runs, QRELS, measures="RR", backend="reference", **options).row("b")
        assert row.mean == pytest.approx(np.average(better, weights=weights))
        assert row.delta == pytest.approx(np.average(better - VALUES, weights=weights))
        assert row.low < row.delta < row.high


def test_equal_weights_change_nothing():
    plain, weighted = (
        compare({"a": RUN, "b": BETTER}, QRELS, measures="RR", **o).row("b") for o in ({}, {"weights": dict.fromkeys(QRELS, 2)})
    )
    assert (plain.delta, plain.p, plain.low) == pytest.approx((weighted.delta, weighted.p, weighted.low))


@pytest.mark.parametrize("options", [{"weights": WEIGHTS}, {"average": "slices", "slices": LABELS}])
def test_a_baseline_keeps_its_weights_and_labels(tmp_path, options):
    path = tmp_path / "baseline.json"
    write_baseline(path, RUN, QRELS, ["RR"], backend="reference", **options)
    mean = scored(**options)["RR"]
    verdict = gate(BETTER, QRELS, path, floors={"RR": 0.1}, backend="reference")
    assert verdict.changes[0].baseline == pytest.approx(mean)
    assert verdict.changes[0].now == pytest.approx(scored(BETTER, **options)["RR"])
    assert verdict.floors[0].now == pytest.approx(scored(BETTER, **options)["RR"])
    again = gate(BETTER, QRELS, path, measures="AP", backend="reference")
    assert again.changes[0].baseline == pytest.approx(mean), "AP of one relevant document is RR"


def test_a_gate_can_be_weighted_where_the_baseline_is_not(tmp_path):
    path = tmp_path / "baseline.json"
    write_baseline(path, RUN, QRELS, ["RR"], backend="reference")
    verdict = gate(BETTER, QRELS, path, weights=WEIGHTS, backend="reference")
    assert verdict.changes[0].baseline == pytest.approx(np.average(VALUES, weights=W))
    with pytest.raises(MismatchError, match="of a macro average, and not 'slices'"):
        gate(BETTER, QRELS, path, average="slices", slices=LABELS, backend="reference")


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"weights": {"q0": 1}}, InputError, "11 queries have no weight: 'q1'"),
        ({"weights": dict.fromkeys(QRELS, 0)}, InputError, "no query that is averaged has a weight above 0"),
        ({"weights": {**WEIGHTS, "q0": math.nan}}, InputError, "the weight is nan"),
        ({"weights": {**WEIGHTS, "q0": -1}}, InputError, "the weight is -1"),
        ({"weights": {**WEIGHTS, "q0": True}}, InputTypeError, "the weight is True"),
        ({"weights": {**WEIGHTS, "q0": "1"}}, InputTypeError, "the weight is '1'"),
        ({"weights": {**WEIGHTS, "zz": 1}}, InputError, "weights names ids that neither run nor qrels have: 'zz'"),
        ({"weights": [1, 2]}, InputTypeError, "weights are"),
        ({"weights": WEIGHTS, "average": "micro"}, InputError, "both weights and a micro average"),
        ({"average": "slices"}, InputError, "needs labels of one kind, and there are 0"),
        ({"average": "slices", "slices": pd.DataFrame({"query_id": ["q1"], "a": ["x"], "b": ["y"]})}, InputError, "there are 2"),
        ({"average": "slices", "slices": {"other": "x"}}, InputError, "no query that is averaged has a weight above 0"),
    ],
)
def test_weights_that_make_no_sense_are_refused(options, error, said):
    with pytest.raises(error, match=said):
        scored(**options)
    with pytest.raises(InputError, match=r"ranks queries|no weight|."):
        compare({"a": RUN, "b": BETTER}, QRELS, measures="RR", test="wilcoxon", **options)


def test_commands_take_weights_and_slices(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    for name, run in (("a.json", RUN), ("b.json", BETTER)):
        (tmp_path / name).write_text(json.dumps(run))
    (tmp_path / "weights.tsv").write_text("".join(f"{q}\t{w}\n" for q, w in WEIGHTS.items()))
    (tmp_path / "labels.tsv").write_text("".join(f"{q}\t{label}\n" for q, label in LABELS.items()))

    def said(*words):
        code = main([str(word) for word in words])
        return code, capsys.readouterr()

    for options, mean in (
        (["--weights", "weights.tsv"], np.average(VALUES, weights=W)),
        (["--average", "slices", "--slices", "labels.tsv"], scored(average="slices", slices=LABELS)["RR"]),
    ):
        code, printed = said("evaluate", "qrels.json", "a.json", "-m", "RR", "--format", "json", *options)
        assert (code, json.loads(printed.out)["measures"]["RR"]["mean"]) == (0, pytest.approx(mean))
        code, printed = said("compare", "qrels.json", "a.json", "b.json", "-m", "RR", "--format", "json", *options)
        assert (code, json.loads(printed.out)["table"][0]["mean"]) == (0, pytest.approx(mean))
        gating = ["gate", "qrels.json", "a.json", "--baseline", "base.json", *options]
        assert said(*gating, "-m", "RR", "--write-baseline", "--force")[0] == 0
        assert said("gate", "qrels.json", "b.json", "--baseline", "base.json")[0] == 0
    (tmp_path / "weights.tsv").write_text("q1\tx\n")
    code, printed = said("evaluate", "qrels.json", "a.json", "--weights", "weights.tsv")
    assert (code, "weights.tsv" in printed.err, "the weight is 'x'" in printed.err) == (2, True, True)
