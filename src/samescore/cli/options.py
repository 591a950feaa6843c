"""A frame for commands: each declares its inputs, options and forms of output, and is a function of what was typed."""

from __future__ import annotations

import argparse
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import samescore

from ..clauses import Clause, printed
from ..errors import BackendError, InputError, MeasureError, PolicyError, SamescoreError, nearest, short
from ..policy import CLAUSES, PRESETS, Policy, reasons
from ..user_code import is_target, load
from .inputs import read_labels, read_weights
from .output import Written

if TYPE_CHECKING:
    from ..backends import Backend
    from ..measures import Measure

ParsedArguments = dict[str, Any]
"""Name -> what was typed for it, then the argument of a Python function; what was not typed is absent, so that defaults hold."""


class Argument(Protocol):
    """A positional argument or an option of a command, or a group of them."""

    def add(self, parser: Any) -> None:
        """Let a parser take it, or a group of one, where it adds no group itself."""

    def convert(self, values: ParsedArguments) -> None:
        """Put arguments of a Python function in the place of what was typed."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its arguments, the forms in which it writes, and the function that computes what is written.

    The function is called with its arguments by name. It returns a result, a table or a DataFrame to be written as
    ``--format`` says (the first form by default, or TSV with the option ``tsv_with``), text to be printed as it is, or None. Its
    docstring is shown by ``--help``. With ``exit_1_unless_ok``, or the option ``--strict``, the exit code is that of what it
    returns: 1 where its ``ok`` is False.
    """

    function: Callable[..., Any]
    arguments: Sequence[Argument]
    forms: Sequence[str]
    exit_1_unless_ok: bool
    tsv_with: str = ""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Let a parser take the arguments, and show the help."""
        parser.epilog = inspect.cleandoc(self.function.__doc__ or "")
        for argument in self.arguments:
            argument.add(parser)
        if self.forms:
            group = parser.add_argument_group("output")
            for argument in self._output():
                argument.add(group)

    def _output(self) -> list[Argument]:
        """How what is computed is written; ``-o`` only where the command has none of its own, and ``--force`` once."""
        default = f"{self.forms[0]}, and tsv with --{self.tsv_with.replace('_', '-')}" if self.tsv_with else self.forms[0]
        written = option("--format", choices=self.forms, help=f"how the output is written (default: {default})")
        own = [argument.option if isinstance(argument, Output) else argument for argument in self.arguments]
        if any(isinstance(argument, Option) and "-o" in argument.flags for argument in own):
            return [written, *STYLE]
        to_file = option("-o", "--output", dest="output_file", metavar="FILE", help="write to this file")
        return [written, *STYLE, to_file if self._has_force else Output(to_file)]

    def run(self, values: ParsedArguments) -> int:
        """Compute and print; the exit code."""
        from .progress import Progress  # loads what --help does not need

        must_be_ok, output = values.pop("strict", self.exit_1_unless_ok), self._taken(values) if self.forms else Written()
        inputs = next((argument for argument in self.arguments if isinstance(argument, Inputs)), Inputs())
        files = inputs.described(values)
        with Progress() as progress:
            progress.now(f"{self.function.__name__} {files}".rstrip())
            for argument in sorted(self.arguments, key=lambda argument: not isinstance(argument, Output)):  # outputs first
                argument.convert(values)
            with name_files_in_errors(files if inputs.runs and not inputs.several else ""):
                result = self.function(**values)
        if result is not None:
            output.write(result)
        return getattr(result, "exit_code", 0) if must_be_ok else 0

    def _taken(self, values: ParsedArguments) -> Written:
        """Take out of what was typed how the output is written."""
        form = values.pop("format", "tsv" if values.get(self.tsv_with) else self.forms[0])
        style = {each.dest: values.pop(each.dest) for each in STYLE if each.dest in values}
        file, typed = values.pop("output_file", None), list(values.values())
        force = values.get("force", False) if self._has_force else values.pop("force", False)
        return Written(form, style, file, typed, force)

    @property
    def _has_force(self) -> bool:
        """Whether ``--force`` is an argument of the function."""
        return any(argument is FORCE or isinstance(argument, Output) for argument in self.arguments)


@contextmanager
def name_files_in_errors(files: str) -> Iterator[None]:
    """Say which files an error is about, where it names none; a measure that is unknown or lacking is not their fault."""
    try:
        yield
    except (BackendError, MeasureError):
        raise
    except SamescoreError as error:
        raise (error.at(file=files) if files else error) from None


def command(
    *arguments: Argument, forms: Sequence[str] = (), exit_1_unless_ok: bool = False, tsv_with: str = ""
) -> Callable[[Callable[..., Any]], Command]:
    """Make a command of a function."""
    return lambda function: Command(function, arguments, forms, exit_1_unless_ok, tsv_with)


@dataclass(frozen=True, slots=True)
class Option:
    """A positional argument or an option, as argparse takes it; ``read`` makes a Python argument of what was typed."""

    flags: Sequence[str]
    settings: Mapping[str, Any]
    read: Callable[[Any], Any] | None

    @property
    def dest(self) -> str:
        """The name of the argument."""
        return str(self.settings.get("dest") or self.flags[-1].lstrip("-").replace("-", "_"))

    def add(self, parser: argparse._ActionsContainer) -> None:
        """Let a parser take it."""
        parser.add_argument(*self.flags, **self.settings)

    def convert(self, values: ParsedArguments) -> None:
        """Read what was typed."""
        if self.read is not None and self.dest in values:
            values[self.dest] = self.read(values[self.dest])


def option(*flags: str, read: Callable[[Any], Any] | None = None, **settings: Any) -> Option:
    """An option (the long flag last) or a positional argument, with the settings that ``add_argument`` takes."""
    return Option(flags, settings, read)


FORMS = ("table", "tsv", "json", "markdown")
"""How most commands write what they found."""

STYLE = (
    option("--digits", type=int, metavar="N", help="the digits of values after the point (default: 4, of percentages 2)"),
    option("--percent", action="store_true", help="values of measures times 100"),
    option("--quiet", action="store_true", help="tables alone, without sentences"),
)
"""How values are written in the forms that round them."""

FORCE = option("--force", action="store_true", help="overwrite what is there, even an input")


@dataclass(frozen=True, slots=True)
class Output:
    """The option that names a file to be written, and ``--force``.

    A command converts it before its other arguments, so that a file that one of them names is refused before anything is read.
    ``when`` is the option with which the file is written, where it is not always.
    """

    option: Option
    when: str = ""

    def add(self, parser: argparse._ActionsContainer) -> None:
        """Let a parser take both."""
        self.option.add(parser)
        FORCE.add(parser)

    def convert(self, values: ParsedArguments) -> None:
        """Raise WriteError where an input would be overwritten."""
        name = self.option.dest
        if name not in values or values.get("force") or (self.when and self.when not in values):
            return
        from ..writing import refuse_input  # which --help does not need

        refuse_input(values[name], [value for other, value in values.items() if other != name])


@dataclass(frozen=True, slots=True)
class OneOf:
    """Options of which one may be typed, or must be."""

    options: Sequence[Option]
    required: bool = False

    def add(self, parser: argparse._ActionsContainer) -> None:
        """Let a parser take one of them."""
        group = parser.add_mutually_exclusive_group(required=self.required)
        for each in self.options:
            each.add(group)

    def convert(self, values: ParsedArguments) -> None:
        """Read the one that was typed."""
        for each in self.options:
            each.convert(values)


@dataclass(frozen=True, slots=True)
class Inputs:
    """QRELS and the runs, by the names of their arguments; and the options that tell how their files are read."""

    runs: Sequence[str] = ()
    several: bool = False

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Let a parser take them."""
        parser.add_argument("qrels", metavar="QRELS", help="judgements: a file, a BEIR folder, an irds: data set or -")
        text = "a run file, NAME=FILE, a folder or pattern of run files, or -" if self.several else "a run file, or -"
        for name in self.runs:
            parser.add_argument(
                name, metavar="RUN" if self.several else name.upper(), nargs="+" if self.several else None, help=text
            )
        group = parser.add_argument_group("files", "what a file is, its content tells; - is standard input")
        for kind in ("run", "qrels") if self.runs else ("qrels",):
            for each in READING[kind]:
                each.add(group)

    def run_arguments(self, values: ParsedArguments) -> list[str]:
        """The positional arguments that name runs, as they were typed."""
        typed = [values[name] for name in self.runs]
        return typed[0] if self.several else typed

    def described(self, values: ParsedArguments) -> str:
        """The files in words."""
        runs = list(dict.fromkeys(self.run_arguments(values)))
        named = " and ".join(runs) if len(runs) < 3 else f"{len(runs)} runs"
        return " against ".join(filter(None, [named, values.get("qrels")]))

    def convert(self, values: ParsedArguments) -> None:
        """Read the files that an option says how to read, and leave the others to the Python function.

        Raises InputError where standard input is to be read twice.
        """
        if [values["qrels"], *self.run_arguments(values)].count("-") > 1:
            raise InputError("standard input is named twice and can be read once", where="-", hint="a file for one of them")
        from ..tools.runs import run_files  # imports numpy, which --help does not need

        explicit = {"run_format", "qrels_format"} <= values.keys()
        read_run, read_qrels = take_reader(values, "run", explicit), take_reader(values, "qrels", explicit)
        values["qrels"] = read_qrels(values["qrels"])
        for name in self.runs:
            typed = values[name]
            values[name] = [(run_name, read_run(path)) for run_name, path in run_files(typed)] if self.several else read_run(typed)


_COLUMNS = {"run": "query_id=NAME,doc_id=NAME,score=NAME", "qrels": "query_id=NAME,doc_id=NAME,relevance=NAME"}


def _columns(text: str) -> dict[str, str | int]:
    """``query_id=Frage,doc_id=2`` as a mapping."""
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(role and equals and name for role, equals, name in pairs):
        raise argparse.ArgumentTypeError(f"{text!r} is not like query_id=NAME,doc_id=NAME")
    return {role.strip(): int(name) if name.strip().isdecimal() else name.strip() for role, _, name in pairs}


def _labels(text: str) -> dict[str, float]:
    """``E=3,S=2`` as a mapping."""
    try:
        return {label: float(grade) for label, _, grade in (pair.partition("=") for pair in text.split(","))}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not like E=3,S=2,I=0") from None


_GRADES = option(
    "--qrels-grades", "--grades", dest="qrels_grades", metavar="GRADES", type=_labels,
    help="words that stand for grades: E=3,S=2,I=0",
)  # fmt: skip

READING = {
    kind: (
        option(f"--{kind}-format", metavar="FORMAT", help="trec, msmarco, beir, csv, tsv, json, jsonl, parquet or arrow"),
        option(f"--{kind}-columns", metavar="COLUMNS", type=_columns, help=f"the columns by name, or by number: {names}"),
        *more,
    )
    for (kind, names), more in zip(_COLUMNS.items(), ((), (_GRADES,)), strict=True)
}
"""The options that tell how the file of a run or of qrels is read."""


def take_reader(values: ParsedArguments, kind: str, explicit: bool) -> Callable[[str], Any]:
    """Take ``--run-format`` and ``--run-columns``, or those of qrels, out of the arguments, and return what reads a path by them.

    Without these options it returns the path, for the Python function to read. With ``explicit`` the sides are never taken to be
    swapped.
    """
    options = {name: values.pop(f"{kind}_{name}") for name in ("format", "columns", "grades") if f"{kind}_{name}" in values}
    if not options:
        return lambda path: path
    read: Callable[..., Any] = samescore.read_run if kind == "run" else samescore.read_qrels
    return lambda path: replace(read(path, **options), explicit=explicit)


@dataclass(frozen=True, slots=True)
class Clauses:
    """``--policy``, and an option for each clause, which make the argument ``policy``."""

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Let a parser take them, with their values and reasons."""
        group = parser.add_argument_group("policy", "every choice that changes a score; the defaults are those of Policy()")
        group.add_argument(
            "--policy",
            metavar="PRESET|SIGNATURE",
            help=f"start from a preset ({', '.join(PRESETS)}) or from the signature of a result; the options below change it",
        )
        default = Policy()
        for name, why in reasons().items():
            text = f"{why} (default: {printed(getattr(default, name))})".replace("%", "%%")
            group.add_argument(f"--{name.replace('_', '-')}", dest=name, help=text, **_kind(CLAUSES[name]))

    def convert(self, values: ParsedArguments) -> None:
        """The policy, where an option tells anything of it."""
        clauses = {name: values.pop(name) for name in Policy.__dataclass_fields__ if name in values}
        if clauses or "policy" in values:
            values["policy"] = named_policy(values.get("policy")).but(**clauses)


QRELS_AND_RUN, QRELS_AND_RUNS, QRELS = Inputs(["run"]), Inputs(["runs"], several=True), Inputs()

POLICY = Clauses()


def read_measures(names: Sequence[str]) -> list[Measure]:
    """The measures that were named, user-defined ones too."""
    from ..measures import named_measure, parse_all  # imports numpy, which --help does not need

    with working_folder(names):
        return parse_all(map(named_measure, names))


def read_names(names: Sequence[str]) -> list[Any]:
    """The measures that were named, and as they were typed the names of no measure."""
    from ..measures.parsing import names_measure  # imports numpy, which --help does not need

    return [read_measures([name])[0] if is_target(name) or names_measure(name) or "@" in name else name for name in names]


def read_backend(name: str) -> Backend:
    """The backend that was named."""
    from ..backends import find  # imports numpy, which --help does not need

    with working_folder([name]):
        return find(name)


def import_backends(names: Sequence[str]) -> Sequence[str]:
    """The names of backends; the modules of those that are not samescore's are imported."""
    for name in filter(is_target, names):
        read_backend(name)
    return names


@contextmanager
def working_folder(names: Sequence[str]) -> Iterator[None]:
    """Let modules be imported from the working folder, after all others, while a name is that of an object in a module."""
    folder = os.getcwd() if any(map(is_target, names)) else ""
    if not folder or folder in sys.path:
        yield
        return
    sys.path.append(folder)
    try:
        yield
    finally:
        if folder in sys.path:  # unless the module took it off
            sys.path.remove(folder)


def at_commas(text: str) -> list[str]:
    """The values that stand in one option, split at commas that stand in no parentheses.

    >>> at_commas("nDCG(gains={1: 1, 2: 3})@10,R@10")
    ['nDCG(gains={1: 1, 2: 3})@10', 'R@10']
    """
    values, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth <= 0:
            values.append("")
        else:
            values[-1] += character
    return [value.strip() for value in values if value.strip()] or [text]


def pairs(text: str) -> list[tuple[str, str]]:
    """``R@10=0.8,0.02`` as names and values; a value alone has no name.

    >>> pairs("nDCG(gains={1: 2})@10=5%,0.01")
    [('nDCG(gains={1: 2})@10', '5%'), ('', '0.01')]
    """
    return [(name, value) for name, _, value in (each.rpartition("=") for each in at_commas(text))]


def number(text: str) -> float:
    """A number of an option. Raises InputError for what is none."""
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{short(text)} is no number", hint="0.8") from None


def cutoffs(text: str) -> list[int]:
    """The cutoffs that stand in one option."""
    try:
        return [int(value) for value in at_commas(text)]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number, or several as in 1,5,10") from None


def cutoff_list(text: str) -> Option:
    """``-k``, with several values or several times."""
    return option("-k", action="extend", type=cutoffs, metavar="K", help=text)


def measure_list(text: str, *, read: Callable[[Any], Any] = read_measures, **settings: Any) -> Option:
    """``-m``, with several values or several times."""
    settings |= {"action": "extend", "type": at_commas, "metavar": "MEASURE", "help": text}
    return option("-m", "--measure", dest="measures", read=read, **settings)


CUTOFFS = cutoff_list("recall and nDCG at a cutoff, or at several: 1,5,10; and RR over the whole ranking (default: 10)")


MEASURES = OneOf(
    [
        measure_list(
            "a measure, such as nDCG@10, R@100, P(rel=2)@5, mrr, ndcg_cut_10 or package.module:function, or several: nDCG@10,R@100"
        ),
        CUTOFFS,
    ]
)


def backend_option(text: str) -> Option:
    """``--backend``, once."""
    return option("--backend", metavar="NAME", read=read_backend, help=text)


BACKEND = backend_option(
    "who computes: auto (ir_measures, and the reference what it lacks), ir_measures, ranx, reference or package.module:Object "
    "(default: auto)"
)

AVERAGE = option(
    "--average", choices=("macro", "micro"),
    help="macro: each query counts alike; micro: the ratio of sums over all queries, for R, P, Success (default: macro)",
)  # fmt: skip

AVERAGE_OR_SLICES = option(
    "--average", choices=("macro", "micro", "slices"),
    help="macro: each query counts alike; micro: the ratio of sums over all queries, for R, P, Success; slices: each slice counts "
    "alike (default: macro)",
)  # fmt: skip

WEIGHTS = option("--weights", metavar="FILE", read=read_weights, help="how much queries count: a query, a tab and a number a line")

DOC_OF = option(
    "--doc-of", metavar="FILE", read=read_labels,
    help="retrieved chunks are scored as the documents that they are part of: a chunk, a tab and its document a line",
)  # fmt: skip

ALPHA = option("--alpha", type=float, metavar="A", help="the level of significance (default: 0.05)")


def read_test(name: str) -> Any:
    """The test that was named: a function of the user's own, or a name as it is."""
    if not is_target(name):
        return name
    with working_folder([name]):
        return load(name, "test", InputError)


TEST = option(
    "--test", metavar="TEST", read=read_test,
    help="how p is found, paired by query: t (Student's), permutation (sign flips), wilcoxon (signed ranks), bootstrap (Sakai's), "
    "sign, tukey (HSD by randomisation, of all runs together), or package.module:function of the differences (default: t)",
)  # fmt: skip

SLICES = option(
    "--slices", metavar="FILE", read=read_labels, help="a query, a tab and its label a line, or a JSON object {query: label}"
)


def named_policy(name: str | None) -> Policy:
    """The policy that a preset or a signature names, Policy() where there is none.

    Raises PolicyError for what is neither.
    """
    if name is None:
        return Policy()
    if name in PRESETS:
        preset: Policy = getattr(Policy, name)()
        return preset
    if ":" in name:
        return Policy.parse(name)
    raise PolicyError(
        f"unknown policy {short(name)}", hint=f"{nearest(name, PRESETS)}, or a signature such as ties:input | dup:first"
    )


def _kind(clause: Clause) -> dict[str, Any]:
    """What argparse must know of a clause: a number, a number or all, yes or no, choices."""
    if clause.number:
        return {"type": clause.read, "metavar": "N|all" if None in clause.words else "N"}
    return {"action": argparse.BooleanOptionalAction} if True in clause.words else {"choices": tuple(clause.words)}
