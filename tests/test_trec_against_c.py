"""The same bytes as the C trec_eval 10, on random runs, where TREC_EVAL names its binary."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from samescore import Policy, read_qrels, read_run
from samescore.tools.trec_eval.program import columns_of, lines, score

BINARY = os.environ.get("TREC_EVAL")

MEASURES = [
    "official", "set", "all_trec", "map", "P.5,10", "ndcg_cut.10,100", "ndcg.1=3,2=9", "ndcg.0=-1,1=2", "success.1",
    "iprec_at_recall..10,.20", "relstring.3", "utility.2,-1,0.5,0.1", "set_F.2", "11pt_avg.0.2,0.5,0.8", "11pt_avg.0.5,0.2,0.7",
    "Rprec_mult.5,0.1,1.1", "recall.1,2", "unj.3,7", "yaap", "G.1=4,2=2", "ndcg_rel.0=1,1=3", "Rndcg.1=5,2=5,0=1", "Rndcg.7=3",
    "rbp_resid.p=0.8", "map_cut.3,1", "relative_P.2,3",
]  # fmt: skip


def write(folder: Path, dice: random.Random) -> None:
    """A random run and qrels: ties, unjudged documents, grades below 0, shuffled rows, and one query in the run alone."""
    docs = [f"d{i}" for i in range(dice.choice([6, 12, 80]))]
    grades = dice.choice([[0, 1], [0, 0, 0, 1], [0, 1, 2, 3], [-1, 0, 1, 2], [0, 1, 4, 12]])
    run, qrels = ["zz Q0 d1 1 1 other"], []
    for query in dice.sample(range(100), dice.choice([1, 3, 16])):
        judged = dice.sample(docs, dice.randint(1, len(docs)))
        # A query with negative grades alone makes trec_eval read memory that it did not write.
        qrels += [f"q{query} 0 {judged[0]} {max(grades[0], 0)}", *(f"q{query} 0 {doc} {dice.choice(grades)}" for doc in judged[1:])]
        retrieved = dice.sample([*docs, *(f"x{i}" for i in range(10))], dice.randint(1, len(docs)))
        run += [f"q{query} Q0 {doc} 1 {dice.choice([dice.randint(0, 3), round(dice.random(), 3)])} tag" for doc in retrieved]
    (folder / "run").write_text("".join(f"{line}\n" for line in dice.sample(run, len(run))))
    (folder / "qrels").write_text("".join(f"{line}\n" for line in dice.sample(qrels, len(qrels))))


@pytest.mark.skipif(BINARY is None, reason="TREC_EVAL names no trec_eval 10")
def test_the_output_is_that_of_trec_eval(tmp_path: Path) -> None:
    for seed in range(200):
        dice = random.Random(seed)
        write(tmp_path, dice)
        measures = dice.sample(MEASURES, dice.randint(1, 4))
        depth, level = dice.choice([None, None, 2, 5]), dice.choice([1, 1, 2])
        complete, drop = dice.random() < 0.3, dice.random() < 0.2
        options = ["-q", *(f"-m{m}" for m in measures), f"-l{level}", *([f"-M{depth}"] if depth else [])]
        options += ["-c"] * complete + ["-J"] * drop
        files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
        printed = subprocess.run([str(BINARY), *options, *files], capture_output=True, text=True, check=True).stdout

        policy = Policy.trec_eval(complete=complete, depth=depth, relevance_level=level, unjudged="drop" if drop else "nonrelevant")
        scores = score(read_run(files[1]), read_qrels(files[0]), columns_of(measures), policy=policy)
        ours, theirs = list(lines(scores, per_query=True)), printed.splitlines()
        # rbp reads memory that was not written where it is not alone, and nothing retrieved (-J) is a division by 0.
        chance = {i for i, line in enumerate(theirs) if line.startswith("rbp ") or "nan" in line}
        differ = [pair for i, pair in enumerate(zip(ours, theirs, strict=True)) if i not in chance and len(set(pair)) > 1]
        assert (seed, options, differ) == (seed, options, [])
