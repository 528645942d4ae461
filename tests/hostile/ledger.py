"""Counts of hostile tests: how often each fault, attack or malformed input was tried, and how it ended.

In the ordinary suite everything is tried some times. With ``SHOAL_TRIES=full`` it is tried as often as
`docs/reliability.md` says, and with ``SHOAL_LEDGER=FOLDER`` what was counted is written there, one file a process.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

FULL = os.environ.get("SHOAL_TRIES") == "full"
KINDS = ("fault", "abuse", "messy", "leak", "attack", "load")


def tries(few: int, full: int) -> range:
    """The numbers of the tries, which also seed them: few in the suite, the full number for the page."""
    return range(full if FULL else few)


@dataclass
class Account:
    """One thing that was tried: a fault, an abuse, a leak, an attack or a load."""

    kind: str
    name: str
    """What was done to Shoal, as a reader of the page understands it."""
    outcome: str
    """What Shoal does about it, in one sentence."""
    tried: int = 0
    refused: int = 0
    """How often Shoal said no in one sentence, and what was there before stood as it was."""
    whole: int = 0
    """How often a whole, verified state stood at the end."""
    lost: int = 0
    """How often anything was lost, leaked or left half: the test fails then."""

    @contextmanager
    def trial(self) -> Iterator[None]:
        """One try: whatever fails inside counts as a loss and fails the test. Say in it how it ended."""
        self.tried += 1
        ended = self.refused + self.whole
        try:
            yield
            assert self.refused + self.whole == ended + 1, "a try ends once: refused, or whole"
        except BaseException:
            self.lost += 1
            raise


@dataclass
class Ledger:
    """All accounts of one process."""

    accounts: dict[tuple[str, str], Account] = field(default_factory=dict)

    def account(self, kind: str, name: str, outcome: str) -> Account:
        """The account of one thing; parts of a test, and tests, may share one."""
        assert kind in KINDS, f"{kind} is none of {', '.join(KINDS)}"
        found = self.accounts.setdefault((kind, name), Account(kind, name, outcome))
        assert found.outcome == outcome, "one account has one sentence"
        return found

    def write(self) -> None:
        """Write what was counted, where that is asked for."""
        folder = os.environ.get("SHOAL_LEDGER")
        if folder and self.accounts:
            Path(folder).mkdir(parents=True, exist_ok=True)
            text = json.dumps([asdict(account) for account in self.accounts.values()], indent=1)
            (Path(folder) / f"{os.getpid()}.json").write_text(text, encoding="utf-8")


LEDGER = Ledger()
