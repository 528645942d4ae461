"""Keyword arguments of public functions from a policy, so that roles and options are decided once."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar, cast

from shoal import data
from shoal.data import ReadOptions, Table
from shoal.domain import Kind, Policy, Role, Schema
from shoal.errors import PolicyError
from shoal.release.column_options import load_policy, resolve_policy_schema
from shoal.release.options import COMMON_OPTIONS
from shoal.release.result import policy_path

F = TypeVar("F", bound=Callable[..., Any])
PolicyLike = Policy | str | os.PathLike[str]

_OPEN_K = 0
"""The k of a policy that leaves it open."""
_ORIGINAL, _RELEASED = ("data", "original"), ("table", "released")
"""Names of the arguments that hold a table, by what the table is."""
_NOT_COMPARED = frozenset({"method", "refine", "effort", "time_limit"})
"""Decisions that a comparison varies."""


def with_policy(function: F) -> F:
    """Let a public function take what is not given from its argument ``policy``.

    A function of a release takes the policy beside the file if the quasi-identifiers, or the k of a verification, are
    not given.
    """
    parameters = signature(function).parameters
    needed = {"quasi_identifiers", *(["k"] if "table" in parameters else [])}
    of_release = next((name for name in _RELEASED if name in parameters), "")
    forwards = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())

    @wraps(function)
    def call(*args: Any, policy: PolicyLike | None = None, **keywords: Any) -> Any:
        given = {**dict(zip(parameters, args, strict=False)), **keywords}
        known = None if policy is None else load_open_policy(policy)
        if known is None and not needed <= given.keys():
            known = policy_beside(given.get(of_release))
        if known is None:
            _check_policy_beside(given, of_release)
            return function(**given)
        for name in given.keys() & {*_ORIGINAL, *_RELEASED}:
            given[name] = read_by_policy(given[name], known, is_release=name in _RELEASED)
        arguments = _verification_arguments(known, given) if "table" in parameters else policy_arguments(known, given)
        for name in ("hierarchies", "levels", "kinds"):
            if given.get(name):
                given[name] = {**arguments[name], **given[name]}
        not_taken = policy_method_options(known).keys() | _NOT_COMPARED if forwards else arguments.keys() - parameters
        return function(**{name: value for name, value in arguments.items() if name not in not_taken} | given)

    return cast("F", call)


def _check_policy_beside(given: Mapping[str, Any], of_release: str) -> None:
    """Refuse the file of a release without quasi-identifiers."""
    path = _path(given.get(of_release))
    if path is not None and "quasi_identifiers" not in given:
        raise PolicyError.none_beside(path, policy_path(path).name)


def policy_beside(released: Any) -> Policy | None:
    """Policy beside the file of a release; None if there is none."""
    path = _path(released)
    return load_open_policy(policy_path(path)) if path is not None and policy_path(path).is_file() else None


def _path(table: Any) -> Path | None:
    place = table.path if isinstance(table, Table) else table
    return Path(os.fsdecode(place)) if isinstance(place, str | os.PathLike) and os.fspath(place) else None


def load_open_policy(policy: PolicyLike) -> Policy:
    """Read a policy that may leave k open."""
    return policy if isinstance(policy, Policy) else Policy.read(policy, k=_OPEN_K)


def read_options(path: Path, policy: Policy, *, is_release: bool = False) -> ReadOptions:
    """Return the options that read a file as the policy does: the original, a later delivery or the release."""
    settings = policy.input.get("settings", {})
    if is_release and settings and data.format_of(path):
        return data.release_read_options(path, policy.schema.released, settings=settings, formulas=policy.formulas)[0]
    options = ReadOptions.from_settings(settings)
    return replace(options, format=None) if data.format_of(path) else options


def read_by_policy(source: Any, policy: Policy | None, *, is_release: bool = False) -> Table:
    """Read a table; a file as the policy does."""
    if policy is None or not isinstance(source, str | os.PathLike):
        return data.read_table(source)
    path = Path(os.fsdecode(source))
    return data.read_table(path, options=read_options(path, policy, is_release=is_release))


def policy_method_options(policy: Policy) -> dict[str, Any]:
    """Return the options of the method itself."""
    common = (*COMMON_OPTIONS, "recode", "round_integers")
    return {name: value for name, value in policy.options.items() if name not in common}


def policy_arguments(
    policy: Policy, given: Mapping[str, Any] | None = None, *, restore: Collection[str] | None = None
) -> dict[str, Any]:
    """Return the decisions of a policy as keyword arguments of `shoal.anonymize`.

    Reads the hierarchies and levels of the columns to ``restore``, by default all with a role, unless they are among
    the arguments ``given``.
    """
    schema, survey, refinement = policy.schema, policy.survey, policy.refinement
    sources = {str(name) for option in ("hierarchies", "levels") for name in (given or {}).get(option) or ()}
    with_role = (*schema.quasi_identifiers, *schema.names_with_role(Role.SENSITIVE))
    restored = {*(with_role if restore is None else restore)} - sources
    columns = resolve_policy_schema(
        Schema(tuple(column for column in schema.columns if column.name in restored)),
        hierarchies=None,
        levels=None,
        folders=load_policy(policy)[1],
    ).columns
    trees = [column for column in columns if column.hierarchy is not None]
    models: dict[str, list[str]] = {}
    for model in policy.models:
        models.setdefault(model.column, []).append(model.notation)
    common = {name: value for name, value in policy.options.items() if name in COMMON_OPTIONS}
    return {
        **({"k": policy.k} if policy.k != _OPEN_K else {}),
        "quasi_identifiers": list(schema.quasi_identifiers),
        "identifiers": list(schema.names_with_role(Role.IDENTIFIER)),
        "sensitive": list(schema.names_with_role(Role.SENSITIVE)),
        "keep": list(policy.keep or ()),
        "models": models,
        "hierarchies": {column.name: column.hierarchy for column in trees if column.kind is not Kind.ORDINAL},
        "levels": {column.name: column.hierarchy for column in trees if column.kind is Kind.ORDINAL},
        "kinds": {column.name: str(column.kind) for column in columns if column.hierarchy is None},
        "missing_values": policy.missing,
        "alpha": policy.alpha,
        "max_suppression": policy.suppression,
        "method": policy.method,
        "refine": refinement is not None,
        "effort": refinement.effort if refinement else None,
        "time_limit": refinement.time_limit if refinement else None,
        "blocks": policy.blocks,
        "seed": policy.seed,
        "exact_means": not policy.options.get("round_integers", False),
        **common,
        "weights": dict(policy.weights),
        "recode": {column.name: column.recode for column in schema.columns if column.recode},
        "bounds": dict(policy.bounds),
        "sampling_weights": survey.sampling_weights or None,
        "strata": list(survey.strata),
        "households": survey.households or None,
        "largest_household": survey.largest_household,
        **policy_method_options(policy),
    }


def _verification_arguments(policy: Policy, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the decisions of a policy as arguments of `shoal.verify`, as far as the release has the columns.

    Only models need hierarchies. Strata that are quasi-identifiers do not count: they may be suppressed or imputed.
    """
    table: Table = given["table"]
    if table.path is not None and (settings := policy.input.get("settings")):
        names = data.release_read_options(
            table.path, policy.schema.released, settings=settings, formulas=policy.formulas
        )[1]
        policy = policy.rename({name: new for name, new in names.items() if new in table.names})
    models = () if "models" in given else {model.column for model in policy.models}
    arguments = policy_arguments(policy, given, restore=models)
    keys, households = policy.schema.quasi_identifiers, policy.survey.households
    return arguments | {
        "missing_values": "wildcard" if policy.missing == "wildcard" else "category",
        "strata": [name for name in policy.survey.strata if name in table.names and name not in keys],
        "households": households if households in table.names else None,
        "sensitive": arguments["sensitive"] if given.get("against") is not None else (),
    }
