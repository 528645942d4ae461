"""Whether a hierarchy has every value of a column, and what the values that it lacks may mean."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, SupportsIndex

from shoal.errors import OptionError
from shoal.hierarchy.naming import named
from shoal.hierarchy.tree import Hierarchy
from shoal.words import counted, shown

_MOST = 200
"""Close spellings are sought for so many values at most: each is compared with every node."""

_CUTOFF = 0.8


@dataclass(frozen=True)
class Coverage:
    """How the values of a column and the nodes of its hierarchy meet. Values are shown on request only."""

    values: int
    """The distinct values of the column."""
    records: int
    nodes: int
    """The nodes of the hierarchy."""
    inner: int
    """The values that have other nodes below them."""
    lacking: Mapping[str, int] = field(repr=False)
    """The records of each value that the hierarchy lacks, the most frequent value first."""
    mappings: Mapping[str, str] = field(repr=False)
    """For missing values the one node that differs only in case, spaces, hyphens or form of letters."""
    suggestions: Mapping[str, tuple[str, ...]] = field(repr=False, default_factory=dict)
    """For other missing values the nodes of a close spelling, the closest first, where they were sought."""
    empty: int = 0
    """The records without a value, which no hierarchy has to have."""

    @property
    def missing(self) -> tuple[str, ...]:
        """The values that the hierarchy lacks, the most frequent first."""
        return tuple(self.lacking)

    @property
    def missing_values(self) -> int:
        return len(self.lacking)

    @property
    def missing_records(self) -> int:
        return sum(self.lacking.values())

    @property
    def value_nodes(self) -> int:
        """The nodes of the hierarchy that are values of the column."""
        return self.values - self.missing_values

    @property
    def ok(self) -> bool:
        """Whether the hierarchy has every value."""
        return not self.lacking

    def __bool__(self) -> bool:
        return self.ok

    def to_dict(self, *, values: bool = False) -> dict[str, Any]:
        """Plain data, in a stable order of keys; with ``values`` also the missing values themselves."""
        found: dict[str, Any] = {
            "ok": self.ok,
            "values": self.values,
            "records": self.records,
            "missing_values": self.missing_values,
            "missing_records": self.missing_records,
            "records_without_value": self.empty,
            "mappable_values": len(self.mappings),
            "nodes": self.nodes,
            "value_nodes": self.value_nodes,
            "inner_values": self.inner,
        }
        if values:
            found["missing"] = dict(self.lacking)
            found["mappings"] = dict(self.mappings)
            found["suggestions"] = {value: list(nodes) for value, nodes in self.suggestions.items()}
        return found

    def text(self, *, values: bool = False) -> str:
        """A sentence of counts; with ``values`` also a line for each missing value."""
        empty = f"; {counted(self.empty, 'record')} {'has' if self.empty == 1 else 'have'} no value"
        end = empty if self.empty else ""
        if self.ok:
            verb = "it is" if self.values == 1 else "all are"
            held = f"{counted(self.values, 'value')} in {counted(self.records, 'record')}"
            return f"{held}: {verb} in the hierarchy{end}"
        near = len(self.mappings)
        mend = f"; {near:,} of them differ{'s' * (near == 1)} only in case, spaces or hyphens" if near else ""
        sentence = (
            f"{self.missing_values:,} of {counted(self.values, 'value')} ({self.missing_records:,} of"
            f" {counted(self.records, 'record')}) {'is' if self.missing_values == 1 else 'are'} not in the"
            f" hierarchy{mend}{end}"
        )
        lines = [self._line(value, count) for value, count in self.lacking.items()] if values else []
        return "\n".join([sentence, *lines])

    def _line(self, value: str, count: int) -> str:
        line = f"  {shown(value)} ({counted(count, 'record')})"
        if value in self.mappings:
            return f"{line} -> {shown(self.mappings[value])}"
        if value in self.suggestions:
            return f"{line}, close to {', '.join(map(shown, self.suggestions[value]))}"
        return line


def tally(values: Iterable[object] | Mapping[str, int]) -> dict[str, int]:
    """The records of each value, from a column or from such counts. None and NaN are no values."""
    expected = "the values of a column, or the number of records of each"
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise OptionError.bad_option("values", expected)
    try:
        pairs: Mapping[Any, object] = values if isinstance(values, Mapping) else Counter(values)
    except TypeError:
        raise OptionError.bad_option("values", expected) from None
    found: Counter[str] = Counter()
    for text, count in zip(named(pairs, expected=expected), pairs.values(), strict=True):
        if not isinstance(count, SupportsIndex):
            raise OptionError.bad_option("values", expected)
        if text is not None:
            found[text] += count.__index__()
    return {value: count for value, count in found.items() if count > 0}


def coverage(
    hierarchy: Hierarchy, counts: Mapping[str, int], *, close: bool = False, records: int | None = None
) -> Coverage:
    """Compare the values of a column, each with its number of records, with the nodes of a hierarchy.

    ``close`` also seeks nodes of a close spelling for what has no mapping, for the 200 most frequent of such values.
    ``records`` are all of the column, those without a value too.
    """
    present = tally(counts)
    held = sum(present.values())
    lacking = {
        value: present[value]
        for value in sorted(present, key=lambda value: (-present[value], value))
        if value not in hierarchy
    }
    alike: dict[str, list[str]] = {}
    for node in hierarchy if lacking else ():
        alike.setdefault(_key(node), []).append(node)
    mappings = {value: alike[_key(value)][0] for value in lacking if len(alike.get(_key(value), ())) == 1}
    suggestions: dict[str, tuple[str, ...]] = {}
    if close:
        for value in [value for value in lacking if value not in mappings][:_MOST]:
            found = tuple(node for key in get_close_matches(_key(value), alike, cutoff=_CUTOFF) for node in alike[key])
            if found:
                suggestions[value] = found
    leaves = set(hierarchy.leaves)
    return Coverage(
        values=len(present),
        records=held,
        nodes=len(hierarchy),
        inner=sum(value in hierarchy and value not in leaves for value in present),
        lacking=lacking,
        mappings=mappings,
        suggestions=suggestions,
        empty=0 if records is None else records - held,
    )


def _key(text: str) -> str:
    """What two spellings of one name have in common: the same letters, whatever their case and what separates them."""
    return re.sub(r"[\s_-]+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()
