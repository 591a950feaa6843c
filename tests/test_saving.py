"""Run.save, Qrels.save and samescore convert: what is written is read back equal, or refused with a form that holds it."""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path

import pandas as pd
import pytest
import ranx
from conftest import BM25, QRELS as GOLDEN
from hypothesis import HealthCheck, given, strategies as st
from strategies import tries
from test_written_files import SOME_IDS

from samescore import read_qrels, read_run
from samescore.errors import InputError, SamescoreError, WriteError, parts_of
from samescore.readers import Qrels, Run
from samescore.readers.writers import FORMS

INF = float("inf")
RUNS = {
    "scores": {"q1": {"d1": 2.5, "d2": -1e-7, "d3": 2.5}, "q2": {"d1": 1}},
    "infinite scores": {"q1": {"d1": INF, "Infinity": 0.1, "d3": -INF}},
    "scores that rise": {"q1": {"d1": 1, "d2": 2}},
    "integer ids": {1: {10: 0.5, 7: 0.25}, 2: {10: 1}},
    "a document twice": {"q1": [("d1", 3.0), ("d2", 2.0), ("d1", 1.0)]},
    "order": {"q1": ["d2", "d1"], "q2": ["d9"]},
    "queries without rows": {"q1": {}, "q2": {"d": 1.0}, "q3": []},
    "blanks": {"q 1": {"d\t1": 1.0}},
    "nothing": {},
}
QRELS = {
    "grades": {"q1": {"d1": 2, "d2": 0, "d3": -1, "d4": 0.5}, "q2": {"d1": 1}},
    "integer ids": {1: {10: 1}},
    "judged twice": {"q1": [("d1", 1), ("d2", 1), ("d1", 2)]},
    "queries without rows": {"q1": {}, "q2": {"d1": 1}},
    "blanks": {"q 1": {"d 1": 1}},
    "subtopics": "q1 1 d1 1\nq1 2 d1 0\nq1 2 d2 1\nq2 0 d1 1\n",
    "nothing": {},
}
REFUSED = {
    "run": {
        "queries without rows": {"trec", "jsonl", "csv", "tsv", "parquet"},
        "blanks": {"trec"},
        "nothing": {"trec", "jsonl", "csv", "tsv", "ranx"},
    },
    "qrels": {
        "queries without rows": {"trec", "jsonl", "csv", "tsv", "parquet"},
        "blanks": {"trec"},
        "subtopics": {"json", "jsonl", "ranx"},
        "nothing": {"trec", "jsonl", "csv", "tsv", "ranx"},
    },
}


def rows_of(data):
    """All that is known of a run or qrels, in the order found."""
    if isinstance(data, Qrels):
        return data.grades, data.further, data.subtopics, list(data.grades)
    return [(query, list(r.docs), None if r.scores is None else r.scores.tolist()) for query, r in data.rankings.items()]


def in_order(data):
    """The documents of each query alone."""
    return {query: list(ranking.docs) for query, ranking in data.rankings.items()}


def loaded(kind, source, folder):
    """A run or qrels, from text where it is that."""
    if isinstance(source, str):
        path = folder / "source"
        path.write_text(source)
        source = path
    return read_run(source) if kind == "run" else read_qrels(source)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("kind", "name"), [("run", name) for name in RUNS] + [("qrels", name) for name in QRELS])
def test_what_is_written_is_read_back_equal_or_refused(tmp_path, kind, name, form):
    data = loaded(kind, (RUNS if kind == "run" else QRELS)[name], tmp_path)
    path = tmp_path / f"file{FORMS[form].endings[0]}"
    if form in REFUSED[kind].get(name, ()):
        with pytest.raises(InputError, match=f"a file of the form {form} cannot hold"):
            data.save(path)
        assert not path.exists()
        return
    data.save(path)
    copy = loaded(kind, path, tmp_path)
    if name == "order" and form not in ("json", "ranx"):
        assert in_order(copy) == in_order(data)
        assert [r.scores.tolist() for r in copy.rankings.values()] == [[2.0, 1.0], [1.0]]
    else:
        assert rows_of(copy) == rows_of(data)


@tries(60, suppress_health_check=list(HealthCheck))
@given(SOME_IDS, SOME_IDS, st.sampled_from(sorted(FORMS)))
def test_odd_ids_are_read_back_equal_or_refused_with_a_form_that_holds_them(queries, docs, form):
    for data in (
        read_run({query: {doc: float(i) for i, doc in enumerate(docs)} for query in queries}),
        read_qrels({query: dict.fromkeys(docs, 1) for query in queries}),
    ):
        path = Path(tempfile.mkdtemp()) / "file"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                data.save(path, format=form)
            except SamescoreError as error:
                if error.hint == "other ids":
                    continue
                (setting,) = parts_of(error.hint)
                data.save(path, **{setting.name: setting.values[0]})
            assert rows_of((read_run if isinstance(data, Run) else read_qrels)(path)) == rows_of(data)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # ranx 0.3.21 leaves JSON files open
def test_ranx_reads_what_is_written_for_it_and_the_other_way_round(tmp_path):
    run, qrels = {"q1": {"d1": 2.5, "d2": 1.0}}, {"q1": {"d1": 1, "d2": 2}}
    for ending in ("lz4", "json", "trec"):
        path = str(tmp_path / f"run.{ending}")
        read_run(run).save(path)
        assert ranx.Run.from_file(path).to_dict() == run
        ranx.Run(run).save(path)
        assert rows_of(read_run(path)) == rows_of(read_run(run))
        path = str(tmp_path / f"qrels.{ending}")
        read_qrels(qrels).save(path)
        if ending != "lz4":
            assert ranx.Qrels.from_file(path).to_dict() == qrels


def test_parquet_has_the_names_and_types_that_other_tools_expect(tmp_path):
    read_run({1: {"d1": 2}}).save(tmp_path / "run.parquet")
    read_qrels({"q": {"d1": 2}}).save(tmp_path / "qrels.parquet")
    assert pd.read_parquet(tmp_path / "run.parquet").to_dict("list") == {"query_id": ["1"], "doc_id": ["d1"], "score": [2.0]}
    frame = pd.read_parquet(tmp_path / "qrels.parquet")
    assert frame.to_dict("list") == {"query_id": ["q"], "iteration": ["0"], "doc_id": ["d1"], "relevance": [2]}


def test_the_ranks_of_a_trec_file_follow_the_scores_and_the_tag_stays(tmp_path):
    (tmp_path / "run.txt").write_text("q1 Q0 d1 9 1.0 bm25\nq1 Q0 d2 9 2.0 bm25\nq1 Q0 d3 9 1.0 bm25\n")
    read_run(tmp_path / "run.txt").save(tmp_path / "copy.txt")
    lines = (tmp_path / "copy.txt").read_text().splitlines()
    assert lines == ["q1 Q0 d1 2 1.0 bm25", "q1 Q0 d2 1 2.0 bm25", "q1 Q0 d3 3 1.0 bm25"]


def test_a_file_that_was_read_is_written_over_only_if_that_is_said(tmp_path):
    path = tmp_path / "run.txt"
    path.write_text("q1 Q0 d1 1 1.0 bm25\n")
    with pytest.raises(WriteError, match="this file is an input"):
        read_run(path).save(path)
    read_run(path).save(path, force=True)


def test_a_form_that_is_not_known_is_refused_with_those_that_are(tmp_path):
    with pytest.raises(InputError, match=r"try: format='trec', or a name that ends in one of \.txt, \.json"):
        read_run({"q": ["d"]}).save(tmp_path / "run.xyz")
    with pytest.raises(InputError, match=r"no form of file is called 'jsn'\ntry: json"):
        read_run({"q": ["d"]}).save(tmp_path / "run.xyz", format="jsn")


@pytest.mark.parametrize("form", [5, ["json"], ""])
def test_a_path_or_form_of_another_kind_is_refused_in_words(tmp_path, form):
    with pytest.raises(InputError, match="no form of file is called"):
        read_run({"q": ["d"]}).save(tmp_path / "run.json", format=form)
    with pytest.raises(InputError, match="the path is 5\ntry: the path of a file"):
        read_run({"q": ["d"]}).save(5)


# The command


def test_convert_writes_what_save_writes(say, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bm25.txt").write_text(BM25)
    Path("qrels.txt").write_text(GOLDEN)
    out, err, code = say("convert", "run", "bm25.txt", "run.json")
    assert (out, err, code) == ("3 queries and 6 rows in run.json\n", "", 0)
    assert json.loads(Path("run.json").read_text())["q2"] == {"d9": 1.0}
    assert say("convert", "qrels", "qrels.txt", "q.parquet")[2] == 0
    assert rows_of(read_qrels("q.parquet")) == rows_of(read_qrels("qrels.txt"))


def test_convert_reads_as_it_is_told_and_prints_where_a_device_is_named(say, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("run.csv").write_text("Frage,Beleg,Wert\nq1,d 1,2\n")
    columns = ["--run-columns", "query_id=Frage,doc_id=Beleg,score=Wert"]
    _, err, code = say("convert", "run", "run.csv", "run.txt", *columns)
    assert (code, err.partition("try: ")[2]) == (2, "--to json\n")
    assert say("convert", "run", "run.csv", "run.txt", *columns, "--to", "json")[2] == 0
    assert read_run("run.txt").queries == ["q1"]
