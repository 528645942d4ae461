"""Encode sensitive columns, and the constraints of privacy models on them as arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.data.encode.category_codes import check_coverage
from shoal.data.model_checks import class_values, satisfies
from shoal.data.parse_intervals import released_bounds
from shoal.data.spelling import (
    Normalizer,
    match_nodes,
    normalize_text,
    normalize_text_for_verification,
    number_variants,
)
from shoal.data.table import ColumnContent, Table, text_values, value_counts
from shoal.domain import FloatVector, IntVector, ModelConstraints, SensitiveColumn
from shoal.domain.columns import Column, Kind, Role, Schema
from shoal.domain.constraints import DISTINCT, ENTROPY, EQUAL, HIERARCHICAL, ORDERED, RECURSIVE, TOLERANCE
from shoal.domain.privacy_models import PrivacyModel
from shoal.errors import ColumnError, OptionError
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


class EncodedSensitive(NamedTuple):
    """An encoded sensitive column: code of each record, count of each code, and the tree above the codes."""

    codes: IntVector
    counts: IntVector
    parent: IntVector
    height: FloatVector


def encode_constraints(
    table: Table, models: Sequence[PrivacyModel], schema: Schema, *, normalize: Normalizer = normalize_text
) -> ModelConstraints:
    """Encode the constraints of these models on the groups of this table, one rule per model.

    Values are sorted: numbers and dates by size, levels in their order, others by text. Spelling variants are one
    value, as ``normalize`` decides. Missing or empty is one more value, the last, and in a hierarchy as far
    as possible from all others.
    """
    known = {column.name: column for column in schema.columns}
    for model in models:
        check_model(model, known, table.names, lambda name: table.cells.content(name))
    columns = {name: _encode(table, known[name], normalize) for name in dict.fromkeys(model.column for model in models)}
    return assemble_constraints(models, columns, table.height)


def assemble_constraints(
    models: Sequence[PrivacyModel], columns: Mapping[str, EncodedSensitive], records: int
) -> ModelConstraints:
    """Assemble the constraints of these models from encoded columns."""
    names, coded = list(columns), list(columns.values())
    if not coded:
        return ModelConstraints.none(records)
    return ModelConstraints(
        codes=np.column_stack([column.codes for column in coded]),
        value_offsets=_offsets([len(column.counts) for column in coded]),
        column=np.array([names.index(model.column) for model in models], dtype=np.int64),
        rule=np.array([_RULES[model.name] for model in models], dtype=np.int64),
        threshold=np.array([model.threshold for model in models]),
        factor=np.array([model.factor for model in models]),
        frequencies=np.concatenate([column.counts for column in coded]) / records,
        node_offsets=_offsets([len(column.parent) for column in coded]),
        parent=np.concatenate([column.parent for column in coded]),
        height=np.concatenate([column.height for column in coded]),
    )


def sensitive_columns(table: Table, columns: Sequence[Column]) -> tuple[SensitiveColumn, ...]:
    """Encode sensitive columns for metrics, with values in the same order as in the model constraints.

    Equal numbers are one value, however they are written.
    """
    return tuple(_sensitive(table, column) for column in columns)


def _sensitive(table: Table, column: Column) -> SensitiveColumn:
    numbers = None
    if column.kind in (Kind.NUMERIC, Kind.DATE):
        ends = released_bounds(table, column.name, dates=column.kind is Kind.DATE)
        numbers = None if ends is None else ends[0]
    if numbers is not None and column.hierarchy is None:
        values, codes = np.unique(numbers, return_inverse=True)  # NaN sorts last
        empty = np.zeros(0)
        return SensitiveColumn(column.name, codes, len(values), True, empty.astype(np.int64), empty, numbers)
    coded = _encode(table, column, normalize_text)
    # with a hierarchy, its distances apply instead of the order
    ordered = column.kind is not Kind.HIERARCHICAL and _has_order(column, table.cells.content(column.name))
    return SensitiveColumn(column.name, coded.codes, len(coded.counts), ordered, coded.parent, coded.height, numbers)


def check_feasible(
    constraints: ModelConstraints, models: Sequence[PrivacyModel], *, records_name: str = "the table"
) -> None:
    """Raise an error for models that all records as one group violate; ``records_name`` says which these are.

    If two groups satisfy a model, so does their union. If all records violate it, every grouping does.
    """
    one_group = np.zeros(len(constraints.codes), dtype=np.int64)
    for d, model in enumerate(models):
        check_satisfied(constraints, d, model, class_values(constraints, d, one_group), records_name=records_name)


def check_satisfied(
    constraints: ModelConstraints, rule: int, model: PrivacyModel, value: FloatVector, *, records_name: str
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


def check_model(
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


def _encode(table: Table, column: Column, same: Normalizer) -> EncodedSensitive:
    cells = text_values(table, column.name)
    if column.hierarchy is not None:
        check_coverage(column.name, column.hierarchy, value_counts(table, column.name))
    content = table.cells.content(column.name)
    values = sorted_values(column, content, cells)
    return encode_sensitive(column, SensitiveValues(tuple(values), value_numbers(content, values, same)), cells)


class SensitiveValues(NamedTuple):
    """Distinct texts of a sensitive column, sorted by value."""

    texts: tuple[str, ...]
    value_codes: IntVector
    """Code of each text; equal for spelling variants, -1 for texts that mean missing."""

    @property
    def missing(self) -> int:
        """Code of missing values: one more than the last code."""
        return int(np.max(self.value_codes, initial=-1)) + 1

    @property
    def first_texts(self) -> list[str]:
        known: dict[int, str] = {}
        for word, number in zip(self.texts, self.value_codes.tolist(), strict=True):
            known.setdefault(number, word)
        return [word for number, word in sorted(known.items()) if number >= 0]

    def codes(self, cells: pl.Series) -> IntVector:
        """Return the code of each cell."""
        codes = np.append(self.value_codes, -1)[indices_in(self.texts, cells)]
        return np.where(codes < 0, self.missing, codes)


def value_numbers(content: ColumnContent, values: Sequence[str], normalize: Normalizer) -> IntVector:
    """Number the distinct values among these texts, -1 for missing; numbers and dates have no spelling variants."""
    if content.values.dtype in (pl.String, pl.Categorical, pl.Enum):
        return number_variants(values, normalize)
    return np.arange(len(values), dtype=np.int64)


def verification_value_codes(table: Table, name: str) -> IntVector:
    """Return value codes of a column, equal for spelling variants by the rules of the verification."""
    cells = text_values(table, name)
    values = cells.drop_nulls().unique(maintain_order=True).to_list()
    return SensitiveValues(
        tuple(values), value_numbers(table.cells.content(name), values, normalize_text_for_verification)
    ).codes(cells)


def indices_in(values: Sequence[str] | pl.Series, cells: pl.Series) -> IntVector:
    """Return the index of each cell among the values; one past the last if it is missing."""
    index = pl.DataFrame({"word": values, "place": range(len(values))}, schema={"word": pl.String, "place": pl.Int64})
    matches = pl.DataFrame({"word": cells}).join(index, on="word", how="left", maintain_order="left")["place"]
    return matches.fill_null(len(values)).to_numpy().astype(np.int64)


def encode_sensitive(
    column: Column, values: SensitiveValues, cells: pl.Series, records: IntVector | None = None
) -> EncodedSensitive:
    """Encode cells; ``records`` are the numbers of records per cell, 1 by default."""
    codes = values.codes(cells)
    counts = np.bincount(codes, records).astype(np.int64)
    if column.hierarchy is None:
        return EncodedSensitive(codes, counts, np.zeros(0, dtype=np.int64), np.zeros(0))
    names = match_nodes(column.hierarchy, values.first_texts)
    nodes = [names[word] for word in values.first_texts]
    return EncodedSensitive(codes, counts, *_tree(column.hierarchy, nodes, missing=len(counts) > len(nodes)))


def sorted_values(column: Column, content: ColumnContent, cells: pl.Series) -> list[str]:
    """Return the distinct texts of a column, sorted by value."""
    distinct: list[str] = sorted(cells.drop_nulls().unique().to_list())
    if column.kind is Kind.ORDINAL and column.hierarchy is not None:
        names, number = match_nodes(column.hierarchy, distinct), column.hierarchy.number
        return sorted(distinct, key=lambda word: number(names[word]))
    if content.levels:
        rank = {level: place for place, level in enumerate(content.levels)}
        return sorted(distinct, key=lambda word: rank.get(word, len(rank)))
    size = content.numbers if content.kind is Kind.NUMERIC else content.values
    if size is None or content.kind not in (Kind.NUMERIC, Kind.DATE):
        return distinct
    sizes = pl.DataFrame({"word": cells, "size": size}).drop_nulls("word").group_by("word").agg(pl.col("size").min())
    return sizes.sort("size", "word")["word"].to_list()


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
