"""The command line: every clause as an option, one clear line for bad input, a process that behaves."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import fields
from typing import get_args, get_type_hints

import pytest

import samescore
from samescore import Policy, curve, evaluate, write_baseline
from samescore.backends import BACKENDS
from samescore.cli import COMMANDS
from samescore.measures import CATALOGUE

pytestmark = pytest.mark.usefixtures("files")


def process(*words, **options):
    """Run a command as a process of its own."""
    return subprocess.run([sys.executable, "-m", "samescore", *words], capture_output=True, text=True, check=False, **options)


# The policy


OTHER = {
    "ties": "doc_id_ascending",
    "duplicates": "last",
    "empty": "one",
    "missing": "skip",
    "gain": "linear",
    "negatives": "unjudged",
    "unjudged": "drop",
    "conflicts": "max",
    "relevance_level": 2,
    "depth": 2,
    "self_hits": "drop",
    "float32_scores": True,
}
"""For each clause a value that is not its default."""


def test_every_clause_has_a_value_to_try():
    assert [name for name, value in OTHER.items() if value != getattr(Policy(), name)] == list(Policy.__dataclass_fields__)


@pytest.mark.parametrize("clause", OTHER)
def test_every_clause_of_the_policy_is_an_option(say, clause):
    value = OTHER[clause]
    option = f"--{clause.replace('_', '-')}"
    out, err, code = say("evaluate", "qrels.txt", "bm25.txt", "--backend", "reference", option, *([] if value is True else [value]))
    assert (err, code) == ("", 0)
    assert out == f"{evaluate('bm25.txt', 'qrels.txt', backend='reference', policy=Policy(**{clause: value}))}\n"


def test_help_explains_every_clause_and_its_default(say):
    out, _, code = say("evaluate", "--help")
    squeezed = " ".join(out.split())
    assert code == 0
    for clause in fields(Policy):
        assert f"--{clause.name.replace('_', '-')}" in out
    for name, hint in get_type_hints(Policy).items():
        if all(isinstance(value, str) for value in get_args(hint)) and get_args(hint):
            assert "{" + ",".join(get_args(hint)) + "}" in out
            assert f"(default: {getattr(Policy(), name)})" in squeezed
    assert "double credit" in squeezed


def signature(out):
    return out.splitlines()[-1]


def test_a_preset_and_a_signature_are_policies_to_start_from(say):
    out, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "--policy", "trec_eval")
    assert Policy.parse(signature(out)) == Policy.trec_eval()
    repeat, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "--policy", signature(out))
    assert repeat == out
    changed, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "--policy", "trec_eval", "--gain", "exponential", "--depth", "3")
    assert Policy.parse(signature(changed)) == Policy.trec_eval().but(gain="exponential", depth=3)
    back, _, _ = say("evaluate", "qrels.txt", "bm25.txt", "--policy", signature(changed), "--depth", "all", "--no-float32-scores")
    assert Policy.parse(signature(back)) == Policy.trec_eval().but(gain="exponential")


# backends


def test_backends_shows_the_matrix_and_a_reason_for_each_gap(say):
    out, err, code = say("backends")
    table, reasons = out.split("\n\n")
    rows = [line.split() for line in table.splitlines()]
    assert (err, code) == ("", 0)
    general = [name for name in BACKENDS if "/" not in name]
    assert rows[0] == ["measure", *general, "ir_measures/..."]
    assert [row[0] for row in rows[1:]] == list(CATALOGUE)
    assert dict(zip(rows[0], next(row for row in rows if row[0] == "DCG"), strict=True)) == {
        "measure": "DCG",
        "ir_measures": "upstream",
        "ranx": "yes",
        "reference": "yes",
        "ir_measures/...": "-",
    }
    assert next(row for row in rows if row[0] == "RR")[-1] == "cwl_eval,msmarco,trectools"
    assert any(
        re.match(r"ir_measures, DCG.*: upstream, .*; try --backend ranx or --backend reference", line)
        for line in reasons.splitlines()
    )
    assert any("fractional grades" in line for line in reasons.splitlines())
    assert all(re.search(r": (never|upstream|todo), .+; try .+", line) for line in reasons.splitlines())


def test_backends_as_data_says_the_same(say):
    plain = json.loads(say("backends", "--format", "json")[0])
    assert list(plain) == list(CATALOGUE)
    assert plain["DCG"]["reference"] is None
    assert plain["DCG"]["ir_measures"].keys() == {"kind", "why", "instead"}
    rows = [line.split("\t") for line in say("backends", "--format", "tsv")[0].splitlines()]
    assert {(m, b): kind for m, b, kind, _ in rows} == {
        (m, b): gap["kind"] if gap else "yes" for m, row in plain.items() for b, gap in row.items()
    }
    table = say("backends", "--format", "markdown")[0].split("\n\n")[0].splitlines()
    assert table[0] == "| measure | ir_measures | ranx | reference | ir_measures/... |"
    assert len(table) == 2 + len(CATALOGUE)


# Words that are wrong


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["evaluate", "qrels.txt", "bm26.txt"], ["bm26.txt", "no such file", "try: 'bm25.txt'"]),
        (["evaluate", "qrel.txt", "bm25.txt"], ["qrel.txt", "no such file", "try: 'qrels.txt'"]),
        (["evaluate", "bm25.txt", "qrels.txt"], ["bm25.txt, line 1", "swapped"]),
        (["evaluate", "qrels.txt", "qrels.txt"], ["qrels.txt, line 1", "4 columns", "swapped"]),
        (["evaluate", "qrels.txt", "nan.txt"], ["nan.txt, line 2", "NaN"]),
        (["evaluate", "qrels.txt", "other.txt"], ["other.txt against qrels.txt", "no query in common", "'t1'"]),
        (["evaluate", "qrels.txt", "bm25.txt", "other.txt"], ["other.txt against qrels.txt"]),
        (["evaluate", "qrels.txt", "bm25.txt", "-m", "nDGC@10"], ["nDGC", "try: nDCG"]),
        (["evaluate", "qrels.txt", "bm25.txt", "-m", "nDCG@0"], ["at least 1"]),
        (["evaluate", "qrels.txt", "bm25.txt", "-k", "0"], ["at least 1"]),
        (["evaluate", "qrels.txt", "bm25.txt", "-k", "ten"], ["-k", "'ten'"]),
        (["evaluate", "qrels.txt", "bm25.txt", "-k", "5", "-m", "RR"], ["-m", "-k", "not allowed"]),
        (["evaluate", "qrels.txt", "bm25.txt", "--backend", "rankx"], ["rankx", "try: ranx"]),
        (["evaluate", "qrels.txt", "bm25.txt", "--backend", "no_such:Thing"], ["no_such:Thing", "cannot be loaded"]),
        (
            ["evaluate", "qrels.txt", "bm25.txt", "-m", "DCG", "--backend", "ir_measures"],
            ["DCG", "try: --backend ranx or --backend reference"],
        ),
        (["evaluate", "qrels.txt", "dense.txt", "--ties", "error"], ["dense.txt", "'q1'", "tied", "try: --ties doc_id"]),
        (["evaluate", "qrels.txt", "bm25.txt", "--missing", "error"], ["'q4'", "try: --missing zero"]),
        (["evaluate", "qrels.txt", "bm25.txt", "--ties", "sideways"], ["--ties", "sideways", "doc_id_ascending"]),
        (["evaluate", "qrels.txt", "bm25.txt", "--depth", "deep"], ["--depth", "'deep'", "all"]),
        (["evaluate", "qrels.txt", "bm25.txt", "--depth", "0"], ["depth", "at least 1"]),
        (["evaluate", "qrels.txt", "bm25.txt", "--relevance-level", "0"], ["relevance_level", "at least 1"]),
        (["evaluate", "qrels.txt", "bm25.txt", "--policy", "trec"], ["'trec'", "try: trec_eval"]),
        (["evaluate", "qrels.txt", "bm25.txt", "--policy", "tiez:input"], ["'tiez'", "try: ties"]),
        (["evaluate", "qrels.txt", "bm25.txt", "--format", "xml"], ["--format", "'xml'", "markdown"]),
        (["evaluate", "qrels.txt", "bm25.txt", "--tie", "input"], ["--tie"]),
        (["evaluate", "qrels.txt"], ["RUN", "try: samescore evaluate --help"]),
        (["evaluate"], ["QRELS", "RUN"]),
        (["evaluat"], ["'evaluat'", "evaluate"]),
        (["backends", "extra"], ["extra"]),
        (["--verbose"], ["try: samescore --help"]),
        ([], ["COMMAND", "try: samescore --help"]),
    ],
    ids=" ".join,
)
def test_what_is_wrong_is_one_clear_line_with_a_hint_and_exit_code_2(say, tmp_path, words, said):
    (tmp_path / "nan.txt").write_text("q1 Q0 d1 1 4 t\nq1 Q0 d2 2 nan t\n")
    (tmp_path / "other.txt").write_text("t1 Q0 d1 1 4 t\n")
    out, err, code = say(*words)
    assert (out, code) == ("", 2)
    assert [word for word in said if word not in err] == []
    lines = err.splitlines()
    assert re.match(r"samescore( \w+)?: error: ", lines[0])
    assert len(lines) <= 2
    assert all(line.startswith("try: ") for line in lines[1:])


def test_a_warning_is_one_line_on_stderr_and_the_result_stands(say, tmp_path):
    (tmp_path / "cut.txt").write_text("q1 Q0 d 1 4 t\nq2 Q0 d 1 4 t\n")
    out, err, code = say("evaluate", "qrels.txt", "cut.txt")
    assert err == "samescore: warning: cut.txt: no document of the run is judged: are its ids cut short, or of another corpus?\n"
    assert (code, out.startswith("measure")) == (0, True)


# The process


def test_the_version_is_the_package_s(say):
    assert say("--version") == (f"samescore {samescore.__version__}\n", "", 0)


def test_help_lists_every_command(say):
    out, _, code = say("--help")
    assert code == 0
    for name, (_, about) in COMMANDS.items():
        assert name in out
        assert about in " ".join(out.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_help_of_its_own(say, command):
    out, err, code = say(command, "--help")
    assert (err, code) == ("", 0)
    assert out.startswith(f"usage: samescore {command}")


def test_it_runs_as_a_module_and_as_a_command():
    done = process("evaluate", "qrels.txt", "bm25.txt")
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout == f"{evaluate('bm25.txt', 'qrels.txt')}\n"
    failed = process("evaluate", "qrels.txt", "nothing.txt")
    assert (failed.stdout, failed.returncode) == ("", 2)
    assert failed.stderr.startswith("samescore: error: nothing.txt: there is no such file\ntry: ")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a pipe that is closed early ends otherwise elsewhere")
def test_a_reader_that_stops_early_is_no_error():
    words = [sys.executable, "-m", "samescore", "evaluate", "qrels.txt", "bm25.txt"]
    pipe = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    pipe.stdout.close()
    said = pipe.stderr.read()
    pipe.stderr.close()
    assert pipe.wait() == 128 + 13
    assert said == b""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_disk_is_one_line():
    with open("/dev/full", "w") as full:
        words = [sys.executable, "-m", "samescore", "evaluate", "qrels.txt", "bm25.txt"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert re.fullmatch(r"samescore: error: .*space.*\n", done.stderr)


def test_ids_that_the_terminal_cannot_show_are_escaped(tmp_path):
    (tmp_path / "qrels.txt").write_text("ä 0 d 1\n", encoding="utf-8")
    (tmp_path / "run.txt").write_text("ä Q0 d 1 1 t\n", encoding="utf-8")
    done = process(
        "evaluate", "qrels.txt", "run.txt", "--per-query", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert r"\xe4" in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", *(pytest.param(name, marks=pytest.mark.slow) for name in ("latin-1", "utf-8"))])
def test_json_is_json_in_any_encoding(tmp_path, encoding):
    (tmp_path / "qrels.txt").write_text("ä€😀 0 d 1\n", encoding="utf-8")
    (tmp_path / "run.txt").write_text("ä€😀 Q0 d 1 1 t\n", encoding="utf-8")
    words = [sys.executable, "-m", "samescore", "evaluate", "qrels.txt", "run.txt", "--per-query", "--format", "json"]
    done = subprocess.run(words, capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": encoding})
    assert list(json.loads(done.stdout.decode(encoding))["per_query"]) == ["ä€😀"]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a shell closes streams otherwise elsewhere")
def test_streams_may_be_closed():
    def closed(stream, *words):
        line = f"exec {sys.executable} -m samescore evaluate qrels.txt {' '.join(words)} {stream}>&-"
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
        return done.stdout, done.stderr, done.returncode

    assert closed(1, "bm25.txt") == ("", "samescore: error: stdout is closed\n", 2)
    assert closed(2, "bm25.txt") == (f"{evaluate('bm25.txt', 'qrels.txt')}\n", "", 0)
    assert closed(2, "nothing.txt") == ("", "", 2)


def test_a_file_is_named_where_it_is_to_blame_and_only_there(say, tmp_path):
    (tmp_path / "d").write_text("q1 Q0 a 1 1 t\nq1 Q0 a 2 1 t\n", encoding="utf-8")
    _, err, _ = say("evaluate", "qrels.txt", "d", "--duplicates", "error")
    assert err.startswith("samescore: error: d against qrels.txt, query 'q1', document 'a': ")
    _, err, _ = say("evaluate", "qrels.txt", "d", "-k", "0")
    assert err.startswith("samescore: error: the cutoff")


def test_nothing_is_said_of_progress_where_nobody_watches(say):
    assert say("evaluate", "qrels.txt", "bm25.txt")[1] == ""


def test_progress_is_said_on_a_terminal_once_work_takes_long(monkeypatch, capsys):
    from samescore.cli import progress

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    said = ""
    with progress.Progress() as told:
        told.now("reading qrels.txt")
        for _ in range(3000):
            said = said or capsys.readouterr().err
            time.sleep(0 if said else 0.01)
        told.now("scoring bm25.txt (1 of 2)")
        curve({"dense": "dense.txt"}, "qrels.txt", k=[1])
    assert said == "samescore: reading qrels.txt ...\n"
    assert capsys.readouterr().err == "samescore: scoring bm25.txt (1 of 2) ...\nsamescore: run dense ...\n"
    curve({"dense": "dense.txt"}, "qrels.txt", k=[1])
    assert capsys.readouterr().err == ""


def test_an_interruption_is_no_traceback(say, monkeypatch):
    from samescore import backends

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(backends, "matrix", interrupted)
    assert say("backends") == ("", "", 128 + 2)


@pytest.mark.parametrize(
    ("one", "several"),
    [
        (["evaluate", "-k", "1,5, 10"], ["-k", "1", "-k", "5", "-k", "10"]),
        (["evaluate", "-m", "nDCG(gains={1: 1, 2: 2, 3: 3})@10,R@5"], ["-m", "nDCG(gains={1: 1, 2: 2, 3: 3})@10", "-m", "R@5"]),
        (["curve", "-k", "1,5,10"], ["-k", "1", "-k", "5,10"]),
        (["crosscheck", "--backend", "reference,ranx"], ["--backend", "reference", "--backend", "ranx"]),
        (["ties", "-m", "RR,P@5"], ["-m", "RR", "-m", "P@5"]),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("files")
def test_several_values_stand_in_one_option(say, one, several):
    command, *words = one
    told = say(command, "qrels.txt", "bm25.txt", *words)
    assert told == say(command, "qrels.txt", "bm25.txt", *several)
    assert told[2] == 0


@pytest.mark.parametrize("words", [["-k", "1,x"], ["-k", ","], ["-k", ""], ["-m", ","], ["-m", ""], ["-m", "R@5,nDCG(gains={1:1"]])
@pytest.mark.usefixtures("files")
def test_values_that_cannot_be_read_are_refused(say, words):
    out, err, code = say("evaluate", "qrels.txt", "bm25.txt", *words)
    assert (out, code) == ("", 2)
    assert "\ntry: " in err


# How the output is written

WORDS = {
    "evaluate": ["qrels.txt", "bm25.txt", "-m", "RR"],
    "compare": ["qrels.txt", "bm25.txt", "dense.txt", "-m", "RR"],
    "interval": ["qrels.txt", "bm25.txt", "-m", "RR"],
    "suite": ["one", "two"],
    "curve": ["qrels.txt", "bm25.txt", "-k", "1,2"],
    "gate": ["qrels.txt", "bm25.txt", "--baseline", "baseline.json"],
    "diagnose": ["qrels.txt", "bm25.txt", "dense.txt"],
    "misses": ["qrels.txt", "bm25.txt"],
    "unjudged": ["qrels.txt", "bm25.txt"],
    "check": ["qrels.txt"],
    "split": ["qrels.txt"],
    "agreement": ["qrels.txt", "qrels.txt"],
    "rbo": ["bm25.txt", "dense.txt"],
    "measures": ["AP"],
    "backends": [],
    "crosscheck": ["qrels.txt", "bm25.txt", "-m", "RR", "--backend", "reference"],
    "validate": ["qrels.txt", "bm25.txt", "report.json"],
    "explain": ["qrels.txt", "bm25.txt", "-m", "RR"],
    "export": ["qrels.txt", "bm25.txt", "folder", "-m", "RR"],
    "ties": ["qrels.txt", "bm25.txt", "-m", "RR"],
}
"""Every command that has ``--format`` -> what it is typed with."""
OWN = {"unjudged", "split"}
"""Those whose -o writes something else."""


@pytest.fixture
def stored(files, tmp_path):
    write_baseline("baseline.json", "bm25.txt", "qrels.txt", "RR")
    (tmp_path / "report.json").write_text('{"RR": 0.5}')


def test_the_table_has_every_command_that_has_forms():
    commands = {name: getattr(importlib.import_module(f"samescore.cli.{module}"), name) for name, (module, _) in COMMANDS.items()}
    assert {name for name, command in commands.items() if command.forms} == WORDS.keys()


@pytest.mark.usefixtures("data_sets")
@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("name", WORDS)
def test_every_command_writes_in_a_style(say, name):
    words = [name, *WORDS[name]]
    out, _, code = say(*words, "--format", "table")
    assert code in (0, 1)
    styled = say(*words, "--format", "table", "--digits", 1, "--percent", "--quiet")
    assert styled[2] == code
    assert len(styled[0]) <= len(out)
    for form in ("json", "tsv"):
        for option in (["--digits", "2"], ["--percent"]):
            told, err, ended = say(*words, "--format", form, *option)
            assert (told, ended) == ("", 2)
            assert f"{form} has the values with all their digits" in err
        assert say(*words, "--format", form, "--quiet") == say(*words, "--format", form)


@pytest.mark.usefixtures("data_sets")
@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("name", [name for name in WORDS if name not in OWN])
def test_every_command_writes_to_a_file(say, tmp_path, name):
    words = [name, *WORDS[name]]
    for form in ("table", "json"):
        out, _, code = say(*words, "--format", form)
        assert say(*words, "--format", form, "-o", "written.txt")[::2] == ("written.txt\n", code)
        assert (tmp_path / "written.txt").read_text(encoding="utf-8") == out


@pytest.mark.usefixtures("stored")
def test_an_input_is_not_overwritten_by_the_output(say, tmp_path):
    before = (tmp_path / "qrels.txt").read_text()
    for name, file in (("evaluate", "qrels.txt"), ("compare", "dense.txt"), ("check", "qrels.txt"), ("gate", "baseline.json")):
        out, err, code = say(name, *WORDS[name], "-o", file)
        assert (out, code) == ("", 2)
        assert f"{file}: this file is an input, and would be overwritten\ntry: another name, or --force" in err
    assert (tmp_path / "qrels.txt").read_text() == before
    assert say("check", "qrels.txt", "-o", "qrels.txt", "--force")[2] == 0
    assert (tmp_path / "qrels.txt").read_text() != before


@pytest.mark.usefixtures("stored")
def test_what_cannot_be_written_leaves_nothing(say, tmp_path):
    out, err, code = say("evaluate", *WORDS["evaluate"], "--digits", 99)
    assert (out, code) == ("", 2)
    assert err == "samescore: error: digits is 99, not a whole number from 0 to 17\ntry: --digits 3\n"
    out, err, code = say("evaluate", *WORDS["evaluate"], "-o", tmp_path)
    assert (out, code) == ("", 2)
    assert "this is a folder, and a file is wanted" in err
    assert say("evaluate", *WORDS["evaluate"], "-o", "/dev/null")[0] == ""
