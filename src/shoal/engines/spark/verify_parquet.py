"""Verification on a cluster: Spark reads the written files and counts their classes.

It shares no code with the methods. Privacy models are counted by Spark and evaluated by the code used on one machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from shoal.domain import ModelCheck, Policy, PrivacyModel, Progress, Verification, check_k, no_progress
from shoal.engines.spark import statistics_tasks
from shoal.engines.spark.parquet_source import SparkSource, byte_comparable
from shoal.engines.spark.python_worker import SparkTask
from shoal.engines.spark.run_jobs import map_batches, run_job
from shoal.engines.spark.statistics_tasks import BROKEN, COUNT, MODEL, WORST, ModelCheckState
from shoal.engines.spark.table_profile import profile_source
from shoal.errors import DataError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row

_ROWS_PER_TASK = 1_000_000
"""Approximate records per task of the privacy model check."""


def verify_on_spark(
    written: SparkSource, policy: Policy, folder: str, *, records: int, progress: Progress = no_progress
) -> tuple[Verification, Mapping[int, int]]:
    """Count the classes of the written release; return the verification and the number of classes of each size.

    Progress is scaled to ``records``.
    """
    from pyspark.sql import functions as F  # noqa: N812

    k, names = check_k(policy.k), policy.schema.quasi_identifiers
    released = written.frame.select(
        *[_visible(written.frame, name, text=name in names).alias(written.keys[name]) for name in written.names]
    )
    keys = [written.keys[name] for name in names]
    classes = released.groupBy(*keys).agg(F.count("*").alias(COUNT))
    class_sizes = classes.groupBy(COUNT).agg(F.count("*").alias("classes"))
    rows = run_job(written.session, "verify", class_sizes.collect, records=records, progress=progress)
    sizes = {int(size): int(count) for size, count in sorted(rows)}
    if not sizes:
        raise DataError.no_records()
    proof = Verification.of_counts(
        k,
        {size: size * count for size, count in sizes.items()},
        classes=sum(sizes.values()),
        quasi_identifiers=tuple(names),
        models=_models(written, released, policy, folder) if policy.models else (),
    )
    return proof, sizes


def _visible(frame: DataFrame, name: str, *, text: bool) -> Column:
    """Return a column as a reader sees it; floats as ``text`` for grouping, since Spark groups -0.0 with 0.0."""
    values = byte_comparable(frame, name)
    return values.cast("string") if text and frame.schema[name].dataType.typeName() in ("double", "float") else values


def _models(written: SparkSource, released: DataFrame, policy: Policy, folder: str) -> tuple[ModelCheck, ...]:
    """Return for each model the value of the worst class and the number of records in classes that break it."""
    from pyspark.sql import functions as F  # noqa: N812

    sensitive = list(dict.fromkeys(model.column for model in policy.models))
    names = policy.schema.quasi_identifiers
    classes = [written.keys[name] for name in names]
    counted = released.groupBy(*classes, *(written.keys[name] for name in sensitive)).agg(F.count("*").alias(COUNT))
    statistics = profile_source(written, folder, names=sensitive).select(sensitive)
    state = ModelCheckState(written.names_by_key([*names, *sensitive]), names, statistics, policy.models, policy.schema)
    together = counted.repartition(math.ceil(written.records / _ROWS_PER_TASK), *classes)
    checks = map_batches(
        together, SparkTask(statistics_tasks.check_models, state), f"{MODEL} long, {WORST} long, {BROKEN} long"
    )
    rows = run_job(written.session, "verify", checks.collect)
    return tuple(
        _check(model, [row for row in rows if row[MODEL] == number]) for number, model in enumerate(policy.models)
    )


def _check(model: PrivacyModel, rows: Sequence[Row]) -> ModelCheck:
    figures = [float(np.int64(row[WORST]).view(np.float64)) for row in rows]
    worst = max(figures) if model.is_closeness else min(figures)
    return ModelCheck(model.column, model.notation, worst, sum(int(row[BROKEN]) for row in rows))
