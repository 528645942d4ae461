"""The corpus, damaged by a seeded mutator: some each time, thousands for the page of reliability."""

from __future__ import annotations

import pytest
from ledger import Ledger, tries
from mutation import damaged
from targets import TARGETS, Target, attempt

_SLOW = ("command-line", "policy", "bundle-part", "wordnet", "hierarchy-edges")
"""Targets that run a whole command or release."""
_FOREIGN = ("spss", "stata", "sas", "por", "sas7bdat")
"""Targets behind which a library in C reads, which may end the process: these numbers are known not to."""
_OUTCOME = "It is read, or refused in one sentence that shows no cell; nothing crashes, hangs or is half read."


@pytest.mark.parametrize("one", TARGETS.values(), ids=TARGETS)
def test_damaged_input_is_read_or_refused(one: Target, ledger: Ledger) -> None:
    account = ledger.account("abuse", one.description, _OUTCOME)
    seeds = [path.read_bytes() for path in one.corpus]
    for number in tries(few=10, full=300 if one.name in (*_SLOW, *_FOREIGN) else 500):
        with account.trial():
            if attempt(one, damaged(seeds, number)):
                account.whole += 1
            else:
                account.refused += 1


def test_the_same_number_damages_alike() -> None:
    seeds = [b"one,two\n1,2\n", b"three\n"]
    assert [damaged(seeds, number) for number in range(50)] == [damaged(seeds, number) for number in range(50)]
    assert len({damaged(seeds, number) for number in range(50)}) > 30
