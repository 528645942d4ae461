"""Verification of tables that are not held in memory: files in pieces, and Spark frames."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.data import ReadOptions
from shoal.data.chunked import ChunkedFile, TableStatistics, open_chunked, profile_file
from shoal.domain import Kind, Names, PrivacyModel, Role, Schema, Verification, select_names
from shoal.engines.memory_budget import MemoryBudget, check_memory, memory_budget
from shoal.errors import ColumnError, OptionError
from shoal.release.column_options import Hierarchies, Levels, resolve_schema
from shoal.system.memory import limit_allocator_cache
from shoal.system.scratch import temporary_folder
from shoal.verification.verify import minimal_schema, verify_chunks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from shoal.engines.spark.parquet_source import SparkSource

_COLUMNS = 32
"""Columns for which chunks are sized: verification reads few."""
COUNT_FRACTION = 5
"""Class counts may take so much more memory than in a release, which encodes and writes records at the same time."""


@dataclass(frozen=True, kw_only=True)
class CountingOptions:
    """What is counted in a table."""

    k: int
    quasi_identifiers: Names
    models: tuple[PrivacyModel, ...] = ()
    hierarchies: Hierarchies = None
    levels: Levels = None
    missing: str = "category"
    strata: Names = ()
    households: str = ""

    def select(self, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the quasi-identifiers and the strata of a table with these columns."""
        quasi_identifiers = select_names(self.quasi_identifiers, names, Role.QUASI_IDENTIFIER)
        return quasi_identifiers, select_names(self.strata, names, Role.INSENSITIVE)

    @property
    def with_models(self) -> list[str]:
        """Columns that have a privacy model."""
        return list(dict.fromkeys(model.column for model in self.models))

    def schema(self, names: Sequence[str], statistics: TableStatistics | None) -> Schema:
        """Return the roles, kinds and hierarchies of the columns, from the statistics of those with models."""
        if statistics is None:
            return Schema(())
        kinds = dict(statistics.kinds())
        columns = [(name, kinds.get(name, Kind.NOMINAL)) for name in names]
        schema = minimal_schema(columns, self.quasi_identifiers, self.models)
        sample = statistics.sample
        return resolve_schema(sample, schema, hierarchies=self.hierarchies, levels=self.levels, allow_mixed=True)


def verify_file(
    path: str | os.PathLike[str], counting: CountingOptions, *, memory: int | str, options: ReadOptions | None = None
) -> Verification:
    """Count the classes of a file of any size within a memory limit."""
    source, budget = open_in_pieces(path, memory=memory, options=options)
    quasi_identifiers, strata = counting.select(source.names)
    columns = [*counting.with_models, *strata, *([counting.households] if counting.households else [])]
    statistics = profile_file(source, columns=columns) if columns else None
    with temporary_folder() as folder:
        return verify_chunks(
            source,
            k=counting.k,
            quasi_identifiers=quasi_identifiers,
            models=counting.models,
            schema=counting.schema(source.names, statistics) if counting.models else Schema(()),
            folder=folder,
            max_bytes=COUNT_FRACTION * budget.class_count_bytes,
            missing=counting.missing,
            strata=strata,
            households=counting.households,
            statistics=statistics,
        )[0]


def open_in_pieces(
    path: Any, *, memory: int | str, options: ReadOptions | None = None
) -> tuple[ChunkedFile, MemoryBudget]:
    """Open a file to be read in chunks that a memory limit allows."""
    if not isinstance(path, str | os.PathLike):
        raise OptionError.memory_needs_file()
    budget = memory_budget(check_memory(memory), columns=_COLUMNS)
    limit_allocator_cache()
    return open_chunked(path, options=options, rows=budget.chunk_rows, size=budget.chunk_bytes), budget


def verify_frame(frame: DataFrame, counting: CountingOptions, *, scratch_address: str | None = None) -> Verification:
    """Count the classes of a Spark frame on the cluster. The records are never collected."""
    from shoal.engines.spark.table_profile import profile_source
    from shoal.engines.spark.verify_parquet import verify_on_spark

    if counting.missing == "wildcard" and not (counting.strata or counting.households):
        raise OptionError.wildcards_need_memory()
    quasi_identifiers, strata = counting.select(frame.columns)
    columns = [*quasi_identifiers, *strata, *counting.with_models]
    columns += [counting.households] if counting.households else []
    with stored_frame(frame, columns, scratch_address) as (source, folder):
        statistics = None
        if counting.models:
            statistics = profile_source(source, f"{folder}/statistics", names=counting.with_models)
        return verify_on_spark(
            source,
            f"{folder}/statistics",
            k=counting.k,
            quasi_identifiers=quasi_identifiers,
            schema=counting.schema(frame.columns, statistics),
            models=counting.models,
            strata=strata,
            households=counting.households,
            records=source.records,
            statistics=statistics,
        ).proof


@contextmanager
def stored_frame(
    frame: DataFrame, columns: Sequence[str], scratch_address: str | None
) -> Iterator[tuple[SparkSource, str]]:
    """Write these columns of a frame to a scratch folder: a frame may give other rows each time it is evaluated."""
    from shoal.engines.spark.parquet_source import check_names, snapshot
    from shoal.engines.spark.run_jobs import translate_spark_errors
    from shoal.engines.spark.session import own_session, session_of
    from shoal.engines.spark.storage import HadoopStorage, default_scratch

    session = session_of(frame)
    check_names(frame)
    for name in columns:
        if name not in frame.columns:
            raise ColumnError.unknown(name, frame.columns)
    with (
        translate_spark_errors(),
        HadoopStorage(session).scratch_folder(default_scratch(session, scratch_address)) as folder,
    ):
        # by position: in the session of the user, names may be patterns
        places = [place for place, name in enumerate(frame.columns) if name in columns]
        keyed = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
        selected = keyed.select(*(f"c{place}" for place in places)).toDF(*(frame.columns[place] for place in places))
        yield snapshot(own_session(session), selected, f"{folder}/table", in_order=False), folder
