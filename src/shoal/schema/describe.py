"""Propose a role for every column, each with its reason. A proposal decides nothing: the user does."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shoal.schema.columns import Column, Kind, Role, Schema
from shoal.schema.profile import ColumnProfile

_WORDS = {
    Role.IDENTIFIER: """
        id ids identifier uuid guid name names surname forename firstname lastname fullname username user login
        email mail phone telephone mobile fax address street ssn nin nhs passport iban account licence license
        plate insurance mrn patient url ip device imei signature photo
    """,
    Role.SENSITIVE: """
        diagnosis diagnoses disease illness condition icd symptom treatment therapy medication drug drugs hiv
        disability religion belief politics political party union sexual orientation conviction crime criminal
        debt addiction genetic pregnancy suicide abuse
    """,
    Role.QUASI_IDENTIFIER: """
        age sex gender birth born birthday dob year month zip zipcode postcode postal plz city town municipality
        district county region state province country nationality citizenship place residence occupation job
        profession employer industry sector marital civil education degree school race ethnicity language
        household children income salary wage earnings height weight admission discharge visit date
    """,
}
_ROLE_OF = {word: role for role, words in reversed(_WORDS.items()) for word in words.split()}
_NEARLY_UNIQUE = 0.9


def words(name: str) -> list[str]:
    """The words of a column name: ``birthDate_2`` has ``birth`` and ``date``."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [word.lower() for word in re.split(r"[^A-Za-z]+", spaced) if word]


def _named_as(name: str) -> tuple[Role, str] | None:
    """The role that a word of the name speaks for: an identifier first, then what is sensitive."""
    found = [(_ROLE_OF[word], word) for word in words(name) if word in _ROLE_OF]
    order = list(_WORDS)
    return min(found, key=lambda pair: order.index(pair[0]), default=None)


def propose(profile: ColumnProfile, n: int) -> Column:
    """The role that the values and the name of a column speak for, and why."""
    present = n - profile.missing

    def column(role: Role, reason: str) -> Column:
        return Column(profile.name, role, profile.kind, reason)

    if not present or (profile.distinct <= 1 and not profile.missing):
        return column(Role.INSENSITIVE, "one value in every record" if present else "no value in any record")
    unique = profile.distinct == present and present > 1
    named = _named_as(profile.name)
    if profile.distinct == 1 and not (named and named[0] is Role.SENSITIVE):
        return column(Role.QUASI_IDENTIFIER, f"others could know which {present:,} of {n:,} records have its one value")
    if profile.counts_up:
        return column(Role.IDENTIFIER, "counts the records up one by one")
    if named and named[0] is Role.IDENTIFIER and profile.distinct > present / 2:
        return column(Role.IDENTIFIER, f"its name says {named[1]!r}, and most values stand once")
    if profile.kind is Kind.NOMINAL and unique:
        return column(Role.IDENTIFIER, "another text in every record")
    if profile.kind is Kind.NOMINAL and profile.distinct > _NEARLY_UNIQUE * present:
        return column(Role.IDENTIFIER, f"{profile.distinct:,} different texts in {present:,} records")
    if named and named[0] is not Role.IDENTIFIER:
        return column(named[0], f"its name says {named[1]!r}")
    if profile.kind is Kind.DATE:
        return column(Role.QUASI_IDENTIFIER, "a date can be known to others")
    return column(Role.QUASI_IDENTIFIER, f"{profile.distinct:,} values that others could know; nothing says otherwise")


def describe(profiles: Sequence[ColumnProfile], n: int) -> Schema:
    """A proposed schema; what speaks neither way is proposed as a quasi-identifier, the safe side."""
    return Schema(tuple(propose(profile, n) for profile in profiles))


def overlooked(profiles: Sequence[ColumnProfile], n: int) -> list[Column]:
    """The columns that look like identifiers."""
    return [column for column in describe(profiles, n).columns if column.role is Role.IDENTIFIER]


def exposed(profiles: Sequence[ColumnProfile]) -> list[str]:
    """The columns whose very name says that an outsider could know them."""
    named = ((profile.name, _named_as(profile.name)) for profile in profiles if profile.distinct > 1)
    return [name for name, found in named if found and found[0] is Role.QUASI_IDENTIFIER]
