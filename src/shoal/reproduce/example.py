"""The ten example records of the XMondrian paper (Figure 8): the first ten of Adult."""

from __future__ import annotations

from pathlib import Path

from shoal.tables import ReadOptions, Table
from shoal.tables.delimited import read_delimited

EXAMPLE_COLUMNS = ("age", "workclass", "marital-status", "native-country")
"""Quasi-identifiers in the order of the figure, with their names in Adult."""
EXAMPLE_RECORDS = (
    "39,State-gov,Never-married,US",
    "50,Self-emp-not-inc,Married-civ-spouse,US",
    "38,Private,Divorced,US",
    "53,Private,Married-civ-spouse,US",
    "28,Private,Married-civ-spouse,Cuba",
    "37,Private,Married-civ-spouse,US",
    "49,Private,Married-spouse-absent,Jamaica",
    "52,Self-emp-not-inc,Married-civ-spouse,US",
    "31,Private,Never-married,US",
    "42,Private,Married-civ-spouse,US",
)


def example_table() -> Table:
    """Return the records as a table."""
    text = "\n".join([",".join(EXAMPLE_COLUMNS), *EXAMPLE_RECORDS])
    cells, settings = read_delimited(text.encode(), options=ReadOptions(), tabs=False, path=Path("example10.csv"))
    return Table("csv", cells, settings=settings)
