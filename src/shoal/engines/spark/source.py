"""A table in Parquet files whose records are numbered: by the names of the files, and their order in each.

So a record has the same number however Spark cuts the files into tasks, and after any retry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shoal.engines.spark.jobs import run
from shoal.engines.spark.looks import ROW
from shoal.engines.spark.storage import Stamp, Storage
from shoal.errors import ColumnError, DataError, EngineError, FileError
from shoal.values import Progress, silent

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_FILE, _FIRST, _INDEX = "file", "first", "index"
_WHOLE = {"mergeSchema": "true", "ignoreCorruptFiles": "false", "ignoreMissingFiles": "false"}
"""No column and no record is left out in silence, whatever the session says."""


@dataclass(frozen=True, eq=False)
class Source:
    """Parquet files as one table."""

    session: SparkSession
    address: str
    frame: DataFrame
    files: Mapping[str, tuple[int, Stamp]]
    """The number of the first record of each file, in their order, and what the file is known by."""
    records: int

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.frame.columns)

    @cached_property
    def keys(self) -> Mapping[str, str]:
        """The key of each column: names of columns are anything, and may clash with ours."""
        return {name: f"c{place}" for place, name in enumerate(self.names)}

    def named(self, names: Sequence[str]) -> dict[str, str]:
        """The names of these columns by their keys."""
        return {self.keys[name]: name for name in self.names if name in names}

    def numbered(self, names: Sequence[str]) -> DataFrame:
        """These columns under their keys, and the numbers of the records."""
        from pyspark.sql import functions as F  # noqa: N812

        about = self.frame.metadataColumn("_metadata")
        columns = [column(self.frame, name).alias(key) for key, name in self.named(names).items()]
        if len(self.files) == 1:
            return self.frame.select(about.getField("row_index").alias(ROW), *columns)
        rows = self.frame.select(
            about.getField("file_path").alias(_FILE), about.getField("row_index").alias(_INDEX), *columns
        )
        firsts = self.session.createDataFrame(
            [(path, first) for path, (first, _) in self.files.items()], f"{_FILE} string, {_FIRST} long"
        )
        joined = rows.join(F.broadcast(firsts), _FILE)
        return joined.select((F.col(_FIRST) + F.col(_INDEX)).alias(ROW), *self.named(names))

    def check(self) -> None:
        """Refuse to go on where a file is not the one that was numbered."""
        storage = Storage(self.session)
        for path, (_, stamp) in self.files.items():
            if storage.stamp(path) != stamp:
                raise FileError.changed(self.address)


def open_source(session: SparkSession, address: str, *, progress: Progress = silent) -> Source:
    """The table that these files are, its records counted and numbered."""
    from py4j.protocol import Py4JError
    from pyspark.errors import AnalysisException, PySparkException
    from pyspark.sql import functions as F  # noqa: N812

    try:
        frame = session.read.options(**_WHOLE).parquet(address)
    except AnalysisException as error:
        if "PATH_NOT_FOUND" in str(error.getCondition()):
            raise FileError.missing(address) from None
        raise EngineError.not_parquet(address) from None
    except (PySparkException, Py4JError):
        raise EngineError.not_parquet(address) from None
    check_names(frame)
    about = frame.metadataColumn("_metadata")
    counts = (
        frame.select(about.getField("file_path").alias(_FILE), about.getField("row_index").alias(_INDEX))
        .groupBy(_FILE)
        .agg(F.count("*").alias("count"), F.max(_INDEX).alias("last"))
    )
    found = sorted(run(session, "number the records", counts.collect, progress=progress))
    files, first, storage = dict[str, tuple[int, Stamp]](), 0, Storage(session)
    for path, count, last in found:
        if count != last + 1:
            raise FileError.changed(address)
        files[path] = (first, storage.stamp(path))
        first += count
    if not first:
        raise DataError.no_records()
    return Source(session, address, frame, files, first)


def snapshot(session: SparkSession, frame: DataFrame, folder: str, *, progress: Progress = silent) -> Source:
    """A frame as it is now, in files whose order depends on what it holds, and not on how it was cut into partitions.

    A frame is a question to be asked again, and may be answered otherwise: a release is made from one answer.
    """
    check_names(frame)
    order = [sortable(frame, name) for name in frame.columns]
    written = frame.orderBy(*order).write.mode("errorifexists").option("compression", "lz4_raw")
    run(session, "keep the table as it is", lambda: written.parquet(folder), progress=progress)
    return open_source(session, folder)


def check_names(frame: DataFrame) -> None:
    """Refuse columns that Spark, or a reader, cannot tell apart."""
    if not frame.columns:
        raise DataError.no_columns()
    twice = sorted(name for name, times in Counter(frame.columns).items() if times > 1)
    if not twice:
        folded = Counter(name.casefold() for name in frame.columns)
        twice = sorted(name for name in frame.columns if folded[name.casefold()] > 1)
    if twice:
        raise ColumnError.duplicate_names(twice)


def column(frame: DataFrame, name: str) -> Column:
    """A column by its name, whatever that is."""
    return frame["`" + name.replace("`", "``") + "`"]


def sortable(frame: DataFrame, name: str) -> Column:
    """Something to sort by: a column, or where Spark knows no order of its values, their text."""
    from pyspark.sql import functions as F  # noqa: N812

    kind: Any = frame.schema[name].dataType
    plain = "map<" not in kind.simpleString() and "variant" not in kind.simpleString()
    return column(frame, name) if plain else F.to_json(F.struct(column(frame, name)))
