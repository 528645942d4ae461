"""Releases of Spark DataFrames do not depend on partitions, order or session settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest

import shoal
import spark_settings
from shoal.engines import memory_budget
from shoal.engines.spark.session import check_installed, log_path
from shoal.errors import ColumnError, DataError, EngineError, OptionError, PackageError, ShoalError

QUASI_IDENTIFIERS = ["age", "sex", "region", "height_cm"]
OPTIONS: dict[str, Any] = {
    "k": 4,
    "quasi_identifiers": QUASI_IDENTIFIERS,
    "identifiers": ["person_id", "name"],
    "keep": ["(person_id)"],
    "method": "mondrian",
}
ROWS = 900


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_budget.MemoryBudget, "part_rows", lambda *_, **__: 300)


@pytest.fixture(scope="module")
def register(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A register with a column whose name looks like a pattern."""
    path = tmp_path_factory.mktemp("register") / "register.parquet"
    shoal.example_register(ROWS).with_columns(pl.col("person_id").alias("(person_id)")).write_parquet(path)
    return path


@pytest.fixture
def frame(spark: Any, register: Path) -> Any:
    return spark.read.parquet(str(register))


class Made(NamedTuple):
    """A release, its scratch folder and its progress."""

    released: Any
    scratch: Path
    progress: list[tuple[int, int]]


@pytest.fixture(scope="module")
def made(spark: Any, register: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    scratch, reports = tmp_path_factory.mktemp("scratch"), list[tuple[int, int]]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory_budget.MemoryBudget, "part_rows", lambda *_, **__: 300)
        released = shoal.anonymize(
            spark.read.parquet(str(register)),
            scratch=str(scratch),
            progress=lambda done, total: reports.append((done, total)),
            **OPTIONS,
        )
    return Made(released, scratch, reports)


@pytest.fixture(scope="module")
def rows(made: Made) -> list[tuple[Any, ...]]:
    return rows_of(made.released)


def rows_of(frame: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in frame.collect()]


def test_a_frame_comes_out_that_tells_of_itself(made: Made, rows: list[tuple[Any, ...]], register: Path) -> None:
    from pyspark.sql import DataFrame

    released = made.released
    assert isinstance(released, DataFrame)
    assert released.table is released
    assert released.verification.ok
    assert released.evaluation.loss["mixed_loss"] > 0
    assert released.policy.k == 4
    assert "<html" in released.report()
    counted = released.groupBy(*QUASI_IDENTIFIERS).count().agg({"count": "min"}).collect()[0][0]
    assert counted == released.verification.min_class >= 4
    old = pl.read_parquet(register)
    assert released.columns == [name for name in old.columns if name not in ("person_id", "name")]
    new = pl.DataFrame(rows, schema=released.columns, orient="row", infer_schema_length=None)
    for name in ("income", "diagnosis", "visits"):
        assert sorted(new[name].to_list(), key=repr) == sorted(old[name].to_list(), key=repr)
    # what is left is the release, for its owner only
    (left,) = made.scratch.iterdir()
    assert left.stat().st_mode & 0o077 == 0
    assert [path.name for path in left.iterdir()] == ["released"]
    # it is a frame like any other
    assert released.where("age > 40").join(released.select("age").distinct(), "age").count() > 0
    assert "verified=True" in repr(released.release)


def test_a_release_of_spark_is_verified_by_spark(made: Made) -> None:
    proof = shoal.verify(made.released, k=4, quasi_identifiers=QUASI_IDENTIFIERS)
    assert proof.ok
    assert proof.classes == made.released.verification.classes
    assert proof.min_class == made.released.verification.min_class


def test_the_package_goes_to_workers_by_its_name(spark: Any) -> None:
    import cloudpickle

    assert cloudpickle.loads(cloudpickle.dumps(shoal)) is shoal


def test_a_folder_is_shuffled_if_asked_and_its_thread_takes_the_session_that_is_there(
    spark: Any, register: Path, tmp_path: Path
) -> None:
    """The treatment costs, which are released unchanged, show it."""
    from concurrent.futures import ThreadPoolExecutor

    place, more = tmp_path / "mixed", {**OPTIONS, "formulas": "neutralize", "shuffle": True}
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(shoal.anonymize_file, register, place, engine="spark", **more).result()
    assert made.verification.ok
    assert made.policy.shuffle is True
    shoal.anonymize_file(register, tmp_path / "here.parquet", **more)
    mixed, here = pl.read_parquet(place / "*.parquet"), pl.read_parquet(tmp_path / "here.parquet")
    assert sorted(mixed.rows(), key=repr) == sorted(here.rows(), key=repr)
    assert (mixed["treatment_cost"] == pl.read_parquet(register)["treatment_cost"]).sum() < 20
    assert spark.range(3).count() == 3
    with pytest.raises(EngineError, match="another master"):
        shoal.anonymize_file(register, tmp_path / "two", engine="spark", master="yarn", **OPTIONS)


HOSTILE = {
    "spark.sql.parser.quotedRegexColumnNames": "true",
    "spark.sql.retainGroupColumns": "false",
    "spark.sql.sources.useV1SourceList": "",
    "spark.sql.caseSensitive": "true",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.session.timeZone": "America/New_York",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "0",
    "spark.sql.execution.arrow.useLargeVarTypes": "true",
    "spark.sql.files.ignoreCorruptFiles": "true",
    "spark.sql.files.maxPartitionBytes": "20000",
    "spark.sql.parquet.enableVectorizedReader": "false",
    "spark.sql.shuffle.partitions": "3",
}


def test_partitions_order_and_settings_change_nothing_where_a_policy_is_used_again(
    spark: Any, register: Path, made: Made, rows: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    from pyspark.sql import functions

    session = spark.newSession()
    session.read.parquet(str(register)).createOrReplaceTempView("people")
    query = "select *, make_timestamp(2020, 1, 1 + age % 28, 0, 0, 0) as moment from people"
    frame = session.sql(query).drop("moment").repartition(7).orderBy(functions.rand(seed=5)).coalesce(2)
    for name, value in HOSTILE.items():
        session.conf.set(name, value)
    (tmp_path / "policy.toml").write_text(made.released.policy.to_toml())
    released = shoal.replay(frame, policy=tmp_path / "policy.toml")
    assert {name: session.conf.get(name) for name in HOSTILE} == HOSTILE
    assert rows_of(released) == rows
    assert all(str(row[-1]).startswith("P") for row in rows)  # the column that looks like a pattern is itself


def test_spark_connect_gets_one_sentence(register: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost")
    with pytest.raises(EngineError, match="Connect"):
        shoal.anonymize_file(register, tmp_path / "out", engine="spark", **OPTIONS)


class Odd(NamedTuple):
    """A DataFrame and its release."""

    frame: Any
    released: Any


@pytest.fixture(scope="module")
def odd(spark: Any) -> Odd:
    """A DataFrame with other values at each evaluation, and with columns that Spark cannot sort.

    Nine of ten records have the same value, and are more than one piece takes. Who has a higher one earns less.
    """
    from pyspark.sql import functions

    data = [(f"secret {i}", {"a": i}, [i], (i, str(i))) for i in range(500)]
    frame = spark.createDataFrame(data, "name string, m map<string,int>, l array<int>, s struct<p:int,q:string>")
    x = functions.greatest(functions.rand() * 500, functions.lit(450)).cast("int")
    frame = frame.select(x.alias("x"), "*").selectExpr("x", "1000 - x as income", "* except (x)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory_budget.MemoryBudget, "part_rows", lambda *_, **__: 300)
        released = shoal.anonymize(
            frame, k=5, quasi_identifiers=["x"], identifiers=["name"], keep=["m", "l", "s"], method="mondrian"
        )
    return Odd(frame, released)


def test_a_frame_that_answers_otherwise_each_time_is_asked_once(odd: Odd) -> None:
    assert odd.released.count() == 500
    assert rows_of(odd.released) == rows_of(odd.released)
    sizes = [row["count"] for row in odd.released.groupBy("x").count().collect()]
    assert min(sizes) >= 5
    assert sum(sizes) == 500


def test_the_order_of_a_release_tells_nothing_of_the_original(odd: Odd) -> None:
    """In the order of the original, incomes would decrease within equal values."""
    shown = [row[:2] for row in rows_of(odd.released)]
    assert shown == sorted(shown)
    assert len({x for x, _ in shown}) < len(set(shown))


def test_what_spark_cannot_sort_or_survey_goes_through_untouched(odd: Odd) -> None:
    assert odd.released.schema["m"].dataType == odd.frame.schema["m"].dataType
    found = [(row["m"]["a"], row["l"], tuple(row["s"])) for row in odd.released.collect()]
    assert sorted(found) == [(i, [i], (i, str(i))) for i in range(500)]
    with pytest.raises(DataError, match="Column 'm'"):
        shoal.anonymize(odd.frame, k=5, quasi_identifiers=["m"], drop_others=True, method="mondrian")


def test_the_session_is_as_it_was(spark: Any, made: Made) -> None:
    assert spark.conf.get("spark.sql.parquet.outputTimestampType") == "INT96"
    assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") is None


def test_progress_goes_up_to_all_records(made: Made) -> None:
    shares = [done / total for done, total in made.progress]
    assert shares == sorted(shares)
    assert made.progress[-1] == (ROWS, ROWS)


@pytest.mark.parametrize(
    ("query", "more", "error", "message"),
    [
        ("select 1 as Age, 2 as age", {}, ColumnError, "'Age', 'age'"),
        ("select age, age from r", {}, ColumnError, "age"),
        ("select * from r where age > 1000", {}, DataError, "no record"),
        ("select * from r", {"k": 9000}, OptionError, "9,000"),
        ("select * from r", {"k": 1}, OptionError, "k = 1"),
        ("select * from r", {"quasi_identifiers": ["nobody"]}, ColumnError, "nobody"),
        ("select * from r", {"missing_values": "wildcard"}, OptionError, "wildcards"),
        ("select * from r", {"linkage": "ward"}, OptionError, "linkage"),
    ],
)
def test_bad_frames_get_one_sentence_and_leave_nothing(
    frame: Any, tmp_path: Path, query: str, more: dict[str, Any], error: type[Exception], message: str
) -> None:
    frame.createOrReplaceTempView("r")
    with pytest.raises(error, match=message) as caught:
        shoal.anonymize(frame.sparkSession.sql(query), scratch=str(tmp_path), **{**OPTIONS, **more})
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_no_cell_is_told_when_something_fails(spark: Any, capfd: pytest.CaptureFixture[str]) -> None:
    frame = spark.createDataFrame([(f"top-secret-{i}" if i == 77 else str(i),) for i in range(200)], "x string")
    with pytest.raises(ShoalError, match="Column 'x'") as caught:
        shoal.anonymize(frame, k=5, quasi_identifiers=["x"], kinds={"x": "numeric"}, method="mondrian")
    printed, logged = capfd.readouterr(), Path(str(log_path())).read_text()
    assert "ERROR" in logged
    assert "top-secret" not in f"{caught.value}{printed.out}{printed.err}{logged}"


def test_only_one_machine_needs_no_scratch_folder(frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame.sparkSession.sparkContext, "master", "yarn")
    with pytest.raises(EngineError, match="scratch"):
        shoal.anonymize(frame, **OPTIONS)


def test_without_the_extra_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.engines.spark.session.find_spec", lambda name: None if name == "pyspark" else object())
    with pytest.raises(PackageError, match=r"pip install 'shoal\[spark\]'"):
        check_installed()


@pytest.fixture
def compiled(spark: Any) -> Iterator[None]:
    """Compile queries, as Spark does by default; this pays off for many records."""
    settings = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
    for name, value in settings.items():
        spark.conf.set(name, value)
    yield
    for name in settings:
        spark.conf.set(name, spark_settings.FEW_RECORDS[name])


def test_a_driver_takes_no_more_for_more_records(spark: Any, compiled: None, tmp_path: Path) -> None:
    """Results of more than 24 MB are refused by the session; this table is larger and cannot be compressed."""
    import numpy as np

    rows = 101_000  # so many that the survey cannot keep all notes
    chance = np.random.default_rng(1)
    pl.DataFrame(
        {
            "x": chance.normal(size=rows),
            "y": chance.normal(size=rows),
            "note": [chance.bytes(240).hex() for _ in range(rows)],
        }
    ).write_parquet(tmp_path / "in.parquet", compression="uncompressed")
    assert (tmp_path / "in.parquet").stat().st_size > 2 * 24 * 2**20
    memory_budget.MemoryBudget.part_rows = lambda *_, **__: 20_000  # type: ignore[method-assign]  # undone by the fixture
    made = shoal.anonymize_file(
        tmp_path / "in.parquet",
        tmp_path / "out",
        engine="spark",
        k=10,
        quasi_identifiers=["x", "y"],
        keep=["note"],
        method="mondrian",
    )
    assert made.verification.ok
    assert made.verification.records == rows
