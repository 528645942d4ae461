"""Build the policy of a release from the arguments of `shoal.anonymize`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal import data
from shoal.data import Table
from shoal.domain import (
    Column,
    ColumnProfile,
    Kind,
    Policy,
    PrivacyModel,
    Refinement,
    Role,
    Schema,
    check_bool,
    check_k,
    likely_identifiers,
    parse_models,
)
from shoal.domain.columns import ALL_OTHER_COLUMNS, KEPT_COLUMN, select_names
from shoal.domain.recodings import BY_COLUMN, NO_ROUNDING, assign_recodings
from shoal.engines.engine import TableProfile
from shoal.errors import ColumnError, OptionError, warn_user
from shoal.microaggregation import registry
from shoal.microaggregation.blockwise import check_block_size
from shoal.microaggregation.registry import AUTO
from shoal.options.checks import EXPECTED_BOUNDS, check_scalar
from shoal.options.table import RELEASE_OPTIONS, check_option
from shoal.release.column_options import resolve_schema


def build_policy(table: Table, **arguments: Any) -> Policy:
    """Build the policy of a release and validate it. The arguments are those of `shoal.anonymize`."""
    check_k(arguments.get("k"), table.height)
    options = {option.name: option.check(arguments.get(option.name, option.default)) for option in RELEASE_OPTIONS}
    method_options = {name: check_scalar(name, value) for name, value in arguments.items() if name not in options}
    roles = {name: options[name] for name in ("quasi_identifiers", "identifiers", "sensitive", "keep")}
    schema = Schema.assign(data.column_kinds(table), **roles)
    keep_names = select_names(options["keep"], table.names, KEPT_COLUMN)
    recode = options["recode"] if isinstance(options["recode"], Mapping) else {ALL_OTHER_COLUMNS: options["recode"]}
    about_columns = {name: options[name] for name in ("hierarchies", "levels", "kinds")}
    about_columns["recode"] = {name: way for name, way in recode.items() if name != ALL_OTHER_COLUMNS}
    schema = resolve_schema(table, schema, **about_columns)
    exact_means = parse_exact_means(options["exact_means"], method_options)
    options["strata"] = check_survey(schema, options)
    if options["drop_others"]:
        design = (options["sampling_weights"], options["households"], *options["strata"])
        schema = schema.drop_unassigned([*keep_names, *design])
    schema = assign_recodings(schema, recode.get(ALL_OTHER_COLUMNS))
    if options["keep_totals"]:
        check_totals(schema, exact_means=exact_means)
    policy = Policy.of_options(
        options,
        method=registry.AUTO if options["method"] is None else options["method"],
        schema=schema,
        method_options=method_options,
        rounding=NO_ROUNDING if exact_means else BY_COLUMN,
        models=requested_models(schema, options),
        refinement=parse_refinement(
            options["method"], refine=options["refine"], effort=options["effort"], time_limit=options["time_limit"]
        ),
        keep=keep_names,
    )
    check_block_size(policy.blocks, policy.k)
    check_bounded_columns(policy)
    return policy


def requested_models(schema: Schema, options: Mapping[str, Any]) -> tuple[PrivacyModel, ...]:
    """Collect the ``models`` that are named and those that ``l`` and ``t`` add for every sensitive column."""
    collected = list(parse_models(options.get("models")))
    diversity, closeness = options.get("l"), options.get("t")
    columns = [column for column in schema.columns if column.role is Role.SENSITIVE]
    if (diversity is not None or closeness is not None) and not columns:
        raise OptionError.no_sensitive_column()
    for column in columns:
        if diversity is not None:
            collected.append(PrivacyModel.parse(column.name, f"distinct-l({diversity!r})"))
        if closeness is not None:
            collected.append(PrivacyModel.parse(column.name, f"{_closeness(column)}({closeness!r})"))
    roles = {column.name: column.role for column in schema.columns}
    for model in collected:
        if model.column not in roles:
            raise ColumnError.unknown(model.column, list(roles))
        if roles[model.column] is not Role.SENSITIVE:
            raise ColumnError.not_sensitive(model.column, roles[model.column])
    return tuple(dict.fromkeys(collected))


def _closeness(column: Column) -> str:
    """Name of the t-closeness model for a column: by hierarchy, by order, or with equal distances."""
    if column.kind is Kind.HIERARCHICAL:
        return "t-hierarchical"
    return "t-ordered" if column.kind in (Kind.NUMERIC, Kind.DATE, Kind.ORDINAL) else "t-equal"


def check_survey(schema: Schema, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Check that the columns of the survey design exist, and return the strata."""
    known = [column.name for column in schema.columns]
    weights, household = options["sampling_weights"], options["households"]
    for name, label in ((weights, "the sampling weight"), (household, "the household")):
        if name is not None and name not in known:
            raise ColumnError.unknown(name, known)
        if name in schema.quasi_identifiers:
            raise ColumnError.quasi_identifier_in_design(name, label)
    return select_names(options["strata"], known, Role.INSENSITIVE)


def check_table(policy: Policy, profile: TableProfile, *, is_replay: bool = False) -> tuple[ColumnProfile, ...]:
    """Return the profiles of the columns of a table.

    Refuses columns that look like identifiers and have no role, unless the policy keeps them by name, and such an
    index, which a release keeps. Policies of versions before ``keep`` release them. ``is_replay`` means that the table
    may be the next delivery.
    """
    profiles = profile.column_profiles()
    if policy.keep is None:
        return profiles
    unnamed = {*policy.schema.names_with_role(Role.INSENSITIVE)} - {*policy.keep}
    likely = likely_identifiers(profiles, profile.records)
    if reasons := {column.name: column.reason for column in likely if column.name in unnamed}:
        raise ColumnError.unassigned_identifiers(reasons, is_replay=is_replay)
    if (index := data.index_table(profile.sample)) is not None:
        # a running number only repeats the row order, which has its own warning
        levels = [level for level in data.profile_columns(index) if not level.is_consecutive]
        for level in likely_identifiers(levels, index.height):
            raise ColumnError.identifying_index(level.reason)
    return profiles


def parse_refinement(method: str | None, *, refine: Any, effort: Any, time_limit: Any) -> Refinement | None:
    """Build the refinement options. By default, only the method ``auto`` is refined."""
    if refine is None:
        refine = method in (None, AUTO) or effort is not None or time_limit is not None
    if not check_bool("refine", refine):
        if effort is not None or time_limit is not None:
            raise OptionError.effort_without_refinement()
        return None
    return Refinement(check_option("effort", effort) or "balanced", check_option("time_limit", time_limit))


def check_bounded_columns(policy: Policy) -> None:
    """Refuse bounds of columns that are not numeric quasi-identifiers."""
    kinds = {column.name: column.kind for column in policy.schema.columns if column.role is Role.QUASI_IDENTIFIER}
    for name in policy.bounds:
        if name not in kinds:
            raise ColumnError.unknown(name, list(kinds))
        if kinds[name] is not Kind.NUMERIC:
            raise OptionError.invalid_value("bounds", EXPECTED_BOUNDS)


def parse_exact_means(exact_means: Any, options: dict[str, Any]) -> bool:
    """Whether means are released unrounded. Consumes the deprecated option ``round_integers``."""
    is_exact = check_bool("exact_means", exact_means)
    if "round_integers" not in options:
        return is_exact
    rounds = check_bool("round_integers", options.pop("round_integers"))
    remedy = "leave it out" if rounds else "use exact_means=True"
    warn_user(f"round_integers is deprecated: numbers keep the decimals of their column; {remedy}.")
    return is_exact or not rounds


def check_totals(schema: Schema, *, exact_means: bool) -> None:
    """Refuse ``keep_totals`` if no mean is rounded."""
    if exact_means:
        raise OptionError.exact_means_with_totals()
    if all(column.recode != "mean" or column.kind is not Kind.NUMERIC for column in schema.columns):
        raise OptionError.no_total_to_keep()
