"""Run the examples of a page of the docs as a reader would."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shell import run_script

DOCS = Path(__file__).resolve().parents[2] / "docs"
METADATA = "Metadata-Version: 2.1\nName: page\nVersion: 1.0\n"


def blocks(page: str) -> list[tuple[str, str]]:
    """The kind and the text of each block of a page."""
    return re.findall(r"^```(\w*)\n(.*?)^```", page, re.DOTALL | re.MULTILINE)


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands behind the marks of a prompt, with what is shown below each."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        found = re.match(r"((?:.*\\\n)*.*)\n", part)
        if found:
            yield found[1], part[found.end() :]


def examples(page: str) -> int:
    """How many blocks of a page can be run."""
    return sum(kind == "python" or (kind == "text" and text.startswith("$ ")) for kind, text in blocks(page))


def run_python(code: str, names: dict[str, Any]) -> str:
    """Standard output of Python code, without warnings."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(code, names)  # noqa: S102 - our own pages
    return printed.getvalue()


def install(text: str, folder: Path) -> None:
    """Install the metadata of a package with these entry points."""
    home = folder / "page-1.0.dist-info"
    home.mkdir()
    (home / "METADATA").write_text(METADATA, encoding="utf-8")
    group, entries = re.findall(r'^\[project\.entry-points\."([\w.]+)"\]\n(.*)', text, re.DOTALL)[0]
    (home / "entry_points.txt").write_text(f"[{group}]\n{entries.replace(chr(34), '')}", encoding="utf-8")


def run_page(page: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Run a page from top to bottom; yield what was printed and what the page shows.

    Python that begins with the name of a file is that file. What Python prints is shown in the next block of text.
    """
    names: dict[str, Any] = {"__name__": "page"}
    printed = ""
    for kind, text in blocks(page):
        if kind == "python" and (named := re.match(r"# (\w+\.py)\n", text)):
            (folder / named[1]).write_text(text[named.end() :], encoding="utf-8")
        elif kind == "toml" and "entry-points" in text:
            install(text, folder)
        elif kind == "python":
            if printed:
                yield printed, ""
            printed = run_python(text, names)
        elif kind == "text" and text.startswith("$ "):
            for command, shown in commands(text):
                yield run_script(command, folder), shown
        elif kind == "text" and printed:
            yield printed, text
            printed = ""
    if printed:
        yield printed, ""
