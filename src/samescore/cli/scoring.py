"""Runs scored by a command: the options that say how, and the results by name."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import MeasureError, SamescoreError
from .lines import read_labels
from .options import policy_of
from .progress import Progress
from .reading import add_qrels, add_reading, qrels_of, run_of

if TYPE_CHECKING:
    from ..measures import Measure
    from ..result import Result


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Give a parser QRELS and one RUN or several."""
    add_qrels(parser)
    add_reading(parser)
    parser.add_argument("runs", metavar="RUN", nargs="+", help="a run file, NAME=FILE, a folder or pattern of run files, or -")


def expand(args: argparse.Namespace) -> list[str]:
    """Put the files in the place of the folders and patterns among the runs, and return their names."""
    from ..tools.runs import run_files  # imports numpy, which --help does not need

    files = run_files(args.runs)
    args.runs = [path for _, path in files]
    return [name for name, _ in files]


def add_measures(parser: argparse.ArgumentParser) -> None:
    """Give a parser ``-m`` and ``-k``, of which one may be used."""
    asked = parser.add_mutually_exclusive_group()
    text = "a measure, such as nDCG@10, R@100, P(rel=2)@5, mrr, ndcg_cut_10 or package.module:function; may be given several times"
    asked.add_argument("-m", "--measure", dest="measures", action="append", metavar="MEASURE", help=text)
    text = "recall, reciprocal rank and nDCG at this cutoff; may be given several times (default: 10)"
    asked.add_argument("-k", action="append", type=int, metavar="K", help=text)


def add_backend(parser: argparse.ArgumentParser) -> None:
    """Give a parser ``--backend``."""
    text = "who computes: ir_measures, ranx, reference or package.module:Object (default: ir_measures)"
    parser.add_argument("--backend", default="ir_measures", metavar="NAME", help=text)


def add_averaging(parser: argparse.ArgumentParser) -> None:
    """Give a parser ``--average`` and ``--doc-of``."""
    add_doc_of(parser)
    text = "macro: each query counts alike; micro: the ratio of sums over all queries, for R, P, Success (default: macro)"
    parser.add_argument("--average", choices=("macro", "micro"), default="macro", help=text)


def add_doc_of(parser: argparse.ArgumentParser) -> None:
    """Give a parser ``--doc-of``."""
    text = "retrieved chunks are scored as the documents that they are part of: a chunk, a tab and its document a line"
    parser.add_argument("--doc-of", metavar="FILE", help=text)


def doc_of(args: argparse.Namespace) -> dict[str, object] | None:
    """Chunk -> document, from the file that ``--doc-of`` names."""
    return None if args.doc_of is None else read_labels(args.doc_of)


def backend_of(args: argparse.Namespace) -> Any:
    """The backend that ``--backend`` names."""
    from ..backends import find  # imports numpy, which --help does not need

    _look_here([args.backend])
    return find(args.backend)


def backends_of(args: argparse.Namespace) -> list[str] | None:
    """The backends that ``--backend`` names, where it may be given several times; None where there are none."""
    _look_here(args.backends or [])
    return args.backends or None


def measures_of(args: argparse.Namespace) -> list[Measure] | None:
    """The measures that ``-m`` names; None where there are none."""
    from ..measures import (
        named_measure,  # imports numpy, which --help does not need
        parse_all,  # imports numpy, which --help does not need
    )

    if not args.measures:
        return None
    _look_here(args.measures)
    return parse_all(map(named_measure, args.measures))


def _look_here(words: Sequence[str]) -> None:
    """Find a backend or measure of one's own where one works, as with python -m."""
    if any(":" in word for word in words) and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())


def score(args: argparse.Namespace, names: Sequence[str], **options: Any) -> list[tuple[str, Result]]:
    """The result of each run, with its name. The qrels are read once; ``options`` are those of ``evaluate``."""
    from ..evaluation import evaluate  # imports numpy, which --help does not need
    from ..readers import read_qrels

    backend, policy = backend_of(args), policy_of(args)
    scored = []
    with Progress() as progress:
        progress.now(f"reading {args.qrels}")
        qrels = read_qrels(qrels_of(args))
        for i, (path, name) in enumerate(zip(args.runs, names, strict=True), 1):
            progress.now(f"scoring {path} ({i} of {len(args.runs)})")
            with named(path, args.qrels):
                scored.append((name, evaluate(run_of(args, path), qrels, backend=backend, policy=policy, **options)))
    return scored


@contextmanager
def named(run: str, qrels: str, *others: str) -> Iterator[None]:
    """Say which files an error is about, where it names none of them."""
    try:
        yield
    except SamescoreError as error:
        if isinstance(error, MeasureError):
            raise
        raise error.at(file=f"{run} against {qrels}") from None
