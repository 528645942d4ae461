"""Parquet files as a table with row numbers: by file name, then by the order in each file.

The row number of a record does not depend on the tasks or on retries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from shoal.engines.spark.run_jobs import run_job
from shoal.engines.spark.statistics_tasks import ROW
from shoal.engines.spark.storage import FileStamp, HadoopStorage
from shoal.errors import ColumnError, DataError, EngineError, FileError, OutputError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

_FILE, _FIRST, _INDEX = "file", "first", "index"
_STRICT = {"mergeSchema": "true", "ignoreCorruptFiles": "false", "ignoreMissingFiles": "false"}
"""Raise on corrupt or missing files and merge schemas, whatever the session is set to."""
_GLOB_OPTION = "__globPaths__"
"""Whether * and [ in an address are globs; Spark has no public option for it."""


@dataclass(frozen=True, eq=False)
class SparkSource:
    """Parquet files as one table."""

    session: SparkSession
    address: str
    frame: DataFrame

    @cached_property
    def files(self) -> Mapping[str, tuple[int, FileStamp]]:
        """First row number and stamp of each file, in order."""
        return self._numbering[0]

    @property
    def records(self) -> int:
        """Number of records."""
        return self._numbering[1]

    @cached_property
    def _numbering(self) -> tuple[dict[str, tuple[int, FileStamp]], int]:
        """Counted on first use; the stamps are taken at the same time."""
        from pyspark.sql import functions as F  # noqa: N812

        storage, about = HadoopStorage(self.session), self.frame.metadataColumn("_metadata")
        counts = (
            self.frame.select(about.getField("file_path").alias(_FILE), about.getField("row_index").alias(_INDEX))
            .groupBy(_FILE)
            .agg(F.count("*").alias("count"), F.max(_INDEX).alias("last"))
        )
        files, first = dict[str, tuple[int, FileStamp]](), 0
        for path, count, last in sorted(run_job(self.session, "number the records", counts.collect)):
            if count != last + 1:
                raise FileError.changed(self.address)
            files[path] = (first, storage.stamp(path))
            first += count
        if not first:
            raise DataError.no_records()
        return files, first

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.frame.columns)

    @cached_property
    def keys(self) -> Mapping[str, str]:
        """Key of each column: column names are arbitrary and may clash with internal names."""
        return {name: f"c{place}" for place, name in enumerate(self.names)}

    def names_by_key(self, names: Sequence[str]) -> dict[str, str]:
        """Return the names of these columns by key."""
        return {self.keys[name]: name for name in self.names if name in names}

    def with_row_numbers(self, names: Sequence[str]) -> DataFrame:
        """Return these columns under their keys, with the row numbers."""
        from pyspark.sql import functions as F  # noqa: N812

        about = self.frame.metadataColumn("_metadata")
        # column metadata must not be released
        columns = [column(self.frame, name).alias(key, metadata={}) for key, name in self.names_by_key(names).items()]
        if len(self.files) == 1:
            return self.frame.select(about.getField("row_index").alias(ROW), *columns)
        rows = self.frame.select(
            about.getField("file_path").alias(_FILE), about.getField("row_index").alias(_INDEX), *columns
        )
        firsts = self.session.createDataFrame(
            [(path, first) for path, (first, _) in self.files.items()], f"{_FILE} string, {_FIRST} long"
        )
        joined = rows.join(F.broadcast(firsts), _FILE)
        return joined.select((F.col(_FIRST) + F.col(_INDEX)).alias(ROW), *self.names_by_key(names))

    def check_unchanged(self) -> None:
        """Raise if a file has changed."""
        storage = HadoopStorage(self.session)
        try:
            same = all(storage.stamp(path) == stamp for path, (_, stamp) in self.files.items())
        except OutputError:
            same = False
        if not same:
            raise FileError.changed(self.address)


def open_parquet(session: SparkSession, address: str, *, literal: bool = False) -> SparkSource:
    """Open Parquet files as a table. An address that is ``literal`` or exists is not a glob."""
    from py4j.protocol import Py4JError
    from pyspark.errors import AnalysisException, PySparkException

    storage = HadoopStorage(session)
    literal = literal or storage.exists(address)
    try:
        frame = session.read.options(**_STRICT, **({_GLOB_OPTION: "false"} if literal else {})).parquet(address)
    except AnalysisException as error:
        if "PATH_NOT_FOUND" in str(error.getCondition()):
            raise FileError.missing(address) from None
        raise EngineError.not_parquet(address) from None
    except (PySparkException, Py4JError):
        raise EngineError.not_parquet(address) from None
    check_names(frame)
    if literal and (below := storage.count_files(address) - len(frame.inputFiles())) > 0:
        raise EngineError.mixed_partitions(address, count=below)
    return SparkSource(session, address, frame)


def snapshot(session: SparkSession, frame: DataFrame, folder: str, *, in_order: bool = True) -> SparkSource:
    """Write a frame to files, ``in_order`` of its values, so that the order does not depend on its partitions.

    A frame may give different rows each time it is evaluated; a release needs one evaluation. Columns are selected by
    position: in the session of the user, names may be patterns.
    """
    check_names(frame)
    keyed = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
    if in_order:
        keyed = keyed.orderBy(*[sortable(keyed, key) for key in keyed.columns])
    named = keyed.toDF(*frame.columns)
    run_job(session, "keep the table as it is", lambda: named.write.mode("errorifexists").parquet(folder))
    return open_parquet(session, folder, literal=True)


def read_parquet(session: SparkSession, folder: str, schema: StructType | str | None = None) -> DataFrame:
    """Read the output of a stage; a given schema avoids reading the file footers."""
    reader = session.read.option(_GLOB_OPTION, "false")
    return (reader if schema is None else reader.schema(schema)).parquet(folder)


def check_names(frame: DataFrame) -> None:
    """Raise on column names that Spark or a reader cannot distinguish."""
    if not frame.columns:
        raise DataError.no_columns()
    duplicates = sorted(name for name, times in Counter(frame.columns).items() if times > 1)
    if not duplicates:
        folded = Counter(name.casefold() for name in frame.columns)
        duplicates = sorted(name for name in frame.columns if folded[name.casefold()] > 1)
    if duplicates:
        raise ColumnError.duplicate_names(duplicates)


def column(frame: DataFrame, name: str) -> Column:
    """Return a column by its literal name; a plain name is not quoted, since a quoted one may be a pattern."""
    if name.isascii() and name.isidentifier():
        return frame[name]
    return frame["`" + name.replace("`", "``") + "`"]


def byte_comparable(frame: DataFrame, name: str) -> Column:
    """Return a column whose texts are compared byte by byte, whatever its collation."""
    from pyspark.sql import functions as F  # noqa: N812

    values, kind = column(frame, name), frame.schema[name].dataType.simpleString()
    return F.collate(values, "UTF8_BINARY") if kind.startswith("string collate") else values


def sortable(frame: DataFrame, name: str) -> Column:
    """Return a sort key: the column, or its JSON text if Spark cannot sort its type."""
    from pyspark.sql import functions as F  # noqa: N812

    kind = frame.schema[name].dataType.simpleString()
    if "map<" in kind or "variant" in kind:
        return F.to_json(F.struct(column(frame, name)))
    return byte_comparable(frame, name)
