"""What today's releases get wrong, shown on the libraries themselves: a test that fails says which workaround can go."""

from __future__ import annotations

import logging
import shutil
import subprocess
import warnings
from importlib.metadata import version
from importlib.util import find_spec

import ir_measures as im
import numpy as np
import pytest
from ir_measures import Qrel, ScoredDoc

RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}

needs_cwl = pytest.mark.skipif(find_spec("cwl") is None, reason="cwl-eval is not installed")
needs_pyndeval = pytest.mark.skipif(find_spec("pyndeval") is None, reason="pyndeval is not installed")
needs_perl = pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is Perl")
needs_trectools = pytest.mark.skipif(find_spec("trectools") is None, reason="trectools is not installed")
deprecated = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")


def by_query(provider, measure, qrels, run):
    """What a provider says, query -> value."""
    return {metric.query_id: metric.value for metric in provider.iter_calc([measure], qrels, run)}


# ir_measures 0.4.3 and pytrec_eval 0.5


@pytest.mark.parametrize("name", ["DCG", "F1", "R_cap", "11pt", "nERR", "Hits", "Unjudged", "RBP_residual"])
def test_ir_measures_lacks_some_measures(name):
    assert name not in im.measures.registry


def test_pytrec_eval_has_no_reciprocal_rank_at_a_cutoff():
    assert not im.pytrec_eval.supports(im.RR @ 10)


def test_ir_measures_cuts_a_recall_point_to_two_decimals():
    # Of 50 relevant documents 7 are found: recall 0.144 needs floor(7.2 + 0.9) = 8 of them, and 0.14 only 7.
    run = {"q": {f"d{i}": float(9 - i) for i in range(7)}}
    qrels = {"q": {f"d{i}": 1 for i in range(50)}}
    assert by_query(im.pytrec_eval, im.IPrec @ 0.144, qrels, run) == {"q": 1}


def test_pytrec_eval_reads_no_exponent_in_a_beta():
    qrels = {"q": {"a": 1, "missed": 1}}
    p, r, beta = 1 / 3, 1 / 2, 1e-5
    right = (beta + 1) * p * r / (r + beta * p)
    assert by_query(im.pytrec_eval, im.SetF(beta=beta), qrels, RUN)["q"] == pytest.approx(2 * p * r / (r + p)) != right


def test_pytrec_eval_takes_whole_grades_alone():
    with pytest.raises(TypeError):
        by_query(im.pytrec_eval, im.nDCG @ 3, {"q": {"a": 0.5}}, RUN)


# ranx 0.3.21


def arrays(*queries):
    """The judgements of some queries as a kernel takes them, and one ranking of four documents for each."""
    judged = np.array(queries, dtype=float)
    ranked = np.array([[[place, -place] for place in range(1, 5)]] * len(queries), dtype=float)
    return judged, ranked


def test_ranx_leaves_other_queries_at_0_where_one_has_nothing_judged_not_relevant():
    from ranx.metrics import bpref

    # Documents 1 and 2 are relevant in the first query; in the other 2 is relevant and 1 is not, so that bpref is 0;
    # then one where 1 is relevant and 2 is not: 1.
    alone = arrays([[1, 1], [2, 0]])
    assert bpref(*alone).tolist() == [1]
    together = arrays([[1, 1], [2, 1]], *([[[1, 1], [2, 0]]] * 50))
    assert not (bpref(*together) == 1).all()


def test_ranx_has_an_rbp_of_raw_grades_that_goes_above_1():
    from ranx.metrics import rank_biased_precision

    judged, ranked = arrays([[1, 4], [2, 4]])
    assert rank_biased_precision(judged, ranked, 0.5, 1).tolist() == [0.5 * (4 + 0.5 * 4)]


def test_ranx_interpolates_at_eleven_points_alone():
    from ranx.metrics import interpolated_precision_at_recall

    judged, ranked = arrays([[1, 1], [2, 1]])
    assert interpolated_precision_at_recall(judged, ranked, 1).shape == (1, 11)


@pytest.mark.skipif(int(version("pandas").partition(".")[0]) < 3, reason="it works with pandas 2")
def test_the_ranx_provider_of_ir_measures_fails_with_pandas_3_and_is_no_backend():
    with pytest.raises(AssertionError, match="dtype"):
        by_query(im.ranx, im.P @ 2, {"q": {"a": 1}}, RUN)


# ir_measures' other providers


def test_accuracy_divides_by_0_where_all_that_was_retrieved_is_relevant():
    with pytest.raises(ZeroDivisionError):
        by_query(im.accuracy, im.Accuracy, {"q": {"a": 1, "b": 1, "c": 1}}, RUN)


@needs_cwl
def test_cwl_eval_divides_average_precision_by_the_relevant_documents_retrieved():
    qrels = {"q": {"a": 1, "missed": 1}}
    assert by_query(im.cwl_eval, im.AP, qrels, RUN)["q"] == pytest.approx(1 / 1)


@needs_cwl
def test_cwl_eval_ignores_what_stands_below_rank_1000():
    run = {"q": {f"d{i:04}": float(2000 - i) for i in range(1, 1002)}}
    assert by_query(im.cwl_eval, im.RR, {"q": {"d1001": 1}}, run) == {"q": 0}
    assert by_query(im.cwl_eval, im.RR, {"q": {"d1000": 1}}, run)["q"] == pytest.approx(1 / 1000)


@needs_cwl
def test_cwl_eval_spreads_the_weight_below_rank_1000_of_rbp():
    p = 0.999
    found = by_query(im.cwl_eval, im.RBP(p=p, rel=1), {"q": {"a": 1}}, RUN)["q"]
    assert found == pytest.approx((1 - p) / (1 - p**1000))
    assert found > 1.5 * (1 - p)


@needs_cwl
def test_ir_measures_warns_where_an_end_of_the_scale_does_not_occur(caplog):
    logger = logging.getLogger("ir_measures.cwl_eval")
    logger.addHandler(caplog.handler)
    try:
        by_query(im.cwl_eval, im.INSQ(max_rel=3), {"q": {"a": 1}}, RUN)
    finally:
        logger.removeHandler(caplog.handler)
    assert "max_rel=3" in caplog.text


@needs_perl
@pytest.mark.parametrize("grade", [5, 0.5])
def test_gdeval_stops_at_grades_above_4_and_at_fractions(grade, capfd):
    with pytest.raises(subprocess.CalledProcessError):
        by_query(im.gdeval, im.ERR @ 3, {"0": {"a": grade}}, {"0": RUN["q"]})
    assert "format error" in capfd.readouterr().err


@needs_perl
def test_gdeval_prints_five_decimals():
    found = by_query(im.gdeval, im.ERR @ 3, {"0": {"c": 1}}, {"0": RUN["q"]})["0"]
    assert found == 0.02083 != (1 / 16) / 3


ASPECTS = [Qrel("q", "a", 1, "1"), Qrel("q", "a", 1, "2"), Qrel("q", "b", 1, "1")]
ROWS = [ScoredDoc("q", doc, score) for doc, score in RUN["q"].items()]


@needs_pyndeval
@pytest.mark.parametrize("measure", [im.ERR_IA, im.alpha_DCG])
def test_ndeval_does_not_normalise_the_first_rank(measure):
    # The first document is relevant to both subtopics, which is the best there can be: 1.
    assert by_query(im.pyndeval, measure @ 1, ASPECTS, ROWS) == {"q": 2}
    assert by_query(im.pyndeval, measure @ 2, ASPECTS, ROWS)["q"] <= 1


@needs_pyndeval
def test_ndeval_has_cutoffs_to_20_and_needs_one():
    with pytest.raises(AssertionError, match="20"):
        by_query(im.pyndeval, im.P_IA @ 21, ASPECTS, ROWS)
    with pytest.raises(ValueError, match="object"):
        by_query(im.pyndeval, im.P_IA, ASPECTS, ROWS)


@needs_pyndeval
def test_ir_measures_gives_the_second_of_two_calls_of_pyndeval_an_iterator_that_is_empty():
    two = [im.alpha_nDCG(alpha=0.5) @ 2, im.alpha_nDCG(alpha=0.25) @ 2]
    found = {metric.measure: metric.value for metric in im.pyndeval.iter_calc(two, ASPECTS, ROWS)}
    assert sorted(found.values()) == [0, 1]


@needs_pyndeval
def test_ir_measures_writes_to_stderr_where_no_query_has_two_subtopics(capsys):
    by_query(im.pyndeval, im.P_IA @ 2, ASPECTS[:1], ROWS)
    assert "only 1 subtopic" in capsys.readouterr().err


@needs_trectools
@deprecated
def test_trectools_says_nan_where_nothing_relevant_was_retrieved():
    assert np.isnan(by_query(im.trectools, im.nDCG @ 3, {"q": {"missed": 1}}, RUN)["q"])


@needs_trectools
@deprecated
def test_trectools_has_a_bpref_of_0_where_nothing_is_judged_not_relevant():
    assert by_query(im.trectools, im.Bpref, {"q": {"a": 1}}, RUN) == {"q": 0}


@needs_trectools
@deprecated
def test_trectools_takes_raw_grades_as_gains_in_rbp():
    assert by_query(im.trectools, im.RBP(p=0.5), {"q": {"a": 4}}, RUN)["q"] == pytest.approx(0.5 * 4)


@needs_trectools
@deprecated
def test_trectools_averages_rbp_over_a_tie_of_two_queries():
    run = {"p": {"a": 1.0}, "q": {"a": 1.0, "b": 0.5}}
    found = by_query(im.trectools, im.RBP(p=0.5), {"p": {"a": 1}, "q": {"b": 1}}, run)
    assert found["q"] == pytest.approx(0.5 * 0.5)
    run = {"p": {"x": 2.0, "a": 1.0}, "q": {"b": 1.0}}
    found = by_query(im.trectools, im.RBP(p=0.5), {"p": {"a": 1}, "q": {"b": 1}}, run)
    assert found["q"] != pytest.approx(0.5)


@needs_trectools
@deprecated
@pytest.mark.skipif(int(version("pandas").partition(".")[0]) < 3, reason="it works with pandas 2")
def test_trectools_counts_hits_of_other_queries_in_rprec_with_pandas_3():
    run = {"p": {"a": 2.0, "b": 1.0}, "q": {"b": 2.0, "a": 1.0}}
    qrels = {"p": {"a": 1}, "q": {"a": 1}}
    assert by_query(im.trectools, im.Rprec, qrels, run) != {"p": 1, "q": 0}


@needs_trectools
@deprecated
def test_trectools_divides_by_the_largest_number_where_p_has_no_cutoff():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert by_query(im.trectools, im.P, {"q": {"a": 1}}, RUN)["q"] < 1e-9
