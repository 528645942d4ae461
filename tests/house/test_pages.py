"""What the pages about data show is what happens: their Python and their commands run and print what stands below."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from shell import printed as answered

import shoal

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = (
    *("mixed-tables", "missing-values", "privacy-models", "surveys"),
    *("risk", "comparing", "bundle", "scikit-learn", "optimality", "large-tables"),
    "row-order-and-formulas",
)


def blocks(page: str) -> list[tuple[str, str]]:
    """The kind and the text of each block of a page."""
    return re.findall(r"```(\w*)\n(.*?)```", page, re.DOTALL)


def ran(code: str, names: dict[str, Any]) -> str:
    """What Python prints; warnings are told elsewhere."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(code, names)  # noqa: S102 - our own pages
    return printed.getvalue()


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands behind the marks of a prompt, with what is shown below each."""
    for part in text.split("$ ")[1:]:
        found = re.match(r"((?:.*\\\n)*.*)\n", part)
        if found:
            yield found[1], part[found.end() :]


@pytest.mark.parametrize("name", [*PAGES, "spark"])
def test_a_page_shows_what_happens(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if name == "spark":
        request.getfixturevalue("spark")  # the page takes the session that is there
    monkeypatch.chdir(tmp_path)
    shoal.example_register(rows=2000).write_csv("people.csv")
    names: dict[str, Any] = {}
    printed, compared = "", 0
    for kind, text in blocks((DOCS / f"{name}.md").read_text(encoding="utf-8")):
        if kind == "python":
            assert not printed, "what Python prints is shown below it"
            printed = ran(text, names)
        elif kind == "text" and text.startswith("$ "):
            for command, shown in commands(text):
                assert answered(command, tmp_path) == shown
                compared += 1
        elif kind == "text" and printed:
            assert printed == text
            printed, compared = "", compared + 1
    assert compared
    assert not printed, "what Python prints is shown below it"
