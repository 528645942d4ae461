"""Fixtures of the Spark tests."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal


@pytest.fixture
def register(tmp_path: Path) -> Path:
    """Return a folder of two Parquet files."""
    (tmp_path / "register").mkdir()
    frame = shoal.example_register(600)
    frame[:350].write_parquet(tmp_path / "register" / "a.parquet")
    frame[350:].write_parquet(tmp_path / "register" / "b.parquet")
    return tmp_path / "register"
