"""Verification on a cluster: Spark reads the written files and counts their classes.

It shares no code with the methods. Spark counts sensitive values; models and disclosure are computed from these counts
by the code used on one machine, in tasks that have whole classes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from shoal.data.chunked import TableStatistics
from shoal.domain import ModelCheck, PrivacyModel, Progress, Schema, Verification, check_k, no_progress
from shoal.engines.spark import statistics_tasks
from shoal.engines.spark.parquet_source import SparkSource, byte_comparable
from shoal.engines.spark.python_worker import SparkTask
from shoal.engines.spark.run_jobs import map_batches, run_job
from shoal.engines.spark.statistics_tasks import COUNT, FACTS, ROW, ClassCountState, read_facts
from shoal.engines.spark.table_profile import profile_source
from shoal.errors import DataError
from shoal.metrics.disclosure_sums import DisclosureSums
from shoal.metrics.partial_sums import merge_partials

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_ROWS_PER_TASK = 1_000_000
"""Approximate records per task that counts sensitive values."""
_HOUSEHOLD, _UNITS, _CLASSES = "household", "units", "classes"


class SparkVerification(NamedTuple):
    """Result of a verification on Spark."""

    proof: Verification
    class_sizes: Mapping[int, int]
    """Number of classes of each size."""
    disclosures: Mapping[str, DisclosureSums]
    """Sums over the classes for each measured column."""


def verify_on_spark(
    written: SparkSource,
    folder: str,
    *,
    k: int,
    quasi_identifiers: Sequence[str],
    schema: Schema,
    models: Sequence[PrivacyModel] = (),
    strata: Sequence[str] = (),
    households: str = "",
    sensitive: Sequence[str] = (),
    records: int,
    statistics: TableStatistics | None = None,
    progress: Progress = no_progress,
) -> SparkVerification:
    """Count the classes of Parquet files, as `shoal.verification.verify.verify_chunks` counts those of one file.

    The ``folder`` is for the ``statistics`` of the sensitive columns, if they are not given. Progress is scaled to
    ``records``.
    """
    k = check_k(k)
    rows = ClassRows(written, tuple(quasi_identifiers), tuple(strata), households, records)
    class_sizes, records_by_size = rows.count_classes(progress)
    if not class_sizes:
        raise DataError.no_records()
    checks: tuple[ModelCheck, ...] = ()
    disclosures: dict[str, DisclosureSums] = {}
    if models or sensitive:
        counted = list(dict.fromkeys([*(model.column for model in models), *sensitive]))
        statistics = statistics or profile_source(written, folder, names=counted)
        state = ClassCountState(rows.classes, rows.strata_keys, statistics.select(counted), models, sensitive, schema)
        checks, disclosures = _sensitive_facts(rows, state)
    proof = Verification.of_counts(
        k,
        records_by_size,
        classes=sum(class_sizes.values()),
        quasi_identifiers=rows.names,
        models=checks,
        unit="households" if households else "records",
    )
    return SparkVerification(proof, class_sizes, disclosures)


class ClassRows(NamedTuple):
    """Parquet files whose records are grouped into classes."""

    written: SparkSource
    names: tuple[str, ...]
    strata: tuple[str, ...]
    households: str
    records: int

    @property
    def classes(self) -> list[str]:
        """Keys of the columns that define a class."""
        return [self.written.keys[name] for name in self.names]

    @property
    def parts(self) -> list[str]:
        """Keys of the columns that define a class within its stratum."""
        return [*self.classes, *self.strata_keys]

    @property
    def strata_keys(self) -> list[str]:
        """Keys of the strata."""
        return [f"s{place}" for place in range(len(self.strata))]

    def select(self, sensitive: Sequence[str] = ()) -> DataFrame:
        """Select the columns that define a class, strata, households, and these sensitive columns."""
        frame = self.written.frame
        columns = [_visible(frame, name).alias(self.written.keys[name]) for name in self.names]
        columns += [_design_cells(frame, name).alias(f"s{place}") for place, name in enumerate(self.strata)]
        columns += [_design_cells(frame, self.households).alias(_HOUSEHOLD)] if self.households else []
        columns += [byte_comparable(frame, name).alias(f"v{place}") for place, name in enumerate(sensitive)]
        return frame.select(*columns)

    def count_classes(self, progress: Progress) -> tuple[dict[int, int], dict[int, int]]:
        """Return the number of classes of each size, and of records by the records or households of their class."""
        from pyspark.sql import functions as F  # noqa: N812

        if self.households:
            self._check_households()
        units = F.countDistinct(_HOUSEHOLD) if self.households else F.count("*")
        parts = self.select().groupBy(*self.parts).agg(F.count("*").alias(COUNT), units.alias(_UNITS))
        by_units = parts.groupBy(_UNITS).agg(F.sum(COUNT), F.count("*"))
        counts = self._collect(by_units, progress)
        records = {int(size): int(number) for size, number, _ in counts}
        if not (self.strata or self.households):
            return {int(size): int(number) for size, _, number in counts}, records
        classes = parts.groupBy(*self.classes).agg(F.sum(COUNT).alias(COUNT))
        sizes = self._collect(classes.groupBy(COUNT).agg(F.count("*")), no_progress)
        return {int(size): int(number) for size, number in sizes}, records

    def _collect(self, frame: DataFrame, progress: Progress) -> list[Any]:
        return sorted(run_job(self.written.session, "verify", frame.collect, records=self.records, progress=progress))

    def _check_households(self) -> None:
        """Raise if a record has no household, or a household is in several strata."""
        from pyspark.sql import functions as F  # noqa: N812

        numbered = self.written.with_row_numbers([self.households])
        missing = numbered.where(_is_missing(numbered, self.written.keys[self.households]))
        ((number, first),) = self._collect(missing.agg(F.count("*"), F.min(ROW)), no_progress)
        if number:
            raise DataError.missing_household(self.households, rows=number, of=self.records, first=int(first) + 1)
        if self.strata:
            places = self.select().select(_HOUSEHOLD, *self.strata_keys).distinct().groupBy(_HOUSEHOLD).count()
            ((across,),) = self._collect(places.where("count > 1").agg(F.count("*")), no_progress)
            if across:
                raise DataError.household_across_strata(across)


def _sensitive_facts(
    rows: ClassRows, state: ClassCountState
) -> tuple[tuple[ModelCheck, ...], dict[str, DisclosureSums]]:
    """Check the models, and sum what the classes disclose of the measured columns."""
    from pyspark.sql import functions as F  # noqa: N812

    names = state.statistics.names
    values = [f"v{place}" for place in range(len(names))]
    counted = rows.select(names).groupBy(*rows.parts, *values).agg(F.count("*").alias(COUNT))
    together = counted.repartition(math.ceil(rows.records / _ROWS_PER_TASK), *rows.classes)
    facts = map_batches(together, SparkTask(statistics_tasks.count_sensitive_values, state), f"{FACTS} binary")
    checks: list[tuple[ModelCheck, ...]] = []
    sums: dict[str, list[DisclosureSums]] = {}
    for (text,) in run_job(rows.written.session, "verify", facts.collect):
        of_task, disclosures = read_facts(json.loads(bytes(text)), state.models)
        checks.append(of_task)
        for name, disclosure in disclosures.items():
            sums.setdefault(name, []).append(disclosure)
    return (
        tuple(_merge_checks(model, [of_task[d] for of_task in checks]) for d, model in enumerate(state.models)),
        {name: merge_partials(disclosures) for name, disclosures in sums.items()},
    )


def _merge_checks(model: PrivacyModel, checks: Sequence[ModelCheck]) -> ModelCheck:
    reached = [check.reached for check in checks]
    worst = max(reached) if model.is_closeness else min(reached)
    return ModelCheck(model.column, model.notation, worst, sum(check.violations for check in checks))


def _is_float(frame: DataFrame, name: str) -> bool:
    return frame.schema[name].dataType.typeName() in ("double", "float")


def _visible(frame: DataFrame, name: str) -> Column:
    """Return a column as a reader sees it; floats as text, since Spark groups -0.0 with 0.0."""
    values = byte_comparable(frame, name)
    return values.cast("string") if _is_float(frame, name) else values


def _is_missing(frame: DataFrame, name: str) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    values = byte_comparable(frame, name)
    return values.isNull() | F.isnan(values) if _is_float(frame, name) else values.isNull()


def _design_cells(frame: DataFrame, name: str) -> Column:
    """Return a column of the survey design, in which NaN is missing; Spark groups -0.0 with 0.0."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.when(~_is_missing(frame, name), byte_comparable(frame, name))
