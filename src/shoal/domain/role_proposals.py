"""Propose a role for every column, with the reason. The user decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shoal.domain.column_names import NameMeaning, fallback, is_height, name_meaning, normalized_words
from shoal.domain.columns import Column, Kind, Role, Schema
from shoal.domain.profile import VALUE_PATTERNS, ColumnProfile
from shoal.errors.messages import quote_name

_NEARLY_UNIQUE = 0.9
_MAX_REPEATS, _MIN_DISTINCT = 50, 20
"""A name that merely suggests an identifier needs more distinct values than this, and fewer records per value."""
_FROM_NAME = "Suggested by the column name"
_BY_NAME = {
    NameMeaning.QUASI_IDENTIFIER: (Role.QUASI_IDENTIFIER, _FROM_NAME),
    NameMeaning.SENSITIVE: (Role.SENSITIVE, _FROM_NAME),
    NameMeaning.AMOUNT: (Role.SENSITIVE, f"{_FROM_NAME}; an amount or measurement that others rarely know"),
    NameMeaning.USAGE: (Role.INSENSITIVE, f"{_FROM_NAME}; a measurement that others rarely know"),
    NameMeaning.SAMPLING_WEIGHT: (Role.INSENSITIVE, f"{_FROM_NAME}; a sampling weight (option: sampling weights)"),
}
_MAY_IDENTIFY = frozenset(
    {NameMeaning.IDENTIFIER, NameMeaning.LIKELY_IDENTIFIER, NameMeaning.POSSIBLE_IDENTIFIER, NameMeaning.FREE_TEXT}
)
_WEAK_PATTERNS = frozenset({"free-text", "long-number"})
"""Patterns that yield to a name that indicates another role."""


def propose_role(profile: ColumnProfile, n: int) -> Column:
    """Propose the role that the values and the name of a column suggest, with the reason."""
    present = n - profile.missing

    def column(role: Role, reason: str) -> Column:
        return Column(profile.name, role, profile.kind, reason)

    if not present:
        return column(Role.INSENSITIVE, "No value in any record")
    identifier_reason = _identifier_reason(profile, present)
    if identifier_reason:
        return column(Role.IDENTIFIER, identifier_reason)
    if profile.distinct <= 1 and not profile.missing:
        return column(Role.INSENSITIVE, "The same value in every record")
    meant = _indicated(profile)
    if profile.distinct == 1 and meant not in (NameMeaning.SENSITIVE, NameMeaning.AMOUNT):
        return column(Role.QUASI_IDENTIFIER, f"Others could know which {present:,} of {n:,} records have a value")
    if meant in _BY_NAME:
        return column(*_BY_NAME[meant])
    if profile.pattern == "icd-10":
        return column(Role.SENSITIVE, f"Contains {VALUE_PATTERNS['icd-10']}")
    if profile.kind is Kind.DATE:
        return column(Role.QUASI_IDENTIFIER, "Dates can be known to others")
    return column(Role.QUASI_IDENTIFIER, "No clear signal; treated as known to others, to be safe")


def _indicated(profile: ColumnProfile) -> NameMeaning | None:
    """What the name of a column indicates if it is not an identifier."""
    meant = name_meaning(profile.name)
    if meant in _MAY_IDENTIFY:
        meant = fallback(profile.name)
    return NameMeaning.SAMPLING_WEIGHT if meant is NameMeaning.WEIGHT else meant


def _identifier_reason(profile: ColumnProfile, present: int) -> str:
    """Why a column looks like an identifier; empty if it does not."""
    if profile.is_consecutive:
        return "Numbers the records one by one"
    meant, distinct = name_meaning(profile.name), profile.distinct
    mostly_unique = distinct > present / 2
    likely = mostly_unique or (distinct > _MIN_DISTINCT and distinct > present / _MAX_REPEATS)
    if meant is NameMeaning.IDENTIFIER:
        return _FROM_NAME + _uniqueness_note(distinct, present)
    overruled = profile.pattern in _WEAK_PATTERNS and meant is not None and meant not in _MAY_IDENTIFY
    if profile.pattern in VALUE_PATTERNS and profile.pattern != "icd-10" and not overruled:
        return f"Contains {VALUE_PATTERNS[profile.pattern]}"
    if (
        (meant is NameMeaning.LIKELY_IDENTIFIER and likely)
        or (meant is NameMeaning.POSSIBLE_IDENTIFIER and mostly_unique)
        or (meant is NameMeaning.FREE_TEXT and mostly_unique and distinct > _MIN_DISTINCT)
    ):
        return _FROM_NAME + _uniqueness_note(distinct, present)
    if profile.kind is Kind.NOMINAL and present > 1 and distinct > _NEARLY_UNIQUE * present:
        return "Every value is unique" if distinct == present else "Almost every value is unique"
    return ""


def _uniqueness_note(distinct: int, present: int) -> str:
    if distinct == present > 1:
        return "; every value is unique"
    return "; almost every value is unique" if 1 < distinct > _NEARLY_UNIQUE * present else ""


def propose_schema(profiles: Sequence[ColumnProfile], n: int, *, pairs: Iterable[tuple[str, str]] = ()) -> Schema:
    """Propose a schema; columns without a clear signal become quasi-identifiers, to be safe.

    ``pairs`` are columns with the same information: of two quasi-identifiers, one is proposed to be dropped.
    """
    proposals = {profile.name: propose_role(profile, n) for profile in profiles}
    has_height = any(is_height(profile.name) for profile in profiles)
    for name, column in proposals.items():
        if has_height and name_meaning(name) is NameMeaning.WEIGHT and column.role is Role.INSENSITIVE:
            role, reason = _BY_NAME[NameMeaning.AMOUNT]
            proposals[name] = Column(name, role, column.kind, reason)
    for pair in pairs:
        if all(proposals[name].role is Role.QUASI_IDENTIFIER for name in pair):
            preferred, dropped = sorted((proposals[name] for name in pair), key=_preference, reverse=True)
            reason = f"Same information as {quote_name(preferred.name)}; drop one of them"
            proposals[dropped.name] = Column(dropped.name, Role.IDENTIFIER, dropped.kind, reason)
    return Schema(tuple(proposals[profile.name] for profile in profiles))


def _preference(column: Column) -> tuple[bool, bool, int]:
    """Sort key of two redundant columns: numbers, such as an age, are preferred to dates."""
    clear = name_meaning(column.name) is NameMeaning.QUASI_IDENTIFIER
    return column.kind is not Kind.DATE, clear, -len(normalized_words(column.name))


def likely_identifiers(profiles: Sequence[ColumnProfile], n: int) -> list[Column]:
    """Return the columns that look like identifiers."""
    return [column for profile in profiles if (column := propose_role(profile, n)).role is Role.IDENTIFIER]


def likely_quasi_identifiers(profiles: Sequence[ColumnProfile]) -> list[str]:
    """Return the columns whose name suggests that an intruder may know them."""
    several = [profile for profile in profiles if profile.distinct > 1]
    return [profile.name for profile in several if _indicated(profile) is NameMeaning.QUASI_IDENTIFIER]
