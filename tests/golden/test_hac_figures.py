"""Figures of the thesis on hierarchical agglomerative microaggregation, to every printed digit.

SSE of HAC (Table 6.1), HAC with the number of groups maximized (Tables 7.1 and 7.2) and with priority (Table 8.1) on
Census, and of HAC on the test file of 19 records (Table 5.1, section 6.2).

The thesis leaves open where records of small clusters go; all of this comes from ``leftovers="smallest"``. The four
cells of centroid linkage (1703.3, 1679.7, 1979.91, 3112.41) are not those of the method as described, which gives
1128.79, 1683.92, 1611.14, 3125.88.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from test_printed_figures import columns, equals_printed

import shoal

PRINTED = {
    ("hac", "single"): {3: "1284.95", 4: "1919.07", 5: "2154.53", 10: "3469.41"},
    ("hac-max", "single"): {3: "1038.30", 4: "1363.40", 5: "1664.5", 10: "2379.23"},
    ("hac-max", "complete"): {3: "1908.67", 4: "2196.23", 5: "3852.33", 10: "4771.5"},
    ("hac-priority", "single"): {3: "877.39", 4: "1338.52", 5: "1624.83", 10: "2802.90"},
}
MENDED = {
    ("hac-max", "complete", 5): "2852.33",  # the first digit is a misprint: the seven cells around it are equal
    ("hac-priority", "single", 5): "1624.84",  # cut, not rounded: it is 1624.837
}
CELLS = [(method, linkage, k) for (method, linkage), row in PRINTED.items() for k in row]


def printed(method: str, linkage: str, k: int) -> str:
    return MENDED.get((method, linkage, k), PRINTED[method, linkage][k])


def sse(source: Path, k: int, method: str, **options: str) -> float:
    release = shoal.anonymize(source, k=k, quasi_identifiers=columns(source), method=method, **options)
    return float(release.evaluation.sse)


@pytest.mark.parametrize(("method", "linkage", "k"), CELLS)
def test_census(data_folder: Path, method: str, linkage: str, k: int) -> None:
    ours = sse(data_folder / "census.csv", k, method, linkage=linkage, leftovers="smallest")
    assert equals_printed(ours, printed(method, linkage, k))


@pytest.mark.parametrize(
    ("method", "k"), [("hac", 3), ("hac", 5), ("hac", 10)] + [("hac-priority", k) for k in (3, 4, 5, 10)]
)
def test_census_where_no_record_is_left(data_folder: Path, method: str, k: int) -> None:
    """With nothing left over, the default gives the printed figure as well."""
    assert equals_printed(sse(data_folder / "census.csv", k, method), printed(method, "single", k))


@pytest.mark.parametrize(("method", "linkage", "k"), [cell for cell in CELLS if cell != ("hac-max", "single", 10)])
def test_the_nearest_group_loses_less_than_the_smallest(data_folder: Path, method: str, linkage: str, k: int) -> None:
    """In all cells but one, where it loses 2423.84 against 2379.23; nothing is left over where they are equal."""
    ours = sse(data_folder / "census.csv", k, method, linkage=linkage)
    assert ours < float(printed(method, linkage, k)) + 0.01


def test_the_toy(data_folder: Path) -> None:
    paper = data_folder.parent / "papers" / "hac-thesis.txt"
    if not paper.is_file():
        pytest.skip("the thesis that prints the test file of 19 records does not lie beside the data")
    rows = re.search(r"Var1\s+Var2\n((?:\d+\s+\d+\n){19})", paper.read_text(encoding="utf-8"))
    assert rows is not None
    toy = np.array([line.split() for line in rows[1].splitlines()], dtype=float)
    release = shoal.anonymize(toy, k=4, quasi_identifiers=[0, 1], method="hac")
    assert sorted(release.partition.sizes) == [6, 6, 7]
    assert equals_printed(release.evaluation.sse, "20.56")
