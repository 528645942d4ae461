"""Normalize text to identify spelling variants of one value.

Two texts are variants if they differ only in case, blanks, invisible characters or letter forms (Unicode NFKC), or are
numbers that differ only in zeros: ``1``, ``1.0`` and ``01``. Grouping uses `normalize_text`; the verification uses
`normalize_text_for_verification`, an independent implementation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from shoal.domain import CategoricalColumn, IntVector
from shoal.domain.columns import Kind
from shoal.hierarchy import Hierarchy

Normalizer = Callable[[str], str]
"""Maps spelling variants to the same text, and blank texts to an empty one."""

_NUMBER = re.compile(r"([+-]?)0*([0-9]*)(?:\.([0-9]*?)0*)?")
_DIGITS = frozenset("0123456789")
_LONGEST = 300
"""Maximum length of a number; longer ones are treated as text."""


def normalize_text(text: str) -> str:
    """Normalize a text for compatibility caseless matching (Unicode D147), and numbers to a canonical form."""
    if text.isascii():
        normalized = text.lower()
    else:
        normalized = unicodedata.normalize("NFD", text).casefold()
        normalized = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", normalized).casefold())
        normalized = "".join(letter for letter in normalized if unicodedata.category(letter) != "Cf")
    normalized = " ".join(normalized.split())
    number = _NUMBER.fullmatch(normalized) if normalized and len(normalized) <= _LONGEST else None
    if number is None or not _DIGITS.intersection(normalized):
        return normalized
    sign, whole, fraction = number.groups()
    magnitude = f"{whole or 0}.{fraction}" if fraction else whole or "0"
    return f"-{magnitude}" if sign == "-" and magnitude != "0" else magnitude


def normalize_text_for_verification(text: str) -> str:
    """Normalize a text for the verification: folded to a fixed point, numbers as fractions."""
    before, normalized = "", text
    while normalized != before:
        before, normalized = (
            normalized,
            unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", normalized).casefold()),
        )
    visible = [letter for letter in normalized if unicodedata.category(letter) != "Cf"]
    normalized = "".join(" " if letter.isspace() else letter for letter in visible).strip()
    while "  " in normalized:
        normalized = normalized.replace("  ", " ")
    if len(normalized) > _LONGEST or not set(normalized) <= {*_DIGITS, "+", "-", "."}:
        return unicodedata.normalize("NFKC", normalized)
    try:
        return str(Fraction(normalized))
    except ValueError:
        return normalized


def number_variants(values: Sequence[str], normalize: Normalizer) -> IntVector:
    """Number the values by first appearance, variants alike; -1 for values that normalize to an empty text."""
    known: dict[str, int] = {"": -1}
    return np.array([known.setdefault(normalize(value), len(known) - 1) for value in values], dtype=np.int64)


def count_variants(values: Iterable[str]) -> int:
    """Count the values that are a spelling variant of another one."""
    counts: dict[str, int] = {}
    for value in values:
        normalized = normalize_text(value)
        counts[normalized] = counts.get(normalized, 0) + 1
    return sum(count for normalized, count in counts.items() if count > 1 and normalized)


def count_spelling_variants(columns: Sequence[CategoricalColumn]) -> dict[str, int]:
    """Count the spelling variants of each nominal column; columns without any are omitted."""
    counts = {
        column.name: count_variants(column.hierarchy.nodes[:-1]) for column in columns if column.kind is Kind.NOMINAL
    }
    return {name: count for name, count in counts.items() if count}


def match_nodes(hierarchy: Hierarchy, values: Iterable[str]) -> dict[str, str]:
    """Match each value to a node: by exact name, or else to the only node that is a spelling variant.

    Values without a match are omitted.
    """
    distinct = list(values)
    matches = {value: value for value in distinct if value in hierarchy}
    if len(matches) == len(distinct):
        return matches
    nodes_by_text: dict[str, list[str]] = {}
    for node in hierarchy:
        nodes_by_text.setdefault(normalize_text(node), []).append(node)
    for value in distinct:
        normalized = normalize_text(value)
        if value not in matches and normalized and len(nodes_by_text.get(normalized, ())) == 1:
            matches[value] = nodes_by_text[normalized][0]
    return matches


def sum_by_node(hierarchy: Hierarchy, counts: Mapping[str, int]) -> dict[str, int]:
    """Add up the counts of values by matching node; a value without a node keeps its own name."""
    nodes = match_nodes(hierarchy, counts)
    totals: dict[str, int] = {}
    for value, records in counts.items():
        name = nodes.get(value, value)
        totals[name] = totals.get(name, 0) + records
    return totals
