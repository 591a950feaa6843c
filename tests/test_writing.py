"""Writing files: whole or not at all, links and modes kept, inputs, devices and pipes left as they are."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading

import pytest

from samescore.errors import SamescoreError, WriteError
from samescore.writing import write_files


def listing(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("content", ["é\n", "é\n".encode(), ["é", "\n"]])
def test_text_bytes_and_pieces_are_written_alike(tmp_path, content):
    write_files({tmp_path / "a.txt": content}, inputs=())
    assert (tmp_path / "a.txt").read_bytes() == "é\n".encode()
    assert listing(tmp_path) == ["a.txt"]


def test_a_new_file_has_the_mode_that_the_process_gives_new_files(tmp_path):
    (tmp_path / "plain").touch()
    write_files({tmp_path / "a.txt": "x"}, inputs=())
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_folders_that_are_not_there_are_made(tmp_path):
    write_files({tmp_path / "a" / "b" / "c.txt": "x"}, inputs=())
    assert (tmp_path / "a" / "b" / "c.txt").read_text() == "x"


def test_a_link_stays_a_link_and_the_file_behind_it_keeps_its_mode(tmp_path):
    (tmp_path / "real").write_text("before")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    write_files({tmp_path / "link": "after"}, inputs=())
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "after"
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o640


def test_a_link_that_leads_to_nothing_makes_the_file_that_it_names(tmp_path):
    (tmp_path / "link").symlink_to("real")
    write_files({tmp_path / "link": "x"}, inputs=())
    assert (tmp_path / "real").read_text() == "x"
    assert (tmp_path / "link").is_symlink()


def test_an_input_is_not_overwritten_by_any_of_its_names(tmp_path):
    (tmp_path / "run.txt").write_text("run")
    (tmp_path / "link").symlink_to("run.txt")
    os.link(tmp_path / "run.txt", tmp_path / "hard")
    for name in ("run.txt", "link", "hard"):
        with pytest.raises(WriteError, match="is an input"):
            write_files({tmp_path / name: "x"}, inputs=[str(tmp_path / "run.txt")])
    assert (tmp_path / "run.txt").read_text() == "run"
    write_files({tmp_path / "run.txt": "x"}, inputs=[tmp_path / "run.txt"], force=True)
    assert (tmp_path / "run.txt").read_text() == "x"


def test_a_file_of_an_input_folder_is_not_overwritten_but_a_new_one_may_stand_beside_it(tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("qrels")
    with pytest.raises(WriteError, match="part of the input"):
        write_files({tmp_path / "qrels" / "test.tsv": "x"}, inputs=[tmp_path])
    write_files({tmp_path / "new.txt": "x"}, inputs=[tmp_path])
    assert (tmp_path / "qrels" / "test.tsv").read_text() == "qrels"


def test_inputs_that_are_no_paths_are_no_hindrance(tmp_path):
    write_files({tmp_path / "a.txt": "x"}, inputs=[{"q1": ["d1"]}, "-", "no such file"])
    assert (tmp_path / "a.txt").read_text() == "x"


def failing(message):
    yield "some of it"
    raise message


@pytest.mark.parametrize("stop", [OSError(28, "No space left on device"), KeyboardInterrupt(), ValueError("odd")])
def test_what_stops_halfway_leaves_everything_as_it_was(tmp_path, stop):
    (tmp_path / "a.txt").write_text("before")
    with pytest.raises(WriteError if isinstance(stop, OSError) else type(stop)):
        write_files({tmp_path / "a.txt": "after", tmp_path / "made" / "c.txt": "x", tmp_path / "b.txt": failing(stop)}, inputs=())
    assert listing(tmp_path) == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "before"


def test_several_files_appear_together_or_not_at_all(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("before")
    replace, calls = os.replace, []

    def second_fails(source, target):
        calls.append(target)
        if len(calls) == 2:
            raise OSError(5, "Input/output error")
        replace(source, target)

    monkeypatch.setattr(os, "replace", second_fails)
    with pytest.raises(WriteError, match="Input/output error"):
        write_files({tmp_path / "a.txt": "after", tmp_path / "b.txt": "after"}, inputs=())
    assert listing(tmp_path) == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "before"


STEPS = ("open", "fsync", "chmod", "link", "replace", "unlink", "mkdir", "rmdir")


@pytest.mark.parametrize("before", [True, False], ids=["before the step", "after the step"])
@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError], ids=["interrupted", "failed"])
def test_wherever_it_stops_all_is_as_before_or_as_wanted_and_nothing_is_left(tmp_path, monkeypatch, before, stop):
    if stop is OSError and not before:
        pytest.skip("what failed has done nothing")
    calls, last = [], 0

    def stopping(name, do):
        def step(*args, **options):
            calls.append(name)
            if before and len(calls) == last:
                raise stop(5, "stopped")
            value = do(*args, **options)
            if not before and len(calls) == last:
                if name == "open":
                    os.close(value)
                raise stop
            return value

        return step

    for last in range(1, 40):
        folder = tmp_path / str(last)
        folder.mkdir()
        (folder / "a.txt").write_text("old")
        (folder / "b.txt").write_text("old")
        calls.clear()
        with monkeypatch.context() as patched:
            for name in STEPS if stop is KeyboardInterrupt else STEPS[:5]:
                patched.setattr(os, name, stopping(name, getattr(os, name)))
            try:
                write_files({folder / "a.txt": "new", folder / "made" / "c.txt": "new", folder / "b.txt": "new"}, inputs=())
            except (KeyboardInterrupt, WriteError):
                pass
            else:
                assert len(calls) < last or calls[last - 1] in ("chmod", "link", "unlink"), calls
        files = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}
        assert files in ({"a.txt": "old", "b.txt": "old"}, {"a.txt": "new", "b.txt": "new", "made/c.txt": "new"}), (calls, last)
        assert (folder / "made").exists() == ("made/c.txt" in files), (calls, last)
    assert len(calls) < last


def test_an_error_names_the_file_and_is_an_os_error_too(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(SamescoreError) as caught:
        write_files({tmp_path / "folder": "x"}, inputs=())
    assert caught.value.file == str(tmp_path / "folder")
    assert isinstance(caught.value, OSError)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path):
    (tmp_path / "a.txt").write_text("before")
    (tmp_path / "a.txt").chmod(0o444)
    with pytest.raises(WriteError, match="denied"):
        write_files({tmp_path / "a.txt": "after"}, inputs=())


def test_half_a_surrogate_pair_is_one_clear_error(tmp_path):
    with pytest.raises(WriteError, match="surrogate"):
        write_files({tmp_path / "a.txt": "\ud800"}, inputs=())
    assert listing(tmp_path) == []


def test_a_fifo_that_nobody_reads_is_refused_and_stays_one(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(WriteError, match="nobody reads"):
        write_files({tmp_path / "fifo": "x"}, inputs=())
    assert stat.S_ISFIFO((tmp_path / "fifo").stat().st_mode)


def test_a_fifo_that_someone_reads_is_written_to(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    heard = []
    reader = threading.Thread(target=lambda: heard.append((tmp_path / "fifo").read_text()))
    reader.start()
    text = "x" * 300_000
    while True:  # until the reader has opened it
        try:
            write_files({tmp_path / "fifo": text}, inputs=())
            break
        except WriteError:
            continue
    reader.join(10)
    assert heard == [text]


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_is_written_to_even_where_it_is_a_file(tmp_path, path):
    code = f"from samescore.writing import write_files as w; print('a', flush=True); w({{{path!r}: 'b\\n'}}, inputs=()); print('c')"
    with open(tmp_path / "out", "w") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "a\nb\nc\n"


def test_a_device_stays_a_device():
    write_files({os.devnull: "x"}, inputs=())
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is full")
def test_a_full_device_is_one_clear_error():
    with pytest.raises(WriteError, match="/dev/full: the file cannot be written: No space"):
        write_files({"/dev/full": "x" * 100_000}, inputs=())
