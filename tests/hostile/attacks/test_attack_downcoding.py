"""Attack: downcoding (Cohen, USENIX Security 2022). What is recoded no more than needed tells more than it shows."""

from __future__ import annotations

import numpy as np
import polars as pl
from intruder import members
from ledger import Ledger, tries

import shoal


def ends(interval: str) -> tuple[int, int]:
    """The two numbers of an interval, or a number twice."""
    low, _, high = interval.strip("[]").partition("-")
    return int(low), int(high or low)


def drawn(number: int, rows: int = 60) -> pl.DataFrame:
    chance = np.random.default_rng(number)
    return pl.DataFrame({"age": chance.integers(18, 98, rows), "ill": chance.choice(["flu", "gout", "burn"], rows)})


def test_both_ends_of_an_interval_are_values_of_members(ledger: Ledger) -> None:
    account = ledger.account(
        "attack",
        "downcoding of intervals",
        "Not protected: an interval ends at values of members, so that two values of each group are known, though not"
        " whose they are; of groups of two all values are.",
    )
    for number in tries(few=6, full=100):
        with account.trial():
            table, k = drawn(number), 2 + number % 3
            anonymized = shoal.anonymize(
                table, k=k, quasi_identifiers="age", sensitive="ill", recode="interval", method="mdav", refine=False
            )
            for interval, rows in members(anonymized.table["age"].to_list()).items():
                own = sorted(table["age"][rows].to_list())
                assert ends(interval) == (own[0], own[-1]), "the intruder's guess is right for every group"
                if len(rows) == 2:
                    assert sorted(ends(interval)) == own, "a group of two is told as a whole"
            account.whole += 1


def test_steps_of_a_hierarchy_that_are_given_beforehand_show_no_values(ledger: Ledger) -> None:
    account = ledger.account(
        "attack",
        "downcoding of a hierarchy",
        "A node of a hierarchy has bounds that no member set, and its values stay unknown; but it is the lowest node"
        " above its group, so that one knows that the group is spread over two of its branches at least.",
    )
    for number in tries(few=6, full=100):
        with account.trial():
            table = drawn(number)
            steps = shoal.Hierarchy.from_intervals(list(range(18, 98)), width=(5, 10, 20, 40))
            anonymized = shoal.anonymize(
                table.with_columns(pl.col("age").cast(pl.String)),
                k=2,
                quasi_identifiers="age",
                sensitive="ill",
                hierarchies={"age": steps},
                recode="lcs",
                method="sa-mdav",
                refine=False,
            )
            below: dict[str, list[str]] = {}
            for node, parent in zip(steps.nodes, steps.parents, strict=True):
                below.setdefault(steps.nodes[parent], []).append(node)
            for interval, rows in members(anonymized.table["age"].to_list()).items():
                own = {str(age) for age in table["age"][rows].to_list()}
                if len(own) > 1:
                    branches = [branch for branch in below[interval] if own & leaves(below, branch, interval)]
                    assert len(branches) >= 2, "one level deeper, two branches are known to be there"
            account.whole += 1


def leaves(below: dict[str, list[str]], node: str, above: str) -> set[str]:
    """The values under a node."""
    under = [child for child in below.get(node, []) if child not in (node, above)]
    return {node} if not under else {leaf for child in under for leaf in leaves(below, child, node)}
