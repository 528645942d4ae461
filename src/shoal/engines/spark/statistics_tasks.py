"""Tasks of Python workers that read a table: table statistics, bounds, and privacy models of its classes.

They use no method: the verification runs them too. The column ``row`` holds the row numbers; the other columns are
named by their positions in the table.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from shoal.data import Encoder, SensitiveEncoder, SurveyStatistics
from shoal.data.chunked import (
    ClassCounter,
    TableStatistics,
    arrow_batches,
    merge_statistics,
    profile_chunk,
    with_column_types,
)
from shoal.data.spelling import normalize_text_for_verification
from shoal.domain import PrivacyModel, Schema, Survey

ROW, START, RECORDS, STATISTICS, PART, STRATUM = "row", "start", "records", "statistics", "part", "stratum"
COUNT, MODEL, WORST, BROKEN = "count", "model", "worst", "broken"


class StatisticsState(NamedTuple):
    """State of the statistics task."""

    names: Mapping[str, str]
    """Column names by key."""
    step: int


def compute_statistics(state: StatisticsState, input_batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the statistics of runs of consecutive records."""
    statistics: TableStatistics | None = None
    for start, block in arrow_batches.consecutive_rows(input_batches, ROW):
        if statistics is not None and statistics.start + statistics.records != start:
            yield _to_batch(statistics)
            statistics = None
        # saves work, does not change the result
        many, step = (
            ((), state.step) if statistics is None else (statistics.estimated_columns, max(state.step, statistics.step))
        )
        of_block = profile_chunk(arrow_batches.chunk_of(block, state.names), start=start, many_values=many, step=step)
        statistics = of_block if statistics is None else merge_statistics(statistics, of_block)
    if statistics is not None:
        yield _to_batch(statistics)


def merge_runs(_: None, input_batches: Iterator[Any]) -> Iterator[Any]:
    """Merge the statistics of adjacent runs, given in the order of the table."""
    for _part, block in arrow_batches.groups_by_key(input_batches, PART):
        statistics: TableStatistics | None = None
        for data in (data for batch in block for data in batch.column(STATISTICS)):
            of_part = TableStatistics.from_bytes(data.as_py())
            statistics = of_part if statistics is None else merge_statistics(statistics, of_part)
        if statistics is not None:
            yield _to_batch(statistics)


def _to_batch(statistics: TableStatistics) -> Any:
    return arrow_batches.batch_of(
        {START: [statistics.start], RECORDS: [statistics.records], STATISTICS: [statistics.to_bytes()]}
    )


class BoundsState(NamedTuple):
    """State of the bounds task: a column and its bounds."""

    names: Mapping[str, str]
    statistics: TableStatistics
    encoder: Encoder
    bounds: tuple[float, float]


def count_out_of_bounds(state: BoundsState, input_batches: Iterator[Any]) -> Iterator[Any]:
    """Locate the numbers outside the bounds."""
    (name,) = state.names.values()
    for start, block in arrow_batches.consecutive_rows(input_batches, ROW):
        chunk = arrow_batches.chunk_of(block, state.names)
        typed = with_column_types(chunk, state.statistics)
        occurrence = state.encoder.out_of_bounds(typed, name, state.bounds, start=start)
        if occurrence.count:
            yield arrow_batches.batch_of({RECORDS: [occurrence.count], START: [occurrence.first]})


class SurveyState(NamedTuple):
    """State of the survey task."""

    names: Mapping[str, str]
    statistics: TableStatistics
    survey: Survey


def count_strata(state: SurveyState, input_batches: Iterator[Any]) -> Iterator[Any]:
    """Count the records of each stratum and, without a stratum, the invalid sampling weights."""
    for start, block in arrow_batches.consecutive_rows(input_batches, ROW):
        typed = with_column_types(arrow_batches.chunk_of(block, state.names), state.statistics)
        found = SurveyStatistics.of(typed, state.survey, start=start)
        strata = [*found.strata]
        yield arrow_batches.batch_of(
            {STRATUM: strata, RECORDS: [found.strata[key] for key in strata], START: [start] * len(strata)}
        )
        if found.invalid_weights.count:
            counts = {RECORDS: [found.invalid_weights.count], START: [found.invalid_weights.first]}
            yield arrow_batches.batch_of({STRATUM: [None], **counts})


class ModelCheckState(NamedTuple):
    """State of the privacy model task."""

    names: Mapping[str, str]
    quasi_identifiers: Sequence[str]
    sensitive_statistics: TableStatistics
    """Statistics of the sensitive columns of the release."""
    models: Sequence[PrivacyModel]
    schema: Schema


def check_models(state: ModelCheckState, input_batches: Iterator[Any]) -> Iterator[Any]:
    """Yield for each model the value of the worst class and the number of records in classes that break it.

    Each row counts for several records; all rows of a class are in one task.
    """
    columns = list(dict.fromkeys(model.column for model in state.models))
    encoder = SensitiveEncoder.from_statistics(
        state.sensitive_statistics, state.models, state.schema, normalize=normalize_text_for_verification
    )
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        counter, any_rows = ClassCounter(Path(folder), list(state.quasi_identifiers), sensitive=columns), False
        for block in arrow_batches.blocks(input_batches):
            chunk = with_column_types(arrow_batches.chunk_of(block, state.names), state.sensitive_statistics)
            counter.add(chunk, arrow_batches.numbers_of(block, COUNT))
            any_rows = True
        for number, result in enumerate(counter.check_models(encoder) if any_rows else ()):
            yield arrow_batches.batch_of(
                {MODEL: [number], WORST: [int(np.float64(result.reached).view(np.int64))], BROKEN: [result.violations]}
            )
