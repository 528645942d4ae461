"""Attack: the intruder knows which diagnoses a person does not have, and rules them out."""

from __future__ import annotations

import math

import pytest
from intruder import SECRET, persons, release, rulings_out, seen
from ledger import Ledger, tries

L = 4


@pytest.mark.parametrize("model", [f"distinct-l({L})", f"entropy-l({L})"])
def test_l_less_two_exclusions_never_pin_down(ledger: Ledger, model: str) -> None:
    account = ledger.account(
        "attack",
        "background knowledge, against distinct and entropy l-diversity",
        "Whichever l - 2 values are ruled out, at least two are left in every class; with l - 1 one may be left.",
    )
    pinned = 0
    for number in tries(few=3, full=40):
        with account.trial():
            anonymized = release(persons(number), 5, models={SECRET: model})
            for values in seen(anonymized.table):
                assert min(len(left) for left in rulings_out(values, L - 2)) >= 2
                pinned += min(len(left) for left in rulings_out(values, L - 1)) == 1
                if model.startswith("entropy"):
                    shares = [times / values.total() for times in values.values()]
                    assert math.exp(-sum(share * math.log(share) for share in shares)) >= L * (1 - 1e-9)
            account.whole += 1
    assert pinned or model.startswith("entropy"), "the bound is tight: one exclusion more pins down"


@pytest.mark.parametrize("c", [1, 1.5, 3])
def test_recursive_diversity_bounds_the_chance_after_exclusions(ledger: Ledger, c: float) -> None:
    account = ledger.account(
        "attack",
        "background knowledge, against recursive (c, l)-diversity",
        "Whichever l - 2 values are ruled out, no value that is left has a chance of c/(c + 1) or more.",
    )
    for number in tries(few=3, full=40):
        with account.trial():
            anonymized = release(persons(number), 5, models={SECRET: f"recursive-l({c},{L})"})
            for values in seen(anonymized.table):
                for left in rulings_out(values, L - 2):
                    assert max(left.values()) / left.total() < c / (c + 1)
            account.whole += 1
