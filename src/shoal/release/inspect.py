"""Inspect tables without changing them: read, describe, verify."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal import data as tables
from shoal.data import ReadOptions, Table
from shoal.domain import (
    ColumnProfile,
    Names,
    Policy,
    Role,
    Schema,
    Verification,
    check_choice,
    select_names,
)
from shoal.domain import propose_schema as propose
from shoal.domain.privacy_models import parse_models
from shoal.engines import spark
from shoal.errors import ColumnError, OptionError, PolicyError
from shoal.options.table import check_option
from shoal.release import large_tables
from shoal.release.column_options import Hierarchies, Levels, PolicySource, resolve_schema
from shoal.release.policy_arguments import with_policy
from shoal.release.save import policy_path
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


def is_shuffled(path: Path | None, sha256: str | None) -> bool:
    """Whether the policy beside a release with this hash says that its rows are shuffled."""
    if path is None or not policy_path(path).is_file():
        return False
    try:
        policy = Policy.read(policy_path(path))
    except PolicyError:
        return False
    return policy.shuffle and policy.output.get("sha256") == sha256


@with_policy
def verify(
    table: Any,
    *,
    k: int | None = None,
    quasi_identifiers: Names = None,
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
    policy: PolicySource | None = None,  # noqa: ARG001 - for `with_policy`
    memory: int | str | None = None,
    options: ReadOptions | None = None,
    scratch: str | None = None,
) -> Verification:
    """Count the classes of any table, made by Shoal or not. The result is true if every class has at least k records.

    Parameters
    ----------
    table : path, DataFrame, array or Table
        A Spark DataFrame is counted on its cluster.
    k : int
        Minimum number of records in a class.
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
    policy : Policy or path, optional
        Policy with the arguments that are not given. Default: if k or the quasi-identifiers are not given, the policy
        beside the file. Strata and households count if the release has their columns.
    memory : int or str, optional
        Memory limit, in bytes or as text such as ``2GB``: a csv, tsv or Parquet file of any size is then counted in
        pieces. Wildcards and another release need the whole table in memory.
    options : ReadOptions, optional
        How to read a file that is counted in pieces; the rest is detected.
    scratch : str, optional
        For a Spark DataFrame, as for `shoal.anonymize`.

    Returns
    -------
    Verification

    Raises
    ------
    ShoalError
        If a column or an option cannot be used.
    """
    if k is None:
        raise OptionError.no_k()
    required_models = parse_models(models)
    other_names, sensitive_names = _as_names(against_quasi_identifiers), _as_names(sensitive)
    missing = check_choice("missing_values", missing_values, ("category", "wildcard"))
    about_other = {"against_quasi_identifiers": other_names, "order": order, "sensitive": sensitive_names}
    if against is None:
        for name, value in about_other.items():
            if value:
                raise OptionError.needs_against(name)
    if memory is not None or spark.is_frame(table):
        if against is not None:
            raise OptionError.needs_memory("against")
        counting = large_tables.CountingOptions(
            k=k,
            quasi_identifiers=quasi_identifiers,
            models=required_models,
            hierarchies=hierarchies,
            levels=levels,
            missing=missing,
            strata=strata,
            households=households or "",
        )
        if memory is None or spark.is_frame(table):
            return large_tables.verify_frame(table, counting, scratch_address=scratch)
        return large_tables.verify_file(table, counting, memory=memory, options=options)
    data = tables.read_table(table, options=options)
    schema = minimal_schema(tables.column_kinds(data), quasi_identifiers, required_models)
    schema = resolve_schema(data, schema, hierarchies=hierarchies, levels=levels, allow_mixed=True)
    strata = select_names(strata, data.names, Role.INSENSITIVE)
    verification = verify_table(
        data,
        k=k,
        quasi_identifiers=quasi_identifiers,
        models=required_models,
        schema=schema,
        missing=missing,
        alpha=check_option("alpha", alpha),
        design=tables.build_survey_design(data, strata=strata, households=households or ""),
    )
    if against is None:
        return verification
    if households:
        raise OptionError.linked_households()
    other = tables.read_table(against)
    sensitive_columns = select_names(sensitive_names, tuple(dict.fromkeys([*data.names, *other.names])), Role.SENSITIVE)
    if (
        order is None
        and data.sha256 != other.sha256
        and any(is_shuffled(each.path, each.sha256) for each in (data, other))
    ):
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
