"""Fuzzers: whatever is given, the answer is a number or one clear error, and both roads give the same.

Each tries some hundred cases; see conftest.py for how to try them for hours.
"""

from __future__ import annotations

import io
import json
import math
import os
import sys
from contextlib import suppress
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from fuzzing import BARE, FILES, FRAME, ODD_VALUES, QRELS, ROWS, RUN, TEXTS, damaged_file, mutated, mutated_document, odd_input
from shape_samples import SAMPLES

from samescore import SamescoreError, evaluate, read_qrels, read_run
from samescore.cli import main
from samescore.readers import content, frames

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]

MEASURES = ["nDCG@10", "R@2", "RR", "AP"]


def outcome(run: Any, qrels: Any) -> Any:
    """The numbers and what was noted, or the refusal."""
    try:
        result = evaluate(run, qrels, measures=MEASURES, backend="reference")
    except SamescoreError as error:
        return type(error).__name__, str(error)
    report = result.report
    return dict(result), dict(report.duplicates), dict(report.tied), report.unjudged_queries, report.missing, report.misranked


SMALL = 64
"""More than so many bytes are a big file here."""


def has_lines(path: Path) -> bool:
    """Whether the lines by which the form of a file is told end within what is read first, as they do in files of megabytes.

    What three columns are, and whether tabs or blanks stand between columns, is told by all that is read first.
    """
    try:
        with content.open_content(path) as opened:
            lines = [line for line in opened.head.split(b"\n") if line.strip() and not line.startswith(b"#")]
            of_tabs = b"\t" in opened.head and any(
                len(line.decode(errors="replace").split()) != line.count(b"\t") + 1 for line in lines
            )
            by_rows = of_tabs or any(len(line.split()) == 3 for line in lines[:3])
            return all(len(line) < SMALL // 3 for line in opened.head.split(b"\n")[:3]) and not by_rows
    except SamescoreError:
        return True


def by_both_roads(monkeypatch: pytest.MonkeyPatch, run: Any, qrels: Any) -> tuple[Any, Any]:
    """What evaluation gives where all is read by line and as lists, and where it is read in blocks and as tables."""
    with monkeypatch.context() as patch:
        patch.setattr(content, "SMALL", 1 << 20)
        patch.setattr(frames, "SMALL", 10_000)
        small = outcome(run, qrels)
        patch.setattr(content, "SMALL", SMALL)
        patch.setattr(content, "BLOCK", 150)
        patch.setattr(frames, "SMALL", 1)
        return small, outcome(run, qrels)


def test_a_damaged_file_of_any_form_is_read_alike_by_both_roads(fuzz, tmp_path, monkeypatch, capfd):
    path = tmp_path / "input"

    def check(random: Random) -> None:
        path.write_bytes(damaged_file(random))
        for run, qrels in ((path, QRELS), (RUN, path)):
            small, big = by_both_roads(monkeypatch, run, qrels)
            if not has_lines(path) or "msmarco" in f"{small}{big}":  # which ranks are is told by all that is read first
                continue
            assert big == small or (refused(big) and refused(small)), (big, small)  # of two faults either may be named

    fuzz(400, check)
    assert "panicked" not in capfd.readouterr().err


def refused(found: Any) -> bool:
    """Whether an outcome is a refusal."""
    return isinstance(found[0], str)


LABELS = {"E": 3, "S": 2, "I": 0}


def test_files_that_their_columns_tell_are_read_or_refused_in_words(fuzz, tmp_path):
    path = tmp_path / "input"

    def check(random: Random) -> None:
        side = random.choice(list(BARE))
        data = random.choice(list(BARE[side].values()))
        path.write_bytes(mutated(data, random))
        columns = random.choice([None, None, {"query_id": 0, "doc_id": 1}, {"query_id": random.randrange(-2, 5)}])
        try:
            if side == "RUN":
                evaluate(read_run(path, columns=columns), QRELS, measures=MEASURES, backend="reference")
            else:
                labels = random.choice([None, LABELS, {"E": 1}])
                evaluate(RUN, read_qrels(path, columns=columns, grades=labels), measures=MEASURES, backend="reference")
        except SamescoreError:
            pass

    fuzz(200, check)


PADDING = 70_000
"""So many rows make a file too big to be read by line."""

_PADDED = {
    "trec": b"".join(b"pad%d Q0 d1 1 1 tag\n" % i for i in range(PADDING)),
    "csv": b"".join(b"padding%d,d1,1\n" % i for i in range(PADDING)),
    "beir": b"".join(b"padding%d\td1\t1\n" % i for i in range(PADDING)),
}


def unpadded(found: Any) -> Any:
    """An outcome without the queries of the padding."""
    if refused(found):
        return "refused"
    unjudged = tuple(query for query in found[3] if not query.startswith("pad"))
    return (*found[:3], unjudged, *found[4:])


def test_a_file_means_the_same_whether_it_is_small_or_big(fuzz, tmp_path):
    path = tmp_path / "input"

    def check(random: Random) -> None:
        form = random.choice(list(_PADDED))
        data = mutated(TEXTS[form], random)
        ended = data if data.endswith(b"\n") else data + b"\n"
        path.write_bytes(ended + b"".join(_PADDED[form].splitlines(keepends=True)[:40]))
        small = outcome(path, QRELS)
        path.write_bytes(ended + _PADDED[form])
        big = outcome(path, QRELS)
        assert unpadded(big) == unpadded(small)

    fuzz(25, check)


def test_a_frame_means_the_same_whether_it_is_small_or_big(fuzz):
    padding = pd.DataFrame([(f"pad{i}", "d1", 1.0) for i in range(frames.SMALL)], columns=["query_id", "doc_id", "score"])

    def check(random: Random) -> None:
        rows = [list(row) for row in ROWS]
        for _ in range(random.choice([0, 1, 2])):
            random.choice(rows)[random.randrange(3)] = random.choice(ODD_VALUES)
        columns = {name: pd.Series([row[i] for row in rows], dtype=object) for i, name in enumerate(FRAME.columns)}
        frame = pd.DataFrame(columns)
        if random.random() < 0.5:
            with suppress(UnicodeEncodeError, OverflowError):  # which pandas raises for half a surrogate pair and long numbers
                frame = frame.infer_objects()
        try:
            padded = pd.concat([frame, padding.astype(object) if random.random() < 0.5 else padding])
        except ArithmeticError:  # of pandas 2, for a signaling NaN
            return
        assert unpadded(outcome(padded, QRELS)) == unpadded(outcome(frame, QRELS))

    fuzz(60, check)


def test_odd_objects_are_a_number_or_one_clear_error(fuzz, monkeypatch, capfd):
    def check(random: Random) -> None:
        run = odd_input(random, RUN) if random.random() < 0.7 else RUN
        qrels = odd_input(random, QRELS) if run is RUN or random.random() < 0.3 else QRELS
        capfd.readouterr()  # what polars prints of a frame that it cannot make
        found = outcome(run, qrels)
        assert refused(found) or all(math.isfinite(value) for value in found[0].values())
        for read, given in ((read_run, run), (read_qrels, qrels)):
            with suppress(SamescoreError):
                read(given)
        assert "panicked" not in capfd.readouterr().err

    fuzz(1500, check)


def test_a_mutated_document_of_any_form_is_read_or_refused_in_words(fuzz, tmp_path, capfd):
    path, qrels = tmp_path / "file.json", tmp_path / "qrels.json"
    path.write_text(json.dumps(RUN))
    qrels.write_text(json.dumps(QRELS))

    def check(random: Random) -> None:
        sample = random.choice(list(SAMPLES.values()))
        document, columns = mutated_document(sample.document, random), random.choice([sample.columns, None])
        sources: list[Any] = [document]
        with suppress(RecursionError):  # of a list that holds itself
            sources.append(as_objects(document, random))
        with suppress(TypeError, ValueError, RecursionError):  # what JSON cannot hold
            path.write_bytes(
                mutated(json.dumps(document).encode(), random) if random.random() < 0.3 else json.dumps(document).encode()
            )
            sources.append(path)
        if isinstance(document, list):
            with suppress(Exception):  # what the libraries refuse to make a frame of
                sources.append(pd.DataFrame(document))
        for source in sources:
            for read in (read_run, read_qrels):
                for id_of in (None, lambda hit: hit["id"]):
                    with suppress(SamescoreError):
                        read(source, columns=columns, id_of=id_of)
        if random.random() < 0.1:
            words = [str(qrels), str(path)][:: random.choice([1, -1])]
            assert main(["evaluate", *words, "-m", "RR", "--backend", "reference"]) in (0, 2)
            assert "Traceback" not in capfd.readouterr().err

    fuzz(700, check)


def as_objects(value: Any, random: Random) -> Any:
    """Some of the mappings as objects with attributes."""
    if isinstance(value, list):
        return [as_objects(one, random) for one in value]
    if not isinstance(value, dict):
        return value
    members = {key: as_objects(one, random) for key, one in value.items()}
    return SimpleNamespace(**members) if all(isinstance(key, str) for key in members) and random.random() < 0.5 else members


COMMANDS = {
    "evaluate": ("QRELS", "RUN"),
    "compare": ("QRELS", "RUN", "RUN"),
    "curve": ("QRELS", "RUN"),
    "gate": ("QRELS", "RUN", "--baseline", "FILE"),
    "diagnose": ("QRELS", "RUN", "RUN"),
    "misses": ("QRELS", "RUN"),
    "unjudged": ("QRELS", "RUN"),
    "check": ("QRELS",),
    "split": ("QRELS",),
    "trec_eval": ("QRELS", "RUN"),
    "crosscheck": ("QRELS", "RUN"),
    "validate": ("QRELS", "RUN", "REPORT"),
    "explain": ("QRELS", "RUN", "-r", "REPORT"),
    "ties": ("QRELS", "RUN", "-m", "RR"),
    "measures": (),
    "backends": (),
}
"""Command -> its usual words, of which those in capitals are files."""

OPTIONS = [
    ["-m", "RR"], ["-m", "nDCG@10"], ["-m", "P(rel=2)@5"], ["-m", "x"], ["-m", ""], ["-m", "nDCG@0"], ["-m", "RR@" + "9" * 30],
    ["-k", "3"], ["-k", "0"], ["-k", "-1"], ["-k", "x"], ["--per-query"], ["--format", "json"], ["--format", "tsv"],
    ["--format", "markdown"], ["--format", "latex"], ["--format", "yaml"], ["--ties", "input"], ["--duplicates", "last"],
    ["--missing", "error"], ["--policy", "trec_eval"], ["--policy", "nobody"], ["--depth", "2"], ["--depth", "0"],
    ["--relevance-level", "0"], ["--answers", "FILE"], ["--slices", "FILE"], ["--doc-of", "FILE"], ["--corpus", "FILE"],
    ["--run-format", "csv"], ["--run-format", "json"], ["--qrels-format", "trec"], ["--run-columns", "query_id=x"],
    ["--run-columns", "x"], ["--run-columns", "query_id=0,doc_id=1,score=2"], ["--grades", "E=3,S=2,I=0"], ["--grades", "E"],
    ["--backend", "reference"], ["--backend", "nothing"], ["--backend", "a:b"], ["--average", "micro"],
    ["--resamples", "20"], ["--resamples", "-1"], ["--seed", "x"], ["--alpha", "2"], ["--allow-lost", "q1"], ["--tool", "ranx"],
    ["--held-out", "0.5"], ["--held-out", "nan"], ["--no-explanation"], ["--tie-changes"], ["-q"], ["-c"], ["-l", "2"], ["--bogus"],
    ["\udcff"], [""], ["-"], ["--"], ["-m", "\udcff"], ["--relevance-level", "\u0661"],
]  # fmt: skip
REPORTS = [
    b"map all 0.5\n", b"map\tall\t0.5\nrecip_rank\tall\t1.0\n", b"P_5 0.2\n", b'{"nDCG@10": 0.5}', b'{"nDCG@10": {"q1": 0.5}}',
    b'{"name": "r", "metrics": ["mrr"], "model_names": ["a"]}', b"RR\tq1\t0.5\nRR\tall\t0.5\n", b"queries\tall\t3\nRR\tall\t0.5\n",
    b'{"measure": "RR", "value": 0.5}\n{"measure": "AP", "value": 0.5, "query_id": "q1"}\n', b"measure\tquery_id\tvalue\n",
    b'{"q1": true, "q2": false}', b"q1\tyes\nq2\tno\n", b"d1\td2\n",
]  # fmt: skip


def test_odd_command_lines_and_files_end_in_an_answer_or_one_line(fuzz, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"q1 0 d1 1\n")))

    def file(random: Random, usual: list[bytes]) -> str:
        if random.random() < 0.03:
            return random.choice(["nothing", ".", "/dev/null", "a\udcffb", "*.none", "irds:nothing"])
        name = random.choice("abc") + random.choice(["", ".txt", ".json"])
        data = random.choice(usual)
        Path(name).write_bytes(mutated(data, random) if random.random() < 0.5 else data)
        return name

    def check(random: Random) -> None:
        command = random.choice(list(COMMANDS))
        usual = {
            "QRELS": [TEXTS["trec qrels"], json.dumps(QRELS).encode(), *BARE["QRELS"].values()],
            "RUN": [TEXTS["trec"], TEXTS["csv"], FILES["json"], *BARE["RUN"].values()],
        }
        words = list(COMMANDS[command])
        for option in random.choices(OPTIONS, k=random.randrange(4)):
            words += option
        words = [file(random, usual.get(word, REPORTS)) if word.isupper() and len(word) > 2 else word for word in words]
        try:
            code = main([command, *words])
        except SystemExit as error:
            code = error.code
        _, err = capfd.readouterr()
        assert code in (0, 1, 2), (command, words, code, err)
        assert "Traceback" not in err, (command, words, err)
        assert "panicked" not in err, (command, words, err)
        assert code != 2 or err, (command, words)

    fuzz(150, check)


SHOWN = [
    "q\ud800", "\udfff", "q\0", "\x1b[31m", "\n### passed\n", "|", "<img src=x>", "a\tb", "\u2028", "\u202eabc", "\ufeff", "=1+1",
    "#1", "[1]", "\\", "$x$", "&", "%", "_", "{", "`", "\r", "\x85", "all", "amean", "q1",
]  # fmt: skip
FORMATS = ["table", "tsv", "markdown", "json", "latex", "html"]
SHOWING = {
    "evaluate": ("q.json", "r.json", "-m", "RR", "--per-query"),
    "compare": ("q.json", "r.json", "s.json", "-m", "RR", "--biggest", "3"),
    "curve": ("q.json", "r.json", "-m", "R", "-k", "1"),
    "diagnose": ("q.json", "r.json", "s.json", "-k", "1"),
    "misses": ("q.json", "r.json", "-k", "1"),
    "unjudged": ("q.json", "r.json", "-k", "9"),
    "check": ("q.json",),
    "crosscheck": ("q.json", "r.json", "-m", "RR"),
    "explain": ("q.json", "r.json", "-r", "RR=0.5"),
    "ties": ("q.json", "r.json", "-m", "RR", "--per-query"),
    "trec_eval": ("-q", "q.txt", "r.txt"),
}


def test_odd_ids_are_shown_by_every_command_in_every_format(fuzz, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)

    def check(random: Random) -> None:
        queries, docs = random.sample(SHOWN, 4), random.sample(SHOWN, 4)
        run = {query: {doc: random.choice([1.0, 2.0, 3.0]) for doc in docs} for query in queries[:3]}
        for name, rows in (("r", run), ("s", {query: list(row)[::-1] for query, row in run.items()})):
            Path(f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")
        Path("q.json").write_text(json.dumps({query: {docs[1]: 1, "x": 2} for query in queries}), encoding="utf-8")
        Path("r.txt").write_text("é Q0 d1 1 1 tag\n", encoding="utf-8")
        Path("q.txt").write_text("é 0 d1 1\n", encoding="utf-8")
        command = random.choice(list(SHOWING))
        form = random.choice(FORMATS)
        words = [command, *SHOWING[command], *(["--format", form] if command != "trec_eval" else [])]
        try:
            code = main(words)
        except SystemExit as error:
            code = error.code
        out, err = capfd.readouterr()
        refused = "invalid choice" in err
        assert (code == 2) if refused else (code in (0, 1)), (words, code, err)
        assert "Traceback" not in err, (words, err)
        out.encode()
        if form == "json" and not refused and command != "trec_eval":
            json.loads(out)
        elif not refused:
            assert not any(ord(char) < 32 and char not in "\n\t" for char in out), (words, out)

    fuzz(50, check)


def test_odd_reports_are_answers_or_one_line(fuzz, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    Path("q").write_bytes(TEXTS["trec qrels"])
    Path("r").write_bytes(TEXTS["trec"])
    main(["gate", "q", "r", "-m", "RR", "-m", "AP", "--backend", "reference", "--baseline", "b.json", "--write-baseline"])
    baseline = Path("b.json").read_bytes()

    def check(random: Random) -> None:
        if random.random() < 0.5:
            Path("b.json").write_bytes(mutated(baseline, random))
            words = ["gate", "q", "r", "--backend", "reference", "--baseline", "b.json"]
        else:
            Path("report").write_bytes(mutated(random.choice(REPORTS), random))
            words = ["validate", "q", "r", "report", "--no-explanation", "--backend", "reference"]
        code = main(words)
        _, err = capfd.readouterr()
        assert code in (0, 1, 2), (words, code, err)
        assert "Traceback" not in err, (words, err)

    fuzz(300, check)
    assert os.path.exists("b.json")


@pytest.mark.parametrize("form", ["arrow", "arrow, packed", "parquet", "arrow stream, packed"])
def test_no_byte_of_a_file_of_columns_makes_it_print_or_fail_otherwise(form, tmp_path, capfd):
    data, path = FILES[form], tmp_path / "input"
    for at in range(0, len(data), 5):
        path.write_bytes(data[:at] + b"\xff" + data[at + 1 :])
        with suppress(SamescoreError):
            read_run(path)
    assert capfd.readouterr() == ("", "")
