"""Make the pages that come from the house itself: commands, methods, measures, errors, formats, figures."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
for folder in (DOCS, ROOT / "benchmarks"):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))

FOLDERS = ("commands", "errors", "figures", "measures", "methods")
"""Folders in which everything is made, but pictures that are taken; what is not made any more is removed."""


def pages() -> dict[Path, str]:
    """Every page that is made, by its path."""
    from making import answers, commands, errors, formats, goodness, imports, measures, methods, reliability
    from measuring.kept import RESULTS, results
    from measuring.page import made as benchmarks

    kept = {name: found for name, found in results().items() if "figures" in found}
    return {
        **commands.pages(DOCS),
        **methods.pages(DOCS),
        **measures.pages(DOCS),
        **errors.pages(DOCS),
        **formats.pages(DOCS),
        **answers.pages(DOCS),
        **imports.pages(DOCS, ROOT / "src" / "shoal", ROOT / "pyproject.toml"),
        **reliability.pages(DOCS, RESULTS / "reliability.json"),
        **goodness.pages(DOCS, kept),
        **benchmarks(kept, DOCS),
    }


if __name__ == "__main__":
    made = pages()
    for folder in FOLDERS:
        (DOCS / folder).mkdir(exist_ok=True)
        for old in {*(DOCS / folder).glob("*.md"), *(DOCS / folder).glob("*.svg")} - set(made):
            old.unlink()
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
