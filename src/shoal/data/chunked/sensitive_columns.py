"""Sensitive columns of an out-of-core table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.data.chunked.column_statistics import MAX_DISTINCT
from shoal.data.chunked.table_statistics import TableStatistics
from shoal.data.encode.category_codes import check_coverage
from shoal.data.encode.sensitive_values import (
    EncodedSensitive,
    SensitiveValues,
    assemble_constraints,
    check_model,
    check_satisfied,
    encode_sensitive,
    sorted_values,
    value_numbers,
)
from shoal.data.model_checks import ClassValueCounts, values_of_counts
from shoal.data.spelling import Normalizer, normalize_text
from shoal.data.table import Table
from shoal.data.value_frequencies import text_values
from shoal.domain import ModelConstraints
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
    statistics: TableStatistics, models: Sequence[PrivacyModel], schema: Schema, *, same: Normalizer = normalize_text
) -> SensitiveEncoder:
    """Build the encoder of the sensitive columns; raise if even the whole table as one class breaks a privacy model.

    ``same`` defines which texts are equal values.
    """
    known = {column.name: column for column in schema.columns}
    for model in models:
        check_model(model, known, statistics.names, lambda name: statistics.column_type(name).empty_content)
    names = list(dict.fromkeys(model.column for model in models))
    values = {name: _sensitive_values(statistics, known[name], same) for name in names}
    columns = {name: _encode_distinct(statistics, known[name], values[name]) for name in names}
    demands = assemble_constraints(models, columns, statistics.records)
    for d, model in enumerate(models):
        counts = columns[model.column].counts
        one_class = ClassValueCounts.from_keys(np.arange(len(counts)), counts, len(counts))
        check_satisfied(demands, d, model, values_of_counts(demands, d, one_class), records_name="the table")
    return SensitiveEncoder(demands._replace(codes=demands.codes[:0]), values)


def _sensitive_values(survey: TableStatistics, column: Column, same: Normalizer) -> SensitiveValues:
    """Return the distinct values of a column, in their semantic order."""
    column_type = survey.column_type(column.name)
    if column_type.distinct_content is None:
        raise DataError.too_many_sensitive(column.name, MAX_DISTINCT)
    if column.hierarchy is not None:
        check_coverage(column.name, column.hierarchy, column_type.value_counts() or {})
    texts = sorted_values(column, column_type.distinct_content, column_type.distinct_content.text_values)
    return SensitiveValues(tuple(texts), value_numbers(column_type.distinct_content, texts, same))


def _encode_distinct(survey: TableStatistics, column: Column, values: SensitiveValues) -> EncodedSensitive:
    """Return the value codes of the distinct cells, weighted by their counts."""
    column_type = survey.column_type(column.name)
    if column_type.distinct_content is None or column_type.distinct_cells is None:
        raise DataError.too_many_sensitive(column.name, MAX_DISTINCT)
    encoded = encode_sensitive(
        column, values, column_type.distinct_content.text_values, column_type.distinct_cells.counts
    )
    return encoded._replace(codes=encoded.codes[:0])


def constraints_of_chunk(chunk: Table, encoder: SensitiveEncoder) -> ModelConstraints:
    """Return the constraints with the codes of a chunk that has column types."""
    codes = np.empty((chunk.height, len(encoder.values)), dtype=np.int64)
    for j, (name, values) in enumerate(encoder.values.items()):
        codes[:, j] = values.codes(text_values(chunk, name))
    return encoder.constraints._replace(codes=codes)
