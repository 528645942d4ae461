"""Structured malformed inputs, drawn by hypothesis, each for its target."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from ledger import FULL, Ledger
from malformed import SHAPES
from targets import TARGETS, attempt

_OUTCOME = "It is read, or refused in one sentence that shows no cell; nothing crashes, hangs or is half read."


@pytest.mark.parametrize("name", SHAPES)
def test_malformed_input_is_read_or_refused(name: str, ledger: Ledger) -> None:
    one = TARGETS[name]
    account = ledger.account("abuse", one.description, _OUTCOME)

    @settings(
        max_examples=400 if FULL else 10,
        derandomize=not FULL,
        database=None,
        phases=(Phase.generate, *((Phase.shrink,) if FULL else ())),
        suppress_health_check=list(HealthCheck),
    )
    @given(SHAPES[name])
    def tried(raw: bytes) -> None:
        with account.trial():
            if attempt(one, raw):
                account.whole += 1
            else:
                account.refused += 1

    tried()


@pytest.mark.parametrize("name", SHAPES)
@settings(max_examples=3, derandomize=True, database=None)
@given(data=st.data())
def test_shapes_are_bytes(name: str, data: st.DataObject) -> None:
    assert isinstance(data.draw(SHAPES[name]), bytes)
