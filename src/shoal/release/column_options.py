"""Apply kinds, levels and hierarchies, given as values or as files, to the columns of a schema."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
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
    trees = {name: _hierarchy(source) for name, source in _by_column("hierarchies", hierarchies).items()}
    ordered = {name: _levels(source) for name, source in _by_column("levels", levels).items()}
    given_kinds, recodings = _by_column("kinds", kinds), _by_column("recode", recode)
    if trees.keys() & ordered.keys():
        raise OptionError.invalid_value("levels", "levels or a hierarchy for a column, and not both")
    resolved = schema.with_column_options(
        kinds={name: str(Kind.ORDINAL) for name in ordered} | given_kinds, hierarchies=trees | ordered, recode=recodings
    )
    if not allow_mixed:
        textual = [name for name, kind in given_kinds.items() if kind in (Kind.NOMINAL, Kind.ORDINAL)]
        keys, sensitive = resolved.quasi_identifiers, resolved.names_with_role(Role.SENSITIVE)
        data.check_unambiguous(
            table, [name for name in (*keys, *sensitive) if name not in {*trees, *ordered, *textual}]
        )
        data.check_not_mixed(table, [name for name in keys if name not in {*trees, *ordered, *given_kinds}])
    return resolved


def _by_column(option: str, given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping | None):
        raise OptionError.invalid_value(option, "one for each column that is named, such as {'column': ...}")
    return {str(name): value for name, value in (given or {}).items()}


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


def policy_folders(policy: Policy | PolicyDraft, folders: Sequence[Path] = ()) -> tuple[Path, ...]:
    """Return the folders where the files of a policy may be: beside it, here, and those given."""
    return (*(() if policy.path is None else (policy.path.parent,)), Path(), *folders)


def draft_hierarchies(
    draft: PolicyDraft, *, hierarchies: Hierarchies, levels: Levels, folders: Sequence[Path] = ()
) -> dict[str, dict[str, Any]]:
    """Return the hierarchies and levels of a policy file written by hand: those given, or its files.

    They are searched beside the policy, here, and in the folders given.
    """
    places = policy_folders(draft, folders)
    found: dict[str, dict[str, Any]] = {}
    for option, files, given, parse in (
        ("hierarchies", draft.hierarchy_files, hierarchies, _hierarchy),
        ("levels", draft.level_files, levels, _levels),
    ):
        sources = _by_column(option, given)
        for name in sources:
            if name not in files:
                raise PolicyError.no_hierarchy_in_policy(name)
        for name, file in files.items():
            source = sources.get(name) or find_file(file, places)
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
    sources = _by_column("hierarchies", hierarchies) | _by_column("levels", levels)
    with_hierarchy = [column.name for column in schema.columns if column.hierarchy_fingerprint]
    for name in sources:
        if name not in with_hierarchy:
            raise PolicyError.no_hierarchy_in_policy(name)
    return Schema(tuple(_restored(column, sources.get(column.name), folders) for column in schema.columns))


def _restored(column: Column, source: Any, folders: Sequence[Path]) -> Column:
    if not column.hierarchy_fingerprint:
        return column
    source = find_file(Path(column.hierarchy_file).name, folders) if source is None else source
    if source is None:
        raise PolicyError.needs_hierarchy(column.name, column.hierarchy_file, ordinal=column.kind is Kind.ORDINAL)
    hierarchy, file = _matching_hierarchy(column, source)
    return replace(column, hierarchy=hierarchy, hierarchy_file=file or column.hierarchy_file)


def find_file(name: str, folders: Iterable[Path]) -> Path | None:
    """Return the first file of this name in these folders."""
    for folder in folders:
        with suppress(OSError, ValueError):
            if (folder / name).is_file():
                return folder / name
    return None


def _matching_hierarchy(column: Column, source: Any) -> tuple[Hierarchy, str]:
    """Read a source as the policy did: an ordinal column may have levels or a hierarchy."""
    failure: ShoalError
    for parse in (_levels, _hierarchy) if column.kind is Kind.ORDINAL else (_hierarchy,):
        try:
            result = parse(source)
            if result[0].fingerprint == column.hierarchy_fingerprint:
                return result
            failure = PolicyError.hierarchy_changed(column.name)
        except ShoalError as error:
            failure = error
    raise failure
