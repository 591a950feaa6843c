"""A document of each nested form, with what it holds as a run and as qrels; made by hand, with invented ids."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd


class Sample(NamedTuple):
    """A document of some form, and what it holds: {query: [documents]} or {query: {document: number}}."""

    document: Any
    run: Any = None
    qrels: Any = None
    columns: dict[str, Any] | None = None


RANKED = {"t1": {"a": 2.5, "b": 1.5}, "t2": {"c": 0.5}}
LISTS = {"t1": ["a", "b"], "t2": ["c"]}
JUDGED = {"t1": {"b": 1, "a": 0}, "t2": {"c": 2}}
RELEVANT = {"t1": {"b": 1}, "t2": {"c": 1}}


def by_query(hit, around=lambda hits: hits):
    """RANKED with each hit and each list of hits in some form."""
    return {query: around([hit(doc, score) for doc, score in docs.items()]) for query, docs in RANKED.items()}


def elastic_hit(doc, score):
    return {"_index": "i", "_id": doc, "_score": score, "_source": {"id": 9, "score": 7}}


def elastic(hits):
    return {"took": 3, "timed_out": False, "hits": {"total": {"value": 2}, "max_score": 2.5, "hits": hits}}


COLUMNS = {"query": ["t1", "t1", "t2"], "docid": ["a", "b", "c"], "score": [2.5, 1.5, 0.5], "text": ["x", None, "y"]}
FRAME = pd.DataFrame(COLUMNS)
RECORDS = [{"query_id": query, "doc_id": list(docs), "score": list(docs.values())} for query, docs in RANKED.items()]

SAMPLES = {
    "a dictionary of columns": Sample(COLUMNS, RANKED),
    "a dictionary of columns and a dictionary of each": Sample(FRAME.to_dict(), RANKED),
    "a dictionary of rows by number": Sample(FRAME.to_dict("index"), RANKED),
    "a dictionary of columns, split": Sample(FRAME.to_dict("split"), RANKED),
    "a dictionary of columns with grades": Sample(
        {"query-id": ["t1", "t1", "t2"], "corpus-id": ["b", "a", "c"], "score": [1, 0, 2]}, qrels=JUDGED
    ),
    "a dictionary of columns of one's own": Sample(
        {"Frage": ["t1", "t1", "t2"], "Beleg": ["a", "b", "c"], "Wert": [2.5, 1.5, 0.5]},
        RANKED,
        columns={"query_id": "Frage", "doc_id": "Beleg", "score": "Wert"},
    ),
    "a dictionary of columns of whole queries": Sample(
        {"user_input": ["t1", "t2"], "retrieved_context_ids": [["a", "b"], ["c"]], "reference_context_ids": [["b"], ["c"]]},
        LISTS,
        RELEVANT,
    ),
    "nested rows": Sample(RECORDS, RANKED),
    "nested rows of one's own": Sample(
        [{"qid": query, "retrieved": docs, "extra": None} for query, docs in LISTS.items()],
        LISTS,
        {query: dict.fromkeys(docs, 1) for query, docs in LISTS.items()},
        columns={"query_id": "qid", "doc_id": "retrieved"},
    ),
    "nested rows with scores of one's own": Sample(
        [{"frage": query, "belege": list(docs), "werte": list(docs.values())} for query, docs in RANKED.items()],
        RANKED,
        columns={"query_id": "frage", "doc_id": "belege", "score": "werte"},
    ),
    "nested rows of pairs": Sample(
        [{"qid": query, "results": [list(pair) for pair in docs.items()]} for query, docs in RANKED.items()],
        RANKED,
        columns={"doc_id": "results"},
    ),
    "nested rows of mappings": Sample(
        [{"qid": query, "results": docs} for query, docs in RANKED.items()], RANKED, columns={"doc_id": "results"}
    ),
    "nested rows of hits": Sample(
        [{"qid": query, "results": hits} for query, hits in by_query(lambda doc, score: {"id": doc, "score": score}).items()],
        RANKED,
        columns={"doc_id": "results"},
    ),
    "records by query with fields of one's own": Sample(
        by_query(lambda doc, _: doc, lambda docs: {"retrieved": docs}), LISTS, columns={"doc_id": "retrieved"}
    ),
    "hits with fields of one's own": Sample(
        by_query(lambda doc, score: {"chunk": doc, "sim.cos": score, "id": "no"}),
        RANKED,
        columns={"doc_id": "chunk", "score": "sim.cos"},
    ),
    "search responses": Sample(by_query(elastic_hit, elastic), RANKED),
    "search responses with ids of one's own": Sample(
        by_query(lambda doc, score: {"_id": "no", "_score": 9, "_source": {"sku": doc, "sim": score}}, elastic),
        RANKED,
        columns={"doc_id": "_source.sku", "score": "_source.sim"},
    ),
    "RankLLM results with ids of one's own": Sample(
        [
            {"query": {"qid": query}, "candidates": [{"docid": "no", "doc": {"id": doc}} for doc in docs]}
            for query, docs in LISTS.items()
        ],
        LISTS,
        columns={"doc_id": "doc.id"},
    ),
    "search responses in an order of their own": Sample(by_query(lambda doc, _: {"_id": doc, "_score": None}, elastic), LISTS),
    "a multi-search response": Sample(
        {"took": 3, "responses": [{"id": query, **one} for query, one in by_query(elastic_hit, elastic).items()]}, RANKED
    ),
    "a _rank_eval request": Sample(
        {
            "requests": [
                {
                    "id": query,
                    "request": {"query": {"match_all": {}}},
                    "ratings": [{"_index": "i", "_id": doc, "rating": grade} for doc, grade in docs.items()],
                }
                for query, docs in JUDGED.items()
            ],
            "metric": {"precision": {"k": 10}},
        },
        qrels=JUDGED,
    ),
    "a _rank_eval response": Sample(
        {
            "metric_score": 0.4,
            "details": by_query(
                lambda doc, score: {"hit": elastic_hit(doc, score), "rating": None},
                lambda hits: {"metric_score": 0.6, "unrated_docs": [{"_index": "i", "_id": "z"}], "hits": hits},
            ),
            "failures": {},
        },
        RANKED,
    ),
    "a judgment list": Sample(
        {
            "name": "j",
            "type": "IMPORT_JUDGMENT",
            "judgmentRatings": [
                {"query": query, "ratings": [{"docId": doc, "rating": f"{grade}.000"} for doc, grade in docs.items()]}
                for query, docs in JUDGED.items()
            ],
        },
        qrels=JUDGED,
    ),
    "MTEB predictions": Sample({"mteb_model_meta": {"model_name": "m", "revision": "r"}, "default": {"test": RANKED}}, RANKED),
    "semantic_search hits": Sample(
        {query: [{"corpus_id": i, "score": 0.9 - i / 9} for i in (4, 7)] for query in LISTS},
        {query: {"4": 0.9 - 4 / 9, "7": 0.9 - 7 / 9} for query in LISTS},
    ),
    "a LlamaIndex data set": Sample(
        {"queries": {"t1": "what", "t2": "who"}, "corpus": {"a": "x"}, "relevant_docs": {"t1": ["b"], "t2": ["c"]}, "mode": "text"},
        qrels=RELEVANT,
    ),
    "LlamaIndex nodes": Sample(by_query(lambda doc, score: {"node": {"id_": doc, "metadata": {}}, "score": score}), RANKED),
    "LlamaIndex responses": Sample(
        by_query(lambda doc, score: {"node": {"id_": doc}, "score": score}, lambda nodes: {"source_nodes": nodes}), RANKED
    ),
    "LlamaIndex retrieval results": Sample(
        [{"query": query, "retrieved_ids": docs, "expected_ids": list(RELEVANT[query])} for query, docs in LISTS.items()],
        LISTS,
        RELEVANT,
    ),
    "LangChain documents": Sample(
        by_query(lambda doc, _: {"id": None, "page_content": "x", "metadata": {"source": "s", "doc_id": doc}}), LISTS
    ),
    "LangChain documents with scores": Sample(by_query(lambda doc, score: [{"id": doc, "page_content": "x"}, score]), RANKED),
    "Haystack documents": Sample(by_query(lambda doc, score: {"id": doc, "content": "x", "meta": {}, "score": score}), RANKED),
    "Haystack results": Sample(
        by_query(lambda doc, score: {"id": doc, "score": score}, lambda docs: {"documents": docs}), RANKED
    ),
    "Chroma results": Sample(
        {
            query: {"ids": [list(docs)], "distances": [[-score for score in docs.values()]], "documents": None, "metadatas": [[]]}
            for query, docs in RANKED.items()
        },
        RANKED,
    ),
    "ids beside distances": Sample({"t1": {"ids": [5, 3], "distances": [0.1, 0.7]}}, {"t1": {"5": -0.1, "3": -0.7}}),
    "Qdrant responses": Sample(
        by_query(
            lambda doc, score: {"id": doc, "version": 1, "score": score, "payload": {"id": 9}},
            lambda points: {"result": {"points": points}, "status": "ok", "time": 0.01},
        ),
        RANKED,
    ),
    "Vespa responses": Sample(
        by_query(
            lambda doc, score: {"id": doc, "relevance": score, "fields": {}},
            lambda hits: {"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 9}, "children": hits}},
        ),
        RANKED,
    ),
    "Solr responses": Sample(
        by_query(lambda doc, score: {"id": doc, "score": score}, lambda docs: {"response": {"numFound": 9, "docs": docs}}), RANKED
    ),
    "Pinecone responses": Sample(
        by_query(lambda doc, score: {"id": doc, "score": score}, lambda hits: {"matches": hits, "namespace": ""}), RANKED
    ),
    "LangChain documents with an id of one's own": Sample(
        by_query(lambda doc, _: {"id": "no", "page_content": "x", "metadata": {"source": doc}}),
        LISTS,
        columns={"doc_id": "metadata.source"},
    ),
    "RankLLM results": Sample(
        [
            {"query": {"text": "what", "qid": query}, "candidates": hits}
            for query, hits in by_query(lambda doc, score: {"docid": doc, "score": score, "doc": {"contents": "x"}}).items()
        ],
        RANKED,
    ),
    "DPR results": Sample(
        [
            {
                "question": query,
                "answers": ["x"],
                "ctxs": [{"id": doc, "title": "x", "score": str(score)} for doc, score in docs.items()],
                "positive_ctxs": [{"psg_id": doc, "score": 1000} for doc in RELEVANT[query]],
            }
            for query, docs in RANKED.items()
        ],
        RANKED,
        RELEVANT,
    ),
    "KILT records": Sample(
        [
            {"id": query, "input": "what", "output": [{"answer": "x", "provenance": [{"wikipedia_id": doc}]} for doc in docs]}
            for query, docs in LISTS.items()
        ],
        LISTS,
        {query: dict.fromkeys(docs, 1) for query, docs in LISTS.items()},
    ),
    "Ragas samples by text": Sample(
        [
            {"user_input": query, "retrieved_contexts": docs, "reference_contexts": list(RELEVANT[query]), "response": "x"}
            for query, docs in LISTS.items()
        ],
        LISTS,
        RELEVANT,
    ),
    "lists of ids and of scores": Sample({query: [list(docs), list(docs.values())] for query, docs in RANKED.items()}, RANKED),
    "hits with grades": Sample(
        {query: [{"doc_id": doc, "relevance": grade} for doc, grade in docs.items()] for query, docs in JUDGED.items()},
        qrels=JUDGED,
    ),
}  # fmt: skip
"""A document of each form, in the words of its tool, with invented ids."""
