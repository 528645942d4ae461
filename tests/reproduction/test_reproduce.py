"""`shoal reproduce` on synthetic data: results, omissions and errors."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import shoal
import shoal_reproduction
from shoal.cli.main import main
from shoal.errors import FileError, OptionError
from shoal_reproduction import report
from shoal_reproduction.cells import FigureCell, equals_printed
from shoal_reproduction.datasets import DATASETS
from shoal_reproduction.published import TABLES
from shoal_reproduction.readings import get_row_readings
from shoal_reproduction.runs import CountResult, RunResult


@pytest.fixture(scope="module")
def synthetic_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files of the right shape and other numbers; EIA is missing."""
    folder = tmp_path_factory.mktemp("data")
    for name in ("tarragona", "census", "toy19"):
        dataset = DATASETS[name]
        values = np.random.default_rng(1).normal(size=(dataset.records, dataset.columns))
        header = ",".join(f"c{j}" for j in range(dataset.columns))
        np.savetxt(folder / dataset.file, values, delimiter=",", header=header, comments="")
    return folder


CELLS = [(table, name, k) for table in TABLES for name, row in table.rows.items() for k in row]


def test_every_printed_cell_has_a_reading_by_a_method_that_exists() -> None:
    assert len(CELLS) == 164 + 65 + 4
    for table, name, k in CELLS:
        for reading in get_row_readings(name, table.dataset, k).readings:
            assert reading.dataset is None or reading.dataset in DATASETS
            if reading.method:
                assert reading.method in shoal.methods()
                assert set(reading.options) <= set(shoal.methods()[reading.method].options)


@pytest.mark.parametrize(
    ("ours", "verdict"), [(16.93258762, "exact"), (16.94, "within 1 %"), (16.0, "better"), (17.5, "worse")]
)
def test_verdicts(ours: float, verdict: str) -> None:
    table = next(t for t in TABLES if "MDAV-1" in t.rows)
    row = get_row_readings("MDAV-1", table.dataset, 3)
    assert FigureCell(table, "MDAV-1", 3, row, RunResult(ours, 0.0, 0.1)).verdict == verdict
    assert FigureCell(table, "MDAV-1", 3, row, None).verdict == "no data"


def test_counts_of_the_data_are_exact_or_other() -> None:
    table = next(t for t in TABLES if t.place == "Table 3")
    name = "(clerk, united_states)"
    row = get_row_readings(name, table.dataset, None)
    for count, verdict in ((3449, "exact"), (3448, "other"), (9, "other")):
        assert FigureCell(table, name, None, row, CountResult(count, 30162)).verdict == verdict


def test_a_printed_zero_has_no_difference_in_percent() -> None:
    table = next(t for t in TABLES if t.measure == "semantic_loss")
    row = get_row_readings("SA-MDAV", table.dataset, 2)
    zero = replace(table, rows={"SA-MDAV": {2: "0.000"}})
    for loss, verdict in ((0.0, "exact"), (0.0004, "exact"), (0.1, "other")):
        cell = FigureCell(zero, "SA-MDAV", 2, row, RunResult(None, None, 0.1, semantic_loss=loss))
        assert (cell.verdict, cell.difference) == (verdict, None)


def test_exact_means_every_printed_digit() -> None:
    assert equals_printed(0.661499, "0.661")
    assert equals_printed(0.6605, "0.661")
    assert not equals_printed(0.66151, "0.661")
    assert not equals_printed(0.6604, "0.661")


def test_only_runs_what_is_asked_for(synthetic_data: Path) -> None:
    reproduction = shoal_reproduction.reproduce(synthetic_data, only=["MDAV-1", "census"])
    assert {(cell.name, cell.table.dataset) for cell in reproduction.cells} == {("MDAV-1", "census")}
    assert {(row["method"], row["dataset"]) for row in reproduction.comparison} == {("mdav-1", "census")}
    assert sum(reproduction.summary.values()) == 4
    by_place = shoal_reproduction.reproduce(synthetic_data, only=["Table 5.3"])
    assert {cell.name for cell in by_place.cells} == {"MDAV"}
    assert not by_place.comparison


def test_missing_data_is_told_and_counted(synthetic_data: Path) -> None:
    reproduction = shoal_reproduction.reproduce(synthetic_data, only=["tfrp-1"])
    assert {cell.table.dataset for cell in reproduction.cells if cell.verdict == "no data"} == {"eia"}
    facts = reproduction.to_dict()
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    text = report.text(facts)
    assert "4 no data" in text
    assert "Warning: eia.csv is not in the data folder" in text
    assert "Warning: census.csv does not hold the numbers that the papers used" in " ".join(text.split())
    page = report.page(facts)
    assert "<svg" in page
    assert '<p class="verdict">' not in page


def test_a_method_that_no_paper_prints_is_compared(synthetic_data: Path) -> None:
    facts = shoal_reproduction.reproduce(synthetic_data, only=["mondrian", "census"]).to_dict()
    assert facts["cells"] == []
    text = report.text(facts)
    assert "All methods on census" in text
    assert f"{facts['comparison'][0]['information_loss']:.4f}" in text
    assert report.table(facts).splitlines() == [",".join(report.COLUMNS)]


def test_the_csv_file_has_all_that_is_told_of_a_cell(synthetic_data: Path) -> None:
    facts = shoal_reproduction.reproduce(synthetic_data, only=["mdav-1", "census"]).to_dict()
    assert tuple(facts["cells"][0]) == report.COLUMNS


def test_progress_counts_runs(synthetic_data: Path) -> None:
    steps: list[tuple[int, int]] = []
    shoal_reproduction.reproduce(synthetic_data, only=["census", "mdav"], progress=lambda *step: steps.append(step))
    assert [done for done, _ in steps] == list(range(1, len(steps) + 1))
    assert steps[-1][0] == steps[-1][1]


def test_the_figures_are_the_same_again(synthetic_data: Path) -> None:
    def figures() -> list[tuple[str, int, float | None]]:
        return [
            (cell.name, cell.k, cell.reproduced)
            for cell in shoal_reproduction.reproduce(synthetic_data, only=["census", "dba-2"]).cells
        ]

    assert figures() == figures()


def test_unknown_words_are_refused(synthetic_data: Path) -> None:
    with pytest.raises(OptionError, match="did you mean 'census'"):
        shoal_reproduction.reproduce(synthetic_data, only=["censsu"])


@pytest.mark.parametrize("words", [["toy19", "dba-1"], ["mahmood-2012", "hac"]])
def test_words_that_fit_nothing_are_refused(synthetic_data: Path, words: list[str]) -> None:
    with pytest.raises(OptionError, match="No printed cell fits all of"):
        shoal_reproduction.reproduce(synthetic_data, only=words)


@pytest.mark.parametrize("word", ["Table 7.1", " tables 7.1 and 7.2 ", "table 7.2"])
def test_a_table_goes_by_its_number(synthetic_data: Path, tmp_path: Path, word: str) -> None:
    """Without its data, so that nothing has to be run."""
    shutil.copy(synthetic_data / "toy19.csv", tmp_path)
    names = {cell.name for cell in shoal_reproduction.reproduce(tmp_path, only=[word]).cells}
    assert names == {f"HAC-max-partitions {linkage}" for linkage in ("single", "complete", "centroid")}


def test_no_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileError, match="does not exist"):
        shoal_reproduction.reproduce(tmp_path / "nowhere")
    with pytest.raises(FileError, match="has no benchmark data"):
        shoal_reproduction.reproduce(tmp_path)
    monkeypatch.delenv("SHOAL_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError, match="--data"):
        shoal_reproduction.reproduce()


def test_other_data_is_refused(tmp_path: Path) -> None:
    (tmp_path / "census.csv").write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    with pytest.raises(FileError, match="it has 2 records of 2 columns"):
        shoal_reproduction.reproduce(tmp_path, only=["census", "mdav"])


def test_data_that_cannot_be_used_is_named(synthetic_data: Path, tmp_path: Path) -> None:
    lines = (synthetic_data / "census.csv").read_text(encoding="utf-8").splitlines()
    lines[7] = "secret" + lines[7][lines[7].index(",") :]
    (tmp_path / "census.csv").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(FileError, match=r"census\.csv.*column 'c0'|census\.csv.*'c0'") as caught:
        shoal_reproduction.reproduce(tmp_path, only=["census", "mdav"])
    assert "secret" not in str(caught.value)


class Said(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def command(
    synthetic_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Said]:
    """`shoal reproduce` in a folder of its own, in this process."""
    monkeypatch.chdir(tmp_path)

    def run(*given: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["shoal", "reproduce", "--data", str(synthetic_data), *given])
        with pytest.raises(SystemExit) as stopped:
            main()
        return Said(int(stopped.value.code or 0), *capsys.readouterr())

    return run


def test_the_command_writes_three_files(command: Callable[..., Said], tmp_path: Path) -> None:
    only = ("--only", "mdav-1,census")
    done = command(*only, "--json")
    assert done.code == 0, done.err
    facts = json.loads(done.out)
    assert json.loads((tmp_path / "reproduction" / "reproduction.json").read_text(encoding="utf-8")) == facts
    lines = (tmp_path / "reproduction" / "reproduction.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("paper,table,dataset,method,k,measure,published,ours,difference_percent,verdict,seconds")
    page = (tmp_path / "reproduction" / "reproduction.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    again = command(*only)
    assert again.code == 2
    assert "reproduction.json" in again.err
    assert command(*only, "--force").code == 0
    assert command(*only, "-o", "").code == 2


@pytest.mark.parametrize("only", ["", ",", " "])
def test_a_choice_of_nothing_is_refused(command: Callable[..., Said], tmp_path: Path, only: str) -> None:
    assert command("--only", only).code == 2
    assert not list(tmp_path.iterdir())
