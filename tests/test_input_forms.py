"""Every form of input gives the result that the dictionaries give."""

from __future__ import annotations

import bz2
import csv
import gzip
import importlib
import io
import json
import lzma
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import polars as pl
import pytest

from samescore import evaluate, read_qrels, read_run
from samescore.cli import main
from samescore.errors import IdError

RUN = {
    "101": {"d1": 3.5, "d2": 2.0, "d10": 2.0, "é7": -1.25},
    "9": {"d2": 0.5, "d3": 0.25, "d1": 1e-3},
    "q-3": {"d5": 7.0},
}
QRELS = {"9": {"d3": 2, "d1": 1, "d77": 0}, "101": {"d10": 1, "é7": 3}, "q-3": {"d4": 1}}
MEASURES = ["nDCG@10", "R@2", "RR", "AP"]

RUN_ROWS = [(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()]
QRELS_ROWS = [(query, doc, grade) for query, docs in QRELS.items() for doc, grade in docs.items()]
RANKS = [
    (query, doc, rank) for query, docs in RUN.items() for rank, doc in enumerate(sorted(docs, key=lambda d: (docs[d], d))[::-1], 1)
]

RUN_TEXT = "".join(f"{q} Q0 {d} 1 {s} tag\n" for q, d, s in RUN_ROWS)
QRELS_TEXT = "".join(f"{q} 0 {d} {g}\n" for q, d, g in QRELS_ROWS)


def table(names: str, rows: list[Any], separator: str = "\t", end: str = "\n") -> str:
    """Rows as text with a header."""
    return end.join([separator.join(names.split()), *(separator.join(map(str, row)) for row in rows)]) + end


def quoted(names: str, rows: list[Any]) -> str:
    """Rows as CSV with everything in quotes."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerows([names.split(), *rows])
    return out.getvalue()


def lines(rows: list[Any], *names: str) -> str:
    """Rows as JSON Lines."""
    return "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows)


class Form(NamedTuple):
    """A run and qrels as text, and what the readers must be told, if anything."""

    run: str | None = RUN_TEXT
    qrels: str | None = QRELS_TEXT
    run_options: Mapping[str, Any] = MappingProxyType({})
    qrels_options: Mapping[str, Any] = MappingProxyType({})


def shuffled(text: str) -> str:
    """The lines in another order, so that those of a query do not stand together."""
    return "\n".join(sorted(text.splitlines(), key=lambda line: line.split()[2])) + "\n"


TEXTS = {
    "TREC": Form(),
    "TREC with tabs": Form(RUN_TEXT.replace(" ", "\t"), QRELS_TEXT.replace(" ", "\t")),
    "TREC with tabs and blanks": Form(RUN_TEXT.replace(" Q0 ", " \t Q0\t "), QRELS_TEXT.replace(" 0 ", "\t\t0  ")),
    "TREC with blanks around": Form(RUN_TEXT.replace("\n", " \t\n "), QRELS_TEXT.replace("\n", "  \n\t")),
    "TREC with CRLF": Form(RUN_TEXT.replace("\n", "\r\n"), QRELS_TEXT.replace("\n", "\r\n")),
    "TREC with CR CR LF": Form(RUN_TEXT.replace("\n", "\r\r\n"), QRELS_TEXT.replace("\n", "\r\r\n")),
    "TREC with a byte order mark": Form("\ufeff" + RUN_TEXT, "\ufeff" + QRELS_TEXT),
    "TREC with blank lines": Form("\n\n" + RUN_TEXT.replace("\n", "\n\n \n"), "\n" + QRELS_TEXT.replace("\n", "\n\n")),
    "TREC with comments": Form("# a b\n" + RUN_TEXT.replace("\n", "\n# 1 2 3 4 5\n"), "#\n" + QRELS_TEXT + "  # at the end"),
    "TREC without an end of the last line": Form(RUN_TEXT.rstrip(), QRELS_TEXT.rstrip()),
    "TREC, queries not together": Form(shuffled(RUN_TEXT), shuffled(QRELS_TEXT)),
    "TREC, scores in other notations": Form(
        RUN_TEXT.replace("3.5", "+35e-1").replace("0.25", ".25").replace(" 7.0", " 7"), QRELS_TEXT
    ),
    "TREC, grades as floats": Form(RUN_TEXT, QRELS_TEXT.replace(" 2\n", " 2.0\n")),
    "MS MARCO": Form(table("", RANKS), QRELS_TEXT.replace(" ", "\t")),
    "MS MARCO, ranks from 0": Form("".join(f"{q}\t{d}\t{r - 1}\n" for q, d, r in RANKS)),
    "MS MARCO, forced": Form(
        "".join(f"{q} {d} {r + 6}\n" for q, d, r in RANKS), QRELS_TEXT, {"format": "msmarco"}, {"format": "msmarco"}
    ),
    "BEIR": Form(RUN_TEXT, table("query-id corpus-id score", QRELS_ROWS)),
    "header of ir_measures, CSV": Form(
        table("query_id doc_id score", RUN_ROWS, ","), table("query_id doc_id relevance", QRELS_ROWS, ",")
    ),
    "header of PyTerrier, TSV": Form(
        table("qid docid docno rank score query", [(q, 5, d, 0, s, "a text") for q, d, s in RUN_ROWS]),
        table("qid docno label iteration", [(*row, "0") for row in QRELS_ROWS]),
    ),
    "header of ranx, semicolons": Form(table("q_id doc_id score", RUN_ROWS, ";"), table("q_id doc_id score", QRELS_ROWS, ";")),
    "header with blanks between": Form(table("qid docno score", RUN_ROWS, "  "), table("qid docno rel", QRELS_ROWS, " ")),
    "header and ranks": Form(table("query_id doc_id rank", RANKS, ",")),
    "header of pandas with its index": Form(
        pd.DataFrame(RUN_ROWS, columns=["query_id", "doc_id", "score"]).to_csv(),
        pd.DataFrame(QRELS_ROWS, columns=["query_id", "doc_id", "relevance"]).to_csv(),
    ),
    "quoted CSV": Form(quoted("query_id doc_id score", RUN_ROWS), quoted("query_id doc_id relevance", QRELS_ROWS)),
    "CSV with CRLF and blanks": Form(
        table("query_id doc_id score", RUN_ROWS, ", ", "\r\n"), table("query_id doc_id relevance", QRELS_ROWS, " ,", "\r\n")
    ),
    "a header of one's own": Form(
        table("Frage Beleg Wert", RUN_ROWS, ","),
        table("Frage Beleg Note", QRELS_ROWS, ","),
        {"columns": {"query_id": "Frage", "doc_id": "Beleg", "score": "Wert"}},
        {"columns": {"query_id": "Frage", "doc_id": "Beleg", "relevance": "Note"}},
    ),
    "JSON": Form(json.dumps(RUN), json.dumps(QRELS, indent=2)),
    "JSON with a byte order mark": Form("\ufeff" + json.dumps(RUN), "\ufeff" + json.dumps(QRELS)),
    "JSON of pairs": Form(json.dumps({q: list(docs.items()) for q, docs in RUN.items()}), json.dumps(QRELS)),
    "JSON Lines by query": Form(
        "\n".join(json.dumps({q: docs}) for q, docs in RUN.items()),
        "\n".join(json.dumps({q: docs}) for q, docs in QRELS.items()) + "\n\n",
    ),
    "JSON Lines by document": Form(lines(RUN_ROWS, "qid", "docno", "score"), lines(QRELS_ROWS, "query-id", "corpus-id", "score")),
    "JSON records": Form(
        json.dumps([{"query_id": q, "doc_id": d, "score": s} for q, d, s in RUN_ROWS]),
        json.dumps([{"query_id": q, "doc_id": d, "relevance": g} for q, d, g in QRELS_ROWS]),
    ),
    "format= said": Form(RUN_TEXT, json.dumps(QRELS), {"format": "trec"}, {"format": "json"}),
}


def check(run: Any, qrels: Any) -> None:
    """The result is that of the dictionaries."""
    wanted, found = evaluate(RUN, QRELS, measures=MEASURES), evaluate(run, qrels, measures=MEASURES)
    assert dict(found) == dict(wanted)
    assert found.per_query.loc[wanted.per_query.index].equals(wanted.per_query)
    assert found.report.tied == wanted.report.tied or "rank" in str(run)


@pytest.mark.parametrize("form", TEXTS.values(), ids=TEXTS)
def test_text_gives_what_the_dictionaries_give(form: Form, tmp_path: Path) -> None:
    run, qrels = tmp_path / "ranked", tmp_path / "judged"
    run.write_bytes((form.run or "").encode())
    qrels.write_bytes((form.qrels or "").encode())
    wanted = evaluate(RUN, QRELS, measures=MEASURES)
    found = evaluate(read_run(run, **form.run_options), read_qrels(qrels, **form.qrels_options), measures=MEASURES)
    assert dict(found) == dict(wanted)
    if not form.run_options and not form.qrels_options:
        assert dict(evaluate(str(run), qrels, measures=MEASURES)) == dict(wanted)


def zstd(data: bytes) -> bytes:
    """Data as a frame of zstandard."""
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    packed: bytes = pytest.importorskip(name).compress(data)
    return packed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
    "lz4": lambda data: pytest.importorskip("lz4.frame").compress(data),
}
PACKERS |= {f"{name} of two members": lambda data, pack=pack: pack(data[:9]) + pack(data[9:]) for name, pack in PACKERS.items()}
PACKERS["xz with padding"] = lambda data: lzma.compress(data[:9]) + bytes(8) + lzma.compress(data[9:]) + bytes(4)
PACKERS["gz of gz"] = lambda data: gzip.compress(gzip.compress(data))


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
@pytest.mark.parametrize("name", ["run.txt", "run.gz"])
def test_a_packed_file_is_told_by_its_content_whatever_its_name(pack: Callable[[bytes], bytes], name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(pack(RUN_TEXT.encode()))
    (tmp_path / "qrels").write_bytes(pack(json.dumps(QRELS).encode()))
    check(tmp_path / name, tmp_path / "qrels")


def test_standard_input_is_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(RUN_TEXT.encode())))
    check("-", QRELS)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(QRELS_TEXT.encode()))))
    check(RUN, "-")


def test_a_beir_folder_has_its_qrels_of_the_test_split(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\n1\t2\t1\n")
    (tmp_path / "qrels" / "test.tsv").write_text(table("query-id corpus-id score", QRELS_ROWS))
    check(RUN, tmp_path)
    check(RUN, tmp_path / "qrels")


def as_polars(rows: list[Any], number: str) -> pl.DataFrame:
    """Rows as a polars frame."""
    return pl.DataFrame(rows, schema=["query_id", "doc_id", number], orient="row")


@pytest.mark.parametrize("write", ["write_parquet", "write_ipc", "write_ipc_stream"])
def test_columnar_files(write: str, tmp_path: Path) -> None:
    getattr(as_polars(RUN_ROWS, "score"), write)(tmp_path / "run")
    getattr(as_polars(QRELS_ROWS, "relevance"), write)(tmp_path / "qrels")
    check(tmp_path / "run", tmp_path / "qrels")


PANDAS: dict[str, Callable[[Any], Any]] = {
    "as they are": lambda column: column,
    "object": lambda column: column.astype(object),
    "string": lambda column: column.astype("string"),
    "categorical": lambda column: column.astype("category"),
}


def as_pandas(rows: list[Any], names: list[str], change: Callable[[Any], Any], times: int = 1) -> pd.DataFrame:
    """Rows as a pandas frame; ``times`` adds unjudged queries to make it big."""
    frame = pd.DataFrame(rows * times, columns=names)
    frame["query_id"] = [f"{q}{'' if i < len(rows) else 'x' + str(i // len(rows))}" for i, q in enumerate(frame["query_id"])]
    return frame.assign(query_id=change(frame["query_id"]), doc_id=change(frame["doc_id"]))


@pytest.mark.parametrize("times", [1, 2000], ids=["small", "big"])
@pytest.mark.parametrize("change", PANDAS.values(), ids=PANDAS)
def test_pandas_frames(change: Callable[[Any], Any], times: int) -> None:
    run = as_pandas(RUN_ROWS, ["query_id", "doc_id", "score"], change, times)
    qrels = as_pandas(QRELS_ROWS, ["query_id", "doc_id", "relevance"], change)
    before = run.copy(deep=True)
    check(run, qrels)
    check(read_run(run), read_qrels(qrels))
    pd.testing.assert_frame_equal(run, before)


@pytest.mark.parametrize("times", [1, 2000], ids=["small", "big"])
@pytest.mark.parametrize("unused", ["", 1.5])
def test_a_category_that_no_row_has_may_be_no_id(unused: Any, times: int) -> None:
    frame = as_pandas(RUN_ROWS, ["query_id", "doc_id", "score"], PANDAS["categorical"], times)
    check(frame.assign(doc_id=frame["doc_id"].cat.add_categories([unused])), QRELS)


@pytest.mark.parametrize("times", [1, 2000], ids=["small", "big"])
def test_a_category_that_is_no_id_is_refused_with_the_query_that_has_it(times: int) -> None:
    frame = as_pandas(RUN_ROWS, ["query_id", "doc_id", "score"], PANDAS["object"], times)
    frame.loc[0, "doc_id"] = ""
    with pytest.raises(IdError, match=f"query '{RUN_ROWS[0][0]}': the document id '' is empty"):
        read_run(frame.assign(doc_id=frame["doc_id"].astype("category")))


@pytest.mark.parametrize("times", [1, 5000], ids=["small", "big"])
def test_scores_of_128_bits(times: int) -> None:
    rows = [(f"q{i}", doc, score) for i in range(times) for doc, score in (("a", 1), ("b", 3), ("c", 2))]
    frame = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row").with_columns(pl.col("score").cast(pl.Int128))
    assert evaluate(frame, {"q0": {"c"}}, measures="RR")["RR"] == 1 / 2


@pytest.mark.parametrize("times", [1, 2000], ids=["small", "big"])
@pytest.mark.parametrize("change", [pl.String, pl.Categorical, pl.Enum(sorted({*"abcdefghijklmnopqrstuvwxyz"}))], ids=str)
def test_polars_frames(change: Any, times: int) -> None:
    letters = {d: "abcdefghijk"[i] for i, d in enumerate(sorted({d for _, d, _ in RUN_ROWS + QRELS_ROWS}))}
    rows = [(q, letters[d], s) for q, d, s in RUN_ROWS]
    rows += [(f"x{i}", letters[d], s) for i in range(times - 1) for _, d, s in RUN_ROWS]
    judged = {q: {letters[d]: g for d, g in docs.items()} for q, docs in QRELS.items()}
    wanted = evaluate({q: {letters[d]: s for d, s in docs.items()} for q, docs in RUN.items()}, judged, measures=MEASURES)
    frame = as_polars(rows, "score").with_columns(pl.col("doc_id").cast(change))
    assert dict(evaluate(frame, judged, measures=MEASURES)) == dict(wanted)
    assert dict(evaluate(frame.lazy(), judged, measures=MEASURES)) == dict(wanted)


@pytest.mark.parametrize("times", [1, 4000], ids=["small", "big"])
def test_integer_ids_are_their_decimal_text(times: int) -> None:
    rows = [(i, doc, float(-doc)) for i in range(times) for doc in (7, 8, 9)]
    qrels = {"0": {"8": 1}}
    names = ["query_id", "doc_id", "score"]
    for frame in (pd.DataFrame(rows, columns=names), pl.DataFrame(rows, schema=names, orient="row")):
        assert evaluate(frame, qrels, measures="RR")["RR"] == 1 / 2
        assert evaluate(frame, pd.DataFrame({"query_id": [0], "doc_id": [8], "relevance": [1]}), measures="RR")["RR"] == 1 / 2


@pytest.mark.parametrize("times", [1, 2000], ids=["small", "big"])
def test_pyarrow_tables(times: int) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    run = as_pandas(RUN_ROWS, ["query_id", "doc_id", "score"], PANDAS["object"], times)
    columns = {name: run[name].tolist() for name in run.columns}
    judged = dict(zip(["query_id", "doc_id", "relevance"], map(list, zip(*QRELS_ROWS, strict=True)), strict=True))
    check(pyarrow.table(columns), pyarrow.table(judged))
    coded = pyarrow.table({**columns, "doc_id": pyarrow.array(columns["doc_id"]).dictionary_encode()})
    check(coded, pyarrow.table(judged))


def test_the_names_of_the_columns_may_be_given() -> None:
    run = pd.DataFrame(RUN_ROWS, columns=["Frage", "Beleg", "Wert"])
    qrels = pl.DataFrame(QRELS_ROWS, schema=["Frage", "Beleg", "Note"], orient="row")
    check(
        read_run(run, columns={"query_id": "Frage", "doc_id": "Beleg", "score": "Wert"}),
        read_qrels(qrels, columns={"query_id": "Frage", "doc_id": "Beleg", "relevance": "Note"}),
    )


class Row(NamedTuple):
    """One row as ir_measures and ir_datasets have them."""

    query_id: str
    doc_id: str
    score: float = 0.0
    relevance: int = 0


def test_rows_of_other_libraries() -> None:
    check((Row(q, d, s) for q, d, s in RUN_ROWS), [Row(q, d, relevance=g) for q, d, g in QRELS_ROWS])


def test_records_with_one_document_each() -> None:
    run = [{"qid": q, "docno": d, "score": s} for q, d, s in RUN_ROWS]
    check(run, [{"query_id": q, "doc_id": d, "relevance": g} for q, d, g in QRELS_ROWS])


RAG = [
    {
        "query_id": q,
        "retrieved_context_ids": sorted(RUN[q], key=lambda d: (RUN[q][d], d))[::-1],
        "reference_context_ids": list(QRELS[q]),
    }
    for q in RUN
]


def test_records_of_rag_are_run_and_qrels_in_one(tmp_path: Path) -> None:
    wanted = evaluate({r["query_id"]: r["retrieved_context_ids"] for r in RAG}, {q: set(docs) for q, docs in QRELS.items()})
    assert dict(evaluate(RAG, RAG)) == dict(wanted)
    assert dict(evaluate(pd.DataFrame(RAG), pd.DataFrame(RAG))) == dict(wanted)
    (tmp_path / "rag.jsonl").write_text("\n".join(map(json.dumps, RAG)))
    (tmp_path / "rag.json").write_text(json.dumps(RAG))
    for name in ("rag.jsonl", "rag.json"):
        assert dict(evaluate(tmp_path / name, str(tmp_path / name))) == dict(wanted)


@pytest.mark.slow
def test_ranx_files(tmp_path: Path) -> None:
    ranx = importlib.import_module("ranx")
    run, qrels = ranx.Run(RUN), ranx.Qrels(QRELS)
    for name in ("run.json", "run.lz4", "run.trec"):
        run.save(str(tmp_path / name))
        check(tmp_path / name, QRELS)
    qrels.save(str(tmp_path / "qrels.json"))
    check(run, tmp_path / "qrels.json")


def test_qrels_of_ir_datasets() -> None:
    ir_datasets = importlib.import_module("ir_datasets")

    class Judged(ir_datasets.formats.BaseQrels):  # type: ignore[name-defined,misc]  # the library has no types
        """Qrels that need no download."""

        def qrels_iter(self) -> Any:
            """The rows, as ir_datasets gives them."""
            return (ir_datasets.formats.TrecQrel(q, d, g, "0") for q, d, g in QRELS_ROWS)

    if "samescore-test" not in ir_datasets.registry:
        ir_datasets.registry.register("samescore-test", ir_datasets.Dataset(Judged()))
    check(RUN, "irds:samescore-test")


def test_scores_win_over_ranks_and_that_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run").write_text("q Q0 a 1 1.0 t\nq Q0 b 2 2.0 t\np Q0 a 0 2.0 t\np Q0 b 1 1.0 t\nq Q0 c x 3.0 t\n")
    for small in (1 << 20, 8):
        monkeypatch.setattr("samescore.readers.content.SMALL", small)
        result = evaluate(tmp_path / "run", {"q": {"c": 1}, "p": {"a": 1}}, measures="RR")
        assert result["RR"] == 1.0
        assert result.report.misranked == {"q": 1}
        assert "rows whose ranks say the contrary" in str(result)


def test_read_run_keeps_what_it_read_when_the_source_changes() -> None:
    frame = as_pandas(RUN_ROWS, ["query_id", "doc_id", "score"], PANDAS["object"], 2000)
    run = read_run(frame)
    frame["score"] = 0.0
    frame["doc_id"] = "x"
    assert (len(run), run.rows) == (3 * 2000, 8 * 2000)
    check(run, QRELS)


def test_big_qrels_are_read_in_blocks_as_small_ones_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "qrels"
    path.write_text("".join(f"{q} {i % 3} {d} {g}\n" for i, (q, d, g) in enumerate(QRELS_ROWS)))
    by_line = read_qrels(path)
    monkeypatch.setattr("samescore.readers.content.SMALL", 8)
    monkeypatch.setattr("samescore.readers.content.BLOCK", 20)
    in_blocks = read_qrels(path)
    assert (in_blocks.grades, in_blocks.rows, in_blocks.subtopics) == (by_line.grades, by_line.rows, by_line.subtopics)
    assert by_line.subtopics


OPTIONS = {name: form for name, form in TEXTS.items() if form.run_options}


def as_options(side: str, options: Mapping[str, Any]) -> list[str]:
    """What the readers must be told, as options of a command."""
    columns = ",".join(f"{role}={name}" for role, name in options.get("columns", {}).items())
    said = {"format": options.get("format"), "columns": columns}
    return [word for what, value in said.items() if value for word in (f"--{side}-{what}", value)]


@pytest.mark.parametrize("form", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("dash", ["", "run", "qrels"])
def test_commands_take_formats_and_columns_and_standard_input(
    form: Form, dash: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {"run": form.run or "", "qrels": form.qrels or QRELS_TEXT}
    for side, text in texts.items():
        (tmp_path / side).write_bytes(text.encode())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(texts.get(dash, "").encode())))
    paths = {side: "-" if side == dash else str(tmp_path / side) for side in texts}
    told = [*as_options("run", form.run_options), *as_options("qrels", form.qrels_options)]
    asked = [word for measure in MEASURES for word in ("-m", measure)]
    assert main(["evaluate", paths["qrels"], paths["run"], *asked, *told, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["measures"]
    assert {name: measure["mean"] for name, measure in found.items()} == dict(evaluate(RUN, QRELS, measures=MEASURES))
    if not dash:
        assert main(["ties", paths["qrels"], paths["run"], "-m", "RR", *told]) == 0


def test_standard_input_cannot_be_read_twice(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["evaluate", "-", "-"], ["evaluate", "qrels", "-", "-"], ["explain", "-", "-", "-m", "RR"]):
        assert main(words) == 2
        assert "standard input is named twice" in capsys.readouterr().err


def test_columns_that_name_nothing_are_a_wrong_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "qrels", "run", "--run-columns", "query_id"]) == 2
    assert "'query_id' is not like query_id=NAME,doc_id=NAME" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("library", "source", "words"),
    [("ir_datasets", "irds:vaswani", "irds:vaswani: ir_datasets is not installed\ntry: pip install ir_datasets")],
)
def test_a_library_that_is_not_there_is_named(
    library: str, source: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    assert main(["evaluate", source, "run"]) == 2
    assert words in capsys.readouterr().err
