"""Figures that papers print, to every printed digit. They are never regenerated.

MDAV-1: Mahmood, Kabir and Mustafa, New multi-dimensional sorting based k-anonymity microaggregation, Tables 6 to 8
(quoted there from Lin, Wen, Hsieh and Chang 2010). MDAV on Census: the thesis on hierarchical agglomerative
microaggregation, Table 5.3; its test file of 19 records is Table 5.1.
"""

from __future__ import annotations

import csv
import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import naive
import shoal
from shoal.cli.main import shoal as commands
from shoal_reproduction.cells import equals_printed
from shoal_reproduction.datasets import DATASETS, encode_table, load
from shoal_reproduction.published import TABLES

MDAV_1 = {(table.dataset, k): figure for table in TABLES for k, figure in table.rows.get("MDAV-1", {}).items()}
CENSUS_MDAV_SSE = next(table.rows["MDAV"] for table in TABLES if table.place == "Table 5.3")


def columns(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()[0].split(",")


def command_line(*arguments: str) -> dict:
    done = CliRunner().invoke(commands, [*arguments, "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    return json.loads(done.stdout)


@pytest.mark.parametrize(("dataset", "k"), MDAV_1)
def test_mdav_1_by_python(data_folder: Path, dataset: str, k: int) -> None:
    partition = shoal.partition(data_folder / f"{dataset}.csv", k=k, method="mdav-1")
    assert equals_printed(partition.information_loss, MDAV_1[dataset, k])


@pytest.mark.parametrize(("dataset", "k"), [("tarragona", 3), ("census", 5), ("eia", 10)])
def test_mdav_1_by_command_line(data_folder: Path, tmp_path: Path, dataset: str, k: int) -> None:
    source, target = data_folder / f"{dataset}.csv", tmp_path / "released.csv"
    names = ",".join(columns(source))
    arguments = ["-k", str(k), "-q", names, "--method", "mdav-1", "--exact-means", "-o", str(target)]
    facts = command_line("anonymize", str(source), *arguments)
    again = command_line("evaluate", str(source), str(target), "-q", names, "-k", str(k))
    for loss in (facts["evaluation"]["loss"], again["loss"]):
        assert equals_printed(loss["information_loss"], MDAV_1[dataset, k])


@pytest.mark.parametrize("k", CENSUS_MDAV_SSE)
def test_mdav_on_census(data_folder: Path, k: int) -> None:
    source = data_folder / "census.csv"
    release = shoal.anonymize(source, k=k, quasi_identifiers=columns(source), method="mdav", exact_means=True)
    assert equals_printed(release.evaluation.sse, CENSUS_MDAV_SSE[k])


def test_mdav_on_census_by_command_line(data_folder: Path, tmp_path: Path) -> None:
    source, k = data_folder / "census.csv", 10
    arguments = ["-k", str(k), "-q", ",".join(columns(source)), "--method", "mdav", "--exact-means"]
    arguments += ["-o", str(tmp_path / "released.csv")]
    facts = command_line("anonymize", str(source), *arguments)
    assert equals_printed(facts["evaluation"]["loss"]["sse"], CENSUS_MDAV_SSE[k])


def test_the_printed_figures_are_those_of_the_papers(data_folder: Path) -> None:
    """Every figure that the project holds, against lists of them that were typed by others."""
    names = ("numeric_information_loss.csv", "hac_census_sse.csv", "categorical_loss_and_risk.csv")
    losses, errors, categories = (data_folder.parent / "published" / name for name in names)
    if not losses.is_file():
        pytest.skip("no lists of printed figures lie beside the data")
    with losses.open(encoding="utf-8", newline="") as file:
        expected = {
            (row["dataset"], row["method"].replace("mu-", "μ-"), int(row["k"]), row["information_loss_percent"])
            for row in csv.DictReader(file)
        }
    with errors.open(encoding="utf-8", newline="") as file:
        expected |= {
            (row["dataset"], f"{row['method']} {row['linkage']}".strip(), int(row["k"]), row["sse"])
            for row in csv.DictReader(file)
        }
    with categories.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name = "Before microaggregation" if row["method"] == "none" else row["method"]
            k = int(row["k"]) if row["k"] else None
            figures = (row["global_risk_percent"], row["loss_percent"])
            expected |= {(row["dataset"], name, k, figure) for figure in figures if figure}
    ours = {
        (table.dataset, name, k, figure)
        for table in TABLES
        if table.measure not in ("count", "percent") and table.dataset != "example10"  # of these there is no list
        for name, row in table.rows.items()
        for k, figure in row.items()
    }
    assert ours == expected


def test_mdav_generic_on_the_toy(data_folder: Path) -> None:
    """What sdcMicro prints for the test file of 19 records: its SSE (to four digits 8.2036) and its centroids."""
    table = load(DATASETS["toy19"], data_folder)
    if table is None:
        pytest.skip("the test file of 19 records is not there, nor the thesis that prints it")
    release = shoal.anonymize(table, k=4, quasi_identifiers=table.names, method="mdav-generic", exact_means=True)
    assert sorted(release.partition.sizes) == [4, 4, 4, 7]
    assert equals_printed(release.evaluation.sse, "8.2036")
    printed = {(3.428571, 7.428571), (1.5, 2.75), (3.25, 12.25), (6.25, 4.75)}
    assert {tuple(np.round(row, 6)) for row in np.asarray(release.table)} == printed


def test_no_placement_of_the_leftovers_gives_the_toy_of_the_thesis(data_folder: Path) -> None:
    """Three of 19 records are left when MDAV has made four groups of 4: the printed 7.93 is none of the 64 ways."""
    table = load(DATASETS["toy19"], data_folder)
    if table is None:
        pytest.skip("the test file of 19 records is not there, nor the thesis that prints it")
    matrix = encode_table(table, standardize=True).matrix
    flock = naive._pairs(matrix, 4, 8)
    errors = []
    for places in product(range(4), repeat=len(flock.left)):
        flock.labels[flock.left] = places
        errors.append(naive.sse(matrix, flock.labels))
    assert len(errors) == 64
    assert not any(equals_printed(sse, "7.93") for sse in errors)
    assert sorted(shoal.partition(table, k=4, method="mdav").sizes) == [4, 5, 5, 5]


@pytest.mark.parametrize(("k", "below"), [(2, 84), (5, 497)])
def test_adult_classes(data_folder: Path, k: int, below: int) -> None:
    """Counts of sdcMicro on Adult: the thesis on categorical microaggregation, Table 5, first line."""
    names = ["occupation", "native-country"]
    proof = shoal.verify(data_folder / "adult.csv", k=k, quasi_identifiers=names)
    assert (proof.records, proof.classes, proof.violations) == (30162, 394, below)
    figures = shoal.evaluate(data_folder / "adult.csv", data_folder / "adult.csv", quasi_identifiers=names, k=k)
    assert figures.before["global_risk"] == pytest.approx(1.306279, abs=5e-7)
    assert figures.loss["information_loss"] is None
