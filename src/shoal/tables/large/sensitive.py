"""Sensitive columns of a table that comes in chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import DataError
from shoal.schema.columns import Column, Schema
from shoal.schema.models import Model
from shoal.tables.categories import check_coverage
from shoal.tables.counts import words
from shoal.tables.diversity import Occurrences, figures
from shoal.tables.large.column import MOST_DIFFERENT
from shoal.tables.large.survey import Survey
from shoal.tables.sensitive import Coded, Values, assembled, check_model, check_reached, coded, in_order, meanings
from shoal.tables.spelling import Meaning, meaning
from shoal.tables.table import Table
from shoal.values import Demands


@dataclass(frozen=True, eq=False, repr=False)
class SensitiveBase:
    """What `tables.demands` takes from the whole table."""

    demands: Demands
    """Those of the whole table, without a record: its codes have no row."""
    values: Mapping[str, Values]
    """Of each sensitive column; missing is one more, the last."""


def sensitive_base(
    survey: Survey, models: Sequence[Model], schema: Schema, *, same: Meaning = meaning
) -> SensitiveBase:
    """The rules and what they measure by, or the reason why not even the whole table can keep them.

    ``same`` says which texts are one value.
    """
    known = {column.name: column for column in schema.columns}
    for model in models:
        check_model(model, known, survey.names, lambda name: survey.meaning(name).nothing)
    names = list(dict.fromkeys(model.column for model in models))
    values = {name: _values(survey, known[name], same) for name in names}
    columns = {name: _coded(survey, known[name], values[name]) for name in names}
    demands = assembled(models, columns, survey.records)
    for d, model in enumerate(models):
        counts = columns[model.column].counts
        everybody = Occurrences.of(np.arange(len(counts)), counts, len(counts))
        check_reached(demands, d, model, figures(demands, d, everybody), where="the table")
    return SensitiveBase(demands._replace(codes=demands.codes[:0]), values)


def _values(survey: Survey, column: Column, same: Meaning) -> Values:
    """The different words of a column in the order of what they mean."""
    known = survey.meaning(column.name)
    if known.told is None:
        raise DataError.too_many_sensitive(column.name, MOST_DIFFERENT)
    if column.hierarchy is not None:
        check_coverage(column.name, column.hierarchy, known.value_counts() or {})
    found = in_order(column, known.told, known.told.words)
    return Values(tuple(found), meanings(known.told, found, same))


def _coded(survey: Survey, column: Column, values: Values) -> Coded:
    """The different cells by the codes of their values, each for all of its records."""
    known = survey.meaning(column.name)
    if known.told is None or known.different is None:
        raise DataError.too_many_sensitive(column.name, MOST_DIFFERENT)
    found = coded(column, values, known.told.words, known.different.counts)
    return found._replace(codes=found.codes[:0])


def demands_of(chunk: Table, base: SensitiveBase) -> Demands:
    """The demands with the codes of a chunk that is `fixed`, by the numbering of the whole table."""
    codes = np.empty((chunk.height, len(base.values)), dtype=np.int64)
    for j, (name, values) in enumerate(base.values.items()):
        codes[:, j] = values.codes(words(chunk, name))
    return base.demands._replace(codes=codes)
