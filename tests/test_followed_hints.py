"""Hints on runs, qrels, measures and backends are followed: what each says is done, and what is read then has its meaning."""

from __future__ import annotations

import ast
import json
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pytest

import samescore
from samescore import Policy, evaluate, read_qrels, read_run, unjudged
from samescore.backends import Gap, find, matrix
from samescore.cli import main
from samescore.errors import SamescoreError, Setting, parts_of
from samescore.readers import Qrels

SOURCE = Path(samescore.__file__).parent


class Hint(NamedTuple):
    """A hint, the input that gets it, the same input after it was followed, and what is read then.

    Without ``right`` the settings of the hint are applied. A run is read as its documents in order of rank, qrels as their grades.
    """

    hint: str
    wrong: Any
    right: Any = None
    expected: Any = None
    options: Mapping[str, Any] = MappingProxyType({})
    followed: Mapping[str, Any] = MappingProxyType({})


TREC = b"q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\n"
FRAME = pd.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], "score": [2.0, 1.0]})
SERIES = pd.Series([2, 1], index=[10, 11])
HEAD = b"query_id,doc_id,score\n"
ORDER = {"q1": ["d1", "d2"]}
JUDGED = {"q1": {"d1": 1, "d2": 0}}
NUMBERED = {"10": ["10", "11"]}
CHUNKS = pd.DataFrame({"chunk": ["d1"], "document": ["d1"]})
RAG = [{"query_id": "q1", "retrieved_context_ids": ["d1", "d2"], "reference_context_ids": ["d1"]}]


def without(*names):
    """The record of a query without some of its fields."""
    return [{name: value for name, value in RAG[0].items() if name not in names}]


class Row:
    """A row with the fields that it is given."""

    def __init__(self, **fields):
        self.__dict__ |= fields


class NoText:
    """An object without a text."""

    def __str__(self):
        raise ValueError("no text")


class Broken:
    """An object that says nothing of itself, and has no items."""

    query_id = doc_id = score = property(lambda self: 1 / 0)

    def items(self):
        """What a mapping has."""
        raise ValueError("no items")


JUDGEMENT = {"query_id": "q1", "doc_id": "d1", "relevance": 1}
ROWS = [Row(query_id="q1", doc_id="d1", score=2.0), Row(query_id="q1", doc_id="d2", score=1.0)]


def as_json(value):
    """The bytes of a JSON file."""
    return json.dumps(value).encode()


def put(path, data=b""):
    """A file, in a folder that is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def two_splits(folder):
    """A BEIR folder with qrels of two splits, neither of which is the test one."""
    put(folder / "beir/qrels/dev.tsv")
    return put(folder / "beir/qrels/train.tsv").parent.parent


def with_test_split(folder):
    """The same with a test split."""
    put(folder / "beir/qrels/test.tsv", b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n")
    return two_splits(folder)


NESTED = b'{"q1": ' + b"[" * 100_000
CHROMA = {"ids": [["d1", "d2"]], "distances": [[0.1, 0.2]]}
HITS = [{"id": "d1", "score": 0.9}, {"id": "d2", "score": 0.8}]
SEARCH = {"hits": {"hits": [{"_id": "d1", "_score": 2.0}, {"_id": "d2", "_score": 1.0}]}}
PREDICTIONS = {"mteb_model_meta": {}, "default": {split: {"q1": {"d1": 2.0, "d2": 1.0}} for split in ("dev", "test")}}
RISING = [{"id": "d1", "score": 0.1}, {"id": "d2", "score": 0.2}]
FORMS = '{"query": {"document": 1.5}}, or {"query": ["document"]}, or records with query_id, doc_id and score'
RUNS = [
    Hint("leave it out", FRAME, FRAME, options={"format": "csv"}),
    Hint("leave it out", {"q1": ["d1", "d2"]}, {"q1": ["d1", "d2"]}, options={"columns": {"doc_id": "d"}}),
    Hint("a path to a run", "irds:vaswani", TREC),
    Hint("{query: {document: score}}, a DataFrame or a path", 5, {"q1": {"d1": 2, "d2": 1}}),
    Hint("{query: {document: score}}, a DataFrame or a path", 5, FRAME),
    Hint(
        "read_run(run, columns={'query_id': 'my name'})", FRAME.rename(columns={"query_id": "my name"}), options={"columns": "my"}
    ),
    Hint("query_id", FRAME, FRAME, options={"columns": {"query": "query_id"}}),
    Hint("rename or drop one", HEAD.strip() + b",score\nq1,d1,2,3\n", HEAD + b"q1,d1,2\nq1,d2,1\n"),
    Hint("query_id, doc_id and a number", pd.DataFrame(), FRAME),
    Hint("read_run(run, columns={'score': 'scroe'}), or rename scroe to score", FRAME.rename(columns={"score": "scroe"})),
    Hint("read_run(run, columns={'score': 'scroe'}), or rename scroe to score", FRAME.rename(columns={"score": "scroe"}), FRAME),
    Hint("download or pack it again", b"\x1f\x8b\x08\x00cut", TREC),
    Hint("a file with one line for each document", b"", TREC),
    Hint("iconv -f UTF-16 -t UTF-8", TREC.decode().encode("utf-16"), TREC),
    Hint("trec", TREC, TREC, options={"format": "terc"}),
    Hint("write it again", b"PAR1" + TREC, TREC),
    Hint("convert it with iconv -t UTF-8", b"\xa1bq1\xd8\x1c\x81\xd8\x1d\x00", TREC),
    Hint(
        "one entry for each query, and for each document of a query",
        b"\xa2bq1\xa1bd1\x02bq1\xa1bd2\x01",
        b"\xa1bq1\xa2bd1\x02bd2\x01",
    ),
    Hint(FORMS, b"[1, 2]", as_json({"q1": {"d1": 1.5, "d2": 1}})),
    Hint(FORMS, b"[1, 2]", as_json({"q1": ["d1", "d2"]})),
    Hint(FORMS, b"[1, 2]", as_json(FRAME.to_dict("records"))),
    Hint(
        "one object a line",
        b'{"query_id": "q1", "doc_id": "d1", "score": 2}\n{"query_id": "q1", "doc_id": "d2", "score": 1}\n5\n',
        b'{"query_id": "q1", "doc_id": "d1", "score": 2}\n{"query_id": "q1", "doc_id": "d2", "score": 1}\n',
    ),
    Hint("one entry for each query", b'{"q1": {"d1": 2.0}, "q1": {"d2": 1.0}}', as_json({"q1": {"d1": 2.0, "d2": 1.0}})),
    Hint(
        "one value for each name",
        b'[{"query_id": "q1", "query_id": "q2", "doc_id": "d1", "score": 1}]',
        as_json(FRAME.to_dict("records")),
    ),
    Hint(
        "convert the file with iconv -t UTF-8",
        b'{"q1": ["d1", "d\xe9"]}',
        '{"q1": ["d1", "d\xe9"]}'.encode(),
        {"q1": ["d1", "d\xe9"]},
    ),
    Hint("write it with json.dump", b'{"q1": {"d1": 2.0, "d2": ', as_json({"q1": {"d1": 2.0, "d2": 1.0}})),
    Hint("numbers that fit a float", b'{"q1": {"d1": ' + b"9" * 5000 + b', "d2": 1}}', as_json({"q1": {"d1": 9e300, "d2": 1}})),
    Hint("pairs throughout, or ids throughout", {"q1": [("d1", 2), "d2"]}, {"q1": [("d1", 2), ("d2", 1)]}),
    Hint("pairs throughout, or ids throughout", {"q1": [("d1", 2), "d2"]}, {"q1": ["d1", "d2"]}),
    Hint("a list of document ids", {"q1": "d1 d2"}, {"q1": ["d1", "d2"]}),
    Hint("a list in order of rank", {"q1": {"d1", "d2"}}, {"q1": ["d1", "d2"]}),
    Hint("a list of ids or {document: score}", {"q1": 5}, {"q1": ["d1", "d2"]}),
    Hint("a list of ids or {document: score}", {"q1": 5}, {"q1": {"d1": 2, "d2": 1}}),
    Hint("one entry for each query", pd.Series([["d1"], ["d2"]], index=["q1", "q1"]), pd.Series([["d1", "d2"]], index=["q1"])),
    Hint("an array of ids in order, or {document: number}", {"q1": np.array([["d1", "d2"]])}, {"q1": np.array(["d1", "d2"])}),
    Hint("one frame for all queries, with the columns query_id and doc_id", {"q1": FRAME}, FRAME),
    Hint("series.to_dict() or series.tolist()", {"10": SERIES}, {"10": SERIES.to_dict()}, NUMBERED),
    Hint("series.to_dict() or series.tolist()", {"10": SERIES}, {"10": SERIES.tolist()}, {"10": ["2", "1"]}),
    Hint("dictionaries throughout", [*FRAME.to_dict("records"), 5], FRAME.to_dict("records")),
    Hint("give it 'score'", [*FRAME.to_dict("records")[:1], {"query_id": "q1", "doc_id": "d2"}], FRAME.to_dict("records")),
    Hint("give each record its query_id", without("query_id"), RAG),
    Hint("one record a query", RAG * 2, RAG),
    Hint("an empty list if there are none", without("retrieved_context_ids"), [RAG[0] | {"retrieved_context_ids": []}], {"q1": []}),
    Hint("rows with query_id, doc_id, score, or a mapping of queries", [5], ROWS),
    Hint("rows with query_id, doc_id, score, or a mapping of queries", [5], {"q1": ["d1", "d2"]}),
    Hint("at most 1,000, of which an id and a number are read", b"q1 Q0 d1 1 2.0 t\n" + b"x " * 2000, TREC),
    Hint("a text file in UTF-8", bytes(range(32)), TREC),
    Hint("put them together without their marks", TREC + b"\xef\xbb\xbfq1 Q0 d3 3 0.5 t\n", TREC),
    Hint("mend the quotes", HEAD + b'q1,"' + b"d" * 200_000 + b",2\n", HEAD + b'q1,"d1",2\nq1,d2,1\n'),
    Hint("query Q0 document rank score tag", TREC + b"q1 Q0 d3 3 high t\n", TREC),
    Hint("drop the line or give the id", HEAD + b"q1,d1,2\nq1,d2,1\nq1,,1\n", HEAD + b"q1,d1,2\nq1,d2,1\n"),
    Hint("drop the line or give it a number", TREC + b"q1 Q0 d3 3 nan t\n", TREC),
    Hint("one line for each document", HEAD, HEAD + b"q1,d1,2\nq1,d2,1\n"),
    Hint(
        "drop the row, or give the document an id of text", as_json({"q1": {"d1": 2, "": 1}}), as_json({"q1": {"d1": 2, "d2": 1}})
    ),
    Hint("use one spelling of the id", {"q1": {"1": 2, 1: 3, "2": 1}}, {"q1": {"1": 3, "2": 1}}, {"q1": ["1", "2"]}),
    Hint("drop the document or give it a number", {"q1": {"d1": float("nan"), "d2": 1}}, {"q1": {"d1": 2, "d2": 1}}),
    Hint("smaller scores in the same order", {"q1": {"d1": 10**400, "d2": 1}}, {"q1": {"d1": 10**4, "d2": 1}}),
    Hint("leave it out", read_run(ORDER), read_run(ORDER), options={"columns": {"doc_id": "d"}}),
    Hint("the name of a column", FRAME, FRAME, options={"columns": {"doc_id": None}}),
    Hint("'bm25.run'", lambda folder: put(folder / "bm25.run", TREC).with_name("bm25.rum"), lambda folder: folder / "bm25.run"),
    Hint("check the path", lambda folder: folder / "nothing" / "bm25.run", lambda folder: put(folder / "bm25.run", TREC)),
    Hint("check the path", "a\0b", TREC),
    Hint(
        "the path of one file in it",
        lambda folder: put(folder / "runs" / "bm25.run", TREC).parent,
        lambda folder: folder / "runs" / "bm25.run",
    ),
    Hint(FORMS, NESTED, as_json({"q1": {"d1": 1.5, "d2": 1}})),
    Hint("one line for each document", b"# nothing\n" * 200_000, TREC),
    Hint("drop the blank lines and comments", TREC + b"\n" * 20_000_000, TREC),
    Hint("query Q0 document rank score tag", b"q1 Q0 d1 1 2.0 t u\n", TREC),
    Hint(
        "a number for each document",
        {"q1": {"ids": ["d1", "d2"], "scores": [2.0]}},
        {"q1": {"ids": ["d1", "d2"], "scores": [2.0, 1.0]}},
    ),
    Hint(
        '{"ids": [...], "distances": [...]}, or "scores" where higher is better',
        {"q1": ([1, 2, 3], [4, 5, 6])},
        {"q1": {"ids": [1, 2, 3], "distances": [4, 5, 6]}},
        {"q1": ["1", "2", "3"]},
    ),
    Hint(
        '{"ids": [...], "distances": [...]}, or "scores" where higher is better',
        {"q1": ([1, 2, 3], [4, 5, 6])},
        {"q1": {"ids": [1, 2, 3], "scores": [4, 5, 6]}},
        {"q1": ["3", "2", "1"]},
    ),
    Hint('{"query id": response}', SEARCH, {"q1": SEARCH}),
    Hint(
        '{query: {"ids": ids, "distances": distances} for each row}, or "scores" where higher is better',
        (np.array([[0.1, 0.2]]), np.array([[1, 2]])),
        {"q1": {"ids": np.array([1, 2]), "distances": np.array([0.1, 0.2])}},
        {"q1": ["1", "2"]},
    ),
    Hint('{"query id": results}, as dict(zip(query_ids, results)) makes it', [HITS], dict(zip(["q1"], [HITS], strict=True))),
    Hint(
        'hits such as {"id": "d1", "distance": 0.2}, or with "score"',
        {"q1": {"points": RISING}},
        {"q1": {"points": [{"id": hit["id"], "distance": hit["score"]} for hit in RISING]}},
    ),
    Hint(
        "read_run(run, columns={'doc_id': '...'})",
        {"q1": [{"my": "d1", "score": 2}, {"my": "d2", "score": 1}]},
        {"q1": [{"my": "d1", "score": 2}, {"my": "d2", "score": 1}]},
        ORDER,
        followed={"columns": {"doc_id": "my"}},
    ),
    Hint("rows with query_id, doc_id, score, or a mapping of queries", [Broken()], ROWS),
    Hint("a header and one line for each document", b"# nothing\n", HEAD + b"q1,d1,2\nq1,d2,1\n", options={"format": "csv"}),
    Hint(
        "an id for each hit",
        {"q1": HITS},
        {"q1": HITS},
        options={"id_of": {}.__getitem__},
        followed={"id_of": lambda hit: hit["id"]},
    ),
    Hint('one of them alone, such as document["default"]["test"]', PREDICTIONS, PREDICTIONS["default"]["test"]),
    Hint("float(score)", {"q1": {"d1": "2.0", "d2": "1"}}, {"q1": {"d1": float("2.0"), "d2": float("1")}}),
]
QRELS = [
    Hint("{query: {document: grade}}, a DataFrame or a path", 5, JUDGED),
    Hint("text or a whole number", [Row(**JUDGEMENT, iteration=NoText())], [Row(**JUDGEMENT, iteration=1)], {"q1": {"d1": 1}}),
    Hint("the path of one of them", two_splits, lambda folder: with_test_split(folder) / "qrels/test.tsv"),
    Hint("a file, or a BEIR folder with qrels/test.tsv", lambda folder: put(folder / "runs/run.txt", TREC).parent, with_test_split),
    Hint("query iteration document grade", b"q1 0 d1 1 t\n", b"q1 0 d1 1\nq1 0 d2 0\n"),
    Hint("irds:vaswani", "irds:vaswanni", JUDGED),
    Hint("give it as the run", {"details": {}, "mteb_model_meta": {}, "a": {"b": {"q1": {"d1": 1.0}}}}, JUDGED),
    Hint("a set of document ids", {"q1": "d1"}, {"q1": {"d1"}}, {"q1": {"d1": 1}}),
    Hint("{document: grade} or a set of relevant documents", {"q1": 5}, JUDGED),
    Hint("{document: grade} or a set of relevant documents", {"q1": 5}, {"q1": {"d1"}}, {"q1": {"d1": 1}}),
    Hint("rows with query_id, doc_id, relevance, or a mapping of queries", [5], JUDGED),
    Hint("an empty list if there are none", without("reference_context_ids"), [RAG[0] | {"reference_context_ids": []}], {"q1": {}}),
    Hint("query iteration document grade", b"q1 0 d1 1\nq1 0 d2 zero\n", b"q1 0 d1 1\nq1 0 d2 0\n"),
    Hint("a grade such as 0, 1 or 2", b"q1 0 d1 inf\n", b"q1 0 d1 1\nq1 0 d2 0\n"),
    Hint("a whole grade such as 0, 1 or 2", {"q1": {"d1": None, "d2": 0}}, JUDGED),
    Hint("a whole grade such as 0, 1 or 2", {"q1": {"d1": float("inf"), "d2": 0}}, JUDGED),
    Hint(
        "grades of at most 2^53", {"q1": {"d1": 2**53 + 1, "d2": 0}}, {"q1": {"d1": 2**53, "d2": 0}}, {"q1": {"d1": 2**53, "d2": 0}}
    ),
]


def content(data):
    """What was read: the documents of a run in order of rank, the grades of qrels."""
    if isinstance(data, Qrels):
        return data.grades
    rows = {q: (list(r.docs), np.zeros(len(r.docs)) if r.scores is None else r.scores) for q, r in data.rankings.items()}
    return {query: [docs[i] for i in np.argsort(-scores, kind="stable")] for query, (docs, scores) in rows.items()}


def read(reader, given, folder, **options):
    """Read an object, what a function makes in a folder, or bytes from a file."""
    given = given(folder) if callable(given) else given
    if isinstance(given, bytes):
        path = folder / "input"
        path.write_bytes(given)
        given = path
    return content(reader(given, **options))


def settings_of(error):
    """The settings of the hint of an error, each with one of its values."""
    settings = [part for part in parts_of(error.hint) if isinstance(part, Setting)]
    return [Setting(one.name, (value,), one.of) for one in settings for value in one.values if value is not ...]


@pytest.mark.parametrize(
    ("reader", "hint"),
    [*((read_run, hint) for hint in RUNS), *((read_qrels, hint) for hint in QRELS)],
    ids=[f"{side}: {hint.hint[:60]} {i}" for side, hints in (("run", RUNS), ("qrels", QRELS)) for i, hint in enumerate(hints)],
)
def test_what_a_hint_says_is_read_as_it_is_meant(tmp_path, reader, hint):
    with pytest.raises(SamescoreError) as raised:
        read(reader, hint.wrong, tmp_path, **hint.options)
    assert raised.value.hint == hint.hint
    expected = hint.expected or (ORDER if reader is read_run else JUDGED)
    if hint.right is not None:
        assert read(reader, hint.right, tmp_path, **hint.followed) == expected
        return
    settings = settings_of(raised.value)
    assert settings
    for one in settings:
        assert read(reader, hint.wrong, tmp_path, **{one.name: one.values[0]}) == expected


class Call(NamedTuple):
    """A hint, the call that gets it, and what it returns once the settings of the hint are applied, or those of ``right``."""

    hint: str
    call: Any
    expected: Any
    options: Mapping[str, Any] = MappingProxyType({})
    right: tuple[dict[str, Any], ...] = ()


def scored(run, qrels, measure="R@1", **options):
    """One mean."""
    return evaluate(run, qrels, measures=measure, backend="reference", **options)[measure]


def runs_in(n):
    """A folder of so many run files, with a slash."""
    folder = tempfile.mkdtemp()
    for i in range(n):
        Path(folder, f"run{i}.txt").write_bytes(TREC)
    return f"{folder}/"


class Own:
    """A backend as a user writes it, which answers 1 for everything but where it is at fault."""

    def __init__(self, label="own 1", gap=None, answer=None):
        self.label, self.answer, self.gap = label, answer, lambda measure, grades: gap

    def score(self, rankings, measures):
        """The values, of shape (queries, measures)."""
        return np.ones((len(rankings), len(measures))) if self.answer is None else self.answer


def own(value, name="Own"):
    """The mean of a user-defined measure, or where the value is a function, of that."""
    measure = samescore.define(name, value if callable(value) or value == "no function" else lambda ranking: value)
    return evaluate(ORDER, JUDGED, measures=measure, backend="reference")[str(measure)]


def names(text):
    """The name of a measure, from any text or object, or from name, cutoff and parameters."""
    return str(samescore.Measure(*text) if isinstance(text, tuple) else samescore.parse(text))


def measure(hint, wrong, *right):
    """A measure that is refused, and those that the hint has for it, each of which has a name."""
    return Call(
        hint, lambda text: bool(names(text)), True, {"text": wrong}, tuple({"text": one} for one in right or hint.split(" or "))
    )


def trec_eval(name):
    """What the command prints for a measure of trec_eval's own."""
    folder = Path(runs_in(1))
    (folder / "qrels.txt").write_text("q1 0 d1 1\n")
    return main(["trec_eval", "-m", name, str(folder / "qrels.txt"), str(folder / "run0.txt")])


class Picky:
    """A backend that is made with an argument."""

    def __new__(cls, argument):
        """The backend."""
        return Own()


FIRST, SECOND = (samescore.define("Own", lambda ranking, value=value: value) for value in (1.0, 0.5))
SHAPE = "an array of shape (queries, measures)"
TIED, TWICE = {"q1": {"d1": 1.0, "d2": 1.0}}, {"q1": ["d1", "d1", "d2"]}
CONFLICT = {"q1": [("d1", 0), ("d1", 1)]}
SUBTOPICS = [Row(query_id="q1", doc_id="d1", relevance=grade, iteration=str(grade)) for grade in (0, 1)]
HALF = {"q1": {"d1"}, "q2": {"d1"}}


def computed(backend):
    """A mean that a backend computes."""
    return evaluate(ORDER, JUDGED, measures="R@1", backend=backend)["R@1"]


BACKEND_CALLS = [
    Call(hint, computed, 1, {"backend": wrong}, tuple({"backend": one} for one in right))
    for hint, wrong, right in [
        ("reference, or package.module:Object", "refrence", ("reference", "samescore.backends.reference:Reference")),
        ("samescore.backends.Backend", 5, (Own(),)),
        ("an object of the class", Picky, (Picky(1),)),
        ("name and version on one line without |, since it stands in the signature", Own("own | 1"), (Own("own 1"),)),
        (SHAPE, Own(answer="text"), (Own(answer=np.ones((1, 1))),)),
        (SHAPE, Own(answer=np.ones((3, 3))), (Own(answer=np.ones((1, 1))),)),
        ("a gap for what it cannot compute", Own(answer=np.full((1, 1), np.nan)), (Own(),)),
        ("a samescore.backends.Gap, or None", Own(gap="none"), (Own(gap=None),)),
        ("backend='reference'", Own(gap=Gap("todo", "it is not written yet")), ()),
    ]
]
MEASURE_CALLS = [
    measure("nDCG@10", "nDGC@10"),
    measure("P@10", "P@x"),
    measure("IPrec@0.1", "IPrec@x"),
    measure("IPrec@0.1", "IPrec"),
    measure("IPrec@0.1", "IPrec@2"),
    measure("R@10 or R@5", "recall_10@5"),
    measure("hits@10-l2 or Hits(rel=2)@10", "hits@10-l2-l2"),
    measure("a name such as nDCG@10 or P(rel=2)@5", "nDCG@", "nDCG@10", "P(rel=2)@5"),
    measure("'nDCG@10', or a Measure", 5, "nDCG@10", samescore.Measure("nDCG", 10)),
    measure("P", "P(2)@5"),
    measure("rel", "P(relx=2)@5", "P(rel=2)@5"),
    measure("nDCG(gains={1: 1, 2: 3})@10", "nDCG(gains={1: 1, 1: 3})@10"),
    measure("samescore.parse('NDCG')", ("NDCG", 5), "NDCG"),
    measure("R_cap@10", "R_cap"),
    measure("Bpref", "Bpref@10"),
    measure("R@10", ("R", 0)),
    measure("SDCG(max_rel=4)@10", ("SDCG", 2**30)),
    measure("(('rel', 2),)", ("P", 5, 5), ("P", 5, (("rel", 2),))),
    measure("(('rel', 2),)", ("P", 5, (("rel", 2), ("rel", 3))), ("P", 5, (("rel", 2),))),
    measure("INST(max_rel=4)", "INST(max_rel=2,min_rel=2)"),
    measure(
        "Success@k, which BEIR and sentence-transformers call accuracy@k, or Accuracy@k, the measure of ir_measures",
        "accuracy@5",
        "Success@5",
        "Accuracy@5",
    ),
    Call("samescore trec_eval -m gm_map", lambda said=names: said("gm_map") or True, True, right=({"said": trec_eval},)),
    Call(
        "samescore.define('Name', function)",
        lambda made: str(samescore.parse(made)),
        "Name",
        {"made": ir_measures.define(lambda qrels, run: [], name="Name")},
        ({"made": samescore.define("Name", lambda ranking: 1.0)},),
    ),
    Call("a measure that both have", lambda text: bool(samescore.parse(text, "ranx")), True, {"text": "Bpref"}, ({"text": "AP"},)),
    Call(
        "Success@k; BEIR's Accuracy@k orders by the second letter of ids",
        lambda text: bool(samescore.parse(text, "beir")),
        True,
        {"text": "Accuracy@5"},
        ({"text": "Success@5"},),
    ),
    Call("samescore", lambda tool: str(samescore.parse("AP", tool)), "AP", {"tool": "samscore"}, ({"tool": "samescore"},)),
    Call("P(rel=...)", lambda text: samescore.parse(text).number("rel"), 2, {"text": "P"}, ({"text": "P(rel=2)"},)),
    Call(
        "measures=['nDCG@10', 'R@100']",
        lambda measures: len(evaluate(ORDER, JUDGED, measures=measures, backend="reference").means),
        2,
        {"measures": []},
    ),
    Call(
        "define('MyOwn', function)",
        lambda second=SECOND: len(evaluate(ORDER, JUDGED, measures=[FIRST, second], backend=Own()).means),
        2,
        right=({"second": samescore.define("MyOwn", lambda ranking: 1.0)},),
    ),
    Call("define('Name', function)", own, 1, {"value": "no function"}, ({"value": lambda ranking: 1.0},)),
    Call("MyRR", own, 1, {"value": 1.0, "name": "RR"}, ({"name": "MyRR"},)),
    Call("Mymrr", own, 1, {"value": 1.0, "name": "mrr"}, ({"name": "Mymrr"},)),
    Call("letters, digits and _, not a digit first", own, 1, {"value": 1.0, "name": "1st"}, ({"name": "first_1"},)),
    Call(
        "return None where the measure is undefined", own, 0, {"value": lambda ranking: 1 / 0}, ({"value": lambda ranking: None},)
    ),
    Call("a finite float, or None", own, 1, {"value": float("nan")}, ({"value": 1.0},)),
]
CALLS = [
    Call("Policy(gain='linear')", lambda **k: scored(ORDER, {"q1": {"d1": 2000}}, "nDCG@1", **k), 1),
    Call("Policy(conflicts='max') or Policy(conflicts='last'), or mend the qrels", lambda **k: scored(ORDER, CONFLICT, **k), 1),
    Call(
        "Policy(conflicts='max') to merge them, or measures of subtopics such as alpha_nDCG@20 alone",
        lambda **k: scored(ORDER, SUBTOPICS, **k),
        1,
    ),
    Call(
        "Policy(conflicts='max') to merge them, or measures of subtopics such as alpha_nDCG@20 alone",
        lambda measure="R@1": scored(ORDER, SUBTOPICS, measure),
        1,
        right=({"measure": "alpha_nDCG@20"},),
    ),
    Call("Policy(duplicates='first')", lambda **k: scored(TWICE, JUDGED, **k), 1, {"policy": Policy(duplicates="error")}),
    Call(
        "Policy(ties='doc_id') or Policy(ties='input')",
        lambda **k: scored(TIED, {"q1": {"d1", "d2"}}, "P@1", **k),
        1,
        {"policy": Policy(ties="error")},
    ),
    Call(
        "Policy(negatives='nonrelevant') or Policy(negatives='unjudged')",
        lambda **k: scored(ORDER, {"q1": {"d1": 1, "d2": -1}}, **k),
        1,
        {"policy": Policy(negatives="error")},
    ),
    Call(
        "Policy(negatives='nonrelevant') or Policy(negatives='unjudged')",
        lambda **k: scored(ORDER, [*SUBTOPICS, Row(**JUDGEMENT | {"relevance": -1}, iteration="2")], "alpha_nDCG@1", **k),
        1,
        {"policy": Policy(negatives="error")},
    ),
    Call("a folder of run files", lambda n=0: len(unjudged(runs_in(n), {"q1": {"d9"}})), 2, right=({"n": 1},)),
    Call(
        "check the pattern, and quote it for the shell",
        lambda pattern="rum*": len(unjudged(runs_in(1) + pattern, {"q1": {"d9"}})),
        2,
        right=({"pattern": "run*"},),
    ),
    Call(
        "{chunk: document}, or a function from chunk to document",
        lambda **k: scored(ORDER, JUDGED, **k),
        1,
        {"doc_of": Broken()},
        ({"doc_of": {"d1": "d1", "d2": "x"}},),
    ),
    Call(
        "Policy(missing='zero') or Policy(missing='skip')",
        lambda **k: scored(ORDER, HALF, **k) in (0.5, 1),
        True,
        {"policy": Policy(missing="error")},
    ),
    Call(
        "'macro', 'micro' or 'slices'",
        lambda **k: scored(ORDER, JUDGED, **k),
        1,
        {"average": "mean"},
        ({"average": "macro"}, {"average": "micro"}, {"average": "slices", "slices": {"q1": "de"}}),
    ),
    Call(
        "average='macro'",
        lambda **k: scored(ORDER, JUDGED, weights={"q1": 2.0}, **k),
        1,
        {"average": "micro"},
        ({"average": "macro"},),
    ),
    Call(
        "slices={'q1': 'de'}",
        lambda **k: scored(ORDER, JUDGED, average="slices", **k),
        1,
        {},
        ({"slices": {"q1": "de"}},),
    ),
    *(
        Call(hint, lambda **k: scored(ORDER, JUDGED, **k), 1, {"weights": wrong}, ({"weights": right},))
        for hint, wrong, right in (
            ("a number above 0 for some query", {"q1": 0}, {"q1": 0.5}),
            ("check the ids", {"q1": 1, "Q1": 2}, {"q1": 1}),
            (
                "columns query_id and weight",
                pd.DataFrame({"a": [1], "b": [2]}),
                pd.DataFrame({"query_id": ["q1"], "weight": [1.0]}),
            ),
            ("weights={'q1': 2.0}", 5, {"q1": 2.0}),
            ("a number of at least 0", {"q1": "x"}, {"q1": 0.5}),
            ("a finite number of at least 0", {"q1": -1}, {"q1": 1}),
            ("one weight for each", pd.Series([1.0, 2.0], index=["q1", "q1"]), pd.Series([1.0], index=["q1"])),
            ("a weight for each query that is averaged, 0 to leave one out", {}, {"q1": 1}),
        )
    ),
    Call(
        "average='macro', or R, P, F1, R_cap, Success, Complete, Rprec, SetP, SetR, SetF, Judged, Unjudged",
        lambda **k: scored(ORDER, JUDGED, "RR", **k),
        1,
        {"average": "micro"},
    ),
    Call("queries=['q1']", lambda **k: scored(ORDER, HALF, **k), 1, {"queries": "q1"}),
    Call(
        "a set or list of query ids",
        lambda **k: scored(ORDER, HALF, **k),
        1,
        {"queries": 1},
        ({"queries": ["q1"]}, {"queries": {"q1"}}),
    ),
    Call("check the ids", lambda **k: scored(ORDER, HALF, **k), 1, {"queries": ["q3"]}, ({"queries": ["q1"]},)),
    Call("query ids in the same case: then they meet", lambda run="Q1": scored({run: ["d1"]}, JUDGED), 1, right=({"run": "q1"},)),
    Call(
        "evaluate(run, qrels); where this order is right, read_run(run) and read_qrels(qrels) first",
        lambda **k: scored(**{"run": {"q1": {"d1": 1, "d2": 0}}, "qrels": {"q1": {"d1": 2.5, "d2": 1.5}}, **k}),
        1,
        right=(
            {"run": {"q1": {"d1": 2.5, "d2": 1.5}}, "qrels": {"q1": {"d1": 1, "d2": 0}}},
            {"run": read_run({"q1": {"d1": 1, "d2": 0}}), "qrels": read_qrels({"q1": {"d1": 2.5}})},
        ),
    ),
    Call(
        "evaluate(run, qrels); are run and qrels swapped?",
        lambda **k: scored(**{"run": read_qrels(JUDGED), "qrels": read_run(ORDER), **k}),
        1,
        right=({"run": read_run(ORDER), "qrels": read_qrels(JUDGED)},),
    ),
    Call(
        "None for a chunk without a document",
        lambda of=lambda chunk: {}[chunk]: scored(ORDER, JUDGED, doc_of=of),
        1,
        right=({"of": {"d1": "d1"}.get},),
    ),
    Call(
        "{chunk: document}, or a function from chunk to document",
        lambda **k: scored(ORDER, JUDGED, **k),
        1,
        {"doc_of": 5},
        ({"doc_of": {"d1": "d1", "d2": "x"}}, {"doc_of": str}),
    ),
    Call(
        "frame.set_index(chunk)[document], a Series, or {chunk: document}",
        lambda **k: scored(ORDER, JUDGED, **k),
        1,
        {"doc_of": CHUNKS},
        ({"doc_of": CHUNKS.set_index("chunk")["document"]}, {"doc_of": {"d1": "d1"}}),
    ),
]


ALL_CALLS = [*CALLS, *BACKEND_CALLS, *MEASURE_CALLS]


@pytest.mark.parametrize("case", ALL_CALLS, ids=[f"{call.hint[:60]} {i}" for i, call in enumerate(ALL_CALLS)])
def test_what_a_hint_says_to_set_or_to_give_is_what_helps(case):
    with pytest.raises(SamescoreError) as raised:
        case.call(**case.options)
    assert raised.value.hint == case.hint
    followed = case.right or [applied(one, case.options) for one in settings_of(raised.value)]
    assert followed
    for options in followed:
        assert case.call(**{**case.options, **options}) == case.expected


def applied(one, options):
    """The argument that a setting asks for."""
    value = one.values[0]
    return {"policy": options.get("policy", Policy()).but(**{one.name: value})} if one.of == "policy" else {one.name: value}


def test_what_the_gap_of_a_backend_names_has_the_measure():
    table = matrix()
    named = {
        (measure, one.values[0]) for measure, gaps in table.items() for gap in gaps.values() if gap for one in settings_of_gap(gap)
    }
    assert named
    assert [(measure, backend) for measure, backend in named if find(backend) and table[measure][backend]] == []


def settings_of_gap(gap):
    """The settings in what a gap says to do instead."""
    return settings_of(SamescoreError("", hint=gap.instead))


# None is forgotten

FOLLOWED = ("readers", "ranking", "preparation.py", "averaging.py", "measures", "backends")
"""Where runs, qrels, measures and backends are read and refused: each hint there is followed here."""


def hints_in_source():
    """Place, first and last line of each call that gives a hint, and the hint as it is written."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if name.startswith(FOLLOWED) else ():
            hint = next((word.value for word in node.keywords if word.arg == "hint"), None) if isinstance(node, ast.Call) else None
            if hint is not None and ast.unparse(node.func) != "Shape":  # which is raised where a form does not say its query
                yield (name, node.lineno, node.end_lineno), ast.unparse(hint)


def test_each_hint_on_input_is_followed_by_a_test(monkeypatch, tmp_path):
    made: set[tuple[str, int]] = set()
    plain = SamescoreError.__init__

    def recorded(self, *given, **more):
        plain(self, *given, **more)
        frame = sys._getframe(1)
        while frame is not None:
            made.add((frame.f_code.co_filename, frame.f_lineno))
            frame = frame.f_back

    monkeypatch.setattr(SamescoreError, "__init__", recorded)
    for reader, hints in ((read_run, RUNS), (read_qrels, QRELS)):
        for hint in hints:
            with suppress(SamescoreError):
                read(reader, hint.wrong, tmp_path, **hint.options)
    for case in ALL_CALLS:
        with suppress(SamescoreError):
            case.call(**case.options)
    lines = {(Path(file).relative_to(SOURCE).as_posix(), line) for file, line in made if Path(file).is_relative_to(SOURCE)}
    missed = [
        f"{name}:{first}: {hint}"
        for (name, first, last), hint in hints_in_source()
        if not any((name, line) in lines for line in range(first, last + 1)) and f"{name}: {hint}" not in ELSEWHERE
    ]
    assert not missed, "\n".join(missed)


ELSEWHERE: set[str] = {
    "measures/parsing.py: hint",
    "measures/parsing.py: instead_of_it",
    "measures/custom.py: 'lower_is_better=True'",
    "readers/__init__.py: f'a mapping for {name}'",
    "measures/measure.py: f'{self}@10'",
    "backends/base.py: hint",
    "backends/placeholders.py: 'pip install ir_measures'",
    "backends/providers.py: \"pip install 'samescore[cwl]'\"",
    "backends/providers.py: 'install perl'",
    "backends/providers.py: \"pip install 'samescore[diversity]'\"",
    "backends/providers.py: \"pip install 'samescore[trectools]'\"",
    "backends/providers.py: self.hint",
    "backends/ranx.py: 'ask gap() first'",
    "backends/ranx.py: 'pip install ranx'",
    "backends/ranx.py: hint",
    "readers/__init__.py: 'all rows of a query in one part, or scores'",
    "readers/content.py: 'a file that is open for reading'",
    "readers/content.py: 'open(path)'",
    "readers/files.py: reading(kind, 'columns', roles)",
    "readers/mappings.py: 'a name that the records or their hits have'",
    "readers/values.py: reading('qrels', 'grades', {'E': 3, 'S': 2, 'I': 0})",
    "readers/content.py: 'check its permissions'",
    "readers/content.py: 'a file'",
    "readers/content.py: f'pip install {self.package}'",
    "readers/data.py: \"multiprocessing.get_context('spawn'), or 'forkserver'\"",
    "readers/files.py: 'write it again'",
    "readers/files.py: 'pip install cbor2'",
    "readers/mappings.py: 'pip install ir_datasets'",
    "readers/mappings.py: 'see that it can be downloaded, or give the qrels as a file'",
    "readers/mappings.py: 'one of its subsets, such as .../dev or .../test'",
    "readers/writers.py: nearest(str(form), FORMS)",
    "readers/writers.py: hint",
    "readers/writers.py: 'the path of a file'",
    "readers/writers.py: 'pip install lz4'",
}
"""Hints that need another machine, library or network, and those of files that are written, which tests/test_saving.py follows,
and names of tools, which tests/test_names.py reads."""
