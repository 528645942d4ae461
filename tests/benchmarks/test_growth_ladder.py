"""The ladder of sizes that a method climbs, with made-up times, and the file that is written."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import growth
import pytest

import shoal
from shoal.microaggregation.registry import Growth


def climbed(monkeypatch: pytest.MonkeyPatch, power: float, unit: float, **facts: int) -> list[tuple[int, float]]:
    """The ladder of a method whose time is known; records are made by none but their number."""
    monkeypatch.setattr(growth, "spent", lambda rows, _: unit * rows**power)
    return list(growth.climb(replace(shoal.methods()["mdav"], **facts), lambda rows: rows, 5.0))


def test_sizes_double_from_the_first_clear_time_until_it_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    ladder = climbed(monkeypatch, 2.0, 1e-8)
    assert [rows for rows, _ in ladder] == [2_000, 4_000, 8_000, 16_000]
    assert ladder[0][1] >= growth.CLEAR
    assert ladder[-1][1] <= 7.5 < 4 * ladder[-1][1]


def test_no_method_gets_more_than_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [rows for rows, _ in climbed(monkeypatch, 1.0, 1e-4, max_records=3_000)] == [250, 500, 1_000, 2_000, 3_000]
    assert climbed(monkeypatch, 1.0, 1e-6)[-1][0] <= growth.MOST


def test_one_time_above_the_limit_is_no_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "spent", lambda rows, _: 100.0)
    monkeypatch.setattr(growth, "maker", lambda _: ("numbers", lambda rows: rows))
    assert growth.grown(shoal.methods()["mdav"], 5.0) is None


@pytest.mark.parametrize(
    ("name", "data"),
    [("mdav", "5 columns of numbers"), ("hm", "1 column of numbers"), ("s-mdav", "3 columns of categories")],
)
def test_every_method_gets_what_it_takes(name: str, data: str) -> None:
    method = shoal.methods()[name]
    told, make = growth.maker(method)
    records = make(60)
    assert told == data
    assert records.count == 60
    assert method.supports(list(records.kinds.values()), records=60)


def test_the_file_keeps_what_was_not_measured_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    old, new = Growth(1.5, 10, 20, 0.5, "numbers"), Growth(2.0, 10, 40, 1.5, "numbers")
    file = tmp_path / "growth.json"
    file.write_text(json.dumps({"methods": dict.fromkeys(("mdav", "hm", "gone"), old.to_dict())}), encoding="utf-8")
    monkeypatch.setattr(growth, "GROWTH_FILE", file)
    monkeypatch.setattr(import_module("shoal.microaggregation.registry"), "GROWTH_FILE", file)
    growth.write({"mdav": new})
    growth.measured_growth.cache_clear()
    assert json.loads(file.read_text(encoding="utf-8"))["methods"] == {"hm": old.to_dict(), "mdav": new.to_dict()}
    assert len(file.read_text(encoding="utf-8").splitlines()) == 7
