"""Imports: they point one way, a third-party library has one owner, and nothing heavy is loaded before it is needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

import samescore
from samescore.backends import BACKENDS
from samescore.cli import COMMANDS

SOURCE = Path(samescore.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))

LEVELS = (
    {"errors", "rankspace", "typing"},
    {"display", "user_code", "writing"},
    {"measures"},
    {"reference", "readers"},
    {"clauses"},
    {"policy"},
    {"ranking"},
    {"averaging", "backends", "intervals"},
    {"preparation"},
    {"slices", "tie_orders"},
    {"report"},
    {"result"},
    {"evaluation"},
    {"functions"},
    {"tools"},
    {"cli", "plots"},
    {"__main__"},
)
"""Modules and folders of the package: each imports from those above it only, and from itself. Tools may import one another."""

SEEN_BY_BACKENDS = {"errors", "rankspace", "measures", "reference", "user_code"}
OWNERS = {
    "pandas": {"display.py"},
    "ranx": {"backends/ranx.py"},
    "numba": {"backends/ranx.py"},
    "ir_measures": {"backends/placeholders.py"},
    "polars": {"readers/data.py"},
    "ir_datasets": {"readers/mappings.py"},
    "cbor2": {"readers/files.py"},
    "scipy": {"intervals.py", "tools/significance.py"},
    "matplotlib": {"tools/plots.py"},
}
"""Library -> the module that imports it: of scipy, one in the core and one among the tools."""
FREE = {"numpy", "samescore"}
HEAVY = ("ranx", "numba", "pandas", "polars", "pyarrow", "scipy", "matplotlib", "ir_measures", "pytrec_eval")


def named(path: Path) -> str:
    """A module as the tests' messages show it."""
    return path.relative_to(SOURCE).as_posix()


def part(path: Path) -> str:
    """The module or folder of the package that a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def level(name: str) -> int:
    """Where in the order of imports a module or folder stands."""
    return next(i for i, names in enumerate(LEVELS) if name in names)


@cache
def imports(path: Path, *, in_functions: bool = True) -> Sequence[ast.Import | ast.ImportFrom]:
    """The imports of a file that run, so without those for type checkers; each file is looked through once for all tests."""

    def walk(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            if isinstance(child, ast.FunctionDef) and not in_functions:
                continue
            if isinstance(child, (ast.Import, ast.ImportFrom)):
                yield child
            yield from walk(child)

    return list(walk(ast.parse(path.read_text(encoding="utf-8"))))


def own_parts(path: Path) -> set[str]:
    """The modules and folders of the package that a file imports from."""
    folder = path.relative_to(SOURCE).parent.parts
    found = set()
    for node in imports(path):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = folder[: len(folder) - node.level + 1]
        full = (*base, *(node.module.split(".") if node.module else ()))
        found |= {full[0]} if full else {alias.name for alias in node.names}
    return found - {"__version__"}


def third_party(path: Path, **options: bool) -> set[str]:
    """The libraries that a file imports and that are neither Python's nor free for all."""
    found = set()
    for node in imports(path, **options):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif not node.level and node.module:
            found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - FREE


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_imports_point_one_way(path):
    mine = part(path)
    if mine == "__init__":
        assert own_parts(path) == set()
        return
    assert {other for other in own_parts(path) - {mine} if level(other) >= level(mine)} == set()


@pytest.mark.parametrize("path", sorted((SOURCE / "backends").rglob("*.py")), ids=named)
def test_a_backend_sees_rank_space_measures_and_reference_and_no_other_backend(path):
    assert own_parts(path) - {"backends"} <= SEEN_BY_BACKENDS
    adapters = {target.partition(":")[0].rpartition(".")[2] for target in BACKENDS.values()}
    beside = {node.module for node in imports(path) if isinstance(node, ast.ImportFrom) and node.level == 1}
    assert beside & adapters == set()


def test_a_third_party_library_has_one_owner():
    owners: dict[str, set[str]] = {}
    for path in MODULES:
        for library in third_party(path):
            owners.setdefault(library, set()).add(named(path))
    assert {library: found for library, found in owners.items() if len(found) > 1 and library not in OWNERS} == {}
    assert {library: owners[library] for library in OWNERS if library in owners} == {
        library: found for library, found in OWNERS.items() if library in owners
    }


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_a_third_party_library_is_imported_when_it_is_needed_and_not_before(path):
    assert third_party(path, in_functions=False) == set()


def loaded(code: str) -> set[str]:
    """Which of the heavy libraries a fresh Python has loaded after some code."""
    script = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split()) & {*HEAVY, "numpy"}


def test_importing_the_package_loads_nothing_heavy():
    assert loaded("import samescore") <= {"numpy"}
    assert loaded("from samescore import *") <= {"numpy"}


CALL = "samescore.evaluate({{'q': {{'a': 1.0}}}}, {{'q': {{'a': 1}}}}, backend={!r}).to_json()"


@pytest.mark.slow
def test_ir_measures_on_dictionaries_loads_no_other_library():
    assert loaded(f"import samescore\n{CALL.format('ir_measures')}") == {"ir_measures", "pytrec_eval", "numpy"}


def test_the_reference_loads_no_library_at_all():
    assert loaded(f"import samescore\n{CALL.format('reference')}") == {"numpy"}


@pytest.mark.slow
def test_the_table_of_backends_loads_none_of_their_libraries():
    assert loaded("from samescore.backends import matrix\nmatrix()") <= {"numpy"}


def test_help_and_version_load_no_library_at_all():
    calls = "".join(f"assert main({words!r}) == 0\n" for words in (["--version"], ["--help"], *([c, "--help"] for c in COMMANDS)))
    assert loaded(f"from samescore.cli import main\n{calls}") == set()


def test_the_command_backends_loads_none_of_their_libraries():
    assert loaded("from samescore.cli import main\nassert main(['backends']) == 0") <= {"numpy"}


def modules_imported(path: Path) -> set[str]:
    """The modules of the package that a file imports, those for type checkers too; the package itself is none."""
    names = {named(other).removesuffix(".py").removesuffix("/__init__").replace("/", ".") for other in MODULES}
    folder = path.relative_to(SOURCE).parent.parts
    targets = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = (*folder[: len(folder) - node.level + 1], *(node.module.split(".") if node.module else ()))
            inner = [".".join((*base, alias.name)) for alias in node.names]
            targets |= {module if module in names else ".".join(base) for module in inner}
    return targets & names


def test_no_modules_import_each_other_in_a_circle():
    after = {
        named(path).removesuffix(".py").removesuffix("/__init__").replace("/", "."): modules_imported(path)
        for path in MODULES
        if path != SOURCE / "__init__.py"
    }
    while leaves := [module for module, imported in after.items() if not imported & set(after) - {module}]:
        for module in leaves:
            del after[module]
    assert after == {}
