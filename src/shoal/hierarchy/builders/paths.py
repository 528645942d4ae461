"""Shared by all builders: values as text, and trees from generalization paths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy.formats import arx
from shoal.hierarchy.tree import Hierarchy
from shoal.hierarchy.value_names import format_values


def value_texts(values: Iterable[object]) -> list[str]:
    """Return the values as text, with repeats and in order; none may be empty."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise OptionError.invalid_value("values", "a list of values")
    names = [text or "" for text in format_values(values, expected="a list of values")]
    if not names:
        raise HierarchyError.no_values()
    blank = sum(1 for text in names if not text.strip())
    if blank:
        raise HierarchyError.blank_values(blank, of=len(names))
    return names


def as_list(value: Any) -> list[Any]:
    """Return an option that is one value or several as a list."""
    return [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)


def from_paths(paths: Iterable[Sequence[str]], *, root: str) -> Hierarchy:
    """Build the tree from paths, each from a value up to a child of the root. A value may be the root itself."""
    if not isinstance(root, str) or not root.strip():
        raise OptionError.invalid_value("root", "a name")
    return arx.from_rows([root] * (len(names) + 1) if names[0] == root else [*names, root] for names in paths)
