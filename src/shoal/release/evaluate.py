"""Measure the information loss of a release and its remaining risk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from shoal import data, metrics
from shoal.data import Table
from shoal.domain import (
    BoolVector,
    Column,
    Evaluation,
    FloatVector,
    Kind,
    ModelCheck,
    Names,
    Role,
    Schema,
    check_k,
    select_names,
    stable_mean,
)
from shoal.domain.privacy_models import parse_models
from shoal.errors import ColumnError, DataError
from shoal.errors.messages import pluralize
from shoal.options.table import check_option
from shoal.release.column_options import Hierarchies, Levels, PolicySource, resolve_schema
from shoal.release.inspect import is_shuffled
from shoal.release.policy_arguments import with_policy


@with_policy
def evaluate(
    original: Any,
    released: Any,
    *,
    quasi_identifiers: Names = None,
    k: int | None = None,
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    kinds: Mapping[str, str] | None = None,
    standardize: bool = True,
    distance: str = "wu-palmer",
    missing_values: str = "category",
    alpha: float = 1.0,
    sampling_weights: str | None = None,
    households: str | None = None,
    sensitive: Names = (),
    models: Mapping[str, str | Iterable[str]] | None = None,
    population: Any = None,
    weights: Mapping[str, float] | None = None,
    measures: str | Iterable[str] = "default",
    policy: PolicySource | None = None,  # noqa: ARG001 - for `with_policy`
) -> Evaluation:
    """Measure the information loss of a release and its remaining risk.

    Both tables contain the same records in the same order; a shuffled release is refused. An interval counts as its
    midpoint; a suppressed value counts as the mean, or as the root of its hierarchy. A loss that cannot be measured,
    such as for text instead of numbers, is None and has a note.

    Parameters
    ----------
    original, released : path, DataFrame, array or Table
    quasi_identifiers : str or sequence of str
    k : int, optional
        Count the records in classes below k.
    hierarchies, levels, kinds, standardize, distance, missing_values, alpha, weights
        As for `shoal.anonymize`.
    sampling_weights, households : str, optional
        Columns of the original, as for `shoal.anonymize`.
    sensitive : str or sequence of str
        Sensitive columns of the original, for the measures of attribute disclosure.
    models : mapping, optional
        Privacy models to check in the classes of the release, as for `shoal.verify`.
    population : path, DataFrame, array or Table, optional
        All persons from whom the records were drawn, with quasi-identifiers recoded as in the release. It gives the
        journalist and the marketer risk. Default: sampling weights, or the table itself.
    measures : str or iterable of str
        ``default`` (measures that need one pass over the records), ``all``, or names; see `shoal.measures()`.
    policy : Policy or path, optional
        Policy with the arguments that are not given. Default: if no quasi-identifier is named, the policy beside the
        file of the release.

    Returns
    -------
    Evaluation

    Raises
    ------
    ShoalError
        If the tables do not fit together, or a column or an option cannot be used.
    """
    source = data.read_table(original)
    names = select_names(quasi_identifiers, source.names, Role.QUASI_IDENTIFIER)
    release = read_release(released, source, names)
    _check_row_order(source, release, names)
    k = None if k is None else check_k(k)
    required_models = parse_models(models)
    sensitive_names = select_names(sensitive, source.names, Role.SENSITIVE)
    sensitive_names = (
        *sensitive_names,
        *dict.fromkeys(model.column for model in required_models if model.column not in (*sensitive_names, *names)),
    )
    schema = Schema.assign(data.column_kinds(source), quasi_identifiers=names, sensitive=sensitive_names)
    schema = resolve_schema(source, schema, hierarchies=hierarchies, levels=levels, kinds=kinds, allow_mixed=True)
    columns = [column for column in schema.columns if column.name in names]
    sensitive_columns = [column for column in schema.columns if column.role is Role.SENSITIVE]
    notes: list[str] = []
    column_weight = check_option("weights", weights) or {}
    data.resolve_weights(names, column_weight)
    missing = check_option("missing_values", missing_values)
    distance = check_option("distance", distance)
    design = data.build_survey_design(source, sampling_weights=sampling_weights or "", households=households or "")
    count = partial(
        metrics.count_classes,
        names=names,
        k=k,
        missing=missing,
        alpha=check_option("alpha", alpha),
        design=design,
    )
    suppressed = data.fully_suppressed(release, names)
    after = count(release, population=None if population is None else data.read_table(population))
    notes += _population_notes(after)
    blanked = int((suppressed & ~data.fully_suppressed(source, names)).sum())
    if missing == "wildcard" and blanked:
        notes.append(
            f"{pluralize(blanked, 'record')} of which nothing is shown any more: as wildcards they are compatible with"
            " every other; where outsiders know that they were suppressed, they hide nobody and the risk is higher"
        )
    inputs = metrics.MetricInputs(
        quasi_identifiers=names,
        original_classes=count(source),
        released_classes=after,
        weights=column_weight,
        suppressed=suppressed,
        sensitive=data.sensitive_columns(source, sensitive_columns),
        sampling_weights=design.sampling_weights,
        distance=distance,
        **_numeric_inputs(source, release, columns, check_option("standardize", standardize), notes),
        **_categorical_inputs(source, release, columns, distance, apart=missing == "category"),
    )
    model_checks: tuple[ModelCheck, ...] = ()
    if required_models:
        model_checks = data.check_models(
            data.encode_constraints(source, required_models, schema),
            required_models,
            data.class_labels(release, names),
        )
    return metrics.evaluate(inputs, which=measures, notes=tuple(notes), models=model_checks)


def read_release(released: Any, original: Table, names: Sequence[str]) -> Table:
    """Read a release that must have these columns and as many records as the original."""
    release = data.read_table(released)
    for name in names:
        if name not in release.names:
            raise ColumnError.missing_in_release(name)
    if release.height != original.height:
        raise DataError.record_counts_differ(original.height, release.height)
    return release


def _check_row_order(source: Table, release: Table, names: Sequence[str]) -> None:
    """Refuse a shuffled release: by the policy beside it, or by the columns that it contains unchanged.

    It is shuffled if none of these columns is equal row by row, and one has the same cells in another order.
    """
    if is_shuffled(release):
        raise DataError.shuffled()
    moved = False
    for name in (name for name in release.names if name in source.names and name not in names):
        before, after = (table.cells.content(name).text_values.fill_null("") for table in (source, release))
        if before.n_unique() > 1:
            if before.equals(after):
                return
            moved = moved or before.sort().equals(after.sort())
    if moved:
        raise DataError.shuffled()


def _population_notes(classes: metrics.EquivalenceClasses) -> list[str]:
    """Notes on the limits of a table of the population."""
    if classes.population_counts is None:
        return []
    notes = ["the population is recoded as the release is: the risks before are those without it"]
    too_few = int((classes.population_counts < classes.sizes).sum())
    if too_few:
        notes.append(
            f"the table of the population has fewer records like {pluralize(too_few, 'record')} than the release"
            " itself: those of the release count for them"
        )
    return notes


def _numeric_inputs(
    source: Table, release: Table, columns: Sequence[Column], standardize: bool, notes: list[str]
) -> dict[str, Any]:
    """Numeric columns of both tables with their missing values, or a note why they cannot be compared."""
    measured = [column for column in columns if column.kind in (Kind.NUMERIC, Kind.DATE)]
    pairs = [
        tuple(data.released_bounds(table, column.name, dates=column.kind is Kind.DATE) for table in (source, release))
        for column in measured
    ]
    comparable = [(before, after) for before, after in pairs if before is not None and after is not None]
    if len(comparable) < len(pairs):
        notes.append(
            f"no loss by squared error: {pluralize(len(pairs) - len(comparable), 'quasi-identifier')} without a number"
            " in every record of both tables"
        )
    if len(comparable) < len(pairs) or not measured:
        return {}
    names = [column.name for column in measured]
    originals, missing = zip(*(_fill_with_mean(_midpoints(*before)) for before, _ in comparable), strict=True)
    released, released_missing, bounds = [], [], {}
    for name, original, original_mask, (_, (low, high)) in zip(names, originals, missing, comparable, strict=True):
        released_mask = np.isnan(low)
        mean = stable_mean(original[~original_mask]) if released_mask.any() or original_mask.any() else 0.0
        column = _midpoints(low, high)
        released.append(
            np.where(original_mask | released_mask, mean, column)
            if released_mask.any() or original_mask.any()
            else column
        )
        released_missing.append(released_mask)
        if low is not high:
            bounds[name] = (low, high)
    return {
        "numeric": tuple(names),
        "original_values": originals,
        "released_values": tuple(released),
        "scale": data.fit_scale_by_column(originals, missing, standardize=standardize),
        "original_missing": np.column_stack(missing) if any(column.any() for column in missing) else None,
        "released_missing": np.column_stack(released_missing)
        if any(column.any() for column in released_missing)
        else None,
        "released_intervals": bounds,
        "dates": tuple(column.name for column in measured if column.kind is Kind.DATE),
    }


def _fill_with_mean(column: FloatVector) -> tuple[FloatVector, BoolVector]:
    """Column with its mean for missing numbers, and the mask of these; the column itself if none is missing."""
    is_missing = np.isnan(column)
    return (np.where(is_missing, stable_mean(column[~is_missing]), column) if is_missing.any() else column), is_missing


def _midpoints(low: FloatVector, high: FloatVector) -> FloatVector:
    """Midpoints of intervals; halving first avoids overflow."""
    return low if low is high else low / 2 + high / 2


def _categorical_inputs(
    source: Table, release: Table, columns: Sequence[Column], distance: str, *, apart: bool
) -> dict[str, Any]:
    """Categories of both tables. Missing values are a category if ``apart``.

    Otherwise a missing original value has no loss, and a suppressed one counts as the root.
    """
    other = [column for column in columns if column.kind not in (Kind.NUMERIC, Kind.DATE)]
    if not other:
        return {}
    categories = data.encode_categories(
        source, other, distance=distance, other=release, allow_missing=True, separate_missing=apart
    )
    before, after = data.category_codes(source, categories), data.category_codes(release, categories)
    original_missing, released_missing = (
        data.missing_mask(table, [column.name for column in categories]) for table in (source, release)
    )
    if not apart:
        roots = np.array([len(column.hierarchy) - 1 for column in categories])
        after = np.where(original_missing, before, np.where(released_missing, roots, after))
    return {
        "categories": categories,
        "original_codes": before,
        "released_codes": after,
        "original_codes_missing": original_missing,
        "released_codes_missing": released_missing,
    }
