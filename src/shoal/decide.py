"""Build the policy of a release from the arguments of `shoal.anonymize`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal import tables
from shoal.decisions import (
    check_fraction,
    check_seed,
    parse_bounds,
    parse_exact_means,
    parse_refinement,
    parse_survey,
    parse_weights,
    requested_models,
    to_builtin,
)
from shoal.partition import registry
from shoal.partition.blockwise import check_block_size
from shoal.recode import assign_recodings
from shoal.schema import FORMULA_POLICIES, MISSING_POLICIES, Names, Policy, Schema, select_names
from shoal.schema.columns import ALL_OTHER_COLUMNS, KEPT_COLUMN
from shoal.tables import Table
from shoal.understanding import Hierarchies, Levels, resolve_schema
from shoal.values import check_bool, check_choice, check_k

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
    suppression: float = 0.0,
    method: str | None = None,
    refine: bool | None = None,
    effort: str | None = None,
    seconds: float | None = None,
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
        tables.column_kinds(table),
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
        suppression=check_fraction("suppression", suppression),
        refinement=parse_refinement(method, refine=refine, effort=effort, seconds=seconds),
        blocks=check_block_size(blocks, check_k(k, table.height)),
        survey=survey,
        keep=keep_names,
        bounds=parse_bounds(schema, bounds),
    )
