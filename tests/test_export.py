"""export: trec_eval, given what is written, prints the numbers of the policy."""

from __future__ import annotations

import json
import random

import pytest
import pytrec_eval
from hypothesis import given, strategies as st

from samescore import Export, Policy, evaluate, export, read_qrels, read_run
from samescore.errors import GapError, GradeError, InputError, MeasureError, PolicyError

RUN = {"q1": {"d1": 3.0, "d2": 2.0, "q1": 2.0, "d3": 1.0}, "q2": {"d1": 1.0, "d2": 1.0}, "no": {"d1": 1.0}}
QRELS = {"q1": {"d1": 1, "d2": 3, "d3": -1}, "q2": {"d1": 2, "d2": 0}, "missing": {"d9": 2}, "empty": {"d1": 0}, "bare": {}}
MEASURES = (
    "nDCG@10", "nDCG", "DCG", "AP", "AP@2", "RR", "RR@1", "P@5", "P", "R@2", "R", "R_cap@2", "F1", "Rprec", "Bpref", "Success@1",
    "Success", "P(rel=2)@5", "R(rel=3)@10", "nDCG(dcg='log2')@2", "SetP", "SetR", "SetAP", "SetF(beta=0.5)",
    "SetP(relative=True)",
)  # fmt: skip
POLICIES = (
    Policy(),
    Policy(empty="zero", gain="linear"),
    Policy(missing="skip", relevance_level=2, ties="doc_id_ascending"),
    Policy(depth=2, negatives="unjudged"),
    Policy(unjudged="drop", self_hits="drop", ties="input"),
    Policy(duplicates="hold"),
)


def printed(folder, command):
    """What trec_eval 9 (which pytrec_eval is) gives for a command: the mean over the queries of the qrels."""
    _, *options, _, name, qrels, run = command.split()
    level = int(options[options.index("-l") + 1]) if "-l" in options else 1
    cut = int(options[options.index("-M") + 1]) if "-M" in options else None
    judged, ranked = read_qrels(folder / qrels).grades, read_run(folder / run).rankings
    runs = {q: dict(list(zip(f.docs, f.scores.tolist(), strict=True))[:cut]) for q, f in ranked.items()}
    found = pytrec_eval.RelevanceEvaluator(judged, {name}, relevance_level=level).evaluate(runs)
    column = next(key for key in next(iter(found.values())) if key.startswith(name.split(".")[0]))
    return sum(row[column] for row in found.values()) / len(judged)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.signature[:60])
@pytest.mark.parametrize("measure", [m for m in MEASURES if m not in ("DCG", "R_cap@2")])
def test_trec_eval_gives_the_numbers_of_the_policy(measure, policy, tmp_path):
    made = export(RUN, QRELS, tmp_path, measures=measure, policy=policy)
    value = evaluate(RUN, QRELS, measures=measure, policy=policy, backend="reference")[measure]
    assert printed(tmp_path, made.commands[0].line) == pytest.approx(value, abs=1e-9)
    assert made.commands[0].value == value


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.signature[:60])
def test_commands_say_what_trec_eval_10_prints(policy, tmp_path):
    made = export(RUN, QRELS, tmp_path, measures=MEASURES, policy=policy)
    result = evaluate(RUN, QRELS, measures=MEASURES, policy=policy, backend="reference")
    assert [command.printed for command in made.commands] == [f"{value:.4f}" for value in result.means.values()]


@given(st.integers(0, 10**6))
@pytest.mark.filterwarnings("ignore:no document of the run is judged")
def test_random_runs_are_exported_so_that_trec_eval_agrees(tmp_path_factory, seed):
    rng, folder = random.Random(seed), tmp_path_factory.mktemp("export")
    docs = [f"d{i}" for i in range(12)]
    run = {f"q{i}": {doc: float(rng.randrange(4)) for doc in rng.sample(docs, rng.randrange(1, 12))} for i in range(4)}
    qrels = {f"q{i}": {doc: rng.randrange(-1, 4) for doc in rng.sample(docs, 5)} for i in range(5)}
    made = export(run, qrels, folder, measures=["nDCG@5", "AP", "RR@3"], policy=rng.choice(POLICIES))
    for command in made.commands:
        assert printed(folder, command.line) == pytest.approx(command.value, abs=1e-9)


def test_the_files_and_the_commands(tmp_path):
    made = export(RUN, QRELS, tmp_path / "new" / "folder", measures=["nDCG@10", "RR", "RR@5", "P(rel=3)@5"])
    assert isinstance(made, Export)
    assert [path.name for path in made.files] == ["run.txt", "qrels.txt", "qrels.RR.txt", "qrels.P_rel_3__5.txt", "commands.txt"]
    assert [(c.line, c.name) for c in made.commands] == [
        ("trec_eval -c -m ndcg_cut.10 qrels.txt run.txt", "ndcg_cut_10"),
        ("trec_eval -c -m recip_rank qrels.RR.txt run.txt", "recip_rank"),
        ("trec_eval -c -M 5 -m recip_rank qrels.RR.txt run.txt", "recip_rank"),
        ("trec_eval -c -l 3 -m P.5 qrels.P_rel_3__5.txt run.txt", "P_5"),
    ]
    told = (made.folder / "commands.txt").read_text(encoding="utf-8").splitlines()
    assert told[1:3] == [made.commands[0].line, f"# prints ndcg_cut_10 all {made.commands[0].printed}"]


def test_the_run_has_no_tie_and_the_qrels_have_gains_as_grades(tmp_path):
    made = export(RUN, QRELS, tmp_path, measures="nDCG@10")
    run = [line.split() for line in (made.folder / "run.txt").read_text(encoding="utf-8").splitlines()]
    assert [(row[0], row[2], row[4]) for row in run] == [
        ("q1", "d1", "4"), ("q1", "q1", "3"), ("q1", "d2", "2"), ("q1", "d3", "1"), ("q2", "d2", "2"), ("q2", "d1", "1"),
    ]  # fmt: skip
    qrels = [line.split() for line in (made.folder / "qrels.txt").read_text(encoding="utf-8").splitlines()]
    assert {(row[0], row[2]): row[3] for row in qrels} == {
        ("q1", "d1"): "1", ("q1", "d2"): "7", ("q1", "d3"): "0", ("q2", "d1"): "3", ("q2", "d2"): "0", ("missing", "d9"): "3",
    }  # fmt: skip


def test_empty_queries_that_count_as_0_are_in_the_qrels(tmp_path):
    export(RUN, QRELS, tmp_path, measures="AP", policy=Policy(empty="zero"))
    qrels = read_qrels(tmp_path / "qrels.txt")
    assert set(qrels.queries) == set(QRELS)


def test_ids_that_trec_eval_cannot_read_are_percent_encoded(tmp_path):
    run, qrels = {"#1": {"a b": 1.0, "50%": 2.0}}, {"#1": {"a b": 1}}
    made = export(run, qrels, tmp_path, measures="RR")
    assert (tmp_path / "run.txt").read_text(encoding="utf-8").splitlines()[1] == "%231 Q0 a%20b 2 1 samescore"
    assert printed(tmp_path, made.commands[0].line) == 0.5


def test_without_measures_those_of_evaluate_are_exported(tmp_path):
    assert [str(command.measure) for command in export(RUN, QRELS, tmp_path).commands] == ["R@10", "RR", "nDCG@10"]


@pytest.mark.parametrize("measure", ["ERR@10", "F1@5", "AP(norm='min')@5", "nDCG(judged_only=True)@5", "RBP(rel=1)"])
def test_a_measure_that_trec_eval_lacks_is_a_gap(measure, tmp_path):
    with pytest.raises(GapError, match="export cannot ask trec_eval for"):
        export(RUN, QRELS, tmp_path, measures=measure)


@pytest.mark.parametrize(
    ("qrels", "options", "error", "words"),
    [
        ({"q": {"a": 1}}, {"policy": Policy(duplicates="each")}, PolicyError, "retrieved twice"),
        ({"q": {"a": 1}, "e": {"a": 0}}, {"policy": Policy(empty="one")}, PolicyError, "as 0, not 1: 'e'"),
        ({"q": {"a": 0.5}}, {"measures": "nDCG"}, GradeError, "reads whole grades"),
        ({"q": {"a": 30}}, {"measures": "nDCG"}, GradeError, "query 'q', document 'a'"),
        ({"q": {"a": 1}}, {"measures": []}, MeasureError, "no measure was given"),
    ],
)
def test_what_trec_eval_cannot_express_is_refused(qrels, options, error, words, tmp_path):
    with pytest.raises(error, match=words):
        export({"q": [("a", 1.0), ("a", 0.5)]}, qrels, tmp_path / "new", **options)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(("run", "qrels"), [({}, QRELS), ({"q": []}, {"q": {"a": 1}}), ({"q": ["a"]}, {"q": {"a": 0}})])
def test_what_trec_eval_would_find_empty_is_refused(run, qrels, tmp_path):
    with pytest.raises(InputError, match="trec_eval refuses an empty run"):
        export(run, qrels, tmp_path / "new", measures="RR")
    assert not (tmp_path / "new").exists()


def test_an_export_is_a_value(tmp_path):
    made = export(RUN, QRELS, tmp_path, measures="RR")
    assert json.loads(made.to_json()) == made.to_dict()
    assert made.table.loc[0, ["command", "name", "prints"]].tolist() == [
        made.commands[0].line,
        "recip_rank",
        made.commands[0].printed,
    ]
    assert str(made).splitlines()[0] == f"cd {tmp_path}"
    assert made.to_markdown().splitlines()[2] == "| command | name | prints |"


@pytest.mark.filterwarnings("ignore:no document of the run is judged")
@pytest.mark.parametrize(
    ("run", "policy"),
    [({"q": ["unjudged"]}, Policy(unjudged="drop")), ({"q": ["q"]}, Policy(self_hits="drop"))],
    ids=["condensed to nothing", "a self hit alone"],
)
def test_a_run_that_the_policy_leaves_empty_is_refused_before_anything_is_written(run, policy, tmp_path):
    with pytest.raises(InputError, match="has a document that counts"):
        export(run, {"q": {"d1": 1, "q": 0}}, tmp_path / "new", measures="AP", policy=policy)
    assert not (tmp_path / "new").exists()


def test_an_unjudged_document_that_counts_each_time_is_refused_by_the_id_of_its_query(tmp_path):
    run = {"q 1": [("d1", 3.0), ("x", 2.0), ("x", 1.0)]}
    with pytest.raises(PolicyError, match="query 'q 1': trec_eval refuses a document that is retrieved twice"):
        export(run, {"q 1": {"d1": 1}}, tmp_path / "new", policy=Policy(duplicates="each"))
    assert not (tmp_path / "new").exists()


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(InputError, match="this is a file, and a folder is wanted"):
        export(RUN, QRELS, tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == "mine"


def test_repeats_that_are_held_are_written_as_documents_that_nobody_judged(tmp_path):
    run, qrels = {"q": ["a", "a", "repeat-1", "b", "a"]}, {"q": {"b": 1}}
    made = export(run, qrels, tmp_path, measures=["RR", "P@5"], policy=Policy(duplicates="hold"))
    rows = [line.split()[2] for line in (tmp_path / "run.txt").read_text().splitlines()]
    assert rows == ["a", "repeat-2", "repeat-1", "b", "repeat-3"]
    assert [command.value for command in made.commands] == [1 / 4, 1 / 5]
    assert all(printed(tmp_path, command.line) == pytest.approx(command.value, abs=1e-4) for command in made.commands)
