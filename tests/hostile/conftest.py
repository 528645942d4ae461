"""Tests of a hostile world share one ledger, which is written when all are done."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ledger import LEDGER, Ledger


@pytest.fixture(scope="session")
def ledger() -> Iterator[Ledger]:
    yield LEDGER
    LEDGER.write()
