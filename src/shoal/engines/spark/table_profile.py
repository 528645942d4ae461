"""Table statistics on a cluster: workers compute and merge them in a tree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.data import Encoder, SurveyStatistics
from shoal.data.chunked import Occurrence, TableStatistics
from shoal.data.chunked.table_statistics import MAX_SAMPLE
from shoal.domain import Progress, Survey, no_progress
from shoal.engines.spark import statistics_tasks
from shoal.engines.spark.parquet_source import SparkSource, read_parquet
from shoal.engines.spark.python_worker import SparkTask
from shoal.engines.spark.run_jobs import map_batches, run_job
from shoal.engines.spark.statistics_tasks import (
    INVALID_WEIGHTS,
    MISSING_HOUSEHOLDS,
    PART,
    RECORDS,
    START,
    STATISTICS,
    STRATUM,
    BoundsState,
    StatisticsState,
    SurveyState,
)
from shoal.errors import PromiseError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FAN_IN = 8
"""Statistics merged per task."""
_SCHEMA = f"{START} long, {RECORDS} long, {STATISTICS} binary"


def profile_source(
    source: SparkSource, folder: str, *, names: Sequence[str] | None = None, progress: Progress = no_progress
) -> TableStatistics:
    """Compute the statistics of these columns; intermediate results are written to the folder."""
    session, records = source.session, source.records
    names = source.names if names is None else names
    state = StatisticsState(source.names_by_key(names), _step(records))
    leaves = map_batches(source.with_row_numbers(names), SparkTask(statistics_tasks.compute_statistics, state), _SCHEMA)
    parts = _materialize(source, leaves, f"{folder}/0", progress)
    level = 1
    while (count := run_job(session, "profile", parts.count)) > 1:
        groups = math.ceil(count / _FAN_IN)
        width = math.ceil(records / groups)
        by = parts.selectExpr(f"{START} div {width} as {PART}", START, STATISTICS)
        sorted_ = by.repartition(groups, PART).sortWithinPartitions(PART, START)
        parts = _materialize(
            source,
            map_batches(sorted_, SparkTask(statistics_tasks.merge_runs, None), _SCHEMA),
            f"{folder}/{level}",
            no_progress,
        )
        level += 1
    statistics = [
        TableStatistics.from_bytes(bytes(row[STATISTICS])) for row in run_job(session, "profile", parts.collect)
    ]
    if not statistics or statistics[0].start or statistics[0].records != records:
        raise PromiseError.unexpected_content("records that a survey did not see")
    return statistics[0]


def _materialize(source: SparkSource, frame: DataFrame, folder: str, progress: Progress) -> DataFrame:
    """Run a statistics job and write its output."""
    session = source.session
    run_job(session, "profile", lambda: frame.write.parquet(folder), records=source.records, progress=progress)
    return read_parquet(session, folder, _SCHEMA)


def _step(records: int) -> int:
    """Return the largest sampling step that the statistics of the whole table may need."""
    step = 1
    while math.ceil(records / step) > MAX_SAMPLE:
        step *= 2
    return step


def out_of_bounds(
    source: SparkSource, statistics: TableStatistics, encoder: Encoder, name: str, bounds: tuple[float, float]
) -> Occurrence:
    """Locate the numbers of a column outside its bounds."""
    state = BoundsState(source.names_by_key([name]), statistics.select([name]), encoder, bounds)
    occurrences = map_batches(
        source.with_row_numbers([name]),
        SparkTask(statistics_tasks.count_out_of_bounds, state),
        f"{RECORDS} long, {START} long",
    )
    totals = occurrences.selectExpr(f"sum({RECORDS})", f"min({START})")
    count, first = run_job(source.session, "check bounds", totals.collect)[0]
    return Occurrence(int(count or 0), int(first or 0))


def survey_statistics(source: SparkSource, statistics: TableStatistics, survey: Survey) -> SurveyStatistics:
    """Compute the statistics of the survey columns."""
    state = SurveyState(source.names_by_key(survey.columns), statistics.select(survey.columns), survey)
    rows = map_batches(
        source.with_row_numbers(survey.columns),
        SparkTask(statistics_tasks.count_strata, state),
        f"{STRATUM} long, {RECORDS} long, {START} long",
    )
    totals = rows.groupBy(STRATUM).agg({RECORDS: "sum", START: "min"}).toDF(STRATUM, RECORDS, START)
    counts = {key: Occurrence(count, first) for key, count, first in run_job(source.session, "survey", totals.collect)}
    invalid_weights = counts.pop(INVALID_WEIGHTS, Occurrence())
    missing_households = counts.pop(MISSING_HOUSEHOLDS, Occurrence())
    strata = Counter({key: occurrence.count for key, occurrence in counts.items()})
    return SurveyStatistics(strata, invalid_weights, missing_households, source.records)
