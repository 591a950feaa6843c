"""Tables as people have them: without names, without a header, in parts, as open files, half judged, with words for grades."""

from __future__ import annotations

import io
import json

import pandas as pd
import polars as pl
import pytest

from samescore import check, evaluate, read_qrels, read_run
from samescore.errors import FormatError, GradeError, InputError

RUN = {"t1": {"a": 2.0, "b": 1.0}, "t2": {"c": 1.5}}
QRELS = {"t1": {"b": 1, "a": 0}, "t2": {"c": 2}}


def scores(run):
    return {query: dict(zip(rows.docs, rows.scores.tolist(), strict=True)) for query, rows in run.rankings.items()}


def put(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


RUNS = {
    "TREC": "t1 Q0 a 1 2.0 x\nt1 Q0 b 2 1.0 x\nt2 Q0 c 1 1.5 x\n",
    "TREC between tabs": "t1\tQ0\ta\t1\t2.0\tx\nt1\tQ0\tb\t2\t1.0\tx\nt2\tQ0\tc\t1\t1.5\tx\n",
    "TREC between commas": "t1,Q0,a,1,2.0,x\nt1,Q0,b,2,1.0,x\nt2,Q0,c,1,1.5,x\n",
    "query, document, score": "t1 a 2.0\nt1 b 1.0\nt2 c 1.5\n",
    "the same in CSV": "t1,a,2.0\nt1,b,1.0\nt2,c,1.5\n",
    "query, document, rank, score": "t1\ta\t1\t2.0\nt1\tb\t2\t1.0\nt2\tc\t1\t1.5\n",
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_without_a_header_is_told_by_its_columns(name, tmp_path):
    assert scores(read_run(put(tmp_path, "run", RUNS[name]))) == RUN


JUDGED = {
    "TREC": "t1 0 b 1\nt1 0 a 0\nt2 0 c 2\n",
    "TREC in CSV": "t1,0,b,1\nt1,0,a,0\nt2,0,c,2\n",
    "query, document, grade": "t1 b 1\nt1 a 0\nt2 c 2\n",
    "the same in CSV": "t1,b,1\nt1,a,0\nt2,c,2\n",
    "NTCIREVAL": "t1 b L1\nt1 a L0\nt2 c L2\n",
}


@pytest.mark.parametrize("name", JUDGED)
def test_qrels_without_a_header_are_told_by_their_columns(name, tmp_path):
    assert read_qrels(put(tmp_path, "qrels", JUDGED[name])).grades == QRELS


def test_an_id_between_tabs_may_hold_a_blank(tmp_path):
    assert read_qrels(put(tmp_path, "qrels", "t1\ta b\t1\nt1\tc\t0\n")).grades == {"t1": {"a b": 1, "c": 0}}
    assert read_qrels(put(tmp_path, "pairs", "t1\ta b\nt2\tc\n")).grades == {"t1": {"a b": 1}, "t2": {"c": 1}}
    assert scores(read_run(put(tmp_path, "run", "t1\ta b\t1.5\nt1\tc\t0.5\n"))) == {"t1": {"a b": 1.5, "c": 0.5}}


@pytest.mark.parametrize("text", ["t1 a 2\nt1 b 3\n", "t1 a 3\nt1 b 2\nt1 c 1\n", "t1 a 1\nt1 b 2.5\n", "t1 a 1\nt1 b 2\nt1 c 2\n"])
def test_three_columns_whose_last_may_be_a_rank_are_refused(text, tmp_path):
    with pytest.raises(FormatError, match=r"3 columns, not 6.*msmarco"):
        read_run(put(tmp_path, "run", text))


def test_a_listing_without_its_query_and_the_output_of_trec_eval_are_no_rows_of_queries(tmp_path):
    with pytest.raises(FormatError, match="3 columns, not 6"):
        read_run(put(tmp_path, "run", "0 11067 5.1\n1 6999 4.9\n2 5996 4.8\n"))
    with pytest.raises(FormatError, match="3 columns, not 4"):
        read_qrels(put(tmp_path, "qrels", "map                   \tall\t0.0848\nP_5                   \tall\t0.05\n"))
    assert scores(read_run(put(tmp_path, "run", "1 a 0.5\n2 b 0.9\n"))) == {"1": {"a": 0.5}, "2": {"b": 0.9}}


def test_a_header_of_other_names_is_said_to_be_one(tmp_path):
    path = put(tmp_path, "run.csv", "frage;beleg;wert\nt1;a;2.0\nt1;b;1.0\nt2;c;1.5\n")
    with pytest.raises(FormatError, match=r"'frage', 'beleg', 'wert'\ntry: read_run\(run, columns=\{'query_id': '...'"):
        read_run(path)
    assert scores(read_run(path, columns={"query_id": "frage", "doc_id": "beleg", "score": "wert"})) == RUN


def test_scores_in_three_columns_are_no_grades(tmp_path):
    with pytest.raises(FormatError, match="3 columns, not 4"):
        read_qrels(put(tmp_path, "qrels", "t1 a 9.5\nt1 b 8.5\n"))
    with pytest.raises(InputError, match="maps 'query_id' to True"):
        read_run(put(tmp_path, "run.csv", "t1,a,1.5\n"), columns={"query_id": True})


@pytest.mark.parametrize("text", ["t1 a 1 1.0\nt1 b 2 2.0\n", "t1 a 1 2.0\nt1 b 1 1.0\n", "t1 a 1.5 2.0\nt1 b 2 1.0\n"])
def test_four_columns_are_a_run_only_where_ranks_and_scores_agree(text, tmp_path):
    with pytest.raises(FormatError, match="4 columns, not 6"):
        read_run(put(tmp_path, "run", text))


def test_columns_are_named_by_number(tmp_path, say):
    frame = pd.DataFrame([["x", "t1", "a", 2.0], ["x", "t1", "b", 1.0], ["x", "t2", "c", 1.5]])
    columns = {"query_id": 1, "doc_id": 2, "score": 3}
    assert scores(read_run(frame, columns=columns)) == RUN
    assert scores(read_run(frame.set_axis(["n", "q", "d", "s"], axis=1), columns=columns)) == RUN
    path = put(tmp_path, "run.csv", "x,t1,a,2.0\nx,t1,b,1.0\nx,t2,c,1.5\n")
    assert scores(read_run(path, columns=columns)) == RUN
    qrels = put(tmp_path, "qrels.json", json.dumps(QRELS))
    out, err, code = say("evaluate", qrels, path, "-m", "RR", "--run-columns", "query_id=1,doc_id=2,score=3")
    assert (code, "RR       0.7500" in out) == (0, True), err


def test_a_frame_without_names_has_the_columns_of_trec():
    assert read_qrels(pd.read_csv(io.StringIO("t1 0 b 1\nt1 0 a 0\nt2 0 c 2\n"), sep=" ", header=None)).grades == QRELS
    assert read_qrels(pd.DataFrame([["t1", "b", 1], ["t1", "a", 0], ["t2", "c", 2]])).grades == QRELS
    assert read_qrels(pd.DataFrame([["t1", "b"], ["t2", "c"]])).grades == {"t1": {"b": 1}, "t2": {"c": 1}}
    run = [["t1", "Q0", "a", 1, 2.0, "x"], ["t1", "Q0", "b", 2, 1.0, "x"], ["t2", "Q0", "c", 1, 1.5, "x"]]
    assert scores(read_run(pd.DataFrame(run))) == RUN


def test_a_query_and_a_document_alone_are_relevant(tmp_path):
    pairs = {"t1": {"b": 1}, "t2": {"c": 1}}
    frame = pd.DataFrame({"query-id": ["t1", "t2"], "corpus-id": ["b", "c"]})
    frame.to_csv(tmp_path / "pairs.csv", index=False)
    frame.to_csv(tmp_path / "pairs.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "pairs.parquet")
    for source in (frame, pl.from_pandas(frame), frame.to_dict("records"), *tmp_path.iterdir()):
        assert read_qrels(source).grades == pairs
    with pytest.raises(InputError, match="score"):
        read_run(frame)


@pytest.mark.parametrize("opened", [io.StringIO, lambda text: io.BytesIO(text.encode())], ids=["text", "bytes"])
def test_open_files_are_read_and_stay_open(opened):
    run, qrels = opened(RUNS["TREC"]), opened(json.dumps(QRELS))
    assert evaluate(run, qrels, measures="RR")["RR"] == 3 / 4
    assert not run.closed
    assert scores(read_run(opened(RUNS["query, document, score"]), format=None)) == RUN


def test_an_open_file_is_named_in_errors(tmp_path):
    with put(tmp_path, "run.txt", "t1 Q0 a 1 x t\n").open() as file, pytest.raises(InputError, match=r"run\.txt, line 1"):
        read_run(file)
    with put(tmp_path, "other.txt", "").open("w") as file, pytest.raises(InputError, match="cannot be read"):
        read_run(file)


def test_a_folder_of_parts_is_one_run(tmp_path, say):
    folder = tmp_path / "bm25.parquet"
    folder.mkdir()
    for i, query in enumerate(RUN):
        rows = [(query, doc, score) for doc, score in RUN[query].items()]
        pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]).to_parquet(folder / f"part-{i:05}.parquet")
    (folder / "_SUCCESS").write_text("")
    assert scores(read_run(folder)) == RUN
    out, _, code = say("evaluate", put(tmp_path, "q.json", json.dumps(QRELS)), folder, "-m", "RR")
    assert (code, "0.7500" in out) == (0, True)


def test_the_rows_of_a_query_may_be_in_several_parts(tmp_path):
    for i, text in enumerate(["t1 Q0 b 2 1.0 x\n", "t1 Q0 a 1 2.0 x\nt2 Q0 c 1 1.5 x\n"]):
        put(tmp_path, f"part-{i}", text)
    assert evaluate(tmp_path, QRELS, measures="RR")["RR"] == 3 / 4
    for i in range(2):
        put(tmp_path, f"part-{i}", json.dumps({"t1": [f"d{i}"]}))
    with pytest.raises(InputError, match="query 't1': the ranking is in two parts"):
        read_run(tmp_path)


def test_a_folder_of_runs_stays_one(tmp_path, say):
    for name in ("bm25.txt", "dense.txt"):
        put(tmp_path / "runs" if (tmp_path / "runs").is_dir() else _made(tmp_path / "runs"), name, RUNS["TREC"])
    out, _, code = say("evaluate", put(tmp_path, "q.json", json.dumps(QRELS)), tmp_path / "runs", "-m", "RR")
    assert (code, "bm25" in out, "dense" in out) == (0, True, True)


def _made(folder):
    folder.mkdir()
    return folder


def test_an_empty_grade_is_not_judged_yet_and_is_counted(tmp_path):
    text = "query_id,doc_id,grade\nt1,a,\nt1,b,1\nt2,c,\n"
    frame = pd.read_csv(io.StringIO(text))
    for source in (put(tmp_path, "pool.csv", text), frame, pl.from_pandas(frame), frame.astype(object).to_dict("records")):
        qrels = read_qrels(source)
        assert (qrels.grades, qrels.unfilled, qrels.rows) == ({"t1": {"b": 1}}, 2, 1)
    assert "2 rows of the qrels without a grade, not judged yet" in str(evaluate(RUN, qrels, measures="RR").report)
    assert "2 rows without a grade, not judged yet" in check(qrels).lines()
    with pytest.raises(GradeError, match="NaN"):
        read_qrels(put(tmp_path, "nan.csv", "query_id,doc_id,grade\nt1,a,nan\n"))


def test_words_stand_for_grades(tmp_path, say):
    labels = {"E": 3, "S": 2, "I": 0}
    rows = [("t1", "b", "E"), ("t1", "a", "I"), ("t2", "c", "S")]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
    frame.to_csv(tmp_path / "esci.tsv", index=False, sep="\t")
    frame.to_csv(tmp_path / "bare.csv", index=False, header=False)
    nested = {"t1": {"b": "E", "a": "I"}, "t2": {"c": "S"}}
    for source in (frame, tmp_path / "esci.tsv", tmp_path / "bare.csv", frame.to_dict("records"), nested):
        assert read_qrels(source, grades=labels).grades == {"t1": {"b": 3, "a": 0}, "t2": {"c": 2}}
    run = put(tmp_path, "run.json", json.dumps(RUN))
    out, _, code = say("evaluate", tmp_path / "esci.tsv", run, "-m", "RR", "--grades", "E=3,S=2,I=0")
    assert (code, "0.7500" in out) == (0, True)


def test_words_without_a_number_are_named(tmp_path, say):
    path = put(tmp_path, "esci.tsv", "query_id\tdoc_id\trelevance\nt1\tb\tE\nt1\ta\tI\n")
    with pytest.raises(GradeError, match=r"try: read_qrels\(qrels, grades=\{'E': '...', 'I': '...'\}\)"):
        read_qrels(path)
    with pytest.raises(GradeError, match=r"'I'.*\n.*grades=\{'I': '...'\}"):
        read_qrels(path, grades={"E": 3})
    for grades in ("E=3", {"E": "three"}, {1: 3}):
        with pytest.raises(InputError):
            read_qrels(path, grades=grades)
    assert say("evaluate", path, put(tmp_path, "r.json", json.dumps(RUN)), "--grades", "E=x")[2] == 2


def test_distances_are_on_the_report(tmp_path):
    frame = pd.DataFrame({"query_id": ["t1", "t1"], "doc_id": ["b", "x"], "distance": [0.1, 0.7]})
    frame.to_csv(tmp_path / "run.csv", index=False)
    big = pd.concat([frame.assign(query_id=f"t{i}") for i in range(6000)])
    for source in (frame, tmp_path / "run.csv", big, {"t1": [{"id": "b", "distance": 0.1}, {"id": "x", "distance": 0.7}]}):
        result = evaluate(source, {"t1": {"b": 1}}, measures="RR")
        assert (result["RR"], result.report.distances) == (1, True)
        assert "scores read as distances: lower is better" in str(result.report)


def test_the_first_column_that_is_called_a_query_is_the_query(tmp_path):
    text = "id\tquery_id\tproduct_id\tlabel\n0\t7\t25434\t2\n1\t7\t12088\t0\n"
    assert read_qrels(put(tmp_path, "wands.tsv", text)).grades == {"7": {"25434": 2, "12088": 0}}


def test_whole_ids_in_a_column_of_floats_have_a_hint_that_works():
    frame = pd.DataFrame({"query_id": [1.0, 2.0], "doc_id": ["a", "c"], "relevance": [1, 1]})
    with pytest.raises(InputError, match="such as '1'"):
        read_qrels(frame)
    assert read_qrels(frame.astype({"query_id": int})).grades == {"1": {"a": 1}, "2": {"c": 1}}
