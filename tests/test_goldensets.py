"""Golden sets: the fingerprint follows the judgements and nothing else, a split the ids, and a check finds what is odd."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from samescore import check, fingerprint, read_qrels, split
from samescore.errors import InputError, PolicyError

QRELS = {"q1": {"d1": 2, "d2": 0}, "q2": {"d9": 1}}

IDS = st.text(min_size=1, max_size=3)
JUDGEMENTS = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-2, 4), max_size=4), max_size=4)


@pytest.mark.parametrize(
    "changed",
    [
        {"q1": {"d1": 1, "d2": 0}, "q2": {"d9": 1}},
        {"q1": {"d1": 2, "d3": 0}, "q2": {"d9": 1}},
        {"q1": {"d1": 2}, "q2": {"d9": 1}},
        {"q1": {"d1": 2, "d2": 0}, "q3": {"d9": 1}},
        {"q1": {"d1": 2, "d2": 0}},
        {"q1": {"d1": 2, "d2": 0}, "q2": {"d9": 1}, "q3": {}},
        {"q1": {"d1": 2, "d2": 0, "d9": 1}, "q2": {}},
    ],
    ids=["grade", "document", "row gone", "query", "query gone", "query without an answer", "row of another query"],
)
def test_it_changes_when_a_judgement_does(changed):
    assert fingerprint(changed) != fingerprint(QRELS)


@given(JUDGEMENTS, st.randoms())
def test_it_does_not_change_with_the_order_or_the_form(qrels, random):
    def shuffled(mapping):
        items = list(mapping.items())
        random.shuffle(items)
        return dict(items)

    other = {query: shuffled({doc: float(grade) for doc, grade in judged.items()}) for query, judged in shuffled(qrels).items()}
    assert fingerprint(other) == fingerprint(qrels) == fingerprint(read_qrels(qrels))


@given(JUDGEMENTS, JUDGEMENTS)
def test_it_differs_for_any_two_golden_sets_that_differ(one, other):
    assert (fingerprint(one) == fingerprint(other)) == (one == other)


def test_a_judgement_given_twice_alike_counts_once(tmp_path):
    once, twice = tmp_path / "once.txt", tmp_path / "twice.txt"
    once.write_text("q1 0 d1 1\n")
    twice.write_text("q1 0 d1 1\nq1 0 d1 1\n")
    assert fingerprint(twice) == fingerprint(once)


def test_judgements_in_conflict_keep_their_order_because_the_last_may_win(tmp_path):
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    one.write_text("q1 0 d1 1\nq1 0 d1 2\n")
    other.write_text("q1 0 d1 2\nq1 0 d1 1\n")
    assert fingerprint(one) != fingerprint(other)


MANY = {f"q{i}": {"d1": 1, f"d{i}": 0} for i in range(2000)}


def test_the_sides_of_a_split_share_no_query_and_lose_none():
    develop, held_out = split(MANY)
    assert sorted(develop.queries + held_out.queries) == sorted(MANY)
    assert {**develop.grades, **held_out.grades} == MANY
    assert develop.rows + held_out.rows == read_qrels(MANY).rows


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_the_share_held_out_is_right_within_what_chance_does(share):
    held_out = len(split(MANY, share)[1])
    assert abs(held_out - 2000 * share) < 4 * (2000 * share * (1 - share)) ** 0.5  # four standard deviations of a binomial


def test_the_side_of_a_query_depends_on_its_id_and_the_seed_alone():
    some = {query: MANY[query] for query in reversed(list(MANY)[:100])}
    assert set(split(some)[1].queries) == {query for query in split(MANY)[1].queries if query in some}
    assert split(MANY, seed=1)[1].queries == split(MANY, seed="1")[1].queries != split(MANY, seed=2)[1].queries


def test_a_larger_share_holds_out_what_a_smaller_one_does():
    assert set(split(MANY, 0.2)[1].queries) < set(split(MANY, 0.6)[1].queries)


def test_a_split_is_the_same_on_every_machine():
    assert split({f"q{i}": {"d"} for i in range(10)}, 0.3, seed=5)[1].queries == ["q3", "q5", "q6"]


def test_judgements_in_conflict_and_ids_that_are_no_utf8_stay(tmp_path):
    twice = read_qrels({"q1": [("d", 1), ("d", 2)], "\ud800": {"e"}})
    develop, held_out = split(twice)
    assert {**develop.further, **held_out.further} == {"q1": [("d", 2)]}
    assert develop.rows + held_out.rows == 3


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, True, "half", None])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(InputError, match="share between 0 and 1"):
        split(MANY, share)


@pytest.mark.parametrize("seed", [1.5, None, True])
def test_a_seed_that_could_change_its_text_is_refused(seed):
    with pytest.raises(InputError, match="seed"):
        split(MANY, seed=seed)


def test_check_counts_what_there_is():
    report = check({"q1": {"d1": 2, "d2": 1, "d3": 0}, "q2": {"d1": 1}})
    assert (report.queries, report.judgements, report.documents) == (2, 4, 3)
    assert (report.grades, report.relevant) == ({0: 1, 1: 2, 2: 1}, {"q1": 2, "q2": 1})
    assert report.lines() == ["nothing odd was found"]
    assert report.fingerprint == fingerprint({"q1": {"d1": 2, "d2": 1, "d3": 0}, "q2": {"d1": 1}})


def test_check_finds_queries_without_a_relevant_document():
    assert check({"q1": {"d": 1}, "q2": {"d": 0}, "q3": {}, "q4": {"d": -1}}).empty == ("q2", "q3", "q4")
    assert check({"q1": {"d": 1}}, relevance_level=2).empty == ("q1",)


def test_check_counts_repeats_and_names_conflicts():
    report = check({"q1": [("d", 1), ("d", 1), ("e", 1), ("e", 2), ("e", 0)]})
    assert (report.repeated, report.conflicts) == (1, (("q1", "e"),))
    assert report.judgements == sum(report.grades.values()) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("doc1", "DOC1"),
        ("doc1", " doc1"),
        ("doc_1", "doc-1"),
        ("doc.1", "doc/1"),
        ("http://a.b/c", "http://a.b/c/"),
        ("d7", "d007"),
        ("12", "12.0"),
        ("d\u00e9j\u00e0", "de\u0301ja\u0300"),
        ("\uff24\uff11", "d1"),
        ("d1", "\ufeffd1"),
        ("stra\u00dfe", "STRASSE"),
    ],
)
def test_ids_that_differ_in_spelling_only_are_near(one, other):
    assert check({"q1": {one: 1, other: 1}}).near_documents == ((one, other),)
    assert check({one: {"d": 1}, other: {"d": 1}}).near_queries == ((one, other),)


@pytest.mark.parametrize(("one", "other"), [("d1_12", "d11_2"), ("d1", "d10"), ("1.5", "15"), ("a", "b"), ("0", "00a"), ("-", "_")])
def test_ids_that_differ_in_more_are_not_near(one, other):
    assert check({"q1": {one: 1, other: 1}}).near_documents == ()


def test_check_names_the_documents_that_the_corpus_lacks_and_how_it_spells_them():
    report = check({"q1": {"d1": 1, "D2": 2}, "q2": {"gone": 0, 3: 1}}, corpus_ids=["d1", "d2", 3])
    assert [(row.query, row.doc, row.grade, row.near) for row in report.absent] == [("q1", "D2", 2, "d2"), ("q2", "gone", 0, None)]
    assert "2 judged documents not in the corpus: 'D2', 'gone'" in report.lines()
    assert check({"q1": {"d1": 1}}).absent is None
    assert check({"q1": {"d1": 1}}, corpus_ids=iter(["d1"])).absent == ()


@pytest.mark.parametrize("corpus", ["d1", 5, [None], [""]])
def test_a_corpus_that_is_no_list_of_ids_is_refused(corpus):
    with pytest.raises(InputError):
        check({"q1": {"d1": 1}}, corpus_ids=corpus)


def test_the_corpus_may_be_a_mapping_of_texts_and_absent_documents_are_counted_once():
    report = check({"q1": {"z": 1, "b": 1}, "q2": {"z": 1}}, corpus_ids={"b": "text"})
    assert "1 judged document not in the corpus: 'z'" in report.lines()
    assert len(report.absent) == 2


CORPORA = {
    "ids.txt": "b\na b\n",
    "corpus.tsv": "b\tthe text\na b\tanother, with a comma\n",
    "header.tsv": "pid\ttext\nb\tx\na b\ty\n",
    "corpus.csv": 'text,doc_id\n"x, y",b\nz,a b\n',
    "corpus.jsonl": '{"_id": "b", "title": "", "text": "x"}\n\n{"_id": "a b", "text": "y"}\n',
    "corpus.json": '{\n"b": "text",\n"a b": {"text": "y"}\n}\n',
}


@pytest.mark.parametrize("name", CORPORA)
def test_a_corpus_is_read_as_people_have_it(name, say, tmp_path):
    (tmp_path / name).write_text(CORPORA[name])
    (tmp_path / "qrels.json").write_text(json.dumps({"q": {"b": 1, "a b": 1, "z": 1}, "p": {"z": 1}}))
    words = ("check", tmp_path / "qrels.json", "--corpus", tmp_path / name)
    out, _, code = say(*words)
    assert code == 0
    assert "1 judged document not in the corpus: 'z'" in out
    assert say(*words, "--strict")[2] == 1


def test_a_corpus_of_objects_without_ids_is_refused(say, tmp_path):
    (tmp_path / "corpus.jsonl").write_text('{"_id": "b"}\n{"text": "y"}\n')
    (tmp_path / "qrels.txt").write_text("q 0 b 1\n")
    _, err, code = say("check", tmp_path / "qrels.txt", "--corpus", tmp_path / "corpus.jsonl")
    assert code == 2
    assert "corpus.jsonl, line 2: no JSON object with an id" in err


def test_strict_is_content_with_a_golden_set_in_which_nothing_is_odd(say, tmp_path):
    (tmp_path / "qrels.txt").write_text("q 0 b 1\n")
    assert say("check", tmp_path / "qrels.txt", "--strict")[2] == 0


def test_judgements_of_several_subtopics_are_no_conflict(tmp_path):
    (tmp_path / "qrels.txt").write_text("q 1 a 1\nq 2 a 0\nq 2 b 1\n")
    assert check(tmp_path / "qrels.txt").ok
    (tmp_path / "qrels.txt").write_text("q 1 a 1\nq 2 a 0\nq 2 b 1\nq 2 a 2\nq 2 b 1\n")
    report = check(tmp_path / "qrels.txt")
    assert (report.conflicts, report.repeated) == ((("q", "a"),), 1)


def test_a_level_below_1_is_refused():
    with pytest.raises(PolicyError, match="at least 1"):
        check({}, relevance_level=0)


def test_the_report_prints_as_a_table_as_markdown_and_as_json():
    report = check({"q1": {"d1": 1, "D1": 0.5}, "q2": {}}, corpus_ids=["d1"])
    assert "relevant a query, least / median / most" in str(report)
    assert "| grade 0.5 | 1 |" in report.to_markdown()
    assert "- 1 query without a relevant document: 'q2'" in report.to_markdown()
    plain = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert (plain["empty"], plain["grades"]) == (["q2"], {"0.5": 1, "1": 1})
    assert str(check({})).endswith("nothing odd was found")


ASPECTS = "q1 1 a 1\nq1 2 a 1\nq2 0 b 1\n"


def test_a_fingerprint_changes_with_the_subtopic_of_a_judgement(tmp_path):
    prints = []
    for text in (ASPECTS, ASPECTS.replace("q1 2 a", "q1 3 a"), "q1 2 a 1\nq2 0 b 1\nq1 1 a 1\n"):
        (tmp_path / "qrels").write_text(text)
        prints.append(fingerprint(tmp_path / "qrels"))
    assert prints[0] != prints[1]
    assert prints[0] == prints[2]


def test_subtopics_go_with_their_queries(tmp_path):
    (tmp_path / "qrels").write_text(ASPECTS)
    develop, held_out = split(tmp_path / "qrels")
    assert {side.subtopics.keys() <= side.grades.keys() for side in (develop, held_out)} == {True}
    assert [*develop.subtopics, *held_out.subtopics] == ["q1"]
