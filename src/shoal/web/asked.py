"""What a project asks for, as `shoal.anonymize` and its relatives take it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.errors import ColumnError, OptionError
from shoal.schema.columns import Kind, Role
from shoal.web.interface import Choices, Source, needs_word


def about_columns(source: Source, choices: Choices, folder: Path) -> dict[str, Any]:
    """Roles, kinds, weights, ways to recode and hierarchies; the files of these lie in the folder."""
    if not choices.named(Role.QUASI_IDENTIFIER, source):
        raise ColumnError.no_quasi_identifier()
    pairs = list(zip(source.columns, choices.columns, strict=True))
    quasi = [(facts, choice) for facts, choice in pairs if choice.role == Role.QUASI_IDENTIFIER]
    meant = [(facts, choice) for facts, choice in pairs if choice.role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE)]
    given: dict[str, Any] = {
        "quasi_identifiers": [facts.name for facts, _ in quasi],
        "identifiers": list(choices.named(Role.IDENTIFIER, source)),
        "sensitive": list(choices.named(Role.SENSITIVE, source)),
        "keep": [facts.name for facts, choice in pairs if choice.keep and needs_word(facts, choice)],
        "hierarchies": {facts.name: str(folder / choice.hierarchy) for facts, choice in meant if choice.hierarchy},
        "levels": {facts.name: str(folder / choice.levels) for facts, choice in meant if choice.levels},
        # what has a hierarchy or levels is hierarchical or ordinal by that
        "kinds": {
            facts.name: choice.kind
            for facts, choice in meant
            if choice.kind not in ("", Kind.HIERARCHICAL) and not choice.hierarchy and not choice.levels
        },
        "weights": {facts.name: choice.weight for facts, choice in quasi if choice.weight != 1},
        "recode": {facts.name: choice.recode for facts, choice in quasi if choice.recode},
    }
    return {name: value for name, value in given.items() if value or name == "quasi_identifiers"}


def about_protection(choices: Choices) -> dict[str, Any]:
    """All that is decided beyond the columns, but for k, method and effort."""
    given: dict[str, Any] = {
        "l": choices.l,
        "t": choices.t,
        "suppression": choices.suppression or None,
        "missing_values": None if choices.missing_values == "category" else choices.missing_values,
        "seed": choices.seed or None,
        "exact_means": choices.exact_means or None,
        "sampling_weights": choices.sampling_weights or None,
        "strata": list(choices.strata) or None,
        "households": choices.households or None,
        "shuffle": choices.shuffle or None,
        "formulas": None if choices.formulas == "keep" else choices.formulas,
    }
    return {name: value for name, value in given.items() if value is not None}


def about_method(choices: Choices) -> dict[str, Any]:
    """k, the method and how far local search goes."""
    if choices.k is None:
        raise OptionError.no_k()
    method = {} if choices.method == "auto" else {"method": choices.method}
    return {"k": choices.k, **method, **({"effort": choices.effort} if choices.effort else {})}


def asked(source: Source, choices: Choices, folder: Path) -> dict[str, Any]:
    """All of it; what is as Shoal does it anyway is not said."""
    return {**about_method(choices), **about_columns(source, choices, folder), **about_protection(choices)}
