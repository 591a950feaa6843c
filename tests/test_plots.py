"""Plots: what is drawn are the numbers, with titles, labels and a legend, and runs can be told apart."""

from __future__ import annotations

import subprocess
import sys

import pandas
import pytest

from samescore import SamescoreError, curve, evaluate
from samescore.cli.evaluation import PLOTS
from samescore.tools.plots import KINDS

pytest.importorskip("matplotlib")

from samescore.plots import figure, plot, plot_box, plot_curve, plot_deltas, plot_precision_recall, plot_slices, save

QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}, "q3": {"c": 1}, "q4": {}}
RUNS = {
    "bm25": {"q1": ["a", "x", "b"], "q2": ["x", "y", "a"], "q3": ["x"]},
    "dense": {"q1": ["x", "b", "a"], "q2": ["a", "x"], "q3": ["x"]},
}


def results(*measures):
    return {name: evaluate(run, QRELS, measures=measures, backend="reference") for name, run in RUNS.items()}


def frame(values, measure="RR"):
    return pandas.DataFrame({measure: list(values.values())}, index=list(values))


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def ticks(ax):
    return [text.get_text() for text in ax.get_xticklabels()]


def test_a_curve_goes_through_the_means_at_each_cutoff():
    _, ax = figure()
    plot_curve(ax, results("R@3", "R@1", "R@2", "RR"))
    bm25, dense = ax.lines
    assert bm25.get_xydata().tolist() == [[1, (1 / 2 + 0 + 0) / 3], [2, (1 / 2 + 0 + 0) / 3], [3, (2 / 2 + 1 + 0) / 3]]
    assert dense.get_xydata().tolist() == [[1, (0 + 1 + 0) / 3], [2, (1 / 2 + 1 + 0) / 3], [3, (2 / 2 + 1 + 0) / 3]]
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == ("R by cutoff", "k", "mean R@k")
    assert (labels(ax), ticks(ax)) == (["bm25", "dense"], ["1", "2", "3"])


def test_a_curve_of_one_measure_leaves_others_and_other_parameters_out():
    _, ax = figure()
    plot_curve(ax, results("nDCG@1", "nDCG(dcg='log2')@1", "R@1"), "nDCG")
    assert len(ax.lines) == 2
    assert ax.get_ylabel() == "mean nDCG@k"


def test_precision_is_drawn_at_the_eleven_levels_of_recall():
    _, ax = figure()
    plot_precision_recall(ax, results(*(f"IPrec@{i / 10}" for i in range(11)), "RR"))
    bm25, dense = ax.lines
    # bm25 finds a at 1 and b at 3 for q1, a at 3 for q2, nothing for q3; dense b at 2 and a at 3, a at 1, nothing.
    first, second = [(1 + 1 / 3 + 0) / 3, (2 / 3 + 1 / 3 + 0) / 3], [(2 / 3 + 1 + 0) / 3] * 2
    levels = [i / 10 for i in range(11)]
    for line, (up_to_half, above) in ((bm25, first), (dense, second)):
        assert line.get_xdata().tolist() == levels
        assert line.get_ydata().tolist() == pytest.approx([up_to_half] * 6 + [above] * 5)
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == ("Interpolated precision at recall", "recall", "mean IPrec@recall")
    assert labels(ax) == ["bm25", "dense"]


def test_precision_and_recall_need_interpolated_precision():
    with pytest.raises(SamescoreError, match="'bm25' has no interpolated precision"):
        plot_precision_recall(figure()[1], results("RR"))


def test_slices_of_micro_averages_have_these():
    labels = {"q1": "long", "q2": "short", "q3": "short"}
    found = evaluate(RUNS["bm25"], QRELS, measures="R@3", slices=labels, average="micro", backend="reference")
    _, ax = figure()
    plot_slices(ax, {"bm25": found}, "R@3")
    assert ax.lines[0].get_ydata().tolist() == [(2 + 1 + 0) / (2 + 1 + 1), 2 / 2, (1 + 0) / (1 + 1)]


def test_deltas_are_paired_by_query_and_sorted():
    _, ax = figure()
    before, after = frame({"q1": 1.0, "q2": 0.5, "q3": 0.0, "q5": 1.0}), frame({"q3": 0.25, "q2": 0.0, "q1": 1.0})
    plot_deltas(ax, before, after, "RR", names=("bm25", "dense"))
    heights = {patch.get_x() + patch.get_width() / 2: patch.get_height() for patch in ax.patches}
    assert heights == {0: 0.25 - 0.0, 2: 0.0 - 0.5}
    assert ticks(ax) == ["q3", "q1", "q2"]
    assert labels(ax) == ["1 better", "1 equal", "1 worse", f"mean {(0.25 + 0 - 0.5) / 3:+.4f}"]
    assert ax.get_title() == "RR by query: dense against bm25"
    assert ax.get_xlabel() == "3 queries, the best first; 1 left out, in one run only"
    assert ax.get_ylabel() == "difference in RR"


def test_many_deltas_are_drawn_as_outlines_without_names():
    _, ax = figure()
    ids = [f"q{i}" for i in range(1000)]
    plot_deltas(ax, frame(dict.fromkeys(ids, 0.0)), frame({query: i / 1000 for i, query in enumerate(ids)}), "RR")
    assert (len(ax.patches), len(ax.collections), ticks(ax)) == (0, 1, [])


def test_a_box_stands_for_each_run_with_its_number_of_queries():
    _, ax = figure()
    plot_box(ax, results("RR"), "RR")
    assert ticks(ax) == ["bm25\n3 queries", "dense\n3 queries"]
    assert (ax.get_title(), ax.get_ylabel(), labels(ax)) == ("RR by query", "RR", ["median", "mean"])
    means = [line.get_ydata()[0] for line in ax.lines if line.get_marker() == "D"]
    assert means == [(1 + 1 / 3 + 0) / 3, (1 / 2 + 1 + 0) / 3]


def test_slices_have_the_mean_of_each_run_in_each_and_over_all():
    _, ax = figure()
    plot_slices(ax, results("RR"), "RR", {"q1": "short", "q2": "short", "q3": "long", "q9": "long"})
    bm25, dense = (points.lines[0].get_ydata().tolist() for points in ax.containers)
    assert bm25 == [(1 + 1 / 3 + 0) / 3, (1 + 1 / 3) / 2, 0]
    assert dense == [(1 / 2 + 1 + 0) / 3, (1 / 2 + 1) / 2, 0]
    assert ticks(ax) == ["all\n3 queries", "short\n2 queries", "long\n1 query"]
    assert (ax.get_title(), ax.get_ylabel(), labels(ax)) == ("RR by slice", "mean RR, interval at 95 %", ["bm25", "dense"])


def test_the_interval_of_a_slice_is_that_of_evaluate_and_its_labels_need_not_be_said_again():
    labels = {"q1": "short", "q2": "short", "q3": "long"}
    result = evaluate(RUNS["bm25"], QRELS, measures="RR", slices=labels, backend="reference")
    _, ax = figure()
    plot_slices(ax, {"bm25": result}, "RR")
    ((whole, short, _),) = [bars.get_segments() for bars in ax.collections]
    drawn = [[y for _, y in segment] for segment in (whole, short)]
    assert drawn == [
        pytest.approx(row) for row in result.slices.loc[result.slices["slice"] != "long", ["low", "high"]].values.tolist()
    ]


def test_a_curve_that_was_computed_can_be_drawn_as_it_is():
    _, ax = figure()
    plot_curve(ax, curve(RUNS, QRELS, "P", k=[1, 2], backend="reference"))
    assert (ax.get_ylabel(), labels(ax)) == ("mean P@k", ["bm25", "dense"])
    assert ax.lines[0].get_ydata().tolist() == [(1 + 0 + 0) / 3, (1 / 2 + 0 + 0) / 3]


def test_a_curve_of_micro_averages_has_these():
    _, ax = figure()
    found = curve(RUNS, QRELS, "R", k=[1, 3], average="micro", backend="reference")
    plot_curve(ax, found)
    assert ax.lines[0].get_ydata().tolist() == [(1 + 0 + 0) / (2 + 1 + 1), (2 + 1 + 0) / (2 + 1 + 1)]


def test_many_runs_differ_in_colour_marker_or_line_and_the_legend_stands_beside():
    _, ax = figure()
    plot_box(ax, {f"run {i}": frame({"q": 0.5}) for i in range(30)}, "RR")
    _, ax = figure()
    plot_curve(ax, {f"run {i}": frame({"q": 0.5}, "R@1") for i in range(30)})
    looks = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in ax.lines}
    assert len(looks) == 30
    assert ax.get_legend().get_bbox_to_anchor().transformed(ax.transAxes.inverted()).x0 == pytest.approx(1)


@pytest.mark.parametrize("name", ["cost $5 or $6", "_hidden", "x" * 200, "é ü", r"\alpha", "a\nb"])
def test_any_name_of_a_run_can_be_drawn(name):
    fig, ax = figure()
    plot_curve(ax, {name: frame({"q": 0.5}, "R@1")})
    fig.draw_without_rendering()
    assert len(labels(ax)) == 1
    assert len(labels(ax)[0]) < 50


def test_values_that_are_undefined_are_left_out():
    _, ax = figure()
    plot_box(ax, {"run": frame({"q1": 0.5, "q2": float("nan")})}, "RR")
    assert ticks(ax) == ["run\n1 query"]


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda ax: plot_curve(ax, {}), "no result"),
        (lambda ax: plot_curve(ax, {"a": frame({"q": 1.0})}), "no R at a cutoff"),
        (lambda ax: plot_curve(ax, {"a": frame({"q": 1.0})}, "nonsense"), "unknown measure"),
        (lambda ax: plot_box(ax, {"a": frame({"q": 1.0})}, "AP"), "'a' has no AP"),
        (lambda ax: plot_deltas(ax, frame({"q": 1.0}), frame({"p": 1.0}), "RR"), "no query has a value of RR in both"),
        (lambda ax: plot_slices(ax, {"a": frame({"q": 1.0})}, "RR", {"p": "long"}), "no query has a label"),
        (lambda ax: plot_precision_recall(ax, {"a": frame({"q": 1.0})}), "no interpolated precision"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, message):
    _, ax = figure()
    with pytest.raises(SamescoreError, match=message):
        draw(ax)


def test_importing_the_plots_imports_no_matplotlib():
    code = "import sys, samescore.plots; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_star_imports_the_plots_alone():
    names = {}
    exec("from samescore.plots import *", names)
    plots = {"figure", "plot", "plot_box", "plot_curve", "plot_deltas", "plot_precision_recall", "plot_slices", "save"}
    assert names.keys() - {"__builtins__"} == plots


def test_values_of_another_tool_are_drawn_as_those_of_a_result():
    _, ax = figure()
    plot_box(ax, {"ranx": {"mrr": {"q1": 1.0, "q2": 0.5}}, "plain": frame({"q1": 0.25, "q2": 0.75})}, "RR")
    assert [line.get_ydata()[0] for line in ax.lines if line.get_marker() == "D"] == [(1.0 + 0.5) / 2, (0.25 + 0.75) / 2]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (5, "run 'bm25': no values by query: 5"),
        (RUNS["bm25"], "run 'bm25': no values by query"),
        (frame({"q1": "x"}), "run 'bm25', query 'q1': the value of RR.* is 'x'"),
        (pandas.DataFrame({"RR": [1.0, 0.5]}, index=["q1", "q1"]), "run 'bm25', query 'q1': two values of RR"),
        (pandas.DataFrame({"RR": [1.0]}), "run 'bm25': the frame of per-query values names no queries"),
        (frame({"q1": float("inf")}), "run 'bm25', query 'q1': the value of RR.* is inf"),
    ],
)
def test_what_holds_no_values_by_query_is_refused_with_the_name_of_the_run(source, message):
    with pytest.raises(SamescoreError, match=message):
        plot_box(figure()[1], {"bm25": source}, "RR")


@pytest.mark.parametrize("given", [None, 5, []])
def test_results_without_names_are_refused(given):
    with pytest.raises(SamescoreError, match="results are"):
        plot_precision_recall(figure()[1], given)


def test_a_path_that_is_none_is_refused():
    with pytest.raises(SamescoreError, match="the path of the plot is 5"):
        save(figure()[0], 5)


def test_the_command_has_every_kind_of_plot():
    assert list(KINDS) == list(PLOTS)


@pytest.mark.parametrize(
    ("kind", "options", "title", "names"),
    [
        ("curve", {"k": [1, 2]}, "R by cutoff", ["bm25", "dense"]),
        ("precision-recall", {}, "Interpolated precision at recall", ["bm25", "dense"]),
        ("slices", {"measure": "RR", "slices": {"q1": "long"}}, "RR by slice", ["bm25", "dense"]),
    ],
)
def test_runs_are_scored_and_drawn(kind, options, title, names):
    ax = plot(kind, RUNS, QRELS, backend="reference", **options).axes[0]
    assert (ax.get_title(), labels(ax)) == (title, names)


def test_deltas_are_those_of_the_second_run_against_the_first():
    ax = plot("deltas", RUNS, QRELS, "R@1", backend="reference").axes[0]
    assert ax.get_title() == "R@1 by query: dense against bm25"
    assert "mean +0.1667" in labels(ax)  # (0 - 1 / 2 + 1 - 0 + 0 - 0) / 3


@pytest.mark.parametrize(
    ("kind", "runs", "said"),
    [
        ("pie", RUNS, "there is no plot of kind 'pie'"),
        ("deltas", {"bm25": RUNS["bm25"]}, "deltas are of two runs, not 1"),
        ("slices", RUNS, "slices need labels"),
    ],
)
def test_what_cannot_be_plotted_is_refused_before_anything_is_scored(kind, runs, said):
    with pytest.raises(SamescoreError, match=said):
        plot(kind, runs, {})
