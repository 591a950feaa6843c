"""The commands on stages, labels and golden sets: what they print in each form, and how they refuse."""

from __future__ import annotations

import json

import pytest

from samescore.cli import main

QRELS = "q1 0 a 1\nq1 0 b 2\nq2 0 a 1\nq3 0 z 0\n"
BM25 = "q1 Q0 x 1 3.0 t\nq1 Q0 b 2 2.0 t\nq2 Q0 y 1 1.0 t\n"
DENSE = "q1 Q0 b 1 3.0 t\nq1 Q0 x 2 2.0 t\nq2 Q0 x 1 1.0 t\nq2 Q0 a 2 0.5 t\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Qrels and two runs in the working directory."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"qrels.txt": QRELS, "bm25.txt": BM25, "dense.txt": DENSE}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def command(files, capsys):
    """A command's exit code, its lines on stdout, and its stderr."""

    def call(*words):
        code = main(list(words))
        out = capsys.readouterr()
        return code, out.out.rstrip("\n").split("\n"), out.err

    return call


def test_misses_prints_a_line_for_each(command):
    code, lines, _ = command("misses", "qrels.txt", "bm25.txt", "-k", "1", "--format", "tsv")
    assert (code, lines) == (0, ["query_id\tdoc_id\tgrade\trank", "q1\tb\t2\t2", "q1\ta\t1\t-", "q2\ta\t1\t-"])


def test_misses_as_json_have_null_where_nothing_was_retrieved(command):
    _, lines, _ = command("misses", "qrels.txt", "bm25.txt", "-k", "1", "--format", "json")
    assert json.loads("\n".join(lines))[:2] == [
        {"query_id": "q1", "doc_id": "b", "grade": 2, "rank": 2},
        {"query_id": "q1", "doc_id": "a", "grade": 1, "rank": None},
    ]


def test_misses_takes_the_policy(command):
    _, lines, _ = command("misses", "qrels.txt", "bm25.txt", "-k", "1", "--format", "tsv", "--relevance-level", "2")
    assert lines[1:] == ["q1\tb\t2\t2"]


def test_chunks_are_taken_for_the_documents_that_doc_of_names(command, files):
    (files / "chunks.txt").write_text("q1 Q0 a#1 1 3.0 t\nq1 Q0 a#2 2 2.0 t\nq1 Q0 b#1 3 1.0 t\nq2 Q0 x#1 1 1.0 t\n")
    (files / "parts.tsv").write_text("a#1\ta\na#2\ta\nb#1\tb\nx#1\tx\n")
    words = ("qrels.txt", "chunks.txt", "--doc-of", "parts.tsv", "--format", "tsv", "-k")
    assert command("misses", *words, "1")[1][1:] == ["q1\tb\t2\t2", "q2\ta\t1\t-"]
    assert command("unjudged", *words, "9")[1][1:] == ["q2\tx\t1\t1"]
    assert command("diagnose", "qrels.txt", "chunks.txt", *words[1:], "2")[1][1].startswith("q1\tfound")
    if pytest.importorskip("matplotlib"):
        assert command("plot", "box", *words[:4], "-m", "R@2", "-o", "plot.png")[0] == 0


def test_unjudged_prints_the_pool(command):
    code, lines, _ = command("unjudged", "qrels.txt", "bm25.txt", "dense.txt", "-k", "2", "--format", "tsv")
    assert code == 0
    assert lines == ["query_id\tdoc_id\truns\tbest_rank", "q1\tx\t2\t1", "q2\tx\t1\t1", "q2\ty\t1\t1"]


def test_unjudged_writes_a_file_for_annotators(command, files):
    code, lines, _ = command("unjudged", "qrels.txt", "bm25.txt", "-k", "1", "-o", "pool.csv")
    assert (code, lines) == (0, ["2 documents to judge in pool.csv"])
    assert (files / "pool.csv").read_text().splitlines()[1] == "q1,x,1,1,"


def test_unjudged_may_leave_unjudged_queries_out(command, files):
    (files / "more.txt").write_text(BM25 + "q9 Q0 n 1 1.0 t\n")
    assert "q9\tn\t1\t1" in command("unjudged", "qrels.txt", "more.txt", "--format", "tsv")[1]
    assert "q9\tn\t1\t1" not in command("unjudged", "qrels.txt", "more.txt", "--format", "tsv", "--judged-queries")[1]


def test_diagnose_names_the_stage(command):
    code, lines, _ = command("diagnose", "qrels.txt", "bm25.txt", "bm25.txt", "-k", "1", "--candidate-k", "2")
    assert code == 0
    assert lines[1:5] == [
        "not in the candidates        1  50.0%",
        "below k                      1  50.0%",
        "found                        0   0.0%",
        "nothing to find              1      -",
    ]
    assert any(line.startswith("The limit is the candidates (and the ranking as much)") for line in lines)


@pytest.mark.parametrize("text", ["q1\tright\nq2\twrong\n", '{"q1": true, "q2": false}', "# answers\nq1 1\nq2 0\n"])
def test_diagnose_reads_answers(command, files, text):
    (files / "answers").write_text(text)
    words = ("diagnose", "qrels.txt", "dense.txt", "dense.txt", "-k", "2", "--answers", "answers")
    counts = json.loads("\n".join(command(*words, "--format", "json")[1]))["counts"]
    assert (counts["answered right"], counts["answered wrong"]) == (1, 1)
    assert command(*words, "--format", "tsv")[1][1] == "q1\tanswered right\tTrue\t2\t1\t1\t1\t1"
    assert "| answered right | 1 | 50.0% |" in command(*words, "--format", "markdown")[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1\tmaybe\n", "answers, line 1: 'maybe' says neither right nor wrong"),
        ("q1\n", "answers, line 1: one column"),
        ("q1\t1\nq1\t0\n", "answers, line 2, query 'q1': the query is there twice, with another word"),
        ('{"q1": tru}', "answers: this is no JSON"),
        ('{"q1": []}', "answers, query 'q1': [] says neither"),
        ('{"q1": true, "q1": false}', "there twice, with another word"),
        ("q77\t1\n", "'q77'"),
    ],
)
def test_answers_that_cannot_be_read_are_refused_with_their_place(command, files, text, message):
    (files / "answers").write_text(text)
    code, _, error = command("diagnose", "qrels.txt", "dense.txt", "dense.txt", "--answers", "answers")
    assert code == 2
    assert message in error


def test_check_reports_what_is_odd(command, files):
    (files / "ids.txt").write_text("a\nB\nz\n")
    code, lines, _ = command("check", "qrels.txt", "--corpus", "ids.txt", "--format", "tsv")
    assert (code, lines) == (0, ["kind\tquery_id\tdoc_id", "empty\tq3\t-", "absent\tq1\tb"])
    assert "- spelled otherwise in the corpus: 'b' (the corpus has 'B')" in command(
        "check", "qrels.txt", "--corpus", "ids.txt", "--format", "markdown"
    )[1]  # fmt: skip
    assert json.loads("\n".join(command("check", "qrels.txt", "--format", "json")[1]))["absent"] is None


def test_split_prints_the_side_of_each_query(command):
    from samescore import split

    code, lines, _ = command("split", "qrels.txt", "--seed", "3", "--format", "tsv")
    develop, held_out = split(QRELS_AS_READ, seed=3)
    expected = [f"{q}\tdevelop" for q in develop.queries] + [f"{q}\theld_out" for q in held_out.queries]
    assert (code, lines[1:]) == (0, expected)


QRELS_AS_READ = {"q1": {"a": 1, "b": 2}, "q2": {"a": 1}, "q3": {"z": 0}}


def test_split_writes_both_sides_as_qrels(command, files):
    code, _, _ = command("split", "qrels.txt", "-o", "golden")
    written = (files / "golden/develop.txt").read_text() + (files / "golden/held_out.txt").read_text()
    assert code == 0
    assert sorted(written.splitlines()) == sorted(QRELS.splitlines())


@pytest.mark.parametrize(
    "words",
    [
        ("curve", "-k", "1", "-k", "2"),
        ("curve", "-m", "nDCG", "--backend", "reference"),
        ("deltas",),
        ("precision-recall",),
        ("curve", "--average", "micro"),
        ("box", "-m", "RR"),
        ("slices", "--slices", "labels.tsv"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(("ending", "begins"), [pytest.param("png", b"\x89PNG", marks=pytest.mark.slow), ("svg", b"<?xml")])
def test_plot_writes_png_and_svg_and_the_same_file_each_time(command, files, words, ending, begins):
    pytest.importorskip("matplotlib")
    (files / "labels.tsv").write_text("q1\tshort\nq2\tlong\n")
    written = []
    for name in ("one", "two"):
        code, lines, error = command("plot", words[0], "qrels.txt", "bm25.txt", "dense.txt", *words[1:], "-o", f"{name}.{ending}")
        assert (code, lines, error) == (0, [f"{name}.{ending}"], "")
        written.append((files / f"{name}.{ending}").read_bytes())
    assert written[0].startswith(begins)
    assert written[0] == written[1]


def test_plot_takes_a_folder_of_runs(command, files):
    pytest.importorskip("matplotlib")
    (files / "runs").mkdir()
    for name in ("bm25.txt", "dense.txt"):
        (files / name).rename(files / "runs" / name)
    assert command("plot", "deltas", "qrels.txt", "runs", "-o", "plot.svg") == (0, ["plot.svg"], "")
    assert command("unjudged", "qrels.txt", "runs", "-k", "1", "--format", "tsv")[1][1:] == [
        "q1\tx\t1\t1",
        "q2\tx\t1\t1",
        "q2\ty\t1\t1",
    ]


def test_characters_that_the_font_lacks_are_one_warning(command, files):
    pytest.importorskip("matplotlib")
    (files / "\ue000\ue001.txt").write_text(BM25)
    code, lines, error = command("plot", "box", "qrels.txt", "\ue000\ue001.txt", "-o", "plot.png")
    assert (code, lines) == (0, ["plot.png"])
    assert error.startswith("samescore: warning: the font has no sign for 2 characters of the names")
    assert error.count("\n") == 1


def test_subtopics_stay_with_their_queries_in_a_split(command, files):
    (files / "aspects.txt").write_text("q1 1 a 1\nq1 2 a 0\nq2 1 b 1\nq2 2 c 1\n")
    command("split", "aspects.txt", "-o", "golden")
    written = (files / "golden/develop.txt").read_text() + (files / "golden/held_out.txt").read_text()
    assert sorted(written.splitlines()) == ["q1 1 a 1", "q1 2 a 0", "q2 1 b 1", "q2 2 c 1"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("misses", "qrels.txt", "bm25.txt", "-k", "0"), "at least 1"),
        (("unjudged", "qrels.txt", "bm25.txt", "bm25.txt"), "two runs have the name 'bm25.txt'"),
        (("plot", "deltas", "qrels.txt", "bm25.txt", "bm25.txt", "-o", "plot.png"), "two runs have the name 'bm25.txt'"),
        (("misses", "bm25.txt", "qrels.txt"), "swapped"),
        (("unjudged", "qrels.txt", "gone.txt"), "no such file"),
        (("unjudged", "qrels.txt", "bm25.txt", "-o", "pool.doc"), "cannot be written as .doc"),
        (("check", "qrels.txt", "--corpus", "gone.txt"), "gone.txt: there is no such file"),
        (("check", "qrels.txt", "--relevance-level", "0"), "at least 1"),
        (("compare", "qrels.txt", "bm25.txt", "dense.txt", "--biggest", "-1"), "n is -1"),
        (("curve", "qrels.txt", "bm25.txt", "--keep", "nan"), "keep is nan"),
        (("split", "qrels.txt", "--held-out", "2"), "share between 0 and 1"),
        (("plot", "curve", "qrels.txt", "bm25.txt", "-o", "plot"), "no ending"),
        (("plot", "curve", "qrels.txt", "bm25.txt", "-o", "plot.gif"), "cannot be written as gif"),
        (("plot", "curve", "qrels.txt", "bm25.txt", "-m", "R@5", "-o", "plot.png"), "R@5 has a cutoff already"),
        (("plot", "deltas", "qrels.txt", "bm25.txt", "-o", "plot.png"), "of two runs, not 1"),
        (("plot", "slices", "qrels.txt", "bm25.txt", "-o", "plot.png"), "--slices"),
        (("plot", "pie", "qrels.txt", "bm25.txt", "-o", "plot.png"), "invalid choice"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input_is_one_message_and_exit_code_2(command, words, message):
    pytest.importorskip("matplotlib")
    code, lines, error = command(*words)
    assert (code, lines) == (2, [""])
    assert message in error
    assert "Traceback" not in error
