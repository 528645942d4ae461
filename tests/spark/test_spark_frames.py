"""A frame of Spark in, a frame of Spark out: the promise, the records, and nothing that depends on partitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.engines import sizing
from shoal.engines.spark.session import check_installed
from shoal.errors import ColumnError, DataError, EngineError, OptionError, PackageError, ShoalError

QUASI_IDENTIFIERS = ["age", "sex", "region", "height_cm"]
ASKED: dict[str, Any] = {
    "k": 4,
    "quasi_identifiers": QUASI_IDENTIFIERS,
    "identifiers": ["person_id", "name"],
    "method": "mondrian",
}


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizing.Sizing, "piece", lambda *_, **__: 300)


@pytest.fixture(scope="module")
def register(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("register") / "register.parquet"
    shoal.example_register(1500).write_parquet(path)
    return path


@pytest.fixture
def frame(spark: Any, register: Path) -> Any:
    return spark.read.parquet(str(register))


def rows_of(frame: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in frame.collect()]


def test_a_frame_comes_out_that_tells_of_itself(frame: Any, register: Path, tmp_path: Path) -> None:
    from pyspark.sql import DataFrame

    released = shoal.anonymize(frame, scratch=str(tmp_path), **ASKED)
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
    new = pl.DataFrame(rows_of(released), schema=released.columns, orient="row", infer_schema_length=None)
    for name in ("income", "diagnosis", "visits"):
        assert sorted(new[name].to_list(), key=repr) == sorted(old[name].to_list(), key=repr)
    # what is left is the release, for its owner only
    (left,) = tmp_path.iterdir()
    assert left.stat().st_mode & 0o077 == 0
    assert [path.name for path in left.iterdir()] == ["released"]
    # it is a frame like any other
    assert released.where("age > 40").join(released.select("age").distinct(), "age").count() > 0
    assert "verified=True" in repr(released.release)


def test_partitions_and_order_of_the_input_change_nothing(frame: Any) -> None:
    from pyspark.sql import functions

    found = [
        rows_of(shoal.anonymize(each, **ASKED))
        for each in (
            frame,
            frame.repartition(7),
            frame.orderBy(functions.rand(seed=5)).coalesce(2),
        )
    ]
    assert found[0] == found[1] == found[2]


def test_a_policy_makes_the_same_release_again(frame: Any, tmp_path: Path) -> None:
    released = shoal.anonymize(frame, **ASKED)
    (tmp_path / "policy.toml").write_text(released.policy.to_toml())
    again = shoal.replay(frame.repartition(5), policy=tmp_path / "policy.toml")
    assert rows_of(again) == rows_of(released)
    with pytest.raises(DataError, match="Spark"):
        shoal.verify(released, k=4, quasi_identifiers=QUASI_IDENTIFIERS)


def test_the_package_goes_to_workers_by_its_name(spark: Any) -> None:
    import cloudpickle

    assert cloudpickle.loads(cloudpickle.dumps(shoal)) is shoal


def test_the_order_of_a_release_tells_nothing_of_the_original(spark: Any) -> None:
    """Who is older earns less: in the order of the original, incomes would fall where ages are alike."""
    people = [(i % 90, 1000 - i % 90, f"secret {i}") for i in range(400)]
    released = shoal.anonymize(
        spark.createDataFrame(people, "age int, income int, name string"),
        k=40,
        quasi_identifiers=["age"],
        identifiers=["name"],
        method="mondrian",
    )
    shown = rows_of(released)
    assert shown == sorted(shown)
    assert len({age for age, _ in shown}) < 12


def test_a_folder_keeps_its_order_unless_it_is_shuffled(spark: Any, register: Path, tmp_path: Path) -> None:
    """By the costs of treatment, which are released as they are."""
    found = []
    for shuffle in (False, True):
        place = tmp_path / f"released-{shuffle}"
        made = shoal.anonymize_file(register, place, engine="spark", shuffle=shuffle, formulas="neutralize", **ASKED)
        assert made.policy.shuffle is shuffle
        found.append(rows_of(spark.read.parquet(str(place))))
    costs = pl.read_parquet(register)["treatment_cost"].to_list()
    kept, mixed = ([row[-1] for row in rows] for rows in found)
    assert kept == costs
    assert sum(one == other for one, other in zip(mixed, costs, strict=True)) < 20
    assert sorted(found[0], key=repr) == sorted(found[1], key=repr)


HOSTILE = {
    "spark.sql.parser.quotedRegexColumnNames": "true",
    "spark.sql.retainGroupColumns": "false",
    "spark.sql.sources.useV1SourceList": "",
    "spark.sql.caseSensitive": "true",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.session.timeZone": "America/New_York",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "0",
    "spark.sql.execution.arrow.useLargeVarTypes": "true",
    "spark.sql.files.ignoreCorruptFiles": "true",
    "spark.sql.files.maxPartitionBytes": "20000",
    "spark.sql.parquet.enableVectorizedReader": "false",
    "spark.sql.shuffle.partitions": "1",
}


def test_settings_of_a_session_change_nothing(spark: Any, register: Path) -> None:
    query = "select *, person_id as `(person_id)`, make_timestamp(2020, 1, 1 + age % 28, 0, 0, 0) as moment from people"
    found = []
    for settings in ({}, HOSTILE):
        session = spark.newSession()
        session.read.parquet(str(register)).createOrReplaceTempView("people")
        frame = session.sql(query).drop("moment")
        for name, value in settings.items():
            session.conf.set(name, value)
        released = shoal.anonymize(frame, **{**ASKED, "identifiers": ["person_id", "name"]})
        assert {name: session.conf.get(name) for name in settings} == settings
        found.append(rows_of(released))
    assert found[0] == found[1]
    assert all(str(row[-1]).startswith("P") for row in found[0])  # the column that looks like a pattern is itself


def test_a_session_of_another_thread_is_taken_and_not_stopped(spark: Any, register: Path, tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(shoal.anonymize_file, register, tmp_path / "out", engine="spark", **ASKED).result()
    assert made.verification.ok
    assert spark.range(3).count() == 3
    with pytest.raises(EngineError, match="another master"):
        shoal.anonymize_file(register, tmp_path / "two", engine="spark", master="yarn", **ASKED)


def test_spark_connect_gets_one_sentence(register: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost")
    with pytest.raises(EngineError, match="Connect"):
        shoal.anonymize_file(register, tmp_path / "out", engine="spark", **ASKED)


def test_a_frame_that_answers_otherwise_each_time_is_asked_once(spark: Any) -> None:
    from pyspark.sql import functions

    frame = spark.range(900).select("id", (functions.rand() * 50).cast("int").alias("x"))
    released = shoal.anonymize(frame, k=5, quasi_identifiers=["x"], identifiers=["id"], method="mondrian")
    assert released.count() == released.count() == 900
    assert rows_of(released) == rows_of(released)
    sizes = [row["count"] for row in released.groupBy("x").count().collect()]
    assert min(sizes) >= 5
    assert sum(sizes) == 900


def test_what_spark_cannot_sort_or_survey_goes_through_untouched(spark: Any) -> None:
    data = [(i % 20, {"a": i}, [i], (i, str(i))) for i in range(300)]
    frame = spark.createDataFrame(data, "x int, m map<string,int>, l array<int>, s struct<p:int,q:string>")
    released = shoal.anonymize(frame, k=5, quasi_identifiers=["x"], method="mondrian")
    assert released.schema["m"].dataType == frame.schema["m"].dataType
    assert sorted(row["m"]["a"] for row in released.collect()) == list(range(300))
    with pytest.raises(DataError, match="Column 'm'"):
        shoal.anonymize(frame, k=5, quasi_identifiers=["m"], method="mondrian")


def test_the_session_is_as_it_was(spark: Any, frame: Any) -> None:
    shoal.anonymize(frame, **ASKED)
    assert spark.conf.get("spark.sql.parquet.outputTimestampType") == "INT96"
    assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") is None


def test_progress_goes_up_to_all_records(frame: Any) -> None:
    told: list[tuple[int, int]] = []
    shoal.anonymize(frame, progress=lambda done, total: told.append((done, total)), **ASKED)
    shares = [done / total for done, total in told]
    assert shares == sorted(shares)
    assert told[-1] == (1500, 1500)


@pytest.mark.parametrize(
    ("query", "more", "error", "said"),
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
    frame: Any, tmp_path: Path, query: str, more: dict[str, Any], error: type[Exception], said: str
) -> None:
    frame.createOrReplaceTempView("r")
    with pytest.raises(error, match=said) as caught:
        shoal.anonymize(frame.sparkSession.sql(query), scratch=str(tmp_path), **{**ASKED, **more})
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_no_cell_is_told_when_something_fails(spark: Any, capfd: pytest.CaptureFixture[str]) -> None:
    frame = spark.createDataFrame([(f"top-secret-{i}" if i == 77 else str(i),) for i in range(200)], "x string")
    with pytest.raises(ShoalError, match="Column 'x'") as caught:
        shoal.anonymize(frame, k=5, quasi_identifiers=["x"], kinds={"x": "numeric"}, method="mondrian")
    told = capfd.readouterr()
    assert "top-secret" not in f"{caught.value}{told.out}{told.err}"


def test_only_one_machine_needs_no_scratch_folder(frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame.sparkSession.sparkContext, "master", "yarn")
    with pytest.raises(EngineError, match="scratch"):
        shoal.anonymize(frame, **ASKED)


def test_without_the_extra_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.engines.spark.session.find_spec", lambda name: None if name == "pyspark" else object())
    with pytest.raises(PackageError, match=r"pip install 'shoal\[spark\]'"):
        check_installed()


def test_a_driver_takes_no_more_for_more_records(spark: Any, tmp_path: Path) -> None:
    """Results of more than 24 MB are refused by the session; these tables are larger, and not compressible."""
    import numpy as np

    rows = 110_000
    chance = np.random.default_rng(1)
    pl.DataFrame(
        {
            "x": chance.normal(size=rows),
            "y": chance.normal(size=rows),
            **{f"note {i}": [chance.bytes(120).hex() for _ in range(rows)] for i in range(2)},
        }
    ).write_parquet(tmp_path / "in.parquet", compression="uncompressed")
    assert (tmp_path / "in.parquet").stat().st_size > 2 * 24 * 2**20
    sizing.Sizing.piece = lambda *_, **__: 20_000  # type: ignore[method-assign]  # undone by the fixture
    made = shoal.anonymize_file(
        tmp_path / "in.parquet", tmp_path / "out", engine="spark", k=10, quasi_identifiers=["x", "y"], method="mondrian"
    )
    assert made.verification.ok
    assert made.verification.records == rows
