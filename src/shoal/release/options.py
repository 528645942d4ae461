"""Build the policy of a release from the arguments of `shoal.anonymize`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal import data
from shoal.data import Table
from shoal.domain import (
    EFFORTS,
    FORMULA_POLICIES,
    MISSING_POLICIES,
    Column,
    ColumnProfile,
    Kind,
    Names,
    Policy,
    PrivacyModel,
    Refinement,
    Role,
    Schema,
    Survey,
    check_bool,
    check_choice,
    check_k,
    likely_identifiers,
    parse_models,
)
from shoal.domain.columns import ALL_OTHER_COLUMNS, KEPT_COLUMN, select_names
from shoal.engines.engine import TableProfile
from shoal.errors import ColumnError, OptionError, warn_user
from shoal.hierarchy.distances import DISTANCES
from shoal.microaggregation import registry
from shoal.microaggregation.blockwise import check_block_size
from shoal.microaggregation.registry import AUTO
from shoal.recode import assign_recodings
from shoal.release.column_options import Hierarchies, Levels, resolve_schema

COMMON_OPTIONS = ("standardize", "distance", "exact_means", "keep_totals", "shuffle", "formulas")
"""Policy options that do not belong to a method."""


def build_policy(
    table: Table,
    *,
    k: int,
    quasi_identifiers: Names,
    identifiers: Names = (),
    sensitive: Names = (),
    keep: Names = (),
    drop_others: bool = False,
    models: Mapping[str, Any] | None = None,
    l: int | None = None,  # noqa: E741
    t: float | None = None,
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    kinds: Mapping[str, str] | None = None,
    missing_values: str = "category",
    alpha: float = 1.0,
    max_suppression: float = 0.0,
    method: str | None = None,
    refine: bool | None = None,
    effort: str | None = None,
    time_limit: float | None = None,
    blocks: int | None = None,
    seed: int = 0,
    standardize: bool = True,
    distance: str = "wu-palmer",
    weights: Mapping[str, float] | None = None,
    recode: str | Mapping[str, str] | None = None,
    exact_means: bool = False,
    keep_totals: bool = False,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    sampling_weights: str | None = None,
    strata: Names = (),
    households: str | None = None,
    largest_household: int = 20,
    shuffle: bool = False,
    formulas: str = "keep",
    **options: Any,
) -> Policy:
    """Build the policy of a release and validate it. The arguments are those of `shoal.anonymize`."""
    schema = Schema.assign(
        data.column_kinds(table),
        quasi_identifiers=quasi_identifiers,
        identifiers=identifiers,
        sensitive=sensitive,
        keep=keep,
    )
    keep_names = select_names(keep, table.names, KEPT_COLUMN)
    by_column = dict(recode) if isinstance(recode, Mapping) else {}
    default_recode = by_column.pop(ALL_OTHER_COLUMNS, None) if isinstance(recode, Mapping) else recode
    schema = resolve_schema(table, schema, hierarchies=hierarchies, levels=levels, kinds=kinds, recode=by_column)
    exact_means = parse_exact_means(exact_means, options)
    settings = {"standardize": standardize, "distance": distance, "exact_means": exact_means}
    settings |= {"keep_totals": True} if check_bool("keep_totals", keep_totals) else {}
    settings |= {"shuffle": True} if check_bool("shuffle", shuffle) else {}
    settings |= (
        {"formulas": formulas} if check_choice("formulas", formulas, FORMULA_POLICIES) != FORMULA_POLICIES[0] else {}
    )
    survey = parse_survey(
        schema,
        sampling_weights=sampling_weights,
        strata=strata,
        households=households,
        largest_household=largest_household,
    )
    if check_bool("drop_others", drop_others):
        schema = schema.drop_unassigned([*keep_names, *survey.columns])
    return Policy(
        k=check_k(k, table.height),
        method=registry.AUTO if method is None else method,
        seed=check_seed(seed),
        options={name: to_builtin(name, value) for name, value in {**settings, **options}.items()},
        weights=parse_weights(weights),
        schema=assign_recodings(schema, default_recode),
        models=requested_models(schema, models=models, l=l, t=t),
        missing=check_choice("missing_values", missing_values, MISSING_POLICIES),
        alpha=check_fraction("alpha", alpha),
        suppression=check_fraction("max_suppression", max_suppression),
        refinement=parse_refinement(method, refine=refine, effort=effort, time_limit=time_limit),
        blocks=check_block_size(blocks, check_k(k, table.height)),
        survey=survey,
        keep=keep_names,
        bounds=parse_bounds(schema, bounds),
    )


def requested_models(schema: Schema, *, models: Any, l: Any, t: Any) -> tuple[PrivacyModel, ...]:  # noqa: E741
    """Collect the models that are named and those that ``l`` and ``t`` add for every sensitive column."""
    collected = list(parse_models(models))
    columns = [column for column in schema.columns if column.role is Role.SENSITIVE]
    if (l is not None or t is not None) and not columns:
        raise OptionError.no_sensitive_column()
    for column in columns:
        if l is not None:
            collected.append(
                PrivacyModel.parse(column.name, f"distinct-l({_real('l', l, 'a whole number above 1')!r})")
            )
        if t is not None:
            collected.append(
                PrivacyModel.parse(column.name, f"{_closeness(column)}({_real('t', t, 'a number from 0 to 1')!r})")
            )
    sensitive = {column.name for column in columns}
    for model in collected:
        if model.column not in [column.name for column in schema.columns]:
            raise ColumnError.unknown(model.column, [column.name for column in schema.columns])
        if model.column not in sensitive:
            role = next(column.role for column in schema.columns if column.name == model.column)
            raise ColumnError.not_sensitive(model.column, role)
    return tuple(dict.fromkeys(collected))


def _closeness(column: Column) -> str:
    """Name of the t-closeness model for a column: by hierarchy, by order, or with equal distances."""
    if column.kind is Kind.HIERARCHICAL:
        return "t-hierarchical"
    return "t-ordered" if column.kind in (Kind.NUMERIC, Kind.DATE, Kind.ORDINAL) else "t-equal"


def parse_survey(
    schema: Schema, *, sampling_weights: Any, strata: Names, households: Any, largest_household: Any
) -> Survey:
    known = [column.name for column in schema.columns]
    for name in (sampling_weights, households):
        if name is not None and str(name) not in known:
            raise ColumnError.unknown(str(name), known)
    weights = "" if sampling_weights is None else str(sampling_weights)
    household = "" if households is None else str(households)
    for name, label in ((weights, "the sampling weight"), (household, "the household")):
        if name in schema.quasi_identifiers:
            raise ColumnError.quasi_identifier_in_design(name, label)
    limit = largest_household.item() if isinstance(largest_household, np.generic) else largest_household
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise OptionError.invalid_value("largest_household", "a whole number of at least 1")
    return Survey(weights, select_names(strata, known, Role.INSENSITIVE), household, limit)


def check_table(policy: Policy, profile: TableProfile, *, is_replay: bool = False) -> tuple[ColumnProfile, ...]:
    """Validate the columns of a table, as `check_roles` does, and its index, which a release keeps.

    Returns the profiles of the columns.
    """
    profiles, index = profile.column_profiles(), data.index_table(profile.sample)
    check_roles(policy, profiles, profile.records, is_replay=is_replay)
    if index is not None and policy.keep is not None:
        # a running number only repeats the row order, which has its own warning
        levels = [level for level in data.profile_columns(index) if not level.is_consecutive]
        for level in likely_identifiers(levels, index.height):
            raise ColumnError.identifying_index(level.reason)
    return profiles


def check_roles(policy: Policy, profiles: Sequence[ColumnProfile], records: int, *, is_replay: bool = False) -> None:
    """Refuse columns that look like identifiers and have no role, unless the policy keeps them by name.

    Policies of versions before ``keep`` release them. ``is_replay`` means that the table may be the next delivery.
    """
    if policy.keep is None:
        return
    unnamed = {*policy.schema.names_with_role(Role.INSENSITIVE)} - {*policy.keep}
    reasons = {column.name: column.reason for column in likely_identifiers(profiles, records) if column.name in unnamed}
    if reasons:
        raise ColumnError.unassigned_identifiers(reasons, is_replay=is_replay)


def parse_refinement(method: str | None, *, refine: Any, effort: Any, time_limit: Any) -> Refinement | None:
    """Build the refinement options. By default, only the method ``auto`` is refined."""
    if refine is None:
        refine = method in (None, AUTO) or effort is not None or time_limit is not None
    if not check_bool("refine", refine):
        if effort is not None or time_limit is not None:
            raise OptionError.effort_without_refinement()
        return None
    if time_limit is not None:
        time_limit = _real("time_limit", time_limit, "a number above 0")
        if time_limit <= 0:
            raise OptionError.invalid_value("time_limit", "a number above 0")
    return Refinement("balanced" if effort is None else check_choice("effort", effort, EFFORTS), time_limit)


def is_seconds(value: Any) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def check_fraction(name: str, value: Any, *, min_value: float = 0.0, max_value: float = 1.0) -> float:
    expected = f"a number from {min_value:g} to {max_value:g}"
    number = _real(name, value, expected)
    if not min_value <= number <= max_value:
        raise OptionError.invalid_value(name, expected)
    return number


def _real(name: str, value: Any, expected: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise OptionError.invalid_value(name, expected) from None
    if isinstance(value, bool) or not math.isfinite(number):
        raise OptionError.invalid_value(name, expected)
    return number


def parse_bounds(schema: Schema, bounds: Any) -> dict[str, tuple[float, float]]:
    """Validate the minimum and maximum of numeric quasi-identifiers."""
    expected = "the least and the largest value of numeric quasi-identifiers, as {'age': (0, 120)}"
    if bounds is None:
        return {}
    if not isinstance(bounds, Mapping):
        raise OptionError.invalid_value("bounds", expected)
    kinds = {column.name: column.kind for column in schema.columns if column.role is Role.QUASI_IDENTIFIER}
    checked: dict[str, tuple[float, float]] = {}
    for name, pair in bounds.items():
        if str(name) not in kinds:
            raise ColumnError.unknown(str(name), list(kinds))
        if kinds[str(name)] is not Kind.NUMERIC or not isinstance(pair, Iterable) or isinstance(pair, str):
            raise OptionError.invalid_value("bounds", expected)
        ends = [_real("bounds", end, expected) for end in pair]
        if len(ends) != 2 or ends[0] > ends[1]:
            raise OptionError.invalid_value("bounds", expected)
        checked[str(name)] = (ends[0], ends[1])
    return checked


def parse_exact_means(exact_means: Any, options: dict[str, Any]) -> bool:
    """Whether means are released unrounded. Consumes the deprecated option ``round_integers``."""
    is_exact = check_bool("exact_means", exact_means)
    if "round_integers" not in options:
        return is_exact
    rounds = check_bool("round_integers", options.pop("round_integers"))
    remedy = "leave it out" if rounds else "use exact_means=True"
    warn_user(f"round_integers is deprecated: numbers keep the decimals of their column; {remedy}.")
    return is_exact or not rounds


def check_totals(schema: Schema, keep_totals: bool, *, exact_means: bool) -> None:
    """Refuse ``keep_totals`` if no mean is rounded."""
    if keep_totals and exact_means:
        raise OptionError.exact_means_with_totals()
    if keep_totals and all(column.recode != "mean" or column.kind is not Kind.NUMERIC for column in schema.columns):
        raise OptionError.no_total_to_keep()


def resolve_options(policy: Policy) -> Policy:
    """Check the options of a policy, and give every quasi-identifier its recoding."""
    options = {name: to_builtin(name, value) for name, value in policy.options.items()}
    for name in ("standardize", "exact_means", "round_integers", "keep_totals", "shuffle"):
        check_bool(name, options.get(name, False))
    check_choice("distance", options.get("distance", "wu-palmer"), DISTANCES)
    check_choice("formulas", options.get("formulas", FORMULA_POLICIES[0]), FORMULA_POLICIES)
    resolved = replace(policy, options=options, schema=assign_recodings(policy.schema, options.get("recode")))
    check_totals(resolved.schema, policy.keep_totals, exact_means=options.get("exact_means", False) is True)
    return resolved


def to_builtin(name: str, value: Any) -> str | int | float | bool:
    """Convert an option to a built-in type that a policy can store."""
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, str | int | float | bool) or (isinstance(value, int) and abs(value) >= 2**63):
        raise OptionError.invalid_value(name, "a number, a word, true or false")
    return value


def parse_weights(weights: Mapping[Any, float] | None) -> dict[str, float]:
    try:
        return {str(name): float(weight) for name, weight in (weights or {}).items()}
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise OptionError.invalid_value("weights", "a number above 0 for each quasi-identifier that is named") from None


def check_seed(seed: Any, *, name: str = "seed") -> int:
    value = seed.item() if isinstance(seed, np.generic) else seed
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise OptionError.seed_not_integer(name)
    return value
