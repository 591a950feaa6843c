"""The reference where the worked examples of conformance/ do not reach: single rankings, formulas from the papers, their edges."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given, strategies as st
from scipy.stats import mannwhitneyu

from samescore import evaluate, parse
from samescore.errors import MeasureError
from samescore.measures import CATALOGUE, Measure
from samescore.rankspace import Ranking, SubtopicJudgement
from samescore.reference import DEFINITIONS, value

BINARY = ["R", "P", "F1", "R_cap@3", "RR", "AP", "Success", "Hits", "Rprec", "IPrec@0.5", "11pt", "SetP", "SetR", "SetF", "SetAP"]
USERS = [
    *("RBP", "RBP_residual", "ERR", "nERR", "Compat"),
    *(f"{name}(max_rel=4)" for name in ("INST", "INSQ", "NERR10", "NERR11")),
    *(f"{name}(max_rel=4)@5" for name in ("BPM", "SDCG", "NERR8", "NERR9")),
]


def of(ranking: Ranking, measure: str) -> float:
    found = value(ranking, parse(measure))
    assert found is not None
    return found


def test_every_measure_of_the_catalogue_has_a_definition_and_there_is_no_other():
    assert list(DEFINITIONS) == list(CATALOGUE)


# Measures of one user with the paper's own formula


@pytest.mark.parametrize("t", [0.5, 1, 2.5])
def test_insq_is_1_over_the_square_of_rank_and_2t(t):
    """Moffat, Scholer and Thomas 2012: W(i) = 1 / (S (i + 2T - 1)^2), here over the 1,000 ranks that cwl_eval reads."""
    weights = [1 / (i + 2 * t - 1) ** 2 for i in range(1, 1001)]
    ranking = Ranking(6, ((2, 1), (3, 1), (6, 1)))
    assert of(ranking, f"INSQ(T={t},max_rel=1)") == pytest.approx((weights[1] + weights[2] + weights[5]) / sum(weights))


def test_inst_is_insq_where_nothing_is_found_until_the_last_rank():
    """Bailey et al. 2015: T_i stays T as long as nothing is gained."""
    ranking = Ranking(1000, ((1000, 1),))
    assert of(ranking, "INST(max_rel=1)") == pytest.approx(of(ranking, "INSQ(max_rel=1)"))


def test_a_ranking_below_rank_1000_is_read_to_its_end():
    ranking = Ranking(1500, ((1200, 1),))
    weights = [1 / (i + 1) ** 2 for i in range(1, 1501)]
    assert of(ranking, "INSQ(max_rel=1)") == pytest.approx(weights[1199] / sum(weights))
    assert of(ranking, "BPM(max_rel=1)@1200") == pytest.approx(1 / 1200)


def test_nerr10_is_rbp_where_nothing_satisfies_wholly_before_the_last_hit():
    """Azzopardi, Mackenzie and Moffat 2021, equation 10: C_i = p (1 - g_i); p alone is RBP's."""
    p, ranking = 0.5, Ranking(4, ((4, 1),))
    weights = [p ** (i - 1) for i in range(1, 5)]
    assert of(ranking, f"NERR10(p={p},max_rel=1)") == pytest.approx(weights[3] / sum(weights))


def test_nerr8_stops_where_a_document_satisfies_and_nerr9_is_expected_reciprocal_rank_s_discount():
    ranking = Ranking(5, ((1, 2), (3, 4)))
    assert of(ranking, "NERR8(max_rel=4)@5") == pytest.approx((1 / 2 + 1 / 2 * 1) / (1 + 1 / 2 + 1 / 2))
    reach = [1, 1 / 2 * (1 / 2), 1 / 2 * (1 / 2) * (2 / 3)]
    assert of(ranking, "NERR9(max_rel=4)@5") == pytest.approx((reach[0] * (1 / 2) + reach[2]) / sum(reach))


def test_the_residual_of_rbp_is_what_unjudged_documents_could_add():
    """Moffat and Zobel 2008: the highest score there could be, less the lowest."""
    ranking = Ranking(4, ((1, 0), (3, 1)))
    unjudged, below = 0.8 + 0.8**3, 0.8**4 / (1 - 0.8)
    assert of(ranking, "RBP_residual") == pytest.approx((1 - 0.8) * (unjudged + below))
    assert of(Ranking(0, ((1, 1),)), "RBP_residual") == 1


def test_err_is_the_cascade_written_out():
    """Chapelle et al. 2009: the sum over ranks of 1/r times the chance to be satisfied there and at none above."""
    grades = {1: 2, 2: 0, 4: 3}
    chance = {rank: (2**grade - 1) / 16 for rank, grade in grades.items()}
    expected = chance[1] + (1 - chance[1]) * chance[4] / 4
    assert of(Ranking(5, tuple(grades.items())), "ERR@5") == pytest.approx(expected)


def test_compatibility_is_rank_biased_overlap_with_the_ideal():
    """Clarke, Vtyurina and Smucker 2021, on sets built step by step."""
    ranking, p = Ranking(6, ((2, 1), (3, 3), (5, 0), (7, 2))), 0.7
    ideal, retrieved = [3, 7, 2], [1, 2, 3, 4, 5, 6]

    def overlap(a, b):
        return sum(p**i * len(set(a[: i + 1]) & set(b[: i + 1])) / (i + 1) for i in range(6)) / sum(p**i for i in range(6))

    assert of(ranking, f"Compat(p={p},normalize=False)") == pytest.approx(overlap(retrieved, ideal))
    assert of(ranking, f"Compat(p={p})") == pytest.approx(overlap(retrieved, ideal) / overlap(ideal, ideal))


# Double credit


def test_a_document_that_stands_there_again_counts_again_and_not_towards_what_there_is_to_find():
    ranking = Ranking(3, ((1, 1), (4, 1)), ((2, 1), (3, 1)))
    assert of(ranking, "R") == 3 / 2
    assert of(ranking, "NumRel") == 2
    assert of(ranking, "NumRet(rel=1)") == of(ranking, "Hits") == 3
    assert of(ranking, "Judged") == 3 / 3


def test_a_document_that_stands_there_again_says_nothing_new():
    aspects = (SubtopicJudgement(1, 0, 1, 0), SubtopicJudgement(2, 0, 1, 0, repeat=True), SubtopicJudgement(3, 1, 1, 1))
    ranking = Ranking(2, ((1, 1), (3, 1)), ((2, 1),), aspects)
    assert of(ranking, "alpha_nDCG") == pytest.approx((1 + 0.5 / math.log2(3)) / (1 + 1 / math.log2(3)))
    assert of(ranking, "StRecall") == 1 / 2


# Invariants

ROWS = st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 4)), min_size=1, max_size=12)


def ranked(rows):
    """A ranking of (retrieved, judged, grade)."""
    judged, depth = [], 0
    for retrieved, known, grade in rows:
        depth += retrieved
        if retrieved and known:
            judged.append((depth, grade))
    missed = sorted((grade for retrieved, known, grade in rows if known and not retrieved), reverse=True)
    return Ranking(depth, (*judged, *((depth + i, grade) for i, grade in enumerate(missed, 1))))


@given(ROWS)
def test_bounded_measures_are_between_0_and_1_or_undefined(rows):
    ranking = ranked(rows)
    for measure in [*BINARY, *USERS, "Bpref", "infAP", "Accuracy", "Judged", "Unjudged@3", "nDCG", "AP(norm='min')@3"]:
        asked = parse(measure) if measure != "nDCG" else parse("nDCG(dcg='exp-log2')")
        found = value(ranking, asked)
        assert found is None or not asked.entry.bounded or -1e-12 <= found <= 1 + 1e-12, measure


@given(ROWS)
def test_measures_that_do_not_read_depth_do_not_change_with_documents_after_the_last_judged_one(rows):
    ranking = ranked(rows)
    hits = [row for row in ranking.judged if row[0] <= ranking.depth]
    longer = Ranking(ranking.depth + 3, (*hits, *((place + 3, grade) for place, grade in ranking.judged[len(hits) :])))
    for name, entry in CATALOGUE.items():
        if entry.reads == "grades":
            needed = tuple((n, p.example) for n, p in entry.params.items() if p.required and p.example is not None)
            for cutoff in {"none": [None], "optional": [None, 2], "required": [2]}[entry.cutoff]:
                measure = Measure(name, cutoff, needed)
                if not measure.reads_depth:
                    assert value(longer, measure) == value(ranking, measure), measure


@given(ROWS)
def test_what_is_the_same_by_definition_is_the_same(rows):
    ranking = ranked(rows)
    n, k = max(ranking.depth, 1), 3
    assert of(ranking, "SetP") == of(ranking, "P")
    assert value(ranking, parse("SetR")) == value(ranking, parse("R"))
    assert value(ranking, parse("SetF")) == pytest.approx(value(ranking, parse("F1")))
    assert value(ranking, parse("AP(norm='min')")) == value(ranking, parse("AP"))
    assert of(ranking, f"Hits@{k}") == pytest.approx(of(ranking, f"P@{k}") * k)
    assert of(ranking, f"Judged@{n}") + of(ranking, f"Unjudged@{n}") == pytest.approx(1 if ranking.depth else 0)
    assert of(ranking, "RBP(max_rel=1,rel=1)") >= 0
    relevant = sum(grade >= 1 for _, grade in ranking.judged)
    if relevant:
        assert of(ranking, "Rprec") == pytest.approx(of(ranking, f"R_cap@{relevant}"))
        assert of(ranking, f"R_cap@{k}") * min(k, relevant) == pytest.approx(of(ranking, f"R@{k}") * relevant)


ASPECTS = st.lists(st.tuples(st.integers(1, 8), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=20)


@given(depth=st.integers(0, 8), rows=ASPECTS)
def test_with_one_subtopic_measures_of_it_are_the_ordinary_ones(depth, rows):
    one = {place: grade for place, _, grade in rows}
    judged = tuple(sorted(one.items()))
    ranking = Ranking(depth, judged, (), tuple(SubtopicJudgement(place, 0, grade, place) for place, grade in judged))
    for novel, plain in (("AP_IA", "AP"), ("P_IA@3", "P@3"), ("StRecall@3", "Success@3")):
        found = value(ranking, parse(novel))
        assert found is None or found == pytest.approx(value(ranking, parse(plain)))


@given(depth=st.integers(0, 8), rows=ASPECTS)
def test_an_alpha_of_1_counts_a_subtopic_once_and_of_0_always(depth, rows):
    distinct = {(place, subtopic): grade for place, subtopic, grade in rows}
    aspects = tuple(SubtopicJudgement(place, subtopic, grade, place) for (place, subtopic), grade in sorted(distinct.items()))
    ranking = Ranking(depth, (), (), aspects)
    hits = [a for a in aspects if a.place <= depth and a.grade >= 1]
    if any(a.grade >= 1 for a in aspects):
        subtopics = len({a.subtopic for a in aspects if a.grade >= 1})
        always = sum(1 / math.log2(a.place + 1) for a in hits)
        most = subtopics * sum(1 / math.log2(rank + 1) for rank in range(1, 9))
        assert of(ranking, "alpha_DCG(alpha=0)@8") == pytest.approx(always / most)
        firsts = {}
        for a in hits:
            firsts.setdefault(a.subtopic, a.place)
        once = sum(1 / math.log2(place + 1) for place in firsts.values())
        assert of(ranking, "alpha_DCG(alpha=1)@8") == pytest.approx(once / subtopics)


def test_auc_is_the_mann_whitney_statistic_of_scores_with_the_missing_ones_tied_below():
    random = Random(7)
    for _ in range(50):
        depth = random.randrange(1, 12)
        places = random.sample(range(1, depth + 1), random.randrange(1, depth + 1))
        judged = [(place, random.randrange(2)) for place in sorted(places)]
        judged += [(depth + i, i % 2) for i in range(1, 5)]
        groups = [[-min(place, depth + 1) for place, grade in judged if grade == wanted] for wanted in (1, 0)]
        pairs = len(groups[0]) * len(groups[1])
        assert of(Ranking(depth, tuple(judged)), "AUC") == pytest.approx(mannwhitneyu(*groups).statistic / pairs, abs=1e-15)


def test_auc_has_no_value_where_all_judged_documents_are_relevant():
    result = evaluate({"q": ["a", "x"], "r": ["b", "n"]}, {"q": {"a": 1}, "r": {"b": 1, "n": 0}}, measures="AUC")
    assert result.per_query["AUC"].dropna().to_dict() == {"r": 1}
    assert result["AUC"] == 1


def test_q_is_near_ap_for_a_small_beta():
    ranking = Ranking(6, ((2, 1), (3, 2), (6, 1), (9, 3)))
    assert of(ranking, "Q_measure(dcg='log2',beta=1e-12)") == pytest.approx(of(ranking, "AP"), abs=1e-10)


@pytest.mark.parametrize("name", ["MAP@R", "map@r", "map_at_r"])
def test_map_at_r_is_read_as_it_is_written(name):
    assert parse(name) == Measure("MAP_R")
    with pytest.raises(MeasureError, match="cutoff"):
        parse("MAP@S")
