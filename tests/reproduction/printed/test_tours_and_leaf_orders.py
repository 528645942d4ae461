"""Tours and Ward's leaves on the data of the literature: losses in percent, frozen, and what MDAV loses there."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal

LOSSES = {
    ("tour-mhm", "tarragona"): {3: 15.2273, 4: 18.1261, 5: 21.5156, 10: 32.8182},
    ("tour-mhm", "census"): {3: 5.1091, 4: 6.9133, 5: 8.4339, 10: 14.7972},
    ("tour-mhm", "eia"): {3: 0.3782, 4: 0.5269, 5: 0.7687, 10: 2.0591},
    ("ward-mhm", "tarragona"): {3: 15.2320, 4: 19.0006, 5: 21.8783, 10: 32.2423},
    ("ward-mhm", "census"): {3: 5.2998, 4: 7.3612, 5: 8.4594, 10: 13.9664},
    ("ward-mhm", "eia"): {3: 0.3819, 4: 0.5346, 5: 0.8020, 10: 2.0247},
}


@pytest.mark.parametrize(("method", "dataset"), LOSSES)
def test_losses(data_folder: Path, method: str, dataset: str) -> None:
    for k, loss in LOSSES[method, dataset].items():
        measured = shoal.partition(data_folder / f"{dataset}.csv", k=k, method=method).information_loss
        assert measured == pytest.approx(loss, abs=6e-5)


@pytest.mark.parametrize("dataset", ["tarragona", "census", "eia"])
@pytest.mark.parametrize("k", [3, 4, 5, 10])
def test_less_is_lost_than_by_mdav(data_folder: Path, dataset: str, k: int) -> None:
    mdav = shoal.partition(data_folder / f"{dataset}.csv", k=k, method="mdav").information_loss
    assert LOSSES["ward-mhm", dataset][k] < mdav
    assert LOSSES["tour-mhm", dataset][k] < mdav or (dataset, k) == ("census", 10)
