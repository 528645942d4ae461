"""Queries: change of the answers to typical analyses.

Queries use the first 12 quasi-identifiers and the first 12 numeric sensitive columns. Numbers are grouped by the
quartiles of the original, categories by their 12 most frequent values and all others; missing released numbers are a
group. Sensitive columns are released unchanged, so only their groups change.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from shoal.domain import BoolVector, FloatMatrix, FloatVector, IntVector, Scale
from shoal.metrics.inputs import MAX_FREQUENT, MetricInputs, TableFacts, memoize
from shoal.metrics.partial_sums import BeforeAfter
from shoal.metrics.registry import loss

MAX_COLUMNS = 12
_BINS = MAX_FREQUENT + 1
_RIDGE = 1e-9
_DIGITS = 6
_ROUNDING = 1e-12
_REFERENCE = "Karr, Kohnen, Oganian, Reiter and Sanil (2006), A framework for evaluating the utility of data altered to"
_REFERENCE += " protect confidentiality, The American Statistician 60(3)"


class GroupingColumn(NamedTuple):
    """A column to group by: the group of each record before and after."""

    name: str
    before: IntVector
    after: IntVector


class TargetColumn(NamedTuple):
    """A numeric column in standard deviations before and after, with masks of the known values."""

    name: str
    before: FloatVector
    after: FloatVector
    known_before: BoolVector
    known_after: BoolVector


class GroupMeanSums(NamedTuple):
    """For each target and grouping column, counts and sums per group before and after."""

    records: FloatMatrix
    sums: FloatMatrix
    records_after: FloatMatrix
    sums_after: FloatMatrix


@memoize
def grouping_columns(block: MetricInputs) -> tuple[GroupingColumn, ...]:
    """The columns that queries group by."""
    facts, columns = block.facts, []
    categorical = {column.name: j for j, column in enumerate(block.categories)}
    for name in block.quasi_identifiers[:MAX_COLUMNS]:
        if name in block.numeric:
            j = block.numeric.index(name)
            # a value equal to a quartile up to rounding belongs below it
            cuts = facts.quartiles[j] + _ROUNDING * max(abs(facts.minima[j]), abs(facts.maxima[j]))
            missing = len(cuts) + 1
            before = np.where(block.is_original_missing(j), missing, np.searchsorted(cuts, block.original[:, j]))
            is_missing = block.is_original_missing(j) | block.is_released_missing(j)
            after = np.where(is_missing, missing, np.searchsorted(cuts, block.released[:, j]))
            columns.append(GroupingColumn(name, before, after))
        elif name in categorical:
            j = categorical[name]
            other = len(facts.frequent_codes[j])
            group_of = np.full(len(facts.categories[j].hierarchy), other)
            group_of[facts.frequent_codes[j]] = np.arange(other)
            was_missing = block.is_original_code_missing(j)
            groups = (
                np.where(was_missing, other, group_of[nodes[:, j]])
                for nodes in (block.original_codes, block.released_codes)
            )
            columns.append(GroupingColumn(name, *groups))
    return tuple(columns)


@memoize
def sensitive_scales(facts: TableFacts) -> tuple[Scale | None, ...]:
    """The scale that standardizes each sensitive column; None if it is constant or not numeric."""
    result: list[Scale | None] = []
    for column in facts.sensitive:
        known = np.empty(0) if column.numbers is None else column.numbers[~np.isnan(column.numbers)]
        varied = len(known) > 0 and known.min() < known.max()
        result.append(Scale.standardized(known[:, None]) if varied else None)
    return tuple(result)


@memoize
def target_columns(block: MetricInputs) -> tuple[TargetColumn, ...]:
    """The numeric quasi-identifiers, then the numeric sensitive columns; constant columns are left out."""
    facts, result = block.facts, []
    for name in block.quasi_identifiers[:MAX_COLUMNS]:
        j = block.numeric.index(name) if name in block.numeric else -1
        if j >= 0 and facts.maxima[j] > facts.minima[j] and facts.stds[j] > 0:
            before, after = (
                (matrix[:, j] - facts.means[j]) / facts.stds[j] for matrix in (block.original, block.released)
            )
            known = ~block.is_original_missing(j)
            result.append(TargetColumn(name, before, after, known, known & ~block.is_released_missing(j)))
    n_quasi_identifiers = len(result)
    for column, scale in zip(block.sensitive, sensitive_scales(facts), strict=True):
        if column.numbers is not None and scale is not None and len(result) < n_quasi_identifiers + MAX_COLUMNS:
            known = ~np.isnan(column.numbers)
            numbers = scale.apply(np.where(known, column.numbers, 0.0)[:, None])[:, 0]
            result.append(TargetColumn(column.name, numbers, numbers, known, known))
    return tuple(result)


def group_mean_sums(block: MetricInputs) -> GroupMeanSums | None:
    """Partial sums of a block."""
    sums = [
        (
            *_grouped_sums(target.before, target.known_before, column.before),
            *_grouped_sums(target.after, target.known_after, column.after),
        )
        for target in target_columns(block)
        for column in grouping_columns(block)
        if target.name != column.name
    ]
    return GroupMeanSums(*(np.array(part) for part in zip(*sums, strict=True))) if sums else None


def _grouped_sums(numbers: FloatVector, known: BoolVector, groups: IntVector) -> tuple[FloatVector, FloatVector]:
    if not known.all():
        numbers, groups = numbers[known], groups[known]
    counts, sums = np.bincount(groups, minlength=_BINS), np.bincount(groups, numbers, minlength=_BINS)
    return counts.astype(np.float64), sums.astype(np.float64)


def cross_tables(block: MetricInputs) -> BeforeAfter | None:
    """Counts of the cross table of each pair of columns in a block."""
    pairs = list(combinations(grouping_columns(block), 2))
    if not pairs:
        return None
    before = [np.bincount(one.before * _BINS + other.before, minlength=_BINS**2) for one, other in pairs]
    after = [np.bincount(one.after * _BINS + other.after, minlength=_BINS**2) for one, other in pairs]
    return BeforeAfter(np.array(before, dtype=np.float64), np.array(after, dtype=np.float64))


def regression_sums(block: MetricInputs) -> BeforeAfter | None:
    """Cross products of a constant, the predictors and the response, over the complete records of a block."""
    available = list(target_columns(block))
    numeric = [target for target in available if target.name in block.numeric]
    response = next(
        (target for target in available if target.name not in block.numeric), numeric[-1] if numeric else None
    )
    predictors = [target for target in numeric if target is not response]
    if response is None or not predictors:
        return None
    known = np.all([target.known_before for target in (*predictors, response)], axis=0)
    present = np.all([target.known_after for target in (*predictors, response)], axis=0)
    ones = np.ones(block.records)
    before = [column[known] for column in (ones, *(target.before for target in predictors), response.before)]
    after = [column[present] for column in (ones, *(target.after for target in predictors), response.after)]
    return BeforeAfter(_products(before), _products(after))


def _products(columns: list[FloatVector]) -> FloatMatrix:
    return np.array([[(one * other).sum() for other in columns] for one in columns])


def regression_coefficients(products: FloatMatrix) -> FloatVector:
    """Least squares coefficients; the ridge only matters for collinear or constant columns."""
    records = products[0, 0]
    centered = products[1:, 1:] - np.outer(products[0, 1:], products[0, 1:]) / max(records, 1.0)
    among, with_target = centered[:-1, :-1], centered[:-1, -1]
    coefficients: FloatVector = np.linalg.solve(among + _RIDGE * max(records, 1.0) * np.eye(len(among)), with_target)
    return coefficients


@loss(
    name="query_means",
    label="shift of group means",
    formula="mean over numeric columns and columns to group by of Σ records · |mean − mean′| / (records · sd)",
    range="0 and up",
    good="near 0",
    reference=_REFERENCE,
    sentence="The mean of a number in a group of records moved by {figure} standard deviations on average.",
    headline=True,
    partial=group_mean_sums,
)
def query_means(sums: GroupMeanSums, _: TableFacts) -> float | None:
    """Mean shift of the means of numeric columns by the groups of another column, in standard deviations.

    Numbers are grouped by their quartiles, categories by their 12 most frequent values and all others. The first 12
    quasi-identifiers and the first 12 numeric sensitive columns are used. A group without released records counts as
    the mean of the table.
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
    partial=cross_tables,
)
def query_tables(sums: BeforeAfter, facts: TableFacts) -> float | None:
    """Mean total variation distance between the cross tables of two quasi-identifiers before and after.

    Columns are grouped as for `query_means`; only the first 12 quasi-identifiers are used.
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
    partial=regression_sums,
)
def query_regression(sums: BeforeAfter, _: TableFacts) -> float | None:
    """Largest change of a coefficient of a linear regression.

    Uses the first 12 quasi-identifiers, on the records with all values known before, and present after the release.
    """
    if not (np.isfinite(sums.before).all() and np.isfinite(sums.after).all()):
        return None
    # with collinear columns, BLAS libraries differ in the last digits
    moved = float(np.abs(regression_coefficients(sums.before) - regression_coefficients(sums.after)).max())
    return float(f"{round(moved, _DIGITS):.{_DIGITS}g}")
