"""Suggest hierarchies for the values of a column, each with the method and a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.domain.columns import Kind
from shoal.errors.messages import join_names
from shoal.hierarchy.builders.intervals import format_fraction, parse_fraction
from shoal.web.projects.hierarchy_files import MAX_CHARACTERS, MAX_NODES

if TYPE_CHECKING:
    from shoal.web.workers.worker import WorkerContext


_LONGEST_CODE = 12
_LONGEST_WIDTH = 12
"""Characters."""
_MIN_VALUES = 3
"""Values that need no levels between them and the root."""


@dataclass(frozen=True)
class HierarchySuggestion:
    way: str
    options: Mapping[str, str]
    title: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def suggest_hierarchies(counts: Mapping[str, int], kind: str) -> list[HierarchySuggestion]:
    """Return suggestions, the best first."""
    if len(counts) <= _MIN_VALUES:
        return []
    if kind == Kind.DATE:
        return _dates()
    if kind == Kind.NUMERIC:
        return _intervals(counts)
    reason = "Nothing has to be known about the values: the rarest are pooled first, frequent ones stay apart."
    return [*_prefixes(list(counts)), HierarchySuggestion("frequencies", {}, "Rare values together", reason)]


def _dates() -> list[HierarchySuggestion]:
    return [
        HierarchySuggestion(
            "dates", {"levels": ",".join(levels)}, join_names([f"{level}s" for level in levels]).capitalize(), reason
        )
        for levels, reason in (
            (("month", "quarter", "year"), "Days are put into months, and so on."),
            (("year", "decade"), "For dates of birth, or where a year tells enough."),
        )
    ]


def _intervals(counts: Mapping[str, int]) -> list[HierarchySuggestion]:
    numbers = [value for value in map(parse_fraction, counts) if value is not None]
    if len(numbers) < len(counts) or not numbers:
        return []
    width = _round(max(numbers) - min(numbers))
    widths = [format_fraction(width * step) for step in (1, 2, 4)]
    equal = HierarchySuggestion(
        "intervals",
        {"quantiles": "8,4,2"},
        "8, 4 and 2 intervals with about as many records each",
        "For numbers of which most are small and some are very large.",
    )
    if max(map(len, widths)) > _LONGEST_WIDTH:
        return [equal]
    title = f"Intervals of width {join_names(widths)}"
    return [
        HierarchySuggestion(
            "intervals", {"width": ",".join(widths)}, title, "All intervals of a level are equally wide."
        ),
        equal,
    ]


def _round(span: Fraction) -> Fraction:
    """Round a twentieth of a range to 1, 2 or 5 times a power of ten."""
    width, power = span / 20, Fraction(1)
    while 0 < width < power:
        power /= 10
    while power * 10 <= width:
        power *= 10
    return next(power * step for step in (1, 2, 5, 10) if power * step >= width)


def _prefixes(values: list[str]) -> list[HierarchySuggestion]:
    lengths = {len(value) for value in values}
    codes = all(value.isascii() and " " not in value and len(value) <= _LONGEST_CODE for value in values)
    digits = sum(any(character.isdigit() for character in value) for value in values)
    if not codes or digits < len(values) or any(value.startswith(("-", "+", ".")) for value in values):
        return []
    if len(lengths) == 1 and max(lengths) > 1:
        cuts = list(range(1, max(lengths)))[-4:]
        reason = f"All values are codes of {max(lengths)} characters, which are cut from the end."
    elif min(lengths) >= 3 and any(value[0].isalpha() for value in values):
        cuts, reason = [1, min(3, max(lengths) - 1)], "The values look like codes, which begin with what is general."
    else:
        return []
    listed = join_names([str(length) for length in reversed(cuts)])
    return [
        HierarchySuggestion("prefixes", {"lengths": ",".join(map(str, cuts))}, f"The first {listed} characters", reason)
    ]


def run(params: Mapping[str, Any], context: WorkerContext) -> dict[str, Any]:
    """Return ``counts`` (None where a hierarchy would be too large) and suggestions. Takes ``file``, ``column`` and its
    ``kind``.
    """
    from shoal import data

    table = context.table(params["file"])
    counts = data.value_counts(table, params["column"])
    fits = len(counts) < MAX_NODES and sum(map(len, counts)) <= MAX_CHARACTERS
    return {
        "records": table.height,
        "distinct": len(counts),
        "counts": counts if fits else None,
        "offers": [offer.to_dict() for offer in suggest_hierarchies(counts, params["kind"])] if fits else [],
    }
