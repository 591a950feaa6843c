"""The parser of a command, which also tells how one types what a hint says to set."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import Setting

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

BAD_INPUT = 2

READERS = {"read_run(run) and read_qrels(qrels) first": "--run-format and --qrels-format for both"}
"""A call that a hint names -> what is typed in its place."""


class Version(argparse.Action):
    """An option that prints its constant and ends the command."""

    def __call__(self, parser: argparse.ArgumentParser, *given: object) -> None:
        """Print it."""
        print(self.const)
        parser.exit()


class Parser(argparse.ArgumentParser):
    """A parser that answers a wrong option with what is wrong and where help is, without the whole usage."""

    def error(self, message: str) -> NoReturn:
        """Stop with exit code 2."""
        self.exit(BAD_INPUT, f"{self.prog}: error: {message}\ntry: {self.prog} --help\n")

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Write the help, and fail where it cannot be written, which argparse does not."""
        print(self.format_help(), end="", file=file)

    def typed(self, setting: Setting) -> str | None:
        """A setting as the option that stores it, its values as alternatives; None where there is no such option."""
        if setting.of == "code":
            return self._in_place_of(setting.name)
        dest = f"{setting.of}_{setting.name}" if setting.of in ("run", "qrels", "save") else setting.name
        option = next((action for action in self._actions if action.dest == dest and action.option_strings), None)
        if option is None:
            return None
        return " or ".join(_with_value(option, value) for value in setting.values) or option.option_strings[0]

    def _in_place_of(self, call: str) -> str:
        """What is typed in the place of a call: the arguments of this command, the options that read a file, or the call itself."""
        arguments = [str(action.metavar) for action in self._actions if not action.option_strings]
        return " ".join([self.prog, *arguments]) if call == "evaluate(run, qrels)" else READERS.get(call, call)


def _with_value(option: argparse.Action, value: Any) -> str:
    """An option with a value, as a shell reads it; an option of several values stands once for each."""
    flag = option.option_strings[0]
    if option.nargs == 0:
        return flag if value is not False else f"--no-{flag.lstrip('-')}"
    if value is ... or (isinstance(value, Mapping) and option.metavar == "FILE"):
        return f"{flag} {option.metavar}"
    if isinstance(value, Mapping):
        value = ",".join(f"{role}={name}" for role, name in value.items())
    values = value if isinstance(value, list) else ["all" if value is None else value]
    return " ".join(f"{flag} {shlex.quote(str(value))}" for value in values)
