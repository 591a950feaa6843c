"""Names of runs: those of their files without known endings, the same in Python and in every command."""

from __future__ import annotations

import pytest

from samescore import compare, curve, read_run
from samescore.errors import InputError
from samescore.tools.runs import file_names, named_runs, run_files

pytestmark = pytest.mark.usefixtures("files")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("bm25.txt", "bm25"),
        ("runs/bm25.run.gz", "bm25"),
        ("bm25.TREC", "bm25"),
        ("bm25.res.zst", "bm25"),
        ("bm25-k1=0.9.trec", "bm25-k1=0.9"),
        ("bm25-k1=0.9-v1.5.trec", "bm25-k1=0.9-v1.5"),
        ("model.v2", "model.v2"),
        (".txt", ".txt"),
        ("-", "-"),
    ],
)
def test_a_file_names_its_run_without_folders_and_known_endings(path, name):
    assert file_names([path]) == [name]


def test_names_are_longer_where_runs_would_have_the_same():
    assert file_names(["a/bm25.txt", "b/bm25.json"]) == ["bm25.txt", "bm25.json"]
    assert file_names(["a/bm25.txt", "b/bm25.txt"]) == ["a/bm25.txt", "b/bm25.txt"]


def test_a_word_is_a_path_where_there_is_one_and_otherwise_a_name_and_a_file(tmp_path):
    (tmp_path / "k1=0.9.trec").write_text("q1 Q0 d1 1 4 t\n")
    assert run_files(["k1=0.9.trec"]) == [("k1=0.9", "k1=0.9.trec")]
    assert run_files(["k1=*.trec"]) == [("k1=0.9", "k1=0.9.trec")]
    assert run_files(["ours=bm25.txt", "dense.txt"]) == [("ours", "bm25.txt"), ("dense", "dense.txt")]
    assert run_files(["ours=k1=0.9.trec"]) == [("ours", "k1=0.9.trec")]
    assert named_runs(["ours=bm25.txt"]) == {"ours": "bm25.txt"}
    assert named_runs([tmp_path / "ours=bm25.txt"]) == {"ours=bm25": str(tmp_path / "ours=bm25.txt")}


def test_one_name_is_for_one_file(tmp_path):
    (tmp_path / "runs").mkdir()
    for name in ("bm25.txt", "dense.txt"):
        (tmp_path / name).rename(tmp_path / "runs" / name)
    with pytest.raises(InputError, match="the name 'ours' is for 2 files"):
        run_files(["ours=runs"])


def test_python_and_commands_call_a_run_alike(say, tmp_path):
    (tmp_path / "bm25.txt").rename(tmp_path / "bm25-k1=0.9.trec")
    runs, names = ["bm25-k1=0.9.trec", "ours=dense.txt"], ["bm25-k1=0.9", "ours"]
    assert list(compare(runs, "qrels.txt", measures="RR").runs) == names
    assert list(curve(runs, "qrels.txt").values) == names
    assert list(named_runs([read_run(runs[0])])) == names[:1]
    words = ["qrels.txt", *runs]
    assert [line.split("\t")[0] for line in say("evaluate", *words, "-m", "RR", "--format", "tsv")[0].splitlines()[::3]] == names
    assert [line.split("\t")[2] for line in say("compare", *words, "-m", "RR", "--format", "tsv")[0].splitlines()[1:]] == names
    assert say("curve", *words, "-k", 1)[0].split("\n")[0].split() == ["measure", *names]


def test_one_can_watch_which_run_is_worked_on(caplog):
    with caplog.at_level("INFO", logger="samescore"):
        curve({"bm25": "bm25.txt", "dense": "dense.txt"}, "qrels.txt", "R", [1])
    assert caplog.messages == ["run bm25", "run dense"]


def test_runs_of_ranx_have_their_own_names():
    ranx = pytest.importorskip("ranx")
    runs = [ranx.Run({"q1": {"d1": 1.0}}, name=name) for name in ("bm25", "dense", None)]
    assert named_runs(runs[:2]) == {"bm25": runs[0], "dense": runs[1]}
    assert named_runs(runs[0]) == {"bm25": runs[0]}
    assert compare(runs[:2], {"q1": {"d1": 1}}, measures="RR", backend="reference").runs == ("bm25", "dense")
    assert list(curve(runs[:2], {"q1": {"d1": 1}}, "R", [1], backend="reference").values) == ["bm25", "dense"]
    with pytest.raises(InputError, match="a run without a name"):
        named_runs(runs)
