"""Options of out-of-core releases, for every engine, and the table that they are tested on."""

from __future__ import annotations

from typing import Any

import polars as pl

import shoal

QUASI_IDENTIFIERS = ["age", "sex", "birth_date", "region", "height_cm"]
OPTIONS: dict[str, Any] = {
    "k": 4,
    "quasi_identifiers": QUASI_IDENTIFIERS,
    "identifiers": ["person_id", "name"],
    "method": "mondrian",
}
_SINGLE_OPTIONS: list[dict[str, Any]] = [
    {"recode": "generalize"},
    {"keep_totals": True},
    {"max_suppression": 0.05},
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
OPTION_SETS = [
    {name: value for place in places for name, value in _SINGLE_OPTIONS[place].items()}
    for places in ((0, 2, 4, 5), (1, 3, 6, 7))
]
"""Several options together, since each out-of-core release takes time."""


def with_gaps(rows: int = 1200) -> pl.DataFrame:
    """A register in which some heights and sexes are missing."""
    return shoal.example_register(rows).with_columns(
        height_cm=pl.when(pl.int_range(rows) % 97 == 0).then(None).otherwise(pl.col("height_cm")),
        sex=pl.when(pl.int_range(rows) % 89 == 0).then(None).otherwise(pl.col("sex")),
    )
