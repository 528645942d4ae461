"""Evaluation of tables that are not held in memory: files in pieces, and Spark frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import data
from shoal.data import ReadOptions, Table
from shoal.data.chunked import (
    ClassCounter,
    TableStatistics,
    paired_chunks,
    profile_file,
    with_column_types,
)
from shoal.domain import Evaluation, Kind, ModelCheck, Names, PrivacyModel, Role, Schema, select_names
from shoal.engines import spark
from shoal.errors import ColumnError, DataError, OptionError
from shoal.errors.messages import pluralize
from shoal.metrics.disclosure_sums import DisclosureSums, sum_disclosures, unmeasured_notes
from shoal.metrics.evaluate import ClassSizeCounts, compute_part_sums, distance_name, evaluate_classes, evaluate_parts
from shoal.metrics.inputs import EquivalenceClasses, TableFacts
from shoal.metrics.table_pair import PairEncoder
from shoal.release.column_options import Hierarchies, Levels, resolve_schema
from shoal.release.inspect import is_shuffled
from shoal.release.large_tables import COUNT_FRACTION, known_kinds, open_in_pieces, stored_frame
from shoal.system.scratch import temporary_folder

if TYPE_CHECKING:
    from shoal.engines.spark.parquet_source import SparkSource
    from shoal.engines.spark.verify_parquet import SparkVerification

_ANY_K = 2
"""Class sizes do not depend on k."""
_IN_PIECES = "attacks, and queries about sensitive columns, are not measured in pieces"
_WITHOUT_PAIRS = (
    "only class sizes, risks, models and what classes disclose are measured: rows of Spark have no order, so the"
    " released values of an original record are not known; on= names a column that identifies records in both tables"
)


@dataclass(frozen=True)
class EvaluationJob:
    """Two tables, and what is measured."""

    original: Any
    released: Any
    _: KW_ONLY
    quasi_identifiers: Names
    k: int | None
    hierarchies: Hierarchies
    levels: Levels
    kinds: Mapping[str, str] | None
    standardize: bool
    distance: str
    missing: str
    sensitive: Names
    models: tuple[PrivacyModel, ...]
    weights: Mapping[str, float]

    def columns(self, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the quasi-identifiers, and the columns that are sensitive or have a privacy model."""
        quasi_identifiers = select_names(self.quasi_identifiers, names, Role.QUASI_IDENTIFIER)
        data.resolve_weights(quasi_identifiers, self.weights)
        sensitive = select_names(self.sensitive, names, Role.SENSITIVE)
        with_models = dict.fromkeys(model.column for model in self.models)
        return quasi_identifiers, (*sensitive, *(n for n in with_models if n not in (*sensitive, *quasi_identifiers)))

    def schema(self, table: Table, kinds: Sequence[tuple[str, Kind]]) -> Schema:
        """Return the schema of a table, or of one that it is a sample of, with columns of these kinds."""
        quasi_identifiers, sensitive = self.columns([name for name, _ in kinds])
        return resolve_schema(
            table,
            Schema.assign(kinds, quasi_identifiers=quasi_identifiers, sensitive=sensitive),
            hierarchies=self.hierarchies,
            levels=self.levels,
            kinds=self.kinds,
            allow_mixed=True,
        )

    @property
    def encoding(self) -> dict[str, Any]:
        """Options of `PairEncoder`."""
        return {
            "standardize": self.standardize,
            "weights": self.weights,
            "distance": self.distance,
            "separate_missing": self.missing == "category",
        }

    def fit(
        self, original: TableStatistics, released: TableStatistics, schema: Schema
    ) -> tuple[PairEncoder, TableFacts]:
        """Return the encoder of both tables, and the facts of the original."""
        columns = [column for column in schema.columns if column.role is Role.QUASI_IDENTIFIER]
        return PairEncoder.from_statistics(original, released, columns, k=self.k, **self.encoding)

    def describe(
        self, encoder: PairEncoder, sensitive: Sequence[str], disclosures: Mapping[str, DisclosureSums]
    ) -> dict[str, Any]:
        """Return what the evaluation says about its figures."""
        return {
            "base": encoder.scale.name if encoder.scale else "none",
            "distance": distance_name(encoder.categories, self.distance),
            "disclosures": disclosures,
            "notes": (*incomparable_notes(encoder), *unmeasured_notes(sensitive, disclosures), _IN_PIECES),
        }


def check_released(names: Sequence[str], released: Sequence[str]) -> None:
    """Refuse a release without one of the quasi-identifiers."""
    for name in names:
        if name not in released:
            raise ColumnError.missing_in_release(name)


def shared_columns(original: Sequence[str], released: Sequence[str], names: Sequence[str]) -> list[str]:
    """Columns of both tables but the quasi-identifiers."""
    return [name for name in released if name in original and name not in names]


def incomparable_notes(encoder: PairEncoder) -> list[str]:
    """Note on numbers that cannot be compared."""
    if not encoder.incomparable:
        return []
    columns = pluralize(encoder.incomparable, "quasi-identifier")
    return [f"no loss by squared error: {columns} without a number in every record of both tables"]


def evaluate_files(
    job: EvaluationJob, memory: int | str, options: ReadOptions | None, released_options: ReadOptions | None
) -> Evaluation:
    """Evaluate a file and its release, with the same records in the same order, within a memory limit."""
    source, budget = open_in_pieces(job.original, memory=memory, options=options)
    release, _ = open_in_pieces(job.released, memory=memory, options=released_options)
    names, sensitive = job.columns(source.names)
    check_released(names, release.names)
    shared = shared_columns(source.names, release.names, names)
    columns = (list(dict.fromkeys([*names, *sensitive, *shared])), [*names, *shared])
    statistics, released = profile_file(source, columns=columns[0]), profile_file(release, columns=columns[1])
    if statistics.records != released.records:
        raise DataError.record_counts_differ(statistics.records, released.records)
    if is_shuffled(release.path, release.sha256):
        raise DataError.shuffled()
    schema = job.schema(statistics.sample, known_kinds(statistics, source.names))
    encoder, facts = job.fit(statistics, released, schema)
    order, sums, n_suppressed = data.RowOrder(shared), [], 0
    with temporary_folder() as folder:
        max_bytes = COUNT_FRACTION * budget.class_count_bytes // 2
        before = ClassCounter(folder, names, max_bytes=max_bytes)
        counted = data.counted_values(statistics, schema, models=job.models, sensitive=sensitive)
        after = ClassCounter(folder, names, **counted, max_bytes=max_bytes)
        for originals, others in paired_chunks(source, release, columns=columns):
            typed = with_column_types(originals, statistics), with_column_types(others, released)
            order.add(*typed)
            before.add(originals)
            after.add(others, values=typed[0])
            suppressed = data.fully_suppressed(typed[1], names)
            n_suppressed += int(suppressed.sum())
            unknown = EquivalenceClasses(np.ones(originals.height, dtype=np.int64), job.k)
            part = encoder.transform(*typed, (unknown, unknown), suppressed=suppressed, table_facts=facts)
            sums.append(compute_part_sums(part))
        if order.is_shuffled:
            raise DataError.shuffled()
        models: tuple[ModelCheck, ...] = ()
        if job.models:
            models = after.check_models(data.SensitiveEncoder.from_statistics(statistics, job.models, schema))
        return evaluate_parts(
            sums,
            replace(facts, n_classes=sum(after.counts.sizes.values())),
            before=ClassSizeCounts.of(before.counts.sizes),
            after=ClassSizeCounts.of(after.counts.sizes, n_suppressed),
            models=models,
            **job.describe(encoder, sensitive, sum_disclosures(after.distributions())),
        )


def evaluate_frames(job: EvaluationJob, key: str | None, scratch: str | None) -> Evaluation:
    """Evaluate two Spark frames on the cluster; without a key, the released values of a record are not known."""
    for frame in (job.original, job.released):
        if not spark.is_frame(frame):
            raise OptionError.two_frames()
    names, sensitive = job.columns(job.original.columns)
    check_released(names, job.released.columns)
    for frame in (job.original, job.released) if key is not None else ():
        if key not in frame.columns:
            raise ColumnError.unknown(str(key), frame.columns)
    keys = [] if key is None else [key]
    with (
        stored_frame(job.original, [*names, *sensitive, *keys], scratch) as (original, folder),
        stored_frame(job.released, [*names, *([] if keys else sensitive), *keys], scratch) as (released, other),
    ):
        if original.records != released.records:
            raise DataError.record_counts_differ(original.records, released.records)
        pair = _FramePair(job, original, released, folder, other, names, sensitive)
        return pair.evaluate_classes() if key is None else pair.evaluate(key)


@dataclass(frozen=True)
class _FramePair:
    """Two stored frames, and the folders for their statistics."""

    job: EvaluationJob
    original: SparkSource
    released: SparkSource
    folder: str
    other: str
    names: tuple[str, ...]
    sensitive: tuple[str, ...]

    def evaluate_classes(self) -> Evaluation:
        """Evaluate the classes; sensitive columns are those of the release."""
        statistics = self._profile(self.released, self.other, self.sensitive) if self.sensitive else None
        before, after = self._count_classes(self.original), self._count_classes(self.released, statistics)
        return evaluate_classes(
            ClassSizeCounts.of(before.class_sizes),
            ClassSizeCounts.of(after.class_sizes),
            k=self.job.k,
            quasi_identifiers=self.names,
            disclosures=after.disclosures,
            models=after.proof.models,
            notes=(*unmeasured_notes(self.sensitive, after.disclosures), _WITHOUT_PAIRS),
        )

    def evaluate(self, key: str) -> Evaluation:
        """Evaluate the records that have the same key."""
        from shoal.engines.spark.evaluate_pairs import join_by_key, sum_metrics

        job, columns = self.job, (*self.names, *self.sensitive)
        joined = join_by_key(
            self.original, self.released, key, f"{self.folder}/joined", names=self.names, sensitive=self.sensitive
        )
        statistics = self._profile(self.original, self.folder, columns)
        released = self._profile(self.released, self.other, self.names)
        schema = job.schema(statistics.sample, known_kinds(statistics, self.original.names))
        encoder, facts = job.fit(statistics, released, schema)
        sums, n_suppressed = sum_metrics(joined, (statistics, released), encoder, facts)
        before, after = self._count_classes(self.original), self._count_classes(joined.source, statistics)
        return evaluate_parts(
            sums,
            replace(facts, n_classes=after.proof.classes),
            before=ClassSizeCounts.of(before.class_sizes),
            after=ClassSizeCounts.of(after.class_sizes, n_suppressed),
            models=after.proof.models,
            **job.describe(encoder, self.sensitive, after.disclosures),
        )

    def _profile(self, source: SparkSource, folder: str, names: Sequence[str]) -> TableStatistics:
        from shoal.engines.spark.table_profile import profile_source

        return profile_source(source, f"{folder}/statistics", names=names)

    def _count_classes(self, source: SparkSource, statistics: TableStatistics | None = None) -> SparkVerification:
        """Count the classes; with statistics of the sensitive columns, also check models and sum disclosures."""
        from shoal.engines.spark.verify_parquet import verify_on_spark

        schema, sensitive = Schema(()), dict[str, Any]()
        if statistics is not None:
            schema = self.job.schema(statistics.sample, known_kinds(statistics, source.names))
            sensitive = {"models": self.job.models, "sensitive": self.sensitive, "statistics": statistics}
        return verify_on_spark(
            source,
            "",
            k=self.job.k or _ANY_K,
            quasi_identifiers=self.names,
            schema=schema,
            records=source.records,
            **sensitive,
        )
