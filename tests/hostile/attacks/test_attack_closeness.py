"""Attacks: skewness (a class has far more of a value than the table) and similarity (its values are close by)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from intruder import KNOWN, SECRET, persons, release, seen
from ledger import Ledger, tries

T = 0.35


def gains(anonymized, name: str) -> list[dict[object, float]]:
    """How much more of each value each class has than the table."""
    values = anonymized.table[name].to_list()
    table = {value: values.count(value) / len(values) for value in set(values)}
    return [
        {value: found[value] / found.total() - share for value, share in table.items()}
        for found in seen(anonymized.table, name)
    ]


def best_question(gain: dict[object, float]) -> float:
    """The most that the chance of "is it one of these?" changes, over all sets of values."""
    moves = list(gain.values())
    return max(abs(sum(chosen)) for size in range(len(moves) + 1) for chosen in combinations(moves, size))


def test_no_question_gains_more_than_t(ledger: Ledger) -> None:
    account = ledger.account(
        "attack",
        "skewness, against t-closeness with equal distances",
        "For every set of diagnoses, the chance that a person's is among them changes by at most t; the largest change"
        " is the t that the release told.",
    )
    skewed = 0
    for number in tries(few=2, full=30):
        with account.trial():
            anonymized = release(persons(number), 4, models={SECRET: f"t-equal({T})"})
            most = max(best_question(gain) for gain in gains(anonymized, SECRET))
            assert most == pytest.approx(anonymized.verification.models[0].reached)
            assert most <= T + 1e-9
            plain = release(persons(number), 4, l=2)
            skewed += max(sum(max(move, 0.0) for move in gain.values()) for gain in gains(plain, SECRET)) > T
            account.whole += 1
    assert skewed, "with l alone classes are skewed: the attack is worth something"


def test_what_is_expected_of_a_person_moves_at_most_t(ledger: Ledger) -> None:
    account = ledger.account(
        "attack",
        "similarity, against t-closeness with ordered values",
        "The place that the intruder expects a person's value at, among the ordered values, moves by at most t of them;"
        " on average over all thresholds so does the chance to be above one.",
    )
    for number in tries(few=3, full=40):
        with account.trial():
            table = persons(number)
            options = {"models": {"visits": "t-ordered(0.2)"}, "sensitive": "visits", "quasi_identifiers": KNOWN}
            anonymized = release(table, 4, **options)
            values = sorted(set(table["visits"].to_list()))
            worst = 0.0
            for gain in gains(anonymized, "visits"):
                moves = np.array([gain[value] for value in values])
                expected = abs((moves * np.arange(len(values))).sum()) / (len(values) - 1)
                thresholds = np.abs(np.cumsum(moves)).sum() / (len(values) - 1)
                assert expected <= thresholds + 1e-9
                worst = max(worst, thresholds)
            assert worst == pytest.approx(anonymized.verification.models[0].reached)
            assert worst <= 0.2 + 1e-9
            account.whole += 1
