"""Printed losses of the methods that go along an order of the records.

Mahmood, Kabir and Mustafa, New multi-dimensional sorting based k-anonymity microaggregation, Tables 6 to 8; the rows of
the MHM family are quoted there from Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé 2006.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import naive
import shoal
from shoal.partition.p_s import multi_dsort
from shoal.values import Records, Scale, silent

MHM = {
    ("npn-mhm", "tarragona"): (17.3949, 27.0213, 40.1831),
    ("npn-mhm", "census"): (6.3498, 11.3443, 18.7335),
    ("npn-mhm", "eia"): (0.5525, 0.9602, 2.3188),
    ("md-mhm", "tarragona"): (16.9829, 22.5269, 33.1834),
    ("md-mhm", "census"): (5.69724, 8.98594, 14.3965),
    ("md-mhm", "eia"): (0.4422, 1.2627, 3.6374),
    ("mdav-mhm", "tarragona"): (16.9326, 22.4617, 33.1923),
    ("mdav-mhm", "census"): (5.6523, 9.0870, 14.2239),
    ("mdav-mhm", "eia"): (0.4081, 1.2563, 3.7725),
    ("cbfs-mhm", "tarragona"): (16.9714, 22.8227, 33.2188),
    ("cbfs-mhm", "census"): (5.6734, 8.8942, 13.8925),
}
MULTI_DSORT = {
    ("tarragona", 3): "9.8572",
    ("census", 3): "2.0954",
    ("census", 4): "3.6254",
    ("census", 5): "3.4595",
    ("census", 10): "6.8497",
}


@pytest.mark.parametrize(("method", "dataset"), MHM)
def test_mhm_is_within_a_percent_or_below(data_folder: Path, method: str, dataset: str) -> None:
    for k, printed in zip((3, 5, 10), MHM[method, dataset], strict=True):
        loss = shoal.partition(data_folder / f"{dataset}.csv", k=k, method=method).information_loss
        assert 0.9 * printed < loss < 1.01 * printed


@pytest.mark.parametrize(("dataset", "k"), MULTI_DSORT)
def test_multi_dsort_on_raw_columns(data_folder: Path, dataset: str, k: int) -> None:
    """Where n is a multiple of 2k, no record is left at the end, and the printed loss is that of raw columns."""
    loss = shoal.partition(
        data_folder / f"{dataset}.csv", k=k, method="multi-dsort", standardize=False
    ).information_loss
    assert f"{loss:.4f}" == MULTI_DSORT[dataset, k]


@pytest.mark.parametrize(("k", "without", "printed"), [(3, (), "0.4048"), (4, ("YEAR",), "0.5299"), (10, (), "1.7709")])
def test_multi_dsort_on_more_columns_of_eia(data_folder: Path, k: int, without: tuple[str, ...], printed: str) -> None:
    """The printed losses are of EIA with UTILITYID, YEAR and MONTH, for k = 4 with only one of YEAR and MONTH."""
    with (data_folder / "eia_full.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name not in ("UTILNAME", "STATE", *without)]
    assert loss_without_rest(np.array([[float(row[name]) for name in names] for row in rows]), k) == printed


def test_multi_dsort_with_records_left_at_the_end(data_folder: Path) -> None:
    values = np.loadtxt(data_folder / "tarragona.csv", delimiter=",", skiprows=1)
    assert loss_without_rest(values, 10) == "32.1338"


def loss_without_rest(values: np.ndarray, k: int) -> str:
    """The loss on raw columns; the SSE of the fewer than 2k records left at the end is not in the printed losses."""
    names = tuple(f"c{j}" for j in range(values.shape[1]))
    records = Records(names=names, values=values, scale=Scale.raw(values), weights=np.ones(len(names)))
    labels = multi_dsort(records, k, progress=silent)
    grouped = np.flatnonzero(labels < len(values) // (2 * k) * 2)
    assert len(grouped) == len(values) // (2 * k) * 2 * k
    spread = naive.sse(values, np.zeros(len(values)))
    return f"{100 * naive.sse(values[grouped], labels[grouped]) / spread:.4f}"
