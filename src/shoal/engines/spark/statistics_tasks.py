"""Tasks of Python workers that read a table: table statistics, bounds, and privacy models of its classes.

They use no method: the verification runs them too. The column ``row`` holds the row numbers; the other columns are
named by their positions in the table.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from shoal.data import Encoder, SensitiveEncoder, SurveyStatistics, counted_values
from shoal.data.chunked import (
    ClassCounter,
    Occurrence,
    TableStatistics,
    arrow_batches,
    merge_statistics,
    profile_chunk,
    with_column_types,
)
from shoal.data.spelling import normalize_text_for_verification
from shoal.domain import ModelCheck, PrivacyModel, Schema, Survey
from shoal.metrics.disclosure_sums import DisclosureSums, sum_disclosures

ROW, START, RECORDS, STATISTICS, PART, STRATUM = "row", "start", "records", "statistics", "part", "stratum"
COUNT, FACTS = "count", "facts"
INVALID_WEIGHTS, MISSING_HOUSEHOLDS = -1, -2
"""Keys under which invalid sampling weights and missing households are counted; those of strata are not negative."""


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
    """Count the records of each stratum, the invalid sampling weights and the missing households."""
    for start, block in arrow_batches.consecutive_rows(input_batches, ROW):
        typed = with_column_types(arrow_batches.chunk_of(block, state.names), state.statistics)
        found = SurveyStatistics.of(typed, state.survey, start=start)
        counts = {key: Occurrence(count, start) for key, count in found.strata.items()}
        counts |= {INVALID_WEIGHTS: found.invalid_weights, MISSING_HOUSEHOLDS: found.missing_households}
        some = {key: occurrence for key, occurrence in counts.items() if occurrence.count}
        yield arrow_batches.batch_of(
            {
                STRATUM: [*some],
                RECORDS: [occurrence.count for occurrence in some.values()],
                START: [occurrence.first for occurrence in some.values()],
            }
        )


class ClassCountState(NamedTuple):
    """State of the task that counts sensitive values."""

    classes: Sequence[str]
    """Keys of the quasi-identifiers."""
    strata: Sequence[str]
    statistics: TableStatistics
    """Statistics of the sensitive columns of the release, whose keys are v0, v1, ..."""
    models: Sequence[PrivacyModel]
    measured: Sequence[str]
    """Names of the sensitive columns whose disclosure is measured."""
    schema: Schema


def count_sensitive_values(state: ClassCountState, input_batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the facts of the classes of this task as JSON; see `read_facts`.

    Each row counts for several records; all rows of a class are in one task.
    """
    statistics = state.statistics
    counted = counted_values(statistics, state.schema, models=state.models, sensitive=state.measured)
    # a column may be a quasi-identifier, a stratum and sensitive: the first two are named by their keys
    prefix = "-" * (1 + max(len(name) for name in statistics.names))
    names = {key: f"{prefix}{key}" for key in (*state.classes, *state.strata)}
    names |= {f"v{place}": name for place, name in enumerate(statistics.names)}
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        counter = ClassCounter(
            Path(folder),
            [names[key] for key in state.classes],
            strata=[names[key] for key in state.strata],
            **counted,
        )
        any_rows = False
        for block in arrow_batches.blocks(input_batches):
            chunk = with_column_types(arrow_batches.chunk_of(block, names), statistics)
            counter.add(chunk, arrow_batches.numbers_of(block, COUNT))
            any_rows = True
        if any_rows:
            encoder = SensitiveEncoder.from_statistics(
                statistics, state.models, state.schema, normalize=normalize_text_for_verification
            )
            checks = counter.check_models(encoder)
            facts = {
                "models": [[check.reached, check.violations] for check in checks],
                "disclosures": sum_disclosures(counter.distributions()),
            }
            yield arrow_batches.batch_of({FACTS: [json.dumps(facts).encode()]})


def read_facts(
    facts: Mapping[str, Any], models: Sequence[PrivacyModel]
) -> tuple[tuple[ModelCheck, ...], dict[str, DisclosureSums]]:
    """Read the facts of a task: the result of each model, and the sums of each measured column."""
    checks = tuple(
        ModelCheck(model.column, model.notation, reached, violations)
        for model, (reached, violations) in zip(models, facts["models"], strict=True)
    )
    return checks, {name: DisclosureSums.of(sums) for name, sums in facts["disclosures"].items()}
