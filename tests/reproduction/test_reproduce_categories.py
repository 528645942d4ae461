"""Categories in `shoal reproduce`: counts, hierarchies, and warnings where a file is missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
import shoal_reproduction
from shoal import data
from shoal.domain import Kind
from shoal.errors import FileError
from shoal.hierarchy import Hierarchy
from shoal_reproduction import report
from shoal_reproduction.datasets import DATASETS, SAMPLE_SIZE, build_hierarchies, encode_table, has_hierarchies, load
from shoal_reproduction.hierarchies import operating_systems
from shoal_reproduction.published import TABLES
from shoal_reproduction.readings import CountReading, MethodReading
from shoal_reproduction.reproduction import COMPARED_LEVELS, _applicable_methods
from shoal_reproduction.runs import _run_on_categories, count_data

SMALL = pl.DataFrame({"a": list("xxxxyyyzz"), "b": list("pppqpppqq")})


@pytest.mark.parametrize(
    ("count", "k", "expected"),
    [
        (CountReading(), None, 9),
        (CountReading(), 2, 1),
        (CountReading(), 3, 3),
        (CountReading(where={"a": "x"}), None, 4),
        (CountReading(where={"a": "x", "b": "p"}), None, 3),
        (CountReading(n_most_frequent=1), None, 3),
        (CountReading(n_most_frequent=3), None, 8),
        (CountReading(values_of="a"), None, 3),
    ],
)
def test_counts(count: CountReading, k: int | None, expected: int) -> None:
    counted = count_data(data.read_table(SMALL), count, k)
    assert counted.count == expected
    assert counted.percent == pytest.approx(100 * expected / 9)


def test_groups_with_the_same_centroids_are_one_class() -> None:
    tree = Hierarchy.from_edges([("x", "r"), ("y", "r"), ("z", "r")])
    frame = pl.DataFrame({"a": ["x", "x", "y", "x", "x", "z"]})
    records = encode_table(data.read_table(frame), hierarchies={"a": tree})
    before = _run_on_categories(MethodReading("", semantic=True), records, None)
    assert (before.semantic_loss, before.global_risk) == (0.0, pytest.approx(50.0))
    after = _run_on_categories(MethodReading("s-mdav", semantic=True), records, 3)
    assert after.global_risk == pytest.approx(100 / 6)  # of both groups x is the center
    assert after.seconds is not None


def test_methods_are_compared_on_what_they_take() -> None:
    for dataset in COMPARED_LEVELS:
        kind = Kind.HIERARCHICAL if DATASETS[dataset].categories else Kind.NUMERIC
        names = _applicable_methods(dataset)
        assert names
        assert all(kind in shoal.methods()[name].kinds for name in names)


def test_every_operating_system_has_its_place() -> None:
    assert set(operating_systems([], Path(), "").leaves) == {
        *("Android", "BlackBerry", "Chrome OS", "Firefox OS", "Linux", "Macintosh", "OS/2", "Playstation 4"),
        *("Playstation Vita", "Samsung", "Tizen", "Windows", "Windows Phone", "Xbox", "iOS"),
    }


def test_samples_tell_their_seeds() -> None:
    for number, name in enumerate(("analytics-sample-one", "analytics-sample-two"), 1):
        assert f"10,000 drawn with seed {number} from 243,545 records" in DATASETS[name].description


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A folder with a file of the right shape and other values, and without WordNet."""
    columns = {f"c{j}": [0] for j in range(13)} | {"occupation": ["Sales"], "native-country": ["Nowhere"]}
    pl.concat([pl.DataFrame(columns)] * 30162).write_csv(tmp_path / "adult.csv")
    np.savetxt(tmp_path / "toy19.csv", np.ones((19, 2)), delimiter=",", header="a,b", comments="")
    return tmp_path


def test_without_wordnet_there_is_no_data(other: Path) -> None:
    reproduction = shoal_reproduction.reproduce(other, only=["adult", "sa-mdav"])
    assert {cell.verdict for cell in reproduction.cells} == {"no data"}
    assert reproduction.warnings == (
        "wordnet31 is not in the data folder; the cells that need it are counted as 'no data'.",
        "adult.csv does not hold the numbers that the papers used; do not trust the verdicts.",
    )
    assert not reproduction.comparison
    assert "no data" in report.text(reproduction.to_dict())


def test_values_that_have_no_place_in_the_tree_are_refused(other: Path) -> None:
    (other / "wordnet31").mkdir()
    with pytest.raises(FileError, match="wordnet31"):
        shoal_reproduction.reproduce(other, only=["adult", "sa-mdav"])


def test_cells_without_a_k_are_told_in_every_form(other: Path) -> None:
    facts = shoal_reproduction.reproduce(other, only=["table 3"]).to_dict()
    assert [cell["k"] for cell in facts["cells"]] == [None] * 5
    assert ",count,3735,0.0,-100.0,other," in report.table(facts)  # counts need no tree
    assert not any("wordnet31" in warning for warning in facts["warnings"])
    assert "(executive, united_states)" in report.page(facts)
    assert "counts of the data" in report.text(facts)


def test_the_samples_are_drawn_once_and_for_all(data_folder: Path) -> None:
    dataset = DATASETS["analytics-sample-one"]
    table = load(dataset, data_folder)
    if table is None or not has_hierarchies(dataset, data_folder):
        pytest.skip("no analytics.csv.gz or wordnet31 lies in the folder of the data")
    assert table.height == SAMPLE_SIZE
    assert int(data.class_sizes(table, table.names).sum()) == dataset.checksum
    trees = build_hierarchies(dataset, table, data_folder)
    assert trees["country"].root == "country.n.02"
    assert trees["country"].path("Jamaica") == ("Jamaica", "caribbean country", "country.n.02")
    assert all(trees[name].coverage(data.value_counts(table, name)) for name in table.names)


def test_printed_risks_that_repeat_another_table_are_left_out() -> None:
    risks = [t for t in TABLES if t.paper == "veltmann-2022" and t.place == "Table 6" and t.measure == "global_risk"]
    assert [dict(t.rows) for t in risks] == [{"Before microaggregation": {None: "3.80"}}]
