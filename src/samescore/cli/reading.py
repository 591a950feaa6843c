"""How the files of a command are read: the options that force a format or name columns, and the readers that follow them."""

from __future__ import annotations

import argparse
from typing import Any

from ..errors import InputError

_SIDES = {"run": "query_id=NAME,doc_id=NAME,score=NAME", "qrels": "query_id=NAME,doc_id=NAME,relevance=NAME"}


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Give a parser ``--run-format``, ``--run-columns``, ``--qrels-format`` and ``--qrels-columns``."""
    group = parser.add_argument_group("files", "what a file is, its content tells; - is standard input")
    for side, names in _SIDES.items():
        text = "trec, msmarco, beir, csv, tsv, json, jsonl, parquet or arrow"
        group.add_argument(f"--{side}-format", metavar="FORMAT", help=text)
        group.add_argument(f"--{side}-columns", metavar="COLUMNS", type=_columns, help=f"the columns by name: {names}")


def add_qrels(parser: argparse.ArgumentParser) -> None:
    """Give a parser QRELS."""
    parser.add_argument("qrels", metavar="QRELS", help="judgements: a file, a BEIR folder, an irds: data set or -")


def add_sources(parser: argparse.ArgumentParser) -> None:
    """Give a parser QRELS, one RUN and how to read them."""
    add_qrels(parser)
    add_reading(parser)
    parser.add_argument("run_file", metavar="RUN", help="a run file, or -")


def run_of(args: argparse.Namespace, path: str) -> Any:
    """The run of a path: the path itself, which may be read block by block, unless an option says how to read it."""
    how = _how(args, "run")
    if not how:
        return path
    from ..readers import read_run  # imports numpy, which --help does not need

    return read_run(path, **how)


def qrels_of(args: argparse.Namespace) -> Any:
    """The qrels of a command: their path, unless an option says how to read it.

    Raises InputError where standard input is to be read twice.
    """
    if [args.qrels, *(args.runs if "runs" in args else [args.run_file])].count("-") > 1:
        raise InputError("standard input is named twice and can be read once", where="-", hint="a file for one of them")
    how = _how(args, "qrels")
    if not how:
        return args.qrels
    from ..readers import read_qrels  # imports numpy, which --help does not need

    return read_qrels(args.qrels, **how)


def sources(args: argparse.Namespace) -> tuple[Any, Any]:
    """The run and the qrels of a command that takes one run."""
    qrels = qrels_of(args)
    return run_of(args, args.run_file), qrels


def _how(args: argparse.Namespace, side: str) -> dict[str, Any]:
    """What the options say of one side."""
    given = {what: getattr(args, f"{side}_{what}") for what in ("format", "columns")}
    return {what: value for what, value in given.items() if value is not None}


def _columns(text: str) -> dict[str, str]:
    """``query_id=Frage,doc_id=Beleg`` as a mapping."""
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(role and equals and name for role, equals, name in pairs):
        raise argparse.ArgumentTypeError(f"{text!r} is not like query_id=NAME,doc_id=NAME")
    return {role.strip(): name.strip() for role, _, name in pairs}
