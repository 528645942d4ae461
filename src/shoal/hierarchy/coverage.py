"""Coverage of a column by a hierarchy, with suggestions for missing values."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, SupportsIndex

from shoal.errors import OptionError
from shoal.errors.messages import pluralize, quote_name
from shoal.hierarchy.tree import Hierarchy
from shoal.hierarchy.value_names import format_values

_MAX_SUGGESTED = 200
"""Maximum number of values to search close spellings for; each is compared with every node."""

_CUTOFF = 0.8


@dataclass(frozen=True)
class Coverage:
    """Coverage of a column by its hierarchy. Values are shown on request only."""

    values: int
    """Number of distinct values of the column."""
    records: int
    nodes: int
    """Number of nodes of the hierarchy."""
    inner_values: int
    """Number of values that are inner nodes."""
    missing_counts: Mapping[str, int] = field(repr=False)
    """Record counts of the values missing from the hierarchy, the most frequent first."""
    mappings: Mapping[str, str] = field(repr=False)
    """Missing value to the only node that differs just in case, spaces, hyphens or letter form."""
    suggestions: Mapping[str, tuple[str, ...]] = field(repr=False, default_factory=dict)
    """Other missing value to nodes of similar spelling, the closest first, if requested."""
    empty_records: int = 0
    """Number of records without a value."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Values missing from the hierarchy, the most frequent first."""
        return tuple(self.missing_counts)

    @property
    def missing_values(self) -> int:
        return len(self.missing_counts)

    @property
    def missing_records(self) -> int:
        return sum(self.missing_counts.values())

    @property
    def value_nodes(self) -> int:
        """Number of nodes that are values of the column."""
        return self.values - self.missing_values

    @property
    def ok(self) -> bool:
        """Whether the hierarchy has every value."""
        return not self.missing_counts

    def __bool__(self) -> bool:
        return self.ok

    def to_dict(self, *, values: bool = False) -> dict[str, Any]:
        """Plain data with a stable key order; ``values`` adds the missing values."""
        facts: dict[str, Any] = {
            "ok": self.ok,
            "values": self.values,
            "records": self.records,
            "missing_values": self.missing_values,
            "missing_records": self.missing_records,
            "records_without_value": self.empty_records,
            "mappable_values": len(self.mappings),
            "nodes": self.nodes,
            "value_nodes": self.value_nodes,
            "inner_values": self.inner_values,
        }
        if values:
            facts["missing"] = dict(self.missing_counts)
            facts["mappings"] = dict(self.mappings)
            facts["suggestions"] = {value: list(nodes) for value, nodes in self.suggestions.items()}
        return facts

    def text(self, *, values: bool = False) -> str:
        """One sentence of counts; ``values`` adds a line for each missing value."""
        empty = f"; {pluralize(self.empty_records, 'record')} {'has' if self.empty_records == 1 else 'have'} no value"
        end = empty if self.empty_records else ""
        if self.ok:
            verb = "it is" if self.values == 1 else "all are"
            total = f"{pluralize(self.values, 'value')} in {pluralize(self.records, 'record')}"
            return f"{total}: {verb} in the hierarchy{end}"
        mappable = len(self.mappings)
        hint = (
            f"; {mappable:,} of them differ{'s' * (mappable == 1)} only in case, spaces or hyphens" if mappable else ""
        )
        sentence = (
            f"{self.missing_values:,} of {pluralize(self.values, 'value')} ({self.missing_records:,} of"
            f" {pluralize(self.records, 'record')}) {'is' if self.missing_values == 1 else 'are'} not in the"
            f" hierarchy{hint}{end}"
        )
        lines = [self._line(value, count) for value, count in self.missing_counts.items()] if values else []
        return "\n".join([sentence, *lines])

    def _line(self, value: str, count: int) -> str:
        line = f"  {quote_name(value)} ({pluralize(count, 'record')})"
        if value in self.mappings:
            return f"{line} -> {quote_name(self.mappings[value])}"
        if value in self.suggestions:
            return f"{line}, close to {', '.join(map(quote_name, self.suggestions[value]))}"
        return line


def count_values(values: Iterable[object] | Mapping[str, int]) -> dict[str, int]:
    """Count the records of each value of a column, or check given counts. None and NaN are missing values."""
    expected = "the values of a column, or the number of records of each"
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise OptionError.invalid_value("values", expected)
    try:
        pairs: Mapping[Any, object] = values if isinstance(values, Mapping) else Counter(values)
    except TypeError:
        raise OptionError.invalid_value("values", expected) from None
    totals: Counter[str] = Counter()
    for text, count in zip(format_values(pairs, expected=expected), pairs.values(), strict=True):
        if not isinstance(count, SupportsIndex):
            raise OptionError.invalid_value("values", expected)
        if text is not None:
            totals[text] += count.__index__()
    return {value: count for value, count in totals.items() if count > 0}


def coverage(
    hierarchy: Hierarchy,
    values: Iterable[object] | Mapping[str, int],
    *,
    close: bool = False,
    records: int | None = None,
) -> Coverage:
    """Compare the values of a column, or the record counts of its values, with the nodes of a hierarchy.

    ``close`` adds nodes of similar spelling for the 200 most frequent missing values without a mapping. ``records`` is
    the number of all records of the column, with or without a value.
    """
    present = count_values(values)
    n_valued = sum(present.values())
    missing = {
        value: present[value]
        for value in sorted(present, key=lambda value: (-present[value], value))
        if value not in hierarchy
    }
    nodes_by_key: dict[str, list[str]] = {}
    for node in hierarchy if missing else ():
        nodes_by_key.setdefault(_key(node), []).append(node)
    mappings = {value: nodes_by_key[_key(value)][0] for value in missing if len(nodes_by_key.get(_key(value), ())) == 1}
    suggestions: dict[str, tuple[str, ...]] = {}
    if close:
        for value in [value for value in missing if value not in mappings][:_MAX_SUGGESTED]:
            keys = get_close_matches(_key(value), nodes_by_key, cutoff=_CUTOFF)
            if keys:
                suggestions[value] = tuple(node for key in keys for node in nodes_by_key[key])
    leaves = set(hierarchy.leaves)
    return Coverage(
        values=len(present),
        records=n_valued,
        nodes=len(hierarchy),
        inner_values=sum(value in hierarchy and value not in leaves for value in present),
        missing_counts=missing,
        mappings=mappings,
        suggestions=suggestions,
        empty_records=0 if records is None else records - n_valued,
    )


def _key(text: str) -> str:
    """Normalize a name: case, letter form and separators."""
    return re.sub(r"[\s_-]+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()
