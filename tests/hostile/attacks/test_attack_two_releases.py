"""Attack: complementary release. Somebody has two releases of the same persons and puts them side by side."""

from __future__ import annotations

import numpy as np
import polars as pl
from intruder import KNOWN, SECRET, classes, members, persons, release
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
            verification = shoal.verify(one, k=K, quasi_identifiers=KNOWN, against=mixed, order="unknown")
            assert verification.violations == 0, "each by itself keeps its promise"
            mine, theirs = classes(one), dict(zip(whose, classes(other), strict=True))
            found = [person for person in whose if min(crowd(one, mixed, mine[person], theirs[person], shared)) < K]
            assert not (found and verification), f"{len(found)} persons are found, and nothing was said"
            side = verification.together.release
            assert len(found) <= side.violations + side.undecided
            assert len(found) >= side.violations or len(whose) < one.height, "all who are below k for sure are found"
            succeeded, passed = succeeded + bool(found), passed + bool(verification)
            account.whole += 1
    assert succeeded, "the attack works where nothing is done about it"
    assert passed, "releases that are safe together pass"


def test_whatever_is_left_over_by_two_releases_was_announced(ledger: Ledger) -> None:
    account = ledger.account(
        "attack",
        "intersection of the diagnoses of two releases",
        "Whenever the classes of a person in two releases have one diagnosis in common, though each has several,"
        " `verify --against --sensitive` had refused the two.",
    )
    succeeded = 0
    for number in tries(few=6, full=100):
        with account.trial():
            table = persons(number, rows=60)
            one, other = (release(table, K, method=method, l=2).table for method in ("mdav", "mondrian"))
            one, other = (published.select(*KNOWN, SECRET) for published in (one, other))
            mixed = other[np.random.default_rng(number).permutation(other.height)]
            options = {"k": K, "quasi_identifiers": KNOWN, "models": {SECRET: "distinct-l(2)"}}
            verification = shoal.verify(one, **options, against=mixed, order="unknown")
            assert verification.models[0].ok, "each by itself keeps its promise"
            assert shoal.verify(mixed, **options)
            ills = [
                {own: {published[SECRET][row] for row in rows} for own, rows in members(classes(published)).items()}
                for published in (one, other)
            ]
            learned = sum(len(ills[0][a] & ills[1][b]) == 1 for a, b in zip(classes(one), classes(other), strict=True))
            (inference,) = verification.together.release.inferences
            assert inference.records <= learned <= inference.records + inference.undecided
            assert not (learned and verification)
            succeeded += learned > 0
            account.whole += 1
    assert succeeded, "the attack works where nothing is done about it"
