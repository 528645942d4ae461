"""All hostile tests share one ledger, which is written at the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ledger import LEDGER, Ledger


@pytest.fixture(scope="session")
def ledger() -> Iterator[Ledger]:
    yield LEDGER
    LEDGER.write()
