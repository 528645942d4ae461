"""Attack: complementary release. Somebody has two releases of the same persons and puts them side by side."""

from __future__ import annotations

import numpy as np
import polars as pl
from intruder import KNOWN, SECRET, classes, persons, release
from ledger import Ledger, tries

import shoal

K = 4
LINKS = ([SECRET, "visits", "treatment_cost"], [SECRET, "visits"], [SECRET], ["visits"], [])


def crowd(one: pl.DataFrame, other: pl.DataFrame, mine: tuple, theirs: tuple, shared: list[str]) -> tuple[int, int]:
    """The rows of both releases that a person of these two classes can be: those that agree with one of the other's."""
    here, there = (
        [
            tuple(row[name] for name in shared)
            for row, its in zip(table.rows(named=True), classes(table), strict=True)
            if its == own
        ]
        for table, own in ((one, mine), (other, theirs))
    )
    return sum(row in there for row in here), sum(row in here for row in there)


def test_whoever_is_found_by_two_releases_was_announced(ledger: Ledger) -> None:
    account = ledger.account(
        "attack",
        "complementary release",
        "Whenever one who has both releases finds a person among fewer than k rows, `verify --against` had refused the"
        " two; where it passes them, nobody is found.",
    )
    succeeded = passed = 0
    for number in tries(few=10, full=200):
        with account.trial():
            chance, shared = np.random.default_rng(number), LINKS[number % len(LINKS)]
            table = persons(number, rows=60).with_row_index("person")
            part = table[chance.permutation(60)[: int(chance.integers(45, 61))]]
            same = number % 3 == 0
            one = release(table.drop("person"), K).table.select(*KNOWN, *shared)
            method = "mdav" if same else "mondrian"
            other = release((table if same else part).drop("person"), K, method=method).table.select(*KNOWN, *shared)
            whose = (table if same else part)["person"].to_list()
            order = chance.permutation(other.height) if number % 2 else np.arange(other.height)
            mixed = other[order]
            said = shoal.verify(one, k=K, quasi_identifiers=KNOWN, against=mixed, order="unknown")
            assert said.violations == 0, "each by itself keeps its promise"
            mine, theirs = classes(one), dict(zip(whose, classes(other), strict=True))
            found = [person for person in whose if min(crowd(one, mixed, mine[person], theirs[person], shared)) < K]
            assert not (found and said), f"{len(found)} persons are found, and nothing was said"
            sure = said.together.side.violations
            assert not sure or len(whose) < one.height or len(found) >= sure
            succeeded, passed = succeeded + bool(found), passed + bool(said)
            account.whole += 1
    assert succeeded, "the attack works where nothing is done about it"
    assert passed, "releases that are safe together pass"
