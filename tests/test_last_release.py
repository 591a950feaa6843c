"""What the last release offered still works: its public names, the results and baselines that it stored, and their keys."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from samescore import Result, evaluate, gate

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "conformance" / "example"
STORED = Path(__file__).parent / "stored"

NAMES = {
    "samescore": """
        Agreement Comparison Curve Diagnosis Explanation Export Measure Policy Qrels QrelsReport Report Result Run SamescoreError
        Search TieBounds Validation __version__ average_precision check compare crosscheck curve dcg define diagnose evaluate
        explain export fingerprint gate interval label_bounds misses mrr ndcg_at_k parse precision_at_k read_qrels read_run
        recall_at_k reciprocal_rank split tie_bounds unjudged validate write_baseline""",
    "samescore.plots": "figure plot_box plot_curve plot_deltas plot_precision_recall plot_slices save",
    "samescore.errors": """
        BackendError FormatError GapError GradeError IdError InputError InputTypeError MeasureError MismatchError
        MissingLibraryError PolicyError ResultKeyError SamescoreError SamescoreWarning ScoreError examples nearest short""",
    "samescore.measures": """
        CATALOGUE Entry Function Measure Param ParamValue define example load_measure named_measure names own_values parse
        parse_all""",
    "samescore.backends": "BACKENDS Backend Gap Grades check_gaps check_label find gap_in matrix resolution shown",
    "samescore.policy": "Policy reasons",
    "samescore.readers": """
        Found Grade Qrels Run Stream document_lookup kept open_run read_qrels read_run recognise_qrels recognise_run
        to_documents""",
}


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, names in NAMES.items() for name in names.split()])
def test_a_public_name_of_the_last_release_is_there(module, name):
    assert getattr(importlib.import_module(module), name) is not None


@pytest.fixture(scope="module")
def stored():
    return json.loads((STORED / "result-0.1.0.json").read_text(encoding="utf-8"))


def test_a_result_that_the_last_release_stored_is_read(stored):
    result = Result.from_dict(stored)
    now = evaluate(EXAMPLE / "run.txt", EXAMPLE / "qrels.txt", measures=["nDCG@10", "RR"])
    assert result.means == now.means
    assert result.report.tie_changes == ("aphids-on-tomatoes",)
    assert result.fingerprint == now.fingerprint


def keys(value, path=""):
    """The paths of all keys in plain values."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{path}/{key}"
            yield from keys(inner, f"{path}/{key}")


def test_every_key_of_a_stored_result_is_one_of_a_result_today(stored):
    now = evaluate(EXAMPLE / "run.txt", EXAMPLE / "qrels.txt", measures=["nDCG@10", "RR"], tie_changes=True).to_dict()
    assert set(keys(stored)) - set(keys(now)) - {"/run", "/qrels"} == set()


def test_a_baseline_that_the_last_release_stored_still_gates():
    verdict = gate(EXAMPLE / "run.txt", EXAMPLE / "qrels.txt", STORED / "baseline-0.1.0.json")
    assert verdict.passed
    worse = {"blue-hydrangeas": ["basil-soil"]}
    assert not gate(worse, EXAMPLE / "qrels.txt", STORED / "baseline-0.1.0.json")
