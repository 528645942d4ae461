"""The edges format: children and parents."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import HierarchyError
from shoal.hierarchy import Hierarchy, formats

ANIMALS = Hierarchy.from_edges([("bird", "animal"), ("fish", "animal"), ("owl", "bird")])


@pytest.mark.parametrize("header", ["", "child,parent\n", "Child , PARENT\n"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_any_delimiter_with_or_without_a_header(tmp_path: Path, header: str, mark: str) -> None:
    path = tmp_path / "animals.csv"
    path.write_text((header + "owl,bird\nbird,animal\n\nfish,animal\n").replace(",", mark), encoding="utf-8")
    assert Hierarchy.read(path) == Hierarchy.read(path, format="edges", delimiter=mark) == ANIMALS


def test_written_edges(tmp_path: Path) -> None:
    assert formats.to_text(ANIMALS, "edges") == "child,parent\nbird,animal\nfish,animal\nowl,bird\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("child,parent\n", "the hierarchy is empty"),
        ("child,parent\nsecret,b\nc,d,e\n", r"not a child and its parent \(line 3\)"),
        ("child,parent\nsecret\n", r"not a child and its parent \(line 2\)"),
        ("child,parent\nsecret,\n", r"no name \(line 2\)"),
        ("child,parent\nsecret,b\n\nsecret,c\n", r"two parents \(line 2 and line 4\)"),
        ('child,parent\n"a\nb",c\nc,*\nc,d\n', r"two parents \(line 4 and line 5\)"),
        ("child,parent\nsecret,b\nb,secret\n", "cycle"),
        ("child,parent\na,b\nsecret,d\n", "2 roots"),
        ('child,parent\na,"b\nsecret,c\n', r"quotation mark .* \(line 2\)"),
        ('child,parent\na,"b" secret\n', r"quotation mark .* \(line 2\)"),
    ],
)
def test_bad_edges(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(HierarchyError, match=f"In '.*bad.csv' .*{message}") as caught:
        Hierarchy.read(path)
    assert "secret" not in str(caught.value).replace(str(path), "")
