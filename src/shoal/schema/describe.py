"""Propose a role for every column, each with its reason. A proposal decides nothing: the user does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shoal.schema.column_words import Meaning, fallback, is_height, meaning, plain_words
from shoal.schema.columns import Column, Kind, Role, Schema
from shoal.schema.profile import PATTERNS, ColumnProfile
from shoal.words import shown

_NEARLY_UNIQUE = 0.9
_REPEATED, _FEW = 50, 20
"""Identifiers of persons with more records than this on average, or with no more values, are not recognized by a name
that only suggests one."""
_NAMED = "Suggested by the column name"
_BY_NAME = {
    Meaning.QUASI_IDENTIFIER: (Role.QUASI_IDENTIFIER, _NAMED),
    Meaning.SENSITIVE: (Role.SENSITIVE, _NAMED),
    Meaning.AMOUNT: (Role.SENSITIVE, f"{_NAMED}; an amount or measurement that others rarely know"),
    Meaning.USAGE: (Role.INSENSITIVE, f"{_NAMED}; a measurement that others rarely know"),
    Meaning.SAMPLING_WEIGHT: (Role.INSENSITIVE, f"{_NAMED}; a sampling weight (option: sampling weights)"),
}
_UNSURE = frozenset({"free-text", "long-number"})
"""Patterns that count for less than a name that says what the column is."""


def propose(profile: ColumnProfile, n: int) -> Column:
    """The role that the values and the name of a column speak for, and why."""
    present = n - profile.missing

    def column(role: Role, reason: str) -> Column:
        return Column(profile.name, role, profile.kind, reason)

    if not present:
        return column(Role.INSENSITIVE, "No value in any record")
    identifies = _identifies(profile, present)
    if identifies:
        return column(Role.IDENTIFIER, identifies)
    if profile.distinct <= 1 and not profile.missing:
        return column(Role.INSENSITIVE, "The same value in every record")
    said = _said(profile)
    if profile.distinct == 1 and said not in (Meaning.SENSITIVE, Meaning.AMOUNT):
        return column(Role.QUASI_IDENTIFIER, f"Others could know which {present:,} of {n:,} records have a value")
    if said in _BY_NAME:
        return column(*_BY_NAME[said])
    if profile.pattern == "icd-10":
        return column(Role.SENSITIVE, f"Contains {PATTERNS['icd-10']}")
    if profile.kind is Kind.DATE:
        return column(Role.QUASI_IDENTIFIER, "Dates can be known to others")
    return column(Role.QUASI_IDENTIFIER, "No clear signal; treated as known to others, to be safe")


def _said(profile: ColumnProfile) -> Meaning | None:
    """What the name says of a column that is no identifier."""
    said = fallback(profile.name) if _may_identify(said := meaning(profile.name)) else said
    return Meaning.SAMPLING_WEIGHT if said is Meaning.WEIGHT else said


def _may_identify(said: Meaning | None) -> bool:
    return said in (Meaning.IDENTIFIER, Meaning.LIKELY_IDENTIFIER, Meaning.POSSIBLE_IDENTIFIER)


def _identifies(profile: ColumnProfile, present: int) -> str:
    """Why a column looks like an identifier; empty if it does not."""
    if profile.counts_up:
        return "Numbers the records one by one"
    said, distinct = meaning(profile.name), profile.distinct
    often = distinct > present / 2
    likely = often or (distinct > _FEW and distinct > present / _REPEATED)
    if (
        said is Meaning.IDENTIFIER
        or (said is Meaning.LIKELY_IDENTIFIER and likely)
        or (said is Meaning.POSSIBLE_IDENTIFIER and often)
    ):
        return _NAMED + _how_unique(distinct, present)
    unsure = profile.pattern in _UNSURE and said is not None and not _may_identify(said)
    if profile.pattern in PATTERNS and profile.pattern != "icd-10" and not unsure:
        return f"Contains {PATTERNS[profile.pattern]}"
    if profile.kind is Kind.NOMINAL and present > 1 and distinct > _NEARLY_UNIQUE * present:
        return "Every value is unique" if distinct == present else "Almost every value is unique"
    return ""


def _how_unique(distinct: int, present: int) -> str:
    if distinct == present > 1:
        return "; every value is unique"
    return "; almost every value is unique" if 1 < distinct > _NEARLY_UNIQUE * present else ""


def describe(profiles: Sequence[ColumnProfile], n: int, *, pairs: Iterable[tuple[str, str]] = ()) -> Schema:
    """A proposed schema; what speaks neither way is proposed as a quasi-identifier, the safe side.

    ``pairs`` are columns that say the same about every record: of two quasi-identifiers one is then proposed to be
    dropped.
    """
    found = {profile.name: propose(profile, n) for profile in profiles}
    bodies = any(is_height(profile.name) for profile in profiles)
    for profile in profiles:
        if bodies and meaning(profile.name) is Meaning.WEIGHT and found[profile.name].role is Role.INSENSITIVE:
            found[profile.name] = Column(
                profile.name, *_BY_NAME[Meaning.AMOUNT][:1], profile.kind, _BY_NAME[Meaning.AMOUNT][1]
            )
    for pair in pairs:
        if all(found[name].role is Role.QUASI_IDENTIFIER for name in pair):
            kept, dropped = sorted((found[name] for name in pair), key=_usefulness, reverse=True)
            reason = f"Same information as {shown(kept.name)}; drop one of them"
            found[dropped.name] = Column(dropped.name, Role.IDENTIFIER, dropped.kind, reason)
    return Schema(tuple(found[profile.name] for profile in profiles))


def _usefulness(column: Column) -> tuple[bool, bool, int]:
    """What one would rather keep of two columns: rather a number, such as an age, than a date."""
    clear = meaning(column.name) is Meaning.QUASI_IDENTIFIER
    return column.kind is not Kind.DATE, clear, -len(plain_words(column.name))


def overlooked(profiles: Sequence[ColumnProfile], n: int) -> list[Column]:
    """The columns that look like identifiers."""
    return [column for profile in profiles if (column := propose(profile, n)).role is Role.IDENTIFIER]


def exposed(profiles: Sequence[ColumnProfile]) -> list[str]:
    """The columns whose very name says that an outsider could know them."""
    several = [profile for profile in profiles if profile.distinct > 1]
    return [profile.name for profile in several if _said(profile) is Meaning.QUASI_IDENTIFIER]
