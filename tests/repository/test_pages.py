"""What the docs show is what happens: their Python and their commands run and print what stands below."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import make
import pytest
from pages import DOCS, blocks, examples, run_page

import shoal
from shoal.microaggregation import registry

EXEMPT = {
    "wordnet.md": "it needs a folder of WordNet, which is not shipped; tests/hierarchy tries all of it on a small one"
}
"""Pages whose examples are not run, each with the reason."""
ALL = {
    name: path.read_text(encoding="utf-8")
    for path in sorted(DOCS.rglob("*.md"))
    if not make.is_generated(name := path.relative_to(DOCS).as_posix())
}
"""The pages in git; tests/repository/test_site.py runs the examples of generated ones."""
SHOWN = [name for name, page in ALL.items() if examples(page) and name not in EXEMPT]


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Packages in the folder of the test are found, and methods are looked for anew, as in a new process."""
    shoal.methods()  # those of Shoal register once
    known = set(sys.modules)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    registry.methods.cache_clear()
    yield
    registry.methods.cache_clear()
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_shows_what_happens(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if name == "spark.md":
        request.getfixturevalue("spark")  # the page takes the session that is there
    if "entry-points" in ALL[name]:
        request.getfixturevalue("packages")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")])))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # a page that runs pytest needs none of ours
    shoal.example_register(rows=2000).write_csv("people.csv")
    for printed, shown in run_page(ALL[name], tmp_path):
        assert printed == shown


def test_pages_are_exempt_for_a_reason_that_holds() -> None:
    for name, reason in EXEMPT.items():
        assert examples(ALL[name]), f"{name} has nothing to run: {reason}"


def test_the_table_beside_pycanon_has_the_figures_that_are_computed() -> None:
    """The page runs above; here what it prints is found in its table, and pycanon's figure is the same or explained."""
    page = ALL["coming-from/pycanon.md"]
    computed = next(text for kind, text in blocks(page) if kind == "text" and text.startswith("k_anonymity"))
    rows = dict(
        re.findall(r"^\| `(\w+(?:\(\w+\))?)` \| (.*) \|$", page.partition("## The same numbers")[2], re.MULTILINE)
    )
    assert set(rows) == {line.split()[0] for line in computed.splitlines()}
    for name, figure in map(str.split, computed.splitlines()):
        theirs, ours = rows[name].split(" | ")
        assert ours == figure == theirs or ours.startswith(f"{figure}: ")


def test_a_page_that_shows_something_else_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = "```python\nprint(1)\n```\n\n```text\n2\n```\n\n```text\n$ echo 3\n4\n```\n\n```python\nprint(5)\n```\n"
    assert list(run_page(page, tmp_path)) == [("1\n", "2\n"), ("3\n", "4\n"), ("5\n", "")]
