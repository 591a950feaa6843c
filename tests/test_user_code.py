"""User code: what it raises, ``sys.exit`` too, is an error with one line, and it is imported where it is asked for alone."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from samescore import define, evaluate
from samescore.errors import BackendError, InputError, MeasureError

RUN, QRELS = {"q1": ["x", "a"]}, {"q1": {"a": 1}}


class Panic(BaseException):
    """What derives from BaseException, as the panics of Rust libraries do."""


def raises(error):
    def stop(*given):
        raise error

    return stop


STOPS = [SystemExit("the index is missing"), SystemExit(0), Panic("the index is missing"), ValueError("two\nlines")]


@pytest.mark.parametrize("error", STOPS, ids=repr)
def test_what_a_measure_raises_names_the_measure_and_the_query(error):
    with pytest.raises(MeasureError, match=rf"query 'q1': the function of Mine raised {type(error).__name__}") as raised:
        evaluate(RUN, QRELS, measures=define("Mine", raises(error)), backend="reference")
    assert raised.value.__cause__ is error
    assert "\n" not in raised.value.what


@pytest.mark.parametrize("error", STOPS, ids=repr)
def test_what_doc_of_raises_names_the_query(error):
    with pytest.raises(InputError, match=rf"query 'q1': doc_of raised {type(error).__name__}"):
        evaluate(RUN, QRELS, measures="RR", doc_of=raises(error), backend="reference")


def test_an_interruption_passes():
    with pytest.raises(KeyboardInterrupt):
        evaluate(RUN, QRELS, measures=define("Mine", raises(KeyboardInterrupt())), backend="reference")
    with pytest.raises(KeyboardInterrupt):
        evaluate(RUN, QRELS, measures="RR", doc_of=raises(KeyboardInterrupt()), backend="reference")


class Named:
    label = "named 1.0"
    gap = score = lambda self, *given: None


@pytest.mark.parametrize("method", ["gap", "score"])
def test_a_backend_that_stops_the_process_is_an_error(method):
    engine = type("Stops", (Named,), {method: raises(SystemExit(0))})
    with pytest.raises(BackendError, match=r"named 1\.0, asked for .* raised SystemExit"):
        evaluate(RUN, QRELS, measures="RR", backend=engine)


def test_a_backend_that_cannot_be_made_or_has_no_label_is_an_error():
    with pytest.raises(BackendError, match="cannot be made: SystemExit"):
        evaluate(RUN, QRELS, measures="RR", backend=type("Stops", (Named,), {"__init__": raises(SystemExit(0))}))
    with pytest.raises(BackendError, match="the label of the backend Stops raised SystemExit"):
        evaluate(RUN, QRELS, measures="RR", backend=type("Stops", (Named,), {"label": property(raises(SystemExit(0)))}))


MODULES = {
    "good_code": "import sys\n\ndef first(ranking):\n    return 0.5\n\nnumber, unnamed = 5, lambda ranking: 0.25\n",
    "exits_when_called": "import sys\n\ndef first(ranking):\n    sys.exit(0)\n",
    "exits_on_import": "import sys\nsys.exit(0)\n",
    "bad_syntax": "def first(:\n",
    "raises_on_import": "1 / 0\n",
    "needs_more": "import no_such_module_at_all\n",
    "bad_backend": "class Backend:\n    label = 'bad 1.0'\n    def gap(self, *given): return None\n"
    "    def score(self, *given): raise ZeroDivisionError('of its own')\n",
    "numpy": "raise SystemExit('imported from the working folder')\n",
    "zstandard": "raise SystemExit('imported from the working folder')\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "q").write_text("q1 0 a 1\n")
    (tmp_path / "r").write_text("q1 Q0 x 1 2 t\nq1 Q0 a 2 1 t\n")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in MODULES:
        if getattr(sys.modules.get(name), "__file__", None) == str(tmp_path / f"{name}.py"):
            del sys.modules[name]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("exits_when_called:first", "the function of first raised SystemExit"),
        ("exits_on_import:first", "cannot be loaded: SystemExit"),
        ("bad_syntax:first", "cannot be loaded: SyntaxError"),
        ("raises_on_import:first", "cannot be loaded: ZeroDivisionError"),
        ("needs_more:first", "cannot be loaded: ModuleNotFoundError: No module named 'no_such_module_at_all'"),
        ("no_such_module:first", "cannot be loaded: ModuleNotFoundError"),
        ("good_code:second", "cannot be loaded: AttributeError"),
        ("good_code:number", "no function"),
        (".good_code:first", "is not of the form package.module:name"),
        ("good_code.:first", "is not of the form package.module:name"),
    ],
)
def test_a_measure_that_cannot_be_used_is_one_clear_line(say, target, said):
    for words in (["-m", target], ["-m", "RR", "-m", target]):
        out, err, code = say("evaluate", "q", "r", *words, "--backend", "reference")
        assert (out, code) == ("", 2)
        assert said in err.splitlines()[0]
        assert "Traceback" not in err


@pytest.mark.usefixtures("folder")
def test_a_backend_of_a_module_that_fails_is_one_clear_line(say):
    out, err, code = say("evaluate", "q", "r", "-m", "RR", "--backend", "bad_backend:Backend")
    assert (out, err, code) == ("", "samescore: error: bad 1.0, asked for 'RR(rel=1)', raised ZeroDivisionError: of its own\n", 2)
    assert say("evaluate", "q", "r", "-m", "RR", "--backend", "exits_on_import:Backend")[2] == 2
    assert say("crosscheck", "q", "r", "-m", "RR", "--backend", "exits_on_import:Backend")[2] == 2


def test_the_working_folder_is_on_the_path_while_a_module_is_imported_alone(say, folder):
    out, err, code = say("evaluate", "q", "r", "-m", "good_code:first", "-m", "good_code:unnamed", "--backend", "reference")
    assert (err, code) == ("", 0)
    assert [line.split()[:2] for line in out.splitlines()[1:3]] == [["first", "0.5000"], ["unnamed", "0.2500"]]
    assert str(folder) not in sys.path


def test_nothing_else_is_imported_from_the_working_folder(folder):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path and path != str(folder))}
    for words in (["-m", "nDCG(gains={1: 1})@10"], ["-m", "good_code:first"]):
        command = [sys.executable, "-m", "samescore", "evaluate", "q", "r", *words, "--backend", "reference"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.usefixtures("folder")
def test_a_test_is_loaded_from_a_module(say, folder):
    (folder / "other").write_text((folder / "r").read_text().replace("a", "z"))
    (folder / "good_tests.py").write_text("def half(differences):\n    return 0.5\n\ndef odd(differences):\n    return 'odd'\n")
    words = ["compare", "q", "r", "other", "-m", "RR", "--backend", "reference", "--test"]
    for target, code, said in (
        ("good_tests:half", 0, "p: good_tests:half"),
        ("exits_on_import:first", 2, "the test 'exits_on_import:first' cannot be loaded: SystemExit"),
        ("good_code:number", 2, "test cannot be 5"),
        ("no_such_test", 2, "test cannot be 'no_such_test'\ntry: 't', 'permutation'"),
    ):
        out, err, ended = say(*words, target)
        assert ended == code
        assert said in out + err
    sys.modules.pop("good_tests")
