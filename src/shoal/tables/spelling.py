"""Spelling: which texts say the same, though they are written in different ways.

Two texts say the same if they differ only in case, in blanks and signs that nobody sees, in the form of letters
(Unicode NFKC), or as plain numbers only in zeros: ``1``, ``1.0`` and ``01``. Groups are made by `meaning`, and the
verification decides by `verified_meaning`, which gets there in another way and shares nothing with it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from shoal.hierarchy import Hierarchy
from shoal.schema.columns import Kind
from shoal.values import Categories, IntVector

Meaning = Callable[[str], str]
"""Gives the same text for texts that say the same; an empty one for those that say nothing."""

_NUMBER = re.compile(r"([+-]?)0*([0-9]*)(?:\.([0-9]*?)0*)?")
_DIGITS = frozenset("0123456789")
_LONGEST = 300
"""Letters of a number; a longer one is a text like any other."""


def meaning(text: str) -> str:
    """What a text says: caseless by the compatible forms of its letters, as Unicode defines it (D147)."""
    if text.isascii():
        found = text.lower()
    else:
        found = unicodedata.normalize("NFD", text).casefold()
        found = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", found).casefold())
        found = "".join(letter for letter in found if unicodedata.category(letter) != "Cf")
    found = " ".join(found.split())
    number = _NUMBER.fullmatch(found) if found and len(found) <= _LONGEST else None
    if number is None or not _DIGITS.intersection(found):
        return found
    sign, whole, part = number.groups()
    size = f"{whole or 0}.{part}" if part else whole or "0"
    return f"-{size}" if sign == "-" and size != "0" else size


def verified_meaning(text: str) -> str:
    """The same as the verification understands it: folded until nothing changes, numbers as fractions."""
    before, found = "", text
    while found != before:
        before, found = found, unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", found).casefold())
    seen = [letter for letter in found if unicodedata.category(letter) != "Cf"]
    found = "".join(" " if letter.isspace() else letter for letter in seen).strip()
    while "  " in found:
        found = found.replace("  ", " ")
    if len(found) > _LONGEST or not set(found) <= {*_DIGITS, "+", "-", "."}:
        return unicodedata.normalize("NFKC", found)
    try:
        return str(Fraction(found))
    except ValueError:
        return found


def numbered(values: Sequence[str], same: Meaning) -> IntVector:
    """For each value the number of what it says, in the order of the values; -1 where it says nothing."""
    known: dict[str, int] = {"": -1}
    return np.array([known.setdefault(same(value), len(known) - 1) for value in values], dtype=np.int64)


def spelled_alike(values: Iterable[str]) -> int:
    """How many of these different values say the same as another one of them."""
    counts: dict[str, int] = {}
    for value in values:
        said = meaning(value)
        counts[said] = counts.get(said, 0) + 1
    return sum(count for said, count in counts.items() if count > 1 and said)


def spellings(columns: Sequence[Categories]) -> dict[str, int]:
    """So many values of each nominal column are spelled in several ways, where some are."""
    counts = {
        column.name: spelled_alike(column.hierarchy.nodes[:-1]) for column in columns if column.kind is Kind.NOMINAL
    }
    return {name: count for name, count in counts.items() if count}


def node_names(hierarchy: Hierarchy, values: Iterable[str]) -> dict[str, str]:
    """For each value its node: the one of its name, or else the only one that says the same.

    What has none is left out.
    """
    different = list(values)
    found = {value: value for value in different if value in hierarchy}
    if len(found) == len(different):
        return found
    alike: dict[str, list[str]] = {}
    for node in hierarchy:
        alike.setdefault(meaning(node), []).append(node)
    for value in different:
        said = meaning(value)
        if value not in found and said and len(alike.get(said, ())) == 1:
            found[value] = alike[said][0]
    return found


def by_node(hierarchy: Hierarchy, counts: Mapping[str, int]) -> dict[str, int]:
    """The records of each value by the names of its nodes; a value without one keeps its own."""
    nodes = node_names(hierarchy, counts)
    found: dict[str, int] = {}
    for value, records in counts.items():
        name = nodes.get(value, value)
        found[name] = found.get(name, 0) + records
    return found
