"""Inspect tables without changing them: read, describe, evaluate, verify."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from shoal import data as tables
from shoal import metrics
from shoal.data import ReadOptions, Table
from shoal.domain import (
    MISSING_POLICIES,
    BoolVector,
    Column,
    ColumnProfile,
    Evaluation,
    FloatVector,
    Kind,
    ModelCheck,
    Names,
    Policy,
    Role,
    Schema,
    Verification,
    check_bool,
    check_choice,
    check_k,
    select_names,
    stable_mean,
)
from shoal.domain import propose_schema as propose
from shoal.domain.privacy_models import parse_models
from shoal.errors import ColumnError, DataError, OptionError, PolicyError
from shoal.errors.messages import pluralize
from shoal.hierarchy.distances import DISTANCES
from shoal.release.column_options import Hierarchies, Levels, resolve_schema
from shoal.release.options import check_fraction, parse_weights
from shoal.release.result import policy_path
from shoal.release.warnings import reading_warnings
from shoal.verification import linked_releases
from shoal.verification.verify import minimal_schema
from shoal.verification.verify import verify as verify_table


def read(
    source: Any,
    *,
    delimiter: str | None = None,
    quote: str = '"',
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    header: bool | None = None,
    skip: int | None = None,
    skip_footer: int | None = None,
    row_numbers: bool | None = None,
    missing: Iterable[str] | None = None,
    missing_in: Mapping[str, Iterable[str] | str] | None = None,
    column_formats: Mapping[str, str] | None = None,
    sheet: str | None = None,
    value_labels: bool = True,
    format: str | None = None,
) -> Table:
    """Read a file, or take a frame or an array as a table.

    Options that you do not give are detected; the table's ``settings`` contain the result.

    Parameters
    ----------
    source : path, DataFrame or array
    delimiter, quote, encoding : str, optional
        For text files.
    decimal, thousands : str, optional
        Decimal mark and thousands separator of all columns.
    header : bool, optional
        Whether there is a header. By default the first line is one, and is refused if it looks like data.
    skip : int, optional
        Number of lines above the header.
    skip_footer : int, optional
        Number of lines below the last record, such as totals.
    row_numbers : bool, optional
        Whether the first column has no name and numbers the rows; it is then left out.
    missing : iterable of str, optional
        Values that mean missing, in all columns.
    missing_in : mapping, optional
        Further ones by column, such as ``{"age": ["999"]}``.
    column_formats : mapping of str to str, optional
        Formats by column, such as ``{"born": "DD.MM.YYYY", "income": "1.234,5 €", "code": "text"}``. Released values
        are written in the same format.
    sheet : str, optional
        Sheet of a workbook.
    value_labels : bool
        Whether columns of SPSS and Stata contain value labels instead of codes, if every value has a label.
    format : str, optional
        File format, if the ending of the file is different.

    Returns
    -------
    Table

    Raises
    ------
    ShoalError
        If the file cannot be read, or is ambiguous.
    """
    options = ReadOptions(
        delimiter=delimiter,
        quote=quote,
        encoding=encoding,
        decimal=decimal,
        thousands=thousands,
        header=True if header is None else header,
        header_known=header is True,
        skip=skip,
        skip_footer=skip_footer,
        row_numbers=row_numbers,
        missing=missing,
        missing_in=missing_in or {},
        column_formats=column_formats or {},
        sheet=sheet,
        value_labels=value_labels,
        format=format,
    )
    return tables.read_table(source, options=options)


@dataclass(frozen=True)
class Description:
    """Proposed roles of the columns of a table, with reasons."""

    table: Table
    schema: Schema
    profiles: tuple[ColumnProfile, ...]
    unique_records: int | None
    """Number of unique records on the proposed quasi-identifiers; None if there is no proposal."""
    warnings: tuple[str, ...] = ()
    """Columns that look misread."""

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data, in a stable order of keys and without values of the data."""
        return {
            "kind": self.table.kind,
            "settings": dict(self.table.settings),
            "records": self.table.height,
            "columns": [
                {
                    "name": column.name,
                    "role": str(column.role),
                    "kind": str(column.kind),
                    "reason": column.reason,
                    "type": profile.type,
                    "distinct": profile.distinct,
                    "missing": profile.missing,
                }
                for column, profile in zip(self.schema.columns, self.profiles, strict=True)
            ],
            "quasi_identifiers": list(self.schema.quasi_identifiers),
            "unique_records": self.unique_records,
            "warnings": list(self.warnings),
        }


def describe(data: Any) -> Description:
    """Propose a role for every column of a table, with reasons.

    Parameters
    ----------
    data : path, DataFrame, array or Table

    Returns
    -------
    Description

    Raises
    ------
    ShoalError
        If the table cannot be read.
    """
    table = tables.read_table(data)
    profiles = tables.profile_columns(table)
    first_guess = propose(profiles, table.height).quasi_identifiers
    schema = propose(profiles, table.height, pairs=tables.redundant_pairs(table, profiles, first_guess))
    names = schema.quasi_identifiers
    n_unique = int((tables.class_sizes(table, names) == 1).sum()) if names else None
    return Description(
        table,
        schema,
        profiles,
        n_unique,
        reading_warnings(tables.find_misread_columns(table), is_typed=tables.has_column_types(table)),
    )


def evaluate(
    original: Any,
    released: Any,
    *,
    quasi_identifiers: Names,
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

    Returns
    -------
    Evaluation

    Raises
    ------
    ShoalError
        If the tables do not fit together, or a column or an option cannot be used.
    """
    source, release = tables.read_table(original), tables.read_table(released)
    names = select_names(quasi_identifiers, source.names, Role.QUASI_IDENTIFIER)
    for name in names:
        if name not in release.names:
            raise ColumnError.missing_in_release(name)
    if source.height != release.height:
        raise DataError.record_counts_differ(source.height, release.height)
    _check_row_order(source, release, names)
    k = None if k is None else check_k(k)
    required_models = parse_models(models)
    sensitive_names = select_names(sensitive, source.names, Role.SENSITIVE)
    sensitive_names = (
        *sensitive_names,
        *dict.fromkeys(model.column for model in required_models if model.column not in (*sensitive_names, *names)),
    )
    schema = Schema.assign(tables.column_kinds(source), quasi_identifiers=names, sensitive=sensitive_names)
    schema = resolve_schema(source, schema, hierarchies=hierarchies, levels=levels, kinds=kinds, allow_mixed=True)
    columns = [column for column in schema.columns if column.name in names]
    sensitive_columns = [column for column in schema.columns if column.role is Role.SENSITIVE]
    notes: list[str] = []
    column_weight = parse_weights(weights)
    tables.resolve_weights(names, column_weight)
    missing = check_choice("missing_values", missing_values, MISSING_POLICIES)
    distance = check_choice("distance", distance, DISTANCES)
    design = tables.build_survey_design(source, sampling_weights=sampling_weights or "", households=households or "")
    count = partial(
        metrics.count_classes,
        names=names,
        k=k,
        missing=missing,
        alpha=check_fraction("alpha", alpha),
        design=design,
    )
    suppressed = tables.fully_suppressed(release, names)
    after = count(release, population=None if population is None else tables.read_table(population))
    notes += _population_notes(after)
    blanked = int((suppressed & ~tables.fully_suppressed(source, names)).sum())
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
        sensitive=tables.sensitive_columns(source, sensitive_columns),
        sampling_weights=design.sampling_weights,
        distance=distance,
        **_numeric_inputs(source, release, columns, check_bool("standardize", standardize), notes),
        **_categorical_inputs(source, release, columns, distance, apart=missing == "category"),
    )
    model_checks: tuple[ModelCheck, ...] = ()
    if required_models:
        model_checks = tables.check_models(
            tables.encode_constraints(source, required_models, schema),
            required_models,
            tables.class_labels(release, names),
        )
    return metrics.evaluate(inputs, which=measures, notes=tuple(notes), models=model_checks)


def _check_row_order(source: Table, release: Table, names: Sequence[str]) -> None:
    """Refuse a shuffled release: by the policy beside it, or by the columns that it contains unchanged.

    It is shuffled if none of these columns is equal row by row, and one has the same cells in another order.
    """
    if _is_shuffled(release):
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


def _is_shuffled(table: Table) -> bool:
    """Whether the policy beside a release says that its rows are shuffled."""
    if table.path is None or not policy_path(table.path).is_file():
        return False
    try:
        policy = Policy.read(policy_path(table.path))
    except PolicyError:
        return False
    return policy.shuffle and policy.output.get("sha256") == table.sha256


def _population_notes(classes: metrics.EquivalenceClasses) -> list[str]:
    """Notes on the limits of a table of the population."""
    if classes.population_counts is None:
        return []
    notes = ["the population is recoded as the release is: the risks before are those without it"]
    too_few = int((classes.population_counts < classes.sizes).sum())
    if too_few:
        notes.append(
            f"the table of the population has fewer records like {pluralize(too_few, 'record')} than the release itself:"
            " those of the release count for them"
        )
    return notes


def _numeric_inputs(
    source: Table, release: Table, columns: Sequence[Column], standardize: bool, notes: list[str]
) -> dict[str, Any]:
    """Numeric columns of both tables with their missing values, or a note why they cannot be compared."""
    measured = [column for column in columns if column.kind in (Kind.NUMERIC, Kind.DATE)]
    pairs = [
        tuple(tables.released_bounds(table, column.name, dates=column.kind is Kind.DATE) for table in (source, release))
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
        "scale": tables.fit_scale_by_column(originals, missing, standardize=standardize),
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
    categories = tables.encode_categories(
        source, other, distance=distance, other=release, allow_missing=True, separate_missing=apart
    )
    before, after = tables.category_codes(source, categories), tables.category_codes(release, categories)
    original_missing, released_missing = (
        tables.missing_mask(table, [column.name for column in categories]) for table in (source, release)
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


def verify(
    table: Any,
    *,
    k: int,
    quasi_identifiers: Names,
    models: Mapping[str, str | Iterable[str]] | None = None,
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    missing_values: str = "category",
    alpha: float = 1.0,
    strata: Names = (),
    households: str | None = None,
    against: Any = None,
    against_quasi_identifiers: Names = (),
    order: str | None = None,
    sensitive: Names = (),
) -> Verification:
    """Count the classes of any table, made by Shoal or not. The result is true if every class has at least k records.

    Parameters
    ----------
    table : path, DataFrame, array or Table
    k : int
    quasi_identifiers : str or sequence of str
    models : mapping, optional
        Privacy models that every class must meet, one or several per column: ``{"diagnosis": "distinct-l(3)"}``.
        Closeness is to the distribution in the table itself.
    hierarchies, levels : mapping, optional
        For ``t-hierarchical`` and ``t-ordered``.
    missing_values : str
        ``category`` (a value like any other) or ``wildcard`` (compatible with every value).
    alpha : float
        Weight of compatible records with missing values.
    strata : str or sequence of str
        Count records within strata.
    households : str, optional
        Count households instead of records.
    against : path, DataFrame, array or Table, optional
        Another release that may contain the same persons. Then k must hold jointly, and no single value of a column
        that has a model or is ``sensitive`` may be left in a joint class; see `shoal.verification.linked_releases`.
    against_quasi_identifiers : str or sequence of str
        Quasi-identifiers of the other release. Default: those of the policy beside its file, else those of the same
        names.
    order : str, optional
        Whether the records of both are in the same order: ``kept`` or ``unknown``. Default: they are if the shared
        columns agree row by row, unless a policy says that the rows are shuffled.
    sensitive : str or sequence of str
        Sensitive columns to check against the other release.

    Returns
    -------
    Verification

    Raises
    ------
    ShoalError
        If a column or an option cannot be used.
    """
    data, required_models = tables.read_table(table), parse_models(models)
    schema = minimal_schema(data, quasi_identifiers, required_models)
    schema = resolve_schema(data, schema, hierarchies=hierarchies, levels=levels, allow_mixed=True)
    strata = select_names(strata, data.names, Role.INSENSITIVE)
    verification = verify_table(
        data,
        k=k,
        quasi_identifiers=quasi_identifiers,
        models=required_models,
        schema=schema,
        missing=check_choice("missing_values", missing_values, ("category", "wildcard")),
        alpha=check_fraction("alpha", alpha),
        design=tables.build_survey_design(data, strata=strata, households=households or ""),
    )
    other_names, sensitive_names = _as_names(against_quasi_identifiers), _as_names(sensitive)
    if against is None:
        for name, value in {
            "against_quasi_identifiers": other_names,
            "order": order,
            "sensitive": sensitive_names,
        }.items():
            if value:
                raise OptionError.needs_against(name)
        return verification
    if households:
        raise OptionError.linked_households()
    other = tables.read_table(against)
    sensitive_columns = select_names(sensitive_names, tuple(dict.fromkeys([*data.names, *other.names])), Role.SENSITIVE)
    if order is None and data.sha256 != other.sha256 and (_is_shuffled(data) or _is_shuffled(other)):
        order = "unknown"
    return replace(
        verification,
        together=linked_releases.verify_linked(
            data,
            other,
            k=k,
            quasi_identifiers=tuple(dict.fromkeys([*verification.quasi_identifiers, *strata])),
            other_quasi_identifiers=_other_quasi_identifiers(other, other_names, verification, strata),
            sensitive=tuple(dict.fromkeys([*sensitive_columns, *(model.column for model in required_models)])),
            order=order,
        ),
    )


def _as_names(names: Names) -> tuple[str | int, ...]:
    """Names as a tuple."""
    return (names,) if isinstance(names, str | int) else tuple(() if names is None else names)


def _other_quasi_identifiers(
    other: Table, named: Names, verification: Verification, strata: tuple[str, ...]
) -> tuple[str, ...]:
    """Quasi-identifiers of another release (named, of its policy, or those of the same names), and the strata."""
    if not named and other.path is not None and policy_path(other.path).exists():
        named = Policy.read(policy_path(other.path)).schema.quasi_identifiers
    if not named:
        named = [name for name in verification.quasi_identifiers if name in other.names]
    if not named:
        raise ColumnError.no_quasi_identifier_in_other()
    selected = select_names(named, other.names, Role.QUASI_IDENTIFIER)
    return tuple(dict.fromkeys([*selected, *(name for name in strata if name in other.names)]))
