"""One piece of work in a process of its own: prints its seconds, those of the processor and the peak memory as JSON.

    python work.py WORK SIDE FOLDER NAME

The libraries are imported, and their kernels compiled, before the clock starts; input in memory is made before too.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

MEASURES = ["nDCG@10", "R@100", "RR", "AP@1000"]
RANX = ["ndcg@10", "recall@100", "mrr", "map@1000"]

Work = Callable[[], Any]


def dictionaries(folder: Path, name: str) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """The run and the qrels as dictionaries."""
    run: dict[str, dict[str, float]] = {}
    for line in (folder / f"{name}.0.run").open():
        query, _, doc, _, score, _ = line.split()
        run.setdefault(query, {})[doc] = float(score)
    qrels: dict[str, dict[str, int]] = {}
    for line in (folder / f"{name}.qrels").open():
        query, _, doc, grade = line.split()
        qrels.setdefault(query, {})[doc] = int(grade)
    return run, qrels


def samescore(backend: str) -> Callable[[Any, Any], Any]:
    """samescore.evaluate with a backend, warm."""
    import polars  # noqa: F401  # what a big input loads

    from samescore import Policy, evaluate

    policy = Policy(gain="linear")  # as the libraries' own nDCG
    evaluate({"q": {"d": 1.0}}, {"q": {"d": 1}}, measures=MEASURES, backend=backend, policy=policy)
    return lambda run, qrels: evaluate(run, qrels, measures=MEASURES, backend=backend, policy=policy)


def ir_measures_files(folder: Path, name: str) -> Work:
    """ir_measures from its own readers."""
    import ir_measures as im

    measures = [im.parse_measure(measure) for measure in MEASURES]
    files = str(folder / f"{name}.qrels"), str(folder / f"{name}.0.run")
    return lambda: im.calc_aggregate(measures, im.read_trec_qrels(files[0]), im.read_trec_run(files[1]))


def ir_measures_objects(qrels: Any, run: Any) -> Work:
    """ir_measures from dictionaries or frames."""
    import ir_measures as im

    measures = [im.parse_measure(measure) for measure in MEASURES]
    return lambda: im.calc_aggregate(measures, qrels, run() if callable(run) else run)


def ranx_direct(make: Callable[[Any], tuple[Any, Any]]) -> Work:
    """ranx's Qrels, Run and evaluate, warm."""
    import ranx

    ranx.evaluate(ranx.Qrels({"q": {"d": 1}}), ranx.Run({"q": {"d": 1.0}}), RANX)
    return lambda: ranx.evaluate(*make(ranx), RANX, make_comparable=True)


def lists(folder: Path, name: str) -> tuple[dict[str, list[str]], dict[str, dict[str, int]]]:
    """Ranking lists and the qrels."""
    run, qrels = dictionaries(folder, name)
    return {query: list(docs) for query, docs in run.items()}, qrels


def frames(folder: Path, name: str) -> tuple[Any, Any]:
    """The run and the qrels as pandas frames."""
    import pandas as pd

    run, qrels = dictionaries(folder, name)
    rows = [(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
    judged = [(query, doc, grade) for query, docs in qrels.items() for doc, grade in docs.items()]
    return (
        pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]),
        pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance"]),
    )


def scored(run: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    """Scores for ranking lists, as their users make them."""
    return {query: {doc: float(len(docs) - i) for i, doc in enumerate(docs)} for query, docs in run.items()}


def twenty(side: str, folder: Path, name: str) -> Work:
    """A comparison of twenty runs from their files, or these evaluated one by one against qrels that are read once."""
    import polars  # noqa: F401  # what a big input loads
    import scipy.stats  # noqa: F401  # what a comparison loads

    from samescore import compare, evaluate, read_qrels

    evaluate({"q": {"d": 1.0}}, {"q": {"d": 1}}, measures=MEASURES)
    runs, qrels = {f"run {i}": folder / f"{name}.{i}.run" for i in range(20)}, read_qrels(folder / f"{name}.qrels")
    if side == "samescore":
        return lambda: compare(runs, qrels, measures=MEASURES)
    return lambda: [evaluate(run, qrels, measures=MEASURES) for run in runs.values()]


def checked(kind: str, side: str, folder: Path, name: str) -> Work:
    """A cross-check of a run by all backends, or a diagnosis of two, from files, or one evaluation."""
    from samescore import crosscheck, diagnose

    evaluate = samescore("ir_measures")
    files = folder / f"{name}.0.run", folder / f"{name}.qrels"
    if side == "direct":
        return lambda: evaluate(*files)
    if kind == "diagnose":
        return lambda: diagnose(files[0], folder / f"{name}.1.run", files[1])
    crosscheck({"q": {"d": 1.0}}, {"q": {"d": 1}}, measures=MEASURES)
    return lambda: crosscheck(*files, measures=MEASURES)


def prepared(work: str, side: str, folder: Path, name: str) -> Work:
    """The work of one side, with all made ready."""
    kind, _, backend = work.partition(", ")
    if kind == "compare":
        return twenty(side, folder, name)
    if kind in ("crosscheck", "diagnose"):
        return checked(kind, side, folder, name)
    files = folder / f"{name}.0.run", folder / f"{name}.qrels"
    if kind == "files":
        if side == "samescore":
            evaluate = samescore(backend)
            return lambda: evaluate(*files)
        if backend == "ir_measures":
            return ir_measures_files(folder, name)
        paths = str(files[1]), str(files[0])
        return ranx_direct(lambda ranx: (ranx.Qrels.from_file(paths[0], kind="trec"), ranx.Run.from_file(paths[1], kind="trec")))
    run, qrels = {"frame": frames, "lists": lists}.get(kind, dictionaries)(folder, name)
    if side == "samescore":
        evaluate = samescore(backend)
        return lambda: evaluate(run, qrels)
    if backend == "ranx":
        return ranx_direct(lambda ranx: (ranx.Qrels(qrels), ranx.Run(run)))
    return ir_measures_objects(qrels, (lambda: scored(run)) if kind == "lists" else run)


def main() -> None:
    """Do the work and print what it took."""
    work, side, folder, name = sys.argv[1:]
    do = prepared(work, side, Path(folder), name)
    times, spent = [], []
    for _ in range({"small": 200, "one": 1000}.get(work.split()[0], 1)):
        begin, used = time.perf_counter(), time.process_time()
        do()
        times.append(time.perf_counter() - begin)
        spent.append(time.process_time() - used)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = peak / (1e6 if sys.platform == "darwin" else 1e3)
    print(json.dumps({"seconds": statistics.median(times), "processor": statistics.median(spent), "megabytes": megabytes}))


if __name__ == "__main__":
    main()
