"""README.md does what it says: every block of code is run, and what it shows is what comes out.

The convention, block by block, in the order of the page:

- ``python`` with ``>>>`` prompts is a doctest, but that a blank line in what it shows is a blank line.
- ``python`` without is run, and where a ``text`` block follows at once, what it prints is that block.
- ``console`` holds commands after ``$ ``, each followed by what it prints, or where no line begins so, a command a line.
  ``samescore`` and ``python`` commands are run in the root of the repository. One that makes a venv is checked for its form,
  since CI runs it; where it ends with ``samescore``, that much is run.
- ``...`` stands for any text in what is shown, such as the version of a library. All python blocks share their names.
- ``<!-- not run: REASON -->`` on the line before a block leaves it out.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import pytest

from samescore.cli import main
from samescore.policy import CLAUSES

ROOT = Path(__file__).parent.parent
OPTIONS = doctest.ELLIPSIS
SETUP = re.compile(r"python3 -m venv \.venv && \.venv/bin/pip install .* && \.venv/bin/\S+.*")
"""One line that makes a venv and goes on with what it holds."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line of the page where its text begins, and what it must print (None: any)."""

    kind: str
    text: str
    line: int
    shown: str | None = None


def blocks_of(page: str) -> list[Block]:
    """The blocks of a page that are run, each with the ``text`` block that follows it at once."""
    fences = list(re.finditer(r"^(<!-- not run: .+ -->\n)?```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    found = []
    for fence, after in zip_longest(fences, fences[1:]):
        follows = after is not None and after[2] == "text" and not page[fence.end() : after.start()].strip()
        if not fence[1]:
            line = page.count("\n", 0, fence.start(3)) + 1
            found.append(Block(fence[2], fence[3], line, after[3] if follows and after else None))
    return found


def differs(wanted: str, got: str) -> str:
    """How what came out differs from what is shown, or nothing."""
    wanted, got = (re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).rstrip() + "\n" for text in (wanted, got))
    checker, example = doctest.OutputChecker(), doctest.Example("", wanted)
    return "" if checker.check_output(wanted, got, OPTIONS) else checker.output_difference(example, got, OPTIONS)


def run_python(block: Block, names: dict[str, object]) -> str:
    """Run a python block; what is wrong with what it prints, or nothing."""
    if ">>> " in block.text:
        text = re.sub(r"^$(?=\n+(?!>>> |\n|\Z))", "<BLANKLINE>", block.text, flags=re.MULTILINE)
        test = doctest.DocTestParser().get_doctest(text, names, "README.md", "README.md", block.line - 1)
        said = io.StringIO()
        runner = doctest.DocTestRunner(verbose=False, optionflags=OPTIONS)
        runner.run(test, out=said.write, clear_globs=False)
        names.update(test.globs)
        return said.getvalue()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * (block.line - 1) + block.text, "README.md", "exec"), names)
    return differs(block.shown, printed.getvalue()) if block.shown is not None else ""


def commands_of(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with what is shown below it."""
    text = block.text.replace("\\\n", " ")
    if not re.search(r"^\$ ", text, re.MULTILINE):
        yield from ((line, "") for line in text.splitlines())
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command.strip(), shown


def run_command(command: str, shown: str) -> str:
    """Run one command of a console block; what is wrong with what it prints, or nothing."""
    if "python3 -m venv" in command:
        if not SETUP.fullmatch(command):
            return f"not one line that makes a venv and goes on with it: {command}"
        last = command.rpartition(" && ")[2].removeprefix(".venv/bin/")
        return run_command(last, shown) if last.startswith("samescore ") else ""
    program, *words = shlex.split(command, comments=True)
    known = {"samescore": ["-m", "samescore"], "python": [], "python3": []}
    if program not in known:
        return f"neither samescore nor python: {command}"
    done = subprocess.run([sys.executable, *known[program], *words], capture_output=True, text=True, check=False, cwd=ROOT)
    return differs(shown, done.stdout + done.stderr) if shown.strip() or done.returncode else ""


PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = blocks_of(PAGE)


def test_every_python_block_runs_and_prints_what_it_shows(monkeypatch):
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {"__name__": "readme"}
    wrong = {f"README.md:{block.line}": run_python(block, names) for block in BLOCKS if block.kind == "python"}
    assert "\n".join(f"{place}\n{what}" for place, what in wrong.items() if what) == ""


CONSOLE = [
    pytest.param(command, shown, id=f"line {block.line}: {command[:40]}")
    for block in BLOCKS
    if block.kind == "console"
    for command, shown in commands_of(block)
]


@pytest.mark.skipif(not CONSOLE, reason="README.md shows no command")
@pytest.mark.parametrize(("command", "shown"), CONSOLE)
def test_every_command_prints_what_is_shown(command, shown):
    assert run_command(command, shown) == ""


def test_every_command_that_makes_a_venv_is_one_line():
    lines = [line.removeprefix("$ ") for line in PAGE.splitlines() if "python3 -m venv" in line]
    assert [line for line in lines if not SETUP.fullmatch(line)] == []


# The convention itself


def test_blocks_are_found_with_their_place_and_what_they_show():
    page = "a\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\n<!-- not run: it takes hours -->\n```python\nslow()\n```\n"
    assert [(b.kind, b.text, b.line, b.shown) for b in blocks_of(page)] == [
        ("python", "print(1)\n", 4, "1\n"),
        ("text", "1\n", 8, None),
    ]


@pytest.mark.parametrize(
    ("text", "shown", "right"),
    [
        ("print('a')\nprint('b c')", "a\nb ...\n", True),
        ("print('a')", "b\n", False),
        ("print('a')", "a\nb\n", False),
        ("print('a')", None, True),
        (">>> 1 + 1\n2\n>>> x = 5\n>>> x\n5\n", None, True),
        (">>> 1 + 1\n3\n", None, False),
        (">>> [0.25, 'v 1.2']\n[0.25, 'v ...']\n", None, True),
        (">>> print('a\\n\\nb')\na\n\nb\n\n>>> 1\n1\n\n>>> 2\n2\n", None, True),
        (">>> print('a\\nb')\na\n\nb\n", None, False),
    ],
)
def test_what_a_python_block_prints_is_compared(text, shown, right):
    assert (run_python(Block("python", text, 1, shown), {}) == "") is right


def test_python_blocks_share_their_names():
    names: dict[str, object] = {}
    assert run_python(Block("python", "x = 5\n", 1), names) == run_python(Block("python", ">>> x\n5\n>>> y = 6\n", 1), names) == ""
    assert run_python(Block("python", "print(x, y)", 1, "5 6"), names) == ""


@pytest.mark.parametrize(
    ("command", "shown", "right"),
    [
        ("samescore --version", "samescore ...\n", True),
        ("samescore --version", "samescore\n", False),
        ("samescore evaluate", "samescore evaluate: error: ...\ntry: samescore evaluate --help\n", True),
        ("samescore evaluate", "", False),
        ("python -c 'print(5)'  # five", "5\n", True),
        ("rm -rf /nowhere", "", False),
        ("python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/samescore --version", "", True),
        ("python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/samescore evaluate", "", False),
        ("python3 -m venv .venv", "", False),
    ],
)
def test_what_a_command_prints_is_compared(command, shown, right):
    assert (run_command(command, shown) == "") is right


def test_a_console_block_is_its_commands_with_what_they_print():
    block = Block("console", "$ one \\\n    --more\n1\n\n2\n$ two\n", 1)
    assert [(shlex.split(command), shown) for command, shown in commands_of(block)] == [
        (["one", "--more"], "1\n\n2\n"),
        (["two"], ""),
    ]
    assert list(commands_of(Block("console", "one\ntwo\n", 1))) == [("one", ""), ("two", "")]


def test_the_matrix_is_what_the_command_prints(capsys):
    assert main(["backends", "--format", "markdown"]) == 0
    assert capsys.readouterr().out.split("\n\n")[0] in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("clause", CLAUSES)
def test_the_table_of_the_policy_has_every_clause_with_its_values(clause):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith(f"| `{clause}` |"))
    assert [value for value in CLAUSES[clause].words if isinstance(value, str) and f"`{value}`" not in row] == []
