"""Folders: the qrels of a BEIR folder, and the runs that a folder or pattern stands for."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path

from ..errors import InputError, examples

_TEST = "test.tsv"


def qrels_in(folder: Path) -> Path:
    """The qrels of a BEIR folder: ``qrels/test.tsv``, or the one file in ``qrels``.

    Raises InputError where there are none, or several and none of the test split.
    """
    files = [path for path in visible(folder / "qrels" if (folder / "qrels").is_dir() else folder) if path.suffix == ".tsv"]
    test = [path for path in files if path.name == _TEST]
    if len(test or files) == 1:
        return (test or files)[0]
    if files:
        what = f"there are several qrels: {examples([p.name for p in files])}"
        raise InputError(what, where=str(folder), hint="the path of one of them")
    raise InputError("this is a directory without qrels", where=str(folder), hint="a file, or a BEIR folder with qrels/test.tsv")


def expand_runs(paths: Iterable[str | os.PathLike[str]]) -> list[str]:
    """The files that some paths stand for: a folder for the files in it, a pattern for those that match it, in order of name.

    Raises InputError for a folder or a pattern without any.
    """
    files: list[str] = []
    for path in [os.fspath(path) for path in paths]:
        if os.path.isdir(path):
            found = [str(file) for file in visible(Path(path))]
            if not found:
                raise InputError("this is a directory without runs", where=path, hint="a folder of run files")
        elif glob.has_magic(path) and not os.path.exists(path):
            found = sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file))
            if not found:
                raise InputError("no file matches the pattern", where=path, hint="check the pattern, and quote it for the shell")
        else:
            found = [path]
        files += found
    return files


def visible(folder: Path) -> list[Path]:
    """The files of a folder, in order of name, but for the hidden ones."""
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
