"""samescore beside the libraries called directly: medians, ratios and peak memory, each measurement in a process of its own.

    python tests/benchmarks/run.py [--small] [--large] [--repeat N] [--judged N] [--only TEXT] [--trec-eval PATH]
        [--folder FOLDER]

The two sides of a row alternate. Data are made from a seed; ``--small`` shows only that all of it works, ``--large`` adds ten
times the rows. Times are without imports, but for whole commands. The ratio of processor time, of all cores together, is
the steadier one on a machine that others use too. With ``--judged 8`` most of the time goes to the libraries' own kernels, as a
ranking is sent down to its last judged document.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from data import write

WORK = Path(__file__).with_name("work.py")
MEASURES = ["nDCG@10", "R@100", "RR", "AP@1000"]


class Row(NamedTuple):
    """What is compared, and the ratios of time and memory that it should stay below."""

    work: str
    against: str
    target: float
    memory: float | None = None


ROWS = [
    Row("files, ir_measures", "ir_measures from files", 0.18, 0.35),
    Row("files, ranx", "ranx from files", 0.18),
    Row("files, ir_measures", "trec_eval in C", 0.30),
    Row("dict, ir_measures", "ir_measures.calc_aggregate", 0.50),
    Row("dict, ranx", "Qrels, Run and ranx.evaluate", 0.20),
    Row("frame, ir_measures", "ir_measures.calc_aggregate", 0.20),
    Row("lists, ir_measures", "building scores and calling ir_measures", 0.45),
    Row("small dict, ir_measures", "ir_measures.calc_aggregate", 1.4),
    Row("one query, ir_measures", "ir_measures.calc_aggregate", 2.0),
    Row("crosscheck", "one evaluate call", 4.0),
    Row("diagnose", "one evaluate call", 4.0),
    Row("command", "ir_measures command", 2.0),
    Row("command, ten runs", "ten ir_measures commands", 0.5),
    Row("compare, twenty runs", "twenty evaluate calls", 5.0),
    Row("files, ir_measures, ten times the rows", "samescore on the rows once", 11.0),
]


HEAD = ["work", "against", "samescore", "other", "ratio of time (least to most)", "at most", "of processor time"]
HEAD += ["memory", "other", "ratio"]


class Taken(NamedTuple):
    """What one measurement took."""

    seconds: float
    processor: float
    megabytes: float | None


def worked(work: str, side: str, folder: Path, name: str) -> Taken:
    """One piece of work in its process."""
    command = [sys.executable, str(WORK), work, side, str(folder), name]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    return Taken(said["seconds"], said["processor"], said["megabytes"])


def commanded(commands: Sequence[Sequence[str]]) -> Taken:
    """Whole commands, one after the other."""
    begin, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    for command in commands:
        subprocess.run(command, check=True, capture_output=True)
    seconds, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Taken(seconds, after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime, None)


def beside(program: str) -> str:
    """A program that is installed with this Python."""
    return str(Path(sys.executable).with_name(program))


def measured(row: Row, folder: Path, trec_eval: str | None) -> tuple[Taken, Taken]:
    """One measurement of each side."""
    if row.work.startswith("command"):
        runs = [str(folder / f"small.{i}.run") for i in range(10 if "ten" in row.work else 1)]
        qrels = str(folder / "small.qrels")
        asked = [word for measure in MEASURES for word in ("-m", measure)]
        ours = [[sys.executable, "-m", "samescore", "evaluate", qrels, *runs, *asked]]
        return commanded(ours), commanded([[beside("ir_measures"), qrels, run, *MEASURES] for run in runs])
    if "ten times" in row.work:
        return worked("files, ir_measures", "samescore", folder, "large"), worked("files, ir_measures", "samescore", folder, "full")
    name = {"small": "small", "one": "one", "compare": "many"}.get(re.split("[ ,]", row.work)[0], "full")
    ours = worked(row.work, "samescore", folder, name)
    if row.against.startswith("trec_eval"):
        named = [word for m in ("ndcg_cut.10", "recall.100", "recip_rank", "map_cut.1000") for word in ("-m", m)]
        return ours, commanded([[str(trec_eval), "-c", *named, str(folder / "full.qrels"), str(folder / "full.0.run")]])
    return ours, worked(row.work, "direct", folder, name)


def line(row: Row, pairs: Sequence[tuple[Taken, Taken]]) -> str:
    """A row of the table."""
    ours, theirs = (statistics.median(pair[side].seconds for pair in pairs) for side in (0, 1))
    spread = sorted(a.seconds / b.seconds for a, b in pairs)
    ratio = statistics.median(spread)
    cells = [
        row.work,
        row.against,
        f"{ours:.4g} s",
        f"{theirs:.4g} s",
        f"{ratio:.2f} ({spread[0]:.2f} to {spread[-1]:.2f})",
        f"{row.target}",
    ]
    cells.append(f"{statistics.median(a.processor / b.processor for a, b in pairs):.2f}")
    peaks = [[pair[side].megabytes for pair in pairs] for side in (0, 1)]
    if any(peak is None for side in peaks for peak in side):
        return "| " + " | ".join([*cells, "", "", ""]) + " |"
    mine, other = (statistics.median(peak for peak in side if peak is not None) for side in peaks)
    return "| " + " | ".join([*cells, f"{mine:.0f} MB", f"{other:.0f} MB", f"{mine / other:.2f}"]) + " |"


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="tiny data, to see that it works")
    parser.add_argument("--large", action="store_true", help="ten times the rows too (2.5 GB)")
    parser.add_argument("--judged", type=int, default=1, help="judged documents a query (default: 1, as in MS MARCO)")
    parser.add_argument("--repeat", type=int, default=3, help="measurements of each side (default: 3)")
    parser.add_argument("--only", default="", help="rows that contain this text")
    parser.add_argument("--trec-eval", help="the C trec_eval, for its row")
    parser.add_argument("--folder", type=Path, help="where the data are, or are put; a temporary folder otherwise")
    args = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled, and so is a checkout after its first use
    skipped = [text for text, wanted in (("trec_eval", args.trec_eval), ("ten times", args.large)) if not wanted]
    rows = [row for row in ROWS if args.only in f"{row.work} {row.against}" and not any(text in str(row) for text in skipped)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        sizes = {"full": (60, 50) if args.small else (6980, 1000), "small": (50, 100), "one": (1, 10)}
        sizes |= {"many": (60 if args.small else 7000, 100)}
        sizes |= {"large": (600, 50) if args.small else (69_800, 1000)} if args.large else {}
        for name, (queries, depth) in sizes.items():
            if not (folder / f"{name}.qrels").exists():
                judged = {"small": 8, "one": 4}.get(name, args.judged)
                write(folder, name, queries, depth, judged=judged, runs={"small": 10, "many": 20, "full": 2}.get(name, 1))
        print("| " + " | ".join(HEAD) + " |")
        print("|" + "---|" * len(HEAD), flush=True)
        for row in rows:
            if "ranx" in row.work:
                measured(row, folder, None)  # which compiles ranx's kernels where they are not yet on disk
            print(line(row, [measured(row, folder, args.trec_eval) for _ in range(args.repeat)]), flush=True)


if __name__ == "__main__":
    main()
