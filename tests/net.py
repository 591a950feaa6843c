"""A net under a refactor: every command and every object of the Python API on the example, stored in a file, and compared with it.

python tests/net.py save before.json; python tests/net.py compare before.json

``compare`` exits with 1 where a value changed or is missing, and with 0 where only text or what is extra differs.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import json
import math
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pandas

import samescore
from samescore import Measure, Policy
from samescore.cli import COMMANDS, main

EXAMPLE = Path(__file__).resolve().parents[1] / "conformance" / "example"
WITHIN = 1e-12
"""How far two numbers may be apart, as a share where they are above 1."""
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?(nan|inf)")

ODD_QRELS = (
    "q1 0 a 1\nq1 0 b 2\nq1 0 b 2\nq1 0 c 0\nq1 0 d -1\nq2 0 a 1\nq2 0 A 3\nq3 0 z 0\nq4 0 e 1\nq4 0 e 2\nq04 0 e 1\nq5 0 q5 1\n"
)
ODD_RUN = (
    "q1 Q0 x 1 5.0 odd\nq1 Q0 b 2 4.0 odd\nq1 Q0 c 3 4.0 odd\nq1 Q0 d 4 4.0 odd\nq1 Q0 b 5 3.0 odd\nq1 Q0 a 9 2.0 odd\n"
    "q2 Q0 A 1 0.30000000001 odd\nq2 Q0 a 2 0.3 odd\nq3 Q0 z 1 1.0 odd\nq4 Q0 e 1 1.0 odd\nq5 Q0 q5 1 2.0 odd\nq5 Q0 y 2 1.0 odd\n"
    "q9 Q0 a 1 1.0 odd\n"
)
SUBTOPICS = "q1 1 a 1\nq1 2 a 1\nq1 2 b 2\nq1 3 c 1\nq2 1 A 1\nq2 2 y 1\n"
REPORTED = "map\tall\t0.5534\nndcg_cut_10\tall\t0.6930\nrecip_rank\tall\t0.8333\nP_5\tall\t0.4000\n"
OWN = "def hits_at_once(ranking):\n    return float(any(grade > 0 for rank, grade in ranking.retrieved(1)))\n"

MEASURES = [
    "R@5", "P@5", "F1@5", "R_cap@5", "RR@5", "AP", "AP@5", "AP(norm='min')@5", "Success@5", "Hits@5", "Rprec", "Bpref", "infAP",
    "IPrec@0.1", "11pt", "SetP", "SetP(relative=True)", "SetR", "SetF", "SetF(beta=2)", "SetAP", "Accuracy", "nDCG", "nDCG@5",
    "nDCG(dcg='log2')@5", "nDCG(gains={1:3,2:5,3:9})@5", "DCG@5", "RBP", "RBP(p=0.5)@5", "RBP(max_rel=4)", "RBP_residual",
    "ERR@5", "nERR@5", "Compat", "INSQ(max_rel=4)", "INST(max_rel=4)", "BPM(max_rel=4)@5", "SDCG(max_rel=4)@5",
    "NERR8(max_rel=4)@5", "NERR9(max_rel=4)@5", "NERR10(max_rel=4)", "NERR11(max_rel=4)", "Judged@5", "Unjudged@5", "NumQ",
    "NumRel", "NumRet", "NumRet(rel=1)", "P(judged_only=True)@5", "P(rel=2)@5", "netmeasure:hits_at_once",
]  # fmt: skip
"""Each measure once or more, in the ways that one may ask for it."""
NOVEL = [
    "alpha_nDCG@5", "alpha_DCG@5", "ERR_IA@5", "nERR_IA@5", "NRBP", "nNRBP", "AP_IA", "P_IA@5", "StRecall@5", "nDCG@5",
]  # fmt: skip
"""Those that read subtopics, and one that does not."""


def make_files() -> None:
    """The example and what is derived from it, in the working folder: other runs, slices, answers, chunks, ids, reports."""
    qrels = [line.split() for line in (EXAMPLE / "qrels.txt").read_text(encoding="utf-8").splitlines()]
    run = [line.split() for line in (EXAMPLE / "run.txt").read_text(encoding="utf-8").splitlines()]
    queries = list(dict.fromkeys(row[0] for row in run))

    def ranked(tag: str, order: Any, keep: Any = lambda query: True) -> str:
        lines = []
        for query in filter(keep, queries):
            docs = [row[2] for row in run if row[0] == query]
            docs = sorted(docs, key=lambda doc: (order(docs.index(doc)), docs.index(doc)))
            lines += [f"{query} Q0 {doc} {i} {100 - i / 2:.2f} {tag}\n" for i, doc in enumerate(docs, 1)]
        return "".join(lines)

    texts = {
        "qrels.txt": (EXAMPLE / "qrels.txt").read_text(encoding="utf-8"),
        "run.txt": (EXAMPLE / "run.txt").read_text(encoding="utf-8"),
        "second.txt": ranked("second", lambda i: i * 7 % 20),
        "third.txt": ranked("third", lambda i: i // 3 * 3 + (2 - i % 3), lambda query: query != "tulip-bulbs-depth"),
        "clean.txt": "".join(f"{' '.join(row)}\n" for row in {(row[0], row[2]): row for row in reversed(run)}.values()),
        "odd-qrels.txt": ODD_QRELS,
        "odd-run.txt": ODD_RUN,
        "plain-qrels.txt": ODD_QRELS.replace("q4 0 e 2\n", ""),
        "plain-run.txt": ODD_RUN.replace("q1 Q0 b 5 3.0 odd\n", "").replace("d 4 4.0", "d 4 3.5"),
        "subtopics.txt": SUBTOPICS,
        "chunks.txt": "".join(
            f"{q} Q0 {doc}#{i % 2} {i} {100 - i} chunks\n" for q, _, doc, i, *_ in ((*r[:3], int(r[3])) for r in run)
        ),
        "doc-of.tsv": "".join(f"{doc}#{i}\t{doc}\n" for doc in dict.fromkeys(row[2] for row in run[30:]) for i in (0, 1)),
        "slices.tsv": "".join(f"{query}\t{('short', 'long')[len(query) > 18]}\n" for query in queries[:-1]),
        "answers.tsv": "".join(f"{query}\t{('right', 'wrong')[i % 3 == 1]}\n" for i, query in enumerate(queries[:-2])),
        "ids.txt": "".join(f"{doc}\n" for doc in dict.fromkeys(row[2] for row in qrels[5:])) + "Roses-Planting\n",
        "netmeasure.py": OWN,
        "reported.txt": REPORTED,
        "ranx.json": '{"ndcg@10": 0.6237564648477733, "mrr": 0.61}\n',
        "run.csv": "Frage,Beleg,Wert\n" + "".join(f"{row[0]},{row[2]},{row[4]}\n" for row in run),
    }
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")


def commands() -> Iterator[list[str]]:
    """The words of every command line that is tried, in order: later ones may read what earlier ones wrote."""
    both, odd, three = (
        ["qrels.txt", "run.txt"],
        ["odd-qrels.txt", "odd-run.txt"],
        ["qrels.txt", "run.txt", "second.txt", "third.txt"],
    )
    plain = ["plain-qrels.txt", "plain-run.txt"]
    measures = ["-m", "nDCG@10", "-m", "R@10", "-m", "P(rel=2)@5", "-m", "ap", "-m", "RR"]
    forms = ["table", "tsv", "json", "markdown"]

    def every(*words: str, more: list[str] | None = None) -> Iterator[list[str]]:
        yield from ([*words, "--format", form] for form in [*forms, *(more or [])])

    yield ["--version"]
    yield ["--help"]
    yield from ([name, "--help"] for name in COMMANDS)

    yield from every("evaluate", *both)
    yield from every("evaluate", *both, *measures, "--per-query")
    yield from every("evaluate", *three, "-k", "3", "-k", "10", "--per-query")
    yield from every("evaluate", *three, "-m", "R@5", "-m", "P@5", "--average", "micro")
    yield from every("evaluate", "qrels.txt", "chunks.txt", "--doc-of", "doc-of.tsv", "--per-query")
    yield from every("evaluate", *odd, *measures, "--conflicts", "max", "--per-query")
    reference = ["--backend", "reference", "--format", "json", "--per-query"]
    yield from (["evaluate", "qrels.txt", "clean.txt", "-m", measure, *reference] for measure in MEASURES)
    yield from (["evaluate", "subtopics.txt", "plain-run.txt", "-m", measure, *reference] for measure in NOVEL)
    yield from (
        ["evaluate", *both, *measures[:8], "--backend", name, "--format", "json"] for name in ("ir_measures", "ranx", "reference")
    )
    for name, hint in get_type_hints(Policy).items():
        option = name.replace("_", "-")
        values = [f"--{option}={value}" for value in get_args(hint) if isinstance(value, str)]
        values = values or ([f"--{option}", f"--no-{option}"] if hint is bool else [f"--{option}=1", f"--{option}=2"])
        for value in values:
            more = [] if name == "conflicts" else ["--conflicts=last"]
            yield ["evaluate", *odd, *more, value, *measures[:8], "--backend", "reference", "--per-query", "--format", "json"]
            yield ["evaluate", *odd, *more, value, "-k", "2"]
    for preset in ("trec_eval", "ir_measures", "ranx", "beir", "msmarco"):
        yield ["evaluate", *plain, "--policy", preset, *measures[:6], "--format", "json"]
        yield ["evaluate", "qrels.txt", "clean.txt", "--policy", preset, "--missing", "zero", *measures[:6]]
        yield ["evaluate", *both, "--policy", preset, *measures[:6]]
    yield ["evaluate", *both, "--policy", "ties:input | dup:first", "--format", "json"]
    csv = ["--run-format", "csv", "--run-columns", "query_id=Frage,doc_id=Beleg,score=Wert"]
    yield ["evaluate", "qrels.txt", "run.csv", *csv, "--format", "json"]
    # what is refused
    yield ["evaluate", *odd]
    yield ["evaluate", *odd, "--conflicts", "max", "--ties", "error"]
    yield ["evaluate", *both, "-m", "nDGC@10"]
    yield ["evaluate", *both, "-m", "ERR@10", "--backend", "ranx"]
    yield ["evaluate", *both, "--policy", "treceval"]
    yield ["evaluate", *both, "--average", "micro", "-m", "nDCG@10"]
    yield ["evaluate", "qrels.txt", "nowhere.txt"]
    yield ["evaluate", "run.txt", "qrels.txt"]
    yield ["evaluate", "qrels.txt", "subtopics.txt"]
    yield ["evaluate", "qrels.txt"]
    yield ["evaluat", *both]

    yield from every("compare", *three, "-m", "nDCG@10", "-m", "RR", more=["latex"])
    for test in ("permutation", "wilcoxon", "bootstrap"):
        yield ["compare", *three, "--test", test, "--correction", "bh", "--seed", "3", "--format", "json"]
        yield ["compare", *three, "--test", test, "--correction", "bonferroni", "--alpha", "0.2", "--resamples", "999"]
    yield from every("compare", *three, "--slices", "slices.tsv", "--correction", "none", more=["latex"])
    yield from every("compare", *three, "-m", "R@5", "--average", "micro", "--baseline", "second")
    yield from every("compare", *three, "-k", "5", "--biggest", "2", more=["latex"])
    yield ["compare", *both]
    yield ["compare", *three, "--baseline", "first"]

    yield from every("curve", *three)
    yield from every("curve", *both, "-m", "nDCG", "-k", "1", "-k", "3", "-k", "9", "--keep", "0.8", "--flat", "0.2")
    yield ["curve", *both, "-m", "R", "--average", "micro", "--format", "json"]
    yield ["curve", *both, "-m", "RR@10"]

    yield ["gate", *both, "--baseline", "baseline.json", "-m", "R@10", "-m", "nDCG@10", "--write-baseline"]
    yield ["gate", *both, "--baseline", "again.json", "--write-baseline", "--format", "markdown"]
    yield from every("gate", *both, "--baseline", "baseline.json")
    yield from every("gate", "qrels.txt", "second.txt", "--baseline", "baseline.json")
    yield from every(
        "gate", "qrels.txt", "second.txt", "--baseline", "baseline.json", "-m", "R@10", "--significant", "--alpha", "0.3"
    )
    yield ["gate", "qrels.txt", "second.txt", "--baseline", "baseline.json", "--max-drop", "0.9", "--test", "permutation"]
    yield ["gate", *both, "--baseline", "baseline.json", "--ties", "input"]
    yield ["gate", *plain, "--baseline", "baseline.json"]
    yield ["gate", *both, "--baseline", "baseline.json", "-m", "AP"]

    yield from every("diagnose", "qrels.txt", "run.txt", "second.txt", "-k", "3", "--candidate-k", "10")
    yield from every("diagnose", "qrels.txt", "run.txt", "third.txt", "--answers", "answers.tsv")
    yield [
        "diagnose",
        "qrels.txt",
        "chunks.txt",
        "chunks.txt",
        "--doc-of",
        "doc-of.tsv",
        "--relevance-level",
        "2",
        "--format",
        "json",
    ]

    yield from every("misses", *both)
    yield from every("misses", "qrels.txt", "chunks.txt", "-k", "3", "--doc-of", "doc-of.tsv", "--relevance-level", "2")
    yield from every("unjudged", *three)
    yield from every("unjudged", *three, "-k", "3", "--judged-queries")
    yield ["unjudged", *three, "-k", "3", "-o", "pool.csv"]
    yield ["unjudged", *three, "-k", "3", "-o", "pool.tsv"]
    yield from every("check", "qrels.txt")
    yield from every("check", "odd-qrels.txt")
    yield from every("check", "qrels.txt", "--corpus", "ids.txt", "--relevance-level", "2")
    yield from (["convert", "run", "odd-run.txt", f"converted.{form}"] for form in ("trec", "json", "jsonl", "csv", "tsv"))
    yield ["convert", "qrels", "odd-qrels.txt", "converted-qrels.json"]
    yield from every("split", "qrels.txt")
    yield from every("split", "qrels.txt", "--held-out", "0.3", "--seed", "7")
    yield from every("split", "odd-qrels.txt", "-o", "golden")

    for kind in ("curve", "precision-recall", "box"):
        yield ["plot", kind, *three, "-o", f"{kind}.svg"]
    yield ["plot", "deltas", *three[:3], "-o", "deltas.png"]
    yield ["plot", "slices", *three, "--slices", "slices.tsv", "-m", "RR", "-o", "slices.svg"]
    yield ["plot", "deltas", *three, "-o", "deltas.svg"]
    yield ["plot", "slices", *three, "-o", "slices.svg"]

    clean = ["qrels.txt", "clean.txt"]
    for options in ([], ["-q"], ["-c", "-q", "-m", "all_trec"], ["-m", "set"], ["-q", "-n", "-m", "ndcg_cut.5,10", "-l", "2"],
                    ["-c", "-M", "5", "-J", "-m", "P", "-m", "recall"], ["-N", "1000", "-m", "utility"]):  # fmt: skip
        yield ["trec_eval", *options, *clean]
    yield ["trec_eval", *both]
    yield ["trec_eval", "-q", "-m", "all_trec", *plain]
    yield ["trec_eval", "-q", *odd]
    yield ["trec_eval", "-D", *both]
    yield ["trec_eval", "-m", "nonsense", *both]

    yield from every("backends")
    few = ["--backend", "ir_measures", "--backend", "ranx", "--backend", "ir_measures/msmarco"]
    yield from every("crosscheck", *both, "-m", "nDCG@10", "-m", "AP", "-m", "ERR@5", "-m", "Bpref", *few)
    yield [
        "crosscheck",
        *both,
        "-k",
        "5",
        "--backend",
        "ir_measures",
        "--backend",
        "reference",
        "--ties",
        "input",
        "--format",
        "json",
    ]
    yield ["crosscheck", *plain, "-k", "2", "--format", "json"]

    yield from every("validate", *clean, "reported.txt")
    yield from every("validate", *clean, "ranx.json", "--tool", "ranx", "--no-explanation", "--missing", "zero")
    yield ["validate", *both, "again.json", "--format", "json"]
    yield ["validate", *both, "reported.txt"]
    yield ["validate", *clean, "reported.txt", "--policy", "trec_eval", "--unjudged", "drop", "--format", "json"]
    yield ["validate", *both, "slices.tsv"]

    yield from every("explain", *both, "-m", "nDCG@10")
    yield from every(
        "explain", *both, "-m", "AP", "--unjudged", "drop", "--ties", "input", "--to", "ranx", "--backend", "reference"
    )
    yield from every("explain", *both, "-r", "nDCG@10=0.6238", "-r", "AP=0.4980")
    yield from every("explain", *both, "-r", "recip_rank=0.7500", "--tool", "trec_eval")
    yield ["explain", *both, "-r", "reported.txt", "--format", "json"]
    yield ["explain", *both, "-r", "nDCG@10=46.75"]
    yield ["explain", *plain, "-m", "nDCG@2", "--to", "trec_eval", "--format", "json"]

    yield from every("export", *both, "out", "-m", "nDCG@10", "-m", "R@100", "-m", "RR", "-m", "P(rel=2)@5")
    yield ["export", *plain, "out-plain", "--policy", "trec_eval", "--format", "json"]
    yield ["export", *both, "out-not", "-m", "ERR@10"]

    yield from every("ties", *both, "-m", "nDCG@10", "-m", "RR", "-m", "AP")
    yield ["ties", *plain, "-m", "nDCG@2", "-m", "P@1", "--per-query"]
    yield ["ties", *plain, "-m", "Bpref"]


def told(words: list[str], folder: str) -> dict[str, Any]:
    """What a command line does: its exit code, what it prints, and the files that it writes."""
    before = _contents()
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code: Any = main(words)
        except Exception as error:  # a crash is an answer too, which may differ
            code = f"{type(error).__name__}: {error}"
    written = {name: content for name, content in _contents().items() if before.get(name) != content}
    found = {"exit": code, "stdout": out.getvalue(), "stderr": err.getvalue(), "files": written}
    return json.loads(json.dumps(found).replace(json.dumps(folder)[1:-1], "FOLDER"))


def _contents() -> dict[str, str]:
    """The files below the working folder; of a picture only that it is there."""
    return {
        path.as_posix(): path.read_text(encoding="utf-8") if path.suffix not in (".svg", ".png") else _drawn(path)
        for path in sorted(Path().rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def _drawn(path: Path) -> str:
    """Whether a picture holds anything."""
    return "drawn" if path.stat().st_size else "empty"


SHOWN: Mapping[str, str] = {
    "Result": "average averaged backend fingerprint labels means notes per_query policy resolved signature slices unlabelled",
    "Report": "tie_changes",
    "Comparison": "deltas measures per_query table rows notes",
    "Curve": "enough flattens notes table",
    "Verdict": "headline notes passed changes",
    "Diagnosis": "answers ceiling counts queries reachable recall sentence shares stage cases lacking",
    "QrelsReport": "empty",
    "TieBounds": "per_query table",
    "Agreement": "compared disagreements gaps max_difference ok table",
    "Validation": "differences ok table",
    "Explanation": "end moves table",
    "Search": "sentences table",
    "Export": "table",
}
"""Class -> what is read off it besides what it says of itself as a dictionary and as text."""


def objects() -> Iterator[tuple[str, Callable[[], Any]]]:
    """How every object of the Python API is made of the files, by name, in order."""
    s, both, odd, plain = (
        samescore,
        ("run.txt", "qrels.txt"),
        ("odd-run.txt", "odd-qrels.txt"),
        ("plain-run.txt", "plain-qrels.txt"),
    )
    runs = {"bm25": "run.txt", "second": "second.txt", "third": "third.txt"}
    slices, parts, words = (dict(map(str.split, _lines(name))) for name in ("slices.tsv", "doc-of.tsv", "answers.tsv"))
    answers = {query: word == "right" for query, word in words.items()}
    measures = ["nDCG@10", "R@10", "RR", "AP", "P(rel=2)@5"]
    loose = Policy(conflicts="max")
    some = ["tulip-bulbs-depth", "blue-hydrangeas"]
    ranking, grades = ["a", "b", "c", "d"], {"b": 2, "d": 1, "e": 3}

    sliced = cache(lambda: s.evaluate(*both, measures=measures, slices=slices))
    micro = cache(lambda: s.evaluate(*both, measures=["R@10", "P@5"], average="micro"))
    yield "evaluate, slices", sliced
    yield "report", lambda: sliced().report
    yield "evaluate, micro", micro
    yield "weights", lambda: micro().weights_of("R@10")
    yield "values", lambda: sliced().values_of("nDCG@10")
    yield "evaluate, doc_of", lambda: s.evaluate("chunks.txt", "qrels.txt", doc_of=parts)
    yield "evaluate, odd", lambda: s.evaluate(*odd, policy=loose)
    yield "report, odd", lambda: s.evaluate(*odd, policy=loose).report
    yield "evaluate, queries", lambda: s.evaluate(*both, queries=some)
    yield "evaluate, unknown query", lambda: s.evaluate(*both, queries=[*some, "nowhere"])
    yield "result, read back", lambda: s.Result.from_dict(sliced().to_dict())
    yield "evaluate, own measure", lambda: s.evaluate(*both, measures=s.define("first", _first))
    yield "read_run", lambda: list(s.read_run("run.txt").queries)
    yield "read_qrels", lambda: dict(s.read_qrels("qrels.txt").grades)

    yield "compare", lambda: s.compare(runs, "qrels.txt", measures=measures)
    yield "compare, slices", lambda: s.compare(runs, "qrels.txt", slices=slices, test="permutation", correction="bh")
    yield "compare, micro", lambda: s.compare(runs, "qrels.txt", measures="R@5", average="micro", test="bootstrap")
    others = cache(lambda: s.evaluate("second.txt", "qrels.txt", measures=measures).per_query)
    yield "compare, brought", lambda: s.compare({"a": sliced(), "b": others()})
    yield "compare, biggest", lambda: s.compare(runs, "qrels.txt", measures="RR").biggest(3)
    yield "curve", lambda: s.curve(runs, "qrels.txt", "R", k=[1, 3, 10, 20])
    yield "interval, BCa", lambda: s.interval(sliced(), "nDCG@10")
    yield "interval, percentile", lambda: s.interval(sliced(), "nDCG@10", method="percentile", level=0.9, seed=1)
    yield "interval, basic", lambda: s.interval(sliced(), "RR", method="basic", resamples=99)
    yield "write_baseline", lambda: s.write_baseline("api.json", *both, measures=measures)
    yield "gate", lambda: s.gate("second.txt", "qrels.txt", "api.json")
    yield "gate, significant", lambda: s.gate("second.txt", "qrels.txt", "api.json", "R@10", significant=True, max_drop=0.2)
    yield "gate, another policy", lambda: s.gate("second.txt", "qrels.txt", "api.json", policy=Policy(gain="linear"))
    yield "diagnose", lambda: s.diagnose("run.txt", "second.txt", "qrels.txt", 3, 10, answers)
    yield "diagnose, doc_of", lambda: s.diagnose("chunks.txt", "chunks.txt", "qrels.txt", doc_of=parts)
    yield "misses", lambda: s.misses(*both, 3)
    yield "unjudged", lambda: s.unjudged(runs, "qrels.txt", 3)
    yield "label_bounds", lambda: s.label_bounds(*both, ["P@5", "RR", "nDCG@10", "AP"], grade=2)
    yield "label_bounds, per query", lambda: s.label_bounds(*both, ["P@5", "RR"], grade=1, per_query=True)
    yield "check", lambda: s.check("odd-qrels.txt", ["a", "B", "z"])
    yield "split", lambda: [side.queries for side in s.split("qrels.txt", 0.3, seed=5)]
    yield "fingerprint", lambda: [s.fingerprint(name) for name in ("qrels.txt", "odd-qrels.txt", "subtopics.txt")]
    yield "crosscheck", lambda: s.crosscheck(*both, measures=["nDCG@10", "AP", "ERR@5"], backends=["ir_measures", "ranx"])
    yield "validate", lambda: s.validate(*both, {"nDCG@10": "0.6238", "AP": "0.5534", "Nonsense": 1})
    yield "validate, file", lambda: s.validate("clean.txt", "qrels.txt", "reported.txt")
    yield "explain, walk", lambda: s.explain(*both, "nDCG@10")
    yield "explain, walk, odd", lambda: s.explain(*plain, "nDCG@2", Policy(), Policy.ranx())
    yield "explain, search", lambda: s.explain(*both, reported={"nDCG@10": "0.6238", "AP": "0.4980"})
    yield "tie_bounds", lambda: s.tie_bounds(*both, ["nDCG@10", "RR", "AP", "P@5"])
    yield "tie_bounds, odd", lambda: s.tie_bounds(*plain, ["nDCG@2", "RBP"])
    yield "export", lambda: s.export(*both, "api-out", measures=["nDCG@10", "RR"])

    yield "recall_at_k", lambda: s.recall_at_k(ranking, grades, 3)
    yield "precision_at_k", lambda: s.precision_at_k(ranking, grades, 3)
    yield "ndcg_at_k", lambda: s.ndcg_at_k(ranking, grades, 3)
    yield "average_precision", lambda: s.average_precision(ranking, grades, 3)
    yield "dcg", lambda: s.dcg([2, 0, 1])
    yield "mrr", lambda: s.mrr(ranking, grades)
    yield "reciprocal_rank", lambda: s.reciprocal_rank(ranking, grades)
    yield "parse", lambda: [repr(s.parse(text)) for text in ("ndcg_cut_10", "map", "P(rel=2)@5", "recall_5", "ERR@3")]
    presets = (Policy(), Policy.trec_eval(), Policy.ir_measures(), Policy.ranx(), Policy.beir(), Policy.msmarco(), loose)
    yield "signatures", lambda: [policy.signature for policy in presets]


def _lines(name: str) -> list[str]:
    """The lines of a file."""
    return Path(name).read_text(encoding="utf-8").splitlines()


def _first(ranking: Any) -> float:
    """A user-defined measure."""
    return float(any(grade > 0 for _, grade in ranking.retrieved(1)))


def _made(make: Callable[[], Any]) -> Any:
    """What an object shows, or the error in its place."""
    try:
        return shown(make())
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def shown(found: Any) -> Any:
    """An object as plain values: what it says as a dictionary and as text, and what can be read off it."""
    asked = SHOWN.get(type(found).__name__, "").split()
    if not asked:
        return {"value": plain(found), **({"text": str(found)} if is_dataclass(found) else {})}
    told = {name: plain(getattr(found, name)) for name in asked if hasattr(found, name)}
    told["text"] = str(found)
    for name in ("to_dict", "to_markdown", "to_latex"):
        if hasattr(found, name):
            told[name] = plain(getattr(found, name)())
    return told


def plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, pandas.DataFrame):
        flat = value.reset_index() if any(value.index.names) else value
        return [dict(zip(map(str, flat.columns), map(plain, row), strict=True)) for row in flat.itertuples(index=False)]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(plain, value))
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if is_dataclass(value) and not isinstance(value, (Measure, Policy)):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return str(value)


def everything() -> dict[str, Any]:
    """All command lines and all objects, in a folder of their own."""
    here = os.getcwd()
    os.environ.update(COLUMNS="132", MPLBACKEND="agg")  # how wide help is, and that nothing is shown on a screen
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = os.path.realpath(name)
        os.chdir(folder)
        try:
            make_files()
            said = {" ".join(words): told(words, folder) for words in commands()}
            made = {name: json.loads(json.dumps(_made(make)).replace(folder, "FOLDER")) for name, make in objects()}
        finally:
            os.chdir(here)
    return {"commands": said, "objects": made}


class Differences:
    """What differs, by kind."""

    def __init__(self) -> None:
        self.found: dict[str, list[str]] = {"values changed": [], "missing": [], "extra": [], "text": []}

    def commands(self, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        """Compare what command lines did."""
        for name in before.keys() | now.keys():
            where = f"samescore {name}"
            if not self._in_both(before, now, name, where):
                continue
            was, is_ = before[name], now[name]
            self.values(was["exit"], is_["exit"], f"{where}: exit")
            self.printed(was["stdout"], is_["stdout"], _form(name), f"{where}: stdout")
            self.printed(was["stderr"], is_["stderr"], "text", f"{where}: stderr")
            for file in was["files"].keys() | is_["files"].keys():
                if self._in_both(was["files"], is_["files"], file, f"{where}: {file}"):
                    form = {".json": "json", ".tsv": "tsv", ".txt": "exact"}.get(Path(file).suffix, "text")
                    self.printed(was["files"][file], is_["files"][file], form, f"{where}: {file}")

    def printed(self, was: str, now: str, form: str, where: str) -> None:
        """Compare what was written in a form; in TSV each cell, and in JSON each value."""
        if was == now:
            return
        read = {"json": json.loads, "tsv": _cells, "exact": str.splitlines}.get(form)
        try:
            read_before, read_now = (read(was), read(now)) if read else (None, None)
        except ValueError:
            self.found["missing"].append(f"{where}: is no {form} any more")
            return
        if read is None:
            self.text(was, now, where)
        elif isinstance(read_before, list) and isinstance(read_now, dict):
            self.found["values changed"].append(f"{where}: another shape")
        else:
            self.values(read_before, read_now, where)

    def text(self, was: str, now: str, where: str) -> None:
        """Compare text by lines."""
        if was != now:
            lines = list(difflib.unified_diff(was.splitlines(), now.splitlines(), lineterm="", n=0))[2:]
            self.found["text"].append("\n".join([where, *(f"    {line}" for line in lines if not line.startswith("@@"))]))

    def objects(self, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        """Compare what objects hold."""
        for name in before.keys() | now.keys():
            if self._in_both(before, now, name, name):
                for part in before[name].keys() | now[name].keys():
                    where = f"{name}.{part}"
                    if self._in_both(before[name], now[name], part, where):
                        compared = (
                            self.text
                            if part in ("text", "to_markdown", "to_latex", "error")
                            and "error" not in now[name].keys() ^ before[name].keys()
                            else self.values
                        )
                        compared(before[name][part], now[name][part], where)

    def values(self, was: Any, now: Any, where: str) -> None:
        """Compare plain values, with the path of each difference."""
        if isinstance(was, dict) and isinstance(now, dict):
            for key in [*was, *(key for key in now if key not in was)]:
                if self._in_both(was, now, key, f"{where}/{key}"):
                    self.values(was[key], now[key], f"{where}/{key}")
        elif isinstance(was, list) and isinstance(now, list):
            self._lists(was, now, where)
        elif not _same(was, now):
            self.found["values changed"].append(f"{where}: {was!r} -> {now!r}")

    def _lists(self, was: list[Any], now: list[Any], where: str) -> None:
        """Compare lists: items one by one where there are as many, else by what came and went."""
        if len(was) == len(now):
            for i, (a, b) in enumerate(zip(was, now, strict=True)):
                self.values(a, b, f"{where}[{i}]")
            return
        a, b = ([json.dumps(_rounded(item), sort_keys=True) for item in items] for items in (was, now))
        for kind, start, stop, first, last in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
            if kind == "replace" and stop - start == last - first:
                for i, j in zip(range(start, stop), range(first, last), strict=True):
                    self.values(was[i], now[j], f"{where}[{i}]")
            elif kind != "equal":
                self.found["missing"] += [f"{where}[{i}]: {was[i]!r}" for i in range(start, stop)]
                self.found["extra"] += [f"{where}[{j}]: {now[j]!r}" for j in range(first, last)]

    def _in_both(self, was: Mapping[str, Any], now: Mapping[str, Any], key: str, where: str) -> bool:
        """Whether a key is on both sides; noted where it is not."""
        if key in was and key in now:
            return True
        found = was if key in was else now
        self.found["missing" if key in was else "extra"].append(f"{where}: {_short(found[key])}")
        return False


def _form(name: str) -> str:
    """In what form a command line prints."""
    if name.startswith("trec_eval"):
        return "exact" if "--help" not in name else "text"
    form = name.partition("--format ")[2].split(" ")[0]
    by_query = "--per-query" in name and name.startswith("ties")
    return form if form in ("json", "tsv") else "tsv" if by_query and not form else "text"


def _cells(text: str) -> list[Any]:
    """The rows of TSV: by the names of the columns where there is a head, else lists; numbers as numbers."""
    rows = [line.split("\t") for line in text.splitlines()]
    head = rows[0] if rows else []
    if len(rows) > 1 and len(set(head)) == len(head) and not any(map(NUMBER.fullmatch, head)):
        return [head, *(dict(zip(head, map(_cell, row), strict=False)) for row in rows[1:])]
    return [list(map(_cell, row)) for row in rows]


def _cell(text: str) -> Any:
    """A number, or text."""
    return float(text) if NUMBER.fullmatch(text) else text


def _same(was: Any, now: Any) -> bool:
    """Whether two plain values are the same; numbers may differ by rounding."""
    if isinstance(was, (int, float)) and isinstance(now, (int, float)) and not isinstance(was, bool) and not isinstance(now, bool):
        return was == now or abs(was - now) <= WITHIN * max(1.0, abs(was))
    return type(was) is type(now) and was == now


def _rounded(value: Any) -> Any:
    """A value whose numbers are alike where they differ by rounding alone."""
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return round(value, 11) if isinstance(value, float) else value


def _short(value: Any) -> str:
    """A value on one line."""
    text = json.dumps(value)
    return text if len(text) < 300 else f"{text[:300]}..."


def run(argv: list[str] | None = None) -> int:
    """Save or compare; 1 where values changed or are missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("save", "compare"), help="store what there is now, or compare it with what was stored")
    parser.add_argument("file", metavar="FILE", type=Path)
    args = parser.parse_args(argv)
    before = json.loads(args.file.read_text(encoding="utf-8")) if args.what == "compare" else None
    now = everything()
    counts = f"{len(now['commands'])} command lines and {len(now['objects'])} objects of {Path(samescore.__file__).parent}"
    if before is None:
        args.file.write_text(json.dumps(now, indent=1), encoding="utf-8")
        print(f"{counts}, stored in {args.file}")
        return 0
    differences = Differences()
    differences.commands(before["commands"], now["commands"])
    differences.objects(before["objects"], now["objects"])
    for kind, found in differences.found.items():
        if found:
            print(f"{kind} ({len(found)})\n", *(f"  {line}" for line in sorted(found)), "", sep="\n")
    print(f"{counts}: " + (", ".join(f"{len(found)} {kind}" for kind, found in differences.found.items())))
    return int(bool(differences.found["values changed"] or differences.found["missing"]))


if __name__ == "__main__":
    sys.exit(run())
