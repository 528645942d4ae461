"""A made-up register of any size as a folder of Parquet files, made on the workers of Spark.

python examples/spark/register.py ROWS FOLDER [PERSONS OF A FILE]
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
    """The persons of one file. Its number is the seed, and its identifiers go on where the file before ends."""
    first = number * persons
    made = example_register(min(persons, rows - first), seed=number)
    identifier = pl.col("person_id").str.slice(1).cast(pl.Int64) + first
    return made.with_columns(person_id=pl.format("P{}", identifier.cast(pl.String).str.zfill(10)))


def files(given: Iterable[pa.RecordBatch], *, rows: int, persons: int) -> Iterator[pa.RecordBatch]:
    """What a worker of Spark makes of the numbers of files that it gets."""
    for batch in given:
        for number in batch.column(0).to_pylist():
            yield from register(rows, number, persons).to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches()


def main(rows: int, folder: str, persons: int) -> None:
    spark = SparkSession.builder.appName("a made-up register").getOrCreate()
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
