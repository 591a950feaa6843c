"""Chunks and documents: retrieved ids are mapped to documents before duplicates are dropped."""

from __future__ import annotations

from collections import defaultdict

import pandas as pd
import pytest

from samescore import Policy, compare, evaluate, read_run
from samescore.errors import IdError, InputTypeError, PolicyError, SamescoreWarning

QRELS = {"q1": {"a": 1, "b": 1}}
CHUNKS = {"q1": {"a#1": 9.0, "a#2": 8.0, "x#1": 7.0, "b#1": 6.0}}
DOC_OF = {"a#1": "a", "a#2": "a", "b#1": "b", "x#1": "x"}


def scored(run, doc_of, measures="AP", **options):
    return evaluate(run, QRELS, measures=measures, doc_of=doc_of, backend="reference", **options)


def document(chunk):
    return chunk.partition("#")[0]


@pytest.mark.parametrize(
    "doc_of",
    [DOC_OF, pd.Series(DOC_OF), defaultdict(str, DOC_OF), document],
    ids=["mapping", "series", "defaultdict", "function"],
)
@pytest.mark.parametrize("run", [CHUNKS, {"q1": list(CHUNKS["q1"])}], ids=["scores", "list"])
def test_a_document_counts_once_at_its_best_chunk(run, doc_of):
    result = scored(run, doc_of)
    assert result["AP"] == (1 / 1 + 2 / 3) / 2  # the documents are a, x, b
    assert result.report.duplicates == {"q1": 1}


@pytest.mark.parametrize("form", ["pandas", "polars", "file", "read"])
def test_frames_and_files_are_mapped_too(tmp_path, form):
    rows = {"query_id": ["q1"] * 4, "doc_id": list(CHUNKS["q1"]), "score": list(CHUNKS["q1"].values())}
    if form == "pandas":
        run = pd.DataFrame(rows)
    elif form == "polars":
        run = pytest.importorskip("polars").DataFrame(rows)
    else:
        run = tmp_path / "run.txt"
        run.write_text("".join(f"q1 Q0 {doc} 1 {score} t\n" for doc, score in CHUNKS["q1"].items()))
    assert scored(read_run(run) if form == "read" else run, document)["AP"] == (1 / 1 + 2 / 3) / 2


def test_without_it_chunks_are_documents_of_another_corpus():
    with pytest.warns(SamescoreWarning, match="no document of the run is judged"):
        assert scored(CHUNKS, None)["AP"] == 0.0


@pytest.mark.parametrize(
    "doc_of", [{"a#1": "a", "a#2": "a"}, lambda c: "a" if c.startswith("a") else None], ids=["mapping", "function"]
)
def test_an_id_without_a_document_stays_and_is_reported(doc_of):
    run = {"q1": ["a#1", "b", "c"]}
    result = scored(run, doc_of)
    assert result["AP"] == 1.0
    assert result.report.unmapped == {"q1": 2}
    assert "2 retrieved ids that doc_of lacks, kept as they are, in 1 query: 'q1'" in str(result)


def test_a_mapping_that_knows_no_id_at_all_is_warned_of():
    with pytest.warns(SamescoreWarning, match="doc_of has none of the retrieved ids"):
        assert scored({"q1": ["a", "b"]}, {"other#1": "other"})["AP"] == 1.0


def test_chunks_and_documents_may_be_integers():
    assert evaluate({1: [10, 11]}, {1: {7: 1}}, measures="R@1", doc_of={10: 7, 11: 8}, backend="reference")["R@1"] == 1.0


def test_the_policy_decides_what_becomes_of_duplicates():
    with pytest.raises(PolicyError, match="query 'q1', document 'a': retrieved twice"):
        scored(CHUNKS, DOC_OF, policy=Policy(duplicates="error"))
    assert scored(CHUNKS, DOC_OF, policy=Policy(duplicates="last"))["AP"] == (1 / 1 + 2 / 3) / 2  # a, x, b again
    assert scored({"q1": ["a#1", "x#1", "a#2"]}, DOC_OF, policy=Policy(duplicates="last"))["AP"] == (1 / 2) / 2


def test_equal_scores_are_ordered_by_document():
    run = {"q1": {"chunk-1": 1.0, "chunk-2": 1.0}}
    assert scored(run, {"chunk-1": "z", "chunk-2": "a"})["AP"] == (1 / 2) / 2  # z, then a
    assert scored(run, {"chunk-1": "a", "chunk-2": "A"})["AP"] == (1 / 1) / 2  # a, then A


def test_a_run_that_was_read_is_not_changed():
    run = read_run(CHUNKS)
    scored(run, DOC_OF)
    assert list(run.rankings["q1"].docs) == list(CHUNKS["q1"])


def test_runs_that_are_compared_are_mapped_too():
    runs = {"chunks": CHUNKS, "documents": {"q1": ["a#1", "x#1", "b#1"]}}
    comparison = compare(runs, QRELS, measures="AP", doc_of=DOC_OF, backend="reference")
    assert comparison.row("documents").delta == 0.0


@pytest.mark.parametrize("doc_of", ["chunks.tsv", 3, ["a"]])
def test_what_is_neither_a_mapping_nor_a_function_is_refused(doc_of):
    with pytest.raises(InputTypeError, match="doc_of is"):
        scored(CHUNKS, doc_of)


def test_a_document_that_is_no_id_is_refused():
    with pytest.raises(IdError, match="query 'q1': the document id '' is empty"):
        scored(CHUNKS, lambda _: "")


def test_a_frame_is_not_taken_for_a_mapping_of_its_columns():
    with pytest.raises(InputTypeError, match="doc_of is a DataFrame"):
        scored(CHUNKS, pd.DataFrame({"chunk": ["a#1"], "document": ["a"]}))
