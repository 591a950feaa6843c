"""Exit codes: how a command ends where its streams are closed or full, where it is interrupted, and where samescore is at fault."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from samescore import cli
from samescore.cli import evaluation, main

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the shell and the devices of Linux")


@pytest.fixture
def shell(tmp_path):
    (tmp_path / "q").write_text("q1 0 a 1\nq2 0 a 1\n")
    (tmp_path / "r").write_text("".join(f"q{i} Q0 x 1 2 t\nq{i} Q0 a 2 1 t\n" for i in (1, 2)))

    def run(line, unbuffered=""):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONUNBUFFERED": unbuffered}
        line = line.replace("samescore", f"{sys.executable} -m samescore", 1)
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["--help", "--version", "evaluate --help", "evaluate q r -m RR --backend reference"])
def test_what_cannot_be_printed_is_no_success(shell, words, unbuffered):
    code, _, err = shell(f"samescore {words} > /dev/full", unbuffered)
    assert (code, err) == (2, "samescore: error: [Errno 28] No space left on device\n")
    assert shell(f"samescore {words} >&-", unbuffered)[::2] == (2, "samescore: error: stdout is closed\n")


def test_standard_input_that_is_closed_matters_where_it_is_read_alone(shell):
    assert shell("samescore evaluate q r -m RR --backend reference <&-")[::2] == (0, "")
    code, out, err = shell("samescore evaluate q - -m RR <&-")
    assert (code, out) == (2, "")
    assert err.splitlines()[0].endswith("standard input is closed")


@pytest.mark.slow
@pytest.mark.parametrize("stderr", ["/dev/full", "&-"])
def test_errors_that_cannot_be_printed_change_no_code(shell, stderr):
    assert shell(f"samescore evaluate no-such-file r 2>{stderr}")[0] == 2
    assert shell(f"samescore evaluate --no-such-option 2>{stderr}")[0] == 2


def test_a_closed_pipe_is_that_of_a_pipe(shell):
    assert shell('samescore trec_eval q r | true; echo "${PIPESTATUS[0]}"')[1] in ("141\n", "0\n")


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (MemoryError(), 2, "samescore: error: there is not enough memory\n"),
        (SystemExit(0), 2, "samescore: error: code that was called stopped the command: SystemExit: 0\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
    ids=repr,
)
def test_what_ends_a_command(monkeypatch, capsys, raised, code, said):
    def fail(*given, **more):
        raise raised

    monkeypatch.setattr(cli, "importlib", type("Failing", (), {"import_module": fail}))
    assert main(["backends"]) == code
    assert capsys.readouterr() == ("", said)


def test_a_fault_is_shown_with_its_traceback_and_a_code_that_no_verdict_has(monkeypatch, capsys):
    def fail(*given, **more):
        raise LookupError("this should not be")

    monkeypatch.setattr(evaluation.samescore, "gate", fail)
    assert main(["gate", "q", "r", "--baseline", "b"]) == 70
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Traceback")
    assert "samescore: fault: LookupError: this should not be\n" in err


def test_an_interrupted_command_ends_as_one(shell, tmp_path):
    reads_forever = "import sys, time; sys.stdout.write('q1 Q0 a 1 1 t\\n'); sys.stdout.flush(); time.sleep(60)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-c", reads_forever], stdout=subprocess.PIPE) as writer:
        command = [sys.executable, "-c", "print('begun', flush=True); import sys; from samescore.cli import main; sys.exit(main())"]
        words = ["evaluate", "q", "-", "-m", "RR"]
        pipes = {"stdin": writer.stdout, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen([*command, *words], cwd=tmp_path, env=environment, **pipes) as reader:
            assert reader.stdout.readline() == b"begun\n"
            while reader.poll() is None:
                reader.send_signal(signal.SIGINT)
                try:
                    reader.wait(5)
                except subprocess.TimeoutExpired:
                    continue
            assert reader.returncode in (130, -signal.SIGINT)
        writer.kill()


@pytest.mark.slow
def test_more_resamples_than_there_is_time_for_are_refused(shell):
    for kind in ("t", "permutation", "bootstrap"):
        code, _, err = shell(f"samescore compare q a=r b=r -m RR --backend reference --test {kind} --resamples 99999999999")
        assert code == 2
        assert "resamples is 99999999999" in err
        assert "at most 10,000,000" in err
