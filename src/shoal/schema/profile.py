"""What a look at a column tells about it, without any of its values."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.schema.columns import Kind


@dataclass(frozen=True)
class ColumnProfile:
    """Counts over one column."""

    name: str
    kind: Kind
    type: str
    """How the table stores the column, in words."""
    whole: bool
    """Whether there are numbers and all of them are whole."""
    distinct: int
    """The number of different values, missing ones not counted."""
    missing: int
    counts_up: bool
    """Whether these are whole numbers and each is one more than the one before."""
    ordered: bool = False
    """Whether each value is at least as large as the one before, or each at most; and there are some."""
    pattern: str = ""
    """The pattern that its values follow, one of `PATTERNS`; empty if none."""


PATTERNS = {
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
"""The patterns of values, with the words for them."""
