"""samescore split: a golden set in two, to develop on and to hold out."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError
from .options import add_format
from .reading import add_qrels
from .tables import TABLES, as_json

if TYPE_CHECKING:
    from ..readers import Grade, Qrels

BLANK = re.compile(r"\s", re.ASCII)

ABOUT = """
prints each query with its side, develop or held_out. The side follows from the query's id and the seed alone, so it is the same on
every machine and stays when queries are added; the share held out is right on average, not to the query.
-o writes the judgements of each side to FOLDER/develop.txt and FOLDER/held_out.txt, TREC qrels.

examples:
  samescore split qrels.txt --held-out 0.3 --seed 7 --format tsv
  samescore split qrels.txt -o golden
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = ABOUT
    add_qrels(parser)
    parser.add_argument("--held-out", type=float, default=0.5, metavar="SHARE", help="the share held out (default: 0.5)")
    parser.add_argument("--seed", default="0", metavar="SEED", help="another seed is another split (default: 0)")
    parser.add_argument("-o", "--output", metavar="FOLDER", help="write the judgements of each side to a file in this folder")
    add_format(parser, [*TABLES, "json"])


def run(args: argparse.Namespace) -> int:
    """Print the sides, or write them."""
    from ..tools.golden_set import split  # imports numpy, which --help does not need

    develop, held_out = split(args.qrels, args.held_out, seed=args.seed)
    sides = {"develop": develop, "held_out": held_out}
    if args.output is not None:
        rows = [
            [_write(Path(args.output, f"{side}.txt"), qrels), str(len(qrels)), str(qrels.rows)] for side, qrels in sides.items()
        ]
        head = ["file", "queries", "judgements"]
    else:
        rows = [[query, side] for side, qrels in sides.items() for query in qrels.queries]
        head = ["query_id", "side"]
    if args.format == "json":
        print(as_json([dict(zip(head, row, strict=True)) for row in rows]))
    else:
        print(TABLES[args.format](head, rows))
    return 0


def _write(path: Path, qrels: Qrels) -> str:
    """One side as a TREC file, a line for each row as found."""
    text = "".join(f"{query} {under} {doc} {grade}\n" for query, under, doc, grade in _lines(qrels))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())  # the same bytes on every system
    except OSError as error:
        raise InputError(f"the file cannot be written: {error.strerror or error}", file=path, hint="another -o") from None
    except UnicodeEncodeError:
        raise InputError("an id with half a surrogate pair has no UTF-8", file=path, hint="split without -o") from None
    return str(path)


def _lines(qrels: Qrels) -> Iterator[tuple[str, str, str, Grade]]:
    """Query, iteration, document and grade of each row; what a TREC file cannot hold is refused."""
    for query, judged in qrels.grades.items():
        if not judged:
            what = "a query without a judgement has no line in a TREC file"
            raise InputError(what, query=query, hint="split without -o")
        plain = [(doc, "0", grade) for doc, grade in (*judged.items(), *qrels.further.get(query, ()))]
        for doc, under, grade in qrels.subtopics.get(query, plain):
            if any(BLANK.search(text) for text in (query, under, doc)):
                what = "an id with a blank cannot stand in a TREC file"
                raise InputError(what, query=query, document=doc, hint="split without -o")
            yield query, under, doc, grade
