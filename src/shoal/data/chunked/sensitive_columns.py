"""Sensitive columns of an out-of-core table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.data.chunked.column_statistics import MAX_DISTINCT
from shoal.data.chunked.table_statistics import TableStatistics
from shoal.data.chunked.typed_chunks import TypedFrameCells
from shoal.data.encode.category_codes import check_coverage
from shoal.data.encode.sensitive_values import (
    EncodedSensitive,
    SensitiveValues,
    assemble_constraints,
    check_model,
    check_satisfied,
    encode_sensitive,
    indices_in,
    sensitive_columns,
    sorted_values,
    value_numbers,
)
from shoal.data.model_checks import ClassValueCounts, values_of_counts
from shoal.data.spelling import Normalizer, normalize_text, normalize_text_for_verification
from shoal.data.table import Table, text_values
from shoal.domain import FloatVector, IntVector, ModelConstraints, SensitiveColumn
from shoal.domain.columns import Column, Schema
from shoal.domain.privacy_models import PrivacyModel
from shoal.errors import DataError


@dataclass(frozen=True, eq=False, repr=False)
class SensitiveEncoder:
    """Value codes and privacy models of the whole table, which encode the sensitive columns of any chunk."""

    constraints: ModelConstraints
    """Constraints of the whole table, without records."""
    values: Mapping[str, SensitiveValues]
    """Values of each sensitive column; the missing value is one more, the last."""


def build_sensitive_encoder(
    statistics: TableStatistics, models: Sequence[PrivacyModel], schema: Schema, *, verifies: bool = False
) -> SensitiveEncoder:
    """Build the encoder of the sensitive columns; raise if even the whole table as one class breaks a privacy model.

    One that ``verifies`` compares texts as the verification does, and takes tables that break a model.
    """
    same = normalize_text_for_verification if verifies else normalize_text
    known = {column.name: column for column in schema.columns}
    for model in models:
        check_model(model, known, statistics.names, lambda name: statistics.column_type(name).empty_content)
    names = list(dict.fromkeys(model.column for model in models))
    columns = {name: _encode_distinct(statistics, known[name], same) for name in names}
    encoded = {name: codes for name, (_, codes) in columns.items()}
    constraints = assemble_constraints(models, encoded, statistics.records)
    for d, model in enumerate(() if verifies else models):
        counts = encoded[model.column].counts
        one_class = ClassValueCounts.from_keys(np.arange(len(counts)), counts, len(counts))
        check_satisfied(constraints, d, model, values_of_counts(constraints, d, one_class), records_name="the table")
    values = {name: values for name, (values, _) in columns.items()}
    return SensitiveEncoder(constraints._replace(codes=constraints.codes[:0]), values)


class SensitiveCodes(NamedTuple):
    """A sensitive column of a whole table, for measures."""

    column: SensitiveColumn
    """Kind and hierarchy of the column, without records."""
    codes: IntVector
    """Code of each of the `distinct_texts`, and of a missing value."""
    frequencies: FloatVector
    """Frequency of each code in the table."""


def encode_sensitive_column(statistics: TableStatistics, column: Column) -> SensitiveCodes | None:
    """Encode a column as `data.sensitive_columns` does; None if its distinct values are too many."""
    column_type = statistics.column_type(column.name)
    distinct = column_type.distinct_cells
    if distinct is None:
        return None
    if column.hierarchy is not None:
        check_coverage(column.name, column.hierarchy, column_type.value_counts() or {})
    cells = TypedFrameCells(pl.DataFrame({column.name: distinct.cells}), {column.name: column_type})
    table = replace(statistics.head, cells=cells)
    (encoded,) = sensitive_columns(table, [column])
    texts = distinct_texts(statistics, column.name)
    codes = np.full(len(texts) + 1, encoded.n_values)
    codes[indices_in(texts, text_values(table, column.name))] = encoded.codes
    frequencies = np.bincount(encoded.codes, distinct.counts, encoded.n_values) / statistics.records
    return SensitiveCodes(encoded.take(slice(0)), codes, frequencies)


def distinct_texts(statistics: TableStatistics, name: str) -> tuple[str, ...]:
    """Return the distinct values of a column as text; raise if they are too many."""
    content = statistics.column_type(name).distinct_content
    if content is None:
        raise DataError.too_many_sensitive(name, MAX_DISTINCT)
    return tuple(content.text_values.drop_nulls().unique().sort())


def _encode_distinct(
    statistics: TableStatistics, column: Column, same: Normalizer
) -> tuple[SensitiveValues, EncodedSensitive]:
    """Return the distinct values of a column in their semantic order, and their codes, weighted by their counts."""
    column_type = statistics.column_type(column.name)
    content, cells = column_type.distinct_content, column_type.distinct_cells
    if content is None or cells is None:
        raise DataError.too_many_sensitive(column.name, MAX_DISTINCT)
    if column.hierarchy is not None:
        check_coverage(column.name, column.hierarchy, column_type.value_counts() or {})
    texts = sorted_values(column, content, content.text_values)
    values = SensitiveValues(tuple(texts), value_numbers(content, texts, same))
    encoded = encode_sensitive(column, values, content.text_values, cells.counts)
    return values, encoded._replace(codes=encoded.codes[:0])


def constraints_of_chunk(chunk: Table, encoder: SensitiveEncoder) -> ModelConstraints:
    """Return the constraints with the codes of a chunk that has column types."""
    codes = np.empty((chunk.height, len(encoder.values)), dtype=np.int64)
    for j, (name, values) in enumerate(encoder.values.items()):
        codes[:, j] = values.codes(text_values(chunk, name))
    return encoder.constraints._replace(codes=codes)
