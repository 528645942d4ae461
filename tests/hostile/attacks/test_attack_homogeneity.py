"""Attack: all members of a person's class share the diagnosis, so that nobody need find the record."""

from __future__ import annotations

import pytest
from intruder import SECRET, members, persons, release, seen
from ledger import Ledger, tries

METHODS = ("mdav", "mondrian")


@pytest.mark.parametrize("method", METHODS)
def test_with_k_alone_the_intruder_learns_what_the_figure_said(ledger: Ledger, method: str) -> None:
    account = ledger.account(
        "attack",
        "homogeneity, with k alone",
        "k does not protect: the diagnosis is learned of exactly the share of persons that the release told beforehand"
        " (homogeneous_records), and guessed of the share that it called guessed.",
    )
    learned = 0
    for number in tries(few=4, full=60):
        with account.trial():
            anonymized = release(persons(number), 2, method=method)
            disclosure = anonymized.evaluation.disclosures[SECRET]
            found = seen(anonymized.table)
            sure = sum(values.total() for values in found if len(values) == 1)
            right = sum(max(values.values()) for values in found)
            assert sure / anonymized.table.height * 100 == pytest.approx(disclosure["homogeneous_records"])
            assert right / anonymized.table.height * 100 == pytest.approx(disclosure["guessed"])
            learned += sure
            account.whole += 1
    assert learned > 0, "a test that never succeeds as an attack shows nothing"


@pytest.mark.parametrize("method", METHODS)
def test_with_l_nobody_is_certain(ledger: Ledger, method: str) -> None:
    account = ledger.account(
        "attack",
        "homogeneity, with l-diversity",
        "No class has fewer than l diagnoses, and nobody's is certain.",
    )
    for number in tries(few=4, full=60):
        with account.trial():
            anonymized = release(persons(number), 3, method=method, l=2 + number % 3)
            assert min(len(values) for values in seen(anonymized.table)) >= 2 + number % 3
            assert anonymized.evaluation.disclosures[SECRET]["homogeneous_records"] == 0
            assert len(members(anonymized.table[SECRET].to_list())) > 2
            account.whole += 1
