"""The lines, byte for byte."""

from __future__ import annotations

from samescore import read_qrels, read_run
from samescore.tools.trec_eval.program import TrecScores, columns_of, lines, score

MEASURES = ["num_q", "num_ret", "map", "gm_map", "relstring", "utility", "iprec_at_recall.0.5"]


def scores() -> TrecScores:
    """Two queries."""
    run, qrels = read_run({"q": ["a", "b"], "long query id": ["b"]}), read_qrels({"q": {"b": 1}, "long query id": {"b": 12}})
    return score(run, qrels, columns_of(MEASURES))


def test_the_summary_stands_in_trec_evals_form() -> None:
    assert list(lines(scores())) == [
        "num_q                 \tall\t2",
        "num_ret               \tall\t3",
        "map                   \tall\t0.7500",
        "gm_map                \tall\t0.7071",
        "iprec_at_recall_0.50  \tall\t0.7500",
        "utility               \tall\t0.5000",
    ]


def test_queries_come_first_without_what_is_for_all_alone() -> None:
    assert list(lines(scores(), per_query=True, summary=False)) == [
        "num_ret               \tlong query id\t1",
        "map                   \tlong query id\t1.0000",
        "iprec_at_recall_0.50  \tlong query id\t1.0000",
        "relstring             \tlong query id\t'>'",
        "utility               \tlong query id\t1.0000",
        "num_ret               \tq\t2",
        "map                   \tq\t0.5000",
        "iprec_at_recall_0.50  \tq\t0.5000",
        "relstring             \tq\t'-1'",
        "utility               \tq\t0.0000",
    ]
    assert list(lines(scores(), per_query=True))[10:] == list(lines(scores()))
