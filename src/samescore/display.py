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
from dataclasses import asdict, dataclass, fields, is_dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from .errors import InputError, examples, plain, setting, short

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
class Style:
    """How a result is written for people: TSV and JSON have all digits, and never percentages.

    Parameters
    ----------
    digits : int, optional
        The digits of a value of a measure after the decimal point: 4 by default, and 2 of a percentage.
    percent : bool
        Whether values of measures are multiplied by 100; counts are not.
    quiet : bool
        Whether tables stand without sentences.
    """

    digits: int | None = None
    percent: bool = False
    quiet: bool = False

    def __post_init__(self) -> None:
        whole = isinstance(self.digits, int) and not isinstance(self.digits, bool)
        if self.digits is not None and not (whole and 0 <= self.digits <= MOST_DIGITS):
            what = f"digits is {short(self.digits)}, not a whole number from 0 to {MOST_DIGITS}"
            raise InputError(what, hint=setting("digits", 3))
        for name in ("percent", "quiet"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} is {short(getattr(self, name))}", hint=setting(name, True))

    def number(self, value: float, sign: str = "") -> str:
        """A value of a measure, with the sign of a difference where ``sign`` is ``"+"``.

        >>> Style().number(0.5), Style(percent=True).number(0.5, "+"), Style(digits=1, percent=True).number(Count(12.5))
        ('0.5000', '+50.00', '12.5')
        """
        digits = (2 if self.percent else 4) if self.digits is None else self.digits
        return f"{100 * value if self.percent and not isinstance(value, Count) else value:{sign}.{digits}f}"

    def kept(self, parts: Iterable[Part]) -> list[Part]:
        """The parts that are shown: all, or tables with what stands right above them; all where there is no table."""
        listed = list(parts)
        tables = [isinstance(part, Table) for part in listed]
        if not self.quiet or not any(tables):
            return listed
        above = [isinstance(part, Title) and is_next for part, is_next in zip(listed, [*tables[1:], False], strict=True)]
        return [part for part, is_table, is_above in zip(listed, tables, above, strict=True) if is_table or is_above]


MOST_DIGITS = 17
"""The digits that tell any two floats below 1 apart."""

PLAIN = Style()
"""How a result is written where nothing else is asked for."""


class Count(float):
    """A number of things, which is never a percentage."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    title : str
        What stands above it.
    form : str or callable
        How a value that is there is written as text, where it is no value of a measure: a format specification such as ``".1%"``,
        or a function of the value.
    styled : callable, optional
        How values of measures are written, a function of what stands in the cell and the :class:`Style`; a single one needs none.
    """

    title: str
    form: Form = ""
    styled: Callable[[Any, Style], str] | None = None


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

    def cells(self, style: Style = PLAIN) -> list[list[str]]:
        """The rows as text: numbers in a style, or in the form of their column."""
        columns = [column if isinstance(column, Column) else Column(column) for column in self.columns]
        return [[in_cell(value, column, style) for value, column in zip(row, columns, strict=True)] for row in self.rows]

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


class Sentence(str):
    """Text with values of measures in it, which are written in the style of all others; as text alone they have four digits.

    >>> sentence = Sentence("{} has a mean of {}", "bm25", 0.5)
    >>> print(sentence, sentence.styled(Style(percent=True)), sep="; ")
    bm25 has a mean of 0.5000; bm25 has a mean of 50.00
    """

    __slots__ = ("template", "values")
    template: str
    values: tuple[Any, ...]

    def __new__(cls, template: str, *values: Any) -> Sentence:
        sentence = super().__new__(cls, template.format(*map(in_words, values)))
        sentence.template, sentence.values = template, values
        return sentence

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.template, *self.values

    def styled(self, style: Style) -> str:
        """The text with its values in a style."""
        return self.template.format(*(in_words(value, style=style) for value in self.values))


Part = Table | Title | Code | str
"""What a result is shown as; text alone is a sentence."""


def text_of(part: Title | Code | str, style: Style) -> str:
    """A part that is no table, as one line."""
    if isinstance(part, Sentence):
        return plain(part.styled(style))
    return plain(part if isinstance(part, str) else part.text)


def in_cell(value: Any, column: Column, style: Style = PLAIN) -> str:
    """A value as a cell of a column."""
    if column.styled is None or value is None:
        return in_words(value, column.form, style)
    return column.styled(value, style)


def in_words(value: Any, form: Form = "", style: Style = PLAIN) -> str:
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
        return style.number(value)
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
    for kind, block in groupby(parts, key=lambda part: str if isinstance(part, str) or type(part) is line else type(part)):
        yield kind, list(block)


def as_text(parts: Iterable[Part], style: Style = PLAIN) -> str:
    """Parts for a terminal: tables in columns, the first to the left and the others to the right, and a line a sentence."""
    blocks = []
    for kind, block in _blocks(style.kept(parts), Code):
        lines = (_aligned(part, style) if kind is Table else text_of(part, style) for part in block)
        blocks.append(("\n\n" if kind is Table else "\n").join(lines))
    return "\n\n".join(blocks)


def _aligned(table: Table, style: Style) -> str:
    """A table in columns."""
    rows = [[plain(cell) for cell in row] for row in (table.titles, *table.cells(style))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(w) if i else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in rows
    )


def as_markdown(parts: Iterable[Part], style: Style = PLAIN) -> str:
    """Parts as Markdown: tables, and a list of the sentences."""
    writers: Mapping[type, Callable[[Any], str]] = {
        Table: lambda table: _piped(table, style),
        Title: lambda title: ("### " if title.heading else "") + escape_markdown(title.text),
        Code: lambda code: f"`{plain(code.text).replace('`', chr(39))}`",
        str: lambda sentence: f"- {escape_markdown(text_of(sentence, style))}",
    }
    blocks = _blocks(style.kept(parts))
    return "\n\n".join(("\n" if kind is str else "\n\n").join(map(writers[kind], block)) for kind, block in blocks)


def _piped(table: Table, style: Style) -> str:
    """A table of Markdown."""
    head, *rows = ([escape_markdown(cell).replace("|", r"\|") for cell in row] for row in (table.titles, *table.cells(style)))
    marks = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, marks, *rows))


def as_html(parts: Iterable[Part], most: int | None = None, style: Style = PLAIN) -> str:
    """Parts as HTML; ``most`` is how many rows of a table and how many sentences are shown, None for all."""
    writers: Mapping[type, Callable[[list[Any]], str]] = {
        Table: lambda tables: "".join(_tagged(table, most, style) for table in tables),
        Title: lambda titles: "".join(f"<p><b>{escape_html(title.text)}</b></p>" for title in titles),
        Code: lambda codes: "".join(f"<code>{escape_html(code.text)}</code>" for code in codes),
        str: lambda sentences: f"<ul>{''.join(f'<li>{escape_html(s)}</li>' for s in _lines(sentences, most, style))}</ul>",
    }
    return "".join(writers[kind](block) for kind, block in _blocks(style.kept(parts)))


def _lines(sentences: Sequence[str], most: int | None, style: Style) -> list[str]:
    """The first of some sentences."""
    return first_of([text_of(sentence, style) for sentence in sentences], most)


def _tagged(table: Table, most: int | None, style: Style) -> str:
    """A table of HTML, with a line that says how many more rows there are."""
    rows = "".join(_tag_cells(row, "td") for row in Table(table.columns, table.rows[:most]).cells(style))
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


def as_latex(parts: Iterable[Part], style: Style = PLAIN) -> str:
    """Parts as LaTeX: booktabs tables, and the rest as comments."""
    lines = [r"% needs \usepackage{booktabs}"]
    for part in style.kept(parts):
        lines += _tabular(part, style) if isinstance(part, Table) else [f"% {text_of(part, style)}"]
    return "\n".join(lines)


def _tabular(table: Table, style: Style) -> list[str]:
    """The lines of a booktabs table."""
    head, *rows = (rf"{' & '.join(map(escape_latex, row))} \\" for row in (table.titles, *table.cells(style)))
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

    def to_text(self, *, digits: int | None = None, percent: bool = False, quiet: bool = False) -> str:
        """What is printed, with options of :class:`Style`: ``digits``, values times 100 (``percent``), no sentences (``quiet``)."""
        return as_text(self.parts(), Style(digits, percent, quiet))

    def to_markdown(self, *, digits: int | None = None, percent: bool = False, quiet: bool = False) -> str:
        """What is printed, as Markdown, with the options of :meth:`to_text`."""
        return as_markdown(self.parts(), Style(digits, percent, quiet))

    def to_html(self, *, digits: int | None = None, percent: bool = False, quiet: bool = False) -> str:
        """What is printed, as HTML, with the options of :meth:`to_text`."""
        return as_html(self.parts(), style=Style(digits, percent, quiet))

    def to_latex(self, *, digits: int | None = None, percent: bool = False, quiet: bool = False) -> str:
        """The tables as LaTeX (booktabs), and the sentences as comments, with the options of :meth:`to_text`."""
        return as_latex(self.parts(), Style(digits, percent, quiet))

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

    def to_latex(self, *, digits: int | None = None, percent: bool = False, quiet: bool = False) -> str:
        """The result as LaTeX."""
        return self.result.to_latex(digits=digits, percent=percent, quiet=quiet)

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

    @property
    def exit_code(self) -> int:
        """With which code a command ends that must be good."""
        return 0 if self.ok else 1

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


FORMS: Mapping[str, Callable[[Displayed, Style], str]] = {
    "table": lambda shown, style: shown.to_text(**asdict(style)),
    "markdown": lambda shown, style: shown.to_markdown(**asdict(style)),
    "html": lambda shown, style: shown.to_html(**asdict(style)),
    "latex": lambda shown, style: shown.to_latex(**asdict(style)),
    "tsv": lambda shown, style: shown.to_tsv(),
    "json": lambda shown, style: shown.to_json(),
}
"""Form -> how a result is written in it."""

EXACT = ("tsv", "json")
"""The forms that have numbers with all their digits."""


def render(
    shown: Displayed | Table | Sequence[Part] | pandas.DataFrame, form: str, *, ascii: bool = False, style: Style = PLAIN
) -> str:
    """Write a result, a table, parts or a DataFrame in one of :data:`FORMS`.

    Parameters
    ----------
    shown : Displayed, Table, sequence of parts or pandas.DataFrame
        What is written. The index of a DataFrame is a column where it has a name.
    form : str
        A key of :data:`FORMS`.
    ascii : bool
        Whether all that is not ASCII is an escape in JSON, for where the output has no encoding for it.
    style : Style
        How numbers are written, but in TSV and JSON, which have all their digits.

    Returns
    -------
    str
        The text, without a newline at the end.

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
    return as_json(result.to_dict(), ascii=ascii) if form == "json" else FORMS[form](result, style)


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


def interval(ends: tuple[float, float], style: Style) -> str:
    """An interval as a cell."""
    low, high = ends
    return MISSING if math.isnan(low) else f"{style.number(low)} to {style.number(high)}"


def signed(difference: float, style: Style) -> str:
    """A difference as a cell, with its sign."""
    return MISSING if math.isnan(difference) else style.number(difference, "+")


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
