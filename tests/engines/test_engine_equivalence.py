"""Releases of the local engine and of Spark: the same groups, figures and messages."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from out_of_core_options import OPTION_SETS, OPTIONS, QUASI_IDENTIFIERS, with_gaps

import shoal
from shoal.engines import memory_budget
from shoal.errors import ColumnError, DataError, OptionError, OutputError
from shoal.release.anonymize_file import anonymize_file, replay_file
from shoal.release.file_release import FileRelease

Releaser = Callable[..., FileRelease]
ROWS = 1200


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use small parts, so that a small table has many of them."""
    monkeypatch.setattr(memory_budget.MemoryBudget, "part_rows", lambda *_, **__: 300)


@pytest.fixture(params=["local", "spark"])
def make(request: pytest.FixtureRequest) -> Releaser:
    """Release with one of the engines."""
    if request.param == "spark":
        request.getfixturevalue("spark")

    def made(source: Path, target: Path, **more: Any) -> FileRelease:
        return anonymize_file(source, target, engine=request.param, **more)

    return made


@pytest.fixture
def both(spark: Any, tmp_path: Path) -> Callable[..., tuple[FileRelease, pl.DataFrame]]:
    """Release with both engines, compare the releases, and return that of Spark.

    Its folder has the name of a scratch folder.
    """

    def made(source: Path, **more: Any) -> tuple[FileRelease, pl.DataFrame]:
        here, there = tmp_path / "here.parquet", tmp_path / "verified"
        one, two = anonymize_file(source, here, **more), anonymize_file(source, there, engine="spark", **more)
        return two, assert_same_release(here, there, one, two)

    return made


def assert_same_release(here: Path, there: Path, one: FileRelease, two: FileRelease) -> pl.DataFrame:
    """Compare the releases of both engines, and return them as a frame."""
    mine, other = read(here), read(there)
    assert other.columns == mine.columns
    for name in mine.columns:
        assert other[name].equals(mine[name]), name
    assert_same_figures(one, two)
    return other


class EngineRelease(NamedTuple):
    """A register with missing values, and its release by an engine."""

    source: Path
    target: Path
    release: FileRelease
    before: bytes


def release_once(folder: Path, engine: str, name: str) -> EngineRelease:
    source, target = folder / "in.parquet", folder / name
    with_gaps(ROWS).write_parquet(source)
    before = source.read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory_budget.MemoryBudget, "part_rows", lambda *_, **__: 300)
        return EngineRelease(source, target, anonymize_file(source, target, engine=engine, **OPTIONS), before)


@pytest.fixture(scope="module")
def local_release(tmp_path_factory: pytest.TempPathFactory) -> EngineRelease:
    return release_once(tmp_path_factory.mktemp("local"), "local", "here.parquet")


@pytest.fixture(scope="module")
def spark_release(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> EngineRelease:
    return release_once(tmp_path_factory.mktemp("spark"), "spark", "there")


@pytest.fixture(params=["local", "spark"])
def release(request: pytest.FixtureRequest) -> EngineRelease:
    found: EngineRelease = request.getfixturevalue(f"{request.param}_release")
    return found


def read(path: Path) -> pl.DataFrame:
    """Read a release without Shoal."""
    if path.is_file():
        return pl.read_parquet(path)
    assert (path / "_SUCCESS").exists()
    return pl.concat([pl.read_parquet(part) for part in sorted(path.glob("part-*.parquet"))])


def assert_same_figures(one: FileRelease, two: FileRelease) -> None:
    """Assert equal counts and, up to the order of sums, equal figures."""
    assert two.verification == one.verification
    assert two.parts.n_parts == one.parts.n_parts
    for name in ("original_class_sizes", "group_sizes"):
        for mine, theirs in zip(getattr(one.parts, name), getattr(two.parts, name), strict=True):
            assert mine.tolist() == theirs.tolist()
    assert (two.parts.largest_part, two.parts.n_suppressed, two.missing) == (
        one.parts.largest_part,
        one.parts.n_suppressed,
        one.missing,
    )
    assert two.warnings == one.warnings
    for family in ("loss", "before", "after"):
        mine, theirs = getattr(one.evaluation, family), getattr(two.evaluation, family)
        assert mine.keys() == theirs.keys()
        for name, figure in mine.items():
            if figure is None or theirs[name] is None:
                assert theirs[name] is figure, name
            else:
                assert math.isclose(figure, theirs[name], rel_tol=1e-9, abs_tol=1e-9), name
    assert two.evaluation.columns == pytest.approx(one.evaluation.columns, rel=1e-9, abs=1e-9)


def test_keeps_the_promise_the_records_and_their_order(release: EngineRelease) -> None:
    made = release.release
    assert made.verification.ok
    assert made.parts.n_parts > 3
    old, new = read(release.source), read(release.target)
    kept = [name for name in old.columns if name not in ("person_id", "name")]
    assert new.columns == kept
    for name in kept:
        if name not in QUASI_IDENTIFIERS:
            assert new[name].equals(old[name]), name
    assert new.group_by(QUASI_IDENTIFIERS).len()["len"].min() == made.verification.min_class >= 4
    assert release.source.read_bytes() == release.before
    target = release.target.name
    assert {path.name for path in release.source.parent.iterdir()} == {"in.parquet", target, f"{target}.policy.toml"}


def test_figures_are_those_of_an_evaluation(release: EngineRelease) -> None:
    made = release.release
    whole = shoal.evaluate(read(release.source), read(release.target), quasi_identifiers=QUASI_IDENTIFIERS, k=4)
    for name, figure in made.evaluation.loss.items():
        # the quartiles of the queries are those of a sample
        near = 0.2 if "quer" in name else 1e-6
        other = whole.loss[name]
        assert (figure is None) == (other is None), name
        assert figure is None or math.isclose(figure, other, rel_tol=near, abs_tol=1e-9), name
    assert made.evaluation.after == pytest.approx(whole.after)


def test_releases_are_alike(local_release: EngineRelease, spark_release: EngineRelease) -> None:
    assert_same_release(local_release.target, spark_release.target, local_release.release, spark_release.release)


@pytest.mark.parametrize(
    ("more", "rows", "k"),
    # with a k as large as 60, blocks are too small and join their neighbors
    [(OPTION_SETS[0], ROWS, 4), (OPTION_SETS[1], 700, 60)],
    ids=["k of 4", "k of 60"],
)
def test_decisions_are_kept_alike(both: Any, tmp_path: Path, more: dict[str, Any], rows: int, k: int) -> None:
    source = tmp_path / "in.parquet"
    with_gaps(rows).write_parquet(source)
    made, release = both(source, **{**OPTIONS, **more, "k": k, "shuffle": False})
    assert made.parts.n_parts > 0
    assert made.verification.min_class >= k
    models = {check.column: check.model for check in made.verification.models}
    assert models
    proof = shoal.verify(release, k=k, quasi_identifiers=QUASI_IDENTIFIERS, models=models)
    assert proof.ok
    assert proof.models == made.verification.models


def test_households_are_kept_alike(both: Any, tmp_path: Path) -> None:
    source, number = tmp_path / "in.parquet", pl.int_range(ROWS) * 7919 % 480
    with_gaps(ROWS).with_columns(home=number, half=number % 2).write_parquet(source)
    design = {"households": "home", "strata": "half", "sensitive": ["diagnosis"], "l": 2}
    made, release = both(source, **{**OPTIONS, **design})
    assert made.parts.n_parts > 3
    assert shoal.verify(release, k=4, quasi_identifiers=QUASI_IDENTIFIERS, households="home", strata="half").ok


def test_types_of_all_kinds(both: Any, tmp_path: Path) -> None:
    source, rows = tmp_path / "in.parquet", 500
    start = datetime(2020, 1, 1, 22, 30)
    pl.DataFrame(
        {
            "row": [i % 7 for i in range(rows)],
            "c0": pl.Series([i % 5 for i in range(rows)], dtype=pl.Int8),
            "a.b": [i % 3 == 0 for i in range(rows)],
            "it`s": [Decimal(i % 11) / 4 for i in range(rows)],
            "piece": [date(2000, 1, 1) + timedelta(days=i % 40) for i in range(rows)],
            "moment": [start + timedelta(hours=i % 50) for i in range(rows)],
            "facts": pl.Series([start + timedelta(hours=i % 60) for i in range(rows)]).dt.replace_time_zone("UTC"),
            "_metadata": ["Österreich", "", "a\nb", 'say "x"', None] * (rows // 5),
            "ünï cødé (x,y;z)": [float(i % 13) if i % 9 else None for i in range(rows)],
            "nothing": pl.Series([None] * rows, dtype=pl.String),
            "listed": [[i, i + 1] for i in range(rows)],
            "raw": [bytes([i % 256]) for i in range(rows)],
            "ward": [i % 8 for i in range(rows)],
        }
    ).write_parquet(source)
    names = ["row", "c0", "a.b", "it`s", "piece", "moment", "facts", "_metadata", "ünï cødé (x,y;z)", "nothing"]
    tree = {"any": {"low": {str(n): {} for n in range(4)}, "high": {str(n): {} for n in range(4, 8)}}}
    more: dict[str, Any] = {"hierarchies": {"ward": tree}, "recode": {"ward": "lcs"}, "kinds": {"c0": "nominal"}}
    made, release = both(source, k=5, quasi_identifiers=[*names, "ward"], keep=["listed"], method="mondrian", **more)
    assert made.verification.ok
    assert release.schema["c0"] == pl.Int8  # a category that the column had keeps its type
    assert release["listed"].to_list()[:2] == [[0, 1], [1, 2]]
    # words that the column never had make it text
    assert release.schema["ward"] == pl.String
    assert "any" in release["ward"].unique()


def test_a_value_that_nine_of_ten_records_share(both: Any, tmp_path: Path) -> None:
    source, rows = tmp_path / "in.parquet", 1400
    frame = pl.DataFrame(
        {
            "a": [1.0] * (rows - 140) + [float(i % 37) for i in range(140)],
            "b": ["x"] * rows,
            "s": [str(i % 3) for i in range(rows)],
        }
    )
    frame.sample(fraction=1.0, shuffle=True, seed=1).write_parquet(source)
    made, _ = both(source, k=5, quasi_identifiers=["a", "b"], method="mondrian", sensitive=["s"], l=2)
    assert made.verification.ok
    assert made.parts.largest_part <= 600


def test_a_policy_makes_the_same_release_again_on_either_engine(spark_release: EngineRelease, tmp_path: Path) -> None:
    """Existing files are replaced with ``force``."""
    source, target = spark_release.source, spark_release.target
    policy = target.with_name(f"{target.name}.policy.toml")
    for engine, name in (("spark", "again"), ("local", "again.parquet")):
        (tmp_path / name).write_text("mine")
        made = replay_file(source, tmp_path / name, policy=policy, engine=engine, force=True)
        assert made.verification.ok
        assert read(tmp_path / name).equals(read(target))
    names = ["again", "again.parquet", "again.parquet.policy.toml", "again.policy.toml"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"missing_values": "wildcard"}, OptionError, "wildcards"),
        ({"households": "name"}, ColumnError, "'name' names the households and is not released"),
        ({"k": 5000}, OptionError, "5,000"),
        ({"quasi_identifiers": ["agee"]}, ColumnError, "agee"),
        ({"memory": "5MB"}, OptionError, "too low"),
        ({"bounds": {"age": (0, 50)}}, DataError, r"outside its bounds in \d+ of 500 records \(the first is record"),
        ({"sensitive": ["diagnosis"], "l": 40}, OptionError, "distinct-l"),
        ({"scratch": "/proc/none"}, OutputError, "cannot be written"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_bad_decisions_get_the_same_sentence_and_leave_nothing(
    make: Releaser, tmp_path: Path, more: dict[str, Any], error: type[Exception], message: str
) -> None:
    source = tmp_path / "in.parquet"
    shoal.example_register(500).write_parquet(source)
    with pytest.raises(error, match=message):
        make(source, tmp_path / "out.parquet", **{**OPTIONS, **more})
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def test_outputs_are_not_replaced_and_inputs_never(make: Releaser, tmp_path: Path) -> None:
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    shoal.example_register(500).write_parquet(source)
    target.write_text("mine")
    with pytest.raises(OutputError, match="exists"):
        make(source, target, **OPTIONS)
    assert target.read_text() == "mine"
    with pytest.raises(OutputError, match="input"):
        make(source, source, **OPTIONS, force=True)
    with pytest.raises(OutputError, match="does not exist"):
        make(source, tmp_path / "nowhere" / "out.parquet", **OPTIONS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.parquet", "out.parquet"]
