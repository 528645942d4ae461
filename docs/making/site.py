"""What the site needs beyond its pages: folders in the nav, and the files of the project that stand above the docs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
ABOVE = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "examples/spark/README.md")
"""Files outside of the docs that the site shows too."""
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:)([^)#\s]+)(#[^)\s]*)?\)")


def expand_nav(nav: list[Any], docs: Path) -> list[Any]:
    """The nav with all pages in place of a folder, and without pages that are not there."""
    found: list[Any] = []
    for entry in nav:
        title, target = next(iter(entry.items())) if isinstance(entry, dict) else (None, entry)
        if isinstance(target, list):
            if inside := expand_nav(target, docs):
                found.append({title: inside})
        elif target.endswith("/"):
            found += [{page.stem: f"{target}{page.name}"} for page in sorted((docs / target).glob("*.md"), key=_name)]
        elif (docs / target).is_file() or (target in ABOVE and (ROOT / target).is_file()):
            found.append(entry)
    return found


def _name(page: Path) -> str:
    return page.stem


def targets(nav: list[Any]) -> Iterator[str]:
    """All pages of a nav."""
    for entry in nav:
        target = next(iter(entry.values())) if isinstance(entry, dict) else entry
        yield from targets(target) if isinstance(target, list) else [target]


def with_site_links(text: str, place: str, docs: Path = ROOT / "docs") -> str:
    """A page above the docs, its links as seen from the docs; what the site does not have is named without a link."""

    def site_link(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        seen = posixpath.normpath(posixpath.join(posixpath.dirname(place), target))
        if seen.startswith("docs/") and (docs / seen.removeprefix("docs/")).is_file():
            home = posixpath.relpath(seen.removeprefix("docs/"), posixpath.dirname(place) or ".")
            return f"[{words}]({home}{anchor})"
        return f"[{words}]({target}{anchor})" if seen in ABOVE and (ROOT / seen).is_file() else words

    return LINK.sub(site_link, text)


def on_config(config: Any) -> Any:
    """The whole nav; pages that it does not name stand at its end."""
    docs = Path(config["docs_dir"])
    nav = expand_nav(config["nav"], docs)
    rest = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")} - {*targets(nav), "README.md"}
    config["nav"] = [*nav, *([{"More": sorted(rest)}] if rest else [])]
    return config


def on_files(files: Any, config: Any) -> Any:
    for name in ABOVE:
        if (ROOT / name).is_file():
            text = with_site_links((ROOT / name).read_text(encoding="utf-8"), name, Path(config["docs_dir"]))
            files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links of the docs that lead above them lead to what the site has of it."""
    source = page.file.src_uri

    def site_link(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        seen = posixpath.normpath(posixpath.join("docs", posixpath.dirname(source), target))
        if seen.startswith("docs/"):
            return match[0]
        home = posixpath.relpath(seen, posixpath.dirname(source) or ".")
        return f"[{words}]({home}{anchor})" if seen in ABOVE and (ROOT / seen).is_file() else words

    return LINK.sub(site_link, markdown) if source not in ABOVE else markdown
