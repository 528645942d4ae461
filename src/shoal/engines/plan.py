"""Plan of an out-of-core release: what is computed for each chunk and part, whatever the engine.

The plan follows from the table statistics: the encoder, and the cut tree that partitions the records into parts that
fit in memory and are large enough to group. Every method then sees one chunk of the table or one part, so that parts
can be processed in any order, in parallel, on several machines, and again after a fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal import data, metrics, recode
from shoal.data import Encoder, SensitiveEncoder, Table
from shoal.data.chunked import (
    TableStatistics,
    keeps_dtype,
    with_column_types,
)
from shoal.data.row_order import mix_bits
from shoal.domain import (
    BoolMatrix,
    DateColumn,
    FloatMatrix,
    FloatVector,
    IntegerColumn,
    IntMatrix,
    IntVector,
    Policy,
    Precision,
    Records,
    RoundedColumn,
    Schema,
    Search,
    TextColumn,
)
from shoal.metrics.evaluate import PartialSums, compute_part_sums
from shoal.metrics.inputs import EquivalenceClasses, TableFacts
from shoal.microaggregation.cut_tree import CutTree
from shoal.microaggregation.group import GroupingTask, group
from shoal.recode import INTERVAL, as_nodes, as_numbers

Arrays = dict[str, NDArray[Any]]
"""Columns of one length by name, as they are spilled."""
ROW = "row"
_SUPPRESSED = "*"
NUMBERS, INTEGERS, ORIGINAL_TYPE, TEXTS = "numbers", "integers", "original type", "texts"
"""Output forms of a quasi-identifier."""


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


@dataclass(frozen=True, eq=False, repr=False)
class ReleasePlan:
    """Policy, table statistics and everything derived from them."""

    policy: Policy
    statistics: TableStatistics
    encoder: Encoder
    sensitive_encoder: SensitiveEncoder | None
    """None without privacy models."""
    cuts: CutTree
    part_size: int
    template: Records
    """Encoded sample records, the template of records that are read from a spill file."""
    table_facts: TableFacts
    distance: str
    precisions: Mapping[str, Precision]
    """Precision of the numeric quasi-identifiers that are rounded."""
    keep_totals: bool
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def records(self) -> int:
        """Records of the whole table."""
        return self.statistics.records

    @property
    def columns(self) -> list[str]:
        """Columns that the groups depend on."""
        return [*self.encoder.names, *(self.sensitive_encoder.values if self.sensitive_encoder else ())]

    def for_workers(self) -> ReleasePlan:
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

    def encode(self, chunk: Table) -> Records:
        """Encode a chunk of the table, with its constraints."""
        typed = with_column_types(chunk, self.statistics)
        records = self.encoder.transform(typed)
        if self.sensitive_encoder is None:
            return records
        return replace(records, constraints=self.sensitive_encoder.transform(typed))

    def assign_leaves(self, records: Records) -> IntVector:
        """Return the leaf of the cut tree of each record."""
        return self.cuts.block_of(records.space.sketched_points)

    def zero_value_counts(self, rows: int) -> IntMatrix:
        """Return zero counts of the sensitive values, which are none without privacy models."""
        encoder = self.sensitive_encoder
        return np.zeros((rows, int(encoder.constraints.value_offsets[-1]) if encoder else 0), dtype=np.int64)

    def process_part(self, records: Records) -> PartResult:
        """Group and recode the records of a part."""
        policy = self.policy
        task = GroupingTask(
            policy.k,
            policy.method,
            policy.seed,
            self.options,
            policy.suppression,
            refinement=policy.refinement,
            blocks=policy.blocks,
        )
        incomplete = None
        if policy.missing == "suppress" and records.missing is not None:
            incomplete = np.asarray(records.missing.any(axis=1), dtype=np.bool_)
        groups = group(records, task, always_suppressed=incomplete)
        columns = recode.recode(
            records,
            groups,
            recodings={column.name: column.recode for column in policy.schema.columns},
            precisions=self.precisions,
            keep_totals=self.keep_totals,
            missing=policy.missing,
            suppressed=groups.suppressed,
        )
        recoded = {str(position): _cells(columns[name]) for position, name in enumerate(records.names)}
        interval_texts: dict[str, list[str]] = {}
        for name, (low, high) in as_numbers(records, groups, columns).bounds.items():
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

    def release_chunk(
        self, chunk: Table, recoded: Arrays, interval_texts: Mapping[str, tuple[str, ...]]
    ) -> tuple[Table, PartialSums]:
        """Return a chunk of the release and its partial sums of the metrics."""
        typed = with_column_types(chunk, self.statistics)
        columns = {
            name: self._column(position, recoded, interval_texts) for position, name in enumerate(self.encoder.names)
        }
        released = data.replace_columns(typed, self.policy.schema, columns)
        return released, compute_part_sums(self._pair(typed, released, columns, recoded))

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

    def _pair(self, chunk: Table, released: Table, columns: Mapping[str, Any], recoded: Arrays) -> metrics.MetricInputs:
        """Return the metric inputs of a chunk; its class sizes are unknown here."""
        records, facts = self.encoder.transform(chunk), self.table_facts
        unknown = EquivalenceClasses(np.ones(records.count, dtype=np.int64), facts.k)
        categorical = [column.name for column in records.categories]
        released_values, suppressed_values, intervals = self._numbers(records, recoded)
        missing = None
        if records.missing is not None:
            missing = records.missing[:, [records.names.index(name) for name in records.numeric]]
        return metrics.MetricInputs(
            quasi_identifiers=records.names,
            original_classes=unknown,
            released_classes=unknown,
            numeric=records.numeric,
            dates=records.dates,
            original_values=tuple(records.values.T),
            released_values=released_values,
            scale=records.scale,
            original_missing=missing,
            released_missing=suppressed_values,
            released_intervals=intervals,
            categories=records.categories,
            original_codes=records.codes,
            released_codes=as_nodes(records, columns),
            original_codes_missing=data.missing_mask(chunk, categorical),
            released_codes_missing=data.missing_mask(released, categorical),
            weights=self.policy.weights,
            suppressed=data.fully_suppressed(released, records.names) if self._suppresses else None,
            table_facts=facts,
        )

    @property
    def _suppresses(self) -> bool:
        return self.policy.suppression > 0 or self.policy.missing == "suppress"

    def _numbers(
        self, records: Records, recoded: Arrays
    ) -> tuple[tuple[FloatVector, ...], BoolMatrix | None, dict[str, tuple[FloatVector, FloatVector]]]:
        """Return the released numbers, which of them are suppressed, and the bounds of intervals.

        The number of an interval is its midpoint, that of a suppressed value the column mean.
        """
        released, suppressed = [], np.zeros(records.values.shape, dtype=np.bool_)
        bounds: dict[str, tuple[FloatVector, FloatVector]] = {}
        for j, name in enumerate(records.numeric):
            position = str(records.names.index(name))
            cells = recoded[position]
            if f"{position}.low" in recoded:
                bounds[name] = recoded[f"{position}.low"], recoded[f"{position}.high"]
                cells = bounds[name][0] / 2 + bounds[name][1] / 2
            suppressed[:, j] = np.isnan(cells)
            filled = np.where(suppressed[:, j], self.encoder.imputed_numbers[name], cells)
            released.append(np.where(records.is_missing(name), records.values[:, j], filled))
        return tuple(released), suppressed if suppressed.any() else None, bounds


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


def to_arrays(records: Records, rows: IntVector) -> Arrays:
    """Convert records to columns for a spill file, with their row numbers."""
    arrays: Arrays = {ROW: rows}
    arrays |= {f"v{j}": column for j, column in enumerate(records.values.T)}
    arrays |= {f"c{j}": column.astype(np.int32) for j, column in enumerate(records.codes.T)}
    if records.missing is not None:
        arrays |= {f"m{j}": column for j, column in enumerate(records.missing.T)}
    if records.constraints is not None:
        arrays |= {f"d{j}": column.astype(np.int32) for j, column in enumerate(records.constraints.codes.T)}
    return arrays


def from_arrays(arrays: Arrays, template: Records) -> Records:
    """Convert the columns of a spill file to records, with the encoding of the template."""

    def side_by_side(letter: str, kind: type, count: int) -> NDArray[Any]:
        columns: FloatMatrix = np.empty((len(arrays[ROW]), count), dtype=kind)
        for j in range(count):
            columns[:, j] = arrays[f"{letter}{j}"]
        return columns

    constraints = template.constraints
    if constraints is not None:
        constraints = constraints._replace(codes=side_by_side("d", np.int64, constraints.codes.shape[1]))
    return replace(
        template,
        values=side_by_side("v", np.float64, len(template.numeric)),
        codes=side_by_side("c", np.int64, len(template.categories)),
        missing=None if template.missing is None else side_by_side("m", np.bool_, len(template.names)),
        constraints=constraints,
    )
