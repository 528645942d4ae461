"""Apply kinds, levels and hierarchies, given as values or as files, to the columns of a schema."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal import data
from shoal.data import Table
from shoal.domain import Column, Kind, Policy, PolicyDraft, Role, Schema, read_policy
from shoal.errors import ColumnError, FileError, OptionError, PolicyError, ShoalError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.formats import read
from shoal.system.atomic import os_error_reason

Hierarchies = Mapping[str, Any] | None
"""For each column a hierarchy, a nested dictionary or the path of a hierarchy file."""
Levels = Mapping[str, Any] | None
"""For each ordinal column its values from lowest to highest, or the path of a file with one value per line."""
PolicySource = Policy | PolicyDraft | str | os.PathLike[str]
"""A policy, or the path of its file."""


def resolve_schema(
    table: Table,
    schema: Schema,
    *,
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    kinds: Mapping[str, str] | None = None,
    recode: Mapping[str, str] | None = None,
    allow_mixed: bool = False,
) -> Schema:
    """Add kinds, levels, hierarchies and recodings to the columns of a schema.

    A column is refused if nothing is given for it and it can be read in several ways, or was read as text because some
    of its numbers or dates are not valid; ``mixed`` allows it.
    """
    trees = {str(name): _hierarchy(source) for name, source in _mapping("hierarchies", hierarchies).items()}
    ordered = {str(name): _levels(source) for name, source in _mapping("levels", levels).items()}
    given_kinds = {str(name): kind for name, kind in _mapping("kinds", kinds).items()}
    recodings = {str(name): way for name, way in _mapping("recode", recode).items()}
    both = next((name for name in trees if name in ordered), None)
    if both is not None:
        raise OptionError.invalid_value("levels", "levels or a hierarchy for a column, and not both")
    resolved = schema.with_column_options(
        kinds={name: str(Kind.ORDINAL) for name in ordered} | given_kinds, hierarchies=trees | ordered, recode=recodings
    )
    if not allow_mixed:
        textual = {
            *trees,
            *ordered,
            *(name for name, kind in given_kinds.items() if kind in (Kind.NOMINAL, Kind.ORDINAL)),
        }
        checked = (*resolved.quasi_identifiers, *resolved.names_with_role(Role.SENSITIVE))
        data.check_unambiguous(table, [name for name in checked if name not in textual])
        data.check_not_mixed(
            table, [name for name in resolved.quasi_identifiers if name not in {*trees, *ordered, *given_kinds}]
        )
    return resolved


def _mapping(name: str, given: Any) -> Mapping[Any, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise OptionError.invalid_value(name, "one for each column that is named, such as {'column': ...}")
    return given


def _hierarchy(source: Any) -> tuple[Hierarchy, str]:
    """Hierarchy, and the name of the file that it came from."""
    if isinstance(source, Hierarchy):
        return source, ""
    if isinstance(source, Mapping):
        return Hierarchy.from_dict(source), ""
    if isinstance(source, str | os.PathLike):
        return read(source), Path(source).name
    raise OptionError.invalid_value("hierarchies", "a Hierarchy, a nested dictionary or the path of a file")


def _levels(source: Any) -> tuple[Hierarchy, str]:
    """Levels as children of one root in their order, and the name of the file that they came from."""
    file = ""
    if isinstance(source, Hierarchy):
        return source, file
    if isinstance(source, str | os.PathLike):
        source, file = _read_lines(Path(source)), Path(source).name
    if not isinstance(source, Iterable):
        raise OptionError.invalid_value("levels", "the values of a column, the lowest first, or the path of a file")
    words = [str(level) for level in source]
    if len(words) < 2 or len(set(words)) < len(words) or "*" in words or not all(word.strip() for word in words):
        raise OptionError.invalid_value("levels", "at least two different values, the lowest first, none of them '*'")
    return Hierarchy.from_edges((word, "*") for word in words), file


def _read_lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FileError.missing(path) from None
    except OSError as error:
        raise FileError.unreadable(path, os_error_reason(error)) from None
    except ValueError:
        raise FileError.damaged(path, "text") from None
    return [line for line in text.splitlines() if line.strip()]


def open_policy(policy: PolicySource) -> Policy | PolicyDraft:
    """Read a policy file, or return the policy."""
    return policy if isinstance(policy, Policy | PolicyDraft) else read_policy(policy)


def load_policy(policy: PolicySource, folders: Sequence[Path] = ()) -> tuple[Policy, tuple[Path, ...]]:
    """Return the policy of a release, and the folders where its hierarchies may be."""
    if isinstance(policy, PolicyDraft):
        raise PolicyError.is_draft(policy.path)
    release = policy if isinstance(policy, Policy) else Policy.read(policy)
    return release, policy_folders(release, folders)


def policy_folders(policy: Policy | PolicyDraft, folders: Sequence[Path] = ()) -> tuple[Path, ...]:
    """Return the folders where the files of a policy may be: beside it, here, and those given."""
    return (*(() if policy.path is None else (policy.path.parent,)), Path(), *folders)


def draft_arguments(
    policy: PolicySource, *, hierarchies: Hierarchies, levels: Levels, folders: Sequence[Path] = ()
) -> dict[str, Any] | None:
    """Return the arguments of `shoal.anonymize` for a policy file written by hand; None for one of a release.

    Files of hierarchies are searched beside the policy, here, and in the folders given.
    """
    draft = open_policy(policy)
    if isinstance(draft, Policy):
        return None
    if "k" not in draft.arguments:
        raise PolicyError.no_k(draft.path)
    return {**draft.arguments, **draft_hierarchies(draft, hierarchies=hierarchies, levels=levels, folders=folders)}


def draft_hierarchies(
    draft: PolicyDraft, *, hierarchies: Hierarchies, levels: Levels, folders: Sequence[Path] = ()
) -> dict[str, dict[str, Any]]:
    """Return the hierarchies and levels of a policy file written by hand: those given, or its files."""
    places = policy_folders(draft, folders)
    found: dict[str, dict[str, Any]] = {}
    for option, files, given in (
        ("hierarchies", draft.hierarchy_files, hierarchies),
        ("levels", draft.level_files, levels),
    ):
        sources = {str(name): source for name, source in _mapping(option, given).items()}
        for name in sources:
            if name not in files:
                raise PolicyError.no_hierarchy_in_policy(name)
        parse = _levels if option == "levels" else _hierarchy
        for name, file in files.items():
            source = sources.get(name) or next((path for folder in places if _is_file(path := folder / file)), None)
            if source is None:
                raise PolicyError.needs_hierarchy(name, file, ordinal=option == "levels")
            if draft.fingerprints.get(name) not in (None, parse(source)[0].fingerprint):
                raise PolicyError.hierarchy_changed(name)
            found.setdefault(option, {})[name] = source
    return found


def match_columns(schema: Schema, kinds: Sequence[tuple[str, Kind]]) -> Schema:
    """Schema of a policy for a table that must have the same columns, with the kinds of its other columns."""
    known = {column.name: column for column in schema.columns}
    decided = (*schema.quasi_identifiers, *schema.names_with_role(Role.SENSITIVE))
    names = [name for name, _ in kinds]
    for name in known:
        if name not in names:
            raise ColumnError.unknown(name, names)
    for name in names:
        if name not in known:
            raise PolicyError.column_not_in_policy(name)
    return Schema(tuple(known[name] if name in decided else replace(known[name], kind=kind) for name, kind in kinds))


def resolve_policy_schema(
    schema: Schema, *, hierarchies: Hierarchies, levels: Levels, folders: Sequence[Path]
) -> Schema:
    """Restore hierarchies and levels of a policy's schema: those given, or files of the same name in these folders."""
    sources = {
        str(name): source
        for option, given in (("hierarchies", hierarchies), ("levels", levels))
        for name, source in _mapping(option, given).items()
    }
    for name in sources:
        if not any(column.name == name and column.hierarchy_fingerprint for column in schema.columns):
            raise PolicyError.no_hierarchy_in_policy(name)
    return Schema(tuple(_restored(column, sources.get(column.name), folders) for column in schema.columns))


def _restored(column: Column, source: Any, folders: Sequence[Path]) -> Column:
    if not column.hierarchy_fingerprint:
        return column
    if source is None:
        source = next(
            (place for folder in folders if _is_file(place := folder / Path(column.hierarchy_file).name)), None
        )
    if source is None:
        raise PolicyError.needs_hierarchy(column.name, column.hierarchy_file, ordinal=column.kind is Kind.ORDINAL)
    hierarchy, file = _matching_hierarchy(column, source)
    return replace(column, hierarchy=hierarchy, hierarchy_file=file or column.hierarchy_file)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _matching_hierarchy(column: Column, source: Any) -> tuple[Hierarchy, str]:
    """Read a source as the policy did: an ordinal column may have levels or a hierarchy."""
    failure: ShoalError = PolicyError.hierarchy_changed(column.name)
    for parse in (_levels, _hierarchy) if column.kind is Kind.ORDINAL else (_hierarchy,):
        try:
            result = parse(source)
        except ShoalError as error:
            failure = error
            continue
        if result[0].fingerprint == column.hierarchy_fingerprint:
            return result
        failure = PolicyError.hierarchy_changed(column.name)
    raise failure
