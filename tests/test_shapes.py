"""Nested documents, records and objects of other tools are read as the runs and qrels that they hold."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from shape_samples import RANKED, SAMPLES, elastic, elastic_hit

from samescore import Qrels, Run, SamescoreError, evaluate, read_qrels, read_run
from samescore.cli import main
from samescore.errors import IdError, InputError, InputTypeError

NEAR = {"query_id": ["t1", "t1"], "doc_id": ["b", "x"], "distance": [0.1, 0.7]}


@pytest.mark.parametrize("columns", [None, {"distance": "farness"}])
def test_the_nearest_document_is_the_first_where_numbers_are_distances(columns):
    frame = pd.DataFrame(NEAR).rename(columns={"distance": "farness"} if columns else {})
    for form in (frame, frame.to_dict("records"), frame.to_dict("list")):
        assert evaluate(read_run(form, columns=columns), {"t1": {"b": 1}}, measures="RR")["RR"] == 1


def test_a_score_beside_a_distance_decides():
    assert evaluate(pd.DataFrame({**NEAR, "score": [1.0, 2.0]}), {"t1": {"b": 1}}, measures="RR")["RR"] == 1 / 2


def rows_of(side: Run | Qrels) -> dict[str, dict[str, float] | list[str]]:
    """What was read, as {query: {document: number}}, or lists where there were no scores."""
    if isinstance(side, Qrels):
        return {query: dict(judged) for query, judged in side.grades.items()}
    return {
        query: list(ranking.docs) if ranking.scores is None else dict(zip(ranking.docs, ranking.scores.tolist(), strict=True))
        for query, ranking in side.rankings.items()
    }


def as_objects(value: Any) -> Any:
    """Mappings with names for keys as objects with attributes, but those by query."""
    if isinstance(value, list):
        return [as_objects(one) for one in value]
    if not isinstance(value, dict):
        return value
    members = {key: as_objects(one) for key, one in value.items()}
    return members if {"t1", "t2", "q1"} & set(value) or any("." in key for key in value) else SimpleNamespace(**members)


@pytest.mark.parametrize("side", ["run", "qrels"])
@pytest.mark.parametrize("form", SAMPLES)
def test_a_form_is_read_as_an_object_and_as_a_file(form, side, tmp_path):
    sample, read = SAMPLES[form], {"run": read_run, "qrels": read_qrels}[side]
    wanted = getattr(sample, side)
    if wanted is None:
        return
    (tmp_path / "file.json").write_text(json.dumps(sample.document))
    for source in (sample.document, str(tmp_path / "file.json")):
        assert rows_of(read(source, columns=sample.columns)) == wanted


@pytest.mark.parametrize("column", [np.array, pd.Series, pl.Series, tuple])
def test_a_dictionary_of_arrays_is_read_as_columns(column):
    columns = {"query": ["t1", "t1", "t2"], "docid": ["a", "b", "c"], "score": [2.5, 1.5, 0.5]}
    assert rows_of(read_run({name: column(values) for name, values in columns.items()})) == RANKED


@pytest.mark.parametrize("form", [form for form, sample in SAMPLES.items() if isinstance(sample.document, list)])
def test_records_are_read_as_frames_parquet_and_json_lines(form, tmp_path):
    sample = SAMPLES[form]
    (tmp_path / "file.jsonl").write_text("".join(json.dumps(row) + "\n" for row in sample.document))
    frame = pl.DataFrame(sample.document) if form not in ("nested rows of pairs", "nested rows of mappings") else None
    sources: list[Any] = [tmp_path / "file.jsonl", pd.DataFrame(sample.document)]
    if frame is not None:
        frame.write_parquet(tmp_path / "file.parquet")
        sources += [frame, tmp_path / "file.parquet", frame.to_arrow()]
    for source in sources:
        assert rows_of(read_run(source, columns=sample.columns)) == sample.run


@pytest.mark.parametrize(
    "form",
    [
        form
        for form, sample in SAMPLES.items()
        if sample.columns is None and not form.startswith("a dictionary") and form != "nested rows"
    ],
)
def test_objects_with_attributes_are_read_as_mappings_with_keys_are(form):
    sample = SAMPLES[form]
    for read, wanted in ((read_run, sample.run), (read_qrels, sample.qrels)):
        if wanted is not None and "MTEB" not in form:
            assert rows_of(read(as_objects(sample.document))) == wanted


def test_nested_rows_are_read_on_the_command_line(tmp_path, capsys):
    (tmp_path / "q").write_text("t1 0 b 1\nt2 0 c 2\n")
    (tmp_path / "r.jsonl").write_text('{"qid": "t1", "retrieved": ["a", "b"]}\n{"qid": "t2", "retrieved": ["c"]}\n')
    words = [
        "evaluate",
        str(tmp_path / "q"),
        str(tmp_path / "r.jsonl"),
        "-m",
        "RR",
        "--run-columns",
        "query_id=qid,doc_id=retrieved",
    ]
    assert main([*words, "--backend", "reference"]) == 0
    assert "0.7500" in capsys.readouterr().out


class Chunk:
    """A hit of a class that no tool has."""

    def __init__(self, uid, score=None):
        self.chunk, self.score = SimpleNamespace(uid=uid), score


def test_id_of_gives_the_id_of_an_object_of_another_class():
    hits = {"t1": [Chunk("a", 0.9), Chunk("b", 0.8)]}
    with pytest.raises(IdError, match="id_of="):
        read_run(hits)
    assert rows_of(read_run(hits, id_of=lambda hit: hit.chunk.uid)) == {"t1": {"a": 0.9, "b": 0.8}}
    pairs = {"t1": [(Chunk("a"), 0.9), (Chunk("b"), 0.8)]}
    assert rows_of(read_run(pairs, id_of=lambda hit: hit.chunk.uid)) == {"t1": {"a": 0.9, "b": 0.8}}
    assert rows_of(read_qrels({"t1": [Chunk("a")]}, id_of=lambda hit: hit.chunk.uid)) == {"t1": {"a": 1}}
    with pytest.raises(InputError, match="id_of raised"):
        read_run(hits, id_of=lambda hit: hit.uid)


def test_uuids_are_ids():
    one = uuid.UUID(int=7)
    assert rows_of(read_run({one: [(one, 0.5)]})) == {str(one): {str(one): 0.5}}
    assert rows_of(read_run({"t1": [SimpleNamespace(id=one, score=1.0)]})) == {"t1": {str(one): 1.0}}


def test_a_record_may_hold_more_than_is_read():
    rows = [{"query_id": "t1", "doc_id": "b", "score": 1.0, None: ["x"], "ctxs": ["y"], 3: {}}]
    assert rows_of(read_run(rows)) == {"t1": {"b": 1.0}}


@pytest.mark.parametrize(
    ("queries", "wanted"),
    [
        ({"query": ["d1", "d2"], "doc": ["d3", "d1"]}, None),
        ({"query": ["d1"], "doc": ["d2"], "score": ["d3"]}, None),
        ({"query": {"d1": 1.0}, "score": {"d1": 2.0}}, None),
        ({"query": {"d1": 1.0}, "doc": {"d2": 2.0}, "score": {"d1": 0.5}}, None),
        ({"columns": ["d1"], "data": ["d2"]}, None),
        ({"documents": ["d1", "d2"], "points": ["d3"], "candidates": ["d1"]}, None),
        ({"result": ["d1"], "ids": ["d2"], "distances": ["d3"]}, None),
        ({"hits": {"hits": 1.0, "d1": 0.5}}, None),
        ({"requests": ["d1"], "responses": ["d2"], "details": {"d1": 1.0}}, None),
        ({"queries": {"d1": 1.0}, "corpus": {"d1": 2.0}, "relevant_docs": {"d2": 1.0}}, None),
        ({"0": {"query_id": 1.0, "d1": 0.5}, "1": {"d1": 0.5}}, None),
        ({"t1": [["a", 0.5], ["b", 0.25]]}, {"t1": {"a": 0.5, "b": 0.25}}),
        ({"t1": [[1, 2], [3, 4]]}, {"t1": {"1": 2.0, "3": 4.0}}),
        ({"t1": ["a", "b"]}, None),
    ],
)  # fmt: skip
def test_queries_are_no_form_whatever_they_are_called(queries, wanted, tmp_path):
    (tmp_path / "file.json").write_text(json.dumps(queries))
    for source in (queries, tmp_path / "file.json"):
        assert rows_of(read_run(source)) == (wanted or queries)
        if all(isinstance(docs, list) and isinstance(docs[0], str) for docs in queries.values()):
            assert rows_of(read_qrels(source)) == {query: dict.fromkeys(docs, 1) for query, docs in queries.items()}


POINTS = [{"id": "a", "score": 0.1, "version": 1}, {"id": "b", "score": 0.7, "version": 1}]
NODES = [(SimpleNamespace(id="a"), 0.1), (SimpleNamespace(id="b"), 0.7)]
FALLING = [{"id": "a", "distance": 0.9}, {"id": "b", "distance": 0.2}]
REFUSED = {
    "qrels as the run": ("run", SAMPLES["a LlamaIndex data set"].document, "this is a LlamaIndex data set, which holds qrels"),
    "a run as the qrels": ("qrels", SAMPLES["MTEB predictions"].document, "this is MTEB predictions, which holds a run"),
    "hits rated as qrels": ("qrels", SAMPLES["a _rank_eval response"].document, "a _rank_eval response, which holds a run"),
    "one search response": ("run", elastic([elastic_hit("a", 1.0)]), "this is a search response that does not say its query"),
    "one Chroma result": ("run", {"ids": [["a"]], "distances": [[0.1]]}, "this is a Chroma result that does not say its query"),
    "several splits": (
        "run", {"mteb_model_meta": {}, "default": {"test": RANKED, "dev": RANKED}}, "2 sets of queries stand in MTEB predictions"
    ),
    "responses without their queries": ("run", {"responses": [elastic([elastic_hit("a", 1.0)])]}, "the record has no query_id"),
    "lists of hits": ("run", [[{"corpus_id": 7, "score": 0.9}]], "1 lists of results, which do not say their queries"),
    "arrays of FAISS": ("run", (np.array([[0.1, 0.7]]), np.array([[5, 3]])), "two arrays of numbers, as FAISS gives them"),
    "arrays of FAISS under a query": ("run", {"t1": (np.array([0.1, 0.7]), np.array([5, 3]))}, "either may be the ids"),
    "objects with distances": ("run", {"t1": NODES}, "rise down every list"),
    "points with distances": ("run", {"t1": {"points": POINTS}}, "rise down every list"),
    "distances that are similarities": ("run", {"t1": FALLING}, "fall down every list"),
    "hits without ids": ("run", {"t1": [{"text": "x", "score": 0.5}]}, "has no id"),
    "fewer scores than ids": ("run", {"t1": {"ids": ["a", "b"], "scores": [0.5]}}, "2 documents beside 1 numbers"),
    "a frame's rows by number": ("run", [{"query_id": "t1", "doc_id": "b", None: ["x"], "wrong": 1}], "there is no column 'score'"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_refused_by_what_it_is(case):
    side, document, words = REFUSED[case]
    with pytest.raises(SamescoreError) as caught:
        {"run": read_run, "qrels": read_qrels}[side](document)
    assert words in str(caught.value)
    assert "try: " in str(caught.value)


@pytest.mark.parametrize(
    ("document", "columns"),
    [
        ({"t1": elastic([elastic_hit("a", 1.0)])}, {"doc_id": "sku"}),
        ({"t1": elastic([elastic_hit("a", 1.0)])}, {"score": "sim"}),
        ({"t1": [{"id": "a", "score": 1.0}]}, {"doc_id": "chunk"}),
        ({"t1": [{"id": "a", "score": 1.0}]}, {"score": "sim"}),
        ([{"qid": "t1", "retrieved": ["a"], "scores": [1.0]}], {"doc_id": "retrieved", "score": "scroes"}),
        ([{"qid": "t1", "retrieved": ["a"]}], {"doc_id": "retreived"}),
        ([{"query": {"qid": "t1"}, "candidates": [{"docid": "a"}]}], {"doc_id": "id"}),
    ],
)
def test_a_name_that_is_nowhere_is_refused(document, columns, tmp_path):
    (tmp_path / "file.json").write_text(json.dumps(document))
    for source in (document, tmp_path / "file.json"):
        with pytest.raises(InputError):
            read_run(source, columns=columns)


def test_a_set_of_relevant_documents_is_read_in_a_data_set():
    document = {"queries": {"t1": "what"}, "corpus": {"b": "x"}, "relevant_docs": {"t1": {"b"}}}
    assert rows_of(read_qrels(document)) == {"t1": {"b": 1}}


NAMED = [{"id": "a", "distance": 0.1}, {"id": "b", "distance": 0.7}]
RESPONSE = elastic([elastic_hit("a", 1.0)])
FOLLOWED = {
    "one search response": ({"t1": RESPONSE}, {"t1": {"a": 1.0}}),
    "one Chroma result": ({"t1": {"ids": ["a"], "distances": [0.1]}}, {"t1": {"a": -0.1}}),
    "several splits": (REFUSED["several splits"][1]["default"]["test"], RANKED),
    "responses without their queries": ({"t1": RESPONSE}, {"t1": {"a": 1.0}}),
    "lists of hits": (dict(zip(["t1"], REFUSED["lists of hits"][1], strict=True)), {"t1": {"7": 0.9}}),
    "arrays of FAISS": (
        {q: {"ids": i, "distances": d} for q, d, i in zip(["t1"], *REFUSED["arrays of FAISS"][1], strict=True)},
        {"t1": {"5": -0.1, "3": -0.7}},
    ),
    "arrays of FAISS under a query": ({"t1": {"ids": [5, 3], "scores": [0.1, 0.7]}}, {"t1": {"5": 0.1, "3": 0.7}}),
    "objects with distances": (
        {"t1": [{"id": "a", "distance": 0.1}, {"id": "b", "distance": 0.7}]},
        {"t1": {"a": -0.1, "b": -0.7}},
    ),
    "points with distances": ({"t1": [{"id": "a", "score": 0.1}, {"id": "b", "score": 0.7}]}, {"t1": {"a": 0.1, "b": 0.7}}),
    "distances that are similarities": (
        {"t1": [{"id": "a", "score": 0.9}, {"id": "b", "score": 0.2}]},
        {"t1": {"a": 0.9, "b": 0.2}},
    ),
    "fewer scores than ids": ({"t1": {"ids": ["a", "b"], "scores": [0.5, 0.1]}}, {"t1": {"a": 0.5, "b": 0.1}}),
}


@pytest.mark.parametrize("case", FOLLOWED)
def test_the_hint_about_what_cannot_be_read_is_read_with_its_meaning_when_it_is_followed(case):
    document, wanted = FOLLOWED[case]
    assert rows_of(read_run(document)) == wanted
    with pytest.raises(SamescoreError):
        read_run(REFUSED[case][1])


def test_the_hint_about_hits_without_ids_names_their_field():
    with pytest.raises(IdError, match=r"columns=\{'doc_id': '...'\}"):
        read_run(REFUSED["hits without ids"][1])
    assert rows_of(read_run(REFUSED["hits without ids"][1], columns={"doc_id": "text"})) == {"t1": {"x": 0.5}}


def test_scores_in_any_order_decide_where_hits_are_mappings():
    assert evaluate({"t1": [{"id": "a", "score": 2.0}, {"id": "b", "score": 3.0}]}, {"t1": {"b": 1}}, measures="RR")["RR"] == 1
    assert evaluate({"t1": (["a", "b"], [0.2, 0.9])}, {"t1": {"b": 1}}, measures="RR")["RR"] == 1


def test_lists_of_hits_in_a_file_are_refused_as_objects_are(tmp_path):
    (tmp_path / "hits.json").write_text(json.dumps(REFUSED["lists of hits"][1]))
    with pytest.raises(InputTypeError, match="which do not say their queries"):
        read_run(tmp_path / "hits.json")


def test_a_file_named_in_an_error_is_the_file(tmp_path: Path):
    (tmp_path / "qa.json").write_text(json.dumps(SAMPLES["a LlamaIndex data set"].document))
    with pytest.raises(InputError, match=r"qa\.json: this is a LlamaIndex data set"):
        read_run(tmp_path / "qa.json")
