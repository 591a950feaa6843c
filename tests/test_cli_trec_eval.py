"""samescore trec_eval: the options of trec_eval, its output on stdout, and notes on stderr alone."""

from __future__ import annotations

import gzip

import pytest

from samescore import Policy, read_qrels, read_run
from samescore.tools.trec_eval.program import columns_of, lines, score

pytestmark = pytest.mark.usefixtures("files")
FILES = ("qrels.txt", "bm25.txt")


def printed(*measures, per_query=False, summary=True, **options):
    """What the command should print for the files."""
    scores = score(read_run("bm25.txt"), read_qrels("qrels.txt"), columns_of(measures), policy=Policy.trec_eval(**options))
    return "".join(f"{line}\n" for line in lines(scores, per_query=per_query, summary=summary))


def test_without_options_the_official_measures_are_summed_up(say):
    out, _, code = say("trec_eval", *FILES)
    assert (out, code) == (printed("official"), 0)
    assert out.splitlines()[:2] == ["runid                 \tall\tt", "num_q                 \tall\t2"]


def test_a_judged_query_that_the_run_lacks_is_told_on_stderr_unless_c(say):
    _, err, _ = say("trec_eval", *FILES)
    assert err == (
        "samescore: note: the run lacks 2 judged queries, which are left out: 'q3', 'q4'\ntry: -c, which counts them as 0\n"
    )
    assert say("trec_eval", "-c", *FILES) == (printed("official", complete=True), "", 0)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["-q"], {"per_query": True}),
        (["-qn"], {"per_query": True, "summary": False}),
        (["-l2"], {"relevance_level": 2}),
        (["-l", "2", "-M3"], {"relevance_level": 2, "depth": 3}),
        (["-J", "-q"], {"unjudged": "drop", "per_query": True}),
        (["--query_eval_wanted", "--level_for_rel", "2"], {"per_query": True, "relevance_level": 2}),
        (["--Max_retrieved_per_topic=1", "--Judged_docs_only"], {"depth": 1, "unjudged": "drop"}),
        (["-o"], {}),
    ],
)
def test_options_are_trec_evals(say, words, options):
    out, _, code = say("trec_eval", *words, "-m", "all_trec", *FILES)
    assert (out, code) == (printed("all_trec", **options), 0)


def test_what_the_policy_refuses_is_told_with_the_command_that_takes_it(say, tmp_path):
    text = (tmp_path / "bm25.txt").read_text()
    (tmp_path / "twice.txt").write_text(text + text.splitlines(keepends=True)[0])
    _, err, code = say("trec_eval", "qrels.txt", "twice.txt")
    assert code == 2
    assert err.endswith("retrieved twice\ntry: samescore evaluate --policy trec_eval --duplicates first\n")


def test_measures_add_up_and_take_parameters(say):
    out, _, _ = say("trec_eval", "-m", "map", "-mP.1,2", "--measure", "ndcg.1=3,2=9", *FILES)
    assert [line.split()[0] for line in out.splitlines()] == ["map", "P_1", "P_2", "ndcg_1=3,2=9"]


def test_the_size_of_the_collection_is_read_by_utility(say):
    out, _, _ = say("trec_eval", "-q", "-n", "-N", 100, "-m", "utility.0,0,0,1", "qrels.txt", "bm25.txt")
    assert out.splitlines()[0] == "utility_0,0,0,1       \tq1\t95.0000"  # 100 documents: 4 retrieved, 1 relevant one missed


def test_columns_after_the_tag_are_ignored_and_comments_skipped(say, tmp_path):
    text = (tmp_path / "bm25.txt").read_text()
    (tmp_path / "run.gz").write_bytes(gzip.compress(("# a run\n" + text.replace(" t\n", " t and more\n")).encode()))
    out, _, _ = say("trec_eval", "qrels.txt", "run.gz")
    assert out == printed("official")


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["-m", "ndgc"], "trec_eval has no measure 'ndgc'"),
        (["-m", "P.x"], "'x' is no cutoff of P"),
        (["-m", "all_prefs"], "which only trec_eval itself can score"),
        (["-a"], "samescore trec_eval has no -a: -m all_trec prints all measures"),
        (["-Z", "file"], "samescore trec_eval has no -Z"),
        (["-R", "prefs"], "samescore trec_eval has no -R"),
        (["-D1"], "samescore trec_eval has no -D"),
        (["-l0"], "argument -l/--level_for_rel: '0' is not a whole number of at least 1"),
        (["-M", "0"], "'0' is not a whole number of at least 1"),
        (["-l", "x"], "'x' is not a whole number of at least 1"),
    ],
)
def test_what_is_not_here_is_refused_with_the_reason(say, words, what):
    out, err, code = say("trec_eval", *words, *FILES)
    assert (out, code) == ("", 2)
    assert what in err
    assert "\ntry: " in err


def test_help_says_where_the_output_differs(say):
    out, _, code = say("trec_eval", "--help")
    assert code == 0
    assert "rbp is right" in out
