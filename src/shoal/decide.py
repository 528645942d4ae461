"""Deciding: from what a user asks of a release to its policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal import tables
from shoal.decisions import (
    asked_exactness,
    asked_models,
    asked_refinement,
    column_weights,
    known_bounds,
    known_survey,
    plain,
    share,
    whole_seed,
)
from shoal.partition import registry
from shoal.partition.blockwise import whole_blocks
from shoal.recode import decided
from shoal.schema import FORMULAS, MISSING, Names, Policy, Schema, chosen
from shoal.schema.columns import KEPT, OTHERS
from shoal.tables import Table
from shoal.understanding import Hierarchies, Levels, understood
from shoal.values import one_of, true_or_false, whole_k

SETTINGS = ("standardize", "distance", "exact_means", "keep_totals", "shuffle", "formulas")
"""The options of a policy that are not a method's own."""


def decide(
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
    """The decisions behind a release, checked; the arguments are those of `shoal.anonymize`."""
    schema = Schema.assign(
        tables.kinds(table),
        quasi_identifiers=quasi_identifiers,
        identifiers=identifiers,
        sensitive=sensitive,
        keep=keep,
    )
    kept = chosen(keep, table.names, KEPT)
    own = dict(recode) if isinstance(recode, Mapping) else {}
    way = own.pop(OTHERS, None) if isinstance(recode, Mapping) else recode
    schema = understood(table, schema, hierarchies=hierarchies, levels=levels, kinds=kinds, recode=own)
    exact_means = asked_exactness(exact_means, options)
    settings = {"standardize": standardize, "distance": distance, "exact_means": exact_means}
    settings |= {"keep_totals": True} if true_or_false("keep_totals", keep_totals) else {}
    settings |= {"shuffle": True} if true_or_false("shuffle", shuffle) else {}
    settings |= {"formulas": formulas} if one_of("formulas", formulas, FORMULAS) != FORMULAS[0] else {}
    survey = known_survey(
        schema,
        sampling_weights=sampling_weights,
        strata=strata,
        households=households,
        largest_household=largest_household,
    )
    if true_or_false("drop_others", drop_others):
        schema = schema.without_others([*kept, *survey.columns])
    return Policy(
        k=whole_k(k, table.height),
        method=registry.AUTO if method is None else method,
        seed=whole_seed(seed),
        options={name: plain(name, value) for name, value in {**settings, **options}.items()},
        weights=column_weights(weights),
        schema=decided(schema, way),
        models=asked_models(schema, models=models, l=l, t=t),
        missing=one_of("missing_values", missing_values, MISSING),
        alpha=share("alpha", alpha),
        suppression=share("suppression", suppression),
        refinement=asked_refinement(method, refine=refine, effort=effort, seconds=seconds),
        blocks=whole_blocks(blocks, whole_k(k, table.height)),
        survey=survey,
        keep=kept,
        bounds=known_bounds(schema, bounds),
    )
