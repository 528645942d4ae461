"""What a user says about columns: kinds, levels and hierarchies, from values or files, put into the schema."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal import tables
from shoal.aside import reason
from shoal.errors import FileError, OptionError, PolicyError, ShoalError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.files import read
from shoal.schema import Column, Kind, Role, Schema
from shoal.tables import Table

Hierarchies = Mapping[str, Any] | None
"""For each column a hierarchy, a nested dictionary, or the path of a hierarchy file."""
Levels = Mapping[str, Any] | None
"""For each ordinal column its values, the lowest first, or the path of a file with one a line."""


def understood(
    table: Table,
    schema: Schema,
    *,
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    kinds: Mapping[str, str] | None = None,
    recode: Mapping[str, str] | None = None,
    mixed: bool = False,
) -> Schema:
    """The schema with what is said about its quasi-identifiers and its sensitive columns.

    A column that can be read in several ways, or that was read as text since some of its numbers or dates are something
    else, is refused where nothing is said about it, unless it may be ``mixed``.
    """
    given = {str(name): _hierarchy(source) for name, source in _mapping("hierarchies", hierarchies).items()}
    ordered = {str(name): _levels(source) for name, source in _mapping("levels", levels).items()}
    said = {str(name): kind for name, kind in _mapping("kinds", kinds).items()}
    ways = {str(name): way for name, way in _mapping("recode", recode).items()}
    both = next((name for name in given if name in ordered), None)
    if both is not None:
        raise OptionError.bad_option("levels", "levels or a hierarchy for a column, and not both")
    sure = schema.understood(
        kinds={name: str(Kind.ORDINAL) for name in ordered} | said, hierarchies=given | ordered, recode=ways
    )
    if not mixed:
        as_words = {*given, *ordered, *(name for name, kind in said.items() if kind in (Kind.NOMINAL, Kind.ORDINAL))}
        read = (*sure.quasi_identifiers, *sure.named(Role.SENSITIVE))
        tables.check_read(table, [name for name in read if name not in as_words])
        tables.check_mixed(table, [name for name in sure.quasi_identifiers if name not in {*given, *ordered, *said}])
    return sure


def _mapping(name: str, given: Any) -> Mapping[Any, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise OptionError.bad_option(name, "one for each column that is named, such as {'column': ...}")
    return given


def _hierarchy(source: Any) -> tuple[Hierarchy, str]:
    """A hierarchy, and the name of the file that it came from."""
    if isinstance(source, Hierarchy):
        return source, ""
    if isinstance(source, Mapping):
        return Hierarchy.from_dict(source), ""
    if isinstance(source, str | os.PathLike):
        return read(source), Path(source).name
    raise OptionError.bad_option("hierarchies", "a Hierarchy, a nested dictionary or the path of a file")


def _levels(source: Any) -> tuple[Hierarchy, str]:
    """The levels as children of one node, in their order, and the name of the file that they came from."""
    file = ""
    if isinstance(source, Hierarchy):
        return source, file
    if isinstance(source, str | os.PathLike):
        source, file = _lines(Path(source)), Path(source).name
    if not isinstance(source, Iterable):
        raise OptionError.bad_option("levels", "the values of a column, the lowest first, or the path of a file")
    words = [str(level) for level in source]
    if len(words) < 2 or len(set(words)) < len(words) or "*" in words or not all(word.strip() for word in words):
        raise OptionError.bad_option("levels", "at least two different values, the lowest first, none of them '*'")
    return Hierarchy.from_edges((word, "*") for word in words), file


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FileError.missing(path) from None
    except OSError as error:
        raise FileError.unreadable(path, reason(error)) from None
    except ValueError:
        raise FileError.damaged(path, "text") from None
    return [line for line in text.splitlines() if line.strip()]


def found_again(schema: Schema, *, hierarchies: Hierarchies, levels: Levels, folders: Sequence[Path]) -> Schema:
    """The schema of a policy with its hierarchies and levels: those given, or files of that name in these folders."""
    sources = {
        str(name): source
        for option, given in (("hierarchies", hierarchies), ("levels", levels))
        for name, source in _mapping(option, given).items()
    }
    for name in sources:
        if not any(column.name == name and column.fingerprint for column in schema.columns):
            raise PolicyError.decides(f"what column {name} means")
    return Schema(tuple(_found(column, sources.get(column.name), folders) for column in schema.columns))


def _found(column: Column, source: Any, folders: Sequence[Path]) -> Column:
    if not column.fingerprint:
        return column
    if source is None:
        source = next((place for folder in folders if _is_file(place := folder / Path(column.file).name)), None)
    if source is None:
        raise PolicyError.needs_hierarchy(column.name, column.file, ordinal=column.kind is Kind.ORDINAL)
    hierarchy, file = _as_decided(column, source)
    return replace(column, hierarchy=hierarchy, file=file or column.file)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _as_decided(column: Column, source: Any) -> tuple[Hierarchy, str]:
    """A source as the policy understood it: an ordinal column may have had levels or a hierarchy."""
    wrong: ShoalError = PolicyError.other_hierarchy(column.name)
    for understand in (_levels, _hierarchy) if column.kind is Kind.ORDINAL else (_hierarchy,):
        try:
            found = understand(source)
        except ShoalError as error:
            wrong = error
            continue
        if found[0].fingerprint == column.fingerprint:
            return found
        wrong = PolicyError.other_hierarchy(column.name)
    raise wrong
