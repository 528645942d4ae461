"""Class names are unique, and the pages about the code name what exists."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "shoal"
KERNELS = SOURCE / "kernels"
FOLDERS = ("benchmarks", "docs", "reproduction", "src", "tests")
PAGES = ("docs/architecture.md", "docs/kernels.md", "CONTRIBUTING.md")


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


@cache
def functions() -> set[str]:
    """Names of all functions, methods and classes."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name for tree in trees().values() for node in ast.walk(tree) if isinstance(node, kinds)}


def defined_names(tree: ast.Module) -> Iterator[str]:
    """Functions, classes and constants of a module."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def code_spans(page: str) -> list[str]:
    """The text in single backticks outside of code blocks."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))


@cache
def paths() -> set[str]:
    """All files and folders, the folders with a trailing slash, with a slash before each."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]
    found += [ROOT / folder for folder in FOLDERS]
    return {f"/{path.relative_to(ROOT).as_posix()}{'/' if path.is_dir() else ''}" for path in found}


def is_path(span: str) -> bool:
    return re.fullmatch(r"[\w.-]+(/[\w.-]+)*(/|\.py)", span) is not None


def test_class_names_are_unique() -> None:
    places = defaultdict(list)
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


@pytest.mark.parametrize("page", PAGES)
def test_paths_on_a_page_exist(page: str) -> None:
    """Paths may begin at any folder."""
    named = [span for span in code_spans(page) if is_path(span)]
    assert named
    assert [span for span in named if not any(path.endswith(f"/{span}") for path in paths())] == []


def test_kernel_modules_on_the_page_exist() -> None:
    """The second column of each table names kernel modules and, in parentheses, methods or options."""
    text = (ROOT / "docs" / "kernels.md").read_text(encoding="utf-8")
    cells = [line.split("|")[2] for line in text.splitlines() if line.startswith("|") and "`" in line]
    modules = [span for cell in cells for span in re.findall(r"`([\w/]+)`", re.sub(r"\([^)]*\)|of `.*", "", cell))]
    assert len(modules) > 60
    assert [module for module in modules if not (KERNELS / f"{module}.py").is_file()] == []


@pytest.mark.parametrize("page", PAGES)
def test_functions_on_a_page_exist(page: str) -> None:
    """Names in snake case exist, and names with a module are defined there."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for name, module in re.findall(r"`(\w+)` in `([\w/]+\.py)`", text):
        (tree,) = (tree for path, tree in trees().items() if path.as_posix().endswith(f"/{module}"))
        assert name in set(defined_names(tree)), f"{name} in {module}"
    named = {span for span in code_spans(page) if re.fullmatch(r"[a-z]+(_[a-z]+)+", span)}
    assert named - functions() - {path.stem for path in trees()} == set()
