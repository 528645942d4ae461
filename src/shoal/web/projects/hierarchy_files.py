"""Hierarchy files and orders of values: in projects, and exchanged between the server and workers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.domain.columns import Kind
from shoal.domain.recodings import recodings
from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy import Hierarchy, formats
from shoal.system.transaction import write_file
from shoal.web.errors import PageError
from shoal.web.projects.model import ColumnChoice, ColumnFacts, effective_kind

MAX_NODES = 20_000
"""Of a hierarchy that the page displays and edits."""
MAX_CHARACTERS = 2_000_000
"""Of all its names, since the page displays them at once."""
_MAX_BYTES = 8_000_000
_LOWEST_COMMON = "lcs"


def hierarchy_file_name(number: int, columns: Sequence[ColumnChoice]) -> str:
    """Return the hierarchy file of a column: its own, else a new name with its number, counted from 1."""
    return _file_name("hierarchy-{}.json", number, columns, "hierarchy")


def levels_file_name(number: int, columns: Sequence[ColumnChoice]) -> str:
    """Return the file of the order of values of a column, likewise."""
    return _file_name("levels-{}.txt", number, columns, "levels")


def _own_file(choice: ColumnChoice, option: str) -> str:
    """Return the file of a column for ``hierarchy`` or ``levels``, in use or aside."""
    return str(getattr(choice, option) or getattr(choice, f"{option}_aside"))


def _file_name(pattern: str, number: int, columns: Sequence[ColumnChoice], option: str) -> str:
    # another column may have this name: in an earlier file the columns may have had another order
    others = [choice for index, choice in enumerate(columns) if index != number]
    taken = {name for choice in others for name in (_own_file(choice, option), getattr(choice, f"{option}_aside"))}
    suffixes = (number + 1, *range(len(columns) + 1, 2 * len(columns) + 2))
    return _own_file(columns[number], option) or next(
        name for name in map(pattern.format, suffixes) if name not in taken
    )


def with_kind(facts: ColumnFacts, choice: ColumnChoice, kind: str, folder: Path) -> ColumnChoice:
    """Return the options with another kind. Files that it does not use are put aside, and restored when the kind uses
    them. A recoding method that does not fit is left out.
    """
    hierarchy, levels = _own_file(choice, "hierarchy"), _own_file(choice, "levels")
    option = {Kind.HIERARCHICAL: "hierarchy", Kind.ORDINAL: "levels"}.get(Kind(kind), "") if kind else ""
    used = _own_file(choice, option) if option else ""
    digest = file_fingerprint(folder / used) if used else ""
    changes: dict[str, Any] = {"hierarchy": "", "levels": "", "hierarchy_aside": hierarchy, "levels_aside": levels}
    if used:
        changes |= {option: used if digest else "", f"{option}_aside": ""}
    changed = replace(choice, kind=kind, fingerprint=digest, **changes)
    return changed if changed.recode in fitting_recodings(facts, changed) else replace(changed, recode="")


def fitting_recodings(facts: ColumnFacts, choice: ColumnChoice) -> tuple[str, ...]:
    """Return the recoding methods that fit a column; the lowest common node needs a hierarchy."""
    return tuple(way for way in recodings(effective_kind(facts, choice)) if way != _LOWEST_COMMON or choice.hierarchy)


def read_hierarchy(path: Path) -> Hierarchy | None:
    """Return a stored hierarchy; None if there is none."""
    if not path.is_file():
        return None
    if path.stat().st_size > _MAX_BYTES:
        raise HierarchyError.too_many_nodes(MAX_NODES + 1, most=MAX_NODES)
    return check_size(formats.read(path, format="json"))


def read_levels(path: Path) -> list[str] | None:
    """Return a stored order of values; None if there is none."""
    if not path.is_file():
        return None
    try:
        return [line for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except (OSError, ValueError):
        raise PageError.damaged_project() from None


def write_hierarchy(path: Path, hierarchy: Hierarchy) -> None:
    invalid = sum(1 for name in hierarchy if not _is_valid_text(name))
    if invalid:
        raise HierarchyError.not_encodable(invalid)
    _write_private(path, formats.to_text(hierarchy, "json"))


def write_levels(path: Path, levels: Sequence[str]) -> None:
    """Store an order of values, the lowest first."""
    if len(levels) > MAX_NODES or sum(map(len, levels)) > MAX_CHARACTERS:
        raise OptionError.invalid_value("levels", f"at most {MAX_NODES:,} values of {MAX_CHARACTERS:,} letters in all")
    distinct = len(levels) >= 2 and len(set(levels)) == len(levels) and "*" not in levels
    if not distinct or not all(
        level.strip() and level.splitlines() == [level] and _is_valid_text(level) for level in levels
    ):
        raise OptionError.invalid_value("levels", "at least two different values, one a line, none of them '*'")
    _write_private(path, ("\n".join(levels) + "\n"))


def file_fingerprint(path: Path) -> str:
    """Return the fingerprint of a file; empty if there is none."""
    try:
        return bytes_fingerprint(path.read_bytes())
    except OSError:
        return ""


def bytes_fingerprint(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:16]


def check_size(hierarchy: Hierarchy) -> Hierarchy:
    """Return the hierarchy; refuse one that is too large for the page."""
    if len(hierarchy) > MAX_NODES:
        raise HierarchyError.too_many_nodes(len(hierarchy), most=MAX_NODES)
    characters = sum(map(len, hierarchy))
    if characters > MAX_CHARACTERS:
        raise HierarchyError.too_long_names(characters, most=MAX_CHARACTERS)
    return hierarchy


def hierarchy_to_dict(hierarchy: Hierarchy) -> dict[str, Any]:
    """Return a hierarchy as exchanged between the server and workers."""
    return {"nodes": list(hierarchy.nodes), "parents": list(hierarchy.parents)}


def hierarchy_from_dict(facts: Mapping[str, Any]) -> Hierarchy:
    return Hierarchy(tuple(facts["nodes"]), tuple(facts["parents"]))


def write_for_worker(path: Path, hierarchy: Hierarchy) -> None:
    _write_private(path, json.dumps(hierarchy_to_dict(hierarchy)))


def make_private_folder(folder: Path) -> None:
    for path in (folder.parent, folder):
        path.mkdir(mode=0o700, exist_ok=True)


def _write_private(path: Path, content: str) -> None:
    make_private_folder(path.parent)
    write_file(path, content, force=True, private=True)


def _is_valid_text(name: str) -> bool:
    return not any(character == "\0" or "\ud800" <= character <= "\udfff" for character in name)
