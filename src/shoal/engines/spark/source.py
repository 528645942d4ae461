"""A table in Parquet files whose records are numbered: by the names of the files, and their order in each.

So a record has the same number however Spark cuts the files into tasks, and after any retry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from shoal.engines.spark.jobs import run
from shoal.engines.spark.looks import ROW
from shoal.engines.spark.storage import Stamp, Storage
from shoal.errors import ColumnError, DataError, EngineError, FileError, OutputError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

_FILE, _FIRST, _INDEX = "file", "first", "index"
_WHOLE = {"mergeSchema": "true", "ignoreCorruptFiles": "false", "ignoreMissingFiles": "false"}
"""No column and no record is left out in silence, whatever the session says."""
_PATTERNS = "__globPaths__"
"""Whether signs such as * and [ in an address are patterns; Spark has no other name for it."""


@dataclass(frozen=True, eq=False)
class Source:
    """Parquet files as one table."""

    session: SparkSession
    address: str
    frame: DataFrame

    @cached_property
    def files(self) -> Mapping[str, tuple[int, Stamp]]:
        """The number of the first record of each file, in their order, and what the file is known by."""
        return self._numbering[0]

    @property
    def records(self) -> int:
        """How many there are."""
        return self._numbering[1]

    @cached_property
    def _numbering(self) -> tuple[dict[str, tuple[int, Stamp]], int]:
        """Counted when it is first asked for; the files are known by what they are then."""
        from pyspark.sql import functions as F  # noqa: N812

        storage, about = Storage(self.session), self.frame.metadataColumn("_metadata")
        counts = (
            self.frame.select(about.getField("file_path").alias(_FILE), about.getField("row_index").alias(_INDEX))
            .groupBy(_FILE)
            .agg(F.count("*").alias("count"), F.max(_INDEX).alias("last"))
        )
        files, first = dict[str, tuple[int, Stamp]](), 0
        for path, count, last in sorted(run(self.session, "number the records", counts.collect)):
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
        """The key of each column: names of columns are anything, and may clash with ours."""
        return {name: f"c{place}" for place, name in enumerate(self.names)}

    def named(self, names: Sequence[str]) -> dict[str, str]:
        """The names of these columns by their keys."""
        return {self.keys[name]: name for name in self.names if name in names}

    def numbered(self, names: Sequence[str]) -> DataFrame:
        """These columns under their keys, and the numbers of the records."""
        from pyspark.sql import functions as F  # noqa: N812

        about = self.frame.metadataColumn("_metadata")
        # what a column says about itself beside its cells stays here
        columns = [column(self.frame, name).alias(key, metadata={}) for key, name in self.named(names).items()]
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
        try:
            same = all(storage.stamp(path) == stamp for path, (_, stamp) in self.files.items())
        except OutputError:
            same = False
        if not same:
            raise FileError.changed(self.address)


def open_source(session: SparkSession, address: str, *, literal: bool = False) -> Source:
    """The table that these files are.

    An address that is ``literal``, or that is there, is no pattern.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import AnalysisException, PySparkException

    storage = Storage(session)
    literal = literal or storage.is_there(address)
    try:
        frame = session.read.options(**_WHOLE, **({_PATTERNS: "false"} if literal else {})).parquet(address)
    except AnalysisException as error:
        if "PATH_NOT_FOUND" in str(error.getCondition()):
            raise FileError.missing(address) from None
        raise EngineError.not_parquet(address) from None
    except (PySparkException, Py4JError):
        raise EngineError.not_parquet(address) from None
    check_names(frame)
    if literal and (below := storage.count_files(address) - len(frame.inputFiles())) > 0:
        raise EngineError.files_left_out(address, below)
    return Source(session, address, frame)


def snapshot(session: SparkSession, frame: DataFrame, folder: str) -> Source:
    """A frame as it is now, in files whose order depends on what it holds, and not on how it was cut into partitions.

    A frame is a question to be asked again, and may be answered otherwise: a release is made from one answer. Columns
    are taken by their places: in the session of the frame, names may be patterns.
    """
    check_names(frame)
    keyed = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
    in_order = keyed.orderBy(*[sortable(keyed, key) for key in keyed.columns]).toDF(*frame.columns)
    run(session, "keep the table as it is", lambda: in_order.write.mode("errorifexists").parquet(folder))
    return open_source(session, folder, literal=True)


def read(session: SparkSession, folder: str, schema: StructType | str | None = None) -> DataFrame:
    """What a stage has written; who knows its columns spares a look at the files."""
    reader = session.read.option(_PATTERNS, "false")
    return (reader if schema is None else reader.schema(schema)).parquet(folder)


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
    """A column by its name, whatever that is; a plain one needs no marks, which could make it a pattern."""
    if name.isascii() and name.isidentifier():
        return frame[name]
    return frame["`" + name.replace("`", "``") + "`"]


def exact(frame: DataFrame, name: str) -> Column:
    """A column whose texts are equal if all of their letters are, whatever the column takes for equal."""
    from pyspark.sql import functions as F  # noqa: N812

    found, kind = column(frame, name), frame.schema[name].dataType.simpleString()
    return F.collate(found, "UTF8_BINARY") if kind.startswith("string collate") else found


def sortable(frame: DataFrame, name: str) -> Column:
    """Something to sort by: a column, or where Spark knows no order of its values, their text."""
    from pyspark.sql import functions as F  # noqa: N812

    kind = frame.schema[name].dataType.simpleString()
    if "map<" in kind or "variant" in kind:
        return F.to_json(F.struct(column(frame, name)))
    return exact(frame, name)
