"""Generate the pages of the docs that come from the code, and those that come from recorded results.

`python docs/make.py` writes all of them into this folder; git ignores those that come from the code.
`python docs/make.py --into FOLDER` writes them into another folder, for a build that leaves the checkout as it is.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
for folder in (DOCS, ROOT / "benchmarks"):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))

FOLDERS = ("commands", "errors", "measures", "methods")
"""Folders in which every page is generated."""
PAGES = ("command-line", "errors", "formats", "formats/json", "imports", "measures", "methods", "options")
"""Other pages that are generated from the code."""


def is_generated(name: str) -> bool:
    """Whether a page of the docs, such as `methods/mdav.md`, is generated from the code."""
    return name.partition("/")[0] in FOLDERS or name.removesuffix(".md") in PAGES


def from_code(docs: Path) -> dict[Path, str]:
    """Every page and picture that comes from the code, by its path below a folder of docs."""
    from making import commands, errors, formats, imports, json_keys, measures, methods, options

    return {
        **commands.pages(docs),
        **methods.pages(docs),
        **measures.pages(docs),
        **options.pages(docs),
        **errors.pages(docs),
        **formats.pages(docs),
        **json_keys.pages(docs),
        **imports.pages(docs, ROOT / "src" / "shoal", ROOT / "pyproject.toml"),
    }


def from_results(docs: Path) -> dict[Path, str]:
    """Every page and picture that comes from `benchmarks/results/`; git keeps them, since the runs take long."""
    from making import quality, reliability
    from measuring.results import RESULTS, read_results
    from measuring.results_page import pages as benchmark_pages

    found = {name: facts for name, facts in read_results().items() if "figures" in facts}
    return {
        **reliability.pages(docs, RESULTS / "reliability.json"),
        **quality.pages(docs, found),
        **benchmark_pages(found, docs),
    }


def write(docs: Path, pages: Mapping[Path, str]) -> None:
    """Write pages below a folder, and remove generated ones that have no source any more."""
    old = {path for folder in FOLDERS for path in (docs / folder).glob("*.md")}
    old |= set((docs / "figures").glob("*.svg"))
    for path in old - set(pages):
        path.unlink()
    for path, text in pages.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--into", type=Path, default=DOCS, metavar="FOLDER", help="a folder other than docs/")
    folder = options.parse_args().into.resolve()
    write(folder, {**from_code(folder), **from_results(folder)})
