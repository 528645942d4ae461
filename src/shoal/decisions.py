"""Decisions: what a user asks for, checked and made plain for a policy."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from shoal import tables
from shoal.errors import ColumnError, OptionError, ShoalWarning
from shoal.hierarchy.semantics import DISTANCES
from shoal.partition.registry import AUTO
from shoal.recode import BY_COLUMN, NONE, WHOLE_NUMBERS, decided
from shoal.schema import (
    EFFORTS,
    FORMULAS,
    Column,
    ColumnProfile,
    Kind,
    Model,
    Names,
    Policy,
    Refinement,
    Role,
    Schema,
    Survey,
    overlooked,
    read_models,
)
from shoal.schema.columns import chosen
from shoal.tables import Table
from shoal.values import one_of, true_or_false


def asked_models(schema: Schema, *, models: Any, l: Any, t: Any) -> tuple[Model, ...]:  # noqa: E741
    """The models that are named, and those that ``l`` and ``t`` ask of every sensitive column."""
    found = list(read_models(models))
    columns = [column for column in schema.columns if column.role is Role.SENSITIVE]
    if (l is not None or t is not None) and not columns:
        raise OptionError.nothing_sensitive()
    for column in columns:
        if l is not None:
            found.append(Model.read(column.name, f"distinct-l({_real('l', l, 'a whole number above 1')!r})"))
        if t is not None:
            found.append(Model.read(column.name, f"{_closeness(column)}({_real('t', t, 'a number from 0 to 1')!r})"))
    names = {column.name for column in columns}
    for model in found:
        if model.column not in [column.name for column in schema.columns]:
            raise ColumnError.unknown(model.column, [column.name for column in schema.columns])
        if model.column not in names:
            role = next(column.role for column in schema.columns if column.name == model.column)
            raise ColumnError.not_sensitive(model.column, role)
    return tuple(dict.fromkeys(found))


def _closeness(column: Column) -> str:
    """The distance that fits a column: by its hierarchy, by its order, or equal between all values."""
    if column.kind is Kind.HIERARCHICAL:
        return "t-hierarchical"
    return "t-ordered" if column.kind in (Kind.NUMERIC, Kind.DATE, Kind.ORDINAL) else "t-equal"


def known_survey(
    schema: Schema, *, sampling_weights: Any, strata: Names, households: Any, largest_household: Any
) -> Survey:
    """The columns that hold the weights, strata and households."""
    known = [column.name for column in schema.columns]
    for name in (sampling_weights, households):
        if name is not None and str(name) not in known:
            raise ColumnError.unknown(str(name), known)
    weights = "" if sampling_weights is None else str(sampling_weights)
    home = "" if households is None else str(households)
    for name, what in ((weights, "the sampling weight"), (home, "the household")):
        if name in schema.quasi_identifiers:
            raise ColumnError.no_key(name, what)
    most = largest_household.item() if isinstance(largest_household, np.generic) else largest_household
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise OptionError.bad_option("largest_household", "a whole number of at least 1")
    return Survey(weights, chosen(strata, known, Role.INSENSITIVE), home, most)


def check_table(policy: Policy, table: Table, *, replays: bool = False) -> tuple[ColumnProfile, ...]:
    """Refuse a table as `check_decided` does, or one whose index looks like an identifier: a release keeps it.

    Returns the profiles of its columns.
    """
    profiles, index = tables.profile(table), tables.index_table(table)
    check_decided(policy, profiles, table.height, replays=replays)
    if index is not None and policy.keep is not None:
        # a running number is the order of the rows, of which a warning tells
        levels = [level for level in tables.profile(index) if not level.counts_up]
        for level in overlooked(levels, index.height):
            raise ColumnError.identifying_index(level.reason)
    return profiles


def check_decided(policy: Policy, profiles: Sequence[ColumnProfile], records: int, *, replays: bool = False) -> None:
    """Refuse columns that look like identifiers and have no role, unless the policy names them to be kept.

    A policy of a version that did not ask for such a word releases them as it did. Where a policy ``replays``, the
    table is mostly the next delivery.
    """
    if policy.keep is None:
        return
    unnamed = {*policy.schema.named(Role.INSENSITIVE)} - {*policy.keep}
    found = {column.name: column.reason for column in overlooked(profiles, records) if column.name in unnamed}
    if found:
        raise ColumnError.undecided_identifiers(found, replays=replays)


def asked_refinement(method: str | None, *, refine: Any, effort: Any, seconds: Any) -> Refinement | None:
    """How far local search goes: where nothing is said, it follows the method that Shoal chooses and no other."""
    if refine is None:
        refine = method in (None, AUTO) or effort is not None or seconds is not None
    if not true_or_false("refine", refine):
        if effort is not None or seconds is not None:
            raise OptionError.nothing_refined()
        return None
    if seconds is not None:
        seconds = _real("seconds", seconds, "a number above 0")
        if seconds <= 0:
            raise OptionError.bad_option("seconds", "a number above 0")
    return Refinement("balanced" if effort is None else one_of("effort", effort, EFFORTS), seconds)


def share(name: str, value: Any, *, least: float = 0.0, most: float = 1.0) -> float:
    """A number between two others."""
    expected = f"a number from {least:g} to {most:g}"
    number = _real(name, value, expected)
    if not least <= number <= most:
        raise OptionError.bad_option(name, expected)
    return number


def _real(name: str, value: Any, expected: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise OptionError.bad_option(name, expected) from None
    if isinstance(value, bool) or not math.isfinite(number):
        raise OptionError.bad_option(name, expected)
    return number


def known_bounds(schema: Schema, bounds: Any) -> dict[str, tuple[float, float]]:
    """The least and the largest value of some numeric quasi-identifiers."""
    expected = "the least and the largest value of numeric quasi-identifiers, as {'age': (0, 120)}"
    if bounds is None:
        return {}
    if not isinstance(bounds, Mapping):
        raise OptionError.bad_option("bounds", expected)
    kinds = {column.name: column.kind for column in schema.columns if column.role is Role.QUASI_IDENTIFIER}
    found: dict[str, tuple[float, float]] = {}
    for name, pair in bounds.items():
        if str(name) not in kinds:
            raise ColumnError.unknown(str(name), list(kinds))
        if kinds[str(name)] is not Kind.NUMERIC or not isinstance(pair, Iterable) or isinstance(pair, str):
            raise OptionError.bad_option("bounds", expected)
        ends = [_real("bounds", end, expected) for end in pair]
        if len(ends) != 2 or ends[0] > ends[1]:
            raise OptionError.bad_option("bounds", expected)
        found[str(name)] = (ends[0], ends[1])
    return found


def asked_exactness(exact_means: Any, options: dict[str, Any]) -> bool:
    """Whether means keep all digits. An older option that says it is taken out of the options."""
    exact = true_or_false("exact_means", exact_means)
    if "round_integers" not in options:
        return exact
    rounded = true_or_false("round_integers", options.pop("round_integers"))
    remedy = "leave it out" if rounded else "use exact_means=True"
    warnings.warn(
        f"round_integers is deprecated: numbers keep the decimals of their column; {remedy}.", ShoalWarning, 4
    )
    return exact or not rounded


def check_totals(schema: Schema, keep_totals: bool, *, exact_means: bool) -> None:
    """Refuse to keep totals where no mean is rounded."""
    if keep_totals and exact_means:
        raise OptionError.total_of_exact_means()
    if keep_totals and all(column.recode != "mean" or column.kind is not Kind.NUMERIC for column in schema.columns):
        raise OptionError.no_total()


class Settings(NamedTuple):
    """The options of a policy, checked: those of any release, and the method's own."""

    standardize: bool
    rounding: str
    """``BY_COLUMN``, ``WHOLE_NUMBERS`` or ``NONE``."""
    keep_totals: bool
    distance: str
    schema: Schema
    """With a way to recode for every quasi-identifier."""
    shuffle: bool
    formulas: str
    own: dict[str, Any]


def settings(policy: Policy) -> Settings:
    """What the options of a policy say."""
    options = {name: plain(name, value) for name, value in policy.options.items()}
    standardize = true_or_false("standardize", options.pop("standardize", True))
    exact_means = true_or_false("exact_means", options.get("exact_means", False))
    rounding = _rounding(options)
    keep_totals = true_or_false("keep_totals", options.pop("keep_totals", False))
    distance = one_of("distance", options.pop("distance", "wu-palmer"), DISTANCES)
    schema = decided(policy.schema, options.pop("recode", None))
    shuffle = true_or_false("shuffle", options.pop("shuffle", False))
    formulas = one_of("formulas", options.pop("formulas", FORMULAS[0]), FORMULAS)
    check_totals(schema, keep_totals, exact_means=exact_means)
    return Settings(standardize, rounding, keep_totals, distance, schema, shuffle, formulas, options)


def _rounding(options: dict[str, Any]) -> str:
    """How released numbers are rounded. Policies without ``exact_means`` are older and say it in another way."""
    rounded = true_or_false("round_integers", options.pop("round_integers", False))
    if "exact_means" not in options:
        return WHOLE_NUMBERS if rounded else NONE
    return NONE if true_or_false("exact_means", options.pop("exact_means")) else BY_COLUMN


def plain(name: str, value: Any) -> str | int | float | bool:
    """An option as a policy can hold it; numbers of numpy become those of Python."""
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, str | int | float | bool) or (isinstance(value, int) and abs(value) >= 2**63):
        raise OptionError.bad_option(name, "a number, a word, true or false")
    return value


def column_weights(weights: Mapping[Any, float] | None) -> dict[str, float]:
    try:
        return {str(name): float(weight) for name, weight in (weights or {}).items()}
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise OptionError.bad_option("weights", "a number above 0 for each quasi-identifier that is named") from None


def whole_seed(seed: Any) -> int:
    number = seed.item() if isinstance(seed, np.generic) else seed
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 2**63:
        raise OptionError.no_seed()
    return number
