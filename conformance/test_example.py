"""The example run: what is not well with it is reported, and every backend gives it the same values."""

from __future__ import annotations

import pytest

from samescore import evaluate
from samescore.backends import BACKENDS

from .case import HERE

RUN, QRELS = HERE / "example" / "run.txt", HERE / "example" / "qrels.txt"


def test_the_report_of_the_example_says_what_the_readme_says() -> None:
    report = evaluate(RUN, QRELS, backend="reference").report
    assert report.queries == 9
    assert report.skipped == ("moss-in-the-lawn", "repot-a-bonsai")
    assert (report.unjudged_queries, report.empty) == (("moss-in-the-lawn",), ("repot-a-bonsai",))
    assert report.missing == ("potato-blight",)
    assert report.duplicates == {"blue-hydrangeas": 1}
    assert set(report.tied) == {"aphids-on-tomatoes", "keep-basil-alive-indoors"}
    assert (report.largest_grade, report.negatives, report.conflicts) == (3, 0, 0)
    assert 0.75 < report.judged[10] < 0.85


@pytest.mark.parametrize("backend", [name for name in BACKENDS if name != "reference" and "/" not in name])
def test_every_backend_gives_the_example_the_values_of_the_reference(backend: str) -> None:
    reference = evaluate(RUN, QRELS, k=[5, 10], backend="reference")
    found = evaluate(RUN, QRELS, k=[5, 10], backend=backend)
    assert found.means == pytest.approx(reference.means, rel=0, abs=1e-12)
    assert found.to_dict()["report"] == reference.to_dict()["report"]
    assert found.fingerprint == reference.fingerprint
