"""Spark engine: every step of an out-of-core release as Spark jobs."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import data
from shoal.data.chunked import TableStatistics
from shoal.domain import Evaluation, IntMatrix, Policy, Progress, Verification
from shoal.engines.engine import Engine, WrittenTable
from shoal.engines.household_leaves import HouseholdTotals
from shoal.engines.memory_budget import MemoryBudget
from shoal.engines.part_totals import (
    PARTS_STAGES,
    PartSummary,
    PartTotals,
    ReleaseSums,
    check_count,
    counted_facts,
    merge_summaries,
)
from shoal.engines.parts import PartPositions, Slice, part_positions, split_into_parts
from shoal.engines.parts_plan import INTEGERS, ORIGINAL_TYPE, ROW, TEXTS, PartsPlan
from shoal.engines.spark import table_profile, tasks
from shoal.engines.spark.parquet_source import SparkSource, open_parquet, read_parquet, sortable
from shoal.engines.spark.python_worker import SparkTask
from shoal.engines.spark.run_jobs import map_batches, run_job
from shoal.engines.spark.tasks import (
    ALL,
    CODE,
    COUNT,
    FACTS,
    HOUSEHOLD,
    LEAF,
    PART,
    POSITION,
    WEIGHT,
    PartitionState,
    ProcessState,
    RiskState,
    original_type_key,
    verify_signature,
)
from shoal.engines.spark.verify_parquet import verify_on_spark
from shoal.errors import PromiseError
from shoal.metrics.evaluate import ClassSizeCounts, PartialSums, merge_sums
from shoal.verification.verify import check_shape, check_verification

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

ROWS_PER_FILE = 1_000_000
"""Records per file of the release; the number of files does not depend on the cluster."""
_N_RANGES = 50_000
"""Number of row ranges, over all leaves, whose records are counted to find the record at a rank."""
_RANGE, _ACROSS = "row_range", "across"


class SparkEngine(Engine[TableStatistics, PartsPlan, str]):
    """Runs a release of Parquet files, with a scratch folder that all machines can access."""

    supports_wildcards = False
    stages = PARTS_STAGES
    totals: PartTotals
    sums: ReleaseSums

    def __init__(self, source: SparkSource, scratch: str, budget: MemoryBudget, *, ordered: bool) -> None:
        """``ordered``: keep the order of the table; otherwise sort the release by its released values."""
        self.source, self.session, self.scratch, self.ordered = source, source.session, scratch, ordered
        self.budget = budget
        self._key = secrets.token_bytes(32)
        self._positions: PartPositions | None = None
        self._sums: list[PartialSums] = []
        self._texts: set[str] = set()
        self._rows: dict[tuple[int, int], int] = {}
        """Row number of the record at a rank in a large leaf."""

    def profile(self, *, progress: Progress) -> TableStatistics:
        """Compute the statistics of the table in one pass."""
        return table_profile.profile_source(self.source, f"{self.scratch}/statistics", progress=progress)

    def plan(self, profile: TableStatistics, policy: Policy) -> PartsPlan:
        """Derive the plan from the statistics."""
        survey = table_profile.survey_statistics(self.source, profile, policy.survey) if policy.survey.columns else None
        parallel = self.session.sparkContext.defaultParallelism
        plan = PartsPlan.build(profile, policy, self.budget, survey=survey, parallel_parts=parallel)
        locate = partial(table_profile.out_of_bounds, self.source, profile, plan.encoder)
        plan.encoder.check_bounds(policy.bounds, locate)
        return plan

    def partition(self, plan: PartsPlan, *, progress: Progress) -> None:
        """Count the records of every leaf and assign leaves to parts."""
        households = self._assign_households(plan) if plan.policy.survey.households else None
        task = SparkTask(tasks.count_leaves, self._partition_state(plan, None))
        leaf_counts = map_batches(self._group_columns(plan), task, f"{LEAF} long, {CODE} long, {COUNT} long")
        counts = leaf_counts.groupBy(LEAF, CODE).agg({COUNT: "sum"})
        rows = run_job(self.session, "partition", counts.collect, records=plan.records, progress=progress)
        leaves, value_counts = np.zeros(plan.n_leaves, dtype=np.int64), plan.zero_value_counts(plan.n_leaves)
        for leaf, code, count in rows:
            if code == ALL:
                leaves[leaf] = count
            else:
                value_counts[leaf, code] = count
        check_count(int(leaves.sum()), plan.records)
        count_values = partial(self._value_counts, plan)
        parts = split_into_parts(plan, leaves.tolist(), value_counts, count_values, households=households)
        self._positions = self._with_slice_starts(plan, part_positions(parts, len(leaves)))

    def _group_columns(self, plan: PartsPlan) -> DataFrame:
        """Return the columns that the groups depend on, and with households the leaf of each record."""
        columns = self.source.with_row_numbers(plan.columns)
        if not plan.policy.survey.households:
            return columns
        leaves = read_parquet(self.session, self._leaves_folder, _schema([(ROW, "long"), (LEAF, "long")]))
        return columns.join(leaves.hint("merge"), ROW)

    @property
    def _leaves_folder(self) -> str:
        return f"{self.scratch}/leaves"

    def _assign_households(self, plan: PartsPlan) -> list[int]:
        """Write the leaf of each record, which is that of the first member of its household.

        Return the number of households of each leaf.
        """
        from pyspark.sql import functions as F  # noqa: N812

        survey, blocks, folder = plan.policy.survey, plan.cuts.n_blocks, f"{self.scratch}/members"
        task = SparkTask(tasks.leaves_of_members, self._partition_state(plan, None))
        columns = self.source.with_row_numbers(plan.columns)
        found = map_batches(columns, task, f"{ROW} long, {HOUSEHOLD} long, {LEAF} long")
        run_job(self.session, "households", lambda: found.write.parquet(folder))
        members = read_parquet(self.session, folder, found.schema)
        households = members.groupBy(HOUSEHOLD).agg(
            F.min_by(LEAF, ROW).alias(LEAF),
            F.count("*").alias(COUNT),
            F.expr(f"min({LEAF} div {blocks}) < max({LEAF} div {blocks})").alias(_ACROSS),
        )
        sums = households.groupBy(LEAF).agg(
            F.count("*"), F.max(COUNT), F.count_if(F.col(COUNT) > survey.largest_household), F.count_if(_ACROSS)
        )
        leaf, count, largest, too_large, across = np.array(run_job(self.session, "households", sums.collect)).T
        per_leaf = np.bincount(leaf, count, minlength=plan.n_leaves).astype(np.int64)
        totals = HouseholdTotals(per_leaf, int(largest.max()), int(too_large.sum()), int(across.sum()))
        totals.check(survey, plan.policy.k, blocks=blocks)
        assigned = members.select(ROW, HOUSEHOLD).join(households.select(HOUSEHOLD, LEAF).hint("merge"), HOUSEHOLD)
        run_job(self.session, "households", lambda: assigned.select(ROW, LEAF).write.parquet(self._leaves_folder))
        return [int(number) for number in per_leaf]

    def _partition_state(self, plan: PartsPlan, positions: PartPositions | None) -> PartitionState:
        return PartitionState(self.source.names_by_key(plan.columns), plan.for_workers(), positions)

    def _value_counts(self, plan: PartsPlan, slices: Sequence[Slice]) -> IntMatrix:
        parts = self._with_slice_starts(plan, part_positions([[one] for one in slices], plan.n_leaves))
        task = SparkTask(tasks.count_slice_values, self._partition_state(plan, parts))
        counts = map_batches(self._group_columns(plan), task, f"{POSITION} long, {CODE} long, {COUNT} long")
        value_counts, totals = plan.zero_value_counts(len(slices)), counts.groupBy(POSITION, CODE).agg({COUNT: "sum"})
        for position, code, count in run_job(self.session, "slice", totals.collect):
            value_counts[position, code] = count
        return value_counts

    def _with_slice_starts(self, plan: PartsPlan, positions: PartPositions) -> PartPositions:
        """Add the row numbers at which slices of large leaves begin."""
        unknown = [
            (leaf, rank) for leaf, ranks in positions.ranks.items() for rank in ranks if (leaf, rank) not in self._rows
        ]
        if unknown:
            self._rows |= _first_rows(self._leaf_rows(plan, positions), unknown, records=plan.records)
        starts = {
            leaf: np.array([self._rows[leaf, rank] for rank in ranks], dtype=np.int64)
            for leaf, ranks in positions.ranks.items()
        }
        return replace(positions, starts=starts)

    def _leaf_rows(self, plan: PartsPlan, positions: PartPositions) -> DataFrame:
        """Return the row numbers of the records of large leaves."""
        folder = f"{self.scratch}/rows-{len(self._rows)}"
        task = SparkTask(tasks.rows_of_leaves, self._partition_state(plan, positions))
        rows = map_batches(self._group_columns(plan), task, f"{ROW} long, {LEAF} long")
        run_job(self.session, "slice", lambda: rows.write.parquet(folder))
        return read_parquet(self.session, folder, rows.schema)

    def process(self, plan: PartsPlan, *, progress: Progress) -> PartTotals:
        """Shuffle the records of each part together and process them in a worker."""
        positions = self._positions
        if positions is None:
            raise RuntimeError("records are partitioned first")
        state, records = self._partition_state(plan, positions), self._group_columns(plan)
        fields = [*((field.name, field.dataType) for field in records.schema), (POSITION, "long"), (PART, "long")]
        assigned = map_batches(records, SparkTask(tasks.assign_positions, state), _schema(fields))
        n_parts = int(positions.part[-1]) + 1
        by_part = _by_number(assigned, n_parts, PART)
        keys = [key for key, _ in self._output_columns(plan)]
        task = SparkTask(tasks.process_parts, ProcessState(state.names, state.plan, keys, self._key))
        write = partial(map_batches(by_part, task, self._output_schema(plan)).write.parquet, self._output_folder)
        run_job(self.session, "process", write, records=plan.records, progress=progress)
        self.totals = self._check_results(plan, *self._read_results(plan), n_parts)
        if plan.separates_equal_records:
            self.totals = replace(self.totals, original_class_sizes=self._count_original_classes(plan).counts)
        return self.totals

    def _count_original_classes(self, plan: PartsPlan) -> ClassSizeCounts:
        """Count the classes of the table."""
        from pyspark.sql import functions as F  # noqa: N812

        names = plan.encoder.names
        keys = [F.col(self.source.keys[name]).cast("string") for name in names]
        sizes = self.source.with_row_numbers(names).groupBy(*keys).agg(F.count("*").alias(COUNT))
        counts = run_job(self.session, "classes", sizes.groupBy(COUNT).agg(F.count("*")).sort(COUNT).collect)
        return ClassSizeCounts.of(dict(counts))

    @property
    def _output_folder(self) -> str:
        return f"{self.scratch}/output"

    def _read_output(self, plan: PartsPlan) -> DataFrame:
        return read_parquet(self.session, self._output_folder, self._output_schema(plan))

    def _output_schema(self, plan: PartsPlan) -> StructType:
        """Schema of the workers' output: row numbers, recoded columns and part summaries."""
        return _schema([(ROW, "long"), *self._output_columns(plan), (FACTS, "binary")])

    def _read_results(self, plan: PartsPlan) -> tuple[tuple[int, ...], list[tuple[int, PartSummary, PartialSums]]]:
        """Read the output of the workers in one query.

        Return the count, sum and sum of squares of the row numbers, and the summary of each part.
        """
        from pyspark.sql import functions as F  # noqa: N812

        wide = f"cast({ROW} as decimal(38, 0))"
        sums = ["count(*)", f"sum({wide})", f"sum(cast({wide} * {ROW} as decimal(38, 0)))"]
        results = self._read_output(plan).groupBy(FACTS).agg(*map(F.expr, sums))
        records, summaries = (0, 0, 0), list[tuple[int, PartSummary, PartialSums]]()
        for facts, times, *sums_of_rows in run_job(self.session, "process", results.collect):
            if facts is None:
                records = (times, *map(int, sums_of_rows))
            else:
                summaries += [verify_signature(bytes(facts), self._key)] * times
        return records, sorted(summaries, key=lambda part: part[0])

    def _check_results(
        self,
        plan: PartsPlan,
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

    def _output_columns(self, plan: PartsPlan) -> list[tuple[str, Any]]:
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

    def write(self, plan: PartsPlan, destination: str, *, progress: Progress) -> WrittenTable:
        """Write the release under its column names; the partial sums were computed with the parts."""
        from pyspark.sql import functions as F  # noqa: N812

        names = plan.policy.schema.released
        keys, count = [self.source.keys[name] for name in names], math.ceil(plan.records / ROWS_PER_FILE)
        rows = self._joined_release(plan, names)
        if self.ordered and not plan.policy.shuffle:
            numbered = rows.select(ROW, F.expr(f"{ROW} div {ROWS_PER_FILE}").alias(PART), *keys)
            in_order = _by_number(numbered, count, PART).sortWithinPartitions(ROW)
        else:
            # the order of the table may disclose original values: sort by released values
            by = [sortable(rows, key) for key in keys]
            in_order = rows.repartition(count, *by).sortWithinPartitions(*by)
        few = rows.where(F.expr(f"{ROW} % {plan.statistics.step} = 0")).sort(ROW).select(*keys).toDF(*names)
        sample = data.read_table(run_job(self.session, "sample", few.toArrow))
        write = partial(in_order.select(*keys).toDF(*names).write.mode("errorifexists").parquet, destination)
        run_job(self.session, "write", write, records=plan.records, progress=progress)
        # a spreadsheet does not evaluate cells of Parquet
        broken = data.broken_dependencies(plan.statistics.sample, sample, plan.policy.schema)
        return WrittenTable(broken_dependencies=broken, in_order=self.ordered)

    def _joined_release(self, plan: PartsPlan, names: Sequence[str]) -> DataFrame:
        """Join the recoded columns with those of these columns that are unchanged and never pass through a worker."""
        from pyspark.sql import functions as F  # noqa: N812

        output, columns = dict(self._output_columns(plan)), []
        for name in plan.encoder.names:
            key = self.source.keys[name]
            has_original_type = original_type_key(key) in output and name not in self._texts
            columns.append(F.col(original_type_key(key) if has_original_type else key).alias(key))
        recoded = self._read_output(plan).where(f"{FACTS} is null").select(ROW, *columns)
        others = [name for name in names if name not in plan.encoder.names]
        # sort-merge join: a broadcast join would collect one side on the driver
        return self.source.with_row_numbers(others).join(recoded.hint("merge"), ROW) if others else recoded

    def verify(self, plan: PartsPlan, destination: str, *, progress: Progress) -> Verification:
        """Read the written release back and let Spark count its classes."""
        written = open_parquet(self.session, destination, literal=True)
        folder = f"{self.scratch}/verified"
        policy = plan.policy
        proof, sizes, disclosures = verify_on_spark(
            written,
            folder,
            **counted_facts(policy),
            records=plan.records,
            progress=progress,
        )
        check_shape(written.names, proof.records, policy=plan.policy, records=plan.records)
        check_verification(proof)
        self.source.check_unchanged()
        risks = (
            (self._risk_sums(plan, released=False), self._risk_sums(plan, released=True))
            if policy.survey.sampling_weights
            else None
        )
        self.sums = ReleaseSums(parts=self._sums, class_sizes=sizes, disclosures=disclosures, risks=risks)
        return proof

    def _risk_sums(self, plan: PartsPlan, *, released: bool) -> PartialSums:
        """Sum the risks over the classes of the table or of the release, with sampling weights."""
        from pyspark.sql import functions as F  # noqa: N812

        names, weight = plan.encoder.names, plan.policy.survey.sampling_weights
        weights = self.source.with_row_numbers([weight]).select(
            ROW, F.col(self.source.keys[weight]).cast("double").alias(WEIGHT)
        )
        rows = self._joined_release(plan, names) if released else self.source.with_row_numbers(names)
        keys = [F.col(self.source.keys[name]).cast("string") for name in names]
        classes = (
            rows.join(weights.hint("merge"), ROW)
            .groupBy(*keys)
            .agg(F.count("*").alias(COUNT), F.sum(WEIGHT).alias(WEIGHT))
        )
        task = SparkTask(tasks.sum_risks, RiskState(plan.policy.k, self._key))
        sums = map_batches(classes.select(COUNT, WEIGHT), task, f"{FACTS} binary")
        return merge_sums(
            [verify_signature(bytes(facts), self._key) for (facts,) in run_job(self.session, "risk", sums.collect)]
        )

    def evaluate(self, plan: PartsPlan, proof: Verification) -> Evaluation:
        """Evaluate the release from the sums of its parts and classes."""
        return self.sums.evaluate(plan, self.totals, proof)


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


def _first_rows(rows: DataFrame, ranks: Sequence[tuple[int, int]], *, records: int) -> dict[tuple[int, int], int]:
    """Return the row numbers of the records at these ranks (from 0) in their leaves.

    The records of each row range are counted first; only ranges that contain a rank are sorted.
    """
    session = rows.sparkSession
    width = max(4_096, records * len({leaf for leaf, _ in ranks}) // _N_RANGES)
    ranged = rows.selectExpr(ROW, LEAF, f"{ROW} div {width} as {_RANGE}")
    counts = ranged.groupBy(LEAF, _RANGE).count().orderBy(LEAF, _RANGE)
    targets = []
    for leaf, found in groupby(run_job(session, "slice", counts.collect), key=lambda row: row[LEAF]):
        ranges = list(found)
        ends = np.cumsum([row["count"] for row in ranges])
        for rank in (rank for of, rank in ranks if of == leaf):
            at = int(np.searchsorted(ends, rank, side="right"))
            before = int(ends[at - 1]) if at else 0
            targets.append((leaf, ranges[at][_RANGE], rank, rank - before))
    wanted = session.createDataFrame(targets, f"{LEAF} long, {_RANGE} long, rank long, place int")
    candidates = ranged.join(wanted.select(LEAF, _RANGE).distinct(), [LEAF, _RANGE])
    lists = candidates.groupBy(LEAF, _RANGE).agg({ROW: "collect_list"}).toDF(LEAF, _RANGE, "rows")
    numbers = lists.join(wanted, [LEAF, _RANGE]).selectExpr(LEAF, "rank", f"sort_array(rows)[place] as {ROW}")
    return {(row[LEAF], row["rank"]): row[ROW] for row in run_job(session, "slice", numbers.collect)}
