"""Attacks that measures carry out too, by hand: the nearest record, near numbers, rare combinations."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from intruder import KNOWN, persons, release
from ledger import Ledger, tries

NUMBERS = ["age", "income", "systolic_bp", "treatment_cost"]


def test_the_nearest_record_is_right_at_most_one_time_in_k(ledger: Ledger) -> None:
    account = ledger.account(
        "attack",
        "record linkage by distance",
        "Who knows all quasi-identifiers exactly and takes the nearest released record is right for at most 1 in k"
        " persons, and for as many as the figure record_linkage says.",
    )
    for number in tries(few=3, full=40):
        with account.trial():
            table, k = persons(number).drop_nulls(), 3 + number % 3
            anonymized = release(table, k, quasi_identifiers=NUMBERS)
            was, now = (frame.select(NUMBERS).to_numpy().astype(float) for frame in (table, anonymized.table))
            spread = was.std(axis=0, ddof=1)
            apart = (((was[:, None] - now[None]) / spread) ** 2).sum(axis=2)
            least = apart <= apart.min(axis=1, keepdims=True) * (1 + 1e-9)
            right = (least[np.arange(len(was)), np.arange(len(was))] / least.sum(axis=1)).mean() * 100
            assert right <= 100 / k + 1e-9
            assert right == pytest.approx(anonymized.evaluate(["record_linkage"]).attacks["record_linkage"])
            account.whole += 1


def test_near_numbers_are_as_many_as_was_told(ledger: Ledger) -> None:
    account = ledger.account(
        "attack",
        "interval disclosure",
        "k does not protect: who takes the released number for the person's own is right, to a twentieth of a standard"
        " deviation, exactly as often as the release told beforehand (interval_disclosure, d_risk).",
    )
    right = 0
    for number in tries(few=3, full=40):
        with account.trial():
            table = persons(number).drop_nulls()
            anonymized = release(table, 3, quasi_identifiers=NUMBERS)
            for name in NUMBERS:
                was, now = (frame[name].to_numpy().astype(float) for frame in (table, anonymized.table))
                near = np.abs(was - now) <= 0.05 * now.std(ddof=1)
                assert near.mean() * 100 == pytest.approx(anonymized.evaluation.changes[name]["interval_disclosure"])
                right += int(near.sum())
            account.whole += 1
    assert right > 0


def test_no_few_quasi_identifiers_make_a_released_record_unique(ledger: Ledger) -> None:
    account = ledger.account(
        "attack",
        "rare combinations of few quasi-identifiers",
        "Persons whom one to three quasi-identifiers made unique are as many as was told before; in the release each"
        " combination fits at least k records.",
    )
    for number in tries(few=3, full=40):
        with account.trial():
            table = persons(number)
            anonymized = release(table, 3)
            alone = set()
            for size in (1, 2, 3):
                for names in combinations(KNOWN, size):
                    rows = table.select(names).rows()
                    times = Counter(rows)
                    alone |= {row for row, own in enumerate(rows) if times[own] == 1}
                    assert min(Counter(anonymized.table.select(names).rows()).values()) >= 3
            figures = anonymized.evaluate(["minimal_uniques", "minimal_uniques_before"]).attacks
            assert figures["minimal_uniques"] == 0
            assert figures["minimal_uniques_before"] == len(alone) > 0
            account.whole += 1
