"""Attack: differencing. Who knows all members of a group but one subtracts them from the group's mean."""

from __future__ import annotations

import numpy as np
import polars as pl
from intruder import members
from ledger import Ledger, tries

import shoal

K = 3


def drawn(number: int) -> pl.DataFrame:
    chance = np.random.default_rng(number)
    return pl.DataFrame(
        {
            "income": chance.lognormal(10, 0.6, 45).round(2),
            "age": chance.integers(18, 98, 45),
            "ill": chance.choice(["flu", "gout"], 45),
        }
    )


def differenced(table: pl.DataFrame, published: pl.DataFrame, name: str) -> np.ndarray:
    """By how much the guess misses each person's number, where all others of the group are known."""
    was, now = table[name].to_numpy().astype(float), published[name].to_numpy().astype(float)
    missed = np.empty(len(was))
    for rows in members(published.select("income", "age").rows()).values():
        for row in rows:
            missed[row] = abs(len(rows) * now[row] - (was[rows].sum() - was[row]) - was[row])
    return missed


def test_all_but_one_of_a_group_tell_the_last_one(ledger: Ledger) -> None:
    account = ledger.account(
        "attack",
        "differencing a mean with all other members known",
        "Not protected: who knows k - 1 members of a group of k computes the number of the last one from the mean:"
        " exactly from an exact mean, and from one that is rounded to the decimals of its column to within k/2 steps of"
        " the last decimal; from a median only where it is the middle one.",
    )
    for number in tries(few=4, full=100):
        with account.trial():
            table = drawn(number)
            options = {"k": K, "quasi_identifiers": ["income", "age"], "sensitive": "ill", "method": "mdav"}
            means = shoal.anonymize(table, **options, refine=False).table
            centroids = means.select("income", "age").rows()
            sizes = np.array([centroids.count(row) for row in centroids])
            assert (differenced(table, means, "income") <= sizes / 200 + 1e-6).all(), "everybody's, to some cents"
            exactly = shoal.anonymize(table, **options, refine=False, exact_means=True).table
            assert differenced(table, exactly, "income").max() < 1e-6, "everybody's, to the cent"
            assert (differenced(table, means, "age") <= sizes / 2 + 1e-9).all()
            middles = shoal.anonymize(table, **options, refine=False, recode={"income": "median"}).table
            exact = np.isclose(table["income"].to_numpy(), middles["income"].to_numpy())
            assert (differenced(table, middles, "income") > 0.005).mean() > 0.5
            assert exact.mean() <= 1 / K + 1e-9, "the median is one member's own number"
            account.whole += 1
