"""All printed cells and all comparisons, run once."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal
from shoal.reproduce import Reproduction


@pytest.fixture(scope="session")
def found(data_folder: Path) -> Reproduction:
    return shoal.reproduce(data_folder)
