"""The base of records that come in chunks: what `tables.encode` takes from the whole table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from shoal.errors import ColumnError, DataError, HierarchyError
from shoal.schema.columns import Column, Kind, Schema
from shoal.tables.categories import MOST_NODES, category, codes, node_counts, with_gap
from shoal.tables.dates import day_numbers
from shoal.tables.foreign import replaced_by
from shoal.tables.large.cells import fixed
from shoal.tables.large.meaning import Meaning
from shoal.tables.large.moments import Moments
from shoal.tables.large.sketch import Spot
from shoal.tables.large.source import Source
from shoal.tables.large.survey import Survey
from shoal.tables.records import known_weights, numbers
from shoal.tables.table import Table
from shoal.tables.wildcard import missing_mask
from shoal.values import Categories, FloatVector, Records, Scale


@dataclass(frozen=True, eq=False, repr=False)
class Base:
    """What `tables.encode` takes from the whole table."""

    names: tuple[str, ...]
    """The quasi-identifiers."""
    measured: tuple[str, ...]
    """Those that are numbers or dates."""
    dates: tuple[str, ...]
    zoned: tuple[str, ...]
    scale: Scale
    weights: FloatVector
    categories: tuple[Categories, ...]
    fillings: Mapping[str, float]
    """What stands for a missing number, by name."""
    nodes: Mapping[str, int]
    """The code that stands for a missing category, by name."""
    gaps: Mapping[str, int]
    """The missing cells of each quasi-identifier that has some."""
    apart: bool
    records: int
    """Of the whole table."""


def base(
    survey: Survey,
    schema: Schema,
    *,
    standardize: bool = True,
    distance: str = "wu-palmer",
    weights: Mapping[str, float] | None = None,
    missing: str = "refuse",
) -> Base:
    """What `tables.encode` takes from the whole table, or its reason to refuse it."""
    names = schema.quasi_identifiers
    meanings = {name: survey.meaning(name) for name in names}
    columns = [column for column in schema.columns if column.name in names]
    measured = tuple(column.name for column in columns if column.kind in (Kind.NUMERIC, Kind.DATE))
    dates = tuple(column.name for column in columns if column.kind is Kind.DATE)
    refused, apart = missing == "refuse", missing == "category"
    categories = []
    for column in columns:
        if column.name not in measured:
            if refused:
                _check_complete(column.name, meanings[column.name], survey.records)
            found = _category(column, survey, distance)
            categories.append(with_gap(found) if apart and meanings[column.name].missing.count else found)
    moments = []
    for name in measured:
        moments.append(_moments(name, survey, dates=name in dates))
        if refused:
            _check_complete(name, meanings[name], survey.records)
    return Base(
        names,
        measured,
        dates,
        tuple(name for name in dates if meanings[name].sketch.zoned),
        _scale(moments, standardize=standardize),
        known_weights(names, weights or {}),
        tuple(categories),
        {name: found.middle for name, found in zip(measured, moments, strict=True)},
        {found.name: _node(found, survey) for found in categories},
        {name: meanings[name].missing.count for name in names if meanings[name].missing.count},
        apart,
        survey.records,
    )


def _check_complete(name: str, meaning: Meaning, records: int) -> None:
    if meaning.missing.count:
        raise DataError.missing_values(name, of=records, **meaning.missing.told)


def _category(column: Column, survey: Survey, distance: str) -> Categories:
    meaning = survey.meaning(column.name)
    with replaced_by(lambda: DataError.strange_cells(column.name)):
        counts = meaning.value_counts()
    if meaning.told is None or counts is None:
        nodes = next(found.distinct for found in survey.profile() if found.name == column.name)
        raise HierarchyError.too_many_values(column.name, nodes=nodes, most=MOST_NODES)
    return category(column, meaning.told, counts, others={}, distance=distance)


def _node(column: Categories, survey: Survey) -> int:
    """What stands for a missing category: its own node, or the center of all others."""
    if column.gap is not None:
        return column.gap
    return int(np.argmin(node_counts(column, survey.value_counts(column.name) or {}) @ column.rounded()))


def _moments(name: str, survey: Survey, *, dates: bool) -> Moments:
    """Of the numbers or the days of a column, or the reason why it is not made of them."""
    meaning, of = survey.meaning(name), survey.records
    sketch = meaning.sketch
    if dates and meaning.kind is not Kind.DATE:
        return _said_dates(name, meaning, of)
    if dates:
        if sketch.untimely.count:
            raise DataError.no_dates(name, of=of, **sketch.untimely.told)
        return sketch.moments
    if meaning.kind is not Kind.NUMERIC:
        if sketch.numbers and sketch.words.count:
            raise DataError.text(name, of=of, **sketch.words.told)
        if meaning.missing.count == of:
            return Moments()
        raise ColumnError.not_numeric(name, meaning.kind)
    if sketch.infinite.count:
        raise DataError.infinite(name, of=of, **sketch.infinite.told)
    return sketch.moments


def _said_dates(name: str, meaning: Meaning, of: int) -> Moments:
    """Of a column that holds dates because somebody says so, by its different cells."""
    if meaning.told is None or meaning.different is None:
        odd = meaning.sketch.undated if meaning.sketch.undated.count else Spot(of - meaning.missing.count, 0)
        raise DataError.no_dates(name, of=of, **odd.told)
    words = meaning.told.words
    found = day_numbers(words)
    odd = meaning.different.spot(found.is_null() & words.is_not_null())
    if odd.count:
        raise DataError.no_dates(name, of=of, **odd.told)
    return Moments.of(found.drop_nulls().to_numpy(), meaning.different.counts[found.is_not_null().to_numpy()])


def _scale(moments: list[Moments], *, standardize: bool) -> Scale:
    if not standardize:
        largest = max((max(abs(one.low), abs(one.high)) for one in moments if one.count), default=0.0)
        return Scale.raw(np.full((1, len(moments)), largest))
    found = [one.standardized() for one in moments]
    exponent, center, spread = (np.array([each[part] for each in found]) for part in range(3))
    return Scale("standardized", exponent.astype(np.int64), center.astype(np.float64), spread.astype(np.float64))


def check_bounds(
    survey: Survey, base: Base, bounds: Mapping[str, tuple[float, float]], outside: Callable[..., Spot]
) -> None:
    """Refuse numbers outside the bounds of their columns; all cells are looked at again only to say which."""
    for name, (low, high) in bounds.items():
        if name not in base.measured:
            raise ColumnError.unknown(name, base.measured)
        least, most = survey.range(name) or (low, high)
        if least < low or most > high:
            found = outside(survey, base, name, bounds=(low, high))
            raise DataError.out_of_bounds(name, of=survey.records, **found.told)


def beyond(chunk: Table, survey: Survey, base: Base, name: str, *, bounds: tuple[float, float], start: int) -> Spot:
    """The numbers of a chunk that lie outside of the bounds of their column; its first record is number ``start``."""
    values = numbers(fixed(chunk, survey), [name], dates=base.dates, gaps=True)[:, 0]
    found = np.flatnonzero((values < bounds[0]) | (values > bounds[1]))
    return Spot(len(found), start + int(found[0])) if len(found) else Spot()


def outside(source: Source, survey: Survey, base: Base, name: str, *, bounds: tuple[float, float]) -> Spot:
    """The same for all chunks of a file."""
    found, start = Spot(), 0
    for chunk in source.chunks(columns=[name]):
        found += beyond(chunk, survey, base, name, bounds=bounds, start=start)
        start += chunk.height
    return found


def encode_chunk(chunk: Table, base: Base) -> Records:
    """The records of a chunk that is `fixed`, on the base of the whole table.

    ``missing`` is a mask in every chunk or in none, and ``lacking`` is that of the whole table, so that the spaces of
    all chunks have the same columns.
    """
    values = numbers(chunk, base.measured, dates=base.dates, gaps=True)
    for j, name in enumerate(base.measured):
        values[np.isnan(values[:, j]), j] = base.fillings[name]
    found = codes(chunk, base.categories)
    gone = missing_mask(chunk, base.names) if base.gaps else None
    for j, column in enumerate(base.categories):
        if gone is not None:
            found[gone[:, base.names.index(column.name)], j] = base.nodes[column.name]
    records = Records(
        base.names,
        values,
        base.scale,
        base.weights,
        base.categories,
        found,
        missing=gone,
        apart=base.apart,
        dates=base.dates,
        zoned=base.zoned,
    )
    records.__dict__["lacking"] = tuple(name for name in base.measured if base.apart and name in base.gaps)
    return records
