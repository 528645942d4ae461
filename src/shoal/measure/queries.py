"""Queries: how far the answers to typical questions move.

The questions are about the first 12 quasi-identifiers and the first 12 numeric sensitive columns. They group numbers by
the quartiles of the original, and categories by its 12 most frequent values and all others together; what shows no
number is a group of its own. Sensitive columns are released as they are: only their groups change.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from shoal.measure.once import once
from shoal.measure.pair import FREQUENT, Facts, Pair
from shoal.measure.registry import loss
from shoal.values import BoolVector, FloatMatrix, FloatVector, IntVector, Scale

ASKED = 12
_BINS = FREQUENT + 1
_RIDGE = 1e-9
_DIGITS = 6
_ROUNDING = 1e-12
_REFERENCE = "Karr, Kohnen, Oganian, Reiter and Sanil (2006), A framework for evaluating the utility of data altered to"
_REFERENCE += " protect confidentiality, The American Statistician 60(3)"


class Grouped(NamedTuple):
    """A column to group by: for each record the group, before and after."""

    name: str
    before: IntVector
    after: IntVector


class Target(NamedTuple):
    """A numeric column in standard deviations, before and after, and where it is known."""

    name: str
    before: FloatVector
    after: FloatVector
    known: BoolVector
    shown: BoolVector


class Means(NamedTuple):
    """Of each target in each group of each column: the records and their sum, before and after."""

    records: FloatMatrix
    sums: FloatMatrix
    records_after: FloatMatrix
    sums_after: FloatMatrix


class Cells(NamedTuple):
    """The records of each cell of the cross table of each pair of columns, before and after."""

    before: FloatMatrix
    after: FloatMatrix


class Lines(NamedTuple):
    """Sums of the products of a constant, the targets and what they are explained by, before and after."""

    before: FloatMatrix
    after: FloatMatrix


@once
def grouped(block: Pair) -> tuple[Grouped, ...]:
    """The columns that queries group by."""
    facts, found = block.facts, []
    others = {column.name: j for j, column in enumerate(block.categories)}
    for name in block.names[:ASKED]:
        if name in block.numeric:
            j = block.numeric.index(name)
            # what is a quartile up to rounding is below it, whichever way it was computed
            cuts = facts.cuts[j] + _ROUNDING * max(abs(facts.low[j]), abs(facts.high[j]))
            nothing = len(cuts) + 1
            before = np.where(block.gone(j), nothing, np.searchsorted(cuts, block.was[:, j]))
            after = np.where(block.gone(j) | block.empty(j), nothing, np.searchsorted(cuts, block.now[:, j]))
            found.append(Grouped(name, before, after))
        elif name in others:
            j = others[name]
            rest = len(facts.frequent[j])
            place = np.full(len(facts.categories[j].hierarchy), rest)
            place[facts.frequent[j]] = np.arange(rest)
            lacked = block.lacked(j)
            places = (np.where(lacked, rest, place[nodes[:, j]]) for nodes in (block.codes, block.nodes))
            found.append(Grouped(name, *places))
    return tuple(found)


@once
def scales(facts: Facts) -> tuple[Scale | None, ...]:
    """For each sensitive column how its numbers become standard deviations; None where it has not two of them."""
    found: list[Scale | None] = []
    for column in facts.sensitive:
        known = np.empty(0) if column.numbers is None else column.numbers[~np.isnan(column.numbers)]
        varied = len(known) > 0 and known.min() < known.max()
        found.append(Scale.standardized(known[:, None]) if varied else None)
    return tuple(found)


@once
def targets(block: Pair) -> tuple[Target, ...]:
    """The quasi-identifiers that are numbers, then the sensitive columns that are; those of one value are left out."""
    facts, found = block.facts, []
    for name in block.names[:ASKED]:
        j = block.numeric.index(name) if name in block.numeric else -1
        if j >= 0 and facts.high[j] > facts.low[j] and facts.spread[j] > 0:
            before, after = ((part[:, j] - facts.center[j]) / facts.spread[j] for part in (block.was, block.now))
            found.append(Target(name, before, after, ~block.gone(j), ~block.gone(j) & ~block.empty(j)))
    keys = len(found)
    for column, scale in zip(block.sensitive, scales(facts), strict=True):
        if column.numbers is not None and scale is not None and len(found) < keys + ASKED:
            known = ~np.isnan(column.numbers)
            numbers = scale.apply(np.where(known, column.numbers, 0.0)[:, None])[:, 0]
            found.append(Target(column.name, numbers, numbers, known, known))
    return tuple(found)


def means(block: Pair) -> Means | None:
    """Of a block."""
    found = [
        (
            *_grouped_sums(target.before, target.known, column.before),
            *_grouped_sums(target.after, target.shown, column.after),
        )
        for target in targets(block)
        for column in grouped(block)
        if target.name != column.name
    ]
    return Means(*(np.array(part) for part in zip(*found, strict=True))) if found else None


def _grouped_sums(numbers: FloatVector, known: BoolVector, groups: IntVector) -> tuple[FloatVector, FloatVector]:
    if not known.all():
        numbers, groups = numbers[known], groups[known]
    counts, sums = np.bincount(groups, minlength=_BINS), np.bincount(groups, numbers, minlength=_BINS)
    return counts.astype(np.float64), sums.astype(np.float64)


def cells(block: Pair) -> Cells | None:
    """Of a block."""
    pairs = list(combinations(grouped(block), 2))
    if not pairs:
        return None
    before = [np.bincount(one.before * _BINS + other.before, minlength=_BINS**2) for one, other in pairs]
    after = [np.bincount(one.after * _BINS + other.after, minlength=_BINS**2) for one, other in pairs]
    return Cells(np.array(before, dtype=np.float64), np.array(after, dtype=np.float64))


def lines(block: Pair) -> Lines | None:
    """Of the records of a block in which all is known, and after the release all is shown."""
    found = list(targets(block))
    keys = [target for target in found if target.name in block.numeric]
    explained = next((target for target in found if target.name not in block.numeric), keys[-1] if keys else None)
    used = [target for target in keys if target is not explained]
    if explained is None or not used:
        return None
    known = np.all([target.known for target in (*used, explained)], axis=0)
    shown = np.all([target.shown for target in (*used, explained)], axis=0)
    ones = np.ones(block.records)
    before = [column[known] for column in (ones, *(target.before for target in used), explained.before)]
    after = [column[shown] for column in (ones, *(target.after for target in used), explained.after)]
    return Lines(_products(before), _products(after))


def _products(columns: list[FloatVector]) -> FloatMatrix:
    return np.array([[(one * other).sum() for other in columns] for one in columns])


def slopes(products: FloatMatrix) -> FloatVector:
    """The coefficients of least squares; the ridge only matters where columns say the same, or one does not vary."""
    records = products[0, 0]
    centered = products[1:, 1:] - np.outer(products[0, 1:], products[0, 1:]) / max(records, 1.0)
    among, with_target = centered[:-1, :-1], centered[:-1, -1]
    found: FloatVector = np.linalg.solve(among + _RIDGE * max(records, 1.0) * np.eye(len(among)), with_target)
    return found


@loss(
    name="query_means",
    label="shift of group means",
    formula="mean over numeric columns and columns to group by of Σ records · |mean − mean′| / (records · sd)",
    range="0 and up",
    good="near 0",
    reference=_REFERENCE,
    sentence="The mean of a number in a group of records moved by {figure} standard deviations on average.",
    headline=True,
    part=means,
)
def query_means(sums: Means, _: Facts) -> float | None:
    """How far the means of numbers by the values of another column move, in standard deviations of the original.

    Numbers are grouped by their quartiles, categories by their 12 most frequent values and all others. Asked are the
    first 12 quasi-identifiers and the first 12 numeric sensitive columns. A group that is gone answers with the mean
    of the table.
    """
    mean, mean_after = (
        np.divide(total, records, out=np.zeros_like(total), where=records > 0)
        for total, records in ((sums.sums, sums.records), (sums.sums_after, sums.records_after))
    )
    records = sums.records.sum(axis=1)
    moved = (sums.records * np.abs(mean - mean_after)).sum(axis=1)[records > 0] / records[records > 0]
    return float(moved.mean()) if len(moved) else None


@loss(
    name="query_tables",
    label="shift of cross tables",
    formula="mean over pairs of quasi-identifiers of ½ Σ over the cells of their cross table of |share − share′|",
    range="0 to 1",
    good="near 0",
    reference=_REFERENCE,
    sentence="A share of {figure} of the records is in another cell of a cross table of two columns on average.",
    part=cells,
)
def query_tables(sums: Cells, facts: Facts) -> float | None:
    """How far the cross tables of two quasi-identifiers move: their total variation distance, on average.

    They are grouped as for `query_means`; with more than 12 quasi-identifiers the first 12 are.
    """
    return float((np.abs(sums.before - sums.after).sum(axis=1) / (2 * facts.records)).mean())


@loss(
    name="query_regression",
    label="shift of a regression",
    formula="max over coefficients of |b − b′|, least squares of the first numeric sensitive column, or the last"
    " numeric quasi-identifier, on the other numeric ones, all in standard deviations of the original",
    range="0 and up",
    good="near 0",
    reference=_REFERENCE,
    sentence="No coefficient of a regression moved by more than {figure}.",
    part=lines,
)
def query_regression(sums: Lines, _: Facts) -> float | None:
    """The largest change of a coefficient of a linear regression.

    Among the first 12 quasi-identifiers, on the records in which all is known, and after the release all is shown.
    """
    if not (np.isfinite(sums.before).all() and np.isfinite(sums.after).all()):
        return None
    # where columns say the same, libraries differ in the last digits
    moved = float(np.abs(slopes(sums.before) - slopes(sums.after)).max())
    return float(f"{round(moved, _DIGITS):.{_DIGITS}g}")
