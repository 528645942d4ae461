"""Policy files written by hand: everything that has a default, or that the table tells, may be left out.

A draft becomes arguments of `shoal.anonymize`. The release writes the complete policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from shoal.domain.columns import Kind, Role
from shoal.domain.privacy_models import parse_models
from shoal.errors import OptionError, PolicyError
from shoal.options.checks import check_choice
from shoal.options.table import RELEASE_OPTIONS, check_option

_COLUMN_KEYS = ("name", "role", "kind", "reason", "recode", "hierarchy", "levels")
_RECORDED_KEYS = ("release.pieces", "refine.planned", "refine.done", "refine.looks")
"""Keys that only a release writes."""
_KEYS = tuple(option.key for option in RELEASE_OPTIONS if option.key and not option.key.startswith("columns[]"))
_OPEN_TABLES = ("options", "weights", "bounds", "input", "output", "versions")
"""Tables whose keys are names of columns, options of methods, or facts about a release."""
_ARGUMENT_OF_ROLE = {
    Role.QUASI_IDENTIFIER: "quasi_identifiers",
    Role.IDENTIFIER: "identifiers",
    Role.SENSITIVE: "sensitive",
}


@dataclass(frozen=True)
class PolicyDraft:
    """A policy file written by hand, as arguments of `shoal.anonymize`."""

    arguments: Mapping[str, Any]
    """Without hierarchies and levels; k may be left open."""
    hierarchy_files: Mapping[str, str] = field(default_factory=dict)
    """File of the hierarchy of a column."""
    level_files: Mapping[str, str] = field(default_factory=dict)
    """File of the levels of an ordinal column."""
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    """Fingerprint that the hierarchy or the levels of a column must have."""
    input: Mapping[str, Any] = field(default_factory=dict)
    """Facts about the input: ``settings`` for reading it."""
    path: Path | None = field(default=None, compare=False, repr=False)
    """The file that it was read from; files of hierarchies may lie beside it."""

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any], path: object) -> Self:
        """Read the content of a file; ``path`` is its name in messages."""
        check_keys(facts, path, by_hand=True)
        try:
            arguments = {**dict(declared_values(facts)), "models": _models(facts.get("models", []))}
            for name, value in arguments.items():
                if name == "models":
                    parse_models(value)
                else:
                    check_option(name, value)
            arguments |= undeclared_options(facts)
            columns = [_column(entry) for entry in facts.get("columns", [])]
        except OptionError as error:
            raise PolicyError.invalid(path, error) from None
        except (TypeError, AttributeError):
            raise PolicyError.damaged(path, "an entry has the wrong type") from None
        if not isinstance(facts.get("input", {}), Mapping):
            raise PolicyError.damaged(path, "an entry has the wrong type")
        names = [column["name"] for column in columns]
        if len(set(names)) < len(names):
            raise PolicyError.damaged(path, "it decides about a column twice")
        for role, argument in _ARGUMENT_OF_ROLE.items():
            arguments[argument] = [column["name"] for column in columns if column["role"] == role]
        decided = {*arguments["quasi_identifiers"], *arguments["sensitive"]}
        for key, argument in (("kind", "kinds"), ("recode", "recode")):
            given = {column["name"]: column[key] for column in columns if key in column and column["name"] in decided}
            default = {"*": arguments[argument]} if argument in arguments else {}
            if given:
                arguments[argument] = default | given
        return cls(
            arguments,
            hierarchy_files={c["name"]: c["hierarchy"] for c in columns if "hierarchy" in c},
            level_files={c["name"]: c["levels"] for c in columns if "levels" in c},
            fingerprints={c["name"]: c["sha256"] for c in columns if "sha256" in c},
            input=facts.get("input", {}),
        )


def check_keys(facts: Mapping[str, Any], path: object, *, by_hand: bool = False) -> None:
    """Refuse keys that no policy has; suggest the right one."""
    known = {*_KEYS, *(() if by_hand else _RECORDED_KEYS)}
    tables = {key.partition(".")[0] for key in known} | {"format", "columns", *_OPEN_TABLES}
    for key in _unknown(facts, tables):
        raise PolicyError.unknown_key(path, key, sorted(tables))
    for table in ("release", "missing", "refine", "survey"):
        if isinstance(facts.get(table), Mapping):
            keys = sorted(key.partition(".")[2] for key in known if key.startswith(f"{table}."))
            for key in _unknown(facts[table], keys):
                recorded = f"{table}.{key}" in _RECORDED_KEYS
                raise PolicyError.unknown_key(path, key, keys, table=table, recorded=recorded)
    for table, entry_keys in (("columns", _COLUMN_KEYS), ("models", ("column", "model"))):
        for entry in facts[table] if isinstance(facts.get(table), list) else ():
            for key in _unknown(entry if isinstance(entry, Mapping) else {}, entry_keys):
                raise PolicyError.unknown_key(path, key, entry_keys, table=table)


def _unknown(facts: Iterable[str], known: Iterable[str]) -> list[str]:
    allowed = {*known}
    return [key for key in facts if key not in allowed]


def declared_values(facts: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Values in a policy file by the name of their option, unchecked, without models and those of columns."""
    for option in RELEASE_OPTIONS:
        table, _, key = option.key.partition(".")
        entries = facts.get(table, {}) if key else facts
        if option.name == "refine":
            if isinstance(facts.get("refine"), bool):  # else the table of its options
                yield "refine", facts["refine"]
        elif table not in ("columns[]", "models") and not isinstance(entries, bool) and (key or table) in entries:
            yield option.name, entries[key or table]


def undeclared_options(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the method, and those of earlier versions."""
    declared = {option.key for option in RELEASE_OPTIONS}
    return {name: value for name, value in facts.get("options", {}).items() if f"options.{name}" not in declared}


def _models(entries: Any) -> dict[str, list[str]]:
    models: dict[str, list[str]] = {}
    for entry in entries:
        models.setdefault(_text("models.column", entry.get("column")), []).append(entry.get("model"))
    return models


def _column(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The decisions about a column; a hierarchy is the name of its file, or that name and a fingerprint."""
    column: dict[str, Any] = {"name": _text("name", facts.get("name"))}
    column["role"] = check_choice("role", facts.get("role", str(Role.INSENSITIVE)), list(Role))
    if "recode" in facts:
        column["recode"] = check_option("recode", _text("recode", facts["recode"]))
    if "levels" in facts:
        column["levels"] = _text("levels", facts["levels"])
    kind = check_choice("kind", facts["kind"], list(Kind)) if "kind" in facts else ""
    hierarchy = facts.get("hierarchy")
    if hierarchy is not None:
        file = hierarchy if isinstance(hierarchy, str) else hierarchy.get("file")
        column["levels" if kind == Kind.ORDINAL else "hierarchy"] = _text("hierarchy", file)
        if not isinstance(hierarchy, str) and "sha256" in hierarchy:
            column["sha256"] = _text("sha256", hierarchy["sha256"])
    elif kind and "levels" not in facts:
        column["kind"] = kind
    return column


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise OptionError.invalid_value(name, "it as text")
    return value
