"""Keyword arguments of public functions from a policy, so that roles and options are decided once."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar, cast

from shoal import data
from shoal.data import ReadOptions, Table
from shoal.data.chunked import open_chunked
from shoal.domain import Column, Kind, Policy, PolicyDraft, Role, Schema, parse_models
from shoal.domain.recodings import NO_ROUNDING
from shoal.engines import spark
from shoal.errors import PolicyError
from shoal.options.table import BY_NAME
from shoal.release.column_options import (
    PolicySource,
    draft_hierarchies,
    open_policy,
    policy_folders,
    resolve_policy_schema,
)
from shoal.release.options import requested_models
from shoal.release.save import policy_path

F = TypeVar("F", bound=Callable[..., Any])

_ORIGINAL, _RELEASED = ("data", "original"), ("table", "released")
"""Names of the arguments that hold a table, by what the table is."""
_NOT_COMPARED = frozenset({"method", "refine", "effort", "time_limit"})
"""Decisions that a comparison varies."""
_EVALUATED = (
    *("quasi_identifiers", "k", "hierarchies", "levels", "kinds", "standardize", "distance", "missing_values"),
    *("alpha", "sampling_weights", "households", "sensitive", "weights"),
)
"""Decisions that measures depend on."""


def with_policy(function: F) -> F:
    """Let a public function take what is not given from its argument ``policy``.

    A function of a release takes the policy beside the file if the quasi-identifiers, or the k of a verification, are
    not given.
    """
    parameters = signature(function).parameters
    needed = {"quasi_identifiers", *(["k"] if "table" in parameters else [])}
    of_release = next((name for name in _RELEASED if name in parameters), "")

    @wraps(function)
    def call(*args: Any, policy: PolicySource | None = None, **keywords: Any) -> Any:
        given = {**dict(zip(parameters, args, strict=False)), **keywords}
        known = None if policy is None else open_policy(policy)
        if known is None and not needed <= given.keys():
            known = policy_beside(given.get(of_release))
        if known is None:
            _check_policy_beside(given, of_release)
            return function(**given)
        for name in given.keys() & {*_ORIGINAL, *_RELEASED}:
            given |= _opened(name, given, known)
        if "table" in parameters:
            arguments = _verification_arguments(known, given)
        elif "original" in parameters:
            arguments = _evaluation_arguments(known, given)
        else:
            arguments = _comparison_arguments(known, given)
        for name in ("hierarchies", "levels", "kinds"):
            if given.get(name):
                given[name] = {**arguments.get(name, {}), **given[name]}
        return function(**arguments | given)

    return cast("F", call)


def _opened(name: str, given: Mapping[str, Any], policy: Policy | PolicyDraft) -> dict[str, Any]:
    """Return the argument for a table, read as the policy does, or how to read it if it is not held in memory."""
    source, is_release = given[name], name in _RELEASED
    if not isinstance(source, str | os.PathLike):
        return {}
    argument = "released_options" if name == "released" else "options"
    options = given.get(argument) or read_options(Path(os.fsdecode(source)), policy, is_release=is_release)
    if given.get("memory") is not None:
        return {argument: options}
    return {name: data.read_table(source, options=options)}


def _check_policy_beside(given: Mapping[str, Any], of_release: str) -> None:
    """Refuse the file of a release without quasi-identifiers."""
    path = _path(given.get(of_release))
    if path is not None and "quasi_identifiers" not in given:
        raise PolicyError.none_beside(path, name=policy_path(path).name)


def policy_beside(released: Any) -> Policy | PolicyDraft | None:
    """Policy beside the file of a release; None if there is none."""
    path = _path(released)
    try:
        return open_policy(policy_path(path)) if path is not None and policy_path(path).is_file() else None
    except (OSError, ValueError):  # a name that no file can have
        return None


def _path(table: Any) -> Path | None:
    place = table.path if isinstance(table, Table) else table
    return Path(os.fsdecode(place)) if isinstance(place, str | os.PathLike) and os.fspath(place) else None


def read_by_policy(source: Any, policy: Policy | PolicyDraft | None, *, is_release: bool = False) -> Table:
    """Read a table; a file as the policy does."""
    if policy is None or not isinstance(source, str | os.PathLike):
        return data.read_table(source)
    path = Path(os.fsdecode(source))
    return data.read_table(path, options=read_options(path, policy, is_release=is_release))


def read_options(path: Path, policy: Policy | PolicyDraft, *, is_release: bool = False) -> ReadOptions:
    """Return the options that read a file as the policy does: the original, a later delivery or the release."""
    settings = policy.input.get("settings", {})
    if is_release and settings and isinstance(policy, Policy) and data.format_of(path):
        return data.release_read_options(path, policy.schema.released, settings=settings, formulas=policy.formulas)[0]
    options = ReadOptions.from_settings(settings)
    return replace(options, format=None) if data.format_of(path) else options


def policy_arguments(
    policy: Policy | PolicyDraft, given: Mapping[str, Any] | None = None, *, restore: Collection[str] | None = None
) -> dict[str, Any]:
    """Return the decisions of a policy as keyword arguments of `shoal.anonymize`.

    Reads the hierarchies and levels of the columns to ``restore``, by default of all, unless they are among the
    arguments ``given``.
    """
    sources = {str(name) for option in ("hierarchies", "levels") for name in (given or {}).get(option) or ()}

    def is_restored(name: str) -> bool:
        return name not in sources and (restore is None or name in restore)

    if isinstance(policy, Policy):
        return _release_arguments(policy, is_restored)
    files = replace(
        policy,
        hierarchy_files={name: file for name, file in policy.hierarchy_files.items() if is_restored(name)},
        level_files={name: file for name, file in policy.level_files.items() if is_restored(name)},
    )
    kinds = {name: kind for name, kind in policy.arguments.get("kinds", {}).items() if name not in sources}
    return {**policy.arguments, "kinds": kinds, **draft_hierarchies(files, hierarchies=None, levels=None)}


def _release_arguments(policy: Policy, is_restored: Callable[[str], bool]) -> dict[str, Any]:
    schema, survey, refinement = policy.schema, policy.survey, policy.refinement
    with_role = (*schema.quasi_identifiers, *schema.names_with_role(Role.SENSITIVE))
    columns = resolve_policy_schema(
        Schema(tuple(column for column in schema.columns if column.name in with_role and is_restored(column.name))),
        hierarchies=None,
        levels=None,
        folders=policy_folders(policy),
    ).columns
    trees = [column for column in columns if column.hierarchy is not None]
    models: dict[str, list[str]] = {}
    for model in policy.models:
        models.setdefault(model.column, []).append(model.notation)
    return {
        "k": policy.k,
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
        "weights": dict(policy.weights),
        "recode": {column.name: column.recode for column in schema.columns if column.recode},
        "bounds": dict(policy.bounds),
        "sampling_weights": survey.sampling_weights or None,
        "strata": list(survey.strata),
        "households": survey.households or None,
        "largest_household": survey.largest_household,
        "standardize": policy.standardize,
        "distance": policy.distance,
        "exact_means": policy.rounding == NO_ROUNDING,
        "keep_totals": policy.keep_totals,
        "shuffle": policy.shuffle,
        "formulas": policy.formulas,
        **policy.method_options,
    }


def _comparison_arguments(policy: Policy | PolicyDraft, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the decisions of a policy as arguments of `shoal.compare`, without those about the method."""
    arguments = policy_arguments(policy, given)
    return {name: value for name, value in arguments.items() if name in BY_NAME and name not in _NOT_COMPARED}


def _evaluation_arguments(policy: Policy | PolicyDraft, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the decisions of a policy as arguments of `shoal.evaluate`."""
    arguments = policy_arguments(policy, given)
    return {
        **{name: arguments[name] for name in _EVALUATED if name in arguments},
        "models": _models(given["original"], {**arguments, **given}),
    }


def _verification_arguments(policy: Policy | PolicyDraft, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the decisions of a policy as arguments of `shoal.verify`, as far as the release has the columns.

    Only models need hierarchies. Strata that are quasi-identifiers do not count: they may be suppressed or imputed.
    """
    names = _column_names(given)
    if isinstance(policy, Policy):
        policy = policy.rename(_names_in_file(_path(given["table"]), names, policy))
        in_models = {model.column for model in policy.models}
    else:
        in_models = {*policy.arguments.get("models", {}), *policy.arguments["sensitive"]}
    arguments = policy_arguments(policy, given, restore=() if "models" in given else in_models)
    keys, households = arguments["quasi_identifiers"], arguments.get("households")
    missing = arguments.get("missing_values")
    return {
        **{name: arguments[name] for name in ("k", "quasi_identifiers", "alpha") if name in arguments},
        **{
            option: {name: source for name, source in arguments.get(option, {}).items() if name in in_models}
            for option in ("hierarchies", "levels")
        },
        "models": _models(given["table"], {**arguments, **given}),
        "missing_values": "wildcard" if missing == "wildcard" else "category",
        "strata": [name for name in arguments.get("strata", ()) if name in names and name not in keys],
        "households": households if households in names else None,
        "sensitive": arguments["sensitive"] if given.get("against") is not None else (),
    }


def _column_names(given: Mapping[str, Any]) -> Sequence[str]:
    """Names of the columns of a table, a file or a frame."""
    table = given["table"]
    if spark.is_frame(table):
        return list(table.columns)
    if given.get("memory") is None:
        return data.read_table(table).names
    return open_chunked(table, options=given.get("options")).names


def _names_in_file(path: Path | None, names: Sequence[str], policy: Policy) -> dict[str, str]:
    """Names of the columns in the file of a release, which may be other ones than those of its policy."""
    settings = policy.input.get("settings")
    if path is None or not settings:
        return {}
    released = policy.schema.released
    in_file = data.release_read_options(path, released, settings=settings, formulas=policy.formulas)[1]
    return {name: new for name, new in in_file.items() if new in names}


def _models(table: Any, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the models of a policy, with those that ``l`` and ``t`` add for each sensitive column."""
    models = arguments.get("models") or {}
    if arguments.get("l") is None and arguments.get("t") is None:
        return models
    kinds = {
        **(dict(data.column_kinds(table)) if isinstance(table, Table) else {}),
        **{name: Kind(kind) for name, kind in (arguments.get("kinds") or {}).items()},
        **dict.fromkeys(arguments.get("hierarchies") or (), Kind.HIERARCHICAL),
        **dict.fromkeys(arguments.get("levels") or (), Kind.ORDINAL),
    }
    sensitive = [Column(name, Role.SENSITIVE, kinds.get(name, Kind.NOMINAL)) for name in arguments["sensitive"]]
    collected: dict[str, list[str]] = {}
    for model in requested_models(
        Schema(tuple(sensitive)), models=parse_models(models), l=arguments.get("l"), t=arguments.get("t")
    ):
        collected.setdefault(model.column, []).append(model.notation)
    return collected
