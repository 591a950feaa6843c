"""Display: how every result is shown, as text, Markdown, HTML, LaTeX, TSV and JSON, and its rows as a DataFrame.

A class of results derives from :class:`Displayed` and says two things: its ``parts()``, tables and sentences in order, and its
plain values (``to_dict()``). Everything else follows from these. What reads badly by default says so in its own words:
``records()`` are the rows behind it in full precision, for TSV; ``summary()`` is what its ``repr`` counts.
"""

from __future__ import annotations

import html
import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, fields, is_dataclass
from itertools import groupby
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from .errors import examples, plain, short

if TYPE_CHECKING:
    import pandas

MISSING = "-"
"""What stands where there is no value; null in JSON."""

MOST = 20
"""How many rows of a table, and how many sentences, a notebook shows."""

WIDTH = 120
"""How long a ``repr`` may be."""

Form = str | Callable[[Any], str]
"""How a value is written in a table of text: a format specification, or a function."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    title : str
        What stands above it.
    form : str or callable
        How a value that is there is written as text: a format specification such as ``"+.4f"``, or a function of the value.
        Without one numbers have four digits.
    """

    title: str
    form: Form = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values, which each format writes in its own way.

    Parameters
    ----------
    columns : sequence of str or Column
        The columns; one that needs no form is its title.
    rows : sequence of sequence
        The values of each row as they are, None or NaN where there is none.
    head : bool
        Whether TSV has the titles.
    """

    columns: Sequence[str | Column]
    rows: Sequence[Sequence[Any]]
    head: bool = True

    @property
    def titles(self) -> list[str]:
        """The titles of the columns."""
        return [column.title if isinstance(column, Column) else column for column in self.columns]

    def cells(self) -> list[list[str]]:
        """The rows as text: numbers to four digits, or in the form of their column."""
        forms = [column.form if isinstance(column, Column) else "" for column in self.columns]
        return [[in_words(value, form) for value, form in zip(row, forms, strict=True)] for row in self.rows]

    def objects(self) -> list[dict[str, Any]]:
        """Each row as {title: value}."""
        return [dict(zip(self.titles, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Title:
    """What stands above the rest, in one line; Markdown can make a heading of it."""

    text: str
    heading: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """A line to be copied as it is."""

    text: str


Part = Table | Title | Code | str
"""What a result is shown as; text alone is a sentence."""


def in_words(value: Any, form: Form = "") -> str:
    """A value as a cell of text; :data:`MISSING` where there is none.

    >>> [in_words(value) for value in (0.5, 3, "d1", True, None, float("nan"))]
    ['0.5000', '3', 'd1', 'yes', '-', '-']
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return MISSING
    if callable(form):
        return form(value)
    if form:
        return format(value, form)
    if isinstance(value, float):
        return f"{value:.4f}"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def in_full(value: Any) -> str:
    """A value as a cell of TSV: numbers with all their digits.

    >>> [in_full(value) for value in (1 / 3, 3, "d1", True, None)]
    ['0.3333333333333333', '3', 'd1', 'True', '-']
    """
    return in_words(value, lambda number: repr(float(number)) if isinstance(number, float) else str(number))


_MARKUP = re.compile(r"[`\[]|^#|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\\(?=[!-/:-@\[-`{-~]|$)")
"""What Markdown would take for more than text."""

_LATEX = {
    "\\": r"\textbackslash{}",
    **{c: rf"\{c}" for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def escape_markdown(text: str) -> str:
    r"""Text that Markdown shows as it is: no heading, link, image, tag or code.

    >>> print(escape_markdown("# a | `b` ![c](d) <img> 1 < 2"))
    \# a | \`b\` !\[c](d) \<img> 1 < 2
    """
    return _MARKUP.sub(r"\\\g<0>", plain(text))


def escape_html(text: str) -> str:
    """Text that HTML shows as it is."""
    return html.escape(plain(text))


def escape_latex(text: str) -> str:
    r"""Text that LaTeX prints as it is.

    >>> print(escape_latex("dense_1 & more"))
    dense\_1 \& more
    """
    return "".join(_LATEX.get(character, character) for character in plain(text))


def _blocks(parts: Iterable[Part], line: type[Code] | None = None) -> Iterator[tuple[type, list[Any]]]:
    """Neighbouring parts of one kind together, so that sentences make a list; ``line`` is a kind that counts as a sentence."""
    for kind, block in groupby(parts, key=lambda part: str if type(part) is line else type(part)):
        yield kind, list(block)


def as_text(parts: Iterable[Part]) -> str:
    """Parts for a terminal: tables in columns, the first to the left and the others to the right, and a line a sentence."""
    blocks = []
    for kind, block in _blocks(parts, Code):
        lines = map(_aligned, block) if kind is Table else (plain(part if isinstance(part, str) else part.text) for part in block)
        blocks.append(("\n\n" if kind is Table else "\n").join(lines))
    return "\n\n".join(blocks)


def _aligned(table: Table) -> str:
    """A table in columns."""
    rows = [[plain(cell) for cell in row] for row in (table.titles, *table.cells())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(w) if i else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in rows
    )


def as_markdown(parts: Iterable[Part]) -> str:
    """Parts as Markdown: tables, and a list of the sentences."""
    writers: Mapping[type, Callable[[Any], str]] = {
        Table: _piped,
        Title: lambda title: ("### " if title.heading else "") + escape_markdown(title.text),
        Code: lambda code: f"`{plain(code.text).replace('`', chr(39))}`",
        str: lambda sentence: f"- {escape_markdown(sentence)}",
    }
    return "\n\n".join(("\n" if kind is str else "\n\n").join(map(writers[kind], block)) for kind, block in _blocks(parts))


def _piped(table: Table) -> str:
    """A table of Markdown."""
    head, *rows = ([escape_markdown(cell).replace("|", r"\|") for cell in row] for row in (table.titles, *table.cells()))
    marks = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, marks, *rows))


def as_html(parts: Iterable[Part], most: int | None = None) -> str:
    """Parts as HTML; ``most`` is how many rows of a table and how many sentences are shown, None for all."""
    writers: Mapping[type, Callable[[list[Any]], str]] = {
        Table: lambda tables: "".join(_tagged(table, most) for table in tables),
        Title: lambda titles: "".join(f"<p><b>{escape_html(title.text)}</b></p>" for title in titles),
        Code: lambda codes: "".join(f"<code>{escape_html(code.text)}</code>" for code in codes),
        str: lambda sentences: f"<ul>{''.join(f'<li>{escape_html(s)}</li>' for s in first_of(sentences, most))}</ul>",
    }
    return "".join(writers[kind](block) for kind, block in _blocks(parts))


def _tagged(table: Table, most: int | None) -> str:
    """A table of HTML, with a line that says how many more rows there are."""
    rows = "".join(_tag_cells(row, "td") for row in Table(table.columns, table.rows[:most]).cells())
    more = 0 if most is None else len(table.rows) - most
    rest = f"<p>and {more} more {'row' if more == 1 else 'rows'}</p>" if more > 0 else ""
    head = _tag_cells(table.titles, "th")
    return f'<table style="text-align: right"><thead>{head}</thead><tbody>{rows}</tbody></table>{rest}'


def _tag_cells(cells: Sequence[str], tag: str) -> str:
    """A row of HTML, its first cell to the left."""
    first, *rest = map(escape_html, cells)
    return f'<tr><{tag} style="text-align: left">{first}</{tag}>{"".join(f"<{tag}>{cell}</{tag}>" for cell in rest)}</tr>'


def first_of(things: Sequence[object], most: int | None) -> list[str]:
    """The first of some sentences, or of what can be shown as one, and a line that says how many more there are."""
    rest = len(things) - len(things[:most])
    return [*map(str, things[:most]), *([f"and {rest} more"] if rest else [])]


def as_latex(parts: Iterable[Part]) -> str:
    """Parts as LaTeX: booktabs tables, and the rest as comments."""
    lines = [r"% needs \usepackage{booktabs}"]
    for part in parts:
        lines += _tabular(part) if isinstance(part, Table) else [f"% {plain(part if isinstance(part, str) else part.text)}"]
    return "\n".join(lines)


def _tabular(table: Table) -> list[str]:
    """The lines of a booktabs table."""
    head, *rows = (rf"{' & '.join(map(escape_latex, row))} \\" for row in (table.titles, *table.cells()))
    begin = rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}"
    return [begin, r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"]


def as_tsv(parts: Iterable[Part]) -> str:
    """The tables among some parts, in full precision, with tabs between the cells and an empty line between two tables."""
    return "\n\n".join(_tabbed(part) for part in parts if isinstance(part, Table))


def _tabbed(table: Table) -> str:
    """A table of TSV."""
    rows = [*([table.titles] if table.head else []), *(map(in_full, row) for row in table.rows)]
    return "\n".join("\t".join(map(plain, row)) for row in rows)


_UNQUOTED = re.compile(r"([\w.:/][\w.:/ -]*(?<! ))?")
"""What stands in a delimited file without quotes."""


def as_delimited(rows: Iterable[Iterable[object]], separator: str) -> str:
    """Rows for a spreadsheet, exactly as they are: each value that is not plain is quoted.

    >>> print(as_delimited([["a,b", "#c", 'the "d" of', 1, ""]], ","), end="")
    "a,b","#c","the ""d"" of",1,
    """
    return "".join(separator.join(map(_quoted, map(str, row))) + "\n" for row in rows)


def _quoted(text: str) -> str:
    """A value of a delimited file."""
    return text if _UNQUOTED.fullmatch(text) else '"' + text.replace('"', '""') + '"'


def as_json(value: object, *, indent: int | None = 2, ascii: bool = False) -> str:
    """Plain values as JSON: null for NaN and infinity. Half a surrogate pair is an escape, with ``ascii`` all that is not ASCII."""
    try:
        text = json.dumps(value, indent=indent, ensure_ascii=ascii, allow_nan=False)
    except ValueError:
        text = json.dumps(finite(value), indent=indent, ensure_ascii=ascii, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def finite(value: Any) -> Any:
    """Plain values with None for NaN and infinity."""
    if isinstance(value, Mapping):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Displayed(ABC):
    """A result that can be shown in every form, from its parts and its plain values.

    Examples
    --------
    >>> class Mean(Displayed):
    ...     def parts(self):
    ...         return [Table(["measure", "mean"], [["RR", 0.75]]), "2 queries averaged"]
    ...
    ...     def to_dict(self):
    ...         return {"RR": 0.75}
    >>> print(Mean())
    measure    mean
    RR       0.7500
    <BLANKLINE>
    2 queries averaged
    >>> Mean().to_tsv(), Mean().to_json(indent=None)
    ('measure\\tmean\\nRR\\t0.75', '{"RR": 0.75}')
    """

    __slots__ = ()

    @abstractmethod
    def parts(self) -> Iterable[Part]:
        """Tables and sentences, in order."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""

    def records(self) -> Table:
        """The rows behind what is shown, for TSV."""
        return next(part for part in self.parts() if isinstance(part, Table))

    def to_markdown(self) -> str:
        """What is printed, as Markdown."""
        return as_markdown(self.parts())

    def to_html(self) -> str:
        """What is printed, as HTML."""
        return as_html(self.parts())

    def to_latex(self) -> str:
        """The tables as LaTeX (booktabs), and the sentences as comments."""
        return as_latex(self.parts())

    def to_tsv(self) -> str:
        """The rows in full precision, with tabs between the cells."""
        return as_tsv([self.records()])

    def to_json(self, *, indent: int | None = 2) -> str:
        """Write :meth:`to_dict` as JSON, which any encoding of Unicode can hold: half a surrogate pair in an id is an escape.

        Parameters
        ----------
        indent : int or None
            By how much each level is indented; None puts all on one line.
        """
        return as_json(self.to_dict(), indent=indent)

    def summary(self) -> dict[str, str]:
        """What the ``repr`` says: what is one number or word, and how many there are of the rest."""
        values: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)} if is_dataclass(self) else {}
        if isinstance(self, Outcome):
            values = {"ok": self.ok, **values}
        words = {name: _in_a_word(value) for name, value in values.items()}
        return {name: text for name, text in words.items() if text}

    def __str__(self) -> str:
        return as_text(self.parts())

    def __repr__(self) -> str:
        entries = [f"{name}={text}" for name, text in self.summary().items()]
        text = f"{type(self).__name__}({', '.join(entries)})"
        while len(text) > WIDTH:
            del entries[-2:-1]
            text = f"{type(self).__name__}({', '.join([*entries[:-1], '...', entries[-1]])})"
        return text

    def _repr_html_(self) -> str:
        return as_html(self.parts(), MOST)


@dataclass(frozen=True, slots=True, repr=False)
class Surrounded(Displayed):
    """A result with more parts above and below it, which TSV and JSON leave out."""

    result: Displayed
    above: Sequence[Part] = ()
    below: Sequence[Part] = ()

    def parts(self) -> list[Part]:
        """What stands above, the result, and what stands below."""
        return [*self.above, *self.result.parts(), *self.below]

    def to_dict(self) -> Any:
        """The plain values of the result."""
        return self.result.to_dict()

    def to_latex(self) -> str:
        """The result as LaTeX."""
        return self.result.to_latex()

    def to_tsv(self) -> str:
        """The rows of the result."""
        return self.result.to_tsv()


class Outcome(Displayed):
    """A result that is good or bad, and true where it is good."""

    __slots__ = ()

    @property
    @abstractmethod
    def ok(self) -> bool:
        """Whether it is good."""

    def __bool__(self) -> bool:
        return self.ok


def _in_a_word(value: Any) -> str:
    """A value in a ``repr``: a number, a word, or how many there are; nothing for the rest."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (bool, int, str)):
        return short(value, 40)
    return str(len(value)) if isinstance(value, Sized) else ""


@dataclass(frozen=True, slots=True, repr=False)
class Shown(Displayed):
    """Parts that belong to no class of results."""

    shown: Sequence[Part]

    def parts(self) -> Sequence[Part]:
        """The parts themselves."""
        return self.shown

    def to_dict(self) -> Any:
        """The rows of one table as objects; of several parts, the rows of each table and the other lines."""
        tables = [part.objects() for part in self.shown if isinstance(part, Table)]
        lines = [part if isinstance(part, str) else part.text for part in self.shown if not isinstance(part, Table)]
        return tables[0] if len(tables) == 1 and not lines else {"tables": tables, "notes": lines}

    def to_tsv(self) -> str:
        """All tables."""
        return as_tsv(self.shown)


FORMS: Mapping[str, Callable[[Displayed], str]] = {
    "table": str,
    "markdown": methodcaller("to_markdown"),
    "html": methodcaller("to_html"),
    "latex": methodcaller("to_latex"),
    "tsv": methodcaller("to_tsv"),
    "json": methodcaller("to_json"),
}
"""Form -> how a result is written in it."""


def render(shown: Displayed | Table | Sequence[Part] | pandas.DataFrame, form: str, *, ascii: bool = False) -> str:
    """Write a result, a table, parts or a DataFrame in one of :data:`FORMS`.

    Parameters
    ----------
    shown : Displayed, Table, sequence of parts or pandas.DataFrame
        What is written. The index of a DataFrame is a column where it has a name.
    form : str
        A key of :data:`FORMS`.
    ascii : bool
        Whether all that is not ASCII is an escape in JSON, for where the output has no encoding for it.

    Returns
    -------
    str
        The text, without a newline at the end. TSV and JSON have numbers with all their digits, the other forms four.

    Raises
    ------
    KeyError
        For a form that is unknown.

    Examples
    --------
    >>> print(render(Table(["run", "RR"], [["bm25", 0.5]]), "markdown"))
    | run | RR |
    | --- | ---: |
    | bm25 | 0.5000 |
    """
    if not isinstance(shown, (Displayed, Table, Sequence)):
        shown = table_of(shown)
    result = shown if isinstance(shown, Displayed) else Shown([shown] if isinstance(shown, Table) else shown)
    return as_json(result.to_dict(), ascii=ascii) if form == "json" else FORMS[form](result)


def table_of(frame: pandas.DataFrame) -> Table:
    """A DataFrame as a table of Python values, its index as the first column where it has a name; None where there is no value."""
    import pandas  # noqa: PLC0415  # takes long to import, and not every use needs a frame

    def python(value: Any) -> Any:
        if pandas.isna(value):
            return None
        return value.item() if hasattr(value, "item") else value

    flat = frame.reset_index() if frame.index.name else frame
    rows = [[python(value) for value in row] for row in flat.itertuples(index=False, name=None)]
    return Table([str(name) for name in flat.columns], rows)


def frame(rows: Iterable[Iterable[Any]], columns: Mapping[str, str], *, index: str | None = None) -> pandas.DataFrame:
    """A DataFrame of rows; ``columns`` is name -> dtype (``"Int64"`` has room for None), ``index`` the column that is the index."""
    import pandas  # noqa: PLC0415  # as above

    each = list(zip(*rows, strict=True)) or [()] * len(columns)
    series = {name: pandas.Series(list(values), dtype=kind) for (name, kind), values in zip(columns.items(), each, strict=True)}
    made = pandas.DataFrame(series)
    return made if index is None else made.set_index(index)


def by_query(queries: Iterable[str], columns: Mapping[Any, Iterable[float]]) -> pandas.DataFrame:
    """A DataFrame of floats indexed by query_id; keys that are tuples become levels of columns."""
    import pandas  # noqa: PLC0415  # as above

    return pandas.DataFrame(dict(columns), index=pandas.Index(list(queries), name="query_id", dtype=object), dtype=float)


def interval(ends: tuple[float, float]) -> str:
    """An interval as a cell."""
    low, high = ends
    return MISSING if math.isnan(low) else f"{low:.4f} to {high:.4f}"


def plural(n: int, singular: str = "query", several: str = "queries") -> str:
    """How many, as words.

    >>> plural(1), plural(2, "value", "values")
    ('1 query', '2 values')
    """
    return f"{n} {singular if n == 1 else several}"


def mention(ids: Collection[object], what: str, singular: str = "query", several: str = "queries") -> str:
    """What is said of some queries, or others, with the first of their ids; nothing of none.

    >>> mention(["q1"], "left out"), mention([], "left out")
    ("1 query left out: 'q1'", '')
    """
    return f"{plural(len(ids), singular, several)} {what}: {examples(ids)}" if ids else ""
