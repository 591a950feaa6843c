"""Odd options: every keyword of every public function works with a value or refuses it with an error of samescore."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import samescore
from samescore.errors import SamescoreError

RUN = {"q1": {"x": 2.0, "a": 1.0}, "q2": {"a": 3.0, "b": 1.0}, "q3": {"c": 1.0}}
OTHER = {"q1": {"a": 2.0, "x": 1.0}, "q2": {"a": 3.0, "b": 1.0}, "q3": {"c": 1.0}}
QRELS = {"q1": {"a": 1}, "q2": {"b": 2}, "q3": {"c": 1}}
RUNS = {"one": RUN, "two": OTHER}
RESULT, OTHER_RESULT = (samescore.evaluate(run, QRELS, measures="RR", backend="reference") for run in (RUN, OTHER))


class Thing:
    """A class that is nothing in particular."""


ODD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "0": lambda: 0,
    "-1": lambda: -1,
    "0.5": lambda: 0.5,
    "nan": lambda: math.nan,
    "inf": lambda: math.inf,
    "empty text": lambda: "",
    "text": lambda: "no such thing",
    "long text": lambda: "x" * 10**6,
    "nul": lambda: "a\0b",
    "surrogate": lambda: "\ud800",
    "bytes": lambda: b"",
    "empty list": list,
    "nested list": lambda: [[[]]],
    "empty dict": dict,
    "odd dict": lambda: {None: object()},
    "set": lambda: {1, "a"},
    "object": object,
    "class": lambda: Thing,
    "lambda": lambda: lambda *given: None,
    "generator": lambda: (i for i in range(3)),
    "True": lambda: True,
    "huge": lambda: 10**400,
    "complex": lambda: 1j,
    "exception": lambda: ValueError,
    "array": lambda: np.array([1, 2]),
    "frame": pd.DataFrame,
    "Series": lambda: pd.Series({"q1": 1.0}),
}

CALLS: dict[str, dict[str, Any]] = {
    "evaluate": {"run": RUN, "qrels": QRELS, "backend": "reference"},
    "compare": {"runs": RUNS, "qrels": QRELS, "backend": "reference", "resamples": 99},
    "curve": {"runs": RUNS, "qrels": QRELS, "k": [1, 2], "backend": "reference"},
    "gate": {"run": RUN, "qrels": QRELS, "baseline": "baseline.json", "backend": "reference"},
    "write_baseline": {"path": "written.json", "run": RUN, "qrels": QRELS, "backend": "reference"},
    "crosscheck": {"run": RUN, "qrels": QRELS, "measures": "RR", "backends": "reference"},
    "validate": {"run": RUN, "qrels": QRELS, "reported": {"RR": 0.6667}},
    "explain": {"run": RUN, "qrels": QRELS, "measure": "RR", "backend": "reference"},
    "export": {"run": RUN, "qrels": QRELS, "folder": "exported", "measures": "RR"},
    "tie_bounds": {"run": RUN, "qrels": QRELS, "measures": "RR"},
    "diagnose": {"candidates": RUN, "final": OTHER, "qrels": QRELS},
    "misses": {"run": RUN, "qrels": QRELS},
    "unjudged": {"runs": RUNS, "qrels": QRELS},
    "check": {"qrels": QRELS},
    "split": {"qrels": QRELS},
    "fingerprint": {"qrels": QRELS},
    "read_run": {"source": RUN},
    "read_qrels": {"source": QRELS},
    "define": {"name": "Mine", "function": lambda ranking: 1.0},
    "parse": {"text": "RR"},
    "interval": {"result": RESULT, "measure": "RR"},
    "needed_queries": {"a": RESULT, "b": OTHER_RESULT, "measure": "RR"},
    "compare_suite": {"data_sets": {"one": (RUNS, QRELS), "two": (RUNS, QRELS)}, "measures": "RR"},
    "merge_qrels": {"on_conflict": "last"},
    "rbo": {"run_a": RUN, "run_b": OTHER},
    "agreement": {"qrels": QRELS, "others": {"q1": {"a": 0}}},
}


def keywords() -> list[tuple[str, str]]:
    """Function and parameter, of every call."""
    parameters = ((name, inspect.signature(getattr(samescore, name)).parameters) for name in CALLS)
    return [(name, each) for name, every in parameters for each, kind in every.items() if kind.kind is not kind.VAR_KEYWORD]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    samescore.write_baseline("baseline.json", RUN, QRELS, ["RR"], backend="reference")


@pytest.mark.usefixtures("folder")
@pytest.mark.filterwarnings("ignore::samescore.errors.SamescoreWarning")
@pytest.mark.parametrize(("name", "parameter"), keywords())
def test_each_odd_value_works_or_is_refused(name, parameter):
    raised = {}
    for kind, make in ODD.items():
        try:
            varied = [QRELS, make()] if parameter == "qrels" and name == "merge_qrels" else []
            shown = getattr(samescore, name)(*varied, **{**CALLS[name], **({} if varied else {parameter: make()})})
            str(shown)
        except SamescoreError as error:
            str(error)
        except Exception as error:
            raised[kind] = f"{type(error).__name__}: {str(error)[:200]}"
    assert raised == {}


@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_option_is_named(name):
    with pytest.raises(TypeError, match="no_such_option"):
        getattr(samescore, name)(**CALLS[name], no_such_option=1)
