"""Validate check digits of national identification numbers, bank accounts and cards."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_CF_ODD = dict(
    enumerate((1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23))
)
"""Values of letters and digits at odd positions of an Italian tax code."""


def _weighted_sum(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def luhn(digits: str) -> bool:
    """Return whether a card number has a valid check digit."""
    doubled = [2 * int(digit) for digit in digits[-2::-2]]
    return (sum(map(int, digits[-1::-2])) + sum(two - 9 if two > 9 else two for two in doubled)) % 10 == 0


def iban(text: str) -> bool:
    """Return whether an IBAN without blanks has valid check digits."""
    rotated = text[4:] + text[:4]
    return int("".join(str(int(letter, 36)) for letter in rotated)) % 97 == 1


def us_ssn(digits: str) -> bool:
    """Validate a US Social Security number, which has no check digit."""
    return digits[:3] not in ("000", "666") and digits[0] != "9" and digits[3:5] != "00" and digits[5:] != "0000"


def nhs_number(digits: str) -> bool:
    """Validate a British NHS number."""
    check = 11 - _weighted_sum(digits, range(10, 1, -1)) % 11
    return check != 10 and check % 11 == int(digits[9])


def german_tax_id(digits: str) -> bool:
    """Validate a German Steuer-ID: one of the first ten digits occurs two or three times; one check digit."""
    first = [digits[:10].count(digit) for digit in "0123456789"]
    if digits[0] == "0" or max(first) not in (2, 3) or sum(count > 1 for count in first) != 1:
        return False
    product = 10
    for digit in digits[:10]:
        total = (int(digit) + product) % 10 or 10
        product = 2 * total % 11
    return (11 - product) % 10 == int(digits[10])


def german_pension_number(text: str) -> bool:
    """Validate a German Sozialversicherungsnummer: 8 digits, a letter, 3 digits."""
    digits = text[:8] + f"{ord(text[8]) - ord('A') + 1:02}" + text[9:11]
    products = [int(digit) * weight for digit, weight in zip(digits, (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1), strict=True)]
    return sum(product // 10 + product % 10 for product in products) % 10 == int(text[11])


def german_health_number(text: str) -> bool:
    """Validate a German Krankenversichertennummer: a letter and 9 digits."""
    digits = f"{ord(text[0]) - ord('A') + 1:02}" + text[1:9]
    products = [int(digit) * (1 + at % 2) for at, digit in enumerate(digits)]
    return sum(product // 10 + product % 10 for product in products) % 10 == int(text[9])


def french_nir(text: str) -> bool:
    """Validate a French numéro de sécurité sociale with its key."""
    number = text[:13].replace("2A", "19").replace("2B", "18")
    return number.isdigit() and 97 - int(number) % 97 == int(text[13:])


def spanish_dni(text: str) -> bool:
    """Validate a Spanish DNI or NIE."""
    number = text[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == text[-1]


def italian_tax_code(text: str) -> bool:
    """Validate an Italian codice fiscale."""
    odd = sum(_CF_ODD[int(sign) if sign.isdigit() else ord(sign) - ord("A")] for sign in text[0:15:2])
    even = sum(int(letter) if letter.isdigit() else ord(letter) - ord("A") for letter in text[1:15:2])
    return chr(ord("A") + (odd + even) % 26) == text[15]


def dutch_bsn(digits: str) -> bool:
    """Validate a Dutch burgerservicenummer."""
    return int(digits) > 0 and (_weighted_sum(digits, range(9, 1, -1)) - int(digits[8])) % 11 == 0


def portuguese_nif(digits: str) -> bool:
    """Validate a Portuguese tax number."""
    check = 11 - _weighted_sum(digits, range(9, 1, -1)) % 11
    return digits[0] in "1235689" and (0 if check > 9 else check) == int(digits[8])


def polish_pesel(digits: str) -> bool:
    """Validate a Polish PESEL: a date of birth, a number and a check digit."""
    month, day = int(digits[2:4]) % 20, int(digits[4:6])
    check = (10 - _weighted_sum(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10) % 10
    return 1 <= month <= 12 and 1 <= day <= 31 and check == int(digits[10])


LETTERED_IDS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = tuple(
    (re.compile(pattern), check)
    for pattern, check in (
        (r"\d{8}[A-Z]\d{3}", german_pension_number),
        (r"[A-Z]\d{9}", german_health_number),
        (r"[XYZ]?\d{7,8}[A-Z]", spanish_dni),
        (r"[A-Z]{6}[0-9LMNPQRSTUV]{2}[A-EHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]", italian_tax_code),
        (r"[12]\d{4}(?:\d{2}|2[AB])\d{8}", french_nir),
        (r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]", bool),
    )
)
"""National numbers with letters, or too long to match by chance; the last is British and has no check digit."""
NUMERIC_IDS: tuple[tuple[int, Callable[[str], bool]], ...] = (
    (10, nhs_number),
    (11, german_tax_id),
    (9, dutch_bsn),
    (9, portuguese_nif),
    (11, polish_pesel),
)
"""National numbers of digits only, with their length."""
