"""Generate a register of any size as a folder of Parquet files on Spark workers.

python examples/spark/register.py ROWS FOLDER [PERSONS_PER_FILE]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator
from functools import partial

import polars as pl
import pyarrow as pa
from pyspark.sql import SparkSession

from shoal import example_register


def register(rows: int, number: int, persons: int) -> pl.DataFrame:
    """Return the persons of one file. Its number is the seed; identifiers continue those of the previous file."""
    first = number * persons
    made = example_register(min(persons, rows - first), seed=number)
    identifier = pl.col("person_id").str.slice(1).cast(pl.Int64) + first
    return made.with_columns(person_id=pl.format("P{}", identifier.cast(pl.String).str.zfill(10)))


def files(batches: Iterable[pa.RecordBatch], *, rows: int, persons: int) -> Iterator[pa.RecordBatch]:
    """Generate the files with these numbers on a Spark worker."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from register(rows, number, persons).to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches()


def main(rows: int, folder: str, persons: int) -> None:
    spark = SparkSession.builder.appName("example register").getOrCreate()
    count = math.ceil(rows / persons)
    schema = spark.createDataFrame(register(rows, 0, 1).to_arrow()).schema
    numbers = spark.range(count, numPartitions=count)
    numbers.mapInArrow(partial(files, rows=rows, persons=persons), schema).write.parquet(folder)
    made = spark.read.parquet(folder)
    ids = made.select("person_id").distinct().count()
    print(f"{made.count():,} persons with {ids:,} identifiers in {count:,} files: {folder}")
    spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 250_000)
