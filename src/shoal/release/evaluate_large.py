"""Evaluation of tables that are not held in memory: files in pieces, and Spark frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import data
from shoal.data import ReadOptions
from shoal.data.chunked import (
    ChunkedFile,
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
from shoal.metrics.disclosure_sums import sum_disclosures, unmeasured_notes
from shoal.metrics.evaluate import ClassSizeCounts, compute_part_sums, distance_name, evaluate_classes, evaluate_parts
from shoal.metrics.inputs import EquivalenceClasses, TableFacts
from shoal.metrics.table_pair import PairEncoder
from shoal.release.column_options import Hierarchies, Levels, resolve_schema
from shoal.release.inspect import is_shuffled
from shoal.release.large_tables import COUNT_FRACTION, open_in_pieces, stored_frame
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
    separate_missing: bool
    sensitive: Names
    models: tuple[PrivacyModel, ...]
    weights: Mapping[str, float]

    def columns(self, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the quasi-identifiers and the sensitive columns of a table with these columns."""
        quasi_identifiers = select_names(self.quasi_identifiers, names, Role.QUASI_IDENTIFIER)
        data.resolve_weights(quasi_identifiers, self.weights)
        return quasi_identifiers, select_sensitive(self.sensitive, self.models, names, quasi_identifiers)

    def schema(self, statistics: TableStatistics, names: Sequence[str]) -> Schema:
        """Return the schema of a table with these columns, by the statistics of those that are used."""
        quasi_identifiers, sensitive = self.columns(names)
        kinds = dict(statistics.kinds())
        columns = [(name, kinds.get(name, Kind.NOMINAL)) for name in names]
        schema = Schema.assign(columns, quasi_identifiers=quasi_identifiers, sensitive=sensitive)
        return resolve_schema(
            statistics.sample,
            schema,
            hierarchies=self.hierarchies,
            levels=self.levels,
            kinds=self.kinds,
            allow_mixed=True,
        )

    def fit(
        self, original: TableStatistics, released: TableStatistics, schema: Schema, names: Sequence[str]
    ) -> tuple[PairEncoder, TableFacts]:
        """Return the encoder of both tables, and the facts of the original."""
        return PairEncoder.from_statistics(
            original,
            released,
            [column for column in schema.columns if column.name in names],
            k=self.k,
            standardize=self.standardize,
            weights=self.weights,
            distance=self.distance,
            separate_missing=self.separate_missing,
        )


def select_sensitive(
    sensitive: Names, models: Sequence[PrivacyModel], names: Sequence[str], quasi_identifiers: Sequence[str]
) -> tuple[str, ...]:
    """Return the named sensitive columns, and those with a privacy model."""
    named = select_names(sensitive, names, Role.SENSITIVE)
    with_models = dict.fromkeys(model.column for model in models)
    return (*named, *(name for name in with_models if name not in (*named, *quasi_identifiers)))


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
    for name in names:
        if name not in release.names:
            raise ColumnError.missing_in_release(name)
    shared = shared_columns(source.names, release.names, names)
    columns = (list(dict.fromkeys([*names, *sensitive, *shared])), [*names, *shared])
    statistics = profile_file(source, columns=columns[0])
    released = profile_file(release, columns=columns[1])
    if statistics.records != released.records:
        raise DataError.record_counts_differ(statistics.records, released.records)
    if is_shuffled(release.path, release.sha256):
        raise DataError.shuffled()
    with temporary_folder() as folder:
        pair = _FilePair(source, release, statistics, released, columns, job, names, sensitive)
        return pair.evaluate(folder, COUNT_FRACTION * budget.class_count_bytes // 2)


@dataclass(frozen=True)
class _FilePair:
    """A file and its release, with their statistics."""

    source: ChunkedFile
    release: ChunkedFile
    statistics: TableStatistics
    released: TableStatistics
    columns: tuple[list[str], list[str]]
    """Columns that are read of each."""
    job: EvaluationJob
    names: tuple[str, ...]
    sensitive: tuple[str, ...]

    def evaluate(self, folder: Any, max_bytes: int) -> Evaluation:
        """Read both files once more; at most about ``max_bytes`` of the classes of each are in memory."""
        job, schema = self.job, self.job.schema(self.statistics, self.source.names)
        encoder, facts = job.fit(self.statistics, self.released, schema, self.names)
        before, after = ClassCounter(folder, self.names, max_bytes=max_bytes), self._counter(schema, folder, max_bytes)
        sums, n_suppressed = [], 0
        order = data.RowOrder(self.columns[1][len(self.names) :])
        for chunk, other in paired_chunks(self.source, self.release, columns=self.columns):
            original, released = with_column_types(chunk, self.statistics), with_column_types(other, self.released)
            order.add(original, released)
            before.add(chunk)
            after.add(other, values=original)
            suppressed = data.fully_suppressed(released, self.names)
            n_suppressed += int(suppressed.sum())
            unknown = EquivalenceClasses(np.ones(chunk.height, dtype=np.int64), job.k)
            part = encoder.transform(original, released, (unknown, unknown), suppressed=suppressed, table_facts=facts)
            sums.append(compute_part_sums(part))
        if order.is_shuffled:
            raise DataError.shuffled()
        disclosures = sum_disclosures(after.distributions())
        classes = sum(after.counts.sizes.values())
        return evaluate_parts(
            sums,
            replace(facts, n_classes=classes),
            before=ClassSizeCounts.of(before.counts.sizes),
            after=ClassSizeCounts.of(after.counts.sizes, n_suppressed),
            base=encoder.scale.name if encoder.scale else "none",
            distance=distance_name(encoder.categories, job.distance),
            disclosures=disclosures,
            models=self._check_models(schema, after),
            notes=(*incomparable_notes(encoder), *unmeasured_notes(self.sensitive, disclosures), _IN_PIECES),
        )

    def _counter(self, schema: Schema, folder: Any, max_bytes: int) -> ClassCounter:
        columns = [column for column in schema.columns if column.name in self.sensitive]
        found = [data.encode_sensitive_column(self.statistics, column) for column in columns]
        measured = [codes for codes in found if codes is not None]
        counted = dict.fromkeys(
            [*(model.column for model in self.job.models), *(codes.column.name for codes in measured)]
        )
        values = {name: data.distinct_texts(self.statistics, name) for name in counted}
        return ClassCounter(folder, self.names, values=values, measured=measured, max_bytes=max_bytes)

    def _check_models(self, schema: Schema, counter: ClassCounter) -> tuple[ModelCheck, ...]:
        if not self.job.models:
            return ()
        return counter.check_models(data.SensitiveEncoder.from_statistics(self.statistics, self.job.models, schema))


def evaluate_frames(job: EvaluationJob, key: str | None, scratch: str | None) -> Evaluation:
    """Evaluate two Spark frames on the cluster; without a key, the released values of a record are not known."""
    for frame in (job.original, job.released):
        if not spark.is_frame(frame):
            raise OptionError.two_frames()
    names, sensitive = job.columns(job.original.columns)
    for name in names:
        if name not in job.released.columns:
            raise ColumnError.missing_in_release(name)
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
        before, after = self._original_classes(), self._released_classes(self.released, statistics)
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
        encoder, facts = job.fit(statistics, released, job.schema(statistics, self.original.names), self.names)
        sums, n_suppressed = sum_metrics(joined, (statistics, released), encoder, facts)
        before, after = self._original_classes(), self._released_classes(joined.source, statistics)
        return evaluate_parts(
            sums,
            replace(facts, n_classes=after.proof.classes),
            before=ClassSizeCounts.of(before.class_sizes),
            after=ClassSizeCounts.of(after.class_sizes, n_suppressed),
            base=encoder.scale.name if encoder.scale else "none",
            distance=distance_name(encoder.categories, job.distance),
            disclosures=after.disclosures,
            models=after.proof.models,
            notes=(*incomparable_notes(encoder), *unmeasured_notes(self.sensitive, after.disclosures), _IN_PIECES),
        )

    def _profile(self, source: SparkSource, folder: str, names: Sequence[str]) -> TableStatistics:
        from shoal.engines.spark.table_profile import profile_source

        return profile_source(source, f"{folder}/statistics", names=names)

    def _original_classes(self) -> SparkVerification:
        return self._count(self.original, Schema(()))

    def _released_classes(self, source: SparkSource, statistics: TableStatistics | None) -> SparkVerification:
        if statistics is None:
            return self._count(source, Schema(()))
        schema = self.job.schema(statistics, source.names)
        return self._count(source, schema, models=self.job.models, sensitive=self.sensitive, statistics=statistics)

    def _count(self, source: SparkSource, schema: Schema, **sensitive: Any) -> SparkVerification:
        from shoal.engines.spark.verify_parquet import verify_on_spark

        return verify_on_spark(
            source,
            "",
            k=self.job.k or _ANY_K,
            quasi_identifiers=self.names,
            schema=schema,
            records=source.records,
            **sensitive,
        )
