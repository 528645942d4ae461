"""The safety net: every release of the set has the bytes that were recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from releases import CASES, RECORDED, made

DIGESTS: dict[str, str] = json.loads(RECORDED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", CASES)
def test_released_bytes_are_those_recorded(name: str, tmp_path: Path) -> None:
    assert made(name, tmp_path) == DIGESTS[name]


def test_every_record_belongs_to_a_case() -> None:
    assert DIGESTS.keys() == CASES.keys()
