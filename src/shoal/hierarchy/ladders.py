"""What all builders share: values come in as texts, each climbs its ladder of names, and the ladders become a tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from shoal.errors import HierarchyError, OptionError
from shoal.hierarchy import arx
from shoal.hierarchy.naming import named
from shoal.hierarchy.tree import Hierarchy


def texts(values: Iterable[object]) -> list[str]:
    """The values as a column shows them, in the order and as often as they come; none is empty."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise OptionError.bad_option("values", "a list of values")
    found = [text or "" for text in named(values, expected="a list of values")]
    if not found:
        raise HierarchyError.no_values()
    blank = sum(1 for text in found if not text.strip())
    if blank:
        raise HierarchyError.blank_values(blank, of=len(found))
    return found


def several(value: Any) -> list[Any]:
    """An option that is one value or several."""
    return [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)


def grown(ladders: Iterable[Sequence[str]], *, root: str) -> Hierarchy:
    """The tree of ladders, each from a value up to what is right below the root; a value may be the root itself."""
    if not isinstance(root, str) or not root.strip():
        raise OptionError.bad_option("root", "a name")
    return arx.from_rows([root] * (len(names) + 1) if names[0] == root else [*names, root] for names in ladders)
