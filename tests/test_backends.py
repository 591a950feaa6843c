"""Backends: complete tables, the same answers, gaps that say what to do instead, and no way to break the contract in silence."""

from __future__ import annotations

import sys
import types
from itertools import product
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from ir_measures import Qrel
from strategies import tries

from samescore import Policy, evaluate, parse
from samescore.backends import BACKENDS, Gap, Grades, find, ir_measures, matrix, ranx, reference, resolution
from samescore.errors import BackendError, GapError, MissingLibraryError
from samescore.measures import CATALOGUE

RUN = {"q1": ["d1", "d2", "d3", "d4"], "q2": ["d9"]}
QRELS = {"q1": {"d2": 3, "d4": 1, "d9": 2, "d5": 0}, "q2": {"d9": 1}}


def installed(name: str) -> bool:
    """Whether a backend's library is there: some of ir_measures' providers need a tool of their own."""
    try:
        return bool(find(name).label)
    except MissingLibraryError:
        return False


HERE = [name for name in BACKENDS if installed(name)]


class Hits:
    """A backend of one's own: every measure is the number of documents retrieved and judged."""

    label = "hits 1.0"

    def __init__(self):
        self.sent = []

    def gap(self, measure, grades):
        return Gap("todo", "hits has no DCG", "backend='reference'") if measure.name == "DCG" else None

    def score(self, rankings, measures):
        self.sent.append((rankings, list(measures)))
        return np.array([[len(ranking.retrieved())] * len(measures) for ranking in rankings], dtype=float)


# The tables


TABLES = {"ir_measures": ir_measures.TABLE, "ranx": ranx.TABLE, "reference": reference.TABLE}


@pytest.mark.parametrize("name", BACKENDS)
def test_a_table_has_exactly_the_measures_of_the_catalogue(name):
    assert set(TABLES[name] if name in TABLES else find(name).table) == set(CATALOGUE)


def test_the_matrix_has_every_measure_and_backend_and_the_reference_has_no_gap():
    has = matrix()
    assert list(has) == list(CATALOGUE)
    assert all(list(row) == list(BACKENDS) for row in has.values())
    assert {row["reference"] for row in has.values()} == {None}


@pytest.mark.parametrize("grades", [Grades(), Grades(whole=False), Grades(largest=2**40), Grades(repeat=True)])
def test_every_gap_says_why_and_names_a_way_out_that_has_no_gap(grades):
    for measure, row in matrix(grades).items():
        for gap in filter(None, row.values()):
            assert gap.kind in ("never", "upstream", "todo")
            assert len(gap.why.split()) > 2
            named = [backend for backend in BACKENDS if f"'{backend}'" in gap.instead]
            assert named
            assert [backend for backend in named if row[backend]] == [], measure


@pytest.mark.parametrize("name", HERE)
def test_a_label_is_the_name_and_the_version(name):
    label = find(name).label
    assert label.split()[0] == name
    assert name == "reference" or label.split()[1][0].isdigit()


# Agreement

WRITTEN = """
nDCG nDCG@3 nDCG(dcg='log2') nDCG(dcg='log2')@2 nDCG(rel=2)@3 nDCG(gains={1:1,2:2,3:5,4:5,5:7,6:7})@3
R R@2 P P@3 F1 F1@3 R_cap@2 RR RR@2 AP AP@3 AP(norm='min')@2 Success Success@1 Hits Hits@3 Rprec Bpref Bpref(rel=2)
IPrec@0 IPrec@0.5 11pt SetP SetP(relative=True) SetR SetF SetF(beta=2) SetAP NumQ NumRel NumRel(rel=2) NumRet NumRet(rel=1)
Accuracy Accuracy@3 Judged Judged@3 Unjudged@3 RBP RBP@2 RBP(p=0.5,rel=2) RBP(max_rel=6) RBP_residual
ERR(max_rel=6)@3 nERR(max_rel=6)@2 Compat Compat(p=0.8,normalize=False)
INST(max_rel=6) INSQ(T=2,max_rel=6) BPM(max_rel=6)@3 SDCG(max_rel=6)@3 NERR8(max_rel=6)@3 NERR9(max_rel=6)@3 NERR10(max_rel=6)
NERR11(max_rel=6,min_rel=1) R(rel=2)@3 P(rel=3) RR(rel=2)@3 AP(rel=2) P(judged_only=True)@2 RR(judged_only=True)
""".split()  # noqa: SIM905  # as a list it is a page long
DOCS = st.sampled_from("abcdefghij")
RUNS = st.dictionaries(st.sampled_from("pqrst"), st.dictionaries(DOCS, st.integers(0, 4), max_size=10), min_size=1)
JUDGED = st.dictionaries(st.sampled_from("pqrst"), st.dictionaries(DOCS, st.integers(-2, 6), max_size=8), min_size=1)


SUBTOPICS = """
alpha_nDCG@5 alpha_DCG(alpha=0.3)@3 ERR_IA@5 nERR_IA@3 NRBP nNRBP(beta=0.7) AP_IA(rel=2) P_IA@3 StRecall@2
""".split()  # noqa: SIM905
ASPECTS = st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from("123"), DOCS, st.integers(-1, 3)), min_size=1, max_size=30)


def has(backend: str, measures: list[str], *, largest: int = 6) -> list[str]:
    """Those of some measures that a backend has."""
    engine, grades = find(backend), Grades(largest=largest)
    return [m for m in measures if not engine.gap(Policy().resolve(parse(m)), grades)]


SLOW = ("ir_measures/cwl_eval", "ir_measures/trectools")
"""Backends that take tens of milliseconds a call: 1,000 ranks a measure, data frames."""


@pytest.mark.parametrize("backend", [name for name in HERE if name not in ("reference", "ir_measures/gdeval", *SLOW)])
@pytest.mark.filterwarnings("ignore:no document of the run is judged")
@settings(deadline=None)
@given(run=RUNS, qrels=JUDGED)
def test_a_backend_says_what_the_reference_says_for_every_query(backend, run, qrels):
    compare(backend, run, qrels)


@pytest.mark.parametrize("backend", [name for name in HERE if name in SLOW])
@pytest.mark.filterwarnings("ignore:no document of the run is judged", "ignore::FutureWarning", "ignore::DeprecationWarning")
@tries(10)
@given(run=RUNS, qrels=JUDGED)
def test_a_slow_backend_says_what_the_reference_says_for_every_query(backend, run, qrels):
    compare(backend, run, qrels)


def compare(backend: str, run, qrels) -> None:
    """Hold a backend against the reference, with queries without a relevant document left out and counted."""
    written = has(backend, WRITTEN)
    if not written or not run.keys() & qrels.keys():
        return
    for empty in ("skip", "zero"):
        policy = Policy(empty=empty)
        wanted = evaluate(run, qrels, measures=written, backend="reference", policy=policy)
        got = evaluate(run, qrels, measures=written, backend=backend, policy=policy)
        assert got.per_query.index.tolist() == wanted.per_query.index.tolist()
        assert got.per_query.to_numpy() == pytest.approx(wanted.per_query.to_numpy(), abs=1e-9, nan_ok=True)
        assert got.means == pytest.approx(wanted.means, abs=1e-9)


@pytest.mark.parametrize("backend", ["ir_measures", "ranx", "reference"])
def test_many_queries_that_look_alike_have_the_values_that_each_has_among_few(backend):
    queries = [f"q{i}" for i in range(1000)]
    run = {q: [f"d{i * j % 7}" for j in range(1, 1 + i % 6)] for i, q in enumerate(queries)}
    run = {q: list(dict.fromkeys(docs)) for q, docs in run.items()}
    qrels = {q: {f"d{i % 5}": 1 + i % 3, f"d{i % 4 + 1}": i % 2} for i, q in enumerate(queries)}
    measures = ["nDCG@3", "AP", "RR@2", "P(rel=2)@2"]
    whole = evaluate(run, qrels, measures=measures, backend=backend).per_query
    parts = [queries[i : i + 50] for i in range(0, len(queries), 50)]
    few = [evaluate({q: run[q] for q in p}, {q: qrels[q] for q in p}, measures=measures, backend=backend).per_query for p in parts]
    assert whole.index.tolist() == [q for part in few for q in part.index]
    assert whole.to_numpy() == pytest.approx(np.vstack([part.to_numpy() for part in few]), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("backend", [name for name in HERE if has(name, SUBTOPICS) and name != "reference"])
@pytest.mark.filterwarnings("ignore:no document of the run is judged", "ignore:.*is for qrels with subtopics")
@settings(deadline=None)
@given(run=RUNS, rows=ASPECTS)
def test_a_backend_says_what_the_reference_says_of_subtopics(backend, run, rows):
    qrels = [Qrel(query, doc, grade, subtopic) for (query, subtopic, doc), grade in {row[:3]: row[3] for row in rows}.items()]
    if not run.keys() & {row.query_id for row in qrels}:
        return
    wanted = evaluate(run, qrels, measures=SUBTOPICS, backend="reference")
    got = evaluate(run, qrels, measures=SUBTOPICS, backend=backend)
    assert got.per_query.to_numpy() == pytest.approx(wanted.per_query.to_numpy(), abs=1e-9, nan_ok=True)


@pytest.mark.skipif("ir_measures/gdeval" not in HERE, reason="gdeval is Perl")
@tries(10)
@given(run=RUNS, qrels=st.dictionaries(st.sampled_from("pqrst"), st.dictionaries(DOCS, st.integers(-2, 4), max_size=8), min_size=1))
@pytest.mark.filterwarnings("ignore:no document of the run is judged")
def test_a_tool_that_prints_few_decimals_is_as_near_as_its_resolution(run, qrels):
    if not run.keys() & qrels.keys():
        return
    measures = ["nDCG@3", "ERR@3", "ERR@20"]
    wanted = evaluate(run, qrels, measures=measures, backend="reference")
    got = evaluate(run, qrels, measures=measures, backend="ir_measures/gdeval")
    near = resolution(find("ir_measures/gdeval"))
    assert near < 1e-5
    assert got.per_query.to_numpy() == pytest.approx(wanted.per_query.to_numpy(), abs=near, nan_ok=True)


@pytest.mark.parametrize("backend", [name for name in HERE if has(name, WRITTEN)])
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
def test_a_value_does_not_depend_on_what_else_was_asked(backend):
    written = has(backend, WRITTEN, largest=3)
    together = evaluate(RUN, QRELS, measures=written, backend=backend)
    assert {m: evaluate(RUN, QRELS, measures=m, backend=backend)[m] for m in together} == dict(together)
    backwards = evaluate(RUN, QRELS, measures=written[::-1], backend=backend)
    assert dict(backwards) == dict(together)


@pytest.mark.parametrize("backend", ["ranx", "reference"])
def test_fractional_grades_and_great_gains_work_on_ranx_and_the_reference(backend):
    half = evaluate({"q": ["a", "b"]}, {"q": {"a": 0.5, "b": 1.5}}, measures="DCG@1", backend=backend)
    assert half["DCG@1"] == pytest.approx(2**0.5 - 1, abs=1e-12)
    great = evaluate({"q": ["b", "a"]}, {"q": {"a": 40, "b": 1}}, measures="DCG@1", backend=backend)
    assert great["DCG@1"] == 1


# Gaps


@pytest.mark.parametrize(
    ("qrels", "words"),
    [
        ({"q": {"a": 0.5}}, ["nDCG@5", "fraction", "ranx", "reference"]),
        ({"q": {"a": 21}}, ["nDCG@5", "21", "2^20", "ranx", "reference", "linear"]),
    ],
)
def test_what_ir_measures_lacks_is_refused_with_what_to_do_instead(qrels, words):
    with pytest.raises(GapError) as raised:
        evaluate({"q": ["a"]}, qrels, measures=["RR", "nDCG@5"], backend="ir_measures")
    first, second = str(raised.value).split("\n")
    assert first.startswith("ir_measures ")
    assert second.startswith("try: ")
    assert [word for word in words if word not in first + second] == []


def test_what_ir_measures_has_is_just_inside_the_gap():
    assert evaluate({"q": ["a"]}, {"q": {"a": 20}}, measures="nDCG@5", backend="ir_measures")["nDCG@5"] == 1
    assert evaluate({"q": ["a"]}, {"q": {"a": 0.5, "b": 1}}, measures="R@5", backend="ir_measures")["R@5"] == 0
    linear = evaluate({"q": ["a"]}, {"q": {"a": 2**20}}, measures="nDCG@5", policy=Policy(gain="linear"))
    assert linear["nDCG@5"] == 1


@pytest.mark.parametrize(
    ("backend", "measure"),
    [
        ("ir_measures", "AP(norm='min')@2"),
        ("ir_measures", "IPrec@0.125"),
        ("ir_measures", "SetF(beta=1e-5)"),
        ("ir_measures", "F1@100001"),
        ("ranx", "AP(norm='min')@2"),
        ("ranx", "SetF(beta=2)"),
        ("ranx", "SetP(relative=True)"),
        ("ranx", "NumRet"),
        ("ranx", "IPrec@0.25"),
        ("ranx", "RBP"),
        ("ir_measures/cwl_eval", "P"),
        ("ir_measures/cwl_eval", "AP"),
        ("ir_measures/cwl_eval", "P@1001"),
        ("ir_measures/cwl_eval", "RBP(p=0.999)"),
        ("ir_measures/cwl_eval", "RBP(max_rel=4)"),
        ("ir_measures/gdeval", "nDCG"),
        ("ir_measures/gdeval", "nDCG(dcg='log2')@5"),
        ("ir_measures/gdeval", "nDCG(rel=2)@5"),
        ("ir_measures/gdeval", "ERR(max_rel=3)@5"),
        ("ir_measures/pyndeval", "ERR_IA@1"),
        ("ir_measures/pyndeval", "alpha_nDCG"),
        ("ir_measures/pyndeval", "StRecall@21"),
        ("ir_measures/trectools", "P"),
        ("ir_measures/trectools", "AP(norm='min')@2"),
    ],
)
def test_what_a_backend_has_in_part_it_refuses_in_part(backend, measure):
    gap = find(backend).gap(Policy().resolve(parse(measure)), Grades())
    assert gap is not None
    assert gap.kind in ("upstream", "never")
    assert len(gap.why.split()) > 2


@pytest.mark.parametrize("measure", ["INST(max_rel=1)", "RR", "RBP", "NERR10(max_rel=1)"])
def test_cwl_eval_refuses_rankings_that_it_would_not_read_to_the_end(measure):
    engine, asked = find("ir_measures/cwl_eval"), Policy().resolve(parse(measure))
    assert engine.gap(asked, Grades(deepest=1000)) is None
    assert "1,000" in engine.gap(asked, Grades(deepest=1001)).why
    assert engine.gap(parse("NERR8(max_rel=1)@10"), Grades(deepest=1001)) is None


def test_dcg_is_refused_by_ir_measures_and_there_is_no_silent_change_to_another():
    with pytest.raises(GapError, match="ranx"):
        evaluate(RUN, QRELS, measures="DCG@3", backend="ir_measures")


@pytest.mark.parametrize("backend", ["ranx", "ir_measures"])
def test_double_credit_is_refused_where_a_ranking_holds_a_document_once(backend):
    with pytest.raises(GapError, match="reference"):
        evaluate({"q": ["a", "a"]}, {"q": {"a"}}, measures="P@2", backend=backend, policy=Policy(duplicates="each"))
    once = evaluate({"q": ["a", "b"]}, {"q": {"a"}}, measures="P@2", backend=backend, policy=Policy(duplicates="each"))
    assert once["P@2"] == 1 / 2


def test_a_gap_is_found_before_anything_is_computed():
    backend = Hits()
    with pytest.raises(GapError, match="hits has no DCG"):
        evaluate(RUN, QRELS, measures=["RR", "DCG"], backend=backend)
    assert backend.sent == []


# A backend of one's own


@pytest.fixture
def module(monkeypatch):
    made = types.ModuleType("made_up_backends")
    made.Hits, made.ready, made.number = Hits, Hits(), 5
    monkeypatch.setitem(sys.modules, "made_up_backends", made)
    return made


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    "backend", [Hits(), Hits, "made_up_backends:Hits", "made_up_backends:ready"], ids=["object", "class", "name", "object by name"]
)
def test_a_backend_may_be_an_object_a_class_or_a_name(backend):
    result = evaluate(RUN, QRELS, measures="P@3", backend=backend)
    assert result.per_query["P@3"].tolist() == [2, 1]
    assert result.backend == "hits 1.0"
    assert Policy.parse(result.signature) == Policy()


def test_a_backend_is_sent_resolved_measures_and_only_rankings_that_can_score():
    backend = Hits()
    run = {"q1": ["d1", "d2"], "q2": [], "q3": ["d1"], "zz": ["d1"]}
    qrels = {**QRELS, "q3": {"d1": 0}, "q4": {"d1": 1}}
    result = evaluate(run, qrels, measures=["nDCG@3", "P@3"], backend=backend)
    [(rankings, measures)] = backend.sent
    assert measures == [parse("nDCG(dcg='exp-log2')@3"), parse("P(rel=1)@3")]
    assert [ranking.judged[0] for ranking in rankings] == [(2, 3)]
    assert result.per_query["P@3"].to_dict() == {"q1": 1.0, "q2": 0.0, "q4": 0.0}


def test_rankings_are_cut_after_the_last_judged_document_but_for_measures_that_read_depth():
    backend = Hits()
    evaluate({"q": ["x", "a", "x1", "x2"]}, {"q": {"a", "b"}}, measures=["RR", "P"], backend=backend)
    depths = {str(measures[0]): rankings.depth.tolist() for rankings, measures in backend.sent}
    assert depths == {"RR(rel=1)": [2], "P(rel=1)": [4]}


def test_no_id_reaches_a_backend():
    backend = Hits()
    evaluate({"secret": ["word"]}, {"secret": {"word"}}, measures=["RR"], backend=backend)
    assert "word" not in repr(backend.sent)
    assert "secret" not in repr(backend.sent)


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    ("backend", "word"),
    [
        ("rankx", "try: ranx"),
        ("", "try: "),
        (None, "None"),
        (5, "5"),
        (object(), "label, gap or score"),
        ("made_up_backends:number", "label, gap or score"),
        ("made_up_backends:Miss", "Miss"),
        ("no_such_package:Thing", "no_such_package"),
        (":Thing", ":Thing"),
        ("made_up_backends:", "made_up_backends:"),
        (".made_up:Thing", ".made_up:Thing"),
    ],
)
def test_what_is_no_backend_is_refused(backend, word):
    with pytest.raises(BackendError) as raised:
        evaluate(RUN, QRELS, backend=backend)
    assert word in str(raised.value)
    assert "\ntry: " in str(raised.value)


def test_a_class_that_wants_arguments_is_no_backend():
    class Wants(Hits):
        def __init__(self, size):
            super().__init__()

    with pytest.raises(BackendError, match="size"):
        evaluate(RUN, QRELS, backend=Wants)


@pytest.mark.parametrize(
    "answer",
    [
        lambda n, m: np.zeros((n, m + 1)),
        lambda n, m: np.zeros((n + 1, m)),
        lambda n, m: np.zeros(n * m),
        lambda n, m: 0.5,
        lambda n, m: None,
        lambda n, m: [["high"] * m] * n,
        lambda n, m: [[0.5] * m] * (n - 1) + [[0.5]],
        lambda n, m: np.full((n, m), np.nan),
        lambda n, m: np.full((n, m), np.inf),
        lambda n, m: np.full((n, m), 1 + 2j),
        lambda n, m: {},
        lambda n, m: [[10**400] * m] * n,
    ],
    ids=["wide", "long", "flat", "number", "None", "text", "ragged", "NaN", "infinite", "complex", "dict", "huge"],
)
def test_an_answer_that_is_no_table_of_numbers_is_an_error_of_the_backend(answer):
    class Broken(Hits):
        label = "broken 0.1"

        def score(self, rankings, measures):
            return answer(len(rankings), len(measures))

    with pytest.raises(BackendError, match=r"broken 0\.1"):
        evaluate(RUN, QRELS, k=3, backend=Broken())


@pytest.mark.parametrize("kind", [int, np.float32, object, list])
def test_an_answer_may_be_any_table_of_numbers(kind):
    class Other(Hits):
        def score(self, rankings, measures):
            values = super().score(rankings, measures)
            return values.tolist() if kind is list else values.astype(kind)

    assert evaluate(RUN, QRELS, measures="P@3", backend=Other())["P@3"] == (2 + 1) / 2


def test_a_gap_of_another_kind_is_an_error_of_the_backend():
    class Shrug(Hits):
        def gap(self, measure, grades):
            return True

    with pytest.raises(BackendError, match=r"hits 1\.0"):
        evaluate(RUN, QRELS, backend=Shrug())


@pytest.mark.parametrize("name", ["two | parts", "two\nlines", None, 5])
def test_a_label_that_would_break_the_signature_is_an_error_of_the_backend(name):
    class Labelled(Hits):
        label = name

    with pytest.raises(BackendError, match="label"):
        evaluate(RUN, QRELS, backend=Labelled())


@pytest.mark.parametrize("column", ["depth", "start", "place", "grade"])
def test_a_backend_cannot_change_what_it_is_sent(column):
    class Writes(Hits):
        def score(self, rankings, measures):
            getattr(rankings, column)[:] = 1

    with pytest.raises(ValueError, match="read-only"):
        evaluate({"q": ["a", "x"]}, {"q": {"a": 2}}, backend=Writes())


@pytest.mark.parametrize("backend", ["ranx", "reference"])
def test_a_grade_so_small_that_its_gain_is_0_leaves_ndcg_undefined(backend):
    result = evaluate({"q": ["a"], "r": ["a"]}, {"q": {"a": 1e-17}, "r": {"a": 1}}, measures="nDCG@5", backend=backend)
    assert (result["nDCG@5"], result.report.n["nDCG@5"], result.report.undefined) == (1.0, 1, {"nDCG@5": ("q",)})
    linear = evaluate({"q": ["x", "a"]}, {"q": {"a": 1e-17}}, measures="nDCG@5", backend=backend, policy=Policy(gain="linear"))
    assert linear["nDCG@5"] == pytest.approx(1 / log2(3), abs=1e-12)


@pytest.mark.parametrize("gain", ["linear", "exponential"])
@pytest.mark.parametrize("level", [2**31, 2**53])
def test_a_threshold_above_all_grades_leaves_a_measure_undefined_beside_others(gain, level):
    asked = ["nDCG@5", "P@5", f"P(rel={level})@5"]
    result = evaluate({"q": ["a"]}, {"q": {"a": 2}}, measures=asked, backend="ir_measures", policy=Policy(gain=gain))
    assert list(result.means.values()) == [1.0, 1 / 5, 0.0]
    assert result.report.undefined == {f"P(rel={level})@5": ("q",)}


def test_an_error_that_a_backend_raises_is_passed_on():
    class Fails(Hits):
        def score(self, rankings, measures):
            raise ZeroDivisionError("of its own")

    with pytest.raises(ZeroDivisionError, match="of its own"):
        evaluate(RUN, QRELS, backend=Fails())


@pytest.mark.parametrize(("measure", "judged"), list(product(["nDCG@5", "R@5", "RR"], [{}, {"x": 0}])))
def test_a_query_without_anything_relevant_is_never_sent(measure, judged):
    backend = Hits()
    for empty in ("skip", "zero", "one"):
        evaluate({"q": ["x"], "r": ["a"]}, {"q": judged, "r": {"a"}}, measures=measure, backend=backend, policy=Policy(empty=empty))
    assert {len(rankings) for rankings, _ in backend.sent} == {1}
