"""What a column of text fields means, field by field with Python's own words."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

NUMBER = r"[+-]?(?:(?:[0-9]+(?:{0}[0-9]*)?|{0}[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf(?:inity)?))"
DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?")

Meaning = tuple[str, str, list[object], list[float | None] | None, list[bool] | None]
"""The kind, the type, the values, the numbers, and which fields are something else among numbers."""


def understood(texts: Sequence[str], *, decimal: str, missing: Sequence[str]) -> Meaning:
    """By the rules: numbers if all are or mean missing, codes with leading zeros are text, dates stay text."""
    plain = [text.strip(" \t") for text in texts]
    absent = [text in missing for text in plain]
    number = re.compile(NUMBER.format(re.escape(decimal)))
    is_number = [not gone and number.fullmatch(text) is not None for text, gone in zip(plain, absent, strict=True)]
    values: list[object] = [text or None for text in texts]
    if not any(is_number):
        given = [text for text, gone in zip(texts, absent, strict=True) if not gone]
        if given and all(map(_is_date, given)):
            shown: list[object] = [None if gone else text for text, gone in zip(texts, absent, strict=True)]
            return "date", "date", shown, None, None
        return "nominal", "text", values, None, None
    numbers = [
        float(text.replace(decimal, ".")) if there else None for text, there in zip(plain, is_number, strict=True)
    ]
    other = [not there and not gone for there, gone in zip(is_number, absent, strict=True)]
    if any(other):
        return "nominal", "text", values, numbers, other
    told = [text for text, there in zip(plain, is_number, strict=True) if there]
    if any(re.fullmatch("[+-]?0[0-9]+", text) for text in told):
        return "nominal", "text", values, None, None
    if not all(re.fullmatch("[+-]?[0-9]+", text) for text in told):
        return "numeric", "number", list(numbers), numbers, None
    fits = all(-(2**63) <= int(text) < 2**63 for text in told)
    whole = [(int(text) if fits else text) if there else None for text, there in zip(plain, is_number, strict=True)]
    return "numeric", "integer", list(whole), numbers, None


def _is_date(text: str) -> bool:
    try:
        return DATE.fullmatch(text) is not None and bool(dt.date.fromisoformat(text[:10]))
    except ValueError:
        return False
