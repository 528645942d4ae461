"""The site of the docs: built without a warning, it loads nothing from elsewhere, and it has a page for everything."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import click
import make
import pytest
import yaml
from pages import blocks, run_page

import shoal
import shoal_reproduction
from shoal import errors
from shoal.cli.main import COMMANDS
from shoal.cli.main import shoal as front
from shoal.data.file_formats import EXTENSIONS, FORMATS
from shoal.domain import Policy
from shoal.hierarchy.formats import FORMATS as HIERARCHIES
from subprocess_environment import find_chromium

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = re.compile(r"^(https?:)?//", re.IGNORECASE)
LOADING = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "form": "action"}
INSIDE = r"""(?:"[^"]*"|'[^']*'|[^'">])*"""
TAG = re.compile(rf"<(?:{'|'.join(LOADING)})\b{INSIDE}>|<\w{INSIDE}\sstyle={INSIDE}>", re.IGNORECASE)
"""What can load something: to parse whole pages takes ten times as long."""


class Loads(HTMLParser):
    """The addresses that a page loads when it is read; links that a reader may follow are none."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = dict(attrs)
        if tag in LOADING and facts.get("rel") != "canonical":
            self.found.append(facts.get(LOADING[tag]) or "")
        self.found += re.findall(r"url\(([^)]*)\)", facts.get("style") or "")

    @classmethod
    def of(cls, page: str) -> list[str]:
        loads = cls()
        for tag in TAG.finditer(page):
            loads.feed(tag[0])
            loads.reset()
        return loads.found


@pytest.fixture(scope="module")
def site(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("material", reason="the theme of the docs is not installed: pip install '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    settings = folder.parent / f"{folder.name}.yml"
    hook = ROOT / "docs" / "making" / "site.py"
    settings.write_text(f"INHERIT: {ROOT / 'mkdocs.yml'}\ndocs_dir: {docs}\nhooks: [{hook}]\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(settings), "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_on_the_site(site: Path, docs: Path) -> None:
    pages = {page.relative_to(docs) for page in docs.rglob("*.md")} - {Path("README.md")}
    assert len(pages) > 100
    for page in pages:
        assert (site / page.with_suffix(".html")).is_file()
    assert not list(site.rglob("*.py")), "the site contains no sources"


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        found = Loads.of(page.read_text(encoding="utf-8"))
        assert found
        assert not [address for address in found if OUTSIDE.match(address.strip("'\""))], page
    for sheet in site.rglob("*.css"):
        addresses = re.findall(r"url\(['\"]?([^)'\"]*)", sheet.read_text(encoding="utf-8"))
        assert not [address for address in addresses if OUTSIDE.match(address)], sheet


def test_what_a_page_would_load_is_seen() -> None:
    page = "<p a='>' style=\"background: url('//a/b')\"><script async src=https://c/d></script><IMG SRC='e.png'>"
    assert Loads.of(page) == ["'//a/b'", "https://c/d", "e.png"]


def test_the_search_has_an_index_of_its_own(site: Path) -> None:
    text = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("{") : text.rindex("}") + 1])
    found = {entry["location"].partition("#")[0] for entry in index["docs"]}
    assert {"index.html", "methods/mdav.html", "errors/PromiseError.html", "formats/policy.html"} <= found


def test_the_site_is_read_and_searched_as_files(site: Path) -> None:
    api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install 'shoal[dev]'")
    asked: list[str] = []
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1300, "height": 800})
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "methods" / "mdav.html").as_uri())
        page.click("input[name=query]")
        page.keyboard.type("PromiseError")
        page.wait_for_selector(".md-search-result__item a[href*='errors/PromiseError.html']", timeout=60_000)
        for name in ("index", "how-good", "architecture", "commands/anonymize"):
            page.set_viewport_size({"width": 390, "height": 800})
            page.goto((site / f"{name}.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, f"{name} is wider than a phone"
        browser.close()
    assert asked
    assert not [address for address in asked if not address.startswith(("file:", "data:", "blob:"))]


def test_examples_of_generated_pages(docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples of the other pages run in test_pages.py."""
    monkeypatch.chdir(tmp_path)
    names = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    shown = {name: (docs / name).read_text(encoding="utf-8") for name in sorted(names) if make.is_generated(name)}
    ran = 0
    for name, page in shown.items():
        for printed, expected in run_page(page, tmp_path):
            assert printed == expected, name
            ran += 1
    assert ran


def test_every_block_is_of_a_known_kind(docs: Path) -> None:
    kinds = {kind for path in docs.rglob("*.md") for kind, _ in blocks(path.read_text(encoding="utf-8"))}
    assert kinds <= {"", "python", "text", "toml", "json"}, "a block of another kind would never be run"


def test_the_figures_of_pages_are_there(docs: Path) -> None:
    for page in docs.rglob("*.md"):
        for target in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).is_file(), f"{page.name}: {target}"


def test_no_link_of_the_nav_is_left_out(docs: Path) -> None:
    text = re.sub(r"!!\S+", "", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))

    def targets(nav: list[object]) -> list[str]:
        found = []
        for entry in nav:
            target = next(iter(entry.values())) if isinstance(entry, dict) else entry
            found += targets(target) if isinstance(target, list) else [target]
        return found

    named = targets(yaml.safe_load(text)["nav"])
    assert not [name for name in named if not ((docs / name).exists() or (ROOT / name).exists())]


def stems(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.md")}


def test_every_method_measure_and_error_has_a_page(docs: Path) -> None:
    assert stems(docs / "methods") == set(shoal.methods())
    assert stems(docs / "measures") == set(shoal.measures())
    assert stems(docs / "errors") == set(errors.__all__)


def test_every_command_has_a_page_with_its_subcommands(docs: Path) -> None:
    assert stems(docs / "commands") == set(COMMANDS)
    for name in COMMANDS:
        text = (docs / "commands" / f"{name}.md").read_text(encoding="utf-8")
        waiting = [(f"shoal {name}", front.get_command(click.Context(front), name))]
        while waiting:
            path, command = waiting.pop()
            assert re.search(rf"^#+ {path}$", text, re.MULTILINE), path
            waiting += [(f"{path} {part}", below) for part, below in getattr(command, "commands", {}).items()]
        for option in front.get_command(click.Context(front), name).params:
            if isinstance(option, click.Option) and not option.hidden:
                assert option.opts[0] in text, f"{name} {option.opts[0]}"


def test_every_sentence_of_an_error_is_on_its_page(docs: Path) -> None:
    for name in errors.__all__:
        text = (docs / "errors" / f"{name}.md").read_text(encoding="utf-8")
        for member, kind in vars(getattr(errors, name)).items():
            if isinstance(kind, classmethod):
                assert re.search(rf"^\| `{member}` \| \S.*; .*\. \|$", text, re.MULTILINE), f"{name}.{member}"


def test_every_format_has_a_page(docs: Path) -> None:
    index = (docs / "formats.md").read_text(encoding="utf-8")
    pages = {*FORMATS, *(f"hierarchy-{name}" for name in HIERARCHIES)}
    assert pages <= stems(docs / "formats")
    assert {name for name in stems(docs / "formats") if f"(formats/{name}.md)" in index} == stems(docs / "formats")
    for ending in EXTENSIONS:
        assert f"`{ending}`" in index


def test_every_key_of_a_policy_is_told(docs: Path) -> None:
    text = (docs / "formats" / "policy.md").read_text(encoding="utf-8")
    release = shoal.anonymize(
        shoal.example_register(rows=100).select("age", "sex", "diagnosis"),
        k=3,
        quasi_identifiers=["age"],
        sensitive="diagnosis",
        l=2,
        strata="sex",
        method="mdav",
        effort="fast",
        bounds={"age": (0, 120)},
        missing_values="wildcard",
    )
    policy: Policy = release.policy
    for table, entries in policy.to_dict().items():
        assert f"`{table}" in text, table
        if isinstance(entries, dict) and table not in ("options", "weights", "bounds", "input", "output", "versions"):
            for key in entries:
                assert f"`{table}.{key}`" in text, f"{table}.{key}"


def test_the_keys_of_a_reproduction_are_those_of_the_page(docs: Path, data_folder: Path) -> None:
    text = (docs / "formats" / "json.md").read_text(encoding="utf-8").partition("## shoal reproduce")[2]
    facts = shoal_reproduction.reproduce(data_folder, only=["toy19"]).to_dict()
    if facts["summary"]["no data"]:
        pytest.skip("the smallest table of the papers is not there")
    for key, value in facts.items():
        assert f"`{key}" in text, key
        if isinstance(value, list) and value and isinstance(value[0], dict):
            told = " ".join(re.findall(rf"`{key}\[\]\.([^`]*)`", text))
            assert set(value[0]) <= set(re.split(r"[\s,\[\].]+", told)), key
