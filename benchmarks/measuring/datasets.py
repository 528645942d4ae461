"""Data of several benchmarks: the folder of published tables, encoded records, and a hierarchy of codes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

import shoal
from shoal import data
from shoal.domain import Records, Schema
from shoal.release.column_options import resolve_schema

FOLDER = Path(os.environ.get("SHOAL_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
ADULT = FOLDER / "adult.csv"
ADULT_COLUMNS = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")
LEAVES, BRANCHES, TOPS = 200, 14, 4


def missing(path: Path) -> str:
    return f"no {path.name}: set SHOAL_DATA to the folder that holds it (docs/data.md says where it is published)"


def encode(
    frame: pl.DataFrame, quasi_identifiers: Sequence[str], hierarchies: Mapping[str, shoal.Hierarchy]
) -> Records:
    """Records as methods get them."""
    table = data.read_table(frame)
    assigned = Schema.assign(data.column_kinds(table), quasi_identifiers=quasi_identifiers)
    return data.encode_records(table, resolve_schema(table, assigned, hierarchies=hierarchies))


def code_hierarchy() -> shoal.Hierarchy:
    """Codes v000 to v199 under 14 branches."""
    leaves = [(f"v{leaf:03}", f"b{leaf % BRANCHES:02}") for leaf in range(LEAVES)]
    branches = [(f"b{branch:02}", f"t{branch % TOPS}") for branch in range(BRANCHES)]
    return shoal.Hierarchy.from_edges([*leaves, *branches, *((f"t{top}", "*") for top in range(TOPS))])
