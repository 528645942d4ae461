"""Hierarchies that fit the values of a column, as the page offers them: a way to build one, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from shoal.hierarchy.intervals import number, written
from shoal.schema.columns import Kind
from shoal.words import joined

_LONGEST_CODE = 12
_LONGEST_WIDTH = 12
"""Characters."""
_FEW = 3
"""Values that need no hierarchy between them and the root."""


@dataclass(frozen=True)
class Offer:
    way: str
    options: Mapping[str, str]
    title: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def offers(counts: Mapping[str, int], kind: str) -> list[Offer]:
    """What fits, the best first."""
    if len(counts) <= _FEW:
        return []
    if kind == Kind.DATE:
        return _dates()
    if kind == Kind.NUMERIC:
        return _intervals(counts)
    reason = "Nothing has to be known about the values: the rarest are pooled first, frequent ones stay apart."
    return [*_prefixes(list(counts)), Offer("frequencies", {}, "Rare values together", reason)]


def _dates() -> list[Offer]:
    return [
        Offer("dates", {"levels": ",".join(levels)}, joined([f"{level}s" for level in levels]).capitalize(), reason)
        for levels, reason in (
            (("month", "quarter", "year"), "Days are put into months, and so on."),
            (("year", "decade"), "For dates of birth, or where a year tells enough."),
        )
    ]


def _intervals(counts: Mapping[str, int]) -> list[Offer]:
    numbers = [place for place in map(number, counts) if place is not None]
    if len(numbers) < len(counts) or not numbers:
        return []
    width = _round(max(numbers) - min(numbers))
    widths = [written(width * step) for step in (1, 2, 4)]
    equal = Offer(
        "intervals",
        {"quantiles": "8,4,2"},
        "8, 4 and 2 intervals with about as many records each",
        "For numbers of which most are small and some are very large.",
    )
    if max(map(len, widths)) > _LONGEST_WIDTH:
        return [equal]
    title = f"Intervals of width {joined(widths)}"
    return [Offer("intervals", {"width": ",".join(widths)}, title, "All intervals of a level are equally wide."), equal]


def _round(span: Fraction) -> Fraction:
    """About a twentieth of a range, as 1, 2 or 5 times a power of ten."""
    wide, power = span / 20, Fraction(1)
    while 0 < wide < power:
        power /= 10
    while power * 10 <= wide:
        power *= 10
    return next(power * step for step in (1, 2, 5, 10) if power * step >= wide)


def _prefixes(values: list[str]) -> list[Offer]:
    lengths = {len(value) for value in values}
    codes = all(value.isascii() and " " not in value and len(value) <= _LONGEST_CODE for value in values)
    digits = sum(any(sign.isdigit() for sign in value) for value in values)
    if not codes or digits < len(values) or any(value.startswith(("-", "+", ".")) for value in values):
        return []
    if len(lengths) == 1 and max(lengths) > 1:
        kept = list(range(1, max(lengths)))[-4:]
        reason = f"All values are codes of {max(lengths)} characters, which are cut from the end."
    elif min(lengths) >= 3 and any(value[0].isalpha() for value in values):
        kept, reason = [1, min(3, max(lengths) - 1)], "The values look like codes, which begin with what is general."
    else:
        return []
    shown = joined([str(length) for length in reversed(kept)])
    return [Offer("prefixes", {"lengths": ",".join(map(str, kept))}, f"The first {shown} characters", reason)]
