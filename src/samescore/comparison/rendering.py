"""A comparison as text, Markdown, HTML and LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from ..render import aligned, piped, tabled
from ..slicing import WHOLE

if TYPE_CHECKING:
    from .outcome import Comparison, Row

DASH = "-"


def text(comparison: Comparison) -> str:
    """An aligned table, with the notes below."""
    return "\n".join([aligned(*_cells(comparison)), "", *comparison.notes])


def markdown(comparison: Comparison) -> str:
    """A Markdown table, with the notes below."""
    return "\n".join([piped(*_cells(comparison)), "", *(f"- {note}" for note in comparison.notes)])


def html(comparison: Comparison) -> str:
    """An HTML table, with the notes below."""
    notes = "".join(f"<li>{escape(note)}</li>" for note in comparison.notes)
    return f"{tabled(*_cells(comparison))}<ul>{notes}</ul>"


def _number(value: float | None) -> str:
    """A number with four digits; a dash where there is none."""
    return DASH if value is None else f"{value:.4f}"


def _signed(value: float | None) -> str:
    """A difference with its sign."""
    return DASH if value is None else f"{value:+.4f}"


def p_value(value: float | None) -> str:
    """A p-value with four digits, or how small it is."""
    if value is None:
        return DASH
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _corrected(row: Row, comparison: Comparison) -> str:
    """The corrected p-value, with a star where it is significant."""
    return p_value(row.p_corrected) + ("*" if comparison.significant(row) else "")


CELLS: Mapping[str, Callable[[Row, Comparison], str]] = {
    "measure": lambda row, _: row.measure,
    "slice": lambda row, _: row.slice,
    "run": lambda row, _: row.run,
    "mean": lambda row, _: _number(row.mean),
    "delta": lambda row, _: _signed(row.delta),
    "interval": lambda row, _: DASH if row.low is None else f"{_signed(row.low)} to {_signed(row.high)}",
    "p": lambda row, _: p_value(row.p),
    "p corrected": _corrected,
    "effect": lambda row, _: DASH if row.effect is None else f"{row.effect:+.2f}",
    "wins/ties/losses": lambda row, _: DASH if row.wins is None else f"{row.wins}/{row.ties}/{row.losses}",
    "queries": lambda row, _: str(row.queries),
    "detectable": lambda row, _: _number(row.detectable),
}
"""Column -> what stands in it. A dash: there is no such number."""


def _cells(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table; without the column of slices where there are none."""
    sliced = any(row.slice != WHOLE for row in comparison.rows)
    columns = [name for name in CELLS if sliced or name != "slice"]
    titles = {
        "interval": f"{percent(1 - comparison.alpha)} interval",
        "p corrected": f"p ({comparison.correction or 'not corrected'})",
    }
    return [titles.get(c, c) for c in columns], [[CELLS[c](row, comparison) for c in columns] for row in comparison.rows]


def percent(level: float) -> str:
    """A level of confidence: 95 %."""
    return f"{100 * level:.6g} %"


def latex(comparison: Comparison) -> str:
    """A booktabs table: a row a run, a column a measure, best in bold; arrows up and down mark significant differences."""
    slices = list(dict.fromkeys(row.slice for row in comparison.rows))
    measures = comparison.measures
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{l{'r' * len(measures)}}}",
        r"\toprule",
        _latex_row(["run", *measures]),
    ]
    for title in slices:
        lines += [r"\midrule"]
        if len(slices) > 1:
            lines += [rf"\multicolumn{{{len(measures) + 1}}}{{l}}{{\emph{{{_escaped(title)}}}}} \\"]
        lines += [rf"{_escaped(run)} & {' & '.join(_latex_cells(comparison, run, title))} \\" for run in comparison.runs]
    lines += [r"\bottomrule", _latex_marks(comparison), r"\end{tabular}", *(f"% {note}" for note in comparison.notes)]
    return "\n".join(lines)


def _latex_marks(comparison: Comparison) -> str:
    """What bold and arrows mean, as the last line of the table."""
    method = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini--Hochberg", None: "not corrected"}[comparison.correction]
    arrows = rf"$\uparrow$, $\downarrow$: above, below {_escaped(comparison.baseline)} at $p < {comparison.alpha:g}$ ({method})"
    return rf"\multicolumn{{{len(comparison.measures) + 1}}}{{l}}{{\footnotesize bold: best; {arrows}}} \\"


def _latex_row(cells: Sequence[str]) -> str:
    """A row of text."""
    return " & ".join(map(_escaped, cells)) + r" \\"


def _latex_cells(comparison: Comparison, run: str, title: str) -> list[str]:
    """The means of a run over a slice, with their marks."""
    return [_latex_mean(comparison, comparison.row(run, measure, title)) for measure in comparison.measures]


def _latex_mean(comparison: Comparison, row: Row) -> str:
    """A mean as LaTeX: bold where no run has a better one to four digits, with an arrow where it is significant."""
    means = [other.mean for other in comparison.rows if (other.measure, other.slice) == (row.measure, row.slice)]
    best = max((_number(mean) for mean in means if mean is not None), key=float, default=DASH)
    shown = _number(row.mean)
    number = rf"\textbf{{{shown}}}" if shown == best and row.mean is not None else shown
    if not comparison.significant(row):
        return number
    return number + (r"$^{\uparrow}$" if (row.delta or 0) > 0 else r"$^{\downarrow}$")


_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{c: rf"\{c}" for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def _escaped(words: str) -> str:
    """Text as LaTeX prints it."""
    return "".join(_SPECIAL.get(character, character) for character in words)
