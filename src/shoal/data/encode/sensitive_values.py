"""Encode sensitive columns, and the constraints of privacy models on them as arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.data.chunked.column_statistics import MAX_DISTINCT
from shoal.data.chunked.table_statistics import TableStatistics
from shoal.data.chunked.typed_chunks import TypedFrameCells
from shoal.data.encode.category_codes import check_coverage
from shoal.data.library_errors import translate_errors
from shoal.data.model_checks import ClassValueCounts, class_values, satisfies, values_of_counts
from shoal.data.parse_intervals import released_bounds
from shoal.data.spelling import (
    Normalizer,
    match_nodes,
    normalize_text,
    normalize_text_for_verification,
    number_variants,
)
from shoal.data.table import ColumnContent, Table, text_values
from shoal.domain import FloatVector, IntVector, ModelConstraints, SensitiveColumn
from shoal.domain.columns import Column, Kind, Role, Schema
from shoal.domain.constraints import DISTINCT, ENTROPY, EQUAL, HIERARCHICAL, ORDERED, RECURSIVE, TOLERANCE
from shoal.domain.privacy_models import PrivacyModel
from shoal.errors import ColumnError, DataError, OptionError, PromiseError
from shoal.hierarchy import Hierarchy

_RULES = {
    "distinct-l": DISTINCT,
    "entropy-l": ENTROPY,
    "recursive-l": RECURSIVE,
    "t-equal": EQUAL,
    "t-ordered": ORDERED,
    "t-hierarchical": HIERARCHICAL,
}
_DIGITS = 10_000


@dataclass(frozen=True, eq=False, repr=False)
class SensitiveValues:
    """Distinct values of a sensitive column with their counts, and the tree above them."""

    texts: tuple[str, ...]
    """Texts of the column, sorted by value."""
    text_codes: IntVector
    """Code of each text; equal for spelling variants, -1 for texts that mean missing."""
    counts: IntVector
    """Number of records of each code; missing is the last, if it occurs."""
    parent: IntVector
    """Parents of the nodes, as in `ModelConstraints`; empty without a hierarchy."""
    height: FloatVector

    @classmethod
    def of(
        cls, column: Column, content: ColumnContent, normalize: Normalizer, records: IntVector | None = None
    ) -> SensitiveValues:
        """Find the values of these cells; ``records`` are the numbers of records per cell, 1 by default."""
        sorted_counts, missing = _sorted_counts(column, content, records)
        texts = sorted_counts["word"].to_list()
        codes = _text_codes(content, texts, normalize)
        counts = np.zeros(int(np.max(codes, initial=-1)) + 2, dtype=np.int64)
        np.add.at(counts, codes, sorted_counts["records"].to_numpy())  # code -1 is the last
        counts[-1] += missing
        counts = counts if counts[-1] else counts[:-1]
        if column.hierarchy is None:
            return cls(tuple(texts), codes, counts, np.zeros(0, dtype=np.int64), np.zeros(0))
        known, first = np.unique(codes, return_index=True)
        first_texts = [texts[place] for place in first[known >= 0].tolist()]
        names = match_nodes(column.hierarchy, first_texts)
        tree = _tree(column.hierarchy, [names[text] for text in first_texts], missing=len(counts) > len(first_texts))
        return cls(tuple(texts), codes, counts, *tree)

    @property
    def missing(self) -> int:
        """Code of a missing value, whether or not one occurs."""
        return int(np.max(self.text_codes, initial=-1)) + 1

    def codes(self, cells: pl.Series) -> IntVector:
        """Return the code of each cell."""
        codes = _cell_codes(self.texts, self.text_codes, cells)
        if int(codes.max(initial=0)) >= len(self.counts):
            raise PromiseError.unexpected_content("other sensitive values")
        return codes


@dataclass(frozen=True, eq=False, repr=False)
class SensitiveEncoder:
    """Values of the sensitive columns of a whole table, and the privacy models on them, which encode any part of it.

    Values are sorted: numbers and dates by size, levels in their order, others by text. Spelling variants are one
    value, as ``normalize`` decides. Missing or empty is one more value, the last, and in a hierarchy as far as possible
    from all others.
    """

    models: tuple[PrivacyModel, ...]
    values: Mapping[str, SensitiveValues]
    """Values of each sensitive column that has a model."""
    constraints: ModelConstraints
    """Constraints of the whole table, one rule per model, without records."""

    @classmethod
    def fit(
        cls, table: Table, models: Sequence[PrivacyModel], schema: Schema, *, normalize: Normalizer = normalize_text
    ) -> SensitiveEncoder:
        """Compute the encoder of a table in memory."""
        values = {
            column.name: SensitiveValues.of(column, table.cells.content(column.name), normalize)
            for column in _model_columns(models, schema, table.names, table.cells.content)
        }
        return cls(tuple(models), values, _constraints(models, values, table.height))

    @classmethod
    def from_statistics(
        cls,
        statistics: TableStatistics,
        models: Sequence[PrivacyModel],
        schema: Schema,
        *,
        normalize: Normalizer = normalize_text,
    ) -> SensitiveEncoder:
        """Compute the encoder of a table from its statistics."""
        values = {}
        for column in _model_columns(
            models, schema, statistics.names, lambda name: statistics.column_type(name).empty_content
        ):
            column_type = statistics.column_type(column.name)
            if column_type.distinct_content is None or column_type.distinct_cells is None:
                raise DataError.too_many_sensitive(column.name, MAX_DISTINCT)
            counts = column_type.distinct_cells.counts
            values[column.name] = SensitiveValues.of(column, column_type.distinct_content, normalize, counts)
        return cls(tuple(models), values, _constraints(models, values, statistics.records))

    def check_feasible(self, counts: IntVector | None = None, records_name: str = "the table") -> None:
        """Raise an error for models that the whole table as one group violates, or records with these value counts."""
        constraints = self.constraints
        counts = np.concatenate([values.counts for values in self.values.values()]) if counts is None else counts
        for d, model in enumerate(self.models):
            start, stop = constraints.value_offsets[constraints.column[d] : constraints.column[d] + 2]
            present = np.flatnonzero(counts[start:stop])
            one_class = ClassValueCounts.from_keys(present, counts[start:stop][present], int(stop - start))
            _check_satisfied(constraints, d, model, values_of_counts(constraints, d, one_class), records_name)

    def transform(self, table: Table) -> ModelConstraints:
        """Return the constraints with the codes of the table, or of a chunk that has the column types of the table."""
        codes = np.empty((table.height, len(self.values)), dtype=np.int64)
        for j, (name, values) in enumerate(self.values.items()):
            codes[:, j] = values.codes(text_values(table, name))
        return self.constraints._replace(codes=codes)


def encode_constraints(
    table: Table, models: Sequence[PrivacyModel], schema: Schema, *, normalize: Normalizer = normalize_text
) -> ModelConstraints:
    """Encode the constraints of these models on the groups of a table in memory."""
    return SensitiveEncoder.fit(table, models, schema, normalize=normalize).transform(table)


def _model_columns(
    models: Sequence[PrivacyModel], schema: Schema, names: Sequence[str], content: Callable[[str], ColumnContent]
) -> list[Column]:
    """Return the columns of the models; raise if a model does not fit its column."""
    known = {column.name: column for column in schema.columns}
    for model in models:
        _check_model(model, known, names, content)
    return [known[name] for name in dict.fromkeys(model.column for model in models)]


def _constraints(
    models: Sequence[PrivacyModel], values: Mapping[str, SensitiveValues], records: int
) -> ModelConstraints:
    """Assemble the constraints of these models, without records."""
    names, columns = list(values), list(values.values())
    if not columns:
        return ModelConstraints.none(0)
    return ModelConstraints(
        codes=np.zeros((0, len(columns)), dtype=np.int64),
        value_offsets=_offsets([len(column.counts) for column in columns]),
        column=np.array([names.index(model.column) for model in models], dtype=np.int64),
        rule=np.array([_RULES[model.name] for model in models], dtype=np.int64),
        threshold=np.array([model.threshold for model in models]),
        factor=np.array([model.factor for model in models]),
        frequencies=np.concatenate([column.counts for column in columns]) / records,
        node_offsets=_offsets([len(column.parent) for column in columns]),
        parent=np.concatenate([column.parent for column in columns]),
        height=np.concatenate([column.height for column in columns]),
    )


def sensitive_columns(table: Table, columns: Sequence[Column]) -> tuple[SensitiveColumn, ...]:
    """Encode sensitive columns for metrics, with values in the same order as in the model constraints.

    Equal numbers are one value, however they are written.
    """
    return tuple(_sensitive(table, column) for column in columns)


class SensitiveCodes(NamedTuple):
    """A sensitive column of a whole table, for measures that count its distinct texts."""

    column: SensitiveColumn
    """Kind and hierarchy of the column, without records."""
    codes: IntVector
    """Code of each of the `distinct_texts`, and of a missing value."""
    frequencies: FloatVector
    """Frequency of each code in the table."""


def counted_values(
    statistics: TableStatistics, schema: Schema, *, models: Sequence[PrivacyModel], sensitive: Sequence[str]
) -> dict[str, Any]:
    """Return the arguments of `ClassCounter` for models and sensitive columns: ``values`` and ``measured``."""
    found = [_encode_column(statistics, column) for column in schema.columns if column.name in sensitive]
    measured = [codes for codes in found if codes is not None]
    counted = dict.fromkeys([*(model.column for model in models), *(codes.column.name for codes in measured)])
    return {"values": {name: distinct_texts(statistics, name) for name in counted}, "measured": measured}


def _encode_column(statistics: TableStatistics, column: Column) -> SensitiveCodes | None:
    """Encode a column as `sensitive_columns` does; None if its distinct values are too many."""
    column_type = statistics.column_type(column.name)
    distinct = column_type.distinct_cells
    if distinct is None:
        return None
    if column.hierarchy is not None:
        check_coverage(column.name, column.hierarchy, column_type.value_counts() or {})
    table = distinct_table(statistics, column.name)
    encoded = _sensitive(table, column)
    places = {text: place for place, text in enumerate([*distinct_texts(statistics, column.name), None])}
    codes = np.full(len(places), encoded.n_values)
    codes[[places[text] for text in text_values(table, column.name).to_list()]] = encoded.codes
    frequencies = np.bincount(encoded.codes, distinct.counts, encoded.n_values) / statistics.records
    return SensitiveCodes(encoded.take(slice(0)), codes, frequencies)


def distinct_table(statistics: TableStatistics, name: str) -> Table:
    """Return the distinct cells of a column as a table of its own; raise if they are too many."""
    column_type = statistics.column_type(name)
    if column_type.distinct_cells is None:
        raise DataError.too_many_sensitive(name, MAX_DISTINCT)
    cells = TypedFrameCells(pl.DataFrame({name: column_type.distinct_cells.cells}), {name: column_type})
    return replace(statistics.head, cells=cells)


def distinct_texts(statistics: TableStatistics, name: str) -> tuple[str, ...]:
    """Return the distinct values of a column as text; raise if they are too many."""
    content = statistics.column_type(name).distinct_content
    if content is None:
        raise DataError.too_many_sensitive(name, MAX_DISTINCT)
    return tuple(content.text_values.drop_nulls().unique().sort())


def _sensitive(table: Table, column: Column) -> SensitiveColumn:
    numbers = None
    if column.kind in (Kind.NUMERIC, Kind.DATE):
        ends = released_bounds(table, column.name, dates=column.kind is Kind.DATE)
        numbers = None if ends is None else ends[0]
    if numbers is not None and column.hierarchy is None:
        distinct, codes = np.unique(numbers, return_inverse=True)  # NaN sorts last
        empty = np.zeros(0)
        return SensitiveColumn(column.name, codes, len(distinct), True, empty.astype(np.int64), empty, numbers)
    content = table.cells.content(column.name)
    values = SensitiveValues.of(column, content, normalize_text)
    codes = values.codes(text_values(table, column.name))
    # with a hierarchy, its distances apply instead of the order
    ordered = column.kind is not Kind.HIERARCHICAL and _has_order(column, content)
    return SensitiveColumn(column.name, codes, len(values.counts), ordered, values.parent, values.height, numbers)


def check_feasible(
    constraints: ModelConstraints, models: Sequence[PrivacyModel], *, records_name: str = "the table"
) -> None:
    """Raise an error for models that all records as one group violate; ``records_name`` says which these are.

    If two groups satisfy a model, so does their union. If all records violate it, every grouping does.
    """
    one_group = np.zeros(len(constraints.codes), dtype=np.int64)
    for d, model in enumerate(models):
        _check_satisfied(constraints, d, model, class_values(constraints, d, one_group), records_name)


def _check_satisfied(
    constraints: ModelConstraints, rule: int, model: PrivacyModel, value: FloatVector, records_name: str
) -> None:
    """Raise an error if the value of all records as one group violates rule d."""
    if not satisfies(constraints, rule, value)[0]:
        value_text, hint = _feasible_value(model, float(value[0]))
        raise OptionError.infeasible(
            model.notation, column=model.column, where=records_name, reached=value_text, hint=hint
        )


def _feasible_value(model: PrivacyModel, value: float) -> tuple[str, str]:
    """Return the value as text and a feasible alternative, rounded to the feasible side."""
    if model.is_closeness:
        min_t = _format_number(math.ceil((value - TOLERANCE) * _DIGITS) / _DIGITS)
        return f"t = {min_t}", f"ask for t = {min_t} or more"
    max_l = math.floor(value * (1 + TOLERANCE) * _DIGITS) / _DIGITS
    with_c = f" with c = {_format_number(model.factor)}" if model.name == "recursive-l" else ""
    if max_l <= 1:
        return f"no l above 1{with_c}", f"{'ask for a larger c, or ' if with_c else ''}leave the model out"
    return f"l = {_format_number(max_l)}{with_c}", f"ask for l = {_format_number(max_l)} or less"


def _format_number(number: float) -> str:
    return repr(number).removesuffix(".0")


def _check_model(
    model: PrivacyModel, columns: Mapping[str, Column], names: Sequence[str], content: Callable[[str], ColumnContent]
) -> None:
    """Raise an error if the column of a model is not sensitive, or lacks the hierarchy or order that it needs."""
    if model.column not in names or model.column not in columns:
        raise ColumnError.unknown(model.column, names)
    column = columns[model.column]
    if column.role is not Role.SENSITIVE:
        raise ColumnError.not_sensitive(column.name, column.role)
    if model.name == "t-hierarchical" and column.hierarchy is None:
        raise ColumnError.model_needs_hierarchy(column.name, model.name)
    if model.name == "t-ordered" and not _has_order(column, content(column.name)):
        raise ColumnError.model_needs_order(column.name, column.kind, model.name)


def _has_order(column: Column, content: ColumnContent) -> bool:
    if column.kind is Kind.ORDINAL and (column.hierarchy or content.levels):
        return True
    return column.kind is not Kind.NOMINAL and content.kind in (Kind.NUMERIC, Kind.DATE)


def _text_codes(content: ColumnContent, texts: Sequence[str], normalize: Normalizer) -> IntVector:
    """Number the distinct values among these texts, -1 for missing; numbers and dates have no spelling variants."""
    if content.values.dtype in (pl.String, pl.Categorical, pl.Enum):
        return number_variants(texts, normalize)
    return np.arange(len(texts), dtype=np.int64)


def verification_value_codes(table: Table, name: str) -> IntVector:
    """Return value codes of a column, equal for spelling variants by the rules of the verification."""
    cells = text_values(table, name)
    texts = cells.drop_nulls().unique(maintain_order=True).to_list()
    return _cell_codes(texts, _text_codes(table.cells.content(name), texts, normalize_text_for_verification), cells)


def _cell_codes(texts: Sequence[str], text_codes: IntVector, cells: pl.Series) -> IntVector:
    """Return the code of each cell: one more than the last code if it is missing, two more if it is none of them."""
    missing = int(np.max(text_codes, initial=-1)) + 1
    codes = np.append(np.where(text_codes < 0, missing, text_codes), missing)
    known = pl.DataFrame({"word": [*texts, None], "code": codes}, schema={"word": pl.String, "code": pl.Int64})
    joined = pl.DataFrame({"word": cells}).join(known, on="word", how="left", nulls_equal=True, maintain_order="left")
    return joined["code"].fill_null(missing + 1).to_numpy().astype(np.int64)


def _sorted_counts(column: Column, content: ColumnContent, records: IntVector | None) -> tuple[pl.DataFrame, int]:
    """Return the texts of a column with their counts, sorted by value, and the number of missing cells."""
    with translate_errors(lambda: DataError.unknown_objects(column.name)):
        cells = pl.DataFrame([content.text_values.alias("word")])
    size = {Kind.NUMERIC: content.numbers, Kind.DATE: content.values}.get(content.kind)
    cells = cells.with_columns(
        pl.col("word").alias("size") if size is None else size.alias("size"),
        pl.lit(1).alias("records") if records is None else pl.Series("records", records),
    )
    counts = cells.group_by("word").agg(pl.col("size").min(), pl.col("records").sum())
    missing, counts = int(counts.filter(pl.col("word").is_null())["records"].sum()), counts.drop_nulls("word")
    rank: Mapping[str, int] = {level: place for place, level in enumerate(content.levels)}
    if column.hierarchy is not None:
        check_coverage(column.name, column.hierarchy, dict(counts.select("word", "records").iter_rows()))
        if column.kind is Kind.ORDINAL:
            names = match_nodes(column.hierarchy, counts["word"].to_list())
            rank = {text: column.hierarchy.number(name) for text, name in names.items()}
    if rank:
        places = pl.col("word").replace_strict(rank, default=len(rank), return_dtype=pl.Int64)
        counts = counts.with_columns(places.alias("size"))
    return counts.sort("size", "word"), missing


def _tree(hierarchy: Hierarchy, values: Sequence[str], *, missing: bool) -> tuple[IntVector, FloatVector]:
    """Return parent and relative height of each value, then of each inner node.

    A value that is an inner node becomes an extra leaf below it; missing is a leaf below the root.
    """
    root = len(hierarchy) - 1
    heights = [0] * len(hierarchy)
    for number, parent in enumerate(hierarchy.parents[:-1]):
        heights[parent] = max(heights[parent], heights[number] + 1)
    inner = [number for number in range(root) if heights[number]] + [root]
    first = len(values) + missing
    index = {number: first + position for position, number in enumerate(inner)}
    parents = [index.get(number, index.get(hierarchy.parents[number])) for number in map(hierarchy.number, values)]
    parents += [index[root]] * missing + [index[hierarchy.parents[number]] for number in inner]
    relative_heights = [0.0] * first + [heights[number] / max(heights[root], 1) for number in inner[:-1]] + [1.0]
    return np.array(parents, dtype=np.int64), np.array(relative_heights)


def _offsets(lengths: Sequence[int]) -> IntVector:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
