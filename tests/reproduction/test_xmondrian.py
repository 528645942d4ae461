"""XMondrian in `shoal reproduce`: as printed it breaks k, ours does not, and the report says so."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
import shoal_reproduction
from naive.xmondrian_printed import sizes as naive_sizes
from shoal import data
from shoal.errors import FileError
from shoal_reproduction import report
from shoal_reproduction.as_printed import sizes_as_printed
from shoal_reproduction.cells import FigureCell
from shoal_reproduction.datasets import DATASETS, EXAMPLE_COLUMNS, encode_table, example_table, matches_checksum
from shoal_reproduction.experiments import EXPERIMENT_READINGS, SETTINGS
from shoal_reproduction.published import TABLES
from shoal_reproduction.readings import XMONDRIAN_AS_PRINTED, MethodReading, RowReadings, get_row_readings
from shoal_reproduction.runs import RunResult, run_on_mixed

TEN = encode_table(example_table())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with another data set than those of the paper."""
    np.savetxt(tmp_path / "toy19.csv", np.ones((19, 2)), delimiter=",", header="a,b", comments="")
    return tmp_path


def other_adult(folder: Path) -> Path:
    """A file of the shape of Adult and with other values."""
    values = ([20, 30, 40], list("abb"), list("ccd"), list("efg"))
    columns = dict(zip(EXAMPLE_COLUMNS, values, strict=True)) | {f"c{j}": [0, 0, 0] for j in range(11)}
    pl.concat([pl.DataFrame(columns)] * 10054).write_csv(folder / "adult.csv")
    return folder


def test_as_printed_breaks_k_as_the_paper_does() -> None:
    assert sizes_as_printed(TEN, 2).tolist() == [2, 2, 2, 2, 1, 1]
    run = run_on_mixed(XMONDRIAN_AS_PRINTED, TEN, 2)
    assert (run.classes, run.below_k) == (6, 2)
    assert run.c_avg == pytest.approx(10 / 12)


@pytest.mark.parametrize(("method", "c_avg"), [("mondrian-encoded", 1.25), ("xmondrian", 1.25), ("mondrian-extent", 1)])
def test_ours_keep_k(method: str, c_avg: float) -> None:
    run = run_on_mixed(MethodReading(method, mixed=True), TEN, 2)
    assert (run.c_avg, run.below_k) == (c_avg, 0)
    assert run.seconds is not None
    assert run.seconds > 0


def test_as_printed_is_no_method() -> None:
    assert not any("printed" in name for name in shoal.methods())


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 60), numbers=st.integers(0, 2), k=st.integers(2, 6))
def test_as_printed_equals_its_oracle(seed: int, n: int, numbers: int, k: int) -> None:
    draw = np.random.default_rng(seed)
    columns = {f"n{j}": draw.integers(0, 9, n).tolist() for j in range(numbers)}
    columns |= {f"c{j}": [f"v{value}" for value in draw.integers(0, 4, n)] for j in range(3 - numbers)}
    records = encode_table(data.read_table(pl.DataFrame(columns)))
    assert sizes_as_printed(records, k).tolist() == naive_sizes(list(zip(*columns.values(), strict=True)), numbers, k)


def test_a_median_that_is_the_largest_number_is_cut_below() -> None:
    records = encode_table(data.read_table(pl.DataFrame({"a": [1, 5, 5, 5, 5], "b": [1, 1, 1, 1, 1]})))
    assert sizes_as_printed(records, 2).tolist() == [4, 1]


def test_equal_records_are_one_class() -> None:
    records = encode_table(data.read_table(pl.DataFrame({"a": [1] * 9, "b": ["x"] * 9})))
    assert sizes_as_printed(records, 2).tolist() == [9]


def test_the_example_is_known() -> None:
    assert example_table().names == EXAMPLE_COLUMNS
    assert matches_checksum(DATASETS["example10"], example_table())
    assert DATASETS["example10"].description == "example10: printed in its paper, 10 records, 4 columns"


def test_the_printed_cells(folder: Path) -> None:
    reproduction = shoal_reproduction.reproduce(folder, only=["padmaja-2021", "example10"])
    cells = {(cell.table.measure, cell.name): cell for cell in reproduction.cells}
    assert {key: (cell.printed, cell.reproduced, cell.verdict) for key, cell in cells.items()} == {
        ("classes", "Mondrian"): ("4", 4, "exact"),
        ("classes", "XMondrian"): ("6", 4, "other"),
        ("c_avg", "Mondrian"): ("1.25", 1.25, "exact"),
        ("c_avg", "XMondrian"): ("0.8333", 1.25, "other"),
    }
    broken = cells["c_avg", "XMondrian"].to_dict()
    assert [other["reading"] for other in broken["also"]] == ["as printed", "mondrian-extent"]
    assert [other["value"] for other in broken["also"]] == pytest.approx([10 / 12, 1.0])
    assert broken["published_seconds"] == 0.009
    assert not reproduction.experiments
    assert reproduction.warnings == ()
    text = report.text(reproduction.to_dict())
    assert "as printed: 0.8333; mondrian-extent: 1.0000" in text
    assert "A C_avg below 1 is not a better one" in " ".join(text.split())
    assert "other: 2 k broken in print" in text


@pytest.mark.parametrize(("classes", "verdict"), [(4, "exact"), (5, "better"), (3, "worse")])
def test_more_classes_are_better(classes: int, verdict: str) -> None:
    printed = next(t for t in TABLES if t.measure == "classes")
    row = get_row_readings("Mondrian", printed.dataset, 2)
    assert FigureCell(printed, "Mondrian", 2, row, RunResult(None, None, 0.1, classes=classes)).verdict == verdict
    broken = RowReadings(row.readings, "k broken in print", "why")
    assert FigureCell(printed, "Mondrian", 2, broken, RunResult(None, None, 0.1, classes=5)).verdict == "other"


def test_without_adult_there_is_no_data(folder: Path) -> None:
    reproduction = shoal_reproduction.reproduce(folder, only=["padmaja-2021"])
    assert len(reproduction.experiments) == len(SETTINGS) * len(EXPERIMENT_READINGS)
    assert {row["c_avg"] for row in reproduction.experiments} == {None}
    assert reproduction.warnings == (
        "adult.csv is not in the data folder; the cells that need it are counted as 'no data'.",
    )
    facts = reproduction.to_dict()
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert report.text(facts).count("no data") >= len(reproduction.experiments)
    assert report.page(facts).count(">no data<") == len(reproduction.experiments)


def test_the_experiments_are_told_in_every_form(folder: Path) -> None:
    reproduction = shoal_reproduction.reproduce(other_adult(folder), only=["Figure 14"])
    facts = reproduction.to_dict()
    assert [(row["records"], row["columns"], row["k"]) for row in facts["experiments"][::4]] == [
        (10, columns, 2) for columns in (2, 3, 4)
    ]
    assert not facts["cells"]
    assert all(row["below_k"] == 0 and row["c_avg"] >= 1 for row in reproduction.experiments if not row["as_printed"])
    assert all(row["milliseconds"] > 0 for row in reproduction.experiments)
    head, rows = report.experiment_rows(facts["experiments"])
    assert head[3:] == [
        "mondrian-encoded",
        "ms",
        "xmondrian",
        "ms",
        "mondrian-extent",
        "ms",
        "as printed",
        "ms",
        "below k",
    ]
    assert {len(row) for row in rows} == {len(head)}
    for dress in (report.text, report.page):
        assert report.EXPERIMENTS_TITLE in dress(facts)
        assert rows[0][3] in dress(facts)
    assert any("do not trust the verdicts" in warning for warning in reproduction.warnings)


def test_the_experiments_go_by_figure_and_method(folder: Path) -> None:
    experiments = shoal_reproduction.reproduce(other_adult(folder), only=["figure 13", "xmondrian"]).experiments
    assert Counter((row["method"], row["as_printed"]) for row in experiments) == {
        ("xmondrian", False): 5,
        ("xmondrian", True): 5,
    }
    assert [row["k"] for row in experiments[::2]] == [3, 4, 5, 6, 7]
    assert report.experiment_rows(experiments)[0][3:] == ["xmondrian", "ms", "as printed", "ms", "below k"]


def test_the_example_alone_is_no_benchmark_data(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="has no benchmark data"):
        shoal_reproduction.reproduce(tmp_path, only=["example10"])
