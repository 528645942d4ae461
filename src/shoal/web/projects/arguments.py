"""Arguments of `shoal.anonymize` and related functions for the options of a project."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from shoal.domain.columns import Kind, Role
from shoal.errors import ColumnError, OptionError
from shoal.microaggregation.registry import AUTO
from shoal.options.table import default
from shoal.web.projects.model import PROTECTED, ReleaseChoices, SourceFile, needs_confirmation


def column_arguments(source: SourceFile, choices: ReleaseChoices, folder: Path) -> dict[str, Any]:
    """Return roles, kinds, weights, recoding methods and hierarchies, whose files are in the folder."""
    pairs = choices.pairs(source)
    quasi = [(facts, choice) for facts, choice in pairs if choice.role == Role.QUASI_IDENTIFIER]
    protected = [(facts, choice) for facts, choice in pairs if choice.role in PROTECTED]
    if not quasi:
        raise ColumnError.no_quasi_identifier()
    arguments: dict[str, Any] = {
        "quasi_identifiers": [facts.name for facts, _ in quasi],
        "identifiers": list(choices.columns_with_role(Role.IDENTIFIER, source)),
        "sensitive": list(choices.columns_with_role(Role.SENSITIVE, source)),
        "keep": [facts.name for facts, choice in pairs if choice.keep and needs_confirmation(facts, choice)],
        "hierarchies": {facts.name: str(folder / choice.hierarchy) for facts, choice in protected if choice.hierarchy},
        "levels": {facts.name: str(folder / choice.levels) for facts, choice in protected if choice.levels},
        # a hierarchy or levels imply the kind
        "kinds": {
            facts.name: choice.kind
            for facts, choice in protected
            if choice.kind not in ("", Kind.HIERARCHICAL) and not choice.hierarchy and not choice.levels
        },
        "weights": {facts.name: choice.weight for facts, choice in quasi if choice.weight != 1},
        "recode": {facts.name: choice.recode for facts, choice in quasi if choice.recode},
    }
    return {name: value for name, value in arguments.items() if value or name == "quasi_identifiers"}


def protection_arguments(choices: ReleaseChoices) -> dict[str, Any]:
    """Return all other options except k, method and effort."""
    others = [field.name for field in fields(choices) if field.name not in ("columns", "k", "method", "effort")]
    values = {"max_suppression" if name == "suppression" else name: getattr(choices, name) for name in others}
    arguments = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
    return {name: value for name, value in arguments.items() if value not in (None, "", [], default(name))}


def release_arguments(source: SourceFile, choices: ReleaseChoices, folder: Path) -> dict[str, Any]:
    """Return all arguments that differ from the defaults."""
    if choices.k is None:
        raise OptionError.no_k()
    method = {} if choices.method == AUTO else {"method": choices.method}
    effort = {"effort": choices.effort} if choices.effort else {}
    columns, protection = column_arguments(source, choices, folder), protection_arguments(choices)
    return {"k": choices.k, **method, **effort, **columns, **protection}
