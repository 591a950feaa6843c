"""Several runs: each has a name, no two have the same, and all are scored alike."""

from __future__ import annotations

import glob
import logging
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import InputError, InputTypeError, Wording, about_run, nearest, setting, short
from ..evaluation import evaluate
from ..preparation import query_ids
from ..readers import Run, document_lookup, open_qrels
from ..readers.files import expand_runs
from ..readers.mappings import is_ranx
from ..result import Result

LOG = logging.getLogger("samescore")
"""Where one can watch which run is worked on."""


def named_runs(runs: Any) -> dict[str, Any]:
    """Name -> run, from a mapping, from (name, run) pairs, from paths, which have the names of :func:`run_files`, or from runs
    of ranx, which have their own.

    A single path, data frame or run that was read will do.

    Raises InputError where there is no run, where two have one name, and for a name that is empty or has a line break.
    """
    named: dict[str, Any] = {}
    for name, run in _pairs(runs):
        if str(name) in named:
            raise InputError(f"two runs have the name {str(name)!r}", hint="a name of its own for each run")
        if str(name).splitlines() != [str(name)]:  # no line at all, or several: no table could hold it
            raise InputError(f"a run has the name {str(name)!r}", hint="a name of one line for each run")
        named[str(name)] = run
    if not named:
        raise InputError("there is no run", hint="{'bm25': run, 'dense': other_run}")
    return named


def evaluate_runs(
    runs: Any, qrels: Any, *, queries: Iterable[Any] | None = None, doc_of: Any = None, **options: Any
) -> dict[str, Result]:
    """Name -> result, for runs as :func:`named_runs` takes them; qrels, queries and ``doc_of`` are read once.

    The options are those of :func:`samescore.evaluate`. Raises what it raises, with the name of the run.
    """
    named, judged = named_runs(runs), open_qrels(qrels)
    options |= {"queries": None if queries is None else query_ids(queries)}
    options |= {"doc_of": None if doc_of is None else document_lookup(doc_of)}
    results = {}
    for name, run in named.items():
        with of_run(name):
            results[name] = evaluate(run, judged, **options)
    return results


@contextmanager
def of_run(name: str) -> Iterator[None]:
    """Log which run is worked on, and say in an error or a warning which it is about."""
    LOG.info("run %s", name)
    with about_run(name):
        yield


def baselines_of(names: Collection[str], baseline: Any) -> tuple[str, ...]:
    """The names that the other runs are compared with: those given, or the first one where none is.

    Raises InputError where one is not among the names or given twice, where no other run is left, and for fewer than two runs.
    """
    if len(names) < 2:
        raise InputError(f"one run, {short(next(iter(names)))}, is no comparison", hint="two runs or more")
    if baseline is None:
        return (next(iter(names)),)
    given = list(map(str, baseline)) if isinstance(baseline, (list, tuple)) else [str(baseline)]
    for name in given:
        if name not in names:
            raise InputError(f"no run has the name of the baseline, {short(name)}", hint=nearest(name, names))
    if len(set(given)) < len(given) or not 0 < len(given) < len(names):
        what = f"the baselines are {short(given)}, of {len(names)} runs"
        raise InputError(what, hint=Wording("one run or more, each once, and another to compare; or ", setting("pairs", "all")))
    return tuple(given)


def run_files(words: Iterable[str | os.PathLike[str]]) -> list[tuple[str, str]]:
    """Name and path of each run file that some words stand for.

    A word is a file, a folder of files or a pattern; or ``NAME=FILE``, where no file has the whole word for its path. Without
    a name of its own a file has that of :func:`file_names`.

    Raises InputError for a folder or a pattern without a file, and where one name is for several files.

    >>> run_files(["runs/bm25.run.gz", "ours=runs/dense-k=5.txt"])
    [('bm25', 'runs/bm25.run.gz'), ('ours', 'runs/dense-k=5.txt')]
    """
    return [(str(name), path) for name, path in _with_names([pair for word in words for pair in _files(word)])]


ENDINGS = frozenset(
    {".gz", ".bz2", ".xz", ".zst", ".lz4"}
    | {".txt", ".run", ".res", ".trec", ".tsv", ".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".ipc"}
)
"""Endings that say how a file is written, which the name of its run leaves out."""


def file_names(paths: Iterable[str]) -> list[str]:
    """Names of runs that come as files: without folders and known endings where that tells them apart, else longer.

    >>> file_names(["runs/bm25.run.gz", "runs/bm25-k1=0.9.trec"]), file_names(["bm25.txt", "bm25.json"])
    (['bm25', 'bm25-k1=0.9'], ['bm25.txt', 'bm25.json'])
    >>> file_names(["a/run.txt", "b/run.txt"])
    ['a/run.txt', 'b/run.txt']
    """
    full = list(paths)
    files = [Path(path).name or path for path in full]
    bare = [_without_endings(file) for file in files]
    return next((names for names in (bare, files) if len(set(names)) == len(names)), full)


def _without_endings(file: str) -> str:
    """The name of a file without the endings that are known."""
    stem, ending = os.path.splitext(file)
    return _without_endings(stem) if ending.lower() in ENDINGS else file


def _pairs(runs: Any) -> list[tuple[Any, Any]]:
    """Each run with its name."""
    if isinstance(runs, Mapping):
        return list(runs.items())
    if hasattr(runs, "columns"):
        return [("run", runs)]
    if isinstance(runs, (str, os.PathLike, Run)) or is_ranx(runs):
        runs = [runs]
    if not isinstance(runs, Iterable):
        raise InputTypeError(f"runs are of type {type(runs).__name__}", hint="{'bm25': run, 'dense': other_run}")
    return _with_names([pair for run in runs for pair in _named_or_not(run)])


def _named_or_not(run: Any) -> list[tuple[str | None, Any]]:
    """A run of a list, with its name where it has one of its own; all the runs that a folder or a pattern stands for."""
    if isinstance(run, tuple) and len(run) == 2 and isinstance(run[0], str):
        return [run]
    if isinstance(run, (str, os.PathLike)):
        return list(_files(run))
    if isinstance(run, Run):
        return [(None, run)]
    if is_ranx(run) and run.name:
        return [(str(run.name), run)]
    raise InputTypeError(f"a run without a name: {short(run)}", hint="{'bm25': run, 'dense': other_run}")


def _files(word: str | os.PathLike[str]) -> list[tuple[str | None, str]]:
    """The files that a word stands for, with the name that it gives them."""
    name, equals, file = os.fspath(word).partition("=")
    is_path = not isinstance(word, str) or os.path.exists(word) or bool(glob.glob(word))
    if is_path or not (name and equals and file):
        return [(None, path) for path in expand_runs([word])]
    paths = expand_runs([file])
    if len(paths) > 1:
        raise InputError(f"the name {short(name)} is for {len(paths)} files", where=file, hint="a name for each file")
    return [(name, paths[0])]


def _with_names(pairs: Sequence[tuple[str | None, Any]]) -> list[tuple[str, Any]]:
    """The same runs, those without a name called by their files."""
    paths = [run.name if isinstance(run, Run) else str(run) for name, run in pairs if name is None]
    names = iter(file_names(paths))
    return [(next(names) if name is None else name, run) for name, run in pairs]
