"""Names: what runs are called that come as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def names(paths: Sequence[str]) -> list[str]:
    """The names of files, without folders and endings where that tells them apart.

    >>> names(["runs/bm25.run.gz", "runs/dense.txt"]), names(["a/run.txt", "b/run.txt"])
    (['bm25', 'dense'], ['a/run.txt', 'b/run.txt'])
    """
    whole = [Path(path).name for path in paths]
    bare = [name.partition(".")[0] or name for name in whole]
    return next((found for found in (bare, whole) if len(set(found)) == len(paths)), list(paths))
