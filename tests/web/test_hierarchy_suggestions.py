"""Suggested hierarchies for the values of a column."""

from __future__ import annotations

import pytest

from shoal.hierarchy import Hierarchy
from shoal.web.workers.tasks.hierarchy_tasks import _build, suggest_hierarchies


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (range(18, 90), "numeric", ["Intervals of width 5, 10 and 20", "8, 4 and 2 intervals"]),
        (["0.1", "0.25", "-0.4", "0.9"], "numeric", ["Intervals of width 0.1, 0.2 and 0.4", "8, 4 and 2 intervals"]),
        (["1e308", "-1e308", "0", "5e-324"], "numeric", ["8, 4 and 2 intervals"]),
        (["1e-300", "2e-300", "3e-300", "4e-300"], "numeric", ["8, 4 and 2 intervals"]),
        (
            ["08034", "08035", "17001", "17002"],
            "nominal",
            ["The first 4, 3, 2 and 1 characters", "Rare values together"],
        ),
        (["E11.9", "E11", "J45.0", "I10"], "nominal", ["The first 3 and 1 characters", "Rare values together"]),
        (["red", "green", "blue", "gray"], "nominal", ["Rare values together"]),
        (["", "a1", "b2", "c3"], "nominal", ["Rare values together"]),
        (["2024-01-01", "2024-01-02", "2025-01-01", "2026-01-01"], "date", ["Months, quarters", "Years and decades"]),
        (["yes", "no"], "nominal", []),
        ([], "numeric", []),
    ],
)
def test_what_fits_is_offered_and_can_be_built(values: list[object], kind: str, expected: list[str]) -> None:
    counts = {str(value): 1 + number for number, value in enumerate(values)}
    result = suggest_hierarchies(counts, kind)
    assert [offer.title[: len(title)] for offer, title in zip(result, expected, strict=True)] == expected
    for offer in result:
        if all(counts) or offer.way != "frequencies":
            assert isinstance(_build(offer.way, counts, offer.options), Hierarchy)
