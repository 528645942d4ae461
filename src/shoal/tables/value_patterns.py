"""Patterns of values that identify persons, such as phone numbers, recognized in a sample of a column."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import polars as pl

from shoal.schema.columns import Kind
from shoal.tables.given_names import GIVEN_NAMES, INSTITUTIONS
from shoal.tables.national_ids import LETTERED, NUMERIC, iban, luhn, us_ssn
from shoal.tables.surnames import SURNAMES
from shoal.tables.text import BLANKS, Reading

LEAST_NUMBER = 1e6
"""Columns whose numbers are all below hold no phone numbers."""
_STANDARD = Reading()

_EMAIL = r"[^\s@<>\"',;:]+@[^\s@<>\"',;:]+\.[A-Za-z]{2,}"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_WRITTEN: tuple[tuple[str, str, float], ...] = (
    ("url", r"^(?i)(?:https?://\S+|www\.[^\s.]+\.\S+)$", 0.1),
    ("ip-address", rf"^{_OCTET}(?:\.{_OCTET}){{3}}$", 0.5),
    (
        "ip-address",
        r"^(?i)(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$|^(?i)(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6}$",
        0.5,
    ),
    ("mac-address", r"^(?i)(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$", 0.1),
    ("uuid", r"^(?i)\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$", 0.1),
)
"""Patterns without check digits, and the share of the different values from which on they count."""
_NUMBERED = r"^[A-Z]{2} ?\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?$"
_CARD = r"^(?:\d{4}[ -]?){3}\d{1,7}$|^3\d{3}[ -]?\d{6}[ -]?\d{5}$"
_PHONES = "|".join(
    (
        r"(?:\+|00)[1-9][\d ./()-]{6,20}",  # international
        r"\(0?\d{1,5}\)[ .-]?\d[\d ./-]{3,14}",  # (030) 123456
        r"0\d{1,5}[ ]?[/-][ ]?\d[\d ./-]{3,14}",  # 030/123456, 0171-1234567
        r"0\d{2,5} \d[\d ]{3,14}",  # 089 123456
        r"0\d(?:[ .]\d{2}){4}",  # 06 12 34 56 78
        r"\(?[2-9]\d{2}\)?[ .-]\d{3}[ .-]\d{4}|[2-9]\d{2}-\d{4}",  # 555-123-4567
        r"[6-9]\d{2}(?: \d{2}){3}|[6-9]\d (?:\d{3} \d{2} \d{2}|\d{2} \d{2} \d{3})|2\d \d{3} \d{2} \d{2}",
        r"0[1-9]\d{8,10}",
        r"[+]?1?[ .-]?\(?[2-9]\d{2}\)?[ .-]\d{3}[ .-]\d{4}(?: ?(?:x|ext\.?) ?\d+)?",
    )
)
_PHONE = rf"^(?:{_PHONES})$"
_THREES = r"^[4-9]\d{2}[ -]\d{3}[ -]\d{3}$"
"""A phone number, or a number with marks between thousands."""
_SSN = r"^\d{3}-\d{2}-\d{4}$"
_DATE = r"^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$"
_STREETS = (
    r"(?i)\b\w*(?:stra(?:ß|ss)e|str\.|weg|allee|gasse|platz|straat|laan|plein) \d+ ?[a-z]?\b"
    r"|\b\d+[a-z]?,? (?:[\w'.]+ ){1,3}(?:street|st|avenue|ave|road|rd|lane|ln|drive|dr|blvd|boulevard|court|ct|way)\b"
    r"|\b\d+,? (?:bis |ter )?(?:rue|avenue|boulevard|chemin|impasse|allée|place|quai) "
    r"|^(?:calle|c/|avda\.?|avenida|plaza|via|viale|piazza|corso|rua|travessa|praça|ul\.|ulica|al\.) ?[^\d]+,? \d+"
)
_ICD = r"^[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z-]{1,4})?[*+!†]?$"
_PLACES = ("schule", "gymnasium", "straße", "strasse", "platz", "weg", "klinik", "haus", "heim")
_NAMED = r"^[\p{L}][\p{L}.'’ ,-]*$"
_FEWEST = 5
"""Different values that a pattern of digits needs: fewer may follow it by chance."""
_NEARLY_ALL, _NEARLY_UNIQUE, _OFTEN, _SOME, _ANY = 0.95, 0.9, 0.5, 0.3, 0.05
_SHORTEST_NUMBER, _LONG_NUMBER, _MARKED = 7, 9, 10
_FREE_WORDS = 5


def emails(texts: pl.Series) -> pl.Series:
    """Which of these texts contain an e-mail address."""
    some = texts.str.contains("@", literal=True).fill_null(False)
    if not some.any():
        return some
    found = texts.filter(some).str.contains(_EMAIL)
    places = np.flatnonzero(some.to_numpy())[found.to_numpy()]
    which = np.zeros(len(texts), dtype=np.bool_)
    which[places] = True
    return pl.Series(which)


def pattern(sample: pl.Series, kind: Kind, reading: Reading = _STANDARD, *, distinct: int, present: int) -> str:
    """The pattern that the different values of a column follow, judged by these of them; empty if none.

    Columns of numbers must be whole. Theirs are fields of text, or whole numbers.
    """
    texts = sample.drop_nulls().str.strip_chars()
    if kind is Kind.NUMERIC:
        texts = reading.standard(texts).str.strip_chars(BLANKS).str.replace(r"\.0*$", "")
        texts = texts.filter(~texts.is_in(list(reading.missing)))
    if not len(texts):
        return ""
    unique = distinct > _NEARLY_UNIQUE * present
    if kind is Kind.NUMERIC:
        return _of_digits(texts, unique=unique)
    if kind not in (Kind.NOMINAL, Kind.ORDINAL):
        return ""
    return _of_text(texts, often=distinct > present / 2, unique=unique)


def _share(texts: pl.Series, expression: str) -> float:
    return float(texts.str.contains(expression).sum()) / len(texts)


def _checked(texts: pl.Series, expression: str, check: Callable[[str], bool]) -> float:
    """The share of the texts that follow an expression and have the right check digits."""
    found = texts.filter(texts.str.contains(expression)).str.replace_all(r"[ ./-]", "").to_list()
    return sum(map(check, found)) / len(texts)


def _of_text(texts: pl.Series, *, often: bool, unique: bool) -> str:
    for name, expression, least in _WRITTEN:
        if _share(texts, expression) >= least:
            return name
    upper = texts.str.to_uppercase()
    if _checked(upper, _NUMBERED, iban) >= _ANY:
        return "iban"
    if _checked(texts, _CARD, luhn) >= _SOME:
        return "credit-card"
    if _checked(texts, _SSN, us_ssn) >= _SOME:
        return "national-id"
    plain = upper.str.replace_all(r"[ ./-]", "")
    if _lettered(plain) >= _OFTEN:
        return "national-id"
    dated = texts.str.contains(_DATE)
    calls = (texts.str.contains(_PHONE) & ~dated).sum() / len(texts)
    if calls >= _SOME or (unique and len(texts) >= _FEWEST and _share(texts, _THREES) >= _NEARLY_ALL):
        return "phone"
    if plain.str.contains(r"^\d+$").all() and not dated.any():
        found = _of_digits(plain, unique=unique)
        # what has marks and fewer digits may be a postcode
        if found and (found != "long-number" or plain.str.len_chars().min() >= _MARKED or plain.equals(upper)):  # type: ignore[operator]
            return found
    if _share(texts, _STREETS) >= _SOME:
        return "address"
    if _share(upper, _ICD) >= _NEARLY_ALL and len(texts) >= (3 if upper.str.contains(".", literal=True).any() else 8):
        return "icd-10"
    if _named(texts):
        return "person-name"
    words = texts.str.count_matches(r"\S+")
    if often and len(texts) >= _FEWEST and float((words >= _FREE_WORDS).sum()) / len(texts) >= _OFTEN:
        return "free-text"
    return ""


def _lettered(plain: pl.Series) -> float:
    """The share of the texts that are national numbers with letters."""
    found = 0
    for text in plain.to_list():
        found += any(form.fullmatch(text) is not None and check(text) for form, check in LETTERED)
    return found / len(plain)


def _of_digits(texts: pl.Series, *, unique: bool) -> str:
    """The pattern of whole numbers."""
    digits = texts.str.strip_prefix("+")
    longest = digits.str.len_chars().max()
    if not isinstance(longest, int) or longest < _SHORTEST_NUMBER or len(digits) < _FEWEST:
        return ""
    if not digits.str.contains(r"^\d+$").all():
        return ""
    long = digits.str.len_chars() >= 13
    if long.mean() == 1.0 and longest <= 19 and _checked(digits, r"^\d+$", luhn) >= _NEARLY_ALL:
        return "credit-card"
    if not unique:
        return ""
    listed = digits.to_list()
    for length, check in NUMERIC:
        # leading zeros are lost where numbers were stored as such
        padded = [text.zfill(length) for text in listed if length - 2 <= len(text) <= length]
        if sum(map(check, padded)) >= _NEARLY_ALL * len(listed):
            return "national-id"
    if re.fullmatch(r"\d{8}", listed[0]) and _share(digits, r"^(?:19|20)\d{2}(?:0[1-9]|1[0-2])[0-3]\d$") >= _NEARLY_ALL:
        return ""  # dates
    lengths = digits.str.len_chars()
    common = float(lengths.value_counts()["count"].max() or 0)  # type: ignore[arg-type]
    same = common >= _NEARLY_ALL * len(digits) and longest >= _SHORTEST_NUMBER
    return "long-number" if same or float((lengths >= _LONG_NUMBER).mean() or 0) >= _NEARLY_ALL else ""  # type: ignore[arg-type]


def _named(texts: pl.Series) -> bool:
    """Whether the texts are names of persons: some of them hold a common name, and most look like names."""
    shaped = texts.filter(texts.str.contains(_NAMED))
    if len(shaped) < _OFTEN * len(texts):
        return False
    found = 0
    for text in shaped.to_list():
        words = re.findall(r"[^\W\d_]+", text.casefold())
        if 1 <= len(words) <= 5 and not INSTITUTIONS.intersection(words) and not words[-1].endswith(_PLACES):
            found += any(word in GIVEN_NAMES or word in SURNAMES for word in words)
    return found >= 3 and found >= _SOME * len(texts)
