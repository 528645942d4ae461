"""What is asked of releases in pieces, on every engine, and the table that it is asked of."""

from __future__ import annotations

from typing import Any

import polars as pl

import shoal

QUASI_IDENTIFIERS = ["age", "sex", "birth_date", "region", "height_cm"]
ASKED: dict[str, Any] = {
    "k": 4,
    "quasi_identifiers": QUASI_IDENTIFIERS,
    "identifiers": ["person_id", "name"],
    "method": "mondrian",
}
_DECISIONS: list[dict[str, Any]] = [
    {"recode": "generalize"},
    {"keep_totals": True},
    {"suppression": 0.05},
    {"missing_values": "impute"},
    {"missing_values": "suppress"},
    {"sensitive": ["diagnosis"], "l": 2},
    {"sensitive": ["diagnosis"], "t": 0.4},
    {
        "hierarchies": {
            "region": {
                "any": {
                    "coast": {n: {} for n in ("Northshore", "Tidewater", "Harbor", "Reefland")},
                    "inland": {"Saltmarsh": {}, "Highmoor": {}},
                }
            }
        },
        "recode": {"region": "lcs"},
    },
]
DECISIONS = [
    {name: value for one in several for name, value in _DECISIONS[one].items()}
    for several in ((0, 2, 4, 5), (1, 3, 6, 7))
]
"""Several together, since each release in pieces takes its time."""


def with_gaps(rows: int = 1200) -> pl.DataFrame:
    """A register in which some heights and sexes are missing."""
    return shoal.example_register(rows).with_columns(
        height_cm=pl.when(pl.int_range(rows) % 97 == 0).then(None).otherwise(pl.col("height_cm")),
        sex=pl.when(pl.int_range(rows) % 89 == 0).then(None).otherwise(pl.col("sex")),
    )
