"""The command line: a table of commands, whose modules are imported when they are asked for, and what ends a process."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

from .. import __version__
from ..errors import SamescoreError, SamescoreWarning, Setting, with_settings
from ..user_code import in_one_line, noted
from .parser import BAD_INPUT, Parser, Version

if TYPE_CHECKING:
    from .options import Command

__all__ = ["COMMANDS", "main"]

COMMANDS: Mapping[str, tuple[str, str]] = {
    "evaluate": ("evaluation", "score one run or several against judgements"),
    "compare": ("evaluation", "compare runs with a baseline, query by query"),
    "interval": ("evaluation", "say how far the means of runs may be off"),
    "suite": ("evaluation", "compare runs on several data sets"),
    "curve": ("evaluation", "show a measure at several cutoffs, and where it flattens"),
    "gate": ("evaluation", "fail where a run is worse than a stored baseline"),
    "diagnose": ("golden_sets", "find the stage of a pipeline that loses the evidence"),
    "misses": ("golden_sets", "list the relevant documents that a run did not retrieve in time"),
    "unjudged": ("golden_sets", "list the documents that annotators should judge next"),
    "check": ("golden_sets", "look judgements through for what is odd"),
    "agreement": ("golden_sets", "tell how far judgements agree, and whether they rank runs alike"),
    "rbo": ("golden_sets", "tell how alike two runs rank, without judgements"),
    "merge_qrels": ("golden_sets", "put judgements of several people together"),
    "convert": ("golden_sets", "write a run or qrels in another form"),
    "split": ("golden_sets", "split a golden set in two by a hash of the query ids"),
    "plot": ("evaluation", "draw curves, differences by query, spread and slices"),
    "trec_eval": ("verification", "print what trec_eval prints, byte for byte"),
    "measures": ("verification", "show what a measure is, its parameters, and its names in each tool"),
    "backends": ("verification", "show which backend has which measure, and why one lacks it"),
    "crosscheck": ("verification", "hold every backend against the reference, query by query"),
    "validate": ("verification", "recompute what another tool reported, and say what agrees"),
    "explain": ("verification", "say why a number is what it is"),
    "export": ("verification", "write what makes trec_eval print the same numbers"),
    "ties": ("verification", "show how much the order of tied documents can change a measure"),
}
"""Command -> the module that has a :class:`Command` of its name, and what it does in a few words."""

FAULT, INTERRUPTED, BROKEN_PIPE = 70, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 2 for bad input, or what the command says.

    ``argv`` are the arguments after ``samescore``, those of the process by default. Errors and warnings of samescore are
    plain lines on stderr. An exception that is a fault of samescore is shown with its traceback, and the code is 70: never 1,
    by which a command says that something differs or fell.

    >>> main(["--version"])
    samescore 0.1.0
    0
    """
    with _somewhere_for_errors():
        return _main(sys.argv[1:] if argv is None else list(argv))


def _main(arguments: Sequence[str]) -> int:
    """Run one command; every way in which it may end becomes an exit code."""
    try:
        if sys.stdout is None:
            raise OSError("stdout is closed")
        with _plain_warnings(partial(_typed, arguments)):
            _print_any_text()
            code = _run(arguments)
            sys.stdout.flush()
            return code
    except SamescoreError as error:
        return _refusal(error.message(partial(_typed, arguments)))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop(sys.stdout)
        return BROKEN_PIPE
    except BaseException as error:  # also the panics of polars, and what user code stops with
        return _failure(error)


def _run(arguments: Sequence[str]) -> int:
    """Parse the arguments and run the command; the exit code, also where ``--help`` or a wrong option ends it."""
    parser = _parser(arguments)
    try:
        args = vars(parser.parse_args(arguments))
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else BAD_INPUT
    return _load(args.pop("command")).run(args)


def _failure(error: BaseException) -> int:
    """Say why a command failed that was not refused; the exit code."""
    by_user_code = noted(error)
    if by_user_code is not None:
        return _refusal(by_user_code)
    if isinstance(error, MemoryError):
        return _refusal("there is not enough memory")
    if isinstance(error, OSError):  # reading has errors of its own, so this is writing: a full disk
        _drop(sys.stdout)
        return _refusal(str(error))
    if isinstance(error, SystemExit):
        return _refusal(f"code that was called stopped the command: {in_one_line(error)}")
    _say("".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip())
    _say(f"samescore: fault: {in_one_line(error)}\ntry: report it with the lines above; nothing that was printed is an answer")
    return FAULT


def _refusal(text: str) -> int:
    """Say what is wrong; the exit code of bad input."""
    _say(f"samescore: error: {text}")
    return BAD_INPUT


def _say(text: str) -> None:
    """Print a line on stderr, if it can be written: a full disk there changes no exit code."""
    with suppress(OSError):
        print(text, file=sys.stderr)


@contextmanager
def _somewhere_for_errors() -> Iterator[None]:
    """Send errors nowhere if stderr is closed or full: Python has None for a closed one, and prints them on stdout or fails."""
    if sys.stderr is not None:
        yield
        try:
            sys.stderr.flush()
        except OSError:
            _drop(sys.stderr)
        return
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stderr(nowhere):
        yield


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """The parser: every command by name, and the options of the one that is asked for."""
    about = "The same score for a run, whichever evaluation library computes it."
    parser = Parser(prog="samescore", description=about, allow_abbrev=False)
    parser.add_argument(
        "--version",
        action=Version,
        nargs=0,
        dest=argparse.SUPPRESS,
        default=argparse.SUPPRESS,
        const=f"samescore {__version__}",
        help="show the version",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    chosen = _chosen(arguments)
    for name, (_, about) in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=about,
            description=f"{about[0].upper()}{about[1:]}.",
            argument_default=argparse.SUPPRESS,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == chosen:
            _load(name).configure(command)
    return parser


def _chosen(arguments: Sequence[str]) -> str | None:
    """The name of the command that is asked for."""
    first = next((argument for argument in arguments if not argument.startswith("-")), None)
    return first if first in COMMANDS else None


def _load(name: str) -> Command:
    """A command, from its module."""
    module = importlib.import_module(f".{COMMANDS[name][0]}", __name__)
    command: Command = getattr(module, name)
    return command


@contextmanager
def _plain_warnings(shown: Callable[[Setting], str]) -> Iterator[None]:
    """Show every warning of samescore as one line on stderr, with each setting as it is typed, and leave the others as they are."""
    with warnings.catch_warnings():
        show_as_before = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, SamescoreWarning):
                _say(f"samescore: warning: {with_settings(message.args[0] if isinstance(message, Warning) else message, shown)}")
            else:
                show_as_before(message, category, *place, **more)

        warnings.simplefilter("always", SamescoreWarning)
        warnings.showwarning = show
        yield


def _print_any_text() -> None:
    """Let stdout write ids that its encoding lacks as escapes, as stderr does, rather than fail."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _drop(stream: TextIO | None) -> None:
    """Send what is left to flush at exit nowhere, since it cannot be written."""
    if stream is not None:
        with suppress(OSError):  # a stream without a descriptor
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _typed(arguments: Sequence[str], setting: Setting) -> str:
    """A setting as it is typed: an option of the command, else one of ``samescore evaluate``, else as Python has it."""
    from ..policy import PRESETS  # which --version does not need

    name = _chosen(arguments)
    if name is None:
        return str(setting)
    elsewhere = _configured("evaluate").typed(setting)
    preset = f"--policy {name} " if name in PRESETS else ""  # a command that has the name of a preset has its policy
    return _configured(name).typed(setting) or (f"samescore evaluate {preset}{elsewhere}" if elsewhere else str(setting))


def _configured(name: str) -> Parser:
    """The parser of one command."""
    parser = Parser(prog=f"samescore {name}")
    _load(name).configure(parser)
    return parser
