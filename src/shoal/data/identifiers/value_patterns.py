"""Recognize identifying patterns, such as phone numbers, in a sample of a column."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import polars as pl

from shoal.data.csv.text_values import BLANKS, FieldParser
from shoal.data.identifiers.national_ids import LETTERED_IDS, NUMERIC_IDS, iban, luhn, us_ssn
from shoal.data.identifiers.person_names import GIVEN_NAMES, INSTITUTIONS, SURNAMES
from shoal.domain.columns import Kind

MIN_NUMBER = 1e6
"""Columns with only smaller numbers have no identifying pattern."""
_STANDARD = FieldParser()

_EMAIL = r"[^\s@<>\"',;:]+@[^\s@<>\"',;:]+\.[A-Za-z]{2,}"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_SIMPLE_PATTERNS: tuple[tuple[str, str, float], ...] = (
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
"""Patterns without check digits, with the minimum proportion of matching distinct values."""
_IBAN = r"^[A-Z]{2} ?\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?$"
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
_GROUPED = r"^[4-9]\d{2}[ -]\d{3}[ -]\d{3}$"
"""A phone number, or a number with thousands separators."""
_SSN = r"^\d{3}-\d{2}-\d{4}$"
_DATE = r"^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$"
_STREETS = (
    r"(?i)\b\w*(?:stra(?:ß|ss)e|str\.|weg|allee|gasse|platz|straat|laan|plein) \d+ ?[a-z]?\b"
    r"|\b\d+[a-z]?,? (?:[\w'.]+ ){1,3}(?:street|st|avenue|ave|road|rd|lane|ln|drive|dr|blvd|boulevard|court|ct|way)\b"
    r"|\b\d+,? (?:bis |ter )?(?:rue|avenue|boulevard|chemin|impasse|allée|place|quai) "
    r"|^(?:calle|c/|avda\.?|avenida|plaza|via|viale|piazza|corso|rua|travessa|praça|ul\.|ulica|al\.) ?[^\d]+,? \d+"
)
_ICD = r"^[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z-]{1,4})?[*+!†]?$"
_PLACE_ENDINGS = ("schule", "gymnasium", "straße", "strasse", "platz", "weg", "klinik", "haus", "heim")
_NAME_LIKE = r"^[\p{L}][\p{L}.'’ ,-]*$"
_MIN_VALUES = 5
"""Minimum distinct values for a pattern of digits: fewer may match by chance."""
_NEARLY_ALL, _NEARLY_UNIQUE, _OFTEN, _SOME, _ANY = 0.95, 0.9, 0.5, 0.3, 0.05
_MIN_DIGITS, _LONG_NUMBER, _MIN_LENGTH = 7, 9, 10
_FREE_WORDS = 5


def contains_email(texts: pl.Series) -> pl.Series:
    """Return which of these texts contain an e-mail address."""
    with_at = texts.str.contains("@", literal=True).fill_null(False)
    if not with_at.any():
        return with_at
    matches = texts.filter(with_at).str.contains(_EMAIL)
    positions = np.flatnonzero(with_at.to_numpy())[matches.to_numpy()]
    mask = np.zeros(len(texts), dtype=np.bool_)
    mask[positions] = True
    return pl.Series(mask)


def detect_pattern(
    sample: pl.Series, kind: Kind, parser: FieldParser = _STANDARD, *, distinct: int, present: int
) -> str:
    """Return the pattern of a column's distinct values, judged by this sample; empty if none.

    Numeric columns must be integers. Their sample has text fields or integers.
    """
    texts = sample.drop_nulls().str.strip_chars()
    if kind is Kind.NUMERIC:
        texts = parser.to_standard(texts).str.strip_chars(BLANKS).str.replace(r"\.0*$", "")
        texts = texts.filter(~texts.is_in(list(parser.missing)))
    if not len(texts):
        return ""
    nearly_unique = distinct > _NEARLY_UNIQUE * present
    if kind is Kind.NUMERIC:
        return _digit_pattern(texts, unique=nearly_unique)
    if kind not in (Kind.NOMINAL, Kind.ORDINAL):
        return ""
    return _text_pattern(texts, mostly_distinct=distinct > present / 2, unique=nearly_unique)


def _share(texts: pl.Series, expression: str) -> float:
    return float(texts.str.contains(expression).sum()) / len(texts)


def _share_valid(texts: pl.Series, expression: str, check: Callable[[str], bool]) -> float:
    """Return the proportion of texts that match an expression and have valid check digits."""
    candidates = texts.filter(texts.str.contains(expression)).str.replace_all(r"[ ./-]", "").to_list()
    return sum(map(check, candidates)) / len(texts)


def _text_pattern(texts: pl.Series, *, mostly_distinct: bool, unique: bool) -> str:
    for name, expression, min_share in _SIMPLE_PATTERNS:
        if _share(texts, expression) >= min_share:
            return name
    upper = texts.str.to_uppercase()
    if _share_valid(upper, _IBAN, iban) >= _ANY:
        return "iban"
    if _share_valid(texts, _CARD, luhn) >= _SOME:
        return "credit-card"
    if _share_valid(texts, _SSN, us_ssn) >= _SOME:
        return "national-id"
    plain = upper.str.replace_all(r"[ ./-]", "")
    if _share_of_lettered_ids(plain) >= _OFTEN:
        return "national-id"
    is_date = texts.str.contains(_DATE)
    phones = (texts.str.contains(_PHONE) & ~is_date).sum() / len(texts)
    if phones >= _SOME or (unique and len(texts) >= _MIN_VALUES and _share(texts, _GROUPED) >= _NEARLY_ALL):
        return "phone"
    if plain.str.contains(r"^\d+$").all() and not is_date.any():
        name = _digit_pattern(plain, unique=unique)
        # shorter values with separators may be postcodes
        if name and (name != "long-number" or plain.str.len_chars().min() >= _MIN_LENGTH or plain.equals(upper)):  # type: ignore[operator]
            return name
    if _share(texts, _STREETS) >= _SOME:
        return "address"
    if _share(upper, _ICD) >= _NEARLY_ALL and len(texts) >= (3 if upper.str.contains(".", literal=True).any() else 8):
        return "icd-10"
    if _are_names(texts):
        return "person-name"
    words = texts.str.count_matches(r"\S+")
    if mostly_distinct and len(texts) >= _MIN_VALUES and float((words >= _FREE_WORDS).sum()) / len(texts) >= _OFTEN:
        return "free-text"
    return ""


def _share_of_lettered_ids(plain: pl.Series) -> float:
    matching = 0
    for text in plain.to_list():
        matching += any(form.fullmatch(text) is not None and check(text) for form, check in LETTERED_IDS)
    return matching / len(plain)


def _digit_pattern(texts: pl.Series, *, unique: bool) -> str:
    digits = texts.str.strip_prefix("+")
    longest = digits.str.len_chars().max()
    if not isinstance(longest, int) or longest < _MIN_DIGITS or len(digits) < _MIN_VALUES:
        return ""
    if not digits.str.contains(r"^\d+$").all():
        return ""
    long = digits.str.len_chars() >= 13
    if long.mean() == 1.0 and longest <= 19 and _share_valid(digits, r"^\d+$", luhn) >= _NEARLY_ALL:
        return "credit-card"
    if not unique:
        return ""
    values = digits.to_list()
    for length, check in NUMERIC_IDS:
        # columns of numbers lose leading zeros
        padded = [text.zfill(length) for text in values if length - 2 <= len(text) <= length]
        if sum(map(check, padded)) >= _NEARLY_ALL * len(values):
            return "national-id"
    if re.fullmatch(r"\d{8}", values[0]) and _share(digits, r"^(?:19|20)\d{2}(?:0[1-9]|1[0-2])[0-3]\d$") >= _NEARLY_ALL:
        return ""  # dates
    lengths = digits.str.len_chars()
    common = float(lengths.value_counts()["count"].max() or 0)  # type: ignore[arg-type]
    same = common >= _NEARLY_ALL * len(digits) and longest >= _MIN_DIGITS
    return "long-number" if same or float((lengths >= _LONG_NUMBER).mean() or 0) >= _NEARLY_ALL else ""  # type: ignore[arg-type]


def _are_names(texts: pl.Series) -> bool:
    """Return whether the texts are names of persons: most look like names, and some contain a common name."""
    name_like = texts.filter(texts.str.contains(_NAME_LIKE))
    if len(name_like) < _OFTEN * len(texts):
        return False
    with_common_name = 0
    for text in name_like.to_list():
        words = re.findall(r"[^\W\d_]+", text.casefold())
        if 1 <= len(words) <= 5 and not INSTITUTIONS.intersection(words) and not words[-1].endswith(_PLACE_ENDINGS):
            with_common_name += any(word in GIVEN_NAMES or word in SURNAMES for word in words)
    return with_common_name >= 3 and with_common_name >= _SOME * len(texts)
