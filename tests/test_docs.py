"""The pages for developers name modules, files and tests that exist; the page of forms is run, and names every form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_readme import blocks_of, run_python

from samescore.readers.shapes import SHAPES

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "docs" / "architecture.md", ROOT / ".github" / "CONTRIBUTING.md"]
NAMED = re.compile(r"`((?:[\w.-]+/)*[\w.-]+\.(?:py|md|toml)|(?:[\w-]+/)+)`")
"""A file, or a folder, in backquotes."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_names_is_there(page):
    names = [name for name in NAMED.findall(page.read_text(encoding="utf-8")) if name not in ("before.json", ".venv/")]
    assert len(names) > 10
    assert [name for name in names if not any((base / name).exists() for base in (ROOT, ROOT / "src" / "samescore"))] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_to_a_file(page):
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


FORMS = (ROOT / "docs" / "your_data_in.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["your_data_in.md", "intervals.md", "gate.md", "labels_and_suites.md"])
def test_every_block_of_a_page_prints_what_it_shows(page):
    names: dict[str, object] = {}
    blocks = blocks_of((ROOT / "docs" / page).read_text(encoding="utf-8"))
    assert blocks
    assert [wrong for block in blocks if (wrong := run_python(block, names))] == []


def test_the_page_of_forms_has_a_row_for_each_nested_form():
    rows = [re.sub("[`]", "", line) for line in FORMS.splitlines() if line.startswith("| ")]
    assert [shape.form for shape in SHAPES if not any(row.startswith(f"| {shape.form}") for row in rows)] == []
