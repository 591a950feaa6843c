"""Files that are written: each is read back equal whatever the ids are, and what cannot be written leaves all as it was."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import stat
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, example, given, strategies as st
from strategies import tries

from samescore import evaluate, export, gate, read_qrels, read_run, split, unjudged, write_baseline
from samescore.display import as_tsv
from samescore.errors import IdError, InputError, SamescoreError, SamescoreWarning, WriteError
from samescore.readers import Qrels
from samescore.result import Result
from samescore.tools import plots

ODD = [
    "#1", "=1+1", "+1", "-1", "@a", '"q"', "q,1", "q;1", "a\tb", "a\nb", "a\r\nb", "\u2028", "q\u2028x", "\u00a0", "a\u00a0",
    "\ufeff", "\ufeffq", " ", " a", "a ", "[1]", "{", "'", "\\", "%41", "0", "1.0", "1e5", "007", "\u202eabc", "\u05d0\u05d1",
    "x" * 200_000, "\x00", "\x1b[31m", "\ud800", "a\udfffb", "query_id", "doc_id", "relevance", "qid", "docid", "Q0", "true",
    "null", "nan", "\x1c", "\x85", "\U0001f600", "e\u0301", "\u00e9",
]  # fmt: skip
IDS = st.one_of(
    st.sampled_from(ODD), st.text(st.sampled_from("#=@\"',;|\t\n\r\v\f \u2028\u00a0\ufeff[]{}%\\1a\x00\ud800"), min_size=1)
)
SOME_IDS = st.lists(IDS, min_size=1, max_size=6, unique=True)


def many(check):
    """Try a check with odd queries and odd documents, each alone too."""
    for text in ODD:
        check = example([text], ["d"])(example(["q"], [text])(check))
    return tries(60, suppress_health_check=list(HealthCheck))(given(SOME_IDS, SOME_IDS)(check))


@pytest.fixture(autouse=True)
def quiet():
    """Warnings of ids that could be formulas are tested where they are expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamescoreWarning)
        yield


@many
def test_a_split_is_read_back_equal(queries, docs):
    qrels = {query: {doc: i for i, doc in enumerate(docs)} for query in queries}
    with tempfile.TemporaryDirectory() as folder:
        sides = split(qrels, folder=Path(folder, "new"))
        files = [read_qrels(side.name).grades if side.grades else {} for side in sides]
        assert len(list(Path(folder, "new").iterdir())) == 2
    assert files == [side.grades for side in sides]
    assert {**files[0], **files[1]} == qrels


UNFIT = re.compile(r"^[ \t\n\r\v\f]|[ \t\n\r\v\f]\Z|[\0\ud800-\udfff]")
"""What an id in a file for annotators may not be."""


@many
def test_a_pool_that_was_filled_in_is_read_back_equal(queries, docs):
    with tempfile.TemporaryDirectory() as folder:
        for name, separator in (("pool.csv", ","), ("pool.tsv", "\t")):
            file = Path(folder, name)
            if [text for text in (*queries, *docs) if UNFIT.search(text) or len(text) > 100_000]:
                with pytest.raises(IdError) as caught:
                    unjudged({"run": dict.fromkeys(queries, docs)}, {}, k=9, file=file)
                assert {caught.value.query, caught.value.document} <= {*queries, *docs}
                assert not file.exists()
                continue
            unjudged({"run": dict.fromkeys(queries, docs)}, {}, k=9, file=file)
            put(file, [[*row[:-1], row[-1] or "1"] for row in cells(file, separator)], separator)
            assert read_qrels(file).grades == {query: dict.fromkeys(docs, 1) for query in queries}


def decoded(ids, expected):
    """Ids as they were before export spelled them."""
    return ids if ids == expected else [unquote(text, errors="surrogatepass") for text in ids]


@many
def test_an_export_is_read_back_equal(queries, docs):
    run, qrels = dict.fromkeys(queries, docs), {query: {docs[0]: 1} for query in queries}
    with tempfile.TemporaryDirectory() as folder:
        made = export(run, qrels, folder, measures=["RR", "P@5"])
        run_read, qrels_read = read_run(made.files[0], format="trec"), read_qrels(made.files[1], format="trec")
    assert made.commands[0].printed == "1.0000"
    assert decoded(run_read.queries, queries) == decoded(qrels_read.queries, queries) == queries
    assert all(decoded(list(ranking.docs), docs) == docs for ranking in run_read.rankings.values())
    assert all(decoded(list(judged), docs[:1]) == docs[:1] for judged in qrels_read.grades.values())


@pytest.mark.skipif("TREC_EVAL" not in os.environ, reason="TREC_EVAL names no trec_eval")
@many
def test_trec_eval_itself_prints_the_numbers_of_an_export(queries, docs):
    run, qrels = dict.fromkeys(queries, docs), {query: {doc: 2 - i % 3 for i, doc in enumerate(docs)} for query in queries}
    qrels["judged alone"] = {"d": 1}
    with tempfile.TemporaryDirectory() as folder:
        for command in export(run, qrels, folder, measures=["nDCG@10", "AP"]).commands:
            words = [os.environ["TREC_EVAL"], *shlex.split(command.line)[1:]]
            printed = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout
            assert printed.split()[-1] == command.printed


@many
def test_a_baseline_and_json_are_read_back_equal(queries, docs):
    run, qrels = dict.fromkeys(queries, docs), {query: {docs[-1]: 1} for query in queries}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "baseline.json")
        result = write_baseline(file, run, qrels, ["RR"], backend="reference")
        stored = Result.from_dict(json.loads(file.read_text(encoding="utf-8")))
        assert gate(run, qrels, file, backend="reference").passed
    assert stored.per_query.index.tolist() == queries
    assert list(json.loads(result.to_json())["per_query"]) == queries


@many
def test_tsv_has_a_line_for_each_query_whatever_its_id(queries, docs):
    result = evaluate(
        dict.fromkeys(queries, docs), {query: {docs[0]: 1} for query in queries}, measures=["RR"], backend="reference"
    )
    rows = [line.split("\t") for line in as_tsv([result.records(per_query=True)]).encode().decode().split("\n")]
    plain = [query for query in queries if not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]", query)]
    assert {len(row) for row in rows} == {3}
    assert set(plain) <= {row[1] for row in rows}


ASPECTS = [("q 1", "1", "a", 1), ("q 1", "2", "a", 0), ("q2", "0", "b", 1)]


def test_subtopics_and_repeated_judgements_with_odd_ids_are_read_back_equal(tmp_path):
    source = tmp_path / "aspects.csv"
    put(source, [("query_id", "iteration", "doc_id", "relevance"), *ASPECTS])
    whole = read_qrels(source)
    sides = split(whole, 0.99, folder=tmp_path / "parts")
    copies = [read_qrels(side.name) for side in sides if side.grades]
    assert {q: rows for copy in copies for q, rows in copy.subtopics.items()} == whole.subtopics
    assert {q: rows for copy in copies for q, rows in copy.further.items()} == whole.further


def test_what_no_form_holds_is_refused_and_named(tmp_path):
    qrels = Qrels({"q": {}, "q 2": {"a": 1, "b": 1}}, 2, subtopics={"q 2": [("a", "1", 1), ("b", "2", 1)]})
    with pytest.raises(InputError, match="no form of file holds") as caught:
        split(qrels, 0.99, folder=tmp_path / "parts")
    assert caught.value.query == "q"
    assert not (tmp_path / "parts").exists()


# What is there already

RUN = {"q1": ["a", "b", "c"], "q2": ["d"]}


def cells(file, separator=","):
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines, delimiter=separator))


def put(file, rows, separator=","):
    with file.open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines, delimiter=separator, quoting=csv.QUOTE_ALL).writerows(rows)


def test_labels_of_a_pool_stay_and_new_documents_follow(tmp_path):
    file = tmp_path / "pool.csv"
    unjudged({"run": RUN}, {"q1": {"a": 1}}, k=1, file=file)
    assert cells(file)[1:] == [["q2", "d", "1", "1", ""]]
    file.write_text('\ufeffquery_id,doc_id,runs,best_rank,relevance,who\nq2,d,1,1,2,"Ann, "\nq1,old,1,1,,\n', encoding="utf-8")
    unjudged({"run": RUN}, {"q1": {"a": 1}}, k=2, file=file)
    assert cells(file) == [
        ["query_id", "doc_id", "runs", "best_rank", "relevance", "who"],
        ["q2", "d", "1", "1", "2", "Ann, "], ["q1", "b", "1", "2", "", ""],
    ]  # fmt: skip
    unjudged({"run": RUN}, {"q1": {"a": 1}}, k=2, file=file, force=True)
    assert cells(file) == [
        ["query_id", "doc_id", "runs", "best_rank", "relevance"], ["q1", "b", "1", "2", ""], ["q2", "d", "1", "1", ""]
    ]  # fmt: skip


@pytest.mark.parametrize(
    "content", [b"name,value\n1,2\n", b"query_id,doc_id,relevance\nq1,a\n", b"\xff\xfe", b'query_id,doc_id,relevance\nq1,"a']
)
def test_a_file_that_is_no_pool_is_not_overwritten(tmp_path, content):
    file = tmp_path / "pool.csv"
    file.write_bytes(content)
    with pytest.raises(WriteError, match=r"pool\.csv.*\n.*force"):
        unjudged({"run": RUN}, {}, k=1, file=file)
    assert file.read_bytes() == content
    unjudged({"run": RUN}, {}, k=1, file=file, force=True)
    assert file.read_bytes().startswith(b"query_id,doc_id,runs")


def test_an_empty_file_becomes_a_pool(tmp_path):
    (tmp_path / "pool.tsv").touch()
    unjudged({"run": RUN}, {}, k=1, file=tmp_path / "pool.tsv")
    assert cells(tmp_path / "pool.tsv", "\t")[1] == ["q1", "a", "1", "1", ""]


def test_ids_that_a_spreadsheet_takes_for_formulas_are_written_exactly_with_a_warning(tmp_path):
    with pytest.warns(SamescoreWarning, match=r"2 ids could be taken for formulas.*'=1\+1', '@d'"):
        unjudged({"run": {"=1+1": ["@d"]}}, {}, k=1, file=tmp_path / "pool.csv")
    assert cells(tmp_path / "pool.csv")[1][:2] == ["=1+1", "@d"]


@pytest.fixture
def inputs(files):
    """The working folder with files of the names that commands write."""
    text = Path("qrels.txt").read_text()
    for name in ("develop.txt", "pool.csv", "run.svg"):
        Path(name).write_text(text)
    Path("run.txt").write_text(Path("bm25.txt").read_text())
    Path("pool.csv").write_text("query_id,doc_id,score\nq1,d1,1\n")
    Path("link.json").symlink_to("qrels.txt")
    Path("chunks.png").write_text("d1\td2\n")


OVERWRITING = [
    ("export", "qrels.txt", "bm25.txt", ".", "-m", "RR"),
    ("export", "develop.txt", "run.txt", ".", "-m", "RR"),
    ("export", "develop.txt", "run.txt", ".", "-m", "RR", "--run-format", "trec"),
    ("split", "develop.txt", "-o", "."),
    ("split", "develop.txt", "-o", ".", "--qrels-format", "trec"),
    ("unjudged", "qrels.txt", "pool.csv", "-o", "pool.csv"),
    ("unjudged", "qrels.txt", "x=pool.csv", "-o", "pool.csv"),
    ("plot", "curve", "qrels.txt", "bm25.txt", "-o", "bm25.txt", "--format", "svg"),
    ("plot", "curve", "run.svg", "bm25.txt", "-o", "run.svg"),
    ("plot", "curve", "qrels.txt", "b*.txt", "-o", "bm25.txt", "--format", "svg"),
    ("plot", "curve", "qrels.txt", "bm25.txt", "--doc-of", "chunks.png", "-o", "chunks.png"),
    ("gate", "qrels.txt", "bm25.txt", "--baseline", "qrels.txt", "--write-baseline", "-m", "RR"),
    ("gate", "qrels.txt", "bm25.txt", "--baseline", "link.json", "--write-baseline", "-m", "RR"),
    ("gate", "qrels.txt", "bm25.txt", "--baseline", "chunks.png", "--doc-of", "chunks.png", "--write-baseline", "-m", "RR"),
]


@pytest.mark.parametrize("words", OVERWRITING, ids=" ".join)
def test_a_command_does_not_overwrite_its_input_unless_forced(inputs, say, words):
    before = {path: path.read_bytes() for path in Path().iterdir()}
    _, err, code = say(*words)
    assert (code, re.findall("input|force", err)) == (2, ["input", "force"]), err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before
    _, err, code = say(*words, "--force")
    assert code == 0, err
    assert {path: path.read_bytes() for path in before} != before


@pytest.mark.parametrize(
    "write",
    [
        lambda: export("run.txt", "qrels.txt", ".", measures="RR"),
        lambda: export(read_run("run.txt"), {"q1": {"d1": 1}}, ".", measures="RR"),
        lambda: split(read_qrels("develop.txt"), folder="."),
        lambda: unjudged(["pool.csv"], {}, file="pool.csv"),
        lambda: unjudged({"a": read_run("pool.csv")}, {}, file="pool.csv"),
        lambda: unjudged("*.csv", {}, file="pool.csv"),
        lambda: write_baseline("run.txt", "run.txt", {"q1": {"d1": 1}}, ["RR"]),
        lambda: plots.save(plots.figure()[0], "run.svg", inputs=[{"bm25": "run.svg"}]),
    ],
)
def test_a_function_does_not_overwrite_its_input(inputs, write):
    before = {path: path.read_bytes() for path in Path().iterdir()}
    with pytest.raises(WriteError, match="input") as caught:
        write()
    assert caught.value.file is not None
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


# Every kind of output on what refuses it

WRITING = {
    "baseline": ("gate", "qrels.txt", "bm25.txt", "--write-baseline", "-m", "RR", "--baseline", "{}/out.json"),
    "export": ("export", "qrels.txt", "bm25.txt", "{}", "-m", "RR"),
    "split": ("split", "qrels.txt", "-o", "{}"),
    "pool": ("unjudged", "qrels.txt", "bm25.txt", "-o", "{}/out.csv"),
    "plot": ("plot", "curve", "qrels.txt", "bm25.txt", "-o", "{}/out.svg"),
}
NAMES = {"baseline": "out.json", "export": "qrels.txt", "split": "held_out.txt", "pool": "out.csv", "plot": "out.svg"}
BEFORE = {"pool": "query_id,doc_id,relevance\nq1,x,1\n"}
EACH = pytest.mark.parametrize("kind", WRITING)


def words_for(kind, folder="made"):
    return [word.format(folder) for word in WRITING[kind]]


def contents(folder):
    return {path.name: path.read_text() for path in Path(folder).iterdir()}


@pytest.fixture
def made(files):
    """A folder that holds an output of each kind as it was before."""
    Path("made").mkdir()
    for kind, name in NAMES.items():
        Path("made", name).write_text(BEFORE.get(kind, "before"))


def run_with(first, words):
    """Run a command in a process of its own, after some Python."""
    code = f"import os, resource, signal, sys\n{first}\nfrom samescore.cli import main\nsys.exit(main({words!r}))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)


@EACH
def test_a_file_that_is_there_is_replaced(made, say, kind):
    _, err, code = say(*words_for(kind))
    assert code == 0, err
    assert Path("made", NAMES[kind]).read_text() != BEFORE.get(kind, "before")
    assert not [name for name in contents("made") if name.startswith(".")]


FULL_DISK = """
def full(descriptor, fsync=os.fsync):
    raise OSError(28, "No space left on device")
os.fsync = full
"""
SMALL_FILES = """
import matplotlib.figure, samescore.tools.export, samescore.tools.gate, samescore.tools.plots, samescore.tools.pool
resource.setrlimit(resource.RLIMIT_FSIZE, (20, resource.RLIM_INFINITY))
"""


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("first", [FULL_DISK, SMALL_FILES], ids=["full disk", "no large file"])
def test_a_full_disk_leaves_everything_as_it_was(made, kind, first):
    before = contents("made")
    done = run_with(first, words_for(kind))
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("samescore: error: ")
    assert "Traceback" not in done.stderr
    assert re.search(r"\.(json|txt|csv|svg): the file cannot be written: (No space|File too large)", done.stderr), done.stderr
    assert contents("made") == before


INTERRUPT = """
def interrupt(descriptor):
    os.kill(os.getpid(), signal.SIGINT)
os.fsync = interrupt
"""


@pytest.mark.slow
@EACH
def test_an_interrupted_command_leaves_everything_as_it_was(made, kind):
    before = contents("made")
    done = run_with(INTERRUPT, words_for(kind))
    assert (done.returncode, done.stderr) == (130, "")
    assert contents("made") == before


@EACH
def test_a_folder_that_is_read_only_is_one_clear_error(made, say, kind):
    before = contents("made")
    Path("made").chmod(0o555)
    if os.access("made", os.W_OK):
        pytest.skip("this user may write everywhere")
    _, err, code = say(*words_for(kind))
    Path("made").chmod(0o755)
    assert (code, "Permission denied" in err) == (2, True), err
    assert contents("made") == before


@EACH
def test_a_link_stays_one_and_a_mode_is_kept(made, say, kind):
    target = Path("made", NAMES[kind])
    target.rename("real")
    target.symlink_to(Path("real").absolute())
    Path("real").chmod(0o640)
    _, err, code = say(*words_for(kind))
    assert code == 0, err
    assert target.is_symlink()
    assert stat.S_IMODE(Path("real").stat().st_mode) == 0o640
    assert Path("real").read_text() != BEFORE.get(kind, "before")


@EACH
def test_a_fifo_stays_one_and_is_refused_where_nobody_reads(made, say, kind):
    target = Path("made", NAMES[kind])
    target.unlink()
    os.mkfifo(target)
    _, err, code = say(*words_for(kind))
    assert (code, "nobody reads this pipe" in err) == (2, True), err
    assert stat.S_ISFIFO(target.stat().st_mode)


@EACH
def test_a_fifo_that_someone_reads_gets_the_content(made, say, kind):
    target, heard = Path("made", NAMES[kind]), []
    target.unlink()
    os.mkfifo(target)
    reader = threading.Thread(target=lambda: heard.append(target.read_text()))
    reader.start()
    err = "nobody reads"
    while "nobody reads" in err:  # until the reader has opened it
        _, err, code = say(*words_for(kind))
    reader.join(60)
    assert (code, stat.S_ISFIFO(target.stat().st_mode)) == (0, True), err
    assert len(heard[0]) > 5


@EACH
def test_a_device_that_is_full_stays_one_and_is_named(made, say, kind):
    if not Path("/dev/full").exists():
        pytest.skip("no device that is full")
    target = Path("made", NAMES[kind])
    target.unlink()
    target.symlink_to("/dev/full")
    _, err, code = say(*words_for(kind))
    assert (code, f"{NAMES[kind]}: the file cannot be written: No space" in err) == (2, True), err
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "begin"),
    [
        (("unjudged", "qrels.txt", "bm25.txt", "-o", "/dev/stdout"), "query_id,doc_id"),
        (("plot", "curve", "qrels.txt", "bm25.txt", "-o", "/dev/stdout", "--format", "svg"), "<?xml"),
    ],
)
def test_standard_output_gets_the_file_and_nothing_else(files, words, begin):
    done = subprocess.run([sys.executable, "-m", "samescore", *words], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(begin)
    assert not done.stdout.rstrip().endswith("/dev/stdout")


# Names and characters


@pytest.mark.parametrize("name", ["plot\udcff.svg", "plot\udcff.png"])
def test_a_plot_may_have_a_name_that_is_not_utf8(files, say, name):
    _, err, code = say("plot", "curve", "qrels.txt", "bm25.txt", "-o", name)
    assert code == 0, err
    assert Path(name).stat().st_size > 1000


@pytest.mark.parametrize("name", ["a\0b.svg", "a\ud800.svg"])
def test_what_can_be_no_name_of_a_file_is_refused(tmp_path, name):
    with pytest.raises(WriteError, match="cannot be the name of a file"):
        plots.save(plots.figure()[0], name)


@pytest.mark.parametrize("folder", [5, b"new", None, "taken"])
def test_what_is_no_folder_is_refused(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    Path("taken").touch()
    qrels = {"q1": {"a": 1}}
    with pytest.raises(InputError, match="folder"):
        export(RUN, qrels, folder, measures="RR")
    if folder is not None:
        with pytest.raises(InputError, match="folder"):
            split(qrels, folder=folder)
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


@pytest.mark.slow
def test_svg_is_xml_whatever_the_names_are(tmp_path):
    odd = [chr(c) for c in (*range(0x20), 0x7F, 0x85, 0x2028, 0xD800, 0xFFFE, 0xFFFF)]
    names = [f"{c}-->]]>&<b>" for c in odd if len(f"x{c}x".splitlines()) == 1]
    qrels = {f"{c}--><a>": {"d": 1} for c in odd}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind, runs in (("curve", names), ("deltas", names[:2]), ("slices", names), ("box", names)):
            slices = {"slices": {query: query for query in qrels}} if kind == "slices" else {}
            figure = plots.plot(
                kind, {name: {query: ["d"] for query in qrels} for name in runs}, qrels, backend="reference", **slices
            )
            plots.save(figure, tmp_path / f"{kind}.svg")
            ElementTree.parse(tmp_path / f"{kind}.svg")


def test_half_a_surrogate_pair_is_written_where_the_form_holds_it_and_named_where_not(tmp_path):
    run, qrels = {"q\ud800": ["a\udfff", "x"]}, {"q\ud800": {"a\udfff": 1}}
    assert "%ED%A0%80" in export(run, qrels, tmp_path / "export", measures="RR").files[0].read_text()
    assert {Path(side.name).suffix for side in split(qrels, folder=tmp_path / "split")} == {".json"}
    with pytest.raises(SamescoreError, match="half a surrogate pair") as caught:
        unjudged({"run": run}, qrels, file=tmp_path / "pool.csv")
    assert (caught.value.query, caught.value.document) == ("q\ud800", "x")
