"""The hierarchies that peers and Shoal get alike, and the arguments of a peer."""

from __future__ import annotations

import itertools
from pathlib import Path

import against_peers
import polars as pl
from measuring import environments

import shoal


def test_intervals_hold_their_values_and_nest() -> None:
    ways = against_peers.intervals([17, 20, 33, 90])
    assert {len(way) for way in ways} == {len(ways[0])}
    for value, *levels, top in ways:
        ends = [[int(end) for end in level.strip("[]").split(" to ")] for level in levels]
        assert top == "*"
        assert all(low <= int(value) <= high for low, high in ends)
        assert all(a <= c and d <= b for (c, d), (a, b) in itertools.pairwise(ends))


def test_words_go_four_by_four() -> None:
    ways = against_peers.branches([f"w{i:02}" for i in range(20)])
    assert ways[5] == ["w05", "4-1", "16-0", "*"]
    assert against_peers.branches(["x"]) == [["x", "*"]]


def test_hierarchy_files_are_read_by_shoal(tmp_path: Path) -> None:
    frame = shoal.example_register(rows=50)
    data = against_peers.write_table(frame, "register", against_peers.MIXED, "diagnosis", tmp_path)
    data = against_peers.with_hierarchies(data, tmp_path)
    assert set(data.hierarchies) == set(against_peers.MIXED)
    assert data.frame.null_count().sum_horizontal().item() == 0
    words = {name: path for name, path in data.hierarchies.items() if name not in data.numeric}
    made = shoal.anonymize(
        data.path, k=5, quasi_identifiers=against_peers.MIXED, method="mondrian", recode="generalize", hierarchies=words
    )
    release = tmp_path / "release.csv"
    made.save(release)
    found = against_peers.evaluate_release(data, release)
    assert found["k_violations"] == 0
    assert found["min_class"] >= 5
    assert 0 < found["gcp"] <= 1
    assert against_peers.evaluate_release(data, tmp_path / "none.csv") == {}


def test_a_peer_that_cannot_be_installed_is_told_of(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(environments, "python", lambda name: None)
    data = against_peers.Data("x", tmp_path / "x.csv", pl.DataFrame({"a": [1]}), ["a"], "a")
    found = against_peers.run_tool(against_peers.ANONYPY, data, tmp_path / "release.csv", limit=1)
    assert found == {"failed": "could not be installed"}


def test_an_environment_is_used_again_while_its_pins_are_the_same(tmp_path: Path, monkeypatch) -> None:
    def no_run(*command: object, **_: object) -> None:
        raise OSError("nothing can be made here")

    monkeypatch.setattr(environments, "FOLDER", tmp_path)
    monkeypatch.setattr(environments.subprocess, "run", no_run)
    assert environments.python("pycanon") is None
    (tmp_path / "pycanon").mkdir()
    (tmp_path / "pycanon" / "ready").write_text("\n".join(environments.PINS["pycanon"]), encoding="utf-8")
    assert environments.python("pycanon") is not None
