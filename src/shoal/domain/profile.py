"""Column profiles: counts, without any value of the data."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.domain.columns import Kind


@dataclass(frozen=True)
class ColumnProfile:
    """Counts of one column."""

    name: str
    kind: Kind
    type: str
    """The storage type of the column, in words."""
    is_integer: bool
    """Whether there are numbers and all of them are integers."""
    distinct: int
    """The number of distinct values without missing ones."""
    missing: int
    is_consecutive: bool
    """Whether the values are consecutive increasing integers."""
    is_sorted: bool = False
    """Whether the column is non-empty and sorted, ascending or descending."""
    pattern: str = ""
    """The pattern of its values, one of `VALUE_PATTERNS`; empty if none."""


VALUE_PATTERNS = {
    "email": "e-mail addresses",
    "url": "web addresses",
    "ip-address": "IP addresses",
    "mac-address": "MAC addresses",
    "uuid": "UUIDs",
    "iban": "IBANs",
    "credit-card": "credit card numbers",
    "phone": "phone numbers",
    "national-id": "national identification numbers",
    "address": "street addresses",
    "person-name": "names of persons",
    "long-number": "phone, card or account numbers",
    "free-text": "free text",
    "icd-10": "ICD-10 codes",
}
"""Patterns of values, with their description."""
