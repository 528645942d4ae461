"""Spark engine: every step of an out-of-core release as Spark jobs."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import data
from shoal.data.chunked import Encoder, Occurrence, TableStatistics
from shoal.domain import IntMatrix, Progress, Verification
from shoal.engines.engine import PartTotals
from shoal.engines.part_summary import PartSummary, check_count, merge_summaries
from shoal.engines.parts import Slice, split_into_parts
from shoal.engines.plan import INTEGERS, ORIGINAL_TYPE, ROW, TEXTS, ReleasePlan
from shoal.engines.spark import table_profile
from shoal.engines.spark.parquet_source import SparkSource, open_parquet, read_parquet, sortable
from shoal.engines.spark.python_worker import SparkTask
from shoal.engines.spark.record_order import PartPositions, part_positions
from shoal.engines.spark.record_ranks import first_rows
from shoal.engines.spark.run_jobs import map_batches, run_job
from shoal.engines.spark.tasks import (
    ALL,
    CODE,
    COUNT,
    FACTS,
    LEAF,
    PART,
    POSITION,
    PartitionState,
    ProcessState,
    original_type_key,
    verify_signature,
)
from shoal.engines.spark.verify_parquet import verify_on_spark
from shoal.errors import PromiseError
from shoal.metrics.combine_parts import ClassSizeCounts, PartialSums
from shoal.metrics.partial_sums import KeyedCounts
from shoal.verification.verify import check_shape, check_verification

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

ROWS_PER_FILE = 1_000_000
"""Records per file of the release; the number of files does not depend on the cluster."""


class SparkEngine:
    """Runs a release of Parquet files, with a scratch folder that all machines can access."""

    def __init__(self, source: SparkSource, scratch: str, *, ordered: bool) -> None:
        """``ordered``: keep the order of the table; otherwise sort the release by its released values."""
        self.source, self.session, self.scratch, self.ordered = source, source.session, scratch, ordered
        self.formulas: Mapping[str, int] = {}  # a spreadsheet does not evaluate cells of Parquet
        self.broken_dependencies: Sequence[data.BrokenDependency] = ()
        self._key = secrets.token_bytes(32)
        self._places: PartPositions | None = None
        self._sums: list[PartialSums] = []
        self._texts: set[str] = set()
        self._rows: dict[tuple[int, int], int] = {}
        """Row number of the record at a rank in a large leaf."""

    def profile(self, *, progress: Progress) -> TableStatistics:
        """Compute the statistics of the table in one pass."""
        return table_profile.profile_source(self.source, f"{self.scratch}/survey", progress=progress)

    def out_of_bounds(
        self, statistics: TableStatistics, encoder: Encoder, name: str, *, bounds: tuple[float, float]
    ) -> Occurrence:
        """Locate the numbers of a column outside its bounds."""
        return table_profile.out_of_bounds(self.source, statistics, encoder, name, bounds=bounds)

    def partition(self, plan: ReleasePlan, *, progress: Progress) -> None:
        """Count the records of every leaf and assign leaves to parts."""
        chore = SparkTask("tasks.deal", self._partition_state(plan, None))
        leaf_counts = map_batches(self._group_columns(plan), chore, f"{LEAF} long, {CODE} long, {COUNT} long")
        counts = leaf_counts.groupBy(LEAF, CODE).agg({COUNT: "sum"})
        rows = run_job(self.session, "deal out", counts.collect, records=plan.records, progress=progress)
        leaves, tallies = np.zeros(plan.cuts.n_blocks, dtype=np.int64), plan.empty_value_counts()
        for leaf, code, count in rows:
            if code == ALL:
                leaves[leaf] = count
            elif tallies is not None:
                tallies[leaf, code] = count
        check_count(int(leaves.sum()), plan.records)
        self._places = self._assign_parts(plan, leaves.tolist(), tallies)

    def _group_columns(self, plan: ReleasePlan) -> DataFrame:
        """Return the columns that the groups depend on."""
        return self.source.with_row_numbers(plan.columns)

    def _partition_state(self, plan: ReleasePlan, where: PartPositions | None) -> PartitionState:
        return PartitionState(self.source.names_by_key(plan.columns), plan.for_workers(), where)

    def _assign_parts(self, plan: ReleasePlan, leaves: Sequence[int], tallies: IntMatrix | None) -> PartPositions:
        """Return the positions of all parts."""
        found = split_into_parts(plan, leaves, tallies, partial(self._counted, plan))
        return self._with_slice_starts(plan, part_positions(found, len(leaves)))

    def _counted(self, plan: ReleasePlan, slices: Sequence[Slice]) -> IntMatrix:
        """Count the sensitive values of each slice."""
        parts = self._with_slice_starts(plan, part_positions([[piece] for piece in slices], plan.cuts.n_blocks))
        chore = SparkTask("tasks.tallies", self._partition_state(plan, parts))
        counts = map_batches(self._group_columns(plan), chore, f"{POSITION} long, {CODE} long, {COUNT} long")
        value_counts = np.zeros(
            (len(slices), int(plan.template.constraints.value_offsets[-1]) if plan.template.constraints else 0),
            dtype=np.int64,
        )
        for place, code, count in run_job(
            self.session, "slice", counts.groupBy(POSITION, CODE).agg({COUNT: "sum"}).collect
        ):
            value_counts[place, code] = count
        return value_counts

    def _with_slice_starts(self, plan: ReleasePlan, where: PartPositions) -> PartPositions:
        """Add the row numbers at which slices of large leaves begin."""
        unknown = [
            (leaf, rank) for leaf, ranks in where.ranks.items() for rank in ranks if (leaf, rank) not in self._rows
        ]
        if unknown:
            self._rows |= first_rows(self._leaf_rows(plan, where), unknown, records=plan.records)
        starts = {
            leaf: np.array([self._rows[leaf, rank] for rank in ranks], dtype=np.int64)
            for leaf, ranks in where.ranks.items()
        }
        return replace(where, starts=starts)

    def _leaf_rows(self, plan: ReleasePlan, where: PartPositions) -> DataFrame:
        """Return the row numbers of the records of large leaves."""
        folder = f"{self.scratch}/rows-{len(self._rows)}"
        chore = SparkTask("tasks.rows_of_leaves", self._partition_state(plan, where))
        rows = map_batches(self._group_columns(plan), chore, f"{ROW} long, {LEAF} long")
        run_job(self.session, "slice", lambda: rows.write.parquet(folder))
        return read_parquet(self.session, folder, rows.schema)

    def process(self, plan: ReleasePlan, *, progress: Progress) -> PartTotals:
        """Shuffle the records of each part together and process them in a worker."""
        parts = self._places
        if parts is None:
            raise RuntimeError("records are dealt out first")
        dealing, records = self._partition_state(plan, parts), self._group_columns(plan)
        fields = [(field.name, field.dataType) for field in records.schema]
        placed = map_batches(
            records, SparkTask("tasks.place", dealing), _schema([*fields, (POSITION, "long"), (PART, "long")])
        )
        count = int(parts.part[-1]) + 1
        state = ProcessState(dealing.names, dealing.plan, [key for key, _ in self._output_columns(plan)], self._key)
        worked = map_batches(_by_number(placed, count, PART), SparkTask("tasks.work", state), self._output_schema(plan))
        write = partial(worked.write.parquet, self._output_folder)
        run_job(self.session, "work", write, records=plan.records, progress=progress)
        return self._check_results(plan, *self._read_results(plan), count)

    @property
    def _output_folder(self) -> str:
        return f"{self.scratch}/worked"

    def _read_output(self, plan: ReleasePlan) -> DataFrame:
        return read_parquet(self.session, self._output_folder, self._output_schema(plan))

    def _output_schema(self, plan: ReleasePlan) -> StructType:
        """Schema of the workers' output: row numbers, recoded columns and part summaries."""
        return _schema([(ROW, "long"), *self._output_columns(plan), (FACTS, "binary")])

    def _read_results(self, plan: ReleasePlan) -> tuple[tuple[int, ...], list[tuple[int, PartSummary, PartialSums]]]:
        """Read the output of the workers in one query.

        Return the count, sum and sum of squares of the row numbers, and the summary of each part.
        """
        from pyspark.sql import functions as F  # noqa: N812

        wide = f"cast({ROW} as decimal(38, 0))"
        sums = ["count(*)", f"sum({wide})", f"sum(cast({wide} * {ROW} as decimal(38, 0)))"]
        results = self._read_output(plan).groupBy(FACTS).agg(*map(F.expr, sums))
        records, found = (0, 0, 0), list[tuple[int, PartSummary, PartialSums]]()
        for facts, times, *more in run_job(self.session, "work", results.collect):
            if facts is None:
                records = (times, *map(int, more))
            else:
                found += [verify_signature(bytes(facts), self._key)] * times
        return records, sorted(found, key=lambda piece: piece[0])

    def _check_results(
        self,
        plan: ReleasePlan,
        records: tuple[int, ...],
        summaries: Sequence[tuple[int, PartSummary, PartialSums]],
        expected: int,
    ) -> PartTotals:
        check_count(sum(facts["records"] for _, facts, _ in summaries), plan.records)
        if [number for number, _, _ in summaries] != list(range(expected)):
            raise PromiseError.unexpected_content("pieces that are missing or that came twice")
        # a lost record together with a duplicated one changes the sum of squares
        n = plan.records
        if records != (n, n * (n - 1) // 2, (n - 1) * n * (2 * n - 1) // 6):
            raise PromiseError.unexpected_content("records that are missing or that occur twice")
        self._sums = [sums for _, _, sums in summaries]
        self._texts = {name for _, facts, _ in summaries for name in facts["texts"]}
        return merge_summaries([facts for _, facts, _ in summaries])

    def _output_columns(self, plan: ReleasePlan) -> list[tuple[str, Any]]:
        """Return the output columns of the workers with their types; text columns also in their original type."""
        columns: list[tuple[str, Any]] = []
        types = {field.name: field.dataType for field in self.source.frame.schema}
        for name in plan.encoder.names:
            key, old, form = self.source.keys[name], types[name], plan.output_form(name)
            if form == TEXTS:
                columns.append((key, "string"))
                if not _is_text(old):
                    columns.append((original_type_key(key), old))
            elif form == ORIGINAL_TYPE:
                columns.append((key, old))
            else:
                columns.append((key, "long" if form == INTEGERS else "double"))
        return columns

    def write(self, plan: ReleasePlan, destination: str, *, progress: Progress) -> Sequence[PartialSums]:
        """Write the release under its column names; the partial sums were computed with the parts."""
        from pyspark.sql import functions as F  # noqa: N812

        names = plan.policy.schema.released
        keys, count = [self.source.keys[name] for name in names], math.ceil(plan.records / ROWS_PER_FILE)
        rows = self._joined_release(plan)
        if self.ordered and not plan.policy.shuffle:
            numbered = rows.select(ROW, F.expr(f"{ROW} div {ROWS_PER_FILE}").alias(PART), *keys)
            in_order = _by_number(numbered, count, PART).sortWithinPartitions(ROW)
        else:
            # the order of the table may disclose original values: sort by released values
            by = [sortable(rows, key) for key in keys]
            in_order = rows.repartition(count, *by).sortWithinPartitions(*by)
        few = rows.where(F.expr(f"{ROW} % {plan.statistics.step} = 0")).sort(ROW).select(*keys).toDF(*names)
        sample = data.read_table(run_job(self.session, "sample", few.toArrow))
        self.broken_dependencies = data.broken_dependencies(plan.statistics.sample, sample, plan.policy.schema)
        write = partial(in_order.select(*keys).toDF(*names).write.mode("errorifexists").parquet, destination)
        run_job(self.session, "deliver", write, records=plan.records, progress=progress)
        return self._sums

    def _joined_release(self, plan: ReleasePlan) -> DataFrame:
        """Join the recoded columns with the unchanged released columns, which never pass through a worker."""
        from pyspark.sql import functions as F  # noqa: N812

        output, columns = dict(self._output_columns(plan)), []
        for name in plan.encoder.names:
            key = self.source.keys[name]
            columns.append(
                F.col(
                    original_type_key(key) if original_type_key(key) in output and name not in self._texts else key
                ).alias(key)
            )
        worked = self._read_output(plan).where(f"{FACTS} is null").select(ROW, *columns)
        others = [name for name in plan.policy.schema.released if name not in plan.encoder.names]
        # sort-merge join: a broadcast join would collect one side on the driver
        return self.source.with_row_numbers(others).join(worked.hint("merge"), ROW) if others else worked

    def verify(
        self, plan: ReleasePlan, destination: str, *, progress: Progress
    ) -> tuple[Verification, ClassSizeCounts]:
        """Read the written release back and let Spark count its classes."""
        written = open_parquet(self.session, destination, literal=True)
        folder = f"{self.scratch}/verified"
        proof, sizes = verify_on_spark(written, plan.policy, folder, records=plan.records, progress=progress)
        check_shape(written.names, proof.records, policy=plan.policy, records=plan.records)
        check_verification(proof)
        self.source.check_unchanged()
        return proof, ClassSizeCounts(KeyedCounts(np.array([*sizes]), np.array([*sizes.values()])))


def _schema(fields: Sequence[tuple[str, Any]]) -> StructType:
    from pyspark.sql.types import StructType

    schema = StructType()
    for name, kind in fields:
        schema = schema.add(name, kind, nullable=True)
    return schema


def _is_text(kind: Any) -> bool:
    return str(kind.typeName()) in ("string", "char", "varchar")


def _by_number(frame: DataFrame, count: int, name: str) -> DataFrame:
    """Repartition so that each number has its own partition; Spark before 4.1 may put several into one, sorted."""
    direct = getattr(frame, "repartitionById", None)
    if direct is None:
        return frame.repartitionByRange(count, name).sortWithinPartitions(name)
    from pyspark.sql import functions as F  # noqa: N812

    frames: DataFrame = direct(count, F.col(name).cast("int"))
    return frames
