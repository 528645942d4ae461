"""How pages are generated: reliability from what was counted, the graph of imports, sentences of errors."""

from __future__ import annotations

import json
import re
from pathlib import Path

import make
import pytest
from making import errors, imports, json_keys, reliability, site

ROOT = Path(__file__).resolve().parents[2]

ACCOUNTS = [
    {"kind": "fault", "name": "the disk is full", "outcome": "It says so.", "tried": 200, "refused": 200}
    | {"whole": 0, "lost": 0},
    {"kind": "fault", "name": "a kill | while writing", "outcome": "The old file stands.", "tried": 1300, "refused": 0}
    | {"whole": 1300, "lost": 0},
    {"kind": "attack", "name": "looks records up", "outcome": "At most 1 in k.", "tried": 7, "refused": 0}
    | {"whole": 6, "lost": 1},
]


def test_what_was_counted_is_a_table_by_kind_with_sums(tmp_path: Path) -> None:
    results = tmp_path / "reliability.json"
    results.write_text(json.dumps({"faults": ACCOUNTS[:2], "attacks": ACCOUNTS[2:]}), encoding="utf-8")
    ((path, text),) = reliability.pages(tmp_path, results).items()
    assert path == tmp_path / "reliability.md"
    assert "| A kill \\| while writing | The old file stands. | 1,300 | 0 | 1,300 | 0 |" in text
    assert "| **in all** |  | **1,500** | **200** | **1,300** | **0** |" in text
    assert "| **in all** | 3 | **1,507** | **200** | **1,306** | **1** |" in text
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Faults", "Attacks"]
    assert "make reliability" in text


def test_nothing_counted_is_no_page(tmp_path: Path) -> None:
    assert reliability.pages(tmp_path, tmp_path / "reliability.json") == {}


def test_the_graph_is_that_of_the_sources(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "upper").mkdir(parents=True)
    (root / "upper" / "module.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import root.typed\nfrom root import lower\n"
        "def late():\n    from root.last import thing\n",
        encoding="utf-8",
    )
    (root / "lower.py").write_text("from .last import thing\nimport os\n", encoding="utf-8")
    for name in ("last", "typed"):
        (root / f"{name}.py").write_text("thing = 1\n", encoding="utf-8")
    found = imports.graph(root, ["upper", "lower", "last", "typed"])
    assert found == {"upper": {"lower", "last"}, "lower": {"last"}, "last": set(), "typed": set()}


def test_no_package_imports_one_above_or_beside_it() -> None:
    layers = imports.layers(ROOT / "pyproject.toml")
    depth = {package: number for number, layer in enumerate(layers) for package in layer}
    found = imports.graph(ROOT / "src" / "shoal", list(depth))
    assert sum(map(len, found.values())) > 80
    upwards = {
        (package, other) for package, others in found.items() for other in others if depth[other] <= depth[package]
    }
    assert not upwards


def test_every_package_is_drawn() -> None:
    layers = [["top", "side"], ["low"]]
    text = imports.drawing(layers, {"top": {"low"}, "side": set(), "low": set()})
    assert text.count("<circle") == 1
    assert all(f">{package}</text>" in text for package in ("top", "side", "low"))


@pytest.mark.parametrize("kind", errors.kinds(), ids=lambda kind: kind.__name__)
def test_a_sentence_of_an_error_names_what_was_given(kind: type) -> None:
    for name, constructor in errors.constructors(kind):
        for sentence in errors.sentences(constructor):
            assert sentence.endswith("."), name
            assert "Count" not in sentence, name
            assert not re.search(r"\b7\b", sentence), f"{name}: a placeholder was counted with"


def test_each_json_key_is_listed_once() -> None:
    answer = {
        "a": [1, 2],
        "b": [{"c": None}, {"c": "x"}],
        "changes": {"age": {"loss": 1.0, "gcp": None}},
        "best": {"3": 1},
    }
    text = json_keys.key_table(answer, {"age", "name"})
    assert "| `a` | list of whole number |" in text
    assert "| `b[].c` | text or null |" in text
    assert "| `changes.COLUMN` | object |" in text
    assert "| `best.K` | whole number |" in text


def test_pages_from_recorded_results_are_up_to_date() -> None:
    for path, text in make.from_results(ROOT / "docs").items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is old, run: python docs/make.py"


def test_git_ignores_what_is_generated_from_the_code_and_nothing_else(docs: Path, generated: dict[Path, str]) -> None:
    ignored = [line[len("/docs/") :] for line in (ROOT / ".gitignore").read_text().splitlines() if "/docs/" in line]
    for name in (path.relative_to(docs).as_posix() for path in generated):
        assert any(name == line or (line.endswith("/") and name.startswith(line)) for line in ignored), name
        assert make.is_generated(name) or name == "figures/imports.svg"
    for path in make.from_results(docs):
        assert not any(path.relative_to(docs).as_posix().startswith(line) for line in ignored)


def test_a_page_without_a_source_is_removed(docs: Path, generated: dict[Path, str]) -> None:
    (docs / "methods" / "gone.md").write_text("# gone\n", encoding="utf-8")
    make.write(docs, {**generated, **make.from_results(docs)})
    assert not (docs / "methods" / "gone.md").exists()
    assert (docs / "methods" / "mdav.md").is_file()


def test_links_of_files_above_the_docs_lead_to_pages_of_the_site() -> None:
    text = "[a](docs/architecture.md#x) [b](CHANGELOG.md) [c](src/shoal/errors/messages.py) [d](https://example.org)"
    assert (
        site.with_site_links(text, "CONTRIBUTING.md")
        == "[a](architecture.md#x) [b](CHANGELOG.md) c [d](https://example.org)"
    )


def test_a_folder_of_the_nav_stands_for_its_pages(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name in ("a/b-c.md", "a/b.md", "here.md"):
        (tmp_path / name).write_text("", encoding="utf-8")
    nav = [{"Here": "here.md"}, {"Not yet": "gone.md"}, {"All": ["a/"]}]
    assert site.expand_nav(nav, tmp_path) == [{"Here": "here.md"}, {"All": [{"b": "a/b.md"}, {"b-c": "a/b-c.md"}]}]
