"""The paper on XMondrian: its example, and the experiments that it plots, on Adult. Times are not compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shoal import data
from shoal_reproduction import Reproduction
from shoal_reproduction.datasets import DATASETS, EXAMPLE_RECORDS, load, matches_checksum
from shoal_reproduction.experiments import EXPERIMENT_PAPER


@pytest.fixture(scope="module")
def paper(data_folder: Path, reproduction: Reproduction) -> Reproduction:
    if not (data_folder / "adult.csv").exists():
        pytest.skip("no adult.csv lies in the folder of the data")
    return replace(
        reproduction, cells=tuple(cell for cell in reproduction.cells if cell.table.paper == EXPERIMENT_PAPER)
    )


def c_avg(paper: Reproduction, method: str, *, as_printed: bool = False) -> str:
    rows = [row for row in paper.experiments if (row["method"], row["as_printed"]) == (method, as_printed)]
    return " ".join(f"{row['c_avg']:.3f}" for row in rows)


def test_the_verdicts(paper: Reproduction) -> None:
    assert paper.warnings == ()
    assert {verdict: number for verdict, number in paper.summary.items() if number} == {"exact": 2, "other": 2}


def test_the_example_is_the_first_ten_records_of_adult(paper: Reproduction, data_folder: Path) -> None:
    adult = load(DATASETS["adult-mixed"], data_folder)
    assert adult is not None
    assert matches_checksum(DATASETS["adult-mixed"], adult)
    words = [data.text_list(adult, name)[:10] for name in adult.names]
    assert [",".join(row).replace("United-States", "US") for row in zip(*words, strict=True)] == list(EXAMPLE_RECORDS)


def test_as_printed_breaks_k_in_every_experiment(paper: Reproduction) -> None:
    small = [row["below_k"] for row in paper.experiments if row["as_printed"]]
    assert small == [12, 34, 39, 53, 59, 21, 20, 25, 26, 26, 2, 2, 2]
    assert c_avg(paper, "xmondrian", as_printed=True) == (
        "0.806 0.758 0.843 0.855 0.899 0.758 0.625 0.556 0.490 0.420 0.833 0.833 0.833"
    )


def test_ours_never_does(paper: Reproduction) -> None:
    ours = [row for row in paper.experiments if not row["as_printed"]]
    assert len(ours) == 39
    assert all(row["below_k"] == 0 and row["c_avg"] >= 1 for row in ours)


def test_the_mean_class_sizes(paper: Reproduction) -> None:
    assert c_avg(paper, "mondrian-encoded") == (
        "1.190 1.190 1.230 1.282 1.359 1.282 1.562 1.250 1.389 1.190 1.250 1.250 1.250"
    )
    assert c_avg(paper, "xmondrian") == (
        "1.136 1.163 1.271 1.282 1.359 1.389 1.250 1.250 1.389 1.429 1.250 1.250 1.250"
    )
    assert c_avg(paper, "mondrian-extent") == (
        "1.087 1.163 1.172 1.266 1.289 1.190 1.042 1.250 1.667 1.190 1.000 1.000 1.000"
    )
