"""Commands that score runs: evaluate, compare, curve, gate and plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import samescore

from .options import AVERAGE, BACKEND, DOC_OF, POLICY, RUNS, command, option

if TYPE_CHECKING:
    from ..tools.curve import Curve


@command(
    RUNS,
    option("-m", "--measure", metavar="MEASURE", help="a measure without its cutoff (default: R)"),
    option("-k", action="append", type=int, metavar="K", help="a cutoff; may be given several times (default: 1 5 10 20 50 100)"),
    option("--keep", type=float, metavar="SHARE", help="the share of the value at the largest k that is enough (default: 0.95)"),
    option("--flat", type=float, metavar="RISE", help="it is flat where a doubling of k adds less than this (default: 0.01)"),
    DOC_OF,
    AVERAGE,
    BACKEND,
    POLICY,
    forms=("table", "markdown", "tsv", "json"),
)
def curve(**options: Any) -> Curve:
    """
    output:
      table     a row for each cutoff and a column for each run, and a sentence for each run
      markdown  the same, for a report
      tsv       run, k and value in full precision, with a head
      json      all of it as an object

    example:
      samescore curve qrels.txt bm25.txt dense.txt -m R -k 1 -k 5 -k 10 -k 50 -k 100
    """
    return samescore.curve(**options)
