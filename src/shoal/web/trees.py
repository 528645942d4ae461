"""Files of hierarchies and of orders of values: those of a project, and what workers and the page hand each other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.aside import aside
from shoal.errors import HierarchyError, OptionError, PageError
from shoal.hierarchy import Hierarchy, files
from shoal.recode.choice import ways
from shoal.schema.columns import Kind
from shoal.web.interface import ColumnChoice, ColumnFacts, kind_of

MOST_NODES = 20_000
"""Of a hierarchy that the page shows and edits."""
MOST_LETTERS = 2_000_000
"""Of all its names: the page must be shown at once."""
_MOST_BYTES = 8_000_000
_ABOVE = "lcs"


def tree_name(number: int, columns: Sequence[ColumnChoice]) -> str:
    """The file of the hierarchy of a column: the one that it has, else one with its number, counted from 1."""
    others = {name for place, choice in enumerate(columns) if place != number for name in _trees(choice)}
    return _trees(columns[number])[0] or _free("hierarchy-{}.json", number, others, len(columns))


def levels_name(number: int, columns: Sequence[ColumnChoice]) -> str:
    """The same for the order of its values."""
    others = {name for place, choice in enumerate(columns) if place != number for name in _levels(choice)}
    return _levels(columns[number])[0] or _free("levels-{}.txt", number, others, len(columns))


def _trees(choice: ColumnChoice) -> tuple[str, str]:
    return choice.hierarchy or choice.hierarchy_aside, choice.hierarchy_aside


def _levels(choice: ColumnChoice) -> tuple[str, str]:
    return choice.levels or choice.levels_aside, choice.levels_aside


def _free(pattern: str, number: int, taken: set[str], columns: int) -> str:
    """A name that no other column has: in an earlier file columns may have stood in another order."""
    candidates = (pattern.format(place) for place in (number + 1, *range(columns + 1, 2 * columns + 2)))
    return next(name for name in candidates if name not in taken)


def with_kind(choice: ColumnChoice, kind: str, folder: Path) -> ColumnChoice:
    """The choice with another kind. A file that this does not use is put aside, and one that it uses is taken again."""
    aside = replace(
        choice,
        kind=kind,
        hierarchy="",
        levels="",
        fingerprint="",
        hierarchy_aside=_trees(choice)[0],
        levels_aside=_levels(choice)[0],
    )
    if kind == Kind.HIERARCHICAL and aside.hierarchy_aside:
        mark = fingerprint(folder / aside.hierarchy_aside)
        return replace(aside, hierarchy=aside.hierarchy_aside if mark else "", hierarchy_aside="", fingerprint=mark)
    if kind == Kind.ORDINAL and aside.levels_aside:
        mark = fingerprint(folder / aside.levels_aside)
        return replace(aside, levels=aside.levels_aside if mark else "", levels_aside="", fingerprint=mark)
    return aside


def fitting_ways(facts: ColumnFacts, choice: ColumnChoice) -> tuple[str, ...]:
    """The ways to recode a column that make sense: a node above several values needs a tree that has it."""
    return tuple(way for way in ways(kind_of(facts, choice)) if way != _ABOVE or choice.hierarchy)


def read_tree(path: Path) -> Hierarchy | None:
    """A hierarchy that a project keeps; None where there is none."""
    if not path.is_file():
        return None
    if path.stat().st_size > _MOST_BYTES:
        raise HierarchyError.too_many_nodes(MOST_NODES + 1, most=MOST_NODES)
    return checked(files.read(path, format="json"))


def read_levels(path: Path) -> list[str] | None:
    """An order of values that a project keeps; None where there is none."""
    if not path.is_file():
        return None
    try:
        return [line for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except (OSError, ValueError):
        raise PageError.damaged_project() from None


def keep_tree(path: Path, hierarchy: Hierarchy) -> None:
    """Keep a hierarchy."""
    odd = sum(1 for name in hierarchy if not _is_text(name))
    if odd:
        raise HierarchyError.no_text(odd)
    _keep(path, files.text(hierarchy, "json").encode())


def keep_levels(path: Path, levels: Sequence[str]) -> None:
    """Keep an order of values, the lowest first."""
    if len(levels) > MOST_NODES or sum(map(len, levels)) > MOST_LETTERS:
        raise OptionError.bad_option("levels", f"at most {MOST_NODES:,} values of {MOST_LETTERS:,} letters in all")
    good = len(levels) >= 2 and len(set(levels)) == len(levels) and "*" not in levels
    if not good or not all(level.strip() and level.splitlines() == [level] and _is_text(level) for level in levels):
        raise OptionError.bad_option("levels", "at least two different values, one a line, none of them '*'")
    _keep(path, ("\n".join(levels) + "\n").encode())


def fingerprint(path: Path) -> str:
    """Of a file; empty where there is none."""
    try:
        return mark_of(path.read_bytes())
    except OSError:
        return ""


def mark_of(raw: bytes) -> str:
    """The fingerprint of these bytes."""
    return hashlib.sha256(raw).hexdigest()[:16]


def checked(hierarchy: Hierarchy) -> Hierarchy:
    """The hierarchy, if it is not too large for the page."""
    if len(hierarchy) > MOST_NODES:
        raise HierarchyError.too_many_nodes(len(hierarchy), most=MOST_NODES)
    letters = sum(map(len, hierarchy))
    if letters > MOST_LETTERS:
        raise HierarchyError.too_long_names(letters, most=MOST_LETTERS)
    return hierarchy


def plain(hierarchy: Hierarchy) -> dict[str, Any]:
    """As the page and its workers hand each other a hierarchy."""
    return {"nodes": list(hierarchy.nodes), "parents": list(hierarchy.parents)}


def from_plain(facts: Mapping[str, Any]) -> Hierarchy:
    return Hierarchy(tuple(facts["nodes"]), tuple(facts["parents"]))


def hand(path: Path, hierarchy: Hierarchy) -> None:
    """Put a hierarchy where a worker finds it."""
    _keep(path, json.dumps(plain(hierarchy)).encode())


def make_folder(folder: Path) -> None:
    """A private folder in a private folder."""
    for place in (folder.parent, folder):
        place.mkdir(mode=0o700, exist_ok=True)


def _keep(path: Path, raw: bytes) -> None:
    make_folder(path.parent)
    with aside(path, force=True) as part:
        part.chmod(0o600)
        part.write_bytes(raw)


def _is_text(name: str) -> bool:
    return not any(sign == "\0" or "\ud800" <= sign <= "\udfff" for sign in name)
