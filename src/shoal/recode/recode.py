"""Recode quasi-identifiers: one released value per group and column."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.domain import (
    MISSING_POLICIES,
    BoolVector,
    CategoricalColumn,
    DateColumn,
    FloatMatrix,
    FloatVector,
    IntegerColumn,
    IntVector,
    Partition,
    Precision,
    Records,
    RoundedColumn,
    TextColumn,
    check_choice,
)
from shoal.domain.columns import Kind
from shoal.domain.recodings import INTERVAL, resolve_recoding
from shoal.recode.category_aggregates import NODE_FUNCTIONS
from shoal.recode.missing_values import GroupSources, group_sources
from shoal.recode.number_aggregates import CENTER_FUNCTIONS, format_intervals, group_bounds
from shoal.recode.rounding import INTEGER, round_to_total

ReleasedColumn = NDArray[Any] | RoundedColumn | IntegerColumn | TextColumn | DateColumn
"""A float64 column with NaN for missing values, an int64 column, or one of these classes."""

SUPPRESSED = "*"
_SECONDS_PER_DAY = 86_400


def recode(
    records: Records,
    partition: Partition,
    *,
    recodings: Mapping[str, str],
    precisions: Mapping[str, Precision] | None = None,
    keep_totals: bool = False,
    weights: FloatVector | None = None,
    missing: str = "category",
    suppressed: BoolVector | None = None,
) -> dict[str, ReleasedColumn]:
    """Return the released values of every quasi-identifier: one value per group.

    Numbers are rounded to the ``precisions`` of their columns; the others keep all digits. Halves go to the even
    neighbor; with ``keep_totals``, means are rounded up or down so that the column keeps its total, where an originally
    missing value that receives one counts as the mean of its group. For ``missing`` see `group_sources`. ``suppressed``
    records lose their values: categories and intervals become ``*``, all else missing.

    A category's place is its node. The ``*`` of suppressed records follows the nodes, unless a node has this name.
    """
    check_choice("missing", missing, MISSING_POLICIES)
    suppressed_mask = suppressed if suppressed is not None and suppressed.any() else None
    sources_of = partial(group_sources, partition, suppressed=suppressed_mask, missing=missing, weights=weights)
    released: dict[str, ReleasedColumn] = {}
    for j, name in enumerate(records.numeric):
        column, kind = records.values[:, j], records.kinds[name]
        source = sources_of(is_missing=records.is_missing(name))
        recoding = resolve_recoding(recodings[name], column=name, kind=kind)
        if recoding == INTERVAL:
            zone = "+00:00" if name in records.timezone_aware else ""
            released[name] = _interval_column(column, source, suppressed_mask, dates=kind is Kind.DATE, zone=zone)
            continue
        if kind is Kind.DATE:
            dates = _round_dates(_centers(recoding, column, source), column[source.rows])
            released[name] = DateColumn(source.to_records(dates, np.nan))
        elif precisions is None or name not in precisions:
            released[name] = source.to_records(_centers(recoding, column, source), np.nan)
        else:
            precision, keep_total = precisions[name], keep_totals and recoding == "mean"
            numbers = source.to_records(
                _rounded_sources(recoding, column, source, precision, keep_total=keep_total, sampling=weights), np.nan
            )
            if precision != INTEGER:
                released[name] = RoundedColumn(numbers, precision)
            else:
                released[name] = IntegerColumn(numbers) if np.isnan(numbers).any() else numbers.astype(np.int64)
    for j, category in enumerate(records.categories):
        codes, name = records.codes[:, j], category.name
        source = sources_of(is_missing=_missing_categories(records, category, codes, missing))
        node = NODE_FUNCTIONS[resolve_recoding(recodings[name], column=name, kind=category.kind)](
            codes[source.rows],
            source.labels,
            source.count,
            category.exact_distance(),
            category.hierarchy,
            source.weights,
        )
        released[name] = _category_column(category, source.to_records(node, -1), suppressed_mask)
    return {name: released[name] for name in records.names}


def _missing_categories(
    records: Records, category: CategoricalColumn, codes: IntVector, missing: str
) -> BoolVector | None:
    """Return the missing values of a categorical column; none where missing is its own category."""
    if category.missing_code is None:
        return records.is_missing(category.name)
    return None if missing == "category" else codes == category.missing_code


def _interval_column(
    column: FloatVector, source: GroupSources, suppressed_mask: BoolVector | None, *, dates: bool, zone: str
) -> TextColumn:
    low, high = group_bounds(column[source.rows], source.labels, source.count)
    used = np.unique(source.source_of[source.source_of >= 0])  # the others must not affect the format of the texts
    texts = format_intervals(low[used], high[used], dates=dates, zone=zone)
    place_of = {word: place for place, word in enumerate(dict.fromkeys(texts))}
    places = np.full(source.count, -1, dtype=np.int64)
    places[used] = [place_of[text] for text in texts]
    return _mark_suppressed(
        TextColumn(tuple(place_of), source.to_records(places, -1), numeric=not dates), suppressed_mask
    )


def _category_column(category: CategoricalColumn, places: IntVector, suppressed_mask: BoolVector | None) -> TextColumn:
    if category.missing_code is not None:
        places = np.where(places == category.missing_code, -1, places)
    # a file cannot hold lone surrogates
    words = tuple(node.encode(errors="backslashreplace").decode() for node in category.hierarchy.nodes)
    return _mark_suppressed(TextColumn(words, places), suppressed_mask)


def _mark_suppressed(column: TextColumn, suppressed_mask: BoolVector | None) -> TextColumn:
    """Return the column with ``*`` for the suppressed records, whatever the root of its hierarchy is called."""
    if suppressed_mask is None:
        return column
    words = column.words if SUPPRESSED in column.words else (*column.words, SUPPRESSED)
    return replace(column, words=words, codes=np.where(suppressed_mask, words.index(SUPPRESSED), column.codes))


def _round_dates(center: FloatVector, known: FloatVector) -> FloatVector:
    """Round to days if the column has only whole days, else to seconds, within the bounds of the column."""
    if bool(np.all(known == np.rint(known))):
        return np.rint(center)
    seconds: FloatVector = np.rint(center * _SECONDS_PER_DAY) / _SECONDS_PER_DAY
    return np.clip(seconds, known.min(), known.max())


def group_centers(
    values: FloatMatrix, partition: Partition, recoding: str, precisions: Sequence[Precision]
) -> FloatMatrix:
    """Return the released values of the groups, one row per group, where nothing is missing."""
    source = group_sources(partition)
    columns = [
        _rounded_sources(recoding, column, source, precision, keep_total=False, sampling=None)
        for column, precision in zip(values.T, precisions, strict=True)
    ]
    return np.column_stack(columns)


def _centers(recoding: str, column: FloatVector, source: GroupSources) -> FloatVector:
    """Return the mean or median of every source, never -0.0."""
    known = column[source.rows, None]
    values: FloatVector = CENTER_FUNCTIONS[recoding](known, source.labels, source.count, source.weights)[:, 0] + 0.0
    return values


def _rounded_sources(
    recoding: str,
    column: FloatVector,
    source: GroupSources,
    precision: Precision,
    *,
    keep_total: bool,
    sampling: FloatVector | None,
) -> FloatVector:
    """Return the centers, rounded to the precision of the column.

    They are computed in units of its last decimal, which are integers: so a center is rounded once, and halves are
    exact. An integer number of units divided by a power of ten is the float nearest to that decimal number.
    """
    steps = np.rint(column * precision.steps_per_unit) if precision.max_decimals else column
    values = _centers(recoding, steps, source)
    if precision.max_decimals is not None:
        whole = _round_keeping_total(values, steps, source, sampling) if keep_total else np.rint(values)
        values = whole / precision.steps_per_unit
    # a narrow type stores another float than the decimal number it displays
    stored, known = values.astype(precision.dtype).astype(np.float64), column[source.rows]
    return np.clip(stored, known.min(initial=np.inf), known.max(initial=-np.inf)) + 0.0


def _round_keeping_total(
    center: FloatVector, column: FloatVector, source: GroupSources, sampling: FloatVector | None
) -> IntVector:
    """Round the centers to integers; the known values, and the centers of all others, keep their total."""
    filled = source.to_records(center, 0.0)
    filled[source.rows] = column[source.rows]
    weights = np.ones(len(column)) if sampling is None else sampling
    receives = source.source_of >= 0
    sizes = np.bincount(source.source_of[receives], weights[receives], minlength=source.count)
    return round_to_total(center, sizes, math.fsum((filled * weights)[receives]))[0]
