"""Names of recodings: which aggregate of a group an option value selects, by the kind of the column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shoal.domain.columns import Column, Kind, Schema
from shoal.errors import OptionError

BY_COLUMN, INTEGER_COLUMNS, NO_ROUNDING = "by column", "whole numbers", "none"
"""Rounding of released numbers: to the decimals of their column, integers only (older policies), or none."""
INTERVAL = "interval"
_NUMBER_OPTIONS: Mapping[str, str] = {
    "mean": "mean",
    "median": "median",
    INTERVAL: INTERVAL,
    "centroid": "mean",
    "generalize": INTERVAL,
}
_CATEGORY_OPTIONS: Mapping[str, str] = {
    "centroid": "centroid",
    "mode": "mode",
    "lcs": "lcs",
    "ancestor": "lcs",
    "generalize": "lcs",
}
"""The option values for numbers and dates, and for all other kinds, with the recoding that each selects."""
RECODINGS = tuple(dict.fromkeys((*_NUMBER_OPTIONS, *_CATEGORY_OPTIONS)))


def recodings(kind: Kind) -> tuple[str, ...]:
    """Return the recodings of a kind of column; the first is the default."""
    return tuple(dict.fromkeys(_options(kind).values()))


def resolve_recoding(option: str, *, column: str, kind: Kind) -> str:
    """Return the recoding that an option value selects for a kind of column."""
    if option not in _options(kind):
        raise OptionError.recode_not_applicable(option, column=column, kind=kind, known=recodings(kind))
    return _options(kind)[option]


def assign_recodings(schema: Schema, option: Any) -> Schema:
    """Return the schema with a recoding for every quasi-identifier.

    It is the one of the column, else the option value where it fits, else the default of the kind.
    """
    if option is not None and (not isinstance(option, str) or option not in RECODINGS):
        raise OptionError.unknown_choice("recode", option, RECODINGS)
    protected = schema.quasi_identifiers
    columns = [_assign_recoding(column, option) if column.name in protected else column for column in schema.columns]
    if option is not None and all(column.recode != _options(column.kind).get(option) for column in columns):
        raise OptionError.recode_applies_to_no_column(option)
    return Schema(tuple(columns))


def _assign_recoding(column: Column, option: str | None) -> Column:
    if column.recode:
        return replace(column, recode=resolve_recoding(column.recode, column=column.name, kind=column.kind))
    return replace(column, recode=_options(column.kind).get(option or "", recodings(column.kind)[0]))


def _options(kind: Kind) -> Mapping[str, str]:
    return _NUMBER_OPTIONS if kind in (Kind.NUMERIC, Kind.DATE) else _CATEGORY_OPTIONS
