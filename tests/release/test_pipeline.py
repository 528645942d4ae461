"""The pipeline from a table to a verified release, on every kind of table."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import ColumnError, DataError, OutputError, PolicyError, PromiseError, ShoalError, ShoalWarning

RNG = np.random.default_rng(5)
COLUMNS = {
    "who": [f"person {i}" for i in range(50)],
    "age": RNG.integers(0, 100, 50).tolist(),
    "income": (RNG.random(50) * 1e5).tolist(),
    "diagnosis": [["flu", "gout", None][i % 3] for i in range(50)],
}
ROLES = {"quasi_identifiers": ["age", "income"], "identifiers": ["who"], "sensitive": ["diagnosis"]}
MAKERS = {
    "pandas": lambda: pd.DataFrame(COLUMNS, index=pd.Index([f"r{i // 2}" for i in range(50)], name="row")),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "pyarrow": lambda: pa.table(COLUMNS),
}


def as_column(table, name: str) -> list:
    """The cells of a column; every gap is None."""
    cells = table[name].to_pylist() if isinstance(table, pa.Table) else list(table[name])
    return [None if cell is None or cell != cell else cell for cell in cells]


def as_rows(table) -> list[tuple]:
    names = table.column_names if isinstance(table, pa.Table) else list(table.columns)
    return list(zip(*(as_column(table, name) for name in names), strict=True))


@pytest.mark.parametrize("kind", MAKERS)
def test_what_comes_in_goes_out_as_the_same_kind(kind: str) -> None:
    data, untouched = MAKERS[kind](), MAKERS[kind]()
    release = shoal.anonymize(data, k=4, **ROLES, exact_means=True)
    assert type(release.table) is type(data)
    assert data.equals(untouched)
    names = release.table.column_names if kind == "pyarrow" else list(release.table.columns)
    assert names == ["age", "income", "diagnosis"]
    released = as_rows(release.table)
    assert [row[2] for row in released] == as_column(untouched, "diagnosis")
    assert min(Counter(row[:2] for row in released).values()) >= 4
    for group in range(release.partition.count):
        inside = release.partition.labels == group
        values = {released[i][0] for i in np.flatnonzero(inside)}
        assert list(values) == [pytest.approx(np.mean(np.array(COLUMNS["age"])[inside]))]
    if kind == "pandas":
        assert release.table.index.equals(data.index)


def test_every_kind_gives_the_same_groups(tmp_path: Path) -> None:
    csv, parquet = tmp_path / "a.csv", tmp_path / "a.parquet"
    pl.DataFrame(COLUMNS).write_csv(csv)
    pl.DataFrame(COLUMNS).write_parquet(parquet)
    expected = shoal.anonymize(MAKERS["polars"](), k=4, **ROLES)
    for data in (MAKERS["pandas"](), MAKERS["pyarrow"](), csv, str(parquet), shoal.read(csv)):
        release = shoal.anonymize(data, k=4, **ROLES)
        assert np.array_equal(release.partition.labels, expected.partition.labels)
        assert release.evaluation.loss == expected.evaluation.loss
    matrix = np.column_stack([COLUMNS["age"], COLUMNS["income"]])
    release = shoal.anonymize(matrix, k=4, quasi_identifiers=[0, 1])
    assert isinstance(release.table, np.ndarray)
    assert np.array_equal(release.partition.labels, expected.partition.labels)
    assert np.array_equal(shoal.partition(matrix, k=4).labels, expected.partition.labels)


@pytest.mark.parametrize(
    "ending", [".csv", ".tsv", ".parquet", ".arrow", ".feather", ".xlsx", ".sav", ".dta", ".csv.gz"]
)
@pytest.mark.parametrize("kind", [*MAKERS, "file"])
def test_a_release_of_any_kind_can_be_saved_in_any_format(tmp_path: Path, kind: str, ending: str) -> None:
    if kind == "file":
        data = tmp_path / "in.csv"
        pl.DataFrame(COLUMNS).write_csv(data)
    else:
        data = MAKERS[kind]()
    target = tmp_path / f"out{ending}"
    release = shoal.anonymize(data, k=4, method="mdav", **ROLES)
    policy = release.save(target)
    assert policy.output["sha256"] == hashlib.sha256(target.read_bytes()).hexdigest()
    assert shoal.verify(target, k=4, quasi_identifiers=["age", "income"])
    figures = shoal.evaluate(data, target, quasi_identifiers=["age", "income"], k=4)
    assert figures.information_loss == pytest.approx(release.evaluation.information_loss)
    again = tmp_path / "again"
    again.mkdir()
    shoal.anonymize(data, k=4, method="mdav", **ROLES).save(again / target.name)
    assert (again / target.name).read_bytes() == target.read_bytes()


def test_save_does_not_replace_unless_told(tmp_path: Path) -> None:
    release = shoal.anonymize(MAKERS["polars"](), k=4, **ROLES)
    target = tmp_path / "out.csv"
    release.save(target)
    first = target.read_bytes()
    with pytest.raises(OutputError, match="exists"):
        release.save(target)
    release.save(str(target), force=True)
    assert target.read_bytes() == first
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "out.csv.policy.toml"]


def test_the_input_must_not_change_during_the_run(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    pl.DataFrame(COLUMNS).write_csv(path)
    table = shoal.read(path)
    path.write_text(path.read_text() + "late,1,2,flu\n")
    with pytest.raises(ShoalError, match="changed while"):
        shoal.anonymize(table, k=4, **ROLES)


@pytest.mark.parametrize("path", [5, None, "", ".", "a\0.csv", "x" * 300 + ".csv", "\ud800.csv"])
def test_save_to_no_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OutputError):
        shoal.anonymize(MAKERS["polars"](), k=4, **ROLES).save(path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("policy", [None, 5, "none.toml"])
def test_replay_of_no_policy(policy) -> None:
    with pytest.raises(PolicyError):
        shoal.replay(MAKERS["polars"](), policy=policy)


def test_a_policy_replays(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    pl.DataFrame(COLUMNS).write_csv(path)
    policy = shoal.anonymize(path, k=4, **ROLES).save(tmp_path / "out.csv")
    again = shoal.replay(path, policy=tmp_path / "out.csv.policy.toml", progress=None)
    assert again.save(tmp_path / "again.csv").output["sha256"] == policy.output["sha256"]


def test_gaps_are_a_category_loudly_or_refused_and_never_written_back() -> None:
    """Averaging around a gap and writing the gap back makes a class of one: it cannot happen here."""
    frame = pd.DataFrame({"age": [1.0, 2.0, None, 4.0, 5.0, 6.0], "x": range(6)})
    with pytest.warns(ShoalWarning, match=r"1 quasi-identifier cell of 6 records .*missing values: 'category'"):
        result = shoal.anonymize(frame, k=3, quasi_identifiers=["age"], keep=["x"])
    assert result.table["age"].value_counts(dropna=False).min() >= 3
    with pytest.raises(DataError, match="missing values in 1 of 6 records"):
        shoal.anonymize(frame, k=3, quasi_identifiers=["age"], keep=["x"], missing_values="refuse")


def test_a_wrong_release_is_stopped_even_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal import data as tables

    real = tables.replace_columns

    def spoil(table, schema, columns):
        numbers = columns["age"].numbers.copy()
        numbers[0] += 1
        columns["age"] = replace(columns["age"], numbers=numbers)
        return real(table, schema, columns)

    monkeypatch.setattr(tables, "replace_columns", spoil)
    with pytest.raises(PromiseError, match="below k = 4"):
        shoal.anonymize(MAKERS["polars"](), k=4, **ROLES)


def test_an_identifier_left_in_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal import data as tables

    monkeypatch.setattr(tables, "replace_columns", lambda table, schema, columns: table)
    with pytest.raises(PromiseError, match="other columns"):
        shoal.anonymize(MAKERS["polars"](), k=4, **ROLES)


def test_a_word_about_every_column_leaves_no_warning() -> None:
    with pytest.warns(ShoalWarning, match="1 column has no role and is released unchanged: 'diagnosis'"):
        release = shoal.anonymize(MAKERS["polars"](), k=4, quasi_identifiers=["age", "income"], keep=["who"])
    assert len(release.warnings) == 1
    assert "warning" in repr(release)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shoal.anonymize(MAKERS["polars"](), k=4, **ROLES)


def test_an_index_that_may_name_persons_is_kept_and_warned_about() -> None:
    frame = MAKERS["pandas"]()
    assert any("index" in sentence for sentence in shoal.anonymize(frame, k=4, **ROLES).warnings)
    assert shoal.anonymize(frame.reset_index(drop=True), k=4, **ROLES).warnings == ()


def test_weights_and_standardization_change_what_is_near() -> None:
    table = np.array([[0, 0], [0.1, 9], [5, 0.1], [5.1, 9.1]])
    near_first = shoal.partition(table, k=2, method="mdav", weights={"0": 100, "1": 1}).labels.tolist()
    near_second = shoal.partition(table, k=2, method="mdav", weights={"0": 1, "1": 100}).labels.tolist()
    assert near_first == [0, 0, 1, 1]
    assert near_second == [0, 1, 0, 1]
    big = table * [1, 1000]
    assert shoal.partition(big, k=2, method="mdav", standardize=False).labels.tolist() == [0, 1, 0, 1]
    equal = shoal.partition(big, k=2, method="mdav", weights={"0": 3, "1": 3}).labels
    assert np.array_equal(equal, shoal.partition(big, k=2, method="mdav").labels)


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    release = shoal.anonymize(
        np.random.default_rng(1).normal(size=(30, 2)),
        k=np.int64(3),
        quasi_identifiers=np.arange(2),
        method="v-mdav",
        seed=np.int32(1),
        weights={0: np.float32(2), "1": np.int64(1)},
        gamma=np.float64(0.5),
    )
    release.save(tmp_path / "out.csv")
    policy = shoal.Policy.read(tmp_path / "out.csv.policy.toml")
    assert (policy.k, policy.seed, policy.weights) == (3, 1, {"0": 2.0, "1": 1.0})


@pytest.mark.parametrize(
    "options",
    [
        {"k": np.array([3])}, {"k": np.array(3.0)}, {"k": int}, {"k": 10**5000}, {"k": -(10**5000)},
        {"weights": {"0": 10**400}}, {"method": ["mdav"]}, {"seed": 2**63}, {"method": "v-mdav", "gamma": 10**400},
        {"k": "5"}, {"k": None}, {"k": 2.0}, {"k": True}, {"seed": 1.5}, {"seed": -1}, {"method": 3},
        {"recode": "lcs"}, {"recode": {"0": "mode"}}, {"distance": "far"}, {"hierarchies": [1]}, {"levels": {"0": 3}},
        {"recode": {"7": "mean"}}, {"recode": ["mean"]}, {"standardize": 1},
        {"exact_means": "yes"}, {"round_integers": "yes"},
        {"weights": [1, 2]}, {"weights": {"0": "heavy"}}, {"quasi_identifiers": None}, {"quasi_identifiers": []},
        {"gamma": 1}, {"quasi_identifiers": [0, 0]}, {"quasi_identifiers": [7]}, {"identifiers": ["x"]},
        {"something": [1]},
    ],
    ids=lambda options: str(list(options))[:40],
)  # fmt: skip
def test_wrong_options_are_told_in_a_sentence(options: dict) -> None:
    with pytest.raises(ShoalError, match=r"; .*\.$"):
        shoal.anonymize(
            np.random.default_rng(1).normal(size=(30, 2)), **({"k": 3, "quasi_identifiers": [0, 1]} | options)
        )


@pytest.mark.parametrize("weight", [0, -1, float("nan"), float("inf")])
def test_weights_out_of_range(weight: float) -> None:
    with pytest.raises(ShoalError, match="weight"):
        shoal.partition(np.ones((4, 2)), k=2, method="mdav", weights={"0": weight})


def test_evaluate_needs_the_same_records() -> None:
    with pytest.raises(DataError, match="50 records and the release 49"):
        shoal.evaluate(MAKERS["polars"](), MAKERS["polars"]()[:49], quasi_identifiers=["age"])
    with pytest.raises(ColumnError, match="no column 'age'"):
        shoal.evaluate(MAKERS["polars"](), MAKERS["polars"]().drop("age"), quasi_identifiers=["age"])


def test_a_change_of_a_constant_column_has_no_finite_loss() -> None:
    figures = shoal.evaluate(np.full((3, 1), 5.0), np.full((3, 1), 7.0), quasi_identifiers=[0])
    assert figures.sse == 12
    assert figures.information_loss == float("inf")
    assert figures.to_dict()["loss"]["information_loss"] is None
    with pytest.raises(ShoalError, match="standardize"):
        shoal.evaluate(np.ones((3, 1)), np.ones((3, 1)), quasi_identifiers=[0], standardize="maybe")


def test_describe_proposes_and_decides_nothing() -> None:
    description = shoal.describe(MAKERS["pandas"]())
    roles = {column.name: str(column.role) for column in description.schema.columns}
    assert roles == {
        "who": "identifier", "age": "quasi-identifier", "income": "sensitive", "diagnosis": "sensitive",
    }  # fmt: skip
    assert description.unique_records == 33  # by their ages
    assert "person" not in str(description.to_dict())


SCRIPT = """
import sys, shoal
for method in sys.argv[3:]:
    shoal.anonymize(sys.argv[1], k=4, quasi_identifiers=["age", "height_cm", "income"],
                    identifiers=["person_id", "name"], method=method).save(f"{sys.argv[2]}/{method}.csv")
"""


def test_the_same_bytes_on_any_number_of_threads(register_csv: Path, tmp_path: Path) -> None:
    methods = ["auto", "mdav", "md", "v-mdav"]
    for threads, seed in (("1", "1"), ("2", "77")):
        variables = ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
        env = {**os.environ, **dict.fromkeys(variables, threads), "PYTHONHASHSEED": seed}
        (tmp_path / threads).mkdir()
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", SCRIPT, str(register_csv), str(tmp_path / threads), *methods],
            env=env, capture_output=True, text=True, check=True,
        )  # fmt: skip
    for method in methods:
        assert (tmp_path / "1" / f"{method}.csv").read_bytes() == (tmp_path / "2" / f"{method}.csv").read_bytes()


CELLS = st.one_of(
    st.integers(-5, 5),
    st.integers(-(10**12), 10**12),
    st.floats(-1e9, 1e9),
    st.sampled_from([0.0, -0.0, 1e300, 1e-300]),
)


NUMERIC = sorted(
    name for name, method in shoal.methods().items() if "numeric" in method.kinds and method.max_columns is None
)


@given(st.data(), st.integers(2, 5), st.sampled_from(NUMERIC))
def test_any_numbers_give_a_release_that_a_naive_reader_finds_k_anonymous(data, k: int, method: str) -> None:
    """Through files, as text: whatever the numbers, k holds, no record is lost, nothing else changes."""
    import csv
    import tempfile

    n = data.draw(st.integers(k, 30))
    rows = data.draw(st.lists(st.tuples(CELLS, CELLS, st.text(max_size=5)), min_size=n, max_size=n))
    if any("\0" in row[2] or any(0xD800 <= ord(c) <= 0xDFFF for c in row[2]) for row in rows):
        return
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.csv", Path(folder) / "out.csv"
        with source.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("a", "b", "note"), *rows])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)
            options = {
                "recode": data.draw(st.sampled_from(["mean", "median"])),
                "exact_means": data.draw(st.booleans()),
            }
            shoal.anonymize(source, k=k, quasi_identifiers=["a", "b"], keep="note", method=method, **options).save(
                target
            )
        with target.open(newline="", encoding="utf-8") as file:
            header, *released = list(csv.reader(file))
        assert header == ["a", "b", "note"]
        assert [row[2] for row in released] == [row[2] for row in rows]
        assert min(Counter((row[0], row[1]) for row in released).values()) >= k
