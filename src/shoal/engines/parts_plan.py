"""Plan of an out-of-core release: what is computed for each chunk and part, whatever the engine.

The plan follows from the table statistics: the encoder, and the cut tree that partitions the records into parts that
fit in memory and are large enough to group. Every method then sees one chunk of the table or one part, so that parts
can be processed in any order, in parallel, on several machines, and again after a fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal import data, recode
from shoal.data import Encoder, SensitiveEncoder, SurveyColumns, SurveyStatistics, Table
from shoal.data.chunked import TableStatistics, keeps_dtype, with_column_types
from shoal.data.encode.category_codes import node_counts
from shoal.data.row_order import mix_bits
from shoal.domain import (
    CategoricalColumn,
    DateColumn,
    FloatMatrix,
    FloatVector,
    IntegerColumn,
    IntMatrix,
    IntVector,
    Policy,
    Precision,
    Records,
    Refinement,
    RoundedColumn,
    Schema,
    Search,
    SurveyDesign,
    TextColumn,
    number_by_first_row,
)
from shoal.engines.memory_budget import MemoryBudget
from shoal.engines.plan import ReleasePlan
from shoal.errors import ColumnError, DataError
from shoal.metrics.evaluate import PartialSums, compute_part_sums
from shoal.metrics.inputs import EquivalenceClasses, TableFacts, category_facts
from shoal.microaggregation.cut_tree import CutTree, build_cut_tree
from shoal.microaggregation.group import check_stratum_sizes
from shoal.recode import INTERVAL

Arrays = dict[str, NDArray[Any]]
"""Columns of one length by name, as they are spilled."""
ROW, _WEIGHT, _HOUSEHOLD = "row", "w", "h"
_SUPPRESSED = "*"
_HOUSEHOLD_GROWTH = 3
"""How many times its records a leaf may have once members of households have joined the first of them."""
_MAX_LEAVES = 100_000
"""Maximum number of leaves in all strata, each of which has a spill file."""
NUMBERS, INTEGERS, ORIGINAL_TYPE, TEXTS = "numbers", "integers", "original type", "texts"
"""Output forms of a quasi-identifier."""


@dataclass(frozen=True, eq=False, repr=False)
class EncodedRecords:
    """Encoded records of a chunk or of a part, with what is known of their survey design."""

    records: Records
    sampling_weights: FloatVector | None = None
    strata: IntVector | None = None
    """Key of the stratum of each record; None without strata, and within a part, which is in one stratum."""
    households: IntVector | None = None
    """Key of the household of each record."""

    @property
    def count(self) -> int:
        return self.records.count


class ReleasedChunk(NamedTuple):
    """A chunk of the release."""

    table: Table
    sums: PartialSums
    """Partial sums of the metrics."""
    sampling_weights: FloatVector | None


class PartResult(NamedTuple):
    """Result of processing a part."""

    columns: Arrays
    """Recoded columns by the position of the quasi-identifier: numbers, days or text positions; and the bounds of
    intervals.
    """
    interval_texts: dict[str, list[str]]
    """Texts of interval columns, by the same positions."""
    original_class_sizes: IntVector
    group_sizes: IntVector
    n_suppressed: int
    notes: tuple[str, ...]
    search: Search | None

    @property
    def records(self) -> int:
        return len(next(iter(self.columns.values())))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PartsPlan(ReleasePlan):
    """Plan of an out-of-core release."""

    statistics: TableStatistics
    sensitive_encoder: SensitiveEncoder | None
    """None without privacy models."""
    cuts: CutTree
    part_size: int
    template: Records
    """Encoded sample records, the template of records that are read from a spill file."""
    table_facts: TableFacts
    precisions: Mapping[str, Precision]
    """Precision of the numeric quasi-identifiers that are rounded."""
    strata: IntVector
    """Sorted keys of the strata; empty without strata."""
    parallel_parts: int
    """Number of parts that are processed at the same time and share a time limit."""

    @classmethod
    def build(
        cls,
        statistics: TableStatistics,
        policy: Policy,
        budget: MemoryBudget,
        *,
        survey: SurveyStatistics | None,
        parallel_parts: int,
    ) -> PartsPlan:
        """Build the plan of a table from its statistics; ``survey`` is None without survey columns."""
        if survey is not None:
            survey.check(policy.survey)
        households = policy.survey.households
        if households and households not in policy.schema.released:
            raise ColumnError.households_not_released(households)
        encoder = Encoder.from_statistics(
            statistics,
            policy.schema,
            standardize=policy.standardize,
            distance=policy.distance,
            weights=policy.weights,
            missing=policy.missing,
        )
        sensitive = None
        if policy.models:
            sensitive = SensitiveEncoder.from_statistics(statistics, policy.models, policy.schema)
            sensitive.check_feasible()
        sample = encoder.transform(statistics.sample)
        size = policy.pieces or budget.part_rows(columns=len(encoder.names), refined=policy.refinement is not None)
        leaf_size = size // _HOUSEHOLD_GROWTH if households else size
        max_rows = max(1, leaf_size * sample.count // statistics.records)
        cuts = build_cut_tree(sample.space.sketched_points, max_size=max_rows, min_size=max(1, max_rows // 4))
        return cls(
            policy=replace(policy, pieces=size),
            statistics=statistics,
            encoder=encoder,
            sensitive_encoder=sensitive,
            cuts=cuts,
            part_size=size,
            template=sample if sensitive is None else replace(sample, constraints=sensitive.constraints),
            table_facts=_table_facts(statistics, encoder, sample, policy),
            precisions=_precisions(statistics, encoder, policy.rounding),
            strata=_strata(survey, policy, blocks=cuts.n_blocks),
            parallel_parts=parallel_parts,
        )

    @property
    def records(self) -> int:
        """Records of the whole table."""
        return self.statistics.records

    @property
    def columns(self) -> list[str]:
        """Columns that the groups depend on."""
        sensitive = self.sensitive_encoder.values if self.sensitive_encoder else ()
        return list(dict.fromkeys([*self.encoder.names, *sensitive, *self.policy.survey.columns]))

    @property
    def separates_equal_records(self) -> bool:
        """Whether equal records may be in different parts."""
        return bool(self.policy.survey.strata or self.policy.survey.households)

    @property
    def n_leaves(self) -> int:
        """Leaves of the cut tree in all strata."""
        return max(1, len(self.strata)) * self.cuts.n_blocks

    def for_workers(self) -> PartsPlan:
        """Return the plan reduced to what chunks and parts need, small enough to send to workers."""
        names = self.columns
        schema = Schema(tuple(column for column in self.policy.schema.columns if column.name in names))
        one_record = replace(self.template, constraints=None).take(np.arange(1))
        return replace(
            self,
            policy=replace(self.policy, schema=schema),
            statistics=self.statistics.select(names),
            template=replace(one_record, constraints=self.template.constraints),
        )

    def output_form(self, name: str) -> str:
        """Return the output form of a quasi-identifier: numbers, integers, cells of the original type, or texts."""
        column = next(column for column in self.policy.schema.columns if column.name == name)
        if name not in self.encoder.numeric or column.recode == INTERVAL:
            return TEXTS
        if name in self.encoder.dates:
            return ORIGINAL_TYPE
        precision = self.precisions.get(name)
        if precision == recode.INTEGER:
            return INTEGERS
        typed = precision is not None and keeps_dtype(precision, self.statistics.column_type(name).dtype)
        return ORIGINAL_TYPE if typed else NUMBERS

    def encode(self, chunk: Table) -> EncodedRecords:
        """Encode a chunk of the table, with its constraints."""
        typed = with_column_types(chunk, self.statistics)
        records = self.encoder.transform(typed)
        if self.sensitive_encoder is not None:
            records = replace(records, constraints=self.sensitive_encoder.transform(typed))
        survey = SurveyColumns.of(typed, **self.policy.survey.names)
        return EncodedRecords(records, survey.sampling_weights, survey.stratum_keys(), survey.household_keys())

    def assign_leaves(self, encoded: EncodedRecords) -> IntVector:
        """Return the leaf of each record: those of the cut tree, numbered through stratum by stratum.

        The engine then moves the members of a household to the leaf of the first of them.
        """
        leaf = self.cuts.block_of(encoded.records.space.sketched_points)
        if encoded.strata is None:
            return leaf
        return leaf + self.cuts.n_blocks * np.searchsorted(self.strata, encoded.strata)

    def zero_value_counts(self, rows: int) -> IntMatrix:
        """Return zero counts of the sensitive values, which are none without privacy models."""
        encoder = self.sensitive_encoder
        return np.zeros((rows, int(encoder.constraints.value_offsets[-1]) if encoder else 0), dtype=np.int64)

    def process_part(self, part: EncodedRecords, number: int) -> PartResult:
        """Group and recode the records of a part."""
        records = part.records
        groups, columns, intervals = self.group_and_recode(
            records,
            design=SurveyDesign(
                part.sampling_weights,
                households=None if part.households is None else number_by_first_row(part.households)[1],
            ),
            precisions=lambda *_: self.precisions,
            refinement=self._refinement_of(number, records.count),
        )
        recoded = {str(position): _cells(columns[name]) for position, name in enumerate(records.names)}
        interval_texts: dict[str, list[str]] = {}
        for name, (low, high) in intervals.items():
            key, column = str(records.names.index(name)), columns[name]
            recoded |= {f"{key}.low": low, f"{key}.high": high}
            interval_texts[key] = list(column.words) if isinstance(column, TextColumn) else []
        return PartResult(
            recoded,
            interval_texts,
            original_class_sizes=_class_sizes(records),
            group_sizes=groups.sizes,
            n_suppressed=groups.n_suppressed,
            notes=groups.account,
            search=groups.search,
        )

    def _refinement_of(self, number: int, records: int) -> Refinement | None:
        """Return the refinement of a part: its share of the time limit, or its steps in an earlier release."""
        refinement = self.policy.refinement
        if refinement is None or refinement.time_limit is None:
            return refinement
        if number < len(refinement.steps_planned):
            return replace(
                refinement,
                steps_planned=refinement.steps_planned[number : number + 1],
                steps_done=refinement.steps_done[number : number + 1],
                descent_passes=refinement.descent_passes[number : number + 1],
            )
        share = min(1.0, self.parallel_parts * records / self.records)
        return replace(refinement, time_limit=refinement.time_limit * share)

    def release_chunk(
        self, chunk: Table, recoded: Arrays, interval_texts: Mapping[str, tuple[str, ...]]
    ) -> ReleasedChunk:
        """Return a chunk of the release."""
        typed = with_column_types(chunk, self.statistics)
        columns = {
            name: self._column(position, recoded, interval_texts) for position, name in enumerate(self.encoder.names)
        }
        released = data.replace_columns(typed, self.policy.schema, columns)
        records = self.encoder.transform(typed)
        unknown = EquivalenceClasses(np.ones(records.count, dtype=np.int64), self.policy.k)
        inputs = self.metric_inputs(
            typed,
            released,
            records,
            columns=columns,
            intervals={
                self.encoder.names[int(position)]: (recoded[f"{position}.low"], recoded[f"{position}.high"])
                for position in interval_texts
            },
            classes=(unknown, unknown),
            means=self.encoder.imputed_numbers,
            table_facts=self.table_facts,
        )
        weights = SurveyColumns.of(typed, sampling_weights=self.policy.survey.sampling_weights).sampling_weights
        return ReleasedChunk(released, compute_part_sums(inputs), weights)

    def _column(self, position: int, recoded: Arrays, interval_texts: Mapping[str, tuple[str, ...]]) -> Any:
        name, cells = self.encoder.names[position], recoded[str(position)]
        if str(position) in interval_texts:
            return TextColumn(
                interval_texts[str(position)], cells.astype(np.int64), numeric=name not in self.encoder.dates
            )
        if name not in self.encoder.numeric:
            return TextColumn(self._nodes(name), cells.astype(np.int64))
        if name in self.encoder.dates:
            return DateColumn(cells)
        if name not in self.precisions:
            return cells
        # the same type in every chunk, with or without missing values
        precision = self.precisions[name]
        return IntegerColumn(cells) if precision == recode.INTEGER else RoundedColumn(cells, precision)

    def _nodes(self, name: str) -> tuple[str, ...]:
        """Return the released texts of the nodes of a category, with the suppression mark last if it may occur."""
        categories = next(column for column in self.encoder.categories if column.name == name)
        nodes = tuple(node.encode(errors="backslashreplace").decode() for node in categories.hierarchy.nodes)
        suppresses = self.policy.suppression > 0 or self.policy.missing == "suppress"
        return (*nodes, _SUPPRESSED) if suppresses and _SUPPRESSED not in nodes else nodes


def _strata(survey: SurveyStatistics | None, policy: Policy, *, blocks: int) -> IntVector:
    """Return the sorted keys of the strata; raise if one is too small, or if there are too many."""
    if survey is None or not survey.strata:
        return np.empty(0, dtype=np.int64)
    if not policy.survey.households:  # these are counted with their leaves
        check_stratum_sizes(np.array([*survey.strata.values()]), policy.k, unit="record")
    if len(survey.strata) * blocks > _MAX_LEAVES:
        raise DataError.too_many_strata(len(survey.strata), most=_MAX_LEAVES // blocks)
    return np.array(sorted(survey.strata), dtype=np.int64)


def _precisions(statistics: TableStatistics, encoder: Encoder, rounding: str) -> dict[str, Precision]:
    names = [name for name in encoder.numeric if name not in encoder.dates]
    if rounding == recode.BY_COLUMN:
        return {name: statistics.column_type(name).precision for name in names}
    profiles = {profile.name: profile for profile in statistics.column_profiles()}
    return {name: recode.INTEGER for name in names if rounding == recode.INTEGER_COLUMNS and profiles[name].is_integer}


def _table_facts(statistics: TableStatistics, encoder: Encoder, sample: Records, policy: Policy) -> TableFacts:
    """Return the table facts of the metrics; quartiles are those of the sample."""
    numeric = encoder.numeric
    low, high = zip(*(statistics.range(name) or (0.0, 0.0) for name in numeric), strict=True) if numeric else ((), ())
    means = [encoder.imputed_numbers[name] for name in numeric]
    moments = [statistics.column_type(name).sketch.moments for name in numeric]
    minima, maxima, centers = encoder.scale.apply(np.array([low, high, means], dtype=np.float64))
    categories = [category_facts(column, _code_counts(statistics, encoder, column)) for column in encoder.categories]
    return TableFacts(
        records=statistics.records,
        k=policy.k,
        quasi_identifiers=encoder.names,
        numeric=numeric,
        categories=encoder.categories,
        weights=np.array([policy.weights.get(name, 1.0) for name in encoder.names]),
        squared_unit=encoder.scale.squared_unit,
        means=centers,
        stds=np.array([data.scaled_std(each, encoder.scale, j) for j, each in enumerate(moments)]),
        minima=minima,
        maxima=maxima,
        quartiles=np.quantile(encoder.scale.apply(sample.values), (0.25, 0.5, 0.75), axis=0).T,
        centroid_codes=np.array([centroid for centroid, _ in categories], dtype=np.int64),
        frequent_codes=tuple(frequent for _, frequent in categories),
        n_classes=0,
    )


def _code_counts(statistics: TableStatistics, encoder: Encoder, column: CategoricalColumn) -> IntVector:
    counts: IntVector = node_counts(column, statistics.value_counts(column.name) or {})
    if column.missing_code is not None:
        counts[column.missing_code] += encoder.missing_counts.get(column.name, 0)
    return counts


def _cells(column: Any) -> NDArray[Any]:
    """Return a recoded column as one array; categories and intervals as text positions."""
    if isinstance(column, TextColumn):
        return column.codes.astype(np.int32)
    if isinstance(column, RoundedColumn | IntegerColumn):
        return column.numbers
    return np.asarray(column.days if isinstance(column, DateColumn) else column, dtype=np.float64)


def _class_sizes(records: Records) -> IntVector:
    """Return the sizes of the classes of equal records.

    Records are compared by 64-bit hashes. The probability of a collision among ten million classes is three in a
    million, and the sizes are used in reports only.
    """
    key = np.zeros(records.count, dtype=np.uint64)
    columns = [*(records.values + 0.0).T.view(np.uint64), *records.codes.T.astype(np.uint64)]
    if records.missing is not None:
        columns += [*records.missing.T.astype(np.uint64)]
    for column in columns:
        key = mix_bits(key ^ mix_bits(column + np.uint64(0x9E3779B97F4A7C15)))
    return np.unique(key, return_counts=True)[1]


def add_value_counts(records: Records, groups: IntVector, counts: IntMatrix) -> None:
    """Add the sensitive values of each record to the counts of its group."""
    if records.constraints is not None:
        np.add.at(counts, (groups[:, None], records.constraints.codes + records.constraints.value_offsets[:-1]), 1)


def to_arrays(encoded: EncodedRecords, rows: IntVector) -> Arrays:
    """Convert records to columns for a spill file, with their row numbers."""
    records = encoded.records
    arrays: Arrays = {ROW: rows}
    arrays |= {f"v{j}": column for j, column in enumerate(records.values.T)}
    arrays |= {f"c{j}": column.astype(np.int32) for j, column in enumerate(records.codes.T)}
    if records.missing is not None:
        arrays |= {f"m{j}": column for j, column in enumerate(records.missing.T)}
    if records.constraints is not None:
        arrays |= {f"d{j}": column.astype(np.int32) for j, column in enumerate(records.constraints.codes.T)}
    if encoded.sampling_weights is not None:
        arrays[_WEIGHT] = encoded.sampling_weights
    if encoded.households is not None:
        arrays[_HOUSEHOLD] = encoded.households
    return arrays


def from_arrays(arrays: Arrays, template: Records) -> EncodedRecords:
    """Convert the columns of a spill file to records, with the encoding of the template."""

    def side_by_side(letter: str, kind: type, count: int) -> NDArray[Any]:
        columns: FloatMatrix = np.empty((len(arrays[ROW]), count), dtype=kind)
        for j in range(count):
            columns[:, j] = arrays[f"{letter}{j}"]
        return columns

    constraints = template.constraints
    if constraints is not None:
        constraints = constraints._replace(codes=side_by_side("d", np.int64, constraints.codes.shape[1]))
    records = replace(
        template,
        values=side_by_side("v", np.float64, len(template.numeric)),
        codes=side_by_side("c", np.int64, len(template.categories)),
        missing=None if template.missing is None else side_by_side("m", np.bool_, len(template.names)),
        constraints=constraints,
    )
    return EncodedRecords(records, arrays.get(_WEIGHT), households=arrays.get(_HOUSEHOLD))
