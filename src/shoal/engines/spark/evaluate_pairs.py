"""Loss of a release on a cluster: its records are joined with the original ones, and workers sum the metrics."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from shoal import data
from shoal.data.chunked import TableStatistics, arrow_batches, with_column_types
from shoal.engines.spark.parquet_source import SparkSource, column, snapshot
from shoal.engines.spark.python_worker import SparkTask
from shoal.engines.spark.run_jobs import map_batches, run_job
from shoal.engines.spark.tasks import FACTS, sign, verify_signature
from shoal.errors import DataError
from shoal.metrics.evaluate import PartialSums, compute_part_sums
from shoal.metrics.inputs import EquivalenceClasses, TableFacts
from shoal.metrics.table_pair import PairEncoder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_KEY = "key"


class JoinedTables(NamedTuple):
    """The released quasi-identifiers and the original columns of the same persons, by a key."""

    source: SparkSource
    """Released quasi-identifiers and original sensitive columns under their own names."""
    originals: Mapping[str, str]
    """Original quasi-identifiers: their names by the names of their columns here."""


def join_by_key(
    original: SparkSource,
    released: SparkSource,
    key: str,
    folder: str,
    *,
    names: Sequence[str],
    sensitive: Sequence[str],
) -> JoinedTables:
    """Join the records of two tables by a key column, and write them in its order."""
    prefix = "-" * (1 + max(map(len, (*names, *sensitive))))
    originals = {f"{prefix}{place}": name for place, name in enumerate(names)}
    for source in (original, released):
        _check_unique(source, key)
    left = _select(original, [key, *names, *sensitive], [_KEY, *_places("o", names), *_places("s", sensitive)])
    right = _select(released, [key, *names], [_KEY, *_places("r", names)])
    ((absent,),) = run_job(original.session, "check keys", _count(left.join(right.hint("merge"), _KEY, "left_anti")))
    if absent:
        raise DataError.keys_differ(key, absent)
    # sort-merge join: a broadcast join would collect one side on the driver
    joined = left.join(right.hint("merge"), _KEY).select(
        _KEY, *_places("o", names), *_places("r", names), *_places("s", sensitive)
    )
    source = snapshot(original.session, joined.toDF(f"{prefix}{_KEY}", *originals, *names, *sensitive), folder)
    return JoinedTables(source, originals)


def _places(letter: str, names: Sequence[str]) -> list[str]:
    return [f"{letter}{place}" for place in range(len(names))]


def _select(source: SparkSource, names: Sequence[str], keys: Sequence[str]) -> DataFrame:
    return source.frame.select(*[column(source.frame, name).alias(k) for name, k in zip(names, keys, strict=True)])


def _count(rows: DataFrame) -> Callable[[], list[Any]]:
    return rows.groupBy().count().collect


def _check_unique(source: SparkSource, key: str) -> None:
    """Raise if a key is missing or occurs twice."""
    from pyspark.sql import functions as F  # noqa: N812

    keys = _select(source, [key], [_KEY])
    ((distinct,),) = run_job(source.session, "check keys", _count(keys.where(F.col(_KEY).isNotNull()).distinct()))
    if distinct != source.records:
        raise DataError.keys_not_unique(key, source.records - int(distinct))


class PairState(NamedTuple):
    """State of the task that sums the metrics."""

    originals: Mapping[str, str]
    """Names of the original columns by key."""
    released: Mapping[str, str]
    statistics: tuple[TableStatistics, TableStatistics]
    """Of the original and of the released quasi-identifiers."""
    encoder: PairEncoder
    facts: TableFacts
    signing_key: bytes


def sum_metrics(
    joined: JoinedTables, statistics: tuple[TableStatistics, TableStatistics], encoder: PairEncoder, facts: TableFacts
) -> tuple[list[PartialSums], int]:
    """Return the partial sums of the metrics, and the number of suppressed records."""
    keys, names = joined.source.keys, encoder.quasi_identifiers
    state = PairState(
        {keys[here]: name for here, name in joined.originals.items()},
        {keys[name]: name for name in names},
        (statistics[0].select(names), statistics[1].select(names)),
        encoder,
        facts,
        secrets.token_bytes(32),
    )
    rows = _select(joined.source, [*joined.originals, *names], [*state.originals, *state.released])
    results = map_batches(rows, SparkTask(sum_pairs, state), f"{FACTS} binary")
    sums: list[PartialSums] = []
    records, n_suppressed = 0, 0
    for (message,) in run_job(joined.source.session, "evaluate", results.collect):
        of_task, suppressed, sums_of_task = verify_signature(bytes(message), state.signing_key)
        records, n_suppressed, sums = records + of_task, n_suppressed + suppressed, [*sums, *sums_of_task]
    if records != facts.records:
        raise DataError.record_counts_differ(facts.records, records)
    return sums, n_suppressed


def sum_pairs(state: PairState, input_batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the number of records and of suppressed ones, and the partial sums of their blocks."""
    sums: list[PartialSums] = []
    records, n_suppressed = 0, 0
    for block in arrow_batches.blocks(input_batches):
        original, released = (
            with_column_types(arrow_batches.chunk_of(block, names), statistics)
            for names, statistics in zip((state.originals, state.released), state.statistics, strict=True)
        )
        unknown = EquivalenceClasses(np.ones(original.height, dtype=np.int64), state.facts.k)
        suppressed = data.fully_suppressed(released, state.encoder.quasi_identifiers)
        inputs = state.encoder.transform(
            original, released, (unknown, unknown), suppressed=suppressed, table_facts=state.facts
        )
        sums.append(compute_part_sums(inputs))
        records, n_suppressed = records + original.height, n_suppressed + int(suppressed.sum())
    if records:
        yield arrow_batches.batch_of({FACTS: [sign((records, n_suppressed, sums), state.signing_key)]})
