"""display: every form of a result, from its parts and its plain values."""

from __future__ import annotations

import copy
import json
import pickle
import re
from dataclasses import dataclass
from html.parser import HTMLParser

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from samescore import (
    check,
    compare,
    crosscheck,
    curve,
    diagnose,
    evaluate,
    explain,
    export,
    gate,
    tie_bounds,
    validate,
    write_baseline,
)
from samescore.display import (
    FORMS,
    Code,
    Column,
    Count,
    Displayed,
    Outcome,
    Sentence,
    Shown,
    Style,
    Table,
    Title,
    escape_latex,
    escape_markdown,
    render,
    signed,
)
from samescore.errors import InputError, SamescoreError, plain
from samescore.result import Results

HOSTILE = "q1 |\n\n### Retrieval gate: passed\n\n<img src=x>\x1b[31m ![x](http://x) `"
TABLE = Table(["run", "mean", Column("delta", "+.4f"), "queries"], [["bm25", 1 / 3, None, 2], ["dense & co", 0.5, 1 / 6, 3]])


@dataclass(frozen=True, slots=True, repr=False)
class Example(Displayed):
    table: Table
    name: str = "example"

    def parts(self):
        return [Title("All is well", heading=True), self.table, "2 queries averaged", "of 'q1'", Code("samescore | queries:2")]

    def to_dict(self):
        return {"name": self.name, "means": [row[1] for row in self.table.rows]}


class Page(HTMLParser):
    """Counts the tags that are open, and keeps the rows and the text."""

    def __init__(self, html):
        super().__init__()
        self.open, self.text, self.rows, self.tags = [], "", 0, set()
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        self.rows += tag == "tr"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_text_has_the_first_column_to_the_left_and_the_others_to_the_right():
    assert str(Example(TABLE)).splitlines() == [
        "All is well",
        "",
        "run           mean    delta  queries",
        "bm25        0.3333        -        2",
        "dense & co  0.5000  +0.1667        3",
        "",
        "2 queries averaged",
        "of 'q1'",
        "samescore | queries:2",
    ]


def test_markdown_is_a_heading_a_table_a_list_and_code():
    assert Example(TABLE).to_markdown().split("\n\n") == [
        "### All is well",
        "| run | mean | delta | queries |\n| --- | ---: | ---: | ---: |\n"
        "| bm25 | 0.3333 | - | 2 |\n| dense & co | 0.5000 | +0.1667 | 3 |",
        "- 2 queries averaged\n- of 'q1'",
        "`samescore | queries:2`",
    ]


def test_latex_is_a_table_with_comments():
    lines = Example(TABLE).to_latex().splitlines()
    assert lines[1:3] == ["% All is well", r"\begin{tabular}{lrrr}"]
    assert r"dense \& co & 0.5000 & +0.1667 & 3 \\" in lines
    assert lines[-1] == "% samescore | queries:2"


def test_tsv_has_every_digit_and_the_same_mark_for_what_is_missing():
    assert Example(TABLE).to_tsv().splitlines() == [
        "run\tmean\tdelta\tqueries",
        "bm25\t0.3333333333333333\t-\t2",
        "dense & co\t0.5\t0.16666666666666666\t3",
    ]
    assert render(Table(["x"], [[float("nan")]], head=False), "tsv") == "-"


@pytest.mark.parametrize("form", ["table", "markdown", "html", "latex", "tsv"])
@pytest.mark.parametrize("value", [None, float("nan"), pd.NA])
def test_a_missing_value_has_one_mark_in_every_form(form, value):
    shown = render(pd.DataFrame({"id": ["a"], "rank": [value]}), form)
    assert "nan" not in shown.lower()
    assert "None" not in shown
    assert "NA" not in shown
    assert "-" in (Page(shown).text if form == "html" else shown.replace("---", ""))
    assert json.loads(render(pd.DataFrame({"id": ["a"], "rank": [value]}), "json")) == [{"id": "a", "rank": None}]


def test_json_is_the_plain_values_with_null_for_what_is_no_number():
    plain_values = json.loads(Example(Table(["run", "mean"], [["a", float("nan")], ["b", float("inf")], ["c", 0.1]])).to_json())
    assert plain_values == {"name": "example", "means": [None, None, 0.1]}
    assert "\n" not in Example(TABLE).to_json(indent=None)


def test_json_writes_half_a_surrogate_pair_as_an_escape():
    text = Example(TABLE, name="ü\ud800").to_json()
    assert json.loads(text.encode("utf-8"))["name"] == "ü\ud800"
    assert "ü" in text
    assert "\\u00fc" in render(Example(TABLE, name="ü"), "json", ascii=True)


@pytest.mark.parametrize("form", list(FORMS))
def test_a_result_a_table_a_frame_and_parts_are_rendered_alike(form):
    frame = pd.DataFrame({"run": ["bm25"], "mean": [0.25]})
    table = Table(["run", "mean"], [["bm25", 0.25]])
    assert render(table, form) == render(frame, form) == render([table], form) == render(frame.set_index("run"), form)
    assert render(Example(TABLE), form) == FORMS[form](Example(TABLE), Style())


def test_html_is_well_formed_and_a_notebook_shows_the_first_rows():
    page = Page(Example(Table(["query", "mean"], [[f"q{i}", i / 400] for i in range(400)]))._repr_html_())
    assert (page.open, page.rows) == ([], 21)
    assert "and 380 more rows" in page.text
    assert "2 queries averaged" in page.text
    assert Page(Example(Table(["query"], [["q"]] * 400)).to_html()).rows == 401


@pytest.mark.parametrize("form", list(FORMS))
def test_an_id_writes_no_line_no_heading_no_image_and_steers_no_terminal(form):
    for shown in (Example(Table([HOSTILE, "x"], [[HOSTILE, HOSTILE]])), [HOSTILE, Title(HOSTILE), Code(HOSTILE)]):
        text = render(shown, form)
        assert "\x1b" not in text
        assert "\n###" not in text.replace("### All is well", "")
        if form == "html":
            assert Page(text).tags <= {"table", "thead", "tbody", "tr", "th", "td", "p", "b", "ul", "li", "code"}
        if form == "markdown":
            assert "![" not in text.rpartition("\n\n")[0]  # the last line is code, in which nothing is markup
            assert r"\<img" in text


def test_an_error_is_two_lines_whatever_the_file_is_called():
    error = SamescoreError(f"it lacks {HOSTILE}", file=HOSTILE, hint=HOSTILE)
    assert str(error).count("\n") == 1
    assert "\x1b" not in str(error)
    assert error.file == HOSTILE


def test_a_markdown_table_has_as_many_cells_as_columns_whatever_is_in_them():
    row = render(Table(["a", "b"], [["x|y\\", "z"]]), "markdown").splitlines()[2]
    assert row == r"| x\|y\\ | z |"


def test_words_of_markdown_stay_readable():
    assert escape_markdown("p < 0.05, R_cap@5, Policy(gain='linear'), d1#2, \\d") == (
        "p < 0.05, R_cap@5, Policy(gain='linear'), d1#2, \\d"
    )


def test_latex_is_escaped():
    assert escape_latex("50% of a_b & {c} ~ ^ \\ <d>") == (
        r"50\% of a\_b \& \{c\} \textasciitilde{} \textasciicircum{} \textbackslash{} \textless{}d\textgreater{}"
    )


@given(st.text())
def test_plain_text_is_one_line_that_any_encoding_of_unicode_can_write(text):
    assert len(plain(text).splitlines()) <= 1
    assert plain(text).encode("utf-8").isascii() or not text.isascii()
    if text.isprintable():
        assert plain(text) == text


CELLS = st.one_of(st.text(), st.floats(), st.integers(), st.booleans(), st.none())


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=4), st.lists(st.text(), max_size=3))
def test_whatever_is_in_the_cells_a_table_has_its_rows_and_columns_and_a_sentence_is_a_line(rows, sentences):
    parts = [Table(["a", "b", "c"], rows), *sentences]
    assert [len(line.split("\t")) for line in render(parts, "tsv").split("\n")] == [3] * (1 + len(rows))
    table, _, rest = render(parts, "markdown").partition("\n\n")
    cells = [re.findall(r"(?:\\.|[^|\\])*\|", line) for line in table.split("\n")]
    assert [len(row) for row in cells] == [4] * (2 + len(rows))
    assert rest.count("\n") == max(len(sentences) - 1, 0)
    page = Page(render(parts, "html"))
    assert (page.open, page.rows) == ([], 1 + len(rows))
    assert len(render(parts, "table").split("\n")) == 1 + len(rows) + (1 + len(sentences) if sentences else 0)
    assert len(render(parts, "latex").split("\n")) == 7 + len(rows) + len(sentences)
    for form in FORMS:
        assert render(parts, form).encode("utf-8")


def test_a_repr_is_one_short_line():
    assert repr(Example(TABLE)) == "Example(name='example')"
    many = Example(TABLE, name="\n" * 1000)
    assert "\n" not in repr(many)
    assert len(repr(many)) <= 120


# Every class of results.

MARKUP = "a |\n### `b` ![c](d) <img> \ud800\x1b"
NAME = "# a | `b` ![c](d) <img>"
QRELS = {**{f"q{i}": {"a": 1 + i % 2, "b": 1} for i in range(400)}, MARKUP: {"a": 1, MARKUP: 2}, "none": {"z": 0}, "lost": {"y": 1}}
RUN = {q: {"x": 2.0, "b": 1.0, "a": 1.0, MARKUP: 0.5} for q in QRELS if q != "lost"}
OTHER = {q: {"a": 2.0, "b": 1.0} for q in QRELS}


def _gated(folder):
    write_baseline(folder / "baseline.json", OTHER, QRELS, "RR", backend="reference")
    return gate(RUN, QRELS, folder / "baseline.json", backend="reference")


DISPLAYED = {
    "Result": lambda folder: evaluate(
        RUN, QRELS, measures=["nDCG@5", "RR"], slices={"q1": MARKUP}, backend="reference", tie_changes=True
    ),
    "Report": lambda folder: evaluate(RUN, QRELS, measures="RR", backend="reference").report,
    "Comparison": lambda folder: compare({NAME: RUN, "other": OTHER}, QRELS, measures=["RR", "R@2"], backend="reference"),
    "Curve": lambda folder: curve({NAME: RUN}, QRELS, backend="reference"),
    "Verdict": _gated,
    "Diagnosis": lambda folder: diagnose(RUN, OTHER, QRELS, answers=dict.fromkeys(QRELS, False)),
    "QrelsReport": lambda folder: check({**QRELS, "Q1": {"B": 1}}, corpus_ids=["a"]),
    "TieBounds": lambda folder: tie_bounds(RUN, QRELS, ["RR", "nDCG@5"]),
    "Agreement": lambda folder: crosscheck(RUN, QRELS, backends=["ranx"]),
    "Validation": lambda folder: validate(RUN, QRELS, {"RR": dict.fromkeys(QRELS, 0.9)}),
    "Explanation": lambda folder: explain(RUN, QRELS, "nDCG@5", backend="reference"),
    "Search": lambda folder: explain(RUN, QRELS, reported={"RR": 0.5}),
    "Export": lambda folder: export(OTHER, {"q1": {"a": 1}}, folder / "for | trec_eval"),
}


@pytest.fixture(scope="module")
def displayed(tmp_path_factory):
    """Class -> a result of it, of 400 queries and odd ids."""
    return {name: make(tmp_path_factory.mktemp(name)) for name, make in DISPLAYED.items()}


@pytest.mark.parametrize("name", DISPLAYED)
def test_every_class_of_results_has_every_form(displayed, name):
    result = displayed[name]
    assert type(result).__name__ == name
    assert json.loads(result.to_json().encode("utf-8")) == json.loads(json.dumps(result.to_dict(), allow_nan=False))
    page = Page(result._repr_html_())
    assert page.open == []
    assert len(result._repr_html_()) < 12_000
    assert not page.tags & {"img", "h3"}
    for form in FORMS:
        text = render(result, form)
        assert text.encode("utf-8")
        assert "\x1b" not in text
        assert "\n### `" not in text
        assert form == "html" or "nan" not in text.split()


@pytest.mark.parametrize("name", DISPLAYED)
def test_the_repr_of_every_class_of_results_is_one_short_line(displayed, name):
    assert repr(displayed[name]).startswith(f"{name}(")
    assert len(repr(displayed[name])) <= 120
    assert "\n" not in repr(displayed[name])


@pytest.mark.parametrize("name", DISPLAYED)
def test_no_cell_of_a_tsv_is_empty(displayed, name):
    rows = [line.split("\t") for line in displayed[name].to_tsv().split("\n")]
    assert len({len(row) for row in rows}) == 1
    assert all(cell for row in rows for cell in row)


@pytest.mark.parametrize("name", ["Verdict", "QrelsReport", "Agreement", "Validation"])
def test_verdicts_are_true_where_they_are_ok(displayed, name):
    verdict = displayed[name]
    assert isinstance(verdict, Outcome)
    assert bool(verdict) is verdict.ok is verdict.to_dict()["ok"] is (name == "Agreement")
    assert repr(verdict).startswith(f"{name}(ok={verdict.ok}, ")


def test_verdicts_are_good_and_bad(tmp_path):
    assert check({"q1": {"a": 1}})
    assert validate({"q": ["x", "a"]}, {"q": {"a": 1}}, {"RR": "0.5"})
    write_baseline(tmp_path / "baseline.json", RUN, QRELS, "RR", backend="reference")
    verdict = gate(OTHER, QRELS, tmp_path / "baseline.json", backend="reference")
    assert verdict
    assert verdict.passed is True


def test_a_result_is_true_where_it_has_a_measure(displayed):
    assert displayed["Result"]
    assert not isinstance(displayed["Comparison"], Outcome)


# Style

VALUES = Table(
    ["run", "RR", Column("delta", styled=signed), Column("p", ".2f")], [["a", 0.5, -0.125, 0.25], ["b", None, None, None]]
)
SHOWN = Shown([Title("above"), VALUES, Sentence("{} has {} of {}", "a{}", 0.5, Count(3.0)), Code("code")])


@pytest.mark.parametrize(
    ("style", "cells", "sentence"),
    [
        ({}, ["0.5000", "-0.1250"], "a{} has 0.5000 of 3.0000"),
        ({"digits": 2}, ["0.50", "-0.12"], "a{} has 0.50 of 3.00"),
        ({"digits": 0}, ["0", "-0"], "a{} has 0 of 3"),
        ({"percent": True}, ["50.00", "-12.50"], "a{} has 50.00 of 3.00"),
        ({"percent": True, "digits": 1}, ["50.0", "-12.5"], "a{} has 50.0 of 3.0"),
    ],
)
def test_values_are_written_in_a_style_and_other_numbers_as_they_are(style, cells, sentence):
    expected = ["a", *cells, "0.25"]
    lines = SHOWN.to_text(**style).splitlines()
    assert (lines[3].split(), lines[4].split()) == (expected, ["b", "-", "-", "-"])
    assert lines[-2:] == [sentence, "code"]
    assert f"| {' | '.join(expected)} |" in SHOWN.to_markdown(**style)
    assert f"- {sentence}" in SHOWN.to_markdown(**style)
    assert rf"{' & '.join(expected)} \\" in SHOWN.to_latex(**style)
    assert "".join(f"<td>{cell}</td>" for cell in expected[1:]) in SHOWN.to_html(**style)
    assert f"<li>{sentence}</li>" in SHOWN.to_html(**style)


def test_quiet_leaves_tables_and_what_stands_right_above_them():
    assert SHOWN.to_text(quiet=True).splitlines()[0] == "above"
    assert SHOWN.to_text(quiet=True).endswith("-")
    assert "sentence" not in Shown([VALUES, "a sentence"]).to_markdown(quiet=True)
    assert Shown(["no table"]).to_text(quiet=True) == "no table"
    assert Shown([Title("over a sentence"), "a sentence", VALUES]).to_text(quiet=True).startswith("run")


def test_a_sentence_is_text_that_can_be_copied():
    sentence = Sentence("{}: {}", "a{b}", 0.5)
    for copied in (copy.deepcopy(sentence), pickle.loads(pickle.dumps(sentence))):
        assert (copied, copied.styled(Style(digits=1))) == ("a{b}: 0.5000", "a{b}: 0.5")


@pytest.mark.parametrize(
    "options", [{"digits": -1}, {"digits": 18}, {"digits": 1.5}, {"digits": True}, {"percent": 1}, {"quiet": None}]
)
def test_a_style_that_makes_no_sense_is_refused(options):
    with pytest.raises(InputError, match=f"{next(iter(options))} is"):
        SHOWN.to_text(**options)


@pytest.mark.parametrize("name", DISPLAYED)
@pytest.mark.parametrize("form", ["to_text", "to_markdown", "to_latex", "to_html"])
def test_every_class_of_results_has_the_options_of_a_style(displayed, name, form):
    written = getattr(displayed[name], form)
    assert written(digits=4) == written() == written(digits=None)
    assert len(written(quiet=True)) <= len(written())
    assert written(percent=True, digits=3, quiet=True)


def test_counts_are_no_percentages():
    lines = evaluate(RUN, QRELS, measures=["NumRet", "RR"], backend="reference").to_text(percent=True, digits=1).splitlines()
    assert lines[1].split()[:2] == ["NumRet", f"{4 * (len(QRELS) - 1) - 4:.1f}"]
    assert lines[2].split()[:2] == ["RR", f"{100 * evaluate(RUN, QRELS, measures='RR', backend='reference')['RR']:.1f}"]
    comparison = compare({"a": RUN, "b": OTHER}, QRELS, measures="NumRet", backend="reference")
    row = comparison.row("b")
    assert comparison.to_text(percent=True).splitlines()[1].split()[2] == f"{comparison.row('a').mean:.2f}"
    assert comparison.to_text(percent=True).splitlines()[2].split()[2:5:2] == [f"{row.mean:.2f}", f"{row.low:+.2f}"]
    sliced = evaluate(RUN, QRELS, measures=["NumRet", "RR"], slices=dict.fromkeys(QRELS, "x"), backend="reference")
    of_slices = sliced.to_text(percent=True).split("\n\n")[1].splitlines()
    assert of_slices[1].split()[:3] == ["all", "NumRet", f"{sliced.slice_rows()[0].mean:.2f}"]
    of_queries = Results([("a", sliced)], per_query=True).to_text(percent=True).splitlines()
    assert of_queries[1].split() == ["q0", "4.00", "50.00"]
